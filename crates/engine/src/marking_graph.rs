//! All reachable markings with the steps between them, and the satisfaction sets of state predicates: what global model checking
//! of branching time starts from.
//!
//! Markings are named by their positions, which have no gaps. Cost: 8 bytes a step beside the markings, and a bit a marking and atom.
//! Test: `tests/ctl.rs` and `tests/ctl_star.rs`.

use std::{
    collections::{HashMap, HashSet},
    convert::Infallible,
    ops::ControlFlow,
};

use fireset_kernel::{
    bits::Bits,
    store::{Predecessors, RowId, Store, TreeRow, Watermark},
    threads::{WorkerPool, parallel_map},
};
use fireset_net::{BoolTree, Budget, StopReason, TransitionId};

use crate::{
    FiresetMode, Order,
    search::{
        MarkingSpace, Monitor, PollTimer, Predicate, PredicateAtom, SearchConfig, SearchStop, StateSearch,
        StateSpace, VisitedState, Visitor,
    },
};

/// The reachable markings of a space and the steps between them.
pub(crate) struct MarkingGraph<'m, S> {
    pub(crate) space: &'m mut S,
    pub(crate) initial: &'m [u64],
    pub(crate) store: Store,
    /// The markings of the store, by position.
    pub(crate) numbers: Vec<RowId>,
    pub(crate) firings: u64,
    pub(crate) steps: StepRelation,
}

impl<'m, S: MarkingSpace> MarkingGraph<'m, S> {
    /// Explores all markings with a number of threads.
    pub(crate) fn explore(
        space: &'m mut S,
        initial: &'m [u64],
        (fireset, threads): (FiresetMode, usize),
        budget: &Budget,
    ) -> Result<Self, SearchStop<S::ActionId>> {
        let (order, max_states) = (Order::BreadthFirst, usize::MAX);
        let config = SearchConfig { order, fireset, threads, runs: false, steps: true, max_states };
        let mut search = StateSearch::new(initial, config);
        search.run(space, budget, &mut Blind)?;
        let (states, before) = search.into_graph(budget).map_err(SearchStop::Reason)?;
        let (store, firings) = (states.store, states.firings);
        let numbers = Watermark::default().take(&store.watermark(), usize::MAX);
        Ok(Self { space, initial, store, numbers, firings, steps: StepRelation::new(before) })
    }

    pub(crate) fn bytes(&self) -> usize {
        let numbers = self.numbers.len() * size_of::<RowId>();
        self.space.bytes() + self.store.bytes() + numbers + self.steps.bytes()
    }

    /// Evaluates atoms in all markings. Each of a number of threads takes some of them, and unpacks each marking once.
    pub(crate) fn evaluate(
        &self,
        atoms: HashSet<PredicateAtom>,
        threads: Option<(&WorkerPool, usize)>,
        budget: &Budget,
    ) -> Result<AtomSets, StopReason> {
        let atoms: Vec<PredicateAtom> = atoms.into_iter().collect();
        let Self { space, store, numbers, steps, .. } = self;
        let (markings, count) = (store.len(), atoms.len());
        budget.check((self.bytes() + count * markings / 8) as u64, markings as u64)?;
        let share = count.div_ceil(threads.map_or(1, |(_, threads)| threads)).max(1);
        let parts = atoms.chunks(share).map(|part| (S::clone(space), part)).collect();
        let sets = on(threads.map(|(pool, _)| pool), || {
            parallel_map(parts, |(mut space, part)| {
                satisfaction_sets(part, &mut space, (store, numbers, steps), budget)
            })
        });
        let sets: Vec<Vec<Bits>> = sets.into_iter().collect::<Result<_, _>>()?;
        Ok(AtomSets { markings, sets: atoms.into_iter().zip(sets.into_iter().flatten()).collect() })
    }
}

/// The steps between all markings, by target.
pub(crate) struct StepRelation {
    pub(crate) before: Predecessors,
    /// By marking, the number of steps from it.
    pub(crate) after: Vec<u32>,
}

impl StepRelation {
    pub(crate) fn new(before: Predecessors) -> Self {
        Self { after: before.out_degrees(), before }
    }

    /// Whether no step leaves the marking at a position.
    pub(crate) fn is_deadlock(&self, position: usize) -> bool {
        self.after[position] == 0
    }

    pub(crate) fn bytes(&self) -> usize {
        self.before.bytes() + self.after.len() * size_of::<u32>()
    }
}

/// Runs work on the threads, if there are any.
pub(crate) fn on<R: Send>(threads: Option<&WorkerPool>, work: impl FnOnce() -> R + Send) -> R {
    match threads {
        Some(threads) => threads.run(work),
        None => work(),
    }
}

/// The satisfaction sets of atoms.
fn satisfaction_sets<S: MarkingSpace>(
    atoms: &[PredicateAtom],
    space: &mut S,
    (store, numbers, steps): (&Store, &[RowId], &StepRelation),
    budget: &Budget,
) -> Result<Vec<Bits>, StopReason> {
    let mut sets = vec![Bits::default(); atoms.len()];
    let (mut row, mut pace) = (TreeRow::default(), PollTimer::default());
    for (position, &marking) in numbers.iter().enumerate() {
        if pace.is_due() {
            budget.go_on()?;
        }
        store.get(marking, &mut row);
        let deadlock = steps.is_deadlock(position);
        for (atom, set) in atoms.iter().zip(&mut sets) {
            set.push(atom.holds(space, row.row(), deadlock));
        }
    }
    Ok(sets)
}

/// The atoms of state predicates with their satisfaction sets; fireability is split into single transitions.
pub(crate) struct AtomSets {
    pub(crate) markings: usize,
    pub(crate) sets: HashMap<PredicateAtom, Bits>,
}

impl AtomSets {
    /// Adds the atoms of a state predicate.
    pub(crate) fn collect(predicate: &Predicate, atoms: &mut HashSet<PredicateAtom>) {
        predicate.atoms(&mut |atom| match atom {
            PredicateAtom::Fireable(ts) => atoms.extend(ts.iter().copied().map(fires)),
            _ => drop(atoms.insert(atom.clone())),
        });
    }

    /// The satisfaction set of a state predicate.
    pub(crate) fn set(&self, predicate: &Predicate) -> Bits {
        let set: Result<Bits, Infallible> = tree_set(predicate, self.markings, &mut |atom| {
            Ok(match atom {
                PredicateAtom::Fireable(ts) => {
                    let none = Bits::filled(self.markings, false);
                    ts.iter().fold(none, |set, &t| set.or(&self.sets[&fires(t)]))
                }
                _ => self.sets[atom].clone(),
            })
        });
        match set {
            Ok(set) => set,
        }
    }
}

/// The atom that one transition is enabled.
fn fires(transition: TransitionId) -> PredicateAtom {
    PredicateAtom::Fireable([transition].into())
}

/// The satisfaction set of a Boolean combination, from those of its atoms.
pub(crate) fn tree_set<A, E>(
    tree: &BoolTree<A>,
    markings: usize,
    atom: &mut impl FnMut(&A) -> Result<Bits, E>,
) -> Result<Bits, E> {
    let filled = |value| Bits::filled(markings, value);
    Ok(match tree {
        BoolTree::Constant(value) => filled(*value),
        BoolTree::Atom(leaf) => atom(leaf)?,
        BoolTree::Not(tree) => tree_set(tree, markings, atom)?.complement(),
        BoolTree::And(trees) => {
            trees.iter().try_fold(filled(true), |all, tree| Ok(all.and(&tree_set(tree, markings, atom)?)))?
        }
        BoolTree::Or(trees) => {
            trees.iter().try_fold(filled(false), |any, tree| Ok(any.or(&tree_set(tree, markings, atom)?)))?
        }
        BoolTree::Iff(sides) => tree_set(&sides.0, markings, atom)?.iff(&tree_set(&sides.1, markings, atom)?),
    })
}

/// Monitors nothing: the search only collects the steps.
#[derive(Clone)]
struct Blind;

impl<S: StateSpace> Monitor<S> for Blind {
    fn visit(&mut self, _: &mut S, _: &VisitedState<'_>) -> bool {
        false
    }

    fn join(&mut self, _: Self) -> bool {
        false
    }
}

impl<S: StateSpace> Visitor<S> for Blind {
    type Monitor = Self;

    fn monitor(&mut self) -> &mut Self {
        self
    }

    fn on_decided(&mut self, _: &StateSearch<S::ActionId>, _: &mut S) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
