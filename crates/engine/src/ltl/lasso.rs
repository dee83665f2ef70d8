//! The infinite run behind an accepting cycle: a prefix and a cycle, both as short as a search among the pairs that
//! were seen makes them.
//!
//! On a coloured net a marking can have billions of successors, so each search may take only so many firings, and no
//! more time than there is; where that is not enough the prefix is the path of the search, and without a cycle there
//! is no run.
//!
//! Invariant: the run is one of the product, so the net can do it and the automaton accepts it.

use std::{
    collections::{HashMap, VecDeque},
    ops::ControlFlow,
};

use fireset_kernel::automata::BuchiClass;
use fireset_net::{Budget, Lasso, Step};

use super::{
    emptiness::Emptiness,
    product::{Pair, Product},
};
use crate::search::{Agenda, Cursor, Marked, Patience, Space, Stuck};

/// Past so many pairs the path of the search is taken as it is.
const MAX_PAIRS: usize = 200_000;
/// Firings that a search for a cycle may take: about a second.
const MAX_FIRINGS: u64 = 3_000_000;
/// Firings that a search for a short prefix may take; the path of the search is one in any case.
const MAX_FIRINGS_OF_PREFIX: u64 = 200_000;
/// Steps after which a run that has nothing to show any more should have come back to a marking.
const MAX_STEPS: usize = 100_000;

/// A pair with the action that leads to it or, among origins, away from it.
type Linked<S> = (Pair, Option<<S as Space>::Number>);
/// Pairs, each with the one before it.
type Origins<S> = HashMap<Pair, Option<Linked<S>>>;
/// Actions; none where a marking is followed by itself.
type Actions<S> = Vec<Option<<S as Space>::Number>>;
/// A prefix and a cycle.
type Run<S> = (Actions<S>, Actions<S>);

/// The run through the last pair of a path, which is accepting and on a cycle of open pairs.
pub(super) fn of<S: Marked>(
    product: &mut Product<'_, S>,
    emptiness: &Emptiness<S::Number>,
    path: &[Pair],
    class: BuchiClass,
    budget: &Budget,
) -> Result<Option<Lasso>, Stuck<S>> {
    let goal = *path.last().expect("the path leads to an accepting pair");
    let starts: Vec<Pair> = product
        .automaton
        .initial
        .iter()
        .map(|&state| Pair { marking: product.markings.initial, state })
        .collect();
    let few = emptiness.pairs.len() <= MAX_PAIRS;
    let short = match starts.contains(&goal) {
        true => Some(Vec::new()),
        false if few => shortest(
            product,
            &starts,
            goal,
            |pair| emptiness.is_seen(pair),
            Patience::new(MAX_FIRINGS_OF_PREFIX, budget),
        )?,
        false => None,
    };
    let prefix = match short {
        Some(prefix) => Some(prefix),
        None => along(product, path, Patience::new(MAX_FIRINGS, budget))?,
    };
    let Some(prefix) = prefix else { return Ok(None) };
    let (prefix, cycle) = if class == BuchiClass::Terminal {
        let Some(run) = wander(product, goal, prefix)? else { return Ok(None) };
        run
    } else {
        // The open pairs have a cycle; with a weak automaton the others may have a shorter one.
        let allowed =
            |pair| emptiness.is_open(pair) || (few && class == BuchiClass::Weak && emptiness.is_seen(pair));
        let Some(cycle) = shortest(product, &[goal], goal, allowed, Patience::new(MAX_FIRINGS, budget))?
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

/// Calls `visit` with each pair that follows one, and the action, until it breaks.
fn successors<S: Marked, B>(
    product: &mut Product<'_, S>,
    pair: Pair,
    mut visit: impl FnMut(Linked<S>) -> ControlFlow<B>,
) -> Result<ControlFlow<B>, Stuck<S>> {
    let mut states = Vec::new();
    product.targets(pair, |state| states.push(state));
    if states.is_empty() {
        return Ok(ControlFlow::Continue(()));
    }
    let mut cursor = Cursor::default();
    while let Some((marking, action)) = product.next(pair.marking, &mut cursor, &mut Agenda::default())? {
        for &state in &states {
            if let ControlFlow::Break(found) = visit((Pair { marking, state }, action)) {
                return Ok(ControlFlow::Break(found));
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The actions of a shortest path, of at least one step, from some pair to another one through allowed pairs. There is
/// one; `None` when it takes too many firings to find.
fn shortest<S: Marked>(
    product: &mut Product<'_, S>,
    starts: &[Pair],
    goal: Pair,
    allowed: impl Fn(Pair) -> bool,
    mut patience: Patience<'_>,
) -> Result<Option<Actions<S>>, Stuck<S>> {
    let mut from: Origins<S> = starts.iter().map(|&s| (s, None)).collect();
    let mut queue: VecDeque<Pair> = starts.iter().copied().collect();
    while let Some(pair) = queue.pop_front() {
        let found = successors(product, pair, |(next, action)| {
            if next == goal || patience.is_over() {
                return ControlFlow::Break((next == goal).then_some(action));
            }
            if allowed(next) && !from.contains_key(&next) {
                from.insert(next, Some((pair, action)));
                queue.push_back(next);
            }
            ControlFlow::Continue(())
        })?;
        if let ControlFlow::Break(last) = found {
            return Ok(last.map(|action| {
                let mut actions = back::<S>(&from, pair);
                actions.push(action);
                actions
            }));
        }
    }
    panic!("the search has seen a path")
}

/// The actions that led to a pair.
fn back<S: Marked>(from: &Origins<S>, mut pair: Pair) -> Actions<S> {
    let mut actions = Vec::new();
    while let Some(&Some((before, action))) = from.get(&pair) {
        actions.push(action);
        pair = before;
    }
    actions.reverse();
    actions
}

/// The actions along a path of pairs; `None` when they take too many firings to find.
fn along<S: Marked>(
    product: &mut Product<'_, S>,
    path: &[Pair],
    mut patience: Patience<'_>,
) -> Result<Option<Actions<S>>, Stuck<S>> {
    let mut actions = Vec::with_capacity(path.len());
    for window in path.windows(2) {
        let found = successors(product, window[0], |(pair, action)| {
            if pair == window[1] || patience.is_over() {
                return ControlFlow::Break((pair == window[1]).then_some(action));
            }
            ControlFlow::Continue(())
        })?;
        match found {
            ControlFlow::Break(Some(action)) => actions.push(action),
            ControlFlow::Break(None) => return Ok(None),
            ControlFlow::Continue(()) => panic!("a pair on the path leads to the next"),
        }
    }
    Ok(Some(actions))
}

/// Goes on from a pair in any way until a marking comes again: nothing more has to be shown. Where markings grow
/// for ever none may.
fn wander<S: Marked>(
    product: &mut Product<'_, S>,
    from: Pair,
    mut prefix: Actions<S>,
) -> Result<Option<Run<S>>, Stuck<S>> {
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
        let next = product.next(marking, &mut Cursor::default(), &mut Agenda::default())?;
        let (next, action) = next.expect("a marking is followed by another or itself");
        actions.push(action);
        marking = next;
    }
}
