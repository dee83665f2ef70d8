//! Which engines are asked, in which order.

use std::thread::available_parallelism;

use fireset_engine::{
    Access, AutomatonOrder, Choice, Deepening, Engine, Explicit, FiresetMode, Naive, OnTheFly, Order, Ways,
};

/// Which techniques are used. The default is the best that is known; the others are there to be measured
/// against it.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How markings are laid out.
    pub encoding: Choice,
    /// How packed markings are read and written.
    pub access: Access,
    /// In which order states are visited.
    pub order: Order,
    /// What a depth-first search remembers of the states on its stack.
    pub fireset: FiresetMode,
    /// How many threads explore; the default is as many as there are processors.
    pub threads: usize,
    /// In which order an LTL search tries the edges of the automaton.
    pub automaton_order: AutomatonOrder,
    /// How deep an LTL search goes.
    pub deepening: Deepening,
    /// Whether queries are made smaller first.
    pub simplification: Simplification,
    /// How coloured nets are searched.
    pub ways: Ways,
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

impl Default for Options {
    fn default() -> Self {
        let Explicit { encoding, access, order, fireset, ways, .. } = Explicit::default();
        let threads = available_parallelism().map_or(1, usize::from);
        let OnTheFly { automaton_order, deepening, .. } = OnTheFly::default();
        let simplification = Simplification::default();
        Self { encoding, access, order, fireset, threads, automaton_order, deepening, simplification, ways }
    }
}

/// What is done with a problem.
pub(crate) struct Plan {
    pub(crate) simplification: Simplification,
    /// In the order in which they are asked; each gets the queries that those before it left open.
    pub(crate) engines: Vec<Box<dyn Engine>>,
}

impl Plan {
    /// The engines with these techniques.
    pub(crate) fn new(options: &Options) -> Self {
        let &Options { encoding, access, order, fireset, threads, automaton_order, deepening, ways, .. } =
            options;
        let explicit = Explicit { encoding, access, order, fireset, threads, ways };
        let ltl = OnTheFly { encoding, access, automaton_order, deepening, ways };
        let engines: Vec<Box<dyn Engine>> =
            vec![Box::new(explicit), Box::new(ltl), Box::new(Naive::default())];
        Self { simplification: options.simplification, engines }
    }
}
