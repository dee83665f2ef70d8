//! Eventual and universal CTL formulas.
//!
//! Why: an *eventual* formula that is true in a state is true in every state that leads there, so `EF e = AF e = e`; a
//! *universal* one stays true for ever, so `AG u = EG u = u`. Each is the negation of the other. The notions are those of
//! [`crate::formula::classes`] for words (Etessami and Holzmann), but along branches: `AF f` is eventual on a word and
//! not here, while `!deadlock`, which means nothing to a word, is: where something can happen later, it can happen now.
//! Test: `classes_hold_in_every_state` in `rules/tests.rs`.

use fireset_net::{Formula, Quantifier};

use super::quantified;

/// Whether a formula in normal form is eventual, as far as its operators show.
pub(super) fn is_eventual(f: &Formula) -> bool {
    match f {
        Formula::Constant(_) => true,
        Formula::Not(g) => **g == Formula::Deadlock,
        Formula::And(fs) | Formula::Or(fs) => fs.iter().all(is_eventual),
        _ => match quantified(f) {
            Some((Quantifier::Exists, Formula::Finally(_))) => true,
            Some((Quantifier::Exists, Formula::Next(g) | Formula::Globally(g))) => is_eventual(g),
            Some((Quantifier::Exists, Formula::Release(_, g))) => is_eventual(g),
            Some((Quantifier::Exists, path @ Formula::WeakUntil(..))) => path.children().all(is_eventual),
            _ => false,
        },
    }
}

/// Whether a formula in normal form is universal, as far as its operators show.
pub(super) fn is_universal(f: &Formula) -> bool {
    match f {
        Formula::Constant(_) | Formula::Deadlock => true,
        Formula::And(fs) | Formula::Or(fs) => fs.iter().all(is_universal),
        _ => match quantified(f) {
            Some((Quantifier::ForAll, Formula::Globally(_))) => true,
            Some((Quantifier::ForAll, Formula::Next(g) | Formula::Finally(g))) => is_universal(g),
            Some((Quantifier::ForAll, Formula::Until(_, g))) => is_universal(g),
            _ => false,
        },
    }
}
