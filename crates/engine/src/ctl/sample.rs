//! Walks to markings in which what stands inside a formula is evaluated with little effort.
//!
//! Why: `EF f` is true where one marking can be found in which `f` is, and `AG EF p` false where one is found that does not
//! lead to `p` any more. A search evaluates `f` in the markings near the start, one after the other and each to the end,
//! even where that takes all the time; but deadlocks and small components from which nothing leads away are far from there,
//! and easy to evaluate.
//!
//! A *root* is an operator `E[p U g]` with a state predicate `p`, in a marking: one of the formula in the initial marking, or one
//! below `X` in a marking after it. Walks go from there through markings with `p`, at random or towards the state predicate of
//! `g`. Where `g` is not known without a search one is begun, for so many steps at most, and abandoned then: what it has
//! decided stays, the rest is undecided again. Efforts and walks get longer. When `g` is found to be true, the root is in all markings of the walk.
//! Then it is tried whether that decides the formula.
//!
//! Sound, since values are set only by complete searches and by runs. It says nothing where no root is true, and ends
//! with the time. Invariants: (1) between two attempts nothing is open; (2) all orders go depth-first here, since
//! a search with a queue must not meet markings that an abandoned one left undecided.
//! Test: `tests/ctl.rs`, against the reference checker.

use fireset_kernel::random::Random;
use fireset_kernel::store::RowId;
use fireset_net::{Budget, StopReason};

use super::{
    evaluate::{Evaluation, Known, stop},
    operators::{Kind, OperatorId, Operators, Term},
    values::Standing,
};
use crate::search::{Cursor, Marked, Stop};

/// Steps of a walk of length one.
const LENGTH: u64 = 32;
/// Steps that a search may take at first.
const EFFORT: usize = 256;
/// Rounds after which searches may take twice as many.
const ROUNDS: u64 = 16;
/// Rounds where the time is not limited.
const MAX_ROUNDS: u64 = 64;
/// Markings after the initial one whose roots are looked at.
const MAX_STARTS: usize = 64;
/// Of a hundred steps of a steered walk, those to the nearest marking.
const STEERED: usize = 75;

/// Whether a formula has something that walks can show.
pub(super) fn has_roots(operators: &Operators) -> bool {
    let is_next = |&id: &OperatorId| operators.all[id as usize].kind == Kind::Next;
    let outermost = outermost(&operators.root);
    let below = outermost.iter().filter(|id| is_next(id)).flat_map(|&id| below(operators, id));
    outermost.iter().copied().chain(below).any(|id| is_root(operators, id))
}

/// The operators of the goal of one that no other stands around.
fn below(operators: &Operators, id: OperatorId) -> Vec<OperatorId> {
    outermost(&operators.all[id as usize].goal)
}

/// Whether walks can show an operator.
fn is_root(operators: &Operators, id: OperatorId) -> bool {
    let operator = &operators.all[id as usize];
    operator.kind == Kind::SomeUntil && matches!(operator.hold, Term::Predicate(_))
}

/// The operators of a term that no other stands around.
fn outermost(term: &Term) -> Vec<OperatorId> {
    match term {
        Term::Predicate(_) => Vec::new(),
        Term::Temporal(id) => vec![*id],
        Term::Not(term) => outermost(term),
        Term::And(terms) | Term::Or(terms) => terms.iter().flat_map(outermost).collect(),
        Term::Iff(sides) => [&sides.0, &sides.1].into_iter().flat_map(outermost).collect(),
    }
}

/// An operator to show in a marking.
type Root = (OperatorId, RowId);

impl<S: Marked> Evaluation<'_, S> {
    /// The value of the formula in the initial marking, when walks have found it.
    pub(super) fn sample(&mut self, seed: u64, budget: &Budget) -> Result<bool, Stop<S::Number>> {
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
                    Walk { length: LENGTH * crate::walk::luby(round), effort, steered: round % 2 == 0 };
                self.wander(root, walk, &mut random, budget)?;
            }
            if !limited && round == MAX_ROUNDS {
                break;
            }
        }
        Err(Stop::Reason(StopReason::Time))
    }

    /// What walks can show.
    fn roots(&mut self) -> Result<Vec<Root>, Stop<S::Number>> {
        let (initial, operators) = (self.markings.initial, self.operators);
        let mut roots = Vec::new();
        for id in outermost(&operators.root) {
            if is_root(operators, id) {
                roots.push((id, initial));
            } else if operators.all[id as usize].kind == Kind::Next {
                let mut below = below(operators, id);
                below.retain(|&id| is_root(operators, id));
                self.successors_of(initial)?;
                let starts = self.found.iter().take(MAX_STARTS);
                roots.extend(starts.flat_map(|&start| below.iter().map(move |&id| (id, start))));
            }
        }
        Ok(roots)
    }

    /// Finds all markings after one.
    fn successors_of(&mut self, marking: RowId) -> Result<(), Stop<S::Number>> {
        self.found.clear();
        let mut cursor = Cursor::default();
        self.markings.some(marking, &mut cursor, usize::MAX, &mut self.found).map_err(stop)?;
        Ok(())
    }

    /// The value of a term in a marking, if a search finds it in so many steps.
    fn attempt(
        &mut self,
        term: &Term,
        (marking, effort): (RowId, usize),
        budget: &Budget,
    ) -> Result<Option<bool>, Stop<S::Number>> {
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

    /// Walks from a root's marking; when it is found to be true, all markings of the walk know.
    fn wander(
        &mut self,
        (id, start): Root,
        walk: Walk,
        random: &mut Random,
        budget: &Budget,
    ) -> Result<(), Stop<S::Number>> {
        let operators = self.operators;
        let operator = &operators.all[id as usize];
        let mut run = vec![start];
        let mut spent = 0;
        loop {
            let now = *run.last().expect("it begins somewhere");
            if self.values[id as usize].get(now) == Standing::Decided(false) {
                return Ok(());
            }
            self.successors_of(now)?;
            spent += self.found.len();
            let ends = self.found.is_empty() || run.len() as u64 > walk.length;
            let goal = match self.at(now).term(&operator.goal) {
                // As much is searched as is walked.
                Err(_) if ends || spent >= walk.effort => {
                    spent = 0;
                    let goal = self.attempt(&operator.goal, (now, walk.effort), budget)?;
                    self.successors_of(now)?;
                    goal
                }
                goal => goal.ok(),
            };
            if goal == Some(true) || self.values[id as usize].get(now) == Standing::Decided(true) {
                let values = &mut self.values[id as usize];
                run.iter().for_each(|&marking| values.set(marking, Standing::Decided(true)));
                return Ok(());
            }
            if ends || self.at(now).term(&operator.hold) != Ok(true) {
                return Ok(());
            }
            run.push(self.choose(id, walk.steered, random));
        }
    }

    /// One of the markings that were found last.
    fn choose(&mut self, id: OperatorId, steered: bool, random: &mut Random) -> RowId {
        let any = random.below(self.found.len());
        if !steered || !random.percent(STEERED) {
            return self.found[any];
        }
        let mut nearest = (u64::MAX, any);
        let most = self.found.len();
        for at in (any..any + most).map(|at| at % most) {
            let far = self.far(id, self.found[at], Known::Found(at));
            if far < nearest.0 {
                nearest = (far, at);
            }
        }
        self.found[nearest.1]
    }
}

/// How a walk goes.
#[derive(Clone, Copy)]
struct Walk {
    length: u64,
    /// Steps of a search on the way.
    effort: usize,
    steered: bool,
}
