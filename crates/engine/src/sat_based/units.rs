//! The claims of a net about its units, as far as they are inductive.
//!
//! A unit-safe net has at most one token in a unit, and none below a place that is marked. That is only claimed, so nothing
//! may rest on it. But most of these claims are inductive together: claims that do not hold at the start, or that a step
//! from a marking with all claims breaks, are dropped until no step breaks any (Flanagan and Leino, "Houdini, an
//! annotation assistant for ESC/Java", 2001). The others hold in all reachable markings.
//!
//! Invariant: the returned claims, with the place invariants, hold at the start and are kept by every firing. Cost: a call of
//! the solver for each round, each of which drops a claim, within a tenth of the time; if that is used up nothing is proved.
//! Test: below, and `tests/induction.rs` with units that claim too much.

use fireset_kernel::sat::Literal;
use fireset_net::{Budget, Net, Nupn, UnitId};
use fireset_structure::PlaceInvariants;

use super::{
    cnf::CnfEncoder,
    cube::Cube,
    encoding::{SatEncoding, ask},
    order_encoding::AtLeast,
    transition_relation::StepSemantics,
};

/// The remaining time divided by this limits the proof.
const TIME_SHARE: u32 = 10;
/// Pairs of places for which mutual exclusion is tried.
const MAX_PAIRS: usize = 40_000;

/// Claims about units that hold in all reachable markings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UnitInvariants {
    /// Places with at most one token.
    pub(super) safe: Vec<u32>,
    /// Pairs of places of which one is empty.
    pub(super) apart: Vec<(u32, u32)>,
}

/// The claims of the net that a proof is found for.
pub(super) fn inductive_claims(net: &Net, invariants: &PlaceInvariants, budget: &Budget) -> UnitInvariants {
    let is_open = |place: usize| invariants.bounds()[place].is_none_or(|bound| bound > 1);
    let Some(nupn) = net.nupn().filter(|nupn| nupn.unit_safe) else { return UnitInvariants::default() };
    if !(0..invariants.bounds().len()).any(is_open) {
        return UnitInvariants::default();
    }
    let safe: Vec<u32> = (0..invariants.bounds().len()).filter(|&p| is_open(p)).map(|p| p as u32).collect();
    let part = budget.part(TIME_SHARE);
    greatest_inductive(net, invariants, UnitInvariants { safe, apart: exclusive_pairs(nupn) }, &part)
        .unwrap_or_default()
}

/// Pairs of places of one unit, and of places of a unit with those of units below it.
fn exclusive_pairs(nupn: &Nupn) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for unit in &nupn.units {
        // All places below; units that are no tree would never end and are cut off.
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

/// The greatest set of claims that is inductive; `None` if the time is up.
fn greatest_inductive(
    net: &Net,
    invariants: &PlaceInvariants,
    claims: UnitInvariants,
    budget: &Budget,
) -> Option<UnitInvariants> {
    let encoding = SatEncoding::new(net, (invariants, &UnitInvariants::default()), &[], 0)?;
    let order = &encoding.order;
    let literal = |place: u32, tokens: i128| match order.at_least(place, tokens) {
        AtLeast::When(literal) => Some(literal),
        _ => None,
    };
    // Each claim with the cube of markings that break it.
    let safe =
        claims.safe.iter().filter_map(|&p| Some((UnitClaim::Safe(p), Cube::new([literal(p, 2)?], order))));
    let apart = claims.apart.iter().filter_map(|&(p, q)| {
        Some((UnitClaim::Apart(p, q), Cube::new([literal(p, 1)?, literal(q, 1)?], order)))
    });
    let mut all: Vec<(UnitClaim, Cube)> = safe.chain(apart).collect();
    all.retain(|(_, cube)| !cube.contains(&encoding.initial, order));
    let mut cnf = CnfEncoder::default();
    let now = encoding.encode_reachable(&mut cnf);
    let next = encoding.encode_marking(&mut cnf);
    encoding.relation.encode(&mut cnf, &now, &next, StepSemantics::Interleaving);
    let mut switches: Vec<(Literal, Literal)> = Vec::with_capacity(all.len());
    for (_, cube) in &all {
        let (is_claimed, is_broken) = (cnf.fresh(), cnf.fresh());
        cnf.add([-is_claimed].into_iter().chain(cube.clause().map(|literal| now.at(literal))));
        cube.literals().iter().for_each(|&literal| cnf.add([-is_broken, next.at(literal)]));
        switches.push((is_claimed, is_broken));
    }
    loop {
        let some_broken = cnf.fresh();
        cnf.add([-some_broken].into_iter().chain(switches.iter().map(|switch| switch.1)));
        let assumed: Vec<Literal> = switches.iter().map(|switch| switch.0).chain([some_broken]).collect();
        if !ask(&mut cnf, &assumed, budget).ok()? {
            break;
        }
        let after = order.read(|literal| cnf.is_true(next.at(literal)));
        let keeps: Vec<bool> = all.iter().map(|(_, cube)| !cube.contains(&after, order)).collect();
        let mut keep = keeps.iter();
        all.retain(|_| *keep.next().expect("as many"));
        let mut keep = keeps.iter();
        switches.retain(|_| *keep.next().expect("as many"));
        cnf.add([-some_broken]);
    }
    let mut proved = UnitInvariants::default();
    for (claim, _) in all {
        match claim {
            UnitClaim::Safe(place) => proved.safe.push(place),
            UnitClaim::Apart(place, other) => proved.apart.push((place, other)),
        }
    }
    Some(proved)
}

#[derive(Clone, Copy)]
enum UnitClaim {
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
        let invariants = PlaceInvariants::none(&net);
        let claims = inductive_claims(&net, &invariants, &Budget::unlimited());
        assert_eq!(claims.safe, [0, 1, 2, 3, 4]);
        assert!(claims.apart.contains(&(0, 3)) && claims.apart.contains(&(1, 3)), "{claims:?}");
    }

    #[test]
    fn inductive_claims_hold_everywhere() {
        let (mut kept, mut dropped) = (0, 0);
        for seed in 0..400 {
            let mut random = TestRng::new(seed);
            let net =
                random::net(&mut random, &NetShape { tokens: 1, inhibitors: 10, ..NetShape::default() });
            let units = random::units(&mut random, &net);
            let net = net.with_nupn(Some(units));
            let invariants = PlaceInvariants::none(&net);
            let claims = inductive_claims(&net, &invariants, &Budget::unlimited());
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
