//! How many answers come with a run, how long the runs are, and what the search for short ones costs.

use std::{error::Error, path::Path, time::Instant};

use fireset::{
    Evidence, Options, Outcome, Query, ShownRun, Verdict, check,
    net::{BoolTree, CtlAtom, CtlFormula, Quantifier},
};

use crate::{
    nets::{BenchPlan, median, name},
    runs,
};

const EXAMINATIONS: [&str; 7] = [
    "LTLCardinality",
    "LTLFireability",
    "ReachabilityCardinality",
    "ReachabilityFireability",
    "CTLCardinality",
    "CTLFireability",
    "UpperBounds",
];

/// The answers of an examination that a run shows.
#[derive(Default)]
struct ShownAnswers {
    /// How many there are, with a run or without.
    answers: usize,
    /// For each way to choose a run, the steps of the runs that came.
    steps: [Vec<usize>; 2],
    seconds: [f64; 2],
    /// The answers that had a run of both ways, and how many of them were longer with the second.
    longer: usize,
}

pub fn measure(plan: &BenchPlan) -> Result<(), Box<dyn Error>> {
    let instances: Vec<_> = match (&plan.instances, plan.files.is_empty()) {
        (Some(directory), true) => {
            let entries = std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path()));
            let mut all = entries.collect::<Result<Vec<_>, std::io::Error>>()?;
            all.retain(|path| path.is_dir());
            all.sort();
            all
        }
        _ => plan.given().collect(),
    };
    let mut all: [ShownAnswers; EXAMINATIONS.len()] = Default::default();
    for instance in &instances {
        for (examination, shown) in EXAMINATIONS.iter().zip(&mut all) {
            if instance.join(examination).with_extension("xml").exists() {
                shown.add(instance, examination, plan)?;
            }
        }
    }
    println!(
        "answers that a run shows, with the run that came first and with a short one, of {} nets",
        instances.len()
    );
    println!(
        "{:<24} {:>8} {:>13} {:>17} {:>17} {:>7} {:>15}",
        "", "answers", "with a run", "median steps", "90 % up to", "longer", "seconds"
    );
    for (examination, shown) in EXAMINATIONS.iter().zip(&all) {
        println!("{examination:<24} {}", shown.line());
    }
    Ok(())
}

impl ShownAnswers {
    fn add(&mut self, instance: &Path, examination: &str, plan: &BenchPlan) -> Result<(), Box<dyn Error>> {
        let problem = runs::problem(instance, &[examination])?;
        let choices = [ShownRun::First, ShownRun::Short];
        let mut outcomes: Vec<Vec<Outcome>> = Vec::new();
        for (choice, seconds) in choices.into_iter().zip(&mut self.seconds) {
            let options = Options::default().with_portfolio(|portfolio| portfolio.shown_run = choice);
            let clock = Instant::now();
            outcomes.push(check(&problem, &options, &plan.budget(), &mut ()).outcomes);
            *seconds += clock.elapsed().as_secs_f64();
        }
        for (query, (first, short)) in problem.queries.iter().zip(outcomes[0].iter().zip(&outcomes[1])) {
            if !is_shown_by_run(query, &first.verdict) || short.is_open() {
                continue;
            }
            self.answers += 1;
            let steps = [first, short].map(|outcome| outcome.evidence.as_ref().and_then(steps));
            for (kept, steps) in self.steps.iter_mut().zip(steps) {
                kept.extend(steps);
            }
            if let [Some(first), Some(short)] = steps
                && short > first
            {
                self.longer += 1;
                println!("longer, {short} instead of {first}: {} {query:?}", name(instance));
            }
            if steps[1].is_none() {
                println!("without a run: {} {query:?}", name(instance));
            }
        }
        Ok(())
    }

    fn line(&self) -> String {
        let [first, short] = &self.steps;
        let pair = |of: &dyn Fn(&Vec<usize>) -> String| format!("{} / {}", of(first), of(short));
        let count = |steps: &Vec<usize>| steps.len().to_string();
        let middle = |steps: &Vec<usize>| median(steps.clone()).map_or("-".into(), |steps| steps.to_string());
        let most = |steps: &Vec<usize>| {
            let mut sorted = steps.clone();
            sorted.sort_unstable();
            sorted.get(sorted.len() * 9 / 10).map_or("-".into(), usize::to_string)
        };
        let seconds = format!("{:.1} / {:.1}", self.seconds[0], self.seconds[1]);
        format!(
            "{:>8} {:>13} {:>17} {:>17} {:>7} {seconds:>15}",
            self.answers,
            pair(&count),
            pair(&middle),
            pair(&most),
            self.longer
        )
    }
}

/// Whether a run shows an answer: violated LTL, a goal, a bound, CTL about some run that holds or about all that fails.
fn is_shown_by_run(query: &Query, verdict: &Verdict) -> bool {
    match (query, verdict) {
        (Query::Reachable(_) | Query::Ltl(Quantifier::Exists, _), Verdict::Holds) => true,
        (Query::Invariant(_) | Query::Ltl(Quantifier::ForAll, _), Verdict::Fails) => true,
        (Query::Bound(_), Verdict::Bound(_)) => true,
        (Query::Ctl(formula), Verdict::Holds) => is_existential(formula, true),
        (Query::Ctl(formula), Verdict::Fails) => is_existential(formula, false),
        _ => false,
    }
}

/// Whether a formula, or where `holds` is false its negation, asks for some runs alone.
fn is_existential(formula: &CtlFormula, holds: bool) -> bool {
    match formula {
        BoolTree::Constant(_) | BoolTree::Atom(CtlAtom::State(_)) => true,
        BoolTree::Not(f) => is_existential(f, !holds),
        BoolTree::And(fs) | BoolTree::Or(fs) => fs.iter().all(|f| is_existential(f, holds)),
        BoolTree::Iff(sides) => [&sides.0, &sides.1].iter().all(|side| side.as_state().is_some()),
        BoolTree::Atom(CtlAtom::Temporal(quantifier, operator)) => {
            (*quantifier == Quantifier::Exists) == holds
                && operator.operands().all(|f| is_existential(f, holds))
        }
    }
}

/// The steps of all runs of some evidence.
fn steps(evidence: &Evidence) -> Option<usize> {
    match evidence {
        Evidence::Trace(trace) => Some(trace.0.len()),
        Evidence::Lasso(lasso) => Some(lasso.prefix.len() + lasso.cycle.len()),
        Evidence::Branching(branching) => Some(branching.runs.iter().map(|run| run.steps.len()).sum()),
        Evidence::Certificate(_) => None,
    }
}
