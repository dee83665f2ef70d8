//! The effect of each step of the simplification on formulas of contest nets, in the form of Table 5 of Bønneland et al.,
//! "Simplification of CTL Formulae for Efficient Model Checking of Petri Nets": how many are decided, how many become
//! reachability queries, how much smaller they get, and how long that takes.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use fireset::{
    Query, SimplificationSteps, Simplifier,
    net::{Expr, Formula, Model},
};

use crate::{
    ltl::INSTANCES,
    nets::BenchPlan,
    runs::{self, asked},
};

/// The examinations, each a table.
pub const EXAMINATIONS: [&str; 4] =
    ["CTLCardinality", "CTLFireability", "ReachabilityCardinality", "ReachabilityFireability"];

/// The rows of a table; the first shows the formulas as they are.
pub const STEPS: [(&str, SimplificationSteps); 10] = [
    ("none", SimplificationSteps::NONE),
    ("initial marking (Ω)", SimplificationSteps { initial_marking: true, ..SimplificationSteps::NONE }),
    ("rules (ρ)", SimplificationSteps { rules: true, ..SimplificationSteps::NONE }),
    ("place invariants", SimplificationSteps { invariants: true, ..SimplificationSteps::NONE }),
    ("next markings", SimplificationSteps { next: true, ..SimplificationSteps::NONE }),
    ("firings undone", SimplificationSteps { reversible: true, ..SimplificationSteps::NONE }),
    ("parts of the net", SimplificationSteps { parts: true, ..SimplificationSteps::NONE }),
    ("state equation", SimplificationSteps { state_equation: true, ..SimplificationSteps::NONE }),
    ("all but the state equation", SimplificationSteps { state_equation: false, ..SimplificationSteps::ALL }),
    ("all", SimplificationSteps::ALL),
];

/// How the formulas of an examination were simplified.
#[derive(Default)]
pub struct SimplificationCounts {
    pub formulas: usize,
    pub solved: usize,
    pub reachability: usize,
    /// Boolean combinations of several reachability queries.
    combined: usize,
    linear: usize,
    /// The sum over the formulas of the share of their nodes that was removed.
    pub reduction: f64,
    times: Vec<Duration>,
    /// The time for facts that are computed once for each net, summed over the nets.
    setup: Duration,
}

/// For each of the [`EXAMINATIONS`] a row for each of the [`STEPS`].
pub type SimplificationTables = Vec<Vec<SimplificationCounts>>;

/// Simplifies the formulas of place/transition nets with each step alone and with all, and prints a table an
/// examination.
pub fn measure(plan: &BenchPlan) -> Result<(), Box<dyn Error>> {
    let mut tables = empty();
    for directory in asked(plan, &INSTANCES) {
        let model = fireset::read(&directory)?;
        if matches!(model, Model::Coloured(_)) {
            continue;
        }
        let mut examinations = Vec::new();
        for name in EXAMINATIONS {
            examinations.push(runs::queries(&directory, name, &model)?);
        }
        add(&mut tables, simplified(&model, &examinations, Duration::from_secs(plan.timeout)));
    }
    EXAMINATIONS.iter().zip(tables).for_each(|(name, rows)| print_table(name, rows));
    Ok(())
}

/// SimplificationTables of no formulas.
pub fn empty() -> SimplificationTables {
    EXAMINATIONS.iter().map(|_| STEPS.iter().map(|_| SimplificationCounts::default()).collect()).collect()
}

/// Adds the counts for the formulas of another net.
pub fn add(tables: &mut SimplificationTables, more: SimplificationTables) {
    let rows = tables.iter_mut().flatten().zip(more.into_iter().flatten());
    rows.for_each(|(row, more)| row.add(more));
}

/// Simplifies formulas of a net, a list for each examination; `time` limits the state equation for each list.
pub fn simplified(model: &Model, examinations: &[Vec<Query>], time: Duration) -> SimplificationTables {
    let mut tables = empty();
    for (configuration, (_, steps)) in STEPS.iter().enumerate() {
        let clock = Instant::now();
        let mut simplifier = Simplifier::with_steps(model, *steps);
        let setup = clock.elapsed();
        for (rows, queries) in tables.iter_mut().zip(examinations) {
            let row = &mut rows[configuration];
            row.setup = setup;
            simplifier = simplifier.within(time, queries.len());
            queries.iter().for_each(|query| row.take(&simplifier, query));
        }
    }
    tables
}

impl SimplificationCounts {
    /// Simplifies one formula.
    fn take(&mut self, simplifier: &Simplifier<'_>, query: &Query) {
        let clock = Instant::now();
        let (_, parts) = simplifier.parts(query);
        self.times.push(clock.elapsed());
        self.formulas += 1;
        let is_reachability = |query: &Query| matches!(query, Query::Reachable(_) | Query::Invariant(_));
        match &parts[..] {
            [one] if is_constant(one) => self.solved += 1,
            [one] if is_reachability(one) => self.reachability += 1,
            [Query::Ltl(..)] => self.linear += 1,
            several if several.iter().all(is_reachability) => self.combined += 1,
            _ => {}
        }
        self.reduction += 1.0 - query_nodes(&simplifier.query(query)) as f64 / query_nodes(query) as f64;
    }

    fn add(&mut self, more: Self) {
        self.formulas += more.formulas;
        self.solved += more.solved;
        self.reachability += more.reachability;
        self.combined += more.combined;
        self.linear += more.linear;
        self.reduction += more.reduction;
        self.times.extend(more.times);
        self.setup += more.setup;
    }
}

/// Whether a query has been decided.
pub fn is_constant(query: &Query) -> bool {
    query.constant().is_some()
}

/// The nodes of a query's parse tree.
fn query_nodes(query: &Query) -> usize {
    match query {
        decided if is_constant(decided) => 1,
        Query::Reachable(p) | Query::Invariant(p) => 1 + nodes(&p.into()),
        Query::Ctl(f) => nodes(&f.into()),
        Query::Ltl(_, f) => nodes(&f.into()),
        Query::Run(run) => nodes(&(&run.formula).into()),
        Query::CtlStar(f) => nodes(&f.into()),
        Query::Bound(_) | Query::ColourBound(_) | Query::Global(_) | Query::Named(_) => 1,
    }
}

/// The nodes of a parse tree with binary operators, in which a quantifier and its temporal operator are one node, and a
/// set of transitions or places is spelled out.
fn nodes(f: &Formula) -> usize {
    let below: usize = f.children().map(nodes).sum();
    match f {
        Formula::And(fs) | Formula::Or(fs) => below + fs.len().saturating_sub(1),
        Formula::Exists(_) | Formula::ForAll(_) => below,
        Formula::Fireable(ts) => spelled_out(ts.len()),
        Formula::Compare(_, a, b) => 1 + expression_nodes(a) + expression_nodes(b),
        _ => 1 + below,
    }
}

fn expression_nodes(e: &Expr) -> usize {
    match e {
        Expr::Constant(_) | Expr::ColourTokens(_) => 1,
        Expr::Tokens(places) => spelled_out(places.len()),
        Expr::Sum(terms) | Expr::Product(terms) => {
            terms.iter().map(expression_nodes).sum::<usize>() + terms.len().saturating_sub(1)
        }
        Expr::Difference(a, b) => 1 + expression_nodes(a) + expression_nodes(b),
    }
}

/// The nodes of a tree of binary operators with this number of leaves.
fn spelled_out(leaves: usize) -> usize {
    (2 * leaves).saturating_sub(1).max(1)
}

fn print_table(examination: &str, rows: Vec<SimplificationCounts>) {
    println!("\n### {examination}, {} formulas\n", rows[0].formulas);
    println!(
        "| step | solved | % | reachability | % | combined | LTL | % reduction | ms 50 % | 75 % | 90 % | 95 % | 99 % \
         | most | s once for all nets |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for ((name, _), mut row) in STEPS.iter().zip(rows) {
        row.times.sort();
        let time = |percent: usize| {
            let last = row.times.len().saturating_sub(1);
            row.times.get((row.times.len() * percent / 100).min(last)).map_or(0.0, |t| 1e3 * t.as_secs_f64())
        };
        let times = [50, 75, 90, 95, 99, 100].map(|percent| format!("{:.2}", time(percent))).join(" | ");
        let part = |count: usize| 100.0 * count as f64 / row.formulas as f64;
        println!(
            "| {name} | {} | {:.1} | {} | {:.1} | {} | {} | {:.1} | {times} | {:.1} |",
            row.solved,
            part(row.solved),
            row.reachability,
            part(row.reachability),
            row.combined,
            row.linear,
            100.0 * row.reduction / row.formulas as f64,
            row.setup.as_secs_f64()
        );
    }
}
