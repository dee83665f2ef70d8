//! Which engines are asked, in which order.

use std::thread::available_parallelism;

use fireset_engine::{Access, Choice, Engine, Explicit, FiresetMode, Naive, Order};

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
}

impl Default for Options {
    fn default() -> Self {
        let Explicit { encoding, access, order, fireset, .. } = Explicit::default();
        let threads = available_parallelism().map_or(1, usize::from);
        Self { encoding, access, order, fireset, threads }
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
        let &Options { encoding, access, order, fireset, threads } = options;
        let explicit = Explicit { encoding, access, order, fireset, threads };
        Self { engines: vec![Box::new(explicit), Box::new(Naive::default())] }
    }
}
