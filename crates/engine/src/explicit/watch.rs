//! Queries that look on while states are visited, and are decided as soon as they can be.
//!
//! The same questions as in the reference checker, on rows. Invariant: what is decided before the end rests on
//! what was seen or on a proven bound, never on what was not seen.

use std::sync::Arc;

use fireset_kernel::store::RowId;
use fireset_net::{Figures, Formula, Global, Net, PlaceId, Query, Verdict};
use fireset_structure::PlaceInvariants;

use crate::{
    distance::distance,
    search::{Look, Marked, Predicate, View},
    stubborn::{Arcs, Goal, Reach},
};

/// What a query comes to: a verdict, and where the run that shows it ends, if there is one.
pub(super) type Finding = (Verdict, Option<RowId>);

/// Whether a query is decided by looking at each state once.
pub(super) fn accepts(query: &Query) -> bool {
    matches!(query, Query::Reachable(_) | Query::Invariant(_) | Query::Bound(_) | Query::Global(_))
}

/// Whether a query looks for certain states, so that it need not see all.
pub(super) fn has_goal(query: &Query) -> bool {
    matches!(query, Query::Reachable(_) | Query::Invariant(_) | Query::Bound(_))
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
pub(super) struct Watch {
    /// Which query of the problem it is.
    pub(super) at: usize,
    pub(super) decided: Option<Finding>,
    kind: Kind,
    /// What stubborn sets have to lead to, unless they are not wanted or all states are.
    goal: Option<Arc<Goal>>,
}

/// What it looks for.
#[derive(Clone, Debug)]
enum Kind {
    /// A state with a predicate, and the verdict when there is one.
    Search { target: Arc<Target>, when_found: bool },
    /// The most tokens of some places; no state has more than the ceiling, if an invariant tells.
    Bound { places: Arc<[PlaceId]>, ceiling: Option<u128>, most: Option<(u128, RowId)> },
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

/// A predicate, as it is evaluated and as its distance is guessed.
#[derive(Debug)]
struct Target {
    predicate: Predicate,
    formula: Formula,
}

impl Watch {
    /// Opens a query.
    pub(super) fn new(
        at: usize,
        query: &Query,
        net: &Net,
        knowledge: &PlaceInvariants,
        arcs: Option<&Arcs<'_>>,
    ) -> Self {
        let search = |formula: Formula, when_found| {
            let target = Arc::new(Target { predicate: Predicate::new(&formula), formula });
            Kind::Search { target, when_found }
        };
        let kind = match query {
            Query::Reachable(p) => search(p.clone(), true),
            Query::Invariant(p) => search(p.clone().negate(), false),
            Query::Bound(places) => {
                let bounds = places.iter().map(|p| knowledge.bounds()[p.index()].map(u128::from));
                Kind::Bound { places: places[..].into(), ceiling: bounds.sum(), most: None }
            }
            Query::Global(Global::StateSpace) => Kind::Size { in_marking: 0, in_place: 0 },
            Query::Global(Global::OneSafe) => Kind::OneSafe,
            Query::Global(Global::StableMarking) => {
                let initial = net.initial_marking();
                let stable = net.nodes().place_ids().map(|p| (p, initial.tokens(p))).collect();
                Kind::StableMarking { stable }
            }
            Query::Global(Global::QuasiLiveness) => Kind::QuasiLiveness,
            Query::Global(Global::Liveness) => Kind::Liveness,
            Query::Ctl(_) | Query::Ltl(..) => panic!("accepts only what looking at each state decides"),
        };
        let goal = arcs.and_then(|arcs| match &kind {
            Kind::Search { target, .. } => Some(Goal::holds(&target.predicate, arcs)),
            Kind::Bound { places, .. } => Some(Goal::most(places, arcs)),
            _ => None,
        });
        Self { at, decided: None, kind, goal: goal.map(Arc::new) }
    }

    /// Looks at a state; `true` when it is decided now.
    fn visit<S: Marked>(&mut self, space: &mut S, view: &View<'_>, fired: &Fired) -> bool {
        let fails = |state| Some((Verdict::Fails, state));
        self.decided = match &mut self.kind {
            _ if self.decided.is_some() => return false,
            Kind::Search { target, when_found } => target
                .predicate
                .holds(space, view.row, view.deadlock)
                .then(|| ((*when_found).into(), Some(view.id))),
            Kind::Bound { places, ceiling, most } => {
                let sum: u128 = places.iter().map(|&p| u128::from(space.tokens(view.row, p))).sum();
                if most.as_ref().is_none_or(|(most, _)| sum > *most) {
                    *most = Some((sum, view.id));
                }
                (Some(sum) == *ceiling).then(|| (Verdict::Bound(sum.into()), Some(view.id)))
            }
            Kind::Size { in_marking, in_place } => {
                let (total, most) = space.total_and_most(view.row);
                // Written rarely, so that threads do not wait for each other's lines of the cache.
                if total > *in_marking || most > *in_place {
                    (*in_marking, *in_place) = ((*in_marking).max(total), (*in_place).max(most));
                }
                None
            }
            Kind::OneSafe => {
                if space.is_safe(view.row) {
                    None
                } else {
                    fails(Some(view.id))
                }
            }
            Kind::StableMarking { stable } => {
                stable.retain(|&(place, initial)| space.tokens(view.row, place) == initial);
                if stable.is_empty() { fails(None) } else { None }
            }
            Kind::QuasiLiveness => (fired.left == 0).then_some((Verdict::Holds, None)),
            Kind::Liveness => {
                if view.deadlock && !fired.seen.is_empty() {
                    fails(None)
                } else {
                    None
                }
            }
        };
        self.decided.is_some()
    }

    /// Adds what another one of the same query saw in later states.
    fn join(&mut self, other: Self, fired: &Fired) {
        match (&mut self.kind, other.kind) {
            (Kind::Bound { most, .. }, Kind::Bound { most: other, .. }) => {
                let sum = |most: &Option<(u128, RowId)>| most.as_ref().map(|(sum, _)| *sum);
                let more = sum(&other) > sum(most);
                *most = if more { other } else { most.take() };
            }
            (Kind::Size { in_marking, in_place }, Kind::Size { in_marking: total, in_place: most }) => {
                (*in_marking, *in_place) = ((*in_marking).max(total), (*in_place).max(most));
            }
            (Kind::StableMarking { stable }, Kind::StableMarking { stable: other }) => {
                stable.retain(|place| other.contains(place));
                if stable.is_empty() {
                    self.decided = Some((Verdict::Fails, None));
                }
            }
            (Kind::QuasiLiveness, _) if fired.left == 0 => self.decided = Some((Verdict::Holds, None)),
            _ => {}
        }
        self.decided = self.decided.take().or(other.decided);
    }

    /// What it comes to after all states were visited; `None` where the graph has to tell.
    pub(super) fn finish(self, (states, firings): (u64, u64), fired: &Fired) -> Option<Finding> {
        Some(match self.kind {
            Kind::Search { when_found, .. } => ((!when_found).into(), None),
            Kind::Bound { most, .. } => {
                let (most, state) = most.expect("the initial state was visited");
                (Verdict::Bound(most.into()), Some(state))
            }
            Kind::Size { in_marking, in_place } => {
                let figures = Figures {
                    states: states.into(),
                    firings: firings.into(),
                    max_in_marking: in_marking.into(),
                    max_in_place: in_place.into(),
                };
                (Verdict::StateSpace(figures), None)
            }
            Kind::OneSafe | Kind::StableMarking { .. } => (Verdict::Holds, None),
            Kind::QuasiLiveness => ((fired.left == 0).into(), None),
            Kind::Liveness if fired.left > 0 => (Verdict::Fails, None),
            Kind::Liveness => return None,
        })
    }
}

/// The transitions that fired so far.
#[derive(Clone, Debug)]
pub(super) struct Fired {
    pub(super) seen: Vec<bool>,
    left: usize,
}

/// All open queries of a problem, looking on.
#[derive(Clone, Debug)]
pub(super) struct Looks<'n> {
    net: &'n Net,
    pub(super) open: Vec<Watch>,
    pub(super) fired: Fired,
    reach: Option<Reach<'n>>,
}

impl<'n> Looks<'n> {
    pub(super) fn new(net: &'n Net, arcs: Option<&'n Arcs<'n>>) -> Self {
        let transitions = net.nodes().transitions.len();
        let fired = Fired { seen: vec![false; transitions], left: transitions };
        Self { net, open: Vec::new(), fired, reach: arcs.map(Reach::new) }
    }

    /// Fewer queries are open than before.
    pub(super) fn restart(&mut self) {
        self.reach.iter_mut().for_each(Reach::restart);
    }

    /// Whether stubborn sets decided where the search went.
    pub(super) fn uses_stubborn_sets(&self) -> bool {
        self.reach.as_ref().is_some_and(|reach| reach.used)
    }

    /// Stored states have new numbers.
    pub(super) fn renumber(&mut self, new: &[RowId]) {
        for watch in &mut self.open {
            if let Kind::Bound { most: Some((_, id)), .. } = &mut watch.kind {
                *id = new[*id as usize];
            }
        }
    }
}

impl<S: Marked> Look<S> for Looks<'_> {
    #[inline]
    fn firing(&mut self, transition: u32) {
        let seen = &mut self.fired.seen[transition as usize];
        if !*seen {
            *seen = true;
            self.fired.left -= 1;
        }
    }

    fn visit(&mut self, space: &mut S, view: &View<'_>) -> bool {
        let Self { open, fired, .. } = self;
        open.iter_mut().fold(false, |decided, watch| decided | watch.visit(space, view, fired))
    }

    fn choose(&mut self, space: &mut S, row: &[u64], actions: &mut Vec<S::Number>) -> bool {
        let Some(reach) = self.reach.as_mut().filter(|reach| reach.is_worth_it()) else { return false };
        // A query that was decided meanwhile counts until it is taken note of: others may not know about it.
        if self.open.iter().any(|watch| watch.goal.is_none()) {
            return false;
        }
        let goals = self.open.iter().filter_map(|watch| watch.goal.as_deref());
        reach.choose(space, row, goals, actions);
        true
    }

    fn prepare(&mut self) {
        self.reach.iter_mut().for_each(Reach::prepare);
    }

    fn is_done(&self) -> bool {
        self.open.iter().all(|watch| watch.decided.is_some())
    }

    fn distance(&self, space: &S, row: &[u64]) -> u64 {
        let tokens = |p: PlaceId| space.tokens(row, p);
        let distances = self.open.iter().filter_map(|watch| match &watch.kind {
            Kind::Search { target, .. } => Some(distance(self.net, &target.formula, true, &tokens, false)),
            _ => None,
        });
        distances.min().unwrap_or(0)
    }

    fn join(&mut self, other: Self) -> bool {
        for (transition, _) in other.fired.seen.iter().enumerate().filter(|(_, seen)| **seen) {
            Look::<S>::firing(self, transition as u32);
        }
        if let (Some(reach), Some(other)) = (&mut self.reach, &other.reach) {
            reach.join(other);
        }
        for (watch, other) in self.open.iter_mut().zip(other.open) {
            watch.join(other, &self.fired);
        }
        self.open.iter().any(|watch| watch.decided.is_some())
    }
}
