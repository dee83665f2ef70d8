//! Binds a draft to a coloured net: declarations first, then places, guards and arcs.

use fireset_net::{
    BuildError, Model, PlaceId, SortId, TransitionId,
    coloured::{Bag, BagTerm, Colour, ColourTerm, Guard, SortKind, TermError},
};

use super::{
    bags::{sum, times},
    bind::{Direction, arc_name, ends, label_nodes},
    draft::{DraftArc, DraftPlace, NetDraft},
    labels::ArcKind,
    sort_table::SortTable,
    terms::TermId,
};
use crate::Fault;

type BoundArc<'d> = ((TransitionId, Direction, PlaceId), BagTerm, &'d DraftArc);

pub(super) fn bind(draft: &NetDraft) -> Result<Model, Fault> {
    let mut table = SortTable::new(&draft.terms, &draft.name);
    table.declare(&draft.declarations)?;
    // `collect` has refused duplicate ids.
    let twice = |offset: u64| move |error: BuildError| Fault::at(offset, error.to_string());
    for place in &draft.places {
        let id = draft.ids.get(place.id);
        let bound = bind_place(&mut table, place).map_err(|fault| fault.within(format!("place {id}")));
        let (sort, initial) = bound?;
        table.builder.place(id, sort, initial).map_err(twice(place.offset))?;
    }
    for transition in &draft.transitions {
        let id = draft.ids.get(transition.id);
        let guard = match content(draft, transition.guard) {
            Some(term) => table.guard(term?),
            None => Ok(Guard::Constant(true)),
        };
        let guard = guard.map_err(|fault| fault.within(format!("transition {id}")))?;
        table.builder.transition(id, guard).map_err(twice(0))?;
    }
    label_nodes(draft, table.builder.nodes_mut());
    let mut arcs: Vec<BoundArc> = Vec::new();
    for arc in &draft.arcs {
        let (place, transition, direction) = ends(draft, arc)?;
        let sort = table.builder.place_sort(place);
        let bound = bind_arc(&mut table, draft, arc, sort);
        if let Some(term) = bound.map_err(|fault| fault.within(arc_name(draft, arc)))? {
            arcs.push(((transition, direction, place), term, arc));
        }
    }
    arcs.sort_by_key(|(ends, ..)| *ends);
    add_arcs(&mut table, draft, arcs)?;
    Ok(Model::Coloured(table.builder.build()))
}

/// The term in a `<structure>`; `None` if it is missing or empty.
fn content(draft: &NetDraft, structure: Option<TermId>) -> Option<Result<TermId, Fault>> {
    let structure = structure.filter(|&structure| draft.terms.children(structure).next().is_some())?;
    Some(draft.terms.only(structure))
}

/// The sort and the initial tokens of a place.
fn bind_place(table: &mut SortTable, place: &DraftPlace) -> Result<(SortId, Bag), Fault> {
    let terms = table.terms;
    let sort = match place.sort {
        Some(structure) => table.sort(terms.only(structure)?, 0)?,
        None => table.dot(place.offset)?,
    };
    let Some(structure) = place.marking.filter(|&structure| terms.children(structure).next().is_some())
    else {
        let tokens = place.tokens.unwrap_or(0);
        if tokens > 0 && *table.kind(sort) != SortKind::Dot {
            let message = format!("a plain marking in a place of the sort `{}`", table.sort_name(sort));
            return Err(Fault::at(place.offset, message).hint("add an `<hlinitialMarking>`"));
        }
        return Ok((sort, Bag::of(Colour(0), tokens)));
    };
    let term = table.bag(terms.only(structure)?, sort)?;
    let offset = terms.offset(structure);
    let mut ground = true;
    term.variables(&mut |_| ground = false);
    if !ground {
        return Err(Fault::at(offset, "the initial marking has variables")
            .hint("initial markings consist of constants"));
    }
    term.check(&table.builder.sorts).map_err(|error| Fault::at(offset, error.to_string()))?;
    // The term has no variables, so the valuation is never called.
    let bag = term.value(&table.builder.sorts, &|_| Colour(0));
    table.spend(bag.iter().len() as u64, offset)?;
    Ok((sort, bag))
}

/// The term of an arc; `None` for weight 0.
fn bind_arc(
    table: &mut SortTable,
    draft: &NetDraft,
    arc: &DraftArc,
    sort: SortId,
) -> Result<Option<BagTerm>, Fault> {
    if let Some(term) = content(draft, arc.term) {
        let term = term?;
        let (is_inhibitor, is_dot) = (arc.kind == ArcKind::Inhibitor, *table.kind(sort) == SortKind::Dot);
        return match table.dots(term) {
            Some(count) if is_inhibitor && !is_dot => of_any_colour(count?, sort, arc.offset).map(Some),
            _ => table.bag(term, sort).map(Some),
        };
    }
    if *table.kind(sort) != SortKind::Dot {
        let message = format!(
            "the arc has no `<hlinscription>`, but its place has the sort `{}`",
            table.sort_name(sort)
        );
        return Err(Fault::at(arc.offset, message).hint("only arcs of places of the sort dot may omit it"));
    }
    if arc.weight == 0 && arc.kind != ArcKind::Inhibitor {
        return Ok(None);
    }
    let dot = BagTerm::One(ColourTerm::Constant(sort, Colour(0)));
    times(arc.weight, dot, sort, arc.offset).map(Some)
}

/// The term of an inhibitor arc without colours from a place with colours, as TAPAAL writes it: it counts the tokens of all
/// colours together, which a term over colours can say only for the first token.
fn of_any_colour(count: u64, sort: SortId, offset: u64) -> Result<BagTerm, Fault> {
    if count == 1 {
        return Ok(BagTerm::All(sort));
    }
    let message = format!("an inhibitor arc counts {count} tokens of all colours together");
    Err(Fault::at(offset, message).hint("only the weight 1 is supported for such arcs"))
}

/// Adds sorted arcs to the net; the terms of parallel arcs are summed here, so that the sum is normalised.
fn add_arcs(table: &mut SortTable, draft: &NetDraft, arcs: Vec<BoundArc>) -> Result<(), Fault> {
    let mut arcs = arcs.into_iter().peekable();
    while let Some(((transition, direction, place), term, arc)) = arcs.next() {
        let mut terms = vec![term];
        if direction != Direction::Inhibitor {
            while let Some((_, term, _)) = arcs.next_if(|(ends, ..)| *ends == (transition, direction, place))
            {
                terms.push(term);
            }
        }
        let term = sum(terms, table.builder.place_sort(place), arc.offset)?;
        let builder = &mut table.builder;
        let added = match direction {
            Direction::Input => builder.input(place, transition, term),
            Direction::Output => builder.output(transition, place, term),
            Direction::Inhibitor => builder.inhibitor(place, transition, term),
        };
        added.map_err(|error: TermError| {
            Fault::at(arc.offset, error.to_string()).within(arc_name(draft, arc))
        })?;
    }
    Ok(())
}
