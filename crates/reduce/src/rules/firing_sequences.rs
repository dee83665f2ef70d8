//! What the transitions of a reduced net stand for: sequences of firings of the net as it was.
//!
//! Sequences share their parts, so an agglomeration costs one node however long its sequence is; they are expanded only when
//! a witness is brought back.

use fireset_net::{Step, TransitionId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SequenceId(u32);

/// How a sequence is composed.
#[derive(Clone, Copy, Debug)]
enum FiringSequence {
    Fire(TransitionId),
    Then(SequenceId, SequenceId),
    Times(SequenceId, u64),
}

/// All sequences of a reduction.
#[derive(Clone, Debug, Default)]
pub(super) struct FiringSequences {
    sequences: Vec<FiringSequence>,
    /// Their lengths; `u64::MAX` for whatever does not fit.
    lengths: Vec<u64>,
}

impl FiringSequences {
    fn add(&mut self, sequence: FiringSequence, length: u64) -> SequenceId {
        let id = u32::try_from(self.sequences.len())
            .expect("each sequence belongs to a transition or a rule's application");
        self.sequences.push(sequence);
        self.lengths.push(length);
        SequenceId(id)
    }

    pub(super) fn fire(&mut self, transition: TransitionId) -> SequenceId {
        self.add(FiringSequence::Fire(transition), 1)
    }

    /// The concatenation of two sequences.
    pub(super) fn then(&mut self, first: SequenceId, second: SequenceId) -> SequenceId {
        let length = self.length(first).saturating_add(self.length(second));
        self.add(FiringSequence::Then(first, second), length)
    }

    /// A sequence repeated `count` times.
    pub(super) fn times(&mut self, sequence: SequenceId, count: u64) -> SequenceId {
        if count == 1 {
            return sequence;
        }
        let length = self.length(sequence).saturating_mul(count);
        self.add(FiringSequence::Times(sequence, count), length)
    }

    /// The number of firings, at most `u64::MAX`.
    pub(super) fn length(&self, sequence: SequenceId) -> u64 {
        self.lengths[sequence.0 as usize]
    }

    /// Appends the firings of a sequence to a run.
    pub(super) fn expand(&self, sequence: SequenceId, run: &mut Vec<Step>) {
        let mut open = vec![(sequence, 1)];
        while let Some((sequence, count)) = open.pop() {
            if self.length(sequence) == 0 || count == 0 {
                continue;
            }
            if count > 1 {
                open.push((sequence, count - 1));
            }
            match self.sequences[sequence.0 as usize] {
                FiringSequence::Fire(transition) => run.push(Step::plain(transition)),
                FiringSequence::Then(first, second) => open.extend([(second, 1), (first, 1)]),
                FiringSequence::Times(sequence, count) => open.push((sequence, count)),
            }
        }
    }

    /// The first and the last transition of a sequence that is not empty.
    pub(super) fn ends(&self, sequence: SequenceId) -> (TransitionId, TransitionId) {
        let end = |pick: fn(SequenceId, SequenceId) -> SequenceId| {
            let mut now = sequence;
            loop {
                now = match self.sequences[now.0 as usize] {
                    FiringSequence::Fire(transition) => return transition,
                    FiringSequence::Then(first, second) => pick(first, second),
                    FiringSequence::Times(sequence, _) => sequence,
                }
            }
        };
        (end(|first, _| first), end(|_, second| second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_expanded_in_order() {
        let mut sequences = FiringSequences::default();
        let [a, b] = [0, 1].map(|t| sequences.fire(TransitionId::new(t)));
        let ab = sequences.then(a, b);
        let twice = sequences.times(ab, 2);
        let all = sequences.then(twice, a);
        let mut run = Vec::new();
        sequences.expand(all, &mut run);
        let fired: Vec<usize> = run.iter().map(|step| step.transition.index()).collect();
        assert_eq!(fired, [0, 1, 0, 1, 0]);
        assert_eq!(sequences.length(all), 5);
        let huge = sequences.times(all, u64::MAX);
        assert_eq!(sequences.length(huge), u64::MAX);
        let (first, last) = sequences.ends(ab);
        assert_eq!((first.index(), last.index()), (0, 1));
    }
}
