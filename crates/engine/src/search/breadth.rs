//! Breadth-first search, level by level and with several threads.
//!
//! A level is expanded in blocks. First the threads take parts of the block, look at their states, and sort
//! their successors into a [`Batch`] for each part; the store stands still meanwhile. Then they put the batches
//! into the store, a piece of it at a time. So no locks are needed, the successors of one block touch one part of the
//! store after another, and numbers, links and answers are the same with any number of threads.
//!
//! Cost beside the store: 8 bytes for each successor of a block, 12 with links; and where steps are wanted 8 for each.

use std::ops::ControlFlow;

use fireset_kernel::{
    store::{Batch, Folded, Mark, RowId, Store},
    threads::{Threads, each},
};
use fireset_net::Budget;

use super::{Cursor, Look, Number, Pace, Search, Space, States, Stop, Successor, View, Visitor, Waiting};

/// The fewest successors of a block, and the most.
const FEWEST: usize = 1 << 12;
const MOST: usize = 1 << 21;
/// Successors of a block for each state in the store, as a fraction: the memory of a block stays small beside it.
const STATES_A_SUCCESSOR: usize = 4;
/// A block with fewer successors is not worth another thread.
const WORTH_THREADS: usize = if cfg!(test) { 8 } else { 1 << 14 };
/// Parts of a block for each thread, when there are several: a thread that is done early takes another part.
const PARTS_A_THREAD: usize = 4;
/// More threads than this only wait for each other: there are not many more segments of the store to fill.
const MAX_THREADS: usize = 64;

/// The states that wait: what is left of a block, then the rows from one mark to another.
#[derive(Default)]
pub(super) struct Frontier {
    left: Vec<RowId>,
    from: Mark,
    to: Mark,
}

impl Frontier {
    pub(super) fn between(from: Mark, to: Mark) -> Self {
        Self { left: Vec::new(), from, to }
    }

    pub(super) fn bytes(&self) -> usize {
        self.left.capacity() * size_of::<RowId>()
    }

    /// How many states were expanded.
    fn expanded(&self) -> usize {
        self.from.rows() - self.left.len()
    }

    /// The next states of the level, or of the next level when this one is done.
    fn take(&mut self, store: &Store, most: usize) -> Vec<RowId> {
        if !self.left.is_empty() {
            return std::mem::take(&mut self.left);
        }
        if self.from == self.to {
            self.to = store.mark();
        }
        self.from.take(&self.to, most)
    }

    /// All rows: those expanded, those of this level, those of the next.
    pub(super) fn generations(&self, store: &Store) -> Vec<Vec<RowId>> {
        let rows = |from: &Mark, to: &Mark| from.clone().take(to, usize::MAX);
        let mut left = self.left.clone();
        left.sort_unstable();
        let mut expanded = rows(&Mark::default(), &self.from);
        expanded.retain(|id| left.binary_search(id).is_err());
        let mut level = left;
        level.extend(rows(&self.from, &self.to));
        vec![expanded, level, rows(&self.to, &store.mark())]
    }
}

/// The tools to expand a part of a block, apart from those of other threads in the cache.
#[repr(align(128))]
struct Worker<S: Space> {
    space: S,
    batch: Batch,
    near: Folded,
    /// The actions that are enough in a state, and room for a row.
    chosen: Vec<S::Number>,
    next: Vec<u64>,
}

/// What came of a part of a block.
struct Part<N> {
    /// How many of its states were expanded.
    done: usize,
    firings: u64,
    /// Whether something is decided now.
    decided: bool,
    stop: Option<Stop<N>>,
}

/// Why blocks are not expanded any further.
enum Pause {
    /// All states were visited.
    Done,
    /// Something is decided.
    Decided,
    /// The next block is worth several threads.
    Large,
}

impl<N: Number> Search<N> {
    /// Visits all states, level by level.
    pub(super) fn sweep<S: Space<Number = N>, V: Visitor<S>>(
        &mut self,
        space: &mut S,
        budget: &Budget,
        visitor: &mut V,
    ) -> Result<(), Stop<N>> {
        let noting = self.way.steps;
        let mut crew = vec![Worker::new(space, &self.states.store, noting)];
        let mut threads = None;
        loop {
            let look = visitor.look();
            let pause = match &threads {
                None => self.expand_blocks(&mut crew, look, budget),
                Some(threads) => Threads::run(threads, || self.expand_blocks(&mut crew, look, budget)),
            };
            match pause {
                Ok(Pause::Done) => return Ok(()),
                Ok(Pause::Decided) => self.settle(true, space, visitor)?,
                Ok(Pause::Large) => {
                    let count = self.way.threads.min(MAX_THREADS);
                    threads = Threads::new(count);
                    // Without more threads one goes on.
                    self.way.threads = if threads.is_some() { count } else { 1 };
                    let parts = PARTS_A_THREAD * self.way.threads;
                    crew.resize_with(parts, || Worker::new(space, &self.states.store, noting));
                }
                Err(stop) => {
                    self.settle(true, space, visitor)?;
                    return Err(stop);
                }
            }
        }
    }

    /// Expands blocks, on several threads if there are several workers.
    fn expand_blocks<S: Space<Number = N>, L: Look<S>>(
        &mut self,
        crew: &mut [Worker<S>],
        look: &mut L,
        budget: &Budget,
    ) -> Result<Pause, Stop<N>> {
        loop {
            self.check(budget, crew.iter().map(Worker::bytes).sum())?;
            let Waiting::Breadth(frontier) = &mut self.waiting else { unreachable!("it sweeps") };
            let States { store, firings, .. } = &mut self.states;
            let each = (*firings as usize / frontier.expanded().max(1)).max(1);
            let block = frontier.take(store, block_size(store, each));
            if block.is_empty() {
                return Ok(Pause::Done);
            }
            let large = self.way.threads > 1 && block.len() * each >= WORTH_THREADS;
            if large && crew.len() == 1 {
                frontier.left = block;
                return Ok(Pause::Large);
            }
            let used = if large { crew.len().min(block.len()) } else { 1 };
            let (parts, mut decided) = expand(store, &block, &mut crew[..used], look, budget);
            let batches = crew.iter_mut().map(|worker| &mut worker.batch);
            let mut batches: Vec<&mut Batch> = batches.take(used).collect();
            match &mut self.noted {
                Some(noted) => store.insert_all_noting(&mut batches, noted)?,
                None => store.insert_all(&mut batches)?,
            }
            let share = block.len().div_ceil(used);
            let mut stop = None;
            for (part, states) in parts.into_iter().zip(block.chunks(share)) {
                frontier.left.extend_from_slice(&states[part.done..]);
                *firings += part.firings;
                decided |= part.decided;
                stop = stop.or(part.stop);
            }
            match stop {
                Some(stop) => return Err(stop),
                None if decided => return Ok(Pause::Decided),
                None => {}
            }
        }
    }
}

/// How many states with `each` successors are expanded together.
fn block_size(store: &Store, each: usize) -> usize {
    let successors = (store.len() / STATES_A_SUCCESSOR).clamp(FEWEST, MOST);
    (successors / each).max(1)
}

/// Expands a block, each worker a part of it. Also tells whether the parts together decide something.
fn expand<S: Space, L: Look<S>>(
    store: &Store,
    block: &[RowId],
    crew: &mut [Worker<S>],
    look: &mut L,
    budget: &Budget,
) -> (Vec<Part<S::Number>>, bool) {
    let share = block.len().div_ceil(crew.len());
    look.prepare();
    let mut looks = vec![look.clone(); crew.len() - 1];
    let budgets = (budget, store.bytes());
    let jobs = crew.iter_mut().zip(block.chunks(share)).zip([&mut *look].into_iter().chain(&mut looks));
    let parts = each(jobs.collect(), |((worker, part), look)| worker.expand(store, part, look, budgets));
    let decided = looks.into_iter().fold(false, |decided, other| decided | look.join(other));
    (parts, decided)
}

impl<S: Space> Worker<S> {
    fn new(space: &S, store: &Store, noting: bool) -> Self {
        let batch = if noting { Batch::noting(store) } else { Batch::new(store) };
        let (chosen, next) = (Vec::new(), Vec::new());
        Self { space: space.clone(), batch, near: Folded::default(), chosen, next }
    }

    fn bytes(&self) -> usize {
        self.batch.bytes() + self.space.bytes()
    }

    /// Expands states one after another until something stops it.
    fn expand<L: Look<S>>(
        &mut self,
        store: &Store,
        states: &[RowId],
        look: &mut L,
        (budget, bytes): (&Budget, usize),
    ) -> Part<S::Number> {
        let Self { space, batch, near, chosen, next } = self;
        let (mut firings, mut decided, mut pace) = (0, false, Pace::default());
        for (done, &id) in states.iter().enumerate() {
            let part = |stop| Part { done, firings, decided, stop };
            if decided && look.is_done() {
                return part(None);
            }
            if pace.is_due() {
                let used = (bytes + batch.bytes()) as u64;
                if let Err(reason) = budget.check(used, store.len() as u64) {
                    return part(Some(Stop::Reason(reason)));
                }
            }
            store.get(id, near);
            let mut fired = 0;
            let few = look.choose(space, near.row(), chosen);
            let visit = |successor: Successor<'_, S::Number>| {
                let Some(row) = successor.row else {
                    return ControlFlow::Break(Stop::Misfit(id, successor.action));
                };
                batch.push(store, row, near, id);
                look.firing(successor.kind);
                fired += 1;
                // One state of a coloured net may have more successors than there is time for.
                if !pace.is_due() {
                    return ControlFlow::Continue(());
                }
                match budget.check((bytes + batch.bytes()) as u64, store.len() as u64) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(reason) => ControlFlow::Break(Stop::Reason(reason)),
                }
            };
            let flow = match few {
                true => space.successors_by(near.row(), chosen, next, visit),
                false => space.successors(near.row(), Cursor::default(), visit),
            };
            if let ControlFlow::Break(stopped) = flow {
                return part(Some(stopped));
            }
            firings += fired;
            let deadlock = fired == 0 && (!few || space.next(near.row(), Cursor::default()).is_none());
            decided |= look.visit(space, &View { id, row: near.row(), deadlock });
        }
        Part { done: states.len(), firings, decided, stop: None }
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{
        Evidence, Formula, Global, Model, Outcome, PlaceId, Problem, Query, Verdict,
        families::{self, FamilyKind},
        replay,
    };
    use fireset_oracle::tiny;

    use super::*;
    use crate::{Choice, Encoding, Engine, Explicit};

    const GLOBALS: [Global; 5] =
        [Global::StateSpace, Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness];

    /// What each query comes to, and after how many states.
    type Answers = Vec<(Verdict, Option<Evidence>, u64)>;

    /// All answers, with evidence that replays. Without global properties only stubborn sets fire.
    fn answers(model: &Model, globals: &[Global], engine: Explicit) -> Answers {
        let mut queries: Vec<Query> = globals.iter().copied().map(Query::Global).collect();
        queries.push(Query::Reachable(Formula::Deadlock));
        queries.extend(model.nodes().place_ids().map(|p: PlaceId| Query::Bound(vec![p])));
        let problem = Problem { model: model.clone().into(), queries };
        let mut all = vec![None; problem.queries.len()];
        engine.decide(&problem, &Budget::unlimited(), &mut |at: usize, outcome: Outcome| {
            if let Some(evidence) = &outcome.evidence {
                replay::confirm(model, &problem.queries[at], &outcome.verdict, evidence).unwrap();
            }
            let answer = (outcome.verdict, outcome.evidence, outcome.statistics.states);
            assert!(all[at].replace(answer).is_none());
        });
        all.into_iter().map(Option::unwrap).collect()
    }

    #[test]
    fn any_number_of_threads_gives_the_same_answers() {
        let family =
            |name, parameters| families::find(name).unwrap().generate(FamilyKind::Plain, parameters).unwrap();
        let models = [
            family("kanban", &[2][..]),
            family("philosophers", &[5]),
            family("token-ring", &[5]),
            // `q` outgrows 8 bits in the middle of wide levels.
            Model::Plain(tiny::net("p:40 q r:20 s; t: p -> 8*q; drop: q -> ; u: r -> s")),
        ];
        for model in &models {
            for encoding in [Choice::Auto, Choice::Only(Encoding::Wide), Choice::Only(Encoding::Safe)] {
                for globals in [&GLOBALS[..], &[]] {
                    let with = |threads| {
                        answers(model, globals, Explicit { threads, encoding, ..Explicit::default() })
                    };
                    let one = with(1);
                    assert!(one.iter().all(|(verdict, ..)| !matches!(verdict, Verdict::Unknown(_))));
                    for threads in [2, 3, 7] {
                        assert_eq!(with(threads), one, "{} with {threads} threads", model.name());
                    }
                }
            }
        }
    }
}
