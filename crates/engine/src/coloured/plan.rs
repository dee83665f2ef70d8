//! How the bindings of a transition are found from the tokens of a marking.
//!
//! A plan is a list of operations. Most bind variables: from the tokens of a place that an input arc takes (the
//! arc's term is matched with the token), from an equation in the guard, or by trying all colours where nothing
//! tells. The others check what can be checked as soon as its variables are bound. Which arc is matched next is
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
    compile::Arc,
    term::{Of, Part, Term, Test, shifted, unshifted},
};

/// What is done next.
#[derive(Clone, Debug)]
pub(super) enum Op {
    /// Goes on if a condition holds.
    Test(Test),
    /// Goes on if a place has so many tokens of a colour.
    Has { place: usize, count: u64, colour: Term },
    /// Goes on if a place has all of a multiset.
    Needs(Arc),
    /// Goes on if a place has less of each colour.
    Lacks(Arc),
    /// Binds a variable to the value of a term plus a number.
    Assign { slot: usize, size: u64, from: Box<(Term, i128)> },
    /// Binds variables from a token of which there are so many.
    Match { place: usize, count: u64, components: Box<[Component]> },
    /// Binds a variable to each colour.
    Each { slot: usize, size: u64 },
}

impl Op {
    /// Whether it has several ways to go on.
    fn branches(&self) -> bool {
        matches!(self, Self::Match { .. } | Self::Each { .. })
    }
}

/// A component of a token that is matched.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) weight: u64,
    pub(super) size: u64,
    pub(super) is: Is,
}

/// What a component tells.
#[derive(Clone, Debug)]
pub(super) enum Is {
    /// It is known before.
    Constant(u64),
    Known(Part),
    /// It binds a variable, which is so much behind.
    New {
        slot: usize,
        by: u64,
    },
    /// It has to be what an earlier component says.
    Again {
        slot: usize,
        by: u64,
    },
}

/// A variable's place in a position.
#[derive(Clone, Copy, Debug)]
struct Digit {
    slot: usize,
    by: u64,
    size: u64,
}

/// The operations for a transition.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) ops: Vec<Op>,
    /// For each operation and the end, the last one before it that has several ways to go on.
    pub(super) back: Vec<Option<usize>>,
    digits: Vec<Digit>,
    /// One more than the last position.
    pub(super) positions: u64,
}

impl Plan {
    /// How many variables a binding has.
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

/// The plan for a transition whose variables have so many colours, with these conditions and these input and
/// inhibitor arcs.
pub(super) fn make(net: &ColouredNet, sizes: &[u64], tests: &[Test], arcs: (&[Arc], &[Arc])) -> Plan {
    let mut maker = Maker {
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
        maker.matches.extend(items);
    }
    loop {
        maker.settle();
        if !maker.match_next() && !maker.each_next() {
            break;
        }
    }
    maker.finish()
}

/// A plan that is being made: what is left to be done, and what was.
struct Maker<'a> {
    net: &'a ColouredNet,
    sizes: &'a [u64],
    bound: Vec<bool>,
    ops: Vec<Op>,
    digits: Vec<Digit>,
    tests: Vec<&'a Test>,
    needs: Vec<&'a Arc>,
    lacks: Vec<&'a Arc>,
    matches: Vec<(usize, &'a Item)>,
}

impl<'a> Maker<'a> {
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

    /// Does all that has one way to go on: checks, and equations that give a variable.
    fn settle(&mut self) {
        loop {
            let tests = std::mem::take(&mut self.tests);
            let (known, open): (Vec<_>, Vec<_>) =
                tests.into_iter().partition(|test| self.knows(|visit| test.slots(visit)));
            self.tests = open;
            self.ops.extend(known.into_iter().cloned().map(Op::Test));
            let Some((slot, from)) = self.tests.iter().find_map(|test| self.equation(test)) else { break };
            self.bind(slot, 0);
            self.ops.push(Op::Assign { slot, size: self.sizes[slot], from: Box::new(from) });
        }
        let needs = std::mem::take(&mut self.needs);
        let (known, open): (Vec<_>, Vec<_>) =
            needs.into_iter().partition(|arc| self.knows(|visit| arc.bag.slots(visit)));
        self.needs = open;
        for arc in known {
            self.matches.retain(|(place, _)| *place != arc.place);
            self.ops.push(match arc.bag.only_item().filter(|item| item.is_one()) {
                Some(item) => Op::Has { place: arc.place, count: item.count, colour: item.term.clone() },
                None => Op::Needs(arc.clone()),
            });
        }
        let lacks = std::mem::take(&mut self.lacks);
        let (known, open): (Vec<_>, Vec<_>) =
            lacks.into_iter().partition(|arc| self.knows(|visit| arc.bag.slots(visit)));
        self.lacks = open;
        self.ops.extend(known.into_iter().cloned().map(Op::Lacks));
    }

    /// A variable that a condition gives from those that are bound, and how.
    fn equation(&self, test: &Test) -> Option<(usize, (Term, i128))> {
        let Test::Compare(Comparison::Equal, sides) = test else { return None };
        let (left, ahead, right) = &**sides;
        let solved = |open: &Term, known: &Term, ahead: i128| match &*open.parts {
            [Part { weight: 1, size, of: Of::Variable { slot, by: 0 } }]
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
            // Among equals, the place with the smaller sort has fewer tokens to look at.
            let sort = self.net.place(PlaceId::new(place)).sort;
            new.saturating_mul(1 << 32).saturating_add(self.net.sorts()[sort].size().into())
        };
        // What cannot be solved has to be known: two tokens must not give the same variables the same colours.
        let useful = |entry: &(usize, &Item)| {
            entry.1.term.parts.iter().all(|part| match &part.of {
                Of::Variable { .. } => true,
                Of::Nested(nested) => self.knows(|visit| nested.0.slots(visit)),
            })
        };
        let best = self.matches.iter().enumerate().filter(|(_, m)| useful(m)).min_by_key(|(_, m)| cost(m));
        let Some((at, _)) = best else { return false };
        let (place, item) = self.matches.remove(at);
        let components = self.components(place, item);
        let new: Vec<(usize, u64)> = components
            .iter()
            .filter_map(|c| if let Is::New { slot, by } = c.is { Some((slot, by)) } else { None })
            .collect();
        new.into_iter().for_each(|(slot, by)| self.bind(slot, by));
        if item.is_one() {
            // A token that matches is all that the arc asks for.
            self.needs.retain(|arc| arc.place != place || arc.bag.only_item().is_none());
        }
        self.ops.push(Op::Match { place, count: item.count, components: components.into() });
        true
    }

    /// Tries all colours of the variable that has the fewest.
    fn each_next(&mut self) -> bool {
        let open = (0..self.sizes.len()).filter(|&slot| !self.bound[slot]);
        let Some(slot) = open.min_by_key(|&slot| self.sizes[slot]) else { return false };
        self.bind(slot, 0);
        self.ops.push(Op::Each { slot, size: self.sizes[slot] });
        true
    }

    /// The components of a token of a place as an item sees them.
    fn components(&self, place: usize, item: &'a Item) -> Vec<Component> {
        let sort = self.net.place(PlaceId::new(place)).sort;
        let mut found = Vec::new();
        let mut parts: Vec<&Part> = item.term.parts.iter().collect();
        cut(self.net.sorts(), (sort, 1), &item.term, &mut parts, &mut found);
        let mut bound = self.bound.clone();
        for component in &mut found {
            let Is::Known(part) = &component.is else { continue };
            match part.of {
                Of::Variable { slot, by } => {
                    let slot = slot as usize;
                    if !std::mem::replace(&mut bound[slot], true) {
                        component.is = Is::New { slot, by };
                    } else if !self.bound[slot] {
                        component.is = Is::Again { slot, by };
                    }
                }
                Of::Nested(_) => {}
            }
        }
        found
    }

    fn finish(self) -> Plan {
        let mut back = Vec::with_capacity(self.ops.len() + 1);
        let mut last = None;
        for (at, op) in self.ops.iter().enumerate() {
            back.push(last);
            last = if op.branches() { Some(at) } else { last };
        }
        back.push(last);
        let positions = self.digits.iter().map(|digit| digit.size).product();
        Plan { ops: self.ops, back, digits: self.digits, positions }
    }
}

/// Cuts the colours of a sort into components: one for each part of a term, and the rest constant. A component
/// that takes all values counts as its first, which has to be there in any case.
fn cut(
    sorts: &Sorts,
    (sort, weight): (SortId, u64),
    term: &Term,
    parts: &mut Vec<&Part>,
    found: &mut Vec<Component>,
) {
    let size = sorts[sort].size();
    if let Some(at) = parts.iter().position(|part| part.weight == weight && part.size == size) {
        found.push(Component { weight, size, is: Is::Known(parts.remove(at).clone()) });
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
        _ => found.push(Component { weight, size, is: Is::Constant(term.constant / weight % size) }),
    }
}
