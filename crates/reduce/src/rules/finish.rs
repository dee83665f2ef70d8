//! The reduced net, and queries about it.

use fireset_net::{BuildError, Expr, Formula, Net, NetBuilder, Nupn, PlaceId, Query, TransitionId, Unit};

use super::draft::{Draft, Fate};

/// Where the nodes of the larger net are in the smaller one.
#[derive(Clone, Debug)]
pub(super) struct Renaming {
    places: Vec<Option<PlaceId>>,
    transitions: Vec<Option<TransitionId>>,
}

/// The net that a draft has become. Nodes keep their order and their names; a transition that stands for several firings
/// is called after the first and the last of them.
pub(super) fn build(draft: &Draft, net: &Net) -> Result<(Net, Renaming), BuildError> {
    let nodes = net.nodes();
    let mut builder = NetBuilder::new(net.name.clone());
    let (places, transitions) = draft.sizes();
    let mut renaming = Renaming { places: vec![None; places], transitions: vec![None; transitions] };
    for p in draft.places() {
        let id = builder.place(nodes.place(p), draft.initial(p))?;
        builder.nodes_mut().places.set_label(id.index(), nodes.places.label(p.index()));
        renaming.places[p.index()] = Some(id);
    }
    for t in draft.transitions() {
        let id = if t.index() < nodes.transitions.len() {
            let id = builder.transition(nodes.transition(t))?;
            builder.nodes_mut().transitions.set_label(id.index(), nodes.transitions.label(t.index()));
            id
        } else {
            let (first, last) = draft.words.ends(draft.word(t));
            let name = format!("{}+{}", nodes.transition(first), nodes.transition(last));
            builder.transition(&name).or_else(|_| builder.transition(&format!("{name}#{}", t.index())))?
        };
        renaming.transitions[t.index()] = Some(id);
        let arcs = draft.arcs(t);
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
        renaming.transitions[t.index()] = renaming.transitions[heir(draft, t).index()];
    }
    renaming.transitions.truncate(nodes.transitions.len());
    builder.nupn = net.nupn().map(|nupn| renaming.units(nupn));
    Ok((builder.build()?, renaming))
}

/// The transition that fires exactly when this one did.
fn heir(draft: &Draft, mut transition: TransitionId) -> TransitionId {
    while let Fate::SameAs(other) = draft.fate(transition) {
        transition = other;
    }
    transition
}

impl Renaming {
    fn place(&self, place: PlaceId) -> PlaceId {
        self.places[place.index()].expect("what is counted stays, and arcs lead to what stays")
    }

    /// What places of the smaller net are called in the larger one.
    pub(super) fn query(&self, query: &Query) -> Query {
        match query {
            Query::Reachable(f) => Query::Reachable(self.formula(f.clone())),
            Query::Invariant(f) => Query::Invariant(self.formula(f.clone())),
            Query::Ctl(f) => Query::Ctl(self.formula(f.clone())),
            Query::Ltl(quantifier, f) => Query::Ltl(*quantifier, self.formula(f.clone())),
            Query::Bound(places) => Query::Bound(places.iter().map(|&p| self.place(p)).collect()),
            Query::Global(global) => Query::Global(*global),
        }
    }

    /// A formula about the smaller net. It has the same shape, but a transition that never fires is left out.
    pub(super) fn formula(&self, formula: Formula) -> Formula {
        match formula {
            Formula::Compare(how, a, b) => Formula::Compare(how, self.expr(a), self.expr(b)),
            Formula::Fireable(ts) => {
                let stay: Vec<TransitionId> = ts.iter().filter_map(|t| self.transitions[t.index()]).collect();
                if stay.is_empty() { Formula::Constant(false) } else { Formula::Fireable(stay) }
            }
            other => other.map_children(&mut |child| self.formula(child)),
        }
    }

    fn expr(&self, expr: Expr) -> Expr {
        let all = |terms: Vec<Expr>| terms.into_iter().map(|term| self.expr(term)).collect();
        match expr {
            Expr::Constant(n) => Expr::Constant(n),
            Expr::Tokens(places) => Expr::Tokens(places.into_iter().map(|p| self.place(p)).collect()),
            Expr::Sum(terms) => Expr::Sum(all(terms)),
            Expr::Product(factors) => Expr::Product(all(factors)),
            Expr::Difference(a, b) => Expr::Difference(Box::new(self.expr(*a)), Box::new(self.expr(*b))),
        }
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
