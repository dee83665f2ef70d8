//! Global properties of a coloured net that is not unfolded, as queries about its places and transitions.
//!
//! Each property is asked as it is defined; nothing is simulated or proven here, since the parts are made easier by other
//! passes. Liveness has further parts, which it implies and which are easier to refute than that each transition can always fire again:
//! each can fire, there is no deadlock, and some run enables it for ever. Test: `tests/colours.rs`.

use fireset_net::{
    Comparison, Expr, Formula, Global, PathFormula, PlaceId, Quantifier, Query, StateAtom, StatePredicate,
    TransitionId, coloured::ColouredNet,
};

use super::{Decomposition, live::can_always_fire_again};
use crate::join::VerdictJoin;

/// The queries of a global property; `None` for the size of the state space.
pub(super) fn decompose(net: &ColouredNet, property: Global) -> Option<Decomposition> {
    let transitions = || net.nodes().transition_ids();
    let compared = |place: PlaceId, how, count: u128| {
        StateAtom::Compare(how, Expr::Tokens(vec![place]), Expr::count(count)).into()
    };
    let can_fire = || transitions().map(|t| Query::Reachable(fireable(t)));
    let (join, parts): (VerdictJoin, Vec<Query>) = match property {
        Global::StateSpace => return None,
        Global::OneSafe => {
            let safe = net.nodes().place_ids().map(|place| compared(place, Comparison::LessEqual, 1));
            (VerdictJoin::Same, vec![Query::Invariant(StatePredicate::And(safe.collect()))])
        }
        Global::StableMarking => {
            let stays = |place: PlaceId| compared(place, Comparison::Equal, net.place(place).initial.total());
            (VerdictJoin::Some, net.nodes().place_ids().map(|place| Query::Invariant(stays(place))).collect())
        }
        Global::QuasiLiveness => (VerdictJoin::All, can_fire().collect()),
        Global::Liveness => {
            let moves = Query::Invariant(StatePredicate::from(StateAtom::Deadlock).negate());
            let again = transitions().map(|t| Query::Ctl(can_always_fire_again(&[t])));
            let repeats = transitions().filter_map(for_ever);
            (VerdictJoin::All, can_fire().chain([moves]).chain(repeats).chain(again).collect())
        }
    };
    let is_empty = match property {
        Global::StableMarking => net.nodes().places.is_empty(),
        _ => net.nodes().transitions.is_empty(),
    };
    if is_empty && property != Global::OneSafe {
        return Some(Decomposition::known(join == VerdictJoin::All));
    }
    Some(Decomposition { join, parts, unasked: 0, witness: None })
}

fn fireable(transition: TransitionId) -> StatePredicate {
    StateAtom::Fireable(vec![transition]).into()
}

/// Some run enables a transition again and again.
fn for_ever(transition: TransitionId) -> Option<Query> {
    let finally = Formula::Finally(Box::new(Formula::Fireable(vec![transition])));
    let path = PathFormula::try_from(&Formula::Globally(Box::new(finally))).ok()?;
    Some(Query::Ltl(Quantifier::Exists, path))
}
