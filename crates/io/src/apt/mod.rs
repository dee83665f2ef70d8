//! Nets of APT, a tool that analyses Petri nets and labelled transition systems.
//!
//! The grammar follows APT's own parser. Sections come in any order; those of places, transitions, flows and final markings
//! may come several times.
//!
//! ```text
//! net     = { section }
//! section = ".name" string | ".type" ( "LPN" | "PN" ) | ".description" string | ".places" { node }
//!         | ".transitions" { node } | ".flows" { name ":" bag "->" bag [ options ] }
//!         | ".initial_marking" [ bag ] | ".final_markings" { bag }
//! node    = name [ options ]              options = "[" option { "," option } "]"
//! option  = name [ "=" ( string | number ) ]
//! bag     = "{" [ term { "," term } ] "}"     term = [ number "*" ] name
//! ```
//!
//! A name has letters, digits and `_`; one that begins with a digit has digits only. Comments are `//` and `/* */`, strings
//! have no escapes. Places that a bag lists several times add up. An arc in two lines of flows is refused, as in APT.
//!
//! The option `label` becomes the label of its node; other options are passed over with a note, since APT only keeps them
//! for its modules. Transition systems (`.type LTS`, `.states`) and sections that APT does not have are refused.

mod read;
mod write;

pub use read::read;
pub use write::{write, write_with_final_markings};

use crate::{
    net_file::Head,
    scanner::{Comment, Scanner},
};

const COMMENTS: &[Comment] = &[Comment::Line("//"), Comment::Block("/*", "*/")];

/// The sections of nets.
const NET_SECTIONS: [&str; 8] = [
    ".name",
    ".type",
    ".description",
    ".places",
    ".transitions",
    ".flows",
    ".initial_marking",
    ".final_markings",
];

/// The sections that only transition systems have.
const SYSTEM_SECTIONS: [&str; 3] = [".states", ".labels", ".arcs"];

/// Words of the grammar that APT does not read as names.
const TYPES: [&str; 2] = ["LPN", "PN"];

fn is_name_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Whether a word can be a name.
fn is_name(word: &str) -> bool {
    let is_word = !word.is_empty() && word.chars().all(is_name_letter);
    is_word && (!word.starts_with(|first: char| first.is_ascii_digit()) || is_number(word))
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a file is one of APT: its first section tells it. A circuit may also begin with a name, but not with a string.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    let mut scanner = Scanner::new(head.text, COMMENTS);
    let Ok(section) = scanner.word(|letter| letter == '.' || is_name_letter(letter)) else { return false };
    match section.text {
        ".name" | ".description" => scanner.rest().is_ok_and(|rest| rest.starts_with('"')),
        other => NET_SECTIONS.contains(&other) || SYSTEM_SECTIONS.contains(&other),
    }
}
