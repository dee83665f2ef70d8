//! The state space of a coloured net.

use std::ops::ControlFlow;

use fireset_kernel::random::Random;
use fireset_net::{
    PlaceId, Step, TransitionId,
    coloured::{BindingPattern, Colour, PlaceColours},
};

use super::{
    bags::{ColourCounts, CompiledBag},
    bindings::{BindingContext, EnabledBindings},
    compile::{CompiledNet, CompiledTransition},
    layout::MarkingLayout,
    symmetry::Quotient,
};
use crate::search::{ActionCursor, Interrupt, MarkingSpace, StateSpace, Successor};

/// A net in a layout, with a method that finds bindings; threads share the immutable parts.
pub(super) struct ColouredSpace<'a, M> {
    net: &'a CompiledNet,
    layout: &'a M,
    bindings: Box<dyn EnabledBindings<M>>,
    next: Vec<u64>,
    binding: Vec<u64>,
    counts: ColourCounts,
    interrupt: Interrupt,
    /// Present if only normal forms under symmetries are states.
    quotient: Option<Quotient>,
}

impl<'a, M: MarkingLayout> ColouredSpace<'a, M> {
    pub(super) fn new(
        net: &'a CompiledNet,
        layout: &'a M,
        bindings: Box<dyn EnabledBindings<M>>,
        interrupt: Interrupt,
    ) -> Self {
        let next = vec![0; layout.width()];
        let (binding, counts) = (Vec::new(), ColourCounts::new());
        Self { net, layout, bindings, next, binding, counts, interrupt, quotient: None }
    }

    /// The same space with markings in normal form.
    pub(super) fn in_quotient(self, quotient: Option<Quotient>) -> Self {
        Self { quotient, ..self }
    }
}

impl<M: MarkingLayout> Clone for ColouredSpace<'_, M> {
    fn clone(&self) -> Self {
        let space = Self::new(self.net, self.layout, self.bindings.another(), self.interrupt.clone());
        space.in_quotient(self.quotient.clone())
    }
}

impl<M: MarkingLayout> StateSpace for ColouredSpace<'_, M> {
    type ActionId = u64;

    fn width(&self) -> usize {
        self.layout.width()
    }

    fn random_cursor(&self, random: &mut Random) -> ActionCursor<u64> {
        let transitions = &self.net.transitions;
        let transition = random.below(transitions.len().max(1));
        let position = transitions.get(transition).map_or(0, |t| random.bits() % t.plan.positions);
        ActionCursor(self.net.action(transition, position))
    }

    fn successors<B>(
        &mut self,
        row: &[u64],
        from: ActionCursor<u64>,
        mut visit: impl FnMut(Successor<'_, u64>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Self { net, layout, bindings, next, counts, interrupt, quotient, .. } = self;
        let context = BindingContext { net, layout: *layout, row, interrupt };
        let (first, mut position) = net.parts(from.0);
        if let Some(quotient) = quotient {
            quotient.expand(*layout, row);
        }
        for at in first..net.transitions.len() {
            let mut found = bindings.seek(context, at, std::mem::take(&mut position));
            while let Some(position) = found {
                if quotient.as_mut().is_some_and(|quotient| !quotient.fires(at, bindings.binding())) {
                    found = bindings.next(context);
                    continue;
                }
                let action = net.action(at, position);
                next.copy_from_slice(row);
                let fits = fire(*layout, &net.transitions[at], bindings.binding(), next, counts);
                if let Some(quotient) = quotient.as_mut().filter(|_| fits) {
                    quotient.normalise(*layout, next);
                }
                let row = fits.then_some(&next[..]);
                visit(Successor { action, transition: at as u32, after: ActionCursor(action + 1), row })?;
                found = bindings.next(context);
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
        let fits = fire(self.layout, transition, &self.binding, next, &mut self.counts);
        if let Some(quotient) = self.quotient.as_mut().filter(|_| fits) {
            quotient.normalise(self.layout, next);
        }
        fits
    }

    fn transition(&self, action: u64) -> u32 {
        self.net.parts(action).0 as u32
    }

    fn next(&mut self, row: &[u64], from: ActionCursor<u64>) -> Option<(u64, ActionCursor<u64>)> {
        let Self { net, layout, bindings, interrupt, quotient, .. } = self;
        let context = BindingContext { net, layout: *layout, row, interrupt };
        let (first, mut position) = net.parts(from.0);
        if let Some(quotient) = quotient {
            quotient.expand(*layout, row);
        }
        let action = (first..net.transitions.len()).find_map(|at| {
            let mut found = bindings.seek(context, at, std::mem::take(&mut position))?;
            while quotient.as_mut().is_some_and(|quotient| !quotient.fires(at, bindings.binding())) {
                found = bindings.next(context)?;
            }
            Some(net.action(at, found))
        })?;
        Some((action, ActionCursor(action + 1)))
    }

    fn bytes(&self) -> usize {
        self.bindings.bytes()
    }
}

/// Changes a row as a binding of a transition does; `false` when the result does not fit.
pub(super) fn fire<M: MarkingLayout>(
    layout: &M,
    transition: &CompiledTransition,
    binding: &[u64],
    row: &mut [u64],
    counts: &mut ColourCounts,
) -> bool {
    for arc in &transition.takes {
        each(&arc.bag, binding, counts, |colour, count| {
            layout.take(row, arc.place, colour, count);
            true
        });
    }
    transition.gives.iter().all(|arc| {
        each(&arc.bag, binding, counts, |colour, count| layout.give(row, arc.place, colour, count))
    })
}

/// Calls `visit` with each colour of a multiset and its count, as long as it gives `true`.
#[inline]
fn each(
    bag: &CompiledBag,
    binding: &[u64],
    counts: &mut ColourCounts,
    mut visit: impl FnMut(u64, u64) -> bool,
) -> bool {
    if let Some(item) = bag.only_item().filter(|item| item.is_one()) {
        return visit(item.term.value(binding), item.count);
    }
    counts.clear();
    bag.value(binding, counts);
    counts.iter().all(|&(colour, count)| visit(colour, count))
}

impl<M: MarkingLayout> MarkingSpace for ColouredSpace<'_, M> {
    fn tokens(&self, row: &[u64], place: PlaceId) -> u64 {
        self.layout.total(row, place.index())
    }

    fn fireable(&mut self, row: &[u64], transition: TransitionId) -> bool {
        let context = BindingContext { net: self.net, layout: self.layout, row, interrupt: &self.interrupt };
        self.bindings.seek(context, transition.index(), 0).is_some()
    }

    fn colour_tokens(&self, row: &[u64], tokens: &PlaceColours) -> u64 {
        let mut sum = 0;
        self.layout.each(row, tokens.place.index(), |(colour, count)| {
            if tokens.colours.matches(Colour(colour)) {
                sum += count;
            }
        });
        sum
    }

    fn binding_fireable(&mut self, row: &[u64], bindings: &BindingPattern) -> bool {
        let context = BindingContext { net: self.net, layout: self.layout, row, interrupt: &self.interrupt };
        let mut found = self.bindings.seek(context, bindings.transition().index(), 0);
        while found.is_some() {
            let binding = self.bindings.binding();
            if bindings.matches(|at| Colour(binding[at])) {
                return true;
            }
            found = self.bindings.next(context);
        }
        false
    }

    fn next_binding(&mut self, row: &[u64], transition: TransitionId, last: Option<u64>) -> Option<u64> {
        let context = BindingContext { net: self.net, layout: self.layout, row, interrupt: &self.interrupt };
        let from = last.map_or(0, |action| self.net.parts(action).1 + 1);
        let position = self.bindings.seek(context, transition.index(), from)?;
        Some(self.net.action(transition.index(), position))
    }

    fn total_and_most(&self, row: &[u64]) -> (u128, u64) {
        let (mut total, mut most) = (0, 0);
        for place in 0..self.net.sizes.len() {
            self.layout.each(row, place, |(_, count)| {
                total += u128::from(count);
                most = most.max(count);
            });
        }
        (total, most)
    }

    fn is_safe(&self, row: &[u64]) -> bool {
        (0..self.net.sizes.len()).all(|place| self.layout.total(row, place) <= 1)
    }

    fn step(&self, action: u64) -> Step {
        self.net.step(action)
    }

    fn run(&mut self, actions: &[u64]) -> Vec<Step> {
        match &mut self.quotient {
            Some(quotient) => quotient.run(self.net, self.layout, actions),
            None => actions.iter().map(|&action| self.net.step(action)).collect(),
        }
    }
}
