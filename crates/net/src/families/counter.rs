//! Unbounded counters with carries: small nets whose state space is infinite (Karp and Miller, "Parallel
//! program schemata", 1969, on how to tell).
//!
//! The first counter can always grow; two tokens of a counter become one of the next. Every place but
//! `running` is unbounded, and every transition can always become enabled again.

use super::{Family, Parameter, draft::FamilyDraft};
use crate::Net;

pub(super) const FAMILY: Family = Family {
    name: "counter",
    about: "counters that grow for ever, with carries of weight 2; unbounded",
    parameters: &[Parameter::shape("digits", "counters", 1)],
    plain: Some(plain),
    coloured: None,
    size: |_, n| 5 * n[0] + 5,
};

fn plain(parameters: &[u64]) -> Net {
    let mut net = FamilyDraft::default();
    let running = net.place("running", 1);
    let digits = net.row("digit", parameters[0], 0);
    net.step("tick", &[running], &[running, digits[0]]);
    for (i, pair) in digits.windows(2).enumerate() {
        net.step(&format!("carry_{}", i + 1), &[pair[0], pair[0]], &[pair[1]]);
    }
    net.finish()
}
