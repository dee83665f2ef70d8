//! From one element and what is inside to its meaning.

use fireset_net::{Comparison, Expr, Formula, PlaceId, TransitionId};

use crate::{
    Fault,
    query::names::{Binder, Kind, Unbound},
};

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
    fn noun(&self) -> &'static str {
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

/// What is inside an element, to be taken out as what it should be.
struct Operands<'e> {
    name: &'e str,
    offset: u64,
    inside: Vec<(u64, Value)>,
}

impl Operands<'_> {
    fn wrong_count(&self, takes: &str) -> Fault {
        let (name, found) = (self.name, self.inside.len());
        Fault::at(self.offset, format!("{name} takes {takes}, found {found}"))
    }

    /// All values, when there is at least one and `take` accepts each.
    fn all<T>(self, noun: &str, take: fn(Value) -> Result<T, Value>) -> Result<Vec<T>, Fault> {
        if self.inside.is_empty() {
            return Err(self.wrong_count("1 operand or more"));
        }
        let refuse = |offset, value: Value| {
            Fault::at(offset, format!("{} takes {noun}, found {}", self.name, value.noun()))
        };
        self.inside
            .into_iter()
            .map(|(offset, value)| take(value).map_err(|value| refuse(offset, value)))
            .collect()
    }

    /// Exactly `N` values.
    fn exactly<T, const N: usize>(
        self,
        noun: &str,
        take: fn(Value) -> Result<T, Value>,
    ) -> Result<[T; N], Fault> {
        if self.inside.len() != N {
            return Err(self.wrong_count(&format!("{N} operand{}", if N == 1 { "" } else { "s" })));
        }
        let all = self.all(noun, take)?;
        Ok(all.try_into().unwrap_or_else(|_| unreachable!("as many operands as were counted")))
    }

    fn none(&self) -> Result<(), Fault> {
        if self.inside.is_empty() { Ok(()) } else { Err(self.wrong_count("no operands")) }
    }

    fn one(self) -> Result<Formula, Fault> {
        self.exactly("a formula", formula).map(|[f]| f)
    }

    fn two(self) -> Result<[Formula; 2], Fault> {
        self.exactly("formulas", formula)
    }

    fn formulas(self) -> Result<Vec<Formula>, Fault> {
        self.all("formulas", formula)
    }

    fn two_numbers(self) -> Result<[Expr; 2], Fault> {
        self.exactly("numbers", number)
    }

    fn numbers(self) -> Result<Vec<Expr>, Fault> {
        self.all("numbers", number)
    }

    fn places(self) -> Result<Vec<PlaceId>, Fault> {
        self.all("places", |value| match value {
            Value::Place(place) => Ok(place),
            other => Err(other),
        })
    }

    fn transitions(self) -> Result<Vec<TransitionId>, Fault> {
        self.all("transitions", |value| match value {
            Value::Transition(transition) => Ok(transition),
            other => Err(other),
        })
    }

    fn until(self) -> Result<Formula, Fault> {
        let (mut before, mut reach, mut weak) = (None, None, None);
        for (offset, value) in self.inside {
            let again = match value {
                Value::Before(f) => before.replace(f).is_some(),
                Value::Reach(f) => reach.replace(f).is_some(),
                Value::Weak(value) => weak.replace(value).is_some(),
                other => {
                    let message = format!("until takes `before` and `reach`, found {}", other.noun());
                    return Err(Fault::at(offset, message));
                }
            };
            if again {
                return Err(Fault::at(offset, "until takes `before` and `reach` once each"));
            }
        }
        let missing =
            |what| Fault::at(self.offset, format!("until takes `before` and `reach`, `{what}` is missing"));
        let before = Box::new(before.ok_or_else(|| missing("before"))?);
        let reach = Box::new(reach.ok_or_else(|| missing("reach"))?);
        let weak = weak.unwrap_or(false);
        Ok(if weak { Formula::WeakUntil(before, reach) } else { Formula::Until(before, reach) })
    }
}

fn formula(value: Value) -> Result<Formula, Value> {
    match value {
        Value::Formula(f) => Ok(f),
        other => Err(other),
    }
}

fn number(value: Value) -> Result<Expr, Value> {
    match value {
        Value::Number(n) => Ok(n),
        other => Err(other),
    }
}

/// The text of an element without white space around it.
struct Text<'e> {
    text: &'e str,
    offset: u64,
}

impl Text<'_> {
    fn place(&self, binder: &Binder<'_>) -> Result<PlaceId, Fault> {
        binder.place(self.text).map_err(|unbound| self.unbound(Kind::Place, unbound))
    }

    fn transition(&self, binder: &Binder<'_>) -> Result<TransitionId, Fault> {
        binder.transition(self.text).map_err(|unbound| self.unbound(Kind::Transition, unbound))
    }

    fn unbound(&self, kind: Kind, unbound: Unbound<'_>) -> Fault {
        let fault = Fault::at(self.offset, unbound.message(kind, self.text));
        match unbound.hint(|name| format!("`{name}`")) {
            Some(hint) => fault.hint(hint),
            None => fault,
        }
    }

    fn integer(&self) -> Result<Expr, Fault> {
        let digits = self.text.strip_prefix(['-', '+']).unwrap_or(self.text);
        let message = match self.text.parse() {
            Ok(value) => return Ok(Expr::Constant(value)),
            Err(_) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                format!("{} does not fit into 64 bits", self.text)
            }
            Err(_) => format!("`{}` is not an integer", self.text),
        };
        Err(Fault::at(self.offset, message))
    }

    fn strength(&self) -> Result<bool, Fault> {
        match self.text {
            "weak" => Ok(true),
            "strong" => Ok(false),
            other => Err(Fault::at(self.offset, format!("`{other}` is neither `weak` nor `strong`"))),
        }
    }
}
