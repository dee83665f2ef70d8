//! Implication between formulas in normal form, LTL or CTL, on syntactic grounds: sound, far from complete.
//!
//! Why: absorption, contradictions and several rules for until need to know that one formula implies another.
//! Source: the simulation of formulas in Somenzi and Bloem, "Efficient Büchi Automata from LTL Formulae" (CAV
//! 2000), with comparisons and firesets at the leaves and with the eventual and universal formulas of
//! [`super::classes`]. Cost: each call looks at most `MAX_LOOKS` pairs of formulas.
//! Test: `implications_hold` in `rewrite/tests`.

use std::cmp::Ordering;

use fireset_net::{Comparison, Expr, Formula};

use super::{
    classes::{is_eventual, is_universal},
    normal::negated,
    view::{PathQuantifier, not_deadlock, temporal},
};

/// Pairs of formulas that a call may look at.
const MAX_LOOKS: usize = 400;

/// Whether `f` implies `g` on every path, or in every state, as far as their operators show.
pub(crate) fn implies(f: &Formula, g: &Formula) -> bool {
    ImplicationSearch { looks: MAX_LOOKS }.implies(f, g)
}

/// Whether `f` and `g` are never true together, as far as their operators show.
pub(crate) fn excludes(f: &Formula, g: &Formula) -> bool {
    // Of the two negations one may show what the other does not.
    negated(g).is_some_and(|not_g| implies(f, &not_g)) || negated(f).is_some_and(|not_f| implies(g, &not_f))
}

/// Whether one of `f` and `g` is always true, as far as their operators show.
pub(crate) fn covers(f: &Formula, g: &Formula) -> bool {
    negated(g).is_some_and(|not_g| implies(&not_g, f)) || negated(f).is_some_and(|not_f| implies(&not_f, g))
}

/// A search for an implication with a bounded number of pairs to look at.
struct ImplicationSearch {
    looks: usize,
}

impl ImplicationSearch {
    fn implies(&mut self, f: &Formula, g: &Formula) -> bool {
        let Some(left) = self.looks.checked_sub(1) else { return false };
        self.looks = left;
        match (f, g) {
            _ if f == g => true,
            (Formula::Constant(false), _) | (_, Formula::Constant(true)) => true,
            (Formula::Or(fs), _) => fs.iter().all(|f| self.implies(f, g)),
            (_, Formula::And(gs)) => gs.iter().all(|g| self.implies(f, g)),
            _ => {
                self.by_operators(f, g)
                    || self.by_premise(f, g)
                    || self.by_conclusion(f, g)
                    || atom_implies(f, g)
            }
        }
    }

    /// The same operators over operands that imply each other. Since there is always a maximal path, what is true on all is
    /// true on some; but a deadlock has no next state.
    fn by_operators(&mut self, f: &Formula, g: &Formula) -> bool {
        let (Some((q, f)), Some((r, g))) = (temporal(f), temporal(g)) else { return false };
        let some_path = || q == PathQuantifier::ForAll && r == PathQuantifier::Exists;
        (q == r || some_path() && !matches!(f, Formula::Next(_))) && self.by_operands(f, g)
    }

    fn by_operands(&mut self, f: &Formula, g: &Formula) -> bool {
        use Formula::{Finally, Globally, Next, Release, Until, WeakUntil};
        match (f, g) {
            (Next(a), Next(b)) | (Finally(a), Finally(b)) | (Globally(a), Globally(b)) => self.implies(a, b),
            (Until(a, b), Until(c, d) | WeakUntil(c, d))
            | (WeakUntil(a, b), WeakUntil(c, d))
            | (Release(a, b), Release(c, d)) => self.implies(a, c) && self.implies(b, d),
            (Until(_, b), Finally(d)) => self.implies(b, d),
            (Globally(b), Release(_, d)) | (Globally(b), WeakUntil(d, _)) => self.implies(b, d),
            _ => false,
        }
    }

    /// What `f` says of the present, or of a later moment that an eventual `g` sees.
    fn by_premise(&mut self, f: &Formula, g: &Formula) -> bool {
        if let Formula::And(fs) = f {
            return fs.iter().any(|f| self.implies(f, g));
        }
        let Some((quantifier, path)) = temporal(f) else { return false };
        let logic = quantifier.logic();
        match path {
            Formula::Globally(a) | Formula::Release(_, a) => self.implies(a, g),
            Formula::Until(a, b) => self.implies(b, g) && (is_eventual(logic, g) || self.implies(a, g)),
            Formula::WeakUntil(a, b) => self.implies(b, g) && self.implies(a, g),
            Formula::Finally(a) => is_eventual(logic, g) && self.implies(a, g),
            Formula::Next(a) => match quantifier {
                PathQuantifier::ThisPath => is_eventual(logic, g) && self.implies(a, g),
                PathQuantifier::Exists => *g == not_deadlock() || is_eventual(logic, g) && self.implies(a, g),
                PathQuantifier::ForAll => false,
            },
            _ => false,
        }
    }

    /// What makes `g` true at once, or at any moment.
    fn by_conclusion(&mut self, f: &Formula, g: &Formula) -> bool {
        if let Formula::Or(gs) = g {
            return gs.iter().any(|g| self.implies(f, g));
        }
        let Some((quantifier, path)) = temporal(g) else { return false };
        let logic = quantifier.logic();
        match path {
            Formula::Finally(b) | Formula::Until(_, b) => self.implies(f, b),
            Formula::WeakUntil(a, b) => self.implies(f, b) || is_universal(logic, f) && self.implies(f, a),
            Formula::Release(a, b) => self.implies(f, b) && (is_universal(logic, f) || self.implies(f, a)),
            Formula::Globally(b) => is_universal(logic, f) && self.implies(f, b),
            Formula::Next(b) => match quantifier {
                PathQuantifier::ThisPath => is_universal(logic, f) && self.implies(f, b),
                PathQuantifier::ForAll => {
                    *f == Formula::Deadlock || is_universal(logic, f) && self.implies(f, b)
                }
                PathQuantifier::Exists => false,
            },
            _ => false,
        }
    }
}

/// Implication between atoms and their negations.
fn atom_implies(f: &Formula, g: &Formula) -> bool {
    use Formula::{BindingFireable, Compare, Deadlock, Fireable, Not};
    match (f, g) {
        (Fireable(ts), Fireable(us)) => ts.iter().all(|t| us.contains(t)),
        (Compare(how, a, b), Compare(then, c, d)) if a == c => match (b, d) {
            _ if b == d => {
                let orders = [Ordering::Less, Ordering::Equal, Ordering::Greater];
                orders.iter().all(|o| !allows(*how, *o) || allows(*then, *o))
            }
            (Expr::Constant(n), Expr::Constant(m)) => constants_imply(*how, *n, *then, *m),
            _ => false,
        },
        (Compare(how, a, b), Compare(then, c, d)) if a == d && b == c => {
            let orders = [Ordering::Less, Ordering::Equal, Ordering::Greater];
            orders.iter().all(|o| !allows(*how, *o) || allows(then.mirror(), *o))
        }
        (BindingFireable(bindings), Fireable(us)) => us.contains(&bindings.transition()),
        (Deadlock, Not(g)) => matches!(**g, Fireable(_) | BindingFireable(_)),
        (Fireable(_) | BindingFireable(_), Not(g)) => **g == Deadlock,
        (Not(f), Not(g)) => match (&**f, &**g) {
            (Fireable(ts), Fireable(us)) => us.iter().all(|u| ts.contains(u)),
            (Fireable(ts), BindingFireable(bindings)) => ts.contains(&bindings.transition()),
            _ => false,
        },
        _ => false,
    }
}

/// Whether numbers in this order compare so.
fn allows(how: Comparison, order: Ordering) -> bool {
    how.holds(&order, &Ordering::Equal)
}

/// Whether `x how n` implies `x then m` for all integers `x`: both are constant between the numbers next to `n`
/// and `m`, so these are enough to look at.
fn constants_imply(how: Comparison, n: i64, then: Comparison, m: i64) -> bool {
    let (n, m) = (i128::from(n), i128::from(m));
    [n - 1, n, n + 1, m - 1, m, m + 1].iter().all(|x| !how.holds(x, &n) || then.holds(x, &m))
}
