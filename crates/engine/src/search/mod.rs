//! Search over a [`Space`]: breadth-first with several threads, depth-first and best-first.
//!
//! All orders share the [`States`] that were found and differ in what waits. A [`Visitor`] looks on; it sees a
//! state once, when it is known whether anything is enabled there, and is told which actions fire.
//!
//! When a row does not fit into its words the search stops with [`Stop::Misfit`]. Whoever owns the space then
//! writes all rows again in a wider form ([`Search::rewrite`]) and calls [`Search::run`] again: nothing is lost,
//! and nothing is counted twice.
//!
//! Invariants: (1) a state is visited once; (2) `firings` counts each action of each expanded state once; (3) the
//! links of stored states lead to the initial state.
//! Test: `tests/explicit.rs`, each order against the reference checker.

mod agenda;
mod best;
mod breadth;
mod depth;
mod ground;
mod interrupt;
mod markings;
mod pace;
mod patience;
mod predicate;
mod space;

use std::ops::ControlFlow;

use fireset_kernel::store::{EdgeLog, Full, Predecessors, RowId, Store, TreeRow, Watermark};
use fireset_net::{Budget, StopReason};

pub(crate) use self::{
    agenda::Agenda,
    ground::{Ground, Task},
    interrupt::{Alarm, interrupted, interruptible},
    markings::{Markings, Obstacle, Stuck, value},
    pace::Pace,
    patience::Patience,
    predicate::Predicate,
    space::{Cursor, Marked, Number, Space, Successor},
};
use self::{best::Heap, breadth::Frontier, depth::Stack};

/// Orders in which states are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Near states first: shortest runs. The only order that uses several threads.
    #[default]
    BreadthFirst,
    /// Along one run until it ends.
    DepthFirst,
    /// Those first that look nearest to what is wanted.
    BestFirst,
}

/// What a depth-first search remembers of the actions of a state on its stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FiresetMode {
    /// The last one that fired.
    #[default]
    Dynamic,
    /// All that are left.
    Full,
}

/// Which search it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) order: Order,
    pub(crate) fireset: FiresetMode,
    pub(crate) threads: usize,
    /// Whether runs to states are wanted.
    pub(crate) runs: bool,
    /// Whether all steps between states are wanted, which only the breadth-first order notes.
    pub(crate) steps: bool,
    /// More states are too many.
    pub(crate) most: usize,
}

/// A state, when it is known whether anything is enabled there.
pub(crate) struct View<'a> {
    pub(crate) id: RowId,
    pub(crate) row: &'a [u64],
    pub(crate) deadlock: bool,
}

/// What looks at states; several of them look at different states at once and are joined.
pub(crate) trait Look<S: Space>: Clone + Send {
    /// An action of this kind fires in a state; possibly told twice.
    fn firing(&mut self, kind: u32);

    /// Looks at a state; `true` when something is decided now.
    fn visit(&mut self, space: &mut S, view: &View<'_>) -> bool;

    /// Whether some actions of a row are enough, and which; `actions` has room for them. What is chosen for a row must
    /// not depend on what was looked at since the last call of [`Look::prepare`].
    fn choose(&mut self, space: &mut S, row: &[u64], actions: &mut Vec<S::Number>) -> bool;

    /// Several states are looked at from now on, perhaps by several.
    fn prepare(&mut self);

    /// Whether nothing is open any more.
    fn is_done(&self) -> bool;

    /// How far a row seems from what is wanted.
    fn distance(&self, space: &S, row: &[u64]) -> u64;

    /// Adds what another one saw, which looked at later states; `true` when something is decided now.
    fn join(&mut self, other: Self) -> bool;
}

/// Who wants to know.
pub(crate) trait Visitor<S: Space> {
    /// What looks at states.
    type Look: Look<S>;

    /// It.
    fn look(&mut self) -> &mut Self::Look;

    /// Takes note of what is decided; breaks when that is everything.
    fn settle(&mut self, search: &Search<S::Number>, space: &mut S) -> ControlFlow<()>;
}

/// The states that were found.
pub(crate) struct States {
    pub(crate) store: Store,
    pub(crate) initial: RowId,
    pub(crate) firings: u64,
}

/// A search that can go on.
pub(crate) struct Search<N> {
    pub(crate) states: States,
    way: Way,
    waiting: Waiting<N>,
    /// The steps between states, if they are wanted.
    noted: Option<EdgeLog>,
    /// The most bytes that it held when it looked.
    peak: u64,
}

/// What waits to be expanded.
enum Waiting<N> {
    Breadth(Frontier),
    Depth(Stack<N>),
    Best(Heap),
}

/// Why a search ends before all states are visited.
pub(crate) enum Stop<N> {
    /// Somebody or something says so.
    Reason(StopReason),
    /// The visitor has seen enough.
    Enough,
    /// This action in this state leads to a row that does not fit.
    Misfit(RowId, N),
}

impl<N> From<Full> for Stop<N> {
    fn from(full: Full) -> Self {
        Self::Reason(too_many(full))
    }
}

fn too_many(Full: Full) -> StopReason {
    StopReason::States(u32::MAX as usize)
}

impl<N: Number> Search<N> {
    /// A search from an initial row.
    pub(crate) fn new(initial: &[u64], way: Way) -> Self {
        let mut store = Store::new(initial.len(), way.runs);
        let (id, _) = store.insert(initial, 0).expect("the first row fits");
        if way.runs {
            store.set_link(id, id);
        }
        let waiting = match way.order {
            Order::BreadthFirst => Waiting::Breadth(Frontier::default()),
            Order::DepthFirst => Waiting::Depth(Stack::new(way.fireset)),
            Order::BestFirst => Waiting::Best(Heap::new(id)),
        };
        debug_assert!(!way.steps || way.order == Order::BreadthFirst);
        let noted = way.steps.then(EdgeLog::default);
        Self { states: States { store, initial: id, firings: 0 }, way, waiting, noted, peak: 0 }
    }

    /// Visits states until all are visited or something stops it.
    pub(crate) fn run<S: Space<Number = N>, V: Visitor<S>>(
        &mut self,
        space: &mut S,
        budget: &Budget,
        visitor: &mut V,
    ) -> Result<(), Stop<N>> {
        debug_assert_eq!(space.width(), self.states.store.width());
        match self.waiting {
            Waiting::Breadth(_) => self.sweep(space, budget, visitor),
            Waiting::Depth(_) => self.dive(space, budget, visitor),
            Waiting::Best(_) => self.climb(space, budget, visitor),
        }
    }

    /// Whether the budget allows to go on with `more` bytes than the states and what waits hold.
    fn check(&mut self, budget: &Budget, more: usize) -> Result<(), Stop<N>> {
        let waiting = match &self.waiting {
            Waiting::Breadth(frontier) => frontier.bytes(),
            Waiting::Depth(stack) => stack.bytes(),
            Waiting::Best(heap) => heap.bytes(),
        };
        let noted = self.noted.as_ref().map_or(0, EdgeLog::bytes);
        let bytes = (self.states.store.bytes() + waiting + noted + more) as u64;
        self.peak = self.peak.max(bytes);
        if self.states.store.len() > self.way.most {
            return Err(Stop::Reason(StopReason::States(self.way.most)));
        }
        budget.check(bytes, self.states.store.len() as u64).map_err(Stop::Reason)
    }

    /// The states and all steps between them, when all are visited; steps are noted.
    pub(crate) fn into_graph(self, budget: &Budget) -> Result<(States, Predecessors), StopReason> {
        let noted = self.noted.expect("steps are noted");
        let store = &self.states.store;
        budget.check((store.bytes() + noted.bytes_sorted(store)) as u64, store.len() as u64)?;
        let predecessors = noted.sort(store);
        Ok((self.states, predecessors))
    }

    /// The most bytes that it held.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.max(self.states.store.bytes() as u64)
    }

    /// Shows a stored state to the visitor.
    fn show<S: Space<Number = N>, V: Visitor<S>>(
        &self,
        id: RowId,
        (row, deadlock): (&[u64], bool),
        space: &mut S,
        visitor: &mut V,
    ) -> Result<(), Stop<N>> {
        let decided = visitor.look().visit(space, &View { id, row, deadlock });
        self.settle(decided, space, visitor)
    }

    /// Lets the visitor take note of what is decided.
    fn settle<S: Space<Number = N>, V: Visitor<S>>(
        &self,
        decided: bool,
        space: &mut S,
        visitor: &mut V,
    ) -> Result<(), Stop<N>> {
        if decided && visitor.settle(self, space).is_break() { Err(Stop::Enough) } else { Ok(()) }
    }

    /// The actions that lead from the initial state to a state, breadth-first as few as possible.
    pub(crate) fn run_to<S: Space<Number = N>>(&self, space: &mut S, state: RowId) -> Vec<N> {
        let mut child = state;
        let store = &self.states.store;
        let (mut near, mut goal) = (TreeRow::default(), TreeRow::default());
        let mut actions = Vec::new();
        while child != self.states.initial {
            let parent = store.link(child);
            store.get(parent, &mut near);
            store.get(child, &mut goal);
            let found = space.successors(near.row(), Cursor::default(), |s| {
                if s.row == Some(goal.row()) {
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

    /// Writes all rows again, `width` words each and by `convert`; gives the new numbers by the old ones.
    pub(crate) fn rewrite(
        &mut self,
        width: usize,
        mut convert: impl FnMut(&[u64], &mut [u64]),
        budget: &Budget,
    ) -> Result<Vec<RowId>, StopReason> {
        debug_assert!(self.noted.is_none(), "steps are between old numbers");
        let mut store = Store::new(width, self.way.runs);
        let old = &self.states.store;
        let mut new = vec![RowId::MAX; old.limit()];
        let mut marks = Vec::new();
        let (mut near, mut row) = (TreeRow::default(), vec![0; width]);
        let beside = size_of::<RowId>() * (new.len() + old.len());
        for rows in self.generations() {
            for (work, id) in rows.into_iter().enumerate() {
                if work.is_multiple_of(1 << 12) {
                    let bytes = old.bytes() + store.bytes() + beside;
                    budget.check(bytes as u64, old.len() as u64)?;
                }
                old.get(id, &mut near);
                convert(near.row(), &mut row);
                new[id as usize] = store.insert(&row, 0).map_err(too_many)?.0;
            }
            marks.push(store.watermark());
        }
        if self.way.runs {
            for id in Watermark::default().take(&old.watermark(), usize::MAX) {
                store.set_link(new[id as usize], new[old.link(id) as usize]);
            }
        }
        match &mut self.waiting {
            Waiting::Breadth(frontier) => *frontier = Frontier::between(marks[0].clone(), marks[1].clone()),
            Waiting::Depth(stack) => stack.renumber(&new),
            Waiting::Best(heap) => heap.renumber(&new),
        }
        self.states.initial = new[self.states.initial as usize];
        self.states.store = store;
        Ok(new)
    }

    /// The rows in the order in which a breadth-first search has to keep them: expanded, of the present level, of
    /// the next one.
    fn generations(&self) -> Vec<Vec<RowId>> {
        let store = &self.states.store;
        match &self.waiting {
            Waiting::Breadth(frontier) => frontier.generations(store),
            _ => vec![Watermark::default().take(&store.watermark(), usize::MAX)],
        }
    }
}
