//! Büchi automata whose edges are labelled by cubes of literals.

use super::{Literal, components::Components};

/// An automaton that accepts an infinite word if some run on it comes to accepting states for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buchi {
    /// Where runs start: in all of these.
    pub initial: Vec<u32>,
    /// By number.
    pub states: Vec<State>,
}

/// A state of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Whether runs have to come here, or to another accepting state, for ever.
    pub accepting: bool,
    /// ColouredConfig on.
    pub edges: Vec<Edge>,
}

/// A way from one state to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The present letter has all of these; in the order of the atoms, and no atom twice.
    pub cube: Vec<Literal>,
    /// Where it leads.
    pub to: u32,
}

/// How hard it is to look for an accepting run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Every accepting state has a single edge, to itself and for all letters: to reach one is enough.
    Terminal,
    /// In each strongly connected component all states are accepting, or none: any cycle there decides.
    Weak,
    /// Cycles have to be looked at.
    General,
}

impl Buchi {
    /// The simplest class that it belongs to; an automaton without states is terminal.
    pub fn classify(&self) -> Class {
        let mut accepting = (0..).zip(&self.states).filter(|(_, state)| state.accepting);
        if accepting.all(|(at, state)| matches!(&state.edges[..], [e] if e.to == at && e.cube.is_empty())) {
            return Class::Terminal;
        }
        let components = Components::new(&self.successors());
        let mut kinds = vec![None; components.count];
        let mut states = self.states.iter().zip(&components.of);
        let weak = states.all(|(state, &c)| *kinds[c].get_or_insert(state.accepting) == state.accepting);
        if weak { Class::Weak } else { Class::General }
    }

    /// For each state the number of edges to the nearest accepting state that lies on a cycle; `None` if there is
    /// none.
    pub fn distances(&self) -> Vec<Option<u32>> {
        let successors = self.successors();
        let components = Components::new(&successors);
        let cyclic = components.cyclic(&successors);
        let mut before = vec![Vec::new(); self.states.len()];
        for (state, targets) in (0..).zip(&successors) {
            targets.iter().for_each(|&target| before[target as usize].push(state));
        }
        let goal = |state: &usize| self.states[*state].accepting && cyclic[components.of[*state]];
        let mut queue: Vec<usize> = (0..self.states.len()).filter(goal).collect();
        let mut distances = vec![None; self.states.len()];
        queue.iter().for_each(|&state| distances[state] = Some(0));
        let mut at = 0;
        while let Some(&state) = queue.get(at) {
            at += 1;
            for &source in &before[state] {
                let source: usize = source;
                if distances[source].is_none() {
                    distances[source] = distances[state].map(|distance: u32| distance + 1);
                    queue.push(source);
                }
            }
        }
        distances
    }

    /// Whether each state lies in a component with an accepting state on a cycle: no other is met for ever by an accepted run.
    pub fn recurring(&self) -> Vec<bool> {
        let components = Components::new(&self.successors());
        let accepting = self.accepting_components(&components);
        components.of.iter().map(|&component| accepting[component]).collect()
    }

    /// The graph of its states.
    pub(super) fn successors(&self) -> Vec<Vec<u32>> {
        self.states.iter().map(|state| state.edges.iter().map(|edge| edge.to).collect()).collect()
    }

    /// Which components have a cycle with an accepting state.
    pub(super) fn accepting_components(&self, components: &Components) -> Vec<bool> {
        let mut accepting = components.cyclic(&self.successors());
        let mut some = vec![false; components.count];
        self.states.iter().zip(&components.of).for_each(|(state, &c)| some[c] |= state.accepting);
        accepting.iter_mut().zip(some).for_each(|(cyclic, some)| *cyclic &= some);
        accepting
    }

    /// Which components have a cycle without an accepting state.
    pub(super) fn rejecting_components(&self, components: &Components) -> Vec<bool> {
        let mut inner = self.successors();
        for (state, targets) in inner.iter_mut().enumerate() {
            let same = |target: &u32| components.of[*target as usize] == components.of[state];
            let plain = |target: &u32| !self.states[*target as usize].accepting;
            let from = !self.states[state].accepting;
            targets.retain(|target| from && same(target) && plain(target));
        }
        let finer = Components::new(&inner);
        let cyclic = finer.cyclic(&inner);
        let mut rejecting = vec![false; components.count];
        for (&component, &part) in components.of.iter().zip(&finer.of) {
            rejecting[component] |= cyclic[part];
        }
        rejecting
    }
}
