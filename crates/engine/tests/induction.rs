//! SatEngine on clauses against the oracle: random nets with weights, inhibitor arcs, places without bounds and
//! units that claim too much; each method alone; runs replay, and invariants are what they say.

mod common;

use common::{ask, outcomes};
use fireset_engine::{Engine, Explicit, SatEngine, SatMethod};
use fireset_net::{
    Budget, Certificate, Comparison, Evidence, Expr, Formula, Marking, Model, Net, Outcome, PlaceId, Problem,
    Query, StateAtom, StatePredicate, StopReason, Verdict,
    families::{self, FamilyKind},
    reachability::{GraphLimits, ReachabilityGraph},
    replay,
};
use fireset_oracle::{
    OracleCase, OracleCounts, OracleTest, against_oracle, query,
    random::{self, NetShape, TestRng},
    tiny,
};

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 400;
/// Bytes that an engine may hold.
const MEMORY: u64 = 1 << 28;

/// Nets that are drawn.
const SEEDS: u64 = 2_500;

const METHODS: [SatMethod; 4] = [SatMethod::All, SatMethod::Bmc, SatMethod::KInduction, SatMethod::Ic3];

/// Nets of all kinds: most with few tokens, some with weights, inhibitor arcs, or units that are not safe.
fn net(random: &mut TestRng, seed: u64) -> Net {
    if let Some(net) = random::structured(random, seed) {
        return net;
    }
    let inhibitors = if random.percent(25) { 25 } else { 0 };
    let (tokens, weight) = (random.within(1, 3), random.within(1, 3));
    let net = if random.percent(30) {
        random::grown(random, inhibitors)
    } else {
        random::net(random, &NetShape { tokens, weight, inhibitors, ..NetShape::default() })
    };
    if random.percent(20) {
        let units = random::units(random, &net);
        return net.with_nupn(Some(units));
    }
    net
}

/// A predicate, often one that few markings have.
fn predicate(random: &mut TestRng, net: &Net) -> StatePredicate {
    if random.percent(50) {
        return random::predicate(random, net.nodes(), 2);
    }
    let all: Vec<PlaceId> = net.nodes().place_ids().collect();
    let tokens = |random: &mut TestRng| Expr::Tokens(vec![*random.pick(&all)]);
    let parts = (0..random.within(1, 3)).map(|_| {
        let (how, tokens) = (*random.pick(&Comparison::ALL), tokens(random));
        StateAtom::Compare(how, tokens, Expr::Constant(random.within(0, 3) as i64)).into()
    });
    StatePredicate::And(parts.collect())
}

/// The formula of a certificate.
fn invariant(outcome: &Outcome) -> Option<&StatePredicate> {
    match &outcome.evidence {
        Some(Evidence::Certificate(Certificate::Inductive(formula))) => Some(formula),
        _ => None,
    }
}

/// An invariant holds in these reachable markings; wherever it holds it holds after each step, and no goal is there.
fn check_invariant(
    net: &Net,
    formula: &StatePredicate,
    query: &Query,
    reached: &[Marking],
    random: &mut TestRng,
) {
    let holds = |marking: &Marking| replay::holds_in(net, marking, formula);
    for marking in reached {
        assert!(holds(marking), "{formula:?} fails in {marking:?} of {net:?}");
    }
    for _ in 0..60 {
        let near = random.pick(reached).clone();
        let change = |tokens: &u64| if random.percent(25) { random.within(0, 4) } else { *tokens };
        let marking = Marking(near.0.iter().map(change).collect());
        if !holds(&marking) {
            continue;
        }
        let (goal, value) = query.goal().expect("only reachability is asked");
        assert!(replay::holds_in(net, &marking, goal) != value, "{formula:?} allows {marking:?} of {net:?}");
        for t in net.nodes().transition_ids() {
            if let Ok(next) = net.fire_transition(&marking, t) {
                assert!(holds(&next), "{formula:?} is left by {marking:?} and {t:?} of {net:?}");
            }
        }
    }
}

fn drawn_queries(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let Model::Plain(net) = model else { panic!("only plain nets are drawn") };
    let mut queries = vec![query::reachable(Formula::Deadlock)];
    for _ in 0..2 {
        queries.push(query::reachable(predicate(random, net)));
        queries.push(query::invariant(predicate(random, net).negate()));
    }
    queries.retain(|query| SatEngine::default().accepts(model, query));
    queries
}

/// Checks the invariants of certificates; gives their number.
fn check_invariants(case: &mut OracleCase, given: &[Option<Outcome>]) -> usize {
    let Model::Plain(net) = &*case.problem.model else { panic!("only plain nets are drawn") };
    let limits = GraphLimits { states: MAX_STATES, edges: false };
    let graph = ReachabilityGraph::explore(net, limits, &Budget::unlimited(), &mut ());
    let mut found = 0;
    for (query, given) in case.problem.queries.iter().zip(given.iter().flatten()) {
        if let Some(formula) = invariant(given) {
            check_invariant(net, formula, query, graph.states(), &mut case.random);
            found += 1;
        }
    }
    found
}

/// Verdicts by a run, and verdicts that there is none.
fn reached(counts: &OracleCounts) -> (usize, usize) {
    let (reachable, invariant) = (counts.kind("reachable"), counts.kind("invariant"));
    (reachable.holds + invariant.fails, reachable.fails + invariant.holds)
}

/// What only the tests of induction count.
#[derive(Debug, Default)]
struct InductionCounts {
    invariants: usize,
    /// Answers about nets with infinitely many markings, or too many.
    infinite: usize,
}

/// What is compared with one method, on every seed or on every third.
fn compare(method: SatMethod, on: impl Fn(u64) -> bool) -> (OracleCounts, InductionCounts) {
    let mut found = InductionCounts::default();
    let test = OracleTest {
        seeds: 0..SEEDS,
        model: &|random, seed| Model::Plain(net(random, seed)),
        queries: &drawn_queries,
        max_states: MAX_STATES,
        configurations: &|case| if on(case.seed) { vec![SatEngine { method }] } else { vec![] },
        may_stop: &|_, _| true,
        budget: &|_| Budget::unlimited().with_memory(MEMORY),
    };
    let counts = against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        |case, _, given| {
            assert!(given.iter().all(Option::is_some), "all are answered: {}", case.describe(0));
            found.invariants += check_invariants(case, given);
            let is_known = |outcome: &&Outcome| !matches!(outcome.verdict, Verdict::Unknown(_));
            if !case.is_finite() {
                found.infinite += given.iter().flatten().filter(is_known).count();
            }
        },
    );
    (counts, found)
}

#[test]
fn all_methods_together_are_right() {
    let (all, found) = compare(SatMethod::All, |_| true);
    let (reachable, unreachable) = reached(&all);
    assert!(reachable > 2_500 && unreachable > 2_500 && found.infinite > 125, "{all:?} {found:?}");
    assert!(all.unknown * 20 < reachable + unreachable, "{all:?}");
}

#[test]
fn each_method_is_right() {
    let (bounded, _) = compare(SatMethod::Bmc, |seed| seed % 3 == 0);
    let (reachable, unreachable) = reached(&bounded);
    assert!(reachable > 300 && unreachable == 0, "{bounded:?}");
    let (k_induction, _) = compare(SatMethod::KInduction, |seed| seed % 3 == 1);
    let (reachable, unreachable) = reached(&k_induction);
    assert!(reachable > 300 && unreachable > 300, "{k_induction:?}");
    let (frames, found) = compare(SatMethod::Ic3, |seed| seed % 3 == 2);
    let (reachable, unreachable) = reached(&frames);
    assert!(reachable > 300 && unreachable > 300 && found.invariants > 300, "{frames:?} {found:?}");
    assert!(frames.too_hard * 20 < found.invariants, "{frames:?} {found:?}");
}

/// The outcome of one query.
fn decide(net: &Net, query: Query, method: SatMethod) -> Outcome {
    outcomes(&SatEngine { method }, &Model::Plain(net.clone()), &[query], MEMORY).remove(0)
}

fn at_least(place: usize, tokens: i64) -> Formula {
    let place = Expr::Tokens(vec![PlaceId::new(place)]);
    Formula::Compare(Comparison::GreaterEqual, place, Expr::Constant(tokens))
}

#[test]
fn places_without_a_bound() {
    // The second place grows for ever, the third never gets a token while the first is empty.
    let net = tiny::net("p q r; t: -> q; u: p, q -> r; v: r -> p");
    for method in [SatMethod::All, SatMethod::KInduction, SatMethod::Ic3] {
        let verdict = |formula: Formula| decide(&net, query::reachable(formula), method).verdict;
        assert_eq!(verdict(at_least(2, 1)), Verdict::Fails, "{method:?}");
        assert_eq!(verdict(at_least(1, 5)), Verdict::Holds, "{method:?}");
        assert_eq!(verdict(Formula::Deadlock), Verdict::Fails, "{method:?}");
    }
    // With one token fewer each time, only counting says no.
    let net = tiny::net("p:3 q; t: 2*p -> p, q");
    let verdict = |tokens: i64| decide(&net, query::reachable(at_least(1, tokens)), SatMethod::Ic3).verdict;
    assert_eq!((verdict(2), verdict(3)), (Verdict::Holds, Verdict::Fails));
}

#[test]
fn odd_nets() {
    let huge = format!("p:{0} q; t: {0}*p -> q; u: q -> {0}*p; v: 2*!q, p -> {0}*q", u64::MAX);
    let nets = ["", "p", "p:2", "; t: ->", "p:1; t: p, !p -> p", "p:1 q; t: p, 7*!q -> p, q; u: ->", &huge];
    for text in nets {
        let net = tiny::net(text);
        let mut formulas = vec![Formula::Deadlock, Formula::Constant(true), Formula::Constant(false)];
        formulas.push(Formula::Fireable(
            net.nodes().transition_ids().chain(net.nodes().transition_ids()).collect(),
        ));
        formulas.push(Formula::Fireable(Vec::new()));
        formulas.extend(net.nodes().place_ids().map(|place| at_least(place.index(), i64::MAX)));
        formulas.extend(net.nodes().place_ids().map(|place| at_least(place.index(), 2).negate()));
        for (formula, method) in formulas.iter().flat_map(|f| METHODS.map(|method| (f, method))) {
            for query in [query::reachable(formula.clone()), query::invariant(formula.clone())] {
                let model = Model::Plain(net.clone());
                let expected = &fireset_oracle::outcomes(
                    &model,
                    std::slice::from_ref(&query),
                    300,
                    &Budget::unlimited(),
                )[0];
                let given = decide(&net, query.clone(), method);
                let is_known = |outcome: &Outcome| !matches!(outcome.verdict, Verdict::Unknown(_));
                if is_known(expected) && is_known(&given) {
                    assert_eq!(given.verdict, expected.verdict, "{text} {method:?} {query:?}");
                }
            }
        }
    }
}

#[test]
fn it_agrees_with_exploring() {
    let cases =
        [("philosophers", vec![8]), ("token-ring", vec![4]), ("slotted-ring", vec![2]), ("kanban", vec![1])];
    for (family, parameters) in cases {
        let model = families::find(family).unwrap().generate(FamilyKind::Plain, &parameters).unwrap();
        let places = model.nodes().place_ids().take(4);
        let mut queries: Vec<Query> =
            places.map(|place| query::reachable(at_least(place.index(), 2))).collect();
        queries.push(query::reachable(Formula::Deadlock));
        let explored = outcomes(&Explicit::default(), &model, &queries, MEMORY);
        let given = outcomes(&SatEngine::default(), &model, &queries, MEMORY);
        for ((query, given), explored) in queries.iter().zip(given).zip(explored) {
            assert_eq!(given.verdict, explored.verdict, "{family} {query:?}");
        }
    }
}

#[test]
fn it_stops_in_time() {
    let model = families::find("swimming-pool").unwrap().generate(FamilyKind::Plain, &[9]).unwrap();
    let queries = vec![query::reachable(at_least(0, i64::MAX)), query::reachable(Formula::Deadlock)];
    let problem = Problem { model: model.into(), queries };
    let budget = Budget::unlimited();
    budget.stop(StopReason::Cancelled);
    let mut heard = Vec::new();
    SatEngine::default()
        .decide(&problem, &budget, &mut |_: usize, outcome: Outcome| heard.push(outcome.verdict));
    assert_eq!(heard, vec![Verdict::Unknown(StopReason::Cancelled); 2]);
}

#[test]
fn what_is_not_linear_is_not_accepted() {
    let model = Model::Plain(tiny::net("p:1; t: p -> p"));
    let tokens = || Expr::Tokens(vec![PlaceId::new(0)]);
    let square = Expr::Product(vec![tokens(), tokens()]);
    let query = query::reachable(Formula::Compare(Comparison::Less, square, tokens()));
    assert!(!SatEngine::default().accepts(&model, &query));
    assert!(SatEngine::default().accepts(&model, &query::invariant(Formula::Deadlock)));
}
