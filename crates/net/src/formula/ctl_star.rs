//! CTL*: path formulas and quantifiers, nested freely.
//!
//! A formula is a property of a path; one whose temporal operators all stand behind quantifiers is a property of a marking.
//! Paths are those of LTL: the last marking of a finite run repeats for ever. [`CtlFormula`](super::CtlFormula) and
//! [`PathFormula`](super::PathFormula) stay the types of what is CTL or LTL, which most engines and passes are for.
//! Test: `tests/typed_formulas.rs`.

use super::{BoolTree, Formula, PathPrefix, StateAtom, StatePredicate, Temporal, WrongKind};
use crate::Quantifier;

/// An atom of a formula of CTL*.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CtlStarAtom {
    /// Of the first marking of a path.
    State(StatePredicate),
    /// Of the path itself.
    Temporal(Box<Temporal<CtlStarFormula>>),
    /// Of all or some paths from its first marking.
    Quantified(Quantifier, Box<CtlStarFormula>),
}

/// A formula of CTL*.
pub type CtlStarFormula = BoolTree<CtlStarAtom>;

impl CtlStarFormula {
    /// Whether its value depends on the first marking of a path alone, because every temporal operator is behind a quantifier.
    pub fn is_about_markings(&self) -> bool {
        !self.any_atom(&|atom| matches!(atom, CtlStarAtom::Temporal(_)))
    }

    /// The formula of markings that it is, or else that all paths satisfy it.
    #[must_use]
    pub fn of_markings(self) -> Self {
        match self.is_about_markings() {
            true => self,
            false => Self::Atom(CtlStarAtom::Quantified(Quantifier::ForAll, Box::new(self))),
        }
    }

    /// How many temporal operators it has.
    pub fn temporal_operators(&self) -> usize {
        let mut count = 0;
        self.atoms(&mut |atom| {
            count += match atom {
                CtlStarAtom::State(_) => 0,
                CtlStarAtom::Temporal(operator) => {
                    1 + operator.operands().map(Self::temporal_operators).sum::<usize>()
                }
                CtlStarAtom::Quantified(_, path) => path.temporal_operators(),
            }
        });
        count
    }

    /// Calls `visit` with each state predicate, from left to right.
    pub fn predicates<'t>(&'t self, visit: &mut dyn FnMut(&'t StatePredicate)) {
        self.atoms(&mut |atom| match atom {
            CtlStarAtom::State(predicate) => visit(predicate),
            CtlStarAtom::Temporal(operator) => operator.operands().for_each(|f| f.predicates(visit)),
            CtlStarAtom::Quantified(_, path) => path.predicates(visit),
        });
    }

    /// The same formula over what `change` makes of the atoms of its state predicates.
    #[must_use]
    pub fn map_state_atoms(&self, change: &mut dyn FnMut(&StateAtom) -> StatePredicate) -> Self {
        self.map(&mut |atom| {
            Self::Atom(match atom {
                CtlStarAtom::State(predicate) => CtlStarAtom::State(predicate.map(&mut |atom| change(atom))),
                CtlStarAtom::Temporal(operator) => {
                    CtlStarAtom::Temporal(Box::new(operator.map(&mut |f| f.map_state_atoms(change))))
                }
                CtlStarAtom::Quantified(quantifier, path) => {
                    CtlStarAtom::Quantified(*quantifier, Box::new(path.map_state_atoms(change)))
                }
            })
        })
    }

    fn as_state(&self) -> Option<&StatePredicate> {
        match self {
            Self::Atom(CtlStarAtom::State(predicate)) => Some(predicate),
            _ => None,
        }
    }
}

/// Recurses as deep as the formula is, which parsers bound. Connectives over state predicates are state predicates.
fn tree(formula: &Formula) -> Option<CtlStarFormula> {
    if formula.children().next().is_none() && !matches!(formula, Formula::And(_) | Formula::Or(_)) {
        return StatePredicate::try_from(formula).ok().map(CtlStarFormula::from);
    }
    if let Some((quantifier, path)) = <Quantifier as PathPrefix>::split(formula) {
        return Some(BoolTree::Atom(CtlStarAtom::Quantified(quantifier, Box::new(tree(path)?))));
    }
    let operands: Vec<CtlStarFormula> = formula.children().map(tree).collect::<Option<_>>()?;
    if !super::typed::is_connective(formula) {
        let mut operands = operands.into_iter();
        let operator = Temporal::of(formula, || operands.next())?;
        return Some(BoolTree::Atom(CtlStarAtom::Temporal(Box::new(operator))));
    }
    let states: Option<Vec<StatePredicate>> = operands.iter().map(|f| f.as_state().cloned()).collect();
    match states {
        Some(states) => super::run::connective(formula, states).map(CtlStarFormula::from),
        None => super::run::connective(formula, operands),
    }
}

impl TryFrom<&Formula> for CtlStarFormula {
    type Error = WrongKind;

    fn try_from(formula: &Formula) -> Result<Self, WrongKind> {
        tree(formula).ok_or(WrongKind)
    }
}

impl From<StatePredicate> for CtlStarFormula {
    fn from(predicate: StatePredicate) -> Self {
        Self::Atom(CtlStarAtom::State(predicate))
    }
}

impl From<&CtlStarFormula> for Formula {
    fn from(tree: &CtlStarFormula) -> Self {
        super::typed::tree_formula(tree, &|atom| match atom {
            CtlStarAtom::State(predicate) => predicate.into(),
            CtlStarAtom::Temporal(operator) => operator.formula(|f| f.into()),
            CtlStarAtom::Quantified(quantifier, path) => quantifier.before((&**path).into()),
        })
    }
}
