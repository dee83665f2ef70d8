//! Reads the queries of one file one after the other, with the definitions between them.

use std::{collections::HashMap, rc::Rc};

use fireset_net::{Logic, Property, Unsupported};

use super::{
    Parsed,
    names::Binder,
    parser::{Operand, Parser},
};
use crate::Fault;

/// The most that definitions and patterns may add to the queries of one file, in names; a node counts as [`NODE`] names.
/// Definitions that use one another grow exponentially with their number.
pub(super) const MOST_ADDED: usize = 1 << 26;

/// A node of a formula takes as much memory as this number of names.
pub(super) const NODE: usize = 16;

/// A number or formula under a name.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) operand: Operand,
    pub(super) height: usize,
    /// At least as large as its tree, in names.
    pub(super) size: usize,
    /// The logic by the form of its first quantifier.
    pub(super) logic: Option<Logic>,
    /// Whether it has a bound or a property of the whole net.
    pub(super) is_global: bool,
}

/// Definitions by name; `None` for one that is not understood.
pub(super) type Definitions = HashMap<String, Option<Definition>>;

/// Reads queries and definitions of one file.
pub(crate) struct QueryReader<'n> {
    binder: Binder<'n>,
    definitions: Rc<Definitions>,
    /// What definitions and patterns may still add.
    room: usize,
}

impl<'n> QueryReader<'n> {
    pub(crate) fn new(binder: Binder<'n>) -> Self {
        Self { binder, definitions: Rc::default(), room: MOST_ADDED }
    }

    pub(crate) fn binder(&self) -> &Binder<'n> {
        &self.binder
    }

    pub(crate) fn is_defined(&self, name: &str) -> bool {
        self.definitions.contains_key(name)
    }

    fn parser<'t>(&self, text: &'t str) -> Result<Parser<'t, 'n>, Fault> {
        let mut parser = Parser::new(text, self.binder.clone())?;
        parser.definitions = self.definitions.clone();
        parser.room = self.room;
        Ok(parser)
    }

    /// Reads an expression, which later queries may use by its name. Returns notes for users.
    pub(crate) fn define(&mut self, name: &str, text: &str) -> Result<Vec<String>, Fault> {
        let read = self.parser(text).and_then(|mut parser| {
            let definition = parser.definition();
            // What a wrong definition has used of the room is gone, so that many of them take no long time.
            self.room = parser.room;
            definition.map(|definition| (definition, parser.notes))
        });
        let (definition, notes) = match read {
            Ok((definition, notes)) => (Some(definition), Ok(notes)),
            Err(fault) => (None, Err(fault)),
        };
        Rc::make_mut(&mut self.definitions).insert(name.to_owned(), definition);
        notes
    }

    /// Reads a query, and checks that it is in a supported logic. Returns notes for users beside it.
    pub(crate) fn property(&mut self, name: &str, text: &str) -> Result<(Property, Vec<String>), Fault> {
        let mut parser = self.parser(text)?;
        let parsed = parser.query();
        self.room = parser.room;
        let Parsed { formula, logic } = parsed?;
        let property = Property { name: name.to_owned(), formula, logic };
        if let Err(unsupported) = property.query() {
            let start = text.len() - text.trim_start().len();
            let fault = Fault::at(start as u64, unsupported.to_string());
            return Err(match unsupported {
                Unsupported::EventOutsideLtl | Unsupported::FairnessOutsideLtl => fault.hint(
                    "CTL has a quantifier directly before each temporal operator, LTL one in front or none",
                ),
                Unsupported::Nested => fault,
            });
        }
        let notes = parser.notes.into_iter().map(|note| format!("{name}: {note}")).collect();
        Ok((property, notes))
    }
}
