//! Writes nets for APT.

use std::io::Write;

use fireset_net::{Arc, Model, Names, Net, PlaceId};

use super::{TYPES, is_name};
use crate::{
    net_file::NetWriteError,
    spelling::{NameRules, NameScope, Spelling},
};

const FORMAT: &str = "APT";

const RULES: NameRules = NameRules { format: FORMAT, is_admissible, scope: NameScope::Shared };

/// Writes a net. The result says which nodes have new names, and what the format cannot say.
pub fn write(model: &Model, out: &mut dyn Write) -> Result<Vec<String>, NetWriteError> {
    write_with_final_markings(model, &[], out)
}

/// Writes a net with the markings in which its runs should end.
pub fn write_with_final_markings(
    model: &Model,
    final_markings: &[Vec<(PlaceId, u64)>],
    out: &mut dyn Write,
) -> Result<Vec<String>, NetWriteError> {
    let inexpressible = |construct| NetWriteError::Inexpressible { format: FORMAT, construct };
    let net = match model {
        Model::Plain(net) if net.has_inhibitors() => return Err(inexpressible("inhibitor arcs")),
        Model::Plain(net) => net,
        Model::Coloured(_) => return Err(inexpressible("coloured nets")),
    };
    let mut spelling = Spelling::new(net.nodes(), &RULES);
    let mut notes = std::mem::take(&mut spelling.notes);
    let (name, is_changed) = text(&net.name);
    if is_changed {
        notes.push(format!("the net's name is written as `{name}`, since APT has no quoted quotation marks"));
    }
    writeln!(out, ".name \"{name}\"\n.type LPN")?;
    write_nodes(net, &spelling, &mut notes, out)?;
    writeln!(out, "\n.flows")?;
    for t in net.nodes().transition_ids() {
        let bag = |arcs: &[Arc]| bag(arcs.iter().map(|arc| (arc.place, arc.weight)), &spelling);
        writeln!(out, "{}: {} -> {}", spelling.transition(t), bag(net.pre(t)), bag(net.post(t)))?;
    }
    let marking = net.nodes().place_ids().map(|place| (place, net.initial_marking().tokens(place)));
    writeln!(out, "\n.initial_marking {}", bag(marking.filter(|(_, tokens)| *tokens > 0), &spelling))?;
    if !final_markings.is_empty() {
        writeln!(out, "\n.final_markings")?;
        for marking in final_markings {
            writeln!(out, "{}", bag(marking.iter().copied(), &spelling))?;
        }
    }
    if net.nupn().is_some() {
        notes.push("units are not written, since APT has none".to_owned());
    }
    out.flush()?;
    Ok(notes)
}

fn write_nodes(
    net: &Net,
    spelling: &Spelling<'_>,
    notes: &mut Vec<String>,
    out: &mut dyn Write,
) -> Result<(), NetWriteError> {
    let nodes = net.nodes();
    writeln!(out, "\n.places")?;
    for place in nodes.place_ids() {
        let options = label(&nodes.places, place.index(), notes);
        writeln!(out, "{}{options}", spelling.place(place))?;
    }
    writeln!(out, "\n.transitions")?;
    for transition in nodes.transition_ids() {
        let options = label(&nodes.transitions, transition.index(), notes);
        writeln!(out, "{}{options}", spelling.transition(transition))?;
    }
    Ok(())
}

/// The option with a node's label, if it has one.
fn label(names: &Names, at: usize, notes: &mut Vec<String>) -> String {
    let (id, label) = (names.get(at), names.label(at));
    if id == label {
        return String::new();
    }
    let (written, is_changed) = text(label);
    if is_changed {
        notes.push(format!(
            "the label `{label}` of `{id}` is written as `{written}`, since APT has no escapes"
        ));
    }
    format!(" [label=\"{written}\"]")
}

/// A text that can stand in quotation marks, and whether it differs: APT has no escapes.
fn text(text: &str) -> (String, bool) {
    let written: String = text
        .chars()
        .map(|letter| match letter {
            '"' => '\'',
            _ if letter.is_control() => ' ',
            _ => letter,
        })
        .collect();
    let is_changed = written != text;
    (written, is_changed)
}

fn bag(entries: impl Iterator<Item = (PlaceId, u64)>, spelling: &Spelling<'_>) -> String {
    let entry = |(place, count)| format!("{count}*{}", spelling.place(place));
    format!("{{{}}}", entries.map(entry).collect::<Vec<_>>().join(", "))
}

fn is_admissible(name: &str) -> bool {
    is_name(name) && !TYPES.contains(&name)
}
