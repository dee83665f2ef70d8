//! A set of transitions that is made stubborn.
//!
//! The law (D1): if `t` is in the set and can fire after transitions outside of it, then it can also fire before
//! them, and they after it; both ways lead to the same marking. The closure sees to it like this:
//!
//! * `t` is disabled because a place has fewer than the `w` tokens that it needs. Transitions that raise the place
//!   and need fewer than `w` tokens there themselves are in the set: one of them has to fire first before the place
//!   has `w`. So nothing outside makes `t` enabled. The same for an inhibitor arc that blocks at `w`, with
//!   transitions that lower the place and give fewer than `w` back. One such place is enough, any one.
//! * `t` is enabled. If it lowers a place, all transitions that need the place are in the set; if it raises one, all
//!   that the place blocks. So what can fire outside can also fire after `t`; and firing commutes.
//!
//! [`Set::disable`] makes an enabled transition a key (D2): nothing outside of the set disables it.
//! Cost: linear in the arcs around the places that are touched; nothing is allocated for a marking.
//! Source: Valmari, "Stubborn sets for reduced state space generation" (1991). Test: below and `tests/stubborn.rs`.

use fireset_net::{PlaceId, TransitionId};

use super::arcs::Arcs;
use crate::search::Marked;

/// The set. What happens in it is said by the round in which it happened, so that a new one is begun at once.
#[derive(Clone, Debug)]
pub(super) struct Set<'n> {
    pub(super) arcs: &'n Arcs<'n>,
    round: u32,
    /// For each transition the last round in which it is a member.
    member: Vec<u32>,
    /// For each place the last round in which those are members that raise it to so many tokens, or lower it below.
    raised: Vec<(u32, u64)>,
    lowered: Vec<(u32, u64)>,
    /// For each place the last round in which those are members that need it, or that it blocks.
    needing: Vec<u32>,
    blocked: Vec<u32>,
    /// Members of which the closure was not asked yet.
    open: Vec<u32>,
    /// The members that are enabled, as far as that was asked.
    pub(super) enabled: Vec<u32>,
}

/// Why a transition is disabled.
enum Scapegoat {
    Lacks(PlaceId, u64),
    Blocks(PlaceId, u64),
}

impl<'n> Set<'n> {
    /// The empty set.
    pub(super) fn new(arcs: &'n Arcs<'n>) -> Self {
        let nodes = arcs.net.nodes();
        let (places, transitions) = (nodes.places.len(), nodes.transitions.len());
        Self {
            arcs,
            round: 1,
            member: vec![0; transitions],
            raised: vec![(0, 0); places],
            lowered: vec![(0, 0); places],
            needing: vec![0; places],
            blocked: vec![0; places],
            open: Vec::new(),
            enabled: Vec::new(),
        }
    }

    /// Begins with the empty set again.
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.enabled.clear();
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            *self = Self::new(self.arcs);
            1
        });
    }

    /// Whether nothing was added.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty() && self.enabled.is_empty()
    }

    /// Whether a transition is a member.
    pub(super) fn contains(&self, t: u32) -> bool {
        self.member[t as usize] == self.round
    }

    /// Adds a transition.
    pub(super) fn add(&mut self, t: u32) {
        let member = &mut self.member[t as usize];
        if *member != self.round {
            *member = self.round;
            self.open.push(t);
        }
    }

    /// Adds transitions one of which fires before a disabled one is enabled.
    pub(super) fn enable<S: Marked>(&mut self, t: u32, space: &S, row: &[u64]) {
        let (net, t) = (self.arcs.net, TransitionId::new(t as usize));
        let (mut least, mut chosen) = (usize::MAX, None);
        let mut consider = |cost: usize, scapegoat: Scapegoat| {
            if cost < least {
                (least, chosen) = (cost, Some(scapegoat));
            }
        };
        let done = |(round, bound): (u32, u64), weight: u64| round == self.round && bound >= weight;
        for arc in net.pre(t) {
            let at = arc.place.index();
            let new = !done(self.raised[at], arc.weight);
            let cost = if new { self.arcs.raising[at].len() } else { 0 };
            if space.tokens(row, arc.place) < arc.weight {
                consider(cost, Scapegoat::Lacks(arc.place, arc.weight));
            }
        }
        for arc in net.inhibitors(t) {
            let at = arc.place.index();
            let new = !done(self.lowered[at], arc.weight);
            let cost = if new { self.arcs.lowering[at].len() } else { 0 };
            if space.tokens(row, arc.place) >= arc.weight {
                consider(cost, Scapegoat::Blocks(arc.place, arc.weight));
            }
        }
        match chosen.expect("a disabled transition lacks tokens or is blocked") {
            Scapegoat::Lacks(place, weight) => self.raise(place, weight),
            Scapegoat::Blocks(place, weight) => self.lower(place, weight),
        }
    }

    /// Adds all transitions that can disable an enabled one.
    pub(super) fn disable(&mut self, t: u32) {
        let (net, t) = (self.arcs.net, TransitionId::new(t as usize));
        net.pre(t).iter().for_each(|arc| self.lower(arc.place, arc.weight));
        net.inhibitors(t).iter().for_each(|arc| self.raise(arc.place, arc.weight));
    }

    /// Adds those that can bring a place from fewer than so many tokens up to them.
    fn raise(&mut self, place: PlaceId, to: u64) {
        let (arcs, done) = (self.arcs, &mut self.raised[place.index()]);
        if done.0 != self.round || done.1 < to {
            *done = (self.round, to);
            arcs.raising[place.index()]
                .iter()
                .filter(|(_, needs)| *needs < to)
                .for_each(|(t, _)| self.add(*t));
        }
    }

    /// Adds those that can bring a place from so many tokens or more below them.
    fn lower(&mut self, place: PlaceId, below: u64) {
        let (arcs, done) = (self.arcs, &mut self.lowered[place.index()]);
        if done.0 != self.round || done.1 < below {
            *done = (self.round, below);
            let lowering = arcs.lowering[place.index()].iter();
            lowering.filter(|(_, gives)| *gives < below).for_each(|(t, _)| self.add(*t));
        }
    }

    /// Closes the set; `false` when that was given up because more than so many members are enabled.
    pub(super) fn close<S: Marked>(&mut self, space: &mut S, row: &[u64], most: usize) -> bool {
        while let Some(t) = self.open.pop() {
            if !space.fireable(row, TransitionId::new(t as usize)) {
                self.enable(t, space, row);
                continue;
            }
            self.enabled.push(t);
            if self.enabled.len() > most {
                return false;
            }
            self.commute(t);
        }
        true
    }

    /// Adds all transitions that an enabled one can disable.
    fn commute(&mut self, t: u32) {
        let arcs = self.arcs;
        for &place in &arcs.less[t as usize] {
            if std::mem::replace(&mut self.needing[place as usize], self.round) != self.round {
                arcs.needing[place as usize].iter().for_each(|&t| self.add(t));
            }
        }
        for &place in &arcs.more[t as usize] {
            if std::mem::replace(&mut self.blocked[place as usize], self.round) != self.round {
                arcs.blocked[place as usize].iter().for_each(|&t| self.add(t));
            }
        }
    }
}
