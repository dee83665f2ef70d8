//! Queries about a coloured net as queries about its unfolding.
//!
//! A place's tokens are those of its colours together, and a transition can fire when one of its bindings can. The
//! properties of the whole net speak of coloured places and transitions, so they become several queries
//! ([`crate::decomposition`]).

use fireset_net::{
    Budget, Expr, Global, Net, PlaceId, Query, StateAtom, StatePredicate, TransitionId, coloured::ColouredNet,
};

use super::{UnfoldingMap, classes::Observed};
use crate::{
    decomposition::{Decomposition, GlobalScope, PlaceSum, constant, decompose},
    join::VerdictJoin,
};

/// What a set of queries can tell apart.
pub(super) fn observed(net: &ColouredNet, queries: &[Query]) -> Observed {
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
            formula => formula.state_atoms(&mut |atom| match atom {
                StateAtom::Deadlock => {}
                StateAtom::Fireable(ts) => ts.iter().copied().for_each(&mut transition),
                StateAtom::Compare(_, a, b) => {
                    a.places(&mut place);
                    b.places(&mut place);
                }
            }),
        }
    }
    observed
}

impl UnfoldingMap {
    /// The queries that a query becomes. The unfolding keeps what the query can tell apart.
    pub(super) fn translate(&self, net: &Net, query: &Query, budget: &Budget) -> Decomposition {
        let same = |query: Query| Decomposition {
            join: VerdictJoin::Same,
            parts: vec![query],
            unasked: 0,
            witness: None,
        };
        match query {
            Query::Bound(places) => same(Query::Bound(self.all_of(places))),
            Query::Global(Global::StableMarking) if self.balanced.contains(&true) => {
                same(Query::Invariant(StatePredicate::Constant(true)))
            }
            Query::Global(global) => {
                let division = decompose(net, &self.scope(), *global, budget);
                division.unwrap_or_else(|| same(query.clone()))
            }
            formula => same(formula.map_state_atoms(&mut |atom| self.atom(atom))),
        }
    }

    /// The coloured places and transitions.
    fn scope(&self) -> GlobalScope {
        let pool = |(places, constant): (&Vec<PlaceId>, &u128)| PlaceSum {
            places: places.clone(),
            constant: *constant,
        };
        GlobalScope {
            places: self.places.iter().zip(&self.constant).map(pool).collect(),
            transitions: self.transitions.clone(),
        }
    }

    /// The places of some coloured places, each as often as it is named.
    fn all_of(&self, places: &[PlaceId]) -> Vec<PlaceId> {
        places.iter().flat_map(|place| &self.places[place.index()]).copied().collect()
    }

    /// The tokens on some coloured places that never change.
    pub(super) fn constant_of(&self, places: &[PlaceId]) -> u128 {
        places.iter().map(|place| self.constant[place.index()]).sum()
    }

    /// An atom about the coloured net as one about its unfolding.
    pub(super) fn atom(&self, atom: &StateAtom) -> StatePredicate {
        match atom {
            StateAtom::Deadlock => StateAtom::Deadlock,
            StateAtom::Fireable(ts) => {
                StateAtom::Fireable(ts.iter().flat_map(|t| &self.transitions[t.index()]).copied().collect())
            }
            StateAtom::Compare(how, a, b) => StateAtom::Compare(*how, self.expr(a), self.expr(b)),
        }
        .into()
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
