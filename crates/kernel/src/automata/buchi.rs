//! Büchi automata whose edges are labelled with cubes of literals.

use super::{AtomLiteral, components::StateComponents};

/// An automaton that accepts an infinite word if some run on the word visits accepting states infinitely often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buchi {
    /// A run starts in any of these states.
    pub initial: Vec<u32>,
    /// Edges and initial states name states by their positions here.
    pub states: Vec<BuchiState>,
}

/// A state of a [`Buchi`] automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuchiState {
    /// Whether a run that visits this state infinitely often is accepting.
    pub accepting: bool,
    /// In the order in which searches follow them.
    pub edges: Vec<BuchiEdge>,
}

/// An edge of a [`Buchi`] automaton, which reads one letter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BuchiEdge {
    /// The literals that the letter must have, by ascending atom, no atom twice.
    pub cube: Vec<AtomLiteral>,
    /// The position of the target state.
    pub to: u32,
}

/// Classes of Büchi automata, by the effort of a search for an accepting run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BuchiClass {
    /// Every accepting state has a single edge, to itself and for all letters: reaching one is enough.
    Terminal,
    /// In each strongly connected component all states are accepting, or none: any cycle in an accepting one is enough.
    Weak,
    /// Each cycle needs a check for accepting states.
    General,
}

impl Buchi {
    /// The simplest class of the automaton; one without states is terminal.
    pub fn classify(&self) -> BuchiClass {
        let mut accepting = (0..).zip(&self.states).filter(|(_, state)| state.accepting);
        if accepting.all(|(at, state)| matches!(&state.edges[..], [e] if e.to == at && e.cube.is_empty())) {
            return BuchiClass::Terminal;
        }
        let components = StateComponents::new(&self.successors());
        let mut acceptance = vec![None; components.count];
        let mut states = self.states.iter().zip(&components.of);
        let weak = states.all(|(state, &c)| *acceptance[c].get_or_insert(state.accepting) == state.accepting);
        if weak { BuchiClass::Weak } else { BuchiClass::General }
    }

    /// For each state the number of edges to the nearest accepting state that lies on a cycle; `None` if it reaches none.
    pub fn distances(&self) -> Vec<Option<u32>> {
        let successors = self.successors();
        let components = StateComponents::new(&successors);
        let cyclic = components.cyclic(&successors);
        let mut predecessors = vec![Vec::new(); self.states.len()];
        for (state, targets) in (0..).zip(&successors) {
            targets.iter().for_each(|&target| predecessors[target as usize].push(state));
        }
        let goal = |state: &usize| self.states[*state].accepting && cyclic[components.of[*state]];
        let mut queue: Vec<usize> = (0..self.states.len()).filter(goal).collect();
        let mut distances = vec![None; self.states.len()];
        queue.iter().for_each(|&state| distances[state] = Some(0));
        let mut at = 0;
        while let Some(&state) = queue.get(at) {
            at += 1;
            for &source in &predecessors[state] {
                let source: usize = source;
                if distances[source].is_none() {
                    distances[source] = distances[state].map(|distance: u32| distance + 1);
                    queue.push(source);
                }
            }
        }
        distances
    }

    /// Whether each state lies in a component with an accepting state on a cycle: an accepting run visits others finitely often.
    pub fn recurring(&self) -> Vec<bool> {
        let components = StateComponents::new(&self.successors());
        let accepting = self.accepting_components(&components);
        components.of.iter().map(|&component| accepting[component]).collect()
    }

    /// The targets of each state's edges.
    pub fn successors(&self) -> Vec<Vec<u32>> {
        self.states.iter().map(|state| state.edges.iter().map(|edge| edge.to).collect()).collect()
    }

    /// Which components have a cycle with an accepting state.
    pub fn accepting_components(&self, components: &StateComponents) -> Vec<bool> {
        let mut accepting = components.cyclic(&self.successors());
        let mut some = vec![false; components.count];
        self.states.iter().zip(&components.of).for_each(|(state, &c)| some[c] |= state.accepting);
        accepting.iter_mut().zip(some).for_each(|(cyclic, some)| *cyclic &= some);
        accepting
    }

    /// Which components have a cycle without an accepting state.
    pub(super) fn rejecting_components(&self, components: &StateComponents) -> Vec<bool> {
        let mut inner = self.successors();
        for (state, targets) in inner.iter_mut().enumerate() {
            let same = |target: &u32| components.of[*target as usize] == components.of[state];
            let plain = |target: &u32| !self.states[*target as usize].accepting;
            let from = !self.states[state].accepting;
            targets.retain(|target| from && same(target) && plain(target));
        }
        let finer = StateComponents::new(&inner);
        let cyclic = finer.cyclic(&inner);
        let mut rejecting = vec![false; components.count];
        for (&component, &part) in components.of.iter().zip(&finer.of) {
            rejecting[component] |= cyclic[part];
        }
        rejecting
    }
}
