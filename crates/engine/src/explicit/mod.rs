//! Nets state by state, on packed rows: reachability, bounds, the state space, and the
//! properties of the whole net, several of them in one exploration.
//!
//! After EnPAC's state generation (sections III-A and III-B). Some queries are answered before the first
//! state: an invariant may show that a net is safe, its arcs that a place never changes, a walk that a place
//! grows without bound. The other queries are monitored while states are visited. Test: `tests/explicit.rs`.

mod exploration;
mod global;
mod monitor;
mod self_covering;

use std::{ops::ControlFlow, sync::Arc, time::Instant};

use fireset_net::{
    Budget, Evidence, Model, Net, Outcome, Problem, Query, Statistics, StopReason, Technique, Verdict,
};
use fireset_structure::{NetStructure, PlaceInvariants};

pub use self::self_covering::self_covering_lasso;
use self::{
    exploration::{Exploration, ExplorationStop, trace},
    monitor::{QueryMonitor, QueryMonitors, SuspendedMonitors, VerdictAtState},
    self_covering::SelfCoveringRun,
};
use crate::{
    ColouredConfig, Engine, FiresetMode, Order, ResultSink, SuspendedExplorations,
    driver::{self, EncodedEngine, EncodedModel, EncodedProblem, EncodingConfig},
    packed::{Access, LayoutChoice},
    search::{ActionId, EncodedNet, MarkingSpace, SearchConfig, StateSearch, Visitor, interruptible},
    stubborn::{ArcIndex, Stubborn},
    suspended::{SuspendedExploration, SuspendedSettings},
};

/// The divisor of the time that the search for a self-covering run may take.
const SELF_COVERING_SHARE: u32 = 4;

/// Decides what looking at each state once decides, and liveness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explicit {
    /// The layout of markings on place/transition nets.
    pub encoding: LayoutChoice,
    /// How rows of place/transition nets are read and written.
    pub access: Access,
    /// The order in which states are visited.
    pub order: Order,
    /// What the depth-first order remembers of the states on its stack.
    pub fireset: FiresetMode,
    /// The number of threads of the breadth-first order; the other orders use one.
    pub threads: usize,
    /// How coloured nets are encoded and their bindings found.
    pub coloured: ColouredConfig,
    /// Whether only stubborn sets fire, on place/transition nets and where no query needs all states.
    pub stubborn: Stubborn,
    /// A limit on the number of states times the number of queries.
    pub effort: Option<usize>,
}

impl Default for Explicit {
    fn default() -> Self {
        let (encoding, access, coloured) =
            (LayoutChoice::default(), Access::default(), ColouredConfig::default());
        let (order, fireset) = (Order::default(), FiresetMode::default());
        let (stubborn, effort) = (Stubborn::default(), None);
        Self { encoding, access, order, fireset, threads: 1, coloured, stubborn, effort }
    }
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        monitor::accepts(query)
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        driver::decide(&ExplicitRun { explicit: *self, suspended: None }, problem, budget, sink);
    }
}

/// An explicit search that goes on where an earlier one of the same problem was suspended, and that is suspended itself when it
/// reaches a limit of time or states.
#[derive(Clone, Debug)]
pub struct ResumableExplicit {
    /// The settings of each run.
    pub explicit: Explicit,
    /// The suspended searches of the same check.
    pub suspended: Arc<SuspendedExplorations>,
}

impl Engine for ResumableExplicit {
    fn name(&self) -> &'static str {
        self.explicit.name()
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        self.explicit.accepts(model, query)
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let run = ExplicitRun { explicit: self.explicit, suspended: Some(&self.suspended) };
        driver::decide(&run, problem, budget, sink);
    }
}

struct ExplicitRun<'a> {
    explicit: Explicit,
    suspended: Option<&'a SuspendedExplorations>,
}

impl EncodedEngine for ExplicitRun<'_> {
    fn encoding_config(&self) -> EncodingConfig {
        let Explicit { encoding, access, coloured, .. } = self.explicit;
        EncodingConfig { encoding, access, coloured }
    }

    fn decides_by_orbits(&self) -> bool {
        true
    }

    fn decide_encoded<E: EncodedNet>(&self, net: E, input: EncodedProblem<'_>, sink: &mut dyn ResultSink) {
        let EncodedProblem { problem, budget, .. } = input;
        let skeleton_invariants;
        let (invariants, exact) = match input.model {
            EncodedModel::PlaceTransition { invariants, .. } => (invariants, true),
            EncodedModel::Coloured { skeleton, .. } => {
                skeleton_invariants = match skeleton.exact {
                    true => NetStructure::of(&skeleton.net).place_invariants(budget),
                    false => PlaceInvariants::none(&skeleton.net),
                };
                (&skeleton_invariants, skeleton.exact)
            }
        };
        let arcs = match input.model {
            EncodedModel::PlaceTransition { net, .. } if self.explicit.uses_stubborn_sets(problem) => {
                Some(ArcIndex::new(net))
            }
            _ => None,
        };
        let self_covering = self_covering_run(&input, invariants);
        let uncoloured = input.model.uncoloured();
        let facts = PriorFacts { net: uncoloured, invariants, exact, self_covering, arcs: arcs.as_ref() };
        let mut exploration = Exploration::new(net, self.explicit.search_config(problem));
        let mut session = ExplicitSession {
            started: Instant::now(),
            monitors: QueryMonitors::new(facts.net, facts.arcs),
            layout: "",
            several: problem.queries.len() > 1,
            sink,
        };
        session.open(&facts, &exploration, &problem.queries);
        self.resume(problem, &mut session, &mut exploration);
        if let Some(monitors) = session.run(&mut exploration, problem, budget) {
            self.suspend(problem, session.sink, (monitors, exploration));
        }
    }
}

impl ExplicitRun<'_> {
    /// Goes on with a suspended exploration, if one has all open queries.
    fn resume<E: EncodedNet>(
        &self,
        problem: &Problem,
        session: &mut ExplicitSession<'_>,
        exploration: &mut Exploration<E>,
    ) {
        let open: Vec<&Query> = session.monitors.open.iter().map(|m| &problem.queries[m.at]).collect();
        let Some(home) = self.suspended.filter(|_| !open.is_empty()) else { return };
        let Some(suspended) = home.take(self.explicit.settings(), &problem.model, &open) else { return };
        if let Some(monitors) = exploration.resume(suspended.search, self.explicit.search_config(problem)) {
            session.monitors.resume(&problem.queries, monitors);
            home.count_resumed();
        }
    }

    /// Keeps an exploration that reached a limit.
    fn suspend<E: EncodedNet>(
        &self,
        problem: &Problem,
        sink: &dyn ResultSink,
        (monitors, exploration): (SuspendedMonitors, Exploration<E>),
    ) {
        let Some(home) = self.suspended else { return };
        home.keep(SuspendedExploration {
            model: problem.model.clone(),
            settings: self.explicit.settings(),
            closed: monitors.positions().filter_map(|at| sink.signal_as_written(at)).cloned().collect(),
            queries: monitors.queries().cloned().collect(),
            size: exploration.size(),
            search: exploration.suspend(monitors),
        });
    }
}

impl Explicit {
    fn uses_stubborn_sets(&self, problem: &Problem) -> bool {
        self.stubborn == Stubborn::On && problem.queries.iter().any(monitor::has_goal)
    }

    /// The settings that two runs must have in common for one to go on where the other stopped. The number of threads changes
    /// no answer.
    fn settings(&self) -> SuspendedSettings {
        SuspendedSettings::Explicit(Self { threads: 1, effort: None, ..*self })
    }

    fn search_config(&self, problem: &Problem) -> SearchConfig {
        let &Self { order, fireset, threads, .. } = self;
        let runs = problem.queries.iter().any(monitor::wants_runs);
        let max_states = self.effort.map_or(usize::MAX, |effort| effort / problem.queries.len().max(1));
        SearchConfig { order, fireset, threads, runs, steps: false, max_states }
    }
}

/// Looks for a self-covering run where the net may be unbounded and that would decide a query.
fn self_covering_run(input: &EncodedProblem<'_>, invariants: &PlaceInvariants) -> Option<SelfCoveringRun> {
    let maybe_unbounded = invariants.bounds().iter().any(Option::is_none);
    if !maybe_unbounded || !input.problem.queries.iter().any(self_covering::matters) {
        return None;
    }
    let budget = &input.budget.part(SELF_COVERING_SHARE);
    match input.model {
        EncodedModel::PlaceTransition { net, .. } => self_covering::find(net, budget),
        EncodedModel::Coloured { net, compiled, .. } => {
            self_covering::find_coloured((net, compiled), &input.problem.queries, budget)
        }
    }
}

/// Facts that are known before the first state is visited.
struct PriorFacts<'a> {
    /// The net or, of a coloured net, its skeleton.
    net: &'a Net,
    invariants: &'a PlaceInvariants,
    /// Whether each firing moves as many tokens as the net says.
    exact: bool,
    self_covering: Option<SelfCoveringRun>,
    /// Present if stubborn sets are used.
    arcs: Option<&'a ArcIndex<'a>>,
}

type VerdictWithEvidence = (Verdict, Option<Evidence>);

/// The queries of a problem while they are decided.
struct ExplicitSession<'a> {
    started: Instant,
    monitors: QueryMonitors<'a>,
    layout: &'static str,
    several: bool,
    sink: &'a mut dyn ResultSink,
}

impl ExplicitSession<'_> {
    /// Answers the queries that need no exploration, and opens monitors for the others.
    fn open<E: EncodedNet>(
        &mut self,
        facts: &PriorFacts<'_>,
        exploration: &Exploration<E>,
        queries: &[Query],
    ) {
        let PriorFacts { net, invariants, exact, self_covering, arcs } = facts;
        for (at, query) in queries.iter().enumerate() {
            let structure = || if *exact { global::by_structure(net, invariants, query) } else { None };
            let answer = global::by_initial_marking(net, query).or_else(structure);
            match answer.or_else(|| self_covering.as_ref().and_then(|run| run.answer(query))) {
                Some(answer) => self.report(at, answer, &exploration.search),
                None => self.monitors.open.extend(QueryMonitor::new(at, query, net, invariants, *arcs)),
            }
        }
        self.close_superfluous();
    }

    /// Closes the monitors of queries that need no answer any more.
    fn close_superfluous(&mut self) {
        self.monitors.open.retain(|monitor| self.sink.is_open(monitor.at));
        self.monitors.restart();
    }

    /// Explores, and answers all open queries. Gives the monitors of queries that stay open because of a limit after which the
    /// exploration can go on.
    fn run<E: EncodedNet>(
        &mut self,
        exploration: &mut Exploration<E>,
        problem: &Problem,
        budget: &Budget,
    ) -> Option<SuspendedMonitors> {
        if self.monitors.open.is_empty() {
            return None;
        }
        let (reason, suspended) = match exploration.run(budget, self) {
            Ok(()) => {
                self.finish(exploration, budget);
                return None;
            }
            Err(ExplorationStop::AtLimit(reason)) => (reason, Some(self.monitors.suspend(&problem.queries))),
            Err(ExplorationStop::ForGood(reason)) => (reason, None),
        };
        for monitor in std::mem::take(&mut self.monitors.open) {
            self.report(monitor.at, (Verdict::Unknown(reason.clone()), None), &exploration.search);
        }
        suspended
    }

    /// Answers the queries that are open after all states were visited.
    fn finish<E: EncodedNet>(&mut self, exploration: &Exploration<E>, budget: &Budget) {
        for monitor in std::mem::take(&mut self.monitors.open) {
            let at = monitor.at;
            let answer = self.verdict(monitor, exploration, budget);
            let answer = answer.unwrap_or_else(|reason| (Verdict::Unknown(reason), None));
            self.report(at, answer, &exploration.search);
        }
    }

    fn verdict<E: EncodedNet>(
        &self,
        monitor: QueryMonitor,
        exploration: &Exploration<E>,
        budget: &Budget,
    ) -> Result<VerdictWithEvidence, StopReason> {
        let states = &exploration.search.states;
        match monitor.finish((states.store.len() as u64, states.firings), &self.monitors.fired) {
            Some((verdict, state)) => {
                let run = |state| exploration.with_graph(budget, |graph| graph.run_to(state)).ok();
                Ok((verdict, state.and_then(run).map(Evidence::Trace)))
            }
            None => {
                let live = global::live(exploration, self.monitors.fired.seen.len(), budget)?;
                Ok((live.into(), None))
            }
        }
    }

    fn report<N: ActionId>(
        &mut self,
        at: usize,
        (verdict, evidence): VerdictWithEvidence,
        search: &StateSearch<N>,
    ) {
        let mut techniques = vec![Technique::Explicit];
        if self.several {
            techniques.push(Technique::CollateralProcessing);
        }
        if self.monitors.uses_stubborn_sets() {
            techniques.push(Technique::StubbornSets);
        }
        let statistics = Statistics {
            engine: "explicit",
            encoding: self.layout,
            states: search.states.store.len() as u64,
            firings: search.states.firings,
            memory: search.peak_bytes(),
            elapsed: self.started.elapsed(),
        };
        self.sink.report(at, Outcome { verdict, evidence, techniques, statistics });
    }
}

impl<'a, S: MarkingSpace> Visitor<S> for ExplicitSession<'a> {
    type Monitor = QueryMonitors<'a>;

    fn monitor(&mut self) -> &mut Self::Monitor {
        &mut self.monitors
    }

    fn on_decided(&mut self, search: &StateSearch<S::ActionId>, space: &mut S) -> ControlFlow<()> {
        let (decided, open) =
            std::mem::take(&mut self.monitors.open).into_iter().partition(|m| m.decided.is_some());
        self.monitors.open = open;
        for monitor in decided {
            let (verdict, state): VerdictAtState = monitor.decided.expect("partitioned by this");
            let run = |state| interruptible(|| trace(search, space, state)).ok();
            let evidence = state.and_then(run).map(Evidence::Trace);
            self.report(monitor.at, (verdict, evidence), search);
        }
        self.close_superfluous();
        if self.monitors.open.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
