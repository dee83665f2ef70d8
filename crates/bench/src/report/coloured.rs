//! Tables 1 and 2 of He and Ding, "More efficient on-the-fly verification methods of colored Petri nets" (2021): their
//! three methods that find bindings, and ours, on LTL formulas. Unfolding is measured beside them.

use std::error::Error;

use fireset::{Options, Switch, net::families::FamilyKind};

use super::{
    Section,
    cases::FormulaCase,
    comparison::{PlotQuantity, TechniqueComparison, plot, times},
    enpac::time,
    markdown::{MarkdownTable, count},
    measure::{Configuration, Experiment, FormulaCost, SampleSize, TRIAL},
    plot::Series,
};
use crate::{
    coloured::{TABLES, bindings, options},
    ltl::EXAMINATIONS,
    nets::megabytes,
};

/// The formulas of a net in a table.
const SAMPLE: SampleSize = SampleSize { answered: 2, open: 1 };

/// Nets that are measured when no instances are available.
const GENERATED: [&str; 4] =
    ["peterson-coloured-2", "philosophers-coloured-6", "shared-memory-coloured-4", "token-ring-coloured-5"];

/// The nets of each table: those of the paper where they are among the contest's instances of 2023, and otherwise others of their
/// families. The generated net has as many bindings as the largest of the paper.
const NETS: [&[&str]; 2] = [
    &[
        "AirplaneLD-COL-0010",
        "DatabaseWithMutex-COL-10",
        "GlobalResAllocation-COL-07",
        "DrinkVendingMachine-COL-02",
        "DrinkVendingMachine-COL-76",
        "token-ring-coloured-100",
    ],
    &[
        "AirplaneLD-COL-0050",
        "DatabaseWithMutex-COL-10",
        "FamilyReunion-COL-L00020M0002C001P001G001",
        "FamilyReunion-COL-L00100M0010C005P005G002",
        "GlobalResAllocation-COL-07",
    ],
];

/// Nets that are checked as they are, and unfolded.
const UNFOLDED: [&str; 12] = [
    "AirplaneLD-COL-0010",
    "CSRepetitions-COL-02",
    "DatabaseWithMutex-COL-02",
    "DrinkVendingMachine-COL-02",
    "GlobalResAllocation-COL-03",
    "LamportFastMutEx-COL-2",
    "NeoElection-COL-2",
    "Peterson-COL-2",
    "Philosophers-COL-000010",
    "Referendum-COL-0010",
    "SafeBus-COL-03",
    "TokenRing-COL-005",
];

/// Measures the tables.
pub fn section(experiment: &Experiment) -> Result<Section, Box<dyn Error>> {
    let mut section = Section {
        text: format!(
            "## Coloured nets: He and Ding, Tables 1 and 2\n\n\
             Of each net the formulas of an examination that show most states to `token` in {TRIAL} seconds: {} that are answered \
             then, and {} that is not. They are neither simplified nor unfolded. `token` is ours, the others are the paper's \
             methods to find bindings; its tables have a column where these have a row. States are those that `token` sees. `refused`: \
             bindings are not tried one by one if there are too many.\n\n",
            SAMPLE.answered, SAMPLE.open
        ),
        comparisons: Vec::new(),
    };
    for at in 0..TABLES.len() {
        add(&mut section, at, experiment)?;
    }
    unfolding(&mut section, experiment)?;
    Ok(section)
}

/// Measures one of the two tables.
fn add(section: &mut Section, at: usize, experiment: &Experiment) -> Result<(), Box<dyn Error>> {
    let table = &TABLES[at];
    let nets = experiment.nets(NETS[at], &GENERATED, FamilyKind::Coloured);
    let configurations = table
        .methods
        .iter()
        .map(|(name, binding)| Configuration::single(format!("ltl --bindings {name}"), options(*binding)));
    let configurations: Vec<Configuration> = configurations.collect();
    let cases = experiment.pick(&nets, &[table.file], &configurations[..1], SAMPLE)?;
    let costs = experiment.measure(&cases, &configurations)?;
    section.text += &format!("### Table {}: methods to find bindings, {}\n\n", at + 1, table.file);
    let names: Vec<&str> = table.methods.iter().map(|(name, _)| *name).collect();
    section.text += &rows(&cases, &costs, &names, experiment.timeout);
    let mut series = Vec::new();
    for (configuration, name) in names.iter().enumerate().skip(1) {
        let option = format!("--bindings {name}");
        let comparison =
            TechniqueComparison::new(table.file, "bindings from tokens", &option, &costs, [0, configuration]);
        series.push(Series { name: (*name).to_owned(), points: times(&comparison.pairs) });
        section.text += &comparison.sentence();
        section.comparisons.push(comparison);
    }
    let title = format!("{}, methods to find bindings: time", table.file);
    section.text += &plot(experiment, &title, &["token", "the paper's methods"], PlotQuantity::Time, series)?;
    section.text += "\n";
    Ok(())
}

fn rows(cases: &[FormulaCase<'_>], costs: &[Vec<FormulaCost>], names: &[&str], timeout: u64) -> String {
    let header =
        ["net", "places", "transitions", "bindings", "formula", "states"].map(String::from).into_iter();
    let times = names.iter().map(|name| format!("s {name}"));
    let memory = names.iter().map(|name| format!("MB {name}"));
    let mut table = MarkdownTable::new(header.chain(times).chain(memory));
    for (case, costs) in cases.iter().zip(costs) {
        let (model, nodes) = (&case.net.model, case.net.model.nodes());
        let row = [
            case.net.name.clone(),
            nodes.places.len().to_string(),
            nodes.transitions.len().to_string(),
            count(bindings(model)),
            format!("{:02}", case.at),
            count(costs[0].states),
        ];
        let times = costs.iter().map(|cost| time(cost, timeout));
        let memory = costs.iter().map(|cost| format!("{:.1}", megabytes(cost.memory)));
        table.row(row.into_iter().chain(times).chain(memory));
    }
    table.text()
}

/// Measures unfolding, which the paper does not do.
fn unfolding(section: &mut Section, experiment: &Experiment) -> Result<(), Box<dyn Error>> {
    let nets = experiment.nets(&UNFOLDED, &GENERATED, FamilyKind::Coloured);
    let best = Options::exploring();
    let off = best.with_coloured(|coloured| coloured.unfolding = Switch::Off);
    let configurations = [
        Configuration::several("coloured ltl --unfolding off", off),
        Configuration::several("coloured ltl", best),
    ];
    let cases = experiment.pick(&nets, &EXAMINATIONS, &configurations, SAMPLE)?;
    let costs = experiment.measure(&cases, &configurations)?;
    let comparison = TechniqueComparison::new("coloured LTL", "unfolding", "--unfolding off", &costs, [1, 0]);
    section.text += "### Coloured nets unfolded, or as they are\n\n\
                     Not in the paper: formulas of both LTL examinations, simplified, on unfolded and reduced nets beside \
                     the coloured ones, and on the coloured ones alone.\n\n";
    section.text += &comparison.sentence();
    section.text += &format!("{}\n", comparison.time_plot(experiment)?);
    section.comparisons.push(comparison);
    Ok(())
}
