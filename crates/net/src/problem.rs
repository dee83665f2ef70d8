//! A net with the properties that are asked of it: what engines decide.

use std::sync::Arc;

use crate::{Formula, Logic, Net, Nodes, Query, Unsupported, coloured::ColouredNet};

/// A net of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Model {
    /// A place/transition net.
    Plain(Net),
    /// A coloured net.
    Coloured(ColouredNet),
}

impl Model {
    /// What its file calls it.
    pub fn name(&self) -> &str {
        match self {
            Self::Plain(net) => &net.name,
            Self::Coloured(net) => &net.name,
        }
    }

    /// Places and transitions by name.
    pub fn nodes(&self) -> &Nodes {
        match self {
            Self::Plain(net) => net.nodes(),
            Self::Coloured(net) => net.nodes(),
        }
    }
}

/// A named formula, as a file or the command line gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name; answers are printed under it.
    pub name: String,
    /// What it says.
    pub formula: Formula,
    /// How it is read where CTL and LTL both fit.
    pub logic: Logic,
}

impl Property {
    /// Its classified form.
    pub fn query(&self) -> Result<Query, Unsupported> {
        Query::classify(&self.formula, self.logic)
    }
}

/// A net and the queries asked of it. Engines answer each by its position.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The net.
    pub model: Arc<Model>,
    /// What is asked.
    pub queries: Vec<Query>,
}
