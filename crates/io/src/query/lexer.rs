//! The lexer of queries: keywords, names, numbers and symbols.

use std::borrow::Cow;

use fireset_net::{Comparison, Global, Quantifier};

use super::out_of_range;
use crate::{Fault, suggest::nearest};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Next,
    Finally,
    Globally,
    Yesterday,
    Once,
    Historically,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Until,
    Release,
    WeakUntil,
    Since,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LexemeKind {
    /// A name; its text includes the quotes.
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
    Colon,
    End,
}

/// A token of a query with its offset. Petri nets have tokens too, hence the name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme<'t> {
    pub(super) kind: LexemeKind,
    pub(super) start: usize,
    pub(super) text: &'t str,
}

impl<'t> Lexeme<'t> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// The name without quotes and escapes.
    pub(super) fn name(&self) -> Cow<'t, str> {
        let Some(quoted) = self.text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
            return Cow::Borrowed(self.text);
        };
        if !quoted.contains('\\') {
            return Cow::Borrowed(quoted);
        }
        let (mut name, mut escaped) = (String::with_capacity(quoted.len()), false);
        for letter in quoted.chars() {
            let was_escaped = escaped;
            escaped = letter == '\\' && !escaped;
            if !escaped {
                name.push(if was_escaped && letter == 'n' { '\n' } else { letter });
            }
        }
        Cow::Owned(name)
    }

    pub(super) fn shown(&self) -> String {
        if self.kind == LexemeKind::End { "the end of the query".into() } else { format!("`{}`", self.text) }
    }

    pub(super) fn is_quoted(&self) -> bool {
        self.text.starts_with('"')
    }

    /// Whether the name may stand for several nodes.
    pub(super) fn is_pattern(&self) -> bool {
        self.is_quoted() && self.text.contains(['*', '?'])
    }

    pub(super) fn is_keyword(&self) -> bool {
        self.kind != LexemeKind::Name && self.text.starts_with(is_initial)
    }
}

/// Names equal to a keyword must be quoted.
const KEYWORDS: &[(&str, LexemeKind)] = {
    use Quantifier::{Exists, ForAll};
    use Unary::{Finally, Globally, Next};
    &[
        ("true", LexemeKind::Constant(true)),
        ("false", LexemeKind::Constant(false)),
        ("deadlock", LexemeKind::Deadlock),
        ("fireable", LexemeKind::Fireable),
        ("tokens", LexemeKind::Tokens),
        ("bound", LexemeKind::Bound),
        ("live", LexemeKind::Global(Global::Liveness)),
        ("not", LexemeKind::Not),
        ("and", LexemeKind::And),
        ("xor", LexemeKind::Xor),
        ("or", LexemeKind::Or),
        ("implies", LexemeKind::Implies),
        ("iff", LexemeKind::Iff),
        ("X", LexemeKind::Unary(Next)),
        ("F", LexemeKind::Unary(Finally)),
        ("G", LexemeKind::Unary(Globally)),
        ("U", LexemeKind::Binary(Binary::Until)),
        ("R", LexemeKind::Binary(Binary::Release)),
        ("W", LexemeKind::Binary(Binary::WeakUntil)),
        ("A", LexemeKind::Quantifier(ForAll)),
        ("E", LexemeKind::Quantifier(Exists)),
        ("AX", LexemeKind::Joined(ForAll, Next)),
        ("AF", LexemeKind::Joined(ForAll, Finally)),
        ("AG", LexemeKind::Joined(ForAll, Globally)),
        ("EX", LexemeKind::Joined(Exists, Next)),
        ("EF", LexemeKind::Joined(Exists, Finally)),
        ("EG", LexemeKind::Joined(Exists, Globally)),
    ]
};

/// Keywords with a `-`; all other words end before `-`, because it is the minus sign.
const HYPHENATED: &[(&str, Global)] = &[
    ("state-space", Global::StateSpace),
    ("one-safe", Global::OneSafe),
    ("stable-marking", Global::StableMarking),
    ("quasi-live", Global::QuasiLiveness),
];

/// A symbol comes before its prefixes.
const SYMBOLS: &[(&str, LexemeKind)] = &[
    ("<->", LexemeKind::Iff),
    ("<=>", LexemeKind::Iff),
    ("<=", LexemeKind::Compare(Comparison::LessEqual)),
    ("<", LexemeKind::Compare(Comparison::Less)),
    ("->", LexemeKind::Implies),
    ("-", LexemeKind::Minus),
    ("=>", LexemeKind::Implies),
    ("==", LexemeKind::Compare(Comparison::Equal)),
    ("=", LexemeKind::Compare(Comparison::Equal)),
    ("!=", LexemeKind::Compare(Comparison::NotEqual)),
    ("!", LexemeKind::Not),
    (">=", LexemeKind::Compare(Comparison::GreaterEqual)),
    (">", LexemeKind::Compare(Comparison::Greater)),
    ("&&", LexemeKind::And),
    ("&", LexemeKind::And),
    ("||", LexemeKind::Or),
    ("|", LexemeKind::Or),
    ("+", LexemeKind::Plus),
    ("*", LexemeKind::Times),
    ("(", LexemeKind::Open),
    (")", LexemeKind::Close),
    ("[", LexemeKind::OpenSquare),
    ("]", LexemeKind::CloseSquare),
    (",", LexemeKind::Comma),
    (":", LexemeKind::Colon),
];

/// Symbols of other languages, and the symbols of this one.
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

fn keyword(word: &str) -> Option<LexemeKind> {
    KEYWORDS.iter().find(|(text, _)| *text == word).map(|&(_, kind)| kind)
}

pub(super) fn keyword_in_other_case(word: &str) -> Option<&'static str> {
    KEYWORDS.iter().map(|&(text, _)| text).find(|text| text.eq_ignore_ascii_case(word))
}

pub(super) fn nearest_keyword(word: &str) -> Option<&'static str> {
    nearest(word, KEYWORDS.iter().map(|&(text, _)| text))
}

/// Whether a name needs no quotes.
pub(super) fn is_bare(name: &str) -> bool {
    name.starts_with(is_initial) && name.chars().all(is_inner) && keyword(name).is_none()
}

/// The longest word from `start` if `-` belonged to names.
pub(super) fn beyond_minus(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    let end = rest.find(|letter| !is_inner(letter) && letter != '-').unwrap_or(rest.len());
    &rest[..end]
}

#[derive(Clone)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    pub(super) fn next(&mut self) -> Result<Lexeme<'t>, Fault> {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        let Some(first) = rest.chars().next() else { return Ok(self.take(LexemeKind::End, 0)) };
        if first == '"' {
            self.quoted(rest)
        } else if first.is_ascii_digit() {
            self.number(rest)
        } else if is_initial(first) {
            Ok(self.word(rest))
        } else if let Some((text, kind)) = SYMBOLS.iter().find(|(text, _)| rest.starts_with(text)) {
            Ok(self.take(*kind, text.len()))
        } else {
            let fault = Fault::at(self.at as u64, format!("unexpected character `{first}`"));
            let meant = FOREIGN.iter().find(|(text, _)| rest.starts_with(text));
            Err(match meant {
                Some((text, ours)) => fault.hint(format!("write `{ours}` instead of `{text}`")),
                None => fault.hint("quote names with such characters, as in \"place 7\""),
            })
        }
    }

    /// Goes back to a word, and takes this many bytes of it as a name.
    pub(super) fn again(&mut self, start: usize, length: usize) -> Lexeme<'t> {
        self.at = start;
        self.take(LexemeKind::Name, length)
    }

    fn take(&mut self, kind: LexemeKind, length: usize) -> Lexeme<'t> {
        let start = self.at;
        self.at += length;
        Lexeme { kind, start, text: &self.text[start..self.at] }
    }

    fn word(&mut self, rest: &str) -> Lexeme<'t> {
        let length = rest.find(|letter| !is_inner(letter)).unwrap_or(rest.len());
        if rest[length..].starts_with('-') {
            let longer = beyond_minus(rest, 0);
            if let Some(&(text, global)) = HYPHENATED.iter().find(|(text, _)| *text == longer) {
                return self.take(LexemeKind::Global(global), text.len());
            }
        }
        self.take(keyword(&rest[..length]).unwrap_or(LexemeKind::Name), length)
    }

    fn number(&mut self, rest: &str) -> Result<Lexeme<'t>, Fault> {
        let length = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        if rest[length..].starts_with(is_inner) {
            let word = beyond_minus(rest, 0);
            let decimal = word.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
            let hint = match decimal {
                true => "numbers must be whole; multiply both sides".to_owned(),
                false => format!("quote names that begin with a digit: \"{word}\""),
            };
            let message = format!("`{word}` is neither a number nor a plain name");
            return Err(Fault::at(self.at as u64, message).hint(hint));
        }
        match rest[..length].parse() {
            Ok(number) => Ok(self.take(LexemeKind::Number(number), length)),
            Err(_) => Err(out_of_range(self.at as u64, &rest[..length])),
        }
    }

    fn quoted(&mut self, rest: &str) -> Result<Lexeme<'t>, Fault> {
        let mut escaped = false;
        for (at, letter) in rest.char_indices().skip(1) {
            match letter {
                _ if escaped && !matches!(letter, '"' | '\\' | 'n') => {
                    let fault = Fault::at((self.at + at - 1) as u64, format!("unknown escape `\\{letter}`"));
                    return Err(fault.hint(
                        "in a quoted name, write \\\" for a quote, \\\\ for a backslash and \\n for a line end",
                    ));
                }
                '"' if !escaped => return Ok(self.take(LexemeKind::Name, at + 1)),
                _ => escaped = letter == '\\' && !escaped,
            }
        }
        Err(Fault::at(self.at as u64, "unterminated quoted name").hint("close it with \""))
    }
}
