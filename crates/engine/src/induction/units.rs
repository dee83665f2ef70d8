//! What a net claims of its units, as far as it can be proved.
//!
//! A unit-safe net has at most one token in a unit, and none below a place that is marked. That is only claimed, so nothing
//! may rest on it. But most of these claims are inductive together: claims that do not hold at the start, or that a step
//! from a marking with all claims breaks, are dropped until no step breaks any (Flanagan and Leino, "Houdini, an
//! annotation assistant for ESC/Java", 2001). What is left holds in all reachable markings.
//!
//! Invariant: what is returned, with the place invariants, holds at the start and is kept by every firing. Cost: a call of
//! the solver a round, each of which drops a claim, within a part of the time; if that is used up nothing is proved.
//! Test: below, and `tests/induction.rs` with units that claim too much.

use fireset_kernel::sat::Literal;
use fireset_net::{Budget, Net, Nupn, UnitId};

use super::{
    columns::Steps,
    cube::Cube,
    encoding::{Encoding, ask},
    thresholds::AtLeast,
    writer::Writer,
};
use crate::packed::choose::Knowledge;

/// One of so many parts of the time may go into it.
const PART: u32 = 10;
/// Pairs of places that may be claimed to exclude each other.
const MAX_PAIRS: usize = 40_000;

/// Claims that hold in all reachable markings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Claims {
    /// Places with at most one token.
    pub(super) safe: Vec<u32>,
    /// Places of which one is empty.
    pub(super) apart: Vec<(u32, u32)>,
}

/// Proves what it can of the net's claims.
pub(super) fn proved(net: &Net, knowledge: &Knowledge, budget: &Budget) -> Claims {
    let is_open = |place: usize| knowledge.bounds[place].is_none_or(|bound| bound > 1);
    let Some(nupn) = net.nupn().filter(|nupn| nupn.unit_safe) else { return Claims::default() };
    if !(0..knowledge.bounds.len()).any(is_open) {
        return Claims::default();
    }
    let safe: Vec<u32> = (0..knowledge.bounds.len()).filter(|&p| is_open(p)).map(|p| p as u32).collect();
    let part = budget.part(PART);
    prove(net, knowledge, Claims { safe, apart: pairs(nupn) }, &part).unwrap_or_default()
}

/// Places of one unit, and places of a unit and of those below it.
fn pairs(nupn: &Nupn) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for unit in &nupn.units {
        // All places below, by a list of units that are open; a tree that is none is cut off.
        let mut below: Vec<u32> = Vec::new();
        let mut open: Vec<UnitId> = unit.subunits.clone();
        let mut seen = 0;
        while let Some(id) = open.pop() {
            seen += 1;
            if seen > nupn.units.len() {
                break;
            }
            if let Some(unit) = nupn.units.get(id.index()) {
                below.extend(unit.places.iter().map(|place| place.index() as u32));
                open.extend(&unit.subunits);
            }
        }
        let own: Vec<u32> = unit.places.iter().map(|place| place.index() as u32).collect();
        for (at, &place) in own.iter().enumerate() {
            if pairs.len() + own.len() + below.len() > MAX_PAIRS {
                return pairs;
            }
            let others = own[at + 1..].iter().chain(&below);
            pairs.extend(others.filter(|&&other| other != place).map(|&other| (place, other)));
        }
    }
    pairs
}

/// The largest part of the claims that is inductive; `None` if it takes too long.
fn prove(net: &Net, knowledge: &Knowledge, claims: Claims, budget: &Budget) -> Option<Claims> {
    let encoding = Encoding::new(net, (knowledge, &Claims::default()), &[], 0)?;
    let thresholds = &encoding.thresholds;
    let literal = |place: u32, tokens: i128| match thresholds.at_least(place, tokens) {
        AtLeast::When(literal) => Some(literal),
        _ => None,
    };
    // What is claimed never to happen.
    let safe =
        claims.safe.iter().filter_map(|&p| Some((Claim::Safe(p), Cube::new([literal(p, 2)?], thresholds))));
    let apart = claims.apart.iter().filter_map(|&(p, q)| {
        Some((Claim::Apart(p, q), Cube::new([literal(p, 1)?, literal(q, 1)?], thresholds)))
    });
    let mut all: Vec<(Claim, Cube)> = safe.chain(apart).collect();
    all.retain(|(_, cube)| !cube.contains(&encoding.initial, thresholds));
    let mut writer = Writer::default();
    let now = encoding.write_frame(&mut writer);
    let next = encoding.write_marking(&mut writer);
    encoding.columns.write(&mut writer, &now, &next, Steps::Single);
    let mut switches: Vec<(Literal, Literal)> = Vec::with_capacity(all.len());
    for (_, cube) in &all {
        let (is_claimed, is_broken) = (writer.fresh(), writer.fresh());
        writer.add([-is_claimed].into_iter().chain(cube.clause().map(|literal| now.at(literal))));
        cube.literals().iter().for_each(|&literal| writer.add([-is_broken, next.at(literal)]));
        switches.push((is_claimed, is_broken));
    }
    loop {
        let some_broken = writer.fresh();
        writer.add([-some_broken].into_iter().chain(switches.iter().map(|switch| switch.1)));
        let assumed: Vec<Literal> = switches.iter().map(|switch| switch.0).chain([some_broken]).collect();
        if !ask(&mut writer, &assumed, budget).ok()? {
            break;
        }
        let after = thresholds.read(|literal| writer.is_true(next.at(literal)));
        let keeps: Vec<bool> = all.iter().map(|(_, cube)| !cube.contains(&after, thresholds)).collect();
        let mut keep = keeps.iter();
        all.retain(|_| *keep.next().expect("as many"));
        let mut keep = keeps.iter();
        switches.retain(|_| *keep.next().expect("as many"));
        writer.add([-some_broken]);
    }
    let mut proved = Claims::default();
    for (claim, _) in all {
        match claim {
            Claim::Safe(place) => proved.safe.push(place),
            Claim::Apart(place, other) => proved.apart.push((place, other)),
        }
    }
    Some(proved)
}

/// One claim.
#[derive(Clone, Copy)]
enum Claim {
    Safe(u32),
    Apart(u32, u32),
}

#[cfg(test)]
mod tests {
    use fireset_net::{
        Unit,
        reachability::{GraphLimits, ReachabilityGraph},
    };
    use fireset_oracle::{
        random::{self, NetShape, TestRng},
        tiny,
    };

    use super::*;

    fn nupn(units: &[(&[usize], &[usize])]) -> Nupn {
        let unit = |(at, (places, subunits)): (usize, &(&[usize], &[usize]))| Unit {
            name: format!("u{at}"),
            places: places.iter().map(|&place| fireset_net::PlaceId::new(place)).collect(),
            subunits: subunits.iter().map(|&unit| UnitId::new(unit)).collect(),
        };
        Nupn { units: units.iter().enumerate().map(unit).collect(), root: UnitId::new(0), unit_safe: true }
    }

    #[test]
    fn forks_and_joins_are_proved() {
        // The second part is started again by itself, which no place invariant knows of.
        let net =
            tiny::net("p:1 a b c d; fork: p -> a, b; t: a -> c; u: b -> d; join: c, d -> p; stop: a, d ->");
        let net = net.with_nupn(Some(nupn(&[(&[0], &[1, 2]), (&[1, 3], &[]), (&[2, 4], &[])])));
        let knowledge = Knowledge::none(&net);
        let claims = proved(&net, &knowledge, &Budget::unlimited());
        assert_eq!(claims.safe, [0, 1, 2, 3, 4]);
        assert!(claims.apart.contains(&(0, 3)) && claims.apart.contains(&(1, 3)), "{claims:?}");
    }

    #[test]
    fn what_is_proved_holds_everywhere() {
        let (mut kept, mut dropped) = (0, 0);
        for seed in 0..400 {
            let mut random = TestRng::new(seed);
            let net =
                random::net(&mut random, &NetShape { tokens: 1, inhibitors: 10, ..NetShape::default() });
            let units = random::units(&mut random, &net);
            let net = net.with_nupn(Some(units));
            let knowledge = Knowledge::none(&net);
            let claims = proved(&net, &knowledge, &Budget::unlimited());
            let limits = GraphLimits { states: 300, edges: false };
            let graph = ReachabilityGraph::explore(&net, limits, &Budget::unlimited(), &mut ());
            for marking in graph.states() {
                assert!(claims.safe.iter().all(|&p| marking.0[p as usize] <= 1), "seed {seed}");
                let is_empty = |p: u32| marking.0[p as usize] == 0;
                assert!(claims.apart.iter().all(|&(p, q)| is_empty(p) || is_empty(q)), "seed {seed}");
            }
            kept += claims.safe.len();
            dropped += net.nodes().places.len() - claims.safe.len();
        }
        assert!(kept > 200 && dropped > 200, "{kept} {dropped}");
    }
}
