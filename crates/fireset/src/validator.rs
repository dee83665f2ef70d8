//! The last gate of a verdict: its evidence is replayed on the net and the property as written.

use fireset_net::{Budget, Outcome, Problem, StopReason, Technique, replay};

pub(crate) struct Validator<'c> {
    pub(crate) problem: &'c Problem,
    pub(crate) budget: &'c Budget,
}

impl Validator<'_> {
    /// The outcome, if its evidence replays; otherwise an unknown outcome that says why not. A certificate that is too hard to
    /// check is dropped, and the verdict stays.
    pub(crate) fn validate(&self, at: usize, outcome: Outcome) -> Outcome {
        let (model, query) = (&self.problem.model, &self.problem.queries[at]);
        let outcome = Outcome { techniques: distinct(&outcome.techniques), ..outcome };
        let Some(evidence) = &outcome.evidence else { return outcome };
        match replay::confirm_within(model, query, &outcome.verdict, evidence, self.budget) {
            Ok(()) => outcome,
            Err(replay::Refusal::TooHard(_)) => Outcome { evidence: None, ..outcome },
            // The engine fired a smaller net, on which the counts fit.
            Err(refusal) if refusal.is_overflow() => {
                Outcome { statistics: outcome.statistics, ..Outcome::unknown(StopReason::Overflow) }
            }
            Err(refusal) => Outcome::unknown(StopReason::Fault(format!(
                "engine {}: its witness is refused: {}",
                outcome.statistics.engine,
                refusal.describe(model)
            ))),
        }
    }
}

/// Each technique once, in their order: a net may have been reduced several times.
pub(crate) fn distinct(techniques: &[Technique]) -> Vec<Technique> {
    let mut distinct = Vec::new();
    for &technique in techniques {
        if !distinct.contains(&technique) {
            distinct.push(technique);
        }
    }
    distinct
}
