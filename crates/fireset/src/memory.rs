//! The process's memory as the operating system sees it: engines count what they hold, and this catches what
//! they forget, before the system kills the process together with its answers.

use std::{
    fs,
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use fireset_net::{Budget, StopReason};

/// How often the memory is looked at.
const INTERVAL: Duration = Duration::from_millis(50);

/// Runs `work` while a second thread stops the budget when the process outgrows its memory limit.
pub(crate) fn watched<T>(budget: &Budget, work: impl FnOnce() -> T) -> T {
    let Some(limit) = budget.memory() else { return work() };
    thread::scope(|scope| {
        let (done, ended) = channel::<()>();
        scope.spawn(move || {
            while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if resident_memory().is_some_and(|bytes| bytes > limit) {
                    budget.stop(StopReason::Memory);
                }
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// The bytes that the process holds in memory, where the system tells.
pub fn resident_memory() -> Option<u64> {
    read_kib("/proc/self/status", "VmRSS:")
}

/// The bytes of memory that the machine has, where the system tells.
pub fn physical_memory() -> Option<u64> {
    read_kib("/proc/meminfo", "MemTotal:")
}

/// The figure behind `key` in a file of lines like `VmRSS:  1234 kB`, in bytes.
fn read_kib(path: &str, key: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}
