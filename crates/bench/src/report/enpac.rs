//! Tables III to V of the paper on EnPAC, an LTL checker: its three techniques, each on and off, with two formulas a net, and
//! its Figure 5, in which each formula is a point. Encoding, deepening and simplification are measured beside them.

use std::error::Error;

use fireset::{Options, net::families::FamilyKind};

use super::{
    Section,
    cases::FormulaCase,
    comparison::{CostPair, PlotQuantity, TechniqueComparison, plot, times},
    markdown::{MarkdownTable, count, ratio, seconds},
    measure::{Configuration, Experiment, FormulaCost, SampleSize, SearchEnd, TRIAL},
    plot::Series,
};
use crate::{
    ablation::Ablation,
    ltl::{EXAMINATIONS, ablations},
    nets::megabytes,
};

/// The formulas of a net in plots. Tables show those two of them that have most states and are answered.
const SAMPLE: SampleSize = SampleSize { answered: 4, open: 1 };
const SHOWN: usize = 2;

/// Nets that are measured when no instances are available.
const GENERATED: [&str; 5] = ["fms-3", "kanban-3", "peterson-2", "philosophers-8", "token-ring-6"];

/// One of the tables of the paper.
struct EnpacTable {
    title: &'static str,
    /// The first of the [`ablations`] that are measured on its nets, and their number. The table is about the first.
    techniques: (usize, usize),
    columns: ExtraColumns,
    nets: &'static [&'static str],
}

/// The columns of a table beside time and memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExtraColumns {
    Costs,
    Encodings,
    States,
}

/// The nets are those of the papers' tables where they are among the contest's instances of 2023, and otherwise others of their
/// families.
const TABLES: [EnpacTable; 3] = [
    EnpacTable {
        title: "Table III: enabled transitions found one by one, or all at once",
        techniques: (0, 1),
        columns: ExtraColumns::Costs,
        nets: &[
            "AutoFlight-PT-04a",
            "BART-PT-002",
            "CircadianClock-PT-000010",
            "CircadianClock-PT-000100",
            "Dekker-PT-010",
            "Dekker-PT-020",
            "RefineWMG-PT-002003",
            "RefineWMG-PT-010010",
        ],
    },
    EnpacTable {
        title: "Table IV: encoded markings read and written as they are, or decoded",
        techniques: (1, 2),
        columns: ExtraColumns::Encodings,
        nets: &[
            "AirplaneLD-PT-0010",
            "AirplaneLD-PT-0050",
            "AutoFlight-PT-01a",
            "AutoFlight-PT-04a",
            "CloudDeployment-PT-2a",
            "CloudDeployment-PT-4a",
            "CloudReconfiguration-PT-306",
            "DES-PT-01a",
            "Echo-PT-d04r03",
            "NQueens-PT-05",
            "NQueens-PT-10",
            "Peterson-PT-3",
            "Philosophers-PT-000020",
            "SafeBus-PT-03",
            "SafeBus-PT-06",
            "SmallOperatingSystem-PT-MT0016DC0008",
            "SmallOperatingSystem-PT-MT4096DC1024",
            "SquareGrid-PT-020102",
        ],
    },
    EnpacTable {
        title: "Table V: edges of the automaton tried by their distance to acceptance, or as they come",
        techniques: (3, 3),
        columns: ExtraColumns::States,
        nets: &[
            "ASLink-PT-01a",
            "Angiogenesis-PT-01",
            "Angiogenesis-PT-05",
            "AutoFlight-PT-01a",
            "AutoFlight-PT-03b",
            "CSRepetitions-PT-02",
            "CSRepetitions-PT-04",
            "CircadianClock-PT-000100",
            "CircularTrains-PT-048",
            "RefineWMG-PT-010010",
        ],
    },
];

/// Measures the tables.
pub fn section(experiment: &Experiment) -> Result<Section, Box<dyn Error>> {
    let mut section = Section {
        text: format!(
            "## LTL: EnPAC, Tables III to V and Figure 5\n\n\
             Of each net the formulas of both LTL examinations that show most states in a trial of {TRIAL} seconds, with a \
             technique or without it: {} that are answered in it, and {} that is not. The tables show the first {SHOWN} of them, plots show all. `without` and `with` \
             stand for the paper's ORI and its technique; averages are arithmetic means as in the paper, with {} s for what \
             has no answer.\n\n",
            SAMPLE.answered, SAMPLE.open, experiment.timeout
        ),
        comparisons: Vec::new(),
    };
    for table in &TABLES {
        add(&mut section, table, experiment)?;
    }
    Ok(section)
}

fn add(section: &mut Section, numbered: &EnpacTable, experiment: &Experiment) -> Result<(), Box<dyn Error>> {
    let nets = experiment.nets(numbered.nets, &GENERATED, FamilyKind::Plain);
    let (first, count) = numbered.techniques;
    let ablations = ablations().into_iter().skip(first).take(count).collect::<Vec<Ablation>>();
    let best = Configuration::single("ltl", Options::exploring());
    let without = ablations.iter().map(|a| Configuration::single(format!("ltl {}", a.option), a.without));
    let configurations: Vec<Configuration> = [best].into_iter().chain(without).collect();
    let cases = experiment.pick(&nets, &EXAMINATIONS, &configurations, SAMPLE)?;
    let costs = experiment.measure(&cases, &configurations)?;
    section.text += &format!("### {}\n\n", numbered.title);
    for (at, ablation) in ablations.iter().enumerate() {
        let comparison =
            TechniqueComparison::new("LTL", ablation.technique, ablation.option, &costs, [0, at + 1]);
        if at == 0 {
            section.text += &table(&cases, &comparison.pairs, numbered.columns, experiment.timeout);
        }
        section.text += &comparison.sentence();
        let time = match numbered.columns {
            ExtraColumns::Encodings if at == 0 => by_encoding(&comparison, experiment)?,
            _ => comparison.time_plot(experiment)?,
        };
        section.text += &format!("{time}{}\n", comparison.memory_plot(experiment)?);
        section.comparisons.push(comparison);
    }
    Ok(())
}

/// The plot of time with a series for each encoding, as in the paper.
fn by_encoding(comparison: &TechniqueComparison, experiment: &Experiment) -> Result<String, Box<dyn Error>> {
    let mut names: Vec<&str> = comparison.pairs.iter().map(|pair| encoding(&pair.with)).collect();
    names.sort_unstable();
    names.dedup();
    let series = names.into_iter().map(|name| {
        let of = comparison.pairs.iter().filter(|pair| encoding(&pair.with) == name);
        Series { name: name.to_owned(), points: times(&of.cloned().collect::<Vec<CostPair>>()) }
    });
    let title = format!("LTL, {}: time", comparison.technique);
    let labels = [&*format!("with {}", comparison.technique), &*format!("with {}", comparison.option)];
    plot(experiment, &title, &labels, PlotQuantity::Time, series.collect())
}

fn encoding(cost: &FormulaCost) -> &str {
    if cost.encoding.is_empty() { "none" } else { &cost.encoding }
}

/// Two formulas of each net, and the average.
fn table(cases: &[FormulaCase<'_>], pairs: &[CostPair], columns: ExtraColumns, timeout: u64) -> String {
    let mut header = vec!["net", "formula"];
    if columns == ExtraColumns::Encodings {
        header.insert(0, "encoding");
    }
    if columns == ExtraColumns::States {
        header.extend(["states without", "with"]);
    }
    header.extend(["s without", "with", "MB without", "with"]);
    if columns == ExtraColumns::States {
        header.push("states ×");
    }
    header.extend(["s ×", "MB ×"]);
    let mut table = MarkdownTable::new(header);
    let mut shown = shown(cases, pairs);
    if columns == ExtraColumns::Encodings {
        shown.sort_by_key(|(_, pair)| encoding(&pair.with).to_owned());
    }
    for (case, pair) in &shown {
        let mut row = vec![case.net.name.clone(), case.formula()];
        if columns == ExtraColumns::Encodings {
            row.insert(0, encoding(&pair.with).to_owned());
        }
        if columns == ExtraColumns::States {
            row.extend([&pair.without, &pair.with].map(|cost| count(cost.states)));
        }
        row.extend([&pair.without, &pair.with].map(|cost| time(cost, timeout)));
        row.extend([&pair.without, &pair.with].map(|cost| format!("{:.1}", megabytes(cost.memory))));
        if columns == ExtraColumns::States {
            row.push(ratio(pair.state_ratio()));
        }
        row.extend([pair.time_ratio().map_or("–".into(), ratio), ratio(pair.memory_ratio())]);
        table.row(row);
    }
    let pairs: Vec<&CostPair> = shown.iter().map(|(_, pair)| *pair).collect();
    if !pairs.is_empty() {
        table.row(average(&pairs, columns, timeout));
    }
    table.text()
}

/// The rows of a table: the first formulas of each net.
fn shown<'s, 'n>(
    cases: &'s [FormulaCase<'n>],
    pairs: &'s [CostPair],
) -> Vec<(&'s FormulaCase<'n>, &'s CostPair)> {
    let nth = |at: usize| {
        let net = &cases[at].net.name;
        cases[..at].iter().filter(|before| before.net.name == *net).count()
    };
    let first = (0..cases.len()).filter(|&at| nth(at) < SHOWN);
    first.map(|at| (&cases[at], &pairs[at])).collect()
}

/// The last row of a table. Ratios that are infinite do not count, as in the paper.
fn average(pairs: &[&CostPair], columns: ExtraColumns, timeout: u64) -> Vec<String> {
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let over = |of: &dyn Fn(&FormulaCost) -> f64| {
        let both: [fn(&CostPair) -> &FormulaCost; 2] = [|pair| &pair.without, |pair| &pair.with];
        both.map(|side| mean(pairs.iter().map(|pair| of(side(pair))).collect()))
    };
    let mut row = vec!["average".to_owned(), String::new()];
    if columns == ExtraColumns::Encodings {
        row.push(String::new());
    }
    if columns == ExtraColumns::States {
        row.extend(over(&|cost| cost.states as f64).map(|mean| count(mean.round() as u64)));
    }
    row.extend(over(&|cost| cost.time().unwrap_or(timeout as f64)).map(seconds));
    row.extend(over(&|cost| megabytes(cost.memory)).map(|mean| format!("{mean:.1}")));
    if columns == ExtraColumns::States {
        row.push(ratio(mean(pairs.iter().map(|pair| pair.state_ratio()).collect())));
    }
    let times = pairs.iter().filter_map(|pair| pair.time_ratio()).filter(|ratio| ratio.is_finite()).collect();
    row.push(ratio(mean(times)));
    row.push(ratio(mean(pairs.iter().map(|pair| pair.memory_ratio()).collect())));
    row
}

/// The time of a formula, or why there is none.
pub fn time(cost: &FormulaCost, timeout: u64) -> String {
    match cost.end {
        SearchEnd::Answered => seconds(cost.seconds),
        SearchEnd::Time => format!("> {timeout}"),
        SearchEnd::Refused | SearchEnd::Open => cost.end.word().to_owned(),
    }
}
