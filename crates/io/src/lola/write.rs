//! Writes nets for LoLA, in the form that both of its versions read.

use std::io::Write;

use fireset_net::{Arc, Model, Net};

use super::{is_inner, is_keyword};
use crate::{
    net_file::NetWriteError,
    spelling::{NameRules, NameScope, Spelling},
};

const FORMAT: &str = "LoLA";

const RULES: NameRules = NameRules { format: FORMAT, is_admissible, scope: NameScope::Separate };

/// LoLA would read these words as operators or the beginning of a comment.
const SYMBOLS: [&str; 17] =
    ["=", "<", ">", "#", "<=", ">=", "<>", "!=", "->", "<->", "+", "-", "*", "/", "[", "]", "|"];

/// Writes a net. The result says what the format cannot say, and which nodes have new names.
pub fn write(model: &Model, out: &mut dyn Write) -> Result<Vec<String>, NetWriteError> {
    let inexpressible = |construct| NetWriteError::Inexpressible { format: FORMAT, construct };
    let net = match model {
        Model::Plain(net) if net.has_inhibitors() => return Err(inexpressible("inhibitor arcs")),
        Model::Plain(net) => net,
        Model::Coloured(_) => return Err(inexpressible("coloured nets")),
    };
    let spelling = Spelling::new(net.nodes(), &RULES);
    write_places(net, &spelling, out)?;
    for transition in net.nodes().transition_ids() {
        writeln!(out, "\nTRANSITION {}", spelling.transition(transition))?;
        for (keyword, arcs) in [("CONSUME", net.pre(transition)), ("PRODUCE", net.post(transition))] {
            let entry = |arc: &Arc| format!("{}: {}", spelling.place(arc.place), arc.weight);
            let entries: Vec<String> = arcs.iter().map(entry).collect();
            let space = if entries.is_empty() { "" } else { " " };
            writeln!(out, "  {keyword}{space}{};", entries.join(", "))?;
        }
    }
    out.flush()?;
    let mut notes = spelling.notes;
    notes.extend(notes_of(net));
    Ok(notes)
}

fn write_places(net: &Net, spelling: &Spelling<'_>, out: &mut dyn Write) -> Result<(), NetWriteError> {
    let places: Vec<&str> = net.nodes().place_ids().map(|place| spelling.place(place)).collect();
    writeln!(out, "PLACE\n  {};\n", places.join(",\n  "))?;
    let tokens = |place| net.initial_marking().tokens(place);
    let marked = net.nodes().place_ids().filter(|place| tokens(*place) > 0);
    let marking: Vec<String> =
        marked.map(|place| format!("{}: {}", spelling.place(place), tokens(place))).collect();
    writeln!(out, "MARKING\n  {};", marking.join(",\n  "))?;
    Ok(())
}

/// What the format does not say of a net, and what LoLA does not read.
fn notes_of(net: &Net) -> impl Iterator<Item = String> {
    let nodes = net.nodes();
    let is_labelled = [&nodes.places, &nodes.transitions]
        .iter()
        .any(|names| (0..names.len()).any(|at| names.label(at) != names.get(at)));
    let is_empty = nodes.places.is_empty() || nodes.transitions.is_empty();
    let notes = [
        (is_labelled, "labels of nodes are not written, since LoLA has names only"),
        (net.nupn().is_some(), "units are not written, since LoLA has none"),
        (is_empty, "LoLA itself reads no net without places or without transitions"),
    ];
    notes.into_iter().filter(|(applies, _)| *applies).map(|(_, note)| note.to_owned())
}

fn is_admissible(name: &str) -> bool {
    let is_word = !name.is_empty() && name.chars().all(|letter| is_inner(letter) && !letter.is_control());
    let is_reserved = is_keyword(name) || SYMBOLS.contains(&name);
    is_word && !is_reserved && !name.starts_with("/*") && !name.starts_with("//")
}
