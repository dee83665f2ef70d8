//! Named properties that are no formulas of the net: each is decided by structure, or by checks of formulas and bounds.
//!
//! Why: boundedness, termination and the middle levels of liveness speak of all numbers or of infinite runs, so no engine takes them
//! as they are; the questions that they come down to are ones that the engines answer. Each file proves its own step.
//! Needs: nothing of the net; what only place/transition nets have stays unknown on others. Cost: that of the checks, which stop at
//! the first one that decides. Test: `tests/named.rs`, against the oracle.

mod bounded;
mod copy;
mod live;
mod sound;
mod terminating;

use std::sync::Arc;

use fireset_net::{
    Budget, Event, Evidence, LivenessLevel, Model, NamedProperty, Outcome, Problem, Query, Signal,
    StatePredicate, Statistics, StopReason, Technique, Verdict, replay,
};
use fireset_structure::NetStructure;

pub(crate) use self::copy::NetCopy;
use crate::{Observer, Options, Report, Timeline, check::check_formulas};

/// Decides all queries of a problem: first the named properties that need no search, then all formulas together, then the other named
/// properties one by one.
pub(crate) fn check_named(
    problem: &Problem,
    options: &Options,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Report {
    let problem = &spelled_out(problem, budget);
    let is_named = |query: &Query| matches!(query, Query::Named(_));
    if !problem.queries.iter().any(is_named) {
        return check_formulas(problem, options, budget, observer);
    }
    let formulas: Vec<usize> =
        (0..problem.queries.len()).filter(|&at| !is_named(&problem.queries[at])).collect();
    let mut report = Report::empty(problem.queries.len());
    let mut named: Vec<usize> = Vec::new();
    for (at, query) in problem.queries.iter().enumerate() {
        let Query::Named(property) = query else { continue };
        match (NamedCheck { model: &problem.model, options, budget }).at_once(property) {
            Some(outcome) => {
                observer.answer(at, &outcome, &report.timelines[at]);
                report.outcomes[at] = outcome;
            }
            None => named.push(at),
        }
    }
    if !formulas.is_empty() {
        let queries = formulas.iter().map(|&at| problem.queries[at].clone()).collect();
        let asked = Problem { model: problem.model.clone(), queries };
        let share = budget.share(formulas.len() as f64 / (formulas.len() + named.len()) as f64);
        let mut positions = Positions { positions: &formulas, observer };
        report.take(check_formulas(&asked, options, &share, &mut positions), &formulas);
    }
    for (done, &at) in named.iter().enumerate() {
        let Query::Named(property) = &problem.queries[at] else { continue };
        let budget = &budget.share(1.0 / (named.len() - done) as f64);
        let check = NamedCheck { model: &problem.model, options, budget };
        let ((outcome, timeline), culprits) = match property {
            NamedProperty::Sound(notion, ends) => check.sound(*notion, ends),
            _ => (check.decide(property), None),
        };
        report.culprits[at] = culprits.filter(|_| options.portfolio.culprits.is_on());
        observer.answer(at, &outcome, &timeline);
        (report.outcomes[at], report.timelines[at]) = (outcome, timeline);
    }
    report
}

/// The problem with formulas for the named properties that are some on its net.
fn spelled_out(problem: &Problem, budget: &Budget) -> Problem {
    let mut spelled = problem.clone();
    for query in &mut spelled.queries {
        let is_reversible = matches!(query, Query::Named(NamedProperty::Reversible));
        match &*problem.model {
            Model::Plain(net) if is_reversible && NetStructure::of(net).is_reversible(budget) => {
                *query = Query::Invariant(StatePredicate::Constant(true));
            }
            model => *query = query.spelled_out(model).unwrap_or_else(|| query.clone()),
        }
    }
    spelled
}

/// Tells an observer of a check of some of the queries.
struct Positions<'a> {
    positions: &'a [usize],
    observer: &'a mut dyn Observer,
}

impl Observer for Positions<'_> {
    fn answer(&mut self, at: usize, outcome: &Outcome, timeline: &Timeline) {
        self.observer.answer(self.positions[at], outcome, timeline);
    }

    fn record(&mut self, at: usize, event: &Event) {
        self.observer.record(self.positions[at], event);
    }
}

/// What a named property is decided with.
#[derive(Clone, Copy)]
struct NamedCheck<'a> {
    model: &'a Arc<Model>,
    options: &'a Options,
    budget: &'a Budget,
}

type DecidedProperty = (Outcome, Timeline);

impl NamedCheck<'_> {
    /// The answer that structure or a few random walks give in little time.
    fn at_once(&self, property: &NamedProperty) -> Option<Outcome> {
        let Model::Plain(net) = &**self.model else { return None };
        match property {
            NamedProperty::Bounded(places) => self.bounded_at_once(net, places),
            NamedProperty::Terminating => self.terminating_at_once(net),
            NamedProperty::Live(ts, _) => self.live_at_once(net, ts),
            NamedProperty::Sound(notion, ends) => self.sound_at_once(net, *notion, ends),
            _ => None,
        }
    }

    /// The outcome with a run as its evidence, if the run shows it.
    fn shown(&self, property: NamedProperty, verdict: Verdict, evidence: Evidence) -> Option<Outcome> {
        let shows = replay::confirm(self.model, &Query::Named(property), &verdict, &evidence).is_ok();
        shows.then(|| Outcome { evidence: Some(evidence), ..at_once(verdict, Technique::RandomWalk) })
    }

    /// Decides a property that is not decided at once.
    fn decide(&self, property: &NamedProperty) -> DecidedProperty {
        match property {
            NamedProperty::Bounded(places) => self.bounded(places),
            NamedProperty::Terminating => self.terminating(),
            NamedProperty::Live(ts, level @ (LivenessLevel::L2 | LivenessLevel::L3)) => self.live(ts, *level),
            _ => (Outcome::unknown(StopReason::NoEngine), Timeline::default()),
        }
    }

    /// Checks queries until `is_enough` of one; gives the outcomes in their order.
    fn ask(
        &self,
        model: &Arc<Model>,
        queries: Vec<Query>,
        is_enough: impl Fn(usize, &Verdict) -> bool + Send + Sync,
    ) -> Report {
        ask_until(&Problem { model: model.clone(), queries }, self.options, self.budget, is_enough)
    }
}

/// Checks a problem until `is_enough` of a verdict.
pub(crate) fn ask_until(
    problem: &Problem,
    options: &Options,
    budget: &Budget,
    is_enough: impl Fn(usize, &Verdict) -> bool + Send + Sync,
) -> Report {
    let enough = Signal::default();
    let heeding = budget.heeding(&enough);
    let mut stop = |at: usize, outcome: &Outcome| {
        if is_enough(at, &outcome.verdict) {
            enough.give(StopReason::Cancelled);
        }
    };
    let mut report = check_formulas(problem, options, &heeding, &mut stop);
    if let Some(fault) = &report.fault {
        report.outcomes.fill(Outcome::unknown(StopReason::Fault(fault.clone())));
    }
    report
}

/// An outcome that the structure of the net or a walk decides.
fn at_once(verdict: Verdict, technique: Technique) -> Outcome {
    Outcome {
        verdict,
        techniques: vec![technique],
        statistics: Statistics { engine: "named", ..Statistics::default() },
        ..Outcome::unknown(StopReason::NoEngine)
    }
}
