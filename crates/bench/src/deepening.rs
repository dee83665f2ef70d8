//! Which schedule of the LTL search's bound answers most and does least: the same formulas with each.

use std::error::Error;

use fireset::{Deepening, Options};

use crate::{
    ltl,
    nets::{BenchPlan, megabytes},
    runs::{self, MeasuredAnswer, MeasuredRun},
};

/// First bounds and the factors by which they grow; none for paths as long as they go.
const SCHEDULES: [Option<(usize, usize)>; 7] =
    [Some((64, 8)), Some((16, 4)), Some((64, 2)), Some((256, 8)), Some((1024, 4)), Some((8192, 32)), None];

/// Checks all nets of a plan with each schedule. Work is compared on the formulas that all schedules answered.
pub fn measure(plan: &BenchPlan) -> Result<(), Box<dyn Error>> {
    let configurations = SCHEDULES
        .map(|schedule| Options::exploring().with_search(|search| search.deepening = deepening(schedule)));
    let mut rows = Vec::new();
    println!("formulas answered, with each schedule in turn:");
    for file in runs::asked(plan, &ltl::INSTANCES) {
        let row = runs::compare(&file, &ltl::EXAMINATIONS, &configurations, plan)?;
        println!("{} {:?}", row.net, row.runs.iter().map(MeasuredRun::answered).collect::<Vec<_>>());
        rows.push(row);
    }
    println!("\n| first | factor | answered | seconds in all | states | firings | MB |");
    println!("|---|---|---|---|---|---|---|");
    for (configuration, schedule) in SCHEDULES.iter().enumerate() {
        let answered: usize = rows.iter().map(|row| row.runs[configuration].answered()).sum();
        let seconds: f64 = rows.iter().map(|row| row.runs[configuration].seconds).sum();
        let shared =
            || rows.iter().flat_map(|row| by_all(&row.runs, configuration)).map(|answer| &answer.cost);
        let (first, factor) = schedule.map_or(("none".to_owned(), "none".to_owned()), |(first, factor)| {
            (first.to_string(), factor.to_string())
        });
        println!(
            "| {first} | {factor} | {answered} | {seconds:.1} | {} | {} | {:.0} |",
            shared().map(|cost| cost.states).sum::<u64>(),
            shared().map(|cost| cost.firings).sum::<u64>(),
            megabytes(shared().map(|cost| cost.memory).sum()),
        );
    }
    Ok(())
}

fn deepening(schedule: Option<(usize, usize)>) -> Deepening {
    schedule.map_or(Deepening::Off, |(first, factor)| Deepening::From { first, factor })
}

/// The answers of one run to formulas that were answered in all of them.
fn by_all(runs: &[MeasuredRun], configuration: usize) -> impl Iterator<Item = &MeasuredAnswer> {
    let all = move |at: usize| runs.iter().all(|run| !run.answers[at].is_open());
    runs[configuration].answers.iter().enumerate().filter(move |(at, _)| all(*at)).map(|(_, answer)| answer)
}
