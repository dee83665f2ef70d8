//! The nets that measurements are about, and how often and how long each is measured.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use fireset::Budget;

/// The nets of a measurement, and how long and how often each is measured.
#[derive(Debug, Args)]
pub struct BenchPlan {
    /// Nets, or directories of contest instances, or names in the directory of instances.
    pub files: Vec<PathBuf>,
    /// A directory of unpacked contest instances; some small ones are measured if they are there.
    #[arg(long, value_name = "DIR")]
    pub instances: Option<PathBuf>,
    /// Seconds for one net in one configuration.
    #[arg(long, default_value_t = 60)]
    pub timeout: u64,
    /// How often each net is measured in each configuration.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub runs: u16,
}

impl BenchPlan {
    /// Directories of the named contest instances that exist; prints the names of the others.
    pub fn at_hand(&self, names: &[&str]) -> Vec<PathBuf> {
        let Some(directory) = &self.instances else { return Vec::new() };
        let (found, missing): (Vec<&&str>, _) = names.iter().partition(|name| directory.join(name).exists());
        for name in missing {
            println!("{name} is not in {}", directory.display());
        }
        found.into_iter().map(|name| directory.join(name)).collect()
    }

    /// The files of the command line, each looked up in the directory of instances first.
    pub fn given(&self) -> impl Iterator<Item = PathBuf> {
        self.files.iter().map(|file| {
            let instance = self.instances.as_ref().map(|directory| directory.join(file));
            instance.filter(|instance| instance.exists()).unwrap_or_else(|| file.clone())
        })
    }

    /// The budget of one measurement that starts now.
    pub fn budget(&self) -> Budget {
        Budget::unlimited().with_timeout(Duration::from_secs(self.timeout))
    }
}

/// The last component of a path.
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

pub fn median<T: PartialOrd + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_by(|a, b| a.partial_cmp(b).expect("values are comparable"));
    values.get(values.len() / 2).copied()
}

/// The most memory that this process has held, in bytes.
pub fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// Seconds that all threads of this process have had a processor, where the system tells; on a shared machine they vary
/// less than those of the clock.
#[cfg(unix)]
pub fn processor_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
}

#[cfg(not(unix))]
pub fn processor_seconds() -> Option<f64> {
    None
}

pub fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
