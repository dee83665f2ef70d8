//! S-components and T-components.
//!
//! What: an *S-component* is a set of places that, with all transitions at them and arcs of weight 1, is a strongly connected
//! state machine: each of these transitions has one input place and one output place in the set. Its number of tokens never
//! changes. A *T-component* is the same with places and transitions exchanged: a strongly connected marked graph.
//! Source: Hack, "Analysis of production schemata by Petri nets" (1972); Desel and Esparza, "Free choice Petri nets" (1995),
//! chapter 5. A node without arcs is a component too.
//!
//! All weights of the invariant of an S-component are 1, and since the component is connected, its invariants are the multiples of
//! this one: it is a minimal P-semiflow. So the components are those minimal semiflows that pass the tests here, and they are
//! all components if the semiflows are all minimal ones.
//! Cost: linear in the arcs at the nodes of each semiflow. Test: below, against all subsets of nodes of random nets.

use fireset_net::{Arc, Net, TransitionId};

use crate::{SparseVector, class_breaches::place_neighbours};

/// The positions of the P-semiflows whose places are an S-component.
pub fn s_components(net: &Net, semiflows: &[SparseVector]) -> Vec<usize> {
    let (inputs, outputs) = place_neighbours(net);
    let mut inside = vec![false; net.nodes().places.len()];
    positions(semiflows, |places| {
        places.iter().for_each(|&place| inside[place as usize] = true);
        let ends = |arcs: &[Arc]| -> Ends {
            let inner = arcs.iter().filter(|arc| inside[arc.place.index()]);
            inner.map(|arc| (arc.place.index() as u32, arc.weight)).collect()
        };
        let neighbours = places.iter().flat_map(|&p| inputs[p as usize].iter().chain(&outputs[p as usize]));
        let between: Vec<(Ends, Ends)> = distinct(neighbours.map(|t| t.index() as u32))
            .map(|t| TransitionId::new(t as usize))
            .map(|t| (ends(net.pre(t)), ends(net.post(t))))
            .collect();
        places.iter().for_each(|&place| inside[place as usize] = false);
        is_component(places, &between)
    })
}

/// The positions of the T-semiflows whose transitions are a T-component.
pub fn t_components(net: &Net, semiflows: &[SparseVector]) -> Vec<usize> {
    let (inputs, outputs) = place_neighbours(net);
    let mut inside = vec![false; net.nodes().transitions.len()];
    positions(semiflows, |transitions| {
        transitions.iter().for_each(|&t| inside[t as usize] = true);
        let arcs = |t: &u32| {
            let t = TransitionId::new(*t as usize);
            net.pre(t).iter().chain(net.post(t))
        };
        let weight = |arcs: &[Arc], place: u32| {
            arcs.iter().find(|arc| arc.place.index() as u32 == place).map_or(0, |arc| arc.weight)
        };
        type OfTransition = fn(&Net, TransitionId) -> &[Arc];
        let ends = |neighbours: &[TransitionId], place: u32, arcs: OfTransition| -> Ends {
            let inner = neighbours.iter().filter(|t| inside[t.index()]);
            inner.map(|&t| (t.index() as u32, weight(arcs(net, t), place))).collect()
        };
        let between: Vec<(Ends, Ends)> =
            distinct(transitions.iter().flat_map(arcs).map(|arc| arc.place.index() as u32))
                .map(|p| (ends(&inputs[p as usize], p, Net::post), ends(&outputs[p as usize], p, Net::pre)))
                .collect();
        transitions.iter().for_each(|&t| inside[t as usize] = false);
        is_component(transitions, &between)
    })
}

/// Nodes of the component at one side of a node between them, and the weights of the arcs.
type Ends = Vec<(u32, u64)>;

fn positions(semiflows: &[SparseVector], mut is_component: impl FnMut(&[u32]) -> bool) -> Vec<usize> {
    let nodes = |semiflow: &SparseVector| -> Vec<u32> { semiflow.iter().map(|entry| entry.0).collect() };
    let of_ones = |semiflow: &SparseVector| semiflow.iter().all(|entry| entry.1 == 1);
    (0..semiflows.len())
        .filter(|&at| of_ones(&semiflows[at]) && is_component(&nodes(&semiflows[at])))
        .collect()
}

fn distinct(nodes: impl Iterator<Item = u32>) -> impl Iterator<Item = u32> {
    let mut nodes: Vec<u32> = nodes.collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.into_iter()
}

/// Whether each node between has one arc of weight 1 from the set and one to it, and these lead from everywhere to everywhere.
fn is_component(nodes: &[u32], between: &[(Ends, Ends)]) -> bool {
    let mut edges = Vec::with_capacity(between.len());
    for (from, to) in between {
        let (&[(from, 1)], &[(to, 1)]) = (&from[..], &to[..]) else { return false };
        edges.push((from, to));
    }
    let reversed: Vec<(u32, u32)> = edges.iter().map(|&(from, to)| (to, from)).collect();
    reaches_all(nodes, edges) && reaches_all(nodes, reversed)
}

fn reaches_all(nodes: &[u32], mut edges: Vec<(u32, u32)>) -> bool {
    edges.sort_unstable();
    let mut seen = vec![false; nodes.len()];
    let mut open = vec![nodes[0]];
    let mut found = 0;
    while let Some(node) = open.pop() {
        let at = nodes.binary_search(&node).expect("edges lead from node to node");
        if !std::mem::replace(&mut seen[at], true) {
            found += 1;
            let first = edges.partition_point(|edge| edge.0 < node);
            open.extend(edges[first..].iter().take_while(|edge| edge.0 == node).map(|edge| edge.1));
        }
    }
    found == nodes.len()
}

#[cfg(test)]
mod tests {
    use fireset_oracle::{
        random::{self, NetShape, TestRng},
        tiny,
    };

    use super::*;
    use crate::{EnumerationLimits, NetClasses, NetStructure};

    const ALL: EnumerationLimits = EnumerationLimits { number: usize::MAX, deadline: None };

    /// The net of some places with the transitions at them, or of some transitions with the places at them.
    fn generated(net: &Net, places: &[bool], transitions: &[bool]) -> Net {
        let mut builder = fireset_net::NetBuilder::new("part");
        let mut number = vec![None; places.len()];
        for place in net.nodes().place_ids().filter(|p| places[p.index()]) {
            number[place.index()] = Some(builder.place(net.nodes().place(place), 0).unwrap());
        }
        for t in net.nodes().transition_ids().filter(|t| transitions[t.index()]) {
            let new = builder.transition(net.nodes().transition(t)).unwrap();
            for arc in net.pre(t) {
                number[arc.place.index()].into_iter().for_each(|p| builder.input(p, new, arc.weight));
            }
            for arc in net.post(t) {
                number[arc.place.index()].into_iter().for_each(|p| builder.output(new, p, arc.weight));
            }
        }
        builder.build().unwrap()
    }

    fn chosen(bits: usize, len: usize) -> Vec<bool> {
        (0..len).map(|at| bits >> at & 1 == 1).collect()
    }

    /// The sets of places, or of transitions, that generate a strongly connected state machine, or marked graph.
    fn enumerated(net: &Net) -> [Vec<Vec<u32>>; 2] {
        let nodes = net.nodes();
        let touches = |t: TransitionId, places: &[bool]| {
            net.pre(t).iter().chain(net.post(t)).any(|arc| places[arc.place.index()])
        };
        let listed = |set: &[bool]| (0..set.len() as u32).filter(|&at| set[at as usize]).collect();
        let mut found = [Vec::new(), Vec::new()];
        for bits in 1..1 << nodes.places.len() {
            let places = chosen(bits, nodes.places.len());
            let transitions: Vec<bool> = nodes.transition_ids().map(|t| touches(t, &places)).collect();
            let classes = NetClasses::of(&generated(net, &places, &transitions));
            if classes.state_machine && classes.strongly_connected && classes.ordinary {
                found[0].push(listed(&places));
            }
        }
        for bits in 1..1 << nodes.transitions.len() {
            let transitions = chosen(bits, nodes.transitions.len());
            let mut places = vec![false; nodes.places.len()];
            for t in nodes.transition_ids().filter(|t| transitions[t.index()]) {
                net.pre(t).iter().chain(net.post(t)).for_each(|arc| places[arc.place.index()] = true);
            }
            let classes = NetClasses::of(&generated(net, &places, &transitions));
            if classes.marked_graph && classes.strongly_connected && classes.ordinary {
                found[1].push(listed(&transitions));
            }
        }
        found
    }

    #[test]
    fn a_ring_with_a_weight_is_no_component() {
        let net = tiny::net("p:2 q; t: 2*p -> 2*q; u: 2*q -> 2*p");
        let semiflows = NetStructure::of(&net).minimal_place_semiflows(ALL).found;
        assert_eq!((semiflows.len(), s_components(&net, &semiflows)), (1, vec![]));
    }

    #[test]
    fn components_are_those_of_the_definition() {
        let mut counts = [0; 2];
        for seed in 0..3_000 {
            let mut random = TestRng::new(seed);
            let shape = NetShape { places: 5, transitions: 6, weight: 1 + seed % 2, ..NetShape::default() };
            let is_small = |net: &Net| net.nodes().places.len().max(net.nodes().transitions.len()) <= 7;
            let fits = |net: &Net| net.incidence().is_some();
            let net = random::structured(&mut random, seed).filter(is_small).filter(fits);
            let net = net.unwrap_or_else(|| random::net(&mut random, &shape));
            let structure = NetStructure::of(&net);
            let (of_places, of_transitions) = (
                structure.minimal_place_semiflows(ALL).found,
                structure.minimal_transition_semiflows(ALL).found,
            );
            let sets = |at: Vec<usize>, semiflows: &[SparseVector]| -> Vec<Vec<u32>> {
                let set = |at: usize| semiflows[at].iter().map(|entry| entry.0).collect();
                let mut sets: Vec<Vec<u32>> = at.into_iter().map(set).collect();
                sets.sort();
                sets
            };
            let found = [
                sets(s_components(&net, &of_places), &of_places),
                sets(t_components(&net, &of_transitions), &of_transitions),
            ];
            let mut expected = enumerated(&net);
            expected.iter_mut().for_each(|sets| sets.sort());
            assert_eq!(found, expected, "seed {seed}: {net:?}");
            counts = [counts[0] + found[0].len(), counts[1] + found[1].len()];
        }
        assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
    }
}
