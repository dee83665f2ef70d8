//! Structural reductions: a place/transition net becomes a smaller one that answers the same queries.
//!
//! Why: the states of a net grow with its places and transitions, and queries see few of them. What has to be preserved is a
//! [`Preservation`]: places, transitions and a [`PreservationLevel`] of behaviour. Rules declare the highest level that they
//! preserve, and are used where that is at least the level of the queries; each proves it at the head of its file.
//!
//! | rule | preserves up to | what goes |
//! |---|---|---|
//! | `invariants` | exact | transitions that place invariants never let fire |
//! | `equation_dead` | exact | transitions that the state equation never lets fire |
//! | `implicit` | exact | places that the state equation shows to be superfluous |
//! | `siphon` | exact | transitions that take from places which stay empty |
//! | `dead_transition` | exact | dead transitions by one place, inhibitor arcs that never block |
//! | `dominated_transition` | exact | transitions that do what another does more easily; parallel ones |
//! | `sink` | exact | places that nothing takes from |
//! | `redundant_place` | exact | redundant places; constant ones, also where they are counted, and isolated ones |
//! | `dominated_place` | exact | places that another makes superfluous; parallel ones, also where they are counted |
//! | `gcd` | exact | common divisors of a place's weights |
//! | `post_agglomeration` | branching | a place with a single unconditional consumer |
//! | `post_fork` | linear | a place with several unconditional consumers |
//! | `pre_agglomeration` | branching | a place with a single producer that only prepares |
//! | `pre_join` | linear | a place with several such producers |
//! | `fusion` | branching | places between which tokens move freely become one |
//! | `source_transition` | deadlock | places that a source transition can fill at any time |
//! | `neutral_transition` | deadlock | neutral transitions that are never the only enabled ones |
//! | `free_agglomeration` | reachability | a place whose producers do nothing else |
//! | `consuming_transition` | reachability | transitions that only consume tokens |
//! | `cone` | reachability | what cannot act on the visible places |
//!
//! Levels are a chain: reachability (predicates, bounds), deadlock, linear (LTL without X), branching (CTL without X),
//! exact (X, and deadlocks that are negated or inside temporal operators). Queries about
//! the whole net let nothing change.
//!
//! A visible place is one that is counted in a comparison or a bound, or one that a transition depends on whose firing is
//! asked about. Rules that change no transition's enabling may remove places of the second kind.
//!
//! Invariants: 1. a run of the reduced net expanded (`firing_sequences`), with moves between fused places where they are needed
//! (`token_moves`), is a run of the net, and ends with the same visible tokens; 2. places that are counted stay, with their
//! tokens, or another place or a number substitutes them; 3. a transition that is asked about stays, is dead, has an
//! heir that is enabled in the same markings, or places that are counted tell when it could fire.
//! Cost: near linear in the net for each round of the fixpoint, and few rounds.
//! Test: `tests/rules.rs`, each rule alone, pairs and all, against the reference checker.

mod agglomerate;
mod arcs;
mod cone;
mod consuming_transition;
mod dead_transition;
mod dominated_place;
mod dominated_transition;
mod equation;
mod finish;
mod firing_sequences;
mod fixpoint;
mod fusion;
mod gcd;
mod invariants;
mod lift;
mod mutable_net;
mod neutral_transition;
mod pass;
mod post;
mod pre;
mod preservation;
mod redundant_place;
mod sink;
mod siphon;
mod source_transition;
mod token_moves;

use std::fmt;

use fireset_net::{Budget, Net, PlaceId, Query, TransitionId};
use lift::BackMapping;
use mutable_net::MutableNet;
pub use pass::Reduce;
pub use preservation::{Preservation, PreservationLevel};

/// A rule that makes a net smaller.
#[derive(Clone, Copy)]
pub struct ReductionRule {
    /// The name in statistics.
    pub name: &'static str,
    /// The highest level that it preserves.
    pub preserves: PreservationLevel,
    target: RuleTarget,
}

impl fmt::Debug for ReductionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Where a rule is applied, and how. The function tells whether it did something, or how often.
#[derive(Clone, Copy)]
enum RuleTarget {
    /// Once, with the net as it was.
    Start(fn(&mut MutableNet, &Net, &Budget) -> usize),
    Net(fn(&mut MutableNet) -> usize),
    Place(fn(&mut MutableNet, PlaceId) -> bool),
    Transition(fn(&mut MutableNet, TransitionId) -> bool),
}

const fn rule(name: &'static str, preserves: PreservationLevel, target: RuleTarget) -> ReductionRule {
    ReductionRule { name, preserves, target }
}

/// All rules, in the order in which they are tried.
pub const RULES: [ReductionRule; 20] = [
    rule("invariants", PreservationLevel::Exact, RuleTarget::Start(invariants::apply)),
    rule("equation_dead", PreservationLevel::Exact, RuleTarget::Start(equation::apply_dead)),
    rule("implicit", PreservationLevel::Exact, RuleTarget::Start(equation::apply_implicit)),
    rule("siphon", PreservationLevel::Exact, RuleTarget::Net(siphon::apply)),
    rule("cone", PreservationLevel::Reachability, RuleTarget::Net(cone::apply)),
    rule("dominated_transition", PreservationLevel::Exact, RuleTarget::Net(dominated_transition::apply)),
    rule("fusion", PreservationLevel::Branching, RuleTarget::Net(fusion::apply)),
    rule("dead_transition", PreservationLevel::Exact, RuleTarget::Place(dead_transition::apply)),
    rule("sink", PreservationLevel::Exact, RuleTarget::Place(sink::apply)),
    rule("redundant_place", PreservationLevel::Exact, RuleTarget::Place(redundant_place::apply)),
    rule("dominated_place", PreservationLevel::Exact, RuleTarget::Place(dominated_place::apply)),
    rule("gcd", PreservationLevel::Exact, RuleTarget::Place(gcd::apply)),
    rule(
        "consuming_transition",
        PreservationLevel::Reachability,
        RuleTarget::Transition(consuming_transition::apply),
    ),
    rule(
        "neutral_transition",
        PreservationLevel::Deadlock,
        RuleTarget::Transition(neutral_transition::apply),
    ),
    rule("source_transition", PreservationLevel::Deadlock, RuleTarget::Transition(source_transition::apply)),
    rule("post_agglomeration", PreservationLevel::Branching, RuleTarget::Place(post::apply)),
    rule("pre_agglomeration", PreservationLevel::Branching, RuleTarget::Place(pre::apply)),
    rule("post_fork", PreservationLevel::Linear, RuleTarget::Place(post::apply_fork)),
    rule("pre_join", PreservationLevel::Linear, RuleTarget::Place(pre::apply_join)),
    rule("free_agglomeration", PreservationLevel::Reachability, RuleTarget::Place(pre::apply_free)),
];

/// Some of the [`RULES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleSet(u32);

impl RuleSet {
    /// No rule is applied.
    pub const NONE: Self = Self(0);

    /// Those that look at one part of the net after the other. The rest needs no second look, since it does not depend on
    /// what the queries see, and takes longest.
    #[must_use]
    pub fn local() -> Self {
        let is_local = |at: &usize| !matches!(RULES[*at].target, RuleTarget::Start(_));
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
    /// Every rule of the table.
    fn default() -> Self {
        Self((1 << RULES.len()) - 1)
    }
}

/// The number of nodes of a net.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetSize {
    #[allow(missing_docs)]
    pub places: usize,
    #[allow(missing_docs)]
    pub transitions: usize,
}

impl NetSize {
    fn of(net: &Net) -> Self {
        Self { places: net.nodes().places.len(), transitions: net.nodes().transitions.len() }
    }
}

/// The effect of a reduction on the size of a net, and of each rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReductionStatistics {
    /// Of the net that was reduced.
    pub before: NetSize,
    /// Of the net that it became.
    pub after: NetSize,
    /// How often each of the [`RULES`] was applied.
    pub applications: [usize; RULES.len()],
}

/// A reduced net with queries about it.
#[derive(Clone, Debug)]
pub struct ReducedNet {
    /// Nodes that stay keep their order and names.
    pub net: Net,
    /// The queries about the smaller net, in the order of those about the larger one.
    pub queries: Vec<Query>,
    /// Sizes, and how often each rule was applied.
    pub statistics: ReductionStatistics,
    back_mapping: BackMapping,
}

/// Reduces a net as far as all rules go and the queries allow; `None` where no rule does anything. When the budget
/// ends it stops with what it has.
pub fn reduce(net: &Net, queries: &[Query], budget: &Budget) -> Option<ReducedNet> {
    reduce_with(net, queries, RuleSet::default(), budget)
}

/// [`reduce`] with some of the rules.
pub fn reduce_with(net: &Net, queries: &[Query], rules: RuleSet, budget: &Budget) -> Option<ReducedNet> {
    let preservation = Preservation::of(net, queries)?;
    let usable = |at: &usize| rules.has(*at) && RULES[*at].preserves >= preservation.level;
    let used: Vec<usize> = (0..RULES.len()).filter(usable).collect();
    let chosen: Vec<&ReductionRule> = used.iter().map(|&at| &RULES[at]).collect();
    let mut mutable = MutableNet::new(net, &preservation);
    let counts = fixpoint::run(&mut mutable, net, &chosen, budget);
    if counts.iter().all(|&count| count == 0) {
        return None;
    }
    let mut applications = [0; RULES.len()];
    used.into_iter().zip(counts).for_each(|(at, count)| applications[at] = count);
    // Names and weights were those of a net before, and what is new was checked.
    let (smaller, renaming) = finish::build(&mutable, net).ok()?;
    let statistics =
        ReductionStatistics { before: NetSize::of(net), after: NetSize::of(&smaller), applications };
    let queries = queries.iter().map(|query| renaming.query(query)).collect();
    let sequence_of = mutable.transitions().map(|t| mutable.sequence(t)).collect();
    let back_mapping = BackMapping {
        sequence_of,
        initial_sequences: mutable.initial_sequences,
        sequences: mutable.sequences,
        token_moves: mutable.token_moves,
    };
    Some(ReducedNet { net: smaller, queries, statistics, back_mapping })
}
