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
    Comparison, Expr, Formula, PlaceId, Rows, TransitionId,
    token_game::{TokenChange, TokenGame},
};

use crate::{
    boolean::BoolTree,
    distance::{FAR, gap, gap_between, missing},
    search::Predicate,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct WalkGoal<'q> {
    pub(super) formula: &'q Formula,
    /// The value of the formula that a run has to reach.
    pub(super) want: bool,
}

#[derive(Clone, Debug)]
pub(super) enum GoalAtom {
    Deadlock,
    /// Some of these transitions is enabled.
    Fireable(Box<[u32]>),
    /// How the sum of factors times tokens and a constant compares with zero.
    Linear(Comparison, Box<[(PlaceId, i64)]>, i128),
    /// A comparison that is not linear, or has large numbers.
    Compare(Comparison, Expr, Expr),
}

/// A Boolean combination of atoms, by their indices.
pub(super) type GoalTree = BoolTree<u32>;

/// Goals with the values of their atoms in the current marking of a token game.
#[derive(Clone, Debug)]
pub(super) struct GoalEvaluator {
    pub(super) atoms: Vec<GoalAtom>,
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
}

impl GoalEvaluator {
    /// Evaluates goals in the initial marking, in which the game is.
    pub(super) fn new(goals: &[WalkGoal<'_>], game: &TokenGame<'_>) -> Self {
        let mut collector = AtomCollector::default();
        let trees: Vec<(GoalTree, bool)> =
            goals.iter().map(|goal| (collector.node(goal.formula), goal.want)).collect();
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
                GoalAtom::Deadlock => {}
                GoalAtom::Fireable(ts) => fireable.extend(ts.iter().map(|&t| (t as usize, at))),
                GoalAtom::Linear(_, terms, _) => {
                    linear.extend(terms.iter().map(|&(p, f)| (p.index(), (at, f))))
                }
                GoalAtom::Compare(_, a, b) => {
                    a.places(&mut |p| nonlinear.push((p.index(), at)));
                    b.places(&mut |p| nonlinear.push((p.index(), at)));
                }
            }
        }
        let deadlock = atoms.iter().position(|atom| matches!(atom, GoalAtom::Deadlock)).map(|at| at as u32);
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
            goals: trees,
            atoms,
        };
        for at in 0..evaluator.atoms.len() {
            evaluator.numbers[at] = evaluator.atoms[at].number(game);
            evaluator.values[at] = evaluator.value(at, game);
        }
        evaluator.initial = (evaluator.numbers.clone(), evaluator.values.clone());
        evaluator
    }

    /// Follows the game back to its initial marking.
    pub(super) fn restart(&mut self) {
        self.numbers.clone_from(&self.initial.0);
        self.values.clone_from(&self.initial.1);
    }

    /// Whether a goal is met in the marking after the last update.
    pub(super) fn is_met(&self, goal: usize) -> bool {
        let (tree, want) = &self.goals[goal];
        tree.value(&|&atom| self.values[atom as usize]) == *want
    }

    /// Whether a goal is met in the marking of any game, evaluated from scratch.
    pub(super) fn is_met_in(&self, goal: usize, game: &TokenGame<'_>) -> bool {
        let (tree, want) = &self.goals[goal];
        let value = |&atom: &u32| {
            let atom = &self.atoms[atom as usize];
            atom.value(atom.number(game), game)
        };
        tree.value(&value) == *want
    }

    /// Follows a firing that the game has made; lists in `met` the goals that are true now and may not have been
    /// before.
    pub(super) fn follow(&mut self, transition: u32, game: &TokenGame<'_>, met: &mut Vec<u32>) {
        self.update(transition, false, game);
        met.clear();
        while let Some(goal) = self.touched.pop() {
            self.is_touched[goal as usize] = false;
            if self.is_met(goal as usize) {
                met.push(goal);
            }
        }
    }

    /// Follows a firing that the game has taken back.
    pub(super) fn retreat(&mut self, transition: u32, game: &TokenGame<'_>) {
        self.update(transition, true, game);
        while let Some(goal) = self.touched.pop() {
            self.is_touched[goal as usize] = false;
        }
    }

    /// Brings numbers and values up to date after a firing or its opposite.
    fn update(&mut self, transition: u32, back: bool, game: &TokenGame<'_>) {
        for &change in game.table.changes(transition) {
            let amount = if back { -change.amount() } else { change.amount() };
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
        self.atoms[atom].value(self.numbers[atom], game)
    }

    /// Applies changes to the sums, or undoes that; the values of atoms stay.
    pub(super) fn shift(&mut self, changes: &[TokenChange], back: bool) {
        for change in changes {
            let amount = if back { -change.amount() } else { change.amount() };
            for &(atom, factor) in &self.linear[change.place as usize] {
                self.numbers[atom as usize] += i128::from(factor) * amount;
            }
        }
    }

    /// An estimate of the tokens that are in the wrong place for a goal; zero where it is met.
    pub(super) fn distance(&self, goal: usize, game: &TokenGame<'_>) -> u64 {
        let (tree, want) = &self.goals[goal];
        self.distance_to(tree, *want, game)
    }

    /// The distance to a marking in which a tree has a value.
    pub(super) fn distance_to(&self, node: &GoalTree, want: bool, game: &TokenGame<'_>) -> u64 {
        let to = |node: &GoalTree, want| self.distance_to(node, want, game);
        match node {
            GoalTree::Atom(atom) => {
                let number = self.numbers[*atom as usize];
                self.atoms[*atom as usize].distance(number, want, game)
            }
            GoalTree::Not(node) => to(node, !want),
            GoalTree::And(nodes) | GoalTree::Or(nodes) if matches!(node, GoalTree::And(_)) == want => {
                nodes.iter().fold(0, |sum: u64, node| (sum + to(node, want)).min(FAR))
            }
            GoalTree::And(nodes) | GoalTree::Or(nodes) => {
                nodes.iter().map(|node| to(node, want)).min().unwrap_or(FAR)
            }
            GoalTree::Iff(sides) => {
                let both = |a, b| (to(&sides.0, a) + to(&sides.1, b)).min(FAR);
                both(true, want).min(both(false, !want))
            }
        }
    }

    /// The sum of a linear atom, or the number of enabled transitions of a fireability atom.
    pub(super) fn number(&self, atom: u32) -> i128 {
        self.numbers[atom as usize]
    }
}

impl GoalAtom {
    /// The number that decides it, from scratch.
    fn number(&self, game: &TokenGame<'_>) -> i128 {
        match self {
            Self::Deadlock | Self::Compare(..) => 0,
            Self::Fireable(ts) => ts.iter().filter(|&&t| game.is_enabled(t)).count() as i128,
            Self::Linear(_, terms, constant) => {
                let tokens = game.tokens();
                let term = |&(place, factor): &(PlaceId, i64)| {
                    i128::from(factor) * i128::from(tokens[place.index()])
                };
                terms.iter().map(term).fold(*constant, |sum, term| sum + term)
            }
        }
    }

    #[inline]
    fn value(&self, number: i128, game: &TokenGame<'_>) -> bool {
        match self {
            Self::Deadlock => game.is_deadlock(),
            Self::Fireable(_) => number > 0,
            Self::Linear(how, ..) => how.holds(&number, &0),
            Self::Compare(how, a, b) => a.compare(*how, b, &|p| game.tokens()[p.index()].into()),
        }
    }

    fn distance(&self, number: i128, want: bool, game: &TokenGame<'_>) -> u64 {
        let tokens = |p: PlaceId| game.tokens()[p.index()];
        match self {
            Self::Deadlock if want => game.enabled().len() as u64,
            Self::Deadlock => u64::from(game.is_deadlock()),
            Self::Fireable(ts) if want => {
                let lacks = |&t: &u32| missing(game.table.net, TransitionId::new(t as usize), &tokens);
                ts.iter().map(lacks).min().unwrap_or(FAR)
            }
            Self::Fireable(_) => self.number(game) as u64,
            Self::Linear(how, ..) => gap_between(*how, number, 0, want),
            Self::Compare(how, a, b) => gap(*how, a, b, want, &tokens),
        }
    }

    /// Calls `visit` with each place on which it depends.
    pub(super) fn places(&self, game: &TokenGame<'_>, visit: &mut impl FnMut(PlaceId)) {
        match self {
            Self::Deadlock => {}
            Self::Fireable(ts) => {
                for t in ts.iter().map(|&t| TransitionId::new(t as usize)) {
                    let net = game.table.net;
                    net.pre(t).iter().chain(net.inhibitors(t)).for_each(|arc| visit(arc.place));
                }
            }
            Self::Linear(_, terms, _) => terms.iter().for_each(|term| visit(term.0)),
            Self::Compare(_, a, b) => {
                a.places(visit);
                b.places(visit);
            }
        }
    }
}

/// Numbers the atoms of formulas; equal atoms get one number.
#[derive(Default)]
struct AtomCollector<'f> {
    atoms: Vec<GoalAtom>,
    known: HashMap<&'f Formula, u32>,
}

impl<'f> AtomCollector<'f> {
    fn node(&mut self, formula: &'f Formula) -> GoalTree {
        match formula {
            Formula::Constant(value) => GoalTree::constant(*value),
            Formula::Not(f) => GoalTree::Not(Box::new(self.node(f))),
            Formula::And(fs) => GoalTree::And(fs.iter().map(|f| self.node(f)).collect()),
            Formula::Or(fs) => GoalTree::Or(fs.iter().map(|f| self.node(f)).collect()),
            Formula::Iff(f, g) => GoalTree::Iff(Box::new((self.node(f), self.node(g)))),
            atom => GoalTree::Atom(self.atom(atom)),
        }
    }

    fn atom(&mut self, formula: &'f Formula) -> u32 {
        if let Some(&at) = self.known.get(formula) {
            return at;
        }
        let atom = match Predicate::new(formula) {
            Predicate::Deadlock => GoalAtom::Deadlock,
            Predicate::Fireable(ts) => {
                // Each transition counts once.
                let mut ts: Vec<u32> = ts.iter().map(|t| t.index() as u32).collect();
                ts.sort_unstable();
                ts.dedup();
                GoalAtom::Fireable(ts.into())
            }
            Predicate::Linear(how, terms, constant) => GoalAtom::Linear(how, terms, constant),
            Predicate::Compare(how, a, b) => GoalAtom::Compare(how, a, b),
            _ => unreachable!("constants and connectives are no atoms"),
        };
        self.atoms.push(atom);
        let at = self.atoms.len() as u32 - 1;
        self.known.insert(formula, at);
        at
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
            let formulas: Vec<Formula> =
                (0..6).map(|depth| random::predicate(&mut random, net.nodes(), depth)).collect();
            let goals: Vec<WalkGoal<'_>> =
                formulas.iter().map(|formula| WalkGoal { formula, want: random.percent(50) }).collect();
            let table = TokenGameTable::new(&net);
            let mut game = TokenGame::new(&table);
            let mut evaluator = GoalEvaluator::new(&goals, &game);
            let mut listed = Vec::new();
            let mut before = vec![true; goals.len()];
            for _ in 0..30 {
                let marking = Marking(game.tokens().into());
                for (at, goal) in goals.iter().enumerate() {
                    let expected = replay::holds_in(&net, &marking, goal.formula) == goal.want;
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
                evaluator.shift(table.changes(transition), false);
                evaluator.shift(table.changes(transition), true);
                evaluator.follow(transition, &game, &mut listed);
                if random.percent(30) {
                    game.undo(transition);
                    evaluator.retreat(transition, &game);
                    before.fill(true);
                }
            }
        }
        assert!(met > 10_000, "only {met} were met");
    }
}
