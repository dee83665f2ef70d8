//! Stubborn sets in the searches for an accepting run, for formulas that are closed under stuttering.
//!
//! Atoms that no path from an automaton state reads are irrelevant there, so automaton states are grouped by the atoms
//! that some path reads. The chosen actions of a marking depend on the marking and the group only.
//!
//! Why not on the automaton state: given a run of the net that is accepted, a run through the sets has the same word, up to
//! stuttering, so that the automaton accepts it as well, but perhaps by other states; if those had other sets, the run
//! would not be in the reduced product (Siegel, "What's wrong with on-the-fly partial order reduction", CAV
//! 2019). With groups that cannot happen before the automaton comes to another group. From there the rest of the word
//! is accepted, and the argument begins again: groups only get smaller. It needs that the words which are accepted from
//! any state are closed under stuttering, as they are when the automaton comes from a formula of the class that
//! `is_closed_under_stuttering` tells: tests in the kernel check that.
//!
//! A visible step must not be put off for ever. If it were, the automaton could read the same letter arbitrarily often,
//! and the product would have a cycle of markings without a complete set. Depth-first search closes every cycle with an
//! edge to an open state, and the set of the marking where that edge starts is made complete then. Where the marking was
//! met before, with another state of the group, the search has used two different sets; if it finds nothing it begins
//! again, with all sets complete that had to be. After a few such searches all transitions are fired.
//!
//! Cost: a byte for each marking and group.

use fireset_kernel::{automata::Buchi, store::RowId};

use super::product::ProductState;
use crate::{
    search::{MarkingSpace, MarkingTable},
    stubborn::{ArcIndex, Extent, ObservedAtom, StutterReduction},
};

/// With more groups the sets cost more than they save, and all automaton states are one group.
const MAX_GROUPS: usize = 8;
/// The most searches that are begun again before the reduction is given up.
const MAX_RESTARTS: usize = 3;

/// Chooses the actions that fire in each product state; all enabled ones where there is no reduction.
pub(crate) struct ActionChoice<'n, N>(Option<LtlReduction<'n, N>>);

impl<'n, N> ActionChoice<'n, N> {
    pub(crate) fn new(reduction: Option<LtlReduction<'n, N>>) -> Self {
        Self(reduction)
    }

    pub(crate) fn begin_search(&mut self) {
        self.0.take_if(|reduction| !reduction.begin_search());
    }

    /// Whether the last search used two different sets for one marking, so that it has to begin again if it found
    /// nothing.
    pub(crate) fn is_inconsistent(&self) -> bool {
        self.0.as_ref().is_some_and(|reduction| reduction.chosen.inconsistent)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |reduction| reduction.chosen.bytes())
    }

    /// What a search that is suspended remembers; `None` if all enabled actions fire.
    pub(crate) fn into_sets(self) -> Option<ChosenSets> {
        self.0.map(|reduction| reduction.chosen)
    }

    /// A sufficient subset of the actions of a new state; `None` when all enabled actions have to fire.
    pub(crate) fn choose<S: MarkingSpace<ActionId = N>>(
        &mut self,
        state: ProductState,
        markings: &mut MarkingTable<'_, S>,
    ) -> Option<&[N]> {
        let reduction = self.0.as_mut()?;
        markings.load(state.marking);
        let (space, row) = markings.at_hand();
        reduction.choose(state, space, row)
    }

    /// The actions that a state needs beside the chosen ones, because it leads back to an open state.
    pub(crate) fn complete<S: MarkingSpace<ActionId = N>>(
        &mut self,
        state: ProductState,
        markings: &mut MarkingTable<'_, S>,
    ) -> &[N] {
        let Some(reduction) = &mut self.0 else { return &[] };
        markings.load(state.marking);
        let (space, row) = markings.at_hand();
        reduction.complete(state, space, row)
    }
}

/// The stubborn sets of the markings of a product.
pub(crate) struct LtlReduction<'n, N> {
    stutter: StutterReduction<'n>,
    /// The group of each automaton state.
    group: Vec<u32>,
    chosen: ChosenSets,
    actions: Vec<N>,
}

/// The sets that a search has chosen.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChosenSets {
    /// Of each marking and group.
    sets: Vec<ChosenSet>,
    groups: usize,
    /// Whether a state was left with a set that had to be made complete later.
    inconsistent: bool,
    restarts: usize,
}

impl ChosenSets {
    pub(crate) fn bytes(&self) -> usize {
        self.sets.capacity() * size_of::<ChosenSet>()
    }

    /// Replaces the ids of markings, by the old ones.
    pub(crate) fn renumber(&mut self, new: &[RowId]) {
        let old = std::mem::take(&mut self.sets);
        for (old, &id) in old.chunks(self.groups.max(1)).zip(new).filter(|(_, id)| **id != RowId::MAX) {
            let at = id as usize * self.groups;
            if self.sets.len() < at + self.groups {
                self.sets.resize(at + self.groups, ChosenSet::Undecided);
            }
            self.sets[at..at + old.len()].copy_from_slice(old);
        }
    }
}

/// The set that was chosen for a marking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ChosenSet {
    #[default]
    Undecided,
    /// A partial set, used in one state.
    Once,
    /// A partial set, used in several states.
    Often,
    /// A complete set.
    Complete,
    /// All transitions.
    All,
}

impl<'n, N> LtlReduction<'n, N> {
    /// A reduction for an automaton over atoms; the others, by which fairness is told, count in every state. `None` if an atom
    /// does not allow a reduction.
    pub(crate) fn new(
        arcs: &'n ArcIndex<'n>,
        automaton: &Buchi,
        atoms: &[ObservedAtom<'_>],
        always: &[ObservedAtom<'_>],
    ) -> Option<Self> {
        let (group, wanted) = groups(automaton, atoms.len());
        let views = wanted.iter().map(|wanted| {
            let read = atoms.iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(atom, _)| atom);
            read.chain(always).copied().collect()
        });
        let stutter = StutterReduction::new(arcs, views)?;
        let groups = wanted.len();
        let chosen = ChosenSets { groups, ..ChosenSets::default() };
        Some(Self { stutter, group, chosen, actions: Vec::new() })
    }

    /// Goes on with the sets of a suspended search, if it has chosen any.
    pub(crate) fn resume(self, chosen: ChosenSets) -> Self {
        Self { chosen: ChosenSets { groups: self.chosen.groups, ..chosen }, ..self }
    }

    /// Begins a search; `false` when searches were begun again too often to reduce this one.
    fn begin_search(&mut self) -> bool {
        let chosen = &mut self.chosen;
        chosen.restarts += usize::from(std::mem::take(&mut chosen.inconsistent));
        for set in &mut chosen.sets {
            if matches!(set, ChosenSet::Once | ChosenSet::Often) {
                *set = ChosenSet::Undecided;
            }
        }
        chosen.restarts <= MAX_RESTARTS
    }

    /// A sufficient subset of the actions of a new state; `None` when all enabled actions have to fire.
    fn choose<S: MarkingSpace<ActionId = N>>(
        &mut self,
        state: ProductState,
        space: &mut S,
        row: &[u64],
    ) -> Option<&[N]> {
        let (view, at) = self.index(state);
        let Self { stutter, chosen, actions, .. } = self;
        if chosen.sets.len() <= at {
            chosen.sets.resize(at + 1, ChosenSet::Undecided);
        }
        let set = &mut chosen.sets[at];
        if *set == ChosenSet::Undecided && !stutter.is_worth_it() {
            *set = ChosenSet::All;
        }
        if *set == ChosenSet::All {
            return None;
        }
        let extent = stutter.choose(space, row, view, actions);
        *set = match (*set, extent) {
            (_, Extent::All) => ChosenSet::All,
            (ChosenSet::Undecided, Extent::Complete) => ChosenSet::Complete,
            (ChosenSet::Undecided, Extent::Partial) => ChosenSet::Once,
            (ChosenSet::Once, _) => ChosenSet::Often,
            (set, _) => set,
        };
        if *set == ChosenSet::Complete && extent == Extent::Partial {
            let first = std::mem::take(actions);
            stutter.rest(space, row, view, actions);
            actions.extend(first);
        }
        (*set != ChosenSet::All).then_some(&actions[..])
    }

    /// Makes the set of a state complete; returns the actions that have to be added.
    fn complete<S: MarkingSpace<ActionId = N>>(
        &mut self,
        state: ProductState,
        space: &mut S,
        row: &[u64],
    ) -> &[N] {
        let (view, at) = self.index(state);
        let set = self.chosen.sets[at];
        self.actions.clear();
        if matches!(set, ChosenSet::Once | ChosenSet::Often) {
            self.chosen.inconsistent |= set == ChosenSet::Often;
            self.chosen.sets[at] = ChosenSet::Complete;
            self.stutter.rest(space, row, view, &mut self.actions);
        }
        &self.actions
    }

    /// The group of a state, and the index of its set.
    fn index(&self, state: ProductState) -> (usize, usize) {
        let group = self.group[state.automaton_state as usize] as usize;
        (group, state.marking as usize * self.chosen.groups + group)
    }
}

/// A group for each state of an automaton, and for each group whether some path from it reads each atom.
fn groups(automaton: &Buchi, atoms: usize) -> (Vec<u32>, Vec<Vec<bool>>) {
    let mut wanted = vec![vec![false; atoms]; automaton.states.len()];
    for (wanted, state) in wanted.iter_mut().zip(&automaton.states) {
        let literals = state.edges.iter().flat_map(|edge| &edge.cube);
        literals.for_each(|literal| wanted[literal.atom as usize] = true);
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (at, state) in automaton.states.iter().enumerate() {
            for edge in &state.edges {
                let later = wanted[edge.to as usize].clone();
                for (own, later) in wanted[at].iter_mut().zip(later) {
                    changed |= later && !std::mem::replace(own, *own || later);
                }
            }
        }
    }
    let mut groups: Vec<Vec<bool>> = wanted.clone();
    groups.sort_unstable();
    groups.dedup();
    if groups.len() > MAX_GROUPS {
        let all = (0..atoms).map(|atom| groups.iter().any(|group| group[atom])).collect();
        return (vec![0; wanted.len()], vec![all]);
    }
    let group = wanted.iter().map(|wanted| groups.binary_search(wanted).expect("it is there") as u32);
    (group.collect(), groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_move_with_their_markings() {
        let (once, complete) = (ChosenSet::Once, ChosenSet::Complete);
        // Of three markings the second one is a gap between ids, and the last has a set for its first group only.
        let sets = vec![once, complete, ChosenSet::Undecided, ChosenSet::Undecided, complete];
        let mut chosen = ChosenSets { sets, groups: 2, ..ChosenSets::default() };
        chosen.renumber(&[3, RowId::MAX, 0]);
        let undecided = ChosenSet::Undecided;
        let expected = [complete, undecided, undecided, undecided, undecided, undecided, once, complete];
        assert_eq!(chosen.sets, expected);
    }
}
