//! LTL on the fly: the product of the net and a Büchi automaton for the runs that refute (or show) the property is
//! searched for an accepting run, while the markings and the product are generated.
//!
//! After EnPAC (sections II and III, Appendix A): dynamic fireset, packed markings, an automaton whose edges are in
//! a heuristic order, and paths that are searched within a bound that grows. Beyond EnPAC: a run for every violation,
//! shortened. Test: `tests/ltl.rs`.

mod emptiness;
mod lasso;
pub mod path;
mod product;
mod pruning;
pub(crate) mod reduction;

pub(crate) use product::ProductState;
pub use pruning::LtlPruning;
use std::time::Instant;

use fireset_kernel::automata::{self, AtomLiteral, Buchi, LtlFormula};
use fireset_net::{
    Budget, Event, Evidence, Lasso, Model, Outcome, PathFormula, Problem, Quantifier, Query, StatePredicate,
    Statistics, StopReason, Technique, Temporal, Verdict,
};

use self::{
    emptiness::{EmptinessCheck, SearchResult},
    product::BuchiProduct,
    reduction::{ActionChoice, LtlReduction},
};
use crate::{
    ColouredConfig, Engine, FiresetMode, ResultSink,
    driver::{self, EncodedEngine, EncodedModel, EncodedProblem, EncodingConfig, WideningTask},
    packed::{Access, LayoutChoice},
    search::{
        EncodedNet, LayoutOverflow, MarkingSpace, Predicate, SearchStop, compile, interrupted, interruptible,
    },
    stubborn::{ArcIndex, ObservedAtom, Stubborn},
    turns::{self, Turn},
};

/// The most states and edges of an automaton during its construction.
pub(crate) const MAX_AUTOMATON: usize = 100_000;

/// Decides LTL properties.
#[derive(Clone, Copy, Debug, Default)]
pub struct LtlEngine {
    /// The layout of markings on place/transition nets.
    pub encoding: LayoutChoice,
    /// How rows of place/transition nets are read and written.
    pub access: Access,
    /// The order in which the edges of the automaton are tried.
    pub automaton_order: AutomatonOrder,
    /// Whether paths are searched within a bound that grows.
    pub deepening: Deepening,
    /// What the search remembers of the states on its path.
    pub fireset: FiresetMode,
    /// How coloured nets are encoded and their bindings found.
    pub coloured: ColouredConfig,
    /// Whether only stubborn sets fire, on place/transition nets and for formulas without `X`.
    pub stubborn: Stubborn,
}

/// Orders of the automaton's edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutomatonOrder {
    /// Edges first that lead near to acceptance and have few atoms.
    #[default]
    Heuristic,
    /// As the translation gives them.
    Plain,
}

/// How deep paths are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deepening {
    /// Within a bound that grows.
    From {
        /// The first bound.
        first: usize,
        /// By how much it grows; at least 2.
        factor: usize,
    },
    /// As far as they go.
    Off,
}

impl Default for Deepening {
    /// By measurement (`fireset-bench deepening`, 26 contest nets with 32 formulas each): small first bounds cost
    /// answers (711 from 16 by 4, 747 from 64 by 8; 768 here). From 256 up, or without a bound, as many are answered
    /// within the noise of the clock; this schedule sees the fewest states.
    fn default() -> Self {
        Self::From { first: 1024, factor: 4 }
    }
}

impl Deepening {
    /// The first bound.
    pub(crate) fn first(self) -> usize {
        match self {
            Self::From { first, .. } => first,
            Self::Off => usize::MAX,
        }
    }

    /// The bound after one.
    pub(crate) fn after(self, bound: usize) -> usize {
        match self {
            Self::From { factor, .. } => bound.saturating_mul(factor.max(2)),
            Self::Off => usize::MAX,
        }
    }
}

impl Engine for LtlEngine {
    fn name(&self) -> &'static str {
        "ltl"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        matches!(query, Query::Ltl(..))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        driver::decide(self, problem, budget, sink);
    }
}

impl EncodedEngine for LtlEngine {
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
        let queries = &input.problem.queries;
        let arcs = match input.model {
            EncodedModel::PlaceTransition { net, .. }
                if self.stubborn == Stubborn::On && queries.iter().any(is_stutter_invariant) =>
            {
                Some(ArcIndex::new(net))
            }
            _ => None,
        };
        let mut decide = |at: usize, _, part: &Budget| {
            let Query::Ltl(quantifier, formula) = &queries[at] else {
                return Outcome::unknown(StopReason::NoEngine);
            };
            let arcs = arcs.as_ref().filter(|_| is_stutter_invariant(&queries[at]));
            PropertyCheck { engine: *self, net: &mut net, arcs }.run(*quantifier, formula, part)
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

/// Whether a query depends on words only up to stuttering.
fn is_stutter_invariant(query: &Query) -> bool {
    matches!(query, Query::Ltl(_, f) if !f.any_operator(&|operator| matches!(operator, Temporal::Next(_))))
}

/// One property that is being decided.
struct PropertyCheck<'a, E> {
    engine: LtlEngine,
    /// In a layout that is wide enough for all markings that were seen.
    net: &'a mut E,
    /// Present if stubborn sets are used.
    arcs: Option<&'a ArcIndex<'a>>,
}

impl<E: EncodedNet> PropertyCheck<'_, E> {
    fn run(&mut self, quantifier: Quantifier, formula: &PathFormula, budget: &Budget) -> Outcome {
        let started = Instant::now();
        let Some((mut automaton, atoms)) = deciding(quantifier, formula) else {
            return Outcome::unknown(StopReason::Formula(formula.temporal_operators()));
        };
        if self.engine.automaton_order == AutomatonOrder::Heuristic {
            order(&mut automaton);
        }
        let atoms: Vec<Predicate> = atoms.iter().map(compile).collect();
        let mut search = ProductSearch {
            automaton: &automaton,
            atoms: &atoms,
            engine: self.engine,
            arcs: self.arcs,
            budget,
            techniques: Vec::new(),
            statistics: None,
        };
        let found = driver::run_widening(self.net, &mut search, budget).flatten();
        let ProductSearch { techniques, statistics, .. } = search;
        let mut statistics = statistics.unwrap_or_else(|| interrupted("ltl", budget));
        statistics.elapsed = started.elapsed();
        let holds = |found: bool| Verdict::from(found == (quantifier == Quantifier::Exists));
        let (verdict, evidence) = match found {
            Ok(None) => (holds(false), None),
            Ok(Some(lasso)) => (holds(true), lasso.map(Evidence::Lasso)),
            Err(reason) => (Verdict::Unknown(reason), None),
        };
        Outcome { verdict, evidence, techniques, statistics }
    }
}

/// Whether the product has an accepting run; and that run, if it could be put together.
type AcceptingRun = Option<Option<Lasso>>;

/// The search for an accepting run of the product.
struct ProductSearch<'a> {
    automaton: &'a Buchi,
    atoms: &'a [Predicate],
    engine: LtlEngine,
    arcs: Option<&'a ArcIndex<'a>>,
    budget: &'a Budget,
    techniques: Vec<Technique>,
    /// Absent if the search was interrupted in the middle of a step.
    statistics: Option<Statistics>,
}

impl<E: EncodedNet> WideningTask<E> for ProductSearch<'_> {
    type Output = Result<AcceptingRun, StopReason>;

    fn run<S: MarkingSpace<ActionId = E::ActionId>>(
        &mut self,
        net: &E,
        space: &mut S,
    ) -> Result<Self::Output, LayoutOverflow<E::ActionId>> {
        let atoms: Vec<ObservedAtom<'_>> = self.atoms.iter().map(ObservedAtom::Marking).collect();
        let reduction = self.arcs.and_then(|arcs| LtlReduction::new(arcs, self.automaton, &atoms, &[]));
        self.techniques = vec![Technique::Explicit];
        self.techniques.extend(reduction.as_ref().map(|_| Technique::StubbornSets));
        self.statistics = None;
        let initial = net.initial_row();
        let mut product =
            BuchiProduct::new(space, &initial, self.automaton, self.atoms, ActionChoice::new(reduction));
        let class = self.automaton.classify();
        let LtlEngine { deepening, fireset, .. } = self.engine;
        let (mut bound, mut peak) = (deepening.first(), 0);
        let found = loop {
            product.choice.begin_search();
            let mut check = EmptinessCheck::new(bound, class, fireset);
            let result = check.run(&mut product, self.budget);
            peak = check.peak_bytes(&product).max(peak);
            match result {
                Ok(SearchResult::Empty) if product.choice.is_inconsistent() => {}
                Ok(SearchResult::Empty) => break Ok(Ok(None)),
                Ok(SearchResult::EmptyWithinBound) => bound = deepening.after(bound),
                Ok(SearchResult::Accepting(path)) => {
                    let lasso =
                        interruptible(|| lasso::through(&mut product, &check, &path, class, self.budget));
                    match lasso {
                        Ok(Ok(lasso)) => break Ok(Ok(Some(lasso))),
                        Ok(Err(SearchStop::Overflow(overflow))) => break Err(overflow),
                        // An accepting run exists, even if it is not put together.
                        Ok(Err(_)) | Err(_) => break Ok(Ok(Some(None))),
                    }
                }
                Err(SearchStop::Reason(reason)) => break Ok(Err(reason)),
                Err(SearchStop::Overflow(overflow)) => break Err(overflow),
                Err(SearchStop::Enough) => unreachable!("the search has no monitor"),
            }
        };
        self.statistics = Some(Statistics {
            engine: "ltl",
            encoding: net.layout_name(),
            states: product.markings.store.len() as u64,
            firings: product.markings.firings,
            memory: peak,
            ..Statistics::default()
        });
        found
    }
}

/// The automaton of runs that refute a property of all runs, or show one of some run, and its atoms. `None` when the automaton gets too large.
pub(crate) fn deciding(
    quantifier: Quantifier,
    formula: &PathFormula,
) -> Option<(Buchi, Vec<StatePredicate>)> {
    let wanted = match quantifier {
        Quantifier::ForAll => formula.clone().complement(),
        Quantifier::Exists => formula.clone(),
    };
    let (wanted, atoms) = abstracted(&wanted)?;
    let automaton = automata::translate(&wanted, MAX_AUTOMATON)?;
    Some((automaton, atoms))
}

/// Puts edges first that lead near to acceptance and have few atoms: EnPAC's heuristic (section III-C), the
/// distance of the target to an accepting state and a tenth for each atom of the cube.
fn order(automaton: &mut Buchi) {
    let distances = automaton.distances();
    let far = |state: u32| distances[state as usize].map_or(usize::MAX / 20, |far| far as usize);
    automaton.initial.sort_by_key(|&state| far(state));
    for state in &mut automaton.states {
        state.edges.sort_by_key(|edge| 10 * far(edge.to) + edge.cube.len());
    }
}

/// A path formula over atoms, each of which is a state predicate that is as large as possible: the automaton need
/// not know their structure. `None` when the formula gets too large.
fn abstracted(formula: &PathFormula) -> Option<(LtlFormula, Vec<StatePredicate>)> {
    if path::size(formula, &|_| 2) > MAX_AUTOMATON {
        return None;
    }
    let mut atoms: Vec<StatePredicate> = Vec::new();
    let path = path::path(formula, &mut |predicate, positive| literal(predicate, positive, &mut atoms));
    Some((path, atoms))
}

/// A state predicate, or its negation, as a literal over one of the atoms.
fn literal(predicate: &StatePredicate, positive: bool, atoms: &mut Vec<StatePredicate>) -> LtlFormula {
    match predicate {
        StatePredicate::Constant(value) => LtlFormula::Constant(*value == positive),
        StatePredicate::Not(inner) => literal(inner, !positive, atoms),
        _ => {
            let known = atoms.iter().position(|known| known == predicate);
            let atom = known.unwrap_or_else(|| {
                atoms.push(predicate.clone());
                atoms.len() - 1
            });
            LtlFormula::Literal(AtomLiteral { atom: atom as u32, positive })
        }
    }
}
