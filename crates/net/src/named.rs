//! Properties that the literature has names for, and the formulas that some of them are.
//!
//! Sources: Murata, "Petri nets: properties, analysis and applications" (1989), section IV (boundedness, safeness, reversibility,
//! home states, the levels of liveness, persistence); Desel and Esparza, "Free choice Petri nets" (1995), chapter 2.
//!
//! | property | definition | as a formula |
//! |---|---|---|
//! | bounded | no place gets arbitrarily many tokens | |
//! | k-bounded | no place ever has more than k tokens | `AG (p <= k && ...)` |
//! | deadlock-free | every reachable marking enables a transition | `AG !deadlock` |
//! | home marking | it can be reached from every reachable marking | `AG EF marking` |
//! | reversible | the initial marking is a home marking | `AG EF initial marking` |
//! | dead transition (L0) | it can never fire | `AG !fireable(t)` |
//! | L1-live | it can fire at some time | `EF fireable(t)` |
//! | L2-live | for each k some run fires it k times | |
//! | L3-live | some run fires it infinitely often | |
//! | L4-live, live | it can always fire again later | `AG EF fireable(t)` |
//! | persistent | no enabled step is disabled by another one | `AG !conflict` |
//! | terminating | every run is finite | |
//! | easy-sound | a final marking can be reached | `EF final` |
//! | sound, weak-sound, relaxed-sound | see [`SoundnessNotion`] | |
//!
//! A formula that needs no net is made when the property is [classified](Query::classify), one that does by
//! [`Query::spelled_out`]. Test: `crates/fireset/tests/named.rs`, against the oracle, which follows the definitions.

use crate::{
    BoolTree, Comparison, Expr, Formula, Logic, Model, Net, PlaceId, Query, SoundnessNotion, StateAtom,
    StatePredicate, TransitionId, WorkflowEnds, coloured::PlaceColours,
};

/// Conflicts of two transitions that a predicate may have; a net with more is not asked for them in one.
const MAX_CONFLICTS: usize = 20_000;

/// How live a transition is, weakest first (Murata's L1 to L4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LivenessLevel {
    /// It can fire at some time.
    L1,
    /// For each number some run fires it so often.
    L2,
    /// Some run fires it infinitely often.
    L3,
    /// It can always fire again later.
    L4,
}

impl LivenessLevel {
    /// All of them, weakest first.
    pub const ALL: [Self; 4] = [Self::L1, Self::L2, Self::L3, Self::L4];

    /// Its number, from 1 to 4.
    pub fn number(self) -> usize {
        self as usize + 1
    }
}

/// A property with a name of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NamedProperty {
    /// Each of these places has a largest number of tokens.
    Bounded(Vec<PlaceId>),
    /// None of these places ever has more than this number of tokens.
    KBounded(u64, Vec<PlaceId>),
    /// Every reachable marking enables a transition.
    DeadlockFree,
    /// The initial marking can be reached from every reachable marking.
    Reversible,
    /// From every reachable marking one can be reached with exactly these tokens. Each place is there, also one that has none, and
    /// the colours of a place stand together.
    Home(Vec<(PlaceColours, u64)>),
    /// None of these transitions can ever fire.
    Dead(Vec<TransitionId>),
    /// These transitions, of which any will do, are live to this level.
    Live(Vec<TransitionId>, LivenessLevel),
    /// No enabled step is disabled by another one.
    Persistent,
    /// Every run is finite.
    Terminating,
    /// The runs end in one of these markings, as the notion of soundness demands.
    Sound(SoundnessNotion, WorkflowEnds),
}

impl NamedProperty {
    /// The formula with the same meaning, where there is one that does not depend on the initial marking or on arcs.
    pub fn formula(&self) -> Option<Formula> {
        let fireable = |ts: &Vec<TransitionId>| Formula::Fireable(ts.clone());
        match self {
            Self::KBounded(k, places) => Some(Formula::from(&at_most(*k, places)).invariant()),
            Self::DeadlockFree => Some(Formula::Deadlock.negate().invariant()),
            Self::Home(tokens) => Some(Formula::from(&marking(tokens)).possible().invariant()),
            Self::Dead(ts) => Some(fireable(ts).negate().invariant()),
            Self::Live(ts, LivenessLevel::L1) => Some(fireable(ts).possible()),
            Self::Live(ts, LivenessLevel::L4) => Some(fireable(ts).possible().invariant()),
            Self::Sound(SoundnessNotion::EasySound, ends) => Some(Formula::from(&ends.is_final()).possible()),
            Self::Bounded(_)
            | Self::Reversible
            | Self::Live(..)
            | Self::Persistent
            | Self::Terminating
            | Self::Sound(..) => None,
        }
    }

    /// What it asks: a formula, or itself. That a place is not k-bounded names the place, so it stays what it is.
    pub(crate) fn query(&self) -> Query {
        let formula = self.formula().filter(|_| !matches!(self, Self::KBounded(..)));
        let query = formula.and_then(|formula| Query::classify(&formula, Logic::Ctl).ok());
        query.unwrap_or_else(|| Query::Named(self.clone()))
    }
}

impl Query {
    /// The query of a formula with the same meaning on this net, for a named property that has one.
    pub fn spelled_out(&self, model: &Model) -> Option<Self> {
        let Self::Named(property) = self else { return None };
        match (property, model) {
            (NamedProperty::Reversible, _) => {
                let home = NamedProperty::Home(initial_tokens(model));
                Some(home.query())
            }
            (NamedProperty::Persistent, Model::Plain(net)) => {
                Some(Self::Invariant(some_conflict(net)?.negate()))
            }
            _ => Self::classify(&property.formula()?, Logic::Ctl).ok(),
        }
    }
}

fn at_most(k: u64, places: &[PlaceId]) -> StatePredicate {
    let place = |&place| compare(Comparison::LessEqual, Expr::Tokens(vec![place]), k.into());
    StatePredicate::And(places.iter().map(place).collect())
}

/// That these are the tokens of a marking. The colours of a place stand together.
fn marking(tokens: &[(PlaceColours, u64)]) -> StatePredicate {
    let mut parts = Vec::new();
    let mut totals: Vec<(PlaceId, u128)> = Vec::new();
    for (some, count) in tokens {
        if !some.colours.is_any() {
            parts.push(compare(Comparison::Equal, Expr::ColourTokens(some.clone()), (*count).into()));
        }
        match totals.last_mut() {
            Some((place, total)) if *place == some.place => *total += u128::from(*count),
            _ => totals.push((some.place, (*count).into())),
        }
    }
    let total = |(place, total)| compare(Comparison::Equal, Expr::Tokens(vec![place]), total);
    parts.extend(totals.into_iter().map(total));
    StatePredicate::And(parts)
}

fn compare(how: Comparison, tokens: Expr, count: u128) -> StatePredicate {
    StateAtom::Compare(how, tokens, Expr::count(count)).into()
}

/// The tokens of each place in the initial marking, by colours on a coloured net.
fn initial_tokens(model: &Model) -> Vec<(PlaceColours, u64)> {
    let whole = |place, count| (PlaceColours { place, colours: Default::default() }, count);
    match model {
        Model::Plain(net) => {
            net.nodes().place_ids().map(|p| whole(p, net.initial_marking().tokens(p))).collect()
        }
        Model::Coloured(net) => {
            let of_place = |place| {
                let declared = net.place(place);
                let colour = move |(colour, count)| {
                    let colours = net.sorts().only(declared.sort, colour);
                    (PlaceColours { place, colours }, count)
                };
                let mut tokens: Vec<_> = declared.initial.iter().map(colour).collect();
                if tokens.is_empty() {
                    tokens.push(whole(place, 0));
                }
                tokens
            };
            net.nodes().place_ids().flat_map(of_place).collect()
        }
    }
}

/// That two transitions are enabled of which one disables the other; `None` if there are too many pairs.
fn some_conflict(net: &Net) -> Option<StatePredicate> {
    let mut touching: Vec<Vec<TransitionId>> = vec![Vec::new(); net.nodes().places.len()];
    for t in net.nodes().transition_ids() {
        for arc in net.pre(t).iter().chain(net.inhibitors(t)) {
            touching[arc.place.index()].push(t);
        }
    }
    let mut conflicts = Vec::new();
    for t in net.nodes().transition_ids() {
        let mut others: Vec<TransitionId> =
            net.changes(t).flat_map(|change| touching[change.place.index()].iter().copied()).collect();
        others.sort_unstable();
        others.dedup();
        for u in others.into_iter().filter(|&u| u != t) {
            let lost = disabling(net, t, u);
            if !lost.is_empty() {
                let enabled = |t| StateAtom::Fireable(vec![t]).into();
                conflicts.push(BoolTree::And(vec![enabled(t), enabled(u), BoolTree::Or(lost)]));
            }
            if conflicts.len() > MAX_CONFLICTS {
                return None;
            }
        }
    }
    Some(BoolTree::Or(conflicts))
}

/// The ways in which firing `t` disables `u`, if both are enabled.
fn disabling(net: &Net, t: TransitionId, u: TransitionId) -> Vec<StatePredicate> {
    let weight = |arcs: &[crate::Arc], place| {
        arcs.binary_search_by_key(&place, |arc| arc.place).ok().map(|at| u128::from(arcs[at].weight))
    };
    let mut ways = Vec::new();
    for change in net.changes(t) {
        let tokens = Expr::Tokens(vec![change.place]);
        let (takes, gives) = (u128::from(change.takes), u128::from(change.gives));
        if let Some(needs) = weight(net.pre(u), change.place).filter(|_| takes > gives) {
            ways.push(compare(Comparison::Less, tokens.clone(), needs + takes - gives));
        }
        if let Some(limit) = weight(net.inhibitors(u), change.place).filter(|_| gives > takes) {
            // At most the tokens that are added are missing to the limit.
            ways.push(compare(
                Comparison::GreaterEqual,
                Expr::Sum(vec![tokens, Expr::count(gives - takes)]),
                limit,
            ));
        }
    }
    ways
}
