//! Shortest lassos of a graph: a path from a root, and a closed walk at its end through an accepting node, that have the fewest steps
//! together.
//!
//! What: for each accepting node `a` on a cycle, and each node `e` of its component, the path to `e`, and the closed walk from `e`
//! through `a`; the least sum over all of them. Silent edges count as no step. Why: a depth-first search for an accepting cycle
//! finds a lasso, seldom a short one.
//! Invariant: a closed walk stays in one strongly connected component, so its distances are computed there alone.
//! Cost: two searches of a component for each of its accepting nodes, each within the best sum so far, and all together within a number
//! of edges. Test: below, against the distances of all pairs.

use std::collections::VecDeque;

use crate::automata::StateComponents;

/// A graph of steps, with the nodes where runs begin and those that accept.
#[derive(Clone, Debug, Default)]
pub struct StepGraph {
    /// The edges of each node.
    pub edges: Vec<Vec<StepEdge>>,
    /// For each node whether it accepts.
    pub accepting: Vec<bool>,
    /// The nodes where runs begin.
    pub roots: Vec<u32>,
}

/// An edge of a [`StepGraph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepEdge {
    /// The node where it ends.
    pub to: u32,
    /// Whether it counts as no step.
    pub is_silent: bool,
}

/// A lasso as the nodes that it visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeLasso {
    /// From a root to the node where the cycle begins and ends.
    pub prefix: Vec<u32>,
    /// The nodes after that node, up to itself.
    pub cycle: Vec<u32>,
    /// The steps of both.
    pub steps: u32,
}

/// What a search for the shortest lasso found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortestLasso {
    /// The shortest lasso that was found.
    pub lasso: Option<NodeLasso>,
    /// Whether no lasso is shorter, and without a lasso, whether there is none.
    pub is_proven: bool,
}

/// Distances from some nodes, with the node before each. Only what was touched is cleared for the next search.
struct Distances {
    of: Vec<u32>,
    before: Vec<u32>,
    touched: Vec<u32>,
    open: VecDeque<(u32, u32)>,
}

/// The distance of a node that is not reached.
const FAR: u32 = u32::MAX;

impl Distances {
    fn new(nodes: usize) -> Self {
        Self { of: vec![FAR; nodes], before: vec![FAR; nodes], touched: Vec::new(), open: VecDeque::new() }
    }

    /// Searches from some nodes, through edges that lead to nodes `inside` and no farther than `most` steps. Takes the edges that it
    /// reads from `left`; `false` when those are used up.
    fn search(
        &mut self,
        edges: &[Vec<StepEdge>],
        from: &[u32],
        (inside, most): (&dyn Fn(u32) -> bool, u32),
        left: &mut u64,
    ) -> bool {
        for node in self.touched.drain(..) {
            self.of[node as usize] = FAR;
        }
        self.open.clear();
        for &node in from {
            self.reach(node, 0, FAR);
            self.open.push_back((0, node));
        }
        while let Some((distance, node)) = self.open.pop_front() {
            if distance > self.of[node as usize] {
                continue;
            }
            let Some(rest) = left.checked_sub(1 + edges[node as usize].len() as u64) else { return false };
            *left = rest;
            for edge in &edges[node as usize] {
                let next = distance + u32::from(!edge.is_silent);
                if next > most || next >= self.of[edge.to as usize] || !inside(edge.to) {
                    continue;
                }
                self.reach(edge.to, next, node);
                match edge.is_silent {
                    true => self.open.push_front((next, edge.to)),
                    false => self.open.push_back((next, edge.to)),
                }
            }
        }
        true
    }

    fn reach(&mut self, node: u32, distance: u32, before: u32) {
        let at = node as usize;
        if self.of[at] == FAR {
            self.touched.push(node);
        }
        (self.of[at], self.before[at]) = (distance, before);
    }

    /// The nodes from a start of the search to a node.
    fn path(&self, mut node: u32) -> Vec<u32> {
        let mut path = vec![node];
        while self.before[node as usize] != FAR {
            node = self.before[node as usize];
            path.push(node);
        }
        path.reverse();
        path
    }
}

/// A lasso by the nodes that determine it.
#[derive(Clone, Copy)]
struct LassoCandidate {
    /// Where the cycle begins.
    entry: u32,
    accepting: u32,
    /// The steps of prefix and cycle.
    steps: u32,
}

impl StepGraph {
    /// The shortest lasso, by reading at most this number of edges.
    pub fn shortest_lasso(&self, mut most_edges: u64) -> ShortestLasso {
        let nodes = self.edges.len();
        let none = |is_proven| ShortestLasso { lasso: None, is_proven };
        let mut from_roots = Distances::new(nodes);
        if !from_roots.search(&self.edges, &self.roots, (&|_| true, FAR), &mut most_edges) {
            return none(false);
        }
        let successors: Vec<Vec<u32>> =
            self.edges.iter().map(|edges| edges.iter().map(|edge| edge.to).collect()).collect();
        let components = StateComponents::new(&successors);
        let cyclic = components.cyclic(&successors);
        let mut nearest = vec![FAR; components.count];
        for (&component, &distance) in components.of.iter().zip(&from_roots.of) {
            nearest[component] = nearest[component].min(distance);
        }
        let backwards = self.backwards();
        let is_reached = |&node: &u32| from_roots.of[node as usize] != FAR;
        let can_accept = |&node: &u32| self.accepting[node as usize] && cyclic[components.of[node as usize]];
        let mut accepting: Vec<u32> = (0..nodes as u32).filter(is_reached).filter(can_accept).collect();
        accepting.sort_by_key(|&node| from_roots.of[node as usize]);
        let (mut forth, mut back) = (Distances::new(nodes), Distances::new(nodes));
        let mut best: Option<LassoCandidate> = None;
        let mut is_proven = true;
        for a in accepting {
            let component = components.of[a as usize];
            // What the cycle may take so that the lasso is shorter than the best one.
            let first = nearest[component];
            let most = best.map_or(FAR, |best| best.steps.saturating_sub(first + 1));
            if best.is_some_and(|best| best.steps <= first) {
                continue;
            }
            let inside = |node: u32| components.of[node as usize] == component;
            let whole = forth.search(&self.edges, &[a], (&inside, most), &mut most_edges)
                && back.search(&backwards, &[a], (&inside, most), &mut most_edges);
            if !whole {
                is_proven = false;
                break;
            }
            for &entry in &forth.touched {
                let Some(cycle) = self.closed_walk(a, entry, (&forth, &back)) else { continue };
                let steps = from_roots.of[entry as usize].saturating_add(cycle);
                if best.is_none_or(|best| steps < best.steps) {
                    best = Some(LassoCandidate { entry, accepting: a, steps });
                }
            }
        }
        let Some(LassoCandidate { entry, accepting: a, steps }) = best else { return none(is_proven) };
        let inside = |node: u32| components.of[node as usize] == components.of[a as usize];
        let unlimited = &mut u64::MAX.clone();
        forth.search(&self.edges, &[a], (&inside, steps), unlimited);
        back.search(&backwards, &[a], (&inside, steps), unlimited);
        let cycle = self.cycle(a, entry, (&forth, &back));
        ShortestLasso { lasso: Some(NodeLasso { prefix: from_roots.path(entry), cycle, steps }), is_proven }
    }

    fn backwards(&self) -> Vec<Vec<StepEdge>> {
        let mut backwards = vec![Vec::new(); self.edges.len()];
        for (from, edges) in (0..).zip(&self.edges) {
            for edge in edges {
                backwards[edge.to as usize].push(StepEdge { to: from, is_silent: edge.is_silent });
            }
        }
        backwards
    }

    /// The steps of the shortest closed walk from a node through an accepting one, if the distances reach that far.
    fn closed_walk(&self, a: u32, entry: u32, (forth, back): (&Distances, &Distances)) -> Option<u32> {
        if entry == a {
            return self.first_edge(a, back).map(|(_, steps)| steps);
        }
        let (forth, back) = (forth.of[entry as usize], back.of[entry as usize]);
        (back != FAR).then(|| forth + back)
    }

    /// The edge with which the shortest closed walk from a node begins, and the steps of the walk.
    fn first_edge(&self, a: u32, back: &Distances) -> Option<(u32, u32)> {
        let walk = |edge: &StepEdge| {
            let rest = back.of[edge.to as usize];
            (rest != FAR).then(|| (edge.to, rest + u32::from(!edge.is_silent)))
        };
        self.edges[a as usize].iter().filter_map(walk).min_by_key(|&(_, steps)| steps)
    }

    /// The nodes of the shortest closed walk from `entry` through `a`, without the first one.
    fn cycle(&self, a: u32, entry: u32, (forth, back): (&Distances, &Distances)) -> Vec<u32> {
        // Paths of the backward search end where they began.
        let to_a = |node: u32| back.path(node).into_iter().rev();
        if entry == a {
            let (next, _) = self.first_edge(a, back).expect("the walk was found");
            return to_a(next).collect();
        }
        to_a(entry).skip(1).chain(forth.path(entry).into_iter().skip(1)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn graph(random: &mut Random) -> StepGraph {
        let nodes = 1 + random.below(9);
        let mut edges = vec![Vec::new(); nodes];
        for _ in 0..random.below(3 * nodes) {
            let from = random.below(nodes);
            edges[from].push(StepEdge { to: random.below(nodes) as u32, is_silent: random.below(4) == 0 });
        }
        let accepting = (0..nodes).map(|_| random.below(3) == 0).collect();
        let roots = (0..1 + random.below(2)).map(|_| random.below(nodes) as u32).collect();
        StepGraph { edges, accepting, roots }
    }

    /// The least steps of walks of at least one edge between all pairs, by Floyd and Warshall.
    fn walks(graph: &StepGraph) -> Vec<Vec<u64>> {
        const NONE: u64 = 1 << 40;
        let nodes = graph.edges.len();
        let mut least = vec![vec![NONE; nodes]; nodes];
        for (from, edges) in graph.edges.iter().enumerate() {
            for edge in edges {
                let at = &mut least[from][edge.to as usize];
                *at = (*at).min(u64::from(!edge.is_silent));
            }
        }
        for via in 0..nodes {
            for from in 0..nodes {
                for to in 0..nodes {
                    least[from][to] = least[from][to].min(least[from][via] + least[via][to]);
                }
            }
        }
        least
    }

    fn expected(graph: &StepGraph) -> Option<u64> {
        let (walks, nodes) = (walks(graph), graph.edges.len());
        let mut best = None;
        for entry in 0..nodes {
            let to_entry = graph.roots.iter().map(|&root| match root as usize == entry {
                true => 0,
                false => walks[root as usize][entry],
            });
            let prefix = to_entry.min().expect("there are roots");
            for a in (0..nodes).filter(|&a| graph.accepting[a]) {
                let cycle = if a == entry { walks[a][a] } else { walks[entry][a] + walks[a][entry] };
                if prefix + cycle < 1 << 40 {
                    best = Some(best.map_or(prefix + cycle, |best: u64| best.min(prefix + cycle)));
                }
            }
        }
        best
    }

    /// The steps along some nodes, each edge as few as possible.
    fn steps(graph: &StepGraph, nodes: &[u32]) -> u32 {
        let step = |pair: &[u32]| {
            let between = graph.edges[pair[0] as usize].iter().filter(|edge| edge.to == pair[1]);
            between.map(|edge| u32::from(!edge.is_silent)).min().expect("an edge")
        };
        nodes.windows(2).map(step).sum()
    }

    #[test]
    fn lassos_are_as_short_as_all_pairs_allow() {
        let (mut found, mut limited) = (0, 0);
        for seed in 0..20_000 {
            let random = &mut Random::new(seed);
            let graph = graph(random);
            let shortest = graph.shortest_lasso(u64::MAX);
            assert!(shortest.is_proven);
            assert_eq!(
                shortest.lasso.as_ref().map(|lasso| u64::from(lasso.steps)),
                expected(&graph),
                "{graph:?}"
            );
            let Some(lasso) = shortest.lasso else { continue };
            found += 1;
            assert!(graph.roots.contains(&lasso.prefix[0]));
            let entry = *lasso.prefix.last().expect("an entry");
            assert_eq!(lasso.cycle.last(), Some(&entry), "{graph:?}");
            assert!(lasso.cycle.iter().any(|&node| graph.accepting[node as usize]));
            let round: Vec<u32> = std::iter::once(entry).chain(lasso.cycle.iter().copied()).collect();
            assert_eq!(steps(&graph, &lasso.prefix) + steps(&graph, &round), lasso.steps, "{graph:?}");
            // With less work the lasso may be longer, and says so.
            let part = graph.shortest_lasso(random.below(60) as u64);
            limited += usize::from(!part.is_proven);
            if let Some(other) = part.lasso {
                assert!(other.steps >= lasso.steps && (!part.is_proven || other.steps == lasso.steps));
            }
        }
        assert!(found > 4_000 && limited > 1_000, "{found} {limited}");
    }
}
