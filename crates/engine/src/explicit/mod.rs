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

use std::{ops::ControlFlow, time::Instant};

use fireset_net::{Budget, Evidence, Model, Net, Outcome, Problem, Query, Statistics, Technique, Verdict};
use fireset_structure::{NetStructure, PlaceInvariants};

use self::{
    exploration::{Exploration, trace},
    monitor::{QueryMonitor, QueryMonitors, VerdictAtState},
    self_covering::SelfCoveringRun,
};
use crate::{
    ColouredConfig, Engine, FiresetMode, Order, ResultSink,
    driver::{self, EncodedEngine, EncodedModel, EncodedProblem, EncodingConfig},
    packed::{Access, LayoutChoice},
    search::{ActionId, EncodedNet, MarkingSpace, SearchConfig, StateSearch, Visitor, interruptible},
    stubborn::{ArcIndex, Stubborn},
};

/// The divisor of the time that the search for a self-covering run may take.
const SELF_COVERING_SHARE: u32 = 4;

/// Decides what looking at each state once decides, and liveness.
#[derive(Clone, Copy, Debug)]
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
        driver::decide(self, problem, budget, sink);
    }
}

impl EncodedEngine for Explicit {
    fn encoding_config(&self) -> EncodingConfig {
        EncodingConfig { encoding: self.encoding, access: self.access, coloured: self.coloured }
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
            EncodedModel::PlaceTransition { net, .. } if self.uses_stubborn_sets(problem) => {
                Some(ArcIndex::new(net))
            }
            _ => None,
        };
        let self_covering = self_covering_run(&input, invariants);
        let uncoloured = input.model.uncoloured();
        let facts = PriorFacts { net: uncoloured, invariants, exact, self_covering, arcs: arcs.as_ref() };
        let mut exploration = Exploration::new(net, self.search_config(problem));
        let mut session = ExplicitSession {
            started: Instant::now(),
            monitors: QueryMonitors::new(facts.net, facts.arcs),
            layout: "",
            several: problem.queries.len() > 1,
            sink,
        };
        session.open(&facts, &exploration, &problem.queries);
        session.run(&mut exploration, budget);
    }
}

impl Explicit {
    fn uses_stubborn_sets(&self, problem: &Problem) -> bool {
        self.stubborn == Stubborn::On && problem.queries.iter().any(monitor::has_goal)
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
        EncodedModel::Coloured { net, compiled, .. } => self_covering::find_coloured(net, compiled, budget),
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

    /// Explores, and answers all open queries.
    fn run<E: EncodedNet>(&mut self, exploration: &mut Exploration<E>, budget: &Budget) {
        if self.monitors.open.is_empty() {
            return;
        }
        let ended = exploration.run(budget, self);
        let states = &exploration.search.states;
        let size = (states.store.len() as u64, states.firings);
        for monitor in std::mem::take(&mut self.monitors.open) {
            let at = monitor.at;
            let answer = ended.clone().and_then(|()| match monitor.finish(size, &self.monitors.fired) {
                Some((verdict, state)) => {
                    let run = |state| exploration.with_graph(budget, |graph| graph.run_to(state)).ok();
                    Ok((verdict, state.and_then(run).map(Evidence::Trace)))
                }
                None => {
                    let live = global::live(exploration, self.monitors.fired.seen.len(), budget)?;
                    Ok((live.into(), None))
                }
            });
            let answer = answer.unwrap_or_else(|reason| (Verdict::Unknown(reason), None));
            self.report(at, answer, &exploration.search);
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
