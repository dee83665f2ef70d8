//! A coloured net as a space to search.

use std::ops::ControlFlow;

use fireset_kernel::random::Random;
use fireset_net::{PlaceId, Step, TransitionId};

use super::{
    bags::{Bag, Counts},
    bindings::{Bindings, State},
    compile::{Compiled, Transition},
    marks::Marks,
};
use crate::search::{Alarm, Cursor, Marked, Space, Successor};

/// A net, its layout, and a way to bindings; threads share all that does not change.
pub(super) struct Colours<'a, M> {
    net: &'a Compiled,
    marks: &'a M,
    bindings: Box<dyn Bindings<M>>,
    next: Vec<u64>,
    binding: Vec<u64>,
    counts: Counts,
    alarm: Alarm,
}

impl<'a, M: Marks> Colours<'a, M> {
    pub(super) fn new(net: &'a Compiled, marks: &'a M, bindings: Box<dyn Bindings<M>>, alarm: Alarm) -> Self {
        let next = vec![0; marks.width()];
        Self { net, marks, bindings, next, binding: Vec::new(), counts: Counts::new(), alarm }
    }
}

impl<M: Marks> Clone for Colours<'_, M> {
    fn clone(&self) -> Self {
        Self::new(self.net, self.marks, self.bindings.another(), self.alarm.clone())
    }
}

impl<M: Marks> Space for Colours<'_, M> {
    type Number = u64;

    fn width(&self) -> usize {
        self.marks.width()
    }

    fn draw(&self, random: &mut Random) -> Cursor<u64> {
        let transitions = &self.net.transitions;
        let transition = random.below(transitions.len().max(1));
        let position = transitions.get(transition).map_or(0, |t| random.bits() % t.plan.positions);
        Cursor(self.net.action(transition, position))
    }

    fn successors<B>(
        &mut self,
        row: &[u64],
        from: Cursor<u64>,
        mut visit: impl FnMut(Successor<'_, u64>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Self { net, marks, bindings, next, counts, alarm, .. } = self;
        let state = State { net, marks: *marks, row, alarm };
        let (first, mut position) = net.parts(from.0);
        for at in first..net.transitions.len() {
            let mut found = bindings.seek(state, at, std::mem::take(&mut position));
            while let Some(position) = found {
                let action = net.action(at, position);
                next.copy_from_slice(row);
                let fits = fire(*marks, &net.transitions[at], bindings.binding(), next, counts);
                let row = fits.then_some(&next[..]);
                visit(Successor { action, kind: at as u32, after: Cursor(action + 1), row })?;
                found = bindings.next(state);
            }
        }
        ControlFlow::Continue(())
    }

    fn fire(&mut self, row: &[u64], action: u64, next: &mut [u64]) -> bool {
        let (at, position) = self.net.parts(action);
        let transition = &self.net.transitions[at];
        self.binding.resize(transition.plan.variables(), 0);
        transition.plan.unpack(position, &mut self.binding);
        next.copy_from_slice(row);
        fire(self.marks, transition, &self.binding, next, &mut self.counts)
    }

    fn kind(&self, action: u64) -> u32 {
        self.net.parts(action).0 as u32
    }

    fn next(&mut self, row: &[u64], from: Cursor<u64>) -> Option<(u64, Cursor<u64>)> {
        let Self { net, marks, bindings, alarm, .. } = self;
        let state = State { net, marks: *marks, row, alarm };
        let (first, mut position) = net.parts(from.0);
        let action = (first..net.transitions.len()).find_map(|at| {
            let found = bindings.seek(state, at, std::mem::take(&mut position))?;
            Some(net.action(at, found))
        })?;
        Some((action, Cursor(action + 1)))
    }

    fn bytes(&self) -> usize {
        self.bindings.bytes()
    }
}

/// Changes a row as a binding of a transition does; `false` when the result does not fit.
fn fire<M: Marks>(
    marks: &M,
    transition: &Transition,
    binding: &[u64],
    row: &mut [u64],
    counts: &mut Counts,
) -> bool {
    for arc in &transition.takes {
        each(&arc.bag, binding, counts, |colour, count| {
            marks.take(row, arc.place, colour, count);
            true
        });
    }
    transition
        .gives
        .iter()
        .all(|arc| each(&arc.bag, binding, counts, |colour, count| marks.give(row, arc.place, colour, count)))
}

/// Calls `visit` with each colour of a multiset and its count, as long as it gives `true`.
#[inline]
fn each(bag: &Bag, binding: &[u64], counts: &mut Counts, mut visit: impl FnMut(u64, u64) -> bool) -> bool {
    if let Some(item) = bag.only_item().filter(|item| item.is_one()) {
        return visit(item.term.value(binding), item.count);
    }
    counts.clear();
    bag.value(binding, counts);
    counts.iter().all(|&(colour, count)| visit(colour, count))
}

impl<M: Marks> Marked for Colours<'_, M> {
    fn tokens(&self, row: &[u64], place: PlaceId) -> u64 {
        self.marks.total(row, place.index())
    }

    fn fireable(&mut self, row: &[u64], transition: TransitionId) -> bool {
        let state = State { net: self.net, marks: self.marks, row, alarm: &self.alarm };
        self.bindings.seek(state, transition.index(), 0).is_some()
    }

    fn total_and_most(&self, row: &[u64]) -> (u128, u64) {
        let (mut total, mut most) = (0, 0);
        for place in 0..self.net.sizes.len() {
            self.marks.each(row, place, |(_, count)| {
                total += u128::from(count);
                most = most.max(count);
            });
        }
        (total, most)
    }

    fn is_safe(&self, row: &[u64]) -> bool {
        (0..self.net.sizes.len()).all(|place| self.marks.total(row, place) <= 1)
    }

    fn step(&self, action: u64) -> Step {
        self.net.step(action)
    }
}
