//! BatSat (Cruanes et al.), a descendant of MiniSat in Rust, for builds without a C++ compiler.
//!
//! BatSat tries false first and has no cheap way to change that. A [`SatSolver`] shall prefer true, so each variable is
//! represented by its negation.

use std::{cell::Cell, time::Instant};

use ::batsat::{Callbacks, Lit, Solver, SolverInterface, lbool};

use super::{Literal, SatSolver};

/// Decisions between two looks at the clock.
const POLL_INTERVAL: u32 = 64;

/// The solver BatSat behind the interface of [`SatSolver`].
#[derive(Default)]
pub struct BatsatSolver {
    solver: Solver<PolledDeadline>,
    /// The clause or the assumptions at hand, kept for their memory.
    literals: Vec<Lit>,
}

#[derive(Default)]
struct PolledDeadline {
    deadline: Option<Instant>,
    polls: Cell<u32>,
    is_over: Cell<bool>,
}

impl Callbacks for PolledDeadline {
    fn stop(&self) -> bool {
        let Some(deadline) = self.deadline else { return false };
        let polls = self.polls.get();
        self.polls.set(polls.wrapping_add(1));
        if polls.is_multiple_of(POLL_INTERVAL) {
            self.is_over.set(Instant::now() >= deadline);
        }
        self.is_over.get()
    }
}

impl BatsatSolver {
    fn take_literals(&mut self, literals: impl IntoIterator<Item = Literal>) -> Vec<Lit> {
        let mut taken = std::mem::take(&mut self.literals);
        taken.clear();
        for literal in literals {
            let variable = self.solver.var_of_int(literal.unsigned_abs() - 1);
            taken.push(Lit::new(variable, literal < 0));
        }
        taken
    }
}

impl SatSolver for BatsatSolver {
    fn add_clause(&mut self, clause: impl IntoIterator<Item = Literal>) {
        let mut literals = self.take_literals(clause);
        self.solver.add_clause_reuse(&mut literals);
        self.literals = literals;
    }

    fn solve_with(
        &mut self,
        assumptions: impl IntoIterator<Item = Literal>,
        deadline: Option<Instant>,
    ) -> Option<bool> {
        let assumptions = self.take_literals(assumptions);
        *self.solver.cb_mut() = PolledDeadline { deadline, ..PolledDeadline::default() };
        let answer = self.solver.solve_limited(&assumptions);
        self.literals = assumptions;
        if answer == lbool::TRUE {
            Some(true)
        } else if answer == lbool::FALSE {
            Some(false)
        } else {
            None
        }
    }

    fn failed(&self, assumption: Literal) -> bool {
        // The core is a clause: it has the negations of assumptions.
        let negated =
            |lit: &Lit| lit.var().idx() == assumption.unsigned_abs() - 1 && lit.sign() == (assumption > 0);
        self.solver.unsat_core().iter().any(negated)
    }

    fn value(&self, variable: Literal) -> bool {
        let values = self.solver.get_model();
        values.get(variable.unsigned_abs() as usize - 1).is_none_or(|&value| value != lbool::TRUE)
    }
}
