//! What walks find: how many steps they take in a second, and how many goals they meet, blindly and steered.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use fireset::{
    Budget, Engine, Model, Outcome, Problem, Query, Steering, Walk,
    net::{
        Formula,
        families::{self, FamilyKind},
    },
};

use crate::{
    nets::{self, Plan},
    runs,
};

/// Generated nets, which are asked for a deadlock and whether each transition can fire.
const FAMILIES: [(&str, FamilyKind, &[u64]); 10] = [
    ("philosophers", FamilyKind::Plain, &[20]),
    ("kanban", FamilyKind::Plain, &[10]),
    ("token-ring", FamilyKind::Plain, &[20]),
    ("fms", FamilyKind::Plain, &[10]),
    ("slotted-ring", FamilyKind::Plain, &[10]),
    ("peterson", FamilyKind::Plain, &[5]),
    ("swimming-pool", FamilyKind::Plain, &[5]),
    ("philosophers", FamilyKind::Coloured, &[20]),
    ("token-ring", FamilyKind::Coloured, &[20]),
    ("peterson", FamilyKind::Coloured, &[5]),
];

/// Contest instances that are walked on where they are at hand.
const INSTANCES: [&str; 12] = [
    "ASLink-PT-01a",
    "Anderson-PT-06",
    "BridgeAndVehicles-PT-V20P20N50",
    "DBSingleClientW-PT-d1m05",
    "FamilyReunion-PT-L00010M0001C001P001G001",
    "PaceMaker-PT-none",
    "Philosophers-PT-000020",
    "PolyORBLF-PT-S02J04T06",
    "QuasiCertifProtocol-PT-10",
    "SieveSingleMsgMbox-PT-d2m06",
    "SquareGrid-PT-080408",
    "Szymanski-PT-b02",
];

/// The examinations of an instance; it is asked for a deadlock too.
const EXAMINATIONS: [&str; 2] = ["ReachabilityCardinality", "ReachabilityFireability"];
/// The time in which goals are to be met.
const TIME: Duration = Duration::from_secs(1);
/// Steps whose time is measured.
const STEPS: u64 = 1 << 18;

/// Walks on all nets of a plan.
pub fn measure(plan: &Plan) -> Result<(), Box<dyn Error>> {
    println!("| net | goals | met blindly | steered | steps of the runs | 1000 steps/s |");
    println!("|---|---|---|---|---|---|");
    if plan.files.is_empty() {
        for (name, kind, parameters) in FAMILIES {
            let family = families::find(name).ok_or("a family is missing")?;
            let model = family.generate(kind, parameters)?;
            let each = model.nodes().transition_ids().map(|t| Formula::Fireable(vec![t]));
            let queries = each.map(Query::Reachable).chain([Query::Reachable(Formula::Deadlock)]).collect();
            let kind = if kind == FamilyKind::Coloured { ", coloured" } else { "" };
            line(&format!("{name} {parameters:?}{kind}"), &Problem { model: model.into(), queries });
        }
    }
    for file in runs::asked(plan, &INSTANCES) {
        let mut problem = runs::problem(&file, &EXAMINATIONS)?;
        problem.queries.push(Query::Reachable(Formula::Deadlock));
        line(&nets::name(&file), &problem);
    }
    Ok(())
}

/// Prints a line of the table.
fn line(net: &str, problem: &Problem) {
    let (blindly, _) = met(problem, Steering::Off);
    let (steered, steps) = met(problem, Steering::On);
    let goals = problem.queries.len();
    println!("| {net} | {goals} | {blindly} | {steered} | {steps} | {:.0} |", speed(&problem.model) / 1e3);
}

/// How many goals are met in the time, and the length of the runs together.
fn met(problem: &Problem, steering: Steering) -> (usize, usize) {
    let (mut met, mut steps) = (0, 0);
    let mut hear = |_: usize, outcome: Outcome| {
        met += 1;
        if let Some(fireset::Evidence::Trace(trace)) = outcome.evidence {
            steps += trace.0.len();
        }
    };
    let walk = Walk { steering, ..Walk::default() };
    walk.decide(problem, &Budget::unlimited().with_timeout(TIME), &mut hear);
    (met, steps)
}

/// Steps in a second, where nothing is met and nothing steers.
fn speed(model: &Model) -> f64 {
    let queries = vec![Query::Reachable(Formula::Constant(false))];
    let problem = Problem { model: model.clone().into(), queries };
    let walk = Walk { steering: Steering::Off, steps: Some(STEPS), ..Walk::default() };
    let start = Instant::now();
    walk.decide(&problem, &Budget::unlimited(), &mut |_: usize, _: Outcome| {});
    STEPS as f64 / start.elapsed().as_secs_f64()
}
