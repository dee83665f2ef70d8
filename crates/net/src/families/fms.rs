//! The flexible manufacturing system of Ciardo and Trivedi ("A decomposition approach for stochastic reward
//! net models", 1993), without its rates.
//!
//! Parts of three types circulate on `pallets` pallets each. Type 1 is worked on by three machines M1,
//! types 2 and 3 share one machine M2, and some parts of types 1 and 2 are joined on one of two machines
//! M3.

use super::{Family, Parameter, draft::FamilyDraft};
use crate::{Net, PlaceId};

pub(super) const FAMILY: Family = Family {
    name: "fms",
    about: "a flexible manufacturing system: three types of parts, three types of machines",
    parameters: &[Parameter::tokens("pallets", "pallets of each type of parts", u64::MAX)],
    plain: Some(plain),
    coloured: None,
    size: |_, _| 110,
};

fn plain(parameters: &[u64]) -> Net {
    let pallets = parameters[0];
    let mut net = FamilyDraft::default();
    let m2 = net.place("machine_2", 1);
    let m1 = net.place("machine_1", 3);
    let m3 = net.place("machine_3", 2);
    let (raw_1, partner_1) = joinable(&mut net, 1, pallets, m1);
    let (raw_2, partner_2) = joinable(&mut net, 2, pallets, m2);

    let raw_3 = net.place("raw_3", pallets);
    let queued_3 = net.place("queued_3", 0);
    let shipped_3 = net.place("shipped_3", 0);
    net.step("load_3", &[raw_3], &[queued_3]);
    net.step("work_3", &[queued_3, m2], &[m2, shipped_3]);
    net.step("renew_3", &[shipped_3], &[raw_3]);

    let joined = net.place("joined", 0);
    let queued = net.place("queued_12", 0);
    let worked = net.place("worked_12", 0);
    let shipped = net.place("shipped_12", 0);
    net.step("join", &[partner_1, partner_2], &[joined]);
    net.step("load_12", &[joined], &[queued]);
    net.step("start_12", &[queued, m3], &[worked]);
    net.step("finish_12", &[worked], &[shipped, m3]);
    net.step("renew_12", &[shipped], &[raw_1, raw_2]);
    net.finish()
}

/// The way of a type of parts that is shipped alone or joined with the other such type. Returns where its
/// pallets wait for raw parts, and where its parts wait for a partner.
fn joinable(net: &mut FamilyDraft, i: u64, pallets: u64, machine: PlaceId) -> (PlaceId, PlaceId) {
    let raw = net.place(&format!("raw_{i}"), pallets);
    let queued = net.place(&format!("queued_{i}"), 0);
    let worked = net.place(&format!("worked_{i}"), 0);
    let done = net.place(&format!("done_{i}"), 0);
    let shipped = net.place(&format!("shipped_{i}"), 0);
    let partner = net.place(&format!("wait_partner_{i}"), 0);
    net.step(&format!("load_{i}"), &[raw], &[queued]);
    net.step(&format!("start_{i}"), &[queued, machine], &[worked]);
    net.step(&format!("finish_{i}"), &[worked], &[done, machine]);
    net.step(&format!("ship_{i}"), &[done], &[shipped]);
    net.step(&format!("renew_{i}"), &[shipped], &[raw]);
    net.step(&format!("seek_partner_{i}"), &[done], &[partner]);
    (raw, partner)
}
