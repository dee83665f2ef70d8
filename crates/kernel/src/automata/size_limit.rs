//! Limits on the size and the work of a translation: formulas can be hostile.

/// Steps of work for each state or edge of the limit.
const STEPS_PER_ITEM: usize = 1 << 10;

/// The remaining work of a translation, and the largest size of its automata. Each part of the translation that takes long or grows
/// asks it and gives up with `None` when it refuses.
#[derive(Clone, Debug)]
pub(super) struct SizeLimit {
    max_size: usize,
    work_left: usize,
}

impl SizeLimit {
    /// At most `max_size` states and as many edges.
    pub fn new(max_size: usize) -> Self {
        Self { max_size, work_left: max_size.saturating_mul(STEPS_PER_ITEM) }
    }

    /// `None` if an automaton with `size` states or edges is too large.
    pub fn check_size(&self, size: usize) -> Option<()> {
        (size <= self.max_size).then_some(())
    }

    /// Counts steps of work; each structure costs its size, so that memory is bounded too.
    pub fn spend(&mut self, steps: usize) -> Option<()> {
        self.work_left = self.work_left.checked_sub(steps)?;
        Some(())
    }
}
