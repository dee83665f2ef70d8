//! Simplified queries against the oracle: the same verdicts, and witnesses that replay on the query as it
//! was asked.

use fireset_net::{
    Budget, Formula, Model, Nodes, Outcome, PathFormula, Problem, Quantifier, Query, StopReason, Temporal,
    Verdict,
};
use fireset_oracle::{
    OracleCase, query,
    random::{self, NetShape, TestRng},
};
use fireset_reduce::{CtlAsLtl, Pass, Reduced, SimplificationSteps, Simplifier, Simplify, lift};

const MAX_STATES: usize = 300;

fn is_unknown(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Unknown(_))
}

/// What has been compared.
#[derive(Debug, Default)]
struct SimplifiedCounts {
    compared: usize,
    changed: usize,
    constant: usize,
    reachability: usize,
    lifted: usize,
    /// Witnesses that were dropped, because the run grows for ever.
    lost: usize,
}

impl SimplifiedCounts {
    /// Compares queries with what the simplifier makes of them.
    fn compare(&mut self, seed: u64, model: Model, queries: Vec<Query>) {
        let case =
            OracleCase::new(seed, TestRng::new(seed), Problem { model: model.into(), queries }, MAX_STATES);
        self.compare_with(&Simplifier::for_model(&case.problem.model), &case, "all");
    }

    fn compare_with(&mut self, simplifier: &Simplifier<'_>, case: &OracleCase, label: &str) {
        let Problem { model, queries } = &case.problem;
        let smaller: Vec<Query> = queries.iter().map(|query| simplifier.query(query)).collect();
        let mut all = Vec::new();
        let outcomes = fireset_oracle::outcomes(model, &smaller, MAX_STATES, &Budget::unlimited());
        for (at, (small, given)) in smaller.iter().zip(outcomes).enumerate() {
            let (query, had_evidence) = (&queries[at], given.evidence.is_some());
            let lifted = lift(query, model, given);
            // What is simpler may be decided where the other is not.
            if !is_unknown(&case.expected[at]) && !is_unknown(&lifted) {
                self.count(query, small);
                self.lost += usize::from(had_evidence && lifted.evidence.is_none());
                self.lifted += usize::from(lifted.evidence.is_some() && kind(query) != kind(small));
            }
            all.push(Some(lifted));
        }
        case.compare(&all, &|_, _| true, &(label, smaller));
    }

    fn count(&mut self, query: &Query, small: &Query) {
        self.compared += 1;
        self.changed += usize::from(query != small);
        self.reachability += usize::from(kind(query) != kind(small));
        self.constant += usize::from(small.constant().is_some());
    }
}

fn kind(query: &Query) -> std::mem::Discriminant<Query> {
    std::mem::discriminant(query)
}

/// LTL queries, nested up to five deep, and some about reachability.
fn queries(random: &mut TestRng, nodes: &Nodes) -> Vec<Query> {
    let mut queries = Vec::new();
    for quantifier in [Quantifier::ForAll, Quantifier::Exists] {
        for depth in 1..=5 {
            let path = random::path(random, nodes, depth);
            queries.push(Query::Ltl(quantifier, path));
        }
        let predicate = Formula::from(random::predicate(random, nodes, 2));
        queries.push(query::ltl(quantifier, Formula::Finally(Box::new(predicate.clone()))));
        queries.push(query::ltl(quantifier, Formula::Globally(Box::new(predicate))));
    }
    queries.push(Query::Reachable(random::predicate(random, nodes, 3)));
    queries.push(Query::Invariant(random::predicate(random, nodes, 3)));
    // The oracle takes memory in the number of temporal operators.
    queries.retain(|query| match query {
        Query::Ltl(_, path) => path.temporal_operators() <= 9,
        _ => true,
    });
    queries
}

#[test]
fn verdicts_stay_on_random_nets() {
    let mut counts = SimplifiedCounts::default();
    for seed in 0..1_200 {
        let mut random = TestRng::new(seed);
        let inhibitors = if seed % 3 == 0 { 30 } else { 0 };
        let shape = NetShape { places: 4, transitions: 5, tokens: 2, inhibitors, ..NetShape::default() };
        let net = random::structured(&mut random, seed).unwrap_or_else(|| random::net(&mut random, &shape));
        let queries = queries(&mut random, net.nodes());
        counts.compare(seed, Model::Plain(net), queries);
    }
    assert!(counts.compared > 8_000 && counts.changed * 2 > counts.compared, "{counts:?}");
    assert!(
        counts.constant > 1_000
            && counts.reachability > 500
            && counts.lifted > 100
            && counts.lost * 20 < counts.lifted,
        "{counts:?}"
    );
}

#[test]
fn verdicts_stay_on_coloured_nets() {
    let mut counts = SimplifiedCounts::default();
    for seed in 0..120 {
        let mut random = TestRng::new(seed);
        let net = random::coloured(&mut random, 10);
        let queries = queries(&mut random, net.nodes());
        counts.compare(seed, Model::Coloured(net), queries);
    }
    assert!(
        counts.compared > 400 && counts.changed > 200 && counts.lost * 20 < counts.compared,
        "{counts:?}"
    );
}

#[test]
fn equivalences_of_paths_do_not_grow() {
    let mut random = TestRng::new(11);
    let net = random::net(&mut random, &NetShape::default());
    let simplifier = Simplifier::new(&net);
    let mut path = random::path(&mut random, net.nodes(), 2);
    for depth in 0..60 {
        let side = Temporal::Next(random::predicate(&mut random, net.nodes(), 1).into());
        path = PathFormula::iff(path, side.into());
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
    let mut random = TestRng::new(5);
    let net = random::net(&mut random, &NetShape::default());
    let simplifier = Simplifier::new(&net);
    let others = (0..300).map(|_| random::query(&mut random, net.nodes(), 3));
    let is_other = |query: &Query| matches!(query, Query::Bound(_) | Query::Global(_));
    let others: Vec<Query> = others.filter(is_other).collect();
    assert!(others.len() > 50);
    others.iter().for_each(|query| assert_eq!(simplifier.query(query), *query));
}

/// CTL queries nested up to five deep, and Boolean combinations of two of them.
fn ctl_queries(random: &mut TestRng, nodes: &Nodes) -> Vec<Query> {
    let mut formulas: Vec<Formula> = (1..=5).map(|depth| random::ctl(random, nodes, depth).into()).collect();
    let state = |random: &mut TestRng| Formula::from(random::predicate(random, nodes, 1));
    let possible = state(random).possible();
    let invariant = state(random).invariant();
    formulas.push(Formula::And(vec![possible.clone(), formulas[2].clone()]));
    formulas.push(Formula::Or(vec![formulas[3].clone(), Formula::Not(Box::new(possible)), invariant]));
    formulas.push(Formula::Or(vec![state(random), formulas[1].clone()]).possible());
    formulas
        .push(Formula::ForAll(Box::new(Formula::Until(Box::new(state(random)), Box::new(state(random))))));
    let within = formulas[8].clone();
    formulas.push(Formula::Or(vec![state(random), within]).invariant());
    formulas.into_iter().map(query::ctl).collect()
}

fn small_net(seed: u64) -> (TestRng, Model) {
    let mut random = TestRng::new(seed);
    let inhibitors = if seed.is_multiple_of(3) { 30 } else { 0 };
    let shape = NetShape { places: 4, transitions: 5, tokens: 2, inhibitors, ..NetShape::default() };
    let net = random::structured(&mut random, seed).unwrap_or_else(|| random::net(&mut random, &shape));
    (random, Model::Plain(net))
}

#[test]
fn ctl_verdicts_stay_with_each_step() {
    let steps = [
        ("all", SimplificationSteps::ALL),
        ("rules", SimplificationSteps { rules: true, ..SimplificationSteps::NONE }),
        ("start", SimplificationSteps { initial_marking: true, ..SimplificationSteps::NONE }),
        ("facts", SimplificationSteps { invariants: true, ..SimplificationSteps::NONE }),
        ("next", SimplificationSteps { next: true, ..SimplificationSteps::NONE }),
    ];
    let mut all = steps.map(|_| SimplifiedCounts::default());
    for seed in 0..700 {
        let (mut random, model) = small_net(seed);
        let queries = ctl_queries(&mut random, model.nodes());
        let case = OracleCase::new(seed, random, Problem { model: model.into(), queries }, MAX_STATES);
        for ((name, steps), counts) in steps.into_iter().zip(&mut all) {
            let simplifier = Simplifier::with_steps(&case.problem.model, steps);
            counts.compare_with(&simplifier, &case, name);
        }
    }
    assert!(all.iter().all(|counts| counts.compared > 4_000), "{all:?}");
    assert!(all[0].constant > 2_000 && all[0].reachability > 500, "{all:?}");
    assert!(all[1..].iter().all(|counts| counts.changed > 500), "{all:?}");
    assert!(all[1..].iter().all(|counts| counts.constant < all[0].constant), "{all:?}");
}

#[test]
fn ctl_verdicts_stay_on_coloured_nets() {
    let mut counts = SimplifiedCounts::default();
    for seed in 0..120 {
        let mut random = TestRng::new(seed);
        let net = random::coloured(&mut random, 10);
        let queries = ctl_queries(&mut random, net.nodes());
        counts.compare(seed, Model::Coloured(net), queries);
    }
    assert!(counts.compared > 400 && counts.changed > 200, "{counts:?}");
}

/// The outcomes of a problem by way of the pass, with the parts decided in a random order and some of them unknown at
/// first; and how many wholes had a verdict before all of their parts had.
fn by_the_pass(problem: &Problem, pass: Simplify, random: &mut TestRng) -> (Vec<Option<Outcome>>, usize) {
    let reduced = pass.apply(problem, &Budget::unlimited()).expect("no limits").expect("something to do");
    let Reduced { problem: smaller, asked_for, mut lift } = reduced;
    let outcomes =
        fireset_oracle::outcomes(&smaller.model, &smaller.queries, MAX_STATES, &Budget::unlimited());
    let mut order: Vec<usize> = (0..outcomes.len()).collect();
    (1..order.len()).rev().for_each(|at| order.swap(at, random.below(at + 1)));
    let mut whole: Vec<Option<Outcome>> = vec![None; problem.queries.len()];
    let mut early = 0;
    for (position, &at) in order.iter().enumerate() {
        if random.percent(30) {
            let open = lift.lift(at, Outcome::unknown(StopReason::Time)).expect("it stays open");
            assert!(is_unknown(&open), "an unknown part decides nothing");
        }
        let Some(outcome) = lift.lift(at, outcomes[at].clone()) else { continue };
        let known = &mut whole[asked_for[at]];
        if !is_unknown(&outcome) && known.is_none() {
            early += usize::from(order[position + 1..].iter().any(|&more| asked_for[more] == asked_for[at]));
            *known = Some(outcome);
        }
    }
    (whole, early)
}

#[test]
fn parts_decide_together() {
    let (mut compared, mut divided, mut early) = (0, 0, 0);
    for seed in 0..900 {
        let (mut random, model) = small_net(seed);
        let queries = ctl_queries(&mut random, model.nodes());
        let problem = Problem { model: model.into(), queries };
        let case = OracleCase::new(seed, random.clone(), problem.clone(), MAX_STATES);
        for ctl_as_ltl in [CtlAsLtl::On, CtlAsLtl::Off] {
            let pass = Simplify { ctl_as_ltl, ..Simplify::default() };
            let (given, soon) = by_the_pass(&problem, pass, &mut random);
            early += soon;
            compared += case.compare(&given, &|_, _| true, &ctl_as_ltl).compared;
        }
        let simplifier = Simplifier::for_model(&problem.model);
        divided += problem.queries.iter().filter(|query| simplifier.parts(query).1.len() > 1).count();
    }
    assert!(compared > 12_000 && divided > 100 && early > 100, "{compared} {divided} {early}");
}
