//! Runs to goals by solutions of the state equation, and goals that are never met: against all reachable markings of
//! random nets.

use std::time::Duration;

use fireset_net::{
    Arc, Budget, Comparison, Expr, FireError, Formula, Marking, Net, PlaceId, Semantics, StopReason,
    TransitionId,
    reachability::{GraphLimits, ReachabilityGraph},
    replay,
};
use fireset_oracle::{
    query,
    random::{self, NetShape, TestRng},
    tiny,
};
use fireset_reduce::{ParikhRealisation, Realisation};

/// Sets of solutions that are tried for a goal.
const REGIONS: usize = 40;

fn equation(net: &Net) -> ParikhRealisation<'_> {
    ParikhRealisation::of(net).expect("small weights").with_max_regions(REGIONS)
}

fn tokens(place: usize) -> Expr {
    Expr::Tokens(vec![PlaceId::new(place)])
}

fn compare(how: Comparison, a: Expr, b: Expr) -> Formula {
    Formula::Compare(how, a, b)
}

/// A net of one of several kinds: small and dense, or grown; every third with inhibitor arcs.
fn net(random: &mut TestRng, seed: u64) -> Net {
    if let Some(net) = random::structured(random, seed) {
        return net;
    }
    let inhibitors = if seed.is_multiple_of(3) { 30 } else { 0 };
    if seed.is_multiple_of(4) {
        return random::grown(random, inhibitors);
    }
    let weight = 1 + seed % 3;
    random::net(random, &NetShape { places: 6, transitions: 7, tokens: 2, weight, inhibitors })
}

/// A goal that few markings meet: often all counts of some marking that the equation allows.
fn goal(random: &mut TestRng, net: &Net) -> Formula {
    let places = net.nodes().places.len();
    let place = |random: &mut TestRng| tokens(random.below(places));
    match random.below(6) {
        0 => Formula::Deadlock,
        1 => random::predicate(random, net.nodes(), 2).into(),
        2 => {
            let square = Expr::Product(vec![place(random), place(random)]);
            compare(*random.pick(&Comparison::ALL), square, Expr::Constant(random.within(1, 4) as i64))
        }
        3 => {
            let change = |marking: &mut [i64], arc: &Arc, sign: i64| {
                let count = &mut marking[arc.place.index()];
                *count = count.saturating_add(sign.saturating_mul(arc.weight as i64));
            };
            let mut marking: Vec<i64> = net.initial_marking().0.iter().map(|&n| n as i64).collect();
            for _ in 0..random.within(1, 6) {
                let t = TransitionId::new(random.below(net.nodes().transitions.len()));
                net.pre(t).iter().for_each(|arc| change(&mut marking, arc, -1));
                net.post(t).iter().for_each(|arc| change(&mut marking, arc, 1));
            }
            let same =
                |(at, &n): (usize, &i64)| compare(Comparison::Equal, tokens(at), Expr::Constant(n.max(0)));
            Formula::And(marking.iter().enumerate().map(same).collect())
        }
        _ => {
            let atom = |random: &mut TestRng| {
                let how = *random.pick(&Comparison::ALL);
                compare(how, place(random), Expr::Constant(random.within(0, 3) as i64))
            };
            let mut all: Vec<Formula> = (0..random.within(1, 3)).map(|_| atom(random)).collect();
            all.push(Formula::Or(vec![atom(random), atom(random)]));
            Formula::And(all)
        }
    }
}

/// The marking after a run; none where a count leaves 64 bits.
fn after(net: &Net, run: &[TransitionId]) -> Option<Marking> {
    run.iter().try_fold(net.initial(), |marking, &t| match net.fire_transition(&marking, t) {
        Ok(next) => Some(next),
        Err(FireError::Overflow { .. }) => None,
        Err(why) => panic!("every step is enabled: {why:?}"),
    })
}

#[test]
fn both_answers_on_random_nets() {
    let [mut runs, mut long, mut never, mut open, mut unbounded] = [0; 5];
    for seed in 0..1_500 {
        let mut random = TestRng::new(seed);
        let net = net(&mut random, seed);
        let limits = GraphLimits { states: 400, edges: false };
        let graph = ReachabilityGraph::explore(&net, limits, &Budget::unlimited(), &mut ());
        // Numbers near 2^63 are refused.
        let Some(equation) = ParikhRealisation::of(&net).map(|equation| equation.with_max_regions(REGIONS))
        else {
            continue;
        };
        for _ in 0..2 {
            let goal = query::predicate(goal(&mut random, &net));
            let meets = |marking: &Marking| replay::holds_in(&net, marking, &goal);
            let reached = graph.states().iter().any(meets);
            match equation.realise(&goal, &Budget::unlimited()) {
                Realisation::Run(run) => {
                    let is_met =
                        after(&net, &run).map_or(graph.complete().is_err(), |marking| meets(&marking));
                    assert!(is_met, "seed {seed}: {goal:?} after {run:?} of {net:?}");
                    assert!(reached || graph.complete().is_err(), "seed {seed}: {goal:?} {net:?}");
                    runs += 1;
                    long += usize::from(run.len() > 3);
                    unbounded += usize::from(graph.complete() == Err(StopReason::Unbounded));
                }
                Realisation::Never => {
                    assert!(!reached, "seed {seed}: {goal:?} is met in {net:?}");
                    never += 1;
                }
                Realisation::Open(_) => open += 1,
            }
        }
    }
    let all = format!("{runs} runs, {long} of them long, {never} never, {open} open, {unbounded} unbounded");
    assert!(runs > 1_200 && long > 120 && never > 1_000 && open < 200 && unbounded > 120, "{all}");
}

/// What the equation finds of a net and a goal that some places have just these tokens.
fn found(net: &Net, goal: &[(usize, i64)]) -> Realisation {
    let same = |&(at, n): &(usize, i64)| compare(Comparison::Equal, tokens(at), Expr::Constant(n));
    let goal = query::predicate(Formula::And(goal.iter().map(same).collect()));
    equation(net).realise(&goal, &Budget::unlimited())
}

#[test]
fn tokens_are_borrowed() {
    // The smallest solution fires u alone, which needs a token on c; only t brings one there, and v takes it away.
    let net = tiny::net("a:1 b c; t: a -> c; u: c -> c, b; v: c -> a");
    let Realisation::Run(run) = found(&net, &[(0, 1), (1, 1)]) else { panic!("a run") };
    assert_eq!(run.len(), 3);
    // Three tokens at a time.
    let net = tiny::net("a:3 b c; t: a -> c; u: 3*c -> 3*c, b; v: c -> a");
    let Realisation::Run(run) = found(&net, &[(0, 3), (1, 1)]) else { panic!("a run") };
    assert!(run.len() >= 7);
}

#[test]
fn other_solutions_are_jumped_to() {
    // The goal costs one firing of u, which is never enabled, or two others.
    let net = tiny::net("a:1 b c d; u: a, d -> b, d; t: a -> c; v: c -> b; w: d -> d, a");
    let Realisation::Run(run) = found(&net, &[(1, 1)]) else { panic!("a run") };
    assert_eq!(run, [TransitionId::new(1), TransitionId::new(2)]);
}

#[test]
fn solutions_are_exhausted() {
    // Two of three tokens would be needed at once, but each way takes the other's.
    let net = tiny::net("a:1 b c d; t: a -> b; u: a -> c; v: b, c -> d, a");
    assert_eq!(found(&net, &[(3, 1)]), Realisation::Never);
    let net = tiny::net("p");
    assert_eq!(found(&net, &[(0, 1)]), Realisation::Never, "no transition");
    assert_eq!(found(&net, &[(0, 0)]), Realisation::Run(Vec::new()));
    let net = tiny::net("p; t: -> 2*p");
    assert_eq!(found(&net, &[(0, 3)]), Realisation::Never);
    assert_eq!(found(&net, &[(0, 4)]), Realisation::Run(vec![TransitionId::new(0); 2]));
}

#[test]
fn large_numbers_are_left_open_or_right() {
    let net = tiny::net("a:18446744073709551615 b; t: a -> b; u: b -> 2*a");
    for goal in [[(0, 0), (1, i64::MAX)], [(0, i64::MAX), (1, 7)]] {
        if let Realisation::Run(run) = found(&net, &goal) {
            let marking = after(&net, &run).expect("small numbers");
            assert!(goal.iter().all(|&(at, n)| marking.0[at] == n as u64));
        }
    }
    assert!(ParikhRealisation::of(&tiny::net("a; t: 18446744073709551615*a -> ")).is_none());
}

#[test]
fn without_time_vectors_stay_open() {
    let net = tiny::net("a:1 b; t: a -> b");
    let budget = Budget::unlimited().with_timeout(Duration::ZERO);
    let goal = query::predicate(compare(Comparison::Equal, tokens(1), Expr::Constant(1)));
    assert_eq!(equation(&net).realise(&goal, &budget), Realisation::Open(Vec::new()));
}
