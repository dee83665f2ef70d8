//! Explorations in many pieces against the oracle and against an uninterrupted one; and what is not resumed.

use std::sync::atomic::AtomicUsize;

use fireset_net::{
    Budget, Comparison, Expr, Global, Outcome, PlaceId, Problem, StateAtom, StopReason, Verdict,
    families::{self, FamilyKind},
};
use fireset_oracle::{
    OracleTest, against_oracle,
    random::{self, NetShape, TestRng},
};

use super::*;
use crate::{Encoding, Engine, FiresetMode, LayoutChoice, Order, ResultSink, ResumableExplicit, Stubborn};

/// Counts the polls of a budget, and ends the time after some. It is asked at each poll because it stands for memory.
#[derive(Debug)]
struct PollLimit {
    left: AtomicUsize,
    over: Signal,
}

impl MemoryReserve for PollLimit {
    fn bytes(&self) -> u64 {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.over.give(StopReason::Time);
        }
        0
    }

    fn release(&self) {}
}

pub(super) fn polls(limit: usize) -> Budget {
    let over = Signal::default();
    let reserve = PollLimit { left: AtomicUsize::new(limit), over: over.clone() };
    Budget::unlimited().heeding(&over).with_reserve(Arc::new(reserve))
}

/// An engine whose runs all leave their explorations in one place.
struct InPieces {
    explicit: Explicit,
    suspended: Arc<SuspendedExplorations>,
}

impl InPieces {
    fn new(explicit: Explicit) -> Self {
        Self { explicit, suspended: Arc::default() }
    }

    /// One run on some queries of a problem; gives the positions of those that stay open for lack of time or states.
    fn run(
        &self,
        explicit: Explicit,
        problem: &Problem,
        open: &[usize],
        budget: &Budget,
        report: &mut dyn FnMut(usize, Outcome),
    ) -> Vec<usize> {
        let queries = open.iter().map(|&at| problem.queries[at].clone()).collect();
        let part = Problem { model: problem.model.clone(), queries };
        let mut left = Vec::new();
        let engine = ResumableExplicit { explicit, suspended: self.suspended.clone() };
        engine.decide(&part, budget, &mut |at: usize, outcome: Outcome| match outcome.verdict {
            Verdict::Unknown(StopReason::Time | StopReason::States(_)) => left.push(open[at]),
            _ => report(open[at], outcome),
        });
        left.sort_unstable();
        left
    }

    /// Runs with more and more polls until nothing is open; `keep` chooses the queries that are still asked after a run.
    fn decide(
        &self,
        problem: &Problem,
        mut keep: impl FnMut(Vec<usize>) -> Vec<usize>,
        report: &mut dyn FnMut(usize, Outcome),
    ) {
        let mut open: Vec<usize> = (0..problem.queries.len()).collect();
        for limit in 1.. {
            let threads = if limit % 2 == 0 { self.explicit.threads } else { 1 };
            let left = self.run(Explicit { threads, ..self.explicit }, problem, &open, &polls(limit), report);
            open = keep(left);
            if open.is_empty() {
                return;
            }
        }
    }
}

pub(super) fn net(random: &mut TestRng, seed: u64) -> Model {
    let shape = NetShape { inhibitors: if random.percent(30) { 30 } else { 0 }, ..NetShape::default() };
    let structured = random::structured(random, seed);
    Model::Plain(structured.unwrap_or_else(|| random::net(random, &shape)))
}

/// Queries that look for certain states, so that stubborn sets are used.
fn goals(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let mut queries = vec![Query::Reachable(StateAtom::Deadlock.into())];
    for _ in 0..2 {
        queries.push(Query::Reachable(random::predicate(random, model.nodes(), 2)));
        queries.push(Query::Invariant(random::predicate(random, model.nodes(), 2)));
    }
    queries.push(Query::Bound(model.nodes().place_ids().filter(|_| random.percent(30)).collect()));
    queries
}

fn all_kinds(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let globals =
        [Global::StateSpace, Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness];
    let mut queries = goals(random, model);
    queries.extend(globals.map(Query::Global));
    queries
}

/// Every order, with stubborn sets and without, with one thread and two.
fn ways() -> Vec<Explicit> {
    let each = |stubborn| {
        let breadth = Explicit { stubborn, ..Explicit::default() };
        let depth = Explicit { order: Order::DepthFirst, ..breadth };
        [
            breadth,
            Explicit { threads: 2, ..breadth },
            Explicit { encoding: LayoutChoice::Only(Encoding::Safe), ..breadth },
            depth,
            Explicit { encoding: LayoutChoice::Only(Encoding::Safe), ..depth },
            Explicit { fireset: FiresetMode::Full, ..depth },
            Explicit { order: Order::BestFirst, ..breadth },
        ]
    };
    [Stubborn::On, Stubborn::Off].into_iter().flat_map(each).collect()
}

/// The comparison with the oracle, in which `keep` says which queries go on.
fn compare(
    seeds: std::ops::Range<u64>,
    model: &dyn Fn(&mut TestRng, u64) -> Model,
    queries: &dyn Fn(&mut TestRng, &Model) -> Vec<Query>,
    keep: fn(Vec<usize>) -> Vec<usize>,
) {
    let test = OracleTest {
        seeds,
        model,
        queries,
        max_states: 400,
        configurations: &|case| match case.is_finite() && case.is_decided() {
            true => ways(),
            false => vec![],
        },
        may_stop: &|case, reason| *reason == StopReason::Overflow && case.may_overflow(),
        budget: &|_| Budget::unlimited(),
    };
    let mut resumed = 0;
    let decide =
        |explicit: &Explicit, problem: &Problem, _: &Budget, report: &mut dyn FnMut(usize, Outcome)| {
            let pieces = InPieces::new(*explicit);
            pieces.decide(problem, keep, report);
            resumed += pieces.suspended.resumed();
        };
    let counts = against_oracle(&test, decide, |_, _, _| ());
    assert!(counts.problems > 30 && counts.compared > 1_000, "{counts:?}");
    assert!(resumed > counts.problems * ways().len(), "only {resumed} resumed");
}

#[test]
fn explorations_in_pieces_agree_with_the_oracle() {
    compare(0..150, &net, &goals, |open| open);
    compare(150..250, &net, &all_kinds, |open| open);
}

#[test]
fn fewer_queries_go_on() {
    // The last query that is open is closed after each run.
    let fewer = |mut open: Vec<usize>| {
        open.truncate(open.len().saturating_sub(1).max(1));
        open
    };
    compare(300..420, &net, &goals, fewer);
    compare(420..500, &net, &all_kinds, fewer);
}

#[test]
fn coloured_nets_in_pieces() {
    let model = |random: &mut TestRng, _| Model::Coloured(random::coloured(random, 10));
    compare(0..150, &model, &all_kinds, |open| open);
}

/// The verdict, the states, the firings and the length of the run.
fn figures(outcome: &Outcome) -> (Verdict, u64, u64, Option<usize>) {
    let length = match &outcome.evidence {
        Some(fireset_net::Evidence::Trace(trace)) => Some(trace.0.len()),
        _ => None,
    };
    (outcome.verdict.clone(), outcome.statistics.states, outcome.statistics.firings, length)
}

/// A query that needs all states counts each state and each firing once, however often its exploration is suspended.
#[test]
fn nothing_is_counted_twice() {
    let family =
        |name, parameters| families::find(name).unwrap().generate(FamilyKind::Plain, parameters).unwrap();
    let tokens = Expr::Tokens(vec![PlaceId::new(0)]);
    let unreachable =
        Query::Reachable(StateAtom::Compare(Comparison::GreaterEqual, tokens, Expr::Constant(100)).into());
    let mut resumed = 0;
    for model in [family("kanban", &[2][..]), family("philosophers", &[6]), family("token-ring", &[5])] {
        for query in [Query::Global(Global::StateSpace), unreachable.clone()] {
            let problem = Problem { model: model.clone().into(), queries: vec![query] };
            for explicit in ways() {
                let mut whole = None;
                explicit
                    .decide(&problem, &Budget::unlimited(), &mut |_: usize, outcome| whole = Some(outcome));
                let pieces = InPieces::new(explicit);
                let mut given = None;
                pieces.decide(&problem, |open| open, &mut |_, outcome| given = Some(outcome));
                assert_eq!(
                    figures(&given.unwrap()),
                    figures(&whole.unwrap()),
                    "{explicit:?} {}",
                    model.name()
                );
                resumed += pieces.suspended.resumed();
            }
        }
    }
    assert!(resumed > 4 * 3 * 2 * ways().len(), "only {resumed} resumed");
}

#[test]
fn every_limit_of_states_can_be_resumed() {
    let model = families::find("kanban").unwrap().generate(FamilyKind::Plain, &[2]).unwrap();
    let problem = Problem { model: model.into(), queries: vec![Query::Global(Global::StateSpace)] };
    for explicit in ways() {
        for limit in [0, 1, 2, 5, 20, 60, 100, 1_000, 3_000] {
            let pieces = InPieces::new(explicit);
            let unlimited = Budget::unlimited();
            let few = Explicit { effort: Some(limit), ..explicit };
            let left = pieces
                .run(few, &problem, &[0], &unlimited, &mut |_, outcome| panic!("too early: {outcome:?}"));
            let mut given = None;
            pieces.run(explicit, &problem, &left, &unlimited, &mut |_, outcome| given = Some(outcome));
            assert_eq!(given.unwrap().statistics.states, 4_600, "{explicit:?} {limit}");
            assert_eq!(pieces.suspended.resumed(), 1);
        }
    }
}

/// A pair of explorations of which the second must start anew.
fn starts_anew(first: (Explicit, &Problem), second: (Explicit, &Problem)) {
    let pieces = InPieces::new(first.0);
    let few = Explicit { effort: Some(20), ..first.0 };
    let all = |problem: &Problem| (0..problem.queries.len()).collect::<Vec<_>>();
    let none = &mut |_, _| ();
    assert!(!pieces.run(few, first.1, &all(first.1), &Budget::unlimited(), none).is_empty());
    pieces.run(second.0, second.1, &all(second.1), &Budget::unlimited(), none);
    assert_eq!(pieces.suspended.resumed(), 0);
    // Without a difference it goes on.
    pieces.run(first.0, first.1, &all(first.1), &Budget::unlimited(), none);
    assert_eq!(pieces.suspended.resumed(), 1);
}

#[test]
fn another_problem_starts_anew() {
    let model = |tokens: u64| {
        Arc::new(families::find("kanban").unwrap().generate(FamilyKind::Plain, &[tokens]).unwrap())
    };
    let size = || vec![Query::Global(Global::StateSpace)];
    let problem = Problem { model: model(2), queries: size() };
    let explicit = Explicit::default();
    starts_anew((explicit, &problem), (explicit, &Problem { model: model(1), queries: size() }));
    let mut more = problem.clone();
    more.queries.push(Query::Global(Global::QuasiLiveness));
    starts_anew((explicit, &problem), (explicit, &more));
    for other in [
        Explicit { order: Order::DepthFirst, ..explicit },
        Explicit { encoding: LayoutChoice::Only(Encoding::Wide), ..explicit },
        Explicit { stubborn: Stubborn::Off, ..explicit },
    ] {
        starts_anew((explicit, &problem), (other, &problem));
    }
    // An equal net is as good as the same.
    let pieces = InPieces::new(explicit);
    let few = Explicit { effort: Some(20), ..explicit };
    pieces.run(few, &problem, &[0], &Budget::unlimited(), &mut |_, _| ());
    let equal = Problem { model: model(2), queries: size() };
    pieces.run(explicit, &equal, &[0], &Budget::unlimited(), &mut |_, _| ());
    assert_eq!(pieces.suspended.resumed(), 1);
}

/// A sink whose queries can be closed.
#[derive(Default)]
struct Closable(Signal);

impl ResultSink for Closable {
    fn report(&mut self, _: usize, _: Outcome) {}

    fn signal_as_written(&self, _: usize) -> Option<&Signal> {
        Some(&self.0)
    }
}

#[test]
fn memory_is_given_back() {
    let model = families::find("kanban").unwrap().generate(FamilyKind::Plain, &[2]).unwrap();
    let problem = Problem { model: model.into(), queries: vec![Query::Global(Global::StateSpace)] };
    let suspended = Arc::new(SuspendedExplorations::default());
    let explicit = Explicit { effort: Some(1_000), ..Explicit::default() };
    let engine = ResumableExplicit { explicit, suspended: suspended.clone() };
    let mut sink = Closable::default();

    let budget = Budget::unlimited().with_memory(1 << 30).with_reserve(suspended.clone());
    engine.decide(&problem, &budget, &mut sink);
    let held = suspended.bytes();
    assert!(held > 0);
    assert_eq!(budget.check(1, 1), Ok(()));
    assert_eq!(suspended.bytes(), held, "no search needs the memory");
    assert_eq!(budget.check((1 << 30) - 1, 1), Ok(()), "it is given back before a search stops");
    assert_eq!(suspended.bytes(), 0);

    engine.decide(&problem, &budget, &mut sink);
    assert!(suspended.bytes() > 0);
    sink.0.give(StopReason::Cancelled);
    assert_eq!(suspended.bytes(), 0, "its query is closed");

    // A search that ran out of memory is not kept.
    let engine = ResumableExplicit { explicit: Explicit::default(), ..engine };
    let little = Budget::unlimited().with_memory(1 << 10);
    engine.decide(&problem, &little, &mut Closable::default());
    assert_eq!(suspended.bytes(), 0);
}

#[test]
fn the_smallest_exploration_goes_first() {
    let suspended = Arc::new(SuspendedExplorations::default());
    let sizes = || suspended.lock().iter().map(|kept| kept.size.states).collect::<Vec<_>>();
    for (tokens, effort) in [(2, 500), (3, 1_000), (4, 2_000), (5, 20)] {
        let model = families::find("kanban").unwrap().generate(FamilyKind::Plain, &[tokens]).unwrap();
        let problem = Problem { model: model.into(), queries: vec![Query::Global(Global::StateSpace)] };
        let explicit = Explicit { effort: Some(effort), ..Explicit::default() };
        let engine = ResumableExplicit { explicit, suspended: suspended.clone() };
        engine.decide(&problem, &Budget::unlimited(), &mut |_: usize, _: Outcome| ());
    }
    assert_eq!(sizes().len(), MOST_KEPT);
    assert!(sizes().iter().all(|&states| states > 500), "{:?}", sizes());
}
