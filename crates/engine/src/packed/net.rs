//! A place/transition net encoded as packed rows.

use fireset_net::{Budget, Net, StopReason, TransitionId};
use fireset_structure::PlaceInvariants;

use super::{Access, LayoutChoice, choose, layout::Layout, space::on_space};
use crate::search::{EncodedNet, LayoutOverflow, SpaceTask};

/// A place/transition net in a layout.
#[derive(Clone, Debug)]
pub(crate) struct PackedNet<'a> {
    net: &'a Net,
    invariants: &'a PlaceInvariants,
    layout: Layout,
    access: Access,
}

impl<'a> PackedNet<'a> {
    /// A net in the chosen layout, widened so that the initial marking fits.
    pub(crate) fn new(
        net: &'a Net,
        invariants: &'a PlaceInvariants,
        choice: LayoutChoice,
        access: Access,
    ) -> Self {
        let mut layout = choose::layout(net, invariants, choice);
        choose::fit(net, invariants, &mut layout, &net.initial_marking().0);
        Self { net, invariants, layout, access }
    }
}

impl EncodedNet for PackedNet<'_> {
    type ActionId = u32;
    type OwnedLayout = (Layout, PlaceInvariants);

    fn initial_row(&self) -> Vec<u64> {
        let mut row = vec![0; self.layout.width];
        let fits = self.layout.encode(&self.net.initial_marking().0, &mut row);
        fits.expect("the layout was made for it");
        row
    }

    fn on_space<T: SpaceTask<u32>>(&self, task: T, _: &Budget) -> Result<T::Output, StopReason> {
        Ok(on_space(self.net, &self.layout, self.access, task))
    }

    fn wider(&self, overflow: &LayoutOverflow<u32>) -> Result<Self, StopReason> {
        let firing = (&*overflow.row, TransitionId::new(overflow.action as usize));
        let layout = choose::widen(self.net, self.invariants, &self.layout, firing)?;
        Ok(Self { layout, ..*self })
    }

    fn converter(&self, wider: &Self) -> impl FnMut(&[u64], &mut [u64]) {
        let mut tokens = vec![0; self.net.nodes().places.len()];
        move |row, to| {
            self.layout.decode(row, &mut tokens);
            wider.layout.encode(&tokens, to).expect("a wider layout holds what a narrower one held");
        }
    }

    fn owned_layout(&self) -> Self::OwnedLayout {
        (self.layout.clone(), self.invariants.clone())
    }

    fn in_layout(&self, (layout, invariants): Self::OwnedLayout) -> Option<Self> {
        // With more time more invariants are found, which make narrower rows; and a layout can only be widened by the
        // bounds that it was chosen by.
        let same =
            invariants.bounds() == self.invariants.bounds() && invariants.basis() == self.invariants.basis();
        same.then_some(Self { layout, ..*self })
    }

    fn layout_name(&self) -> &'static str {
        self.layout.encoding.name()
    }
}
