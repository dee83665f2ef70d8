//! Random walks to markings in which the inner operators of a formula are evaluated with little effort.
//!
//! Why: `EF f` is true where one marking can be found in which `f` is, and `AG EF p` false where one is found that does not
//! lead to `p` any more. A search evaluates `f` in the markings near the start, one after the other and each to the end,
//! even where that takes all the time; but deadlocks and small components from which nothing leads away are far from there,
//! and easy to evaluate.
//!
//! A *root* is an operator `E[f U g]` in a marking: one of the formula in the initial marking, or one
//! below `X` in a marking after it. Walks go from there through markings with `f`, at random or towards the state predicate of
//! `g`; where `f` is not known without a search, it is searched for at each step. Where `g` is not known without a search, one is begun with a limited number of steps, and abandoned then: the
//! configurations that it has decided stay so, the others are undecided again. Efforts and walks get longer. When `g` is found to be
//! true, the root is true in all markings of the walk, and may decide the formula.
//!
//! Sound, since values are set only by complete searches and by runs. Where no root is true there is no answer, and
//! the walks end with the time. Invariants: (1) between two attempts nothing is open; (2) all orders go depth-first here, since
//! a search with a queue must not meet markings that an abandoned one left undecided.
//! Test: `tests/ctl.rs`, against the reference checker.

use fireset_kernel::random::Random;
use fireset_kernel::store::RowId;
use fireset_net::{Budget, StopReason};

use super::{
    evaluate::{Evaluation, RowSource},
    operators::{CompiledCtl, CtlTerm, OperatorId, TemporalKind, TermAtom},
    status::Status,
};
use crate::search::{ActionCursor, MarkingSpace, SearchStop};

/// The number of steps of a walk of Luby length one.
const LENGTH: u64 = 32;
/// The number of steps of a search in the first rounds.
const EFFORT: usize = 256;
/// Rounds after which the number of steps of a search is doubled.
const ROUNDS: u64 = 16;
/// The most rounds where the time is not limited.
const MAX_ROUNDS: u64 = 64;
/// The most successors of the initial marking from which walks start.
const MAX_STARTS: usize = 64;
/// The percentage of steps of a guided walk that go to the nearest marking.
const GUIDED: usize = 75;

/// Whether a formula has an operator that walks can show.
pub(super) fn has_roots(operators: &CompiledCtl) -> bool {
    let is_next = |&id: &OperatorId| operators.all[id as usize].kind == TemporalKind::Next;
    let outermost = outermost(&operators.root);
    let below = outermost.iter().filter(|id| is_next(id)).flat_map(|&id| below(operators, id));
    outermost.iter().copied().chain(below).any(|id| is_root(operators, id))
}

/// The outermost operators of an operator's goal.
fn below(operators: &CompiledCtl, id: OperatorId) -> Vec<OperatorId> {
    outermost(&operators.all[id as usize].goal)
}

/// Whether walks can show an operator.
fn is_root(operators: &CompiledCtl, id: OperatorId) -> bool {
    operators.all[id as usize].kind == TemporalKind::SomeUntil
}

fn outermost(term: &CtlTerm) -> Vec<OperatorId> {
    let mut operators = Vec::new();
    term.atoms(&mut |atom| {
        if let TermAtom::Temporal(id) = atom {
            operators.push(*id);
        }
    });
    operators
}

/// An operator to show in a marking.
type Root = (OperatorId, RowId);

impl<S: MarkingSpace> Evaluation<'_, S> {
    /// The value of the formula in the initial marking, when walks have found it.
    pub(super) fn walk_from_roots(
        &mut self,
        seed: u64,
        budget: &Budget,
    ) -> Result<bool, SearchStop<S::ActionId>> {
        let (initial, operators) = (self.markings.initial, self.operators);
        let limited = budget.time_left().is_some();
        let mut random = Random::new(seed);
        let roots = self.roots()?;
        for round in 1.. {
            let effort = EFFORT << ((round / ROUNDS).min(20));
            if let Some(value) = self.attempt(&operators.root, (initial, effort), budget)? {
                return Ok(value);
            }
            for &root in &roots {
                self.check(budget)?;
                let walk =
                    CtlWalk { length: LENGTH * crate::walk::luby(round), effort, guided: round % 2 == 0 };
                self.wander(root, walk, &mut random, budget)?;
            }
            if !limited && round == MAX_ROUNDS {
                break;
            }
        }
        Err(SearchStop::Reason(StopReason::Time))
    }

    /// The operators that walks can show, with the markings from which they start.
    fn roots(&mut self) -> Result<Vec<Root>, SearchStop<S::ActionId>> {
        let (initial, operators) = (self.markings.initial, self.operators);
        let mut roots = Vec::new();
        for id in outermost(&operators.root) {
            if is_root(operators, id) {
                roots.push((id, initial));
            } else if operators.all[id as usize].kind == TemporalKind::Next {
                let mut below = below(operators, id);
                below.retain(|&id| is_root(operators, id));
                self.successors_of(initial)?;
                let starts = self.found.iter().take(MAX_STARTS);
                roots.extend(starts.flat_map(|&start| below.iter().map(move |&id| (id, start))));
            }
        }
        Ok(roots)
    }

    /// Generates all successors of a marking.
    fn successors_of(&mut self, marking: RowId) -> Result<(), SearchStop<S::ActionId>> {
        self.found.clear();
        let mut cursor = ActionCursor::default();
        self.markings.next_batch(marking, &mut cursor, usize::MAX, &mut self.found)?;
        Ok(())
    }

    /// The value of a term in a marking, if a search of `effort` steps finds it.
    pub(super) fn attempt(
        &mut self,
        term: &CtlTerm,
        (marking, effort): (RowId, usize),
        budget: &Budget,
    ) -> Result<Option<bool>, SearchStop<S::ActionId>> {
        let mut left = effort;
        loop {
            match self.at(marking).term(term) {
                Ok(value) => return Ok(Some(value)),
                Err(operator) => self.begin(operator, marking),
            }
            while let Some(&mut frame) = self.path.last_mut() {
                if left == 0 {
                    self.abandon();
                    return Ok(None);
                }
                left -= 1;
                if self.pace.is_due() {
                    self.check(budget)?;
                }
                self.step(frame)?;
            }
        }
    }

    /// Walks from a root's marking; when the root is found to be true, it is so in all markings of the walk.
    fn wander(
        &mut self,
        (id, start): Root,
        walk: CtlWalk,
        random: &mut Random,
        budget: &Budget,
    ) -> Result<(), SearchStop<S::ActionId>> {
        let operators = self.operators;
        let operator = &operators.all[id as usize];
        let mut run = vec![start];
        let mut spent = 0;
        loop {
            let now = *run.last().expect("it begins somewhere");
            if self.values[id as usize].get(now) == Status::Decided(false) {
                return Ok(());
            }
            self.successors_of(now)?;
            spent += self.found.len();
            let ends = self.found.is_empty() || run.len() as u64 > walk.length;
            let goal = match self.at(now).term(&operator.goal) {
                // Searches take as many steps as the walk.
                Err(_) if ends || spent >= walk.effort => {
                    spent = 0;
                    let goal = self.attempt(&operator.goal, (now, walk.effort), budget)?;
                    self.successors_of(now)?;
                    goal
                }
                goal => goal.ok(),
            };
            if goal == Some(true) || self.values[id as usize].get(now) == Status::Decided(true) {
                let values = &mut self.values[id as usize];
                run.iter().for_each(|&marking| values.set(marking, Status::Decided(true)));
                return Ok(());
            }
            if ends || !self.may_leave(&operator.hold, (now, walk.effort), budget)? {
                return Ok(());
            }
            run.push(self.choose(id, walk.guided, random));
        }
    }

    /// Whether a walk may go on from a marking, whose successors were generated last.
    fn may_leave(
        &mut self,
        hold: &CtlTerm,
        (now, effort): (RowId, usize),
        budget: &Budget,
    ) -> Result<bool, SearchStop<S::ActionId>> {
        match self.at(now).term(hold) {
            Ok(holds) => Ok(holds),
            Err(_) => {
                let holds = self.attempt(hold, (now, effort), budget)? == Some(true);
                self.successors_of(now)?;
                Ok(holds)
            }
        }
    }

    /// One of the successors that were generated last.
    fn choose(&mut self, id: OperatorId, guided: bool, random: &mut Random) -> RowId {
        let any = random.below(self.found.len());
        if !guided || !random.percent(GUIDED) {
            return self.found[any];
        }
        let mut nearest = (u64::MAX, any);
        let most = self.found.len();
        for at in (any..any + most).map(|at| at % most) {
            let far = self.far(id, self.found[at], RowSource::Found(at));
            if far < nearest.0 {
                nearest = (far, at);
            }
        }
        self.found[nearest.1]
    }
}

#[derive(Clone, Copy)]
struct CtlWalk {
    length: u64,
    /// The number of steps of a search on the way.
    effort: usize,
    guided: bool,
}
