//! Names and numbers as Tina writes them: a name is a plain word, or stands in braces with `\` before `{`, `}` and `\`;
//! a number may have a letter behind it that multiplies it.

use crate::{Fault, scanner, scanner::Word};

/// The words that begin a declaration in a `.net` file, where they cannot be names.
pub(super) const KEYWORDS: [&str; 6] = ["net", "tr", "pl", "lb", "nt", "pr"];

/// What the letter behind a number multiplies it by.
const MULTIPLIERS: [(char, u64); 6] = [
    ('K', 1_000),
    ('M', 1_000_000),
    ('G', 1_000_000_000),
    ('T', 1_000_000_000_000),
    ('P', 1_000_000_000_000_000),
    ('E', 1_000_000_000_000_000_000),
];

/// Whether a name may contain this character without braces around it.
pub(super) fn is_plain(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '\'' || letter == '_'
}

/// The name in the braces that `text` begins with, and how many bytes they are.
pub(super) fn braced(text: &str, offset: u64) -> Result<(String, usize), Fault> {
    let mut name = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '}' => return Ok((name, at + 1)),
            '{' => {
                let fault = Fault::at(offset + at as u64, "a `{` stands within a name in braces");
                return Err(fault.hint("within braces, write `\\{`, `\\}` and `\\\\`"));
            }
            '\\' => match letters.next() {
                Some((_, escaped @ ('{' | '}' | '\\'))) => name.push(escaped),
                Some((_, other)) => {
                    let fault =
                        Fault::at(offset + at as u64, format!("`\\{other}` has no meaning in a name"));
                    return Err(fault.hint("within braces, write `\\{`, `\\}` and `\\\\`"));
                }
                None => break,
            },
            _ => name.push(letter),
        }
    }
    Err(Fault::at(offset, "the name in braces does not end").hint("close it with `}`"))
}

/// A weight or a number of tokens, such as `12` or `3K`.
pub(super) fn count(word: Word<'_>) -> Result<u64, Fault> {
    let digits = word.text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let factor = match &word.text[digits.len()..] {
        "" => 1,
        suffix => {
            let known = MULTIPLIERS.iter().find(|(letter, _)| suffix.chars().eq([*letter]));
            let unknown = || {
                let fault = Fault::at(word.offset, format!("`{}` is not a number", word.text));
                fault.hint("a number may end with K, M, G, T, P or E for thousands, millions and so on")
            };
            known.ok_or_else(unknown)?.1
        }
    };
    let value = scanner::number(Word { text: digits, ..word })?;
    let too_large = || Fault::at(word.offset, format!("the number {} does not fit into 64 bits", word.text));
    value.checked_mul(factor).ok_or_else(too_large)
}
