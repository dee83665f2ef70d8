//! Stubborn sets against the reference checker: random nets of several parts that hang together loosely, with weights,
//! inhibitor arcs and deadlocks; each kind of question alone and several at once; each order and switch.

mod common;

use common::outcomes;
use fireset_engine::{
    Access, AutomatonOrder, Choice, Deepening, Encoding, Engine, Explicit, FiresetMode, OnTheFly, Order,
    Stubborn,
};
use fireset_net::{
    Budget, Count, Evidence, Formula, Global, Model, Net, NetBuilder, Nodes, PlaceId, Quantifier, Query,
    StopReason, Technique, Verdict,
    families::{self, Kind},
    replay,
};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};

/// States of a net that the reference checker may hold.
const MAX_STATES: usize = 500;
/// Bytes that an engine may hold.
const MEMORY: u64 = 1 << 19;

/// Two to four small nets in one, and a few arcs between them.
fn parts(random: &mut TestRng) -> Net {
    let mut builder = NetBuilder::new("parts");
    let (mut places, mut transitions) = (Vec::new(), Vec::new());
    let inhibitors = if random.percent(30) { 30 } else { 0 };
    for part in 0..random.within(2, 4) {
        let tokens = random.within(1, 2);
        let shape = NetShape { places: 3, transitions: 3, tokens, inhibitors, ..NetShape::default() };
        let net = random::net(random, &shape);
        let first = places.len();
        for place in net.nodes().place_ids() {
            let tokens = net.initial_marking().tokens(place);
            places.push(builder.place(&format!("p{part}.{}", place.index()), tokens).unwrap());
        }
        for t in net.nodes().transition_ids() {
            let new = builder.transition(&format!("t{part}.{}", t.index())).unwrap();
            let place = |p: PlaceId| places[first + p.index()];
            net.pre(t).iter().for_each(|arc| builder.input(place(arc.place), new, arc.weight));
            net.post(t).iter().for_each(|arc| builder.output(new, place(arc.place), arc.weight));
            net.inhibitors(t).iter().for_each(|arc| builder.inhibitor(place(arc.place), new, arc.weight));
            transitions.push(new);
        }
    }
    for _ in 0..random.below(3) {
        let (place, transition) = (*random.pick(&places), *random.pick(&transitions));
        match random.below(4) {
            0 => builder.input(place, transition, random.within(1, 2)),
            1 => {
                builder.input(place, transition, 1);
                builder.output(transition, place, 1);
            }
            2 => {
                builder.input(place, transition, 1);
                builder.output(transition, *random.pick(&places), 1);
            }
            _ => builder.inhibitor(place, transition, random.within(1, 2)),
        }
    }
    builder.build().expect("small weights do not overflow")
}

/// The explicit engine in each order and with other switches.
fn ways() -> Vec<Explicit> {
    let breadth = Explicit::default();
    let depth = Explicit { order: Order::DepthFirst, ..breadth };
    vec![
        breadth,
        Explicit { threads: 3, encoding: Choice::Only(Encoding::Wide), ..breadth },
        Explicit { access: Access::Decode, encoding: Choice::Only(Encoding::Invariant), ..breadth },
        Explicit { encoding: Choice::Only(Encoding::Safe), ..breadth },
        depth,
        Explicit { encoding: Choice::Only(Encoding::Safe), ..depth },
        Explicit { fireset: FiresetMode::Full, encoding: Choice::Only(Encoding::Wide), ..depth },
        Explicit { order: Order::BestFirst, ..breadth },
    ]
}

/// What has been compared.
#[derive(Debug, Default)]
struct Tally {
    nets: usize,
    compared: usize,
    holds: usize,
    fails: usize,
    witnesses: usize,
    infinite: usize,
    /// States seen with stubborn sets and without.
    with: u64,
    without: u64,
}

impl Tally {
    /// Compares an engine with what is expected of it; gives the states that it saw.
    fn compare(
        &mut self,
        engine: &dyn Engine,
        (model, queries, expected): (&Model, &[Query], &[Verdict]),
        label: &str,
    ) -> u64 {
        let given = outcomes(engine, model, queries, MEMORY);
        let mut states = 0;
        for ((query, given), expected) in queries.iter().zip(given).zip(expected) {
            states = states.max(given.statistics.states);
            if matches!(expected, Verdict::Unknown(_))
                || matches!(given.verdict, Verdict::Unknown(StopReason::Memory | StopReason::Formula(_)))
            {
                continue;
            }
            assert_eq!(given.verdict, *expected, "{label} {query:?} {model:?}");
            self.compared += 1;
            self.holds += usize::from(given.verdict == Verdict::Holds);
            self.fails += usize::from(given.verdict == Verdict::Fails);
            if let Some(evidence) = &given.evidence {
                self.witnesses += 1;
                replay::confirm(model, query, &given.verdict, evidence)
                    .unwrap_or_else(|why| panic!("{label} {query:?} {model:?}: {}", why.describe(model)));
            }
        }
        states
    }
}

/// How long a run is.
fn steps(evidence: &Option<Evidence>) -> Option<usize> {
    match evidence {
        Some(Evidence::Trace(trace)) => Some(trace.0.len()),
        _ => None,
    }
}

/// The verdicts of the reference checker, and whether the net has few states.
fn expected(model: &Model, queries: &[Query]) -> (Vec<Verdict>, bool) {
    let mut asked = queries.to_vec();
    asked.push(Query::Global(Global::StateSpace));
    let outcomes = fireset_oracle::outcomes(model, &asked, MAX_STATES, &Budget::unlimited());
    let mut verdicts: Vec<Verdict> = outcomes.into_iter().map(|outcome| outcome.verdict).collect();
    let size = verdicts.pop().expect("the last query asks for it");
    let finite = matches!(size, Verdict::StateSpace(figures) if figures.states != Count::Infinite);
    (verdicts, finite)
}

#[test]
fn states_that_are_looked_for() {
    let mut tally = Tally::default();
    for seed in 0..3_000 {
        let mut random = TestRng::new(seed);
        let model = Model::Plain(parts(&mut random));
        let mut queries = vec![Query::Reachable(Formula::Deadlock)];
        for _ in 0..3 {
            let depth = random.below(4);
            queries.push(Query::Reachable(random::predicate(&mut random, model.nodes(), depth)));
            queries.push(Query::Invariant(random::predicate(&mut random, model.nodes(), depth)));
        }
        let places = model.nodes().place_ids().filter(|_| random.percent(20)).collect();
        queries.push(Query::Bound(places));
        let (verdicts, finite) = expected(&model, &queries);
        tally.infinite += usize::from(!finite);
        if !finite {
            continue;
        }
        tally.nets += 1;
        let engines = ways();
        let engine = engines[random.below(engines.len())];
        let alone = |at: usize| (&model, &queries[at..=at], &verdicts[at..=at]);
        let label = format!("seed {seed} {engine:?}");
        for (at, query) in queries.iter().enumerate() {
            tally.with += tally.compare(&engine, alone(at), &label);
            let off = Explicit { stubborn: Stubborn::Off, ..engine };
            let whole = &outcomes(&off, &model, alone(at).1, MEMORY)[0];
            tally.without += whole.statistics.states;
            // Shortest runs stay shortest.
            if engine.order == Order::BreadthFirst {
                let reduced = &outcomes(&engine, &model, alone(at).1, MEMORY)[0];
                assert_eq!(steps(&reduced.evidence), steps(&whole.evidence), "{label} {query:?}");
            }
        }
        // Some of them, so that queries are decided one after the other while others are open.
        let mut some: Vec<usize> = (0..queries.len()).filter(|_| random.percent(60)).collect();
        let mut asked: Vec<Query> = some.iter().map(|&at| queries[at].clone()).collect();
        let mut answers: Vec<Verdict> = some.drain(..).map(|at| verdicts[at].clone()).collect();
        for engine in engines {
            tally.compare(&engine, (&model, &asked, &answers), &format!("seed {seed} {engine:?} together"));
        }
        // A query that needs all states, for a while.
        asked.push(Query::Global(Global::OneSafe));
        answers.extend(expected(&model, &asked[asked.len() - 1..]).0);
        tally.compare(&engine, (&model, &asked, &answers), &format!("{label} with a global property"));
    }
    assert!(tally.nets > 2_000 && tally.holds > 20_000 && tally.fails > 20_000, "{tally:?}");
    assert!(tally.without * 100 > tally.with * 115, "{tally:?}");
}

/// Parts that do not know each other, each of which can take one step.
fn independent(count: usize) -> Model {
    let places: Vec<String> = (0..count).map(|n| format!("p{n}:1 q{n}")).collect();
    let transitions: Vec<String> = (0..count).map(|n| format!("t{n}: p{n} -> q{n}")).collect();
    Model::Plain(tiny::net(&format!("{}; {}", places.join(" "), transitions.join("; "))))
}

#[test]
fn independent_steps_are_taken_in_one_order() {
    let model = independent(12);
    let last = model.nodes().transition_ids().last().unwrap();
    for engine in ways() {
        let deadlock = [Query::Reachable(Formula::Deadlock)];
        let found = &outcomes(&engine, &model, &deadlock, MEMORY)[0];
        assert_eq!((&found.verdict, found.statistics.states), (&Verdict::Holds, 13), "{engine:?}");
        assert!(found.techniques.contains(&Technique::StubbornSets));
        // Only its own step brings it nearer.
        let done = [Query::Invariant(Formula::Fireable(vec![last]))];
        let found = &outcomes(&engine, &model, &done, MEMORY)[0];
        assert_eq!((&found.verdict, found.statistics.states), (&Verdict::Fails, 2), "{engine:?}");
        let off = Explicit { stubborn: Stubborn::Off, ..engine };
        let without = &outcomes(&off, &model, &deadlock, MEMORY)[0];
        assert!(!without.techniques.contains(&Technique::StubbornSets));
    }
    let off = Explicit { stubborn: Stubborn::Off, ..Explicit::default() };
    let never = [Query::Invariant(Formula::Constant(true))];
    assert_eq!(outcomes(&off, &model, &never, MEMORY)[0].statistics.states, 1 << 12);
    // Nothing makes it false, so nothing has to fire.
    assert_eq!(outcomes(&Explicit::default(), &model, &never, MEMORY)[0].statistics.states, 1);
}

#[test]
fn the_state_space_is_whole() {
    let model = families::find("kanban").unwrap().generate(Kind::Plain, &[2]).unwrap();
    let queries = [Query::Global(Global::StateSpace), Query::Reachable(Formula::Deadlock)];
    let size = &outcomes(&Explicit::default(), &model, &queries, 1 << 24)[0].verdict;
    assert!(matches!(size, Verdict::StateSpace(figures) if figures.states == 4_600_u64.into()), "{size:?}");
}

/// A path formula without `X`; most are without `deadlock` too, because it keeps sets from being used.
fn without_next(formula: Formula, random: &mut TestRng, nodes: &Nodes) -> Formula {
    match formula {
        Formula::Next(f) => without_next(*f, random, nodes),
        Formula::Deadlock if random.percent(90) => random::predicate(random, nodes, 0),
        other => other.map_children(&mut |f| without_next(f, random, nodes)),
    }
}

/// The LTL engine with each switch turned.
fn ltl_ways() -> Vec<OnTheFly> {
    let best = OnTheFly::default();
    vec![
        best,
        OnTheFly { deepening: Deepening::Off, ..best },
        OnTheFly { deepening: Deepening::From { first: 1, factor: 2 }, ..best },
        OnTheFly { deepening: Deepening::From { first: 4, factor: 3 }, ..best },
        OnTheFly { fireset: FiresetMode::Full, ..best },
        OnTheFly { automaton_order: AutomatonOrder::Plain, ..best },
        OnTheFly { access: Access::Decode, ..best },
        OnTheFly { encoding: Choice::Only(Encoding::Safe), ..best },
    ]
}

#[test]
fn runs_without_next() {
    let mut tally = Tally::default();
    for seed in 0..2_200 {
        let mut random = TestRng::new(seed);
        let model = Model::Plain(parts(&mut random));
        let mut query = |nesting| loop {
            let quantifier = if random.percent(70) { Quantifier::ForAll } else { Quantifier::Exists };
            let drawn = random::nested_path(&mut random, model.nodes(), nesting);
            let formula = without_next(drawn, &mut random, model.nodes());
            if formula.temporal_depth() == nesting {
                return Query::Ltl(quantifier, formula);
            }
        };
        let queries: Vec<Query> = (1..=4).map(&mut query).collect();
        let (verdicts, finite) = expected(&model, &queries);
        tally.infinite += usize::from(!finite);
        if !finite {
            continue;
        }
        tally.nets += 1;
        let engines = ltl_ways();
        for engine in [engines[0], engines[1 + seed as usize % 3], engines[4 + seed as usize % 4]] {
            let all = (&model, &queries[..], &verdicts[..]);
            tally.compare(&engine, all, &format!("seed {seed} {engine:?}"));
        }
        for stubborn in [Stubborn::On, Stubborn::Off] {
            let engine = OnTheFly { stubborn, ..OnTheFly::default() };
            let states =
                outcomes(&engine, &model, &queries, MEMORY).iter().map(|o| o.statistics.states).sum::<u64>();
            *(if stubborn == Stubborn::On { &mut tally.with } else { &mut tally.without }) += states;
        }
    }
    assert!(tally.nets > 1_800 && tally.holds > 10_000 && tally.fails > 10_000, "{tally:?}");
    assert!(tally.without * 100 > tally.with * 105, "{tally:?}");
}

#[test]
fn runs_of_independent_parts() {
    let model = independent(10);
    let first = Formula::Fireable(vec![model.nodes().transition_ids().next().unwrap()]);
    // Where it can fire it does, at some time.
    let query =
        [Query::Ltl(Quantifier::ForAll, Formula::Globally(Formula::Finally(first.negate().into()).into()))];
    let states = |stubborn| {
        let engine = OnTheFly { stubborn, ..OnTheFly::default() };
        let outcome = &outcomes(&engine, &model, &query, 1 << 24)[0];
        assert_eq!(outcome.verdict, Verdict::Holds);
        outcome.statistics.states
    };
    assert_eq!((states(Stubborn::On), states(Stubborn::Off)), (11, 1 << 10));
}
