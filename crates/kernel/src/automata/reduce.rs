//! A Büchi automaton with fewer states and edges for the same words.
//!
//! Why: every state and edge is multiplied by the states of the net. Source: trimming and bisimulation are
//! folklore; the use of direct simulation is after Etessami and Holzmann, "Optimizing Büchi automata" (CONCUR
//! 2000) and Somenzi and Bloem, "Efficient Büchi automata from LTL formulae" (CAV 2000).
//!
//! Each round removes states that no run visits or from which no run is accepting, joins edges whose cubes
//! differ in one sign, merges bisimilar states, and uses simulation. The acceptance of a state that lies on no
//! cycle does not matter: rounds try both, because either may make it equal to another state. Where all
//! cycles of a component are accepting, all its states become accepting: then a search need not look for cycles.
//!
//! Cost: rounds are repeated while they help, up to the limit. Test: `tests`, on lassos and
//! by the table of sizes.

use super::{
    Buchi, BuchiEdge, BuchiState,
    components::{StateComponents, partition},
    generalised::{live, strongest},
    sets::{included, resolved},
    simulation::DirectSimulation,
    size_limit::SizeLimit,
};

impl Buchi {
    /// Reduces the automaton until nothing changes or the limit is reached.
    pub(super) fn reduce(&mut self, limit: &mut SizeLimit) {
        let mut failures = 0;
        // Each of the two choices for states on no cycle must fail to help once after the last success.
        for accepting in [false, true].into_iter().cycle() {
            let before = (self.states.len(), self.edge_count());
            if self.round(accepting, limit).is_none() {
                break;
            }
            failures = if before == (self.states.len(), self.edge_count()) { failures + 1 } else { 0 };
            if failures >= 2 {
                break;
            }
        }
        self.trim();
        self.set_acceptance(false);
    }

    /// Applies each reduction once; states on no cycle get the acceptance `transient`.
    fn round(&mut self, transient: bool, limit: &mut SizeLimit) -> Option<()> {
        self.trim();
        self.set_acceptance(transient);
        self.join_edges(limit)?;
        let classes = partition(self.states.len(), self.edge_count(), limit, |state, classes| {
            self.signature(state, classes)
        })?;
        self.renumber(&classes.iter().map(|&class| Some(class)).collect::<Vec<_>>());
        self.join_edges(limit)?;
        self.use_simulation(limit)
    }

    fn edge_count(&self) -> usize {
        self.states.iter().map(|state| state.edges.len()).sum()
    }

    /// The acceptance and the edges of a state, with targets replaced by their classes.
    fn signature(&self, state: usize, classes: &[u32]) -> (bool, Vec<BuchiEdge>) {
        let BuchiState { accepting, edges } = &self.states[state];
        let mut edges: Vec<BuchiEdge> =
            edges.iter().map(|e| BuchiEdge { cube: e.cube.clone(), to: classes[e.to as usize] }).collect();
        edges.sort_unstable();
        edges.dedup();
        (*accepting, edges)
    }

    /// Removes states that no run visits, or from which no run is accepting.
    pub fn trim(&mut self) {
        let successors = self.successors();
        let components = StateComponents::new(&successors);
        let live = live(&successors, &components, &self.accepting_components(&components));
        let mut numbers = vec![None; self.states.len()];
        let mut order: Vec<u32> = self.initial.clone();
        let (mut at, mut next) = (0, 0);
        while let Some(&state) = order.get(at) {
            at += 1;
            if live[components.of[state as usize]] && numbers[state as usize].is_none() {
                numbers[state as usize] = Some(next);
                next += 1;
                order.extend_from_slice(&successors[state as usize]);
            }
        }
        self.renumber(&numbers);
    }

    /// Sets the acceptance of states that lie on no cycle, and of components that have no or only accepting
    /// cycles.
    fn set_acceptance(&mut self, transient: bool) {
        let successors = self.successors();
        let components = StateComponents::new(&successors);
        let cyclic = components.cyclic(&successors);
        let accepting = self.accepting_components(&components);
        let rejecting = self.rejecting_components(&components);
        for (state, &component) in self.states.iter_mut().zip(&components.of) {
            state.accepting = match (cyclic[component], accepting[component], rejecting[component]) {
                (false, ..) => transient,
                (true, false, _) => false,
                (true, true, false) => true,
                (true, true, true) => state.accepting,
            };
        }
    }

    /// Joins edges to the same state, and drops those that another one implies.
    fn join_edges(&mut self, limit: &mut SizeLimit) -> Option<()> {
        for state in &mut self.states {
            let mut edges = state.edges.clone();
            let mut at = 0;
            while at < edges.len() {
                limit.spend(edges.len() * edges.len())?;
                let (before, edge) = (edges[..at].iter(), &edges[at]);
                let mut joined =
                    before.filter(|e| e.to == edge.to).filter_map(|e| resolved(&e.cube, &edge.cube));
                let known = |cube: &Vec<_>| edges.iter().any(|e| e.to == edge.to && included(&e.cube, cube));
                match joined.find(|cube| !known(cube)) {
                    // The new edge covers both, which are dropped below, and may join with others in turn.
                    Some(cube) => edges.push(BuchiEdge { cube, to: edge.to }),
                    None => at += 1,
                }
            }
            edges.sort_unstable();
            state.edges = strongest(edges, |a, b| a.to == b.to && included(&a.cube, &b.cube));
        }
        Some(())
    }

    /// Merges states that simulate each other, and drops edges and initial states that others simulate.
    fn use_simulation(&mut self, limit: &mut SizeLimit) -> Option<()> {
        let simulation = DirectSimulation::new(self, limit)?;
        let below = |a: u32, b: u32| simulation.holds(a as usize, b as usize);
        for state in &mut self.states {
            limit.spend(state.edges.len() * state.edges.len())?;
            let edges = std::mem::take(&mut state.edges);
            state.edges = strongest(edges, |a, b| included(&a.cube, &b.cube) && below(b.to, a.to));
        }
        self.initial = strongest(std::mem::take(&mut self.initial), |&a, &b| below(b, a));
        let mut numbers: Vec<Option<u32>> = Vec::with_capacity(self.states.len());
        let mut firsts: Vec<u32> = Vec::new();
        for state in 0..self.states.len() as u32 {
            let class = firsts.iter().position(|&first| below(first, state) && below(state, first));
            numbers.push(Some(class.unwrap_or(firsts.len()) as u32));
            if class.is_none() {
                firsts.push(state);
            }
        }
        self.renumber(&numbers);
        Some(())
    }

    /// Gives states new numbers, the same to states that are merged and none to those that are removed.
    fn renumber(&mut self, numbers: &[Option<u32>]) {
        let count = numbers.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut states: Vec<Option<BuchiState>> = vec![None; count];
        for (number, old) in numbers.iter().zip(std::mem::take(&mut self.states)) {
            let Some(number) = *number else { continue };
            let edges =
                old.edges.into_iter().filter_map(|e| Some(BuchiEdge { to: numbers[e.to as usize]?, ..e }));
            states[number as usize]
                .get_or_insert_with(|| BuchiState { accepting: old.accepting, edges: edges.collect() });
        }
        self.states = states.into_iter().flatten().collect();
        self.initial = self.initial.iter().filter_map(|&state| numbers[state as usize]).collect();
        self.initial.sort_unstable();
        self.initial.dedup();
    }
}
