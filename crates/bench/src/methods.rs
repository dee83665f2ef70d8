//! The methods that decide reachability on contest nets, and their answers.
//!
//! All formulas of an examination share the time, as in the contest. A run shows that a marking is reachable; that none is
//! takes a proof or all states.

use std::{collections::BTreeMap, error::Error};

use fireset::{Options, Query, Verdict};

use crate::{
    nets::{self, BenchPlan},
    runs::{asked, decide, problem},
};

/// Nets with more than a billion states, or whose number of states is not known.
const INSTANCES: [&str; 21] = [
    "CircularTrains-PT-048",
    "DLCflexbar-PT-2a",
    "DLCshifumi-PT-2a",
    "EGFr-PT-10421",
    "EnergyBus-PT-none",
    "FamilyReunion-PT-L00010M0001C001P001G001",
    "FunctionPointer-PT-a016",
    "Medical-PT-06",
    "MultiwaySync-PT-none",
    "Murphy-PT-D4N025",
    "PaceMaker-PT-none",
    "PhaseVariation-PT-D05CS100",
    "Philosophers-PT-000020",
    "PolyORBNT-PT-S05J30",
    "QuasiCertifProtocol-PT-10",
    "SemanticWebServices-PT-S064P18",
    "ShieldPPPs-PT-005B",
    "ShieldRVt-PT-004B",
    "SquareGrid-PT-080408",
    "TriangularGrid-PT-3011",
    "UtahNoC-PT-none",
];

const EXAMINATIONS: [&str; 2] = ["ReachabilityCardinality", "ReachabilityFireability"];

/// The answer to a reachability question, for `EF` and `AG` alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reachability {
    Reachable,
    Unreachable,
    Open,
}

/// Checks reachability, and prints the number of answers of each method.
pub fn measure(plan: &BenchPlan) -> Result<(), Box<dyn Error>> {
    let mut counts: BTreeMap<(usize, &'static str, Reachability), usize> = BTreeMap::new();
    let mut formulas = [0; EXAMINATIONS.len()];
    for directory in asked(plan, &INSTANCES) {
        for (at, examination) in EXAMINATIONS.iter().enumerate() {
            let problem = problem(&directory, &[examination])?;
            let outcomes = decide(&problem, &Options::default(), &plan.budget());
            formulas[at] += problem.queries.len();
            let mut open = 0;
            for (query, outcome) in problem.queries.iter().zip(&outcomes) {
                let answer = answer(query, &outcome.verdict);
                let method = if answer == Reachability::Open { "open" } else { outcome.statistics.engine };
                *counts.entry((at, method, answer)).or_default() += 1;
                open += usize::from(answer == Reachability::Open);
            }
            println!("{} {examination}: {open} open", nets::name(&directory));
        }
    }
    for (at, examination) in EXAMINATIONS.iter().enumerate() {
        let count = |method, answer| counts.get(&(at, method, answer)).copied().unwrap_or(0);
        println!("\n| {examination}, {} formulas | reachable | unreachable |\n|---|---|---|", formulas[at]);
        let mut methods: Vec<&str> =
            counts.keys().filter(|key| key.0 == at && key.1 != "open").map(|key| key.1).collect();
        methods.dedup();
        for method in methods {
            let [yes, no] =
                [Reachability::Reachable, Reachability::Unreachable].map(|answer| count(method, answer));
            println!("| {method} | {yes} | {no} |");
        }
        println!("| open | {} | |", count("open", Reachability::Open));
    }
    Ok(())
}

fn answer(query: &Query, verdict: &Verdict) -> Reachability {
    match (query, verdict) {
        (_, Verdict::Unknown(_)) => Reachability::Open,
        (Query::Reachable(_), Verdict::Holds) | (Query::Invariant(_), Verdict::Fails) => {
            Reachability::Reachable
        }
        _ => Reachability::Unreachable,
    }
}
