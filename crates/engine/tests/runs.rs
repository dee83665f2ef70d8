//! LTL with events, past and fairness against the reference checker, on random nets of both kinds; fairness also against
//! the same fairness written into the formula.

mod common;

use std::ops::Range;

use common::{any_net, ask, outcomes};
use fireset_engine::{Deepening, FiresetMode, RunEngine, Stubborn};
use fireset_net::{
    Budget, FairGroup, Fairness, FairnessStrength, Formula, Model, Outcome, Quantifier, Query, RunFormula,
    RunQuery, StopReason, Verdict,
};
use fireset_oracle::{
    OracleCase, OracleCounts, OracleTest, against_oracle, query,
    random::{self, TestRng},
    tiny,
};

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 120;
/// Bytes that the engine may hold.
const MEMORY: u64 = 1 << 20;

fn globally(f: Formula) -> Formula {
    Formula::Globally(Box::new(f))
}

fn finally(f: Formula) -> Formula {
    Formula::Finally(Box::new(f))
}

/// That a run is fair to a group, as a formula.
fn is_fair(group: &FairGroup) -> Formula {
    let enabled = Formula::from(group.steps.enabled());
    let taken = globally(finally(Formula::Fired(group.steps.clone())));
    let asked = match group.strength {
        FairnessStrength::Weak => finally(globally(enabled)),
        FairnessStrength::Strong => globally(finally(enabled)),
    };
    asked.implies(taken)
}

/// The same query with its fairness written into the formula.
fn spelled_out(run: &RunQuery, model: &Model) -> Query {
    let fair = Formula::And(run.fairness.groups(model.nodes()).iter().map(is_fair).collect());
    let formula = Formula::from(&run.formula);
    let formula = match run.quantifier {
        Quantifier::ForAll => fair.implies(formula),
        Quantifier::Exists => Formula::And(vec![fair, formula]),
    };
    let (quantifier, fairness) = (run.quantifier, Fairness::default());
    Query::Run(RunQuery { quantifier, formula: query::typed(formula), fairness })
}

fn ways() -> [RunEngine; 5] {
    let best = RunEngine::default();
    [
        best,
        RunEngine { deepening: Deepening::Off, fireset: FiresetMode::Full, ..best },
        RunEngine { deepening: Deepening::From { first: 1, factor: 2 }, ..best },
        RunEngine { stubborn: Stubborn::Off, ..best },
        RunEngine { deepening: Deepening::Off, ..best },
    ]
}

fn may_stop(case: &OracleCase, reason: &StopReason) -> bool {
    match reason {
        StopReason::Memory | StopReason::Formula(_) => true,
        reason => *reason == StopReason::Overflow && case.may_overflow(),
    }
}

/// A run is shown wherever there is one.
fn inspect(case: &mut OracleCase, engine: &RunEngine, given: &[Option<Outcome>]) {
    for (at, given) in given.iter().enumerate() {
        let given = given.as_ref().expect("every query is answered");
        let Query::Run(run) = &case.problem.queries[at] else { unreachable!("only such are drawn") };
        let has_run = given.verdict == Verdict::from(run.quantifier == Quantifier::Exists);
        assert!(given.evidence.is_some() || !has_run, "a run is missing: {engine:?} {}", case.describe(at));
    }
}

fn compare(seeds: Range<u64>, model: &dyn Fn(&mut TestRng, u64) -> Model) -> OracleCounts {
    let test = OracleTest {
        seeds,
        model,
        queries: &|random, model| (0..6).map(|_| random::run_query(random, model)).collect(),
        max_states: MAX_STATES,
        configurations: &|case| {
            let all = ways();
            if case.is_finite() { vec![all[case.seed as usize % all.len()]] } else { Vec::new() }
        },
        may_stop: &may_stop,
        budget: &|_| Budget::unlimited().with_memory(MEMORY),
    };
    against_oracle(&test, |engine, problem, budget, report| ask(engine, problem, budget, report), inspect)
}

fn coloured_net(random: &mut TestRng, seed: u64) -> Model {
    Model::Coloured(random::coloured(random, if seed.is_multiple_of(3) { 30 } else { 0 }))
}

#[test]
fn random_nets_and_formulas() {
    let counts = compare(0..400, &any_net);
    assert!(counts.kind("run").holds > 400 && counts.kind("run").fails > 400, "{counts:?}");
    assert!(counts.with_evidence > 400, "{counts:?}");
}

#[test]
fn random_coloured_nets_and_formulas() {
    let counts = compare(0..100, &coloured_net);
    assert!(counts.kind("run").holds > 80 && counts.kind("run").fails > 80, "{counts:?}");
    assert!(counts.with_evidence > 80, "{counts:?}");
}

/// Fairness as acceptance and fairness in the formula give the same verdicts; both are found by the engine.
fn compare_with_formula(seeds: Range<u64>) -> [usize; 2] {
    let mut compared = [0; 2];
    for seed in seeds {
        let mut random = TestRng::new(seed);
        let model = if seed % 5 == 0 { coloured_net(&mut random, seed) } else { any_net(&mut random, seed) };
        let mut queries = Vec::new();
        for _ in 0..4 {
            let quantifier = *random.pick(&[Quantifier::ForAll, Quantifier::Exists]);
            let formula: RunFormula = random::run_formula(&mut random, &model, 2);
            let mut fairness = random::fairness(&mut random, &model);
            fairness.0.truncate(2);
            let run = RunQuery { quantifier, formula, fairness };
            // The automaton of the formula grows exponentially with the number of groups.
            if run.fairness.groups(model.nodes()).len() <= 3 {
                queries.push(spelled_out(&run, &model));
                queries.push(Query::Run(run));
            }
        }
        let given = outcomes(&RunEngine::default(), &model, &queries, MEMORY);
        for (pair, outcomes) in queries.chunks(2).zip(given.chunks(2)) {
            let [written, fair] = [&outcomes[0].verdict, &outcomes[1].verdict];
            if !matches!(written, Verdict::Unknown(_)) && !matches!(fair, Verdict::Unknown(_)) {
                assert_eq!(written, fair, "seed {seed}: {:?}", pair[1]);
                compared[usize::from(*fair == Verdict::Holds)] += 1;
            }
        }
    }
    compared
}

#[test]
fn fairness_is_what_the_formula_says() {
    let compared = compare_with_formula(0..200);
    assert!(compared.iter().all(|&count| count > 120), "{compared:?}");
}

// The large comparisons, together at least 100,000: `cargo test --release -p fireset-engine --test runs -- --ignored`.

#[test]
#[ignore = "takes minutes"]
fn sixty_thousand_comparisons_on_plain_nets() {
    let counts = compare(10_000..22_000, &any_net);
    assert!(counts.compared >= 60_000, "{counts:?}");
}

#[test]
#[ignore = "takes minutes"]
fn a_thousand_comparisons_on_coloured_nets() {
    let counts = compare(10_000..10_400, &coloured_net);
    assert!(counts.compared >= 1_000, "{counts:?}");
}

#[test]
#[ignore = "takes minutes"]
fn sixty_thousand_comparisons_with_the_formula() {
    let compared = compare_with_formula(10_000..30_000);
    assert!(compared.iter().sum::<usize>() >= 60_000, "{compared:?}");
}

fn verdict(net: &str, quantifier: Quantifier, formula: Formula, fairness: Fairness) -> Verdict {
    let model = Model::Plain(tiny::net(net));
    let run = Query::Run(RunQuery { quantifier, formula: query::typed(formula), fairness });
    outcomes(&RunEngine::default(), &model, &[run], MEMORY).remove(0).verdict
}

#[test]
fn a_deadlock_takes_no_step() {
    let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
    let t = model.nodes().transition_ids().next().unwrap();
    let fired = || Formula::Fired(t.into());
    let asked = |f| verdict("p:1 q; t: p -> q", Quantifier::ForAll, f, Fairness::default());
    assert_eq!(asked(fired()), Verdict::Holds);
    assert_eq!(asked(Formula::Next(Box::new(fired()))), Verdict::Fails);
    assert_eq!(asked(finally(globally(fired().negate()))), Verdict::Holds);
    assert_eq!(asked(globally(Formula::Deadlock.implies(Formula::Once(Box::new(fired()))))), Verdict::Holds);
    assert_eq!(asked(Formula::Yesterday(Box::new(Formula::Constant(true)))), Verdict::Fails);
}

#[test]
fn weak_and_strong_fairness_differ() {
    use fireset_net::{FairSteps, FairnessAssumption};
    // `u` is enabled again and again, but not continuously, while `a` and `b` alternate.
    let net = "p:1 q done; a: p -> q; b: q -> p; u: p -> done";
    let u = tiny::net(net).nodes().transition_ids().nth(2).unwrap();
    let leaves = || finally(Formula::Fired(u.into()));
    let fair = |strength| Fairness(vec![FairnessAssumption { strength, steps: FairSteps::Group(u.into()) }]);
    let asked = |fairness| verdict(net, Quantifier::ForAll, leaves(), fairness);
    assert_eq!(asked(Fairness::default()), Verdict::Fails);
    assert_eq!(asked(fair(FairnessStrength::Weak)), Verdict::Fails);
    assert_eq!(asked(fair(FairnessStrength::Strong)), Verdict::Holds);
}
