//! Reachability by satisfiability of clauses: runs that are found without exploring, and invariants that exclude a goal.
//!
//! | file | what |
//! |---|---|
//! | `thresholds` | markings as Boolean variables |
//! | `goal`, `writer` | predicates, and predicates as clauses |
//! | `columns` | a step as clauses, and what is before a step |
//! | `encoding`, `units` | a net with what is known of its reachable markings |
//! | `unrolling` | bounded model checking and k-induction |
//! | `cube`, `frames` | property-directed reachability (IC3) |
//!
//! Why: where no search sees all markings both answers can still be had. Sound for every place/transition net, with weights,
//! inhibitor arcs and unbounded places: what the clauses cannot reach the net cannot reach, and a run that they find is fired on the
//! net before it counts. If it does not fire, a place had too few thresholds; it gets more, or the query stays open.
//!
//! Bounded model checking comes first and takes a third of a query's time: where there is a short run it is found at once,
//! while IC3 comes upon runs only as what it failed to block. Queries share the unrolling, and what one proof shows of all
//! reachable markings is known to those after it.
//!
//! Test: `tests/induction.rs`, against the reference checker, each method alone.

mod columns;
mod cube;
mod encoding;
mod frames;
mod goal;
mod thresholds;
mod units;
mod unrolling;
mod writer;

use std::time::Instant;

use fireset_net::{
    Budget, Certificate, Event, Evidence, Formula, Linear, Marking, Model, Net, Outcome, Problem, Query,
    Statistics, Step, StopReason, Technique, Trace, TransitionId, Verdict,
};
use fireset_structure::{NetStructure, PlaceInvariants};

use self::{
    encoding::Encoding,
    frames::{End, Search},
    goal::Goal,
    units::UnitInvariants,
    unrolling::Unrolling,
};
use crate::{
    Engine, ResultSink,
    turns::{self, Turn},
};

/// The part of a query's time for bounded model checking and k-induction, if IC3 comes after them.
const BOUNDED_PART: u32 = 3;
/// As many steps are unrolled where the time is not limited.
const DEEPEST: usize = 8;
/// A walk of so many steps, and so many of them, test an invariant in debug builds.
const WALKS: [u64; 2] = [40, 6];

/// Which methods are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// All of them.
    #[default]
    All,
    /// Bounded model checking: finds runs only.
    Bounded,
    /// Bounded model checking and k-induction.
    KInduction,
    /// Property-directed reachability.
    Frames,
}

/// Decides reachability and invariants on place/transition nets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Induction {
    /// How.
    pub method: Method,
}

impl Engine for Induction {
    fn name(&self) -> &'static str {
        "induction"
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        match query {
            Query::Reachable(p) | Query::Invariant(p) => matches!(model, Model::Plain(_)) && is_linear(p),
            _ => false,
        }
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let Model::Plain(net) = &*problem.model else { panic!("accepts only place/transition nets") };
        let mut session = Session::new(net, *self, &problem.queries, budget);
        match problem.queries.len() {
            1 => {
                sink.record(0, Event::Turn);
                sink.report(0, session.decide(0, budget));
            }
            several => {
                turns::in_turn(several, budget, |at, _: Turn, part| session.decide(at, part), sink);
            }
        }
    }
}

/// Whether all comparisons in a formula are of linear sums.
fn is_linear(formula: &Formula) -> bool {
    !formula.any(&|part| match part {
        Formula::Compare(_, a, b) => Linear::from_expr(a).is_none() || Linear::from_expr(b).is_none(),
        _ => false,
    })
}

/// A query as something to look for.
struct Wanted<'p> {
    /// The predicate, and the value of it that is looked for.
    formula: &'p Formula,
    value: bool,
    /// The same as goal, and the opposite of it, unless they are too large.
    goals: Option<(Goal, Goal)>,
    /// It is not met within so many steps, if any were tried.
    missed: Option<usize>,
}

/// What was found out about a goal.
enum Found {
    Run(Trace),
    Unreachable(Option<Formula>),
    /// A run of the encoding that is none of the net.
    Spurious,
}

/// The queries of a problem.
struct Session<'p> {
    net: &'p Net,
    how: Induction,
    wanted: Vec<Wanted<'p>>,
    knowledge: PlaceInvariants,
    claims: UnitInvariants,
    /// How often thresholds were too few.
    finer: u32,
    encoded: Option<Encoded<'p>>,
}

/// A net as clauses.
struct Encoded<'p> {
    encoding: Encoding<'p>,
    /// Runs from the initial marking, for all queries.
    unrolling: Unrolling,
}

impl<'p> Session<'p> {
    fn new(net: &'p Net, how: Induction, queries: &'p [Query], budget: &Budget) -> Self {
        let wanted = |query: &'p Query| {
            let (formula, value) = match query {
                Query::Reachable(p) => (p, true),
                Query::Invariant(p) => (p, false),
                _ => panic!("accepts only reachability"),
            };
            let goals = Goal::new(net, formula, value).zip(Goal::new(net, formula, !value));
            Wanted { formula, value, goals, missed: None }
        };
        let wanted = queries.iter().map(wanted).collect();
        let knowledge = NetStructure::of(net).place_invariants(budget);
        let claims = units::inductive_claims(net, &knowledge, budget);
        Self { net, how, wanted, knowledge, claims, finer: 0, encoded: None }
    }

    fn decide(&mut self, at: usize, budget: &Budget) -> Outcome {
        let started = Instant::now();
        let found = self.find(at, budget);
        let value = self.wanted[at].value;
        let (verdict, evidence) = match found {
            Ok(Found::Run(trace)) => (Verdict::from(value), Some(Evidence::Trace(trace))),
            Ok(Found::Unreachable(invariant)) => {
                let certificate =
                    invariant.map(|formula| Evidence::Certificate(Certificate::Inductive(formula)));
                (Verdict::from(!value), certificate)
            }
            // With the finest thresholds there still was a run that is none.
            Ok(Found::Spurious) => (Verdict::Unknown(StopReason::NoEngine), None),
            Err(reason) => (Verdict::Unknown(reason), None),
        };
        let statistics = Statistics {
            engine: "induction",
            encoding: "thresholds",
            elapsed: started.elapsed(),
            ..Statistics::default()
        };
        Outcome { verdict, evidence, techniques: vec![Technique::SatSmt], statistics }
    }

    /// Looks for the goal, with finer thresholds when a run is spurious.
    fn find(&mut self, at: usize, budget: &Budget) -> Result<Found, StopReason> {
        if let Some(trace) = fired(self.net, &[], &self.wanted[at]) {
            return Ok(Found::Run(trace));
        }
        loop {
            budget.go_on()?;
            if self.encoded.is_none() {
                self.encoded = Some(self.encode().ok_or(StopReason::Memory)?);
            }
            let Some(encoded) = &mut self.encoded else { return Err(StopReason::Memory) };
            let found = encoded.find(self.how.method, &mut self.wanted[at], budget)?;
            if !matches!(found, Found::Spurious) || !encoded.encoding.thresholds.can_be_finer() {
                return Ok(found);
            }
            self.encoded = None;
            self.finer += 1;
        }
    }

    fn encode(&self) -> Option<Encoded<'p>> {
        let goals = self.wanted.iter().filter_map(|wanted| wanted.goals.clone().map(|goals| goals.0));
        let (known, goals) = ((&self.knowledge, &self.claims), goals.collect::<Vec<_>>());
        let encoding = Encoding::new(self.net, known, &goals, self.finer)?;
        let unrolling = Unrolling::from_start(&encoding);
        Some(Encoded { encoding, unrolling })
    }
}

impl Encoded<'_> {
    fn find(
        &mut self,
        method: Method,
        wanted: &mut Wanted<'_>,
        budget: &Budget,
    ) -> Result<Found, StopReason> {
        let part = match method {
            Method::All => budget.time_left().map(|time| budget.within(time / BOUNDED_PART)),
            _ => None,
        };
        if method != Method::Frames {
            match self.bounded(method, wanted, part.as_ref().unwrap_or(budget)) {
                Ok(Some(found)) => return Ok(found),
                Ok(None) | Err(StopReason::Time | StopReason::Memory) if method == Method::All => {}
                Ok(None) => return Err(StopReason::Time),
                Err(reason) => return Err(reason),
            }
        }
        self.by_frames(wanted, budget)
    }

    /// Bounded model checking, and the step of k-induction beside it; `None` if it went as deep as it should.
    fn bounded(
        &mut self,
        method: Method,
        wanted: &mut Wanted<'_>,
        budget: &Budget,
    ) -> Result<Option<Found>, StopReason> {
        let Some((goal, other)) = &wanted.goals else { return Err(StopReason::Memory) };
        let mut step = unrolling::Step::new(&self.encoding, goal, other);
        let deepest = if budget.time_left().is_some() { usize::MAX } else { DEEPEST };
        loop {
            let depth = wanted.missed.map_or(0, |missed| missed + 1 + missed / 4);
            if depth > deepest {
                return Ok(None);
            }
            if let Some(run) = self.unrolling.run_within(depth, goal, &self.encoding, budget)? {
                let trace = fired(self.encoding.net, &run, wanted);
                return Ok(Some(trace.map_or(Found::Spurious, Found::Run)));
            }
            wanted.missed = Some(depth);
            if method != Method::Bounded
                && step.length() <= depth
                && step.next_holds(&self.encoding, budget)?
            {
                return Ok(Some(Found::Unreachable(None)));
            }
        }
    }

    fn by_frames(&mut self, wanted: &Wanted<'_>, budget: &Budget) -> Result<Found, StopReason> {
        let Some((goal, _)) = &wanted.goals else { return Err(StopReason::Memory) };
        if goal.may_hold(&self.encoding.thresholds, &self.encoding.initial) {
            return Ok(Found::Spurious);
        }
        match Search::new(&mut self.encoding, goal, budget)?.run()? {
            End::Run(run) => Ok(fired(self.encoding.net, &run, wanted).map_or(Found::Spurious, Found::Run)),
            End::Unreachable(cubes) => {
                let invariant = self.encoding.invariant(&cubes);
                if cfg!(debug_assertions) {
                    invariant.iter().for_each(|formula| walk(self.encoding.net, formula));
                }
                self.encoding.excluded.extend(cubes);
                Ok(Found::Unreachable(invariant))
            }
        }
    }
}

/// The run as far as the first marking that is wanted; `None` if it cannot fire or meets none.
fn fired(net: &Net, run: &[TransitionId], wanted: &Wanted<'_>) -> Option<Trace> {
    let mut marking = net.initial_marking().clone();
    let mut steps = Vec::new();
    for &transition in run {
        if holds(net, &marking, wanted.formula) == wanted.value {
            break;
        }
        marking = net.fire_transition(&marking, transition).ok()?;
        steps.push(Step::plain(transition));
    }
    (holds(net, &marking, wanted.formula) == wanted.value).then_some(Trace(steps))
}

/// The value of a state predicate in a marking.
fn holds(net: &Net, marking: &Marking, formula: &Formula) -> bool {
    let is_enabled = |t: TransitionId| net.enabled(marking, t).is_ok();
    formula.evaluate(&|atom| match atom {
        Formula::Deadlock => !net.nodes().transition_ids().any(is_enabled),
        Formula::Fireable(ts) => ts.iter().any(|&t| is_enabled(t)),
        Formula::Compare(how, a, b) => a.compare(*how, b, &|p| marking.tokens(p).into()),
        _ => false,
    })
}

/// Tests an invariant on random walks.
///
/// # Panics
/// When a marking does not meet it.
fn walk(net: &Net, invariant: &Formula) {
    let [steps, walks] = WALKS;
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..walks {
        let mut marking = net.initial_marking().clone();
        for _ in 0..steps {
            assert!(holds(net, &marking, invariant), "an invariant does not hold in {marking:?}");
            let enabled: Vec<TransitionId> =
                net.nodes().transition_ids().filter(|&t| net.enabled(&marking, t).is_ok()).collect();
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let Some(&t) = enabled.get((seed >> 33) as usize % enabled.len().max(1)) else { break };
            let Ok(next) = net.fire_transition(&marking, t) else { break };
            marking = next;
        }
    }
}
