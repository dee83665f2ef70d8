//! Shortest lassos against the reference checker, and against all lassos of a few steps.

mod common;

use std::sync::Arc;

use common::{any_net, ask, ltl_queries};
use fireset_engine::{Engine, LtlEngine, ResultSink, ShortestLassoSearch};
use fireset_net::{
    Budget, Evidence, Lasso, Model, Outcome, Problem, Quantifier, Query, Semantics, StopReason, Verdict,
    replay,
};
use fireset_oracle::{
    OracleCase, OracleTest, against_oracle,
    random::{self, TestRng},
};

/// Answers queries by whether there is a lasso.
#[derive(Clone, Copy, Debug)]
struct ByLasso {
    max_states: usize,
    /// Whether the search sees all product states, so that without a lasso there is no run.
    sees_all: bool,
}

impl Engine for ByLasso {
    fn name(&self) -> &'static str {
        "shortest lasso"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        matches!(query, Query::Ltl(..))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let search = ShortestLassoSearch { max_states: self.max_states };
        for (at, query) in problem.queries.iter().enumerate() {
            let exists = matches!(query, Query::Ltl(Quantifier::Exists, _));
            let outcome = match search.find(&problem.model, query, budget) {
                Some(found) => Outcome {
                    verdict: exists.into(),
                    evidence: Some(Evidence::Lasso(found.lasso)),
                    ..Outcome::unknown(StopReason::Memory)
                },
                None if self.sees_all => {
                    Outcome { verdict: (!exists).into(), ..Outcome::unknown(StopReason::Memory) }
                }
                None => Outcome::unknown(StopReason::Memory),
            };
            sink.report(at, outcome);
        }
    }
}

fn model(random: &mut TestRng, seed: u64) -> Model {
    if seed % 4 == 3 { Model::Coloured(random::coloured(random, 20)) } else { any_net(random, seed) }
}

#[test]
fn a_lasso_is_found_where_there_is_one() {
    let test = OracleTest {
        seeds: 0..600,
        model: &model,
        queries: &|random, model| ltl_queries(random, model, 4),
        max_states: 200,
        configurations: &|case: &mut OracleCase| {
            let sees_all = case.is_finite();
            let few = ByLasso { max_states: 30, sees_all: false };
            vec![ByLasso { max_states: if sees_all { 1 << 20 } else { 500 }, sees_all }, few]
        },
        may_stop: &|_, reason| *reason == StopReason::Memory,
        budget: &|_| Budget::unlimited(),
    };
    let counts = against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        |_, _, _| {},
    );
    assert!(counts.holds > 700 && counts.fails > 700, "{counts:?}");
}

/// All lassos with at most this number of steps, fewest first.
fn lassos<S: Semantics>(net: &S, most: usize) -> Vec<Lasso> {
    let mut runs = vec![(Vec::new(), vec![net.initial()])];
    let mut all = Vec::new();
    for length in 0..=most {
        let mut longer = Vec::new();
        for (steps, states) in &runs {
            let last = states.last().expect("a run has a marking");
            let enabled = net.steps(last);
            if enabled.is_empty() {
                all.push(Lasso { prefix: steps.clone(), cycle: Vec::new() });
            }
            for from in (0..states.len() - 1).filter(|&from| states[from] == *last) {
                all.push(Lasso { prefix: steps[..from].to_vec(), cycle: steps[from..].to_vec() });
            }
            for step in enabled.into_iter().filter(|_| length < most) {
                let Ok(next) = net.fire(last, &step) else { continue };
                let with = |step| steps.iter().cloned().chain([step]).collect::<Vec<_>>();
                longer.push((with(step), states.iter().cloned().chain([next]).collect()));
            }
        }
        runs = longer;
    }
    all
}

fn length(lasso: &Lasso) -> usize {
    lasso.prefix.len() + lasso.cycle.len()
}

#[test]
fn no_lasso_of_a_few_steps_is_shorter() {
    const MOST: usize = 4;
    let (mut compared, mut shorter_than_searched) = (0, 0);
    for seed in 0..1_500 {
        let random = &mut TestRng::new(seed);
        let net = random::net(random, &random::NetShape::default());
        let model = Arc::new(Model::Plain(net.clone()));
        let Query::Ltl(quantifier, formula) = ltl_queries(random, &model, 3).pop().expect("a query") else {
            panic!("LTL was asked for")
        };
        let query = Query::Ltl(quantifier, formula);
        let verdict = Verdict::from(quantifier == Quantifier::Exists);
        let found = ShortestLassoSearch { max_states: 20_000 }.find(&model, &query, &Budget::unlimited());
        let Some(found) = found.filter(|found| found.is_shortest) else { continue };
        let problem = Problem { model: model.clone(), queries: vec![query.clone()] };
        let budget = Budget::unlimited().with_memory(1 << 22);
        LtlEngine::default().decide(&problem, &budget, &mut |_: usize, outcome: Outcome| {
            if let Some(Evidence::Lasso(other)) = outcome.evidence {
                assert!(length(&found.lasso) <= length(&other), "seed {seed}");
                shorter_than_searched += usize::from(length(&found.lasso) < length(&other));
            }
        });
        let shows = |lasso: &Lasso| {
            let evidence = Evidence::Lasso(lasso.clone());
            replay::confirm(&model, &query, &verdict, &evidence).is_ok()
        };
        assert!(shows(&found.lasso), "seed {seed}");
        if lassos(&net, 3).len() > 400 {
            continue;
        }
        let shortest = lassos(&net, MOST).into_iter().find(|lasso| shows(lasso));
        match shortest {
            Some(shortest) => {
                assert_eq!(length(&shortest), length(&found.lasso), "seed {seed}");
                compared += 1;
            }
            None => assert!(length(&found.lasso) > MOST, "seed {seed}"),
        }
    }
    assert!(compared > 500, "{compared}");
    assert!(shorter_than_searched > 20, "{shorter_than_searched}");
}
