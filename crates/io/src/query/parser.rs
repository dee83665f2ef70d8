//! From tokens to a formula, by operator precedence on a stack of our own.
//!
//! Formulas and numbers share one grammar, because after `(` it is open which of the two follows; each operator
//! then asks for operands of its sort. Operands of `&&`, `||`, `+` and `*` are collected in one node, so that long
//! flat queries stay flat. The height of the tree is bounded by [`DEEPEST`], because whoever reads it walks
//! recursively.

use std::ops::Range;

use fireset_net::{Expr, Formula, Logic, Unsupported};

use super::{
    Parsed,
    lexer::{Kind, Lexer, Token},
    names::Binder,
    operators::{combine, infix, join, levels, prefixed},
    power::{ADD, AND, ATOM, LOOSEST, MULTIPLY, OR, PREFIX},
};
use crate::Fault;

/// The most levels of a tree, and the most operators and parentheses around a part.
const DEEPEST: usize = 1000;

/// A part of a query of either sort.
pub(super) enum Sort {
    Formula(Formula),
    Number(Expr),
}

/// A part of a query, where it stands, and the height of its tree.
pub(super) struct Part {
    pub(super) sort: Sort,
    pub(super) span: Range<usize>,
    pub(super) height: usize,
}

/// What waits for its last operand.
struct Waiting<'t> {
    what: What<'t>,
    start: usize,
    /// The height of its tallest operand so far.
    height: usize,
    /// How tightly operators must bind to go on with it, once it is closed.
    power: u8,
}

enum What<'t> {
    /// An infix operator and its operands so far.
    Formulas(Kind, Vec<Formula>),
    /// The same between numbers.
    Numbers(Kind, Vec<Expr>),
    /// `!`, a temporal operator or a quantifier.
    Prefix(Token<'t>),
    /// The sign of a number that is not a constant.
    Minus,
    /// A parenthesis or bracket, and what closes it.
    Group(Token<'t>, Kind),
}

/// What comes of an operator or of the end of an operand.
enum Step<'t> {
    /// A part that is complete.
    Closed(Part),
    /// Something that waits for an operand whose operators bind at least so tightly.
    Open(Waiting<'t>, u8),
}

/// Reads one query.
pub(super) struct Parser<'t, 'n> {
    pub(super) lexer: Lexer<'t>,
    pub(super) binder: Binder<'n>,
    /// Whether a name alone is a formula.
    pub(super) free: bool,
    pub(super) token: Token<'t>,
    /// The token before `token`.
    pub(super) previous: Token<'t>,
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
        Ok(Self { lexer, binder, free: false, token, previous: token, logic: None, whole: None })
    }

    /// Reads the query to its end.
    pub(super) fn query(mut self) -> Result<Parsed, Fault> {
        if self.token.kind == Kind::End {
            return Err(Fault::at(0, "the query is empty").hint("write a formula, such as `EF deadlock`"));
        }
        let part = self.expression()?;
        match self.token.kind {
            Kind::End => {}
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

    /// A part, up to a token that cannot go on with it.
    fn expression(&mut self) -> Result<Part, Fault> {
        let (mut waiting, mut power) = (Vec::new(), LOOSEST);
        loop {
            let mut part = self.operand(&mut waiting, &mut power)?;
            loop {
                let step = match infix(self.token.kind) {
                    Some(next) if next >= power => self.operator(part, power)?,
                    _ => match waiting.pop() {
                        None => return Ok(part),
                        Some(outer) => {
                            power = outer.power;
                            self.close(outer, part)?
                        }
                    },
                };
                match step {
                    Step::Closed(closed) => part = closed,
                    Step::Open(open, inner) => {
                        self.wait(&mut waiting, open)?;
                        power = inner;
                        break;
                    }
                }
            }
        }
    }

    /// Puts something on the stack until its last operand is read.
    fn wait(&self, waiting: &mut Vec<Waiting<'t>>, open: Waiting<'t>) -> Result<(), Fault> {
        self.bounded(waiting.len(), open.start)?;
        waiting.push(open);
        Ok(())
    }

    /// The prefixes and parentheses at hand, which wait, and the atom behind them.
    fn operand(&mut self, waiting: &mut Vec<Waiting<'t>>, power: &mut u8) -> Result<Part, Fault> {
        loop {
            let token = self.token;
            let (what, inner) = match token.kind {
                Kind::Not | Kind::Unary(_) | Kind::Quantifier(_) | Kind::Joined(..) => {
                    self.note_style(token)?;
                    (What::Prefix(token), PREFIX)
                }
                Kind::Minus => {
                    self.advance()?;
                    if let Kind::Number(n) = self.token.kind {
                        return self.negative(token, n);
                    }
                    (What::Minus, ATOM)
                }
                Kind::Open => {
                    self.advance()?;
                    (What::Group(token, Kind::Close), LOOSEST)
                }
                Kind::OpenSquare if matches!(self.previous.kind, Kind::Quantifier(_)) => {
                    self.advance()?;
                    (What::Group(token, Kind::CloseSquare), LOOSEST)
                }
                _ => return self.atom(token),
            };
            self.wait(waiting, Waiting { what, start: token.start, height: 0, power: *power })?;
            *power = inner;
        }
    }

    /// Passes over a prefix, and remembers how the first quantifier is written.
    fn note_style(&mut self, token: Token<'t>) -> Result<(), Fault> {
        self.advance()?;
        let style = match token.kind {
            Kind::Joined(..) => Some(Logic::Ctl),
            Kind::Quantifier(_) if self.token.kind == Kind::OpenSquare => Some(Logic::Ctl),
            Kind::Quantifier(_) => Some(Logic::Ltl),
            _ => None,
        };
        self.logic = self.logic.or(style);
        Ok(())
    }

    /// A part that is complete without operands.
    fn atom(&mut self, token: Token<'t>) -> Result<Part, Fault> {
        let sort = match token.kind {
            Kind::Constant(value) => Sort::Formula(Formula::Constant(value)),
            Kind::Deadlock => Sort::Formula(Formula::Deadlock),
            Kind::Global(global) => {
                self.whole.get_or_insert(token.start);
                Sort::Formula(Formula::Global(global))
            }
            Kind::Name => Sort::Number(Expr::Tokens(vec![self.place(token)?])),
            Kind::Number(n) => {
                let value = i64::try_from(n).map_err(|_| out_of_range(token.start as u64, token.text))?;
                Sort::Number(Expr::Constant(value))
            }
            Kind::Fireable | Kind::Tokens | Kind::Bound => return self.call(token),
            _ => return Err(self.unexpected("a formula or a number")),
        };
        self.advance()?;
        self.part(token.start, 1, sort)
    }

    /// The number `n` behind a minus sign.
    fn negative(&mut self, minus: Token<'t>, n: u64) -> Result<Part, Fault> {
        let value =
            0i64.checked_sub_unsigned(n).ok_or_else(|| out_of_range(minus.start as u64, &format!("-{n}")))?;
        self.advance()?;
        self.part(minus.start, 1, Sort::Number(Expr::Constant(value)))
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

    /// The infix operator at hand with what stands before it.
    fn operator(&mut self, left: Part, power: u8) -> Result<Step<'t>, Fault> {
        let (kind, start) = (self.token.kind, left.span.start);
        let own = infix(kind).expect("an infix operator is at hand");
        // To the right, equal operators group where their operand may bind as loosely as they do.
        let inner = if matches!(kind, Kind::Implies | Kind::Binary(_)) { own } else { own + 1 };
        let (what, height) = match kind {
            Kind::Compare(_) if matches!(left.sort, Sort::Formula(Formula::Compare(..))) => {
                return Err(self.chained());
            }
            Kind::Compare(_) | Kind::Plus | Kind::Minus | Kind::Times => {
                let (number, height) = self.number(left)?;
                (What::Numbers(kind, vec![number]), height)
            }
            _ => {
                let (formula, height) = self.formula(left)?;
                (What::Formulas(kind, vec![formula]), height)
            }
        };
        self.advance()?;
        Ok(Step::Open(Waiting { what, start, height, power }, inner))
    }

    /// What was waiting for `part`, together with it.
    fn close(&mut self, outer: Waiting<'t>, part: Part) -> Result<Step<'t>, Fault> {
        let Waiting { what, start, height, power } = outer;
        let (sort, height) = match what {
            What::Formulas(kind, mut operands) => {
                let (formula, h) = self.formula(part)?;
                operands.push(formula);
                let height = height.max(h);
                if self.token.kind == kind && matches!(kind, Kind::And | Kind::Or) {
                    self.advance()?;
                    let open = Waiting { what: What::Formulas(kind, operands), start, height, power };
                    return Ok(Step::Open(open, if kind == Kind::And { AND + 1 } else { OR + 1 }));
                }
                (Sort::Formula(join(kind, operands)), height + levels(kind))
            }
            What::Numbers(kind, mut operands) => {
                let (number, h) = self.number(part)?;
                operands.push(number);
                let height = height.max(h);
                if self.token.kind == kind && matches!(kind, Kind::Plus | Kind::Times) {
                    self.advance()?;
                    let open = Waiting { what: What::Numbers(kind, operands), start, height, power };
                    return Ok(Step::Open(open, if kind == Kind::Plus { ADD + 1 } else { MULTIPLY + 1 }));
                }
                (combine(kind, operands), height + 1)
            }
            What::Prefix(token) => {
                let (formula, height) = self.formula(part)?;
                (Sort::Formula(prefixed(token.kind, formula)), height + levels(token.kind))
            }
            What::Minus => {
                let (number, height) = self.number(part)?;
                (combine(Kind::Minus, vec![Expr::Constant(0), number]), height + 1)
            }
            What::Group(open, close) => {
                self.close_group(open, close)?;
                (part.sort, part.height)
            }
        };
        self.part(start, height, sort).map(Step::Closed)
    }

    /// Passes over the token that closes a group.
    fn close_group(&mut self, open: Token<'t>, close: Kind) -> Result<(), Fault> {
        match self.token.kind {
            kind if kind == close => self.advance(),
            Kind::End => Err(Fault::at(open.start as u64, format!("this {} is not closed", open.shown()))),
            _ if close == Kind::Close => Err(self.unexpected("an operator or `)`")),
            _ => Err(self.unexpected("an operator or `]`")),
        }
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

/// What is wrong with a number that is none of ours.
pub(crate) fn out_of_range(offset: u64, number: &str) -> Fault {
    let message = format!("{number} is out of range: numbers go from {} to {}", i64::MIN, i64::MAX);
    Fault::at(offset, message)
}
