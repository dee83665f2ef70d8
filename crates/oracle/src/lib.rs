//! The oracle of fireset's tests: a checker for every kind of query that does the obvious thing, and random problems.
//!
//! Why: reductions and engines are tested against it, so it is short, follows the definitions, and shares no algorithm
//! with them. It builds the [reachability graph](fireset_net::reachability) and reads the answers off it: predicates state
//! by state, CTL by fixpoints, LTL by a tableau of maximal consistent sets, liveness by components. Only tests and
//! measurements depend on it.
//!
//! | file | contents |
//! |---|---|
//! | `decide` | the queries of a problem, on one graph |
//! | `predicate` | reachable predicates and invariants |
//! | `bounds` | upper bounds and the size of the state space |
//! | `global` | safety, stable markings, liveness |
//! | `named` | boundedness, reversibility, levels of liveness, persistence, termination |
//! | `ctl` | CTL by fixpoints |
//! | `karp_miller` | unbounded nets, by their coverability graph |
//! | `colours` | atoms about colours |
//! | `closure`, `ltl`, `lasso` | LTL by a tableau |
//! | `runs` | LTL with events, past and fairness, by fixpoints |
//! | `components` | strongly connected components |
//! | `against` | [`against_oracle`], which compares an engine or a pass with the oracle on random problems |
//! | [`random`] | random nets, formulas and queries |
//! | [`tiny`] | small nets written in a line of text |
//!
//! Cost: all states in memory. Test: `tests/reference`.

mod against;
mod bounds;
mod closure;
mod colours;
mod components;
mod ctl;
mod ctl_star;
mod decide;
mod global;
mod karp_miller;
mod lasso;
mod ltl;
mod named;
mod predicate;
pub mod query;
pub mod random;
mod runs;
mod soundness;
pub mod tiny;

pub use against::{KindCounts, OracleCase, OracleCounts, OracleTest, StateCount, against_oracle};
pub use decide::{decide, decide_on, outcomes, satisfying};
pub use karp_miller::by_coverability_graph;
