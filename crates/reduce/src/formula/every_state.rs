//! For tests: the values of CTL formulas in every reachable marking of a small net, by their definition.

use fireset_net::{
    Budget, Formula, Net,
    reachability::{GraphLimits, ReachabilityGraph},
};

/// The reachable markings of a net.
pub(super) struct EveryState<'n>(ReachabilityGraph<'n, Net>);

impl<'n> EveryState<'n> {
    /// Of a net with at most this many reachable markings.
    pub(super) fn of(net: &'n Net, states: usize) -> Option<Self> {
        let limits = GraphLimits { states, edges: true };
        let graph = ReachabilityGraph::explore(net, limits, &Budget::unlimited(), &mut ());
        graph.complete().is_ok().then_some(Self(graph))
    }

    /// The value in each marking, the initial one first.
    pub(super) fn values(&self, f: &Formula) -> Vec<bool> {
        let f = f.try_into().expect("a CTL formula");
        fireset_oracle::satisfying(&self.0, &f).expect("a complete graph")
    }

    /// Asserts that a simplified formula has the same value in each marking; whether simplification changed it.
    pub(super) fn compare(&self, f: &Formula, simpler: &Formula) -> bool {
        let net = self.0.net();
        assert_eq!(self.values(f), self.values(simpler), "{f:?} became {simpler:?} on {net:?}");
        f != simpler
    }
}
