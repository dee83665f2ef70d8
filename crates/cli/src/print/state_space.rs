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
