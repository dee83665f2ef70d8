//! The tokens that have arrived, and what a search may see of them.

use fireset_net::{
    PlaceId,
    coloured::{
        Colour, ColouredNet,
        matching::{Lookup, Supply, project},
    },
};
use hashbrown::HashMap;

/// Tokens in the order of their arrival.
pub(super) struct Arrivals<'a> {
    pub(super) net: &'a ColouredNet,
    pub(super) tokens: Vec<(PlaceId, Colour)>,
    pub(super) places: Vec<Arrived>,
}

/// What arrived in a place: numbers, ascending.
#[derive(Default)]
pub(super) struct Arrived {
    numbers: HashMap<Colour, u32>,
    all: Vec<u32>,
    /// By the components in a mask.
    pub(super) indexes: Vec<(u64, HashMap<u64, Vec<u32>>)>,
}

impl Arrivals<'_> {
    pub(super) fn add(&mut self, place: PlaceId, colour: Colour) {
        let (number, sort) = (self.tokens.len() as u32, self.net.place(place).sort);
        let arrived = &mut self.places[place.index()];
        if arrived.numbers.contains_key(&colour) {
            return;
        }
        arrived.numbers.insert(colour, number);
        arrived.all.push(number);
        for (mask, index) in &mut arrived.indexes {
            index.entry(project(self.net.sorts(), sort, colour, *mask)).or_default().push(number);
        }
        self.tokens.push((place, colour));
    }

    pub(super) fn has(&self, place: PlaceId, colour: Colour) -> bool {
        self.places[place.index()].numbers.contains_key(&colour)
    }
}

/// The arrivals as the patterns of one search may see them.
pub(super) struct Window<'a> {
    pub(super) arrivals: &'a Arrivals<'a>,
    /// The pattern that has the token `now`.
    pub(super) given: usize,
    pub(super) now: u32,
}

impl Window<'_> {
    fn shows(&self, pattern: usize, number: u32) -> bool {
        if pattern < self.given { number < self.now } else { number <= self.now }
    }
}

impl Supply for Window<'_> {
    fn has(&self, pattern: usize, place: PlaceId, colour: Colour) -> bool {
        let number = self.arrivals.places[place.index()].numbers.get(&colour);
        number.is_some_and(|&number| self.shows(pattern, number))
    }

    fn candidate(&self, at: &Lookup, number: u64) -> Option<Colour> {
        let arrived = &self.arrivals.places[at.place.index()];
        let index = arrived.indexes.iter().find(|(mask, _)| *mask == at.mask);
        let list = match index {
            Some((_, index)) => index.get(&at.key)?,
            None => &arrived.all,
        };
        let token = *list.get(usize::try_from(number).ok()?)?;
        self.shows(at.pattern, token).then(|| self.arrivals.tokens[token as usize].1)
    }
}
