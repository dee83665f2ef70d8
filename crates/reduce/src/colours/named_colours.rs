//! The colours of a coloured net that are not like the others: those that it names, and those of places with few tokens.

use std::collections::BTreeSet;

use fireset_net::{
    SortId,
    coloured::{BagTerm, Colour, ColourTerm, ColouredNet, ColouredTransition, Guard, SortKind},
};

/// Of a fixed multiset, and of the named colours of a sort, this many are taken.
pub(super) const MAX_NAMED: usize = 24;

/// The colours of simple sorts that terms and guards name, and those of initial tokens where a place has at most `few`.
pub(super) fn named_colours(net: &ColouredNet, few: u64) -> Vec<BTreeSet<Colour>> {
    let mut named = NamedColours { net, colours: vec![BTreeSet::new(); net.sorts().iter().len()] };
    for place in net.nodes().place_ids().map(|place| net.place(place)) {
        if place.initial.iter().len() as u64 <= few {
            place.initial.iter().for_each(|(colour, _)| named.add(place.sort, colour));
        }
    }
    net.nodes().transition_ids().for_each(|t| named.transition(net.transition(t)));
    named.colours
}

struct NamedColours<'a> {
    net: &'a ColouredNet,
    colours: Vec<BTreeSet<Colour>>,
}

impl NamedColours<'_> {
    fn add(&mut self, sort: SortId, colour: Colour) {
        match &self.net.sorts()[sort].kind {
            SortKind::Product(parts) => {
                let components = self.net.sorts().components(sort, colour);
                parts.iter().zip(components).for_each(|(&part, colour)| self.add(part, colour));
            }
            _ => drop(self.colours[sort.index()].insert(colour)),
        }
    }

    fn transition(&mut self, transition: &ColouredTransition) {
        self.guard(&transition.guard);
        for arc in transition.pre.iter().chain(&transition.post).chain(&transition.inhibitors) {
            self.multiset(&arc.term, self.net.place(arc.place).sort);
        }
    }

    fn guard(&mut self, guard: &Guard) {
        match guard {
            Guard::Constant(_) => {}
            Guard::Not(guard) => self.guard(guard),
            Guard::And(guards) | Guard::Or(guards) => guards.iter().for_each(|guard| self.guard(guard)),
            Guard::Compare(_, left, right) => {
                self.colour(&left.1);
                self.colour(&right.1);
            }
        }
    }

    fn colour(&mut self, term: &ColourTerm) {
        match term {
            ColourTerm::Constant(sort, colour) => self.add(*sort, *colour),
            ColourTerm::Variable(_) => {}
            ColourTerm::Shift { term, .. } | ColourTerm::BlockOf(_, term) => self.colour(term),
            ColourTerm::Tuple(_, terms) => terms.iter().for_each(|term| self.colour(term)),
        }
    }

    fn multiset(&mut self, term: &BagTerm, sort: SortId) {
        match term {
            BagTerm::One(term) => self.colour(term),
            BagTerm::All(_) => {}
            BagTerm::Fixed(bag) => {
                bag.iter().take(MAX_NAMED).for_each(|(colour, _)| self.add(sort, colour));
            }
            BagTerm::Times(_, term) => self.multiset(term, sort),
            BagTerm::Sum(terms) => terms.iter().for_each(|term| self.multiset(term, sort)),
            BagTerm::Minus(from, what) => {
                self.multiset(from, sort);
                self.multiset(what, sort);
            }
            BagTerm::Tuple(product, terms) => {
                let SortKind::Product(parts) = &self.net.sorts()[*product].kind else { return };
                terms.iter().zip(parts).for_each(|(term, &part)| self.multiset(term, part));
            }
        }
    }
}
