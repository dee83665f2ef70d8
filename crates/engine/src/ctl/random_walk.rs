//! Random walks to markings in which the inner operators of a formula are evaluated with little effort.
//!
//! Why: `EF f` is true where one marking can be found in which `f` is, and `AG EF p` false where one is found that does not
//! lead to `p` any more. A search evaluates `f` in the markings near the start, one after the other and each to the end,
//! even where that takes all the time; but deadlocks and small components from which nothing leads away are far from there,
//! and easy to evaluate.
//!
//! A *root* is an operator in a marking: one of the formula in the initial marking, one below `X` in a marking after it, or one of
//! the operands of another root in its marking. Of an `A[f U g]` walks show that it is false ([`super::lasso_walk`]). Of an
//! `E[f U g]` walks go from there through markings with `f`, at random or towards the state predicate of `g`; where `f` is not known
//! without a search, it is searched for at each step. Where `g` is not known without a search, one is begun with a limited number of
//! steps, and abandoned then: the configurations that it has decided stay so, the others are undecided again. Efforts and walks get
//! longer. When `g` is found to be true, the root is true in all markings of the walk, and may decide the formula.
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
    lasso_walk::LassoWalkEnd,
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
/// The factor of the effort where it was too little for the first marking of a walk.
const MORE_EFFORT: usize = 4;
/// The most effort for a marking, as far as that goes.
const MOST_EFFORT: usize = 1 << 18;
/// Walks from each operator that has to be shown in a marking of another walk.
const WALKS: usize = 8;
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

/// Whether walks can show an operator, or that it is false.
fn is_root(operators: &CompiledCtl, id: OperatorId) -> bool {
    operators.all[id as usize].kind != TemporalKind::Next
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

/// An operator to show or to refute in a marking.
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
        let mut roots: Vec<(Root, usize)> = self.roots()?.into_iter().map(|root| (root, EFFORT)).collect();
        for round in 1.. {
            let effort = EFFORT << ((round / ROUNDS).min(20));
            if let Some(value) = self.attempt(&operators.root, (initial, effort), budget)? {
                return Ok(value);
            }
            for (root, least_effort) in &mut roots {
                self.check(budget)?;
                let length = LENGTH * crate::walk::luby(round);
                let walk = CtlWalk { length, effort: effort.max(*least_effort), guided: round % 2 == 0 };
                if operators.all[root.0 as usize].kind == TemporalKind::SomeUntil {
                    self.wander(*root, walk, &mut random, budget)?;
                } else if self.walk_round(*root, walk, &mut random, budget)? == LassoWalkEnd::TooLittle {
                    // Another walk would not begin either.
                    *least_effort = (MORE_EFFORT * walk.effort).min(MOST_EFFORT);
                }
            }
            if !limited && round == MAX_ROUNDS {
                break;
            }
        }
        Err(SearchStop::Reason(StopReason::Time))
    }

    /// The operators of the formula that walks can decide, with the markings from which they start.
    fn roots(&mut self) -> Result<Vec<Root>, SearchStop<S::ActionId>> {
        let operators = self.operators;
        let mut roots = self.roots_of(&operators.root, self.markings.initial)?;
        // The operands of a root are asked about in the same marking first.
        let mut at = 0;
        while let Some(&(id, marking)) = roots.get(at) {
            let operator = &operators.all[id as usize];
            let operands = [&operator.hold, &operator.goal].into_iter().flat_map(outermost);
            let new = operands.filter(|&id| is_root(operators, id)).map(|id| (id, marking));
            let new: Vec<Root> = new.filter(|root| !roots.contains(root)).collect();
            roots.extend(new);
            at += 1;
        }
        Ok(roots)
    }

    /// The operators of a term that walks can decide in a marking, or, below `X`, in those after it.
    fn roots_of(&mut self, term: &CtlTerm, marking: RowId) -> Result<Vec<Root>, SearchStop<S::ActionId>> {
        let operators = self.operators;
        let mut roots = Vec::new();
        for id in outermost(term) {
            if is_root(operators, id) {
                roots.push((id, marking));
            } else {
                let mut below = below(operators, id);
                below.retain(|&id| is_root(operators, id));
                self.successors_of(marking)?;
                let starts = self.found.iter().take(MAX_STARTS);
                roots.extend(starts.flat_map(|&start| below.iter().map(move |&id| (id, start))));
            }
        }
        Ok(roots)
    }

    /// The value of a term in a marking, if a search of limited effort finds it before or after walks that show its operators.
    pub(super) fn value_by_walks(
        &mut self,
        term: &CtlTerm,
        marking: RowId,
        walk: CtlWalk,
        random: &mut Random,
        budget: &Budget,
    ) -> Result<Option<bool>, SearchStop<S::ActionId>> {
        if let Some(value) = self.attempt(term, (marking, EFFORT), budget)? {
            return Ok(Some(value));
        }
        for root @ (id, start) in self.roots_of(term, marking)? {
            if self.operators.all[id as usize].kind == TemporalKind::SomeUntil {
                for at in 0..WALKS {
                    self.wander(root, CtlWalk { guided: at % 2 == 0, ..walk }, random, budget)?;
                    if let Status::Decided(_) = self.values[id as usize].get(start) {
                        break;
                    }
                }
            }
        }
        self.attempt(term, (marking, walk.effort), budget)
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
pub(super) struct CtlWalk {
    pub(super) length: u64,
    /// The number of steps of a search on the way.
    pub(super) effort: usize,
    /// Whether the steps are chosen by a rule rather than by chance.
    pub(super) guided: bool,
}
