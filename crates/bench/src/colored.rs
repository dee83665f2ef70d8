//! The ways to bindings of coloured nets, side by side: Tables 1 and 2 of He and Ding, "More efficient on-the-fly
//! verification methods of colored Petri nets" (2021), measured again on the instances at hand.

use std::path::{Path, PathBuf};

use fireset::{
    Binding, Model, Options, Outcome, Problem, Query, Simplification, Unfolding, Verdict, Ways, check,
    io::properties,
};

use crate::nets::{Plan, megabytes, name, read};

/// The families of the tables.
const FAMILIES: [&str; 5] =
    ["AirplaneLD", "DatabaseWithMutex", "GlobalResAllocation", "DrinkVendingMachine", "FamilyReunion"];
/// Formulas that are shown of each file.
const FORMULAS: usize = 2;

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
            "{:42} {:>12} {:>3} {:9} {:>9} {:>9} {:>9}",
            "net", "|BE|", "", "way", "states", "time s", "MiB"
        );
        for instance in &instances {
            measure_on(instance, &table, plan)?;
        }
    }
    Ok(())
}

/// The formulas of a table on an instance: those for which the first way sees the most states.
fn measure_on(instance: &Path, table: &Table, plan: &Plan) -> Result<(), Box<dyn std::error::Error>> {
    let model = read(instance)?;
    let Model::Colored(net) = &model else { return Ok(()) };
    let elements: u64 = net.nodes().transition_ids().map(|t| net.binding_count(t)).sum();
    let file = instance.join(format!("{}.xml", table.file));
    let queries: Vec<Query> = properties::read_file(&file, model.nodes())?
        .iter()
        .map(|property| property.query())
        .collect::<Result<_, _>>()?;
    let states = |query: &Query| run(&model, query, table.ways[0].1, plan).statistics.states;
    let mut ranked: Vec<(u64, usize)> =
        queries.iter().enumerate().map(|(at, query)| (states(query), at)).collect();
    ranked.sort_by_key(|&(states, at)| (std::cmp::Reverse(states), at));
    for &(_, at) in ranked.iter().take(FORMULAS) {
        for &(way, binding) in table.ways {
            let outcome = run(&model, &queries[at], binding, plan);
            let statistics = &outcome.statistics;
            let open = if matches!(outcome.verdict, Verdict::Unknown(_)) { "?" } else { "" };
            println!(
                "{:42} {elements:>12} {at:>3} {way:9} {:>9} {:>9} {:>9.1}",
                name(instance),
                statistics.states,
                format!("{open}{:.3}", statistics.elapsed.as_secs_f64()),
                megabytes(statistics.memory),
            );
        }
    }
    Ok(())
}

fn run(model: &Model, query: &Query, bindings: Binding, plan: &Plan) -> Outcome {
    let problem = Problem { model: model.clone().into(), queries: vec![query.clone()] };
    let ways = Ways { bindings, ..Ways::default() };
    let options = Options {
        ways,
        simplification: Simplification::Off,
        unfolding: Unfolding::Off,
        ..Options::default()
    };
    let budget = plan.budget().with_memory(4 << 30);
    check(&problem, &options, &budget, &mut |_, _| {}).outcomes.remove(0)
}
