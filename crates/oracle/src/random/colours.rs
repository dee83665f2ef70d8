//! Random questions about colours: queries whose atoms name colours of places and bindings of transitions.

use super::{TestRng, query};
use fireset_net::{
    BoolTree, Expr, PlaceId, Query, SortId, StateAtom, StatePredicate, TransitionId,
    coloured::{BindingPattern, Colour, ColourPattern, ColouredNet, PlaceColours},
};

/// A query of any kind about a coloured net, most of whose atoms name colours.
pub fn coloured_query(random: &mut TestRng, net: &ColouredNet, depth: usize) -> Query {
    let query = query(random, net.nodes(), depth);
    with_colours(random, net, &query)
}

/// The same query with colours at most of the places and transitions that it names.
pub fn with_colours(random: &mut TestRng, net: &ColouredNet, query: &Query) -> Query {
    match query {
        Query::Bound(places) => {
            Query::ColourBound(places.iter().map(|&place| place_colours(random, net, place)).collect())
        }
        other => other.map_state_atoms(&mut |atom| coloured_atom(random, net, atom)),
    }
}

fn coloured_atom(random: &mut TestRng, net: &ColouredNet, atom: &StateAtom) -> StatePredicate {
    match atom {
        StateAtom::Fireable(ts) if random.percent(80) => {
            let each = |&t: &TransitionId| StateAtom::BindingFireable(bindings(random, net, t)).into();
            BoolTree::Or(ts.iter().map(each).collect())
        }
        StateAtom::Compare(how, a, b) => {
            let (a, b) = (coloured_expr(random, net, a), coloured_expr(random, net, b));
            StateAtom::Compare(*how, a, b).into()
        }
        other => other.clone().into(),
    }
}

fn coloured_expr(random: &mut TestRng, net: &ColouredNet, expr: &Expr) -> Expr {
    let mut each = |terms: &[Expr]| terms.iter().map(|term| coloured_expr(random, net, term)).collect();
    match expr {
        Expr::Sum(terms) => Expr::Sum(each(terms)),
        Expr::Product(terms) => Expr::Product(each(terms)),
        Expr::Difference(a, b) => {
            let (a, b) = (coloured_expr(random, net, a), coloured_expr(random, net, b));
            Expr::Difference(Box::new(a), Box::new(b))
        }
        Expr::Tokens(places) if random.percent(80) => {
            let some = |&place: &PlaceId| Expr::ColourTokens(place_colours(random, net, place));
            Expr::Sum(places.iter().map(some).collect())
        }
        other => other.clone(),
    }
}

/// Tokens of some colours in a place.
pub fn place_colours(random: &mut TestRng, net: &ColouredNet, place: PlaceId) -> PlaceColours {
    PlaceColours { place, colours: colours(random, net, net.place(place).sort) }
}

/// Some bindings of a transition.
pub fn bindings(random: &mut TestRng, net: &ColouredNet, transition: TransitionId) -> BindingPattern {
    let mut fixed = Vec::new();
    for &variable in net.variables_of(transition) {
        if random.percent(60) {
            fixed.push((variable, colours(random, net, net.variable(variable).sort)));
        }
    }
    BindingPattern::new(net, transition, fixed).expect("the transition's own variables")
}

/// Some colours of a sort: a colour for most of the components.
fn colours(random: &mut TestRng, net: &ColouredNet, sort: SortId) -> ColourPattern {
    let sorts = net.sorts();
    let mut components = Vec::new();
    for part in sorts.flat_components(sort) {
        let colour = Colour(random.within(0, sorts[part].size() - 1));
        components.push(random.percent(75).then_some(colour));
    }
    sorts.pattern(sort, &components).expect("a colour of each component's sort")
}
