//! What each technique of the LTL search saves, in the form of EnPAC's Tables III, IV and V: both LTL examinations of
//! contest nets, with the technique and without it.

use std::{
    error::Error,
    path::{Path, PathBuf},
    time::Instant,
};

use fireset::{
    Access, AutomatonOrder, Certificates, Choice, Deepening, Encoding, FiresetMode, Options, Problem,
    Simplification, Verdict, check, io::properties, net::Statistics,
};

use crate::nets::{self, Plan, megabytes, processor_seconds};

/// Contest instances that are checked where they are at hand.
pub const INSTANCES: [&str; 13] = [
    "AirplaneLD-PT-0010",
    "AutoFlight-PT-01a",
    "CloudDeployment-PT-2a",
    "Dekker-PT-020",
    "NQueens-PT-05",
    "Peterson-PT-3",
    "Philosophers-PT-000020",
    "Raft-PT-02",
    "Railroad-PT-005",
    "SafeBus-PT-03",
    "SmallOperatingSystem-PT-MT0016DC0008",
    "SwimmingPool-PT-01",
    "TokenRing-PT-005",
];

/// The examinations of an instance.
pub const EXAMINATIONS: [&str; 2] = ["LTLCardinality", "LTLFireability"];

/// What is compared with the best: the techniques, and the options without them.
fn techniques() -> [(&'static str, Options); 6] {
    let best = Options::exploring();
    let (full, decode) = (FiresetMode::Full, Access::Decode);
    let (wide, plain) = (Choice::Only(Encoding::Wide), AutomatonOrder::Plain);
    [
        ("dynamic fireset (`--fireset full`)", Options { fireset: full, ..best }),
        ("direct access (`--access decode`)", Options { access: decode, ..best }),
        ("packed encoding (`--encoding wide`)", Options { encoding: wide, ..best }),
        ("heuristic automaton (`--automaton-order plain`)", Options { automaton_order: plain, ..best }),
        ("deepening (`--deepening off`)", Options { deepening: Deepening::Off, ..best }),
        ("simplification (`--simplification off`)", Options { simplification: Simplification::Off, ..best }),
    ]
}

/// One formula: what it cost, and whether it was answered.
pub struct Answer {
    pub answered: bool,
    pub cost: Statistics,
}

/// All formulas of a net in one way.
pub struct Run {
    /// Processor time of all formulas and what they share, but not of reading files.
    pub seconds: f64,
    pub answers: Vec<Answer>,
}

impl Run {
    /// How many formulas were answered.
    pub fn answered(&self) -> usize {
        self.answers.iter().filter(|answer| answer.answered).count()
    }

    /// The most megabytes that a formula needed.
    fn memory(&self) -> f64 {
        megabytes(self.answers.iter().map(|answer| answer.cost.memory).max().unwrap_or(0))
    }

    /// The states of all formulas.
    fn states(&self) -> u64 {
        self.answers.iter().map(|answer| answer.cost.states).sum()
    }

    fn encoding(&self) -> &'static str {
        let named = self.answers.iter().map(|answer| answer.cost.encoding).find(|name| !name.is_empty());
        named.unwrap_or("none")
    }
}

/// A net, and how it was checked in each way.
pub struct Row {
    pub net: String,
    pub runs: Vec<Run>,
}

/// Checks all nets of a plan with each technique and without it, and prints a table a technique.
pub fn measure(plan: &Plan) -> Result<(), Box<dyn Error>> {
    let techniques = techniques();
    let ways: Vec<Options> =
        [Options::exploring()].into_iter().chain(techniques.map(|(_, options)| options)).collect();
    let mut rows = Vec::new();
    for file in asked(plan, &INSTANCES) {
        let row = compare(&file, &EXAMINATIONS, &ways, plan)?;
        println!("{} ({} encoding) is done", row.net, row.runs[0].encoding());
        rows.push(row);
    }
    let means: Vec<[f64; 3]> = (techniques.iter().enumerate())
        .map(|(at, (technique, _))| print_table(technique, &rows, at + 1))
        .collect();
    println!("\n| without | s x | MB x | states x |\n|---|---|---|---|");
    for ((technique, _), means) in techniques.iter().zip(means) {
        println!("| {technique} | {} |", means.map(|mean| format!("{mean:.2}")).join(" | "));
    }
    Ok(())
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
            runs.push(run(&problem, options, plan));
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
    let mut queries = Vec::new();
    for examination in examinations {
        let properties =
            properties::read_file(&directory.join(examination).with_extension("xml"), model.nodes())?;
        let classified = properties.iter().map(|property| property.query());
        queries.extend(classified.collect::<Result<Vec<_>, _>>()?);
    }
    Ok(Problem { model: model.into(), queries })
}

/// Checks a problem in one way.
pub fn run(problem: &Problem, options: &Options, plan: &Plan) -> Run {
    // What is measured is the way to the answers.
    let options = Options { certificates: Certificates::Off, ..*options };
    let (clock, processor) = (Instant::now(), processor_seconds());
    let report = check(problem, &options, &plan.budget(), &mut ());
    let used = processor.zip(processor_seconds()).map(|(before, after)| after - before);
    let seconds = used.unwrap_or_else(|| clock.elapsed().as_secs_f64());
    let answers = report.outcomes.into_iter().map(|outcome| Answer {
        answered: !matches!(outcome.verdict, Verdict::Unknown(_)),
        cost: outcome.statistics,
    });
    Run { seconds, answers: answers.collect() }
}

/// Prints what one technique does: the first way has it, and the one at a position does not. Gives the means of
/// how many times as much time, memory and states it takes without.
fn print_table(technique: &str, rows: &[Row], without: usize) -> [f64; 3] {
    println!("\n### {technique}\n");
    println!(
        "| net | answered without | with | s without | with | MB without | with | states without | with \
         | s x | MB x | states x |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut logarithms = [0.0; 3];
    for Row { net, runs } in rows {
        let (off, on) = (&runs[without], &runs[0]);
        // Nothing is as much as nothing.
        let ratio = |of: fn(&Run) -> f64| of(off).max(f64::MIN_POSITIVE) / of(on).max(f64::MIN_POSITIVE);
        let ratios = [ratio(|run| run.seconds), ratio(Run::memory), ratio(|run| run.states() as f64)];
        for (sum, ratio) in logarithms.iter_mut().zip(ratios) {
            *sum += ratio.ln() / rows.len() as f64;
        }
        let pair = |of: fn(&Run) -> String| format!("{} | {}", of(off), of(on));
        println!(
            "| {net} | {} | {} | {} | {} | {} |",
            pair(|run| run.answered().to_string()),
            pair(|run| format!("{:.3}", run.seconds)),
            pair(|run| format!("{:.1}", run.memory())),
            pair(|run| run.states().to_string()),
            ratios.map(|ratio| format!("{ratio:.2}")).join(" | ")
        );
    }
    logarithms.map(f64::exp)
}
