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

use fireset_net::Formula;

use crate::{boolean::BoolTree, search::Predicate};

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
    pub(crate) target: Option<Formula>,
    /// The formulas of the property that it stands for, and whether negated.
    pub(crate) written: Vec<(Formula, bool)>,
}

/// A leaf of a term.
#[derive(Debug)]
pub(crate) enum CtlAtom {
    Predicate(Predicate),
    Temporal(OperatorId),
}

/// A Boolean combination of state predicates and temporal operators.
pub(crate) type CtlTerm = BoolTree<CtlAtom>;

/// A CTL formula, whose operators are listed from the inside out.
pub(crate) struct CompiledCtl {
    pub(crate) all: Vec<TemporalOperator>,
    pub(crate) root: CtlTerm,
}

impl CompiledCtl {
    /// Compiles a CTL formula.
    pub(crate) fn of(formula: &Formula) -> Self {
        let mut compiler = CtlCompiler::default();
        let root = compiler.term(formula);
        Self { all: compiler.all, root }
    }
}

type OperatorKey = (TemporalKind, Formula, Formula);

#[derive(Default)]
struct CtlCompiler {
    all: Vec<TemporalOperator>,
    known: HashMap<OperatorKey, OperatorId>,
}

impl CtlCompiler {
    fn term(&mut self, formula: &Formula) -> CtlTerm {
        if formula.is_state_predicate() {
            return CtlTerm::Atom(CtlAtom::Predicate(Predicate::new(formula)));
        }
        match formula {
            Formula::Not(f) => self.not(f),
            Formula::And(fs) => CtlTerm::And(self.terms(fs, Formula::And)),
            Formula::Or(fs) => CtlTerm::Or(self.terms(fs, Formula::Or)),
            Formula::Iff(f, g) => CtlTerm::Iff(Box::new((self.term(f), self.term(g)))),
            Formula::Exists(path) => {
                let term = self.some(path);
                self.stands_for(term, formula)
            }
            Formula::ForAll(path) => {
                let term = self.all(path);
                self.stands_for(term, formula)
            }
            _ => panic!("in CTL a quantifier stands before each temporal operator"),
        }
    }

    fn not(&mut self, formula: &Formula) -> CtlTerm {
        match self.term(formula) {
            CtlTerm::Not(term) => *term,
            term => CtlTerm::Not(Box::new(term)),
        }
    }

    /// The terms of a conjunction or disjunction: its state predicates together, then those with few operators.
    fn terms(&mut self, formulas: &[Formula], join: fn(Vec<Formula>) -> Formula) -> Box<[CtlTerm]> {
        let (plain, mut temporal): (Vec<&Formula>, Vec<&Formula>) =
            formulas.iter().partition(|f| f.is_state_predicate());
        temporal.sort_by_key(|f| (f.temporal_depth(), f.temporal_operators()));
        let plain = (!plain.is_empty()).then(|| join(plain.into_iter().cloned().collect()));
        plain.iter().chain(temporal).map(|f| self.term(f)).collect()
    }

    /// A path formula on some path.
    fn some(&mut self, path: &Formula) -> CtlTerm {
        match path {
            Formula::Next(f) => self.operator(TemporalKind::Next, truth(), (**f).clone()),
            Formula::Finally(f) => self.operator(TemporalKind::SomeUntil, truth(), (**f).clone()),
            Formula::Until(f, g) => self.operator(TemporalKind::SomeUntil, (**f).clone(), (**g).clone()),
            Formula::Globally(f) => negated(self.operator(TemporalKind::AllUntil, truth(), not(f))),
            Formula::Release(f, g) => negated(self.operator(TemporalKind::AllUntil, not(f), not(g))),
            Formula::WeakUntil(f, g) => negated(self.operator(TemporalKind::AllUntil, not(g), neither(f, g))),
            _ => panic!("in CTL a temporal operator follows each quantifier"),
        }
    }

    /// A path formula on all paths.
    fn all(&mut self, path: &Formula) -> CtlTerm {
        match path {
            Formula::Finally(f) => self.operator(TemporalKind::AllUntil, truth(), (**f).clone()),
            Formula::Until(f, g) => self.operator(TemporalKind::AllUntil, (**f).clone(), (**g).clone()),
            Formula::Next(f) => negated(self.operator(TemporalKind::Next, truth(), not(f))),
            Formula::Globally(f) => negated(self.operator(TemporalKind::SomeUntil, truth(), not(f))),
            Formula::Release(f, g) => negated(self.operator(TemporalKind::SomeUntil, not(f), not(g))),
            Formula::WeakUntil(f, g) => {
                negated(self.operator(TemporalKind::SomeUntil, not(g), neither(f, g)))
            }
            _ => panic!("in CTL a temporal operator follows each quantifier"),
        }
    }

    /// Records that an operator, or its negation, stands for a formula.
    fn stands_for(&mut self, term: CtlTerm, formula: &Formula) -> CtlTerm {
        let (operator, negated) = match &term {
            CtlTerm::Atom(CtlAtom::Temporal(operator)) => (*operator, false),
            CtlTerm::Not(inside) => match **inside {
                CtlTerm::Atom(CtlAtom::Temporal(operator)) => (operator, true),
                _ => return term,
            },
            _ => return term,
        };
        let written = &mut self.all[operator as usize].written;
        if written.iter().all(|(known, _)| known != formula) {
            written.push((formula.clone(), negated));
        }
        term
    }

    fn operator(&mut self, kind: TemporalKind, hold: Formula, goal: Formula) -> CtlTerm {
        let key = (kind, hold, goal);
        if let Some(&known) = self.known.get(&key) {
            return CtlTerm::Atom(CtlAtom::Temporal(known));
        }
        let (hold, goal) = (self.term(&key.1), self.term(&key.2));
        let target = predicate_part(&key.2);
        let id = self.all.len() as OperatorId;
        self.all.push(TemporalOperator { kind, hold, goal, target, written: Vec::new() });
        self.known.insert(key, id);
        CtlTerm::Atom(CtlAtom::Temporal(id))
    }
}

/// The state predicate that a formula is, or those among its terms.
fn predicate_part(formula: &Formula) -> Option<Formula> {
    let part = |formulas: &[Formula], join: fn(Vec<Formula>) -> Formula| {
        let plain: Vec<Formula> = formulas.iter().filter(|f| f.is_state_predicate()).cloned().collect();
        (!plain.is_empty()).then(|| join(plain))
    };
    match formula {
        plain if plain.is_state_predicate() => Some(plain.clone()),
        Formula::And(fs) => part(fs, Formula::And),
        Formula::Or(fs) => part(fs, Formula::Or),
        _ => None,
    }
}

fn truth() -> Formula {
    Formula::Constant(true)
}

fn not(formula: &Formula) -> Formula {
    formula.clone().negate()
}

fn neither(f: &Formula, g: &Formula) -> Formula {
    Formula::And(vec![not(f), not(g)])
}

fn negated(term: CtlTerm) -> CtlTerm {
    CtlTerm::Not(Box::new(term))
}
