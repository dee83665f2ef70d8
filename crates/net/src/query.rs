//! Classification: which kind of question a formula asks. Done once, when a property is bound.

use crate::{Formula, Global, PlaceId};

/// Over which maximal paths a path formula is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A classified formula. The formulas inside have been checked to be of their kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// A marking with this state predicate is reachable.
    Reachable(Formula),
    /// All reachable markings have this state predicate.
    Invariant(Formula),
    /// A formula of CTL that is neither reachability nor an invariant of a predicate.
    Ctl(Formula),
    /// An LTL path formula (no quantifiers inside) on all or some maximal runs.
    Ltl(Quantifier, Formula),
    /// The largest number of tokens on these places together.
    Bound(Vec<PlaceId>),
    /// A property of the whole net.
    Global(Global),
}

/// Why a formula cannot be classified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// It mixes path formulas and quantifiers as neither CTL nor LTL does.
    CtlStar,
    /// A bound or a global property stands inside another formula.
    Nested,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::CtlStar => "this is CTL* that is neither CTL nor LTL, which is not supported",
            Self::Nested => "a bound or a property of the whole net can only stand alone",
        })
    }
}

impl std::error::Error for Unsupported {}

impl Query {
    /// Finds out what a formula asks. A path formula without a quantifier is meant for all runs.
    pub fn classify(formula: &Formula, logic: Logic) -> Result<Self, Unsupported> {
        match formula {
            Formula::Bound(places) => return Ok(Self::Bound(places.clone())),
            Formula::Global(global) => return Ok(Self::Global(*global)),
            _ if formula.any(&|f| matches!(f, Formula::Bound(_) | Formula::Global(_))) => {
                return Err(Unsupported::Nested);
            }
            _ => {}
        }
        if let Some(query) = reachability(formula) {
            return Ok(query);
        }
        let ltl = || ltl(formula).map(|(quantifier, path)| Self::Ltl(quantifier, path));
        let ctl = || is_ctl(formula).then(|| Self::Ctl(formula.clone()));
        match logic {
            Logic::Ltl => ltl().or_else(ctl),
            Logic::Ctl => ctl().or_else(ltl),
        }
        .ok_or(Unsupported::CtlStar)
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
            Formula::Finally(p) if p.is_state_predicate() => Some(Query::Reachable((**p).clone())),
            _ => None,
        },
        Formula::ForAll(path) => match &**path {
            Formula::Globally(p) if p.is_state_predicate() => Some(Query::Invariant((**p).clone())),
            _ => None,
        },
        _ => None,
    }
}

/// The quantifier and the path formula of an LTL property, possibly behind negations.
fn ltl(formula: &Formula) -> Option<(Quantifier, Formula)> {
    let plain = |path: &Formula| !path.any(&|f| matches!(f, Formula::Exists(_) | Formula::ForAll(_)));
    match formula {
        Formula::ForAll(path) if plain(path) => Some((Quantifier::ForAll, (**path).clone())),
        Formula::Exists(path) if plain(path) => Some((Quantifier::Exists, (**path).clone())),
        Formula::Not(inner) if !plain(formula) => ltl(inner).map(|(quantifier, path)| match quantifier {
            Quantifier::ForAll => (Quantifier::Exists, path.negate()),
            Quantifier::Exists => (Quantifier::ForAll, path.negate()),
        }),
        path if plain(path) && !path.is_state_predicate() => Some((Quantifier::ForAll, path.clone())),
        _ => None,
    }
}

/// Whether every temporal operator stands directly below a quantifier, and every quantifier above one.
fn is_ctl(formula: &Formula) -> bool {
    match formula {
        Formula::Exists(path) | Formula::ForAll(path) => path.is_temporal() && path.children().all(is_ctl),
        other => !other.is_temporal() && other.children().all(is_ctl),
    }
}
