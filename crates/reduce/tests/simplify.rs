//! Simplified queries against the reference checker: the same verdicts, and witnesses that replay on the query as it
//! was asked.

use fireset_net::{
    Budget, Formula, Model, Nodes, Outcome, Quantifier, Query, Verdict,
    random::{self, NetShape, Random},
    reference, replay,
};
use fireset_reduce::{Simplifier, lift};

const MAX_STATES: usize = 300;

fn is_unknown(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Unknown(_))
}

/// What has been compared.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    changed: usize,
    constant: usize,
    reachability: usize,
    lifted: usize,
    /// Witnesses that were dropped, because the run grows for ever.
    lost: usize,
}

impl Tally {
    /// Compares queries with what the simplifier makes of them.
    fn compare(&mut self, model: &Model, queries: &[Query], label: &str) {
        let simplifier = Simplifier::for_model(model);
        let smaller: Vec<Query> = queries.iter().map(|query| simplifier.query(query)).collect();
        let expected = reference::outcomes(model, queries, MAX_STATES, &Budget::unlimited());
        let given = reference::outcomes(model, &smaller, MAX_STATES, &Budget::unlimited());
        for (((query, small), expected), given) in queries.iter().zip(&smaller).zip(expected).zip(given) {
            // What is simpler may be decided where the other is not.
            if is_unknown(&expected) || is_unknown(&given) {
                continue;
            }
            assert_eq!(given.verdict, expected.verdict, "{label}: {query:?} became {small:?} on {model:?}");
            self.count(query, small);
            let had_evidence = given.evidence.is_some();
            let lifted = lift(query, model, given);
            match &lifted.evidence {
                Some(evidence) => {
                    replay::confirm(model, query, &lifted.verdict, evidence)
                        .unwrap_or_else(|refusal| panic!("{label}: {query:?} {small:?}: {refusal:?}"));
                    self.lifted += usize::from(kind(query) != kind(small));
                }
                None if had_evidence => self.lost += 1,
                None => {}
            }
        }
    }

    fn count(&mut self, query: &Query, small: &Query) {
        self.compared += 1;
        self.changed += usize::from(query != small);
        self.reachability += usize::from(kind(query) != kind(small));
        self.constant += usize::from(matches!(
            small,
            Query::Ltl(_, Formula::Constant(_))
                | Query::Reachable(Formula::Constant(_))
                | Query::Invariant(Formula::Constant(_))
        ));
    }
}

fn kind(query: &Query) -> std::mem::Discriminant<Query> {
    std::mem::discriminant(query)
}

/// LTL queries, nested up to five deep, and some about reachability.
fn queries(random: &mut Random, nodes: &Nodes) -> Vec<Query> {
    let mut queries = Vec::new();
    for quantifier in [Quantifier::ForAll, Quantifier::Exists] {
        for depth in 1..=5 {
            let path = random::path(random, nodes, depth);
            queries.push(Query::Ltl(quantifier, path));
        }
        let predicate = random::predicate(random, nodes, 2);
        queries.push(Query::Ltl(quantifier, Formula::Finally(Box::new(predicate.clone()))));
        queries.push(Query::Ltl(quantifier, Formula::Globally(Box::new(predicate))));
    }
    queries.push(Query::Reachable(random::predicate(random, nodes, 3)));
    queries.push(Query::Invariant(random::predicate(random, nodes, 3)));
    // The reference checker takes memory in the number of temporal operators.
    queries.retain(|query| match query {
        Query::Ltl(_, path) => path.temporal_operators() <= 9,
        _ => true,
    });
    queries
}

#[test]
fn verdicts_stay_on_random_nets() {
    let mut tally = Tally::default();
    for seed in 0..1_200 {
        let mut random = Random::new(seed);
        let inhibitors = if seed % 3 == 0 { 30 } else { 0 };
        let shape = NetShape { places: 4, transitions: 5, tokens: 2, inhibitors, ..NetShape::default() };
        let net = random::net(&mut random, &shape);
        let queries = queries(&mut random, net.nodes());
        tally.compare(&Model::Plain(net), &queries, &format!("seed {seed}"));
    }
    assert!(tally.compared > 8_000 && tally.changed * 2 > tally.compared, "{tally:?}");
    assert!(
        tally.constant > 1_000
            && tally.reachability > 500
            && tally.lifted > 100
            && tally.lost * 20 < tally.lifted,
        "{tally:?}"
    );
}

#[test]
fn verdicts_stay_on_coloured_nets() {
    let mut tally = Tally::default();
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let net = random::colored(&mut random, 10);
        let queries = queries(&mut random, net.nodes());
        tally.compare(&Model::Colored(net), &queries, &format!("seed {seed}"));
    }
    assert!(tally.compared > 400 && tally.changed > 200 && tally.lost * 20 < tally.compared, "{tally:?}");
}

#[test]
fn equivalences_of_paths_do_not_grow() {
    let mut random = Random::new(11);
    let net = random::net(&mut random, &NetShape::default());
    let simplifier = Simplifier::new(&net);
    let mut path = random::path(&mut random, net.nodes(), 2);
    for depth in 0..60 {
        let side = Formula::Next(Box::new(random::predicate(&mut random, net.nodes(), 1)));
        path = Formula::Iff(Box::new(path), Box::new(side));
        let Query::Ltl(_, small) = simplifier.query(&Query::Ltl(Quantifier::ForAll, path.clone())) else {
            continue;
        };
        assert!(
            small.temporal_operators() <= path.temporal_operators(),
            "depth {depth}: {path:?} became {small:?}"
        );
    }
}

#[test]
fn other_queries_come_back_as_they_are() {
    let mut random = Random::new(5);
    let net = random::net(&mut random, &NetShape::default());
    let simplifier = Simplifier::new(&net);
    let others = (0..300).map(|_| random::query(&mut random, net.nodes(), 3));
    let is_other = |query: &Query| matches!(query, Query::Ctl(_) | Query::Bound(_) | Query::Global(_));
    let others: Vec<Query> = others.filter(is_other).collect();
    assert!(others.len() > 50);
    others.iter().for_each(|query| assert_eq!(simplifier.query(query), *query));
}
