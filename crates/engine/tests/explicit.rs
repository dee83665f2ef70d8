//! The explicit engine against the reference checker: each layout, each access, on random nets with weights,
//! inhibitor arcs, units that do not hold, and counts that outgrow their fields.

use fireset_engine::{Access, Choice, Encoding, Engine, Explicit, FiresetMode, Order};
use fireset_net::{
    Budget, Comparison, Expr, Figures, Formula, Global, Model, Net, Outcome, PlaceId, Problem, Query,
    StopReason, Verdict,
    families::{self, Kind},
    replay,
};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};

const CHOICES: [Choice; 5] = [
    Choice::Auto,
    Choice::Only(Encoding::Wide),
    Choice::Only(Encoding::Safe),
    Choice::Only(Encoding::Nupn),
    Choice::Only(Encoding::Invariant),
];

/// All queries that the engine accepts, some of them random.
fn queries(random: &mut TestRng, net: &Net) -> Vec<Query> {
    let mut queries: Vec<Query> =
        [Global::StateSpace, Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness]
            .map(Query::Global)
            .into();
    queries.push(Query::Reachable(Formula::Deadlock));
    for _ in 0..4 {
        queries.push(Query::Reachable(random::predicate(random, net.nodes(), 2)));
        queries.push(Query::Invariant(random::predicate(random, net.nodes(), 2)));
        let places = net.nodes().place_ids().filter(|_| random.percent(40)).collect();
        queries.push(Query::Bound(places));
    }
    queries
}

/// What the engine says of all queries.
fn outcomes(engine: Explicit, model: &Model, queries: &[Query]) -> Vec<Outcome> {
    let problem = Problem { model: model.clone().into(), queries: queries.to_vec() };
    let mut all: Vec<Option<Outcome>> = vec![None; queries.len()];
    engine.decide(&problem, &Budget::unlimited().with_memory(1 << 20), &mut |at: usize, outcome: Outcome| {
        assert!(all[at].replace(outcome).is_none(), "a query is answered once");
    });
    all.into_iter().map(|outcome| outcome.expect("every query is answered")).collect()
}

/// Compares the engine with the reference on a net; `false` when the net is too large for that.
fn agree(net: Net, random: &mut TestRng, label: &str) -> bool {
    let queries = queries(random, &net);
    let model = Model::Plain(net);
    let expected = fireset_oracle::outcomes(&model, &queries, 600, &Budget::unlimited());
    if expected.iter().any(|o| matches!(o.verdict, Verdict::Unknown(_))) {
        return false;
    }
    let infinite = expected[0].verdict == Verdict::StateSpace(Figures::INFINITE);
    for encoding in CHOICES {
        let breadth = Explicit { encoding, ..Explicit::default() };
        let depth = Explicit { order: Order::DepthFirst, ..breadth };
        let ways = [
            breadth,
            Explicit { access: Access::Decode, ..breadth },
            depth,
            Explicit { fireset: FiresetMode::Full, ..depth },
            Explicit { order: Order::BestFirst, ..breadth },
        ];
        for engine in ways {
            let given = outcomes(engine, &model, &queries);
            for ((query, given), expected) in queries.iter().zip(given).zip(&expected) {
                if infinite && given.verdict == Verdict::Unknown(StopReason::Memory) {
                    continue;
                }
                assert_eq!(given.verdict, expected.verdict, "{label} {engine:?} {query:?} {model:?}");
                if let Some(evidence) = &given.evidence {
                    replay::confirm(&model, query, &given.verdict, evidence)
                        .unwrap_or_else(|refusal| panic!("{label} {engine:?} {query:?}: {refusal:?}"));
                }
            }
        }
    }
    true
}

#[test]
fn random_nets() {
    let mut compared = 0;
    for seed in 0..2_000 {
        let mut random = TestRng::new(seed);
        let shape = NetShape { inhibitors: if random.percent(30) { 30 } else { 0 }, ..NetShape::default() };
        let net = random::net(&mut random, &shape);
        let claims = random.percent(60).then(|| random::units(&mut random, &net));
        compared += usize::from(agree(net.with_nupn(claims), &mut random, &format!("seed {seed}")));
    }
    assert!(compared > 1_000, "only {compared} nets were small enough");
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
        let model = families::find(name).unwrap().generate(Kind::Plain, parameters).unwrap();
        let Model::Plain(net) = model else { panic!("{name} is plain") };
        assert!(agree(net, &mut TestRng::new(1), name), "{name} is small enough");
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
        let small = Budget::unlimited().with_memory(1 << 24);
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
        let given = outcomes(
            Explicit { encoding, ..Explicit::default() },
            &model,
            &[Query::Global(Global::StateSpace)],
        );
        assert_eq!(given[0].verdict, Verdict::Unknown(StopReason::Overflow), "{encoding:?}");
    }
}

#[test]
fn several_threads_give_the_same_answers() {
    for (name, parameters) in [("kanban", &[3]), ("swimming-pool", &[1])] {
        let model = families::find(name).unwrap().generate(Kind::Plain, parameters).unwrap();
        let Model::Plain(net) = &model else { panic!("{name} is plain") };
        let queries = queries(&mut TestRng::new(5), net);
        let problem = Problem { model: model.clone().into(), queries: queries.clone() };
        let run = |threads: usize, encoding: Choice| {
            let mut all = vec![None; queries.len()];
            let engine = Explicit { threads, encoding, ..Explicit::default() };
            engine.decide(&problem, &Budget::unlimited(), &mut |at: usize, outcome: Outcome| {
                all[at] = Some((outcome.verdict, outcome.evidence));
            });
            all
        };
        for encoding in [Choice::Auto, Choice::Only(Encoding::Wide)] {
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
    let model = families::find("kanban").unwrap().generate(Kind::Plain, &[6]).unwrap();
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
    let model = families::find("philosophers").unwrap().generate(Kind::Plain, &[30]).unwrap();
    let eats = |n: usize| {
        let at = model.nodes().places.find(&format!("eating_{n}")).expect("there are so many");
        Formula::Compare(Comparison::GreaterEqual, Expr::Tokens(vec![PlaceId::new(at)]), Expr::Constant(1))
    };
    let all = Query::Reachable(Formula::And(vec![eats(1), eats(11), eats(21)]));
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
    let model = families::find("kanban").unwrap().generate(Kind::Plain, &[3]).unwrap();
    let problem = Problem { model: model.into(), queries: vec![Query::Global(Global::StateSpace)] };
    let mut given = Vec::new();
    let mut answer = |_, outcome| given.push(outcome);
    Explicit::default().decide(&problem, &Budget::unlimited(), &mut answer);
    let Verdict::StateSpace(figures) = &given[0].verdict else { panic!("{:?}", given[0].verdict) };
    assert_eq!((figures.states.to_string(), figures.firings.to_string()), ("58400".into(), "446400".into()));
    assert_eq!(given[0].statistics.encoding, "invariant");
}
