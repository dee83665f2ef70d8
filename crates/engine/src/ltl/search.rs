//! The search of a product for an accepting run: in layouts that widen, within bounds that grow, and in pieces.
//!
//! Where a marking does not fit the layout, or the time is up, the markings, the product states and the path are kept. The next run goes
//! on with them, all rows written in the new layout if there is one. A bound that grows and stubborn sets that contradict each other
//! begin a new search in the same markings.
//!
//! Invariant: what is kept was left between two steps, and the next run has the same automaton, atoms and net.
//! Test: `suspended/ltl_tests.rs`, in pieces and in layouts that are too narrow, against the reference checker.

use fireset_kernel::{
    automata::Buchi,
    store::{RowId, Store, Watermark},
};
use fireset_net::{Budget, Lasso, Statistics, StopReason, Technique};

use super::{
    LtlEngine, ProductState,
    emptiness::{EmptinessCheck, SearchResult},
    lasso,
    product::BuchiProduct,
    reduction::{ActionChoice, ChosenSets, LtlReduction},
};
use crate::{
    driver::WideningTask,
    search::{
        ActionId, EncodedNet, LayoutOverflow, MarkingSpace, MarkingTable, Predicate, SearchStop,
        interruptible, rewrite_rows,
    },
    stubborn::{ArcIndex, ObservedAtom},
    suspended::StoredSize,
};

/// Whether the product has an accepting run; and that run, if it could be put together.
pub(super) type AcceptingRun = Option<Option<Lasso>>;

/// The search for an accepting run of the product.
pub(super) struct ProductSearch<'a, N> {
    pub(super) automaton: &'a Buchi,
    pub(super) atoms: &'a [Predicate],
    pub(super) engine: LtlEngine,
    pub(super) arcs: Option<&'a ArcIndex<'a>>,
    pub(super) budget: &'a Budget,
    pub(super) techniques: Vec<Technique>,
    /// Absent if the search was interrupted in the middle of a step.
    pub(super) statistics: Option<Statistics>,
    /// What earlier runs explored, and what this one leaves to later ones.
    pub(super) explored: Option<ProductExploration<N>>,
}

/// A product, as far as it was explored, and the search in it.
pub(super) struct ProductExploration<N> {
    markings: Store,
    firings: u64,
    check: EmptinessCheck<N>,
    /// `None` if all transitions fire.
    sets: Option<ChosenSets>,
}

impl<N: ActionId> ProductExploration<N> {
    pub(super) fn size(&self) -> StoredSize {
        let sets = self.sets.as_ref().map_or(0, ChosenSets::bytes);
        let bytes = self.markings.bytes() + self.check.bytes() + sets;
        StoredSize { states: self.markings.len(), bytes: bytes as u64 }
    }

    /// Writes all markings again, `width` words each and by `convert`.
    fn rewrite(
        &mut self,
        width: usize,
        mut convert: impl FnMut(&[u64], &mut [u64]),
        budget: &Budget,
    ) -> Result<(), StopReason> {
        let old = &self.markings;
        let (mut markings, mut new) = (Store::new(width, false), vec![RowId::MAX; old.limit()]);
        let all = Watermark::default().take(&old.watermark(), usize::MAX);
        rewrite_rows(old, &all, (&mut markings, &mut new), &mut convert, budget)?;
        self.markings = markings;
        self.sets.iter_mut().for_each(|sets| sets.renumber(&new));
        self.check.renumber(&new)
    }
}

impl<E: EncodedNet> WideningTask<E> for ProductSearch<'_, E::ActionId> {
    type Output = Result<AcceptingRun, StopReason>;

    fn run<S: MarkingSpace<ActionId = E::ActionId>>(
        &mut self,
        net: &E,
        space: &mut S,
    ) -> Result<Self::Output, LayoutOverflow<E::ActionId>> {
        let atoms: Vec<ObservedAtom<'_>> = self.atoms.iter().map(ObservedAtom::Marking).collect();
        let mut reduction = self.arcs.and_then(|arcs| LtlReduction::new(arcs, self.automaton, &atoms, &[]));
        self.statistics = None;
        let initial = net.initial_row();
        let explored =
            self.explored.take().unwrap_or_else(|| self.unexplored(initial.len(), reduction.is_some()));
        let ProductExploration { markings, firings, check, sets } = explored;
        reduction = reduction.zip(sets).map(|(reduction, sets)| reduction.resume(sets));
        self.techniques = vec![Technique::Explicit];
        self.techniques.extend(reduction.as_ref().map(|_| Technique::StubbornSets));
        let mut markings = MarkingTable::new(space, &initial, markings);
        markings.firings = firings;
        let product = BuchiProduct::new(markings, self.automaton, self.atoms, ActionChoice::new(reduction));
        self.search(net.layout_name(), product, check)
    }

    fn on_widened(&mut self, narrow: &E, wide: &E, budget: &Budget) -> Result<(), StopReason> {
        let Some(explored) = &mut self.explored else { return Ok(()) };
        explored.rewrite(wide.initial_row().len(), narrow.converter(wide), budget)
    }
}

impl<N: ActionId> ProductSearch<'_, N> {
    fn unexplored(&self, width: usize, is_reduced: bool) -> ProductExploration<N> {
        let check = EmptinessCheck::new(
            self.engine.deepening.first(),
            self.automaton.classify(),
            self.engine.fireset,
        );
        let sets = is_reduced.then(ChosenSets::default);
        ProductExploration { markings: Store::new(width, false), firings: 0, check, sets }
    }

    /// Searches, within bounds that grow.
    fn search<S: MarkingSpace<ActionId = N>>(
        &mut self,
        encoding: &'static str,
        mut product: BuchiProduct<'_, S>,
        mut check: EmptinessCheck<N>,
    ) -> Result<Result<AcceptingRun, StopReason>, LayoutOverflow<N>> {
        let LtlEngine { deepening, fireset, .. } = self.engine;
        // A search that has found a run does not go on, even if the run does not fit the layout.
        let (found, goes_on) = loop {
            let bound = match check.run(&mut product, self.budget) {
                Ok(SearchResult::Empty) if product.choice.is_inconsistent() => check.bound(),
                Ok(SearchResult::EmptyWithinBound) => deepening.after(check.bound()),
                Ok(SearchResult::Empty) => break (Ok(Ok(None)), false),
                Ok(SearchResult::Accepting(path)) => {
                    break (self.accepting_run(&mut product, &check, &path), false);
                }
                Err(SearchStop::Reason(reason)) => break (Ok(Err(reason)), true),
                Err(SearchStop::Overflow(overflow)) => break (Err(overflow), true),
                Err(SearchStop::Enough) => unreachable!("the search has no monitor"),
            };
            product.choice.begin_search();
            check = check.begun_again(bound, fireset);
        };
        self.statistics = Some(Statistics {
            engine: "ltl",
            encoding,
            states: product.markings.store.len() as u64,
            firings: product.markings.firings,
            memory: check.peak_bytes(&product),
            ..Statistics::default()
        });
        let (markings, choice) = (product.markings, product.choice);
        self.explored = goes_on.then(|| ProductExploration {
            firings: markings.firings,
            markings: markings.store,
            check,
            sets: choice.into_sets(),
        });
        found
    }

    /// The run through the last state of a path.
    fn accepting_run<S: MarkingSpace<ActionId = N>>(
        &self,
        product: &mut BuchiProduct<'_, S>,
        check: &EmptinessCheck<N>,
        path: &[ProductState],
    ) -> Result<Result<AcceptingRun, StopReason>, LayoutOverflow<N>> {
        let class = self.automaton.classify();
        match interruptible(|| lasso::through(product, check, path, class, self.budget)) {
            Ok(Ok(lasso)) => Ok(Ok(Some(lasso))),
            Ok(Err(SearchStop::Overflow(overflow))) => Err(overflow),
            // An accepting run exists, even if it is not put together.
            Ok(Err(_)) | Err(_) => Ok(Ok(Some(None))),
        }
    }
}
