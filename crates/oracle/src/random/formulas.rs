//! Random formulas and queries over the nodes of a net. `depth` bounds how deep a formula nests.

use super::TestRng;
use crate::query::typed;
use fireset_net::{
    Comparison, CtlFormula, CtlStarFormula, Expr, Formula, Global, Logic, Nodes, PathFormula, PlaceId,
    Property, Quantifier, Query, StatePredicate, TransitionId,
};

/// A Boolean combination of atoms: comparisons, fireability, deadlock and constants.
pub fn predicate(random: &mut TestRng, nodes: &Nodes, depth: usize) -> StatePredicate {
    typed(combine(random, nodes, depth, &mut |_, _| None))
}

/// A CTL formula with all operators.
pub fn ctl(random: &mut TestRng, nodes: &Nodes, depth: usize) -> CtlFormula {
    typed(branching(random, nodes, depth))
}

/// A formula of CTL* about markings with at most `most` temporal operators. Some are CTL or LTL.
pub fn ctl_star(random: &mut TestRng, nodes: &Nodes, depth: usize, most: usize) -> CtlStarFormula {
    loop {
        let drawn = mixed(random, nodes, depth);
        if (1..=most).contains(&drawn.temporal_operators()) {
            return typed::<CtlStarFormula>(drawn).of_markings();
        }
    }
}

/// An LTL formula with all operators.
pub fn path(random: &mut TestRng, nodes: &Nodes, depth: usize) -> PathFormula {
    typed(linear(random, nodes, depth))
}

/// An LTL formula whose temporal operators nest exactly so deep. It has at most two more of them, because
/// the oracle and the automata take time in their number.
pub fn nested_path(random: &mut TestRng, nodes: &Nodes, nesting: usize) -> PathFormula {
    typed(nested(random, nodes, nesting, linear))
}

/// The same for a CTL formula.
pub fn nested_ctl(random: &mut TestRng, nodes: &Nodes, nesting: usize) -> CtlFormula {
    typed(nested(random, nodes, nesting, branching))
}

fn branching(random: &mut TestRng, nodes: &Nodes, depth: usize) -> Formula {
    combine(random, nodes, depth, &mut |random, depth| {
        let path = temporal(random, &mut |random| branching(random, nodes, depth - 1));
        Some(quantify(random, path))
    })
}

fn linear(random: &mut TestRng, nodes: &Nodes, depth: usize) -> Formula {
    combine(random, nodes, depth, &mut |random, depth| {
        Some(temporal(random, &mut |random| linear(random, nodes, depth - 1)))
    })
}

fn mixed(random: &mut TestRng, nodes: &Nodes, depth: usize) -> Formula {
    combine(random, nodes, depth, &mut |random, depth| {
        if random.percent(35) {
            let path = mixed(random, nodes, depth - 1);
            return Some(quantify(random, path));
        }
        let path = temporal(random, &mut |random| mixed(random, nodes, depth - 1));
        Some(if random.percent(25) { quantify(random, path) } else { path })
    })
}

fn nested(
    random: &mut TestRng,
    nodes: &Nodes,
    nesting: usize,
    draw: fn(&mut TestRng, &Nodes, usize) -> Formula,
) -> Formula {
    loop {
        let drawn = draw(random, nodes, nesting + 1);
        if drawn.temporal_depth() == nesting && drawn.temporal_operators() <= nesting + 2 {
            return drawn;
        }
    }
}

/// A query of any kind.
pub fn query(random: &mut TestRng, nodes: &Nodes, depth: usize) -> Query {
    match random.below(6) {
        0 => Query::Reachable(predicate(random, nodes, depth)),
        1 => Query::Invariant(predicate(random, nodes, depth)),
        2 => Query::Ctl(ctl(random, nodes, depth)),
        3 => {
            let quantifier = *random.pick(&[Quantifier::ForAll, Quantifier::Exists]);
            Query::Ltl(quantifier, path(random, nodes, depth))
        }
        4 => Query::Bound(some_places(random, nodes)),
        _ => Query::Global(*random.pick(&[
            Global::StateSpace,
            Global::OneSafe,
            Global::StableMarking,
            Global::QuasiLiveness,
            Global::Liveness,
        ])),
    }
}

/// A named property of any kind.
pub fn property(random: &mut TestRng, nodes: &Nodes, name: &str, depth: usize) -> Property {
    let query = query(random, nodes, depth);
    let logic = if matches!(query, Query::Ltl(..)) { Logic::Ltl } else { Logic::Ctl };
    let formula = query.formula();
    Property { name: name.into(), formula, logic }
}

/// A Boolean combination of atoms and of formulas from `other`, which gets the remaining depth.
fn combine(
    random: &mut TestRng,
    nodes: &Nodes,
    depth: usize,
    other: &mut dyn FnMut(&mut TestRng, usize) -> Option<Formula>,
) -> Formula {
    if depth == 0 {
        return atom(random, nodes);
    }
    let mut sub = |random: &mut TestRng| combine(random, nodes, depth - 1, other);
    match random.below(10) {
        0 => atom(random, nodes),
        1 => Formula::Not(Box::new(sub(random))),
        2 => Formula::And((0..random.below(4)).map(|_| sub(random)).collect()),
        3 => Formula::Or((0..random.below(4)).map(|_| sub(random)).collect()),
        4 => Formula::Iff(Box::new(sub(random)), Box::new(sub(random))),
        _ => other(random, depth).unwrap_or_else(|| combine(random, nodes, depth - 1, other)),
    }
}

pub(super) fn temporal(random: &mut TestRng, sub: &mut dyn FnMut(&mut TestRng) -> Formula) -> Formula {
    let first = Box::new(sub(random));
    match random.below(7) {
        0 => Formula::Next(first),
        1 => Formula::Finally(first),
        2 => Formula::Globally(first),
        3 => Formula::Release(first, Box::new(sub(random))),
        4 => Formula::WeakUntil(first, Box::new(sub(random))),
        _ => Formula::Until(first, Box::new(sub(random))),
    }
}

fn quantify(random: &mut TestRng, path: Formula) -> Formula {
    if random.percent(50) { Formula::Exists(Box::new(path)) } else { Formula::ForAll(Box::new(path)) }
}

pub(super) fn atom(random: &mut TestRng, nodes: &Nodes) -> Formula {
    match random.below(10) {
        0 => Formula::Constant(random.percent(50)),
        1 => Formula::Deadlock,
        2..=4 => {
            let all: Vec<TransitionId> = nodes.transition_ids().collect();
            Formula::Fireable((0..random.within(1, 2)).map(|_| *random.pick(&all)).collect())
        }
        _ => {
            let how = *random.pick(&Comparison::ALL);
            Formula::Compare(how, expr(random, nodes, 1), expr(random, nodes, 1))
        }
    }
}

fn expr(random: &mut TestRng, nodes: &Nodes, depth: usize) -> Expr {
    match random.below(if depth == 0 { 6 } else { 9 }) {
        0..=2 => Expr::Constant(random.below(4) as i64),
        3..=5 => Expr::Tokens(some_places(random, nodes)),
        6 => Expr::Sum(vec![expr(random, nodes, depth - 1), expr(random, nodes, depth - 1)]),
        7 => {
            let (a, b) = (expr(random, nodes, depth - 1), expr(random, nodes, depth - 1));
            Expr::Difference(Box::new(a), Box::new(b))
        }
        _ => Expr::Product(vec![expr(random, nodes, depth - 1), expr(random, nodes, depth - 1)]),
    }
}

fn some_places(random: &mut TestRng, nodes: &Nodes) -> Vec<PlaceId> {
    let all: Vec<PlaceId> = nodes.place_ids().collect();
    (0..random.within(1, 2)).map(|_| *random.pick(&all)).collect()
}

#[cfg(test)]
mod tests {
    use super::{ctl, nested_ctl, nested_path, path, predicate, property};
    use crate::{random::TestRng, tiny};
    use fireset_net::{Formula, Logic, Query};

    #[test]
    fn formulas_are_of_their_kind() {
        let net = tiny::net("p:1 q; t: p -> q; u: q -> p");
        for seed in 0..500 {
            let mut random = TestRng::new(seed);
            let nodes = net.nodes();
            let state = Formula::from(&predicate(&mut random, nodes, 3));
            assert!(state.is_state_predicate());
            let branching = Formula::from(&ctl(&mut random, nodes, 3));
            let ctl_query = Query::classify(&branching, Logic::Ctl);
            assert!(!matches!(ctl_query, Ok(Query::Ltl(..)) | Err(_)), "{branching:?}");
            let linear = Formula::ForAll(Box::new((&path(&mut random, nodes, 3)).into()));
            let ltl_query = Query::classify(&linear, Logic::Ltl);
            assert!(matches!(ltl_query, Ok(Query::Ltl(..) | Query::Invariant(_))), "{linear:?}");
            assert!(property(&mut random, nodes, "any", 3).query().is_ok());
            assert_eq!(
                nested_path(&mut random, nodes, seed as usize % 6).temporal_depth(),
                seed as usize % 6
            );
            assert_eq!(nested_ctl(&mut random, nodes, seed as usize % 6).temporal_depth(), seed as usize % 6);
        }
    }
}
