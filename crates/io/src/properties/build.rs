//! From one element and what is inside to its meaning.

use fireset_net::{Comparison, Expr, Formula, PlaceId, TransitionId};

use super::operands::{Element, Text};
use crate::{Fault, query::names::Binder};

/// The elements of formulas. `strength` is of the contest's first editions, where it makes an until weak.
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

/// What an element means.
pub(super) enum Value {
    Formula(Formula),
    Number(Expr),
    Place(PlaceId),
    Transition(TransitionId),
    Before(Formula),
    Reach(Formula),
    /// The strength of an until: whether it is weak.
    Weak(bool),
}

impl Value {
    /// How messages call it.
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

/// The element of formulas with this name.
pub(super) fn known(name: &str) -> Option<&'static str> {
    KNOWN.iter().copied().find(|&known| known == name)
}

/// What a text means.
pub(super) type Reading = fn(&Text<'_>, &Binder<'_>) -> Result<Value, Fault>;

/// How the text of an element is read; `None` for one with elements inside.
pub(super) fn reading(element: &str) -> Option<Reading> {
    Some(match element {
        "place" => |text, binder| text.place(binder).map(Value::Place),
        "transition" => |text, binder| text.transition(binder).map(Value::Transition),
        "integer-constant" => |text, _| text.integer().map(Value::Number),
        "strength" => |text, _| text.strength().map(Value::Weak),
        _ => return None,
    })
}

/// What an element means, once its end is reached.
pub(super) fn value(element: Element) -> Result<Value, Fault> {
    let formula = match element.name {
        "before" => return element.one().map(Value::Before),
        "reach" => return element.one().map(Value::Reach),
        "tokens-count" => return element.places().map(Expr::Tokens).map(Value::Number),
        "integer-sum" => return element.numbers().map(|es| join(es, Expr::Sum)).map(Value::Number),
        "integer-product" => {
            return element.numbers().map(|es| join(es, Expr::Product)).map(Value::Number);
        }
        "integer-difference" => {
            let [a, b] = element.two_numbers()?;
            return Ok(Value::Number(Expr::Difference(Box::new(a), Box::new(b))));
        }
        "true" => element.none().map(|()| Formula::Constant(true))?,
        "false" => element.none().map(|()| Formula::Constant(false))?,
        "deadlock" => element.none().map(|()| Formula::Deadlock)?,
        "is-fireable" => Formula::Fireable(element.transitions()?),
        "place-bound" => Formula::Bound(element.places()?),
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
    Ok(Value::Formula(formula))
}

/// Several operands joined, and a single one as it is.
fn join<T>(mut operands: Vec<T>, join: fn(Vec<T>) -> T) -> T {
    match operands.len() {
        1 => operands.pop().expect("one operand"),
        _ => join(operands),
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
