//! The state space of a place/transition net on packed rows.

use std::ops::ControlFlow;

use fireset_kernel::random::Random;
use fireset_net::{Net, PlaceId, Step, TransitionId};

use super::{
    Access,
    fireset::Fireset,
    firing::{CountedFiring, DecodedFiring, ExactFiring, FiringRule},
    layout::Layout,
};
use crate::search::{ActionCursor, MarkingSpace, SpaceTask, StateSpace, Successor};

/// Runs a task on the space of a net in a layout.
pub(super) fn on_space<T: SpaceTask<u32>>(net: &Net, layout: &Layout, access: Access, task: T) -> T::Output {
    fn with<M: FiringRule, T: SpaceTask<u32>>(net: &Net, layout: &Layout, task: T) -> T::Output {
        let (rule, fireset) = (M::new(net, layout), Fireset::new(net, layout));
        task.run(&mut PackedSpace::new(net, layout, &rule, &fireset))
    }
    match (access, layout.codes.is_some()) {
        (Access::Decode, _) => with::<DecodedFiring, T>(net, layout, task),
        (Access::Direct, true) => with::<ExactFiring, T>(net, layout, task),
        (Access::Direct, false) => with::<CountedFiring, T>(net, layout, task),
    }
}

/// A net in a layout, with its compiled transitions; threads share the immutable parts.
#[derive(Debug)]
struct PackedSpace<'a, M> {
    net: &'a Net,
    layout: &'a Layout,
    rule: &'a M,
    fireset: &'a Fireset,
    next: Vec<u64>,
    tokens: Vec<u64>,
}

impl<'a, M: FiringRule> PackedSpace<'a, M> {
    fn new(net: &'a Net, layout: &'a Layout, rule: &'a M, fireset: &'a Fireset) -> Self {
        let (next, tokens) = (vec![0; layout.width], vec![0; net.nodes().places.len()]);
        Self { net, layout, rule, fireset, next, tokens }
    }
}

impl<M: FiringRule> Clone for PackedSpace<'_, M> {
    fn clone(&self) -> Self {
        Self::new(self.net, self.layout, self.rule, self.fireset)
    }
}

impl<M: FiringRule> StateSpace for PackedSpace<'_, M> {
    type ActionId = u32;

    fn width(&self) -> usize {
        self.layout.width
    }

    fn random_cursor(&self, random: &mut Random) -> ActionCursor<u32> {
        ActionCursor(random.below(self.net.nodes().transitions.len().max(1)) as u32)
    }

    #[inline]
    fn successors<B>(
        &mut self,
        row: &[u64],
        from: ActionCursor<u32>,
        mut visit: impl FnMut(Successor<'_, u32>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Self { rule, fireset, next, tokens, .. } = self;
        fireset.candidates(row, from, |transition, after| {
            if !rule.enabled(row, transition as usize, tokens) {
                return ControlFlow::Continue(());
            }
            let fits = rule.fire(row, transition as usize, next, tokens);
            visit(Successor { action: transition, transition, after, row: fits.then_some(&next[..]) })
        })
    }

    #[inline]
    fn fire(&mut self, row: &[u64], action: u32, next: &mut [u64]) -> bool {
        self.rule.fire(row, action as usize, next, &mut self.tokens)
    }

    fn transition(&self, action: u32) -> u32 {
        action
    }
}

impl<M: FiringRule> MarkingSpace for PackedSpace<'_, M> {
    fn tokens(&self, row: &[u64], place: PlaceId) -> u64 {
        self.layout.tokens(row, place)
    }

    fn fireable(&mut self, row: &[u64], transition: TransitionId) -> bool {
        self.rule.enabled(row, transition.index(), &mut self.tokens)
    }

    fn enabled_transitions(&mut self, row: &[u64], enabled: &mut Vec<u32>) {
        let Self { rule, fireset, tokens, .. } = self;
        enabled.clear();
        let flow = fireset.candidates(row, ActionCursor::default(), |transition, _| -> ControlFlow<()> {
            if rule.enabled(row, transition as usize, tokens) {
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
