//! CTL model checking: on the fly, where operators are evaluated only in the markings in which they are needed, and globally,
//! where nearly all are needed.
//!
//! A formula becomes Boolean terms over `EX`, `EU` and `AU` ([`operators`]); [`evaluate`] searches for their values,
//! depth-first or, for `EU` and `AU`, in dependency graphs ([`dependency_graph`]), in markings that random walks come to
//! ([`random_walk`], [`lasso_walk`]), or in all of them ([`labelling`]); [`evidence`] combines runs that show the formula's value. Formulas of one
//! problem share the markings. Test: `tests/ctl.rs`.

mod dependency_graph;
mod evaluate;
mod evidence;
mod fixpoint;
mod implicant;
mod known;
mod labelling;
mod lasso_walk;
mod learning;
mod lemmas;
pub(crate) mod operators;
mod random_walk;
mod recorder;
mod runs;
mod siphon_reasons;
mod siphons;
mod status;
mod terms;
mod token_bounds;
mod worklist;

use std::{sync::Arc, time::Instant};

use fireset_kernel::store::Store;
use fireset_net::{
    Branching, Budget, CtlFormula, Evidence, Model, Net, Outcome, Problem, Query, Statistics, StopReason,
    Technique, Verdict,
};

pub(crate) use self::recorder::{MAX_CLAIMS, max_steps};
use self::{evaluate::Evaluation, known::KnownMarkings, labelling::Labelling, operators::CompiledCtl};
use crate::{
    ColouredConfig, Engine, FiresetMode, Order, ResultSink, SuspendedExplorations,
    driver::{self, EncodedEngine, EncodedModel, EncodedProblem, EncodingConfig, WideningTask},
    packed::{Access, LayoutChoice},
    search::{
        EncodedNet, LayoutOverflow, MarkingSpace, MarkingTable, SearchStop, interrupted, interruptible,
    },
    suspended::{StoredSize, SuspendedExploration, SuspendedSettings},
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
    /// Bounded searches in markings that random walks come to; finds runs and lassos only.
    RandomWalk,
    /// In all markings, for all formulas at once.
    Global,
}

/// Whether values that are found say something about other markings too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Learning {
    /// On place/transition nets, where an operator is evaluated in one marking after the other.
    #[default]
    On,
    /// Only what runs show.
    FromRuns,
    /// Only what siphons without tokens refute or show.
    FromSiphons,
    /// Each marking is evaluated for itself.
    Off,
}

#[derive(Clone, Copy)]
struct CtlConfig {
    algorithm: CtlAlgorithm,
    learning: Learning,
    order: Order,
    fireset: FiresetMode,
    /// Of the random walks.
    seed: u64,
}

/// Decides CTL properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CtlEngine {
    /// The layout of markings.
    pub encoding: LayoutChoice,
    /// How markings are read and written.
    pub access: Access,
    /// Random walks accept only formulas with an operator that they can show or refute.
    pub algorithm: CtlAlgorithm,
    /// In which order markings are searched: all of them in dependency graphs. Otherwise those of the outermost `EU`; all
    /// others are searched depth-first, with best-first into the nearest successor. If it is not given, depth-first at
    /// first and best-first for what takes long then.
    pub order: Option<Order>,
    /// Whether searches learn from each other.
    pub learning: Learning,
    /// How many successors of a marking are generated at a time.
    pub fireset: FiresetMode,
    /// How coloured nets are searched.
    pub coloured: ColouredConfig,
    /// How many threads evaluate formulas in all markings; no other algorithm has several.
    pub threads: usize,
}

impl Default for CtlEngine {
    fn default() -> Self {
        let (encoding, access, coloured) =
            (LayoutChoice::default(), Access::default(), ColouredConfig::default());
        let (algorithm, fireset) = (CtlAlgorithm::default(), FiresetMode::default());
        let learning = Learning::default();
        Self { encoding, access, algorithm, order: None, learning, fireset, coloured, threads: 1 }
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
        driver::decide(&CtlRun { engine: *self, suspended: None }, problem, budget, sink);
    }
}

/// An evaluation that goes on with the values that earlier ones of the same formulas decided, and leaves its own when it runs out of
/// time.
#[derive(Clone, Debug)]
pub struct ResumableCtl {
    /// The settings of each run.
    pub engine: CtlEngine,
    /// The suspended searches of the same check.
    pub suspended: Arc<SuspendedExplorations>,
}

impl Engine for ResumableCtl {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        self.engine.accepts(model, query)
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let run = CtlRun { engine: self.engine, suspended: Some(&self.suspended) };
        driver::decide(&run, problem, budget, sink);
    }
}

struct CtlRun<'a> {
    engine: CtlEngine,
    suspended: Option<&'a SuspendedExplorations>,
}

impl CtlRun<'_> {
    /// The settings that two runs must have in common for one to go on with the values of the other.
    fn settings(&self) -> SuspendedSettings {
        SuspendedSettings::Ctl(CtlEngine { threads: 1, ..self.engine })
    }

    /// Goes on with the markings and values of an earlier evaluation of some of the formulas.
    fn resume<E: EncodedNet>(&self, problem: &Problem, session: &mut CtlSession<'_, E>) {
        let queries: Vec<&Query> = problem.queries.iter().collect();
        let Some(home) = self.suspended else { return };
        let Some(suspended) = home.take(self.settings(), &problem.model, &queries) else { return };
        let Ok(suspended) = suspended.search.downcast::<OwnedEvaluations<E>>() else { return };
        let (layout, markings) = *suspended;
        if let Some(encoded) = session.encoded.in_layout(layout) {
            session.encoded = encoded;
            session.markings = Some(markings);
            home.count_resumed();
        }
    }

    /// Keeps the markings and what is known about formulas that stay open.
    fn suspend<E: EncodedNet>(&self, problem: &Problem, session: CtlSession<'_, E>, sink: &dyn ResultSink) {
        let Some((home, markings)) = self.suspended.zip(session.markings) else { return };
        let queries: Vec<Query> = markings.formulas().cloned().map(Query::Ctl).collect();
        if queries.is_empty() {
            return;
        }
        let positions = (0..problem.queries.len()).filter(|&at| queries.contains(&problem.queries[at]));
        let bytes = (markings.store.bytes() + markings.bytes_of_values()) as u64;
        home.keep(SuspendedExploration {
            model: problem.model.clone(),
            settings: self.settings(),
            closed: positions.filter_map(|at| sink.signal_as_written(at)).cloned().collect(),
            queries,
            size: StoredSize { states: markings.store.len(), bytes },
            search: Box::<OwnedEvaluations<E>>::new((session.encoded.owned_layout(), markings)),
        });
    }
}

/// Markings in a layout without the net: another net that is equal takes its place.
type OwnedEvaluations<E> = (<E as EncodedNet>::OwnedLayout, KnownMarkings);

impl EncodedEngine for CtlRun<'_> {
    fn encoding_config(&self) -> EncodingConfig {
        let CtlEngine { encoding, access, coloured, .. } = self.engine;
        EncodingConfig { encoding, access, coloured }
    }

    fn decide_encoded<E: EncodedNet>(&self, net: E, input: EncodedProblem<'_>, sink: &mut dyn ResultSink) {
        let EncodedProblem { problem, budget, model } = input;
        let several = problem.queries.len() > 1;
        let uncoloured = model.uncoloured();
        let engine = match model {
            EncodedModel::PlaceTransition { .. } => self.engine,
            EncodedModel::Coloured { .. } => CtlEngine { learning: Learning::Off, ..self.engine },
        };
        let mut session = CtlSession {
            config: engine.config(Turn::First),
            encoded: net,
            net: uncoloured,
            several,
            markings: None,
        };
        if engine.algorithm == CtlAlgorithm::Global {
            return session.label(&problem.queries, engine.threads, budget, sink);
        }
        self.resume(problem, &mut session);
        let decide = |at: usize, turn: Turn, part: &Budget| {
            session.config = engine.config(turn);
            session.decide(&problem.queries[at], part)
        };
        turns::in_turn(problem.queries.len(), budget, decide, sink);
        self.suspend(problem, session, sink);
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
            learning: self.learning,
            order,
            fireset: self.fireset,
            seed: u64::from(turn == Turn::Second),
        }
    }
}

/// The state that the formulas of a problem share.
struct CtlSession<'n, E> {
    config: CtlConfig,
    /// In a layout that is wide enough for all markings that were seen.
    encoded: E,
    /// The net or, of a coloured net, its skeleton.
    net: &'n Net,
    several: bool,
    /// The markings that were found, in the layout of the encoded net, and what is known about open formulas.
    markings: Option<KnownMarkings>,
}

impl<E: EncodedNet> CtlSession<'_, E> {
    fn decide(&mut self, query: &Query, budget: &Budget) -> Outcome {
        let Query::Ctl(formula) = query else { return Outcome::unknown(StopReason::NoEngine) };
        let started = Instant::now();
        let operators = CompiledCtl::of(formula);
        let mut task = EvaluateTask {
            formula,
            operators: &operators,
            markings: &mut self.markings,
            net: self.net,
            config: self.config,
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
        let mut answered = vec![false; queries.len()];
        let mut labelling = Labelling {
            queries,
            answered: &mut answered,
            net: self.net,
            config: self.config,
            threads,
            encoding: "",
            budget,
            sink: &mut *sink,
        };
        let labelled = driver::run_widening(&mut self.encoded, &mut labelling, budget).flatten();
        let Err(reason) = labelled else { return };
        for at in (0..queries.len()).filter(|&at| !answered[at]) {
            let statistics = interrupted("ctl", budget);
            sink.report(at, outcome(Err(reason.clone()), self.several, statistics));
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

/// The value of a formula, and the runs that show it.
type CtlValue = (bool, Option<Branching>);

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
struct EvaluateTask<'a> {
    formula: &'a CtlFormula,
    operators: &'a CompiledCtl,
    /// What earlier evaluations found in the same layout.
    markings: &'a mut Option<KnownMarkings>,
    net: &'a Net,
    config: CtlConfig,
    budget: &'a Budget,
    /// Absent if the evaluation was interrupted in the middle of a step.
    statistics: Option<Statistics>,
}

impl<E: EncodedNet> WideningTask<E> for EvaluateTask<'_> {
    type Output = Result<CtlValue, StopReason>;

    fn run<S: MarkingSpace<ActionId = E::ActionId>>(
        &mut self,
        net: &E,
        space: &mut S,
    ) -> Result<Self::Output, LayoutOverflow<E::ActionId>> {
        self.statistics = None;
        let initial = net.initial_row();
        let earlier = self.markings.take();
        let fresh = earlier.is_none();
        let known = earlier.unwrap_or_else(|| KnownMarkings::new(initial.len()));
        let (mut value, mut known) = self.evaluate(space, &initial, known);
        if !fresh && matches!(value, Err(SearchStop::Reason(StopReason::Memory))) {
            // The markings of other formulas may have left too little for this one.
            drop(known);
            (value, known) = self.evaluate(space, &initial, KnownMarkings::new(initial.len()));
        }
        if let Some(statistics) = &mut self.statistics {
            statistics.encoding = net.layout_name();
        }
        let value = split(value)?;
        *self.markings = (value != Err(StopReason::Memory)).then_some(known);
        Ok(value)
    }
}

impl EvaluateTask<'_> {
    /// The value, if nothing stops the evaluation, and all markings found; if the time is over, also what is known about them.
    fn evaluate<S: MarkingSpace>(
        &mut self,
        space: &mut S,
        initial: &[u64],
        mut known: KnownMarkings,
    ) -> (Result<CtlValue, SearchStop<S::ActionId>>, KnownMarkings) {
        let values = known.take(self.formula);
        let store = std::mem::replace(&mut known.store, Store::new(initial.len(), false));
        let markings = MarkingTable::new(space, initial, store);
        let mut evaluation = Evaluation::new(self.operators, markings, self.net, self.config);
        evaluation.resume(values, known.bytes_of_values());
        let value = match self.config.algorithm {
            CtlAlgorithm::RandomWalk => evaluation.walk_from_roots(self.config.seed, self.budget),
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
        let (store, values) = evaluation.suspend();
        known.store = store;
        if matches!(value, Err(SearchStop::Reason(StopReason::Time))) {
            known.keep(self.formula, values, self.budget);
        }
        (value, known)
    }
}
