//! Atoms that are said to be always true or always false, and proven bounds, against all reachable markings.

use fireset_net::{
    Budget, Comparison, Expr, Formula, Marking, Net, NetBuilder, Nupn, PlaceId, TransitionId, Unit, UnitId,
    reachability::{GraphLimits, ReachabilityGraph},
    replay,
};
use fireset_oracle::{
    query,
    random::{self, NetShape, TestRng},
};
use fireset_reduce::formula::atoms::decide_atoms;
use fireset_structure::{MarkingBounds, Semiflow};

/// Reachable markings; all of them, or a part of them where there are many.
fn markings(net: &Net) -> Vec<Marking> {
    let limits = GraphLimits { states: 400, edges: false };
    ReachabilityGraph::explore(net, limits, &Budget::unlimited(), &mut ()).states().to_vec()
}

/// A net where most transitions move tokens around within one of two weighted groups of places.
fn grouped(random: &mut TestRng) -> Net {
    let mut builder = NetBuilder::new("grouped");
    let weights: Vec<u64> = (0..6).map(|_| random.within(1, 3)).collect();
    let places: Vec<PlaceId> =
        (0..6).map(|at| builder.place(&format!("p{at}"), random.within(0, 2)).expect("a new name")).collect();
    for at in 0..random.within(2, 6) {
        let transition = builder.transition(&format!("t{at}")).expect("a new name");
        let group = 3 * random.below(2);
        let (from, to) = (group + random.below(3), group + random.below(3));
        // `weights[from] * weights[to]` of the group's sum go from one place to the other.
        builder.input(places[from], transition, weights[to]);
        builder.output(transition, places[to], weights[from]);
        if random.percent(20) {
            builder.inhibitor(*random.pick(&places), transition, random.within(0, 3));
        }
    }
    // A claim that is wrong: it must not be believed.
    let unit = Unit { name: "all".into(), places, subunits: Vec::new() };
    builder.nupn = Some(Nupn { units: vec![unit], root: UnitId::new(0), unit_safe: true });
    builder.build().expect("small weights")
}

fn atom(random: &mut TestRng, net: &Net) -> Formula {
    let places: Vec<PlaceId> = net.nodes().place_ids().collect();
    if random.percent(15) {
        return Formula::Deadlock;
    }
    if random.percent(25) {
        let all: Vec<TransitionId> = net.nodes().transition_ids().collect();
        return Formula::Fireable((0..random.below(3)).map(|_| *random.pick(&all)).collect());
    }
    let side = |random: &mut TestRng| {
        let terms = (0..random.within(1, 4)).map(|_| {
            let some = (0..random.within(1, 3)).map(|_| *random.pick(&places)).collect();
            Expr::Product(vec![Expr::Constant(random.within(0, 5) as i64 - 2), Expr::Tokens(some)])
        });
        Expr::Sum(terms.collect())
    };
    let left = side(random);
    let right =
        if random.percent(30) { side(random) } else { Expr::Constant(random.within(0, 40) as i64 - 20) };
    Formula::Compare(*random.pick(&Comparison::ALL), left, right)
}

#[test]
fn decided_atoms_agree_with_every_marking() {
    let mut decided = [0; 2];
    for seed in 0..1_500 {
        let mut random = TestRng::new(seed);
        let shape = NetShape { places: 5, transitions: 5, inhibitors: 20, ..NetShape::default() };
        let net = random::structured(&mut random, seed);
        let net = net.or_else(|| (seed % 2 == 0).then(|| grouped(&mut random)));
        let net = net.unwrap_or_else(|| random::net(&mut random, &shape));
        let proven = MarkingBounds::of(&net);
        let markings = markings(&net);
        for marking in &markings {
            let within = |(tokens, bound): (&u64, &Option<u64>)| bound.is_none_or(|most| *tokens <= most);
            assert!(marking.0.iter().zip(proven.semiflows().bounds()).all(within), "seed {seed}");
            for Semiflow { weights: flow, total } in proven.semiflows().semiflows() {
                let sum: i128 =
                    flow.iter().map(|&(p, v)| i128::from(v) * i128::from(marking.0[p as usize])).sum();
                assert_eq!(sum, *total, "seed {seed}");
            }
        }
        for _ in 0..25 {
            let atom = atom(&mut random, &net);
            let said = decide_atoms(atom.clone(), &proven);
            if let Formula::Constant(value) = said {
                decided[usize::from(value)] += 1;
            }
            for marking in &markings {
                assert_eq!(
                    replay::holds_in(&net, marking, &query::predicate(said.clone())),
                    replay::holds_in(&net, marking, &query::predicate(atom.clone())),
                    "seed {seed}: {atom:?} became {said:?} in {marking:?} of {net:?}"
                );
            }
        }
    }
    assert!(decided.iter().all(|&count| count > 1_500), "{decided:?}");
}
