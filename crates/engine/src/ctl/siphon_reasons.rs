//! Which places of an unmarked siphon give an operator the same value in all markings that follow.
//!
//! With no token in the siphon now and ever: a transition that takes from it never fires, and a comparison whose other
//! places can only move it away from zero never changes. `EX g`, `E[f U g]` and `A[f U g]` are false where `g` is false for ever, and the
//! two untils are true where `g` is true. Test: `tests/ctl.rs`.

use fireset_net::{BoolTree, Comparison, PlaceId};

use super::{
    operators::{CompiledCtl, CtlTerm, OperatorId, TemporalKind, TermAtom},
    siphons::SiphonFinder,
};
use crate::search::{Predicate, PredicateAtom};

/// The value that an operator has because of the siphon that was found last, and the places of it that are enough.
pub(super) fn reason(
    operators: &CompiledCtl,
    operator: OperatorId,
    siphons: &SiphonFinder<'_>,
) -> Option<(bool, Vec<PlaceId>)> {
    [false, true].into_iter().find_map(|value| {
        let mut reasons = SiphonReasons { operators, siphons, places: Vec::new() };
        reasons.explain_operator(operator, value).then_some((value, reasons.places))
    })
}

struct SiphonReasons<'a> {
    operators: &'a CompiledCtl,
    siphons: &'a SiphonFinder<'a>,
    places: Vec<PlaceId>,
}

impl SiphonReasons<'_> {
    /// Whether an operator has a value for ever; adds the places that are needed.
    fn explain_operator(&mut self, operator: OperatorId, value: bool) -> bool {
        let operators = self.operators;
        let operator = &operators.all[operator as usize];
        // A deadlock has no successor at all.
        (!value || operator.kind != TemporalKind::Next) && self.explain_term(&operator.goal, value)
    }

    fn explain_term(&mut self, term: &CtlTerm, value: bool) -> bool {
        self.explain(term, value, &mut |reasons, atom, value| match atom {
            TermAtom::Predicate(predicate) => reasons.explain_predicate(predicate, value),
            TermAtom::Temporal(operator) => reasons.explain_operator(*operator, value),
        })
    }

    fn explain_predicate(&mut self, predicate: &Predicate, value: bool) -> bool {
        self.explain(predicate, value, &mut |reasons, atom, value| match atom {
            PredicateAtom::Fireable(transitions) if !value => transitions.iter().all(|&transition| {
                let mut inputs = reasons.siphons.inputs(transition);
                let input =
                    inputs.clone().find(|place| reasons.places.contains(place)).or_else(|| inputs.next());
                reasons.places.extend(input);
                input.is_some()
            }),
            PredicateAtom::Linear(how, terms, constant) => {
                let how = if value { *how } else { how.negate() };
                reasons.explain_sum(how, terms, *constant)
            }
            _ => false,
        })
    }

    fn explain<A>(
        &mut self,
        tree: &BoolTree<A>,
        value: bool,
        atom: &mut impl FnMut(&mut Self, &A, bool) -> bool,
    ) -> bool {
        match tree {
            BoolTree::Constant(constant) => *constant == value,
            BoolTree::Atom(leaf) => atom(self, leaf, value),
            BoolTree::Not(tree) => self.explain(tree, !value, atom),
            BoolTree::And(trees) | BoolTree::Or(trees) if matches!(tree, BoolTree::And(_)) == value => {
                trees.iter().all(|tree| self.explain(tree, value, atom))
            }
            BoolTree::And(trees) | BoolTree::Or(trees) => trees.iter().any(|tree| {
                let before = self.places.len();
                let explained = self.explain(tree, value, atom);
                if !explained {
                    self.places.truncate(before);
                }
                explained
            }),
            BoolTree::Iff(sides) => [false, true].into_iter().any(|left| {
                let before = self.places.len();
                let explained =
                    self.explain(&sides.0, left, atom) && self.explain(&sides.1, left == value, atom);
                if !explained {
                    self.places.truncate(before);
                }
                explained
            }),
        }
    }

    /// Whether a sum compares so with zero for ever.
    fn explain_sum(&mut self, how: Comparison, terms: &[(PlaceId, i64)], constant: i128) -> bool {
        let never_rises = terms.iter().all(|&(place, factor)| factor <= 0 || self.siphons.has(place));
        let never_falls = terms.iter().all(|&(place, factor)| factor >= 0 || self.siphons.has(place));
        let (above, below) = match how {
            Comparison::Less | Comparison::LessEqual => (false, true),
            Comparison::Greater | Comparison::GreaterEqual => (true, false),
            Comparison::Equal => (true, true),
            Comparison::NotEqual => (constant > 0, constant < 0),
        };
        if !how.holds(&constant, &0) || (above && !never_falls) || (below && !never_rises) {
            return false;
        }
        let matters = |&&(place, factor): &&(PlaceId, i64)| {
            self.siphons.has(place) && (above && factor < 0 || below && factor > 0)
        };
        let places: Vec<PlaceId> = terms.iter().filter(matters).map(|&(place, _)| place).collect();
        self.places.extend(places);
        true
    }
}
