//! Culprits: the places or transitions for which a property of the whole net fails.
//!
//! Why: that a net is not live says little; which transitions are not, and a run after which the first of them never fires again, is what
//! a user mends the net by. The engines stop at the first part of a property that fails, so the parts are asked afterwards, together, in a
//! limited time and only where the property failed.
//!
//! | property | culprits | what fails for each |
//! |---|---|---|
//! | one-safe, k-bounded | places with more tokens | `AG (p <= k)` |
//! | bounded | unbounded places | `bound(p)` is finite |
//! | quasi-live | dead transitions | `EF fireable(t)` |
//! | live | transitions that are not live | `AG EF fireable(t)` |
//! | persistent | the transitions of one conflict | |
//!
//! Stable-marking fails for every place, so it has no culprits. Invariant: each culprit rests on an answer of its own; they are complete if
//! every part was answered. Test: `tests/culprits.rs`, against the oracle.

use std::time::Duration;

use fireset_net::{
    Budget, Comparison, Count, Event, Evidence, Expr, Formula, Global, Logic, Model, NamedProperty, Net,
    Outcome, PlaceId, Problem, Query, SoundnessNotion, StateAtom, TransitionId, Verdict, replay,
};

use crate::{Observer, Options, Report, Timeline, named};

/// The most time for the culprits of one property.
const MAX_TIME: Duration = Duration::from_secs(5);
/// Parts that are asked; of a property with more, some culprits may stay unnamed.
const MAX_PARTS: usize = 2_000;

/// A place or transition for which a property of the whole net fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Culprit {
    Place(PlaceId),
    Transition(TransitionId),
}

/// The nodes for which a property of the whole net fails.
#[derive(Clone, Debug)]
pub struct Culprits {
    /// At least one, ascending.
    pub nodes: Vec<Culprit>,
    /// Whether there are no others.
    pub complete: bool,
    /// The first of them that has evidence, with what fails for it.
    pub shown: Option<ShownCulprit>,
}

/// A culprit with a run that shows it.
#[derive(Clone, Debug)]
pub struct ShownCulprit {
    /// One of the culprits.
    pub culprit: Culprit,
    /// What fails for it, and the evidence.
    pub query: Query,
    /// The failure with its run.
    pub outcome: Outcome,
}

/// Decides a problem, and names the culprits of the properties that fail.
pub(crate) fn check_with_culprits(
    problem: &Problem,
    options: &Options,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Report {
    let has_culprits =
        |query: &Query| !parts(&problem.model, query).is_empty() || is_conflict(query) || is_relaxed(query);
    let waits: Vec<bool> = problem.queries.iter().map(has_culprits).collect();
    if !options.portfolio.culprits.is_on() || !waits.contains(&true) {
        return named::check_named(problem, options, budget, observer);
    }
    let mut waiting = WaitingAnswers { waits: &waits, failed: Vec::new(), observer };
    let mut report = named::check_named(problem, options, budget, &mut waiting);
    let WaitingAnswers { failed, observer, .. } = waiting;
    for at in failed {
        if report.culprits[at].is_none() {
            report.culprits[at] = name(problem, at, &report.outcomes[at], options, budget);
        }
        if let Some(culprits) = &report.culprits[at] {
            observer.culprits(at, culprits);
        }
        observer.answer(at, &report.outcomes[at], &report.timelines[at]);
    }
    report
}

/// Holds back the failures that have culprits.
struct WaitingAnswers<'a> {
    waits: &'a [bool],
    failed: Vec<usize>,
    observer: &'a mut dyn Observer,
}

impl Observer for WaitingAnswers<'_> {
    fn answer(&mut self, at: usize, outcome: &Outcome, timeline: &Timeline) {
        if self.waits[at] && outcome.verdict == Verdict::Fails {
            self.failed.push(at);
        } else {
            self.observer.answer(at, outcome, timeline);
        }
    }

    fn record(&mut self, at: usize, event: &Event) {
        self.observer.record(at, event);
    }
}

fn is_conflict(query: &Query) -> bool {
    *query == Query::Named(NamedProperty::Persistent)
}

/// The check of relaxed soundness names its culprits itself.
fn is_relaxed(query: &Query) -> bool {
    matches!(query, Query::Named(NamedProperty::Sound(SoundnessNotion::RelaxedSound, _)))
}

/// The nodes that a property is about, each with what must be true of it.
fn parts(model: &Model, query: &Query) -> Vec<(Culprit, Query)> {
    let nodes = model.nodes();
    let at_most = |place: PlaceId, k: u64| {
        let few = StateAtom::Compare(Comparison::LessEqual, Expr::Tokens(vec![place]), Expr::count(k.into()));
        (Culprit::Place(place), Query::Invariant(few.into()))
    };
    let transitions = |formula: &dyn Fn(Formula) -> Formula| {
        let part = |t| {
            let formula = formula(Formula::Fireable(vec![t]));
            let query = Query::classify(&formula, Logic::Ctl).expect("a formula of CTL");
            (Culprit::Transition(t), query)
        };
        nodes.transition_ids().map(part).collect()
    };
    match query {
        Query::Global(Global::OneSafe) => nodes.place_ids().map(|p| at_most(p, 1)).collect(),
        Query::Named(NamedProperty::KBounded(k, places)) => places.iter().map(|&p| at_most(p, *k)).collect(),
        Query::Named(NamedProperty::Bounded(places)) => {
            places.iter().map(|&p| (Culprit::Place(p), Query::Bound(vec![p]))).collect()
        }
        Query::Global(Global::QuasiLiveness)
        | Query::Named(NamedProperty::Sound(SoundnessNotion::Sound, _)) => {
            transitions(&|fireable| fireable.possible())
        }
        Query::Global(Global::Liveness) => transitions(&|fireable| fireable.possible().invariant()),
        _ => Vec::new(),
    }
}

/// The culprits of a property that fails.
fn name(
    problem: &Problem,
    at: usize,
    outcome: &Outcome,
    options: &Options,
    budget: &Budget,
) -> Option<Culprits> {
    let (model, query) = (&problem.model, &problem.queries[at]);
    if let (true, Model::Plain(net), Some(Evidence::Trace(trace))) =
        (is_conflict(query), &**model, &outcome.evidence)
    {
        let nodes = conflict(net, &replay::states(net, &trace.0).ok()?.pop()?)?;
        return Some(Culprits { nodes: nodes.into(), complete: false, shown: None });
    }
    let mut parts = parts(model, query);
    let all = parts.len();
    parts.sort_by_key(|(culprit, _)| *culprit);
    parts.truncate(MAX_PARTS);
    let asked =
        Problem { model: model.clone(), queries: parts.iter().map(|(_, query)| query.clone()).collect() };
    let report = named::ask_until(&asked, options, &budget.within(MAX_TIME), |_, _| false);
    let fails =
        |outcome: &Outcome| matches!(outcome.verdict, Verdict::Fails | Verdict::Bound(Count::Infinite));
    let complete = all == parts.len() && !report.outcomes.iter().any(Outcome::is_open);
    let failed = parts.into_iter().zip(report.outcomes).filter(|(_, outcome)| fails(outcome));
    let failed: Vec<((Culprit, Query), Outcome)> = failed.collect();
    let nodes: Vec<Culprit> = failed.iter().map(|((culprit, _), _)| *culprit).collect();
    let mut with_runs = failed.into_iter().filter(|(_, outcome)| outcome.evidence.is_some());
    let shown = with_runs.next().map(|((culprit, query), outcome)| ShownCulprit { culprit, query, outcome });
    (!nodes.is_empty()).then_some(Culprits { nodes, complete, shown })
}

/// Two transitions that are enabled in a marking, of which the first disables the second.
fn conflict(net: &Net, marking: &fireset_net::Marking) -> Option<[Culprit; 2]> {
    let enabled = |marking: &_, t| net.enabled(marking, t).is_ok();
    let all: Vec<TransitionId> = net.nodes().transition_ids().filter(|&t| enabled(marking, t)).collect();
    all.iter().find_map(|&t| {
        let next = net.fire_transition(marking, t).ok()?;
        let lost = all.iter().find(|&&u| u != t && !enabled(&next, u))?;
        Some([Culprit::Transition(t), Culprit::Transition(*lost)])
    })
}
