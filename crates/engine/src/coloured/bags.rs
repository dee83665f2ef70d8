//! Terms for multisets, compiled.
//!
//! A multiset is a sum of chunks. Most are items: one colour with a count or, where a component is `all`, one colour
//! for each of its values. Differences, and tuples of differences, are kept as they are written and computed on
//! demand. Values are written into a buffer that the caller keeps, so nothing is allocated.
//!
//! Invariant: the value is that of [`BagTerm::value`]: ascending colours, counts above zero. Test: in `compile`.

use fireset_net::{
    SortId,
    coloured::{BagTerm, SortKind},
};

use super::term::{CompiledTerm, VariableSlots};

/// Colours with their counts.
pub(super) type ColourCounts = Vec<(u64, u64)>;

/// A multiset: the sum of its chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CompiledBag {
    pub(super) chunks: Vec<Chunk>,
}

/// A summand of a multiset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Chunk {
    Item(Item),
    /// A multiple of the first without the second.
    Minus(u64, Box<(CompiledBag, CompiledBag)>),
    /// A multiple of the tuples of these multisets, each with the number of its sort's colours.
    Product(u64, Box<[(CompiledBag, u64)]>),
}

/// A colour, or one for each value of some components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) count: u64,
    pub(super) term: CompiledTerm,
    pub(super) all: Vec<AllValues>,
}

/// A component that takes all its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AllValues {
    weight: u64,
    size: u64,
}

impl Item {
    /// Whether the item is a single colour.
    pub(super) fn is_one(&self) -> bool {
        self.all.is_empty()
    }

    /// The number of colours, each of which occurs `count` times.
    pub(super) fn colours(&self) -> u64 {
        self.all.iter().map(|all| all.size).product()
    }

    /// The tuple of this item and another one of a sort with `size` colours.
    fn followed_by(&self, last: &Self, size: u64) -> Self {
        let heavier = |all: &AllValues| AllValues { weight: all.weight * size, ..*all };
        let all = self.all.iter().map(heavier).chain(last.all.iter().copied()).collect();
        let term = self.term.clone().followed_by(last.term.clone(), size);
        Self { count: self.count * last.count, term, all }
    }

    fn push(&self, binding: &[u64], out: &mut ColourCounts) {
        let first = out.len();
        out.push((self.term.value(binding), self.count));
        for all in &self.all {
            for at in first..out.len() {
                let (colour, count) = out[at];
                out.extend((1..all.size).map(|value| (colour + value * all.weight, count)));
            }
        }
    }
}

impl CompiledBag {
    /// Compiles a term, which has passed [`BagTerm::check`]; its values have colours of `sort`.
    pub(super) fn new(term: &BagTerm, sort: SortId, slots: VariableSlots<'_>) -> Self {
        let size = slots.sorts[sort].size();
        match term {
            BagTerm::One(term) => {
                Self::item(Item { count: 1, term: CompiledTerm::new(term, size, slots), all: Vec::new() })
            }
            BagTerm::All(sort) => {
                let all = vec![AllValues { weight: 1, size: slots.sorts[*sort].size() }];
                Self::item(Item { count: 1, term: CompiledTerm::constant(0), all })
            }
            BagTerm::Fixed(bag) => {
                let item = |(colour, count): (fireset_net::coloured::Colour, u64)| {
                    Chunk::Item(Item { count, term: CompiledTerm::constant(colour.0), all: Vec::new() })
                };
                Self { chunks: bag.iter().map(item).collect() }
            }
            BagTerm::Times(factor, term) => Self::new(term, sort, slots).times(*factor),
            BagTerm::Sum(terms) => {
                terms.iter().fold(Self::default(), |sum, term| sum.plus(Self::new(term, sort, slots)))
            }
            BagTerm::Minus(from, what) => {
                let (from, what) = (Self::new(from, sort, slots), Self::new(what, sort, slots));
                if what.chunks.is_empty() {
                    return from;
                }
                Self { chunks: vec![Chunk::Minus(1, Box::new((from, what)))] }
            }
            BagTerm::Tuple(sort, terms) => {
                let SortKind::Product(parts) = &slots.sorts[*sort].kind else {
                    panic!("a tuple has a product sort")
                };
                let part = |(term, &sort): (&BagTerm, &SortId)| {
                    (Self::new(term, sort, slots), slots.sorts[sort].size())
                };
                Self::product(terms.iter().zip(parts).map(part).collect())
            }
        }
    }

    fn item(item: Item) -> Self {
        Self { chunks: vec![Chunk::Item(item)] }
    }

    fn times(mut self, factor: u64) -> Self {
        if factor == 0 {
            return Self::default();
        }
        for chunk in &mut self.chunks {
            let (Chunk::Item(Item { count, .. }) | Chunk::Minus(count, _) | Chunk::Product(count, _)) = chunk;
            *count *= factor;
        }
        self
    }

    /// Both together; items that are always equal become one.
    fn plus(mut self, other: Self) -> Self {
        /// In longer sums equal items are not looked for.
        const FEW: usize = 64;
        for chunk in other.chunks {
            let few = self.chunks.len() < FEW;
            let same = self.chunks.iter_mut().filter(|_| few).find_map(|known| match (known, &chunk) {
                (Chunk::Item(a), Chunk::Item(b)) if a.term == b.term && a.all == b.all => Some((a, b.count)),
                _ => None,
            });
            match same {
                Some((item, count)) => item.count += count,
                None => self.chunks.push(chunk),
            }
        }
        self
    }

    /// The tuples of multisets, each with the number of its sort's colours.
    fn product(parts: Vec<(Self, u64)>) -> Self {
        /// More items than this are not multiplied out.
        const MANY: usize = 4096;
        let items = |bag: &Self| -> Option<Vec<Item>> {
            let item = |chunk: &Chunk| if let Chunk::Item(item) = chunk { Some(item.clone()) } else { None };
            bag.chunks.iter().map(item).collect()
        };
        let mut tuples = vec![Item { count: 1, term: CompiledTerm::constant(0), all: Vec::new() }];
        for (bag, size) in &parts {
            match items(bag) {
                Some(items) if items.len() * tuples.len() <= MANY => {
                    let longer = |head: &Item| items.iter().map(|i| head.followed_by(i, *size)).collect();
                    tuples = tuples.iter().flat_map::<Vec<_>, _>(longer).collect();
                }
                _ => return Self { chunks: vec![Chunk::Product(1, parts.into())] },
            }
        }
        Self { chunks: tuples.into_iter().map(Chunk::Item).collect() }
    }

    /// The item of a multiset that consists of just one.
    pub(super) fn only_item(&self) -> Option<&Item> {
        if let [Chunk::Item(item)] = &self.chunks[..] { Some(item) } else { None }
    }

    /// Appends the value under a binding to a buffer.
    pub(super) fn value(&self, binding: &[u64], out: &mut ColourCounts) {
        let first = out.len();
        for chunk in &self.chunks {
            match chunk {
                Chunk::Item(item) => item.push(binding, out),
                Chunk::Minus(factor, sides) => minus(*factor, sides, binding, out),
                Chunk::Product(factor, parts) => product(*factor, parts, binding, out),
            }
        }
        normalise(first, out);
    }

    /// Calls `visit` with the slot of each variable.
    pub(super) fn slots(&self, visit: &mut dyn FnMut(usize)) {
        for chunk in &self.chunks {
            match chunk {
                Chunk::Item(item) => item.term.slots(visit),
                Chunk::Minus(_, sides) => {
                    sides.0.slots(visit);
                    sides.1.slots(visit);
                }
                Chunk::Product(_, parts) => parts.iter().for_each(|(bag, _)| bag.slots(visit)),
            }
        }
    }

    /// The number of elements, if it is the same under each binding.
    pub(super) fn cardinality(&self) -> Option<u64> {
        let of = |chunk: &Chunk| match chunk {
            Chunk::Item(item) => item.count.checked_mul(item.colours()),
            Chunk::Minus(factor, sides) => {
                // All colours of the sort without one of them.
                let (from, what) = (sides.0.only_item()?, sides.1.only_item()?);
                let all =
                    from.term == CompiledTerm::constant(0) && from.all.len() == 1 && from.all[0].weight == 1;
                let one = what.is_one() && what.count <= from.count;
                let elements = from.count.checked_mul(from.colours())?.checked_sub(what.count)?;
                (all && one).then(|| factor.checked_mul(elements)).flatten()
            }
            Chunk::Product(factor, parts) => {
                parts.iter().try_fold(*factor, |n, (bag, _)| n.checked_mul(bag.cardinality()?))
            }
        };
        self.chunks.iter().try_fold(0u64, |sum, chunk| sum.checked_add(of(chunk)?))
    }
}

/// Sorts a buffer from a position on, and adds up the counts of equal colours.
fn normalise(first: usize, out: &mut ColourCounts) {
    if out.len() <= first + 1 {
        return;
    }
    out[first..].sort_unstable_by_key(|(colour, _)| *colour);
    let mut last = first;
    for at in first + 1..out.len() {
        if out[at].0 == out[last].0 {
            out[last].1 += out[at].1;
        } else {
            last += 1;
            out[last] = out[at];
        }
    }
    out.truncate(last + 1);
}

/// Appends a difference, which is never below zero.
fn minus(factor: u64, sides: &(CompiledBag, CompiledBag), binding: &[u64], out: &mut ColourCounts) {
    let first = out.len();
    sides.0.value(binding, out);
    let middle = out.len();
    sides.1.value(binding, out);
    let (mut kept, mut what) = (first, middle);
    for at in first..middle {
        let (colour, count) = out[at];
        while what < out.len() && out[what].0 < colour {
            what += 1;
        }
        let less = if what < out.len() && out[what].0 == colour { out[what].1 } else { 0 };
        if count > less {
            out[kept] = (colour, (count - less) * factor);
            kept += 1;
        }
    }
    out.truncate(kept);
}

/// Appends the tuples of several multisets.
fn product(factor: u64, parts: &[(CompiledBag, u64)], binding: &[u64], out: &mut ColourCounts) {
    let first = out.len();
    out.push((0, factor));
    for (bag, size) in parts {
        let middle = out.len();
        bag.value(binding, out);
        let end = out.len();
        for head in first..middle {
            for tail in middle..end {
                let ((a, n), (b, m)) = (out[head], out[tail]);
                out.push((a * size + b, n * m));
            }
        }
        out.drain(first..end);
    }
}
