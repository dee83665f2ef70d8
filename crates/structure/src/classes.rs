//! The structural classes of the literature: what the arcs of a net tell without looking at a single marking.
//!
//! Definitions: Murata, "Petri nets: properties, analysis and applications" (1989), section VI, for state machines, marked
//! graphs and the free-choice classes; the model forms of the Model Checking Contest for the others. Weights count where the
//! notion speaks of tokens (conservative), arcs where it speaks of structure. Inhibitor arcs move nothing: only connectedness
//! looks at them, and a theorem about a class that does not allow them must ask for their absence itself.
//! Cost: linear in the arcs. Test: below, each class against its definition written naively.

use fireset_net::{Arc, Net, PlaceId, TransitionId};

/// The structural classes that a net belongs to, with the numbers of its ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetClasses {
    /// All arcs have weight one.
    pub ordinary: bool,
    /// An arc from a place with several output transitions leads to a transition without other inputs.
    pub simple_free_choice: bool,
    /// Transitions that share an input place have the same input places, with the same weights: on nets with weights the
    /// equal-conflict nets of Teruel and Silva (1996).
    pub extended_free_choice: bool,
    /// Every transition has one input place and one output place.
    pub state_machine: bool,
    /// Every place has one input transition and one output transition.
    pub marked_graph: bool,
    /// It does not fall into parts without arcs between them.
    pub connected: bool,
    /// Every node can be reached from every other along arcs.
    pub strongly_connected: bool,
    /// Places that no transition gives tokens to.
    pub source_places: usize,
    /// Places that no transition takes tokens from.
    pub sink_places: usize,
    /// Transitions that take nothing.
    pub source_transitions: usize,
    /// Transitions that give nothing.
    pub sink_transitions: usize,
    /// No transition takes from a place that it also gives to; Murata calls such nets pure.
    pub loop_free: bool,
    /// Every transition gives as many tokens as it takes.
    pub conservative: bool,
    /// No transition gives more tokens than it takes.
    pub subconservative: bool,
}

impl NetClasses {
    /// Tests the net for all classes.
    pub fn of(net: &Net) -> Self {
        let degrees = PlaceDegrees::of(net);
        let zeros = |degrees: &[u32]| degrees.iter().filter(|&&d| d == 0).count();
        Self {
            ordinary: is_ordinary(net),
            simple_free_choice: is_simple_free_choice(net, &degrees),
            extended_free_choice: is_extended_free_choice(net),
            state_machine: is_state_machine(net),
            marked_graph: degrees.inputs.iter().chain(&degrees.outputs).all(|&d| d == 1),
            connected: component_count(net) <= 1,
            strongly_connected: is_strongly_connected(net),
            source_places: zeros(&degrees.inputs),
            sink_places: zeros(&degrees.outputs),
            source_transitions: net.nodes().transition_ids().filter(|&t| net.pre(t).is_empty()).count(),
            sink_transitions: net.nodes().transition_ids().filter(|&t| net.post(t).is_empty()).count(),
            loop_free: is_loop_free(net),
            conservative: net.nodes().transition_ids().all(|t| tokens(net.pre(t)) == tokens(net.post(t))),
            subconservative: net.nodes().transition_ids().all(|t| tokens(net.pre(t)) >= tokens(net.post(t))),
        }
    }

    /// Whether Commoner's theorem applies to a net of these classes: ordinary and extended free choice.
    pub fn is_ordinary_free_choice(&self) -> bool {
        self.ordinary && self.extended_free_choice
    }
}

fn tokens(arcs: &[Arc]) -> u128 {
    arcs.iter().map(|arc| u128::from(arc.weight)).sum()
}

fn is_ordinary(net: &Net) -> bool {
    let mut transitions = net.nodes().transition_ids();
    transitions.all(|t| net.pre(t).iter().chain(net.post(t)).all(|arc| arc.weight == 1))
}

fn is_state_machine(net: &Net) -> bool {
    net.nodes().transition_ids().all(|t| net.pre(t).len() == 1 && net.post(t).len() == 1)
}

fn is_loop_free(net: &Net) -> bool {
    let gives_back =
        |t: TransitionId, arc: &Arc| net.post(t).binary_search_by_key(&arc.place, |b| b.place).is_ok();
    net.nodes().transition_ids().all(|t| !net.pre(t).iter().any(|arc| gives_back(t, arc)))
}

fn is_simple_free_choice(net: &Net, degrees: &PlaceDegrees) -> bool {
    net.nodes().transition_ids().all(|t| {
        net.pre(t).len() == 1 || net.pre(t).iter().all(|arc| degrees.outputs[arc.place.index()] == 1)
    })
}

/// Compares all transitions that take from a place with the first of them.
fn is_extended_free_choice(net: &Net) -> bool {
    let mut first: Vec<Option<TransitionId>> = vec![None; net.nodes().places.len()];
    net.nodes().transition_ids().all(|t| {
        net.pre(t).iter().all(|arc| {
            let other = *first[arc.place.index()].get_or_insert(t);
            other == t || net.pre(other) == net.pre(t)
        })
    })
}

/// How many transitions give to each place, and take from it.
struct PlaceDegrees {
    inputs: Vec<u32>,
    outputs: Vec<u32>,
}

impl PlaceDegrees {
    fn of(net: &Net) -> Self {
        let places = net.nodes().places.len();
        let mut degrees = Self { inputs: vec![0; places], outputs: vec![0; places] };
        for t in net.nodes().transition_ids() {
            net.pre(t).iter().for_each(|a| degrees.outputs[a.place.index()] += 1);
            net.post(t).iter().for_each(|a| degrees.inputs[a.place.index()] += 1);
        }
        degrees
    }
}

/// The ends of all arcs in the direction of tokens, places by number and transitions numbered behind them; inhibitor arcs
/// lead from place to transition.
fn arcs(net: &Net) -> impl Iterator<Item = (usize, usize)> {
    let places = net.nodes().places.len();
    let at = |place: PlaceId| place.index();
    net.nodes().transition_ids().flat_map(move |t| {
        let node = places + t.index();
        let takes = net.pre(t).iter().chain(net.inhibitors(t)).map(move |a| (at(a.place), node));
        takes.chain(net.post(t).iter().map(move |a| (node, at(a.place))))
    })
}

/// How many parts without arcs between them the net has.
fn component_count(net: &Net) -> usize {
    let nodes = net.nodes().places.len() + net.nodes().transitions.len();
    let mut parent: Vec<usize> = (0..nodes).collect();
    let root = |parent: &mut Vec<usize>, mut node: usize| {
        while parent[node] != node {
            parent[node] = parent[parent[node]];
            node = parent[node];
        }
        node
    };
    let mut parts = nodes;
    for (a, b) in arcs(net) {
        let (a, b) = (root(&mut parent, a), root(&mut parent, b));
        if a != b {
            parent[a] = b;
            parts -= 1;
        }
    }
    parts
}

/// Whether the first node reaches all others, forwards and backwards.
fn is_strongly_connected(net: &Net) -> bool {
    let nodes = net.nodes().places.len() + net.nodes().transitions.len();
    let reaches_all = |edges: &[(usize, usize)]| {
        let mut next = vec![Vec::new(); nodes];
        edges.iter().for_each(|&(a, b)| next[a].push(b));
        let mut seen = vec![false; nodes];
        let mut stack: Vec<usize> = (0..nodes.min(1)).collect();
        let mut found = 0;
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                found += 1;
                stack.extend(&next[node]);
            }
        }
        found == nodes
    };
    let forward: Vec<_> = arcs(net).collect();
    let backward: Vec<_> = forward.iter().map(|&(a, b)| (b, a)).collect();
    reaches_all(&forward) && reaches_all(&backward)
}

#[cfg(test)]
mod tests {
    use fireset_oracle::{
        random::{self, NetShape, TestRng},
        tiny,
    };

    use super::*;

    #[test]
    fn a_ring_is_everything_at_once() {
        let classes = NetClasses::of(&tiny::net("p:1 q; t: p -> q; u: q -> p"));
        assert!(
            classes.ordinary && classes.state_machine && classes.marked_graph && classes.strongly_connected
        );
        assert!(classes.simple_free_choice && classes.extended_free_choice && classes.loop_free);
        assert!(classes.conservative && classes.subconservative && classes.connected);
    }

    #[test]
    fn choice_with_a_side_condition_is_not_free() {
        let classes = NetClasses::of(&tiny::net("p q; t: p ->; u: p, q ->"));
        assert!(!classes.simple_free_choice && !classes.extended_free_choice);
        let classes = NetClasses::of(&tiny::net("p q; t: p, q ->; u: p, q ->"));
        assert!(!classes.simple_free_choice && classes.extended_free_choice);
    }

    #[test]
    fn ends_weights_and_parts_are_seen() {
        let classes = NetClasses::of(&tiny::net("p q r; t: -> 2*p; u: p, q -> q; v: r ->"));
        assert!(!classes.ordinary && !classes.loop_free && !classes.connected && !classes.strongly_connected);
        assert!(!classes.conservative && !classes.subconservative);
        assert_eq!((classes.source_places, classes.sink_places), (1, 0));
        assert_eq!((classes.source_transitions, classes.sink_transitions), (1, 1));
    }

    #[test]
    fn conflicts_are_equal_with_their_weights() {
        let classes = NetClasses::of(&tiny::net("p q; t: p, 2*q ->; u: p, q ->"));
        assert!(!classes.extended_free_choice);
        let classes = NetClasses::of(&tiny::net("p q; t: p, 2*q ->; u: p, 2*q -> q"));
        assert!(classes.extended_free_choice && !classes.is_ordinary_free_choice());
        let classes = NetClasses::of(&tiny::net("p:1 q r; t: p, q -> r; u: p, q -> p; v: -> r"));
        assert!(classes.is_ordinary_free_choice());
    }

    /// Places of arcs as a list.
    fn places(arcs: &[Arc]) -> Vec<PlaceId> {
        arcs.iter().map(|arc| arc.place).collect()
    }

    #[test]
    fn classes_are_those_of_the_definitions() {
        let mut counts = [0; 4];
        for seed in 0..2_000 {
            let mut random = TestRng::new(seed);
            let shape = NetShape { places: 3, transitions: 3, weight: 1 + seed % 2, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            let classes = NetClasses::of(&net);
            let ts: Vec<TransitionId> = net.nodes().transition_ids().collect();
            let inputs = |t: TransitionId| places(net.pre(t));
            let outputs = |t: TransitionId| places(net.post(t));
            let consumers = |p: PlaceId| ts.iter().filter(|&&t| inputs(t).contains(&p)).count();
            let producers = |p: PlaceId| ts.iter().filter(|&&t| outputs(t).contains(&p)).count();
            let one_each = |p: PlaceId| consumers(p) == 1 && producers(p) == 1;
            assert_eq!(classes.marked_graph, net.nodes().place_ids().all(one_each), "{net:?}");
            let one_to_one = |t: TransitionId| inputs(t).len() == 1 && outputs(t).len() == 1;
            assert_eq!(classes.state_machine, ts.iter().all(|&t| one_to_one(t)), "{net:?}");
            let simple = |p: PlaceId| {
                consumers(p) <= 1 || ts.iter().filter(|&&t| inputs(t).contains(&p)).all(|&t| inputs(t) == [p])
            };
            assert_eq!(classes.simple_free_choice, net.nodes().place_ids().all(simple), "{net:?}");
            let disjoint =
                |t: TransitionId, u: TransitionId| inputs(t).iter().all(|p| !inputs(u).contains(p));
            let extended = ts.iter().all(|&t| ts.iter().all(|&u| disjoint(t, u) || net.pre(t) == net.pre(u)));
            assert_eq!(classes.extended_free_choice, extended, "{net:?}");
            let is_smaller = !classes.simple_free_choice || classes.extended_free_choice;
            assert!(!classes.ordinary || is_smaller, "{net:?}");
            for (count, is_member) in counts.iter_mut().zip([
                classes.marked_graph,
                classes.state_machine,
                classes.simple_free_choice,
                classes.extended_free_choice,
            ]) {
                *count += usize::from(is_member);
            }
        }
        assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
    }
}
