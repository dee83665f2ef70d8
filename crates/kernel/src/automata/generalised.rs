//! From an alternating automaton to a generalised Büchi automaton with acceptance on edges.
//!
//! Why: one run of it stands for all states that a run of the alternating automaton is in at once. Source:
//! Gastin and Oddoux (CAV 2001), section 4. We differ in merging: they merge states with equal edges again and
//! again, we take the coarsest bisimulation, which merges at least those; we also drop states from which no run
//! is accepting, and acceptance sets that others imply.
//!
//! A state is a set of states of the alternating automaton. There is an acceptance set for each `U`: the edges
//! that do not put it off. A run is accepting if it takes edges of each set for ever.
//!
//! Invariant: no edge of a state implies another one of it. Cost: exponential in the formula at worst, which the
//! limit is for. Test: `tests`, on lassos.

use std::collections::BTreeMap;

use super::{
    Literal,
    alternating::{Alternating, Transition},
    components::{Components, partition},
    limit::Limit,
    sets::included,
};

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arc {
    /// What the letter has.
    pub cube: Vec<Literal>,
    /// The acceptance sets that it is in, in order.
    pub accepted: Vec<u32>,
    /// Where it leads.
    pub to: u32,
}

impl Arc {
    /// Whether it can be taken for another one to the same state.
    fn implies(&self, other: &Self) -> bool {
        self.to == other.to && included(&self.cube, &other.cube) && included(&other.accepted, &self.accepted)
    }
}

/// The automaton.
#[derive(Clone, Debug)]
pub(super) struct Generalised {
    pub initial: Vec<u32>,
    /// The edges of each state.
    pub arcs: Vec<Vec<Arc>>,
    /// How many acceptance sets there are.
    pub sets: u32,
}

impl Generalised {
    /// The automaton for the same words.
    pub fn new(from: &Alternating, limit: &mut Limit) -> Option<Self> {
        let mut index = BTreeMap::new();
        let mut waiting = Vec::new();
        let mut number = |targets: Vec<u32>, waiting: &mut Vec<Vec<u32>>| {
            let next = index.len() as u32;
            *index.entry(targets).or_insert_with_key(|targets| {
                waiting.push(targets.clone());
                next
            })
        };
        let initial = from.initial.iter().map(|targets| number(targets.clone(), &mut waiting)).collect();
        let mut arcs = Vec::new();
        let mut edges = 0;
        while arcs.len() < waiting.len() {
            let state = waiting[arcs.len()].clone();
            let mut ways = Vec::new();
            for (transition, accepted) in edges_of(from, &state, limit)? {
                let to = number(transition.targets, &mut waiting);
                ways.push(Arc { cube: transition.cube, accepted, to });
            }
            edges += ways.len();
            limit.fits(edges.max(waiting.len()))?;
            arcs.push(ways);
        }
        Some(Self { initial, arcs, sets: from.untils.len() as u32 })
    }

    /// Merges, removes and drops until nothing changes; leaves the rest when it takes too long.
    pub fn simplify(&mut self, limit: &mut Limit) -> Option<()> {
        loop {
            let size = (self.arcs.len(), self.edges());
            self.trim();
            for arcs in &mut self.arcs {
                limit.spend(arcs.len() * arcs.len())?;
                *arcs = strongest(std::mem::take(arcs), Arc::implies);
            }
            let classes = partition(self.arcs.len(), self.edges(), limit, |state, classes| {
                let renamed = self.arcs[state].iter().map(|a| (&a.cube, &a.accepted, classes[a.to as usize]));
                renamed.collect::<std::collections::BTreeSet<_>>()
            })?;
            self.rename(&classes.iter().map(|&class| Some(class)).collect::<Vec<_>>());
            if size == (self.arcs.len(), self.edges()) {
                break;
            }
        }
        self.drop_sets(limit)
    }

    /// How many edges there are.
    fn edges(&self) -> usize {
        self.arcs.iter().map(Vec::len).sum()
    }

    /// The graph of its states.
    pub fn successors(&self) -> Vec<Vec<u32>> {
        self.arcs.iter().map(|arcs| arcs.iter().map(|arc| arc.to).collect()).collect()
    }

    /// The edges that stay in a component.
    fn inner<'a>(&'a self, components: &'a Components) -> impl Iterator<Item = (usize, &'a Arc)> {
        let all = self.arcs.iter().enumerate().flat_map(|(state, arcs)| arcs.iter().map(move |a| (state, a)));
        let inner = all.filter(|(state, arc)| components.of[*state] == components.of[arc.to as usize]);
        inner.map(|(state, arc)| (components.of[state], arc))
    }

    /// Which components a run can stay in and be accepting: those with edges of all sets inside.
    pub fn accepting(&self, components: &Components) -> Vec<bool> {
        let mut seen = vec![vec![false; self.sets as usize]; components.count];
        let mut cyclic = vec![false; components.count];
        for (component, arc) in self.inner(components) {
            cyclic[component] = true;
            arc.accepted.iter().for_each(|&set| seen[component][set as usize] = true);
        }
        cyclic.iter().zip(&seen).map(|(cyclic, seen)| *cyclic && seen.iter().all(|seen| *seen)).collect()
    }

    /// Removes states that no run comes to, or from which none is accepting.
    fn trim(&mut self) {
        let successors = self.successors();
        let components = Components::new(&successors);
        let accepting = self.accepting(&components);
        let live = live(&successors, &components, &accepting);
        let mut names = vec![None; self.arcs.len()];
        let mut next = 0;
        let mut waiting: Vec<u32> = self.initial.clone();
        while let Some(state) = waiting.pop() {
            if live[components.of[state as usize]] && names[state as usize].is_none() {
                names[state as usize] = Some(next);
                next += 1;
                waiting.extend_from_slice(&successors[state as usize]);
            }
        }
        self.rename(&names);
    }

    /// Gives states new names, the same to states that are merged and none to those that are removed.
    fn rename(&mut self, names: &[Option<u32>]) {
        let count = names.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut arcs: Vec<Option<Vec<Arc>>> = vec![None; count];
        for (name, old) in names.iter().zip(std::mem::take(&mut self.arcs)) {
            let Some(name) = *name else { continue };
            let renamed = old.into_iter().filter_map(|a| Some(Arc { to: names[a.to as usize]?, ..a }));
            arcs[name as usize].get_or_insert_with(|| renamed.collect());
        }
        self.arcs = arcs.into_iter().map(Option::unwrap_or_default).collect();
        self.initial = self.initial.iter().filter_map(|&state| names[state as usize]).collect();
        self.initial.sort_unstable();
        self.initial.dedup();
    }

    /// Drops sets that contain another one as far as edges inside components go, for only those count.
    fn drop_sets(&mut self, limit: &mut Limit) -> Option<()> {
        let sets = self.sets as usize;
        limit.spend(sets.checked_mul(sets)?.checked_mul(self.edges())?)?;
        let components = Components::new(&self.successors());
        let member = |set: u32| -> Vec<bool> {
            self.inner(&components).map(|(_, arc)| arc.accepted.binary_search(&set).is_ok()).collect()
        };
        let members: Vec<Vec<bool>> = (0..self.sets).map(member).collect();
        let mut kept: Vec<u32> = Vec::new();
        for set in 0..self.sets {
            let inside =
                |a: u32, b: u32| members[a as usize].iter().zip(&members[b as usize]).all(|(a, b)| a <= b);
            let full = members[set as usize].iter().all(|member| *member);
            if !full && !kept.iter().any(|&other| inside(other, set)) {
                kept.retain(|&other| !inside(set, other));
                kept.push(set);
            }
        }
        for arc in self.arcs.iter_mut().flatten() {
            arc.accepted = arc
                .accepted
                .iter()
                .filter_map(|set| kept.binary_search(set).ok())
                .map(|s| s as u32)
                .collect();
        }
        self.sets = kept.len() as u32;
        Some(())
    }
}

/// Which components lead to one of those that are accepting, or are one.
pub(super) fn live(successors: &[Vec<u32>], components: &Components, accepting: &[bool]) -> Vec<bool> {
    let mut live = accepting.to_vec();
    let mut order: Vec<usize> = (0..successors.len()).collect();
    order.sort_by_key(|&state| components.of[state]);
    for state in order {
        let leads = successors[state].iter().any(|&target| live[components.of[target as usize]]);
        live[components.of[state]] |= leads;
    }
    live
}

/// Those that no other one implies, and one of several that imply each other.
pub(super) fn strongest<T>(items: Vec<T>, implies: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut kept: Vec<T> = Vec::with_capacity(items.len());
    for item in items {
        if !kept.iter().any(|old| implies(old, &item)) {
            kept.retain(|old| !implies(&item, old));
            kept.push(item);
        }
    }
    kept
}

/// The ways on from a set of states, each with the acceptance sets that it is in.
fn edges_of(from: &Alternating, state: &[u32], limit: &mut Limit) -> Option<Vec<(Transition, Vec<u32>)>> {
    let mut ways = vec![Transition { cube: Vec::new(), targets: Vec::new() }];
    for &part in state {
        let mut longer = Vec::new();
        for way in &ways {
            for both in from.transitions[part as usize].iter().filter_map(|other| way.with(other)) {
                limit.spend(both.size())?;
                longer.push(both);
            }
        }
        longer.sort_unstable();
        longer.dedup();
        limit.fits(longer.len())?;
        ways = longer;
    }
    let mut edges = Vec::with_capacity(ways.len());
    for way in ways {
        let looked_at: usize = way.targets.iter().map(|&t| from.transitions[t as usize].len()).sum();
        limit.spend(from.untils.len() + looked_at)?;
        let accepted = (0..).zip(&from.untils).filter(|&(_, &until)| !puts_off(from, &way, until));
        let accepted: Vec<u32> = accepted.map(|(set, _)| set).collect();
        edges.push((way, accepted));
    }
    limit.spend(edges.len() * edges.len())?;
    Some(strongest(edges, |(a, sets), (b, others)| a.implies(b) && included(others, sets)))
}

/// Whether a way on keeps to a `U` although nothing on the way ends it.
fn puts_off(from: &Alternating, way: &Transition, until: u32) -> bool {
    let ends = |t: &Transition| t.targets.binary_search(&until).is_err() && t.implies(way);
    way.targets.binary_search(&until).is_ok() && !from.transitions[until as usize].iter().any(ends)
}
