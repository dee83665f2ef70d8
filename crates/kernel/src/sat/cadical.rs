//! CaDiCaL (Biere et al.), a solver in C++.

use std::time::Instant;

use ::cadical::{Callbacks, Solver};

use super::{Literal, SatSolver};

/// The solver CaDiCaL behind the interface of [`SatSolver`].
#[derive(Default)]
pub struct CadicalSolver {
    solver: Solver<Deadline>,
}

struct Deadline(Instant);

impl Callbacks for Deadline {
    fn terminate(&mut self) -> bool {
        Instant::now() >= self.0
    }
}

impl SatSolver for CadicalSolver {
    fn add_clause(&mut self, clause: impl IntoIterator<Item = Literal>) {
        self.solver.add_clause(clause);
    }

    fn solve_with(
        &mut self,
        assumptions: impl IntoIterator<Item = Literal>,
        deadline: Option<Instant>,
    ) -> Option<bool> {
        self.solver.set_callbacks(deadline.map(Deadline));
        self.solver.solve_with(assumptions)
    }

    fn failed(&self, assumption: Literal) -> bool {
        self.solver.failed(assumption)
    }

    fn value(&self, variable: Literal) -> bool {
        self.solver.value(variable).unwrap_or(true)
    }
}
