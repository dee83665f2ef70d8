//! Reversible nets: from every reachable marking the initial one can be reached again.
//!
//! What: without inhibitor arcs, if for each transition `t` the tokens that it gives are enough to fire a sequence that turns
//! them into the tokens that it takes, the net is reversible. So a transition that can fire can always fire again: the net is
//! live if each transition can fire.
//! Proof: let `t` lead from `m` to `m' = m - pre(t) + post(t)`. The sequence can fire from `post(t)` and leads to `pre(t)`; more
//! tokens disable nothing, so from `m'` it leads to `m' - post(t) + pre(t) = m`. By induction each run can be undone from
//! its end on.
//! Source: chemical reactions, each with its reverse; the marking equation of Murata, "Petri nets: properties, analysis and
//! applications" (1989), section III. How we differ: a reverse may be a sequence, so mutual exclusion and pipelines of one
//! token are covered.
//! Cost: a search among at most `MAX_MARKINGS` markings of a few tokens for each transition; the first without a sequence ends
//! it. Test: below, by the reachability graphs of random nets, and `decomposition/tests.rs` of `fireset-reduce`.

use std::collections::{HashSet, VecDeque};

use fireset_net::{Arc, Budget, Net, Rows, TransitionId};

/// Markings that are visited for one transition.
const MAX_MARKINGS: usize = 64;
/// Transitions that are tried in one of these markings.
const MAX_TRIED: usize = 256;
/// Transitions between two checks of the budget.
const TRANSITIONS_PER_CHECK: usize = 64;

/// A marking of a few places: ascending places, no zeros.
type SparseMarking = Vec<Arc>;

/// Whether each firing can be undone with the tokens that it gives, as far as a short search tells; `None` if the budget
/// ended first. A net for which it is false may be reversible all the same.
pub fn undoes_every_firing(net: &Net, budget: &Budget) -> Option<bool> {
    if net.has_inhibitors() {
        return Some(false);
    }
    let nodes = net.nodes();
    let consumers =
        nodes.transition_ids().flat_map(|t| net.pre(t).iter().map(move |arc| (arc.place.index(), Some(t))));
    let consumers = Rows::group(nodes.places.len(), consumers);
    let sources: Vec<TransitionId> = nodes.transition_ids().filter(|&t| net.pre(t).is_empty()).collect();
    for t in nodes.transition_ids() {
        if t.index() % TRANSITIONS_PER_CHECK == 0 {
            budget.go_on().ok()?;
        }
        if !can_be_undone(net, &consumers, &sources, t) {
            return Some(false);
        }
    }
    Some(true)
}

/// Whether some sequence turns the tokens that a transition gives into those that it takes.
fn can_be_undone(
    net: &Net,
    consumers: &Rows<Option<TransitionId>>,
    sources: &[TransitionId],
    t: TransitionId,
) -> bool {
    let goal = net.pre(t);
    let first: SparseMarking = net.post(t).to_vec();
    let (mut seen, mut open) = (HashSet::from([first.clone()]), VecDeque::from([first]));
    while let Some(now) = open.pop_front() {
        if now == goal {
            return true;
        }
        let consumers =
            now.iter().flat_map(|arc| consumers[arc.place.index()].iter().flatten()).chain(sources);
        for &u in consumers.take(MAX_TRIED) {
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

/// The marking after a transition, if the transition is enabled.
fn after(net: &Net, now: &[Arc], t: TransitionId) -> Option<SparseMarking> {
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
    use fireset_net::{reachability::GraphLimits, reachability::ReachabilityGraph};
    use fireset_oracle::{
        random::{self, NetShape, TestRng},
        tiny,
    };

    use super::*;

    #[test]
    fn sequences_undo_firings() {
        let check = |text| undoes_every_firing(&tiny::net(text), &Budget::unlimited()) == Some(true);
        assert!(check("p:1 q; t: p -> q; u: q -> p"));
        assert!(check("p:3 q r; t: 2*p -> q; u: q -> r; v: r -> 2*p"));
        assert!(check("i:2 b l:1; enter: i, l -> b; leave: b -> i, l"));
        assert!(check("p; t: -> p; u: p ->"));
        assert!(!check("p:1 q; t: p -> q"));
        assert!(!check("p:1 q l:1; t: p -> q; u: q, l -> p, l"), "it needs a token that is not its own");
        assert!(!check("p:1 q; t: p -> q; u: q, !p -> p"));
        assert!(!check("p:1 q; t: p -> q; u: 2*q -> 2*p"));
    }

    #[test]
    fn every_marking_leads_back() {
        let mut reversible = 0;
        for seed in 0..3_000 {
            let mut random = TestRng::new(seed);
            let shape = NetShape { places: 3, transitions: 4, tokens: 2, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            if undoes_every_firing(&net, &Budget::unlimited()) != Some(true) {
                continue;
            }
            let limits = GraphLimits { states: 60, edges: false };
            let graph = ReachabilityGraph::explore(&net, limits, &Budget::unlimited(), &mut ());
            if graph.complete().is_err() {
                continue;
            }
            for marking in graph.states() {
                let (mut seen, mut open) = (HashSet::from([marking.clone()]), vec![marking.clone()]);
                while let Some(now) = open.pop() {
                    let ts = net.nodes().transition_ids();
                    let next = ts.filter_map(|t| net.fire_transition(&now, t).ok());
                    open.extend(next.filter(|next| seen.insert(next.clone())));
                }
                assert!(seen.contains(net.initial_marking()), "seed {seed}: {net:?}");
            }
            reversible += 1;
        }
        assert!(reversible > 30, "{reversible}");
    }
}
