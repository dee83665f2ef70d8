//! Exploration of a net on packed rows: the states, and breadth-first search over them.
//!
//! States are numbered in the order in which they are found, so the store itself is the queue of a breadth-first
//! search; the depth-first one is in `dive`, the best-first one in `climb`. When a marking
//! does not fit the layout, all rows are written again in a wider one, under the same numbers, and the state at
//! hand is expanded once more: nothing is lost but the time.
//!
//! Invariants: (1) a state is visited after all its firings are known, and once; (2) `firings` counts those of
//! visited states; (3) a parent has a smaller number than its child.
//! Cost: one row a state; 4 bytes for its parent, if parents are kept. Test: `tests/explicit.rs`.

use std::{collections::BinaryHeap, ops::ControlFlow};

use fireset_kernel::store::{Chunks, Full, Store};
use fireset_net::{Budget, FireError, Marking, Net, Step, StopReason, Trace, TransitionId};

use super::{Explicit, Order, climb::Waiting, dive::Frame};
use crate::packed::{
    Access,
    choose::{self, Knowledge},
    fireset::{Cursor, Fireset},
    layout::Layout,
    moves::{Counted, Decoded, Exact, Moves},
};

/// A state whose firings are known.
pub(crate) struct View<'a> {
    pub(crate) id: u32,
    pub(crate) row: &'a [u64],
    pub(crate) deadlock: bool,
}

/// Who looks on.
pub(crate) trait Visitor {
    /// A transition fires in the state that is visited next; possibly told twice.
    fn firing(&mut self, transition: usize);

    /// How far a state seems from what is wanted.
    fn distance(&self, progress: &Progress<'_>, view: &View<'_>) -> u64;

    /// The next state.
    fn visit(&mut self, progress: &Progress<'_>, view: &View<'_>) -> ControlFlow<()>;
}

/// How far an exploration has come.
pub(crate) struct Progress<'a> {
    pub(crate) net: &'a Net,
    pub(crate) layout: &'a Layout,
    pub(crate) store: &'a Store,
    pub(crate) parents: Option<&'a Chunks<u32>>,
    pub(crate) firings: u64,
    /// The bytes of what waits.
    waiting: usize,
}

/// The states of a net, as far as they were found.
pub(crate) struct Explorer<'n> {
    net: &'n Net,
    pub(crate) knowledge: Knowledge,
    pub(crate) layout: Layout,
    pub(crate) store: Store,
    pub(super) parents: Option<Chunks<u32>>,
    pub(crate) firings: u64,
    pub(super) how: Explicit,
    /// The next state to expand, breadth-first.
    next: u32,
    /// The states that are being expanded, depth-first.
    pub(super) stack: Vec<Frame>,
    /// The states that wait, best-first.
    pub(super) heap: BinaryHeap<Waiting>,
    /// Transitions that the frames of the stack have stored.
    pub(super) pending: usize,
}

/// Why a search ends before all states are visited.
pub(super) enum Stop {
    /// Somebody or something says so.
    Reason(StopReason),
    /// The visitor has seen enough.
    Enough,
    /// Firing this transition in this state does not fit the layout.
    Misfit(u32, usize),
}

impl From<Full> for Stop {
    fn from(Full: Full) -> Self {
        Self::Reason(StopReason::States(u32::MAX as usize))
    }
}

impl<'n> Explorer<'n> {
    /// The initial state of a net in the chosen layout.
    pub(crate) fn new(net: &'n Net, how: Explicit, parents: bool) -> Self {
        let knowledge = Knowledge::of(net);
        let layout = choose::layout(net, &knowledge, how.encoding);
        let mut explorer = Self {
            net,
            knowledge,
            store: Store::new(layout.width),
            layout,
            parents: parents.then(Chunks::default),
            firings: 0,
            how,
            next: 0,
            stack: Vec::new(),
            heap: BinaryHeap::new(),
            pending: 0,
        };
        let initial = net.initial_marking();
        let mut row = vec![0; explorer.layout.width];
        while let Err(misfit) = explorer.layout.encode(&initial.0, &mut row) {
            explorer.layout =
                choose::wider(net, &explorer.knowledge, &explorer.layout, misfit.place, misfit.tokens);
            row = vec![0; explorer.layout.width];
            explorer.store = Store::new(explorer.layout.width);
        }
        explorer.store.insert(&row).expect("the first row fits");
        if let Some(parents) = &mut explorer.parents {
            parents.push(0);
        }
        explorer
    }

    /// Visits states until all are visited (`Ok(true)`), the visitor has seen enough (`Ok(false)`), or the
    /// budget ends.
    pub(crate) fn run<V: Visitor>(&mut self, budget: &Budget, visitor: &mut V) -> Result<bool, StopReason> {
        loop {
            let stop = match (self.how.access, self.is_exact()) {
                (Access::Decode, _) => self.search::<Decoded, V>(budget, visitor),
                (Access::Direct, true) => self.search::<Exact, V>(budget, visitor),
                (Access::Direct, false) => self.search::<Counted, V>(budget, visitor),
            };
            match stop {
                Ok(()) => return Ok(true),
                Err(Stop::Enough) => return Ok(false),
                Err(Stop::Reason(reason)) => return Err(reason),
                Err(Stop::Misfit(state, transition)) => self.widen(state, transition, budget)?,
            }
        }
    }

    fn is_exact(&self) -> bool {
        self.layout.codes.is_some()
    }

    fn search<M: Moves, V: Visitor>(&mut self, budget: &Budget, visitor: &mut V) -> Result<(), Stop> {
        let moves = M::new(self.net, &self.layout);
        let fireset = Fireset::new(self.net, &self.layout);
        match self.how.order {
            Order::BreadthFirst => self.sweep(moves, &fireset, budget, visitor),
            Order::DepthFirst => self.dive(moves, &fireset, budget, visitor),
            Order::BestFirst => self.climb(moves, &fireset, budget, visitor),
        }
    }

    fn sweep<M: Moves, V: Visitor>(
        &mut self,
        mut moves: M,
        fireset: &Fireset,
        budget: &Budget,
        visitor: &mut V,
    ) -> Result<(), Stop> {
        let mut row = vec![0; self.layout.width];
        let mut next = row.clone();
        let mut work = 0u64;
        while (self.next as usize) < self.store.len() {
            let id = self.next;
            if work >= 1 << 12 || id == 0 {
                budget.check(self.progress().bytes(), self.store.len() as u64).map_err(Stop::Reason)?;
                work = 0;
            }
            self.store.get(id, &mut row);
            let (store, parents) = (&mut self.store, &mut self.parents);
            let mut fired = 0;
            let flow = fireset.scan(&row, &mut moves, Cursor::default(), |moves, transition, _| {
                if !moves.fire(&row, transition, &mut next) {
                    return ControlFlow::Break(Stop::Misfit(id, transition));
                }
                match store.insert(&next) {
                    Err(full) => return ControlFlow::Break(full.into()),
                    Ok((_, new)) => {
                        if let Some(parents) = parents.as_mut().filter(|_| new) {
                            parents.push(id);
                        }
                    }
                }
                fired += 1;
                visitor.firing(transition);
                ControlFlow::Continue(())
            });
            if let ControlFlow::Break(stop) = flow {
                return Err(stop);
            }
            work += 1 + fired;
            self.firings += fired;
            self.next += 1;
            self.show(id, &row, fired == 0, visitor)?;
        }
        Ok(())
    }

    /// Lets the visitor see a state.
    pub(super) fn show<V: Visitor>(
        &self,
        id: u32,
        row: &[u64],
        deadlock: bool,
        visitor: &mut V,
    ) -> Result<(), Stop> {
        let view = View { id, row, deadlock };
        if visitor.visit(&self.progress(), &view).is_break() { Err(Stop::Enough) } else { Ok(()) }
    }

    /// How far it has come.
    pub(crate) fn progress(&self) -> Progress<'_> {
        Progress {
            net: self.net,
            layout: &self.layout,
            store: &self.store,
            parents: self.parents.as_ref(),
            firings: self.firings,
            waiting: self.stack.capacity() * size_of::<Frame>()
                + self.pending * size_of::<u32>()
                + self.heap.capacity() * size_of::<Waiting>(),
        }
    }

    /// Writes all rows in a layout into which the result of `transition` in a state fits.
    fn widen(&mut self, state: u32, transition: usize, budget: &Budget) -> Result<(), StopReason> {
        let mut row = vec![0; self.layout.width];
        let mut tokens = vec![0; self.net.nodes().places.len()];
        self.store.get(state, &mut row);
        self.layout.decode(&row, &mut tokens);
        let fired = self.net.fire_transition(&Marking(tokens.clone().into()), TransitionId::new(transition));
        let reached = match fired {
            Ok(marking) => marking,
            Err(FireError::Overflow { .. }) => return Err(StopReason::Overflow),
            Err(why) => panic!("an enabled transition fires, but: {why:?}"),
        };
        let mut layout = self.layout.clone();
        let mut wide = row.clone();
        while let Err(misfit) = layout.encode(&reached.0, &mut wide) {
            layout = choose::wider(self.net, &self.knowledge, &layout, misfit.place, misfit.tokens);
            wide = vec![0; layout.width];
        }
        let mut store = Store::new(layout.width);
        for id in 0..self.store.len() {
            if id.is_multiple_of(1 << 12) {
                budget.check(self.progress().bytes() + store.bytes() as u64, self.store.len() as u64)?;
            }
            self.store.get(id as u32, &mut row);
            self.layout.decode(&row, &mut tokens);
            layout.encode(&tokens, &mut wide).expect("a wider layout holds what a narrower one held");
            store.insert(&wide).expect("there are as many rows as before");
        }
        (self.layout, self.store) = (layout, store);
        // The total order of the transitions has changed with the layout.
        self.stack.iter_mut().for_each(Frame::restart);
        self.pending = 0;
        Ok(())
    }

    /// The edges between the states, all of which are known after a complete run.
    pub(crate) fn edges(&mut self) -> Box<dyn Edges + '_> {
        let fireset = Fireset::new(self.net, &self.layout);
        let (store, row) = (&mut self.store, vec![0; self.layout.width]);
        let next = row.clone();
        if self.layout.codes.is_some() {
            Box::new(Known { moves: Exact::new(self.net, &self.layout), fireset, store, row, next })
        } else {
            Box::new(Known { moves: Counted::new(self.net, &self.layout), fireset, store, row, next })
        }
    }
}

/// The edges of a graph whose states are all known.
pub(crate) trait Edges {
    /// Calls `visit` with each transition that is enabled in a state, and the state after it.
    fn each(&mut self, state: u32, visit: &mut dyn FnMut(usize, u32));
}

/// Edges that are computed again.
struct Known<'a, M> {
    moves: M,
    fireset: Fireset,
    store: &'a mut Store,
    row: Vec<u64>,
    next: Vec<u64>,
}

impl<M: Moves> Edges for Known<'_, M> {
    fn each(&mut self, state: u32, visit: &mut dyn FnMut(usize, u32)) {
        let Self { moves, fireset, store, row, next } = self;
        store.get(state, row);
        let flow = fireset.scan(row, moves, Cursor::default(), |moves, transition, _| -> ControlFlow<()> {
            assert!(moves.fire(row, transition, next), "all successors of known states fit");
            let (id, new) = store.insert(next).expect("all successors of known states are known");
            assert!(!new, "all successors of known states are known");
            visit(transition, id);
            ControlFlow::Continue(())
        });
        debug_assert!(flow.is_continue());
    }
}

impl Progress<'_> {
    /// The bytes that the exploration holds.
    pub(crate) fn bytes(&self) -> u64 {
        (self.store.bytes() + self.parents.map_or(0, Chunks::bytes) + self.waiting) as u64
    }

    /// The run by which a state was found, breadth-first a shortest one; parents are kept.
    pub(crate) fn trace(&self, state: u32) -> Trace {
        let parents = self.parents.expect("whoever wants runs has parents kept");
        let marking = |id: u32| {
            let mut row = vec![0; self.layout.width];
            self.store.get(id, &mut row);
            let mut tokens = vec![0; self.net.nodes().places.len()];
            self.layout.decode(&row, &mut tokens);
            Marking(tokens.into())
        };
        let mut steps = Vec::new();
        let mut child = (state, marking(state));
        while child.0 != 0 {
            let id = parents.get(child.0 as usize);
            let parent = (id, marking(id));
            let leads = |&t: &TransitionId| self.net.fire_transition(&parent.1, t).as_ref() == Ok(&child.1);
            let step = self.net.nodes().transition_ids().find(leads).expect("a parent leads to its child");
            steps.push(Step::plain(step));
            child = parent;
        }
        steps.reverse();
        Trace(steps)
    }
}
