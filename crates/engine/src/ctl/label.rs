//! CTL in all markings.
//!
//! Why: a formula that holds often has to be looked at in nearly all markings, and then it costs less to explore them once, for
//! all formulas and with several threads, and to keep the steps between them: where its operators hold is found in one walk
//! over the steps for each ([`fixpoint`]). Nothing is said until all markings are explored.
//! Cost: 8 bytes a step beside the markings. Test: `tests/ctl.rs`, against the reference checker.

use std::{collections::HashSet, ops::ControlFlow, time::Instant};

use fireset_kernel::bits::Bits;
use fireset_kernel::{
    store::{Folded, Mark, RowId, Store},
    threads::{Threads, each},
};
use fireset_net::{Branching, Budget, Formula, Net, Query, Statistics, StopReason};

use super::{
    End, Value, Way, end,
    evaluate::Evaluation,
    evidence,
    fixpoint::{self, Atoms, Steps},
    operators::Operators,
    outcome,
    values::Standing,
};
use crate::{
    Order, ResultSink,
    search::{self, Look, Marked, Markings, Pace, Predicate, Search, Space, View, Visitor, interruptible},
};

/// Formulas that are evaluated together.
pub(super) struct Labelling<'a> {
    pub(super) queries: &'a [Query],
    /// Those that were answered.
    pub(super) told: &'a mut [bool],
    pub(super) net: &'a Net,
    pub(super) way: Way,
    pub(super) threads: usize,
    pub(super) encoding: &'static str,
    pub(super) budget: &'a Budget,
    pub(super) sink: &'a mut dyn ResultSink,
}

/// A formula.
struct Asked<'a> {
    at: usize,
    formula: &'a Formula,
    operators: Operators,
}

/// The markings of a space and the steps between them.
struct Whole<'m, S> {
    space: &'m mut S,
    /// The first row.
    initial: &'m [u64],
    store: Store,
    /// All that are in it, by position.
    numbers: Vec<RowId>,
    firings: u64,
    steps: Steps,
}

impl<S: Marked> Whole<'_, S> {
    fn bytes(&self) -> usize {
        let numbers = self.numbers.len() * size_of::<RowId>();
        self.space.bytes() + self.store.bytes() + numbers + self.steps.bytes()
    }
}

impl<'a> Labelling<'a> {
    /// Explores all markings of a space, and answers.
    pub(super) fn run<S: Marked>(&mut self, space: &mut S, initial: &[u64]) -> Result<(), End<S::Number>> {
        let Self { threads, budget, .. } = *self;
        let (order, fireset) = (Order::BreadthFirst, self.way.fireset);
        let way = search::Way { order, fireset, threads, runs: false, steps: true, most: usize::MAX };
        let mut search = Search::new(initial, way);
        if let Err(stop) = search.run(space, budget, &mut Blind) {
            return Err(end(stop, &search.states.store));
        }
        let (states, before) = search.into_graph(budget).map_err(End::Stopped)?;
        let (store, firings) = (states.store, states.firings);
        let numbers = Mark::default().take(&store.mark(), usize::MAX);
        let steps = Steps::new(before);
        self.answer(Whole { space, initial, store, numbers, firings, steps }).map_err(End::Stopped)
    }

    /// Answers what is wanted, as many formulas at a time as there are threads.
    fn answer<S: Marked>(&mut self, mut whole: Whole<'_, S>) -> Result<(), StopReason> {
        let (started, threads) = (Instant::now(), (self.threads > 1).then(|| Threads::new(self.threads)));
        let threads = threads.flatten();
        let mut open = self.asked();
        let atoms = self.evaluate(&open, threads.as_ref(), &whole)?;
        while !open.is_empty() {
            let later = open.split_off(open.len().min(threads.as_ref().map_or(1, |_| self.threads)));
            let mut some = std::mem::replace(&mut open, later);
            some.retain(|asked| self.sink.is_open(asked.at));
            let bytes = self.check(&some, &atoms, &whole)?;
            let (steps, budget) = (&whole.steps, self.budget);
            let label = |asked: Asked<'a>| {
                fixpoint::of(&asked.operators, &atoms, steps, budget).map(|sets| (asked, sets))
            };
            let labelled = on(threads.as_ref(), || each(some, label));
            for labelled in labelled {
                let (asked, (sets, root)) = labelled?;
                let value;
                (value, whole) = self.show(&asked, &sets, &root, whole);
                let statistics = Statistics {
                    engine: "ctl",
                    encoding: self.encoding,
                    states: whole.store.len() as u64,
                    firings: whole.firings,
                    memory: bytes,
                    elapsed: started.elapsed(),
                };
                self.told[asked.at] = true;
                self.sink.report(asked.at, outcome(Ok(value), self.queries.len() > 1, statistics));
            }
        }
        Ok(())
    }

    /// The formulas whose values are wanted.
    fn asked(&self) -> Vec<Asked<'a>> {
        let asked = |(at, query): (usize, &'a Query)| {
            let Query::Ctl(formula) = query else { panic!("accepts only CTL") };
            Asked { at, formula, operators: Operators::of(formula) }
        };
        self.queries.iter().enumerate().filter(|(at, _)| self.sink.is_open(*at)).map(asked).collect()
    }

    /// Whether there is enough memory to go on with some formulas, and how much is held then.
    fn check<S: Marked>(
        &self,
        some: &[Asked<'_>],
        atoms: &Atoms,
        whole: &Whole<'_, S>,
    ) -> Result<u64, StopReason> {
        let operators = some.iter().map(|asked| asked.operators.all.len());
        // A bit for each atom, operator and three terms at a time; numbers of what waits and of steps that are left; and the
        // values of one formula as evidence reads them.
        let bits = atoms.sets.len() + operators.clone().sum::<usize>() + 3 * some.len();
        let numbers = 2 * some.len() + operators.max().unwrap_or(0);
        let bytes = whole.bytes() + atoms.markings * bits / 8 + atoms.markings * numbers * size_of::<u32>();
        self.budget.check(bytes as u64, whole.store.len() as u64)?;
        Ok(bytes as u64)
    }

    /// Evaluates the atoms of formulas in all markings. Each thread takes some of them, and unpacks each marking once.
    fn evaluate<S: Marked>(
        &self,
        all: &[Asked<'a>],
        threads: Option<&Threads>,
        whole: &Whole<'_, S>,
    ) -> Result<Atoms, StopReason> {
        let mut atoms = HashSet::new();
        all.iter().for_each(|asked| Atoms::of(&asked.operators, &mut atoms));
        let atoms: Vec<Predicate> = atoms.into_iter().collect();
        let Whole { space, store, numbers, steps, .. } = whole;
        let (markings, count) = (store.len(), atoms.len());
        self.budget.check((whole.bytes() + count * markings / 8) as u64, markings as u64)?;
        let share = count.div_ceil(threads.map_or(1, |_| self.threads)).max(1);
        let parts = atoms.chunks(share).map(|part| (S::clone(space), part)).collect();
        let sets = on(threads, || {
            each(parts, |(mut space, part)| hold(part, &mut space, (store, numbers, steps), self.budget))
        });
        let sets: Vec<Vec<Bits>> = sets.into_iter().collect::<Result<_, _>>()?;
        Ok(Atoms { markings, sets: atoms.into_iter().zip(sets.into_iter().flatten()).collect() })
    }

    /// The value of a formula in the initial marking, from where its operators hold, and what shows it.
    fn show<'m, S: Marked>(
        &self,
        asked: &Asked<'_>,
        sets: &[Bits],
        root: &Bits,
        whole: Whole<'m, S>,
    ) -> (Value, Whole<'m, S>) {
        let Whole { space, initial, store, numbers, firings, steps } = whole;
        let markings = Markings::new(&mut *space, initial, store);
        let initial_position = numbers.iter().position(|&marking| marking == markings.initial);
        let value = root.get(initial_position.expect("it is the first"));
        let mut evaluation = Evaluation::new(&asked.operators, markings, self.net, self.way);
        for (values, set) in evaluation.values.iter_mut().zip(sets) {
            let decided = |position| Standing::Decided(set.get(position));
            numbers.iter().enumerate().for_each(|(at, &marking)| values.set(marking, decided(at)));
        }
        let runs: Option<Branching> =
            interruptible(|| evidence::of(&mut evaluation, asked.formula, value, self.budget)).ok().flatten();
        let store = evaluation.markings.store;
        ((value, runs), Whole { space, initial, store, numbers, firings, steps })
    }
}

/// Does something on threads, if there are any.
fn on<R: Send>(threads: Option<&Threads>, work: impl FnOnce() -> R + Send) -> R {
    match threads {
        Some(threads) => threads.run(work),
        None => work(),
    }
}

/// Where atoms hold.
fn hold<S: Marked>(
    atoms: &[Predicate],
    space: &mut S,
    (store, numbers, steps): (&Store, &[RowId], &Steps),
    budget: &Budget,
) -> Result<Vec<Bits>, StopReason> {
    let mut sets = vec![Bits::default(); atoms.len()];
    let (mut row, mut pace) = (Folded::default(), Pace::default());
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

/// Looks at nothing: only the steps are wanted.
#[derive(Clone)]
struct Blind;

impl<S: Space> Look<S> for Blind {
    fn firing(&mut self, _: u32) {}

    fn visit(&mut self, _: &mut S, _: &View<'_>) -> bool {
        false
    }

    fn choose(&mut self, _: &mut S, _: &[u64], _: &mut Vec<S::Number>) -> bool {
        false
    }

    fn prepare(&mut self) {}

    fn is_done(&self) -> bool {
        false
    }

    fn distance(&self, _: &S, _: &[u64]) -> u64 {
        0
    }

    fn join(&mut self, _: Self) -> bool {
        false
    }
}

impl<S: Space> Visitor<S> for Blind {
    type Look = Self;

    fn look(&mut self) -> &mut Self {
        self
    }

    fn settle(&mut self, _: &Search<S::Number>, _: &mut S) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
