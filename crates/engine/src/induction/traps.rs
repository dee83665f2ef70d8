//! Traps that are marked at the start: they stay marked, so that one of their places is never empty.
//!
//! A trap is a set of places to which every transition gives that takes from it. Weights do not matter, and inhibitor
//! arcs only keep transitions from firing. Source: Commoner (1972); as strengthening of SAT-based proofs Esparza and
//! Melzer (2000), who use them for inequalities. Invariant: a returned set is a trap of the net and marked at the start.
//! Cost: linear in the arcs. Test: below, by the definition, and `tests/induction.rs`.

use fireset_net::{Net, PlaceId, Rows, TransitionId};

/// The arcs of a net seen from its places.
#[derive(Clone, Debug)]
pub(super) struct Traps<'n> {
    net: &'n Net,
    takers: Rows<u32>,
    givers: Rows<u32>,
}

impl<'n> Traps<'n> {
    pub(super) fn new(net: &'n Net) -> Self {
        let places = net.nodes().places.len();
        let all = || net.nodes().transition_ids();
        let of = |t: TransitionId, place: PlaceId| (place.index(), t.index() as u32);
        let taken = all().flat_map(|t| net.pre(t).iter().map(move |arc| of(t, arc.place)));
        let given = all().flat_map(|t| net.post(t).iter().map(move |arc| of(t, arc.place)));
        Self { net, takers: Rows::group(places, taken), givers: Rows::group(places, given) }
    }

    fn gives_to(&self, transition: u32) -> impl Iterator<Item = usize> + '_ {
        self.net.post(TransitionId::new(transition as usize)).iter().map(|arc| arc.place.index())
    }

    fn takes_from(&self, transition: u32) -> impl Iterator<Item = usize> + '_ {
        self.net.pre(TransitionId::new(transition as usize)).iter().map(|arc| arc.place.index())
    }

    /// A trap among these places that is marked at the start; ascending.
    pub(super) fn marked_among(&self, mut places: Vec<bool>) -> Option<Vec<u32>> {
        let initial = &self.net.initial_marking().0;
        let is_marked = |places: &[bool], at: usize| places[at] && initial[at] > 0;
        if !(0..places.len()).any(|at| is_marked(&places, at)) {
            return None;
        }
        self.shrink(&mut places);
        let start = (0..places.len()).find(|&at| is_marked(&places, at))?;
        Some(self.around(start, &places))
    }

    /// Leaves the greatest trap among the places.
    fn shrink(&self, places: &mut [bool]) {
        let count = |t: u32| self.gives_to(t).filter(|&place| places[place]).count();
        let mut given: Vec<usize> = (0..self.net.nodes().transitions.len() as u32).map(count).collect();
        let empty = given.iter().enumerate().filter(|(_, given)| **given == 0);
        let mut open: Vec<u32> = empty.map(|(t, _)| t as u32).collect();
        while let Some(t) = open.pop() {
            for place in self.takes_from(t) {
                if !std::mem::replace(&mut places[place], false) {
                    continue;
                }
                for &giver in &self.givers[place] {
                    given[giver as usize] -= 1;
                    open.extend((given[giver as usize] == 0).then_some(giver));
                }
            }
        }
    }

    /// A small trap around a place of a trap, and inside it.
    fn around(&self, start: usize, within: &[bool]) -> Vec<u32> {
        let mut is_inside = vec![false; within.len()];
        is_inside[start] = true;
        let mut trap = vec![start as u32];
        let mut done = 0;
        while let Some(&place) = trap.get(done) {
            done += 1;
            for &taker in &self.takers[place as usize] {
                if self.gives_to(taker).any(|place| is_inside[place]) {
                    continue;
                }
                let fewest = |place: &usize| self.takers[*place].len();
                let next = self.gives_to(taker).filter(|&place| within[place]).min_by_key(fewest);
                if let Some(next) = next {
                    is_inside[next] = true;
                    trap.push(next as u32);
                }
            }
        }
        trap.sort_unstable();
        trap
    }
}

#[cfg(test)]
mod tests {
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;

    #[test]
    fn what_is_found_is_a_marked_trap() {
        let mut found = 0;
        for seed in 0..1_000 {
            let mut random = TestRng::new(seed);
            let net = random::net(&mut random, &NetShape::default());
            let among: Vec<bool> = net.nodes().place_ids().map(|_| random.percent(70)).collect();
            let Some(trap) = Traps::new(&net).marked_among(among.clone()) else { continue };
            found += 1;
            assert!(trap.iter().all(|&place| among[place as usize]));
            assert!(trap.iter().any(|&place| net.initial_marking().0[place as usize] > 0));
            let is_inside = |arc: &fireset_net::Arc| trap.contains(&(arc.place.index() as u32));
            for t in net.nodes().transition_ids() {
                assert!(
                    !net.pre(t).iter().any(is_inside) || net.post(t).iter().any(is_inside),
                    "seed {seed}"
                );
            }
        }
        assert!(found > 100, "only {found}");
    }
}
