//! Backward coverability: the markings from which a goal can be covered, as the least of them.
//!
//! What: the markings from which some marking of an upward-closed set is reachable are upward closed, too, and so have finitely many
//! minimal ones, the *basis*. It starts with the minimal markings of the goal; for each of them and each transition that gives
//! to it, the least marking from which the transition leads above it is added, unless a smaller one is there.
//! Source: Abdulla, Čerāns, Jonsson and Tsay, "General decidability theorems for infinite-state systems" (1996). Pruning
//! as in Blondin, Finkel, Haase and Haddad, "Approaching the coverability problem continuously" (2016), but with place
//! invariants: what exceeds the constant sum of a semiflow is above no reachable marking.
//! Needs: no inhibitor arcs.
//!
//! Invariants: 1. without pruning, a marking covers a member of the basis if and only if the goal can be covered from it; with pruning
//! this is true of reachable markings, since every marking on a run to the goal is reachable. 2. No member covers another.
//! Cost: doubly exponential in the worst case; limits on members and time. Test: `tests/coverability.rs`, against the trees.

use fireset_net::{Budget, Net, StopReason, TransitionId};
use fireset_structure::PlaceSemiflows;

/// A marking from which the goal can be covered, and how.
#[derive(Clone, Debug)]
struct BasisMember {
    marking: Box<[u64]>,
    /// The transition that leads above another member, with its number; `None` for one of the goal.
    next: Option<(TransitionId, usize)>,
    is_minimal: bool,
}

/// The least markings from which a goal can be covered.
#[derive(Debug)]
pub(super) struct CoverabilityBasis {
    members: Vec<BasisMember>,
    minimal: Vec<usize>,
    /// Whether the start covers a member; then there may be more members that were not found.
    is_reached: bool,
}

/// How far a basis is computed, and which markings are omitted.
pub(super) struct BasisLimits<'a> {
    /// Members, also those that later ones made superfluous.
    pub(super) members: usize,
    /// Markings that exceed one of these are omitted.
    pub(super) semiflows: &'a PlaceSemiflows,
    /// The search ends as soon as this marking covers a member.
    pub(super) start: Option<&'a [u64]>,
    pub(super) budget: &'a Budget,
}

impl CoverabilityBasis {
    /// The basis of the markings from which one of `goals` can be covered.
    pub(super) fn of(
        net: &Net,
        goals: impl IntoIterator<Item = Box<[u64]>>,
        limits: &BasisLimits<'_>,
    ) -> Result<Self, StopReason> {
        let mut basis = Self { members: Vec::new(), minimal: Vec::new(), is_reached: false };
        for goal in goals {
            basis.insert(BasisMember { marking: goal, next: None, is_minimal: true }, limits)?;
        }
        let mut at = 0;
        while at < basis.members.len() && !basis.is_reached {
            for transition in net.nodes().transition_ids() {
                if !basis.members[at].is_minimal {
                    break;
                }
                if let Some(marking) = before(net, transition, &basis.members[at].marking)? {
                    let next = Some((transition, at));
                    basis.insert(BasisMember { marking, next, is_minimal: true }, limits)?;
                }
            }
            at += 1;
        }
        Ok(basis)
    }

    /// Its minimal members.
    pub(super) fn minimal(&self) -> impl Iterator<Item = &[u64]> {
        self.minimal.iter().map(|&at| &*self.members[at].marking)
    }

    /// A minimal member that a marking covers.
    pub(super) fn below(&self, marking: &[u64]) -> Option<usize> {
        self.minimal.iter().copied().find(|&at| is_below(&self.members[at].marking, marking))
    }

    /// The transitions from a marking that covers this member to one of the goal.
    pub(super) fn run_from(&self, member: usize) -> impl Iterator<Item = TransitionId> {
        let mut next = self.members[member].next;
        std::iter::from_fn(move || {
            let (transition, member) = next?;
            next = self.members[member].next;
            Some(transition)
        })
    }

    /// Adds a member, unless one is below it or no reachable marking is above it. That takes long in a large basis, so each time the
    /// budget is checked.
    fn insert(&mut self, member: BasisMember, limits: &BasisLimits<'_>) -> Result<(), StopReason> {
        let bytes = self.members.len() * (size_of_val(&*member.marking) + size_of::<BasisMember>());
        limits.budget.check(bytes as u64, self.members.len() as u64)?;
        if self.below(&member.marking).is_some() || exceeds(&member.marking, limits.semiflows) {
            return Ok(());
        }
        if self.members.len() >= limits.members {
            return Err(StopReason::States(limits.members));
        }
        self.is_reached |= limits.start.is_some_and(|start| is_below(&member.marking, start));
        let members = &mut self.members;
        self.minimal.retain(|&at| {
            members[at].is_minimal = !is_below(&member.marking, &members[at].marking);
            members[at].is_minimal
        });
        self.minimal.push(members.len());
        members.push(member);
        Ok(())
    }
}

fn is_below(marking: &[u64], other: &[u64]) -> bool {
    marking.iter().zip(other).all(|(mine, others)| mine <= others)
}

/// Whether a marking, and so every one above it, breaks a semiflow.
fn exceeds(marking: &[u64], semiflows: &PlaceSemiflows) -> bool {
    semiflows.semiflows().iter().any(|semiflow| {
        let mut terms = semiflow
            .weights
            .iter()
            .map(|&(place, weight)| i128::from(weight).checked_mul(i128::from(marking[place as usize])));
        let sum = terms.try_fold(0i128, |sum, term| sum.checked_add(term?));
        sum.is_some_and(|sum| sum > semiflow.total)
    })
}

/// The least marking that enables a transition which leads above `marking`; `None` where the transition gives nothing to it.
fn before(net: &Net, transition: TransitionId, marking: &[u64]) -> Result<Option<Box<[u64]>>, StopReason> {
    if !net.post(transition).iter().any(|arc| marking[arc.place.index()] > 0) {
        return Ok(None);
    }
    let mut before: Box<[u64]> = marking.into();
    for arc in net.post(transition) {
        let tokens = &mut before[arc.place.index()];
        *tokens = tokens.saturating_sub(arc.weight);
    }
    for arc in net.pre(transition) {
        let tokens = &mut before[arc.place.index()];
        *tokens = tokens.checked_add(arc.weight).ok_or(StopReason::Overflow)?;
    }
    Ok(Some(before))
}
