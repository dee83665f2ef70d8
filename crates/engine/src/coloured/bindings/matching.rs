//! Bindings from tokens: the plan of a transition, carried out on a marking by backtracking.
//!
//! The operations of a plan are done one after another; an operation with several alternatives is a choice point, to
//! which the search goes back when the rest fails. To start at a position, its digits are a floor: as long as all
//! variables so far are at their floor, the next one must not be below its own.
//!
//! Cost: for each alternative, a token of the matched place. Nothing is allocated between two bindings.

use super::{BindingContext, EnabledBindings};
use crate::coloured::{
    bags::ColourCounts,
    binding_plan::{BindingOp, ComponentRole, TokenComponent},
    compile::CompiledArc,
    layout::MarkingLayout,
    term::{shifted, unshifted},
};

/// The alternatives that an operation has not tried yet.
#[derive(Clone, Copy, Debug, Default)]
struct ChoicePoint {
    /// The colours that have not been tried.
    next: u64,
    end: u64,
    /// Whether all variables before are at the floor, and the floor of this operation.
    tight: bool,
    floor: u64,
}

/// The state of the backtracking search.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct TokenMatching {
    transition: usize,
    binding: Vec<u64>,
    floor: Vec<u64>,
    choices: Vec<ChoicePoint>,
    tight: bool,
    counts: ColourCounts,
}

impl<M: MarkingLayout> EnabledBindings<M> for TokenMatching {
    fn seek(&mut self, context: BindingContext<'_, M>, transition: usize, from: u64) -> Option<u64> {
        let plan = context.plan_from(transition, from)?;
        self.transition = transition;
        self.binding.resize(plan.variables(), 0);
        self.choices.resize(plan.ops.len(), ChoicePoint::default());
        self.tight = from > 0;
        if self.tight {
            self.floor.resize(plan.variables(), 0);
            plan.unpack(from, &mut self.floor);
        }
        self.run(context, 0, false)
    }

    fn next(&mut self, context: BindingContext<'_, M>) -> Option<u64> {
        let end = context.net.transitions[self.transition].plan.ops.len();
        self.run(context, end, true)
    }

    fn binding(&self) -> &[u64] {
        &self.binding
    }

    fn another(&self) -> Box<dyn EnabledBindings<M>> {
        Box::new(Self::default())
    }
}

impl TokenMatching {
    /// Searches the next binding, forwards from an operation or backtracking from it.
    fn run<M: MarkingLayout>(
        &mut self,
        context: BindingContext<'_, M>,
        mut at: usize,
        mut back: bool,
    ) -> Option<u64> {
        let plan = &context.net.transitions[self.transition].plan;
        loop {
            context.interrupt.tick(1);
            let goes_on = if back {
                at = plan.backtrack[at]?;
                self.choose(context, &plan.ops[at], at)
            } else if let Some(op) = plan.ops.get(at) {
                self.begin(context, op, at)
            } else {
                return Some(plan.pack(&self.binding));
            };
            at += usize::from(goes_on);
            back = !goes_on;
        }
    }

    /// Does an operation for the first time; `false` when it fails.
    fn begin<M: MarkingLayout>(&mut self, context: BindingContext<'_, M>, op: &BindingOp, at: usize) -> bool {
        match op {
            BindingOp::Guard(test) => test.holds(&self.binding),
            BindingOp::Has { place, count, colour } => {
                context.layout.count(context.row, *place, colour.value(&self.binding)) >= *count
            }
            BindingOp::Needs(arc) => needs(context, arc, &self.binding, &mut self.counts),
            BindingOp::Lacks(arc) => lacks(context, arc, &self.binding, &mut self.counts),
            BindingOp::Assign { slot, size, from } => {
                let value = i128::from(from.0.value(&self.binding)) + from.1;
                if value < 0 || value >= i128::from(*size) {
                    return false;
                }
                self.binding[*slot] = value as u64;
                let floor = if self.tight { self.floor[*slot] } else { 0 };
                self.tight &= value as u64 == floor;
                value as u64 >= floor
            }
            BindingOp::Match { components, .. } => {
                self.choices[at] = self.range(components);
                self.choose(context, op, at)
            }
            BindingOp::Each { slot, size } => {
                let floor = if self.tight { self.floor[*slot] } else { 0 };
                self.choices[at] = ChoicePoint { next: floor, end: *size, tight: self.tight, floor };
                self.choose(context, op, at)
            }
        }
    }

    /// Takes the next alternative of a choice point; `false` when there is none.
    fn choose<M: MarkingLayout>(
        &mut self,
        context: BindingContext<'_, M>,
        op: &BindingOp,
        at: usize,
    ) -> bool {
        let mut choice = self.choices[at];
        let chosen = match op {
            BindingOp::Match { place, count, components } => loop {
                let token = context.layout.first(context.row, *place, choice.next, choice.end);
                let Some((colour, has)) = token else { return false };
                choice.next = colour + 1;
                context.interrupt.tick(1);
                if has >= *count && self.matches(components, colour) {
                    break colour;
                }
            },
            BindingOp::Each { slot, .. } => {
                if choice.next >= choice.end {
                    return false;
                }
                self.binding[*slot] = choice.next;
                choice.next += 1;
                choice.next - 1
            }
            _ => unreachable!("only these are choice points"),
        };
        self.tight = choice.tight && chosen == choice.floor;
        self.choices[at] = choice;
        true
    }

    /// The range of colours that contains all tokens that may match.
    fn range(&self, components: &[TokenComponent]) -> ChoicePoint {
        let (mut first, mut floor, mut room) = (0, 0, u64::MAX);
        let mut leads = true;
        for component in components {
            let value = match &component.is {
                ComponentRole::Constant(value) => *value,
                ComponentRole::Known(part) => part.value(&self.binding),
                ComponentRole::New { slot, by } | ComponentRole::Again { slot, by } => {
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
        ChoicePoint { next, end: first.saturating_add(room), tight: self.tight, floor }
    }

    /// Whether a token matches; binds the new variables.
    #[inline]
    fn matches(&mut self, components: &[TokenComponent], colour: u64) -> bool {
        components.iter().all(|component| {
            let value = colour / component.weight % component.size;
            match &component.is {
                ComponentRole::Constant(wanted) => value == *wanted,
                ComponentRole::Known(part) => value == part.value(&self.binding),
                ComponentRole::New { slot, by } => {
                    self.binding[*slot] = unshifted(value, *by, component.size);
                    true
                }
                ComponentRole::Again { slot, by } => {
                    value == shifted(self.binding[*slot], *by, component.size)
                }
            }
        })
    }
}

/// Whether a place has all tokens that an arc takes.
pub(super) fn needs<M: MarkingLayout>(
    context: BindingContext<'_, M>,
    arc: &CompiledArc,
    binding: &[u64],
    counts: &mut ColourCounts,
) -> bool {
    all_colours(context, arc, binding, counts, |has, count| has >= count)
}

/// Whether a place has fewer tokens of each colour than block an inhibitor arc.
pub(super) fn lacks<M: MarkingLayout>(
    context: BindingContext<'_, M>,
    arc: &CompiledArc,
    binding: &[u64],
    counts: &mut ColourCounts,
) -> bool {
    all_colours(context, arc, binding, counts, |has, count| has < count)
}

/// Whether `test` holds for each colour of an arc's multiset: for the tokens of the place and the count of the multiset.
#[inline]
fn all_colours<M: MarkingLayout>(
    context: BindingContext<'_, M>,
    arc: &CompiledArc,
    binding: &[u64],
    counts: &mut ColourCounts,
    test: impl Fn(u64, u64) -> bool,
) -> bool {
    counts.clear();
    arc.bag.value(binding, counts);
    context.interrupt.tick(counts.len());
    counts.iter().all(|&(colour, count)| test(context.layout.count(context.row, arc.place, colour), count))
}
