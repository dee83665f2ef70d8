//! Global CTL model checking: all markings are labelled with the operators that hold in them.
//!
//! Why: a formula that holds often has to be evaluated in nearly all markings, and then it costs less to explore them once, for
//! all formulas and with several threads, and to keep the steps between them: the satisfaction set of an operator is found in
//! one pass over the steps ([`fixpoint`]). There is no answer before all markings are explored.
//! Cost: 8 bytes a step beside the markings. Test: `tests/ctl.rs`, against the reference checker.

use std::{collections::HashSet, ops::ControlFlow, time::Instant};

use fireset_kernel::bits::Bits;
use fireset_kernel::{
    store::{RowId, Store, TreeRow, Watermark},
    threads::{WorkerPool, parallel_map},
};
use fireset_net::{Branching, Budget, CtlFormula, Net, Query, Statistics, StopReason};

use super::{
    CtlConfig, CtlValue,
    evaluate::Evaluation,
    evidence,
    fixpoint::{self, AtomSets, StepRelation},
    operators::CompiledCtl,
    outcome,
    status::Status,
};
use crate::{
    Order, ResultSink,
    search::{
        MarkingSpace, MarkingTable, Monitor, PollTimer, PredicateAtom, SearchConfig, SearchStop, StateSearch,
        StateSpace, VisitedState, Visitor, interruptible,
    },
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

/// The reachable markings of a space and the steps between them.
struct LabelledGraph<'m, S> {
    space: &'m mut S,
    initial: &'m [u64],
    store: Store,
    /// The markings of the store, by position.
    numbers: Vec<RowId>,
    firings: u64,
    steps: StepRelation,
}

impl<S: MarkingSpace> LabelledGraph<'_, S> {
    fn bytes(&self) -> usize {
        let numbers = self.numbers.len() * size_of::<RowId>();
        self.space.bytes() + self.store.bytes() + numbers + self.steps.bytes()
    }
}

impl<'a> Labelling<'a> {
    /// Explores all markings of a space, and answers the queries.
    pub(super) fn label<S: MarkingSpace>(
        &mut self,
        space: &mut S,
        initial: &[u64],
    ) -> Result<(), SearchStop<S::ActionId>> {
        let Self { threads, budget, .. } = *self;
        let (order, fireset) = (Order::BreadthFirst, self.config.fireset);
        let max_states = usize::MAX;
        let config = SearchConfig { order, fireset, threads, runs: false, steps: true, max_states };
        let mut search = StateSearch::new(initial, config);
        search.run(space, budget, &mut Blind)?;
        let (states, before) = search.into_graph(budget).map_err(SearchStop::Reason)?;
        let (store, firings) = (states.store, states.firings);
        let numbers = Watermark::default().take(&store.watermark(), usize::MAX);
        let steps = StepRelation::new(before);
        self.answer(LabelledGraph { space, initial, store, numbers, firings, steps })
            .map_err(SearchStop::Reason)
    }

    /// Answers the open queries, as many at a time as there are threads.
    fn answer<S: MarkingSpace>(&mut self, mut graph: LabelledGraph<'_, S>) -> Result<(), StopReason> {
        let (started, threads) = (Instant::now(), (self.threads > 1).then(|| WorkerPool::new(self.threads)));
        let threads = threads.flatten();
        let mut open = self.open_formulas();
        let atoms = self.evaluate(&open, threads.as_ref(), &graph)?;
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
        graph: &LabelledGraph<'_, S>,
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

    /// Evaluates the atoms of formulas in all markings. Each thread takes some of them, and unpacks each marking once.
    fn evaluate<S: MarkingSpace>(
        &self,
        all: &[OpenFormula<'a>],
        threads: Option<&WorkerPool>,
        graph: &LabelledGraph<'_, S>,
    ) -> Result<AtomSets, StopReason> {
        let mut atoms = HashSet::new();
        all.iter().for_each(|asked| AtomSets::collect(&asked.operators, &mut atoms));
        let atoms: Vec<PredicateAtom> = atoms.into_iter().collect();
        let LabelledGraph { space, store, numbers, steps, .. } = graph;
        let (markings, count) = (store.len(), atoms.len());
        self.budget.check((graph.bytes() + count * markings / 8) as u64, markings as u64)?;
        let share = count.div_ceil(threads.map_or(1, |_| self.threads)).max(1);
        let parts = atoms.chunks(share).map(|part| (S::clone(space), part)).collect();
        let sets = on(threads, || {
            parallel_map(parts, |(mut space, part)| {
                satisfaction_sets(part, &mut space, (store, numbers, steps), self.budget)
            })
        });
        let sets: Vec<Vec<Bits>> = sets.into_iter().collect::<Result<_, _>>()?;
        Ok(AtomSets { markings, sets: atoms.into_iter().zip(sets.into_iter().flatten()).collect() })
    }

    /// The value of a formula in the initial marking, from the satisfaction sets of its operators, with its evidence.
    fn show<'m, S: MarkingSpace>(
        &self,
        asked: &OpenFormula<'_>,
        sets: &[Bits],
        root: &Bits,
        graph: LabelledGraph<'m, S>,
    ) -> (CtlValue, LabelledGraph<'m, S>) {
        let LabelledGraph { space, initial, store, numbers, firings, steps } = graph;
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
        ((value, runs), LabelledGraph { space, initial, store, numbers, firings, steps })
    }
}

/// Runs work on the threads, if there are any.
fn on<R: Send>(threads: Option<&WorkerPool>, work: impl FnOnce() -> R + Send) -> R {
    match threads {
        Some(threads) => threads.run(work),
        None => work(),
    }
}

/// The satisfaction sets of atoms.
fn satisfaction_sets<S: MarkingSpace>(
    atoms: &[PredicateAtom],
    space: &mut S,
    (store, numbers, steps): (&Store, &[RowId], &StepRelation),
    budget: &Budget,
) -> Result<Vec<Bits>, StopReason> {
    let mut sets = vec![Bits::default(); atoms.len()];
    let (mut row, mut pace) = (TreeRow::default(), PollTimer::default());
    for (position, &marking) in numbers.iter().enumerate() {
        if pace.is_due() {
            budget.go_on()?;
        }
        store.get(marking, &mut row);
        let deadlock = steps.is_deadlock(position);
        for (atom, set) in atoms.iter().zip(&mut sets) {
            set.push(atom.holds(space, row.row(), deadlock));
        }
    }
    Ok(sets)
}

/// Monitors nothing: the search only collects the steps.
#[derive(Clone)]
struct Blind;

impl<S: StateSpace> Monitor<S> for Blind {
    fn visit(&mut self, _: &mut S, _: &VisitedState<'_>) -> bool {
        false
    }

    fn join(&mut self, _: Self) -> bool {
        false
    }
}

impl<S: StateSpace> Visitor<S> for Blind {
    type Monitor = Self;

    fn monitor(&mut self) -> &mut Self {
        self
    }

    fn on_decided(&mut self, _: &StateSearch<S::ActionId>, _: &mut S) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
