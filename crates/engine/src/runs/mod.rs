//! LTL with events, past and fairness on the fly: the product of the net and an automaton for the runs that refute (or show)
//! the property is searched for a fair accepting run.
//!
//! It stands beside the search for plain LTL, because steps and fairness need marks on edges and generalised acceptance,
//! which that search does not pay for. On place/transition nets stubborn sets fire where the formula is closed under
//! stuttering with the steps of `fired` as events, such as `G (fired(t) -> F p)`; formulas with `X` or past are not.
//! Fairness is closed too: that a group of steps is enabled counts as an atom of the marking, and its steps as events, since
//! `G F (!enabled | fired)` and `G F enabled -> G F fired` are such formulas. Test: `tests/runs.rs`.

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
    automaton::{LetterAtom, RunAutomaton},
    emptiness::{FairEmptiness, FairSearchResult},
    marks::MarkTable,
    product::RunProduct,
};
use crate::{
    ColouredConfig, Deepening, Engine, FiresetMode, ResultSink,
    driver::{self, EncodedEngine, EncodedModel, EncodedProblem, EncodingConfig, WideningTask},
    ltl::reduction::{ActionChoice, LtlReduction},
    packed::{Access, LayoutChoice},
    search::{
        EncodedNet, LayoutOverflow, MarkingSpace, Predicate, SearchStop, compile, interrupted, interruptible,
    },
    stubborn::{ArcIndex, ObservedAtom, Stubborn},
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
    /// Whether only stubborn sets fire, on place/transition nets and for formulas that allow it.
    pub stubborn: Stubborn,
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
        let arcs = match input.model {
            EncodedModel::PlaceTransition { net, .. } if self.stubborn == Stubborn::On => {
                Some(ArcIndex::new(net))
            }
            _ => None,
        };
        let mut decide = |at: usize, _, part: &Budget| match &queries[at] {
            Query::Run(query) => {
                RunQueryCheck { engine: *self, net: &mut net, arcs: arcs.as_ref(), nodes }.run(query, part)
            }
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

/// One query that is being decided.
struct RunQueryCheck<'a, E> {
    engine: RunEngine,
    /// In a layout that is wide enough for all markings that were seen.
    net: &'a mut E,
    /// Present if stubborn sets are used.
    arcs: Option<&'a ArcIndex<'a>>,
    nodes: &'a Nodes,
}

impl<E: EncodedNet> RunQueryCheck<'_, E> {
    fn run(&mut self, query: &RunQuery, budget: &Budget) -> Outcome {
        let started = Instant::now();
        let wanted = match query.quantifier {
            Quantifier::ForAll => query.formula.clone().negate(),
            Quantifier::Exists => query.formula.clone(),
        };
        let Some(automaton) = RunAutomaton::new(&wanted, self.nodes) else {
            return Outcome::unknown(StopReason::Formula(query.formula.operators()));
        };
        let groups = query.fairness.groups(self.nodes);
        let mut search = FairProductSearch {
            automaton: &automaton,
            groups: &groups,
            nodes: self.nodes,
            engine: self.engine,
            arcs: self.arcs.filter(|_| automaton.is_closed_under_stuttering),
            budget,
            techniques: Vec::new(),
            statistics: None,
        };
        let found = driver::run_widening(self.net, &mut search, budget).flatten();
        let FairProductSearch { techniques, statistics, .. } = search;
        let mut statistics = statistics.unwrap_or_else(|| interrupted(self.engine.name(), budget));
        statistics.elapsed = started.elapsed();
        let holds = |found: bool| Verdict::from(found == (query.quantifier == Quantifier::Exists));
        let (verdict, evidence) = match found {
            Ok(None) => (holds(false), None),
            Ok(Some(lasso)) => (holds(true), lasso.map(Evidence::Lasso)),
            Err(reason) => (Verdict::Unknown(reason), None),
        };
        Outcome { verdict, evidence, techniques, statistics }
    }
}

/// The search for a fair accepting run of the product.
struct FairProductSearch<'a> {
    automaton: &'a RunAutomaton,
    groups: &'a [FairGroup],
    nodes: &'a Nodes,
    engine: RunEngine,
    /// Present if stubborn sets are used.
    arcs: Option<&'a ArcIndex<'a>>,
    budget: &'a Budget,
    techniques: Vec<Technique>,
    /// Absent if the search was interrupted in the middle of a step.
    statistics: Option<Statistics>,
}

impl<'a> FairProductSearch<'a> {
    /// The stubborn sets, if the query allows them.
    fn reduction<N>(&self) -> Option<LtlReduction<'a, N>> {
        let atoms: Vec<ObservedAtom<'_>> = self.automaton.atoms.iter().map(LetterAtom::observed).collect();
        let enabled: Vec<Predicate> =
            self.groups.iter().map(|group| compile(&group.steps.enabled())).collect();
        let fired = self.groups.iter().map(|group| ObservedAtom::Fired(&group.steps.transitions));
        let fair: Vec<ObservedAtom<'_>> = enabled.iter().map(ObservedAtom::Marking).chain(fired).collect();
        LtlReduction::new(self.arcs?, &self.automaton.buchi, &atoms, &fair)
    }
}

impl<E: EncodedNet> WideningTask<E> for FairProductSearch<'_> {
    /// Whether there is a run; and that run, if it could be put together.
    type Output = Result<Option<Option<Lasso>>, StopReason>;

    fn run<S: MarkingSpace<ActionId = E::ActionId>>(
        &mut self,
        net: &E,
        space: &mut S,
    ) -> Result<Self::Output, LayoutOverflow<E::ActionId>> {
        let reduction = self.reduction();
        self.techniques = vec![Technique::Explicit];
        self.techniques.extend(reduction.as_ref().map(|_| Technique::StubbornSets));
        self.statistics = None;
        let initial = net.initial_row();
        let marks = MarkTable::new(self.groups, self.nodes);
        let choice = ActionChoice::new(reduction);
        let mut product = RunProduct::new(space, &initial, self.automaton, marks, choice);
        let RunEngine { deepening, fireset, .. } = self.engine;
        let (mut bound, mut peak) = (deepening.first(), 0);
        let found = loop {
            product.choice.begin_search();
            let mut check = FairEmptiness::new(bound, fireset);
            let result = check.run(&mut product, self.budget);
            peak = check.peak_bytes(&product).max(peak);
            match result {
                Ok(FairSearchResult::Empty) if product.choice.is_inconsistent() => {}
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
