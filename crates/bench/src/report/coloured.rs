//! Tables 1 and 2 of He and Ding, "More efficient on-the-fly verification methods of colored Petri nets" (2021): their
//! three ways to bindings, and ours, on LTL formulas. Beside them, what unfolding does.

use std::error::Error;

use fireset::{Options, Unfolding, net::families::FamilyKind};

use super::{
    Section,
    comparison::{Comparison, Scale, plot, times},
    enpac::time,
    markdown::{Table, count},
    measure::{Cost, Lab, Pick, TRIAL, Way},
    plot::Series,
    subjects::Subject,
};
use crate::{
    coloured::{TABLES, bindings, options},
    ltl::EXAMINATIONS,
    nets::megabytes,
};

/// The formulas of a net in a table.
const PICK: Pick = Pick { answered: 2, open: 1 };

/// Nets that are measured when no instances are at hand.
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
pub fn section(lab: &Lab) -> Result<Section, Box<dyn Error>> {
    let mut section = Section {
        text: format!(
            "## Coloured nets: He and Ding, Tables 1 and 2\n\n\
             Of each net the formulas of an examination that show most states to `token` in {TRIAL} seconds: {} that are answered \
             then, and {} that is not. They are neither simplified nor unfolded. `token` is ours, the others are the paper's \
             ways to bindings; its tables have a column where these have a row. States are those that `token` sees. `refused`: \
             bindings are not tried one by one if there are too many.\n\n",
            PICK.answered, PICK.open
        ),
        comparisons: Vec::new(),
    };
    for at in 0..TABLES.len() {
        add(&mut section, at, lab)?;
    }
    unfolding(&mut section, lab)?;
    Ok(section)
}

/// Measures one of the two tables.
fn add(section: &mut Section, at: usize, lab: &Lab) -> Result<(), Box<dyn Error>> {
    let table = &TABLES[at];
    let nets = lab.nets(NETS[at], &GENERATED, FamilyKind::Coloured);
    let ways = table
        .ways
        .iter()
        .map(|(name, binding)| Way::single(format!("ltl --bindings {name}"), options(*binding)));
    let ways: Vec<Way> = ways.collect();
    let subjects = lab.pick(&nets, &[table.file], &ways[..1], PICK)?;
    let costs = lab.measure(&subjects, &ways)?;
    section.text += &format!("### Table {}: ways to bindings, {}\n\n", at + 1, table.file);
    let names: Vec<&str> = table.ways.iter().map(|(name, _)| *name).collect();
    section.text += &rows(&subjects, &costs, &names, lab.timeout);
    let mut series = Vec::new();
    for (way, name) in names.iter().enumerate().skip(1) {
        let option = format!("--bindings {name}");
        let comparison = Comparison::new(table.file, "bindings from tokens", &option, &costs, [0, way]);
        series.push(Series { name: (*name).to_owned(), points: times(&comparison.pairs) });
        section.text += &comparison.sentence();
        section.comparisons.push(comparison);
    }
    let title = format!("{}, ways to bindings: time", table.file);
    section.text += &plot(lab, &title, &["token", "the paper's ways"], Scale::Time, series)?;
    section.text += "\n";
    Ok(())
}

fn rows(subjects: &[Subject<'_>], costs: &[Vec<Cost>], names: &[&str], timeout: u64) -> String {
    let header =
        ["net", "places", "transitions", "bindings", "formula", "states"].map(String::from).into_iter();
    let times = names.iter().map(|name| format!("s {name}"));
    let memory = names.iter().map(|name| format!("MB {name}"));
    let mut table = Table::new(header.chain(times).chain(memory));
    for (subject, costs) in subjects.iter().zip(costs) {
        let (model, nodes) = (&subject.net.model, subject.net.model.nodes());
        let row = [
            subject.net.name.clone(),
            nodes.places.len().to_string(),
            nodes.transitions.len().to_string(),
            count(bindings(model)),
            format!("{:02}", subject.at),
            count(costs[0].states),
        ];
        let times = costs.iter().map(|cost| time(cost, timeout));
        let memory = costs.iter().map(|cost| format!("{:.1}", megabytes(cost.memory)));
        table.row(row.into_iter().chain(times).chain(memory));
    }
    table.text()
}

/// What comes of unfolding, which the paper does not do.
fn unfolding(section: &mut Section, lab: &Lab) -> Result<(), Box<dyn Error>> {
    let nets = lab.nets(&UNFOLDED, &GENERATED, FamilyKind::Coloured);
    let best = Options::exploring();
    let off = Options { unfolding: Unfolding::Off, ..best };
    let ways = [Way::several("coloured ltl --unfolding off", off), Way::several("coloured ltl", best)];
    let subjects = lab.pick(&nets, &EXAMINATIONS, &ways, PICK)?;
    let costs = lab.measure(&subjects, &ways)?;
    let comparison = Comparison::new("coloured LTL", "unfolding", "--unfolding off", &costs, [1, 0]);
    section.text += "### Coloured nets unfolded, or as they are\n\n\
                     Not in the paper: formulas of both LTL examinations, simplified, on unfolded and reduced nets beside \
                     the coloured ones, and on the coloured ones alone.\n\n";
    section.text += &comparison.sentence();
    section.text += &format!("{}\n", comparison.time_plot(lab)?);
    section.comparisons.push(comparison);
    Ok(())
}
