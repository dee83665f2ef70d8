//! Ultimately periodic words, the formulas that they satisfy and the automata that accept them. Nothing here
//! uses the translation; only the check of generalised automata shares the search for components with it.

use crate::automata::{
    AtomLiteral, Buchi, LtlFormula, alternating::AlternatingAutomaton, components::StateComponents,
    generalised::GeneralisedBuchi,
};

/// An ultimately periodic word: after the last letter it goes on at position `back`. A letter has a bit for each atom.
#[derive(Clone, Debug)]
pub struct LassoWord {
    pub letters: Vec<u32>,
    pub back: usize,
}

impl LassoWord {
    fn next(&self, at: usize) -> usize {
        if at + 1 == self.letters.len() { self.back } else { at + 1 }
    }

    fn has(&self, at: usize, cube: &[AtomLiteral]) -> bool {
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
    pub fn satisfies(&self, formula: &LtlFormula) -> bool {
        self.values(formula)[0]
    }

    /// The formula's value at each position.
    fn values(&self, formula: &LtlFormula) -> Vec<bool> {
        let positions = 0..self.letters.len();
        match formula {
            LtlFormula::Constant(value) => vec![*value; self.letters.len()],
            LtlFormula::Literal(literal) => positions.map(|at| self.has(at, &[*literal])).collect(),
            LtlFormula::And(fs) | LtlFormula::Or(fs) => {
                let values: Vec<_> = fs.iter().map(|f| self.values(f)).collect();
                let all = matches!(formula, LtlFormula::And(_));
                let value = |at: usize| {
                    if all { values.iter().all(|v| v[at]) } else { values.iter().any(|v| v[at]) }
                };
                positions.map(value).collect()
            }
            LtlFormula::Next(f) => {
                let values = self.values(f);
                positions.map(|at| values[self.next(at)]).collect()
            }
            LtlFormula::Until(f, g) => {
                let (f, g) = (self.values(f), self.values(g));
                self.fixpoint(false, |at, later| g[at] || f[at] && later)
            }
            LtlFormula::Release(f, g) => {
                let (f, g) = (self.values(f), self.values(g));
                self.fixpoint(true, |at, later| g[at] && (f[at] || later))
            }
        }
    }

    /// Whether the automaton accepts the word: some run visits an accepting state twice at the same position.
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

    /// The same for an alternating automaton. It is very weak, so states get their values one after another: those that
    /// a run must leave by a least fixpoint, the others by a greatest.
    pub fn accepted_alternating(&self, automaton: &AlternatingAutomaton) -> bool {
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
    pub fn accepted_generalised(&self, automaton: &GeneralisedBuchi) -> bool {
        let width = self.letters.len();
        let node = |state: u32, at: usize| state as usize * width + at;
        let steps = |from: usize| {
            let edges =
                automaton.edges[from / width].iter().filter(move |edge| self.has(from % width, &edge.cube));
            edges.map(move |edge| (node(edge.to, self.next(from % width)), edge))
        };
        let mut reached = vec![false; automaton.edges.len() * width];
        let mut waiting: Vec<usize> = automaton.initial.iter().map(|&state| node(state, 0)).collect();
        while let Some(at) = waiting.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                waiting.extend(steps(at).map(|(to, _)| to));
            }
        }
        let successors: Vec<Vec<u32>> =
            (0..reached.len()).map(|at| steps(at).map(|(to, _)| to as u32).collect()).collect();
        let components = StateComponents::new(&successors);
        (0..components.count).any(|component| {
            let members = || (0..reached.len()).filter(|&at| reached[at] && components.of[at] == component);
            let mut inner =
                members().flat_map(steps).filter(|&(to, _)| components.of[to] == component).peekable();
            let cyclic = inner.peek().is_some();
            let edges: Vec<_> = inner.map(|(_, edge)| edge).collect();
            cyclic && (0..automaton.sets).all(|set| edges.iter().any(|edge| edge.accepted.contains(&set)))
        })
    }
}
