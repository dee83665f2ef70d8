//! The state-space size: the numbers of markings and firings, and the most tokens. On a net that was reduced for counting, each local
//! state stands for a number of distributions of its tokens.

use std::collections::HashMap;

use fireset_kernel::mdd::{MddManager, MddNode, NodeValues, Stopped};
use fireset_net::{Net, PlaceId, StateSpaceSize};
use num_bigint::BigUint;

use super::{
    counting::{CountedNet, LinearForm},
    events::{EventTable, PositionEffect},
    satisfaction,
};

/// The number of markings below each node of a set.
pub(super) struct MarkingCount {
    set: MddNode,
    counts: NodeValues<BigUint>,
    /// Of the variables from the lowest on.
    weights: Vec<LocalWeights>,
}

/// How many markings of its places each local state of a variable stands for; nothing where that is one for all of them.
type LocalWeights = Option<Vec<BigUint>>;

/// Adds a number of markings below a local state.
fn add(sum: &mut BigUint, weights: &LocalWeights, local: u32, below: &BigUint) {
    match weights {
        Some(weights) => *sum += &weights[local as usize] * below,
        None => *sum += below,
    }
}

impl MarkingCount {
    /// `counted` is the net whose markings are in the set, if it was reduced for counting.
    pub(super) fn new(
        diagram: &MddManager<'_>,
        events: &EventTable,
        set: MddNode,
        counted: Option<&CountedNet>,
    ) -> Self {
        let weights =
            (1..=diagram.variable(set)).map(|variable| local_weights(events, variable, &[], counted));
        let weights: Vec<LocalWeights> = weights.collect();
        let counts = diagram.fold(set, BigUint::from(1u8), |variable, edges, below| {
            let mut sum = BigUint::default();
            edges
                .iter()
                .for_each(|&(local, child)| add(&mut sum, &weights[variable - 1], local, &below[child]));
            sum
        });
        Self { set, counts, weights }
    }

    /// The number of markings, or the largest 64-bit number.
    pub(super) fn states_or_most(&self) -> u64 {
        u64::try_from(&self.counts[self.set]).unwrap_or(u64::MAX)
    }

    pub(super) fn state_space_size(
        &self,
        diagram: &MddManager<'_>,
        events: &EventTable,
        (net, counted): (&Net, Option<&CountedNet>),
    ) -> Result<StateSpaceSize, Stopped> {
        let all = || LinearForm::sum(&net.nodes().place_ids().collect::<Vec<_>>());
        let total = counted.map_or_else(all, |counted| counted.total.clone());
        let mut max_in_place = u128::from(self.most_in_place(diagram, events));
        for redundant in counted.iter().flat_map(|counted| &counted.redundant) {
            diagram.check_limits()?;
            max_in_place = max_in_place.max(self.most(diagram, events, redundant));
        }
        Ok(StateSpaceSize {
            states: self.counts[self.set].clone().into(),
            firings: self.firings(diagram, events, counted)?.into(),
            max_in_marking: self.most(diagram, events, &total).into(),
            max_in_place: max_in_place.into(),
        })
    }

    /// The most tokens of some places together.
    pub(super) fn bound(&self, diagram: &MddManager<'_>, events: &EventTable, places: &[PlaceId]) -> u128 {
        self.most(diagram, events, &LinearForm::sum(places))
    }

    /// The largest value of a form that counts tokens.
    fn most(&self, diagram: &MddManager<'_>, events: &EventTable, form: &LinearForm) -> u128 {
        let weights = satisfaction::weights(events, diagram.variable(self.set), &form.terms);
        let most = diagram.fold(self.set, 0, |variable, edges, below| {
            let sums =
                edges.iter().map(|&(local, child)| weights[variable - 1][local as usize] + below[child]);
            sums.max().expect("a node has edges")
        });
        u128::try_from(most[self.set] + form.constant).expect("tokens are not negative")
    }

    /// The most tokens of any one place.
    pub(super) fn most_in_place(&self, diagram: &MddManager<'_>, events: &EventTable) -> u64 {
        let occurring = self.occurring(diagram);
        let most = |(variable, states): (usize, &Vec<u32>)| {
            states.iter().flat_map(|&local| events.tokens(variable + 1, local)).max().copied()
        };
        occurring.iter().enumerate().filter_map(most).max().unwrap_or(0)
    }

    /// Whether some place has its initial count in all markings.
    pub(super) fn keeps_a_count(&self, diagram: &MddManager<'_>, events: &EventTable, net: &Net) -> bool {
        let (occurring, initial) = (self.occurring(diagram), net.initial_marking());
        net.nodes().place_ids().any(|place| {
            let (variable, position) = events.place[place.index()];
            let states = &occurring[variable - 1];
            states.iter().all(|&local| events.tokens(variable, local)[position] == initial.tokens(place))
        })
    }

    /// The local states of each variable that occur.
    fn occurring(&self, diagram: &MddManager<'_>) -> Vec<Vec<u32>> {
        let mut occurring = vec![Vec::new(); diagram.variable(self.set)];
        for node in diagram.nodes(self.set) {
            occurring[diagram.variable(node) - 1].extend(diagram.edges(node).iter().map(|edge| edge.0));
        }
        for states in &mut occurring {
            states.sort_unstable();
            states.dedup();
        }
        occurring
    }

    /// The number of pairs of a marking and a transition that it enables.
    fn firings(
        &self,
        diagram: &MddManager<'_>,
        events: &EventTable,
        counted: Option<&CountedNet>,
    ) -> Result<BigUint, Stopped> {
        let nodes = diagram.nodes(self.set);
        // The number of markings of the variables above each node.
        let mut above: HashMap<MddNode, BigUint> = HashMap::from([(self.set, BigUint::from(1u8))]);
        let mut by_variable = vec![Vec::new(); diagram.variable(self.set) + 1];
        for &node in nodes.iter().rev() {
            let variable = diagram.variable(node);
            by_variable[variable].push(node);
            let paths = above[&node].clone();
            for &(local, child) in diagram.edges(node) {
                add(above.entry(child).or_default(), &self.weights[variable - 1], local, &paths);
            }
        }
        let mut all = BigUint::default();
        for event in &events.events {
            diagram.check_limits()?;
            let effects = events.effects_of(event);
            let (highest, lowest) = (effects[0].variable, effects[effects.len() - 1].variable);
            let enabling: HashMap<usize, (Vec<bool>, LocalWeights)> = effects
                .iter()
                .map(|effect| {
                    let allowed = events.allowed(effect);
                    (
                        effect.variable,
                        (allowed, local_weights(events, effect.variable, &effect.effects, counted)),
                    )
                })
                .collect();
            // Nodes from the event's lowest variable on, with the number of their markings that enable the event.
            let mut enabled: HashMap<MddNode, BigUint> = HashMap::new();
            for (variable, nodes) in by_variable.iter().enumerate().take(highest + 1).skip(lowest) {
                let (allowed, weights) = match enabling.get(&variable) {
                    Some((allowed, weights)) => (Some(allowed), weights),
                    None => (None, &self.weights[variable - 1]),
                };
                for &node in nodes {
                    let mut sum = BigUint::default();
                    for &(local, child) in diagram.edges(node) {
                        let below = match variable == lowest {
                            true => Some(&self.counts[child]),
                            false => enabled.get(&child),
                        };
                        let below = below.filter(|_| allowed.is_none_or(|allowed| allowed[local as usize]));
                        below.iter().for_each(|below| add(&mut sum, weights, local, below));
                    }
                    if sum != BigUint::default() {
                        enabled.insert(node, sum);
                    }
                }
            }
            for node in &by_variable[highest] {
                if let Some(count) = enabled.get(node) {
                    all += &above[node] * count * event.transitions.len();
                }
            }
        }
        Ok(all)
    }
}

/// How many markings each local state of a variable stands for in which certain tokens are in certain places, as many of each place as a
/// transition takes. It is 0 where there are fewer tokens.
fn local_weights(
    events: &EventTable,
    variable: usize,
    effects: &[PositionEffect],
    counted: Option<&CountedNet>,
) -> LocalWeights {
    let spread = |place: usize| counted.map_or(1, |counted| counted.spread[place]);
    let places = events.places(variable);
    if places.iter().all(|&place| spread(place) == 1) {
        return None;
    }
    let mut known: HashMap<(u64, u64), BigUint> = HashMap::new();
    let mut weight = |local: u32| {
        let mut product = BigUint::from(1u8);
        for (position, (&place, &tokens)) in places.iter().zip(events.tokens(variable, local)).enumerate() {
            let taken: u64 = effects.iter().filter(|e| e.position == position).map(|e| e.takes).sum();
            match (tokens.checked_sub(taken), spread(place)) {
                (None, _) => return BigUint::default(),
                (Some(_), 1) => {}
                (Some(free), spread) => {
                    product *= &*known.entry((free, spread)).or_insert_with(|| distributions(free, spread));
                }
            }
        }
        product
    };
    Some((0..events.local_states(variable) as u32).map(&mut weight).collect())
}

/// The number of distributions of tokens over places, of which there is one at least: `C(tokens + places - 1, places - 1)`.
fn distributions(tokens: u64, places: u64) -> BigUint {
    let (few, many) = (tokens.min(places - 1), tokens.max(places - 1));
    (1..=few).fold(BigUint::from(1u8), |count, i| count * (BigUint::from(many) + i) / i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_of_tokens() {
        for tokens in 0..6u64 {
            for places in 1..5u32 {
                let all = (0..(tokens + 1).pow(places)).filter(|code| {
                    let digits = (0..places).map(|at| code / (tokens + 1).pow(at) % (tokens + 1));
                    digits.sum::<u64>() == tokens
                });
                assert_eq!(distributions(tokens, places.into()), BigUint::from(all.count()));
            }
        }
    }
}
