//! How much a translation may build and work: formulas can be hostile.

/// Steps of work allowed for each state or edge that is allowed.
const STEPS: usize = 1 << 10;

/// What is left of a translation's allowance. Everything that takes long or grows asks it and gives up with
/// `None`.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    most: usize,
    work: usize,
}

impl Limit {
    /// At most so many states and so many edges.
    pub fn new(most: usize) -> Self {
        Self { most, work: most.saturating_mul(STEPS) }
    }

    /// Whether a part of an automaton with so many states or edges may be built.
    pub fn fits(&self, size: usize) -> Option<()> {
        (size <= self.most).then_some(())
    }

    /// Takes some steps off; what is built is paid by its size, so that memory is bounded too.
    pub fn spend(&mut self, steps: usize) -> Option<()> {
        self.work = self.work.checked_sub(steps)?;
        Some(())
    }
}
