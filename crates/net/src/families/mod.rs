//! Scalable nets of the literature, for tests, examples and measurements.
//!
//! ```
//! use fireset_net::families::{self, FamilyKind};
//!
//! let family = families::find("philosophers").unwrap();
//! let model = family.generate(FamilyKind::Plain, &[5]).unwrap();
//! assert_eq!(model.name(), "philosophers-5");
//! ```
//!
//! A family offered in both kinds has the same states and firings in both.

mod counter;
mod database;
mod draft;
mod error;
mod fms;
mod fork_join;
mod kanban;
mod peterson;
mod philosophers;
mod pipeline;
mod readers_writers;
mod round_robin;
mod shared_memory;
mod slotted_ring;
mod swimming_pool;
mod token_ring;

pub use error::FamilyError;

use crate::{Model, Net, coloured::ColouredNet};

/// Nodes, arcs and colours that a generated net may have together; larger ones are refused.
pub const MAX_SIZE: u64 = 10_000_000;

/// Which kind of net to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyKind {
    /// A place/transition net.
    Plain,
    /// A high-level net, for the families that have one.
    Coloured,
}

impl FamilyKind {
    /// Place/transition nets first.
    pub const ALL: [Self; 2] = [Self::Plain, Self::Coloured];
}

impl std::fmt::Display for FamilyKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plain => "plain",
            Self::Coloured => "coloured",
        })
    }
}

/// One number that scales a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// As the command line names it.
    pub name: &'static str,
    /// A phrase for help: what the number counts.
    pub about: &'static str,
    /// The least value that makes sense.
    pub min: u64,
    /// The greatest value; [`MAX_SIZE`] may refuse smaller ones.
    pub max: u64,
}

impl Parameter {
    /// A parameter that shapes the net.
    const fn shape(name: &'static str, about: &'static str, min: u64) -> Self {
        Self { name, about, min, max: MAX_SIZE }
    }

    /// A parameter that counts tokens; `max` keeps every count within 64 bits.
    const fn tokens(name: &'static str, about: &'static str, max: u64) -> Self {
        Self { name, about, min: 1, max }
    }
}

/// A net of the literature that scales with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// What it is called, in lower case with hyphens.
    pub name: &'static str,
    /// The protocol in a sentence.
    pub about: &'static str,
    /// The numbers that scale it.
    pub parameters: &'static [Parameter],
    plain: Option<fn(&[u64]) -> Net>,
    coloured: Option<fn(&[u64]) -> ColouredNet>,
    /// At most how many nodes, arcs and colours the net has, from parameters within their ranges.
    size: fn(FamilyKind, &[u128]) -> u128,
}

impl Family {
    /// Whether there is a net of that kind.
    pub fn offers(&self, kind: FamilyKind) -> bool {
        match kind {
            FamilyKind::Plain => self.plain.is_some(),
            FamilyKind::Coloured => self.coloured.is_some(),
        }
    }

    /// The net for these parameters, named after them: `philosophers-5`, `philosophers-coloured-5`.
    pub fn generate(&self, kind: FamilyKind, parameters: &[u64]) -> Result<Model, FamilyError> {
        let mut model = match kind {
            FamilyKind::Plain => {
                let build = self.plain.ok_or(FamilyError::NotOffered { family: self.name, kind })?;
                self.check(kind, parameters)?;
                Model::Plain(build(parameters))
            }
            FamilyKind::Coloured => {
                let build = self.coloured.ok_or(FamilyError::NotOffered { family: self.name, kind })?;
                self.check(kind, parameters)?;
                Model::Coloured(build(parameters))
            }
        };
        match &mut model {
            Model::Plain(net) => net.name = self.instance(kind, parameters),
            Model::Coloured(net) => net.name = self.instance(kind, parameters),
        }
        Ok(model)
    }

    /// At most how many nodes, arcs and colours the net would have; an error where it is refused.
    pub fn check(&self, kind: FamilyKind, parameters: &[u64]) -> Result<u64, FamilyError> {
        let (family, expected) = (self.name, self.parameters);
        if parameters.len() != expected.len() {
            return Err(FamilyError::Arity { family, expected, given: parameters.len() });
        }
        for (&parameter, &given) in expected.iter().zip(parameters) {
            if !(parameter.min..=parameter.max).contains(&given) {
                return Err(FamilyError::Range { family, parameter, given });
            }
        }
        let wide: Vec<u128> = parameters.iter().map(|&n| n.into()).collect();
        let size = (self.size)(kind, &wide);
        match u64::try_from(size) {
            Ok(size) if size <= MAX_SIZE => Ok(size),
            _ => Err(FamilyError::TooLarge { family, kind, size }),
        }
    }

    fn instance(&self, kind: FamilyKind, parameters: &[u64]) -> String {
        let mut name = String::from(self.name);
        if kind == FamilyKind::Coloured {
            name.push_str("-coloured");
        }
        for parameter in parameters {
            name.push('-');
            name.push_str(&parameter.to_string());
        }
        name
    }
}

/// All families, sorted by name.
pub fn all() -> &'static [Family] {
    &[
        counter::FAMILY,
        database::FAMILY,
        fms::FAMILY,
        fork_join::FAMILY,
        kanban::FAMILY,
        peterson::FAMILY,
        philosophers::FAMILY,
        pipeline::FAMILY,
        readers_writers::FAMILY,
        round_robin::FAMILY,
        shared_memory::FAMILY,
        slotted_ring::FAMILY,
        swimming_pool::FAMILY,
        token_ring::FAMILY,
    ]
}

/// Looks a family up by the name that the command line uses.
pub fn find(name: &str) -> Option<&'static Family> {
    all().iter().find(|family| family.name == name)
}
