//! Global CTL* model checking: all markings are labelled with the quantified formulas that hold in them, from the inside out.
//!
//! All markings and their steps are explored once for all formulas. The satisfaction set of `E f` is found in the product of the steps
//! and a Büchi automaton for `f`, whose letters are the state formulas inside `f` ([`product`]); `A f` is the negation of `E !f`.
//! Source: Emerson and Lei, "Modalities for model checking: branching time logic strikes back" (1987). There is no answer before all
//! markings are explored. Where runs show a verdict, they are short accepting paths of the products ([`evidence`]).
//! Test: `tests/ctl_star.rs`.

mod evidence;
mod labelling;
mod product;
mod run_values;

use std::{collections::HashSet, time::Instant};

use fireset_net::{
    Budget, CtlStarFormula, Evidence, Model, Outcome, Problem, Query, Statistics, StopReason, Technique,
    Verdict,
};

use self::labelling::StarLabelling;
use crate::{
    ColouredConfig, Engine, FiresetMode, ResultSink,
    driver::{self, EncodedEngine, EncodedProblem, EncodingConfig, WideningTask},
    marking_graph::{AtomSets, MarkingGraph},
    packed::{Access, LayoutChoice},
    search::{EncodedNet, LayoutOverflow, MarkingSpace, SearchStop, compile, interrupted, interruptible},
};

/// Decides properties of CTL*.
#[derive(Clone, Copy, Debug)]
pub struct CtlStarEngine {
    /// The layout of markings on place/transition nets.
    pub encoding: LayoutChoice,
    /// How rows of place/transition nets are read and written.
    pub access: Access,
    /// How many successors of a marking are generated at a time.
    pub fireset: FiresetMode,
    /// How coloured nets are encoded and their bindings found.
    pub coloured: ColouredConfig,
    /// How many threads explore the markings.
    pub threads: usize,
}

impl Default for CtlStarEngine {
    fn default() -> Self {
        let (encoding, access, coloured) =
            (LayoutChoice::default(), Access::default(), ColouredConfig::default());
        Self { encoding, access, fireset: FiresetMode::default(), coloured, threads: 1 }
    }
}

impl Engine for CtlStarEngine {
    fn name(&self) -> &'static str {
        "ctl-star"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        matches!(query, Query::CtlStar(_))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        driver::decide(self, problem, budget, sink);
    }
}

impl EncodedEngine for CtlStarEngine {
    fn encoding_config(&self) -> EncodingConfig {
        EncodingConfig { encoding: self.encoding, access: self.access, coloured: self.coloured }
    }

    fn decide_encoded<E: EncodedNet>(
        &self,
        mut net: E,
        input: EncodedProblem<'_>,
        sink: &mut dyn ResultSink,
    ) {
        let (queries, budget) = (&input.problem.queries[..], input.budget);
        let places = input.problem.model.nodes().places.len();
        let mut task = GlobalTask { engine: *self, queries, places, budget, sink };
        let labelled = driver::run_widening(&mut net, &mut task, budget).flatten();
        let Err(reason) = labelled else { return };
        for at in 0..queries.len() {
            let verdict = Verdict::Unknown(reason.clone());
            sink.report(at, outcome((verdict, None), queries.len() > 1, interrupted(self.name(), budget)));
        }
    }
}

fn outcome(
    (verdict, evidence): (Verdict, Option<Evidence>),
    several: bool,
    statistics: Statistics,
) -> Outcome {
    let mut techniques = vec![Technique::Explicit];
    if several {
        techniques.push(Technique::CollateralProcessing);
    }
    Outcome { verdict, evidence, techniques, statistics }
}

/// Explores all markings and answers all queries. An error comes before the first answer.
struct GlobalTask<'a> {
    engine: CtlStarEngine,
    queries: &'a [Query],
    /// The number of places of the net.
    places: usize,
    budget: &'a Budget,
    sink: &'a mut dyn ResultSink,
}

impl<E: EncodedNet> WideningTask<E> for GlobalTask<'_> {
    type Output = Result<(), StopReason>;

    fn run<S: MarkingSpace<ActionId = E::ActionId>>(
        &mut self,
        net: &E,
        space: &mut S,
    ) -> Result<Self::Output, LayoutOverflow<E::ActionId>> {
        let (initial, CtlStarEngine { fireset, threads, .. }) = (net.initial_row(), self.engine);
        match MarkingGraph::explore(space, &initial, (fireset, threads), self.budget) {
            Ok(graph) => Ok(self.answer(&graph, net.layout_name())),
            Err(SearchStop::Reason(reason)) => Ok(Err(reason)),
            Err(SearchStop::Overflow(overflow)) => Err(overflow),
            Err(SearchStop::Enough) => unreachable!("the exploration has no monitor"),
        }
    }
}

impl GlobalTask<'_> {
    fn answer<S: MarkingSpace>(
        &mut self,
        graph: &MarkingGraph<'_, S>,
        encoding: &'static str,
    ) -> Result<(), StopReason> {
        let started = Instant::now();
        let mut atoms = HashSet::new();
        for query in self.queries {
            if let Query::CtlStar(formula) = query {
                formula.predicates(&mut |p| AtomSets::collect(&compile(p), &mut atoms));
            }
        }
        let atoms = graph.evaluate(atoms, None, self.budget)?;
        for (at, query) in self.queries.iter().enumerate() {
            let mut labelling = StarLabelling::new(graph, &atoms, self.budget);
            let found = match query {
                _ if !self.sink.is_open(at) => continue,
                Query::CtlStar(formula) => self.decide(&mut labelling, &formula.clone().of_markings()),
                _ => Err(StopReason::NoEngine),
            };
            let statistics = Statistics {
                engine: self.engine.name(),
                encoding,
                states: graph.store.len() as u64,
                firings: graph.firings,
                memory: labelling.bytes.max(graph.bytes()) as u64,
                elapsed: started.elapsed(),
            };
            let found = found.unwrap_or_else(|reason| (Verdict::Unknown(reason), None));
            self.sink.report(at, outcome(found, self.queries.len() > 1, statistics));
        }
        Ok(())
    }

    /// The verdict on a formula about markings, with its evidence.
    fn decide<S: MarkingSpace>(
        &self,
        labelling: &mut StarLabelling<'_, '_, S>,
        formula: &CtlStarFormula,
    ) -> Result<(Verdict, Option<Evidence>), StopReason> {
        let holds = labelling.set(formula)?.get(labelling.initial());
        let evidence = interruptible(|| evidence::of(labelling, formula, self.places));
        Ok((holds.into(), evidence.ok().flatten()))
    }
}
