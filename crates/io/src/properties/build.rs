//! Builds a formula or number from an element and its operands.

use fireset_net::{Comparison, Expr, Formula, coloured::PlaceColours};

use super::operands::{Element, ElementText};
use crate::{
    Fault,
    query::{
        colours::{AskedTransition, bound, fireable, tokens},
        names::Binder,
    },
};

/// The elements of formulas. `strength` belongs to the contest's first editions, where it makes an until weak.
pub(super) const KNOWN: &[&str] = &[
    "all-paths",
    "exists-path",
    "globally",
    "finally",
    "next",
    "until",
    "before",
    "reach",
    "strength",
    "invariant",
    "possibility",
    "impossibility",
    "negation",
    "conjunction",
    "disjunction",
    "exclusive-disjunction",
    "implication",
    "equivalence",
    "true",
    "false",
    "deadlock",
    "is-fireable",
    "transition",
    "integer-le",
    "integer-lt",
    "integer-ge",
    "integer-gt",
    "integer-eq",
    "integer-ne",
    "integer-constant",
    "integer-sum",
    "integer-product",
    "integer-difference",
    "tokens-count",
    "place",
    "place-bound",
];

pub(super) enum ElementValue {
    Formula(Formula),
    Number(Expr),
    Place(PlaceColours),
    Transition(AskedTransition),
    Before(Formula),
    Reach(Formula),
    /// The strength of an until; true for weak.
    Weak(bool),
}

impl ElementValue {
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Self::Formula(_) => "a formula",
            Self::Number(_) => "a number",
            Self::Place(_) => "a place",
            Self::Transition(_) => "a transition",
            Self::Before(_) => "`before`",
            Self::Reach(_) => "`reach`",
            Self::Weak(_) => "`strength`",
        }
    }
}

pub(super) fn known(name: &str) -> Option<&'static str> {
    KNOWN.iter().copied().find(|&known| known == name)
}

/// A parser of an element's text.
pub(super) type Reading = fn(&ElementText<'_>, &Binder<'_>) -> Result<ElementValue, Fault>;

/// The parser of an element's text; `None` for elements with children.
pub(super) fn reading(element: &str) -> Option<Reading> {
    Some(match element {
        "place" => |text, binder| text.place(binder).map(ElementValue::Place),
        "transition" => |text, binder| text.transition(binder).map(ElementValue::Transition),
        "integer-constant" => |text, _| text.integer().map(ElementValue::Number),
        "strength" => |text, _| text.strength().map(ElementValue::Weak),
        _ => return None,
    })
}

/// The value of an element whose end is reached.
pub(super) fn value(element: Element) -> Result<ElementValue, Fault> {
    let formula = match element.name {
        "before" => return element.one().map(ElementValue::Before),
        "reach" => return element.one().map(ElementValue::Reach),
        "tokens-count" => return element.places().map(tokens).map(ElementValue::Number),
        "integer-sum" => return element.numbers().map(|es| join(es, Expr::Sum)).map(ElementValue::Number),
        "integer-product" => {
            return element.numbers().map(|es| join(es, Expr::Product)).map(ElementValue::Number);
        }
        "integer-difference" => return element.numbers().map(difference).map(ElementValue::Number),
        "true" => element.none().map(|()| Formula::Constant(true))?,
        "false" => element.none().map(|()| Formula::Constant(false))?,
        "deadlock" => element.none().map(|()| Formula::Deadlock)?,
        "is-fireable" => fireable(element.transitions()?),
        "place-bound" => bound(element.places()?),
        "until" => element.until()?,
        "all-paths" => Formula::ForAll(Box::new(element.one()?)),
        "exists-path" => Formula::Exists(Box::new(element.one()?)),
        "globally" => Formula::Globally(Box::new(element.one()?)),
        "finally" => Formula::Finally(Box::new(element.one()?)),
        "next" => Formula::Next(Box::new(element.one()?)),
        "negation" => Formula::Not(Box::new(element.one()?)),
        "invariant" => element.one()?.invariant(),
        "possibility" => element.one()?.possible(),
        "impossibility" => Formula::Not(Box::new(element.one()?)).invariant(),
        "conjunction" => join(element.formulas()?, Formula::And),
        "disjunction" => join(element.formulas()?, Formula::Or),
        other => match (comparison(other), other) {
            (Some(how), _) => {
                let [a, b] = element.two_numbers()?;
                Formula::Compare(how, a, b)
            }
            (None, "implication") => {
                let [a, b] = element.two()?;
                Formula::Or(vec![Formula::Not(Box::new(a)), b])
            }
            _ => {
                let [a, b] = element.two()?;
                let same = Formula::Iff(Box::new(a), Box::new(b));
                if other == "equivalence" { same } else { Formula::Not(Box::new(same)) }
            }
        },
    };
    Ok(ElementValue::Formula(formula))
}

/// Joins several operands; a single operand stays as it is.
fn join<T>(mut operands: Vec<T>, join: fn(Vec<T>) -> T) -> T {
    match operands.len() {
        1 => operands.pop().expect("one operand"),
        _ => join(operands),
    }
}

/// The first number less all others. The others are summed, so that a long difference does not become a deep tree.
fn difference(mut numbers: Vec<Expr>) -> Expr {
    let others = numbers.split_off(1);
    let first = numbers.pop().expect("an element has at least one operand");
    match others.len() {
        0 => first,
        _ => Expr::Difference(Box::new(first), Box::new(join(others, Expr::Sum))),
    }
}

fn comparison(element: &str) -> Option<Comparison> {
    match element {
        "integer-le" => Some(Comparison::LessEqual),
        "integer-lt" => Some(Comparison::Less),
        "integer-ge" => Some(Comparison::GreaterEqual),
        "integer-gt" => Some(Comparison::Greater),
        "integer-eq" => Some(Comparison::Equal),
        "integer-ne" => Some(Comparison::NotEqual),
        _ => None,
    }
}
