//! CTL on the fly: operators are evaluated in the markings in which they are asked for, and no others. And not on the fly, where
//! nearly all are asked for.
//!
//! A formula becomes Boolean terms over `EX`, `EU` and `AU` ([`operators`]); [`evaluate`] searches for their values,
//! depth-first or, for `EU` and `AU`, in dependency graphs ([`graph`]), in markings that walks come to ([`sample`]), or in all
//! of them ([`label`]); [`evidence`] puts runs together that show the formula's. Formulas that are asked together share the markings. Test: `tests/ctl.rs`.

mod evaluate;
mod evidence;
mod fixpoint;
mod graph;
mod label;
pub(crate) mod operators;
mod record;
mod sample;
mod steps;
mod terms;
mod values;
mod waiting;

use std::time::Instant;

use fireset_kernel::store::{Folded, Store};
use fireset_net::{
    Branching, Budget, Evidence, Formula, Model, Net, Outcome, Problem, Query, Statistics, StopReason,
    Technique, Verdict, coloured::ColouredNet,
};
use fireset_structure::NetStructure;

use self::{evaluate::Evaluation, label::Labelling, operators::Operators};
use crate::{
    ColouredConfig, Engine, FiresetMode, Order, ResultSink,
    coloured::{Coloured, Compiled, Skeleton},
    packed::{Access, Choice, Packed},
    search::{Ground, Marked, Markings, Number, Stop, Task, interrupted, interruptible},
    turns::{self, Turn},
};

/// How the values of operators are searched for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CtlAlgorithm {
    /// Depth-first, keeping a value for each marking.
    #[default]
    Local,
    /// In any order, keeping also who depends on a value.
    Graph,
    /// Where walks come to, for a while; finds runs only.
    Sample,
    /// In all markings, for all formulas at once.
    Global,
}

/// How a formula is evaluated.
#[derive(Clone, Copy)]
struct Way {
    algorithm: CtlAlgorithm,
    order: Order,
    fireset: FiresetMode,
    /// Which walks.
    seed: u64,
}

/// Decides CTL properties.
#[derive(Clone, Copy, Debug)]
pub struct Ctl {
    /// How markings are laid out.
    pub encoding: Choice,
    /// How they are read and written.
    pub access: Access,
    /// How the values of operators are searched for.
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

impl Default for Ctl {
    fn default() -> Self {
        let (encoding, access, ways) = (Choice::default(), Access::default(), ColouredConfig::default());
        let (algorithm, fireset) = (CtlAlgorithm::default(), FiresetMode::default());
        Self { encoding, access, algorithm, order: None, fireset, ways, threads: 1 }
    }
}

impl Engine for Ctl {
    fn name(&self) -> &'static str {
        "ctl"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        match query {
            Query::Ctl(f) => self.algorithm != CtlAlgorithm::Sample || sample::has_roots(&Operators::of(f)),
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

impl Ctl {
    fn way(&self, turn: Turn) -> Way {
        let order = self.order.unwrap_or(match turn {
            Turn::First => Order::DepthFirst,
            Turn::Second => Order::BestFirst,
        });
        // What is nearest is looked at first, wherever a walk has come to.
        let order = if self.algorithm == CtlAlgorithm::Sample { Order::BestFirst } else { order };
        Way { algorithm: self.algorithm, order, fireset: self.fireset, seed: u64::from(turn == Turn::Second) }
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
        let mut session = Session { way: self.way(Turn::First), ground, net, several, markings: None };
        if self.algorithm == CtlAlgorithm::Global {
            return session.label(&problem.queries, self.threads, budget, sink);
        }
        let decide = |at: usize, turn: Turn, part: &Budget| {
            session.way = self.way(turn);
            session.decide(&problem.queries[at], part)
        };
        turns::in_turn(problem.queries.len(), budget, decide, sink);
    }
}

/// What the formulas of a problem have in common.
struct Session<'n, G> {
    way: Way,
    /// Wide enough for all markings that were seen.
    ground: G,
    /// The net or, of a coloured net, its skeleton.
    net: &'n Net,
    several: bool,
    /// The markings that were found on this ground.
    markings: Option<Store>,
}

impl<G: Ground> Session<'_, G> {
    fn decide(&mut self, query: &Query, budget: &Budget) -> Outcome {
        let Query::Ctl(formula) = query else { panic!("accepts only CTL") };
        let started = Instant::now();
        let operators = Operators::of(formula);
        let (value, mut statistics) = self.evaluate(formula, &operators, budget);
        statistics.elapsed = started.elapsed();
        outcome(value, self.several, statistics)
    }

    /// Evaluates formulas in all markings, in a layout that widens when one does not fit.
    fn label(&mut self, queries: &[Query], threads: usize, budget: &Budget, sink: &mut dyn ResultSink) {
        let mut told = vec![false; queries.len()];
        let reason = loop {
            let initial = self.ground.initial();
            let labelling = Labelling {
                queries,
                told: &mut told,
                net: self.net,
                way: self.way,
                threads,
                encoding: self.ground.encoding(),
                budget,
                sink,
            };
            match self.ground.on_space(Label { initial: &initial, labelling }, budget) {
                Ok(Ok(())) => return,
                Ok(Err(End::Stopped(reason))) | Err(reason) => break reason,
                Ok(Err(End::Misfit(row, action))) => match self.ground.wider(&row, action) {
                    Ok(wider) => self.ground = wider,
                    Err(reason) => break reason,
                },
            }
        };
        for at in (0..queries.len()).filter(|&at| !told[at]) {
            let statistics = interrupted("ctl", budget);
            sink.report(at, outcome(Err(reason.clone()), self.several, statistics));
        }
    }

    /// Evaluates a formula, in a layout that widens when a marking does not fit.
    fn evaluate(
        &mut self,
        formula: &Formula,
        operators: &Operators,
        budget: &Budget,
    ) -> (Result<Value, StopReason>, Statistics) {
        loop {
            let initial = self.ground.initial();
            let fresh = self.markings.is_none();
            let store = self.markings.take().unwrap_or_else(|| Store::new(initial.len(), false));
            let task = Evaluate {
                initial: &initial,
                formula,
                operators,
                store,
                net: self.net,
                way: self.way,
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
                Err(End::Stopped(StopReason::Memory)) if !fresh => {}
                Err(End::Stopped(reason)) => {
                    self.markings = (reason != StopReason::Memory).then_some(store);
                    return (Err(reason), statistics);
                }
                Err(End::Misfit(row, action)) => match self.ground.wider(&row, action) {
                    Ok(wider) => self.ground = wider,
                    Err(reason) => return (Err(reason), statistics),
                },
            }
        }
    }
}

/// What is said of a formula.
fn outcome(value: Result<Value, StopReason>, several: bool, statistics: Statistics) -> Outcome {
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
struct Evaluate<'a> {
    initial: &'a [u64],
    formula: &'a Formula,
    operators: &'a Operators,
    store: Store,
    net: &'a Net,
    way: Way,
    budget: &'a Budget,
}

/// The value of a formula, and the runs that show it.
type Value = (bool, Option<Branching>);

/// How an evaluation ends without a value.
enum End<N> {
    Stopped(StopReason),
    /// This action in this row leads to one that does not fit.
    Misfit(Vec<u64>, N),
}

/// How a search ends that was stopped.
fn end<N>(stop: Stop<N>, store: &Store) -> End<N> {
    match stop {
        Stop::Reason(reason) => End::Stopped(reason),
        Stop::Misfit(marking, action) => {
            let mut row = Folded::default();
            store.get(marking, &mut row);
            End::Misfit(row.row().to_vec(), action)
        }
        Stop::Enough => unreachable!("nobody looks on"),
    }
}

/// An evaluation in all markings, as something to do on a space.
struct Label<'a> {
    initial: &'a [u64],
    labelling: Labelling<'a>,
}

impl<N: Number> Task<N> for Label<'_> {
    type Output = Result<(), End<N>>;

    fn run<S: Marked<Number = N>>(mut self, space: &mut S) -> Self::Output {
        self.labelling.run(space, self.initial)
    }
}

impl<N: Number> Task<N> for Evaluate<'_> {
    /// The value, the markings, and what it cost.
    type Output = (Result<Value, End<N>>, Store, Statistics);

    fn run<S: Marked<Number = N>>(self, space: &mut S) -> Self::Output {
        let markings = Markings::new(space, self.initial, self.store);
        let mut evaluation = Evaluation::new(self.operators, markings, self.net, self.way);
        let value = match self.way.algorithm {
            CtlAlgorithm::Sample => evaluation.sample(self.way.seed, self.budget),
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
