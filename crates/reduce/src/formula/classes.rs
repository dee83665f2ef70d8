//! Eventual, universal and stable formulas.
//!
//! Source: Etessami and Holzmann, "Optimizing Büchi Automata" (CONCUR 2000), extended to weak until. An *eventual*
//! formula is true wherever it is true later (`F e = e`); a *universal* one stays true (`G u = u`); a *stable* one
//! is both, so it has the same value at all positions of a word (`X s = s`).
//! Test: `classes_hold_on_words` in `rewrite/tests.rs`.

use fireset_net::Formula;

/// Whether a formula in normal form is eventual, as far as its operators show.
pub(crate) fn is_eventual(f: &Formula) -> bool {
    match f {
        Formula::Constant(_) | Formula::Finally(_) => true,
        Formula::Until(_, g) => is_eventual(g),
        Formula::And(_) | Formula::Or(_) | Formula::Next(_) | Formula::Globally(_) => {
            f.children().all(is_eventual)
        }
        Formula::Release(..) | Formula::WeakUntil(..) => f.children().all(is_eventual),
        _ => false,
    }
}

/// Whether a formula in normal form is universal, as far as its operators show.
pub(crate) fn is_universal(f: &Formula) -> bool {
    match f {
        Formula::Constant(_) | Formula::Globally(_) => true,
        Formula::Release(_, g) => is_universal(g),
        Formula::And(_) | Formula::Or(_) | Formula::Next(_) | Formula::Finally(_) => {
            f.children().all(is_universal)
        }
        Formula::Until(..) | Formula::WeakUntil(..) => f.children().all(is_universal),
        _ => false,
    }
}

/// Whether a formula in normal form has one value for the whole word, as far as its operators show.
pub(crate) fn is_stable(f: &Formula) -> bool {
    is_eventual(f) && is_universal(f)
}
