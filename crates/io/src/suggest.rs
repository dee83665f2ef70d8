//! The name that a misspelt name probably stands for.

/// More edits than this make a different name, not a misspelling.
const MOST_EDITS: usize = 4;

/// Longer names are not compared, since they are rarely typed.
const LONGEST: usize = 300;

/// The first of `names` with the fewest edits from `name`, unless all are too far away. Capitals do not count.
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |word: &str| -> Vec<char> { word.chars().flat_map(char::to_lowercase).collect() };
    let wanted = letters(name);
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    // A third of a short name may be wrong, but not the only letter of a name.
    let mut limit = (wanted.len() / 2).min(wanted.len().div_ceil(3)).min(MOST_EDITS);
    let mut best = None;
    for candidate in names {
        // Bytes bound characters from above, so this cheap test never drops a near name.
        if candidate.len() > 4 * (wanted.len() + limit) {
            continue;
        }
        if let Some(edits) = distance(&wanted, &letters(candidate), limit) {
            best = Some(candidate);
            if edits == 0 {
                break;
            }
            limit = edits - 1;
        }
    }
    best
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two words; `None` if it exceeds
/// `limit`. Only a diagonal band of the usual table is filled, so a long list stays fast.
fn distance(a: &[char], b: &[char], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let far = limit + 1;
    let mut before = vec![far; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).map(|j| j.min(far)).collect();
    let mut row = vec![far; b.len() + 1];
    for i in 1..=a.len() {
        let (from, to) = (i.saturating_sub(limit).max(1), (i + limit).min(b.len()));
        row.fill(far);
        row[0] = i.min(far);
        for j in from..=to {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut edits = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                edits = edits.min(before[j - 2] + 1);
            }
            row[j] = edits.min(far);
        }
        std::mem::swap(&mut before, &mut above);
        std::mem::swap(&mut above, &mut row);
    }
    (above[b.len()] <= limit).then_some(above[b.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
        nearest(name, names.iter().copied())
    }

    #[test]
    fn a_slip_is_found() {
        assert_eq!(among("conjuction", &["disjunction", "conjunction"]), Some("conjunction"));
        assert_eq!(among("palce7", &["place1", "place7"]), Some("place7"));
        assert_eq!(among("P1", &["q1", "p1"]), Some("p1"));
    }

    #[test]
    fn another_name_is_not_suggested() {
        assert_eq!(among("p", &["q"]), None);
        assert_eq!(among("idle", &["busy", "waiting_for_answer"]), None);
        assert_eq!(among("", &["a"]), None);
        assert_eq!(among("x", &[]), None);
    }

    #[test]
    fn the_first_of_equals_is_taken() {
        assert_eq!(among("p12", &["p11", "p13"]), Some("p11"));
    }

    #[test]
    fn edits_are_counted() {
        let count =
            |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>(), 4);
        assert_eq!(count("kitten", "sitting"), Some(3));
        assert_eq!(count("ab", "ba"), Some(1));
        assert_eq!(count("", "abc"), Some(3));
        assert_eq!(count("abcdef", "uvwxyz"), None);
    }
}
