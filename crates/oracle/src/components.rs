//! Strongly connected components by two searches: Kosaraju's algorithm as Sharir published it (1981).
//!
//! Why: the engines use Tarjan's algorithm on graphs that grow; the oracle has another one, so that a mistake in
//! either shows. Needs the whole graph. Cost: linear. Test: below, by reachability.

/// The components of the graph in which node `n` leads to `successors[n]`.
pub(super) fn components(successors: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (node, targets) in successors.iter().enumerate() {
        targets.iter().for_each(|&target| predecessors[target as usize].push(node as u32));
    }
    let mut seen = vec![false; successors.len()];
    let order = finishing_order(successors);
    let mut found = Vec::new();
    for &root in order.iter().rev() {
        if std::mem::replace(&mut seen[root as usize], true) {
            continue;
        }
        // Of the nodes not taken by an earlier component, those that reach `root` are also reached by it.
        let mut component = vec![root];
        let mut at = 0;
        while at < component.len() {
            for &source in &predecessors[component[at] as usize] {
                if !std::mem::replace(&mut seen[source as usize], true) {
                    component.push(source);
                }
            }
            at += 1;
        }
        found.push(component);
    }
    found
}

/// All nodes in the order in which a depth-first search leaves them.
fn finishing_order(successors: &[Vec<u32>]) -> Vec<u32> {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::with_capacity(successors.len());
    for root in 0..successors.len() {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        // Each node of the path with the number of its successors that were followed.
        let mut path = vec![(root, 0)];
        while let Some((node, followed)) = path.last_mut() {
            match successors[*node].get(*followed) {
                Some(&next) => {
                    *followed += 1;
                    if !std::mem::replace(&mut seen[next as usize], true) {
                        path.push((next as usize, 0));
                    }
                }
                None => {
                    order.push(*node as u32);
                    path.pop();
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::components;
    use crate::random::TestRng;

    /// Two nodes share a component exactly when each reaches the other.
    #[test]
    fn components_are_mutual_reachability() {
        for seed in 0..500 {
            let mut random = TestRng::new(seed);
            let len = 1 + random.below(9);
            let mut successors = vec![Vec::new(); len];
            let mut reach: Vec<Vec<bool>> = (0..len).map(|a| (0..len).map(|b| a == b).collect()).collect();
            for _ in 0..random.below(20) {
                let (from, to) = (random.below(len), random.below(len));
                successors[from].push(to as u32);
                reach[from][to] = true;
            }
            for via in 0..len {
                for from in 0..len {
                    for to in 0..len {
                        reach[from][to] |= reach[from][via] && reach[via][to];
                    }
                }
            }
            let found = components(&successors);
            assert_eq!(found.iter().map(Vec::len).sum::<usize>(), len);
            let of = |node: usize| found.iter().position(|c| c.contains(&(node as u32)));
            for (a, b) in (0..len).flat_map(|a| (0..len).map(move |b| (a, b))) {
                assert_eq!(reach[a][b] && reach[b][a], of(a) == of(b), "seed {seed}: {a} {b}");
            }
        }
    }
}
