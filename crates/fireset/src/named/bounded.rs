//! Boundedness: each of some places has a largest number of tokens.
//!
//! A run that leads to a marking and on to a larger one can be repeated for ever, so a place that gains tokens in between is unbounded
//! (Karp and Miller, "Parallel program schemata", 1969). A place is bounded if it has a positive weight in a weighting of places that no
//! firing increases, such as a P-semiflow (Murata 1989, section VIII). The bounds of the other places are asked; the first that is infinite decides, and it takes all of them to show that the net is bounded.

use fireset_engine::self_covering_lasso;
use fireset_net::{
    BuildError, Count, Evidence, Model, NamedProperty, Net, Outcome, PlaceId, Query, Technique, Verdict,
};
use fireset_structure::NetStructure;

use super::{DecidedProperty, NamedCheck, NetCopy, at_once};
use crate::Timeline;

impl NamedCheck<'_> {
    pub(super) fn bounded_at_once(&self, net: &Net, places: &[PlaceId]) -> Option<Outcome> {
        if let Some(lasso) = self_covering_lasso(net, self.budget) {
            let property = NamedProperty::Bounded(places.to_vec());
            let unbounded = self.shown(property, Verdict::Fails, Evidence::Lasso(lasso));
            if unbounded.is_some() {
                return unbounded;
            }
        }
        let open = self.without_invariants(places);
        let holds = open.is_empty() || self.are_structurally_bounded(net, &open);
        holds.then(|| at_once(Verdict::Holds, Technique::QueryReduction))
    }

    /// The places that no P-semiflow bounds, as far as these are known.
    fn without_invariants(&self, places: &[PlaceId]) -> Vec<PlaceId> {
        let Model::Plain(net) = &**self.model else { return places.to_vec() };
        let invariants = NetStructure::of(net).place_invariants(self.budget);
        places.iter().copied().filter(|place| invariants.bounds()[place.index()].is_none()).collect()
    }

    pub(super) fn bounded(&self, places: &[PlaceId]) -> DecidedProperty {
        let open = self.without_invariants(places);
        if open.is_empty() {
            return (at_once(Verdict::Holds, Technique::QueryReduction), Timeline::default());
        }
        let bounds = open.iter().map(|&place| Query::Bound(vec![place])).collect();
        let is_infinite = |verdict: &Verdict| *verdict == Verdict::Bound(Count::Infinite);
        let report = self.ask(self.model, bounds, |_, verdict| is_infinite(verdict));
        let outcomes = report.outcomes.iter().zip(&report.timelines);
        let decides = |(outcome, _): &(&Outcome, _)| is_infinite(&outcome.verdict);
        let (outcome, timeline) = outcomes
            .clone()
            .find(decides)
            .or_else(|| outcomes.clone().find(|(outcome, _)| outcome.is_open()))
            .or_else(|| outcomes.clone().next_back())
            .expect("a place is asked");
        let verdict = match &outcome.verdict {
            Verdict::Bound(bound) => (*bound != Count::Infinite).into(),
            other => other.clone(),
        };
        (Outcome { verdict, evidence: None, ..outcome.clone() }, timeline.clone())
    }

    /// Whether some weighting of places is positive on each of these and not increased by any firing. By Farkas' lemma there is one
    /// unless some firing counts leave no place with fewer tokens, and one of these with more: then a transition that takes a token
    /// from one of them can be repeated.
    fn are_structurally_bounded(&self, net: &Net, places: &[PlaceId]) -> bool {
        let drained = || {
            let mut copy = NetCopy::of(net, net.initial_marking())?;
            let mut drains = Vec::new();
            for &place in places {
                let drain = copy.transition()?;
                copy.builder.input(place, drain, 1);
                drains.push(drain);
            }
            Ok::<_, BuildError>((copy.builder.build()?, drains))
        };
        drained().is_ok_and(|(net, drains)| self.cannot_repeat(&net, &drains))
    }
}
