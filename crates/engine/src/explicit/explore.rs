//! The states of a place/transition net on packed rows, in a layout that widens when a marking does not fit:
//! all rows are written again, and the search goes on.

use std::ops::ControlFlow;

use fireset_kernel::store::{Folded, RowId};
use fireset_net::{Budget, Net, StopReason, TransitionId};

use super::{Explicit, Session};
use crate::{
    packed::{
        Access, Task,
        choose::{self, Knowledge},
        layout::Layout,
        on_space,
    },
    search::{Cursor, Marked, Search, Space, Spot, Stop, Way},
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
        let initial = choose::fit(net, &knowledge, &mut layout, &net.initial_marking().0);
        let way = Way { order: how.order, fireset: how.fireset, threads: how.threads, runs };
        Self { net, knowledge, layout, search: Search::new(&initial, way), access: how.access }
    }

    /// Visits states until all are visited or the session has seen enough.
    pub(super) fn run(&mut self, budget: &Budget, session: &mut Session<'_>) -> Result<(), StopReason> {
        loop {
            session.encoding = self.layout.encoding;
            let task = Visit { search: &mut self.search, budget, session };
            match on_space(self.net, &self.layout, self.access, task) {
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
    fn widen(&mut self, state: RowId, action: u32, budget: &Budget) -> Result<Vec<RowId>, StopReason> {
        let mut row = Folded::default();
        self.search.states.store.get(state, &mut row);
        let misfit = (row.row(), TransitionId::new(action as usize));
        let layout = choose::widen(self.net, &self.knowledge, &self.layout, misfit)?;
        let mut tokens = vec![0; self.net.nodes().places.len()];
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
        on_space(self.net, &self.layout, Access::Direct, Look { search: &self.search, visit })
    }
}

/// The search, as something to do on a space.
struct Visit<'a, 's, 'q> {
    search: &'a mut Search,
    budget: &'a Budget,
    session: &'s mut Session<'q>,
}

impl Task for Visit<'_, '_, '_> {
    type Output = Result<(), Stop>;

    fn run<S: Marked>(self, space: &mut S) -> Self::Output {
        self.search.run(space, self.budget, self.session)
    }
}

/// A look at the graph, as something to do on a space.
struct Look<'a, F> {
    search: &'a Search,
    visit: F,
}

impl<T, F: FnOnce(&mut dyn Graph) -> T> Task for Look<'_, F> {
    type Output = T;

    fn run<S: Marked>(self, space: &mut S) -> T {
        (self.visit)(&mut Known { space, search: self.search, row: Folded::default() })
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
    space: &'a mut S,
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
        self.search.run_to(self.space, spot)
    }
}
