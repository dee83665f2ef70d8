//! A temporal operator with its quantifier, as rules for LTL and for CTL see it.
//!
//! Why: most laws of temporal operators hold on one path, on all paths and on some path alike, because they are laws of
//! paths. Written over [`temporal`], each law stands once, and names the quantifiers that it holds for where these differ.
//!
//! Semantics. LTL: infinite words, in which a finite run repeats its last marking for ever; `deadlock` is an atom like any
//! other. CTL: maximal paths; in a deadlock `EX f` is false, `AX f` true, and other operators look at that one state.

use fireset_net::{Formula, Logic, Quantifier};

/// The quantifier before a temporal operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathQuantifier {
    /// There is none: the operator is one of LTL and speaks of the path at hand.
    ThisPath,
    /// The quantifier `A` of CTL.
    ForAll,
    /// The quantifier `E` of CTL.
    Exists,
}

impl PathQuantifier {
    pub(super) const ALL: [Self; 3] = [Self::ThisPath, Self::ForAll, Self::Exists];

    pub(super) fn logic(self) -> Logic {
        match self {
            Self::ThisPath => Logic::Ltl,
            Self::ForAll | Self::Exists => Logic::Ctl,
        }
    }

    /// The formula that says `path` with this quantifier.
    pub(super) fn over(self, path: Formula) -> Formula {
        match self {
            Self::ThisPath => path,
            Self::ForAll => Formula::ForAll(Box::new(path)),
            Self::Exists => Formula::Exists(Box::new(path)),
        }
    }

    /// Whether `Q(f & g)` is `Q f & Q g` (of a conjunction), or `Q(f | g)` is `Q f | Q g`.
    pub(super) fn distributes_over(self, connective: Connective) -> bool {
        match self {
            Self::ThisPath => true,
            Self::ForAll => connective == Connective::And,
            Self::Exists => connective == Connective::Or,
        }
    }

    /// The operand of `operator` where `f` has this quantifier before that operator.
    pub(super) fn operand_of(self, operator: UnaryOperator, f: &Formula) -> Option<&Formula> {
        let (quantifier, path) = temporal(f)?;
        if quantifier != self {
            return None;
        }
        match (operator, path) {
            (UnaryOperator::Next, Formula::Next(operand))
            | (UnaryOperator::Finally, Formula::Finally(operand))
            | (UnaryOperator::Globally, Formula::Globally(operand)) => Some(operand),
            _ => None,
        }
    }

    /// The formula that says `operator` of `operand` with this quantifier.
    pub(super) fn apply(self, operator: UnaryOperator, operand: Formula) -> Formula {
        self.over(operator.apply(operand))
    }
}

impl From<Quantifier> for PathQuantifier {
    fn from(quantifier: Quantifier) -> Self {
        match quantifier {
            Quantifier::ForAll => Self::ForAll,
            Quantifier::Exists => Self::Exists,
        }
    }
}

/// The temporal operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnaryOperator {
    Next,
    Finally,
    Globally,
}

impl UnaryOperator {
    pub(super) fn apply(self, operand: Formula) -> Formula {
        let operand = Box::new(operand);
        match self {
            Self::Next => Formula::Next(operand),
            Self::Finally => Formula::Finally(operand),
            Self::Globally => Formula::Globally(operand),
        }
    }
}

/// Conjunction and disjunction, which are dual: most laws of the one are laws of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Connective {
    And,
    Or,
}

impl Connective {
    pub(super) const BOTH: [Self; 2] = [Self::And, Self::Or];

    pub(super) fn dual(self) -> Self {
        match self {
            Self::And => Self::Or,
            Self::Or => Self::And,
        }
    }

    /// The operand that changes nothing, which is the value without any operands.
    pub(super) fn neutral(self) -> bool {
        self == Self::And
    }

    /// The value of the whole, where the operands whose values are known decide it.
    pub(super) fn value(self, operands: impl Iterator<Item = Option<bool>>) -> Option<bool> {
        let mut all_known = true;
        for operand in operands {
            match operand {
                Some(value) if value != self.neutral() => return Some(value),
                Some(_) => {}
                None => all_known = false,
            }
        }
        all_known.then_some(self.neutral())
    }

    /// The formula that connects some operands. One operand needs no connective.
    pub(super) fn join(self, mut operands: Vec<Formula>) -> Formula {
        match (operands.len(), self) {
            (0, _) => Formula::Constant(self.neutral()),
            (1, _) => operands.remove(0),
            (_, Self::And) => Formula::And(operands),
            (_, Self::Or) => Formula::Or(operands),
        }
    }

    /// The formula that connects some operands, of which constants are left out.
    pub(super) fn join_without_constants(self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        let mut kept = Vec::new();
        for operand in operands {
            match operand {
                Formula::Constant(value) if value == self.neutral() => {}
                Formula::Constant(value) => return Formula::Constant(value),
                other => kept.push(other),
            }
        }
        self.join(kept)
    }

    /// The operands of a formula with this connective. Any other formula is its own only operand.
    pub(super) fn operands(self, f: &Formula) -> &[Formula] {
        match connected(f) {
            Some((connective, operands)) if connective == self => operands,
            _ => std::slice::from_ref(f),
        }
    }

    /// The operands of a formula with this connective that meet a condition, and the others joined; `None` unless there
    /// are some of each.
    pub(super) fn split(
        self,
        f: &Formula,
        condition: impl Fn(&Formula) -> bool,
    ) -> Option<(Vec<Formula>, Formula)> {
        let (_, operands) = connected(f).filter(|(connective, _)| *connective == self)?;
        let (meeting, others): (Vec<Formula>, Vec<Formula>) = operands.iter().cloned().partition(condition);
        (!meeting.is_empty() && !others.is_empty()).then(|| (meeting, self.join(others)))
    }
}

/// The connective and the operands of a conjunction or disjunction.
pub(super) fn connected(f: &Formula) -> Option<(Connective, &[Formula])> {
    match f {
        Formula::And(operands) => Some((Connective::And, operands)),
        Formula::Or(operands) => Some((Connective::Or, operands)),
        _ => None,
    }
}

/// The quantifier and the path formula of a formula that begins with a quantifier or a temporal operator.
pub(super) fn temporal(f: &Formula) -> Option<(PathQuantifier, &Formula)> {
    match f {
        Formula::ForAll(path) => Some((PathQuantifier::ForAll, path)),
        Formula::Exists(path) => Some((PathQuantifier::Exists, path)),
        _ => f.is_temporal().then_some((PathQuantifier::ThisPath, f)),
    }
}

/// The quantifier and the path formula of a formula that begins with a quantifier.
pub(super) fn quantified(f: &Formula) -> Option<(Quantifier, &Formula)> {
    match f {
        Formula::Exists(path) => Some((Quantifier::Exists, path)),
        Formula::ForAll(path) => Some((Quantifier::ForAll, path)),
        _ => None,
    }
}

pub(super) fn quantify(quantifier: Quantifier, path: Formula) -> Formula {
    PathQuantifier::from(quantifier).over(path)
}

/// Whether each temporal operator stands below a quantifier, so that the value depends on a state only.
pub(super) fn is_state_formula(f: &Formula) -> bool {
    quantified(f).is_some() || !f.is_temporal() && f.children().all(is_state_formula)
}

/// The same formula over changed operands: those directly below the root, or in CTL below its quantifier and temporal
/// operator.
pub(super) fn map_operands(f: Formula, change: &mut impl FnMut(Formula) -> Formula) -> Formula {
    match f {
        Formula::Exists(path) => Formula::Exists(Box::new(path.map_children(change))),
        Formula::ForAll(path) => Formula::ForAll(Box::new(path.map_children(change))),
        other => other.map_children(change),
    }
}

/// The same formula over changed operands of its outermost temporal operators, which stay themselves.
pub(super) fn map_below_root(f: Formula, change: &mut impl FnMut(Formula) -> Formula) -> Formula {
    match &f {
        Formula::Not(_) | Formula::And(_) | Formula::Or(_) | Formula::Iff(..) => {
            map_operands(f, &mut |operand| map_below_root(operand, change))
        }
        _ => map_operands(f, change),
    }
}

/// The until, release or weak until of `like` over other operands.
pub(super) fn binary(like: &Formula, f: Formula, g: Formula) -> Formula {
    let (f, g) = (Box::new(f), Box::new(g));
    match like {
        Formula::Until(..) => Formula::Until(f, g),
        Formula::Release(..) => Formula::Release(f, g),
        _ => Formula::WeakUntil(f, g),
    }
}

pub(super) fn next(f: Formula) -> Formula {
    UnaryOperator::Next.apply(f)
}

pub(super) fn finally(f: Formula) -> Formula {
    UnaryOperator::Finally.apply(f)
}

pub(super) fn globally(f: Formula) -> Formula {
    UnaryOperator::Globally.apply(f)
}

pub(super) fn not_deadlock() -> Formula {
    Formula::Not(Box::new(Formula::Deadlock))
}

/// The value of a CTL formula in a deadlock, as a state predicate.
pub(super) fn in_deadlock(f: &Formula) -> Formula {
    match f {
        Formula::Deadlock => Formula::Constant(true),
        Formula::Fireable(_) | Formula::BindingFireable(_) => Formula::Constant(false),
        _ => match quantified(f) {
            Some((quantifier, Formula::Next(_))) => Formula::Constant(quantifier == Quantifier::ForAll),
            Some((_, Formula::Finally(g) | Formula::Globally(g))) => in_deadlock(g),
            Some((_, Formula::Until(_, g) | Formula::Release(_, g))) => in_deadlock(g),
            Some((_, path)) => Formula::Or(path.children().map(in_deadlock).collect()),
            None => f.clone().map_children(&mut |child| in_deadlock(&child)),
        },
    }
}
