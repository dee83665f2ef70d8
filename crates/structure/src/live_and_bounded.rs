//! Whether a net is live and bounded in its initial marking, in polynomial time.
//!
//! What: a live and bounded net without inhibitor arcs is consistent, since some run fires every transition and comes back to where
//! it began, and it has no empty siphon with a transition that takes from it. A connected free-choice net with weights 1 is live and bounded
//! if and only if it is well-formed and every siphon is marked; it is well-formed if and only if it is conservative, consistent, and the rank
//! of its incidence matrix is the number of clusters less one.
//! Source: Desel and Esparza, "Free choice Petri nets" (1995), theorems 2.25, 5.8 and 6.17 (the rank theorem).
//! Why beside `conclusions.rs`: nothing is enumerated here, so it can stand before a search.
//!
//! Invariant: the answer is right or `None`. Cost: two linear programs, an elimination, and a search for a siphon that is linear in the
//! arcs; the deadline ends the programs. Test: `conclusions_tests.rs`, against the reachability graphs of random nets, and
//! `crates/fireset/tests/soundness/structural.rs`, where each reason occurs.

use std::time::Instant;

use crate::{
    Conclusion, ConclusionReason, DerivedProperty, NetStructure,
    positive_vectors::{LineSum, PositiveVector, positive_vector},
    rank::rank,
    semiflows::transposed,
    structural_analysis::clusters,
    traps::FiringColumns,
};

impl NetStructure<'_> {
    /// That the net is live and bounded, or that it is not, with the reason; `None` where structure does not tell it until the deadline.
    pub fn live_and_bounded(self, deadline: Option<Instant>) -> Option<Conclusion> {
        let nodes = self.net().nodes();
        if self.net().has_inhibitors() || nodes.places.is_empty() || nodes.transitions.is_empty() {
            return None;
        }
        let (holds, reason) = decide(self, deadline)?;
        Some(Conclusion { property: DerivedProperty::LiveAndBounded, holds, reason })
    }
}

fn decide(structure: NetStructure<'_>, deadline: Option<Instant>) -> Option<(bool, ConclusionReason)> {
    let net = structure.net();
    let (places, transitions) = (net.nodes().places.len(), net.nodes().transitions.len());
    let is_empty = net.initial_marking().0.iter().map(|&tokens| tokens == 0).collect();
    let siphon = structure.greatest_siphon(is_empty, FiringColumns::All);
    let siphon: Vec<u32> = (0..places as u32).filter(|&place| siphon[place as usize]).collect();
    let takes = |t: &u32| {
        let inputs = net.pre(fireset_net::TransitionId::new(*t as usize));
        inputs.iter().any(|arc| siphon.binary_search(&(arc.place.index() as u32)).is_ok())
    };
    let dead: Vec<u32> = (0..transitions as u32).filter(takes).collect();
    if !dead.is_empty() {
        return Some((false, ConclusionReason::EmptySiphon(siphon, dead)));
    }
    let by_place = net.incidence()?;
    if let PositiveVector::Refuted(ts) = positive_vector(&by_place, transitions, LineSum::Zero, deadline)? {
        return Some((false, ConclusionReason::NotConsistent(ts)));
    }
    let classes = structure.classes();
    if !classes.is_ordinary_free_choice() || !classes.connected {
        return None;
    }
    let by_transition = transposed(&by_place, transitions);
    if let PositiveVector::Refuted(ps) = positive_vector(&by_transition, places, LineSum::Zero, deadline)? {
        return Some((false, ConclusionReason::NotConservative(ps)));
    }
    if rank(&by_place, deadline)? + 1 != clusters(net) {
        return Some((false, ConclusionReason::RankTheoremFails));
    }
    siphon.is_empty().then_some((true, ConclusionReason::MarkedSiphons))
}
