//! The ways to bindings of coloured nets, side by side: Tables 1 and 2 of He and Ding, "More efficient on-the-fly
//! verification methods of colored Petri nets" (2021), measured again on the instances at hand.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use fireset::{
    Binding, Budget, Model, Options, Outcome, Problem, Query, Simplification, Unfolding, Verdict, Ways,
    check, io::properties,
};

use crate::nets::{Plan, megabytes, name, read};

/// The families of the tables.
const FAMILIES: [&str; 5] =
    ["AirplaneLD", "DatabaseWithMutex", "GlobalResAllocation", "DrinkVendingMachine", "FamilyReunion"];
/// Seconds for each formula when two of a file are chosen.
const TRIAL: u64 = 1;

/// A table: a property file, and the ways that decide its formulas.
struct Table {
    file: &'static str,
    ways: &'static [(&'static str, Binding)],
}

const TABLES: [Table; 2] = [
    Table {
        file: "LTLCardinality",
        ways: &[
            ("token", Binding::Token),
            ("dynexp", Binding::DynExp),
            ("minrep", Binding::MinRep),
            ("fullinfo", Binding::FullInfo),
        ],
    },
    // DynExp is for formulas that do not ask for fireability.
    Table {
        file: "LTLFireability",
        ways: &[("token", Binding::Token), ("minrep", Binding::MinRep), ("fullinfo", Binding::FullInfo)],
    },
];

/// Measures both tables.
pub fn measure(plan: &Plan) -> Result<(), Box<dyn std::error::Error>> {
    let directory = plan.instances.as_ref().ok_or("--instances says where the contest instances are")?;
    let mut instances: Vec<PathBuf> =
        std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    let families: Vec<String> = match &plan.files[..] {
        [] => FAMILIES.map(String::from).into(),
        given => given.iter().map(|family| name(family)).collect(),
    };
    instances.retain(|path| families.iter().any(|family| name(path).starts_with(&format!("{family}-COL-"))));
    instances.sort();
    for table in TABLES {
        println!("{}", table.file);
        println!(
            "{:42} {:>12} {:>3} {:9} {:>9} {:>9} {:>9} {:>9}",
            "net", "|BE|", "", "way", "states", "time s", "states/s", "MiB"
        );
        for instance in &instances {
            measure_on(instance, &table, plan)?;
        }
    }
    Ok(())
}

/// Two formulas of a table on an instance, each way.
fn measure_on(instance: &Path, table: &Table, plan: &Plan) -> Result<(), Box<dyn std::error::Error>> {
    let model = read(instance)?;
    let Model::Colored(net) = &model else { return Ok(()) };
    let elements: u64 = net.nodes().transition_ids().map(|t| net.binding_count(t)).sum();
    let file = instance.join(format!("{}.xml", table.file));
    let queries: Vec<Query> = properties::read_file(&file, model.nodes())?
        .iter()
        .map(|property| property.query())
        .collect::<Result<_, _>>()?;
    for at in chosen(&model, &queries, table.ways[0].1) {
        for &(way, binding) in table.ways {
            let outcome = run(&model, &queries[at], binding, &plan.budget());
            let statistics = &outcome.statistics;
            let open = if is_open(&outcome) { "?" } else { "" };
            let seconds = statistics.elapsed.as_secs_f64();
            println!(
                "{:42} {elements:>12} {at:>3} {way:9} {:>9} {:>9} {:>9.0} {:>9.1}",
                name(instance),
                statistics.states,
                format!("{open}{seconds:.3}"),
                statistics.states as f64 / seconds.max(1e-6),
                megabytes(statistics.memory),
            );
        }
    }
    Ok(())
}

/// Of the formulas that a way decides within [`TRIAL`] the one that shows it most states, and of the others too.
fn chosen(model: &Model, queries: &[Query], binding: Binding) -> Vec<usize> {
    let mut best: [Option<(u64, usize)>; 2] = [None; 2];
    for (at, query) in queries.iter().enumerate() {
        let outcome =
            run(model, query, binding, &Budget::unlimited().with_timeout(Duration::from_secs(TRIAL)));
        let (states, best) = (outcome.statistics.states, &mut best[usize::from(is_open(&outcome))]);
        if best.is_none_or(|(most, _)| states > most) {
            *best = Some((states, at));
        }
    }
    best.into_iter().flatten().map(|(_, at)| at).collect()
}

fn is_open(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Unknown(_))
}

fn run(model: &Model, query: &Query, bindings: Binding, budget: &Budget) -> Outcome {
    let problem = Problem { model: model.clone().into(), queries: vec![query.clone()] };
    let ways = Ways { bindings, ..Ways::default() };
    let options = Options {
        ways,
        simplification: Simplification::Off,
        unfolding: Unfolding::Off,
        ..Options::default()
    };
    let budget = budget.clone().with_memory(4 << 30);
    check(&problem, &options, &budget, &mut |_, _| {}).outcomes.remove(0)
}
