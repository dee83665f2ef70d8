//! The tables of three papers measured again on the available nets, as a report in Markdown with plots beside it.
//!
//! A technique is measured by doing without it. Each formula is checked alone, in each configuration; measurements are kept
//! in a journal, so that a report can be interrupted, or made in parts.

pub mod cases;
mod coloured;
mod comparison;
mod ctl;
mod enpac;
mod journal;
pub mod markdown;
mod measure;
mod plot;

use std::{error::Error, num::NonZeroUsize, path::PathBuf};

use clap::ValueEnum;

use self::{
    comparison::{TechniqueComparison, summary},
    measure::Experiment,
};

/// The nets and tables of a report, and its directory.
#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// A directory of unpacked contest instances; where none of a table is there, it is about generated nets.
    #[arg(long, value_name = "DIR")]
    instances: Option<PathBuf>,
    /// The directory of the report. What was measured for a report there is not measured again.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Seconds for one formula in one configuration.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Nets instead of those of the papers, with commas: instances, or generated ones such as philosophers-5 and
    /// token-ring-coloured-20.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    nets: Vec<String>,
    /// The tables of one paper.
    #[arg(long, value_name = "PAPER")]
    only: Option<Paper>,
    /// How many formulas are measured at the same time, where one thread is busy with each; the default is the number of
    /// processors.
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// Whose tables are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Paper {
    /// EnPAC, a checker of LTL.
    Enpac,
    /// He and Ding: coloured nets.
    Coloured,
    /// Bønneland et al.: simplification of CTL and reachability.
    Ctl,
}

impl Paper {
    const ALL: [Self; 3] = [Self::Enpac, Self::Coloured, Self::Ctl];

    fn section(self, experiment: &Experiment) -> Result<Section, Box<dyn Error>> {
        match self {
            Self::Enpac => enpac::section(experiment),
            Self::Coloured => coloured::section(experiment),
            Self::Ctl => ctl::section(experiment),
        }
    }
}

/// The part of the report that is about a paper.
struct Section {
    text: String,
    comparisons: Vec<TechniqueComparison>,
}

/// Measures, and writes the report.
pub fn measure(args: &ReportArgs) -> Result<(), Box<dyn Error>> {
    let experiment = Experiment::new(args)?;
    let (mut text, mut comparisons) = (String::new(), Vec::new());
    for paper in Paper::ALL.into_iter().filter(|paper| args.only.is_none_or(|only| only == *paper)) {
        let section = paper.section(&experiment)?;
        text += &section.text;
        comparisons.extend(section.comparisons);
    }
    let head = head(&experiment, &summary(&comparisons));
    experiment.write("report.md", &(head + &text))?;
    println!("{}", args.out.join("report.md").display());
    Ok(())
}

/// The text before the tables.
fn head(experiment: &Experiment, summary: &str) -> String {
    let mut text = format!(
        "# The papers' tables again\n\n\
         Each formula was checked alone, with {} s for each configuration. `×` says how many times as much it takes without \
         the technique: the geometric mean over the formulas that are answered in both configurations, where less than a \
         millisecond counts as a millisecond and less than 0.1 MB as 0.1 MB. Seconds are those of the clock. What \
         one thread does was measured on all processors at once; for `reachability` and `unfolding`, where several threads \
         work on a formula, one formula at a time. Megabytes are those that the search held. States of what is decided without a search are 0, and count as 1. In plots a point is a formula, \
         above the diagonal where the technique pays, and behind the line of the time limit where there is no answer.\n\n",
        experiment.timeout
    );
    text += summary;
    let notes = experiment.notes();
    if !notes.is_empty() {
        text += &format!("{}\n\n", notes.join(" "));
    }
    text
}
