//! Under- and over-approximations of a CTL formula by easier queries, each of which decides it one way.
//!
//! Why: engines for reachability and LTL decide much that a search for the value of a nested CTL formula does not come to.
//! An under-approximation implies the formula and decides it where it holds; an over-approximation, which the formula implies,
//! decides it where it fails. The formula itself is asked beside them.
//!
//! Operands of the outermost operator are replaced by approximations of their own, which keeps the direction, since every
//! operator is monotone. Three replacements, for formulas in normal form and maximal paths:
//!
//! * *On a path*: what `A a` says of all paths from a state, `a` says of this one; and what `a` says of this one, `E a` says of
//!   some. So `a` over-approximates `A a` and under-approximates `E a`, and the result is LTL. `X` has no part in this, because CTL and
//!   LTL differ on it in a deadlock.
//! * *With one quantifier*, `E` above and `A` below: see the file `one_quantifier.rs`.
//! * *In a state*, by a state predicate. With `f'` for the predicate that approximates `f` in the same direction:
//!
//! | formula | over-approximation | under-approximation |
//! |---|---|---|
//! | `QF f` | true, or `f' \| !deadlock` | `f'` |
//! | `QG f` | `f'` | `f' & deadlock` |
//! | `Q[f U g]` | `f' \| g'`, or `g' \| f' & !deadlock` | `g'` |
//! | `Q[f R g]` | `g'` | `g' & (f' \| deadlock)` |
//! | `Q[f W g]` | `f' \| g'` | `g' \| f' & deadlock` |
//! | `QX f` | `QX f'`, as a predicate ([`super::next`]) | the same |
//!
//! Each row is the operator's meaning in its first state, or in a deadlock. A negation turns the direction round. Where there are two,
//! both are asked: the second is stronger, but where a formula looks at deadlocks the net is reduced less, and searches see more markings.
//! At the root `EX f` implies `EF f`, and `AG f` implies `EX f` where there is a next state; `AX f` likewise. In the initial state,
//! which is the first of every path, [`first_operand`] gives a formula that implies another one there, or that it implies.
//!
//! Cost: linear in the formula. Test: below, in every state of random nets; `tests/simplify.rs`, through the pass.

use fireset_net::{Formula, Quantifier, Query};

use super::linear::MAX_OPERATORS;
use crate::formula::view::{finally, next, quantified, quantify};

/// The direction of an approximation of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approximation {
    /// An under-approximation implies the formula, and decides it where it holds.
    Under,
    /// The formula implies an over-approximation, which decides it where it fails.
    Over,
}

/// Queries that approximate a CTL formula in normal form that begins with a quantifier. `without_next` makes state predicates
/// of `X` before them where it can.
pub fn queries(
    f: &Formula,
    approximation: Approximation,
    without_next: &dyn Fn(Formula) -> Formula,
) -> Vec<Query> {
    let Some((quantifier, path)) = quantified(f) else { return Vec::new() };
    let by = Replacement { approximation, deadlocks: Deadlocks::Ignored, without_next };
    if let Formula::Next(below) = path {
        return by.after_next(quantifier, f, below);
    }
    let distinguishing = Replacement { deadlocks: Deadlocks::Distinguished, ..by };
    let in_states = path.clone().map_children(&mut |f| by.in_state(&f));
    let with_deadlocks = path.clone().map_children(&mut |f| distinguishing.in_state(&f));
    let on_path = path.clone().map_children(&mut |f| by.on_path(&f));
    let mut paths = vec![(quantifier, in_states)];
    for other in [(quantifier, on_path), by.one_quantifier(f), (quantifier, with_deadlocks)] {
        if other.1.temporal_operators() <= MAX_OPERATORS && !paths.contains(&other) {
            paths.push(other);
        }
    }
    paths
        .iter()
        .filter_map(|(quantifier, path)| Some(Query::Ltl(*quantifier, path.try_into().ok()?)))
        .collect()
}

/// A formula that approximates `f` in a state which begins each path, such as the initial one: the operand that holds there, or
/// has to, where the operator is decided or fails at once.
pub fn first_operand(f: &Formula, approximation: Approximation) -> Option<Formula> {
    let (_, path) = quantified(f)?;
    match (path, approximation) {
        (Formula::Finally(f) | Formula::Until(_, f) | Formula::WeakUntil(_, f), Approximation::Under)
        | (Formula::Globally(f) | Formula::Release(_, f), Approximation::Over) => Some((**f).clone()),
        (Formula::Until(f, g) | Formula::WeakUntil(f, g), Approximation::Over) => {
            Some(Formula::Or(vec![(**f).clone(), (**g).clone()]))
        }
        _ => None,
    }
}

/// Whether over-approximations of `F` and `U` in a state are weaker than they could be in a deadlock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Deadlocks {
    Ignored,
    Distinguished,
}

/// Replaces formulas by approximations in one direction.
#[derive(Clone, Copy)]
pub(super) struct Replacement<'a> {
    pub(super) approximation: Approximation,
    pub(super) deadlocks: Deadlocks,
    pub(super) without_next: &'a dyn Fn(Formula) -> Formula,
}

impl Replacement<'_> {
    /// The approximation that decides nothing.
    fn nothing(&self) -> Formula {
        Formula::Constant(self.approximation == Approximation::Over)
    }

    fn other(&self) -> Self {
        let approximation = match self.approximation {
            Approximation::Under => Approximation::Over,
            Approximation::Over => Approximation::Under,
        };
        Self { approximation, ..*self }
    }

    /// The path formula that approximates a formula, for the path from a state on.
    pub(super) fn on_path(&self, f: &Formula) -> Formula {
        if f.is_state_predicate() {
            return f.clone();
        }
        match f {
            Formula::And(_) | Formula::Or(_) => f.clone().map_children(&mut |f| self.on_path(&f)),
            Formula::Not(f) => self.other().on_path(f).negate(),
            _ => match (quantified(f), self.approximation) {
                (Some((_, Formula::Next(_))), _) => self.in_state(f),
                (Some((Quantifier::ForAll, path)), Approximation::Over)
                | (Some((Quantifier::Exists, path)), Approximation::Under) => {
                    path.clone().map_children(&mut |f| self.on_path(&f))
                }
                _ => self.in_state(f),
            },
        }
    }

    /// The state predicate that approximates a formula.
    pub(super) fn in_state(&self, f: &Formula) -> Formula {
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
        match (path, self.approximation) {
            (Formula::Next(f), _) => {
                let predicate = (self.without_next)(quantify(quantifier, next(of(f))));
                if predicate.is_state_predicate() { predicate } else { self.nothing() }
            }
            (Formula::Finally(f), Approximation::Over) if self.deadlocks == Deadlocks::Distinguished => {
                Formula::Or(vec![of(f), Formula::Deadlock.negate()])
            }
            (Formula::Finally(_), Approximation::Over) => self.nothing(),
            (Formula::Globally(f) | Formula::Release(_, f), Approximation::Over) => of(f),
            (Formula::Until(f, g), Approximation::Over) if self.deadlocks == Deadlocks::Distinguished => {
                let later = Formula::And(vec![of(f), Formula::Deadlock.negate()]);
                Formula::Or(vec![of(g), later])
            }
            (Formula::Until(f, g) | Formula::WeakUntil(f, g), Approximation::Over) => {
                Formula::Or(vec![of(f), of(g)])
            }
            (Formula::Finally(f) | Formula::Until(_, f), Approximation::Under) => of(f),
            (Formula::Globally(f), Approximation::Under) => stuck(f),
            (Formula::Release(f, g), Approximation::Under) => {
                Formula::And(vec![of(g), Formula::Or(vec![of(f), Formula::Deadlock])])
            }
            (Formula::WeakUntil(f, g), Approximation::Under) => Formula::Or(vec![of(g), stuck(f)]),
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
        let somewhere = match self.approximation {
            Approximation::Over => Formula::Or(vec![may_end, later.possible()]),
            Approximation::Under => {
                let goes_on = Formula::Or(vec![may_end, Formula::Deadlock.negate()]);
                Formula::And(vec![goes_on, later.invariant()])
            }
        };
        let states = [self.in_state(f), somewhere];
        let mut all: Vec<Query> =
            states.iter().filter_map(|f| Some(Query::Ctl(f.try_into().ok()?))).collect();
        if (quantifier, self.approximation) == (Quantifier::Exists, Approximation::Over) {
            let path = finally(self.on_path(below));
            if path.temporal_operators() <= MAX_OPERATORS {
                all.extend((&path).try_into().ok().map(|path| Query::Ltl(quantifier, path)));
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{Budget, Model, Verdict};
    use fireset_oracle::{
        query,
        random::{self, NetShape, TestRng},
    };

    use super::*;
    use crate::formula::{ctl::next::without_next, normal::normal};

    #[test]
    fn each_approximation_decides_one_way_and_often() {
        // By direction: state predicates, paths, paths of one quantifier, operands in the first state.
        let mut decided = [[0; 4]; 2];
        for seed in 0..3_000 {
            let mut random = TestRng::new(seed);
            let inhibitors = if seed.is_multiple_of(3) { 30 } else { 0 };
            let shape = NetShape { places: 4, transitions: 5, tokens: 2, inhibitors, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            let Some(f) = normal(&random::ctl(&mut random, net.nodes(), 2 + seed as usize % 3).into()) else {
                continue;
            };
            let model = Model::Plain(net.clone());
            let verdicts = |queries: &[Query]| -> Vec<Verdict> {
                let outcomes = fireset_oracle::outcomes(&model, queries, 200, &Budget::unlimited());
                outcomes.into_iter().map(|outcome| outcome.verdict).collect()
            };
            let expected = verdicts(&[query::ctl(f.clone())]).remove(0);
            for (approximation, tells) in
                [(Approximation::Under, Verdict::Holds), (Approximation::Over, Verdict::Fails)]
            {
                let without_next = |f| without_next(f, &net);
                let mut queries = queries(&f, approximation, &without_next);
                let deadlocks =
                    if seed.is_multiple_of(2) { Deadlocks::Distinguished } else { Deadlocks::Ignored };
                let by = Replacement { approximation, deadlocks, without_next: &without_next };
                let (quantifier, path) = by.one_quantifier(&f);
                let one = (&path).try_into().ok().map(|path| Query::Ltl(quantifier, path));
                let operand = first_operand(&f, approximation).map(query::ctl);
                queries.extend(one.clone());
                queries.extend(operand.clone());
                for (query, verdict) in queries.iter().zip(verdicts(&queries)) {
                    if verdict != tells || matches!(expected, Verdict::Unknown(_)) {
                        continue;
                    }
                    assert_eq!(verdict, expected, "seed {seed}: {query:?} of {f:?} on {net:?}");
                    let kind = match query {
                        query if Some(query) == operand.as_ref() => 3,
                        query if Some(query) == one.as_ref() => 2,
                        query => usize::from(matches!(query, Query::Ltl(..))),
                    };
                    decided[usize::from(approximation == Approximation::Over)][kind] += 1;
                }
            }
        }
        assert!(decided.iter().flatten().all(|&count| count > 50), "{decided:?}");
    }
}
