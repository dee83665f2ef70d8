//! Why a net is not in a structural class: the node or arc that breaks the definition.
//!
//! Definitions: those of [`NetClasses`](crate::NetClasses), and asymmetric choice of Murata (1989), section VI: of two places
//! with a common output transition, one has all output transitions of the other. Of several breaches the first is given, in the
//! order of the file.
//! Cost: linear in the arcs, but for asymmetric choice, where each place's output transitions are read for each of them.
//! Test: below, against `NetClasses` and by the definitions.

use fireset_kernel::scc;
use fireset_net::{Arc, Net, PlaceId, TransitionId};

/// The node or arc that keeps a net out of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassBreach {
    /// The arc between the two has a weight above 1.
    Weight(PlaceId, TransitionId, u64),
    /// The transition does not have one input place and one output place.
    TransitionEnds(TransitionId),
    /// The place does not have one input transition and one output transition: the numbers of both.
    PlaceEnds(PlaceId, usize, usize),
    /// The place has several output transitions, and this one has more input places.
    SharedInput(PlaceId, TransitionId),
    /// The two transitions share the place, but their inputs differ.
    UnequalInputs(PlaceId, [TransitionId; 2]),
    /// The two places have this output transition in common, and each has another one that the other has not.
    CrossedOutputs([PlaceId; 2], TransitionId),
    /// The transition gives back to the place that it takes from.
    Loop(PlaceId, TransitionId),
    /// No path leads back along the arc from the place to the transition.
    NoWayBackToPlace(PlaceId, TransitionId),
    /// No path leads back along the arc from the transition to the place.
    NoWayBackToTransition(TransitionId, PlaceId),
    /// The net falls into parts: no arcs lead from the first node's part to this place or transition.
    ApartPlace(PlaceId),
    /// The same for a transition.
    ApartTransition(TransitionId),
}

/// The classes with what breaks them; `None` for the classes that the net belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassBreaches {
    /// Against all weights being 1.
    pub ordinary: Option<ClassBreach>,
    /// Against each transition having one input place and one output place.
    pub state_machine: Option<ClassBreach>,
    /// Against each place having one input transition and one output transition.
    pub marked_graph: Option<ClassBreach>,
    /// Against a choice between transitions without other inputs.
    pub simple_free_choice: Option<ClassBreach>,
    /// Against a choice between transitions with the same inputs.
    pub extended_free_choice: Option<ClassBreach>,
    /// Against inclusion among the output transitions of places that share one.
    pub asymmetric_choice: Option<ClassBreach>,
    /// Against no transition giving back to a place that it takes from.
    pub loop_free: Option<ClassBreach>,
    /// Against one part.
    pub connected: Option<ClassBreach>,
    /// Against paths from every node to every other.
    pub strongly_connected: Option<ClassBreach>,
}

impl ClassBreaches {
    /// Tests the net for all classes.
    pub fn of(net: &Net) -> Self {
        let (inputs, outputs) = place_neighbours(net);
        let connected = apart(net);
        Self {
            ordinary: weight(net),
            state_machine: transitions(net)
                .find(|&t| net.pre(t).len() != 1 || net.post(t).len() != 1)
                .map(ClassBreach::TransitionEnds),
            marked_graph: net.nodes().place_ids().find_map(|p| {
                let (before, after) = (inputs[p.index()].len(), outputs[p.index()].len());
                (before != 1 || after != 1).then_some(ClassBreach::PlaceEnds(p, before, after))
            }),
            simple_free_choice: shared_input(net, &outputs),
            extended_free_choice: unequal_inputs(net),
            asymmetric_choice: crossed_outputs(net, &outputs),
            loop_free: transitions(net).find_map(|t| {
                let gives = |arc: &&Arc| net.post(t).binary_search_by_key(&arc.place, |b| b.place).is_ok();
                net.pre(t).iter().find(gives).map(|arc| ClassBreach::Loop(arc.place, t))
            }),
            strongly_connected: connected.clone().or_else(|| no_way_back(net, ArcKinds::WithInhibitors)),
            connected,
        }
    }
}

fn transitions(net: &Net) -> impl Iterator<Item = TransitionId> {
    net.nodes().transition_ids()
}

/// The input and the output transitions of each place, ascending.
pub(crate) fn place_neighbours(net: &Net) -> (Vec<Vec<TransitionId>>, Vec<Vec<TransitionId>>) {
    let places = net.nodes().places.len();
    let (mut inputs, mut outputs) = (vec![Vec::new(); places], vec![Vec::new(); places]);
    for t in transitions(net) {
        net.pre(t).iter().for_each(|arc| outputs[arc.place.index()].push(t));
        net.post(t).iter().for_each(|arc| inputs[arc.place.index()].push(t));
    }
    (inputs, outputs)
}

fn weight(net: &Net) -> Option<ClassBreach> {
    transitions(net).find_map(|t| {
        let heavy = net.pre(t).iter().chain(net.post(t)).find(|arc| arc.weight != 1)?;
        Some(ClassBreach::Weight(heavy.place, t, heavy.weight))
    })
}

fn shared_input(net: &Net, outputs: &[Vec<TransitionId>]) -> Option<ClassBreach> {
    transitions(net).filter(|&t| net.pre(t).len() > 1).find_map(|t| {
        let shared = net.pre(t).iter().find(|arc| outputs[arc.place.index()].len() > 1)?;
        Some(ClassBreach::SharedInput(shared.place, t))
    })
}

/// Compares all transitions that take from a place with the first of them.
fn unequal_inputs(net: &Net) -> Option<ClassBreach> {
    let mut first: Vec<Option<TransitionId>> = vec![None; net.nodes().places.len()];
    transitions(net).find_map(|t| {
        net.pre(t).iter().find_map(|arc| {
            let other = *first[arc.place.index()].get_or_insert(t);
            let differs = other != t && net.pre(other) != net.pre(t);
            differs.then_some(ClassBreach::UnequalInputs(arc.place, [other, t]))
        })
    })
}

/// By their numbers of output transitions, the input places of a transition must form a chain.
fn crossed_outputs(net: &Net, outputs: &[Vec<TransitionId>]) -> Option<ClassBreach> {
    let of = |place: PlaceId| &outputs[place.index()];
    transitions(net).find_map(|t| {
        let mut places: Vec<PlaceId> = net.pre(t).iter().map(|arc| arc.place).collect();
        places.sort_by_key(|&place| of(place).len());
        let is_crossed =
            |pair: &&[PlaceId]| !of(pair[0]).iter().all(|other| of(pair[1]).binary_search(other).is_ok());
        places.windows(2).find(is_crossed).map(|pair| ClassBreach::CrossedOutputs([pair[0], pair[1]], t))
    })
}

/// Which arcs are edges of the graph.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArcKinds {
    MovingTokens,
    WithInhibitors,
}

/// The graph of the arcs: places by number, transitions numbered behind them. Inhibitor arcs lead from place to transition.
fn successors(net: &Net, kinds: ArcKinds) -> Vec<Vec<u32>> {
    let places = net.nodes().places.len();
    let mut next = vec![Vec::new(); places + net.nodes().transitions.len()];
    for t in transitions(net) {
        let node = places + t.index();
        let inhibitors = net.inhibitors(t).iter().filter(|_| kinds == ArcKinds::WithInhibitors);
        net.pre(t).iter().chain(inhibitors).for_each(|arc| next[arc.place.index()].push(node as u32));
        next[node].extend(net.post(t).iter().map(|arc| arc.place.index() as u32));
    }
    next
}

/// A node that no arcs, in whatever direction, connect with the first node.
fn apart(net: &Net) -> Option<ClassBreach> {
    let next = successors(net, ArcKinds::WithInhibitors);
    let mut both = next.clone();
    for (node, targets) in next.iter().enumerate() {
        targets.iter().for_each(|&target| both[target as usize].push(node as u32));
    }
    let mut seen = vec![false; both.len()];
    let mut open: Vec<u32> = (0..both.len().min(1) as u32).collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node as usize], true) {
            open.extend(&both[node as usize]);
        }
    }
    let places = net.nodes().places.len();
    seen.iter().position(|&seen| !seen).map(|node| match node.checked_sub(places) {
        None => ClassBreach::ApartPlace(PlaceId::new(node)),
        Some(t) => ClassBreach::ApartTransition(TransitionId::new(t)),
    })
}

/// An arc that is in no cycle.
pub(crate) fn no_way_back(net: &Net, kinds: ArcKinds) -> Option<ClassBreach> {
    let next = successors(net, kinds);
    let component = component_numbers(&next);
    let places = net.nodes().places.len();
    next.iter().enumerate().find_map(|(node, targets)| {
        let target = *targets.iter().find(|&&target| component[target as usize] != component[node])? as usize;
        Some(match node.checked_sub(places) {
            None => ClassBreach::NoWayBackToPlace(PlaceId::new(node), TransitionId::new(target - places)),
            Some(t) => ClassBreach::NoWayBackToTransition(TransitionId::new(t), PlaceId::new(target)),
        })
    })
}

/// For each node the number of its strongly connected component.
fn component_numbers(next: &[Vec<u32>]) -> Vec<usize> {
    let mut number = vec![0; next.len()];
    let components = scc::components(next.len(), |node, to| to.extend(&next[node as usize]));
    for (at, component) in components.iter().enumerate() {
        component.iter().for_each(|&node| number[node as usize] = at);
    }
    number
}

#[cfg(test)]
mod tests {
    use fireset_oracle::{
        random::{self, NetShape, TestRng},
        tiny,
    };

    use super::*;
    use crate::NetClasses;

    #[test]
    fn culprits_are_named() {
        let net = tiny::net("p:1 q r; t: p -> q; u: p, r -> p; v: 2*q ->");
        let (p, q) = (PlaceId::new(0), PlaceId::new(1));
        let [t, u, v] = [0, 1, 2].map(TransitionId::new);
        let breaches = ClassBreaches::of(&net);
        assert_eq!(breaches.ordinary, Some(ClassBreach::Weight(q, v, 2)));
        assert_eq!(breaches.state_machine, Some(ClassBreach::TransitionEnds(u)));
        assert_eq!(breaches.marked_graph, Some(ClassBreach::PlaceEnds(p, 1, 2)));
        assert_eq!(breaches.simple_free_choice, Some(ClassBreach::SharedInput(p, u)));
        assert_eq!(breaches.extended_free_choice, Some(ClassBreach::UnequalInputs(p, [t, u])));
        assert_eq!(breaches.asymmetric_choice, None);
        assert_eq!(breaches.loop_free, Some(ClassBreach::Loop(p, u)));
        assert_eq!(breaches.connected, None);
        assert_eq!(breaches.strongly_connected, Some(ClassBreach::NoWayBackToPlace(p, t)));
        let apart = ClassBreaches::of(&tiny::net("p:1 q; t: p -> p")).connected;
        assert_eq!(apart, Some(ClassBreach::ApartPlace(q)));
    }

    fn is_asymmetric_choice(net: &Net) -> bool {
        let (_, outputs) = place_neighbours(net);
        let inside = |a: &[TransitionId], b: &[TransitionId]| a.iter().all(|t| b.contains(t));
        let meet = |a: &[TransitionId], b: &[TransitionId]| a.iter().any(|t| b.contains(t));
        outputs.iter().all(|a| outputs.iter().all(|b| !meet(a, b) || inside(a, b) || inside(b, a)))
    }

    #[test]
    fn breaches_are_there_where_the_classes_are_not() {
        let mut counts = [[0; 2]; 9];
        for seed in 0..4_000 {
            let mut random = TestRng::new(seed);
            let shape =
                NetShape { places: 4, transitions: 4, weight: 1 + seed % 2, inhibitors: 10, tokens: 1 };
            let net =
                random::structured(&mut random, seed).unwrap_or_else(|| random::net(&mut random, &shape));
            let (classes, breaches) = (NetClasses::of(&net), ClassBreaches::of(&net));
            let compared = [
                (&breaches.ordinary, classes.ordinary),
                (&breaches.state_machine, classes.state_machine),
                (&breaches.marked_graph, classes.marked_graph),
                (&breaches.simple_free_choice, classes.simple_free_choice),
                (&breaches.extended_free_choice, classes.extended_free_choice),
                (&breaches.asymmetric_choice, is_asymmetric_choice(&net)),
                (&breaches.loop_free, classes.loop_free),
                (&breaches.connected, classes.connected),
                (&breaches.strongly_connected, classes.strongly_connected),
            ];
            for ((breach, is_member), count) in compared.into_iter().zip(&mut counts) {
                assert_eq!(breach.is_none(), is_member, "seed {seed}: {breach:?} of {net:?}");
                count[usize::from(is_member)] += 1;
            }
        }
        assert!(counts.iter().flatten().all(|&count| count > 20), "{counts:?}");
    }
}
