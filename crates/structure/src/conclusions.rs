//! What structure tells about behaviour: theorems of the literature applied to one net.
//!
//! | conclusion | theorem |
//! |---|---|
//! | bounded, safe | a P-semiflow keeps the weighted sum of tokens (Lautenbach 1973); weights of all places that no firing increases (Murata 1989, section VIII) |
//! | unbounded | a transition without inputs; live, but not live and bounded at once |
//! | not quasi-live | an empty siphon stays empty (Commoner 1972) |
//! | deadlock-free | marked traps stay marked, see [`siphon_trap`](crate::siphon_trap) |
//! | live or not, free choice | Commoner's theorem: Hack 1972; Desel and Esparza, "Free choice Petri nets" (1995), theorem 4.21 |
//! | live, asymmetric choice | Murata 1989, theorem 15 |
//! | not live | a net that is live is repetitive, and consistent if it is bounded (Murata 1989, section VIII) |
//! | not live and bounded at once | such nets are consistent; without inhibitor arcs every arc is in a cycle (Desel and Esparza, theorem 2.25) |
//! | well-formed or not | the rank theorem for connected free-choice nets (Desel and Esparza, theorem 6.17) |
//! | live and bounded | a well-formed free-choice net that marks every siphon (Desel and Esparza, theorem 5.8) |
//! | reversible or not | a live and bounded free-choice net is, if and only if every trap is marked (Desel and Esparza, theorem 8.11) |
//! | terminating | an infinite run of a bounded net repeats a marking, and the firings between are a T-semiflow |
//!
//! Theorems about free choice need weights 1 and no inhibitor arcs. In the book all nets are connected, so each place has a
//! transition; here siphons without output transitions and traps without them are left out, since they matter to no transition.
//!
//! Invariants: (1) a conclusion holds for the net with its initial marking, well-formedness for its arcs; (2) each property has
//! one conclusion at most. Cost: linear in the arcs, and one search for traps. Test: below, each against the reachability
//! graphs of random nets.

use std::time::Instant;

use fireset_net::TransitionId;

use crate::{
    ClassBreach, NetStructure,
    class_breaches::{ArcKinds, no_way_back},
    structural_analysis::{Coverage, StructuralAnalysis},
    traps::FiringColumns,
};

/// A property of the behaviour that structure may decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DerivedProperty {
    /// Some number is above the tokens of every place in every reachable marking.
    Bounded,
    /// No place ever has two tokens.
    Safe,
    /// Every transition can fire at some time.
    QuasiLive,
    /// Some initial marking makes the net live and bounded.
    WellFormed,
    /// Every transition can always fire again, and no place gets more and more tokens.
    LiveAndBounded,
    /// Every transition can always fire again.
    Live,
    /// Every reachable marking enables a transition.
    DeadlockFree,
    /// Every reachable marking leads back to the initial one.
    Reversible,
    /// There is no infinite run.
    Terminating,
}

/// Why a conclusion is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConclusionReason {
    /// These P-semiflows contain all places.
    CoveringSemiflows(Vec<usize>),
    /// These P-semiflows contain all places, and each place has at most one token by them.
    SafeSemiflows(Vec<usize>),
    /// No firing increases some weighted sum of the tokens of all places.
    NoIncrease,
    /// The transition takes nothing and gives something.
    SourceTransition(u32),
    /// The siphon of these places is empty, and these transitions take from it.
    EmptySiphon(Vec<u32>, Vec<u32>),
    /// Each set of places that a deadlock could leave empty contains a marked trap.
    MarkedTraps,
    /// The net is live and has a transition.
    ByLiveness,
    /// The net is free choice and has the siphon-trap property.
    FreeChoiceSiphonTrap,
    /// The net has asymmetric choice and the siphon-trap property.
    AsymmetricChoiceSiphonTrap,
    /// The net is free choice and does not have the siphon-trap property: a siphon without a marked trap, if it is listed.
    UntrappedSiphon(Option<usize>),
    /// These transitions can fire only finitely often, whatever the initial marking.
    NotRepetitive(Vec<u32>),
    /// These transitions are in no T-semiflow.
    NotConsistent(Vec<u32>),
    /// The net is free choice, and these places are in no P-semiflow.
    NotConservative(Vec<u32>),
    /// The arc is in no cycle.
    NoCycle(ClassBreach),
    /// The net is free choice, conservative and consistent, and its rank is one below the number of clusters.
    RankTheorem,
    /// The net is free choice, and the rank theorem says that it is not well-formed.
    RankTheoremFails,
    /// The net is well-formed and free choice, and every siphon is marked.
    MarkedSiphons,
    /// The net is free choice, live and bounded, and every trap is marked.
    AllTrapsMarked,
    /// The net is free choice, live and bounded, and the trap of these places is empty.
    EmptyTrap(Vec<u32>),
    /// The net is bounded and has no T-semiflow.
    NoTransitionSemiflow,
    /// Every run ends.
    ByTermination,
}

/// A property that the structure decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// What is decided.
    pub property: DerivedProperty,
    /// Whether the net has the property.
    pub holds: bool,
    /// The theorem with its premises.
    pub reason: ConclusionReason,
}

/// All conclusions about a net.
pub(crate) fn conclude(
    structure: NetStructure<'_>,
    analysis: &StructuralAnalysis,
    deadline: Option<Instant>,
) -> Vec<Conclusion> {
    let mut deduction = Deduction { structure, analysis, found: Vec::new() };
    deduction.bounds();
    deduction.empty_siphon();
    deduction.liveness();
    deduction.well_formedness();
    deduction.live_and_bounded();
    deduction.reversibility();
    deduction.termination();
    deduction.deadlocks(deadline);
    deduction.found.sort_by_key(|conclusion| conclusion.property);
    deduction.found
}

struct Deduction<'n, 'a> {
    structure: NetStructure<'n>,
    analysis: &'a StructuralAnalysis,
    found: Vec<Conclusion>,
}

impl Deduction<'_, '_> {
    fn known(&self, property: DerivedProperty) -> Option<bool> {
        self.found
            .iter()
            .find(|conclusion| conclusion.property == property)
            .map(|conclusion| conclusion.holds)
    }

    /// Of several reasons for a property the first stays.
    fn add(&mut self, property: DerivedProperty, holds: bool, reason: ConclusionReason) {
        match self.known(property) {
            None => self.found.push(Conclusion { property, holds, reason }),
            Some(known) => debug_assert_eq!(known, holds, "{property:?} by {reason:?}"),
        }
    }

    /// Theorems about free choice and asymmetric choice are about ordinary nets without inhibitor arcs.
    fn is_ordinary(&self) -> bool {
        self.analysis.breaches.ordinary.is_none() && !self.structure.net().has_inhibitors()
    }

    fn is_free_choice(&self) -> bool {
        self.is_ordinary() && self.analysis.breaches.extended_free_choice.is_none()
    }

    fn bounds(&mut self) {
        use DerivedProperty::{Bounded, Safe};
        let net = self.structure.net();
        let source = |&t: &TransitionId| {
            net.pre(t).is_empty() && net.inhibitors(t).is_empty() && !net.post(t).is_empty()
        };
        let tokens = |bound: u64| self.analysis.bounds.iter().flatten().all(|own| own.tokens <= bound);
        let is_covered = self.analysis.bounds.iter().all(Option::is_some);
        if is_covered {
            let mut cover: Vec<usize> =
                self.analysis.bounds.iter().flatten().map(|bound| bound.semiflow).collect();
            cover.sort_unstable();
            cover.dedup();
            if tokens(1) {
                self.add(Safe, true, ConclusionReason::SafeSemiflows(cover.clone()));
            }
            self.add(Bounded, true, ConclusionReason::CoveringSemiflows(cover));
        } else if self.analysis.structurally_bounded == Coverage::Holds {
            self.add(Bounded, true, ConclusionReason::NoIncrease);
        } else if let Some(t) = net.nodes().transition_ids().find(source) {
            let reason = ConclusionReason::SourceTransition(t.index() as u32);
            self.add(Bounded, false, reason.clone());
            self.add(Safe, false, reason);
        }
    }

    fn empty_siphon(&mut self) {
        let net = self.structure.net();
        let is_empty = net.initial_marking().0.iter().map(|&tokens| tokens == 0).collect();
        let siphon = self.structure.greatest_siphon(is_empty, FiringColumns::All);
        let takes = |t: &TransitionId| net.pre(*t).iter().any(|arc| siphon[arc.place.index()]);
        let dead: Vec<u32> = net.nodes().transition_ids().filter(takes).map(|t| t.index() as u32).collect();
        if !dead.is_empty() {
            let reason = ConclusionReason::EmptySiphon(listed(&siphon), dead);
            self.add(DerivedProperty::QuasiLive, false, reason.clone());
            self.add(DerivedProperty::Live, false, reason);
        }
    }

    fn liveness(&mut self) {
        use DerivedProperty::Live;
        match (self.is_free_choice(), self.analysis.siphon_trap) {
            (true, Some(true)) => self.add(Live, true, ConclusionReason::FreeChoiceSiphonTrap),
            (true, Some(false)) => {
                let untrapped = self.analysis.siphons.found.iter().position(|siphon| {
                    let takes = |&place: &u32| self.structure.columns().consumers(place).is_empty();
                    !siphon.has_marked_trap && !siphon.places.iter().all(takes)
                });
                self.add(Live, false, ConclusionReason::UntrappedSiphon(untrapped));
            }
            (false, Some(true))
                if self.is_ordinary() && self.analysis.breaches.asymmetric_choice.is_none() =>
            {
                self.add(Live, true, ConclusionReason::AsymmetricChoiceSiphonTrap);
            }
            _ => {}
        }
        if let Coverage::Fails(transitions) = &self.analysis.repetitive {
            self.add(Live, false, ConclusionReason::NotRepetitive(transitions.clone()));
        }
    }

    /// The rank theorem. It is about connected nets with a place and a transition.
    fn well_formedness(&mut self) {
        let (net, analysis) = (self.structure.net(), self.analysis);
        let applies = self.is_free_choice()
            && analysis.breaches.connected.is_none()
            && !net.nodes().places.is_empty()
            && !net.nodes().transitions.is_empty();
        if !applies {
            return;
        }
        let rank = analysis.rank.map(|rank| rank + 1 == analysis.clusters);
        let premises = [analysis.conservative.verdict(), analysis.consistent.verdict(), rank];
        if premises == [Some(true); 3] {
            self.add(DerivedProperty::WellFormed, true, ConclusionReason::RankTheorem);
            let is_empty = net.initial_marking().0.iter().map(|&tokens| tokens == 0).collect();
            let siphon = self.structure.greatest_siphon(is_empty, FiringColumns::All);
            if !siphon.contains(&true) {
                self.add(DerivedProperty::LiveAndBounded, true, ConclusionReason::MarkedSiphons);
                self.add(DerivedProperty::Live, true, ConclusionReason::MarkedSiphons);
                self.add(DerivedProperty::Bounded, true, ConclusionReason::MarkedSiphons);
            }
        } else if premises.contains(&Some(false)) {
            self.add(DerivedProperty::WellFormed, false, ConclusionReason::RankTheoremFails);
        }
    }

    /// Reasons against both at once; where one of them is known, the other fails.
    fn live_and_bounded(&mut self) {
        use DerivedProperty::{Bounded, Live, LiveAndBounded, Safe, WellFormed};
        let reason = if let Coverage::Fails(transitions) = &self.analysis.consistent {
            Some(ConclusionReason::NotConsistent(transitions.clone()))
        } else if self.known(WellFormed) == Some(false) {
            Some(ConclusionReason::RankTheoremFails)
        } else if self.structure.net().has_inhibitors() {
            None
        } else {
            no_way_back(self.structure.net(), ArcKinds::MovingTokens).map(ConclusionReason::NoCycle)
        };
        let Some(reason) = reason else { return };
        match (self.known(Live), self.known(Bounded)) {
            (Some(false), _) | (_, Some(false)) => {}
            (None, Some(true)) => self.add(Live, false, reason),
            (Some(true), None) => {
                self.add(Safe, false, reason.clone());
                self.add(Bounded, false, reason);
            }
            _ => self.add(LiveAndBounded, false, reason),
        }
    }

    fn reversibility(&mut self) {
        use DerivedProperty::{Bounded, Live, Reversible};
        let is_known = self.known(Live) == Some(true) && self.known(Bounded) == Some(true);
        if !is_known || !self.is_free_choice() {
            return;
        }
        let net = self.structure.net();
        let columns = self.structure.columns();
        let tokens = net.initial_marking().0.iter().zip(0..);
        let is_empty = tokens.map(|(&tokens, place)| tokens == 0 && !columns.consumers(place).is_empty());
        let trap = self.structure.greatest_trap(is_empty.collect(), FiringColumns::All);
        if trap.contains(&true) {
            self.add(Reversible, false, ConclusionReason::EmptyTrap(listed(&trap)));
        } else {
            self.add(Reversible, true, ConclusionReason::AllTrapsMarked);
        }
    }

    fn termination(&mut self) {
        use DerivedProperty::{Bounded, DeadlockFree, Live, Terminating};
        let semiflows = &self.analysis.transition_semiflows;
        let has_none = semiflows.is_complete() && semiflows.found.is_empty();
        if !has_none || self.known(Bounded) != Some(true) {
            return;
        }
        self.add(Terminating, true, ConclusionReason::NoTransitionSemiflow);
        self.add(DeadlockFree, false, ConclusionReason::ByTermination);
        if !self.structure.net().nodes().transitions.is_empty() {
            self.add(Live, false, ConclusionReason::ByTermination);
        }
    }

    fn deadlocks(&mut self, deadline: Option<Instant>) {
        use DerivedProperty::{DeadlockFree, Live};
        if self.known(DeadlockFree).is_some() {
            return;
        }
        let has_transitions = !self.structure.net().nodes().transitions.is_empty();
        if self.known(Live) == Some(true) && has_transitions {
            self.add(DeadlockFree, true, ConclusionReason::ByLiveness);
        } else if self.structure.traps_against_deadlock(deadline).is_some() {
            self.add(DeadlockFree, true, ConclusionReason::MarkedTraps);
        }
    }
}

fn listed(set: &[bool]) -> Vec<u32> {
    (0..set.len() as u32).filter(|&at| set[at as usize]).collect()
}

#[cfg(test)]
#[path = "conclusions_tests.rs"]
mod tests;
