//! Splits formulas of LoLA into tokens.
//!
//! LoLA's names may contain signs, and LoLA reads the longest text without white space as one name: `a-b` is a place if the
//! net has one of that name. Where it has none, LoLA refuses the text; this lexer splits it at its signs.

use fireset_net::{Comparison, Nodes};

use super::{COMMENTS, is_inner};
use crate::{
    Fault,
    query::names::{Binder, NodeKind},
    scanner::{Scanner, Word},
};

/// Signs at which a text that is no name is split.
const SIGNS: &str = "+-*=<>!#[]";

/// Longer words are cut to this number of characters in messages.
const SHOWN: usize = 80;

/// A longer text is not tried as a name at more than this number of signs.
const MOST_CUTS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LolaKeyword {
    Formula,
    Max,
    True,
    False,
    Deadlock,
    Fireable,
    Initial,
    Not,
    And,
    Or,
    Xor,
    ForAll,
    Exists,
    Always,
    Eventually,
    Next,
    Until,
    Release,
    Reachable,
    Invariant,
    Impossible,
}

use LolaKeyword as K;

const KEYWORDS: [(&str, LolaKeyword); 22] = [
    ("FORMULA", K::Formula),
    ("MAX", K::Max),
    ("TRUE", K::True),
    ("FALSE", K::False),
    ("DEADLOCK", K::Deadlock),
    ("FIREABLE", K::Fireable),
    ("INITIAL", K::Initial),
    ("NOT", K::Not),
    ("AND", K::And),
    ("OR", K::Or),
    ("XOR", K::Xor),
    ("ALLPATH", K::ForAll),
    ("EXPATH", K::Exists),
    ("ALWAYS", K::Always),
    ("EVENTUALLY", K::Eventually),
    ("NEXTSTATE", K::Next),
    ("NEXTSTEP", K::Next),
    ("UNTIL", K::Until),
    ("RELEASE", K::Release),
    ("REACHABLE", K::Reachable),
    ("INVARIANT", K::Invariant),
    ("IMPOSSIBLE", K::Impossible),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LolaTokenKind {
    End,
    Open,
    Close,
    OpenSquare,
    CloseSquare,
    Semicolon,
    Colon,
    Comma,
    Compare(Comparison),
    Plus,
    Minus,
    Times,
    Implies,
    Iff,
    Keyword(LolaKeyword),
    /// A word of CTL*'s letters, such as `AG` or `U`, which may also be a name.
    PathLetters,
    Number,
    Name,
    /// A sign that LoLA does not have.
    Unknown,
}

/// Symbols; each before those that it begins with.
const SYMBOLS: [(&str, LolaTokenKind); 21] = [
    ("<->", LolaTokenKind::Iff),
    ("->", LolaTokenKind::Implies),
    ("<=", LolaTokenKind::Compare(Comparison::LessEqual)),
    (">=", LolaTokenKind::Compare(Comparison::GreaterEqual)),
    ("<>", LolaTokenKind::Compare(Comparison::NotEqual)),
    ("!=", LolaTokenKind::Compare(Comparison::NotEqual)),
    ("#", LolaTokenKind::Compare(Comparison::NotEqual)),
    ("<", LolaTokenKind::Compare(Comparison::Less)),
    (">", LolaTokenKind::Compare(Comparison::Greater)),
    ("=", LolaTokenKind::Compare(Comparison::Equal)),
    ("+", LolaTokenKind::Plus),
    ("-", LolaTokenKind::Minus),
    ("*", LolaTokenKind::Times),
    ("(", LolaTokenKind::Open),
    (")", LolaTokenKind::Close),
    ("[", LolaTokenKind::OpenSquare),
    ("]", LolaTokenKind::CloseSquare),
    (";", LolaTokenKind::Semicolon),
    (":", LolaTokenKind::Colon),
    (",", LolaTokenKind::Comma),
    ("!", LolaTokenKind::Unknown),
];

#[derive(Clone, Copy, Debug)]
pub(super) struct LolaToken<'t> {
    pub(super) kind: LolaTokenKind,
    pub(super) word: Word<'t>,
}

impl LolaToken<'_> {
    pub(super) fn is(&self, keyword: LolaKeyword) -> bool {
        self.kind == LolaTokenKind::Keyword(keyword)
    }

    /// How messages show it.
    pub(super) fn shown(&self) -> String {
        match self.kind {
            LolaTokenKind::End => "the end of the formula".to_owned(),
            _ => format!("`{}`", self.name()),
        }
    }

    /// Its text, cut if it is long.
    pub(super) fn name(&self) -> String {
        let end = self.word.text.char_indices().nth(SHOWN).map(|(at, _)| at);
        end.map_or(self.word.text.to_owned(), |end| format!("{}...", &self.word.text[..end]))
    }
}

pub(super) struct LolaLexer<'t, 'n> {
    scanner: Scanner<'t>,
    binder: &'n Binder<'n>,
    /// No name of the net has more bytes.
    longest: usize,
}

impl<'t, 'n> LolaLexer<'t, 'n> {
    /// Reads from byte `start` of a text.
    pub(super) fn new(text: &'t str, start: u64, nodes: &Nodes, binder: &'n Binder<'n>) -> Self {
        let mut scanner = Scanner::new(text, COMMENTS);
        scanner.take(start as usize);
        let longest = [&nodes.places, &nodes.transitions]
            .iter()
            .flat_map(|names| (0..names.len()).map(|at| names.get(at).len().max(names.label(at).len())))
            .max();
        Self { scanner, binder, longest: longest.unwrap_or(0) }
    }

    pub(super) fn next(&mut self) -> Result<LolaToken<'t>, Fault> {
        let rest = self.scanner.rest()?;
        if let Some(length) = self.known_name(rest) {
            let word = self.scanner.take(length);
            return Ok(LolaToken { kind: word_kind(word.text), word });
        }
        if let Some((symbol, kind)) = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
            return Ok(LolaToken { kind: *kind, word: self.scanner.take(symbol.len()) });
        }
        let is_word = |letter: char| is_inner(letter) && !SIGNS.contains(letter);
        let word = self.scanner.word(is_word)?;
        let kind = match word.text {
            "" if rest.is_empty() => LolaTokenKind::End,
            // A closing brace is all that can stand here.
            "" => return Err(Fault::at(word.offset, "`}` closes no comment")),
            text => word_kind(text),
        };
        Ok(LolaToken { kind, word })
    }

    /// The length of the longest name of the net with which a text begins, if it ends where LoLA or a sign ends it.
    fn known_name(&self, rest: &str) -> Option<usize> {
        let mut ends = Vec::new();
        for (at, letter) in rest.char_indices().take_while(|(at, _)| *at <= self.longest) {
            let is_end = !is_inner(letter);
            if at > 0 && (is_end || SIGNS.contains(letter)) {
                ends.push(at);
            }
            if is_end || ends.len() > MOST_CUTS {
                break;
            }
        }
        if rest.len() <= self.longest && rest.chars().all(is_inner) && !rest.is_empty() {
            ends.push(rest.len());
        }
        let is_symbol = |text: &str| SYMBOLS.iter().any(|(symbol, _)| *symbol == text);
        let is_known = |text: &str| {
            self.binder.knows(NodeKind::Place, text) || self.binder.knows(NodeKind::Transition, text)
        };
        ends.into_iter().rev().find(|end| !is_symbol(&rest[..*end]) && is_known(&rest[..*end]))
    }
}

/// LoLA reads keywords and numbers as such, even if a node has their name.
fn word_kind(text: &str) -> LolaTokenKind {
    match KEYWORDS.iter().find(|(name, _)| *name == text) {
        Some((_, keyword)) => LolaTokenKind::Keyword(*keyword),
        None if text.bytes().all(|byte| byte.is_ascii_digit()) => LolaTokenKind::Number,
        None if text.bytes().all(|byte| b"AEFGXUR".contains(&byte)) => LolaTokenKind::PathLetters,
        None => LolaTokenKind::Name,
    }
}

/// The keyword that a word would be in capitals.
pub(super) fn keyword_in_capitals(text: &str) -> Option<&'static str> {
    KEYWORDS.iter().map(|(name, _)| *name).find(|name| name.eq_ignore_ascii_case(text) && *name != text)
}
