//! Writes a place/transition net in Tina's textual format. Reading the file gives the same net, with its names and labels.
//!
//! Places come first, all of them and in their order, since the file's order is the order in which nodes are first named.

use std::{
    fmt,
    io::{self, Write},
};

use fireset_net::{Arc, Model, Net, TransitionId};

use super::words::KEYWORDS;
use crate::net_file::NetWriteError;

/// Writes a net. The caller buffers `out` and flushes it. Returns what was not written, each in one sentence.
pub fn write(model: &Model, out: &mut dyn Write) -> Result<Vec<String>, NetWriteError> {
    let Model::Plain(net) = model else {
        return Err(NetWriteError::Inexpressible { format: "Tina's .net", construct: "a coloured net" });
    };
    let nodes = net.nodes();
    writeln!(out, "net {}", Quoted(&net.name))?;
    for place in nodes.place_ids() {
        write!(out, "pl {}", Quoted(nodes.place(place)))?;
        label(nodes.place(place), nodes.places.label(place.index()), out)?;
        match net.initial_marking().tokens(place) {
            0 => writeln!(out)?,
            tokens => writeln!(out, " ({tokens})")?,
        }
    }
    for transition in nodes.transition_ids() {
        let name = nodes.transition(transition);
        write!(out, "tr {}", Quoted(name))?;
        label(name, nodes.transitions.label(transition.index()), out)?;
        arcs(net, transition, out)?;
    }
    let units =
        net.nupn().map(|_| "Tina's .net has no units, so those of the net were not written.".to_owned());
    Ok(units.into_iter().collect())
}

fn label(name: &str, label: &str, out: &mut dyn Write) -> io::Result<()> {
    if label == name { Ok(()) } else { write!(out, " : {}", Quoted(label)) }
}

fn arcs(net: &Net, transition: TransitionId, out: &mut dyn Write) -> io::Result<()> {
    let name = |arc: &Arc| Quoted(net.nodes().place(arc.place));
    for arc in net.pre(transition) {
        write!(out, " {}{}", name(arc), NormalWeight(arc.weight))?;
    }
    for arc in net.inhibitors(transition) {
        write!(out, " {}?-{}", name(arc), arc.weight)?;
    }
    write!(out, " ->")?;
    for arc in net.post(transition) {
        write!(out, " {}{}", name(arc), NormalWeight(arc.weight))?;
    }
    writeln!(out)
}

/// The weight of a normal arc; 1 is not written.
struct NormalWeight(u64);

impl fmt::Display for NormalWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 1 { Ok(()) } else { write!(f, "*{}", self.0) }
    }
}

/// A name, in braces unless it is a plain word.
struct Quoted<'n>(&'n str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '\'' || letter == '_';
        if !self.0.is_empty() && self.0.chars().all(is_plain) && !KEYWORDS.contains(&self.0) {
            return f.write_str(self.0);
        }
        f.write_str("{")?;
        for letter in self.0.chars() {
            if matches!(letter, '{' | '}' | '\\') {
                f.write_str("\\")?;
            }
            write!(f, "{letter}")?;
        }
        f.write_str("}")
    }
}
