//! The reduced net, and queries about it.

use std::collections::HashMap;

use fireset_net::{
    Arc, BuildError, Comparison, Expr, Net, NetBuilder, Nupn, PlaceId, Query, StateAtom, StatePredicate,
    TransitionId, Unit,
};

use super::{
    arcs::TransitionArcs,
    mutable_net::{Fate, MutableNet, SubstitutedPlace},
};

/// Where the nodes of the larger net are in the smaller one.
#[derive(Clone, Debug)]
pub(super) struct Renaming {
    places: Vec<Option<PlaceId>>,
    substituted: HashMap<PlaceId, SubstitutedPlace>,
    transitions: Vec<Enabling>,
}

/// When a transition of the larger net can fire.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Enabling {
    /// When this one of the smaller net can.
    Like(TransitionId),
    /// When these arcs allow it; they are still those of the larger net.
    Guarded(TransitionArcs),
    Never,
}

/// The finished net. Nodes keep their order and their names; a transition that stands for several firings
/// is called after the first and the last of them.
pub(super) fn build(net: &MutableNet, original: &Net) -> Result<(Net, Renaming), BuildError> {
    let nodes = original.nodes();
    let mut builder = NetBuilder::new(original.name.clone());
    let (places, transitions) = net.sizes();
    let substituted = net.substituted.clone();
    let mut renaming = Renaming { places: vec![None; places], substituted, transitions: Vec::new() };
    let mut new_ids = vec![None; transitions];
    for p in net.places() {
        let id = builder.place(nodes.place(p), net.initial(p))?;
        builder.nodes_mut().places.set_label(id.index(), nodes.places.label(p.index()));
        renaming.places[p.index()] = Some(id);
    }
    for t in net.transitions() {
        let id = if t.index() < nodes.transitions.len() {
            let id = builder.transition(nodes.transition(t))?;
            builder.nodes_mut().transitions.set_label(id.index(), nodes.transitions.label(t.index()));
            id
        } else {
            let (first, last) = net.sequences.ends(net.sequence(t));
            let name = format!("{}+{}", nodes.transition(first), nodes.transition(last));
            builder.transition(&name).or_else(|_| builder.transition(&format!("{name}#{}", t.index())))?
        };
        new_ids[t.index()] = Some(id);
        let arcs = net.arcs(t);
        for arc in &arcs.pre {
            builder.input(renaming.place(arc.place), id, arc.weight);
        }
        for arc in &arcs.post {
            builder.output(id, renaming.place(arc.place), arc.weight);
        }
        for arc in &arcs.inhibitors {
            builder.inhibitor(renaming.place(arc.place), id, arc.weight);
        }
    }
    for t in nodes.transition_ids() {
        let heir = heir(net, t);
        renaming.transitions.push(match (new_ids[heir.index()], net.fate(heir)) {
            (Some(id), _) => Enabling::Like(id),
            (None, Fate::Dead) => Enabling::Never,
            (None, _) => Enabling::Guarded(net.arcs(heir).clone()),
        });
    }
    builder.nupn = original.nupn().map(|nupn| renaming.units(nupn));
    Ok((builder.build()?, renaming))
}

/// The transition that fires exactly when this one did.
fn heir(net: &MutableNet, mut transition: TransitionId) -> TransitionId {
    while let Fate::SameAs(other) = net.fate(transition) {
        transition = other;
    }
    transition
}

impl Renaming {
    /// The place of the smaller net. Invariants 1 of `mutable_net` and 2 of the module: places with arcs or that are counted
    /// stay, or have been substituted before.
    fn place(&self, place: PlaceId) -> PlaceId {
        self.places[place.index()].expect("what is counted stays, and arcs lead to what stays")
    }

    /// A query about the smaller net.
    pub(super) fn query(&self, query: &Query) -> Query {
        match query {
            // Nothing stands for their tokens but they themselves.
            Query::Bound(places) => Query::Bound(places.iter().map(|&p| self.place(p)).collect()),
            other => other.map_state_atoms(&mut |atom| self.atom(atom)),
        }
    }

    /// An atom about the smaller net; transitions that are not there any more become comparisons of their input places.
    pub(super) fn atom(&self, atom: &StateAtom) -> StatePredicate {
        match atom {
            StateAtom::Deadlock => StateAtom::Deadlock.into(),
            StateAtom::Compare(how, a, b) => StateAtom::Compare(*how, self.expr(a), self.expr(b)).into(),
            // Only the questions of a coloured net name colours, and no rule reduces one.
            StateAtom::BindingFireable(_) => atom.clone().into(),
            StateAtom::Fireable(ts) => {
                let (mut stay, mut any) = (Vec::new(), Vec::new());
                for t in ts {
                    match &self.transitions[t.index()] {
                        Enabling::Like(id) => stay.push(*id),
                        Enabling::Guarded(arcs) => any.push(self.guard(arcs)),
                        Enabling::Never => {}
                    }
                }
                if !stay.is_empty() {
                    any.push(StateAtom::Fireable(stay).into());
                }
                match any.len() {
                    0 => StatePredicate::Constant(false),
                    1 => any.remove(0),
                    _ => StatePredicate::Or(any),
                }
            }
        }
    }

    /// The condition that arcs let a transition fire.
    fn guard(&self, arcs: &TransitionArcs) -> StatePredicate {
        let compare = |how, arc: &Arc| {
            let weight = i64::try_from(arc.weight).expect("a transition with larger weights is fixed");
            StateAtom::Compare(how, self.tokens(&[arc.place]), Expr::Constant(weight)).into()
        };
        let marked = arcs.pre.iter().map(|arc| compare(Comparison::GreaterEqual, arc));
        let unblocked = arcs.inhibitors.iter().map(|arc| compare(Comparison::Less, arc));
        StatePredicate::And(marked.chain(unblocked).collect())
    }

    fn expr(&self, expr: &Expr) -> Expr {
        let all = |terms: &[Expr]| terms.iter().map(|term| self.expr(term)).collect();
        match expr {
            Expr::Constant(_) | Expr::ColourTokens(_) => expr.clone(),
            Expr::Tokens(places) => self.tokens(places),
            Expr::Sum(terms) => Expr::Sum(all(terms)),
            Expr::Product(factors) => Expr::Product(all(factors)),
            Expr::Difference(a, b) => Expr::Difference(Box::new(self.expr(a)), Box::new(self.expr(b))),
        }
    }

    /// The tokens of some places together.
    fn tokens(&self, places: &[PlaceId]) -> Expr {
        let (mut stay, mut offset) = (Vec::new(), 0i64);
        for &place in places {
            let mut now = Some(place);
            while let Some(substitution) = now.and_then(|place| self.substituted.get(&place)) {
                now = substitution.place;
                offset = offset.saturating_add(substitution.offset);
            }
            stay.extend(now.map(|place| self.place(place)));
        }
        let stay = Expr::Tokens(stay);
        if offset == 0 { stay } else { Expr::Sum(vec![stay, Expr::Constant(offset)]) }
    }

    /// The units with the places that stay. What was safe stays safe: no rule adds a marking.
    fn units(&self, nupn: &Nupn) -> Nupn {
        let unit = |unit: &Unit| Unit {
            places: unit.places.iter().filter_map(|p| self.places[p.index()]).collect(),
            ..unit.clone()
        };
        Nupn { units: nupn.units.iter().map(unit).collect(), ..nupn.clone() }
    }
}
