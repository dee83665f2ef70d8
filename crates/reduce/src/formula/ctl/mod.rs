//! CTL: normal form, rules, and queries of other kinds that a formula is made of.
//!
//! Why: few engines decide CTL, and none as fast as reachability; what can be said with `EF` and `AG` over a state
//! predicate should be. Source: Bønneland, Dyhr, Jensen, Johannsen and Srba, "Simplification of CTL Formulae for
//! Efficient Model Checking of Petri Nets" (Petri Nets 2018), sections 3 and 4.
//!
//! | file | what |
//! |---|---|
//! | `normal` | negations go inwards |
//! | `classes` | formulas that are true earlier, or later, wherever they are true |
//! | `implies` | implication between quantified formulas |
//! | [`home`] | what is the same everywhere where each firing can be undone |
//! | [`next`] | `X` before state predicates, as predicates |
//! | [`rules`] | equivalences, the paper's ρ |
//! | [`linear`] | CTL that is LTL too |
//! | [`parts`] | queries that a formula is a Boolean combination of |
//! | [`bracket`] | easier queries that decide it one way |
//!
//! The initial marking, the paper's Ω, is in `super::initial`, for CTL and LTL together.
//! Semantics: maximal paths. In a deadlock `EX f` is false, `AX f` true, and other operators look at that one state.

pub mod bracket;
mod classes;
pub mod home;
mod implies;
pub mod linear;
pub mod next;
mod normal;
pub mod parts;
pub mod rules;

use fireset_net::{Formula, Quantifier};

/// The quantifier of a formula that begins with one, and the path formula below it.
pub(super) fn quantified(f: &Formula) -> Option<(Quantifier, &Formula)> {
    match f {
        Formula::Exists(path) => Some((Quantifier::Exists, path)),
        Formula::ForAll(path) => Some((Quantifier::ForAll, path)),
        _ => None,
    }
}

/// A quantifier before a path formula.
pub(super) fn quantify(quantifier: Quantifier, path: Formula) -> Formula {
    match quantifier {
        Quantifier::Exists => Formula::Exists(Box::new(path)),
        Quantifier::ForAll => Formula::ForAll(Box::new(path)),
    }
}

/// The other quantifier.
fn dual(quantifier: Quantifier) -> Quantifier {
    match quantifier {
        Quantifier::Exists => Quantifier::ForAll,
        Quantifier::ForAll => Quantifier::Exists,
    }
}

/// Whether each temporal operator stands below a quantifier: the value depends on a state only.
pub(super) fn is_state_formula(f: &Formula) -> bool {
    matches!(f, Formula::Exists(_) | Formula::ForAll(_))
        || !f.is_temporal() && f.children().all(is_state_formula)
}

/// The same formula over changed operands: state formulas directly below the root, or below its quantifier and
/// path operator.
fn map_operands(f: Formula, change: &mut impl FnMut(Formula) -> Formula) -> Formula {
    match f {
        Formula::Exists(path) => Formula::Exists(Box::new(path.map_children(change))),
        Formula::ForAll(path) => Formula::ForAll(Box::new(path.map_children(change))),
        other => other.map_children(change),
    }
}

/// The value of a CTL formula in a deadlock, as a state predicate.
pub(super) fn in_deadlock(f: &Formula) -> Formula {
    match f {
        Formula::Deadlock => Formula::Constant(true),
        Formula::Fireable(_) => Formula::Constant(false),
        _ => match quantified(f) {
            Some((quantifier, Formula::Next(_))) => Formula::Constant(quantifier == Quantifier::ForAll),
            Some((_, Formula::Finally(g) | Formula::Globally(g))) => in_deadlock(g),
            Some((_, Formula::Until(_, g) | Formula::Release(_, g))) => in_deadlock(g),
            Some((_, path)) => Formula::Or(path.children().map(in_deadlock).collect()),
            None => f.clone().map_children(&mut |child| in_deadlock(&child)),
        },
    }
}
