//! The markings that wait in the outermost search for an `EU`, in another order than depth-first.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
};

use fireset_kernel::store::RowId;

use crate::Order;

/// What waits.
pub(super) enum Waiting {
    /// Nothing: the search is depth-first.
    Nothing,
    /// Markings, those first that were found first.
    Queue(VecDeque<RowId>),
    /// Markings, those first that look near.
    Heap(BinaryHeap<Reverse<(u64, RowId)>>),
}

impl Waiting {
    pub(super) fn new(order: Order) -> Self {
        match order {
            Order::DepthFirst => Self::Nothing,
            Order::BreadthFirst | Order::RandomWalk => Self::Queue(VecDeque::new()),
            Order::BestFirst => Self::Heap(BinaryHeap::new()),
        }
    }

    /// Adds a marking, so far from the goal.
    pub(super) fn push(&mut self, marking: RowId, distance: u64) {
        match self {
            Self::Nothing => {}
            Self::Queue(queue) => queue.push_back(marking),
            Self::Heap(heap) => heap.push(Reverse((distance, marking))),
        }
    }

    /// Takes the next marking.
    pub(super) fn pop(&mut self) -> Option<RowId> {
        match self {
            Self::Nothing => None,
            Self::Queue(queue) => queue.pop_front(),
            Self::Heap(heap) => heap.pop().map(|Reverse((_, marking))| marking),
        }
    }

    /// Forgets all markings.
    pub(super) fn clear(&mut self) {
        match self {
            Self::Nothing => {}
            Self::Queue(queue) => queue.clear(),
            Self::Heap(heap) => heap.clear(),
        }
    }

    /// The bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Queue(queue) => queue.capacity() * size_of::<RowId>(),
            Self::Heap(heap) => heap.capacity() * size_of::<Reverse<(u64, RowId)>>(),
        }
    }
}
