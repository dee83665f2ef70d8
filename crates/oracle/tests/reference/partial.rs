//! What is answered on a part of the graph is what the whole graph answers.

use std::time::Duration;

use fireset_net::{Budget, Global, Model, Query, StopReason, Verdict};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};

use super::*;

fn is_known(verdict: &Verdict) -> bool {
    !matches!(verdict, Verdict::Unknown(_))
}

#[test]
fn a_part_is_never_wrong() {
    let (mut early, mut open) = (0, 0);
    for seed in 0..500 {
        let mut random = TestRng::new(seed);
        let model = if seed % 3 == 0 {
            Model::Coloured(random::coloured(&mut random, 10))
        } else {
            let shape = NetShape { inhibitors: 10, tokens: 3, ..NetShape::default() };
            Model::Plain(random::net(&mut random, &shape))
        };
        let queries: Vec<Query> = (0..8).map(|_| random::query(&mut random, model.nodes(), 2)).collect();
        let whole = outcomes(&model, &queries, 400);
        for limit in [1, 2, 5, 20] {
            let part = outcomes(&model, &queries, limit);
            for ((query, part), whole) in queries.iter().zip(part).zip(&whole) {
                if is_known(&part.verdict) {
                    assert_eq!(part.verdict, whole.verdict, "{model:?}\n{query:?} with {limit} states");
                    early += 1;
                } else {
                    open += 1;
                }
            }
        }
    }
    assert!(early > 1000 && open > 1000, "{early} answered early, {open} left open");
}

#[test]
fn queries_together_are_answered_as_alone() {
    for seed in 0..100 {
        let mut random = TestRng::new(seed);
        let model = Model::Plain(random::net(&mut random, &NetShape::default()));
        let queries: Vec<Query> = (0..6).map(|_| random::query(&mut random, model.nodes(), 2)).collect();
        let together = outcomes(&model, &queries, 300);
        for (query, outcome) in queries.into_iter().zip(together) {
            let alone = outcomes(&model, std::slice::from_ref(&query), 300).remove(0);
            assert_eq!((alone.verdict, alone.evidence), (outcome.verdict, outcome.evidence), "{query:?}");
        }
    }
}

#[test]
fn budgets_end_the_search() {
    let model = Model::Plain(tiny::net("p:1000 q r; t: p -> q; u: q -> r; v: r -> p"));
    let query = [Query::Global(Global::StateSpace)];
    let ask =
        |budget: Budget| fireset_oracle::outcomes(&model, &query, usize::MAX, &budget).remove(0).verdict;
    let cancelled = Budget::unlimited();
    cancelled.stop(StopReason::Cancelled);
    assert_eq!(ask(cancelled), Verdict::Unknown(StopReason::Cancelled));
    let unlimited = Budget::unlimited();
    assert_eq!(ask(unlimited.clone().with_timeout(Duration::ZERO)), Verdict::Unknown(StopReason::Time));
    assert_eq!(ask(unlimited.clone().with_memory(100_000)), Verdict::Unknown(StopReason::Memory));
    let few = fireset_oracle::outcomes(&model, &query, 10, &unlimited).remove(0);
    assert_eq!(few.verdict, Verdict::Unknown(StopReason::States(10)));
    assert_eq!((few.statistics.engine, few.statistics.states), ("oracle", 10));
}
