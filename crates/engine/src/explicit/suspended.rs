//! Explorations that a limit ended, kept so that a later search of the same problem goes on where they stopped.
//!
//! A portfolio searches the same states several times: in its pre-check, in its search, and in each round with more time.
//! An exploration that reached a limit of time or states leaves its states, its open list and its monitors here.
//!
//! Invariants: (1) an exploration is resumed on an equal net, with equal settings, and by queries that its monitors all
//! observed from the initial state on; (2) one that stopped anywhere else than between two steps, such as by a panic, an
//! interruption or a layout that could not be widened, is never here; (3) it leaves when it is resumed, so two searches never
//! share one.
//! Cost: the memory of the explorations, which is a [`MemoryReserve`]. Test: `suspended/tests.rs`.

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

use super::{Explicit, monitor::SuspendedMonitors};

/// The explorations that are kept, at most.
const MOST_KEPT: usize = 3;

/// A few suspended explorations of a check.
#[derive(Default)]
pub struct SuspendedExplorations {
    kept: Mutex<Vec<SuspendedExploration>>,
    resumed: AtomicUsize,
}

pub(super) struct SuspendedExploration {
    pub(super) model: Arc<Model>,
    /// The settings, without those that may differ between two runs.
    pub(super) settings: Explicit,
    pub(super) monitors: SuspendedMonitors,
    /// Given when the queries of the monitors need no answer any more; fewer if nothing tells.
    pub(super) closed: Vec<Signal>,
    pub(super) size: StoredSize,
    /// The layout and the search, of types that depend on the kind of net.
    pub(super) search: Box<dyn Any + Send>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct StoredSize {
    pub(super) states: usize,
    pub(super) bytes: u64,
}

impl SuspendedExploration {
    fn is_superfluous(&self) -> bool {
        self.closed.len() == self.monitors.queries().len() && self.closed.iter().all(|s| s.given().is_some())
    }

    fn serves(&self, settings: &Explicit, model: &Arc<Model>, queries: &[&Query]) -> bool {
        let observed = |query: &&Query| self.monitors.queries().any(|other| other == *query);
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
    pub(super) fn keep(&self, exploration: SuspendedExploration) {
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
    pub(super) fn take(
        &self,
        settings: &Explicit,
        model: &Arc<Model>,
        queries: &[&Query],
    ) -> Option<SuspendedExploration> {
        let mut kept = self.lock();
        let fitting = (0..kept.len()).filter(|&at| kept[at].serves(settings, model, queries));
        let best =
            fitting.min_by_key(|&at| (kept[at].monitors.queries().len(), Reverse(kept[at].size.states)))?;
        Some(kept.remove(best))
    }

    /// Counts an exploration that was taken and goes on.
    pub(super) fn count_resumed(&self) {
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
mod tests;
