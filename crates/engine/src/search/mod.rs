//! Search over a [`StateSpace`]: breadth-first with several threads, depth-first and best-first.
//!
//! All orders share the [`ReachedStates`] and differ in their [`OpenList`]. A [`Monitor`] sees each state once, when
//! it is known whether the state is a deadlock, and is told which transitions fire; a [`Visitor`] owns the monitor and
//! takes what it decided.
//!
//! When a row does not fit into its words the search stops with a [`LayoutOverflow`]. The owner of the space then
//! writes all rows again in a wider layout ([`StateSearch::rewrite`]) and calls [`StateSearch::run`] again: nothing is
//! lost, and nothing is counted twice. The driver (`crate::driver`) does so for all engines.
//!
//! Invariants: (1) a state is visited once; (2) `firings` counts each action of each expanded state once; (3) the
//! links of stored states lead to the initial state.
//! Test: `tests/explicit.rs`, each order against the reference checker.

mod best_first;
mod bfs;
mod dfs;
mod encoded_net;
mod interrupt;
mod markings;
mod monitor;
mod pending;
mod poll_timer;
mod predicate;
mod space;
mod work_limit;

use std::ops::ControlFlow;

use fireset_kernel::store::{EdgeLog, Full, Predecessors, RowId, Store, TreeRow, Watermark};
use fireset_net::{Budget, StopReason};

use self::{best_first::OpenHeap, bfs::Frontier, dfs::DfsStack};
pub(crate) use self::{
    encoded_net::{EncodedNet, LayoutOverflow, SpaceTask},
    interrupt::{Interrupt, interrupted, interruptible},
    markings::{MarkingStep, MarkingTable, value},
    monitor::{Monitor, VisitedState, Visitor},
    pending::PendingSuccessors,
    poll_timer::PollTimer,
    predicate::{Predicate, PredicateAtom, RowCounts, asks_for_deadlock, compile, holds, sum},
    space::{ActionCursor, ActionId, MarkingSpace, StateSpace, Successor},
    work_limit::WorkLimit,
};

/// Orders in which states are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Near states first, which gives shortest runs. The only order that uses several threads.
    #[default]
    BreadthFirst,
    /// Along one run until it ends.
    DepthFirst,
    /// The most promising states first.
    BestFirst,
}

/// What a depth-first search remembers of the actions of a state on its stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FiresetMode {
    /// Only the action that fired last; the next one is computed on demand.
    #[default]
    Dynamic,
    /// All actions that have not fired yet.
    Full,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchConfig {
    pub(crate) order: Order,
    pub(crate) fireset: FiresetMode,
    pub(crate) threads: usize,
    /// Whether the search can be asked for a run to a state ([`StateSearch::run_to`]): each state then keeps a link.
    pub(crate) runs: bool,
    /// Whether all steps between states are logged, which only the breadth-first order can do.
    pub(crate) steps: bool,
    pub(crate) max_states: usize,
}

pub(crate) struct ReachedStates {
    pub(crate) store: Store,
    pub(crate) initial: RowId,
    pub(crate) firings: u64,
}

/// A search that can be interrupted and resumed.
pub(crate) struct StateSearch<N> {
    pub(crate) states: ReachedStates,
    config: SearchConfig,
    /// The most threads that can be started.
    max_threads: usize,
    open: OpenList<N>,
    /// The steps between states, if they are logged.
    noted: Option<EdgeLog>,
    /// The most bytes held at any poll of the budget.
    peak: u64,
}

/// The states that are found but not completely expanded.
enum OpenList<N> {
    Breadth(Frontier),
    Depth(DfsStack<N>),
    Best(OpenHeap),
}

/// What a run of a search works with.
struct SearchContext<'r, S, V> {
    space: &'r mut S,
    budget: &'r Budget,
    visitor: &'r mut V,
}

/// Writes some rows of a store into another one, by `convert`, and their new ids into a list that is indexed by the old ones.
pub(crate) fn rewrite_rows(
    old: &Store,
    rows: &[RowId],
    (store, new): (&mut Store, &mut [RowId]),
    convert: &mut impl FnMut(&[u64], &mut [u64]),
    budget: &Budget,
) -> Result<(), StopReason> {
    let (mut near, mut row) = (TreeRow::default(), vec![0; store.width()]);
    let beside = size_of::<RowId>() * (new.len() + old.len());
    for (work, &id) in rows.iter().enumerate() {
        if work.is_multiple_of(1 << 12) {
            let bytes = old.bytes() + store.bytes() + beside;
            budget.check(bytes as u64, old.len() as u64)?;
        }
        old.get(id, &mut near);
        convert(near.row(), &mut row);
        new[id as usize] = store.insert(&row, 0).map_err(too_many)?.0;
    }
    Ok(())
}

/// Why a search ends before all states are visited.
pub(crate) enum SearchStop<N> {
    Reason(StopReason),
    /// The visitor has seen enough.
    Enough,
    Overflow(LayoutOverflow<N>),
}

/// The result of a step of a search in the space `S`.
pub(crate) type Searched<S, T> = Result<T, SearchStop<<S as StateSpace>::ActionId>>;

impl<N> SearchStop<N> {
    pub(crate) fn overflow(row: &[u64], action: N) -> Self {
        Self::Overflow(LayoutOverflow { row: row.into(), action })
    }
}

impl<N> From<Full> for SearchStop<N> {
    fn from(full: Full) -> Self {
        Self::Reason(too_many(full))
    }
}

pub(crate) fn too_many(Full: Full) -> StopReason {
    StopReason::States(u32::MAX as usize)
}

impl<N: ActionId> StateSearch<N> {
    pub(crate) fn new(initial: &[u64], config: SearchConfig) -> Self {
        let mut store = Store::new(initial.len(), config.runs);
        let (id, _) = store.insert(initial, 0).expect("the first row fits");
        if config.runs {
            store.set_link(id, id);
        }
        let open = match config.order {
            Order::BreadthFirst => OpenList::Breadth(Frontier::default()),
            Order::DepthFirst => OpenList::Depth(DfsStack::new(config.fireset)),
            Order::BestFirst => OpenList::Best(OpenHeap::new(id)),
        };
        debug_assert!(!config.steps || config.order == Order::BreadthFirst);
        let noted = config.steps.then(EdgeLog::default);
        let states = ReachedStates { store, initial: id, firings: 0 };
        Self { states, config, max_threads: bfs::MAX_THREADS, open, noted, peak: 0 }
    }

    /// Sets the limits of the next run; what the states keep stays as it is.
    pub(crate) fn set_limits(&mut self, config: SearchConfig) {
        self.config = SearchConfig { runs: self.config.runs, steps: self.config.steps, ..config };
    }

    /// Visits states until all are visited or something stops the search.
    pub(crate) fn run<S: StateSpace<ActionId = N>, V: Visitor<S>>(
        &mut self,
        space: &mut S,
        budget: &Budget,
        visitor: &mut V,
    ) -> Result<(), SearchStop<N>> {
        debug_assert_eq!(space.width(), self.states.store.width());
        let context = SearchContext { space, budget, visitor };
        match self.open {
            OpenList::Breadth(_) => self.run_bfs(context),
            OpenList::Depth(_) => self.run_dfs(context),
            OpenList::Best(_) => self.run_best_first(context),
        }
    }

    /// Checks the budget for the bytes of the states and the open list, and `more` bytes beside them.
    fn check(&mut self, budget: &Budget, more: usize) -> Result<(), SearchStop<N>> {
        let bytes = (self.bytes() + more) as u64;
        self.peak = self.peak.max(bytes);
        if self.states.store.len() > self.config.max_states {
            return Err(SearchStop::Reason(StopReason::States(self.config.max_states)));
        }
        budget.check(bytes, self.states.store.len() as u64).map_err(SearchStop::Reason)
    }

    /// The bytes of the states and the open list.
    pub(crate) fn bytes(&self) -> usize {
        let open = match &self.open {
            OpenList::Breadth(frontier) => frontier.bytes(),
            OpenList::Depth(stack) => stack.bytes(),
            OpenList::Best(heap) => heap.bytes(),
        };
        self.states.store.bytes() + open + self.noted.as_ref().map_or(0, EdgeLog::bytes)
    }

    /// The states and the logged steps between them, of a search that has visited all states.
    pub(crate) fn into_graph(self, budget: &Budget) -> Result<(ReachedStates, Predecessors), StopReason> {
        let noted = self.noted.expect("the configuration asks for steps");
        let store = &self.states.store;
        budget.check((store.bytes() + noted.bytes_sorted(store)) as u64, store.len() as u64)?;
        let predecessors = noted.sort(store);
        Ok((self.states, predecessors))
    }

    pub(crate) fn peak_bytes(&self) -> u64 {
        self.peak.max(self.states.store.bytes() as u64)
    }

    /// Shows a stored state to the monitor.
    fn visit<S: StateSpace<ActionId = N>, V: Visitor<S>>(
        &self,
        state: &VisitedState<'_>,
        space: &mut S,
        visitor: &mut V,
    ) -> Result<(), SearchStop<N>> {
        if visitor.monitor().visit(space, state) { self.pass_on(space, visitor) } else { Ok(()) }
    }

    /// Lets the visitor take what its monitor has decided.
    fn pass_on<S: StateSpace<ActionId = N>, V: Visitor<S>>(
        &self,
        space: &mut S,
        visitor: &mut V,
    ) -> Result<(), SearchStop<N>> {
        if visitor.on_decided(self, space).is_break() { Err(SearchStop::Enough) } else { Ok(()) }
    }

    /// The actions that lead from the initial state to a state, breadth-first as few as possible.
    pub(crate) fn run_to<S: StateSpace<ActionId = N>>(&self, space: &mut S, state: RowId) -> Vec<N> {
        let mut child = state;
        let store = &self.states.store;
        let (mut near, mut target) = (TreeRow::default(), TreeRow::default());
        let mut actions = Vec::new();
        while child != self.states.initial {
            let parent = store.link(child);
            store.get(parent, &mut near);
            store.get(child, &mut target);
            let found = space.successors(near.row(), ActionCursor::default(), |s| {
                if s.row == Some(target.row()) {
                    ControlFlow::Break(s.action)
                } else {
                    ControlFlow::Continue(())
                }
            });
            let ControlFlow::Break(action) = found else { panic!("a state leads to those linked to it") };
            actions.push(action);
            child = parent;
        }
        actions.reverse();
        actions
    }

    /// Writes all rows again, `width` words each and by `convert`; returns the new ids, indexed by the old ones.
    pub(crate) fn rewrite(
        &mut self,
        width: usize,
        mut convert: impl FnMut(&[u64], &mut [u64]),
        budget: &Budget,
    ) -> Result<Vec<RowId>, StopReason> {
        debug_assert!(self.noted.is_none(), "logged steps are between old ids");
        let mut store = Store::new(width, self.config.runs);
        let old = &self.states.store;
        let mut new = vec![RowId::MAX; old.limit()];
        let mut marks = Vec::new();
        for rows in self.generations() {
            rewrite_rows(old, &rows, (&mut store, &mut new), &mut convert, budget)?;
            marks.push(store.watermark());
        }
        if self.config.runs {
            for id in Watermark::default().take(&old.watermark(), usize::MAX) {
                store.set_link(new[id as usize], new[old.link(id) as usize]);
            }
        }
        match &mut self.open {
            OpenList::Breadth(frontier) => *frontier = Frontier::between(marks[0].clone(), marks[1].clone()),
            OpenList::Depth(stack) => stack.renumber(&new),
            OpenList::Best(heap) => heap.renumber(&new),
        }
        self.states.initial = new[self.states.initial as usize];
        self.states.store = store;
        Ok(new)
    }

    /// The rows in the order in which a breadth-first search has to keep them: expanded, of the present level, of
    /// the next one.
    fn generations(&self) -> Vec<Vec<RowId>> {
        let store = &self.states.store;
        match &self.open {
            OpenList::Breadth(frontier) => frontier.generations(store),
            _ => vec![Watermark::default().take(&store.watermark(), usize::MAX)],
        }
    }
}
