//! Sets of markings against the reference checker: every kind of query that they decide, on random nets with weights, inhibitor
//! arcs and units that do not hold; and sizes of nets that are known.

mod common;

use std::ops::Range;

use common::{any_net, ask, outcomes};
use fireset_engine::{CtlEngine, Engine, QueryKinds, SymbolicEngine};
use fireset_kernel::mdd::POLL_INTERVAL;
use fireset_net::{
    Budget, Formula, Global, Model, Outcome, Problem, Quantifier, Query, StateSpaceSize, StopReason, Verdict,
    families::{self, FamilyKind},
};
use fireset_oracle::{
    OracleCounts, OracleTest, StateCount, against_oracle, query,
    random::{self, TestRng},
    tiny,
};

const SETS: SymbolicEngine =
    SymbolicEngine { kinds: QueryKinds::All, effort: 1 << 6, check_interval: POLL_INTERVAL };

/// Every exploration and every query is stopped after a few edges, and goes on many times.
const STOPPED_OFTEN: SymbolicEngine = SymbolicEngine { effort: 1, check_interval: 4, ..SETS };

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 400;
/// Bytes that the engine may hold.
const MEMORY: u64 = 1 << 20;

/// TestRng queries of all kinds that the engine accepts.
fn queries(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let nodes = model.nodes();
    let mut queries: Vec<Query> =
        [Global::StateSpace, Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness]
            .map(Query::Global)
            .into();
    queries.push(query::reachable(Formula::Deadlock));
    for nesting in 1..=5 {
        queries.push(Query::Ctl(random::nested_ctl(random, nodes, nesting)));
        let quantifier = if random.percent(50) { Quantifier::ForAll } else { Quantifier::Exists };
        queries.push(Query::Ltl(quantifier, random::nested_path(random, nodes, nesting.min(3))));
        queries.push(Query::Reachable(random::predicate(random, nodes, 2)));
        queries.push(Query::Invariant(random::predicate(random, nodes, 2)));
        queries.push(Query::Bound(nodes.place_ids().filter(|_| random.percent(40)).collect()));
    }
    queries.retain(|query| SETS.accepts(model, query));
    queries
}

/// Whether counts may leave 64 bits in the effect of a transition on one level alone. That is computed also from local
/// states that no reachable marking combines with the inputs of other levels, so it is told where no firing overflows.
fn is_huge(model: &Model) -> bool {
    let Model::Plain(net) = model else { return false };
    net.initial_marking().0.iter().any(|&tokens| tokens > 1 << 32)
}

fn compare(
    engine: SymbolicEngine,
    seeds: Range<u64>,
    model: &dyn Fn(&mut TestRng, u64) -> Model,
) -> OracleCounts {
    let test = OracleTest {
        seeds,
        model,
        queries: &queries,
        max_states: MAX_STATES,
        configurations: &|case| if case.states == StateCount::TooMany { vec![] } else { vec![engine] },
        may_stop: &|case, reason| match reason {
            StopReason::Memory => case.states == StateCount::Infinite,
            reason => {
                *reason == StopReason::Overflow && (case.may_overflow() || is_huge(&case.problem.model))
            }
        },
        budget: &|_| Budget::unlimited().with_memory(MEMORY),
    };
    against_oracle(
        &test,
        |sets, problem, budget, report| ask(sets, problem, budget, report),
        |case, _, given| {
            let is_open = |outcome: &Outcome| matches!(outcome.verdict, Verdict::Unknown(_));
            let all_open = given.iter().flatten().all(is_open);
            assert!(
                case.states != StateCount::Infinite || all_open,
                "no infinite set is known: {}",
                case.describe(0)
            );
            assert!(given.iter().all(Option::is_some), "every query is answered: {}", case.describe(0));
        },
    )
}

#[test]
fn random_nets() {
    let counts = compare(SETS, 0..1_000, &any_net);
    assert!(counts.compared > 13_000 && counts.infinite > 50 && counts.with_evidence > 5_000, "{counts:?}");
    assert_each_verdict_is_frequent(&counts, 700);
}

#[test]
fn random_grown_nets() {
    let counts = compare(SETS, 0..500, &|random, _| {
        let inhibitors = if random.percent(30) { 30 } else { 0 };
        Model::Plain(random::grown(random, inhibitors))
    });
    assert!(counts.compared > 7_000 && counts.with_evidence > 3_000, "{counts:?}");
    assert_each_verdict_is_frequent(&counts, 300);
}

#[test]
fn random_nets_with_many_stops() {
    let counts = compare(STOPPED_OFTEN, 1_000..3_000, &any_net);
    assert!(counts.compared > 26_000 && counts.infinite > 100 && counts.with_evidence > 5_000, "{counts:?}");
    assert_each_verdict_is_frequent(&counts, 1_400);
}

#[track_caller]
fn assert_each_verdict_is_frequent(counts: &OracleCounts, at_least: usize) {
    let [ctl, ltl] = ["ctl", "ltl"].map(|kind| counts.kind(kind));
    assert!([ctl.holds, ctl.fails, ltl.holds, ltl.fails].iter().all(|&count| count > at_least), "{counts:?}");
}

/// The figures of a generated net: states, firings, tokens in a marking and in a place.
#[track_caller]
fn figures(family: &str, parameters: &[u64], expected: [u128; 4]) {
    let family = families::find(family).expect("there is such a family");
    let model = family.generate(FamilyKind::Plain, parameters).expect("it has such nets");
    let given = outcomes(&SETS, &model, &[Query::Global(Global::StateSpace)], 1 << 28);
    let [states, firings, max_in_marking, max_in_place] = expected.map(Into::into);
    let expected = StateSpaceSize { states, firings, max_in_marking, max_in_place };
    assert_eq!(given[0].verdict, Verdict::StateSpace(expected));
}

#[test]
fn sizes_that_are_known() {
    figures("kanban", &[5], [2_546_432, 24_460_016, 20, 5]);
    figures("fms", &[4], [438_600, 3_166_985, 18, 4]);
    figures("philosophers", &[11], [177_147, 1_515_591, 22, 1]);
    figures(
        "philosophers",
        &[50],
        [717_897_987_691_852_588_770_249, 27_918_255_076_905_378_452_176_350, 100, 1],
    );
}

#[test]
fn little_effort_at_first_changes_nothing() {
    let (mut random, mut answered) = (TestRng::new(1), [0; 2]);
    for (family, parameters) in [("fms", vec![2]), ("token-ring", vec![6]), ("readers-writers", vec![8])] {
        let family = families::find(family).expect("there is such a family");
        let model = family.generate(FamilyKind::Plain, &parameters).expect("it has such nets");
        let query = |at: usize| Query::Ctl(random::nested_ctl(&mut random, model.nodes(), at % 4 + 1));
        let queries: Vec<Query> = (0..40).map(query).filter(|query| SETS.accepts(&model, query)).collect();
        let expected = outcomes(&CtlEngine::default(), &model, &queries, 1 << 28);
        let given = outcomes(&SymbolicEngine { effort: 1, ..SETS }, &model, &queries, 1 << 28);
        for ((query, given), expected) in queries.iter().zip(given).zip(expected) {
            assert_eq!(given.verdict, expected.verdict, "{query:?} on {}", family.name);
            answered[usize::from(given.verdict == Verdict::Holds)] += 1;
        }
    }
    assert!(answered.iter().all(|&count| count > 30), "{answered:?}");
}

#[test]
fn what_it_does_not_accept() {
    let model = Model::Plain(tiny::net("p:1; t: p -> p"));
    let none = Model::Plain(tiny::net("; t: ->"));
    let queries = [Query::Global(Global::StateSpace), query::reachable(Formula::Deadlock)];
    assert!(queries.iter().all(|query| SETS.accepts(&model, query) && !SETS.accepts(&none, query)));
    let queries = [
        query::reachable(Formula::Deadlock),
        query::ctl(Formula::Deadlock),
        query::ltl(Quantifier::ForAll, Formula::Deadlock),
    ];
    for (kinds, temporal) in [(QueryKinds::NonTemporal, false), (QueryKinds::Temporal, true)] {
        let taken = |query| SymbolicEngine { kinds, ..SETS }.accepts(&model, query);
        assert_eq!(queries.iter().map(taken).collect::<Vec<_>>(), [!temporal, temporal, temporal]);
    }
}

#[test]
fn counts_that_do_not_fit_are_told() {
    let model = Model::Plain(tiny::net("p:18446744073709551615 q:1; t: q -> p"));
    let given = outcomes(&SETS, &model, &[Query::Global(Global::OneSafe)], MEMORY);
    assert_eq!(given[0].verdict, Verdict::Unknown(StopReason::Overflow));
}

#[test]
fn it_stops_when_it_is_told() {
    let model = Model::Plain(tiny::net("p:1 q; t: p -> p, q"));
    let problem = Problem { model: model.into(), queries: vec![Query::Global(Global::StateSpace)] };
    let budget = Budget::unlimited();
    budget.stop(StopReason::Cancelled);
    let mut heard = Vec::new();
    SETS.decide(&problem, &budget, &mut |_: usize, outcome: Outcome| heard.push(outcome.verdict));
    assert_eq!(heard, [Verdict::Unknown(StopReason::Cancelled)]);
}
