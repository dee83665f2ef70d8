//! Siphons without tokens, which stay so: what formulas have which value for ever because of one.
//!
//! A siphon is a set of places such that each transition that gives to one of them takes from one of them. So one without tokens
//! never gets any, whatever the weights and inhibitor arcs are. Where each firing that `q` waits for takes from it, `EF q` is false;
//! a search would visit all markings that follow to see this. Textbook structure theory; the largest siphon among the unmarked places
//! is found as in the linear fixed point of Horn clauses, by taking out what a transition gives to that takes from none of them.
//!
//! Invariant: [`SiphonFinder::closed`] gives a siphon among the places of the largest. Cost: the arcs, for each marking. Test: below.

use fireset_net::{Net, PlaceId, TransitionId};

/// Finds siphons among the unmarked places of markings.
pub(super) struct SiphonFinder<'a> {
    net: &'a Net,
    /// By place: the transitions that take from it, and those that give to it.
    takers: Vec<Vec<TransitionId>>,
    givers: Vec<Vec<TransitionId>>,
    /// Whether each place is in the siphon that was found last.
    inside: Vec<bool>,
    /// How many places each transition takes from that are in it.
    inputs: Vec<u32>,
    /// Transitions whose outputs are to be taken out.
    out: Vec<TransitionId>,
}

impl<'a> SiphonFinder<'a> {
    pub(super) fn new(net: &'a Net) -> Self {
        let places = net.nodes().places.len();
        let (mut takers, mut givers) = (vec![Vec::new(); places], vec![Vec::new(); places]);
        for transition in net.nodes().transition_ids() {
            net.pre(transition).iter().for_each(|arc| takers[arc.place.index()].push(transition));
            net.post(transition).iter().for_each(|arc| givers[arc.place.index()].push(transition));
        }
        let inputs = vec![0; net.nodes().transitions.len()];
        Self { net, takers, givers, inside: vec![false; places], inputs, out: Vec::new() }
    }

    /// Finds the largest siphon among the places without tokens; whether it has a place.
    pub(super) fn find(&mut self, tokens: impl Fn(PlaceId) -> u64) -> bool {
        for place in self.net.nodes().place_ids() {
            self.inside[place.index()] = tokens(place) == 0;
        }
        self.out.clear();
        for transition in self.net.nodes().transition_ids() {
            let inside = self.net.pre(transition).iter().filter(|arc| self.inside[arc.place.index()]);
            self.inputs[transition.index()] = inside.count() as u32;
            if self.inputs[transition.index()] == 0 {
                self.out.push(transition);
            }
        }
        while let Some(transition) = self.out.pop() {
            for arc in self.net.post(transition) {
                if !std::mem::take(&mut self.inside[arc.place.index()]) {
                    continue;
                }
                for &taker in &self.takers[arc.place.index()] {
                    self.inputs[taker.index()] -= 1;
                    if self.inputs[taker.index()] == 0 {
                        self.out.push(taker);
                    }
                }
            }
        }
        self.inside.contains(&true)
    }

    /// Whether a place is in the siphon that was found last.
    pub(super) fn has(&self, place: PlaceId) -> bool {
        self.inside[place.index()]
    }

    /// The places in that siphon from which a transition takes.
    pub(super) fn inputs(&self, transition: TransitionId) -> impl Iterator<Item = PlaceId> + Clone {
        self.net.pre(transition).iter().map(|arc| arc.place).filter(|&place| self.has(place))
    }

    /// A small siphon with some places, all in the one that was found last.
    pub(super) fn closed(&self, seeds: &[PlaceId]) -> Vec<PlaceId> {
        let mut chosen = vec![false; self.inside.len()];
        let mut siphon = Vec::new();
        for &seed in seeds {
            if !std::mem::replace(&mut chosen[seed.index()], true) {
                siphon.push(seed);
            }
        }
        let mut at = 0;
        while let Some(&place) = siphon.get(at) {
            for &giver in &self.givers[place.index()] {
                let mut inputs = self.inputs(giver);
                let input = inputs.clone().find(|place| chosen[place.index()]).or_else(|| inputs.next());
                let input = input.expect("each transition that gives to a siphon takes from it");
                if !std::mem::replace(&mut chosen[input.index()], true) {
                    siphon.push(input);
                }
            }
            at += 1;
        }
        siphon
    }
}

#[cfg(test)]
mod tests {
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;

    /// Every siphon among the unmarked places is in the largest, which is one; so is what seeds are closed to.
    #[test]
    fn it_is_the_largest_siphon() {
        let (mut found, mut smaller) = (0, 0);
        for seed in 0..1_000 {
            let mut random = TestRng::new(seed);
            let net =
                random::net(&mut random, &NetShape { places: 6, transitions: 5, ..NetShape::default() });
            let places: Vec<PlaceId> = net.nodes().place_ids().collect();
            let tokens = |place| net.initial_marking().tokens(place);
            let is_siphon = |set: &[PlaceId]| {
                let touches = |arcs: &[fireset_net::Arc]| arcs.iter().any(|arc| set.contains(&arc.place));
                net.nodes().transition_ids().all(|t| !touches(net.post(t)) || touches(net.pre(t)))
            };
            let mut union = vec![false; places.len()];
            for bits in 1..1_u32 << places.len() {
                let set: Vec<PlaceId> =
                    places.iter().copied().filter(|p| bits >> p.index() & 1 == 1).collect();
                if set.iter().all(|&place| tokens(place) == 0) && is_siphon(&set) {
                    set.iter().for_each(|place| union[place.index()] = true);
                }
            }
            let mut finder = SiphonFinder::new(&net);
            assert_eq!(finder.find(tokens), union.contains(&true), "seed {seed}");
            assert_eq!(finder.inside, union, "seed {seed}");
            for &place in places.iter().filter(|place| union[place.index()]) {
                let closed = finder.closed(&[place]);
                assert!(closed.contains(&place) && is_siphon(&closed), "seed {seed}");
                assert!(closed.iter().all(|&place| finder.has(place)), "seed {seed}");
                found += 1;
                smaller += usize::from(closed.len() < union.iter().filter(|&&inside| inside).count());
            }
        }
        assert!(found > 300 && smaller > 100, "{found} {smaller}");
    }
}
