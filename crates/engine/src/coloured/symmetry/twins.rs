//! Colours that a marking does not tell apart, and one of each set of bindings that are equal but for them.
//!
//! Why: with 50 processes that wait, a transition has 50 bindings that lead to one orbit, and with two variables 2,500.
//! Two colours of a block are *twins* in a marking if swapping them does not change it. Twins are an equivalence, as the blocks are,
//! so every permutation `g` of twins leaves the marking `m` as it is. Then `m [t, b> m'` implies `m [t, g b> g m'`, and one of the two
//! successors is enough. Of these bindings the one is fired whose new colours of each class come in ascending order.
//! Source: symbolic firing of Chiola et al. (1997), which binds variables to classes instead.
//!
//! Invariant: twins are compared token by token, so no hash decides which bindings are left out.
//! Cost: for each marking that is expanded its normal form's keys, and each of its tokens twice.

use super::{ColourNormalForm, Component, Moves, renamed};
use crate::coloured::layout::MarkingLayout;

/// The classes of twins of a marking.
#[derive(Clone, Debug, Default)]
pub(super) struct Twins {
    /// For each colour the first colour of its class, and how many of the class come before it.
    classes: Vec<(u32, u32)>,
    /// The tokens of each colour, sorted by it: place, and colour of the token.
    tokens: Vec<(u32, u32, u64)>,
    /// The colours of one block after another, each block by keys.
    sorted: Vec<(u32, u64, u32)>,
    /// A permutation that is the identity between two calls.
    images: Vec<u32>,
    /// The colours that a binding has named so far.
    named: Vec<u32>,
}

impl Twins {
    /// Finds the twins of a row.
    pub(super) fn find<M: MarkingLayout>(&mut self, form: &mut ColourNormalForm, layout: &M, row: &[u64]) {
        form.find_keys(layout, row);
        let colours = form.colours();
        self.tokens.clear();
        for (place, components) in colours.places.iter().enumerate().filter(|(_, c)| !c.is_empty()) {
            layout.each(row, place, |(colour, _)| {
                let numbers = components.iter().filter_map(|component| component.number(colour));
                self.tokens.extend(numbers.map(|number| (number as u32, place as u32, colour)));
            });
        }
        self.tokens.sort_unstable();
        self.images.clear();
        self.images.extend(colours.identity());
        self.classes.clear();
        self.classes.extend((0..colours.colours as u32).map(|number| (number, 0)));
        for sort in &colours.sorts {
            let Moves::Within { block_of, .. } = &sort.moves else { continue };
            self.sorted.clear();
            let keyed = |colour: usize| {
                let number = sort.first + colour;
                (block_of[colour], form.keys()[number], number as u32)
            };
            self.sorted.extend((0..sort.size).map(keyed));
            self.sorted.sort_unstable();
            let mut class = (u32::MAX, 0, 0);
            for at in 0..self.sorted.len() {
                let (block, key, number) = self.sorted[at];
                if (block, key) == (class.0, class.1) && self.are_twins(form, (layout, row), class.2, number)
                {
                    let (first, before) = self.classes[self.sorted[at - 1].2 as usize];
                    self.classes[number as usize] = (first, before + 1);
                } else {
                    class = (block, key, number);
                }
            }
        }
    }

    /// Whether swapping two colours of a sort leaves a row as it is.
    fn are_twins<M: MarkingLayout>(
        &mut self,
        form: &ColourNormalForm,
        (layout, row): (&M, &[u64]),
        one: u32,
        other: u32,
    ) -> bool {
        let Self { tokens, images, .. } = self;
        images.swap(one as usize, other as usize);
        let stays = |number: u32| {
            let first = tokens.partition_point(|token| token.0 < number);
            tokens[first..].iter().take_while(|token| token.0 == number).all(|&(_, place, colour)| {
                let image = renamed(colour, &form.colours().places[place as usize], images);
                let place = place as usize;
                layout.count(row, place, image) == layout.count(row, place, colour)
            })
        };
        let twins = stays(one) && stays(other);
        images.swap(one as usize, other as usize);
        twins
    }

    /// Whether a binding is the one to fire of those that are equal but for twins.
    pub(super) fn is_first(&mut self, variables: &[Vec<Component>], binding: &[u64]) -> bool {
        let Self { classes, named, .. } = self;
        named.clear();
        for (components, &colour) in variables.iter().zip(binding) {
            for number in components.iter().filter_map(|component| component.number(colour)) {
                let number = number as u32;
                if named.contains(&number) {
                    continue;
                }
                let (class, before) = classes[number as usize];
                let same = named.iter().filter(|&&other| classes[other as usize].0 == class).count();
                if same != before as usize {
                    return false;
                }
                named.push(number);
            }
        }
        true
    }
}
