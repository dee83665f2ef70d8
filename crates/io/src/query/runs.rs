//! What queries say of runs: steps, the past, fairness and specification patterns.
//!
//! None of these words is a keyword. `Y`, `O` and `H` are operators only where an operand follows, `S` only between two, and
//! the others only in front of what belongs to them, so that places and transitions with such names need no quotes: where one
//! of these words is an operator, a name would be an error.

use fireset_net::{FairSteps, Fairness, FairnessAssumption, FairnessStrength, Formula, StepSet};

use super::{
    colours::AskedTransition,
    lexer::{Binary, Lexeme, LexemeKind, Unary},
    parser::{LocatedOperand, Operand, Parser},
    precedence::{LOOSEST, PREFIX},
    specification::{PatternScope, SpecificationPattern},
};
use crate::Fault;

/// The word before fairness assumptions.
const FAIR: &str = "fair";
/// The largest bound of a bounded existence.
const MOST_TIMES: u64 = 10;

/// The names of the patterns, with the numbers of their formulas.
const PATTERNS: [(&str, usize); 8] = [
    ("absence", 1),
    ("existence", 1),
    ("bounded_existence", 1),
    ("universality", 1),
    ("precedence", 2),
    ("response", 2),
    ("precedence_chain", 3),
    ("response_chain", 3),
];

/// A set of steps from what a list names.
fn step_set(asked: Vec<AskedTransition>) -> StepSet {
    let mut steps = StepSet::default();
    for (transition, bindings) in asked {
        match bindings {
            Some(bindings) => steps.bindings.push(bindings),
            None => steps.transitions.push(transition),
        }
    }
    steps
}

impl<'t> Parser<'t, '_> {
    /// Whether the token is this word, without quotes.
    fn is_word(token: Lexeme<'t>, word: &str) -> bool {
        token.kind == LexemeKind::Name && token.text == word
    }

    /// The token behind the current one.
    fn ahead(&self) -> Option<Lexeme<'t>> {
        self.lexer.clone().next().ok()
    }

    /// Makes an operator of a word that stands where an operand begins, if an operand follows.
    pub(super) fn past_prefix(&mut self) {
        let operator = match self.token.text {
            "Y" => Unary::Yesterday,
            "O" => Unary::Once,
            "H" => Unary::Historically,
            _ => return,
        };
        let begins_operand = |next: Lexeme<'t>| {
            next.is_keyword() && super::operators::infix(next.kind).is_none()
                || matches!(next.kind, LexemeKind::Name | LexemeKind::Number(_))
                || matches!(next.kind, LexemeKind::Not | LexemeKind::Open)
        };
        if self.token.kind == LexemeKind::Name && self.ahead().is_some_and(begins_operand) {
            self.token.kind = LexemeKind::Unary(operator);
        }
    }

    /// Makes an operator of a word that stands behind an operand.
    pub(super) fn past_infix(&mut self) {
        if Self::is_word(self.token, "S") {
            self.token.kind = LexemeKind::Binary(Binary::Since);
        }
    }

    /// `fired(...)`, or a specification pattern; `None` for any other atom.
    pub(super) fn run_atom(&mut self, token: Lexeme<'t>) -> Result<Option<LocatedOperand>, Fault> {
        if token.kind != LexemeKind::Name || self.ahead().is_none_or(|next| next.kind != LexemeKind::Open) {
            return Ok(None);
        }
        if token.text == "fired" {
            self.advance()?;
            let steps = step_set(self.list(Self::asked_transitions)?);
            return self.part(token.start, 1, Operand::Formula(Formula::Fired(steps))).map(Some);
        }
        match PATTERNS.iter().find(|(name, _)| *name == token.text) {
            Some(&(_, formulas)) => self.pattern(token, formulas).map(Some),
            None => Ok(None),
        }
    }

    /// A pattern with its scope.
    fn pattern(&mut self, token: Lexeme<'t>, count: usize) -> Result<LocatedOperand, Fault> {
        if std::mem::replace(&mut self.in_pattern, true) {
            let fault = Fault::at(token.start as u64, "a pattern stands inside another pattern");
            return Err(fault.hint("write the inner one as a formula"));
        }
        self.advance()?;
        self.expect(LexemeKind::Open, "`(`")?;
        let (mut formulas, mut height) = (Vec::new(), 0);
        while formulas.len() < count {
            if !formulas.is_empty() {
                self.expect(LexemeKind::Comma, "`,`")?;
            }
            let (formula, h) = self.formula_at(LOOSEST)?;
            formulas.push(formula);
            height = height.max(h);
        }
        let times = if token.text == "bounded_existence" { self.times()? } else { 0 };
        self.expect(LexemeKind::Close, "`)`")?;
        let (scope, h) = self.scope()?;
        self.in_pattern = false;
        let mut next = formulas.into_iter();
        let mut next = || next.next().expect("all formulas were read");
        let pattern = match token.text {
            "absence" => SpecificationPattern::Absence(next()),
            "existence" => SpecificationPattern::Existence(next()),
            "bounded_existence" => SpecificationPattern::BoundedExistence(next(), times),
            "universality" => SpecificationPattern::Universality(next()),
            "precedence" => SpecificationPattern::Precedence(next(), next()),
            "response" => SpecificationPattern::Response(next(), next()),
            "precedence_chain" => SpecificationPattern::PrecedenceChain([next(), next(), next()]),
            _ => SpecificationPattern::ResponseChain([next(), next(), next()]),
        };
        let formula = scope.formula(&pattern);
        let text = &self.lexer.text()[token.start..self.previous.end()];
        let shown = super::show_as(&formula, fireset_net::Logic::Ltl, self.binder.names());
        self.notes.push(format!("`{text}` stands for `{shown}`"));
        // The formula of a pattern adds a few levels to what it is made of.
        let levels = 12 + 2 * times as usize;
        self.part(token.start, height.max(h) + levels, Operand::Formula(formula))
    }

    /// How often a bounded existence may be, twice unless a number is given.
    fn times(&mut self) -> Result<u64, Fault> {
        if self.token.kind != LexemeKind::Comma {
            return Ok(2);
        }
        self.advance()?;
        match self.token.kind {
            LexemeKind::Number(times @ 1..=MOST_TIMES) => {
                self.advance()?;
                Ok(times)
            }
            _ => Err(self.unexpected(&format!("a number from 1 to {MOST_TIMES}"))),
        }
    }

    /// The scope of a pattern, and the height of its formulas.
    fn scope(&mut self) -> Result<(PatternScope, usize), Fault> {
        let word = if self.token.kind == LexemeKind::Name { self.token.text } else { "" };
        match word {
            "globally" => {
                self.advance()?;
                Ok((PatternScope::Globally, 0))
            }
            "before" => {
                self.advance()?;
                let (end, height) = self.formula_at(PREFIX)?;
                Ok((PatternScope::Before(end), height))
            }
            "after" => {
                self.advance()?;
                let (start, height) = self.formula_at(PREFIX)?;
                if !Self::is_word(self.token, "until") {
                    return Ok((PatternScope::After(start), height));
                }
                self.advance()?;
                let (end, h) = self.formula_at(PREFIX)?;
                Ok((PatternScope::AfterUntil(start, end), height.max(h)))
            }
            "between" => {
                self.advance()?;
                self.expect(LexemeKind::Open, "`(` with two formulas")?;
                let (start, height) = self.formula_at(LOOSEST)?;
                self.expect(LexemeKind::Comma, "`,` and the end of the scope")?;
                let (end, h) = self.formula_at(LOOSEST)?;
                self.expect(LexemeKind::Close, "`)`")?;
                Ok((PatternScope::Between(start, end), height.max(h)))
            }
            _ => Ok((PatternScope::Globally, 0)),
        }
    }

    /// A formula that is part of a pattern. Patterns do not nest, so this recurses once.
    fn formula_at(&mut self, precedence: u8) -> Result<(Formula, usize), Fault> {
        let part = self.expression(precedence)?;
        self.formula(part)
    }

    /// The fairness assumptions in front of a query, `fair weak(t), strong(u):`; none unless the query begins so.
    pub(super) fn leading_fairness(&mut self) -> Result<Fairness, Fault> {
        let is_strength = |next: Lexeme<'t>| Self::is_word(next, "weak") || Self::is_word(next, "strong");
        if !Self::is_word(self.token, FAIR) || !self.ahead().is_some_and(is_strength) {
            return Ok(Fairness::default());
        }
        self.advance()?;
        let fairness = self.assumptions()?;
        self.expect(LexemeKind::Colon, "`,` or `:`")?;
        Ok(fairness)
    }

    /// The whole text as fairness assumptions.
    pub(super) fn only_fairness(&mut self) -> Result<Fairness, Fault> {
        let fairness = self.assumptions()?;
        match self.token.kind {
            LexemeKind::End => Ok(fairness),
            _ => Err(self.unexpected("`,` or the end of the assumptions")),
        }
    }

    fn assumptions(&mut self) -> Result<Fairness, Fault> {
        let mut assumptions = Vec::new();
        loop {
            let strength = match self.token.text {
                "weak" => FairnessStrength::Weak,
                "strong" => FairnessStrength::Strong,
                _ => {
                    let fault = self.unexpected("`weak` or `strong`");
                    return Err(match fault.hint {
                        Some(_) => fault,
                        None => fault.hint("write `weak(t1, t2)`, or `strong` for every transition"),
                    });
                }
            };
            self.advance()?;
            let steps = match self.token.kind {
                LexemeKind::Open => FairSteps::Group(step_set(self.list(Self::asked_transitions)?)),
                _ => FairSteps::EachTransition,
            };
            assumptions.push(FairnessAssumption { strength, steps });
            if self.token.kind != LexemeKind::Comma {
                return Ok(Fairness(assumptions));
            }
            self.advance()?;
        }
    }
}
