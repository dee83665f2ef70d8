//! Emptiness of the product with a Büchi automaton, by sets of markings: one for each state of the automaton.
//!
//! After Emerson and Lei, "Efficient model checking in fragments of the propositional mu-calculus" (LICS 1986): the pairs of markings and
//! states from which accepting ones are met again and again are a greatest fixed point, of those that lead to an accepting
//! pair in one step or more. An edge of the automaton reads the marking that it leaves. A deadlock's
//! marking repeats for ever.
//! Cost: a search against the steps for each edge and round. Test: `tests/symbolic.rs`.

use fireset_kernel::{
    automata::Buchi,
    mdd::{MddNode, Stopped},
};

use super::satisfaction::SatisfactionSets;
use crate::search::Predicate;

/// The product of the reachable markings and an automaton.
struct SymbolicProduct<'p, 'a, 'g> {
    sets: &'p mut SatisfactionSets<'a, 'g>,
    /// By state of the automaton, the targets of its edges, and the markings that allow them.
    edges: Vec<Vec<(usize, MddNode)>>,
    /// The same by target, with the sources.
    before: Vec<Vec<(usize, MddNode)>>,
    deadlocks: MddNode,
}

/// A set of markings for each state of the automaton.
type ProductStates = Vec<MddNode>;

impl SatisfactionSets<'_, '_> {
    /// Whether there is a run that the automaton accepts.
    pub(super) fn some_run(&mut self, automaton: &Buchi, atoms: &[Predicate]) -> Result<bool, Stopped> {
        let deadlocks = self.deadlocks()?;
        let count = automaton.states.len();
        let mut product = SymbolicProduct {
            sets: self,
            edges: vec![Vec::new(); count],
            before: vec![Vec::new(); count],
            deadlocks,
        };
        product.connect(automaton, atoms)?;
        let all = product.sets.reachable;
        let mut for_ever: ProductStates = automaton
            .recurring()
            .into_iter()
            .map(|recurs| if recurs { all } else { MddNode::EMPTY })
            .collect();
        loop {
            let accepting = for_ever.iter().zip(&automaton.states);
            let accepting = accepting.map(|(&set, state)| if state.accepting { set } else { MddNode::EMPTY });
            let met = product.leading_to(accepting.collect(), Some(&for_ever))?;
            let mut next = Vec::with_capacity(count);
            for (state, &set) in for_ever.iter().enumerate() {
                next.push(product.step(state, &met, set)?);
            }
            if next == for_ever {
                break;
            }
            for_ever = next;
        }
        let found = product.leading_to(for_ever, None)?;
        Ok(automaton.initial.iter().any(|&state| self.contains_initial(found[state as usize])))
    }
}

impl SymbolicProduct<'_, '_, '_> {
    /// Finds the markings that allow each edge of the automaton.
    fn connect(&mut self, automaton: &Buchi, atoms: &[Predicate]) -> Result<(), Stopped> {
        for (from, state) in automaton.states.iter().enumerate() {
            for edge in &state.edges {
                let mut allowed = self.sets.reachable;
                for literal in &edge.cube {
                    let holds = self.sets.predicate(&atoms[literal.atom as usize])?;
                    allowed = match literal.positive {
                        true => self.sets.diagram.intersection(allowed, holds)?,
                        false => self.sets.diagram.difference(allowed, holds)?,
                    };
                }
                let to = edge.to as usize;
                match self.edges[from].iter_mut().find(|(other, _)| *other == to) {
                    Some((_, set)) => *set = self.sets.diagram.union(*set, allowed)?,
                    None => self.edges[from].push((to, allowed)),
                }
            }
            for &(to, allowed) in &self.edges[from] {
                self.before[to].push((from, allowed));
            }
        }
        Ok(())
    }

    /// The markings within a set from which an edge of a state leads to pairs in one step.
    fn step(&mut self, state: usize, goal: &ProductStates, within: MddNode) -> Result<MddNode, Stopped> {
        let mut found = MddNode::EMPTY;
        for (to, allowed) in self.edges[state].clone() {
            let inside = self.sets.diagram.intersection(allowed, within)?;
            let one = self.one_before(inside, goal[to])?;
            found = self.sets.diagram.union(found, one)?;
        }
        Ok(found)
    }

    /// The pre-image of a set within another, where a deadlock is its own successor.
    fn one_before(&mut self, within: MddNode, goal: MddNode) -> Result<MddNode, Stopped> {
        let one = self.sets.step_before(within, goal)?;
        let stays = self.sets.diagram.intersection(self.deadlocks, goal)?;
        let stays = self.sets.diagram.intersection(stays, within)?;
        self.sets.diagram.union(one, stays)
    }

    /// The pairs that lead to others, within a set of pairs if one is given.
    fn leading_to(
        &mut self,
        goal: ProductStates,
        within: Option<&ProductStates>,
    ) -> Result<ProductStates, Stopped> {
        let mut found = goal;
        let mut waiting: Vec<usize> =
            (0..found.len()).filter(|&state| found[state] != MddNode::EMPTY).collect();
        while let Some(state) = waiting.pop() {
            // An edge back to the state is followed as far as it goes.
            if let Some(&(_, allowed)) = self.edges[state].iter().find(|(to, _)| *to == state) {
                let inside = self.inside(allowed, within, state)?;
                found[state] = self.sets.before(inside, found[state])?;
            }
            for (from, allowed) in self.before[state].clone() {
                if from == state {
                    continue;
                }
                let inside = self.inside(allowed, within, from)?;
                let one = self.one_before(inside, found[state])?;
                let more = self.sets.diagram.union(found[from], one)?;
                if more != found[from] {
                    found[from] = more;
                    if !waiting.contains(&from) {
                        waiting.push(from);
                    }
                }
            }
        }
        Ok(found)
    }

    fn inside(
        &mut self,
        allowed: MddNode,
        within: Option<&ProductStates>,
        state: usize,
    ) -> Result<MddNode, Stopped> {
        match within {
            Some(within) => self.sets.diagram.intersection(allowed, within[state]),
            None => Ok(allowed),
        }
    }
}
