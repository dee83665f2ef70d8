//! A lasso from an accepting component of the product: a shortest way in, then a round that passes a node for
//! each until. Where a deadlock repeats nothing fires, so a component of a deadlock gives an empty cycle.

use std::collections::{HashMap, HashSet, VecDeque};

use fireset_net::{Lasso, Semantics, Step, StopReason, reachability::ReachabilityEdge};

use crate::ltl::TableauProduct;

/// A way through the product: what fires, and the node after it.
type ProductPath = Vec<(Option<ReachabilityEdge>, u32)>;

/// A run that starts in one of `roots` and goes round in `component` for ever.
pub(super) fn build<S: Semantics>(
    product: &mut TableauProduct<'_, S>,
    roots: &[u32],
    component: Vec<u32>,
) -> Result<Lasso, StopReason> {
    let inside: HashSet<u32> = component.into_iter().collect();
    let (entry, prefix) = match roots.iter().find(|root| inside.contains(*root)) {
        Some(&root) => (root, ProductPath::new()),
        None => {
            let way = shortest(product, roots, |_| true, |_, node| inside.contains(&node))?;
            (way.last().expect("a way has a step").1, way)
        }
    };
    let all = product.all_fulfilled();
    let (mut at, mut seen, mut cycle) = (entry, product.fulfilled(entry), ProductPath::new());
    while seen != all {
        let useful = |product: &TableauProduct<'_, S>, node| product.fulfilled(node) & !seen != 0;
        cycle.extend(shortest(product, &[at], |node| inside.contains(&node), useful)?);
        at = cycle.last().expect("a way has a step").1;
        seen |= product.fulfilled(at);
    }
    if cycle.is_empty() || at != entry {
        cycle.extend(shortest(product, &[at], |node| inside.contains(&node), |_, node| node == entry)?);
    }
    let graph = product.explored.graph;
    let steps = |way: ProductPath| -> Vec<Step> {
        way.into_iter().filter_map(|(edge, _)| edge.map(|e| graph.step(e).clone())).collect()
    };
    Ok(Lasso { prefix: steps(prefix), cycle: steps(cycle) })
}

/// A shortest way of at least one step from one of `starts` through `inside` to `goal`, which exists.
fn shortest<S: Semantics>(
    product: &mut TableauProduct<'_, S>,
    starts: &[u32],
    inside: impl Fn(u32) -> bool,
    goal: impl Fn(&TableauProduct<'_, S>, u32) -> bool,
) -> Result<ProductPath, StopReason> {
    // How each node was reached; `None` for those to start from.
    let mut from: HashMap<u32, Option<(Option<ReachabilityEdge>, u32)>> =
        starts.iter().map(|&s| (s, None)).collect();
    let mut queue: VecDeque<u32> = starts.iter().copied().collect();
    let mut successors = Vec::new();
    while let Some(node) = queue.pop_front() {
        product.each_successor(node, |edge, next| successors.push((edge, next)))?;
        for (edge, next) in successors.drain(..).filter(|&(_, next)| inside(next)) {
            if goal(product, next) {
                let mut way = vec![(edge, next)];
                let mut at = node;
                while let Some((edge, before)) = from[&at] {
                    way.push((edge, at));
                    at = before;
                }
                way.reverse();
                return Ok(way);
            }
            from.entry(next).or_insert_with(|| {
                queue.push_back(next);
                Some((edge, node))
            });
        }
    }
    panic!("the nodes of a component reach each other, and the roots reach it")
}
