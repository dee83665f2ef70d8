//! Strong fairness inside of a component: a part of it with a cycle that meets every assumption.
//!
//! A component whose steps of some strong group are enabled but never taken can only have fair cycles that avoid the states
//! where they are enabled. So these states are taken out, and the components of the rest are looked at again. After
//! Emerson and Lei, "Modalities for model checking" (1987), and Latvala and Heljanko, "Coping with strong fairness" (2000).
//!
//! Each round takes out at least one state, and a group that is violated in a part is not enabled in the rest of it.
//! Cost: edges of the component times the number of strong groups, and memory for its edges. Test: `tests/runs.rs`.

use std::collections::HashMap;

use fireset_kernel::scc;
use fireset_net::Budget;

use super::{marks::Marks, product::RunProduct};
use crate::{
    ltl::ProductState,
    search::{MarkingSpace, SearchStop, Searched},
};

/// States with their marks, and the edges between them with theirs.
struct MarkedGraph {
    marks: Vec<Marks>,
    edges: Vec<Vec<(u32, Marks)>>,
}

/// States of a component that have a fair accepting cycle through all of them, with the marks of that cycle; `None` if there
/// are none.
pub(super) fn fair_part<S: MarkingSpace>(
    product: &mut RunProduct<'_, S>,
    component: &[ProductState],
    budget: &Budget,
) -> Searched<S, Option<(Vec<ProductState>, Marks)>> {
    let graph = graph(product, component, budget)?;
    let mut parts: Vec<Vec<u32>> = vec![(0..component.len() as u32).collect()];
    while let Some(part) = parts.pop() {
        budget.go_on().map_err(SearchStop::Reason)?;
        let mut inside = vec![false; component.len()];
        part.iter().for_each(|&state| inside[state as usize] = true);
        for states in graph.components(&part, &inside) {
            let marks = graph.marks_of(&states, product.marks.none());
            if !product.marks.is_almost_accepting(&marks) {
                continue;
            }
            let violated: Vec<usize> = product.marks.violated(&marks).collect();
            if violated.is_empty() {
                let states = states.iter().map(|&state| component[state as usize]).collect();
                return Ok(Some((states, marks)));
            }
            let avoids = |state: &u32| !violated.iter().any(|&mark| graph.marks[*state as usize].has(mark));
            let rest: Vec<u32> = states.into_iter().filter(avoids).collect();
            if !rest.is_empty() {
                parts.push(rest);
            }
        }
    }
    Ok(None)
}

fn graph<S: MarkingSpace>(
    product: &mut RunProduct<'_, S>,
    component: &[ProductState],
    budget: &Budget,
) -> Searched<S, MarkedGraph> {
    let numbers: HashMap<ProductState, u32> = component.iter().copied().zip(0..).collect();
    let mut graph = MarkedGraph { marks: Vec::new(), edges: Vec::new() };
    let mut count = 0;
    for (at, &state) in component.iter().enumerate() {
        let mut edges = Vec::new();
        for edge in product.edges(state)? {
            if let Some(&to) = numbers.get(&edge.to) {
                edges.push((to, product.edge_marks(edge.action)));
            }
        }
        count += edges.len();
        graph.marks.push(product.state_marks(state));
        graph.edges.push(edges);
        if at % 256 == 0 {
            let bytes = product.markings.bytes() + 96 * component.len() + 48 * count;
            let markings = product.markings.store.len() as u64;
            budget.check(bytes as u64, markings).map_err(SearchStop::Reason)?;
        }
    }
    Ok(graph)
}

impl MarkedGraph {
    /// Splits a part by mutual reachability within it.
    fn components(&self, part: &[u32], inside: &[bool]) -> Vec<Vec<u32>> {
        let mut number = vec![u32::MAX; self.edges.len()];
        for (at, &state) in (0..).zip(part) {
            number[state as usize] = at;
        }
        let components = scc::components(part.len(), |at, to| {
            let edges = &self.edges[part[at as usize] as usize];
            let inner = edges.iter().filter(|(next, _)| inside[*next as usize]);
            to.extend(inner.map(|(next, _)| number[*next as usize]));
        });
        components.iter().map(|states| states.iter().map(|&at| part[at as usize]).collect()).collect()
    }

    /// The marks of some states and of the edges between them.
    fn marks_of(&self, states: &[u32], mut marks: Marks) -> Marks {
        let mut inside: Vec<u32> = states.to_vec();
        inside.sort_unstable();
        for &state in states {
            marks.add(&self.marks[state as usize]);
            for (next, edge) in &self.edges[state as usize] {
                if inside.binary_search(next).is_ok() {
                    marks.add(edge);
                    marks.set_cyclic();
                }
            }
        }
        marks
    }
}
