//! The shortest lasso that decides an LTL property, as far as a search of a limited size finds it.
//!
//! What: the product is explored in the order of the steps from its initial states, up to a lasso of the product. Then `rounds` looks
//! for a shorter one of the net, and shows that there is none if its limit suffices. Why: lassos of random walks and depth-first
//! searches depend on chance and are long. This one depends on the net and the property alone.
//! A lasso of `k` steps visits no state that is more than `k` steps away, so once all nearer states are expanded none of the product
//! is shorter.
//! Needs: any net, and as much memory as the product states take. All transitions fire. Cost: see
//! `fireset_kernel::shortest_lasso`, which is asked each time the number of states has doubled.
//! Test: `tests/shortest_lasso.rs`, against all lassos of random nets.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use fireset_kernel::{
    automata::Buchi,
    shortest_lasso::{NodeLasso, StepEdge, StepGraph},
    store::Store,
};
use fireset_net::{Budget, Lasso, Model, Outcome, Problem, Query, StopReason};

use super::{
    ProductState, deciding,
    lasso::actions_along,
    product::BuchiProduct,
    reduction::ActionChoice,
    rounds::{ActionLasso, ActionRun, RoundSearch, ShorterLasso},
};
use crate::{
    ColouredConfig, ResultSink,
    driver::{self, EncodedEngine, EncodedProblem, EncodingConfig, WideningTask},
    search::{
        ActionCursor, EncodedNet, LayoutOverflow, MarkingSpace, MarkingTable, PendingSuccessors, Predicate,
        SearchStop, Searched, WorkLimit, compile,
    },
};

/// The number of states at which a lasso is looked for first.
const FIRST_LOOK: usize = 64;
/// The most edges that are read for a lasso, and firings for a shorter one, for each state that may be expanded.
const EDGES_PER_STATE: u64 = 32;
/// States that are expanded between two polls of the budget.
const POLL_INTERVAL: usize = 256;
/// The distance of a state that has none yet.
const FAR: u32 = u32::MAX;

/// A search for the shortest lasso that decides an LTL query.
#[derive(Clone, Copy, Debug)]
pub struct ShortestLassoSearch {
    /// The most product states that are expanded.
    pub max_states: usize,
}

/// A lasso that decides a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLasso {
    /// The run that holds or breaks the formula.
    pub lasso: Lasso,
    /// Whether no other lasso that decides the query has fewer steps.
    pub is_shortest: bool,
}

impl ShortestLassoSearch {
    /// The lasso that refutes a query of all runs, or shows one of some run. `None` if there is none, or none among the states that
    /// the search may see.
    pub fn find(&self, model: &Arc<Model>, query: &Query, budget: &Budget) -> Option<FoundLasso> {
        let Query::Ltl(quantifier, formula) = query else { return None };
        let (automaton, atoms) = deciding(*quantifier, formula)?;
        let atoms: Vec<Predicate> = atoms.iter().map(compile).collect();
        let found = Mutex::new(None);
        let task =
            LassoTask { automaton: &automaton, atoms: &atoms, max_states: self.max_states, found: &found };
        let problem = Problem { model: model.clone(), queries: Vec::new() };
        driver::try_decide(&task, &problem, budget, &mut |_: usize, _: Outcome| {}).ok()?;
        found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The search on a net of either kind, which leaves what it found.
struct LassoTask<'a> {
    automaton: &'a Buchi,
    atoms: &'a [Predicate],
    max_states: usize,
    found: &'a Mutex<Option<FoundLasso>>,
}

impl EncodedEngine for LassoTask<'_> {
    fn encoding_config(&self) -> EncodingConfig {
        EncodingConfig { coloured: ColouredConfig::default(), ..EncodingConfig::default() }
    }

    fn decide_encoded<E: EncodedNet>(&self, mut net: E, input: EncodedProblem<'_>, _: &mut dyn ResultSink) {
        let mut search = LassoSearch { task: self, budget: input.budget };
        let found = driver::run_widening(&mut net, &mut search, input.budget).flatten();
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = found.ok().flatten();
    }
}

/// The search in one layout; in a wider one it begins again.
struct LassoSearch<'a> {
    task: &'a LassoTask<'a>,
    budget: &'a Budget,
}

impl<E: EncodedNet> WideningTask<E> for LassoSearch<'_> {
    type Output = Result<Option<FoundLasso>, StopReason>;

    fn run<S: MarkingSpace<ActionId = E::ActionId>>(
        &mut self,
        net: &E,
        space: &mut S,
    ) -> Result<Self::Output, LayoutOverflow<E::ActionId>> {
        let initial = net.initial_row();
        let markings = MarkingTable::new(space, &initial, Store::new(initial.len(), false));
        let LassoTask { automaton, atoms, max_states, .. } = *self.task;
        let product = BuchiProduct::new(markings, automaton, atoms, ActionChoice::new(None));
        match LassoExploration::new(product).run(max_states, self.budget) {
            Ok(found) => Ok(Ok(found)),
            Err(SearchStop::Reason(reason)) => Ok(Err(reason)),
            Err(SearchStop::Overflow(overflow)) => Err(overflow),
            Err(SearchStop::Enough) => unreachable!("the search has no monitor"),
        }
    }
}

/// The product as far as it is explored, as a graph.
struct LassoExploration<'a, S: MarkingSpace> {
    product: BuchiProduct<'a, S>,
    graph: StepGraph,
    /// Those of the graph's nodes.
    states: Vec<ProductState>,
    numbers: HashMap<ProductState, u32>,
    distances: Vec<u32>,
    is_expanded: Vec<bool>,
    expanded: usize,
    /// States with the distances that they had when they were added, the nearest first.
    open: VecDeque<(u32, u32)>,
}

impl<'a, S: MarkingSpace> LassoExploration<'a, S> {
    fn new(product: BuchiProduct<'a, S>) -> Self {
        let (marking, automaton) = (product.markings.initial, product.automaton);
        let mut this = Self {
            product,
            graph: StepGraph::default(),
            states: Vec::new(),
            numbers: HashMap::new(),
            distances: Vec::new(),
            is_expanded: Vec::new(),
            expanded: 0,
            open: VecDeque::new(),
        };
        for &automaton_state in &automaton.initial {
            let node = this.node(ProductState { marking, automaton_state });
            this.graph.roots.push(node);
            this.distances[node as usize] = 0;
            this.open.push_back((0, node));
        }
        this
    }

    /// The node of a state, which is added if it is new.
    fn node(&mut self, state: ProductState) -> u32 {
        let new = self.states.len() as u32;
        let node = *self.numbers.entry(state).or_insert(new);
        if node == new {
            self.states.push(state);
            self.graph.edges.push(Vec::new());
            self.graph
                .accepting
                .push(self.product.automaton.states[state.automaton_state as usize].accepting);
            self.distances.push(FAR);
            self.is_expanded.push(false);
        }
        node
    }

    fn run(mut self, max_states: usize, budget: &Budget) -> Searched<S, Option<FoundLasso>> {
        let most_edges = EDGES_PER_STATE.saturating_mul(max_states as u64);
        let (mut next_look, mut least) = (FIRST_LOOK, FAR);
        loop {
            // A lasso that is not among the expanded states has at least this number of steps.
            let horizon = self.open.front().map_or(FAR, |&(distance, _)| distance);
            let is_over = self.open.is_empty() || self.expanded >= max_states;
            if is_over || least <= horizon || self.expanded >= next_look {
                let shortest = self.graph.shortest_lasso(most_edges);
                least = shortest.lasso.as_ref().map_or(FAR, |lasso| lasso.steps);
                next_look = 2 * self.expanded.max(FIRST_LOOK);
                match shortest.lasso {
                    Some(lasso) if is_over || least <= horizon => {
                        let run = self.run_along(lasso, budget)?;
                        return self.shortest(run, most_edges, budget).map(Some);
                    }
                    None if is_over => return Ok(None),
                    _ => {}
                }
            }
            if self.expanded.is_multiple_of(POLL_INTERVAL) {
                let edges = self.product.markings.firings as usize * size_of::<StepEdge>();
                let states = self.states.len() * (size_of::<(ProductState, u32)>() * 3);
                let bytes = self.product.bytes() + edges + states;
                budget
                    .check(bytes as u64, self.product.markings.store.len() as u64)
                    .map_err(SearchStop::Reason)?;
            }
            self.expand_nearest()?;
        }
    }

    fn expand_nearest(&mut self) -> Searched<S, ()> {
        let Some((distance, node)) = self.open.pop_front() else { return Ok(()) };
        if std::mem::replace(&mut self.is_expanded[node as usize], true) {
            return Ok(());
        }
        self.expanded += 1;
        let (state, mut targets) = (self.states[node as usize], Vec::new());
        self.product.targets(state, |target| targets.push(target));
        if targets.is_empty() {
            return Ok(());
        }
        let (mut cursor, mut pending) = (ActionCursor::default(), PendingSuccessors::default());
        while let Some((marking, action)) = self.product.next(state.marking, &mut cursor, &mut pending)? {
            let is_silent = action.is_none();
            for &automaton_state in &targets {
                let to = self.node(ProductState { marking, automaton_state });
                self.graph.edges[node as usize].push(StepEdge { to, is_silent });
                let next = distance + u32::from(!is_silent);
                if next < self.distances[to as usize] {
                    self.distances[to as usize] = next;
                    match is_silent {
                        true => self.open.push_front((next, to)),
                        false => self.open.push_back((next, to)),
                    }
                }
            }
        }
        Ok(())
    }

    /// The run along the nodes of a lasso, its cycle once round.
    fn run_along(&mut self, lasso: NodeLasso, budget: &Budget) -> Searched<S, ActionLasso<S::ActionId>> {
        let states = |nodes: &[u32]| nodes.iter().map(|&node| self.states[node as usize]).collect::<Vec<_>>();
        let prefix = states(&lasso.prefix);
        let round: Vec<ProductState> =
            prefix.last().copied().into_iter().chain(states(&lasso.cycle)).collect();
        let mut run = |path: &[ProductState]| -> Searched<S, ActionRun<S::ActionId>> {
            let actions = actions_along(&mut self.product, path, WorkLimit::new(u64::MAX, budget))?;
            let actions = actions.ok_or(SearchStop::Reason(StopReason::Time))?;
            let moves =
                path.iter().zip(&actions).filter_map(|(state, &action)| Some((state.marking, action?)));
            Ok(moves.collect())
        };
        let (mut prefix, mut cycle) = (run(&prefix)?, run(&round)?);
        once_round(&mut cycle);
        while let (Some(before), Some(last)) = (prefix.last(), cycle.last())
            && before == last
        {
            prefix.pop();
            cycle.rotate_right(1);
        }
        Ok(ActionLasso { prefix, cycle })
    }

    /// The shortest lasso that is found, as steps.
    fn shortest(
        &mut self,
        run: ActionLasso<S::ActionId>,
        most_firings: u64,
        budget: &Budget,
    ) -> Searched<S, FoundLasso> {
        let ShorterLasso { lasso, is_proven } =
            match RoundSearch::new(&mut self.product, most_firings, budget) {
                Some(mut search) => search.shorter_than(run.steps())?,
                None => ShorterLasso { lasso: None, is_proven: false },
            };
        let ActionLasso { prefix, cycle } = lasso.unwrap_or(run);
        let steps = |run: ActionRun<S::ActionId>| {
            run.into_iter().map(|(_, action)| self.product.markings.space.step(action)).collect()
        };
        Ok(FoundLasso { lasso: Lasso { prefix: steps(prefix), cycle: steps(cycle) }, is_shortest: is_proven })
    }
}

/// Leaves one round of a cycle that goes round several times.
fn once_round<N: PartialEq + Copy>(cycle: &mut ActionRun<N>) {
    let length = cycle.len();
    let is_round = |&round: &usize| {
        length.is_multiple_of(round) && (round..length).all(|at| cycle[at] == cycle[at - round])
    };
    if let Some(round) = (1..length).find(is_round) {
        cycle.truncate(round);
    }
}
