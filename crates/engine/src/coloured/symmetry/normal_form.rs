//! A normal form of markings under permutations of colours: colours are sorted by where their tokens are.
//!
//! Source: colour refinement with individualisation, as in McKay's "Practical graph isomorphism" (1981), without backtracking.
//! Each colour gets a key from its tokens; where a token has several components that move, keys are refined by the keys of the
//! other components until no more colours are told apart. Then a colour of those that are still alike gets a key of its own, and
//! refinement goes on. If singling it out tells no other colours apart, they all go the same way and need not be singled out.
//!
//! Invariant: keys depend on tokens by their colours' keys alone, never on the colours, except where one of several alike is chosen.
//! So markings of one orbit have one normal form if alike colours are symmetric in the marking. Keys are hashes; a collision costs
//! a state, as every choice does.
//! Cost: a pass over the tokens and a sort of the colours for each round.

use std::sync::Arc;

use super::{Component, Moves, SymmetricColours, SymmetricSort, renamed};
use crate::coloured::layout::MarkingLayout;

/// A token with components that move.
#[derive(Clone, Copy, Debug)]
struct MovingToken {
    place: u32,
    colour: u64,
    count: u64,
}

/// A token with several components that move.
#[derive(Clone, Copy, Debug)]
struct TokenLink {
    /// A hash of everything but these components.
    key: u64,
    /// The position of the first of its components, which are in a row, and their number.
    first: u32,
    components: u32,
}

/// Buffers for the normal form of one row after another.
#[derive(Clone, Debug)]
pub(crate) struct ColourNormalForm {
    colours: Arc<SymmetricColours>,
    tokens: Vec<MovingToken>,
    links: Vec<TokenLink>,
    linked: Vec<u32>,
    /// Whether a colour occurs in a link and may have to be singled out.
    unsettled: Vec<bool>,
    keys: Vec<u64>,
    sums: Vec<u64>,
    sorted: Vec<(u64, u32)>,
    /// The new colour of each.
    images: Vec<u32>,
}

/// A hash of two numbers, which are not interchangeable.
#[inline]
fn mixed(a: u64, b: u64) -> u64 {
    let mut z = a.rotate_left(23).wrapping_add(b).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A key for colours that were singled out.
const SINGLED_OUT: u64 = 0x5851_f42d_4c95_7f2d;

impl ColourNormalForm {
    pub(in super::super) fn new(colours: Arc<SymmetricColours>) -> Self {
        let count = colours.colours;
        Self {
            tokens: Vec::new(),
            links: Vec::new(),
            linked: Vec::new(),
            unsettled: vec![false; count],
            keys: vec![0; count],
            sums: vec![0; count],
            sorted: Vec::new(),
            images: vec![0; count],
            colours,
        }
    }

    pub(super) fn colours(&self) -> &Arc<SymmetricColours> {
        &self.colours
    }

    /// The new colour of each, after a row was changed.
    pub(super) fn images(&self) -> &[u32] {
        &self.images
    }

    /// Replaces a row by its normal form; `false` if it was one.
    pub(in super::super) fn normalise<M: MarkingLayout>(&mut self, layout: &M, row: &mut [u64]) -> bool {
        self.read(layout, row);
        self.start();
        self.tell_apart();
        self.sort_blocks();
        self.write(layout, row)
    }

    /// Gives each colour a key such that colours with different keys are not symmetric in a row.
    pub(super) fn find_keys<M: MarkingLayout>(&mut self, layout: &M, row: &[u64]) {
        self.read(layout, row);
        self.start();
        self.refine();
    }

    /// The keys of the colours that were found last.
    pub(super) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Lists the tokens of a row that move.
    fn read<M: MarkingLayout>(&mut self, layout: &M, row: &[u64]) {
        self.tokens.clear();
        for (place, components) in self.colours.places.iter().enumerate() {
            if !components.is_empty() {
                let tokens = &mut self.tokens;
                layout.each(row, place, |(colour, count)| {
                    tokens.push(MovingToken { place: place as u32, colour, count });
                });
            }
        }
    }

    /// Gives each colour a key from its tokens of one moving component, and lists the others.
    fn start(&mut self) {
        let Self { colours, tokens, links, linked, unsettled, keys, sums, .. } = self;
        links.clear();
        linked.clear();
        unsettled.fill(false);
        sums.fill(0);
        for token in &*tokens {
            let components = &colours.places[token.place as usize];
            let rigid = components.iter().fold(token.colour, |rest, component| {
                rest - token.colour / component.weight % component.size * component.weight
            });
            let key = mixed(mixed(u64::from(token.place), token.count), rigid);
            let number = |component: &Component| component.number(token.colour).expect("it moves");
            if let [only] = &components[..] {
                let sum = &mut sums[number(only)];
                *sum = sum.wrapping_add(mixed(key, 0));
            } else {
                let link = TokenLink { key, first: linked.len() as u32, components: components.len() as u32 };
                links.push(link);
                for number in components.iter().map(number) {
                    linked.push(number as u32);
                    unsettled[number] = true;
                }
            }
        }
        for (at, sort) in colours.sorts.iter().enumerate() {
            for colour in 0..sort.size {
                let block = match &sort.moves {
                    Moves::Within { block_of, .. } => block_of[colour],
                    Moves::Around => 0,
                };
                let number = sort.first + colour;
                keys[number] = mixed(mixed(at as u64, block.into()), sums[number]);
            }
        }
    }

    /// Refines the keys until colours with equal keys are most likely symmetric, and chooses the rotations.
    fn tell_apart(&mut self) {
        let mut classes = self.refine();
        for at in 0..self.colours.sorts.len() {
            if matches!(self.colours.sorts[at].moves, Moves::Around) {
                self.rotate(at);
                classes = self.refine();
            }
        }
        let mut alike = Vec::new();
        while self.list_alike(&mut alike) {
            let chosen = alike[0] as usize;
            self.keys[chosen] = mixed(self.keys[chosen], SINGLED_OUT);
            let refined = self.refine();
            if refined <= classes + 1 {
                alike.iter().for_each(|&number| self.unsettled[number as usize] = false);
            }
            classes = refined;
        }
    }

    /// Refines the keys by links until they tell no more colours apart; the number of different keys.
    fn refine(&mut self) -> usize {
        let mut classes = self.classes();
        while !self.links.is_empty() && classes < self.keys.len() {
            self.sums.fill(0);
            for link in &self.links {
                let numbers = &self.linked[link.first as usize..][..link.components as usize];
                let key =
                    numbers.iter().fold(link.key, |key, &number| mixed(key, self.keys[number as usize]));
                for (at, &number) in numbers.iter().enumerate() {
                    let sum = &mut self.sums[number as usize];
                    *sum = sum.wrapping_add(mixed(key, at as u64));
                }
            }
            for (key, &sum) in self.keys.iter_mut().zip(&self.sums) {
                *key = mixed(*key, sum);
            }
            let refined = self.classes();
            if refined <= classes {
                break;
            }
            classes = refined;
        }
        classes
    }

    /// The number of different keys.
    fn classes(&mut self) -> usize {
        self.sorted.clear();
        self.sorted.extend(self.keys.iter().map(|&key| (key, 0)));
        self.sorted.sort_unstable();
        self.sorted.chunk_by(|a, b| a.0 == b.0).count()
    }

    /// Chooses the rotation of a sort with the least sequence of keys, and makes its keys different.
    fn rotate(&mut self, at: usize) {
        let &SymmetricSort { first, size, .. } = &self.colours.sorts[at];
        let keys = &mut self.keys[first..][..size];
        let start = least_rotation(keys);
        for distance in 0..size {
            let colour = (start + distance) % size;
            keys[colour] = mixed(keys[colour], distance as u64);
            self.images[first + colour] = distance as u32;
        }
    }

    /// Lists unsettled colours with the same key, those with the least; `false` if all have different keys.
    fn list_alike(&mut self, alike: &mut Vec<u32>) -> bool {
        self.sorted.clear();
        let unsettled = self.unsettled.iter().enumerate().filter(|(_, unsettled)| **unsettled);
        self.sorted.extend(unsettled.map(|(number, _)| (self.keys[number], number as u32)));
        self.sorted.sort_unstable();
        alike.clear();
        let class = self.sorted.chunk_by(|a, b| a.0 == b.0).find(|class| class.len() > 1);
        alike.extend(class.into_iter().flatten().map(|&(_, number)| number));
        !alike.is_empty()
    }

    /// Sorts the colours of each block by their keys.
    fn sort_blocks(&mut self) {
        let Self { colours, keys, sorted, images, .. } = self;
        for sort in &colours.sorts {
            let Moves::Within { block_of, places } = &sort.moves else { continue };
            sorted.clear();
            sorted.extend((0..sort.size).map(|colour| (keys[sort.first + colour], colour as u32)));
            sorted.sort_unstable_by_key(|&(key, colour)| (block_of[colour as usize], key, colour));
            for (&(_, colour), &place) in sorted.iter().zip(places) {
                images[sort.first + colour as usize] = place;
            }
        }
    }

    /// Moves the tokens of a row; `false` if all stay.
    fn write<M: MarkingLayout>(&mut self, layout: &M, row: &mut [u64]) -> bool {
        let Self { colours, tokens, images, .. } = self;
        let image =
            |token: &MovingToken| renamed(token.colour, &colours.places[token.place as usize], images);
        tokens.retain(|token| image(token) != token.colour);
        for token in &*tokens {
            layout.take(row, token.place as usize, token.colour, token.count);
        }
        for token in &*tokens {
            let fits = layout.give(row, token.place as usize, image(token), token.count);
            assert!(fits, "a layout has room for all colours of a place");
        }
        !tokens.is_empty()
    }
}

/// The position at which the least of all rotations of a sequence starts (Booth 1980, as two pointers).
fn least_rotation(keys: &[u64]) -> usize {
    let at = |position: usize| keys[position % keys.len()];
    let (mut best, mut other, mut same) = (0, 1, 0);
    while best < keys.len() && other < keys.len() && same < keys.len() {
        let (a, b) = (at(best + same), at(other + same));
        if a == b {
            same += 1;
            continue;
        }
        *if a > b { &mut best } else { &mut other } += same + 1;
        other += usize::from(best == other);
        same = 0;
    }
    best.min(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_rotation_is_found() {
        for code in 0..3u64.pow(6) {
            let keys: Vec<u64> = (0..6).map(|digit| code / 3u64.pow(digit) % 3).collect();
            let from = |start: usize| [&keys[start..], &keys[..start]].concat();
            assert_eq!(from(least_rotation(&keys)), (0..6).map(from).min().unwrap(), "{keys:?}");
        }
    }
}
