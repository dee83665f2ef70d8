//! The values of `EU` and `AU` by dependency graphs, in any order.
//!
//! Depth-first search decides all configurations that it visits, but it may go far where a goal is near. Other orders need to
//! know which configurations depend on a value that is found: then every operator can be searched breadth-first or
//! best-first, and configurations that one question left open serve the next. After Dalsgaard et al., "Extended Dependency
//! Graphs and Efficient Distributed Fixed-Point Computation" (Petri Nets 2017). A configuration, an operator in a marking, is one, certainly zero, or open;
//! an open one counts its successors that are open, and each of those has a list of its dependents. `EU` is one when
//! a successor is, zero when all are; `AU` is zero when a successor is, one when all are. Values that are found are
//! propagated at once. Configurations that are open when none waits any more are zero, since both are least fixed points.
//!
//! How this differs: inner operators are not edges of the graph. Each operator has a graph of its own, and a configuration
//! that needs an inner operator begins a search for it on the path of searches of [`super::evaluate`], and continues when
//! that has its final value. So an edge takes 8 bytes, negations need no care, and a question that is answered leaves its
//! graph as it is: a later question continues with the waiting configurations. `EX` has no graph: its successors are
//! evaluated one after another.
//!
//! A new question must not work off the configurations that older ones left waiting. It begins a level of its own. When no
//! configuration of a level waits any more, its open ones are zero if none of them depends on an older one; otherwise the
//! level becomes a part of the level below. A configuration that waits is passed over when nothing open depends on it.
//!
//! In a graph alone a cycle without a goal, which makes `AU` false, is seen only when nothing waits any more. So a
//! configuration knows its parent, from which it was found first, and one that leads to a near ancestor is zero. Depth-first search sees
//! all cycles at once, this one only some.
//!
//! Invariants: (1) an open configuration waits, or was expanded and counts at least one open successor, in whose list
//! it is; (2) only the uppermost level is expanded, so configurations and edges of a level lie above those of the levels
//! below, and nothing below depends on it; (3) `low` of a level is the oldest configuration that one of the level depends on;
//! (4) in all levels but the uppermost a configuration waits, and between two questions in that too.
//! Cost: the edges times the operators; 16 bytes for an open configuration, 8 for an edge to one.
//! Test: `tests/ctl.rs`, against the reference checker.

use fireset_kernel::store::{ChunkedVec, RowId};

use super::{
    evaluate::{Evaluation, EvaluationFrame, RowSource},
    operators::{OperatorId, TemporalKind},
    status::{Status, StatusTable},
    worklist::Worklist,
};
use crate::{
    Order,
    search::{ActionCursor, MarkingSpace, SearchStop},
};

/// The position of a configuration in its graph.
type ConfigurationId = u32;

/// The end of a list.
const NONE: u32 = u32::MAX;
/// The most ancestors that are visited.
const NEAR: usize = 256;

/// An operator in a marking that is or was open.
#[derive(Clone, Copy)]
struct OpenConfiguration {
    marking: RowId,
    /// The configuration from which it was found first; itself, if a question began with it.
    parent: ConfigurationId,
    /// The first dependency of the list of its dependents.
    dependents: u32,
    /// The number of its open successors, once it is expanded; before that one of the two numbers below.
    open: u32,
}

/// The marking alone does not decide the value.
const READY: u32 = 0;
/// Inner operators have to be evaluated in its marking first.
const NEEDS_INNER: u32 = u32::MAX;

impl OpenConfiguration {
    fn is_expanded(self) -> bool {
        self.open != READY && self.open != NEEDS_INNER
    }
}

/// An entry in the list of dependents of a configuration.
#[derive(Clone, Copy)]
struct Dependency {
    dependent: ConfigurationId,
    next: u32,
}

/// The part of a graph that one question added.
struct QuestionLevel {
    /// The positions of its first configuration and its first dependency.
    nodes: ConfigurationId,
    edges: u32,
    low: ConfigurationId,
    waiting: Worklist,
}

/// The dependency graph of an operator.
pub(super) struct DependencyGraph {
    order: Order,
    /// The value of a successor that decides the configuration alone.
    decisive: bool,
    nodes: ChunkedVec<OpenConfiguration>,
    edges: ChunkedVec<Dependency>,
    levels: Vec<QuestionLevel>,
    /// Configurations whose value is to be propagated.
    decided: Vec<ConfigurationId>,
}

impl DependencyGraph {
    pub(super) fn new(kind: TemporalKind, order: Order) -> Self {
        Self {
            order,
            decisive: kind != TemporalKind::AllUntil,
            nodes: ChunkedVec::default(),
            edges: ChunkedVec::default(),
            levels: Vec::new(),
            decided: Vec::new(),
        }
    }

    /// Whether nothing is open.
    pub(super) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// The bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        let waiting: usize = self.levels.iter().map(|level| level.waiting.bytes()).sum();
        self.nodes.bytes()
            + self.edges.bytes()
            + self.levels.capacity() * size_of::<QuestionLevel>()
            + waiting
    }

    /// Begins a question for the value in a marking that does not decide it alone; whether it has to be expanded.
    fn ask(&mut self, values: &mut StatusTable, marking: RowId) -> bool {
        let Status::Open(node) = values.get(marking) else {
            let (nodes, edges) = (self.nodes.len() as u32, self.edges.len() as u32);
            self.levels.push(QuestionLevel { nodes, edges, low: nodes, waiting: Worklist::new(self.order) });
            self.add(values, marking, READY, nodes);
            return true;
        };
        while self.uppermost().nodes > node {
            self.join();
        }
        let known = self.nodes.get(node as usize);
        let fresh = !known.is_expanded();
        if fresh {
            self.nodes.set(node as usize, OpenConfiguration { open: READY, ..known });
        }
        fresh
    }

    fn uppermost(&mut self) -> &mut QuestionLevel {
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
    fn add(
        &mut self,
        values: &mut StatusTable,
        marking: RowId,
        open: u32,
        parent: ConfigurationId,
    ) -> ConfigurationId {
        let node = self.nodes.len() as ConfigurationId;
        self.nodes.push(OpenConfiguration { marking, parent, dependents: NONE, open });
        values.set(marking, Status::Open(node));
        node
    }

    /// Whether a configuration was found from another on a short path, or is it.
    fn is_descendant(&self, mut node: ConfigurationId, ancestor: ConfigurationId) -> bool {
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

    /// Makes a configuration, which is being expanded, depend on another; whether that is new.
    fn link(&mut self, dependent: ConfigurationId, on: ConfigurationId) -> bool {
        let node = self.nodes.get(on as usize);
        // Several actions may lead to the same marking.
        if node.dependents != NONE && self.edges.get(node.dependents as usize).dependent == dependent {
            return false;
        }
        let edge = self.edges.len() as u32;
        self.edges.push(Dependency { dependent, next: node.dependents });
        self.nodes.set(on as usize, OpenConfiguration { dependents: edge, ..node });
        let level = self.uppermost();
        level.low = level.low.min(on);
        true
    }

    /// Takes a marking that has to be expanded from the uppermost level.
    fn take(&mut self, values: &mut StatusTable) -> Option<RowId> {
        while let Some(marking) = self.uppermost().waiting.pop() {
            let Status::Open(at) = values.get(marking) else { continue };
            let node = self.nodes.get(at as usize);
            if node.is_expanded() {
                continue;
            }
            if self.is_wanted(values, node) {
                return Some(marking);
            }
            values.set(marking, if node.open == READY { Status::Undecided } else { Status::Unseen });
        }
        None
    }

    /// Whether an open configuration depends on this one.
    fn is_wanted(&self, values: &StatusTable, node: OpenConfiguration) -> bool {
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

    fn is_open(&self, values: &StatusTable, node: ConfigurationId) -> bool {
        values.get(self.nodes.get(node as usize).marking) == Status::Open(node)
    }

    /// Gives an open configuration its value, and all that it decides the same one.
    fn decide(&mut self, values: &mut StatusTable, node: ConfigurationId, value: bool) {
        self.decided.push(node);
        values.set(self.nodes.get(node as usize).marking, Status::Decided(value));
        while let Some(node) = self.decided.pop() {
            let mut next = self.nodes.get(node as usize).dependents;
            while next != NONE {
                let edge = self.edges.get(next as usize);
                next = edge.next;
                if !self.is_open(values, edge.dependent) {
                    continue;
                }
                let dependent = self.nodes.get(edge.dependent as usize);
                let open = dependent.open - 1;
                self.nodes.set(edge.dependent as usize, OpenConfiguration { open, ..dependent });
                if open == 0 || value == self.decisive {
                    values.set(dependent.marking, Status::Decided(value));
                    self.decided.push(edge.dependent);
                }
            }
        }
    }

    /// Closes the uppermost level, in which nothing waits: its open configurations are zero, unless they depend on one below.
    fn close(&mut self, values: &mut StatusTable) {
        let &mut QuestionLevel { nodes, edges, low, .. } = self.uppermost();
        if low < nodes {
            self.join();
            return;
        }
        while self.nodes.len() > nodes as usize {
            let at = self.nodes.len() as ConfigurationId - 1;
            let node = self.nodes.pop().expect("it is above the first");
            if values.get(node.marking) == Status::Open(at) {
                values.set(node.marking, Status::Decided(false));
            }
        }
        while self.edges.len() > edges as usize {
            self.edges.pop();
        }
        self.levels.pop();
    }

    fn end_question(&mut self, values: &mut StatusTable) {
        if self.levels.last().is_some_and(|level| level.waiting.is_empty()) {
            self.close(values);
        }
    }
}

enum SuccessorValue {
    Value(bool),
    Open(ConfigurationId),
}

impl<S: MarkingSpace> Evaluation<'_, S> {
    /// Begins a question for an operator in a marking that does not decide it alone.
    pub(super) fn ask(&mut self, operator: OperatorId, marking: RowId) {
        let at = operator as usize;
        if self.graphs[at].ask(&mut self.values[at], marking) {
            self.successors.push(marking);
        }
    }

    /// Continues the last search of the path. Its current marking, if any, is the last of the successors.
    pub(super) fn search(
        &mut self,
        frame: EvaluationFrame<S::ActionId>,
    ) -> Result<(), SearchStop<S::ActionId>> {
        let (at, operators) = (frame.operator as usize, self.operators);
        let (graph, values) = (&mut self.graphs[at], &mut self.values[at]);
        if let Status::Decided(_) = values.get(frame.marking) {
            graph.end_question(values);
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
        let Status::Open(node) = values.get(marking) else { panic!("what waits is open") };
        if graph.nodes.get(node as usize).open == NEEDS_INNER {
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

    /// Expands a configuration: its value, unless it depends on open successors.
    fn spread(
        &mut self,
        operator: OperatorId,
        node: ConfigurationId,
        marking: RowId,
    ) -> Result<Option<bool>, SearchStop<S::ActionId>> {
        let at = operator as usize;
        let decisive = self.graphs[at].decisive;
        let (mut cursor, mut more) = (ActionCursor::default(), true);
        let (mut open, mut deadlock) = (0, true);
        while more {
            self.found.clear();
            more = self.markings.next_batch(marking, &mut cursor, self.handful, &mut self.found)?;
            self.values[at].prefetch(&self.found);
            for position in 0..self.found.len() {
                deadlock = false;
                match self.reach(operator, position, node) {
                    SuccessorValue::Value(value) if value == decisive => return Ok(Some(value)),
                    SuccessorValue::Value(_) => {}
                    // The successor closes a cycle without the goal.
                    SuccessorValue::Open(next) if !decisive && self.graphs[at].is_descendant(node, next) => {
                        return Ok(Some(false));
                    }
                    SuccessorValue::Open(next) => open += u32::from(self.graphs[at].link(node, next)),
                }
            }
        }
        if open == 0 {
            return Ok(Some(!deadlock && !decisive));
        }
        let known = self.graphs[at].nodes.get(node as usize);
        self.graphs[at].nodes.set(node as usize, OpenConfiguration { open, ..known });
        Ok(None)
    }

    /// The value of a successor that was generated last; it waits if it is new and undecided.
    fn reach(&mut self, operator: OperatorId, position: usize, parent: ConfigurationId) -> SuccessorValue {
        let (at, target, operators) = (operator as usize, self.found[position], self.operators);
        let open = match self.values[at].get(target) {
            Status::Decided(value) => return SuccessorValue::Value(value),
            Status::Open(node) => return SuccessorValue::Open(node),
            Status::Undecided => READY,
            Status::Unseen => match self.here(target, RowSource::Found(position)).alone(&operators.all[at]) {
                Ok(Some(value)) => {
                    self.values[at].set(target, Status::Decided(value));
                    return SuccessorValue::Value(value);
                }
                Ok(None) => READY,
                Err(_) => NEEDS_INNER,
            },
        };
        let far = self.far(operator, target, RowSource::Found(position));
        let graph = &mut self.graphs[at];
        graph.uppermost().waiting.push(target, far);
        SuccessorValue::Open(graph.add(&mut self.values[at], target, open, parent))
    }
}
