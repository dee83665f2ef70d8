//! Measures whether stubborn sets save enough firings to be worth their time.

/// The number of states that are measured before the decision, and before a second one.
const SAMPLE: u64 = 2048;
const SAMPLE_AGAIN: u64 = 256;
/// The least percentage of enabled transitions that have to be saved.
const LEAST_PERCENT: u64 = 5;
/// With less than the percentage, a saved firing has to make up for the number of processed members of sets that stands beside it. A firing
/// saved in one state is saved again in all its successors, so that with more the time matters less.
const LITTLE: (u64, u64) = (25, 32);
const MUCH: (u64, u64) = (60, 1024);

#[derive(Clone, Debug, Default)]
pub(super) struct ReductionBenefit {
    sum: BenefitCounts,
    /// Counts that are not in the sum yet.
    new: BenefitCounts,
    verdict: Option<bool>,
    again: bool,
}

/// The number of states, of transitions that were enabled there, of those that were chosen, and of processed members
/// of sets.
#[derive(Clone, Copy, Debug, Default)]
struct BenefitCounts {
    states: u64,
    enabled: u64,
    chosen: u64,
    members: u64,
}

impl BenefitCounts {
    fn add(&mut self, other: Self) {
        self.states += other.states;
        self.enabled += other.enabled;
        self.chosen += other.chosen;
        self.members += other.members;
    }
}

impl ReductionBenefit {
    /// Whether to compute sets.
    pub(super) fn is_worth_it(&self) -> bool {
        self.verdict != Some(false)
    }

    /// Whether the decision is still open.
    pub(super) fn measures(&self) -> bool {
        self.verdict.is_none()
    }

    /// Adds a state with its numbers of enabled transitions, of chosen ones, and of processed members of sets.
    pub(super) fn record(&mut self, enabled: usize, chosen: usize, members: u64) {
        self.new.add(BenefitCounts { states: 1, enabled: enabled as u64, chosen: chosen as u64, members });
    }

    /// Adds the counts of a clone since [`ReductionBenefit::decide`] was called.
    pub(super) fn join(&mut self, other: &Self) {
        self.new.add(other.new);
    }

    /// Called when fewer goals are open, so that sets are not larger than before: the decision may change.
    pub(super) fn restart(&mut self) {
        if self.verdict == Some(false) {
            *self = Self { again: true, ..Self::default() };
        }
    }

    /// Decides once enough states were measured.
    pub(super) fn decide(&mut self) {
        if self.verdict.is_some() {
            return;
        }
        self.sum.add(std::mem::take(&mut self.new));
        let BenefitCounts { states, enabled, chosen, members } = self.sum;
        if states >= if self.again { SAMPLE_AGAIN } else { SAMPLE } {
            let saved = enabled - chosen;
            let at_least = |percent: u64| saved * 100 >= enabled * percent;
            let is_cheap = |(percent, members_a_firing): (u64, u64)| {
                at_least(percent) || saved.saturating_mul(members_a_firing) >= members
            };
            self.verdict = Some(at_least(LEAST_PERCENT) && is_cheap(LITTLE) && is_cheap(MUCH));
        }
    }
}
