//! Place/transition nets state by state, on packed rows: reachability, bounds, the state space, and the
//! properties of the whole net, several of them in one exploration.
//!
//! After EnPAC's state generation (sections III-A and III-B). Some questions are answered before the first
//! state: an invariant may show that a net is safe, its arcs that a place never changes, a walk that a place
//! grows without bound. What is left looks on while states are visited. Test: `tests/explicit.rs`.

mod distance;
mod explore;
mod global;
mod pump;
mod watch;

use std::{ops::ControlFlow, time::Instant};

use fireset_net::{Budget, Evidence, Model, Net, Outcome, Problem, Query, Statistics, Technique, Verdict};

use self::{
    explore::{Explorer, trace},
    watch::{Finding, Looks, Watch},
};
use crate::{
    Engine, FiresetMode, Order,
    packed::{Access, Choice, Packed, choose::Knowledge},
    search::{Ground, Marked, Number, Search, Visitor},
};

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
}

impl Default for Explicit {
    fn default() -> Self {
        let (encoding, access) = (Choice::default(), Access::default());
        Self { encoding, access, order: Order::default(), fireset: FiresetMode::default(), threads: 1 }
    }
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
        let knowledge = Knowledge::of(net);
        let ground = Packed::new(net, &knowledge, self.encoding, self.access);
        let runs = problem.queries.iter().any(watch::wants_runs);
        let mut explorer = Explorer::new(ground, *self, runs);
        let mut session = Session {
            started: Instant::now(),
            looks: Looks::new(net),
            encoding: "",
            several: problem.queries.len() > 1,
            answer,
        };
        session.before(net, &knowledge, &explorer, &problem.queries);
        session.run(&mut explorer, budget);
    }
}

/// A verdict and what shows it.
type Answer = (Verdict, Option<Evidence>);

/// The queries of a problem while they are decided.
struct Session<'a, N> {
    started: Instant,
    looks: Looks<'a, N>,
    encoding: &'static str,
    several: bool,
    answer: &'a mut dyn FnMut(usize, Outcome),
}

impl<N: Number> Session<'_, N> {
    /// Answers what needs no exploration, and opens the rest.
    fn before<G: Ground<Number = N>>(
        &mut self,
        net: &Net,
        knowledge: &Knowledge,
        explorer: &Explorer<G>,
        queries: &[Query],
    ) {
        let unbounded = knowledge.bounds.iter().any(Option::is_none);
        let pump = if unbounded { pump::find(net) } else { None };
        for (at, query) in queries.iter().enumerate() {
            let known = global::at_once(net, knowledge, query);
            match known.or_else(|| pump.as_ref().and_then(|pump| pump.answer(net, query))) {
                Some(answer) => self.pass_on(at, answer, &explorer.search),
                None => self.looks.open.push(Watch::new(at, query, net, knowledge)),
            }
        }
    }

    /// Explores, and answers the rest.
    fn run<G: Ground<Number = N>>(&mut self, explorer: &mut Explorer<G>, budget: &Budget) {
        if self.looks.open.is_empty() {
            return;
        }
        let ended = explorer.run(budget, self);
        let states = &explorer.search.states;
        let size = (states.store.len() as u64, states.firings);
        for watch in std::mem::take(&mut self.looks.open) {
            let at = watch.at;
            let answer = ended.clone().and_then(|()| match watch.finish(size, &self.looks.fired) {
                Some((verdict, spot)) => {
                    let trace = spot.map(|spot| explorer.with_graph(|graph| graph.run_to(&spot)));
                    Ok((verdict, trace.map(Evidence::Trace)))
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

    fn pass_on(&mut self, at: usize, (verdict, evidence): Answer, search: &Search<N>) {
        let mut techniques = vec![Technique::Explicit];
        if self.several {
            techniques.push(Technique::CollateralProcessing);
        }
        let statistics = Statistics {
            engine: "explicit",
            encoding: self.encoding,
            states: search.states.store.len() as u64,
            firings: search.states.firings,
            memory: search.peak(),
            elapsed: self.started.elapsed(),
        };
        (self.answer)(at, Outcome { verdict, evidence, techniques, statistics });
    }
}

impl<'a, S: Marked> Visitor<S> for Session<'a, S::Number> {
    type Look = Looks<'a, S::Number>;

    fn look(&mut self) -> &mut Self::Look {
        &mut self.looks
    }

    fn settle(&mut self, search: &Search<S::Number>, space: &mut S) -> ControlFlow<()> {
        let (decided, open) =
            std::mem::take(&mut self.looks.open).into_iter().partition(|w| w.decided.is_some());
        self.looks.open = open;
        for watch in decided {
            let (verdict, spot): Finding<_> = watch.decided.expect("it is among the decided");
            let evidence = spot.map(|spot| Evidence::Trace(trace(search, space, &spot)));
            self.pass_on(watch.at, (verdict, evidence), search);
        }
        if self.looks.open.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
