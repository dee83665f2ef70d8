//! Makes queries smaller: normal form, subformulas that are always true or false, rules, and the initial marking.
//!
//! Why: what is decided here needs no search, and what is smaller needs a smaller automaton or a simpler engine. See
//! [`atoms`] and `equation` for what is decided, [`rewrite`] for the rules of both logics, [`ctl`] for what is particular to
//! CTL, and `initial`; [`Simplifier`] puts them together, and [`SimplificationSteps`] says which of them are taken.
//!
//! Verdicts never change. Evidence: a simplified query has the same truth on every run of the net, so a lasso of the
//! one is a lasso of the other, and so is a trace of a reachability query. The *kind* of evidence changes where
//! `A G p` becomes an invariant and `E F p` a reachable predicate: their traces are brought back by [`lift`()].
//! `E G p` and `A F p` stay LTL, because a trace shows nothing there. A CTL formula may become a reachability or LTL
//! query, or a Boolean combination of several ([`Simplifier::parts`]). A query that is decided here is still a query
//! (over a constant), and an engine may answer it with or without evidence: any run of the net will do.
//! Test: `tests/simplify.rs`, against the reference checker.

pub mod atoms;
mod bound;
mod classes;
pub mod ctl;
mod equation;
#[cfg(test)]
mod every_state;
mod implies;
mod initial;
mod lift;
pub mod normal;
mod pass;
pub mod rewrite;
mod share;
mod view;

use std::{
    cell::{Cell, OnceCell},
    time::{Duration, Instant},
};

use fireset_net::{
    Budget, CtlFormula, Formula, Logic, Model, Net, PathFormula, PathPrefix, Quantifier, Query,
    StatePredicate,
};
use fireset_structure::{MarkingBounds, NetStructure, StateEquation};

pub use lift::lift;
pub use pass::Simplify;

use self::{
    ctl::{approximation::Approximation, parts::Combination},
    initial::InitialMarking,
    share::TimeShare,
};
use crate::colours::skeleton;

/// The steps of a simplification, each of which can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimplificationSteps {
    /// Atoms are decided by place invariants.
    pub invariants: bool,
    /// Subformulas are decided by the state equation.
    pub state_equation: bool,
    /// Formulas are rewritten by rules (in the literature ρ).
    pub rules: bool,
    /// The initial marking is looked at (in the literature Ω).
    pub initial_marking: bool,
    /// `X` before state predicates of a place/transition net becomes part of them.
    pub next: bool,
    /// Formulas are made smaller by laws that hold in reversible nets, where the net is shown to be one.
    pub reversible: bool,
    /// CTL operators are decided by parts of a place/transition net that terminate, or that can always go on.
    pub parts: bool,
}

impl SimplificationSteps {
    /// Every step is taken.
    pub const ALL: Self = Self {
        invariants: true,
        state_equation: true,
        rules: true,
        initial_marking: true,
        next: true,
        reversible: true,
        parts: true,
    };
    /// No step is taken; a base to add some.
    pub const NONE: Self = Self {
        invariants: false,
        state_equation: false,
        rules: false,
        initial_marking: false,
        next: false,
        reversible: false,
        parts: false,
    };
}

/// Whether CTL formulas that are LTL too become LTL queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CtlAsLtl {
    /// Where [`ctl::linear`] can.
    #[default]
    On,
    /// CTL formulas stay CTL formulas.
    Off,
}

/// The time that the state equation may take for all formulas, unless said otherwise.
const TIME: Duration = Duration::from_secs(10);
/// Formulas that share it, unless said otherwise.
const FORMULAS: usize = 16;
/// The time in which a net can be shown to be reversible.
const REVERSIBILITY_TIME: Duration = Duration::from_millis(200);
/// Approximations get this part of the time more, for `BESIDE` queries a formula: engines have yet to see whether they are
/// needed.
const PARTS_BESIDE: u32 = 16;
const BESIDE: usize = 4;
/// Looking for approximations may take this part of the time: those of a formula with `X` have as many terms as the net has transitions.
const PARTS_APPROXIMATING: u32 = 4;
/// Rounds of all steps, in case each finds something after the others.
const MAX_ROUNDS: usize = 4;
/// Queries past which no easier ones are asked beside a formula.
const MAX_QUERIES: usize = 24;

/// What is known of a net, to simplify its queries with. Made once, because the search for invariants takes a while.
#[derive(Debug)]
pub struct Simplifier<'a> {
    initial_marking: Option<InitialMarking<'a>>,
    proven: Option<MarkingBounds<'a>>,
    equation: Option<StateEquation<'a>>,
    share: TimeShare,
    /// The time of the state equation for approximations.
    beside: TimeShare,
    /// The time in which approximations are looked for.
    approximating: Cell<Duration>,
    rules: bool,
    /// The net, if `X` is looked at.
    next: Option<&'a Net>,
    /// The net, if laws of reversible nets are used; and whether it is one, once that was needed.
    net: Option<&'a Net>,
    reversible: OnceCell<bool>,
    /// The net, if its parts are looked at.
    with_parts: Option<&'a Net>,
    ctl_as_ltl: CtlAsLtl,
}

/// Simplifies one query; with several queries, keep a [`Simplifier`].
///
/// ```
/// use fireset_net::{Comparison, Expr, Formula, Quantifier, Query, PlaceId, StatePredicate};
/// use fireset_oracle::tiny;
/// let net = tiny::net("p:1 q; t: p -> q; u: q -> p");
/// let both = Expr::Tokens(vec![PlaceId::new(0), PlaceId::new(1)]);
/// let one = Formula::Compare(Comparison::LessEqual, both, Expr::Constant(1));
/// let path = Formula::Finally(Box::new(Formula::Globally(Box::new(one))));
/// let query = Query::Ltl(Quantifier::ForAll, (&path).try_into().expect("a path formula"));
/// let decided = Query::Ltl(Quantifier::ForAll, StatePredicate::Constant(true).into());
/// assert_eq!(fireset_reduce::simplify(&net, &query), decided);
/// ```
pub fn simplify(net: &Net, query: &Query) -> Query {
    Simplifier::new(net).query(query)
}

impl<'a> Simplifier<'a> {
    /// For the queries of a place/transition net.
    pub fn new(net: &'a Net) -> Self {
        Self::on(InitialMarking::Plain(net), || MarkingBounds::of(net), SimplificationSteps::ALL)
    }

    /// For the queries of either kind of net. Of a coloured net the invariants of its skeleton are known, if it has one.
    pub fn for_model(model: &'a Model) -> Self {
        Self::with_steps(model, SimplificationSteps::ALL)
    }

    /// One that takes some steps only, so that each can be measured.
    pub fn with_steps(model: &'a Model, steps: SimplificationSteps) -> Self {
        match model {
            Model::Plain(net) => Self::on(InitialMarking::Plain(net), || MarkingBounds::of(net), steps),
            Model::Coloured(net) => {
                let bounds = || match skeleton(net) {
                    Some(skeleton) => MarkingBounds::by_places_of(model, &skeleton),
                    None => MarkingBounds::without_semiflows(model),
                };
                Self::on(InitialMarking::Coloured(net), bounds, steps)
            }
        }
    }

    fn on(
        start: InitialMarking<'a>,
        proven: impl FnOnce() -> MarkingBounds<'a>,
        steps: SimplificationSteps,
    ) -> Self {
        let equation = match start {
            InitialMarking::Plain(net) if steps.state_equation => StateEquation::of(net),
            _ => None,
        };
        let next = match start {
            InitialMarking::Plain(net) if steps.next => Some(net),
            _ => None,
        };
        Self {
            initial_marking: steps.initial_marking.then_some(start),
            proven: steps.invariants.then(proven),
            equation,
            share: TimeShare::of(TIME, FORMULAS),
            beside: TimeShare::of(TIME / PARTS_BESIDE, FORMULAS * BESIDE),
            approximating: Cell::new(TIME / PARTS_APPROXIMATING),
            rules: steps.rules,
            next,
            net: match start {
                InitialMarking::Plain(net) if steps.reversible => Some(net),
                _ => None,
            },
            reversible: OnceCell::new(),
            with_parts: match start {
                InitialMarking::Plain(net) if steps.parts => Some(net),
                _ => None,
            },
            ctl_as_ltl: CtlAsLtl::default(),
        }
    }

    /// The same, but the state equation may take `time` for all of `formulas` formulas.
    #[must_use]
    pub fn within(self, time: Duration, formulas: usize) -> Self {
        let beside = TimeShare::of(time / PARTS_BESIDE, formulas.saturating_mul(BESIDE));
        let approximating = Cell::new(time / PARTS_APPROXIMATING);
        Self { share: TimeShare::of(time, formulas), beside, approximating, ..self }
    }

    /// The same with another choice about CTL that is LTL too.
    #[must_use]
    pub fn routed(self, ctl_as_ltl: CtlAsLtl) -> Self {
        Self { ctl_as_ltl, ..self }
    }

    /// The same query, smaller where that is possible; bounds, global properties and formulas about steps stay
    /// as they are. Most path
    /// formulas come back in normal form, but not those whose equivalences would double.
    pub fn query(&self, query: &Query) -> Query {
        self.query_within(query, &self.share)
    }

    fn query_within(&self, query: &Query, share: &TimeShare) -> Query {
        let smaller = match query {
            Query::Reachable(p) => {
                StatePredicate::try_from(&self.reachable(p, true, share)).ok().map(Query::Reachable)
            }
            Query::Invariant(p) => {
                StatePredicate::try_from(&self.reachable(p, false, share)).ok().map(Query::Invariant)
            }
            Query::Ltl(quantifier, path) => self.ltl(*quantifier, path, share),
            Query::Ctl(f) => self.route(self.ctl(f, share)),
            Query::Run(_)
            | Query::CtlStar(_)
            | Query::Bound(_)
            | Query::ColourBound(_)
            | Query::Global(_)
            | Query::Named(_) => None,
        };
        // A query stays as it is where it has no smaller one of a kind that is decided.
        smaller.unwrap_or_else(|| query.clone())
    }

    /// Queries that together decide a query, and how: a CTL formula is taken apart where parts of it are easier.
    pub fn parts(&self, query: &Query) -> (Combination, Vec<Query>) {
        let Query::Ctl(f) = query else { return (Combination::Part(0), vec![self.query(query)]) };
        let (combination, parts) = ctl::parts::decompose(&self.ctl(f, &self.share), &|f| self.is_easy(f));
        let routed: Option<Vec<Query>> = parts.into_iter().map(|f| self.route(f)).collect();
        let Some(mut queries) = routed else { return (Combination::Part(0), vec![query.clone()]) };
        if self.ctl_as_ltl == CtlAsLtl::Off {
            return (combination, queries);
        }
        let combination = combination.map_parts(&mut |at| match queries[at].clone() {
            Query::Ctl(f) if f.as_state().is_none() => {
                let approximated = self.approximated(&(&f).into(), &mut queries);
                Combination::First(vec![Combination::Part(at), approximated])
            }
            _ => Combination::Part(at),
        });
        (combination, queries)
    }

    /// How approximations decide a formula in normal form; their queries are added to `queries`.
    fn approximated(&self, f: &Formula, queries: &mut Vec<Query>) -> Combination {
        let mut each = |fs: &[Formula]| fs.iter().map(|f| self.approximated(f, queries)).collect();
        match f {
            Formula::And(fs) => Combination::All(each(fs)),
            Formula::Or(fs) => Combination::Any(each(fs)),
            f => {
                let mut both = |approximation| self.approximated_in(approximation, f, queries);
                let stronger = Box::new(Combination::Any(both(Approximation::Under)));
                let weaker = Box::new(Combination::All(both(Approximation::Over)));
                Combination::First(vec![Combination::IfTrue(stronger), Combination::IfFalse(weaker)])
            }
        }
    }

    /// How approximations in one direction decide a formula, among them those of an operand in the initial marking.
    fn approximated_in(
        &self,
        approximation: Approximation,
        f: &Formula,
        queries: &mut Vec<Query>,
    ) -> Vec<Combination> {
        let mut all = self.approximations(f, approximation, queries);
        let operand = ctl::approximation::first_operand(f, approximation);
        if let Some(operand) = operand.filter(|f| !f.is_state_predicate()) {
            all.push(self.approximated(&self.in_initial_marking(operand), queries));
        }
        all
    }

    /// Queries that approximate a formula in one direction, without those that cannot decide it.
    fn approximations(
        &self,
        f: &Formula,
        approximation: Approximation,
        queries: &mut Vec<Query>,
    ) -> Vec<Combination> {
        let (started, left) = (Instant::now(), self.approximating.get());
        let mut parts = Vec::new();
        if left.is_zero() {
            return parts;
        }
        for query in ctl::approximation::queries(f, approximation, &|f| self.without_next(f)) {
            let query = self.query_within(&query, &self.beside);
            let tells_nothing = match query.constant() {
                Some(value) => value == (approximation == Approximation::Over),
                None => matches!(query, Query::Ctl(_)),
            };
            if tells_nothing || queries.len() >= MAX_QUERIES {
                continue;
            }
            let known = queries.iter().position(|known| *known == query);
            parts.push(Combination::Part(known.unwrap_or(queries.len())));
            if known.is_none() {
                queries.push(query);
            }
        }
        self.approximating.set(left.saturating_sub(started.elapsed()));
        parts
    }

    /// The predicate of a reachability query. One that has the value that is looked for at the start is that constant.
    fn reachable(&self, predicate: &StatePredicate, wanted: bool, share: &TimeShare) -> Formula {
        self.in_turns(&predicate.into(), share, |p| {
            let p = self.formula(p);
            match self.initial_marking.and_then(|start| start.value(&p)) {
                Some(value) if value == wanted => Formula::Constant(value),
                _ => p,
            }
        })
    }

    fn ltl(&self, quantifier: Quantifier, path: &PathFormula, share: &TimeShare) -> Option<Query> {
        let path = self.in_turns(&path.into(), share, |path| self.in_initial_marking(self.formula(path)));
        linear_query(quantifier, path)
    }

    /// A CTL formula with the same value in the initial marking.
    fn ctl(&self, f: &CtlFormula, share: &TimeShare) -> Formula {
        self.in_turns(&f.into(), share, |f| {
            let mut now = f.clone();
            for _ in 0..MAX_ROUNDS {
                let small = self.in_initial_marking(self.formula(&now));
                let small = self.by_parts(self.without_later_next(small));
                let next = self.in_initial_marking(self.in_reversible_net(small));
                if next == now {
                    break;
                }
                now = next;
            }
            now
        })
    }

    /// The cheap steps, then the state equation, and the cheap ones again for what it has changed.
    fn in_turns(&self, f: &Formula, share: &TimeShare, cheap: impl Fn(&Formula) -> Formula) -> Formula {
        let first = cheap(f);
        let decided = self.decide_within(first.clone(), share);
        if decided == first { first } else { cheap(&decided) }
    }

    /// A formula that has the same value in every reachable marking, and on every run: what the state equation decides is
    /// replaced by constants.
    pub fn decide(&self, formula: Formula) -> Formula {
        self.decide_within(formula, &self.share)
    }

    fn decide_within(&self, formula: Formula, share: &TimeShare) -> Formula {
        let Some(equation) = &self.equation else { return formula };
        share.take(|time| {
            equation.grant(time);
            equation::decide(formula, equation)
        })
    }

    /// The query of a CTL formula: one of reachability or LTL where it can be.
    fn route(&self, f: Formula) -> Option<Query> {
        match (reachability(&f), self.linear(&f)) {
            (Some(query), _) => Some(query),
            (_, Some((quantifier, path))) => {
                linear_query(quantifier, self.in_initial_marking(self.formula(&path)))
            }
            _ => CtlFormula::try_from(&f).ok().map(Query::Ctl),
        }
    }

    /// Whether the query of a CTL formula is of another kind.
    fn is_easy(&self, f: &Formula) -> bool {
        reachability(f).is_some() || self.linear(f).is_some()
    }

    fn linear(&self, f: &Formula) -> Option<(Quantifier, Formula)> {
        match self.ctl_as_ltl {
            CtlAsLtl::On => ctl::linear::linear(f),
            CtlAsLtl::Off => None,
        }
    }

    /// A formula that has the same value on every run, at every position, or in every reachable state.
    fn formula(&self, formula: &Formula) -> Formula {
        let decided = match &self.proven {
            Some(proven) => atoms::decide_atoms(formula.clone(), proven),
            None => formula.clone(),
        };
        if self.rules { smaller(decided) } else { decided }
    }

    /// A formula by the rules, if they are used and it has changed.
    fn by_rules(&self, changed: Formula, before: &Formula) -> Formula {
        if self.rules && changed != *before { smaller(changed) } else { changed }
    }

    /// A CTL formula that has the same value in every marking, with less `X`.
    fn without_next(&self, formula: Formula) -> Formula {
        let Some(net) = self.next else { return formula };
        let without = ctl::next::without_next(formula.clone(), net);
        self.by_rules(without, &formula)
    }

    /// The same, but for `X` at the start.
    fn without_later_next(&self, formula: Formula) -> Formula {
        let Some(net) = self.next else { return formula };
        let without = ctl::next::without_later_next(formula.clone(), net);
        self.by_rules(without, &formula)
    }

    /// A CTL formula that has the same value in every reachable marking, smaller where parts of the net decide operators.
    fn by_parts(&self, formula: Formula) -> Formula {
        let Some(net) = self.with_parts else { return formula };
        let decided = ctl::terminating::without_termination(formula.clone(), net);
        let decided = ctl::independent::beside_independent_parts(decided, net);
        self.by_rules(decided, &formula)
    }

    /// A CTL formula that has the same value in every reachable marking, smaller where the net is reversible.
    fn in_reversible_net(&self, formula: Formula) -> Formula {
        let home = ctl::reversible::in_reversible_net(formula.clone());
        if home == formula || !self.is_reversible() {
            return formula;
        }
        if self.rules { smaller(home) } else { home }
    }

    fn is_reversible(&self) -> bool {
        let budget = || Budget::unlimited().with_timeout(REVERSIBILITY_TIME);
        *self
            .reversible
            .get_or_init(|| self.net.is_some_and(|net| NetStructure::of(net).is_reversible(&budget())))
    }

    /// A formula that has the same value at the start of every run.
    fn in_initial_marking(&self, formula: Formula) -> Formula {
        let Some(start) = self.initial_marking else { return formula };
        let started = start.decide(&formula);
        self.by_rules(started, &formula)
    }
}

/// The query of a path formula: one of reachability where it can be.
fn linear_query(quantifier: Quantifier, path: Formula) -> Option<Query> {
    Query::classify(&quantifier.before(path), Logic::Ltl).ok()
}

/// The reachability query that a CTL formula is.
fn reachability(f: &Formula) -> Option<Query> {
    Query::classify(f, Logic::Ctl).ok().filter(|query| query.goal().is_some())
}

/// A formula by the rules, and by those that come late in its logic where they make it smaller still.
fn smaller(formula: Formula) -> Formula {
    let small = smaller_by_first_rules(formula);
    let late = normal::normal(&small).map(rewrite::rewrite);
    late.filter(|late| rewrite::size(late) <= rewrite::size(&small)).unwrap_or(small)
}

/// A formula by the rules that come first. Where its normal form needs more temporal operators than they save (an equivalence
/// of path formulas is spelled out there), its operands are made smaller, each for itself.
fn smaller_by_first_rules(formula: Formula) -> Formula {
    let whole = |formula: &Formula| {
        let most = rewrite::size(formula).0;
        normal::normal(formula).map(rewrite::rewrite_first).filter(|f| rewrite::size(f).0 <= most)
    };
    if let Some(found) = whole(&formula) {
        return found;
    }
    let by_parts = formula.clone().map_children(&mut smaller_by_first_rules);
    if by_parts == formula { formula } else { whole(&by_parts).unwrap_or(by_parts) }
}
