//! Readers and writers (Courtois, Heymans and Parnas, "Concurrent control with readers and writers", 1971),
//! with weighted arcs.
//!
//! There is a permit for each process. A reader takes one, a writer all of them. With `n` processes there are
//! `2^n + n` states and `n * 2^n + 2n` firings.

use super::{
    Family, FamilyKind, Parameter,
    draft::{ColouredDraft, FamilyDraft},
};
use crate::{
    Net,
    coloured::{Bag, BagTerm, Colour, ColouredNet, SortKind},
};

pub(super) const FAMILY: Family = Family {
    name: "readers-writers",
    about: "processes read together or write alone; a writer takes all permits at once",
    parameters: &[Parameter::shape("processes", "processes, and as many permits", 1)],
    plain: Some(plain),
    coloured: Some(coloured),
    size: |kind, n| match kind {
        FamilyKind::Plain => 20 * n[0] + 10,
        FamilyKind::Coloured => 2 * n[0] + 30,
    },
};

fn plain(parameters: &[u64]) -> Net {
    let count = parameters[0];
    let mut net = FamilyDraft::default();
    let permits = net.place("permits", count);
    let idle = net.row("idle", count, 1);
    let reading = net.row("reading", count, 0);
    let writing = net.row("writing", count, 0);
    for i in 0..idle.len() {
        let number = i + 1;
        net.step(&format!("start_read_{number}"), &[idle[i], permits], &[reading[i]]);
        net.step(&format!("end_read_{number}"), &[reading[i]], &[idle[i], permits]);
        let start = net.step(&format!("start_write_{number}"), &[idle[i]], &[writing[i]]);
        net.0.input(permits, start, count);
        let end = net.step(&format!("end_write_{number}"), &[writing[i]], &[idle[i]]);
        net.0.output(end, permits, count);
    }
    net.finish()
}

fn coloured(parameters: &[u64]) -> ColouredNet {
    let count = parameters[0];
    let mut net = ColouredDraft::default();
    let dot = net.sort("dot", SortKind::Dot);
    let end = i64::try_from(count).expect("the count was checked");
    let process = net.sort("process", SortKind::IntRange { start: 1, end });
    let x = net.variable("x", process);
    let permits = net.marked("permits", dot, Bag::of(Colour(0), count));
    let idle = net.full("idle", process);
    let reading = net.place("reading", process);
    let writing = net.place("writing", process);
    let one = || BagTerm::All(dot);
    let all = || BagTerm::Times(count, Box::new(one()));
    net.step("start_read", [(idle, x.one()), (permits, one())], [(reading, x.one())]);
    net.step("end_read", [(reading, x.one())], [(idle, x.one()), (permits, one())]);
    net.step("start_write", [(idle, x.one()), (permits, all())], [(writing, x.one())]);
    net.step("end_write", [(writing, x.one())], [(idle, x.one()), (permits, all())]);
    net.finish()
}
