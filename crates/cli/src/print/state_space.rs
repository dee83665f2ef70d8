//! The size of a state space as text.

use fireset::{
    Model,
    net::{Count, PartialStateSpace, StateSpaceSize},
};

/// Two lines: the numbers of states and firings, and the largest numbers of tokens.
pub(super) fn lines(model: &Model, size: &StateSpaceSize) -> String {
    let StateSpaceSize { states, firings, max_in_marking, max_in_place } = size;
    let (states, firings) = (plural(states, "state"), plural(firings, "firing"));
    let (tokens, place) = (plural(max_in_marking, "token"), in_place(model));
    format!("{states}, {firings}\nat most {tokens} in a marking, {max_in_place} {place}\n")
}

/// Two lines like those of [`lines`], with the unknown parts named.
pub(super) fn known_lines(model: &Model, known: &PartialStateSpace) -> String {
    let tokens = |count: &Option<Count>, spot: &str| match count {
        Some(count) => format!("at most {} {}", plural(count, "token"), spot),
        None => format!("unknown most tokens {}", spot),
    };
    let (marking, place) =
        (tokens(&known.max_in_marking, "in a marking"), tokens(&known.max_in_place, in_place(model)));
    format!("unknown numbers of states and firings\n{marking}, {place}\n")
}

/// As in the contest, each colour of a place of a coloured net counts as a place.
fn in_place(model: &Model) -> &'static str {
    match model {
        Model::Plain(_) => "in a place",
        Model::Coloured(_) => "of a colour in a place",
    }
}

fn plural(count: &Count, word: &str) -> String {
    match count.to_string().as_str() {
        "1" => format!("1 {word}"),
        count => format!("{count} {word}s"),
    }
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
    use fireset::StopReason;

    use super::*;

    #[test]
    fn unknown_parts_are_named() {
        let model = Model::Plain(fireset_oracle::tiny::net("p:1"));
        let max_in_marking = Some(1u8.into());
        let known = PartialStateSpace { max_in_marking, max_in_place: None, reason: StopReason::Time };
        assert_eq!(
            known_lines(&model, &known),
            "unknown numbers of states and firings\nat most 1 token in a marking, unknown most tokens in a place\n"
        );
    }

    #[test]
    fn numbers_beyond_64_bits_are_no_numbers() {
        assert_eq!(states(17), "17 states");
        assert_eq!(states(u64::MAX), "more than 10^18 states");
    }
}
