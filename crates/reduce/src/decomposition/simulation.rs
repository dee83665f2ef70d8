//! Random simulation of a net that decides most parts of a global property: transitions that are enabled at some time, places
//! that change, a place that gets a second token, a marking after which some transition never fires again.
//!
//! Why: of thousands of places and transitions nearly all are decided within a fraction of a second, and few parts stay open.
//! Half of the walks take any enabled transition, half take of two the one that fired less often, which gets
//! further where some firings are many. Walks start again from the initial marking and get longer.
//!
//! For liveness the marking at the end of a walk is examined: a deadlock, or places that are empty and that only transitions
//! fill which take from them (an empty siphon, Commoner), show that some transition never fires again. So do transitions
//! that never fire in the markings that follow, if these are few and are visited completely.
//!
//! Invariant: each fact was seen in a marking that a run leads to. The absence of a fact says nothing.
//! Cost: a firing tests the transitions around the places that it changes; a time limit, and an end when no new fact was
//! found for long. Test: `tests.rs`, and `tests/divide.rs`.

use std::{collections::HashSet, time::Duration};

use fireset_kernel::random::Random;
use fireset_net::{
    Budget, Global, Marking, Net, PlaceId, Rows, Step, Trace, TransitionId,
    token_game::{TokenGame, TokenGameTable},
};
use fireset_structure::{NetStructure, traps::FiringColumns};

use super::GlobalScope;

const MAX_TIME: Duration = Duration::from_secs(2);
/// The remaining time divided by this limits a simulation.
const TIME_SHARE: u32 = 6;
/// Steps of the first walk; each is longer than the last.
const FIRST_LENGTH: usize = 256;
const MAX_LENGTH: usize = 1 << 20;
/// Tests of transitions without a new fact after which the simulation of any net ends.
const STALE: u64 = 10_000;
/// Further tests for each arc of the net.
const STALE_PER_ARC: u64 = 2_000;
/// The most tests without a new fact, however many arcs there are.
const MAX_STALE: u64 = 12_000_000;
/// Steps between two checks of the budget.
const STEPS_PER_CHECK: usize = 1 << 10;
/// Markings that can follow a walk; where there are more they are not visited.
const MAX_FOLLOWERS: usize = 3_000;
/// Token counts in these markings together.
const MAX_COUNTS: usize = 3_000_000;
/// Tests of transitions in these markings together.
const MAX_TESTS: usize = 1_000_000;
/// The cost of one such marking, in tests.
const COST_OF_FOLLOWER: u64 = 16;

/// The facts that a simulation found.
pub(super) struct SimulationFacts {
    /// The transitions that were enabled in some marking.
    pub(super) enabled: Vec<bool>,
    /// The places of the scope whose number of tokens was another than at the start.
    pub(super) changed: Vec<bool>,
    /// A run to a marking in which a place of the scope has two tokens.
    pub(super) unsafe_run: Option<Trace>,
    /// Whether after some marking a transition of the scope never fires again.
    pub(super) is_not_live: bool,
}

impl SimulationFacts {
    /// Simulates until the property is decided, or no new facts come.
    pub(super) fn of(net: &Net, scope: &GlobalScope, property: Global, budget: &Budget) -> Self {
        let time = budget.time_left().map_or(MAX_TIME, |left| MAX_TIME.min(left / TIME_SHARE));
        let table = TokenGameTable::new(net);
        let mut walker = SimulationWalker::new(&table, scope, property);
        walker.start();
        let budget = budget.within(time);
        let mut length = FIRST_LENGTH;
        while !walker.is_done() && budget.go_on().is_ok() && !walker.is_stale() {
            walker.walk(length, &budget);
            length = (length + length / 2).min(MAX_LENGTH);
        }
        walker.facts
    }

    /// Whether one of these transitions was enabled.
    pub(super) fn sees(&self, transitions: &[TransitionId]) -> bool {
        transitions.iter().any(|t| self.enabled[t.index()])
    }
}

struct SimulationWalker<'a> {
    net: &'a Net,
    scope: &'a GlobalScope,
    property: Global,
    game: TokenGame<'a>,
    /// For each transition, about how many tests a firing of it costs.
    costs: Vec<u64>,
    /// For each place of the net, the sums that it belongs to, as often as it does.
    sums_of: Rows<u32>,
    /// The tokens of each place of the scope, at the start and now.
    initial: Vec<u128>,
    sums: Vec<u128>,
    random: Random,
    /// How often each transition fired.
    fired: Vec<u32>,
    run: Vec<TransitionId>,
    /// Tests since the last new fact.
    stale: u64,
    unchanged: usize,
    walks: usize,
    facts: SimulationFacts,
}

impl<'a> SimulationWalker<'a> {
    fn new(table: &'a TokenGameTable<'a>, scope: &'a GlobalScope, property: Global) -> Self {
        let (net, nodes) = (table.net, table.net.nodes());
        let (places, transitions) = (table.places(), table.transitions());
        let takes = |t: TransitionId| net.pre(t).iter().map(move |arc| (arc.place.index(), t.index() as u32));
        let consumers = Rows::group(places, nodes.transition_ids().flat_map(takes));
        let inhibits =
            |t: TransitionId| net.inhibitors(t).iter().map(move |arc| (arc.place.index(), t.index() as u32));
        let inhibited = Rows::group(places, nodes.transition_ids().flat_map(inhibits));
        let around = |place: PlaceId| consumers[place.index()].len() + inhibited[place.index()].len();
        let cost = |t| {
            let arcs = net.pre(t).len() + net.post(t).len();
            (1 + arcs + net.changes(t).map(|change| around(change.place)).sum::<usize>()) as u64
        };
        let members = scope.places.iter().enumerate();
        let members = members.flat_map(|(at, sum)| sum.places.iter().map(move |p| (p.index(), at as u32)));
        let initial: Vec<u128> = scope.places.iter().map(|sum| sum.initial(net)).collect();
        Self {
            net,
            scope,
            property,
            game: TokenGame::new(table),
            costs: nodes.transition_ids().map(cost).collect(),
            sums_of: Rows::group(places, members),
            sums: initial.clone(),
            initial,
            random: Random::new(transitions as u64),
            fired: vec![0; transitions],
            run: Vec::new(),
            stale: 0,
            unchanged: scope.places.len(),
            walks: 0,
            facts: SimulationFacts {
                enabled: vec![false; transitions],
                changed: vec![false; scope.places.len()],
                unsafe_run: None,
                is_not_live: false,
            },
        }
    }

    /// Records the facts of the initial marking.
    fn start(&mut self) {
        self.game.enabled().iter().for_each(|&t| self.facts.enabled[t as usize] = true);
        if self.initial.iter().any(|&sum| sum > 1) {
            self.facts.unsafe_run = Some(Trace::default());
        }
    }

    fn is_stale(&self) -> bool {
        self.stale > (STALE + STALE_PER_ARC * self.net.arc_count() as u64).min(MAX_STALE)
    }

    fn is_done(&self) -> bool {
        match self.property {
            Global::OneSafe => self.facts.unsafe_run.is_some(),
            Global::StableMarking => self.unchanged == 0,
            Global::QuasiLiveness => self.scope.transitions.iter().all(|ts| self.facts.sees(ts)),
            Global::Liveness => self.facts.is_not_live,
            Global::StateSpace => true,
        }
    }

    /// Walks this number of steps from the initial marking, or to a deadlock.
    fn walk(&mut self, length: usize, budget: &Budget) {
        self.walks += 1;
        self.run.clear();
        self.game.restart();
        self.sums.clone_from(&self.initial);
        self.stale += 1 + (self.game.tokens().len() + self.fired.len()) as u64;
        for step in 0..length {
            if step % STEPS_PER_CHECK == STEPS_PER_CHECK - 1 && (budget.go_on().is_err() || self.is_stale()) {
                break;
            }
            let Some(t) = self.choose() else { break };
            // A number that does not fit ends the walk.
            if !self.fire(t) {
                return;
            }
            let is_decided =
                matches!(self.property, Global::OneSafe | Global::StableMarking) && self.is_done();
            if is_decided {
                return;
            }
        }
        if self.property == Global::Liveness {
            self.facts.is_not_live |= self.loses_a_transition(budget);
        }
    }

    /// Draws an enabled transition.
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
        self.record_sums(t);
        // A firing may enable a transition and disable it again in between, which does not count.
        for &(touched, _) in self.game.flips() {
            let seen = &mut self.facts.enabled[touched as usize];
            if self.game.is_enabled(touched) && !*seen {
                *seen = true;
                self.stale = 0;
            }
        }
        true
    }

    /// Updates the sums that a transition changed, and the facts about them.
    fn record_sums(&mut self, t: u32) {
        let changes = self.game.table.changes(t);
        for change in changes {
            for &sum_id in &self.sums_of[change.place as usize] {
                let sum = &mut self.sums[sum_id as usize];
                let tokens = u128::from(change.tokens);
                *sum = if change.gives { *sum + tokens } else { *sum - tokens };
            }
        }
        // The sums are those of a marking only when all changes are counted.
        for change in changes {
            for &sum_id in &self.sums_of[change.place as usize] {
                let (at, sum) = (sum_id as usize, self.sums[sum_id as usize]);
                if sum != self.initial[at] && !self.facts.changed[at] {
                    self.facts.changed[at] = true;
                    self.unchanged -= 1;
                    self.stale = 0;
                }
                if sum > 1 && self.property == Global::OneSafe && self.facts.unsafe_run.is_none() {
                    self.facts.unsafe_run = Some(Trace(self.run.iter().map(|&t| Step::plain(t)).collect()));
                }
            }
        }
    }

    /// Whether after the current marking some transition of the scope never fires again.
    fn loses_a_transition(&mut self, budget: &Budget) -> bool {
        let transitions = &self.scope.transitions;
        let lacks = |fires: &[bool]| transitions.iter().any(|ts| ts.iter().all(|t| !fires[t.index()]));
        if self.game.is_deadlock() {
            return !transitions.is_empty();
        }
        let found = lacks(&self.could_fire()) || self.fires_after(budget).is_some_and(|f| lacks(&f));
        self.stale += self.net.arc_count() as u64;
        found
    }

    /// The transitions that take from no empty siphon of the current marking; the others never fire again.
    fn could_fire(&self) -> Vec<bool> {
        let is_empty = self.game.tokens().iter().map(|&tokens| tokens == 0).collect();
        let siphon = NetStructure::of(self.net).greatest_siphon(is_empty, FiringColumns::All);
        let is_dead = |t| self.net.pre(t).iter().any(|arc| siphon[arc.place.index()]);
        self.net.nodes().transition_ids().map(|t| !is_dead(t)).collect()
    }

    /// The transitions that fire in the markings that follow the current one, if these are few.
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
