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

use std::{collections::HashSet, convert::Infallible};

use fireset_kernel::bits::Bits;
use fireset_net::{Budget, StopReason};

use super::operators::{CompiledCtl, CtlTerm, TemporalKind, TermAtom};
use crate::{
    marking_graph::{AtomSets, StepRelation, tree_set},
    search::{PollTimer, PredicateAtom},
};

/// MarkingTable wait in a bit set, which is scanned in the order of memory. If at most one marking in this number waits, they
/// wait on a stack for a while, since a scan costs more.
const FEW: usize = 1 << 10;
/// The length of that while: the number of markings divided by this.
const WHILE: usize = 1 << 6;

/// The satisfaction set of an operator.
fn label(
    steps: &StepRelation,
    kind: TemporalKind,
    (hold, goal): (&Bits, Bits),
    budget: &Budget,
) -> Result<Bits, StopReason> {
    let found = match kind {
        TemporalKind::Next => Bits::filled(steps.after.len(), false),
        TemporalKind::SomeUntil | TemporalKind::AllUntil => goal.clone(),
    };
    let left = match kind {
        TemporalKind::AllUntil => steps.after.clone(),
        TemporalKind::Next | TemporalKind::SomeUntil => Vec::new(),
    };
    let mut search = BackwardSearch { steps, kind, hold, found, left, new: Vec::new() };
    search.run(goal, budget)?;
    Ok(search.found)
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
        terms.known.push(label(steps, operator.kind, (&hold, goal), budget)?);
    }
    let root = terms.set(&operators.root);
    Ok((terms.known, root))
}

/// Adds the atoms of a formula.
pub(super) fn collect_atoms(operators: &CompiledCtl, atoms: &mut HashSet<PredicateAtom>) {
    let terms = operators.all.iter().flat_map(|operator| [&operator.hold, &operator.goal]);
    terms.chain([&operators.root]).for_each(|term| {
        term.atoms(&mut |atom| {
            if let TermAtom::Predicate(predicate) = atom {
                AtomSets::collect(predicate, atoms);
            }
        });
    });
}

/// The satisfaction sets of terms, from those of atoms and operators.
struct TermSets<'a> {
    atoms: &'a AtomSets,
    /// The markings of each operator that is evaluated.
    known: Vec<Bits>,
}

impl TermSets<'_> {
    fn set(&self, term: &CtlTerm) -> Bits {
        let set: Result<Bits, Infallible> = tree_set(term, self.atoms.markings, &mut |atom| {
            Ok(match atom {
                TermAtom::Predicate(predicate) => self.atoms.set(predicate),
                TermAtom::Temporal(operator) => self.known[*operator as usize].clone(),
            })
        });
        match set {
            Ok(set) => set,
        }
    }
}
