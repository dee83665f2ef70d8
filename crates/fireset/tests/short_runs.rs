//! Runs that are shown do not depend on what decided the query, nor on the number of threads, and are short.

mod common;

use std::collections::HashMap;

use fireset::{
    Budget, Evidence, Options, Query, ShownRun, Switch, Verdict, check,
    net::{Formula, Model, Problem, Quantifier, Semantics, replay},
};
use fireset_oracle::{
    query,
    random::{self, NetShape, TestRng},
};

/// Shortest runs, which are those of small nets.
fn shortest() -> Options {
    Options::default().with_portfolio(|portfolio| portfolio.shown_run = ShownRun::Shortest)
}

/// Different ways to the same answers.
fn configurations() -> Vec<Options> {
    let default = Options { threads: 1, ..Options::default() };
    let without_search = default.with_portfolio(|portfolio| {
        portfolio.pre_check = Switch::Off;
        portfolio.walks = Switch::Off;
        portfolio.reduction = Switch::Off;
    });
    let backwards = default.with_portfolio(|portfolio| {
        portfolio.simplification = Switch::Off;
        portfolio.diagrams = Switch::Off;
        portfolio.state_equation = Switch::Off;
    });
    vec![default, Options { threads: 2, ..default }, without_search, backwards, shortest()]
}

fn queries(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let nodes = model.nodes();
    let predicate = random::predicate(random, nodes, 2);
    let places = nodes.place_ids().take(2).collect();
    vec![
        query::reachable(Formula::Deadlock),
        Query::Reachable(predicate.clone()),
        Query::Invariant(predicate),
        Query::Bound(places),
        Query::Ltl(Quantifier::ForAll, random::nested_path(random, nodes, 2)),
        Query::Ltl(Quantifier::Exists, random::nested_path(random, nodes, 1)),
        Query::Ctl(random::nested_ctl(random, nodes, 2)),
    ]
}

/// The steps to each marking that is reached within a number of markings.
fn distances<S: Semantics>(net: &S, most: usize) -> HashMap<S::State, usize> {
    let mut known = HashMap::from([(net.initial(), 0)]);
    let mut layer = vec![net.initial()];
    let mut distance = 0;
    while !layer.is_empty() && known.len() < most {
        distance += 1;
        let mut next = Vec::new();
        for state in layer {
            for step in net.steps(&state) {
                if let Ok(after) = net.fire(&state, &step)
                    && !known.contains_key(&after)
                {
                    known.insert(after.clone(), distance);
                    next.push(after);
                }
            }
        }
        layer = next;
    }
    known
}

#[test]
fn runs_are_the_same_however_a_query_is_decided() {
    let (mut shown, mut lassos, mut traces, mut proven) = (0, 0, 0, 0);
    for seed in 0..250 {
        let random = &mut TestRng::new(seed);
        let shape = NetShape { places: 5, transitions: 5, tokens: 2, ..NetShape::default() };
        let model = common::plain(random, seed, &shape);
        let problem = Problem { queries: queries(random, &model), model: model.into() };
        let Model::Plain(net) = &*problem.model else { panic!("a place/transition net") };
        let known = distances(net, 300);
        if known.len() >= 300 {
            continue;
        }
        let reports: Vec<_> = configurations()
            .iter()
            .map(|options| check(&problem, options, &Budget::unlimited(), &mut ()))
            .collect();
        for (at, query) in problem.queries.iter().enumerate() {
            let outcomes: Vec<_> = reports.iter().map(|report| &report.outcomes[at]).collect();
            let outcome = outcomes[0];
            for (other, options) in outcomes.iter().zip(configurations()) {
                assert_eq!(other.verdict, outcome.verdict, "seed {seed}, {query:?}");
                let is_shown = match query {
                    Query::Reachable(_) | Query::Ltl(Quantifier::Exists, _) => {
                        outcome.verdict == Verdict::Holds
                    }
                    Query::Invariant(_) | Query::Ltl(Quantifier::ForAll, _) => {
                        outcome.verdict == Verdict::Fails
                    }
                    Query::Bound(_) => true,
                    _ => false,
                };
                if is_shown {
                    assert!(other.evidence.is_some(), "seed {seed}, {query:?}, {options:?}");
                    assert_eq!(other.evidence, outcome.evidence, "seed {seed}, {query:?}, {options:?}");
                    shown += 1;
                }
            }
            let last = reports.last().expect("there are configurations");
            let is_shortest = last.timelines[at].is_shortest;
            assert!(reports[0].timelines[at].is_shortest.is_none());
            proven += usize::from(is_shortest == Some(true));
            if let (Some(Evidence::Trace(_)), Query::Reachable(_) | Query::Invariant(_) | Query::Bound(_)) =
                (&outcome.evidence, query)
            {
                assert_eq!(is_shortest, Some(true), "seed {seed}, {query:?}");
            }
            match &outcome.evidence {
                Some(Evidence::Trace(trace)) => {
                    let states = replay::states(net, &trace.0).expect("a run");
                    let end = states.last().expect("a marking");
                    assert_eq!(known[end], trace.0.len(), "a shortest way: seed {seed}, {query:?}");
                    traces += 1;
                }
                Some(Evidence::Lasso(_)) => lassos += 1,
                _ => {}
            }
        }
    }
    assert!(shown > 1_500 && lassos > 100 && traces > 200, "{shown} {lassos} {traces}");
    assert!(proven > traces + lassos / 2, "{proven}");
}
