//! Brings the evidence of a simplified query back to the query as it was asked.
//!
//! Why: `A G p` and `E F p` in LTL become reachability queries, whose evidence is a finite run, while
//! `fireset_net::replay` wants an infinite one for an LTL query. Any infinite run that goes on from the finite one
//! shows the same, so it is made longer: always the first step that is enabled, until a marking comes again or
//! nothing is enabled; and always the last one where the first leads nowhere. Since each marking has one successor
//! that way, Brent's search for a cycle ("An improved Monte Carlo factorization algorithm", 1980) finds the
//! repetition with two markings in memory.
//! Test: `tests/simplify.rs` replays every lifted witness; unit tests below.

use fireset_net::{Evidence, Formula, Lasso, Model, Outcome, Query, Semantics, Step, replay};

/// Steps that a finite run is made longer by, in each of the two ways.
const MAX_STEPS: u64 = 10_000;
/// Transitions that may be tested for it, and bindings, which take longer: a fraction of a second.
const MAX_TESTS: u64 = 10_000_000;
const MAX_BINDINGS: u64 = 500_000;

/// The outcome of a simplified query as an outcome of `original`. Where a finite run cannot be made infinite within
/// 10,000 steps, or a run shows nothing of a CTL formula, the verdict stays and its evidence is dropped.
pub fn lift(original: &Query, model: &Model, outcome: Outcome) -> Outcome {
    let evidence = match (original, outcome.evidence) {
        (Query::Ltl(..), Some(Evidence::Trace(trace))) => match model {
            Model::Plain(net) => {
                prolong(net, trace.0, MAX_TESTS / net.nodes().transitions.len().max(1) as u64)
            }
            Model::Colored(net) => {
                let bindings = net.nodes().transition_ids().map(|t| net.binding_count(t));
                prolong(net, trace.0, MAX_BINDINGS / bindings.fold(1, u64::saturating_add))
            }
        }
        .map(Evidence::Lasso),
        // Which runs show something of a CTL formula, only the replay knows.
        (Query::Ctl(formula), Some(evidence)) => {
            let mut runs = evidence.branching();
            // What is claimed of formulas that were not asked helps nobody.
            runs.claims.retain(|claim| occurs(&claim.formula, formula));
            let evidence = Evidence::Branching(runs);
            replay::confirm(model, original, &outcome.verdict, &evidence).is_ok().then_some(evidence)
        }
        (_, evidence) => evidence,
    };
    Outcome { evidence, ..outcome }
}

/// Whether a formula is part of another one.
fn occurs(part: &Formula, whole: &Formula) -> bool {
    part == whole || whole.children().any(|child| occurs(part, child))
}

/// Which of the enabled steps is taken.
#[derive(Clone, Copy)]
enum Pick {
    First,
    Last,
}

/// An infinite run that begins with `steps` and takes at most so many more; `None` when they are no run of the net or it takes too long.
fn prolong<S: Semantics>(net: &S, steps: Vec<Step>, most: u64) -> Option<Lasso> {
    let most = most.min(MAX_STEPS);
    let end = replay::states(net, &steps).ok()?.pop()?;
    [Pick::First, Pick::Last].into_iter().find_map(|pick| walk(net, (steps.clone(), end.clone()), pick, most))
}

/// A run, given with its last state, continued by at most so many steps that are picked.
fn walk<S: Semantics>(
    net: &S,
    (mut run, mut state): (Vec<Step>, S::State),
    pick: Pick,
    most: u64,
) -> Option<Lasso> {
    let (mut kept, mut kept_at) = (state.clone(), run.len());
    let mut power = 1;
    for _ in 0..most {
        let mut steps = net.steps(&state).into_iter();
        let step = match pick {
            Pick::First => steps.next(),
            Pick::Last => steps.next_back(),
        };
        let Some(step) = step else { return Some(Lasso { prefix: run, cycle: Vec::new() }) };
        state = net.fire(&state, &step).ok()?;
        run.push(step);
        if state == kept {
            let cycle = run.split_off(kept_at);
            return Some(Lasso { prefix: run, cycle });
        }
        if run.len() - kept_at == power {
            (kept, kept_at) = (state.clone(), run.len());
            power *= 2;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use fireset_net::{Statistics, Trace, Verdict, tiny};

    use super::*;

    fn lifted(net: &str) -> Option<Evidence> {
        let model = Model::Plain(tiny::net(net));
        let query = Query::Ltl(fireset_net::Quantifier::ForAll, Formula::Constant(false));
        let outcome = Outcome {
            verdict: Verdict::Fails,
            evidence: Some(Evidence::Trace(Trace::default())),
            techniques: Vec::new(),
            statistics: Statistics::default(),
        };
        let lifted = lift(&query, &model, outcome);
        assert_eq!(lifted.verdict, Verdict::Fails);
        if let Some(evidence) = &lifted.evidence {
            assert_eq!(replay::confirm(&model, &query, &lifted.verdict, evidence), Ok(()));
        }
        lifted.evidence
    }

    #[test]
    fn runs_end_in_a_cycle_or_a_deadlock() {
        assert!(matches!(lifted("p:3 q; t: p -> q"), Some(Evidence::Lasso(l)) if l.cycle.is_empty()));
        let ring = lifted("o:1 p q r; s: o -> p; t: p -> q; u: q -> r; v: r -> p");
        assert!(matches!(ring, Some(Evidence::Lasso(l)) if l.cycle.len() == 3));
    }

    #[test]
    fn a_growing_net_loses_its_evidence() {
        assert_eq!(lifted("p; t: -> p"), None);
        assert!(lifted("p q:1 r; t: -> p; u: q -> r; v: r -> q").is_some(), "the last step leads to a cycle");
    }
}
