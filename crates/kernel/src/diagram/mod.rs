//! Sets of vectors as decision diagrams: vectors that go on in the same way share what follows.
//!
//! Why: a set of 10^18 markings fits into memory where its parts depend little on each other.
//! After Miller and Drechsler (multi-valued diagrams) and Ciardo, Lüttgen and Siminiceanu, "Saturation: an efficient iteration
//! strategy for symbolic state-space generation" (TACAS 2001), which is in `reach`. Differences: the values at a level are not
//! known beforehand, so a node lists those that it has; and no level is skipped.
//!
//! A vector has a value for each level, from the highest down to 1. A node of level `n` is a set of vectors of the levels `n` to 1:
//! ascending values, each with the set of what follows.
//! Invariants: (1) equal sets are equal nodes; (2) a node's children have smaller numbers and are one level lower;
//! (3) no child is the empty set.
//! Cost: 8 bytes a value of a node and about 20 for the node; operations cost the product of their nodes at worst, and remember
//! pairs that they have seen. Test: below, against sets that are lists.

mod reach;

pub use reach::{Reach, Relation, Rest};

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

/// Values that operations look at between two looks at the limits.
const PACE: usize = 1 << 14;

/// A set of vectors: a node of a [`Diagram`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Set(u32);

impl Set {
    /// No vector.
    pub const EMPTY: Self = Self(0);
    /// The vector of no values, alone.
    pub const UNIT: Self = Self(1);
    /// All vectors, of whatever length: stands for a constraint that there is none. Not a node.
    pub const ALL: Self = Self(u32::MAX);

    /// Its number; children have smaller ones.
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Somebody wants the operation to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// What an operation does with two sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Join {
    Union,
    Intersection,
    Difference,
}

/// A value and what follows.
pub type Edge = (u32, Set);

/// The nodes of all sets.
pub struct Diagram<'g> {
    /// Where the edges of each node begin; one more at the end.
    starts: Vec<u32>,
    levels: Vec<u32>,
    edges: Vec<Edge>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
    joined: HashMap<(Join, Set, Set), Set>,
    /// Edges of nodes that are being made.
    making: Vec<Edge>,
    /// Whether so many bytes may be held.
    go_on: &'g dyn Fn(usize) -> bool,
    /// Bytes that others hold for it.
    others: usize,
    until_look: usize,
}

impl<'g> Diagram<'g> {
    /// No nodes but those of [`Set::EMPTY`] and [`Set::UNIT`]. Now and then it says how many bytes it holds, and stops if that is
    /// too much.
    pub fn new(go_on: &'g dyn Fn(usize) -> bool) -> Self {
        Self {
            starts: vec![0; 3],
            levels: vec![0; 2],
            edges: Vec::new(),
            index: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            joined: HashMap::new(),
            making: Vec::new(),
            go_on,
            others: 0,
            until_look: PACE,
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Whether there are no nodes: never.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The bytes that it holds.
    pub fn bytes(&self) -> usize {
        let nodes = self.levels.capacity() * 2 * size_of::<u32>() + self.edges.capacity() * size_of::<Edge>();
        let index = self.index.capacity() * (size_of::<u32>() + 1);
        nodes + index + table_bytes(&self.joined) + self.others
    }

    /// The level of a set that is not empty.
    pub fn level(&self, set: Set) -> usize {
        self.levels[set.index()] as usize
    }

    /// Its values, and what follows each.
    pub fn edges(&self, set: Set) -> &[Edge] {
        &self.edges[self.starts[set.index()] as usize..self.starts[set.index() + 1] as usize]
    }

    fn range(&self, set: Set) -> (usize, usize) {
        (self.starts[set.index()] as usize, self.starts[set.index() + 1] as usize)
    }

    /// What follows a value.
    pub fn child(&self, set: Set, value: u32) -> Set {
        match set {
            Set::ALL => Set::ALL,
            set => match self.edges(set) {
                // Most nodes have few values.
                few if few.len() <= 4 => few.iter().find(|e| e.0 == value).map_or(Set::EMPTY, |e| e.1),
                many => many.binary_search_by_key(&value, |e| e.0).map_or(Set::EMPTY, |at| many[at].1),
            },
        }
    }

    /// The set of vectors with these values, ascending, and what follows them.
    pub fn node(&mut self, level: usize, edges: &[Edge]) -> Result<Set, Stopped> {
        let from = self.making.len();
        self.making.extend_from_slice(edges);
        self.made(level, from)
    }

    /// The node of the edges that were made last.
    fn made(&mut self, level: usize, from: usize) -> Result<Set, Stopped> {
        let Self { starts, levels, edges, index, hasher, making, .. } = self;
        let new = &making[from..];
        if new.is_empty() {
            return Ok(Set::EMPTY);
        }
        debug_assert!(new.is_sorted_by_key(|e| e.0) && new.iter().all(|e| e.1 != Set::EMPTY), "invariant 3");
        debug_assert!(new.iter().all(|e| levels[e.1.index()] as usize + 1 == level), "invariant 2");
        let of = |at: u32| &edges[starts[at as usize] as usize..starts[at as usize + 1] as usize];
        let hash = hasher.hash_one((level, new));
        // The children tell the level.
        let known = index.find(hash, |&at| of(at) == new).copied();
        if let Some(known) = known {
            making.truncate(from);
            return Ok(Set(known));
        }
        // Numbers of edges and nodes have 32 bits.
        if edges.len() + new.len() >= u32::MAX as usize {
            return Err(Stopped);
        }
        let at = levels.len() as u32;
        index.insert_unique(hash, at, |&at| hasher.hash_one((levels[at as usize] as usize, of(at))));
        edges.extend_from_slice(new);
        starts.push(edges.len() as u32);
        levels.push(level as u32);
        making.truncate(from);
        self.look(1)?;
        Ok(Set(at))
    }

    /// Gives back all nodes but the first so many, and with them what operations remember.
    pub fn truncate(&mut self, len: usize) {
        self.joined = HashMap::new();
        self.making.clear();
        for at in len..self.len() {
            let set = Set(at as u32);
            let hash = self.hasher.hash_one((self.level(set), self.edges(set)));
            let entry = self.index.find_entry(hash, |&other| other == set.0);
            entry.expect("each node is there once").remove();
        }
        self.levels.truncate(len);
        self.starts.truncate(len + 1);
        self.edges.truncate(self.starts[len] as usize);
        self.levels.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.edges.shrink_to_fit();
        let Self { starts, levels, edges, index, hasher, .. } = self;
        let of = |at: u32| &edges[starts[at as usize] as usize..starts[at as usize + 1] as usize];
        index.shrink_to_fit(|&at| hasher.hash_one((levels[at as usize] as usize, of(at))));
    }

    /// Asks now and then whether to go on, when so many values are looked at.
    fn look(&mut self, values: usize) -> Result<(), Stopped> {
        self.until_look = self.until_look.saturating_sub(values);
        if self.until_look > 0 {
            return Ok(());
        }
        self.until_look = PACE;
        self.check()
    }

    /// Asks whether to go on.
    pub fn check(&self) -> Result<(), Stopped> {
        if (self.go_on)(self.bytes()) { Ok(()) } else { Err(Stopped) }
    }

    /// The set of one vector; `values` begin with the lowest level.
    pub fn vector(&mut self, values: &[u32]) -> Result<Set, Stopped> {
        let mut set = Set::UNIT;
        for (below, &value) in values.iter().enumerate() {
            set = self.node(below + 1, &[(value, set)])?;
        }
        Ok(set)
    }

    /// What is in one of two sets.
    pub fn union(&mut self, a: Set, b: Set) -> Result<Set, Stopped> {
        self.join(Join::Union, a, b)
    }

    /// What is in both.
    pub fn intersection(&mut self, a: Set, b: Set) -> Result<Set, Stopped> {
        self.join(Join::Intersection, a, b)
    }

    /// What is in the first and not in the second.
    pub fn difference(&mut self, a: Set, b: Set) -> Result<Set, Stopped> {
        self.join(Join::Difference, a, b)
    }

    fn join(&mut self, how: Join, a: Set, b: Set) -> Result<Set, Stopped> {
        use Join::{Difference, Intersection, Union};
        match (how, a, b) {
            (Union | Intersection, a, b) if a == b => return Ok(a),
            (Difference, a, b) if a == b => return Ok(Set::EMPTY),
            (Union, Set::EMPTY, other) | (Union | Difference, other, Set::EMPTY) => return Ok(other),
            (Intersection | Difference, Set::EMPTY, _) | (Intersection, _, Set::EMPTY) => {
                return Ok(Set::EMPTY);
            }
            (Intersection, Set::ALL, other) | (Intersection, other, Set::ALL) => return Ok(other),
            _ => {}
        }
        let key = if how == Difference { (how, a, b) } else { (how, a.min(b), a.max(b)) };
        if let Some(&known) = self.joined.get(&key) {
            return Ok(known);
        }
        debug_assert_eq!(self.level(a), self.level(b), "sets of vectors of the same levels");
        let ((mut i, end), (mut j, other_end)) = (self.range(a), self.range(b));
        self.look(end - i + other_end - j)?;
        let from = self.making.len();
        while i < end || j < other_end {
            // Operations inside may move the edges in memory.
            let left = if i < end { self.edges[i].0 } else { u32::MAX };
            let right = if j < other_end { self.edges[j].0 } else { u32::MAX };
            let value = left.min(right);
            let x = if left == value { self.edges[i].1 } else { Set::EMPTY };
            let y = if right == value { self.edges[j].1 } else { Set::EMPTY };
            i += usize::from(left == value);
            j += usize::from(right == value);
            let set = self.join(how, x, y)?;
            if set != Set::EMPTY {
                self.making.push((value, set));
            }
        }
        let set = self.made(self.level(a), from)?;
        self.joined.insert(key, set);
        Ok(set)
    }

    /// A value for each node that a set is made of, by its number, from those of its children.
    pub fn fold<T>(
        &self,
        set: Set,
        unit: T,
        mut value: impl FnMut(usize, &[Edge], &Folded<T>) -> T,
    ) -> Folded<T> {
        let nodes = self.nodes(set);
        let mut folded = Folded { values: HashMap::with_capacity(nodes.len()) };
        folded.values.insert(Set::UNIT, unit);
        for node in nodes {
            let here = value(self.level(node), self.edges(node), &folded);
            folded.values.insert(node, here);
        }
        folded
    }

    /// The nodes that a set is made of, but for those of no level; children come before parents.
    pub fn nodes(&self, set: Set) -> Vec<Set> {
        let (mut seen, mut all) = (vec![false; set.index() + 1], Vec::new());
        seen[set.index()] = true;
        // Children have smaller numbers.
        for at in (2..=set.index()).rev().filter(|_| set > Set::UNIT) {
            if seen[at] {
                all.push(Set(at as u32));
                self.edges(Set(at as u32)).iter().for_each(|e| seen[e.1.index()] = true);
            }
        }
        all.reverse();
        all
    }
}

/// Values of nodes.
pub struct Folded<T> {
    values: HashMap<Set, T>,
}

impl<T> std::ops::Index<Set> for Folded<T> {
    type Output = T;

    fn index(&self, set: Set) -> &T {
        &self.values[&set]
    }
}

/// What a hash table holds.
fn table_bytes<K, V>(table: &HashMap<K, V>) -> usize {
    table.capacity() * (size_of::<(K, V)>() + 1) * 8 / 7
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, rc::Rc};

    use super::*;

    /// Numbers that look random.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % end
        }
    }

    const LEVELS: usize = 4;
    const VALUES: u64 = 3;

    type Vectors = BTreeSet<Vec<u32>>;

    fn some(random: &mut Random, count: u64) -> Vectors {
        (0..count).map(|_| (0..LEVELS).map(|_| random.below(VALUES) as u32).collect()).collect()
    }

    fn set(diagram: &mut Diagram<'_>, vectors: &Vectors) -> Set {
        vectors.iter().fold(Set::EMPTY, |set, vector| {
            let one = diagram.vector(vector).unwrap();
            diagram.union(set, one).unwrap()
        })
    }

    fn vectors(diagram: &Diagram<'_>, set: Set) -> Vectors {
        match set {
            Set::EMPTY => Vectors::new(),
            Set::UNIT => Vectors::from([Vec::new()]),
            set => {
                let with = |&(value, child): &Edge| {
                    vectors(diagram, child).into_iter().map(move |mut vector| {
                        vector.push(value);
                        vector
                    })
                };
                diagram.edges(set).iter().flat_map(with).collect()
            }
        }
    }

    /// Events that change some levels, each value to another or to none.
    struct Table(Vec<Vec<(usize, Vec<Option<u32>>)>>);

    impl Table {
        fn new(random: &mut Random) -> Self {
            let mut event = || {
                let mut levels: Vec<usize> = (1..=LEVELS).filter(|_| random.below(2) == 0).collect();
                if levels.is_empty() {
                    levels.push(1);
                }
                let next = |random: &mut Random| (random.below(3) > 0).then(|| random.below(VALUES) as u32);
                levels.into_iter().map(|level| (level, (0..VALUES).map(|_| next(random)).collect())).collect()
            };
            Self((0..5).map(|_| event()).collect())
        }

        fn after(&self, vector: &[u32]) -> Vec<Vec<u32>> {
            let fire = |event: &Vec<(usize, Vec<Option<u32>>)>| {
                let mut next = vector.to_vec();
                for (level, values) in event {
                    next[level - 1] = values[vector[level - 1] as usize]?;
                }
                Some(next)
            };
            self.0.iter().filter_map(fire).collect()
        }
    }

    /// What is left of event `e` is numbered `1 + e * (LEVELS + 1) + n`, where the `n` lowest of its levels are left.
    impl Relation for Table {
        fn moves(&mut self, level: usize, value: u32) -> Rc<[(Rest, u32)]> {
            let highest = |event: &Vec<(usize, Vec<Option<u32>>)>| event[event.len() - 1].0 == level;
            let whole = |at: usize| Rest((1 + at * (LEVELS + 1) + self.0[at].len()) as u32);
            let all: Vec<Rest> = (0..self.0.len()).filter(|&at| highest(&self.0[at])).map(whole).collect();
            all.into_iter().filter_map(|rest| self.step(rest, value)).collect()
        }

        fn level(&self, Rest(rest): Rest) -> usize {
            let (event, left) = ((rest as usize - 1) / (LEVELS + 1), (rest as usize - 1) % (LEVELS + 1));
            self.0[event][left - 1].0
        }

        fn step(&mut self, Rest(rest): Rest, value: u32) -> Option<(Rest, u32)> {
            let (event, left) = ((rest as usize - 1) / (LEVELS + 1), (rest as usize - 1) % (LEVELS + 1));
            let next = self.0[event][left - 1].1[value as usize]?;
            Some((if left == 1 { Rest::NOTHING } else { Rest(rest - 1) }, next))
        }

        fn bytes(&self) -> usize {
            0
        }
    }

    #[test]
    fn operations_are_those_of_sets() {
        let mut random = Random(1);
        let go_on = |_| true;
        let mut diagram = Diagram::new(&go_on);
        for _ in 0..300 {
            let (a, b) = (some(&mut random, 20), some(&mut random, 20));
            let (x, y) = (set(&mut diagram, &a), set(&mut diagram, &b));
            assert_eq!(vectors(&diagram, x), a);
            let joined = [diagram.union(x, y), diagram.intersection(x, y), diagram.difference(x, y)];
            let expected = [&a | &b, &a & &b, &a - &b];
            for (joined, expected) in joined.into_iter().zip(expected) {
                assert_eq!(vectors(&diagram, joined.unwrap()), expected);
                assert_eq!(set(&mut diagram, &expected), joined.unwrap(), "invariant 1");
            }
            let count = diagram.fold(x, 1, |_, edges, below| edges.iter().map(|e| below[e.1]).sum::<usize>());
            assert_eq!(count[x], a.len());
        }
    }

    #[test]
    fn what_is_given_back_can_be_made_again() {
        let mut random = Random(4);
        let go_on = |_| true;
        let mut diagram = Diagram::new(&go_on);
        let (a, b) = (some(&mut random, 20), some(&mut random, 20));
        let x = set(&mut diagram, &a);
        let (len, bytes) = (diagram.len(), diagram.bytes());
        for _ in 0..3 {
            let y = set(&mut diagram, &b);
            assert!(diagram.len() > len);
            let both = diagram.intersection(x, y).unwrap();
            assert_eq!(vectors(&diagram, both), &a & &b);
            diagram.truncate(len);
            assert_eq!((diagram.len(), set(&mut diagram, &a)), (len, x));
            diagram.truncate(len);
            assert!(diagram.bytes() <= bytes);
        }
    }

    #[test]
    fn steps_are_those_of_vectors() {
        let mut random = Random(2);
        let go_on = |_| true;
        let mut grown = 0;
        for round in 0..500 {
            let mut diagram = Diagram::new(&go_on);
            let mut table = Table::new(&mut random);
            let from = some(&mut random, 3);
            let within = (round % 2 == 0).then(|| some(&mut random, 60));
            let inside = |vector: &Vec<u32>| within.as_ref().is_none_or(|within| within.contains(vector));
            let one: Vectors = from.iter().flat_map(|vector| table.after(vector)).filter(inside).collect();
            let mut all = from.clone();
            let mut open: Vec<Vec<u32>> = from.iter().cloned().collect();
            while let Some(vector) = open.pop() {
                for next in table.after(&vector).into_iter().filter(inside) {
                    if all.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
            grown += usize::from(all.len() > from.len() + one.len());
            let start = set(&mut diagram, &from);
            let constraint = within.as_ref().map_or(Set::ALL, |within| set(&mut diagram, within));
            let given = Reach::one(&mut diagram, &mut table, constraint, start).unwrap();
            assert_eq!(vectors(&diagram, given), one, "round {round}");
            let given = Reach::all(&mut diagram, &mut table, constraint, start).unwrap();
            assert_eq!(vectors(&diagram, given), all, "round {round}");
        }
        assert!(grown > 100, "{grown}");
    }

    #[test]
    fn it_stops_when_it_is_told() {
        let no = |_| false;
        let mut diagram = Diagram::new(&no);
        let mut random = Random(3);
        let mut sets = (0..5_000).map(|_| {
            let vector: Vec<u32> = (0..9).map(|_| random.below(9) as u32).collect();
            diagram.vector(&vector)
        });
        assert!(sets.any(|set| set == Err(Stopped)));
    }
}
