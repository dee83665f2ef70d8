//! Queries that look on while states are visited, and answer as soon as they can.
//!
//! The same questions as in the reference checker, on packed rows. Invariant: an answer before the end rests on
//! what was seen or on a proven bound, never on what was not seen.

use fireset_net::{Count, Evidence, Figures, Formula, Global, PlaceId, Query, TransitionId, Verdict};

use super::{
    distance::distance,
    explore::{Progress, View},
};
use crate::packed::choose::Knowledge;

/// A verdict and what shows it.
pub(crate) type Answer = (Verdict, Option<Evidence>);

/// A query that is being decided.
pub(crate) trait Watch {
    /// How far a state seems from one that answers, if the query looks for one.
    fn distance(&self, _progress: &Progress<'_>, _view: &View<'_>) -> Option<u64> {
        None
    }

    /// Looks at the next state.
    fn visit(&mut self, progress: &Progress<'_>, view: &View<'_>) -> Option<Answer>;

    /// Answers after all states were visited.
    fn finish(&mut self, progress: &Progress<'_>) -> Answer;
}

/// Whether a query is decided by looking at each state once.
pub(crate) fn accepts(query: &Query) -> bool {
    matches!(query, Query::Reachable(_) | Query::Invariant(_) | Query::Bound(_) | Query::Global(_))
}

/// Whether a query's answer has a run.
pub(crate) fn wants_runs(query: &Query) -> bool {
    match query {
        Query::Global(global) => *global == Global::OneSafe,
        _ => true,
    }
}

/// The value of a state predicate in a state.
fn holds(predicate: &Formula, progress: &Progress<'_>, view: &View<'_>) -> bool {
    let tokens = |p: PlaceId| progress.layout.tokens(view.row, p);
    predicate.evaluate(&|atom| match atom {
        Formula::Deadlock => view.deadlock,
        Formula::Fireable(ts) => ts.iter().any(|&t| enabled(progress, view, t)),
        Formula::Compare(how, a, b) => a.compare(*how, b, &|p| tokens(p).into()),
        _ => unreachable!("evaluate asks for atoms only"),
    })
}

fn enabled(progress: &Progress<'_>, view: &View<'_>, t: TransitionId) -> bool {
    let tokens = |p: PlaceId| progress.layout.tokens(view.row, p);
    progress.net.pre(t).iter().all(|a| tokens(a.place) >= a.weight)
        && progress.net.inhibitors(t).iter().all(|a| tokens(a.place) < a.weight)
}

/// A search for a state with a predicate.
pub(crate) struct Search {
    pub(crate) target: Formula,
    pub(crate) when_found: bool,
}

impl Watch for Search {
    fn distance(&self, progress: &Progress<'_>, view: &View<'_>) -> Option<u64> {
        let tokens = |p: PlaceId| progress.layout.tokens(view.row, p);
        Some(distance(progress.net, &self.target, true, &tokens, view.deadlock))
    }

    fn visit(&mut self, progress: &Progress<'_>, view: &View<'_>) -> Option<Answer> {
        holds(&self.target, progress, view)
            .then(|| (self.when_found.into(), Some(Evidence::Trace(progress.trace(view.id)))))
    }

    fn finish(&mut self, _: &Progress<'_>) -> Answer {
        ((!self.when_found).into(), None)
    }
}

/// The bound of a place set.
pub(crate) struct Bound {
    places: Vec<PlaceId>,
    /// No state has more, if an invariant tells.
    ceiling: Option<u128>,
    /// The most so far, and the state that has it.
    most: Option<(u128, u32)>,
}

impl Bound {
    pub(crate) fn new(places: &[PlaceId], knowledge: &Knowledge) -> Self {
        let bounds = places.iter().map(|p| knowledge.bounds[p.index()].map(u128::from));
        Self { places: places.to_vec(), ceiling: bounds.sum(), most: None }
    }
}

impl Watch for Bound {
    fn visit(&mut self, progress: &Progress<'_>, view: &View<'_>) -> Option<Answer> {
        let sum: u128 = self.places.iter().map(|&p| u128::from(progress.layout.tokens(view.row, p))).sum();
        if self.most.is_none_or(|(most, _)| sum > most) {
            self.most = Some((sum, view.id));
        }
        (Some(sum) == self.ceiling).then(|| self.finish(progress))
    }

    fn finish(&mut self, progress: &Progress<'_>) -> Answer {
        let (most, state) = self.most.expect("the initial state was visited");
        (Verdict::Bound(most.into()), Some(Evidence::Trace(progress.trace(state))))
    }
}

/// The size of the state space.
#[derive(Default)]
pub(crate) struct Size {
    in_marking: u128,
    in_place: u64,
}

impl Watch for Size {
    fn visit(&mut self, progress: &Progress<'_>, view: &View<'_>) -> Option<Answer> {
        let (total, most) = progress.layout.total_and_most(view.row);
        self.in_place = self.in_place.max(most);
        self.in_marking = self.in_marking.max(total);
        None
    }

    fn finish(&mut self, progress: &Progress<'_>) -> Answer {
        let figures = Figures {
            states: progress.store.len().into(),
            firings: progress.firings.into(),
            max_in_marking: self.in_marking.into(),
            max_in_place: self.in_place.into(),
        };
        (Verdict::StateSpace(figures), None)
    }
}

/// The figures of an infinite state space.
pub(crate) fn infinite() -> Figures {
    let [states, firings, max_in_marking, max_in_place] = [const { Count::Infinite }; 4];
    Figures { states, firings, max_in_marking, max_in_place }
}
