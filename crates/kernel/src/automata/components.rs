//! Strongly connected components of a graph, and the coarsest partition that a signature does not split.

use super::size_limit::SizeLimit;

/// The strongly connected component of each node, after Tarjan, "Depth-first search and linear graph algorithms" (1972), without
/// recursion. An edge never leads to a component with a larger number.
#[derive(Clone, Debug)]
pub struct StateComponents {
    /// The component of each node.
    pub of: Vec<usize>,
    /// Components have the numbers below.
    pub count: usize,
}

impl StateComponents {
    /// The components of the graph with these successors of each node.
    pub fn new(successors: &[Vec<u32>]) -> Self {
        const NEW: usize = usize::MAX;
        let mut of = vec![NEW; successors.len()];
        let mut low = vec![NEW; successors.len()];
        let (mut count, mut time) = (0, 0);
        let (mut open, mut path) = (Vec::new(), Vec::new());
        for root in 0..successors.len() {
            if low[root] != NEW {
                continue;
            }
            path.push((root, 0, time));
            while let Some((node, at, entered)) = path.pop() {
                if at == 0 {
                    low[node] = time;
                    time += 1;
                    open.push(node);
                }
                let Some(&next) = successors[node].get(at) else {
                    if low[node] == entered {
                        while let Some(member) = open.pop() {
                            of[member] = count;
                            if member == node {
                                break;
                            }
                        }
                        count += 1;
                    } else if let Some(&(parent, ..)) = path.last() {
                        low[parent] = low[parent].min(low[node]);
                    }
                    continue;
                };
                let next = next as usize;
                path.push((node, at + 1, entered));
                if low[next] == NEW {
                    path.push((next, 0, time));
                } else if of[next] == NEW {
                    low[node] = low[node].min(low[next]);
                }
            }
        }
        Self { of, count }
    }

    /// For each component, whether it has an inner edge, so that a run can stay there.
    pub fn cyclic(&self, successors: &[Vec<u32>]) -> Vec<bool> {
        let mut cyclic = vec![false; self.count];
        for (node, targets) in successors.iter().enumerate() {
            if targets.iter().any(|&target| self.of[target as usize] == self.of[node]) {
                cyclic[self.of[node]] = true;
            }
        }
        cyclic
    }
}

/// The coarsest partition by refinement: nodes of a class have the same signature, which may depend on
/// the classes. The first node of a class comes before the first of the next class. `None` beyond the limit.
pub(super) fn partition<S: Ord>(
    count: usize,
    size: usize,
    limit: &mut SizeLimit,
    signature: impl Fn(usize, &[u32]) -> S,
) -> Option<Vec<u32>> {
    let mut classes = vec![0; count];
    let mut class_count = usize::from(count > 0);
    loop {
        limit.spend(count + size)?;
        let mut index = std::collections::BTreeMap::new();
        let mut refined = Vec::with_capacity(count);
        for (node, &class) in classes.iter().enumerate() {
            let next = index.len() as u32;
            refined.push(*index.entry((class, signature(node, &classes))).or_insert(next));
        }
        classes = refined;
        if index.len() == class_count {
            return Some(classes);
        }
        class_count = index.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_in_reverse_topological_order() {
        let graph = [vec![1, 4], vec![2], vec![1, 3], vec![3], vec![0, 5], vec![]];
        let components = StateComponents::new(&graph);
        assert_eq!(components.of[0], components.of[4]);
        assert_eq!(components.of[1], components.of[2]);
        assert_eq!(components.count, 4);
        for (node, targets) in graph.iter().enumerate() {
            assert!(targets.iter().all(|&t| components.of[t as usize] <= components.of[node]));
        }
        let cyclic = components.cyclic(&graph);
        let cyclic: Vec<bool> = components.of.iter().map(|&c| cyclic[c]).collect();
        assert_eq!(cyclic, [true, true, true, true, true, false]);
    }

    #[test]
    fn a_partition_is_the_coarsest() {
        // Two cycles of different lengths and a tail into one of them: all look alike but node 5.
        let next = [1, 0, 3, 4, 2, 0];
        let classes = partition(6, 6, &mut SizeLimit::new(100), |n, of| (n == 5, of[next[n]])).unwrap();
        assert_eq!(classes, [0, 0, 0, 0, 0, 1]);
        assert!(partition(6, 6, &mut SizeLimit::new(0), |n, _| n).is_none());
    }
}
