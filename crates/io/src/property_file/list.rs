//! The properties of a file, with those that are not understood beside them.

use fireset_net::Property;

use super::Expectation;
use crate::{Fault, InputError};

/// A property with what its file says beside the formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedProperty {
    /// With names bound to the net.
    pub property: Property,
    /// For a run that compares verdicts with expected ones.
    pub expected: Option<Expectation>,
}

impl From<Property> for AskedProperty {
    fn from(property: Property) -> Self {
        Self { property, expected: None }
    }
}

/// A property that cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedProperty<E = InputError> {
    /// The name that an answer would have.
    pub name: String,
    /// Why the property is not understood, and where.
    pub error: E,
}

/// The properties of a file or of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyList<E = InputError> {
    /// In the order of the file. Several may have the same name.
    pub properties: Vec<AskedProperty>,
    /// Those that are not understood.
    pub refused: Vec<RefusedProperty<E>>,
    /// What a user may wonder about, each in one sentence.
    pub notes: Vec<String>,
}

impl<E> Default for PropertyList<E> {
    fn default() -> Self {
        Self { properties: Vec::new(), refused: Vec::new(), notes: Vec::new() }
    }
}

impl<E> From<Vec<Property>> for PropertyList<E> {
    fn from(properties: Vec<Property>) -> Self {
        let properties = properties.into_iter().map(AskedProperty::from).collect();
        Self { properties, ..Self::default() }
    }
}

impl<E> PropertyList<E> {
    /// The number of properties, refused or not.
    pub fn len(&self) -> usize {
        self.properties.len() + self.refused.len()
    }

    /// Whether the list has not even a refused property.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the properties of another list at the end.
    pub fn append(&mut self, other: Self) {
        self.properties.extend(other.properties);
        self.refused.extend(other.refused);
        self.notes.extend(other.notes);
    }

    /// The properties alone, or the first error.
    pub(crate) fn all(self) -> Result<Vec<Property>, E> {
        match self.refused.into_iter().next() {
            Some(refused) => Err(refused.error),
            None => Ok(self.properties.into_iter().map(|asked| asked.property).collect()),
        }
    }
}

impl PropertyList<Fault> {
    /// Finds the lines and columns of all faults in the text of a file. The lines are counted once, since a file may have
    /// many faults.
    pub(crate) fn located(self, source: &str, text: &str) -> PropertyList {
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let locate = |fault: Fault| {
            let offset = (fault.offset as usize).min(text.len());
            let line = starts.partition_point(|&start| start <= offset) - 1;
            let end = starts.get(line + 1).copied().unwrap_or(text.len());
            let fault = Fault { offset: (offset - starts[line]) as u64, ..fault };
            let mut error = InputError::locate_in(source, &text[starts[line]..end], fault);
            if let Some(position) = &mut error.position {
                position.line += line as u64;
            }
            error
        };
        let Self { properties, refused, notes } = self;
        let refused = refused
            .into_iter()
            .map(|RefusedProperty { name, error }| RefusedProperty { name, error: locate(error) });
        PropertyList { properties, refused: refused.collect(), notes }
    }
}
