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

use fireset_kernel::random::Random;
use fireset_net::{
    Budget, Global, Marking, Net, PlaceId, Rows, Step, Trace, TransitionId,
    token_game::{TokenGame, TokenGameTable},
};

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
        let table = TokenGameTable::new(net);
        let mut walker = Walker::new(&table, subjects, asked);
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

struct Walker<'a> {
    net: &'a Net,
    subjects: &'a Subjects,
    asked: Global,
    game: TokenGame<'a>,
    /// For each place, the transitions that take from it.
    takers: Rows<u32>,
    /// For each transition, about what looking after a firing costs.
    costs: Vec<u64>,
    /// For each place, the subjects that it belongs to, once for each time that it does.
    pools: Rows<u32>,
    /// The tokens of each subject that can change, at first and now.
    initial: Vec<u128>,
    sums: Vec<u128>,
    random: Random,
    /// How often each transition fired.
    fired: Vec<u32>,
    run: Vec<TransitionId>,
    /// Work since something new was seen.
    stale: u64,
    unchanged: usize,
    walks: usize,
    survey: Survey,
}

impl<'a> Walker<'a> {
    fn new(table: &'a TokenGameTable<'a>, subjects: &'a Subjects, asked: Global) -> Self {
        let (net, nodes) = (table.net, table.net.nodes());
        let (places, transitions) = (table.places(), table.transitions());
        let takes = |t: TransitionId| net.pre(t).iter().map(move |arc| (arc.place.index(), t.index() as u32));
        let takers = Rows::group(places, nodes.transition_ids().flat_map(takes));
        let inhibits =
            |t: TransitionId| net.inhibitors(t).iter().map(move |arc| (arc.place.index(), t.index() as u32));
        let inhibited = Rows::group(places, nodes.transition_ids().flat_map(inhibits));
        let around = |place: PlaceId| takers[place.index()].len() + inhibited[place.index()].len();
        let cost = |t| {
            let arcs = net.pre(t).len() + net.post(t).len();
            (1 + arcs + net.changes(t).map(|change| around(change.place)).sum::<usize>()) as u64
        };
        let members = subjects.places.iter().enumerate();
        let members = members.flat_map(|(at, pool)| pool.places.iter().map(move |p| (p.index(), at as u32)));
        let initial: Vec<u128> = subjects.places.iter().map(|pool| pool.initial(net)).collect();
        Self {
            net,
            subjects,
            asked,
            game: TokenGame::new(table),
            costs: nodes.transition_ids().map(cost).collect(),
            takers,
            pools: Rows::group(places, members),
            sums: initial.clone(),
            initial,
            random: Random::new(transitions as u64),
            fired: vec![0; transitions],
            run: Vec::new(),
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
        self.game.enabled().iter().for_each(|&t| self.survey.enabled[t as usize] = true);
        if self.initial.iter().any(|&sum| sum > 1) {
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
        self.game.restart();
        self.sums.clone_from(&self.initial);
        self.stale += 1 + (self.game.tokens().len() + self.fired.len()) as u64;
        for step in 0..length {
            if step % PATIENCE == PATIENCE - 1 && (budget.go_on().is_err() || self.is_stale()) {
                break;
            }
            let Some(t) = self.choose() else { break };
            // A number that does not fit ends the walk.
            if !self.fire(t) {
                return;
            }
            let settled = matches!(self.asked, Global::OneSafe | Global::StableMarking) && self.is_done();
            if settled {
                return;
            }
        }
        if self.asked == Global::Liveness {
            self.survey.loses |= self.loses(budget);
        }
    }

    /// A transition that is enabled.
    fn choose(&mut self) -> Option<u32> {
        let enabled = self.game.enabled();
        if enabled.is_empty() {
            return None;
        }
        let mut any = || enabled[self.random.below(enabled.len())];
        let first = any();
        let t = if self.walks % 2 == 1 {
            first
        } else {
            let second = any();
            if self.fired[second as usize] < self.fired[first as usize] { second } else { first }
        };
        self.fired[t as usize] = self.fired[t as usize].saturating_add(1);
        Some(t)
    }

    /// Fires an enabled transition; `false` where a number does not fit.
    fn fire(&mut self, t: u32) -> bool {
        if !self.game.fire(t) {
            return false;
        }
        self.run.push(TransitionId::new(t as usize));
        self.stale += self.costs[t as usize];
        self.note_sums(t);
        // A firing may enable a transition and disable it again in between, which does not count.
        for &(touched, _) in self.game.flips() {
            let seen = &mut self.survey.enabled[touched as usize];
            if self.game.is_enabled(touched) && !*seen {
                *seen = true;
                self.stale = 0;
            }
        }
        true
    }

    /// Takes note of what the subjects around a transition that fired have.
    fn note_sums(&mut self, t: u32) {
        let changes = self.game.table.changes(t);
        for change in changes {
            for &pool in &self.pools[change.place as usize] {
                let sum = &mut self.sums[pool as usize];
                let tokens = u128::from(change.tokens);
                *sum = if change.gives { *sum + tokens } else { *sum - tokens };
            }
        }
        // Only when all are counted are they those of a marking.
        for change in changes {
            for &pool in &self.pools[change.place as usize] {
                let (pool, sum) = (pool as usize, self.sums[pool as usize]);
                if sum != self.initial[pool] && !self.survey.changed[pool] {
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

    /// Whether after the marking of the game some subject never fires again.
    fn loses(&mut self, budget: &Budget) -> bool {
        let subjects = &self.subjects.transitions;
        let lacks = |fires: &[bool]| subjects.iter().any(|ts| ts.iter().all(|t| !fires[t.index()]));
        if self.game.is_deadlock() {
            return !subjects.is_empty();
        }
        let found = lacks(&self.could_fire()) || self.fires_after(budget).is_some_and(|f| lacks(&f));
        self.stale += self.net.arc_count() as u64;
        found
    }

    /// The transitions whose inputs can be marked one after the other. Weights and inhibitor arcs only take firings away.
    fn could_fire(&self) -> Vec<bool> {
        let mut missing: Vec<usize> =
            self.net.nodes().transition_ids().map(|t| self.net.pre(t).len()).collect();
        let mut fires: Vec<usize> = (0..missing.len()).filter(|&t| missing[t] == 0).collect();
        let mut marked: Vec<bool> = self.game.tokens().iter().map(|&tokens| tokens > 0).collect();
        let mut open: Vec<usize> = (0..marked.len()).filter(|&place| marked[place]).collect();
        loop {
            if let Some(t) = fires.pop() {
                for arc in self.net.post(TransitionId::new(t)) {
                    if !std::mem::replace(&mut marked[arc.place.index()], true) {
                        open.push(arc.place.index());
                    }
                }
            } else if let Some(place) = open.pop() {
                for &taker in &self.takers[place] {
                    let missing = &mut missing[taker as usize];
                    *missing -= 1;
                    if *missing == 0 {
                        fires.push(taker as usize);
                    }
                }
            } else {
                return missing.into_iter().map(|missing| missing == 0).collect();
            }
        }
    }

    /// The transitions that fire in the markings that follow a marking, if these are few.
    fn fires_after(&mut self, budget: &Budget) -> Option<Vec<bool>> {
        let (tokens, transitions) = (self.game.tokens(), self.fired.len());
        let by_size = (MAX_COUNTS / tokens.len().max(1)).min(MAX_TESTS / transitions.max(1));
        let most = MAX_FOLLOWERS.min(by_size);
        let mut fires = vec![false; transitions];
        let first = Marking(tokens.into());
        let (mut seen, mut open) = (HashSet::from([first.clone()]), vec![first]);
        while let Some(marking) = open.pop() {
            if seen.len() > most || budget.go_on().is_err() {
                return None;
            }
            self.stale += transitions as u64;
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
