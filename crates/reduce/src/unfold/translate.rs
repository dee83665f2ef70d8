//! Queries about a coloured net as queries about its unfolding.
//!
//! A place's tokens are those of its colours together, and a transition can fire when one of its bindings can. The
//! properties of the whole net speak of coloured places and transitions, so they become several queries:
//!
//! | asked | becomes |
//! |---|---|
//! | one-safe | in every marking each coloured place has at most one token |
//! | stable marking | some coloured place has the same number of tokens in every marking: one query a place |
//! | quasi-liveness | every coloured transition can fire: one query a transition |
//! | liveness | every coloured transition can always fire again, in CTL; before that, that each can fire and nothing is stuck |

use fireset_net::{
    Comparison, Expr, Formula, Global, PlaceId, Query, TransitionId, Verdict, colored::ColoredNet,
};

use super::{Legend, classes::Observed};

/// How the answers to several queries make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    /// There is one, and its answer it is.
    Same,
    /// It holds where all hold.
    All,
    /// It holds where some holds.
    Some,
}

impl Join {
    /// The answer of one query that decides the whole at once.
    pub(super) fn decides(self, verdict: &Verdict) -> bool {
        match self {
            Self::Same => true,
            Self::All => *verdict == Verdict::Fails,
            Self::Some => *verdict == Verdict::Holds,
        }
    }
}

/// What a set of queries can tell apart.
pub(super) fn observed(net: &ColoredNet, queries: &[Query]) -> Observed {
    let mut observed = Observed::nothing(net);
    let mut place = |place: PlaceId| observed.places[place.index()] = place.index() as u32 + 1;
    let mut transition = |t: TransitionId| observed.transitions[t.index()] = t.index() as u32 + 1;
    for query in queries {
        match query {
            Query::Bound(places) => places.iter().copied().for_each(&mut place),
            Query::Global(Global::OneSafe | Global::StableMarking | Global::StateSpace) => {
                net.nodes().place_ids().for_each(&mut place);
            }
            Query::Global(Global::QuasiLiveness | Global::Liveness) => {
                net.nodes().transition_ids().for_each(&mut transition);
            }
            Query::Reachable(f) | Query::Invariant(f) | Query::Ctl(f) | Query::Ltl(_, f) => {
                atoms(f, &mut place, &mut transition);
            }
        }
    }
    observed
}

/// Calls `place` and `transition` with those that a formula speaks of.
fn atoms(f: &Formula, place: &mut impl FnMut(PlaceId), transition: &mut impl FnMut(TransitionId)) {
    match f {
        Formula::Fireable(ts) => ts.iter().copied().for_each(transition),
        Formula::Compare(_, a, b) => {
            a.places(place);
            b.places(place);
        }
        other => other.children().for_each(|child| atoms(child, place, transition)),
    }
}

impl Legend {
    /// The queries that a query becomes. The unfolding keeps what the query can tell apart.
    pub(super) fn translate(&self, net: &ColoredNet, query: &Query) -> (Join, Vec<Query>) {
        let same = |query: Query| (Join::Same, vec![query]);
        match query {
            Query::Reachable(f) => same(Query::Reachable(self.formula(f))),
            Query::Invariant(f) => same(Query::Invariant(self.formula(f))),
            Query::Ctl(f) => same(Query::Ctl(self.formula(f))),
            Query::Ltl(quantifier, f) => same(Query::Ltl(*quantifier, self.formula(f))),
            Query::Bound(places) => same(Query::Bound(self.all_of(places))),
            Query::Global(Global::StateSpace) => same(Query::Global(Global::StateSpace)),
            Query::Global(Global::OneSafe) => {
                let safe = |place| self.compare(place, Comparison::LessEqual, Expr::Constant(1));
                same(Query::Invariant(Formula::And(self.coloured_places().map(safe).collect())))
            }
            Query::Global(Global::StableMarking) => self.stable_marking(net),
            Query::Global(Global::QuasiLiveness) => (Join::All, self.each_can_fire().collect()),
            Query::Global(Global::Liveness) => {
                let again =
                    |ts: &Vec<TransitionId>| Query::Ctl(Formula::Fireable(ts.clone()).possible().invariant());
                let stuck = (!self.transitions.is_empty())
                    .then(|| Query::Invariant(Formula::Not(Box::new(Formula::Deadlock))));
                let before = self.each_can_fire().chain(stuck);
                (Join::All, before.chain(self.transitions.iter().map(again)).collect())
            }
        }
    }

    fn coloured_places(&self) -> impl Iterator<Item = PlaceId> {
        PlaceId::first(self.places.len())
    }

    fn each_can_fire(&self) -> impl Iterator<Item = Query> {
        self.transitions.iter().map(|ts| Query::Reachable(Formula::Fireable(ts.clone())))
    }

    fn stable_marking(&self, net: &ColoredNet) -> (Join, Vec<Query>) {
        if self.balanced.contains(&true) {
            return (Join::Same, vec![Query::Invariant(Formula::Constant(true))]);
        }
        let stays = |place: PlaceId| {
            let initial = constant(net.place(place).initial.total());
            Query::Invariant(self.compare(place, Comparison::Equal, initial))
        };
        (Join::Some, self.coloured_places().map(stays).collect())
    }

    fn compare(&self, place: PlaceId, how: Comparison, other: Expr) -> Formula {
        Formula::Compare(how, self.expr(&Expr::Tokens(vec![place])), other)
    }

    /// The places of some coloured places, each as often as it is named.
    fn all_of(&self, places: &[PlaceId]) -> Vec<PlaceId> {
        places.iter().flat_map(|place| &self.places[place.index()]).copied().collect()
    }

    /// The tokens on some coloured places that never change.
    pub(super) fn constant_of(&self, places: &[PlaceId]) -> u128 {
        places.iter().map(|place| self.constant[place.index()]).sum()
    }

    /// A formula about the coloured net as one about its unfolding.
    pub(super) fn formula(&self, formula: &Formula) -> Formula {
        match formula {
            Formula::Fireable(ts) => {
                Formula::Fireable(ts.iter().flat_map(|t| &self.transitions[t.index()]).copied().collect())
            }
            Formula::Compare(how, a, b) => Formula::Compare(*how, self.expr(a), self.expr(b)),
            other => other.clone().map_children(&mut |child| self.formula(&child)),
        }
    }

    fn expr(&self, expr: &Expr) -> Expr {
        let each = |terms: &[Expr]| terms.iter().map(|term| self.expr(term)).collect();
        match expr {
            Expr::Constant(n) => Expr::Constant(*n),
            Expr::Tokens(places) => {
                let tokens = Expr::Tokens(self.all_of(places));
                let constants = places.iter().map(|p| self.constant[p.index()]).filter(|&n| n > 0);
                let constants: Vec<Expr> = constants.map(constant).collect();
                if constants.is_empty() {
                    return tokens;
                }
                Expr::Sum([vec![tokens], constants].concat())
            }
            Expr::Sum(terms) => Expr::Sum(each(terms)),
            Expr::Product(terms) => Expr::Product(each(terms)),
            Expr::Difference(a, b) => Expr::Difference(Box::new(self.expr(a)), Box::new(self.expr(b))),
        }
    }
}

/// A token count as an expression; one that does not fit into a constant is a sum.
fn constant(tokens: u128) -> Expr {
    match i64::try_from(tokens) {
        Ok(n) => Expr::Constant(n),
        Err(_) => Expr::Sum(vec![Expr::Constant(i64::MAX), constant(tokens - i64::MAX as u128)]),
    }
}
