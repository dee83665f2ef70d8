//! Which engines are asked, in which order.

use fireset_engine::{Engine, Explicit};

/// The engines for a problem; each gets the queries that those before it left open.
pub struct Plan {
    /// In the order in which they are asked.
    pub engines: Vec<Box<dyn Engine>>,
}

impl Default for Plan {
    fn default() -> Self {
        Self { engines: vec![Box::new(Explicit::default())] }
    }
}
