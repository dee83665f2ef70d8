//! How fast and in how much memory state spaces are explored, each technique on and off, side by side.

use fireset::{
    Access, Encoding, FiresetMode, LayoutChoice, Model, Options, Order, Outcome, Problem, Query, Verdict,
    net::{
        Global,
        families::{self, FamilyKind},
    },
};

use crate::{nets::BenchPlan, runs};

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

/// Contest instances that are explored if the directory of instances has them.
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

/// The configurations that are compared; the first one is the base of the ratios.
fn configurations() -> Vec<(&'static str, Options)> {
    let best = Options { threads: 1, ..Options::exploring() };
    let deep = best.with_search(|search| search.order = Some(Order::DepthFirst));
    vec![
        ("one thread", best),
        ("two threads", Options { threads: 2, ..best }),
        ("wide", best.with_search(|search| search.encoding = LayoutChoice::Only(Encoding::Wide))),
        ("decode", best.with_search(|search| search.access = Access::Decode)),
        ("depth", deep),
        ("depth, full", deep.with_search(|search| search.fireset = FiresetMode::Full)),
    ]
}

/// Explores all nets of a plan, each in all configurations.
pub fn measure(plan: &BenchPlan) -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:28} {:13} {:>10} {:>11} {:>9} {:>8} {:>8} {:>7}",
        "net", "configuration", "states", "firings", "encoding", "Mfir/s", "B/state", "x time"
    );
    for (name, parameters) in FAMILIES {
        let family = families::find(name).ok_or("a family is missing")?;
        compare(&family.generate(FamilyKind::Plain, parameters)?, plan);
    }
    for file in plan.at_hand(&INSTANCES).into_iter().chain(plan.given()) {
        compare(&fireset::read(&file)?, plan);
    }
    Ok(())
}

fn compare(model: &Model, plan: &BenchPlan) {
    let mut base = None;
    for (configuration, options) in configurations() {
        let runs = (0..plan.runs).map(|_| explore(model, &options, plan));
        let outcome = runs.min_by_key(|outcome| outcome.statistics.elapsed).expect("there is a run");
        let s = &outcome.statistics;
        let seconds = s.elapsed.as_secs_f64();
        if !matches!(outcome.verdict, Verdict::StateSpace(_)) {
            println!("{:28} {configuration:13} {:?}", model.name(), outcome.verdict);
            continue;
        }
        let base = *base.get_or_insert(seconds);
        println!(
            "{:28} {configuration:13} {:>10} {:>11} {:>9} {:>8.2} {:>8.2} {:>7.2}",
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

fn explore(model: &Model, options: &Options, plan: &BenchPlan) -> Outcome {
    let problem = Problem { model: model.clone().into(), queries: vec![Query::Global(Global::StateSpace)] };
    runs::decide(&problem, options, &plan.budget()).remove(0)
}
