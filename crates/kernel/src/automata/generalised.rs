//! From an alternating automaton to a generalised Büchi automaton with acceptance on edges.
//!
//! Why: one run of it stands for all states that a run of the alternating automaton is in at once. Source:
//! Gastin and Oddoux (CAV 2001), section 4. We differ in merging: they merge states with equal edges again and
//! again, we take the coarsest bisimulation, which merges at least those; we also drop states from which no run
//! is accepting, and acceptance sets that others imply.
//!
//! A state is a set of states of the alternating automaton. There is an acceptance set for each `U`: the edges
//! that do not postpone it. A run is accepting if it takes edges of each set infinitely often.
//!
//! Invariant: no edge of a state implies another one of it. Cost: exponential in the formula at worst, hence the
//! limit. Test: `tests`, on lassos.

use std::collections::BTreeMap;

use super::{
    AtomLiteral,
    alternating::{AlternatingAutomaton, AlternatingTransition},
    components::{StateComponents, partition},
    sets::included,
    size_limit::SizeLimit,
};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GeneralisedEdge {
    /// The literals that the letter must have.
    pub cube: Vec<AtomLiteral>,
    /// The acceptance sets that contain the edge, ascending.
    pub accepted: Vec<u32>,
    pub to: u32,
}

impl GeneralisedEdge {
    /// Whether a run can always take this edge for the other one, to the same state.
    fn implies(&self, other: &Self) -> bool {
        self.to == other.to && included(&self.cube, &other.cube) && included(&other.accepted, &self.accepted)
    }
}

/// A Büchi automaton with several acceptance sets of edges.
#[derive(Clone, Debug)]
pub(super) struct GeneralisedBuchi {
    pub initial: Vec<u32>,
    /// By source state.
    pub edges: Vec<Vec<GeneralisedEdge>>,
    /// The number of acceptance sets.
    pub sets: u32,
}

impl GeneralisedBuchi {
    /// An automaton for the same language; `None` beyond the limit.
    pub fn new(from: &AlternatingAutomaton, limit: &mut SizeLimit) -> Option<Self> {
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
        let mut edges = Vec::new();
        let mut total = 0;
        while edges.len() < waiting.len() {
            let state = waiting[edges.len()].clone();
            let mut own = Vec::new();
            for (transition, accepted) in edges_of(from, &state, limit)? {
                let to = number(transition.targets, &mut waiting);
                own.push(GeneralisedEdge { cube: transition.cube, accepted, to });
            }
            total += own.len();
            limit.check_size(total.max(waiting.len()))?;
            edges.push(own);
        }
        Some(Self { initial, edges, sets: from.untils.len() as u32 })
    }

    /// Merges states, removes states and drops edges until nothing changes; `None` if the limit ended that early.
    pub fn simplify(&mut self, limit: &mut SizeLimit) -> Option<()> {
        loop {
            let size = (self.edges.len(), self.edge_count());
            self.trim();
            for edges in &mut self.edges {
                limit.spend(edges.len() * edges.len())?;
                *edges = strongest(std::mem::take(edges), GeneralisedEdge::implies);
            }
            let classes = partition(self.edges.len(), self.edge_count(), limit, |state, classes| {
                let renamed =
                    self.edges[state].iter().map(|e| (&e.cube, &e.accepted, classes[e.to as usize]));
                renamed.collect::<std::collections::BTreeSet<_>>()
            })?;
            self.renumber(&classes.iter().map(|&class| Some(class)).collect::<Vec<_>>());
            if size == (self.edges.len(), self.edge_count()) {
                break;
            }
        }
        self.drop_sets(limit)
    }

    fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// The targets of each state's edges.
    pub fn successors(&self) -> Vec<Vec<u32>> {
        self.edges.iter().map(|edges| edges.iter().map(|edge| edge.to).collect()).collect()
    }

    /// The edges inside components, with their component.
    fn inner<'a>(
        &'a self,
        components: &'a StateComponents,
    ) -> impl Iterator<Item = (usize, &'a GeneralisedEdge)> {
        let all =
            self.edges.iter().enumerate().flat_map(|(state, edges)| edges.iter().map(move |e| (state, e)));
        let inner = all.filter(|(state, edge)| components.of[*state] == components.of[edge.to as usize]);
        inner.map(|(state, edge)| (components.of[state], edge))
    }

    /// For each component, whether an accepting run can stay there: it has inner edges of all sets.
    pub fn accepting(&self, components: &StateComponents) -> Vec<bool> {
        let mut seen = vec![vec![false; self.sets as usize]; components.count];
        let mut cyclic = vec![false; components.count];
        for (component, edge) in self.inner(components) {
            cyclic[component] = true;
            edge.accepted.iter().for_each(|&set| seen[component][set as usize] = true);
        }
        cyclic.iter().zip(&seen).map(|(cyclic, seen)| *cyclic && seen.iter().all(|seen| *seen)).collect()
    }

    /// Removes states that no run visits, or from which no run is accepting.
    fn trim(&mut self) {
        let successors = self.successors();
        let components = StateComponents::new(&successors);
        let accepting = self.accepting(&components);
        let live = live(&successors, &components, &accepting);
        let mut numbers = vec![None; self.edges.len()];
        let mut next = 0;
        let mut waiting: Vec<u32> = self.initial.clone();
        while let Some(state) = waiting.pop() {
            if live[components.of[state as usize]] && numbers[state as usize].is_none() {
                numbers[state as usize] = Some(next);
                next += 1;
                waiting.extend_from_slice(&successors[state as usize]);
            }
        }
        self.renumber(&numbers);
    }

    /// Gives states new numbers, the same to states that are merged and none to those that are removed.
    fn renumber(&mut self, numbers: &[Option<u32>]) {
        let count = numbers.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut edges: Vec<Option<Vec<GeneralisedEdge>>> = vec![None; count];
        for (number, old) in numbers.iter().zip(std::mem::take(&mut self.edges)) {
            let Some(number) = *number else { continue };
            let renamed =
                old.into_iter().filter_map(|e| Some(GeneralisedEdge { to: numbers[e.to as usize]?, ..e }));
            edges[number as usize].get_or_insert_with(|| renamed.collect());
        }
        self.edges = edges.into_iter().map(Option::unwrap_or_default).collect();
        self.initial = self.initial.iter().filter_map(|&state| numbers[state as usize]).collect();
        self.initial.sort_unstable();
        self.initial.dedup();
    }

    /// Drops acceptance sets that contain another one when restricted to edges inside components: others occur finitely often.
    fn drop_sets(&mut self, limit: &mut SizeLimit) -> Option<()> {
        let sets = self.sets as usize;
        limit.spend(sets.checked_mul(sets)?.checked_mul(self.edge_count())?)?;
        let components = StateComponents::new(&self.successors());
        let member = |set: u32| -> Vec<bool> {
            self.inner(&components).map(|(_, edge)| edge.accepted.binary_search(&set).is_ok()).collect()
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
        for edge in self.edges.iter_mut().flatten() {
            edge.accepted = edge
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

/// For each component, whether it reaches an accepting one.
pub(super) fn live(successors: &[Vec<u32>], components: &StateComponents, accepting: &[bool]) -> Vec<bool> {
    let mut live = accepting.to_vec();
    let mut order: Vec<usize> = (0..successors.len()).collect();
    order.sort_by_key(|&state| components.of[state]);
    for state in order {
        let leads = successors[state].iter().any(|&target| live[components.of[target as usize]]);
        live[components.of[state]] |= leads;
    }
    live
}

/// The items that no other one implies, and one of several that imply each other.
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

/// The transitions of a set of states, each with the acceptance sets that contain it.
fn edges_of(
    from: &AlternatingAutomaton,
    state: &[u32],
    limit: &mut SizeLimit,
) -> Option<Vec<(AlternatingTransition, Vec<u32>)>> {
    let mut transitions = vec![AlternatingTransition { cube: Vec::new(), targets: Vec::new() }];
    for &member in state {
        let mut longer = Vec::new();
        for transition in &transitions {
            for both in
                from.transitions[member as usize].iter().filter_map(|other| transition.conjunction(other))
            {
                limit.spend(both.size())?;
                longer.push(both);
            }
        }
        longer.sort_unstable();
        longer.dedup();
        limit.check_size(longer.len())?;
        transitions = longer;
    }
    let mut edges = Vec::with_capacity(transitions.len());
    for transition in transitions {
        let visited: usize = transition.targets.iter().map(|&t| from.transitions[t as usize].len()).sum();
        limit.spend(from.untils.len() + visited)?;
        let accepted = (0..).zip(&from.untils).filter(|&(_, &until)| !postpones(from, &transition, until));
        let accepted: Vec<u32> = accepted.map(|(set, _)| set).collect();
        edges.push((transition, accepted));
    }
    limit.spend(edges.len() * edges.len())?;
    Some(strongest(edges, |(a, sets), (b, others)| a.implies(b) && included(others, sets)))
}

/// Whether a transition stays in a `U` although no transition that it implies leaves it.
fn postpones(from: &AlternatingAutomaton, taken: &AlternatingTransition, until: u32) -> bool {
    let leaves = |t: &AlternatingTransition| t.targets.binary_search(&until).is_err() && t.implies(taken);
    taken.targets.binary_search(&until).is_ok() && !from.transitions[until as usize].iter().any(leaves)
}
