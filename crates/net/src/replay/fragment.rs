//! A part of the reachability graph: the markings and steps of some runs.
//!
//! In each of its states a formula is known to hold, known not to hold, or neither: steps that no run takes could lead anywhere.
//! The deadlocks and the completeness of its states are found out when they are asked for, by listing their steps.
//! Source: the three values are those of Bruns and Godefroid, "Model checking partial state spaces with 3-valued
//! temporal logics" (CAV 1999). Test: `tests/branching.rs`.

use std::{cell::OnceCell, collections::HashMap};

use super::{Refusal, is_deadlock, take};
use crate::{Branch, Claim, Formula, Semantics, Step};

/// The states of some runs; state 0 is the initial one.
pub(super) struct Fragment<'a, S: Semantics> {
    pub(super) net: &'a S,
    pub(super) states: Vec<S::State>,
    index: HashMap<S::State, usize>,
    pub(super) successors: Vec<Vec<usize>>,
    /// The states by the numbers that the runs give them.
    numbered: Vec<usize>,
    deadlock: Vec<OnceCell<bool>>,
    complete: Vec<OnceCell<bool>>,
    /// A step that no run can take, because a count would leave 64 bits.
    pub(super) overflow: OnceCell<Step>,
}

/// A claim about a state of the fragment.
pub(super) struct Claimed<F> {
    pub(super) state: usize,
    pub(super) formula: F,
    pub(super) holds: bool,
}

/// Where a formula is known to hold, and where it is known not to.
#[derive(Clone)]
pub(super) struct KnownStates {
    pub(super) yes: Vec<bool>,
    pub(super) no: Vec<bool>,
}

impl KnownStates {
    /// A formula of which nothing is known in any of some states.
    pub(super) fn nowhere(states: usize) -> Self {
        Self { yes: vec![false; states], no: vec![false; states] }
    }

    pub(super) fn constant(value: bool, states: usize) -> Self {
        Self { yes: vec![value; states], no: vec![!value; states] }
    }

    pub(super) fn not(&self) -> Self {
        Self { yes: self.no.clone(), no: self.yes.clone() }
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        Self { yes: both(&self.yes, &other.yes), no: either(&self.no, &other.no) }
    }

    pub(super) fn or(&self, other: &Self) -> Self {
        Self { yes: either(&self.yes, &other.yes), no: both(&self.no, &other.no) }
    }

    pub(super) fn iff(&self, other: &Self) -> Self {
        let neither = self.or(other).not();
        self.and(other).or(&neither)
    }

    /// What is known with the claims about a formula, too.
    pub(super) fn with_claims<F: PartialEq>(
        mut self,
        claims: &[Claimed<F>],
        formula: &F,
    ) -> Result<Self, Refusal> {
        for claim in claims.iter().filter(|claim| claim.formula == *formula) {
            let side = if claim.holds { &mut self.yes } else { &mut self.no };
            side[claim.state] = true;
        }
        let contradiction = self.yes.iter().zip(&self.no).any(|(&yes, &no)| yes && no);
        if contradiction { Err(Refusal::Contradiction) } else { Ok(self) }
    }
}

fn both(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(&a, &b)| a && b).collect()
}

fn either(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(&a, &b)| a || b).collect()
}

impl<'a, S: Semantics> Fragment<'a, S> {
    /// The fragment that some runs make, with the states that each of them goes through.
    pub(super) fn new(net: &'a S, runs: &[Branch]) -> Result<(Self, Vec<Vec<usize>>), Refusal> {
        let mut fragment = Self {
            net,
            states: Vec::new(),
            index: HashMap::new(),
            successors: Vec::new(),
            numbered: Vec::new(),
            deadlock: Vec::new(),
            complete: Vec::new(),
            overflow: OnceCell::new(),
        };
        let initial = fragment.add(net.initial());
        fragment.numbered.push(initial);
        let walked = runs.iter().map(|run| fragment.walk(run)).collect::<Result<_, _>>()?;
        Ok((fragment, walked))
    }

    /// Adds the states and steps of a run.
    fn walk(&mut self, run: &Branch) -> Result<Vec<usize>, Refusal> {
        let mut now = self.state(run.from)?;
        let mut walked = vec![now];
        for step in &run.steps {
            let next = take(self.net, &self.states[now], step, self.numbered.len() - 1)?;
            let next = self.add(next);
            if !self.successors[now].contains(&next) {
                self.successors[now].push(next);
            }
            self.numbered.push(next);
            walked.push(next);
            now = next;
        }
        Ok(walked)
    }

    fn add(&mut self, state: S::State) -> usize {
        let next = self.states.len();
        let at = *self.index.entry(state.clone()).or_insert(next);
        if at == next {
            self.states.push(state);
            self.successors.push(Vec::new());
            self.deadlock.push(OnceCell::new());
            self.complete.push(OnceCell::new());
        }
        at
    }

    /// For each state the first of the numbers that the runs give it.
    pub(super) fn first_numbers(&self) -> Vec<usize> {
        let mut first = vec![0; self.states.len()];
        for (number, &state) in self.numbered.iter().enumerate().rev() {
            first[state] = number;
        }
        first
    }

    /// The state with a number of the evidence.
    fn state(&self, number: usize) -> Result<usize, Refusal> {
        self.numbered.get(number).copied().ok_or(Refusal::NoState { state: number })
    }

    /// The claims about formulas of one kind; those about other formulas say nothing of them.
    pub(super) fn claims<F: for<'f> TryFrom<&'f Formula>>(
        &self,
        claims: &[Claim],
    ) -> Result<Vec<Claimed<F>>, Refusal> {
        let mut claimed = Vec::new();
        for claim in claims {
            let state = self.state(claim.state)?;
            if let Ok(formula) = F::try_from(&claim.formula) {
                claimed.push(Claimed { state, formula, holds: claim.holds });
            }
        }
        Ok(claimed)
    }

    /// The value of a formula in the initial state, of which this is known.
    pub(super) fn initial_value(self, known: &KnownStates) -> Result<Option<bool>, Refusal> {
        match (known.yes[0], known.no[0], self.overflow.into_inner()) {
            (true, _, _) => Ok(Some(true)),
            (_, true, _) => Ok(Some(false)),
            (_, _, Some(step)) => Err(Refusal::Overflow { step }),
            _ => Ok(None),
        }
    }

    pub(super) fn is_deadlock(&self, at: usize) -> bool {
        *self.deadlock[at]
            .get_or_init(|| self.successors[at].is_empty() && is_deadlock(self.net, &self.states[at]))
    }

    /// Whether the fragment has all successors of a state.
    pub(super) fn is_complete(&self, at: usize) -> bool {
        *self.complete[at].get_or_init(|| {
            // A coloured net can have very many steps here, and one of them is enough.
            if self.successors[at].is_empty() {
                return self.is_deadlock(at);
            }
            let known = |state: &S::State| {
                self.index.get(state).is_some_and(|next| self.successors[at].contains(next))
            };
            let mut complete = true;
            self.net.successors(&self.states[at], &mut |step, next| match next {
                Ok(next) => complete &= known(&next),
                Err(_) => {
                    self.overflow.get_or_init(|| step);
                    complete = false;
                }
            });
            complete
        })
    }
}
