//! Workflows: nets with markings in which their runs should end.
//!
//! Source: van der Aalst, "The application of Petri nets to workflow management" (1998), for workflow nets: one source place, one sink
//! place, and every node on a path from the one to the other. A file that gives final markings needs no such form.

use std::{fmt, sync::Arc};

use fireset_io::net_file::NetFile;
use fireset_net::{
    Comparison, Expr, Marking, Model, Net, Nodes, PlaceId, StateAtom, StatePredicate, TransitionId,
};

use crate::named::NetCopy;

/// A place/transition net with the markings in which its runs should end.
#[derive(Clone, Debug)]
pub struct Workflow {
    /// A place/transition net in its initial marking.
    pub(super) model: Arc<Model>,
    /// The final markings, each with the tokens of all places.
    pub(super) finals: Vec<Marking>,
    /// Places whose tokens do not count at the end: messages that are never received.
    pub(super) ignored: Vec<PlaceId>,
}

/// Why a net is no workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotWorkflow(String);

impl fmt::Display for NotWorkflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotWorkflow {}

impl Workflow {
    /// The workflow of a file: its net and final markings; without final markings, a workflow net that ends with one token in its sink.
    /// A net without tokens starts with one in its source.
    ///
    /// # Errors
    /// The net is coloured, or has no final marking and is no workflow net.
    pub fn of(file: &NetFile) -> Result<Self, NotWorkflow> {
        let Model::Plain(net) = &file.model else {
            return Err(NotWorkflow(
                "a coloured net; unfold it with `fireset convert --unfold` to ask for its soundness".into(),
            ));
        };
        let places = net.nodes().places.len();
        let marking = |tokens: &[(PlaceId, u64)]| {
            let mut counts = vec![0; places];
            tokens.iter().for_each(|&(place, count)| counts[place.index()] = count);
            Marking(counts.into())
        };
        let mut finals: Vec<Marking> = file.final_markings.iter().map(|tokens| marking(tokens)).collect();
        let is_empty = net.initial_marking().0.iter().all(|&tokens| tokens == 0);
        let mut initial = net.initial_marking().clone();
        if finals.is_empty() || is_empty {
            let (source, sink) = source_and_sink(net)?;
            if finals.is_empty() {
                finals.push(marking(&[(sink, 1)]));
            }
            if is_empty {
                initial = marking(&[(source, 1)]);
            }
        }
        let model =
            if initial == *net.initial_marking() { file.model.clone() } else { started(net, &initial)? };
        Ok(Self { model: Arc::new(model), finals, ignored: file.messages.clone() })
    }

    pub(super) fn net(&self) -> &Net {
        match &*self.model {
            Model::Plain(net) => net,
            Model::Coloured(_) => unreachable!("a workflow has a place/transition net"),
        }
    }

    /// The net in its initial marking.
    pub fn model(&self) -> &Model {
        &self.model
    }

    fn counted(&self) -> impl Iterator<Item = PlaceId> {
        self.net().nodes().place_ids().filter(|place| !self.ignored.contains(place))
    }

    /// That a marking is final.
    pub(super) fn is_final(&self) -> StatePredicate {
        StatePredicate::Or(self.finals.iter().map(|end| self.compared(end, Comparison::Equal)).collect())
    }

    /// That a marking has at least the tokens of a final one. The empty marking is left out, since every marking has them.
    pub(super) fn covers_final(&self) -> StatePredicate {
        let marked = self.finals.iter().filter(|end| end.0.iter().any(|&tokens| tokens > 0));
        StatePredicate::Or(marked.map(|end| self.compared(end, Comparison::GreaterEqual)).collect())
    }

    fn compared(&self, end: &Marking, how: Comparison) -> StatePredicate {
        let place = |place: PlaceId| {
            let count = Expr::count(end.tokens(place).into());
            StateAtom::Compare(how, Expr::Tokens(vec![place]), count).into()
        };
        StatePredicate::And(self.counted().map(place).collect())
    }

    /// Whether some final marking has a token in a place.
    pub(super) fn is_marked_at_end(&self, place: PlaceId) -> bool {
        self.finals.iter().any(|end| end.tokens(place) > 0)
    }
}

/// A net that starts with other tokens, with the same names.
fn started(net: &Net, marking: &Marking) -> Result<Model, NotWorkflow> {
    let fault = |error: fireset_net::BuildError| NotWorkflow(error.to_string());
    let mut copy = NetCopy::of(net, marking).map_err(fault)?;
    *copy.builder.nodes_mut() = net.nodes().clone();
    Ok(Model::Plain(copy.builder.build().map_err(fault)?))
}

/// The only source place and the only sink place of a workflow net.
fn source_and_sink(net: &Net) -> Result<(PlaceId, PlaceId), NotWorkflow> {
    let nodes = net.nodes();
    let (mut has_input, mut has_output) = (vec![false; nodes.places.len()], vec![false; nodes.places.len()]);
    for t in nodes.transition_ids() {
        net.post(t).iter().for_each(|arc| has_input[arc.place.index()] = true);
        net.pre(t).iter().for_each(|arc| has_output[arc.place.index()] = true);
    }
    let only = |what: &str, has: &[bool]| {
        let ends: Vec<PlaceId> = nodes.place_ids().filter(|place| !has[place.index()]).collect();
        match ends[..] {
            [end] => Ok(end),
            [] => Err(no_workflow(&format!("it has no {what} place"))),
            [a, b, ..] => {
                let (a, b) = (nodes.place(a), nodes.place(b));
                Err(no_workflow(&format!("it has {} {what} places, such as `{a}` and `{b}`", ends.len())))
            }
        }
    };
    let (source, sink) = (only("source", &has_input)?, only("sink", &has_output)?);
    match off_the_path(net, source, sink) {
        Some(node) => Err(no_workflow(&format!("`{node}` is on no path from its source to its sink"))),
        None => Ok((source, sink)),
    }
}

fn no_workflow(reason: &str) -> NotWorkflow {
    NotWorkflow(format!("no workflow net, and without a final marking: {reason}"))
}

/// A node that is on no path from one place to another.
fn off_the_path(net: &Net, source: PlaceId, sink: PlaceId) -> Option<&str> {
    let nodes = net.nodes();
    let pre = |t: TransitionId| net.pre(t).iter().map(|arc| arc.place.index());
    let post = |t: TransitionId| net.post(t).iter().map(|arc| arc.place.index());
    let forward = closed(nodes, &[source], |t, seen| pre(t).any(|p| seen[p]), |t| post(t).collect());
    let backward = closed(nodes, &[sink], |t, seen| post(t).any(|p| seen[p]), |t| pre(t).collect());
    let mut ts = nodes.transition_ids().filter(|t| !forward.1[t.index()] || !backward.1[t.index()]);
    let mut places = nodes.place_ids().filter(|p| !forward.0[p.index()] || !backward.0[p.index()]);
    ts.next().map(|t| nodes.transition(t)).or_else(|| places.next().map(|p| nodes.place(p)))
}

/// The transitions to which arcs lead from a marked place.
pub(super) fn ahead(net: &Net, marking: &Marking) -> Vec<bool> {
    let marked: Vec<PlaceId> = net.nodes().place_ids().filter(|&place| marking.tokens(place) > 0).collect();
    let is_met = |t: TransitionId, seen: &[bool]| net.pre(t).iter().any(|arc| seen[arc.place.index()]);
    closed(net.nodes(), &marked, is_met, |t| net.post(t).iter().map(|arc| arc.place.index()).collect()).1
}

/// The places and transitions that some places lead to: a transition that is `met`, and the places that are `next` to it.
fn closed(
    nodes: &Nodes,
    start: &[PlaceId],
    met: impl Fn(TransitionId, &[bool]) -> bool,
    next: impl Fn(TransitionId) -> Vec<usize>,
) -> (Vec<bool>, Vec<bool>) {
    let (mut places, mut transitions) =
        (vec![false; nodes.places.len()], vec![false; nodes.transitions.len()]);
    start.iter().for_each(|place| places[place.index()] = true);
    loop {
        let mut grows = false;
        for t in nodes.transition_ids() {
            if !transitions[t.index()] && met(t, &places) {
                transitions[t.index()] = true;
                grows = true;
                next(t).into_iter().for_each(|place| places[place] = true);
            }
        }
        if !grows {
            return (places, transitions);
        }
    }
}
