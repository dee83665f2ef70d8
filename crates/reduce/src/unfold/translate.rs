//! Queries about a coloured net as queries about its unfolding.
//!
//! A place's tokens are those of its colours together, and a transition can fire when one of its bindings can; where a query
//! names colours, when one of these bindings can. Colours that are never reached count nothing. The
//! properties of the whole net speak of coloured places and transitions, so they become several queries
//! ([`crate::decomposition`]).

use fireset_net::{
    Budget, Expr, Global, Net, PlaceId, Query, StateAtom, StatePredicate, TransitionId,
    coloured::{BindingPattern, Colour, ColouredNet, PlaceColours},
};

use super::{UnfoldingMap, binding_matches, classes::Observed};
use crate::{
    decomposition::{Decomposition, GlobalScope, PlaceSum, decompose},
    join::VerdictJoin,
};

/// What a set of queries can tell apart.
pub(super) fn observed(net: &ColouredNet, queries: &[Query]) -> Observed {
    let mut observed = Observed::nothing(net);
    for query in queries {
        match query {
            Query::Bound(places) => observed.see_places(places.iter().copied()),
            Query::ColourBound(tokens) => tokens.iter().for_each(|some| observed.see_colours(some)),
            Query::Global(Global::OneSafe | Global::StableMarking | Global::StateSpace) => {
                observed.see_places(net.nodes().place_ids());
            }
            Query::Global(Global::QuasiLiveness | Global::Liveness) => {
                observed.see_transitions(net.nodes().transition_ids());
            }
            formula => formula.state_atoms(&mut |atom| match atom {
                StateAtom::Deadlock => {}
                StateAtom::Fireable(ts) => observed.see_transitions(ts.iter().copied()),
                StateAtom::BindingFireable(bindings) => observed.see_bindings(bindings),
                StateAtom::Compare(_, a, b) => [a, b].into_iter().for_each(|side| observed.see_counts(side)),
            }),
        }
    }
    observed
}

impl Observed {
    fn see_places(&mut self, places: impl Iterator<Item = PlaceId>) {
        places.for_each(|place| self.places[place.index()] = place.index() as u32 + 1);
    }

    fn see_transitions(&mut self, transitions: impl Iterator<Item = TransitionId>) {
        transitions.for_each(|t| self.transitions[t.index()] = t.index() as u32 + 1);
    }

    fn see_colours(&mut self, tokens: &PlaceColours) {
        if !self.tokens.contains(tokens) {
            self.tokens.push(tokens.clone());
        }
    }

    fn see_bindings(&mut self, bindings: &BindingPattern) {
        if !self.bindings.contains(bindings) {
            self.bindings.push(bindings.clone());
        }
    }

    fn see_counts(&mut self, expr: &Expr) {
        match expr {
            Expr::Constant(_) => {}
            Expr::Tokens(places) => self.see_places(places.iter().copied()),
            Expr::ColourTokens(some) => self.see_colours(some),
            Expr::Sum(terms) | Expr::Product(terms) => terms.iter().for_each(|term| self.see_counts(term)),
            Expr::Difference(a, b) => {
                self.see_counts(a);
                self.see_counts(b);
            }
        }
    }
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
            Query::ColourBound(tokens) => {
                same(Query::Bound(tokens.iter().flat_map(|some| self.places_of(some)).collect()))
            }
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

    /// The places that stand for some colours of a coloured place. A class of tokens is within these colours or outside of them,
    /// because the query tells the two apart; and a class within them has no token of another coloured place.
    fn places_of<'m>(&'m self, some: &'m PlaceColours) -> impl Iterator<Item = PlaceId> + 'm {
        let places = self.places[some.place.index()].iter().copied();
        places.filter(|place| some.colours.matches(self.colours[place.index()]))
    }

    /// The tokens of some colours that never change.
    pub(super) fn constant_among(&self, some: &PlaceColours) -> u128 {
        let is_meant =
            |(place, colour): (PlaceId, Colour)| place == some.place && some.colours.matches(colour);
        let meant = self.constant_tokens.iter().filter(|(token, _)| is_meant(*token));
        meant.map(|&(_, count)| u128::from(count)).sum()
    }

    /// The transitions that stand for one of these bindings, or for several.
    fn transitions_of(&self, some: &BindingPattern) -> Vec<TransitionId> {
        let is_meant = |&member: &u32| {
            let at = member as usize;
            self.bindings.transitions[at] == some.transition()
                && binding_matches(self.folded.as_ref(), some, &self.bindings.colours[at])
        };
        let all = self.transitions[some.transition().index()].iter().copied();
        all.filter(|t| self.members[t.index()].iter().any(is_meant)).collect()
    }

    /// An atom about the coloured net as one about its unfolding.
    pub(super) fn atom(&self, atom: &StateAtom) -> StatePredicate {
        match atom {
            StateAtom::Deadlock => StateAtom::Deadlock,
            StateAtom::Fireable(ts) => {
                StateAtom::Fireable(ts.iter().flat_map(|t| &self.transitions[t.index()]).copied().collect())
            }
            StateAtom::BindingFireable(some) => StateAtom::Fireable(self.transitions_of(some)),
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
                let constants: Vec<Expr> = constants.map(Expr::count).collect();
                if constants.is_empty() {
                    return tokens;
                }
                Expr::Sum([vec![tokens], constants].concat())
            }
            Expr::ColourTokens(some) => {
                let tokens = Expr::Tokens(self.places_of(some).collect());
                match self.constant_among(some) {
                    0 => tokens,
                    more => Expr::Sum(vec![tokens, Expr::count(more)]),
                }
            }
            Expr::Sum(terms) => Expr::Sum(each(terms)),
            Expr::Product(terms) => Expr::Product(each(terms)),
            Expr::Difference(a, b) => Expr::Difference(Box::new(self.expr(a)), Box::new(self.expr(b))),
        }
    }
}
