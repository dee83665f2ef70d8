//! A round-robin mutual exclusion, after Graf, Steffen and Lüttgen ("Compositional minimisation of finite
//! state systems using interface specifications", 1996), in a plain form.
//!
//! A turn goes around. The process whose turn it is enters its critical section if it asked to, and lets
//! the turn go on otherwise. With `n` processes there are `3n * 2^(n-1)` states.

use super::{
    Family, FamilyKind, Parameter,
    draft::{ColouredDraft, FamilyDraft, bag},
};
use crate::{
    Net,
    coloured::{BagTerm, ColouredNet},
};

pub(super) const FAMILY: Family = Family {
    name: "round-robin",
    about: "mutual exclusion by a turn that goes around",
    parameters: &[Parameter::shape("processes", "processes on the ring", 2)],
    plain: Some(plain),
    coloured: Some(coloured),
    size: |kind, n| match kind {
        FamilyKind::Plain => 21 * n[0],
        FamilyKind::Coloured => 2 * n[0] + 30,
    },
};

fn plain(parameters: &[u64]) -> Net {
    let count = parameters[0];
    let mut net = FamilyDraft::default();
    let idle = net.row("idle", count, 1);
    let waiting = net.row("waiting", count, 0);
    let critical = net.row("critical", count, 0);
    let turn: Vec<_> = (1..=count).map(|i| net.place(&format!("turn_{i}"), (i == 1).into())).collect();
    for i in 0..turn.len() {
        let (number, next) = (i + 1, turn[(i + 1) % turn.len()]);
        net.step(&format!("ask_{number}"), &[idle[i]], &[waiting[i]]);
        net.step(&format!("enter_{number}"), &[waiting[i], turn[i]], &[critical[i]]);
        net.step(&format!("leave_{number}"), &[critical[i]], &[idle[i], next]);
        net.step(&format!("skip_{number}"), &[idle[i], turn[i]], &[idle[i], next]);
    }
    let processes = (0..turn.len())
        .map(|i| (format!("process_{}", i + 1), vec![idle[i], waiting[i], critical[i]]))
        .collect::<Vec<_>>();
    net.safe_units(processes.into_iter().chain([("turns".into(), turn)]));
    net.finish()
}

fn coloured(parameters: &[u64]) -> ColouredNet {
    let mut net = ColouredDraft::default();
    let process = net.cycle("process", parameters[0]);
    let x = net.variable("x", process);
    let idle = net.full("idle", process);
    let waiting = net.place("waiting", process);
    let critical = net.place("critical", process);
    let turn = net.marked("turn", process, bag([0]));
    let next = || BagTerm::One(x.shift(1));
    net.step("ask", [(idle, x.one())], [(waiting, x.one())]);
    net.step("enter", [(waiting, x.one()), (turn, x.one())], [(critical, x.one())]);
    net.step("leave", [(critical, x.one())], [(idle, x.one()), (turn, next())]);
    net.step("skip", [(idle, x.one()), (turn, x.one())], [(idle, x.one()), (turn, next())]);
    net.finish()
}
