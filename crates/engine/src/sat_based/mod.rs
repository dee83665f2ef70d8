//! Reachability by SAT solving: runs that are found without exploring, and inductive invariants that exclude a goal.
//!
//! | file | content |
//! |---|---|
//! | `order_encoding` | markings as Boolean variables |
//! | `nnf`, `cnf` | state predicates in negation normal form, and their clauses |
//! | `transition_relation` | a step as clauses, and the pre-image of a cube |
//! | `encoding`, `units` | a net with what is known of its reachable markings |
//! | `bmc`, `k_induction` | bounded model checking, k-induction |
//! | `cube`, `ic3` | property-directed reachability (IC3) |
//!
//! Why: where no search sees all markings both answers can still be had. Sound for every place/transition net, with weights,
//! inhibitor arcs and unbounded places: what the encoding cannot reach the net cannot reach, and a run of the encoding is fired on the
//! net before it counts. If the run does not fire, a place had too few variables; it gets more, or the query stays open.
//!
//! Bounded model checking comes first and takes a third of a query's time: where there is a short run it is found at once,
//! while IC3 comes upon runs only as what it failed to block. Queries share the unrolling, and what one proof shows of all
//! reachable markings is known to those after it.
//!
//! Test: `tests/induction.rs`, against the reference checker, each method alone.

mod bmc;
mod cnf;
mod cube;
mod encoding;
mod ic3;
mod k_induction;
mod nnf;
mod order_encoding;
mod transition_relation;
mod units;

use std::time::Instant;

use fireset_net::{
    Budget, Certificate, Event, Evidence, Linear, Marking, Model, Net, Outcome, PlaceId, Problem, Query,
    StateAtom, StatePredicate, Statistics, Step, StopReason, Technique, Trace, TransitionId, Verdict,
};
use fireset_structure::{NetStructure, PlaceInvariants};

use self::{
    bmc::Unrolling,
    encoding::SatEncoding,
    ic3::{Ic3, Ic3Result},
    k_induction::InductionStep,
    nnf::NnfPredicate,
    units::UnitInvariants,
};
use crate::{
    Engine, ResultSink,
    turns::{self, Turn},
};

/// The part of a query's time for bounded model checking and k-induction, if IC3 comes after them.
const BOUNDED_PART: u32 = 3;
/// How many steps are unrolled at most where the time is not limited.
const DEEPEST: usize = 8;
/// The length and the number of the random walks that test an invariant in debug builds.
const WALKS: [u64; 2] = [40, 6];

/// The SAT-based method, for measurements and tests of each alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SatMethod {
    /// Bounded model checking and k-induction, then IC3.
    #[default]
    All,
    /// Bounded model checking alone, which finds runs only.
    Bmc,
    /// Bounded model checking and k-induction.
    KInduction,
    /// Property-directed reachability.
    Ic3,
}

/// Decides reachability and invariants on place/transition nets by SAT solving.
#[derive(Clone, Copy, Debug, Default)]
pub struct SatEngine {
    /// The default tries every method.
    pub method: SatMethod,
}

impl Engine for SatEngine {
    fn name(&self) -> &'static str {
        "sat"
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        matches!(model, Model::Plain(_)) && query.goal().is_some_and(|(predicate, _)| is_linear(predicate))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let Model::Plain(net) = &*problem.model else { return };
        let mut session = SatSession::new(net, self.method, &problem.queries, budget);
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

/// Whether all comparisons in a predicate are of linear sums.
fn is_linear(predicate: &StatePredicate) -> bool {
    !predicate.any_atom(&|atom| match atom {
        StateAtom::Compare(_, a, b) => Linear::from_expr(a).is_none() || Linear::from_expr(b).is_none(),
        StateAtom::Deadlock | StateAtom::Fireable(_) => false,
        StateAtom::BindingFireable(_) => true,
    })
}

/// A query as a goal to reach.
struct ReachabilityGoal<'p> {
    predicate: &'p StatePredicate,
    /// The value of the predicate that a run has to reach.
    value: bool,
    /// The goal and its complement, unless they are too large.
    predicates: Option<(NnfPredicate, NnfPredicate)>,
    /// The largest number of steps within which no run meets the goal, once some were tried.
    missed: Option<usize>,
}

enum ReachabilityResult {
    Run(Trace),
    /// With an inductive invariant that shows it, where there is one.
    Unreachable(Option<StatePredicate>),
    /// The encoding has a run that the net does not have.
    Spurious,
}

struct SatSession<'p> {
    net: &'p Net,
    method: SatMethod,
    /// By query; absent for one that asks for something else than reachability.
    goals: Vec<Option<ReachabilityGoal<'p>>>,
    knowledge: PlaceInvariants,
    claims: UnitInvariants,
    /// How often the order encoding had too few variables for an open place.
    finer: u32,
    encoded: Option<SatProblem<'p>>,
}

struct SatProblem<'p> {
    encoding: SatEncoding<'p>,
    /// Runs from the initial marking; the queries share it.
    unrolling: Unrolling,
}

impl<'p> SatSession<'p> {
    fn new(net: &'p Net, method: SatMethod, queries: &'p [Query], budget: &Budget) -> Self {
        let goal = |query: &'p Query| {
            let (predicate, value) = query.goal()?;
            let predicates =
                NnfPredicate::new(net, predicate, value).zip(NnfPredicate::new(net, predicate, !value));
            Some(ReachabilityGoal { predicate, value, predicates, missed: None })
        };
        let goals = queries.iter().map(goal).collect();
        let knowledge = NetStructure::of(net).place_invariants(budget);
        let claims = units::inductive_claims(net, &knowledge, budget);
        Self { net, method, goals, knowledge, claims, finer: 0, encoded: None }
    }

    fn decide(&mut self, at: usize, budget: &Budget) -> Outcome {
        let started = Instant::now();
        let Some(mut goal) = self.goals[at].take() else { return Outcome::unknown(StopReason::NoEngine) };
        let found = self.find(&mut goal, budget);
        let value = goal.value;
        self.goals[at] = Some(goal);
        let (verdict, evidence) = match found {
            Ok(ReachabilityResult::Run(trace)) => (Verdict::from(value), Some(Evidence::Trace(trace))),
            Ok(ReachabilityResult::Unreachable(invariant)) => {
                let certificate =
                    invariant.map(|formula| Evidence::Certificate(Certificate::Inductive(formula)));
                (Verdict::from(!value), certificate)
            }
            // The finest order encoding still has a run that the net does not have.
            Ok(ReachabilityResult::Spurious) => (Verdict::Unknown(StopReason::NoEngine), None),
            Err(reason) => (Verdict::Unknown(reason), None),
        };
        let statistics = Statistics {
            engine: "sat",
            encoding: "order encoding",
            elapsed: started.elapsed(),
            ..Statistics::default()
        };
        Outcome { verdict, evidence, techniques: vec![Technique::SatSmt], statistics }
    }

    /// Looks for the goal, with a finer order encoding when a run is spurious.
    fn find(
        &mut self,
        goal: &mut ReachabilityGoal<'_>,
        budget: &Budget,
    ) -> Result<ReachabilityResult, StopReason> {
        if let Some(trace) = fired(self.net, &[], goal) {
            return Ok(ReachabilityResult::Run(trace));
        }
        loop {
            budget.go_on()?;
            if self.encoded.is_none() {
                self.encoded = Some(self.encode(goal).ok_or(StopReason::Memory)?);
            }
            let Some(encoded) = &mut self.encoded else { return Err(StopReason::Memory) };
            let found = encoded.find(self.method, goal, budget)?;
            if !matches!(found, ReachabilityResult::Spurious) || !encoded.encoding.order.can_be_finer() {
                return Ok(found);
            }
            self.encoded = None;
            self.finer += 1;
        }
    }

    /// Encodes the net for the goal that is looked for and the others.
    fn encode(&self, goal: &ReachabilityGoal<'_>) -> Option<SatProblem<'p>> {
        let goals = self.goals.iter().flatten().chain([goal]);
        let predicates = goals.filter_map(|goal| goal.predicates.clone().map(|predicates| predicates.0));
        let (known, predicates) = ((&self.knowledge, &self.claims), predicates.collect::<Vec<_>>());
        let encoding = SatEncoding::new(self.net, known, &predicates, self.finer)?;
        let unrolling = Unrolling::from_start(&encoding);
        Some(SatProblem { encoding, unrolling })
    }
}

impl SatProblem<'_> {
    fn find(
        &mut self,
        method: SatMethod,
        target: &mut ReachabilityGoal<'_>,
        budget: &Budget,
    ) -> Result<ReachabilityResult, StopReason> {
        let part = match method {
            SatMethod::All => budget.time_left().map(|time| budget.within(time / BOUNDED_PART)),
            _ => None,
        };
        if method != SatMethod::Ic3 {
            match self.by_bmc(method, target, part.as_ref().unwrap_or(budget)) {
                Ok(Some(found)) => return Ok(found),
                Ok(None) | Err(StopReason::Time | StopReason::Memory) if method == SatMethod::All => {}
                Ok(None) => return Err(StopReason::Time),
                Err(reason) => return Err(reason),
            }
        }
        self.by_ic3(target, budget)
    }

    /// Bounded model checking, and the step of k-induction beside it; `None` if the largest depth is reached.
    fn by_bmc(
        &mut self,
        method: SatMethod,
        target: &mut ReachabilityGoal<'_>,
        budget: &Budget,
    ) -> Result<Option<ReachabilityResult>, StopReason> {
        let Some((goal, other)) = &target.predicates else { return Err(StopReason::Memory) };
        let mut step = InductionStep::new(&self.encoding, goal, other);
        let deepest = if budget.time_left().is_some() { usize::MAX } else { DEEPEST };
        loop {
            let depth = target.missed.map_or(0, |missed| missed + 1 + missed / 4);
            if depth > deepest {
                return Ok(None);
            }
            if let Some(run) = self.unrolling.run_within(depth, goal, &self.encoding, budget)? {
                let trace = fired(self.encoding.net, &run, target);
                return Ok(Some(trace.map_or(ReachabilityResult::Spurious, ReachabilityResult::Run)));
            }
            target.missed = Some(depth);
            if method != SatMethod::Bmc
                && step.length() <= depth
                && step.next_holds(&self.encoding, budget)?
            {
                return Ok(Some(ReachabilityResult::Unreachable(None)));
            }
        }
    }

    fn by_ic3(
        &mut self,
        target: &ReachabilityGoal<'_>,
        budget: &Budget,
    ) -> Result<ReachabilityResult, StopReason> {
        let Some((goal, _)) = &target.predicates else { return Err(StopReason::Memory) };
        if goal.may_hold(&self.encoding.order, &self.encoding.initial) {
            return Ok(ReachabilityResult::Spurious);
        }
        match Ic3::new(&mut self.encoding, goal, budget)?.run()? {
            Ic3Result::Run(run) => Ok(fired(self.encoding.net, &run, target)
                .map_or(ReachabilityResult::Spurious, ReachabilityResult::Run)),
            Ic3Result::Unreachable(cubes) => {
                let invariant = self.encoding.invariant(&cubes);
                if cfg!(debug_assertions) {
                    invariant.iter().for_each(|formula| test_invariant(self.encoding.net, formula));
                }
                self.encoding.excluded.extend(cubes);
                Ok(ReachabilityResult::Unreachable(invariant))
            }
        }
    }
}

/// The run as far as the first marking that meets the goal; `None` if it cannot fire or meets none.
fn fired(net: &Net, run: &[TransitionId], target: &ReachabilityGoal<'_>) -> Option<Trace> {
    let mut marking = net.initial_marking().clone();
    let mut steps = Vec::new();
    for &transition in run {
        if holds(net, &marking, target.predicate) == target.value {
            break;
        }
        marking = net.fire_transition(&marking, transition).ok()?;
        steps.push(Step::plain(transition));
    }
    (holds(net, &marking, target.predicate) == target.value).then_some(Trace(steps))
}

/// The value of a state predicate in a marking.
fn holds(net: &Net, marking: &Marking, predicate: &StatePredicate) -> bool {
    let is_enabled = |t: TransitionId| net.enabled(marking, t).is_ok();
    predicate.value(&mut |atom| match atom {
        StateAtom::Deadlock => !net.nodes().transition_ids().any(is_enabled),
        StateAtom::Fireable(ts) => ts.iter().any(|&t| is_enabled(t)),
        StateAtom::BindingFireable(_) => unreachable!("no goal of a place/transition net names bindings"),
        StateAtom::Compare(how, a, b) => a.compare(*how, b, &|p: PlaceId| u128::from(marking.tokens(p))),
    })
}

/// Tests an invariant on random walks, as a second opinion in debug builds.
///
/// # Panics
/// When a walk comes to a marking that violates it.
fn test_invariant(net: &Net, invariant: &StatePredicate) {
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
