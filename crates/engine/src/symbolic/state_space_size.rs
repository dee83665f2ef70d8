//! The state-space size: the numbers of markings and firings, and the most tokens.

use std::collections::HashMap;

use fireset_kernel::mdd::{MddManager, MddNode, NodeValues, Stopped};
use fireset_net::{Net, PlaceId, StateSpaceSize};
use num_bigint::BigUint;

use super::{events::EventTable, satisfaction};

/// The number of markings below each node of a set.
pub(super) struct MarkingCount {
    set: MddNode,
    counts: NodeValues<BigUint>,
}

impl MarkingCount {
    pub(super) fn new(diagram: &MddManager<'_>, set: MddNode) -> Self {
        let counts = diagram.fold(set, BigUint::from(1u8), |_, edges, below| {
            edges.iter().map(|&(_, child)| &below[child]).sum()
        });
        Self { set, counts }
    }

    /// The number of markings, or the largest 64-bit number.
    pub(super) fn states_or_most(&self) -> u64 {
        u64::try_from(&self.counts[self.set]).unwrap_or(u64::MAX)
    }

    pub(super) fn state_space_size(
        &self,
        diagram: &MddManager<'_>,
        events: &EventTable,
        net: &Net,
    ) -> Result<StateSpaceSize, Stopped> {
        let places: Vec<PlaceId> = net.nodes().place_ids().collect();
        Ok(StateSpaceSize {
            states: self.counts[self.set].clone().into(),
            firings: self.firings(diagram, events)?.into(),
            max_in_marking: self.bound(diagram, events, &places).into(),
            max_in_place: self.most_in_place(diagram, events).into(),
        })
    }

    /// The most tokens of some places together.
    pub(super) fn bound(&self, diagram: &MddManager<'_>, events: &EventTable, places: &[PlaceId]) -> u128 {
        let terms: Vec<(PlaceId, i64)> = places.iter().map(|&place| (place, 1)).collect();
        let weights = satisfaction::weights(events, diagram.variable(self.set), &terms);
        let most = diagram.fold(self.set, 0, |variable, edges, below| {
            let sums =
                edges.iter().map(|&(local, child)| weights[variable - 1][local as usize] + below[child]);
            sums.max().expect("a node has edges")
        });
        u128::try_from(most[self.set]).expect("tokens are not negative")
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
    fn firings(&self, diagram: &MddManager<'_>, events: &EventTable) -> Result<BigUint, Stopped> {
        let nodes = diagram.nodes(self.set);
        // The number of paths from the root to each node.
        let mut above: HashMap<MddNode, BigUint> = HashMap::from([(self.set, BigUint::from(1u8))]);
        let mut by_variable = vec![Vec::new(); diagram.variable(self.set) + 1];
        for &node in nodes.iter().rev() {
            by_variable[diagram.variable(node)].push(node);
            let paths = above[&node].clone();
            for &(_, child) in diagram.edges(node) {
                *above.entry(child).or_default() += &paths;
            }
        }
        let mut all = BigUint::default();
        for event in &events.events {
            diagram.check_limits()?;
            let allowed = events.allowed(event);
            let (highest, lowest) = (allowed[0].0, allowed[allowed.len() - 1].0);
            let allows: HashMap<usize, Vec<bool>> = allowed.into_iter().collect();
            // Nodes from the event's lowest variable on, with the number of their vectors that enable the event.
            let mut enabled: HashMap<MddNode, BigUint> = HashMap::new();
            for (variable, nodes) in by_variable.iter().enumerate().take(highest + 1).skip(lowest) {
                let allows = allows.get(&variable);
                for &node in nodes {
                    let allowed = diagram
                        .edges(node)
                        .iter()
                        .filter(|edge| allows.is_none_or(|allows| allows[edge.0 as usize]));
                    let count = |&(_, child): &(u32, MddNode)| match variable == lowest {
                        true => Some(&self.counts[child]),
                        false => enabled.get(&child),
                    };
                    let sum: BigUint = allowed.filter_map(count).sum();
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
