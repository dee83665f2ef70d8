//! Breadth-first search, level by level and with several threads.
//!
//! A level is expanded in blocks. First each thread takes a part of the block, looks at its states, and sorts
//! their successors into a [`Batch`]; the store stands still meanwhile. Then the threads put the batches into the
//! store, each into its own segments. So no locks are needed, the successors of one block touch one part of the
//! store after another, and numbers, links and answers are the same with any number of threads.
//!
//! Cost beside the store: 8 bytes for each successor of a block, 12 with links.

use std::{ops::ControlFlow, thread};

use fireset_kernel::store::{Batch, Folded, Mark, RowId, Store};
use fireset_net::Budget;

use super::{At, Cursor, Look, Number, Search, Space, Stop, View, Visitor, Waiting};

/// The fewest successors of a block, and the most.
const FEWEST: usize = 1 << 12;
const MOST: usize = 1 << 21;
/// Successors of a block for each state in the store, as a fraction: the memory of a block stays small beside it.
const STATES_A_SUCCESSOR: usize = 4;
/// A block with fewer successors is not worth another thread.
const WORTH_THREADS: usize = if cfg!(test) { 8 } else { 1 << 14 };
/// How many successors a thread finds between two looks at the budget.
const CHECK_AFTER: u64 = 1 << 12;

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

/// A thread's tools.
struct Worker<S> {
    space: S,
    batch: Batch,
    near: Folded,
}

/// What came of a part of a block.
struct Part<N> {
    /// How many of its states were expanded.
    done: usize,
    firings: u64,
    stop: Option<Stop<N>>,
}

impl<N: Number> Search<N> {
    /// Visits all states, level by level.
    pub(super) fn sweep<S: Space<Number = N>, V: Visitor<S>>(
        &mut self,
        space: &mut S,
        budget: &Budget,
        visitor: &mut V,
    ) -> Result<(), Stop<N>> {
        let mut workers: Vec<Worker<S>> = (0..self.way.threads.max(1))
            .map(|_| Worker {
                space: space.clone(),
                batch: Batch::new(&self.states.store),
                near: Folded::default(),
            })
            .collect();
        let mut expanded = 0usize;
        loop {
            let batches = workers.iter().map(|worker| worker.batch.bytes() + worker.space.bytes()).sum();
            self.check(budget, batches)?;
            let each = (self.states.firings as usize / expanded.max(1)).max(1);
            let size = self.block_size(each);
            let Waiting::Breadth(frontier) = &mut self.waiting else { unreachable!("it sweeps") };
            let block = frontier.take(&self.states.store, size);
            if block.is_empty() {
                return Ok(());
            }
            let used = if block.len() * each < WORTH_THREADS { 1 } else { workers.len().min(block.len()) };
            let parts = expand(&self.states.store, &block, &mut workers[..used], visitor.look(), budget);
            let batches = workers.iter_mut().map(|worker| &mut worker.batch);
            self.states.store.insert_all(&mut batches.take(used).collect::<Vec<_>>())?;
            let share = block.len().div_ceil(used);
            let mut stop = None;
            for (part, states) in parts.into_iter().zip(block.chunks(share)) {
                frontier.left.extend_from_slice(&states[part.done..]);
                self.states.firings += part.firings;
                expanded += part.done;
                stop = stop.or(part.stop);
            }
            self.settle(true, space, visitor)?;
            if let Some(stop) = stop {
                return Err(stop);
            }
        }
    }

    /// How many states with `each` successors are expanded together.
    fn block_size(&self, each: usize) -> usize {
        let successors = (self.states.store.len() / STATES_A_SUCCESSOR).clamp(FEWEST, MOST);
        (successors / each).max(1)
    }
}

/// Expands a block, each worker a part of it.
fn expand<S: Space, L: Look<S>>(
    store: &Store,
    block: &[RowId],
    workers: &mut [Worker<S>],
    look: &mut L,
    budget: &Budget,
) -> Vec<Part<S::Number>> {
    let share = block.len().div_ceil(workers.len());
    let others = workers.len() - 1;
    let mut looks = vec![look.clone(); others];
    let budgets = (budget, store.bytes());
    let mut jobs = workers.iter_mut().zip(block.chunks(share));
    let own = jobs.next();
    let parts = thread::scope(|scope| {
        let others: Vec<_> = jobs
            .zip(&mut looks)
            .map(|((worker, part), look)| scope.spawn(move || worker.expand(store, part, look, budgets)))
            .collect();
        let own = own.map(|(worker, part)| worker.expand(store, part, look, budgets));
        let others = others.into_iter().map(|other| match other.join() {
            Ok(part) => part,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        own.into_iter().chain(others).collect()
    });
    looks.into_iter().for_each(|other| look.join(other));
    parts
}

impl<S: Space> Worker<S> {
    /// Expands states one after another until something stops it.
    fn expand<L: Look<S>>(
        &mut self,
        store: &Store,
        states: &[RowId],
        look: &mut L,
        (budget, bytes): (&Budget, usize),
    ) -> Part<S::Number> {
        let Self { space, batch, near } = self;
        let (mut firings, mut unchecked) = (0, 0);
        for (done, &id) in states.iter().enumerate() {
            let stop = |stop: Option<Stop<_>>, firings| Part { done, firings, stop };
            if look.is_done() {
                return stop(None, firings);
            }
            if unchecked >= CHECK_AFTER {
                unchecked = 0;
                let used = (bytes + batch.bytes()) as u64;
                if let Err(reason) = budget.check(used, store.len() as u64) {
                    return stop(Some(Stop::Reason(reason)), firings);
                }
            }
            store.get(id, near);
            let mut fired = 0;
            let flow = space.successors(near.row(), Cursor::default(), |successor| {
                let Some(row) = successor.row else {
                    return ControlFlow::Break(Stop::Misfit(id, successor.action));
                };
                batch.push(store, row, near, id);
                look.firing(successor.kind);
                fired += 1;
                // One state of a coloured net may have more successors than there is time for.
                if fired % CHECK_AFTER != 0 {
                    return ControlFlow::Continue(());
                }
                match budget.check((bytes + batch.bytes()) as u64, store.len() as u64) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(reason) => ControlFlow::Break(Stop::Reason(reason)),
                }
            });
            if let ControlFlow::Break(stopped) = flow {
                return stop(Some(stopped), firings);
            }
            firings += fired;
            unchecked += 1 + fired;
            look.visit(space, &View { row: near.row(), deadlock: fired == 0, at: At::Stored(id) });
        }
        Part { done: states.len(), firings, stop: None }
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{
        Evidence, Formula, Global, Model, PlaceId, Problem, Query, Verdict,
        families::{self, Kind},
        replay, tiny,
    };

    use super::*;
    use crate::{Choice, Encoding, Engine, Explicit};

    /// All answers, with evidence that replays.
    fn answers(model: &Model, engine: Explicit) -> Vec<(Verdict, Option<Evidence>)> {
        let globals = [
            Global::StateSpace,
            Global::OneSafe,
            Global::StableMarking,
            Global::QuasiLiveness,
            Global::Liveness,
        ];
        let mut queries: Vec<Query> = globals.map(Query::Global).into();
        queries.push(Query::Reachable(Formula::Deadlock));
        queries.extend(model.nodes().place_ids().map(|p: PlaceId| Query::Bound(vec![p])));
        let problem = Problem { model: model.clone().into(), queries };
        let mut all = vec![None; problem.queries.len()];
        engine.decide(&problem, &Budget::unlimited(), &mut |at, outcome| {
            if let Some(evidence) = &outcome.evidence {
                replay::confirm(model, &problem.queries[at], &outcome.verdict, evidence).unwrap();
            }
            assert!(all[at].replace((outcome.verdict, outcome.evidence)).is_none());
        });
        all.into_iter().map(Option::unwrap).collect()
    }

    #[test]
    fn any_number_of_threads_gives_the_same_answers() {
        let family =
            |name, parameters| families::find(name).unwrap().generate(Kind::Plain, parameters).unwrap();
        let models = [
            family("kanban", &[2][..]),
            family("philosophers", &[5]),
            family("token-ring", &[5]),
            // `q` outgrows 8 bits in the middle of wide levels.
            Model::Plain(tiny::net("p:40 q r:20 s; t: p -> 8*q; drop: q -> ; u: r -> s")),
        ];
        for model in &models {
            for encoding in [Choice::Auto, Choice::Only(Encoding::Wide), Choice::Only(Encoding::Safe)] {
                let with = |threads| answers(model, Explicit { threads, encoding, ..Explicit::default() });
                let one = with(1);
                assert!(one.iter().all(|(verdict, _)| !matches!(verdict, Verdict::Unknown(_))));
                for threads in [2, 3, 7] {
                    assert_eq!(with(threads), one, "{} with {threads} threads", model.name());
                }
            }
        }
    }
}
