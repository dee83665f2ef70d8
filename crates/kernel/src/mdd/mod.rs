//! Sets of vectors as multi-valued decision diagrams (MDDs): vectors with the same tail share the nodes of that tail.
//!
//! Why: a set of 10^18 markings fits into memory where its parts depend little on each other.
//! After Miller and Drechsler (multi-valued diagrams) and Ciardo, Lüttgen and Siminiceanu, "Saturation: an efficient iteration
//! strategy for symbolic state-space generation" (TACAS 2001), which is in `saturation`. Differences: the domains of the variables
//! are not known beforehand, so a node lists the local states that it has; and no variable is skipped.
//!
//! A vector has a local state for each variable, from the highest down to 1. A node of variable `n` stands for a set of vectors
//! over the variables `n` to 1: ascending local states, each with the node of the tails that follow it.
//! Invariants: (1) equal sets are equal nodes; (2) a node's children have smaller indices and the next lower variable;
//! (3) no child is the empty set.
//! Cost: 8 bytes for an edge and about 20 for a node; operations cost the product of their nodes at worst, and cache the pairs
//! that they have seen. Test: below, against sets that are lists.

mod saturation;
#[cfg(test)]
mod tests;

pub use saturation::{EventSuffix, NextStateRelation, RelationNumber, Saturation};

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use self::saturation::{ImageMode, StepCaches};

/// Edges that operations usually visit between two checks of the limits.
pub const POLL_INTERVAL: usize = 1 << 14;

/// The index of a value of one variable, from 0 on.
pub type LocalState = u32;

/// A handle of a node of an [`MddManager`], which stands for a set of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MddNode(u32);

impl MddNode {
    /// The set without vectors, at any variable.
    pub const EMPTY: Self = Self(0);
    /// The set of the vector of length 0, which ends every path.
    pub const UNIT: Self = Self(1);
    /// All vectors, of whatever length: the constraint that excludes none. It has no edges.
    pub const ALL: Self = Self(u32::MAX);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operation ended early because the caller's check refused to go on, or because node indices ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SetOperation {
    Union,
    Intersection,
    Difference,
}

/// A local state and the node of the tails that follow it.
pub type MddEdge = (LocalState, MddNode);

/// The unique table of all nodes, with the caches of the set operations.
pub struct MddManager<'g> {
    /// The index of each node's first edge, and at the end the number of edges.
    starts: Vec<u32>,
    variables: Vec<u32>,
    edges: Vec<MddEdge>,
    unique: HashTable<u32>,
    hasher: DefaultHashBuilder,
    operation_cache: HashMap<(SetOperation, MddNode, MddNode), MddNode>,
    /// The results of relations that have a number.
    step_caches: HashMap<(RelationNumber, ImageMode), StepCaches>,
    /// A stack of the edges of nodes under construction.
    pending_edges: Vec<MddEdge>,
    /// Decides, given the bytes in use, whether operations go on.
    go_on: &'g dyn Fn(usize) -> bool,
    /// Bytes of caches that operations hold outside the manager.
    cache_bytes: usize,
    poll_interval: usize,
    until_poll: usize,
}

impl<'g> MddManager<'g> {
    /// Starts with [`MddNode::EMPTY`] and [`MddNode::UNIT`] only. Operations pass `go_on` the bytes in use from time to time and
    /// stop when it returns false.
    pub fn new(go_on: &'g dyn Fn(usize) -> bool) -> Self {
        Self {
            starts: vec![0; 3],
            variables: vec![0; 2],
            edges: Vec::new(),
            unique: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            operation_cache: HashMap::new(),
            step_caches: HashMap::new(),
            pending_edges: Vec::new(),
            go_on,
            cache_bytes: 0,
            poll_interval: POLL_INTERVAL,
            until_poll: POLL_INTERVAL,
        }
    }

    /// Sets the number of edges that operations visit between two checks of the limits.
    #[must_use]
    pub fn with_poll_interval(self, poll_interval: usize) -> Self {
        Self { poll_interval, until_poll: poll_interval, ..self }
    }

    /// The number of nodes, the two terminal nodes included.
    pub fn len(&self) -> usize {
        self.variables.len()
    }

    /// Always false: the terminal nodes exist from the start.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The bytes of nodes, unique table and caches.
    pub fn bytes(&self) -> usize {
        let nodes =
            self.variables.capacity() * 2 * size_of::<u32>() + self.edges.capacity() * size_of::<MddEdge>();
        let unique = self.unique.capacity() * (size_of::<u32>() + 1);
        let steps: usize = self.step_caches.values().map(StepCaches::bytes).sum();
        nodes + unique + table_bytes(&self.operation_cache) + steps + self.cache_bytes
    }

    /// The variable of a node that is not [`MddNode::EMPTY`]; 0 for [`MddNode::UNIT`].
    pub fn variable(&self, node: MddNode) -> usize {
        self.variables[node.index()] as usize
    }

    /// The edges of a node, by ascending local state.
    pub fn edges(&self, node: MddNode) -> &[MddEdge] {
        &self.edges[self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize]
    }

    fn edge_range(&self, node: MddNode) -> (usize, usize) {
        (self.starts[node.index()] as usize, self.starts[node.index() + 1] as usize)
    }

    /// The tails that follow a local state; empty if the node has no such edge.
    pub fn child(&self, node: MddNode, local: LocalState) -> MddNode {
        match node {
            MddNode::ALL => MddNode::ALL,
            node => match self.edges(node) {
                // Most nodes have few edges.
                few if few.len() <= 4 => few.iter().find(|e| e.0 == local).map_or(MddNode::EMPTY, |e| e.1),
                many => many.binary_search_by_key(&local, |e| e.0).map_or(MddNode::EMPTY, |at| many[at].1),
            },
        }
    }

    /// The node with these edges, whose local states ascend and whose children are not empty.
    pub fn node(&mut self, variable: usize, edges: &[MddEdge]) -> Result<MddNode, Stopped> {
        let from = self.pending_edges.len();
        self.pending_edges.extend_from_slice(edges);
        self.intern(variable, from)
    }

    /// Takes the pending edges from `from` on and gives the node that has them.
    fn intern(&mut self, variable: usize, from: usize) -> Result<MddNode, Stopped> {
        let Self { starts, variables, edges, unique, hasher, pending_edges, .. } = self;
        let new = &pending_edges[from..];
        if new.is_empty() {
            return Ok(MddNode::EMPTY);
        }
        debug_assert!(
            new.is_sorted_by_key(|e| e.0) && new.iter().all(|e| e.1 != MddNode::EMPTY),
            "invariant 3"
        );
        debug_assert!(new.iter().all(|e| variables[e.1.index()] as usize + 1 == variable), "invariant 2");
        let of = |at: u32| &edges[starts[at as usize] as usize..starts[at as usize + 1] as usize];
        let hash = hasher.hash_one((variable, new));
        // Equal children imply equal variables.
        let known = unique.find(hash, |&at| of(at) == new).copied();
        if let Some(known) = known {
            pending_edges.truncate(from);
            return Ok(MddNode(known));
        }
        // Indices of edges and nodes have 32 bits.
        if edges.len() + new.len() >= u32::MAX as usize {
            return Err(Stopped);
        }
        let at = variables.len() as u32;
        unique.insert_unique(hash, at, |&at| hasher.hash_one((variables[at as usize] as usize, of(at))));
        edges.extend_from_slice(new);
        starts.push(edges.len() as u32);
        variables.push(variable as u32);
        pending_edges.truncate(from);
        self.poll(1)?;
        Ok(MddNode(at))
    }

    /// Keeps the first `len` nodes and frees the others, together with the caches.
    pub fn truncate(&mut self, len: usize) {
        self.operation_cache = HashMap::new();
        self.step_caches = HashMap::new();
        self.pending_edges.clear();
        for at in len..self.len() {
            let node = MddNode(at as u32);
            let hash = self.hasher.hash_one((self.variable(node), self.edges(node)));
            let entry = self.unique.find_entry(hash, |&other| other == node.0);
            entry.expect("the unique table has each node once").remove();
        }
        self.variables.truncate(len);
        self.starts.truncate(len + 1);
        self.edges.truncate(self.starts[len] as usize);
        self.variables.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.edges.shrink_to_fit();
        let Self { starts, variables, edges, unique, hasher, .. } = self;
        let of = |at: u32| &edges[starts[at as usize] as usize..starts[at as usize + 1] as usize];
        unique.shrink_to_fit(|&at| hasher.hash_one((variables[at as usize] as usize, of(at))));
    }

    /// Keeps the nodes of one set and frees the others, together with the caches; gives the set's new node.
    pub fn retain(&mut self, root: MddNode) -> MddNode {
        let kept = self.nodes(root);
        let new = Self::new(self.go_on).with_poll_interval(usize::MAX);
        let old = std::mem::replace(self, new);
        let mut new_of = HashMap::with_capacity(kept.len());
        let mut edges = Vec::new();
        new_of.extend([MddNode::EMPTY, MddNode::UNIT].map(|node| (node, node)));
        for node in kept {
            edges.clear();
            edges.extend(old.edges(node).iter().map(|&(local, child)| (local, new_of[&child])));
            let new = self.node(old.variable(node), &edges).expect("the limits are not checked");
            new_of.insert(node, new);
        }
        (self.poll_interval, self.until_poll) = (old.poll_interval, old.poll_interval);
        new_of[&root]
    }

    /// Counts visited edges and checks the limits each `poll_interval` of them.
    fn poll(&mut self, visited: usize) -> Result<(), Stopped> {
        self.until_poll = self.until_poll.saturating_sub(visited);
        if self.until_poll > 0 {
            return Ok(());
        }
        self.until_poll = self.poll_interval;
        self.check_limits()
    }

    /// Fails if the caller's check refuses to go on.
    pub fn check_limits(&self) -> Result<(), Stopped> {
        if (self.go_on)(self.bytes()) { Ok(()) } else { Err(Stopped) }
    }

    /// The set of one vector, whose first local state is that of variable 1.
    pub fn vector(&mut self, local_states: &[LocalState]) -> Result<MddNode, Stopped> {
        let mut node = MddNode::UNIT;
        for (below, &local) in local_states.iter().enumerate() {
            node = self.node(below + 1, &[(local, node)])?;
        }
        Ok(node)
    }

    /// Vectors of either set.
    pub fn union(&mut self, a: MddNode, b: MddNode) -> Result<MddNode, Stopped> {
        self.apply(SetOperation::Union, a, b)
    }

    /// Vectors of both sets.
    pub fn intersection(&mut self, a: MddNode, b: MddNode) -> Result<MddNode, Stopped> {
        self.apply(SetOperation::Intersection, a, b)
    }

    /// Vectors of the first set that are not in the second.
    pub fn difference(&mut self, a: MddNode, b: MddNode) -> Result<MddNode, Stopped> {
        self.apply(SetOperation::Difference, a, b)
    }

    fn apply(&mut self, operation: SetOperation, a: MddNode, b: MddNode) -> Result<MddNode, Stopped> {
        use SetOperation::{Difference, Intersection, Union};
        match (operation, a, b) {
            (Union | Intersection, a, b) if a == b => return Ok(a),
            (Difference, a, b) if a == b => return Ok(MddNode::EMPTY),
            (Union, MddNode::EMPTY, other) | (Union | Difference, other, MddNode::EMPTY) => return Ok(other),
            (Intersection | Difference, MddNode::EMPTY, _) | (Intersection, _, MddNode::EMPTY) => {
                return Ok(MddNode::EMPTY);
            }
            (Intersection, MddNode::ALL, other) | (Intersection, other, MddNode::ALL) => return Ok(other),
            _ => {}
        }
        let key = if operation == Difference { (operation, a, b) } else { (operation, a.min(b), a.max(b)) };
        if let Some(&known) = self.operation_cache.get(&key) {
            return Ok(known);
        }
        debug_assert_eq!(self.variable(a), self.variable(b), "both sets are over the same variables");
        let ((mut i, end), (mut j, other_end)) = (self.edge_range(a), self.edge_range(b));
        self.poll(end - i + other_end - j)?;
        let from = self.pending_edges.len();
        while i < end || j < other_end {
            // The recursive calls may move the edges in memory.
            let left = if i < end { self.edges[i].0 } else { u32::MAX };
            let right = if j < other_end { self.edges[j].0 } else { u32::MAX };
            let local = left.min(right);
            let x = if left == local { self.edges[i].1 } else { MddNode::EMPTY };
            let y = if right == local { self.edges[j].1 } else { MddNode::EMPTY };
            i += usize::from(left == local);
            j += usize::from(right == local);
            let child = self.apply(operation, x, y)?;
            if child != MddNode::EMPTY {
                self.pending_edges.push((local, child));
            }
        }
        let node = self.intern(self.variable(a), from)?;
        self.operation_cache.insert(key, node);
        Ok(node)
    }

    /// Computes a value for each node below and including `root`, bottom up: `value` gets a node's variable, its edges and the
    /// values of its children; [`MddNode::UNIT`] has the value `unit`.
    pub fn fold<T>(
        &self,
        root: MddNode,
        unit: T,
        mut value: impl FnMut(usize, &[MddEdge], &NodeValues<T>) -> T,
    ) -> NodeValues<T> {
        let nodes = self.nodes(root);
        let mut folded = NodeValues { values: HashMap::with_capacity(nodes.len()) };
        folded.values.insert(MddNode::UNIT, unit);
        for node in nodes {
            let here = value(self.variable(node), self.edges(node), &folded);
            folded.values.insert(node, here);
        }
        folded
    }

    /// The nodes below and including `root` without the terminal ones; children come before parents.
    pub fn nodes(&self, root: MddNode) -> Vec<MddNode> {
        let (mut seen, mut all) = (vec![false; root.index() + 1], Vec::new());
        seen[root.index()] = true;
        // Invariant 2.
        for at in (2..=root.index()).rev().filter(|_| root > MddNode::UNIT) {
            if seen[at] {
                all.push(MddNode(at as u32));
                self.edges(MddNode(at as u32)).iter().for_each(|e| seen[e.1.index()] = true);
            }
        }
        all.reverse();
        all
    }
}

/// The values that [`MddManager::fold`] gave to nodes.
pub struct NodeValues<T> {
    values: HashMap<MddNode, T>,
}

impl<T> std::ops::Index<MddNode> for NodeValues<T> {
    type Output = T;

    fn index(&self, node: MddNode) -> &T {
        &self.values[&node]
    }
}

/// An estimate of the bytes of a hash table, its free slots included.
fn table_bytes<K, V>(table: &HashMap<K, V>) -> usize {
    table.capacity() * (size_of::<(K, V)>() + 1) * 8 / 7
}
