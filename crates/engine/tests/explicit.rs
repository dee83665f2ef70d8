//! The explicit engine against the oracle: each layout, each access, on random nets with weights,
//! inhibitor arcs, units that do not hold, and counts that outgrow their fields.

mod common;

use common::{any_net, ask, outcomes};
use fireset_engine::{Access, Encoding, Engine, Explicit, FiresetMode, LayoutChoice, Order};
use fireset_net::{
    Budget, Comparison, Expr, Formula, Global, Model, Outcome, PlaceId, Problem, Query, StopReason, Verdict,
    families::{self, FamilyKind},
    replay,
};
use fireset_oracle::{
    OracleCase, OracleTest, StateCount, against_oracle, query,
    random::{self, TestRng},
    tiny,
};

const CHOICES: [LayoutChoice; 5] = [
    LayoutChoice::Auto,
    LayoutChoice::Only(Encoding::Wide),
    LayoutChoice::Only(Encoding::Safe),
    LayoutChoice::Only(Encoding::Nupn),
    LayoutChoice::Only(Encoding::Invariant),
];

/// All queries that the engine accepts, some of them random.
fn queries(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let mut queries: Vec<Query> =
        [Global::StateSpace, Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness]
            .map(Query::Global)
            .into();
    queries.push(query::reachable(Formula::Deadlock));
    for _ in 0..4 {
        queries.push(Query::Reachable(random::predicate(random, model.nodes(), 2)));
        queries.push(Query::Invariant(random::predicate(random, model.nodes(), 2)));
        let places = model.nodes().place_ids().filter(|_| random.percent(40)).collect();
        queries.push(Query::Bound(places));
    }
    queries
}

/// Each layout with each order, access and way to enabled transitions.
fn ways() -> Vec<Explicit> {
    let each = |encoding| {
        let breadth = Explicit { encoding, ..Explicit::default() };
        let depth = Explicit { order: Order::DepthFirst, ..breadth };
        [
            breadth,
            Explicit { access: Access::Decode, ..breadth },
            depth,
            Explicit { fireset: FiresetMode::Full, ..depth },
            Explicit { order: Order::BestFirst, ..breadth },
        ]
    };
    CHOICES.into_iter().flat_map(each).collect()
}

#[test]
fn random_nets() {
    let test = OracleTest {
        seeds: 0..2_000,
        model: &any_net,
        queries: &queries,
        max_states: 600,
        configurations: &|case| match case.states {
            StateCount::TooMany => vec![],
            _ if case.is_decided() => ways(),
            StateCount::Overflow => vec![ways()[case.seed as usize / 4 % ways().len()]],
            _ => vec![],
        },
        may_stop: &|case, reason| match reason {
            StopReason::Memory => matches!(case.states, StateCount::Infinite | StateCount::Overflow),
            reason => *reason == StopReason::Overflow && case.may_overflow(),
        },
        budget: &|_| Budget::unlimited().with_memory(1 << 20),
    };
    let counts = against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        |case, _, given| assert!(given.iter().all(Option::is_some), "all are answered: {}", case.describe(0)),
    );
    assert!(counts.problems > 1_000, "only {} nets were small enough", counts.problems);
    assert!(counts.overflows > 10, "{counts:?}");
}

#[test]
fn families_in_every_layout() {
    let cases: [(&str, &[u64]); 8] = [
        ("philosophers", &[3]),
        ("kanban", &[1]),
        ("token-ring", &[4]),
        ("fork-join", &[2]),
        ("pipeline", &[3, 2]),
        ("readers-writers", &[3]),
        ("slotted-ring", &[2]),
        ("shared-memory", &[2]),
    ];
    for (name, parameters) in cases {
        let model = families::find(name).unwrap().generate(FamilyKind::Plain, parameters).unwrap();
        let queries = queries(&mut TestRng::new(1), &model);
        let problem = Problem { model: model.clone().into(), queries: queries.clone() };
        let case = OracleCase::new(1, TestRng::new(1), problem, 600);
        assert!(case.is_finite() && case.is_decided(), "{name} is small enough");
        for engine in ways() {
            let given: Vec<_> = outcomes(&engine, &model, &queries, 1 << 20).into_iter().map(Some).collect();
            case.compare(&given, &|_, _| false, &engine);
        }
    }
}

#[test]
fn counts_outgrow_their_fields() {
    // 300 tokens arrive on `q` one by one, then 70,000 at a time: past 8, 16 and more bits.
    let net = tiny::net("p:300 q r; t: p -> q; u: 300*q -> 70000*r; v: 70000*r -> 5000000000*q");
    let model = Model::Plain(net);
    let bound = |place| Query::Bound(vec![PlaceId::new(place)]);
    let queries = [Query::Global(Global::StateSpace), bound(1), bound(2)];
    let expected = fireset_oracle::outcomes(&model, &queries[..1], 1_000, &Budget::unlimited());
    for encoding in CHOICES {
        let problem = Problem { model: model.clone().into(), queries: queries.to_vec() };
        let small = Budget::unlimited().with_memory(1 << 22);
        let mut given = Vec::new();
        Explicit { encoding, ..Explicit::default() }.decide(
            &problem,
            &small,
            &mut |at: usize, outcome: Outcome| given.push((at, outcome.verdict)),
        );
        given.sort_by_key(|(at, _)| *at);
        assert_eq!(given[0].1, expected[0].verdict, "{encoding:?}");
    }
}

#[test]
fn a_count_past_64_bits_is_told() {
    let net = tiny::net("p:18446744073709551615 q:1; t: q -> p");
    let model = Model::Plain(net);
    for encoding in CHOICES {
        let engine = Explicit { encoding, ..Explicit::default() };
        let given = outcomes(&engine, &model, &[Query::Global(Global::StateSpace)], 1 << 20);
        assert_eq!(given[0].verdict, Verdict::Unknown(StopReason::Overflow), "{encoding:?}");
    }
}

#[test]
fn several_threads_give_the_same_answers() {
    for (name, parameters) in [("kanban", &[3]), ("swimming-pool", &[1])] {
        let model = families::find(name).unwrap().generate(FamilyKind::Plain, parameters).unwrap();
        let queries = queries(&mut TestRng::new(5), &model);
        let problem = Problem { model: model.clone().into(), queries: queries.clone() };
        let run = |threads: usize, encoding: LayoutChoice| {
            let mut all = vec![None; queries.len()];
            let engine = Explicit { threads, encoding, ..Explicit::default() };
            engine.decide(&problem, &Budget::unlimited(), &mut |at: usize, outcome: Outcome| {
                all[at] = Some((outcome.verdict, outcome.evidence));
            });
            all
        };
        for encoding in [LayoutChoice::Auto, LayoutChoice::Only(Encoding::Wide)] {
            let one = run(1, encoding);
            assert!(
                one.iter().all(|answer| matches!(answer, Some((v, _)) if !matches!(v, Verdict::Unknown(_))))
            );
            for threads in [2, 3, 8] {
                assert_eq!(one, run(threads, encoding), "{name}, {threads} threads");
            }
        }
    }
}

const ORDERS: [Order; 3] = [Order::BreadthFirst, Order::DepthFirst, Order::BestFirst];

#[test]
fn limits_end_in_unknown_with_the_states_seen() {
    let model = families::find("kanban").unwrap().generate(FamilyKind::Plain, &[6]).unwrap();
    let queries = vec![Query::Global(Global::StateSpace), Query::Global(Global::Liveness)];
    let problem = Problem { model: model.into(), queries };
    let little_memory = Budget::unlimited().with_memory(1 << 20);
    let no_time = Budget::unlimited().with_timeout(std::time::Duration::ZERO);
    for order in ORDERS {
        for threads in [1, 2] {
            for (budget, reason, least) in
                [(&little_memory, StopReason::Memory, 1_000), (&no_time, StopReason::Time, 1)]
            {
                let engine = Explicit { order, threads, ..Explicit::default() };
                let mut told = 0;
                engine.decide(&problem, budget, &mut |_: usize, outcome: Outcome| {
                    assert_eq!(outcome.verdict, Verdict::Unknown(reason.clone()), "{engine:?}");
                    assert!(outcome.statistics.states >= least, "{engine:?}: {:?}", outcome.statistics);
                    told += 1;
                });
                assert_eq!(told, 2);
            }
        }
    }
}

#[test]
fn the_best_first_finds_what_is_too_deep_for_breadth() {
    let model = families::find("philosophers").unwrap().generate(FamilyKind::Plain, &[30]).unwrap();
    let eats = |n: usize| {
        let at = model.nodes().places.find(&format!("eating_{n}")).expect("a philosopher of the net");
        Formula::Compare(Comparison::GreaterEqual, Expr::Tokens(vec![PlaceId::new(at)]), Expr::Constant(1))
    };
    let all = query::reachable(Formula::And(vec![eats(1), eats(11), eats(21)]));
    let problem = Problem { model: model.clone().into(), queries: vec![all.clone()] };
    let run = |order: Order| {
        let mut given = None;
        let engine = Explicit { order, ..Explicit::default() };
        let budget = Budget::unlimited().with_memory(1 << 20);
        engine.decide(&problem, &budget, &mut |_: usize, outcome: Outcome| given = Some(outcome));
        given.unwrap()
    };
    assert_eq!(run(Order::BreadthFirst).verdict, Verdict::Unknown(StopReason::Memory));
    let found = run(Order::BestFirst);
    assert_eq!(found.verdict, Verdict::Holds);
    replay::confirm(&model, &all, &found.verdict, &found.evidence.unwrap()).unwrap();
}

#[test]
fn kanban_has_its_known_size() {
    let model = families::find("kanban").unwrap().generate(FamilyKind::Plain, &[3]).unwrap();
    let problem = Problem { model: model.into(), queries: vec![Query::Global(Global::StateSpace)] };
    let mut given = Vec::new();
    let mut answer = |_, outcome| given.push(outcome);
    Explicit::default().decide(&problem, &Budget::unlimited(), &mut answer);
    let Verdict::StateSpace(figures) = &given[0].verdict else { panic!("{:?}", given[0].verdict) };
    assert_eq!((figures.states.to_string(), figures.firings.to_string()), ("58400".into(), "446400".into()));
    assert_eq!(given[0].statistics.encoding, "invariant");
}
