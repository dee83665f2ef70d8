//! The infinite run behind an accepting cycle: a prefix and a cycle, both as short as a search among the product states
//! that were seen makes them.
//!
//! On a coloured net a marking can have billions of successors, so the firings of each search are limited, as is its
//! time; where that is not enough the prefix is the path of the emptiness check, and without a cycle there is no run.
//!
//! Invariant: the run is one of the product, so the net can do it and the automaton accepts it.

use std::{
    collections::{HashMap, VecDeque},
    ops::ControlFlow,
};

use fireset_kernel::automata::BuchiClass;
use fireset_net::{Budget, Lasso, Step};

use super::{
    emptiness::EmptinessCheck,
    product::{BuchiProduct, ProductState},
};
use crate::search::{ActionCursor, MarkingSpace, PendingSuccessors, Searched, StateSpace, WorkLimit};

/// With more product states the path of the emptiness check is taken as it is.
const MAX_STATES: usize = 200_000;
/// The most firings of a search for a cycle: about a second.
const MAX_FIRINGS: u64 = 3_000_000;
/// The most firings of a search for a short prefix; the path of the emptiness check is a prefix in any case.
const MAX_FIRINGS_OF_PREFIX: u64 = 200_000;
/// The most steps after which a run whose acceptance is certain should have come back to a marking.
const MAX_STEPS: usize = 100_000;

/// A state with the action that leads to it or, among origins, away from it.
type Linked<S> = (ProductState, Option<<S as StateSpace>::ActionId>);
/// States, each with the one before it.
type Origins<S> = HashMap<ProductState, Option<Linked<S>>>;
/// Actions; none where a marking is followed by itself.
pub(super) type Actions<S> = Vec<Option<<S as StateSpace>::ActionId>>;
/// A prefix and a cycle.
type LassoActions<S> = (Actions<S>, Actions<S>);

/// The run through the last state of a path, which is accepting and on a cycle of open states.
pub(super) fn through<S: MarkingSpace>(
    product: &mut BuchiProduct<'_, S>,
    check: &EmptinessCheck<S::ActionId>,
    path: &[ProductState],
    class: BuchiClass,
    budget: &Budget,
) -> Searched<S, Option<Lasso>> {
    let goal = *path.last().expect("the path leads to an accepting state");
    let starts: Vec<ProductState> = product
        .automaton
        .initial
        .iter()
        .map(|&automaton_state| ProductState { marking: product.markings.initial, automaton_state })
        .collect();
    let few = check.states.len() <= MAX_STATES;
    let short = match starts.contains(&goal) {
        true => Some(Vec::new()),
        false if few => shortest(
            product,
            &starts,
            goal,
            |state| check.is_seen(state),
            WorkLimit::new(MAX_FIRINGS_OF_PREFIX, budget),
        )?,
        false => None,
    };
    let prefix = match short {
        Some(prefix) => Some(prefix),
        None => actions_along(product, path, WorkLimit::new(MAX_FIRINGS, budget))?,
    };
    let Some(prefix) = prefix else { return Ok(None) };
    let (prefix, cycle) = if class == BuchiClass::Terminal {
        let Some(run) = extend_to_lasso(product, goal, prefix)? else { return Ok(None) };
        run
    } else {
        // The open states have a cycle; with a weak automaton the others may have a shorter one.
        let allowed =
            |state| check.is_open(state) || (few && class == BuchiClass::Weak && check.is_seen(state));
        let Some(cycle) = shortest(product, &[goal], goal, allowed, WorkLimit::new(MAX_FIRINGS, budget))?
        else {
            return Ok(None);
        };
        (prefix, cycle)
    };
    let steps = |actions: Actions<S>| -> Vec<Step> {
        actions.into_iter().flatten().map(|action| product.markings.space.step(action)).collect()
    };
    // A cycle without actions stays in a deadlock.
    Ok(Some(Lasso { prefix: steps(prefix), cycle: steps(cycle) }))
}

/// Calls `visit` with each successor of a state and its action, until it breaks.
fn successors<S: MarkingSpace, B>(
    product: &mut BuchiProduct<'_, S>,
    state: ProductState,
    mut visit: impl FnMut(Linked<S>) -> ControlFlow<B>,
) -> Searched<S, ControlFlow<B>> {
    let mut targets = Vec::new();
    product.targets(state, |target| targets.push(target));
    if targets.is_empty() {
        return Ok(ControlFlow::Continue(()));
    }
    let mut cursor = ActionCursor::default();
    while let Some((marking, action)) =
        product.next(state.marking, &mut cursor, &mut PendingSuccessors::default())?
    {
        for &automaton_state in &targets {
            if let ControlFlow::Break(found) = visit((ProductState { marking, automaton_state }, action)) {
                return Ok(ControlFlow::Break(found));
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The actions of a shortest path, of at least one step, from some state to another one through allowed states. There
/// is such a path; `None` when it takes too many firings to find.
fn shortest<S: MarkingSpace>(
    product: &mut BuchiProduct<'_, S>,
    starts: &[ProductState],
    goal: ProductState,
    allowed: impl Fn(ProductState) -> bool,
    mut limit: WorkLimit<'_>,
) -> Searched<S, Option<Actions<S>>> {
    let mut from: Origins<S> = starts.iter().map(|&s| (s, None)).collect();
    let mut queue: VecDeque<ProductState> = starts.iter().copied().collect();
    while let Some(state) = queue.pop_front() {
        let found = successors(product, state, |(next, action)| {
            if next == goal || limit.is_over() {
                return ControlFlow::Break((next == goal).then_some(action));
            }
            if allowed(next) && !from.contains_key(&next) {
                from.insert(next, Some((state, action)));
                queue.push_back(next);
            }
            ControlFlow::Continue(())
        })?;
        if let ControlFlow::Break(last) = found {
            return Ok(last.map(|action| {
                let mut actions = back::<S>(&from, state);
                actions.push(action);
                actions
            }));
        }
    }
    panic!("the search has seen a path")
}

/// The actions that led to a state.
fn back<S: MarkingSpace>(from: &Origins<S>, mut state: ProductState) -> Actions<S> {
    let mut actions = Vec::new();
    while let Some(&Some((before, action))) = from.get(&state) {
        actions.push(action);
        state = before;
    }
    actions.reverse();
    actions
}

/// The actions along a path; `None` when they take too many firings to find.
pub(super) fn actions_along<S: MarkingSpace>(
    product: &mut BuchiProduct<'_, S>,
    path: &[ProductState],
    mut limit: WorkLimit<'_>,
) -> Searched<S, Option<Actions<S>>> {
    let mut actions = Vec::with_capacity(path.len());
    for window in path.windows(2) {
        let found = successors(product, window[0], |(state, action)| {
            if state == window[1] || limit.is_over() {
                return ControlFlow::Break((state == window[1]).then_some(action));
            }
            ControlFlow::Continue(())
        })?;
        match found {
            ControlFlow::Break(Some(action)) => actions.push(action),
            ControlFlow::Break(None) => return Ok(None),
            ControlFlow::Continue(()) => panic!("a state on the path leads to the next"),
        }
    }
    Ok(Some(actions))
}

/// Goes on from a state with any actions until a marking comes again: every continuation is accepted. Where markings
/// grow for ever none may come again.
fn extend_to_lasso<S: MarkingSpace>(
    product: &mut BuchiProduct<'_, S>,
    from: ProductState,
    mut prefix: Actions<S>,
) -> Searched<S, Option<LassoActions<S>>> {
    let mut seen: HashMap<u32, usize> = HashMap::new();
    let (mut marking, mut actions) = (from.marking, Vec::new());
    loop {
        if let Some(&at) = seen.get(&marking) {
            let cycle = actions.split_off(at);
            prefix.extend(actions);
            return Ok(Some((prefix, cycle)));
        }
        if actions.len() >= MAX_STEPS {
            return Ok(None);
        }
        seen.insert(marking, actions.len());
        let next = product.next(marking, &mut ActionCursor::default(), &mut PendingSuccessors::default())?;
        let (next, action) = next.expect("a marking is followed by another or itself");
        actions.push(action);
        marking = next;
    }
}
