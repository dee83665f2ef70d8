//! The value of a CTL formula as far as some runs show it.
//!
//! Runs that branch are a fragment of the reachability graph ([`Fragment`]). Something holds on some run if the fragment
//! has that run; it holds on all runs if the fragment is complete as far as it matters, which is found out by listing
//! the steps of its states. A run that ends in a marking of the fragment closes a cycle.
//!
//! So the evidence need not follow the formula's shape, and evidence for a formula that was rewritten is evidence for
//! the one that was asked. What cannot be shown so, such as that from a state on something holds for ever, may be
//! claimed; whoever reads the evidence is told.
//! Invariant: no formula is known to hold and not to hold in a state, unless a claim is wrong.
//! Test: `tests/branching.rs`, on random fragments against the oracle.

use super::{
    Refusal,
    fragment::{Claimed, Fragment, KnownStates},
    holds_in,
};
use crate::{BoolTree, Branching, CtlAtom, CtlFormula, Quantifier, Semantics, Temporal};

/// The value of a CTL formula in the initial marking, where runs and claims tell.
pub(super) fn value<S: Semantics>(
    net: &S,
    evidence: &Branching,
    formula: &CtlFormula,
) -> Result<Option<bool>, Refusal> {
    let (valuation, _) = CtlValuation::new(net, evidence)?;
    if valuation.claims.iter().any(|claim| claim.state == 0 && claim.formula == *formula) {
        return Err(Refusal::ShowsNothing("the verdict itself is only claimed"));
    }
    let known = valuation.known(formula)?;
    valuation.fragment.initial_value(&known)
}

/// The values of CTL formulas in the states of a fragment.
pub(super) struct CtlValuation<'a, S: Semantics> {
    pub(super) fragment: Fragment<'a, S>,
    claims: Vec<Claimed<CtlFormula>>,
}

impl<'a, S: Semantics> CtlValuation<'a, S> {
    /// With the states that each of the runs goes through.
    pub(super) fn new(net: &'a S, evidence: &Branching) -> Result<(Self, Vec<Vec<usize>>), Refusal> {
        let (fragment, walked) = Fragment::new(net, &evidence.runs)?;
        let claims = fragment.claims(&evidence.claims)?;
        Ok((Self { fragment, claims }, walked))
    }

    /// Whether some step that is known leads into a set.
    fn some(&self, at: usize, set: &[bool]) -> bool {
        self.fragment.successors[at].iter().any(|&next| set[next])
    }

    /// Whether all steps are known and lead into a set.
    fn all(&self, at: usize, set: &[bool]) -> bool {
        self.fragment.successors[at].iter().all(|&next| set[next]) && self.fragment.is_complete(at)
    }

    fn collect(&self, test: impl Fn(usize) -> bool) -> Vec<bool> {
        (0..self.fragment.states.len()).map(test).collect()
    }

    /// The least or, from `start` true, the greatest set of states that have what `test` says of the set.
    fn solve(&self, start: bool, test: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
        let mut set = vec![start; self.fragment.states.len()];
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
    pub(super) fn known(&self, formula: &CtlFormula) -> Result<KnownStates, Refusal> {
        self.shown(formula)?.with_claims(&self.claims, formula)
    }

    /// What the runs show of a CTL formula, with the claims about its operands.
    pub(super) fn shown(&self, formula: &CtlFormula) -> Result<KnownStates, Refusal> {
        let sub = |f: &CtlFormula| self.known(f);
        Ok(match formula {
            BoolTree::Constant(true) => self.everywhere(),
            BoolTree::Constant(false) => self.everywhere().not(),
            BoolTree::Not(f) => sub(f)?.not(),
            BoolTree::And(fs) => fs.iter().try_fold(self.everywhere(), |all, f| Ok(all.and(&sub(f)?)))?,
            BoolTree::Or(fs) => fs.iter().try_fold(self.everywhere().not(), |all, f| Ok(all.or(&sub(f)?)))?,
            BoolTree::Iff(sides) => sub(&sides.0)?.iff(&sub(&sides.1)?),
            BoolTree::Atom(CtlAtom::State(predicate)) => {
                let yes =
                    self.collect(|at| holds_in(self.fragment.net, &self.fragment.states[at], predicate));
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
        KnownStates::constant(true, self.fragment.states.len())
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
    pub(super) fn some_globally(&self, f: &KnownStates) -> KnownStates {
        let yes =
            self.solve(true, |at, set| f.yes[at] && (self.some(at, set) || self.fragment.is_deadlock(at)));
        let no = self.solve(false, |at, set| f.no[at] || !self.fragment.is_deadlock(at) && self.all(at, set));
        KnownStates { yes, no }
    }

    /// The states where `E[f R g]` is known.
    fn some_release(&self, f: &KnownStates, g: &KnownStates) -> KnownStates {
        self.some_until(g, &f.and(g)).or(&self.some_globally(g))
    }
}
