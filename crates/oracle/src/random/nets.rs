//! Random place/transition nets.

use super::TestRng;
use fireset_net::{Net, NetBuilder, Nupn, PlaceId, Unit, UnitId};

/// How large a random net is.
#[derive(Clone, Copy, Debug)]
pub struct NetShape {
    /// The largest number of places.
    pub places: usize,
    /// The largest number of transitions.
    pub transitions: usize,
    /// The largest initial count of a place.
    pub tokens: u64,
    /// The largest weight of an arc.
    pub weight: u64,
    /// The percentage of transitions that have an inhibitor arc.
    pub inhibitors: usize,
}

impl Default for NetShape {
    /// Up to six places and seven transitions, small weights, no inhibitor arcs.
    fn default() -> Self {
        Self { places: 6, transitions: 7, tokens: 3, weight: 2, inhibitors: 0 }
    }
}

/// A net with at least one place, transition and token. Most transitions give as many tokens as they take, so that
/// most nets are bounded and do not run dry at once.
pub fn net(random: &mut TestRng, shape: &NetShape) -> Net {
    let mut builder = NetBuilder::new("random");
    let count = at_most(random, shape.places);
    let places: Vec<PlaceId> = (0..count)
        .map(|at| {
            let marked = at == 0 || random.percent(40);
            let tokens = if marked { random.within(1, shape.tokens.max(1)) } else { 0 };
            builder.place(&format!("p{at}"), tokens).expect("a new name")
        })
        .collect();
    for at in 0..at_most(random, shape.transitions) {
        let transition = builder.transition(&format!("t{at}")).expect("a new name");
        let mut balance = 0;
        for _ in 0..if random.percent(65) { 1 } else { 2 } {
            let weight = small_weight(random, shape);
            balance += weight;
            builder.input(around(random, &places, at), transition, weight);
        }
        match random.below(20) {
            0 => balance += 1,
            1..=3 => balance -= 1,
            _ => {}
        }
        while balance > 0 {
            let weight = small_weight(random, shape).min(balance);
            balance -= weight;
            builder.output(transition, around(random, &places, at + 1), weight);
        }
        if random.percent(shape.inhibitors) {
            let most = shape.tokens.div_ceil(4).max(2);
            builder.inhibitor(*random.pick(&places), transition, random.within(1, most));
        }
    }
    builder.build().expect("small weights do not overflow")
}

/// Units drawn without any regard to what the net does, with the claim that they are safe.
pub fn units(random: &mut TestRng, net: &Net) -> Nupn {
    let mut units = vec![Unit { name: "root".into(), places: vec![], subunits: vec![] }];
    for place in net.nodes().place_ids() {
        if units.len() == 1 || random.percent(50) {
            let id = UnitId::new(units.len());
            units[0].subunits.push(id);
            units.push(Unit { name: format!("u{}", id.index()), places: vec![], subunits: vec![] });
        }
        units.last_mut().expect("there is one").places.push(place);
    }
    Nupn { units, root: UnitId::new(0), unit_safe: true }
}

/// Often the place at position `at` of a ring, so that tokens go round for a while.
fn around(random: &mut TestRng, places: &[PlaceId], at: usize) -> PlaceId {
    if random.percent(60) { places[at % places.len()] } else { *random.pick(places) }
}

/// Mostly nearer to `most` than to one, since tiny nets show little.
fn at_most(random: &mut TestRng, most: usize) -> usize {
    let least = if random.percent(80) { most.div_ceil(2) } else { 1 };
    random.within(least as u64, most as u64) as usize
}

fn small_weight(random: &mut TestRng, shape: &NetShape) -> u64 {
    if random.percent(75) { 1 } else { random.within(1, shape.weight) }
}
