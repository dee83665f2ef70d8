//! The operands of an element, with checks of their number and type.

use fireset_net::{
    Expr, Formula,
    coloured::{ColourPattern, PlaceColours},
};

use super::build::ElementValue;
use crate::{
    Fault,
    query::{
        colours::{AskedTransition, read_bindings, read_colours},
        names::{Binder, NodeKind, Unbound},
        out_of_range,
    },
};

/// An element with the operands read so far.
pub(super) struct Element {
    pub(super) name: &'static str,
    pub(super) offset: u64,
    operands: Vec<(u64, ElementValue)>,
}

impl Element {
    pub(super) fn new(name: &'static str, offset: u64) -> Self {
        Self { name, offset, operands: Vec::new() }
    }

    /// Adds an operand that begins at `offset`.
    pub(super) fn add(&mut self, offset: u64, value: ElementValue) {
        self.operands.push((offset, value));
    }

    fn wrong_count(&self, takes: &str) -> Fault {
        let (name, found) = (self.name, self.operands.len());
        Fault::at(self.offset, format!("{name} takes {takes}, found {found}"))
    }

    /// All operands, if there is at least one and `take` accepts each.
    fn all<T>(self, noun: &str, take: fn(ElementValue) -> Result<T, ElementValue>) -> Result<Vec<T>, Fault> {
        if self.operands.is_empty() {
            return Err(self.wrong_count("1 operand or more"));
        }
        let refuse = |offset, value: ElementValue| {
            Fault::at(offset, format!("{} takes {noun}, found {}", self.name, value.noun()))
        };
        self.operands
            .into_iter()
            .map(|(offset, value)| take(value).map_err(|value| refuse(offset, value)))
            .collect()
    }

    /// Exactly `N` operands.
    fn exactly<T, const N: usize>(
        self,
        noun: &str,
        take: fn(ElementValue) -> Result<T, ElementValue>,
    ) -> Result<[T; N], Fault> {
        if self.operands.len() != N {
            return Err(self.wrong_count(&format!("{N} operand{}", if N == 1 { "" } else { "s" })));
        }
        let all = self.all(noun, take)?;
        Ok(all.try_into().unwrap_or_else(|_| unreachable!("as many operands as were counted")))
    }

    pub(super) fn none(&self) -> Result<(), Fault> {
        if self.operands.is_empty() { Ok(()) } else { Err(self.wrong_count("no operands")) }
    }

    /// A single formula.
    pub(super) fn one(self) -> Result<Formula, Fault> {
        self.exactly("a formula", formula).map(|[f]| f)
    }

    pub(super) fn two(self) -> Result<[Formula; 2], Fault> {
        self.exactly("formulas", formula)
    }

    /// One formula or more.
    pub(super) fn formulas(self) -> Result<Vec<Formula>, Fault> {
        self.all("formulas", formula)
    }

    pub(super) fn two_numbers(self) -> Result<[Expr; 2], Fault> {
        self.exactly("numbers", number)
    }

    /// One number or more.
    pub(super) fn numbers(self) -> Result<Vec<Expr>, Fault> {
        self.all("numbers", number)
    }

    /// One place or more.
    pub(super) fn places(self) -> Result<Vec<PlaceColours>, Fault> {
        self.all("places", |value| match value {
            ElementValue::Place(place) => Ok(place),
            other => Err(other),
        })
    }

    /// One transition or more.
    pub(super) fn transitions(self) -> Result<Vec<AskedTransition>, Fault> {
        self.all("transitions", |value| match value {
            ElementValue::Transition(transition) => Ok(transition),
            other => Err(other),
        })
    }

    /// An until, with its operands in any order.
    pub(super) fn until(self) -> Result<Formula, Fault> {
        let (mut before, mut reach, mut weak) = (None, None, None);
        for (offset, value) in self.operands {
            let again = match value {
                ElementValue::Before(f) => before.replace(f).is_some(),
                ElementValue::Reach(f) => reach.replace(f).is_some(),
                ElementValue::Weak(value) => weak.replace(value).is_some(),
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

fn formula(value: ElementValue) -> Result<Formula, ElementValue> {
    match value {
        ElementValue::Formula(f) => Ok(f),
        other => Err(other),
    }
}

fn number(value: ElementValue) -> Result<Expr, ElementValue> {
    match value {
        ElementValue::Number(n) => Ok(n),
        other => Err(other),
    }
}

/// The attributes of an element that name colours, and its offset.
pub(super) struct Colours {
    pub(super) offset: u64,
    pub(super) colour: Option<String>,
    pub(super) binding: Option<String>,
}

impl Colours {
    /// The fault in an attribute; its offset is the element's, because attributes are read after they were unescaped.
    fn fault(&self, attribute: &str, fault: Fault) -> Fault {
        Fault {
            offset: self.offset,
            message: format!("in the attribute `{attribute}`: {}", fault.message),
            ..fault
        }
    }

    /// Refuses an attribute of the other kind of node, which would change the meaning if it were ignored.
    fn refuse(&self, attribute: Option<&str>, element: &str, hint: &str) -> Result<(), Fault> {
        match attribute {
            Some(_) => Err(Fault::at(self.offset, format!("a `{element}` has no such attribute")).hint(hint)),
            None => Ok(()),
        }
    }
}

/// The trimmed text of an element.
pub(super) struct ElementText<'e> {
    pub(super) text: &'e str,
    pub(super) offset: u64,
    pub(super) colours: Colours,
}

impl ElementText<'_> {
    pub(super) fn place(&self, binder: &Binder<'_>) -> Result<PlaceColours, Fault> {
        let place = binder.place(self.text);
        let place = place.map_err(|unbound| self.unbound(NodeKind::Place, unbound, binder))?;
        self.colours.refuse(
            self.colours.binding.as_deref(),
            "place",
            "the colours of a place are its `colour`",
        )?;
        let colours = match &self.colours.colour {
            Some(text) => read_colours(text, binder.names(), place)
                .map_err(|fault| self.colours.fault("colour", fault))?,
            None => ColourPattern::default(),
        };
        Ok(PlaceColours { place, colours })
    }

    pub(super) fn transition(&self, binder: &Binder<'_>) -> Result<AskedTransition, Fault> {
        let transition = binder.transition(self.text);
        let transition = transition.map_err(|unbound| self.unbound(NodeKind::Transition, unbound, binder))?;
        let hint = "the colours of its variables are its `binding`";
        self.colours.refuse(self.colours.colour.as_deref(), "transition", hint)?;
        let bindings = match &self.colours.binding {
            Some(text) => read_bindings(text, binder.names(), transition)
                .map_err(|fault| self.colours.fault("binding", fault))?,
            None => None,
        };
        Ok((transition, bindings))
    }

    fn unbound(&self, kind: NodeKind, unbound: Unbound<'_>, binder: &Binder<'_>) -> Fault {
        let shown = |name: &str| format!("`{name}`");
        let fault = Fault::at(self.offset, unbound.message(kind, self.text));
        match (unbound.hint(shown), unbound) {
            (Some(hint), _) => fault.hint(hint),
            (None, Unbound::Unknown(_)) => {
                let names = binder.examples(kind, shown);
                fault.hint(format!("the file may belong to another net; {names}"))
            }
            (None, _) => fault,
        }
    }

    pub(super) fn integer(&self) -> Result<Expr, Fault> {
        let digits = self.text.strip_prefix(['-', '+']).unwrap_or(self.text);
        match self.text.parse() {
            Ok(value) => Ok(Expr::Constant(value)),
            Err(_) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                Err(out_of_range(self.offset, self.text))
            }
            Err(_) => Err(Fault::at(self.offset, format!("`{}` is not an integer", self.text))),
        }
    }

    /// True for `weak`.
    pub(super) fn strength(&self) -> Result<bool, Fault> {
        match self.text {
            "weak" => Ok(true),
            "strong" => Ok(false),
            other => Err(Fault::at(self.offset, format!("`{other}` is neither `weak` nor `strong`"))),
        }
    }
}
