//! Coloured nets, searched directly, against the oracle: each way to bindings, each layout and each
//! order, on random nets with every kind of sort, term and guard.

mod common;

use common::{ask, outcomes};
use fireset_engine::{
    Binding, ColouredConfig, CtlAlgorithm, CtlEngine, Engine, Explicit, FiresetMode, LtlEngine, Order,
    Symmetry, TokenLayout,
};
use fireset_net::{
    Budget, Formula, Global, Model, Problem, Quantifier, Query, StopReason,
    families::{self, FamilyKind},
};
use fireset_oracle::{
    OracleCase, OracleTest, StateCount, against_oracle, query,
    random::{self, TestRng},
};

const BINDINGS: [Binding; 4] = [Binding::Token, Binding::DynExp, Binding::MinRep, Binding::FullInfo];
const TOKENS: [TokenLayout; 2] = [TokenLayout::Dense, TokenLayout::Sparse];

/// All queries that the engine accepts, some of them random.
fn queries(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let globals =
        [Global::StateSpace, Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness];
    let mut queries: Vec<Query> = globals.map(Query::Global).into();
    queries.push(query::reachable(Formula::Deadlock));
    for _ in 0..3 {
        queries.push(Query::Reachable(random::predicate(random, model.nodes(), 2)));
        queries.push(Query::Invariant(random::predicate(random, model.nodes(), 2)));
        let places = model.nodes().place_ids().filter(|_| random.percent(40)).collect();
        queries.push(Query::Bound(places));
    }
    queries
}

/// The engine with each switch turned.
fn ways() -> Vec<Explicit> {
    let mut ways = Vec::new();
    for bindings in BINDINGS {
        for tokens in TOKENS {
            let breadth = Explicit {
                coloured: ColouredConfig { bindings, tokens, symmetry: Symmetry::Off },
                ..Explicit::default()
            };
            ways.push(breadth);
            ways.push(Explicit { order: Order::DepthFirst, ..breadth });
            if bindings == Binding::Token {
                ways.push(Explicit { order: Order::BestFirst, ..breadth });
                ways.push(Explicit { order: Order::DepthFirst, fireset: FiresetMode::Full, ..breadth });
                ways.push(Explicit { threads: 3, ..breadth });
            }
        }
    }
    ways
}

/// Configurations differ only in how they run out of memory on infinite nets, which takes long: one is enough there.
fn configurations(case: &OracleCase) -> Vec<Explicit> {
    let mut all = ways();
    all.truncate(if case.states == StateCount::Infinite { 1 } else { all.len() });
    if case.is_decided() && case.states != StateCount::TooMany { all } else { vec![] }
}

fn may_stop(case: &OracleCase, reason: &StopReason) -> bool {
    case.states == StateCount::Infinite && *reason == StopReason::Memory
}

fn drawn(random: &mut TestRng, _: u64) -> Model {
    let inhibitors = if random.percent(30) { 30 } else { 0 };
    Model::Coloured(random::coloured(random, inhibitors))
}

#[test]
fn random_nets() {
    let test = OracleTest {
        seeds: 0..1_000,
        model: &drawn,
        queries: &queries,
        max_states: 300,
        configurations: &|case| configurations(case),
        may_stop: &may_stop,
        budget: &|_| Budget::unlimited().with_memory(1 << 21),
    };
    let counts = against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        |case, _, given| assert!(given.iter().all(Option::is_some), "all are answered: {}", case.describe(0)),
    );
    assert!(counts.problems > 600, "only {} nets were small enough", counts.problems);
}

/// Queries in which most places and transitions have colours.
fn with_colours(random: &mut TestRng, model: &Model, queries: Vec<Query>) -> Vec<Query> {
    let Model::Coloured(net) = model else { panic!("the net is coloured") };
    queries.iter().map(|query| random::with_colours(random, net, query)).collect()
}

#[test]
fn questions_about_colours() {
    let test = OracleTest {
        seeds: 0..1_000,
        model: &drawn,
        queries: &|random, model| {
            let queries =
                queries(random, model).into_iter().filter(|query| !matches!(query, Query::Global(_)));
            let queries = queries.collect();
            with_colours(random, model, queries)
        },
        max_states: 300,
        configurations: &|case| configurations(case),
        may_stop: &may_stop,
        budget: &|_| Budget::unlimited().with_memory(1 << 21),
    };
    let counts = against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        |case, _, given| assert!(given.iter().all(Option::is_some), "all are answered: {}", case.describe(0)),
    );
    assert!(counts.problems > 600, "only {} nets were small enough", counts.problems);
    assert!(counts.bounds > 10_000 && counts.with_evidence > 20_000, "{counts:?}");
}

#[test]
fn temporal_formulas_about_colours() {
    let test = OracleTest {
        seeds: 0..600,
        model: &drawn,
        queries: &|random, model| {
            let quantifiers = [Quantifier::ForAll, Quantifier::Exists];
            let queries = quantifiers.map(|q| Query::Ltl(q, random::path(random, model.nodes(), 3)));
            let mut all = with_colours(random, model, queries.into());
            let queries = (1..=3).map(|n| Query::Ctl(random::nested_ctl(random, model.nodes(), n))).collect();
            all.extend(with_colours(random, model, queries));
            all
        },
        max_states: 200,
        configurations: &|case| {
            let (bindings, tokens) = (*case.random.pick(&BINDINGS), *case.random.pick(&TOKENS));
            vec![ColouredConfig { bindings, tokens, symmetry: Symmetry::Off }]
        },
        may_stop: &|_, reason| matches!(reason, StopReason::Memory | StopReason::Formula(_)),
        budget: &|_| Budget::unlimited().with_memory(1 << 18),
    };
    let counts = against_oracle(
        &test,
        |&coloured, problem, budget, report| {
            let ltl: Box<dyn Engine> = Box::new(LtlEngine { coloured, ..LtlEngine::default() });
            let local = CtlEngine { coloured, ..CtlEngine::default() };
            let global = CtlEngine { algorithm: CtlAlgorithm::Global, ..local };
            let graph = CtlEngine { algorithm: CtlAlgorithm::DependencyGraph, ..local };
            for (at, query) in problem.queries.iter().enumerate() {
                let alone = Problem { model: problem.model.clone(), queries: vec![query.clone()] };
                let engine: &dyn Engine = match at {
                    0 | 1 => &*ltl,
                    2 => &local,
                    3 => &global,
                    _ => &graph,
                };
                ask(engine, &alone, budget, &mut |_, outcome| report(at, outcome));
            }
        },
        |_, _, _| {},
    );
    assert!(counts.kind("ltl").compared > 800 && counts.kind("ctl").compared > 1_200, "{counts:?}");
    assert!(counts.with_evidence > 1_000, "{counts:?}");
}

#[test]
fn temporal_formulas_on_random_nets() {
    let test = OracleTest {
        seeds: 0..300,
        model: &drawn,
        queries: &|random, model| {
            let mut query = || {
                let quantifier = *random.pick(&[Quantifier::ForAll, Quantifier::Exists]);
                Query::Ltl(quantifier, random::path(random, model.nodes(), 3))
            };
            (0..6).map(|_| query()).collect()
        },
        max_states: 200,
        configurations: &|case| {
            [Binding::Token, *case.random.pick(&BINDINGS)]
                .map(|bindings| {
                    let tokens = *case.random.pick(&TOKENS);
                    LtlEngine {
                        coloured: ColouredConfig { bindings, tokens, symmetry: Symmetry::Off },
                        ..LtlEngine::default()
                    }
                })
                .into()
        },
        may_stop: &|_, reason| matches!(reason, StopReason::Memory | StopReason::Formula(_)),
        budget: &|_| Budget::unlimited().with_memory(1 << 18),
    };
    let counts = against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        |case, _, given| assert!(given.iter().all(Option::is_some), "all are answered: {}", case.describe(0)),
    );
    assert!(counts.compared > 2_000, "only {} answers were compared", counts.compared);
}

#[test]
fn families_in_every_way() {
    let mut compared = 0;
    for family in families::all().iter().filter(|family| family.offers(FamilyKind::Coloured)) {
        let parameters: Vec<u64> = family.parameters.iter().map(|p| p.min.max(2)).collect();
        let model = family.generate(FamilyKind::Coloured, &parameters).unwrap();
        let queries = queries(&mut TestRng::new(1), &model);
        let problem = Problem { model: model.clone().into(), queries: queries.clone() };
        let case = OracleCase::new(1, TestRng::new(1), problem, 300);
        for engine in configurations(&case) {
            let given: Vec<_> = outcomes(&engine, &model, &queries, 1 << 21).into_iter().map(Some).collect();
            case.compare(&given, &may_stop, &(family.name, engine));
        }
        compared += usize::from(!configurations(&case).is_empty());
    }
    assert!(compared > 5, "only {compared} families were small enough");
}
