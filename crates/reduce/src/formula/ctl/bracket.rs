//! Easier queries whose answers decide a CTL formula one way each.
//!
//! Why: engines for reachability and LTL decide much that a search for the value of a nested CTL formula does not come to.
//! A query that implies the formula decides it where it holds, one that the formula implies where it fails; the formula
//! itself is asked beside them.
//!
//! Operands of the outermost operator are replaced by something stronger or weaker, which keeps the direction, since every
//! operator is monotone. Two replacements, for formulas in normal form and maximal paths:
//!
//! * *On a path*: what `A a` says of all paths from a state, `a` says of this one; and what `a` says of this one, `E a` says of
//!   some. So `A a` becomes the weaker `a`, and `E a` the stronger `a`; what comes is LTL. `X` has no part in this, because CTL and
//!   LTL differ on it in a deadlock.
//! * *In a state*, by a state predicate. With `f'` for the weaker, or stronger, predicate of `f`:
//!
//! | formula | weaker | stronger |
//! |---|---|---|
//! | `QF f` | true | `f'` |
//! | `QG f` | `f'` | `f' & deadlock` |
//! | `Q[f U g]` | `f' \| g'` | `g'` |
//! | `Q[f R g]` | `g'` | `g' & (f' \| deadlock)` |
//! | `Q[f W g]` | `f' \| g'` | `g' \| f' & deadlock` |
//! | `QX f` | `QX f'`, as a predicate ([`super::next`]) | the same |
//!
//! Each row is the operator's meaning in its first state, or in a deadlock. A negation turns the direction round.
//! At the root `EX f` implies `EF f`, and `AG f` implies `EX f` where there is a next state; `AX f` likewise.
//!
//! Cost: linear in the formula. Test: below, in every state of random nets; `tests/simplify.rs`, through the pass.

use fireset_net::{Formula, Quantifier, Query};

use super::{linear::MAX_OPERATORS, quantified, quantify};
use crate::formula::rewrite::{finally, next};

/// What decides a formula one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What implies it.
    Stronger,
    /// What it implies.
    Weaker,
}

/// Queries on one side of a CTL formula in normal form that begins with a quantifier. `without_next` makes state predicates of
/// `X` before them where it can.
pub fn queries(f: &Formula, side: Side, without_next: &dyn Fn(Formula) -> Formula) -> Vec<Query> {
    let Some((quantifier, path)) = quantified(f) else { return Vec::new() };
    let by = Replacement { side, without_next };
    if let Formula::Next(below) = path {
        return by.after_next(quantifier, f, below);
    }
    let in_states = path.clone().map_children(&mut |f| by.in_state(&f));
    let on_path = path.clone().map_children(&mut |f| by.on_path(&f));
    let mut all = vec![Query::Ltl(quantifier, in_states)];
    if on_path.temporal_operators() <= MAX_OPERATORS {
        let query = Query::Ltl(quantifier, on_path);
        if query != all[0] {
            all.push(query);
        }
    }
    all
}

/// Puts formulas of one side in the place of others.
struct Replacement<'a> {
    side: Side,
    without_next: &'a dyn Fn(Formula) -> Formula,
}

impl Replacement<'_> {
    /// What tells nothing.
    fn nothing(&self) -> Formula {
        Formula::Constant(self.side == Side::Weaker)
    }

    fn other(&self) -> Self {
        let side = match self.side {
            Side::Stronger => Side::Weaker,
            Side::Weaker => Side::Stronger,
        };
        Self { side, without_next: self.without_next }
    }

    /// A path formula, for the path from a state on.
    fn on_path(&self, f: &Formula) -> Formula {
        if f.is_state_predicate() {
            return f.clone();
        }
        match f {
            Formula::And(_) | Formula::Or(_) => f.clone().map_children(&mut |f| self.on_path(&f)),
            Formula::Not(f) => self.other().on_path(f).negate(),
            _ => match (quantified(f), self.side) {
                (Some((_, Formula::Next(_))), _) => self.in_state(f),
                (Some((Quantifier::ForAll, path)), Side::Weaker)
                | (Some((Quantifier::Exists, path)), Side::Stronger) => {
                    path.clone().map_children(&mut |f| self.on_path(&f))
                }
                _ => self.in_state(f),
            },
        }
    }

    /// A state predicate.
    fn in_state(&self, f: &Formula) -> Formula {
        if f.is_state_predicate() {
            return f.clone();
        }
        let Some((quantifier, path)) = quantified(f) else {
            return match f {
                Formula::And(_) | Formula::Or(_) => f.clone().map_children(&mut |f| self.in_state(&f)),
                Formula::Not(f) => self.other().in_state(f).negate(),
                _ => self.nothing(),
            };
        };
        let of = |f: &Formula| self.in_state(f);
        let stuck = |f: &Formula| Formula::And(vec![of(f), Formula::Deadlock]);
        match (path, self.side) {
            (Formula::Next(f), _) => {
                let predicate = (self.without_next)(quantify(quantifier, next(of(f))));
                if predicate.is_state_predicate() { predicate } else { self.nothing() }
            }
            (Formula::Finally(_), Side::Weaker) => self.nothing(),
            (Formula::Globally(f) | Formula::Release(_, f), Side::Weaker) => of(f),
            (Formula::Until(f, g) | Formula::WeakUntil(f, g), Side::Weaker) => {
                Formula::Or(vec![of(f), of(g)])
            }
            (Formula::Finally(f) | Formula::Until(_, f), Side::Stronger) => of(f),
            (Formula::Globally(f), Side::Stronger) => stuck(f),
            (Formula::Release(f, g), Side::Stronger) => {
                Formula::And(vec![of(g), Formula::Or(vec![of(f), Formula::Deadlock])])
            }
            (Formula::WeakUntil(f, g), Side::Stronger) => Formula::Or(vec![of(g), stuck(f)]),
            _ => self.nothing(),
        }
    }

    /// For `QX below`, which is `f`.
    fn after_next(&self, quantifier: Quantifier, f: &Formula, below: &Formula) -> Vec<Query> {
        let later = self.in_state(below);
        let may_end = match quantifier {
            Quantifier::Exists => Formula::Constant(false),
            Quantifier::ForAll => Formula::Deadlock,
        };
        let somewhere = match self.side {
            Side::Weaker => Formula::Or(vec![may_end, later.possible()]),
            Side::Stronger => {
                let goes_on = Formula::Or(vec![may_end, Formula::Deadlock.negate()]);
                Formula::And(vec![goes_on, later.invariant()])
            }
        };
        let mut all = vec![Query::Ctl(self.in_state(f)), Query::Ctl(somewhere)];
        if (quantifier, self.side) == (Quantifier::Exists, Side::Weaker) {
            let path = finally(self.on_path(below));
            if path.temporal_operators() <= MAX_OPERATORS {
                all.push(Query::Ltl(quantifier, path));
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{Budget, Model, Verdict};
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;
    use crate::formula::{ctl::next::without_next, normal::normal};

    #[test]
    fn each_side_decides_one_way_and_often() {
        let mut decided = [[0; 2]; 2];
        for seed in 0..1_500 {
            let mut random = TestRng::new(seed);
            let inhibitors = if seed.is_multiple_of(3) { 30 } else { 0 };
            let shape = NetShape { places: 4, transitions: 5, tokens: 2, inhibitors, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            let Some(f) = normal(&random::ctl(&mut random, net.nodes(), 2 + seed as usize % 3)) else {
                continue;
            };
            let model = Model::Plain(net.clone());
            let verdicts = |queries: &[Query]| -> Vec<Verdict> {
                let outcomes = fireset_oracle::outcomes(&model, queries, 200, &Budget::unlimited());
                outcomes.into_iter().map(|outcome| outcome.verdict).collect()
            };
            let expected = verdicts(&[Query::Ctl(f.clone())]).remove(0);
            for (side, tells) in [(Side::Stronger, Verdict::Holds), (Side::Weaker, Verdict::Fails)] {
                let queries = queries(&f, side, &|f| without_next(f, &net));
                for (query, verdict) in queries.iter().zip(verdicts(&queries)) {
                    if verdict != tells || matches!(expected, Verdict::Unknown(_)) {
                        continue;
                    }
                    assert_eq!(verdict, expected, "seed {seed}: {query:?} of {f:?} on {net:?}");
                    decided[usize::from(side == Side::Weaker)]
                        [usize::from(matches!(query, Query::Ltl(..)))] += 1;
                }
            }
        }
        assert!(decided.iter().flatten().all(|&count| count > 50), "{decided:?}");
    }
}
