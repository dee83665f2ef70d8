//! `fireset mcc`: one examination of the Model Checking Contest.

use std::{
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use fireset::{Budget, ShownRun, Switch, Watchdog};

use crate::{
    args::MccArgs,
    ask::{JobReport, JobSpec, ask},
    examination::Examination,
    failure::{BAD_INPUT, Failure},
    job::PropertySelection,
    load,
    print::{AnswerPrinter, ContestPrinter},
    supervisor::{Allowance, Supervisor},
};

pub fn run(args: &MccArgs) -> Result<ExitCode, Failure> {
    let Some(examination) = Examination::find(&args.examination) else {
        load::write_to(None, |out| writeln!(out, "DO_NOT_COMPETE"))?;
        return Ok(ExitCode::SUCCESS);
    };
    let allowance = allowance(args);
    // The contest's output has no evidence and names no culprits.
    let options = args.techniques.options(args.threads.threads);
    let options = options.with_portfolio(|portfolio| {
        portfolio.certificates = Switch::Off;
        portfolio.shown_run = ShownRun::First;
        portfolio.culprits = Switch::Off;
    });
    let selection = PropertySelection { examinations: vec![examination], ..PropertySelection::default() };
    let spec = JobSpec { path: args.directory.clone(), selection: Arc::new(selection), options, allowance };
    match ask(&mut Supervisor::new(), &mut ContestPrinter, spec)? {
        Ok(JobReport { fault: Some(fault), .. }) => Err(Failure::Fault(fault)),
        Ok(report) if !report.job.refused.is_empty() => Ok(ExitCode::from(BAD_INPUT)),
        Ok(_) => Ok(ExitCode::SUCCESS),
        Err(failure) => {
            ContestPrinter.failed(&args.directory.display().to_string(), &failure)?;
            Err(failure)
        }
    }
}

/// The time and memory of the run, less a reserve for ending in order.
fn allowance(args: &MccArgs) -> Allowance {
    let budget = Budget::unlimited();
    let bytes = args.memory.map(|mb| mb.saturating_mul(1 << 20) / 10 * 9);
    let budget = bytes.map_or(budget.clone(), |bytes| budget.with_memory(bytes));
    let Some(time) = args.time else { return Allowance::of(budget) };
    let (work, all) = shares(time);
    Allowance { budget: budget.with_timeout(work), last: Instant::now().checked_add(all) }
}

/// When the work of a run should end, and when the run ends even if the work does not: never later than `time`.
fn shares(time: Duration) -> (Duration, Duration) {
    let closing = (Watchdog::GRACE + Watchdog::GRACE / 2).min(time / 4).max(time / 20);
    (time - closing, time - closing / 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_in_its_time() {
        let seconds = Duration::from_secs_f64;
        assert_eq!(shares(seconds(3600.0)).0, seconds(3420.0));
        assert_eq!(shares(seconds(4.0)), (seconds(3.25), seconds(3.75)));
        for time in [0.0, 0.001, 0.1, 1.0, 5.0, 32.0, 3600.0] {
            let (work, all) = shares(seconds(time));
            assert!(work <= all && all <= seconds(time), "{time}");
        }
    }
}
