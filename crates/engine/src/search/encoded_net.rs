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
    /// The layout without the net, and what it was chosen by.
    type OwnedLayout: Send + 'static;

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

    /// The layout, for a net that is equal to this one.
    fn owned_layout(&self) -> Self::OwnedLayout;

    /// The same net in a layout that an equal net had; `None` if another layout would be chosen today.
    fn in_layout(&self, layout: Self::OwnedLayout) -> Option<Self>;

    /// The layout's name in statistics.
    fn layout_name(&self) -> &'static str;
}
