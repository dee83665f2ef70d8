//! All reachable markings at once, as decision diagrams: nets of any number of markings whose parts depend little on each other.
//!
//! The files: `levels`, which places lie where; `events`, what transitions do there; `figures`, what is counted; `sets`, where formulas
//! hold; `runs`, whether an automaton accepts one; `trace`, a run to a set. The algorithms on diagrams are in `fireset_kernel::diagram`. Place/transition nets only.
//!
//! Why: searches see some million markings a second, and proofs about 10^9 of them are out of their reach. Nothing is said
//! before all reachable markings are known, and there are few runs: others come first where those are wanted.
//! Test: `tests/symbolic.rs`, against the reference checker.

mod events;
mod figures;
mod levels;
mod runs;
mod sets;
mod trace;

use std::{
    cell::{Cell, RefCell},
    sync::{
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use fireset_kernel::diagram::{Diagram, Reach, Set, Stopped};
use fireset_net::{
    Budget, Evidence, Formula, Global, Model, Net, Outcome, Problem, Quantifier, Query, Statistics,
    StopReason, Technique, Verdict,
};
use fireset_structure::NetStructure;

use self::{
    events::{Events, Steps, Way},
    figures::Counted,
    sets::Sets,
};
use crate::{Engine, ResultSink, ltl::deciding, search::Predicate};

/// Diagrams are followed from level to level; a net with more levels would need a larger stack.
const MOST_LEVELS: usize = 20_000;
/// Enough for that many.
const STACK: usize = 1 << 28;
/// How many times as much effort each order of levels and each query gets in each next round.
const MORE_EFFORT: usize = 3;
/// How much a run is looked for with, once it is known that there is one.
const RUN_EFFORT: usize = 1 << 10;
/// How often it is asked what is wanted still.
const ASK: Duration = Duration::from_millis(50);

/// Decides by sets of markings.
#[derive(Clone, Copy, Debug)]
pub struct Symbolic {
    /// Which queries it takes.
    pub takes: Takes,
    /// How much each order of levels, and then each query, is tried with at first, in looks at the budget: nothing tells which are
    /// easy.
    pub effort: usize,
}

/// Kinds of queries: others may have runs to show, and come before it for some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Every kind.
    All,
    /// Without temporal operators inside: reachability, bounds, properties of the whole net.
    States,
    /// CTL.
    Ctl,
    /// LTL.
    Ltl,
}

impl Takes {
    fn includes(self, query: &Query) -> bool {
        match self {
            Self::All => true,
            Self::States => !matches!(query, Query::Ctl(_) | Query::Ltl(..)),
            Self::Ctl => matches!(query, Query::Ctl(_)),
            Self::Ltl => matches!(query, Query::Ltl(..)),
        }
    }
}

impl Default for Symbolic {
    fn default() -> Self {
        Self { takes: Takes::All, effort: 1 << 6 }
    }
}

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        "symbolic"
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        let Model::Plain(net) = model else { return false };
        let small = (1..=MOST_LEVELS).contains(&net.nodes().places.len());
        small
            && self.takes.includes(query)
            && match query {
                Query::Reachable(f) | Query::Invariant(f) | Query::Ctl(f) | Query::Ltl(_, f) => is_linear(f),
                Query::Bound(_) | Query::Global(_) => true,
            }
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let Model::Plain(net) = &*problem.model else { panic!("accepts only such nets") };
        let wanted: Vec<AtomicBool> = problem.queries.iter().map(|_| AtomicBool::new(true)).collect();
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            let work = || self.decide_all(net, problem, &wanted, budget, sender);
            thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, work)
                .expect("a thread can be started");
            loop {
                match receiver.recv_timeout(ASK) {
                    Ok((at, outcome)) => sink.report(at, outcome),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                wanted.iter().enumerate().for_each(|(at, it)| it.store(sink.is_open(at), Relaxed));
            }
        });
    }
}

/// Whether all comparisons are of sums.
fn is_linear(formula: &Formula) -> bool {
    match formula {
        Formula::Compare(..) => !matches!(Predicate::new(formula), Predicate::Compare(..)),
        other => other.children().into_iter().all(is_linear),
    }
}

impl Symbolic {
    /// Answers what is wanted.
    fn decide_all(
        self,
        net: &Net,
        problem: &Problem,
        wanted: &[AtomicBool],
        budget: &Budget,
        sender: Sender<(usize, Outcome)>,
    ) {
        let started = Instant::now();
        let limits = Limits { budget, looks: Cell::new(0), stopped: RefCell::new(None) };
        let go_on = |bytes: usize| limits.go_on(bytes);
        let several = problem.queries.len() > 1;
        let tell = |at: usize, (verdict, evidence): Answer, states: u64, bytes: usize| {
            let together = several.then_some(Technique::CollateralProcessing);
            let techniques = [Technique::DecisionDiagrams].into_iter().chain(together).collect();
            let (engine, elapsed) = ("symbolic", started.elapsed());
            let memory = bytes as u64;
            let statistics = Statistics { engine, encoding: "", states, firings: 0, memory, elapsed };
            // Nobody hears what comes when the engine was left.
            drop(sender.send((at, Outcome { verdict, evidence, techniques, statistics })));
        };
        let mut markings = match explore(net, self.effort, &limits, &go_on) {
            Ok(markings) => markings,
            Err((reason, bytes)) => {
                let unknown = || (Verdict::Unknown(reason.clone()), None);
                (0..wanted.len()).for_each(|at| tell(at, unknown(), 0, bytes));
                return;
            }
        };
        let counted = Counted::new(&markings.diagram, markings.reachable);
        let states = counted.states_or_most();
        let mut sets = Sets::new(&mut markings);
        let (mut open, mut effort): (Vec<usize>, _) = ((0..wanted.len()).collect(), self.effort);
        while !open.is_empty() {
            let mut left = Vec::new();
            for at in open.into_iter().filter(|&at| wanted[at].load(Relaxed)) {
                limits.looks.set(effort);
                let answer = match verdict(&mut sets, &counted, net, &problem.queries[at]) {
                    Ok((verdict, goal)) => {
                        limits.looks.set(RUN_EFFORT);
                        let run = goal.and_then(|goal| sets.run_to(net, goal).ok());
                        (verdict, run.map(Evidence::Trace))
                    }
                    Err(Stopped) => {
                        // What it made would be in the way of the others.
                        sets.forget();
                        if limits.is_effort() {
                            left.push(at);
                            continue;
                        }
                        (Verdict::Unknown(limits.reason()), None)
                    }
                };
                tell(at, answer, states, sets.diagram.bytes());
            }
            (open, effort) = (left, effort.saturating_mul(MORE_EFFORT));
        }
    }
}

/// A verdict and what shows it.
type Answer = (Verdict, Option<Evidence>);

/// The reachable markings of a net.
struct Markings<'g> {
    diagram: Diagram<'g>,
    events: Events,
    /// The values of the initial marking, the lowest level's first.
    initial: Vec<u32>,
    reachable: Set,
}

/// How long it goes on.
struct Limits<'b> {
    budget: &'b Budget,
    /// At most so many looks at the budget.
    looks: Cell<usize>,
    /// Why the budget stops it.
    stopped: RefCell<Option<StopReason>>,
}

impl Limits<'_> {
    /// Whether it may go on with so many bytes.
    fn go_on(&self, bytes: usize) -> bool {
        self.looks.set(self.looks.get().saturating_sub(1));
        *self.stopped.borrow_mut() = self.budget.check(bytes as u64, 0).err();
        self.looks.get() > 0 && self.stopped.borrow().is_none()
    }

    /// Whether it stopped because that is enough for now.
    fn is_effort(&self) -> bool {
        self.looks.get() == 0 && self.stopped.borrow().is_none()
    }

    /// Why it does not. If it is nothing else there are too many nodes for their numbers.
    fn reason(&self) -> StopReason {
        self.stopped.take().unwrap_or(StopReason::Memory)
    }
}

/// Finds all reachable markings, in some order of levels: each is tried with little effort, then with more. Otherwise, why they were
/// not found, and what that took.
fn explore<'g>(
    net: &Net,
    mut effort: usize,
    limits: &Limits<'_>,
    go_on: &'g dyn Fn(usize) -> bool,
) -> Result<Markings<'g>, (StopReason, usize)> {
    let mut orders = levels::orders(net, NetStructure::of(net).place_semiflows(limits.budget).semiflows());
    let mut held = 0;
    while !orders.is_empty() {
        let mut left = Vec::new();
        for groups in orders {
            limits.looks.set(effort);
            let mut events = Events::new(net, &groups);
            let mut diagram = Diagram::new(go_on);
            let initial = events.values_of(&net.initial_marking().0);
            let reachable = diagram.vector(&initial).and_then(|initial| {
                let forwards = &mut Steps::new(&mut events, Way::Forwards);
                Reach::all(&mut diagram, forwards, Set::ALL, initial)
            });
            held = diagram.bytes();
            match reachable {
                // Then it overflows in every order.
                _ if events.overflow => return Err((StopReason::Overflow, held)),
                Ok(reachable) => return Ok(Markings { diagram, events, initial, reachable }),
                Err(Stopped) if limits.is_effort() => left.push(groups),
                Err(Stopped) => match limits.reason() {
                    // There may be an order that needs less.
                    StopReason::Memory => {}
                    reason => return Err((reason, held)),
                },
            }
        }
        orders = left;
        effort = effort.saturating_mul(MORE_EFFORT);
    }
    Err((StopReason::Memory, held))
}

/// The answer to a query, and where a run has to lead that shows it.
fn verdict(
    sets: &mut Sets<'_, '_>,
    counted: &Counted,
    net: &Net,
    query: &Query,
) -> Result<(Verdict, Option<Set>), Stopped> {
    let found = |set: Set, when_found: bool| match set {
        Set::EMPTY => ((!when_found).into(), None),
        set => (when_found.into(), Some(set)),
    };
    let verdict = match query {
        Query::Reachable(f) => return Ok(found(sets.predicate(&Predicate::new(f))?, true)),
        Query::Invariant(f) => {
            return Ok(found(sets.predicate(&Predicate::new(&f.clone().negate()))?, false));
        }
        Query::Ctl(f) => sets.holds(f)?.into(),
        Query::Ltl(quantifier, f) => match deciding(*quantifier, f) {
            Some((automaton, atoms)) => {
                let found = sets.some_run(&automaton, &atoms)?;
                (found == (*quantifier == Quantifier::Exists)).into()
            }
            None => Verdict::Unknown(StopReason::Formula(f.temporal_operators())),
        },
        Query::Bound(places) => {
            let most = counted.bound(sets.diagram, sets.events, places);
            return Ok((Verdict::Bound(most.into()), Some(sets.with_sum(places, most)?)));
        }
        Query::Global(Global::StateSpace) => {
            Verdict::StateSpace(counted.figures(sets.diagram, sets.events, net)?)
        }
        Query::Global(Global::OneSafe) => (counted.most_in_place(sets.diagram, sets.events) <= 1).into(),
        Query::Global(Global::StableMarking) => counted.keeps_a_count(sets.diagram, sets.events, net).into(),
        Query::Global(Global::QuasiLiveness) => {
            sets.each(net, |_, fireable| Ok(fireable != Set::EMPTY))?.into()
        }
        Query::Global(Global::Liveness) => {
            let again = |sets: &mut Sets<'_, '_>, fireable| {
                Ok(sets.before(sets.reachable, fireable)? == sets.reachable)
            };
            sets.each(net, again)?.into()
        }
    };
    Ok((verdict, None))
}
