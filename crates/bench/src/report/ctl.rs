//! Tables 5 to 7 of Bønneland, Dyhr, Jensen, Johannsen and Srba, "Simplification of CTL Formulae for Efficient Model Checking of
//! Petri Nets" (2018): what simplification decides alone, by steps, and what is decided after it. The paper compares
//! tools; here ours is compared with itself without one technique at a time.

use std::{error::Error, time::Duration};

use fireset::{
    CtlAlgorithm, Options, Reduction, Simplification, Stubborn, Switch, net::families::FamilyKind,
};

use super::{
    Section,
    comparison::Comparison,
    markdown::{Table, percent},
    measure::{Cost, Lab, Way},
    subjects::{Net, Subject},
};
use crate::simplify::{self, Row, STEPS, Tables};

/// Nets that are measured when no instances are at hand.
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
pub fn section(lab: &Lab) -> Result<Section, Box<dyn Error>> {
    let nets = lab.nets(&NETS, &GENERATED, FamilyKind::Plain);
    let tables = simplified(&nets, lab);
    let mut section = Section {
        text: format!(
            "## CTL and reachability: Bønneland et al., Tables 5 to 7\n\n\
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
    ctl(&mut section, &nets, lab)?;
    section.text += "### Table 7: reachability formulas that are decided\n\n";
    section.text += &alone(&tables[2..]);
    reachability(&mut section, lab)?;
    Ok(section)
}

/// What simplification makes of all formulas.
fn simplified(nets: &[Net], lab: &Lab) -> Tables {
    let each = lab.in_parallel(nets.len(), |at| {
        let net = &nets[at];
        let examinations = simplify::EXAMINATIONS.map(|name| lab.queries(net, name));
        let tables = simplify::simplified(&net.model, &examinations, SIMPLIFYING);
        eprintln!("{} is simplified", net.name);
        tables
    });
    let mut all = simplify::empty();
    each.into_iter().for_each(|tables| simplify::add(&mut all, tables));
    all
}

/// Table 5.
fn by_steps(tables: &[Vec<Row>]) -> String {
    let mut text = String::from(
        "### Table 5: what each step of the simplification does to CTL formulas\n\n\
         `solved` are constants, `reachability` is one reachability query; the reduction is the mean part of the nodes of a \
         parse tree that is gone. `Ω`, `ρ` and `simplify` are the paper's steps.\n\n",
    );
    for (name, rows) in CTL.iter().zip(tables) {
        text += &format!("{name}, {} formulas:\n\n", rows[0].formulas);
        let mut table =
            Table::new(["step", "solved", "% solved", "reachability", "% reachability", "% reduction"]);
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

/// The upper halves of Tables 6 and 7.
fn alone(tables: &[Vec<Row>]) -> String {
    let columns =
        [(ALL, "all steps"), (NO_EQUATION, "no state equation"), (EQUATION, "state equation alone")];
    let solved = |at: usize| -> Vec<usize> { tables.iter().map(|rows| rows[at].solved).collect() };
    let formulas: Vec<usize> = tables.iter().map(|rows| rows[ALL].formulas).collect();
    let columns: Vec<(&str, Vec<usize>)> = columns.iter().map(|&(at, name)| (name, solved(at))).collect();
    format!("By simplification alone:\n\n{}", decided(&formulas, &columns))
}

/// The lower halves of the same: measurements in some ways.
fn verified(subjects: &[Subject<'_>], costs: &[Vec<Cost>], names: &[&str], examinations: &[&str]) -> String {
    let of = |examination: &str| {
        let both = subjects.iter().zip(costs);
        both.filter(|(subject, _)| subject.examination == examination)
            .map(|(_, costs)| costs)
            .collect::<Vec<_>>()
    };
    let each: Vec<Vec<&Vec<Cost>>> = examinations.iter().map(|examination| of(examination)).collect();
    let answered = |way: usize| -> Vec<usize> {
        each.iter().map(|rows| rows.iter().filter(|costs| costs[way].is_answered()).count()).collect()
    };
    let formulas: Vec<usize> = each.iter().map(Vec::len).collect();
    let columns: Vec<(&str, Vec<usize>)> =
        names.iter().enumerate().map(|(way, name)| (*name, answered(way))).collect();
    format!("By simplification followed by verification:\n\n{}", decided(&formulas, &columns))
}

/// A table of how many formulas are decided: for cardinality, fireability, and both.
fn decided(formulas: &[usize], columns: &[(&str, Vec<usize>)]) -> String {
    let pairs = columns.iter().flat_map(|(name, _)| [format!("{name}: solved"), "%".to_owned()]);
    let mut table = Table::new(["formulas".to_owned(), "number".to_owned()].into_iter().chain(pairs));
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

/// A way that leaves out a technique.
struct Without {
    technique: &'static str,
    option: &'static str,
    options: Options,
}

/// Verification of CTL.
fn ctl(section: &mut Section, nets: &[Net], lab: &Lab) -> Result<(), Box<dyn Error>> {
    let best = Options { diagrams: Switch::On, ..Options::exploring() };
    let without = [
        Without {
            technique: "simplification",
            option: "--simplification off",
            options: Options { simplification: Simplification::Off, ..best },
        },
        Without {
            technique: "reduction",
            option: "--reduction off",
            options: Options { reduction: Reduction::Off, ..best },
        },
        Without {
            technique: "local algorithm",
            option: "--ctl graph",
            options: Options { ctl: CtlAlgorithm::Graph, ..best },
        },
        Without {
            technique: "labelling",
            option: "--labelling off",
            options: Options { labelling: Switch::Off, ..best },
        },
        Without {
            technique: "decision diagrams",
            option: "--diagrams off",
            options: Options { diagrams: Switch::Off, ..best },
        },
    ];
    let subjects = lab.first(nets, &CTL, FORMULAS);
    let off = without.iter().map(|w| Way::single(format!("ctl {}", w.option), w.options));
    let ways: Vec<Way> = [Way::single("ctl", best)].into_iter().chain(off).collect();
    let costs = lab.measure(&subjects, &ways)?;
    let names: Vec<&str> = ["all"].into_iter().chain(without.iter().map(|w| w.option)).collect();
    section.text += &verified(&subjects, &costs, &names, &CTL);
    for (at, w) in without.iter().enumerate() {
        compare(section, Comparison::new("CTL", w.technique, w.option, &costs, [0, at + 1]), lab)?;
    }
    Ok(())
}

/// Verification of reachability: by all methods, each of them left out once, and by exploring alone.
fn reachability(section: &mut Section, lab: &Lab) -> Result<(), Box<dyn Error>> {
    let nets = lab.nets(&LARGE, &GENERATED, FamilyKind::Plain);
    let best = Options { first_look: Switch::Off, ..Options::default() };
    let off = Switch::Off;
    let without = [
        Without {
            technique: "simplification",
            option: "--simplification off",
            options: Options { simplification: Simplification::Off, ..best },
        },
        Without {
            technique: "reduction",
            option: "--reduction off",
            options: Options { reduction: Reduction::Off, ..best },
        },
        Without { technique: "walks", option: "--walks off", options: Options { walks: off, ..best } },
        Without {
            technique: "equation",
            option: "--equation off",
            options: Options { equation: off, ..best },
        },
        Without {
            technique: "induction",
            option: "--induction off",
            options: Options { induction: off, ..best },
        },
        Without {
            technique: "decision diagrams",
            option: "--diagrams off",
            options: Options { diagrams: off, ..best },
        },
    ];
    let subjects = lab.first(&nets, &REACHABILITY, FORMULAS);
    let each = without.iter().map(|w| Way::several(format!("reachability {}", w.option), w.options));
    let all = Way::several("reachability", best);
    let costs = lab.measure(&subjects, &[all].into_iter().chain(each).collect::<Vec<Way>>())?;
    let exploring = Options::exploring();
    let alone = [
        Way::single("reachability by exploring", exploring),
        Way::single(
            "reachability by exploring --stubborn off",
            Options { stubborn: Stubborn::Off, ..exploring },
        ),
    ];
    let explored = lab.measure(&subjects, &alone)?;
    let joined: Vec<Vec<Cost>> = costs.iter().zip(&explored).map(|(a, b)| [&a[..], b].concat()).collect();
    let names: Vec<&str> = (["all"].into_iter())
        .chain(without.iter().map(|w| w.option))
        .chain(["exploring alone", "exploring alone, --stubborn off"])
        .collect();
    section.text += &format!("On {} nets. ", nets.len());
    section.text += &verified(&subjects, &joined, &names, &REACHABILITY);
    for (at, w) in without.iter().enumerate() {
        compare(section, Comparison::new("reachability", w.technique, w.option, &costs, [0, at + 1]), lab)?;
    }
    compare(section, Comparison::new("exploring", "stubborn sets", "--stubborn off", &explored, [0, 1]), lab)
}

/// Adds a comparison with its plot.
fn compare(section: &mut Section, comparison: Comparison, lab: &Lab) -> Result<(), Box<dyn Error>> {
    section.text += &comparison.sentence();
    section.text += &format!("{}\n", comparison.time_plot(lab)?);
    section.comparisons.push(comparison);
    Ok(())
}
