//! The nearest known name to a misspelt one, for hints.

/// Longer names are not compared: people do not misspell them, machines do.
const LONGEST: usize = 200;

/// The name that is closest to `name`, unless all of them are far from it.
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.chars().take(LONGEST + 1).collect();
    if wanted.len() > LONGEST {
        return None;
    }
    let mut best = None;
    // A third of the letters may differ, and in any case one.
    let mut limit = wanted.len() / 3 + 1;
    for other in names {
        // Characters are one to four bytes, so a name this long cannot be close.
        if other.len() > 4 * (wanted.len() + limit) || other.len() + limit < wanted.len() {
            continue;
        }
        let distance = distance(&wanted, other);
        if distance <= limit {
            best = Some(other);
            match distance {
                0 => break,
                better => limit = better - 1,
            }
        }
    }
    best
}

/// The edit distance with swaps of neighbours left out; a difference in case alone counts as one edit.
fn distance(wanted: &[char], other: &str) -> usize {
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    let folded = |c: char| c.to_ascii_lowercase();
    for (i, there) in other.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &here) in wanted.iter().enumerate() {
            let changed = diagonal + usize::from(folded(here) != folded(there));
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    let same_letters = row[wanted.len()] == 0 && !other.chars().eq(wanted.iter().copied());
    row[wanted.len()] + usize::from(same_letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["place_1", "place_12", "transition"];
        assert_eq!(nearest("plase_1", names.into_iter()), Some("place_1"));
        assert_eq!(nearest("Transition", names.into_iter()), Some("transition"));
        assert_eq!(nearest("unrelated", names.into_iter()), None);
        assert_eq!(nearest("p", ["q", "x"].into_iter()), Some("q"));
        assert_eq!(nearest("", ["long"].into_iter()), None);
    }

    #[test]
    fn an_exact_match_beats_one_in_other_case() {
        assert_eq!(nearest("ab", ["AB", "ab"].into_iter()), Some("ab"));
    }
}
