//! A producer and a consumer (Dijkstra, "Cooperating sequential processes", 1968) at the ends of a row of
//! buffers, whose bounds are inhibitor arcs.
//!
//! With `n` buffers of capacity `k` there are `(k + 1)^n` states. Without the inhibitor arcs the net would be
//! unbounded.

use super::{
    Family, FamilyKind, Parameter,
    draft::{ColouredDraft, FamilyDraft},
};
use crate::{
    Comparison, Net,
    coloured::{BagTerm, ColourTerm, ColouredNet},
};

pub(super) const FAMILY: Family = Family {
    name: "pipeline",
    about: "a producer, a row of bounded buffers and a consumer, with inhibitor arcs",
    parameters: &[
        Parameter::shape("buffers", "buffers in the row", 1),
        Parameter::tokens("capacity", "items that fit into a buffer", u64::MAX - 1),
    ],
    plain: Some(plain),
    coloured: Some(coloured),
    size: |kind, n| match kind {
        FamilyKind::Plain => 5 * n[0] + 5,
        FamilyKind::Coloured => n[0] + 20,
    },
};

fn plain(parameters: &[u64]) -> Net {
    let (count, capacity) = (parameters[0], parameters[1]);
    let mut net = FamilyDraft::default();
    let buffers = net.row("buffer", count, 0);
    let produce = net.step("produce", &[], &[buffers[0]]);
    net.0.inhibitor(buffers[0], produce, capacity);
    for (i, pair) in buffers.windows(2).enumerate() {
        let forward = net.step(&format!("forward_{}", i + 1), &[pair[0]], &[pair[1]]);
        net.0.inhibitor(pair[1], forward, capacity);
    }
    net.step("consume", &[buffers[buffers.len() - 1]], &[]);
    net.finish()
}

fn coloured(parameters: &[u64]) -> ColouredNet {
    let (count, capacity) = (parameters[0], parameters[1]);
    let mut net = ColouredDraft::default();
    let stage = net.cycle("stage", count);
    let x = net.variable("x", stage);
    let buffer = net.place("buffer", stage);
    let (first, last) = (x.constant(0), x.constant(count - 1));
    let full = |at: ColourTerm| BagTerm::Times(capacity, Box::new(BagTerm::One(at)));
    let blocks = "a single term does not overflow";

    let produce = net.step("produce", [], [(buffer, BagTerm::One(first.clone()))]);
    net.0.inhibitor(buffer, produce, full(first)).expect(blocks);
    let guard = x.compare_to(Comparison::Less, count - 1);
    let forward = net.guarded("forward", guard, [(buffer, x.one())], [(buffer, BagTerm::One(x.shift(1)))]);
    net.0.inhibitor(buffer, forward, full(x.shift(1))).expect(blocks);
    net.step("consume", [(buffer, BagTerm::One(last))], []);
    net.finish()
}
