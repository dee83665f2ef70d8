//! Whether the parts of a query fit: their sorts, their names, and what to say when they do not.

use fireset_net::{Comparison, Expr, Formula, PlaceId, TransitionId, Unsupported};

use super::{
    lexer::{self, Token, beyond_minus, keyword_in_other_case, nearest_keyword},
    names::{Kind, Unbound},
    parser::{Parser, Part, Sort},
    show::quote,
};
use crate::Fault;

impl<'t> Parser<'t, '_> {
    /// The part as a formula.
    pub(super) fn formula(&self, part: Part) -> Result<(Formula, usize), Fault> {
        match part.sort {
            Sort::Formula(formula) => Ok((formula, part.height)),
            Sort::Number(tokens @ Expr::Tokens(_)) if self.free => {
                let marked = Formula::Compare(Comparison::GreaterEqual, tokens, Expr::Constant(1));
                Ok((marked, part.height + 1))
            }
            Sort::Number(_) => {
                let text = &self.lexer.text()[part.span.clone()];
                let message = format!("`{text}` is a number, but a formula is expected here");
                Err(Fault::at(part.span.start as u64, message)
                    .hint(format!("compare it with another, as in `{text} >= 1`")))
            }
        }
    }

    /// The part as a number.
    pub(super) fn number(&self, part: Part) -> Result<(Expr, usize), Fault> {
        let text = &self.lexer.text()[part.span.clone()];
        let at = part.span.start as u64;
        match part.sort {
            Sort::Number(number) => Ok((number, part.height)),
            Sort::Formula(Formula::Bound(_)) => {
                let inside = text.strip_prefix("bound").unwrap_or(text);
                Err(Fault::at(at, Unsupported::Nested.to_string())
                    .hint(format!("that a bound is kept is an invariant: `AG (tokens{inside} <= 3)`")))
            }
            Sort::Formula(_) => {
                let fault = Fault::at(at, format!("`{text}` is a formula, but a number is expected here"));
                Err(match self.quoting(text) {
                    Some(hint) => fault.hint(hint),
                    None => fault,
                })
            }
        }
    }

    /// The place that a token names.
    pub(super) fn place(&self, token: Token<'t>) -> Result<PlaceId, Fault> {
        let name = token.name();
        self.binder.place(&name).map_err(|unbound| self.unbound(Kind::Place, token, &name, unbound))
    }

    /// The transition that a token names.
    pub(super) fn transition(&self, token: Token<'t>) -> Result<TransitionId, Fault> {
        let name = token.name();
        let kind = Kind::Transition;
        self.binder.transition(&name).map_err(|unbound| self.unbound(kind, token, &name, unbound))
    }

    /// What to say about a name that has no id.
    fn unbound(&self, kind: Kind, token: Token<'t>, name: &str, unbound: Unbound<'_>) -> Fault {
        let fault = Fault::at(token.start as u64, unbound.message(kind, name));
        let longer = beyond_minus(self.lexer.text(), token.start);
        let shown = |name: &str| format!("`{}`", quote(name));
        let hint = match (unbound, kind) {
            (Unbound::OtherKind, Kind::Place) => format!("write fireable({})", token.text),
            (Unbound::OtherKind, Kind::Transition) => {
                format!("to speak of its tokens, compare them, as in `{} >= 1`", token.text)
            }
            _ if longer.len() > token.text.len() && self.binder.knows(kind, longer) => {
                format!("a name with `-` is quoted: \"{longer}\"")
            }
            _ => keyword_in_other_case(token.text)
                .map(|word| format!("did you mean `{word}`?"))
                .or_else(|| unbound.hint(shown))
                .or_else(|| nearest_keyword(token.text).map(|word| format!("did you mean `{word}`?")))
                .unwrap_or_else(|| self.binder.examples(kind, shown)),
        };
        fault.hint(hint)
    }

    /// What to say when the token at hand does not fit.
    pub(super) fn unexpected(&self, expected: &str) -> Fault {
        let message = format!("expected {expected}, found {}", self.token.shown());
        let fault = Fault::at(self.token.start as u64, message);
        // `F >= 1` fails behind the word that was meant as a name, `tokens(F)` at it.
        let words = [self.token, self.previous].into_iter().filter(Token::is_keyword);
        match words.into_iter().find_map(|word| self.quoting(word.text)) {
            Some(hint) => fault.hint(hint),
            None => match self.meant() {
                Some(hint) => fault.hint(hint),
                None => fault,
            },
        }
    }

    /// What was probably meant by the token at hand and the one before.
    fn meant(&self) -> Option<&'static str> {
        use lexer::Kind;
        let (before, here) = (self.previous, self.token);
        let adjacent = before.end() == here.start;
        Some(match (before.kind, here.kind) {
            (Kind::Name, Kind::Open) => {
                "a place stands for its tokens of all colours together; to ask about one colour unfold the net first"
            }
            (_, Kind::OpenSquare) => "for `[] f` write `G f`; `A[f U g]` and `E[f U g]` need the quantifier",
            (Kind::Compare(Comparison::Less), Kind::Compare(Comparison::Greater)) if adjacent => {
                "for `<> f` write `F f`, and for `a <> b` `a != b`"
            }
            (Kind::Compare(Comparison::Equal), Kind::Compare(Comparison::Less)) if adjacent => "write `<=`",
            (Kind::Open, Kind::Close) => "name what it is about, as in `fireable(t1, t2)`",
            _ => return None,
        })
    }

    /// How to write a word that is a keyword and a name, when it is both.
    fn quoting(&self, word: &str) -> Option<String> {
        let kinds = [Kind::Place, Kind::Transition];
        let kind = kinds.into_iter().find(|&kind| self.binder.knows(kind, word))?;
        Some(format!("`{word}` is a word of the language; to mean the {} write \"{word}\"", kind.noun()))
    }

    /// What to say at a second comparison.
    pub(super) fn chained(&self) -> Fault {
        let fault = Fault::at(self.token.start as u64, "comparisons cannot be chained");
        fault.hint("write `a < b && b < c`")
    }
}
