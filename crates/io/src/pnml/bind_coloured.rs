//! From a draft to a coloured net: declarations first, then places, guards and arcs.

use fireset_net::{
    BuildError, Model, PlaceId, SortId, TransitionId,
    coloured::{Bag, BagTerm, Colour, ColourTerm, Guard, SortKind, TermError},
};

use super::{
    bags::{sum, times},
    bind::{Direction, ends, label_nodes, shown},
    draft::{Draft, DraftArc, DraftPlace},
    palette::Palette,
    terms::TermId,
};
use crate::Fault;

/// An arc with its ends and its term.
type BoundArc<'d> = ((TransitionId, Direction, PlaceId), BagTerm, &'d DraftArc);

/// The coloured net of a draft.
pub(super) fn bind(draft: &Draft) -> Result<Model, Fault> {
    let mut palette = Palette::new(&draft.terms, &draft.name);
    palette.declare(&draft.declarations)?;
    // Ids were found to be unique while they were collected.
    let twice = |offset: u64| move |error: BuildError| Fault::at(offset, error.to_string());
    for place in &draft.places {
        let id = draft.ids.get(place.id);
        let bound = bind_place(&mut palette, place).map_err(|fault| fault.within(format!("place {id}")));
        let (sort, initial) = bound?;
        palette.builder.place(id, sort, initial).map_err(twice(place.offset))?;
    }
    for transition in &draft.transitions {
        let id = draft.ids.get(transition.id);
        let guard = match content(draft, transition.guard) {
            Some(term) => palette.guard(term?),
            None => Ok(Guard::Constant(true)),
        };
        let guard = guard.map_err(|fault| fault.within(format!("transition {id}")))?;
        palette.builder.transition(id, guard).map_err(twice(0))?;
    }
    label_nodes(draft, palette.builder.nodes_mut());
    let mut arcs: Vec<BoundArc> = Vec::new();
    for arc in &draft.arcs {
        let (place, transition, direction) = ends(draft, arc)?;
        let sort = palette.builder.place_sort(place);
        let bound = bind_arc(&mut palette, draft, arc, sort);
        if let Some(term) = bound.map_err(|fault| fault.within(shown(draft, arc)))? {
            arcs.push(((transition, direction, place), term, arc));
        }
    }
    arcs.sort_by_key(|(ends, ..)| *ends);
    add_arcs(&mut palette, draft, arcs)?;
    Ok(Model::Coloured(palette.builder.build()))
}

/// The term in a `<structure>` that is there and not empty.
fn content(draft: &Draft, structure: Option<TermId>) -> Option<Result<TermId, Fault>> {
    let structure = structure.filter(|&structure| draft.terms.children(structure).next().is_some())?;
    Some(draft.terms.only(structure))
}

/// A place's sort and initial tokens.
fn bind_place(palette: &mut Palette, place: &DraftPlace) -> Result<(SortId, Bag), Fault> {
    let terms = palette.terms;
    let sort = match place.sort {
        Some(structure) => palette.sort(terms.only(structure)?, 0)?,
        None => palette.dot(place.offset)?,
    };
    let Some(structure) = place.marking.filter(|&structure| terms.children(structure).next().is_some())
    else {
        let tokens = place.tokens.unwrap_or(0);
        if tokens > 0 && *palette.kind(sort) != SortKind::Dot {
            let message = format!("a plain marking in a place of the sort `{}`", palette.sort_name(sort));
            return Err(Fault::at(place.offset, message).hint("give it a `<hlinitialMarking>`"));
        }
        return Ok((sort, Bag::of(Colour(0), tokens)));
    };
    let term = palette.bag(terms.only(structure)?, sort)?;
    let offset = terms.offset(structure);
    let mut ground = true;
    term.variables(&mut |_| ground = false);
    if !ground {
        return Err(Fault::at(offset, "the initial marking has variables")
            .hint("initial markings are made of constants"));
    }
    term.check(&palette.builder.sorts).map_err(|error| Fault::at(offset, error.to_string()))?;
    // There is no variable whose colour could be asked for.
    let bag = term.value(&palette.builder.sorts, &|_| Colour(0));
    palette.spend(bag.iter().len() as u64, offset)?;
    Ok((sort, bag))
}

/// An arc's term; `None` where it moves nothing.
fn bind_arc(
    palette: &mut Palette,
    draft: &Draft,
    arc: &DraftArc,
    sort: SortId,
) -> Result<Option<BagTerm>, Fault> {
    if let Some(term) = content(draft, arc.term) {
        return palette.bag(term?, sort).map(Some);
    }
    if *palette.kind(sort) != SortKind::Dot {
        let message = format!(
            "the arc has no `<hlinscription>`, but its place has the sort `{}`",
            palette.sort_name(sort)
        );
        return Err(Fault::at(arc.offset, message).hint("only arcs of places with plain tokens may lack one"));
    }
    if arc.weight == 0 && !arc.inhibitor {
        return Ok(None);
    }
    let dot = BagTerm::One(ColourTerm::Constant(sort, Colour(0)));
    times(arc.weight, dot, sort, arc.offset).map(Some)
}

/// Adds sorted arcs to the net; parallel ones are added up here, so that the sum has the usual form.
fn add_arcs(palette: &mut Palette, draft: &Draft, arcs: Vec<BoundArc>) -> Result<(), Fault> {
    let mut arcs = arcs.into_iter().peekable();
    while let Some(((transition, direction, place), term, arc)) = arcs.next() {
        let mut terms = vec![term];
        if direction != Direction::Inhibitor {
            while let Some((_, term, _)) = arcs.next_if(|(ends, ..)| *ends == (transition, direction, place))
            {
                terms.push(term);
            }
        }
        let term = sum(terms, palette.builder.place_sort(place), arc.offset)?;
        let builder = &mut palette.builder;
        let added = match direction {
            Direction::Input => builder.input(place, transition, term),
            Direction::Output => builder.output(transition, place, term),
            Direction::Inhibitor => builder.inhibitor(place, transition, term),
        };
        added
            .map_err(|error: TermError| Fault::at(arc.offset, error.to_string()).within(shown(draft, arc)))?;
    }
    Ok(())
}
