//! Parses a formula of LoLA by operator precedence.
//!
//! Formulas and numbers share one grammar, since after `(` either can follow. Open operators are kept on a stack of the
//! parser's own, and the height of the tree is bounded by [`DEEPEST`], because other code recurses over it.

use std::collections::HashSet;

use fireset_net::{Expr, Formula, PlaceId, Unsupported};

use super::{
    lexer::{LolaKeyword, LolaLexer, LolaToken, LolaTokenKind, keyword_in_capitals},
    operators::{LolaInfix, LolaPrefix, LolaVersion},
};
use crate::{
    Fault,
    query::{
        names::{Binder, NodeKind, Unbound},
        out_of_range,
    },
};

/// The largest height of a tree, and the largest number of operators and parentheses around an operand.
const DEEPEST: usize = 1000;

enum LolaValue {
    Formula(Formula),
    Number(Expr),
}

/// A part of a formula, with its offset and the height of its tree.
struct LolaOperand {
    value: LolaValue,
    start: u64,
    height: usize,
    /// The infix operator that joins it, unless it stands in parentheses.
    chain: Option<LolaInfix>,
}

/// An operator or parenthesis that waits for an operand.
enum OpenPart<'t> {
    Prefix(LolaPrefix, u64),
    Infix(LolaInfix, LolaOperand),
    Group(LolaToken<'t>),
}

pub(super) struct LolaParser<'t, 'n> {
    lexer: LolaLexer<'t, 'n>,
    binder: &'n Binder<'n>,
    version: LolaVersion,
    pub(super) token: LolaToken<'t>,
    open: Vec<OpenPart<'t>>,
}

impl<'t, 'n> LolaParser<'t, 'n> {
    pub(super) fn new(
        mut lexer: LolaLexer<'t, 'n>,
        binder: &'n Binder<'n>,
        version: LolaVersion,
    ) -> Result<Self, Fault> {
        let token = lexer.next()?;
        Ok(Self { lexer, binder, version, token, open: Vec::new() })
    }

    /// One formula, up to a token that cannot continue it.
    pub(super) fn formula(&mut self) -> Result<Formula, Fault> {
        self.eat(LolaTokenKind::Keyword(LolaKeyword::Formula))?;
        if self.token.kind == LolaTokenKind::End {
            return Err(Fault::at(self.token.word.offset, "a formula is missing")
                .hint("write one, such as `REACHABLE DEADLOCK`"));
        }
        if self.token.is(LolaKeyword::Max) {
            let max = self.advance()?;
            if self.token.kind != LolaTokenKind::Open {
                return Err(self.unexpected("`(`"));
            }
            let open = self.token.word.offset;
            let operand = self.expression()?;
            if operand.start != open || operand.chain.is_some() {
                return Err(Fault::at(max.word.offset, Unsupported::Nested.to_string()));
            }
            return Ok(Formula::Bound(bounded_places(self.number(operand)?.0, max.word.offset)?));
        }
        let operand = self.expression()?;
        Ok(self.as_formula(operand)?.0)
    }

    fn expression(&mut self) -> Result<LolaOperand, Fault> {
        loop {
            let mut operand = self.operand()?;
            loop {
                match LolaInfix::from_token(self.token.kind, self.token.word.text) {
                    Some(infix) => {
                        self.infix(infix, operand)?;
                        break;
                    }
                    None => match self.token.kind {
                        LolaTokenKind::Close | LolaTokenKind::CloseSquare => {
                            operand = self.close_group(operand)?;
                        }
                        _ => return self.finish(operand),
                    },
                }
            }
        }
    }

    /// Pushes prefixes and parentheses, and parses the atom after them.
    fn operand(&mut self) -> Result<LolaOperand, Fault> {
        loop {
            let token = self.token;
            let start = token.word.offset;
            match token.kind {
                LolaTokenKind::Open => {
                    self.advance()?;
                    self.push(OpenPart::Group(token), start)?;
                }
                LolaTokenKind::OpenSquare if self.is_behind_quantifier() => {
                    self.advance()?;
                    self.push(OpenPart::Group(token), start)?;
                }
                LolaTokenKind::Keyword(keyword) => match LolaPrefix::from_keyword(keyword) {
                    Some(prefix) => {
                        self.advance()?;
                        self.push(OpenPart::Prefix(prefix, start), start)?;
                    }
                    None => return self.atom(token, keyword),
                },
                LolaTokenKind::PathLetters => {
                    self.advance()?;
                    if self.is_name(token) {
                        return self.place(token);
                    }
                    self.push_letters(token)?;
                }
                _ => return self.term(token),
            }
        }
    }

    /// A word such as `A` is a name where an operator of numbers or a parenthesis follows.
    fn is_name(&self, token: LolaToken<'_>) -> bool {
        match self.token.kind {
            LolaTokenKind::Compare(_) | LolaTokenKind::Plus | LolaTokenKind::Close => true,
            LolaTokenKind::Minus => self.binder.knows(NodeKind::Place, token.word.text),
            _ => false,
        }
    }

    fn push_letters(&mut self, token: LolaToken<'_>) -> Result<(), Fault> {
        for (at, letter) in token.word.text.char_indices() {
            let start = token.word.offset + at as u64;
            let Some(prefix) = LolaPrefix::from_letter(letter) else {
                let message = format!("`{letter}` stands between two formulas, as in `A (f {letter} g)`");
                return Err(Fault::at(start, message));
            };
            self.push(OpenPart::Prefix(prefix, start), start)?;
        }
        Ok(())
    }

    fn is_behind_quantifier(&self) -> bool {
        let last = self.open.last();
        matches!(last, Some(OpenPart::Prefix(LolaPrefix::ForAll | LolaPrefix::Exists, _)))
    }

    fn atom(&mut self, token: LolaToken<'t>, keyword: LolaKeyword) -> Result<LolaOperand, Fault> {
        let formula = match keyword {
            LolaKeyword::True => Formula::Constant(true),
            LolaKeyword::False => Formula::Constant(false),
            LolaKeyword::Deadlock => Formula::Deadlock,
            LolaKeyword::Fireable => return self.fireable(token),
            LolaKeyword::Initial => {
                let message = "`INITIAL`, the initial marking, is not supported in formulas";
                return Err(Fault::at(token.word.offset, message)
                    .hint("write it as a conjunction, such as `p = 1 AND q = 0`"));
            }
            LolaKeyword::Max => {
                return Err(Fault::at(token.word.offset, Unsupported::Nested.to_string()));
            }
            _ => return Err(self.unexpected("a formula")),
        };
        self.advance()?;
        Ok(leaf(LolaValue::Formula(formula), token))
    }

    fn fireable(&mut self, token: LolaToken<'t>) -> Result<LolaOperand, Fault> {
        self.advance()?;
        if !self.eat(LolaTokenKind::Open)? {
            return Err(self.unexpected("`(`"));
        }
        let name = self.advance()?;
        let bound = self.binder.transition(name.word.text);
        let transition = bound.map_err(|unbound| unknown(unbound, NodeKind::Transition, name))?;
        if !self.eat(LolaTokenKind::Close)? {
            return Err(self.unexpected("`)`"));
        }
        Ok(leaf(LolaValue::Formula(Formula::Fireable(vec![transition])), token))
    }

    /// A number or a place.
    fn term(&mut self, token: LolaToken<'t>) -> Result<LolaOperand, Fault> {
        match token.kind {
            LolaTokenKind::Name => {
                self.advance()?;
                self.place(token)
            }
            LolaTokenKind::Number => {
                self.advance()?;
                self.constant(token, token.word.text.to_owned())
            }
            LolaTokenKind::Minus => {
                self.advance()?;
                if self.token.kind != LolaTokenKind::Number {
                    return Err(self.unexpected("a number behind the sign"));
                }
                let number = self.advance()?;
                self.constant(token, format!("-{}", number.word.text))
            }
            _ => Err(self.unexpected("a formula or a number")),
        }
    }

    fn constant(&mut self, token: LolaToken<'t>, digits: String) -> Result<LolaOperand, Fault> {
        let value = digits.parse().map_err(|_| out_of_range(token.word.offset, &digits))?;
        Ok(leaf(LolaValue::Number(Expr::Constant(value)), token))
    }

    fn place(&mut self, token: LolaToken<'t>) -> Result<LolaOperand, Fault> {
        let bound = self.binder.place(token.word.text);
        let place = bound.map_err(|unbound| unknown(unbound, NodeKind::Place, token))?;
        Ok(leaf(LolaValue::Number(Expr::Tokens(vec![place])), token))
    }

    /// Takes an infix operator behind its left operand.
    fn infix(&mut self, infix: LolaInfix, operand: LolaOperand) -> Result<(), Fault> {
        let token = self.token;
        let is_until = matches!(infix, LolaInfix::Until | LolaInfix::Release);
        let precedence = if is_until { 1 } else { infix.precedence(self.version) };
        let left = self.reduce(operand, precedence)?;
        if is_until && !matches!(self.open.last(), Some(OpenPart::Group(_))) {
            let message = format!("{} stands in parentheses with its two operands", token.shown());
            let hint = format!("write `(f {} g)`", token.word.text);
            return Err(Fault::at(token.word.offset, message).hint(hint));
        }
        if infix == LolaInfix::Times {
            self.refuse_product(&left, token)?;
        }
        self.advance()?;
        self.push(OpenPart::Infix(infix, left), token.word.offset)
    }

    /// LoLA multiplies by numbers only, which stand in front.
    fn refuse_product(&self, left: &LolaOperand, token: LolaToken<'t>) -> Result<(), Fault> {
        let mut has_place = false;
        if let LolaValue::Number(number) = &left.value {
            number.places(&mut |_| has_place = true);
        }
        if has_place {
            let message = "only a number can stand before `*`";
            return Err(Fault::at(token.word.offset, message).hint("write `2 * p` instead of `p * 2`"));
        }
        Ok(())
    }

    /// Applies all open operators that bind at least as tight.
    fn reduce(&mut self, mut operand: LolaOperand, precedence: u8) -> Result<LolaOperand, Fault> {
        loop {
            let is_tight = match self.open.last() {
                Some(OpenPart::Prefix(prefix, _)) => prefix.precedence(self.version) >= precedence,
                Some(OpenPart::Infix(infix, _)) => infix.precedence(self.version) >= precedence,
                Some(OpenPart::Group(_)) | None => false,
            };
            operand = match if is_tight { self.open.pop() } else { None } {
                Some(OpenPart::Prefix(prefix, start)) => {
                    let (formula, height) = self.as_formula(operand)?;
                    let value = LolaValue::Formula(prefix.apply(formula));
                    bounded(LolaOperand { value, start, height: height + prefix.levels(), chain: None })?
                }
                Some(OpenPart::Infix(infix, left)) => self.join(infix, left, operand)?,
                _ => return Ok(operand),
            };
        }
    }

    fn join(&self, infix: LolaInfix, left: LolaOperand, right: LolaOperand) -> Result<LolaOperand, Fault> {
        let (start, is_chain) = (left.start, infix.is_chained() && left.chain == Some(infix));
        let (value, height) = if infix.joins_numbers() {
            let ((a, i), (b, j)) = (self.number(left)?, self.number(right)?);
            let value = match infix.combine(a, b, is_chain) {
                Ok(number) => LolaValue::Number(number),
                Err(formula) => LolaValue::Formula(formula),
            };
            (value, if is_chain { i.max(j + 1) } else { i.max(j) + 1 })
        } else {
            let ((f, i), (g, j)) = (self.as_formula(left)?, self.as_formula(right)?);
            let levels = infix.levels();
            let height = if is_chain { i.max(j + levels) } else { i.max(j) + levels };
            (LolaValue::Formula(infix.join(f, g, is_chain)), height)
        };
        bounded(LolaOperand { value, start, height, chain: Some(infix) })
    }

    /// Takes the token that closes a group.
    fn close_group(&mut self, operand: LolaOperand) -> Result<LolaOperand, Fault> {
        let token = self.token;
        let inner = self.reduce(operand, 0)?;
        let fault = match self.open.pop() {
            Some(OpenPart::Group(open)) => {
                let close = match open.kind {
                    LolaTokenKind::OpenSquare => LolaTokenKind::CloseSquare,
                    _ => LolaTokenKind::Close,
                };
                if token.kind == close {
                    self.advance()?;
                    return Ok(LolaOperand { start: open.word.offset, chain: None, ..inner });
                }
                format!("{} does not close {}", token.shown(), open.shown())
            }
            _ => format!("{} closes nothing", token.shown()),
        };
        Err(Fault::at(token.word.offset, fault))
    }

    /// Applies all open operators at the end of a formula.
    fn finish(&mut self, operand: LolaOperand) -> Result<LolaOperand, Fault> {
        let whole = self.reduce(operand, 0)?;
        match self.open.pop() {
            Some(OpenPart::Group(open)) => match self.token.kind {
                LolaTokenKind::End | LolaTokenKind::Semicolon | LolaTokenKind::Colon => {
                    Err(Fault::at(open.word.offset, format!("this {} is not closed", open.shown())))
                }
                _ => Err(self.unexpected("an operator or a closing parenthesis")),
            },
            _ => Ok(whole),
        }
    }

    fn as_formula(&self, operand: LolaOperand) -> Result<(Formula, usize), Fault> {
        match operand.value {
            LolaValue::Formula(formula) => Ok((formula, operand.height)),
            LolaValue::Number(_) => {
                Err(Fault::at(operand.start, "a number stands where a formula is expected")
                    .hint("compare it with another, as in `p >= 1`"))
            }
        }
    }

    fn number(&self, operand: LolaOperand) -> Result<(Expr, usize), Fault> {
        match operand.value {
            LolaValue::Number(number) => Ok((number, operand.height)),
            LolaValue::Formula(_) => {
                Err(Fault::at(operand.start, "a formula stands where a number is expected"))
            }
        }
    }

    /// Pushes an open operator, unless the stack is too high.
    fn push(&mut self, part: OpenPart<'t>, start: u64) -> Result<(), Fault> {
        if self.open.len() >= DEEPEST {
            return Err(too_deep(start));
        }
        self.open.push(part);
        Ok(())
    }

    /// The current token; the next one becomes current.
    fn advance(&mut self) -> Result<LolaToken<'t>, Fault> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    pub(super) fn eat(&mut self, kind: LolaTokenKind) -> Result<bool, Fault> {
        let is_next = self.token.kind == kind;
        if is_next {
            self.advance()?;
        }
        Ok(is_next)
    }

    pub(super) fn unexpected(&self, expected: &str) -> Fault {
        let message = format!("expected {expected}, found {}", self.token.shown());
        let fault = Fault::at(self.token.word.offset, message);
        match keyword_in_capitals(self.token.word.text) {
            Some(keyword) => fault.hint(format!("keywords are in capitals: `{keyword}`")),
            None => fault,
        }
    }
}

fn leaf(value: LolaValue, token: LolaToken<'_>) -> LolaOperand {
    LolaOperand { value, start: token.word.offset, height: 1, chain: None }
}

fn bounded(operand: LolaOperand) -> Result<LolaOperand, Fault> {
    if operand.height > DEEPEST { Err(too_deep(operand.start)) } else { Ok(operand) }
}

fn too_deep(start: u64) -> Fault {
    Fault::at(start, "the formula is nested too deeply")
        .hint("`AND`, `OR` and `+` can be chained without nesting")
}

fn unknown(unbound: Unbound<'_>, kind: NodeKind, token: LolaToken<'_>) -> Fault {
    let text = token.word.text;
    let fault = Fault::at(token.word.offset, unbound.message(kind, &token.name()));
    let hint = keyword_in_capitals(text)
        .map(|keyword| format!("keywords are in capitals: `{keyword}`"))
        .or_else(|| unbound.hint(|name| format!("`{name}`")));
    match hint {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

/// The places whose sum a bound is asked of; each once, without coefficients.
fn bounded_places(sum: Expr, start: u64) -> Result<Vec<PlaceId>, Fault> {
    let terms = match sum {
        Expr::Sum(terms) => terms,
        other => vec![other],
    };
    let (mut places, mut seen) = (Vec::new(), HashSet::new());
    for term in terms {
        match term {
            Expr::Tokens(more) if more.iter().all(|place| seen.insert(*place)) => places.extend(more),
            _ => {
                let message = "`MAX` is supported for sums of different places only";
                return Err(
                    Fault::at(start, message).hint("write it without coefficients, as in `MAX(p + q)`")
                );
            }
        }
    }
    Ok(places)
}
