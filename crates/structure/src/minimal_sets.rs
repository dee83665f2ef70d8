//! Minimal siphons and traps: those that contain no smaller one but the empty set.
//!
//! What: a siphon is a solution of clauses, "if a place is in the set, then so is an input place of each transition that gives
//! to it". A solver finds one, places are removed from it until it is minimal, and another clause excludes it with all sets
//! that contain it. When there is no solution left, all minimal siphons are found. Traps are siphons of the net with all arcs
//! turned round.
//! Source: Nabli, Martinez, Fages and Soliman, "On enumerating minimal siphons in Petri nets using CLP and SAT solvers"
//! (2016). How we differ: a solution is made smaller by removing places, not by solving again.
//! Needs nothing: weights and inhibitor arcs do not matter, see [`traps`](crate::traps).
//!
//! Invariants: (1) each listed set is a siphon (trap) of which no non-empty proper subset is one; (2) unless the enumeration
//! was cut off, each minimal siphon (trap) is listed.
//! Cost: for each set a call of the solver, and time in the arcs at the places that the solver chose, for each of them; there
//! can be exponentially many sets. Test: below, against all subsets of places of random nets.

use fireset_kernel::sat::{DefaultSatSolver, Literal, SatSolver};

use crate::{Enumeration, EnumerationLimits, NetStructure, ReachedLimit, traps::TokenSet};

/// The minimal siphons or traps of a net, ascending places each.
pub fn minimal_sets(
    structure: NetStructure<'_>,
    kind: TokenSet,
    limits: EnumerationLimits,
) -> Enumeration<Vec<u32>> {
    let places = structure.net().nodes().places.len() as u32;
    let mut clauses = closed_sets(structure, kind);
    let mut shrinking = ShrinkingSet::new(structure, kind);
    let mut found: Vec<Vec<u32>> = Vec::new();
    let cut_off = loop {
        match clauses.solve(limits.deadline) {
            None => break Some(ReachedLimit::Time),
            Some(false) => break None,
            Some(true) if found.len() >= limits.number => break Some(ReachedLimit::Number),
            Some(true) if limits.is_over() => break Some(ReachedLimit::Time),
            Some(true) => {}
        }
        let set = (0..places).filter(|&place| !clauses.value(outside(place))).collect();
        let minimal = shrinking.minimal(set);
        clauses.add_clause(minimal.iter().copied().map(outside));
        found.push(minimal);
    };
    found.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    Enumeration { found, cut_off }
}

/// Clauses whose solutions are the non-empty siphons or traps.
fn closed_sets(structure: NetStructure<'_>, kind: TokenSet) -> DefaultSatSolver {
    let mut clauses = DefaultSatSolver::default();
    // A transition without effect breaks neither siphon nor trap, so the columns are enough.
    for column in 0..structure.columns().len() as u32 {
        for broken in kind.broken_by(structure, column) {
            let keeping = kind.kept_by(structure, column).into_iter().map(|place| -outside(place));
            clauses.add_clause(keeping.chain([outside(broken)]));
        }
    }
    let places = structure.net().nodes().places.len() as u32;
    clauses.add_clause((0..places).map(|place| -outside(place)));
    clauses
}

/// The variable that is true if a place is not in the set. Solvers try true first, so that sets are small.
fn outside(place: u32) -> Literal {
    place as Literal + 1
}

/// A siphon or trap that places are removed from.
struct ShrinkingSet<'n> {
    structure: NetStructure<'n>,
    kind: TokenSet,
    inside: Vec<bool>,
    size: usize,
    /// For each column, how many places of the set keep it from breaking the definition.
    keepers: Vec<u32>,
}

impl<'n> ShrinkingSet<'n> {
    fn new(structure: NetStructure<'n>, kind: TokenSet) -> Self {
        let inside = vec![false; structure.net().nodes().places.len()];
        Self { structure, kind, inside, size: 0, keepers: vec![0; structure.columns().len()] }
    }

    /// A minimal siphon or trap inside of a given one; ascending.
    fn minimal(&mut self, set: Vec<u32>) -> Vec<u32> {
        set.iter().for_each(|&place| self.put(place));
        // A place that cannot be removed from a set cannot be removed from a smaller one either.
        for &place in &set {
            if self.inside[place as usize] {
                self.remove(place);
            }
        }
        let minimal: Vec<u32> = set.into_iter().filter(|&place| self.inside[place as usize]).collect();
        minimal.iter().for_each(|&place| self.inside[place as usize] = false);
        for &place in &minimal {
            self.kind.keeps(self.structure, place).iter().for_each(|&c| self.keepers[c as usize] -= 1);
        }
        self.size = 0;
        minimal
    }

    fn put(&mut self, place: u32) {
        self.inside[place as usize] = true;
        self.size += 1;
        self.kind.keeps(self.structure, place).iter().for_each(|&c| self.keepers[c as usize] += 1);
    }

    /// Removes a place and all places that cannot stay without it, unless none would be left.
    fn remove(&mut self, place: u32) {
        let mut removed = vec![place];
        self.inside[place as usize] = false;
        let mut next = 0;
        while let Some(&place) = removed.get(next) {
            next += 1;
            for &column in self.kind.keeps(self.structure, place) {
                self.keepers[column as usize] -= 1;
                if self.keepers[column as usize] == 0 {
                    for broken in self.kind.broken_by(self.structure, column) {
                        if std::mem::replace(&mut self.inside[broken as usize], false) {
                            removed.push(broken);
                        }
                    }
                }
            }
        }
        self.size -= removed.len();
        if self.size == 0 {
            removed.into_iter().for_each(|place| self.put(place));
        }
    }
}

#[cfg(test)]
mod tests {
    use fireset_oracle::{
        random::{self, NetShape, TestRng},
        tiny,
    };

    use super::*;
    use crate::traps::{is_siphon, is_trap};

    const ALL: EnumerationLimits = EnumerationLimits { number: usize::MAX, deadline: None };

    #[test]
    fn two_rings_have_two_siphons() {
        let net = tiny::net("a:1 b c d; t: a -> b; u: b -> a; v: c -> d; w: d -> c");
        let structure = NetStructure::of(&net);
        let all = minimal_sets(structure, TokenSet::Siphon, ALL);
        assert_eq!(all, Enumeration { found: vec![vec![0, 1], vec![2, 3]], cut_off: None });
        let one = minimal_sets(structure, TokenSet::Trap, EnumerationLimits { number: 1, ..ALL });
        assert_eq!((one.found.len(), one.cut_off), (1, Some(ReachedLimit::Number)));
        let exactly = minimal_sets(structure, TokenSet::Trap, EnumerationLimits { number: 2, ..ALL });
        assert!(exactly.is_complete());
        let over = EnumerationLimits { number: 9, deadline: Some(std::time::Instant::now()) };
        assert_eq!(minimal_sets(structure, TokenSet::Siphon, over).cut_off, Some(ReachedLimit::Time));
    }

    /// The definition, set by set.
    fn enumerated(places: usize, is_closed: impl Fn(&[bool]) -> bool) -> Vec<Vec<u32>> {
        let inside = |bits: usize| -> Vec<bool> { (0..places).map(|at| bits >> at & 1 == 1).collect() };
        let closed: Vec<usize> = (1..1 << places).filter(|&bits| is_closed(&inside(bits))).collect();
        let is_minimal =
            |bits: &&usize| !closed.iter().any(|other| other != *bits && other & **bits == *other);
        let listed = |bits: &usize| (0..places as u32).filter(|at| bits >> at & 1 == 1).collect();
        let mut minimal: Vec<Vec<u32>> = closed.iter().filter(is_minimal).map(listed).collect();
        minimal.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        minimal
    }

    #[test]
    fn minimal_sets_are_those_of_the_definition() {
        let mut counts = [0; 4];
        for seed in 0..3_000 {
            let mut random = TestRng::new(seed);
            let shape = NetShape {
                places: 2 + seed as usize % 7,
                transitions: 2 + seed as usize / 7 % 7,
                inhibitors: 10,
                ..NetShape::default()
            };
            let net = random::structured(&mut random, seed).filter(|net| net.nodes().places.len() <= 10);
            let net = net.unwrap_or_else(|| random::net(&mut random, &shape));
            let places = net.nodes().places.len();
            let structure = NetStructure::of(&net);
            let siphons = minimal_sets(structure, TokenSet::Siphon, ALL);
            let traps = minimal_sets(structure, TokenSet::Trap, ALL);
            assert!(siphons.is_complete() && traps.is_complete());
            assert_eq!(siphons.found, enumerated(places, |set| is_siphon(&net, set)), "seed {seed}: {net:?}");
            assert_eq!(traps.found, enumerated(places, |set| is_trap(&net, set)), "seed {seed}: {net:?}");
            for (at, number) in [siphons.found.len(), traps.found.len()].into_iter().enumerate() {
                counts[2 * at] += number;
                counts[2 * at + 1] += usize::from(number > 3);
            }
        }
        assert!(counts[0] > 5_000 && counts[1] > 300 && counts[2] > 5_000 && counts[3] > 300, "{counts:?}");
    }
}
