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
//! Needs the complete graph with edges. Cost: edges times operators. Test: dualities and agreement with LTL,
//! invariants and reachability in `tests/reference/laws.rs`.

use super::{Answer, Explored, View, Watch, bits::Bits};
use crate::{Formula, Semantics, StopReason};

/// A CTL formula.
pub(super) struct Ctl(pub(super) Formula);

impl<S: Semantics> Watch<S> for Ctl {
    /// What speaks of the initial state only is decided there.
    fn visit(&mut self, view: &View<'_, S>) -> Option<Answer> {
        (view.at == 0 && self.0.is_state_predicate()).then(|| Answer::bare(view.holds(&self.0)))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<Answer, StopReason> {
        explored.graph.complete()?;
        let holds = satisfying(explored, &self.0)?.get(0);
        Ok(Answer::bare(holds))
    }
}

/// The states in which a CTL formula holds.
pub(super) fn satisfying<S: Semantics>(
    explored: &Explored<'_, S>,
    formula: &Formula,
) -> Result<Bits, StopReason> {
    let len = explored.graph.states().len();
    explored.check(len)?;
    if formula.is_state_predicate() {
        return Ok(explored.graph.satisfying(formula));
    }
    let sub = |f: &Formula| satisfying(explored, f);
    let all = || Bits::filled(len, true);
    match formula {
        Formula::Not(f) => Ok(sub(f)?.complement()),
        Formula::And(fs) => fs.iter().try_fold(all(), |set, f| Ok(set.and(&sub(f)?))),
        Formula::Or(fs) => fs.iter().try_fold(all().complement(), |set, f| Ok(set.or(&sub(f)?))),
        Formula::Iff(f, g) => Ok(sub(f)?.iff(&sub(g)?)),
        Formula::Exists(path) => Ok(match &**path {
            Formula::Next(f) => some_next(explored, &sub(f)?),
            Formula::Finally(f) => some_until(explored, &all(), sub(f)?),
            Formula::Globally(f) => some_globally(explored, sub(f)?),
            Formula::Until(f, g) => some_until(explored, &sub(f)?, sub(g)?),
            Formula::Release(f, g) => some_release(explored, sub(f)?, sub(g)?),
            Formula::WeakUntil(f, g) => {
                let f = sub(f)?;
                some_until(explored, &f, sub(g)?).or(&some_globally(explored, f))
            }
            _ => panic!("in CTL a temporal operator follows each quantifier"),
        }),
        Formula::ForAll(path) => Ok(match &**path {
            Formula::Next(f) => some_next(explored, &sub(f)?.complement()),
            Formula::Finally(f) => some_globally(explored, sub(f)?.complement()),
            Formula::Globally(f) => some_until(explored, &all(), sub(f)?.complement()),
            Formula::Until(f, g) => some_release(explored, sub(f)?.complement(), sub(g)?.complement()),
            Formula::Release(f, g) => some_until(explored, &sub(f)?.complement(), sub(g)?.complement()),
            Formula::WeakUntil(f, g) => {
                let no_g = sub(g)?.complement();
                let neither = sub(f)?.complement().and(&no_g);
                some_until(explored, &no_g, neither)
            }
            _ => panic!("in CTL a temporal operator follows each quantifier"),
        }
        .complement()),
        _ => panic!("in CTL a quantifier stands before each temporal operator"),
    }
}

/// `EX f`: some edge leads into `f`.
fn some_next<S: Semantics>(explored: &Explored<'_, S>, f: &Bits) -> Bits {
    let graph = explored.graph;
    Bits::collect(graph.states().len(), |state| graph.edges(state).iter().any(|e| f.get(e.target())))
}

/// `E[f U g]`: from `g` backwards through `f`.
fn some_until<S: Semantics>(explored: &Explored<'_, S>, f: &Bits, g: Bits) -> Bits {
    let reverse = explored.reverse();
    let mut open: Vec<u32> = g.iter().map(|state| state as u32).collect();
    let mut found = g;
    while let Some(state) = open.pop() {
        for &source in &reverse[state as usize] {
            if f.get(source as usize) && !found.get(source as usize) {
                found.insert(source as usize);
                open.push(source);
            }
        }
    }
    found
}

/// `EG f`: states leave the set when it has none of their successors left, unless they are deadlocks.
fn some_globally<S: Semantics>(explored: &Explored<'_, S>, f: Bits) -> Bits {
    let (graph, reverse) = (explored.graph, explored.reverse());
    let inside = |state: usize| graph.edges(state).iter().filter(|e| f.get(e.target())).count() as u32;
    let mut left: Vec<u32> =
        (0..graph.states().len()).map(|state| if f.get(state) { inside(state) } else { 0 }).collect();
    let ends = |state: usize, left: &[u32]| left[state] == 0 && !graph.is_deadlock(state);
    let mut leaving: Vec<u32> = f.iter().filter(|&s| ends(s, &left)).map(|s| s as u32).collect();
    let mut set = f;
    leaving.iter().for_each(|&state| set.remove(state as usize));
    while let Some(state) = leaving.pop() {
        for &source in &reverse[state as usize] {
            if set.get(source as usize) {
                left[source as usize] -= 1;
                if ends(source as usize, &left) {
                    set.remove(source as usize);
                    leaving.push(source);
                }
            }
        }
    }
    set
}

/// `E[f R g]`: `g` up to a state with both, or for ever.
fn some_release<S: Semantics>(explored: &Explored<'_, S>, f: Bits, g: Bits) -> Bits {
    let both = f.and(&g);
    some_until(explored, &g, both).or(&some_globally(explored, g))
}
