//! The values of `EU` and `AU` by dependency graphs, in any order.
//!
//! Depth-first search decides all that it meets, but it may go far where a goal is near. Other orders need to know who
//! depends on a value that is found: then every operator can be searched breadth-first or best-first, and what one
//! question left open serves the next. After Dalsgaard et al., "Extended Dependency Graphs and Efficient Distributed
//! Fixed-Point Computation" (Petri Nets 2017). A configuration, an operator in a marking, is one, certainly zero, or open;
//! an open one counts its successors that are open, and each of those has a list of who depends on it. `EU` is one when
//! a successor is, zero when all are; `AU` is zero when a successor is, one when all are. Values that are found go to
//! all that depend on them at once. What is open when nothing waits any more is zero, since both are least fixed points.
//!
//! We differ in this: operators inside are not edges of the graph. Each operator has a graph of its own, and a
//! configuration that needs an operator inside asks for it on the path of searches of [`super::evaluate`], which goes
//! on when that has its final value. So an edge takes 8 bytes, negations need no care, and a question that is answered
//! leaves its graph as it is: what waits there is gone on with when something else is asked. `EX` has no graph: it
//! asks one successor after another.
//!
//! A new question must not work off what older ones left. It begins a level of its own, with what it makes wait. When
//! nothing of a level waits any more its open configurations are zero if none of them depends on an older one; otherwise
//! it becomes a part of the level below. A configuration that waits is passed over when nothing open depends on it.
//!
//! In a graph alone a cycle without a goal, which makes `AU` false, is seen only when nothing waits any more. So a node
//! knows the one from which it was found first, and one that leads to a near ancestor is zero. Depth-first search sees
//! all cycles at once, this one only some.
//!
//! Invariants: (1) an open configuration waits, or was expanded and counts at least one open successor, in whose list
//! it is; (2) only the uppermost level is expanded, so nodes and edges of a level lie above those of the levels below,
//! and nothing below depends on it; (3) `low` of a level is the oldest node that one of its nodes depends on; (4) in
//! all levels but the uppermost something waits, and between two questions in that too.
//! Cost: the edges times the operators; 16 bytes for an open configuration, 8 for an edge to one.
//! Test: `tests/ctl.rs`, against the reference checker.

use fireset_kernel::store::{Chunks, RowId};

use super::{
    evaluate::{Evaluation, Frame, Known},
    operators::{Kind, OperatorId},
    values::{Standing, Values},
    waiting::Waiting,
};
use crate::{
    Order,
    search::{ActionCursor, MarkingSpace, SearchStop},
};

/// The position of a node.
type NodeId = u32;

/// The end of a list.
const NONE: u32 = u32::MAX;
/// How far ancestors are looked for.
const NEAR: usize = 256;

/// A configuration that is or was open.
#[derive(Clone, Copy)]
struct Node {
    marking: RowId,
    /// From where it was found first; itself, if it was asked for.
    parent: NodeId,
    /// The first edge to one that depends on it.
    dependents: u32,
    /// How many of its successors are open, once it is expanded; before that one of the two numbers below.
    open: u32,
}

/// The marking alone does not decide it.
const READY: u32 = 0;
/// Operators inside have to be asked for in its marking first.
const ASKING: u32 = u32::MAX;

impl Node {
    fn is_expanded(self) -> bool {
        self.open != READY && self.open != ASKING
    }
}

/// A place in the list of those that depend on a node.
#[derive(Clone, Copy)]
struct Edge {
    dependent: NodeId,
    next: u32,
}

/// What a question added to a graph.
struct Level {
    /// Its first node, and its first edge.
    nodes: NodeId,
    edges: u32,
    low: NodeId,
    waiting: Waiting,
}

/// The dependency graph of an operator.
pub(super) struct Graph {
    order: Order,
    /// The value of one successor that decides.
    decisive: bool,
    nodes: Chunks<Node>,
    edges: Chunks<Edge>,
    levels: Vec<Level>,
    /// Those whose value is to be passed on.
    news: Vec<NodeId>,
}

impl Graph {
    /// An empty graph.
    pub(super) fn new(kind: Kind, order: Order) -> Self {
        Self {
            order,
            decisive: kind != Kind::AllUntil,
            nodes: Chunks::default(),
            edges: Chunks::default(),
            levels: Vec::new(),
            news: Vec::new(),
        }
    }

    /// Whether nothing is open.
    pub(super) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// The bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        let waiting: usize = self.levels.iter().map(|level| level.waiting.bytes()).sum();
        self.nodes.bytes() + self.edges.bytes() + self.levels.capacity() * size_of::<Level>() + waiting
    }

    /// Begins to look for the value in a marking that does not decide it alone; whether it has to be expanded.
    fn ask(&mut self, values: &mut Values, marking: RowId) -> bool {
        let Standing::Open(node) = values.get(marking) else {
            let (nodes, edges) = (self.nodes.len() as u32, self.edges.len() as u32);
            self.levels.push(Level { nodes, edges, low: nodes, waiting: Waiting::new(self.order) });
            self.add(values, marking, READY, nodes);
            return true;
        };
        while self.uppermost().nodes > node {
            self.join();
        }
        let known = self.nodes.get(node as usize);
        let fresh = !known.is_expanded();
        if fresh {
            self.nodes.set(node as usize, Node { open: READY, ..known });
        }
        fresh
    }

    fn uppermost(&mut self) -> &mut Level {
        self.levels.last_mut().expect("something is asked for")
    }

    /// Makes the uppermost level a part of the one below.
    fn join(&mut self) {
        let level = self.levels.pop().expect("it is there");
        let below = self.uppermost();
        below.low = below.low.min(level.low);
        below.waiting.append(level.waiting);
    }

    /// Adds an open configuration.
    fn add(&mut self, values: &mut Values, marking: RowId, open: u32, parent: NodeId) -> NodeId {
        let node = self.nodes.len() as NodeId;
        self.nodes.push(Node { marking, parent, dependents: NONE, open });
        values.set(marking, Standing::Open(node));
        node
    }

    /// Whether a node was found from another on a short way, or is it.
    fn is_descendant(&self, mut node: NodeId, ancestor: NodeId) -> bool {
        for _ in 0..NEAR {
            // Parents are older.
            if node <= ancestor {
                return node == ancestor;
            }
            let parent = self.nodes.get(node as usize).parent;
            // A question begins here.
            if parent == node {
                return false;
            }
            node = parent;
        }
        false
    }

    /// One node, which is being expanded, depends on another; whether that is new.
    fn link(&mut self, dependent: NodeId, on: NodeId) -> bool {
        let node = self.nodes.get(on as usize);
        // Several actions may lead to the same marking.
        if node.dependents != NONE && self.edges.get(node.dependents as usize).dependent == dependent {
            return false;
        }
        let edge = self.edges.len() as u32;
        self.edges.push(Edge { dependent, next: node.dependents });
        self.nodes.set(on as usize, Node { dependents: edge, ..node });
        let level = self.uppermost();
        level.low = level.low.min(on);
        true
    }

    /// Takes a marking that has to be expanded from the uppermost level.
    fn take(&mut self, values: &mut Values) -> Option<RowId> {
        while let Some(marking) = self.uppermost().waiting.pop() {
            let Standing::Open(at) = values.get(marking) else { continue };
            let node = self.nodes.get(at as usize);
            if node.is_expanded() {
                continue;
            }
            if self.is_wanted(values, node) {
                return Some(marking);
            }
            values.set(marking, if node.open == READY { Standing::Undecided } else { Standing::Unseen });
        }
        None
    }

    /// Whether a node that is open depends on this one.
    fn is_wanted(&self, values: &Values, node: Node) -> bool {
        let mut next = node.dependents;
        while next != NONE {
            let edge = self.edges.get(next as usize);
            if self.is_open(values, edge.dependent) {
                return true;
            }
            next = edge.next;
        }
        false
    }

    fn is_open(&self, values: &Values, node: NodeId) -> bool {
        values.get(self.nodes.get(node as usize).marking) == Standing::Open(node)
    }

    /// Gives an open node its value, and those that it decides theirs: the same.
    fn decide(&mut self, values: &mut Values, node: NodeId, value: bool) {
        self.news.push(node);
        values.set(self.nodes.get(node as usize).marking, Standing::Decided(value));
        while let Some(node) = self.news.pop() {
            let mut next = self.nodes.get(node as usize).dependents;
            while next != NONE {
                let edge = self.edges.get(next as usize);
                next = edge.next;
                if !self.is_open(values, edge.dependent) {
                    continue;
                }
                let dependent = self.nodes.get(edge.dependent as usize);
                let open = dependent.open - 1;
                self.nodes.set(edge.dependent as usize, Node { open, ..dependent });
                if open == 0 || value == self.decisive {
                    values.set(dependent.marking, Standing::Decided(value));
                    self.news.push(edge.dependent);
                }
            }
        }
    }

    /// Nothing of the uppermost level waits: what is open in it is zero, unless it depends on what is below.
    fn close(&mut self, values: &mut Values) {
        let &mut Level { nodes, edges, low, .. } = self.uppermost();
        if low < nodes {
            self.join();
            return;
        }
        while self.nodes.len() > nodes as usize {
            let at = self.nodes.len() as NodeId - 1;
            let node = self.nodes.pop().expect("it is above the first");
            if values.get(node.marking) == Standing::Open(at) {
                values.set(node.marking, Standing::Decided(false));
            }
        }
        while self.edges.len() > edges as usize {
            self.edges.pop();
        }
        self.levels.pop();
    }

    /// A question is answered.
    fn rest(&mut self, values: &mut Values) {
        if self.levels.last().is_some_and(|level| level.waiting.is_empty()) {
            self.close(values);
        }
    }
}

/// What a successor is to the one before it.
enum Met {
    Value(bool),
    Node(NodeId),
}

impl<S: MarkingSpace> Evaluation<'_, S> {
    /// Begins to look for the value of an operator in a marking that does not decide it alone.
    pub(super) fn ask(&mut self, operator: OperatorId, marking: RowId) {
        let at = operator as usize;
        if self.graphs[at].ask(&mut self.values[at], marking) {
            self.successors.push(marking);
        }
    }

    /// Goes on with the last search of the path. The marking that it is at, if any, is the last of the successors.
    pub(super) fn search(&mut self, frame: Frame<S::ActionId>) -> Result<(), SearchStop<S::ActionId>> {
        let (at, operators) = (frame.operator as usize, self.operators);
        let (graph, values) = (&mut self.graphs[at], &mut self.values[at]);
        if let Standing::Decided(_) = values.get(frame.marking) {
            graph.rest(values);
            self.path.pop();
            return Ok(());
        }
        if self.successors.len() == frame.base as usize {
            match graph.take(values) {
                Some(marking) => self.successors.push(marking),
                None => {
                    graph.close(values);
                    return Ok(());
                }
            }
        }
        let marking = *self.successors.last_mut().expect("it is at one");
        let Standing::Open(node) = values.get(marking) else { panic!("what waits is open") };
        if graph.nodes.get(node as usize).open == ASKING {
            match self.at(marking).alone(&operators.all[at]) {
                Ok(None) => {}
                Ok(Some(value)) => {
                    self.successors.pop();
                    self.graphs[at].decide(&mut self.values[at], node, value);
                    return Ok(());
                }
                Err(inside) => {
                    self.begin(inside, marking);
                    return Ok(());
                }
            }
        }
        self.successors.pop();
        let value = self.spread(frame.operator, node, marking)?;
        if let Some(value) = value {
            self.graphs[at].decide(&mut self.values[at], node, value);
        }
        Ok(())
    }

    /// Expands a node: its value, unless successors are open on which it depends then.
    fn spread(
        &mut self,
        operator: OperatorId,
        node: NodeId,
        marking: RowId,
    ) -> Result<Option<bool>, SearchStop<S::ActionId>> {
        let at = operator as usize;
        let decisive = self.graphs[at].decisive;
        let (mut cursor, mut more) = (ActionCursor::default(), true);
        let (mut open, mut deadlock) = (0, true);
        while more {
            self.found.clear();
            more = self.markings.next_batch(marking, &mut cursor, self.handful, &mut self.found)?;
            self.values[at].approach(&self.found);
            for position in 0..self.found.len() {
                deadlock = false;
                match self.reach(operator, position, node) {
                    Met::Value(value) if value == decisive => return Ok(Some(value)),
                    Met::Value(_) => {}
                    // It can go round for ever.
                    Met::Node(next) if !decisive && self.graphs[at].is_descendant(node, next) => {
                        return Ok(Some(false));
                    }
                    Met::Node(next) => open += u32::from(self.graphs[at].link(node, next)),
                }
            }
        }
        if open == 0 {
            return Ok(Some(!deadlock && !decisive));
        }
        let known = self.graphs[at].nodes.get(node as usize);
        self.graphs[at].nodes.set(node as usize, Node { open, ..known });
        Ok(None)
    }

    /// Looks at a successor among those of a node that were found last; it waits if it is new and undecided.
    fn reach(&mut self, operator: OperatorId, position: usize, parent: NodeId) -> Met {
        let (at, target, operators) = (operator as usize, self.found[position], self.operators);
        let open = match self.values[at].get(target) {
            Standing::Decided(value) => return Met::Value(value),
            Standing::Open(node) => return Met::Node(node),
            Standing::Undecided => READY,
            Standing::Unseen => match self.here(target, Known::Found(position)).alone(&operators.all[at]) {
                Ok(Some(value)) => {
                    self.values[at].set(target, Standing::Decided(value));
                    return Met::Value(value);
                }
                Ok(None) => READY,
                Err(_) => ASKING,
            },
        };
        let far = self.far(operator, target, Known::Found(position));
        let graph = &mut self.graphs[at];
        graph.uppermost().waiting.push(target, far);
        Met::Node(graph.add(&mut self.values[at], target, open, parent))
    }
}
