//! What a search walks on: a space with successors on demand.

use std::ops::ControlFlow;

use fireset_kernel::random::Random;
use fireset_net::{PlaceId, Step, TransitionId};

/// What actions and positions in their total order are numbered with. A space takes the smallest that is large
/// enough, because searches keep one for each state on their stacks.
pub(crate) trait Number: Copy + Default + Ord + From<u32> + std::fmt::Debug + Send + Sync {
    /// The largest; no action has it.
    const LAST: Self;
    /// The one before it; no cursor has it but that of a state whose actions are stored.
    const STORED: Self;
}

impl Number for u32 {
    const LAST: Self = Self::MAX;
    const STORED: Self = Self::MAX - 1;
}

impl Number for u64 {
    const LAST: Self = Self::MAX;
    const STORED: Self = Self::MAX - 1;
}

/// Where the search for the next action of a row starts; the default is before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cursor<N>(pub(crate) N);

impl<N: Number> Cursor<N> {
    /// Whether the actions of its state are stored.
    pub(crate) fn is_stored(self) -> bool {
        self.0 == N::STORED
    }
}

/// States as rows of words, and actions that lead from one to another.
///
/// Laws: equal states are equal rows; the actions of a row have a total order, and [`Cursor`]s are positions in
/// it; an action that is enabled leads to one row, or to one that does not fit into the words.
pub(crate) trait Space: Clone + Send {
    /// The numbers of its actions and cursors.
    type Number: Number;

    /// Words of a row.
    fn width(&self) -> usize;

    /// A random position in the total order.
    fn draw(&self, random: &mut Random) -> Cursor<Self::Number>;

    /// Calls `visit` with each successor of a row, from a cursor on, until it breaks.
    fn successors<B>(
        &mut self,
        row: &[u64],
        from: Cursor<Self::Number>,
        visit: impl FnMut(Successor<'_, Self::Number>) -> ControlFlow<B>,
    ) -> ControlFlow<B>;

    /// Writes the row after an action that is enabled; `false` when it does not fit.
    fn fire(&mut self, row: &[u64], action: Self::Number, next: &mut [u64]) -> bool;

    /// What kind of action it is.
    fn kind(&self, action: Self::Number) -> u32;

    /// The first action that is enabled from a cursor on, and the cursor after it.
    fn next(
        &mut self,
        row: &[u64],
        from: Cursor<Self::Number>,
    ) -> Option<(Self::Number, Cursor<Self::Number>)> {
        let first = |s: Successor<'_, Self::Number>| ControlFlow::Break((s.action, s.after));
        match self.successors(row, from, first) {
            ControlFlow::Break(found) => Some(found),
            ControlFlow::Continue(()) => None,
        }
    }

    /// Calls `visit` with the successor by each of some actions, which are enabled, until it breaks. `next` has room
    /// for a row.
    fn successors_by<B>(
        &mut self,
        row: &[u64],
        actions: &[Self::Number],
        next: &mut Vec<u64>,
        mut visit: impl FnMut(Successor<'_, Self::Number>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        next.resize(self.width(), 0);
        for &action in actions {
            let fits = self.fire(row, action, next);
            let (kind, after) = (self.kind(action), Cursor(Self::Number::STORED));
            visit(Successor { action, kind, after, row: fits.then_some(&next[..]) })?;
        }
        ControlFlow::Continue(())
    }

    /// The bytes that it keeps for the states that it was asked about.
    fn bytes(&self) -> usize {
        0
    }
}

/// An action that is enabled.
pub(crate) struct Successor<'a, N> {
    /// The number by which the space knows it.
    pub(crate) action: N,
    /// What kind of action it is: on a net, its transition.
    pub(crate) kind: u32,
    /// Where the search for further actions starts.
    pub(crate) after: Cursor<N>,
    /// The row that it leads to, unless it does not fit.
    pub(crate) row: Option<&'a [u64]>,
}

/// A space whose states are markings of a net.
pub(crate) trait Marked: Space {
    /// The tokens of a place.
    fn tokens(&self, row: &[u64], place: PlaceId) -> u64;

    /// Whether a transition is enabled.
    fn fireable(&mut self, row: &[u64], transition: TransitionId) -> bool;

    /// The tokens of all places together, and the most of one place or, on a coloured net, of one colour there.
    fn total_and_most(&self, row: &[u64]) -> (u128, u64);

    /// Whether no place has more than one token.
    fn is_safe(&self, row: &[u64]) -> bool {
        self.total_and_most(row).1 <= 1
    }

    /// Lists the transitions that are enabled, in a total order.
    fn kinds(&mut self, row: &[u64], enabled: &mut Vec<u32>) {
        enabled.clear();
        let flow = self.successors(row, Cursor::default(), |successor| -> ControlFlow<()> {
            if enabled.last() != Some(&successor.kind) {
                enabled.push(successor.kind);
            }
            ControlFlow::Continue(())
        });
        debug_assert!(flow.is_continue());
    }

    /// The step that an action is.
    fn step(&self, action: Self::Number) -> Step;
}
