//! The net that declarations of nodes and arcs describe together.
//!
//! The manual calls it their superposition: a node that is mentioned several times is one node, normal arcs between the same
//! nodes add up, and so do the tokens of a place. Of parallel test arcs the highest weight counts and of parallel inhibitor
//! arcs the lowest, since a transition is enabled when each of its arcs allows it.
//!
//! A test arc of weight `n` needs `n` tokens and takes none. A net has no such arc; beside a normal arc that takes `k`
//! tokens it becomes an arc that takes `max(n, k)` tokens and one that gives `max(n, k) - k` of them back. Then the transition
//! needs `max(n, k)` tokens and takes `k`, as in Tina.

use std::collections::BTreeMap;

use fireset_net::{Model, Names, PlaceId, TransitionId};

use crate::{Fault, named_net::NamedNet, scanner::Word};

/// What an arc from a place to a transition does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InputArc {
    /// The number of tokens that firing removes.
    Normal(u64),
    /// The number of tokens that must be there and stay.
    Test(u64),
    /// The number of tokens from which on the transition is blocked.
    Inhibitor(u64),
}

/// All arcs between a transition and a place.
#[derive(Debug, Default)]
struct Link {
    takes: u64,
    gives: u64,
    tests: u64,
    inhibits: Option<u64>,
    /// Of the last declaration, for faults.
    offset: u64,
}

/// The declarations so far.
#[derive(Debug, Default)]
pub(super) struct Superposition {
    pub(super) name: String,
    places: Names,
    tokens: Vec<u64>,
    transitions: Names,
    /// Where each transition is first mentioned.
    offsets: Vec<u64>,
    links: BTreeMap<(usize, usize), Link>,
}

impl Superposition {
    /// The place of this name, new or not.
    pub(super) fn place(&mut self, name: &str) -> usize {
        self.places.find(name).unwrap_or_else(|| {
            self.tokens.push(0);
            self.places.insert(name).unwrap_or_default()
        })
    }

    /// The transition of this name, new or not.
    pub(super) fn transition(&mut self, name: &str, offset: u64) -> usize {
        self.transitions.find(name).unwrap_or_else(|| {
            self.offsets.push(offset);
            self.transitions.insert(name).unwrap_or_default()
        })
    }

    /// The place that already has this name.
    pub(super) fn find_place(&self, name: &str) -> Option<usize> {
        self.places.find(name)
    }

    /// The transition that already has this name.
    pub(super) fn find_transition(&self, name: &str) -> Option<usize> {
        self.transitions.find(name)
    }

    /// Of several labels the last one counts; the empty label is none.
    pub(super) fn label_place(&mut self, place: usize, label: &str) {
        self.places.set_label(place, label);
    }

    pub(super) fn label_transition(&mut self, transition: usize, label: &str) {
        self.transitions.set_label(transition, label);
    }

    /// Whether a node of this name has a label.
    pub(super) fn has_label(&self, name: &str) -> bool {
        [&self.places, &self.transitions]
            .iter()
            .any(|names| names.find(name).is_some_and(|at| names.label(at) != name))
    }

    /// Adds tokens to a place's initial marking.
    pub(super) fn mark(&mut self, place: usize, tokens: u64, offset: u64) -> Result<(), Fault> {
        add(&mut self.tokens[place], tokens, "the tokens of a place", offset)
    }

    pub(super) fn input(
        &mut self,
        place: usize,
        transition: usize,
        arc: InputArc,
        offset: u64,
    ) -> Result<(), Fault> {
        let link = self.link(place, transition, offset);
        match arc {
            InputArc::Normal(weight) => return add(&mut link.takes, weight, "the weights of an arc", offset),
            InputArc::Test(weight) => link.tests = link.tests.max(weight),
            InputArc::Inhibitor(weight) => {
                link.inhibits = Some(link.inhibits.map_or(weight, |other| other.min(weight)));
            }
        }
        Ok(())
    }

    pub(super) fn output(
        &mut self,
        transition: usize,
        place: usize,
        weight: u64,
        offset: u64,
    ) -> Result<(), Fault> {
        let link = self.link(place, transition, offset);
        add(&mut link.gives, weight, "the weights of an arc", offset)
    }

    fn link(&mut self, place: usize, transition: usize, offset: u64) -> &mut Link {
        let link = self.links.entry((transition, place)).or_default();
        link.offset = offset;
        link
    }

    /// The net, once all is declared.
    pub(super) fn build(self) -> Result<Model, Fault> {
        let mut net = NamedNet::new(self.name);
        for (at, (name, &tokens)) in self.places.iter().zip(&self.tokens).enumerate() {
            net.place(Word { text: name, offset: 0 }, tokens)?;
            net.builder.nodes_mut().places.set_label(at, self.places.label(at));
        }
        for (at, (name, &offset)) in self.transitions.iter().zip(&self.offsets).enumerate() {
            net.transition(Word { text: name, offset })?;
            net.builder.nodes_mut().transitions.set_label(at, self.transitions.label(at));
        }
        for ((transition, place), link) in self.links {
            let (transition, place) = (TransitionId::new(transition), PlaceId::new(place));
            let needs = link.takes.max(link.tests);
            let mut gives = link.gives;
            add(&mut gives, needs - link.takes, "the weights of an arc", link.offset)?;
            net.builder.input(place, transition, needs);
            net.builder.output(transition, place, gives);
            if let Some(weight) = link.inhibits {
                net.builder.inhibitor(place, transition, weight);
            }
        }
        net.build()
    }
}

/// Adds to a number that declarations give in parts.
fn add(sum: &mut u64, part: u64, what: &str, offset: u64) -> Result<(), Fault> {
    let too_large = || Fault::at(offset, format!("{what}, added up, do not fit into 64 bits"));
    *sum = sum.checked_add(part).ok_or_else(too_large)?;
    Ok(())
}
