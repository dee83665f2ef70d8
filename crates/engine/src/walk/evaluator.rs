//! Incremental evaluation of goals along a run: each goal is evaluated again only when the value of one of its atoms changed.
//!
//! A goal is a tree over atoms, which goals share. An atom that is linear in the tokens keeps its sum, a fireability atom
//! the number of its enabled transitions; an index gives the atoms that depend on a place or a transition. So thousands of
//! goals cost little while their atoms do not change.
//!
//! Invariants: (1) after each call the numbers and values of all atoms are those of the game's marking; (2) a goal
//! that is true in the marking after a firing, and was not before, is listed. Test: below, against the goals' formulas.

use std::collections::HashMap;

use fireset_net::{
    BoolTree, PlaceId, Rows, StatePredicate,
    token_game::{Displacement, TokenChange, TokenGame},
};

use crate::{
    distance::{FAR, gap, gap_between, missing, tree_distance},
    search::{PredicateAtom, compile, sum},
};

#[derive(Clone, Copy, Debug)]
pub(super) struct WalkGoal<'q> {
    pub(super) predicate: &'q StatePredicate,
    /// The value of the predicate that a run has to reach.
    pub(super) want: bool,
}

/// Whether a firing was made or taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FiringDirection {
    Forth,
    Back,
}

/// A Boolean combination of atoms, by their indices.
pub(super) type GoalTree = BoolTree<u32>;

/// Goals with the values of their atoms in the current marking of a token game.
#[derive(Clone, Debug)]
pub(super) struct GoalEvaluator {
    pub(super) atoms: Vec<PredicateAtom>,
    /// For each goal its tree and the value that the tree has to have.
    pub(super) goals: Vec<(GoalTree, bool)>,
    /// By atom: the sum, or the number of its enabled transitions.
    numbers: Vec<i128>,
    values: Vec<bool>,
    /// Numbers and values in the initial marking.
    initial: (Vec<i128>, Vec<bool>),
    /// By place, the linear atoms over it with its factor; and the nonlinear ones.
    linear: Rows<(u32, i64)>,
    nonlinear: Rows<u32>,
    /// By transition, the fireability atoms over it.
    fireable: Rows<u32>,
    deadlock: Option<u32>,
    /// By atom, the goals that contain it.
    users: Rows<u32>,
    /// The goals of which some atom changed.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// By how much a run changes linear atoms, for [`repetitions_to_change`](Self::repetitions_to_change).
    slopes: Vec<(u32, i128)>,
}

impl GoalEvaluator {
    /// Evaluates goals in the initial marking, in which the game is.
    pub(super) fn new(goals: &[WalkGoal<'_>], game: &TokenGame<'_>) -> Self {
        let mut collector = AtomCollector::default();
        let trees: Vec<(GoalTree, bool)> =
            goals.iter().map(|goal| (collector.tree(goal.predicate), goal.want)).collect();
        let atoms = collector.atoms;
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); atoms.len()];
        for (goal, (tree, _)) in trees.iter().enumerate() {
            tree.atoms(&mut |&atom| {
                let users = &mut users[atom as usize];
                if users.last() != Some(&(goal as u32)) {
                    users.push(goal as u32);
                }
            });
        }
        let (places, transitions) = (game.table.places(), game.table.transitions());
        let (mut linear, mut nonlinear, mut fireable) = (Vec::new(), Vec::new(), Vec::new());
        for (at, atom) in atoms.iter().enumerate() {
            let at = at as u32;
            match atom {
                PredicateAtom::Deadlock | PredicateAtom::BindingFireable(_) => {}
                PredicateAtom::Fireable(ts) => fireable.extend(ts.iter().map(|&t| (t.index(), at))),
                PredicateAtom::Linear(_, terms, _) => {
                    linear.extend(terms.iter().map(|&(p, f)| (p.index(), (at, f))))
                }
                PredicateAtom::Nonlinear(..) => {
                    atom.counted_places(&mut |p| nonlinear.push((p.index(), at)));
                }
            }
        }
        let deadlock =
            atoms.iter().position(|atom| matches!(atom, PredicateAtom::Deadlock)).map(|at| at as u32);
        let mut evaluator = Self {
            numbers: vec![0; atoms.len()],
            values: vec![false; atoms.len()],
            initial: Default::default(),
            linear: Rows::group(places, linear.into_iter()),
            nonlinear: Rows::group(places, nonlinear.into_iter()),
            fireable: Rows::group(transitions, fireable.into_iter()),
            deadlock,
            users: users.into_iter().collect(),
            touched: Vec::new(),
            is_touched: vec![false; trees.len()],
            slopes: Vec::new(),
            goals: trees,
            atoms,
        };
        evaluator.stand(game);
        evaluator.initial = (evaluator.numbers.clone(), evaluator.values.clone());
        evaluator
    }

    /// Evaluates all atoms from scratch in the marking of a game.
    pub(super) fn stand(&mut self, game: &TokenGame<'_>) {
        for at in 0..self.atoms.len() {
            self.numbers[at] = number(&self.atoms[at], game);
            self.values[at] = self.value(at, game);
        }
    }

    /// Follows the game back to its initial marking.
    pub(super) fn restart(&mut self) {
        self.numbers.clone_from(&self.initial.0);
        self.values.clone_from(&self.initial.1);
    }

    /// Whether a goal is met in the marking after the last update.
    pub(super) fn is_met(&self, goal: usize) -> bool {
        let (tree, want) = &self.goals[goal];
        tree.value(&mut |&atom| self.values[atom as usize]) == *want
    }

    /// Whether a goal is met in the marking of any game, evaluated from scratch.
    pub(super) fn is_met_in(&self, goal: usize, game: &TokenGame<'_>) -> bool {
        let (tree, want) = &self.goals[goal];
        tree.value(&mut |&atom| {
            let atom = &self.atoms[atom as usize];
            value(atom, number(atom, game), game)
        }) == *want
    }

    /// Follows a firing that the game has made; lists in `met` the goals that are true now and may not have been
    /// before.
    pub(super) fn follow(&mut self, transition: u32, game: &TokenGame<'_>, met: &mut Vec<u32>) {
        self.follow_run(game.table.firing(transition), game, met);
    }

    /// The same for a run that the game has repeated; only the marking after it counts.
    pub(super) fn follow_run(&mut self, run: Displacement<'_>, game: &TokenGame<'_>, met: &mut Vec<u32>) {
        self.update(run, FiringDirection::Forth, game);
        met.clear();
        while let Some(goal) = self.touched.pop() {
            self.is_touched[goal as usize] = false;
            if self.is_met(goal as usize) {
                met.push(goal);
            }
        }
    }

    /// Follows a run that the game has taken back.
    pub(super) fn retreat(&mut self, run: Displacement<'_>, game: &TokenGame<'_>) {
        self.update(run, FiringDirection::Back, game);
        while let Some(goal) = self.touched.pop() {
            self.is_touched[goal as usize] = false;
        }
    }

    /// Which goals are met, the first in the lowest bit.
    pub(super) fn met(&self) -> u64 {
        debug_assert!(self.goals.len() <= u64::BITS as usize, "a bit for each goal");
        (0..self.goals.len()).filter(|&goal| self.is_met(goal)).fold(0, |met, goal| met | 1 << goal)
    }

    /// Follows a firing that the game has made or taken back, and brings [`met`](Self::met) up to date.
    pub(super) fn follow_met(
        &mut self,
        transition: u32,
        direction: FiringDirection,
        game: &TokenGame<'_>,
        met: &mut u64,
    ) {
        self.update(game.table.firing(transition), direction, game);
        while let Some(goal) = self.touched.pop() {
            self.is_touched[goal as usize] = false;
            let bit = 1 << goal;
            *met = if self.is_met(goal as usize) { *met | bit } else { *met & !bit };
        }
    }

    /// Brings numbers and values up to date after a run or its opposite.
    fn update(&mut self, run: Displacement<'_>, direction: FiringDirection, game: &TokenGame<'_>) {
        for change in run.total() {
            let amount = if direction == FiringDirection::Back { -change.amount() } else { change.amount() };
            for at in 0..self.linear[change.place as usize].len() {
                let (atom, factor) = self.linear[change.place as usize][at];
                self.numbers[atom as usize] += i128::from(factor) * amount;
                self.reevaluate(atom, game);
            }
            for at in 0..self.nonlinear[change.place as usize].len() {
                self.reevaluate(self.nonlinear[change.place as usize][at], game);
            }
        }
        for &(transition, enabled) in game.flips() {
            for at in 0..self.fireable[transition as usize].len() {
                let atom = self.fireable[transition as usize][at];
                self.numbers[atom as usize] += if enabled { 1 } else { -1 };
                self.reevaluate(atom, game);
            }
        }
        if let Some(atom) = self.deadlock {
            self.reevaluate(atom, game);
        }
    }

    /// Evaluates an atom again, whose place or transition changed.
    #[inline]
    fn reevaluate(&mut self, atom: u32, game: &TokenGame<'_>) {
        let value = self.value(atom as usize, game);
        if self.values[atom as usize] == value {
            return;
        }
        self.values[atom as usize] = value;
        for &goal in &self.users[atom as usize] {
            if !std::mem::replace(&mut self.is_touched[goal as usize], true) {
                self.touched.push(goal);
            }
        }
    }

    #[inline]
    fn value(&self, atom: usize, game: &TokenGame<'_>) -> bool {
        value(&self.atoms[atom], self.numbers[atom], game)
    }

    /// Applies changes to the sums, or undoes that; the values of atoms stay.
    pub(super) fn shift(&mut self, run: Displacement<'_>, back: bool) {
        for change in run.total() {
            let amount = if back { -change.amount() } else { change.amount() };
            for &(atom, factor) in &self.linear[change.place as usize] {
                self.numbers[atom as usize] += i128::from(factor) * amount;
            }
        }
    }

    /// The first number of repetitions of a run after which a linear atom may have another value, since its sum has come to zero or past
    /// it; `None` where none moves towards zero. A nonlinear atom may change at once.
    pub(super) fn repetitions_to_change(&mut self, changes: &[TokenChange]) -> Option<u64> {
        let mut slopes = std::mem::take(&mut self.slopes);
        slopes.clear();
        let mut any_nonlinear = false;
        for change in changes {
            let place = change.place as usize;
            slopes
                .extend(self.linear[place].iter().map(|&(atom, f)| (atom, i128::from(f) * change.amount())));
            any_nonlinear |= !self.nonlinear[place].is_empty();
        }
        slopes.sort_unstable();
        let first = slopes.chunk_by(|a, b| a.0 == b.0).filter_map(|of_atom| {
            let slope: i128 = of_atom.iter().map(|&(_, slope)| slope).sum();
            let number = self.numbers[of_atom[0].0 as usize];
            let moves = slope != 0 && (number == 0 || (number > 0) != (slope > 0));
            let count = number.unsigned_abs().div_ceil(slope.unsigned_abs().max(1)).max(1);
            moves.then(|| u64::try_from(count).unwrap_or(u64::MAX))
        });
        let first = first.chain(any_nonlinear.then_some(1)).min();
        self.slopes = slopes;
        first
    }

    /// An estimate of the tokens that are in the wrong place for a goal; zero where it is met.
    pub(super) fn distance(&self, goal: usize, game: &TokenGame<'_>) -> u64 {
        let (tree, want) = &self.goals[goal];
        self.distance_to(tree, *want, game)
    }

    /// The distance to a marking in which a tree has a value.
    pub(super) fn distance_to(&self, tree: &GoalTree, want: bool, game: &TokenGame<'_>) -> u64 {
        tree_distance(tree, want, &|&atom: &u32, want| {
            atom_distance(&self.atoms[atom as usize], self.numbers[atom as usize], want, game)
        })
    }

    /// The sum of a linear atom, or the number of enabled transitions of a fireability atom.
    pub(super) fn number(&self, atom: u32) -> i128 {
        self.numbers[atom as usize]
    }
}

/// The number that decides an atom, from scratch.
fn number(atom: &PredicateAtom, game: &TokenGame<'_>) -> i128 {
    match atom {
        PredicateAtom::Deadlock | PredicateAtom::BindingFireable(_) | PredicateAtom::Nonlinear(..) => 0,
        PredicateAtom::Fireable(ts) => {
            ts.iter().filter(|t| game.is_enabled(t.index() as u32)).count() as i128
        }
        PredicateAtom::Linear(_, terms, constant) => sum(terms, *constant, |p| game.tokens()[p.index()]),
    }
}

/// The value of an atom, from the number that decides it.
#[inline]
fn value(atom: &PredicateAtom, number: i128, game: &TokenGame<'_>) -> bool {
    match atom {
        PredicateAtom::Deadlock => game.is_deadlock(),
        PredicateAtom::Fireable(_) => number > 0,
        PredicateAtom::BindingFireable(_) => unreachable!("walks on coloured nets have another evaluator"),
        PredicateAtom::Linear(how, ..) => how.holds(&number, &0),
        PredicateAtom::Nonlinear(how, sides) => {
            sides.0.compare(*how, &sides.1, &|p: PlaceId| u128::from(game.tokens()[p.index()]))
        }
    }
}

fn atom_distance(atom: &PredicateAtom, number: i128, want: bool, game: &TokenGame<'_>) -> u64 {
    let tokens = |p: PlaceId| game.tokens()[p.index()];
    match atom {
        PredicateAtom::Deadlock if want => game.enabled().len() as u64,
        PredicateAtom::Deadlock => u64::from(game.is_deadlock()),
        PredicateAtom::Fireable(ts) if want => {
            ts.iter().map(|&t| missing(game.table.net, t, &tokens)).min().unwrap_or(FAR)
        }
        PredicateAtom::Fireable(_) => self::number(atom, game) as u64,
        PredicateAtom::Linear(how, ..) => gap_between(*how, number, 0, want),
        PredicateAtom::BindingFireable(_) => 1,
        PredicateAtom::Nonlinear(how, sides) => {
            gap(*how, &sides.0, &sides.1, want, &|p| u128::from(tokens(p)))
        }
    }
}

/// Calls `visit` with each place on which an atom depends.
pub(super) fn places(atom: &PredicateAtom, game: &TokenGame<'_>, visit: &mut impl FnMut(PlaceId)) {
    let net = game.table.net;
    match atom {
        PredicateAtom::Fireable(ts) => {
            let arcs = ts.iter().flat_map(|&t| net.pre(t).iter().chain(net.inhibitors(t)));
            arcs.for_each(|arc| visit(arc.place));
        }
        comparison => comparison.counted_places(visit),
    }
}

/// Numbers the atoms of predicates; equal atoms get one number.
#[derive(Default)]
struct AtomCollector {
    atoms: Vec<PredicateAtom>,
    known: HashMap<PredicateAtom, u32>,
}

impl AtomCollector {
    fn tree(&mut self, predicate: &StatePredicate) -> GoalTree {
        compile(predicate).map(&mut |atom| BoolTree::Atom(self.number(atom)))
    }

    fn number(&mut self, atom: &PredicateAtom) -> u32 {
        let next = self.atoms.len() as u32;
        *self.known.entry(atom.clone()).or_insert_with(|| {
            self.atoms.push(atom.clone());
            next
        })
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{Marking, replay};
    use fireset_oracle::random::{self, NetShape, TestRng};

    use fireset_net::token_game::TokenGameTable;

    use super::*;

    #[test]
    fn goals_have_the_values_of_their_formulas() {
        let mut met = 0;
        for seed in 0..1_000 {
            let mut random = TestRng::new(seed);
            let inhibitors = if random.percent(50) { 50 } else { 0 };
            let net = random::net(&mut random, &NetShape { inhibitors, ..NetShape::default() });
            let predicates: Vec<StatePredicate> =
                (0..6).map(|depth| random::predicate(&mut random, net.nodes(), depth)).collect();
            let goals: Vec<WalkGoal<'_>> =
                predicates.iter().map(|predicate| WalkGoal { predicate, want: random.percent(50) }).collect();
            let table = TokenGameTable::new(&net);
            let mut game = TokenGame::new(&table);
            let mut evaluator = GoalEvaluator::new(&goals, &game);
            let mut listed = Vec::new();
            let mut before = vec![true; goals.len()];
            for _ in 0..30 {
                let marking = Marking(game.tokens().into());
                for (at, goal) in goals.iter().enumerate() {
                    let expected = replay::holds_in(&net, &marking, goal.predicate) == goal.want;
                    assert_eq!(evaluator.is_met(at), expected, "seed {seed}: {goal:?}");
                    assert_eq!(evaluator.is_met_in(at, &game), expected, "seed {seed}: {goal:?}");
                    assert_eq!(evaluator.distance(at, &game) == 0, expected, "seed {seed}: {goal:?}");
                    assert!(
                        !expected || before[at] || listed.contains(&(at as u32)),
                        "seed {seed}: {goal:?}"
                    );
                    before[at] = expected;
                    met += usize::from(expected);
                }
                if game.is_deadlock() {
                    game.restart();
                    evaluator.restart();
                    before.fill(true);
                    continue;
                }
                let transition = *random.pick(game.enabled());
                assert!(game.fire(transition));
                // A shift that is taken back leaves no trace.
                evaluator.shift(table.firing(transition), false);
                evaluator.shift(table.firing(transition), true);
                evaluator.follow(transition, &game, &mut listed);
                if random.percent(30) {
                    game.undo(transition);
                    evaluator.retreat(table.firing(transition), &game);
                    before.fill(true);
                }
            }
        }
        assert!(met > 10_000, "only {met} were met");
    }
}
