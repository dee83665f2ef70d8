//! Formulas as directed acyclic graphs: each subformula is one node, rewritten to a smaller one where a law allows it.
//!
//! Why: the alternating automaton has a state for each temporal node, so equal subformulas must be one node, and
//! an operator that is removed here costs nothing later. Source: the laws for pure eventualities and pure universalities
//! are from Etessami and Holzmann, "Optimizing Büchi automata" (CONCUR 2000); the others are folklore.
//!
//! A formula is *eventual* if a word satisfies it whenever one of its suffixes does, and *universal* if every
//! suffix of a word that satisfies it does too. So `a U e = e`, `a R u = u`, and `X f = f` if `f` is both.
//!
//! Invariant: a node's operands have smaller numbers. Cost: a lookup for each node; reading a formula does not
//! recurse, merging operands does, to no more than its depth. Tests: `tests` compares automata with formulas.

use std::collections::BTreeMap;

use super::{AtomLiteral, LtlFormula};

/// An operator or a leaf of the graph; operands are indices of nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FormulaNode {
    Constant(bool),
    Literal(AtomLiteral),
    And(Vec<u32>),
    Or(Vec<u32>),
    Next(u32),
    Until(u32, u32),
    Release(u32, u32),
}

pub(super) const FALSE: u32 = 0;
pub(super) const TRUE: u32 = 1;

/// Syntactic properties of a formula; the head of this module defines the first two.
#[derive(Clone, Copy, Debug)]
struct FormulaProperties {
    eventual: bool,
    universal: bool,
    propositional: bool,
}

#[derive(Clone, Debug)]
pub(super) struct FormulaDag {
    nodes: Vec<FormulaNode>,
    properties: Vec<FormulaProperties>,
    index: BTreeMap<FormulaNode, u32>,
}

/// A step of the traversal of a formula.
enum FormulaVisit<'f> {
    Enter(&'f LtlFormula),
    Leave(&'f LtlFormula),
}

impl FormulaDag {
    /// The graph of a formula, and the index of its root.
    pub fn new(formula: &LtlFormula) -> (Self, u32) {
        let mut nodes = Self { nodes: Vec::new(), properties: Vec::new(), index: BTreeMap::new() };
        nodes.intern(FormulaNode::Constant(false));
        nodes.intern(FormulaNode::Constant(true));
        let mut visits = vec![FormulaVisit::Enter(formula)];
        let mut done = Vec::new();
        while let Some(visit) = visits.pop() {
            match visit {
                FormulaVisit::Enter(f) => {
                    visits.push(FormulaVisit::Leave(f));
                    match f {
                        LtlFormula::Constant(_) | LtlFormula::Literal(_) => {}
                        LtlFormula::And(fs) | LtlFormula::Or(fs) => {
                            visits.extend(fs.iter().map(FormulaVisit::Enter))
                        }
                        LtlFormula::Next(f) => visits.push(FormulaVisit::Enter(f)),
                        LtlFormula::Until(f, g) | LtlFormula::Release(f, g) => {
                            visits.extend([FormulaVisit::Enter(f), FormulaVisit::Enter(g)])
                        }
                    }
                }
                FormulaVisit::Leave(f) => {
                    let node = nodes.build(f, &mut done);
                    done.push(node);
                }
            }
        }
        (nodes, done[0])
    }

    pub fn get(&self, node: u32) -> &FormulaNode {
        &self.nodes[node as usize]
    }

    /// Whether a node has no temporal operator below.
    pub fn is_propositional(&self, node: u32) -> bool {
        self.properties[node as usize].propositional
    }

    /// The nodes from which the root is built, operands first, the root included; others were rewritten.
    pub fn reachable_from(&self, root: u32) -> Vec<u32> {
        let mut needed = vec![false; root as usize + 1];
        needed[root as usize] = true;
        for node in (0..=root as usize).rev() {
            if !needed[node] {
                continue;
            }
            match &self.nodes[node] {
                FormulaNode::Constant(_) | FormulaNode::Literal(_) => {}
                FormulaNode::And(parts) | FormulaNode::Or(parts) => {
                    parts.iter().for_each(|&part| needed[part as usize] = true);
                }
                FormulaNode::Next(f) => needed[*f as usize] = true,
                FormulaNode::Until(f, g) | FormulaNode::Release(f, g) => {
                    [f, g].into_iter().for_each(|&part| needed[part as usize] = true);
                }
            }
        }
        (0..=root).filter(|&node| needed[node as usize]).collect()
    }

    /// The node of a formula whose operands are the last ones in `done`, the first of them at the end.
    fn build(&mut self, formula: &LtlFormula, done: &mut Vec<u32>) -> u32 {
        let mut operand = || done.pop().expect("operands are built before their operator");
        match formula {
            LtlFormula::Constant(value) => u32::from(*value),
            LtlFormula::Literal(literal) => self.intern(FormulaNode::Literal(*literal)),
            LtlFormula::And(fs) | LtlFormula::Or(fs) => {
                let operands = fs.iter().map(|_| operand()).collect();
                self.junction(operands, matches!(formula, LtlFormula::And(_)))
            }
            LtlFormula::Next(_) => {
                let f = operand();
                self.next(f)
            }
            LtlFormula::Until(..) | LtlFormula::Release(..) => {
                let (f, g) = (operand(), operand());
                self.binary(f, g, matches!(formula, LtlFormula::Until(..)))
            }
        }
    }

    /// The conjunction of the operands if `all`, otherwise their disjunction.
    fn junction(&mut self, operands: Vec<u32>, all: bool) -> u32 {
        let (neutral, absorbing) = if all { (TRUE, FALSE) } else { (FALSE, TRUE) };
        let mut parts = Vec::with_capacity(operands.len());
        for operand in operands {
            match (self.get(operand), all) {
                (FormulaNode::And(inner), true) | (FormulaNode::Or(inner), false) => {
                    parts.extend_from_slice(inner)
                }
                _ => parts.push(operand),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        parts.retain(|&part| part != neutral);
        if parts.contains(&absorbing) || parts.iter().any(|&part| self.has_negation(part, &parts)) {
            return absorbing;
        }
        let absorbed = |part: u32| match (self.get(part), all) {
            (FormulaNode::Or(inner), true) | (FormulaNode::And(inner), false) => {
                inner.iter().any(|p| parts.binary_search(p).is_ok())
            }
            _ => false,
        };
        let parts: Vec<u32> = parts.iter().copied().filter(|&part| !absorbed(part)).collect();
        if let Some(merged) = self.merged(&parts, all) {
            return merged;
        }
        match parts[..] {
            [] => neutral,
            [part] => part,
            _ => self.intern(if all { FormulaNode::And(parts) } else { FormulaNode::Or(parts) }),
        }
    }

    fn has_negation(&self, part: u32, parts: &[u32]) -> bool {
        let FormulaNode::Literal(literal) = self.get(part) else { return false };
        let negated = FormulaNode::Literal(AtomLiteral { positive: !literal.positive, ..*literal });
        self.index.get(&negated).is_some_and(|other| parts.binary_search(other).is_ok())
    }

    /// `G a & G b = G (a & b)`, `F G a & F G b = F G (a & b)`, and the same for `|` with `F` and `G F`.
    fn merged(&mut self, parts: &[u32], all: bool) -> Option<u32> {
        for twice in [true, false] {
            let innermost = |part: u32| {
                let outer = if twice { self.operand_of(part, all)? } else { part };
                self.operand_of(outer, !all)
            };
            let inner: Vec<u32> = parts.iter().filter_map(|&part| innermost(part)).collect();
            if inner.len() < 2 {
                continue;
            }
            let mut rest: Vec<u32> =
                parts.iter().copied().filter(|&part| innermost(part).is_none()).collect();
            let mut joined = self.junction(inner, all);
            joined = self.unary(joined, !all);
            if twice {
                joined = self.unary(joined, all);
            }
            rest.push(joined);
            return Some(self.junction(rest, all));
        }
        None
    }

    /// The operand of an `F` if `finally`, otherwise of a `G`.
    fn operand_of(&self, node: u32, finally: bool) -> Option<u32> {
        match (self.get(node), finally) {
            (&FormulaNode::Until(TRUE, f), true) | (&FormulaNode::Release(FALSE, f), false) => Some(f),
            _ => None,
        }
    }

    /// `F` of a node if `finally`, otherwise `G`.
    fn unary(&mut self, node: u32, finally: bool) -> u32 {
        self.binary(if finally { TRUE } else { FALSE }, node, finally)
    }

    fn next(&mut self, f: u32) -> u32 {
        let properties = self.properties[f as usize];
        if properties.eventual && properties.universal { f } else { self.intern(FormulaNode::Next(f)) }
    }

    /// `f U g` if `until`, otherwise `f R g`, for which the dual laws hold.
    fn binary(&mut self, f: u32, g: u32, until: bool) -> u32 {
        let (neutral, strongest) = if until { (FALSE, TRUE) } else { (TRUE, FALSE) };
        let properties = self.properties[g as usize];
        if f == neutral || f == g || if until { properties.eventual } else { properties.universal } {
            return g;
        }
        match (self.get(f), self.get(g), until) {
            (_, &FormulaNode::Until(a, b), true) | (_, &FormulaNode::Release(a, b), false)
                if a == f || f == strongest =>
            {
                return if a == f { g } else { self.binary(f, b, until) };
            }
            (&FormulaNode::Next(a), &FormulaNode::Next(b), _) => {
                let inner = self.binary(a, b, until);
                return self.next(inner);
            }
            (_, &FormulaNode::Next(b), _) if f == strongest => {
                let inner = self.binary(f, b, until);
                return self.next(inner);
            }
            _ => {}
        }
        self.intern(if until { FormulaNode::Until(f, g) } else { FormulaNode::Release(f, g) })
    }

    fn intern(&mut self, node: FormulaNode) -> u32 {
        if let Some(&number) = self.index.get(&node) {
            return number;
        }
        let number = u32::try_from(self.nodes.len()).expect("a formula has fewer than 2^32 nodes");
        self.properties.push(self.properties_of(&node));
        self.nodes.push(node.clone());
        self.index.insert(node, number);
        number
    }

    fn properties_of(&self, node: &FormulaNode) -> FormulaProperties {
        let of = |node: u32| self.properties[node as usize];
        match node {
            FormulaNode::Constant(_) => {
                FormulaProperties { eventual: true, universal: true, propositional: true }
            }
            FormulaNode::Literal(_) => {
                FormulaProperties { eventual: false, universal: false, propositional: true }
            }
            FormulaNode::And(parts) | FormulaNode::Or(parts) => FormulaProperties {
                eventual: parts.iter().all(|&part| of(part).eventual),
                universal: parts.iter().all(|&part| of(part).universal),
                propositional: parts.iter().all(|&part| of(part).propositional),
            },
            FormulaNode::Next(f) => FormulaProperties { propositional: false, ..of(*f) },
            FormulaNode::Until(f, g) => FormulaProperties {
                eventual: *f == TRUE || of(*g).eventual,
                universal: of(*f).universal && of(*g).universal,
                propositional: false,
            },
            FormulaNode::Release(f, g) => FormulaProperties {
                eventual: of(*f).eventual && of(*g).eventual,
                universal: *f == FALSE || of(*g).universal,
                propositional: false,
            },
        }
    }
}
