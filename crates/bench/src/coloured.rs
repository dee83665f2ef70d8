//! The methods that find the enabled bindings of coloured nets, side by side: Tables 1 and 2 of He and Ding, "More efficient on-the-fly
//! verification methods of colored Petri nets" (2021), measured again on the available instances.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use fireset::{
    Binding, Budget, ColouredConfig, ColouredOptions, Model, Options, Outcome, Problem, Query, Switch,
    Verdict,
    net::{
        Quantifier, StateAtom, StatePredicate, Statistics, Temporal,
        families::{self, FamilyKind},
    },
};

use crate::{
    nets::{BenchPlan, megabytes, name},
    runs,
};

/// The families of the tables.
const FAMILIES: [&str; 5] =
    ["AirplaneLD", "DatabaseWithMutex", "GlobalResAllocation", "DrinkVendingMachine", "FamilyReunion"];
/// Sizes of a generated net that has more than a million bindings, like the largest of the paper.
const GENERATED: [u64; 2] = [100, 140];
/// Seconds for each formula when two of a file are chosen.
const TRIAL: u64 = 1;

/// A table: a property file, and the binding methods that decide its formulas.
pub struct BindingMeasurements {
    pub file: &'static str,
    pub methods: &'static [(&'static str, Binding)],
}

/// Both tables; the first method of each is ours.
pub const TABLES: [BindingMeasurements; 2] = [
    BindingMeasurements {
        file: "LTLCardinality",
        methods: &[
            ("token", Binding::Token),
            ("dynexp", Binding::DynExp),
            ("minrep", Binding::MinRep),
            ("fullinfo", Binding::FullInfo),
        ],
    },
    // DynExp is for formulas that do not ask for fireability.
    BindingMeasurements {
        file: "LTLFireability",
        methods: &[("token", Binding::Token), ("minrep", Binding::MinRep), ("fullinfo", Binding::FullInfo)],
    },
];

/// Measures both tables.
pub fn measure(plan: &BenchPlan) -> Result<(), Box<dyn std::error::Error>> {
    let instances = instances(plan)?;
    for table in TABLES {
        println!("\n{}\n", table.file);
        println!(
            "| net | bindings | formula | method | states | s | states/s | MB |\n|---|---|---|---|---|---|---|---|"
        );
        for instance in &instances {
            measure_on(instance, &table, plan)?;
        }
        if plan.files.is_empty() && table.file == "LTLCardinality" {
            for machines in GENERATED {
                let family = families::find("token-ring").ok_or("the family is gone")?;
                let model = family.generate(FamilyKind::Coloured, &[machines])?;
                let deadlock = StatePredicate::from(StateAtom::Deadlock);
                let query = Query::Ltl(Quantifier::ForAll, Temporal::Finally(deadlock.into()).into());
                let label = [&format!("token-ring {machines}"), "A F deadlock"];
                compare(label, &model, &query, &table, plan);
            }
        }
    }
    Ok(())
}

/// The contest instances of the chosen families.
fn instances(plan: &BenchPlan) -> Result<Vec<PathBuf>, Box<dyn std::error::Error>> {
    let Some(directory) = &plan.instances else { return Ok(Vec::new()) };
    let mut instances: Vec<PathBuf> =
        std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    let families: Vec<String> = match &plan.files[..] {
        [] => FAMILIES.map(String::from).into(),
        given => given.iter().map(|family| name(family)).collect(),
    };
    instances.retain(|path| families.iter().any(|family| name(path).starts_with(&format!("{family}-COL-"))));
    instances.sort();
    Ok(instances)
}

/// Two formulas of a table on an instance, by each method.
fn measure_on(
    instance: &Path,
    table: &BindingMeasurements,
    plan: &BenchPlan,
) -> Result<(), Box<dyn std::error::Error>> {
    let model = fireset::read(instance)?;
    let queries = runs::queries(instance, table.file, &model)?;
    for at in chosen(&model, &queries, table.methods[0].1) {
        compare([&name(instance), &at.to_string()], &model, &queries[at], table, plan);
    }
    Ok(())
}

/// Decides a query on a net by each method; the net and the query have names for the table.
fn compare(
    [net, formula]: [&str; 2],
    model: &Model,
    query: &Query,
    table: &BindingMeasurements,
    plan: &BenchPlan,
) {
    let bindings = bindings(model);
    for &(method, binding) in table.methods {
        let outcome = run(model, query, binding, &plan.budget());
        let Statistics { states, elapsed, memory, .. } = outcome.statistics;
        let (seconds, open) = (elapsed.as_secs_f64(), if is_open(&outcome) { "?" } else { "" });
        let speed = states as f64 / seconds.max(1e-6);
        let memory = megabytes(memory);
        println!(
            "| {net} | {bindings} | {formula} | {method} | {states} | {open}{seconds:.3} | {speed:.0} | {memory:.1} |"
        );
    }
}

/// The formula with most states among those that a method decides within [`TRIAL`], and the one among the others.
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

fn run(model: &Model, query: &Query, binding: Binding, budget: &Budget) -> Outcome {
    let problem = Problem { model: model.clone().into(), queries: vec![query.clone()] };
    runs::decide(&problem, &options(binding), &budget.clone().with_memory(4 << 30)).remove(0)
}

/// The options of an explicit search with a binding method, without simplification and unfolding.
pub fn options(bindings: Binding) -> Options {
    let config = ColouredConfig { bindings, ..ColouredConfig::default() };
    let coloured = ColouredOptions { unfolding: Switch::Off, config, ..ColouredOptions::default() };
    let options = Options { coloured, ..Options::exploring() };
    options.with_portfolio(|portfolio| portfolio.simplification = Switch::Off)
}

/// How many bindings the transitions of a coloured net have together.
pub fn bindings(model: &Model) -> u64 {
    match model {
        Model::Coloured(net) => {
            let counts = net.nodes().transition_ids().map(|t| net.binding_count(t));
            counts.fold(0, u64::saturating_add)
        }
        Model::Plain(_) => 0,
    }
}
