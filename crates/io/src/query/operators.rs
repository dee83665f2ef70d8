//! Builds formulas and numbers from operators and operands.

use fireset_net::{Expr, Formula, Quantifier};

use super::{
    lexer::{Binary, LexemeKind, Unary},
    parser::Operand,
    precedence::{ADD, AND, COMPARE, IFF, IMPLIES, MULTIPLY, OR, UNTIL, XOR},
};

/// The precedence of an infix operator.
pub(super) fn infix(kind: LexemeKind) -> Option<u8> {
    match kind {
        LexemeKind::Iff => Some(IFF),
        LexemeKind::Implies => Some(IMPLIES),
        LexemeKind::Or => Some(OR),
        LexemeKind::Xor => Some(XOR),
        LexemeKind::And => Some(AND),
        LexemeKind::Binary(_) => Some(UNTIL),
        LexemeKind::Compare(_) => Some(COMPARE),
        LexemeKind::Plus | LexemeKind::Minus => Some(ADD),
        LexemeKind::Times => Some(MULTIPLY),
        _ => None,
    }
}

/// Joins two formulas, or more for operators that are chained.
pub(super) fn join(kind: LexemeKind, mut operands: Vec<Formula>) -> Formula {
    match kind {
        LexemeKind::And => return Formula::And(operands),
        LexemeKind::Or => return Formula::Or(operands),
        _ => {}
    }
    let (Some(g), Some(f)) = (operands.pop(), operands.pop()) else {
        unreachable!("an infix operator has two operands")
    };
    let (f, g) = (Box::new(f), Box::new(g));
    match kind {
        LexemeKind::Implies => (*f).implies(*g),
        LexemeKind::Iff => Formula::Iff(f, g),
        LexemeKind::Xor => Formula::Not(Box::new(Formula::Iff(f, g))),
        LexemeKind::Binary(Binary::Until) => Formula::Until(f, g),
        LexemeKind::Binary(Binary::Release) => Formula::Release(f, g),
        LexemeKind::Binary(Binary::WeakUntil) => Formula::WeakUntil(f, g),
        LexemeKind::Binary(Binary::Since) => Formula::Since(f, g),
        _ => unreachable!("no other operator stands between formulas"),
    }
}

/// Combines two numbers to a number or a comparison, or more for operators that are chained.
pub(super) fn combine(kind: LexemeKind, mut operands: Vec<Expr>) -> Operand {
    match kind {
        LexemeKind::Plus => return Operand::Number(Expr::Sum(operands)),
        LexemeKind::Times => return Operand::Number(Expr::Product(operands)),
        _ => {}
    }
    let (Some(b), Some(a)) = (operands.pop(), operands.pop()) else {
        unreachable!("an infix operator has two operands")
    };
    match kind {
        LexemeKind::Compare(how) => Operand::Formula(Formula::Compare(how, a, b)),
        _ => Operand::Number(Expr::Difference(Box::new(a), Box::new(b))),
    }
}

/// Applies a prefix to a formula.
pub(super) fn prefixed(kind: LexemeKind, f: Formula) -> Formula {
    match kind {
        LexemeKind::Not => Formula::Not(Box::new(f)),
        LexemeKind::Unary(Unary::Next) => Formula::Next(Box::new(f)),
        LexemeKind::Unary(Unary::Finally) => Formula::Finally(Box::new(f)),
        LexemeKind::Unary(Unary::Globally) => Formula::Globally(Box::new(f)),
        LexemeKind::Unary(Unary::Yesterday) => Formula::Yesterday(Box::new(f)),
        LexemeKind::Unary(Unary::Once) => Formula::Once(Box::new(f)),
        LexemeKind::Unary(Unary::Historically) => Formula::Historically(Box::new(f)),
        LexemeKind::Quantifier(Quantifier::ForAll) => Formula::ForAll(Box::new(f)),
        LexemeKind::Quantifier(Quantifier::Exists) => Formula::Exists(Box::new(f)),
        LexemeKind::Joined(quantifier, operator) => {
            prefixed(LexemeKind::Quantifier(quantifier), prefixed(LexemeKind::Unary(operator), f))
        }
        _ => unreachable!("no other token is a prefix"),
    }
}

/// The number of levels that an operator adds to a tree; some operators become two nodes.
pub(super) fn levels(kind: LexemeKind) -> usize {
    match kind {
        LexemeKind::Implies | LexemeKind::Xor | LexemeKind::Joined(..) => 2,
        _ => 1,
    }
}
