//! Parallel work on a pool of threads, and work that needs a large stack.
//!
//! Why not a thread for each piece of work: starting one takes as long as thousands of insertions into a store.
//!
//! Without the feature `threads` all work runs in place, on the caller's thread and with its stack, so that the algorithms also run
//! on targets that have no threads.

#[cfg(feature = "threads")]
use rayon::{
    ThreadPool, ThreadPoolBuilder,
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator},
};

/// Whether threads can be started: the feature `threads` is on.
pub const HAS_THREADS: bool = cfg!(feature = "threads");

/// Threads that wait for work.
#[derive(Debug)]
pub struct WorkerPool {
    #[cfg(feature = "threads")]
    pool: ThreadPool,
}

impl WorkerPool {
    /// A pool of `count` threads; `None` if the system cannot start them. Without the feature `threads` the pool has none.
    #[cfg(feature = "threads")]
    pub fn new(count: usize) -> Option<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(count).build().ok()?;
        Some(Self { pool })
    }

    /// A pool of `count` threads; `None` if the system cannot start them. Without the feature `threads` the pool has none.
    #[cfg(not(feature = "threads"))]
    pub fn new(_count: usize) -> Option<Self> {
        Some(Self {})
    }

    /// Does some work on one of the threads; [`parallel_map`] inside of it uses the others.
    #[cfg(feature = "threads")]
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }

    /// Does some work on one of the threads; [`parallel_map`] inside of it uses the others.
    #[cfg(not(feature = "threads"))]
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        work()
    }
}

/// Calls a function with each item, on all threads if there are several items; the results keep the items' order.
///
/// Several items need [`WorkerPool::run`] around the call.
pub fn parallel_map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
    #[cfg(feature = "threads")]
    if items.len() > 1 {
        // One item at a time, since there are few of them and a thread that is done early can take another one.
        return items.into_par_iter().with_max_len(1).map(work).collect();
    }
    // A parallel iterator would start threads outside of a pool.
    items.into_iter().map(work).collect()
}

/// Runs `work` on a thread with a stack of `bytes`, and `meanwhile` on the caller's thread; returns when both are done.
///
/// Without the feature `threads` the work comes first, on the caller's stack, and then `meanwhile`: so `meanwhile` must not be
/// needed for the work to end.
///
/// # Panics
/// When the system cannot start a thread, or when `work` panics.
pub fn with_large_stack(bytes: usize, work: impl FnOnce() + Send, meanwhile: impl FnOnce()) {
    #[cfg(feature = "threads")]
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work);
        thread.expect("a thread can be started");
        meanwhile();
    });
    #[cfg(not(feature = "threads"))]
    {
        let _ = bytes;
        work();
        meanwhile();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let squares = |items: Vec<u64>| parallel_map(items, |n| n * n);
        assert_eq!(squares(vec![3]), [9]);
        let pool = WorkerPool::new(3).unwrap();
        let all = pool.run(|| squares((0..1_000).collect()));
        assert!(all.into_iter().eq((0..1_000).map(|n| n * n)));
    }

    #[test]
    fn results_of_work_arrive_in_the_meantime_or_afterwards() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut sum = 0;
        with_large_stack(
            1 << 20,
            move || (0..10).for_each(|n| sender.send(n).expect("the receiver is there")),
            || sum = receiver.iter().sum(),
        );
        assert_eq!(sum, 45);
    }
}
