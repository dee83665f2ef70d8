//! LTL on the fly: the product of the net and a Büchi automaton for what would refute (or show) the property is
//! searched for an accepting run, while both are made.
//!
//! After EnPAC (sections II and III, Appendix A): dynamic fireset, packed markings, an automaton whose edges are in
//! a heuristic order, and paths that are searched within a bound that grows. Past it: a run for every violation,
//! shortened. Test: `tests/ltl.rs`.

mod emptiness;
mod lasso;
pub mod path;
mod product;
mod reduction;

use std::time::Instant;

use fireset_kernel::automata::{self, Buchi, LtlFormula};
use fireset_net::{
    Budget, Event, Evidence, Formula, Lasso, Model, Outcome, Problem, Quantifier, Query, Statistics,
    StopReason, Technique, Verdict,
};
use fireset_structure::NetStructure;

use self::{
    emptiness::{Emptiness, End},
    product::Product,
    reduction::Reduction,
};
use crate::{
    ColouredConfig, Engine, FiresetMode, ResultSink,
    coloured::{Coloured, Compiled},
    packed::{Access, Choice, Packed},
    search::{Ground, Marked, Number, Obstacle, Predicate, Task, interrupted, interruptible},
    stubborn::{Arcs, Stubborn},
    turns::{self, Turn},
};

/// States and edges that an automaton may have on the way.
const MAX_AUTOMATON: usize = 100_000;

/// Decides LTL properties.
#[derive(Clone, Copy, Debug, Default)]
pub struct OnTheFly {
    /// How markings are laid out.
    pub encoding: Choice,
    /// How they are read and written.
    pub access: Access,
    /// In which order the edges of the automaton are tried.
    pub automaton_order: AutomatonOrder,
    /// Whether paths are searched within a bound that grows.
    pub deepening: Deepening,
    /// What is remembered of the states on the path.
    pub fireset: FiresetMode,
    /// How coloured nets are searched.
    pub ways: ColouredConfig,
    /// Whether only stubborn sets fire, on place/transition nets and for formulas without `X`.
    pub stubborn: Stubborn,
}

/// Orders of the automaton's edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutomatonOrder {
    /// Those first that lead near to acceptance and ask for little.
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
    fn first(self) -> usize {
        match self {
            Self::From { first, .. } => first,
            Self::Off => usize::MAX,
        }
    }

    /// The bound after one.
    fn after(self, bound: usize) -> usize {
        match self {
            Self::From { factor, .. } => bound.saturating_mul(factor.max(2)),
            Self::Off => usize::MAX,
        }
    }
}

impl Engine for OnTheFly {
    fn name(&self) -> &'static str {
        "ltl"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        matches!(query, Query::Ltl(..))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        match &*problem.model {
            Model::Plain(net) => {
                let knowledge = NetStructure::of(net).place_invariants(budget);
                let mut ground = Packed::new(net, &knowledge, self.encoding, self.access);
                let wanted = self.stubborn == Stubborn::On && problem.queries.iter().any(stutters);
                let arcs = wanted.then(|| Arcs::new(net));
                self.decide_on(&mut ground, arcs.as_ref(), problem, budget, sink);
            }
            Model::Coloured(net) => {
                let decided = Compiled::new(net).and_then(|compiled| {
                    let mut ground = Coloured::new(net, &compiled, self.ways)?;
                    self.decide_on(&mut ground, None, problem, budget, sink);
                    Ok(())
                });
                if let Err(reason) = decided {
                    (0..problem.queries.len())
                        .for_each(|at| sink.report(at, Outcome::unknown(reason.clone())));
                }
            }
        }
    }
}

impl OnTheFly {
    /// Decides all queries of a problem, each in its part of the time.
    fn decide_on<G: Ground>(
        &self,
        ground: &mut G,
        arcs: Option<&Arcs<'_>>,
        problem: &Problem,
        budget: &Budget,
        sink: &mut dyn ResultSink,
    ) {
        let mut decide = |at: usize, _, part: &Budget| {
            let Query::Ltl(quantifier, formula) = &problem.queries[at] else { panic!("accepts only LTL") };
            let arcs = arcs.filter(|_| stutters(&problem.queries[at]));
            Check { how: *self, ground, arcs }.run(*quantifier, formula, part)
        };
        match problem.queries.len() {
            // A second turn would be the first again.
            1 => {
                sink.record(0, Event::Turn);
                sink.report(0, decide(0, Turn::Second, budget));
            }
            several => turns::in_turn(several, budget, decide, sink),
        }
    }
}

/// Whether a query is about words up to stuttering.
fn stutters(query: &Query) -> bool {
    matches!(query, Query::Ltl(_, formula) if !formula.any(&|f| matches!(f, Formula::Next(_))))
}

/// One property that is being decided.
struct Check<'a, G> {
    how: OnTheFly,
    /// Wide enough for all markings that were seen.
    ground: &'a mut G,
    /// If stubborn sets are wanted.
    arcs: Option<&'a Arcs<'a>>,
}

impl<G: Ground> Check<'_, G> {
    fn run(&mut self, quantifier: Quantifier, formula: &Formula, budget: &Budget) -> Outcome {
        let started = Instant::now();
        let Some((mut automaton, atoms)) = deciding(quantifier, formula) else {
            return Outcome::unknown(StopReason::Formula(formula.temporal_operators()));
        };
        if self.how.automaton_order == AutomatonOrder::Heuristic {
            order(&mut automaton);
        }
        let (found, techniques, mut statistics) = self.search(&automaton, &atoms, budget);
        statistics.elapsed = started.elapsed();
        let holds = |found: bool| Verdict::from(found == (quantifier == Quantifier::Exists));
        let (verdict, evidence) = match found {
            Ok(None) => (holds(false), None),
            Ok(Some(lasso)) => (holds(true), lasso.map(Evidence::Lasso)),
            Err(reason) => (Verdict::Unknown(reason), None),
        };
        Outcome { verdict, evidence, techniques, statistics }
    }

    /// Looks for an accepting run, in a layout that widens when a marking does not fit.
    fn search(
        &mut self,
        automaton: &Buchi,
        atoms: &[Predicate],
        budget: &Budget,
    ) -> (Found, Vec<Technique>, Statistics) {
        loop {
            let reduction = self.arcs.and_then(|arcs| Reduction::new(arcs, automaton, atoms));
            let mut techniques = vec![Technique::Explicit];
            techniques.extend(reduction.as_ref().map(|_| Technique::StubbornSets));
            let initial = self.ground.initial();
            let task = Search { initial: &initial, automaton, atoms, how: self.how, reduction, budget };
            let (found, mut statistics) = match self.ground.on_space(task, budget) {
                Ok(searched) => searched,
                Err(reason) => return (Err(reason), techniques, interrupted("ltl", budget)),
            };
            statistics.encoding = self.ground.encoding();
            match found {
                Ok(found) => return (found, techniques, statistics),
                Err((row, action)) => match self.ground.wider(&row, action) {
                    Ok(wider) => *self.ground = wider,
                    Err(reason) => return (Err(reason), techniques, statistics),
                },
            }
        }
    }
}

/// Whether there is an accepting run; and that run, if it could be put together.
type Found = Result<Option<Option<Lasso>>, StopReason>;

/// The search, as something to do on a space.
struct Search<'a, N> {
    initial: &'a [u64],
    automaton: &'a Buchi,
    atoms: &'a [Predicate],
    how: OnTheFly,
    reduction: Option<Reduction<'a, N>>,
    budget: &'a Budget,
}

impl<N: Number> Task<N> for Search<'_, N> {
    /// What was found, or the row and the action that lead to one that does not fit; and what it cost.
    type Output = (Result<Found, (Vec<u64>, N)>, Statistics);

    fn run<S: Marked<Number = N>>(self, space: &mut S) -> Self::Output {
        let mut product = Product::new(space, self.initial, self.automaton, self.atoms, self.reduction);
        let class = self.automaton.classify();
        let OnTheFly { deepening, fireset, .. } = self.how;
        let (mut bound, mut peak) = (deepening.first(), 0);
        let found = loop {
            product.begin();
            let mut emptiness = Emptiness::new(bound, class, fireset);
            let end = emptiness.run(&mut product, self.budget);
            peak = emptiness.peak(&product).max(peak);
            match end {
                End::Empty if product.is_torn() => {}
                End::Empty => break Ok(Ok(None)),
                End::Stopped(reason) => break Ok(Err(reason)),
                End::Misfit(marking, action) => break Err((product.markings.row(marking), action)),
                End::Accepting(path) => {
                    match interruptible(|| lasso::of(&mut product, &emptiness, &path, class, self.budget)) {
                        Ok(Ok(lasso)) => break Ok(Ok(Some(lasso))),
                        // There is one, even if nobody can say which.
                        Ok(Err(Obstacle::Full)) | Err(_) => break Ok(Ok(Some(None))),
                        Ok(Err(Obstacle::Misfit(marking, action))) => {
                            break Err((product.markings.row(marking), action));
                        }
                    }
                }
                End::EmptyWithin => bound = deepening.after(bound),
            }
        };
        let statistics = Statistics {
            engine: "ltl",
            states: product.markings.store.len() as u64,
            firings: product.markings.firings,
            memory: peak,
            ..Statistics::default()
        };
        (found, statistics)
    }
}

/// The automaton of runs that refute a property of all runs, or show one of some run, and its atoms. `None` when it gets too large.
pub(crate) fn deciding(quantifier: Quantifier, formula: &Formula) -> Option<(Buchi, Vec<Predicate>)> {
    let wanted = match quantifier {
        Quantifier::ForAll => Formula::Not(Box::new(formula.clone())),
        Quantifier::Exists => formula.clone(),
    };
    let (wanted, atoms) = abstracted(&wanted)?;
    let automaton = automata::translate(&wanted, MAX_AUTOMATON)?;
    Some((automaton, atoms.iter().map(Predicate::new).collect()))
}

/// Puts those edges first that lead near to acceptance and ask for little: EnPAC's heuristic (section III-C), the
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
/// not know how they are made up. `None` when it gets too large.
fn abstracted(formula: &Formula) -> Option<(LtlFormula, Vec<Formula>)> {
    if path::size(formula) > MAX_AUTOMATON {
        return None;
    }
    let mut atoms: Vec<Formula> = Vec::new();
    let path = path::path(formula, &mut |part| {
        part.is_state_predicate().then(|| {
            let known = atoms.iter().position(|known| known == part);
            known.unwrap_or_else(|| {
                atoms.push(part.clone());
                atoms.len() - 1
            }) as u32
        })
    });
    Some((path, atoms))
}
