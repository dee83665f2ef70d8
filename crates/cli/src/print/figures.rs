//! The size of a state space, in lines for people.

use fireset::{Model, net::Figures};

/// How many markings and firings there are, and how many tokens at most.
pub(super) fn lines(model: &Model, figures: &Figures) -> String {
    let Figures { states, firings, max_in_marking, max_in_place } = figures;
    // As in the contest, a place of a coloured net is as many places as there are colours.
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
