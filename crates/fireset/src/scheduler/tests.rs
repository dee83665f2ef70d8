//! Scripted engines in every combinator, and the portfolio beside a nearly blind search against the reference checker.

use std::{
    sync::{Arc, Barrier, Mutex},
    thread,
    time::{Duration, Instant},
};

use fireset_engine::{Explicit, ResultSink};
use fireset_net::{
    Evidence, Formula, Model, Outcome, Query, Statistics, Step, Trace, TransitionId, Verdict, replay,
};
use fireset_oracle::{
    self as reference, query,
    random::{self, NetShape, TestRng},
    tiny,
};

use super::*;
use crate::{
    Observer, Options, PortfolioOptions, Report, Switch, Timeline,
    state_equation::StateEquationEngine,
    strategy::{PerQuery, Scope, Start},
};

/// What a scripted engine does with each query that it accepts.
#[derive(Clone)]
enum Script {
    Says(Verdict, Option<Vec<Step>>),
    /// Gives up after this number of states.
    GivesUp(u64),
    /// Works until it is told to stop.
    Endless,
    /// The same, and accepts bounds only.
    EndlessOnBounds,
    /// Says it when all engines of the barrier have begun, so that no engine is spared because of another one's answer.
    SaysAfterAllBegan(Verdict, Arc<Barrier>),
    /// Answers one query, then panics.
    Breaks,
}

/// Accepts all queries but bounds, unless it is endless.
struct Scripted(Script);

impl Engine for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        match self.0 {
            Script::Endless => true,
            Script::EndlessOnBounds => matches!(query, Query::Bound(_)),
            _ => !matches!(query, Query::Bound(_)),
        }
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        for at in 0..problem.queries.len() {
            match &self.0 {
                Script::Says(verdict, steps) => {
                    let evidence = steps.clone().map(|steps| Evidence::Trace(Trace(steps)));
                    sink.report(at, Outcome { evidence, ..told(verdict.clone(), 1) });
                }
                Script::SaysAfterAllBegan(verdict, all_begun) => {
                    all_begun.wait();
                    sink.report(at, told(verdict.clone(), 1));
                }
                Script::GivesUp(states) => sink.report(at, told(Verdict::Unknown(StopReason::Time), *states)),
                Script::Endless | Script::EndlessOnBounds => {
                    let own = sink.signal(at).map_or_else(|| budget.clone(), |signal| budget.heeding(signal));
                    while own.go_on().is_ok() {
                        thread::yield_now();
                    }
                    sink.report(at, Outcome::unknown(own.go_on().expect_err("the loop has ended")));
                }
                Script::Breaks => {
                    sink.report(at, told(Verdict::Holds, 1));
                    panic!("the script says so");
                }
            }
        }
    }
}

fn told(verdict: Verdict, states: u64) -> Outcome {
    let statistics = Statistics { engine: "scripted", states, ..Statistics::default() };
    Outcome { verdict, statistics, ..Outcome::unknown(StopReason::Time) }
}

/// The outcomes of a strategy on a net with one firing, `p -> q`; each query is answered once.
fn decide(strategy: &Strategy, engines: &Engines<'_>, queries: Vec<Query>, budget: &Budget) -> Report {
    #[derive(Default)]
    struct Answered(Vec<usize>);
    impl Observer for Answered {
        fn answer(&mut self, at: usize, _: &Outcome, _: &Timeline) {
            assert!(!self.0.contains(&at), "query {at} is answered twice");
            self.0.push(at);
        }
    }
    let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
    let problem = Problem { model: model.into(), queries };
    let mut observer = Answered::default();
    let results = Results::new(&problem, budget, &mut observer, None);
    Scheduler { results: &results, engines, threads: 2, tuning: Tuning::default(), evidence_search: None }
        .decide(strategy, &problem, budget);
    let report = results.finish();
    assert_eq!(observer.0.len(), problem.queries.len());
    report
}

fn verdicts(report: &Report) -> Vec<Verdict> {
    report.outcomes.iter().map(|outcome| outcome.verdict.clone()).collect()
}

/// Two stages with scripts, as stage names that mean nothing here.
fn scripts(first: Script, second: Script) -> impl Fn(Stage) -> Box<dyn Engine> + Sync {
    let scripts = Mutex::new((first, second));
    move |stage| {
        let (first, second) = scripts.lock().unwrap().clone();
        Box::new(Scripted(if stage == Stage::Walk { first } else { second }))
    }
}

const FIRST: Strategy = Strategy::Stage(Stage::Walk);
const SECOND: Strategy = Strategy::Stage(Stage::Sat);

fn deadlock() -> Query {
    query::reachable(Formula::Deadlock)
}

fn holds() -> Script {
    Script::Says(Verdict::Holds, None)
}

fn seconds(time: u64) -> Budget {
    Budget::unlimited().with_timeout(Duration::from_secs(time))
}

fn at_once(strategy: Strategy) -> Member {
    Member { memory: 0.5, start: Start::AtOnce, strategy }
}

#[test]
fn a_witness_that_does_not_replay_is_no_answer() {
    let lie = Script::Says(Verdict::Holds, Some(Vec::new()));
    let report = decide(&FIRST, &scripts(lie.clone(), holds()), vec![deadlock()], &seconds(60));
    let Verdict::Unknown(StopReason::Fault(why)) = &report.outcomes[0].verdict else {
        panic!("an empty run does not end in the deadlock")
    };
    assert!(why.contains("refused"), "{why}");
    let truth = Script::Says(Verdict::Holds, Some(vec![Step::plain(TransitionId::new(0))]));
    let both = Strategy::Sequence(vec![(0.5, FIRST), (1.0, SECOND)]);
    let report = decide(&both, &scripts(lie, truth), vec![deadlock()], &seconds(60));
    assert_eq!(verdicts(&report), [Verdict::Holds]);
}

#[test]
fn a_refused_witness_leaves_queries_behind_passes_open() {
    let lie = Script::Says(Verdict::Holds, Some(Vec::new()));
    let truth = Script::Says(Verdict::Holds, None);
    let both = Strategy::Sequence(vec![(0.5, FIRST), (1.0, SECOND)]);
    let passes = vec![crate::PassKind::Simplification, crate::PassKind::StructuralReduction];
    let behind = Strategy::WithPasses(passes, Scope::All, Box::new(both));
    let query = query::reachable(Formula::Fireable(vec![TransitionId::new(0)]).negate());
    let report = decide(&behind, &scripts(lie, truth), vec![query], &seconds(60));
    assert_eq!(verdicts(&report), [Verdict::Holds]);
}

#[test]
fn a_panic_costs_only_the_queries_that_were_not_answered() {
    let engines = scripts(Script::Breaks, holds());
    let report = decide(&FIRST, &engines, vec![deadlock(), deadlock()], &seconds(60));
    let [Verdict::Holds, Verdict::Unknown(StopReason::Fault(why))] = &verdicts(&report)[..] else {
        panic!("{report:?}")
    };
    assert!(why.contains("the script"), "{why}");
}

#[test]
fn queries_that_no_engine_accepts_stay_open() {
    let engines = scripts(holds(), holds());
    let report = decide(&FIRST, &engines, vec![Query::Bound(vec![])], &seconds(60));
    assert_eq!(verdicts(&report), [Verdict::Unknown(StopReason::NoEngine)]);
}

#[test]
fn the_reason_that_is_kept_saw_most_states() {
    let both = Strategy::Sequence(vec![(0.5, FIRST), (1.0, SECOND)]);
    let engines = scripts(Script::GivesUp(7), Script::GivesUp(5));
    let report = decide(&both, &engines, vec![deadlock()], &seconds(60));
    assert_eq!(report.outcomes[0].statistics.states, 7);
}

#[test]
fn a_portfolio_ends_with_its_first_verdict() {
    let both = Strategy::Parallel(vec![at_once(FIRST), at_once(SECOND)]);
    let engines = scripts(Script::Endless, holds());
    let report = decide(&both, &engines, vec![deadlock(), deadlock()], &seconds(3600));
    assert_eq!(verdicts(&report), [Verdict::Holds, Verdict::Holds]);
}

#[test]
fn a_query_that_one_member_accepts_waits_for_it() {
    let both = Strategy::Parallel(vec![at_once(FIRST), at_once(SECOND)]);
    let engines = scripts(Script::Endless, holds());
    let budget = Budget::unlimited().with_timeout(Duration::from_millis(100));
    let report = decide(&both, &engines, vec![deadlock(), Query::Bound(vec![])], &budget);
    assert_eq!(verdicts(&report), [Verdict::Holds, Verdict::Unknown(StopReason::Time)]);
}

#[test]
fn a_delayed_member_starts_when_another_one_ends() {
    let delayed = Member { start: Start::Delayed { time: 0.9, states: None }, ..at_once(SECOND) };
    let both = Strategy::Parallel(vec![at_once(FIRST), delayed]);
    let engines = scripts(Script::GivesUp(1), holds());
    let start = Instant::now();
    let report = decide(&both, &engines, vec![deadlock()], &seconds(3600));
    assert_eq!(verdicts(&report), [Verdict::Holds]);
    assert!(start.elapsed() < Duration::from_secs(600));
}

#[test]
fn members_that_disagree_end_the_run_with_a_fault() {
    let all_begun = Arc::new(Barrier::new(2));
    let says = |verdict| Script::SaysAfterAllBegan(verdict, Arc::clone(&all_begun));
    let engines = scripts(says(Verdict::Holds), says(Verdict::Fails));
    let both = Strategy::Parallel(vec![at_once(FIRST), at_once(SECOND)]);
    let budget = seconds(3600);
    let report = decide(&both, &engines, vec![deadlock()], &budget);
    assert!(report.fault.is_some_and(|why| why.contains("says")), "the contradiction is reported");
    assert!(matches!(budget.go_on(), Err(StopReason::Fault(_))), "nothing goes on after a contradiction");
}

#[test]
fn members_that_disagree_behind_passes_end_the_run_with_a_fault() {
    let all_begun = Arc::new(Barrier::new(2));
    let says = |verdict| Script::SaysAfterAllBegan(verdict, Arc::clone(&all_begun));
    let engines = scripts(says(Verdict::Holds), says(Verdict::Fails));
    let behind = |strategy| {
        let passes = vec![crate::PassKind::StructuralReduction];
        Strategy::WithPasses(passes, Scope::All, Box::new(strategy))
    };
    let both = Strategy::Parallel(vec![at_once(behind(FIRST)), at_once(behind(SECOND))]);
    let query = query::reachable(Formula::Fireable(vec![TransitionId::new(0)]).negate());
    let report = decide(&both, &engines, vec![query], &seconds(3600));
    assert!(report.fault.is_some_and(|why| why.contains("says")), "the contradiction is reported");
}

#[test]
fn different_verdicts_are_a_fault() {
    // Reported to the results directly, as two stages would.
    let budget = seconds(60);
    let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
    let problem = Problem { model: model.into(), queries: vec![deadlock()] };
    let mut observer = ();
    let results = Results::new(&problem, &budget, &mut observer, None);
    let id = results.written()[0];
    results.report(id, told(Verdict::Fails, 1));
    results.report(id, told(Verdict::Holds, 1));
    let report = results.finish();
    assert!(report.fault.is_some_and(|why| why.contains("says")), "the contradiction is reported");
}

#[test]
fn no_member_of_a_shared_sequence_uses_up_the_time_of_others() {
    let both = Strategy::SharedSequence(vec![FIRST, SECOND]);
    let engines = scripts(Script::EndlessOnBounds, holds());
    let budget = Budget::unlimited().with_timeout(Duration::from_millis(400));
    let report = decide(&both, &engines, vec![Query::Bound(vec![]), deadlock()], &budget);
    assert_eq!(verdicts(&report), [Verdict::Unknown(StopReason::Time), Verdict::Holds]);
}

#[test]
fn without_a_time_limit_no_member_starves() {
    let both = Strategy::Sequence(vec![(0.001, FIRST), (1.0, SECOND)]);
    for threads in [1, 2] {
        let engines = scripts(Script::Endless, holds());
        let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
        let problem = Problem { model: model.into(), queries: vec![deadlock()] };
        let (budget, mut observer) = (Budget::unlimited(), ());
        let results = Results::new(&problem, &budget, &mut observer, None);
        let scheduler = Scheduler {
            results: &results,
            engines: &engines,
            threads,
            tuning: Tuning::default(),
            evidence_search: None,
        };
        scheduler.decide(&both, &problem, &budget);
        assert_eq!(verdicts(&results.finish()), [Verdict::Holds]);
    }
}

#[test]
fn queries_alone_get_a_second_turn() {
    // Each query looks at one half of the net, so each has a net of its own.
    let how = PerQuery { joint: 0.0, parallel: 1 };
    let alone = Strategy::PerQuery(how, Box::new(FIRST));
    let engines = scripts(Script::GivesUp(3), holds());
    let model = Model::Plain(tiny::net("p:1 q r:1 s; t: p -> q; u: r -> s"));
    let fireable = |at| query::reachable(Formula::Fireable(vec![TransitionId::new(at)]).negate());
    let problem = Problem { model: model.into(), queries: vec![fireable(0), fireable(1)] };
    let (budget, mut observer) = (seconds(60), ());
    let results = Results::new(&problem, &budget, &mut observer, None);
    let scheduler = Scheduler {
        results: &results,
        engines: &engines,
        threads: 1,
        tuning: Tuning::default(),
        evidence_search: None,
    };
    scheduler.decide(&alone, &problem, &budget);
    let report = results.finish();
    for timeline in &report.timelines {
        let stage = timeline.entries.iter().find(|entry| entry.what == Stage::Walk.name());
        assert_eq!(stage.map(|entry| entry.times), Some(2), "{timeline:?}");
    }
}

#[test]
fn verdicts_come_back_through_passes() {
    let passes = vec![crate::PassKind::Simplification, crate::PassKind::StructuralReduction];
    let whole = Strategy::WithPasses(passes, Scope::All, Box::new(Strategy::Stage(Stage::Constants)));
    let options = Options::default();
    let queries = vec![deadlock(), query::invariant(Formula::Constant(true))];
    let report = decide(&whole, &|stage| stage.engine(&options, &Arc::default()), queries, &seconds(60));
    assert_eq!(report.outcomes[1].verdict, Verdict::Holds);
    assert!(!report.timelines[1].entries.is_empty(), "what was done is recorded");
}

/// Compares the outcomes of a strategy on reachability queries with the reference checker; counts how often it answered with yes
/// and with no.
fn compare(strategy: &Strategy, engines: &Engines<'_>, seeds: std::ops::Range<u64>) -> [usize; 2] {
    let mut answered = [0; 2];
    for seed in seeds {
        let mut random = TestRng::new(seed);
        let inhibitors = if seed.is_multiple_of(3) { 25 } else { 0 };
        let shape = NetShape { places: 5, transitions: 6, inhibitors, ..NetShape::default() };
        let model = Model::Plain(random::net(&mut random, &shape));
        let query = |at: usize| {
            let predicate = random::predicate(&mut random, model.nodes(), 2);
            if at.is_multiple_of(2) { Query::Reachable(predicate) } else { Query::Invariant(predicate) }
        };
        let queries: Vec<Query> = (0..4).map(query).collect();
        let expected = reference::outcomes(&model, &queries, 300, &Budget::unlimited());
        let problem = Problem { model: model.into(), queries };
        let budget = seconds(1);
        let mut observer = ();
        let results = Results::new(&problem, &budget, &mut observer, None);
        let scheduler = Scheduler {
            results: &results,
            engines,
            threads: 2,
            tuning: Tuning::default(),
            evidence_search: None,
        };
        scheduler.decide(strategy, &problem, &budget);
        let report = results.finish();
        assert_eq!(report.fault, None);
        for ((given, expected), query) in report.outcomes.iter().zip(&expected).zip(&problem.queries) {
            if given.is_open() || expected.is_open() {
                continue;
            }
            assert_eq!(given.verdict, expected.verdict, "seed {seed} {query:?} {problem:?}");
            if let Some(evidence) = &given.evidence {
                let confirmed = replay::confirm(&problem.model, query, &given.verdict, evidence);
                assert_eq!(confirmed, Ok(()), "seed {seed} {query:?} {problem:?}");
            }
            answered[usize::from(given.verdict == Verdict::Fails)] += 1;
        }
    }
    answered
}

#[test]
fn the_state_equation_agrees_with_the_reference() {
    let engines = |_| -> Box<dyn Engine> { Box::new(StateEquationEngine) };
    let answered = compare(&FIRST, &engines, 0..150);
    assert!(answered.iter().all(|&count| count > 150), "{answered:?}");
}

#[test]
fn the_portfolio_beside_the_search_agrees_with_the_reference() {
    let reduction = Switch::Off;
    for (walks, state_equation, diagrams, sat) in [
        (Switch::On, Switch::On, Switch::On, Switch::On),
        (Switch::Off, Switch::On, Switch::Off, Switch::On),
        (Switch::Off, Switch::Off, Switch::On, Switch::Off),
        (Switch::Off, Switch::Off, Switch::Off, Switch::On),
    ] {
        let portfolio = PortfolioOptions {
            walks,
            state_equation,
            diagrams,
            sat,
            reduction,
            ..PortfolioOptions::default()
        };
        let options = Options { portfolio, ..Options::default() };
        // A search that sees nearly nothing leaves the rest to the others.
        let engines = |stage: Stage| -> Box<dyn Engine> {
            match stage {
                Stage::Search(_) => Box::new(Explicit { effort: Some(8), ..Explicit::default() }),
                stage => stage.engine(&options, &Arc::default()),
            }
        };
        let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
        let problem = Problem { model: model.into(), queries: vec![deadlock()] };
        let strategy = Strategy::reachability(&problem, &options);
        let answered = compare(&strategy, &engines, 1_000..1_100);
        assert!(answered.iter().all(|&count| count > 100), "{answered:?} {options:?}");
    }
}

#[test]
fn a_strategy_can_be_read() {
    let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
    let problem = |query| Problem { model: model.clone().into(), queries: vec![query] };
    let options = Options { threads: 2, ..Options::default() };
    let liveness = Query::Global(fireset_net::Global::Liveness);
    let strategy = Strategy::new(&problem(liveness), &options).to_string();
    for line in [
        "  70 % of the time: after decomposition, simplification, structural reduction, for global properties",
        "  after simplification, structural reduction",
        "      in parallel",
        "        60 % of the memory: 40 % of the time all properties together, then each property on its own net: search",
        "          10 % of the time: random walk",
        "          40 % of the time: decision diagrams",
    ] {
        assert!(strategy.lines().any(|other| other == line), "{line}\nis not in\n{strategy}");
    }
    assert!(!strategy.contains("LTL"), "no query needs it: {strategy}");
    let strategy = Strategy::new(&problem(query::ctl(Formula::Deadlock)), &options).to_string();
    for line in [
        "        5 % of the time: LTL pruning",
        "            60 % of the memory: each property on its own net, 2 at a time: CTL search",
        "          75 % of the time: in parallel",
        "              35 % of the time: each property on its own net: inner checks",
        "              CTL labelling",
        "            50 % of the memory: decision diagrams",
    ] {
        assert!(strategy.lines().any(|other| other == line), "{strategy}");
    }
}
