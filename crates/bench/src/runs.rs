//! Contest formulas that are checked, and what that costs. This is the only place that asks for verdicts.

use std::{
    error::Error,
    path::{Path, PathBuf},
    time::Instant,
};

use fireset::{
    Budget, Model, Options, Outcome, Problem, Query, Switch, Verdict, check, io::properties, net::Statistics,
};

use crate::nets::{self, Plan, megabytes, processor_seconds};

/// One formula: what it cost, and its verdict.
pub struct Answer {
    pub verdict: Verdict,
    pub cost: Statistics,
}

impl Answer {
    pub fn is_open(&self) -> bool {
        matches!(self.verdict, Verdict::Unknown(_))
    }
}

/// All formulas of a net in one way.
pub struct Run {
    /// Processor time of all formulas and what they share, but not of reading files.
    pub seconds: f64,
    /// The same by the clock.
    pub elapsed: f64,
    pub answers: Vec<Answer>,
}

impl Run {
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

/// A net, and how it was checked in each way.
pub struct Row {
    pub net: String,
    pub runs: Vec<Run>,
}

/// The instances that are given, or else some that are at hand.
pub fn asked(plan: &Plan, names: &[&str]) -> Vec<PathBuf> {
    if plan.files.is_empty() { plan.at_hand(names) } else { plan.given().collect() }
}

/// Checks the formulas of an instance in all ways, as often as the plan says and in turns; of each way the run of
/// median time counts.
pub fn compare(
    file: &Path,
    examinations: &[&str],
    ways: &[Options],
    plan: &Plan,
) -> Result<Row, Box<dyn Error>> {
    let problem = problem(file, examinations)?;
    let mut all: Vec<Vec<Run>> = ways.iter().map(|_| Vec::new()).collect();
    for _ in 0..plan.runs {
        for (options, runs) in ways.iter().zip(&mut all) {
            runs.push(run(&problem, options, &plan.budget()));
        }
    }
    let middle = |mut runs: Vec<Run>| {
        runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        runs.swap_remove(runs.len() / 2)
    };
    Ok(Row { net: nets::name(file), runs: all.into_iter().map(middle).collect() })
}

/// An instance with the formulas of some examinations.
pub fn problem(directory: &Path, examinations: &[&str]) -> Result<Problem, Box<dyn Error>> {
    let model = nets::read(directory)?;
    let mut all = Vec::new();
    for examination in examinations {
        all.extend(queries(directory, examination, &model)?);
    }
    Ok(Problem { model: model.into(), queries: all })
}

/// The formulas of an examination.
pub fn queries(directory: &Path, examination: &str, model: &Model) -> Result<Vec<Query>, Box<dyn Error>> {
    let file = directory.join(examination).with_extension("xml");
    let properties = properties::read_file(&file, model.nodes())?;
    Ok(properties.iter().map(|property| property.query()).collect::<Result<_, _>>()?)
}

/// Checks a problem in one way.
pub fn run(problem: &Problem, options: &Options, budget: &Budget) -> Run {
    let (clock, processor) = (Instant::now(), processor_seconds());
    let outcomes = decide(problem, options, budget);
    let elapsed = clock.elapsed().as_secs_f64();
    let used = processor.zip(processor_seconds()).map(|(before, after)| after - before);
    let answers = outcomes.into_iter().map(|o| Answer { verdict: o.verdict, cost: o.statistics }).collect();
    Run { seconds: used.unwrap_or(elapsed), elapsed, answers }
}

/// Decides a problem. What is measured is the way to the answers, so no certificates are looked for.
pub fn decide(problem: &Problem, options: &Options, budget: &Budget) -> Vec<Outcome> {
    let options = options.with_portfolio(|portfolio| portfolio.certificates = Switch::Off);
    check(problem, &options, budget, &mut ()).outcomes
}
