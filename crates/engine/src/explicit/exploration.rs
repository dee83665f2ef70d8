//! The states of a net, in a layout that widens when a marking does not fit: all rows are written again, and the
//! search goes on.

use std::{any::Any, ops::ControlFlow};

use fireset_kernel::store::{RowId, TreeRow};
use fireset_net::{Budget, StopReason, Trace};

use super::{ExplicitSession, monitor::SuspendedMonitors};
use crate::{
    driver::{self, WideningTask},
    search::{
        ActionCursor, ActionId, EncodedNet, LayoutOverflow, MarkingSpace, SearchConfig, SearchStop,
        SpaceTask, StateSearch, StateSpace,
    },
    suspended::StoredSize,
};

/// Why an exploration ended before all states were visited.
#[derive(Clone, Debug)]
pub(super) enum ExplorationStop {
    /// A limit was reached between two steps, so the exploration can go on.
    AtLimit(StopReason),
    /// It stopped for good, perhaps in the middle of a step.
    ForGood(StopReason),
}

impl ExplorationStop {
    fn by(reason: StopReason) -> Self {
        match reason {
            // With as many states as ids can tell apart an insertion failed, and successors are lost.
            StopReason::States(limit) if limit >= u32::MAX as usize => Self::ForGood(reason),
            StopReason::Time | StopReason::States(_) => Self::AtLimit(reason),
            // More memory is not to be expected, and a query that is closed needs no more states.
            _ => Self::ForGood(reason),
        }
    }
}

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

    /// Goes on where another exploration of an equal net was suspended, and gives its monitors; `None` if this one cannot.
    pub(super) fn resume(
        &mut self,
        suspended: Box<dyn Any + Send>,
        config: SearchConfig,
    ) -> Option<SuspendedMonitors> {
        let (layout, mut search, monitors) = *suspended.downcast::<OwnedSearch<E>>().ok()?;
        let net = self.net.in_layout(layout)?;
        search.set_limits(config);
        *self = Self { net, search };
        Some(monitors)
    }

    /// The exploration without the net, with its monitors.
    pub(super) fn suspend(self, monitors: SuspendedMonitors) -> Box<dyn Any + Send> {
        let suspended: OwnedSearch<E> = (self.net.owned_layout(), self.search, monitors);
        Box::new(suspended)
    }

    pub(super) fn size(&self) -> StoredSize {
        StoredSize { states: self.search.states.store.len(), bytes: self.search.bytes() as u64 }
    }

    /// Visits states until all are visited or the session has seen enough.
    pub(super) fn run(
        &mut self,
        budget: &Budget,
        session: &mut ExplicitSession<'_>,
    ) -> Result<(), ExplorationStop> {
        let mut task = SearchTask { search: &mut self.search, budget, session };
        match driver::run_widening(&mut self.net, &mut task, budget) {
            Ok(ended) => ended.map_err(ExplorationStop::by),
            Err(reason) => Err(ExplorationStop::ForGood(reason)),
        }
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

/// An exploration without its net: another net that is equal takes its place.
type OwnedSearch<E> =
    (<E as EncodedNet>::OwnedLayout, StateSearch<<E as EncodedNet>::ActionId>, SuspendedMonitors);

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
    Trace(space.run(&actions))
}
