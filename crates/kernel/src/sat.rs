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
        self.solve_with([], deadline)
    }

    /// The same with literals that are true for this question only.
    pub fn solve_with(
        &mut self,
        assumptions: impl IntoIterator<Item = Literal>,
        deadline: Option<Instant>,
    ) -> Option<bool> {
        self.solver.set_callbacks(deadline.map(Until));
        self.solver.solve_with(assumptions)
    }

    /// Whether an assumption of the last question, which had no solution, was needed for that. All that were needed
    /// together have no solution either.
    pub fn failed(&self, assumption: Literal) -> bool {
        self.solver.failed(assumption)
    }

    /// The value of a variable in the solution that was found last. One that does not matter has either.
    pub fn value(&self, variable: Literal) -> bool {
        self.solver.value(variable).unwrap_or(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a literal is true, where bit `v` is the value of variable `v + 1`.
    fn is_true(assignment: u32, literal: Literal) -> bool {
        (assignment >> (literal.abs() - 1) & 1 == 1) == (literal > 0)
    }

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

    #[test]
    fn assumptions_hold_once_and_those_that_failed_are_enough() {
        let (mut state, mut satisfiable, mut smaller) = (7, 0, 0);
        for _ in 0..500 {
            let (variables, mut clauses) = (6, Clauses::default());
            let mut literal = || {
                let variable = 1 + draw(&mut state, variables) as Literal;
                if draw(&mut state, 2) == 0 { variable } else { -variable }
            };
            let all: Vec<Vec<Literal>> = (0..12).map(|_| (0..3).map(|_| literal()).collect()).collect();
            all.iter().for_each(|clause| clauses.add(clause.iter().copied()));
            let possible = |assumed: &[Literal]| {
                (0..1 << variables).any(|assignment| {
                    assumed.iter().all(|&l| is_true(assignment, l))
                        && all.iter().all(|c| c.iter().any(|&l| is_true(assignment, l)))
                })
            };
            for _ in 0..8 {
                let mut assumed: Vec<Literal> = (0..4).map(|_| literal()).collect();
                assumed.sort_unstable();
                assumed.dedup();
                let expected = possible(&assumed);
                let given = clauses.solve_with(assumed.iter().copied(), None);
                assert_eq!(given, Some(expected), "{all:?} {assumed:?}");
                if expected {
                    satisfiable += 1;
                    assert!(assumed.iter().all(|&l| clauses.value(l.abs()) == (l > 0)));
                } else {
                    let needed: Vec<Literal> =
                        assumed.iter().copied().filter(|&l| clauses.failed(l)).collect();
                    assert!(!possible(&needed), "{all:?} {assumed:?}: {needed:?}");
                    smaller += usize::from(needed.len() < assumed.len());
                }
            }
        }
        assert!(satisfiable > 1_000 && smaller > 500, "{satisfiable} {smaller}");
    }
}
