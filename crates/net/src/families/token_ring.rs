//! Dijkstra's token ring with K states ("Self-stabilizing systems in spite of distributed control", 1974).
//!
//! Each machine has as many states as there are machines. The first moves to its next state when the last
//! one agrees with it, any other copies its left neighbour when they differ. Here machine `i` starts in
//! state `i`, so that several privileges are around at first; in the end there is one, and it circulates
//! for ever.

use super::{
    Family, FamilyKind, Parameter,
    draft::{ColouredDraft, FamilyDraft, bag, sum, tuple},
};
use crate::{
    Comparison, Net,
    coloured::{ColouredNet, Guard, SortKind},
};

pub(super) const FAMILY: Family = Family {
    name: "token-ring",
    about: "Dijkstra's self-stabilizing ring of machines, each with as many states",
    parameters: &[Parameter::shape("machines", "machines, and states of each", 2)],
    plain: Some(plain),
    coloured: Some(coloured),
    size: |kind, n| match kind {
        FamilyKind::Plain => 5 * n[0] * n[0] * n[0] + 10,
        FamilyKind::Coloured => 3 * n[0] + 10,
    },
};

fn plain(parameters: &[u64]) -> Net {
    let count = parameters[0];
    let mut net = FamilyDraft::default();
    let mut machines = Vec::new();
    for i in 1..=count {
        let state = |x| (format!("machine_{i}_in_{x}"), u64::from(x == i));
        let states: Vec<_> = (1..=count).map(state).map(|(id, tokens)| net.place(&id, tokens)).collect();
        machines.push(states);
    }
    let (first, last) = (&machines[0], &machines[machines.len() - 1]);
    for x in 0..first.len() {
        let next = first[(x + 1) % first.len()];
        net.step(&format!("advance_from_{}", x + 1), &[first[x], last[x]], &[next, last[x]]);
    }
    for (i, pair) in machines.windows(2).enumerate() {
        let (left, machine) = (&pair[0], &pair[1]);
        for x in 0..machine.len() {
            for y in (0..left.len()).filter(|&y| y != x) {
                let id = format!("copy_{}_from_{}_to_{}", i + 2, x + 1, y + 1);
                net.step(&id, &[machine[x], left[y]], &[machine[y], left[y]]);
            }
        }
    }
    net.safe_units(
        machines.into_iter().enumerate().map(|(i, states)| (format!("machine_{}", i + 1), states)),
    );
    net.finish()
}

fn coloured(parameters: &[u64]) -> ColouredNet {
    let count = parameters[0];
    let mut net = ColouredDraft::default();
    let machine = net.cycle("machine", count);
    let state = net.cycle("state", count);
    let pair = net.sort("machine_state", SortKind::Product(vec![machine, state]));
    let (m, x, y) = (net.variable("m", machine), net.variable("x", state), net.variable("y", state));
    let ring = net.marked("ring", pair, bag((0..count).map(|i| i * count + i)));

    let (first, last) = (m.constant(0), m.constant(count - 1));
    net.step(
        "advance",
        [(ring, sum([tuple(pair, [first.clone(), x.term()]), tuple(pair, [last.clone(), x.term()])]))],
        [(ring, sum([tuple(pair, [first, x.shift(1)]), tuple(pair, [last, x.term()])]))],
    );
    let left = || tuple(pair, [m.shift(-1), y.term()]);
    net.guarded(
        "copy",
        Guard::And(vec![m.compare_to(Comparison::NotEqual, 0), x.compare(Comparison::NotEqual, y)]),
        [(ring, sum([tuple(pair, [m.term(), x.term()]), left()]))],
        [(ring, sum([tuple(pair, [m.term(), y.term()]), left()]))],
    );
    net.finish()
}
