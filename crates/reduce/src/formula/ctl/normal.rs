//! Negation normal form of CTL: the cases of [`Builder`] that path formulas do not have.
//!
//! Why: the rules then need to know few negations. A negation turns a quantifier and its operator into their duals. An
//! equivalence stays, since spelling it out would double it. So does a negated `f W g`, which repeats `g`, unless `g` is
//! a state predicate. Preserves the value in every state. Cost: linear.
//! Test: `normal_form_keeps_the_meaning` in `rules/tests.rs`.

use fireset_net::Formula;

use super::{dual, quantified, quantify};
use crate::formula::normal::Builder;

impl Builder {
    /// The normal form of a formula that begins with a quantifier, or of its negation when `positive` is false.
    pub(in crate::formula) fn quantified(&mut self, f: &Formula, positive: bool) -> Option<Formula> {
        let (quantifier, path) = quantified(f).expect("only formulas with a quantifier come here");
        if positive {
            return Some(quantify(quantifier, self.build(path, true)?));
        }
        match path {
            Formula::WeakUntil(_, g) if !g.is_state_predicate() => {
                let positive = quantify(quantifier, self.build(path, true)?);
                Some(Formula::Not(Box::new(positive)))
            }
            Formula::WeakUntil(f, g) => {
                let (not_f, not_g) = (self.build(f, false)?, self.build(g, false)?);
                let neither = Formula::And(vec![not_f, not_g.clone()]);
                Some(quantify(dual(quantifier), Formula::Until(Box::new(not_g), Box::new(neither))))
            }
            path => Some(quantify(dual(quantifier), self.build(path, false)?)),
        }
    }
}
