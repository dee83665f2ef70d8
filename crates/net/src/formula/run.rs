//! LTL with events and past: formulas about the markings and the steps of a run, and about what was before.
//!
//! A position of a run has its marking and the step that is taken there; where a deadlock repeats, no step is. The past
//! operators speak of the positions up to this one. [`PathFormula`](super::PathFormula) stays the type of formulas without
//! either, which most engines and passes are for. Test: `tests/typed_formulas.rs`.

use super::{BoolTree, Formula, StatePredicate, StepSet, Temporal, WrongKind};

/// A past operator with its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Past<F> {
    /// At the position before; false at the first.
    Yesterday(F),
    /// Now or at some time before.
    Once(F),
    /// Now and at all times before.
    Historically(F),
    /// The second now or at some time before, and the first ever since.
    Since(F, F),
}

impl<F> Past<F> {
    /// The operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = &F> {
        let (first, second) = match self {
            Self::Yesterday(f) | Self::Once(f) | Self::Historically(f) => (f, None),
            Self::Since(f, g) => (f, Some(g)),
        };
        [first].into_iter().chain(second)
    }

    /// The same operator over changed operands.
    pub fn map<G>(&self, change: &mut impl FnMut(&F) -> G) -> Past<G> {
        match self {
            Self::Yesterday(f) => Past::Yesterday(change(f)),
            Self::Once(f) => Past::Once(change(f)),
            Self::Historically(f) => Past::Historically(change(f)),
            Self::Since(f, g) => Past::Since(change(f), change(g)),
        }
    }

    fn of(formula: &Formula, mut operand: impl FnMut() -> Option<F>) -> Option<Self> {
        Some(match formula {
            Formula::Yesterday(_) => Self::Yesterday(operand()?),
            Formula::Once(_) => Self::Once(operand()?),
            Formula::Historically(_) => Self::Historically(operand()?),
            Formula::Since(..) => Self::Since(operand()?, operand()?),
            _ => return None,
        })
    }

    fn formula(&self, operand: impl Fn(&F) -> Formula) -> Formula {
        let boxed = |f: &F| Box::new(operand(f));
        match self {
            Self::Yesterday(f) => Formula::Yesterday(boxed(f)),
            Self::Once(f) => Formula::Once(boxed(f)),
            Self::Historically(f) => Formula::Historically(boxed(f)),
            Self::Since(f, g) => Formula::Since(boxed(f), boxed(g)),
        }
    }
}

/// An atom of a formula about a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RunAtom {
    /// Of the marking at the position.
    State(StatePredicate),
    /// The step at the position is one of these.
    Fired(StepSet),
    /// About this position and later ones.
    Temporal(Box<Temporal<RunFormula>>),
    /// About this position and earlier ones.
    Past(Box<Past<RunFormula>>),
}

/// An LTL formula that may speak of steps and of the past.
pub type RunFormula = BoolTree<RunAtom>;

impl RunFormula {
    /// How many temporal and past operators it has.
    pub fn operators(&self) -> usize {
        self.sum(&|operands| 1 + operands.iter().map(|f| f.operators()).sum::<usize>())
    }

    /// How deep its past operators stand inside each other; operators about the future between them do not count.
    pub fn past_depth(&self) -> usize {
        let mut depth = 0;
        self.atoms(&mut |atom| {
            let below = |f: &Self| f.past_depth();
            depth = depth.max(match atom {
                RunAtom::State(_) | RunAtom::Fired(_) => 0,
                RunAtom::Temporal(operator) => operator.operands().map(below).max().unwrap_or(0),
                RunAtom::Past(operator) => 1 + operator.operands().map(below).max().unwrap_or(0),
            });
        });
        depth
    }

    fn sum(&self, of: &impl Fn(&[&Self]) -> usize) -> usize {
        let mut sum = 0;
        self.atoms(&mut |atom| {
            sum += match atom {
                RunAtom::State(_) | RunAtom::Fired(_) => 0,
                RunAtom::Temporal(operator) => of(&operator.operands().collect::<Vec<_>>()),
                RunAtom::Past(operator) => of(&operator.operands().collect::<Vec<_>>()),
            };
        });
        sum
    }

    /// The same formula over what `state` makes of state predicates and `fired` of sets of steps.
    #[must_use]
    pub fn map_leaves(
        &self,
        state: &mut dyn FnMut(&StatePredicate) -> StatePredicate,
        fired: &mut dyn FnMut(&StepSet) -> StepSet,
    ) -> Self {
        self.map(&mut |atom| {
            Self::Atom(match atom {
                RunAtom::State(predicate) => RunAtom::State(state(predicate)),
                RunAtom::Fired(steps) => RunAtom::Fired(fired(steps)),
                RunAtom::Temporal(operator) => {
                    RunAtom::Temporal(Box::new(operator.map(&mut |f| f.map_leaves(state, fired))))
                }
                RunAtom::Past(operator) => {
                    RunAtom::Past(Box::new(operator.map(&mut |f| f.map_leaves(state, fired))))
                }
            })
        })
    }

    /// Calls `visit` with each atom that is no operator, from left to right.
    pub fn leaves<'t>(&'t self, visit: &mut dyn FnMut(&'t RunAtom)) {
        self.atoms(&mut |atom| match atom {
            RunAtom::State(_) | RunAtom::Fired(_) => visit(atom),
            RunAtom::Temporal(operator) => operator.operands().for_each(|f| f.leaves(visit)),
            RunAtom::Past(operator) => operator.operands().for_each(|f| f.leaves(visit)),
        });
    }
}

/// The formula of a node over trees of its operands, if the node is a connective.
pub(super) fn connective<A>(node: &Formula, mut operands: Vec<BoolTree<A>>) -> Option<BoolTree<A>> {
    Some(match node {
        Formula::Not(_) => BoolTree::Not(Box::new(operands.pop()?)),
        Formula::And(_) => BoolTree::And(operands),
        Formula::Or(_) => BoolTree::Or(operands),
        Formula::Iff(..) => {
            let right = operands.pop()?;
            BoolTree::iff(operands.pop()?, right)
        }
        _ => return None,
    })
}

/// Recurses as deep as the formula is, which parsers bound. Connectives over state predicates are state predicates.
fn tree(formula: &Formula) -> Option<RunFormula> {
    if let Formula::Fired(steps) = formula {
        return Some(RunAtom::Fired(steps.clone()).into());
    }
    if formula.children().next().is_none() && !matches!(formula, Formula::And(_) | Formula::Or(_)) {
        return StatePredicate::try_from(formula).ok().map(RunFormula::from);
    }
    let mut operands = formula.children().map(tree);
    if !matches!(formula, Formula::Not(_) | Formula::And(_) | Formula::Or(_) | Formula::Iff(..)) {
        let operands: Vec<RunFormula> = operands.collect::<Option<_>>()?;
        let mut next = operands.into_iter();
        let past = matches!(formula, Formula::Yesterday(_) | Formula::Once(_) | Formula::Historically(_))
            || matches!(formula, Formula::Since(..));
        return Some(if past {
            RunAtom::Past(Box::new(Past::of(formula, || next.next())?)).into()
        } else {
            RunAtom::Temporal(Box::new(Temporal::of(formula, || next.next())?)).into()
        });
    }
    let operands: Vec<RunFormula> = operands.by_ref().collect::<Option<_>>()?;
    let states: Option<Vec<StatePredicate>> = operands.iter().map(|f| f.as_state().cloned()).collect();
    match states {
        Some(states) => connective(formula, states).map(RunFormula::from),
        None => connective(formula, operands),
    }
}

impl RunFormula {
    /// The state predicate that it is, if it is one.
    pub fn as_state(&self) -> Option<&StatePredicate> {
        match self {
            Self::Atom(RunAtom::State(predicate)) => Some(predicate),
            _ => None,
        }
    }
}

impl TryFrom<&Formula> for RunFormula {
    type Error = WrongKind;

    fn try_from(formula: &Formula) -> Result<Self, WrongKind> {
        tree(formula).ok_or(WrongKind)
    }
}

impl From<RunAtom> for RunFormula {
    fn from(atom: RunAtom) -> Self {
        Self::Atom(atom)
    }
}

impl From<StatePredicate> for RunFormula {
    fn from(predicate: StatePredicate) -> Self {
        RunAtom::State(predicate).into()
    }
}

impl From<&RunFormula> for Formula {
    fn from(tree: &RunFormula) -> Self {
        super::typed::tree_formula(tree, &|atom| match atom {
            RunAtom::State(predicate) => predicate.into(),
            RunAtom::Fired(steps) => Formula::Fired(steps.clone()),
            RunAtom::Temporal(operator) => operator.formula(|f| f.into()),
            RunAtom::Past(operator) => operator.formula(|f| f.into()),
        })
    }
}
