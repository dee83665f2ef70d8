//! The place/transition net: each process with its own program.

use super::super::draft::FamilyDraft;
use crate::{Net, PlaceId};

/// What processes share: who wants to enter, and who was the last at each level.
struct Shared {
    idle: Vec<PlaceId>,
    out: Vec<PlaceId>,
    wants: Vec<PlaceId>,
    critical: Vec<PlaceId>,
    last: Vec<Vec<PlaceId>>,
}

pub(super) fn net(parameters: &[u64]) -> Net {
    let count = parameters[0];
    let mut net = FamilyDraft::default();
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
fn climb(net: &mut FamilyDraft, shared: &Shared, i: usize) {
    let Shared { idle, out, wants, critical, last } = shared;
    let levels = last.len();
    let row = |net: &mut FamilyDraft, id: &str| net.row(&format!("{id}_{}", i + 1), levels as u64, 0);
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
fn scan(net: &mut FamilyDraft, shared: &Shared, (i, level): (usize, usize), ends: [PlaceId; 2]) -> PlaceId {
    let [tests, passed] = ends;
    let count = shared.idle.len() as u64;
    let row = |net: &mut FamilyDraft, id: &str| net.row(&format!("{id}_{}_{}", i + 1, level + 1), count, 0);
    let [picks, compares, seen] = ["picks", "compares", "seen"].map(|id| row(net, id));
    for k in 0..picks.len() {
        let id = |verb: &str| format!("{verb}_{}_{}_{}", i + 1, level + 1, k + 1);
        net.step(&id("pick"), &[picks[k]], &[compares[k]]);
        if k == i {
            net.step(&id("myself"), &[compares[k]], &[seen[k]]);
        } else {
            let (looks, wants, out) = (net.place(&id("looks"), 0), shared.wants[k], shared.out[k]);
            net.step(&id("other"), &[compares[k]], &[looks]);
            net.step(&id("busy"), &[looks, wants], &[tests, wants]);
            net.step(&id("quiet"), &[looks, out], &[seen[k], out]);
        }
        let next = picks.get(k + 1).copied().unwrap_or(passed);
        net.step(&id("next"), &[seen[k]], &[next]);
    }
    picks[0]
}
