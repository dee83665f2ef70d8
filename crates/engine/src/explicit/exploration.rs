//! The states of a net, in a layout that widens when a marking does not fit: all rows are written again, and the
//! search goes on.

use std::ops::ControlFlow;

use fireset_kernel::store::{RowId, TreeRow};
use fireset_net::{Budget, StopReason, Trace};

use super::ExplicitSession;
use crate::{
    driver::{self, WideningTask},
    search::{
        ActionCursor, ActionId, EncodedNet, LayoutOverflow, MarkingSpace, SearchConfig, SearchStop,
        SpaceTask, StateSearch, StateSpace,
    },
};

/// An encoded net and its states, as far as they were found.
pub(super) struct Exploration<E: EncodedNet> {
    net: E,
    pub(super) search: StateSearch<E::ActionId>,
}

impl<E: EncodedNet> Exploration<E> {
    pub(super) fn new(net: E, config: SearchConfig) -> Self {
        let search = StateSearch::new(&net.initial_row(), config);
        Self { net, search }
    }

    /// Visits states until all are visited or the session has seen enough.
    pub(super) fn run(
        &mut self,
        budget: &Budget,
        session: &mut ExplicitSession<'_>,
    ) -> Result<(), StopReason> {
        let mut task = SearchTask { search: &mut self.search, budget, session };
        driver::run_widening(&mut self.net, &mut task, budget)?
    }

    /// Calls `visit` with the graph of the states.
    pub(super) fn with_graph<T>(
        &self,
        budget: &Budget,
        visit: impl FnOnce(&mut dyn ExploredGraph) -> T,
    ) -> Result<T, StopReason> {
        self.net.on_space(GraphTask { search: &self.search, visit }, budget)
    }
}

struct SearchTask<'a, 'q, N> {
    search: &'a mut StateSearch<N>,
    budget: &'a Budget,
    session: &'a mut ExplicitSession<'q>,
}

impl<E: EncodedNet> WideningTask<E> for SearchTask<'_, '_, E::ActionId> {
    type Output = Result<(), StopReason>;

    fn run<S: MarkingSpace<ActionId = E::ActionId>>(
        &mut self,
        net: &E,
        space: &mut S,
    ) -> Result<Self::Output, LayoutOverflow<E::ActionId>> {
        self.session.layout = net.layout_name();
        match self.search.run(space, self.budget, self.session) {
            Ok(()) | Err(SearchStop::Enough) => Ok(Ok(())),
            Err(SearchStop::Reason(reason)) => Ok(Err(reason)),
            Err(SearchStop::Overflow(overflow)) => Err(overflow),
        }
    }

    fn on_widened(&mut self, narrow: &E, wide: &E, budget: &Budget) -> Result<(), StopReason> {
        let width = wide.initial_row().len();
        let new = self.search.rewrite(width, narrow.converter(wide), budget)?;
        self.session.monitors.renumber(&new);
        Ok(())
    }
}

struct GraphTask<'a, N, F> {
    search: &'a StateSearch<N>,
    visit: F,
}

impl<N: ActionId, T, F: FnOnce(&mut dyn ExploredGraph) -> T> SpaceTask<N> for GraphTask<'_, N, F> {
    type Output = T;

    fn run<S: MarkingSpace<ActionId = N>>(self, space: &mut S) -> T {
        (self.visit)(&mut RecomputedGraph { space, search: self.search, row: TreeRow::default() })
    }
}

/// The states and the edges between them.
pub(super) trait ExploredGraph {
    /// Calls `visit` with the transition of each enabled action of a state and the state after it; all states are known.
    fn edges(&mut self, state: RowId, visit: &mut dyn FnMut(u32, RowId));

    /// A run from the initial state.
    fn run_to(&mut self, state: RowId) -> Trace;
}

/// A graph whose states are stored and whose edges are computed again.
struct RecomputedGraph<'a, S: StateSpace> {
    space: &'a mut S,
    search: &'a StateSearch<S::ActionId>,
    row: TreeRow,
}

impl<S: MarkingSpace> ExploredGraph for RecomputedGraph<'_, S> {
    fn edges(&mut self, state: RowId, visit: &mut dyn FnMut(u32, RowId)) {
        let Self { space, search, row } = self;
        let store = &search.states.store;
        store.get(state, row);
        let flow = space.successors(row.row(), ActionCursor::default(), |successor| -> ControlFlow<()> {
            let next = successor.row.and_then(|next| store.find_near(next, row));
            visit(successor.transition, next.expect("all successors of known states are known"));
            ControlFlow::Continue(())
        });
        debug_assert!(flow.is_continue());
    }

    fn run_to(&mut self, state: RowId) -> Trace {
        trace(self.search, self.space, state)
    }
}

/// A run from the initial state to another one.
pub(super) fn trace<S: MarkingSpace>(
    search: &StateSearch<S::ActionId>,
    space: &mut S,
    state: RowId,
) -> Trace {
    let actions = search.run_to(space, state);
    Trace(actions.into_iter().map(|action| space.step(action)).collect())
}
