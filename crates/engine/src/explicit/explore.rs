//! The states of a net, in a layout that widens when a marking does not fit: all rows are written again, and the
//! search goes on.

use std::ops::ControlFlow;

use fireset_kernel::store::{RowId, TreeRow};
use fireset_net::{Budget, StopReason, Trace};

use super::{Explicit, Session};
use crate::search::{Cursor, Ground, Marked, Number, Search, Space, Stop, Task, Way};

/// The states of a net, as far as they were found.
pub(super) struct Explorer<G: Ground> {
    ground: G,
    pub(super) search: Search<G::Number>,
}

impl<G: Ground> Explorer<G> {
    /// The initial state.
    pub(super) fn new(ground: G, how: Explicit, runs: bool, most: usize) -> Self {
        let way =
            Way { order: how.order, fireset: how.fireset, threads: how.threads, runs, steps: false, most };
        let search = Search::new(&ground.initial(), way);
        Self { ground, search }
    }

    /// Visits states until all are visited or the session has seen enough.
    pub(super) fn run(&mut self, budget: &Budget, session: &mut Session<'_>) -> Result<(), StopReason> {
        loop {
            session.encoding = self.ground.encoding();
            let task = Visit { search: &mut self.search, budget, session };
            match self.ground.on_space(task, budget)? {
                Ok(()) | Err(Stop::Enough) => return Ok(()),
                Err(Stop::Reason(reason)) => return Err(reason),
                Err(Stop::Misfit(state, action)) => {
                    let new = self.widen(state, action, budget)?;
                    session.looks.renumber(&new);
                }
            }
        }
    }

    /// Writes all rows in a layout into which the result of an action in a state fits; gives the new numbers of
    /// states by the old ones.
    fn widen(&mut self, state: RowId, action: G::Number, budget: &Budget) -> Result<Vec<RowId>, StopReason> {
        let mut row = TreeRow::default();
        self.search.states.store.get(state, &mut row);
        let wider = self.ground.wider(row.row(), action)?;
        let width = wider.initial().len();
        let new = self.search.rewrite(width, self.ground.converter(&wider), budget)?;
        self.ground = wider;
        Ok(new)
    }

    /// Calls `visit` with the graph of the states.
    pub(super) fn with_graph<T>(
        &self,
        budget: &Budget,
        visit: impl FnOnce(&mut dyn Graph) -> T,
    ) -> Result<T, StopReason> {
        self.ground.on_space(Look { search: &self.search, visit }, budget)
    }
}

/// The search, as something to do on a space.
struct Visit<'a, 's, 'q, N> {
    search: &'a mut Search<N>,
    budget: &'a Budget,
    session: &'s mut Session<'q>,
}

impl<N: Number> Task<N> for Visit<'_, '_, '_, N> {
    type Output = Result<(), Stop<N>>;

    fn run<S: Marked<Number = N>>(self, space: &mut S) -> Self::Output {
        self.search.run(space, self.budget, self.session)
    }
}

/// A look at the graph, as something to do on a space.
struct Look<'a, N, F> {
    search: &'a Search<N>,
    visit: F,
}

impl<N: Number, T, F: FnOnce(&mut dyn Graph) -> T> Task<N> for Look<'_, N, F> {
    type Output = T;

    fn run<S: Marked<Number = N>>(self, space: &mut S) -> T {
        (self.visit)(&mut Known { space, search: self.search, row: TreeRow::default() })
    }
}

/// The states and the edges between them.
pub(super) trait Graph {
    /// Calls `visit` with the kind of each action that is enabled in a state, and the state after it; all states
    /// are known.
    fn edges(&mut self, state: RowId, visit: &mut dyn FnMut(u32, RowId));

    /// The steps that lead to a state.
    fn run_to(&mut self, state: RowId) -> Trace;
}

/// Edges that are computed again.
struct Known<'a, S: Space> {
    space: &'a mut S,
    search: &'a Search<S::Number>,
    row: TreeRow,
}

impl<S: Marked> Graph for Known<'_, S> {
    fn edges(&mut self, state: RowId, visit: &mut dyn FnMut(u32, RowId)) {
        let Self { space, search, row } = self;
        let store = &search.states.store;
        store.get(state, row);
        let flow = space.successors(row.row(), Cursor::default(), |successor| -> ControlFlow<()> {
            let next = successor.row.and_then(|next| store.find_near(next, row));
            visit(successor.kind, next.expect("all successors of known states are known"));
            ControlFlow::Continue(())
        });
        debug_assert!(flow.is_continue());
    }

    fn run_to(&mut self, state: RowId) -> Trace {
        trace(self.search, self.space, state)
    }
}

/// The run to a state.
pub(super) fn trace<S: Marked>(search: &Search<S::Number>, space: &mut S, state: RowId) -> Trace {
    let actions = search.run_to(space, state);
    Trace(actions.into_iter().map(|action| space.step(action)).collect())
}
