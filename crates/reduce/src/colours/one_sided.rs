//! Queries as the search for a witness, and approximations of what the witness shows.
//!
//! A reachability query asks for a marking, an LTL query for a run; that there is one is an answer, and that there is none is
//! the other. What is sought, in negation normal form, is built by monotone operators from literals. So literals
//! that are implied by those of the formula make a formula that it implies, and literals that imply them one that implies it.
//! Test: `tests/colours.rs`.

use fireset_net::{Formula, PathFormula, Quantifier, Query, StatePredicate, Verdict};

use crate::formula::normal::{negated, normal};

/// Nodes that an approximation may have.
const MAX_NODES: usize = 5_000;

/// What a witness of a query has to show.
pub(super) struct SoughtWitness {
    /// In negation normal form.
    pub(super) shows: Formula,
    kind: SoughtKind,
    /// Whether the query holds where there is a witness, rather than where there is none.
    holds: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SoughtKind {
    Marking,
    Run,
}

impl SoughtWitness {
    /// The witness that a query asks for; `None` for queries of other kinds, and for formulas that get too large.
    pub(super) fn of(query: &Query) -> Option<Self> {
        let (shows, kind, holds) = match query {
            Query::Reachable(p) => (normal(&p.into())?, SoughtKind::Marking, true),
            Query::Invariant(p) => (negated(&p.into())?, SoughtKind::Marking, false),
            Query::Ltl(Quantifier::Exists, path) => (normal(&path.into())?, SoughtKind::Run, true),
            Query::Ltl(Quantifier::ForAll, path) => (negated(&path.into())?, SoughtKind::Run, false),
            _ => return None,
        };
        Some(Self { shows, kind, holds })
    }

    /// Whether it is a run, which is maximal.
    pub(super) fn is_run(&self) -> bool {
        self.kind == SoughtKind::Run
    }

    /// The query whether there is a witness for something else.
    pub(super) fn query(&self, shows: &Formula) -> Option<Query> {
        match self.kind {
            SoughtKind::Marking => StatePredicate::try_from(shows).ok().map(Query::Reachable),
            SoughtKind::Run => {
                PathFormula::try_from(shows).ok().map(|path| Query::Ltl(Quantifier::Exists, path))
            }
        }
    }

    /// The answer to the query where there is a witness, or none.
    pub(super) fn verdict(&self, exists: bool) -> Verdict {
        (exists == self.holds).into()
    }

    /// The formula with other literals: atoms, and negations of them.
    pub(super) fn with_literals(&self, literal: &dyn Fn(&Formula) -> Formula) -> Option<Formula> {
        Literals { change: literal, nodes: MAX_NODES }.build(&self.shows)
    }
}

/// Exchanges literals in a bounded number of nodes.
struct Literals<'a> {
    change: &'a dyn Fn(&Formula) -> Formula,
    nodes: usize,
}

impl Literals<'_> {
    fn build(&mut self, f: &Formula) -> Option<Formula> {
        self.nodes = self.nodes.checked_sub(1)?;
        match f {
            Formula::Constant(_) => Some(f.clone()),
            Formula::Not(atom) => is_atom(atom).then(|| (self.change)(f)),
            _ if is_atom(f) => Some((self.change)(f)),
            // Both sides are state predicates; each may stand positively and negatively.
            Formula::Iff(left, right) => {
                let both = Formula::And(vec![self.build(left)?, self.build(right)?]);
                let (left, right) = (negated(left)?, negated(right)?);
                let neither = Formula::And(vec![self.build(&left)?, self.build(&right)?]);
                Some(Formula::Or(vec![both, neither]))
            }
            Formula::And(_)
            | Formula::Or(_)
            | Formula::Next(_)
            | Formula::Finally(_)
            | Formula::Globally(_)
            | Formula::Until(..)
            | Formula::Release(..)
            | Formula::WeakUntil(..) => {
                let mut fits = true;
                let changed = f.clone().map_children(&mut |operand| {
                    self.build(&operand).unwrap_or_else(|| {
                        fits = false;
                        operand
                    })
                });
                fits.then_some(changed)
            }
            _ => None,
        }
    }
}

fn is_atom(f: &Formula) -> bool {
    matches!(f, Formula::Deadlock | Formula::Fireable(_) | Formula::BindingFireable(_) | Formula::Compare(..))
}
