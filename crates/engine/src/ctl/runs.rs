//! Steps between markings, and runs made of them.

use std::collections::{HashMap, VecDeque};

use fireset_kernel::store::RowId;

pub(super) struct MarkingEdge<N> {
    pub(super) from: RowId,
    pub(super) action: N,
    pub(super) to: RowId,
}

/// Orders steps, which lead from the first marking to all others, so that they form long runs. Each run starts in a marking
/// that was visited before, since the markings come in the order in which they were found.
pub(super) fn chained<N>(markings: &[RowId], steps: Vec<MarkingEdge<N>>) -> Vec<MarkingEdge<N>> {
    let mut open: HashMap<RowId, VecDeque<MarkingEdge<N>>> = HashMap::new();
    steps.into_iter().for_each(|edge| open.entry(edge.from).or_default().push_back(edge));
    let mut chained = Vec::new();
    for &marking in markings {
        while let Some(mut edge) = open.get_mut(&marking).and_then(VecDeque::pop_front) {
            while let Some(next) = open.get_mut(&edge.to).and_then(VecDeque::pop_front) {
                chained.push(edge);
                edge = next;
            }
            chained.push(edge);
        }
    }
    chained
}

/// A distance, and the step that led there.
type MarkingLink<N> = (u32, Option<(RowId, N)>);

/// MarkingTable that were found, each with its distance and the step that led to it.
pub(super) struct MarkingLinks<N> {
    before: HashMap<RowId, MarkingLink<N>>,
}

impl<N: Copy> MarkingLinks<N> {
    pub(super) fn new(start: RowId) -> Self {
        Self { before: HashMap::from([(start, (0, None))]) }
    }

    pub(super) fn has(&self, marking: RowId) -> bool {
        self.before.contains_key(&marking)
    }

    pub(super) fn add(&mut self, from: RowId, action: N, to: RowId) {
        let distance = self.before[&from].0 + 1;
        self.before.insert(to, (distance, Some((from, action))));
    }

    /// Whether a marking is on the run to another one, or equal to it.
    pub(super) fn is_before(&self, marking: RowId, mut other: RowId) -> bool {
        let distance = self.before[&marking].0;
        while let (farther, Some((before, _))) = self.before[&other]
            && farther > distance
        {
            other = before;
        }
        other == marking
    }

    /// The steps that led to a marking.
    pub(super) fn run_to(&self, mut to: RowId) -> Vec<MarkingEdge<N>> {
        let mut run = Vec::new();
        while let (_, Some((from, action))) = self.before[&to] {
            run.push(MarkingEdge { from, action, to });
            to = from;
        }
        run.reverse();
        run
    }
}
