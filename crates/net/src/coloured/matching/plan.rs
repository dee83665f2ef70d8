//! The order in which the variables of a transition get their colours.

use super::{BindingSearch, Pattern};
use crate::{
    Comparison, PlaceId, SortId, VariableId,
    coloured::{Colour, ColourTerm, ColouredTransition, Guard, Members, Sorts, Variable},
};

/// One move of a plan. Variables in `binds` have no colour before it, and have one after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// A token gives the variables of a pattern their colours.
    Token { pattern: usize, place: PlaceId, term: ColourTerm, mask: u64, binds: Vec<VariableId> },
    /// A token is there.
    Present { pattern: usize, place: PlaceId, term: ColourTerm },
    /// A side of an equality gives the variables of the other their colours.
    Equal { from: (SortId, ColourTerm), to: (SortId, ColourTerm), binds: Vec<VariableId> },
    /// A part of the guard is true.
    Test(Guard),
    /// A variable has any colour.
    Any { variable: VariableId, size: u64 },
}

/// The order in which the variables of a transition get their colours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchingPlan {
    /// The pattern that gets its token first, and the variables that get a colour by it.
    given: Option<(ColourTerm, Vec<VariableId>)>,
    pub(super) moves: Vec<Move>,
}

/// What a plan is made from.
#[derive(Clone, Debug)]
pub struct Patterns<'a> {
    sorts: &'a Sorts,
    variables: &'a [Variable],
    transition: &'a ColouredTransition,
    /// The patterns of the transition's input arcs.
    pub patterns: Vec<Pattern>,
}

impl<'a> Patterns<'a> {
    pub(in crate::coloured) fn new(
        sorts: &'a Sorts,
        variables: &'a [Variable],
        transition: &'a ColouredTransition,
        sort_of: impl Fn(PlaceId) -> SortId,
    ) -> Self {
        let mut patterns: Vec<Pattern> = Vec::new();
        for arc in &transition.pre {
            for (term, _) in Members::of(&arc.term, sort_of(arc.place), sorts).terms {
                let pattern = Pattern { place: arc.place, term };
                if !patterns.contains(&pattern) {
                    patterns.push(pattern);
                }
            }
        }
        Self { sorts, variables, transition, patterns }
    }

    /// A plan, where the token of pattern `given` is known first.
    pub fn plan(&self, given: Option<usize>) -> MatchingPlan {
        let mut planner = Planner {
            of: self,
            known: vec![false; self.variables.len()],
            patterns: (0..self.patterns.len()).filter(|&at| Some(at) != given).collect(),
            guards: conjuncts(&self.transition.guard),
            moves: Vec::new(),
        };
        let given = given.map(|at| {
            let term = &self.patterns[at].term;
            (term.clone(), planner.bind(term))
        });
        while planner.next() {}
        MatchingPlan { given, moves: planner.moves }
    }
}

/// The parts of a guard that must all be true.
fn conjuncts(guard: &Guard) -> Vec<&Guard> {
    match guard {
        Guard::And(guards) => guards.iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}

/// A plan that is being made.
struct Planner<'a, 'p> {
    of: &'p Patterns<'a>,
    known: Vec<bool>,
    /// Patterns and parts of the guard that are left.
    patterns: Vec<usize>,
    guards: Vec<&'a Guard>,
    moves: Vec<Move>,
}

impl<'a> Planner<'a, '_> {
    /// Adds the best move; `false` when nothing is left.
    fn next(&mut self) -> bool {
        self.test() || self.present() || self.equal() || self.token() || self.any()
    }

    fn open(&self, term: &ColourTerm) -> Vec<VariableId> {
        let mut open = Vec::new();
        term.variables(&mut |v| {
            if !self.known[v.index()] && !open.contains(&v) {
                open.push(v);
            }
        });
        open
    }

    /// The open variables of a term; they are known from now on.
    fn bind(&mut self, term: &ColourTerm) -> Vec<VariableId> {
        let open = self.open(term);
        open.iter().for_each(|v| self.known[v.index()] = true);
        open
    }

    fn test(&mut self) -> bool {
        let known = |guard: &&Guard| {
            let mut all = true;
            guard.variables(&mut |v| all &= self.known[v.index()]);
            all
        };
        let Some(at) = self.guards.iter().position(known) else { return false };
        let guard = self.guards.swap_remove(at);
        self.moves.push(Move::Test(guard.clone()));
        true
    }

    fn present(&mut self) -> bool {
        let known = |&at: &usize| self.open(&self.of.patterns[at].term).is_empty();
        let Some(at) = self.patterns.iter().position(known) else { return false };
        let pattern = self.patterns.swap_remove(at);
        let Pattern { place, term } = self.of.patterns[pattern].clone();
        self.moves.push(Move::Present { pattern, place, term });
        true
    }

    fn equal(&mut self) -> bool {
        type Side = (SortId, ColourTerm);
        let useful = |(from, to): (&'a Side, &'a Side)| {
            (self.open(&from.1).is_empty() && to.1.is_invertible()).then_some((from, to))
        };
        let found = self.guards.iter().enumerate().find_map(|(at, guard)| match guard {
            Guard::Compare(Comparison::Equal, a, b) => {
                useful((a, b)).or_else(|| useful((b, a))).map(|sides| (at, sides))
            }
            _ => None,
        });
        let Some((at, (from, to))) = found else { return false };
        self.guards.swap_remove(at);
        let binds = self.bind(&to.1);
        self.moves.push(Move::Equal { from: from.clone(), to: to.clone(), binds });
        true
    }

    fn size(&self, variable: VariableId) -> u64 {
        self.of.sorts[self.of.variables[variable.index()].sort].size()
    }

    fn token(&mut self) -> bool {
        let left = |&at: &usize| {
            let open = self.open(&self.of.patterns[at].term);
            open.iter().fold(1, |n: u64, &v| n.saturating_mul(self.size(v)))
        };
        let best = (0..self.patterns.len()).min_by_key(|&at| (left(&self.patterns[at]), self.patterns[at]));
        let Some(at) = best else { return false };
        let pattern = self.patterns.swap_remove(at);
        let Pattern { place, term } = self.of.patterns[pattern].clone();
        let mask = self.mask(&term);
        let binds = self.bind(&term);
        self.moves.push(Move::Token { pattern, place, term, mask, binds });
        true
    }

    /// The components of a term whose variables are known.
    fn mask(&self, term: &ColourTerm) -> u64 {
        let ColourTerm::Tuple(_, terms) = term else { return 0 };
        let known = |(_, term): &(usize, &ColourTerm)| self.open(term).is_empty();
        terms.iter().enumerate().take(63).filter(known).map(|(at, _)| 1 << at).sum()
    }

    fn any(&mut self) -> bool {
        let open = self.of.transition.variables().iter().copied().filter(|v| !self.known[v.index()]);
        let Some(variable) = open.min_by_key(|&v| (self.size(v), v)) else { return false };
        self.known[variable.index()] = true;
        self.moves.push(Move::Any { variable, size: self.size(variable) });
        true
    }
}

impl MatchingPlan {
    /// Whether a pattern gets its token first.
    pub fn needs_token(&self) -> bool {
        self.given.is_some()
    }

    /// The places and known components that searches will ask for.
    pub fn lookups(&self) -> impl Iterator<Item = (PlaceId, u64)> {
        self.moves.iter().filter_map(|step| match step {
            Move::Token { place, mask, .. } if *mask != 0 => Some((*place, *mask)),
            _ => None,
        })
    }

    /// A search for all bindings, or those where the token of the given pattern has the colour `given`.
    pub fn search<'a>(
        &'a self,
        sorts: &'a Sorts,
        given: Option<Colour>,
        slots: &mut [Option<Colour>],
    ) -> BindingSearch<'a> {
        slots.fill(None);
        let fits = match (&self.given, given) {
            (Some((term, _)), Some(colour)) => term.unify(sorts, colour, slots),
            (None, None) => true,
            _ => panic!("a plan with a given pattern needs a colour for it, and no other does"),
        };
        BindingSearch::new(sorts, self, fits)
    }
}
