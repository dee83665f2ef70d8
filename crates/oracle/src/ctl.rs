//! CTL by fixpoints over sets of states.
//!
//! Why: the textbook method, one set a subformula. Source: Clarke, Emerson and Sistla, "Automatic Verification
//! of Finite-State Concurrent Systems" (1986), here over maximal paths: a run that ends in a deadlock is a path.
//! There EX is false and EG f is f. `EX`, `EU` and `EG` are computed; all others are defined by them:
//!
//! | form | as |
//! |---|---|
//! | `A[f U g]` | `!(E[!g U !f & !g] \| EG !g)` |
//! | `E[f R g]` | `E[g U f & g] \| EG g` |
//! | `A[f R g]` | `!E[!f U !g]` |
//! | `E[f W g]` | `E[f U g] \| EG f` |
//! | `A[f W g]` | `!E[!g U !f & !g]` |
//!
//! Needs the complete graph with edges. Cost: edges times operators, for `EG` times the out-degree. Test: dualities and agreement with LTL,
//! invariants and reachability in `tests/reference/laws.rs`.

use fireset_net::{
    BoolTree, CtlAtom, CtlFormula, Quantifier, Semantics, StopReason, Temporal, reachability::StateView,
};

use crate::decide::{Explored, OpenQuery, OracleAnswer};

pub(super) struct CtlQuery(pub(super) CtlFormula);

impl<S: Semantics> OpenQuery<S> for CtlQuery {
    /// What speaks of the initial state only is decided there.
    fn visit(&mut self, view: &StateView<'_, S>) -> Option<OracleAnswer> {
        let predicate = self.0.as_state().filter(|_| view.at == 0)?;
        Some(OracleAnswer::bare(view.holds(predicate)))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        explored.graph.complete()?;
        let holds = satisfying(explored, &self.0)?[0];
        Ok(OracleAnswer::bare(holds))
    }
}

/// For each state whether a CTL formula holds there.
pub(super) fn satisfying<S: Semantics>(
    explored: &Explored<'_, S>,
    formula: &CtlFormula,
) -> Result<Vec<bool>, StopReason> {
    let len = explored.graph.states().len();
    explored.check(len)?;
    let sub = |f: &CtlFormula| satisfying(explored, f);
    let (all, none) = (|| vec![true; len], || vec![false; len]);
    Ok(match formula {
        BoolTree::Constant(value) => vec![*value; len],
        BoolTree::Not(f) => not(sub(f)?),
        BoolTree::And(fs) => fs.iter().try_fold(all(), |set, f| Ok(join(&set, &sub(f)?, |a, b| a && b)))?,
        BoolTree::Or(fs) => fs.iter().try_fold(none(), |set, f| Ok(join(&set, &sub(f)?, |a, b| a || b)))?,
        BoolTree::Iff(sides) => join(&sub(&sides.0)?, &sub(&sides.1)?, |a, b| a == b),
        BoolTree::Atom(CtlAtom::State(predicate)) => explored.graph.satisfying(predicate),
        BoolTree::Atom(CtlAtom::Temporal(Quantifier::Exists, operator)) => match &**operator {
            Temporal::Next(f) => some_next(explored, &sub(f)?),
            Temporal::Finally(f) => some_until(explored, &all(), sub(f)?),
            Temporal::Globally(f) => some_globally(explored, sub(f)?),
            Temporal::Until(f, g) => some_until(explored, &sub(f)?, sub(g)?),
            Temporal::Release(f, g) => some_release(explored, &sub(f)?, sub(g)?),
            Temporal::WeakUntil(f, g) => {
                let f = sub(f)?;
                let until = some_until(explored, &f, sub(g)?);
                join(&until, &some_globally(explored, f), |a, b| a || b)
            }
        },
        BoolTree::Atom(CtlAtom::Temporal(Quantifier::ForAll, operator)) => not(match &**operator {
            Temporal::Next(f) => some_next(explored, &not(sub(f)?)),
            Temporal::Finally(f) => some_globally(explored, not(sub(f)?)),
            Temporal::Globally(f) => some_until(explored, &all(), not(sub(f)?)),
            Temporal::Until(f, g) => some_release(explored, &not(sub(f)?), not(sub(g)?)),
            Temporal::Release(f, g) => some_until(explored, &not(sub(f)?), not(sub(g)?)),
            Temporal::WeakUntil(f, g) => {
                let no_g = not(sub(g)?);
                let neither = join(&sub(f)?, &no_g, |f, no_g| !f && no_g);
                some_until(explored, &no_g, neither)
            }
        }),
    })
}

fn not(set: Vec<bool>) -> Vec<bool> {
    set.into_iter().map(|is_in| !is_in).collect()
}

fn join(a: &[bool], b: &[bool], join: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    a.iter().zip(b).map(|(&a, &b)| join(a, b)).collect()
}

/// The numbers of the states in a set.
fn members(set: &[bool]) -> Vec<usize> {
    (0..set.len()).filter(|&state| set[state]).collect()
}

/// `EX f`: some edge leads into `f`.
fn some_next<S: Semantics>(explored: &Explored<'_, S>, f: &[bool]) -> Vec<bool> {
    let graph = explored.graph;
    (0..f.len()).map(|state| graph.edges(state).iter().any(|e| f[e.target()])).collect()
}

/// `E[f U g]`: from `g` backwards through `f`.
fn some_until<S: Semantics>(explored: &Explored<'_, S>, f: &[bool], g: Vec<bool>) -> Vec<bool> {
    let reverse = explored.reverse();
    let mut open = members(&g);
    let mut found = g;
    while let Some(state) = open.pop() {
        for source in reverse[state].iter().map(|&source| source as usize) {
            if f[source] && !found[source] {
                found[source] = true;
                open.push(source);
            }
        }
    }
    found
}

/// `EG f`: a state leaves the set when none of its successors is left in it, unless it is a deadlock.
fn some_globally<S: Semantics>(explored: &Explored<'_, S>, f: Vec<bool>) -> Vec<bool> {
    let (graph, reverse) = (explored.graph, explored.reverse());
    let mut set = f;
    let stays = |set: &[bool], state: usize| {
        graph.is_deadlock(state) || graph.edges(state).iter().any(|e| set[e.target()])
    };
    let mut open = members(&set);
    while let Some(state) = open.pop() {
        if set[state] && !stays(&set, state) {
            set[state] = false;
            open.extend(reverse[state].iter().map(|&source| source as usize));
        }
    }
    set
}

/// `E[f R g]`: `g` up to a state with both, or for ever.
fn some_release<S: Semantics>(explored: &Explored<'_, S>, f: &[bool], g: Vec<bool>) -> Vec<bool> {
    let both = join(f, &g, |f, g| f && g);
    let until = some_until(explored, &g, both);
    join(&until, &some_globally(explored, g), |a, b| a || b)
}
