//! State spaces whose successors are computed on demand.

use std::ops::ControlFlow;

use fireset_kernel::random::Random;
use fireset_net::{
    PlaceId, Step, TransitionId,
    coloured::{BindingPattern, PlaceColours},
};

/// Identifies an action, and a position in the total order of actions. A space takes the smallest integer that is
/// large enough, because searches keep one for each state on their stacks.
pub(crate) trait ActionId:
    Copy + Default + Ord + From<u32> + std::fmt::Debug + Send + Sync + 'static
{
    /// The largest id, which no action has.
    const LAST: Self;
    /// The id before it, which only the cursor of a state has whose actions are stored.
    const STORED: Self;
}

impl ActionId for u32 {
    const LAST: Self = Self::MAX;
    const STORED: Self = Self::MAX - 1;
}

impl ActionId for u64 {
    const LAST: Self = Self::MAX;
    const STORED: Self = Self::MAX - 1;
}

/// A position in the total order of actions from which the next action of a row is searched; the default is before the
/// first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActionCursor<N>(pub(crate) N);

impl<N: ActionId> ActionCursor<N> {
    /// Whether the actions of the cursor's state are stored.
    pub(crate) fn is_stored(self) -> bool {
        self.0 == N::STORED
    }
}

/// States as rows of words, and actions that lead from one to another.
///
/// Laws: equal states are equal rows; the actions of a row have a total order, and [`ActionCursor`]s are positions in
/// it; an action that is enabled leads to one row, or to one that does not fit into the words.
pub(crate) trait StateSpace: Clone + Send {
    type ActionId: ActionId;

    /// The number of words of a row.
    fn width(&self) -> usize;

    /// A random position in the total order.
    fn random_cursor(&self, random: &mut Random) -> ActionCursor<Self::ActionId>;

    /// Calls `visit` with each successor of a row, from a cursor on, until it breaks.
    fn successors<B>(
        &mut self,
        row: &[u64],
        from: ActionCursor<Self::ActionId>,
        visit: impl FnMut(Successor<'_, Self::ActionId>) -> ControlFlow<B>,
    ) -> ControlFlow<B>;

    /// Writes the row after an action that is enabled; `false` when it does not fit.
    fn fire(&mut self, row: &[u64], action: Self::ActionId, next: &mut [u64]) -> bool;

    /// The transition of an action, as an index.
    fn transition(&self, action: Self::ActionId) -> u32;

    /// The first action that is enabled from a cursor on, and the cursor after it.
    fn next(
        &mut self,
        row: &[u64],
        from: ActionCursor<Self::ActionId>,
    ) -> Option<(Self::ActionId, ActionCursor<Self::ActionId>)> {
        let first = |s: Successor<'_, Self::ActionId>| ControlFlow::Break((s.action, s.after));
        match self.successors(row, from, first) {
            ControlFlow::Break(found) => Some(found),
            ControlFlow::Continue(()) => None,
        }
    }

    /// Calls `visit` with the successor by each of some enabled actions until it breaks. `next` is a buffer for a row.
    fn successors_by<B>(
        &mut self,
        row: &[u64],
        actions: &[Self::ActionId],
        next: &mut Vec<u64>,
        mut visit: impl FnMut(Successor<'_, Self::ActionId>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        next.resize(self.width(), 0);
        for &action in actions {
            let fits = self.fire(row, action, next);
            let (transition, after) = (self.transition(action), ActionCursor(Self::ActionId::STORED));
            visit(Successor { action, transition, after, row: fits.then_some(&next[..]) })?;
        }
        ControlFlow::Continue(())
    }

    /// The bytes that the space caches for states.
    fn bytes(&self) -> usize {
        0
    }
}

/// An enabled action and its result.
pub(crate) struct Successor<'a, N> {
    pub(crate) action: N,
    /// The transition of the action, as an index.
    pub(crate) transition: u32,
    /// Where the enumeration goes on after this action.
    pub(crate) after: ActionCursor<N>,
    /// The row after the action, unless it does not fit the layout.
    pub(crate) row: Option<&'a [u64]>,
}

/// A space whose states are markings of a net.
pub(crate) trait MarkingSpace: StateSpace {
    fn tokens(&self, row: &[u64], place: PlaceId) -> u64;

    fn fireable(&mut self, row: &[u64], transition: TransitionId) -> bool;

    /// The tokens of some colours in a place of a coloured net.
    fn colour_tokens(&self, _row: &[u64], _tokens: &PlaceColours) -> u64 {
        unreachable!("only questions about a coloured net name colours")
    }

    /// Whether a transition of a coloured net is enabled under some of these bindings.
    fn binding_fireable(&mut self, _row: &[u64], _bindings: &BindingPattern) -> bool {
        unreachable!("only questions about a coloured net name colours")
    }

    /// The first action of a transition of a coloured net that is enabled, of those after `last`.
    fn next_binding(
        &mut self,
        _row: &[u64],
        _transition: TransitionId,
        _last: Option<Self::ActionId>,
    ) -> Option<Self::ActionId> {
        unreachable!("only transitions of coloured nets have bindings")
    }

    /// The tokens of all places together, and the maximum of one place or, on a coloured net, of one colour there.
    fn total_and_most(&self, row: &[u64]) -> (u128, u64);

    /// Whether no place has more than one token.
    fn is_safe(&self, row: &[u64]) -> bool {
        self.total_and_most(row).1 <= 1
    }

    /// Lists the enabled transitions, in a total order.
    fn enabled_transitions(&mut self, row: &[u64], enabled: &mut Vec<u32>) {
        enabled.clear();
        let flow = self.successors(row, ActionCursor::default(), |successor| -> ControlFlow<()> {
            if enabled.last() != Some(&successor.transition) {
                enabled.push(successor.transition);
            }
            ControlFlow::Continue(())
        });
        debug_assert!(flow.is_continue());
    }

    fn step(&self, action: Self::ActionId) -> Step;

    /// The steps of the net, from its initial marking, that a run of the space from its first state stands for.
    fn run(&mut self, actions: &[Self::ActionId]) -> Vec<Step> {
        actions.iter().map(|&action| self.step(action)).collect()
    }
}
