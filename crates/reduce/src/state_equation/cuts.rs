//! What every run obeys and the state equation does not know: traps that stay marked, and tokens that must come from
//! somewhere.
//!
//! A solution of the equation counts firings but not their order. Two sets of places show that no order exists:
//!
//! * Places `Q` that are empty in the marking of the solution, although they are marked at the start or get tokens, and
//!   of which no transition of the solution takes the last token: each that takes from `Q` also gives to it. On a run,
//!   `Q` stays marked unless a transition fires that takes from `Q` and gives nothing to it. Where there is no such
//!   transition and `Q` is marked at the start it is a marked trap, and the equation gets the row `tokens of Q >= 1`
//!   (Esparza and Melzer, "Verification of safety properties using integer programming: beyond the state equation",
//!   2000). Otherwise there is a choice: `Q` is marked, or one of those transitions fires, or none gives to `Q`.
//! * Places `S` that are empty at the start, and all transitions of the solution that give to `S` take from it too. On a
//!   run, a transition that takes from `S` fires only after one that gives to `S` without taking from it. Again a row or
//!   a choice: one of those fires, or none that takes from `S`.
//!
//! Weights do not matter: who takes takes at least one token, who gives gives at least one. Inhibitor arcs only take
//! runs away.
//! Invariant: every run satisfies one of the alternatives of a cut, whatever the solution it was made for.
//! Cost: linear in the arcs. Test: below, and `tests/equation.rs` against all markings of random nets.

use std::{collections::HashSet, rc::Rc};

use fireset_net::{Linear, Net, TransitionId};

use super::{StateEquation, row::Row};

/// Alternatives, one of which every run satisfies, and what they come from.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub(super) source: Source,
    pub(super) rows: Vec<Row>,
}

/// What a cut is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Places that cannot have been emptied.
    Emptying(Rc<[u32]>),
    /// Places that cannot have been filled.
    Filling(Rc<[u32]>),
}

/// Places in order.
pub(super) fn ascending(places: &HashSet<u32>) -> Rc<[u32]> {
    let mut all: Vec<u32> = places.iter().copied().collect();
    all.sort_unstable();
    all.into()
}

/// A solution of the state equation, as far as cuts look at it.
pub(super) struct Point<'p> {
    /// Whether the solution's marking has no token here.
    pub(super) is_empty: &'p dyn Fn(u32) -> bool,
    /// The columns that the solution fires, ascending.
    pub(super) fired: &'p [u32],
}

/// The arcs of the columns by place.
#[derive(Clone, Debug)]
pub(super) struct Neighbours {
    pub(super) takers: Vec<Vec<u32>>,
    pub(super) givers: Vec<Vec<u32>>,
}

impl Neighbours {
    pub(super) fn of(net: &Net, columns: &[TransitionId]) -> Self {
        let places = net.nodes().places.len();
        let mut found = Self { takers: vec![Vec::new(); places], givers: vec![Vec::new(); places] };
        for (column, &t) in columns.iter().enumerate() {
            net.pre(t).iter().for_each(|arc| found.takers[arc.place.index()].push(column as u32));
            net.post(t).iter().for_each(|arc| found.givers[arc.place.index()].push(column as u32));
        }
        found
    }
}

impl Point<'_> {
    fn fires(&self, column: u32) -> bool {
        self.fired.binary_search(&column).is_ok()
    }
}

impl StateEquation<'_> {
    fn takes_from(&self, column: u32, places: &HashSet<u32>) -> bool {
        self.inputs(column).any(|place| places.contains(&place))
    }

    fn gives_to(&self, column: u32, places: &HashSet<u32>) -> bool {
        self.outputs(column).any(|place| places.contains(&place))
    }

    fn inputs(&self, column: u32) -> impl Iterator<Item = u32> {
        self.net.pre(self.columns[column as usize]).iter().map(|arc| arc.place.index() as u32)
    }

    fn outputs(&self, column: u32) -> impl Iterator<Item = u32> {
        self.net.post(self.columns[column as usize]).iter().map(|arc| arc.place.index() as u32)
    }

    fn takers_of(&self, places: &HashSet<u32>) -> Vec<u32> {
        columns_of(&self.neighbours.takers, places)
    }

    fn givers_of(&self, places: &HashSet<u32>) -> Vec<u32> {
        columns_of(&self.neighbours.givers, places)
    }

    /// What every run obeys about emptying the places.
    pub(super) fn emptying(&self, places: &HashSet<u32>) -> Option<Cut> {
        let tokens = places.iter().map(|&place| (place, 1)).collect();
        let mut rows = vec![self.row(&Linear::of(tokens, -1)?)?];
        let last: Vec<u32> =
            self.takers_of(places).into_iter().filter(|&c| !self.gives_to(c, places)).collect();
        if !last.is_empty() {
            rows.push(Row { terms: last.iter().map(|&c| (c, 1)).collect(), least: 1 });
        }
        if places.iter().all(|&place| self.initial(place) == 0) {
            let givers = self.givers_of(places);
            rows.push(Row { terms: givers.iter().map(|&c| (c, -1)).collect(), least: 0 });
        }
        Some(Cut { source: Source::Emptying(ascending(places)), rows })
    }

    /// What every run obeys about filling the places, which are empty at the start.
    pub(super) fn filling(&self, places: &HashSet<u32>) -> Option<Cut> {
        if places.iter().any(|&place| self.initial(place) > 0) {
            return None;
        }
        let takers = self.takers_of(places);
        let mut rows = vec![Row { terms: takers.iter().map(|&c| (c, -1)).collect(), least: 0 }];
        let first: Vec<u32> =
            self.givers_of(places).into_iter().filter(|&c| !self.takes_from(c, places)).collect();
        if !first.is_empty() {
            rows.push(Row { terms: first.iter().map(|&c| (c, 1)).collect(), least: 1 });
        }
        Some(Cut { source: Source::Filling(ascending(places)), rows })
    }

    /// Cuts that a point breaks, at most `most` and those with the fewest alternatives first.
    pub(super) fn broken(&self, point: &Point<'_>, most: usize) -> Vec<Cut> {
        let mut cuts: Vec<Cut> = self.broken_emptying(point, most);
        cuts.extend(self.broken_filling(point, most));
        cuts.sort_by_key(|cut| cut.rows.len());
        cuts.truncate(most);
        cuts
    }

    /// Sets of empty places that the point's transitions cannot have emptied.
    fn broken_emptying(&self, point: &Point<'_>, most: usize) -> Vec<Cut> {
        // Traps of the whole net first: they leave no choice.
        let mut cuts = Vec::new();
        let everything: Vec<u32> = (0..self.columns.len() as u32).collect();
        for (columns, among_fired) in [(&everything[..], false), (point.fired, true)] {
            let stuck = self.greatest_trap(point, columns);
            let is_marked = |place: &u32| self.initial(*place) > 0;
            let is_fed = |place: &u32| {
                self.neighbours.givers[*place as usize].iter().any(|&column| point.fires(column))
            };
            let of_trap = || (0..stuck.len() as u32).filter(|&place| stuck[place as usize]);
            let mut starts: Vec<u32> = of_trap().filter(is_marked).take(most).collect();
            if among_fired && starts.is_empty() {
                starts = of_trap().filter(is_fed).take(most).collect();
            }
            for start in starts {
                let trap = self.trap_around(start, &stuck, columns);
                cuts.extend(self.emptying(&trap));
            }
            if !cuts.is_empty() {
                break;
            }
        }
        cuts
    }

    /// The most empty places such that these columns, where they take from them, also give to them.
    pub(super) fn greatest_trap(&self, point: &Point<'_>, columns: &[u32]) -> Vec<bool> {
        let places = 0..self.neighbours.takers.len() as u32;
        let mut trap: Vec<bool> = places.map(|place| (point.is_empty)(place)).collect();
        // How many places of the trap a column gives to; of other columns, nothing.
        let mut given = vec![None; self.columns.len()];
        let mut open = Vec::new();
        for &column in columns {
            let count = self.outputs(column).filter(|&p| trap[p as usize]).count();
            given[column as usize] = Some(count);
            open.extend((count == 0).then_some(column));
        }
        while let Some(column) = open.pop() {
            for place in self.inputs(column) {
                if !std::mem::replace(&mut trap[place as usize], false) {
                    continue;
                }
                for &giver in &self.neighbours.givers[place as usize] {
                    if let Some(count) = &mut given[giver as usize] {
                        *count -= 1;
                        open.extend((*count == 0).then_some(giver));
                    }
                }
            }
        }
        trap
    }

    /// A small trap around a place, among the places of a trap of these columns.
    pub(super) fn trap_around(&self, start: u32, within: &[bool], columns: &[u32]) -> HashSet<u32> {
        let mut trap = HashSet::from([start]);
        let mut open = vec![start];
        while let Some(place) = open.pop() {
            for &column in &self.neighbours.takers[place as usize] {
                if columns.binary_search(&column).is_ok() && !self.gives_to(column, &trap) {
                    let fewest = |p: &u32| self.neighbours.takers[*p as usize].len();
                    let next = self.outputs(column).filter(|&p| within[p as usize]).min_by_key(fewest);
                    if let Some(next) = next.filter(|&next| trap.insert(next)) {
                        open.push(next);
                    }
                }
            }
        }
        trap
    }

    /// Sets of places, empty at the start, that the point's transitions take from without having filled them.
    fn broken_filling(&self, point: &Point<'_>, most: usize) -> Vec<Cut> {
        let mut marked: HashSet<u32> = HashSet::new();
        let mut waiting: Vec<u32> = point.fired.to_vec();
        loop {
            let is_marked = |place: u32| self.initial(place) > 0 || marked.contains(&place);
            let (ready, rest): (Vec<u32>, Vec<u32>) =
                waiting.iter().partition(|&&column| self.inputs(column).all(is_marked));
            if ready.is_empty() {
                break;
            }
            ready.iter().for_each(|&column| marked.extend(self.outputs(column)));
            waiting = rest;
        }
        let is_unmarked = |place: &u32| self.initial(*place) == 0 && !marked.contains(place);
        let mut cuts = Vec::new();
        for &column in waiting.iter().take(most) {
            let Some(start) = self.inputs(column).find(is_unmarked) else { continue };
            let mut siphon = HashSet::from([start]);
            let mut open = vec![start];
            while let Some(place) = open.pop() {
                let givers = self.neighbours.givers[place as usize].iter();
                for &giver in givers.filter(|&&column| point.fires(column)) {
                    if !self.takes_from(giver, &siphon) {
                        let next = self.inputs(giver).find(is_unmarked);
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

fn columns_of(neighbours: &[Vec<u32>], places: &HashSet<u32>) -> Vec<u32> {
    let mut found: Vec<u32> =
        places.iter().flat_map(|&place| neighbours[place as usize].iter().copied()).collect();
    found.sort_unstable();
    found.dedup();
    found
}
