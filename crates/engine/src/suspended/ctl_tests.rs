//! Evaluations of CTL formulas in many pieces against the oracle, and how much an evaluation saves that goes on.

use fireset_net::{
    Budget, Formula, Outcome, Problem, StopReason, Verdict,
    families::{self, FamilyKind},
    replay,
};
use fireset_oracle::{OracleTest, against_oracle, query, random};

use super::{
    tests::{net, polls},
    *,
};
use crate::{CtlAlgorithm, Encoding, Engine, LayoutChoice, Learning, Order, ResumableCtl};

/// Runs with more and more polls of the budget until nothing is open.
fn decide_in_pieces(run: &ResumableCtl, problem: &Problem, report: &mut dyn FnMut(usize, Outcome)) {
    let mut open: Vec<usize> = (0..problem.queries.len()).collect();
    for limit in 1.. {
        let queries = open.iter().map(|&at| problem.queries[at].clone()).collect();
        let part = Problem { model: problem.model.clone(), queries };
        let mut left = Vec::new();
        run.decide(&part, &polls(limit), &mut |at: usize, outcome: Outcome| match outcome.verdict {
            Verdict::Unknown(StopReason::Time) => left.push(open[at]),
            _ => report(open[at], outcome),
        });
        left.sort_unstable();
        open = left;
        if open.is_empty() {
            return;
        }
    }
}

/// Every algorithm that searches, in each order; without an order, depth-first and best-first take turns.
fn ways() -> Vec<CtlEngine> {
    let best = CtlEngine::default();
    let graph = CtlEngine { algorithm: CtlAlgorithm::DependencyGraph, ..best };
    let orders = [None, Some(Order::DepthFirst), Some(Order::BestFirst), Some(Order::BreadthFirst)];
    let each = |engine| orders.map(|order| CtlEngine { order, ..engine });
    let others = [
        CtlEngine { learning: Learning::Off, ..best },
        CtlEngine { encoding: LayoutChoice::Only(Encoding::Safe), ..best },
    ];
    [each(best), each(graph)].into_iter().flatten().chain(others).collect()
}

#[test]
fn evaluations_in_pieces_agree_with_the_oracle() {
    let test = OracleTest {
        seeds: 0..400,
        model: &|random, seed| match seed % 4 {
            0 => Model::Coloured(random::coloured(random, 10)),
            _ => net(random, seed),
        },
        queries: &|random, model| {
            (1..=5).map(|nesting| Query::Ctl(random::nested_ctl(random, model.nodes(), nesting))).collect()
        },
        max_states: 400,
        configurations: &|case| match case.is_finite() && case.is_decided() {
            true => ways(),
            false => vec![],
        },
        may_stop: &|case, reason| *reason == StopReason::Overflow && case.may_overflow(),
        budget: &|_| Budget::unlimited(),
    };
    let mut resumed = 0;
    let decide =
        |engine: &CtlEngine, problem: &Problem, _: &Budget, report: &mut dyn FnMut(usize, Outcome)| {
            let run = ResumableCtl { engine: *engine, suspended: Arc::default() };
            decide_in_pieces(&run, problem, report);
            resumed += run.suspended.resumed();
        };
    let mut with_evidence = 0;
    let counts = against_oracle(&test, decide, |case, _, given| {
        for (outcome, query) in given.iter().flatten().zip(&case.problem.queries) {
            let Some(evidence) = &outcome.evidence else { continue };
            let model = &case.problem.model;
            assert_eq!(replay::confirm(model, query, &outcome.verdict, evidence), Ok(()));
            with_evidence += 1;
        }
    });
    assert!(counts.problems > 100 && counts.compared > 5_000, "{counts:?}");
    assert!(resumed > 1_000, "only {resumed} resumed");
    // Evidence is not searched for when the time is over.
    assert!(with_evidence * 2 > counts.compared, "{with_evidence} of {}", counts.compared);
}

/// What one evaluation decided the next one does not decide again.
#[test]
fn an_evaluation_goes_on() {
    let model = families::find("kanban").unwrap().generate(FamilyKind::Plain, &[2]).unwrap();
    let always_possible = |t| Formula::Fireable(vec![t]).possible().invariant();
    let all = model.nodes().transition_ids().take(6).map(always_possible).collect();
    let queries = vec![query::ctl(Formula::And(all))];
    let problem = Problem { model: model.into(), queries };
    let engine =
        CtlEngine { order: Some(Order::DepthFirst), learning: Learning::Off, ..CtlEngine::default() };
    let decide = |run: &ResumableCtl, budget: &Budget| {
        let mut given = None;
        run.decide(&problem, budget, &mut |_: usize, outcome: Outcome| given = Some(outcome));
        given.unwrap()
    };
    let new_run = || ResumableCtl { engine, suspended: Arc::default() };
    let whole = decide(&new_run(), &Budget::unlimited());
    let limits = std::iter::successors(Some(1), |limit| Some(limit + limit / 5 + 1));
    let rests = limits.map_while(|limit| {
        let run = new_run();
        decide(&run, &polls(limit)).is_open().then(|| decide(&run, &Budget::unlimited()))
    });
    let fewest = rests.map(|rest| (rest.statistics.firings, rest.verdict)).min_by_key(|rest| rest.0);
    let (firings, verdict) = fewest.expect("one poll is not enough");
    assert_eq!(verdict, whole.verdict);
    assert!(firings * 2 < whole.statistics.firings, "{firings} of {}", whole.statistics.firings);
}
