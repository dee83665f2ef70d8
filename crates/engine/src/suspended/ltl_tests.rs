//! LTL searches in many pieces, and in layouts that are too narrow at first, against the oracle.

use fireset_net::{
    Budget, Comparison, Expr, Outcome, PathFormula, PlaceId, Problem, Quantifier, StateAtom, StatePredicate,
    StopReason, Temporal, Verdict,
    families::{self, FamilyKind},
};
use fireset_oracle::{
    OracleTest, against_oracle,
    random::{self, TestRng},
};

use super::{
    tests::{net, polls},
    *,
};
use crate::{Deepening, Encoding, Engine, FiresetMode, LayoutChoice, ResumableLtl, Stubborn};

/// Stubborn sets on and off, stored and dynamic firesets, with bounds on paths and without; counts outgrow layouts for safe nets.
fn ways() -> Vec<LtlEngine> {
    let dynamic = LtlEngine { stubborn: Stubborn::Off, ..LtlEngine::default() };
    let full = LtlEngine { fireset: FiresetMode::Full, ..dynamic };
    let narrow = LayoutChoice::Only(Encoding::Safe);
    let near = Deepening::From { first: 3, factor: 2 };
    vec![
        LtlEngine::default(),
        LtlEngine { encoding: narrow, ..LtlEngine::default() },
        LtlEngine { deepening: near, ..LtlEngine::default() },
        LtlEngine { encoding: narrow, ..dynamic },
        LtlEngine { encoding: narrow, deepening: near, ..dynamic },
        full,
        LtlEngine { encoding: narrow, ..full },
    ]
}

fn queries(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let query = |nesting| {
        let quantifier = if random.percent(70) { Quantifier::ForAll } else { Quantifier::Exists };
        Query::Ltl(quantifier, random::nested_path(random, model.nodes(), nesting))
    };
    (1..=4).map(query).collect()
}

/// Decides a query in runs with few polls each, slowly more; gives the outcome of the last.
fn in_pieces(engine: &LtlEngine, problem: &Problem, suspended: &Arc<SuspendedExplorations>) -> Outcome {
    let engine = ResumableLtl { engine: *engine, suspended: suspended.clone() };
    let mut runs = 0;
    loop {
        let mut given = None;
        runs += 1;
        let budget = polls(1 + runs / 64);
        engine.decide(problem, &budget, &mut |_: usize, outcome: Outcome| given = Some(outcome));
        let outcome = given.expect("the query is answered");
        if outcome.verdict != Verdict::Unknown(StopReason::Time) {
            return outcome;
        }
    }
}

fn compare(seeds: std::ops::Range<u64>, model: &dyn Fn(&mut TestRng, u64) -> Model) -> usize {
    let test = OracleTest {
        seeds,
        model,
        queries: &queries,
        max_states: 400,
        configurations: &|case| match case.is_finite() && case.is_decided() {
            true => ways(),
            false => vec![],
        },
        may_stop: &|case, reason| {
            matches!(reason, StopReason::Formula(_)) || *reason == StopReason::Overflow && case.may_overflow()
        },
        budget: &|_| Budget::unlimited(),
    };
    let suspended = Arc::new(SuspendedExplorations::default());
    let decide =
        |engine: &LtlEngine, problem: &Problem, _: &Budget, report: &mut dyn FnMut(usize, Outcome)| {
            for (at, query) in problem.queries.iter().enumerate() {
                let alone = Problem { model: problem.model.clone(), queries: vec![query.clone()] };
                report(at, in_pieces(engine, &alone, &suspended));
            }
        };
    let counts = against_oracle(&test, decide, |_, _, _| ());
    assert!(counts.holds > 500 && counts.fails > 500, "{counts:?}");
    suspended.resumed()
}

#[test]
fn ltl_searches_in_pieces_agree_with_the_oracle() {
    let resumed = compare(0..300, &net);
    assert!(resumed > 5_000, "only {resumed} resumed");
}

#[test]
fn ltl_searches_of_coloured_nets_in_pieces() {
    let model = |random: &mut TestRng, _| Model::Coloured(random::coloured(random, 10));
    let resumed = compare(0..150, &model);
    assert!(resumed > 1_000, "only {resumed} resumed");
}

/// A search in pieces sees each marking once, and fires as often as one without interruption.
#[test]
fn nothing_is_explored_twice() {
    let model = families::find("kanban").unwrap().generate(FamilyKind::Plain, &[2]).unwrap();
    let tokens = Expr::Tokens(vec![PlaceId::new(0)]);
    let unreachable = StateAtom::Compare(Comparison::GreaterEqual, tokens, Expr::Constant(100));
    let finally = PathFormula::from(Temporal::Finally(StatePredicate::from(unreachable).into()));
    let problem = Problem { model: model.into(), queries: vec![Query::Ltl(Quantifier::Exists, finally)] };
    for engine in ways().into_iter().filter(|engine| engine.deepening == Deepening::Off) {
        let mut whole = None;
        engine.decide(&problem, &Budget::unlimited(), &mut |_: usize, outcome| whole = Some(outcome));
        let suspended = Arc::new(SuspendedExplorations::default());
        let pieces = in_pieces(&engine, &problem, &suspended);
        let figures = |outcome: &Outcome| {
            (outcome.verdict.clone(), outcome.statistics.states, outcome.statistics.firings)
        };
        assert_eq!(figures(&pieces), figures(&whole.expect("it is answered")), "{engine:?}");
        let is_small = pieces.statistics.states < 100;
        assert!(is_small || suspended.resumed() > 3, "only {} resumed", suspended.resumed());
    }
}
