//! Checks types and names of operands, with the messages for wrong ones.

use fireset_net::{Comparison, Expr, Formula, PlaceId, Unsupported};

use super::{
    lexer::{self, Lexeme, beyond_minus, keyword_in_other_case, nearest_keyword},
    names::{NodeKind, Unbound},
    parser::{LocatedOperand, Operand, Parser},
    show::quote,
};
use crate::Fault;

/// Words that are tried together as a name that should have been quoted.
const MAX_WORDS: usize = 12;

impl<'t> Parser<'t, '_> {
    pub(super) fn formula(&self, part: LocatedOperand) -> Result<(Formula, usize), Fault> {
        match part.operand {
            Operand::Formula(formula) => Ok((formula, part.height)),
            Operand::Number(tokens @ Expr::Tokens(_)) if self.free => {
                let marked = Formula::Compare(Comparison::GreaterEqual, tokens, Expr::Constant(1));
                Ok((marked, part.height + 1))
            }
            Operand::Number(_) => {
                let text = &self.lexer.text()[part.span.clone()];
                let message = format!("`{text}` is a number, but a formula is expected here");
                Err(Fault::at(part.span.start as u64, message)
                    .hint(format!("compare it with another, as in `{text} >= 1`")))
            }
        }
    }

    pub(super) fn number(&self, part: LocatedOperand) -> Result<(Expr, usize), Fault> {
        let text = &self.lexer.text()[part.span.clone()];
        let at = part.span.start as u64;
        match part.operand {
            Operand::Number(number) => Ok((number, part.height)),
            Operand::Formula(Formula::Bound(_) | Formula::ColourBound(_)) => {
                let inside = text.strip_prefix("bound").unwrap_or(text);
                Err(Fault::at(at, Unsupported::Nested.to_string())
                    .hint(format!("to check a bound, write an invariant: `AG (tokens{inside} <= 3)`")))
            }
            Operand::Formula(_) => {
                let fault = Fault::at(at, format!("`{text}` is a formula, but a number is expected here"));
                Err(match self.quoting(text) {
                    Some(hint) => fault.hint(hint),
                    None => fault,
                })
            }
        }
    }

    pub(super) fn place(&self, token: Lexeme<'t>) -> Result<PlaceId, Fault> {
        let name = token.name();
        self.binder.place(&name).map_err(|unbound| self.unbound(NodeKind::Place, token, &name, unbound))
    }

    pub(super) fn unbound(
        &self,
        kind: NodeKind,
        token: Lexeme<'t>,
        name: &str,
        unbound: Unbound<'_>,
    ) -> Fault {
        let fault = Fault::at(token.start as u64, unbound.message(kind, name));
        let longer = beyond_minus(self.lexer.text(), token.start);
        let shown = |name: &str| format!("`{}`", quote(name));
        let hint = match (unbound, kind) {
            (Unbound::OtherKind, NodeKind::Place) => format!("write fireable({})", token.text),
            (Unbound::OtherKind, NodeKind::Transition) => {
                format!("to refer to the place, compare its tokens, as in `{} >= 1`", token.text)
            }
            _ if self.is_defined(token.text) => {
                format!(
                    "`{name}` is a definition, which stands for a number or a formula and not for a {}",
                    kind.noun()
                )
            }
            (Unbound::Unknown(_), NodeKind::Place)
                if token.is_pattern() && !self.binder.matching(kind, name).is_empty() =>
            {
                format!("for the sum over all places that match, write tokens({})", token.text)
            }
            _ if longer.len() > token.text.len() && self.binder.knows(kind, longer) => {
                format!("a name with `-` is quoted: \"{longer}\"")
            }
            _ => self
                .quoting_words(kind, token)
                .or_else(|| keyword_in_other_case(token.text).map(|word| format!("did you mean `{word}`?")))
                .or_else(|| unbound.hint(shown))
                .or_else(|| nearest_keyword(token.text).map(|word| format!("did you mean `{word}`?")))
                .unwrap_or_else(|| self.binder.examples(kind, shown)),
        };
        fault.hint(hint)
    }

    /// The fault of an unexpected token.
    pub(super) fn unexpected(&self, expected: &str) -> Fault {
        let message = format!("expected {expected}, found {}", self.token.shown());
        let fault = Fault::at(self.token.start as u64, message);
        // `F >= 1` fails after the word that was meant as a name, `tokens(F)` at the word.
        let words = [self.token, self.previous].into_iter().filter(Lexeme::is_keyword);
        match words.into_iter().find_map(|word| self.quoting(word.text)) {
            Some(hint) => fault.hint(hint),
            None => match self.meant().map(str::to_owned).or_else(|| self.quoting_previous()) {
                Some(hint) => fault.hint(hint),
                None => fault,
            },
        }
    }

    /// A hint to quote the words from the token before, if they are a name.
    fn quoting_previous(&self) -> Option<String> {
        let kinds = [NodeKind::Place, NodeKind::Transition];
        kinds.into_iter().find_map(|kind| self.quoting_words(kind, self.previous))
    }

    /// A hint to quote the words from a token on, if some of them together are a name.
    fn quoting_words(&self, kind: NodeKind, first: Lexeme<'t>) -> Option<String> {
        let rest = &self.lexer.text()[first.start..];
        let ends = rest.match_indices(' ').map(|(at, _)| at).chain([rest.len()]).take(MAX_WORDS);
        let words = ends.map(|end| rest[..end].trim_end_matches([',', ')']));
        let name = words.filter(|words| words.contains(' ') && self.binder.knows(kind, words)).last()?;
        Some(format!("a name with blanks is quoted: {}", quote(name)))
    }

    /// A hint for the current token and the one before.
    fn meant(&self) -> Option<&'static str> {
        use lexer::LexemeKind;
        let (before, here) = (self.previous, self.token);
        let adjacent = before.end() == here.start;
        Some(match (before.kind, here.kind) {
            (LexemeKind::Name, LexemeKind::Open) => {
                "a place denotes its tokens of all colours; to refer to one colour, write `place[colour]`"
            }
            (_, LexemeKind::OpenSquare) => {
                "for `[] f` write `G f`; `A[f U g]` and `E[f U g]` need the quantifier"
            }
            (LexemeKind::Compare(Comparison::Less), LexemeKind::Compare(Comparison::Greater)) if adjacent => {
                "for `<> f` write `F f`, and for `a <> b` `a != b`"
            }
            (LexemeKind::Compare(Comparison::Equal), LexemeKind::Compare(Comparison::Less)) if adjacent => {
                "write `<=`"
            }
            (LexemeKind::Open, LexemeKind::Close) => "name places or transitions, as in `fireable(t1, t2)`",
            _ => return None,
        })
    }

    /// A hint to quote a word that is both a keyword and a name.
    fn quoting(&self, word: &str) -> Option<String> {
        let kinds = [NodeKind::Place, NodeKind::Transition];
        let kind = kinds.into_iter().find(|&kind| self.binder.knows(kind, word))?;
        Some(format!("`{word}` is a keyword; for the {} write \"{word}\"", kind.noun()))
    }

    /// The fault of a second comparison.
    pub(super) fn chained(&self) -> Fault {
        let fault = Fault::at(self.token.start as u64, "comparisons cannot be chained");
        fault.hint("write `a < b && b < c`")
    }
}
