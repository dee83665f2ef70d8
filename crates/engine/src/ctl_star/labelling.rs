//! The labelling of all markings with the quantified formulas of a formula of CTL*.
//!
//! The letters of a path formula are the state predicates and quantified formulas in it, whose satisfaction sets are found first. For
//! evidence there is a second set of a quantified formula: the markings in which runs alone show that `E f` holds or `A f` fails. It
//! is found in the same way, with the second sets of the letters: where a value of a letter is not shown by runs it counts as false.
//! Invariant: the second set of `E f` is part of its satisfaction set, that of `A f` has no marking in common with it.

use std::collections::HashMap;

use fireset_kernel::{
    automata::{self, AtomLiteral, LtlFormula},
    bits::Bits,
};
use fireset_net::{Budget, CtlStarAtom, CtlStarFormula, Quantifier, StopReason};

use super::product::LabelledProduct;
use crate::{
    ltl::{MAX_AUTOMATON, path},
    marking_graph::{AtomSets, MarkingGraph, tree_set},
    search::{MarkingSpace, compile},
};

/// Which markings have a letter that is a quantified formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum LetterSource {
    /// Those in which it holds.
    Labels,
    /// Those in which runs alone show its value; a value that they cannot show is false.
    Runs,
}

/// The labelling of all markings with one formula.
pub(super) struct StarLabelling<'a, 'm, S> {
    pub(super) graph: &'a MarkingGraph<'m, S>,
    pub(super) atoms: &'a AtomSets,
    pub(super) budget: &'a Budget,
    /// The most bytes that were in use.
    pub(super) bytes: usize,
    /// The bytes of products that are kept.
    pub(super) kept: usize,
    /// The sets of quantified formulas.
    sets: HashMap<(CtlStarAtom, LetterSource), Bits>,
}

impl<'a, 'm, S: MarkingSpace> StarLabelling<'a, 'm, S> {
    pub(super) fn new(graph: &'a MarkingGraph<'m, S>, atoms: &'a AtomSets, budget: &'a Budget) -> Self {
        Self { graph, atoms, budget, bytes: 0, kept: 0, sets: HashMap::new() }
    }

    /// The position of the initial marking.
    pub(super) fn initial(&self) -> usize {
        let (numbers, mut row) = (&self.graph.numbers, Default::default());
        let is_initial = |&position: &usize| {
            self.graph.store.get(numbers[position], &mut row);
            row.row() == self.graph.initial
        };
        (0..numbers.len()).find(is_initial).expect("the initial marking is reachable")
    }

    /// The markings in which a formula about markings holds.
    pub(super) fn set(&mut self, formula: &CtlStarFormula) -> Result<Bits, StopReason> {
        tree_set(formula, self.atoms.markings, &mut |atom| self.letter(atom, LetterSource::Labels))
    }

    /// The markings that have a letter.
    pub(super) fn letter(&mut self, atom: &CtlStarAtom, source: LetterSource) -> Result<Bits, StopReason> {
        let (quantifier, path) = match atom {
            CtlStarAtom::State(predicate) => return Ok(self.atoms.set(&compile(predicate))),
            CtlStarAtom::Quantified(quantifier, path) => (*quantifier, path),
            CtlStarAtom::Temporal(_) => unreachable!("an operator is no letter"),
        };
        let key = (atom.clone(), source);
        if let Some(set) = self.sets.get(&key) {
            return Ok(set.clone());
        }
        let exists = quantifier == Quantifier::Exists;
        let set = match source {
            LetterSource::Labels => {
                let starts = self.product(path, exists, source)?.starts();
                if exists { starts } else { starts.complement() }
            }
            LetterSource::Runs if has_quantifier(path) => self.product(path, exists, source)?.starts(),
            // The labels say the same.
            LetterSource::Runs => {
                let labels = self.letter(atom, LetterSource::Labels)?;
                if exists { labels } else { labels.complement() }
            }
        };
        self.sets.insert(key, set.clone());
        Ok(set)
    }

    /// The product for the paths that satisfy a formula or, if `positive` is false, its negation.
    pub(super) fn product(
        &mut self,
        formula: &CtlStarFormula,
        positive: bool,
        source: LetterSource,
    ) -> Result<LabelledProduct<'a>, StopReason> {
        let too_large = || StopReason::Formula(formula.temporal_operators());
        if size(formula) > MAX_AUTOMATON {
            return Err(too_large());
        }
        let mut letters = Letters { source, atoms: Vec::new() };
        let word = word(formula, positive, &mut letters);
        let automaton = automata::translate(&word, MAX_AUTOMATON).ok_or_else(too_large)?;
        let mut sets = Vec::new();
        for atom in &letters.atoms {
            sets.push(self.letter(atom, source)?);
            self.budget.go_on()?;
        }
        let bits = self.atoms.sets.len() + self.sets.len() + sets.len();
        let held = self.graph.bytes() + self.kept + bits * self.atoms.markings / 8;
        let product = LabelledProduct::search(automaton, sets, (&self.graph.steps, self.budget), held)?;
        self.bytes = self.bytes.max(product.peak());
        Ok(product)
    }
}

/// Whether quantified formulas are among the letters of a path formula.
pub(super) fn has_quantifier(path: &CtlStarFormula) -> bool {
    path.any_atom(&|atom| match atom {
        CtlStarAtom::State(_) => false,
        CtlStarAtom::Temporal(operator) => operator.operands().any(has_quantifier),
        CtlStarAtom::Quantified(..) => true,
    })
}

/// How many nodes [`word`] makes of a formula, at most.
fn size(formula: &CtlStarFormula) -> usize {
    path::tree_size(formula, &|atom| match atom {
        CtlStarAtom::State(_) | CtlStarAtom::Quantified(..) => 1,
        CtlStarAtom::Temporal(operator) => path::operator_size(operator, size),
    })
}

/// The letters of a path formula, by their numbers.
struct Letters {
    source: LetterSource,
    atoms: Vec<CtlStarAtom>,
}

impl Letters {
    fn literal(&mut self, atom: &CtlStarAtom, positive: bool) -> LtlFormula {
        let mut positive = positive;
        if let (CtlStarAtom::Quantified(quantifier, _), LetterSource::Runs) = (atom, self.source) {
            if positive != (*quantifier == Quantifier::Exists) {
                return LtlFormula::Constant(false);
            }
            positive = true;
        }
        let known = self.atoms.iter().position(|known| known == atom);
        let letter = known.unwrap_or_else(|| {
            self.atoms.push(atom.clone());
            self.atoms.len() - 1
        });
        LtlFormula::Literal(AtomLiteral { atom: letter as u32, positive })
    }
}

/// A path formula, or its negation, over letters for the formulas about markings in it.
fn word(formula: &CtlStarFormula, positive: bool, letters: &mut Letters) -> LtlFormula {
    path::signed(formula, positive, &mut |atom, positive| match atom {
        CtlStarAtom::Temporal(operator) => {
            path::signed_operator(operator.map(&mut |f| word(f, positive, letters)), positive)
        }
        CtlStarAtom::State(_) | CtlStarAtom::Quantified(..) => letters.literal(atom, positive),
    })
}
