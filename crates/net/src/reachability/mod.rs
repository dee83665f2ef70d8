//! The whole reachability graph of a small net, built by the definition: no reduction, no compression.
//!
//! It serves `fireset graph` and the oracle of the tests; no engine uses it.

mod explore;
mod graph;
mod tabulate;

pub use graph::{CoveringPair, GraphLimits, GraphObserver, ReachabilityEdge, ReachabilityGraph, StateView};
pub use tabulate::TabulatedNet;
