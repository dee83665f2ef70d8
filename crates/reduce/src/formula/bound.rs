//! The most tokens that places can have together, as far as that is proven.
//!
//! Why: a search for the bound of some places has to see all markings, unless it knows when to stop. With a proven
//! ceiling the bound is the ceiling as soon as a marking with as many tokens is found, and that is a reachability query,
//! for which all that serves such queries serves. Needs a place/transition net; inhibitor arcs only take runs away.
//! Invariant: no reachable marking has more than the ceiling. Test: `tests/simplify.rs` and `tests/equation.rs`.

use fireset_net::{Comparison, Expr, Linear, PlaceId, Query, StateAtom};

use super::Simplifier;

impl Simplifier<'_> {
    /// A number of tokens that some places never exceed together, by place invariants and the state equation.
    pub fn ceiling(&self, places: &[PlaceId]) -> Option<u64> {
        let form = Linear::from_expr(&Expr::Tokens(places.to_vec()))?;
        let by_invariants = self.proven.as_ref().and_then(|proven| proven.range(&form).1);
        let ceiling = match &self.equation {
            Some(equation) => self.share.take(|time| {
                equation.grant(time);
                equation.most(&form, by_invariants)
            }),
            None => by_invariants,
        };
        u64::try_from(ceiling?).ok()
    }

    /// Whether places have as many tokens as a ceiling in some marking, made smaller.
    pub(super) fn reaches(&self, places: &[PlaceId], ceiling: u64) -> Option<Query> {
        let ceiling = Expr::Constant(ceiling.try_into().ok()?);
        let reached = StateAtom::Compare(Comparison::GreaterEqual, Expr::Tokens(places.to_vec()), ceiling);
        Some(self.query(&Query::Reachable(reached.into())))
    }
}
