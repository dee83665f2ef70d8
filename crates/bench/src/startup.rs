//! How long a single LTL formula takes, and in how much memory, from the start of a process to its end: each formula
//! in a process of its own, so that nothing is shared.

use std::{
    env,
    error::Error,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use fireset::{Options, Problem};

use crate::{
    ltl,
    nets::{self, BenchPlan, median, megabytes, peak_memory},
    runs,
};

/// SingleFormula formula of an instance, to be checked in this process.
#[derive(Debug, clap::Args)]
pub struct SingleFormula {
    /// The directory of the instance.
    instance: PathBuf,
    /// The position of the formula among those of both LTL examinations.
    at: usize,
    /// Seconds that it may take.
    timeout: u64,
}

/// Checks each formula of a plan in a process of its own, and all of an instance in one.
pub fn measure(plan: &BenchPlan) -> Result<(), Box<dyn Error>> {
    let (mut seconds, mut memory) = (Vec::new(), Vec::new());
    println!("{:36} {:>8} {:>10} {:>10}", "net", "formulas", "median ms", "median MB");
    for instance in runs::asked(plan, &ltl::INSTANCES) {
        let first = seconds.len();
        for at in 0..runs::problem(&instance, &ltl::EXAMINATIONS)?.queries.len() {
            let started = Instant::now();
            memory.push(alone(&instance, at, plan.timeout)?);
            seconds.push(started.elapsed().as_secs_f64());
        }
        print_medians(&nets::name(&instance), &seconds[first..], &memory[first..]);
    }
    print_medians("all", &seconds, &memory);
    Ok(())
}

fn print_medians(name: &str, seconds: &[f64], memory: &[u64]) {
    if let (Some(time), Some(peak)) = (median(seconds.to_vec()), median(memory.to_vec())) {
        println!("{name:36} {:>8} {:>10.1} {:>10.1}", seconds.len(), time * 1e3, megabytes(peak));
    }
}

/// Checks a formula in another process; gives the most bytes that it held.
fn alone(instance: &Path, at: usize, timeout: u64) -> Result<u64, Box<dyn Error>> {
    let mut command = Command::new(env::current_exe()?);
    command.arg("one").arg(instance).args([at.to_string(), timeout.to_string()]);
    Ok(String::from_utf8(command.output()?.stdout)?.trim().parse()?)
}

/// Checks a formula and prints the most bytes that this process held.
pub fn one(one: &SingleFormula) -> Result<(), Box<dyn Error>> {
    let plan = BenchPlan { files: Vec::new(), instances: None, timeout: one.timeout, runs: 1 };
    let mut problem = runs::problem(&one.instance, &ltl::EXAMINATIONS)?;
    let query = problem.queries.swap_remove(one.at);
    problem = Problem { queries: vec![query], ..problem };
    runs::decide(&problem, &Options::default(), &plan.budget());
    println!("{}", peak_memory().unwrap_or(0));
    Ok(())
}
