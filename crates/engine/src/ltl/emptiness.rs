//! Whether a product has an accepting run, found on the fly and not recursively.
//!
//! After Geldenhuys and Valmari, "Tarjan's algorithm makes on-the-fly LTL verification more efficient" (TACAS
//! 2004): Tarjan's search for components that stops as soon as a cycle through an accepting state is closed. That
//! is seen when a state on the path can go back as far as the last accepting state of the path. We number states
//! by their place on Tarjan's stack, so a state costs 4 bytes there and 4 in the store that tells its place.
//!
//! With a weak automaton a cycle is accepting if any of its states is, so the first edge back to the path from an
//! accepting state decides, and a pair that was left without one lies on no accepting cycle. It is closed at once:
//! the stack is then the path, and nothing has to be known about components. With a terminal automaton the first
//! accepting state decides. After Černá and Pelánek, "Relating hierarchy of temporal properties to model checking"
//! (MFCS 2003).
//!
//! With a bound the path gets no longer than that; what lies behind is left out, and the search says so. After
//! EnPAC, Appendix A-E.
//!
//! Invariants: (1) a pair's link is its place on the stack, or [`CLOSED`]; (2) `low` of an open pair is a place of
//! a pair that it can reach; (3) the places in `accepting` are on the path and grow; (4) unless the automaton is
//! general, the open pairs are those of the path.
//! Test: `tests/ltl.rs`, against the reference checker.

use fireset_kernel::{
    automata::BuchiClass,
    store::{ChunkedVec, RowId, Store, TreeRow},
};
use fireset_net::{Budget, StopReason};

use super::product::{Pair, Product};
use crate::search::{Agenda, Cursor, FiresetMode, Marked, Number, Obstacle, Pace};

/// The place of a pair whose component is complete.
const CLOSED: u32 = u32::MAX;
/// No marking.
const NONE: RowId = RowId::MAX;

/// How a search ended.
pub(super) enum End<N> {
    /// There is no accepting run.
    Empty,
    /// None on paths within the bound.
    EmptyWithin,
    /// There is one, through this pair on the path.
    Accepting(Vec<Pair>),
    /// It was stopped.
    Stopped(StopReason),
    /// This action in this marking leads to a row that does not fit.
    Misfit(RowId, N),
}

/// A pair on Tarjan's stack.
#[derive(Clone, Copy)]
struct Open {
    id: RowId,
    low: u32,
}

/// A pair on the path.
#[derive(Clone, Copy)]
struct Frame<N> {
    pair: Pair,
    place: u32,
    cursor: Cursor<N>,
    /// The marking that is being combined with the targets.
    marking: RowId,
    /// Where its automaton states begin in `targets`, and the next of them.
    base: u32,
    next: u32,
}

/// The search.
pub(super) struct Emptiness<N> {
    /// The pairs seen, with their places as links.
    pub(super) pairs: Store,
    open: ChunkedVec<Open>,
    path: ChunkedVec<Frame<N>>,
    agenda: Agenda<N>,
    /// The places of the accepting pairs on the path.
    accepting: ChunkedVec<u32>,
    /// The automaton states that follow the pairs on the path.
    targets: ChunkedVec<u32>,
    bound: usize,
    cut: bool,
    pace: Pace,
    peak: u64,
    class: BuchiClass,
}

impl<N: Number> Emptiness<N> {
    /// A search along paths of at most `bound` pairs, of a product with an automaton of this class.
    pub(super) fn new(bound: usize, class: BuchiClass, fireset: FiresetMode) -> Self {
        Self {
            pairs: Store::new(1, true),
            open: ChunkedVec::default(),
            path: ChunkedVec::default(),
            agenda: Agenda::new(fireset),
            accepting: ChunkedVec::default(),
            targets: ChunkedVec::default(),
            bound,
            cut: false,
            pace: Pace::default(),
            peak: 0,
            class,
        }
    }

    /// Searches from all initial pairs.
    pub(super) fn run<S: Marked<Number = N>>(
        &mut self,
        product: &mut Product<'_, S>,
        budget: &Budget,
    ) -> End<N> {
        for &state in &product.automaton.initial {
            let root = Pair { marking: product.markings.initial, state };
            match self.search(product, root, budget) {
                Ok(false) => {}
                Ok(true) => return End::Accepting(self.accepted()),
                Err(end) => return end,
            }
        }
        if self.cut { End::EmptyWithin } else { End::Empty }
    }

    /// Searches from a pair; `true` when a run is accepted.
    fn search<S: Marked<Number = N>>(
        &mut self,
        product: &mut Product<'_, S>,
        root: Pair,
        budget: &Budget,
    ) -> Result<bool, End<N>> {
        if self.enter(product, root)? {
            return Ok(true);
        }
        while let Some(frame) = self.path.last_mut() {
            if self.pace.is_due() {
                self.check(product, budget)?;
                continue;
            }
            if frame.marking == NONE || frame.next as usize == self.targets.len() {
                // Pairs on the path whose automaton state has no way on need no successors.
                let dead = frame.base as usize == self.targets.len();
                let next = if dead {
                    Ok(None)
                } else {
                    product.next(frame.pair.marking, &mut frame.cursor, &mut self.agenda)
                };
                match next {
                    Ok(Some((marking, _))) => (frame.marking, frame.next) = (marking, frame.base),
                    Ok(None) => {
                        if self.leave() {
                            return Ok(true);
                        }
                    }
                    Err(Obstacle::Full) => {
                        return Err(End::Stopped(StopReason::States(u32::MAX as usize)));
                    }
                    Err(Obstacle::Misfit(marking, action)) => return Err(End::Misfit(marking, action)),
                }
                continue;
            }
            let state = self.targets.get(frame.next as usize);
            frame.next += 1;
            let pair = Pair { marking: frame.marking, state };
            if self.enter(product, pair)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Comes to a pair; `true` when that closes an accepting cycle.
    fn enter<S: Marked<Number = N>>(
        &mut self,
        product: &mut Product<'_, S>,
        pair: Pair,
    ) -> Result<bool, End<N>> {
        let accepting = product.automaton.states[pair.state as usize].accepting;
        let place = self.open.len() as u32;
        if self.path.len() >= self.bound {
            // It may be open, and then it counts; but nothing new is begun.
            return Ok(match self.find(pair) {
                Some(id) => self.reach(self.pairs.link(id), product),
                None => {
                    self.cut = true;
                    false
                }
            });
        }
        let full = |_| End::Stopped(StopReason::States(u32::MAX as usize));
        let (id, new) = self.pairs.insert(&[pair.word()], place).map_err(full)?;
        if !new {
            return Ok(self.reach(self.pairs.link(id), product));
        }
        let base = self.targets.len() as u32;
        let targets = &mut self.targets;
        product.targets(pair, |state| targets.push(state));
        self.open.push(Open { id, low: place });
        let dead = base as usize == self.targets.len();
        let chosen = if dead { None } else { product.choose(pair) };
        let cursor = chosen.map_or(Cursor::default(), |actions| self.agenda.store(actions));
        self.path.push(Frame { pair, place, cursor, marking: NONE, base, next: base });
        if accepting {
            self.accepting.push(place);
        }
        Ok(accepting && self.class == BuchiClass::Terminal)
    }

    /// The last pair of the path leads to a known one; `true` when that closes an accepting cycle.
    fn reach<S: Marked<Number = N>>(&mut self, place: u32, product: &mut Product<'_, S>) -> bool {
        if place == CLOSED {
            return false;
        }
        if let Some(frame) = self.path.last_mut() {
            product.complete(frame.pair).iter().for_each(|&action| self.agenda.add(action));
        }
        let low = self.open.get(place as usize).low;
        self.lower(low)
    }

    /// The last pair of the path can go back to a place; `true` when that closes an accepting cycle.
    fn lower(&mut self, low: u32) -> bool {
        let Some(frame) = self.path.last_mut() else { return false };
        let at = frame.place as usize;
        let own = self.open.get(at);
        if low < own.low {
            self.open.set(at, Open { low, ..own });
        }
        self.accepting.last_mut().is_some_and(|last| low <= *last)
    }

    /// Leaves the last pair of the path; `true` when that closes an accepting cycle.
    fn leave(&mut self) -> bool {
        let frame = self.path.pop().expect("there is a path");
        while self.targets.len() > frame.base as usize {
            self.targets.pop();
        }
        if self.accepting.last_mut() == Some(&mut { frame.place }) {
            self.accepting.pop();
        }
        if self.class == BuchiClass::General {
            let low = self.open.get(frame.place as usize).low;
            if low < frame.place {
                return self.lower(low);
            }
        }
        while self.open.len() > frame.place as usize {
            let closed = self.open.pop().expect("its root is there");
            self.pairs.set_link(closed.id, CLOSED);
        }
        false
    }

    fn check<S: Marked<Number = N>>(
        &mut self,
        product: &Product<'_, S>,
        budget: &Budget,
    ) -> Result<(), End<N>> {
        self.peak = self.peak(product);
        budget.check(self.peak, product.markings.store.len() as u64).map_err(End::Stopped)
    }

    /// The most bytes that it and the markings held when it looked.
    pub(super) fn peak<S: Marked>(&self, product: &Product<'_, S>) -> u64 {
        let stacks = self.open.bytes() + self.path.bytes() + self.targets.bytes() + self.agenda.bytes();
        let states = self.pairs.bytes() + product.bytes();
        self.peak.max((states + stacks) as u64)
    }

    /// The path to the last accepting pair on it.
    fn accepted(&mut self) -> Vec<Pair> {
        let last = self.accepting.pop().expect("there is an accepting pair");
        let pairs = (0..self.path.len()).map(|at| self.path.get(at));
        pairs.take_while(|frame| frame.place <= last).map(|frame| frame.pair).collect()
    }

    /// The number of a pair, if it was seen.
    fn find(&self, pair: Pair) -> Option<RowId> {
        self.pairs.find_near(&[pair.word()], &TreeRow::default())
    }

    /// Whether a pair was seen.
    pub(super) fn is_seen(&self, pair: Pair) -> bool {
        self.find(pair).is_some()
    }

    /// Whether a pair is on Tarjan's stack.
    pub(super) fn is_open(&self, pair: Pair) -> bool {
        self.find(pair).is_some_and(|id| self.pairs.link(id) != CLOSED)
    }
}
