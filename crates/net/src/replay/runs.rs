//! Formulas about steps and the past, and fairness, on the infinite run of a lasso.
//!
//! A past operator sees a different past each time that the cycle comes round. After as many rounds as past operators stand
//! inside each other its value is that of the round before (Laroussinie, Markey and Schnoebelen, "Temporal logic with
//! forgettable past", LICS 2002, Lemma 3.2), so the lasso is unrolled that often. Test: `crates/oracle/tests/reference`.

use super::{PeriodicWord, Refusal, holds_in, lasso_states, word};
use crate::{BoolTree, Fairness, FairnessMet, Lasso, RunAtom, RunFormula, Semantics};

/// Whether a formula holds on the infinite run of a lasso, which must be one of the net.
pub fn run_satisfies<S: Semantics>(net: &S, lasso: &Lasso, formula: &RunFormula) -> Result<bool, Refusal> {
    let (run, prefix) = (lasso_states(net, lasso)?, lasso.prefix.len());
    let period = run.len() - prefix;
    let back_to = prefix + formula.past_depth() * period;
    let word = PeriodicWord { length: back_to + period, back_to };
    // The position on the lasso of a position on the unrolled one.
    let folded = |at: usize| if at < prefix { at } else { prefix + (at - prefix) % period };
    let steps: Vec<_> = lasso.prefix.iter().chain(&lasso.cycle).collect();
    let atom = |at: usize, leaf: &RunAtom| match leaf {
        RunAtom::State(predicate) => holds_in(net, &run[folded(at)], predicate),
        // A deadlock has no step.
        RunAtom::Fired(set) => steps.get(folded(at)).is_some_and(|step| set.contains(step)),
        RunAtom::Temporal(_) | RunAtom::Past(_) => unreachable!("an operator is no leaf"),
    };
    Ok(values(formula, word, &atom)[0])
}

fn values(formula: &RunFormula, word: PeriodicWord, atom: &impl Fn(usize, &RunAtom) -> bool) -> Vec<bool> {
    let sub = |f: &RunFormula| values(f, word, atom);
    match formula {
        BoolTree::Constant(value) => word.always(*value),
        BoolTree::Not(f) => word::negated(sub(f)),
        BoolTree::And(fs) => word.all(fs.iter().map(sub)),
        BoolTree::Or(fs) => word.any(fs.iter().map(sub)),
        BoolTree::Iff(sides) => word::pairwise(sub(&sides.0), sub(&sides.1), |a, b| a == b),
        BoolTree::Atom(RunAtom::Temporal(operator)) => word.temporal(operator.map(&mut |f| sub(f))),
        BoolTree::Atom(RunAtom::Past(operator)) => word.past(operator.map(&mut |f| sub(f))),
        BoolTree::Atom(leaf) => (0..word.length).map(|at| atom(at, leaf)).collect(),
    }
}

/// How the run of a lasso, which must be one of the net, meets each of the assumptions; `None` where it does not.
pub fn fairness_met<S: Semantics>(
    net: &S,
    lasso: &Lasso,
    fairness: &Fairness,
) -> Result<Vec<Option<FairnessMet>>, Refusal> {
    let run = lasso_states(net, lasso)?;
    let cycle = &run[lasso.prefix.len()..];
    let met = fairness.groups(net.as_ref()).into_iter().map(|group| {
        let enabled = group.steps.enabled();
        group.met_by(&lasso.cycle, |at| holds_in(net, &cycle[at], &enabled))
    });
    Ok(met.collect())
}
