//! Explicit search with one marking of each orbit: against the oracle and against the search of all markings, and the number of
//! stored markings against the number of orbits.

mod common;

use std::collections::BTreeSet;

use common::{ask, outcomes};
use fireset_engine::{Binding, ColouredConfig, Explicit, Order, Symmetry, TokenLayout};
use fireset_net::{
    Budget, Formula, Global, Model, PlaceId, Query, Semantics, SortId, StopReason, Verdict,
    coloured::{
        Bag, BagTerm, Colour, ColourTerm, ColouredMarking, ColouredNet, ColouredNetBuilder, Guard, SortKind,
    },
    families::{self, FamilyKind},
};
use fireset_oracle::{
    OracleCase, OracleTest, StateCount, against_oracle, query,
    random::{self, TestRng},
};
use fireset_structure::{ColourSymmetries, SortSymmetry};

fn coloured(model: &Model) -> &ColouredNet {
    let Model::Coloured(net) = model else { panic!("the net is coloured") };
    net
}

/// A query that only the end of the search decides.
fn needs_all() -> Query {
    let Query::Reachable(never) = query::reachable(Formula::Constant(false)) else { unreachable!() };
    Query::Reachable(never)
}

/// Queries about markings and the whole net; some name colours.
fn queries(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let globals = [Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness];
    let mut queries: Vec<Query> = globals.map(Query::Global).into();
    queries.push(query::reachable(Formula::Deadlock));
    queries.push(needs_all());
    for _ in 0..3 {
        queries.push(Query::Reachable(random::predicate(random, model.nodes(), 2)));
        queries.push(Query::Invariant(random::predicate(random, model.nodes(), 2)));
        queries.push(Query::Bound(model.nodes().place_ids().filter(|_| random.percent(40)).collect()));
    }
    if random.percent(30) {
        let last = queries.len() - 1 - random.below(4);
        queries[last] = random::with_colours(random, coloured(model), &queries[last]);
    }
    queries
}

/// Each order, several threads, each way to bindings and both layouts.
fn ways() -> Vec<Explicit> {
    let with = |bindings, tokens| {
        let coloured = ColouredConfig { bindings, tokens, symmetry: Symmetry::On };
        Explicit { coloured, ..Explicit::default() }
    };
    let (dense, sparse) =
        (with(Binding::Token, TokenLayout::Dense), with(Binding::Token, TokenLayout::Sparse));
    vec![
        dense,
        sparse,
        Explicit { order: Order::DepthFirst, ..dense },
        Explicit { order: Order::BestFirst, ..sparse },
        Explicit { threads: 3, ..dense },
        with(Binding::DynExp, TokenLayout::Sparse),
        with(Binding::MinRep, TokenLayout::Dense),
        with(Binding::FullInfo, TokenLayout::Dense),
    ]
}

fn may_stop(case: &OracleCase, reason: &StopReason) -> bool {
    case.states == StateCount::Infinite && *reason == StopReason::Memory
}

#[test]
fn random_nets() {
    let test = OracleTest {
        seeds: 0..1_500,
        model: &|random, seed| {
            let inhibitors = if random.percent(30) { 40 } else { 0 };
            Model::Coloured(match seed % 5 {
                0 => random::coloured(random, inhibitors),
                _ => random::symmetric(random, inhibitors),
            })
        },
        queries: &queries,
        max_states: 300,
        configurations: &|case| {
            let symmetries = ColourSymmetries::of(coloured(&case.problem.model), &case.problem.queries);
            let mut all = ways();
            let few =
                if case.states == StateCount::Infinite || symmetries.is_trivial() { 1 } else { all.len() };
            all.truncate(few);
            if case.is_decided() && case.states != StateCount::TooMany { all } else { vec![] }
        },
        may_stop: &may_stop,
        budget: &|_| Budget::unlimited().with_memory(1 << 21),
    };
    let (mut symmetric, mut smaller, mut stored, mut orbits) = (0, 0, 0, 0);
    let counts = against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        |case, engine, given| {
            if !case.is_finite() || *engine != ways()[0] {
                return;
            }
            let Model::Coloured(net) = &*case.problem.model else { unreachable!() };
            let symmetries = ColourSymmetries::of(net, &case.problem.queries);
            if symmetries.is_trivial() {
                return;
            }
            let states = given[5].as_ref().expect("all are answered").statistics.states as usize;
            let (markings, least) = (reachable(net), orbit_count(net, &symmetries));
            assert!((least..=markings.len()).contains(&states), "{states}: {}", case.describe(5));
            symmetric += 1;
            smaller += usize::from(least < markings.len());
            stored += states;
            orbits += least;
        },
    );
    assert!(counts.problems > 900 && counts.with_evidence > 10_000 && counts.bounds > 8_000, "{counts:?}");
    assert!(
        symmetric > 500 && smaller > 300,
        "{symmetric} nets with symmetries, {smaller} with fewer orbits"
    );
    assert!(stored <= orbits + orbits / 200, "{stored} markings are stored for {orbits} orbits");
}

fn reachable(net: &ColouredNet) -> Vec<ColouredMarking> {
    let mut all = vec![net.initial()];
    let mut seen: std::collections::HashSet<ColouredMarking> = all.iter().cloned().collect();
    let mut at = 0;
    while at < all.len() {
        let marking = all[at].clone();
        for step in net.steps(&marking) {
            let next = net.fire(&marking, &step).unwrap();
            if seen.insert(next.clone()) {
                all.push(next);
            }
        }
        at += 1;
    }
    all
}

/// All permutations of each sort that are symmetries, combined.
fn group(net: &ColouredNet, symmetries: &ColourSymmetries) -> Vec<Vec<Vec<u64>>> {
    let mut all = vec![Vec::new()];
    for at in 0..net.sorts().iter().len() {
        let size = net.sorts()[SortId::new(at)].size();
        let own: Vec<Vec<u64>> = match symmetries.sort(SortId::new(at)) {
            SortSymmetry::Rigid => vec![(0..size).collect()],
            SortSymmetry::Rotations => {
                (0..size).map(|by| (0..size).map(|c| (c + by) % size).collect()).collect()
            }
            SortSymmetry::Blocks(blocks) => {
                let keeps = |p: &Vec<u64>| (0..).zip(p).all(|(c, &to)| blocks[c] == blocks[to as usize]);
                permutations(size).into_iter().filter(keeps).collect()
            }
        };
        let longer = |head: &Vec<Vec<u64>>| {
            own.iter().map(|last| [&head[..], std::slice::from_ref(last)].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn permutations(size: u64) -> Vec<Vec<u64>> {
    (0..size).fold(vec![Vec::new()], |all, next| {
        let insert = |shorter: &Vec<u64>| {
            (0..=shorter.len())
                .map(|at| [&shorter[..at], &[next], &shorter[at..]].concat())
                .collect::<Vec<_>>()
        };
        all.iter().flat_map(insert).collect()
    })
}

fn image(net: &ColouredNet, sort: SortId, colour: Colour, of: &[Vec<u64>]) -> Colour {
    match &net.sorts()[sort].kind {
        SortKind::Product(parts) => {
            let components = net.sorts().components(sort, colour);
            let images: Vec<_> = parts.iter().zip(components).map(|(&s, c)| image(net, s, c, of)).collect();
            net.sorts().tuple(parts, &images)
        }
        _ => Colour(of[sort.index()][colour.0 as usize]),
    }
}

/// The number of orbits of reachable markings, by trying every symmetry.
fn orbit_count(net: &ColouredNet, symmetries: &ColourSymmetries) -> usize {
    let group = group(net, symmetries);
    let moved = |marking: &ColouredMarking, of: &Vec<Vec<u64>>| -> Vec<Vec<(Colour, u64)>> {
        let places = net.nodes().place_ids().zip(&marking.0);
        let bag = |(place, bag): (PlaceId, &Bag)| {
            let sort = net.place(place).sort;
            let mut moved: Vec<_> = bag.iter().map(|(c, n)| (image(net, sort, c, of), n)).collect();
            moved.sort_unstable();
            moved
        };
        places.map(bag).collect()
    };
    let least =
        |marking: &ColouredMarking| group.iter().map(|of| moved(marking, of)).min().expect("the identity");
    reachable(net).iter().map(least).collect::<BTreeSet<_>>().len()
}

/// The markings that a search stores, in each order.
fn stored(net: &ColouredNet, symmetry: Symmetry) -> u64 {
    let model = Model::Coloured(net.clone());
    let sizes = [Order::BreadthFirst, Order::DepthFirst, Order::BestFirst].map(|order| {
        let coloured = ColouredConfig { symmetry, ..ColouredConfig::default() };
        let engine = Explicit { order, coloured, ..Explicit::default() };
        let outcome = &outcomes(&engine, &model, &[needs_all()], 1 << 30)[0];
        assert_eq!(outcome.verdict, Verdict::Fails);
        outcome.statistics.states
    });
    assert!(sizes.iter().all(|&size| size == sizes[0]), "the order makes no difference");
    sizes[0]
}

#[test]
fn families_store_one_marking_of_each_orbit() {
    let mut smaller = 0;
    for family in families::all().iter().filter(|family| family.offers(FamilyKind::Coloured)) {
        let parameters: Vec<u64> = family.parameters.iter().map(|p| p.min.max(3)).collect();
        let model = family.generate(FamilyKind::Coloured, &parameters).unwrap();
        let net = coloured(&model);
        let markings = stored(net, Symmetry::Off);
        if markings > 20_000 {
            continue;
        }
        let engine = Explicit::default();
        let size = outcomes(&engine, &model, &[Query::Global(Global::StateSpace), needs_all()], 1 << 30);
        assert_eq!(size[0].statistics.states, markings, "all markings are counted");
        let symmetries = ColourSymmetries::of(net, &[needs_all()]);
        let orbits = stored(net, Symmetry::On);
        assert_eq!(orbits, orbit_count(net, &symmetries) as u64, "{}", family.name);
        smaller += usize::from(orbits < markings);
    }
    assert!(smaller >= 2, "only {smaller} families have symmetries");
}

/// A net over processes of one kind, each in one place of `places` at first.
struct Processes {
    builder: ColouredNetBuilder,
    sort: SortId,
}

impl Processes {
    fn new(count: u64) -> Self {
        let mut builder = ColouredNetBuilder::new("processes");
        let constants = (0..count).map(|c| format!("c{c}")).collect();
        let sort = builder.sorts.add("process", SortKind::Enumeration { constants, cyclic: true }).unwrap();
        Self { builder, sort }
    }

    fn all(&self) -> Bag {
        let size = self.builder.sorts[self.sort].size();
        Bag::collect((0..size).map(|c| (Colour(c), 1))).unwrap()
    }
}

#[test]
fn independent_processes_are_counted_by_place() {
    let mut processes = Processes::new(12);
    let (all, x) = (processes.all(), processes.builder.variable("x", processes.sort));
    let Processes { mut builder, sort } = processes;
    let places: Vec<PlaceId> = [all, Bag::default(), Bag::default()]
        .into_iter()
        .enumerate()
        .map(|(at, initial)| builder.place(&format!("p{at}"), sort, initial).unwrap())
        .collect();
    let x = || BagTerm::One(ColourTerm::Variable(x));
    for at in 0..3 {
        let t = builder.transition(&format!("t{at}"), Guard::Constant(true)).unwrap();
        builder.input(places[at], t, x()).unwrap();
        builder.output(t, places[(at + 1) % 3], x()).unwrap();
    }
    let net = builder.build();
    assert_eq!(stored(&net, Symmetry::On), 14 * 13 / 2, "the ways to write 12 as a sum of three");
    assert_eq!(stored(&net, Symmetry::Off), 3u64.pow(12));
}

#[test]
fn rings_are_counted_up_to_rotation() {
    let mut processes = Processes::new(12);
    let x = processes.builder.variable("x", processes.sort);
    let (sort, all) = (processes.sort, processes.all());
    let mut builder = processes.builder;
    let full = Bag::collect([0, 3, 4].map(|c| (Colour(c), 1))).unwrap();
    let free = builder.place("free", sort, all.minus(&full)).unwrap();
    let full = builder.place("full", sort, full).unwrap();
    let t = builder.transition("pass", Guard::Constant(true)).unwrap();
    let own = || BagTerm::One(ColourTerm::Variable(x));
    let next = || BagTerm::One(ColourTerm::Shift { term: Box::new(ColourTerm::Variable(x)), sort, by: 1 });
    builder.input(full, t, own()).unwrap();
    builder.input(free, t, next()).unwrap();
    builder.output(t, full, next()).unwrap();
    builder.output(t, free, own()).unwrap();
    let net = builder.build();
    assert_eq!(stored(&net, Symmetry::On), 19, "necklaces of 12 beads, three of them black");
    assert_eq!(stored(&net, Symmetry::Off), 220, "the ways to place three tokens on 12 places");
}

#[test]
fn handshakes_are_counted_as_graphs() {
    // Each pair of five processes may shake hands once: the markings are the graphs with five nodes.
    let mut processes = Processes::new(5);
    let (x, y) = ("x", "y");
    let [x, y] = [x, y].map(|name| processes.builder.variable(name, processes.sort));
    let Processes { mut builder, sort } = processes;
    let pair = builder.sorts.add("pair", SortKind::Product(vec![sort, sort])).unwrap();
    let pairs = (0..5).flat_map(|a| (0..5).filter(move |&b| a != b).map(move |b| (Colour(5 * a + b), 1)));
    let apart = builder.place("apart", pair, Bag::collect(pairs).unwrap()).unwrap();
    let t = builder.transition("shake", Guard::Constant(true)).unwrap();
    let tuple =
        |a, b| BagTerm::One(ColourTerm::Tuple(pair, vec![ColourTerm::Variable(a), ColourTerm::Variable(b)]));
    builder.input(apart, t, BagTerm::Sum(vec![tuple(x, y), tuple(y, x)])).unwrap();
    let net = builder.build();
    assert_eq!(stored(&net, Symmetry::On), 34, "graphs with five nodes up to isomorphism");
    assert_eq!(stored(&net, Symmetry::Off), 1 << 10);
}
