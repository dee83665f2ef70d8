//! Patterns of names: `*` stands for any letters, `?` for one letter.

/// A pattern, ready to be compared with many names.
pub(super) struct NamePattern(Vec<char>);

impl NamePattern {
    pub(super) fn new(pattern: &str) -> Self {
        let mut letters: Vec<char> = pattern.chars().collect();
        // Stars in a row are one, so that the comparison has no more choices than needed.
        letters.dedup_by(|next, before| *next == '*' && *before == '*');
        Self(letters)
    }

    /// Whether a name matches as a whole. Only the last star is tried again with more letters, since an earlier one with more
    /// letters leaves less for the rest; so the time is at most the product of both lengths.
    pub(super) fn matches(&self, name: &str) -> bool {
        let pattern = &self.0;
        let (mut at, mut rest) = (0, name);
        let mut retry: Option<(usize, &str)> = None;
        loop {
            let letter = rest.chars().next();
            match (pattern.get(at), letter) {
                (Some('*'), _) => {
                    retry = Some((at, rest));
                    at += 1;
                }
                (Some(&wanted), Some(letter)) if wanted == letter || wanted == '?' => {
                    at += 1;
                    rest = &rest[letter.len_utf8()..];
                }
                (None, None) => return true,
                _ => {
                    let Some((star, from)) = retry else { return false };
                    let Some(passed) = from.chars().next() else { return false };
                    rest = &from[passed.len_utf8()..];
                    retry = Some((star, rest));
                    at = star + 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decides by trying all splits, slowly.
    fn expected(pattern: &[char], name: &[char]) -> bool {
        match (pattern, name) {
            ([], []) => true,
            (['*', rest @ ..], _) => (0..=name.len()).any(|taken| expected(rest, &name[taken..])),
            (['?', rest @ ..], [_, others @ ..]) => expected(rest, others),
            ([wanted, rest @ ..], [letter, others @ ..]) => wanted == letter && expected(rest, others),
            _ => false,
        }
    }

    #[test]
    fn patterns_match_as_all_splits_say() {
        let words = |letters: &[char], longest: u32| -> Vec<Vec<char>> {
            let count = letters.len();
            let word = |length: u32, number: usize| {
                (0..length).map(|at| letters[number / count.pow(at) % count]).collect()
            };
            (0..=longest).flat_map(|length| (0..count.pow(length)).map(move |n| word(length, n))).collect()
        };
        let names = words(&['a', 'é'], 5);
        for pattern in words(&['a', 'é', '*', '?'], 4) {
            let compiled = NamePattern::new(&pattern.iter().collect::<String>());
            for name in &names {
                let matches = compiled.matches(&name.iter().collect::<String>());
                assert_eq!(matches, expected(&pattern, name), "{pattern:?} {name:?}");
            }
        }
    }

    #[test]
    fn many_stars_take_no_long_time() {
        let pattern = NamePattern::new(&"*a".repeat(1000));
        assert!(!pattern.matches(&("a".repeat(10_000) + "b")));
    }
}
