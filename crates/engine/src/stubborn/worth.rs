//! Whether stubborn sets save enough firings to be worth their time.

/// So many states are looked at before that is said, and when it is asked again.
const SAMPLE: u64 = 2048;
const SAMPLE_AGAIN: u64 = 256;
/// Of a hundred enabled transitions so many have to be saved.
const LEAST_PERCENT: u64 = 5;
/// With so many the time does not matter: what is saved in one state is saved again in all that follow from it.
const MUCH_PERCENT: u64 = 25;
/// With fewer, a firing that is saved makes up for so many members of sets that are looked at.
const MEMBERS_A_FIRING: u64 = 32;

/// What was saved.
#[derive(Clone, Debug, Default)]
pub(super) struct Worth {
    sum: Tally,
    /// What is not in the sum yet.
    new: Tally,
    verdict: Option<bool>,
    again: bool,
}

/// States, the transitions that were enabled there, those among them that were taken, and the members of sets that
/// were looked at.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    states: u64,
    enabled: u64,
    taken: u64,
    members: u64,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.states += other.states;
        self.enabled += other.enabled;
        self.taken += other.taken;
        self.members += other.members;
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

    /// In a state with so many enabled transitions some were taken, after looking at so many members of sets.
    pub(super) fn note(&mut self, enabled: usize, taken: usize, members: u64) {
        self.new.add(Tally { states: 1, enabled: enabled as u64, taken: taken as u64, members });
    }

    /// Adds what another one saw since [`Worth::decide`] was called, before which both were the same.
    pub(super) fn join(&mut self, other: &Self) {
        self.new.add(other.new);
    }

    /// Fewer transitions are asked for now, so that sets are not larger than before: what was not worth it may be.
    pub(super) fn restart(&mut self) {
        if self.verdict == Some(false) {
            *self = Self { again: true, ..Self::default() };
        }
    }

    /// Says what it is worth, once enough was seen.
    pub(super) fn decide(&mut self) {
        if self.verdict.is_some() {
            return;
        }
        self.sum.add(std::mem::take(&mut self.new));
        let Tally { states, enabled, taken, members } = self.sum;
        if states >= if self.again { SAMPLE_AGAIN } else { SAMPLE } {
            let saved = enabled - taken;
            let at_least = |percent: u64| saved * 100 >= enabled * percent;
            let cheap = saved * MEMBERS_A_FIRING >= members;
            self.verdict = Some(at_least(MUCH_PERCENT) || at_least(LEAST_PERCENT) && cheap);
        }
    }
}
