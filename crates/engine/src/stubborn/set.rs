//! The closure that makes a set of transitions stubborn.
//!
//! The law (D1): if `t` is in the set and can fire after transitions outside of it, then it can also fire before
//! them, and they after it; both ways lead to the same marking. The closure sees to it like this:
//!
//! * `t` is disabled because a place has fewer than the `w` tokens that it needs. Transitions that raise the place
//!   and need fewer than `w` tokens there themselves are in the set: one of them has to fire first before the place
//!   has `w`. So no transition outside makes `t` enabled. The same for an inhibitor arc that blocks at `w`, with
//!   transitions that lower the place and give fewer than `w` back. Any one such place (a scapegoat) suffices.
//! * `t` is enabled. If it lowers a place, all transitions that need the place are in the set; if it raises one, all
//!   that the place blocks. So a transition outside that can fire can also fire after `t`; and firing commutes.
//!
//! [`StubbornSet::disable`] makes an enabled transition a key (D2): no transition outside of the set disables it.
//! Cost: linear in the arcs around the places that are touched; nothing is allocated for a marking.
//! Source: Valmari, "Stubborn sets for reduced state space generation" (1991). Test: below and `tests/stubborn.rs`.

use fireset_net::{PlaceId, TransitionId};

use super::arc_index::ArcIndex;
use crate::search::MarkingSpace;

/// A set of transitions. Membership is marked by the round in which a transition was added, so that clearing the set
/// takes no time.
#[derive(Clone, Debug)]
pub(super) struct StubbornSet<'n> {
    pub(super) arcs: &'n ArcIndex<'n>,
    round: u32,
    /// For each transition the last round in which it is a member.
    member: Vec<u32>,
    /// For each place the last round in which the transitions are members that raise it to this many tokens, or lower
    /// it below.
    raised: Vec<(u32, u64)>,
    lowered: Vec<(u32, u64)>,
    /// For each place the last round in which the transitions are members that need it, or that it blocks.
    needing: Vec<u32>,
    blocked: Vec<u32>,
    /// The members that the closure has not processed yet.
    open: Vec<u32>,
    /// The enabled members, of those that the closure has processed.
    pub(super) enabled: Vec<u32>,
    /// The number of processed members of all sets together.
    pub(super) work: u64,
}

/// Why a transition is disabled.
enum Scapegoat {
    Lacks(PlaceId, u64),
    Blocks(PlaceId, u64),
}

impl<'n> StubbornSet<'n> {
    pub(super) fn new(arcs: &'n ArcIndex<'n>) -> Self {
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
            work: 0,
        }
    }

    /// Keeps the few transitions that are likely to need the fewest others, in that order.
    pub(super) fn best_keys(&self, keys: &mut Vec<u32>) {
        const KEYS: usize = 3;
        let order = |t: &u32| (self.arcs.degree[*t as usize], *t);
        if keys.len() > KEYS {
            keys.select_nth_unstable_by_key(KEYS, order);
            keys.truncate(KEYS);
        }
        keys.sort_unstable_by_key(order);
    }

    /// Clears the set and adds a key.
    pub(super) fn begin(&mut self, key: u32) {
        self.clear();
        self.add(key);
        self.disable(key);
    }

    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.enabled.clear();
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            *self = Self { work: self.work, ..Self::new(self.arcs) };
            1
        });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty() && self.enabled.is_empty()
    }

    pub(super) fn contains(&self, t: u32) -> bool {
        self.member[t as usize] == self.round
    }

    pub(super) fn add(&mut self, t: u32) {
        let member = &mut self.member[t as usize];
        if *member != self.round {
            *member = self.round;
            self.open.push(t);
        }
    }

    /// Adds transitions one of which has to fire before a disabled one is enabled.
    pub(super) fn enable<S: MarkingSpace>(&mut self, t: u32, space: &S, row: &[u64]) {
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

    /// Adds the transitions that can bring a place from fewer than `to` tokens to `to` or more.
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

    /// Adds the transitions that can bring a place from `below` or more tokens to fewer.
    fn lower(&mut self, place: PlaceId, below: u64) {
        let (arcs, done) = (self.arcs, &mut self.lowered[place.index()]);
        if done.0 != self.round || done.1 < below {
            *done = (self.round, below);
            let lowering = arcs.lowering[place.index()].iter();
            lowering.filter(|(_, gives)| *gives < below).for_each(|(t, _)| self.add(*t));
        }
    }

    /// Closes the set; gives up and returns `false` when more than `most` members are enabled.
    pub(super) fn close<S: MarkingSpace>(&mut self, space: &mut S, row: &[u64], most: usize) -> bool {
        while let Some(t) = self.open.pop() {
            self.work += 1;
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

#[cfg(test)]
mod tests {
    use fireset_net::{Budget, Net};
    use fireset_oracle::tiny;
    use fireset_structure::NetStructure;

    use super::*;
    use crate::{
        packed::{Access, LayoutChoice, PackedNet},
        search::{EncodedNet, SpaceTask},
    };

    /// The enabled members and all members of a closed set in the initial marking.
    struct Closed<'a>(&'a mut StubbornSet<'a>, Vec<u64>);

    impl SpaceTask<u32> for Closed<'_> {
        type Output = (Vec<u32>, Vec<u32>);

        fn run<S: MarkingSpace<ActionId = u32>>(self, space: &mut S) -> Self::Output {
            let Self(set, row) = self;
            assert!(set.close(space, &row, usize::MAX));
            set.enabled.sort_unstable();
            (set.enabled.clone(), (0..set.member.len() as u32).filter(|&t| set.contains(t)).collect())
        }
    }

    fn closed(net: &Net, begin: impl Fn(&mut StubbornSet<'_>)) -> (Vec<u32>, Vec<u32>) {
        let (invariants, arcs) =
            (NetStructure::of(net).place_invariants(&Budget::unlimited()), ArcIndex::new(net));
        let packed = PackedNet::new(net, &invariants, LayoutChoice::Auto, Access::Direct);
        let mut set = StubbornSet::new(&arcs);
        begin(&mut set);
        let task = Closed(&mut set, packed.initial_row());
        packed.on_space(task, &Budget::unlimited()).expect("nothing stops it")
    }

    #[test]
    fn conflicts_are_members_and_others_are_not() {
        let net = tiny::net("p:1 q:1 r s; a: p -> r; b: p -> s; c: q -> s; d: s -> r");
        assert_eq!(closed(&net, |set| set.add(0)), (vec![0, 1], vec![0, 1]));
        assert_eq!(closed(&net, |set| set.add(2)), (vec![2], vec![2]));
        // Both that give to `s` come before the one that needs it.
        assert_eq!(closed(&net, |set| set.add(3)), (vec![0, 1, 2], vec![0, 1, 2, 3]));
    }

    #[test]
    fn readers_do_not_disturb_but_a_key_is_not_disturbed_either() {
        let net = tiny::net("lock:1 p:1 q; read: lock, p -> lock, q; take: lock -> q");
        assert_eq!(closed(&net, |set| set.add(0)), (vec![0], vec![0]));
        assert_eq!(closed(&net, |set| set.begin(0)), (vec![0, 1], vec![0, 1]));
        assert_eq!(closed(&net, |set| set.add(1)), (vec![0, 1], vec![0, 1]));
    }

    #[test]
    fn inhibitor_arcs_count_in_both_directions() {
        // `stop` blocks `go`, and only `clear` helps it; `go` disables nothing.
        let net = tiny::net("p:1 q b:1 x:1; go: p, !b -> q; clear: b -> ; stop: x -> b");
        assert_eq!(closed(&net, |set| set.add(0)), (vec![1], vec![0, 1]));
        let net = tiny::net("p:1 q b x:1; go: p, !b -> q; clear: b -> ; stop: x -> b");
        assert_eq!(closed(&net, |set| set.add(0)), (vec![0], vec![0]));
        assert_eq!(closed(&net, |set| set.begin(0)), (vec![0, 2], vec![0, 2]));
        assert_eq!(closed(&net, |set| set.add(2)), (vec![0, 2], vec![0, 2]));
    }

    #[test]
    fn weights_say_who_can_help() {
        // `more` needs as many as it would take to enable `use`, so it never comes before `one`.
        let net = tiny::net("p:1 x:1 q; use: 3*p -> q; more: 3*p -> 4*p; one: x -> p");
        assert_eq!(closed(&net, |set| set.add(0)), (vec![2], vec![0, 2]));
    }
}
