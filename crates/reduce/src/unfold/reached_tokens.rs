//! The tokens that are reached, and what a search may see of them.

use fireset_net::{
    PlaceId,
    coloured::{
        Colour, ColouredNet,
        matching::{Lookup, Supply, project},
    },
};
use hashbrown::HashMap;

/// Tokens in the order in which they are reached.
pub(super) struct ReachedTokens<'a> {
    pub(super) net: &'a ColouredNet,
    pub(super) tokens: Vec<(PlaceId, Colour)>,
    pub(super) places: Vec<ReachedInPlace>,
}

/// The tokens that are reached in a place: numbers, ascending.
#[derive(Default)]
pub(super) struct ReachedInPlace {
    numbers: HashMap<Colour, u32>,
    all: Vec<u32>,
    /// By the components in a mask.
    pub(super) indexes: Vec<(u64, HashMap<u64, Vec<u32>>)>,
}

impl ReachedTokens<'_> {
    pub(super) fn add(&mut self, place: PlaceId, colour: Colour) {
        let (number, sort) = (self.tokens.len() as u32, self.net.place(place).sort);
        let reached = &mut self.places[place.index()];
        if reached.numbers.contains_key(&colour) {
            return;
        }
        reached.numbers.insert(colour, number);
        reached.all.push(number);
        for (mask, index) in &mut reached.indexes {
            index.entry(project(self.net.sorts(), sort, colour, *mask)).or_default().push(number);
        }
        self.tokens.push((place, colour));
    }

    pub(super) fn has(&self, place: PlaceId, colour: Colour) -> bool {
        self.places[place.index()].numbers.contains_key(&colour)
    }
}

/// The reached tokens as the patterns of one search may see them.
pub(super) struct TokenWindow<'a> {
    pub(super) reached: &'a ReachedTokens<'a>,
    /// The pattern that has the token `now`.
    pub(super) given: usize,
    pub(super) now: u32,
}

impl TokenWindow<'_> {
    fn shows(&self, pattern: usize, number: u32) -> bool {
        if pattern < self.given { number < self.now } else { number <= self.now }
    }
}

impl Supply for TokenWindow<'_> {
    fn has(&self, pattern: usize, place: PlaceId, colour: Colour) -> bool {
        let number = self.reached.places[place.index()].numbers.get(&colour);
        number.is_some_and(|&number| self.shows(pattern, number))
    }

    fn candidate(&self, at: &Lookup, number: u64) -> Option<Colour> {
        let reached = &self.reached.places[at.place.index()];
        let index = reached.indexes.iter().find(|(mask, _)| *mask == at.mask);
        let list = match index {
            Some((_, index)) => index.get(&at.key)?,
            None => &reached.all,
        };
        let token = *list.get(usize::try_from(number).ok()?)?;
        self.shows(at.pattern, token).then(|| self.reached.tokens[token as usize].1)
    }
}
