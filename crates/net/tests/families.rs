//! The generated nets against the counts that the literature, the contest and closed formulas give.

use std::hash::BuildHasher;

use fireset_net::{
    Marking, Model, Net, Nupn, Semantics, Step, Tokens, UnitId,
    coloured::SortKind,
    families::{self, Family, FamilyError, FamilyKind, MAX_SIZE},
};
use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};

/// What a search through all states finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SpaceFigures {
    states: usize,
    firings: u64,
    per_marking: u128,
    per_place: u64,
    deadlocks: u64,
}

/// Searches all states, breadth first. States are stored once; the table holds their hashes and positions.
fn explore<N: Semantics>(net: &N, mut visit: impl FnMut(&N::State)) -> SpaceFigures {
    let hasher = DefaultHashBuilder::default();
    let mut states = vec![net.initial()];
    let mut table = HashTable::new();
    let first = hasher.hash_one(&states[0]);
    table.insert_unique(first, (first, 0u32), |&(hash, _)| hash);
    let mut space = SpaceFigures::default();
    while let Some(state) = states.get(space.states) {
        visit(state);
        let places = net.as_ref().place_ids().map(|p| net.tokens(state, p));
        let (sum, most) =
            places.fold((0, 0), |(sum, most), Tokens { total, largest }| (sum + total, largest.max(most)));
        space.per_marking = space.per_marking.max(sum);
        space.per_place = space.per_place.max(most);
        let steps = net.steps(state);
        space.deadlocks += u64::from(steps.is_empty());
        space.firings += steps.len() as u64;
        let successors: Vec<_> =
            steps.iter().map(|step| net.fire(state, step).expect("an enabled step")).collect();
        for next in successors {
            let hash = hasher.hash_one(&next);
            let same = |&(h, at): &(u64, u32)| h == hash && states[at as usize] == next;
            if let Entry::Vacant(free) = table.entry(hash, same, |&(hash, _)| hash) {
                free.insert((hash, u32::try_from(states.len()).expect("a small state space")));
                states.push(next);
            }
        }
        space.states += 1;
    }
    space
}

fn family(name: &str) -> &'static Family {
    families::find(name).expect("a family")
}

fn space(name: &str, kind: FamilyKind, parameters: &[u64]) -> SpaceFigures {
    match family(name).generate(kind, parameters).expect("parameters within range") {
        Model::Plain(net) => explore(&net, |_| ()),
        Model::Coloured(net) => explore(&net, |_| ()),
    }
}

fn plain(name: &str, parameters: &[u64]) -> Net {
    match family(name).generate(FamilyKind::Plain, parameters).expect("parameters within range") {
        Model::Plain(net) => net,
        Model::Coloured(_) => panic!("a plain net was asked for"),
    }
}

fn least(family: &Family) -> Vec<u64> {
    family.parameters.iter().map(|p| p.min).collect()
}

/// Family, parameters; states, firings, most tokens in a marking and in a place.
type KnownSize = (&'static str, &'static [u64], usize, u64, u128, u64);

/// Those with a comment are published; the others were counted here, in both kinds where there are two.
const KNOWN: &[KnownSize] = &[
    ("database", &[2, 1], 28, 44, 5, 1),
    ("database", &[2, 2], 153, 312, 6, 1), // DatabaseWithMutex-02
    ("fms", &[1], 120, 345, 9, 3),
    ("fms", &[2], 3_444, 16_311, 12, 3),   // FMS-00002
    ("fms", &[3], 48_590, 297_382, 15, 3), // the states
    ("fork-join", &[3], 1_446, 5_627, 8, 1),
    ("kanban", &[1], 160, 616, 4, 1),         // the states
    ("kanban", &[2], 4_600, 28_120, 8, 2),    // the states
    ("kanban", &[3], 58_400, 446_400, 12, 3), // the states
    ("peterson", &[2], 158, 316, 5, 1),
    ("peterson", &[3], 20_754, 62_262, 8, 1), // Peterson-2
    ("philosophers", &[2], 9, 14, 4, 1),
    ("philosophers", &[5], 243, 945, 10, 1), // Philosophers-000005
    ("shared-memory", &[2], 15, 34, 5, 1),
    ("shared-memory", &[5], 1_863, 10_395, 11, 1), // SharedMemory-000005
    ("slotted-ring", &[2], 96, 256, 4, 1),
    ("swimming-pool", &[1], 89_621, 450_003, 45, 20), // SwimmingPool-01
    ("token-ring", &[3], 12, 13, 3, 1),
    ("token-ring", &[6], 166, 365, 6, 1), // TokenRing-005
];

#[test]
fn both_kinds_have_the_known_counts() {
    for &(name, parameters, states, firings, per_marking, per_place) in KNOWN {
        for kind in FamilyKind::ALL.into_iter().filter(|&kind| family(name).offers(kind)) {
            let found = space(name, kind, parameters);
            let known = SpaceFigures { states, firings, per_marking, per_place, deadlocks: found.deadlocks };
            assert_eq!(found, known, "{kind} {name} {parameters:?}");
        }
    }
}

#[test]
fn kanban_with_five_tickets_has_the_published_counts() {
    let net = plain("kanban", &[5]);
    assert_eq!((net.nodes().places.len(), net.nodes().transitions.len()), (16, 16));
    let known =
        SpaceFigures { states: 2_546_432, firings: 24_460_016, per_marking: 20, per_place: 5, deadlocks: 0 };
    assert_eq!(explore(&net, |_| ()), known);
}

#[test]
fn fms_with_four_pallets_has_the_published_count() {
    assert_eq!(space("fms", FamilyKind::Plain, &[4]).states, 438_600);
}

#[test]
fn closed_formulas_hold_in_both_kinds() {
    for kind in FamilyKind::ALL {
        for n in 1..=4u32 {
            let (count, len) = (u64::from(n), n as usize);
            let found = space("readers-writers", kind, &[count]);
            assert_eq!((found.states, found.firings), ((1 << n) + len, (count << n) + 2 * count));
            let slots = [2, 6, 20, 70][len - 1] << (2 * n);
            assert_eq!(space("slotted-ring", kind, &[count]).states, slots);
            assert_eq!(space("round-robin", kind, &[count + 1]).states, (3 * (len + 1)) << n);
            for k in 1..=3u32 {
                let found = space("pipeline", kind, &[count, k.into()]);
                assert_eq!(found.states, (1 + k as usize).pow(n));
                assert_eq!((found.per_place, found.per_marking), (k.into(), (k * n).into()));
            }
        }
    }
    for (depth, states) in [2, 6, 38, 1_446].into_iter().enumerate() {
        assert_eq!(space("fork-join", FamilyKind::Plain, &[depth as u64]).states, states);
    }
}

#[test]
fn only_the_philosophers_deadlock() {
    for family in families::all().iter().filter(|family| family.name != "counter") {
        for kind in FamilyKind::ALL.into_iter().filter(|&kind| family.offers(kind)) {
            // All hold the left fork, or all the right one.
            let expected = if family.name == "philosophers" { 2 } else { 0 };
            let found = space(family.name, kind, &least(family)).deadlocks;
            assert_eq!(found, expected, "{kind} {}", family.name);
        }
    }
}

#[test]
fn the_counter_grows_for_ever() {
    let net = plain("counter", &[3]);
    let start = net.initial();
    let tick = &net.steps(&start)[0];
    let next = net.fire(&start, tick).expect("the counter ticks");
    assert!(start < next, "the marking after a tick covers the one before");
    assert_eq!(net.steps(&next).len(), 1);
    let carries: Vec<Step> = net.steps(&net.fire(&next, tick).expect("the counter ticks again"));
    assert_eq!(carries.len(), 2, "a second tick makes a carry possible");
}

/// How many tokens are in a unit and below it, where it is safe: only one token of its own, or only below.
fn tokens_of_unit(nupn: &Nupn, unit: UnitId, marking: &Marking) -> Option<u64> {
    let unit = &nupn.units[unit.index()];
    let own: u64 = unit.places.iter().map(|&place| marking.tokens(place)).sum();
    let below = unit.subunits.iter().map(|&sub| tokens_of_unit(nupn, sub, marking)).sum::<Option<u64>>()?;
    (own == 0 || own == 1 && below == 0).then_some(own + below)
}

#[test]
fn units_hold_every_place_once_and_are_safe() {
    let mut checked = 0;
    for family in families::all().iter().filter(|family| family.name != "counter") {
        for more in 0..=1 {
            let parameters: Vec<u64> = least(family).iter().map(|n| n + more).collect();
            let net = plain(family.name, &parameters);
            let Some(nupn) = net.nupn() else { continue };
            let mut places: Vec<_> = nupn.units.iter().flat_map(|unit| unit.places.clone()).collect();
            places.sort_unstable();
            assert!(places.into_iter().eq(net.nodes().place_ids()), "{}", family.name);
            assert!(nupn.unit_safe);
            let whole = |m: &Marking| m.0.iter().sum::<u64>();
            explore(&net, |m| assert_eq!(tokens_of_unit(nupn, nupn.root, m), Some(whole(m)), "{}", net.name));
            checked += 1;
        }
    }
    assert_eq!(checked, 10, "five families have units");
}

#[test]
fn sizes_are_never_underestimated() {
    for family in families::all() {
        for kind in FamilyKind::ALL.into_iter().filter(|&kind| family.offers(kind)) {
            for more in 0..=6 {
                let parameters: Vec<u64> = least(family).iter().map(|n| n + more).collect();
                let model = family.generate(kind, &parameters).expect("a small net");
                let nodes = model.nodes().places.len() + model.nodes().transitions.len();
                let size = nodes as u64
                    + match &model {
                        Model::Plain(net) => net.arc_count() as u64,
                        Model::Coloured(net) => {
                            let constants = |kind: &SortKind| match kind {
                                SortKind::Enumeration { constants, .. } => constants.len(),
                                _ => 0,
                            };
                            let declared: usize = net.sorts().iter().map(|sort| constants(&sort.kind)).sum();
                            let initial: usize = net.initial().0.iter().map(|bag| bag.iter().len()).sum();
                            (net.arc_count() + declared + initial) as u64
                        }
                    };
                let claimed = family.check(kind, &parameters).expect("a small net");
                assert!(size <= claimed, "{}: {size} is more than {claimed}", model.name());
            }
        }
    }
}

#[test]
fn families_are_sorted_and_named() {
    let names: Vec<_> = families::all().iter().map(|family| family.name).collect();
    assert!(names.is_sorted_by(|a, b| a < b));
    assert!(families::find("no-such-family").is_none());
    let name = |kind, parameters: &[u64]| match family("database").generate(kind, parameters) {
        Ok(model) => model.name().to_string(),
        Err(error) => error.to_string(),
    };
    assert_eq!(name(FamilyKind::Plain, &[2, 3]), "database-2-3");
    assert_eq!(name(FamilyKind::Coloured, &[2, 3]), "database-coloured-2-3");
    let net = plain("philosophers", &[3]);
    assert!(net.nodes().places.find("fork_3").is_some());
    assert!(net.nodes().transitions.find("take_left_3").is_some());
}

#[test]
fn wrong_parameters_are_refused_with_a_sentence() {
    let refuse = |name: &str, kind, parameters: &[u64]| {
        family(name).generate(kind, parameters).expect_err("wrong parameters").to_string()
    };
    assert_eq!(
        refuse("kanban", FamilyKind::Coloured, &[1]),
        "there is no coloured net of the family `kanban`"
    );
    assert_eq!(refuse("kanban", FamilyKind::Plain, &[]), "`kanban` takes 1 parameter (tickets), not 0");
    assert_eq!(
        refuse("database", FamilyKind::Plain, &[1, 2, 3]),
        "`database` takes 2 parameters (sites, files), not 3"
    );
    assert_eq!(
        refuse("philosophers", FamilyKind::Plain, &[1]),
        "`philosophers` of `philosophers` is from 2 to 10000000, not 1"
    );
    assert_eq!(
        refuse("philosophers", FamilyKind::Plain, &[400_000]),
        "this plain `philosophers` would have up to 10400000 nodes, arcs and colours; 10000000 are the limit"
    );
}

#[test]
fn no_parameter_makes_a_family_panic() {
    for family in families::all() {
        for kind in FamilyKind::ALL.into_iter().filter(|&kind| family.offers(kind)) {
            for at in 0..family.parameters.len() {
                for value in [0, 19, MAX_SIZE, MAX_SIZE + 1, u64::MAX / 20, u64::MAX - 1, u64::MAX] {
                    let mut parameters = least(family);
                    parameters[at] = value;
                    match family.generate(kind, &parameters) {
                        Ok(model) => assert!(!model.nodes().places.is_empty()),
                        Err(FamilyError::Range { parameter, given, .. }) => {
                            assert!(given == value && !(parameter.min..=parameter.max).contains(&given));
                        }
                        Err(error) => assert!(matches!(error, FamilyError::TooLarge { .. })),
                    }
                }
            }
        }
    }
}
