//! LTL with events, past and fairness, by a tableau over letters and fixpoints over its nodes.
//!
//! A *letter* is a state with a firing that leaves it, or with none where a deadlock repeats. A node is a letter with
//! a bit for each formula that is promised for the next position (`X f`, and `f U g` by its expansion) and one for each
//! that is remembered from the position before (`Y f`, and `f S g`). After Lichtenstein, Pnueli and Zuck, "The glory
//! of the past" (1985).
//!
//! Which nodes start a fair run is the largest set whose members have a successor in it, reach within it each set that has to
//! be visited again and again and, where they enable what strong fairness is owed to, a node that takes it: the fixpoint of
//! Kesten, Pnueli and Raviv, "Algorithmic verification of linear temporal logic specifications" (ICALP 1998). Engines look
//! for components instead. Needs the whole graph. Cost: nodes times edges at worst. Test: `tests/runs.rs`.

use std::collections::HashMap;

use fireset_net::{
    BoolTree, FairGroup, FairnessStrength, Past, Quantifier, RunAtom, RunFormula, RunQuery, Semantics,
    StopReason, Temporal, reachability::StateView,
};

use crate::decide::{Explored, OpenQuery, OracleAnswer};

/// More nodes than this are refused.
const MAX_NODES: usize = 300_000;
/// More bits than this are refused.
const MAX_BITS: usize = 12;

/// A query about runs that waits for the whole graph.
pub(super) struct OpenRunQuery {
    wanted: RunFormula,
    query: RunQuery,
}

impl OpenRunQuery {
    pub(super) fn new(query: &RunQuery) -> Self {
        let wanted = match query.quantifier {
            Quantifier::ForAll => query.formula.clone().negate(),
            Quantifier::Exists => query.formula.clone(),
        };
        Self { wanted, query: query.clone() }
    }
}

impl<S: Semantics> OpenQuery<S> for OpenRunQuery {
    fn visit(&mut self, _: &StateView<'_, S>) -> Option<OracleAnswer> {
        None
    }

    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        explored.graph.complete()?;
        let groups = self.query.fairness.groups(explored.graph.net().as_ref());
        let tableau = RunTableau::build(explored, &self.wanted)?;
        let found = tableau.has_fair_run(explored, &groups);
        Ok(OracleAnswer::bare(found == (self.query.quantifier == Quantifier::Exists)))
    }
}

/// A subformula over those before it.
enum RunNode {
    Atom(usize),
    Not(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
    Iff(usize, usize),
    /// The value of a bit.
    Promised(usize),
    Remembered(usize),
    /// The second, or the first and a bit.
    Until {
        hold: usize,
        reach: usize,
        bit: usize,
    },
    Since {
        hold: usize,
        reach: usize,
        bit: usize,
    },
}

/// The subformulas of a formula, and what its bits stand for.
#[derive(Default)]
struct RunClosure {
    nodes: Vec<RunNode>,
    atoms: Vec<RunAtom>,
    promised: Vec<usize>,
    remembered: Vec<usize>,
}

impl RunClosure {
    fn push(&mut self, node: RunNode) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn add(&mut self, formula: &RunFormula) -> usize {
        let node = match formula {
            BoolTree::Constant(true) => RunNode::All(Vec::new()),
            BoolTree::Constant(false) => RunNode::Any(Vec::new()),
            BoolTree::Not(f) => RunNode::Not(self.add(f)),
            BoolTree::And(fs) => RunNode::All(fs.iter().map(|f| self.add(f)).collect()),
            BoolTree::Or(fs) => RunNode::Any(fs.iter().map(|f| self.add(f)).collect()),
            BoolTree::Iff(sides) => RunNode::Iff(self.add(&sides.0), self.add(&sides.1)),
            BoolTree::Atom(RunAtom::Temporal(operator)) => return self.temporal(operator),
            BoolTree::Atom(RunAtom::Past(operator)) => return self.past(operator),
            BoolTree::Atom(leaf) => {
                self.atoms.push(leaf.clone());
                RunNode::Atom(self.atoms.len() - 1)
            }
        };
        self.push(node)
    }

    fn until(&mut self, hold: usize, reach: usize) -> usize {
        self.promised.push(self.nodes.len());
        self.push(RunNode::Until { hold, reach, bit: self.promised.len() - 1 })
    }

    fn since(&mut self, hold: usize, reach: usize) -> usize {
        self.remembered.push(self.nodes.len());
        self.push(RunNode::Since { hold, reach, bit: self.remembered.len() - 1 })
    }

    fn not(&mut self, f: usize) -> usize {
        self.push(RunNode::Not(f))
    }

    fn temporal(&mut self, operator: &Temporal<RunFormula>) -> usize {
        let always = self.push(RunNode::All(Vec::new()));
        match operator.map(&mut |f| self.add(f)) {
            Temporal::Next(f) => {
                self.promised.push(f);
                self.push(RunNode::Promised(self.promised.len() - 1))
            }
            Temporal::Finally(f) => self.until(always, f),
            Temporal::Globally(f) => {
                let never = self.not(f);
                let until = self.until(always, never);
                self.not(until)
            }
            Temporal::Until(f, g) => self.until(f, g),
            Temporal::Release(f, g) => {
                let (f, g) = (self.not(f), self.not(g));
                let until = self.until(f, g);
                self.not(until)
            }
            // The first until the second, or never the end of the first.
            Temporal::WeakUntil(f, g) => {
                let (until, never) = (self.until(f, g), self.not(f));
                let ends = self.until(always, never);
                let holds = self.not(ends);
                self.push(RunNode::Any(vec![until, holds]))
            }
        }
    }

    fn past(&mut self, operator: &Past<RunFormula>) -> usize {
        let always = self.push(RunNode::All(Vec::new()));
        match operator.map(&mut |f| self.add(f)) {
            Past::Yesterday(f) => {
                self.remembered.push(f);
                self.push(RunNode::Remembered(self.remembered.len() - 1))
            }
            Past::Once(f) => self.since(always, f),
            Past::Historically(f) => {
                let never = self.not(f);
                let once = self.since(always, never);
                self.not(once)
            }
            Past::Since(f, g) => self.since(f, g),
        }
    }

    fn values(&self, atoms: &[bool], promised: u32, remembered: u32) -> Vec<bool> {
        let set = |bits: u32, bit: usize| bits >> bit & 1 == 1;
        let mut values: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            values.push(match node {
                RunNode::Atom(atom) => atoms[*atom],
                RunNode::Not(f) => !values[*f],
                RunNode::All(fs) => fs.iter().all(|&f| values[f]),
                RunNode::Any(fs) => fs.iter().any(|&f| values[f]),
                RunNode::Iff(f, g) => values[*f] == values[*g],
                RunNode::Promised(bit) => set(promised, *bit),
                RunNode::Remembered(bit) => set(remembered, *bit),
                RunNode::Until { hold, reach, bit } => {
                    values[*reach] || (values[*hold] && set(promised, *bit))
                }
                RunNode::Since { hold, reach, bit } => {
                    values[*reach] || (values[*hold] && set(remembered, *bit))
                }
            });
        }
        values
    }
}

/// A state and the firing that leaves it; none in a deadlock.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct RunLetter {
    state: usize,
    /// The position among the state's edges.
    edge: Option<usize>,
}

/// A letter with its bits and the values of all subformulas.
struct TableauNode {
    letter: RunLetter,
    promised: u32,
    values: Vec<bool>,
}

/// The nodes that the initial state reaches.
struct RunTableau {
    closure: RunClosure,
    nodes: Vec<TableauNode>,
    successors: Vec<Vec<usize>>,
}

impl RunTableau {
    fn build<S: Semantics>(explored: &Explored<'_, S>, wanted: &RunFormula) -> Result<Self, StopReason> {
        let mut closure = RunClosure::default();
        let root = closure.add(wanted);
        let bits = closure.promised.len();
        if bits.max(closure.remembered.len()) > MAX_BITS {
            return Err(StopReason::Formula(bits));
        }
        let mut tableau = Self { closure, nodes: Vec::new(), successors: Vec::new() };
        let mut index: HashMap<(RunLetter, u32, u32), usize> = HashMap::new();
        for (letter, promised) in tableau.candidates(explored, 0) {
            let values = tableau.closure.values(&tableau.atoms(explored, letter), promised, 0);
            if values[root] {
                index.insert((letter, promised, 0), tableau.nodes.len());
                tableau.nodes.push(TableauNode { letter, promised, values });
            }
        }
        while tableau.successors.len() < tableau.nodes.len() {
            let at = tableau.successors.len();
            let node = &tableau.nodes[at];
            let (letter, promised) = (node.letter, node.promised);
            let bit = |(bit, &f): (usize, &usize)| u32::from(node.values[f]) << bit;
            let remembered = tableau.closure.remembered.iter().enumerate().map(bit).sum::<u32>();
            let target =
                letter.edge.map_or(letter.state, |edge| explored.graph.edges(letter.state)[edge].target());
            let mut targets = Vec::new();
            for (letter, bits) in tableau.candidates(explored, target) {
                let atoms = tableau.atoms(explored, letter);
                let values = tableau.closure.values(&atoms, bits, remembered);
                let keeps = |(bit, &f): (usize, &usize)| values[f] == (promised >> bit & 1 == 1);
                if tableau.closure.promised.iter().enumerate().all(keeps) {
                    let fresh = tableau.nodes.len();
                    let next = *index.entry((letter, bits, remembered)).or_insert(fresh);
                    if next == fresh {
                        tableau.nodes.push(TableauNode { letter, promised: bits, values });
                    }
                    targets.push(next);
                }
            }
            tableau.successors.push(targets);
            if tableau.nodes.len() > MAX_NODES {
                return Err(StopReason::States(MAX_NODES));
            }
        }
        Ok(tableau)
    }

    /// The letters of a state, each with every set of promises.
    fn candidates<S: Semantics>(&self, explored: &Explored<'_, S>, state: usize) -> Vec<(RunLetter, u32)> {
        let edges = explored.graph.edges(state).len();
        let letters: Vec<RunLetter> = match edges {
            0 => vec![RunLetter { state, edge: None }],
            _ => (0..edges).map(|edge| RunLetter { state, edge: Some(edge) }).collect(),
        };
        let sets = 1u32 << self.closure.promised.len();
        letters.into_iter().flat_map(|letter| (0..sets).map(move |bits| (letter, bits))).collect()
    }

    fn atoms<S: Semantics>(&self, explored: &Explored<'_, S>, letter: RunLetter) -> Vec<bool> {
        let graph = explored.graph;
        let value = |atom: &RunAtom| match atom {
            RunAtom::State(predicate) => {
                fireset_net::replay::holds_in(graph.net(), &graph.states()[letter.state], predicate)
            }
            RunAtom::Fired(steps) => {
                letter.edge.is_some_and(|edge| steps.contains(graph.step(graph.edges(letter.state)[edge])))
            }
            RunAtom::Temporal(_) | RunAtom::Past(_) => unreachable!("operators are nodes of their own"),
        };
        self.closure.atoms.iter().map(value).collect()
    }

    /// Whether some node starts a run that is fair and keeps all promises.
    fn has_fair_run<S: Semantics>(&self, explored: &Explored<'_, S>, groups: &[FairGroup]) -> bool {
        let all = 0..self.nodes.len();
        let mut again: Vec<Vec<bool>> = Vec::new();
        for node in &self.closure.promised {
            if let RunNode::Until { reach, .. } = self.closure.nodes[*node] {
                let waits = |at: usize| self.nodes[at].values[*node] && !self.nodes[at].values[reach];
                again.push(all.clone().map(|at| !waits(at)).collect());
            }
        }
        let mut owed: Vec<(Vec<bool>, Vec<bool>)> = Vec::new();
        let graph = explored.graph;
        for group in groups {
            let enabled = graph.satisfying(&group.steps.enabled());
            let enabled: Vec<bool> = all.clone().map(|at| enabled[self.nodes[at].letter.state]).collect();
            let takes = |letter: RunLetter| {
                let step = |edge| graph.step(graph.edges(letter.state)[edge]);
                letter.edge.is_some_and(|edge| group.steps.contains(step(edge)))
            };
            let taken: Vec<bool> = all.clone().map(|at| takes(self.nodes[at].letter)).collect();
            match group.strength {
                FairnessStrength::Weak => {
                    again.push(all.clone().map(|at| taken[at] || !enabled[at]).collect())
                }
                FairnessStrength::Strong => owed.push((enabled, taken)),
            }
        }
        self.feasible(&again, &owed).contains(&true)
    }

    /// The nodes from which some infinite run visits each set of `again` infinitely often, and of each pair of `owed` the second
    /// set if the first.
    fn feasible(&self, again: &[Vec<bool>], owed: &[(Vec<bool>, Vec<bool>)]) -> Vec<bool> {
        let mut kept = vec![true; self.nodes.len()];
        loop {
            let before = kept.clone();
            for set in again {
                kept = self.reaching(&kept, set);
            }
            for (asked, given) in owed {
                let reaching = self.reaching(&kept, given);
                kept = (0..kept.len()).map(|at| kept[at] && (!asked[at] || reaching[at])).collect();
            }
            loop {
                let stays = |at: usize| kept[at] && self.successors[at].iter().any(|&next| kept[next]);
                let next: Vec<bool> = (0..kept.len()).map(stays).collect();
                if next == kept {
                    break;
                }
                kept = next;
            }
            if kept == before {
                return kept;
            }
        }
    }

    /// The nodes of `within` that reach one of `goal` in it.
    fn reaching(&self, within: &[bool], goal: &[bool]) -> Vec<bool> {
        let mut reaching: Vec<bool> = within.iter().zip(goal).map(|(&a, &b)| a && b).collect();
        loop {
            let mut changed = false;
            for at in (0..reaching.len()).rev() {
                let gets_there = || self.successors[at].iter().any(|&next| reaching[next]);
                if within[at] && !reaching[at] && gets_there() {
                    reaching[at] = true;
                    changed = true;
                }
            }
            if !changed {
                return reaching;
            }
        }
    }
}
