//! Searches that stop at a limit go on later: in the search after the pre-check, in second turns and in further rounds.

use std::sync::{Arc, Mutex};

use fireset_engine::{Explicit, ResultSink, ResumableExplicit, SuspendedExplorations};
use fireset_net::{
    Comparison, Expr, Global, Model, Outcome, PlaceId, Query, Signal, StateAtom, StatePredicate, Verdict,
    families::{self, FamilyKind},
};

use super::*;
use crate::{
    Options, PortfolioOptions, Switch,
    strategy::{Member, PassKind, Scope, Start},
};

/// The number of states of the net, kanban with two tokens.
const STATES: u64 = 4_600;

fn kanban(query: Query) -> Problem {
    let model = families::find("kanban").unwrap().generate(FamilyKind::Plain, &[2]).unwrap();
    Problem { model: model.into(), queries: vec![query] }
}

/// Parts wait for repair, or have come to an end, in all four cells; nested, so that simplification has something to do.
fn far() -> StatePredicate {
    let at_least = |place, tokens| {
        let count = Expr::Tokens(vec![PlaceId::new(place)]);
        StateAtom::Compare(Comparison::GreaterEqual, count, Expr::Constant(tokens)).into()
    };
    let first = StatePredicate::And(vec![at_least(2, 1), at_least(7, 1)]);
    StatePredicate::And(vec![first, at_least(10, 2), at_least(15, 1)])
}

fn outcome(problem: &Problem, strategy: &Strategy, engines: &Engines<'_>, threads: usize) -> Outcome {
    let (budget, mut observer) = (Budget::unlimited(), ());
    let results = Results::new(problem, &budget, &mut observer, None);
    let tuning = Tuning::default();
    let scheduler = Scheduler { results: &results, engines, threads, tuning, evidence_search: None };
    scheduler.decide(strategy, problem, &budget);
    results.finish().outcomes.remove(0)
}

/// A search that gets time for a few states more in each run.
struct SlowSearch {
    search: ResumableExplicit,
    runs: Arc<Mutex<u64>>,
    states_a_run: u64,
}

impl Engine for SlowSearch {
    fn name(&self) -> &'static str {
        self.search.name()
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        self.search.accepts(model, query)
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let run = {
            let mut runs = self.runs.lock().unwrap();
            *runs += 1;
            *runs
        };
        let over = Signal::default();
        let heeded = budget.heeding(&over);
        let budget = heeded.with_milestone(run * self.states_a_run, move || over.give(StopReason::Time));
        self.search.decide(problem, &budget, sink);
    }
}

/// The outcome of a strategy whose searches are slow. Each run but the first goes on.
fn in_rounds(problem: &Problem, strategy: &Strategy, states_a_run: u64) -> Outcome {
    let suspended = Arc::new(SuspendedExplorations::default());
    let runs = Arc::new(Mutex::new(0));
    let engines = |_| -> Box<dyn Engine> {
        let search = ResumableExplicit { explicit: Explicit::default(), suspended: suspended.clone() };
        Box::new(SlowSearch { search, runs: runs.clone(), states_a_run })
    };
    let given = outcome(problem, strategy, &engines, 1);
    let runs = *runs.lock().unwrap();
    assert!(runs > 3, "{runs} runs");
    assert_eq!(suspended.resumed() as u64, runs - 1);
    given
}

#[test]
fn rounds_and_second_turns_go_on() {
    let search = Strategy::Stage(Stage::Search(1));
    for strategy in [search.clone(), Strategy::SharedSequence(vec![search])] {
        let given = in_rounds(&kanban(Query::Global(Global::StateSpace)), &strategy, STATES / 10);
        assert_eq!(given.statistics.states, STATES);
        assert!(matches!(given.verdict, Verdict::StateSpace(_)), "{given:?}");
    }
}

#[test]
fn rounds_go_on_behind_passes() {
    // Each round makes the net anew, equal to the one before.
    let passes = vec![PassKind::Simplification, PassKind::StructuralReduction];
    let strategy = Strategy::WithPasses(passes, Scope::All, Box::new(Strategy::Stage(Stage::Search(1))));
    let given = in_rounds(&kanban(Query::Reachable(far())), &strategy, 5);
    assert_eq!(given.verdict, Verdict::Holds);
}

/// The number of explorations that go on in a check whose pre-check sees few states.
fn resumed_after_pre_check(query: Query, portfolio: PortfolioOptions) -> usize {
    let options = Options { threads: 2, portfolio, ..Options::default() };
    let suspended = Arc::new(SuspendedExplorations::default());
    let engines = |stage: Stage| -> Box<dyn Engine> {
        let explicit = Explicit { effort: Some(20), ..Explicit::default() };
        match stage {
            Stage::FirstStates => Box::new(ResumableExplicit { explicit, suspended: suspended.clone() }),
            stage => stage.engine(&options, &suspended),
        }
    };
    let problem = kanban(query);
    let given = outcome(&problem, &Strategy::new(&problem, &options), &engines, 2);
    assert!(!given.is_open(), "{given:?}");
    suspended.resumed()
}

#[test]
fn the_search_goes_on_after_the_pre_check() {
    let (diagrams, walks, state_equation, sat) = (Switch::Off, Switch::Off, Switch::Off, Switch::Off);
    let search = PortfolioOptions { diagrams, walks, state_equation, sat, ..PortfolioOptions::default() };
    assert_eq!(resumed_after_pre_check(Query::Global(Global::StateSpace), search), 1);

    // A query that simplification rewrites, on a net that stays as it is.
    let query = Query::Invariant(far().negate());
    let unreduced = PortfolioOptions { reduction: Switch::Off, ..search };
    assert_eq!(resumed_after_pre_check(query.clone(), unreduced), 1);
    let as_written = PortfolioOptions { simplification: Switch::Off, ..unreduced };
    assert_eq!(resumed_after_pre_check(query, as_written), 1);
}

/// Notes the spare threads before and after the milestone that starts the rest of the portfolio.
struct ThreadObserver(Arc<Mutex<Vec<usize>>>);

impl Engine for ThreadObserver {
    fn name(&self) -> &'static str {
        "observer"
    }

    fn accepts(&self, _: &Model, _: &Query) -> bool {
        true
    }

    fn decide(&self, _: &Problem, budget: &Budget, _: &mut dyn ResultSink) {
        let mut seen = self.0.lock().unwrap();
        seen.push(budget.spare_threads());
        while budget.check(0, u64::MAX).is_ok() && budget.spare_threads() > 0 {
            std::thread::yield_now();
        }
        seen.push(budget.spare_threads());
    }
}

#[test]
fn a_head_start_is_with_the_threads_of_the_others() {
    let delayed = Start::Delayed { time: 1.0, states: Some(1) };
    let (search, walk) = (Strategy::Stage(Stage::Search(1)), Strategy::Stage(Stage::Walk));
    let members = vec![
        Member { memory: 0.5, start: Start::AtOnce, strategy: search },
        Member { memory: 0.5, start: delayed, strategy: walk },
    ];
    let seen = Arc::new(Mutex::new(Vec::new()));
    let engines = |_| -> Box<dyn Engine> { Box::new(ThreadObserver(seen.clone())) };
    let problem = kanban(Query::Reachable(StateAtom::Deadlock.into()));
    outcome(&problem, &Strategy::Parallel(members), &engines, 2);
    assert_eq!(*seen.lock().unwrap(), [1, 0, 0, 0], "the search, then the walk");
}
