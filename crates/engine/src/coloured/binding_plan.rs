//! Plans that find the bindings of a transition from the tokens of a marking.
//!
//! A plan is a list of operations. Most bind variables: from the tokens of a place that an input arc takes (the
//! arc's term is matched with the token), from an equation in the guard, or by trying all colours where neither
//! helps. The others check conditions as soon as their variables are bound. Which arc is matched next is
//! decided once for all markings: one that is fully known, then the one with the fewest colours to choose from.
//!
//! Invariants: (1) a binding that passes all operations is enabled; (2) the bindings of a row come in the order of
//! their positions, because tokens come by colour, and the digits of a position are the components of the matched
//! tokens in the order of the plan. Source: the paper tries all bindings in such an order; matching tokens, and
//! the digits, are ours. Test: `tests/coloured.rs`.

use fireset_net::{
    Comparison, PlaceId, SortId,
    coloured::{ColouredNet, SortKind, Sorts},
};

use super::{
    bags::{Chunk, Item},
    compile::CompiledArc,
    term::{CompiledGuard, CompiledTerm, PartValue, TermPart, shifted, unshifted},
};

#[derive(Clone, Debug)]
pub(super) enum BindingOp {
    /// Succeeds if a condition holds.
    Guard(CompiledGuard),
    /// Succeeds if a place has this many tokens of a colour.
    Has { place: usize, count: u64, colour: CompiledTerm },
    /// Succeeds if a place has all tokens of a multiset.
    Needs(CompiledArc),
    /// Succeeds if a place has fewer tokens of each colour.
    Lacks(CompiledArc),
    /// Binds a variable to the value of a term plus a number.
    Assign { slot: usize, size: u64, from: Box<(CompiledTerm, i128)> },
    /// Binds variables from each token that occurs this many times.
    Match { place: usize, count: u64, components: Box<[TokenComponent]> },
    /// Binds a variable to each colour.
    Each { slot: usize, size: u64 },
}

impl BindingOp {
    /// Whether the operation may have several alternatives.
    fn is_choice_point(&self) -> bool {
        matches!(self, Self::Match { .. } | Self::Each { .. })
    }
}

/// A component of a token that is matched.
#[derive(Clone, Debug)]
pub(super) struct TokenComponent {
    pub(super) weight: u64,
    pub(super) size: u64,
    pub(super) is: ComponentRole,
}

#[derive(Clone, Debug)]
pub(super) enum ComponentRole {
    Constant(u64),
    Known(TermPart),
    /// The component is a variable plus `by`, and binds it.
    New {
        slot: usize,
        by: u64,
    },
    /// The component is a variable plus `by` that an earlier component has bound.
    Again {
        slot: usize,
        by: u64,
    },
}

/// The digit of a variable in a position.
#[derive(Clone, Copy, Debug)]
struct Digit {
    slot: usize,
    by: u64,
    size: u64,
}

/// The operations that find the bindings of a transition.
#[derive(Clone, Debug)]
pub(super) struct BindingPlan {
    pub(super) ops: Vec<BindingOp>,
    /// For each operation and the end, the last choice point before it.
    pub(super) backtrack: Vec<Option<usize>>,
    digits: Vec<Digit>,
    /// One more than the last position.
    pub(super) positions: u64,
}

impl BindingPlan {
    /// The number of variables of a binding.
    pub(super) fn variables(&self) -> usize {
        self.digits.len()
    }

    /// The position of a binding.
    #[inline]
    pub(super) fn pack(&self, binding: &[u64]) -> u64 {
        self.digits.iter().fold(0, |n, d| n * d.size + shifted(binding[d.slot], d.by, d.size))
    }

    /// Writes the binding at a position.
    pub(super) fn unpack(&self, position: u64, binding: &mut [u64]) {
        let mut rest = position;
        for digit in self.digits.iter().rev() {
            binding[digit.slot] = unshifted(rest % digit.size, digit.by, digit.size);
            rest /= digit.size;
        }
    }

    /// Goes on to the next binding in the order of positions; `false` after the last.
    pub(super) fn advance(&self, binding: &mut [u64]) -> bool {
        for digit in self.digits.iter().rev() {
            let value = shifted(binding[digit.slot], digit.by, digit.size) + 1;
            let ends = value == digit.size;
            binding[digit.slot] = unshifted(if ends { 0 } else { value }, digit.by, digit.size);
            if !ends {
                return true;
            }
        }
        false
    }
}

/// The plan for a transition, given the numbers of colours of its variables, its guard, and its input and inhibitor
/// arcs.
pub(super) fn make(
    net: &ColouredNet,
    sizes: &[u64],
    tests: &[CompiledGuard],
    arcs: (&[CompiledArc], &[CompiledArc]),
) -> BindingPlan {
    let mut planner = BindingPlanner {
        net,
        sizes,
        bound: vec![false; sizes.len()],
        ops: Vec::new(),
        digits: Vec::new(),
        tests: tests.iter().collect(),
        needs: arcs.0.iter().collect(),
        lacks: arcs.1.iter().collect(),
        matches: Vec::new(),
    };
    for arc in arcs.0 {
        let items = arc.bag.chunks.iter().filter_map(|chunk| match chunk {
            Chunk::Item(item) if !item.term.parts.is_empty() => Some((arc.place, item)),
            _ => None,
        });
        planner.matches.extend(items);
    }
    loop {
        planner.add_checks();
        if !planner.match_next() && !planner.each_next() {
            break;
        }
    }
    planner.finish()
}

/// A plan under construction, and the guards and arcs that it does not contain yet.
struct BindingPlanner<'a> {
    net: &'a ColouredNet,
    sizes: &'a [u64],
    bound: Vec<bool>,
    ops: Vec<BindingOp>,
    digits: Vec<Digit>,
    tests: Vec<&'a CompiledGuard>,
    needs: Vec<&'a CompiledArc>,
    lacks: Vec<&'a CompiledArc>,
    matches: Vec<(usize, &'a Item)>,
}

impl<'a> BindingPlanner<'a> {
    fn bind(&mut self, slot: usize, by: u64) {
        debug_assert!(!self.bound[slot]);
        self.bound[slot] = true;
        self.digits.push(Digit { slot, by, size: self.sizes[slot] });
    }

    /// Whether all variables that `slots` visits are bound.
    fn knows(&self, slots: impl FnOnce(&mut dyn FnMut(usize))) -> bool {
        let mut known = true;
        slots(&mut |slot| known &= self.bound[slot]);
        known
    }

    /// Adds all operations without a choice: checks, and equations that give a variable.
    fn add_checks(&mut self) {
        loop {
            let tests = std::mem::take(&mut self.tests);
            let (known, open): (Vec<_>, Vec<_>) =
                tests.into_iter().partition(|test| self.knows(|visit| test.slots(visit)));
            self.tests = open;
            self.ops.extend(known.into_iter().cloned().map(BindingOp::Guard));
            let Some((slot, from)) = self.tests.iter().find_map(|test| self.equation(test)) else { break };
            self.bind(slot, 0);
            self.ops.push(BindingOp::Assign { slot, size: self.sizes[slot], from: Box::new(from) });
        }
        let needs = std::mem::take(&mut self.needs);
        let (known, open): (Vec<_>, Vec<_>) =
            needs.into_iter().partition(|arc| self.knows(|visit| arc.bag.slots(visit)));
        self.needs = open;
        for arc in known {
            self.matches.retain(|(place, _)| *place != arc.place);
            self.ops.push(match arc.bag.only_item().filter(|item| item.is_one()) {
                Some(item) => {
                    BindingOp::Has { place: arc.place, count: item.count, colour: item.term.clone() }
                }
                None => BindingOp::Needs(arc.clone()),
            });
        }
        let lacks = std::mem::take(&mut self.lacks);
        let (known, open): (Vec<_>, Vec<_>) =
            lacks.into_iter().partition(|arc| self.knows(|visit| arc.bag.slots(visit)));
        self.lacks = open;
        self.ops.extend(known.into_iter().cloned().map(BindingOp::Lacks));
    }

    /// An unbound variable that a condition determines, and the term that gives its value.
    fn equation(&self, test: &CompiledGuard) -> Option<(usize, (CompiledTerm, i128))> {
        let CompiledGuard::Compare(Comparison::Equal, sides) = test else { return None };
        let (left, ahead, right) = &**sides;
        let solved = |open: &CompiledTerm, known: &CompiledTerm, ahead: i128| match &*open.parts {
            [TermPart { weight: 1, size, of: PartValue::Variable { slot, by: 0 } }]
                if open.constant == 0
                    && !self.bound[*slot as usize]
                    && *size == self.sizes[*slot as usize]
                    && self.knows(|visit| known.slots(visit)) =>
            {
                Some((*slot as usize, (known.clone(), ahead)))
            }
            _ => None,
        };
        solved(left, right, -ahead).or_else(|| solved(right, left, *ahead))
    }

    /// Matches the input arc with the fewest colours to choose from.
    fn match_next(&mut self) -> bool {
        let cost = |&(place, item): &(usize, &Item)| -> u128 {
            let (mut new, mut seen) = (1u128, vec![false; self.sizes.len()]);
            item.term.slots(&mut |slot| {
                if !self.bound[slot] && !std::mem::replace(&mut seen[slot], true) {
                    new = new.saturating_mul(self.sizes[slot].into());
                }
            });
            // Among equals, the place with the smaller sort has fewer tokens to try.
            let sort = self.net.place(PlaceId::new(place)).sort;
            new.saturating_mul(1 << 32).saturating_add(self.net.sorts()[sort].size().into())
        };
        // A nested part cannot be solved, so its variables have to be bound: two tokens must not give the same binding.
        let useful = |entry: &(usize, &Item)| {
            entry.1.term.parts.iter().all(|part| match &part.of {
                PartValue::Variable { .. } => true,
                PartValue::Nested(nested) => self.knows(|visit| nested.0.slots(visit)),
            })
        };
        let best = self.matches.iter().enumerate().filter(|(_, m)| useful(m)).min_by_key(|(_, m)| cost(m));
        let Some((at, _)) = best else { return false };
        let (place, item) = self.matches.remove(at);
        let components = self.components(place, item);
        let new: Vec<(usize, u64)> = components
            .iter()
            .filter_map(|c| if let ComponentRole::New { slot, by } = c.is { Some((slot, by)) } else { None })
            .collect();
        new.into_iter().for_each(|(slot, by)| self.bind(slot, by));
        if item.is_one() {
            // A token that matches is all that the arc needs.
            self.needs.retain(|arc| arc.place != place || arc.bag.only_item().is_none());
        }
        self.ops.push(BindingOp::Match { place, count: item.count, components: components.into() });
        true
    }

    /// Tries all colours of the variable that has the fewest.
    fn each_next(&mut self) -> bool {
        let open = (0..self.sizes.len()).filter(|&slot| !self.bound[slot]);
        let Some(slot) = open.min_by_key(|&slot| self.sizes[slot]) else { return false };
        self.bind(slot, 0);
        self.ops.push(BindingOp::Each { slot, size: self.sizes[slot] });
        true
    }

    /// The components of a token of a place, as an item binds them.
    fn components(&self, place: usize, item: &'a Item) -> Vec<TokenComponent> {
        let sort = self.net.place(PlaceId::new(place)).sort;
        let mut found = Vec::new();
        let mut parts: Vec<&TermPart> = item.term.parts.iter().collect();
        cut(self.net.sorts(), (sort, 1), &item.term, &mut parts, &mut found);
        let mut bound = self.bound.clone();
        for component in &mut found {
            let ComponentRole::Known(part) = &component.is else { continue };
            match part.of {
                PartValue::Variable { slot, by } => {
                    let slot = slot as usize;
                    if !std::mem::replace(&mut bound[slot], true) {
                        component.is = ComponentRole::New { slot, by };
                    } else if !self.bound[slot] {
                        component.is = ComponentRole::Again { slot, by };
                    }
                }
                PartValue::Nested(_) => {}
            }
        }
        found
    }

    fn finish(self) -> BindingPlan {
        let mut backtrack = Vec::with_capacity(self.ops.len() + 1);
        let mut last = None;
        for (at, op) in self.ops.iter().enumerate() {
            backtrack.push(last);
            last = if op.is_choice_point() { Some(at) } else { last };
        }
        backtrack.push(last);
        let positions = self.digits.iter().map(|digit| digit.size).product();
        BindingPlan { ops: self.ops, backtrack, digits: self.digits, positions }
    }
}

/// Cuts the colours of a sort into components: one for each part of a term, and the rest constant. A component
/// that takes all values counts as its first, which has to be there in any case.
fn cut(
    sorts: &Sorts,
    (sort, weight): (SortId, u64),
    term: &CompiledTerm,
    parts: &mut Vec<&TermPart>,
    found: &mut Vec<TokenComponent>,
) {
    let size = sorts[sort].size();
    if let Some(at) = parts.iter().position(|part| part.weight == weight && part.size == size) {
        found.push(TokenComponent { weight, size, is: ComponentRole::Known(parts.remove(at).clone()) });
        return;
    }
    match &sorts[sort].kind {
        SortKind::Product(inner) => {
            let mut below = weight * size;
            for &part in inner {
                below /= sorts[part].size();
                cut(sorts, (part, below), term, parts, found);
            }
        }
        _ => found.push(TokenComponent {
            weight,
            size,
            is: ComponentRole::Constant(term.constant / weight % size),
        }),
    }
}
