//! The states of a place/transition net on packed rows, in a layout that widens when a marking does not fit:
//! all rows are written again, and the search goes on.

use std::ops::ControlFlow;

use fireset_kernel::store::{Folded, RowId};
use fireset_net::{Budget, FireError, Marking, Net, StopReason, TransitionId};

use super::{Explicit, Session};
use crate::{
    packed::{
        Access, Packed,
        choose::{self, Knowledge},
        fireset::Fireset,
        layout::Layout,
        moves::{Counted, Decoded, Exact, Moves},
    },
    search::{Cursor, Search, Space, Spot, Stop, Way},
};

/// The states of a net, as far as they were found.
pub(super) struct Explorer<'n> {
    net: &'n Net,
    pub(super) knowledge: Knowledge,
    pub(super) layout: Layout,
    pub(super) search: Search,
    access: Access,
}

impl<'n> Explorer<'n> {
    /// The initial state of a net in the chosen layout.
    pub(super) fn new(net: &'n Net, how: Explicit, runs: bool) -> Self {
        let knowledge = Knowledge::of(net);
        let mut layout = choose::layout(net, &knowledge, how.encoding);
        let initial = fit(net, &knowledge, &mut layout, &net.initial_marking().0);
        let way = Way { order: how.order, fireset: how.fireset, threads: how.threads, runs };
        Self { net, knowledge, layout, search: Search::new(&initial, way), access: how.access }
    }

    /// Visits states until all are visited or the session has seen enough.
    pub(super) fn run(&mut self, budget: &Budget, session: &mut Session<'_>) -> Result<(), StopReason> {
        loop {
            let stop = match (self.access, self.layout.codes.is_some()) {
                (Access::Decode, _) => self.search::<Decoded>(budget, session),
                (Access::Direct, true) => self.search::<Exact>(budget, session),
                (Access::Direct, false) => self.search::<Counted>(budget, session),
            };
            match stop {
                Ok(()) | Err(Stop::Enough) => return Ok(()),
                Err(Stop::Reason(reason)) => return Err(reason),
                Err(Stop::Misfit(state, action)) => {
                    let new = self.widen(state, action, budget)?;
                    session.looks.renumber(&new);
                }
            }
        }
    }

    fn search<M: Moves>(&mut self, budget: &Budget, session: &mut Session<'_>) -> Result<(), Stop> {
        let moves = M::new(self.net, &self.layout);
        let fireset = Fireset::new(self.net, &self.layout);
        let mut space = Packed::new(self.net, &self.layout, &moves, &fireset);
        session.encoding = self.layout.encoding;
        self.search.run(&mut space, budget, session)
    }

    /// Writes all rows in a layout into which the result of an action in a state fits; gives the new numbers of
    /// states by the old ones.
    fn widen(&mut self, state: RowId, action: u32, budget: &Budget) -> Result<Vec<RowId>, StopReason> {
        let mut row = Folded::default();
        let mut tokens = vec![0; self.net.nodes().places.len()];
        self.search.states.store.get(state, &mut row);
        self.layout.decode(row.row(), &mut tokens);
        let fired =
            self.net.fire_transition(&Marking(tokens.clone().into()), TransitionId::new(action as usize));
        let reached = match fired {
            Ok(marking) => marking,
            Err(FireError::Overflow { .. }) => return Err(StopReason::Overflow),
            Err(why) => panic!("an enabled transition fires, but: {why:?}"),
        };
        let mut layout = self.layout.clone();
        fit(self.net, &self.knowledge, &mut layout, &reached.0);
        let convert = |row: &[u64], wide: &mut [u64]| {
            self.layout.decode(row, &mut tokens);
            layout.encode(&tokens, wide).expect("a wider layout holds what a narrower one held");
        };
        let new = self.search.rewrite(layout.width, convert, budget)?;
        self.layout = layout;
        Ok(new)
    }

    /// Calls `visit` with the graph of the states.
    pub(super) fn with_graph<T>(&self, visit: impl FnOnce(&mut dyn Graph) -> T) -> T {
        let fireset = Fireset::new(self.net, &self.layout);
        if self.layout.codes.is_some() {
            let moves = Exact::new(self.net, &self.layout);
            visit(&mut self.known(Packed::new(self.net, &self.layout, &moves, &fireset)))
        } else {
            let moves = Counted::new(self.net, &self.layout);
            visit(&mut self.known(Packed::new(self.net, &self.layout, &moves, &fireset)))
        }
    }

    fn known<S: Space>(&self, space: S) -> Known<'_, S> {
        Known { space, search: &self.search, row: Folded::default() }
    }
}

/// The row of a marking, in a layout that is widened until the marking fits.
fn fit(net: &Net, knowledge: &Knowledge, layout: &mut Layout, tokens: &[u64]) -> Vec<u64> {
    loop {
        let mut row = vec![0; layout.width];
        match layout.encode(tokens, &mut row) {
            Ok(()) => return row,
            Err(misfit) => *layout = choose::wider(net, knowledge, layout, misfit.place, misfit.tokens),
        }
    }
}

/// The states and the edges between them.
pub(super) trait Graph {
    /// Calls `visit` with each action that is enabled in a state, and the state after it; all states are known.
    fn edges(&mut self, state: RowId, visit: &mut dyn FnMut(u32, RowId));

    /// The actions that lead to where a state was seen.
    fn run_to(&mut self, spot: &Spot) -> Vec<u32>;
}

/// Edges that are computed again.
struct Known<'a, S> {
    space: S,
    search: &'a Search,
    row: Folded,
}

impl<S: Space> Graph for Known<'_, S> {
    fn edges(&mut self, state: RowId, visit: &mut dyn FnMut(u32, RowId)) {
        let Self { space, search, row } = self;
        let store = &search.states.store;
        store.get(state, row);
        let flow = space.successors(row.row(), Cursor::default(), |successor| -> ControlFlow<()> {
            let next = successor.row.and_then(|next| store.find_near(next, row));
            visit(successor.action, next.expect("all successors of known states are known"));
            ControlFlow::Continue(())
        });
        debug_assert!(flow.is_continue());
    }

    fn run_to(&mut self, spot: &Spot) -> Vec<u32> {
        self.search.run_to(&mut self.space, spot)
    }
}
