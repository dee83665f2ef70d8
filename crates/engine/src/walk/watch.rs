//! Goals that look on while tokens move: each is evaluated again only when something that it asks about changed.
//!
//! A goal is a tree over atoms, which goals share. An atom that is linear in the tokens keeps its sum, one that asks
//! for enabled transitions their number; places and transitions know the atoms that look at them. A goal is evaluated
//! when the value of one of its atoms changes, so thousands of goals cost little while nothing of theirs happens.
//!
//! Invariants: (1) after each call the numbers and values of all atoms are those of the game's marking; (2) a goal
//! that is true in the marking after a firing, and was not before, is told. Test: below, against the goals' formulas.

use std::collections::HashMap;

use fireset_net::{
    Comparison, Expr, Formula, PlaceId, Rows, TransitionId,
    token_game::{TokenChange, TokenGame},
};

use crate::{
    distance::{FAR, gap, gap_between, missing},
    search::Predicate,
};

/// What is wanted: a state predicate, or its negation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal<'q> {
    pub(super) formula: &'q Formula,
    /// The value that it is to have.
    pub(super) want: bool,
}

/// What the smallest parts of goals ask.
#[derive(Clone, Debug)]
pub(super) enum Atom {
    Deadlock,
    /// Some of these is enabled.
    Fireable(Box<[u32]>),
    /// How the sum of factors times tokens and a constant compares with zero.
    Linear(Comparison, Box<[(PlaceId, i64)]>, i128),
    /// What is not linear, or has large numbers.
    Compare(Comparison, Expr, Expr),
}

/// A goal over atoms.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Constant(bool),
    Atom(u32),
    Not(Box<Node>),
    And(Box<[Node]>),
    Or(Box<[Node]>),
    Iff(Box<(Node, Node)>),
}

/// Goals, and the values of their atoms in the marking of a game.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub(super) atoms: Vec<Atom>,
    /// For each goal its tree and the value that it is to have.
    pub(super) goals: Vec<(Node, bool)>,
    /// By atom: the sum, or how many of its transitions are enabled.
    numbers: Vec<i128>,
    values: Vec<bool>,
    /// The same in the initial marking.
    initial: (Vec<i128>, Vec<bool>),
    /// By place, the linear atoms that look at it and its factor there; and all others.
    linear: Rows<(u32, i64)>,
    others: Rows<u32>,
    /// By transition, the atoms that ask whether it is enabled.
    fireable: Rows<u32>,
    deadlock: Option<u32>,
    /// By atom, the goals that it is part of.
    users: Rows<u32>,
    /// The goals of which some atom changed.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
}

impl Watch {
    /// Watches goals from the initial marking on, where the game stands.
    pub(super) fn new(goals: &[Goal<'_>], game: &TokenGame<'_>) -> Self {
        let mut collector = Collector::default();
        let trees: Vec<(Node, bool)> =
            goals.iter().map(|goal| (collector.node(goal.formula), goal.want)).collect();
        let atoms = collector.atoms;
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); atoms.len()];
        for (goal, (tree, _)) in trees.iter().enumerate() {
            tree.atoms(&mut |atom| {
                let users = &mut users[atom as usize];
                if users.last() != Some(&(goal as u32)) {
                    users.push(goal as u32);
                }
            });
        }
        let (places, transitions) = (game.table.places(), game.table.transitions());
        let (mut linear, mut others, mut fireable) = (Vec::new(), Vec::new(), Vec::new());
        for (at, atom) in atoms.iter().enumerate() {
            let at = at as u32;
            match atom {
                Atom::Deadlock => {}
                Atom::Fireable(ts) => fireable.extend(ts.iter().map(|&t| (t as usize, at))),
                Atom::Linear(_, terms, _) => linear.extend(terms.iter().map(|&(p, f)| (p.index(), (at, f)))),
                Atom::Compare(_, a, b) => {
                    a.places(&mut |p| others.push((p.index(), at)));
                    b.places(&mut |p| others.push((p.index(), at)));
                }
            }
        }
        let deadlock = atoms.iter().position(|atom| matches!(atom, Atom::Deadlock)).map(|at| at as u32);
        let mut watch = Self {
            numbers: vec![0; atoms.len()],
            values: vec![false; atoms.len()],
            initial: Default::default(),
            linear: Rows::group(places, linear.into_iter()),
            others: Rows::group(places, others.into_iter()),
            fireable: Rows::group(transitions, fireable.into_iter()),
            deadlock,
            users: users.into_iter().collect(),
            touched: Vec::new(),
            is_touched: vec![false; trees.len()],
            goals: trees,
            atoms,
        };
        for at in 0..watch.atoms.len() {
            watch.numbers[at] = watch.atoms[at].number(game);
            watch.values[at] = watch.value(at, game);
        }
        watch.initial = (watch.numbers.clone(), watch.values.clone());
        watch
    }

    /// The game is at its initial marking again.
    pub(super) fn restart(&mut self) {
        self.numbers.clone_from(&self.initial.0);
        self.values.clone_from(&self.initial.1);
    }

    /// Whether a goal is met in the marking that it was told about last.
    pub(super) fn is_met(&self, goal: usize) -> bool {
        let (tree, want) = &self.goals[goal];
        tree.value(&|atom| self.values[atom as usize]) == *want
    }

    /// Whether a goal is met where some game stands, whatever was told before.
    pub(super) fn is_met_in(&self, goal: usize, game: &TokenGame<'_>) -> bool {
        let (tree, want) = &self.goals[goal];
        let value = |atom: u32| {
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
                self.look(atom, game);
            }
            for at in 0..self.others[change.place as usize].len() {
                self.look(self.others[change.place as usize][at], game);
            }
        }
        for &(transition, enabled) in game.flips() {
            for at in 0..self.fireable[transition as usize].len() {
                let atom = self.fireable[transition as usize][at];
                self.numbers[atom as usize] += if enabled { 1 } else { -1 };
                self.look(atom, game);
            }
        }
        if let Some(atom) = self.deadlock {
            self.look(atom, game);
        }
    }

    /// Something that an atom asks about changed.
    #[inline]
    fn look(&mut self, atom: u32, game: &TokenGame<'_>) {
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

    /// Adds up sums as after some changes, or takes that back; values of atoms stay.
    pub(super) fn shift(&mut self, changes: &[TokenChange], back: bool) {
        for change in changes {
            let amount = if back { -change.amount() } else { change.amount() };
            for &(atom, factor) in &self.linear[change.place as usize] {
                self.numbers[atom as usize] += i128::from(factor) * amount;
            }
        }
    }

    /// About how many tokens are in the wrong place for a goal; zero where it is met.
    pub(super) fn distance(&self, goal: usize, game: &TokenGame<'_>) -> u64 {
        let (tree, want) = &self.goals[goal];
        self.to(tree, *want, game)
    }

    /// The distance to where a tree has a value.
    pub(super) fn to(&self, node: &Node, want: bool, game: &TokenGame<'_>) -> u64 {
        let to = |node: &Node, want| self.to(node, want, game);
        match node {
            Node::Constant(value) => u64::from(*value != want) * FAR,
            Node::Atom(atom) => {
                let number = self.numbers[*atom as usize];
                self.atoms[*atom as usize].distance(number, want, game)
            }
            Node::Not(node) => to(node, !want),
            Node::And(nodes) | Node::Or(nodes) if matches!(node, Node::And(_)) == want => {
                nodes.iter().fold(0, |sum: u64, node| (sum + to(node, want)).min(FAR))
            }
            Node::And(nodes) | Node::Or(nodes) => {
                nodes.iter().map(|node| to(node, want)).min().unwrap_or(FAR)
            }
            Node::Iff(sides) => {
                let both = |a, b| (to(&sides.0, a) + to(&sides.1, b)).min(FAR);
                both(true, want).min(both(false, !want))
            }
        }
    }

    /// The sum of a linear atom, or how many transitions of another are enabled.
    pub(super) fn number(&self, atom: u32) -> i128 {
        self.numbers[atom as usize]
    }
}

impl Atom {
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

impl Node {
    fn value(&self, atom: &impl Fn(u32) -> bool) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Atom(at) => atom(*at),
            Self::Not(node) => !node.value(atom),
            Self::And(nodes) => nodes.iter().all(|node| node.value(atom)),
            Self::Or(nodes) => nodes.iter().any(|node| node.value(atom)),
            Self::Iff(sides) => sides.0.value(atom) == sides.1.value(atom),
        }
    }

    /// Calls `visit` with each atom in it.
    fn atoms(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Self::Constant(_) => {}
            Self::Atom(at) => visit(*at),
            Self::Not(node) => node.atoms(visit),
            Self::And(nodes) | Self::Or(nodes) => nodes.iter().for_each(|node| node.atoms(visit)),
            Self::Iff(sides) => {
                sides.0.atoms(visit);
                sides.1.atoms(visit);
            }
        }
    }
}

/// Gives each atom of some formulas a number.
#[derive(Default)]
struct Collector<'f> {
    atoms: Vec<Atom>,
    known: HashMap<&'f Formula, u32>,
}

impl<'f> Collector<'f> {
    fn node(&mut self, formula: &'f Formula) -> Node {
        match formula {
            Formula::Constant(value) => Node::Constant(*value),
            Formula::Not(f) => Node::Not(Box::new(self.node(f))),
            Formula::And(fs) => Node::And(fs.iter().map(|f| self.node(f)).collect()),
            Formula::Or(fs) => Node::Or(fs.iter().map(|f| self.node(f)).collect()),
            Formula::Iff(f, g) => Node::Iff(Box::new((self.node(f), self.node(g)))),
            atom => Node::Atom(self.atom(atom)),
        }
    }

    fn atom(&mut self, formula: &'f Formula) -> u32 {
        if let Some(&at) = self.known.get(formula) {
            return at;
        }
        let atom = match Predicate::new(formula) {
            Predicate::Deadlock => Atom::Deadlock,
            Predicate::Fireable(ts) => {
                // Each transition counts once.
                let mut ts: Vec<u32> = ts.iter().map(|t| t.index() as u32).collect();
                ts.sort_unstable();
                ts.dedup();
                Atom::Fireable(ts.into())
            }
            Predicate::Linear(how, terms, constant) => Atom::Linear(how, terms, constant),
            Predicate::Compare(how, a, b) => Atom::Compare(how, a, b),
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
            let goals: Vec<Goal<'_>> =
                formulas.iter().map(|formula| Goal { formula, want: random.percent(50) }).collect();
            let table = TokenGameTable::new(&net);
            let mut game = TokenGame::new(&table);
            let mut watch = Watch::new(&goals, &game);
            let mut told = Vec::new();
            let mut before = vec![true; goals.len()];
            for _ in 0..30 {
                let marking = Marking(game.tokens().into());
                for (at, goal) in goals.iter().enumerate() {
                    let expected = replay::holds_in(&net, &marking, goal.formula) == goal.want;
                    assert_eq!(watch.is_met(at), expected, "seed {seed}: {goal:?}");
                    assert_eq!(watch.is_met_in(at, &game), expected, "seed {seed}: {goal:?}");
                    assert_eq!(watch.distance(at, &game) == 0, expected, "seed {seed}: {goal:?}");
                    assert!(!expected || before[at] || told.contains(&(at as u32)), "seed {seed}: {goal:?}");
                    before[at] = expected;
                    met += usize::from(expected);
                }
                if game.is_deadlock() {
                    game.restart();
                    watch.restart();
                    before.fill(true);
                    continue;
                }
                let transition = *random.pick(game.enabled());
                assert!(game.fire(transition));
                // A shift that is taken back leaves no trace.
                watch.shift(table.changes(transition), false);
                watch.shift(table.changes(transition), true);
                watch.follow(transition, &game, &mut told);
                if random.percent(30) {
                    game.undo(transition);
                    watch.retreat(transition, &game);
                    before.fill(true);
                }
            }
        }
        assert!(met > 10_000, "only {met} were met");
    }
}
