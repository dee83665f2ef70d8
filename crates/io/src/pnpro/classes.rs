//! Colour classes and their parts.

use std::collections::HashMap;

use fireset_net::{
    SortId, VariableId,
    coloured::{Colour, ColouredNetBuilder, SortKind},
};

use super::{
    count::{Counts, is_inner},
    draft::GspnDraft,
};
use crate::{
    Fault,
    scanner::{Scanner, Word},
};

/// The largest number of constants of all classes together.
const MAX_CONSTANTS: u64 = 1 << 20;

/// The colours of a net by their names.
pub(super) struct ColourTable<'d> {
    pub(super) counts: Counts<'d>,
    pub(super) builder: ColouredNetBuilder,
    pub(super) dot: SortId,
    pub(super) classes: HashMap<&'d str, SortId>,
    pub(super) variables: HashMap<&'d str, VariableId>,
    /// Constants by class and name.
    pub(super) constants: HashMap<(SortId, String), Colour>,
    /// The colours of parts of classes.
    pub(super) parts: HashMap<(SortId, String), Vec<Colour>>,
    /// Whether successors are defined.
    pub(super) is_circular: HashMap<SortId, bool>,
}

impl<'d> ColourTable<'d> {
    pub(super) fn new(draft: &'d GspnDraft) -> Result<Self, Fault> {
        let mut builder = ColouredNetBuilder::new(draft.name.as_str());
        let dot = builder.sorts.add("dot", SortKind::Dot);
        let dot = dot.map_err(|error| Fault::at(draft.offset, error.to_string()))?;
        let mut table = Self {
            counts: Counts::new(draft),
            builder,
            dot,
            classes: HashMap::new(),
            variables: HashMap::new(),
            constants: HashMap::new(),
            parts: HashMap::new(),
            is_circular: HashMap::new(),
        };
        // A product may stand before its classes.
        let (products, simple): (Vec<_>, Vec<_>) = draft
            .classes
            .iter()
            .partition(|(_, definition, _)| definition.contains('*') && !definition.contains('{'));
        for (name, definition, offset) in simple.into_iter().chain(products) {
            let sort = table
                .class(name, definition)
                .map_err(|fault| Fault { offset: *offset, ..fault }.within(format!("color-class {name}")))?;
            if table.classes.insert(name, sort).is_some() {
                return Err(Fault::at(*offset, format!("the class `{name}` is declared twice")));
            }
        }
        for (name, domain, offset) in &draft.variables {
            let sort = table.domain(domain).map_err(|fault| Fault { offset: *offset, ..fault })?;
            let variable = table.builder.variable(name.as_str(), sort);
            if table.variables.insert(name, variable).is_some() {
                return Err(Fault::at(*offset, format!("the variable `{name}` is declared twice")));
            }
        }
        Ok(table)
    }

    /// The class with a name; without one, that of plain tokens.
    pub(super) fn domain(&self, name: &str) -> Result<SortId, Fault> {
        if name.is_empty() || name.eq_ignore_ascii_case("neutral") {
            return Ok(self.dot);
        }
        self.classes
            .get(name)
            .copied()
            .ok_or_else(|| Fault::at(0, format!("no colour class is called `{name}`")))
    }

    fn class(&mut self, name: &str, definition: &str) -> Result<SortId, Fault> {
        if definition.contains('{') {
            return self.enumeration(name, definition);
        }
        let parts = definition.split('*').map(|part| self.domain(part.trim()));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        if parts.len() < 2 || parts.contains(&self.dot) {
            return Err(Fault::at(0, format!("`{definition}` is no colour class")));
        }
        self.add(name, SortKind::Product(parts))
    }

    fn add(&mut self, name: &str, kind: SortKind) -> Result<SortId, Fault> {
        self.builder.sorts.add(name, kind).map_err(|error| Fault::at(0, error.to_string()))
    }

    fn enumeration(&mut self, name: &str, definition: &str) -> Result<SortId, Fault> {
        let (is_circular, definition) = match definition.strip_prefix("circular") {
            Some(rest) if rest.starts_with([' ', '{']) => (true, rest),
            _ => (false, definition),
        };
        let mut scanner = Scanner::new(definition, &[]);
        let (mut constants, mut parts) = (Vec::new(), Vec::new());
        loop {
            let first = constants.len();
            self.part(&mut scanner, &mut constants)?;
            if scanner.eat("is ")? {
                let part = scanner.word(is_inner)?.text.to_owned();
                parts.push((part, (first..constants.len()).map(|at| Colour(at as u64)).collect()));
            }
            if !scanner.eat("+")? {
                break;
            }
        }
        if !scanner.is_at_end()? {
            return Err(scanner.unexpected("`+` or the end of the class"));
        }
        let kind = SortKind::Enumeration { constants: constants.clone(), cyclic: is_circular };
        let sort = self.add(name, kind)?;
        self.is_circular.insert(sort, is_circular);
        self.parts.extend(parts.into_iter().map(|(part, colours)| ((sort, part), colours)));
        for (at, constant) in constants.into_iter().enumerate() {
            let message = format!("the colour `{constant}` is declared twice");
            if self.constants.insert((sort, constant), Colour(at as u64)).is_some() {
                return Err(Fault::at(0, message));
            }
        }
        Ok(sort)
    }

    /// `name{1..3}` or `{a,b}`.
    fn part(&self, scanner: &mut Scanner<'_>, constants: &mut Vec<String>) -> Result<(), Fault> {
        let prefix = scanner.word(is_inner)?;
        scanner.expect("{")?;
        let inner = scanner.word(|letter| letter != '}')?;
        scanner.expect("}")?;
        let Some((start, end)) = inner.text.split_once("..") else {
            for name in inner.text.split(',').map(str::trim) {
                if name.is_empty() || !name.chars().all(is_inner) {
                    return Err(Fault::at(inner.offset, format!("`{name}` is no name of a colour")));
                }
                constants.push(format!("{}{name}", prefix.text));
            }
            return Ok(());
        };
        let (start, end) = (self.counts.value(start)?, self.counts.value(end)?);
        let many = end.saturating_sub(start).saturating_add(constants.len() as u64);
        if many.saturating_add(self.constants.len() as u64) > MAX_CONSTANTS {
            return Err(Fault::at(
                prefix.offset,
                format!("the classes have more than {MAX_CONSTANTS} colours"),
            ));
        }
        constants.extend((start..=end).map(|number| format!("{}{number}", prefix.text)));
        Ok(())
    }

    /// The constant of a class with a name.
    pub(super) fn constant(&self, sort: SortId, name: Word<'_>) -> Option<Colour> {
        self.constants.get(&(sort, name.text.to_owned())).copied()
    }
}
