//! Direct simulation between the states of a Büchi automaton.
//!
//! A state simulates another one if it is accepting whenever the other is, and for each edge of the other has an
//! edge for at least the same letters to a state that simulates the other's target. An edge that only several edges
//! together could simulate counts as not simulated. The relation is the largest one, found by removing pairs until nothing changes.
//!
//! Why: a run of the other state can be copied, step by step, so the larger state accepts all its words. Cost:
//! pairs of states times pairs of their edges, a few rounds.

use super::{Buchi, BuchiState, sets::included, size_limit::SizeLimit};

/// The pairs of states of which the second simulates the first.
#[derive(Clone, Debug)]
pub(super) struct DirectSimulation {
    count: usize,
    pairs: Vec<bool>,
}

impl DirectSimulation {
    /// The relation of an automaton; `None` beyond the limit.
    pub fn new(automaton: &Buchi, limit: &mut SizeLimit) -> Option<Self> {
        let count = automaton.states.len();
        limit.spend(count.checked_mul(count)?)?;
        let pairs = vec![true; count * count];
        let mut simulation = Self { count, pairs };
        let mut changed = true;
        while changed {
            changed = false;
            for (at, a) in automaton.states.iter().enumerate() {
                for (by, b) in automaton.states.iter().enumerate() {
                    limit.spend(1)?;
                    if at != by && simulation.holds(at, by) {
                        limit.spend(a.edges.len() * b.edges.len())?;
                        if !simulation.matches_edges(a, b) {
                            simulation.pairs[at * count + by] = false;
                            changed = true;
                        }
                    }
                }
            }
        }
        Some(simulation)
    }

    /// Whether state `b` simulates state `a`.
    pub fn holds(&self, a: usize, b: usize) -> bool {
        self.pairs[a * self.count + b]
    }

    /// Whether `b` can match each edge of `a`.
    fn matches_edges(&self, a: &BuchiState, b: &BuchiState) -> bool {
        a.accepting <= b.accepting
            && a.edges.iter().all(|e| {
                let mut candidates = b.edges.iter();
                candidates.any(|c| included(&c.cube, &e.cube) && self.holds(e.to as usize, c.to as usize))
            })
    }
}
