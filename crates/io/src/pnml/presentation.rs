//! How a file presents a net: positions, colours of shapes, offsets of labels, parts of tools. Kept only on request, as pieces
//! of XML, and written back beside the nodes and arcs that are still there.
//!
//! A piece is dropped if it needs what the written file does not have: a prefix of a namespace that only an element around it
//! declared, or an entity of a document type.

use std::collections::HashMap;

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::{
    bind::{Direction, ends},
    draft::NetDraft,
    symbols::Symbol,
    write::Escaped,
};

/// How much of a file is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// What the net means, and names.
    #[default]
    Meaning,
    /// Also how the file presents the net; it takes about as much memory as the file.
    Everything,
}

/// How a file presents a net.
#[derive(Clone, Debug, Default)]
pub struct Presentation {
    pub(super) net_id: String,
    /// Declarations of namespaces, as attributes.
    pub(super) namespaces: String,
    pub(super) net: KeptElement,
    pub(super) page: KeptElement,
    pub(super) places: HashMap<String, KeptElement>,
    pub(super) transitions: HashMap<String, KeptElement>,
    /// Arcs by the ids of their ends, and whether they inhibit.
    pub(super) arcs: HashMap<(String, String, bool), KeptElement>,
    /// Places by their ids, with tokens.
    pub(super) final_markings: Vec<Vec<(String, u64)>>,
}

/// An arc by the ids of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcEnds<'n> {
    /// The id of the node where it starts.
    pub from: &'n str,
    /// The id of the node where it ends.
    pub to: &'n str,
    /// Whether it is an inhibitor arc.
    pub inhibits: bool,
}

/// The pieces of an element.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptElement {
    /// Of arcs, whose ids the net does not have.
    pub(super) id: String,
    /// Pieces inside of labels, by the names of the labels.
    labels: Vec<(&'static str, String)>,
    /// Pieces outside of labels.
    pub(super) rest: String,
}

impl KeptElement {
    /// The positions of its graphics: that of a node, or the bends of an arc.
    fn positions(&self) -> Vec<[f64; 2]> {
        let mut reader = Reader::from_str(&self.rest);
        let (mut depth, mut in_graphics, mut positions) = (0usize, false, Vec::new());
        // Pieces were read before; whatever cannot be read again has no position.
        while let Ok(event) = reader.read_event() {
            let (element, opens) = match &event {
                Event::Start(element) => (element, true),
                Event::Empty(element) => (element, false),
                Event::End(_) => {
                    depth = depth.saturating_sub(1);
                    continue;
                }
                Event::Eof => break,
                _ => continue,
            };
            match (depth, element.local_name().as_ref()) {
                (0, name) => in_graphics = opens && name == "graphics",
                (1, "position") if in_graphics => positions.extend(coordinates(element)),
                _ => {}
            }
            depth += usize::from(opens);
        }
        positions
    }

    /// The pieces inside of a label.
    pub(super) fn label(&self, name: &str) -> &str {
        self.labels.iter().find(|(label, _)| *label == name).map_or("", |(_, pieces)| pieces)
    }

    fn add(&mut self, part: KeptPart, pieces: &str) {
        let label = match part {
            KeptPart::Nothing => return,
            KeptPart::Rest => return self.rest.push_str(pieces),
            KeptPart::Label(label) => label,
        };
        match self.labels.iter_mut().find(|(known, _)| *known == label) {
            Some((_, known)) => known.push_str(pieces),
            None => self.labels.push((label, pieces.to_owned())),
        }
    }
}

/// The attributes `x` and `y`, if both are numbers.
fn coordinates(position: &BytesStart<'_>) -> Option<[f64; 2]> {
    let attribute = |name: &str| {
        let value = position.try_get_attribute(name).ok()??.value;
        value.trim().parse().ok().filter(|number: &f64| number.is_finite())
    };
    Some([attribute("x")?, attribute("y")?])
}

/// Where pieces of an element belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeptPart {
    /// Inside of a label that is written again.
    Label(&'static str),
    /// Beside the labels.
    Rest,
    /// To a label that the net does not have.
    Nothing,
}

/// The labels that are written again.
const LABELS: [&str; 7] =
    ["name", "initialMarking", "hlinitialMarking", "type", "condition", "inscription", "hlinscription"];

/// Labels that the net does not have: they have become places or arcs, or say nothing.
const LOST_LABELS: [&str; 4] = ["capacity", "priority", "delay", "arctype"];

impl KeptPart {
    /// The part of a node or arc that an element in it is.
    pub(super) fn of(name: &str) -> Self {
        match LABELS.iter().find(|label| **label == name) {
            Some(label) => Self::Label(label),
            None if LOST_LABELS.contains(&name) => Self::Nothing,
            None => Self::Rest,
        }
    }
}

/// Pieces under collection, by positions in the draft.
#[derive(Debug, Default)]
pub(super) struct DraftPresentation {
    pub(super) namespaces: String,
    /// The element that is being read.
    current: KeptElement,
    /// A position in attributes, as TAPAAL writes it.
    position: [Option<f64>; 2],
    net: KeptElement,
    page: KeptElement,
    nodes: HashMap<Symbol, KeptElement>,
    arcs: Vec<(usize, KeptElement)>,
}

/// What has been read to its end.
#[derive(Clone, Copy, Debug)]
pub(super) enum KeptOwner {
    Net,
    Page,
    Node(Symbol),
    /// The number of the arc in the draft.
    Arc(usize),
}

impl DraftPresentation {
    /// With the namespaces of the file and of the net.
    pub(super) fn new(of_file: &str, of_net: &str) -> Self {
        let mut namespaces = of_file.to_owned();
        for declaration in of_net.split(" xmlns:").skip(1) {
            let prefix = declaration.split('=').next().unwrap_or_default();
            if !namespaces.contains(&format!(" xmlns:{prefix}=")) {
                namespaces.push_str(" xmlns:");
                namespaces.push_str(declaration);
            }
        }
        Self { namespaces, ..Self::default() }
    }

    /// Adds pieces of the current element.
    pub(super) fn add(&mut self, part: KeptPart, pieces: &str) {
        if is_independent(pieces, &self.namespaces) {
            self.current.add(part, pieces);
        }
    }

    /// Takes a coordinate in an attribute.
    pub(super) fn attribute(&mut self, name: &str, value: &str) {
        match name {
            "positionX" => self.position[0] = value.parse().ok(),
            "positionY" => self.position[1] = value.parse().ok(),
            _ => {}
        }
    }

    /// The current element ends.
    pub(super) fn end(&mut self, owner: KeptOwner, arc: &str) {
        let mut element = std::mem::take(&mut self.current);
        if let [Some(x), Some(y)] = std::mem::take(&mut self.position)
            && !element.rest.contains("<graphics")
        {
            element.rest.push_str(&format!(r#"<graphics><position x="{x}" y="{y}"/></graphics>"#));
        }
        match owner {
            KeptOwner::Net => join(&mut self.net, element),
            KeptOwner::Page => join(&mut self.page, element),
            KeptOwner::Node(id) => {
                self.nodes.insert(id, element);
            }
            KeptOwner::Arc(number) => {
                arc.clone_into(&mut element.id);
                self.arcs.push((number, element));
            }
        }
    }
}

fn join(whole: &mut KeptElement, part: KeptElement) {
    whole.rest.push_str(&part.rest);
    part.labels.iter().for_each(|(label, pieces)| whole.add(KeptPart::Label(label), pieces));
}

/// The presentation of a draft whose references are resolved.
pub(super) fn bind(draft: &mut NetDraft) -> Option<Presentation> {
    let kept = draft.kept.take()?;
    let DraftPresentation { namespaces, net, page, mut nodes, arcs, .. } = *kept;
    let net_id = draft.component.clone().unwrap_or_default();
    let mut bound = Presentation { net_id, namespaces, net, page, ..Presentation::default() };
    let id = |symbol: Symbol| draft.ids.get(symbol).to_owned();
    for place in &draft.places {
        bound.places.extend(nodes.remove(&place.id).map(|element| (id(place.id), element)));
    }
    for transition in &draft.transitions {
        bound.transitions.extend(nodes.remove(&transition.id).map(|element| (id(transition.id), element)));
    }
    for (number, element) in arcs {
        let arc = draft.arcs.get(number).map(|arc| ends(draft, arc));
        let Some(Ok((place, transition, direction))) = arc else { continue };
        let place = id(draft.places[place.index()].id);
        let transition = id(draft.transitions[transition.index()].id);
        let ends = match direction {
            Direction::Output => (transition, place, false),
            Direction::Input => (place, transition, false),
            Direction::Inhibitor => (place, transition, true),
        };
        // Parallel arcs become one.
        bound.arcs.entry(ends).or_insert(element);
    }
    for marking in &draft.final_markings {
        bound.final_markings.push(marking.iter().map(|&(place, tokens, _)| (id(place), tokens)).collect());
    }
    Some(bound)
}

/// Whether pieces need no declarations but these namespaces.
fn is_independent(pieces: &str, namespaces: &str) -> bool {
    let has_entities = pieces.split('&').skip(1).any(|rest| {
        let name = rest.split(';').next().unwrap_or("");
        !name.starts_with('#') && !["amp", "lt", "gt", "apos", "quot"].contains(&name)
    });
    let is_declared = |prefix: &str| {
        let declaration = format!("xmlns:{prefix}=");
        matches!(prefix, "xml" | "xmlns")
            || namespaces.contains(&declaration)
            || pieces.contains(&declaration)
    };
    // Whatever looks like a prefix is taken for one, also in values.
    let inner = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
    let tags = pieces.split('<').skip(1).filter_map(|piece| piece.split('>').next());
    let mut words = tags.flat_map(|tag| tag.split(|letter: char| letter.is_whitespace() || letter == '/'));
    let has_foreign = words.any(|word| match word.split_once(':') {
        Some((prefix, _)) => !prefix.is_empty() && prefix.chars().all(inner) && !is_declared(prefix),
        None => false,
    });
    !has_entities && !has_foreign
}

impl Presentation {
    /// The coordinates that the file gives a place, by its id; y grows downwards.
    pub fn place_position(&self, id: &str) -> Option<[f64; 2]> {
        self.places.get(id)?.positions().first().copied()
    }

    /// The coordinates that the file gives a transition, by its id.
    pub fn transition_position(&self, id: &str) -> Option<[f64; 2]> {
        self.transitions.get(id)?.positions().first().copied()
    }

    /// The points at which the file bends the arc between two nodes.
    pub fn bends(&self, arc: ArcEnds<'_>) -> Vec<[f64; 2]> {
        let ArcEnds { from, to, inhibits } = arc;
        let element = self.arcs.get(&(from.to_owned(), to.to_owned(), inhibits));
        element.map(KeptElement::positions).unwrap_or_default()
    }

    /// All ids that the presentation brings with it.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.arcs.values().map(|arc| arc.id.as_str()).chain([self.net_id.as_str()])
    }

    /// The final markings, if the net has all their places.
    pub(super) fn final_markings(&self, has_place: impl Fn(&str) -> bool) -> String {
        let is_whole = self.final_markings.iter().flatten().all(|(place, _)| has_place(place));
        if self.final_markings.is_empty() || !is_whole {
            return String::new();
        }
        let mut text = "<finalmarkings>".to_owned();
        for marking in &self.final_markings {
            text.push_str("<marking>");
            for (place, tokens) in marking {
                let place = Escaped(place);
                text.push_str(&format!(r#"<place idref="{place}"><text>{tokens}</text></place>"#));
            }
            text.push_str("</marking>");
        }
        text + "</finalmarkings>"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_the_graphics_of_the_element() {
        let positions = |rest: &str| KeptElement { rest: rest.into(), ..KeptElement::default() }.positions();
        let nested = "<toolspecific><graphics><position x='9' y='9'/></graphics></toolspecific>\
                      <pnml:graphics><pnml:position x=' 1.5' y='-2'/><dimension x='3' y='3'/></pnml:graphics>";
        assert_eq!(positions(nested), [[1.5, -2.0]]);
        let bends = "<graphics><line/><position x='1' y='2'></position><position x='3' y='4'/></graphics>";
        assert_eq!(positions(bends), [[1.0, 2.0], [3.0, 4.0]]);
        for none in
            ["", "<graphics/>", "<graphics><position x='a' y='1'/><position x='inf' y='1'/></graphics>"]
        {
            assert_eq!(positions(none), [[0.0; 2]; 0], "{none}");
        }
    }

    #[test]
    fn pieces_that_need_more_are_dropped() {
        for (pieces, namespaces, is_kept) in [
            ("<graphics><position x='1' y='2'/></graphics>", "", true),
            ("<toolspecific><w:a/></toolspecific>", "", false),
            ("<toolspecific><w:a/></toolspecific>", " xmlns:w=\"u\"", true),
            ("<toolspecific xmlns:w='u'><w:a></w:a></toolspecific>", "", true),
            ("<toolspecific xsi:type='a'/>", "", false),
            ("<a>&amp;&#10;</a>", "", true),
            ("<a>&own;</a>", "", false),
            ("<a b='12:30 o'/>", "", true),
        ] {
            assert_eq!(is_independent(pieces, namespaces), is_kept, "{pieces}");
        }
    }
}
