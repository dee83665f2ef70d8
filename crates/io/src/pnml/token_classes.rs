//! Counts of tokens by class, as PIPE writes them: `Default,1` or `Default,0,Readers,3,Writers,2`.
//!
//! A net whose tokens are all of one class is a place/transition net. A net with several becomes a coloured net over an
//! enumeration of the classes, in which a marking or arc is a fixed multiset and no transition has variables.

use fireset_net::{
    BuildError, Model,
    coloured::{Bag, BagTerm, Colour, ColouredNetBuilder, Guard, SortKind, TermError},
};

use super::{
    bind::{Direction, arc_name, ends, label_nodes},
    draft::NetDraft,
    labels::parse_count,
    symbols::Symbol,
};
use crate::Fault;

/// The owner of some counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum CountOwner {
    Place(u32),
    Arc(u32),
}

/// Splits a text into classes and counts; `None` if it is no list of them.
pub(super) fn split<'t>(text: &'t str, what: &str) -> Option<Result<Vec<(&'t str, u64)>, String>> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() < 2 || !parts.len().is_multiple_of(2) {
        return None;
    }
    let pair = |pair: &[&'t str]| Ok((pair[0], parse_count(pair[1], what)?));
    Some(parts.chunks(2).map(pair).collect())
}

/// The classes of which a place or an arc has tokens.
fn used(draft: &NetDraft) -> Vec<Symbol> {
    let counts = draft.classes.values().flatten().filter(|(_, count)| *count > 0);
    let mut classes: Vec<Symbol> = counts.map(|(class, _)| *class).collect();
    classes.sort_unstable();
    classes.dedup();
    classes
}

/// Whether tokens of several classes are told apart.
pub(super) fn are_several(draft: &NetDraft) -> bool {
    used(draft).len() > 1
}

/// The coloured net of a draft whose tokens have classes.
pub(super) fn bind(draft: &NetDraft) -> Result<Model, Fault> {
    let classes = used(draft);
    let constants = classes.iter().map(|&class| draft.class_names.get(class).into()).collect();
    let mut builder = ColouredNetBuilder::new(draft.name.as_str());
    let sort = builder.sorts.add("token", SortKind::Enumeration { constants, cyclic: false });
    let sort = sort.map_err(|error| Fault::at(0, error.to_string()))?;
    let bag = |owner: CountOwner, plain: u64, offset: u64| {
        let colour = |class: Symbol| classes.binary_search(&class).ok().map(|at| Colour(at as u64));
        let Some(counts) = draft.classes.get(&owner) else {
            if plain == 0 {
                return Ok(Bag::default());
            }
            let message = "a plain count in a net whose tokens have classes";
            return Err(Fault::at(offset, message).hint("write the class before each count"));
        };
        let counts = counts.iter().filter_map(|&(class, count)| Some((colour(class)?, count)));
        Bag::collect(counts).ok_or_else(|| Fault::at(offset, "counts of a class do not fit into 64 bits"))
    };
    let twice = |offset: u64| move |error: BuildError| Fault::at(offset, error.to_string());
    for (at, place) in draft.places.iter().enumerate() {
        let tokens = bag(CountOwner::Place(at as u32), place.tokens.unwrap_or(0), place.offset)?;
        builder.place(draft.ids.get(place.id), sort, tokens).map_err(twice(place.offset))?;
    }
    for transition in &draft.transitions {
        builder.transition(draft.ids.get(transition.id), Guard::Constant(true)).map_err(twice(0))?;
    }
    label_nodes(draft, builder.nodes_mut());
    for (at, arc) in draft.arcs.iter().enumerate() {
        let (place, transition, direction) = ends(draft, arc)?;
        if direction == Direction::Inhibitor {
            let message = "an inhibitor arc in a net whose tokens have classes";
            return Err(Fault::at(arc.offset, message).within(arc_name(draft, arc)));
        }
        let term = BagTerm::Fixed(bag(CountOwner::Arc(at as u32), arc.weight, arc.offset)?);
        let added = match direction {
            Direction::Input => builder.input(place, transition, term),
            Direction::Output => builder.output(transition, place, term),
            Direction::Inhibitor => builder.inhibitor(place, transition, term),
        };
        added.map_err(|error: TermError| {
            Fault::at(arc.offset, error.to_string()).within(arc_name(draft, arc))
        })?;
    }
    Ok(Model::Coloured(builder.build()))
}
