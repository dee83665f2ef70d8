//! Work on several threads that stay while it lasts.
//!
//! Why not a thread for each piece of work: starting one takes as long as thousands of insertions into a store.

use rayon::{
    ThreadPool, ThreadPoolBuilder,
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator},
};

/// Threads that wait for work.
#[derive(Debug)]
pub struct Threads(ThreadPool);

impl Threads {
    /// So many threads, unless the system has no more of them.
    pub fn new(count: usize) -> Option<Self> {
        ThreadPoolBuilder::new().num_threads(count).build().ok().map(Self)
    }

    /// Does some work on one of the threads; [`each`] inside of it uses the others.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.0.install(work)
    }
}

/// Calls a function with each item, on all threads if there are several items; the results keep the items' order.
///
/// Several items need [`Threads::run`] around it.
pub fn each<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
    if items.len() < 2 {
        // Without a parallel iterator, which would start threads where nobody asked for any.
        return items.into_iter().map(work).collect();
    }
    // One item at a time, since there are few of them and a thread that is done early shall find another one.
    items.into_par_iter().with_max_len(1).map(work).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let squares = |items: Vec<u64>| each(items, |n| n * n);
        assert_eq!(squares(vec![3]), [9]);
        let threads = Threads::new(3).unwrap();
        let all = threads.run(|| squares((0..1_000).collect()));
        assert!(all.into_iter().eq((0..1_000).map(|n| n * n)));
    }
}
