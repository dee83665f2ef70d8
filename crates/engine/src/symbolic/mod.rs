//! Symbolic model checking: all reachable markings at once, as a multi-valued decision diagram (MDD).
//!
//! It suits nets with any number of markings whose parts depend little on each other. The files: `variable_order`, which places form
//! a variable; `events`, the effects of transitions; `exploration`, the reachable markings; `state_space_size`, counting, on a net
//! reduced by `counting`; `satisfaction`, where CTL formulas hold; `emptiness`, the product with a Büchi automaton; `trace`, a run to a
//! set. The algorithms on diagrams are in `fireset_kernel::mdd`. Place/transition nets only.
//!
//! Why: searches see some million markings a second, and proofs about 10^9 of them are out of their reach. There is no
//! answer before all reachable markings are known, and few runs are found: other engines come first where runs are needed.
//! Test: `tests/symbolic.rs`, against the reference checker.

mod counting;
mod emptiness;
mod events;
mod exploration;
mod nonlinear;
mod satisfaction;
mod state_space_size;
mod trace;
mod variable_order;

use std::{
    cell::{Cell, RefCell},
    sync::{
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::{self, RecvTimeoutError, Sender},
    },
    time::{Duration, Instant},
};

use fireset_kernel::{
    mdd::{MddManager, MddNode, POLL_INTERVAL, Stopped},
    threads::{HAS_THREADS, with_large_stack},
};
use fireset_net::{
    Budget, Evidence, Global, Model, Net, Outcome, Problem, Quantifier, Query, Statistics, StopReason,
    Technique, Verdict,
};

use self::{
    counting::CountedNet, events::EventTable, exploration::explore, satisfaction::SatisfactionSets,
    state_space_size::MarkingCount,
};
use crate::{Engine, ResultSink, ltl::deciding, search::compile};

/// The algorithms recurse over the variables; a net with more of them would need a larger stack. Without threads that is
/// the caller's, of which 1 MiB may be used.
const MOST_VARIABLES: usize = if HAS_THREADS { 20_000 } else { 400 };
/// The bytes of stack for that many variables.
const STACK: usize = 1 << 28;
/// The factor of effort from one round to the next, for each variable order and each query.
const MORE_EFFORT: usize = 3;
/// The effort for a run, once it is known that there is one.
const RUN_EFFORT: usize = 1 << 10;
/// The time between two checks at which queries are open.
const OPEN_CHECK: Duration = Duration::from_millis(50);

/// Decides all kinds of queries on place/transition nets by decision diagrams.
#[derive(Clone, Copy, Debug)]
pub struct SymbolicEngine {
    /// Queries of other kinds are not accepted.
    pub kinds: QueryKinds,
    /// The effort for each variable order, and then for each query, in the first round. The unit is one check of the budget.
    pub effort: usize,
    /// The edges that operations visit between two checks of the budget.
    pub check_interval: usize,
}

/// The kinds of queries that an engine takes: other engines, which find runs, may come first for some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKinds {
    /// Queries of every kind.
    All,
    /// Reachability, bounds, properties of the whole net.
    NonTemporal,
    /// CTL and LTL queries.
    Temporal,
}

impl QueryKinds {
    fn includes(self, query: &Query) -> bool {
        match self {
            Self::All => !matches!(query, Query::Run(_) | Query::CtlStar(_)),
            Self::NonTemporal => Self::All.includes(query) && !Self::Temporal.includes(query),
            Self::Temporal => matches!(query, Query::Ctl(_) | Query::Ltl(..)),
        }
    }
}

impl Default for SymbolicEngine {
    fn default() -> Self {
        Self { kinds: QueryKinds::All, effort: 1 << 6, check_interval: POLL_INTERVAL }
    }
}

impl Engine for SymbolicEngine {
    fn name(&self) -> &'static str {
        "symbolic"
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        let Model::Plain(net) = model else { return false };
        let small = (1..=MOST_VARIABLES).contains(&net.nodes().places.len());
        small && self.kinds.includes(query)
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let Model::Plain(net) = &*problem.model else { return };
        let wanted: Vec<AtomicBool> = problem.queries.iter().map(|_| AtomicBool::new(true)).collect();
        let (sender, receiver) = mpsc::channel();
        let work = || self.decide_all(net, problem, &wanted, budget, sender);
        with_large_stack(STACK, work, || {
            loop {
                match receiver.recv_timeout(OPEN_CHECK) {
                    Ok((at, outcome)) => sink.report(at, outcome),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                wanted.iter().enumerate().for_each(|(at, it)| it.store(sink.is_open(at), Relaxed));
            }
        });
    }
}

impl SymbolicEngine {
    /// Answers the queries that are open, on a thread of its own.
    fn decide_all(
        self,
        net: &Net,
        problem: &Problem,
        wanted: &[AtomicBool],
        budget: &Budget,
        sender: Sender<(usize, Outcome)>,
    ) {
        let started = Instant::now();
        let limits = EffortLimit {
            budget,
            checks: Cell::new(0),
            suspended_bytes: Cell::new(0),
            stopped: RefCell::new(None),
        };
        let go_on = |bytes: usize| limits.go_on(bytes);
        let only_sizes = problem.queries.iter().all(|query| *query == Query::Global(Global::StateSpace));
        let counted = if only_sizes { CountedNet::of(net, budget) } else { None };
        let net = counted.as_ref().map_or(net, |counted| &counted.net);
        let several = problem.queries.len() > 1;
        let send = |at: usize, (verdict, evidence): SymbolicAnswer, states: u64, bytes: usize| {
            let reduction = counted.as_ref().map(|_| Technique::StructuralReduction);
            let together = several.then_some(Technique::CollateralProcessing);
            let techniques =
                [Technique::DecisionDiagrams].into_iter().chain(reduction).chain(together).collect();
            let (engine, elapsed) = ("symbolic", started.elapsed());
            let memory = bytes as u64;
            let statistics = Statistics { engine, encoding: "", states, firings: 0, memory, elapsed };
            // The receiver is gone when the engine was stopped.
            drop(sender.send((at, Outcome { verdict, evidence, techniques, statistics })));
        };
        let manager = || MddManager::new(&go_on).with_poll_interval(self.check_interval);
        let mut markings = match explore(net, self.effort, &limits, &manager) {
            Ok(markings) => markings,
            Err((reason, bytes)) => {
                let unknown = || (Verdict::Unknown(reason.clone()), None);
                (0..wanted.len()).for_each(|at| send(at, unknown(), 0, bytes));
                return;
            }
        };
        let reduced = counted.as_ref();
        let counted = MarkingCount::new(&markings.diagram, &markings.events, markings.reachable, reduced);
        let states = counted.states_or_most();
        let mut sets = SatisfactionSets::new(&mut markings);
        let (mut open, mut effort): (Vec<usize>, _) = ((0..wanted.len()).collect(), self.effort);
        while !open.is_empty() {
            let mut left = Vec::new();
            for at in open.into_iter().filter(|&at| wanted[at].load(Relaxed)) {
                limits.checks.set(effort);
                let is_first = sets.holds_no_results();
                let answer = match verdict(&mut sets, &counted, (net, reduced), &problem.queries[at]) {
                    Ok((verdict, goal)) => {
                        limits.checks.set(RUN_EFFORT);
                        let run = goal.and_then(|goal| sets.run_to(net, goal).ok());
                        (verdict, run.map(Evidence::Trace))
                    }
                    Err(Stopped) => match reason_to_give_up(&mut sets, &limits, is_first) {
                        Some(reason) => (Verdict::Unknown(reason), None),
                        None => {
                            left.push(at);
                            continue;
                        }
                    },
                };
                send(at, answer, states, sets.diagram.bytes());
            }
            (open, effort) = (left, effort.saturating_mul(MORE_EFFORT));
        }
    }
}

/// Why a query that was stopped stays open; nothing where it goes on in the next round. `is_first` tells that no results of other queries
/// took memory from it.
fn reason_to_give_up(
    sets: &mut SatisfactionSets<'_, '_>,
    limits: &EffortLimit<'_>,
    is_first: bool,
) -> Option<StopReason> {
    if limits.is_effort() {
        // The results so far are kept, so it goes on where it stopped.
        return None;
    }
    let reason = limits.reason();
    sets.forget();
    (is_first || reason != StopReason::Memory).then_some(reason)
}

type SymbolicAnswer = (Verdict, Option<Evidence>);

struct ReachableMarkings<'g> {
    diagram: MddManager<'g>,
    events: EventTable,
    /// The local states of the initial marking, the lowest variable's first.
    initial: Vec<u32>,
    reachable: MddNode,
}

/// Limits an attempt by the budget and by a number of checks.
struct EffortLimit<'b> {
    budget: &'b Budget,
    /// The checks of the budget that are left.
    checks: Cell<usize>,
    /// The bytes of explorations that are suspended meanwhile.
    suspended_bytes: Cell<usize>,
    /// The reason, once the budget stops it.
    stopped: RefCell<Option<StopReason>>,
}

impl EffortLimit<'_> {
    /// Whether an attempt that holds `bytes` may go on.
    fn go_on(&self, bytes: usize) -> bool {
        self.checks.set(self.checks.get().saturating_sub(1));
        let bytes = bytes + self.suspended_bytes.get();
        *self.stopped.borrow_mut() = self.budget.check(bytes as u64, 0).err();
        self.checks.get() > 0 && self.stopped.borrow().is_none()
    }

    /// Whether the attempt stopped because its checks are used up.
    fn is_effort(&self) -> bool {
        self.checks.get() == 0 && self.stopped.borrow().is_none()
    }

    /// The reason why it stopped; without one of the budget, the numbers of nodes are used up.
    fn reason(&self) -> StopReason {
        self.stopped.take().unwrap_or(StopReason::Memory)
    }
}

/// The answer to a query, and the set to which a run has to lead that shows it.
fn verdict(
    sets: &mut SatisfactionSets<'_, '_>,
    counted: &MarkingCount,
    (net, reduced): (&Net, Option<&CountedNet>),
    query: &Query,
) -> Result<(Verdict, Option<MddNode>), Stopped> {
    let found = |set: MddNode, when_found: bool| match set {
        MddNode::EMPTY => ((!when_found).into(), None),
        set => (when_found.into(), Some(set)),
    };
    let verdict = match query {
        Query::Reachable(f) => return Ok(found(sets.predicate(&compile(f))?, true)),
        Query::Invariant(f) => {
            return Ok(found(sets.predicate(&compile(&f.clone().negate()))?, false));
        }
        Query::Ctl(f) => sets.holds(f)?.into(),
        Query::Ltl(quantifier, f) => match deciding(*quantifier, f) {
            Some((automaton, atoms)) => {
                let atoms: Vec<_> = atoms.iter().map(compile).collect();
                let found = sets.some_run(&automaton, &atoms)?;
                (found == (*quantifier == Quantifier::Exists)).into()
            }
            None => Verdict::Unknown(StopReason::Formula(f.temporal_operators())),
        },
        Query::Bound(places) => {
            let most = counted.bound(sets.diagram, sets.events, places);
            return Ok((Verdict::Bound(most.into()), Some(sets.with_sum(places, most)?)));
        }
        Query::ColourBound(_) | Query::Run(_) | Query::CtlStar(_) | Query::Named(_) => {
            Verdict::Unknown(StopReason::NoEngine)
        }
        Query::Global(Global::StateSpace) => {
            Verdict::StateSpace(counted.state_space_size(sets.diagram, sets.events, (net, reduced))?)
        }
        Query::Global(Global::OneSafe) => (counted.most_in_place(sets.diagram, sets.events) <= 1).into(),
        Query::Global(Global::StableMarking) => counted.keeps_a_count(sets.diagram, sets.events, net).into(),
        Query::Global(Global::QuasiLiveness) => {
            sets.each(net, |_, fireable| Ok(fireable != MddNode::EMPTY))?.into()
        }
        Query::Global(Global::Liveness) => {
            let again = |sets: &mut SatisfactionSets<'_, '_>, fireable| {
                Ok(sets.before(sets.reachable, fireable)? == sets.reachable)
            };
            sets.each(net, again)?.into()
        }
    };
    Ok((verdict, None))
}
