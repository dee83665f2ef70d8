//! Place/transition nets state by state, on packed rows: reachability, bounds, the state space, and the
//! properties of the whole net, several of them in one exploration.
//!
//! After EnPAC's state generation (sections III-A and III-B). Some questions are answered before the first
//! state: an invariant may show that a net is safe, its arcs that a place never changes, a walk that a place
//! grows without bound. What is left looks on while states are visited. Test: `tests/explicit.rs`.

mod climb;
mod distance;
mod dive;
mod explore;
mod global;
mod pump;
mod watch;

use std::{ops::ControlFlow, time::Instant};

use fireset_net::{Budget, Global, Model, Net, Outcome, Problem, Query, Statistics, Technique, Verdict};

use self::{
    explore::{Explorer, Progress, View, Visitor},
    watch::{Answer, Watch},
};
use crate::{
    Engine,
    packed::{Access, Choice},
};

/// Decides what looking at each state once decides, and liveness.
#[derive(Clone, Copy, Debug, Default)]
pub struct Explicit {
    /// How markings are laid out.
    pub encoding: Choice,
    /// How they are read and written.
    pub access: Access,
    /// In which order states are visited.
    pub order: Order,
    /// What the depth-first order remembers of the states on its stack.
    pub fireset: FiresetMode,
}

/// Orders in which states are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Near states first: shortest runs.
    #[default]
    BreadthFirst,
    /// Along one run until it ends.
    DepthFirst,
    /// Those first that look nearest to what is wanted.
    BestFirst,
}

/// What is remembered of the enabled transitions of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FiresetMode {
    /// The last one that fired.
    #[default]
    Dynamic,
    /// All of them.
    Full,
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        matches!(model, Model::Plain(_)) && watch::accepts(query)
    }

    fn decide(&self, problem: &Problem, budget: &Budget, answer: &mut dyn FnMut(usize, Outcome)) {
        let Model::Plain(net) = &*problem.model else { panic!("accepts only place/transition nets") };
        let runs = problem.queries.iter().any(watch::wants_runs);
        let mut explorer = Explorer::new(net, *self, runs);
        let several = problem.queries.len() > 1;
        let mut session =
            Session { started: Instant::now(), open: Vec::new(), fired: Fired::new(net), several, answer };
        session.before(net, &explorer, &problem.queries);
        session.run(&mut explorer, budget);
    }
}

/// The transitions that fired so far.
struct Fired {
    seen: Vec<bool>,
    left: usize,
}

impl Fired {
    fn new(net: &Net) -> Self {
        let transitions = net.nodes().transitions.len();
        Self { seen: vec![false; transitions], left: transitions }
    }
}

/// The queries that are still open.
struct Session<'a> {
    started: Instant,
    open: Vec<(usize, Kind)>,
    fired: Fired,
    several: bool,
    answer: &'a mut dyn FnMut(usize, Outcome),
}

/// How a query is decided.
enum Kind {
    /// By looking at states.
    Watch(Box<dyn Watch>),
    /// By the transitions that fired.
    QuasiLiveness,
    /// By the components of the whole graph.
    Liveness,
}

impl Session<'_> {
    /// Answers what needs no exploration, and opens the rest.
    fn before(&mut self, net: &Net, explorer: &Explorer<'_>, queries: &[Query]) {
        let unbounded = explorer.knowledge.bounds.iter().any(Option::is_none);
        let pump = if unbounded { pump::find(net) } else { None };
        for (at, query) in queries.iter().enumerate() {
            let known = global::at_once(net, &explorer.knowledge, query);
            match known.or_else(|| pump.as_ref().and_then(|pump| pump.answer(net, query))) {
                Some(answer) => self.pass_on(at, answer, &cost(&explorer.progress())),
                None => self.open.push((at, open(net, explorer, query))),
            }
        }
    }

    fn run(&mut self, explorer: &mut Explorer<'_>, budget: &Budget) {
        if self.open.is_empty() {
            return;
        }
        let ended = explorer.run(budget, self);
        let statistics = cost(&explorer.progress());
        for (at, kind) in std::mem::take(&mut self.open) {
            let answer = ended.clone().and_then(|_| match kind {
                Kind::Watch(mut watch) => Ok(watch.finish(&explorer.progress())),
                Kind::QuasiLiveness => Ok((Verdict::from(self.fired.left == 0), None)),
                Kind::Liveness => {
                    let live = self.fired.left == 0 && global::live(explorer, self.fired.seen.len(), budget)?;
                    Ok((Verdict::from(live), None))
                }
            });
            self.pass_on(at, answer.unwrap_or_else(|reason| (Verdict::Unknown(reason), None)), &statistics);
        }
    }

    fn pass_on(&mut self, at: usize, (verdict, evidence): Answer, statistics: &Statistics) {
        let mut techniques = vec![Technique::Explicit];
        if self.several {
            techniques.push(Technique::CollateralProcessing);
        }
        let statistics = Statistics { elapsed: self.started.elapsed(), ..statistics.clone() };
        (self.answer)(at, Outcome { verdict, evidence, techniques, statistics });
    }
}

fn open(net: &Net, explorer: &Explorer<'_>, query: &Query) -> Kind {
    Kind::Watch(match query {
        Query::Reachable(p) => Box::new(watch::Search { target: p.clone(), when_found: true }),
        Query::Invariant(p) => Box::new(watch::Search { target: p.clone().negate(), when_found: false }),
        Query::Bound(places) => Box::new(watch::Bound::new(places, &explorer.knowledge)),
        Query::Global(Global::StateSpace) => Box::new(watch::Size::default()),
        Query::Global(Global::OneSafe) => Box::new(global::OneSafe),
        Query::Global(Global::StableMarking) => Box::new(global::StableMarking::new(net)),
        Query::Global(Global::QuasiLiveness) => return Kind::QuasiLiveness,
        Query::Global(Global::Liveness) => return Kind::Liveness,
        Query::Ctl(_) | Query::Ltl(..) => panic!("accepts only what looking at each state decides"),
    })
}

/// What an exploration has cost so far.
fn cost(progress: &Progress<'_>) -> Statistics {
    Statistics {
        engine: "explicit",
        encoding: progress.layout.encoding.name(),
        states: progress.store.len() as u64,
        firings: progress.firings,
        memory: progress.bytes(),
        ..Statistics::default()
    }
}

impl Visitor for Session<'_> {
    #[inline]
    fn firing(&mut self, transition: usize) {
        let seen = &mut self.fired.seen[transition];
        self.fired.left -= usize::from(!*seen);
        *seen = true;
    }

    fn distance(&self, progress: &Progress<'_>, view: &View<'_>) -> u64 {
        let distances = self.open.iter().filter_map(|(_, kind)| match kind {
            Kind::Watch(watch) => watch.distance(progress, view),
            _ => None,
        });
        distances.min().unwrap_or(0)
    }

    fn visit(&mut self, progress: &Progress<'_>, view: &View<'_>) -> ControlFlow<()> {
        let mut answers = Vec::new();
        let all_fired = self.fired.left == 0;
        self.open.retain_mut(|(at, kind)| {
            let answer = match kind {
                Kind::Watch(watch) => watch.visit(progress, view),
                Kind::QuasiLiveness => all_fired.then_some((Verdict::Holds, None)),
                Kind::Liveness => {
                    (view.deadlock && !self.fired.seen.is_empty()).then_some((Verdict::Fails, None))
                }
            };
            match answer {
                Some(answer) => {
                    answers.push((*at, answer));
                    false
                }
                None => true,
            }
        });
        if !answers.is_empty() {
            let statistics = cost(progress);
            answers.into_iter().for_each(|(at, answer)| self.pass_on(at, answer, &statistics));
        }
        if self.open.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
