//! Induction on clauses against the reference checker: random nets with weights, inhibitor arcs, places without bounds and
//! units that claim too much; each method alone; runs replay, and invariants are what they say.

mod common;

use common::outcomes;
use fireset_engine::{Engine, Explicit, Induction, Method};
use fireset_net::{
    Budget, Certificate, Comparison, Evidence, Expr, Formula, Marking, Model, Net, Outcome, PlaceId, Problem,
    Query, StopReason, Verdict,
    families::{self, Kind},
    reachability::{GraphLimits, ReachabilityGraph},
    replay,
};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};

/// States of a net that the reference checker may hold.
const MAX_STATES: usize = 400;
/// Bytes that an engine may hold.
const MEMORY: u64 = 1 << 28;

/// Nets that are drawn.
const SEEDS: u64 = 2_500;

const METHODS: [Method; 4] = [Method::All, Method::Bounded, Method::KInduction, Method::Frames];

/// What has been compared with one method.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    reachable: usize,
    unreachable: usize,
    /// Invariants that were looked at.
    invariants: usize,
    /// Certificates that the replay could not follow.
    hard: usize,
    open: usize,
    /// Answers about nets with infinitely many markings, or too many.
    infinite: usize,
}

/// Nets of all kinds: most with few tokens, some with weights, inhibitor arcs, or units that are not safe.
fn net(random: &mut TestRng) -> Net {
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
fn predicate(random: &mut TestRng, net: &Net) -> Formula {
    if random.percent(50) {
        return random::predicate(random, net.nodes(), 2);
    }
    let all: Vec<PlaceId> = net.nodes().place_ids().collect();
    let tokens = |random: &mut TestRng| Expr::Tokens(vec![*random.pick(&all)]);
    let parts = (0..random.within(1, 3)).map(|_| {
        let (how, tokens) = (*random.pick(&Comparison::ALL), tokens(random));
        Formula::Compare(how, tokens, Expr::Constant(random.within(0, 3) as i64))
    });
    Formula::And(parts.collect())
}

/// The formula of a certificate.
fn invariant(outcome: &Outcome) -> Option<&Formula> {
    match &outcome.evidence {
        Some(Evidence::Certificate(Certificate::Inductive(formula))) => Some(formula),
        _ => None,
    }
}

/// An invariant holds in these reachable markings; wherever it holds it holds after each step, and no goal is there.
fn check_invariant(net: &Net, formula: &Formula, query: &Query, reached: &[Marking], random: &mut TestRng) {
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
        let (goal, value) = match query {
            Query::Reachable(p) => (p, true),
            Query::Invariant(p) => (p, false),
            _ => panic!("only reachability is asked"),
        };
        assert!(replay::holds_in(net, &marking, goal) != value, "{formula:?} allows {marking:?} of {net:?}");
        for t in net.nodes().transition_ids() {
            if let Ok(next) = net.fire_transition(&marking, t) {
                assert!(holds(&next), "{formula:?} is left by {marking:?} and {t:?} of {net:?}");
            }
        }
    }
}

#[test]
fn every_method_is_right() {
    let mut tallies = [Tally::default(); 4];
    for seed in 0..SEEDS {
        let mut random = TestRng::new(seed);
        let net = net(&mut random);
        let mut queries = vec![Query::Reachable(Formula::Deadlock)];
        for _ in 0..2 {
            queries.push(Query::Reachable(predicate(&mut random, &net)));
            queries.push(Query::Invariant(predicate(&mut random, &net).negate()));
        }
        let graph = ReachabilityGraph::explore(
            &net,
            GraphLimits { states: MAX_STATES, edges: false },
            &Budget::unlimited(),
            &mut (),
        );
        let reached: Vec<Marking> = graph.states().to_vec();
        let is_complete = graph.complete().is_ok();
        let model = Model::Plain(net.clone());
        queries.retain(|query| Induction::default().accepts(&model, query));
        let expected = fireset_oracle::outcomes(&model, &queries, MAX_STATES, &Budget::unlimited());
        let which = [0, 1 + seed as usize % 3];
        for at in which {
            let engine = Induction { method: METHODS[at] };
            let tally = &mut tallies[at];
            for ((query, given), expected) in
                queries.iter().zip(outcomes(&engine, &model, &queries, MEMORY)).zip(&expected)
            {
                if matches!(given.verdict, Verdict::Unknown(_)) {
                    tally.open += 1;
                    continue;
                }
                if let Some(formula) = invariant(&given) {
                    tally.invariants += 1;
                    check_invariant(&net, formula, query, &reached, &mut random);
                }
                if let Some(evidence) = &given.evidence {
                    match replay::confirm(&model, query, &given.verdict, evidence) {
                        Ok(()) => {}
                        Err(replay::Refusal::TooHard(_)) => tally.hard += 1,
                        Err(why) => panic!("seed {seed} {query:?}: {}", why.describe(&model)),
                    }
                }
                tally.infinite += usize::from(!is_complete);
                if matches!(expected.verdict, Verdict::Unknown(_)) {
                    continue;
                }
                assert_eq!(given.verdict, expected.verdict, "seed {seed} {engine:?} {query:?} {net:?}");
                let is_reachable = (given.verdict == Verdict::Holds) == matches!(query, Query::Reachable(_));
                tally.reachable += usize::from(is_reachable);
                tally.unreachable += usize::from(!is_reachable);
            }
        }
    }
    let [all, bounded, k_induction, frames] = tallies;
    assert!(all.reachable > 2_500 && all.unreachable > 2_500 && all.infinite > 125, "{tallies:?}");
    assert!(frames.hard * 20 < frames.invariants, "{tallies:?}");
    assert!(all.open * 20 < all.reachable + all.unreachable, "{tallies:?}");
    assert!(bounded.reachable > 300 && bounded.unreachable == 0, "{tallies:?}");
    assert!(k_induction.reachable > 300 && k_induction.unreachable > 300, "{tallies:?}");
    assert!(frames.reachable > 300 && frames.unreachable > 300 && frames.invariants > 300, "{tallies:?}");
}

/// The outcome of one query.
fn decide(net: &Net, query: Query, method: Method) -> Outcome {
    outcomes(&Induction { method }, &Model::Plain(net.clone()), &[query], MEMORY).remove(0)
}

fn at_least(place: usize, tokens: i64) -> Formula {
    let place = Expr::Tokens(vec![PlaceId::new(place)]);
    Formula::Compare(Comparison::GreaterEqual, place, Expr::Constant(tokens))
}

#[test]
fn places_without_a_bound() {
    // The second place grows for ever, the third never gets a token while the first is empty.
    let net = tiny::net("p q r; t: -> q; u: p, q -> r; v: r -> p");
    for method in [Method::All, Method::KInduction, Method::Frames] {
        let verdict = |formula: Formula| decide(&net, Query::Reachable(formula), method).verdict;
        assert_eq!(verdict(at_least(2, 1)), Verdict::Fails, "{method:?}");
        assert_eq!(verdict(at_least(1, 5)), Verdict::Holds, "{method:?}");
        assert_eq!(verdict(Formula::Deadlock), Verdict::Fails, "{method:?}");
    }
    // With one token fewer each time, only counting says no.
    let net = tiny::net("p:3 q; t: 2*p -> p, q");
    let verdict = |tokens: i64| decide(&net, Query::Reachable(at_least(1, tokens)), Method::Frames).verdict;
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
            for query in [Query::Reachable(formula.clone()), Query::Invariant(formula.clone())] {
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
        let model = families::find(family).unwrap().generate(Kind::Plain, &parameters).unwrap();
        let places = model.nodes().place_ids().take(4);
        let mut queries: Vec<Query> =
            places.map(|place| Query::Reachable(at_least(place.index(), 2))).collect();
        queries.push(Query::Reachable(Formula::Deadlock));
        let explored = outcomes(&Explicit::default(), &model, &queries, MEMORY);
        let given = outcomes(&Induction::default(), &model, &queries, MEMORY);
        for ((query, given), explored) in queries.iter().zip(given).zip(explored) {
            assert_eq!(given.verdict, explored.verdict, "{family} {query:?}");
        }
    }
}

#[test]
fn it_stops_in_time() {
    let model = families::find("swimming-pool").unwrap().generate(Kind::Plain, &[9]).unwrap();
    let queries = vec![Query::Reachable(at_least(0, i64::MAX)), Query::Reachable(Formula::Deadlock)];
    let problem = Problem { model: model.into(), queries };
    let budget = Budget::unlimited();
    budget.stop(StopReason::Cancelled);
    let mut heard = Vec::new();
    Induction::default()
        .decide(&problem, &budget, &mut |_: usize, outcome: Outcome| heard.push(outcome.verdict));
    assert_eq!(heard, vec![Verdict::Unknown(StopReason::Cancelled); 2]);
}

#[test]
fn what_is_not_linear_is_not_accepted() {
    let model = Model::Plain(tiny::net("p:1; t: p -> p"));
    let tokens = || Expr::Tokens(vec![PlaceId::new(0)]);
    let square = Expr::Product(vec![tokens(), tokens()]);
    let query = Query::Reachable(Formula::Compare(Comparison::Less, square, tokens()));
    assert!(!Induction::default().accepts(&model, &query));
    assert!(Induction::default().accepts(&model, &Query::Invariant(Formula::Deadlock)));
}
