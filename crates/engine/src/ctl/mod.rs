//! CTL model checking: on the fly, where operators are evaluated only in the markings in which they are needed, and globally,
//! where nearly all are needed.
//!
//! A formula becomes Boolean terms over `EX`, `EU` and `AU` ([`operators`]); [`evaluate`] searches for their values,
//! depth-first or, for `EU` and `AU`, in dependency graphs ([`dependency_graph`]), in markings that random walks come to
//! ([`random_walk`]), or in all of them ([`labelling`]); [`evidence`] combines runs that show the formula's value. Formulas of one
//! problem share the markings. Test: `tests/ctl.rs`.

mod dependency_graph;
mod evaluate;
mod evidence;
mod fixpoint;
mod labelling;
pub(crate) mod operators;
mod random_walk;
mod recorder;
mod runs;
mod status;
mod terms;
mod worklist;

use std::time::Instant;

use fireset_kernel::store::{Store, TreeRow};
use fireset_net::{
    Branching, Budget, Evidence, Formula, Model, Net, Outcome, Problem, Query, Statistics, StopReason,
    Technique, Verdict, coloured::ColouredNet,
};
use fireset_structure::NetStructure;

use self::{evaluate::Evaluation, labelling::Labelling, operators::CompiledCtl};
use crate::{
    ColouredConfig, Engine, FiresetMode, Order, ResultSink,
    coloured::{Coloured, Compiled, Skeleton},
    packed::{Access, Choice, Packed},
    search::{Ground, Marked, Markings, Number, Stop, Task, interrupted, interruptible},
    turns::{self, Turn},
};

/// How the values of operators are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CtlAlgorithm {
    /// Depth-first on the fly, with a value for each marking and operator.
    #[default]
    Local,
    /// On the fly in any order, with the dependencies between values.
    DependencyGraph,
    /// Bounded searches in markings that random walks come to; finds runs only.
    RandomWalk,
    /// In all markings, for all formulas at once.
    Global,
}

#[derive(Clone, Copy)]
struct CtlConfig {
    algorithm: CtlAlgorithm,
    order: Order,
    fireset: FiresetMode,
    /// Of the random walks.
    seed: u64,
}

/// Decides CTL properties.
#[derive(Clone, Copy, Debug)]
pub struct CtlEngine {
    /// The layout of markings.
    pub encoding: Choice,
    /// How markings are read and written.
    pub access: Access,
    /// Random walks accept only formulas with an operator that they can show.
    pub algorithm: CtlAlgorithm,
    /// In which order markings are searched: all of them in dependency graphs. Otherwise those of the outermost `EU`; all
    /// others are searched depth-first, with best-first into the nearest successor. If it is not given, depth-first at
    /// first and best-first for what takes long then.
    pub order: Option<Order>,
    /// How many successors of a marking are generated at a time.
    pub fireset: FiresetMode,
    /// How coloured nets are searched.
    pub ways: ColouredConfig,
    /// How many threads evaluate formulas in all markings; no other algorithm has several.
    pub threads: usize,
}

impl Default for CtlEngine {
    fn default() -> Self {
        let (encoding, access, ways) = (Choice::default(), Access::default(), ColouredConfig::default());
        let (algorithm, fireset) = (CtlAlgorithm::default(), FiresetMode::default());
        Self { encoding, access, algorithm, order: None, fireset, ways, threads: 1 }
    }
}

impl Engine for CtlEngine {
    fn name(&self) -> &'static str {
        "ctl"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        match query {
            Query::Ctl(f) => {
                self.algorithm != CtlAlgorithm::RandomWalk || random_walk::has_roots(&CompiledCtl::of(f))
            }
            _ => false,
        }
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        match &*problem.model {
            Model::Plain(net) => {
                let knowledge = NetStructure::of(net).place_invariants(budget);
                let ground = Packed::new(net, &knowledge, self.encoding, self.access);
                self.decide_on(ground, net, problem, budget, sink);
            }
            Model::Coloured(net) => {
                if let Err(reason) = self.decide_coloured(net, problem, budget, sink) {
                    (0..problem.queries.len())
                        .for_each(|at| sink.report(at, Outcome::unknown(reason.clone())));
                }
            }
        }
    }
}

impl CtlEngine {
    fn config(&self, turn: Turn) -> CtlConfig {
        let order = self.order.unwrap_or(match turn {
            Turn::First => Order::DepthFirst,
            Turn::Second => Order::BestFirst,
        });
        // A search in a marking of a random walk visits the nearest marking first.
        let order = if self.algorithm == CtlAlgorithm::RandomWalk { Order::BestFirst } else { order };
        CtlConfig {
            algorithm: self.algorithm,
            order,
            fireset: self.fireset,
            seed: u64::from(turn == Turn::Second),
        }
    }

    fn decide_coloured(
        &self,
        net: &ColouredNet,
        problem: &Problem,
        budget: &Budget,
        sink: &mut dyn ResultSink,
    ) -> Result<(), StopReason> {
        let compiled = Compiled::new(net)?;
        let ground = Coloured::new(net, &compiled, self.ways)?;
        let skeleton = Skeleton::of(net, &compiled).net;
        self.decide_on(ground, &skeleton, problem, budget, sink);
        Ok(())
    }

    fn decide_on<G: Ground>(
        &self,
        ground: G,
        net: &Net,
        problem: &Problem,
        budget: &Budget,
        sink: &mut dyn ResultSink,
    ) {
        let several = problem.queries.len() > 1;
        let mut session =
            CtlSession { config: self.config(Turn::First), ground, net, several, markings: None };
        if self.algorithm == CtlAlgorithm::Global {
            return session.label(&problem.queries, self.threads, budget, sink);
        }
        let decide = |at: usize, turn: Turn, part: &Budget| {
            session.config = self.config(turn);
            session.decide(&problem.queries[at], part)
        };
        turns::in_turn(problem.queries.len(), budget, decide, sink);
    }
}

/// The state that the formulas of a problem share.
struct CtlSession<'n, G> {
    config: CtlConfig,
    /// Wide enough for all markings that were seen.
    ground: G,
    /// The net or, of a coloured net, its skeleton.
    net: &'n Net,
    several: bool,
    /// The markings that were found on this ground.
    markings: Option<Store>,
}

impl<G: Ground> CtlSession<'_, G> {
    fn decide(&mut self, query: &Query, budget: &Budget) -> Outcome {
        let Query::Ctl(formula) = query else { panic!("accepts only CTL") };
        let started = Instant::now();
        let operators = CompiledCtl::of(formula);
        let (value, mut statistics) = self.evaluate(formula, &operators, budget);
        statistics.elapsed = started.elapsed();
        outcome(value, self.several, statistics)
    }

    /// Evaluates formulas in all markings, in a layout that widens when one does not fit.
    fn label(&mut self, queries: &[Query], threads: usize, budget: &Budget, sink: &mut dyn ResultSink) {
        let mut answered = vec![false; queries.len()];
        let reason = loop {
            let initial = self.ground.initial();
            let labelling = Labelling {
                queries,
                answered: &mut answered,
                net: self.net,
                config: self.config,
                threads,
                encoding: self.ground.encoding(),
                budget,
                sink,
            };
            match self.ground.on_space(LabelTask { initial: &initial, labelling }, budget) {
                Ok(Ok(())) => return,
                Ok(Err(CtlEnd::Stopped(reason))) | Err(reason) => break reason,
                Ok(Err(CtlEnd::Misfit(row, action))) => match self.ground.wider(&row, action) {
                    Ok(wider) => self.ground = wider,
                    Err(reason) => break reason,
                },
            }
        };
        for at in (0..queries.len()).filter(|&at| !answered[at]) {
            let statistics = interrupted("ctl", budget);
            sink.report(at, outcome(Err(reason.clone()), self.several, statistics));
        }
    }

    /// Evaluates a formula, in a layout that widens when a marking does not fit.
    fn evaluate(
        &mut self,
        formula: &Formula,
        operators: &CompiledCtl,
        budget: &Budget,
    ) -> (Result<CtlValue, StopReason>, Statistics) {
        loop {
            let initial = self.ground.initial();
            let fresh = self.markings.is_none();
            let store = self.markings.take().unwrap_or_else(|| Store::new(initial.len(), false));
            let task = EvaluateTask {
                initial: &initial,
                formula,
                operators,
                store,
                net: self.net,
                config: self.config,
                budget,
            };
            let (value, store, mut statistics) = match self.ground.on_space(task, budget) {
                Ok(evaluated) => evaluated,
                Err(reason) => return (Err(reason), interrupted("ctl", budget)),
            };
            statistics.encoding = self.ground.encoding();
            match value {
                Ok(value) => {
                    self.markings = Some(store);
                    return (Ok(value), statistics);
                }
                // The markings of other formulas may have left too little for this one.
                Err(CtlEnd::Stopped(StopReason::Memory)) if !fresh => {}
                Err(CtlEnd::Stopped(reason)) => {
                    self.markings = (reason != StopReason::Memory).then_some(store);
                    return (Err(reason), statistics);
                }
                Err(CtlEnd::Misfit(row, action)) => match self.ground.wider(&row, action) {
                    Ok(wider) => self.ground = wider,
                    Err(reason) => return (Err(reason), statistics),
                },
            }
        }
    }
}

fn outcome(value: Result<CtlValue, StopReason>, several: bool, statistics: Statistics) -> Outcome {
    let mut techniques = vec![Technique::Explicit];
    if several {
        techniques.push(Technique::CollateralProcessing);
    }
    let (verdict, runs) = match value {
        Ok((value, runs)) => (value.into(), runs),
        Err(reason) => (Verdict::Unknown(reason), None),
    };
    Outcome { verdict, evidence: runs.map(Evidence::Branching), techniques, statistics }
}

/// An evaluation, as something to do on a space.
struct EvaluateTask<'a> {
    initial: &'a [u64],
    formula: &'a Formula,
    operators: &'a CompiledCtl,
    store: Store,
    net: &'a Net,
    config: CtlConfig,
    budget: &'a Budget,
}

/// The value of a formula, and the runs that show it.
type CtlValue = (bool, Option<Branching>);

/// How an evaluation ends without a value.
enum CtlEnd<N> {
    Stopped(StopReason),
    /// This action in this row leads to one that does not fit.
    Misfit(Vec<u64>, N),
}

/// How a search ends that was stopped.
fn end<N>(stop: Stop<N>, store: &Store) -> CtlEnd<N> {
    match stop {
        Stop::Reason(reason) => CtlEnd::Stopped(reason),
        Stop::Misfit(marking, action) => {
            let mut row = TreeRow::default();
            store.get(marking, &mut row);
            CtlEnd::Misfit(row.row().to_vec(), action)
        }
        Stop::Enough => unreachable!("no monitor ends an evaluation"),
    }
}

/// An evaluation in all markings, as something to do on a space.
struct LabelTask<'a> {
    initial: &'a [u64],
    labelling: Labelling<'a>,
}

impl<N: Number> Task<N> for LabelTask<'_> {
    type Output = Result<(), CtlEnd<N>>;

    fn run<S: Marked<Number = N>>(mut self, space: &mut S) -> Self::Output {
        self.labelling.run(space, self.initial)
    }
}

impl<N: Number> Task<N> for EvaluateTask<'_> {
    /// The value, the store of markings, and the cost.
    type Output = (Result<CtlValue, CtlEnd<N>>, Store, Statistics);

    fn run<S: Marked<Number = N>>(self, space: &mut S) -> Self::Output {
        let markings = Markings::new(space, self.initial, self.store);
        let mut evaluation = Evaluation::new(self.operators, markings, self.net, self.config);
        let value = match self.config.algorithm {
            CtlAlgorithm::RandomWalk => evaluation.walk_from_roots(self.config.seed, self.budget),
            _ => evaluation.run(self.budget),
        };
        let value = value.map_err(|stop| end(stop, &evaluation.markings.store));
        let statistics = Statistics {
            engine: "ctl",
            states: evaluation.markings.store.len() as u64,
            firings: evaluation.markings.firings,
            memory: evaluation.peak(),
            ..Statistics::default()
        };
        let value = value.map(|value| {
            let runs = interruptible(|| evidence::of(&mut evaluation, self.formula, value, self.budget));
            (value, runs.ok().flatten())
        });
        (value, evaluation.markings.store, statistics)
    }
}
