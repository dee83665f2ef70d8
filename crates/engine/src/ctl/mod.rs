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

use fireset_kernel::store::Store;
use fireset_net::{
    Branching, Budget, Evidence, Formula, Model, Net, Outcome, Problem, Query, Statistics, StopReason,
    Technique, Verdict,
};

use self::{evaluate::Evaluation, label::Labelling, operators::Operators};
use crate::{
    ColouredConfig, Engine, FiresetMode, Order, ResultSink,
    driver::{self, EncodedEngine, EncodedProblem, EncodingConfig, WideningTask},
    packed::{Access, LayoutChoice},
    search::{
        EncodedNet, LayoutOverflow, MarkingSpace, MarkingTable, SearchStop, interrupted, interruptible,
    },
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
    pub encoding: LayoutChoice,
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
    pub coloured: ColouredConfig,
    /// How many threads evaluate formulas in all markings; no other algorithm has several.
    pub threads: usize,
}

impl Default for Ctl {
    fn default() -> Self {
        let (encoding, access, coloured) =
            (LayoutChoice::default(), Access::default(), ColouredConfig::default());
        let (algorithm, fireset) = (CtlAlgorithm::default(), FiresetMode::default());
        Self { encoding, access, algorithm, order: None, fireset, coloured, threads: 1 }
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
        driver::decide(self, problem, budget, sink);
    }
}

impl EncodedEngine for Ctl {
    fn encoding_config(&self) -> EncodingConfig {
        EncodingConfig { encoding: self.encoding, access: self.access, coloured: self.coloured }
    }

    fn decide_encoded<E: EncodedNet>(&self, net: E, input: EncodedProblem<'_>, sink: &mut dyn ResultSink) {
        let EncodedProblem { problem, budget, model } = input;
        let several = problem.queries.len() > 1;
        let uncoloured = model.uncoloured();
        let mut session =
            Session { way: self.way(Turn::First), encoded: net, net: uncoloured, several, markings: None };
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
}

/// What the formulas of a problem have in common.
struct Session<'n, E> {
    way: Way,
    /// In a layout that is wide enough for all markings that were seen.
    encoded: E,
    /// The net or, of a coloured net, its skeleton.
    net: &'n Net,
    several: bool,
    /// The markings that were found, in the layout of the encoded net.
    markings: Option<Store>,
}

impl<E: EncodedNet> Session<'_, E> {
    fn decide(&mut self, query: &Query, budget: &Budget) -> Outcome {
        let Query::Ctl(formula) = query else { panic!("accepts only CTL") };
        let started = Instant::now();
        let operators = Operators::of(formula);
        let mut task = Evaluate {
            formula,
            operators: &operators,
            markings: &mut self.markings,
            net: self.net,
            way: self.way,
            budget,
            statistics: None,
        };
        let value = driver::run_widening(&mut self.encoded, &mut task, budget).flatten();
        let mut statistics = task.statistics.unwrap_or_else(|| interrupted("ctl", budget));
        statistics.elapsed = started.elapsed();
        outcome(value, self.several, statistics)
    }

    /// Evaluates formulas in all markings.
    fn label(&mut self, queries: &[Query], threads: usize, budget: &Budget, sink: &mut dyn ResultSink) {
        let mut told = vec![false; queries.len()];
        let mut labelling = Labelling {
            queries,
            told: &mut told,
            net: self.net,
            way: self.way,
            threads,
            encoding: "",
            budget,
            sink: &mut *sink,
        };
        let labelled = driver::run_widening(&mut self.encoded, &mut labelling, budget).flatten();
        let Err(reason) = labelled else { return };
        for at in (0..queries.len()).filter(|&at| !told[at]) {
            let statistics = interrupted("ctl", budget);
            sink.report(at, outcome(Err(reason.clone()), self.several, statistics));
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

/// The value of a formula, and the runs that show it.
type Value = (bool, Option<Branching>);

impl<E: EncodedNet> WideningTask<E> for Labelling<'_> {
    type Output = Result<(), StopReason>;

    fn run<S: MarkingSpace<ActionId = E::ActionId>>(
        &mut self,
        net: &E,
        space: &mut S,
    ) -> Result<Self::Output, LayoutOverflow<E::ActionId>> {
        self.encoding = net.layout_name();
        split(self.label(space, &net.initial_row()))
    }
}

/// Separates the overflow, which the driver mends, from the other reasons to stop.
fn split<T, N>(ended: Result<T, SearchStop<N>>) -> Result<Result<T, StopReason>, LayoutOverflow<N>> {
    match ended {
        Ok(value) => Ok(Ok(value)),
        Err(SearchStop::Reason(reason)) => Ok(Err(reason)),
        Err(SearchStop::Overflow(overflow)) => Err(overflow),
        Err(SearchStop::Enough) => unreachable!("no monitor ends an evaluation"),
    }
}

/// The evaluation of a formula.
struct Evaluate<'a> {
    formula: &'a Formula,
    operators: &'a Operators,
    /// The markings that earlier evaluations found in the same layout.
    markings: &'a mut Option<Store>,
    net: &'a Net,
    way: Way,
    budget: &'a Budget,
    /// Absent if the evaluation was interrupted in the middle of a step.
    statistics: Option<Statistics>,
}

impl<E: EncodedNet> WideningTask<E> for Evaluate<'_> {
    type Output = Result<Value, StopReason>;

    fn run<S: MarkingSpace<ActionId = E::ActionId>>(
        &mut self,
        net: &E,
        space: &mut S,
    ) -> Result<Self::Output, LayoutOverflow<E::ActionId>> {
        self.statistics = None;
        let initial = net.initial_row();
        let earlier = self.markings.take();
        let fresh = earlier.is_none();
        let store = earlier.unwrap_or_else(|| Store::new(initial.len(), false));
        let (mut value, mut store) = self.evaluate(space, &initial, store);
        if !fresh && matches!(value, Err(SearchStop::Reason(StopReason::Memory))) {
            // The markings of other formulas may have left too little for this one.
            drop(store);
            (value, store) = self.evaluate(space, &initial, Store::new(initial.len(), false));
        }
        if let Some(statistics) = &mut self.statistics {
            statistics.encoding = net.layout_name();
        }
        let value = split(value)?;
        *self.markings = (value != Err(StopReason::Memory)).then_some(store);
        Ok(value)
    }
}

impl Evaluate<'_> {
    /// The value, if nothing stops the evaluation, and all markings found.
    fn evaluate<S: MarkingSpace>(
        &mut self,
        space: &mut S,
        initial: &[u64],
        store: Store,
    ) -> (Result<Value, SearchStop<S::ActionId>>, Store) {
        let markings = MarkingTable::new(space, initial, store);
        let mut evaluation = Evaluation::new(self.operators, markings, self.net, self.way);
        let value = match self.way.algorithm {
            CtlAlgorithm::Sample => evaluation.sample(self.way.seed, self.budget),
            _ => evaluation.run(self.budget),
        };
        self.statistics = Some(Statistics {
            engine: "ctl",
            states: evaluation.markings.store.len() as u64,
            firings: evaluation.markings.firings,
            memory: evaluation.peak(),
            ..Statistics::default()
        });
        let value = value.map(|value| {
            let runs = interruptible(|| evidence::of(&mut evaluation, self.formula, value, self.budget));
            (value, runs.ok().flatten())
        });
        (value, evaluation.markings.store)
    }
}
