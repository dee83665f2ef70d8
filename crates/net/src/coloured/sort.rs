//! Colour sorts. A colour is its position in its sort, so that every sort is `0..size`.

use crate::SortId;

/// A colour: its position in its sort. In a product, the last component counts fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Colour(pub u64);

/// What a sort is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortKind {
    /// One colour, the plain token.
    Dot,
    /// `false`, then `true`.
    Bool,
    /// Named constants; `cyclic` is how the file declares it. Successors wrap around in either case, as the
    /// contest's models and tools have it.
    Enumeration {
        /// The constants' names.
        constants: Vec<String>,
        /// Whether it was declared as a cyclic enumeration.
        cyclic: bool,
    },
    /// The integers from `start` to `end`, both included.
    IntRange {
        /// The integer that the first colour stands for.
        start: i64,
        /// The integer that the last colour stands for.
        end: i64,
    },
    /// Tuples of colours of these sorts.
    Product(Vec<SortId>),
    /// The blocks of a partition of another sort.
    Partition {
        /// The sort that is cut into blocks.
        base: SortId,
        /// The blocks' names.
        blocks: Vec<String>,
        /// The block of each colour of `base`.
        block_of: Vec<Colour>,
    },
}

/// A sort with its name and the number of its colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    /// Its name in the file.
    pub name: String,
    /// What it is made of.
    pub kind: SortKind,
    size: u64,
}

impl Sort {
    /// How many colours it has; at least one.
    pub fn size(&self) -> u64 {
        self.size
    }
}

/// Why a sort is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortError {
    /// It has no colour.
    Empty,
    /// It has more than 2^64 - 1 colours.
    TooLarge,
}

impl std::fmt::Display for SortError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Empty => "a sort needs at least one colour",
            Self::TooLarge => "the sort has more colours than fit into 64 bits",
        })
    }
}

impl std::error::Error for SortError {}

/// All sorts of a net. A product refers only to sorts before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sorts(Vec<Sort>);

impl Sorts {
    /// Declares a sort under a name that is not taken yet.
    pub fn add(&mut self, name: impl Into<String>, kind: SortKind) -> Result<SortId, SortError> {
        let size = match &kind {
            SortKind::Dot => 1,
            SortKind::Bool => 2,
            SortKind::Enumeration { constants, .. } => constants.len() as u64,
            SortKind::IntRange { start, end } if start > end => 0,
            SortKind::IntRange { start, end } => {
                end.abs_diff(*start).checked_add(1).ok_or(SortError::TooLarge)?
            }
            SortKind::Product(parts) => parts
                .iter()
                .try_fold(1u64, |n, &part| n.checked_mul(self[part].size))
                .ok_or(SortError::TooLarge)?,
            SortKind::Partition { blocks, .. } => blocks.len() as u64,
        };
        if size == 0 {
            return Err(SortError::Empty);
        }
        self.0.push(Sort { name: name.into(), kind, size });
        Ok(SortId::new(self.0.len() - 1))
    }

    /// In the order of their declaration, which is that of their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Sort> {
        self.0.iter()
    }

    /// The components of a tuple; any other colour is its own only component.
    pub fn components(&self, sort: SortId, colour: Colour) -> Vec<Colour> {
        let SortKind::Product(parts) = &self[sort].kind else { return vec![colour] };
        let mut rest = colour.0;
        let mut components: Vec<Colour> = parts
            .iter()
            .rev()
            .map(|&part| {
                let size = self[part].size;
                let component = Colour(rest % size);
                rest /= size;
                component
            })
            .collect();
        components.reverse();
        components
    }

    /// The tuple with these components.
    pub fn tuple(&self, parts: &[SortId], components: &[Colour]) -> Colour {
        debug_assert_eq!(parts.len(), components.len());
        Colour(parts.iter().zip(components).fold(0, |n, (&part, c)| n * self[part].size + c.0))
    }

    /// The integer or position by which colours of this sort are compared.
    pub fn rank(&self, sort: SortId, colour: Colour) -> i128 {
        match self[sort].kind {
            SortKind::IntRange { start, .. } => i128::from(start) + i128::from(colour.0),
            _ => i128::from(colour.0),
        }
    }

    /// How people write a colour: `2`, `blue`, `(1,blue)`.
    pub fn show(&self, sort: SortId, colour: Colour) -> String {
        match &self[sort].kind {
            SortKind::Dot => "dot".into(),
            SortKind::Bool => (colour.0 == 1).to_string(),
            SortKind::Enumeration { constants: names, .. } | SortKind::Partition { blocks: names, .. } => {
                names[colour.0 as usize].clone()
            }
            SortKind::IntRange { .. } => self.rank(sort, colour).to_string(),
            SortKind::Product(parts) => {
                let components = self.components(sort, colour);
                let shown: Vec<_> = parts.iter().zip(components).map(|(&p, c)| self.show(p, c)).collect();
                format!("({})", shown.join(","))
            }
        }
    }

    /// The colour of a sort that [`show`](Self::show) writes as `text`; tuples are not taken apart.
    pub fn read(&self, sort: SortId, text: &str) -> Option<Colour> {
        match &self[sort].kind {
            SortKind::Dot => (text == "dot").then_some(Colour(0)),
            SortKind::Bool => text.parse::<bool>().ok().map(|b| Colour(b.into())),
            SortKind::Enumeration { constants: names, .. } | SortKind::Partition { blocks: names, .. } => {
                names.iter().position(|name| name == text).map(|at| Colour(at as u64))
            }
            SortKind::IntRange { start, end } => {
                let value: i64 = text.parse().ok()?;
                (*start..=*end).contains(&value).then(|| Colour(value.abs_diff(*start)))
            }
            SortKind::Product(_) => None,
        }
    }
}

impl std::ops::Index<SortId> for Sorts {
    type Output = Sort;

    fn index(&self, sort: SortId) -> &Sort {
        &self.0[sort.index()]
    }
}
