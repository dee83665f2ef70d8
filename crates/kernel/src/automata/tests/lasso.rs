//! Words that repeat a part for ever, what formulas say of them, and which automata accept them. Nothing here
//! uses the translation; only the check of generalised automata shares the search for components with it.

use crate::automata::{
    Buchi, Literal, Ltl, alternating::Alternating, components::Components, generalised::Generalised,
};

/// A word: its letters, the last of which goes back to an earlier one. A letter has a bit for each atom.
#[derive(Clone, Debug)]
pub struct Lasso {
    pub letters: Vec<u32>,
    pub back: usize,
}

impl Lasso {
    fn next(&self, at: usize) -> usize {
        if at + 1 == self.letters.len() { self.back } else { at + 1 }
    }

    fn has(&self, at: usize, cube: &[Literal]) -> bool {
        cube.iter().all(|literal| (self.letters[at] >> literal.atom & 1 == 1) == literal.positive)
    }

    /// The fixpoint of a step, from all positions being `start`.
    fn fixpoint(&self, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut values = vec![start; self.letters.len()];
        for _ in 0..=self.letters.len() {
            values = (0..values.len()).map(|at| step(at, values[self.next(at)])).collect();
        }
        values
    }

    /// Whether the formula is true of the word.
    pub fn satisfies(&self, formula: &Ltl) -> bool {
        self.values(formula)[0]
    }

    /// The formula's value at each position.
    fn values(&self, formula: &Ltl) -> Vec<bool> {
        let positions = 0..self.letters.len();
        match formula {
            Ltl::Constant(value) => vec![*value; self.letters.len()],
            Ltl::Literal(literal) => positions.map(|at| self.has(at, &[*literal])).collect(),
            Ltl::And(fs) | Ltl::Or(fs) => {
                let values: Vec<_> = fs.iter().map(|f| self.values(f)).collect();
                let all = matches!(formula, Ltl::And(_));
                let value = |at: usize| {
                    if all { values.iter().all(|v| v[at]) } else { values.iter().any(|v| v[at]) }
                };
                positions.map(value).collect()
            }
            Ltl::Next(f) => {
                let values = self.values(f);
                positions.map(|at| values[self.next(at)]).collect()
            }
            Ltl::Until(f, g) => {
                let (f, g) = (self.values(f), self.values(g));
                self.fixpoint(false, |at, later| g[at] || f[at] && later)
            }
            Ltl::Release(f, g) => {
                let (f, g) = (self.values(f), self.values(g));
                self.fixpoint(true, |at, later| g[at] && (f[at] || later))
            }
        }
    }

    /// Whether the automaton accepts the word: some accepting state is met twice at the same position.
    pub fn accepted(&self, automaton: &Buchi) -> bool {
        let steps = |(state, at): (u32, usize)| {
            let edges = automaton.states[state as usize].edges.iter();
            edges.filter(move |edge| self.has(at, &edge.cube)).map(move |edge| (edge.to, self.next(at)))
        };
        let reach = |mut waiting: Vec<(u32, usize)>| {
            let mut reached = Vec::new();
            while let Some(node) = waiting.pop() {
                if !reached.contains(&node) {
                    reached.push(node);
                    waiting.extend(steps(node));
                }
            }
            reached
        };
        let reached = reach(automaton.initial.iter().map(|&state| (state, 0)).collect());
        let mut accepting = reached.iter().filter(|(state, _)| automaton.states[*state as usize].accepting);
        accepting.any(|&node| reach(steps(node).collect()).contains(&node))
    }

    /// The same for an alternating automaton. It is very weak, so states are valued one after another: those that
    /// must be left behind by a least fixpoint, the others by a greatest.
    pub fn accepted_alternating(&self, automaton: &Alternating) -> bool {
        let mut values: Vec<Vec<bool>> = Vec::new();
        for (state, transitions) in (0..).zip(&automaton.transitions) {
            let value = self.fixpoint(!automaton.untils.contains(&state), |at, later| {
                transitions.iter().filter(|t| self.has(at, &t.cube)).any(|t| {
                    let met =
                        |&to: &u32| if to == state { later } else { values[to as usize][self.next(at)] };
                    t.targets.iter().all(met)
                })
            });
            values.push(value);
        }
        automaton.initial.iter().any(|all| all.iter().all(|&state| values[state as usize][0]))
    }

    /// The same for a generalised automaton: some component that is reached has edges of all sets inside.
    pub fn accepted_generalised(&self, automaton: &Generalised) -> bool {
        let width = self.letters.len();
        let node = |state: u32, at: usize| state as usize * width + at;
        let steps = |from: usize| {
            let arcs =
                automaton.arcs[from / width].iter().filter(move |arc| self.has(from % width, &arc.cube));
            arcs.map(move |arc| (node(arc.to, self.next(from % width)), arc))
        };
        let mut reached = vec![false; automaton.arcs.len() * width];
        let mut waiting: Vec<usize> = automaton.initial.iter().map(|&state| node(state, 0)).collect();
        while let Some(at) = waiting.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                waiting.extend(steps(at).map(|(to, _)| to));
            }
        }
        let successors: Vec<Vec<u32>> =
            (0..reached.len()).map(|at| steps(at).map(|(to, _)| to as u32).collect()).collect();
        let components = Components::new(&successors);
        (0..components.count).any(|component| {
            let members = || (0..reached.len()).filter(|&at| reached[at] && components.of[at] == component);
            let mut inner =
                members().flat_map(steps).filter(|&(to, _)| components.of[to] == component).peekable();
            let cyclic = inner.peek().is_some();
            let arcs: Vec<_> = inner.map(|(_, arc)| arc).collect();
            cyclic && (0..automaton.sets).all(|set| arcs.iter().any(|arc| arc.accepted.contains(&set)))
        })
    }
}
