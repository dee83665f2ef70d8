//! The product of a space and a Büchi automaton, on demand.
//!
//! The letter that the automaton reads in a state is the state's own: from `(m, q)` the product goes to `(m', q')`
//! if `m` leads to `m'` and an edge from `q` to `q'` has a cube that holds in `m`. A state in which nothing is
//! enabled is followed by itself for ever. Atoms are evaluated at most once a product state, and only those in
//! the cubes of the automaton state's edges.

use fireset_kernel::{
    automata::{Atom, Buchi},
    store::{Folded, Full, RowId, Store},
};

use crate::search::{Agenda, Cursor, Marked, Number, Predicate, Space};

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

/// Why the product cannot go on.
pub(super) enum Obstacle<N> {
    /// There are too many states.
    Full,
    /// This action leads to a row that does not fit.
    Misfit(RowId, N),
}

impl<N> From<Full> for Obstacle<N> {
    fn from(Full: Full) -> Self {
        Self::Full
    }
}

/// What may stand in the way of the product of a space.
pub(super) type Stuck<S> = Obstacle<<S as Space>::Number>;
/// A marking, and the action that leads to it, if one does.
pub(super) type Next<S> = (RowId, Option<<S as Space>::Number>);

/// The product, as far as its markings are known.
pub(super) struct Product<'a, S> {
    pub(super) space: &'a mut S,
    pub(super) automaton: &'a Buchi,
    atoms: &'a [Predicate],
    pub(super) markings: Store,
    pub(super) initial: RowId,
    pub(super) firings: u64,
    /// The marking that was loaded last.
    loaded: Option<RowId>,
    near: Folded,
    next: Vec<u64>,
    /// What is known of the atoms in the marking at hand.
    known: Vec<Option<bool>>,
}

impl<'a, S: Marked> Product<'a, S> {
    /// The product from an initial row.
    pub(super) fn new(
        space: &'a mut S,
        initial: &[u64],
        automaton: &'a Buchi,
        atoms: &'a [Predicate],
    ) -> Self {
        let mut markings = Store::new(initial.len(), false);
        let (first, _) = markings.insert(initial, 0).expect("the first row fits");
        let (next, known) = (vec![0; initial.len()], vec![None; atoms.len()]);
        let near = Folded::default();
        Self {
            space,
            automaton,
            atoms,
            markings,
            initial: first,
            firings: 0,
            loaded: None,
            near,
            next,
            known,
        }
    }

    fn load(&mut self, marking: RowId) {
        if self.loaded != Some(marking) {
            self.markings.get(marking, &mut self.near);
            self.loaded = Some(marking);
        }
    }

    /// Adds the automaton states that follow a pair to a list, in the order of the edges.
    pub(super) fn targets(&mut self, pair: Pair, mut add: impl FnMut(u32)) {
        self.load(pair.marking);
        self.known.fill(None);
        for edge in &self.automaton.states[pair.state as usize].edges {
            let Self { space, atoms, near, known, .. } = self;
            let mut holds = |atom: Atom| {
                let at = atom as usize;
                *known[at].get_or_insert_with(|| value(&mut **space, &atoms[at], near.row()))
            };
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
        self.load(marking);
        let stutters = *cursor == Cursor::default();
        let Some(action) = agenda.next(self.space, self.near.row(), cursor) else {
            *cursor = end;
            return Ok(stutters.then_some((marking, None)));
        };
        if !self.space.fire(self.near.row(), action, &mut self.next) {
            return Err(Obstacle::Misfit(marking, action));
        }
        self.firings += 1;
        let (next, _) = self.markings.insert_near(&self.next, &self.near, 0)?;
        Ok(Some((next, Some(action))))
    }

    /// The row of a marking.
    pub(super) fn row(&self, marking: RowId) -> Vec<u64> {
        let mut row = Folded::default();
        self.markings.get(marking, &mut row);
        row.row().to_vec()
    }
}

/// The value of an atom.
fn value<S: Marked>(space: &mut S, atom: &Predicate, row: &[u64]) -> bool {
    let deadlock = atom.asks_for_deadlock() && space.next(row, Cursor::default()).is_none();
    atom.holds(space, row, deadlock)
}
