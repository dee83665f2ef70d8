//! Reductions for counting: a smaller net whose markings each stand for a known number of markings of the net.
//!
//! Why: the diagram of a net with many tokens on few places has a node for each way in which tokens can be distributed; where they
//! move freely, their number alone matters. After Berthomieu, Le Botlan and Dal Zilio, "Counting Petri net markings from reduction
//! equations" (STTT 2019). How we differ: there are two rules only, so that a marking of the reduced net stands for a product of
//! binomial coefficients, and firings and the most tokens are counted too.
//!
//! | rule | what goes | what it stands for |
//! |---|---|---|
//! | [`agglomeration`] | places into which tokens move freely from one place | the distributions of the tokens over them |
//! | [`redundancy`] | a place whose tokens are a linear function of others, and which never disables | one value |
//!
//! A place of the reduced net has a *spread* `k`: its `x` tokens stand for all distributions over `k` places of the net.
//! Invariants, for each reachable marking of the reduced net:
//! (1) the markings that it stands for are all choices of a distribution for each of its places, with the redundant places as functions
//! of them; they are reachable, they are different for different markings, and every reachable marking is one of them;
//! (2) a transition keeps its number, and is enabled in those of them whose distributions have, for each place, certain tokens in
//! certain places, as many together as the transition takes from the place in the reduced net. Of `x` tokens over `k` places of which `w`
//! are fixed there are `C(x - w + k - 1, k - 1)` distributions.
//! (3) a redundant place has a spread of one when it goes, and is no longer part of any distribution.
//! So states are sums of products of such numbers, and so are firings. The tokens of a redundant place, and of a whole marking, are
//! linear forms with weights that are not negative; a place of the reduced net has the largest weight among its places, because all tokens
//! can be in that one. Needs: a place/transition net; places with inhibitor arcs stay. Cost: near linear in the net for each round.
//! Test: `tests.rs`, against the oracle.

mod agglomeration;
mod redundancy;

use std::collections::BTreeMap;

use fireset_net::{Budget, BuildError, Net, NetBuilder, Nupn, PlaceId, Unit};

/// A net reduced for counting, and what its markings stand for.
pub(super) struct CountedNet {
    /// Has the transitions of the net, in their order.
    pub(super) net: Net,
    /// By place, the number of places of the net over which its tokens are distributed.
    pub(super) spread: Vec<u64>,
    /// The largest number of tokens of the markings that a marking stands for.
    pub(super) total: LinearForm,
    /// The largest numbers of tokens of places that went.
    pub(super) redundant: Vec<LinearForm>,
}

/// A sum of weighted places, with weights that are not negative, and a constant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LinearForm {
    pub(super) terms: Vec<(PlaceId, i64)>,
    pub(super) constant: i128,
}

impl LinearForm {
    /// The tokens of some places together.
    pub(super) fn sum(places: &[PlaceId]) -> Self {
        Self { terms: places.iter().map(|&place| (place, 1)).collect(), constant: 0 }
    }
}

/// A net under reduction. Its places keep their numbers while it lasts.
struct CountingReduction {
    tokens: Vec<u64>,
    /// 0 for a place that went.
    spread: Vec<u64>,
    arcs: Vec<CountedArcs>,
    /// Places with inhibitor arcs.
    inhibiting: Vec<bool>,
    total: SparseForm,
    redundant: Vec<SparseForm>,
}

/// What a transition takes, gives and is inhibited from, by place.
#[derive(Clone, Default)]
struct CountedArcs {
    takes: BTreeMap<usize, u64>,
    gives: BTreeMap<usize, u64>,
    inhibited_from: BTreeMap<usize, u64>,
}

/// A linear form over the places under reduction.
#[derive(Clone, Default)]
struct SparseForm {
    weights: BTreeMap<usize, i64>,
    constant: i128,
}

/// A number did not fit, or the budget ended.
#[derive(Debug)]
struct Unreduced;

impl CountedNet {
    /// `None` where nothing can be reduced.
    pub(super) fn of(net: &Net, budget: &Budget) -> Option<Self> {
        let mut reduction = CountingReduction::new(net);
        let mut changed = false;
        loop {
            budget.go_on().ok()?;
            let more = reduction.agglomerate().ok()? | reduction.remove_redundant(budget).ok()?;
            if !more {
                break;
            }
            changed = true;
        }
        changed.then(|| reduction.finish(net).ok()).flatten()
    }
}

impl CountingReduction {
    fn new(net: &Net) -> Self {
        let places = net.nodes().places.len();
        let mut inhibiting = vec![false; places];
        let mut arcs = Vec::new();
        for t in net.nodes().transition_ids() {
            let mut of = CountedArcs::default();
            net.pre(t).iter().for_each(|arc| *of.takes.entry(arc.place.index()).or_default() += arc.weight);
            net.post(t).iter().for_each(|arc| *of.gives.entry(arc.place.index()).or_default() += arc.weight);
            for arc in net.inhibitors(t) {
                inhibiting[arc.place.index()] = true;
                let from = of.inhibited_from.entry(arc.place.index()).or_insert(arc.weight);
                *from = arc.weight.min(*from);
            }
            arcs.push(of);
        }
        let total = SparseForm { weights: (0..places).map(|place| (place, 1)).collect(), constant: 0 };
        let (tokens, spread) = (net.initial_marking().0.to_vec(), vec![1; places]);
        Self { tokens, spread, arcs, inhibiting, total, redundant: Vec::new() }
    }

    fn places(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.spread.len()).filter(|&place| self.spread[place] > 0)
    }

    fn finish(self, net: &Net) -> Result<CountedNet, BuildError> {
        let mut builder = NetBuilder::new(net.name.clone());
        let mut id = vec![None; self.spread.len()];
        for place in self.places() {
            id[place] = Some(builder.place(net.nodes().place(PlaceId::new(place)), self.tokens[place])?);
        }
        let place = |place: usize| id[place].expect("arcs and forms are about places that stay");
        for (t, arcs) in net.nodes().transition_ids().zip(&self.arcs) {
            let t = builder.transition(net.nodes().transition(t))?;
            arcs.takes.iter().for_each(|(&from, &weight)| builder.input(place(from), t, weight));
            arcs.gives.iter().for_each(|(&to, &weight)| builder.output(t, place(to), weight));
            arcs.inhibited_from.iter().for_each(|(&by, &weight)| builder.inhibitor(place(by), t, weight));
        }
        let form = |form: &SparseForm| LinearForm {
            terms: form.weights.iter().map(|(&at, &weight)| (place(at), weight)).collect(),
            constant: form.constant,
        };
        let mut redundant: Vec<LinearForm> = self.redundant.iter().map(form).collect();
        redundant.sort();
        redundant.dedup();
        let units = net.nupn().map(|nupn| {
            let unit = |unit: &Unit| {
                let places = unit.places.iter().filter_map(|place| id[place.index()]).collect();
                Unit { places, ..unit.clone() }
            };
            Nupn { units: nupn.units.iter().map(unit).collect(), ..nupn.clone() }
        });
        let spread = self.places().map(|place| self.spread[place]).collect();
        let (total, net) = (form(&self.total), builder.build()?.with_nupn(units));
        Ok(CountedNet { net, spread, total, redundant })
    }
}

#[cfg(test)]
mod tests;
