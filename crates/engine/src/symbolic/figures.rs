//! What is counted of all reachable markings.

use std::collections::HashMap;

use fireset_kernel::mdd::{MddManager, MddNode, NodeValues, Stopped};
use fireset_net::{Figures, Net, PlaceId};
use num_bigint::BigUint;

use super::{events::Events, sets};

/// How many vectors each node of a set has.
pub(super) struct Counted {
    set: MddNode,
    counts: NodeValues<BigUint>,
}

impl Counted {
    pub(super) fn new(diagram: &MddManager<'_>, set: MddNode) -> Self {
        let counts = diagram.fold(set, BigUint::from(1u8), |_, edges, below| {
            edges.iter().map(|&(_, child)| &below[child]).sum()
        });
        Self { set, counts }
    }

    /// How many there are, or the largest number.
    pub(super) fn states_or_most(&self) -> u64 {
        u64::try_from(&self.counts[self.set]).unwrap_or(u64::MAX)
    }

    /// The size of the state space.
    pub(super) fn figures(
        &self,
        diagram: &MddManager<'_>,
        events: &Events,
        net: &Net,
    ) -> Result<Figures, Stopped> {
        let places: Vec<PlaceId> = net.nodes().place_ids().collect();
        Ok(Figures {
            states: self.counts[self.set].clone().into(),
            firings: self.firings(diagram, events)?.into(),
            max_in_marking: self.bound(diagram, events, &places).into(),
            max_in_place: self.most_in_place(diagram, events).into(),
        })
    }

    /// The most tokens of some places together.
    pub(super) fn bound(&self, diagram: &MddManager<'_>, events: &Events, places: &[PlaceId]) -> u128 {
        let terms: Vec<(PlaceId, i64)> = places.iter().map(|&place| (place, 1)).collect();
        let weights = sets::weights(events, diagram.variable(self.set), &terms);
        let most = diagram.fold(self.set, 0, |level, edges, below| {
            let sums = edges.iter().map(|&(value, child)| weights[level - 1][value as usize] + below[child]);
            sums.max().expect("a node has edges")
        });
        u128::try_from(most[self.set]).expect("tokens are not negative")
    }

    /// The most tokens of one place.
    pub(super) fn most_in_place(&self, diagram: &MddManager<'_>, events: &Events) -> u64 {
        let occurring = self.occurring(diagram);
        let most = |(level, values): (usize, &Vec<u32>)| {
            values.iter().flat_map(|&value| events.tokens(level + 1, value)).max().copied()
        };
        occurring.iter().enumerate().filter_map(most).max().unwrap_or(0)
    }

    /// Whether some place has its initial count in all markings.
    pub(super) fn keeps_a_count(&self, diagram: &MddManager<'_>, events: &Events, net: &Net) -> bool {
        let (occurring, initial) = (self.occurring(diagram), net.initial_marking());
        net.nodes().place_ids().any(|place| {
            let (level, position) = events.place[place.index()];
            let values = &occurring[level - 1];
            values.iter().all(|&value| events.tokens(level, value)[position] == initial.tokens(place))
        })
    }

    /// The values that occur at each level.
    fn occurring(&self, diagram: &MddManager<'_>) -> Vec<Vec<u32>> {
        let mut occurring = vec![Vec::new(); diagram.variable(self.set)];
        for node in diagram.nodes(self.set) {
            occurring[diagram.variable(node) - 1].extend(diagram.edges(node).iter().map(|edge| edge.0));
        }
        for values in &mut occurring {
            values.sort_unstable();
            values.dedup();
        }
        occurring
    }

    /// How many firings there are in all markings.
    fn firings(&self, diagram: &MddManager<'_>, events: &Events) -> Result<BigUint, Stopped> {
        let nodes = diagram.nodes(self.set);
        // How many ways lead to each node from above.
        let mut above: HashMap<MddNode, BigUint> = HashMap::from([(self.set, BigUint::from(1u8))]);
        let mut by_level = vec![Vec::new(); diagram.variable(self.set) + 1];
        for &node in nodes.iter().rev() {
            by_level[diagram.variable(node)].push(node);
            let ways = above[&node].clone();
            for &(_, child) in diagram.edges(node) {
                *above.entry(child).or_default() += &ways;
            }
        }
        let mut all = BigUint::default();
        for event in &events.events {
            diagram.check_limits()?;
            let allowed = events.allowed(event);
            let (highest, lowest) = (allowed[0].0, allowed[allowed.len() - 1].0);
            let allows: HashMap<usize, Vec<bool>> = allowed.into_iter().collect();
            // Nodes of the levels from the lowest on, with how many of their vectors allow the event.
            let mut enabled: HashMap<MddNode, BigUint> = HashMap::new();
            for (level, nodes) in by_level.iter().enumerate().take(highest + 1).skip(lowest) {
                let allows = allows.get(&level);
                for &node in nodes {
                    let allowed = diagram
                        .edges(node)
                        .iter()
                        .filter(|edge| allows.is_none_or(|allows| allows[edge.0 as usize]));
                    let count = |&(_, child): &(u32, MddNode)| match level == lowest {
                        true => Some(&self.counts[child]),
                        false => enabled.get(&child),
                    };
                    let sum: BigUint = allowed.filter_map(count).sum();
                    if sum != BigUint::default() {
                        enabled.insert(node, sum);
                    }
                }
            }
            for node in &by_level[highest] {
                if let Some(count) = enabled.get(node) {
                    all += &above[node] * count * event.transitions.len();
                }
            }
        }
        Ok(all)
    }
}
