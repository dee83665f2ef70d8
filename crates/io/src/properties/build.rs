//! From one element and what is inside to its meaning.

use fireset_net::{Comparison, Expr, Formula, PlaceId, TransitionId};

use super::operands::{Operands, Text};
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

/// An element that is being read.
pub(super) struct Element {
    name: String,
    offset: u64,
    inside: Vec<(u64, Value)>,
    text: String,
    /// Where the text begins, behind white space.
    text_offset: u64,
}

impl Element {
    /// An element whose tag has been read.
    pub(super) fn new(name: String, offset: u64) -> Self {
        Self { name, offset, inside: Vec::new(), text: String::new(), text_offset: offset }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether its text has a meaning.
    pub(super) fn has_text(&self) -> bool {
        matches!(&*self.name, "place" | "transition" | "integer-constant" | "strength")
    }

    pub(super) fn add_text(&mut self, offset: u64, text: &str) {
        if !self.text.is_empty() {
            self.text.push_str(text);
            return;
        }
        self.text.push_str(text.trim_start());
        self.text_offset = offset + (text.len() - self.text.len()) as u64;
    }

    pub(super) fn add(&mut self, offset: u64, value: Value) {
        self.inside.push((offset, value));
    }

    /// What it means, once its end is reached.
    pub(super) fn value(mut self, binder: &Binder<'_>) -> Result<Value, Fault> {
        let name = std::mem::take(&mut self.name);
        let element = Operands { name: &name, offset: self.offset, inside: self.inside };
        let text = Text { text: self.text.trim(), offset: self.text_offset };
        let formula = match &*name {
            "formula" => element.one()?,
            "place" => return element.none().and_then(|()| text.place(binder)).map(Value::Place),
            "transition" => {
                return element.none().and_then(|()| text.transition(binder)).map(Value::Transition);
            }
            "integer-constant" => return element.none().and_then(|()| text.integer()).map(Value::Number),
            "strength" => return element.none().and_then(|()| text.strength()).map(Value::Weak),
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
