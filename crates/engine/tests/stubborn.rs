//! Stubborn sets against the oracle: random nets of several parts that hang together loosely, with weights,
//! inhibitor arcs and deadlocks; each kind of question alone and several at once; each order and switch.

mod common;

use std::ops::Range;

use std::fmt::Debug;

use common::outcomes;
use fireset_engine::{
    Access, AutomatonOrder, Deepening, Encoding, Engine, Explicit, FiresetMode, LayoutChoice, LtlEngine,
    Order, RunEngine, Stubborn,
};
use fireset_net::{
    Evidence, Fairness, Formula, Global, Model, Net, NetBuilder, Nodes, Outcome, PlaceId, Problem,
    Quantifier, Query, RunQuery, StepSet, StopReason, Technique, TransitionId, Verdict,
    families::{self, FamilyKind},
};
use fireset_oracle::{
    OracleCase, OracleCounts, query,
    random::{self, NetShape, TestRng},
    tiny,
};

/// Markings of a net that the oracle may hold.
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
        Explicit { threads: 3, encoding: LayoutChoice::Only(Encoding::Wide), ..breadth },
        Explicit { access: Access::Decode, encoding: LayoutChoice::Only(Encoding::Invariant), ..breadth },
        Explicit { encoding: LayoutChoice::Only(Encoding::Safe), ..breadth },
        depth,
        Explicit { encoding: LayoutChoice::Only(Encoding::Safe), ..depth },
        Explicit { fireset: FiresetMode::Full, encoding: LayoutChoice::Only(Encoding::Wide), ..depth },
        Explicit { order: Order::BestFirst, ..breadth },
    ]
}

/// States seen with stubborn sets and without.
#[derive(Debug, Default)]
struct StatesSeen {
    with: u64,
    without: u64,
}

fn states_seen(given: &[Outcome]) -> u64 {
    given.iter().map(|outcome| outcome.statistics.states).max().unwrap_or(0)
}

/// Asks an engine about some of the queries of a case, and compares.
fn compare(
    case: &OracleCase,
    engine: &dyn Engine,
    asked: &[usize],
    label: &dyn Debug,
) -> (OracleCounts, Vec<Outcome>) {
    let queries: Vec<Query> = asked.iter().map(|&at| case.problem.queries[at].clone()).collect();
    let given = outcomes(engine, &case.problem.model, &queries, MEMORY);
    let mut all = vec![None; case.problem.queries.len()];
    asked.iter().zip(&given).for_each(|(&at, outcome)| all[at] = Some(outcome.clone()));
    (case.compare(&all, &may_stop, label), given)
}

fn may_stop(case: &OracleCase, reason: &StopReason) -> bool {
    match reason {
        StopReason::Memory | StopReason::Formula(_) => true,
        reason => *reason == StopReason::Overflow && case.may_overflow(),
    }
}

/// How long a run is.
fn steps(evidence: &Option<Evidence>) -> Option<usize> {
    match evidence {
        Some(Evidence::Trace(trace)) => Some(trace.0.len()),
        _ => None,
    }
}

/// The problem of a seed with the oracle's answers, if it has few states.
fn finite_case(seed: u64, queries: impl Fn(&mut TestRng, &Model) -> Vec<Query>) -> Option<OracleCase> {
    let mut random = TestRng::new(seed);
    let model = Model::Plain(random::structured(&mut random, seed).unwrap_or_else(|| parts(&mut random)));
    let queries = queries(&mut random, &model);
    let problem = Problem { model: model.into(), queries };
    let case = OracleCase::new(seed, random, problem, MAX_STATES);
    case.is_finite().then_some(case)
}

/// The last query needs all states.
fn state_queries(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let mut queries = vec![query::reachable(Formula::Deadlock)];
    for _ in 0..3 {
        let depth = random.below(4);
        queries.push(Query::Reachable(random::predicate(random, model.nodes(), depth)));
        queries.push(Query::Invariant(random::predicate(random, model.nodes(), depth)));
    }
    queries.push(Query::Bound(model.nodes().place_ids().filter(|_| random.percent(20)).collect()));
    queries.push(Query::Global(Global::OneSafe));
    queries
}

#[test]
fn states_that_are_looked_for() {
    let (mut counts, mut states) = (OracleCounts::default(), StatesSeen::default());
    for mut case in (0..3_000).filter_map(|seed| finite_case(seed, state_queries)) {
        counts.problems += 1;
        let engines = ways();
        let engine = engines[case.random.below(engines.len())];
        let one_safe = case.problem.queries.len() - 1;
        for at in 0..one_safe {
            let (compared, reduced) = compare(&case, &engine, &[at], &engine);
            counts += compared;
            states.with += states_seen(&reduced);
            let off = Explicit { stubborn: Stubborn::Off, ..engine };
            let whole = &outcomes(&off, &case.problem.model, &case.problem.queries[at..=at], MEMORY)[0];
            states.without += whole.statistics.states;
            // Shortest runs stay shortest.
            if engine.order == Order::BreadthFirst {
                let about = || format!("{engine:?} {}", case.describe(at));
                assert_eq!(steps(&reduced[0].evidence), steps(&whole.evidence), "{}", about());
            }
        }
        // Some of them, so that queries are decided one after the other while others are open.
        let mut some: Vec<usize> = (0..one_safe).filter(|_| case.random.percent(60)).collect();
        for engine in engines {
            counts += compare(&case, &engine, &some, &("together", engine)).0;
        }
        some.push(one_safe);
        counts += compare(&case, &engine, &some, &("with a global property", engine)).0;
    }
    assert!(counts.problems > 2_000 && counts.holds > 20_000 && counts.fails > 20_000, "{counts:?}");
    assert!(states.without * 100 > states.with * 115, "{states:?}");
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
        let deadlock = [query::reachable(Formula::Deadlock)];
        let found = &outcomes(&engine, &model, &deadlock, MEMORY)[0];
        assert_eq!((&found.verdict, found.statistics.states), (&Verdict::Holds, 13), "{engine:?}");
        assert!(found.techniques.contains(&Technique::StubbornSets));
        // Only its own step brings it nearer.
        let done = [query::invariant(Formula::Fireable(vec![last]))];
        let found = &outcomes(&engine, &model, &done, MEMORY)[0];
        assert_eq!((&found.verdict, found.statistics.states), (&Verdict::Fails, 2), "{engine:?}");
        let off = Explicit { stubborn: Stubborn::Off, ..engine };
        let without = &outcomes(&off, &model, &deadlock, MEMORY)[0];
        assert!(!without.techniques.contains(&Technique::StubbornSets));
    }
    let off = Explicit { stubborn: Stubborn::Off, ..Explicit::default() };
    let never = [query::invariant(Formula::Constant(true))];
    assert_eq!(outcomes(&off, &model, &never, MEMORY)[0].statistics.states, 1 << 12);
    // Nothing makes it false, so nothing has to fire.
    assert_eq!(outcomes(&Explicit::default(), &model, &never, MEMORY)[0].statistics.states, 1);
}

#[test]
fn the_state_space_is_whole() {
    let model = families::find("kanban").unwrap().generate(FamilyKind::Plain, &[2]).unwrap();
    let queries = [Query::Global(Global::StateSpace), query::reachable(Formula::Deadlock)];
    let size = &outcomes(&Explicit::default(), &model, &queries, 1 << 24)[0].verdict;
    assert!(matches!(size, Verdict::StateSpace(figures) if figures.states == 4_600_u64.into()), "{size:?}");
}

/// A path formula without `X`; most are without `deadlock` too, because it keeps sets from being used.
fn without_next(formula: Formula, random: &mut TestRng, nodes: &Nodes) -> Formula {
    match formula {
        Formula::Next(f) => without_next(*f, random, nodes),
        Formula::Deadlock if random.percent(90) => random::predicate(random, nodes, 0).into(),
        other => other.map_children(&mut |f| without_next(f, random, nodes)),
    }
}

/// The LTL engine with each switch turned.
fn ltl_ways() -> Vec<LtlEngine> {
    let best = LtlEngine::default();
    vec![
        best,
        LtlEngine { deepening: Deepening::Off, ..best },
        LtlEngine { deepening: Deepening::From { first: 1, factor: 2 }, ..best },
        LtlEngine { deepening: Deepening::From { first: 4, factor: 3 }, ..best },
        LtlEngine { fireset: FiresetMode::Full, ..best },
        LtlEngine { automaton_order: AutomatonOrder::Plain, ..best },
        LtlEngine { access: Access::Decode, ..best },
        LtlEngine { encoding: LayoutChoice::Only(Encoding::Safe), ..best },
    ]
}

fn queries_without_next(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let mut query = |nesting| loop {
        let quantifier = if random.percent(70) { Quantifier::ForAll } else { Quantifier::Exists };
        let drawn = random::nested_path(random, model.nodes(), nesting);
        let formula = without_next(drawn.into(), random, model.nodes());
        if formula.temporal_depth() == nesting {
            return query::ltl(quantifier, formula);
        }
    };
    (1..=4).map(&mut query).collect()
}

/// Seeds are halved, so that both halves are tested at the same time.
#[test]
fn runs_without_next() {
    compare_runs(0..1_100);
}

#[test]
fn more_runs_without_next() {
    compare_runs(1_100..2_200);
}

fn compare_runs(seeds: Range<u64>) {
    let (mut counts, mut states) = (OracleCounts::default(), StatesSeen::default());
    for case in seeds.filter_map(|seed| finite_case(seed, queries_without_next)) {
        counts.problems += 1;
        let (engines, number) = (ltl_ways(), case.seed as usize);
        for engine in [engines[0], engines[1 + number % 3], engines[4 + number % 4]] {
            counts += compare(&case, &engine, &[0, 1, 2, 3], &engine).0;
        }
        for stubborn in [Stubborn::On, Stubborn::Off] {
            let engine = LtlEngine { stubborn, ..LtlEngine::default() };
            let given = outcomes(&engine, &case.problem.model, &case.problem.queries, MEMORY);
            let seen = given.iter().map(|outcome| outcome.statistics.states).sum::<u64>();
            *(if stubborn == Stubborn::On { &mut states.with } else { &mut states.without }) += seen;
        }
    }
    assert!(counts.problems > 900 && counts.holds > 5_000 && counts.fails > 5_000, "{counts:?}");
    assert!(states.without * 100 > states.with * 105, "{states:?}");
}

#[test]
fn runs_of_independent_parts() {
    let model = independent(10);
    let first = Formula::Fireable(vec![model.nodes().transition_ids().next().unwrap()]);
    // Where it can fire it does, at some time.
    let query =
        [query::ltl(Quantifier::ForAll, Formula::Globally(Formula::Finally(first.negate().into()).into()))];
    let states = |stubborn| {
        let engine = LtlEngine { stubborn, ..LtlEngine::default() };
        let outcome = &outcomes(&engine, &model, &query, 1 << 24)[0];
        assert_eq!(outcome.verdict, Verdict::Holds);
        outcome.statistics.states
    };
    assert_eq!((states(Stubborn::On), states(Stubborn::Off)), (11, 1 << 10));
}

/// One or two transitions fire.
fn fires(random: &mut TestRng, nodes: &Nodes) -> Formula {
    let all: Vec<TransitionId> = nodes.transition_ids().collect();
    let transitions = (0..random.within(1, 2)).map(|_| *random.pick(&all)).collect();
    Formula::Fired(StepSet { transitions, ..StepSet::default() })
}

/// A formula about steps that is closed under stuttering, unless it asks for a deadlock.
fn closed_formula(random: &mut TestRng, nodes: &Nodes, depth: usize) -> Formula {
    if depth == 0 {
        return random::predicate(random, nodes, 0).into();
    }
    let choice = random.below(10);
    let mut inner = || closed_formula(random, nodes, depth - 1);
    let (f, g) = (inner(), inner());
    let step = fires(random, nodes);
    match choice {
        0 => Formula::Finally(Formula::And(vec![step, f]).into()),
        1 => Formula::Globally(step.implies(f).into()),
        2 => Formula::Until(step.negate().into(), fires(random, nodes).into()),
        3 => Formula::WeakUntil(step.negate().into(), fires(random, nodes).into()),
        4 => Formula::Globally(Formula::Finally(step.into()).into()),
        5 => Formula::Until(f.clone().into(), Formula::And(vec![f, step]).into()),
        6 => Formula::Until(Formula::Or(vec![f, step.negate()]).into(), g.into()),
        7 => Formula::And(vec![f, g]),
        8 => Formula::Iff(f.into(), g.into()),
        _ => Formula::Not(Formula::Release(f.into(), g.into()).into()),
    }
}

fn run_queries(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let nodes = model.nodes();
    let mut query = |depth| loop {
        let formula = closed_formula(random, nodes, depth);
        if !(1..=5).contains(&formula.temporal_operators()) {
            continue;
        }
        let mut fairness =
            if random.percent(40) { random::fairness(random, model) } else { Fairness::default() };
        fairness.0.truncate(2);
        let quantifier = *random.pick(&[Quantifier::ForAll, Quantifier::Exists]);
        return Query::Run(RunQuery { quantifier, formula: query::typed(formula), fairness });
    };
    [1, 2, 2, 3].into_iter().map(&mut query).collect()
}

/// The engine for runs with each switch turned.
fn run_ways() -> [RunEngine; 4] {
    let best = RunEngine::default();
    [
        best,
        RunEngine { deepening: Deepening::Off, ..best },
        RunEngine { deepening: Deepening::From { first: 1, factor: 2 }, ..best },
        RunEngine { fireset: FiresetMode::Full, ..best },
    ]
}

/// Seeds are halved, so that both halves are tested at the same time.
#[test]
fn runs_with_steps() {
    compare_steps(0..400);
}

#[test]
fn more_runs_with_steps() {
    compare_steps(400..800);
}

fn compare_steps(seeds: Range<u64>) {
    let (mut counts, mut states, mut reduced) = (OracleCounts::default(), StatesSeen::default(), 0);
    for case in seeds.filter_map(|seed| finite_case(seed, run_queries)) {
        counts.problems += 1;
        for engine in run_ways() {
            counts += compare(&case, &engine, &[0, 1, 2, 3], &engine).0;
        }
        for stubborn in [Stubborn::On, Stubborn::Off] {
            let engine = RunEngine { stubborn, ..RunEngine::default() };
            let given = outcomes(&engine, &case.problem.model, &case.problem.queries, MEMORY);
            let seen = given.iter().map(|outcome| outcome.statistics.states).sum::<u64>();
            *(if stubborn == Stubborn::On { &mut states.with } else { &mut states.without }) += seen;
            let is_reduced = |outcome: &&Outcome| outcome.techniques.contains(&Technique::StubbornSets);
            reduced += given.iter().filter(is_reduced).count();
        }
    }
    assert!(counts.problems > 280 && counts.holds > 1_200 && counts.fails > 1_200, "{counts:?}");
    assert!(reduced > 800 && states.without > states.with, "{reduced} {states:?}");
}

#[test]
fn steps_of_independent_parts() {
    let model = independent(10);
    let first: StepSet = model.nodes().transition_ids().next().unwrap().into();
    let fired = Formula::Finally(Formula::Fired(first).into());
    let (quantifier, fairness) = (Quantifier::ForAll, Fairness::default());
    let query = [Query::Run(RunQuery { quantifier, formula: query::typed(fired), fairness })];
    let states = |stubborn| {
        let engine = RunEngine { stubborn, ..RunEngine::default() };
        let outcome = &outcomes(&engine, &model, &query, 1 << 24)[0];
        assert_eq!(outcome.verdict, Verdict::Holds);
        outcome.statistics.states
    };
    assert_eq!((states(Stubborn::On), states(Stubborn::Off)), (11, 1 << 10));
}
