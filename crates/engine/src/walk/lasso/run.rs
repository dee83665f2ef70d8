//! A run of the token game with its word: the letters of its markings, and the automaton's states on them.
//!
//! Markings are told apart by a sum of tokens times random numbers, which a firing changes by a number of its transition; a lasso is
//! checked exactly before it is given. Invariants: (1) the last position is the game's marking; (2) the states of a position are
//! some of those that the automaton reaches on the letters before it.

use std::collections::HashMap;

use fireset_net::token_game::{TokenGame, TokenGameTable};

use super::{
    DecidingWords, LassoRun,
    words::{LetterId, LetterTable, StateSet},
};
use crate::walk::{
    evaluator::{FiringDirection, GoalEvaluator, WalkGoal},
    marking_hash::effect,
};

/// Letters that checks of cycles may read for each step of a walk; beyond that cycles are passed over.
const READ_PER_STEP: u64 = 8;

/// Markings of earlier runs that are kept: it takes long to clear a large table.
const MOST_VISITS: usize = 1 << 18;

/// A marking on the run.
#[derive(Clone, Copy)]
struct RunPosition {
    /// Of the marking.
    hash: u64,
    /// The transition that led here.
    transition: u32,
    letter: LetterId,
    /// The automaton states that have not read the letter yet.
    states: StateSet,
    /// Those that have.
    after: StateSet,
}

/// The first and the last position of a marking on the run; they may be out of date.
#[derive(Clone, Copy)]
struct Visits {
    first: u32,
    last: u32,
}

/// What a step led to.
pub(super) enum StepResult {
    /// A marking that is new on the run.
    Fresh,
    /// No run of the automaton goes on from here.
    Dead,
    /// A marking of the run, with the position of its last visit, and the automaton does not accept the cycle.
    Again(usize),
    /// A firing would overflow a count.
    Overflow,
    /// The automaton accepts.
    Accepted(LassoRun),
}

/// A run from the initial marking.
pub(super) struct WordRun<'a> {
    pub(super) game: TokenGame<'a>,
    evaluator: GoalEvaluator,
    letters: LetterTable<'a>,
    /// By transition, the change of the hash.
    effects: Vec<u64>,
    /// The values of the atoms in the game's marking.
    values: u64,
    positions: Vec<RunPosition>,
    visits: HashMap<u64, Visits>,
    /// The automaton states that count.
    within: StateSet,
    pub(super) steps: u64,
    /// Letters that checks of cycles have read.
    read: u64,
}

impl<'a> WordRun<'a> {
    /// `None` if the automaton accepts no word with the first letter.
    pub(super) fn new(table: &'a TokenGameTable<'a>, words: &'a DecidingWords) -> Option<Self> {
        let game = TokenGame::new(table);
        let goal = |predicate| WalkGoal { predicate, want: true };
        let goals: Vec<WalkGoal<'_>> = words.atoms.iter().map(goal).collect();
        let mut run = Self {
            evaluator: GoalEvaluator::new(&goals, &game),
            letters: LetterTable::new(&words.automaton),
            effects: (0..table.transitions() as u32).map(|t| effect(table, t)).collect(),
            game,
            values: 0,
            positions: Vec::new(),
            visits: HashMap::new(),
            within: StateSet::MAX,
            steps: 0,
            read: 0,
        };
        run.restart();
        (run.last().after != 0).then_some(run)
    }

    /// Goes back to the initial marking.
    pub(super) fn restart(&mut self) {
        self.game.restart();
        self.evaluator.restart();
        self.values = self.evaluator.met();
        self.positions.clear();
        // Visits of earlier runs count for nothing unless this run has the same marking in the same place.
        if self.visits.len() > MOST_VISITS {
            self.visits.clear();
        }
        self.within = StateSet::MAX;
        let (letter, states) = (self.letters.letter(self.values), self.letters.initial);
        self.enter(RunPosition { hash: 0, transition: u32::MAX, letter, states, after: 0 });
        self.visits.insert(0, Visits { first: 0, last: 0 });
    }

    /// The transitions from the position to the end of the run.
    pub(super) fn fired_since(&self, position: usize) -> impl Iterator<Item = u32> {
        self.positions[position + 1..].iter().map(|position| position.transition)
    }

    pub(super) fn len(&self) -> usize {
        self.positions.len() - 1
    }

    /// The automaton states that have not read the last letter yet.
    pub(super) fn states(&self) -> StateSet {
        self.last().states
    }

    fn last(&self) -> RunPosition {
        *self.positions.last().expect("the initial marking stays")
    }

    fn enter(&mut self, position: RunPosition) {
        let after = self.letters.after(position.states, position.letter) & self.within;
        self.positions.push(RunPosition { after, ..position });
    }

    /// Drops the automaton states that an accepting run visits finitely often; `false`, and nothing changes, if no other can go on.
    pub(super) fn commit(&mut self) -> bool {
        let RunPosition { states, letter, .. } = self.last();
        let kept = states & self.letters.recurring;
        let after = self.letters.after(kept, letter) & self.letters.recurring;
        if after == 0 {
            return false;
        }
        let last = self.positions.last_mut().expect("the initial marking stays");
        (last.states, last.after) = (kept, after);
        self.within = self.letters.recurring;
        true
    }

    /// Fires an enabled transition.
    fn fire(&mut self, transition: u32) -> bool {
        self.steps += 1;
        if !self.game.fire(transition) {
            return false;
        }
        self.evaluator.follow_met(transition, FiringDirection::Forth, &self.game, &mut self.values);
        let before = self.last();
        let hash = before.hash.wrapping_add(self.effects[transition as usize]);
        let letter = self.letters.letter(self.values);
        self.enter(RunPosition { hash, transition, letter, states: before.after, after: 0 });
        true
    }

    /// Fires an enabled transition. A step to a dead end is taken back.
    pub(super) fn step(&mut self, transition: u32) -> StepResult {
        if !self.fire(transition) {
            return StepResult::Overflow;
        }
        let RunPosition { hash, after, .. } = self.last();
        if after == 0 {
            self.back();
            return StepResult::Dead;
        }
        let at = self.positions.len() - 1;
        let is_current =
            |position: u32| (position as usize) < at && self.positions[position as usize].hash == hash;
        let known = self.visits.get(&hash).copied().filter(|visits| is_current(visits.first));
        let Some(Visits { first, last }) = known else {
            self.visits.insert(hash, Visits { first: at as u32, last: at as u32 });
            return StepResult::Fresh;
        };
        let last = if is_current(last) { last } else { first } as usize;
        self.visits.insert(hash, Visits { first, last: at as u32 });
        match self.accepted(first as usize, last) {
            Some(lasso) => StepResult::Accepted(lasso),
            None => StepResult::Again(last),
        }
    }

    /// The lasso that ends here and begins at one of two positions of the same marking.
    fn accepted(&mut self, first: usize, last: usize) -> Option<LassoRun> {
        let begins = if first == last { &[last][..] } else { &[last, first][..] };
        begins.iter().find_map(|&begin| self.lasso_from(begin))
    }

    fn lasso_from(&mut self, begin: usize) -> Option<LassoRun> {
        let end = self.positions.len() - 1;
        if self.read + (end - begin) as u64 > READ_PER_STEP * self.steps {
            return None;
        }
        self.read += (end - begin) as u64;
        let cycle = self.positions[begin..end].iter().map(|position| position.letter);
        let accepts = self.letters.accepts(self.positions[begin].states, cycle);
        accepts.then(|| self.lasso(begin)).filter(|lasso| changes_nothing(&lasso.cycle, self.game.table))
    }

    /// The lasso that stays in the deadlock at the end of the run.
    pub(super) fn ended(&mut self) -> Option<LassoRun> {
        let RunPosition { states, letter, .. } = self.last();
        let prefix = || self.fired_since(0).collect();
        let accepts = self.letters.accepts(states, std::iter::once(letter));
        accepts.then(|| LassoRun { prefix: prefix(), cycle: Vec::new() })
    }

    /// Takes back the last step, and gives it; `None` in the initial marking.
    pub(super) fn back(&mut self) -> Option<u32> {
        if self.positions.len() == 1 {
            return None;
        }
        let RunPosition { transition, .. } = self.positions.pop()?;
        self.game.undo(transition);
        self.evaluator.follow_met(transition, FiringDirection::Back, &self.game, &mut self.values);
        Some(transition)
    }

    /// Fires those steps of a prefix that are enabled in their turn, then a cycle that changes nothing; the steps that fired if
    /// all of the cycle did and the automaton accepts.
    pub(super) fn replayed(&mut self, prefix: impl Iterator<Item = u32>, cycle: &[u32]) -> Option<LassoRun> {
        self.restart();
        for transition in prefix {
            if self.game.is_enabled(transition) && !self.fire(transition) {
                return None;
            }
        }
        let begin = self.len();
        for &transition in cycle {
            if !self.game.is_enabled(transition) || !self.fire(transition) {
                return None;
            }
        }
        if cycle.is_empty() {
            return if self.game.is_deadlock() { self.ended() } else { None };
        }
        let letters = self.positions[begin..self.len()].iter().map(|position| position.letter);
        let accepts = self.letters.accepts(self.positions[begin].states, letters);
        accepts.then(|| self.lasso(begin))
    }

    /// The run, with its cycle from a position on.
    fn lasso(&self, begin: usize) -> LassoRun {
        let prefix = self.positions[1..=begin].iter().map(|position| position.transition).collect();
        LassoRun { prefix, cycle: self.fired_since(begin).collect() }
    }
}

/// Whether firings together leave every marking as it is.
fn changes_nothing(cycle: &[u32], table: &TokenGameTable<'_>) -> bool {
    let mut changes: HashMap<u32, i128> = HashMap::new();
    for &transition in cycle {
        for change in table.changes(transition) {
            *changes.entry(change.place).or_default() += change.amount();
        }
    }
    changes.values().all(|&change| change == 0)
}
