//! Parses a query by operator precedence, with an explicit stack.
//!
//! Formulas and numbers share one grammar, because after `(` either can follow; each operator then checks the type of its
//! operands. Operands of `&&`, `||`, `+` and `*` are collected in one node, so that long
//! flat queries stay flat. The height of the tree is bounded by [`DEEPEST`], because other code recurses over it.

use std::{ops::Range, rc::Rc};

use fireset_net::{Expr, Formula, Logic, Unsupported};

use super::{
    Parsed, colours,
    lexer::{Lexeme, LexemeKind, Lexer},
    names::Binder,
    operators::{combine, infix, join, levels, prefixed},
    precedence::{ADD, AND, ATOM, LOOSEST, MULTIPLY, OR, PREFIX},
    reader::{Definition, Definitions, MOST_ADDED},
};
use crate::Fault;

/// The largest height of a tree, and the largest number of operators and parentheses around an operand.
const DEEPEST: usize = 1000;

#[derive(Clone, Debug)]
pub(super) enum Operand {
    Formula(Formula),
    Number(Expr),
}

/// An operand with its position in the query and the height of its tree.
pub(super) struct LocatedOperand {
    pub(super) operand: Operand,
    pub(super) span: Range<usize>,
    pub(super) height: usize,
}

/// An operator or parenthesis that waits for its last operand.
struct OpenOperator<'t> {
    operator: OpenKind<'t>,
    start: usize,
    /// The height of its tallest operand so far.
    height: usize,
    /// The least precedence of operators that may follow once it is closed.
    precedence: u8,
}

enum OpenKind<'t> {
    /// An infix operator and its operands so far.
    Formulas(LexemeKind, Vec<Formula>),
    Numbers(LexemeKind, Vec<Expr>),
    /// `!`, a temporal operator or a quantifier.
    Prefix(Lexeme<'t>),
    /// The sign of a number that is not a constant.
    Minus,
    /// A parenthesis or bracket, and the kind of its closing one.
    Group(Lexeme<'t>, LexemeKind),
}

/// The effect of an operator, or of the end of an operand.
enum ParseStep<'t> {
    /// A complete operand.
    Closed(LocatedOperand),
    /// An operator that waits for an operand with operators of at least this precedence.
    Open(OpenOperator<'t>, u8),
}

pub(super) struct Parser<'t, 'n> {
    pub(super) lexer: Lexer<'t>,
    pub(super) binder: Binder<'n>,
    /// If set, a name alone is a formula.
    pub(super) free: bool,
    pub(super) token: Lexeme<'t>,
    pub(super) previous: Lexeme<'t>,
    /// The logic by the form of the first quantifier.
    logic: Option<Logic>,
    /// The offset of the first bound or global property.
    whole: Option<usize>,
    pub(super) definitions: Rc<Definitions>,
    /// What patterns and definitions may still add to the query.
    pub(super) room: usize,
    /// Whether the formulas of a specification pattern are being read.
    pub(super) in_pattern: bool,
    /// What a user may wonder about, each in one sentence.
    pub(super) notes: Vec<String>,
}

impl<'t, 'n> Parser<'t, 'n> {
    pub(super) fn new(text: &'t str, binder: Binder<'n>) -> Result<Self, Fault> {
        let mut lexer = Lexer::new(text);
        let token = lexer.next()?;
        let (definitions, room, notes) = (Rc::default(), MOST_ADDED, Vec::new());
        let (logic, whole) = (None, None);
        Ok(Self {
            lexer,
            binder,
            free: false,
            token,
            previous: token,
            logic,
            whole,
            definitions,
            room,
            in_pattern: false,
            notes,
        })
    }

    pub(super) fn query(&mut self) -> Result<Parsed, Fault> {
        let fairness = self.leading_fairness()?;
        let part = self.only_expression()?;
        let (mut formula, _) = self.formula(part)?;
        if let Some(at) = self.whole
            && !formula.is_whole_property()
        {
            return Err(Fault::at(at as u64, Unsupported::Nested.to_string()));
        }
        if !fairness.is_empty() {
            formula = Formula::Under(fairness, Box::new(formula));
        }
        Ok(Parsed { formula, logic: self.logic.unwrap_or(Logic::Ltl) })
    }

    /// Parses the whole text as one expression.
    pub(super) fn only_expression(&mut self) -> Result<LocatedOperand, Fault> {
        if self.token.kind == LexemeKind::End {
            return Err(Fault::at(0, "the query is empty").hint("write a formula, such as `EF deadlock`"));
        }
        let part = self.expression(LOOSEST)?;
        match self.token.kind {
            LexemeKind::End => Ok(part),
            LexemeKind::Close | LexemeKind::CloseSquare => {
                let message = format!("{} closes nothing", self.token.shown());
                Err(Fault::at(self.token.start as u64, message))
            }
            _ => Err(self.unexpected("an operator or the end of the query")),
        }
    }

    /// The logic by the form of the first quantifier, and whether there is a bound or global property.
    pub(super) fn style(&self) -> (Option<Logic>, bool) {
        (self.logic, self.whole.is_some())
    }

    /// Takes over the style of a definition that is used at a token.
    pub(super) fn note_definition(&mut self, token: Lexeme<'t>, definition: &Definition) {
        self.logic = self.logic.or(definition.logic);
        if definition.is_global {
            self.whole.get_or_insert(token.start);
        }
    }

    /// Parses up to a token that cannot continue the expression, with operators of at least a precedence.
    pub(super) fn expression(&mut self, mut precedence: u8) -> Result<LocatedOperand, Fault> {
        let mut waiting = Vec::new();
        loop {
            let mut part = self.operand(&mut waiting, &mut precedence)?;
            loop {
                self.past_infix();
                let step = match infix(self.token.kind) {
                    Some(next) if next >= precedence => self.operator(part, precedence)?,
                    _ => match waiting.pop() {
                        None => return Ok(part),
                        Some(outer) => {
                            precedence = outer.precedence;
                            self.close(outer, part)?
                        }
                    },
                };
                match step {
                    ParseStep::Closed(closed) => part = closed,
                    ParseStep::Open(open, inner) => {
                        self.wait(&mut waiting, open)?;
                        precedence = inner;
                        break;
                    }
                }
            }
        }
    }

    /// Pushes an open operator, unless the stack is too high.
    fn wait(&self, waiting: &mut Vec<OpenOperator<'t>>, open: OpenOperator<'t>) -> Result<(), Fault> {
        self.bounded(waiting.len(), open.start)?;
        waiting.push(open);
        Ok(())
    }

    /// Pushes prefixes and parentheses, and parses the atom after them.
    fn operand(
        &mut self,
        waiting: &mut Vec<OpenOperator<'t>>,
        precedence: &mut u8,
    ) -> Result<LocatedOperand, Fault> {
        loop {
            self.past_prefix();
            let token = self.token;
            let (operator, inner) = match token.kind {
                LexemeKind::Not
                | LexemeKind::Unary(_)
                | LexemeKind::Quantifier(_)
                | LexemeKind::Joined(..) => {
                    self.note_style(token)?;
                    (OpenKind::Prefix(token), PREFIX)
                }
                LexemeKind::Minus => {
                    self.advance()?;
                    if let LexemeKind::Number(n) = self.token.kind {
                        return self.negative(token, n);
                    }
                    (OpenKind::Minus, ATOM)
                }
                LexemeKind::Open => {
                    self.advance()?;
                    (OpenKind::Group(token, LexemeKind::Close), LOOSEST)
                }
                LexemeKind::OpenSquare if matches!(self.previous.kind, LexemeKind::Quantifier(_)) => {
                    self.advance()?;
                    (OpenKind::Group(token, LexemeKind::CloseSquare), LOOSEST)
                }
                _ => return self.atom(token),
            };
            self.wait(
                waiting,
                OpenOperator { operator, start: token.start, height: 0, precedence: *precedence },
            )?;
            *precedence = inner;
        }
    }

    /// Consumes a prefix, and notes the form of the first quantifier.
    fn note_style(&mut self, token: Lexeme<'t>) -> Result<(), Fault> {
        self.advance()?;
        let style = match token.kind {
            LexemeKind::Joined(..) => Some(Logic::Ctl),
            LexemeKind::Quantifier(_) if self.token.kind == LexemeKind::OpenSquare => Some(Logic::Ctl),
            LexemeKind::Quantifier(_) => Some(Logic::Ltl),
            _ => None,
        };
        self.logic = self.logic.or(style);
        Ok(())
    }

    /// Parses an operand without operators.
    fn atom(&mut self, token: Lexeme<'t>) -> Result<LocatedOperand, Fault> {
        if let Some(operand) = self.named(token)? {
            return Ok(operand);
        }
        if let Some(operand) = self.abbreviation(token)? {
            return Ok(operand);
        }
        if let Some(operand) = self.run_atom(token)? {
            return Ok(operand);
        }
        let operand = match token.kind {
            LexemeKind::Constant(value) => Operand::Formula(Formula::Constant(value)),
            LexemeKind::Deadlock => Operand::Formula(Formula::Deadlock),
            LexemeKind::Global(global) => {
                self.whole.get_or_insert(token.start);
                Operand::Formula(Formula::Global(global))
            }
            LexemeKind::Name => {
                let tokens = colours::tokens(vec![self.place_and_colours()?]);
                return self.part(token.start, 1, Operand::Number(tokens));
            }
            LexemeKind::Number(n) => {
                let value = i64::try_from(n).map_err(|_| out_of_range(token.start as u64, token.text))?;
                Operand::Number(Expr::Constant(value))
            }
            LexemeKind::Fireable | LexemeKind::Tokens | LexemeKind::Bound => return self.call(token),
            _ => return Err(self.unexpected("a formula or a number")),
        };
        self.advance()?;
        self.part(token.start, 1, operand)
    }

    /// The number `n` after a minus sign.
    fn negative(&mut self, minus: Lexeme<'t>, n: u64) -> Result<LocatedOperand, Fault> {
        let value =
            0i64.checked_sub_unsigned(n).ok_or_else(|| out_of_range(minus.start as u64, &format!("-{n}")))?;
        self.advance()?;
        self.part(minus.start, 1, Operand::Number(Expr::Constant(value)))
    }

    /// `fireable(...)`, `tokens(...)` or `bound(...)`.
    fn call(&mut self, token: Lexeme<'t>) -> Result<LocatedOperand, Fault> {
        self.advance()?;
        let operand = match token.kind {
            LexemeKind::Fireable => Operand::Formula(colours::fireable(self.list(Self::asked_transitions)?)),
            LexemeKind::Tokens => Operand::Number(colours::tokens(self.list(Self::asked_places)?)),
            _ => {
                self.whole.get_or_insert(token.start);
                Operand::Formula(colours::bound(self.list(Self::asked_places)?))
            }
        };
        // Several colours are operands of one sum or disjunction.
        let height = if matches!(operand, Operand::Formula(Formula::Or(_)) | Operand::Number(Expr::Sum(_))) {
            2
        } else {
            1
        };
        self.part(token.start, height, operand)
    }

    /// Names in parentheses, separated by commas; `item` reads one with what belongs to it, and gives all that it means.
    pub(super) fn list<T>(
        &mut self,
        item: impl Fn(&mut Self) -> Result<Vec<T>, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let mut ids = Vec::new();
        self.expect(LexemeKind::Open, "`(`")?;
        loop {
            if self.token.kind != LexemeKind::Name {
                return Err(self.unexpected("a name"));
            }
            ids.extend(item(self)?);
            if self.token.kind != LexemeKind::Comma {
                self.expect(LexemeKind::Close, "`,` or `)`")?;
                return Ok(ids);
            }
            self.advance()?;
        }
    }

    /// Opens the current infix operator with its left operand.
    fn operator(&mut self, left: LocatedOperand, precedence: u8) -> Result<ParseStep<'t>, Fault> {
        let (kind, start) = (self.token.kind, left.span.start);
        let own = infix(kind).expect("the current token is an infix operator");
        // Operators that group to the right accept their own precedence in the right operand.
        let inner = if matches!(kind, LexemeKind::Implies | LexemeKind::Binary(_)) { own } else { own + 1 };
        let (operator, height) = match kind {
            LexemeKind::Compare(_) if matches!(left.operand, Operand::Formula(Formula::Compare(..))) => {
                return Err(self.chained());
            }
            LexemeKind::Compare(_) | LexemeKind::Plus | LexemeKind::Minus | LexemeKind::Times => {
                let (number, height) = self.number(left)?;
                (OpenKind::Numbers(kind, vec![number]), height)
            }
            _ => {
                let (formula, height) = self.formula(left)?;
                (OpenKind::Formulas(kind, vec![formula]), height)
            }
        };
        self.advance()?;
        Ok(ParseStep::Open(OpenOperator { operator, start, height, precedence }, inner))
    }

    /// Closes an operator with its last operand, or goes on with a chain.
    fn close(&mut self, outer: OpenOperator<'t>, part: LocatedOperand) -> Result<ParseStep<'t>, Fault> {
        let OpenOperator { operator, start, height, precedence } = outer;
        let (operand, height) = match operator {
            OpenKind::Formulas(kind, mut operands) => {
                let (formula, h) = self.formula(part)?;
                operands.push(formula);
                let height = height.max(h);
                if self.token.kind == kind && matches!(kind, LexemeKind::And | LexemeKind::Or) {
                    self.advance()?;
                    let open = OpenOperator {
                        operator: OpenKind::Formulas(kind, operands),
                        start,
                        height,
                        precedence,
                    };
                    return Ok(ParseStep::Open(open, if kind == LexemeKind::And { AND + 1 } else { OR + 1 }));
                }
                (Operand::Formula(join(kind, operands)), height + levels(kind))
            }
            OpenKind::Numbers(kind, mut operands) => {
                let (number, h) = self.number(part)?;
                operands.push(number);
                let height = height.max(h);
                if self.token.kind == kind && matches!(kind, LexemeKind::Plus | LexemeKind::Times) {
                    self.advance()?;
                    let open = OpenOperator {
                        operator: OpenKind::Numbers(kind, operands),
                        start,
                        height,
                        precedence,
                    };
                    return Ok(ParseStep::Open(
                        open,
                        if kind == LexemeKind::Plus { ADD + 1 } else { MULTIPLY + 1 },
                    ));
                }
                (combine(kind, operands), height + 1)
            }
            OpenKind::Prefix(token) => {
                let (formula, height) = self.formula(part)?;
                (Operand::Formula(prefixed(token.kind, formula)), height + levels(token.kind))
            }
            OpenKind::Minus => {
                let (number, height) = self.number(part)?;
                (combine(LexemeKind::Minus, vec![Expr::Constant(0), number]), height + 1)
            }
            OpenKind::Group(open, close) => {
                self.close_group(open, close)?;
                (part.operand, part.height)
            }
        };
        self.part(start, height, operand).map(ParseStep::Closed)
    }

    /// Consumes the token that closes a group.
    fn close_group(&mut self, open: Lexeme<'t>, close: LexemeKind) -> Result<(), Fault> {
        match self.token.kind {
            kind if kind == close => self.advance(),
            LexemeKind::End => {
                Err(Fault::at(open.start as u64, format!("this {} is not closed", open.shown())))
            }
            _ if close == LexemeKind::Close => Err(self.unexpected("an operator or `)`")),
            _ => Err(self.unexpected("an operator or `]`")),
        }
    }

    /// An operand from `start` to the last token.
    pub(super) fn part(
        &self,
        start: usize,
        height: usize,
        operand: Operand,
    ) -> Result<LocatedOperand, Fault> {
        self.bounded(height, start)?;
        Ok(LocatedOperand { operand, span: start..self.previous.end(), height })
    }

    fn bounded(&self, levels: usize, start: usize) -> Result<(), Fault> {
        if levels <= DEEPEST {
            return Ok(());
        }
        let fault = Fault::at(start as u64, "the query is nested too deeply");
        Err(fault.hint("`&&`, `||`, `+` and `*` can be chained without nesting"))
    }

    /// Notes that a property begins at a token that must stand alone.
    pub(super) fn note_whole(&mut self, token: Lexeme<'t>) {
        self.whole.get_or_insert(token.start);
    }

    /// Goes on behind a word that the current token is the beginning of.
    pub(super) fn skip_word(&mut self, token: Lexeme<'t>, word: &str) -> Result<(), Fault> {
        self.previous = self.lexer.again(token.start, word.len());
        self.token = self.lexer.next()?;
        Ok(())
    }

    pub(super) fn advance(&mut self) -> Result<(), Fault> {
        self.previous = self.token;
        self.token = self.lexer.next()?;
        Ok(())
    }

    pub(super) fn expect(&mut self, kind: LexemeKind, name: &str) -> Result<(), Fault> {
        if self.token.kind == kind { self.advance() } else { Err(self.unexpected(name)) }
    }
}

/// The fault of a constant that does not fit into 64 bits.
pub(crate) fn out_of_range(offset: u64, number: &str) -> Fault {
    let message = format!("{number} is out of range: numbers go from {} to {}", i64::MIN, i64::MAX);
    Fault::at(offset, message)
}
