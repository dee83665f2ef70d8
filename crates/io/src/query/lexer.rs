//! Words, names, numbers and symbols of a query, one at a time.

use std::borrow::Cow;

use fireset_net::{Comparison, Global, Quantifier};

use super::out_of_range;
use crate::{Fault, suggest::nearest};

/// A temporal operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Next,
    Finally,
    Globally,
}

/// A temporal operator between its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Until,
    Release,
    WeakUntil,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name; its text has the quotes where there are some.
    Name,
    Number(u64),
    Constant(bool),
    Deadlock,
    Global(Global),
    Fireable,
    Tokens,
    Bound,
    Not,
    And,
    Xor,
    Or,
    Implies,
    Iff,
    Unary(Unary),
    Binary(Binary),
    Quantifier(Quantifier),
    /// A quantifier and a temporal operator in one word.
    Joined(Quantifier, Unary),
    Compare(Comparison),
    Plus,
    Minus,
    Times,
    Open,
    Close,
    OpenSquare,
    CloseSquare,
    Comma,
    End,
}

/// A piece of a query and where it stands in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) text: &'t str,
}

impl<'t> Token<'t> {
    /// Where it ends in the query.
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// The name that it is, without quotes and escapes.
    pub(super) fn name(&self) -> Cow<'t, str> {
        let Some(quoted) = self.text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
            return Cow::Borrowed(self.text);
        };
        if !quoted.contains('\\') {
            return Cow::Borrowed(quoted);
        }
        let (mut name, mut escaped) = (String::with_capacity(quoted.len()), false);
        for letter in quoted.chars() {
            escaped = letter == '\\' && !escaped;
            if !escaped {
                name.push(letter);
            }
        }
        Cow::Owned(name)
    }

    /// How messages call it.
    pub(super) fn shown(&self) -> String {
        if self.kind == Kind::End { "the end of the query".into() } else { format!("`{}`", self.text) }
    }

    /// Whether it is a word that the language has taken.
    pub(super) fn is_keyword(&self) -> bool {
        self.kind != Kind::Name && self.text.starts_with(is_initial)
    }
}

/// The words of the language. Names that are equal to one are quoted.
const KEYWORDS: &[(&str, Kind)] = {
    use Quantifier::{Exists, ForAll};
    use Unary::{Finally, Globally, Next};
    &[
        ("true", Kind::Constant(true)),
        ("false", Kind::Constant(false)),
        ("deadlock", Kind::Deadlock),
        ("fireable", Kind::Fireable),
        ("tokens", Kind::Tokens),
        ("bound", Kind::Bound),
        ("live", Kind::Global(Global::Liveness)),
        ("not", Kind::Not),
        ("and", Kind::And),
        ("xor", Kind::Xor),
        ("or", Kind::Or),
        ("implies", Kind::Implies),
        ("iff", Kind::Iff),
        ("X", Kind::Unary(Next)),
        ("F", Kind::Unary(Finally)),
        ("G", Kind::Unary(Globally)),
        ("U", Kind::Binary(Binary::Until)),
        ("R", Kind::Binary(Binary::Release)),
        ("W", Kind::Binary(Binary::WeakUntil)),
        ("A", Kind::Quantifier(ForAll)),
        ("E", Kind::Quantifier(Exists)),
        ("AX", Kind::Joined(ForAll, Next)),
        ("AF", Kind::Joined(ForAll, Finally)),
        ("AG", Kind::Joined(ForAll, Globally)),
        ("EX", Kind::Joined(Exists, Next)),
        ("EF", Kind::Joined(Exists, Finally)),
        ("EG", Kind::Joined(Exists, Globally)),
    ]
};

/// Words with a `-` inside; all other words end before one, because it is the minus sign.
const HYPHENATED: &[(&str, Global)] = &[
    ("state-space", Global::StateSpace),
    ("one-safe", Global::OneSafe),
    ("stable-marking", Global::StableMarking),
    ("quasi-live", Global::QuasiLiveness),
];

/// Longer symbols come before their beginnings.
const SYMBOLS: &[(&str, Kind)] = &[
    ("<->", Kind::Iff),
    ("<=>", Kind::Iff),
    ("<=", Kind::Compare(Comparison::LessEqual)),
    ("<", Kind::Compare(Comparison::Less)),
    ("->", Kind::Implies),
    ("-", Kind::Minus),
    ("=>", Kind::Implies),
    ("==", Kind::Compare(Comparison::Equal)),
    ("=", Kind::Compare(Comparison::Equal)),
    ("!=", Kind::Compare(Comparison::NotEqual)),
    ("!", Kind::Not),
    (">=", Kind::Compare(Comparison::GreaterEqual)),
    (">", Kind::Compare(Comparison::Greater)),
    ("&&", Kind::And),
    ("&", Kind::And),
    ("||", Kind::Or),
    ("|", Kind::Or),
    ("+", Kind::Plus),
    ("*", Kind::Times),
    ("(", Kind::Open),
    (")", Kind::Close),
    ("[", Kind::OpenSquare),
    ("]", Kind::CloseSquare),
    (",", Kind::Comma),
];

/// Symbols of other languages, and what they are here.
const FOREIGN: &[(&str, &str)] = &[
    ("/\\", "&&"),
    ("\\/", "||"),
    ("~", "!"),
    ("¬", "!"),
    ("∧", "&&"),
    ("∨", "||"),
    ("→", "->"),
    ("≤", "<="),
    ("≥", ">="),
    ("≠", "!="),
    ("□", "G"),
    ("◇", "F"),
];

fn is_initial(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

fn is_inner(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '.'
}

fn keyword(word: &str) -> Option<Kind> {
    KEYWORDS.iter().find(|(text, _)| *text == word).map(|&(_, kind)| kind)
}

/// The word of the language that differs from this one in capitals only.
pub(super) fn keyword_in_other_case(word: &str) -> Option<&'static str> {
    KEYWORDS.iter().map(|&(text, _)| text).find(|text| text.eq_ignore_ascii_case(word))
}

/// The word of the language that is written much like this one.
pub(super) fn nearest_keyword(word: &str) -> Option<&'static str> {
    nearest(word, KEYWORDS.iter().map(|&(text, _)| text))
}

/// Whether a name can stand in a query without quotes.
pub(super) fn is_bare(name: &str) -> bool {
    name.starts_with(is_initial) && name.chars().all(is_inner) && keyword(name).is_none()
}

/// The name that goes on where a bare word ends, over `-` too.
pub(super) fn beyond_minus(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    let end = rest.find(|letter| !is_inner(letter) && letter != '-').unwrap_or(rest.len());
    &rest[..end]
}

/// Cuts a query into tokens.
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    /// At the start of a query.
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The whole query.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Result<Token<'t>, Fault> {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        let Some(first) = rest.chars().next() else { return Ok(self.take(Kind::End, 0)) };
        if first == '"' {
            self.quoted(rest)
        } else if first.is_ascii_digit() {
            self.number(rest)
        } else if is_initial(first) {
            Ok(self.word(rest))
        } else if let Some((text, kind)) = SYMBOLS.iter().find(|(text, _)| rest.starts_with(text)) {
            Ok(self.take(*kind, text.len()))
        } else {
            let fault = Fault::at(self.at as u64, format!("`{first}` has no meaning in a query"));
            let meant = FOREIGN.iter().find(|(text, _)| rest.starts_with(text));
            Err(match meant {
                Some((text, ours)) => fault.hint(format!("for `{text}` write `{ours}`")),
                None => fault.hint("names with such characters are quoted, as in \"place 7\""),
            })
        }
    }

    fn take(&mut self, kind: Kind, length: usize) -> Token<'t> {
        let start = self.at;
        self.at += length;
        Token { kind, start, text: &self.text[start..self.at] }
    }

    fn word(&mut self, rest: &str) -> Token<'t> {
        let length = rest.find(|letter| !is_inner(letter)).unwrap_or(rest.len());
        if rest[length..].starts_with('-') {
            let longer = beyond_minus(rest, 0);
            if let Some(&(text, global)) = HYPHENATED.iter().find(|(text, _)| *text == longer) {
                return self.take(Kind::Global(global), text.len());
            }
        }
        self.take(keyword(&rest[..length]).unwrap_or(Kind::Name), length)
    }

    fn number(&mut self, rest: &str) -> Result<Token<'t>, Fault> {
        let length = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        if rest[length..].starts_with(is_inner) {
            let word = beyond_minus(rest, 0);
            let decimal = word.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
            let hint = match decimal {
                true => "numbers are whole; multiply both sides".to_owned(),
                false => format!("names that begin with a digit are quoted: \"{word}\""),
            };
            let message = format!("`{word}` is neither a number nor a plain name");
            return Err(Fault::at(self.at as u64, message).hint(hint));
        }
        match rest[..length].parse() {
            Ok(number) => Ok(self.take(Kind::Number(number), length)),
            Err(_) => Err(out_of_range(self.at as u64, &rest[..length])),
        }
    }

    fn quoted(&mut self, rest: &str) -> Result<Token<'t>, Fault> {
        let mut escaped = false;
        for (at, letter) in rest.char_indices().skip(1) {
            match letter {
                _ if escaped && letter != '"' && letter != '\\' => {
                    let fault = Fault::at((self.at + at - 1) as u64, format!("`\\{letter}` has no meaning"));
                    return Err(
                        fault.hint("in a quoted name, write \\\" for a quote and \\\\ for a backslash")
                    );
                }
                '"' if !escaped => return Ok(self.take(Kind::Name, at + 1)),
                _ => escaped = letter == '\\' && !escaped,
            }
        }
        Err(Fault::at(self.at as u64, "this quoted name does not end").hint("close it with \""))
    }
}
