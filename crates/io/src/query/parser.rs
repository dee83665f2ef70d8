//! From tokens to a formula, by operator precedence.
//!
//! Formulas and numbers share one grammar, because after `(` it is open which of the two follows; each operator
//! then asks for operands of its sort. Operands of `&&`, `||`, `+` and `*` are collected in a loop, so that
//! long flat queries need no stack. Everything else that nests is bounded by [`DEEPEST`]:
//! the parser's own recursion, and the height of the tree, which later passes walk recursively.

use std::ops::Range;

use fireset_net::{Comparison, Expr, Formula, Logic, Quantifier, Unsupported};

use super::{
    Parsed,
    lexer::{Binary, Kind, Lexer, Token, Unary, beyond_minus, keyword_in_other_case},
    names::{self, Binder, Unbound},
    power::{ADD, AND, ATOM, COMPARE, IFF, IMPLIES, LOOSEST, MULTIPLY, OR, PREFIX, UNTIL, XOR},
    show::quote,
};
use crate::Fault;

/// The most levels of the tree and of the parser's recursion, which takes two for a pair of parentheses.
const DEEPEST: usize = 1000;

/// A part of a query of either sort.
enum Sort {
    Formula(Formula),
    Number(Expr),
}

/// A part of a query, where it stands, and the height of its tree.
struct Part {
    sort: Sort,
    span: Range<usize>,
    height: usize,
}

/// Reads one query.
pub(super) struct Parser<'t, 'n> {
    lexer: Lexer<'t>,
    binder: Binder<'n>,
    token: Token<'t>,
    /// The token before `token`.
    previous: Token<'t>,
    depth: usize,
    /// How the first quantifier was written.
    logic: Option<Logic>,
    /// Where the first bound or property of the whole net stands.
    whole: Option<usize>,
}

impl<'t, 'n> Parser<'t, 'n> {
    /// At the first token of a query.
    pub(super) fn new(text: &'t str, binder: Binder<'n>) -> Result<Self, Fault> {
        let mut lexer = Lexer::new(text);
        let token = lexer.next()?;
        Ok(Self { lexer, binder, token, previous: token, depth: 0, logic: None, whole: None })
    }

    /// Reads the query to its end.
    pub(super) fn query(mut self) -> Result<Parsed, Fault> {
        if self.token.kind == Kind::End {
            return Err(Fault::at(0, "the query is empty").hint("write a formula, such as `EF deadlock`"));
        }
        let part = self.expression(LOOSEST)?;
        match self.token.kind {
            Kind::End => {}
            Kind::Compare(_) => return Err(self.chained()),
            Kind::Close | Kind::CloseSquare => {
                let message = format!("{} closes nothing", self.token.shown());
                return Err(Fault::at(self.token.start as u64, message));
            }
            _ => return Err(self.unexpected("an operator or the end of the query")),
        }
        let (formula, _) = self.formula(part)?;
        if let Some(at) = self.whole
            && !matches!(formula, Formula::Bound(_) | Formula::Global(_))
        {
            return Err(Fault::at(at as u64, Unsupported::Nested.to_string()));
        }
        Ok(Parsed { formula, logic: self.logic.unwrap_or(Logic::Ltl) })
    }

    /// A part whose operators bind at least as tightly as `power`.
    fn expression(&mut self, power: u8) -> Result<Part, Fault> {
        self.depth += 1;
        self.bounded(self.depth, self.token.start)?;
        let mut left = self.operand()?;
        while let Some(next) = infix(self.token.kind).filter(|&next| next >= power) {
            left = self.infix(left, next)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    /// `left`, the operator at hand, and what follows it.
    fn infix(&mut self, left: Part, power: u8) -> Result<Part, Fault> {
        let kind = self.token.kind;
        match kind {
            Kind::And => self.formulas(left, power, Formula::And),
            Kind::Or => self.formulas(left, power, Formula::Or),
            Kind::Plus => self.numbers(left, power, Expr::Sum),
            Kind::Times => self.numbers(left, power, Expr::Product),
            // To the right, equal operators group: `a -> b -> c` is `a -> (b -> c)`.
            Kind::Implies => self.pair(left, power, |f, g| (*f).implies(*g)),
            Kind::Binary(Binary::Until) => self.pair(left, power, Formula::Until),
            Kind::Binary(Binary::Release) => self.pair(left, power, Formula::Release),
            Kind::Binary(Binary::WeakUntil) => self.pair(left, power, Formula::WeakUntil),
            Kind::Iff => self.pair(left, power + 1, Formula::Iff),
            Kind::Xor => self.pair(left, power + 1, |f, g| Formula::Not(Box::new(Formula::Iff(f, g)))),
            Kind::Compare(how) => self.comparison(left, how),
            _ => self.difference(left),
        }
    }

    /// Two formulas and the operator between them.
    fn pair(
        &mut self,
        left: Part,
        power: u8,
        join: impl Fn(Box<Formula>, Box<Formula>) -> Formula,
    ) -> Result<Part, Fault> {
        let start = left.span.start;
        let (f, a) = self.formula(left)?;
        self.advance()?;
        let right = self.expression(power)?;
        let (g, b) = self.formula(right)?;
        // Two more, since some operators are spelled out in two nodes.
        self.part(start, a.max(b) + 2, Sort::Formula(join(Box::new(f), Box::new(g))))
    }

    /// All operands of a chain of equal operators between formulas.
    fn formulas(&mut self, left: Part, power: u8, join: fn(Vec<Formula>) -> Formula) -> Result<Part, Fault> {
        let (start, operator) = (left.span.start, self.token.kind);
        let (first, mut height) = self.formula(left)?;
        let mut operands = vec![first];
        while self.token.kind == operator {
            self.advance()?;
            let right = self.expression(power + 1)?;
            let (next, h) = self.formula(right)?;
            operands.push(next);
            height = height.max(h);
        }
        self.part(start, height + 1, Sort::Formula(join(operands)))
    }

    /// All operands of a chain of equal operators between numbers.
    fn numbers(&mut self, left: Part, power: u8, join: fn(Vec<Expr>) -> Expr) -> Result<Part, Fault> {
        let (start, operator) = (left.span.start, self.token.kind);
        let (first, mut height) = self.number(left)?;
        let mut operands = vec![first];
        while self.token.kind == operator {
            self.advance()?;
            let right = self.expression(power + 1)?;
            let (next, h) = self.number(right)?;
            operands.push(next);
            height = height.max(h);
        }
        self.part(start, height + 1, Sort::Number(join(operands)))
    }

    fn difference(&mut self, left: Part) -> Result<Part, Fault> {
        let start = left.span.start;
        let (a, height) = self.number(left)?;
        self.advance()?;
        let right = self.expression(ADD + 1)?;
        let (b, h) = self.number(right)?;
        self.part(start, height.max(h) + 1, Sort::Number(Expr::Difference(Box::new(a), Box::new(b))))
    }

    fn comparison(&mut self, left: Part, how: Comparison) -> Result<Part, Fault> {
        let start = left.span.start;
        if matches!(&left.sort, Sort::Formula(Formula::Compare(..))) {
            return Err(self.chained());
        }
        let (a, height) = self.number(left)?;
        self.advance()?;
        let right = self.expression(COMPARE + 1)?;
        let (b, h) = self.number(right)?;
        self.part(start, height.max(h) + 1, Sort::Formula(Formula::Compare(how, a, b)))
    }

    /// What stands before, between and after infix operators.
    fn operand(&mut self) -> Result<Part, Fault> {
        let token = self.token;
        let sort = match token.kind {
            Kind::Constant(value) => Sort::Formula(Formula::Constant(value)),
            Kind::Deadlock => Sort::Formula(Formula::Deadlock),
            Kind::Global(global) => {
                self.whole.get_or_insert(token.start);
                Sort::Formula(Formula::Global(global))
            }
            Kind::Name => {
                let place = self.place(token)?;
                Sort::Number(Expr::Tokens(vec![place]))
            }
            Kind::Number(n) => Sort::Number(Expr::Constant(positive(n, token)?)),
            Kind::Fireable | Kind::Tokens | Kind::Bound => return self.call(token),
            Kind::Not | Kind::Unary(_) | Kind::Quantifier(_) | Kind::Joined(..) => return self.prefix(token),
            Kind::Minus => return self.minus(token),
            Kind::Open => return self.group(Kind::Close),
            _ => return Err(self.unexpected("a formula or a number")),
        };
        self.advance()?;
        self.part(token.start, 1, sort)
    }

    /// `fireable(...)`, `tokens(...)` or `bound(...)`.
    fn call(&mut self, token: Token<'t>) -> Result<Part, Fault> {
        self.advance()?;
        let sort = match token.kind {
            Kind::Fireable => Sort::Formula(Formula::Fireable(self.list(Self::transition)?)),
            Kind::Tokens => Sort::Number(Expr::Tokens(self.list(Self::place)?)),
            _ => {
                self.whole.get_or_insert(token.start);
                Sort::Formula(Formula::Bound(self.list(Self::place)?))
            }
        };
        self.part(token.start, 1, sort)
    }

    /// Names in parentheses, separated by commas.
    fn list<T>(&mut self, bind: impl Fn(&Self, Token<'t>) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
        let mut ids = Vec::new();
        self.expect(Kind::Open, "`(`")?;
        loop {
            if self.token.kind != Kind::Name {
                return Err(self.unexpected("a name"));
            }
            ids.push(bind(self, self.token)?);
            self.advance()?;
            if self.token.kind != Kind::Comma {
                self.expect(Kind::Close, "`,` or `)`")?;
                return Ok(ids);
            }
            self.advance()?;
        }
    }

    /// `!`, a temporal operator or a quantifier, and its operand.
    fn prefix(&mut self, token: Token<'t>) -> Result<Part, Fault> {
        self.advance()?;
        let style = match token.kind {
            Kind::Joined(..) => Some(Logic::Ctl),
            Kind::Quantifier(_) if self.token.kind == Kind::OpenSquare => Some(Logic::Ctl),
            Kind::Quantifier(_) => Some(Logic::Ltl),
            _ => None,
        };
        self.logic = self.logic.or(style);
        let inside = match (token.kind, self.token.kind) {
            (Kind::Quantifier(_), Kind::OpenSquare) => self.group(Kind::CloseSquare)?,
            _ => self.expression(PREFIX)?,
        };
        let (f, height) = self.formula(inside)?;
        let (formula, added) = match token.kind {
            Kind::Not => (Formula::Not(Box::new(f)), 1),
            Kind::Unary(operator) => (temporal(operator, f), 1),
            Kind::Joined(quantifier, operator) => (quantified(quantifier, temporal(operator, f)), 2),
            Kind::Quantifier(quantifier) => (quantified(quantifier, f), 1),
            _ => unreachable!("no other token is a prefix"),
        };
        self.part(token.start, height + added, Sort::Formula(formula))
    }

    /// A negative number, or 0 minus what follows.
    fn minus(&mut self, token: Token<'t>) -> Result<Part, Fault> {
        self.advance()?;
        if let Kind::Number(n) = self.token.kind {
            let value =
                0i64.checked_sub_unsigned(n).ok_or_else(|| too_large(token.start, &format!("-{n}")))?;
            self.advance()?;
            return self.part(token.start, 1, Sort::Number(Expr::Constant(value)));
        }
        let inside = self.expression(ATOM)?;
        let (number, height) = self.number(inside)?;
        let negated = Expr::Difference(Box::new(Expr::Constant(0)), Box::new(number));
        self.part(token.start, height + 1, Sort::Number(negated))
    }

    /// Something in parentheses or brackets.
    fn group(&mut self, close: Kind) -> Result<Part, Fault> {
        let open = self.token;
        self.advance()?;
        let inside = self.expression(LOOSEST)?;
        match self.token.kind {
            kind if kind == close => self.advance()?,
            Kind::Compare(_) => return Err(self.chained()),
            Kind::End => {
                return Err(Fault::at(open.start as u64, format!("this {} is not closed", open.shown())));
            }
            _ if close == Kind::Close => return Err(self.unexpected("an operator or `)`")),
            _ => return Err(self.unexpected("an operator or `]`")),
        };
        Ok(Part { span: open.start..self.previous.end(), ..inside })
    }

    /// A part from `start` up to the last token read.
    fn part(&self, start: usize, height: usize, sort: Sort) -> Result<Part, Fault> {
        self.bounded(height, start)?;
        Ok(Part { sort, span: start..self.previous.end(), height })
    }

    fn bounded(&self, levels: usize, start: usize) -> Result<(), Fault> {
        if levels <= DEEPEST {
            return Ok(());
        }
        let fault = Fault::at(start as u64, "the query is nested too deeply");
        Err(fault.hint("`&&`, `||`, `+` and `*` can be chained without nesting"))
    }

    fn advance(&mut self) -> Result<(), Fault> {
        self.previous = self.token;
        self.token = self.lexer.next()?;
        Ok(())
    }

    fn expect(&mut self, kind: Kind, name: &str) -> Result<(), Fault> {
        if self.token.kind == kind { self.advance() } else { Err(self.unexpected(name)) }
    }
}

/// The sorts, the names, and what to say when they do not fit.
impl<'t> Parser<'t, '_> {
    fn formula(&self, part: Part) -> Result<(Formula, usize), Fault> {
        match part.sort {
            Sort::Formula(formula) => Ok((formula, part.height)),
            Sort::Number(_) => {
                let text = &self.lexer.text()[part.span.clone()];
                let message = format!("`{text}` is a number, but a formula is expected here");
                Err(Fault::at(part.span.start as u64, message)
                    .hint(format!("compare it with another, as in `{text} >= 1`")))
            }
        }
    }

    fn number(&self, part: Part) -> Result<(Expr, usize), Fault> {
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

    fn place(&self, token: Token<'t>) -> Result<fireset_net::PlaceId, Fault> {
        let name = token.name();
        self.binder.place(&name).map_err(|unbound| self.unbound(names::Kind::Place, token, &name, unbound))
    }

    fn transition(&self, token: Token<'t>) -> Result<fireset_net::TransitionId, Fault> {
        let name = token.name();
        let kind = names::Kind::Transition;
        self.binder.transition(&name).map_err(|unbound| self.unbound(kind, token, &name, unbound))
    }

    /// What to say about a name that has no id.
    fn unbound(&self, kind: names::Kind, token: Token<'t>, name: &str, unbound: Unbound<'_>) -> Fault {
        let fault = Fault::at(token.start as u64, unbound.message(kind, name));
        let longer = beyond_minus(self.lexer.text(), token.start);
        let hint = match (unbound, kind) {
            (Unbound::OtherKind, names::Kind::Place) => Some(format!("write fireable({})", token.text)),
            (Unbound::OtherKind, names::Kind::Transition) => {
                Some(format!("to speak of its tokens, compare them, as in `{} >= 1`", token.text))
            }
            _ if longer.len() > token.text.len() && self.binder.knows(kind, longer) => {
                Some(format!("a name with `-` is quoted: \"{longer}\""))
            }
            _ => keyword_in_other_case(token.text)
                .map(|word| format!("did you mean `{word}`?"))
                .or_else(|| unbound.hint(|name| format!("`{}`", quote(name)))),
        };
        match hint {
            Some(hint) => fault.hint(hint),
            None => fault,
        }
    }

    /// What to say when the token at hand does not fit.
    fn unexpected(&self, expected: &str) -> Fault {
        let message = format!("expected {expected}, found {}", self.token.shown());
        let fault = Fault::at(self.token.start as u64, message);
        // `F >= 1` fails behind the word that was meant as a name, `tokens(F)` at it.
        let words = [self.token, self.previous].into_iter().filter(Token::is_keyword);
        match words.into_iter().find_map(|word| self.quoting(word.text)) {
            Some(hint) => fault.hint(hint),
            None => fault,
        }
    }

    /// How to write a word that is a keyword and a name, when it is both.
    fn quoting(&self, word: &str) -> Option<String> {
        let kinds = [names::Kind::Place, names::Kind::Transition];
        let kind = kinds.into_iter().find(|&kind| self.binder.knows(kind, word))?;
        Some(format!("`{word}` is a word of the language; to mean the {} write \"{word}\"", kind.noun()))
    }

    fn chained(&self) -> Fault {
        let fault = Fault::at(self.token.start as u64, "comparisons cannot be chained");
        fault.hint("write `a < b && b < c`")
    }
}

/// How tightly an infix operator binds.
fn infix(kind: Kind) -> Option<u8> {
    match kind {
        Kind::Iff => Some(IFF),
        Kind::Implies => Some(IMPLIES),
        Kind::Or => Some(OR),
        Kind::Xor => Some(XOR),
        Kind::And => Some(AND),
        Kind::Binary(_) => Some(UNTIL),
        Kind::Compare(_) => Some(COMPARE),
        Kind::Plus | Kind::Minus => Some(ADD),
        Kind::Times => Some(MULTIPLY),
        _ => None,
    }
}

fn temporal(operator: Unary, f: Formula) -> Formula {
    match operator {
        Unary::Next => Formula::Next(Box::new(f)),
        Unary::Finally => Formula::Finally(Box::new(f)),
        Unary::Globally => Formula::Globally(Box::new(f)),
    }
}

fn quantified(quantifier: Quantifier, path: Formula) -> Formula {
    match quantifier {
        Quantifier::ForAll => Formula::ForAll(Box::new(path)),
        Quantifier::Exists => Formula::Exists(Box::new(path)),
    }
}

fn positive(n: u64, token: Token<'_>) -> Result<i64, Fault> {
    i64::try_from(n).map_err(|_| too_large(token.start, token.text))
}

fn too_large(start: usize, number: &str) -> Fault {
    Fault::at(start as u64, format!("{number} does not fit into 64 bits"))
}
