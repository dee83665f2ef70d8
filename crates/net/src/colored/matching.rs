//! Bindings found from tokens: the variables of a transition get their colours from the tokens that it could take.
//!
//! Why: trying every combination of colours takes as long as there are combinations, and most of them lack a token.
//! A [`Plan`] is made once; a [`Search`] goes through its moves by backtracking. Of what is left, the tokens with the
//! fewest open variables come first; parts of the guard are tested as soon as their variables are known, and
//! equalities of the guard give colours; variables that no token gives a colour are tried last.
//!
//! Invariants: 1. every binding for which the guard is true and a token of each pattern is supplied is found, and only
//! those; 2. each is found once, because a move never offers the same colours twice.
//! Cost: the partial bindings on the way. Test: `tests/reference/colored.rs`, against trying all bindings.

use super::{
    Color, ColorTerm, ColoredTransition, Guard, Members, Ordering, SortKind, Sorts, Variable, members::known,
};
use crate::{PlaceId, SortId, VariableId};

/// A colour that a transition takes from a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The place.
    pub place: PlaceId,
    /// The colour.
    pub term: ColorTerm,
}

/// What a move asks for: tokens of a place for a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The number of the pattern.
    pub pattern: usize,
    /// Its place.
    pub place: PlaceId,
    /// The components of the colour that are known already, as bits.
    pub mask: u64,
    /// What they are: [`project`] of the colour.
    pub key: u64,
}

/// Where tokens come from. The order of candidates is fixed; more of them may come behind the last.
pub trait Supply {
    /// Whether there is such a token for a pattern.
    fn has(&self, pattern: usize, place: PlaceId, color: Color) -> bool;

    /// A token for a pattern; all that agree in the known components are among them, each once.
    fn candidate(&self, at: &Lookup, number: u64) -> Option<Color>;
}

/// The components of a colour that are in `mask`, as one number.
pub fn project(sorts: &Sorts, sort: SortId, color: Color, mask: u64) -> u64 {
    let SortKind::Product(parts) = &sorts[sort].kind else { return 0 };
    let (mut rest, mut key, mut unit) = (color.0, 0, 1);
    for (at, &part) in parts.iter().enumerate().rev() {
        let size = sorts[part].size();
        if mask >> at.min(63) & 1 == 1 {
            key += rest % size * unit;
            unit *= size;
        }
        rest /= size;
    }
    key
}

/// One move of a plan. Variables in `binds` have no colour before it, and have one after it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Move {
    /// A token gives the variables of a pattern their colours.
    Token { pattern: usize, place: PlaceId, term: ColorTerm, mask: u64, binds: Vec<VariableId> },
    /// A token is there.
    Present { pattern: usize, place: PlaceId, term: ColorTerm },
    /// A side of an equality gives the variables of the other their colours.
    Equal { from: (SortId, ColorTerm), to: (SortId, ColorTerm), binds: Vec<VariableId> },
    /// A part of the guard is true.
    Test(Guard),
    /// A variable has any colour.
    Any { variable: VariableId, size: u64 },
}

/// The order in which the variables of a transition get their colours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The pattern that gets its token first, and the variables that get a colour by it.
    given: Option<(ColorTerm, Vec<VariableId>)>,
    moves: Vec<Move>,
}

/// What a plan is made from.
#[derive(Clone, Debug)]
pub struct Patterns<'a> {
    sorts: &'a Sorts,
    variables: &'a [Variable],
    transition: &'a ColoredTransition,
    /// The patterns of the transition's input arcs.
    pub patterns: Vec<Pattern>,
}

impl<'a> Patterns<'a> {
    pub(super) fn new(
        sorts: &'a Sorts,
        variables: &'a [Variable],
        transition: &'a ColoredTransition,
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
    pub fn plan(&self, given: Option<usize>) -> Plan {
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
        Plan { given, moves: planner.moves }
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

    fn open(&self, term: &ColorTerm) -> Vec<VariableId> {
        let mut open = Vec::new();
        term.variables(&mut |v| {
            if !self.known[v.index()] && !open.contains(&v) {
                open.push(v);
            }
        });
        open
    }

    /// The open variables of a term; they are known from now on.
    fn bind(&mut self, term: &ColorTerm) -> Vec<VariableId> {
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
        type Side = (SortId, ColorTerm);
        let useful = |(from, to): (&'a Side, &'a Side)| {
            (self.open(&from.1).is_empty() && to.1.is_invertible()).then_some((from, to))
        };
        let found = self.guards.iter().enumerate().find_map(|(at, guard)| match guard {
            Guard::Compare(Ordering::Equal, a, b) => {
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
    fn mask(&self, term: &ColorTerm) -> u64 {
        let ColorTerm::Tuple(_, terms) = term else { return 0 };
        let known = |(_, term): &(usize, &ColorTerm)| self.open(term).is_empty();
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

/// How far a search came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The slots hold a binding that was not there before.
    Found,
    /// There is no other.
    Done,
    /// The fuel is used up; it can go on.
    Paused,
}

/// A search along a plan. Slots hold the colours of variables by number.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    sorts: &'a Sorts,
    plan: &'a Plan,
    /// How many ways of each move on the path were tried.
    tried: Vec<u64>,
    done: bool,
}

impl Plan {
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
        given: Option<Color>,
        slots: &mut [Option<Color>],
    ) -> Search<'a> {
        slots.fill(None);
        let fits = match (&self.given, given) {
            (Some((term, _)), Some(color)) => term.unify(sorts, color, slots),
            (None, None) => true,
            _ => panic!("a plan with a given pattern needs a colour for it, and no other does"),
        };
        Search { sorts, plan: self, tried: vec![0], done: !fits }
    }
}

impl Search<'_> {
    /// Goes on to the next binding. Each thing tried takes one of `fuel`.
    pub fn next(&mut self, supply: &impl Supply, slots: &mut [Option<Color>], fuel: &mut u64) -> Progress {
        while !self.done {
            if *fuel == 0 {
                return Progress::Paused;
            }
            *fuel -= 1;
            if self.tried.len() > self.plan.moves.len() {
                // A binding was found here, and the search goes on behind it; with `tried` 0 it is new.
                let last = self.tried.last_mut().expect("the path is not empty");
                *last += 1;
                if *last == 1 {
                    return Progress::Found;
                }
                self.back();
                continue;
            }
            match self.advance(supply, slots) {
                Try::Fits => self.tried.push(0),
                Try::Fails => {}
                Try::None => self.back(),
            }
        }
        Progress::Done
    }

    fn back(&mut self) {
        self.tried.pop();
        self.done = self.tried.is_empty();
    }

    /// Tries the next way of the last move on the path.
    fn advance(&mut self, supply: &impl Supply, slots: &mut [Option<Color>]) -> Try {
        let step = &self.plan.moves[self.tried.len() - 1];
        let tried = self.tried.last_mut().expect("the path is not empty");
        *tried += 1;
        let number = *tried - 1;
        let sorts = self.sorts;
        if number > 0 && !matches!(step, Move::Token { .. } | Move::Any { .. }) {
            return Try::None;
        }
        let fits = match step {
            Move::Token { pattern, place, term, mask, binds } => {
                binds.iter().for_each(|v| slots[v.index()] = None);
                let key = key(sorts, term, *mask, slots);
                let lookup = Lookup { pattern: *pattern, place: *place, mask: *mask, key };
                let Some(color) = supply.candidate(&lookup, number) else { return Try::None };
                term.unify(sorts, color, slots)
            }
            Move::Present { pattern, place, term } => {
                supply.has(*pattern, *place, term.value(sorts, &known(slots)))
            }
            Move::Equal { from, to, binds } => {
                binds.iter().for_each(|v| slots[v.index()] = None);
                equate(sorts, from, to, slots)
            }
            Move::Test(guard) => guard.holds(sorts, &known(slots)),
            Move::Any { size, .. } if number == *size => return Try::None,
            Move::Any { variable, .. } => {
                slots[variable.index()] = Some(Color(number));
                true
            }
        };
        if fits { Try::Fits } else { Try::Fails }
    }
}

/// What a way of a move comes to.
enum Try {
    Fits,
    Fails,
    /// There is no other way.
    None,
}

/// The known components of a tuple, as [`project`] gives them for a colour.
fn key(sorts: &Sorts, term: &ColorTerm, mask: u64, slots: &[Option<Color>]) -> u64 {
    let ColorTerm::Tuple(sort, terms) = term else { return 0 };
    let SortKind::Product(parts) = &sorts[*sort].kind else { panic!("a tuple has a product sort") };
    let (mut key, mut unit) = (0, 1);
    for (at, (term, &part)) in terms.iter().zip(parts).enumerate().rev() {
        if mask >> at.min(63) & 1 == 1 {
            key += term.value(sorts, &known(slots)).0 * unit;
            unit *= sorts[part].size();
        }
    }
    key
}

/// Gives the variables of `to` the colours for which both sides are equal.
fn equate(
    sorts: &Sorts,
    from: &(SortId, ColorTerm),
    to: &(SortId, ColorTerm),
    slots: &mut [Option<Color>],
) -> bool {
    let rank = sorts.rank(from.0, from.1.value(sorts, &known(slots)));
    let color = rank - sorts.rank(to.0, Color(0));
    match u64::try_from(color) {
        Ok(color) if color < sorts[to.0].size() => to.1.unify(sorts, Color(color), slots),
        _ => false,
    }
}
