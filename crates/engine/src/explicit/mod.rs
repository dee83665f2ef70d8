//! Nets state by state, on packed rows: reachability, bounds, the state space, and the
//! properties of the whole net, several of them in one exploration.
//!
//! After EnPAC's state generation (sections III-A and III-B). Some questions are answered before the first
//! state: an invariant may show that a net is safe, its arcs that a place never changes, a walk that a place
//! grows without bound. What is left looks on while states are visited. Test: `tests/explicit.rs`.

mod explore;
mod global;
mod pump;
mod watch;

use std::{ops::ControlFlow, time::Instant};

use fireset_net::{
    Budget, Evidence, Model, Net, Outcome, Problem, Query, Statistics, StopReason, Technique, Verdict,
    coloured::ColouredNet,
};
use fireset_structure::{NetStructure, PlaceInvariants};

use self::{
    explore::{Explorer, trace},
    pump::Pump,
    watch::{Finding, Looks, Watch},
};
use crate::{
    ColouredConfig, Engine, FiresetMode, Order, ResultSink,
    coloured::{Coloured, Compiled, Skeleton},
    packed::{Access, Choice, Packed},
    search::{Ground, Marked, Number, Search, Visitor, interruptible},
    stubborn::{Arcs, Stubborn},
};

/// One of so many parts of the time may go into finding out that a coloured net is unbounded.
const PUMP_PART: u32 = 4;

/// Decides what looking at each state once decides, and liveness.
#[derive(Clone, Copy, Debug)]
pub struct Explicit {
    /// How markings are laid out.
    pub encoding: Choice,
    /// How they are read and written.
    pub access: Access,
    /// In which order states are visited.
    pub order: Order,
    /// What the depth-first order remembers of the states on its stack.
    pub fireset: FiresetMode,
    /// How many threads the breadth-first order uses.
    pub threads: usize,
    /// How coloured nets are searched.
    pub ways: ColouredConfig,
    /// Whether only stubborn sets fire, on place/transition nets and where no query needs all states.
    pub stubborn: Stubborn,
    /// At most so many states times queries, if that is limited.
    pub effort: Option<usize>,
}

impl Default for Explicit {
    fn default() -> Self {
        let (encoding, access, ways) = (Choice::default(), Access::default(), ColouredConfig::default());
        let (order, fireset) = (Order::default(), FiresetMode::default());
        let (stubborn, effort) = (Stubborn::default(), None);
        Self { encoding, access, order, fireset, threads: 1, ways, stubborn, effort }
    }
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        watch::accepts(query)
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        match &*problem.model {
            Model::Plain(net) => {
                let knowledge = NetStructure::of(net).place_invariants(budget);
                let ground = Packed::new(net, &knowledge, self.encoding, self.access);
                let pump = may_pump(&knowledge, problem).then(|| pump::find(net, &budget.part(PUMP_PART)));
                let pump = pump.flatten();
                let wanted = self.stubborn == Stubborn::On && problem.queries.iter().any(watch::has_goal);
                let arcs = wanted.then(|| Arcs::new(net));
                let known = Known { net, knowledge: &knowledge, exact: true, pump, arcs: arcs.as_ref() };
                self.explore(ground, &known, problem, budget, sink);
            }
            Model::Coloured(net) => {
                if let Err(reason) = self.explore_coloured(net, problem, budget, sink) {
                    (0..problem.queries.len())
                        .for_each(|at| sink.report(at, Outcome::unknown(reason.clone())));
                }
            }
        }
    }
}

impl Explicit {
    fn explore_coloured(
        &self,
        net: &ColouredNet,
        problem: &Problem,
        budget: &Budget,
        sink: &mut dyn ResultSink,
    ) -> Result<(), StopReason> {
        let compiled = Compiled::new(net)?;
        let ground = Coloured::new(net, &compiled, self.ways)?;
        let Skeleton { net: skeleton, exact } = Skeleton::of(net, &compiled);
        let knowledge = if exact {
            NetStructure::of(&skeleton).place_invariants(budget)
        } else {
            PlaceInvariants::none(&skeleton)
        };
        let find = || pump::find_coloured(net, &compiled, &budget.part(PUMP_PART));
        let pump = may_pump(&knowledge, problem).then(find).flatten();
        let known = Known { net: &skeleton, knowledge: &knowledge, exact, pump, arcs: None };
        self.explore(ground, &known, problem, budget, sink);
        Ok(())
    }

    fn explore<G: Ground>(
        &self,
        ground: G,
        known: &Known<'_>,
        problem: &Problem,
        budget: &Budget,
        sink: &mut dyn ResultSink,
    ) {
        let runs = problem.queries.iter().any(watch::wants_runs);
        let most = self.effort.map_or(usize::MAX, |effort| effort / problem.queries.len().max(1));
        let mut explorer = Explorer::new(ground, *self, runs, most);
        let mut session = Session {
            started: Instant::now(),
            looks: Looks::new(known.net, known.arcs),
            encoding: "",
            several: problem.queries.len() > 1,
            sink,
        };
        session.before(known, &explorer, &problem.queries);
        session.run(&mut explorer, budget);
    }
}

/// Whether it is worth looking for a pump: the net may be unbounded, and that would decide something.
fn may_pump(knowledge: &PlaceInvariants, problem: &Problem) -> bool {
    knowledge.bounds().iter().any(Option::is_none) && problem.queries.iter().any(pump::matters)
}

/// What is known before the first state is visited.
struct Known<'a> {
    /// The net or, of a coloured net, its skeleton.
    net: &'a Net,
    knowledge: &'a PlaceInvariants,
    /// Whether each firing moves as many tokens as the net says.
    exact: bool,
    pump: Option<Pump>,
    /// If stubborn sets are wanted.
    arcs: Option<&'a Arcs<'a>>,
}

/// A verdict and what shows it.
type Answer = (Verdict, Option<Evidence>);

/// The queries of a problem while they are decided.
struct Session<'a> {
    started: Instant,
    looks: Looks<'a>,
    encoding: &'static str,
    several: bool,
    sink: &'a mut dyn ResultSink,
}

impl Session<'_> {
    /// Answers what needs no exploration, and opens the rest.
    fn before<G: Ground>(&mut self, known: &Known<'_>, explorer: &Explorer<G>, queries: &[Query]) {
        let Known { net, knowledge, exact, pump, arcs } = known;
        for (at, query) in queries.iter().enumerate() {
            let structure = || if *exact { global::at_once(net, knowledge, query) } else { None };
            let told = global::at_first(net, query).or_else(structure);
            match told.or_else(|| pump.as_ref().and_then(|pump| pump.answer(query))) {
                Some(answer) => self.pass_on(at, answer, &explorer.search),
                None => self.looks.open.push(Watch::new(at, query, net, knowledge, *arcs)),
            }
        }
        self.forget();
    }

    /// Leaves what nobody wants to know any more.
    fn forget(&mut self) {
        self.looks.open.retain(|watch| self.sink.is_open(watch.at));
        self.looks.restart();
    }

    /// Explores, and answers the rest.
    fn run<G: Ground>(&mut self, explorer: &mut Explorer<G>, budget: &Budget) {
        if self.looks.open.is_empty() {
            return;
        }
        let ended = explorer.run(budget, self);
        let states = &explorer.search.states;
        let size = (states.store.len() as u64, states.firings);
        for watch in std::mem::take(&mut self.looks.open) {
            let at = watch.at;
            let answer = ended.clone().and_then(|()| match watch.finish(size, &self.looks.fired) {
                Some((verdict, state)) => {
                    let run = |state| explorer.with_graph(budget, |graph| graph.run_to(state)).ok();
                    Ok((verdict, state.and_then(run).map(Evidence::Trace)))
                }
                None => {
                    let live = global::live(explorer, self.looks.fired.seen.len(), budget)?;
                    Ok((live.into(), None))
                }
            });
            let answer = answer.unwrap_or_else(|reason| (Verdict::Unknown(reason), None));
            self.pass_on(at, answer, &explorer.search);
        }
    }

    fn pass_on<N: Number>(&mut self, at: usize, (verdict, evidence): Answer, search: &Search<N>) {
        let mut techniques = vec![Technique::Explicit];
        if self.several {
            techniques.push(Technique::CollateralProcessing);
        }
        if self.looks.uses_stubborn_sets() {
            techniques.push(Technique::StubbornSets);
        }
        let statistics = Statistics {
            engine: "explicit",
            encoding: self.encoding,
            states: search.states.store.len() as u64,
            firings: search.states.firings,
            memory: search.peak(),
            elapsed: self.started.elapsed(),
        };
        self.sink.report(at, Outcome { verdict, evidence, techniques, statistics });
    }
}

impl<'a, S: Marked> Visitor<S> for Session<'a> {
    type Look = Looks<'a>;

    fn look(&mut self) -> &mut Self::Look {
        &mut self.looks
    }

    fn settle(&mut self, search: &Search<S::Number>, space: &mut S) -> ControlFlow<()> {
        let (decided, open) =
            std::mem::take(&mut self.looks.open).into_iter().partition(|w| w.decided.is_some());
        self.looks.open = open;
        for watch in decided {
            let (verdict, state): Finding = watch.decided.expect("it is among the decided");
            let run = |state| interruptible(|| trace(search, space, state)).ok();
            let evidence = state.and_then(run).map(Evidence::Trace);
            self.pass_on(watch.at, (verdict, evidence), search);
        }
        self.forget();
        if self.looks.open.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
