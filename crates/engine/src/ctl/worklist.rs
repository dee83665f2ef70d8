//! The markings whose successors wait to be visited; the order of a search is the order in which they are taken.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
};

use fireset_kernel::store::{ChunkedVec, RowId};

use crate::Order;

pub(super) enum Worklist {
    /// The order is depth-first.
    Stack(ChunkedVec<RowId>),
    /// The order is breadth-first.
    Queue(VecDeque<RowId>),
    /// Best-first, by the distance to the goal.
    Heap(BinaryHeap<Reverse<(u64, RowId)>>),
}

impl Worklist {
    pub(super) fn new(order: Order) -> Self {
        match order {
            Order::DepthFirst => Self::Stack(ChunkedVec::default()),
            Order::BreadthFirst => Self::Queue(VecDeque::new()),
            Order::BestFirst => Self::Heap(BinaryHeap::new()),
        }
    }

    /// Adds a marking with its estimated distance to the goal.
    pub(super) fn push(&mut self, marking: RowId, distance: u64) {
        match self {
            Self::Stack(stack) => stack.push(marking),
            Self::Queue(queue) => queue.push_back(marking),
            Self::Heap(heap) => heap.push(Reverse((distance, marking))),
        }
    }

    pub(super) fn pop(&mut self) -> Option<RowId> {
        match self {
            Self::Stack(stack) => stack.pop(),
            Self::Queue(queue) => queue.pop_front(),
            Self::Heap(heap) => heap.pop().map(|Reverse((_, marking))| marking),
        }
    }

    /// Adds the markings of another worklist with the same order.
    pub(super) fn append(&mut self, other: Self) {
        match (self, other) {
            (Self::Stack(stack), Self::Stack(mut other)) => other.iter_mut().for_each(|at| stack.push(*at)),
            (Self::Queue(queue), Self::Queue(mut other)) => queue.append(&mut other),
            (Self::Heap(heap), Self::Heap(mut other)) => heap.append(&mut other),
            _ => panic!("one search has one order"),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Stack(stack) => stack.is_empty(),
            Self::Queue(queue) => queue.is_empty(),
            Self::Heap(heap) => heap.is_empty(),
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Self::Stack(stack) => *stack = ChunkedVec::default(),
            Self::Queue(queue) => queue.clear(),
            Self::Heap(heap) => heap.clear(),
        }
    }

    /// The bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Stack(stack) => stack.bytes(),
            Self::Queue(queue) => queue.capacity() * size_of::<RowId>(),
            Self::Heap(heap) => heap.capacity() * size_of::<Reverse<(u64, RowId)>>(),
        }
    }
}
