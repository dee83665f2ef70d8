//! What the operators of a query make of their operands.

use fireset_net::{Expr, Formula, Quantifier};

use super::{
    lexer::{Binary, Kind, Unary},
    parser::Sort,
    power::{ADD, AND, COMPARE, IFF, IMPLIES, MULTIPLY, OR, UNTIL, XOR},
};

/// How tightly an infix operator binds.
pub(super) fn infix(kind: Kind) -> Option<u8> {
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

/// A formula between two operands, or more where the operator chains them.
pub(super) fn join(kind: Kind, mut operands: Vec<Formula>) -> Formula {
    match kind {
        Kind::And => return Formula::And(operands),
        Kind::Or => return Formula::Or(operands),
        _ => {}
    }
    let (Some(g), Some(f)) = (operands.pop(), operands.pop()) else {
        unreachable!("an infix operator has two operands")
    };
    let (f, g) = (Box::new(f), Box::new(g));
    match kind {
        Kind::Implies => (*f).implies(*g),
        Kind::Iff => Formula::Iff(f, g),
        Kind::Xor => Formula::Not(Box::new(Formula::Iff(f, g))),
        Kind::Binary(Binary::Until) => Formula::Until(f, g),
        Kind::Binary(Binary::Release) => Formula::Release(f, g),
        Kind::Binary(Binary::WeakUntil) => Formula::WeakUntil(f, g),
        _ => unreachable!("no other operator stands between formulas"),
    }
}

/// A number or comparison of two operands, or more where the operator chains them.
pub(super) fn combine(kind: Kind, mut operands: Vec<Expr>) -> Sort {
    match kind {
        Kind::Plus => return Sort::Number(Expr::Sum(operands)),
        Kind::Times => return Sort::Number(Expr::Product(operands)),
        _ => {}
    }
    let (Some(b), Some(a)) = (operands.pop(), operands.pop()) else {
        unreachable!("an infix operator has two operands")
    };
    match kind {
        Kind::Compare(how) => Sort::Formula(Formula::Compare(how, a, b)),
        _ => Sort::Number(Expr::Difference(Box::new(a), Box::new(b))),
    }
}

/// A formula behind a prefix.
pub(super) fn prefixed(kind: Kind, f: Formula) -> Formula {
    match kind {
        Kind::Not => Formula::Not(Box::new(f)),
        Kind::Unary(Unary::Next) => Formula::Next(Box::new(f)),
        Kind::Unary(Unary::Finally) => Formula::Finally(Box::new(f)),
        Kind::Unary(Unary::Globally) => Formula::Globally(Box::new(f)),
        Kind::Quantifier(Quantifier::ForAll) => Formula::ForAll(Box::new(f)),
        Kind::Quantifier(Quantifier::Exists) => Formula::Exists(Box::new(f)),
        Kind::Joined(quantifier, operator) => {
            prefixed(Kind::Quantifier(quantifier), prefixed(Kind::Unary(operator), f))
        }
        _ => unreachable!("no other token is a prefix"),
    }
}

/// How many levels an operator adds to a tree: some are spelled out in two nodes.
pub(super) fn levels(kind: Kind) -> usize {
    match kind {
        Kind::Implies | Kind::Xor | Kind::Joined(..) => 2,
        _ => 1,
    }
}
