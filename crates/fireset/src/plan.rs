//! Which engines are asked, in which order.

use fireset_engine::{Access, Choice, Engine, Explicit, FiresetMode, Naive, Order};

/// Which techniques are used. The default is the best that is known; the others are there to be measured
/// against it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How markings are laid out.
    pub encoding: Choice,
    /// How packed markings are read and written.
    pub access: Access,
    /// In which order states are visited.
    pub order: Order,
    /// What a depth-first search remembers of the states on its stack.
    pub fireset: FiresetMode,
}

/// The engines for a problem; each gets the queries that those before it left open.
pub(crate) struct Plan {
    /// In the order in which they are asked.
    pub(crate) engines: Vec<Box<dyn Engine>>,
}

impl Plan {
    /// The engines with these techniques.
    pub(crate) fn new(options: &Options) -> Self {
        let &Options { encoding, access, order, fireset } = options;
        let explicit = Explicit { encoding, access, order, fireset };
        Self { engines: vec![Box::new(explicit), Box::new(Naive::default())] }
    }
}
