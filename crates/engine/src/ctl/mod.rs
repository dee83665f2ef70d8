//! CTL on the fly: operators are evaluated in the markings in which they are asked for, and no others.
//!
//! A formula becomes Boolean terms over `EX`, `EU` and `AU` ([`operators`]); [`evaluate`] searches for their values,
//! depth-first or, for `EU` and `AU`, in dependency graphs ([`graph`]), or in markings that walks come to ([`sample`]);
//! [`evidence`] puts runs together that show the
//! formula's. Formulas that are asked together share the markings. Test: `tests/ctl.rs`.

mod evaluate;
mod evidence;
mod graph;
mod operators;
mod record;
mod sample;
mod steps;
mod terms;
mod values;
mod waiting;

use std::time::Instant;

use fireset_kernel::store::Store;
use fireset_net::{
    Branching, Budget, Evidence, Formula, Model, Net, Outcome, Problem, Query, Statistics, StopReason,
    Technique, Verdict, colored::ColoredNet,
};

use self::{evaluate::Evaluation, operators::Operators};
use crate::{
    Asker, Engine, FiresetMode, Order, Ways,
    colored::{Colored, Compiled, Skeleton},
    packed::{Access, Choice, Packed, choose::Knowledge},
    search::{Ground, Marked, Markings, Number, Stop, Task, interrupted, interruptible},
    turns::{self, Turn},
};

/// How the values of operators are searched for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CtlAlgorithm {
    /// Depth-first, keeping a value for each marking.
    #[default]
    Local,
    /// In any order, keeping also who depends on a value.
    Graph,
    /// Where walks come to, for a while; finds runs only.
    Sample,
}

/// How a formula is evaluated.
#[derive(Clone, Copy)]
struct Way {
    algorithm: CtlAlgorithm,
    order: Order,
    fireset: FiresetMode,
    /// Which walks.
    seed: u64,
}

/// Decides CTL properties.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ctl {
    /// How markings are laid out.
    pub encoding: Choice,
    /// How they are read and written.
    pub access: Access,
    /// How the values of operators are searched for.
    pub algorithm: CtlAlgorithm,
    /// In which order markings are searched: all of them in dependency graphs. Otherwise those of the outermost `EU`; all
    /// others are searched depth-first, with best-first into the nearest successor. If it is not given, depth-first at
    /// first and best-first for what takes long then.
    pub order: Option<Order>,
    /// How many successors of a marking are generated at a time.
    pub fireset: FiresetMode,
    /// How coloured nets are searched.
    pub ways: Ways,
}

impl Engine for Ctl {
    fn name(&self) -> &'static str {
        "ctl"
    }

    fn accepts(&self, _: &Model, query: &Query) -> bool {
        match query {
            Query::Ctl(f) => self.algorithm != CtlAlgorithm::Sample || sample::has_roots(&Operators::of(f)),
            _ => false,
        }
    }

    fn decide(&self, problem: &Problem, budget: &Budget, asker: &mut dyn Asker) {
        match &*problem.model {
            Model::Plain(net) => {
                let knowledge = Knowledge::of(net, budget);
                let ground = Packed::new(net, &knowledge, self.encoding, self.access);
                self.decide_on(ground, net, problem, budget, asker);
            }
            Model::Colored(net) => {
                if let Err(reason) = self.decide_colored(net, problem, budget, asker) {
                    (0..problem.queries.len())
                        .for_each(|at| asker.hear(at, Outcome::unknown(reason.clone())));
                }
            }
        }
    }
}

impl Ctl {
    fn way(&self, turn: Turn) -> Way {
        let order = self.order.unwrap_or(match turn {
            Turn::First => Order::DepthFirst,
            Turn::Second => Order::BestFirst,
        });
        // What is nearest is looked at first, wherever a walk has come to.
        let order = if self.algorithm == CtlAlgorithm::Sample { Order::BestFirst } else { order };
        Way { algorithm: self.algorithm, order, fireset: self.fireset, seed: u64::from(turn == Turn::Second) }
    }

    fn decide_colored(
        &self,
        net: &ColoredNet,
        problem: &Problem,
        budget: &Budget,
        asker: &mut dyn Asker,
    ) -> Result<(), StopReason> {
        let compiled = Compiled::new(net)?;
        let ground = Colored::new(net, &compiled, self.ways)?;
        let skeleton = Skeleton::of(net, &compiled).net;
        self.decide_on(ground, &skeleton, problem, budget, asker);
        Ok(())
    }

    fn decide_on<G: Ground>(
        &self,
        ground: G,
        net: &Net,
        problem: &Problem,
        budget: &Budget,
        asker: &mut dyn Asker,
    ) {
        let several = problem.queries.len() > 1;
        let mut session = Session { way: self.way(Turn::First), ground, net, several, markings: None };
        let decide = |at: usize, turn: Turn, part: &Budget| {
            session.way = self.way(turn);
            session.decide(&problem.queries[at], part)
        };
        turns::in_turn(problem.queries.len(), budget, decide, asker);
    }
}

/// What the formulas of a problem have in common.
struct Session<'n, G> {
    way: Way,
    /// Wide enough for all markings that were seen.
    ground: G,
    /// The net or, of a coloured net, its skeleton.
    net: &'n Net,
    several: bool,
    /// The markings that were found on this ground.
    markings: Option<Store>,
}

impl<G: Ground> Session<'_, G> {
    fn decide(&mut self, query: &Query, budget: &Budget) -> Outcome {
        let Query::Ctl(formula) = query else { panic!("accepts only CTL") };
        let started = Instant::now();
        let operators = Operators::of(formula);
        let (value, mut statistics) = self.evaluate(formula, &operators, budget);
        statistics.elapsed = started.elapsed();
        let mut techniques = vec![Technique::Explicit];
        if self.several {
            techniques.push(Technique::CollateralProcessing);
        }
        let (verdict, runs) = match value {
            Ok((value, runs)) => (value.into(), runs),
            Err(reason) => (Verdict::Unknown(reason), None),
        };
        Outcome { verdict, evidence: runs.map(Evidence::Branching), techniques, statistics }
    }

    /// Evaluates a formula, in a layout that widens when a marking does not fit.
    fn evaluate(
        &mut self,
        formula: &Formula,
        operators: &Operators,
        budget: &Budget,
    ) -> (Result<Value, StopReason>, Statistics) {
        loop {
            let initial = self.ground.initial();
            let fresh = self.markings.is_none();
            let store = self.markings.take().unwrap_or_else(|| Store::new(initial.len(), false));
            let task = Evaluate {
                initial: &initial,
                formula,
                operators,
                store,
                net: self.net,
                way: self.way,
                budget,
            };
            let (value, store, mut statistics) = match self.ground.on_space(task, budget) {
                Ok(evaluated) => evaluated,
                Err(reason) => return (Err(reason), interrupted("ctl", budget)),
            };
            statistics.encoding = self.ground.encoding();
            match value {
                Ok(value) => {
                    self.markings = Some(store);
                    return (Ok(value), statistics);
                }
                // The markings of other formulas may have left too little for this one.
                Err(End::Stopped(StopReason::Memory)) if !fresh => {}
                Err(End::Stopped(reason)) => {
                    self.markings = (reason != StopReason::Memory).then_some(store);
                    return (Err(reason), statistics);
                }
                Err(End::Misfit(row, action)) => match self.ground.wider(&row, action) {
                    Ok(wider) => self.ground = wider,
                    Err(reason) => return (Err(reason), statistics),
                },
            }
        }
    }
}

/// An evaluation, as something to do on a space.
struct Evaluate<'a> {
    initial: &'a [u64],
    formula: &'a Formula,
    operators: &'a Operators,
    store: Store,
    net: &'a Net,
    way: Way,
    budget: &'a Budget,
}

/// The value of a formula, and the runs that show it.
type Value = (bool, Option<Branching>);

/// How an evaluation ends without a value.
enum End<N> {
    Stopped(StopReason),
    /// This action in this row leads to one that does not fit.
    Misfit(Vec<u64>, N),
}

impl<N: Number> Task<N> for Evaluate<'_> {
    /// The value, the markings, and what it cost.
    type Output = (Result<Value, End<N>>, Store, Statistics);

    fn run<S: Marked<Number = N>>(self, space: &mut S) -> Self::Output {
        let markings = Markings::new(space, self.initial, self.store);
        let mut evaluation = Evaluation::new(self.operators, markings, self.net, self.way);
        let value = match self.way.algorithm {
            CtlAlgorithm::Sample => evaluation.sample(self.way.seed, self.budget),
            CtlAlgorithm::Local | CtlAlgorithm::Graph => evaluation.run(self.budget),
        };
        let value = value.map_err(|stop| match stop {
            Stop::Reason(reason) => End::Stopped(reason),
            Stop::Misfit(marking, action) => End::Misfit(evaluation.markings.row(marking), action),
            Stop::Enough => unreachable!("nobody looks on"),
        });
        let statistics = Statistics {
            engine: "ctl",
            states: evaluation.markings.store.len() as u64,
            firings: evaluation.markings.firings,
            memory: evaluation.peak(),
            ..Statistics::default()
        };
        let value = value.map(|value| {
            let runs = interruptible(|| evidence::of(&mut evaluation, self.formula, value, self.budget));
            (value, runs.ok().flatten())
        });
        (value, evaluation.markings.store, statistics)
    }
}
