//! The savings of stubborn sets for deadlocks, reachability, bounds and LTL.

use std::error::Error;

use fireset::{
    Model, Options, Problem, Query, Stubborn, Switch,
    net::{
        StateAtom,
        families::{self, FamilyKind},
    },
};

use crate::{
    ltl,
    nets::{self, BenchPlan},
    runs::{self, MeasuredRun},
};

/// Generated nets that are checked for deadlocks.
const FAMILIES: [(&str, &[u64]); 10] = [
    ("philosophers", &[10]),
    ("kanban", &[4]),
    ("token-ring", &[8]),
    ("fms", &[4]),
    ("slotted-ring", &[5]),
    ("pipeline", &[6, 3]),
    ("peterson", &[3]),
    ("fork-join", &[6]),
    ("readers-writers", &[14]),
    ("swimming-pool", &[1]),
];

/// Contest instances that are checked if the directory of instances has them.
const INSTANCES: [&str; 12] = [
    "AutoFlight-PT-01a",
    "BusinessProcesses-PT-01",
    "CloudDeployment-PT-2a",
    "DES-PT-01a",
    "Dekker-PT-010",
    "FMS-PT-00005",
    "IOTPpurchase-PT-C03M03P03D03",
    "Philosophers-PT-000020",
    "QuasiCertifProtocol-PT-06",
    "Railroad-PT-010",
    "ShieldRVs-PT-001A",
    "TokenRing-PT-005",
];

/// The questions to an instance, and the examinations that ask them; without one it is checked for deadlocks.
const QUESTIONS: [(&str, &[&str]); 4] = [
    ("deadlock", &[]),
    ("reachability", &["ReachabilityCardinality", "ReachabilityFireability"]),
    ("bounds", &["UpperBounds"]),
    ("LTL", &ltl::EXAMINATIONS),
];

/// Checks all nets of a plan with stubborn sets and without. States are those of formulas that both runs answered.
pub fn measure(plan: &BenchPlan) -> Result<(), Box<dyn Error>> {
    println!(
        "| net | question | formulas | answered without | with | states without | with | s without | with |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    if plan.files.is_empty() {
        for (name, parameters) in FAMILIES {
            let family = families::find(name).ok_or("a family is missing")?;
            let model = family.generate(FamilyKind::Plain, parameters)?;
            compare(&format!("{name} {parameters:?}"), "deadlock", &deadlock(model), plan);
        }
    }
    for file in runs::asked(plan, &INSTANCES) {
        for (question, examinations) in QUESTIONS {
            let problem = match examinations {
                [] => deadlock(fireset::read(&file)?),
                _ => runs::problem(&file, examinations)?,
            };
            compare(&nets::name(&file), question, &problem, plan);
        }
    }
    Ok(())
}

fn deadlock(model: Model) -> Problem {
    Problem { model: model.into(), queries: vec![Query::Reachable(StateAtom::Deadlock.into())] }
}

/// Prints a line of the table.
fn compare(net: &str, question: &str, problem: &Problem, plan: &BenchPlan) {
    // Most deadlocks are decided without a search otherwise.
    let simplification = if question == "deadlock" { Switch::Off } else { Switch::On };
    let best = Options { threads: 1, ..Options::exploring() };
    let best = best.with_portfolio(|portfolio| portfolio.simplification = simplification);
    let run =
        |stubborn| runs::run(problem, &best.with_search(|search| search.stubborn = stubborn), &plan.budget());
    let (off, on) = (run(Stubborn::Off), run(Stubborn::On));
    let both = |at: &usize| !off.answers[*at].is_open() && !on.answers[*at].is_open();
    let states = |run: &MeasuredRun| {
        let answered = (0..run.answers.len()).filter(both);
        answered.map(|at| run.answers[at].cost.states).sum::<u64>()
    };
    println!(
        "| {net} | {question} | {} | {} | {} | {} | {} | {:.2} | {:.2} |",
        problem.queries.len(),
        off.answered(),
        on.answered(),
        states(&off),
        states(&on),
        off.seconds,
        on.seconds,
    );
}
