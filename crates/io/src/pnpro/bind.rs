//! Binds a draft to a net: without colour classes to a place/transition net, else to a coloured one.

use std::collections::BTreeMap;

use fireset_net::{
    Model, PlaceId, TransitionId,
    coloured::{Bag, BagTerm, Colour, TermError},
};

use super::{
    classes::ColourTable,
    count::Counts,
    draft::{FiringTime, GspnArc, GspnArcKind, GspnDraft, GspnPlace, GspnTransition},
};
use crate::{Fault, named_net::NamedNet, net_file::NetFile, pnml::sum, scanner::Word};

/// The note about what does not change the reachable markings.
const STOCHASTIC: &str =
    "rates, weights and servers are passed over: they do not change which markings can be reached";

pub(super) fn bind(draft: &GspnDraft) -> Result<NetFile, Fault> {
    check_priorities(draft)?;
    let has_colours = !draft.classes.is_empty() || draft.places.iter().any(|place| !place.domain.is_empty());
    let model = if has_colours { coloured(draft)? } else { plain(draft)? };
    let notes = match draft.transitions.is_empty() {
        true => Vec::new(),
        false => vec![STOCHASTIC.to_owned()],
    };
    Ok(NetFile { notes, ..NetFile::of(model) })
}

/// Refuses general firing times, and what fires first: immediate transitions beside timed ones, and different priorities of immediate ones.
fn check_priorities(draft: &GspnDraft) -> Result<(), Fault> {
    let hint = "fireset reads nets without priorities";
    if let Some(general) =
        draft.transitions.iter().find(|transition| transition.timing == FiringTime::General)
    {
        let message = format!("the transition `{}` has a general firing time", general.name);
        return Err(Fault::at(general.offset, message)
            .hint("only exponential times do not change which markings can be reached"));
    }
    let is_immediate = |transition: &&GspnTransition| transition.timing == FiringTime::Immediate;
    let mut immediate = draft.transitions.iter().filter(is_immediate);
    let Some(first) = immediate.next() else { return Ok(()) };
    if let Some(timed) = draft.transitions.iter().find(|transition| !is_immediate(transition)) {
        let message = format!(
            "the net has priorities: the immediate transition `{}` fires before the timed one `{}`",
            first.name, timed.name
        );
        return Err(Fault::at(first.offset, message).hint(hint));
    }
    let priority = |text: &str| if text.is_empty() { "1".to_owned() } else { text.to_owned() };
    match immediate.find(|transition| priority(&transition.priority) != priority(&first.priority)) {
        None => Ok(()),
        Some(other) => {
            let (one, two) = (priority(&first.priority), priority(&other.priority));
            let message =
                format!("the net has priorities: {one} of `{}`, {two} of `{}`", first.name, other.name);
            Err(Fault::at(other.offset, message).hint(hint))
        }
    }
}

fn word(name: &str, offset: u64) -> Word<'_> {
    Word { text: name, offset }
}

fn in_place(place: &GspnPlace) -> impl Fn(Fault) -> Fault {
    |fault| Fault { offset: place.offset, ..fault }.within(format!("place {}", place.name))
}

fn in_arc(arc: &GspnArc) -> impl Fn(Fault) -> Fault {
    |fault| Fault { offset: arc.offset, ..fault }.within(arc.shown())
}

fn plain(draft: &GspnDraft) -> Result<Model, Fault> {
    let counts = Counts::new(draft);
    let count = |text: &str, default: u64| if text.is_empty() { Ok(default) } else { counts.value(text) };
    let mut net = NamedNet::new(draft.name.as_str());
    for place in &draft.places {
        let tokens = count(&place.marking, 0).map_err(in_place(place))?;
        net.place(word(&place.name, place.offset), tokens)?;
    }
    for transition in &draft.transitions {
        if !transition.guard.is_empty() {
            let message =
                format!("the transition `{}` has a guard, but the net has no colours", transition.name);
            return Err(Fault::at(transition.offset, message));
        }
        net.transition(word(&transition.name, transition.offset))?;
    }
    for arc in &draft.arcs {
        let weight = count(&arc.multiplicity, 1).map_err(in_arc(arc))?;
        let (place, transition) = arc.ends();
        let place = net.find_place(word(place, arc.offset))?;
        let transition = net.find_transition(word(transition, arc.offset))?;
        match arc.kind {
            GspnArcKind::Input => net.builder.input(place, transition, weight),
            GspnArcKind::Output => net.builder.output(transition, place, weight),
            GspnArcKind::Inhibitor => net.builder.inhibitor(place, transition, weight),
        }
    }
    net.build()
}

fn coloured(draft: &GspnDraft) -> Result<Model, Fault> {
    let mut table = ColourTable::new(draft)?;
    let twice = |offset: u64| move |error: fireset_net::BuildError| Fault::at(offset, error.to_string());
    for place in &draft.places {
        let sort = table.domain(&place.domain).map_err(in_place(place))?;
        let tokens = match place.marking.as_str() {
            "" => Bag::default(),
            text => marking(&table, text, sort).map_err(in_place(place))?,
        };
        table.builder.place(&place.name, sort, tokens).map_err(twice(place.offset))?;
    }
    for transition in &draft.transitions {
        let guard = table.guard(&transition.guard).map_err(|fault| {
            Fault { offset: transition.offset, ..fault }.within(format!("transition {}", transition.name))
        })?;
        table.builder.transition(&transition.name, guard).map_err(twice(transition.offset))?;
    }
    // Parallel arcs are summed.
    let mut arcs: BTreeMap<(TransitionId, GspnArcKind, PlaceId), (Vec<BagTerm>, &GspnArc)> = BTreeMap::new();
    for arc in &draft.arcs {
        let (place, transition) = ends(&mut table, arc)?;
        let sort = table.builder.place_sort(place);
        let text = match arc.multiplicity.as_str() {
            "" if sort == table.dot => "1",
            "" => {
                let message = "the arc has no colours, but its place has";
                return Err(Fault::at(arc.offset, message).within(arc.shown()));
            }
            text => text,
        };
        let term = table.bag(text, sort).map_err(in_arc(arc))?;
        let failed = |error: TermError| Fault::at(arc.offset, error.to_string()).within(arc.shown());
        if arc.kind == GspnArcKind::Inhibitor {
            table.builder.inhibitor(place, transition, term).map_err(failed)?;
            continue;
        }
        arcs.entry((transition, arc.kind, place)).or_insert_with(|| (Vec::new(), arc)).0.push(term);
    }
    for ((transition, kind, place), (terms, arc)) in arcs {
        let term = sum(terms, table.builder.place_sort(place), arc.offset)?;
        let added = match kind {
            GspnArcKind::Input => table.builder.input(place, transition, term),
            GspnArcKind::Output => table.builder.output(transition, place, term),
            GspnArcKind::Inhibitor => table.builder.inhibitor(place, transition, term),
        };
        added.map_err(|error: TermError| Fault::at(arc.offset, error.to_string()).within(arc.shown()))?;
    }
    Ok(Model::Coloured(table.builder.build()))
}

/// Looks up the nodes that an arc names.
fn ends(table: &mut ColourTable<'_>, arc: &GspnArc) -> Result<(PlaceId, TransitionId), Fault> {
    let (place, transition) = arc.ends();
    let nodes = table.builder.nodes_mut();
    let (Some(p), Some(t)) = (nodes.places.find(place), nodes.transitions.find(transition)) else {
        let (kind, name) = match nodes.places.find(place) {
            None => ("place", place),
            Some(_) => ("transition", transition),
        };
        return Err(Fault::at(arc.offset, format!("no {kind} is called `{name}`")).within(arc.shown()));
    };
    Ok((PlaceId::new(p), TransitionId::new(t)))
}

/// The tokens of a place at the start.
fn marking(table: &ColourTable<'_>, text: &str, sort: fireset_net::SortId) -> Result<Bag, Fault> {
    let term = table.bag(text, sort)?;
    let mut is_ground = true;
    term.variables(&mut |_| is_ground = false);
    if !is_ground {
        return Err(
            Fault::at(0, "the initial marking has variables").hint("initial markings consist of constants")
        );
    }
    term.check(&table.builder.sorts).map_err(|error| Fault::at(0, error.to_string()))?;
    // The term has no variables, so the valuation is never called.
    Ok(term.value(&table.builder.sorts, &|_| Colour(0)))
}
