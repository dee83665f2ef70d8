//! Refutations against all reachable markings of random nets, and each kind of reason on a net that needs it.

use fireset_net::{
    Budget, Comparison, Expr, Marking, Model, Net, PlaceId, StateAtom, StatePredicate,
    families::{self, FamilyKind},
    reachability::{GraphLimits, ReachabilityGraph},
};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};

use super::*;

fn equation(net: &Net) -> StateEquation<'_> {
    StateEquation::of(net).expect("small weights")
}

/// The refutation of a conjunction of comparisons of places with numbers.
fn refuted(net: &str, atoms: &[(usize, Comparison, i64)]) -> Option<ProofSize> {
    let net = tiny::net(net);
    let atom = |&(place, how, number): &(usize, Comparison, i64)| {
        StateAtom::Compare(how, Expr::Tokens(vec![PlaceId::new(place)]), Expr::Constant(number)).into()
    };
    let all = StatePredicate::And(atoms.iter().map(atom).collect());
    equation(&net).refutes(&MarkingCondition::of(&all, true, &net))
}

use Comparison::{Equal, GreaterEqual, LessEqual, NotEqual};

#[test]
fn conjunctions_are_refuted_together() {
    let ring = "a:3 b c; t: a -> b; u: b -> c; v: c -> a";
    assert!(refuted(ring, &[(0, GreaterEqual, 2), (1, GreaterEqual, 2)]).is_some());
    assert!(refuted(ring, &[(0, GreaterEqual, 2), (1, GreaterEqual, 1)]).is_none());
    assert!(refuted(ring, &[(0, GreaterEqual, 4)]).is_some());
    let unions = [(0, NotEqual, 0), (0, NotEqual, 1), (0, NotEqual, 2), (0, NotEqual, 3)];
    assert_eq!(refuted(ring, &unions).map(|proof| proof.leaves), Some(5), "an interval between any two");
}

#[test]
fn places_that_only_lose_tokens_are_bounded() {
    let net = "a:3 b c:1 d; t: a -> b; u: b -> ; v: a, c -> 2*d, c; w: 3*d -> a";
    assert!(refuted(net, &[(1, GreaterEqual, 4)]).is_some());
    assert!(refuted(net, &[(1, GreaterEqual, 3)]).is_none());
    assert!(refuted("a:1 b; t: a -> a, b", &[(1, GreaterEqual, 1000)]).is_none());
}

#[test]
fn steps_of_two_never_make_an_odd_number() {
    let net = "a b:1; t: b -> b, 2*a; u: 4*a ->";
    let proof = refuted(net, &[(0, Equal, 3)]).expect("odd");
    assert_eq!((proof.splits, proof.cuts), (0, 0), "by rounding");
    // 3x + 2y = 1 has a solution in fractions only.
    let net = "a b:1; t: b -> b, 3*a; u: b -> b, 2*a";
    let proof = refuted(net, &[(0, Equal, 1)]).expect("0, 2, 3 and so on");
    assert!(proof.splits > 0);
}

#[test]
fn a_marked_trap_stays_marked() {
    // The equation has a solution without a token on b and c: u with itself makes a's tokens vanish.
    let net = "a:1 b c; t: a -> b; u: b -> c; v: 2*c -> c; w: 2*b -> b; x: 2*a -> a; y: c -> a";
    let empty = [(0, Equal, 0), (1, Equal, 0), (2, Equal, 0)];
    assert!(refuted(net, &empty).expect("a trap").cuts > 0);
    assert!(refuted(net, &empty[..2]).is_none());
}

#[test]
fn tokens_come_from_somewhere() {
    // With a token from b, t gives it back: only the order is impossible.
    let net = "a b c; t: b -> b, c; u: a -> b; v: b -> a";
    assert!(refuted(net, &[(2, GreaterEqual, 1)]).expect("a siphon").cuts > 0);
    // Only x fills the circle of a and b, and then it is gone.
    let net = "a b c d:1; t: b -> b, c; u: a -> b; v: b -> a; x: d -> a";
    assert!(refuted(net, &[(2, GreaterEqual, 1), (3, GreaterEqual, 1)]).expect("a choice").cuts > 0);
    assert!(refuted(net, &[(2, GreaterEqual, 1), (3, LessEqual, 0)]).is_none());
}

#[test]
fn deadlocks_are_refuted() {
    let deadlock = |net: &str| {
        let net = tiny::net(net);
        equation(&net).refutes(&MarkingCondition::of(&StateAtom::Deadlock.into(), true, &net)).is_some()
    };
    assert!(deadlock("a:1 b; t: a -> b; u: b -> a"));
    assert!(!deadlock("a:1 b; t: a -> b"));
    assert!(deadlock("a:1 b c:1 d; t: a, c -> b, c; u: b -> a; v: c -> d; w: d -> c"));
    assert!(deadlock("a:1 b; t: a, !b -> b; u: b, !a -> a"));
    assert!(!deadlock("a:1 b:1; t: a, !b -> b; u: b, !a -> a"));
}

#[test]
fn siphons_and_traps_see_every_deadlock() {
    let (mut alive, mut dead) = (0, 0);
    for seed in 0..4_000 {
        let mut random = TestRng::new(seed);
        let inhibitors = if seed.is_multiple_of(3) { 25 } else { 0 };
        let weight = if seed.is_multiple_of(4) { 2 } else { 1 };
        let shape = NetShape { places: 6, transitions: 5, tokens: 1, weight, inhibitors };
        let net = random::net(&mut random, &shape);
        let limits = GraphLimits { states: 300, edges: false };
        let graph = ReachabilityGraph::explore(&net, limits, &Budget::unlimited(), &mut ());
        let has_deadlock = graph
            .states()
            .iter()
            .any(|marking| net.nodes().transition_ids().all(|t| net.enabled(marking, t).is_err()));
        let is_deadlock_free = equation(&net).traps_against_deadlock().is_some();
        assert!(!(has_deadlock && is_deadlock_free), "seed {seed}: {net:?}");
        alive += usize::from(is_deadlock_free);
        dead += usize::from(has_deadlock);
    }
    assert!(alive > 200 && dead > 500, "{alive} alive, {dead} dead");
    // Each process waits for the other to take its turn; the equation alone does not see that one always can go on.
    let peterson = families::find("peterson").expect("a family").generate(FamilyKind::Plain, &[2]);
    let Ok(Model::Plain(net)) = peterson else { panic!("a net") };
    assert!(equation(&net).traps_against_deadlock().is_some());
}

#[test]
fn without_time_nothing_is_refuted() {
    let net = tiny::net("a:1 b; t: a -> b");
    let equation = equation(&net);
    equation.grant(Duration::ZERO);
    let two = StateAtom::Compare(GreaterEqual, Expr::Tokens(vec![PlaceId::new(0)]), Expr::Constant(2)).into();
    assert_eq!(equation.refutes(&MarkingCondition::of(&two, true, &net)), None);
}

#[test]
fn refuted_conditions_are_met_nowhere() {
    let markings = |net: &Net| -> Vec<Marking> {
        let limits = GraphLimits { states: 300, edges: false };
        ReachabilityGraph::explore(net, limits, &Budget::unlimited(), &mut ()).states().to_vec()
    };
    let [mut refuted, mut by_cuts, mut by_splits] = [0; 3];
    for seed in 0..1_500 {
        let mut random = TestRng::new(seed);
        let inhibitors = if seed % 3 == 0 { 25 } else { 0 };
        let shape = NetShape { places: 5, transitions: 5, tokens: 2, inhibitors, ..NetShape::default() };
        let net = random::net(&mut random, &shape);
        let equation = equation(&net);
        let markings = markings(&net);
        for _ in 0..6 {
            let formula = random::predicate(&mut random, net.nodes(), 2);
            for value in [false, true] {
                let condition = MarkingCondition::of(&formula, value, &net);
                let Some(proof) = equation.refutes(&condition) else { continue };
                refuted += 1;
                by_cuts += usize::from(proof.cuts > 0);
                by_splits += usize::from(proof.splits > 0);
                assert!(
                    !markings.iter().any(|marking| condition.holds(&net, marking)),
                    "seed {seed}: {formula:?} is not always {value} on {net:?}"
                );
            }
        }
    }
    assert!(refuted > 2_000 && by_cuts > 20 && by_splits > 10, "{refuted} {by_cuts} {by_splits}");
}

#[test]
fn cuts_hold_in_every_run() {
    let mut made = 0;
    for seed in 0..400 {
        let mut random = TestRng::new(seed);
        let shape = NetShape { places: 5, transitions: 6, tokens: 2, inhibitors: 15, ..NetShape::default() };
        let net = random::net(&mut random, &shape);
        let equation = equation(&net);
        for _ in 0..10 {
            let all = net.nodes().places.len() as u32;
            let places = (0..all).filter(|_| random.percent(40)).collect();
            let cuts: Vec<Vec<FiringConstraint>> = [equation.emptying(&places), equation.filling(&places)]
                .into_iter()
                .flatten()
                .map(|cut| cut.alternatives)
                .collect();
            made += cuts.len();
            let mut marking = net.initial_marking().clone();
            let mut counts = vec![0i128; equation.columns().len()];
            for _ in 0..12 {
                let satisfied = |row: &FiringConstraint| {
                    row.terms.iter().map(|&(c, factor)| factor * counts[c as usize]).sum::<i128>()
                        >= row.least
                };
                assert!(cuts.iter().all(|cut| cut.iter().any(satisfied)), "seed {seed} {places:?} {net:?}");
                let first = |column: usize| equation.columns().first(column as u32);
                let columns = 0..equation.columns().len();
                let enabled: Vec<usize> =
                    columns.filter(|&c| net.enabled(&marking, first(c)).is_ok()).collect();
                if enabled.is_empty() {
                    break;
                }
                let column = *random.pick(&enabled);
                counts[column] += 1;
                marking = net.fire_transition(&marking, first(column)).expect("enabled");
            }
        }
    }
    assert!(made > 3_000, "{made}");
}
