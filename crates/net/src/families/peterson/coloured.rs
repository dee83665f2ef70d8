//! The coloured net: one program for all processes, which are colours.

use super::super::draft::{ColouredDraft, Var, bag, tuple};
use crate::{
    Comparison, PlaceId, SortId,
    coloured::{BagTerm, ColourTerm, ColouredNet, SortKind},
};

/// Variables and product sorts: processes `i` and `k`, a level `l`, a flag `b`.
#[derive(Clone, Copy)]
struct PetersonTerms {
    i: Var,
    k: Var,
    l: Var,
    b: Var,
    flags: SortId,
    at: SortId,
    lasts: SortId,
    scans: SortId,
}

impl PetersonTerms {
    /// Whether process `p` wants to enter.
    fn want(&self, p: ColourTerm, value: bool) -> BagTerm {
        tuple(self.flags, [p, self.b.constant(value.into())])
    }

    /// Process `i` at level `level`.
    fn at(&self, level: ColourTerm) -> BagTerm {
        tuple(self.at, [self.i.term(), level])
    }

    /// Process `i` at level `l`.
    fn here(&self) -> BagTerm {
        self.at(self.l.term())
    }

    /// Process `p` was the last one at level `l`.
    fn last(&self, p: ColourTerm) -> BagTerm {
        tuple(self.lasts, [self.l.term(), p])
    }

    /// Process `i` at level `l` has come to process `p`.
    fn scan(&self, p: ColourTerm) -> BagTerm {
        tuple(self.scans, [self.i.term(), self.l.term(), p])
    }
}

/// Places that both halves of the program use.
#[derive(Clone, Copy)]
struct Places {
    wants: PlaceId,
    tests: PlaceId,
    passed: PlaceId,
    picks: PlaceId,
}

pub(super) fn net(parameters: &[u64]) -> ColouredNet {
    let count = parameters[0];
    let mut net = ColouredDraft::default();
    let process = net.cycle("process", count);
    let level = net.cycle("level", count - 1);
    let flag = net.sort("flag", SortKind::Bool);
    let mut product = |name: &str, parts: &[SortId]| net.sort(name, SortKind::Product(parts.into()));
    let flags = product("process_flag", &[process, flag]);
    let at = product("process_level", &[process, level]);
    let lasts = product("level_process", &[level, process]);
    let scans = product("process_level_process", &[process, level, process]);
    let [i, k] = ["i", "k"].map(|name| net.variable(name, process));
    let (l, b) = (net.variable("l", level), net.variable("b", flag));
    let terms = PetersonTerms { i, k, l, b, flags, at, lasts, scans };
    // No process wants to enter, and the first process is taken for the last one at every level.
    let wants = net.marked("wants", flags, bag((0..count).map(|p| 2 * p)));
    let [tests, passed] = ["tests", "passed"].map(|id| net.place(id, at));
    let picks = net.place("picks", scans);
    let places = Places { wants, tests, passed, picks };
    let last = net.marked("last", lasts, bag((0..count - 1).map(|l| l * count)));
    enter_and_leave(&mut net, terms, places, last);
    scan(&mut net, terms, places);
    net.finish()
}

/// How a process asks, climbs from level to level, enters and leaves.
fn enter_and_leave(net: &mut ColouredDraft, terms: PetersonTerms, places: Places, last: PlaceId) {
    let PetersonTerms { i, k, l, .. } = terms;
    let Places { wants, tests, passed, picks } = places;
    let (process, level) = (i.sort, l.sort);
    let top = net.0.sorts[level].size() - 1;
    let idle = net.full("idle", process);
    let critical = net.place("critical", process);
    let enters = net.place("enters", terms.at);
    let here = || terms.here();
    let (mine, other) = (|| (last, terms.last(i.term())), || (last, terms.last(k.term())));
    let [out, inside] = [false, true].map(|value| (wants, terms.want(i.term(), value)));

    let bottom = terms.at(l.constant(0));
    net.step("ask", [(idle, i.one()), out.clone()], [inside.clone(), (enters, bottom)]);
    net.step("leave", [(critical, i.one()), inside], [(idle, i.one()), out]);
    net.step("write", [(enters, here()), other()], [(tests, here()), mine()]);
    let follows = i.compare(Comparison::NotEqual, k);
    net.guarded("followed", follows, [(tests, here()), other()], [(passed, here()), other()]);
    let start = terms.scan(k.constant(0));
    net.step("still_last", [(tests, here()), mine()], [(picks, start), mine()]);
    let (below, above) = (l.compare_to(Comparison::Less, top), terms.at(l.shift(1)));
    net.guarded("climb", below, [(passed, here())], [(enters, above)]);
    net.step("enter", [(passed, terms.at(l.constant(top)))], [(critical, i.one())]);
}

/// How a process goes through all processes at a level.
fn scan(net: &mut ColouredDraft, terms: PetersonTerms, places: Places) {
    let PetersonTerms { i, k, .. } = terms;
    let Places { wants, tests, passed, picks } = places;
    let end = net.0.sorts[k.sort].size() - 1;
    let [compares, looks, seen] = ["compares", "looks", "seen"].map(|id| net.place(id, terms.scans));
    let this = |place| (place, terms.scan(k.term()));
    let [out, inside] = [false, true].map(|value| (wants, terms.want(k.term(), value)));

    net.step("pick", [this(picks)], [this(compares)]);
    let myself = |place| (place, terms.scan(i.term()));
    net.step("myself", [myself(compares)], [myself(seen)]);
    net.guarded("other", i.compare(Comparison::NotEqual, k), [this(compares)], [this(looks)]);
    net.step("busy", [this(looks), inside.clone()], [(tests, terms.here()), inside]);
    net.step("quiet", [this(looks), out.clone()], [this(seen), out]);
    let more = k.compare_to(Comparison::Less, end);
    net.guarded("next", more, [this(seen)], [(picks, terms.scan(k.shift(1)))]);
    net.step("finish", [(seen, terms.scan(k.constant(end)))], [(passed, terms.here())]);
}
