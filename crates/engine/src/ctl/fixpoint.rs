//! Satisfaction sets of the operators of a formula, from the inside out, as bit sets of markings.
//!
//! After Clarke, Emerson and Sistla, "Automatic verification of finite-state concurrent systems using temporal logic
//! specifications" (1986), backwards from the satisfaction set of the goal:
//!
//! * `EX`: its predecessors.
//! * `E[f U g]`: the markings that are found through `f`.
//! * `A[f U g]`: the same, but a marking is found with its last step only.
//!
//! State predicates are combined from atoms, which formulas share. MarkingTable are named by their positions, which have no gaps.
//! Cost: the steps for each operator.

use std::collections::{HashMap, HashSet};

use fireset_kernel::bits::Bits;
use fireset_kernel::store::Predecessors;
use fireset_net::{BoolTree, Budget, StopReason, TransitionId};

use super::operators::{CompiledCtl, CtlTerm, TemporalKind, TermAtom};
use crate::search::{PollTimer, Predicate, PredicateAtom};

/// MarkingTable wait in a bit set, which is scanned in the order of memory. If at most one marking in this number waits, they
/// wait on a stack for a while, since a scan costs more.
const FEW: usize = 1 << 10;
/// The length of that while: the number of markings divided by this.
const WHILE: usize = 1 << 6;

/// The steps between all markings, by target.
pub(super) struct StepRelation {
    before: Predecessors,
    /// By marking, the number of steps from it.
    after: Vec<u32>,
}

impl StepRelation {
    pub(super) fn new(before: Predecessors) -> Self {
        Self { after: before.out_degrees(), before }
    }

    /// Whether no step leaves the marking at a position.
    pub(super) fn is_deadlock(&self, position: usize) -> bool {
        self.after[position] == 0
    }

    pub(super) fn bytes(&self) -> usize {
        self.before.bytes() + self.after.len() * size_of::<u32>()
    }

    /// The satisfaction set of an operator.
    fn label(
        &self,
        kind: TemporalKind,
        hold: &Bits,
        goal: Bits,
        budget: &Budget,
    ) -> Result<Bits, StopReason> {
        let found = match kind {
            TemporalKind::Next => Bits::filled(self.after.len(), false),
            TemporalKind::SomeUntil | TemporalKind::AllUntil => goal.clone(),
        };
        let left = match kind {
            TemporalKind::AllUntil => self.after.clone(),
            TemporalKind::Next | TemporalKind::SomeUntil => Vec::new(),
        };
        let mut search = BackwardSearch { steps: self, kind, hold, found, left, new: Vec::new() };
        search.run(goal, budget)?;
        Ok(search.found)
    }
}

/// A backward search for the satisfaction set of one operator.
struct BackwardSearch<'a> {
    steps: &'a StepRelation,
    kind: TemporalKind,
    hold: &'a Bits,
    /// The markings found so far.
    found: Bits,
    /// For `AU`, by marking the number of steps to markings that are not found.
    left: Vec<u32>,
    /// The markings that were found from the last one.
    new: Vec<u32>,
}

impl BackwardSearch<'_> {
    /// Searches until no marking waits.
    fn run(&mut self, mut waiting: Bits, budget: &Budget) -> Result<(), StopReason> {
        let (mut pace, all) = (PollTimer::default(), self.steps.after.len());
        loop {
            let (mut visited, mut from) = (0, 0);
            while let Some(position) = waiting.take_from(from) {
                if pace.is_due() {
                    budget.go_on()?;
                }
                self.visit_predecessors(position);
                self.new.drain(..).for_each(|new| waiting.insert(new as usize));
                (visited, from) = (visited + 1, position);
            }
            if visited == 0 {
                return Ok(());
            }
            if visited > all / FEW {
                continue;
            }
            self.new.extend(waiting.iter().map(|position| position as u32));
            self.new.iter().for_each(|&position| waiting.remove(position as usize));
            for _ in 0..all / WHILE {
                if pace.is_due() {
                    budget.go_on()?;
                }
                let Some(position) = self.new.pop() else { return Ok(()) };
                self.visit_predecessors(position as usize);
            }
            self.new.drain(..).for_each(|position| waiting.insert(position as usize));
        }
    }

    /// Visits the predecessors of a marking.
    #[inline]
    fn visit_predecessors(&mut self, position: usize) {
        for &before in self.steps.before.of(position) {
            let at = before as usize;
            if self.kind == TemporalKind::Next {
                self.found.insert(at);
                continue;
            }
            if self.found.get(at) || !self.hold.get(at) {
                continue;
            }
            if self.kind == TemporalKind::AllUntil {
                self.left[at] -= 1;
                if self.left[at] > 0 {
                    continue;
                }
            }
            self.found.insert(at);
            self.new.push(before);
        }
    }
}

/// The satisfaction sets of each operator of a formula, and of the formula itself.
pub(super) fn of(
    operators: &CompiledCtl,
    atoms: &AtomSets,
    steps: &StepRelation,
    budget: &Budget,
) -> Result<(Vec<Bits>, Bits), StopReason> {
    let mut terms = TermSets { atoms, known: Vec::new() };
    for operator in &operators.all {
        let (hold, goal) = (terms.set(&operator.hold), terms.set(&operator.goal));
        terms.known.push(steps.label(operator.kind, &hold, goal, budget)?);
    }
    let root = terms.set(&operators.root);
    Ok((terms.known, root))
}

/// The atoms of state predicates with their satisfaction sets; fireability is split into single transitions.
pub(super) struct AtomSets {
    pub(super) markings: usize,
    pub(super) sets: HashMap<PredicateAtom, Bits>,
}

impl AtomSets {
    /// Adds the atoms of a formula.
    pub(super) fn collect(operators: &CompiledCtl, atoms: &mut HashSet<PredicateAtom>) {
        let terms = operators.all.iter().flat_map(|operator| [&operator.hold, &operator.goal]);
        terms.chain([&operators.root]).for_each(|term| {
            term.atoms(&mut |atom| {
                if let TermAtom::Predicate(predicate) = atom {
                    predicate.atoms(&mut |atom| match atom {
                        PredicateAtom::Fireable(ts) => atoms.extend(ts.iter().copied().map(fires)),
                        _ => drop(atoms.insert(atom.clone())),
                    });
                }
            });
        });
    }

    /// The satisfaction set of a state predicate.
    fn set(&self, predicate: &Predicate) -> Bits {
        tree_set(predicate, self.markings, &|atom| match atom {
            PredicateAtom::Fireable(ts) => {
                let none = Bits::filled(self.markings, false);
                ts.iter().fold(none, |set, &t| set.or(&self.sets[&fires(t)]))
            }
            _ => self.sets[atom].clone(),
        })
    }
}

/// The atom that one transition is enabled.
fn fires(transition: TransitionId) -> PredicateAtom {
    PredicateAtom::Fireable([transition].into())
}

/// The satisfaction set of a Boolean combination, from those of its atoms.
fn tree_set<A>(tree: &BoolTree<A>, markings: usize, atom: &impl Fn(&A) -> Bits) -> Bits {
    let (set, filled) = (|tree| tree_set(tree, markings, atom), |value| Bits::filled(markings, value));
    match tree {
        BoolTree::Constant(value) => filled(*value),
        BoolTree::Atom(leaf) => atom(leaf),
        BoolTree::Not(tree) => set(tree).complement(),
        BoolTree::And(trees) => trees.iter().fold(filled(true), |all, tree| all.and(&set(tree))),
        BoolTree::Or(trees) => trees.iter().fold(filled(false), |any, tree| any.or(&set(tree))),
        BoolTree::Iff(sides) => set(&sides.0).iff(&set(&sides.1)),
    }
}

/// The satisfaction sets of terms, from those of atoms and operators.
struct TermSets<'a> {
    atoms: &'a AtomSets,
    /// The markings of each operator that is evaluated.
    known: Vec<Bits>,
}

impl TermSets<'_> {
    fn set(&self, term: &CtlTerm) -> Bits {
        tree_set(term, self.atoms.markings, &|atom| match atom {
            TermAtom::Predicate(predicate) => self.atoms.set(predicate),
            TermAtom::Temporal(operator) => self.known[*operator as usize].clone(),
        })
    }
}
