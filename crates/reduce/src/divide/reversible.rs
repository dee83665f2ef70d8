//! Nets in which each firing can be undone.
//!
//! What: without inhibitor arcs, if for each transition `t` the tokens that it gives are enough to fire a word that turns
//! them into the tokens that it takes, then from every reachable marking the initial one can be reached again. So a transition
//! that can fire can always fire again: the net is live if each transition can fire.
//! Proof: let `t` lead from `m` to `m' = m - pre(t) + post(t)`. The word can fire from `post(t)` and leads to `pre(t)`; more
//! tokens disable nothing, so from `m'` it leads to `m' - post(t) + pre(t) = m`. By induction each run can be undone from
//! its end on.
//! Source: chemical reactions, each with its reverse; the marking equation of Murata, "Petri nets: properties, analysis and
//! applications" (1989), section III. How we differ: a reverse may be a word, so mutual exclusion and pipelines of one token
//! are covered.
//! Cost: a search among at most `MAX_MARKINGS` markings of a few tokens for each transition; the first that has no word ends
//! it. Test: `tests/divide.rs`.

use std::collections::HashSet;

use fireset_net::{Arc, Budget, Net, Rows, TransitionId};

/// Markings that are seen for one transition, and transitions that are tried in one of them.
const MAX_MARKINGS: usize = 64;
const MAX_TRIED: usize = 256;
/// Transitions between two looks at the clock.
const PATIENCE: usize = 64;

/// A marking of a few places: ascending places, no zeros.
type Few = Vec<Arc>;

/// Whether each firing can be undone with the tokens that it gives, as far as a short search tells.
pub(crate) fn is_reversible(net: &Net, budget: &Budget) -> bool {
    if net.has_inhibitors() {
        return false;
    }
    let nodes = net.nodes();
    let takers =
        nodes.transition_ids().flat_map(|t| net.pre(t).iter().map(move |arc| (arc.place.index(), Some(t))));
    let takers = Rows::group(nodes.places.len(), takers);
    let sources: Vec<TransitionId> = nodes.transition_ids().filter(|&t| net.pre(t).is_empty()).collect();
    let mut all = nodes.transition_ids();
    all.all(|t| {
        (t.index() % PATIENCE != 0 || budget.go_on().is_ok()) && can_be_undone(net, &takers, &sources, t)
    })
}

/// Whether what a transition gives can become what it takes.
fn can_be_undone(
    net: &Net,
    takers: &Rows<Option<TransitionId>>,
    sources: &[TransitionId],
    t: TransitionId,
) -> bool {
    let goal = net.pre(t);
    let first: Few = net.post(t).to_vec();
    let (mut seen, mut open) = (HashSet::from([first.clone()]), std::collections::VecDeque::from([first]));
    while let Some(now) = open.pop_front() {
        if now == goal {
            return true;
        }
        let takers = now.iter().flat_map(|arc| takers[arc.place.index()].iter().flatten()).chain(sources);
        for &u in takers.take(MAX_TRIED) {
            if let Some(next) = after(net, &now, u).filter(|next| !seen.contains(next)) {
                if seen.len() == MAX_MARKINGS {
                    return false;
                }
                seen.insert(next.clone());
                open.push_back(next);
            }
        }
    }
    false
}

/// The marking after a transition, if it can fire.
fn after(net: &Net, now: &[Arc], t: TransitionId) -> Option<Few> {
    let mut next = now.to_vec();
    for arc in net.pre(t) {
        let at = next.binary_search_by_key(&arc.place, |a| a.place).ok()?;
        next[at].weight = next[at].weight.checked_sub(arc.weight)?;
    }
    for arc in net.post(t) {
        match next.binary_search_by_key(&arc.place, |a| a.place) {
            Ok(at) => next[at].weight = next[at].weight.checked_add(arc.weight)?,
            Err(at) => next.insert(at, *arc),
        }
    }
    next.retain(|arc| arc.weight > 0);
    Some(next)
}

#[cfg(test)]
mod tests {
    use fireset_oracle::tiny;

    use super::*;

    #[test]
    fn words_undo_firings() {
        let check = |text| is_reversible(&tiny::net(text), &Budget::unlimited());
        assert!(check("p:1 q; t: p -> q; u: q -> p"));
        assert!(check("p:3 q r; t: 2*p -> q; u: q -> r; v: r -> 2*p"));
        assert!(check("i:2 b l:1; enter: i, l -> b; leave: b -> i, l"));
        assert!(check("p; t: -> p; u: p ->"));
        assert!(!check("p:1 q; t: p -> q"));
        assert!(!check("p:1 q l:1; t: p -> q; u: q, l -> p, l"), "it needs a token that is not its own");
        assert!(!check("p:1 q; t: p -> q; u: q, !p -> p"));
        assert!(!check("p:1 q; t: p -> q; u: 2*q -> 2*p"));
    }
}
