//! The size of a state space as text.

use fireset::{Model, net::StateSpaceSize};

/// Two lines: the numbers of states and firings, and the largest numbers of tokens.
pub(super) fn lines(model: &Model, size: &StateSpaceSize) -> String {
    let StateSpaceSize { states, firings, max_in_marking, max_in_place } = size;
    // As in the contest, each colour of a place of a coloured net counts as a place.
    let place = match model {
        Model::Plain(_) => "in a place",
        Model::Coloured(_) => "of a colour in a place",
    };
    let plural = |count: String, word: &str| match count.as_str() {
        "1" => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    };
    let (states, firings) = (plural(states.to_string(), "state"), plural(firings.to_string(), "firing"));
    let tokens = plural(max_in_marking.to_string(), "token");
    format!("{states}, {firings}\nat most {tokens} in a marking, {max_in_place} {place}\n")
}

/// A number of states in words. Engines count to the largest 64-bit number, which stands for all that are larger.
pub fn states(count: u64) -> String {
    match count {
        u64::MAX => "more than 10^18 states".to_owned(),
        count => format!("{count} states"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_64_bits_are_no_numbers() {
        assert_eq!(states(17), "17 states");
        assert_eq!(states(u64::MAX), "more than 10^18 states");
    }
}
