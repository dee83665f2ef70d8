//! How fast and in how much memory state spaces are explored, each technique on and off, side by side.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use fireset::{
    Access, Budget, Choice, Encoding, FiresetMode, Model, Options, Order, Outcome, Problem, Query, Verdict,
    check,
    io::pnml,
    net::{
        Global,
        families::{self, Kind},
    },
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

/// What is explored, and for how long.
pub struct Plan {
    /// Nets, or directories with a `model.pnml`, beside the generated nets.
    pub files: Vec<PathBuf>,
    /// A directory of contest instances.
    pub instances: Option<PathBuf>,
    /// For one exploration.
    pub timeout: Duration,
    /// How often each exploration runs; the fastest counts.
    pub runs: usize,
}

/// What is compared; the first is what the others are measured against.
fn ways() -> Vec<(&'static str, Options)> {
    let best = Options { threads: 1, ..Options::default() };
    let deep = Options { order: Order::DepthFirst, ..best };
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
        compare(&family.generate(Kind::Plain, parameters)?, plan);
    }
    let instances = plan.instances.iter().flat_map(|at| INSTANCES.map(|name| at.join(name)));
    for file in instances.filter(|instance| instance.exists()).chain(plan.files.iter().cloned()) {
        compare(&read(&file)?, plan);
    }
    Ok(())
}

/// A model file, or the `model.pnml` of a directory.
fn read(file: &Path) -> Result<Model, fireset::io::InputError> {
    if file.is_dir() { pnml::read_file(&file.join("model.pnml")) } else { pnml::read_file(file) }
}

fn compare(model: &Model, plan: &Plan) {
    let mut base = None;
    for (way, options) in ways() {
        let runs = (0..plan.runs.max(1)).map(|_| explore(model, &options, plan.timeout));
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

fn explore(model: &Model, options: &Options, timeout: Duration) -> Outcome {
    let problem = Problem { model: model.clone().into(), queries: vec![Query::Global(Global::StateSpace)] };
    let budget = Budget::unlimited().with_timeout(timeout);
    check(&problem, options, &budget, &mut |_, _| {}).outcomes.remove(0)
}
