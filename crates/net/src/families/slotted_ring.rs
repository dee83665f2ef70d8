//! A slotted ring, after Pastor, Roig, Cortadella and Badia ("Petri net analysis using Boolean manipulation",
//! 1994), in a plain form.
//!
//! Slots travel around a ring of twice as many stations, which hold one slot at a time. A station that got a
//! free slot passes it on or puts a message in; it passes a used slot on or takes its own message out.
//! With `n` slots there are `binomial(2n, n) * 4^n` states.

use super::{
    Family, FamilyKind, Parameter,
    draft::{ColouredDraft, FamilyDraft, bag},
};
use crate::{
    Net,
    coloured::{BagTerm, ColouredNet},
};

pub(super) const FAMILY: Family = Family {
    name: "slotted-ring",
    about: "stations on a ring put messages into slots that travel around",
    parameters: &[Parameter::shape("slots", "slots; there are twice as many stations", 1)],
    plain: Some(plain),
    coloured: Some(coloured),
    size: |kind, n| match kind {
        FamilyKind::Plain => 54 * n[0],
        FamilyKind::Coloured => 6 * n[0] + 40,
    },
};

fn plain(parameters: &[u64]) -> Net {
    let stations = 2 * parameters[0];
    let mut net = FamilyDraft::default();
    let mut row = |id: &str, marked: fn(u64) -> bool| -> Vec<_> {
        (1..=stations).map(|i| net.place(&format!("{id}_{i}"), marked(i).into())).collect()
    };
    let ready = row("ready", |i| i % 2 == 0);
    let got_free = row("got_free", |i| i % 2 == 1);
    let got_used = row("got_used", |_| false);
    let send_free = row("send_free", |_| false);
    let send_used = row("send_used", |_| false);
    for i in 0..ready.len() {
        let (number, next) = (i + 1, (i + 1) % ready.len());
        net.step(&format!("pass_free_{number}"), &[got_free[i]], &[send_free[i]]);
        net.step(&format!("put_{number}"), &[got_free[i]], &[send_used[i]]);
        net.step(&format!("pass_used_{number}"), &[got_used[i]], &[send_used[i]]);
        net.step(&format!("take_{number}"), &[got_used[i]], &[send_free[i]]);
        net.step(&format!("hand_free_{number}"), &[send_free[i], ready[next]], &[ready[i], got_free[next]]);
        net.step(&format!("hand_used_{number}"), &[send_used[i], ready[next]], &[ready[i], got_used[next]]);
    }
    net.safe_units((0..ready.len()).map(|i| {
        let places = vec![ready[i], got_free[i], got_used[i], send_free[i], send_used[i]];
        (format!("station_{}", i + 1), places)
    }));
    net.finish()
}

fn coloured(parameters: &[u64]) -> ColouredNet {
    let stations = 2 * parameters[0];
    let mut net = ColouredDraft::default();
    let station = net.cycle("station", stations);
    let x = net.variable("x", station);
    let ready = net.marked("ready", station, bag((0..stations).filter(|i| i % 2 == 1)));
    let got_free = net.marked("got_free", station, bag((0..stations).filter(|i| i % 2 == 0)));
    let got_used = net.place("got_used", station);
    let send_free = net.place("send_free", station);
    let send_used = net.place("send_used", station);
    let next = || BagTerm::One(x.shift(1));
    net.step("pass_free", [(got_free, x.one())], [(send_free, x.one())]);
    net.step("put", [(got_free, x.one())], [(send_used, x.one())]);
    net.step("pass_used", [(got_used, x.one())], [(send_used, x.one())]);
    net.step("take", [(got_used, x.one())], [(send_free, x.one())]);
    net.step("hand_free", [(send_free, x.one()), (ready, next())], [(ready, x.one()), (got_free, next())]);
    net.step("hand_used", [(send_used, x.one()), (ready, next())], [(ready, x.one()), (got_used, next())]);
    net.finish()
}
