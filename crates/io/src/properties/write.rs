//! Writes properties as contest XML.
//!
//! The contest's language has neither release nor weak until. They are expressed by until and negation, with the
//! negation outside of a quantifier so that CTL stays CTL: `A[f R g]` as `not E[not f U not g]`, and `f W g`
//! as `not (not g U (not f and not g))`.

use std::{
    borrow::Cow,
    fmt,
    io::{self, Write},
};

use fireset_net::{Comparison, Expr, Formula, Logic, Property, coloured::PlaceColours};
use quick_xml::escape::escape;

use super::logic_of;
use crate::query::{
    self, QueryNames,
    colours::{show_bindings, show_colours},
};

/// A weak until writes its right side twice, so nested ones grow exponentially: more elements than this are refused.
const MOST_ELEMENTS: u64 = 10_000_000;

/// Queries in messages are cut to this number of characters.
const LONGEST_QUERY: usize = 80;

/// Why properties cannot be written.
#[derive(Debug)]
pub enum WriteError {
    /// An error of the output.
    Io(io::Error),
    /// A property that contest XML cannot express.
    Inexpressible {
        /// The property's name.
        property: String,
        /// The property as a query, shortened.
        query: String,
        /// `None` for properties of the whole net.
        reason: Option<&'static str>,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot write the properties: {error}"),
            Self::Inexpressible { property, query, reason } => {
                write!(f, "{property} (`{query}`) cannot be written as contest XML")?;
                reason.map_or(Ok(()), |reason| write!(f, ": {reason}"))
            }
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Inexpressible { .. } => None,
        }
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Writes properties as a contest property file. If one of them cannot be expressed, nothing is written.
///
/// The logic of a property is not part of the format: it follows from the name of the file or of the property. A property
/// that would be read in another logic gets a name with its logic.
///
/// # Panics
/// If a formula refers to a place or transition that the net does not have, or to colours and only nodes are given.
pub fn write<'n>(
    properties: &[Property],
    names: impl Into<QueryNames<'n>>,
    out: &mut impl Write,
) -> Result<(), WriteError> {
    let names = names.into();
    for Property { name, formula, logic } in properties {
        if let Err(reason) = check_expressible(formula) {
            let query = shortened(query::show_as(formula, *logic, names));
            return Err(WriteError::Inexpressible { property: name.clone(), query, reason });
        }
    }
    let mut writer = XmlWriter { names, out, level: 1 };
    writeln!(writer.out, "<?xml version=\"1.0\"?>\n<property-set xmlns=\"http://mcc.lip6.fr/\">")?;
    for property in properties {
        writer.element("property", |w| {
            w.text("id", &name_with_logic(property))?;
            w.text("description", "")?;
            w.element("formula", |w| w.formula(&property.formula))
        })?;
    }
    writeln!(writer.out, "</property-set>")?;
    Ok(())
}

/// Cuts a query to [`LONGEST_QUERY`].
fn shortened(mut query: String) -> String {
    if let Some((end, _)) = query.char_indices().nth(LONGEST_QUERY) {
        query.truncate(end);
        query += "...";
    }
    query
}

/// The name of a property; with its logic appended if the name alone implies another one.
fn name_with_logic(property: &Property) -> Cow<'_, str> {
    let read = Property { logic: logic_of(&property.name).unwrap_or_default(), ..property.clone() };
    if read.query() == property.query() {
        return Cow::Borrowed(&property.name);
    }
    let logic = if property.logic == Logic::Ltl { "LTL" } else { "CTL" };
    Cow::Owned(format!("{}-{logic}", property.name))
}

/// Refuses formulas that contest XML cannot express, with a reason unless it is obvious.
fn check_expressible(formula: &Formula) -> Result<(), Option<&'static str>> {
    let root_is_bound = match formula {
        Formula::Bound(places) => !places.is_empty(),
        Formula::ColourBound(places) => !places.is_empty(),
        _ => false,
    };
    if formula.any(&|f| is_unwritten(f)) {
        Err(None)
    } else if formula.is_about_runs() {
        Err(Some("the contest's logics have no `fired`, past operators or fairness"))
    } else if !root_is_bound && formula.any(&|f| matches!(f, Formula::Bound(_) | Formula::ColourBound(_))) {
        Err(Some("a bound must stand alone and name a place"))
    } else if elements(formula) > MOST_ELEMENTS {
        Err(Some("nested weak untils make it too large"))
    } else {
        Ok(())
    }
}

/// Whether contest XML has no word for a property and no formula says the same.
fn is_unwritten(formula: &Formula) -> bool {
    match formula {
        Formula::Global(_) => true,
        Formula::Named(property) => property.formula().is_none(),
        _ => false,
    }
}

/// An estimate of the number of elements of a written formula.
fn elements(formula: &Formula) -> u64 {
    // The right side of a weak until is written twice, so its children count from left to right 1 and 2.
    let again = u64::from(matches!(formula, Formula::WeakUntil(..)));
    formula
        .children()
        .zip(0..)
        .fold(4, |sum: u64, (f, at): (_, u64)| sum.saturating_add(elements(f).saturating_mul(1 + at * again)))
}

/// Writes elements, one per line.
struct XmlWriter<'w, W> {
    names: QueryNames<'w>,
    out: &'w mut W,
    level: usize,
}

impl<W: Write> XmlWriter<'_, W> {
    fn indent(&mut self) -> io::Result<()> {
        // The indentation is bounded, since otherwise the file would grow with the square of the depth.
        write!(self.out, "{:1$}", "", 2 * self.level.min(40))
    }

    fn element(&mut self, name: &str, inside: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.indent()?;
        writeln!(self.out, "<{name}>")?;
        self.level += 1;
        inside(self)?;
        self.level -= 1;
        self.indent()?;
        writeln!(self.out, "</{name}>")
    }

    fn text(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.indent()?;
        writeln!(self.out, "<{name}>{}</{name}>", escape(text))
    }

    /// Writes a text in an element that may have an attribute.
    fn text_with(
        &mut self,
        name: &str,
        (attribute, value): (&str, Option<String>),
        text: &str,
    ) -> io::Result<()> {
        let Some(value) = value else { return self.text(name, text) };
        self.indent()?;
        writeln!(self.out, "<{name} {attribute}=\"{}\">{}</{name}>", escape(&value), escape(text))
    }

    /// Writes a place with the colours that are meant, unless all are.
    fn colours(&mut self, some: &PlaceColours) -> io::Result<()> {
        let net = self.names.coloured().filter(|_| !some.colours.is_any());
        let colours = net.map(|net| show_colours(net.sorts(), net.place(some.place).sort, &some.colours));
        self.text_with("place", ("colour", colours), self.names.nodes().place(some.place))
    }

    fn empty(&mut self, name: &str) -> io::Result<()> {
        self.indent()?;
        writeln!(self.out, "<{name}/>")
    }

    fn formula(&mut self, f: &Formula) -> io::Result<()> {
        match f {
            Formula::Constant(true) => self.empty("true"),
            Formula::Constant(false) => self.empty("false"),
            Formula::Deadlock => self.empty("deadlock"),
            Formula::Fireable(ts) if ts.is_empty() => self.empty("false"),
            Formula::Fireable(ts) => self.element("is-fireable", |w| {
                ts.iter().try_for_each(|&t| w.text("transition", w.names.nodes().transition(t)))
            }),
            Formula::BindingFireable(some) => self.element("is-fireable", |w| {
                let transition = w.names.nodes().transition(some.transition());
                let net = w.names.coloured().filter(|_| some.variables().len() > 0);
                let binding = net.map(|net| show_bindings(net, some));
                w.text_with("transition", ("binding", binding), transition)
            }),
            Formula::Compare(how, a, b) => self.element(comparison(*how), |w| {
                w.number(a)?;
                w.number(b)
            }),
            Formula::Not(f) => self.negation(f),
            Formula::And(fs) => self.joined("conjunction", "true", fs),
            Formula::Or(fs) => self.joined("disjunction", "false", fs),
            Formula::Iff(f, g) => self.element("equivalence", |w| {
                w.formula(f)?;
                w.formula(g)
            }),
            Formula::Next(f) => self.element("next", |w| w.formula(f)),
            Formula::Finally(f) => self.element("finally", |w| w.formula(f)),
            Formula::Globally(f) => self.element("globally", |w| w.formula(f)),
            Formula::Until(f, g) => self.until(|w| w.formula(f), |w| w.formula(g)),
            Formula::Release(f, g) => self.element("negation", |w| w.dual_of_release(f, g)),
            Formula::WeakUntil(f, g) => self.element("negation", |w| w.dual_of_weak_until(f, g)),
            Formula::Exists(path) => self.quantified("exists-path", "all-paths", path),
            Formula::ForAll(path) => self.quantified("all-paths", "exists-path", path),
            Formula::Bound(places) => self.places("place-bound", places),
            Formula::ColourBound(places) => {
                self.element("place-bound", |w| places.iter().try_for_each(|some| w.colours(some)))
            }
            Formula::Named(property) => match property.formula() {
                Some(formula) => self.formula(&formula),
                None => Err(io::Error::other("a property of the whole net cannot be written")),
            },
            Formula::Fired(_)
            | Formula::Yesterday(_)
            | Formula::Once(_)
            | Formula::Historically(_)
            | Formula::Since(..)
            | Formula::Under(..) => {
                Err(io::Error::other("a property of steps, past or fair runs cannot be written"))
            }
            Formula::Global(_) => Err(io::Error::other("a property of the whole net cannot be written")),
        }
    }

    fn quantified(&mut self, quantifier: &str, other: &str, path: &Formula) -> io::Result<()> {
        match path {
            Formula::Release(f, g) => {
                self.element("negation", |w| w.element(other, |w| w.dual_of_release(f, g)))
            }
            Formula::WeakUntil(f, g) => {
                self.element("negation", |w| w.element(other, |w| w.dual_of_weak_until(f, g)))
            }
            _ => self.element(quantifier, |w| w.formula(path)),
        }
    }

    /// Writes the until that is the negation of a release.
    fn dual_of_release(&mut self, f: &Formula, g: &Formula) -> io::Result<()> {
        self.until(|w| w.negation(f), |w| w.negation(g))
    }

    /// Writes the until that is the negation of a weak until.
    fn dual_of_weak_until(&mut self, f: &Formula, g: &Formula) -> io::Result<()> {
        let neither = |w: &mut Self| {
            w.element("conjunction", |w| {
                w.negation(f)?;
                w.negation(g)
            })
        };
        self.until(|w| w.negation(g), neither)
    }

    fn until(
        &mut self,
        before: impl FnOnce(&mut Self) -> io::Result<()>,
        reach: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        self.element("until", |w| {
            w.element("before", before)?;
            w.element("reach", reach)
        })
    }

    fn negation(&mut self, f: &Formula) -> io::Result<()> {
        match f {
            Formula::Iff(f, g) => self.element("exclusive-disjunction", |w| {
                w.formula(f)?;
                w.formula(g)
            }),
            _ => self.element("negation", |w| w.formula(f)),
        }
    }

    fn joined(&mut self, name: &str, nothing: &str, fs: &[Formula]) -> io::Result<()> {
        match fs {
            [] => self.empty(nothing),
            [only] => self.formula(only),
            _ => self.element(name, |w| fs.iter().try_for_each(|f| w.formula(f))),
        }
    }

    fn number(&mut self, number: &Expr) -> io::Result<()> {
        match number {
            Expr::Constant(n) => self.text("integer-constant", &n.to_string()),
            Expr::Tokens(places) if places.is_empty() => self.text("integer-constant", "0"),
            Expr::Tokens(places) => self.places("tokens-count", places),
            Expr::ColourTokens(some) => self.element("tokens-count", |w| w.colours(some)),
            Expr::Sum(terms) => self.combined("integer-sum", "0", terms),
            Expr::Product(factors) => self.combined("integer-product", "1", factors),
            Expr::Difference(a, b) => self.element("integer-difference", |w| {
                w.number(a)?;
                w.number(b)
            }),
        }
    }

    fn combined(&mut self, name: &str, nothing: &str, terms: &[Expr]) -> io::Result<()> {
        match terms {
            [] => self.text("integer-constant", nothing),
            [only] => self.number(only),
            _ => self.element(name, |w| terms.iter().try_for_each(|term| w.number(term))),
        }
    }

    fn places(&mut self, name: &str, places: &[fireset_net::PlaceId]) -> io::Result<()> {
        self.element(name, |w| places.iter().try_for_each(|&p| w.text("place", w.names.nodes().place(p))))
    }
}

fn comparison(how: Comparison) -> &'static str {
    match how {
        Comparison::Less => "integer-lt",
        Comparison::LessEqual => "integer-le",
        Comparison::Equal => "integer-eq",
        Comparison::NotEqual => "integer-ne",
        Comparison::GreaterEqual => "integer-ge",
        Comparison::Greater => "integer-gt",
    }
}
