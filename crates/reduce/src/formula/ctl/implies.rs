//! What quantifiers tell about implication: the cases of [`Search`] that path formulas do not have.
//!
//! Why: absorption, contradictions and several rules for until need to know that one formula implies another. What
//! implies on each path does so on all and on some of them; and since there is always a maximal path, what is true on all
//! is true on some. `X` is the exception, because a deadlock has no next state: `AX f` is true there and `EX f` false.
//! Cost: bounded with the rest of the search. Test: `implications_hold_in_every_state` in `rules/tests.rs`.

use fireset_net::{Formula, Quantifier};

use super::{
    classes::{is_eventual, is_universal},
    quantified,
};
use crate::formula::implies::Search;

impl Search {
    /// Whether `f` implies `g`, where one of them begins with a quantifier.
    pub(in crate::formula) fn by_quantifiers(&mut self, f: &Formula, g: &Formula) -> bool {
        let (premise, conclusion) = (quantified(f), quantified(g));
        if let (Some((q, a)), Some((r, b))) = (premise, conclusion)
            && (q == r || q == Quantifier::ForAll && !matches!(a, Formula::Next(_)))
            && self.by_operands(a, b)
        {
            return true;
        }
        premise.is_some_and(|(q, path)| self.by_first_state(q, path, g))
            || conclusion.is_some_and(|(r, path)| self.by_continuation(f, r, path))
    }

    /// What `path` says of its first state, or of a state that an eventual `g` sees.
    fn by_first_state(&mut self, quantifier: Quantifier, path: &Formula, g: &Formula) -> bool {
        match path {
            Formula::Globally(a) | Formula::Release(_, a) => self.implies(a, g),
            Formula::Until(a, b) if self.implies(b, g) => is_eventual(g) || self.implies(a, g),
            Formula::WeakUntil(a, b) => self.implies(b, g) && self.implies(a, g),
            Formula::Finally(a) => is_eventual(g) && self.implies(a, g),
            Formula::Next(a) if quantifier == Quantifier::Exists => {
                *g == Formula::Not(Box::new(Formula::Deadlock)) || is_eventual(g) && self.implies(a, g)
            }
            _ => false,
        }
    }

    /// What makes `path` true at once, or for ever.
    fn by_continuation(&mut self, f: &Formula, quantifier: Quantifier, path: &Formula) -> bool {
        match path {
            Formula::Finally(b) | Formula::Until(_, b) => self.implies(f, b),
            Formula::WeakUntil(a, b) => self.implies(f, b) || is_universal(f) && self.implies(f, a),
            Formula::Release(a, b) => self.implies(f, b) && (is_universal(f) || self.implies(f, a)),
            Formula::Globally(b) => is_universal(f) && self.implies(f, b),
            Formula::Next(b) if quantifier == Quantifier::ForAll => {
                *f == Formula::Deadlock || is_universal(f) && self.implies(f, b)
            }
            _ => false,
        }
    }
}
