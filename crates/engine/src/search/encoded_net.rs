//! A net encoded as rows of words, in a layout that widens when a marking does not fit.

use fireset_net::{Budget, StopReason};

use super::{ActionId, MarkingSpace};

/// Work on a space of any type.
pub(crate) trait SpaceTask<N> {
    type Output;

    fn run<S: MarkingSpace<ActionId = N>>(self, space: &mut S) -> Self::Output;
}

/// An action, enabled in a row, whose result does not fit the layout.
#[derive(Debug)]
pub(crate) struct LayoutOverflow<N> {
    pub(crate) row: Box<[u64]>,
    pub(crate) action: N,
}

/// A net and the layout of its markings.
pub(crate) trait EncodedNet: Sized {
    type ActionId: ActionId;

    fn initial_row(&self) -> Vec<u64>;

    /// Runs a task on the space of the net in this layout. When a single step of the task takes longer than the budget
    /// allows, the task is abandoned in the middle.
    fn on_space<T: SpaceTask<Self::ActionId>>(
        &self,
        task: T,
        budget: &Budget,
    ) -> Result<T::Output, StopReason>;

    /// The same net in a layout that has room for the result of the overflow too.
    fn wider(&self, overflow: &LayoutOverflow<Self::ActionId>) -> Result<Self, StopReason>;

    /// A function that writes a row of this net as a row of a wider one.
    fn converter(&self, wider: &Self) -> impl FnMut(&[u64], &mut [u64]);

    /// The layout's name in statistics.
    fn layout_name(&self) -> &'static str;
}
