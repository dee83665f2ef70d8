//! The dining philosophers (Dijkstra, "Hierarchical ordering of sequential processes", 1971; Hoare, 1978).
//!
//! A philosopher takes the two forks in either order and gives both back at once. All deadlock when each
//! holds one fork of the same side.

use super::{
    Family, FamilyKind, Parameter,
    draft::{ColouredDraft, FamilyDraft, sum},
};
use crate::{
    Net,
    coloured::{BagTerm, ColouredNet},
};

pub(super) const FAMILY: Family = Family {
    name: "philosophers",
    about: "dining philosophers who take their forks in either order; can deadlock",
    parameters: &[Parameter::shape("philosophers", "philosophers, and as many forks", 2)],
    plain: Some(plain),
    coloured: Some(coloured),
    size: |kind, n| match kind {
        FamilyKind::Plain => 26 * n[0],
        FamilyKind::Coloured => 3 * n[0] + 30,
    },
};

fn plain(parameters: &[u64]) -> Net {
    let count = parameters[0];
    let mut net = FamilyDraft::default();
    let thinking = net.row("thinking", count, 1);
    let has_left = net.row("has_left", count, 0);
    let has_right = net.row("has_right", count, 0);
    let eating = net.row("eating", count, 0);
    let forks = net.row("fork", count, 1);
    for i in 0..forks.len() {
        let (number, left, right) = (i + 1, forks[i], forks[(i + 1) % forks.len()]);
        net.step(&format!("take_left_{number}"), &[thinking[i], left], &[has_left[i]]);
        net.step(&format!("take_right_{number}"), &[thinking[i], right], &[has_right[i]]);
        net.step(&format!("then_right_{number}"), &[has_left[i], right], &[eating[i]]);
        net.step(&format!("then_left_{number}"), &[has_right[i], left], &[eating[i]]);
        net.step(&format!("release_{number}"), &[eating[i]], &[thinking[i], left, right]);
    }
    let people = (0..forks.len())
        .map(|i| (format!("philosopher_{}", i + 1), vec![thinking[i], has_left[i], has_right[i], eating[i]]));
    let cutlery = forks.iter().enumerate().map(|(i, &fork)| (format!("on_table_{}", i + 1), vec![fork]));
    net.safe_units(people.chain(cutlery));
    net.finish()
}

fn coloured(parameters: &[u64]) -> ColouredNet {
    let mut net = ColouredDraft::default();
    let seat = net.cycle("seat", parameters[0]);
    let x = net.variable("x", seat);
    let thinking = net.full("thinking", seat);
    let fork = net.full("fork", seat);
    let has_left = net.place("has_left", seat);
    let has_right = net.place("has_right", seat);
    let eating = net.place("eating", seat);
    let right = || BagTerm::One(x.shift(1));
    net.step("take_left", [(thinking, x.one()), (fork, x.one())], [(has_left, x.one())]);
    net.step("take_right", [(thinking, x.one()), (fork, right())], [(has_right, x.one())]);
    net.step("then_right", [(has_left, x.one()), (fork, right())], [(eating, x.one())]);
    net.step("then_left", [(has_right, x.one()), (fork, x.one())], [(eating, x.one())]);
    net.step("release", [(eating, x.one())], [(thinking, x.one()), (fork, sum([x.one(), right()]))]);
    net.finish()
}
