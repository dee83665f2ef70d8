//! A tree of tasks that split and join: an example of nested units (Garavel, "Nested-Unit Petri Nets", 2019).
//!
//! A task of the tree is at work, done, or has given its work to its two parts. When the root's task is done,
//! it starts again. A tree of depth 0 has 2 states, one of depth `d` two more than the square of the number
//! for depth `d - 1`: 2, 6, 38, 1446, 2090918.

use super::{Family, Parameter, draft::FamilyDraft};
use crate::{Net, Nupn, PlaceId, Unit, UnitId};

pub(super) const FAMILY: Family = Family {
    name: "fork-join",
    about: "a binary tree of tasks that split and join, with nested units",
    parameters: &[Parameter { name: "depth", about: "levels below the root", min: 0, max: 18 }],
    plain: Some(plain),
    coloured: None,
    size: |_, n| 24 << n[0],
};

fn plain(parameters: &[u64]) -> Net {
    let depth = parameters[0];
    let mut net = FamilyDraft::default();
    let tasks = (2u64 << depth) - 1;
    let places: Vec<[PlaceId; 2]> = (1..=tasks)
        .map(|i| [net.place(&format!("work_{i}"), (i == 1).into()), net.place(&format!("done_{i}"), 0)])
        .collect();
    let mut units = Vec::with_capacity(places.len());
    for (i, &[work, done]) in places.iter().enumerate() {
        // Task number k has the parts 2k and 2k + 1.
        let (number, parts) = (i + 1, [2 * i + 1, 2 * i + 2]);
        let mut subunits = Vec::new();
        if let [Some(&[work_left, done_left]), Some(&[work_right, done_right])] = parts.map(|p| places.get(p))
        {
            net.step(&format!("fork_{number}"), &[work], &[work_left, work_right]);
            net.step(&format!("join_{number}"), &[done_left, done_right], &[done]);
            subunits.extend(parts.map(UnitId::new));
        } else {
            net.step(&format!("finish_{number}"), &[work], &[done]);
        }
        units.push(Unit { name: format!("task_{number}"), places: vec![work, done], subunits });
    }
    let [work, done] = places[0];
    net.step("restart", &[done], &[work]);
    net.0.nupn = Some(Nupn { units, root: UnitId::new(0), unit_safe: true });
    net.finish()
}
