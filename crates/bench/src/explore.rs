//! How fast and in how much memory state spaces are explored, each technique on and off, side by side.

use fireset::{
    Access, Choice, Encoding, FiresetMode, Model, Options, Order, Outcome, Problem, Query, Verdict,
    net::{
        Global,
        families::{self, FamilyKind},
    },
};

use crate::{
    nets::{self, Plan},
    runs,
};

/// Generated nets that are explored.
const FAMILIES: [(&str, &[u64]); 10] = [
    ("kanban", &[4]),
    ("kanban", &[5]),
    ("swimming-pool", &[1]),
    ("swimming-pool", &[2]),
    ("fms", &[4]),
    ("peterson", &[3]),
    ("philosophers", &[11]),
    ("slotted-ring", &[6]),
    ("token-ring", &[9]),
    ("readers-writers", &[16]),
];

/// Contest instances that are explored where they are at hand.
const INSTANCES: [&str; 8] = [
    "Kanban-PT-00005",
    "SwimmingPool-PT-02",
    "Peterson-PT-3",
    "NeoElection-PT-3",
    "Anderson-PT-04",
    "IOTPpurchase-PT-C03M03P03D03",
    "Railroad-PT-010",
    "SimpleLoadBal-PT-05",
];

/// What is compared; the first is what the others are measured against.
fn ways() -> Vec<(&'static str, Options)> {
    let best = Options { threads: 1, ..Options::exploring() };
    let deep = Options { order: Some(Order::DepthFirst), ..best };
    vec![
        ("one thread", best),
        ("two threads", Options { threads: 2, ..best }),
        ("wide", Options { encoding: Choice::Only(Encoding::Wide), ..best }),
        ("decode", Options { access: Access::Decode, ..best }),
        ("depth", deep),
        ("depth, full", Options { fireset: FiresetMode::Full, ..deep }),
    ]
}

/// Explores all nets of a plan, each in all ways.
pub fn measure(plan: &Plan) -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:28} {:12} {:>10} {:>11} {:>9} {:>8} {:>8} {:>7}",
        "net", "way", "states", "firings", "encoding", "Mfir/s", "B/state", "x time"
    );
    for (name, parameters) in FAMILIES {
        let family = families::find(name).ok_or("a family is missing")?;
        compare(&family.generate(FamilyKind::Plain, parameters)?, plan);
    }
    for file in plan.at_hand(&INSTANCES).into_iter().chain(plan.given()) {
        compare(&nets::read(&file)?, plan);
    }
    Ok(())
}

fn compare(model: &Model, plan: &Plan) {
    let mut base = None;
    for (way, options) in ways() {
        let runs = (0..plan.runs).map(|_| explore(model, &options, plan));
        let outcome = runs.min_by_key(|outcome| outcome.statistics.elapsed).expect("there is a run");
        let s = &outcome.statistics;
        let seconds = s.elapsed.as_secs_f64();
        if !matches!(outcome.verdict, Verdict::StateSpace(_)) {
            println!("{:28} {way:12} {:?}", model.name(), outcome.verdict);
            continue;
        }
        let base = *base.get_or_insert(seconds);
        println!(
            "{:28} {way:12} {:>10} {:>11} {:>9} {:>8.2} {:>8.2} {:>7.2}",
            model.name(),
            s.states,
            s.firings,
            s.encoding,
            s.firings as f64 / seconds / 1e6,
            s.memory as f64 / s.states as f64,
            seconds / base
        );
    }
}

fn explore(model: &Model, options: &Options, plan: &Plan) -> Outcome {
    let problem = Problem { model: model.clone().into(), queries: vec![Query::Global(Global::StateSpace)] };
    runs::decide(&problem, options, &plan.budget()).remove(0)
}
