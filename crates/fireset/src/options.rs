//! Which techniques are used, in groups: those of a search, those for coloured nets, and the members of the portfolio.

use std::thread::available_parallelism;

use fireset_engine::{
    Access, AutomatonOrder, ColouredConfig, CtlAlgorithm, Deepening, FiresetMode, LayoutChoice, Order,
    Stubborn,
};

use crate::Tuning;

/// The techniques of a check, and the shares of its portfolio. The default is the best known configuration; the other values exist to be measured
/// against it.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How the explicit engines explore.
    pub search: SearchOptions,
    /// What is done with coloured nets.
    pub coloured: ColouredOptions,
    /// Which techniques run before and beside the search.
    pub portfolio: PortfolioOptions,
    /// The number of threads; by default that of the machine's processors.
    pub threads: usize,
    /// The shares of time, memory and effort.
    pub tuning: Tuning,
}

/// How the explicit engines explore.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchOptions {
    /// The layout of a packed marking.
    pub encoding: LayoutChoice,
    /// Whether transitions fire on packed markings or on decoded ones.
    pub access: Access,
    /// The order in which states are explored; `None` leaves it to each engine.
    pub order: Option<Order>,
    /// What depth-first and LTL searches store for the states on their stack.
    pub fireset: FiresetMode,
    /// Partial order reduction by stubborn sets, where a query allows it.
    pub stubborn: Stubborn,
    /// The order in which an LTL search follows the edges of the Büchi automaton.
    pub automaton_order: AutomatonOrder,
    /// The depth bound of an LTL search.
    pub deepening: Deepening,
    /// The algorithm that evaluates CTL operators.
    pub ctl: CtlAlgorithm,
}

/// What is done with coloured nets.
#[derive(Clone, Copy, Debug, Default)]
pub struct ColouredOptions {
    /// Unfolding to a place/transition net, within a share of the time and memory; queries that stay open are decided
    /// on the coloured net.
    pub unfolding: Switch,
    /// Nets with few colours, and with none, beside an unfolding that may be too large.
    pub approximations: Switch,
    /// How a coloured net is explored without unfolding.
    pub config: ColouredConfig,
}

/// Which techniques run before and beside the search.
#[derive(Clone, Copy, Debug, Default)]
pub struct PortfolioOptions {
    /// A quick attempt with light passes and a small share of the time, before everything else.
    pub pre_check: Switch,
    /// Simplification of formulas by rules, place invariants, the state equation and the initial marking.
    pub simplification: Switch,
    /// Structural reduction of the net, as far as the queries allow.
    pub reduction: Switch,
    /// Random walks beside the search, for reachability, LTL and CTL.
    pub walks: Switch,
    /// Realisation of solutions of the state equation as firing sequences.
    pub state_equation: Switch,
    /// Coverability sets of nets that may be unbounded.
    pub coverability: Switch,
    /// Bounded model checking, k-induction and IC3 by a SAT solver.
    pub sat: Switch,
    /// Symbolic state spaces as decision diagrams.
    pub diagrams: Switch,
    /// Evaluation of CTL formulas in all markings, for all formulas together.
    pub labelling: Switch,
    /// A certificate for unreachability answers that have no other evidence; on place/transition nets, in at most a
    /// second for each answer.
    pub certificates: Switch,
    /// Which run is shown for an answer.
    pub shown_run: ShownRun,
    /// The places or transitions for which a property of the whole net fails, asked in a limited time once it has failed.
    pub culprits: Switch,
}

/// Which run is shown for an answer that a run shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShownRun {
    /// A short one that depends neither on load nor on threads, where a search of a fraction of a second finds one.
    #[default]
    Short,
    /// A shortest one, which is searched for as long as time and memory last; the [timeline](crate::Timeline) says whether it was found.
    Shortest,
    /// That of the engine that answered first.
    First,
}

/// Whether a technique is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Switch {
    #[default]
    On,
    Off,
}

impl Switch {
    /// Whether the technique is used.
    #[must_use]
    pub fn is_on(self) -> bool {
        self == Self::On
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            search: SearchOptions::default(),
            coloured: ColouredOptions::default(),
            portfolio: PortfolioOptions::default(),
            threads: available_parallelism().map_or(1, usize::from),
            tuning: Tuning::default(),
        }
    }
}

impl Options {
    /// The default without the techniques that decide reachability without exploring: to measure the exploration.
    #[must_use]
    pub fn exploring() -> Self {
        Self::default().with_portfolio(|portfolio| {
            portfolio.pre_check = Switch::Off;
            portfolio.walks = Switch::Off;
            portfolio.state_equation = Switch::Off;
            portfolio.coverability = Switch::Off;
            portfolio.sat = Switch::Off;
            portfolio.diagrams = Switch::Off;
        })
    }

    /// The same options but for a change of the search.
    #[must_use]
    pub fn with_search(mut self, change: impl FnOnce(&mut SearchOptions)) -> Self {
        change(&mut self.search);
        self
    }

    /// The same options but for a change of what is done with coloured nets.
    #[must_use]
    pub fn with_coloured(mut self, change: impl FnOnce(&mut ColouredOptions)) -> Self {
        change(&mut self.coloured);
        self
    }

    /// The same options but for a change of the portfolio.
    #[must_use]
    pub fn with_portfolio(mut self, change: impl FnOnce(&mut PortfolioOptions)) -> Self {
        change(&mut self.portfolio);
        self
    }

    /// The same options but for a change of a share.
    #[must_use]
    pub fn with_tuning(mut self, change: impl FnOnce(&mut Tuning)) -> Self {
        change(&mut self.tuning);
        self
    }
}
