//! Sizes counted on reduced nets against the oracle, on random nets with moves, neutral transitions, inhibitor arcs and places that are
//! sums of others, some of which disable transitions.

use std::sync::Arc;

use fireset_net::{Global, Model, Outcome, Problem, Query, StateSpaceSize, Verdict};
use fireset_oracle::{outcomes, random::TestRng, tiny};

use super::*;
use crate::{Engine, SymbolicEngine};

const SIZE: Query = Query::Global(Global::StateSpace);

fn counted(net: &Net) -> Verdict {
    let problem = Problem { model: Arc::new(Model::Plain(net.clone())), queries: vec![SIZE] };
    let mut given = None;
    let budget = Budget::unlimited().with_memory(1 << 22);
    SymbolicEngine::default()
        .decide(&problem, &budget, &mut |_: usize, outcome: Outcome| given = Some(outcome));
    given.expect("every query is answered").verdict
}

/// Arcs of a transition by place, taken and given.
type Arcs = (Vec<u64>, Vec<u64>);

/// A transition over some places: most keep the number of tokens.
fn arcs(random: &mut TestRng, places: usize) -> Arcs {
    let (mut takes, mut gives) = (vec![0; places], vec![0; places]);
    let tokens = if random.percent(60) { 1 } else { random.within(1, 3) };
    (0..tokens).for_each(|_| takes[random.below(places)] += 1);
    if random.percent(8) {
        return (takes.clone(), takes);
    }
    let given = if random.percent(85) { tokens } else { random.within(0, 3) };
    (0..given).for_each(|_| gives[random.below(places)] += 1);
    (takes, gives)
}

/// Adds a place whose tokens are a sum of those of others and a constant. It may disable transitions.
fn add_sum(random: &mut TestRng, tokens: &mut Vec<u64>, all: &mut [Arcs]) {
    let weights: Vec<u64> =
        tokens.iter().map(|_| if random.percent(40) { random.within(1, 2) } else { 0 }).collect();
    let sum = |counts: &[u64]| counts.iter().zip(&weights).map(|(n, w)| n * w).sum::<u64>();
    tokens.push(sum(tokens) + random.within(0, 2));
    for (takes, gives) in all {
        let (taken, given) = (sum(takes), sum(gives));
        // The same effect with more or fewer arcs.
        let (least, more) = (taken.min(given), if random.percent(10) { random.within(1, 2) } else { 0 });
        let off = if random.percent(50) { least } else { 0 };
        takes.push(taken - off + more);
        gives.push(given - off + more);
    }
}

fn drawn(random: &mut TestRng) -> Net {
    let places = random.within(2, 5) as usize;
    let mut tokens: Vec<u64> = (0..places).map(|_| random.within(0, 5).saturating_sub(3)).collect();
    tokens[0] += 1;
    let mut all: Vec<Arcs> = (0..random.within(1, 6)).map(|_| arcs(random, places)).collect();
    (0..random.below(3)).for_each(|_| add_sum(random, &mut tokens, &mut all));
    let mut builder = NetBuilder::new("drawn");
    let ids: Vec<PlaceId> = tokens
        .iter()
        .enumerate()
        .map(|(at, &tokens)| builder.place(&format!("p{at}"), tokens).expect("a new place"))
        .collect();
    let inhibited = random.percent(25);
    for (at, (takes, gives)) in all.iter().enumerate() {
        let t = builder.transition(&format!("t{at}")).expect("a new transition");
        for (place, &id) in ids.iter().enumerate() {
            builder.input(id, t, takes[place]);
            builder.output(t, id, gives[place]);
        }
        if inhibited && random.percent(30) {
            builder.inhibitor(*random.pick(&ids), t, random.within(1, 3));
        }
    }
    builder.build().expect("a small net")
}

#[test]
fn sizes_of_random_nets() {
    let (mut compared, mut agglomerated, mut redundant, mut both, mut sums) = (0, 0, 0, 0, 0);
    for seed in 0..8_000 {
        let net = drawn(&mut TestRng::new(seed));
        let Some(reduced) = CountedNet::of(&net, &Budget::unlimited()) else { continue };
        let model = Model::Plain(net.clone());
        let expected = outcomes(&model, &[SIZE], 600, &Budget::unlimited()).remove(0).verdict;
        // A diagram of infinitely many markings never ends.
        let is_infinite = expected == Verdict::StateSpace(StateSpaceSize::INFINITE);
        if is_infinite || matches!(expected, Verdict::Unknown(_)) {
            continue;
        }
        let given = counted(&net);
        assert_eq!(given, expected, "seed {seed}: {}\n{}", tiny::text(&net), tiny::text(&reduced.net));
        let (joins, removes) = (reduced.spread.iter().any(|&k| k > 1), !reduced.redundant.is_empty());
        compared += 1;
        agglomerated += usize::from(joins);
        redundant += usize::from(removes);
        both += usize::from(joins && removes);
        sums += usize::from(reduced.redundant.iter().any(|form| form.terms.len() > 1));
    }
    let counts = [compared, agglomerated, redundant, both, sums];
    let enough = [3_000, 1_500, 2_000, 1_000, 400];
    assert!(counts.iter().zip(enough).all(|(count, least)| *count > least), "{counts:?}");
}
