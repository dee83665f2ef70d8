//! Goals for walks: letters with which the automaton comes nearer to acceptance.
//!
//! A walk that has to meet a rare marking does not by chance. The cube of an edge that leads nearer to an accepting state, or to one,
//! is a state predicate, and the guides of walks to a goal lead there.

use fireset_kernel::automata::{Buchi, BuchiEdge};
use fireset_net::StatePredicate;

use super::words::StateSet;

/// Goals of one automaton.
const MOST_GOALS: usize = 16;

/// The cube of edges that a walk should take.
#[derive(Clone, Debug)]
pub(super) struct EdgeGoal {
    pub(super) predicate: StatePredicate,
    /// The states that the edges leave.
    pub(super) from: StateSet,
    /// The edges lead to accepting states that can be visited again and again.
    pub(super) accepts: bool,
}

/// The goals of an automaton, over its atoms.
pub(super) fn of(automaton: &Buchi, atoms: &[StatePredicate]) -> Vec<EdgeGoal> {
    let (distances, recurring) = (automaton.distances(), automaton.recurring());
    let mut goals: Vec<(&BuchiEdge, EdgeGoal)> = Vec::new();
    for (state, from) in automaton.states.iter().zip(0..) {
        for edge in state.edges.iter().filter(|edge| !edge.cube.is_empty()) {
            let to = edge.to as usize;
            let accepts = automaton.states[to].accepting && recurring[to];
            let is_nearer = match (distances[to], distances[from as usize]) {
                (Some(after), Some(before)) => after < before,
                (after, _) => after.is_some(),
            };
            if !accepts && !is_nearer {
                continue;
            }
            match goals.iter_mut().find(|(known, goal)| known.cube == edge.cube && goal.accepts == accepts) {
                Some((_, goal)) => goal.from |= 1 << from,
                None => {
                    goals.push((edge, EdgeGoal { predicate: cube(edge, atoms), from: 1 << from, accepts }))
                }
            }
        }
    }
    goals.truncate(MOST_GOALS);
    goals.into_iter().map(|(_, goal)| goal).collect()
}

fn cube(edge: &BuchiEdge, atoms: &[StatePredicate]) -> StatePredicate {
    let literal = |literal: &fireset_kernel::automata::AtomLiteral| {
        let atom = atoms[literal.atom as usize].clone();
        if literal.positive { atom } else { atom.negate() }
    };
    StatePredicate::And(edge.cube.iter().map(literal).collect())
}
