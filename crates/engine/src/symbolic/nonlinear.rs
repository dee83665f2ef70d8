//! Selects the markings of a set by a comparison that is not linear, such as one of products of counts.
//!
//! From the top variable down, the counts of the compared places are collected; below the last of them the comparison is
//! evaluated. A node is visited once for each vector of counts above it, so the cost grows with the counts of few places, and the
//! diagram's limit ends it where they are too many. Test: `tests/symbolic.rs`, whose random predicates multiply counts.

use std::collections::HashMap;

use fireset_kernel::mdd::{MddManager, MddNode, Stopped};
use fireset_net::{Comparison, Expr, PlaceId};

use super::events::EventTable;

pub(super) struct ExpressionSelection<'s, 'g> {
    diagram: &'s mut MddManager<'g>,
    events: &'s EventTable,
    how: Comparison,
    sides: &'s (Expr, Expr),
    /// The compared places, each once.
    places: Vec<PlaceId>,
    /// The lowest variable with a compared place.
    lowest: usize,
    /// The counts of the compared places in the variables above; those of the others are zero.
    counts: Vec<u64>,
    /// By node and the counts above it.
    known: HashMap<(MddNode, Vec<u64>), MddNode>,
}

impl<'s, 'g> ExpressionSelection<'s, 'g> {
    pub(super) fn new(
        diagram: &'s mut MddManager<'g>,
        events: &'s EventTable,
        how: Comparison,
        sides: &'s (Expr, Expr),
    ) -> Self {
        let mut places = Vec::new();
        [&sides.0, &sides.1].into_iter().for_each(|side| side.places(&mut |place| places.push(place)));
        places.sort_unstable();
        places.dedup();
        let lowest = places.iter().map(|place| events.place[place.index()].0).min().unwrap_or(usize::MAX);
        let counts = vec![0; places.len()];
        Self { diagram, events, how, sides, places, lowest, counts, known: HashMap::new() }
    }

    /// The markings of a set for which the comparison holds.
    pub(super) fn run(&mut self, set: MddNode) -> Result<MddNode, Stopped> {
        if set == MddNode::EMPTY {
            return Ok(set);
        }
        let variable = self.diagram.variable(set);
        if variable < self.lowest {
            return Ok(if self.holds() { set } else { MddNode::EMPTY });
        }
        let key = (set, self.counts.clone());
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let mut selected = Vec::new();
        for (local, child) in self.diagram.edges(set).to_vec() {
            self.count(variable, local);
            let child = self.run(child)?;
            if child != MddNode::EMPTY {
                selected.push((local, child));
            }
        }
        self.counts.clone_from(&key.1);
        let selected = self.diagram.node(variable, &selected)?;
        self.known.insert(key, selected);
        Ok(selected)
    }

    /// Takes the counts of a variable's compared places from a local state.
    fn count(&mut self, variable: usize, local: u32) {
        let tokens = self.events.tokens(variable, local);
        for (place, count) in self.places.iter().zip(&mut self.counts) {
            let (of, position) = self.events.place[place.index()];
            if of == variable {
                *count = tokens[position];
            }
        }
    }

    fn holds(&self) -> bool {
        let count =
            |place: PlaceId| self.places.binary_search(&place).map_or(0, |at| u128::from(self.counts[at]));
        self.sides.0.compare(self.how, &self.sides.1, &count)
    }
}
