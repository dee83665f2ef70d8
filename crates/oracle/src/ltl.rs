//! LTL by a tableau: the product of the graph with the maximal consistent sets of the formula's closure.
//!
//! Why: it shares nothing with the translation to automata that engines use, so that it can check them. Source:
//! Lichtenstein and Pnueli (1985), see `closure`; the part that the initial state reaches is built whole.
//!
//! A node is a state with a set of bits; an edge follows a firing into the sets that keep exactly what the bits
//! promise. A deadlock has an edge to itself: its marking repeats. Some run satisfies the formula exactly when a
//! nontrivial component can be reached in which, for each until, some node is not waiting for it. All runs satisfy
//! a formula when none satisfies its negation.
//!
//! Invariants: 1. states of a class have the same atoms and share a table; 2. a component in a part of the graph
//! is made of real runs, so what it shows is true of the net even if the graph is not complete.
//! Cost: firings times two to the number of elementary formulas at worst; at most [`MAX_BITS`] of them.
//! Test: `tests/reference/laws.rs`; lassos are replayed, and random lassos do not contradict what holds.

use std::collections::HashMap;

use fireset_net::{
    Evidence, Lasso, PathFormula, Quantifier, Semantics, StopReason,
    reachability::{ReachabilityEdge, StateView},
    replay,
};

use crate::{
    closure::{Closure, ClosureTable},
    components::components,
    decide::{Explored, OpenQuery, OracleAnswer},
    lasso,
};

/// More elementary formulas than this are refused: each doubles the tables.
const MAX_BITS: usize = 20;

/// An LTL formula on all or some runs.
pub(super) struct LtlQuery {
    /// The runs that are searched for.
    wanted: PathFormula,
    when_found: bool,
}

impl LtlQuery {
    pub(super) fn new(quantifier: Quantifier, path: PathFormula) -> Self {
        match quantifier {
            Quantifier::ForAll => Self { wanted: path.complement(), when_found: false },
            Quantifier::Exists => Self { wanted: path, when_found: true },
        }
    }
}

impl<S: Semantics> OpenQuery<S> for LtlQuery {
    /// What speaks of the initial state only is decided there, if it is not to be found; a run has to be shown.
    fn visit(&mut self, view: &StateView<'_, S>) -> Option<OracleAnswer> {
        let predicate = self.wanted.as_state().filter(|_| view.at == 0)?;
        (!view.holds(predicate)).then(|| OracleAnswer::bare(!self.when_found))
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        let Some(lasso) = find(explored, &self.wanted)? else {
            explored.graph.complete()?;
            return Ok(OracleAnswer::bare(!self.when_found));
        };
        debug_assert_eq!(replay::lasso_satisfies(explored.graph.net(), &lasso, &self.wanted), Ok(true));
        Ok(OracleAnswer(self.when_found.into(), Some(Evidence::Lasso(lasso))))
    }
}

/// A run that satisfies `wanted`, if there is one.
fn find<S: Semantics>(explored: &Explored<'_, S>, wanted: &PathFormula) -> Result<Option<Lasso>, StopReason> {
    let closure = Closure::new(wanted);
    if closure.bits() > MAX_BITS {
        return Err(StopReason::Formula(closure.bits()));
    }
    let mut product = TableauProduct::new(explored, closure)?;
    let roots = product.roots()?;
    let successors = product.explore()?;
    match components(&successors).into_iter().find(|nodes| product.accepts(nodes, &successors)) {
        Some(component) => lasso::build(&mut product, &roots, component).map(Some),
        None => Ok(None),
    }
}

/// The nodes that were found so far; the others are made when an edge leads to them.
pub(super) struct TableauProduct<'a, S: Semantics> {
    pub(super) explored: &'a Explored<'a, S>,
    closure: Closure,
    class_of: Vec<u32>,
    classes: Vec<AtomClass>,
    nodes: Vec<(u32, u32)>,
    index: HashMap<(u32, u32), u32>,
    bytes: usize,
}

/// States with the same atoms.
struct AtomClass {
    atoms: Vec<bool>,
    table: Option<ClosureTable>,
}

impl<'a, S: Semantics> TableauProduct<'a, S> {
    fn new(explored: &'a Explored<'a, S>, closure: Closure) -> Result<Self, StopReason> {
        let len = explored.graph.states().len();
        let mut class_of = vec![0; len];
        let mut classes = vec![AtomClass { atoms: Vec::new(), table: None }];
        for atom in &closure.atoms {
            explored.check(8 * len)?;
            let set = explored.graph.satisfying(atom);
            let mut finer: HashMap<(u32, bool), u32> = HashMap::new();
            let mut next = Vec::new();
            for (state, class) in class_of.iter_mut().enumerate() {
                let value = set[state];
                *class = *finer.entry((*class, value)).or_insert_with(|| {
                    let atoms = classes[*class as usize].atoms.iter().copied().chain([value]).collect();
                    next.push(AtomClass { atoms, table: None });
                    (next.len() - 1) as u32
                });
            }
            classes = next;
        }
        let bytes = 4 * len;
        Ok(Self { explored, closure, class_of, classes, nodes: Vec::new(), index: HashMap::new(), bytes })
    }

    /// The table of a state's class, which is made when it is first needed.
    fn table(&mut self, state: usize) -> Result<&ClosureTable, StopReason> {
        let class = self.class_of[state] as usize;
        if self.classes[class].table.is_none() {
            self.bytes += self.closure.table_bytes();
            self.explored.check(self.bytes)?;
            self.classes[class].table = Some(self.closure.table(&self.classes[class].atoms));
        }
        Ok(self.classes[class].table.as_ref().expect("it was made above"))
    }

    /// The initial state with each set of bits with which the formula is true.
    fn roots(&mut self) -> Result<Vec<u32>, StopReason> {
        let sets = self.table(0)?.root.clone();
        sets.into_iter().map(|bits| self.node(0, bits)).collect()
    }

    /// Adds all nodes that the roots reach; gives the successors of each.
    fn explore(&mut self) -> Result<Vec<Vec<u32>>, StopReason> {
        let mut successors = Vec::new();
        while successors.len() < self.nodes.len() {
            let mut targets = Vec::new();
            self.each_successor(successors.len() as u32, |_, next| targets.push(next))?;
            self.bytes += 24 + 4 * targets.len();
            successors.push(targets);
        }
        Ok(successors)
    }

    /// The number of a node.
    fn node(&mut self, state: u32, bits: u32) -> Result<u32, StopReason> {
        let fresh = self.nodes.len();
        let node = *self.index.entry((state, bits)).or_insert(fresh as u32);
        if node as usize == fresh {
            if fresh.is_multiple_of(1024) {
                self.explored.check(self.bytes)?;
                if fresh >= u32::MAX as usize {
                    return Err(StopReason::Memory);
                }
            }
            // The node, its place in the index, and what the search for components keeps of it.
            self.bytes += 40;
            self.nodes.push((state, bits));
        }
        Ok(node)
    }

    /// Calls `visit` with each successor and the firing that leads to it; none where a deadlock repeats.
    pub(super) fn each_successor(
        &mut self,
        node: u32,
        mut visit: impl FnMut(Option<ReachabilityEdge>, u32),
    ) -> Result<(), StopReason> {
        let (state, bits) = self.nodes[node as usize];
        let graph = self.explored.graph;
        let stays = graph.is_deadlock(state as usize).then_some((None, state));
        let moves = graph.edges(state as usize).iter().map(|&e| (Some(e), e.target() as u32));
        let mut sets = Vec::new();
        for (edge, target) in moves.chain(stays) {
            sets.clear();
            sets.extend_from_slice(&self.table(target as usize)?.after[bits as usize]);
            for &after in &sets {
                visit(edge, self.node(target, after)?);
            }
        }
        Ok(())
    }

    /// The untils that a node does not wait for, one bit each.
    pub(super) fn fulfilled(&self, node: u32) -> u32 {
        let (state, bits) = self.nodes[node as usize];
        let class = self.class_of[state as usize] as usize;
        let table = self.classes[class].table.as_ref().expect("a node's class has its table");
        table.fulfilled[bits as usize]
    }

    /// The mask of all untils.
    pub(super) fn all_fulfilled(&self) -> u32 {
        (1 << self.closure.bits()) - 1
    }

    /// Whether a component has a cycle on which no until waits for ever.
    fn accepts(&self, component: &[u32], successors: &[Vec<u32>]) -> bool {
        let fulfilled = component.iter().fold(0, |mask, &node| mask | self.fulfilled(node));
        let is_cyclic = component.len() > 1 || successors[component[0] as usize].contains(&component[0]);
        is_cyclic && fulfilled == self.all_fulfilled()
    }
}
