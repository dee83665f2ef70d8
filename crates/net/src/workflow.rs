//! Workflows: nets whose runs should end, and what it means that they do.
//!
//! Sources: van der Aalst, "The application of Petri nets to workflow management" (1998), for workflow nets; van der Aalst, van Hee,
//! ter Hofstede, Sidorova, Verbeek, Voorhoeve, Wynn, "Soundness of workflow nets: classification, decidability, and analysis" (2011),
//! for the notions of soundness. The definitions there are for one token in the source at first and one in the sink at last; here both
//! markings are given, and there may be several final ones.
//!
//! | notion | definition |
//! |---|---|
//! | option to complete | from every reachable marking a final one can be reached |
//! | proper completion | a reachable marking with at least the tokens of a final one is final |
//! | no dead activity | every transition can fire at some time |
//! | sound (classical) | all three |
//! | weak-sound | the first two |
//! | relaxed-sound | every transition is on some run to a final marking |
//! | easy-sound | a final marking can be reached |
//!
//! The empty final marking, with which a BPMN process ends, is never exceeded: there proper completion is a part of the option to complete.

use std::fmt;

use crate::{Comparison, Expr, Formula, Logic, Marking, Net, PlaceId, Query, StateAtom, StatePredicate};

/// What a workflow must do; the table of this module defines each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum SoundnessNotion {
    Sound,
    WeakSound,
    RelaxedSound,
    EasySound,
}

impl SoundnessNotion {
    /// All notions, classical soundness first.
    pub const ALL: [Self; 4] = [Self::Sound, Self::WeakSound, Self::RelaxedSound, Self::EasySound];

    /// Its name in the literature.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sound => "sound",
            Self::WeakSound => "weak-sound",
            Self::RelaxedSound => "relaxed-sound",
            Self::EasySound => "easy-sound",
        }
    }
}

/// Why a net is no workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotWorkflow(pub String);

impl fmt::Display for NotWorkflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotWorkflow {}

/// The markings in which the runs of a net should end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WorkflowEnds {
    /// The final markings, at least one, each with the tokens of all places.
    pub finals: Vec<Marking>,
    /// Places whose tokens do not count at the end: messages that are never received.
    pub ignored: Vec<PlaceId>,
}

impl WorkflowEnds {
    /// The places whose tokens count at the end.
    pub fn counted(&self) -> impl Iterator<Item = PlaceId> {
        let places = self.finals.first().map_or(0, |end| end.0.len());
        (0..places).map(PlaceId::new).filter(|place| !self.ignored.contains(place))
    }

    fn is_empty(&self, end: &Marking) -> bool {
        self.counted().all(|place| end.tokens(place) == 0)
    }

    /// Whether some final marking has no token that counts, so that every marking has at least its tokens.
    pub fn may_be_empty(&self) -> bool {
        self.finals.iter().any(|end| self.is_empty(end))
    }

    /// Whether some final marking has a token in a place.
    pub fn is_marked(&self, place: PlaceId) -> bool {
        self.finals.iter().any(|end| end.tokens(place) > 0)
    }

    /// That a marking is final.
    pub fn is_final(&self) -> StatePredicate {
        StatePredicate::Or(self.finals.iter().map(|end| self.compared(end, Comparison::Equal)).collect())
    }

    /// That a marking has at least the tokens of a final one that is not empty.
    fn covers_final(&self) -> StatePredicate {
        let marked = self.finals.iter().filter(|end| !self.is_empty(end));
        StatePredicate::Or(marked.map(|end| self.compared(end, Comparison::GreaterEqual)).collect())
    }

    fn compared(&self, end: &Marking, how: Comparison) -> StatePredicate {
        let place = |place: PlaceId| {
            let count = Expr::count(end.tokens(place).into());
            StateAtom::Compare(how, Expr::Tokens(vec![place]), count).into()
        };
        StatePredicate::And(self.counted().map(place).collect())
    }

    /// Whether a final marking can be reached from every reachable one.
    pub fn option_to_complete(&self) -> Query {
        let always = Formula::from(&self.is_final()).possible().invariant();
        Query::classify(&always, Logic::Ctl).expect("a formula of CTL")
    }

    /// Whether every reachable marking with at least the tokens of a final one is final.
    pub fn proper_completion(&self) -> Query {
        Query::Invariant(StatePredicate::Or(vec![self.covers_final().negate(), self.is_final()]))
    }
}

/// The ends of a workflow net: one source place, one sink place, and every node on a path from the one to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkflowNet {
    /// The only place without incoming arcs.
    pub source: PlaceId,
    /// The only place without outgoing arcs.
    pub sink: PlaceId,
}

impl WorkflowNet {
    /// The ends of a net.
    ///
    /// # Errors
    /// The net is no workflow net, and why.
    pub fn of(net: &Net) -> Result<Self, NotWorkflow> {
        let nodes = net.nodes();
        let places = nodes.places.len();
        let (mut has_input, mut has_output) = (vec![false; places], vec![false; places]);
        for t in nodes.transition_ids() {
            net.post(t).iter().for_each(|arc| has_input[arc.place.index()] = true);
            net.pre(t).iter().for_each(|arc| has_output[arc.place.index()] = true);
        }
        let only = |what: &str, has: &[bool]| {
            let ends: Vec<PlaceId> = nodes.place_ids().filter(|place| !has[place.index()]).collect();
            match ends[..] {
                [end] => Ok(end),
                [] => Err(no_workflow_net(&format!("it has no {what} place"))),
                [a, b, ..] => {
                    let (a, b) = (nodes.place(a), nodes.place(b));
                    let count = ends.len();
                    Err(no_workflow_net(&format!("it has {count} {what} places, such as `{a}` and `{b}`")))
                }
            }
        };
        let found = Self { source: only("source", &has_input)?, sink: only("sink", &has_output)? };
        match found.off_the_path(net) {
            Some(node) => {
                Err(no_workflow_net(&format!("`{node}` is on no path from its source to its sink")))
            }
            None => Ok(found),
        }
    }

    /// A node that is on no path from the source to the sink.
    fn off_the_path(self, net: &Net) -> Option<&str> {
        let nodes = net.nodes();
        let places = nodes.places.len();
        let count = places + nodes.transitions.len();
        let (mut forward, mut backward) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for t in nodes.transition_ids() {
            let own = places + t.index();
            let inputs = net.pre(t).iter().map(|arc| (arc.place.index(), own));
            let outputs = net.post(t).iter().map(|arc| (own, arc.place.index()));
            for (from, to) in inputs.chain(outputs) {
                forward[from].push(to);
                backward[to].push(from);
            }
        }
        let ahead = reached(&forward, self.source.index());
        let behind = reached(&backward, self.sink.index());
        let is_off = |&node: &usize| !ahead[node] || !behind[node];
        let off = (places..count).find(is_off).or_else(|| (0..places).find(is_off))?;
        Some(match off.checked_sub(places) {
            Some(t) => nodes.transitions.get(t),
            None => nodes.places.get(off),
        })
    }
}

fn no_workflow_net(reason: &str) -> NotWorkflow {
    NotWorkflow(format!("no workflow net, and without a final marking: {reason}"))
}

/// The nodes of a graph to which a path leads from one.
fn reached(successors: &[Vec<usize>], start: usize) -> Vec<bool> {
    let mut seen = vec![false; successors.len()];
    let mut open = vec![start];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(&successors[node]);
        }
    }
    seen
}
