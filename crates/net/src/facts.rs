//! What the structure of a place/transition net tells without looking at a single marking.
//!
//! The notions are those of the contest's model forms. Weights count where the notion speaks of tokens
//! (conservative), arcs where it speaks of structure. Inhibitor arcs move nothing, so only connectedness and
//! the choice classes look at them. Cost: linear in the arcs; the free-choice classes sort them.

use crate::{Net, PlaceId, TransitionId};

/// The structural classes and figures of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// All arcs have weight one.
    pub ordinary: bool,
    /// An arc from a place with several output transitions leads to a transition without other inputs.
    pub simple_free_choice: bool,
    /// Transitions that share an input place have the same input places.
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
    /// No transition takes from a place that it also gives to.
    pub loop_free: bool,
    /// Every transition gives as many tokens as it takes.
    pub conservative: bool,
    /// No transition gives more tokens than it takes.
    pub subconservative: bool,
}

impl Facts {
    /// The facts of a net.
    pub fn of(net: &Net) -> Self {
        let transitions = || net.nodes().transition_ids();
        let degrees = Degrees::of(net);
        let count = |test: &dyn Fn(TransitionId) -> bool| transitions().filter(|&t| test(t)).count();
        let zeros = |degrees: &[u32]| degrees.iter().filter(|&&d| d == 0).count();
        let sum = |arcs: &[crate::Arc]| arcs.iter().map(|a| u128::from(a.weight)).sum::<u128>();
        Self {
            ordinary: transitions().all(|t| net.pre(t).iter().chain(net.post(t)).all(|a| a.weight == 1)),
            simple_free_choice: transitions().all(|t| {
                net.pre(t).len() == 1 || net.pre(t).iter().all(|a| degrees.outputs[a.place.index()] == 1)
            }),
            extended_free_choice: extended_free_choice(net),
            state_machine: transitions().all(|t| net.pre(t).len() == 1 && net.post(t).len() == 1),
            marked_graph: degrees.inputs.iter().chain(&degrees.outputs).all(|&d| d == 1),
            connected: components(net) <= 1,
            strongly_connected: strongly_connected(net),
            source_places: zeros(&degrees.inputs),
            sink_places: zeros(&degrees.outputs),
            source_transitions: count(&|t| net.pre(t).is_empty()),
            sink_transitions: count(&|t| net.post(t).is_empty()),
            loop_free: transitions().all(|t| {
                net.pre(t).iter().all(|a| net.post(t).binary_search_by_key(&a.place, |b| b.place).is_err())
            }),
            conservative: transitions().all(|t| sum(net.pre(t)) == sum(net.post(t))),
            subconservative: transitions().all(|t| sum(net.pre(t)) >= sum(net.post(t))),
        }
    }
}

/// How many transitions give to and take from each place.
struct Degrees {
    inputs: Vec<u32>,
    outputs: Vec<u32>,
}

impl Degrees {
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

/// Whether all transitions that take from a place have the same input arcs as the first of them.
fn extended_free_choice(net: &Net) -> bool {
    let mut first: Vec<Option<TransitionId>> = vec![None; net.nodes().places.len()];
    net.nodes().transition_ids().all(|t| {
        net.pre(t).iter().all(|a| {
            let other = *first[a.place.index()].get_or_insert(t);
            other == t || net.pre(other) == net.pre(t)
        })
    })
}

/// A node: a place, or a transition behind all places.
type BipartiteNode = usize;

/// The ends of all arcs, from where tokens come to where they go; inhibitor arcs as from place to transition.
fn arcs(net: &Net) -> impl Iterator<Item = (BipartiteNode, BipartiteNode)> {
    let places = net.nodes().places.len();
    let at = |place: PlaceId| place.index();
    net.nodes().transition_ids().flat_map(move |t| {
        let node = places + t.index();
        let takes = net.pre(t).iter().chain(net.inhibitors(t)).map(move |a| (at(a.place), node));
        takes.chain(net.post(t).iter().map(move |a| (node, at(a.place))))
    })
}

/// How many parts without arcs between them the net has.
fn components(net: &Net) -> usize {
    let nodes = net.nodes().places.len() + net.nodes().transitions.len();
    let mut parent: Vec<BipartiteNode> = (0..nodes).collect();
    let root = |parent: &mut Vec<BipartiteNode>, mut node: BipartiteNode| {
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
fn strongly_connected(net: &Net) -> bool {
    let nodes = net.nodes().places.len() + net.nodes().transitions.len();
    let reaches_all = |edges: &[(BipartiteNode, BipartiteNode)]| {
        let mut next = vec![Vec::new(); nodes];
        edges.iter().for_each(|&(a, b)| next[a].push(b));
        let mut seen = vec![false; nodes];
        let mut stack: Vec<BipartiteNode> = (0..nodes.min(1)).collect();
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
