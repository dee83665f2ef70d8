//! How often transitions fire on the way to a state of the automaton.
//!
//! A run of the automaton goes through its strongly connected components in their order. Inside of one, only transitions fire that may
//! fire beside the cubes of its edges; between two, the edge that is taken stands for at most one firing. So what may not fire inside of any
//! component on the way fires at most as often as there are edges between components, and what may fire on no such edge does
//! not fire at all. Both are constraints on the counts of the state equation.
//!
//! Invariant: the counts of a run of the net, up to a marking in which a run of the automaton over it is in a state, meet the
//! constraints of that state. Cost: edges times transitions. Test: `tests/pruning.rs`.

use std::rc::Rc;

use fireset_kernel::{
    automata::{Buchi, BuchiEdge, StateComponents},
    bits::Bits,
};
use fireset_net::TransitionId;
use fireset_structure::{
    TransitionColumns,
    state_equation::{constraint::FiringConstraint, region::CountRegion},
};

use super::{
    first_markings::FirstMarkings,
    steps::{LiteralSteps, StepEnd},
};

/// The automaton in its parts, and the transitions that may fire along its edges.
pub(super) struct AutomatonSteps {
    pub(super) components: StateComponents,
    /// For each state and edge, what may fire when the edge is taken.
    pub(super) possible: Vec<Vec<Bits>>,
    /// For each component, what may fire on its inner edges when the run stays in it.
    pub(super) inner: Vec<Bits>,
    transitions: usize,
}

impl AutomatonSteps {
    pub(super) fn new(automaton: &Buchi, literals: &mut LiteralSteps<'_>, transitions: usize) -> Self {
        let components = StateComponents::new(&automaton.successors());
        let none = || Bits::filled(transitions, false);
        let count = automaton.states.len();
        // What may fire into a state: out of it the run goes on by some edge, or by an inner one if it stays.
        let (mut into, mut into_staying) = (vec![none(); count], vec![none(); count]);
        for (at, state) in automaton.states.iter().enumerate() {
            for edge in &state.edges {
                let after = literals.of_cube(&edge.cube, StepEnd::After);
                if components.of[edge.to as usize] == components.of[at] {
                    add(&mut into_staying[at], &after);
                }
                add(&mut into[at], &after);
            }
        }
        let mut inner = vec![none(); components.count];
        let mut possible = vec![Vec::new(); count];
        for (at, state) in automaton.states.iter().enumerate() {
            let component = components.of[at];
            for edge in &state.edges {
                let (to, before) = (edge.to as usize, literals.of_cube(&edge.cube, StepEnd::Before));
                if components.of[to] == component {
                    add(&mut inner[component], &before.clone().and(&into_staying[to]));
                }
                possible[at].push(before.and(&into[to]));
            }
        }
        Self { components, possible, inner, transitions }
    }

    /// What is known of the firings on the way to each component. Edges that are taken within the first steps keep only what may fire then.
    pub(super) fn ways(&mut self, automaton: &Buchi, first: &FirstMarkings) -> Vec<WayFirings> {
        let start = WayFirings {
            often: Bits::filled(self.transitions, false),
            between: Bits::filled(self.transitions, false),
            edges: 0,
        };
        let mut ways = vec![start; self.components.count];
        let mut members = vec![Vec::new(); self.components.count];
        self.components.of.iter().enumerate().for_each(|(at, &component)| members[component].push(at));
        // Edges never lead to a component with a larger number.
        for component in (0..self.components.count).rev() {
            let enabled = ways[component].depth().and_then(|depth| first.enabled_within(depth));
            let stays = |at: usize| automaton.states[at].edges.iter().any(|edge| edge.to as usize == at);
            // A component without inner edges is a single state.
            if let (Some(enabled), [at]) = (enabled, &members[component][..])
                && !stays(*at)
            {
                let possible = std::mem::take(&mut self.possible[*at]);
                self.possible[*at] = possible.into_iter().map(|possible| possible.and(enabled)).collect();
            }
            let edges = |at: usize| automaton.states[at].edges.iter().zip(&self.possible[at]);
            let edges: Vec<_> = members[component].iter().flat_map(|&at| edges(at)).collect();
            let to = |edge: &BuchiEdge| self.components.of[edge.to as usize];
            let (inside, out): (Vec<_>, Vec<_>) =
                edges.into_iter().partition(|(edge, _)| to(edge) == component);
            inside.iter().for_each(|(_, possible)| add(&mut ways[component].often, possible));
            for (edge, possible) in out {
                let further = ways[component].clone().after(possible);
                ways[to(edge)].join(&further);
            }
        }
        ways
    }
}

/// Adds the elements of another set.
fn add(set: &mut Bits, other: &Bits) {
    *set = std::mem::take(set).or(other);
}

/// The firings on the way to a component.
#[derive(Clone)]
pub(super) struct WayFirings {
    /// Those that may fire inside of a component, any number of times.
    often: Bits,
    /// Those that may fire between two components.
    between: Bits,
    /// The most edges between components.
    edges: usize,
}

impl WayFirings {
    fn after(mut self, possible: &Bits) -> Self {
        add(&mut self.between, possible);
        self.edges += 1;
        self
    }

    fn join(&mut self, other: &Self) {
        add(&mut self.often, &other.often);
        add(&mut self.between, &other.between);
        self.edges = self.edges.max(other.edges);
    }

    /// The most firings on the way, if nothing may fire inside of a component.
    pub(super) fn depth(&self) -> Option<usize> {
        self.often.iter().next().is_none().then_some(self.edges)
    }

    /// The counts that the firings may have.
    pub(super) fn region(&self, columns: &TransitionColumns) -> CountRegion {
        let any = |set: &Bits, column: u32| {
            columns.members(column).iter().any(|t: &TransitionId| set.get(t.index()))
        };
        let seldom: Vec<u32> =
            (0..columns.len() as u32).filter(|&column| !any(&self.often, column)).collect();
        let (between, never): (Vec<u32>, Vec<u32>) =
            seldom.into_iter().partition(|&column| any(&self.between, column));
        let at_most = |columns: Vec<u32>, most: i128| FiringConstraint {
            terms: columns.into_iter().map(|column| (column, -1)).collect(),
            least: -most,
        };
        let limits = [at_most(never, 0), at_most(between, self.edges as i128)];
        let constraints = limits.into_iter().filter(|limit| !limit.terms.is_empty()).map(Rc::new).collect();
        CountRegion { lower: Vec::new(), constraints }
    }
}
