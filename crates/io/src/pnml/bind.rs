//! Binds a draft to a net: follows references and resolves names.

use std::collections::BTreeMap;

use fireset_net::{BuildError, Model, NetBuilder, PlaceId, TransitionId};

use super::{
    bind_coloured,
    draft::{DeclaredNode, DraftArc, NetDraft, NetKind},
    labels::ArcKind,
    nupn, presentation, queries,
    symbols::Symbol,
    token_classes,
};
use crate::{Fault, net_file::NetFile};

/// The direction of an arc, seen from its transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Direction {
    Input,
    Output,
    Inhibitor,
}

pub(super) fn bind(mut draft: NetDraft) -> Result<NetFile, Fault> {
    resolve(&mut draft)?;
    let has_classes = token_classes::are_several(&draft);
    let model = match draft.kind {
        NetKind::Plain if !has_classes => plain(&draft)?,
        kind => {
            if let Some(place) = draft.places.iter().find(|place| place.capacity.is_some()) {
                let id = draft.ids.get(place.id);
                let message = "capacities of places with colours are not supported";
                return Err(Fault::at(place.offset, message).within(format!("place {id}")));
            }
            match kind {
                NetKind::Plain => token_classes::bind(&draft)?,
                NetKind::Coloured => bind_coloured::bind(&draft)?,
            }
        }
    };
    let final_markings = final_markings(&draft)?;
    let note = |(label, why): &(String, &str)| format!("`{label}` is passed over: {why}");
    let mut notes: Vec<String> = draft.notes.iter().map(note).collect();
    let (properties, left_out) = queries::bind(&draft.queries, model.nodes(), draft.component.as_deref());
    notes.extend(left_out);
    let presentation = presentation::bind(&mut draft);
    Ok(NetFile { final_markings, properties, notes, presentation, ..NetFile::of(model) })
}

fn final_markings(draft: &NetDraft) -> Result<Vec<Vec<(PlaceId, u64)>>, Fault> {
    let bound = |&(place, tokens, offset): &(Symbol, u64, u64)| match draft.nodes[place.index()] {
        DeclaredNode::Place(place) => Ok((PlaceId::new(place as usize), tokens)),
        _ => Err(draft.unknown(place, offset).within("finalmarkings")),
    };
    draft.final_markings.iter().map(|marking| marking.iter().map(bound).collect()).collect()
}

/// Follows references: afterwards each id denotes a place, a transition or nothing.
fn resolve(draft: &mut NetDraft) -> Result<(), Fault> {
    let mut path: Vec<Symbol> = Vec::new();
    for reference in &draft.references {
        let (mut at, name) = (reference.id, draft.ids.get(reference.id));
        path.clear();
        while let DeclaredNode::Reference(number) = draft.nodes[at.index()] {
            // A path without repetition visits every reference at most once.
            if path.len() > draft.references.len() {
                return Err(Fault::at(reference.offset, format!("the reference `{name}` leads to itself"))
                    .hint("a reference must lead to a place or transition"));
            }
            path.push(at);
            at = draft.references[number as usize].to;
        }
        let end = draft.nodes[at.index()];
        let message = match (end, reference.place) {
            (DeclaredNode::Unknown, _) => {
                return Err(draft.unknown(at, reference.offset).within(format!("reference {name}")));
            }
            (DeclaredNode::Transition(_), true) => Some("a referencePlace, but it leads to the transition"),
            (DeclaredNode::Place(_), false) => Some("a referenceTransition, but it leads to the place"),
            _ => None,
        };
        if let Some(message) = message {
            let message = format!("`{name}` is {message} `{}`", draft.ids.get(at));
            return Err(Fault::at(reference.offset, message));
        }
        for &id in &path {
            draft.nodes[id.index()] = end;
        }
    }
    Ok(())
}

pub(super) fn ends(draft: &NetDraft, arc: &DraftArc) -> Result<(PlaceId, TransitionId, Direction), Fault> {
    let node = |id: Symbol| draft.nodes[id.index()];
    let message = match (node(arc.source), node(arc.target)) {
        (DeclaredNode::Place(place), DeclaredNode::Transition(transition)) => {
            let direction = match arc.kind {
                ArcKind::Inhibitor => Direction::Inhibitor,
                ArcKind::Normal | ArcKind::Read => Direction::Input,
            };
            return Ok((PlaceId::new(place as usize), TransitionId::new(transition as usize), direction));
        }
        (DeclaredNode::Transition(transition), DeclaredNode::Place(place))
            if arc.kind != ArcKind::Inhibitor =>
        {
            let (place, transition) = (PlaceId::new(place as usize), TransitionId::new(transition as usize));
            return Ok((place, transition, Direction::Output));
        }
        (DeclaredNode::Unknown, _) => {
            return Err(draft.unknown(arc.source, arc.offset).within(arc_name(draft, arc)));
        }
        (_, DeclaredNode::Unknown) => {
            return Err(draft.unknown(arc.target, arc.offset).within(arc_name(draft, arc)));
        }
        (DeclaredNode::Place(_), DeclaredNode::Place(_)) => "the arc goes from a place to a place",
        (DeclaredNode::Transition(_), DeclaredNode::Transition(_)) => {
            "the arc goes from a transition to a transition"
        }
        _ => "an inhibitor arc goes from a place to a transition, not the other way",
    };
    let hint = "an arc connects a place and a transition; compare its source and target with the ids";
    Err(Fault::at(arc.offset, message).within(arc_name(draft, arc)).hint(hint))
}

/// The name of an arc in messages.
pub(super) fn arc_name(draft: &NetDraft, arc: &DraftArc) -> String {
    format!("arc from {} to {}", draft.ids.get(arc.source), draft.ids.get(arc.target))
}

fn plain(draft: &NetDraft) -> Result<Model, Fault> {
    let mut builder = NetBuilder::new(draft.name.as_str());
    // `collect` has refused duplicate ids.
    let twice = |offset: u64| move |error: BuildError| Fault::at(offset, error.to_string());
    for place in &draft.places {
        builder.place(draft.ids.get(place.id), place.tokens.unwrap_or(0)).map_err(twice(place.offset))?;
    }
    for transition in &draft.transitions {
        builder.transition(draft.ids.get(transition.id)).map_err(twice(0))?;
    }
    label_nodes(draft, builder.nodes_mut());
    for arc in &draft.arcs {
        match ends(draft, arc)? {
            (place, transition, Direction::Input) => builder.input(place, transition, arc.weight),
            (place, transition, Direction::Output) => builder.output(transition, place, arc.weight),
            (place, transition, Direction::Inhibitor) => builder.inhibitor(place, transition, arc.weight),
        }
    }
    capacities(draft, &mut builder)?;
    builder.nupn = draft.nupn.as_ref().map(|nupn| nupn::bind(draft, nupn)).transpose()?;
    builder.build().map(Model::Plain).map_err(|error| build_fault(draft, &error))
}

/// Adds a complementary place for each place with a capacity: it holds as many tokens as the place may still get, so that a
/// transition fires only if the place stays within its capacity.
fn capacities(draft: &NetDraft, builder: &mut NetBuilder) -> Result<(), Fault> {
    for (at, place) in draft.places.iter().enumerate() {
        let Some(capacity) = place.capacity else { continue };
        let id = draft.ids.get(place.id);
        let Some(room) = capacity.checked_sub(place.tokens.unwrap_or(0)) else {
            let message = "the initial marking is larger than the capacity";
            return Err(Fault::at(place.offset, message).within(format!("place {id}")));
        };
        let mut name = format!("{id}.room");
        while draft.places.iter().any(|place| draft.ids.get(place.id) == name) {
            name.push('_');
        }
        let complement =
            builder.place(&name, room).map_err(|error| Fault::at(place.offset, error.to_string()))?;
        let mut gains: BTreeMap<TransitionId, i128> = BTreeMap::new();
        for arc in &draft.arcs {
            let (to, transition, direction) = ends(draft, arc)?;
            let sign = match direction {
                Direction::Input => -1,
                Direction::Output => 1,
                Direction::Inhibitor => continue,
            };
            if to.index() == at {
                *gains.entry(transition).or_default() += sign * i128::from(arc.weight);
            }
        }
        for (transition, gain) in gains {
            let size = u64::try_from(gain.unsigned_abs()).unwrap_or(u64::MAX);
            match gain.signum() {
                1 => builder.input(complement, transition, size),
                -1 => builder.output(transition, complement, size),
                _ => {}
            }
        }
    }
    Ok(())
}

pub(super) fn label_nodes(draft: &NetDraft, nodes: &mut fireset_net::Nodes) {
    for (at, place) in draft.places.iter().enumerate() {
        if let Some(label) = &place.label {
            nodes.places.set_label(at, label);
        }
    }
    for (at, transition) in draft.transitions.iter().enumerate() {
        if let Some(label) = &transition.label {
            nodes.transitions.set_label(at, label);
        }
    }
}

/// Adds the position of the arc at fault.
fn build_fault(draft: &NetDraft, error: &BuildError) -> Fault {
    let fault = Fault::at(0, error.to_string());
    let BuildError::WeightOverflow { transition, place } = *error else { return fault };
    let between = |arc: &&DraftArc| {
        ends(draft, arc)
            .is_ok_and(|(p, t, direction)| (p, t) == (place, transition) && direction != Direction::Inhibitor)
    };
    match draft.arcs.iter().rfind(between) {
        Some(arc) => Fault { offset: arc.offset, ..fault }.within(arc_name(draft, arc)),
        None => fault,
    }
}
