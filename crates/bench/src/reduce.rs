//! The share of places and transitions that structural reductions leave of contest nets, for each kind of
//! property. As in `check`, formulas are simplified first, and those that are decided then are left out; the net is made
//! smaller for all formulas of an examination together, and then for each alone.

use std::{
    error::Error,
    path::Path,
    time::{Duration, Instant},
};

use fireset::{
    Query, Simplifier,
    net::{Model, Net, StateAtom},
    rules::{RULES, ReductionStatistics, RuleSet, reduce, reduce_with},
};

use crate::{
    ltl::INSTANCES,
    nets::{self, BenchPlan},
    runs::{self, asked},
    simplify::is_constant,
};

/// The examinations, each with a row of the table.
const EXAMINATIONS: [&str; 8] = [
    "ReachabilityDeadlock",
    "ReachabilityCardinality",
    "ReachabilityFireability",
    "UpperBounds",
    "LTLCardinality",
    "LTLFireability",
    "CTLCardinality",
    "CTLFireability",
];

/// The shares of the net that remain for the formulas of an examination.
#[derive(Clone, Default)]
struct RemainingShares {
    formulas: usize,
    /// The sums over the formulas of the parts that remain.
    places: f64,
    transitions: f64,
    time: Duration,
    longest: Duration,
    applications: [usize; RULES.len()],
}

/// Reduces place/transition nets for each of their formulas, and prints a table.
pub fn measure(plan: &BenchPlan) -> Result<(), Box<dyn Error>> {
    let mut rows: Vec<RemainingShares> = vec![RemainingShares::default(); EXAMINATIONS.len()];
    println!("| net | places | transitions | {} |", EXAMINATIONS.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(EXAMINATIONS.len()));
    for directory in asked(plan, &INSTANCES) {
        let model = fireset::read(&directory)?;
        let Model::Plain(net) = &model else { continue };
        let mut cells = Vec::new();
        for (examination, row) in EXAMINATIONS.iter().zip(&mut rows) {
            let own = RemainingShares::of(net, &queries(&directory, examination, &model)?, plan);
            cells.push(own.share());
            row.add(&own);
        }
        let (places, transitions) = (net.nodes().places.len(), net.nodes().transitions.len());
        println!("| {} | {places} | {transitions} | {} |", nets::name(&directory), cells.join(" | "));
    }
    println!("\n| examination | formulas | % places | % transitions | ms mean | ms most |");
    println!("|---|---|---|---|---|---|");
    for (examination, row) in EXAMINATIONS.iter().zip(&rows) {
        let mean = row.time.as_secs_f64() / row.formulas.max(1) as f64;
        let most = row.longest.as_secs_f64();
        let share = row.share().replace('/', "|");
        println!("| {examination} | {} | {share} | {:.2} | {:.1} |", row.formulas, 1e3 * mean, 1e3 * most);
    }
    println!("\n| rule | {} |", EXAMINATIONS.join(" | "));
    println!("|---|{}", "---|".repeat(EXAMINATIONS.len()));
    for (at, rule) in RULES.iter().enumerate() {
        let counts: Vec<String> = rows.iter().map(|row| row.applications[at].to_string()).collect();
        println!("| {} | {} |", rule.name, counts.join(" | "));
    }
    Ok(())
}

/// The formulas of an examination after simplification, if the instance has it.
fn queries(directory: &Path, examination: &str, model: &Model) -> Result<Vec<Query>, Box<dyn Error>> {
    let file = directory.join(examination).with_extension("xml");
    if examination == "ReachabilityDeadlock" && !file.exists() {
        return Ok(vec![Query::Reachable(StateAtom::Deadlock.into())]);
    }
    if !file.exists() {
        return Ok(Vec::new());
    }
    let simplifier = Simplifier::for_model(model).within(Duration::from_secs(1), 1);
    let written = runs::queries(directory, examination, model)?;
    let queries = written.iter().map(|query| simplifier.query(query));
    Ok(queries.filter(|query| !is_constant(query)).collect())
}

impl RemainingShares {
    /// Reduces the net for the formulas of an examination.
    fn of(net: &Net, queries: &[Query], plan: &BenchPlan) -> Self {
        let mut row = Self::default();
        let clock = Instant::now();
        let joint = if queries.is_empty() { None } else { reduce(net, queries, &plan.budget()) };
        row.time = clock.elapsed();
        let (smaller, queries) = match &joint {
            Some(joint) => (&joint.net, &joint.queries[..]),
            None => (net, queries),
        };
        if let Some(joint) = &joint {
            row.count(&joint.statistics);
        }
        queries.iter().for_each(|query| row.take(net, smaller, query, plan));
        row
    }

    /// Reduces a net further for one formula.
    fn take(&mut self, net: &Net, smaller: &Net, query: &Query, plan: &BenchPlan) {
        let clock = Instant::now();
        let own = reduce_with(smaller, std::slice::from_ref(query), RuleSet::local(), &plan.budget());
        let time = clock.elapsed();
        self.formulas += 1;
        self.time += time;
        self.longest = self.longest.max(time);
        let last = own.as_ref().map_or(smaller, |own| &own.net).nodes();
        let part = |after: usize, before: usize| after as f64 / before.max(1) as f64;
        self.places += part(last.places.len(), net.nodes().places.len());
        self.transitions += part(last.transitions.len(), net.nodes().transitions.len());
        if let Some(own) = &own {
            self.count(&own.statistics);
        }
    }

    fn count(&mut self, statistics: &ReductionStatistics) {
        self.applications.iter_mut().zip(statistics.applications).for_each(|(all, more)| *all += more);
    }

    fn add(&mut self, other: &Self) {
        self.formulas += other.formulas;
        self.places += other.places;
        self.transitions += other.transitions;
        self.time += other.time;
        self.longest = self.longest.max(other.longest);
        self.applications.iter_mut().zip(other.applications).for_each(|(all, more)| *all += more);
    }

    /// The mean parts that remain, of places and of transitions.
    fn share(&self) -> String {
        let mean = |sum: f64| 100.0 * sum / self.formulas.max(1) as f64;
        format!("{:.0} / {:.0}", mean(self.places), mean(self.transitions))
    }
}
