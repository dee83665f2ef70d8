//! A CTL formula as Boolean terms over state predicates and three temporal operators.
//!
//! `EX`, `EU` and `AU` are enough: each search for one of them ends with its value, so negations cost nothing and
//! the others are their duals. Over maximal paths, where a run that ends in a deadlock is a path:
//!
//! | form | as | form | as |
//! |---|---|---|---|
//! | `AX f` | `!EX !f` | `EG f` | `!A[true U !f]` |
//! | `EF f` | `E[true U f]` | `AG f` | `!E[true U !f]` |
//! | `AF f` | `A[true U f]` | `E[f R g]` | `!A[!f U !g]` |
//! | `A[f R g]` | `!E[!f U !g]` | `E[f W g]` | `!A[!g U !f & !g]` |
//! | `A[f W g]` | `!E[!g U !f & !g]` | | |
//!
//! State predicates are maximal, so that each is evaluated as a whole, and before the operators beside it; equal operators
//! are shared. Invariant: the operators in an operator's terms come before it, so the evaluation ends.
//! Test: `tests/ctl.rs`.

use std::collections::HashMap;

use fireset_net::{BoolTree, CtlAtom, CtlFormula, Quantifier, StatePredicate, Temporal};

use crate::search::{Predicate, compile};

/// The position of an operator among those of its formula.
pub(crate) type OperatorId = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TemporalKind {
    /// The operator `EX goal`.
    Next,
    /// `E[hold U goal]`.
    SomeUntil,
    /// `A[hold U goal]`.
    AllUntil,
}

#[derive(Debug)]
pub(crate) struct TemporalOperator {
    pub(crate) kind: TemporalKind,
    pub(crate) hold: CtlTerm,
    pub(crate) goal: CtlTerm,
    /// The part of the goal that is a state predicate, for distances.
    pub(crate) target: Option<Predicate>,
    /// The formulas of the property that it stands for, and whether negated.
    pub(crate) written: Vec<(CtlFormula, bool)>,
}

/// A leaf of a term.
#[derive(Debug)]
pub(crate) enum TermAtom {
    Predicate(Predicate),
    Temporal(OperatorId),
}

/// A Boolean combination of state predicates and temporal operators.
pub(crate) type CtlTerm = BoolTree<TermAtom>;

/// A CTL formula, whose operators are listed from the inside out.
pub(crate) struct CompiledCtl {
    pub(crate) all: Vec<TemporalOperator>,
    pub(crate) root: CtlTerm,
}

impl CompiledCtl {
    /// Compiles a CTL formula.
    pub(crate) fn of(formula: &CtlFormula) -> Self {
        let mut compiler = CtlCompiler::default();
        let root = compiler.term(formula);
        Self { all: compiler.all, root }
    }
}

type OperatorKey = (TemporalKind, CtlFormula, CtlFormula);

#[derive(Default)]
struct CtlCompiler {
    all: Vec<TemporalOperator>,
    known: HashMap<OperatorKey, OperatorId>,
}

impl CtlCompiler {
    fn term(&mut self, formula: &CtlFormula) -> CtlTerm {
        match formula {
            BoolTree::Constant(value) => predicate_term(&StatePredicate::Constant(*value)),
            BoolTree::Not(f) => match self.term(f) {
                CtlTerm::Not(term) => *term,
                term => CtlTerm::Not(Box::new(term)),
            },
            BoolTree::And(fs) => CtlTerm::And(self.terms(fs, StatePredicate::And)),
            BoolTree::Or(fs) => CtlTerm::Or(self.terms(fs, StatePredicate::Or)),
            BoolTree::Iff(sides) => CtlTerm::iff(self.term(&sides.0), self.term(&sides.1)),
            BoolTree::Atom(CtlAtom::State(predicate)) => predicate_term(predicate),
            BoolTree::Atom(CtlAtom::Temporal(quantifier, operator)) => {
                let (id, negated) = match quantifier {
                    Quantifier::Exists => self.some(operator),
                    Quantifier::ForAll => self.all(operator),
                };
                self.stands_for(id, formula, negated);
                let term = CtlTerm::Atom(TermAtom::Temporal(id));
                if negated { CtlTerm::Not(Box::new(term)) } else { term }
            }
        }
    }

    /// The terms of a conjunction or disjunction: its state predicates together, then those with few operators.
    fn terms(
        &mut self,
        formulas: &[CtlFormula],
        join: fn(Vec<StatePredicate>) -> StatePredicate,
    ) -> Vec<CtlTerm> {
        let mut temporal: Vec<&CtlFormula> = formulas.iter().filter(|f| f.as_state().is_none()).collect();
        temporal.sort_by_key(|f| (f.temporal_depth(), f.temporal_operators()));
        let joined = joined(formulas, join).map(|predicate| predicate_term(&predicate));
        let temporal: Vec<CtlTerm> = temporal.into_iter().map(|f| self.term(f)).collect();
        joined.into_iter().chain(temporal).collect()
    }

    /// The operator for a temporal operator on some path, and whether it stands for the negation.
    fn some(&mut self, operator: &Temporal<CtlFormula>) -> (OperatorId, bool) {
        match operator {
            Temporal::Next(f) => (self.operator(TemporalKind::Next, truth(), f.clone()), false),
            Temporal::Finally(f) => (self.operator(TemporalKind::SomeUntil, truth(), f.clone()), false),
            Temporal::Until(f, g) => (self.operator(TemporalKind::SomeUntil, f.clone(), g.clone()), false),
            dual => self.dual(TemporalKind::AllUntil, dual),
        }
    }

    /// The operator for a temporal operator on all paths, and whether it stands for the negation.
    fn all(&mut self, operator: &Temporal<CtlFormula>) -> (OperatorId, bool) {
        match operator {
            Temporal::Finally(f) => (self.operator(TemporalKind::AllUntil, truth(), f.clone()), false),
            Temporal::Until(f, g) => (self.operator(TemporalKind::AllUntil, f.clone(), g.clone()), false),
            dual => self.dual(TemporalKind::SomeUntil, dual),
        }
    }

    /// The operator whose negation a temporal operator is: `EX`, or an until of this kind.
    fn dual(&mut self, until: TemporalKind, operator: &Temporal<CtlFormula>) -> (OperatorId, bool) {
        let (kind, hold, goal) = match operator {
            Temporal::Next(f) => (TemporalKind::Next, truth(), not(f)),
            Temporal::Finally(f) | Temporal::Globally(f) => (until, truth(), not(f)),
            Temporal::Until(f, g) | Temporal::Release(f, g) => (until, not(f), not(g)),
            Temporal::WeakUntil(f, g) => (until, not(g), neither(f, g)),
        };
        (self.operator(kind, hold, goal), true)
    }

    /// Records that an operator, or its negation, stands for a formula.
    fn stands_for(&mut self, operator: OperatorId, formula: &CtlFormula, negated: bool) {
        let written = &mut self.all[operator as usize].written;
        if written.iter().all(|(known, _)| known != formula) {
            written.push((formula.clone(), negated));
        }
    }

    fn operator(&mut self, kind: TemporalKind, hold: CtlFormula, goal: CtlFormula) -> OperatorId {
        let key = (kind, hold, goal);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let (hold, goal) = (self.term(&key.1), self.term(&key.2));
        let target = predicate_part(&key.2).map(|predicate| compile(&predicate));
        let id = self.all.len() as OperatorId;
        self.all.push(TemporalOperator { kind, hold, goal, target, written: Vec::new() });
        self.known.insert(key, id);
        id
    }
}

fn predicate_term(predicate: &StatePredicate) -> CtlTerm {
    CtlTerm::Atom(TermAtom::Predicate(compile(predicate)))
}

/// The state predicate that a formula is, or those among its terms.
fn predicate_part(formula: &CtlFormula) -> Option<StatePredicate> {
    match formula {
        BoolTree::And(fs) => joined(fs, StatePredicate::And),
        BoolTree::Or(fs) => joined(fs, StatePredicate::Or),
        other => other.as_state().cloned(),
    }
}

/// The state predicates among some formulas, joined by a connective.
fn joined(
    formulas: &[CtlFormula],
    join: fn(Vec<StatePredicate>) -> StatePredicate,
) -> Option<StatePredicate> {
    let plain: Vec<StatePredicate> = formulas.iter().filter_map(CtlFormula::as_state).cloned().collect();
    (!plain.is_empty()).then(|| join(plain))
}

fn truth() -> CtlFormula {
    StatePredicate::Constant(true).into()
}

fn not(formula: &CtlFormula) -> CtlFormula {
    formula.clone().complement()
}

/// Neither of two; a state predicate if both are.
fn neither(f: &CtlFormula, g: &CtlFormula) -> CtlFormula {
    match (f.as_state(), g.as_state()) {
        (Some(p), Some(q)) => StatePredicate::And(vec![p.clone().negate(), q.clone().negate()]).into(),
        _ => BoolTree::And(vec![not(f), not(g)]),
    }
}
