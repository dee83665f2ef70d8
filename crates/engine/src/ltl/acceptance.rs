//! Where an automaton accepts along a lasso.
//!
//! What: the runs of the automaton over the word of a lasso form a small graph, whose shortest accepting lasso is a run that accepts.
//! Why: a reader of a counterexample asks what happens again and again that must not.
//! Test: below.

use std::collections::HashMap;

use fireset_kernel::{
    automata::{Buchi, BuchiEdge},
    shortest_lasso::{StepEdge, StepGraph},
};
use fireset_net::{Query, Semantics, replay};

use super::deciding;

/// For each marking of a lasso whether an accepting run of the deciding automaton visits an accepting state there again and again.
/// After the last marking comes the one at `back_to`. `None` if the query is none of LTL, or the automaton does not accept.
pub fn accepting_markings<S: Semantics>(
    net: &S,
    query: &Query,
    markings: &[S::State],
    back_to: usize,
) -> Option<Vec<bool>> {
    let Query::Ltl(quantifier, formula) = query else { return None };
    let (automaton, atoms) = deciding(*quantifier, formula)?;
    let letters: Vec<Vec<bool>> = markings
        .iter()
        .map(|marking| atoms.iter().map(|atom| replay::holds_in(net, marking, atom)).collect())
        .collect();
    let (graph, nodes) = runs_over(&automaton, &letters, back_to);
    let lasso = graph.shortest_lasso(u64::MAX).lasso?;
    let mut accepting = vec![false; markings.len()];
    for node in lasso.cycle.into_iter().filter(|&node| graph.accepting[node as usize]) {
        accepting[nodes[node as usize].0] = true;
    }
    Some(accepting)
}

/// The runs of an automaton over a word, with the position and the automaton's state of each node.
fn runs_over(automaton: &Buchi, letters: &[Vec<bool>], back_to: usize) -> (StepGraph, Vec<(usize, u32)>) {
    let mut graph = StepGraph::default();
    let mut nodes: Vec<(usize, u32)> = automaton.initial.iter().map(|&state| (0, state)).collect();
    let mut numbers: HashMap<(usize, u32), u32> = nodes.iter().copied().zip(0..).collect();
    graph.roots = (0..nodes.len() as u32).collect();
    while let Some(&(position, state)) = nodes.get(graph.edges.len()) {
        let state = &automaton.states[state as usize];
        let next = if position + 1 < letters.len() { position + 1 } else { back_to };
        let reads = |edge: &&BuchiEdge| {
            edge.cube.iter().all(|literal| letters[position][literal.atom as usize] == literal.positive)
        };
        let mut edges = Vec::new();
        for edge in state.edges.iter().filter(reads) {
            let to = *numbers.entry((next, edge.to)).or_insert_with(|| {
                nodes.push((next, edge.to));
                nodes.len() as u32 - 1
            });
            edges.push(StepEdge { to, is_silent: false });
        }
        graph.edges.push(edges);
        graph.accepting.push(state.accepting);
    }
    (graph, nodes)
}

#[cfg(test)]
mod tests {
    use fireset_net::{Comparison, Expr, Formula, PlaceId, Quantifier, Semantics, Step, TransitionId};
    use fireset_oracle::{query, tiny};

    use super::*;

    #[test]
    fn the_automaton_accepts_where_what_must_not_happen_happens() {
        let net = tiny::net("p:1 q r; t: p -> q; u: q -> r; v: r -> q");
        let steps: Vec<Step> = [0, 1, 2].map(|at| Step::plain(TransitionId::new(at))).to_vec();
        let markings = replay::states(&net, &steps).expect("a run");
        let marked = |place: usize| {
            let tokens = Expr::Tokens(vec![PlaceId::new(place)]);
            Formula::Compare(Comparison::GreaterEqual, tokens, Expr::Constant(1))
        };
        let never = Formula::Finally(Box::new(Formula::Globally(Box::new(marked(2).negate()))));
        let query = query::ltl(Quantifier::ForAll, never);
        // The markings are p, q, r, and q again, which is that after one step.
        let accepting = accepting_markings(&net, &query, &markings[..3], 1).expect("r comes again and again");
        assert!(!accepting[0] && (accepting[1] || accepting[2]), "{accepting:?}");
        let always = query::ltl(Quantifier::ForAll, Formula::Globally(Box::new(marked(0))));
        assert!(accepting_markings(&net, &always, &markings[..1], 0).is_none(), "p stays marked there");
        assert_eq!(net.initial(), markings[0]);
    }
}
