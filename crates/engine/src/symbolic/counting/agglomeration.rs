//! Agglomeration: places into which the tokens of one place move freely become one place with it.
//!
//! What: a *move* is a transition that takes one token from a place and puts it into another, and does nothing else. A set of places is
//! agglomerated if it has a strongly connected component of moves, its *root*, from which moves within the set lead to all its places, and
//! if all other places of the set are empty initially and get tokens by moves within the set only. No inhibitor arc is at a place of the set.
//! The places become one; moves between them take a token from it and put it back, so that they are still counted.
//!
//! Proof. A marking is projected by adding up the tokens of the set. A firing of the net is a firing of the agglomerated net between the
//! projections, or a move, which changes nothing: each transition takes and gives as much together, and a move needs a token in the set.
//! Conversely, let a run of the agglomerated net be given. The net can follow it with all tokens of the set in one place of the root: a firing
//! that takes tokens from places of the set follows moves that bring just these tokens there, which lead through the set; tokens that it gives
//! arrive in the root, or it is a move, and from the root they move back. A firing that changes nothing is left out. So for each reachable marking of the agglomerated net the one with all
//! tokens in the root is reachable, and from it all distributions, for all sets independently, since moves depend on nothing else. Where the
//! places had spreads, each distribution over the set stands for all distributions over its places, so spreads are added up.
//! For a transition that takes `w` tokens of several places of the set, these are fixed by themselves, and invariant 2 holds.
//!
//! Roots are closed in topological order of the components: one that tokens enter from elsewhere, or from places of different sets, is the
//! root of a new set. Cost: linear in the net.

use std::collections::BTreeMap;

use fireset_kernel::scc;

use super::{CountedArcs, CountingReduction, SparseForm, Unreduced};

impl CountingReduction {
    /// Agglomerates all sets of places; tells whether there was one.
    pub(super) fn agglomerate(&mut self) -> Result<bool, Unreduced> {
        let sets = self.sets();
        if sets.iter().enumerate().all(|(place, &set)| place == set) {
            return Ok(false);
        }
        for (place, &set) in sets.iter().enumerate().filter(|(place, set)| place != *set) {
            let sum = self.tokens[set].checked_add(self.tokens[place]).ok_or(Unreduced)?;
            (self.tokens[set], self.tokens[place]) = (sum, 0);
            self.spread[set] += std::mem::take(&mut self.spread[place]);
        }
        for CountedArcs { takes, gives, .. } in &mut self.arcs {
            *takes = joined(takes, &sets)?;
            *gives = joined(gives, &sets)?;
        }
        for form in self.redundant.iter_mut().chain([&mut self.total]) {
            form.agglomerate(&sets);
        }
        Ok(true)
    }

    /// For each place the place that stands for its set.
    fn sets(&self) -> Vec<usize> {
        let places = self.spread.len();
        let (mut moves, mut is_entered) = (vec![Vec::new(); places], vec![false; places]);
        for arcs in &self.arcs {
            match self.as_move(arcs) {
                Some((from, to)) => moves[from].push(to as u32),
                // Firing it changes nothing, so no run needs it.
                None if arcs.takes == arcs.gives => {}
                None => arcs.gives.keys().for_each(|&place| is_entered[place] = true),
            }
        }
        (0..places).for_each(|place| is_entered[place] |= self.tokens[place] > 0 || self.inhibiting[place]);
        let components = scc::components(places, |place, next| next.extend(&moves[place as usize]));
        let mut sets: Vec<usize> = (0..places).collect();
        // By component, the sets from which moves lead to it.
        let mut component_of = vec![0; places];
        for (at, component) in components.iter().enumerate() {
            component.iter().for_each(|&place| component_of[place as usize] = at);
        }
        let mut sources: Vec<Vec<usize>> = vec![Vec::new(); components.len()];
        // Reverse topological order, reversed.
        for at in (0..components.len()).rev() {
            let component = &components[at];
            let entered = component.iter().any(|&place| is_entered[place as usize]);
            let set = match &sources[at][..] {
                [only] if !entered => *only,
                _ => component[0] as usize,
            };
            for &place in component {
                sets[place as usize] = set;
                for &next in &moves[place as usize] {
                    let next = component_of[next as usize];
                    if next != at && !sources[next].contains(&set) {
                        sources[next].push(set);
                    }
                }
            }
        }
        sets
    }

    /// The places between which a transition moves a token.
    fn as_move(&self, arcs: &CountedArcs) -> Option<(usize, usize)> {
        let mut ends = arcs.takes.iter().zip(&arcs.gives);
        let is_move = arcs.takes.len() == 1 && arcs.gives.len() == 1 && arcs.inhibited_from.is_empty();
        match ends.next() {
            Some(((&from, 1), (&to, 1))) if is_move && from != to => {
                (!self.inhibiting[from] && !self.inhibiting[to]).then_some((from, to))
            }
            _ => None,
        }
    }
}

/// Adds up the weights of arcs to places that become one.
fn joined(arcs: &BTreeMap<usize, u64>, sets: &[usize]) -> Result<BTreeMap<usize, u64>, Unreduced> {
    let mut joined: BTreeMap<usize, u64> = BTreeMap::new();
    for (&place, &weight) in arcs {
        let sum = joined.entry(sets[place]).or_default();
        *sum = sum.checked_add(weight).ok_or(Unreduced)?;
    }
    Ok(joined)
}

impl SparseForm {
    /// All tokens of a set may be in the place with the largest weight.
    fn agglomerate(&mut self, sets: &[usize]) {
        let mut largest: BTreeMap<usize, i64> = BTreeMap::new();
        for (&place, &weight) in &self.weights {
            let most = largest.entry(sets[place]).or_default();
            *most = weight.max(*most);
        }
        self.weights = largest;
    }
}
