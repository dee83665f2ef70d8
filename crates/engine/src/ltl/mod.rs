//! LTL on the fly: the product of the net and a Büchi automaton for the runs that refute (or show) the property is
//! searched for an accepting run, while the markings and the product are generated.
//!
//! After EnPAC (sections II and III, Appendix A): dynamic fireset, packed markings, an automaton whose edges are in
//! a heuristic order, and, if asked, paths that are searched within a bound that grows. Beyond EnPAC: a run for every
//! violation, shortened; searches that go on in a later turn (`search`). Test: `tests/ltl.rs`.

mod acceptance;
mod emptiness;
mod lasso;
pub mod path;
mod product;
mod pruning;
pub(crate) mod reduction;
mod rounds;
mod search;
mod shortest;

pub use acceptance::accepting_markings;
pub(crate) use product::ProductState;
pub use pruning::LtlPruning;
pub use shortest::{FoundLasso, ShortestLassoSearch};
use std::{sync::Arc, time::Instant};

use fireset_kernel::automata::{self, AtomLiteral, Buchi, LtlFormula};
use fireset_net::{
    Budget, Event, Evidence, Model, Outcome, PathFormula, Problem, Quantifier, Query, Signal, StatePredicate,
    StopReason, Temporal, Verdict,
};

use self::search::{ProductExploration, ProductSearch};
use crate::{
    ColouredConfig, Engine, FiresetMode, ResultSink, SuspendedExplorations,
    driver::{self, EncodedEngine, EncodedModel, EncodedProblem, EncodingConfig},
    packed::{Access, LayoutChoice},
    search::{EncodedNet, Predicate, compile, interrupted},
    stubborn::{ArcIndex, Stubborn},
    suspended::{SuspendedExploration, SuspendedSettings},
    turns::{self, Turn},
};

/// The most states and edges of an automaton during its construction.
pub(crate) const MAX_AUTOMATON: usize = 100_000;

/// Decides LTL properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
///
/// Each bound begins a new search of the product, so without one nothing is searched twice. Near violations are found by random walks.
/// Measured: on 26 contest nets with 32 formulas each, from a first bound of 256 up, or without one, as many are answered within the
/// noise of the clock (`fireset-bench deepening`). On 26 others with formulas that stayed open, 16 s for 16: 745 of 768 without a bound,
/// 741 with bounds of 1024 and four times as much each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deepening {
    /// Within a bound that grows.
    From {
        /// The first bound.
        first: usize,
        /// By how much it grows; at least 2.
        factor: usize,
    },
    /// As far as they go.
    #[default]
    Off,
}

impl Deepening {
    /// Of the schedules that were measured the one that sees the fewest states.
    pub const GROWING: Self = Self::From { first: 1024, factor: 4 };

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
        driver::decide(&LtlRun { engine: *self, suspended: None }, problem, budget, sink);
    }
}

/// An LTL search that goes on where an earlier one of the same property was suspended, and that is suspended itself when its time is
/// up.
#[derive(Clone, Debug)]
pub struct ResumableLtl {
    /// The settings of each run.
    pub engine: LtlEngine,
    /// The suspended searches of the same check.
    pub suspended: Arc<SuspendedExplorations>,
}

impl Engine for ResumableLtl {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        self.engine.accepts(model, query)
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        driver::decide(
            &LtlRun { engine: self.engine, suspended: Some(&self.suspended) },
            problem,
            budget,
            sink,
        );
    }
}

struct LtlRun<'a> {
    engine: LtlEngine,
    suspended: Option<&'a SuspendedExplorations>,
}

impl EncodedEngine for LtlRun<'_> {
    fn encoding_config(&self) -> EncodingConfig {
        let LtlEngine { encoding, access, coloured, .. } = self.engine;
        EncodingConfig { encoding, access, coloured }
    }

    /// Decides all queries of a problem, each in its part of the time.
    fn decide_encoded<E: EncodedNet>(
        &self,
        mut net: E,
        input: EncodedProblem<'_>,
        sink: &mut dyn ResultSink,
    ) {
        let Problem { model, queries } = input.problem;
        let arcs = match input.model {
            EncodedModel::PlaceTransition { net, .. }
                if self.engine.stubborn == Stubborn::On && queries.iter().any(is_stutter_invariant) =>
            {
                Some(ArcIndex::new(net))
            }
            _ => None,
        };
        let closed: Vec<Vec<Signal>> =
            (0..queries.len()).map(|at| sink.signal_as_written(at).cloned().into_iter().collect()).collect();
        let mut decide = |at: usize, _, part: &Budget| {
            let query = &queries[at];
            let arcs = arcs.as_ref().filter(|_| is_stutter_invariant(query));
            let mut check = PropertyCheck { engine: self.engine, net: &mut net, arcs };
            let explored = self.suspended.and_then(|home| check.resume(home, (model, query)));
            let (outcome, explored) = check.run(query, explored, part);
            if let (Some(home), Some(explored)) = (self.suspended, explored) {
                home.keep(check.suspend(explored, (model, query), closed[at].clone()));
            }
            outcome
        };
        match queries.len() {
            // A second turn would only go on with the first.
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
    /// The outcome and, if the time was up, the search so far.
    fn run(
        &mut self,
        query: &Query,
        explored: Option<ProductExploration<E::ActionId>>,
        budget: &Budget,
    ) -> (Outcome, Option<ProductExploration<E::ActionId>>) {
        let started = Instant::now();
        let Query::Ltl(quantifier, formula) = query else {
            return (Outcome::unknown(StopReason::NoEngine), None);
        };
        let Some((mut automaton, atoms)) = deciding(*quantifier, formula) else {
            return (Outcome::unknown(StopReason::Formula(formula.temporal_operators())), None);
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
            explored,
        };
        let found = driver::run_widening(self.net, &mut search, budget).flatten();
        let ProductSearch { techniques, statistics, explored, .. } = search;
        let mut statistics = statistics.unwrap_or_else(|| interrupted("ltl", budget));
        statistics.elapsed = started.elapsed();
        let holds = |found: bool| Verdict::from(found == (*quantifier == Quantifier::Exists));
        let (verdict, evidence) = match found {
            Ok(None) => (holds(false), None),
            Ok(Some(lasso)) => (holds(true), lasso.map(Evidence::Lasso)),
            Err(reason) => (Verdict::Unknown(reason), None),
        };
        // More memory is not to be expected, and a query that is closed needs no more states.
        let explored = explored.filter(|_| verdict == Verdict::Unknown(StopReason::Time));
        (Outcome { verdict, evidence, techniques, statistics }, explored)
    }

    /// Goes on with a suspended search of the same property; the net takes its layout.
    fn resume(
        &mut self,
        home: &SuspendedExplorations,
        (model, query): (&Arc<Model>, &Query),
    ) -> Option<ProductExploration<E::ActionId>> {
        let suspended = home.take(SuspendedSettings::Ltl(self.engine), model, &[query])?;
        let (layout, explored) = *suspended.search.downcast::<SuspendedProduct<E>>().ok()?;
        *self.net = self.net.in_layout(layout)?;
        home.count_resumed();
        Some(explored)
    }

    fn suspend(
        &self,
        explored: ProductExploration<E::ActionId>,
        (model, query): (&Arc<Model>, &Query),
        closed: Vec<Signal>,
    ) -> SuspendedExploration {
        let (size, layout) = (explored.size(), self.net.owned_layout());
        let search: Box<SuspendedProduct<E>> = Box::new((layout, explored));
        SuspendedExploration {
            model: model.clone(),
            settings: SuspendedSettings::Ltl(self.engine),
            queries: vec![query.clone()],
            closed,
            size,
            search,
        }
    }
}

/// A search without its net: another net that is equal takes its place.
type SuspendedProduct<E> = (<E as EncodedNet>::OwnedLayout, ProductExploration<<E as EncodedNet>::ActionId>);

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
