//! Stubborn sets in the search for an accepting run, for formulas without `X`.
//!
//! Atoms that no way on from an automaton state asks for are not looked at, so automaton states are grouped by those
//! that some way asks for. What is fired in a marking depends on the marking and the group only.
//!
//! Why not on the automaton state: given a run of the net that is accepted, a run through the sets has the same word, up to
//! stuttering, so that the automaton accepts it as well, but perhaps by other states; if those had other sets, the run
//! would not be in the product that is searched (Siegel, "What's wrong with on-the-fly partial order reduction", CAV
//! 2019). With groups that cannot happen before the automaton comes to another group. From there the rest of the word
//! is accepted, and the argument begins again: groups only get smaller. It needs that the words which are accepted from
//! any state are closed under stuttering, as they are when the automaton comes from a formula without `X`:
//! a test in the kernel looks at that.
//!
//! A visible step must not be put off for ever. If it were, the automaton could read the same letter for as long as we like,
//! and the product would have a cycle of markings without a complete set. Depth-first search closes every cycle with an
//! edge to an open pair, and the set of the marking where that edge starts is made complete then. Where the marking was
//! met before, with another state of the group, the search has used two different sets; if it finds nothing it begins
//! again, with all sets complete that had to be. When that does not come to an end soon, all transitions are fired.
//!
//! Cost: a byte for each marking and group.

use fireset_kernel::automata::Buchi;

use super::product::Pair;
use crate::{
    search::{Marked, Predicate},
    stubborn::{Arcs, Extent, Stutter},
};

/// With more groups they cost more than they save, and all states are one.
const MAX_GROUPS: usize = 8;
/// A search is begun again so often.
const MAX_AGAIN: usize = 3;

/// Chooses what is fired.
pub(super) struct Reduction<'n, N> {
    stutter: Stutter<'n>,
    /// The group of each automaton state.
    group: Vec<u32>,
    groups: usize,
    /// What was chosen for each marking and group.
    notes: Vec<Note>,
    /// Whether a pair was left with a set that had to be made complete later.
    torn: bool,
    again: usize,
    actions: Vec<N>,
}

/// What was chosen for a marking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Note {
    /// Nothing yet.
    #[default]
    New,
    /// A partial set, for one pair.
    Once,
    /// A partial set, for several pairs.
    Often,
    /// A complete set.
    Complete,
    /// All transitions.
    All,
}

impl<'n, N> Reduction<'n, N> {
    /// For an automaton over atoms; `None` where there can be none.
    pub(super) fn new(arcs: &'n Arcs<'n>, automaton: &Buchi, atoms: &[Predicate]) -> Option<Self> {
        let (group, wanted) = groups(automaton, atoms.len());
        let views = wanted.iter().map(|wanted| {
            atoms.iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(atom, _)| atom).collect()
        });
        let stutter = Stutter::new(arcs, views)?;
        let (groups, notes, actions) = (wanted.len(), Vec::new(), Vec::new());
        Some(Self { stutter, group, groups, notes, torn: false, again: 0, actions })
    }

    pub(super) fn bytes(&self) -> usize {
        self.notes.capacity() * size_of::<Note>()
    }

    /// Whether a search that found nothing has to begin again.
    pub(super) fn is_torn(&self) -> bool {
        self.torn
    }

    /// Begins a search; `false` when it has begun too often and is not to be reduced any more.
    pub(super) fn begin(&mut self) -> bool {
        self.again += usize::from(std::mem::take(&mut self.torn));
        for note in &mut self.notes {
            if matches!(note, Note::Once | Note::Often) {
                *note = Note::New;
            }
        }
        self.again <= MAX_AGAIN
    }

    /// The actions of a new pair that are enough, unless all are needed.
    pub(super) fn choose<S: Marked<Number = N>>(
        &mut self,
        pair: Pair,
        space: &mut S,
        row: &[u64],
    ) -> Option<&[N]> {
        let (view, at) = self.place(pair);
        if self.notes.len() <= at {
            self.notes.resize(at + 1, Note::New);
        }
        let Self { stutter, notes, actions, .. } = self;
        let note = &mut notes[at];
        if *note == Note::New && !stutter.is_worth_it() {
            *note = Note::All;
        }
        if *note == Note::All {
            return None;
        }
        let extent = stutter.choose(space, row, view, actions);
        *note = match (*note, extent) {
            (_, Extent::All) => Note::All,
            (Note::New, Extent::Complete) => Note::Complete,
            (Note::New, Extent::Partial) => Note::Once,
            (Note::Once, _) => Note::Often,
            (note, _) => note,
        };
        if *note == Note::Complete && extent == Extent::Partial {
            let first = std::mem::take(actions);
            stutter.rest(space, row, view, actions);
            actions.extend(first);
        }
        (*note != Note::All).then_some(&actions[..])
    }

    /// Makes the set of a pair complete; gives the actions that have to be added.
    pub(super) fn complete<S: Marked<Number = N>>(&mut self, pair: Pair, space: &mut S, row: &[u64]) -> &[N] {
        let (view, at) = self.place(pair);
        let note = self.notes[at];
        self.actions.clear();
        if matches!(note, Note::Once | Note::Often) {
            self.torn |= note == Note::Often;
            self.notes[at] = Note::Complete;
            self.stutter.rest(space, row, view, &mut self.actions);
        }
        &self.actions
    }

    /// The group of a pair, and the place of its note.
    fn place(&self, pair: Pair) -> (usize, usize) {
        let group = self.group[pair.state as usize] as usize;
        (group, pair.marking as usize * self.groups + group)
    }
}

/// A group for each state of an automaton, and for each group which atoms are asked for on some way on.
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
