//! Explorations that a limit ended, kept so that a later search of the same problem goes on where they stopped.
//!
//! A portfolio searches the same states several times: in its pre-check, in its search, and in each round with more time.
//! What an exploration has that reached a limit is left here: by an explicit search its states, its open list and its monitors, by
//! an LTL search the product and its path, by an evaluation of CTL formulas its markings and the values that it decided.
//!
//! Invariants: (1) an exploration is resumed on an equal net, with equal settings, and by queries that it all observed from the initial
//! state on, an evaluation for any of its formulas; (2) one that stopped anywhere else than between two steps, such as by a panic, an
//! interruption or a layout that could not be widened, is never here; (3) it leaves when it is resumed, so two searches never
//! share one.
//! Cost: the memory of the explorations, which is a [`MemoryReserve`]. Test: `suspended/tests.rs`,
//! `suspended/ltl_tests.rs`, `suspended/ctl_tests.rs`.

use std::{
    any::Any,
    cmp::Reverse,
    fmt,
    mem::discriminant,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use fireset_net::{MemoryReserve, Model, Query, Signal};

use crate::{CtlEngine, Explicit, LtlEngine};

/// The explorations of one engine that are kept, at most: each query may have a net of its own.
const MOST_KEPT: usize = 32;

/// A few suspended explorations of a check.
#[derive(Default)]
pub struct SuspendedExplorations {
    kept: Mutex<Vec<SuspendedExploration>>,
    resumed: AtomicUsize,
}

/// The engine of an exploration and its settings, without those that may differ between two runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SuspendedSettings {
    Explicit(Explicit),
    Ltl(LtlEngine),
    Ctl(CtlEngine),
}

pub(crate) struct SuspendedExploration {
    pub(crate) model: Arc<Model>,
    pub(crate) settings: SuspendedSettings,
    /// The queries that stayed open.
    pub(crate) queries: Vec<Query>,
    /// Given when the queries need no answer any more; fewer if nothing tells.
    pub(crate) closed: Vec<Signal>,
    pub(crate) size: StoredSize,
    /// The layout and the search, of types that depend on the engine and the kind of net.
    pub(crate) search: Box<dyn Any + Send>,
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

    fn serves(&self, settings: SuspendedSettings, model: &Arc<Model>, queries: &[&Query]) -> bool {
        let mut observed = queries.iter().map(|query| self.queries.contains(query));
        let has_queries = match settings {
            SuspendedSettings::Explicit(_) | SuspendedSettings::Ltl(_) => {
                observed.all(|is_observed| is_observed)
            }
            SuspendedSettings::Ctl(_) => observed.any(|is_observed| is_observed),
        };
        has_queries && self.settings == settings && (Arc::ptr_eq(&self.model, model) || self.model == *model)
    }
}

impl SuspendedExplorations {
    /// How many explorations were resumed so far.
    pub fn resumed(&self) -> usize {
        self.resumed.load(Ordering::Relaxed)
    }

    /// Keeps an exploration. When there are too many of its engine, the one that is done again fastest goes.
    pub(crate) fn keep(&self, exploration: SuspendedExploration) {
        let superfluous = {
            let mut kept = self.lock();
            let settings = exploration.settings;
            kept.push(exploration);
            let same =
                (0..kept.len()).filter(|&at| discriminant(&kept[at].settings) == discriminant(&settings));
            let is_full = same.clone().count() > MOST_KEPT;
            let smallest = same.min_by_key(|&at| kept[at].size.states);
            smallest.filter(|_| is_full).map(|at| kept.remove(at))
        };
        // Freed without the lock, because a large one takes a while.
        drop(superfluous);
    }

    /// An exploration that these queries can resume: of several the one with the fewest others.
    pub(crate) fn take(
        &self,
        settings: SuspendedSettings,
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
mod ctl_tests;
#[cfg(test)]
mod ltl_tests;
#[cfg(test)]
mod tests;
