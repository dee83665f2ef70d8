//! Direct simulation between the states of a Büchi automaton.
//!
//! A state simulates another one if it is accepting whenever the other is, and for each edge of the other has an
//! edge for at least the same letters to a state that simulates the other's target. What several edges do only
//! together is not seen. It is the largest such relation, found by removing pairs until nothing changes.
//!
//! Why: a run of the other state can be copied, step by step, so the larger state accepts all its words. Cost:
//! pairs of states times pairs of their edges, a few rounds.

use super::{Buchi, State, limit::Limit, sets::included};

/// Which state simulates which.
#[derive(Clone, Debug)]
pub(super) struct Simulation {
    count: usize,
    pairs: Vec<bool>,
}

impl Simulation {
    /// The relation of an automaton; `None` when it takes too long.
    pub fn new(automaton: &Buchi, limit: &mut Limit) -> Option<Self> {
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
                        if !simulation.step(a, b) {
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

    /// Whether `b` can copy each step of `a`.
    fn step(&self, a: &State, b: &State) -> bool {
        a.accepting <= b.accepting
            && a.edges.iter().all(|e| {
                let mut copies = b.edges.iter();
                copies.any(|c| included(&c.cube, &e.cube) && self.holds(e.to as usize, c.to as usize))
            })
    }
}
