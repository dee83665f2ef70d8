//! Stubborn sets that keep all runs, up to their order and to stuttering.
//!
//! A transition is visible if it can change an atom, or if an atom tells its firing. A set needs beside D1, in a marking
//! that is no deadlock:
//!
//! * I: it has a key that is enabled and not visible; if all enabled transitions are visible, all of them are fired.
//! * V: if a member is enabled and visible, all visible transitions are members.
//!
//! Proof that a run from a marking has one through the set with the same letters, up to stuttering, where the whole
//! run is put off at most for ever. Let `t` be the first step of the run that is a member. By D1 it may come first. If
//! `t` is not visible, the letters stay in order; if it is, all steps before it are not members, so by V not visible,
//! and the letters stay in order too. If no step is a member, no step disables the key; it comes first, and by I changes
//! no letter. A run that ends in a deadlock has a member, or the key would be enabled in the end. Letters that tell
//! firings come with their markings: what is added and removed are steps that are not visible, from a marking to one with
//! the same values (`fireset_kernel::automata::is_closed_under_stuttering`).
//!
//! A visible step may be put off for ever, along a cycle of the search. Where all visible transitions are members it
//! comes nearer, so a search has to see to it that each cycle has a marking with such a *complete* set.
//! After Valmari, "The state explosion problem" (1998), and Peled's conditions for ample sets.

use fireset_net::{PlaceId, TransitionId};

use super::{arc_index::ArcIndex, benefit::ReductionBenefit, set::StubbornSet};
use crate::search::{MarkingSpace, Predicate, PredicateAtom, asks_for_deadlock};

/// Chooses enabled transitions that suffice for all runs.
pub(crate) struct StutterReduction<'n> {
    set: StubbornSet<'n>,
    /// The visible transitions, for several choices of atoms.
    views: Vec<VisibleTransitions>,
    benefit: ReductionBenefit,
    /// All enabled transitions of the present marking, and the smallest set of them so far.
    all: Vec<u32>,
    best: Vec<u32>,
    /// The transitions that are tried as keys.
    keys: Vec<u32>,
}

/// What a formula can tell of a letter.
#[derive(Clone, Copy)]
pub(crate) enum ObservedAtom<'p> {
    /// A property of the marking.
    Marking(&'p Predicate),
    /// That one of these transitions fires.
    Fired(&'p [TransitionId]),
}

struct VisibleTransitions {
    list: Vec<u32>,
    contains: Vec<bool>,
}

/// The size of a chosen set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All enabled transitions.
    All,
    /// A subset whose closure contains all visible transitions.
    Complete,
    /// A subset that suffices unless a visible transition is put off for ever.
    Partial,
}

impl<'n> StutterReduction<'n> {
    /// A reduction for several choices of atoms; `None` if an atom depends on deadlock, since then steps from one
    /// letter to another are seen that no transition makes.
    pub(crate) fn new<'p>(
        arcs: &'n ArcIndex<'n>,
        views: impl Iterator<Item = Vec<ObservedAtom<'p>>>,
    ) -> Option<Self> {
        let views = views.map(|atoms| VisibleTransitions::new(arcs, &atoms)).collect::<Option<_>>()?;
        let (all, best, keys) = (Vec::new(), Vec::new(), Vec::new());
        Some(Self {
            set: StubbornSet::new(arcs),
            views,
            benefit: ReductionBenefit::default(),
            all,
            best,
            keys,
        })
    }

    /// Whether to compute sets for further markings.
    pub(crate) fn is_worth_it(&mut self) -> bool {
        self.benefit.decide();
        self.benefit.is_worth_it()
    }

    /// Writes enabled transitions of a marking that suffice into `actions`. For the same marking and view they are the
    /// same.
    pub(crate) fn choose<S: MarkingSpace>(
        &mut self,
        space: &mut S,
        row: &[u64],
        view: usize,
        actions: &mut Vec<S::ActionId>,
    ) -> Extent {
        let before = self.set.work;
        let (extent, _) = self.find(space, row, view);
        if self.benefit.measures() {
            self.benefit.record(self.all.len(), self.best.len(), self.set.work - before);
        }
        actions.clear();
        actions.extend(self.best.iter().map(|&t| S::ActionId::from(t)));
        extent
    }

    /// Writes the transitions that make a partial set complete into `actions`.
    pub(crate) fn rest<S: MarkingSpace>(
        &mut self,
        space: &mut S,
        row: &[u64],
        view: usize,
        actions: &mut Vec<S::ActionId>,
    ) {
        let (_, key) = self.find(space, row, view);
        let Self { set, views, best, .. } = self;
        set.begin(key);
        views[view].list.iter().for_each(|&t| set.add(t));
        set.close(space, row, usize::MAX);
        let missing = set.enabled.iter().filter(|t| !best.contains(t));
        actions.clear();
        actions.extend(missing.map(|&t| S::ActionId::from(t)));
    }

    /// Makes `best` the smallest set among some, and returns its extent and its key.
    fn find<S: MarkingSpace>(&mut self, space: &mut S, row: &[u64], view: usize) -> (Extent, u32) {
        let Self { set, views, all, best, keys, .. } = self;
        let visible = &views[view];
        space.enabled_transitions(row, all);
        best.clone_from(all);
        let mut found = (Extent::All, 0);
        keys.clear();
        keys.extend(all.iter().filter(|&&t| !visible.contains[t as usize]));
        set.best_keys(keys);
        for &key in &*keys {
            set.begin(key);
            let most = best.len() - 1;
            let mut small = set.close(space, row, most);
            if small && set.enabled.iter().any(|&t| visible.contains[t as usize]) {
                visible.list.iter().for_each(|&t| set.add(t));
                small = set.close(space, row, most);
            }
            if small {
                let complete = visible.list.iter().all(|&t| set.contains(t));
                found = (if complete { Extent::Complete } else { Extent::Partial }, key);
                best.clear();
                best.extend(all.iter().filter(|&&t| set.contains(t)));
            }
            if best.len() <= 1 {
                break;
            }
        }
        found
    }
}

impl VisibleTransitions {
    fn new(arcs: &ArcIndex<'_>, atoms: &[ObservedAtom<'_>]) -> Option<Self> {
        let mut contains = vec![false; arcs.net.nodes().transitions.len()];
        for atom in atoms {
            match atom {
                ObservedAtom::Marking(predicate) if asks_for_deadlock(predicate) => return None,
                ObservedAtom::Marking(predicate) => mark(predicate, arcs, &mut contains),
                ObservedAtom::Fired(fired) => fired.iter().for_each(|t| contains[t.index()] = true),
            }
        }
        let list = (0..).zip(&contains).filter(|(_, visible)| **visible).map(|(t, _)| t).collect();
        Some(Self { list, contains })
    }
}

/// Marks all transitions that can change a predicate.
fn mark(predicate: &Predicate, arcs: &ArcIndex<'_>, changing: &mut [bool]) {
    let mut set = |ts: &[u32]| ts.iter().for_each(|&t| changing[t as usize] = true);
    predicate.atoms(&mut |atom| match atom {
        PredicateAtom::Deadlock => {}
        PredicateAtom::BindingFireable(_) => unreachable!("stubborn sets are not used on coloured nets"),
        PredicateAtom::Fireable(ts) => {
            let arcs_of = |&t| arcs.net.pre(t).iter().chain(arcs.net.inhibitors(t));
            set(&arcs.touching(ts.iter().flat_map(arcs_of).map(|arc| arc.place)));
        }
        PredicateAtom::Linear(_, terms, _) => {
            let (up, down) = arcs.changing(terms);
            set(&up);
            set(&down);
        }
        PredicateAtom::Nonlinear(..) => {
            let mut places: Vec<PlaceId> = Vec::new();
            atom.counted_places(&mut |place| places.push(place));
            set(&arcs.touching(places.into_iter()));
        }
    });
}
