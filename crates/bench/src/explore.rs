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

/// What is compared; the first is what the others are measured against.
fn ways() -> Vec<(&'static str, Options)> {
    let best = Options::default();
    let deep = Options { order: Order::DepthFirst, ..best };
    vec![
        ("best", best),
        ("wide", Options { encoding: Choice::Only(Encoding::Wide), ..best }),
        ("decode", Options { access: Access::Decode, ..best }),
        ("depth", deep),
        ("depth, full", Options { fireset: FiresetMode::Full, ..deep }),
    ]
}

/// Explores generated nets and those of `files`, each in all ways.
pub fn measure(files: &[PathBuf], timeout: Duration) -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:28} {:12} {:>10} {:>11} {:>9} {:>8} {:>8} {:>7}",
        "net", "way", "states", "firings", "encoding", "Mfir/s", "B/state", "x time"
    );
    for (name, parameters) in FAMILIES {
        let family = families::find(name).ok_or("a family is missing")?;
        compare(&family.generate(Kind::Plain, parameters)?, timeout);
    }
    for file in files {
        compare(&read(file)?, timeout);
    }
    Ok(())
}

/// A model file, or the `model.pnml` of a directory.
fn read(file: &Path) -> Result<Model, fireset::io::InputError> {
    if file.is_dir() { pnml::read_file(&file.join("model.pnml")) } else { pnml::read_file(file) }
}

fn compare(model: &Model, timeout: Duration) {
    let mut base = None;
    for (way, options) in ways() {
        let outcome = explore(model, &options, timeout);
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
