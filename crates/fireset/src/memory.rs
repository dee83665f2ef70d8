//! The memory of the process and of the machine, as the operating system tells it.

use std::fs;

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
