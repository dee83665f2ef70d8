//! Pruned automata against the reference checker: random nets with deadlocks, weights, inhibitor arcs and infinitely many markings,
//! nets that terminate or nearly do, and random formulas with all operators.

mod common;

use std::ops::Range;

use common::{any_net, ask, ltl_queries};
use fireset_engine::LtlPruning;
use fireset_net::{
    Budget, Formula, Model, Net, NetBuilder, Outcome, Problem, Quantifier, Query, TransitionId, Verdict,
};
use fireset_oracle::{OracleTest, against_oracle, query, random::TestRng, tiny};

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 300;

/// The net with a place from which all transitions take a token, or all but one, so that they fire finitely often.
fn with_fuel(random: &mut TestRng, net: &Net) -> Net {
    let mut builder = NetBuilder::new("random");
    let places: Vec<_> = net
        .nodes()
        .place_ids()
        .map(|p| builder.place(&format!("p{}", p.index()), net.initial_marking().0[p.index()]).unwrap())
        .collect();
    let fuel = builder.place("fuel", random.within(1, 6)).unwrap();
    let spared = random.below(2 * net.nodes().transitions.len());
    for t in net.nodes().transition_ids() {
        let copy = builder.transition(&format!("t{}", t.index())).unwrap();
        net.pre(t).iter().for_each(|arc| builder.input(places[arc.place.index()], copy, arc.weight));
        net.post(t).iter().for_each(|arc| builder.output(copy, places[arc.place.index()], arc.weight));
        let inhibitors = net.inhibitors(t).iter();
        inhibitors.for_each(|arc| builder.inhibitor(places[arc.place.index()], copy, arc.weight));
        if t.index() != spared {
            builder.input(fuel, copy, 1);
        }
    }
    builder.build().unwrap()
}

fn some_net(random: &mut TestRng, seed: u64) -> Model {
    match any_net(random, seed) {
        Model::Plain(net) if random.percent(50) => Model::Plain(with_fuel(random, &net)),
        model => model,
    }
}

/// Seeds are halved, so that both halves are tested at the same time.
#[test]
fn random_nets_and_formulas() {
    compare(0..1_500);
}

#[test]
fn more_random_nets_and_formulas() {
    compare(1_500..3_000);
}

/// What no run shows is decided rightly, often enough, and nothing else.
fn compare(seeds: Range<u64>) {
    let (mut possible, mut decided) = (0, 0);
    let test = OracleTest {
        seeds,
        model: &some_net,
        queries: &|random, model| ltl_queries(random, model, 4),
        max_states: MAX_STATES,
        configurations: &|_| vec![LtlPruning],
        may_stop: &|_, _| false,
        budget: &|_| Budget::unlimited(),
    };
    let counts = against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        |case, _, given| {
            for (at, (given, expected)) in given.iter().zip(&case.expected).enumerate() {
                let by_no_run =
                    Verdict::from(matches!(case.problem.queries[at], Query::Ltl(Quantifier::ForAll, _)));
                possible += usize::from(expected.verdict == by_no_run);
                let Some(given) = given else { continue };
                assert_eq!(given.verdict, by_no_run, "{}", case.describe(at));
                decided += usize::from(expected.verdict == by_no_run);
            }
        },
    );
    assert!(possible > 2_000, "{possible} {counts:?}");
    assert!(decided * 100 > possible * 85, "{decided} of {possible} were decided");
}

/// Whether a formula about transitions, by their numbers, is shown to hold.
fn holds(net: &str, formula: impl Fn(&dyn Fn(usize) -> Formula) -> Formula) -> bool {
    let model = Model::Plain(tiny::net(net));
    let fireable = |at: usize| Formula::Fireable(vec![TransitionId::new(at)]);
    let queries = vec![query::ltl(Quantifier::ForAll, formula(&fireable))];
    let mut holds = false;
    let problem = Problem { model: model.into(), queries };
    ask(&LtlPruning, &problem, &Budget::unlimited(), &mut |_, outcome: Outcome| {
        holds = outcome.verdict == Verdict::Holds;
    });
    holds
}

#[test]
fn reasons_of_structure() {
    let finally = |f: Formula| Formula::Finally(Box::new(f));
    let globally = |f: Formula| Formula::Globally(Box::new(f));
    let next = |f: Formula| Formula::Next(Box::new(f));
    let chain = "p:2 q r; t: p -> q; u: q -> r";
    assert!(holds(chain, |fireable| finally(globally(fireable(0).negate()))), "no run is infinite");
    assert!(holds(chain, |fireable| finally(fireable(1))), "without u, t leads to no deadlock");
    assert!(holds(chain, |fireable| next(finally(fireable(1)))), "u is not the first step");
    assert!(!holds(chain, |fireable| globally(fireable(0))));
    let ring = "p:1 q; t: p -> q; u: q -> p";
    assert!(holds(ring, |fireable| globally(finally(fireable(0)))), "without t, u does not repeat");
    assert!(!holds(ring, |fireable| finally(globally(fireable(0)))));
    let branches = "p:1 q r; t: p -> p; u: p -> q; v: q -> r";
    assert!(!holds(branches, |fireable| finally(fireable(2))), "t repeats");
}
