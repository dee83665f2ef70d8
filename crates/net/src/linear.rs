//! Linear forms over token counts: what a comparison says once it is brought to one side.

use crate::{Expr, PlaceId};

/// `constant` plus the sum of `factor * tokens` over the terms: ascending places, no zeros.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Linear {
    /// Places, by number, and their factors.
    pub terms: Vec<(u32, i128)>,
    /// What is added to them.
    pub constant: i128,
}

impl Linear {
    /// From terms in any order; `None` when a number does not fit.
    pub fn of(mut terms: Vec<(u32, i128)>, constant: i128) -> Option<Self> {
        terms.sort_unstable_by_key(|term| term.0);
        let mut joined: Vec<(u32, i128)> = Vec::with_capacity(terms.len());
        for (place, factor) in terms {
            match joined.last_mut().filter(|last| last.0 == place) {
                Some(last) => last.1 = last.1.checked_add(factor)?,
                None => joined.push((place, factor)),
            }
        }
        joined.retain(|term| term.1 != 0);
        Some(Self { terms: joined, constant })
    }

    /// An expression as a linear form; `None` when it multiplies counts, counts tokens of some
    /// colours only, or a number does not fit.
    pub fn from_expr(expr: &Expr) -> Option<Self> {
        let number = |n: i128| Self { terms: Vec::new(), constant: n };
        match expr {
            Expr::Constant(n) => Some(number(i128::from(*n))),
            Expr::Tokens(places) => {
                let term = |p: &PlaceId| (p.index() as u32, 1);
                Self::of(places.iter().map(term).collect(), 0)
            }
            // The terms are places; the tokens of some colours are none.
            Expr::ColourTokens(_) => None,
            Expr::Sum(terms) => {
                // Collected first, so that a long sum is sorted once.
                let (mut all, mut constant) = (Vec::new(), 0i128);
                for term in terms {
                    let form = Self::from_expr(term)?;
                    constant = constant.checked_add(form.constant)?;
                    all.extend(form.terms);
                }
                Self::of(all, constant)
            }
            Expr::Difference(a, b) => Self::from_expr(a)?.plus(&Self::from_expr(b)?.scaled(-1)?),
            Expr::Product(factors) => factors.iter().try_fold(number(1), |product, factor| {
                let factor = Self::from_expr(factor)?;
                match (product.terms.is_empty(), factor.terms.is_empty()) {
                    (true, _) => factor.scaled(product.constant),
                    (_, true) => product.scaled(factor.constant),
                    _ => None,
                }
            }),
        }
    }

    /// The first expression minus the second, whose sign a comparison tells.
    pub fn difference(a: &Expr, b: &Expr) -> Option<Self> {
        Self::from_expr(a)?.plus(&Self::from_expr(b)?.scaled(-1)?)
    }

    /// All of it times a number.
    pub fn scaled(&self, by: i128) -> Option<Self> {
        let scale = |&(place, factor): &(u32, i128)| Some((place, factor.checked_mul(by)?));
        let terms = self.terms.iter().map(scale).collect::<Option<Vec<_>>>()?;
        Self::of(terms, self.constant.checked_mul(by)?)
    }

    /// The sum of two forms.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let terms = self.terms.iter().chain(&other.terms).copied().collect();
        Self::of(terms, self.constant.checked_add(other.constant)?)
    }

    /// Zero for a place that does not occur.
    pub fn factor(&self, place: u32) -> i128 {
        self.terms.binary_search_by_key(&place, |term| term.0).map_or(0, |at| self.terms[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_become_linear_where_they_are() {
        let tokens = |at: usize| Expr::Tokens(vec![PlaceId::new(at)]);
        let twice = Expr::Product(vec![Expr::Constant(2), tokens(1)]);
        let sum = Expr::Sum(vec![twice, tokens(0), Expr::Constant(5)]);
        let expr = Expr::Difference(Box::new(sum), Box::new(Expr::Tokens(vec![PlaceId::new(0); 2])));
        let form = Linear::from_expr(&expr).unwrap();
        assert_eq!(form, Linear { terms: vec![(0, -1), (1, 2)], constant: 5 });
        assert_eq!((form.factor(1), form.factor(7)), (2, 0));
        assert_eq!(Linear::from_expr(&Expr::Product(vec![tokens(0), tokens(1)])), None);
        let huge = Expr::Product(vec![Expr::Constant(i64::MAX); 3]);
        assert_eq!(Linear::from_expr(&huge), None);
    }
}
