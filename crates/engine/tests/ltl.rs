//! LTL on the fly against the reference checker: each switch on and off, on random nets with deadlocks, weights,
//! inhibitor arcs and counts that outgrow their fields, and random formulas with all operators.

mod common;

use std::ops::Range;

use common::{any_net, ask, ltl_queries, outcomes};
use fireset_engine::{
    Access, AutomatonOrder, Deepening, Encoding, Engine, FiresetMode, LayoutChoice, LtlEngine,
};
use fireset_net::{
    Budget, Formula, Model, Outcome, Problem, Quantifier, Query, StopReason, Verdict,
    families::{self, FamilyKind},
};
use fireset_oracle::{OracleCase, OracleTest, against_oracle, query, random::TestRng, tiny};

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 400;
/// Bytes that the engine may hold.
const MEMORY: u64 = 1 << 18;

/// The engine with each switch turned.
fn ways() -> Vec<LtlEngine> {
    let best = LtlEngine::default();
    vec![
        best,
        LtlEngine { deepening: Deepening::GROWING, ..best },
        LtlEngine { deepening: Deepening::From { first: 1, factor: 2 }, ..best },
        LtlEngine { fireset: FiresetMode::Full, ..best },
        LtlEngine { automaton_order: AutomatonOrder::Plain, ..best },
        LtlEngine { access: Access::Decode, ..best },
        LtlEngine { encoding: LayoutChoice::Only(Encoding::Wide), ..best },
        LtlEngine { encoding: LayoutChoice::Only(Encoding::Safe), ..best },
        LtlEngine { encoding: LayoutChoice::Only(Encoding::Nupn), ..best },
        LtlEngine { encoding: LayoutChoice::Only(Encoding::Invariant), ..best },
    ]
}

/// Whether a run should show an answer.
fn has_run(query: &Query, verdict: &Verdict) -> bool {
    matches!(
        (query, verdict),
        (Query::Ltl(Quantifier::ForAll, _), Verdict::Fails)
            | (Query::Ltl(Quantifier::Exists, _), Verdict::Holds)
    )
}

/// Where markings grow for ever, a run that may go on in any way may never come back to one; all others are shown.
fn inspect(case: &mut OracleCase, engine: &LtlEngine, given: &[Option<Outcome>]) {
    for (at, given) in given.iter().enumerate() {
        let given = given.as_ref().expect("every query is answered");
        let is_shown = given.evidence.is_some() || !has_run(&case.problem.queries[at], &given.verdict);
        assert!(is_shown || !case.is_finite(), "a run is missing: {engine:?} {}", case.describe(at));
    }
}

fn may_stop(case: &OracleCase, reason: &StopReason) -> bool {
    match reason {
        StopReason::Memory | StopReason::Formula(_) => true,
        reason => *reason == StopReason::Overflow && case.may_overflow(),
    }
}

/// Where markings grow for ever many searches end only when their memory is used up: one configuration is enough.
fn configurations(case: &mut OracleCase) -> Vec<LtlEngine> {
    let all = ways();
    if case.is_finite() { all } else { vec![all[case.seed as usize / 3 % all.len()]] }
}

/// Seeds are halved, so that both halves are tested at the same time.
#[test]
fn random_nets_and_formulas() {
    compare(0..1_000);
}

#[test]
fn more_random_nets_and_formulas() {
    compare(1_000..2_000);
}

fn compare(seeds: Range<u64>) {
    let test = OracleTest {
        seeds,
        model: &any_net,
        queries: &|random, model| ltl_queries(random, model, 5),
        max_states: MAX_STATES,
        configurations: &configurations,
        may_stop: &may_stop,
        budget: &|_| Budget::unlimited().with_memory(MEMORY),
    };
    let counts = against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        inspect,
    );
    assert!(counts.holds > 15_000 && counts.fails > 15_000, "{counts:?}");
    assert!(counts.infinite + counts.too_many > 50, "{counts:?}");
    assert!(counts.nested[1..=5].iter().all(|&compared| compared > 6_000), "{counts:?}");
}

fn finally(f: Formula) -> Formula {
    Formula::Finally(Box::new(f))
}

fn globally(f: Formula) -> Formula {
    Formula::Globally(Box::new(f))
}

#[test]
fn well_known_formulas_on_families() {
    for (name, parameters) in [("philosophers", &[3][..]), ("token-ring", &[3]), ("readers-writers", &[3])] {
        let model = families::find(name).unwrap().generate(FamilyKind::Plain, parameters).unwrap();
        let fires = |at: usize| Formula::Fireable(vec![model.nodes().transition_ids().nth(at).unwrap()]);
        let mut queries = Vec::new();
        for formula in [
            globally(finally(fires(0))),
            finally(globally(fires(1))),
            globally(fires(0).implies(finally(fires(1)))),
            globally(finally(fires(0))).implies(globally(finally(fires(1)))),
            Formula::Until(Box::new(fires(1).negate()), Box::new(fires(0))),
            Formula::Next(Box::new(Formula::Next(Box::new(fires(2))))),
            finally(Formula::Deadlock),
            globally(Formula::Deadlock.negate()),
        ] {
            for quantifier in [Quantifier::ForAll, Quantifier::Exists] {
                queries.push(query::ltl(quantifier, formula.clone()));
            }
        }
        let problem = Problem { model: model.clone().into(), queries: queries.clone() };
        let mut case = OracleCase::new(0, TestRng::new(0), problem, MAX_STATES);
        assert!(case.is_finite(), "{name}");
        let mut compared = 0;
        for engine in ways() {
            let given: Vec<_> = outcomes(&engine, &model, &queries, MEMORY).into_iter().map(Some).collect();
            compared += case.compare(&given, &|_, _| false, &engine).compared;
            inspect(&mut case, &engine, &given);
        }
        assert_eq!(compared, ways().len() * queries.len(), "{name}");
    }
}

#[test]
fn counts_outgrow_their_fields() {
    let model = Model::Plain(tiny::net("p:300 q r; t: p -> q; u: 300*q -> 70000*r; v: r -> "));
    let fires = |at: usize| Formula::Fireable(vec![model.nodes().transition_ids().nth(at).unwrap()]);
    let queries = [
        query::ltl(Quantifier::ForAll, finally(fires(1))),
        query::ltl(Quantifier::ForAll, globally(fires(2).negate())),
    ];
    // Paths are as long as there are tokens.
    let memory = 64 * MEMORY;
    for engine in ways() {
        let verdicts: Vec<Verdict> =
            outcomes(&engine, &model, &queries, memory).into_iter().map(|outcome| outcome.verdict).collect();
        assert_eq!(verdicts, [Verdict::Holds, Verdict::Fails], "{engine:?}");
    }
}

#[test]
fn limits_end_in_unknown() {
    let model = families::find("kanban").unwrap().generate(FamilyKind::Plain, &[6]).unwrap();
    let never = query::ltl(Quantifier::ForAll, globally(finally(Formula::Deadlock.negate())));
    let problem = Problem { model: model.into(), queries: vec![never.clone(), never] };
    let (memory, time) = (Budget::unlimited().with_memory(1 << 20), std::time::Duration::ZERO);
    for (budget, reason) in
        [(memory, StopReason::Memory), (Budget::unlimited().with_timeout(time), StopReason::Time)]
    {
        let mut told = 0;
        LtlEngine::default().decide(&problem, &budget, &mut |_: usize, outcome: Outcome| {
            assert_eq!(outcome.verdict, Verdict::Unknown(reason.clone()));
            told += 1;
        });
        assert_eq!(told, 2);
    }
}
