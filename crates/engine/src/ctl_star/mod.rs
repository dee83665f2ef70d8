//! Global CTL* model checking: all markings are labelled with the quantified formulas that hold in them, from the inside out.
//!
//! All markings and their steps are explored once for all formulas. The satisfaction set of `E f` is found in the product of the steps
//! and a Büchi automaton for `f`, whose letters are the state formulas inside `f` ([`product`]); `A f` is the negation of `E !f`.
//! Source: Emerson and Lei, "Modalities for model checking: branching time logic strikes back" (1987). There is no answer before all
//! markings are explored, and no evidence: a verdict of nested quantifiers needs more than one run. Test: `tests/ctl_star.rs`.

mod product;

use std::{collections::HashSet, time::Instant};

use fireset_kernel::{
    automata::{self, AtomLiteral, LtlFormula},
    bits::Bits,
};
use fireset_net::{
    Budget, CtlStarAtom, CtlStarFormula, Model, Outcome, Problem, Quantifier, Query, Statistics, StopReason,
    Technique, Verdict,
};

use self::product::LabelledProduct;
use crate::{
    ColouredConfig, Engine, FiresetMode, ResultSink,
    driver::{self, EncodedEngine, EncodedProblem, EncodingConfig, WideningTask},
    ltl::{MAX_AUTOMATON, path},
    marking_graph::{AtomSets, MarkingGraph, tree_set},
    packed::{Access, LayoutChoice},
    search::{EncodedNet, LayoutOverflow, MarkingSpace, SearchStop, compile, interrupted},
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
        let mut task = GlobalTask { engine: *self, queries, budget, sink };
        let labelled = driver::run_widening(&mut net, &mut task, budget).flatten();
        let Err(reason) = labelled else { return };
        for at in 0..queries.len() {
            let verdict = Verdict::Unknown(reason.clone());
            sink.report(at, outcome(verdict, queries.len() > 1, interrupted(self.name(), budget)));
        }
    }
}

fn outcome(verdict: Verdict, several: bool, statistics: Statistics) -> Outcome {
    let mut techniques = vec![Technique::Explicit];
    if several {
        techniques.push(Technique::CollateralProcessing);
    }
    Outcome { verdict, evidence: None, techniques, statistics }
}

/// Explores all markings and answers all queries. An error comes before the first answer.
struct GlobalTask<'a> {
    engine: CtlStarEngine,
    queries: &'a [Query],
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
            let mut labelling = StarLabelling { graph, atoms: &atoms, budget: self.budget, bytes: 0 };
            let verdict = match query {
                _ if !self.sink.is_open(at) => continue,
                Query::CtlStar(formula) => labelling.holds_initially(formula),
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
            let verdict = verdict.map_or_else(Verdict::Unknown, Verdict::from);
            self.sink.report(at, outcome(verdict, self.queries.len() > 1, statistics));
        }
        Ok(())
    }
}

/// The labelling of all markings with one formula.
struct StarLabelling<'a, 'm, S> {
    graph: &'a MarkingGraph<'m, S>,
    atoms: &'a AtomSets,
    budget: &'a Budget,
    /// The most bytes that were in use.
    bytes: usize,
}

impl<S: MarkingSpace> StarLabelling<'_, '_, S> {
    fn holds_initially(&mut self, formula: &CtlStarFormula) -> Result<bool, StopReason> {
        let set = self.set(formula)?;
        let (numbers, mut row) = (&self.graph.numbers, Default::default());
        let is_initial = |&position: &usize| {
            self.graph.store.get(numbers[position], &mut row);
            row.row() == self.graph.initial
        };
        let initial = (0..numbers.len()).find(is_initial).expect("the initial marking is reachable");
        Ok(set.get(initial))
    }

    /// The markings in which a formula about markings holds.
    fn set(&mut self, formula: &CtlStarFormula) -> Result<Bits, StopReason> {
        tree_set(formula, self.atoms.markings, &mut |atom| match atom {
            CtlStarAtom::State(predicate) => Ok(self.atoms.set(&compile(predicate))),
            CtlStarAtom::Quantified(Quantifier::Exists, path) => self.some_path(path, true),
            CtlStarAtom::Quantified(Quantifier::ForAll, path) => {
                self.some_path(path, false).map(Bits::complement)
            }
            // Without a quantifier it is meant for all runs.
            CtlStarAtom::Temporal(_) => {
                self.some_path(&CtlStarFormula::Atom(atom.clone()), false).map(Bits::complement)
            }
        })
    }

    /// The markings from which some path satisfies a formula or, if that is wanted, does not.
    fn some_path(&mut self, formula: &CtlStarFormula, positive: bool) -> Result<Bits, StopReason> {
        let too_large = || StopReason::Formula(formula.temporal_operators());
        if size(formula) > MAX_AUTOMATON {
            return Err(too_large());
        }
        let mut letters = Vec::new();
        let word = word(formula, positive, &mut letters);
        let automaton = automata::translate(&word, MAX_AUTOMATON).ok_or_else(too_large)?;
        let mut sets = Vec::new();
        for letter in letters {
            sets.push(self.set(&CtlStarFormula::Atom(letter))?);
            self.budget.go_on()?;
        }
        let held = self.graph.bytes() + (self.atoms.sets.len() + sets.len()) * self.atoms.markings / 8;
        let mut product = LabelledProduct::new(&automaton, sets, &self.graph.steps, self.budget);
        let found = product.starts_of_accepting_paths(held);
        self.bytes = self.bytes.max(product.peak());
        found
    }
}

/// How many nodes [`word`] makes of a formula, at most.
fn size(formula: &CtlStarFormula) -> usize {
    path::tree_size(formula, &|atom| match atom {
        CtlStarAtom::State(_) | CtlStarAtom::Quantified(..) => 1,
        CtlStarAtom::Temporal(operator) => path::operator_size(operator, size),
    })
}

/// A path formula, or its negation, over letters for the formulas about markings in it.
fn word(formula: &CtlStarFormula, positive: bool, letters: &mut Vec<CtlStarAtom>) -> LtlFormula {
    path::signed(formula, positive, &mut |atom, positive| match atom {
        CtlStarAtom::Temporal(operator) => {
            path::signed_operator(operator.map(&mut |f| word(f, positive, letters)), positive)
        }
        CtlStarAtom::State(_) | CtlStarAtom::Quantified(..) => {
            let known = letters.iter().position(|known| known == atom);
            let letter = known.unwrap_or_else(|| {
                letters.push(atom.clone());
                letters.len() - 1
            });
            LtlFormula::Literal(AtomLiteral { atom: letter as u32, positive })
        }
    })
}
