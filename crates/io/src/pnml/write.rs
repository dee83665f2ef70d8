//! Writes a net of either kind as PNML. Reading the file gives the same net.

use std::{
    fmt,
    io::{self, Write},
};

use fireset_net::{
    Arc, Model, Net, Nodes, Nupn,
    coloured::{BagTerm, ColouredNet, Guard},
};

use super::write_terms::{TermWriter, declarations};

/// Writes a net. The caller buffers `out` and flushes it.
pub fn write(model: &Model, out: &mut impl Write) -> io::Result<()> {
    let prefix = free_prefix(model.nodes());
    let kind = match model {
        Model::Plain(_) => "ptnet",
        Model::Coloured(_) => "symmetricnet",
    };
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">"#)?;
    let address = "http://www.pnml.org/version-2009/grammar";
    writeln!(out, r#"  <net id="{prefix}net" type="{address}/{kind}">"#)?;
    writeln!(out, "    <name><text>{}</text></name>", Escaped(model.name()))?;
    match model {
        Model::Plain(net) => plain(net, &prefix, out)?,
        Model::Coloured(net) => coloured(net, &prefix, out)?,
    }
    writeln!(out, "  </net>\n</pnml>")
}

/// A prefix for generated ids that no node's id has.
fn free_prefix(nodes: &Nodes) -> String {
    let underscores = |id: &str| id.len() - id.trim_start_matches('_').len();
    let most = nodes.places.iter().chain(nodes.transitions.iter()).map(underscores).max();
    "_".repeat(most.unwrap_or(0) + 1)
}

fn plain(net: &Net, prefix: &str, out: &mut impl Write) -> io::Result<()> {
    let nodes = net.nodes();
    writeln!(out, r#"    <page id="{prefix}page">"#)?;
    for place in nodes.place_ids() {
        start("place", nodes.place(place), nodes.places.label(place.index()), out)?;
        match net.initial_marking().tokens(place) {
            0 => {}
            tokens => write!(out, "<initialMarking><text>{tokens}</text></initialMarking>")?,
        }
        writeln!(out, "</place>")?;
    }
    for transition in nodes.transition_ids() {
        start("transition", nodes.transition(transition), nodes.transitions.label(transition.index()), out)?;
        writeln!(out, "</transition>")?;
    }
    let mut number = 0;
    for transition in nodes.transition_ids() {
        let name = nodes.transition(transition);
        let inputs = net.pre(transition).iter().map(|arc| (arc, true, false));
        let inhibitors = net.inhibitors(transition).iter().map(|arc| (arc, true, true));
        let outputs = net.post(transition).iter().map(|arc| (arc, false, false));
        for (&Arc { place, weight }, input, inhibitor) in inputs.chain(inhibitors).chain(outputs) {
            let place = nodes.place(place);
            let ends = if input { (place, name) } else { (name, place) };
            arc_start((prefix, number), ends, inhibitor, out)?;
            if weight != 1 {
                write!(out, "<inscription><text>{weight}</text></inscription>")?;
            }
            writeln!(out, "</arc>")?;
            number += 1;
        }
    }
    if let Some(nupn) = net.nupn() {
        units(net, nupn, out)?;
    }
    writeln!(out, "    </page>")
}

fn coloured(net: &ColouredNet, prefix: &str, out: &mut impl Write) -> io::Result<()> {
    let nodes = net.nodes();
    let terms = TermWriter { net, prefix };
    declarations(&terms, out)?;
    writeln!(out, r#"    <page id="{prefix}page">"#)?;
    for place in nodes.place_ids() {
        start("place", nodes.place(place), nodes.places.label(place.index()), out)?;
        let coloured = net.place(place);
        write!(out, "<type><structure>{}</structure></type>", terms.sort(coloured.sort))?;
        if !coloured.initial.is_empty() {
            write!(out, "<hlinitialMarking><structure>")?;
            terms.fixed(&coloured.initial, coloured.sort, out)?;
            write!(out, "</structure></hlinitialMarking>")?;
        }
        writeln!(out, "</place>")?;
    }
    for transition in nodes.transition_ids() {
        start("transition", nodes.transition(transition), nodes.transitions.label(transition.index()), out)?;
        let guard = &net.transition(transition).guard;
        if *guard != Guard::Constant(true) {
            write!(out, "<condition><structure>")?;
            terms.guard(guard, out)?;
            write!(out, "</structure></condition>")?;
        }
        writeln!(out, "</transition>")?;
    }
    let mut number = 0;
    for transition in nodes.transition_ids() {
        let (name, of) = (nodes.transition(transition), net.transition(transition));
        let inputs = of.pre.iter().map(|arc| (arc, true, false));
        let inhibitors = of.inhibitors.iter().map(|arc| (arc, true, true));
        let outputs = of.post.iter().map(|arc| (arc, false, false));
        for (arc, input, inhibitor) in inputs.chain(inhibitors).chain(outputs) {
            let place = nodes.place(arc.place);
            let ends = if input { (place, name) } else { (name, place) };
            arc_start((prefix, number), ends, inhibitor, out)?;
            inscription(&terms, &arc.term, net.place(arc.place).sort, out)?;
            writeln!(out, "</arc>")?;
            number += 1;
        }
    }
    writeln!(out, "    </page>")
}

fn inscription(
    terms: &TermWriter,
    term: &BagTerm,
    sort: fireset_net::SortId,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "<hlinscription><structure>")?;
    terms.bag(term, sort, out)?;
    write!(out, "</structure></hlinscription>")
}

/// Writes the start of a node's element, with its label.
fn start(element: &str, id: &str, label: &str, out: &mut impl Write) -> io::Result<()> {
    let (id, label) = (Escaped(id), Escaped(label));
    write!(out, r#"      <{element} id="{id}"><name><text>{label}</text></name>"#)
}

fn arc_start(
    (prefix, number): (&str, usize),
    (source, target): (&str, &str),
    inhibitor: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let (source, target) = (Escaped(source), Escaped(target));
    let kind = if inhibitor { r#" type="inhibitor""# } else { "" };
    write!(out, r#"      <arc id="{prefix}arc{number}" source="{source}" target="{target}"{kind}>"#)
}

fn units(net: &Net, nupn: &Nupn, out: &mut impl Write) -> io::Result<()> {
    let nodes = net.nodes();
    let (places, transitions, arcs) = (nodes.places.len(), nodes.transitions.len(), net.arc_count());
    let (count, root) = (nupn.units.len(), Escaped(&nupn.units[nupn.root.index()].name));
    writeln!(out, r#"      <toolspecific tool="nupn" version="1.1">"#)?;
    writeln!(out, r#"        <size places="{places}" transitions="{transitions}" arcs="{arcs}"/>"#)?;
    writeln!(out, r#"        <structure units="{count}" root="{root}" safe="{}">"#, nupn.unit_safe)?;
    for unit in &nupn.units {
        let places: Vec<_> = unit.places.iter().map(|&place| nodes.place(place)).collect();
        let below: Vec<_> = unit.subunits.iter().map(|&below| &*nupn.units[below.index()].name).collect();
        let (name, places, below) = (Escaped(&unit.name), places.join(" "), below.join(" "));
        let (places, below) = (Escaped(&places), Escaped(&below));
        writeln!(
            out,
            r#"          <unit id="{name}"><places>{places}</places><subunits>{below}</subunits></unit>"#
        )?;
    }
    writeln!(out, "        </structure>\n      </toolspecific>")
}

/// A string as XML text or attribute value. White space at its ends and line breaks are written as references, since readers
/// trim and normalise plain white space.
pub(super) struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = self.0.trim();
        let start = self.0.len() - self.0.trim_start().len();
        let inside = start..start + inner.len();
        for (at, char) in self.0.char_indices() {
            match char {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                // XML cannot represent a zero byte.
                '\0' => f.write_str("\u{FFFD}")?,
                char if char.is_control() || !inside.contains(&at) => {
                    write!(f, "&#x{:X};", u32::from(char))?;
                }
                char => write!(f, "{char}")?,
            }
        }
        Ok(())
    }
}
