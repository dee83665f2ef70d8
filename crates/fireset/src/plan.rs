//! Which engines are asked, in which order.

use std::thread::available_parallelism;

use fireset_engine::{
    Access, AutomatonOrder, Choice, Deepening, Engine, Explicit, FiresetMode, Naive, OnTheFly, Order,
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
}

impl Default for Options {
    fn default() -> Self {
        let Explicit { encoding, access, order, fireset, .. } = Explicit::default();
        let threads = available_parallelism().map_or(1, usize::from);
        let OnTheFly { automaton_order, deepening, .. } = OnTheFly::default();
        Self { encoding, access, order, fireset, threads, automaton_order, deepening }
    }
}

/// The engines for a problem; each gets the queries that those before it left open.
pub(crate) struct Plan {
    /// In the order in which they are asked.
    pub(crate) engines: Vec<Box<dyn Engine>>,
}

impl Plan {
    /// The engines with these techniques.
    pub(crate) fn new(options: &Options) -> Self {
        let &Options { encoding, access, order, fireset, threads, automaton_order, deepening } = options;
        let explicit = Explicit { encoding, access, order, fireset, threads };
        let ltl = OnTheFly { encoding, access, automaton_order, deepening };
        Self { engines: vec![Box::new(explicit), Box::new(ltl), Box::new(Naive::default())] }
    }
}
