//! Whether a product has an accepting run, found on the fly and not recursively.
//!
//! After Geldenhuys and Valmari, "Tarjan's algorithm makes on-the-fly LTL verification more efficient" (TACAS
//! 2004): Tarjan's search for components that stops as soon as a cycle through an accepting state is closed. The
//! search sees that when a state on the path can go back as far as the last accepting state of the path. We number states
//! by their position on Tarjan's stack, so a state costs 4 bytes there and 4 in the store that tells its position.
//!
//! With a weak automaton a cycle is accepting if any of its states is, so the first edge back to the path from an
//! accepting state decides, and a state that was left without one lies on no accepting cycle. It is closed at once:
//! the stack is then the path, and nothing has to be known about components. With a terminal automaton the first
//! accepting state decides. After Černá and Pelánek, "Relating hierarchy of temporal properties to model checking"
//! (MFCS 2003).
//!
//! With a bound the path gets no longer than that; states behind it are left out, and the search says so. After
//! EnPAC, Appendix A-E.
//!
//! Invariants: (1) a state's link is its position on the stack, or [`CLOSED`]; (2) `low` of an open state is a position of
//! a state that it can reach; (3) the positions in `accepting` are on the path and grow; (4) unless the automaton is
//! general, the open states are those of the path.
//! Test: `tests/ltl.rs`, against the reference checker.

use fireset_kernel::{
    automata::BuchiClass,
    store::{ChunkedVec, RowId, Store, TreeRow, Watermark},
};
use fireset_net::{Budget, StopReason};

use super::product::{BuchiProduct, ProductState};
use crate::search::{
    ActionCursor, ActionId, FiresetMode, MarkingSpace, PendingSuccessors, PollTimer, SearchStop, too_many,
};

/// The position of a state whose component is complete.
const CLOSED: u32 = u32::MAX;
/// Stands for the absence of a marking.
const NONE: RowId = RowId::MAX;

pub(super) enum SearchResult {
    /// There is no accepting run.
    Empty,
    /// There is no accepting run on paths within the bound.
    EmptyWithinBound,
    /// There is an accepting run through the last state of this path.
    Accepting(Vec<ProductState>),
}

/// A product state on Tarjan's stack.
#[derive(Clone, Copy)]
struct OpenProductState {
    id: RowId,
    low: u32,
}

/// A product state on the path.
#[derive(Clone, Copy)]
struct PathFrame<N> {
    state: ProductState,
    position: u32,
    cursor: ActionCursor<N>,
    /// The successor marking that is being combined with the targets.
    marking: RowId,
    /// Where the automaton states that follow begin in `targets`, and the next of them.
    base: u32,
    next: u32,
    /// Where its successors begin among those that wait.
    waiting: u32,
}

/// Tarjan's search for an accepting cycle.
pub(super) struct EmptinessCheck<N> {
    /// The states seen, with their positions as links.
    pub(super) states: Store,
    open: ChunkedVec<OpenProductState>,
    path: ChunkedVec<PathFrame<N>>,
    pending: PendingSuccessors<N>,
    /// The positions of the accepting states on the path.
    accepting: ChunkedVec<u32>,
    /// The automaton states that follow the states on the path.
    targets: ChunkedVec<u32>,
    /// Successor markings of the states on the path that were generated together with an earlier one, in reverse order.
    waiting: ChunkedVec<RowId>,
    /// The successors that were generated last.
    found: Vec<RowId>,
    /// The initial states of the automaton from which the search has begun.
    roots: usize,
    bound: usize,
    cut: bool,
    timer: PollTimer,
    peak: u64,
    class: BuchiClass,
}

impl<N: ActionId> EmptinessCheck<N> {
    /// A search along paths of at most `bound` states, of a product with an automaton of this class.
    pub(super) fn new(bound: usize, class: BuchiClass, fireset: FiresetMode) -> Self {
        Self {
            states: Store::new(1, true),
            open: ChunkedVec::default(),
            path: ChunkedVec::default(),
            pending: PendingSuccessors::new(fireset),
            accepting: ChunkedVec::default(),
            targets: ChunkedVec::default(),
            waiting: ChunkedVec::default(),
            found: Vec::new(),
            roots: 0,
            bound,
            cut: false,
            timer: PollTimer::default(),
            peak: 0,
            class,
        }
    }

    /// A search from the beginning, within another bound.
    pub(super) fn begun_again(self, bound: usize, fireset: FiresetMode) -> Self {
        Self { peak: self.peak, ..Self::new(bound, self.class, fireset) }
    }

    pub(super) fn bound(&self) -> usize {
        self.bound
    }

    /// Searches from all initial states of the product. After an error of time or of the layout, the next call goes on.
    pub(super) fn run<S: MarkingSpace<ActionId = N>>(
        &mut self,
        product: &mut BuchiProduct<'_, S>,
        budget: &Budget,
    ) -> Result<SearchResult, SearchStop<N>> {
        loop {
            if self.path.is_empty() {
                let Some(&automaton_state) = product.automaton.initial.get(self.roots) else { break };
                self.roots += 1;
                let root = ProductState { marking: product.markings.initial, automaton_state };
                if self.enter(product, root)? {
                    return Ok(SearchResult::Accepting(self.accepted()));
                }
            }
            if self.search(product, budget)? {
                return Ok(SearchResult::Accepting(self.accepted()));
            }
        }
        Ok(if self.cut { SearchResult::EmptyWithinBound } else { SearchResult::Empty })
    }

    /// Searches from the end of the path; `true` when a run is accepted.
    fn search<S: MarkingSpace<ActionId = N>>(
        &mut self,
        product: &mut BuchiProduct<'_, S>,
        budget: &Budget,
    ) -> Result<bool, SearchStop<N>> {
        while let Some(frame) = self.path.last_mut() {
            if self.timer.is_due() {
                self.check(product, budget)?;
                continue;
            }
            if frame.marking == NONE || frame.next as usize == self.targets.len() {
                if !self.advance(product)? && self.leave() {
                    return Ok(true);
                }
                continue;
            }
            let automaton_state = self.targets.get(frame.next as usize);
            frame.next += 1;
            let state = ProductState { marking: frame.marking, automaton_state };
            if self.enter(product, state)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Turns to the next successor marking of the last state of the path; `false` after the last.
    fn advance<S: MarkingSpace<ActionId = N>>(
        &mut self,
        product: &mut BuchiProduct<'_, S>,
    ) -> Result<bool, SearchStop<N>> {
        let Self { path, targets, waiting, found, pending, states, .. } = self;
        let frame = path.last_mut().expect("there is a path");
        // A state whose automaton part has no enabled edge needs no successors.
        if frame.base as usize == targets.len() {
            return Ok(false);
        }
        if waiting.len() == frame.waiting as usize {
            product.next_several(frame.state.marking, &mut frame.cursor, pending, found)?;
            let first = ProductState { marking: 0, automaton_state: targets.get(frame.base as usize) };
            states.prefetch(found.iter().map(|&marking| ProductState { marking, ..first }.word()));
            found.iter().rev().for_each(|&marking| waiting.push(marking));
        }
        if waiting.len() == frame.waiting as usize {
            return Ok(false);
        }
        let marking = waiting.pop().expect("one waits");
        (frame.marking, frame.next) = (marking, frame.base);
        Ok(true)
    }

    /// Comes to a state; `true` when that closes an accepting cycle.
    fn enter<S: MarkingSpace<ActionId = N>>(
        &mut self,
        product: &mut BuchiProduct<'_, S>,
        state: ProductState,
    ) -> Result<bool, SearchStop<N>> {
        let accepting = product.automaton.states[state.automaton_state as usize].accepting;
        let position = self.open.len() as u32;
        if self.path.len() >= self.bound {
            // An open state counts as always, but no new state is entered.
            return Ok(match self.find(state) {
                Some(id) => self.reach(self.states.link(id), product),
                None => {
                    self.cut = true;
                    false
                }
            });
        }
        let (id, new) = self.states.insert(&[state.word()], position)?;
        if !new {
            return Ok(self.reach(self.states.link(id), product));
        }
        let base = self.targets.len() as u32;
        let targets = &mut self.targets;
        product.targets(state, |target| targets.push(target));
        self.open.push(OpenProductState { id, low: position });
        let dead = base as usize == self.targets.len();
        let chosen = if dead { None } else { product.choice.choose(state, &mut product.markings) };
        let cursor = chosen.map_or(ActionCursor::default(), |actions| self.pending.store(actions));
        let waiting = self.waiting.len() as u32;
        self.path.push(PathFrame { state, position, cursor, marking: NONE, base, next: base, waiting });
        if accepting {
            self.accepting.push(position);
        }
        Ok(accepting && self.class == BuchiClass::Terminal)
    }

    /// The last state of the path leads to a known one; `true` when that closes an accepting cycle.
    fn reach<S: MarkingSpace<ActionId = N>>(
        &mut self,
        position: u32,
        product: &mut BuchiProduct<'_, S>,
    ) -> bool {
        if position == CLOSED {
            return false;
        }
        if let Some(frame) = self.path.last_mut() {
            let missing = product.choice.complete(frame.state, &mut product.markings);
            missing.iter().for_each(|&action| self.pending.add(action));
        }
        let low = self.open.get(position as usize).low;
        self.lower(low)
    }

    /// The last state of the path can go back to a position; `true` when that closes an accepting cycle.
    fn lower(&mut self, low: u32) -> bool {
        let Some(frame) = self.path.last_mut() else { return false };
        let at = frame.position as usize;
        let own = self.open.get(at);
        if low < own.low {
            self.open.set(at, OpenProductState { low, ..own });
        }
        self.accepting.last_mut().is_some_and(|last| low <= *last)
    }

    /// Leaves the last state of the path; `true` when that closes an accepting cycle.
    fn leave(&mut self) -> bool {
        let frame = self.path.pop().expect("there is a path");
        while self.targets.len() > frame.base as usize {
            self.targets.pop();
        }
        if self.accepting.last_mut() == Some(&mut { frame.position }) {
            self.accepting.pop();
        }
        if self.class == BuchiClass::General {
            let low = self.open.get(frame.position as usize).low;
            if low < frame.position {
                return self.lower(low);
            }
        }
        while self.open.len() > frame.position as usize {
            let closed = self.open.pop().expect("its root is there");
            self.states.set_link(closed.id, CLOSED);
        }
        false
    }

    fn check<S: MarkingSpace<ActionId = N>>(
        &mut self,
        product: &BuchiProduct<'_, S>,
        budget: &Budget,
    ) -> Result<(), SearchStop<N>> {
        self.peak = self.peak_bytes(product);
        budget.check(self.peak, product.markings.store.len() as u64).map_err(SearchStop::Reason)
    }

    /// The most bytes that the search and the markings held at any poll of the budget.
    pub(super) fn peak_bytes<S: MarkingSpace>(&self, product: &BuchiProduct<'_, S>) -> u64 {
        self.peak.max((self.bytes() + product.bytes()) as u64)
    }

    pub(super) fn bytes(&self) -> usize {
        let stacks = self.open.bytes() + self.path.bytes() + self.targets.bytes() + self.pending.bytes();
        self.states.bytes() + stacks + self.waiting.bytes()
    }

    /// Replaces the ids of markings, by the old ones.
    pub(super) fn renumber(&mut self, new: &[RowId]) -> Result<(), StopReason> {
        let renewed = |state: ProductState| ProductState { marking: new[state.marking as usize], ..state };
        let mut states = Store::new(1, true);
        let mut ids = vec![RowId::MAX; self.states.limit()];
        let mut row = TreeRow::default();
        for id in Watermark::default().take(&self.states.watermark(), usize::MAX) {
            self.states.get(id, &mut row);
            let state = renewed(ProductState::of(row.row()[0]));
            let inserted = states.insert(&[state.word()], self.states.link(id)).map_err(too_many)?;
            ids[id as usize] = inserted.0;
        }
        self.states = states;
        self.open.iter_mut().for_each(|open| open.id = ids[open.id as usize]);
        self.waiting.iter_mut().for_each(|marking| *marking = new[*marking as usize]);
        for frame in self.path.iter_mut() {
            frame.state = renewed(frame.state);
            if frame.marking != NONE {
                frame.marking = new[frame.marking as usize];
            }
        }
        Ok(())
    }

    /// The path up to its last accepting state.
    fn accepted(&mut self) -> Vec<ProductState> {
        let last = self.accepting.pop().expect("there is an accepting state");
        let frames = (0..self.path.len()).map(|at| self.path.get(at));
        frames.take_while(|frame| frame.position <= last).map(|frame| frame.state).collect()
    }

    /// The id of a state, if it was seen.
    fn find(&self, state: ProductState) -> Option<RowId> {
        self.states.find_near(&[state.word()], &TreeRow::default())
    }

    pub(super) fn is_seen(&self, state: ProductState) -> bool {
        self.find(state).is_some()
    }

    /// Whether a state is on Tarjan's stack.
    pub(super) fn is_open(&self, state: ProductState) -> bool {
        self.find(state).is_some_and(|id| self.states.link(id) != CLOSED)
    }
}
