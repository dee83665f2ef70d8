//! Reads the queries of one file one after the other, with the definitions between them.

use std::{collections::HashMap, rc::Rc};

use fireset_net::{Logic, Property, Unsupported};

use super::{
    Parsed,
    names::Binder,
    parser::{Operand, Parser},
};
use crate::Fault;

/// The most nodes of formulas that definitions may add to one file, and the most names that patterns may. Definitions that
/// use one another grow exponentially with their number.
pub(super) const MOST_ADDED: usize = 4_000_000;

/// A number or formula under a name.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) operand: Operand,
    pub(super) height: usize,
    /// At least as large as the number of nodes and names in its tree.
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
            let definition = parser.definition()?;
            Ok((definition, parser.room, parser.notes))
        });
        let (definition, room, notes) = match read {
            Ok(read) => (Ok(read.0), read.1, read.2),
            Err(fault) => (Err(fault), self.room, Vec::new()),
        };
        self.room = room;
        Rc::make_mut(&mut self.definitions).insert(name.to_owned(), definition.as_ref().ok().cloned());
        definition.map(|_| notes)
    }

    /// Reads a query, and checks that it is in a supported logic. Returns notes for users beside it.
    pub(crate) fn property(&mut self, name: &str, text: &str) -> Result<(Property, Vec<String>), Fault> {
        let mut parser = self.parser(text)?;
        let Parsed { formula, logic } = parser.query()?;
        let property = Property { name: name.to_owned(), formula, logic };
        if let Err(unsupported) = property.query() {
            let start = text.len() - text.trim_start().len();
            let fault = Fault::at(start as u64, unsupported.to_string());
            return Err(match unsupported {
                Unsupported::CtlStar => fault.hint(
                    "CTL has a quantifier directly before each temporal operator, LTL one in front or none",
                ),
                Unsupported::Nested => fault,
            });
        }
        self.room = parser.room;
        let notes = parser.notes.into_iter().map(|note| format!("{name}: {note}")).collect();
        Ok((property, notes))
    }
}
