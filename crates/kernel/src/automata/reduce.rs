//! A Büchi automaton with fewer states and edges for the same words.
//!
//! Why: every state and edge is multiplied by the states of the net. Source: trimming and bisimulation are
//! folklore; the use of direct simulation is after Etessami and Holzmann, "Optimizing Büchi automata" (CONCUR
//! 2000) and Somenzi and Bloem, "Efficient Büchi automata from LTL formulae" (CAV 2000).
//!
//! Each round removes states that no run comes to or from which none is accepting, joins edges whose cubes
//! differ in one sign, merges bisimilar states, and uses simulation. A state that lies on no cycle may be
//! accepting or not, as one likes: rounds try both, because either may make it equal to another state. Where all
//! cycles of a component are accepting, all its states are made so: then a search need not look for cycles.
//!
//! Cost: rounds are repeated while they help; what takes too long is left out. Test: `tests`, on lassos and
//! by the table of sizes.

use super::{
    Buchi, Edge, State,
    components::{Components, partition},
    generalised::{live, strongest},
    limit::Limit,
    sets::{included, resolved},
    simulation::Simulation,
};

impl Buchi {
    /// Makes it smaller while that works and the limit allows it.
    pub(super) fn reduce(&mut self, limit: &mut Limit) {
        let mut without = 0;
        // Each of the two choices for states on no cycle must fail to help once after the last success.
        for accepting in [false, true].into_iter().cycle() {
            let before = (self.states.len(), self.edges());
            if self.round(accepting, limit).is_none() {
                break;
            }
            without = if before == (self.states.len(), self.edges()) { without + 1 } else { 0 };
            if without >= 2 {
                break;
            }
        }
        self.trim();
        self.set_bits(false);
    }

    /// Tries everything once.
    fn round(&mut self, transient: bool, limit: &mut Limit) -> Option<()> {
        self.trim();
        self.set_bits(transient);
        self.join_edges(limit)?;
        let classes = partition(self.states.len(), self.edges(), limit, |state, classes| {
            self.signature(state, classes)
        })?;
        self.rename(&classes.iter().map(|&class| Some(class)).collect::<Vec<_>>());
        self.join_edges(limit)?;
        self.use_simulation(limit)
    }

    fn edges(&self) -> usize {
        self.states.iter().map(|state| state.edges.len()).sum()
    }

    /// What a state looks like when only classes of states can be told apart.
    fn signature(&self, state: usize, classes: &[u32]) -> (bool, Vec<Edge>) {
        let State { accepting, edges } = &self.states[state];
        let mut edges: Vec<Edge> =
            edges.iter().map(|e| Edge { cube: e.cube.clone(), to: classes[e.to as usize] }).collect();
        edges.sort_unstable();
        edges.dedup();
        (*accepting, edges)
    }

    /// Removes states that no run comes to, or from which none is accepting.
    fn trim(&mut self) {
        let successors = self.successors();
        let components = Components::new(&successors);
        let live = live(&successors, &components, &self.accepting_components(&components));
        let mut names = vec![None; self.states.len()];
        let mut order: Vec<u32> = self.initial.clone();
        let (mut at, mut next) = (0, 0);
        while let Some(&state) = order.get(at) {
            at += 1;
            if live[components.of[state as usize]] && names[state as usize].is_none() {
                names[state as usize] = Some(next);
                next += 1;
                order.extend_from_slice(&successors[state as usize]);
            }
        }
        self.rename(&names);
    }

    /// Sets the acceptance of states that lie on no cycle, and of components that have no or only accepting
    /// cycles.
    fn set_bits(&mut self, transient: bool) {
        let successors = self.successors();
        let components = Components::new(&successors);
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
    fn join_edges(&mut self, limit: &mut Limit) -> Option<()> {
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
                    // It covers both, which go below, and may join with others in turn.
                    Some(cube) => edges.push(Edge { cube, to: edge.to }),
                    None => at += 1,
                }
            }
            edges.sort_unstable();
            state.edges = strongest(edges, |a, b| a.to == b.to && included(&a.cube, &b.cube));
        }
        Some(())
    }

    /// Merges states that simulate each other, and drops edges and initial states that others simulate.
    fn use_simulation(&mut self, limit: &mut Limit) -> Option<()> {
        let simulation = Simulation::new(self, limit)?;
        let below = |a: u32, b: u32| simulation.holds(a as usize, b as usize);
        for state in &mut self.states {
            limit.spend(state.edges.len() * state.edges.len())?;
            let edges = std::mem::take(&mut state.edges);
            state.edges = strongest(edges, |a, b| included(&a.cube, &b.cube) && below(b.to, a.to));
        }
        self.initial = strongest(std::mem::take(&mut self.initial), |&a, &b| below(b, a));
        let mut names: Vec<Option<u32>> = Vec::with_capacity(self.states.len());
        let mut firsts: Vec<u32> = Vec::new();
        for state in 0..self.states.len() as u32 {
            let class = firsts.iter().position(|&first| below(first, state) && below(state, first));
            names.push(Some(class.unwrap_or(firsts.len()) as u32));
            if class.is_none() {
                firsts.push(state);
            }
        }
        self.rename(&names);
        Some(())
    }

    /// Gives states new names, the same to states that are merged and none to those that are removed.
    fn rename(&mut self, names: &[Option<u32>]) {
        let count = names.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut states: Vec<Option<State>> = vec![None; count];
        for (name, old) in names.iter().zip(std::mem::take(&mut self.states)) {
            let Some(name) = *name else { continue };
            let edges = old.edges.into_iter().filter_map(|e| Some(Edge { to: names[e.to as usize]?, ..e }));
            states[name as usize]
                .get_or_insert_with(|| State { accepting: old.accepting, edges: edges.collect() });
        }
        self.states = states.into_iter().flatten().collect();
        self.initial = self.initial.iter().filter_map(|&state| names[state as usize]).collect();
        self.initial.sort_unstable();
        self.initial.dedup();
    }
}
