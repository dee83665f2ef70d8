//! A replicated database (Genrich and Lautenbach, "System modelling with high-level Petri nets", 1981;
//! Jensen, "Coloured Petri nets", 1992) with a lock for each file.
//!
//! A site that wants to change a file takes its lock, changes its copy, tells all other sites, waits for
//! their acknowledgements and gives the lock back. A site applies one update of others at a time.

use super::{
    Family, FamilyKind, Parameter,
    draft::{ColouredDraft, FamilyDraft, tuple},
};
use crate::{
    Net, PlaceId,
    coloured::{BagTerm, ColouredNet, SortKind},
};

pub(super) const FAMILY: Family = Family {
    name: "database",
    about: "sites change the files of a replicated database, each file under its lock",
    parameters: &[
        Parameter::shape("sites", "sites, each with a copy of all files", 2),
        Parameter::shape("files", "files, each with its lock", 1),
    ],
    plain: Some(plain),
    coloured: Some(coloured),
    size: |kind, n| match kind {
        FamilyKind::Plain => n[0] * n[1] * (2 * n[0] + 40) + 2 * n[0] + n[1],
        FamilyKind::Coloured => 3 * n[0] + 2 * n[1] + 60,
    },
};

fn plain(parameters: &[u64]) -> Net {
    let (sites, files) = (parameters[0], parameters[1]);
    let mut net = FamilyDraft::default();
    let ready = net.row("ready", sites, 1);
    let free = net.row("free", sites, 1);
    let lock = net.row("lock", files, 1);
    let mut grid = |id: &str| net.grid(id, sites, files);
    let [wants, changes, awaits] = ["wants", "changes", "awaits"].map(&mut grid);
    let [message, received, updates, reply, acknowledged] =
        ["message", "received", "updates", "reply", "acknowledged"].map(&mut grid);
    for s in 0..ready.len() {
        for f in 0..lock.len() {
            let others = |of: &[Vec<PlaceId>]| -> Vec<PlaceId> {
                of.iter().enumerate().filter(|&(site, _)| site != s).map(|(_, places)| places[f]).collect()
            };
            let id = |verb: &str| format!("{verb}_{}_{}", s + 1, f + 1);
            net.step(&id("request"), &[ready[s]], &[wants[s][f]]);
            net.step(&id("acquire"), &[wants[s][f], lock[f]], &[changes[s][f]]);
            let told = [&[awaits[s][f]], &*others(&message)].concat();
            net.step(&id("change"), &[changes[s][f]], &told);
            let answered = [&[awaits[s][f]], &*others(&acknowledged)].concat();
            net.step(&id("release"), &answered, &[ready[s], lock[f]]);
            net.step(&id("send"), &[message[s][f]], &[received[s][f]]);
            net.step(&id("begin_update"), &[received[s][f], free[s]], &[updates[s][f]]);
            net.step(&id("end_update"), &[updates[s][f]], &[reply[s][f], free[s]]);
            net.step(&id("answer"), &[reply[s][f]], &[acknowledged[s][f]]);
        }
    }
    net.finish()
}

fn coloured(parameters: &[u64]) -> ColouredNet {
    let mut net = ColouredDraft::default();
    let site = net.cycle("site", parameters[0]);
    let file = net.cycle("file", parameters[1]);
    let copy = net.sort("copy", SortKind::Product(vec![site, file]));
    let (s, f) = (net.variable("s", site), net.variable("f", file));
    let ready = net.full("ready", site);
    let free = net.full("free", site);
    let lock = net.full("lock", file);
    let mut place = |id: &str| net.place(id, copy);
    let [wants, changes, awaits] = ["wants", "changes", "awaits"].map(&mut place);
    let [message, received, updates, reply, acknowledged] =
        ["message", "received", "updates", "reply", "acknowledged"].map(&mut place);
    let this = || tuple(copy, [s.term(), f.term()]);
    let others = || {
        let all = BagTerm::Tuple(copy, vec![BagTerm::All(site), f.one()]);
        BagTerm::Minus(Box::new(all), Box::new(this()))
    };
    net.step("request", [(ready, s.one())], [(wants, this())]);
    net.step("acquire", [(wants, this()), (lock, f.one())], [(changes, this())]);
    net.step("change", [(changes, this())], [(awaits, this()), (message, others())]);
    net.step("release", [(awaits, this()), (acknowledged, others())], [(ready, s.one()), (lock, f.one())]);
    net.step("send", [(message, this())], [(received, this())]);
    net.step("begin_update", [(received, this()), (free, s.one())], [(updates, this())]);
    net.step("end_update", [(updates, this())], [(reply, this()), (free, s.one())]);
    net.step("answer", [(reply, this())], [(acknowledged, this())]);
    net.finish()
}
