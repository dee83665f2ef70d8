//! Each proof by structure alone against the reference checker, on nets of its class.

use fireset_net::{Budget, Global, Model, Net, NetBuilder, PlaceId, Query, Verdict};
use fireset_oracle::random::{self, NetShape, TestRng};
use fireset_structure::NetStructure;

use super::*;

const MAX_STATES: usize = 150;

/// Whether a net has a property, if it is small enough to tell.
fn has(net: &Net, global: Global) -> Option<bool> {
    let model = Model::Plain(net.clone());
    let outcomes =
        fireset_oracle::outcomes(&model, &[Query::Global(global)], MAX_STATES, &Budget::unlimited());
    match outcomes[0].verdict {
        Verdict::Holds => Some(true),
        Verdict::Fails => Some(false),
        _ => None,
    }
}

/// Places of which `marked` per cent have a token.
fn places(builder: &mut NetBuilder, random: &mut TestRng, count: usize, marked: usize) -> Vec<PlaceId> {
    let mut place =
        |at| builder.place(&format!("p{at}"), u64::from(random.percent(marked))).expect("a new name");
    (0..count).map(&mut place).collect()
}

/// Clusters of places that have the same transitions; most transitions give as much as they take, often to the next cluster.
fn free_choice(random: &mut TestRng) -> Net {
    let mut builder = NetBuilder::new("free choice");
    let clusters = random.within(2, 5) as usize;
    let sizes: Vec<usize> = (0..clusters).map(|_| if random.percent(70) { 1 } else { 2 }).collect();
    let all = places(&mut builder, random, sizes.iter().sum(), 50);
    let mut rest = &all[..];
    let mut own: Vec<&[PlaceId]> = Vec::new();
    for &size in &sizes {
        let (first, others) = rest.split_at(size);
        own.push(first);
        rest = others;
    }
    let mut number = 0;
    for cluster in 0..clusters {
        for _ in 0..random.within(1, 2) {
            let t = builder.transition(&format!("t{number}")).expect("a new name");
            number += 1;
            own[cluster].iter().for_each(|&place| builder.input(place, t, 1));
            let mut given: Vec<PlaceId> = match random.below(10) {
                0..=6 => own[(cluster + 1) % clusters].to_vec(),
                _ => own[cluster].iter().map(|_| *random.pick(&all)).collect(),
            };
            given.sort_unstable();
            given.dedup();
            given.into_iter().for_each(|place| builder.output(t, place, 1));
        }
    }
    builder.build().expect("small weights")
}

/// Places with one producer and one consumer, mostly on rings.
fn marked_graph(random: &mut TestRng) -> Net {
    let mut builder = NetBuilder::new("marked graph");
    let count = random.within(2, 5) as usize;
    let ts: Vec<_> =
        (0..count).map(|at| builder.transition(&format!("t{at}")).expect("a new name")).collect();
    let ring = places(&mut builder, random, count, 60);
    for (at, place) in ring.into_iter().enumerate() {
        builder.output(ts[at], place, 1);
        builder.input(place, ts[(at + 1) % count], 1);
    }
    for at in 0..random.below(3) {
        let (from, to) = (*random.pick(&ts), *random.pick(&ts));
        let place = builder.place(&format!("q{at}"), u64::from(random.percent(50))).expect("a new name");
        builder.output(from, place, 1);
        builder.input(place, to, 1);
    }
    builder.build().expect("small weights")
}

/// Reactions and, mostly, their reverses, some of which take two steps.
fn reactions(random: &mut TestRng) -> Net {
    let mut builder = NetBuilder::new("reactions");
    let count = random.within(2, 5) as usize;
    let mut all = places(&mut builder, random, count, 60);
    let complex = |random: &mut TestRng, all: &[PlaceId]| -> Vec<PlaceId> {
        (0..random.within(1, 2)).map(|_| *random.pick(all)).collect()
    };
    for at in 0..random.within(1, 3) {
        let mut ends = vec![complex(random, &all), complex(random, &all)];
        if random.percent(40) {
            let between = builder.place(&format!("q{at}"), 0).expect("a new name");
            all.push(between);
            ends.push(vec![between]);
        }
        let steps = if random.percent(80) { ends.len() } else { ends.len() - 1 };
        for step in 0..steps {
            let t = builder.transition(&format!("t{at}_{step}")).expect("a new name");
            ends[step].iter().for_each(|&place| builder.input(place, t, 1));
            ends[(step + 1) % ends.len()].iter().for_each(|&place| builder.output(t, place, 1));
        }
    }
    builder.build().expect("small weights")
}

/// How many nets were shown to be live, and not to be.
#[derive(Debug, Default)]
struct LivenessProofs {
    live: usize,
    not_live: usize,
}

impl LivenessProofs {
    fn check(&mut self, net: &Net, shown: Option<bool>) {
        let (Some(shown), Some(live)) = (shown, has(net, Global::Liveness)) else { return };
        assert_eq!(shown, live, "{net:?}");
        *(if live { &mut self.live } else { &mut self.not_live }) += 1;
    }
}

#[test]
fn siphons_and_traps_decide_free_choice_nets() {
    for generate in [free_choice, marked_graph] {
        let mut proofs = LivenessProofs::default();
        for seed in 0..3_000 {
            let net = generate(&mut TestRng::new(seed));
            let (scope, budget) = (GlobalScope::of(&net), Budget::unlimited());
            let context =
                DecompositionContext { net: &net, scope: &scope, budget: &budget, equation: OnceCell::new() };
            let equation = StateEquation::of(&net).expect("small numbers");
            let shown = free_choice::is_live(&context, &equation);
            assert!(shown.is_some(), "seed {seed}: it is free choice");
            proofs.check(&net, shown);
        }
        assert!(proofs.live > 150 && proofs.not_live > 500, "{proofs:?}");
    }
}

#[test]
fn nets_that_cannot_repeat_are_not_live() {
    let mut proofs = LivenessProofs::default();
    let shape = NetShape { inhibitors: 20, ..NetShape::default() };
    for seed in 0..3_000 {
        let mut random = TestRng::new(seed);
        let net = match seed % 4 {
            0 => random::net(&mut random, &shape),
            1 => random::grown(&mut random, 20),
            2 => free_choice(&mut random),
            _ => reactions(&mut random),
        };
        let equation = StateEquation::of(&net).expect("small numbers");
        let never = equation.cannot_repeat(&GlobalScope::of(&net).transitions);
        proofs.check(&net, never.then_some(false));
    }
    assert!(proofs.not_live > 700, "{proofs:?}");
}

#[test]
fn reversible_nets_are_live_where_all_can_fire() {
    let mut proofs = LivenessProofs::default();
    for seed in 0..3_000 {
        let net = reactions(&mut TestRng::new(seed));
        if NetStructure::of(&net).is_reversible(&Budget::unlimited()) {
            proofs.check(&net, has(&net, Global::QuasiLiveness));
        }
    }
    assert!(proofs.live > 150 && proofs.not_live > 150, "{proofs:?}");
}

#[test]
fn simulations_find_true_facts() {
    let (mut seen, mut lost, mut unsafe_runs) = (0, 0, 0);
    let shape = NetShape { inhibitors: 20, ..NetShape::default() };
    for seed in 0..800 {
        let mut random = TestRng::new(seed);
        let net =
            if seed % 2 == 0 { random::net(&mut random, &shape) } else { random::grown(&mut random, 20) };
        let scope = GlobalScope::of(&net);
        let simulate = |global| SimulationFacts::of(&net, &scope, global, &Budget::unlimited());
        if let Some(quasi_live) = has(&net, Global::QuasiLiveness) {
            let all = simulate(Global::QuasiLiveness).enabled.iter().all(|&enabled| enabled);
            assert!(quasi_live || !all, "seed {seed}: {net:?}");
            seen += usize::from(all);
        }
        if let Some(live) = has(&net, Global::Liveness) {
            let loses = simulate(Global::Liveness).is_not_live;
            assert!(!(loses && live), "seed {seed}: {net:?}");
            lost += usize::from(loses);
        }
        if let Some(run) = simulate(Global::OneSafe).unsafe_run {
            let evidence = fireset_net::Evidence::Trace(run);
            let (model, query) = (Model::Plain(net), Query::Global(Global::OneSafe));
            fireset_net::replay::confirm(&model, &query, &Verdict::Fails, &evidence).expect("it is a run");
            unsafe_runs += 1;
        }
    }
    assert!(seen > 80 && lost > 250 && unsafe_runs > 250, "{seen} {lost} {unsafe_runs}");
}
