//! Whether stubborn sets save enough firings to be worth their time.

/// So many states are looked at before that is said.
const SAMPLE: u64 = 4096;
/// Of a hundred enabled transitions so many have to be saved.
const LEAST_PERCENT: u64 = 5;

/// What was saved.
#[derive(Clone, Debug, Default)]
pub(super) struct Worth {
    sum: Tally,
    /// What is not in the sum yet.
    new: Tally,
    verdict: Option<bool>,
}

/// States, the transitions that were enabled there, and those among them that were taken.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    states: u64,
    enabled: u64,
    taken: u64,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.states += other.states;
        self.enabled += other.enabled;
        self.taken += other.taken;
    }
}

impl Worth {
    /// Whether they are to be computed.
    pub(super) fn is_given(&self) -> bool {
        self.verdict != Some(false)
    }

    /// Whether it wants to know what is saved.
    pub(super) fn measures(&self) -> bool {
        self.verdict.is_none()
    }

    /// In a state with so many enabled transitions some were taken.
    pub(super) fn note(&mut self, enabled: usize, taken: usize) {
        self.new.add(Tally { states: 1, enabled: enabled as u64, taken: taken as u64 });
    }

    /// Adds what another one saw since [`Worth::decide`] was called, before which both were the same.
    pub(super) fn join(&mut self, other: &Self) {
        self.new.add(other.new);
    }

    /// Begins again, since other sets are asked for.
    pub(super) fn restart(&mut self) {
        *self = Self::default();
    }

    /// Says what it is worth, once enough was seen.
    pub(super) fn decide(&mut self) {
        if self.verdict.is_some() {
            return;
        }
        self.sum.add(std::mem::take(&mut self.new));
        let Tally { states, enabled, taken } = self.sum;
        if states >= SAMPLE {
            self.verdict = Some((enabled - taken) * 100 >= enabled * LEAST_PERCENT);
        }
    }
}
