//! Termination: every run is finite.
//!
//! A net whose runs are finite has finitely many of them, because each marking has finitely many steps (König's lemma), so it is bounded.
//! It terminates at once if no firing counts leave every place with at least as many tokens as before, since an infinite run has two
//! markings of which the later is nowhere smaller (Dickson's lemma). Otherwise it terminates exactly when every maximal run comes to a
//! deadlock, `A F deadlock`, and does not if some place is unbounded; whichever is known first decides.

use std::time::Duration;

use fireset_engine::self_covering_lasso;
use fireset_net::{
    Count, Evidence, Formula, Logic, NamedProperty, Net, Outcome, PlaceId, Query, Technique, TransitionId,
    Verdict,
};
use fireset_structure::StateEquation;

use super::{DecidedProperty, NamedCheck, at_once};

/// The most time of the proof by firing counts, and the share of the remaining time that it may have.
const MAX_TIME: Duration = Duration::from_secs(2);
const TIME_SHARE: u32 = 6;

impl NamedCheck<'_> {
    pub(super) fn terminating_at_once(&self, net: &Net) -> Option<Outcome> {
        let all: Vec<TransitionId> = net.nodes().transition_ids().collect();
        if self.cannot_repeat(net, &all) {
            return Some(at_once(Verdict::Holds, Technique::StateEquation));
        }
        let lasso = self_covering_lasso(net, self.budget)?;
        self.shown(NamedProperty::Terminating, Verdict::Fails, Evidence::Lasso(lasso))
    }

    pub(super) fn terminating(&self) -> DecidedProperty {
        let ends = Formula::ForAll(Box::new(Formula::Finally(Box::new(Formula::Deadlock))));
        let ends = Query::classify(&ends, Logic::Ltl).expect("an LTL formula");
        let places: Vec<PlaceId> = self.model.nodes().place_ids().collect();
        let is_infinite = |verdict: &Verdict| *verdict == Verdict::Bound(Count::Infinite);
        let decides = |at: usize, verdict: &Verdict| match at {
            0 => !matches!(verdict, Verdict::Unknown(_)),
            _ => is_infinite(verdict),
        };
        let report = self.ask(self.model, vec![ends, Query::Bound(places)], decides);
        let [run, bound] = &report.outcomes[..] else { unreachable!("two queries are asked") };
        let [run_timeline, bound_timeline] = &report.timelines[..] else { unreachable!("two queries") };
        if run.is_open() && is_infinite(&bound.verdict) {
            let outcome = Outcome { verdict: Verdict::Fails, evidence: None, ..bound.clone() };
            return (outcome, bound_timeline.clone());
        }
        // A lasso without a cycle ends in a deadlock, and is no evidence of an infinite run.
        (Outcome { evidence: run.evidence.clone(), ..run.clone() }, run_timeline.clone())
    }

    /// Whether it is proven that some weighting of places is not increased by any firing and decreased by each of these, so that
    /// they fire no more often than the weight of the initial marking allows.
    pub(super) fn cannot_repeat(&self, net: &Net, transitions: &[TransitionId]) -> bool {
        let Some(equation) = StateEquation::of(net) else { return false };
        let time = self.budget.time_left().map_or(MAX_TIME, |left| MAX_TIME.min(left / TIME_SHARE));
        equation.grant(time);
        !transitions.is_empty() && equation.cannot_repeat(&[transitions.to_vec()])
    }
}
