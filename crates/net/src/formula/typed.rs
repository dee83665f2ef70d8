//! Formulas of one kind each: state predicates, path formulas of LTL, CTL formulas.
//!
//! [`Formula`] is what users write and what passes rewrite; it can be of any kind. The types here can only be of theirs,
//! so a function that takes one needs no case for the others. A formula is converted by `TryFrom`, once, when
//! [`Query::classify`](crate::Query::classify) finds out its kind; `Formula::from` gives back exactly what was converted.
//!
//! State predicates inside path formulas and CTL formulas are maximal after a conversion: a connective whose operands are all
//! state predicates is one itself. So engines evaluate each as a whole. Test: `tests/typed_formulas.rs`.

use super::{BoolTree, Comparison, Expr, Formula, temporal::Temporal};
use crate::{Quantifier, TransitionId, coloured::BindingPattern};

/// An atom of a state predicate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StateAtom {
    /// No transition is enabled.
    Deadlock,
    /// Some of these transitions is enabled; on a coloured net, under some binding.
    Fireable(Vec<TransitionId>),
    /// The transition is enabled under some of these bindings; only on a coloured net.
    BindingFireable(BindingPattern),
    /// A comparison of token counts.
    Compare(Comparison, Expr, Expr),
}

/// A property of a single marking.
pub type StatePredicate = BoolTree<StateAtom>;

/// An atom of a temporal logic, in which a temporal operator stands behind a `Q`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TemporalAtom<Q> {
    /// Of the marking itself; of a path, of its first marking.
    State(StatePredicate),
    /// A temporal operator, and what the logic has before it.
    Temporal(Q, Box<Temporal<BoolTree<TemporalAtom<Q>>>>),
}

/// An atom of a path formula, which has no quantifiers.
pub type PathAtom = TemporalAtom<()>;

/// An LTL formula: a property of a maximal path.
pub type PathFormula = BoolTree<PathAtom>;

/// An atom of a CTL formula, with a quantifier before each temporal operator.
pub type CtlAtom = TemporalAtom<Quantifier>;

/// A CTL formula: a property of a marking and of the maximal paths from it.
pub type CtlFormula = BoolTree<CtlAtom>;

/// A formula is not of the kind that it is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongKind;

/// What a logic has before a temporal operator.
pub trait PathPrefix: Copy {
    /// What stands before the path formula of a formula, and the path formula.
    fn split(formula: &Formula) -> Option<(Self, &Formula)>;

    /// A path formula behind it.
    fn before(self, path: Formula) -> Formula;
}

impl PathPrefix for () {
    fn split(formula: &Formula) -> Option<(Self, &Formula)> {
        Some(((), formula))
    }

    fn before(self, path: Formula) -> Formula {
        path
    }
}

impl PathPrefix for Quantifier {
    fn split(formula: &Formula) -> Option<(Self, &Formula)> {
        match formula {
            Formula::Exists(path) => Some((Self::Exists, path)),
            Formula::ForAll(path) => Some((Self::ForAll, path)),
            _ => None,
        }
    }

    fn before(self, path: Formula) -> Formula {
        match self {
            Self::Exists => Formula::Exists(Box::new(path)),
            Self::ForAll => Formula::ForAll(Box::new(path)),
        }
    }
}

impl<Q: PathPrefix> BoolTree<TemporalAtom<Q>> {
    /// The state predicate that it is, if it has been joined to one.
    pub fn as_state(&self) -> Option<&StatePredicate> {
        match self {
            Self::Atom(TemporalAtom::State(predicate)) => Some(predicate),
            _ => None,
        }
    }

    /// The negation; that of a state predicate is one, too.
    #[must_use]
    pub fn complement(self) -> Self {
        match into_state(self) {
            Ok(predicate) => state(predicate.negate()),
            Err(tree) => tree.negate(),
        }
    }

    /// Whether `test` is true of some temporal operator of the tree.
    pub fn any_operator(&self, test: &impl Fn(&Temporal<Self>) -> bool) -> bool {
        self.any_atom(&|atom| match atom {
            TemporalAtom::State(_) => false,
            TemporalAtom::Temporal(_, operator) => {
                test(operator) || operator.operands().any(|f| f.any_operator(test))
            }
        })
    }

    /// Calls `visit` with each atom of its state predicates, from left to right.
    pub fn state_atoms<'t>(&'t self, visit: &mut dyn FnMut(&'t StateAtom)) {
        self.atoms(&mut |atom| match atom {
            TemporalAtom::State(predicate) => predicate.atoms(&mut |atom| visit(atom)),
            TemporalAtom::Temporal(_, operator) => operator.operands().for_each(|f| f.state_atoms(visit)),
        });
    }

    /// The same formula over what `change` makes of the atoms of its state predicates.
    #[must_use]
    pub fn map_state_atoms(&self, change: &mut dyn FnMut(&StateAtom) -> StatePredicate) -> Self {
        self.map(&mut |atom| match atom {
            TemporalAtom::State(predicate) => state(predicate.map(&mut |atom| change(atom))),
            TemporalAtom::Temporal(prefix, operator) => {
                let operator = operator.map(&mut |f| f.map_state_atoms(change));
                Self::Atom(TemporalAtom::Temporal(*prefix, Box::new(operator)))
            }
        })
    }

    /// How many temporal operators it has.
    pub fn temporal_operators(&self) -> usize {
        let mut count = 0;
        self.operators(&mut |operator| {
            count += 1 + operator.operands().map(Self::temporal_operators).sum::<usize>();
        });
        count
    }

    /// How deep its temporal operators stand inside each other.
    pub fn temporal_depth(&self) -> usize {
        let mut depth = 0;
        self.operators(&mut |operator| {
            depth = depth.max(1 + operator.operands().map(Self::temporal_depth).max().unwrap_or(0));
        });
        depth
    }

    /// Calls `visit` with each temporal operator that stands below no other.
    fn operators<'t>(&'t self, visit: &mut impl FnMut(&'t Temporal<Self>)) {
        self.atoms(&mut |atom| match atom {
            TemporalAtom::State(_) => {}
            TemporalAtom::Temporal(_, operator) => visit(operator),
        });
    }
}

fn state<Q>(predicate: StatePredicate) -> BoolTree<TemporalAtom<Q>> {
    BoolTree::Atom(TemporalAtom::State(predicate))
}

/// A formula of a temporal logic, built from the leaves, where connectives over state predicates become state predicates.
/// The formulas that wait are on a list of their own, because formulas may be thousands of levels deep.
fn temporal_tree<Q: PathPrefix>(formula: &Formula) -> Option<BoolTree<TemporalAtom<Q>>> {
    let (mut open, mut done) = (vec![(formula, false)], Vec::new());
    while let Some((formula, has_operands)) = open.pop() {
        if has_operands {
            let tree = combined(formula, &mut done)?;
            done.push(tree);
            continue;
        }
        open.push((formula, true));
        let node =
            if is_connective(formula) { formula } else { Q::split(formula).map_or(formula, |split| split.1) };
        open.extend(node.children().rev().map(|operand| (operand, false)));
    }
    done.pop()
}

pub(super) fn is_connective(formula: &Formula) -> bool {
    matches!(formula, Formula::Not(_) | Formula::And(_) | Formula::Or(_) | Formula::Iff(..))
}

/// A formula over the last of the trees, which are those of its operands.
fn combined<Q: PathPrefix>(
    formula: &Formula,
    trees: &mut Vec<BoolTree<TemporalAtom<Q>>>,
) -> Option<BoolTree<TemporalAtom<Q>>> {
    let mut last = |count: usize| trees.split_off(trees.len().saturating_sub(count)).into_iter();
    Some(match formula {
        Formula::Constant(value) => state(BoolTree::Constant(*value)),
        Formula::Deadlock => state(StateAtom::Deadlock.into()),
        Formula::Fireable(ts) => state(StateAtom::Fireable(ts.clone()).into()),
        Formula::BindingFireable(bindings) => state(StateAtom::BindingFireable(bindings.clone()).into()),
        Formula::Compare(how, a, b) => state(StateAtom::Compare(*how, a.clone(), b.clone()).into()),
        Formula::Not(_) => match into_state(last(1).next()?) {
            Ok(predicate) => state(BoolTree::Not(Box::new(predicate))),
            Err(tree) => BoolTree::Not(Box::new(tree)),
        },
        Formula::And(fs) => match joined(last(fs.len())) {
            Ok(predicates) => state(BoolTree::And(predicates)),
            Err(trees) => BoolTree::And(trees),
        },
        Formula::Or(fs) => match joined(last(fs.len())) {
            Ok(predicates) => state(BoolTree::Or(predicates)),
            Err(trees) => BoolTree::Or(trees),
        },
        Formula::Iff(..) => {
            let mut sides = last(2);
            match (into_state(sides.next()?), into_state(sides.next()?)) {
                (Ok(p), Ok(q)) => state(BoolTree::iff(p, q)),
                (f, g) => BoolTree::iff(f.map_or_else(|tree| tree, state), g.map_or_else(|tree| tree, state)),
            }
        }
        other => {
            let (prefix, path) = Q::split(other)?;
            let mut operands = last(path.children().count());
            let operator = Temporal::of(path, || operands.next())?;
            BoolTree::Atom(TemporalAtom::Temporal(prefix, Box::new(operator)))
        }
    })
}

/// The state predicates that some trees are, or the trees if not all are.
fn joined<Q>(
    trees: impl Iterator<Item = BoolTree<TemporalAtom<Q>>>,
) -> Result<Vec<StatePredicate>, Vec<BoolTree<TemporalAtom<Q>>>> {
    let all: Vec<_> = trees.map(into_state).collect();
    if all.iter().all(Result::is_ok) {
        return Ok(all.into_iter().flatten().collect());
    }
    Err(all.into_iter().map(|f| f.map_or_else(|tree| tree, state)).collect())
}

fn into_state<Q>(tree: BoolTree<TemporalAtom<Q>>) -> Result<StatePredicate, BoolTree<TemporalAtom<Q>>> {
    match tree {
        BoolTree::Atom(TemporalAtom::State(predicate)) => Ok(predicate),
        BoolTree::Constant(value) => Ok(BoolTree::Constant(value)),
        other => Err(other),
    }
}

pub(super) fn tree_formula<A>(tree: &BoolTree<A>, leaf: &impl Fn(&A) -> Formula) -> Formula {
    let one = |tree| Box::new(tree_formula(tree, leaf));
    let all = |trees: &[BoolTree<A>]| trees.iter().map(|tree| tree_formula(tree, leaf)).collect();
    match tree {
        BoolTree::Constant(value) => Formula::Constant(*value),
        BoolTree::Atom(atom) => leaf(atom),
        BoolTree::Not(f) => Formula::Not(one(f)),
        BoolTree::And(fs) => Formula::And(all(fs)),
        BoolTree::Or(fs) => Formula::Or(all(fs)),
        BoolTree::Iff(sides) => Formula::Iff(one(&sides.0), one(&sides.1)),
    }
}

impl TryFrom<&Formula> for StatePredicate {
    type Error = WrongKind;

    fn try_from(formula: &Formula) -> Result<Self, WrongKind> {
        PathFormula::try_from(formula).and_then(|tree| into_state(tree).map_err(|_| WrongKind))
    }
}

impl<Q: PathPrefix> TryFrom<&Formula> for BoolTree<TemporalAtom<Q>> {
    type Error = WrongKind;

    fn try_from(formula: &Formula) -> Result<Self, WrongKind> {
        temporal_tree(formula).ok_or(WrongKind)
    }
}

impl From<&StatePredicate> for Formula {
    fn from(predicate: &StatePredicate) -> Self {
        tree_formula(predicate, &|atom| match atom {
            StateAtom::Deadlock => Formula::Deadlock,
            StateAtom::Fireable(ts) => Formula::Fireable(ts.clone()),
            StateAtom::BindingFireable(bindings) => Formula::BindingFireable(bindings.clone()),
            StateAtom::Compare(how, a, b) => Formula::Compare(*how, a.clone(), b.clone()),
        })
    }
}

impl<Q: PathPrefix> From<&BoolTree<TemporalAtom<Q>>> for Formula {
    fn from(tree: &BoolTree<TemporalAtom<Q>>) -> Self {
        tree_formula(tree, &|atom| match atom {
            TemporalAtom::State(predicate) => predicate.into(),
            TemporalAtom::Temporal(prefix, operator) => prefix.before(operator.formula(|f| f.into())),
        })
    }
}

impl From<StatePredicate> for Formula {
    fn from(predicate: StatePredicate) -> Self {
        (&predicate).into()
    }
}

impl<Q: PathPrefix> From<BoolTree<TemporalAtom<Q>>> for Formula {
    fn from(tree: BoolTree<TemporalAtom<Q>>) -> Self {
        (&tree).into()
    }
}

impl From<StateAtom> for StatePredicate {
    fn from(atom: StateAtom) -> Self {
        Self::Atom(atom)
    }
}

impl<Q> From<StatePredicate> for BoolTree<TemporalAtom<Q>> {
    fn from(predicate: StatePredicate) -> Self {
        state(predicate)
    }
}

impl From<Temporal<PathFormula>> for PathFormula {
    fn from(operator: Temporal<PathFormula>) -> Self {
        Self::Atom(TemporalAtom::Temporal((), Box::new(operator)))
    }
}
