//! What enumerations of a net's structure may cost, and what they found when they ended.

use std::time::Instant;

/// How many elements an enumeration may list, and until when.
#[derive(Clone, Copy, Debug)]
pub struct EnumerationLimits {
    /// The most elements that are listed.
    pub number: usize,
    /// When it ends; `None` for no limit.
    pub deadline: Option<Instant>,
}

impl EnumerationLimits {
    /// Whether the deadline has passed.
    pub fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// The limit that ended an enumeration before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReachedLimit {
    /// There are more elements than may be listed.
    Number,
    /// The deadline has passed.
    Time,
    /// Intermediate results were too many, or their numbers too large.
    Size,
}

/// The elements that an enumeration found. Each is right, whether or not the enumeration was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration<T> {
    /// The elements, small ones first.
    pub found: Vec<T>,
    /// Why there may be more elements; `None` if these are all.
    pub cut_off: Option<ReachedLimit>,
}

impl<T> Enumeration<T> {
    /// Whether these are all elements.
    pub fn is_complete(&self) -> bool {
        self.cut_off.is_none()
    }
}
