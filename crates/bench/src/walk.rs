//! The speed of random walks, and the goals that they meet: unguided, guided, and guided with acceleration.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use fireset::{
    Budget, Engine, Model, Outcome, Problem, Query, RandomWalk, WalkAcceleration, WalkGuidance,
    net::{
        StateAtom, StatePredicate,
        families::{self, FamilyKind},
    },
};

use crate::{
    nets::{self, BenchPlan},
    runs,
};

/// Generated nets that are checked for a deadlock and for the quasi-liveness of each transition.
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

/// Contest instances that are walked on if the directory of instances has them.
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

/// The examinations of an instance; it is checked for a deadlock too.
const EXAMINATIONS: [&str; 2] = ["ReachabilityCardinality", "ReachabilityFireability"];
/// The time in which goals are to be met.
const TIME: Duration = Duration::from_secs(1);
/// Steps whose time is measured.
const STEPS: u64 = 1 << 18;

/// Walks on all nets of a plan.
pub fn measure(plan: &BenchPlan) -> Result<(), Box<dyn Error>> {
    println!("| net | goals | met unguided | guided | accelerated | steps of the runs | 1000 steps/s |");
    println!("|---|---|---|---|---|---|---|");
    if plan.files.is_empty() {
        for (name, kind, parameters) in FAMILIES {
            let family = families::find(name).ok_or("a family is missing")?;
            let model = family.generate(kind, parameters)?;
            let each = model.nodes().transition_ids().map(|t| StateAtom::Fireable(vec![t]));
            let goals = each.chain([StateAtom::Deadlock]);
            let queries = goals.map(|goal| Query::Reachable(goal.into())).collect();
            let kind = if kind == FamilyKind::Coloured { ", coloured" } else { "" };
            line(&format!("{name} {parameters:?}{kind}"), &Problem { model: model.into(), queries });
        }
    }
    for file in runs::asked(plan, &INSTANCES) {
        let mut problem = runs::problem(&file, &EXAMINATIONS)?;
        problem.queries.push(Query::Reachable(StateAtom::Deadlock.into()));
        line(&nets::name(&file), &problem);
    }
    Ok(())
}

/// Prints a line of the table.
fn line(net: &str, problem: &Problem) {
    let single = RandomWalk { acceleration: WalkAcceleration::Off, ..RandomWalk::default() };
    let (unguided, _) = met(problem, RandomWalk { guidance: WalkGuidance::Unguided, ..single });
    let (guided, _) = met(problem, single);
    let (accelerated, steps) = met(problem, RandomWalk::default());
    let (goals, speed) = (problem.queries.len(), speed(&problem.model) / 1e3);
    println!("| {net} | {goals} | {unguided} | {guided} | {accelerated} | {steps} | {speed:.0} |");
}

/// The number of goals that are met in the time, and the total length of the runs.
fn met(problem: &Problem, walk: RandomWalk) -> (usize, usize) {
    let (mut met, mut steps) = (0, 0);
    let mut report = |_: usize, outcome: Outcome| {
        met += 1;
        if let Some(fireset::Evidence::Trace(trace)) = outcome.evidence {
            steps += trace.0.len();
        }
    };
    walk.decide(problem, &Budget::unlimited().with_timeout(TIME), &mut report);
    (met, steps)
}

/// Steps a second of an unguided walk whose goal is never met.
fn speed(model: &Model) -> f64 {
    let queries = vec![Query::Reachable(StatePredicate::Constant(false))];
    let problem = Problem { model: model.clone().into(), queries };
    let walk = RandomWalk { guidance: WalkGuidance::Unguided, steps: Some(STEPS), ..RandomWalk::default() };
    let start = Instant::now();
    walk.decide(&problem, &Budget::unlimited(), &mut |_: usize, _: Outcome| {});
    STEPS as f64 / start.elapsed().as_secs_f64()
}
