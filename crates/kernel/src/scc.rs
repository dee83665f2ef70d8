//! Strongly connected components, of graphs that may grow while they are searched.
//!
//! Source: Tarjan, "Depth-First Search and Linear Graph Algorithms" (1972), without recursion: the successors of
//! the nodes on the path lie on one stack. Needs nodes numbered without large gaps. Components come in reverse
//! topological order. Cost: linear; 9 bytes a node and 4 an edge of the path. Test: below, by reachability.

const UNSEEN: u32 = u32::MAX;

/// A graph that lists its successors on demand and takes its components one by one; both may end the search.
pub trait SccGraph {
    /// Why the search ends before all components are found.
    type Stop;

    /// Adds the successors of a node to `to`; called once for each node.
    fn successors(&mut self, node: u32, to: &mut Vec<u32>) -> Result<(), Self::Stop>;

    /// Takes the next component, after all components that it leads to.
    fn component(&mut self, nodes: &[u32]) -> Result<(), Self::Stop>;
}

/// Goes through all components that can be reached from `roots`.
pub fn search<G: SccGraph>(graph: &mut G, roots: impl IntoIterator<Item = u32>) -> Result<(), G::Stop> {
    let mut tarjan = Tarjan::default();
    for root in roots {
        tarjan.enter(root, graph)?;
        while let Some(&(node, base)) = tarjan.path.last() {
            if tarjan.pending.len() > base {
                let next = tarjan.pending.pop().expect("there is one above the base");
                tarjan.enter(next, graph)?;
                // Entered now or before: as long as it is open, `node` can go back as far as it can.
                if !tarjan.closed[next as usize] {
                    tarjan.lower(node, tarjan.low[next as usize]);
                }
                continue;
            }
            tarjan.path.pop();
            if let Some(&(parent, _)) = tarjan.path.last() {
                tarjan.lower(parent, tarjan.low[node as usize]);
            }
            if tarjan.low[node as usize] == tarjan.order[node as usize] {
                graph.component(&tarjan.close(node))?;
            }
        }
    }
    Ok(())
}

/// All components of the graph with nodes `0..len`.
pub fn components(len: usize, successors: impl FnMut(u32, &mut Vec<u32>)) -> ComponentList {
    let found = ComponentList { starts: vec![0], nodes: Vec::with_capacity(len) };
    let mut collector = ComponentCollector { successors, found };
    match search(&mut collector, 0..len as u32) {
        Ok(()) => collector.found,
    }
}

/// Components in reverse topological order, in two flat arrays.
#[derive(Clone, Debug)]
pub struct ComponentList {
    starts: Vec<usize>,
    nodes: Vec<u32>,
}

impl ComponentList {
    /// The number of components, not of nodes.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether the graph has no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes of each component.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.starts.windows(2).map(|ends| &self.nodes[ends[0]..ends[1]])
    }
}

impl std::ops::Index<usize> for ComponentList {
    type Output = [u32];

    fn index(&self, component: usize) -> &[u32] {
        &self.nodes[self.starts[component]..self.starts[component + 1]]
    }
}

struct ComponentCollector<F> {
    successors: F,
    found: ComponentList,
}

impl<F: FnMut(u32, &mut Vec<u32>)> SccGraph for ComponentCollector<F> {
    type Stop = std::convert::Infallible;

    fn successors(&mut self, node: u32, to: &mut Vec<u32>) -> Result<(), Self::Stop> {
        (self.successors)(node, to);
        Ok(())
    }

    fn component(&mut self, nodes: &[u32]) -> Result<(), Self::Stop> {
        self.found.nodes.extend_from_slice(nodes);
        self.found.starts.push(self.found.nodes.len());
        Ok(())
    }
}

#[derive(Default)]
struct Tarjan {
    /// When each node was entered.
    order: Vec<u32>,
    /// The earliest open node that can be reached from it, as far as is known.
    low: Vec<u32>,
    closed: Vec<bool>,
    stack: Vec<u32>,
    /// The path with where each node's successors start in `pending`.
    path: Vec<(u32, usize)>,
    pending: Vec<u32>,
    entered: u32,
}

impl Tarjan {
    /// Enters a node unless it was entered before.
    fn enter<G: SccGraph>(&mut self, node: u32, graph: &mut G) -> Result<(), G::Stop> {
        let at = node as usize;
        if at >= self.order.len() {
            self.order.resize(at + 1, UNSEEN);
            self.low.resize(at + 1, UNSEEN);
            self.closed.resize(at + 1, false);
        }
        if self.order[at] == UNSEEN {
            (self.order[at], self.low[at]) = (self.entered, self.entered);
            self.entered += 1;
            self.stack.push(node);
            self.path.push((node, self.pending.len()));
            graph.successors(node, &mut self.pending)?;
        }
        Ok(())
    }

    fn lower(&mut self, node: u32, low: u32) {
        let own = &mut self.low[node as usize];
        *own = low.min(*own);
    }

    /// Takes the component of `node` off the stack.
    fn close(&mut self, node: u32) -> Vec<u32> {
        let at = self.stack.iter().rposition(|&n| n == node).expect("an open node is on the stack");
        let found = self.stack.split_off(at);
        found.iter().for_each(|&n| self.closed[n as usize] = true);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::components;
    use crate::random::Random;

    /// Two nodes share a component exactly when each reaches the other.
    #[test]
    fn components_are_mutual_reachability() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let len = 1 + random.below(9);
            let edges: Vec<(usize, usize)> =
                (0..random.below(20)).map(|_| (random.below(len), random.below(len))).collect();
            let mut reach = vec![vec![false; len]; len];
            (0..len).for_each(|n| reach[n][n] = true);
            edges.iter().for_each(|&(a, b)| reach[a][b] = true);
            for k in 0..len {
                for i in 0..len {
                    for j in 0..len {
                        reach[i][j] |= reach[i][k] && reach[k][j];
                    }
                }
            }
            let found = components(len, |node, to| {
                to.extend(edges.iter().filter(|e| e.0 == node as usize).map(|e| e.1 as u32));
            });
            assert_eq!(found.iter().map(<[u32]>::len).sum::<usize>(), len);
            let of = |node: usize| found.iter().position(|c| c.contains(&(node as u32)));
            for (a, b) in (0..len).flat_map(|a| (0..len).map(move |b| (a, b))) {
                assert_eq!(reach[a][b] && reach[b][a], of(a) == of(b), "seed {seed}: {a} {b}");
            }
        }
    }
}
