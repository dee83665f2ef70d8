//! What a search stands on: a net laid out as rows, in a layout that widens when a marking does not fit.

use fireset_net::{Budget, StopReason};

use super::{Marked, Number};

/// Something to do on a space, whatever its type.
pub(crate) trait Task<N> {
    /// What comes out.
    type Output;

    /// Does it.
    fn run<S: Marked<Number = N>>(self, space: &mut S) -> Self::Output;
}

/// A net and the layout of its markings.
pub(crate) trait Ground: Sized {
    /// The numbers of its actions.
    type Number: Number;

    /// The initial row.
    fn initial(&self) -> Vec<u64>;

    /// Does something on the space of the net in this layout, unless a single step takes longer than the budget
    /// allows: then what was begun is lost.
    fn on_space<T: Task<Self::Number>>(&self, task: T, budget: &Budget) -> Result<T::Output, StopReason>;

    /// The same net in a layout into which also the result of an action fits that is enabled in a row.
    fn wider(&self, row: &[u64], action: Self::Number) -> Result<Self, StopReason>;

    /// What writes a row again as a row of a wider ground.
    fn converter(&self, wider: &Self) -> impl FnMut(&[u64], &mut [u64]);

    /// What statistics call the layout.
    fn encoding(&self) -> &'static str;
}
