//! Approximations of a CTL formula by one quantifier and a path formula: `f` implies `E a`, or `A a` implies `f`.
//!
//! Why: [`super::linear`] knows the formulas that are LTL as they are, and [`super::approximation`] replaces an operand on the path
//! of the outermost operator only where the quantifiers differ. `EF AF EF EG p` is neither, but it implies `EF EG p`, since each state begins
//! a path, and that is `E(F G p)`.
//!
//! With `[f]` for the path formula of this file and `(f)` for the replacement on a path, whose over-approximation follows from `f` on
//! *each* path from a state, and whose under-approximation implies `f` on *some* path from it:
//!
//! | formula | over-approximation, with `E` | under-approximation, with `A` |
//! |---|---|---|
//! | `QF f` | `F [f]` | `F (f)` |
//! | `QG f` | `G (f)` | `G [f]` |
//! | `Q[f U g]` | `(f) U [g]` | `[f] U (g)` |
//! | `Q[f R g]` | `[f] R (g)` | `(f) R [g]` |
//! | `Q[f W g]` | `(f) W [g]` | `[f] W (g)` |
//! | `f \| g` | `[f] \| [g]` | `[f] \| (g)` |
//! | `f & g` | `[f] & (g)` | `[f] & [g]` |
//! | `QX f` | in a state | in a state |
//!
//! Proof of the middle column; the right one is its dual. `A` is weaker as `E`. A path on which `f U g` is true has a first state with `g`;
//! from there some path has `[g]`, and the way to it followed by that path has `(f)` at each state of the way, because
//! `f` is true there. So for `F` and, as the state in which `f` releases `g` is one with both, for `R`. A path with `f W g` has
//! `f U g` or `G f`. Of a conjunction some path has `[f]`, and each path has `(g)`.
//!
//! Cost: linear in the formula. Test: in [`super::approximation`], in every state of random nets.

use fireset_net::{Formula, Quantifier};

use super::approximation::{Approximation, Replacement};
use crate::formula::view::quantified;

impl Replacement<'_> {
    /// The quantifier and the path formula that approximate a formula together.
    pub(super) fn one_quantifier(&self, f: &Formula) -> (Quantifier, Formula) {
        let quantifier = match self.approximation {
            Approximation::Over => Quantifier::Exists,
            Approximation::Under => Quantifier::ForAll,
        };
        (quantifier, self.below_quantifier(f))
    }

    fn below_quantifier(&self, f: &Formula) -> Formula {
        let below = |f: &Formula| Box::new(self.below_quantifier(f));
        let on_path = |f: &Formula| Box::new(self.on_path(f));
        let over = self.approximation == Approximation::Over;
        match f {
            f if f.is_state_predicate() => return f.clone(),
            Formula::Or(fs) if over => return Formula::Or(fs.iter().map(|f| *below(f)).collect()),
            Formula::And(fs) if !over => return Formula::And(fs.iter().map(|f| *below(f)).collect()),
            Formula::And(fs) | Formula::Or(fs) => {
                let chosen = fs.iter().position(|f| self.gains(f));
                let operand = |(at, f)| if Some(at) == chosen { *below(f) } else { *on_path(f) };
                let operands = fs.iter().enumerate().map(operand).collect();
                return if over { Formula::And(operands) } else { Formula::Or(operands) };
            }
            _ => {}
        }
        let Some((_, path)) = quantified(f) else { return self.on_path(f) };
        match (path, over) {
            (Formula::Finally(f), true) => Formula::Finally(below(f)),
            (Formula::Finally(f), false) => Formula::Finally(on_path(f)),
            (Formula::Globally(f), true) => Formula::Globally(on_path(f)),
            (Formula::Globally(f), false) => Formula::Globally(below(f)),
            (Formula::Until(f, g), true) => Formula::Until(on_path(f), below(g)),
            (Formula::Until(f, g), false) => Formula::Until(below(f), on_path(g)),
            (Formula::WeakUntil(f, g), true) => Formula::WeakUntil(on_path(f), below(g)),
            (Formula::WeakUntil(f, g), false) => Formula::WeakUntil(below(f), on_path(g)),
            (Formula::Release(f, g), true) => Formula::Release(below(f), on_path(g)),
            (Formula::Release(f, g), false) => Formula::Release(on_path(f), below(g)),
            _ => self.in_state(f),
        }
    }

    /// Whether a formula begins with the quantifier that the replacement on a path has to leave out.
    fn gains(&self, f: &Formula) -> bool {
        let lost = match self.approximation {
            Approximation::Over => Quantifier::Exists,
            Approximation::Under => Quantifier::ForAll,
        };
        matches!(quantified(f), Some((quantifier, path)) if quantifier == lost && !matches!(path, Formula::Next(_)))
    }
}
