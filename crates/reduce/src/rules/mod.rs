//! Structural reductions: a place/transition net becomes a smaller one that answers the same queries.
//!
//! Why: the states of a net grow with its places and transitions, and queries see few of them. What they see is a
//! [`Demand`]: places, transitions and a [`Level`] of behaviour. Rules declare the highest level that they preserve, and are
//! used where that is at least what is demanded; each proves it at the head of its file.
//!
//! | rule | preserves up to | what goes |
//! |---|---|---|
//! | `invariants` | exact | transitions that place invariants never let fire |
//! | `equation_dead` | exact | transitions that the state equation never lets fire |
//! | `implicit` | exact | places that the state equation shows to be superfluous |
//! | `siphon` | exact | transitions that take from places which stay empty |
//! | `starved` | exact | transitions that one place never lets fire, inhibitor arcs that never block |
//! | `dominated_transition` | exact | transitions that do what another does more easily; parallel ones |
//! | `sink` | exact | places that nothing takes from |
//! | `enough` | exact | places that never disable anything; constant ones, also where they are counted, and isolated ones |
//! | `dominated_place` | exact | places that another makes superfluous; parallel ones, also where they are counted |
//! | `gcd` | exact | common divisors of a place's weights |
//! | `post_agglomeration` | branching | a place with a single unconditional consumer |
//! | `post_fork` | linear | a place with several unconditional consumers |
//! | `pre_agglomeration` | branching | a place with a single producer that only prepares |
//! | `pre_join` | linear | a place with several such producers |
//! | `fusion` | branching | places between which tokens move freely become one |
//! | `fountain` | deadlock | places that can be filled at any time |
//! | `idle` | deadlock | transitions without effect that are never the only enabled one |
//! | `free_agglomeration` | reachability | a place whose producers do nothing else |
//! | `futile` | reachability | transitions that only take away |
//! | `cone` | reachability | what cannot act on the visible places |
//!
//! Levels are a chain: reachability (predicates, bounds), deadlock, linear (LTL without X), branching (CTL without X),
//! exact (X, and deadlocks that are negated or inside temporal operators). Queries about the whole net demand that nothing changes.
//!
//! A visible place is one that is counted in a comparison or a bound, or one that a transition depends on whose firing is
//! asked about. Rules that change no transition's enabling may remove places of the second kind.
//!
//! Invariants: 1. a run of the reduced net spelled out (`words`), with moves between fused places where they are needed
//! (`movers`), is a run of the net, and ends with the same visible tokens; 2. places that are counted stay, with their
//! tokens, or another place or a number tells them; 3. a transition that is asked about stays, is dead, has an
//! heir that is enabled in the same markings, or places that are counted tell when it could fire.
//! Cost: near linear in the net for each round of the fixpoint, and few rounds.
//! Test: `tests/rules.rs`, each rule alone, pairs and all, against the reference checker.

mod agglomerate;
mod arcs;
mod cone;
mod demand;
mod dominated_place;
mod dominated_transition;
mod draft;
mod enough;
mod equation;
mod finish;
mod fixpoint;
mod fountain;
mod fusion;
mod futile;
mod gcd;
mod idle;
mod invariants;
mod lift;
mod movers;
mod pass;
mod post;
mod pre;
mod sink;
mod siphon;
mod starved;
mod words;

use std::fmt;

pub use demand::{Demand, Level};
use draft::Draft;
use fireset_net::{Budget, Net, PlaceId, Query, TransitionId};
use lift::Legend;
pub use pass::Reduce;

/// A rule.
#[derive(Clone, Copy)]
pub struct Rule {
    /// What statistics call it.
    pub name: &'static str,
    /// The highest level that it preserves.
    pub preserves: Level,
    focus: Focus,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Where a rule is applied, and how; it tells whether it did something, or how often.
#[derive(Clone, Copy)]
enum Focus {
    /// Once, on the net as it was.
    Start(fn(&mut Draft, &Net, &Budget) -> usize),
    /// On the whole net.
    Net(fn(&mut Draft) -> usize),
    /// At a place.
    Place(fn(&mut Draft, PlaceId) -> bool),
    /// At a transition.
    Transition(fn(&mut Draft, TransitionId) -> bool),
}

const fn rule(name: &'static str, preserves: Level, focus: Focus) -> Rule {
    Rule { name, preserves, focus }
}

/// All rules, in the order in which they are tried.
pub const RULES: [Rule; 20] = [
    rule("invariants", Level::Exact, Focus::Start(invariants::apply)),
    rule("equation_dead", Level::Exact, Focus::Start(equation::apply_dead)),
    rule("implicit", Level::Exact, Focus::Start(equation::apply_implicit)),
    rule("siphon", Level::Exact, Focus::Net(siphon::apply)),
    rule("cone", Level::Reachability, Focus::Net(cone::apply)),
    rule("dominated_transition", Level::Exact, Focus::Net(dominated_transition::apply)),
    rule("fusion", Level::Branching, Focus::Net(fusion::apply)),
    rule("starved", Level::Exact, Focus::Place(starved::apply)),
    rule("sink", Level::Exact, Focus::Place(sink::apply)),
    rule("enough", Level::Exact, Focus::Place(enough::apply)),
    rule("dominated_place", Level::Exact, Focus::Place(dominated_place::apply)),
    rule("gcd", Level::Exact, Focus::Place(gcd::apply)),
    rule("futile", Level::Reachability, Focus::Transition(futile::apply)),
    rule("idle", Level::Deadlock, Focus::Transition(idle::apply)),
    rule("fountain", Level::Deadlock, Focus::Transition(fountain::apply)),
    rule("post_agglomeration", Level::Branching, Focus::Place(post::apply)),
    rule("pre_agglomeration", Level::Branching, Focus::Place(pre::apply)),
    rule("post_fork", Level::Linear, Focus::Place(post::apply_fork)),
    rule("pre_join", Level::Linear, Focus::Place(pre::apply_join)),
    rule("free_agglomeration", Level::Reachability, Focus::Place(pre::apply_free)),
];

/// Some of the [`RULES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleSet(u32);

impl RuleSet {
    /// None of them.
    pub const NONE: Self = Self(0);

    /// Those that look at one part of the net after the other. The rest needs no second look, since it does not depend on
    /// what the queries see, and takes longest.
    #[must_use]
    pub fn local() -> Self {
        let is_local = |at: &usize| !matches!(RULES[*at].focus, Focus::Start(_));
        (0..RULES.len()).filter(is_local).fold(Self::NONE, Self::with)
    }

    /// These and the rule at a position of [`RULES`].
    #[must_use]
    pub fn with(self, at: usize) -> Self {
        Self(self.0 | 1 << at)
    }

    fn has(self, at: usize) -> bool {
        self.0 & 1 << at != 0
    }
}

impl Default for RuleSet {
    /// All of them.
    fn default() -> Self {
        Self((1 << RULES.len()) - 1)
    }
}

/// How large a net is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Its places.
    pub places: usize,
    /// Its transitions.
    pub transitions: usize,
}

impl Size {
    fn of(net: &Net) -> Self {
        Self { places: net.nodes().places.len(), transitions: net.nodes().transitions.len() }
    }
}

/// What a reduction did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structural {
    /// The net before.
    pub before: Size,
    /// The net after.
    pub after: Size,
    /// How often each of the [`RULES`] was applied.
    pub applications: [usize; RULES.len()],
}

/// A reduced net with queries about it.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The smaller net.
    pub net: Net,
    /// The queries, in the same order.
    pub queries: Vec<Query>,
    /// What was done.
    pub statistics: Structural,
    legend: Legend,
}

/// Reduces a net as far as all rules go and the queries allow; `None` where no rule does anything. When the budget
/// ends it stops with what it has.
pub fn reduce(net: &Net, queries: &[Query], budget: &Budget) -> Option<Reduction> {
    reduce_with(net, queries, RuleSet::default(), budget)
}

/// [`reduce`] with some of the rules.
pub fn reduce_with(net: &Net, queries: &[Query], rules: RuleSet, budget: &Budget) -> Option<Reduction> {
    let demand = Demand::of(net, queries)?;
    let usable = |at: &usize| rules.has(*at) && RULES[*at].preserves >= demand.level;
    let used: Vec<usize> = (0..RULES.len()).filter(usable).collect();
    let chosen: Vec<&Rule> = used.iter().map(|&at| &RULES[at]).collect();
    let mut draft = Draft::new(net, &demand);
    let counts = fixpoint::run(&mut draft, net, &chosen, budget);
    if counts.iter().all(|&count| count == 0) {
        return None;
    }
    let mut applications = [0; RULES.len()];
    used.into_iter().zip(counts).for_each(|(at, count)| applications[at] = count);
    // Names and weights were those of a net before, and what is new was checked.
    let (smaller, renaming) = finish::build(&draft, net).ok()?;
    let statistics = Structural { before: Size::of(net), after: Size::of(&smaller), applications };
    let queries = queries.iter().map(|query| renaming.query(query)).collect();
    let word_of = draft.transitions().map(|t| draft.word(t)).collect();
    let legend = Legend { word_of, begin: draft.begin, words: draft.words, movers: draft.movers };
    Some(Reduction { net: smaller, queries, statistics, legend })
}
