use std::{cell::Cell, collections::BTreeSet, rc::Rc};

use super::*;
use crate::threads::with_large_stack;

/// A linear congruential generator.
struct VectorSampler(u64);

impl VectorSampler {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

const VARIABLES: usize = 4;
const DOMAIN: u64 = 3;

type Vectors = BTreeSet<Vec<u32>>;

fn random_vectors(random: &mut VectorSampler, count: u64) -> Vectors {
    (0..count).map(|_| (0..VARIABLES).map(|_| random.below(DOMAIN) as u32).collect()).collect()
}

fn node_of(manager: &mut MddManager<'_>, vectors: &Vectors) -> MddNode {
    vectors.iter().fold(MddNode::EMPTY, |set, vector| {
        let one = manager.vector(vector).unwrap();
        manager.union(set, one).unwrap()
    })
}

fn vectors(manager: &MddManager<'_>, set: MddNode) -> Vectors {
    match set {
        MddNode::EMPTY => Vectors::new(),
        MddNode::UNIT => Vectors::from([Vec::new()]),
        set => {
            let with = |&(local, child): &MddEdge| {
                vectors(manager, child).into_iter().map(move |mut vector| {
                    vector.push(local);
                    vector
                })
            };
            manager.edges(set).iter().flat_map(with).collect()
        }
    }
}

/// For each event its variables, ascending, and for each local state of them the next one, if the event is enabled there; and the
/// number of the relation.
struct ExplicitEvents(Vec<Vec<(usize, Vec<Option<u32>>)>>, Option<RelationNumber>);

impl ExplicitEvents {
    fn new(random: &mut VectorSampler) -> Self {
        let mut event = || {
            let mut variables: Vec<usize> = (1..=VARIABLES).filter(|_| random.below(2) == 0).collect();
            if variables.is_empty() {
                variables.push(1);
            }
            let next =
                |random: &mut VectorSampler| (random.below(3) > 0).then(|| random.below(DOMAIN) as u32);
            variables
                .into_iter()
                .map(|variable| (variable, (0..DOMAIN).map(|_| next(random)).collect()))
                .collect()
        };
        Self((0..5).map(|_| event()).collect(), None)
    }

    fn after(&self, vector: &[u32]) -> Vec<Vec<u32>> {
        let fire = |event: &Vec<(usize, Vec<Option<u32>>)>| {
            let mut next = vector.to_vec();
            for (variable, next_states) in event {
                next[variable - 1] = next_states[vector[variable - 1] as usize]?;
            }
            Some(next)
        };
        self.0.iter().filter_map(fire).collect()
    }

    /// The vectors of a set that one event leads to, and that any number of events lead to through the set.
    fn image_and_closure(&self, from: &Vectors, within: Option<&Vectors>) -> [Vectors; 2] {
        let inside = |vector: &Vec<u32>| within.is_none_or(|within| within.contains(vector));
        let one: Vectors = from.iter().flat_map(|vector| self.after(vector)).filter(inside).collect();
        let mut all = from.clone();
        let mut open: Vec<Vec<u32>> = from.iter().cloned().collect();
        while let Some(vector) = open.pop() {
            for next in self.after(&vector).into_iter().filter(inside) {
                if all.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        [one, all]
    }
}

/// The suffix of event `e` on the `n` lowest of its variables has the number `1 + e * (VARIABLES + 1) + n`.
impl NextStateRelation for ExplicitEvents {
    fn local_effects(&mut self, variable: usize, local: u32) -> Rc<[(EventSuffix, u32)]> {
        let highest = |event: &Vec<(usize, Vec<Option<u32>>)>| event[event.len() - 1].0 == variable;
        let whole = |at: usize| EventSuffix((1 + at * (VARIABLES + 1) + self.0[at].len()) as u32);
        let all: Vec<EventSuffix> = (0..self.0.len()).filter(|&at| highest(&self.0[at])).map(whole).collect();
        all.into_iter().filter_map(|suffix| self.fire_top(suffix, local)).collect()
    }

    fn top_variable(&self, EventSuffix(suffix): EventSuffix) -> usize {
        let (event, remaining) =
            ((suffix as usize - 1) / (VARIABLES + 1), (suffix as usize - 1) % (VARIABLES + 1));
        self.0[event][remaining - 1].0
    }

    fn fire_top(&mut self, EventSuffix(suffix): EventSuffix, local: u32) -> Option<(EventSuffix, u32)> {
        let (event, remaining) =
            ((suffix as usize - 1) / (VARIABLES + 1), (suffix as usize - 1) % (VARIABLES + 1));
        let next = self.0[event][remaining - 1].1[local as usize]?;
        Some((if remaining == 1 { EventSuffix::EMPTY } else { EventSuffix(suffix - 1) }, next))
    }

    fn bytes(&self) -> usize {
        0
    }

    fn number(&self) -> Option<RelationNumber> {
        self.1
    }
}

#[test]
fn operations_agree_with_explicit_sets() {
    let mut random = VectorSampler(1);
    let go_on = |_| true;
    let mut manager = MddManager::new(&go_on);
    for _ in 0..300 {
        let (a, b) = (random_vectors(&mut random, 20), random_vectors(&mut random, 20));
        let (x, y) = (node_of(&mut manager, &a), node_of(&mut manager, &b));
        assert_eq!(vectors(&manager, x), a);
        let results = [manager.union(x, y), manager.intersection(x, y), manager.difference(x, y)];
        let expected = [&a | &b, &a & &b, &a - &b];
        for (results, expected) in results.into_iter().zip(expected) {
            assert_eq!(vectors(&manager, results.unwrap()), expected);
            assert_eq!(node_of(&mut manager, &expected), results.unwrap(), "invariant 1");
        }
        let count = manager.fold(x, 1, |_, edges, below| edges.iter().map(|e| below[e.1]).sum::<usize>());
        assert_eq!(count[x], a.len());
    }
}

#[test]
fn freed_nodes_can_be_built_again() {
    let mut random = VectorSampler(4);
    let go_on = |_| true;
    let mut manager = MddManager::new(&go_on);
    let (a, b) = (random_vectors(&mut random, 20), random_vectors(&mut random, 20));
    let x = node_of(&mut manager, &a);
    let (len, bytes) = (manager.len(), manager.bytes());
    for _ in 0..3 {
        let y = node_of(&mut manager, &b);
        assert!(manager.len() > len);
        let both = manager.intersection(x, y).unwrap();
        assert_eq!(vectors(&manager, both), &a & &b);
        manager.truncate(len);
        assert_eq!((manager.len(), node_of(&mut manager, &a)), (len, x));
        manager.truncate(len);
        assert!(manager.bytes() <= bytes);
    }
}

#[test]
fn images_and_closures_agree_with_explicit_search() {
    let mut random = VectorSampler(2);
    let go_on = |_| true;
    let mut grown = 0;
    for round in 0..500 {
        let mut manager = MddManager::new(&go_on);
        let mut events = ExplicitEvents::new(&mut random);
        let from = random_vectors(&mut random, 3);
        let within = (round % 2 == 0).then(|| random_vectors(&mut random, 60));
        let [one, all] = events.image_and_closure(&from, within.as_ref());
        grown += usize::from(all.len() > from.len() + one.len());
        let start = node_of(&mut manager, &from);
        let constraint = within.as_ref().map_or(MddNode::ALL, |within| node_of(&mut manager, within));
        let given = Saturation::image(&mut manager, &mut events, constraint, start).unwrap();
        assert_eq!(vectors(&manager, given), one, "round {round}");
        let given = Saturation::closure(&mut manager, &mut events, constraint, start).unwrap();
        assert_eq!(vectors(&manager, given), all, "round {round}");
    }
    assert!(grown > 100, "{grown}");
}

/// Repeats some work, which is stopped at the first check, then at the second, and so on, until it is done; counts the stops.
fn with_stops<T>(checks: &Cell<usize>, stops: &mut usize, mut work: impl FnMut() -> Result<T, Stopped>) -> T {
    for attempt in 1.. {
        checks.set(attempt);
        match work() {
            Ok(result) => return result,
            Err(Stopped) => *stops += 1,
        }
    }
    unreachable!("it is stopped at ever later checks")
}

#[test]
fn images_and_closures_go_on_after_stops() {
    let mut random = VectorSampler(5);
    let checks = &Cell::new(usize::MAX);
    let go_on = |_| {
        checks.set(checks.get() - 1);
        checks.get() > 0
    };
    let (mut stops, mut of_unkept) = (0, 0);
    for round in 0..500 {
        let mut manager = MddManager::new(&go_on).with_poll_interval(1);
        let mut events = ExplicitEvents::new(&mut random);
        // Several sets share the kept results.
        for _ in 0..3 {
            let from = random_vectors(&mut random, 3);
            let within = (random.below(2) == 0).then(|| random_vectors(&mut random, 60));
            checks.set(usize::MAX);
            let start = node_of(&mut manager, &from);
            let constraint = within.as_ref().map_or(MddNode::ALL, |within| node_of(&mut manager, within));
            let [one, all] = events.image_and_closure(&from, within.as_ref());
            for kept in [None, Some(RelationNumber(round))] {
                events.1 = kept;
                let stops = if kept.is_some() { &mut stops } else { &mut of_unkept };
                let given = with_stops(checks, stops, || {
                    Saturation::image(&mut manager, &mut events, constraint, start)
                });
                assert_eq!(vectors(&manager, given), one, "round {round}");
                let given = with_stops(checks, stops, || {
                    Saturation::closure(&mut manager, &mut events, constraint, start)
                });
                assert_eq!(vectors(&manager, given), all, "round {round}");
            }
        }
    }
    assert!(stops > 10_000, "{stops} {of_unkept}");
}

#[test]
fn one_set_is_retained() {
    let mut random = VectorSampler(6);
    let go_on = |_| true;
    for _ in 0..100 {
        let mut manager = MddManager::new(&go_on);
        let sets: Vec<Vectors> = (0..3).map(|_| random_vectors(&mut random, 20)).collect();
        let nodes: Vec<MddNode> = sets.iter().map(|set| node_of(&mut manager, set)).collect();
        let (count, bytes) = (manager.nodes(nodes[1]).len(), manager.bytes());
        let kept = manager.retain(nodes[1]);
        assert_eq!(vectors(&manager, kept), sets[1]);
        assert_eq!((manager.len(), node_of(&mut manager, &sets[1])), (count + 2, kept));
        assert!(manager.bytes() < bytes);
        let other = node_of(&mut manager, &sets[2]);
        let both = manager.intersection(kept, other).unwrap();
        assert_eq!(vectors(&manager, both), &sets[1] & &sets[2]);
    }
}

#[test]
fn operations_stop_when_the_check_refuses() {
    let no = |_| false;
    let mut manager = MddManager::new(&no);
    let mut random = VectorSampler(3);
    let mut sets = (0..5_000).map(|_| {
        let vector: Vec<u32> = (0..9).map(|_| random.below(9) as u32).collect();
        manager.vector(&vector)
    });
    assert!(sets.any(|set| set == Err(Stopped)));
}

/// A token on a ring of variables: the event with the number of a variable moves the token from there to the next lower variable,
/// the event 1 from the lowest variable to the highest.
struct RingEvents(usize);

impl NextStateRelation for RingEvents {
    fn local_effects(&mut self, variable: usize, local: u32) -> Rc<[(EventSuffix, u32)]> {
        let lower = (variable > 1 && local == 1).then_some((EventSuffix(variable as u32), 0));
        let highest = (variable == self.0 && local == 0).then_some((EventSuffix(1), 1));
        lower.into_iter().chain(highest).collect()
    }

    fn top_variable(&self, EventSuffix(event): EventSuffix) -> usize {
        if event == 1 { 1 } else { event as usize - 1 }
    }

    fn fire_top(&mut self, EventSuffix(event): EventSuffix, local: u32) -> Option<(EventSuffix, u32)> {
        (local == u32::from(event == 1)).then_some((EventSuffix::EMPTY, 1 - local))
    }

    fn bytes(&self) -> usize {
        0
    }

    fn number(&self) -> Option<RelationNumber> {
        None
    }
}

/// Callers without threads rely on this.
#[test]
fn four_hundred_variables_need_less_than_a_mebibyte_of_stack() {
    const VARIABLES: usize = 400;
    let work = || {
        let go_on = |_| true;
        let mut manager = MddManager::new(&go_on);
        let mut start = vec![0; VARIABLES];
        start[VARIABLES / 2] = 1;
        let start = manager.vector(&start).unwrap();
        let all = Saturation::closure(&mut manager, &mut RingEvents(VARIABLES), MddNode::ALL, start).unwrap();
        let count = manager.fold(all, 1, |_, edges, below| edges.iter().map(|e| below[e.1]).sum::<usize>());
        assert_eq!(count[all], VARIABLES);
        let one = Saturation::image(&mut manager, &mut RingEvents(VARIABLES), all, all).unwrap();
        assert_eq!(manager.difference(all, one), Ok(MddNode::EMPTY));
    };
    with_large_stack(1 << 20, work, || ());
}
