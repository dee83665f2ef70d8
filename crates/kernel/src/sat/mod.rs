//! Satisfiability of clauses over Boolean variables: a narrow interface with two solvers behind it.
//!
//! [`DefaultSatSolver`] is CaDiCaL where the feature `cadical` is on; otherwise it is BatSat, which is always there and needs no C++.
//!
//! Test: below, both solvers against all assignments of random small formulas.

mod batsat;
#[cfg(feature = "cadical")]
mod cadical;

use std::time::Instant;

pub use self::batsat::BatsatSolver;
#[cfg(not(feature = "cadical"))]
pub use self::batsat::BatsatSolver as DefaultSatSolver;
#[cfg(feature = "cadical")]
pub use self::cadical::{CadicalSolver, CadicalSolver as DefaultSatSolver};

/// A variable, or its negation with a minus sign; never 0.
pub type Literal = i32;

/// An incremental solver: clauses can be added after each answer. Variables exist once a clause or an assumption names them.
///
/// Solvers prefer true to false, so that models tend to have few false variables.
pub trait SatSolver: Default {
    /// Demands that at least one of these literals is true.
    fn add_clause(&mut self, clause: impl IntoIterator<Item = Literal>);

    /// Whether the clauses are satisfiable together with literals that are assumed for this call only; `None` when the deadline
    /// has passed before an answer.
    fn solve_with(
        &mut self,
        assumptions: impl IntoIterator<Item = Literal>,
        deadline: Option<Instant>,
    ) -> Option<bool>;

    /// The same without assumptions.
    fn solve(&mut self, deadline: Option<Instant>) -> Option<bool> {
        self.solve_with([], deadline)
    }

    /// Whether an assumption of the last call, whose answer was false, is in the unsatisfiable core: the assumptions of the core
    /// alone contradict the clauses.
    fn failed(&self, assumption: Literal) -> bool;

    /// The value of a variable in the model of the last call, whose answer was true. A variable that does not
    /// matter has either value.
    fn value(&self, variable: Literal) -> bool;
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Whether a literal is true, where bit `v` is the value of variable `v + 1`.
    fn is_true(assignment: u32, literal: Literal) -> bool {
        (assignment >> (literal.abs() - 1) & 1 == 1) == (literal > 0)
    }

    /// A linear congruential generator.
    fn draw(state: &mut u64, below: u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % below
    }

    fn answers_agree_with_enumeration<S: SatSolver>() {
        let (mut state, mut satisfiable) = (1, 0);
        for _ in 0..500 {
            let (variables, mut solver) = (5, S::default());
            let mut all: Vec<Vec<Literal>> = Vec::new();
            for _ in 0..=draw(&mut state, 40) {
                let literal = |state: &mut u64| {
                    let variable = 1 + draw(state, variables) as Literal;
                    if draw(state, 2) == 0 { variable } else { -variable }
                };
                let clause: Vec<Literal> = (0..3).map(|_| literal(&mut state)).collect();
                solver.add_clause(clause.iter().copied());
                all.push(clause);
                let holds = |assignment: u32| all.iter().all(|c| c.iter().any(|&l| is_true(assignment, l)));
                let expected = (0..1 << variables).any(holds);
                assert_eq!(solver.solve(None), Some(expected), "{all:?}");
                if expected {
                    let found = (0..variables as Literal).map(|v| u32::from(solver.value(v + 1)) << v).sum();
                    assert!(holds(found), "{all:?}");
                    satisfiable += 1;
                }
            }
        }
        assert!(satisfiable > 1_000, "only {satisfiable} were satisfiable");
    }

    fn assumptions_hold_once_and_failed_ones_are_a_core<S: SatSolver>() {
        let (mut state, mut satisfiable, mut smaller) = (7, 0, 0);
        for _ in 0..500 {
            let (variables, mut solver) = (6, S::default());
            let mut literal = || {
                let variable = 1 + draw(&mut state, variables) as Literal;
                if draw(&mut state, 2) == 0 { variable } else { -variable }
            };
            let all: Vec<Vec<Literal>> = (0..12).map(|_| (0..3).map(|_| literal()).collect()).collect();
            all.iter().for_each(|clause| solver.add_clause(clause.iter().copied()));
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
                let given = solver.solve_with(assumed.iter().copied(), None);
                assert_eq!(given, Some(expected), "{all:?} {assumed:?}");
                if expected {
                    satisfiable += 1;
                    assert!(assumed.iter().all(|&l| solver.value(l.abs()) == (l > 0)));
                } else {
                    let needed: Vec<Literal> =
                        assumed.iter().copied().filter(|&l| solver.failed(l)).collect();
                    assert!(!possible(&needed), "{all:?} {assumed:?}: {needed:?}");
                    smaller += usize::from(needed.len() < assumed.len());
                }
            }
        }
        assert!(satisfiable > 1_000 && smaller > 500, "{satisfiable} {smaller}");
    }

    /// The pigeonhole principle: one pigeon more than there are holes. Literal 1 relaxes all clauses of the pigeons.
    fn a_deadline_interrupts_and_the_solver_stays_usable<S: SatSolver>() {
        const HOLES: Literal = 12;
        let mut solver = S::default();
        let sits = |pigeon: Literal, hole: Literal| 2 + pigeon * HOLES + hole;
        for pigeon in 0..=HOLES {
            solver.add_clause((0..HOLES).map(|hole| sits(pigeon, hole)).chain([1]));
            for (other, hole) in (0..pigeon).flat_map(|other| (0..HOLES).map(move |hole| (other, hole))) {
                solver.add_clause([-sits(pigeon, hole), -sits(other, hole)]);
            }
        }
        let started = Instant::now();
        assert_eq!(solver.solve_with([-1], Some(started + Duration::from_millis(50))), None);
        assert!(started.elapsed() < Duration::from_secs(20));
        assert_eq!(solver.solve_with([1], None), Some(true));
        assert!(solver.value(1));
        assert_eq!(solver.solve_with([-1, sits(0, 0), sits(1, 0)], None), Some(false));
    }

    macro_rules! test_solvers {
        ($($test:ident)*) => {
            mod batsat {
                $(#[test]
                fn $test() {
                    super::$test::<crate::sat::BatsatSolver>();
                })*
            }

            #[cfg(feature = "cadical")]
            mod cadical {
                $(#[test]
                fn $test() {
                    super::$test::<crate::sat::CadicalSolver>();
                })*
            }
        };
    }

    test_solvers! {
        answers_agree_with_enumeration
        assumptions_hold_once_and_failed_ones_are_a_core
        a_deadline_interrupts_and_the_solver_stays_usable
    }
}
