//! Nets and formulas of the model checker LoLA, versions 1 and 2.
//!
//! The grammar follows LoLA's own parsers of both versions. A low-level net is
//!
//! ```text
//! net        = "PLACE" places { ";" places } ";" "MARKING" [ entries ] ";" { transition } [ task ]
//! places     = [ "SAFE" [ number ] ":" ] name { "," name }
//! entries    = entry { "," entry }        entry = name [ ":" number ]
//! transition = "TRANSITION" name "CONSUME" [ entries ] ";" "PRODUCE" [ entries ] ";"
//! task       = "FORMULA" formula | "ANALYSE" ... | "AUTOMATON" ...
//! ```
//!
//! Keywords are in capitals. A name is any text without white space and `,;:(){}`; a place
//! and a transition may share one. A missing count is 1. Counts of a place that is listed several times add up, in markings
//! and in arcs, as both versions of LoLA do it.
//!
//! Comments are `/* */` and `{ }`. LoLA takes all from the first `{` to the last `}` of a line for one comment, so a line
//! with something between two such comments is refused. Text behind `//` is passed over with a note.
//!
//! `SAFE` claims a bound of places: it is passed over, since a wrong claim would make answers wrong. Fairness assumptions
//! (`WEAK FAIR`, `STRONG FAIR`) and high-level nets (`SORT`, `FUNCTION`, `VAR`, `GUARD`) are refused. The formula of a
//! LoLA 1 file becomes a property; other tasks are passed over.

mod formula;
mod lexer;
mod net;
mod operators;
mod parser;
mod write;

pub use formula::read_properties;
pub use net::read;
pub use write::write;

use crate::{
    net_file::Head,
    scanner::{Comment, Scanner},
};

const COMMENTS: &[Comment] = &[Comment::Block("/*", "*/"), Comment::Block("{", "}"), Comment::Line("//")];

/// The words with which a net begins; all but the first begin a high-level net.
const BEGINNINGS: [&str; 4] = ["PLACE", "SORT", "FUNCTION", "CONSTANT"];

/// Words that LoLA 2 does not read as names in a net.
const NET_KEYWORDS: [&str; 9] =
    ["CONSUME", "FAIR", "MARKING", "PLACE", "PRODUCE", "SAFE", "STRONG", "TRANSITION", "WEAK"];

/// Words that LoLA 1 or LoLA 2 does not read as names in a net or in a formula.
const KEYWORDS: &str = "ALL ALLPATH ALWAYS ANALYSE AND ARRAY AUTOMATON BEGIN BOOLEAN CASE CONSTANT CONSUME DEADLOCK DO \
    ELSE END ENUMERATE EVENTUALLY EXISTS EXIT EXPATH FAIR FALSE FINAL FINALMARKING FIREABLE FOR \
    FORMULA FUNCTION GENERATOR GUARD IF IMPOSSIBLE INITIAL INPUT INTERNAL INVARIANT MARKING MAX MOD \
    NEXTSTATE NEXTSTEP NOT OF OR OUTPUT PATH PLACE PRODUCE REACHABLE RECORD RELEASE REPEAT RETURN \
    SAFE SORT STATE STRONG SWITCH THEN TO TRANSITION TRUE UNTIL VAR WEAK WHILE XOR";

fn is_keyword(word: &str) -> bool {
    KEYWORDS.split(' ').any(|keyword| keyword == word)
}

/// Whether a character may stand in a name.
fn is_inner(letter: char) -> bool {
    !letter.is_whitespace() && !",;:(){}".contains(letter)
}

/// The words of LoLA's formulas that no query of fireset has: those are in lower case there, or do not exist.
const FORMULA_WORDS: [&str; 18] = [
    "ALLPATH",
    "ALWAYS",
    "AND",
    "DEADLOCK",
    "EVENTUALLY",
    "EXPATH",
    "FALSE",
    "FIREABLE",
    "FORMULA",
    "IMPOSSIBLE",
    "INITIAL",
    "INVARIANT",
    "NEXTSTATE",
    "NOT",
    "OR",
    "REACHABLE",
    "TRUE",
    "UNTIL",
];

/// Whether a file has formulas of LoLA: outside of quotes stands a word of theirs.
pub(crate) fn recognises_formulas(head: &Head<'_>) -> bool {
    let outside = head.text.split('"').step_by(2);
    let mut words =
        outside.flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
    head.root.is_none() && words.any(|word| FORMULA_WORDS.contains(&word))
}

/// Whether a file is a net of LoLA: its first word tells it.
pub(crate) fn recognises(head: &Head<'_>) -> bool {
    let word = Scanner::new(head.text, COMMENTS).word(is_inner);
    word.is_ok_and(|word| BEGINNINGS.contains(&word.text))
}
