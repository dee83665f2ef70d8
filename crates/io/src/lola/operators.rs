//! The operators of LoLA's formulas: how tight they bind, and what they build.

use fireset_net::{Comparison, Expr, Formula};

use super::lexer::{LolaKeyword, LolaTokenKind};

/// Which version of LoLA a formula is for. In LoLA 1, `AND` and `OR` bind equally tight, and tighter than prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LolaVersion {
    One,
    Two,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LolaPrefix {
    Not,
    ForAll,
    Exists,
    Always,
    Eventually,
    Next,
    Reachable,
    Invariant,
    Impossible,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LolaInfix {
    Until,
    Release,
    Iff,
    Implies,
    Or,
    Xor,
    And,
    Compare(Comparison),
    Plus,
    Minus,
    Times,
}

impl LolaPrefix {
    pub(super) fn from_keyword(keyword: LolaKeyword) -> Option<Self> {
        Some(match keyword {
            LolaKeyword::Not => Self::Not,
            LolaKeyword::ForAll => Self::ForAll,
            LolaKeyword::Exists => Self::Exists,
            LolaKeyword::Always => Self::Always,
            LolaKeyword::Eventually => Self::Eventually,
            LolaKeyword::Next => Self::Next,
            LolaKeyword::Reachable => Self::Reachable,
            LolaKeyword::Invariant => Self::Invariant,
            LolaKeyword::Impossible => Self::Impossible,
            _ => return None,
        })
    }

    /// `U` and `R` stand between formulas.
    pub(super) fn from_letter(letter: char) -> Option<Self> {
        Some(match letter {
            'A' => Self::ForAll,
            'E' => Self::Exists,
            'G' => Self::Always,
            'F' => Self::Eventually,
            'X' => Self::Next,
            _ => return None,
        })
    }

    pub(super) fn precedence(self, version: LolaVersion) -> u8 {
        match self {
            Self::Reachable | Self::Invariant | Self::Impossible => 1,
            _ if version == LolaVersion::One => 1,
            _ => 6,
        }
    }

    pub(super) fn apply(self, formula: Formula) -> Formula {
        let boxed = Box::new;
        match self {
            Self::Not => Formula::Not(boxed(formula)),
            Self::ForAll => Formula::ForAll(boxed(formula)),
            Self::Exists => Formula::Exists(boxed(formula)),
            Self::Always => Formula::Globally(boxed(formula)),
            Self::Eventually => Formula::Finally(boxed(formula)),
            Self::Next => Formula::Next(boxed(formula)),
            Self::Reachable => formula.possible(),
            Self::Invariant => formula.invariant(),
            Self::Impossible => formula.negate().invariant(),
        }
    }

    /// How many levels it adds to a tree at most.
    pub(super) fn levels(self) -> usize {
        match self {
            Self::Reachable | Self::Invariant => 2,
            Self::Impossible => 3,
            _ => 1,
        }
    }
}

impl LolaInfix {
    pub(super) fn from_token(kind: LolaTokenKind, text: &str) -> Option<Self> {
        Some(match kind {
            LolaTokenKind::Compare(how) => Self::Compare(how),
            LolaTokenKind::Plus => Self::Plus,
            LolaTokenKind::Minus => Self::Minus,
            LolaTokenKind::Times => Self::Times,
            LolaTokenKind::Implies => Self::Implies,
            LolaTokenKind::Iff => Self::Iff,
            LolaTokenKind::Keyword(LolaKeyword::And) => Self::And,
            LolaTokenKind::Keyword(LolaKeyword::Or) => Self::Or,
            LolaTokenKind::Keyword(LolaKeyword::Xor) => Self::Xor,
            LolaTokenKind::Keyword(LolaKeyword::Until) => Self::Until,
            LolaTokenKind::Keyword(LolaKeyword::Release) => Self::Release,
            LolaTokenKind::PathLetters if text == "U" => Self::Until,
            LolaTokenKind::PathLetters if text == "R" => Self::Release,
            _ => return None,
        })
    }

    pub(super) fn precedence(self, version: LolaVersion) -> u8 {
        match self {
            Self::Until | Self::Release => 0,
            Self::Iff => 2,
            Self::Implies => 3,
            Self::Or | Self::Xor if version == LolaVersion::Two => 4,
            Self::Or | Self::Xor | Self::And => 5,
            Self::Compare(_) => 7,
            Self::Plus | Self::Minus => 8,
            Self::Times => 9,
        }
    }

    /// Whether its operands are numbers.
    pub(super) fn joins_numbers(self) -> bool {
        matches!(self, Self::Compare(_) | Self::Plus | Self::Minus | Self::Times)
    }

    /// Whether a chain of it is one node with all operands.
    pub(super) fn is_chained(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Plus | Self::Times)
    }

    /// Joins two formulas; a left one that is a chain of the same operator is prolonged.
    pub(super) fn join(self, left: Formula, right: Formula, is_chain: bool) -> Formula {
        match (self, left) {
            (Self::And, Formula::And(mut operands)) if is_chain => {
                operands.push(right);
                Formula::And(operands)
            }
            (Self::Or, Formula::Or(mut operands)) if is_chain => {
                operands.push(right);
                Formula::Or(operands)
            }
            (Self::And, left) => Formula::And(vec![left, right]),
            (Self::Or, left) => Formula::Or(vec![left, right]),
            (Self::Implies, left) => left.implies(right),
            (Self::Xor, left) => Formula::Not(Box::new(Formula::Iff(Box::new(left), Box::new(right)))),
            (Self::Until, left) => Formula::Until(Box::new(left), Box::new(right)),
            (Self::Release, left) => Formula::Release(Box::new(left), Box::new(right)),
            (_, left) => Formula::Iff(Box::new(left), Box::new(right)),
        }
    }

    /// Joins two numbers to a number, or with a comparison to a formula.
    pub(super) fn combine(self, left: Expr, right: Expr, is_chain: bool) -> Result<Expr, Formula> {
        match (self, left) {
            (Self::Compare(how), left) => Err(Formula::Compare(how, left, right)),
            (Self::Plus, Expr::Sum(mut terms)) if is_chain => {
                terms.push(right);
                Ok(Expr::Sum(terms))
            }
            (Self::Times, Expr::Product(mut factors)) if is_chain => {
                factors.push(right);
                Ok(Expr::Product(factors))
            }
            (Self::Plus, left) => Ok(Expr::Sum(vec![left, right])),
            (Self::Times, left) => Ok(Expr::Product(vec![left, right])),
            (_, left) => Ok(Expr::Difference(Box::new(left), Box::new(right))),
        }
    }

    /// How many levels it adds to a tree at most.
    pub(super) fn levels(self) -> usize {
        if matches!(self, Self::Implies | Self::Xor) { 2 } else { 1 }
    }
}
