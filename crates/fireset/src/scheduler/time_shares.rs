//! Tests of the time and memory that each combinator hands to its engines.
//!
//! The engines record the budget with which they begin and give up at once. So nearly all of an hour remains at every hand-over,
//! and each share can be told from the others by minutes, however slow the machine is.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use fireset_engine::ResultSink;
use fireset_net::{Model, Outcome, Query, StateAtom, StatePredicate, TransitionId, Verdict};
use fireset_oracle::tiny;

use super::*;
use crate::strategy::{PerQuery, Start};

const HOUR: Duration = Duration::from_secs(3600);

/// The time that a test may take before a share looks smaller than it is.
const SLACK: Duration = Duration::from_secs(60);

/// Stages of which two accept every query, one bounds only, and one all but bounds. Their names mean nothing here.
const FIRST: Stage = Stage::Walk;
const SECOND: Stage = Stage::SecondWalk;
const BOUNDS: Stage = Stage::StateEquation;
const OTHERS: Stage = Stage::Sat;

/// The budget with which an engine began.
#[derive(Clone, Debug)]
struct Handover {
    stage: Stage,
    time: Duration,
    memory: Option<u64>,
}

/// Records its budget, and says that the time was not enough unless the test lets it decide.
struct RecordingEngine {
    stage: Stage,
    handovers: Arc<Mutex<Vec<Handover>>>,
    decides: fn(&[Handover]) -> bool,
}

impl Engine for RecordingEngine {
    fn name(&self) -> &'static str {
        "recording"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        match self.stage {
            BOUNDS => matches!(query, Query::Bound(_)),
            OTHERS => !matches!(query, Query::Bound(_)),
            _ => true,
        }
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let time = budget.time_left().expect("every share is a share of something");
        let mut handovers = self.handovers.lock().unwrap();
        handovers.push(Handover { stage: self.stage, time, memory: budget.memory() });
        let decides = (self.decides)(&handovers);
        drop(handovers);
        let verdict = if decides { Verdict::Holds } else { Verdict::Unknown(StopReason::Time) };
        for at in 0..problem.queries.len() {
            sink.report(at, Outcome { verdict: verdict.clone(), ..Outcome::unknown(StopReason::Time) });
        }
    }
}

/// What a test varies of a run of the scheduler.
struct SharingRun {
    queries: Vec<Query>,
    budget: Budget,
    threads: usize,
    tuning: Tuning,
    /// Whether the engine of the last hand-over decides its queries.
    decides: fn(&[Handover]) -> bool,
}

impl Default for SharingRun {
    fn default() -> Self {
        Self {
            queries: vec![deadlock()],
            budget: Budget::unlimited().with_timeout(HOUR),
            threads: 2,
            tuning: Tuning::default(),
            decides: |_| false,
        }
    }
}

impl SharingRun {
    /// The hand-overs of a strategy on a net of two independent transitions.
    fn handovers(&self, strategy: &Strategy) -> Vec<Handover> {
        let handovers: Arc<Mutex<Vec<Handover>>> = Arc::default();
        let decides = self.decides;
        let engines = |stage| -> Box<dyn Engine> {
            Box::new(RecordingEngine { stage, handovers: Arc::clone(&handovers), decides })
        };
        let model = Model::Plain(tiny::net("p:1 q r:1 s; t: p -> q; u: r -> s"));
        let problem = Problem { model: model.into(), queries: self.queries.clone() };
        let mut observer = ();
        let results = Results::new(&problem, &self.budget, &mut observer, None);
        let (threads, tuning) = (self.threads, self.tuning);
        let scheduler =
            Scheduler { results: &results, engines: &engines, threads, tuning, evidence_search: None };
        scheduler.decide(strategy, &problem, &self.budget);
        assert_eq!(results.finish().fault, None);
        handovers.lock().unwrap().clone()
    }
}

fn deadlock() -> Query {
    Query::Reachable(StateAtom::Deadlock.into())
}

/// Looks at one half of the net, so the net can be reduced for it.
fn fireable(transition: usize) -> Query {
    let fireable = StateAtom::Fireable(vec![TransitionId::new(transition)]);
    Query::Reachable(StatePredicate::from(fireable).negate())
}

fn stage(stage: Stage) -> Strategy {
    Strategy::Stage(stage)
}

fn member(stage: Stage, memory: f64) -> Member {
    Member { memory, start: Start::AtOnce, strategy: Strategy::Stage(stage) }
}

/// Each engine begins with a share of the hour, in this order.
#[track_caller]
fn assert_shares(handovers: &[Handover], expected: &[(Stage, f64)]) {
    assert_eq!(handovers.len(), expected.len(), "{handovers:?}");
    for (handover, &(stage, share)) in handovers.iter().zip(expected) {
        assert_eq!(handover.stage, stage, "{handovers:?}");
        let whole = HOUR.mul_f64(share);
        assert!(handover.time <= whole && handover.time + SLACK > whole, "{whole:?} of {handovers:?}");
    }
}

#[test]
fn a_sequence_shares_the_remaining_time() {
    let strategy = Strategy::Sequence(vec![(0.25, stage(FIRST)), (0.5, stage(SECOND)), (1.0, stage(FIRST))]);
    let handovers = SharingRun::default().handovers(&strategy);
    // No engine uses up its share, so what remains is the hour.
    assert_shares(&handovers, &[(FIRST, 0.25), (SECOND, 0.5), (FIRST, 1.0)]);
}

#[test]
fn a_share_is_part_of_the_share_around_it() {
    let inner = Strategy::Sequence(vec![(0.5, stage(SECOND)), (1.0, stage(FIRST))]);
    let strategy = Strategy::Sequence(vec![(0.5, inner)]);
    assert_shares(&SharingRun::default().handovers(&strategy), &[(SECOND, 0.25), (FIRST, 0.5)]);
}

#[test]
fn a_shared_sequence_divides_the_time_by_open_queries() {
    let queries = vec![Query::Bound(vec![]), deadlock(), fireable(0), fireable(1)];
    let strategy = Strategy::SharedSequence(vec![stage(BOUNDS), stage(OTHERS)]);
    let run = SharingRun { queries, ..SharingRun::default() };
    let first = [(BOUNDS, 0.25), (OTHERS, 0.75)];
    // All queries ran out of their share, so the second turn divides the time in the same way.
    assert_shares(&run.handovers(&strategy), &[first, first].concat());
}

#[test]
fn the_second_turn_has_the_time_that_others_did_not_need() {
    let queries = vec![Query::Bound(vec![]), deadlock()];
    let decides = |handovers: &[Handover]| handovers.last().is_some_and(|last| last.stage == OTHERS);
    let strategy = Strategy::SharedSequence(vec![stage(BOUNDS), stage(OTHERS)]);
    let run = SharingRun { queries, decides, ..SharingRun::default() };
    assert_shares(&run.handovers(&strategy), &[(BOUNDS, 0.5), (OTHERS, 0.5), (BOUNDS, 1.0)]);
}

#[test]
fn members_of_a_portfolio_have_all_the_time_and_their_share_of_the_memory() {
    let budget = Budget::unlimited().with_timeout(HOUR).with_memory(1000);
    let strategy = Strategy::Parallel(vec![member(FIRST, 0.75), member(SECOND, 0.25)]);
    let mut handovers = SharingRun { budget, ..SharingRun::default() }.handovers(&strategy);
    handovers.sort_by_key(|handover| handover.stage != FIRST);
    assert_shares(&handovers, &[(FIRST, 1.0), (SECOND, 1.0)]);
    let memory: Vec<Option<u64>> = handovers.iter().map(|handover| handover.memory).collect();
    assert_eq!(memory, [Some(750), Some(250)]);
}

#[test]
fn one_thread_divides_the_time_among_members() {
    let strategy = Strategy::Parallel(vec![member(FIRST, 0.5), member(SECOND, 0.25), member(FIRST, 0.25)]);
    let handovers = SharingRun { threads: 1, ..SharingRun::default() }.handovers(&strategy);
    assert_shares(&handovers, &[(FIRST, 1.0 / 3.0), (SECOND, 0.5), (FIRST, 1.0)]);
}

#[test]
fn a_pre_check_has_its_share_within_its_limit() {
    let strategy = Strategy::Sequence(vec![
        (1.0, Strategy::PreCheck(Box::new(stage(FIRST)))),
        (1.0, Strategy::Stage(SECOND)),
    ]);
    let in_a_pre_check = |pre_check_limit| {
        let tuning = Tuning { pre_check: 0.25, pre_check_limit, ..Tuning::default() };
        SharingRun { tuning, ..SharingRun::default() }.handovers(&strategy)
    };
    assert_shares(&in_a_pre_check(HOUR), &[(FIRST, 0.25), (SECOND, 1.0)]);
    assert_shares(&in_a_pre_check(HOUR / 8), &[(FIRST, 0.125), (SECOND, 1.0)]);
}

#[test]
fn queries_alone_divide_a_third_of_the_time_and_then_all_of_it() {
    let strategy =
        |joint| Strategy::PerQuery(PerQuery { joint, parallel: 1 }, Box::new(Strategy::Stage(FIRST)));
    let run = SharingRun { queries: vec![fireable(0), fireable(1)], ..SharingRun::default() };
    let in_turn = [(FIRST, 1.0 / 6.0), (FIRST, 1.0 / 3.0), (FIRST, 0.5), (FIRST, 1.0)];
    assert_shares(&run.handovers(&strategy(0.0)), &in_turn);
    let joint_first = [&[(FIRST, 0.4)], &in_turn[..]].concat();
    assert_shares(&run.handovers(&strategy(0.4)), &joint_first);
}

#[test]
fn many_queries_have_equal_turns() {
    let how = PerQuery { joint: 0.4, parallel: 1 };
    let strategy = Strategy::PerQuery(how, Box::new(Strategy::Stage(FIRST)));
    let queries = vec![fireable(0), fireable(1), deadlock()];
    let many = |shortest_turn| {
        let tuning = Tuning { many_queries: 2, shortest_turn, ..Tuning::default() };
        SharingRun { queries: queries.clone(), tuning, ..SharingRun::default() }.handovers(&strategy)
    };
    let shares = |turns: [f64; 4]| turns.map(|share| (FIRST, share));
    assert_shares(&many(Duration::ZERO), &shares([0.4, 1.0 / 3.0, 0.5, 1.0]));
    assert_shares(&many(HOUR.mul_f64(0.75)), &shares([0.4, 0.75, 0.75, 1.0]));
}

#[test]
fn rounds_without_a_time_limit_grow() {
    let tuning = Tuning { first_round: HOUR / 10, round_growth: 3, ..Tuning::default() };
    let decides = |handovers: &[Handover]| handovers.len() == 6;
    let run = SharingRun { budget: Budget::unlimited(), tuning, decides, ..SharingRun::default() };
    let strategy = Strategy::Sequence(vec![(0.5, stage(FIRST)), (1.0, stage(SECOND))]);
    let rounds = [0.1, 0.3, 0.9].map(|round| [(FIRST, round / 2.0), (SECOND, round)]);
    assert_shares(&run.handovers(&strategy), &rounds.concat());
}
