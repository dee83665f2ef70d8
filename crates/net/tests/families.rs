//! The generated nets against the counts that the literature, the contest and closed formulas give.

use std::hash::BuildHasher;

use fireset_net::{
    Model, Semantics, Tokens,
    colored::ColoredNet,
    families::{self, Family, FamilyError, Kind, MAX_SIZE},
};
use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};

/// What a search through all states finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Space {
    states: usize,
    firings: u64,
    per_marking: u128,
    per_place: u64,
    deadlocks: u64,
}

/// Searches all states, breadth first. States are stored once, the table holds their positions.
fn explore<N: Semantics>(net: &N) -> Space {
    let hasher = DefaultHashBuilder::default();
    let mut states = vec![net.initial()];
    let mut table = HashTable::new();
    table.insert_unique(hasher.hash_one(&states[0]), 0u32, |_| unreachable!("the first entry fits"));
    let mut space = Space::default();
    while let Some(state) = states.get(space.states) {
        let places = net.as_ref().place_ids().map(|p| net.tokens(state, p));
        let (sum, most) =
            places.fold((0, 0), |(sum, most), Tokens { total, largest }| (sum + total, largest.max(most)));
        space.per_marking = space.per_marking.max(sum);
        space.per_place = space.per_place.max(most);
        let steps = net.steps(state);
        space.deadlocks += u64::from(steps.is_empty());
        space.firings += steps.len() as u64;
        let successors: Vec<_> =
            steps.iter().map(|step| net.fire(state, step).expect("an enabled step")).collect();
        for next in successors {
            let entry = table.entry(
                hasher.hash_one(&next),
                |&at: &u32| states[at as usize] == next,
                |&at| hasher.hash_one(&states[at as usize]),
            );
            if let Entry::Vacant(free) = entry {
                free.insert(u32::try_from(states.len()).expect("a small state space"));
                states.push(next);
            }
        }
        space.states += 1;
    }
    space
}

fn generate(name: &str, kind: Kind, parameters: &[u64]) -> Model {
    families::find(name).expect("a family").generate(kind, parameters).expect("parameters within range")
}

fn space(name: &str, kind: Kind, parameters: &[u64]) -> Space {
    match generate(name, kind, parameters) {
        Model::Plain(net) => explore(&net),
        Model::Colored(net) => explore(&net),
    }
}
#[test]
fn probe() {
    for (name, ps) in [
        ("philosophers", vec![5]),
        ("token-ring", vec![6]),
        ("shared-memory", vec![5]),
        ("database", vec![2, 2]),
        ("peterson", vec![2]),
        ("peterson", vec![3]),
        ("fms", vec![1]),
        ("fms", vec![2]),
        ("fms", vec![3]),
        ("kanban", vec![1]),
        ("kanban", vec![2]),
        ("kanban", vec![3]),
        ("swimming-pool", vec![1]),
        ("fork-join", vec![3]),
        ("pipeline", vec![3, 2]),
        ("readers-writers", vec![3]),
        ("round-robin", vec![4]),
        ("slotted-ring", vec![2]),
    ] {
        for kind in Kind::ALL {
            if families::find(name).unwrap().offers(kind) {
                let t = std::time::Instant::now();
                eprintln!("{name} {kind} {ps:?} {:?} {:?}", space(name, kind, &ps), t.elapsed());
            }
        }
    }
}
