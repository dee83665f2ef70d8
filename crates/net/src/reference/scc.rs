//! Strongly connected components, of graphs that may grow while they are searched.
//!
//! Source: Tarjan, "Depth-First Search and Linear Graph Algorithms" (1972), without recursion: the successors of
//! the nodes on the path lie on one stack. Needs nodes numbered without large gaps. Components come in reverse
//! topological order. Cost: linear; 9 bytes a node and 4 an edge of the path. Test: below, by reachability.

use crate::Rows;

const UNSEEN: u32 = u32::MAX;

/// A graph whose components are wanted, with what ends the search early.
pub trait Space {
    /// Why the search ends early.
    type Stop;

    /// Adds the successors of a node to a list; asked once a node.
    fn successors(&mut self, node: u32, to: &mut Vec<u32>) -> Result<(), Self::Stop>;

    /// Takes the next component.
    fn component(&mut self, nodes: &[u32]) -> Result<(), Self::Stop>;
}

/// Goes through all components that can be reached from `roots`.
pub fn search<G: Space>(space: &mut G, roots: impl IntoIterator<Item = u32>) -> Result<(), G::Stop> {
    let mut tarjan = Tarjan::default();
    for root in roots {
        tarjan.enter(root, space)?;
        while let Some(&(node, base)) = tarjan.path.last() {
            if tarjan.pending.len() > base {
                let next = tarjan.pending.pop().expect("there is one above the base");
                tarjan.enter(next, space)?;
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
                space.component(&tarjan.close(node))?;
            }
        }
    }
    Ok(())
}

/// All components of a graph with nodes `0..len`.
pub fn components(len: usize, successors: impl FnMut(u32, &mut Vec<u32>)) -> Rows<u32> {
    let mut all = All { successors, found: Rows::new() };
    match search(&mut all, 0..len as u32) {
        Ok(()) => all.found,
    }
}

/// A graph of which every component is kept.
struct All<F> {
    successors: F,
    found: Rows<u32>,
}

impl<F: FnMut(u32, &mut Vec<u32>)> Space for All<F> {
    type Stop = std::convert::Infallible;

    fn successors(&mut self, node: u32, to: &mut Vec<u32>) -> Result<(), Self::Stop> {
        (self.successors)(node, to);
        Ok(())
    }

    fn component(&mut self, nodes: &[u32]) -> Result<(), Self::Stop> {
        self.found.push(nodes.iter().copied());
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
    fn enter<G: Space>(&mut self, node: u32, space: &mut G) -> Result<(), G::Stop> {
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
            space.successors(node, &mut self.pending)?;
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
            assert_eq!(found.items().len(), len);
            let of = |node: usize| found.iter().position(|c| c.contains(&(node as u32)));
            for (a, b) in (0..len).flat_map(|a| (0..len).map(move |b| (a, b))) {
                assert_eq!(reach[a][b] && reach[b][a], of(a) == of(b), "seed {seed}: {a} {b}");
            }
        }
    }
}
