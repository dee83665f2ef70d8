//! Writes a net of either kind as PNML. Reading the file gives the same net.

use std::{
    collections::HashSet,
    fmt,
    io::{self, Write},
};

use fireset_net::{
    Arc, Model, Net, Nodes, Nupn,
    coloured::{ColouredNet, Guard},
};

use super::{
    presentation::{KeptElement, Presentation},
    write_terms::{TermWriter, declarations},
};

/// Writes a net. The caller buffers `out` and flushes it.
pub fn write(model: &Model, out: &mut impl Write) -> io::Result<()> {
    write_with(model, &Presentation::default(), out)
}

/// Writes a net as another file presented it: each piece goes to the node or arc that it belonged to, if the net still has it.
pub fn write_with(model: &Model, presentation: &Presentation, out: &mut impl Write) -> io::Result<()> {
    let prefix = free_prefix(model.nodes());
    let taken: HashSet<&str> = presentation.ids().collect();
    let kind = match model {
        Model::Plain(_) => "ptnet",
        Model::Coloured(_) => "symmetricnet",
    };
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    let namespaces = &presentation.namespaces;
    writeln!(out, r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"{namespaces}>"#)?;
    let address = "http://www.pnml.org/version-2009/grammar";
    let id = match presentation.net_id.as_str() {
        "" => format!("{prefix}net"),
        id => id.to_owned(),
    };
    writeln!(out, r#"  <net id="{}" type="{address}/{kind}">"#, Escaped(&id))?;
    let Presentation { net, page, .. } = presentation;
    writeln!(out, "    <name><text>{}</text>{}</name>", Escaped(model.name()), net.label("name"))?;
    let style = WriteStyle { prefix: &prefix, presentation, taken: &taken };
    match model {
        Model::Plain(net) => plain(net, style, out)?,
        Model::Coloured(net) => coloured(net, style, out)?,
    }
    let has_place = |id: &str| model.nodes().places.find(id).is_some();
    for pieces in [&page.rest, "    </page>", &net.rest, &presentation.final_markings(has_place)] {
        if !pieces.is_empty() {
            writeln!(out, "{pieces}")?;
        }
    }
    writeln!(out, "  </net>\n</pnml>")
}

/// How elements are written.
#[derive(Clone, Copy)]
struct WriteStyle<'s> {
    /// The start of generated ids; no node's id begins with it.
    prefix: &'s str,
    presentation: &'s Presentation,
    /// The ids of the presentation.
    taken: &'s HashSet<&'s str>,
}

impl<'s> WriteStyle<'s> {
    /// An id that no other element has.
    fn id(self, name: impl fmt::Display) -> String {
        let mut id = format!("{}{name}", self.prefix);
        while self.taken.contains(id.as_str()) {
            id.push('_');
        }
        id
    }

    fn arc(self, (source, target): (&str, &str), inhibitor: bool) -> Option<&'s KeptElement> {
        // Most nets are written without a presentation.
        if self.presentation.arcs.is_empty() {
            return None;
        }
        self.presentation.arcs.get(&(source.to_owned(), target.to_owned(), inhibitor))
    }
}

/// The pieces inside of a label of an element.
fn pieces<'k>(element: Option<&'k KeptElement>, label: &str) -> &'k str {
    element.map_or("", |element| element.label(label))
}

/// The pieces inside of the first of these labels that has some: plain labels become those of coloured nets.
fn pieces_of_either<'k>(element: Option<&'k KeptElement>, labels: [&str; 2]) -> &'k str {
    match pieces(element, labels[0]) {
        "" => pieces(element, labels[1]),
        found => found,
    }
}

/// The pieces of an element outside of its labels.
fn rest(element: Option<&KeptElement>) -> &str {
    element.map_or("", |element| &element.rest)
}

/// A prefix for generated ids that no node's id has.
fn free_prefix(nodes: &Nodes) -> String {
    let underscores = |id: &str| id.len() - id.trim_start_matches('_').len();
    let most = nodes.places.iter().chain(nodes.transitions.iter()).map(underscores).max();
    "_".repeat(most.unwrap_or(0) + 1)
}

fn plain(net: &Net, style: WriteStyle<'_>, out: &mut impl Write) -> io::Result<()> {
    let (nodes, presentation) = (net.nodes(), style.presentation);
    writeln!(out, r#"    <page id="{}">"#, style.id("page"))?;
    for place in nodes.place_ids() {
        let kept = presentation.places.get(nodes.place(place));
        start("place", (nodes.place(place), nodes.places.label(place.index())), kept, out)?;
        match (net.initial_marking().tokens(place), pieces(kept, "initialMarking")) {
            (0, "") => {}
            (tokens, pieces) => {
                write!(out, "<initialMarking><text>{tokens}</text>{pieces}</initialMarking>")?;
            }
        }
        writeln!(out, "{}</place>", rest(kept))?;
    }
    for transition in nodes.transition_ids() {
        let id = nodes.transition(transition);
        let kept = presentation.transitions.get(id);
        start("transition", (id, nodes.transitions.label(transition.index())), kept, out)?;
        writeln!(out, "{}</transition>", rest(kept))?;
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
            let kept = style.arc(ends, inhibitor);
            arc_start((style, number), ends, (inhibitor, kept), out)?;
            match (weight, pieces(kept, "inscription")) {
                (1, "") => {}
                (weight, pieces) => write!(out, "<inscription><text>{weight}</text>{pieces}</inscription>")?,
            }
            writeln!(out, "{}</arc>", rest(kept))?;
            number += 1;
        }
    }
    match net.nupn() {
        Some(nupn) => units(net, nupn, out),
        None => Ok(()),
    }
}

fn coloured(net: &ColouredNet, style: WriteStyle<'_>, out: &mut impl Write) -> io::Result<()> {
    let (nodes, presentation) = (net.nodes(), style.presentation);
    let terms = TermWriter { net, prefix: style.prefix };
    declarations(&terms, out)?;
    writeln!(out, r#"    <page id="{}">"#, style.id("page"))?;
    for place in nodes.place_ids() {
        let kept = presentation.places.get(nodes.place(place));
        start("place", (nodes.place(place), nodes.places.label(place.index())), kept, out)?;
        let coloured = net.place(place);
        let sort = terms.sort(coloured.sort);
        write!(out, "<type>{}<structure>{sort}</structure></type>", pieces(kept, "type"))?;
        if !coloured.initial.is_empty() {
            write!(
                out,
                "<hlinitialMarking>{}<structure>",
                pieces_of_either(kept, ["hlinitialMarking", "initialMarking"])
            )?;
            terms.fixed(&coloured.initial, coloured.sort, out)?;
            write!(out, "</structure></hlinitialMarking>")?;
        }
        writeln!(out, "{}</place>", rest(kept))?;
    }
    for transition in nodes.transition_ids() {
        let id = nodes.transition(transition);
        let kept = presentation.transitions.get(id);
        start("transition", (id, nodes.transitions.label(transition.index())), kept, out)?;
        let guard = &net.transition(transition).guard;
        if *guard != Guard::Constant(true) {
            write!(out, "<condition>{}<structure>", pieces(kept, "condition"))?;
            terms.guard(guard, out)?;
            write!(out, "</structure></condition>")?;
        }
        writeln!(out, "{}</transition>", rest(kept))?;
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
            let kept = style.arc(ends, inhibitor);
            arc_start((style, number), ends, (inhibitor, kept), out)?;
            write!(
                out,
                "<hlinscription>{}<structure>",
                pieces_of_either(kept, ["hlinscription", "inscription"])
            )?;
            terms.bag(&arc.term, net.place(arc.place).sort, out)?;
            write!(out, "</structure></hlinscription>")?;
            writeln!(out, "{}</arc>", rest(kept))?;
            number += 1;
        }
    }
    Ok(())
}

/// Writes the start of a node's element, with its label.
fn start(
    element: &str,
    (id, label): (&str, &str),
    kept: Option<&KeptElement>,
    out: &mut impl Write,
) -> io::Result<()> {
    let (id, label, pieces) = (Escaped(id), Escaped(label), pieces(kept, "name"));
    write!(out, r#"      <{element} id="{id}"><name><text>{label}</text>{pieces}</name>"#)
}

fn arc_start(
    (style, number): (WriteStyle<'_>, usize),
    (source, target): (&str, &str),
    (inhibitor, kept): (bool, Option<&KeptElement>),
    out: &mut impl Write,
) -> io::Result<()> {
    let (source, target) = (Escaped(source), Escaped(target));
    let kind = if inhibitor { r#" type="inhibitor""# } else { "" };
    match kept.map(|kept| kept.id.as_str()).filter(|id| !id.is_empty()) {
        Some(id) => write!(out, r#"      <arc id="{}""#, Escaped(id))?,
        None => write!(out, r#"      <arc id="{}""#, style.id(format_args!("arc{number}")))?,
    }
    write!(out, r#" source="{source}" target="{target}"{kind}>"#)
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
