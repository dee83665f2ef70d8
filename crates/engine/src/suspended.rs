//! Explorations that a limit ended, kept so that a later search of the same problem goes on where they stopped.
//!
//! A portfolio searches the same states several times: in its pre-check, in its search, and in each round with more time.
//! An exploration that reached a limit of time or states leaves here what it has: an explicit search its states, its open list and
//! its monitors, an LTL search the product and its path.
//!
//! Invariants: (1) an exploration is resumed on an equal net, with equal settings, and by queries that it all
//! observed from the initial state on; (2) one that stopped anywhere else than between two steps, such as by a panic, an
//! interruption or a layout that could not be widened, is never here; (3) it leaves when it is resumed, so two searches never
//! share one.
//! Cost: the memory of the explorations, which is a [`MemoryReserve`]. Test: `suspended/tests.rs`,
//! `suspended/ltl_tests.rs`.

use std::{
    any::Any,
    cmp::Reverse,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use fireset_net::{MemoryReserve, Model, Query, Signal};

use crate::{Explicit, LtlEngine};

/// The explorations that are kept, at most: those of all queries of an examination.
const MOST_KEPT: usize = 16;

/// A few suspended explorations of a check.
#[derive(Default)]
pub struct SuspendedExplorations {
    kept: Mutex<Vec<SuspendedExploration>>,
    resumed: AtomicUsize,
}

pub(crate) struct SuspendedExploration {
    pub(crate) model: Arc<Model>,
    pub(crate) settings: ExplorationSettings,
    /// The queries that it observed and that stayed open.
    pub(crate) queries: Vec<Query>,
    /// Given when these queries need no answer any more; fewer if nothing tells.
    pub(crate) closed: Vec<Signal>,
    pub(crate) size: StoredSize,
    /// What the engine needs to go on, of a type that depends on the engine and on the kind of net.
    pub(crate) search: Box<dyn Any + Send>,
}

/// The engine, with its settings but for those that may differ between two runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ExplorationSettings {
    Explicit(Explicit),
    Ltl(LtlEngine),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredSize {
    pub(crate) states: usize,
    pub(crate) bytes: u64,
}

impl SuspendedExploration {
    fn is_superfluous(&self) -> bool {
        self.closed.len() == self.queries.len() && self.closed.iter().all(|s| s.given().is_some())
    }

    fn serves(&self, settings: &ExplorationSettings, model: &Arc<Model>, queries: &[&Query]) -> bool {
        let observed = |query: &&Query| self.queries.contains(query);
        self.settings == *settings
            && queries.iter().all(observed)
            && (Arc::ptr_eq(&self.model, model) || self.model == *model)
    }
}

impl SuspendedExplorations {
    /// How many explorations were resumed so far.
    pub fn resumed(&self) -> usize {
        self.resumed.load(Ordering::Relaxed)
    }

    /// Keeps an exploration. When there are too many, the one that is done again fastest goes.
    pub(crate) fn keep(&self, exploration: SuspendedExploration) {
        let superfluous = {
            let mut kept = self.lock();
            kept.push(exploration);
            let smallest = (0..kept.len()).min_by_key(|&at| kept[at].size.states);
            smallest.filter(|_| kept.len() > MOST_KEPT).map(|at| kept.remove(at))
        };
        // Freed without the lock, because a large one takes a while.
        drop(superfluous);
    }

    /// An exploration that these queries can resume: of several the one with the fewest others.
    pub(crate) fn take(
        &self,
        settings: &ExplorationSettings,
        model: &Arc<Model>,
        queries: &[&Query],
    ) -> Option<SuspendedExploration> {
        let mut kept = self.lock();
        let fitting = (0..kept.len()).filter(|&at| kept[at].serves(settings, model, queries));
        let best = fitting.min_by_key(|&at| (kept[at].queries.len(), Reverse(kept[at].size.states)))?;
        Some(kept.remove(best))
    }

    /// Counts an exploration that was taken and goes on.
    pub(crate) fn count_resumed(&self) {
        self.resumed.fetch_add(1, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<SuspendedExploration>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryReserve for SuspendedExplorations {
    /// Also frees explorations whose queries are all closed.
    fn bytes(&self) -> u64 {
        let mut kept = self.lock();
        let superfluous: Vec<_> = kept.extract_if(.., |exploration| exploration.is_superfluous()).collect();
        let bytes = kept.iter().map(|exploration| exploration.size.bytes).sum();
        drop(kept);
        drop(superfluous);
        bytes
    }

    fn release(&self) {
        let all = std::mem::take(&mut *self.lock());
        drop(all);
    }
}

impl fmt::Debug for SuspendedExplorations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.lock().iter().map(|exploration| exploration.size)).finish()
    }
}

#[cfg(test)]
mod ltl_tests;
#[cfg(test)]
mod tests;
