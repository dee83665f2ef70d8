//! CTL that is LTL too: a quantifier before all, and none inside.
//!
//! Why: the search for a run stops at the first that decides, and its witness is a run. `A p = AG A q` and its like are
//! textbook (Emerson and Halpern, "Sometimes and Not Never Revisited", 1986); the fragment is a part of Maidl's ACTL^det
//! ("The Common Fragment of CTL and LTL", FOCS 2000). With `a` for the path formula of an operand, `p` for a state
//! predicate:
//!
//! | CTL | LTL |
//! |---|---|
//! | `AG A a` | `A G a` |
//! | `AF p` | `A F p` |
//! | `A[A a U p]` | `A(a U p)`, so for W; until the first `p` all paths from a state on the way are suffixes |
//! | `A[p R A a]` | `A(p R a)` |
//! | `A a & A b` | `A(a & b)` |
//! | `p \| A a` | `A(p \| a)` |
//!
//! `E` is dual. `X` is left out: the logics differ on it in a deadlock. Test: `tests/simplify.rs`.

use fireset_net::{Formula, Quantifier};

use crate::formula::view::quantified;

/// Formulas with more temporal operators stay CTL, because an automaton can double with each.
pub(super) const MAX_OPERATORS: usize = 5;

/// The quantifier and the path formula of a CTL formula in normal form, where it is in the fragment.
///
/// ```
/// use fireset_net::{Formula, Quantifier};
/// use fireset_reduce::formula::ctl::linear::linear;
/// let eventually = |f: Formula| Formula::Finally(Box::new(f));
/// let inevitable = Formula::ForAll(Box::new(eventually(Formula::Deadlock)));
/// let path = Formula::Globally(Box::new(eventually(Formula::Deadlock)));
/// assert_eq!(linear(&inevitable.invariant()), Some((Quantifier::ForAll, path)));
/// ```
pub fn linear(f: &Formula) -> Option<(Quantifier, Formula)> {
    let (quantifier, _) = quantified(f)?;
    (f.temporal_operators() <= MAX_OPERATORS).then_some(())?;
    path(quantifier, f).map(|path| (quantifier, path))
}

/// The path formula that is true on all, or some, paths exactly where `f` is true.
fn path(quantifier: Quantifier, f: &Formula) -> Option<Formula> {
    if f.is_state_predicate() {
        return Some(f.clone());
    }
    let below = |f: &Formula| path(quantifier, f).map(Box::new);
    let state = |f: &Formula| f.is_state_predicate().then(|| Box::new(f.clone()));
    match (quantifier, f) {
        (Quantifier::ForAll, Formula::And(fs)) => {
            fs.iter().map(|f| path(quantifier, f)).collect::<Option<_>>().map(Formula::And)
        }
        (Quantifier::Exists, Formula::Or(fs)) => {
            fs.iter().map(|f| path(quantifier, f)).collect::<Option<_>>().map(Formula::Or)
        }
        (_, Formula::And(fs) | Formula::Or(fs)) => {
            let temporal = fs.iter().filter(|f| !f.is_state_predicate()).count();
            (temporal == 1).then_some(())?;
            let fs = fs.iter().map(|f| path(quantifier, f)).collect::<Option<Vec<_>>>()?;
            Some(if matches!(f, Formula::And(_)) { Formula::And(fs) } else { Formula::Or(fs) })
        }
        _ => {
            let (_, operator) = quantified(f).filter(|(same, _)| *same == quantifier)?;
            Some(match (quantifier, operator) {
                (Quantifier::ForAll, Formula::Globally(f)) => Formula::Globally(below(f)?),
                (Quantifier::Exists, Formula::Finally(f)) => Formula::Finally(below(f)?),
                (Quantifier::ForAll, Formula::Finally(p)) => Formula::Finally(state(p)?),
                (Quantifier::Exists, Formula::Globally(p)) => Formula::Globally(state(p)?),
                (Quantifier::ForAll, Formula::Until(f, p)) => Formula::Until(below(f)?, state(p)?),
                (Quantifier::ForAll, Formula::WeakUntil(f, p)) => Formula::WeakUntil(below(f)?, state(p)?),
                (Quantifier::ForAll, Formula::Release(p, f)) => Formula::Release(state(p)?, below(f)?),
                (Quantifier::Exists, Formula::Until(p, f)) => Formula::Until(state(p)?, below(f)?),
                (Quantifier::Exists, Formula::Release(f, p)) => Formula::Release(below(f)?, state(p)?),
                (Quantifier::Exists, Formula::WeakUntil(p, q)) => Formula::WeakUntil(state(p)?, state(q)?),
                _ => return None,
            })
        }
    }
}
