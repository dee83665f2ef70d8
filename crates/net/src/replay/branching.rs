//! The value of a CTL formula as far as some runs show it.
//!
//! Runs that branch are a fragment of the reachability graph. In each of its states a formula is known to hold, known
//! not to hold, or neither: steps that no run takes could lead anywhere. Something holds on some run if the fragment
//! has that run; it holds on all runs if the fragment is complete as far as it matters, which is found out by listing
//! the steps of its states. A run that ends in a marking of the fragment closes a cycle.
//!
//! So the evidence need not follow the formula's shape, and evidence for a formula that was rewritten is evidence for
//! the one that was asked. What cannot be shown so, such as that from a state on something holds for ever, may be
//! claimed; whoever reads the evidence is told.
//! Source: the three values are those of Bruns and Godefroid, "Model checking partial state spaces with 3-valued
//! temporal logics" (CAV 1999).
//! Invariant: no formula is known to hold and not to hold in a state, unless a claim is wrong.
//! Test: `tests/branching.rs`, on random fragments against the oracle.

use std::{cell::OnceCell, collections::HashMap};

use super::{Refusal, holds_in, is_deadlock, take};
use crate::{BoolTree, Branching, CtlAtom, CtlFormula, Quantifier, Semantics, Step, Temporal};

/// The value of a CTL formula in the initial marking, where runs and claims tell.
pub(super) fn value<S: Semantics>(
    net: &S,
    evidence: &Branching,
    formula: &CtlFormula,
) -> Result<Option<bool>, Refusal> {
    let fragment = Fragment::new(net, evidence)?;
    if fragment.claims.iter().any(|claim| claim.state == 0 && claim.formula == *formula) {
        return Err(Refusal::ShowsNothing("the verdict itself is only claimed"));
    }
    let KnownStates { yes, no } = fragment.known(formula)?;
    Ok(match (yes[0], no[0]) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => match fragment.overflow.into_inner() {
            Some(step) => return Err(Refusal::Overflow { step }),
            None => None,
        },
    })
}

/// A part of the reachability graph; state 0 is the initial one.
struct Fragment<'a, S: Semantics> {
    net: &'a S,
    states: Vec<S::State>,
    index: HashMap<S::State, usize>,
    successors: Vec<Vec<usize>>,
    claims: Vec<Claimed>,
    deadlock: Vec<OnceCell<bool>>,
    complete: Vec<OnceCell<bool>>,
    /// A step that no run can take, because a count would leave 64 bits.
    overflow: OnceCell<Step>,
}

/// A claim about a state of the fragment.
struct Claimed {
    state: usize,
    formula: CtlFormula,
    holds: bool,
}

/// Where a formula is known to hold, and where it is known not to.
struct KnownStates {
    yes: Vec<bool>,
    no: Vec<bool>,
}

impl KnownStates {
    fn not(&self) -> Self {
        Self { yes: self.no.clone(), no: self.yes.clone() }
    }

    fn and(&self, other: &Self) -> Self {
        Self { yes: both(&self.yes, &other.yes), no: either(&self.no, &other.no) }
    }

    fn or(&self, other: &Self) -> Self {
        Self { yes: either(&self.yes, &other.yes), no: both(&self.no, &other.no) }
    }
}

fn both(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(&a, &b)| a && b).collect()
}

fn either(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(&a, &b)| a || b).collect()
}

impl<'a, S: Semantics> Fragment<'a, S> {
    fn new(net: &'a S, evidence: &Branching) -> Result<Self, Refusal> {
        let mut fragment = Self {
            net,
            states: Vec::new(),
            index: HashMap::new(),
            successors: Vec::new(),
            claims: Vec::new(),
            deadlock: Vec::new(),
            complete: Vec::new(),
            overflow: OnceCell::new(),
        };
        let mut numbered = vec![fragment.add(net.initial())];
        for run in &evidence.runs {
            let mut now = *numbered.get(run.from).ok_or(Refusal::NoState { state: run.from })?;
            for step in &run.steps {
                let next = take(net, &fragment.states[now], step, numbered.len() - 1)?;
                let next = fragment.add(next);
                if !fragment.successors[now].contains(&next) {
                    fragment.successors[now].push(next);
                }
                numbered.push(next);
                now = next;
            }
        }
        for claim in &evidence.claims {
            let state = *numbered.get(claim.state).ok_or(Refusal::NoState { state: claim.state })?;
            // A claim about a formula of another kind says nothing of a CTL formula.
            if let Ok(formula) = CtlFormula::try_from(&claim.formula) {
                fragment.claims.push(Claimed { state, formula, holds: claim.holds });
            }
        }
        Ok(fragment)
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

    fn is_deadlock(&self, at: usize) -> bool {
        *self.deadlock[at]
            .get_or_init(|| self.successors[at].is_empty() && is_deadlock(self.net, &self.states[at]))
    }

    /// Whether the fragment has all successors of a state.
    fn is_complete(&self, at: usize) -> bool {
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

    /// Whether some step that is known leads into a set.
    fn some(&self, at: usize, set: &[bool]) -> bool {
        self.successors[at].iter().any(|&next| set[next])
    }

    /// Whether all steps are known and lead into a set.
    fn all(&self, at: usize, set: &[bool]) -> bool {
        self.successors[at].iter().all(|&next| set[next]) && self.is_complete(at)
    }

    fn collect(&self, test: impl Fn(usize) -> bool) -> Vec<bool> {
        (0..self.states.len()).map(test).collect()
    }

    /// The least or, from `start` true, the greatest set of states that have what `test` says of the set.
    fn solve(&self, start: bool, test: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
        let mut set = vec![start; self.states.len()];
        loop {
            let mut changed = false;
            // Backwards, since runs mostly lead to higher numbers.
            for at in (0..set.len()).rev() {
                if set[at] == start && test(at, &set) != start {
                    set[at] = !start;
                    changed = true;
                }
            }
            if !changed {
                return set;
            }
        }
    }

    /// What is known of a CTL formula.
    fn known(&self, formula: &CtlFormula) -> Result<KnownStates, Refusal> {
        let mut known = self.shown(formula)?;
        for claim in self.claims.iter().filter(|claim| claim.formula == *formula) {
            let side = if claim.holds { &mut known.yes } else { &mut known.no };
            side[claim.state] = true;
        }
        let contradiction = known.yes.iter().zip(&known.no).any(|(&yes, &no)| yes && no);
        if contradiction { Err(Refusal::Contradiction) } else { Ok(known) }
    }

    /// What the runs show of a CTL formula, with the claims about its operands.
    fn shown(&self, formula: &CtlFormula) -> Result<KnownStates, Refusal> {
        let sub = |f: &CtlFormula| self.known(f);
        Ok(match formula {
            BoolTree::Constant(true) => self.everywhere(),
            BoolTree::Constant(false) => self.everywhere().not(),
            BoolTree::Not(f) => sub(f)?.not(),
            BoolTree::And(fs) => fs.iter().try_fold(self.everywhere(), |all, f| Ok(all.and(&sub(f)?)))?,
            BoolTree::Or(fs) => fs.iter().try_fold(self.everywhere().not(), |all, f| Ok(all.or(&sub(f)?)))?,
            BoolTree::Iff(sides) => {
                let (f, g) = (sub(&sides.0)?, sub(&sides.1)?);
                let neither = f.or(&g).not();
                f.and(&g).or(&neither)
            }
            BoolTree::Atom(CtlAtom::State(predicate)) => {
                let yes = self.collect(|at| holds_in(self.net, &self.states[at], predicate));
                let no = yes.iter().map(|&holds| !holds).collect();
                KnownStates { yes, no }
            }
            BoolTree::Atom(CtlAtom::Temporal(Quantifier::Exists, operator)) => match &**operator {
                Temporal::Next(f) => self.some_next(&sub(f)?),
                Temporal::Finally(f) => self.some_until(&self.everywhere(), &sub(f)?),
                Temporal::Globally(f) => self.some_globally(&sub(f)?),
                Temporal::Until(f, g) => self.some_until(&sub(f)?, &sub(g)?),
                Temporal::Release(f, g) => self.some_release(&sub(f)?, &sub(g)?),
                Temporal::WeakUntil(f, g) => {
                    let f = sub(f)?;
                    self.some_until(&f, &sub(g)?).or(&self.some_globally(&f))
                }
            },
            BoolTree::Atom(CtlAtom::Temporal(Quantifier::ForAll, operator)) => match &**operator {
                Temporal::Next(f) => self.some_next(&sub(f)?.not()),
                Temporal::Finally(f) => self.some_globally(&sub(f)?.not()),
                Temporal::Globally(f) => self.some_until(&self.everywhere(), &sub(f)?.not()),
                Temporal::Until(f, g) => self.some_release(&sub(f)?.not(), &sub(g)?.not()),
                Temporal::Release(f, g) => self.some_until(&sub(f)?.not(), &sub(g)?.not()),
                Temporal::WeakUntil(f, g) => {
                    let no_g = sub(g)?.not();
                    let neither = sub(f)?.not().and(&no_g);
                    self.some_until(&no_g, &neither)
                }
            }
            .not(),
        })
    }

    fn everywhere(&self) -> KnownStates {
        KnownStates { yes: vec![true; self.states.len()], no: vec![false; self.states.len()] }
    }

    /// The states where `EX f` is known.
    fn some_next(&self, f: &KnownStates) -> KnownStates {
        KnownStates {
            yes: self.collect(|at| self.some(at, &f.yes)),
            no: self.collect(|at| self.all(at, &f.no)),
        }
    }

    /// The states where `E[f U g]` is known.
    fn some_until(&self, f: &KnownStates, g: &KnownStates) -> KnownStates {
        let yes = self.solve(false, |at, set| g.yes[at] || f.yes[at] && self.some(at, set));
        let no = self.solve(true, |at, set| g.no[at] && (f.no[at] || self.all(at, set)));
        KnownStates { yes, no }
    }

    /// The states where `EG f` is known.
    fn some_globally(&self, f: &KnownStates) -> KnownStates {
        let yes = self.solve(true, |at, set| f.yes[at] && (self.some(at, set) || self.is_deadlock(at)));
        let no = self.solve(false, |at, set| f.no[at] || !self.is_deadlock(at) && self.all(at, set));
        KnownStates { yes, no }
    }

    /// The states where `E[f R g]` is known.
    fn some_release(&self, f: &KnownStates, g: &KnownStates) -> KnownStates {
        self.some_until(g, &f.and(g)).or(&self.some_globally(g))
    }
}
