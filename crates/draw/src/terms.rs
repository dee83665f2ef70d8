//! The inscriptions of coloured nets as short texts: `x`, `2*red`, `(x, y+1)`, `all Fork`.

use fireset_net::{
    SortId,
    coloured::{BagTerm, ColourTerm, ColouredNet, Guard, SortKind},
};

/// Writes terms with the names of a net.
pub(crate) struct TermPrinter<'a> {
    pub(crate) net: &'a ColouredNet,
}

impl TermPrinter<'_> {
    /// What an arc carries; nothing where it is one token without a colour.
    pub(crate) fn inscription(&self, term: &BagTerm, sort: SortId) -> String {
        let is_dot = matches!(self.net.sorts()[sort].kind, SortKind::Dot);
        match term {
            _ if is_dot => match term.cardinality(self.net.sorts()) {
                Some(1) => String::new(),
                Some(count) => count.to_string(),
                None => self.bag(term, sort),
            },
            _ => self.bag(term, sort),
        }
    }

    fn bag(&self, term: &BagTerm, sort: SortId) -> String {
        match term {
            BagTerm::One(colour) => self.colour(colour),
            BagTerm::All(sort) => format!("all {}", self.net.sorts()[*sort].name),
            BagTerm::Fixed(bag) => {
                let one = |(colour, count)| {
                    let name = self.net.sorts().show(sort, colour);
                    if count == 1 { name } else { format!("{count}*{name}") }
                };
                bag.iter().map(one).collect::<Vec<_>>().join(" + ")
            }
            BagTerm::Times(factor, inner) => format!("{factor}*{}", self.factor(inner, sort)),
            BagTerm::Sum(terms) => {
                terms.iter().map(|term| self.bag(term, sort)).collect::<Vec<_>>().join(" + ")
            }
            BagTerm::Minus(from, what) => format!("{} - {}", self.bag(from, sort), self.factor(what, sort)),
            BagTerm::Tuple(product, terms) => {
                let parts = match &self.net.sorts()[*product].kind {
                    SortKind::Product(parts) => parts.clone(),
                    _ => Vec::new(),
                };
                let inner = terms.iter().zip(parts).map(|(term, part)| self.bag(term, part));
                format!("({})", inner.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// A term in parentheses where it is a sum or a difference.
    fn factor(&self, term: &BagTerm, sort: SortId) -> String {
        let text = self.bag(term, sort);
        match term {
            BagTerm::Sum(_) | BagTerm::Minus(..) | BagTerm::Fixed(_) => format!("({text})"),
            _ => text,
        }
    }

    fn colour(&self, term: &ColourTerm) -> String {
        match term {
            ColourTerm::Constant(sort, colour) => self.net.sorts().show(*sort, *colour),
            ColourTerm::Variable(variable) => self.net.variable(*variable).name.clone(),
            ColourTerm::Shift { term, by, .. } => format!("{}{by:+}", self.colour(term)),
            ColourTerm::Tuple(_, terms) => {
                let inner = terms.iter().map(|term| self.colour(term));
                format!("({})", inner.collect::<Vec<_>>().join(", "))
            }
            ColourTerm::BlockOf(_, term) => format!("block({})", self.colour(term)),
        }
    }

    /// The guard of a transition; empty where it is always true.
    pub(crate) fn guard(&self, guard: &Guard) -> String {
        match guard {
            Guard::Constant(true) => String::new(),
            Guard::And(parts) if parts.is_empty() => String::new(),
            guard => self.condition(guard),
        }
    }

    fn condition(&self, guard: &Guard) -> String {
        let joined = |parts: &[Guard], sign: &str| {
            let inner = parts.iter().map(|part| match part {
                Guard::And(_) | Guard::Or(_) => format!("({})", self.condition(part)),
                _ => self.condition(part),
            });
            inner.collect::<Vec<_>>().join(sign)
        };
        match guard {
            Guard::Constant(value) => value.to_string(),
            Guard::Not(inner) => format!("!({})", self.condition(inner)),
            Guard::And(parts) => joined(parts, " && "),
            Guard::Or(parts) => joined(parts, " || "),
            Guard::Compare(how, (_, a), (_, b)) => {
                format!("{} {} {}", self.colour(a), how.symbol(), self.colour(b))
            }
        }
    }
}
