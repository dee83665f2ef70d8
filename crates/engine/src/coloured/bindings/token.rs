//! Bindings from tokens: the plan of a transition, carried out on a marking.
//!
//! The operations of a plan are done one after another; where one has several ways to go on, it goes back there
//! when the rest fails. To start at a position, its digits are a floor: as long as all variables so far are at
//! their floor, the next one must not be below its own.
//!
//! Cost: for each way to go on, a token of the matched place. Nothing is allocated between two bindings.

use super::{Bindings, State};
use crate::coloured::{
    bags::Counts,
    compile::Arc,
    marks::Marks,
    plan::{Component, Is, Op},
    term::{shifted, unshifted},
};

/// Where an operation with several ways to go on stands.
#[derive(Clone, Copy, Debug, Default)]
struct Choice {
    /// What is tried next, and where it ends.
    next: u64,
    end: u64,
    /// Whether all before is at the floor, and what of this one is.
    tight: bool,
    floor: u64,
}

/// A plan that is being carried out.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Token {
    transition: usize,
    binding: Vec<u64>,
    floor: Vec<u64>,
    choices: Vec<Choice>,
    tight: bool,
    counts: Counts,
}

impl<M: Marks> Bindings<M> for Token {
    fn seek(&mut self, state: State<'_, M>, transition: usize, from: u64) -> Option<u64> {
        let plan = &state.net.transitions[transition].plan;
        if from >= plan.positions {
            return None;
        }
        self.transition = transition;
        self.binding.resize(plan.variables(), 0);
        self.choices.resize(plan.ops.len(), Choice::default());
        self.tight = from > 0;
        if self.tight {
            self.floor.resize(plan.variables(), 0);
            plan.unpack(from, &mut self.floor);
        }
        self.run(state, 0, false)
    }

    fn next(&mut self, state: State<'_, M>) -> Option<u64> {
        let end = state.net.transitions[self.transition].plan.ops.len();
        self.run(state, end, true)
    }

    fn binding(&self) -> &[u64] {
        &self.binding
    }

    fn another(&self) -> Box<dyn Bindings<M>> {
        Box::new(Self::default())
    }
}

impl Token {
    /// Goes on from an operation, or back from it, to the next binding.
    fn run<M: Marks>(&mut self, state: State<'_, M>, mut at: usize, mut back: bool) -> Option<u64> {
        let plan = &state.net.transitions[self.transition].plan;
        loop {
            state.interrupt.tick(1);
            let goes_on = if back {
                at = plan.back[at]?;
                self.choose(state, &plan.ops[at], at)
            } else if let Some(op) = plan.ops.get(at) {
                self.begin(state, op, at)
            } else {
                return Some(plan.pack(&self.binding));
            };
            at += usize::from(goes_on);
            back = !goes_on;
        }
    }

    /// Does an operation for the first time; `false` when it cannot go on.
    fn begin<M: Marks>(&mut self, state: State<'_, M>, op: &Op, at: usize) -> bool {
        match op {
            Op::Test(test) => test.holds(&self.binding),
            Op::Has { place, count, colour } => {
                state.marks.count(state.row, *place, colour.value(&self.binding)) >= *count
            }
            Op::Needs(arc) => needs(state, arc, &self.binding, &mut self.counts),
            Op::Lacks(arc) => lacks(state, arc, &self.binding, &mut self.counts),
            Op::Assign { slot, size, from } => {
                let value = i128::from(from.0.value(&self.binding)) + from.1;
                if value < 0 || value >= i128::from(*size) {
                    return false;
                }
                self.binding[*slot] = value as u64;
                let floor = if self.tight { self.floor[*slot] } else { 0 };
                self.tight &= value as u64 == floor;
                value as u64 >= floor
            }
            Op::Match { components, .. } => {
                self.choices[at] = self.range(components);
                self.choose(state, op, at)
            }
            Op::Each { slot, size } => {
                let floor = if self.tight { self.floor[*slot] } else { 0 };
                self.choices[at] = Choice { next: floor, end: *size, tight: self.tight, floor };
                self.choose(state, op, at)
            }
        }
    }

    /// Takes the next way to go on; `false` when there is none.
    fn choose<M: Marks>(&mut self, state: State<'_, M>, op: &Op, at: usize) -> bool {
        let mut choice = self.choices[at];
        let chosen = match op {
            Op::Match { place, count, components } => loop {
                let token = state.marks.first(state.row, *place, choice.next, choice.end);
                let Some((colour, has)) = token else { return false };
                choice.next = colour + 1;
                state.interrupt.tick(1);
                if has >= *count && self.matches(components, colour) {
                    break colour;
                }
            },
            Op::Each { slot, .. } => {
                if choice.next >= choice.end {
                    return false;
                }
                self.binding[*slot] = choice.next;
                choice.next += 1;
                choice.next - 1
            }
            _ => unreachable!("only these have several ways to go on"),
        };
        self.tight = choice.tight && chosen == choice.floor;
        self.choices[at] = choice;
        true
    }

    /// The colours among which the tokens are that may match.
    fn range(&self, components: &[Component]) -> Choice {
        let (mut first, mut floor, mut room) = (0, 0, u64::MAX);
        let mut leads = true;
        for component in components {
            let value = match &component.is {
                Is::Constant(value) => *value,
                Is::Known(part) => part.value(&self.binding),
                Is::New { slot, by } | Is::Again { slot, by } => {
                    leads = false;
                    if self.tight { shifted(self.floor[*slot], *by, component.size) } else { 0 }
                }
            };
            floor += value * component.weight;
            if leads {
                first = floor;
                room = component.weight;
            }
        }
        let next = if self.tight { floor } else { first };
        Choice { next, end: first.saturating_add(room), tight: self.tight, floor }
    }

    /// Whether a token matches; it binds the variables that are new.
    #[inline]
    fn matches(&mut self, components: &[Component], colour: u64) -> bool {
        components.iter().all(|component| {
            let value = colour / component.weight % component.size;
            match &component.is {
                Is::Constant(wanted) => value == *wanted,
                Is::Known(part) => value == part.value(&self.binding),
                Is::New { slot, by } => {
                    self.binding[*slot] = unshifted(value, *by, component.size);
                    true
                }
                Is::Again { slot, by } => value == shifted(self.binding[*slot], *by, component.size),
            }
        })
    }
}

/// Whether a place has all that an arc takes.
pub(super) fn needs<M: Marks>(state: State<'_, M>, arc: &Arc, binding: &[u64], counts: &mut Counts) -> bool {
    counts.clear();
    arc.bag.value(binding, counts);
    state.interrupt.tick(counts.len());
    counts.iter().all(|&(colour, count)| state.marks.count(state.row, arc.place, colour) >= count)
}

/// Whether a place has less of each colour than an inhibitor arc allows.
pub(super) fn lacks<M: Marks>(state: State<'_, M>, arc: &Arc, binding: &[u64], counts: &mut Counts) -> bool {
    counts.clear();
    arc.bag.value(binding, counts);
    state.interrupt.tick(counts.len());
    counts.iter().all(|&(colour, count)| state.marks.count(state.row, arc.place, colour) < count)
}
