//! Nets as diagrams: places with their tokens, transitions with their guards, arcs with weights or inscriptions.

use fireset_io::marking_text::{PrintableChanges, PrintableMarkings};
use fireset_net::{
    Arc, Marking, Model, Net, NodeTitle, PlaceId, Semantics, TransitionId,
    coloured::{BagTerm, ColouredArc, ColouredMarking, ColouredNet, SortKind},
};

use crate::{
    diagram::{ArcHead, Diagram, DiagramArc, DiagramNode, DrawnTokens, NodeShape},
    terms::TermPrinter,
    text,
};

/// Lines of names have at most this many characters.
const LINE: usize = 18;
/// Inscriptions, guards and tokens with colours are cut after this many characters.
const LONGEST: usize = 40;

/// A net whose markings can be drawn.
pub(crate) trait DrawnMarkings: PrintableChanges {
    /// The tokens of a place as they are drawn.
    fn drawn_tokens(&self, state: &Self::State, place: PlaceId) -> DrawnTokens;
}

impl DrawnMarkings for Net {
    fn drawn_tokens(&self, state: &Marking, place: PlaceId) -> DrawnTokens {
        DrawnTokens::Count(state.tokens(place))
    }
}

impl DrawnMarkings for ColouredNet {
    fn drawn_tokens(&self, state: &ColouredMarking, place: PlaceId) -> DrawnTokens {
        let bag = &state.0[place.index()];
        let count = u64::try_from(bag.total()).unwrap_or(u64::MAX);
        if matches!(self.sorts()[self.place(place).sort].kind, SortKind::Dot) {
            return DrawnTokens::Count(count);
        }
        let text = self.text(state, place).unwrap_or_default();
        // The text has the name of the place before its colours.
        let colours = text.rfind('{').map_or("", |at| &text[at..]);
        DrawnTokens::Colours { count, text: text::cut(colours, LONGEST) }
    }
}

/// The diagram of a net in its initial marking. Its places come first, then its transitions.
pub fn net_diagram(model: &Model) -> Diagram {
    match model {
        Model::Plain(net) => place_transition_diagram(net),
        Model::Coloured(net) => coloured(net),
    }
}

/// The drawing of a net without colours.
pub fn place_transition_diagram(net: &Net) -> Diagram {
    let nodes = net.nodes();
    let places = nodes.place_ids().map(|p| {
        place(p, nodes.place_title(p), DrawnTokens::Count(net.initial_marking().tokens(p)), Vec::new())
    });
    let transitions = nodes.transition_ids().map(|t| transition(t, nodes.transition_title(t), ""));
    let mut arcs = ArcList { places: nodes.places.len(), arcs: Vec::new() };
    let label = |arc: &Arc| if arc.weight == 1 { String::new() } else { arc.weight.to_string() };
    for t in nodes.transition_ids() {
        let labelled = |arcs: &[Arc]| arcs.iter().map(|arc| (arc.place, label(arc))).collect::<Vec<_>>();
        arcs.add(t, labelled(net.pre(t)), labelled(net.post(t)), labelled(net.inhibitors(t)));
    }
    Diagram {
        title: net.name.clone(),
        caption: String::new(),
        nodes: places.chain(transitions).collect(),
        arcs: arcs.arcs,
    }
}

fn coloured(net: &ColouredNet) -> Diagram {
    let (nodes, initial, printer) = (net.nodes(), net.initial(), TermPrinter { net });
    let places = nodes.place_ids().map(|p| {
        let sort = text::cut(&net.sorts()[net.place(p).sort].name, LONGEST);
        place(p, nodes.place_title(p), net.drawn_tokens(&initial, p), vec![sort])
    });
    let transitions = nodes.transition_ids().map(|t| {
        let guard = printer.guard(&net.transition(t).guard);
        transition(t, nodes.transition_title(t), &guard)
    });
    let mut arcs = ArcList { places: nodes.places.len(), arcs: Vec::new() };
    let label = |place: PlaceId, term: &BagTerm| {
        text::cut(&printer.inscription(term, net.place(place).sort), LONGEST)
    };
    for t in nodes.transition_ids() {
        let labelled = |arcs: &[ColouredArc]| {
            arcs.iter().map(|arc| (arc.place, label(arc.place, &arc.term))).collect::<Vec<_>>()
        };
        let all = net.transition(t);
        arcs.add(t, labelled(&all.pre), labelled(&all.post), labelled(&all.inhibitors));
    }
    Diagram {
        title: net.name.clone(),
        caption: String::new(),
        nodes: places.chain(transitions).collect(),
        arcs: arcs.arcs,
    }
}

fn place(p: PlaceId, title: NodeTitle<'_>, tokens: DrawnTokens, more: Vec<String>) -> DiagramNode {
    let mut lines = text::lines(&title.drawn(), LINE);
    lines.extend(more);
    let (id, shape) = (format!("p{}", p.index()), NodeShape::Place);
    let is_start = tokens.count() > 0;
    DiagramNode { id, shape, tokens, lines, highlighted: false, is_start, position: None }
}

fn transition(t: TransitionId, title: NodeTitle<'_>, guard: &str) -> DiagramNode {
    let mut lines = text::lines(&title.drawn(), LINE);
    if !guard.is_empty() {
        lines.push(format!("[{}]", text::cut(guard, LONGEST)));
    }
    let (id, shape) = (format!("t{}", t.index()), NodeShape::Transition);
    DiagramNode {
        id,
        shape,
        tokens: DrawnTokens::Count(0),
        lines,
        highlighted: false,
        is_start: false,
        position: None,
    }
}

/// Arcs between places and the transitions, whose numbers come after those of the places.
struct ArcList {
    places: usize,
    arcs: Vec<DiagramArc>,
}

type LabelledPlace = (PlaceId, String);

impl ArcList {
    /// Adds the arcs of a transition. What it takes and gives back alike is one arc with two heads.
    fn add(
        &mut self,
        t: TransitionId,
        pre: Vec<LabelledPlace>,
        mut post: Vec<LabelledPlace>,
        inhibitors: Vec<LabelledPlace>,
    ) {
        let transition = self.places + t.index();
        let mut add = |from, to, label, head| {
            self.arcs.push(DiagramArc { from, to, label, head, bends: Vec::new(), highlighted: false });
        };
        for (place, label) in pre {
            let back = post.iter().position(|(other, given)| (*other, given) == (place, &label));
            let head = match back {
                Some(at) => {
                    post.remove(at);
                    ArcHead::Both
                }
                None => ArcHead::Arrow,
            };
            add(place.index(), transition, label, head);
        }
        for (place, label) in inhibitors {
            add(place.index(), transition, label, ArcHead::Circle);
        }
        for (place, label) in post {
            add(transition, place.index(), label, ArcHead::Arrow);
        }
    }
}
