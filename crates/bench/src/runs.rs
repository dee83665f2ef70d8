//! Runs of the checker on contest formulas, and their costs. No other module but `tuning` calls `check`.

use std::{
    error::Error,
    path::{Path, PathBuf},
    time::Instant,
};

use fireset::{
    Budget, Model, Options, Outcome, Problem, Query, Switch, Verdict, check, io::properties, net::Statistics,
};

use crate::nets::{self, BenchPlan, megabytes, processor_seconds};

/// The verdict on one formula, and the cost of the search for it.
pub struct MeasuredAnswer {
    pub verdict: Verdict,
    pub cost: Statistics,
}

impl MeasuredAnswer {
    pub fn is_open(&self) -> bool {
        matches!(self.verdict, Verdict::Unknown(_))
    }
}

/// A run of the checker on all formulas of a net with one set of options.
pub struct MeasuredRun {
    /// Processor time of all formulas with their common work, without reading files.
    pub seconds: f64,
    /// Wall-clock time of the same.
    pub elapsed: f64,
    pub answers: Vec<MeasuredAnswer>,
}

impl MeasuredRun {
    /// How many formulas were answered.
    pub fn answered(&self) -> usize {
        self.answers.iter().filter(|answer| !answer.is_open()).count()
    }

    /// The most megabytes that a formula needed.
    pub fn memory(&self) -> f64 {
        megabytes(self.answers.iter().map(|answer| answer.cost.memory).max().unwrap_or(0))
    }

    /// The states of all formulas.
    pub fn states(&self) -> u64 {
        self.answers.iter().map(|answer| answer.cost.states).sum()
    }

    /// How markings were laid out.
    pub fn encoding(&self) -> &'static str {
        let named = self.answers.iter().map(|answer| answer.cost.encoding).find(|name| !name.is_empty());
        named.unwrap_or("none")
    }
}

/// The runs on one net, one for each configuration.
pub struct NetMeasurement {
    pub net: String,
    pub runs: Vec<MeasuredRun>,
}

/// The instances named on the command line, or else those of a list that are in the directory of instances.
pub fn asked(plan: &BenchPlan, names: &[&str]) -> Vec<PathBuf> {
    if plan.files.is_empty() { plan.at_hand(names) } else { plan.given().collect() }
}

/// Checks the formulas of an instance in all configurations, which take turns as often as the plan says; the run of median time
/// counts.
pub fn compare(
    file: &Path,
    examinations: &[&str],
    configurations: &[Options],
    plan: &BenchPlan,
) -> Result<NetMeasurement, Box<dyn Error>> {
    let problem = problem(file, examinations)?;
    let mut all: Vec<Vec<MeasuredRun>> = configurations.iter().map(|_| Vec::new()).collect();
    for _ in 0..plan.runs {
        for (options, runs) in configurations.iter().zip(&mut all) {
            runs.push(run(&problem, options, &plan.budget()));
        }
    }
    let middle = |mut runs: Vec<MeasuredRun>| {
        runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        runs.swap_remove(runs.len() / 2)
    };
    Ok(NetMeasurement { net: nets::name(file), runs: all.into_iter().map(middle).collect() })
}

/// An instance with the formulas of some examinations.
pub fn problem(directory: &Path, examinations: &[&str]) -> Result<Problem, Box<dyn Error>> {
    let model = fireset::read(directory)?;
    let mut all = Vec::new();
    for examination in examinations {
        all.extend(queries(directory, examination, &model)?);
    }
    Ok(Problem { model: model.into(), queries: all })
}

/// The formulas of an examination.
pub fn queries(directory: &Path, examination: &str, model: &Model) -> Result<Vec<Query>, Box<dyn Error>> {
    let file = directory.join(examination).with_extension("xml");
    let properties = properties::read_file(&file, model)?;
    Ok(properties.iter().map(|property| property.query()).collect::<Result<_, _>>()?)
}

/// Checks a problem, and measures processor time and wall-clock time.
pub fn run(problem: &Problem, options: &Options, budget: &Budget) -> MeasuredRun {
    let (clock, processor) = (Instant::now(), processor_seconds());
    let outcomes = decide(problem, options, budget);
    let elapsed = clock.elapsed().as_secs_f64();
    let used = processor.zip(processor_seconds()).map(|(before, after)| after - before);
    let answers =
        outcomes.into_iter().map(|o| MeasuredAnswer { verdict: o.verdict, cost: o.statistics }).collect();
    MeasuredRun { seconds: used.unwrap_or(elapsed), elapsed, answers }
}

/// Decides a problem. Measurements are about verdicts, so the search for certificates is off.
pub fn decide(problem: &Problem, options: &Options, budget: &Budget) -> Vec<Outcome> {
    let options = options.with_portfolio(|portfolio| portfolio.certificates = Switch::Off);
    check(problem, &options, budget, &mut ()).outcomes
}
