//! Eventual, universal and stable formulas.
//!
//! Why: an *eventual* formula that is true somewhere on a path is true everywhere before, so `QF e = e`; a *universal* one
//! stays true, so `QG u = u`. Each is the negation of the other. A *stable* one is both and has one value along a path.
//! Source: Etessami and Holzmann, "Optimizing Büchi Automata" (CONCUR 2000), for words. We extend the classes to weak until
//! and to CTL, where "before" and "after" go along all paths: `F f` and `EF f` are eventual, `AF f` is not; `G f` and `AG f`
//! are universal, `EG f` is not. In CTL a deadlock ends all paths, so `deadlock` is universal and `!deadlock` eventual.
//! Of `f U g` and `f R g` the class of `g` is enough. In LTL we ask for that of `f` too, since otherwise `u W g = u | g` is
//! applied to formulas that other rules make smaller.
//! Test: `classes_are_closed` in `rewrite/tests`.

use fireset_net::{Formula, Logic};

use super::view::{PathQuantifier, temporal};

/// Whether a formula in normal form is eventual, as far as its operators show.
pub(super) fn is_eventual(logic: Logic, f: &Formula) -> bool {
    let class = |f: &Formula| is_eventual(logic, f);
    match f {
        Formula::Constant(_) => true,
        Formula::Not(g) => logic == Logic::Ctl && **g == Formula::Deadlock,
        Formula::And(fs) | Formula::Or(fs) => fs.iter().all(class),
        _ => match temporal(f) {
            None | Some((PathQuantifier::ForAll, _)) => false,
            Some((_, Formula::Finally(_))) => true,
            Some((_, Formula::Next(g) | Formula::Globally(g))) => class(g),
            Some((_, Formula::Until(_, g) | Formula::Release(_, g))) if logic == Logic::Ctl => class(g),
            Some((_, path)) => path.children().all(class),
        },
    }
}

/// Whether a formula in normal form is universal, as far as its operators show.
pub(super) fn is_universal(logic: Logic, f: &Formula) -> bool {
    let class = |f: &Formula| is_universal(logic, f);
    match f {
        Formula::Constant(_) => true,
        Formula::Deadlock => logic == Logic::Ctl,
        Formula::And(fs) | Formula::Or(fs) => fs.iter().all(class),
        _ => match temporal(f) {
            None | Some((PathQuantifier::Exists, _)) => false,
            Some((_, Formula::Globally(_))) => true,
            Some((_, Formula::Next(g) | Formula::Finally(g))) => class(g),
            Some((_, Formula::Until(_, g) | Formula::Release(_, g))) if logic == Logic::Ctl => class(g),
            Some((_, path)) => path.children().all(class),
        },
    }
}

/// Whether a path formula of LTL in normal form has one value along the whole path, as far as its operators show. In CTL no
/// operator shows that.
pub(super) fn is_stable(f: &Formula) -> bool {
    is_eventual(Logic::Ltl, f) && is_universal(Logic::Ltl, f)
}
