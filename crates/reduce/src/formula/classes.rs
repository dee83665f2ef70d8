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

/// The two classes, which are dual.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TemporalClass {
    Eventual,
    Universal,
}

/// Whether a formula in normal form is eventual, as far as its operators show.
pub(super) fn is_eventual(logic: Logic, f: &Formula) -> bool {
    is_of(TemporalClass::Eventual, logic, f)
}

/// Whether a formula in normal form is universal, as far as its operators show.
pub(super) fn is_universal(logic: Logic, f: &Formula) -> bool {
    is_of(TemporalClass::Universal, logic, f)
}

/// Whether a path formula of LTL in normal form has one value along the whole path, as far as its operators show. In CTL no
/// operator shows that.
pub(super) fn is_stable(f: &Formula) -> bool {
    is_eventual(Logic::Ltl, f) && is_universal(Logic::Ltl, f)
}

fn is_of(class: TemporalClass, logic: Logic, f: &Formula) -> bool {
    use TemporalClass::{Eventual, Universal};
    let operand = |f: &Formula| is_of(class, logic, f);
    match (f, class) {
        (Formula::Constant(_), _) => true,
        (Formula::Not(g), Eventual) => logic == Logic::Ctl && **g == Formula::Deadlock,
        (Formula::Deadlock, Universal) => logic == Logic::Ctl,
        (Formula::And(fs) | Formula::Or(fs), _) => fs.iter().all(operand),
        _ => match (temporal(f), class) {
            (None, _) => false,
            (Some((PathQuantifier::ForAll, _)), Eventual) => false,
            (Some((PathQuantifier::Exists, _)), Universal) => false,
            (Some((_, Formula::Finally(_))), Eventual) => true,
            (Some((_, Formula::Globally(_))), Universal) => true,
            (Some((_, Formula::Until(_, g) | Formula::Release(_, g))), _) if logic == Logic::Ctl => {
                operand(g)
            }
            (Some((_, path)), _) => path.children().all(operand),
        },
    }
}
