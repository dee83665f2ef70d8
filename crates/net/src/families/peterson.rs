//! Peterson's mutual exclusion for any number of processes ("Myths about the mutual exclusion problem", 1981),
//! one step of the program at a time.
//!
//! A process climbs one level less than there are processes. At each level it writes itself down as the last
//! one there, and goes on when another one has come since, or when it has seen every other process idle while
//! going through them one by one.

use super::{
    Family, Kind, Parameter,
    draft::{ColoredDraft, Draft, bag, tuple},
};
use crate::{
    Net, PlaceId,
    colored::{ColorTerm, ColoredNet, Ordering, SortKind},
};

pub(super) const FAMILY: Family = Family {
    name: "peterson",
    about: "Peterson's mutual exclusion, with levels that the processes climb",
    parameters: &[Parameter::shape("processes", "processes; there is one level less", 2)],
    plain: Some(plain),
    colored: Some(colored),
    size: |kind, n| match kind {
        Kind::Plain => 34 * n[0] * n[0] * n[0] + 30 * n[0] * n[0],
        // The sort of triples has to stay within 64 bits.
        Kind::Colored => n[0] * n[0] + 5 * n[0] + 100,
    },
};

/// What processes share: who wants to enter, and who was the last at each level.
struct Shared {
    idle: Vec<PlaceId>,
    out: Vec<PlaceId>,
    wants: Vec<PlaceId>,
    critical: Vec<PlaceId>,
    last: Vec<Vec<PlaceId>>,
}

fn plain(parameters: &[u64]) -> Net {
    let count = parameters[0];
    let mut net = Draft::default();
    let idle = net.row("idle", count, 1);
    let out = net.row("out", count, 1);
    let wants = net.row("wants", count, 0);
    let critical = net.row("critical", count, 0);
    let mut last = Vec::new();
    for level in 1..count {
        let ids = (1..=count).map(|i| (format!("last_{level}_{i}"), u64::from(i == 1)));
        last.push(ids.map(|(id, tokens)| net.place(&id, tokens)).collect());
    }
    let shared = Shared { idle, out, wants, critical, last };
    for i in 0..shared.idle.len() {
        climb(&mut net, &shared, i);
    }
    net.finish()
}

/// The program of process `i`.
fn climb(net: &mut Draft, shared: &Shared, i: usize) {
    let Shared { idle, out, wants, critical, last } = shared;
    let levels = last.len();
    let row = |net: &mut Draft, id: &str| net.row(&format!("{id}_{}", i + 1), levels as u64, 0);
    let [enters, tests, passed] = ["enters", "tests", "passed"].map(|id| row(net, id));
    net.step(&format!("ask_{}", i + 1), &[idle[i], out[i]], &[wants[i], enters[0]]);
    net.step(&format!("leave_{}", i + 1), &[critical[i], wants[i]], &[idle[i], out[i]]);
    for level in 0..levels {
        let id = |verb: &str| format!("{verb}_{}_{}", i + 1, level + 1);
        let me = last[level][i];
        for (k, &before) in last[level].iter().enumerate() {
            let write = format!("{}_over_{}", id("write"), k + 1);
            net.step(&write, &[enters[level], before], &[tests[level], me]);
            if k != i {
                let follow = format!("{}_by_{}", id("followed"), k + 1);
                net.step(&follow, &[tests[level], before], &[passed[level], before]);
            }
        }
        let above = enters.get(level + 1).copied().unwrap_or(critical[i]);
        net.step(&id("climb"), &[passed[level]], &[above]);
        let start = scan(net, shared, (i, level), [tests[level], passed[level]]);
        net.step(&id("still_last"), &[tests[level], me], &[start, me]);
    }
}

/// How process `i` goes through all processes at a level, from `tests` and on to `passed`; returns its start.
fn scan(net: &mut Draft, shared: &Shared, (i, level): (usize, usize), ends: [PlaceId; 2]) -> PlaceId {
    let [tests, passed] = ends;
    let count = shared.idle.len() as u64;
    let row = |net: &mut Draft, id: &str| net.row(&format!("{id}_{}_{}", i + 1, level + 1), count, 0);
    let [picks, compares, looks, seen] = ["picks", "compares", "looks", "seen"].map(|id| row(net, id));
    for k in 0..picks.len() {
        let id = |verb: &str| format!("{verb}_{}_{}_{}", i + 1, level + 1, k + 1);
        net.step(&id("pick"), &[picks[k]], &[compares[k]]);
        if k == i {
            net.step(&id("myself"), &[compares[k]], &[seen[k]]);
        } else {
            net.step(&id("other"), &[compares[k]], &[looks[k]]);
        }
        let (wants, out) = (shared.wants[k], shared.out[k]);
        net.step(&id("busy"), &[looks[k], wants], &[tests, wants]);
        net.step(&id("quiet"), &[looks[k], out], &[seen[k], out]);
        let next = picks.get(k + 1).copied().unwrap_or(passed);
        net.step(&id("next"), &[seen[k]], &[next]);
    }
    picks[0]
}

fn colored(parameters: &[u64]) -> ColoredNet {
    let count = parameters[0];
    let (top, end) = (count - 2, count - 1);
    let mut net = ColoredDraft::default();
    let process = net.cycle("process", count);
    let level = net.cycle("level", count - 1);
    let flag = net.sort("flag", SortKind::Bool);
    let flags = net.sort("process_flag", SortKind::Product(vec![process, flag]));
    let at = net.sort("process_level", SortKind::Product(vec![process, level]));
    let lasts = net.sort("level_process", SortKind::Product(vec![level, process]));
    let scans = net.sort("process_level_process", SortKind::Product(vec![process, level, process]));
    let (i, k) = (net.variable("i", process), net.variable("k", process));
    let (l, b) = (net.variable("l", level), net.variable("b", flag));
    let idle = net.full("idle", process);
    let wants = net.marked("wants", flags, bag((0..count).map(|p| 2 * p)));
    let last = net.marked("last", lasts, bag((0..count - 1).map(|l| l * count)));
    let critical = net.place("critical", process);
    let [enters, tests, passed] = ["enters", "tests", "passed"].map(|id| net.place(id, at));
    let [picks, compares, looks, seen] =
        ["picks", "compares", "looks", "seen"].map(|id| net.place(id, scans));

    let want = |p: ColorTerm, value: u64| tuple(flags, [p, b.constant(value)]);
    let here = || tuple(at, [i.term(), l.term()]);
    let written = |p: ColorTerm| tuple(lasts, [l.term(), p]);
    let scan = |p: ColorTerm| tuple(scans, [i.term(), l.term(), p]);
    let bottom = || tuple(at, [i.term(), l.constant(0)]);
    net.step(
        "ask",
        [(idle, i.one()), (wants, want(i.term(), 0))],
        [(wants, want(i.term(), 1)), (enters, bottom())],
    );
    net.step(
        "leave",
        [(critical, i.one()), (wants, want(i.term(), 1))],
        [(idle, i.one()), (wants, want(i.term(), 0))],
    );
    net.step(
        "write",
        [(enters, here()), (last, written(k.term()))],
        [(tests, here()), (last, written(i.term()))],
    );
    net.guarded(
        "followed",
        i.compare(Ordering::NotEqual, k),
        [(tests, here()), (last, written(k.term()))],
        [(passed, here()), (last, written(k.term()))],
    );
    net.step(
        "still_last",
        [(tests, here()), (last, written(i.term()))],
        [(picks, scan(k.constant(0))), (last, written(i.term()))],
    );
    let above = tuple(at, [i.term(), l.shift(1)]);
    net.guarded("climb", l.compare_to(Ordering::Less, top), [(passed, here())], [(enters, above)]);
    net.step("enter", [(passed, tuple(at, [i.term(), l.constant(top)]))], [(critical, i.one())]);
    net.step("pick", [(picks, scan(k.term()))], [(compares, scan(k.term()))]);
    net.step("myself", [(compares, scan(i.term()))], [(seen, scan(i.term()))]);
    let other = i.compare(Ordering::NotEqual, k);
    net.guarded("other", other, [(compares, scan(k.term()))], [(looks, scan(k.term()))]);
    net.step(
        "busy",
        [(looks, scan(k.term())), (wants, want(k.term(), 1))],
        [(tests, here()), (wants, want(k.term(), 1))],
    );
    net.step(
        "quiet",
        [(looks, scan(k.term())), (wants, want(k.term(), 0))],
        [(seen, scan(k.term())), (wants, want(k.term(), 0))],
    );
    let more = k.compare_to(Ordering::Less, end);
    net.guarded("next", more, [(seen, scan(k.term()))], [(picks, scan(k.shift(1)))]);
    net.step("finish", [(seen, scan(k.constant(end)))], [(passed, here())]);
    net.finish()
}
