//! Where the operators of a formula hold, from the inside out, as sets of markings with a bit each.
//!
//! After Clarke, Emerson and Sistla, "Automatic verification of finite-state concurrent systems using temporal logic
//! specifications" (1986), against the steps from where the goal holds:
//!
//! * `EX`: all markings before it.
//! * `E[f U g]`: those that are found through `f`.
//! * `A[f U g]`: the same, but a marking is found with its last step only.
//!
//! State predicates are put together from atoms, which formulas share. Markings are named by their positions, which have no gaps.
//! Cost: the steps for each operator.

use std::collections::{HashMap, HashSet};

use fireset_kernel::bits::Bits;
use fireset_kernel::store::Predecessors;
use fireset_net::{Budget, StopReason, TransitionId};

use super::operators::{Kind, Operators, Term};
use crate::search::{Pace, Predicate};

/// Markings wait in a set, through which sweeps go: what lies together in memory is looked at together. If only one of so
/// many waits, they wait in a stack for a while, since a sweep costs more.
const FEW: usize = 1 << 10;
/// As long as that: one of so many markings.
const WHILE: usize = 1 << 6;

/// The steps between all markings.
pub(super) struct Steps {
    /// From where they come, by where they lead.
    before: Predecessors,
    /// How many leave a marking.
    after: Vec<u32>,
}

impl Steps {
    /// As they were noted.
    pub(super) fn new(before: Predecessors) -> Self {
        Self { after: before.successors(), before }
    }

    /// Whether no step leaves the marking at a position.
    pub(super) fn is_deadlock(&self, position: usize) -> bool {
        self.after[position] == 0
    }

    pub(super) fn bytes(&self) -> usize {
        self.before.bytes() + self.after.len() * size_of::<u32>()
    }

    /// Where an operator holds.
    fn label(&self, kind: Kind, hold: &Bits, goal: Bits, budget: &Budget) -> Result<Bits, StopReason> {
        let found = match kind {
            Kind::Next => Bits::filled(self.after.len(), false),
            Kind::SomeUntil | Kind::AllUntil => goal.clone(),
        };
        let left = match kind {
            Kind::AllUntil => self.after.clone(),
            Kind::Next | Kind::SomeUntil => Vec::new(),
        };
        let mut search = Against { steps: self, kind, hold, found, left, new: Vec::new() };
        search.run(goal, budget)?;
        Ok(search.found)
    }
}

/// A search against the steps.
struct Against<'a> {
    steps: &'a Steps,
    kind: Kind,
    hold: &'a Bits,
    /// Where the operator holds, as far as that is known.
    found: Bits,
    /// For `AU`, the steps of each marking that lead to others.
    left: Vec<u32>,
    /// What is before the last marking and was found there.
    new: Vec<u32>,
}

impl Against<'_> {
    /// Goes on until nothing waits.
    fn run(&mut self, mut waiting: Bits, budget: &Budget) -> Result<(), StopReason> {
        let (mut pace, all) = (Pace::default(), self.steps.after.len());
        loop {
            let (mut looked_at, mut from) = (0, 0);
            while let Some(position) = waiting.take_from(from) {
                if pace.is_due() {
                    budget.go_on()?;
                }
                self.look(position);
                self.new.drain(..).for_each(|new| waiting.insert(new as usize));
                (looked_at, from) = (looked_at + 1, position);
            }
            if looked_at == 0 {
                return Ok(());
            }
            if looked_at > all / FEW {
                continue;
            }
            self.new.extend(waiting.iter().map(|position| position as u32));
            self.new.iter().for_each(|&position| waiting.remove(position as usize));
            for _ in 0..all / WHILE {
                if pace.is_due() {
                    budget.go_on()?;
                }
                let Some(position) = self.new.pop() else { return Ok(()) };
                self.look(position as usize);
            }
            self.new.drain(..).for_each(|position| waiting.insert(position as usize));
        }
    }

    /// Looks at what is before a marking.
    #[inline]
    fn look(&mut self, position: usize) {
        for &before in self.steps.before.of(position) {
            let at = before as usize;
            if self.kind == Kind::Next {
                self.found.insert(at);
                continue;
            }
            if self.found.get(at) || !self.hold.get(at) {
                continue;
            }
            if self.kind == Kind::AllUntil {
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

/// Where each operator of a formula holds, and the formula itself.
pub(super) fn of(
    operators: &Operators,
    atoms: &Atoms,
    steps: &Steps,
    budget: &Budget,
) -> Result<(Vec<Bits>, Bits), StopReason> {
    let mut terms = Terms { atoms, known: Vec::new() };
    for operator in &operators.all {
        let (hold, goal) = (terms.set(&operator.hold), terms.set(&operator.goal));
        terms.known.push(steps.label(operator.kind, &hold, goal, budget)?);
    }
    let root = terms.set(&operators.root);
    Ok((terms.known, root))
}

/// What state predicates are made of, and where it holds.
pub(super) struct Atoms {
    /// How many markings there are.
    pub(super) markings: usize,
    pub(super) sets: HashMap<Predicate, Bits>,
}

impl Atoms {
    /// Those of a formula.
    pub(super) fn of(operators: &Operators, atoms: &mut HashSet<Predicate>) {
        let terms = operators.all.iter().flat_map(|operator| [&operator.hold, &operator.goal]);
        terms.chain([&operators.root]).for_each(|term| in_term(term, atoms));
    }

    /// Where a state predicate holds.
    fn set(&self, predicate: &Predicate) -> Bits {
        let (all, none) = (|| Bits::filled(self.markings, true), || Bits::filled(self.markings, false));
        match predicate {
            Predicate::Constant(value) => Bits::filled(self.markings, *value),
            Predicate::Not(f) => self.set(f).complement(),
            Predicate::And(fs) => fs.iter().fold(all(), |set, f| set.and(&self.set(f))),
            Predicate::Or(fs) => fs.iter().fold(none(), |set, f| set.or(&self.set(f))),
            Predicate::Iff(sides) => self.set(&sides.0).iff(&self.set(&sides.1)),
            Predicate::Fireable(ts) => ts.iter().fold(none(), |set, &t| set.or(&self.sets[&fires(t)])),
            Predicate::Deadlock | Predicate::Linear(..) | Predicate::Compare(..) => {
                self.sets[predicate].clone()
            }
        }
    }
}

/// The atoms of a term.
fn in_term(term: &Term, atoms: &mut HashSet<Predicate>) {
    match term {
        Term::Predicate(predicate) => in_predicate(predicate, atoms),
        Term::Temporal(_) => {}
        Term::Not(term) => in_term(term, atoms),
        Term::And(terms) | Term::Or(terms) => terms.iter().for_each(|term| in_term(term, atoms)),
        Term::Iff(sides) => [&sides.0, &sides.1].into_iter().for_each(|term| in_term(term, atoms)),
    }
}

/// The atoms of a state predicate.
fn in_predicate(predicate: &Predicate, atoms: &mut HashSet<Predicate>) {
    match predicate {
        Predicate::Constant(_) => {}
        Predicate::Not(f) => in_predicate(f, atoms),
        Predicate::And(fs) | Predicate::Or(fs) => fs.iter().for_each(|f| in_predicate(f, atoms)),
        Predicate::Iff(sides) => [&sides.0, &sides.1].into_iter().for_each(|f| in_predicate(f, atoms)),
        Predicate::Fireable(ts) => atoms.extend(ts.iter().copied().map(fires)),
        Predicate::Deadlock | Predicate::Linear(..) | Predicate::Compare(..) => {
            atoms.insert(predicate.clone());
        }
    }
}

/// Whether one transition is enabled.
fn fires(transition: TransitionId) -> Predicate {
    Predicate::Fireable([transition].into())
}

/// What is known when a term is read.
struct Terms<'a> {
    atoms: &'a Atoms,
    /// By operator.
    known: Vec<Bits>,
}

impl Terms<'_> {
    /// Where a term holds.
    fn set(&self, term: &Term) -> Bits {
        let filled = |value| Bits::filled(self.atoms.markings, value);
        match term {
            Term::Predicate(predicate) => self.atoms.set(predicate),
            Term::Temporal(operator) => self.known[*operator as usize].clone(),
            Term::Not(term) => self.set(term).complement(),
            Term::And(terms) => terms.iter().fold(filled(true), |set, term| set.and(&self.set(term))),
            Term::Or(terms) => terms.iter().fold(filled(false), |set, term| set.or(&self.set(term))),
            Term::Iff(sides) => self.set(&sides.0).iff(&self.set(&sides.1)),
        }
    }
}
