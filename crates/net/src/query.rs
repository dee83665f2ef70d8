//! Classification: which kind of question a formula asks. Done once, when a property is bound.

use crate::{
    CtlFormula, CtlStarFormula, Fairness, Formula, Global, NamedProperty, PathFormula, PathPrefix, PlaceId,
    RunAtom, RunFormula, StateAtom, StatePredicate, StepSet, coloured::PlaceColours,
};

/// Over which maximal paths a path formula is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// Every maximal run from the initial marking.
    ForAll,
    /// Some path satisfies the formula.
    Exists,
}

/// How a formula is read that both CTL and LTL have. They differ on `A X f` and `E X f` in a deadlock:
/// there CTL's `AX f` is true and `EX f` false, while LTL repeats the last marking for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Logic {
    /// As CTL where it is CTL.
    #[default]
    Ctl,
    /// As LTL where it is LTL.
    Ltl,
}

/// An LTL formula on all or some fair runs. It is a type of its own, so that an engine or pass that knows LTL but neither
/// events, past nor fairness cannot take it for plain LTL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunQuery {
    /// All fair runs, or some.
    pub quantifier: Quantifier,
    /// What they satisfy.
    pub formula: RunFormula,
    /// Which runs are meant.
    pub fairness: Fairness,
}

/// A classified formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// A marking with this state predicate is reachable.
    Reachable(StatePredicate),
    /// All reachable markings have this state predicate.
    Invariant(StatePredicate),
    /// A formula of CTL that is neither reachability nor an invariant of a predicate.
    Ctl(CtlFormula),
    /// An LTL formula on all or some maximal runs.
    Ltl(Quantifier, PathFormula),
    /// An LTL formula about steps or the past, or about fair runs.
    Run(RunQuery),
    /// A formula of CTL* about markings that is neither CTL nor LTL.
    CtlStar(CtlStarFormula),
    /// The largest number of tokens on these places together.
    Bound(Vec<PlaceId>),
    /// The largest number of tokens of some colours on some places together; only on a coloured net.
    ColourBound(Vec<PlaceColours>),
    /// A property of the whole net.
    Global(Global),
    /// A named property that is no formula, or one of the net that it is asked of.
    Named(NamedProperty),
}

/// Why a formula cannot be classified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// A bound or a global property stands inside another formula.
    Nested,
    /// It speaks of steps or of the past, and is not LTL.
    EventOutsideLtl,
    /// Fair runs are meant by a formula that is not LTL, or by a part of a formula.
    FairnessOutsideLtl,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Nested => "a bound or a property of the whole net can only stand alone",
            Self::EventOutsideLtl => {
                "`fired` and the past operators Y, O, H and S speak of a single run, so they are for LTL only"
            }
            Self::FairnessOutsideLtl => {
                "fairness assumptions are for a whole property of LTL; CTL under fairness is not supported"
            }
        })
    }
}

impl std::error::Error for Unsupported {}

impl Query {
    /// Finds out what a formula asks. A path formula without a quantifier is meant for all runs, and so is a formula of CTL* with a
    /// temporal operator that is behind no quantifier.
    pub fn classify(formula: &Formula, logic: Logic) -> Result<Self, Unsupported> {
        match formula {
            Formula::Bound(places) => return Ok(Self::Bound(places.clone())),
            Formula::ColourBound(tokens) => return Ok(Self::ColourBound(tokens.clone())),
            Formula::Global(global) => return Ok(Self::Global(*global)),
            Formula::Named(property) => return Ok(property.query()),
            _ if formula.any(&Formula::is_whole_property) => return Err(Unsupported::Nested),
            _ => {}
        }
        if formula.is_about_runs() {
            return about_runs(formula).map(Self::Run);
        }
        if let Some(query) = reachability(formula) {
            return Ok(query);
        }
        let ltl = || ltl(formula).map(|(quantifier, path)| Self::Ltl(quantifier, path));
        let ctl = || CtlFormula::try_from(formula).ok().map(Self::Ctl);
        let ctl_star = || CtlStarFormula::try_from(formula).ok().map(|f| Self::CtlStar(f.of_markings()));
        match logic {
            Logic::Ltl => ltl().or_else(ctl),
            Logic::Ctl => ctl().or_else(ltl),
        }
        .or_else(ctl_star)
        // Nothing else is left.
        .ok_or(Unsupported::EventOutsideLtl)
    }

    /// The formula that it was classified from, but for negations before a quantifier.
    pub fn formula(&self) -> Formula {
        match self {
            Self::Reachable(p) => Formula::from(p).possible(),
            Self::Invariant(p) => Formula::from(p).invariant(),
            Self::Ctl(f) => f.into(),
            Self::Ltl(quantifier, path) => quantifier.before(path.into()),
            Self::Run(run) => run.formula(),
            Self::CtlStar(f) => f.into(),
            Self::Bound(places) => Formula::Bound(places.clone()),
            Self::ColourBound(tokens) => Formula::ColourBound(tokens.clone()),
            Self::Global(global) => Formula::Global(*global),
            Self::Named(property) => Formula::Named(property.clone()),
        }
    }

    /// The value of a formula that is a constant.
    pub fn constant(&self) -> Option<bool> {
        let predicate = match self {
            Self::Reachable(p) | Self::Invariant(p) => p,
            Self::Ctl(f) => f.as_state()?,
            Self::Ltl(_, path) => path.as_state()?,
            Self::Run(_)
            | Self::CtlStar(_)
            | Self::Bound(_)
            | Self::ColourBound(_)
            | Self::Global(_)
            | Self::Named(_) => {
                return None;
            }
        };
        if let StatePredicate::Constant(value) = predicate { Some(*value) } else { None }
    }

    /// Calls `visit` with each atom of its state predicates.
    pub fn state_atoms<'q>(&'q self, visit: &mut dyn FnMut(&'q StateAtom)) {
        match self {
            Self::Reachable(p) | Self::Invariant(p) => p.atoms(&mut |atom| visit(atom)),
            Self::Ctl(f) => f.state_atoms(visit),
            Self::Ltl(_, path) => path.state_atoms(visit),
            Self::Run(run) => run.formula.leaves(&mut |leaf| {
                if let RunAtom::State(predicate) = leaf {
                    predicate.atoms(&mut |atom| visit(atom));
                }
            }),
            Self::CtlStar(f) => f.predicates(&mut |p| p.atoms(&mut |atom| visit(atom))),
            Self::Bound(_) | Self::ColourBound(_) | Self::Global(_) | Self::Named(_) => {}
        }
    }

    /// The same query over what `change` makes of the atoms of its state predicates.
    #[must_use]
    pub fn map_state_atoms(&self, change: &mut dyn FnMut(&StateAtom) -> StatePredicate) -> Self {
        match self {
            Self::Reachable(p) => Self::Reachable(p.map(&mut |atom| change(atom))),
            Self::Invariant(p) => Self::Invariant(p.map(&mut |atom| change(atom))),
            Self::Ctl(f) => Self::Ctl(f.map_state_atoms(change)),
            Self::Ltl(quantifier, path) => Self::Ltl(*quantifier, path.map_state_atoms(change)),
            Self::Run(run) => Self::Run(run.map(change, &mut StepSet::clone)),
            Self::CtlStar(f) => Self::CtlStar(f.map_state_atoms(change)),
            Self::Bound(_) | Self::ColourBound(_) | Self::Global(_) | Self::Named(_) => self.clone(),
        }
    }

    /// The same question about a place/transition net, in words that name no colours: its tokens have the first and only
    /// colour, and its transitions no variables. `None` if the query names none as it is.
    pub fn without_colours(&self) -> Option<Self> {
        let mut names_colours = matches!(self, Self::ColourBound(_));
        if let Self::Run(run) = self {
            names_colours |= run.names_bindings();
        }
        self.state_atoms(&mut |atom| {
            names_colours |= match atom {
                StateAtom::BindingFireable(_) => true,
                StateAtom::Compare(_, a, b) => a.names_colours() || b.names_colours(),
                StateAtom::Deadlock | StateAtom::Fireable(_) => false,
            }
        });
        if !names_colours {
            return None;
        }
        if let Self::ColourBound(tokens) = self {
            return Some(Self::Bound(
                tokens.iter().filter(|some| some.is_plain()).map(|some| some.place).collect(),
            ));
        }
        let change = &mut |atom: &StateAtom| match atom {
            StateAtom::BindingFireable(all) if all.variables().len() == 0 => {
                StateAtom::Fireable(vec![all.transition()]).into()
            }
            StateAtom::BindingFireable(_) => StatePredicate::Constant(false),
            StateAtom::Compare(how, a, b) => {
                StateAtom::Compare(*how, a.without_colours(), b.without_colours()).into()
            }
            StateAtom::Deadlock | StateAtom::Fireable(_) => atom.clone().into(),
        };
        Some(match self {
            Self::Run(run) => Self::Run(run.map(change, &mut StepSet::without_colours)),
            other => other.map_state_atoms(change),
        })
    }

    /// The state predicate of a query of reachability, and the value of it that a run would have to reach.
    pub fn goal(&self) -> Option<(&StatePredicate, bool)> {
        match self {
            Self::Reachable(p) => Some((p, true)),
            Self::Invariant(p) => Some((p, false)),
            _ => None,
        }
    }
}

impl RunQuery {
    /// The formula as a property.
    fn formula(&self) -> Formula {
        let quantified = self.quantifier.before((&self.formula).into());
        match self.fairness.is_empty() {
            true => quantified,
            false => Formula::Under(self.fairness.clone(), Box::new(quantified)),
        }
    }

    /// The same query over what `state` makes of the atoms of its state predicates, and `steps` of its sets of steps.
    fn map(
        &self,
        state: &mut dyn FnMut(&StateAtom) -> StatePredicate,
        steps: &mut dyn FnMut(&StepSet) -> StepSet,
    ) -> Self {
        let formula = self.formula.map_leaves(&mut |p| p.map(&mut |atom| state(atom)), steps);
        Self { quantifier: self.quantifier, formula, fairness: self.fairness.map_steps(steps) }
    }

    fn names_bindings(&self) -> bool {
        let mut names = false;
        let mut see = |steps: &StepSet| {
            names |= !steps.bindings.is_empty();
            steps.clone()
        };
        self.map(&mut |atom| atom.clone().into(), &mut see);
        names
    }
}

/// The LTL formula of a property about steps, the past or fair runs.
fn about_runs(formula: &Formula) -> Result<RunQuery, Unsupported> {
    let (fairness, inner) = match formula {
        Formula::Under(fairness, inner) => (fairness.clone(), &**inner),
        other => (Fairness::default(), other),
    };
    if inner.any(&|f| matches!(f, Formula::Under(..))) {
        return Err(Unsupported::FairnessOutsideLtl);
    }
    let (quantifier, formula) = run(inner).ok_or(match fairness.is_empty() {
        true => Unsupported::EventOutsideLtl,
        false => Unsupported::FairnessOutsideLtl,
    })?;
    Ok(RunQuery { quantifier, formula, fairness })
}

/// The quantifier and the formula about runs, possibly behind negations.
fn run(formula: &Formula) -> Option<(Quantifier, RunFormula)> {
    match formula {
        Formula::ForAll(path) => Some((Quantifier::ForAll, RunFormula::try_from(&**path).ok()?)),
        Formula::Exists(path) => Some((Quantifier::Exists, RunFormula::try_from(&**path).ok()?)),
        other => match (RunFormula::try_from(other), other) {
            (Ok(path), _) => Some((Quantifier::ForAll, path)),
            (Err(_), Formula::Not(inner)) => run(inner).map(|(quantifier, path)| match quantifier {
                Quantifier::ForAll => (Quantifier::Exists, path.negate()),
                Quantifier::Exists => (Quantifier::ForAll, path.negate()),
            }),
            _ => None,
        },
    }
}

/// `E F p` or `A G p`, possibly behind negations.
fn reachability(formula: &Formula) -> Option<Query> {
    match formula {
        Formula::Not(inner) => match reachability(inner)? {
            Query::Reachable(p) => Some(Query::Invariant(p.negate())),
            Query::Invariant(p) => Some(Query::Reachable(p.negate())),
            _ => None,
        },
        Formula::Exists(path) => match &**path {
            Formula::Finally(p) => StatePredicate::try_from(&**p).ok().map(Query::Reachable),
            _ => None,
        },
        Formula::ForAll(path) => match &**path {
            Formula::Globally(p) => StatePredicate::try_from(&**p).ok().map(Query::Invariant),
            _ => None,
        },
        _ => None,
    }
}

/// The quantifier and the path formula of an LTL property, possibly behind negations.
fn ltl(formula: &Formula) -> Option<(Quantifier, PathFormula)> {
    match formula {
        Formula::ForAll(path) => Some((Quantifier::ForAll, PathFormula::try_from(&**path).ok()?)),
        Formula::Exists(path) => Some((Quantifier::Exists, PathFormula::try_from(&**path).ok()?)),
        other => match (PathFormula::try_from(other), other) {
            // A state predicate is not LTL, but reachability without a quantifier, which is CTL.
            (Ok(path), _) => path.as_state().is_none().then_some((Quantifier::ForAll, path)),
            (Err(_), Formula::Not(inner)) => ltl(inner).map(|(quantifier, path)| match quantifier {
                Quantifier::ForAll => (Quantifier::Exists, path.complement()),
                Quantifier::Exists => (Quantifier::ForAll, path.complement()),
            }),
            _ => None,
        },
    }
}
