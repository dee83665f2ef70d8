//! The measurements behind `fireset::Tuning`: each share at about half, as it is, and at about double, all others as they are.
//!
//! A share is measured on questions that it can matter for, and on nets where time matters. The shares as they are run twice, before
//! and after all others of the same questions: the difference between the two is noise.

mod cases;
mod settings;
mod shares;

use std::{collections::BTreeMap, error::Error, path::PathBuf, time::Duration};

use fireset::{Options, Problem, Tuning};

use self::{
    cases::{QuestionKind, SelectedProblems, TuningNets},
    settings::{RunSetting, RunTotal},
    shares::{ShareChange, TUNED_SHARES, TunedShare},
};
use crate::report::markdown::MarkdownTable;

/// The nets and shares of a measurement, and its time.
#[derive(Debug, clap::Args)]
pub struct TuningArgs {
    /// A directory of unpacked contest instances; without it, generated nets with random formulas are measured.
    #[arg(long, value_name = "DIR")]
    instances: Option<PathBuf>,
    /// Seconds for one problem.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// The most problems for one share; a problem is an examination of a net.
    #[arg(long, default_value_t = 6, value_name = "N")]
    problems: usize,
    /// One share, by the name of its field.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
}

/// Measures the shares, and prints a table.
pub fn measure(args: &TuningArgs) -> Result<(), Box<dyn Error>> {
    let is_asked = |share: &&TunedShare| args.only.as_ref().is_none_or(|only| only == share.name);
    let shares: Vec<&TunedShare> = TUNED_SHARES.iter().filter(is_asked).collect();
    if shares.is_empty() {
        return Err(format!("no measured share has the name {}", args.only.as_deref().unwrap_or("")).into());
    }
    let nets = TuningNets::read(args.instances.as_deref())?;
    let timeout = Duration::from_secs(args.timeout);
    let mut table = MarkdownTable::new([
        "share",
        "questions",
        "setting",
        "problems",
        "queries",
        "half",
        "answers",
        "s",
        "as it is",
        "answers",
        "again",
        "s",
        "again",
        "double",
        "answers",
        "s",
    ]);
    let mut problems = SelectedProblems { nets, timeout, most: args.problems, known: BTreeMap::new() };
    for group in shares.chunk_by(|one, next| (one.kind, one.setting) == (next.kind, next.setting)) {
        let (kind, setting) = (group[0].kind, group[0].setting);
        let problems = problems.of(kind, setting)?;
        let experiment = ShareExperiment { kind, setting, problems, timeout };
        experiment.rows(group).into_iter().for_each(|row| table.row(row));
    }
    print!("{}", table.text());
    Ok(())
}

/// The same problems in the same setting, for several shares.
struct ShareExperiment {
    kind: QuestionKind,
    setting: RunSetting,
    problems: Vec<Problem>,
    timeout: Duration,
}

impl ShareExperiment {
    fn rows(&self, shares: &[&TunedShare]) -> Vec<Vec<String>> {
        let before = self.total(&Tuning::default());
        let (kind, setting) = (self.kind.word(), self.setting.words(self.timeout));
        eprintln!("{kind}, {setting}: {} answers, {:.1} s", before.answers, before.seconds);
        let changed: Vec<[RunTotal; 2]> = shares.iter().map(|share| self.changed(share)).collect();
        let after = self.total(&Tuning::default());
        shares.iter().zip(changed).map(|(share, changed)| self.row(share, changed, [before, after])).collect()
    }

    fn changed(&self, share: &TunedShare) -> [RunTotal; 2] {
        [ShareChange::Halved, ShareChange::Doubled].map(|change| {
            let variant = share.variant(change);
            let total = self.total(&variant.tuning);
            eprintln!("{} {}: {} answers, {:.1} s", share.name, variant.value, total.answers, total.seconds);
            total
        })
    }

    /// The sum over all problems.
    fn total(&self, tuning: &Tuning) -> RunTotal {
        let options = Options { tuning: *tuning, ..Options::default() };
        let mut total = RunTotal::default();
        for problem in &self.problems {
            let run = self.setting.run(problem, &options, self.timeout);
            total.answers += run.answers;
            total.seconds += run.seconds;
        }
        total
    }

    fn row(&self, share: &TunedShare, changed: [RunTotal; 2], unchanged: [RunTotal; 2]) -> Vec<String> {
        let value = |change| share.variant(change).value;
        let seconds = |total: RunTotal| format!("{:.1}", total.seconds);
        let queries: usize = self.problems.iter().map(|problem| problem.queries.len()).sum();
        let ([half, double], [before, after]) = (changed, unchanged);
        vec![
            format!("`{}`", share.name),
            self.kind.word().to_owned(),
            self.setting.words(self.timeout),
            self.problems.len().to_string(),
            queries.to_string(),
            value(ShareChange::Halved),
            half.answers.to_string(),
            seconds(half),
            value(ShareChange::Unchanged),
            before.answers.to_string(),
            after.answers.to_string(),
            seconds(before),
            seconds(after),
            value(ShareChange::Doubled),
            double.answers.to_string(),
            seconds(double),
        ]
    }
}
