//! The swimming pool, a classroom example of two kinds of resources that are taken in turns.
//!
//! A guest takes a cabin, then a bag, leaves the clothes in the bag and the cabin to others; back from the
//! water the guest needs a cabin again before the bag is given back. Guests in all the cabins who wait for
//! bags would block guests with all the bags who wait for cabins; here there are too few guests for both at
//! once.

use super::{Family, Parameter, draft::FamilyDraft};
use crate::Net;

pub(super) const FAMILY: Family = Family {
    name: "swimming-pool",
    about: "20 guests share 10 cabins and 15 bags, all times the scale",
    parameters: &[Parameter::tokens(
        "scale",
        "what guests, cabins and bags are multiplied with",
        u64::MAX / 20,
    )],
    plain: Some(plain),
    coloured: None,
    size: |_, _| 40,
};

fn plain(parameters: &[u64]) -> Net {
    let scale = parameters[0];
    let mut net = FamilyDraft::default();
    let outside = net.place("outside", 20 * scale);
    let cabins = net.place("cabins", 10 * scale);
    let bags = net.place("bags", 15 * scale);
    let entered = net.place("entered", 0);
    let wants_bag = net.place("wants_bag", 0);
    let undressing = net.place("undressing", 0);
    let swimming = net.place("swimming", 0);
    let dressing = net.place("dressing", 0);
    let dressed = net.place("dressed", 0);
    net.step("enter", &[outside], &[entered]);
    net.step("take_cabin", &[entered, cabins], &[wants_bag]);
    net.step("take_bag", &[wants_bag, bags], &[undressing]);
    net.step("swim", &[undressing], &[swimming, cabins]);
    net.step("take_cabin_again", &[swimming, cabins], &[dressing]);
    net.step("return_bag", &[dressing], &[dressed, bags]);
    net.step("leave", &[dressed], &[outside, cabins]);
    net.finish()
}
