//! Certificates: arguments that something never happens, which another program can check.
//!
//! A run shows that a marking is reachable. That none is takes an argument about all markings; here are the two kinds
//! that are known. `replay` checks them from the definitions of the net and of the goal, and believes no number in them:
//! rows are built again from what they are about. Place/transition nets only.

use crate::{PlaceId, StatePredicate, TransitionId};

/// Shows that no reachable marking meets a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// The initial marking has this formula over places, every firing keeps it, and no marking of the goal has it.
    Inductive(StatePredicate),
    /// No solution of the state equation, with what traps, siphons and whole numbers add, meets the goal.
    Refutation(Refutation),
}

/// A tree of cases over a run to the goal: its counts `x` of firings and its marking `m = m0 + C x`. In each leaf the
/// inequalities that hold there contradict each other.
///
/// A *part* of the goal is named by the positions on the way to it from the whole. Negations have no position, nor have conjunctions and
/// disjunctions of one operand. The
/// parts of a conjunction all hold, and of a disjunction one does; of what is negated it is the other way round. An
/// equivalence says that both sides have the value or that the first is true, first, or that it is false, and each of
/// these has two parts. A comparison is an inequality; `=` is two of them, at least and at most, of which both hold,
/// and `!=` two, above and below. That transitions are enabled has a part for each, which has one for each input arc and then
/// one for each inhibitor arc, all of which hold. That they are not has a part for each too, all of which hold, and of
/// each the same arcs, one of which does not hold. A deadlock is about all transitions of the net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// The premises, each as often as its number says, sum up to an inequality that no run satisfies: no count has a
    /// factor above 0, and the sum must be above 0.
    Contradiction(Vec<(Premise, i128)>),
    /// One of the cases is true of every run to the goal, and each is refuted, in their order.
    Cases(Choice, Vec<Refutation>),
}

/// An inequality that holds in a leaf. As factors and counts of firings are whole numbers, its row over the counts may be
/// divided by the common divisor of its factors, and its right side rounded up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Premise {
    /// The place has no less than 0 tokens.
    Place(PlaceId),
    /// The part of the goal, which is an inequality. Each disjunction on the way to it has one part only, or is chosen.
    Goal(Vec<u32>),
    /// What was chosen with this number of choices before it, unless that was a part of the goal.
    Case(usize),
    /// The only alternative of a cut.
    Cut(Cut),
}

/// What one of several alternatives is true of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A part of the goal that is a disjunction: one case for each of its parts.
    Goal(Vec<u32>),
    /// Two cases: at most this number, and at least one more.
    Whole(Counted, i128),
    /// One case for each alternative of a cut.
    Cut(Cut),
}

/// What is counted in whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The tokens of these places together, in the last marking.
    Tokens(Vec<PlaceId>),
    /// The firings of these transitions together.
    Firings(Vec<TransitionId>),
}

/// What every run obeys, since its firings have an order. A transition takes from places, or gives to them, where it has
/// an arc from or to one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Places that stay marked, once they are, until a transition fires that takes from them and gives nothing to them.
    /// The alternatives: there is a token on them in the last marking; such a transition fires, if there is one;
    /// nothing that gives to them fires, if they are empty at the start.
    Emptying(Vec<PlaceId>),
    /// Places that are empty at the start, and stay so until a transition fires that gives to them and takes nothing from
    /// them. The alternatives: nothing that takes from them fires; such a transition fires, if there is one.
    Filling(Vec<PlaceId>),
}
