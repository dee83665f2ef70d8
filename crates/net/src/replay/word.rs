//! The values of operators at all positions of an ultimately periodic word.

use crate::{Past, Temporal};

/// The positions `0..length`, where position `back_to` follows the last.
#[derive(Clone, Copy)]
pub(super) struct PeriodicWord {
    pub(super) length: usize,
    pub(super) back_to: usize,
}

impl PeriodicWord {
    pub(super) fn always(self, value: bool) -> Vec<bool> {
        vec![value; self.length]
    }

    pub(super) fn all(self, parts: impl Iterator<Item = Vec<bool>>) -> Vec<bool> {
        parts.fold(self.always(true), |all, part| pairwise(all, part, |a, b| a && b))
    }

    pub(super) fn any(self, parts: impl Iterator<Item = Vec<bool>>) -> Vec<bool> {
        parts.fold(self.always(false), |any, part| pairwise(any, part, |a, b| a || b))
    }

    fn next(self, at: usize) -> usize {
        if at + 1 == self.length { self.back_to } else { at + 1 }
    }

    /// The least or greatest solution of `x[i] = now[i] or (stay[i] and x[i+1])`: two rounds from the back are
    /// enough, because the second knows what the first found for the start of the loop.
    fn solve(self, stay: Vec<bool>, now: Vec<bool>, start: bool) -> Vec<bool> {
        let mut value = self.always(start);
        for _ in 0..2 {
            for at in (0..self.length).rev() {
                value[at] = now[at] || (stay[at] && value[self.next(at)]);
            }
        }
        value
    }

    pub(super) fn temporal(self, operator: Temporal<Vec<bool>>) -> Vec<bool> {
        match operator {
            Temporal::Next(f) => (0..self.length).map(|at| f[self.next(at)]).collect(),
            Temporal::Finally(f) => self.solve(self.always(true), f, false),
            Temporal::Globally(f) => self.solve(f, self.always(false), true),
            Temporal::Until(f, g) => self.solve(f, g, false),
            Temporal::WeakUntil(f, g) => self.solve(f, g, true),
            Temporal::Release(release, hold) => {
                self.solve(hold.clone(), pairwise(release, hold, |a, b| a && b), true)
            }
        }
    }

    /// The past of each position when the word is read for the first time: what comes before the start of the loop is the
    /// prefix, not the end of the loop.
    pub(super) fn past(self, operator: Past<Vec<bool>>) -> Vec<bool> {
        let since = |stay: Vec<bool>, now: Vec<bool>| {
            let mut before = false;
            (0..self.length)
                .map(|at| {
                    before = now[at] || (stay[at] && before);
                    before
                })
                .collect::<Vec<bool>>()
        };
        match operator {
            Past::Yesterday(f) => (0..self.length).map(|at| at > 0 && f[at - 1]).collect(),
            Past::Once(f) => since(self.always(true), f),
            Past::Historically(f) => negated(since(self.always(true), negated(f))),
            Past::Since(f, g) => since(f, g),
        }
    }
}

pub(super) fn negated(values: Vec<bool>) -> Vec<bool> {
    values.into_iter().map(|value| !value).collect()
}

pub(super) fn pairwise(a: Vec<bool>, b: Vec<bool>, join: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    a.into_iter().zip(b).map(|(a, b)| join(a, b)).collect()
}
