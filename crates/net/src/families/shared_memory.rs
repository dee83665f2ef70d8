//! Processors with local memories on a shared bus (Ajmone Marsan, Balbo and Conte, "Performance models of
//! multiprocessor systems", 1986).
//!
//! A processor works in its own memory, or waits for the bus to reach the memory of another one. Its own
//! access can end only while no other processor is in that memory.

use super::{
    Family, FamilyKind, Parameter,
    draft::{ColouredDraft, FamilyDraft, tuple},
};
use crate::{
    Comparison, Net,
    coloured::{Bag, BagTerm, Colour, ColouredNet, SortKind},
};

pub(super) const FAMILY: Family = Family {
    name: "shared-memory",
    about: "processors with their own memories, which others reach over one bus",
    parameters: &[Parameter::shape("processors", "processors, and as many memories", 2)],
    plain: Some(plain),
    coloured: Some(coloured),
    size: |kind, n| match kind {
        FamilyKind::Plain => 11 * n[0] * n[0] + 20 * n[0] + 1,
        FamilyKind::Coloured => 3 * n[0] + 40,
    },
};

fn plain(parameters: &[u64]) -> Net {
    let count = parameters[0];
    let mut net = FamilyDraft::default();
    let active = net.row("active", count, 1);
    let own = net.row("own_access", count, 0);
    let queued = net.row("queued", count, 0);
    let memory = net.row("memory", count, 1);
    let bus = net.place("bus", 1);
    for x in 0..active.len() {
        let number = x + 1;
        net.step(&format!("begin_own_{number}"), &[active[x]], &[own[x]]);
        net.step(&format!("end_own_{number}"), &[own[x], memory[x]], &[active[x], memory[x]]);
        net.step(&format!("request_{number}"), &[active[x]], &[queued[x]]);
        for m in (0..memory.len()).filter(|&m| m != x) {
            let pair = format!("{number}_in_{}", m + 1);
            let access = net.place(&format!("access_{pair}"), 0);
            net.step(&format!("begin_{pair}"), &[queued[x], memory[m], bus], &[access]);
            net.step(&format!("end_{pair}"), &[access], &[active[x], memory[m], bus]);
        }
    }
    net.finish()
}

fn coloured(parameters: &[u64]) -> ColouredNet {
    let mut net = ColouredDraft::default();
    let dot = net.sort("dot", SortKind::Dot);
    let processor = net.cycle("processor", parameters[0]);
    let pair = net.sort("processor_memory", SortKind::Product(vec![processor, processor]));
    let (x, m) = (net.variable("x", processor), net.variable("m", processor));
    let active = net.full("active", processor);
    let own = net.place("own_access", processor);
    let queued = net.place("queued", processor);
    let memory = net.full("memory", processor);
    let access = net.place("access", pair);
    let bus = net.full("bus", dot);
    let token = || BagTerm::Fixed(Bag::of(Colour(0), 1));
    net.step("begin_own", [(active, x.one())], [(own, x.one())]);
    net.step("end_own", [(own, x.one()), (memory, x.one())], [(active, x.one()), (memory, x.one())]);
    net.step("request", [(active, x.one())], [(queued, x.one())]);
    net.guarded(
        "begin",
        x.compare(Comparison::NotEqual, m),
        [(queued, x.one()), (memory, m.one()), (bus, token())],
        [(access, tuple(pair, [x.term(), m.term()]))],
    );
    net.step(
        "end",
        [(access, tuple(pair, [x.term(), m.term()]))],
        [(active, x.one()), (memory, m.one()), (bus, token())],
    );
    net.finish()
}
