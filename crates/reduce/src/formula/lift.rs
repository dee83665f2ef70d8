//! Brings the evidence of a simplified query back to the query as it was asked.
//!
//! Why: `A G p` and `E F p` in LTL become reachability queries, whose evidence is a finite run, while
//! `fireset_net::replay` wants an infinite one for an LTL query. Any infinite run that goes on from the finite one
//! shows the same, so it is extended to a lasso (`lasso_extension`).
//! Test: `tests/simplify.rs` replays every lifted witness; unit tests below.

use fireset_net::{Evidence, Formula, Model, Outcome, Query, replay};

use crate::lasso_extension::{extend_coloured_to_lasso, extend_to_lasso};

/// The outcome of a simplified query as an outcome of `original`. Where a finite run cannot be made infinite within
/// 10,000 steps, or a run shows nothing of a CTL formula, the verdict stays and its evidence is dropped.
pub fn lift(original: &Query, model: &Model, outcome: Outcome) -> Outcome {
    let evidence = match (original, outcome.evidence) {
        (Query::Ltl(..), Some(Evidence::Trace(trace))) => match model {
            Model::Plain(net) => extend_to_lasso(net, trace.0),
            Model::Coloured(net) => extend_coloured_to_lasso(net, trace.0),
        }
        .map(Evidence::Lasso),
        // A certificate may be about the smaller formula only.
        (_, Some(evidence @ Evidence::Certificate(_))) => {
            replay::confirm(model, original, &outcome.verdict, &evidence).is_ok().then_some(evidence)
        }
        // Which runs show something of a CTL formula, only the replay knows.
        (Query::Ctl(formula), Some(evidence)) => {
            let mut runs = evidence.branching();
            // Claims about formulas that are no part of the query show nothing of it.
            let formula = formula.into();
            runs.claims.retain(|claim| occurs(&claim.formula, &formula));
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

#[cfg(test)]
mod tests {
    use fireset_net::{Quantifier, StatePredicate, Statistics, Trace, Verdict};
    use fireset_oracle::tiny;

    use super::*;

    fn lifted(net: &str) -> Option<Evidence> {
        let model = Model::Plain(tiny::net(net));
        let query = Query::Ltl(Quantifier::ForAll, StatePredicate::Constant(false).into());
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
