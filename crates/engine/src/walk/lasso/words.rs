//! Words of a run and the automaton's states on them, as bit sets.
//!
//! A letter is the set of atoms that hold in a marking. For each letter that was met, a table has the successors of each automaton
//! state, so all runs of the automaton on a word are followed at once, at the cost of a few words a step. Whether some run accepts
//! `u v^w` is decided on the automaton's states alone: an edge for each way through `v`, marked if it visits an accepting state, and
//! an accepted word is a cycle with such an edge. After Büchi's transition profiles (1962).
//!
//! Invariant: the automaton has at most [`MOST_STATES`] states. Cost of a check: the letters of `v` times the states.

use std::collections::HashMap;

use fireset_kernel::automata::Buchi;

/// States of an automaton that can be followed.
pub(super) const MOST_STATES: usize = u64::BITS as usize;

/// A set of automaton states.
pub(super) type StateSet = u64;
/// The number of a letter that was met.
pub(super) type LetterId = u32;

/// An automaton and the letters that were met.
pub(super) struct LetterTable<'a> {
    automaton: &'a Buchi,
    letters: HashMap<u64, LetterId>,
    /// By letter, then by state.
    successors: Vec<StateSet>,
    pub(super) initial: StateSet,
    accepting: StateSet,
    /// The states that an accepting run can visit again and again.
    pub(super) recurring: StateSet,
}

impl<'a> LetterTable<'a> {
    /// For an automaton with at most [`MOST_STATES`] states.
    pub(super) fn new(automaton: &'a Buchi) -> Self {
        let count = automaton.states.len();
        let chosen = |is_chosen: &dyn Fn(usize) -> bool| {
            (0..count).filter(|&state| is_chosen(state)).fold(0, |set, state| set | 1 << state)
        };
        let recurring = automaton.recurring();
        Self {
            automaton,
            letters: HashMap::new(),
            successors: Vec::new(),
            initial: automaton.initial.iter().fold(0, |set, &state| set | 1 << state),
            accepting: chosen(&|state| automaton.states[state].accepting),
            recurring: chosen(&|state| recurring[state]),
        }
    }

    /// The letter of a marking, from the values of the atoms, the first in the lowest bit.
    pub(super) fn letter(&mut self, values: u64) -> LetterId {
        if let Some(&letter) = self.letters.get(&values) {
            return letter;
        }
        let letter = self.letters.len() as LetterId;
        self.letters.insert(values, letter);
        for state in &self.automaton.states {
            let enabled = state.edges.iter().filter(|edge| {
                edge.cube.iter().all(|literal| (values >> literal.atom & 1 == 1) == literal.positive)
            });
            self.successors.push(enabled.fold(0, |set, edge| set | 1 << edge.to));
        }
        letter
    }

    /// Where the automaton's runs go on from some states.
    #[inline]
    pub(super) fn after(&self, states: StateSet, letter: LetterId) -> StateSet {
        let row = letter as usize * self.automaton.states.len();
        members(states).fold(0, |set, state| set | self.successors[row + state])
    }

    /// Whether some run from one of the states accepts a cycle that is repeated for ever.
    pub(super) fn accepts(&self, start: StateSet, cycle: impl Iterator<Item = LetterId> + Clone) -> bool {
        let mut rounds = [CycleRound::default(); MOST_STATES];
        let (mut seen, mut open) = (0, start);
        while open != 0 {
            let state = open.trailing_zeros() as usize;
            seen |= 1 << state;
            rounds[state] = self.round(1 << state, cycle.clone());
            open = (open | rounds[state].all) & !seen;
        }
        members(seen).any(|state| {
            let (mut reached, mut open) = (0, rounds[state].accepted);
            while open != 0 {
                let next = open.trailing_zeros() as usize;
                reached |= 1 << next;
                open = (open | rounds[next].all) & !reached;
            }
            reached >> state & 1 == 1
        })
    }

    /// The states after a cycle.
    fn round(&self, start: StateSet, cycle: impl Iterator<Item = LetterId>) -> CycleRound {
        let mut round = CycleRound { all: start, accepted: 0 };
        for letter in cycle {
            round.all = self.after(round.all, letter);
            round.accepted = self.after(round.accepted, letter) | round.all & self.accepting;
            if round.all == 0 {
                break;
            }
        }
        round
    }
}

/// The states after a cycle from one state, and those among them behind an accepting state.
#[derive(Clone, Copy, Default)]
struct CycleRound {
    all: StateSet,
    accepted: StateSet,
}

fn members(mut set: StateSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let state = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(state)
    })
}
