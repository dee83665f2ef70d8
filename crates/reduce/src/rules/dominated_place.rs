//! Places that never are the only one to disable a transition, because another place is not fuller: parallel places are
//! the plainest case.
//!
//! What: place `p` goes if there are a place `q` and a ratio `a/b > 0` such that, with `c = b m0(p) - a m0(q)`,
//! every transition changes `b p` by at least as much as `a q`, and every one that takes from `p` has
//! `b W(p,t) <= a W(q,t) + c`. `p` inhibits nothing. If it is counted, `a = b` and every transition changes both places
//! alike.
//! Why: `b m(p) >= a m(q) + c` holds initially and every step keeps it. Where `q` lets `t` fire, `m(q) >= W(q,t)`, so
//! `b m(p) >= a W(q,t) + c >= b W(p,t)`, and `p` lets it fire too; `c` may be negative. Where both change alike, `m(p) - m(q)`
//! is an invariant, and `m(q) + m0(p) - m0(q)` is counted instead of `m(p)`: the two places are fused, for the queries too.
//! Sound for: everything; markings with and without `p` are bisimilar, as in `redundant_place`.
//! Source: Berthelot's redundant places with one other place; rule C (parallel places) of TAPAAL; the literature mostly has the case of equal columns.
//! Cost: the arcs of `p` and of the places in the smallest preset among its consumers. Test: `tests/rules.rs`.

use fireset_net::{PlaceId, TransitionId};

use super::mutable_net::{MutableNet, SubstitutedPlace};

/// Places in a preset that are tried; hubs of a net are not.
const MAX_TRIED: usize = 20;
/// The arcs of a place that are looked at.
const MAX_ARCS: usize = 1_000;

pub(super) fn apply(net: &mut MutableNet, place: PlaceId) -> bool {
    if !net.inhibited(place).is_empty() || degree(net, place) > MAX_ARCS {
        return false;
    }
    if net.is_counted(place) {
        return fuse(net, place);
    }
    let Some(&nearest) = net.consumers(place).iter().min_by_key(|&&t| net.pre(t).len()) else {
        return false;
    };
    let weight = net.takes(nearest, place);
    let others = net.pre(nearest).iter().filter(|arc| arc.place != place).take(MAX_TRIED);
    let found = others.into_iter().any(|arc| {
        degree(net, arc.place) <= MAX_ARCS
            && (dominates(net, arc.place, place, (weight, arc.weight)) == Some(true)
                || weight != arc.weight && dominates(net, arc.place, place, (1, 1)) == Some(true))
    });
    if found {
        net.remove_place(place);
    }
    found
}

/// Has another place stand for one that is counted.
fn fuse(net: &mut MutableNet, place: PlaceId) -> bool {
    let around = net.consumers(place).first().map(|&t| net.pre(t));
    let mut others =
        around.into_iter().flatten().map(|arc| arc.place).filter(|&q| q != place).take(MAX_TRIED);
    let is_like = |q: PlaceId| {
        degree(net, q) <= MAX_ARCS
            && neighbours(net, q, place).all(|t| net.effect(t, place) == net.effect(t, q))
            && dominates(net, q, place, (1, 1)) == Some(true)
    };
    let Some(q) = others.find(|&q| is_like(q)) else { return false };
    let offset = i128::from(net.initial(place)) - i128::from(net.initial(q));
    let Ok(offset) = i64::try_from(offset) else { return false };
    let substitution = SubstitutedPlace { place: Some(q), offset };
    let may = net.may_substitute(place, substitution);
    if may {
        net.substitute(place, substitution);
    }
    may
}

fn degree(net: &MutableNet, place: PlaceId) -> usize {
    net.consumers(place).len() + net.producers(place).len()
}

/// The transitions that take from or give to one of two places; some twice.
fn neighbours(net: &MutableNet, q: PlaceId, p: PlaceId) -> impl Iterator<Item = TransitionId> {
    [net.consumers(p), net.producers(p), net.consumers(q), net.producers(q)].into_iter().flatten().copied()
}

/// Whether `q` makes `p` superfluous with the ratio `a/b`; `None` when a number does not fit.
fn dominates(net: &MutableNet, q: PlaceId, p: PlaceId, (a, b): (u64, u64)) -> Option<bool> {
    let (a, b) = (i128::from(a), i128::from(b));
    let times = |factor: i128, number: i128| factor.checked_mul(number);
    let initial = |place| i128::from(net.initial(place));
    let c = times(b, initial(p))?.checked_sub(times(a, initial(q))?)?;
    for t in neighbours(net, q, p) {
        if times(b, net.effect(t, p))? < times(a, net.effect(t, q))? {
            return Some(false);
        }
    }
    for &t in net.consumers(p) {
        let needed = times(b, net.takes(t, p).into())?;
        if needed > times(a, net.takes(t, q).into())?.checked_add(c)? {
            return Some(false);
        }
    }
    Some(true)
}
