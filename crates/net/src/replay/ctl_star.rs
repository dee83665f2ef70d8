//! The value of a formula of CTL* as far as some runs show it.
//!
//! A run that comes back to one of its markings, or ends in a deadlock, is an infinite word, whose letters are the values of the
//! formulas about markings inside a path formula. Some run satisfies the path formula where the word does. All runs do where the
//! word does and there is no other run, because every marking from there on has one successor or none. Elsewhere nothing is
//! known, so formulas have three values, as in [`Fragment`]; behind the end of a run that does not come back nothing is known either.
//! A value that no run shows may be claimed, as for CTL.
//!
//! Invariant: no formula is known to hold and not to hold in a state, unless a claim is wrong.
//! Cost: the length of the runs times the formula's size, for each marking of a run that is the one at its end; and the steps of the
//! markings that must have one successor. Test: `crates/engine/tests/ctl_star.rs`.

use std::collections::HashMap;

use super::{
    PeriodicWord, Refusal,
    fragment::{Claimed, Fragment, KnownStates},
    holds_in, word,
};
use crate::{
    BoolTree, Branch, Branching, CtlStarAtom, CtlStarFormula, Evidence, Lasso, Quantifier, Semantics,
};

/// The value of a formula of CTL* in the initial marking, where runs and claims tell.
pub(super) fn value<S: Semantics>(
    net: &S,
    evidence: &Evidence,
    formula: &CtlStarFormula,
) -> Result<Option<bool>, Refusal> {
    let formula = &formula.clone().of_markings();
    let (fragment, words, claims) = match evidence {
        Evidence::Lasso(lasso) => {
            let (fragment, word) = infinite_run(net, lasso)?;
            (fragment, vec![word], Vec::new())
        }
        Evidence::Branching(Branching { runs, claims }) => {
            let (fragment, walked) = Fragment::new(net, runs)?;
            let words = walked.iter().flat_map(|run| words(&fragment, run)).collect();
            let claims: Vec<Claimed<CtlStarFormula>> = fragment.claims(claims)?;
            let is_verdict = |claim: &Claimed<CtlStarFormula>| claim.state == 0 && claim.formula == *formula;
            if claims.iter().any(is_verdict) || (runs.is_empty() && !claims.is_empty()) {
                return Err(Refusal::ShowsNothing("the verdict itself is only claimed"));
            }
            (fragment, words, claims)
        }
        Evidence::Trace(_) | Evidence::Certificate(_) => return Err(Refusal::Mismatch),
    };
    let mut valuation = StarValuation { fragment, words, claims, known: HashMap::new() };
    valuation.learn(formula)?;
    let initial = RunWord { states: vec![Some(0)], back_to: 0 };
    let known = valuation.along(formula, &initial);
    valuation.fragment.initial_value(&known)
}

/// A run as an infinite word: position `back_to` follows the last.
struct RunWord {
    /// By position, the state; `None` for all positions behind the end of a run that does not come back.
    states: Vec<Option<usize>>,
    back_to: usize,
}

/// The word of a lasso, which must be a run of the net.
fn infinite_run<'a, S: Semantics>(net: &'a S, lasso: &Lasso) -> Result<(Fragment<'a, S>, RunWord), Refusal> {
    let steps = lasso.prefix.iter().chain(&lasso.cycle).cloned().collect();
    let (fragment, mut walked) = Fragment::new(net, &[Branch { from: 0, steps }])?;
    let (mut run, back_to) = (walked.remove(0), lasso.prefix.len());
    if lasso.cycle.is_empty() {
        if !fragment.is_deadlock(run[back_to]) {
            return Err(Refusal::NotDeadlocked);
        }
    } else if run.pop() != Some(run[back_to]) {
        return Err(Refusal::CycleOpen);
    }
    Ok((fragment, RunWord { states: run.into_iter().map(Some).collect(), back_to }))
}

/// The words that a run may be read as: it may go back to each marking that is the one at its end.
fn words<S: Semantics>(fragment: &Fragment<'_, S>, run: &[usize]) -> Vec<RunWord> {
    let (&end, before) = run.split_last().expect("a run has a first state");
    let all = || run.iter().copied().map(Some);
    if fragment.is_deadlock(end) {
        return vec![RunWord { states: all().collect(), back_to: before.len() }];
    }
    let closed = (0..before.len()).filter(|&at| before[at] == end);
    let closed =
        closed.map(|back_to| RunWord { states: before.iter().copied().map(Some).collect(), back_to });
    let closed: Vec<RunWord> = closed.collect();
    match closed.is_empty() {
        true => vec![RunWord { states: all().chain([None]).collect(), back_to: run.len() }],
        false => closed,
    }
}

/// The values of formulas of CTL* in the states of a fragment and along its runs.
struct StarValuation<'a, S: Semantics> {
    fragment: Fragment<'a, S>,
    words: Vec<RunWord>,
    claims: Vec<Claimed<CtlStarFormula>>,
    /// What is known of the state predicates and quantified formulas that were learned.
    known: HashMap<CtlStarAtom, KnownStates>,
}

impl<S: Semantics> StarValuation<'_, S> {
    /// Finds out what is known of the formulas about markings in a formula, from the inside out.
    fn learn(&mut self, formula: &CtlStarFormula) -> Result<(), Refusal> {
        let mut atoms = Vec::new();
        formula.atoms(&mut |atom| atoms.push(atom));
        for atom in atoms {
            let known = match atom {
                _ if self.known.contains_key(atom) => continue,
                CtlStarAtom::Temporal(operator) => {
                    operator.operands().try_for_each(|operand| self.learn(operand))?;
                    continue;
                }
                CtlStarAtom::State(predicate) => {
                    let Fragment { net, states, .. } = &self.fragment;
                    let yes: Vec<bool> =
                        states.iter().map(|state| holds_in(*net, state, predicate)).collect();
                    KnownStates { no: word::negated(yes.clone()), yes }
                }
                CtlStarAtom::Quantified(quantifier, path) => {
                    self.learn(path)?;
                    self.quantified(*quantifier, path)
                        .with_claims(&self.claims, &BoolTree::Atom(atom.clone()))?
                }
            };
            self.known.insert(atom.clone(), known);
        }
        Ok(())
    }

    /// What the runs show of a path formula behind a quantifier.
    fn quantified(&self, quantifier: Quantifier, path: &CtlStarFormula) -> KnownStates {
        let mut some_run = KnownStates::nowhere(self.fragment.states.len());
        for word in &self.words {
            let along = self.along(path, word);
            let along = if quantifier == Quantifier::ForAll { along.not() } else { along };
            let only_from = if along.no.contains(&true) { self.only_from(word) } else { usize::MAX };
            for (at, &state) in word.states.iter().enumerate() {
                if let Some(state) = state {
                    some_run.yes[state] |= along.yes[at];
                    some_run.no[state] |= along.no[at] && at >= only_from;
                }
            }
        }
        if quantifier == Quantifier::ForAll { some_run.not() } else { some_run }
    }

    /// The position of a word from which on it is the only run.
    fn only_from(&self, word: &RunWord) -> usize {
        let has_one = |state: &Option<usize>| {
            state.is_some_and(|at| {
                let is_one = self.fragment.successors[at].len() <= 1;
                is_one && self.fragment.is_complete(at)
            })
        };
        let (prefix, cycle) = word.states.split_at(word.back_to);
        match cycle.iter().all(has_one) {
            true => prefix.len() - prefix.iter().rev().take_while(|state| has_one(state)).count(),
            false => usize::MAX,
        }
    }

    /// What is known of a formula at the positions of a word.
    fn along(&self, formula: &CtlStarFormula, run: &RunWord) -> KnownStates {
        let length = run.states.len();
        let sub = |f: &CtlStarFormula| self.along(f, run);
        match formula {
            BoolTree::Constant(value) => KnownStates::constant(*value, length),
            BoolTree::Not(f) => sub(f).not(),
            BoolTree::And(fs) => {
                fs.iter().fold(KnownStates::constant(true, length), |all, f| all.and(&sub(f)))
            }
            BoolTree::Or(fs) => {
                fs.iter().fold(KnownStates::constant(false, length), |any, f| any.or(&sub(f)))
            }
            BoolTree::Iff(sides) => sub(&sides.0).iff(&sub(&sides.1)),
            BoolTree::Atom(CtlStarAtom::Temporal(operator)) => {
                // An operator is certain if it holds of what is certain, and excluded if it does not hold of what is possible.
                let word = PeriodicWord { length, back_to: run.back_to };
                let operands = operator.map(&mut |f| sub(f));
                let possible = word.temporal(operands.map(&mut |f| word::negated(f.no.clone())));
                KnownStates {
                    yes: word.temporal(operands.map(&mut |f| f.yes.clone())),
                    no: word::negated(possible),
                }
            }
            BoolTree::Atom(atom) => {
                let known = &self.known[atom];
                let at = |side: &[bool]| run.states.iter().map(|s| s.is_some_and(|s| side[s])).collect();
                KnownStates { yes: at(&known.yes), no: at(&known.no) }
            }
        }
    }
}
