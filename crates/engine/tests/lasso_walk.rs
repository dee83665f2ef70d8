//! Random walks for LTL against the oracle: random nets with deadlocks, weights, inhibitor arcs and infinitely many markings, and
//! random formulas with all operators; lassos replayed, and most of those found that there are.

mod common;

use common::{any_net, ask, ltl_queries};
use fireset_engine::{Engine, LassoWalk};
use fireset_net::{
    Budget, Evidence, Formula, Model, Outcome, Problem, Quantifier, Query, Verdict,
    families::{self, FamilyKind},
    replay,
};
use fireset_oracle::{OracleCase, OracleTest, against_oracle, query, tiny};

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 300;
/// Steps for each query.
const STEPS: u64 = 4_000;

/// The verdict that a run shows.
fn by_run(query: &Query) -> Verdict {
    Verdict::from(matches!(query, Query::Ltl(Quantifier::Exists, _)))
}

#[test]
fn random_nets_and_formulas() {
    let (mut possible, mut found) = (0, 0);
    let test = OracleTest {
        seeds: 0..1_000,
        model: &any_net,
        queries: &|random, model| ltl_queries(random, model, 4),
        max_states: MAX_STATES,
        configurations: &|case: &mut OracleCase| vec![LassoWalk { steps: Some(STEPS), seed: case.seed }],
        may_stop: &|_, _| false,
        budget: &|_| Budget::unlimited(),
    };
    let counts = against_oracle(
        &test,
        |walk, problem, budget, report| ask(walk, problem, budget, report),
        |case, _, given| {
            for (at, (given, expected)) in given.iter().zip(&case.expected).enumerate() {
                let by_run = by_run(&case.problem.queries[at]);
                possible += usize::from(expected.verdict == by_run);
                let Some(given) = given else { continue };
                assert_eq!(given.verdict, by_run, "{}", case.describe(at));
                assert!(given.evidence.is_some(), "a run shows it: {}", case.describe(at));
                found += usize::from(expected.verdict == by_run);
            }
        },
    );
    assert!(possible > 1_500, "{possible} {counts:?}");
    assert!(found * 100 > possible * 97, "{found} of {possible} lassos were found");
}

fn lasso(model: &Model, formula: &Formula) -> Option<(usize, usize)> {
    let query = query::ltl(Quantifier::ForAll, formula.clone());
    let problem = Problem { model: model.clone().into(), queries: vec![query] };
    let mut found = None;
    let walk = LassoWalk { steps: Some(1 << 18), seed: 0 };
    walk.decide(&problem, &Budget::unlimited(), &mut |at: usize, outcome: Outcome| {
        let evidence = outcome.evidence.expect("a run shows it");
        replay::confirm(model, &problem.queries[at], &outcome.verdict, &evidence).expect("it is replayed");
        let Evidence::Lasso(lasso) = evidence else { panic!("a lasso shows it") };
        found = Some((lasso.prefix.len(), lasso.cycle.len()));
    });
    found
}

/// A cycle of one process among many is found, though the chance that a uniform walk comes back to a marking is nil.
#[test]
fn one_process_of_many_goes_round() {
    let philosophers = families::find("philosophers").unwrap();
    let model = philosophers.generate(FamilyKind::Plain, &[100]).unwrap();
    let fires = |at: usize| Formula::Fireable(vec![model.nodes().transition_ids().nth(at).unwrap()]);
    let again = |f: Formula| Formula::Globally(Box::new(Formula::Finally(Box::new(f))));
    let (prefix, cycle) = lasso(&model, &again(fires(0)).implies(again(fires(7)).negate())).unwrap();
    assert!(prefix + cycle < 500, "{prefix} {cycle}");
}

/// What no run shows is left to others.
#[test]
fn nothing_is_said_of_what_holds() {
    let model = Model::Plain(tiny::net("p:1 q; t: p -> q; u: q -> p"));
    let fires = |at: usize| Formula::Fireable(vec![model.nodes().transition_ids().nth(at).unwrap()]);
    let again = |f: Formula| Formula::Globally(Box::new(Formula::Finally(Box::new(f))));
    assert_eq!(lasso(&model, &again(fires(0))), None);
    assert!(lasso(&model, &again(fires(0)).negate()).is_some());
}
