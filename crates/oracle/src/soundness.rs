//! Soundness of workflows by its definitions on the reachability graph.
//!
//! A marking that has more tokens than a final one refutes on a part of the graph; all else needs the complete graph. Test:
//! `tests/reference/named.rs`, on nets whose soundness is known.

use fireset_net::{
    Semantics, SoundnessNotion, StopReason, WorkflowEnds,
    reachability::{ReachabilityGraph, StateView},
};

use crate::decide::{Explored, OpenQuery, OracleAnswer};

pub(crate) struct OpenSoundness {
    notion: SoundnessNotion,
    ends: WorkflowEnds,
}

impl OpenSoundness {
    pub(crate) fn new(notion: SoundnessNotion, ends: &WorkflowEnds) -> Self {
        Self { notion, ends: ends.clone() }
    }

    fn is_final<S: Semantics>(&self, net: &S, state: &S::State) -> bool {
        let tokens = |p| net.tokens(state, p).total;
        self.ends.finals.iter().any(|end| self.ends.counted().all(|p| tokens(p) == u128::from(end.tokens(p))))
    }

    /// Whether a marking has the tokens of a final one, which is not empty, and others.
    fn has_rest<S: Semantics>(&self, net: &S, state: &S::State) -> bool {
        let covered = self.ends.finals.iter().any(|end| {
            let is_marked = self.ends.counted().any(|p| end.tokens(p) > 0);
            is_marked && self.ends.counted().all(|p| net.tokens(state, p).total >= u128::from(end.tokens(p)))
        });
        covered && !self.is_final(net, state)
    }

    /// For each marking whether a final one can be reached from it.
    fn completes<S: Semantics>(&self, explored: &Explored<'_, S>) -> Vec<bool> {
        let graph = explored.graph;
        let mut completes = vec![false; graph.states().len()];
        let ends = |at: &usize| self.is_final(graph.net(), &graph.states()[*at]);
        let mut open: Vec<usize> = (0..completes.len()).filter(ends).collect();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut completes[state], true) {
                open.extend(explored.reverse()[state].iter().map(|&before| before as usize));
            }
        }
        completes
    }
}

/// Whether each transition is on an edge whose target is one of these states.
fn each_leads_to<S: Semantics>(graph: &ReachabilityGraph<'_, S>, targets: &[bool]) -> bool {
    let mut found = vec![false; graph.net().as_ref().transitions.len()];
    for state in 0..graph.states().len() {
        for &edge in graph.edges(state) {
            found[graph.step(edge).transition.index()] |= targets[edge.target()];
        }
    }
    found.into_iter().all(|found| found)
}

impl<S: Semantics> OpenQuery<S> for OpenSoundness {
    fn visit(&mut self, view: &StateView<'_, S>) -> Option<OracleAnswer> {
        let is_proper = matches!(self.notion, SoundnessNotion::Sound | SoundnessNotion::WeakSound);
        let refutes = is_proper && self.has_rest(view.graph.net(), view.state());
        refutes.then(|| OracleAnswer::traced(false, view.graph.trace(view.at)))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        let graph = explored.graph;
        graph.complete()?;
        let completes = self.completes(explored);
        let is_weak = completes.iter().all(|&completes| completes);
        Ok(OracleAnswer::bare(match self.notion {
            SoundnessNotion::Sound => is_weak && each_leads_to(graph, &vec![true; completes.len()]),
            SoundnessNotion::WeakSound => is_weak,
            SoundnessNotion::RelaxedSound => each_leads_to(graph, &completes),
            SoundnessNotion::EasySound => completes[0],
        }))
    }
}
