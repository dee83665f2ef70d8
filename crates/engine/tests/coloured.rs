//! Coloured nets, searched directly, against the reference checker: each way to bindings, each layout and each
//! order, on random nets with every kind of sort, term and guard.

mod common;

use common::outcomes;
use fireset_engine::{Binding, ColouredConfig, Explicit, FiresetMode, OnTheFly, Order, Tokens};
use fireset_net::{
    Budget, Figures, Formula, Global, Model, Quantifier, Query, StopReason, Verdict,
    families::{self, Kind},
    replay,
};
use fireset_oracle::random::{self, TestRng};

const BINDINGS: [Binding; 4] = [Binding::Token, Binding::DynExp, Binding::MinRep, Binding::FullInfo];
const TOKENS: [Tokens; 2] = [Tokens::Dense, Tokens::Sparse];

/// All queries that the engine accepts, some of them random.
fn queries(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let globals =
        [Global::StateSpace, Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness];
    let mut queries: Vec<Query> = globals.map(Query::Global).into();
    queries.push(Query::Reachable(Formula::Deadlock));
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
            let breadth = Explicit { ways: ColouredConfig { bindings, tokens }, ..Explicit::default() };
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

/// Compares the engine with the reference on a net; `false` when the net is too large for that.
fn agree(model: &Model, random: &mut TestRng, label: &str) -> bool {
    let queries = queries(random, model);
    let expected = fireset_oracle::outcomes(model, &queries, 300, &Budget::unlimited());
    if expected.iter().any(|o| matches!(o.verdict, Verdict::Unknown(_))) {
        return false;
    }
    let infinite = expected[0].verdict == Verdict::StateSpace(Figures::INFINITE);
    for engine in ways() {
        let given = outcomes(&engine, model, &queries, 1 << 21);
        for ((query, given), expected) in queries.iter().zip(given).zip(&expected) {
            if infinite && given.verdict == Verdict::Unknown(StopReason::Memory) {
                continue;
            }
            assert_eq!(given.verdict, expected.verdict, "{label} {engine:?} {query:?} {model:?}");
            if let Some(evidence) = &given.evidence {
                replay::confirm(model, query, &given.verdict, evidence)
                    .unwrap_or_else(|refusal| panic!("{label} {engine:?} {query:?}: {refusal:?}"));
            }
        }
        if infinite {
            // Configurations differ only in how they run out of memory, which takes long.
            break;
        }
    }
    true
}

#[test]
fn random_nets() {
    let mut compared = 0;
    for seed in 0..1_000 {
        let mut random = TestRng::new(seed);
        let inhibitors = if random.percent(30) { 30 } else { 0 };
        let model = Model::Coloured(random::coloured(&mut random, inhibitors));
        compared += usize::from(agree(&model, &mut random, &format!("seed {seed}")));
    }
    assert!(compared > 600, "only {compared} nets were small enough");
}

#[test]
fn temporal_formulas_on_random_nets() {
    let mut compared = 0;
    for seed in 0..300 {
        let mut random = TestRng::new(seed);
        let inhibitors = if random.percent(30) { 30 } else { 0 };
        let model = Model::Coloured(random::coloured(&mut random, inhibitors));
        let queries: Vec<Query> = (0..6)
            .map(|_| {
                let quantifier = *random.pick(&[Quantifier::ForAll, Quantifier::Exists]);
                Query::Ltl(quantifier, random::path(&mut random, model.nodes(), 3))
            })
            .collect();
        let expected = fireset_oracle::outcomes(&model, &queries, 200, &Budget::unlimited());
        for bindings in [Binding::Token, *random.pick(&BINDINGS)] {
            let tokens = *random.pick(&TOKENS);
            let engine = OnTheFly { ways: ColouredConfig { bindings, tokens }, ..OnTheFly::default() };
            let given = outcomes(&engine, &model, &queries, 1 << 18);
            for ((query, given), expected) in queries.iter().zip(given).zip(&expected) {
                if matches!(expected.verdict, Verdict::Unknown(_))
                    || matches!(given.verdict, Verdict::Unknown(StopReason::Memory | StopReason::Formula(_)))
                {
                    continue;
                }
                assert_eq!(given.verdict, expected.verdict, "seed {seed} {engine:?} {query:?} {model:?}");
                if let Some(evidence) = &given.evidence {
                    replay::confirm(&model, query, &given.verdict, evidence)
                        .unwrap_or_else(|refusal| panic!("seed {seed} {engine:?} {query:?}: {refusal:?}"));
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 2_000, "only {compared} answers were compared");
}

#[test]
fn families_in_every_way() {
    let mut compared = 0;
    for family in families::all().iter().filter(|family| family.offers(Kind::Coloured)) {
        let parameters: Vec<u64> = family.parameters.iter().map(|p| p.min.max(2)).collect();
        let model = family.generate(Kind::Coloured, &parameters).unwrap();
        compared += usize::from(agree(&model, &mut TestRng::new(1), family.name));
    }
    assert!(compared > 5, "only {compared} families were small enough");
}
