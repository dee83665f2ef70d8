//! LTL with events, past and fairness on the fly: the product of the net and an automaton for the runs that refute (or show)
//! the property is searched for a fair accepting run.
//!
//! It stands beside the search for plain LTL, because steps and fairness need marks on edges and generalised acceptance,
//! which that search does not pay for. Every enabled action fires: `fired(t)` sees steps that stubborn sets would leave
//! out, and fairness sees which transitions are enabled on the way. Test: `tests/runs.rs`.

mod automaton;
mod emptiness;
mod lasso;
mod marks;
mod product;
mod streett;

use std::time::Instant;

use fireset_net::{
    Budget, Event, Evidence, FairGroup, Lasso, Model, Nodes, Outcome, Problem, Quantifier, Query, RunQuery,
    Statistics, StopReason, Technique, Verdict,
};

use self::{
    automaton::RunAutomaton,
    emptiness::{FairEmptiness, FairSearchResult},
    marks::MarkTable,
    product::RunProduct,
};
use crate::{
    ColouredConfig, Deepening, Engine, FiresetMode, ResultSink,
    driver::{self, EncodedEngine, EncodedProblem, EncodingConfig, WideningTask},
    packed::{Access, LayoutChoice},
    search::{EncodedNet, LayoutOverflow, MarkingSpace, SearchStop, interrupted, interruptible},
    turns::{self, Turn},
};

/// Decides LTL properties with events, past operators and fairness.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunEngine {
    /// The layout of markings on place/transition nets.
    pub encoding: LayoutChoice,
    /// How rows of place/transition nets are read and written.
    pub access: Access,
    /// Whether paths are searched within a bound that grows.
    pub deepening: Deepening,
    /// What the search remembers of the states on its path.
    pub fireset: FiresetMode,
    /// How coloured nets are encoded and their bindings found.
    pub coloured: ColouredConfig,
}

impl Engine for RunEngine {
    fn name(&self) -> &'static str {
        "fair runs"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        matches!(query, Query::Run(_))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        driver::decide(self, problem, budget, sink);
    }
}

impl EncodedEngine for RunEngine {
    fn encoding_config(&self) -> EncodingConfig {
        EncodingConfig { encoding: self.encoding, access: self.access, coloured: self.coloured }
    }

    /// Decides all queries of a problem, each in its part of the time.
    fn decide_encoded<E: EncodedNet>(
        &self,
        mut net: E,
        input: EncodedProblem<'_>,
        sink: &mut dyn ResultSink,
    ) {
        let (queries, nodes) = (&input.problem.queries, input.problem.model.nodes());
        let mut decide = |at: usize, _, part: &Budget| match &queries[at] {
            Query::Run(query) => self.decide_query(&mut net, query, nodes, part),
            _ => Outcome::unknown(StopReason::NoEngine),
        };
        match queries.len() {
            // A second turn would repeat the first.
            1 => {
                sink.record(0, Event::Turn);
                sink.report(0, decide(0, Turn::Second, input.budget));
            }
            several => turns::in_turn(several, input.budget, decide, sink),
        }
    }
}

impl RunEngine {
    fn decide_query<E: EncodedNet>(
        &self,
        net: &mut E,
        query: &RunQuery,
        nodes: &Nodes,
        budget: &Budget,
    ) -> Outcome {
        let started = Instant::now();
        let wanted = match query.quantifier {
            Quantifier::ForAll => query.formula.clone().negate(),
            Quantifier::Exists => query.formula.clone(),
        };
        let Some(automaton) = RunAutomaton::new(&wanted, nodes) else {
            return Outcome::unknown(StopReason::Formula(query.formula.operators()));
        };
        let groups = query.fairness.groups(nodes);
        let mut search = FairProductSearch {
            automaton: &automaton,
            groups: &groups,
            nodes,
            engine: *self,
            budget,
            statistics: None,
        };
        let found = driver::run_widening(net, &mut search, budget).flatten();
        let mut statistics = search.statistics.unwrap_or_else(|| interrupted(self.name(), budget));
        statistics.elapsed = started.elapsed();
        let holds = |found: bool| Verdict::from(found == (query.quantifier == Quantifier::Exists));
        let (verdict, evidence) = match found {
            Ok(None) => (holds(false), None),
            Ok(Some(lasso)) => (holds(true), lasso.map(Evidence::Lasso)),
            Err(reason) => (Verdict::Unknown(reason), None),
        };
        Outcome { verdict, evidence, techniques: vec![Technique::Explicit], statistics }
    }
}

/// The search for a fair accepting run of the product.
struct FairProductSearch<'a> {
    automaton: &'a RunAutomaton,
    groups: &'a [FairGroup],
    nodes: &'a Nodes,
    engine: RunEngine,
    budget: &'a Budget,
    /// Absent if the search was interrupted in the middle of a step.
    statistics: Option<Statistics>,
}

impl<E: EncodedNet> WideningTask<E> for FairProductSearch<'_> {
    /// Whether there is a run; and that run, if it could be put together.
    type Output = Result<Option<Option<Lasso>>, StopReason>;

    fn run<S: MarkingSpace<ActionId = E::ActionId>>(
        &mut self,
        net: &E,
        space: &mut S,
    ) -> Result<Self::Output, LayoutOverflow<E::ActionId>> {
        self.statistics = None;
        let initial = net.initial_row();
        let marks = MarkTable::new(self.groups, self.nodes);
        let mut product = RunProduct::new(space, &initial, self.automaton, marks);
        let RunEngine { deepening, fireset, .. } = self.engine;
        let (mut bound, mut peak) = (deepening.first(), 0);
        let found = loop {
            let mut check = FairEmptiness::new(bound, fireset);
            let result = check.run(&mut product, self.budget);
            peak = check.peak_bytes(&product).max(peak);
            match result {
                Ok(FairSearchResult::Empty) => break Ok(Ok(None)),
                Ok(FairSearchResult::EmptyWithinBound) => bound = deepening.after(bound),
                Ok(FairSearchResult::Accepting(found)) => {
                    let lasso =
                        interruptible(|| lasso::of_component(&mut product, &check, &found, self.budget));
                    match lasso {
                        Ok(Ok(lasso)) => break Ok(Ok(Some(lasso))),
                        Ok(Err(SearchStop::Overflow(overflow))) => break Err(overflow),
                        // A fair accepting run exists, even if it is not put together.
                        Ok(Err(_)) | Err(_) => break Ok(Ok(Some(None))),
                    }
                }
                Err(SearchStop::Reason(reason)) => break Ok(Err(reason)),
                Err(SearchStop::Overflow(overflow)) => break Err(overflow),
                Err(SearchStop::Enough) => unreachable!("the search has no monitor"),
            }
        };
        self.statistics = Some(Statistics {
            engine: "fair runs",
            encoding: net.layout_name(),
            states: product.markings.store.len() as u64,
            firings: product.markings.firings,
            memory: peak,
            ..Statistics::default()
        });
        found
    }
}
