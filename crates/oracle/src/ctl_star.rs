//! CTL* by a tableau for each quantifier, over all states.
//!
//! A node is a state with a bit for each formula that is promised for the next position: `X f`, and `f U g` by its expansion.
//! Which nodes start a path that keeps its promises is the largest set whose members have a successor in it and reach in it, for each
//! until, a node that does not wait for it. The values of the quantified formulas inside are known by then, as sets of states.
//! Source: Emerson and Lei, "Modalities for model checking: branching time logic strikes back" (1987). Engines look for components of a
//! product with an automaton instead. Needs the whole graph. Cost: nodes times edges at worst, and two to the number of promises.

use fireset_net::{BoolTree, CtlStarAtom, CtlStarFormula, Quantifier, Semantics, StopReason, Temporal};

use crate::decide::{Explored, OpenQuery, OracleAnswer};

/// More promises of one path formula than this are refused.
const MAX_BITS: usize = 8;

/// A query of CTL* that waits for the whole graph.
pub(super) struct CtlStarQuery(pub(super) CtlStarFormula);

impl<S: Semantics> OpenQuery<S> for CtlStarQuery {
    fn finish(&mut self, explored: &Explored<'_, S>) -> Result<OracleAnswer, StopReason> {
        explored.graph.complete()?;
        let mut tableau = PathTableau::default();
        let root = tableau.add(explored, &self.0)?;
        if !tableau.promises.is_empty() {
            return Err(StopReason::NoEngine);
        }
        Ok(OracleAnswer::bare(tableau.values(0, 0)[root]))
    }
}

/// A subformula over those before it.
enum PathNode {
    /// The states in which it is true.
    Set(Vec<bool>),
    Not(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
    Iff(usize, usize),
    /// The value of a bit.
    Promised(usize),
    /// The second, or the first and a bit.
    Until {
        hold: usize,
        reach: usize,
        bit: usize,
    },
}

/// The subformulas of a path formula, and what its bits stand for.
#[derive(Default)]
struct PathTableau {
    nodes: Vec<PathNode>,
    promises: Vec<usize>,
}

impl PathTableau {
    fn push(&mut self, node: PathNode) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn not(&mut self, f: usize) -> usize {
        self.push(PathNode::Not(f))
    }

    fn until(&mut self, hold: usize, reach: usize) -> usize {
        self.promises.push(self.nodes.len());
        self.push(PathNode::Until { hold, reach, bit: self.promises.len() - 1 })
    }

    fn add<S: Semantics>(
        &mut self,
        explored: &Explored<'_, S>,
        formula: &CtlStarFormula,
    ) -> Result<usize, StopReason> {
        let mut all = |fs: &[CtlStarFormula]| -> Result<Vec<usize>, StopReason> {
            fs.iter().map(|f| self.add(explored, f)).collect()
        };
        let node = match formula {
            BoolTree::Constant(true) => PathNode::All(Vec::new()),
            BoolTree::Constant(false) => PathNode::Any(Vec::new()),
            BoolTree::Not(f) => PathNode::Not(self.add(explored, f)?),
            BoolTree::And(fs) => PathNode::All(all(fs)?),
            BoolTree::Or(fs) => PathNode::Any(all(fs)?),
            BoolTree::Iff(sides) => {
                PathNode::Iff(self.add(explored, &sides.0)?, self.add(explored, &sides.1)?)
            }
            BoolTree::Atom(CtlStarAtom::State(predicate)) => {
                PathNode::Set(explored.graph.satisfying(predicate))
            }
            BoolTree::Atom(CtlStarAtom::Temporal(operator)) => return self.temporal(explored, operator),
            BoolTree::Atom(CtlStarAtom::Quantified(quantifier, path)) => {
                PathNode::Set(quantified(explored, *quantifier, path)?)
            }
        };
        Ok(self.push(node))
    }

    fn temporal<S: Semantics>(
        &mut self,
        explored: &Explored<'_, S>,
        operator: &Temporal<CtlStarFormula>,
    ) -> Result<usize, StopReason> {
        let operands: Vec<usize> =
            operator.operands().map(|f| self.add(explored, f)).collect::<Result<_, _>>()?;
        let always = self.push(PathNode::All(Vec::new()));
        let (f, g) = (operands[0], operands[operands.len() - 1]);
        Ok(match operator {
            Temporal::Next(_) => {
                self.promises.push(f);
                self.push(PathNode::Promised(self.promises.len() - 1))
            }
            Temporal::Finally(_) => self.until(always, f),
            Temporal::Globally(_) => {
                let never = self.not(f);
                let until = self.until(always, never);
                self.not(until)
            }
            Temporal::Until(..) => self.until(f, g),
            Temporal::Release(..) => {
                let (f, g) = (self.not(f), self.not(g));
                let until = self.until(f, g);
                self.not(until)
            }
            // The first until the second, or never the end of the first.
            Temporal::WeakUntil(..) => {
                let (until, never) = (self.until(f, g), self.not(f));
                let ends = self.until(always, never);
                let holds = self.not(ends);
                self.push(PathNode::Any(vec![until, holds]))
            }
        })
    }

    /// The values of all subformulas in a state with some promises.
    fn values(&self, state: usize, bits: usize) -> Vec<bool> {
        let set = |bit: usize| bits >> bit & 1 == 1;
        let mut values: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            values.push(match node {
                PathNode::Set(states) => states[state],
                PathNode::Not(f) => !values[*f],
                PathNode::All(fs) => fs.iter().all(|&f| values[f]),
                PathNode::Any(fs) => fs.iter().any(|&f| values[f]),
                PathNode::Iff(f, g) => values[*f] == values[*g],
                PathNode::Promised(bit) => set(*bit),
                PathNode::Until { hold, reach, bit } => values[*reach] || (values[*hold] && set(*bit)),
            });
        }
        values
    }
}

/// The states from which all or some paths satisfy a formula.
fn quantified<S: Semantics>(
    explored: &Explored<'_, S>,
    quantifier: Quantifier,
    path: &CtlStarFormula,
) -> Result<Vec<bool>, StopReason> {
    let mut tableau = PathTableau::default();
    let root = tableau.add(explored, path)?;
    let root = if quantifier == Quantifier::Exists { root } else { tableau.not(root) };
    let bits = tableau.promises.len();
    if bits > MAX_BITS {
        return Err(StopReason::Formula(bits));
    }
    let (states, sets) = (explored.graph.states().len(), 1 << bits);
    explored.check(states * sets * (64 + tableau.nodes.len()))?;
    let values: Vec<Vec<bool>> =
        (0..states * sets).map(|node| tableau.values(node / sets, node % sets)).collect();
    let successors = successors(explored, &tableau, &values);
    let again = tableau.promises.iter().filter_map(|&f| match tableau.nodes[f] {
        PathNode::Until { reach, .. } => Some(values.iter().map(|v| !v[f] || v[reach]).collect()),
        _ => None,
    });
    let kept = keeping(&successors, &again.collect::<Vec<Vec<bool>>>());
    let some = |state: usize| (state * sets..(state + 1) * sets).any(|node| kept[node] && values[node][root]);
    Ok((0..states).map(|state| some(state) == (quantifier == Quantifier::Exists)).collect())
}

/// For each node, the nodes at the next position in which what it promises is true and nothing else that could be promised.
fn successors<S: Semantics>(
    explored: &Explored<'_, S>,
    tableau: &PathTableau,
    values: &[Vec<bool>],
) -> Vec<Vec<usize>> {
    let (graph, sets) = (explored.graph, 1 << tableau.promises.len());
    let promised = tableau.promises.iter().enumerate();
    let keeps = |bits: usize, next: usize| {
        promised.clone().all(|(bit, &f)| values[next][f] == (bits >> bit & 1 == 1))
    };
    (0..values.len())
        .map(|node| {
            let (state, bits) = (node / sets, node % sets);
            let stays = graph.is_deadlock(state).then_some(state);
            let targets = graph.edges(state).iter().map(|edge| edge.target()).chain(stays);
            targets.flat_map(|to| to * sets..(to + 1) * sets).filter(|&next| keeps(bits, next)).collect()
        })
        .collect()
}

/// The nodes that start a path that visits each set again and again.
fn keeping(successors: &[Vec<usize>], again: &[Vec<bool>]) -> Vec<bool> {
    let mut kept = vec![true; successors.len()];
    loop {
        let before = kept.clone();
        for set in again {
            kept = reaching(successors, &kept, set);
        }
        for at in 0..kept.len() {
            kept[at] = kept[at] && successors[at].iter().any(|&next| kept[next]);
        }
        if kept == before {
            return kept;
        }
    }
}

/// The nodes of `within` that reach one of `goal` in it.
fn reaching(successors: &[Vec<usize>], within: &[bool], goal: &[bool]) -> Vec<bool> {
    let mut reaching: Vec<bool> = within.iter().zip(goal).map(|(&a, &b)| a && b).collect();
    loop {
        let mut changed = false;
        for at in (0..reaching.len()).rev() {
            if within[at] && !reaching[at] && successors[at].iter().any(|&next| reaching[next]) {
                reaching[at] = true;
                changed = true;
            }
        }
        if !changed {
            return reaching;
        }
    }
}
