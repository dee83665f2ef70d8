//! The product of a space and a Büchi automaton, on demand.
//!
//! The letter that the automaton reads in a state is the state's own: from `(m, q)` the product goes to `(m', q')`
//! if `m` leads to `m'` and an edge from `q` to `q'` has a cube that holds in `m`. A deadlock is followed by itself
//! for ever. Atoms are evaluated at most once a product state, and only those in
//! the cubes of the automaton state's edges.

use fireset_kernel::{
    automata::{AtomId, Buchi},
    store::RowId,
};

use super::reduction::ActionChoice;
use crate::search::{
    ActionCursor, MarkingSpace, MarkingStep, MarkingTable, PendingSuccessors, Predicate, Searched,
    StateSpace, value,
};

/// Successors that are generated at once.
const HANDFUL: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProductState {
    pub(crate) marking: RowId,
    pub(crate) automaton_state: u32,
}

impl ProductState {
    pub(crate) fn word(self) -> u64 {
        u64::from(self.marking) << 32 | u64::from(self.automaton_state)
    }

    /// The state of a word.
    pub(super) fn of(word: u64) -> Self {
        Self { marking: (word >> 32) as RowId, automaton_state: word as u32 }
    }
}

/// The product of a net and an automaton, as far as its markings are known.
pub(super) struct BuchiProduct<'a, S: StateSpace> {
    pub(super) markings: MarkingTable<'a, S>,
    pub(super) automaton: &'a Buchi,
    atoms: &'a [Predicate],
    /// The values of the atoms in the loaded marking that were computed so far.
    known: Vec<Option<bool>>,
    pub(super) choice: ActionChoice<'a, S::ActionId>,
}

impl<'a, S: MarkingSpace> BuchiProduct<'a, S> {
    pub(super) fn new(
        markings: MarkingTable<'a, S>,
        automaton: &'a Buchi,
        atoms: &'a [Predicate],
        choice: ActionChoice<'a, S::ActionId>,
    ) -> Self {
        Self { markings, automaton, atoms, known: vec![None; atoms.len()], choice }
    }

    /// The bytes of the product and the space.
    pub(super) fn bytes(&self) -> usize {
        self.markings.bytes() + self.choice.bytes()
    }

    /// Calls `add` with the automaton states that follow a state, in the order of the edges.
    pub(super) fn targets(&mut self, state: ProductState, mut add: impl FnMut(u32)) {
        self.markings.load(state.marking);
        self.known.fill(None);
        let Self { markings, automaton, atoms, known, .. } = self;
        let (space, row) = markings.at_hand();
        let mut holds = |atom: AtomId| {
            let at = atom as usize;
            *known[at].get_or_insert_with(|| value(space, &atoms[at], row))
        };
        for edge in &automaton.states[state.automaton_state as usize].edges {
            if edge.cube.iter().all(|literal| holds(literal.atom) == literal.positive) {
                add(edge.to);
            }
        }
    }

    /// The next few successors of a marking, from a cursor on; a deadlock is followed by itself. None after the last.
    pub(super) fn next_several(
        &mut self,
        marking: RowId,
        cursor: &mut ActionCursor<S::ActionId>,
        pending: &mut PendingSuccessors<S::ActionId>,
        found: &mut Vec<RowId>,
    ) -> Searched<S, ()> {
        self.markings.next_several_or_itself(marking, cursor, pending, (HANDFUL, found))
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
}
