//! From a generalised Büchi automaton to a Büchi automaton with acceptance on states.
//!
//! Why: the search for accepting cycles needs a single set of states. Source: Gastin and Oddoux (CAV 2001),
//! section 5. We differ in keeping levels only where they matter: in components in which a run can stay and be
//! accepting.
//!
//! A state with a level says how many of the acceptance sets were met, in their order, since the last accepting
//! state. An edge jumps over all levels whose sets it is in; the top level is accepting and counts as the bottom
//! for the next edge. Where a run enters a component it starts at the top, since finitely many accepting
//! states change nothing.
//!
//! Cost: states times levels. Test: `tests`, on lassos.

use std::collections::BTreeMap;

use super::{
    Buchi, BuchiEdge, BuchiState,
    components::StateComponents,
    generalised::{GeneralisedBuchi, GeneralisedEdge},
    size_limit::SizeLimit,
};

/// A Büchi automaton for the same language; `None` beyond the limit.
pub(super) fn degeneralise(from: &GeneralisedBuchi, limit: &mut SizeLimit) -> Option<Buchi> {
    let components = StateComponents::new(&from.successors());
    let accepting = from.accepting(&components);
    let enter = |state: u32| if accepting[components.of[state as usize]] { from.sets } else { 0 };
    let mut index = BTreeMap::new();
    let mut waiting = Vec::new();
    let mut number = |state: u32, level: u32, waiting: &mut Vec<(u32, u32)>| {
        let next = index.len() as u32;
        *index.entry((state, level)).or_insert_with(|| {
            waiting.push((state, level));
            next
        })
    };
    let initial = from.initial.iter().map(|&state| number(state, enter(state), &mut waiting)).collect();
    let mut states = Vec::new();
    let mut total = 0;
    while states.len() < waiting.len() {
        let (state, level) = waiting[states.len()];
        let component = components.of[state as usize];
        let mut edges = Vec::new();
        for edge in &from.edges[state as usize] {
            let stays = components.of[edge.to as usize] == component && accepting[component];
            let next = if stays { next_level(level, from.sets, edge) } else { enter(edge.to) };
            edges.push(BuchiEdge { cube: edge.cube.clone(), to: number(edge.to, next, &mut waiting) });
        }
        total += edges.len();
        limit.check_size(total.max(waiting.len()))?;
        states.push(BuchiState { accepting: accepting[component] && level == from.sets, edges });
    }
    Some(Buchi { initial, states })
}

/// The level after an edge.
fn next_level(level: u32, top: u32, edge: &GeneralisedEdge) -> u32 {
    let start = if level == top { 0 } else { level };
    (start..top).find(|set| edge.accepted.binary_search(set).is_err()).unwrap_or(top)
}
