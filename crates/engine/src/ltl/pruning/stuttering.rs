//! Whether a run that ends in a deadlock may be accepted in a component of the automaton.
//!
//! The letter of a deadlock repeats for ever, so the run goes round a cycle of edges that this letter takes. Letters are not listed: the edges
//! that may be taken in a deadlock must form an accepting cycle, and while they do, the value of an atom of their cubes is assumed, both ways.
//! An assumption drops the edges that contradict it, and by the state equation those whose cube no deadlock has beside it.
//!
//! Invariant: false only if no deadlock's letter is accepted from the component. Cost: at most `MAX_ASSUMPTIONS`
//! assumptions, each with a refutation for each edge; beyond that the run may be accepted.

use fireset_kernel::automata::{AtomLiteral, Buchi};

use super::{AutomatonPruner, LetterOf, WayEnd, ways::AutomatonSteps};

/// Assumptions that are made for one component.
const MAX_ASSUMPTIONS: usize = 64;

/// The component, and how many more assumptions may be made.
struct StutterSearch<'a> {
    automaton: Buchi,
    end: &'a WayEnd<'a>,
    left: usize,
}

impl AutomatonPruner<'_, '_> {
    /// Whether a deadlock at the end of the way may be accepted in a component.
    pub(super) fn stutters(
        &mut self,
        automaton: &Buchi,
        steps: &AutomatonSteps,
        component: usize,
        end: &WayEnd<'_>,
    ) -> bool {
        let of = |state: u32| steps.components.of[state as usize];
        let mut inside = automaton.clone();
        inside.initial = (0..automaton.states.len() as u32).filter(|&state| of(state) == component).collect();
        for (at, state) in (0..).zip(&mut inside.states) {
            state.edges.retain(|edge| of(at) == component && of(edge.to) == component);
        }
        let mut search = StutterSearch { automaton: inside, end, left: MAX_ASSUMPTIONS };
        self.accepts_deadlock(&mut search, &[])
    }

    fn accepts_deadlock(&mut self, search: &mut StutterSearch<'_>, assumed: &[AtomLiteral]) -> bool {
        let mut rest = search.automaton.clone();
        for state in &mut rest.states {
            state.edges.retain(|edge| {
                joined(&edge.cube, assumed)
                    .is_some_and(|cube| !self.refutes(&cube, LetterOf::Deadlock, search.end))
            });
        }
        rest.trim();
        let cubes = rest.states.iter().flat_map(|state| state.edges.iter().flat_map(|edge| &edge.cube));
        let mut free = cubes.filter(|literal| assumed.iter().all(|other| other.atom != literal.atom));
        let Some(&literal) = free.next() else { return !rest.states.is_empty() };
        if search.left == 0 {
            return true;
        }
        search.left -= 1;
        [true, false].into_iter().any(|positive| {
            let mut more = assumed.to_vec();
            more.push(AtomLiteral { positive, ..literal });
            self.accepts_deadlock(search, &more)
        })
    }
}

/// The literals of both, by ascending atom; `None` if they contradict each other.
fn joined(cube: &[AtomLiteral], assumed: &[AtomLiteral]) -> Option<Vec<AtomLiteral>> {
    let mut all: Vec<AtomLiteral> = cube.iter().chain(assumed).copied().collect();
    all.sort_unstable();
    all.dedup();
    all.windows(2).all(|pair| pair[0].atom != pair[1].atom).then_some(all)
}
