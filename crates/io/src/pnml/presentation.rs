//! How a file presents a net: positions, colours of shapes, offsets of labels, parts of tools. Kept only on request, as pieces
//! of XML, and written back beside the nodes and arcs that are still there.
//!
//! A piece is dropped if it needs what the written file does not have: a prefix of a namespace that only an element around it
//! declared, or an entity of a document type.

use std::collections::HashMap;

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
