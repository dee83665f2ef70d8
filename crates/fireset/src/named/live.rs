//! The middle levels of liveness: for each number some run fires a transition so often (L2), and some run fires it infinitely often (L3).
//!
//! Source: Murata, "Petri nets: properties, analysis and applications" (1989), section IV C. L3 implies L2.
//! * Both hold if a run that fires the transition leads back to a marking or to a larger one (Karp and Miller 1969).
//! * Both fail if a weighting of places is decreased by each firing of it and increased by none ([`NamedCheck::cannot_repeat`]).
//! * L3 is asked as `E G F firing` of the net in which the firing takes two steps, begin and end, with a place `firing` in between. Other
//!   transitions read a place that the begin empties and the end fills, so that they wait, and the runs of both nets are the same.
//! * L2 without L3 is the bound of a place that each firing adds a token to: it is infinite exactly if L2 holds.
//!
//! Needs: a place/transition net. Invariant: markings of the longer net with `firing` empty are those of the net.

use std::sync::Arc;

use fireset_engine::self_covering_lasso;
use fireset_net::{
    BuildError, Comparison, Count, Evidence, Expr, Formula, Lasso, LivenessLevel, Logic, Model,
    NamedProperty, Net, Outcome, PlaceId, Query, Step, StopReason, Technique, TransitionId, Verdict, replay,
};

use super::{DecidedProperty, NamedCheck, NetCopy, at_once};
use crate::Timeline;

impl NamedCheck<'_> {
    pub(super) fn live_at_once(&self, net: &Net, transitions: &[TransitionId]) -> Option<Outcome> {
        if transitions.is_empty() || self.cannot_repeat(net, transitions) {
            return Some(at_once(Verdict::Fails, Technique::StateEquation));
        }
        let lasso = self_covering_lasso(net, self.budget)?;
        let property = NamedProperty::Live(transitions.to_vec(), LivenessLevel::L3);
        self.shown(property, Verdict::Holds, Evidence::Lasso(lasso))
    }

    pub(super) fn live(&self, transitions: &[TransitionId], level: LivenessLevel) -> DecidedProperty {
        let unknown = |reason| (Outcome::unknown(reason), Timeline::default());
        let Model::Plain(net) = &**self.model else { return unknown(StopReason::NoEngine) };
        let Ok(longer) = LongerFirings::new(net, transitions) else { return unknown(StopReason::Overflow) };
        let third = self.infinitely_often(transitions, &longer);
        match (level, &third.0.verdict) {
            (LivenessLevel::L2, Verdict::Fails) => self.arbitrarily_often(net, transitions),
            _ => third,
        }
    }

    fn shows_repetition(&self, transitions: &[TransitionId], evidence: &Evidence) -> bool {
        let query = Query::Named(NamedProperty::Live(transitions.to_vec(), LivenessLevel::L3));
        replay::confirm(self.model, &query, &Verdict::Holds, evidence).is_ok()
    }

    fn infinitely_often(&self, transitions: &[TransitionId], longer: &LongerFirings) -> DecidedProperty {
        let firing = Formula::Compare(
            Comparison::GreaterEqual,
            Expr::Tokens(longer.firing.clone()),
            Expr::Constant(1),
        );
        let again = Formula::Globally(Box::new(Formula::Finally(Box::new(firing))));
        let query = Query::classify(&Formula::Exists(Box::new(again)), Logic::Ltl).expect("an LTL formula");
        let mut report = self.ask(&longer.model, vec![query], |_, _| false);
        let mut outcome = report.outcomes.swap_remove(0);
        if let Some(Evidence::Lasso(lasso)) = outcome.evidence.take() {
            let evidence = Evidence::Lasso(longer.shortened(lasso));
            outcome.evidence = Some(evidence).filter(|evidence| self.shows_repetition(transitions, evidence));
        }
        (outcome, report.timelines.swap_remove(0))
    }

    fn arbitrarily_often(&self, net: &Net, transitions: &[TransitionId]) -> DecidedProperty {
        let Ok((model, counter)) = counting(net, transitions) else {
            return (Outcome::unknown(StopReason::Overflow), Timeline::default());
        };
        let mut report = self.ask(&model, vec![Query::Bound(vec![counter])], |_, _| false);
        let outcome = report.outcomes.swap_remove(0);
        let verdict = match &outcome.verdict {
            Verdict::Bound(count) => (*count == Count::Infinite).into(),
            other => other.clone(),
        };
        (Outcome { verdict, evidence: None, ..outcome }, report.timelines.swap_remove(0))
    }
}

/// The net with a place that counts the firings of some transitions.
fn counting(net: &Net, transitions: &[TransitionId]) -> Result<(Arc<Model>, PlaceId), BuildError> {
    let mut copy = NetCopy::of(net, net.initial_marking())?;
    let counter = copy.place(0)?;
    transitions.iter().for_each(|&t| copy.builder.output(t, counter, 1));
    Ok((Arc::new(Model::Plain(copy.builder.build()?)), counter))
}

/// The net in which the firings of some transitions take two steps.
struct LongerFirings {
    model: Arc<Model>,
    /// The places between the two steps.
    firing: Vec<PlaceId>,
    /// The transitions of the net, which come first, and then the second steps.
    transitions: usize,
}

impl LongerFirings {
    fn new(net: &Net, long: &[TransitionId]) -> Result<Self, BuildError> {
        let mut copy = NetCopy::places(net, net.initial_marking())?;
        let idle = copy.place(1)?;
        for t in net.nodes().transition_ids() {
            let own = copy.transition()?;
            copy.takes(net, t, own);
            copy.builder.input(idle, own, 1);
            if !long.contains(&t) {
                copy.gives(net, t, own);
                copy.builder.output(own, idle, 1);
            }
        }
        let mut firing = Vec::new();
        let mut begun: Vec<TransitionId> = long.to_vec();
        begun.sort_unstable();
        begun.dedup();
        for t in begun {
            let (between, end) = (copy.place(0)?, copy.transition()?);
            copy.builder.output(t, between, 1);
            copy.builder.input(between, end, 1);
            copy.gives(net, t, end);
            copy.builder.output(end, idle, 1);
            firing.push(between);
        }
        let model = Arc::new(Model::Plain(copy.builder.build()?));
        Ok(Self { model, firing, transitions: net.nodes().transitions.len() })
    }

    /// The run of the net: first steps stand for whole firings. A cycle that begins between the two steps of a firing ends there too.
    fn shortened(&self, lasso: Lasso) -> Lasso {
        let firings = |steps: Vec<Step>| {
            steps.into_iter().filter(|step| step.transition.index() < self.transitions).collect()
        };
        Lasso { prefix: firings(lasso.prefix), cycle: firings(lasso.cycle) }
    }
}
