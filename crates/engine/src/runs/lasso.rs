//! The infinite run of a fair component: a prefix, then a cycle that passes what acceptance and each assumption ask for.
//!
//! The firings of the searches are limited, as is their time; where that is not enough there is no run, and the verdict
//! stays. Invariant: the run is one of the product, and the cycle stays in the component, so the run is accepted and fair.

use std::collections::{HashMap, HashSet, VecDeque};

use fireset_net::{Budget, Lasso, Step};

use super::{
    emptiness::{FairComponent, FairEmptiness},
    product::RunProduct,
};
use crate::{
    ltl::ProductState,
    search::{MarkingSpace, Searched, StateSpace, WorkLimit},
};

/// With more product states the path of the search is the prefix.
const MAX_STATES: usize = 200_000;
/// The most firings of the searches for a cycle.
const MAX_FIRINGS: u64 = 3_000_000;
/// The most firings of the search for a short prefix.
const MAX_FIRINGS_OF_PREFIX: u64 = 200_000;

/// A state with the action that leads to it or, among origins, away from it.
type RunEdge<S> = (ProductState, Option<<S as StateSpace>::ActionId>);
/// Edges that follow each other.
type RunPath<S> = Vec<RunEdge<S>>;
/// States, each with the one before it.
type RunOrigins<S> = HashMap<ProductState, Option<RunEdge<S>>>;

/// The run of a component; `None` when it takes too long to find.
pub(super) fn of_component<S: MarkingSpace>(
    product: &mut RunProduct<'_, S>,
    search: &FairEmptiness<S::ActionId>,
    found: &FairComponent<S::ActionId>,
    budget: &Budget,
) -> Searched<S, Option<Lasso>> {
    let inside: HashSet<ProductState> = found.states.iter().copied().collect();
    let Some((mut path, entry)) = prefix(product, search, found, &inside, budget)? else { return Ok(None) };
    let wanted = product.marks.wanted(&found.marks);
    let mut limit = WorkLimit::new(MAX_FIRINGS, budget);
    let (mut had, mut at, mut cycle) = (product.state_marks(entry), entry, RunPath::<S>::new());
    let prefix: Vec<Step> = steps(product, &std::mem::take(&mut path));
    while wanted.brings(&wanted, &had) {
        let mut passes = |product: &mut RunProduct<'_, S>, (state, action): (ProductState, _)| {
            let mut marks = product.edge_marks(action);
            marks.add(&product.state_marks(state));
            marks.brings(&wanted, &had)
        };
        let within = |state: ProductState| inside.contains(&state);
        let Some(way) = shortest(product, &[at], within, &mut passes, &mut limit)? else { return Ok(None) };
        for &(state, action) in &way {
            had.add(&product.edge_marks(action));
            had.add(&product.state_marks(state));
            at = state;
        }
        cycle.extend(way);
    }
    if cycle.is_empty() || at != entry {
        let within = |state: ProductState| inside.contains(&state);
        let mut closes = |_: &mut RunProduct<'_, S>, (state, _): (ProductState, _)| state == entry;
        let Some(way) = shortest(product, &[at], within, &mut closes, &mut limit)? else { return Ok(None) };
        cycle.extend(way);
    }
    Ok(Some(Lasso { prefix, cycle: steps(product, &cycle) }))
}

/// A path from an initial state to one of the component, and that state.
fn prefix<S: MarkingSpace>(
    product: &mut RunProduct<'_, S>,
    search: &FairEmptiness<S::ActionId>,
    found: &FairComponent<S::ActionId>,
    inside: &HashSet<ProductState>,
    budget: &Budget,
) -> Searched<S, Option<(RunPath<S>, ProductState)>> {
    let initial = product.initial();
    if let Some(&state) = initial.iter().find(|state| inside.contains(state)) {
        return Ok(Some((RunPath::<S>::new(), state)));
    }
    let mut arrives = |_: &mut RunProduct<'_, S>, (state, _): (ProductState, _)| inside.contains(&state);
    let end = |path: RunPath<S>| path.last().map(|&(state, _)| (path.clone(), state));
    if search.states.len() <= MAX_STATES {
        let mut limit = WorkLimit::new(MAX_FIRINGS_OF_PREFIX, budget);
        let seen = |state| search.is_seen(state);
        if let Some(path) = shortest(product, &initial, seen, &mut arrives, &mut limit)? {
            return Ok(end(path));
        }
    }
    let mut path: RunPath<S> = found.path[1..].to_vec();
    if inside.contains(&found.entry) {
        return Ok(Some((path, found.entry)));
    }
    let around: HashSet<ProductState> = found.around.iter().copied().collect();
    let mut limit = WorkLimit::new(MAX_FIRINGS, budget);
    let within = |state: ProductState| around.contains(&state);
    let way = shortest(product, &[found.entry], within, &mut arrives, &mut limit)?;
    Ok(way.and_then(|way| {
        path.extend(way);
        end(path)
    }))
}

/// A shortest path, of at least one edge, from some state through allowed states to an edge that is a goal; `None` when it
/// takes too many firings to find.
fn shortest<S: MarkingSpace>(
    product: &mut RunProduct<'_, S>,
    starts: &[ProductState],
    allowed: impl Fn(ProductState) -> bool,
    goal: &mut dyn FnMut(&mut RunProduct<'_, S>, RunEdge<S>) -> bool,
    limit: &mut WorkLimit<'_>,
) -> Searched<S, Option<RunPath<S>>> {
    let mut from: RunOrigins<S> = starts.iter().map(|&start| (start, None)).collect();
    let mut queue: VecDeque<ProductState> = starts.iter().copied().collect();
    while let Some(state) = queue.pop_front() {
        for edge in product.edges(state)? {
            if limit.is_over() {
                return Ok(None);
            }
            if !allowed(edge.to) {
                continue;
            }
            if goal(product, (edge.to, edge.action)) {
                let (mut path, mut at) = (vec![(edge.to, edge.action)], state);
                while let Some(&Some((before, action))) = from.get(&at) {
                    path.push((at, action));
                    at = before;
                }
                path.reverse();
                return Ok(Some(path));
            }
            from.entry(edge.to).or_insert_with(|| {
                queue.push_back(edge.to);
                Some((state, edge.action))
            });
        }
    }
    panic!("the search has seen a path")
}

/// The steps of a path; where a deadlock repeats there is none.
fn steps<S: MarkingSpace>(product: &RunProduct<'_, S>, path: &RunPath<S>) -> Vec<Step> {
    path.iter().filter_map(|&(_, action)| action).map(|action| product.markings.space.step(action)).collect()
}
