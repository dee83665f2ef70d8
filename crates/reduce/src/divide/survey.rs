//! Walks through a net that cross out what needs no question: transitions that are enabled at some time, places that change,
//! a place that gets a second token, a marking after which some transition never fires again.
//!
//! Why: of thousands of places and transitions nearly all are crossed out within a fraction of a second, and what is left
//! is few. Half of the walks take any enabled transition, half take of two the one that fired less often, which gets
//! further where some firings are many. Walks start again from the initial marking and get longer.
//!
//! For liveness a walk ends with a look at where it is: a deadlock, or places that are empty and that only transitions
//! fill which take from them (an empty siphon, Commoner), say that some transition never fires again. So do transitions
//! that never fired in all markings that follow, if these are few and are seen completely.
//!
//! Invariant: what is crossed out was seen in a marking that a run leads to. What was not seen says nothing.
//! Cost: a firing looks at the transitions around the places that it changes; a time limit, and an end when nothing new was
//! seen for long. Test: `tests/divide.rs`.

use std::{collections::HashSet, time::Duration};

use fireset_net::{Arc, Budget, Global, Marking, Net, Rows, Step, Trace, TransitionId, random::Random};

use super::Subjects;

/// The most time; one of so many parts of what is left, if that is less.
const TIME: Duration = Duration::from_secs(2);
const PARTS_OF_TIME: u32 = 6;
/// Steps of the first walk and of the longest; each is longer than the last.
const FIRST: usize = 256;
const LONGEST: usize = 1 << 20;
/// Looks without anything new after which there is no hope: so many, and so many more for each arc, but not more than that.
const STALE: u64 = 10_000;
const STALE_AN_ARC: u64 = 2_000;
const MAX_STALE: u64 = 12_000_000;
/// Steps between two looks at the clock.
const PATIENCE: usize = 1 << 10;
/// Markings after a walk that are seen completely, if there are no more; their token counts, and looks at transitions.
const MAX_FOLLOWERS: usize = 3_000;
const MAX_COUNTS: usize = 3_000_000;
const MAX_TESTS: usize = 1_000_000;
/// What one of them costs, in looks.
const COST_OF_FOLLOWER: u64 = 16;

/// What was seen.
pub(super) struct Survey {
    /// The transitions that were enabled in some marking.
    pub(super) enabled: Vec<bool>,
    /// The subjects whose number of tokens was another than at the start.
    pub(super) changed: Vec<bool>,
    /// A run to a marking in which a subject has two tokens.
    pub(super) unsafe_run: Option<Trace>,
    /// Whether after some marking a subject never fires again.
    pub(super) loses: bool,
}

impl Survey {
    /// Walks until what is asked is known, or there is not much hope.
    pub(super) fn of(net: &Net, subjects: &Subjects, asked: Global, budget: &Budget) -> Self {
        let time = budget.time_left().map_or(TIME, |left| TIME.min(left / PARTS_OF_TIME));
        let mut walker = Walker::new(net, subjects, asked);
        walker.start();
        let budget = budget.within(time);
        let mut length = FIRST;
        while !walker.is_done() && budget.go_on().is_ok() && !walker.is_stale() {
            walker.walk(length, &budget);
            length = (length + length / 2).min(LONGEST);
        }
        walker.survey
    }

    /// Whether one of these transitions was enabled.
    pub(super) fn sees(&self, transitions: &[TransitionId]) -> bool {
        transitions.iter().any(|t| self.enabled[t.index()])
    }
}

/// A condition of a transition on a place: so many tokens, or fewer.
#[derive(Clone, Copy, Default)]
struct Test {
    transition: u32,
    weight: u64,
}

/// A marking, and which transitions are enabled in it.
#[derive(Clone)]
struct Spot {
    tokens: Vec<u64>,
    /// For each transition, how many of its conditions are not met.
    missing: Vec<u32>,
    /// The enabled transitions, and where each stands in this list.
    enabled: Vec<u32>,
    position: Vec<u32>,
    /// The tokens of each subject that can change.
    sums: Vec<u128>,
}

struct Walker<'a> {
    net: &'a Net,
    subjects: &'a Subjects,
    asked: Global,
    /// For each place, the transitions that take from it and those that it inhibits, with weights.
    takers: Rows<Test>,
    inhibited: Rows<Test>,
    /// For each place, the subjects that it belongs to, once for each time that it does.
    pools: Rows<u32>,
    initial: Spot,
    random: Random,
    /// How often each transition fired.
    fired: Vec<u32>,
    run: Vec<TransitionId>,
    /// Transitions whose conditions changed in a step.
    touched: Vec<u32>,
    /// Work since something new was seen.
    stale: u64,
    unchanged: usize,
    walks: usize,
    survey: Survey,
}

impl<'a> Walker<'a> {
    fn new(net: &'a Net, subjects: &'a Subjects, asked: Global) -> Self {
        let nodes = net.nodes();
        let (places, transitions) = (nodes.places.len(), nodes.transitions.len());
        let tests = |arcs: fn(&'a Net, TransitionId) -> &'a [Arc]| {
            let of = move |t: TransitionId| {
                let test = move |arc: &Arc| {
                    (arc.place.index(), Test { transition: t.index() as u32, weight: arc.weight })
                };
                arcs(net, t).iter().map(test)
            };
            Rows::group(places, nodes.transition_ids().flat_map(of))
        };
        let members = subjects.places.iter().enumerate();
        let members = members.flat_map(|(at, pool)| pool.places.iter().map(move |p| (p.index(), at as u32)));
        let initial = net.initial_marking();
        let missing = |t: TransitionId| {
            let few = net.pre(t).iter().filter(|arc| initial.tokens(arc.place) < arc.weight);
            let many = net.inhibitors(t).iter().filter(|arc| initial.tokens(arc.place) >= arc.weight);
            (few.count() + many.count()) as u32
        };
        let missing: Vec<u32> = nodes.transition_ids().map(missing).collect();
        let enabled: Vec<u32> = (0..transitions as u32).filter(|&t| missing[t as usize] == 0).collect();
        let mut position = vec![u32::MAX; transitions];
        enabled.iter().enumerate().for_each(|(at, &t)| position[t as usize] = at as u32);
        let sums = subjects.places.iter().map(|pool| pool.initial(net)).collect();
        Self {
            net,
            subjects,
            asked,
            takers: tests(Net::pre),
            inhibited: tests(Net::inhibitors),
            pools: Rows::group(places, members),
            initial: Spot { tokens: initial.0.to_vec(), missing, enabled, position, sums },
            random: Random::new(transitions as u64),
            fired: vec![0; transitions],
            run: Vec::new(),
            touched: Vec::new(),
            stale: 0,
            unchanged: subjects.places.len(),
            walks: 0,
            survey: Survey {
                enabled: vec![false; transitions],
                changed: vec![false; subjects.places.len()],
                unsafe_run: None,
                loses: false,
            },
        }
    }

    /// Looks at the initial marking.
    fn start(&mut self) {
        self.initial.enabled.iter().for_each(|&t| self.survey.enabled[t as usize] = true);
        if self.initial.sums.iter().any(|&sum| sum > 1) {
            self.survey.unsafe_run = Some(Trace::default());
        }
    }

    fn is_stale(&self) -> bool {
        self.stale > (STALE + STALE_AN_ARC * self.net.arc_count() as u64).min(MAX_STALE)
    }

    fn is_done(&self) -> bool {
        match self.asked {
            Global::OneSafe => self.survey.unsafe_run.is_some(),
            Global::StableMarking => self.unchanged == 0,
            Global::QuasiLiveness => self.subjects.transitions.iter().all(|ts| self.survey.sees(ts)),
            Global::Liveness => self.survey.loses,
            Global::StateSpace => true,
        }
    }

    /// Walks so many steps from the initial marking, or to a deadlock.
    fn walk(&mut self, length: usize, budget: &Budget) {
        self.walks += 1;
        self.run.clear();
        let mut spot = self.initial.clone();
        self.stale += 1 + (spot.tokens.len() + spot.missing.len()) as u64;
        for step in 0..length {
            if step % PATIENCE == PATIENCE - 1 && (budget.go_on().is_err() || self.is_stale()) {
                break;
            }
            let Some(t) = self.choose(&spot) else { break };
            // A number that does not fit ends the walk.
            if !self.fire(&mut spot, t) {
                return;
            }
            let settled = matches!(self.asked, Global::OneSafe | Global::StableMarking) && self.is_done();
            if settled {
                return;
            }
        }
        if self.asked == Global::Liveness {
            self.survey.loses |= self.loses(&spot, budget);
        }
    }

    /// A transition that is enabled.
    fn choose(&mut self, spot: &Spot) -> Option<TransitionId> {
        if spot.enabled.is_empty() {
            return None;
        }
        let mut any = || spot.enabled[self.random.below(spot.enabled.len())];
        let first = any();
        let t = if self.walks % 2 == 1 {
            first
        } else {
            let second = any();
            if self.fired[second as usize] < self.fired[first as usize] { second } else { first }
        };
        self.fired[t as usize] = self.fired[t as usize].saturating_add(1);
        Some(TransitionId::new(t as usize))
    }

    /// Fires an enabled transition; `false` where a number does not fit.
    fn fire(&mut self, spot: &mut Spot, t: TransitionId) -> bool {
        let (pre, post) = (self.net.pre(t), self.net.post(t));
        let weight = |arcs: &[Arc], arc: &Arc| {
            arcs.binary_search_by_key(&arc.place, |a| a.place).map_or(0, |at| arcs[at].weight)
        };
        let fits =
            |arc: &Arc| (spot.tokens[arc.place.index()] - weight(pre, arc)).checked_add(arc.weight).is_some();
        if !post.iter().all(fits) {
            return false;
        }
        self.run.push(t);
        self.stale += 1 + (pre.len() + post.len()) as u64;
        for arc in pre {
            let next = spot.tokens[arc.place.index()] - arc.weight + weight(post, arc);
            self.set(spot, arc.place.index(), next);
        }
        for arc in post.iter().filter(|arc| weight(pre, arc) == 0) {
            self.set(spot, arc.place.index(), spot.tokens[arc.place.index()] + arc.weight);
        }
        self.note_sums(spot, t);
        // Only now is it a marking: what was enabled in between does not count.
        while let Some(touched) = self.touched.pop() {
            spot.update(touched);
            let seen = &mut self.survey.enabled[touched as usize];
            if spot.missing[touched as usize] == 0 && !*seen {
                *seen = true;
                self.stale = 0;
            }
        }
        true
    }

    /// Gives a place another number of tokens.
    fn set(&mut self, spot: &mut Spot, place: usize, next: u64) {
        let old = std::mem::replace(&mut spot.tokens[place], next);
        if old == next {
            return;
        }
        for &pool in &self.pools[place] {
            let sum = &mut spot.sums[pool as usize];
            *sum = *sum + u128::from(next) - u128::from(old);
        }
        let (takers, inhibited) = (&self.takers[place], &self.inhibited[place]);
        for (tests, inhibits) in [(takers, false), (inhibited, true)] {
            for test in tests {
                let (before, after) = (old >= test.weight, next >= test.weight);
                if before != after {
                    let missing = &mut spot.missing[test.transition as usize];
                    if after == inhibits {
                        *missing += 1
                    } else {
                        *missing -= 1
                    }
                    self.touched.push(test.transition);
                }
            }
        }
        self.stale += (takers.len() + inhibited.len()) as u64;
    }

    /// Takes note of what the subjects around a transition have.
    fn note_sums(&mut self, spot: &Spot, t: TransitionId) {
        for arc in self.net.pre(t).iter().chain(self.net.post(t)) {
            for &pool in &self.pools[arc.place.index()] {
                let (pool, sum) = (pool as usize, spot.sums[pool as usize]);
                if sum != self.initial.sums[pool] && !self.survey.changed[pool] {
                    self.survey.changed[pool] = true;
                    self.unchanged -= 1;
                    self.stale = 0;
                }
                if sum > 1 && self.asked == Global::OneSafe && self.survey.unsafe_run.is_none() {
                    self.survey.unsafe_run = Some(Trace(self.run.iter().map(|&t| Step::plain(t)).collect()));
                }
            }
        }
    }

    /// Whether after a marking some subject never fires again.
    fn loses(&mut self, spot: &Spot, budget: &Budget) -> bool {
        let subjects = &self.subjects.transitions;
        let lacks = |fires: &[bool]| subjects.iter().any(|ts| ts.iter().all(|t| !fires[t.index()]));
        if spot.enabled.is_empty() {
            return !subjects.is_empty();
        }
        let found =
            lacks(&self.could_fire(spot)) || self.fires_after(spot, budget).is_some_and(|f| lacks(&f));
        self.stale += self.net.arc_count() as u64;
        found
    }

    /// The transitions whose inputs can be marked one after the other. Weights and inhibitor arcs only take firings away.
    fn could_fire(&self, spot: &Spot) -> Vec<bool> {
        let mut missing: Vec<usize> =
            self.net.nodes().transition_ids().map(|t| self.net.pre(t).len()).collect();
        let mut fires: Vec<usize> = (0..missing.len()).filter(|&t| missing[t] == 0).collect();
        let mut marked: Vec<bool> = spot.tokens.iter().map(|&tokens| tokens > 0).collect();
        let mut open: Vec<usize> = (0..marked.len()).filter(|&place| marked[place]).collect();
        loop {
            if let Some(t) = fires.pop() {
                for arc in self.net.post(TransitionId::new(t)) {
                    if !std::mem::replace(&mut marked[arc.place.index()], true) {
                        open.push(arc.place.index());
                    }
                }
            } else if let Some(place) = open.pop() {
                for test in &self.takers[place] {
                    let missing = &mut missing[test.transition as usize];
                    *missing -= 1;
                    if *missing == 0 {
                        fires.push(test.transition as usize);
                    }
                }
            } else {
                return missing.into_iter().map(|missing| missing == 0).collect();
            }
        }
    }

    /// The transitions that fire in the markings that follow a marking, if these are few.
    fn fires_after(&mut self, spot: &Spot, budget: &Budget) -> Option<Vec<bool>> {
        let by_size = (MAX_COUNTS / spot.tokens.len().max(1)).min(MAX_TESTS / spot.missing.len().max(1));
        let most = MAX_FOLLOWERS.min(by_size);
        let mut fires = vec![false; spot.missing.len()];
        let first = Marking(spot.tokens[..].into());
        let (mut seen, mut open) = (HashSet::from([first.clone()]), vec![first]);
        while let Some(marking) = open.pop() {
            if seen.len() > most || budget.go_on().is_err() {
                return None;
            }
            self.stale += spot.missing.len() as u64;
            for t in self.net.nodes().transition_ids().filter(|&t| self.net.enabled(&marking, t).is_ok()) {
                fires[t.index()] = true;
                self.stale += COST_OF_FOLLOWER;
                let next = self.net.fire_transition(&marking, t).ok()?;
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        Some(fires)
    }
}

impl Spot {
    /// Adds a transition to the enabled ones or takes it away, as its conditions say.
    fn update(&mut self, transition: u32) {
        let (is, at) = (self.missing[transition as usize] == 0, self.position[transition as usize]);
        if is && at == u32::MAX {
            self.position[transition as usize] = self.enabled.len() as u32;
            self.enabled.push(transition);
        } else if !is && at != u32::MAX {
            self.position[transition as usize] = u32::MAX;
            self.enabled.swap_remove(at as usize);
            if let Some(&moved) = self.enabled.get(at as usize) {
                self.position[moved as usize] = at;
            }
        }
    }
}
