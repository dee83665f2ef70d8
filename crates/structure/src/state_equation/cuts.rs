//! Cuts of the state equation: constraints that every run obeys and the equation does not know, by traps that stay marked and
//! siphons that stay empty.
//!
//! A solution of the equation counts firings but not their order. Two sets of places show that no order exists:
//!
//! * Places `Q` that are empty in the marking of the solution, although they are marked at the start or get tokens, and
//!   of which no transition of the solution takes the last token: each that takes from `Q` also gives to it. On a run,
//!   `Q` stays marked unless a transition fires that takes from `Q` and gives nothing to it. Where there is no such
//!   transition and `Q` is marked at the start it is a marked trap, and the equation gets the constraint `tokens of Q >= 1`
//!   (Esparza and Melzer, "Verification of safety properties using integer programming: beyond the state equation",
//!   2000). Otherwise there is a choice: `Q` is marked, or one of those transitions fires, or none gives to `Q`.
//! * Places `S` that are empty at the start, and all transitions of the solution that give to `S` take from it too. On a
//!   run, a transition that takes from `S` fires only after one that gives to `S` without taking from it. Again a constraint
//!   or a choice: one of those fires, or none that takes from `S`.
//!
//! Weights do not matter, and inhibitor arcs only take runs away ([`traps`](crate::traps)).
//! Invariant: every run satisfies one of the alternatives of a cut, whatever the solution it was made for.
//! Cost: linear in the arcs. Test: `tests.rs`, against runs of random nets.

use std::{collections::HashSet, rc::Rc};

use fireset_net::Linear;

use super::{StateEquation, constraint::FiringConstraint};
use crate::traps::FiringColumns;

/// Alternatives, one of which every run satisfies.
#[derive(Clone, Debug)]
pub(super) struct StructuralCut {
    pub(super) reason: CutReason,
    pub(super) alternatives: Vec<FiringConstraint>,
}

/// The places that a cut is about, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CutReason {
    /// Places that the firings of a solution cannot have emptied.
    Emptying(Rc<[u32]>),
    /// Places that the firings of a solution cannot have filled.
    Filling(Rc<[u32]>),
}

fn ascending(places: &HashSet<u32>) -> Rc<[u32]> {
    let mut all: Vec<u32> = places.iter().copied().collect();
    all.sort_unstable();
    all.into()
}

/// A solution of the state equation, as far as cuts look at it.
pub(super) struct CutPoint<'p> {
    /// Whether the solution's marking has no token on a place.
    pub(super) is_empty: &'p dyn Fn(u32) -> bool,
    /// The columns that the solution fires, ascending.
    pub(super) fired: &'p [u32],
}

impl CutPoint<'_> {
    fn fires(&self, column: u32) -> bool {
        self.fired.binary_search(&column).is_ok()
    }
}

impl StateEquation<'_> {
    fn takes_from(&self, column: u32, places: &HashSet<u32>) -> bool {
        self.structure.inputs(column).any(|place| places.contains(&place))
    }

    fn gives_to(&self, column: u32, places: &HashSet<u32>) -> bool {
        self.structure.outputs(column).any(|place| places.contains(&place))
    }

    /// The cut of every run that is about emptying the places.
    pub(super) fn emptying(&self, places: &HashSet<u32>) -> Option<StructuralCut> {
        let tokens = places.iter().map(|&place| (place, 1)).collect();
        let mut alternatives = vec![self.constraint(&Linear::of(tokens, -1)?)?];
        let last: Vec<u32> = columns_of(places, |place| self.columns.consumers(place))
            .into_iter()
            .filter(|&c| !self.gives_to(c, places))
            .collect();
        if !last.is_empty() {
            alternatives.push(FiringConstraint { terms: last.iter().map(|&c| (c, 1)).collect(), least: 1 });
        }
        if places.iter().all(|&place| self.initial(place) == 0) {
            let producers = columns_of(places, |place| self.columns.producers(place));
            alternatives
                .push(FiringConstraint { terms: producers.iter().map(|&c| (c, -1)).collect(), least: 0 });
        }
        Some(StructuralCut { reason: CutReason::Emptying(ascending(places)), alternatives })
    }

    /// The cut of every run that is about filling the places; `None` if one is marked at the start.
    pub(super) fn filling(&self, places: &HashSet<u32>) -> Option<StructuralCut> {
        if places.iter().any(|&place| self.initial(place) > 0) {
            return None;
        }
        let consumers = columns_of(places, |place| self.columns.consumers(place));
        let mut alternatives =
            vec![FiringConstraint { terms: consumers.iter().map(|&c| (c, -1)).collect(), least: 0 }];
        let first: Vec<u32> = columns_of(places, |place| self.columns.producers(place))
            .into_iter()
            .filter(|&c| !self.takes_from(c, places))
            .collect();
        if !first.is_empty() {
            alternatives.push(FiringConstraint { terms: first.iter().map(|&c| (c, 1)).collect(), least: 1 });
        }
        Some(StructuralCut { reason: CutReason::Filling(ascending(places)), alternatives })
    }

    /// Cuts that a point breaks, at most `most` and those with the fewest alternatives first.
    pub(super) fn broken(&self, point: &CutPoint<'_>, most: usize) -> Vec<StructuralCut> {
        let mut cuts: Vec<StructuralCut> = self.broken_emptying(point, most);
        cuts.extend(self.broken_filling(point, most));
        cuts.sort_by_key(|cut| cut.alternatives.len());
        cuts.truncate(most);
        cuts
    }

    /// Sets of empty places that the point's transitions cannot have emptied.
    fn broken_emptying(&self, point: &CutPoint<'_>, most: usize) -> Vec<StructuralCut> {
        // Traps of all columns first: they leave no alternative.
        let mut cuts = Vec::new();
        for columns in [FiringColumns::All, FiringColumns::Only(point.fired)] {
            let is_empty = (0..self.incidence.rows().len() as u32).map(|place| (point.is_empty)(place));
            let greatest = self.structure.greatest_trap(is_empty.collect(), columns);
            let is_marked = |place: &u32| self.initial(*place) > 0;
            let is_fed =
                |place: &u32| self.columns.producers(*place).iter().any(|&column| point.fires(column));
            let of_trap = || (0..greatest.len() as u32).filter(|&place| greatest[place as usize]);
            let mut starts: Vec<u32> = of_trap().filter(is_marked).take(most).collect();
            if matches!(columns, FiringColumns::Only(_)) && starts.is_empty() {
                starts = of_trap().filter(is_fed).take(most).collect();
            }
            for start in starts {
                let trap = self.structure.trap_around(start, &greatest, columns);
                cuts.extend(self.emptying(&trap));
            }
            if !cuts.is_empty() {
                break;
            }
        }
        cuts
    }

    /// Sets of places, empty at the start, that the point's transitions take from without having filled them.
    fn broken_filling(&self, point: &CutPoint<'_>, most: usize) -> Vec<StructuralCut> {
        let mut marked: HashSet<u32> = HashSet::new();
        let mut waiting: Vec<u32> = point.fired.to_vec();
        loop {
            let is_marked = |place: u32| self.initial(place) > 0 || marked.contains(&place);
            let (ready, rest): (Vec<u32>, Vec<u32>) =
                waiting.iter().partition(|&&column| self.structure.inputs(column).all(is_marked));
            if ready.is_empty() {
                break;
            }
            ready.iter().for_each(|&column| marked.extend(self.structure.outputs(column)));
            waiting = rest;
        }
        let is_unmarked = |place: &u32| self.initial(*place) == 0 && !marked.contains(place);
        let mut cuts = Vec::new();
        for &column in waiting.iter().take(most) {
            let Some(start) = self.structure.inputs(column).find(is_unmarked) else { continue };
            let mut siphon = HashSet::from([start]);
            let mut open = vec![start];
            while let Some(place) = open.pop() {
                let producers = self.columns.producers(place).iter();
                for &producer in producers.filter(|&&column| point.fires(column)) {
                    if !self.takes_from(producer, &siphon) {
                        let next = self.structure.inputs(producer).find(is_unmarked);
                        if let Some(next) = next.filter(|&next| siphon.insert(next)) {
                            open.push(next);
                        }
                    }
                }
            }
            cuts.extend(self.filling(&siphon));
        }
        cuts
    }
}

/// The columns of some places, ascending.
fn columns_of<'c>(places: &HashSet<u32>, of_place: impl Fn(u32) -> &'c [u32]) -> Vec<u32> {
    let mut found: Vec<u32> = places.iter().flat_map(|&place| of_place(place)).copied().collect();
    found.sort_unstable();
    found.dedup();
    found
}
