//! Formulas as nodes, each kept once and rewritten to a smaller one where a law allows it.
//!
//! Why: the alternating automaton has a state for each temporal node, so equal subformulas must be one node, and
//! what is rewritten here costs nothing later. Source: the laws for pure eventualities and pure universalities
//! are from Etessami and Holzmann, "Optimizing Büchi automata" (CONCUR 2000); the others are folklore.
//!
//! A formula is *eventual* if a word satisfies it whenever one of its suffixes does, and *universal* if every
//! suffix of a word that satisfies it does too. So `a U e = e`, `a R u = u`, and `X f = f` if `f` is both.
//!
//! Invariant: a node's operands have smaller numbers. Cost: a lookup for each node; reading a formula does not
//! recurse, merging operands does, to no more than its depth. Tests: `tests` compares automata with formulas.

use std::collections::BTreeMap;

use super::{Literal, Ltl};

/// A node; operands are numbers of nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    Constant(bool),
    Literal(Literal),
    And(Vec<u32>),
    Or(Vec<u32>),
    Next(u32),
    Until(u32, u32),
    Release(u32, u32),
}

pub(super) const FALSE: u32 = 0;
pub(super) const TRUE: u32 = 1;

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
struct Kind {
    eventual: bool,
    universal: bool,
    propositional: bool,
}

/// All nodes of a formula.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    kinds: Vec<Kind>,
    index: BTreeMap<Node, u32>,
}

/// What is to be done with a formula while it is read.
enum Task<'f> {
    Read(&'f Ltl),
    Build(&'f Ltl),
}

impl Nodes {
    /// The nodes of a formula, and its own.
    pub fn new(formula: &Ltl) -> (Self, u32) {
        let mut nodes = Self { nodes: Vec::new(), kinds: Vec::new(), index: BTreeMap::new() };
        nodes.intern(Node::Constant(false));
        nodes.intern(Node::Constant(true));
        let mut tasks = vec![Task::Read(formula)];
        let mut done = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Read(f) => {
                    tasks.push(Task::Build(f));
                    match f {
                        Ltl::Constant(_) | Ltl::Literal(_) => {}
                        Ltl::And(fs) | Ltl::Or(fs) => tasks.extend(fs.iter().map(Task::Read)),
                        Ltl::Next(f) => tasks.push(Task::Read(f)),
                        Ltl::Until(f, g) | Ltl::Release(f, g) => tasks.extend([Task::Read(f), Task::Read(g)]),
                    }
                }
                Task::Build(f) => {
                    let node = nodes.build(f, &mut done);
                    done.push(node);
                }
            }
        }
        (nodes, done[0])
    }

    /// The node at a number.
    pub fn get(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// Whether it speaks of the first letter only.
    pub fn is_propositional(&self, node: u32) -> bool {
        self.kinds[node as usize].propositional
    }

    /// A node and everything below it, operands first; others were rewritten to something else.
    pub fn below_root(&self, root: u32) -> Vec<u32> {
        let mut needed = vec![false; root as usize + 1];
        needed[root as usize] = true;
        for node in (0..=root as usize).rev() {
            if !needed[node] {
                continue;
            }
            match &self.nodes[node] {
                Node::Constant(_) | Node::Literal(_) => {}
                Node::And(parts) | Node::Or(parts) => {
                    parts.iter().for_each(|&part| needed[part as usize] = true);
                }
                Node::Next(f) => needed[*f as usize] = true,
                Node::Until(f, g) | Node::Release(f, g) => {
                    [f, g].into_iter().for_each(|&part| needed[part as usize] = true);
                }
            }
        }
        (0..=root).filter(|&node| needed[node as usize]).collect()
    }

    /// The node of a formula whose operands are the last ones in `done`, the first of them at the end.
    fn build(&mut self, formula: &Ltl, done: &mut Vec<u32>) -> u32 {
        let mut operand = || done.pop().expect("operands come before what they belong to");
        match formula {
            Ltl::Constant(value) => u32::from(*value),
            Ltl::Literal(literal) => self.intern(Node::Literal(*literal)),
            Ltl::And(fs) | Ltl::Or(fs) => {
                let operands = fs.iter().map(|_| operand()).collect();
                self.many(operands, matches!(formula, Ltl::And(_)))
            }
            Ltl::Next(_) => {
                let f = operand();
                self.next(f)
            }
            Ltl::Until(..) | Ltl::Release(..) => {
                let (f, g) = (operand(), operand());
                self.binary(f, g, matches!(formula, Ltl::Until(..)))
            }
        }
    }

    /// All (or some) of the operands.
    fn many(&mut self, operands: Vec<u32>, all: bool) -> u32 {
        let (neutral, absorbing) = if all { (TRUE, FALSE) } else { (FALSE, TRUE) };
        let mut parts = Vec::with_capacity(operands.len());
        for operand in operands {
            match (self.get(operand), all) {
                (Node::And(inner), true) | (Node::Or(inner), false) => parts.extend_from_slice(inner),
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
            (Node::Or(inner), true) | (Node::And(inner), false) => {
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
            _ => self.intern(if all { Node::And(parts) } else { Node::Or(parts) }),
        }
    }

    fn has_negation(&self, part: u32, parts: &[u32]) -> bool {
        let Node::Literal(literal) = self.get(part) else { return false };
        let negated = Node::Literal(Literal { positive: !literal.positive, ..*literal });
        self.index.get(&negated).is_some_and(|other| parts.binary_search(other).is_ok())
    }

    /// `G a & G b = G (a & b)`, `F G a & F G b = F G (a & b)`, and the same for `|` with `F` and `G F`.
    fn merged(&mut self, parts: &[u32], all: bool) -> Option<u32> {
        for twice in [true, false] {
            let below = |part: u32| {
                let outer = if twice { self.below(part, all)? } else { part };
                self.below(outer, !all)
            };
            let inner: Vec<u32> = parts.iter().filter_map(|&part| below(part)).collect();
            if inner.len() < 2 {
                continue;
            }
            let mut rest: Vec<u32> = parts.iter().copied().filter(|&part| below(part).is_none()).collect();
            let mut joined = self.many(inner, all);
            joined = self.unary(joined, !all);
            if twice {
                joined = self.unary(joined, all);
            }
            rest.push(joined);
            return Some(self.many(rest, all));
        }
        None
    }

    /// What is below an `F` (or a `G`).
    fn below(&self, node: u32, finally: bool) -> Option<u32> {
        match (self.get(node), finally) {
            (&Node::Until(TRUE, f), true) | (&Node::Release(FALSE, f), false) => Some(f),
            _ => None,
        }
    }

    /// `F` (or `G`) of a node.
    fn unary(&mut self, node: u32, finally: bool) -> u32 {
        self.binary(if finally { TRUE } else { FALSE }, node, finally)
    }

    fn next(&mut self, f: u32) -> u32 {
        let kind = self.kinds[f as usize];
        if kind.eventual && kind.universal { f } else { self.intern(Node::Next(f)) }
    }

    /// `f U g`, or `f R g`, for which the same laws hold the other way round.
    fn binary(&mut self, f: u32, g: u32, until: bool) -> u32 {
        let (neutral, strongest) = if until { (FALSE, TRUE) } else { (TRUE, FALSE) };
        let kind = self.kinds[g as usize];
        if f == neutral || f == g || if until { kind.eventual } else { kind.universal } {
            return g;
        }
        match (self.get(f), self.get(g), until) {
            (_, &Node::Until(a, b), true) | (_, &Node::Release(a, b), false) if a == f || f == strongest => {
                return if a == f { g } else { self.binary(f, b, until) };
            }
            (&Node::Next(a), &Node::Next(b), _) => {
                let inner = self.binary(a, b, until);
                return self.next(inner);
            }
            (_, &Node::Next(b), _) if f == strongest => {
                let inner = self.binary(f, b, until);
                return self.next(inner);
            }
            _ => {}
        }
        self.intern(if until { Node::Until(f, g) } else { Node::Release(f, g) })
    }

    fn intern(&mut self, node: Node) -> u32 {
        if let Some(&number) = self.index.get(&node) {
            return number;
        }
        let number = u32::try_from(self.nodes.len()).expect("a formula has fewer than 2^32 nodes");
        self.kinds.push(self.kind(&node));
        self.nodes.push(node.clone());
        self.index.insert(node, number);
        number
    }

    fn kind(&self, node: &Node) -> Kind {
        let of = |node: u32| self.kinds[node as usize];
        match node {
            Node::Constant(_) => Kind { eventual: true, universal: true, propositional: true },
            Node::Literal(_) => Kind { eventual: false, universal: false, propositional: true },
            Node::And(parts) | Node::Or(parts) => Kind {
                eventual: parts.iter().all(|&part| of(part).eventual),
                universal: parts.iter().all(|&part| of(part).universal),
                propositional: parts.iter().all(|&part| of(part).propositional),
            },
            Node::Next(f) => Kind { propositional: false, ..of(*f) },
            Node::Until(f, g) => Kind {
                eventual: *f == TRUE || of(*g).eventual,
                universal: of(*f).universal && of(*g).universal,
                propositional: false,
            },
            Node::Release(f, g) => Kind {
                eventual: of(*f).eventual && of(*g).eventual,
                universal: *f == FALSE || of(*g).universal,
                propositional: false,
            },
        }
    }
}
