//! Global CTL model checking: all markings are labelled with the operators that hold in them.
//!
//! Why: a formula that holds often has to be evaluated in nearly all markings, and then it costs less to explore them once, for
//! all formulas and with several threads, and to keep the steps between them: the satisfaction set of an operator is found in
//! one pass over the steps ([`fixpoint`]). There is no answer before all markings are explored.
//! Cost: 8 bytes a step beside the markings. Test: `tests/ctl.rs`, against the reference checker.

use std::{collections::HashSet, time::Instant};

use fireset_kernel::bits::Bits;
use fireset_kernel::threads::{WorkerPool, parallel_map};
use fireset_net::{Branching, Budget, CtlFormula, Net, Query, Statistics, StopReason};

use super::{
    CtlConfig, CtlValue, evaluate::Evaluation, evidence, fixpoint, operators::CompiledCtl, outcome,
    status::Status,
};
use crate::{
    ResultSink,
    marking_graph::{AtomSets, MarkingGraph, on},
    search::{MarkingSpace, MarkingTable, SearchStop, interruptible},
};

/// Formulas that are evaluated together.
pub(super) struct Labelling<'a> {
    pub(super) queries: &'a [Query],
    /// Those that were answered.
    pub(super) answered: &'a mut [bool],
    pub(super) net: &'a Net,
    pub(super) config: CtlConfig,
    pub(super) threads: usize,
    pub(super) encoding: &'static str,
    pub(super) budget: &'a Budget,
    pub(super) sink: &'a mut dyn ResultSink,
}

struct OpenFormula<'a> {
    at: usize,
    formula: &'a CtlFormula,
    operators: CompiledCtl,
}

impl<'a> Labelling<'a> {
    /// Explores all markings of a space, and answers the queries.
    pub(super) fn label<S: MarkingSpace>(
        &mut self,
        space: &mut S,
        initial: &[u64],
    ) -> Result<(), SearchStop<S::ActionId>> {
        let graph = MarkingGraph::explore(space, initial, (self.config.fireset, self.threads), self.budget)?;
        self.answer(graph).map_err(SearchStop::Reason)
    }

    /// Answers the open queries, as many at a time as there are threads.
    fn answer<S: MarkingSpace>(&mut self, mut graph: MarkingGraph<'_, S>) -> Result<(), StopReason> {
        let (started, threads) = (Instant::now(), (self.threads > 1).then(|| WorkerPool::new(self.threads)));
        let threads = threads.flatten();
        let mut open = self.open_formulas();
        let mut atoms = HashSet::new();
        open.iter().for_each(|asked| fixpoint::collect_atoms(&asked.operators, &mut atoms));
        let atoms = graph.evaluate(atoms, threads.as_ref().map(|pool| (pool, self.threads)), self.budget)?;
        while !open.is_empty() {
            let later = open.split_off(open.len().min(threads.as_ref().map_or(1, |_| self.threads)));
            let mut some = std::mem::replace(&mut open, later);
            some.retain(|asked| self.sink.is_open(asked.at));
            let bytes = self.check(&some, &atoms, &graph)?;
            let (steps, budget) = (&graph.steps, self.budget);
            let label = |asked: OpenFormula<'a>| {
                fixpoint::of(&asked.operators, &atoms, steps, budget).map(|sets| (asked, sets))
            };
            let labelled = on(threads.as_ref(), || parallel_map(some, label));
            for labelled in labelled {
                let (asked, (sets, root)) = labelled?;
                let value;
                (value, graph) = self.show(&asked, &sets, &root, graph);
                let statistics = Statistics {
                    engine: "ctl",
                    encoding: self.encoding,
                    states: graph.store.len() as u64,
                    firings: graph.firings,
                    memory: bytes,
                    elapsed: started.elapsed(),
                };
                self.answered[asked.at] = true;
                self.sink.report(asked.at, outcome(Ok(value), self.queries.len() > 1, statistics));
            }
        }
        Ok(())
    }

    fn open_formulas(&self) -> Vec<OpenFormula<'a>> {
        let asked = |(at, query): (usize, &'a Query)| match query {
            Query::Ctl(formula) => Some(OpenFormula { at, formula, operators: CompiledCtl::of(formula) }),
            _ => None,
        };
        self.queries.iter().enumerate().filter(|(at, _)| self.sink.is_open(*at)).filter_map(asked).collect()
    }

    /// Checks the memory that some formulas will need; gives its bytes.
    fn check<S: MarkingSpace>(
        &self,
        some: &[OpenFormula<'_>],
        atoms: &AtomSets,
        graph: &MarkingGraph<'_, S>,
    ) -> Result<u64, StopReason> {
        let operators = some.iter().map(|asked| asked.operators.all.len());
        // A bit for each atom, operator and three terms at a time; the numbers of waiting markings and of steps that are left; and
        // the status tables of one formula for its evidence.
        let bits = atoms.sets.len() + operators.clone().sum::<usize>() + 3 * some.len();
        let numbers = 2 * some.len() + operators.max().unwrap_or(0);
        let bytes = graph.bytes() + atoms.markings * bits / 8 + atoms.markings * numbers * size_of::<u32>();
        self.budget.check(bytes as u64, graph.store.len() as u64)?;
        Ok(bytes as u64)
    }

    /// The value of a formula in the initial marking, from the satisfaction sets of its operators, with its evidence.
    fn show<'m, S: MarkingSpace>(
        &self,
        asked: &OpenFormula<'_>,
        sets: &[Bits],
        root: &Bits,
        graph: MarkingGraph<'m, S>,
    ) -> (CtlValue, MarkingGraph<'m, S>) {
        let MarkingGraph { space, initial, store, numbers, firings, steps } = graph;
        let markings = MarkingTable::new(&mut *space, initial, store);
        let initial_position = numbers.iter().position(|&marking| marking == markings.initial);
        let value = root.get(initial_position.expect("it is the first"));
        let mut evaluation = Evaluation::new(&asked.operators, markings, self.net, self.config);
        for (values, set) in evaluation.values.iter_mut().zip(sets) {
            let decided = |position| Status::Decided(set.get(position));
            numbers.iter().enumerate().for_each(|(at, &marking)| values.set(marking, decided(at)));
        }
        let runs: Option<Branching> =
            interruptible(|| evidence::of(&mut evaluation, asked.formula, value, self.budget)).ok().flatten();
        let store = evaluation.markings.store;
        ((value, runs), MarkingGraph { space, initial, store, numbers, firings, steps })
    }
}
