//! SimplificationTables 5 to 7 of Bønneland, Dyhr, Jensen, Johannsen and Srba, "Simplification of CTL Formulae for Efficient Model Checking of
//! Petri Nets" (2018): what simplification decides alone, by steps, and what is decided after it. The paper compares
//! tools; here ours is compared with itself without one technique at a time.

use std::{error::Error, time::Duration};

use fireset::{CtlAlgorithm, Options, Stubborn, Switch, net::families::FamilyKind};

use super::{
    Section,
    cases::{BenchNet, FormulaCase},
    comparison::TechniqueComparison,
    markdown::{MarkdownTable, percent},
    measure::{Configuration, Experiment, FormulaCost},
};
use crate::{
    ablation::Ablation,
    simplify::{self, STEPS, SimplificationCounts, SimplificationTables},
};

/// Nets that are measured when no instances are available.
const GENERATED: [&str; 5] = ["fms-3", "kanban-3", "peterson-2", "philosophers-8", "token-ring-6"];

/// Instances of all kinds, of which each search does some and not all.
const NETS: [&str; 20] = [
    "AirplaneLD-PT-0010",
    "Anderson-PT-04",
    "AutoFlight-PT-01a",
    "BusinessProcesses-PT-01",
    "CloudDeployment-PT-2a",
    "CloudReconfiguration-PT-301",
    "DES-PT-01a",
    "Dekker-PT-020",
    "FMS-PT-00005",
    "IOTPpurchase-PT-C03M03P03D03",
    "NQueens-PT-05",
    "Peterson-PT-3",
    "Philosophers-PT-000020",
    "QuasiCertifProtocol-PT-06",
    "Raft-PT-02",
    "Railroad-PT-005",
    "SafeBus-PT-03",
    "ShieldRVs-PT-001A",
    "SwimmingPool-PT-01",
    "TokenRing-PT-005",
];

/// Instances with many states, which are not all explored.
const LARGE: [&str; 10] = [
    "Anderson-PT-06",
    "BusinessProcesses-PT-01",
    "CircularTrains-PT-048",
    "DES-PT-01a",
    "EGFr-PT-10421",
    "FMS-PT-00005",
    "Philosophers-PT-000020",
    "QuasiCertifProtocol-PT-06",
    "ShieldPPPs-PT-005B",
    "SquareGrid-PT-080408",
];

/// The formulas of each examination that are verified.
const FORMULAS: usize = 2;
/// How long the state equation may take for an examination.
const SIMPLIFYING: Duration = Duration::from_secs(1);

const CTL: [&str; 2] = ["CTLCardinality", "CTLFireability"];
const REACHABILITY: [&str; 2] = ["ReachabilityCardinality", "ReachabilityFireability"];

/// Rows of the tables about simplification alone, by their places in [`STEPS`].
const INITIAL: usize = 1;
const RULES: usize = 2;
const EQUATION: usize = 6;
const NO_EQUATION: usize = 7;
const ALL: usize = 8;

/// Measures the tables.
pub fn section(experiment: &Experiment) -> Result<Section, Box<dyn Error>> {
    let nets = experiment.nets(&NETS, &GENERATED, FamilyKind::Plain);
    let tables = simplified(&nets, experiment);
    let mut section = Section {
        text: format!(
            "## CTL and reachability: Bønneland et al., SimplificationTables 5 to 7\n\n\
             Simplification alone is measured on all formulas of {} nets, where the state equation may take {} s for the 16 of an \
             examination; verification on the first {FORMULAS} of each examination.\n\n",
            nets.len(),
            SIMPLIFYING.as_secs()
        ),
        comparisons: Vec::new(),
    };
    section.text += &by_steps(&tables);
    section.text += "### Table 6: CTL formulas that are decided\n\n";
    section.text += &alone(&tables[..2]);
    ctl(&mut section, &nets, experiment)?;
    section.text += "### Table 7: reachability formulas that are decided\n\n";
    section.text += &alone(&tables[2..]);
    reachability(&mut section, experiment)?;
    Ok(section)
}

/// Simplifies all formulas of the nets.
fn simplified(nets: &[BenchNet], experiment: &Experiment) -> SimplificationTables {
    let each = experiment.in_parallel(nets.len(), |at| {
        let net = &nets[at];
        let examinations = simplify::EXAMINATIONS.map(|name| experiment.queries(net, name));
        let tables = simplify::simplified(&net.model, &examinations, SIMPLIFYING);
        eprintln!("{} is simplified", net.name);
        tables
    });
    let mut all = simplify::empty();
    each.into_iter().for_each(|tables| simplify::add(&mut all, tables));
    all
}

fn by_steps(tables: &[Vec<SimplificationCounts>]) -> String {
    let mut text = String::from(
        "### Table 5: what each step of the simplification does to CTL formulas\n\n\
         `solved` are constants, `reachability` is one reachability query; the reduction is the mean part of the nodes of a \
         parse tree that is gone. `Ω`, `ρ` and `simplify` are the paper's steps.\n\n",
    );
    for (name, rows) in CTL.iter().zip(tables) {
        text += &format!("{name}, {} formulas:\n\n", rows[0].formulas);
        let mut table = MarkdownTable::new([
            "step",
            "solved",
            "% solved",
            "reachability",
            "% reachability",
            "% reduction",
        ]);
        let steps =
            [(INITIAL, " `Ω`"), (RULES, " `ρ`"), (EQUATION, " `simplify`"), (NO_EQUATION, ""), (ALL, "")];
        for (at, theirs) in steps {
            let row = &rows[at];
            table.row([
                format!("{}{theirs}", STEPS[at].0.split(" (").next().unwrap_or_default()),
                row.solved.to_string(),
                percent(row.solved, row.formulas),
                row.reachability.to_string(),
                percent(row.reachability, row.formulas),
                format!("{:.1}", 100.0 * row.reduction / row.formulas.max(1) as f64),
            ]);
        }
        text += &table.text();
    }
    text
}

/// The upper halves of SimplificationTables 6 and 7.
fn alone(tables: &[Vec<SimplificationCounts>]) -> String {
    let columns =
        [(ALL, "all steps"), (NO_EQUATION, "no state equation"), (EQUATION, "state equation alone")];
    let solved = |at: usize| -> Vec<usize> { tables.iter().map(|rows| rows[at].solved).collect() };
    let formulas: Vec<usize> = tables.iter().map(|rows| rows[ALL].formulas).collect();
    let columns: Vec<(&str, Vec<usize>)> = columns.iter().map(|&(at, name)| (name, solved(at))).collect();
    format!("By simplification alone:\n\n{}", decided(&formulas, &columns))
}

/// The lower halves of Tables 6 and 7: the numbers of formulas that each configuration decides.
fn verified(
    cases: &[FormulaCase<'_>],
    costs: &[Vec<FormulaCost>],
    names: &[&str],
    examinations: &[&str],
) -> String {
    let of = |examination: &str| {
        let both = cases.iter().zip(costs);
        both.filter(|(case, _)| case.examination == examination).map(|(_, costs)| costs).collect::<Vec<_>>()
    };
    let each: Vec<Vec<&Vec<FormulaCost>>> = examinations.iter().map(|examination| of(examination)).collect();
    let answered = |configuration: usize| -> Vec<usize> {
        each.iter()
            .map(|rows| rows.iter().filter(|costs| costs[configuration].is_answered()).count())
            .collect()
    };
    let formulas: Vec<usize> = each.iter().map(Vec::len).collect();
    let columns: Vec<(&str, Vec<usize>)> =
        names.iter().enumerate().map(|(configuration, name)| (*name, answered(configuration))).collect();
    format!("By simplification followed by verification:\n\n{}", decided(&formulas, &columns))
}

/// A table of how many formulas are decided: for cardinality, fireability, and both.
fn decided(formulas: &[usize], columns: &[(&str, Vec<usize>)]) -> String {
    let pairs = columns.iter().flat_map(|(name, _)| [format!("{name}: solved"), "%".to_owned()]);
    let mut table = MarkdownTable::new(["formulas".to_owned(), "number".to_owned()].into_iter().chain(pairs));
    let mut row = |name: &str, of: &dyn Fn(&[usize]) -> usize| {
        let all = of(formulas);
        let pairs = columns.iter().flat_map(|(_, solved)| {
            let solved = of(solved);
            [solved.to_string(), percent(solved, all)]
        });
        table.row([name.to_owned(), all.to_string()].into_iter().chain(pairs));
    };
    row("cardinality", &|counts| counts[0]);
    row("fireability", &|counts| counts[1]);
    row("total", &|counts| counts.iter().sum());
    table.text()
}

/// Verification of CTL.
fn ctl(section: &mut Section, nets: &[BenchNet], experiment: &Experiment) -> Result<(), Box<dyn Error>> {
    let best = Options::exploring().with_portfolio(|portfolio| portfolio.diagrams = Switch::On);
    let [simplification, reduction] = transformations(best);
    let ablations = [
        simplification,
        reduction,
        Ablation::new(
            "local algorithm",
            "--ctl graph",
            best.with_search(|search| search.ctl = CtlAlgorithm::DependencyGraph),
        ),
        Ablation::new(
            "labelling",
            "--labelling off",
            best.with_portfolio(|portfolio| portfolio.labelling = Switch::Off),
        ),
        Ablation::new(
            "decision diagrams",
            "--diagrams off",
            best.with_portfolio(|portfolio| portfolio.diagrams = Switch::Off),
        ),
    ];
    let cases = experiment.first(nets, &CTL, FORMULAS);
    let off = ablations.iter().map(|a| Configuration::single(format!("ctl {}", a.option), a.without));
    let configurations: Vec<Configuration> =
        [Configuration::single("ctl", best)].into_iter().chain(off).collect();
    let costs = experiment.measure(&cases, &configurations)?;
    let names: Vec<&str> = ["all"].into_iter().chain(ablations.iter().map(|a| a.option)).collect();
    section.text += &verified(&cases, &costs, &names, &CTL);
    compare_all(section, "CTL", &ablations, &costs, experiment)
}

/// Verification of reachability: by all methods, each of them left out once, and by exploration alone.
fn reachability(section: &mut Section, experiment: &Experiment) -> Result<(), Box<dyn Error>> {
    let nets = experiment.nets(&LARGE, &GENERATED, FamilyKind::Plain);
    let best = Options::default().with_portfolio(|portfolio| portfolio.pre_check = Switch::Off);
    let off = Switch::Off;
    let [simplification, reduction] = transformations(best);
    let ablations = [
        simplification,
        reduction,
        Ablation::new("walks", "--walks off", best.with_portfolio(|portfolio| portfolio.walks = off)),
        Ablation::new(
            "state equation",
            "--state-equation off",
            best.with_portfolio(|portfolio| portfolio.state_equation = off),
        ),
        Ablation::new("SAT", "--sat off", best.with_portfolio(|portfolio| portfolio.sat = off)),
        Ablation::new(
            "decision diagrams",
            "--diagrams off",
            best.with_portfolio(|portfolio| portfolio.diagrams = off),
        ),
    ];
    let cases = experiment.first(&nets, &REACHABILITY, FORMULAS);
    let each =
        ablations.iter().map(|a| Configuration::several(format!("reachability {}", a.option), a.without));
    let all = Configuration::several("reachability", best);
    let costs = experiment.measure(&cases, &[all].into_iter().chain(each).collect::<Vec<Configuration>>())?;
    let exploring = Options::exploring();
    let alone = [
        Configuration::single("reachability by exploration", exploring),
        Configuration::single(
            "reachability by exploration --stubborn off",
            exploring.with_search(|search| search.stubborn = Stubborn::Off),
        ),
    ];
    let explored = experiment.measure(&cases, &alone)?;
    let joined: Vec<Vec<FormulaCost>> =
        costs.iter().zip(&explored).map(|(a, b)| [&a[..], b].concat()).collect();
    let names: Vec<&str> = (["all"].into_iter())
        .chain(ablations.iter().map(|a| a.option))
        .chain(["exploration alone", "exploration alone, --stubborn off"])
        .collect();
    section.text += &format!("On {} nets. ", nets.len());
    section.text += &verified(&cases, &joined, &names, &REACHABILITY);
    compare_all(section, "reachability", &ablations, &costs, experiment)?;
    compare(
        section,
        TechniqueComparison::new("exploration", "stubborn sets", "--stubborn off", &explored, [0, 1]),
        experiment,
    )
}

/// The passes that both kinds of formulas are measured without.
fn transformations(best: Options) -> [Ablation; 2] {
    let simplification = best.with_portfolio(|portfolio| portfolio.simplification = Switch::Off);
    let reduction = best.with_portfolio(|portfolio| portfolio.reduction = Switch::Off);
    [
        Ablation::new("simplification", "--simplification off", simplification),
        Ablation::new("reduction", "--reduction off", reduction),
    ]
}

/// Adds a comparison for each ablation; the first column of the costs is that of all techniques.
fn compare_all(
    section: &mut Section,
    about: &'static str,
    ablations: &[Ablation],
    costs: &[Vec<FormulaCost>],
    experiment: &Experiment,
) -> Result<(), Box<dyn Error>> {
    for (at, Ablation { technique, option, .. }) in ablations.iter().enumerate() {
        compare(section, TechniqueComparison::new(about, technique, option, costs, [0, at + 1]), experiment)?;
    }
    Ok(())
}

/// Adds a comparison with its plot.
fn compare(
    section: &mut Section,
    comparison: TechniqueComparison,
    experiment: &Experiment,
) -> Result<(), Box<dyn Error>> {
    section.text += &comparison.sentence();
    section.text += &format!("{}\n", comparison.time_plot(experiment)?);
    section.comparisons.push(comparison);
    Ok(())
}
