//! Outcomes of the reduced net brought back.
//!
//! Verdicts stay. Runs come back by expanding the sequence that each transition stands for, with moves between places that
//! were fused (`token_moves`). What else they need depends on the query: a run to a deadlock goes on while something is enabled
//! (pre-agglomeration leaves out the last preparations); a cycle must be one in the larger net too, where a place that
//! the smaller one does not have may grow; a run that ends in the smaller net goes on, unseen, as long as it can. Where
//! that fails the evidence is dropped. Runs for CTL formulas are tried by the replay, since only it knows what they show.
//! Test: `tests/rules.rs` replays everything that comes back, and counts what is dropped.

use std::{collections::HashSet, sync::Arc};

use fireset_net::{
    Branch, Branching, Claim, Evidence, Formula, Lasso, Marking, Model, Net, Outcome, Query, Semantics,
    StateAtom, StatePredicate, Step, Technique, Trace, Verdict, replay,
};

use super::{
    firing_sequences::{FiringSequences, SequenceId},
    token_moves::{TokenMove, repair},
};
use crate::{Lift, lasso_extension::extend_to_lasso};

/// Firings of a run that is expanded, at most.
const MAX_STEPS: u64 = 1_000_000;
/// Token counts in the markings of a run that is replayed here, at most.
const MAX_COUNTS: u64 = 50_000_000;

/// Rounds after which a cycle is not expected to close any more.
const MAX_ROUNDS: u64 = 64;

/// Maps runs of a reduced net back: the firing sequences that its transitions stand for.
#[derive(Clone, Debug)]
pub(super) struct BackMapping {
    pub(super) sequences: FiringSequences,
    /// Fired before the initial marking of the reduced net.
    pub(super) initial_sequences: Vec<SequenceId>,
    /// For each transition of the reduced net.
    pub(super) sequence_of: Vec<SequenceId>,
    /// Moves between places that were fused.
    pub(super) token_moves: Vec<TokenMove>,
}

impl BackMapping {
    /// The firings of several sequences in a row; `None` when they are more than `most`.
    fn expand(&self, sequences: impl Iterator<Item = SequenceId> + Clone, most: u64) -> Option<Vec<Step>> {
        let length =
            sequences.clone().fold(0u64, |sum, sequence| sum.saturating_add(self.sequences.length(sequence)));
        if length > most {
            return None;
        }
        let mut run = Vec::new();
        sequences.for_each(|sequence| self.sequences.expand(sequence, &mut run));
        Some(run)
    }

    fn sequences<'a>(&'a self, steps: &'a [Step]) -> impl Iterator<Item = SequenceId> + Clone + 'a {
        steps.iter().map(|step| self.sequence_of[step.transition.index()])
    }

    /// A run from the initial marking.
    fn run(&self, net: &Net, steps: &[Step], most: u64) -> Option<Vec<Step>> {
        let run = self.expand(self.initial_sequences.iter().copied().chain(self.sequences(steps)), most)?;
        self.repaired(net, net.initial(), run, most)
    }

    /// A run from a marking, with moves between places that were fused.
    fn repaired(&self, net: &Net, from: Marking, run: Vec<Step>, most: u64) -> Option<Vec<Step>> {
        if self.token_moves.is_empty() {
            return Some(run);
        }
        repair(net, (&self.sequences, &self.token_moves), from, run, most as usize)
    }

    /// Runs that branch; their states get other numbers.
    fn branching(&self, runs: Branching, most: u64) -> Option<Branching> {
        let first = self.expand(self.initial_sequences.iter().copied(), most)?;
        let mut left = most - first.len() as u64;
        let mut number = vec![first.len()];
        let mut total = first.len();
        let initial_sequences = (total > 0).then_some(Branch { from: 0, steps: first });
        let mut spelled: Vec<Branch> = initial_sequences.into_iter().collect();
        for run in runs.runs {
            let mut steps = Vec::new();
            for step in &run.steps {
                let more = self.expand(self.sequences(std::slice::from_ref(step)), left)?;
                left -= more.len() as u64;
                total += more.len();
                steps.extend(more);
                number.push(total);
            }
            spelled.push(Branch { from: *number.get(run.from)?, steps });
        }
        let claims = runs.claims.into_iter();
        let claims = claims.map(|claim| Some(Claim { state: *number.get(claim.state)?, ..claim }));
        Some(Branching { runs: spelled, claims: claims.collect::<Option<_>>()? })
    }
}

/// Brings outcomes on the reduced net back to the larger one.
pub(super) struct ReductionLift {
    pub(super) model: Arc<Model>,
    /// The queries as they were, and about the reduced net.
    pub(super) queries: Vec<(Query, Query)>,
    pub(super) back_mapping: BackMapping,
}

impl Lift for ReductionLift {
    fn lift(&mut self, at: usize, mut outcome: Outcome) -> Option<Outcome> {
        let (query, smaller) = &self.queries[at];
        if matches!(outcome.verdict, Verdict::Unknown(_)) || shown_by_nothing(query, &outcome) {
            return Some(outcome);
        }
        outcome.evidence = match (&*self.model, outcome.evidence) {
            (Model::Plain(net), Some(evidence)) => {
                let evidence = self.evidence(net, (query, smaller), evidence);
                let shows = |e: &Evidence| replay::confirm(&self.model, query, &outcome.verdict, e).is_ok();
                evidence.filter(|e| !matches!(query, Query::Ctl(_)) || shows(e))
            }
            _ => None,
        };
        outcome.techniques.push(Technique::StructuralReduction);
        Some(outcome)
    }
}

impl ReductionLift {
    fn evidence(
        &self,
        net: &Net,
        (query, smaller): (&Query, &Query),
        evidence: Evidence,
    ) -> Option<Evidence> {
        let most = MAX_STEPS.min(MAX_COUNTS / net.nodes().places.len().max(1) as u64);
        match (query, evidence) {
            // It is about the places of the smaller net.
            (_, Evidence::Certificate(_)) => None,
            (Query::Reachable(p), Evidence::Trace(trace)) => {
                to_deadlock(net, self.back_mapping.run(net, &trace.0, most)?, p, most)
            }
            (Query::Invariant(p), Evidence::Trace(trace)) => {
                to_deadlock(net, self.back_mapping.run(net, &trace.0, most)?, &p.clone().negate(), most)
            }
            (Query::Ctl(formula), evidence) => {
                let Query::Ctl(smaller) = smaller else { return None };
                let (smaller, formula) = (smaller.into(), formula.into());
                let mut runs = self.back_mapping.branching(evidence.branching(), most)?;
                let original = |claim: Claim| {
                    Some(Claim { formula: as_asked(&claim.formula, &smaller, &formula)?.clone(), ..claim })
                };
                runs.claims = runs.claims.into_iter().filter_map(original).collect();
                Some(Evidence::Branching(runs))
            }
            (_, Evidence::Trace(trace)) => {
                Some(Evidence::Trace(Trace(self.back_mapping.run(net, &trace.0, most)?)))
            }
            (_, Evidence::Lasso(lasso)) => self.lasso(net, &lasso, most).map(Evidence::Lasso),
            (_, Evidence::Branching(_)) => None,
        }
    }

    /// The infinite run, if it comes back to where one of its rounds started: in the larger net other places may take a
    /// few rounds for that, or grow for ever.
    fn lasso(&self, net: &Net, lasso: &Lasso, most: u64) -> Option<Lasso> {
        let mut prefix = self.back_mapping.run(net, &lasso.prefix, most)?;
        if lasso.cycle.is_empty() {
            return extend_to_lasso(net, prefix);
        }
        let once = self
            .back_mapping
            .expand(self.back_mapping.sequences(&lasso.cycle), most.checked_sub(prefix.len() as u64)?)?;
        let mut starts = vec![end(net, net.initial(), &prefix)?];
        let mut rounds: Vec<Vec<Step>> = Vec::new();
        for _ in 0..(most / once.len().max(1) as u64).min(MAX_ROUNDS) {
            let start = starts.last().expect("there is the first").clone();
            let round = self.back_mapping.repaired(net, start.clone(), once.clone(), most)?;
            let next = end(net, start, &round)?;
            rounds.push(round);
            if let Some(at) = starts.iter().position(|start| *start == next) {
                let cycle = rounds.split_off(at).concat();
                prefix.extend(rounds.concat());
                return Some(Lasso { prefix, cycle });
            }
            starts.push(next);
        }
        None
    }
}

/// Whether a query was decided before, and its evidence, if any, is the empty run. That may show the query that it was made
/// from only because it is empty: what the smaller net fires first does not belong to it.
fn shown_by_nothing(query: &Query, outcome: &Outcome) -> bool {
    query.constant().is_some()
        && matches!(&outcome.evidence, Some(Evidence::Trace(trace)) if trace.0.is_empty())
}

/// The state after some steps.
fn end<S: Semantics>(net: &S, state: S::State, steps: &[Step]) -> Option<S::State> {
    steps.iter().try_fold(state, |state, step| net.fire(&state, step).ok())
}

/// A run to a marking with a predicate. If it ends where the predicate does not hold yet, since something is still enabled
/// that is dead in the reduced net, it goes on, depth-first, to where it does.
fn to_deadlock(net: &Net, mut run: Vec<Step>, predicate: &StatePredicate, most: u64) -> Option<Evidence> {
    if predicate.any_atom(&|atom| matches!(atom, StateAtom::Deadlock)) {
        let state = end(net, net.initial(), &run)?;
        run.extend(search(net, state, predicate, (most / 10) as usize)?);
    }
    Some(Evidence::Trace(Trace(run)))
}

/// Steps from a marking to one with a predicate, if few markings have to be seen on the way.
fn search(net: &Net, from: Marking, predicate: &StatePredicate, most: usize) -> Option<Vec<Step>> {
    let mut seen: HashSet<Marking> = HashSet::from([from.clone()]);
    // The steps so far, each with those that are left to try where it was taken.
    let mut path: Vec<(Step, Marking, Vec<Step>)> = Vec::new();
    let (mut state, mut open) = (from.clone(), net.steps(&from));
    while !replay::holds_in(net, &state, predicate) {
        match open.pop() {
            Some(step) => {
                let next = net.fire(&state, &step).ok()?;
                if seen.len() >= most {
                    return None;
                }
                if seen.insert(next.clone()) {
                    let tried = std::mem::replace(&mut open, net.steps(&next));
                    path.push((step, std::mem::replace(&mut state, next), tried));
                }
            }
            None => (_, state, open) = path.pop()?,
        }
    }
    Some(path.into_iter().map(|(step, ..)| step).collect())
}

/// The part of the formula as asked that corresponds to a part of the formula about the reduced net.
fn as_asked<'a>(part: &Formula, smaller: &Formula, asked: &'a Formula) -> Option<&'a Formula> {
    if part == smaller {
        return Some(asked);
    }
    smaller.children().zip(asked.children()).find_map(|(small, asked)| as_asked(part, small, asked))
}
