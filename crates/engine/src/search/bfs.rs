//! Breadth-first search, level by level and with several threads.
//!
//! A level is expanded in blocks. First the threads take parts of the block, visit its states, and sort
//! their successors into a [`RowBatch`] for each part; the store stands still meanwhile. Then they put the batches
//! into the store, a piece of it at a time. So no locks are needed, the successors of one block touch one part of the
//! store after another, and ids, links and answers are the same with any number of threads.
//!
//! Cost beside the store: 8 bytes for each successor of a block, 12 with links; and 8 for each step where steps are
//! logged.

use std::ops::ControlFlow;

use fireset_kernel::{
    store::{RowBatch, RowId, Store, TreeRow, Watermark},
    threads::{WorkerPool, parallel_map},
};
use fireset_net::Budget;

use super::{
    ActionCursor, ActionId, Monitor, OpenList, PollTimer, ReachedStates, SearchContext, SearchStop,
    StateSearch, StateSpace, Successor, VisitedState, Visitor,
};

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
pub(super) const MAX_THREADS: usize = 64;

/// The open states: the rest of a block, then the rows from one watermark to another.
#[derive(Default)]
pub(super) struct Frontier {
    left: Vec<RowId>,
    from: Watermark,
    to: Watermark,
}

impl Frontier {
    pub(super) fn between(from: Watermark, to: Watermark) -> Self {
        Self { left: Vec::new(), from, to }
    }

    pub(super) fn bytes(&self) -> usize {
        self.left.capacity() * size_of::<RowId>()
    }

    /// The number of expanded states.
    fn expanded(&self) -> usize {
        self.from.rows() - self.left.len()
    }

    /// The next states of the level, or of the next level when this one is done.
    fn take(&mut self, store: &Store, most: usize) -> Vec<RowId> {
        if !self.left.is_empty() {
            return std::mem::take(&mut self.left);
        }
        if self.from == self.to {
            self.to = store.watermark();
        }
        self.from.take(&self.to, most)
    }

    /// All rows: those expanded, those of this level, those of the next.
    pub(super) fn generations(&self, store: &Store) -> Vec<Vec<RowId>> {
        let rows = |from: &Watermark, to: &Watermark| from.clone().take(to, usize::MAX);
        let mut left = self.left.clone();
        left.sort_unstable();
        let mut expanded = rows(&Watermark::default(), &self.from);
        expanded.retain(|id| left.binary_search(id).is_err());
        let mut level = left;
        level.extend(rows(&self.from, &self.to));
        vec![expanded, level, rows(&self.to, &store.watermark())]
    }
}

/// Expands a part of a block; aligned so that no two workers share a cache line.
#[repr(align(128))]
struct Worker<S: StateSpace> {
    space: S,
    batch: RowBatch,
    near: TreeRow,
    /// Buffers for the actions that the monitor chooses, and for a row.
    chosen: Vec<S::ActionId>,
    next: Vec<u64>,
}

/// The result of expanding a part of a block.
struct BlockResult<N> {
    /// The number of states that were expanded.
    done: usize,
    firings: u64,
    /// Whether the monitor decided something.
    decided: bool,
    stop: Option<SearchStop<N>>,
}

/// Why [`StateSearch::expand_blocks`] returns.
enum Pause {
    /// All states were visited.
    Done,
    /// The monitor has decided something.
    Decided,
    /// From the next block on this number of threads is worth it and allowed, and was not so far.
    Threads(usize),
}

impl<N: ActionId> StateSearch<N> {
    /// Visits all states, level by level.
    pub(super) fn run_bfs<S, V>(&mut self, run: SearchContext<'_, S, V>) -> Result<(), SearchStop<N>>
    where
        S: StateSpace<ActionId = N>,
        V: Visitor<S>,
    {
        let SearchContext { space, budget, visitor } = run;
        let noting = self.config.steps;
        let mut workers = vec![Worker::new(space, &self.states.store, noting)];
        let mut pool = None;
        loop {
            let monitor = visitor.monitor();
            let pause = match &pool {
                None => self.expand_blocks(&mut workers, monitor, budget),
                Some(pool) => WorkerPool::run(pool, || self.expand_blocks(&mut workers, monitor, budget)),
            };
            match pause {
                Ok(Pause::Done) => return Ok(()),
                Ok(Pause::Decided) => self.pass_on(space, visitor)?,
                Ok(Pause::Threads(count)) => {
                    pool = if count > 1 { WorkerPool::new(count) } else { None };
                    if count > 1 && pool.is_none() {
                        // Where no more threads can be started, one goes on alone.
                        self.max_threads = 1;
                    }
                    let parts = pool.as_ref().map_or(1, |_| PARTS_A_THREAD * count);
                    workers.resize_with(parts, || Worker::new(space, &self.states.store, noting));
                }
                Err(stop) => {
                    self.pass_on(space, visitor)?;
                    return Err(stop);
                }
            }
        }
    }

    /// Expands blocks, on several threads if there are several workers.
    fn expand_blocks<S: StateSpace<ActionId = N>, M: Monitor<S>>(
        &mut self,
        workers: &mut [Worker<S>],
        monitor: &mut M,
        budget: &Budget,
    ) -> Result<Pause, SearchStop<N>> {
        loop {
            self.check(budget, workers.iter().map(Worker::bytes).sum())?;
            // Asked before each block, because the owners of spare threads start and end at any time.
            let threads = (self.config.threads + budget.spare_threads()).clamp(1, self.max_threads);
            let OpenList::Breadth(frontier) = &mut self.open else {
                unreachable!("the search is breadth-first")
            };
            let ReachedStates { store, firings, .. } = &mut self.states;
            let each = (*firings as usize / frontier.expanded().max(1)).max(1);
            let block = frontier.take(store, block_size(store, each));
            if block.is_empty() {
                return Ok(Pause::Done);
            }
            let large = threads > 1 && block.len() * each >= WORTH_THREADS;
            let due = match threads {
                1 => 1,
                _ if large => PARTS_A_THREAD * threads,
                _ => workers.len(),
            };
            if due != workers.len() {
                frontier.left = block;
                return Ok(Pause::Threads(threads));
            }
            let used = if large { workers.len().min(block.len()) } else { 1 };
            let (parts, mut decided) = expand(store, &block, &mut workers[..used], monitor, budget);
            let batches = workers.iter_mut().map(|worker| &mut worker.batch);
            let mut batches: Vec<&mut RowBatch> = batches.take(used).collect();
            match &mut self.noted {
                Some(noted) => store.insert_all_logged(&mut batches, noted)?,
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

/// The number of states with `each` successors that are expanded together.
fn block_size(store: &Store, each: usize) -> usize {
    let successors = (store.len() / STATES_A_SUCCESSOR).clamp(FEWEST, MOST);
    (successors / each).max(1)
}

/// Expands a block, each worker a part of it; `true` when the parts together decide something.
fn expand<S: StateSpace, M: Monitor<S>>(
    store: &Store,
    block: &[RowId],
    workers: &mut [Worker<S>],
    monitor: &mut M,
    budget: &Budget,
) -> (Vec<BlockResult<S::ActionId>>, bool) {
    let share = block.len().div_ceil(workers.len());
    monitor.prepare();
    let mut monitors = vec![monitor.clone(); workers.len() - 1];
    let budgets = (budget, store.bytes());
    let jobs =
        workers.iter_mut().zip(block.chunks(share)).zip([&mut *monitor].into_iter().chain(&mut monitors));
    let parts = parallel_map(jobs.collect(), |((worker, part), monitor)| {
        worker.expand(store, part, monitor, budgets)
    });
    let decided = monitors.into_iter().fold(false, |decided, other| decided | monitor.join(other));
    (parts, decided)
}

impl<S: StateSpace> Worker<S> {
    fn new(space: &S, store: &Store, noting: bool) -> Self {
        let batch = if noting { RowBatch::with_edges(store) } else { RowBatch::new(store) };
        let (chosen, next) = (Vec::new(), Vec::new());
        Self { space: space.clone(), batch, near: TreeRow::default(), chosen, next }
    }

    fn bytes(&self) -> usize {
        self.batch.bytes() + self.space.bytes()
    }

    /// Expands states one after another until something stops the worker.
    fn expand<M: Monitor<S>>(
        &mut self,
        store: &Store,
        states: &[RowId],
        monitor: &mut M,
        (budget, bytes): (&Budget, usize),
    ) -> BlockResult<S::ActionId> {
        let Self { space, batch, near, chosen, next } = self;
        let (mut firings, mut decided, mut timer) = (0, false, PollTimer::default());
        for (done, &id) in states.iter().enumerate() {
            let part = |stop| BlockResult { done, firings, decided, stop };
            if decided && monitor.is_done() {
                return part(None);
            }
            if timer.is_due() {
                let used = (bytes + batch.bytes()) as u64;
                if let Err(reason) = budget.check(used, store.len() as u64) {
                    return part(Some(SearchStop::Reason(reason)));
                }
            }
            store.get(id, near);
            let mut fired = 0;
            let reduced = monitor.choose(space, near.row(), chosen);
            let visit = |successor: Successor<'_, S::ActionId>| {
                let Some(row) = successor.row else {
                    return ControlFlow::Break(SearchStop::overflow(near.row(), successor.action));
                };
                batch.push(store, row, near, id);
                monitor.on_firing(successor.transition);
                fired += 1;
                // One state of a coloured net may have more successors than there is time for.
                if !timer.is_due() {
                    return ControlFlow::Continue(());
                }
                match budget.check((bytes + batch.bytes()) as u64, store.len() as u64) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(reason) => ControlFlow::Break(SearchStop::Reason(reason)),
                }
            };
            let flow = match reduced {
                true => space.successors_by(near.row(), chosen, next, visit),
                false => space.successors(near.row(), ActionCursor::default(), visit),
            };
            if let ControlFlow::Break(stopped) = flow {
                return part(Some(stopped));
            }
            firings += fired;
            let deadlock =
                fired == 0 && (!reduced || space.next(near.row(), ActionCursor::default()).is_none());
            decided |= monitor.visit(space, &VisitedState { id, row: near.row(), deadlock });
        }
        BlockResult { done: states.len(), firings, decided, stop: None }
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{
        Evidence, Formula, Global, Model, Outcome, PlaceId, Problem, Query, Verdict,
        families::{self, FamilyKind},
        replay,
    };
    use fireset_oracle::{query, tiny};

    use super::*;
    use crate::{Encoding, Engine, Explicit, LayoutChoice};

    const GLOBALS: [Global; 5] =
        [Global::StateSpace, Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness];

    /// The verdict on each query, its evidence, and the number of states it took.
    type AnswersWithStates = Vec<(Verdict, Option<Evidence>, u64)>;

    /// All answers, with evidence that replays. Without global properties only stubborn sets fire.
    fn answers(model: &Model, globals: &[Global], engine: Explicit) -> AnswersWithStates {
        let mut queries: Vec<Query> = globals.iter().copied().map(Query::Global).collect();
        queries.push(query::reachable(Formula::Deadlock));
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
            for encoding in
                [LayoutChoice::Auto, LayoutChoice::Only(Encoding::Wide), LayoutChoice::Only(Encoding::Safe)]
            {
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
