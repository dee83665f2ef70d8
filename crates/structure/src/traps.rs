//! Siphons and traps.
//!
//! A *siphon* is a set of places such that every transition that gives to it also takes from it; an empty siphon stays empty.
//! A *trap* is a set of places such that every transition that takes from it also gives to it; a marked trap stays marked.
//! Weights do not matter: a transition that takes takes at least one token, one that gives gives at least one. Inhibitor
//! arcs only keep transitions from firing. Source: Commoner, "Deadlocks in Petri nets" (1972).
//!
//! Unions of siphons are siphons and unions of traps are traps, so a set of places contains a greatest one. Both notions may be
//! relative to some columns: if no other transition fires, the sets behave in the same way (Esparza and Melzer, "Verification
//! of safety properties using integer programming: beyond the state equation", 2000, use that for inequalities).
//!
//! Invariants: (1) [`greatest_trap`](NetStructure::greatest_trap) and [`greatest_siphon`](NetStructure::greatest_siphon) contain
//! every trap or siphon among the places; (2) what the other functions return is a trap or siphon of the given columns.
//! Cost: linear in the arcs. Test: below, against all subsets of places of random nets, and by firing.

use std::collections::HashSet;

use fireset_net::{Arc, Net};

use crate::{NetStructure, TransitionColumns};

/// Which columns a siphon or trap is about.
#[derive(Clone, Copy, Debug)]
pub enum FiringColumns<'c> {
    /// All columns of the net.
    All,
    /// These, ascending; the other columns do not fire.
    Only(&'c [u32]),
}

impl FiringColumns<'_> {
    fn contains(self, column: u32) -> bool {
        match self {
            Self::All => true,
            Self::Only(columns) => columns.binary_search(&column).is_ok(),
        }
    }

    fn for_each(self, columns: &TransitionColumns, act: impl FnMut(u32)) {
        match self {
            Self::All => (0..columns.len() as u32).for_each(act),
            Self::Only(columns) => columns.iter().copied().for_each(act),
        }
    }
}

/// The two notions are each other's mirror image: with all arcs turned round, siphons are traps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenSet {
    /// What takes from it also gives to it.
    Trap,
    /// What gives to it also takes from it.
    Siphon,
}

impl TokenSet {
    /// The places that a set must contain one of if the column breaks it otherwise.
    pub(crate) fn kept_by(self, structure: NetStructure<'_>, column: u32) -> Vec<u32> {
        match self {
            Self::Trap => structure.outputs(column).collect(),
            Self::Siphon => structure.inputs(column).collect(),
        }
    }

    /// The places that no set contains which the column breaks.
    pub(crate) fn broken_by(self, structure: NetStructure<'_>, column: u32) -> Vec<u32> {
        match self {
            Self::Trap => structure.inputs(column).collect(),
            Self::Siphon => structure.outputs(column).collect(),
        }
    }

    /// The columns that a place keeps from breaking a set that contains it.
    pub(crate) fn keeps<'n>(self, structure: NetStructure<'n>, place: u32) -> &'n [u32] {
        match self {
            Self::Trap => structure.columns().producers(place),
            Self::Siphon => structure.columns().consumers(place),
        }
    }
}

impl<'n> NetStructure<'n> {
    /// The places that a column takes tokens from.
    pub fn inputs(self, column: u32) -> impl Iterator<Item = u32> + 'n {
        places(self.net().pre(self.columns().first(column)))
    }

    /// The places that a column gives tokens to.
    pub fn outputs(self, column: u32) -> impl Iterator<Item = u32> + 'n {
        places(self.net().post(self.columns().first(column)))
    }

    /// The greatest trap among some places; `places` has an entry for each place of the net, and so has the trap.
    pub fn greatest_trap(self, places: Vec<bool>, columns: FiringColumns<'_>) -> Vec<bool> {
        self.greatest(TokenSet::Trap, places, columns)
    }

    /// The greatest siphon among some places; `places` has an entry for each place of the net, and so has the siphon.
    pub fn greatest_siphon(self, places: Vec<bool>, columns: FiringColumns<'_>) -> Vec<bool> {
        self.greatest(TokenSet::Siphon, places, columns)
    }

    /// A small trap that contains a place, inside of the trap `within` that contains the place too.
    pub fn trap_around(self, start: u32, within: &[bool], columns: FiringColumns<'_>) -> HashSet<u32> {
        let mut trap = HashSet::from([start]);
        let mut open = vec![start];
        while let Some(place) = open.pop() {
            for &column in self.columns().consumers(place) {
                let is_kept = || self.outputs(column).any(|place| trap.contains(&place));
                if columns.contains(column) && !is_kept() {
                    let consumers = |p: &u32| self.columns().consumers(*p).len();
                    let next = self.outputs(column).filter(|&p| within[p as usize]).min_by_key(consumers);
                    if let Some(next) = next.filter(|&next| trap.insert(next)) {
                        open.push(next);
                    }
                }
            }
        }
        trap
    }

    /// A small trap among some places that is marked at the start, ascending.
    pub fn marked_trap(self, places: Vec<bool>) -> Option<Vec<u32>> {
        let initial = &self.net().initial_marking().0;
        let marked = |places: &[bool]| (0..places.len()).find(|&at| places[at] && initial[at] > 0);
        marked(&places)?;
        let greatest = self.greatest_trap(places, FiringColumns::All);
        let start = marked(&greatest)?;
        let mut trap: Vec<u32> =
            self.trap_around(start as u32, &greatest, FiringColumns::All).into_iter().collect();
        trap.sort_unstable();
        Some(trap)
    }

    /// Removes places until none breaks the definition: a column that has no arc into the set (from it, for siphons) has no arc
    /// from it (into it).
    fn greatest(self, kind: TokenSet, mut set: Vec<bool>, columns: FiringColumns<'_>) -> Vec<bool> {
        let all = self.columns();
        let (pre, post) = (|c| self.net().pre(all.first(c)), |c| self.net().post(all.first(c)));
        let kept_by = |column| places(if let TokenSet::Trap = kind { post(column) } else { pre(column) });
        let broken_by = |column| places(if let TokenSet::Trap = kind { pre(column) } else { post(column) });
        // For each column how many places of the set it has an arc to that keeps the set; `None` for columns that do not fire.
        let mut kept = vec![None; all.len()];
        let mut open = Vec::new();
        columns.for_each(all, |column| {
            let count = kept_by(column).filter(|&place| set[place as usize]).count();
            kept[column as usize] = Some(count);
            open.extend((count == 0).then_some(column));
        });
        while let Some(column) = open.pop() {
            for place in broken_by(column) {
                if !std::mem::replace(&mut set[place as usize], false) {
                    continue;
                }
                let keepers =
                    if let TokenSet::Trap = kind { all.producers(place) } else { all.consumers(place) };
                for &keeper in keepers {
                    if let Some(count) = &mut kept[keeper as usize] {
                        *count -= 1;
                        open.extend((*count == 0).then_some(keeper));
                    }
                }
            }
        }
        set
    }
}

fn places(arcs: &[Arc]) -> impl Iterator<Item = u32> + '_ {
    arcs.iter().map(|arc| arc.place.index() as u32)
}

/// Whether a set of places, with an entry for each place of the net, is a trap: the definition.
pub fn is_trap(net: &Net, set: &[bool]) -> bool {
    let touches = |arcs: &[Arc]| arcs.iter().any(|arc| set[arc.place.index()]);
    net.nodes().transition_ids().all(|t| !touches(net.pre(t)) || touches(net.post(t)))
}

/// Whether a set of places, with an entry for each place of the net, is a siphon: the definition.
pub fn is_siphon(net: &Net, set: &[bool]) -> bool {
    let touches = |arcs: &[Arc]| arcs.iter().any(|arc| set[arc.place.index()]);
    net.nodes().transition_ids().all(|t| !touches(net.post(t)) || touches(net.pre(t)))
}

#[cfg(test)]
mod tests {
    use fireset_oracle::{
        random::{self, NetShape, TestRng},
        tiny,
    };

    use super::*;

    /// A set of places of a small net by the bits of a number.
    fn subset(bits: usize, places: usize) -> Vec<bool> {
        (0..places).map(|at| bits >> at & 1 == 1).collect()
    }

    #[test]
    fn a_ring_is_both() {
        let net = tiny::net("p:1 q r; t: p -> q; u: q -> p; v: q -> r");
        let structure = NetStructure::of(&net);
        assert_eq!(structure.greatest_siphon(vec![true; 3], FiringColumns::All), [true, true, true]);
        assert_eq!(
            structure.greatest_siphon(vec![true, true, false], FiringColumns::All),
            [true, true, false]
        );
        assert_eq!(structure.greatest_trap(vec![true, true, false], FiringColumns::All), [false; 3]);
        let without_v = FiringColumns::Only(&[0, 1]);
        assert_eq!(structure.greatest_trap(vec![true, true, false], without_v), [true, true, false]);
        assert_eq!(structure.marked_trap(vec![true; 3]), Some(vec![0, 1, 2]));
        assert_eq!(structure.marked_trap(vec![false, true, true]), None, "the trap is not marked");
    }

    #[test]
    fn greatest_sets_contain_all_others() {
        for seed in 0..600 {
            let mut random = TestRng::new(seed);
            let net = random::net(&mut random, &NetShape { places: 5, ..NetShape::default() });
            let (structure, places) = (NetStructure::of(&net), net.nodes().places.len());
            let among = subset(random.below(1 << places), places);
            let trap = structure.greatest_trap(among.clone(), FiringColumns::All);
            let siphon = structure.greatest_siphon(among.clone(), FiringColumns::All);
            assert!(is_trap(&net, &trap) && is_siphon(&net, &siphon), "seed {seed}");
            let inside = |a: &[bool], b: &[bool]| a.iter().zip(b).all(|(a, b)| *b || !*a);
            for other in (0..1 << places).map(|bits| subset(bits, places)).filter(|s| inside(s, &among)) {
                assert!(!is_trap(&net, &other) || inside(&other, &trap), "seed {seed}: {other:?}");
                assert!(!is_siphon(&net, &other) || inside(&other, &siphon), "seed {seed}: {other:?}");
            }
        }
    }

    #[test]
    fn small_traps_are_marked_traps() {
        let mut found = 0;
        for seed in 0..1_000 {
            let mut random = TestRng::new(seed);
            let net = random::net(&mut random, &NetShape::default());
            let among: Vec<bool> = net.nodes().place_ids().map(|_| random.percent(70)).collect();
            let Some(trap) = NetStructure::of(&net).marked_trap(among.clone()) else { continue };
            found += 1;
            assert!(trap.iter().all(|&place| among[place as usize]));
            assert!(trap.iter().any(|&place| net.initial_marking().0[place as usize] > 0));
            let set: Vec<bool> = (0..among.len() as u32).map(|place| trap.contains(&place)).collect();
            assert!(is_trap(&net, &set), "seed {seed}");
        }
        assert!(found > 100, "only {found}");
    }

    #[test]
    fn empty_siphons_stay_empty_and_marked_traps_marked() {
        let (mut empty, mut marked) = (0, 0);
        for seed in 0..600 {
            let mut random = TestRng::new(seed);
            let net = random::net(&mut random, &NetShape { inhibitors: 20, ..NetShape::default() });
            let structure = NetStructure::of(&net);
            let is_empty: Vec<bool> = net.initial_marking().0.iter().map(|&tokens| tokens == 0).collect();
            let siphon = structure.greatest_siphon(is_empty, FiringColumns::All);
            let trap = structure.greatest_trap(vec![true; siphon.len()], FiringColumns::All);
            let count = |set: &[bool], tokens: &[u64]| -> u64 {
                set.iter().zip(tokens).filter(|(inside, _)| **inside).map(|(_, tokens)| tokens).sum()
            };
            let trap_is_marked = count(&trap, &net.initial_marking().0) > 0;
            empty += usize::from(siphon.contains(&true));
            marked += usize::from(trap_is_marked);
            let mut marking = net.initial_marking().clone();
            for _ in 0..20 {
                let ts = net.nodes().transition_ids();
                let next: Vec<_> = ts.filter_map(|t| net.fire_transition(&marking, t).ok()).collect();
                if next.is_empty() {
                    break;
                }
                marking = random.pick(&next).clone();
                assert_eq!(count(&siphon, &marking.0), 0, "seed {seed}");
                assert!(!trap_is_marked || count(&trap, &marking.0) > 0, "seed {seed}");
            }
        }
        assert!(empty > 50 && marked > 50, "{empty} {marked}");
    }
}
