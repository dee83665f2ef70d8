//! CTL formulas by checks of their operands in other markings: of `EX f` after each step, of `EF f` where random walks end.
//!
//! Why: a search for a nested formula evaluates `f` in marking after marking by exploring. A check of `f` alone has all techniques at
//! hand: its formula is simpler, the state equation knows the other marking and refutes what cannot happen from there any more, and
//! the net is reduced for `f`, where an `X` before it forbids that.
//!
//! With `m` for a marking that is reached through markings with `p`, where `p` is a state predicate:
//!
//! | formula | is | if |
//! |---|---|---|
//! | `EX f`, `AX f` | that of `f` in the successors | all, or a decisive one, are known |
//! | `EF f`, `E[p U f]`, `E[p W f]` | true | `f` is true in some `m` |
//! | `AG f`, `A[!p R f]` | false | `f` is false in some `m` |
//! | `AF f`, `A[g U f]`, `A[g W f]` | true | `f` is true in the initial marking |
//! | `EG f`, `E[g R f]` | false | `f` is false in the initial marking |
//!
//! Each line is the operator's meaning on maximal paths. A Boolean combination has the value that those of its operands give it.
//! Needs: a place/transition net. Invariant: an operand has fewer temporal operators than its formula, and simplification adds none,
//! so checks within checks end. Cost: the time that is granted; a net with another initial marking for each check. Verdicts come without
//! evidence. Test: below, against the reference checker.

use std::{collections::HashSet, sync::Arc, time::Instant};

use fireset_engine::{Engine, ResultSink, turns};
use fireset_kernel::random::Random;
use fireset_net::{
    BoolTree, Budget, CtlAtom, CtlFormula, Formula, Logic, Marking, Model, Net, Outcome, Problem, Quantifier,
    Query, StatePredicate, Statistics, StopReason, Temporal, replay,
    token_game::{TokenGame, TokenGameTable},
};

use crate::{Options, single_check::SingleChecks};

/// The longest walks, in turn: far from the initial marking first, since searches begin near it.
const LENGTHS: [usize; 4] = [4096, 256, 16, 2];
/// The number of walks after which they get twice as long: places with many tokens take long to empty.
const DOUBLING: usize = 16;
/// The most walks for one operator.
const MAX_WALKS: usize = 160;
/// The most successors in which an operand is checked.
const MAX_SUCCESSORS: usize = 64;
/// A check at the end of a walk has this part of the remaining time.
const PARTS: u32 = 6;

/// Decides CTL formulas on place/transition nets by checks of their operands.
pub(crate) struct InnerCheckEngine {
    options: Options,
}

impl InnerCheckEngine {
    pub(crate) fn new(options: &Options) -> Self {
        Self { options: *options }
    }
}

impl Engine for InnerCheckEngine {
    fn name(&self) -> &'static str {
        "inner checks"
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        matches!((model, query), (Model::Plain(_), Query::Ctl(f)) if has_inner_formula(f))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let Model::Plain(net) = &*problem.model else { return };
        let decide = |at: usize, turn: turns::Turn, budget: &Budget| {
            let Query::Ctl(formula) = &problem.queries[at] else {
                return Outcome::unknown(StopReason::NoEngine);
            };
            let random = Random::new(u64::from(turn == turns::Turn::Second));
            let mut checks = InnerChecks { net, random, checks: SingleChecks::new(&self.options) };
            let started = Instant::now();
            let Some(value) = checks.value(formula, budget) else {
                return Outcome::unknown(budget.go_on().err().unwrap_or(StopReason::NoEngine));
            };
            let (engine, elapsed) = (self.name(), started.elapsed());
            let statistics = Statistics { engine, elapsed, ..Statistics::default() };
            let techniques = checks.checks.techniques;
            Outcome { verdict: value.into(), evidence: None, techniques, statistics }
        };
        turns::in_turn(problem.queries.len(), budget, decide, sink);
    }
}

/// Whether an outermost operator has an operand that is worth a check of its own.
fn has_inner_formula(f: &CtlFormula) -> bool {
    f.any_atom(&|atom| match atom {
        CtlAtom::State(_) => false,
        CtlAtom::Temporal(_, operator) => match &**operator {
            Temporal::Next(_) => true,
            operator => OperandGoal::of(Quantifier::Exists, operator).operand.as_state().is_none(),
        },
    })
}

/// The operand of an operator that decides it.
struct OperandGoal<'f> {
    operand: &'f CtlFormula,
    /// The value of the operand that gives the operator the same value.
    decisive: bool,
    /// The predicate of all markings before the one with that value; if there is none, that is the initial marking.
    before: Option<StatePredicate>,
}

impl<'f> OperandGoal<'f> {
    /// For any operator but `X`.
    fn of(quantifier: Quantifier, operator: &'f Temporal<CtlFormula>) -> Self {
        let exists = quantifier == Quantifier::Exists;
        let anywhere = || Some(StatePredicate::Constant(true));
        let (operand, decisive, before) = match operator {
            Temporal::Next(f) | Temporal::Finally(f) => (f, true, anywhere().filter(|_| exists)),
            Temporal::Globally(f) => (f, false, anywhere().filter(|_| !exists)),
            Temporal::Until(p, f) | Temporal::WeakUntil(p, f) => {
                (f, true, p.as_state().cloned().filter(|_| exists))
            }
            Temporal::Release(p, f) => {
                (f, false, p.as_state().map(|p| p.clone().negate()).filter(|_| !exists))
            }
        };
        Self { operand, decisive, before }
    }
}

/// The checks of one formula.
struct InnerChecks<'a> {
    net: &'a Net,
    random: Random,
    checks: SingleChecks,
}

impl InnerChecks<'_> {
    /// The value in the initial marking.
    fn value(&mut self, f: &CtlFormula, budget: &Budget) -> Option<bool> {
        match f {
            BoolTree::Constant(value) => Some(*value),
            BoolTree::Not(f) => Some(!self.value(f, budget)?),
            BoolTree::And(fs) => self.joined(fs, false, budget),
            BoolTree::Or(fs) => self.joined(fs, true, budget),
            BoolTree::Iff(sides) => {
                Some(self.value(&sides.0, &budget.part(2))? == self.value(&sides.1, budget)?)
            }
            BoolTree::Atom(CtlAtom::State(p)) => {
                Some(replay::holds_in(self.net, self.net.initial_marking(), p))
            }
            BoolTree::Atom(CtlAtom::Temporal(quantifier, operator)) => match &**operator {
                Temporal::Next(f) => self.after_a_step(*quantifier, f, budget),
                operator => self.where_walks_end(&OperandGoal::of(*quantifier, operator), budget),
            },
        }
    }

    /// The value of a conjunction, where false is decisive, or of a disjunction.
    fn joined(&mut self, fs: &[CtlFormula], decisive: bool, budget: &Budget) -> Option<bool> {
        let mut value = Some(!decisive);
        for (done, f) in fs.iter().enumerate() {
            match self.value(f, &budget.part((fs.len() - done) as u32)) {
                Some(found) if found == decisive => return Some(decisive),
                Some(_) => {}
                None => value = None,
            }
        }
        value
    }

    fn after_a_step(&mut self, quantifier: Quantifier, f: &CtlFormula, budget: &Budget) -> Option<bool> {
        let (net, initial) = (self.net, self.net.initial_marking());
        let mut successors: Vec<Marking> = Vec::new();
        let mut value = Some(quantifier == Quantifier::ForAll);
        for t in net.nodes().transition_ids().filter(|&t| net.enabled(initial, t).is_ok()) {
            match net.fire_transition(initial, t) {
                Ok(marking) if successors.contains(&marking) => {}
                Ok(marking) if successors.len() < MAX_SUCCESSORS => successors.push(marking),
                _ => value = None,
            }
        }
        let decisive = quantifier == Quantifier::Exists;
        let count = successors.len();
        for (done, marking) in successors.into_iter().enumerate() {
            match self.check(marking, f, &budget.part((count - done) as u32)) {
                Some(found) if found == decisive => return Some(decisive),
                Some(_) => {}
                None => value = None,
            }
        }
        value
    }

    fn where_walks_end(&mut self, goal: &OperandGoal<'_>, budget: &Budget) -> Option<bool> {
        if goal.operand.as_state().is_some() {
            return None;
        }
        let initial = self.net.initial_marking().clone();
        let Some(before) = &goal.before else {
            return self.check(initial, goal.operand, budget).filter(|&value| value == goal.decisive);
        };
        let table = TokenGameTable::new(self.net);
        let mut game = TokenGame::new(&table);
        let mut seen = HashSet::new();
        for (at, length) in LENGTHS.into_iter().cycle().take(MAX_WALKS).enumerate() {
            budget.go_on().ok()?;
            let marking = Marking(game.tokens().into());
            if seen.insert(marking.clone()) {
                let value = self.check(marking, goal.operand, &budget.part(PARTS));
                if value == Some(goal.decisive) {
                    return value;
                }
            }
            self.walk(&mut game, length << (at / DOUBLING), before, budget);
        }
        None
    }

    /// Walks at random from the initial marking, on through markings with a predicate only.
    fn walk(&mut self, game: &mut TokenGame<'_>, length: usize, before: &StatePredicate, budget: &Budget) {
        game.restart();
        for step in 0..self.random.below(length) + 1 {
            let goes_on = match before {
                StatePredicate::Constant(value) => *value,
                before => replay::holds_in(self.net, &Marking(game.tokens().into()), before),
            };
            let is_over = step % 64 == 63 && budget.go_on().is_err();
            if !goes_on || is_over || game.is_deadlock() {
                return;
            }
            let t = *self.random.pick(game.enabled());
            if !game.fire(t) {
                return;
            }
        }
    }

    /// The value of a formula in a marking.
    fn check(&mut self, marking: Marking, f: &CtlFormula, budget: &Budget) -> Option<bool> {
        let query = Query::classify(&Formula::from(f), Logic::Ctl).ok()?;
        let model = Arc::new(Model::Plain(self.net.with_initial_marking(marking)));
        self.checks.check(model, query, budget).map(|answer| answer.holds)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fireset_net::Verdict;
    use fireset_oracle::{
        query,
        random::{self, NetShape, TestRng},
    };

    use super::*;

    /// A formula with an operator of each kind in turn, over nested operands and, where walks need them, state predicates.
    fn formula(random: &mut TestRng, net: &Net, kind: usize) -> Formula {
        let mut inner = || Box::new(Formula::from(random::nested_ctl(random, net.nodes(), 2)));
        let (f, g) = (inner(), inner());
        let p = Box::new(Formula::from(random::predicate(random, net.nodes(), 1)));
        let h = if random.percent(75) { p } else { g };
        let path = match kind / 2 {
            0 => Formula::Next(f),
            1 => Formula::Finally(f),
            2 => Formula::Globally(f),
            3 => Formula::Until(h, f),
            4 => Formula::Release(h, f),
            _ => Formula::WeakUntil(h, f),
        };
        let whole = match kind % 2 {
            0 => Formula::Exists(Box::new(path)),
            _ => Formula::ForAll(Box::new(path)),
        };
        let other = |random: &mut TestRng| Formula::from(random::nested_ctl(random, net.nodes(), 1));
        match random.below(6) {
            0 => Formula::And(vec![whole, other(random)]),
            1 => Formula::Or(vec![other(random), whole]),
            2 => whole.negate(),
            _ => whole,
        }
    }

    #[test]
    fn each_operator_has_the_value_of_the_reference() {
        let engine = InnerCheckEngine::new(&Options::default());
        let mut decided = [[0; 2]; 12];
        for seed in 0..1_800 {
            let mut random = TestRng::new(seed);
            let inhibitors = if seed.is_multiple_of(3) { 25 } else { 0 };
            let shape = NetShape { places: 4, transitions: 5, tokens: 2, inhibitors, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            let kind = seed as usize % 12;
            let queries = vec![query::ctl(formula(&mut random, &net, kind))];
            let model = Model::Plain(net);
            let expected = fireset_oracle::outcomes(&model, &queries, 100, &Budget::unlimited()).remove(0);
            if expected.is_open() || !engine.accepts(&model, &queries[0]) {
                continue;
            }
            let problem = Problem { model: model.into(), queries };
            let budget = Budget::unlimited().with_timeout(Duration::from_millis(200));
            engine.decide(&problem, &budget, &mut |_: usize, given: Outcome| {
                if !given.is_open() {
                    assert_eq!(given.verdict, expected.verdict, "seed {seed}: {problem:?}");
                    decided[kind][usize::from(given.verdict == Verdict::Holds)] += 1;
                }
            });
        }
        // `E` or `A` before X, F, G, U, R, W, and the value that an operand can show.
        let steps = decided[..2].iter().flatten().all(|&count| count > 10);
        let shown = [2, 3, 6, 7, 10, 11].iter().all(|&kind| decided[kind][1] > 10)
            && [4, 5, 8, 9].iter().all(|&kind| decided[kind][0] > 10);
        assert!(steps && shown, "{decided:?}");
    }
}
