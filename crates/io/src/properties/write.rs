//! Properties as contest XML.
//!
//! The contest's language has neither release nor weak until. They are written through until and negation, with
//! the negation outside of a quantifier so that CTL stays CTL: `A[f R g]` as `not E[not f U not g]`, and `f W g`
//! as `not (not g U (not f and not g))`.

use std::{
    borrow::Cow,
    fmt,
    io::{self, Write},
};

use fireset_net::{Comparison, Expr, Formula, Logic, Nodes, Property};
use quick_xml::escape::escape;

use super::logic_of;

/// Weak until writes its right side twice, which doubles again where it nests: more elements than this are refused.
const MOST_ELEMENTS: u64 = 10_000_000;

/// Why properties cannot be written.
#[derive(Debug)]
pub enum WriteError {
    /// The output refused.
    Io(io::Error),
    /// A property has no form in the contest's XML.
    Inexpressible {
        /// The property's name.
        property: String,
        /// What of it has no form.
        what: &'static str,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the properties cannot be written: {error}"),
            Self::Inexpressible { property, what } => {
                write!(f, "the property {property} has no form in the contest's XML: {what}")
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

/// Writes properties as a contest property file. Nothing is written when one of them has no such form.
///
/// Which logic a property is read in is not part of the format: it follows from the name of the file, or the property's. One that
/// would be read as something else gets a name that says it.
///
/// # Panics
/// When a formula speaks of a place or transition that `nodes` does not have.
pub fn write(properties: &[Property], nodes: &Nodes, out: &mut impl Write) -> Result<(), WriteError> {
    for Property { name, formula, .. } in properties {
        if let Some(what) = inexpressible(formula) {
            return Err(WriteError::Inexpressible { property: name.clone(), what });
        }
    }
    let mut writer = Writer { nodes, out, level: 1 };
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

/// A property's name, with the logic behind it if it is read in another one without.
fn name_with_logic(property: &Property) -> Cow<'_, str> {
    let read = Property { logic: logic_of(&property.name).unwrap_or_default(), ..property.clone() };
    if read.query() == property.query() {
        return Cow::Borrowed(&property.name);
    }
    let logic = if property.logic == Logic::Ltl { "LTL" } else { "CTL" };
    Cow::Owned(format!("{}-{logic}", property.name))
}

/// What of a property has no form.
fn inexpressible(formula: &Formula) -> Option<&'static str> {
    let root_is_bound = matches!(formula, Formula::Bound(places) if !places.is_empty());
    if formula.any(&|f| matches!(f, Formula::Global(_))) {
        Some("a property of the whole net")
    } else if !root_is_bound && formula.any(&|f| matches!(f, Formula::Bound(_))) {
        Some("a bound inside of a formula or of no places")
    } else if elements(formula) > MOST_ELEMENTS {
        Some("weak untils inside one another")
    } else {
        None
    }
}

/// About how many elements a formula is written in.
fn elements(formula: &Formula) -> u64 {
    // The right side of a weak until is written twice, so its children count from left to right 1 and 2.
    let again = u64::from(matches!(formula, Formula::WeakUntil(..)));
    formula
        .children()
        .zip(0..)
        .fold(4, |sum: u64, (f, at): (_, u64)| sum.saturating_add(elements(f).saturating_mul(1 + at * again)))
}

/// Writes elements, one a line.
struct Writer<'w, W> {
    nodes: &'w Nodes,
    out: &'w mut W,
    level: usize,
}

impl<W: Write> Writer<'_, W> {
    fn indent(&mut self) -> io::Result<()> {
        // Deep formulas are not pushed off to the right for ever: that would square the file's size.
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
                ts.iter().try_for_each(|&t| w.text("transition", w.nodes.transition(t)))
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
            Formula::Release(..) | Formula::WeakUntil(..) => self.element("negation", |w| w.dual(f)),
            Formula::Exists(path) => self.quantified("exists-path", "all-paths", path),
            Formula::ForAll(path) => self.quantified("all-paths", "exists-path", path),
            Formula::Bound(places) => self.places("place-bound", places),
            Formula::Global(_) => unreachable!("properties of the whole net have been refused"),
        }
    }

    fn quantified(&mut self, quantifier: &str, other: &str, path: &Formula) -> io::Result<()> {
        match path {
            Formula::Release(..) | Formula::WeakUntil(..) => {
                self.element("negation", |w| w.element(other, |w| w.dual(path)))
            }
            _ => self.element(quantifier, |w| w.formula(path)),
        }
    }

    /// The until that is the negation of a release or weak until.
    fn dual(&mut self, f: &Formula) -> io::Result<()> {
        match f {
            Formula::Release(f, g) => self.until(|w| w.negation(f), |w| w.negation(g)),
            Formula::WeakUntil(f, g) => self.until(
                |w| w.negation(g),
                |w| {
                    w.element("conjunction", |w| {
                        w.negation(f)?;
                        w.negation(g)
                    })
                },
            ),
            _ => unreachable!("only release and weak until are written by their duals"),
        }
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
        self.element(name, |w| places.iter().try_for_each(|&p| w.text("place", w.nodes.place(p))))
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
