//! The product of a space and a Büchi automaton, on demand.
//!
//! The letter that the automaton reads in a state is the state's own: from `(m, q)` the product goes to `(m', q')`
//! if `m` leads to `m'` and an edge from `q` to `q'` has a cube that holds in `m`. A state in which nothing is
//! enabled is followed by itself for ever. Atoms are evaluated at most once a product state, and only those in
//! the cubes of the automaton state's edges.

use fireset_kernel::{
    automata::{AtomId, Buchi},
    store::{RowId, Store},
};

use super::reduction::Reduction;
use crate::search::{Agenda, Cursor, Marked, Markings, Number, Predicate, Space, Stuck, value};

/// A state of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pair {
    pub(super) marking: RowId,
    pub(super) state: u32,
}

impl Pair {
    pub(super) fn word(self) -> u64 {
        u64::from(self.marking) << 32 | u64::from(self.state)
    }
}

/// A marking, and the action that leads to it, if one does.
pub(super) type Next<S> = (RowId, Option<<S as Space>::Number>);

/// The product, as far as its markings are known.
pub(super) struct Product<'a, S: Space> {
    pub(super) markings: Markings<'a, S>,
    pub(super) automaton: &'a Buchi,
    atoms: &'a [Predicate],
    /// What is known of the atoms in the marking at hand.
    known: Vec<Option<bool>>,
    /// What is fired, unless all is.
    reduction: Option<Reduction<'a, S::Number>>,
}

impl<'a, S: Marked> Product<'a, S> {
    /// The product from an initial row.
    pub(super) fn new(
        space: &'a mut S,
        initial: &[u64],
        automaton: &'a Buchi,
        atoms: &'a [Predicate],
        reduction: Option<Reduction<'a, S::Number>>,
    ) -> Self {
        let markings = Markings::new(space, initial, Store::new(initial.len(), false));
        Self { markings, automaton, atoms, known: vec![None; atoms.len()], reduction }
    }

    /// A search begins.
    pub(super) fn begin(&mut self) {
        self.reduction.take_if(|reduction| !reduction.begin());
    }

    /// Whether a search that found nothing has to begin again.
    pub(super) fn is_torn(&self) -> bool {
        self.reduction.as_ref().is_some_and(Reduction::is_torn)
    }

    /// The bytes that it and the space hold.
    pub(super) fn bytes(&self) -> usize {
        self.markings.bytes() + self.reduction.as_ref().map_or(0, Reduction::bytes)
    }

    /// The actions of a new pair that are enough, unless all are needed.
    pub(super) fn choose(&mut self, pair: Pair) -> Option<&[S::Number]> {
        let reduction = self.reduction.as_mut()?;
        self.markings.load(pair.marking);
        let (space, row) = self.markings.at_hand();
        reduction.choose(pair, space, row)
    }

    /// The actions of a pair that are needed beside those that were enough, because the pair leads back to an open one.
    pub(super) fn complete(&mut self, pair: Pair) -> &[S::Number] {
        let Some(reduction) = &mut self.reduction else { return &[] };
        self.markings.load(pair.marking);
        let (space, row) = self.markings.at_hand();
        reduction.complete(pair, space, row)
    }

    /// Adds the automaton states that follow a pair to a list, in the order of the edges.
    pub(super) fn targets(&mut self, pair: Pair, mut add: impl FnMut(u32)) {
        self.markings.load(pair.marking);
        self.known.fill(None);
        let Self { markings, automaton, atoms, known, .. } = self;
        let (space, row) = markings.at_hand();
        let mut holds = |atom: AtomId| {
            let at = atom as usize;
            *known[at].get_or_insert_with(|| value(space, &atoms[at], row))
        };
        for edge in &automaton.states[pair.state as usize].edges {
            if edge.cube.iter().all(|literal| holds(literal.atom) == literal.positive) {
                add(edge.to);
            }
        }
    }

    /// The next marking after one, from a cursor on, and the action that leads there; a marking in which nothing
    /// is enabled is followed by itself, without an action. `None` when there are no more.
    pub(super) fn next(
        &mut self,
        marking: RowId,
        cursor: &mut Cursor<S::Number>,
        agenda: &mut Agenda<S::Number>,
    ) -> Result<Option<Next<S>>, Stuck<S>> {
        // After stuttering nothing follows.
        let end = Cursor(S::Number::LAST);
        if *cursor == end {
            return Ok(None);
        }
        let stutters = *cursor == Cursor::default();
        let Some((next, action)) = self.markings.next(marking, cursor, agenda)? else {
            *cursor = end;
            return Ok(stutters.then_some((marking, None)));
        };
        Ok(Some((next, Some(action))))
    }
}
