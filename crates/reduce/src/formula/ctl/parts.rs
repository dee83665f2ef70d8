//! A CTL formula as a Boolean combination of smaller ones.
//!
//! Why: of `EF p & !EF q & A[f U g]` the first two are reachability queries, and one of the three may decide alone. `EF`
//! of a disjunction is divided too, where some disjuncts are state predicates and others are not; so is `AG` of a
//! conjunction. Needs nothing; one level of `&`, `|` and equivalences above the first quantifier is taken apart, whatever
//! its depth. Invariant: a value that is given for some known parts stays when more become known.
//! Test: `tests/simplify.rs`, through the pass.

use fireset_net::{Formula, Quantifier};

use crate::formula::view::{Connective, quantified};

/// Parts that a formula is divided into at most; with more it stays whole.
const MAX_PARTS: usize = 24;

/// How the values of parts make the value of the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Combination {
    /// The value of the part at this position.
    Part(usize),
    /// A conjunction of combinations.
    All(Vec<Combination>),
    /// A disjunction of combinations.
    Any(Vec<Combination>),
    /// Both have the same value.
    Same(Box<[Combination; 2]>),
    /// That of the first that has one; they never differ.
    First(Vec<Combination>),
    /// True where it is true, and otherwise unknown.
    IfTrue(Box<Combination>),
    /// False where it is false, and otherwise unknown.
    IfFalse(Box<Combination>),
}

impl Combination {
    /// The value, where the known parts decide it.
    pub fn value(&self, known: &[Option<bool>]) -> Option<bool> {
        match self {
            Self::Part(at) => known[*at],
            Self::All(all) => Connective::And.value(all.iter().map(|c| c.value(known))),
            Self::Any(any) => Connective::Or.value(any.iter().map(|c| c.value(known))),
            Self::Same(sides) => Some(sides[0].value(known)? == sides[1].value(known)?),
            Self::First(all) => all.iter().find_map(|c| c.value(known)),
            Self::IfTrue(c) => c.value(known).filter(|&value| value),
            Self::IfFalse(c) => c.value(known).filter(|&value| !value),
        }
    }

    /// The same with something else for each part.
    #[must_use]
    pub fn map_parts(self, change: &mut impl FnMut(usize) -> Self) -> Self {
        let mut all = |cs: Vec<Self>| cs.into_iter().map(|c| c.map_parts(change)).collect();
        match self {
            Self::Part(at) => change(at),
            Self::All(cs) => Self::All(all(cs)),
            Self::Any(cs) => Self::Any(all(cs)),
            Self::First(cs) => Self::First(all(cs)),
            Self::Same(sides) => Self::Same(Box::new(sides.map(|c| c.map_parts(change)))),
            Self::IfTrue(c) => Self::IfTrue(Box::new(c.map_parts(change))),
            Self::IfFalse(c) => Self::IfFalse(Box::new(c.map_parts(change))),
        }
    }
}

/// Divides a formula in normal form. What is not `easy` stays together, because a search for the whole shares more than
/// searches for parts.
pub fn decompose(f: &Formula, easy: &impl Fn(&Formula) -> bool) -> (Combination, Vec<Formula>) {
    let mut decomposition = FormulaDecomposition { easy, parts: Vec::new() };
    let combination = decomposition.decompose(f);
    match decomposition.parts.len() {
        1..=MAX_PARTS => (combination, decomposition.parts),
        _ => (Combination::Part(0), vec![f.clone()]),
    }
}

struct FormulaDecomposition<'a, F> {
    easy: &'a F,
    parts: Vec<Formula>,
}

impl<F: Fn(&Formula) -> bool> FormulaDecomposition<'_, F> {
    fn decompose(&mut self, f: &Formula) -> Combination {
        match f {
            _ if !self.has_easy(f) => self.part(f.clone()),
            Formula::And(fs) => Combination::All(self.decompose_all(Connective::And, fs)),
            Formula::Or(fs) => Combination::Any(self.decompose_all(Connective::Or, fs)),
            Formula::Iff(f, g) => Combination::Same(Box::new([self.decompose(f), self.decompose(g)])),
            _ => match mixed(f) {
                Some((Connective::And, both)) => Combination::All(self.decompose_all(Connective::And, &both)),
                Some((Connective::Or, both)) => Combination::Any(self.decompose_all(Connective::Or, &both)),
                None => self.part(f.clone()),
            },
        }
    }

    fn decompose_all(&mut self, connective: Connective, fs: &[Formula]) -> Vec<Combination> {
        let (easy, hard): (Vec<&Formula>, Vec<&Formula>) = fs.iter().partition(|f| self.has_easy(f));
        let mut all: Vec<Combination> = easy.into_iter().map(|f| self.decompose(f)).collect();
        if !hard.is_empty() {
            all.push(self.part(connective.join(hard.into_iter().cloned().collect())));
        }
        all
    }

    fn part(&mut self, f: Formula) -> Combination {
        self.parts.push(f);
        Combination::Part(self.parts.len() - 1)
    }

    /// Whether a part of a formula is easy.
    fn has_easy(&self, f: &Formula) -> bool {
        match f {
            Formula::And(_) | Formula::Or(_) | Formula::Iff(..) => f.children().any(|f| self.has_easy(f)),
            _ => (self.easy)(f) || mixed(f).is_some(),
        }
    }
}

/// `EF(p | f)` as `EF p` or `EF f`, and `AG(p & f)` as `AG p` and `AG f`, where `p` is a state predicate and `f` is not;
/// with the connective between the two.
fn mixed(f: &Formula) -> Option<(Connective, [Formula; 2])> {
    let (connective, below) = match quantified(f)? {
        (Quantifier::Exists, Formula::Finally(below)) => (Connective::Or, below),
        (Quantifier::ForAll, Formula::Globally(below)) => (Connective::And, below),
        _ => return None,
    };
    let (predicates, rest) = connective.split(below, Formula::is_state_predicate)?;
    let both = [connective.join(predicates), rest].map(|below| match connective {
        Connective::And => below.invariant(),
        Connective::Or => below.possible(),
    });
    Some((connective, both))
}
