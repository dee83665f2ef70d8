//! Temporal operators over formulas of one logic.

use super::Formula;

/// A temporal operator with its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Temporal<F> {
    /// In the next state.
    Next(F),
    /// Now or at some time later.
    Finally(F),
    /// Now and always later.
    Globally(F),
    /// The second at some time, and the first until then.
    Until(F, F),
    /// The second up to and including the moment when the first holds, or for ever.
    Release(F, F),
    /// The first until the second, or the first for ever.
    WeakUntil(F, F),
}

impl<F> Temporal<F> {
    /// The operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = &F> {
        let (first, second) = match self {
            Self::Next(f) | Self::Finally(f) | Self::Globally(f) => (f, None),
            Self::Until(f, g) | Self::Release(f, g) | Self::WeakUntil(f, g) => (f, Some(g)),
        };
        [first].into_iter().chain(second)
    }

    /// The same operator over changed operands.
    pub fn map<G>(&self, change: &mut impl FnMut(&F) -> G) -> Temporal<G> {
        match self {
            Self::Next(f) => Temporal::Next(change(f)),
            Self::Finally(f) => Temporal::Finally(change(f)),
            Self::Globally(f) => Temporal::Globally(change(f)),
            Self::Until(f, g) => Temporal::Until(change(f), change(g)),
            Self::Release(f, g) => Temporal::Release(change(f), change(g)),
            Self::WeakUntil(f, g) => Temporal::WeakUntil(change(f), change(g)),
        }
    }

    /// The operator on top of a formula, where `operand` gives its operands in order.
    pub(super) fn of(formula: &Formula, mut operand: impl FnMut() -> Option<F>) -> Option<Self> {
        Some(match formula {
            Formula::Next(_) => Self::Next(operand()?),
            Formula::Finally(_) => Self::Finally(operand()?),
            Formula::Globally(_) => Self::Globally(operand()?),
            Formula::Until(..) => Self::Until(operand()?, operand()?),
            Formula::Release(..) => Self::Release(operand()?, operand()?),
            Formula::WeakUntil(..) => Self::WeakUntil(operand()?, operand()?),
            _ => return None,
        })
    }

    pub(super) fn formula(&self, operand: impl Fn(&F) -> Formula) -> Formula {
        let boxed = |f: &F| Box::new(operand(f));
        match self {
            Self::Next(f) => Formula::Next(boxed(f)),
            Self::Finally(f) => Formula::Finally(boxed(f)),
            Self::Globally(f) => Formula::Globally(boxed(f)),
            Self::Until(f, g) => Formula::Until(boxed(f), boxed(g)),
            Self::Release(f, g) => Formula::Release(boxed(f), boxed(g)),
            Self::WeakUntil(f, g) => Formula::WeakUntil(boxed(f), boxed(g)),
        }
    }
}
