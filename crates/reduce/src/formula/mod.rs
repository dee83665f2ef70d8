//! Makes queries smaller: normal form, subformulas that are always true or false, rules, and the initial marking.
//!
//! Why: what is decided here needs no search, and what is smaller needs a smaller automaton. See [`atoms`] and
//! `equation` for what is decided and [`rewrite`] for what is rewritten; [`Simplifier`] puts them together.
//!
//! Verdicts never change. Evidence: a simplified query has the same truth on every run of the net, so a lasso of the
//! one is a lasso of the other, and so is a trace of a reachability query. The *kind* of evidence changes where
//! `A G p` becomes an invariant and `E F p` a reachable predicate: their traces are brought back by [`lift`()].
//! `E G p` and `A F p` stay LTL, because a trace shows nothing there. A query that is decided here is still a query
//! (over a constant), and an engine may answer it with or without evidence: any run of the net will do.
//! Test: `tests/simplify.rs`, against the reference checker.

pub mod atoms;
mod classes;
mod equation;
mod implies;
mod lift;
pub mod normal;
mod pass;
pub mod rewrite;
mod share;

use std::time::Duration;

use fireset_net::{Formula, Logic, Model, Net, Quantifier, Query, Semantics, replay};

pub use lift::lift;
pub use pass::Simplify;

use crate::Proven;
use share::Share;

/// What is known of a net, to simplify its queries with. Made once, because the search for invariants takes a while.
#[derive(Debug)]
pub struct Simplifier<'a> {
    model: Start<'a>,
    proven: Proven<'a>,
    share: Share,
}

/// The time that the state equation may take for all formulas, unless said otherwise.
const TIME: Duration = Duration::from_secs(10);
/// Formulas that share it, unless said otherwise.
const FORMULAS: usize = 16;

/// Where the initial marking is looked up.
#[derive(Clone, Copy, Debug)]
enum Start<'a> {
    Plain(&'a Net),
    Colored(&'a fireset_net::colored::ColoredNet),
}

/// Simplifies one query; with several queries, keep a [`Simplifier`].
///
/// ```
/// use fireset_net::{Comparison, Expr, Formula, Quantifier, Query, PlaceId, tiny};
/// let net = tiny::net("p:1 q; t: p -> q; u: q -> p");
/// let both = Expr::Tokens(vec![PlaceId::new(0), PlaceId::new(1)]);
/// let one = Formula::Compare(Comparison::LessEqual, both, Expr::Constant(1));
/// let query = Query::Ltl(Quantifier::ForAll, Formula::Finally(Box::new(Formula::Globally(Box::new(one)))));
/// let decided = Query::Ltl(Quantifier::ForAll, Formula::Constant(true));
/// assert_eq!(fireset_reduce::simplify(&net, &query), decided);
/// ```
pub fn simplify(net: &Net, query: &Query) -> Query {
    Simplifier::new(net).query(query)
}

impl<'a> Simplifier<'a> {
    /// For the queries of a place/transition net.
    pub fn new(net: &'a Net) -> Self {
        Self::with(Start::Plain(net), Proven::of(net))
    }

    /// For the queries of either kind of net. On a coloured net nothing is known but that counts are not negative.
    pub fn for_model(model: &'a Model) -> Self {
        match model {
            Model::Plain(net) => Self::new(net),
            Model::Colored(net) => Self::with(Start::Colored(net), Proven::little(model)),
        }
    }

    fn with(model: Start<'a>, proven: Proven<'a>) -> Self {
        Self { model, proven, share: Share::of(TIME, FORMULAS) }
    }

    /// The same, but the state equation may take this time for so many formulas.
    #[must_use]
    pub fn within(self, time: Duration, formulas: usize) -> Self {
        Self { share: Share::of(time, formulas), ..self }
    }

    /// The same query, smaller where that is possible; CTL, bounds and global properties stay as they are. Most path
    /// formulas come back in normal form, but not those whose equivalences would double.
    pub fn query(&self, query: &Query) -> Query {
        match query {
            Query::Reachable(p) if self.initially(p) == Some(true) => {
                Query::Reachable(Formula::Constant(true))
            }
            Query::Reachable(p) => Query::Reachable(self.formula(p)),
            Query::Invariant(p) if self.initially(p) == Some(false) => {
                Query::Invariant(Formula::Constant(false))
            }
            Query::Invariant(p) => Query::Invariant(self.formula(p)),
            Query::Ltl(quantifier, path) => {
                let path = self.started(self.formula(path));
                match (quantifier, path) {
                    (Quantifier::ForAll, Formula::Globally(p)) if p.is_state_predicate() => {
                        Query::Invariant(*p)
                    }
                    (Quantifier::Exists, Formula::Finally(p)) if p.is_state_predicate() => {
                        Query::Reachable(*p)
                    }
                    (_, path) => Query::Ltl(*quantifier, path),
                }
            }
            Query::Ctl(_) | Query::Bound(_) | Query::Global(_) => query.clone(),
        }
    }

    /// A formula that has the same value on every run, at every position.
    fn formula(&self, formula: &Formula) -> Formula {
        smaller(self.decide(formula.clone(), Logic::Ltl))
    }

    /// A formula that has the same value in every reachable marking, and on every run: what place invariants and the
    /// state equation decide is replaced by constants. `logic` says how the formula is read.
    pub fn decide(&self, formula: Formula, logic: Logic) -> Formula {
        let formula = atoms::decide_atoms(formula, &self.proven);
        let Some(equation) = self.proven.equation() else { return formula };
        self.share.take(|time| {
            equation.grant(time);
            equation::decide(formula, logic, equation)
        })
    }

    /// A formula that has the same value at the start of every run: state predicates outside of temporal operators
    /// speak of the initial marking.
    fn started(&self, path: Formula) -> Formula {
        let started = self.start(&path);
        if started == path { path } else { smaller(started) }
    }

    fn start(&self, path: &Formula) -> Formula {
        match (self.at_start(path), path) {
            (Some(value), _) => Formula::Constant(value),
            (_, Formula::And(fs)) => Formula::And(fs.iter().map(|f| self.start(f)).collect()),
            (_, Formula::Or(fs)) => Formula::Or(fs.iter().map(|f| self.start(f)).collect()),
            _ => path.clone(),
        }
    }

    /// The value of a path formula at the start of all runs, where the initial marking alone tells.
    fn at_start(&self, path: &Formula) -> Option<bool> {
        if path.is_state_predicate() {
            return self.initially(path);
        }
        let value = |f: &Formula| self.at_start(f);
        match path {
            Formula::Not(f) => value(f).map(|v| !v),
            Formula::And(fs) => decided(fs.iter().map(value), false),
            Formula::Or(fs) => decided(fs.iter().map(value), true),
            Formula::Finally(f) => value(f).filter(|&v| v),
            Formula::Globally(f) => value(f).filter(|&v| !v),
            Formula::Until(f, g) | Formula::WeakUntil(f, g) => match value(g) {
                Some(false) => value(f).filter(|&v| !v),
                known => known,
            },
            Formula::Release(f, g) => match value(g) {
                Some(true) => value(f).filter(|&v| v),
                known => known,
            },
            _ => None,
        }
    }

    /// The value of a state predicate in the initial marking. On a coloured net the bindings may be too many to try.
    fn initially(&self, predicate: &Formula) -> Option<bool> {
        match self.model {
            Start::Plain(net) => Some(replay::holds_in(net, &net.initial(), predicate)),
            Start::Colored(net) => {
                let needs_steps = predicate.any(&|f| matches!(f, Formula::Deadlock | Formula::Fireable(_)));
                (!needs_steps).then(|| replay::holds_in(net, &net.initial(), predicate))
            }
        }
    }
}

/// A formula by the rules. Where its normal form needs more temporal operators than they save (an equivalence of
/// path formulas is spelled out there), its operands get smaller, each for itself.
fn smaller(formula: Formula) -> Formula {
    let whole = |formula: &Formula| {
        let most = rewrite::size(formula).0;
        normal::normal(formula).map(rewrite::rewrite).filter(|f| rewrite::size(f).0 <= most)
    };
    if let Some(found) = whole(&formula) {
        return found;
    }
    let by_parts = formula.clone().map_children(&mut smaller);
    if by_parts == formula { formula } else { whole(&by_parts).unwrap_or(by_parts) }
}

/// The value of a conjunction (`absorbing` is false) or a disjunction (`absorbing` is true) of which some operands are
/// known.
fn decided(operands: impl Iterator<Item = Option<bool>>, absorbing: bool) -> Option<bool> {
    let mut all_known = true;
    for operand in operands {
        match operand {
            Some(value) if value == absorbing => return Some(absorbing),
            Some(_) => {}
            None => all_known = false,
        }
    }
    all_known.then_some(!absorbing)
}
