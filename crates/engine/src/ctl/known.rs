//! The markings that earlier evaluations found, with what they decided about formulas that stayed open.
//!
//! Why: a formula is evaluated several times, in turns and stages with more and more time and in other orders. A value that was
//! decided is final, so the next evaluation goes on with it and searches only what is open; where the last one was on its way is
//! forgotten, because another order goes another way.
//!
//! Invariant: values are about the rows of the store beside them; where that is dropped or rewritten, so are they.

use fireset_kernel::store::Store;
use fireset_net::{Budget, CtlFormula};

use super::{evaluate::Evaluation, lemmas::OperatorLemmas, status::StatusTable};
use crate::search::MarkingSpace;

/// The values of open formulas may take this part of the memory.
const MEMORY_PART: u64 = 4;

/// What an evaluation of a formula decided.
#[derive(Debug, Default)]
pub(super) struct KnownValues {
    /// One table for each operator, with final values alone while they are kept.
    pub(super) values: Vec<StatusTable>,
    /// By operator; empty without lemmas.
    pub(super) lemmas: Vec<OperatorLemmas>,
}

impl KnownValues {
    fn bytes(&self) -> usize {
        let values: usize = self.values.iter().map(StatusTable::bytes).sum();
        values + self.lemmas.iter().map(OperatorLemmas::bytes).sum::<usize>()
    }
}

/// Markings in one layout.
pub(super) struct KnownMarkings {
    pub(super) store: Store,
    of: Vec<(CtlFormula, KnownValues)>,
}

impl KnownMarkings {
    pub(super) fn new(width: usize) -> Self {
        Self { store: Store::new(width, false), of: Vec::new() }
    }

    /// Takes what is known about a formula.
    pub(super) fn take(&mut self, formula: &CtlFormula) -> Option<KnownValues> {
        let at = self.of.iter().position(|(known, _)| known == formula)?;
        Some(self.of.swap_remove(at).1)
    }

    /// Keeps what is known about a formula that stays open, as far as memory allows.
    pub(super) fn keep(&mut self, formula: &CtlFormula, mut known: KnownValues, budget: &Budget) {
        known.values.iter_mut().for_each(StatusTable::forget_undecided);
        let bytes = self.bytes_of_values() + known.bytes();
        if budget.memory().is_none_or(|most| bytes as u64 <= most / MEMORY_PART) {
            self.of.push((formula.clone(), known));
        }
    }

    /// The formulas about which something is known.
    pub(super) fn formulas(&self) -> impl Iterator<Item = &CtlFormula> {
        self.of.iter().map(|(formula, _)| formula)
    }

    /// The bytes of all values.
    pub(super) fn bytes_of_values(&self) -> usize {
        self.of.iter().map(|(_, known)| known.bytes()).sum()
    }
}

impl<S: MarkingSpace> Evaluation<'_, S> {
    /// Goes on with what an earlier evaluation of the formula decided about the same markings; `beside` are the bytes of what is known
    /// about other formulas.
    pub(super) fn resume(&mut self, known: Option<KnownValues>, beside: usize) {
        self.beside = beside;
        let Some(KnownValues { values, lemmas }) = known else { return };
        self.values = values;
        if let Some(own) = &mut self.lemmas {
            own.resume(lemmas);
        }
    }

    /// The markings, and what was decided about them.
    pub(super) fn suspend(self) -> (Store, KnownValues) {
        let lemmas = self.lemmas.map(|lemmas| lemmas.into_operators()).unwrap_or_default();
        (self.markings.store, KnownValues { values: self.values, lemmas })
    }
}
