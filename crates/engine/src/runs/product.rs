//! The product of a space and an automaton over letters, on demand.
//!
//! From `(m, q)` the product goes to `(m', q')` by an action from `m` to `m'` if an edge from `q` to `q'` has a cube that
//! holds for `m` and the action. A deadlock is followed by itself for ever, without an action. Atoms of the marking are
//! evaluated at most once a product state, those of the action once an action.

use fireset_kernel::{
    automata::AtomLiteral,
    store::{RowId, Store},
};

use super::{
    automaton::{LetterAtom, RunAutomaton},
    marks::{MarkTable, Marks},
};
use crate::{
    ltl::{ProductState, reduction::ActionChoice},
    search::{
        ActionCursor, MarkingSpace, MarkingStep, MarkingTable, PendingSuccessors, Searched, StateSpace, value,
    },
};

/// A successor of a product state.
#[derive(Clone, Debug)]
pub(super) struct ProductEdge<N> {
    pub(super) to: ProductState,
    /// None where a deadlock repeats.
    pub(super) action: Option<N>,
}

/// The product of a net and an automaton, as far as its markings are known.
pub(super) struct RunProduct<'a, S: StateSpace> {
    pub(super) markings: MarkingTable<'a, S>,
    pub(super) automaton: &'a RunAutomaton,
    pub(super) marks: MarkTable,
    pub(super) choice: ActionChoice<'a, S::ActionId>,
    /// The values of the atoms in the loaded marking that were computed so far.
    known: Vec<Option<bool>>,
}

impl<'a, S: MarkingSpace> RunProduct<'a, S> {
    pub(super) fn new(
        space: &'a mut S,
        initial: &[u64],
        automaton: &'a RunAutomaton,
        marks: MarkTable,
        choice: ActionChoice<'a, S::ActionId>,
    ) -> Self {
        let markings = MarkingTable::new(space, initial, Store::new(initial.len(), false));
        Self { markings, automaton, marks, choice, known: vec![None; automaton.atoms.len()] }
    }

    pub(super) fn initial(&self) -> Vec<ProductState> {
        let marking = self.markings.initial;
        let states = self.automaton.buchi.initial.iter();
        states.map(|&automaton_state| ProductState { marking, automaton_state }).collect()
    }

    /// What a cycle through a state has by it.
    pub(super) fn state_marks(&mut self, state: ProductState) -> Marks {
        self.markings.load(state.marking);
        let accepting = self.automaton.buchi.states[state.automaton_state as usize].accepting;
        let (space, row) = self.markings.at_hand();
        self.marks.state(space, row, accepting)
    }

    /// What a cycle has by an action on it; nothing where a deadlock repeats.
    pub(super) fn edge_marks(&self, action: Option<S::ActionId>) -> Marks {
        self.marks.edge(&*self.markings.space, action)
    }

    /// Calls `add` with the positions of the automaton's edges whose cubes hold in the marking of a state, as far as they
    /// speak of it.
    pub(super) fn candidates(&mut self, state: ProductState, mut add: impl FnMut(u32)) {
        self.markings.load(state.marking);
        self.known.fill(None);
        let Self { markings, automaton, known, .. } = self;
        let (space, row) = markings.at_hand();
        let mut holds = |literal: &AtomLiteral| match &automaton.atoms[literal.atom as usize] {
            LetterAtom::Fired(_) => true,
            LetterAtom::Marking(predicate) => {
                let known = &mut known[literal.atom as usize];
                *known.get_or_insert_with(|| value(space, predicate, row)) == literal.positive
            }
        };
        for (at, edge) in (0..).zip(&automaton.buchi.states[state.automaton_state as usize].edges) {
            if edge.cube.iter().all(&mut holds) {
                add(at);
            }
        }
    }

    /// The automaton state behind an edge of an automaton state, if an action allows the edge.
    pub(super) fn target(&self, from: u32, edge: u32, action: Option<S::ActionId>) -> Option<u32> {
        let edge = &self.automaton.buchi.states[from as usize].edges[edge as usize];
        let holds = |literal: &AtomLiteral| match &self.automaton.atoms[literal.atom as usize] {
            LetterAtom::Marking(_) => true,
            LetterAtom::Fired(steps) => {
                let space = &*self.markings.space;
                action.is_some_and(|action| steps.contains(space, action)) == literal.positive
            }
        };
        edge.cube.iter().all(holds).then_some(edge.to)
    }

    /// The next successor of a marking, from a cursor on, and the action that leads there; a deadlock is followed by
    /// itself, without an action. `None` after the last.
    pub(super) fn next(
        &mut self,
        marking: RowId,
        cursor: &mut ActionCursor<S::ActionId>,
        pending: &mut PendingSuccessors<S::ActionId>,
    ) -> Searched<S, Option<MarkingStep<S>>> {
        self.markings.next_or_itself(marking, cursor, pending)
    }

    /// All edges of a state.
    pub(super) fn edges(&mut self, state: ProductState) -> Searched<S, Vec<ProductEdge<S::ActionId>>> {
        let (mut candidates, mut edges) = (Vec::new(), Vec::new());
        self.candidates(state, |at| candidates.push(at));
        let (mut cursor, mut pending) = (ActionCursor::default(), PendingSuccessors::default());
        if candidates.is_empty() {
            return Ok(edges);
        }
        while let Some((marking, action)) = self.next(state.marking, &mut cursor, &mut pending)? {
            let targets = candidates.iter().filter_map(|&at| self.target(state.automaton_state, at, action));
            edges.extend(targets.map(|automaton_state| ProductEdge {
                to: ProductState { marking, automaton_state },
                action,
            }));
        }
        Ok(edges)
    }
}
