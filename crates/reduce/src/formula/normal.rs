//! Negation normal form: negations stand at `Deadlock`, `Fireable` and `BindingFireable` only, and in CTL also before some `Q[f W g]`.
//!
//! Why: the rules of [`super::rewrite`] then need to know positive operators only, and so does a translation into
//! automata. Comparisons absorb a negation. `Iff` stays between state formulas and is spelled out between path
//! formulas. A negated quantifier and its operator become their duals; a negated `f W g` becomes `!g U (!f & !g)` or
//! `(!f R !g) & F !f`, whichever repeats less. Below a quantifier only the first is CTL; there it is taken where `g` is a state
//! predicate, and otherwise the negation stays. Comparisons with a number have it on the right, with `<=` or `>=` rather
//! than `<` or `>`, so that equal ones look equal.
//! Textbook (Manna and Pnueli, "The Temporal Logic of Reactive and Concurrent Systems", 1992).
//!
//! Nested and repeated operands are left to the rules. Needs a path formula without quantifiers, or CTL; preserves its
//! value on every maximal path, or in every state. Cost: spelled-out `Iff`s double, so `MAX_NODES` limits what is built.
//! Test: `normal_form_keeps_the_meaning` in `rewrite/tests`.

use fireset_net::{Comparison, Expr, Formula};

use super::{
    rewrite::size,
    view::{PathQuantifier, is_state_formula, temporal},
};

/// Nodes that a normal form may have.
const MAX_NODES: usize = 5_000;

/// The normal form; `None` when it would be too large.
pub fn normal(path: &Formula) -> Option<Formula> {
    NormalForm { nodes: MAX_NODES }.build(path, true)
}

/// The normal form of the negation; `None` when it would be too large.
pub fn negated(path: &Formula) -> Option<Formula> {
    NormalForm { nodes: MAX_NODES }.build(path, false)
}

/// Builds normal forms with a bounded number of nodes.
struct NormalForm {
    nodes: usize,
}

impl NormalForm {
    /// The normal form of `path`, or of its negation when `positive` is false.
    fn build(&mut self, path: &Formula, positive: bool) -> Option<Formula> {
        self.nodes = self.nodes.checked_sub(1)?;
        Some(match path {
            Formula::Constant(value) => Formula::Constant(*value == positive),
            Formula::Compare(how, a, b) => {
                comparison(if positive { *how } else { how.negate() }, a.clone(), b.clone())
            }
            Formula::Deadlock | Formula::Fireable(_) | Formula::BindingFireable(_) => match positive {
                true => path.clone(),
                false => Formula::Not(Box::new(path.clone())),
            },
            Formula::Not(f) => self.build(f, !positive)?,
            Formula::And(fs) | Formula::Or(fs) => {
                let fs = fs.iter().map(|f| self.build(f, positive)).collect::<Option<Vec<_>>>()?;
                let conjunction = matches!(path, Formula::And(_)) == positive;
                if conjunction { Formula::And(fs) } else { Formula::Or(fs) }
            }
            Formula::Iff(f, g) => self.iff(f, g, positive)?,
            Formula::Next(f) => Formula::Next(self.boxed(f, positive)?),
            Formula::Finally(f) | Formula::Globally(f) => {
                let f = self.boxed(f, positive)?;
                let finally = matches!(path, Formula::Finally(_)) == positive;
                if finally { Formula::Finally(f) } else { Formula::Globally(f) }
            }
            Formula::Until(f, g) | Formula::Release(f, g) => {
                let (f, g) = (self.boxed(f, positive)?, self.boxed(g, positive)?);
                let until = matches!(path, Formula::Until(..)) == positive;
                if until { Formula::Until(f, g) } else { Formula::Release(f, g) }
            }
            Formula::WeakUntil(f, g) if positive => {
                Formula::WeakUntil(self.boxed(f, true)?, self.boxed(g, true)?)
            }
            Formula::WeakUntil(f, g) => self.not_weak(f, g)?,
            Formula::Exists(_) | Formula::ForAll(_) => self.quantified(path, positive)?,
            // Bounds and properties of the whole net stand alone, and have no normal form; what is about the steps or the past
            // of a run is not rewritten.
            Formula::Bound(_) | Formula::ColourBound(_) | Formula::Global(_) | Formula::Named(_) => {
                return None;
            }
            Formula::Fired(_) | Formula::Under(..) => return None,
            Formula::Yesterday(_) | Formula::Once(_) | Formula::Historically(_) | Formula::Since(..) => {
                return None;
            }
        })
    }

    fn boxed(&mut self, path: &Formula, positive: bool) -> Option<Box<Formula>> {
        Some(Box::new(self.build(path, positive)?))
    }

    /// The normal form of a CTL formula that begins with a quantifier, or of its negation when `positive` is false.
    fn quantified(&mut self, f: &Formula, positive: bool) -> Option<Formula> {
        let (quantifier, path) = temporal(f)?;
        let dual = match quantifier {
            PathQuantifier::ThisPath => PathQuantifier::ThisPath,
            PathQuantifier::ForAll => PathQuantifier::Exists,
            PathQuantifier::Exists => PathQuantifier::ForAll,
        };
        match path {
            _ if positive => Some(quantifier.over(self.build(path, true)?)),
            Formula::WeakUntil(_, g) if !g.is_state_predicate() => {
                Some(Formula::Not(Box::new(quantifier.over(self.build(path, true)?))))
            }
            Formula::WeakUntil(f, g) => {
                let (not_f, not_g) = (self.build(f, false)?, self.build(g, false)?);
                Some(dual.over(neither_until(not_f, not_g)))
            }
            _ => Some(dual.over(self.build(path, false)?)),
        }
    }

    /// Both or neither; exactly one when `positive` is false.
    fn iff(&mut self, f: &Formula, g: &Formula, positive: bool) -> Option<Formula> {
        if is_state_formula(f) && is_state_formula(g) {
            return Some(Formula::Iff(self.boxed(f, positive)?, self.boxed(g, true)?));
        }
        let both = Formula::And(vec![self.build(f, true)?, self.build(g, positive)?]);
        let neither = Formula::And(vec![self.build(f, false)?, self.build(g, !positive)?]);
        Some(Formula::Or(vec![both, neither]))
    }

    /// The negation of `f W g`.
    fn not_weak(&mut self, f: &Formula, g: &Formula) -> Option<Formula> {
        let (not_f, not_g) = (self.build(f, false)?, self.build(g, false)?);
        if size(&not_g) <= size(&not_f) {
            return Some(neither_until(not_f, not_g));
        }
        let stops = Formula::Finally(Box::new(not_f.clone()));
        Some(Formula::And(vec![Formula::Release(Box::new(not_f), Box::new(not_g)), stops]))
    }
}

/// `!g U (!f & !g)`, the negation of `f W g`.
fn neither_until(not_f: Formula, not_g: Formula) -> Formula {
    let neither = Formula::And(vec![not_f, not_g.clone()]);
    Formula::Until(Box::new(not_g), Box::new(neither))
}

/// A comparison with its number, if it has one, on the right and without `<` and `>`.
pub(super) fn comparison(how: Comparison, a: Expr, b: Expr) -> Formula {
    let (how, a, b) = match (&a, &b) {
        (Expr::Constant(_), Expr::Constant(_)) => (how, a, b),
        (Expr::Constant(_), _) => (how.mirror(), b, a),
        _ => (how, a, b),
    };
    let moved = match (how, &b) {
        (Comparison::Less, Expr::Constant(n)) => n.checked_sub(1).map(|n| (Comparison::LessEqual, n)),
        (Comparison::Greater, Expr::Constant(n)) => n.checked_add(1).map(|n| (Comparison::GreaterEqual, n)),
        _ => None,
    };
    match moved {
        Some((how, n)) => Formula::Compare(how, a, Expr::Constant(n)),
        None => Formula::Compare(how, a, b),
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::PlaceId;

    use super::*;

    #[test]
    fn equal_comparisons_look_equal() {
        let tokens = || Expr::Tokens(vec![PlaceId::new(0)]);
        let least_two = Formula::Compare(Comparison::GreaterEqual, tokens(), Expr::Constant(2));
        assert_eq!(comparison(Comparison::Less, Expr::Constant(1), tokens()), least_two);
        let less = Formula::Compare(Comparison::Less, tokens(), Expr::Constant(2));
        assert_eq!(negated(&less), Some(least_two));
    }

    #[test]
    fn nested_equivalences_are_given_up() {
        let mut path = Formula::Next(Box::new(Formula::Deadlock));
        for _ in 0..30 {
            path = Formula::Iff(Box::new(path), Box::new(Formula::Deadlock));
        }
        assert_eq!(normal(&path), None);
    }
}
