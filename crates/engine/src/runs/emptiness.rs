//! Whether a product has a fair accepting run, found on the fly and not recursively.
//!
//! After Couvreur, "On-the-fly verification of linear temporal logic" (FM 1999): a depth-first search that keeps, for each
//! strongly connected part of the path, the union of its marks. An edge back to the path merges parts, and the search stops
//! as soon as a merged part has all the marks that acceptance and weak fairness ask for and violates no strong fairness. A
//! component that is left with all of them but strong fairness is searched for a smaller one (`streett`). Fairness is
//! never written into the formula: each assumption costs one or two bits a part.
//!
//! Where stubborn sets are used, the marking at which a cycle closes gets a complete set (`ltl::reduction`).
//!
//! With a bound the path gets no longer than that; states behind it are left out, and the search says so.
//!
//! Invariants: (1) a state's link is its position among the open states, or [`CLOSED`]; (2) the parts' positions grow, and
//! the open states from the position of a part up to that of the next are strongly connected; (3) a part's marks are those
//! of its states and of edges between them. Cost: linear in the product, times the groups. Test: `tests/runs.rs`.

use fireset_kernel::store::{RowId, Store, TreeRow};
use fireset_net::Budget;

use super::{marks::Marks, product::RunProduct, streett};
use crate::{
    ltl::ProductState,
    search::{ActionCursor, ActionId, FiresetMode, MarkingSpace, PendingSuccessors, PollTimer, SearchStop},
};

/// The position of a state whose component is complete.
const CLOSED: u32 = u32::MAX;

/// Strongly connected states with a fair accepting cycle.
pub(super) struct FairComponent<N> {
    /// The actions from an initial state to `entry`, and the states on the way.
    pub(super) path: Vec<(ProductState, Option<N>)>,
    /// A state from which the component is reached through `around`.
    pub(super) entry: ProductState,
    /// The component that the search was in.
    pub(super) around: Vec<ProductState>,
    /// The states of the cycle; a part of `around`.
    pub(super) states: Vec<ProductState>,
    /// The marks of these states and of the edges between them.
    pub(super) marks: Marks,
}

pub(super) enum FairSearchResult<N> {
    /// There is no fair accepting run.
    Empty,
    /// There is none on paths within the bound.
    EmptyWithinBound,
    Accepting(FairComponent<N>),
}

/// A strongly connected part of the path.
struct ComponentPart {
    /// The position of its first state.
    position: u32,
    marks: Marks,
    /// The marks of the edge that leads to its first state.
    incoming: Marks,
}

/// A product state on the path.
struct RunFrame<N> {
    state: ProductState,
    position: u32,
    /// The action that led here.
    action: Option<N>,
    cursor: ActionCursor<N>,
    /// The successor that is being combined with the edges of the automaton, and its action.
    successor: Option<(RowId, Option<N>)>,
    /// Where the automaton's edges begin in `candidates`, and the next of them.
    base: usize,
    next: usize,
}

/// Couvreur's search.
pub(super) struct FairEmptiness<N> {
    pub(super) states: Store,
    /// The open states, by position, with their ids in `states`.
    open: Vec<(ProductState, RowId)>,
    parts: Vec<ComponentPart>,
    path: Vec<RunFrame<N>>,
    pending: PendingSuccessors<N>,
    candidates: Vec<u32>,
    bound: usize,
    cut: bool,
    timer: PollTimer,
    peak: u64,
}

type FairSearch<N, T> = Result<T, SearchStop<N>>;

impl<N: ActionId> FairEmptiness<N> {
    pub(super) fn new(bound: usize, fireset: FiresetMode) -> Self {
        Self {
            states: Store::new(1, true),
            open: Vec::new(),
            parts: Vec::new(),
            path: Vec::new(),
            pending: PendingSuccessors::new(fireset),
            candidates: Vec::new(),
            bound,
            cut: false,
            timer: PollTimer::default(),
            peak: 0,
        }
    }

    /// Searches from all initial states of the product.
    pub(super) fn run<S: MarkingSpace<ActionId = N>>(
        &mut self,
        product: &mut RunProduct<'_, S>,
        budget: &Budget,
    ) -> FairSearch<N, FairSearchResult<N>> {
        for root in product.initial() {
            if let Some(found) = self.search(product, root, budget)? {
                return Ok(FairSearchResult::Accepting(found));
            }
        }
        Ok(if self.cut { FairSearchResult::EmptyWithinBound } else { FairSearchResult::Empty })
    }

    fn search<S: MarkingSpace<ActionId = N>>(
        &mut self,
        product: &mut RunProduct<'_, S>,
        root: ProductState,
        budget: &Budget,
    ) -> FairSearch<N, Option<FairComponent<N>>> {
        if self.enter(product, root, None)? {
            return Ok(Some(self.found()));
        }
        while let Some(frame) = self.path.last_mut() {
            if self.timer.is_due() {
                self.peak = self.peak_bytes(product);
                let markings = product.markings.store.len() as u64;
                budget.check(self.peak, markings).map_err(SearchStop::Reason)?;
                continue;
            }
            let Some((marking, action)) = frame.successor.filter(|_| frame.next < self.candidates.len())
            else {
                // A state whose automaton part has no enabled edge needs no successors.
                let dead = frame.base == self.candidates.len();
                let next = if dead {
                    None
                } else {
                    product.next(frame.state.marking, &mut frame.cursor, &mut self.pending)?
                };
                (frame.successor, frame.next) = (next, frame.base);
                if next.is_none()
                    && let Some(found) = self.leave(product, budget)?
                {
                    return Ok(Some(found));
                }
                continue;
            };
            let edge = self.candidates[frame.next];
            frame.next += 1;
            let target = product.target(frame.state.automaton_state, edge, action);
            if let Some(automaton_state) = target
                && self.enter(product, ProductState { marking, automaton_state }, action)?
            {
                return Ok(Some(self.found()));
            }
        }
        Ok(None)
    }

    /// Comes to a state by an action; `true` when that closes a fair accepting cycle.
    fn enter<S: MarkingSpace<ActionId = N>>(
        &mut self,
        product: &mut RunProduct<'_, S>,
        state: ProductState,
        action: Option<N>,
    ) -> FairSearch<N, bool> {
        let position = self.open.len() as u32;
        if self.path.len() >= self.bound {
            // An open state counts as always, but no new state is entered.
            return Ok(match self.states.find_near(&[state.word()], &TreeRow::default()) {
                Some(id) => self.reach(product, self.states.link(id), action),
                None => {
                    self.cut = true;
                    false
                }
            });
        }
        let (id, new) = self.states.insert(&[state.word()], position)?;
        if !new {
            return Ok(self.reach(product, self.states.link(id), action));
        }
        let base = self.candidates.len();
        let candidates = &mut self.candidates;
        product.candidates(state, |edge| candidates.push(edge));
        self.open.push((state, id));
        let (marks, incoming) = (product.state_marks(state), product.edge_marks(action));
        self.parts.push(ComponentPart { position, marks, incoming });
        let dead = base == self.candidates.len();
        let chosen = if dead { None } else { product.choice.choose(state, &mut product.markings) };
        let cursor = chosen.map_or(ActionCursor::default(), |actions| self.pending.store(actions));
        self.path.push(RunFrame { state, position, action, cursor, successor: None, base, next: base });
        Ok(false)
    }

    /// The last state of the path leads to a known one; `true` when that closes a fair accepting cycle.
    fn reach<S: MarkingSpace<ActionId = N>>(
        &mut self,
        product: &mut RunProduct<'_, S>,
        position: u32,
        action: Option<N>,
    ) -> bool {
        if position == CLOSED {
            return false;
        }
        if let Some(frame) = self.path.last() {
            let missing = product.choice.complete(frame.state, &mut product.markings);
            missing.iter().for_each(|&action| self.pending.add(action));
        }
        let mut marks = product.edge_marks(action);
        marks.set_cyclic();
        while self.parts.last().is_some_and(|part| part.position > position) {
            let part = self.parts.pop().expect("it is there");
            marks.add(&part.marks);
            marks.add(&part.incoming);
        }
        let part = self.parts.last_mut().expect("an open state is in a part");
        part.marks.add(&marks);
        product.marks.is_accepting(&part.marks)
    }

    /// Leaves the last state of the path; the fair part of its component, if the component is complete and has one.
    fn leave<S: MarkingSpace<ActionId = N>>(
        &mut self,
        product: &mut RunProduct<'_, S>,
        budget: &Budget,
    ) -> FairSearch<N, Option<FairComponent<N>>> {
        let frame = self.path.last().expect("there is a path");
        let position = frame.position;
        let part = self.parts.last().expect("a state of the path is in a part");
        if part.position == position {
            if product.marks.is_almost_accepting(&part.marks) {
                let around: Vec<ProductState> =
                    self.open[position as usize..].iter().map(|&(state, _)| state).collect();
                if let Some((states, marks)) = streett::fair_part(product, &around, budget)? {
                    let (path, entry) = (self.path_to(position), around[0]);
                    return Ok(Some(FairComponent { path, entry, around, states, marks }));
                }
            }
            self.parts.pop();
            for (_, id) in self.open.drain(position as usize..) {
                self.states.set_link(id, CLOSED);
            }
        }
        let frame = self.path.pop().expect("there is a path");
        self.candidates.truncate(frame.base);
        Ok(None)
    }

    /// The last part, which has a fair accepting cycle.
    fn found(&mut self) -> FairComponent<N> {
        let part = self.parts.pop().expect("there is a part");
        let states: Vec<ProductState> =
            self.open[part.position as usize..].iter().map(|&(state, _)| state).collect();
        let (path, entry) = (self.path_to(part.position), states[0]);
        FairComponent { path, entry, around: states.clone(), states, marks: part.marks }
    }

    /// The states of the path up to a position, each with the action that leads to it.
    fn path_to(&self, position: u32) -> Vec<(ProductState, Option<N>)> {
        let frames = self.path.iter().take_while(|frame| frame.position <= position);
        frames.map(|frame| (frame.state, frame.action)).collect()
    }

    /// The most bytes that the search and the markings held at any poll of the budget.
    pub(super) fn peak_bytes<S: MarkingSpace>(&self, product: &RunProduct<'_, S>) -> u64 {
        let open = self.open.capacity() * size_of::<(ProductState, RowId)>();
        let marks = 2 * size_of_val(&product.marks.none()) + 48;
        let parts = self.parts.capacity() * (size_of::<ComponentPart>() + marks);
        let path = self.path.capacity() * size_of::<RunFrame<N>>() + self.candidates.capacity() * 4;
        let stacks = open + parts + path + self.pending.bytes();
        self.peak
            .max((self.states.bytes() + product.markings.bytes() + product.choice.bytes() + stacks) as u64)
    }

    pub(super) fn is_seen(&self, state: ProductState) -> bool {
        self.states.find_near(&[state.word()], &TreeRow::default()).is_some()
    }
}
