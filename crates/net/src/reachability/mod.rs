//! The whole reachability graph of a small net, built by the definition: no reduction, no compression. The coverability graph of
//! an unbounded net is built in the same way.
//!
//! It serves `fireset graph` and the oracle of the tests; no engine uses it.

mod explore;
mod graph;
mod karp_miller;
mod tabulate;

pub use graph::{CoveringPair, GraphLimits, GraphObserver, ReachabilityEdge, ReachabilityGraph, StateView};
pub use karp_miller::{CoverabilityNet, LimitCount, LimitMarking};
pub use tabulate::TabulatedNet;
