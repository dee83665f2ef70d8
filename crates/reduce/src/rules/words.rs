//! What the transitions of a reduced net stand for: sequences of firings of the net as it was.
//!
//! Words share their parts, so an agglomeration costs one node however long the word is; they are only spelled out when
//! a witness is brought back.

use fireset_net::{Step, TransitionId};

/// A word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordId(u32);

/// How a word is made up.
#[derive(Clone, Copy, Debug)]
enum Word {
    Fire(TransitionId),
    Then(WordId, WordId),
    Times(WordId, u64),
}

/// All words of a reduction.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    words: Vec<Word>,
    /// Their lengths; `u64::MAX` for whatever does not fit.
    lengths: Vec<u64>,
}

impl Words {
    fn add(&mut self, word: Word, length: u64) -> WordId {
        let id = u32::try_from(self.words.len())
            .expect("each word belongs to a transition or a rule's application");
        self.words.push(word);
        self.lengths.push(length);
        WordId(id)
    }

    /// One firing.
    pub(super) fn fire(&mut self, transition: TransitionId) -> WordId {
        self.add(Word::Fire(transition), 1)
    }

    /// One word after the other.
    pub(super) fn then(&mut self, first: WordId, second: WordId) -> WordId {
        let length = self.length(first).saturating_add(self.length(second));
        self.add(Word::Then(first, second), length)
    }

    /// A word so many times.
    pub(super) fn times(&mut self, word: WordId, count: u64) -> WordId {
        if count == 1 {
            return word;
        }
        let length = self.length(word).saturating_mul(count);
        self.add(Word::Times(word, count), length)
    }

    /// How many firings it is.
    pub(super) fn length(&self, word: WordId) -> u64 {
        self.lengths[word.0 as usize]
    }

    /// Adds the firings of a word to a run.
    pub(super) fn spell(&self, word: WordId, run: &mut Vec<Step>) {
        let mut open = vec![(word, 1)];
        while let Some((word, count)) = open.pop() {
            if self.length(word) == 0 || count == 0 {
                continue;
            }
            if count > 1 {
                open.push((word, count - 1));
            }
            match self.words[word.0 as usize] {
                Word::Fire(transition) => run.push(Step::plain(transition)),
                Word::Then(first, second) => open.extend([(second, 1), (first, 1)]),
                Word::Times(word, count) => open.push((word, count)),
            }
        }
    }

    /// The first and the last transition of a word that fires something.
    pub(super) fn ends(&self, word: WordId) -> (TransitionId, TransitionId) {
        let end = |pick: fn(WordId, WordId) -> WordId| {
            let mut now = word;
            loop {
                now = match self.words[now.0 as usize] {
                    Word::Fire(transition) => return transition,
                    Word::Then(first, second) => pick(first, second),
                    Word::Times(word, _) => word,
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
    fn words_are_spelled_in_order() {
        let mut words = Words::default();
        let [a, b] = [0, 1].map(|t| words.fire(TransitionId::new(t)));
        let ab = words.then(a, b);
        let twice = words.times(ab, 2);
        let all = words.then(twice, a);
        let mut run = Vec::new();
        words.spell(all, &mut run);
        let fired: Vec<usize> = run.iter().map(|step| step.transition.index()).collect();
        assert_eq!(fired, [0, 1, 0, 1, 0]);
        assert_eq!(words.length(all), 5);
        let huge = words.times(all, u64::MAX);
        assert_eq!(words.length(huge), u64::MAX);
        let (first, last) = words.ends(ab);
        assert_eq!((first.index(), last.index()), (0, 1));
    }
}
