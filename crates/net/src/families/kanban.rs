//! The Kanban system of Ciardo and Tilgner ("On the use of Kronecker operators for the solution of GSPNs",
//! 1996).
//!
//! Four cells, each with `tickets` kanban tickets. A ticket admits a part to the machine; a part that fails
//! goes back for repair. Cell 1 feeds cells 2 and 3 at once, and cell 4 waits for a part of both.

use super::{Family, Parameter, draft::FamilyDraft};
use crate::{Net, PlaceId};

pub(super) const FAMILY: Family = Family {
    name: "kanban",
    about: "four production cells with kanban tickets; two of them work in parallel",
    parameters: &[Parameter::tokens("tickets", "kanban tickets of each cell", u64::MAX)],
    plain: Some(plain),
    coloured: None,
    size: |_, _| 80,
};

struct Cell {
    tickets: PlaceId,
    machine: PlaceId,
    finished: PlaceId,
}

fn plain(parameters: &[u64]) -> Net {
    let mut net = FamilyDraft::default();
    let [first, left, right, last] = [1, 2, 3, 4].map(|i| cell(&mut net, i, parameters[0]));
    net.step("enter", &[first.tickets], &[first.machine]);
    net.step(
        "split",
        &[first.finished, left.tickets, right.tickets],
        &[first.tickets, left.machine, right.machine],
    );
    net.step(
        "assemble",
        &[left.finished, right.finished, last.tickets],
        &[left.tickets, right.tickets, last.machine],
    );
    net.step("leave", &[last.finished], &[last.tickets]);
    net.finish()
}

/// A cell with its inner moves; how parts enter and leave it is up to its neighbours.
fn cell(net: &mut FamilyDraft, i: u64, tickets: u64) -> Cell {
    let tickets = net.place(&format!("tickets_{i}"), tickets);
    let machine = net.place(&format!("machine_{i}"), 0);
    let repair = net.place(&format!("repair_{i}"), 0);
    let finished = net.place(&format!("finished_{i}"), 0);
    net.step(&format!("reject_{i}"), &[machine], &[repair]);
    net.step(&format!("retry_{i}"), &[repair], &[machine]);
    net.step(&format!("accept_{i}"), &[machine], &[finished]);
    Cell { tickets, machine, finished }
}
