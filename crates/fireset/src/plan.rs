//! Which passes and engines are tried, in which order.

use std::thread::available_parallelism;

use fireset_engine::{
    Access, AutomatonOrder, Choice, Constants, Ctl, CtlAlgorithm, Deepening, Engine, Explicit, FiresetMode,
    OnTheFly, Order, Stubborn, Ways,
};
use fireset_net::Model;
use fireset_reduce::{Pass, Reduce, Simplify, Unfold, rules::RuleSet};

use crate::alone::Alone;

/// Which techniques are used. The default is the best that is known; the others are there to be measured
/// against it.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How markings are laid out.
    pub encoding: Choice,
    /// How packed markings are read and written.
    pub access: Access,
    /// In which order states are visited; if it is not given each engine takes its own.
    pub order: Option<Order>,
    /// What a depth-first or LTL search remembers of the states on its stack.
    pub fireset: FiresetMode,
    /// How many threads explore; the default is as many as there are processors.
    pub threads: usize,
    /// How the values of CTL operators are searched for.
    pub ctl: CtlAlgorithm,
    /// In which order an LTL search tries the edges of the automaton.
    pub automaton_order: AutomatonOrder,
    /// How deep an LTL search goes.
    pub deepening: Deepening,
    /// Whether only stubborn sets of transitions fire, where a query allows it.
    pub stubborn: Stubborn,
    /// Whether queries are made smaller first.
    pub simplification: Simplification,
    /// Whether nets are made smaller first.
    pub reduction: Reduction,
    /// Whether coloured nets are unfolded first.
    pub unfolding: Unfolding,
    /// How coloured nets are searched.
    pub ways: Ways,
}

/// Whether coloured nets are unfolded to place/transition nets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unfolding {
    /// Where that takes a part of the time and memory; what stays open is tried on the coloured net.
    #[default]
    On,
    /// They are checked as they are.
    Off,
}

/// Whether queries are made smaller before they are decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simplification {
    /// By rules, place invariants and the initial marking.
    #[default]
    On,
    /// They stay as they are written.
    Off,
}

/// Whether place/transition nets are made smaller before they are explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// As far as the queries allow; a coloured net after it was unfolded.
    #[default]
    On,
    /// They stay as they are.
    Off,
}

impl Default for Options {
    fn default() -> Self {
        let Explicit { encoding, access, fireset, ways, .. } = Explicit::default();
        let threads = available_parallelism().map_or(1, usize::from);
        let OnTheFly { automaton_order, deepening, .. } = OnTheFly::default();
        let (simplification, unfolding) = (Simplification::default(), Unfolding::default());
        Self {
            encoding,
            access,
            order: None,
            fireset,
            threads,
            ctl: CtlAlgorithm::default(),
            automaton_order,
            deepening,
            stubborn: Stubborn::default(),
            simplification,
            reduction: Reduction::default(),
            unfolding,
            ways,
        }
    }
}

/// The part of the time in which queries that can share an exploration do so.
const TOGETHER: f64 = 0.3;

/// What is done with a problem: one way after the other, each with what those before it left open.
pub(crate) struct Plan {
    pub(crate) ways: Vec<Way>,
}

/// Passes that make a problem smaller, and the engines that are asked then.
pub(crate) struct Way {
    pub(crate) passes: Vec<Box<dyn Pass>>,
    /// In the order in which they are asked; each gets the queries that those before it left open.
    pub(crate) engines: Vec<Box<dyn Engine>>,
    /// The part of the time that is left which it may take, at most 1.
    pub(crate) share: f64,
}

impl Plan {
    /// The ways for a net with these techniques.
    pub(crate) fn new(model: &Model, options: &Options) -> Self {
        let direct = Way { passes: smaller(options).collect(), engines: engines(options), share: 1.0 };
        if !matches!((model, options.unfolding), (Model::Colored(_), Unfolding::On)) {
            return Self { ways: vec![direct] };
        }
        // What is decided without exploring need not wait for the unfolding.
        let constants: Vec<Box<dyn Engine>> = vec![Box::new(Constants)];
        let at_once = Way { passes: simplification(options).collect(), engines: constants, share: 1.0 };
        let unfold: Box<dyn Pass> = Box::new(Unfold);
        let passes = [unfold].into_iter().chain(smaller(options)).collect();
        let unfolded = Way { passes, engines: engines(options), share: 0.7 };
        Self { ways: vec![at_once, unfolded, direct] }
    }
}

/// Queries first, since smaller ones see less of the net.
fn smaller(options: &Options) -> impl Iterator<Item = Box<dyn Pass>> {
    let reduce = || Box::new(Reduce::default()) as Box<dyn Pass>;
    simplification(options).chain((options.reduction == Reduction::On).then(reduce))
}

fn simplification(options: &Options) -> impl Iterator<Item = Box<dyn Pass>> {
    let simplify = || Box::new(Simplify::default()) as Box<dyn Pass>;
    (options.simplification == Simplification::On).then(simplify).into_iter()
}

fn engines(options: &Options) -> Vec<Box<dyn Engine>> {
    let &Options { encoding, access, order, fireset, threads, ways, stubborn, .. } = options;
    let &Options { ctl, automaton_order, deepening, .. } = options;
    let explicit = Explicit {
        encoding,
        access,
        order: order.unwrap_or(Explicit::default().order),
        fireset,
        threads,
        ways,
        stubborn,
    };
    let ltl = OnTheFly { encoding, access, automaton_order, deepening, fireset, ways, stubborn };
    let ctl = Ctl { encoding, access, algorithm: ctl, order, fireset, ways };
    vec![
        Box::new(Constants),
        alone(options, Box::new(explicit), TOGETHER),
        alone(options, Box::new(ltl), 0.0),
        alone(options, Box::new(ctl), 0.0),
    ]
}

/// An engine with a net that is made smaller for each query, if nets are.
fn alone(options: &Options, engine: Box<dyn Engine>, together: f64) -> Box<dyn Engine> {
    match options.reduction {
        Reduction::On => {
            let reduce = Reduce { rules: RuleSet::local() };
            Box::new(Alone { passes: vec![Box::new(reduce)], engine, together })
        }
        Reduction::Off => engine,
    }
}
