//! Queries that are monitored while states are visited, and decided as soon as they can be.
//!
//! The same properties as in the reference checker, on rows. Invariant: a verdict before the end rests on visited
//! states or on a proven bound, never on states that were not visited.

use std::sync::Arc;

use fireset_kernel::store::RowId;
use fireset_net::{
    Global, Net, PlaceId, Query, StatePredicate, StateSpaceSize, Verdict, coloured::PlaceColours,
};
use fireset_structure::PlaceInvariants;

use crate::{
    distance::{Activity, distance},
    search::{MarkingSpace, Monitor, Predicate, RowCounts, VisitedState, compile, holds},
    stubborn::{ArcIndex, ReachabilityReduction, ReductionHistory, StubbornGoal},
};

/// A verdict, and the state at the end of the run that shows it, if one does.
pub(super) type VerdictAtState = (Verdict, Option<RowId>);

/// Whether a query is decided by looking at each state once.
pub(super) fn accepts(query: &Query) -> bool {
    has_goal(query) || matches!(query, Query::Global(_))
}

/// Whether a query looks for certain states, so that it need not see all.
pub(super) fn has_goal(query: &Query) -> bool {
    matches!(query, Query::Reachable(_) | Query::Invariant(_) | Query::Bound(_) | Query::ColourBound(_))
}

/// Whether a query's answer has a run.
pub(super) fn wants_runs(query: &Query) -> bool {
    match query {
        Query::Global(global) => *global == Global::OneSafe,
        _ => true,
    }
}

/// A query that is being decided.
#[derive(Clone, Debug)]
pub(super) struct QueryMonitor {
    /// The position of the query in the problem.
    pub(super) at: usize,
    pub(super) decided: Option<VerdictAtState>,
    property: MonitoredProperty,
    /// The goal of stubborn sets; absent if they are not used or the query needs all states.
    goal: Option<Arc<StubbornGoal>>,
}

#[derive(Clone, Debug)]
enum MonitoredProperty {
    /// Whether a state satisfies a predicate, and the verdict if one does.
    Search { target: Arc<Predicate>, when_found: bool },
    /// The maximum of tokens in some places together; an invariant may give a ceiling.
    Bound { places: Arc<[PlaceId]>, ceiling: Option<u128>, most: Option<(u128, RowId)> },
    /// The same for tokens of some colours.
    ColourBound { tokens: Arc<[PlaceColours]>, ceiling: Option<u128>, most: Option<(u128, RowId)> },
    /// The size of the state space.
    Size { in_marking: u128, in_place: u64 },
    /// A place with two tokens.
    OneSafe,
    /// Places that keep their initial count.
    StableMarking { stable: Vec<(PlaceId, u64)> },
    /// A transition that never fires.
    QuasiLiveness,
    /// A state after which some transition never fires again.
    Liveness,
}

impl QueryMonitor {
    /// A monitor of a query, if looking at each state decides it.
    pub(super) fn new(
        at: usize,
        query: &Query,
        net: &Net,
        invariants: &PlaceInvariants,
        arcs: Option<&ArcIndex<'_>>,
    ) -> Option<Self> {
        let search = |target: &StatePredicate, when_found| MonitoredProperty::Search {
            target: Arc::new(compile(target)),
            when_found,
        };
        let most_in = |place: PlaceId| invariants.bounds()[place.index()].map(u128::from);
        let property = match query {
            Query::Reachable(p) => search(p, true),
            Query::Invariant(p) => search(&p.clone().negate(), false),
            Query::Bound(places) => {
                let ceiling = places.iter().map(|&place| most_in(place)).sum();
                MonitoredProperty::Bound { places: places[..].into(), ceiling, most: None }
            }
            // A place has at most as many tokens of some colours as of all.
            Query::ColourBound(tokens) => {
                let ceiling = tokens.iter().map(|tokens| most_in(tokens.place)).sum();
                MonitoredProperty::ColourBound { tokens: tokens[..].into(), ceiling, most: None }
            }
            Query::Global(Global::StateSpace) => MonitoredProperty::Size { in_marking: 0, in_place: 0 },
            Query::Global(Global::OneSafe) => MonitoredProperty::OneSafe,
            Query::Global(Global::StableMarking) => {
                let initial = net.initial_marking();
                let stable = net.nodes().place_ids().map(|p| (p, initial.tokens(p))).collect();
                MonitoredProperty::StableMarking { stable }
            }
            Query::Global(Global::QuasiLiveness) => MonitoredProperty::QuasiLiveness,
            Query::Global(Global::Liveness) => MonitoredProperty::Liveness,
            Query::Ctl(_) | Query::Ltl(..) | Query::Run(_) | Query::CtlStar(_) | Query::Named(_) => {
                return None;
            }
        };
        let goal = arcs.and_then(|arcs| match &property {
            MonitoredProperty::Search { target, .. } => Some(StubbornGoal::holds(target, arcs)),
            MonitoredProperty::Bound { places, .. } => Some(StubbornGoal::most(places, arcs)),
            _ => None,
        });
        Some(Self { at, decided: None, property, goal: goal.map(Arc::new) })
    }

    /// Sees a state; `true` when it decides the query.
    fn visit<S: MarkingSpace>(&mut self, space: &mut S, state: &VisitedState<'_>, fired: &Fired) -> bool {
        let fails = |state| Some((Verdict::Fails, state));
        self.decided = match &mut self.property {
            _ if self.decided.is_some() => return false,
            MonitoredProperty::Search { target, when_found } => {
                holds(target, space, state.row, state.deadlock)
                    .then(|| ((*when_found).into(), Some(state.id)))
            }
            MonitoredProperty::Bound { places, ceiling, most } => {
                let sum = places.iter().map(|&p| u128::from(space.tokens(state.row, p))).sum();
                raise(most, *ceiling, (sum, state.id))
            }
            MonitoredProperty::ColourBound { tokens, ceiling, most } => {
                let sum = tokens.iter().map(|some| u128::from(space.colour_tokens(state.row, some))).sum();
                raise(most, *ceiling, (sum, state.id))
            }
            MonitoredProperty::Size { in_marking, in_place } => {
                let (total, most) = space.total_and_most(state.row);
                // Written rarely, so that threads do not wait for each other's lines of the cache.
                if total > *in_marking || most > *in_place {
                    (*in_marking, *in_place) = ((*in_marking).max(total), (*in_place).max(most));
                }
                None
            }
            MonitoredProperty::OneSafe => {
                if space.is_safe(state.row) {
                    None
                } else {
                    fails(Some(state.id))
                }
            }
            MonitoredProperty::StableMarking { stable } => {
                stable.retain(|&(place, initial)| space.tokens(state.row, place) == initial);
                if stable.is_empty() { fails(None) } else { None }
            }
            MonitoredProperty::QuasiLiveness => (fired.left == 0).then_some((Verdict::Holds, None)),
            MonitoredProperty::Liveness => {
                if state.deadlock && !fired.seen.is_empty() {
                    fails(None)
                } else {
                    None
                }
            }
        };
        self.decided.is_some()
    }

    /// Adds what another monitor of the same query saw in later states.
    fn join(&mut self, other: Self, fired: &Fired) {
        match (&mut self.property, other.property) {
            (MonitoredProperty::Bound { most, .. }, MonitoredProperty::Bound { most: other, .. })
            | (
                MonitoredProperty::ColourBound { most, .. },
                MonitoredProperty::ColourBound { most: other, .. },
            ) => {
                let sum = |most: &Option<(u128, RowId)>| most.as_ref().map(|(sum, _)| *sum);
                let more = sum(&other) > sum(most);
                *most = if more { other } else { most.take() };
            }
            (
                MonitoredProperty::Size { in_marking, in_place },
                MonitoredProperty::Size { in_marking: total, in_place: most },
            ) => {
                (*in_marking, *in_place) = ((*in_marking).max(total), (*in_place).max(most));
            }
            (
                MonitoredProperty::StableMarking { stable },
                MonitoredProperty::StableMarking { stable: other },
            ) => {
                stable.retain(|place| other.contains(place));
                if stable.is_empty() {
                    self.decided = Some((Verdict::Fails, None));
                }
            }
            (MonitoredProperty::QuasiLiveness, _) if fired.left == 0 => {
                self.decided = Some((Verdict::Holds, None))
            }
            _ => {}
        }
        self.decided = self.decided.take().or(other.decided);
    }

    /// The verdict after all states were visited; `None` where it depends on the graph.
    pub(super) fn finish(self, (states, firings): (u64, u64), fired: &Fired) -> Option<VerdictAtState> {
        Some(match self.property {
            MonitoredProperty::Search { when_found, .. } => ((!when_found).into(), None),
            MonitoredProperty::Bound { most, .. } | MonitoredProperty::ColourBound { most, .. } => {
                let (most, state) = most.expect("the initial state was visited");
                (Verdict::Bound(most.into()), Some(state))
            }
            MonitoredProperty::Size { in_marking, in_place } => {
                let figures = StateSpaceSize {
                    states: states.into(),
                    firings: firings.into(),
                    max_in_marking: in_marking.into(),
                    max_in_place: in_place.into(),
                };
                (Verdict::StateSpace(figures), None)
            }
            MonitoredProperty::OneSafe | MonitoredProperty::StableMarking { .. } => (Verdict::Holds, None),
            MonitoredProperty::QuasiLiveness => ((fired.left == 0).into(), None),
            MonitoredProperty::Liveness if fired.left > 0 => (Verdict::Fails, None),
            MonitoredProperty::Liveness => return None,
        })
    }
}

/// Notes a sum of tokens and its state; the verdict when it is as large as it can be.
fn raise(
    most: &mut Option<(u128, RowId)>,
    ceiling: Option<u128>,
    (sum, state): (u128, RowId),
) -> Option<VerdictAtState> {
    if most.as_ref().is_none_or(|(most, _)| sum > *most) {
        *most = Some((sum, state));
    }
    (Some(sum) == ceiling).then(|| (Verdict::Bound(sum.into()), Some(state)))
}

/// The transitions that fired so far.
#[derive(Clone, Debug)]
pub(super) struct Fired {
    pub(super) seen: Vec<bool>,
    left: usize,
}

/// What the monitors of an exploration saw before it was suspended.
#[derive(Clone, Debug)]
pub(super) struct SuspendedMonitors {
    /// The queries that stayed open; their monitors saw every visited state.
    open: Vec<(Query, QueryMonitor)>,
    fired: Fired,
    stubborn: Option<ReductionHistory>,
}

impl SuspendedMonitors {
    pub(super) fn queries(&self) -> impl ExactSizeIterator<Item = &Query> {
        self.open.iter().map(|(query, _)| query)
    }

    /// The positions of the queries in the problem that was suspended.
    pub(super) fn positions(&self) -> impl Iterator<Item = usize> {
        self.open.iter().map(|(_, monitor)| monitor.at)
    }
}

/// The monitors of all open queries of a problem.
#[derive(Clone, Debug)]
pub(super) struct QueryMonitors<'n> {
    net: &'n Net,
    pub(super) open: Vec<QueryMonitor>,
    pub(super) fired: Fired,
    stubborn: Option<ReachabilityReduction<'n>>,
}

impl<'n> QueryMonitors<'n> {
    pub(super) fn new(net: &'n Net, arcs: Option<&'n ArcIndex<'n>>) -> Self {
        let transitions = net.nodes().transitions.len();
        let fired = Fired { seen: vec![false; transitions], left: transitions };
        Self { net, open: Vec::new(), fired, stubborn: arcs.map(ReachabilityReduction::new) }
    }

    /// Called when fewer queries are open than before.
    pub(super) fn restart(&mut self) {
        self.stubborn.iter_mut().for_each(ReachabilityReduction::restart);
    }

    /// What the monitors saw so far; `queries` are those of the problem.
    pub(super) fn suspend(&self, queries: &[Query]) -> SuspendedMonitors {
        let open = self.open.iter().map(|monitor| (queries[monitor.at].clone(), monitor.clone()));
        let stubborn = self.stubborn.as_ref().map(ReachabilityReduction::history);
        SuspendedMonitors { open: open.collect(), fired: self.fired.clone(), stubborn }
    }

    /// Lets monitors that saw nothing yet go on after suspended ones, which have the query of each of them.
    ///
    /// Fewer queries than before are sound with stubborn sets too. A state that was expanded before fired a set that serves
    /// the goals of all queries of that time, so it also serves those that are left; states that are expanded from now on
    /// fire sets for those that are left. The proof of [`ReachabilityReduction`] needs no more: each expanded state on the way
    /// to a goal fired a set that serves this goal. A query that is new would lack this for the expanded states, and its
    /// monitor would not have seen them.
    pub(super) fn resume(&mut self, queries: &[Query], suspended: SuspendedMonitors) {
        let SuspendedMonitors { open, fired, stubborn } = suspended;
        self.fired = fired;
        for monitor in &mut self.open {
            let same = open.iter().find(|(query, _)| *query == queries[monitor.at]);
            let (_, before) = same.expect("no query is new");
            monitor.join(before.clone(), &self.fired);
            // What the transitions that fired decide is decided at the next state, where the search takes it.
            monitor.decided = None;
        }
        if let (Some(sets), Some(history)) = (&mut self.stubborn, stubborn) {
            sets.resume(history);
        }
        if self.open.len() < open.len() {
            self.restart();
        }
    }

    /// Whether stubborn sets were ever used to choose actions.
    pub(super) fn uses_stubborn_sets(&self) -> bool {
        self.stubborn.as_ref().is_some_and(|sets| sets.used)
    }

    /// Replaces the ids of stored states.
    pub(super) fn renumber(&mut self, new: &[RowId]) {
        for monitor in &mut self.open {
            if let MonitoredProperty::Bound { most: Some((_, id)), .. }
            | MonitoredProperty::ColourBound { most: Some((_, id)), .. } = &mut monitor.property
            {
                *id = new[*id as usize];
            }
        }
    }
}

impl<S: MarkingSpace> Monitor<S> for QueryMonitors<'_> {
    #[inline]
    fn on_firing(&mut self, transition: u32) {
        let seen = &mut self.fired.seen[transition as usize];
        if !*seen {
            *seen = true;
            self.fired.left -= 1;
        }
    }

    fn visit(&mut self, space: &mut S, state: &VisitedState<'_>) -> bool {
        let Self { open, fired, .. } = self;
        open.iter_mut().fold(false, |decided, monitor| decided | monitor.visit(space, state, fired))
    }

    fn choose(&mut self, space: &mut S, row: &[u64], actions: &mut Vec<S::ActionId>) -> bool {
        let Some(stubborn) = self.stubborn.as_mut().filter(|sets| sets.is_worth_it()) else { return false };
        // A query that was decided meanwhile counts until it is passed on: other threads may not know about it.
        if self.open.iter().any(|monitor| monitor.goal.is_none()) {
            return false;
        }
        let goals = self.open.iter().filter_map(|monitor| monitor.goal.as_deref());
        stubborn.choose(space, row, goals, actions);
        true
    }

    fn prepare(&mut self) {
        self.stubborn.iter_mut().for_each(ReachabilityReduction::prepare);
    }

    fn is_done(&self) -> bool {
        self.open.iter().all(|monitor| monitor.decided.is_some())
    }

    fn distance(&self, space: &S, row: &[u64]) -> u64 {
        let distances = self.open.iter().filter_map(|monitor| match &monitor.property {
            MonitoredProperty::Search { target, .. } => {
                Some(distance(self.net, target, true, &RowCounts { space, row }, Activity::Enabled))
            }
            _ => None,
        });
        distances.min().unwrap_or(0)
    }

    fn join(&mut self, other: Self) -> bool {
        for (transition, _) in other.fired.seen.iter().enumerate().filter(|(_, seen)| **seen) {
            Monitor::<S>::on_firing(self, transition as u32);
        }
        if let (Some(own), Some(other)) = (&mut self.stubborn, &other.stubborn) {
            own.join(other);
        }
        for (monitor, other) in self.open.iter_mut().zip(other.open) {
            monitor.join(other, &self.fired);
        }
        self.open.iter().any(|monitor| monitor.decided.is_some())
    }
}
