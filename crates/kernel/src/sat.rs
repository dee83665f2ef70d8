//! Satisfiability of clauses over Boolean variables: CaDiCaL (Biere et al.), behind the few words that are needed.
//!
//! Test: below, against all assignments of random small problems.

use std::time::Instant;

use cadical::{Callbacks, Solver};

/// A variable, or its negation with a minus sign; never 0.
pub type Literal = i32;

/// Clauses that can grow after each answer.
#[derive(Default)]
pub struct Clauses {
    solver: Solver<Until>,
}

/// When to give up.
struct Until(Instant);

impl Callbacks for Until {
    fn terminate(&mut self) -> bool {
        Instant::now() >= self.0
    }
}

impl Clauses {
    /// At least one of these literals is true.
    pub fn add(&mut self, clause: impl IntoIterator<Item = Literal>) {
        self.solver.add_clause(clause);
    }

    /// Whether all clauses can be true together; `None` when there is not time enough.
    pub fn solve(&mut self, deadline: Option<Instant>) -> Option<bool> {
        self.solver.set_callbacks(deadline.map(Until));
        self.solver.solve()
    }

    /// The value of a variable in the solution that was found last. One that does not matter has either.
    pub fn value(&self, variable: Literal) -> bool {
        self.solver.value(variable).unwrap_or(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random.
    fn draw(state: &mut u64, below: u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % below
    }

    #[test]
    fn all_assignments_agree() {
        let (mut state, mut satisfiable) = (1, 0);
        for _ in 0..500 {
            let (variables, mut clauses) = (5, Clauses::default());
            let mut all: Vec<Vec<Literal>> = Vec::new();
            for _ in 0..=draw(&mut state, 40) {
                let literal = |state: &mut u64| {
                    let variable = 1 + draw(state, variables) as Literal;
                    if draw(state, 2) == 0 { variable } else { -variable }
                };
                let clause: Vec<Literal> = (0..3).map(|_| literal(&mut state)).collect();
                clauses.add(clause.iter().copied());
                all.push(clause);
                let is_true = |assignment: u32, l: Literal| (assignment >> (l.abs() - 1) & 1 == 1) == (l > 0);
                let holds = |assignment: u32| all.iter().all(|c| c.iter().any(|&l| is_true(assignment, l)));
                let expected = (0..1 << variables).any(holds);
                assert_eq!(clauses.solve(None), Some(expected), "{all:?}");
                if expected {
                    let found = (0..variables as Literal).map(|v| u32::from(clauses.value(v + 1)) << v).sum();
                    assert!(holds(found), "{all:?}");
                    satisfiable += 1;
                }
            }
        }
        assert!(satisfiable > 1_000, "only {satisfiable} were satisfiable");
    }
}
