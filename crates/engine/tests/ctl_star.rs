//! CTL* against the reference checker on random nets of both kinds, and against the engines for CTL and LTL where a formula is of
//! these, too.

mod common;

use std::ops::Range;

use common::{any_net, ask, outcomes};
use fireset_engine::{CtlAlgorithm, CtlEngine, CtlStarEngine, Engine, FiresetMode, LtlEngine};
use fireset_net::{
    Budget, CtlStarFormula, Formula, Logic, Model, Quantifier, Query, StopReason, Temporal, Verdict,
};
use fireset_oracle::{
    OracleCase, OracleCounts, OracleTest, against_oracle, query,
    random::{self, TestRng},
    tiny,
};

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 100;
/// Bytes that the engine may hold.
const MEMORY: u64 = 1 << 21;

fn may_stop(case: &OracleCase, reason: &StopReason) -> bool {
    match reason {
        StopReason::Memory | StopReason::Formula(_) => true,
        reason => *reason == StopReason::Overflow && case.may_overflow(),
    }
}

fn compare(seeds: Range<u64>, model: &dyn Fn(&mut TestRng, u64) -> Model) -> OracleCounts {
    let test = OracleTest {
        seeds,
        model,
        queries: &|random, model| {
            (0..6).map(|_| Query::CtlStar(random::ctl_star(random, model.nodes(), 4, 5))).collect()
        },
        max_states: MAX_STATES,
        configurations: &|case| {
            let best = CtlStarEngine::default();
            let all = [best, CtlStarEngine { fireset: FiresetMode::Full, threads: 2, ..best }];
            if case.is_finite() { vec![all[case.seed as usize % all.len()]] } else { Vec::new() }
        },
        may_stop: &may_stop,
        budget: &|_| Budget::unlimited().with_memory(MEMORY),
    };
    against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        |_, _, _| {},
    )
}

fn coloured_net(random: &mut TestRng, seed: u64) -> Model {
    Model::Coloured(random::coloured(random, if seed.is_multiple_of(3) { 30 } else { 0 }))
}

#[test]
fn random_nets_and_formulas() {
    let counts = compare(0..1000, &any_net);
    assert!(counts.kind("ctl-star").holds > 1000 && counts.kind("ctl-star").fails > 1000, "{counts:?}");
}

#[test]
fn random_coloured_nets_and_formulas() {
    let counts = compare(0..300, &coloured_net);
    assert!(counts.kind("ctl-star").holds > 300 && counts.kind("ctl-star").fails > 300, "{counts:?}");
}

/// Compares the verdicts on queries with those on the same formulas as CTL*.
fn compare_with(
    engine: &dyn Engine,
    seeds: Range<u64>,
    draw: &dyn Fn(&mut TestRng, &Model) -> Option<Query>,
) -> [usize; 2] {
    let mut compared = [0; 2];
    for seed in seeds {
        let mut random = TestRng::new(seed);
        let model = if seed % 5 == 0 { coloured_net(&mut random, seed) } else { any_net(&mut random, seed) };
        let queries: Vec<Query> = (0..8).filter_map(|_| draw(&mut random, &model)).collect();
        let star = |query: &Query| query::typed::<CtlStarFormula>(query.formula()).of_markings();
        let stars: Vec<Query> = queries.iter().map(|query| Query::CtlStar(star(query))).collect();
        let given = outcomes(engine, &model, &queries, MEMORY);
        let labelled = outcomes(&CtlStarEngine::default(), &model, &stars, MEMORY);
        for (query, (given, labelled)) in queries.iter().zip(given.iter().zip(&labelled)) {
            let (given, labelled) = (&given.verdict, &labelled.verdict);
            if !matches!(given, Verdict::Unknown(_)) && !matches!(labelled, Verdict::Unknown(_)) {
                assert_eq!(given, labelled, "seed {seed}: {query:?}");
                compared[usize::from(*given == Verdict::Holds)] += 1;
            }
        }
    }
    compared
}

#[test]
fn ltl_is_ctl_star() {
    let draw = |random: &mut TestRng, model: &Model| {
        let quantifier = *random.pick(&[Quantifier::ForAll, Quantifier::Exists]);
        Some(Query::Ltl(quantifier, random::nested_path(random, model.nodes(), 2)))
    };
    let compared = compare_with(&LtlEngine::default(), 0..200, &draw);
    assert!(compared.iter().all(|&count| count > 200), "{compared:?}");
}

#[test]
fn ctl_without_next_is_ctl_star() {
    let draw = |random: &mut TestRng, model: &Model| {
        let formula = random::ctl(random, model.nodes(), 3);
        let has_next = formula.any_operator(&|operator| matches!(operator, Temporal::Next(_)));
        (!has_next).then_some(Query::Ctl(formula))
    };
    let engine = CtlEngine { algorithm: CtlAlgorithm::Local, ..CtlEngine::default() };
    let compared = compare_with(&engine, 0..200, &draw);
    assert!(compared.iter().all(|&count| count > 200), "{compared:?}");
}

/// The large comparison: `cargo test --release -p fireset-engine --test ctl_star -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn a_hundred_thousand_comparisons() {
    let counts = [compare(10_000..28_000, &any_net), compare(10_000..16_000, &coloured_net)];
    let total: usize = counts.iter().map(|counts| counts.compared).sum();
    assert!(total >= 100_000, "{counts:?}");
}

fn verdict(net: &str, formula: Formula) -> Verdict {
    let model = Model::Plain(tiny::net(net));
    let query = Query::classify(&formula, Logic::Ctl).unwrap();
    assert!(matches!(query, Query::CtlStar(_)), "{query:?}");
    outcomes(&CtlStarEngine::default(), &model, &[query], MEMORY).remove(0).verdict
}

#[test]
fn the_last_marking_of_a_finite_run_repeats() {
    let next = |f| Formula::Next(Box::new(f));
    let some = |f| Formula::Exists(Box::new(f));
    // After one step the net is dead, and stays so at the next position.
    let dead_again = |last| some(next(Formula::And(vec![some(next(Formula::Deadlock)), next(last)])));
    assert_eq!(verdict("p:1 q; t: p -> q", dead_again(Formula::Deadlock)), Verdict::Holds);
    assert_eq!(verdict("p:1 q; t: p -> q", dead_again(Formula::Deadlock.negate())), Verdict::Fails);
}

#[test]
fn what_must_always_happen_differs_from_what_always_can() {
    // The net can stay in `p`, from where it can always leave to `q` for ever.
    let net = "p:1 q; stay: p -> p; leave: p -> q; turn: q -> q";
    let turns = Formula::Fireable(vec![tiny::net(net).nodes().transition_ids().nth(2).unwrap()]);
    let ends = || Formula::Finally(Box::new(Formula::Globally(Box::new(turns.clone()))));
    let can_end = Formula::Exists(Box::new(ends()));
    let always = |f| Formula::ForAll(Box::new(Formula::Globally(Box::new(f))));
    assert_eq!(verdict(net, always(can_end)), Verdict::Holds);
    let both = Formula::And(vec![ends(), Formula::Exists(Box::new(ends()))]);
    assert_eq!(verdict(net, Formula::ForAll(Box::new(both))), Verdict::Fails);
}
