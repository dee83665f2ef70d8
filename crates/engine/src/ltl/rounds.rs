//! Lassos of the net that are shorter than those of the product: the automaton may need several rounds of a cycle.
//!
//! What: an automaton accepts the word `u v v v …` if some state that it can be in after `u` leads, by readings of the word `v`, into a
//! cycle that visits an accepting state. Which states lead to which by one reading, and whether past an accepting state, is a
//! relation. So a search for short prefixes has markings with the sets of states after them, and one for short cycles from each of them
//! has markings with the relations of the words so far; a cycle that is back is judged by its relation. Both are breadth-first.
//! Why: the shortest lasso of the product counts each round, and the steps that the automaton takes to choose its way.
//! Source: the relations are those of Büchi's congruence, "On a decision method in restricted second order arithmetic" (1962).
//! Invariant: when the search ends by itself, no lasso of the net has fewer steps. Cost: bounded by a number of firings.
//! Test: `tests/shortest_lasso.rs`, against all lassos of random nets.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use fireset_kernel::store::RowId;
use fireset_net::Budget;

use super::product::{BuchiProduct, ProductState};
use crate::search::{ActionCursor, MarkingSpace, MarkingStep, PendingSuccessors, Searched, WorkLimit};

/// The actions of a run, each with the marking in which it fires.
pub(super) type ActionRun<N> = Vec<(RowId, N)>;

/// A prefix and a cycle.
pub(super) struct ActionLasso<N> {
    pub(super) prefix: ActionRun<N>,
    pub(super) cycle: ActionRun<N>,
}

impl<N> ActionLasso<N> {
    pub(super) fn steps(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }
}

/// A lasso with fewer steps than a number.
pub(super) struct ShorterLasso<N> {
    /// `None` if none was found.
    pub(super) lasso: Option<ActionLasso<N>>,
    /// Whether none is shorter than it or, without one, than the number.
    pub(super) is_proven: bool,
}

/// Automata with more states have relations that are too many.
const MOST_STATES: usize = 16;

/// A bit for each state of the automaton.
type AutomatonStateSet = u64;

/// Which states of the automaton lead to which by some word: for each state the set that it leads to, and then for each state
/// the set that it leads to past an accepting state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct WordRelation(Box<[AutomatonStateSet]>);

impl WordRelation {
    /// That of the empty word.
    fn identity(states: usize) -> Self {
        let leads = (0..states).map(|state| 1 << state);
        Self(leads.chain(std::iter::repeat_n(0, states)).collect())
    }

    /// Reads one letter more, by which each state leads to a set.
    fn then(&self, letter: &[AutomatonStateSet], accepting: AutomatonStateSet) -> Self {
        let states = letter.len();
        let (leads, past) = self.0.split_at(states);
        let next = |set: &AutomatonStateSet| image(*set, letter);
        let past = leads.iter().zip(past).map(|(leads, past)| next(leads) & accepting | next(past));
        Self(leads.iter().map(next).chain(past).collect())
    }

    /// Whether the word, read again and again from some of these states, is accepted.
    fn accepts_from(&self, states: AutomatonStateSet) -> bool {
        let (leads, past) = self.0.split_at(self.0.len() / 2);
        let from = |states: AutomatonStateSet| {
            let mut reached = states;
            loop {
                let more = reached | image(reached, leads);
                if more == reached {
                    return reached;
                }
                reached = more;
            }
        };
        // A reading past an accepting state, after which the state before it can be reached again.
        members(from(states)).any(|state| members(past[state]).any(|next| from(1 << next) >> state & 1 == 1))
    }
}

fn members(set: AutomatonStateSet) -> impl Iterator<Item = usize> {
    (0..AutomatonStateSet::BITS as usize).filter(move |state| set >> state & 1 == 1)
}

/// Where the states of a set lead.
fn image(set: AutomatonStateSet, leads: &[AutomatonStateSet]) -> AutomatonStateSet {
    members(set).map(|state| leads[state]).fold(0, |all, next| all | next)
}

/// What follows a marking.
struct KnownMarking<N> {
    /// A deadlock is followed by itself, without an action.
    successors: Vec<(RowId, Option<N>)>,
    /// Where the letter of the marking leads each state of the automaton.
    letter: Vec<AutomatonStateSet>,
}

/// A node of one of the searches, with the node before it and the action between them.
struct SearchNode<N, T> {
    marking: RowId,
    /// The states after a prefix, or the relation of a word.
    told: T,
    before: Option<(usize, N)>,
    steps: usize,
}

/// The run to the last of some nodes.
fn run_to<N: Copy, T>(nodes: &[SearchNode<N, T>], mut at: usize) -> ActionRun<N> {
    let mut run = Vec::new();
    while let Some((before, action)) = nodes[at].before {
        run.push((nodes[before].marking, action));
        at = before;
    }
    run.reverse();
    run
}

pub(super) struct RoundSearch<'p, 'a, S: MarkingSpace> {
    product: &'p mut BuchiProduct<'a, S>,
    known: HashMap<RowId, Rc<KnownMarking<S::ActionId>>>,
    accepting: AutomatonStateSet,
    limit: WorkLimit<'p>,
    /// Whether the limit was reached.
    is_cut: bool,
}

impl<'p, 'a, S: MarkingSpace> RoundSearch<'p, 'a, S> {
    /// `None` if the automaton is too large.
    pub(super) fn new(
        product: &'p mut BuchiProduct<'a, S>,
        most_firings: u64,
        budget: &'p Budget,
    ) -> Option<Self> {
        let states = &product.automaton.states;
        if states.len() > MOST_STATES {
            return None;
        }
        let accepting = (0..).zip(states).filter(|(_, state)| state.accepting);
        let accepting =
            accepting.map(|(at, _): (u32, _)| 1 << at).fold(0, |all, one: AutomatonStateSet| all | one);
        let limit = WorkLimit::new(most_firings, budget);
        Some(Self { product, known: HashMap::new(), accepting, limit, is_cut: false })
    }

    /// A shortest lasso among those with fewer steps than a number.
    pub(super) fn shorter_than(&mut self, mut steps: usize) -> Searched<S, ShorterLasso<S::ActionId>> {
        let initial = self.product.automaton.initial.iter().fold(0, |all, state| all | 1 << state);
        let marking = self.product.markings.initial;
        let mut nodes = vec![SearchNode { marking, told: initial, before: None, steps: 0 }];
        let mut seen: HashMap<RowId, Vec<AutomatonStateSet>> = HashMap::from([(marking, vec![initial])]);
        let (mut best, mut at) = (None, 0);
        while at < nodes.len() && nodes[at].steps < steps && !self.is_cut {
            let SearchNode { marking, told: states, steps: before, .. } = nodes[at];
            if let Some(cycle) = self.cycle(marking, states, steps - before - 1)? {
                steps = before + cycle.len();
                best = Some((at, cycle));
            }
            let known = self.known(marking)?;
            let next = image(states, &known.letter);
            for &(successor, action) in &known.successors {
                let (Some(action), true) = (action, next != 0) else { continue };
                let sets = seen.entry(successor).or_default();
                // More states after a run that is not longer allow more.
                if sets.iter().all(|&set| set & next != next) {
                    sets.push(next);
                    let before = Some((at, action));
                    nodes.push(SearchNode {
                        marking: successor,
                        told: next,
                        before,
                        steps: nodes[at].steps + 1,
                    });
                }
            }
            at += 1;
        }
        let lasso = best.map(|(at, cycle)| ActionLasso { prefix: run_to(&nodes, at), cycle });
        Ok(ShorterLasso { lasso, is_proven: !self.is_cut })
    }

    /// A shortest cycle from a marking that is accepted from some of these states, of at most this number of steps.
    fn cycle(
        &mut self,
        marking: RowId,
        states: AutomatonStateSet,
        most: usize,
    ) -> Searched<S, Option<ActionRun<S::ActionId>>> {
        let identity = WordRelation::identity(self.product.automaton.states.len());
        let mut seen = HashSet::from([(marking, identity.clone())]);
        let mut nodes = vec![SearchNode { marking, told: identity, before: None, steps: 0 }];
        let mut at = 0;
        while at < nodes.len() {
            let known = self.known(nodes[at].marking)?;
            if self.limit.spend(1 + known.successors.len() as u64) {
                self.is_cut = true;
                return Ok(None);
            }
            let relation = nodes[at].told.then(&known.letter, self.accepting);
            let steps = nodes[at].steps + 1;
            for &(successor, action) in &known.successors {
                let Some(action) = action else {
                    // A deadlock; only from there it is a cycle.
                    if at == 0 && relation.accepts_from(states) {
                        return Ok(Some(Vec::new()));
                    }
                    continue;
                };
                if steps > most {
                    continue;
                }
                let before = Some((at, action));
                if successor == marking && relation.accepts_from(states) {
                    let mut run = run_to(&nodes, at);
                    run.push((nodes[at].marking, action));
                    return Ok(Some(run));
                }
                if steps < most && seen.insert((successor, relation.clone())) {
                    nodes.push(SearchNode { marking: successor, told: relation.clone(), before, steps });
                }
            }
            at += 1;
        }
        Ok(None)
    }

    fn known(&mut self, marking: RowId) -> Searched<S, Rc<KnownMarking<S::ActionId>>> {
        if let Some(known) = self.known.get(&marking) {
            return Ok(known.clone());
        }
        let mut letter = Vec::new();
        for automaton_state in 0..self.product.automaton.states.len() as u32 {
            let mut targets = 0;
            self.product.targets(ProductState { marking, automaton_state }, |target| targets |= 1 << target);
            letter.push(targets);
        }
        let (mut cursor, mut pending) = (ActionCursor::default(), PendingSuccessors::default());
        let mut successors: Vec<MarkingStep<S>> = Vec::new();
        while let Some(step) = self.product.next(marking, &mut cursor, &mut pending)? {
            successors.push(step);
        }
        let known = Rc::new(KnownMarking { successors, letter });
        self.known.insert(marking, known.clone());
        Ok(known)
    }
}
