//! The automaton of deciding runs, without what no run of the net can do: where nothing is left, no run decides otherwise.
//!
//! What: a run of the product pairs a maximal run `m0 m1 …` of the net with a run `q0 q1 …` of the automaton; the edge from `qi` to
//! `qi+1` reads the letter of `mi`, and a transition that is enabled in `mi` leads to `mi+1`, or `mi` is a deadlock and `mi+1 = mi`.
//! Three things are removed, until nothing changes:
//!
//! 1. An edge that no reachable marking can take. A marking in which it is taken meets its cube, and is a solution of the state
//!    equation whose counts are those of a way to the edge's state ([`ways`]). If that is refuted, the edge is never taken. Neither is
//!    one along which no transition may fire ([`steps`]), if the refutation succeeds with the cube in a deadlock.
//! 2. Acceptance of a strongly connected component in which no run stays. An accepting run stays in some component from a marking on.
//!    If the net's run is infinite, only transitions fire then that may fire along inner edges of the component; and one that may
//!    fire along an inner edge into an accepting state fires infinitely often, and so does one out of an accepting state. The
//!    state equation refutes that by a weighting of places ([`StateEquation::cannot_repeat_within`]). If the net's run ends in a
//!    deadlock, the automaton reads the same letter for ever: it needs an accepting cycle inside the component of edges that
//!    this one letter takes ([`stuttering`]).
//! 3. States that no run visits or from which no run is accepting ([`Buchi::trim`]).
//!
//! Each removal keeps all accepting runs of the product, so the query's value stays. Initial states get a copy without edges into it,
//! since the letter of the initial marking is known, and those of the first steps ([`first_markings`]).
//!
//! Why: formulas that hold on large nets need no search if the net's structure forbids what would refute them; nets that terminate
//! have no infinite run at all. Source: the state equation and repetitive vectors as in [`fireset_structure::state_equation`];
//! strongly connected components as in Couvreur, "On-the-fly verification of linear temporal logic" (1999).
//! Needs: a place/transition net. Inhibitor arcs and weights only take runs away or are in the equation; nets may be unbounded.
//! Cost: the time that is granted to the state equation; rounds are at most `MAX_ROUNDS`. Test: `tests/pruning.rs`, against the
//! reference checker.

mod engine;
mod first_markings;
mod steps;
mod stuttering;
mod ways;

use std::collections::HashMap;

pub use engine::LtlPruning;
use fireset_kernel::{
    automata::{AtomLiteral, Buchi, BuchiState},
    bits::Bits,
};
use fireset_net::{BoolTree, Budget, Marking, Net, StateAtom, StatePredicate, TransitionId};
use fireset_structure::{
    MarkingCondition, NetStructure, StateEquation,
    state_equation::{constraint::FiringConstraint, region::CountRegion},
};

use self::{
    first_markings::FirstMarkings,
    steps::LiteralSteps,
    ways::{AutomatonSteps, WayFirings},
};

const MAX_ROUNDS: usize = 6;
/// Automata with more edges times transitions are left as they are.
const MAX_SIZE: usize = 50_000_000;

/// The markings that an edge is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum LetterOf {
    AnyMarking,
    Deadlock,
}

/// Prunes the automaton of one query.
struct AutomatonPruner<'p, 'n> {
    net: &'n Net,
    equation: &'p StateEquation<'n>,
    first: &'p FirstMarkings,
    atoms: &'p [StatePredicate],
    literals: LiteralSteps<'n>,
    known: HashMap<(Vec<AtomLiteral>, LetterOf, Vec<FiringConstraint>), bool>,
}

/// The markings at the end of a way.
enum WayEnd<'p> {
    /// They are among these.
    First(&'p [Marking]),
    /// Their counts are in a region.
    Region(CountRegion),
}

impl<'p, 'n> AutomatonPruner<'p, 'n> {
    fn new(
        (equation, first): (&'p StateEquation<'n>, &'p FirstMarkings),
        atoms: &'p [StatePredicate],
        budget: &Budget,
    ) -> Self {
        let net = equation.net();
        let literals = LiteralSteps::new(net, NetStructure::of(net).place_semiflows(budget), atoms);
        Self { net, equation, first, atoms, literals, known: HashMap::new() }
    }

    /// Removes what no run can do, as far as that is proven in the time that is granted to the state equation.
    fn prune(&mut self, automaton: &mut Buchi) {
        separate_initial_states(automaton);
        let edges: usize = automaton.states.iter().map(|state| state.edges.len()).sum();
        if edges.saturating_mul(self.transitions()) > MAX_SIZE {
            return;
        }
        for _ in 0..MAX_ROUNDS {
            automaton.trim();
            let before = automaton.clone();
            self.prune_acceptance(automaton);
            automaton.trim();
            self.prune_edges(automaton);
            automaton.trim();
            if automaton.states.is_empty() || *automaton == before || self.equation.is_over() {
                return;
            }
        }
    }

    fn transitions(&self) -> usize {
        self.net.nodes().transitions.len()
    }

    fn steps(&mut self, automaton: &Buchi) -> (AutomatonSteps, Vec<WayEnd<'p>>) {
        let (transitions, columns, first) = (self.transitions(), self.equation.columns(), self.first);
        let mut steps = AutomatonSteps::new(automaton, &mut self.literals, transitions);
        let ways = steps.ways(automaton, first);
        let early = |way: &WayFirings| way.depth().and_then(|depth| first.within(depth)).map(WayEnd::First);
        let end = |way: &WayFirings| early(way).unwrap_or_else(|| WayEnd::Region(way.region(columns)));
        let ends = ways.iter().map(end).collect();
        (steps, ends)
    }

    fn prune_edges(&mut self, automaton: &mut Buchi) {
        let (steps, ends) = self.steps(automaton);
        for (at, state) in automaton.states.iter_mut().enumerate() {
            let end = &ends[steps.components.of[at]];
            let mut possible = steps.possible[at].iter();
            state.edges.retain(|edge| {
                let fires = possible.next().is_some_and(|possible| !is_empty(possible));
                let of = if fires { LetterOf::AnyMarking } else { LetterOf::Deadlock };
                !self.refutes(&edge.cube, of, end)
            });
        }
    }

    /// States of components in which no run stays are no longer accepting.
    fn prune_acceptance(&mut self, automaton: &mut Buchi) {
        let (steps, ends) = self.steps(automaton);
        let accepting = automaton.accepting_components(&steps.components);
        for component in (0..steps.components.count).filter(|&component| accepting[component]) {
            let stays = self.repeats(automaton, &steps, component)
                || self.stutters(automaton, &steps, component, &ends[component]);
            if !stays {
                let members = automaton.states.iter_mut().zip(&steps.components.of);
                members.filter(|(_, of)| **of == component).for_each(|(state, _)| state.accepting = false);
            }
        }
    }

    /// Whether an infinite run of the net may stay in a component and be accepted.
    fn repeats(&self, automaton: &Buchi, steps: &AutomatonSteps, component: usize) -> bool {
        let none = || Bits::filled(self.transitions(), false);
        let (mut into, mut out) = (none(), none());
        for (at, state) in automaton.states.iter().enumerate() {
            if steps.components.of[at] != component {
                continue;
            }
            for (edge, possible) in state.edges.iter().zip(&steps.possible[at]) {
                let to = edge.to as usize;
                if steps.components.of[to] == component {
                    into = if automaton.states[to].accepting { into.or(possible) } else { into };
                    out = if state.accepting { out.or(possible) } else { out };
                }
            }
        }
        let inner = &steps.inner[component];
        let together =
            [into, out].map(|set| set.and(inner).iter().map(TransitionId::new).collect::<Vec<_>>());
        !self.equation.cannot_repeat_within(&|t| inner.get(t.index()), &together)
    }

    /// Whether it is proven that no marking at the end of a way has a letter of a cube.
    fn refutes(&mut self, cube: &[AtomLiteral], of: LetterOf, end: &WayEnd<'_>) -> bool {
        let region = match end {
            WayEnd::First(markings) => {
                let condition = self.condition(cube, of);
                return !markings.iter().any(|marking| condition.holds(self.net, marking));
            }
            WayEnd::Region(region) => region,
        };
        let limits = region.constraints.iter().map(|limit| (**limit).clone()).collect();
        let key = (cube.to_vec(), of, limits);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let refuted = self.is_refuted(&self.condition(cube, of), region);
        if refuted || !self.equation.is_over() {
            self.known.insert(key, refuted);
        }
        refuted
    }

    fn is_refuted(&self, condition: &MarkingCondition, region: &CountRegion) -> bool {
        if is_contradictory(condition) {
            return true;
        }
        // The run of no firings is in every region.
        if condition.holds(self.net, self.net.initial_marking()) {
            return false;
        }
        if region.constraints.is_empty() {
            self.equation.refutes(condition).is_some()
        } else {
            self.equation.refutes_within(region, condition)
        }
    }

    /// A condition that every marking meets whose letter is in the cube.
    fn condition(&self, cube: &[AtomLiteral], of: LetterOf) -> MarkingCondition {
        let mut parts: Vec<MarkingCondition> = cube
            .iter()
            .map(|literal| {
                let atom = &self.atoms[literal.atom as usize];
                match of {
                    LetterOf::AnyMarking => MarkingCondition::of(atom, literal.positive, self.net),
                    LetterOf::Deadlock => {
                        MarkingCondition::of(&in_deadlock(atom), literal.positive, self.net)
                    }
                }
            })
            .collect();
        if of == LetterOf::Deadlock {
            parts.push(MarkingCondition::Disabled(self.net.nodes().transition_ids().collect()));
        }
        MarkingCondition::All(parts)
    }
}

/// A predicate that has the same value in deadlocks.
fn in_deadlock(predicate: &StatePredicate) -> StatePredicate {
    predicate.map(&mut |atom| match atom {
        StateAtom::Deadlock => BoolTree::Constant(true),
        StateAtom::Fireable(_) | StateAtom::BindingFireable(_) => BoolTree::Constant(false),
        StateAtom::Compare(..) => BoolTree::Atom(atom.clone()),
    })
}

/// Whether no marking meets a condition, by its shape alone.
fn is_contradictory(condition: &MarkingCondition) -> bool {
    match condition {
        MarkingCondition::AtLeast(form) => form.constant < 0 && form.terms.iter().all(|term| term.1 <= 0),
        MarkingCondition::All(all) => all.iter().any(is_contradictory),
        MarkingCondition::Any(some) => some.iter().all(is_contradictory),
        MarkingCondition::Disabled(_) => false,
    }
}

fn is_empty(set: &Bits) -> bool {
    set.iter().next().is_none()
}

/// Gives each initial state that edges lead to a copy to which none do.
fn separate_initial_states(automaton: &mut Buchi) {
    let targets: Vec<u32> =
        automaton.states.iter().flat_map(|state| state.edges.iter().map(|edge| edge.to)).collect();
    for at in 0..automaton.initial.len() {
        let state = automaton.initial[at];
        if targets.contains(&state) {
            automaton.initial[at] = automaton.states.len() as u32;
            let edges = automaton.states[state as usize].edges.clone();
            automaton.states.push(BuchiState { accepting: false, edges });
        }
    }
}
