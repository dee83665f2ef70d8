//! A net on packed rows as a space to search.

use std::ops::ControlFlow;

use fireset_kernel::random::Random;
use fireset_net::{Net, PlaceId, Step, TransitionId};

use super::{
    Access,
    fireset::Fireset,
    layout::Layout,
    moves::{Counted, Decoded, Exact, Moves},
};
use crate::search::{Cursor, Marked, Space, Successor, Task};

/// Does something on the space of a net in a layout.
pub(super) fn on_space<T: Task<u32>>(net: &Net, layout: &Layout, access: Access, task: T) -> T::Output {
    fn with<M: Moves, T: Task<u32>>(net: &Net, layout: &Layout, task: T) -> T::Output {
        let (moves, fireset) = (M::new(net, layout), Fireset::new(net, layout));
        task.run(&mut Rows::new(net, layout, &moves, &fireset))
    }
    match (access, layout.codes.is_some()) {
        (Access::Decode, _) => with::<Decoded, T>(net, layout, task),
        (Access::Direct, true) => with::<Exact, T>(net, layout, task),
        (Access::Direct, false) => with::<Counted, T>(net, layout, task),
    }
}

/// A net, its layout, and what was prepared for it; threads share all that does not change.
#[derive(Debug)]
struct Rows<'a, M> {
    net: &'a Net,
    layout: &'a Layout,
    moves: &'a M,
    fireset: &'a Fireset,
    next: Vec<u64>,
    tokens: Vec<u64>,
}

impl<'a, M: Moves> Rows<'a, M> {
    fn new(net: &'a Net, layout: &'a Layout, moves: &'a M, fireset: &'a Fireset) -> Self {
        let (next, tokens) = (vec![0; layout.width], vec![0; net.nodes().places.len()]);
        Self { net, layout, moves, fireset, next, tokens }
    }
}

impl<M: Moves> Clone for Rows<'_, M> {
    fn clone(&self) -> Self {
        Self::new(self.net, self.layout, self.moves, self.fireset)
    }
}

impl<M: Moves> Space for Rows<'_, M> {
    type Number = u32;

    fn width(&self) -> usize {
        self.layout.width
    }

    fn draw(&self, random: &mut Random) -> Cursor<u32> {
        Cursor(random.below(self.net.nodes().transitions.len().max(1)) as u32)
    }

    #[inline]
    fn successors<B>(
        &mut self,
        row: &[u64],
        from: Cursor<u32>,
        mut visit: impl FnMut(Successor<'_, u32>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Self { moves, fireset, next, tokens, .. } = self;
        fireset.candidates(row, from, |transition, after| {
            if !moves.enabled(row, transition as usize, tokens) {
                return ControlFlow::Continue(());
            }
            let fits = moves.fire(row, transition as usize, next, tokens);
            visit(Successor { action: transition, kind: transition, after, row: fits.then_some(&next[..]) })
        })
    }

    #[inline]
    fn fire(&mut self, row: &[u64], action: u32, next: &mut [u64]) -> bool {
        self.moves.fire(row, action as usize, next, &mut self.tokens)
    }

    fn kind(&self, action: u32) -> u32 {
        action
    }
}

impl<M: Moves> Marked for Rows<'_, M> {
    fn tokens(&self, row: &[u64], place: PlaceId) -> u64 {
        self.layout.tokens(row, place)
    }

    fn fireable(&mut self, row: &[u64], transition: TransitionId) -> bool {
        self.moves.enabled(row, transition.index(), &mut self.tokens)
    }

    fn kinds(&mut self, row: &[u64], enabled: &mut Vec<u32>) {
        let Self { moves, fireset, tokens, .. } = self;
        enabled.clear();
        let flow = fireset.candidates(row, Cursor::default(), |transition, _| -> ControlFlow<()> {
            if moves.enabled(row, transition as usize, tokens) {
                enabled.push(transition);
            }
            ControlFlow::Continue(())
        });
        debug_assert!(flow.is_continue());
    }

    fn total_and_most(&self, row: &[u64]) -> (u128, u64) {
        self.layout.total_and_most(row)
    }

    fn step(&self, action: u32) -> Step {
        Step::plain(TransitionId::new(action as usize))
    }
}
