//! Which transitions may fire beside a literal: out of a marking that has it, and into one.
//!
//! A transition `t` that fires says something of both markings: the one before has the tokens that `t` takes, the one after those that
//! it gives, and a place semiflow says how many others there can be beside them. Where an atom has its value already by these
//! ranges of counts, `t` does not fire beside the other value. What is not decided by ranges counts as possible.
//!
//! Cost: transitions times the places of the atoms, once for each literal. Test: `tests/pruning.rs`.

use std::{collections::HashMap, sync::Arc};

use fireset_kernel::{automata::AtomLiteral, bits::Bits};
use fireset_net::{Arc as NetArc, BoolTree, Comparison, Net, PlaceId, StatePredicate, TransitionId};
use fireset_structure::PlaceSemiflows;

use crate::search::{Predicate, PredicateAtom, compile};

/// Transitions of one atom up to which the arcs of each are compared.
const MAX_COMPARED: usize = 64;
/// Semiflows of a place that are looked at.
const MAX_SEMIFLOWS: usize = 8;
/// Counts and arcs that are looked at for one literal; beyond that every transition may fire beside it.
const MAX_LOOKS: usize = 10_000_000;

/// The two markings of a firing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum StepEnd {
    Before,
    After,
}

/// The transitions that may fire beside each literal.
pub(super) struct LiteralSteps<'a> {
    net: &'a Net,
    semiflows: Arc<PlaceSemiflows>,
    atoms: Vec<Predicate>,
    known: HashMap<(AtomLiteral, StepEnd), Bits>,
}

impl<'a> LiteralSteps<'a> {
    pub(super) fn new(net: &'a Net, semiflows: Arc<PlaceSemiflows>, atoms: &[StatePredicate]) -> Self {
        Self { net, semiflows, atoms: atoms.iter().map(compile).collect(), known: HashMap::new() }
    }

    /// The transitions that may fire out of a marking, or into one, whose letter is in a cube.
    pub(super) fn of_cube(&mut self, cube: &[AtomLiteral], end: StepEnd) -> Bits {
        let all = Bits::filled(self.net.nodes().transitions.len(), true);
        cube.iter().fold(all, |possible, &literal| possible.and(self.of_literal(literal, end)))
    }

    fn of_literal(&mut self, literal: AtomLiteral, end: StepEnd) -> &Bits {
        let Self { net, semiflows, atoms, known } = self;
        known.entry((literal, end)).or_insert_with(|| {
            let (atom, transitions) = (&atoms[literal.atom as usize], net.nodes().transitions.len());
            if looks(atom).saturating_mul(transitions) > MAX_LOOKS {
                return Bits::filled(transitions, true);
            }
            Bits::collect(transitions, |t| {
                let firing = StepMarking { net, semiflows, fired: TransitionId::new(t), end };
                firing.may_have(atom, literal.positive)
            })
        })
    }
}

/// The counts and arcs that are looked at for one value of a predicate.
fn looks(predicate: &Predicate) -> usize {
    match predicate {
        BoolTree::Atom(PredicateAtom::Linear(_, terms, _)) => terms.len() * MAX_SEMIFLOWS,
        BoolTree::Atom(PredicateAtom::Fireable(ts)) if ts.len() <= MAX_COMPARED => ts.len() * MAX_SEMIFLOWS,
        tree => 1 + tree.children().map(looks).sum::<usize>(),
    }
}

/// What a firing says of one of its markings.
struct StepMarking<'a> {
    net: &'a Net,
    semiflows: &'a PlaceSemiflows,
    fired: TransitionId,
    end: StepEnd,
}

impl StepMarking<'_> {
    /// Whether a predicate may have a value; false only if it surely has the other one.
    fn may_have(&self, predicate: &Predicate, value: bool) -> bool {
        let may = |predicate: &Predicate, value| self.may_have(predicate, value);
        match predicate {
            BoolTree::Constant(constant) => *constant == value,
            BoolTree::Atom(atom) => self.atom_may_have(atom, value),
            BoolTree::Not(inner) => may(inner, !value),
            BoolTree::And(all) if value => all.iter().all(|part| may(part, true)),
            BoolTree::And(all) => all.iter().any(|part| may(part, false)),
            BoolTree::Or(some) if value => some.iter().any(|part| may(part, true)),
            BoolTree::Or(some) => some.iter().all(|part| may(part, false)),
            BoolTree::Iff(sides) => {
                [true, false].into_iter().any(|left| may(&sides.0, left) && may(&sides.1, left == value))
            }
        }
    }

    fn atom_may_have(&self, atom: &PredicateAtom, value: bool) -> bool {
        match atom {
            PredicateAtom::Deadlock => !value || self.end == StepEnd::After,
            PredicateAtom::Fireable(ts) => {
                let fires = self.end == StepEnd::Before && ts.binary_search(&self.fired).is_ok();
                match (fires, value) {
                    (true, _) => value,
                    _ if ts.len() > MAX_COMPARED => true,
                    (false, true) => ts.iter().any(|&t| !self.is_disabled(t)),
                    (false, false) => !ts.iter().any(|&t| self.is_enabled(t)),
                }
            }
            PredicateAtom::Linear(how, terms, constant) => {
                let how = if value { *how } else { how.negate() };
                self.may_compare(how, terms, *constant)
            }
            PredicateAtom::BindingFireable(_) | PredicateAtom::Nonlinear(..) => true,
        }
    }

    fn is_enabled(&self, t: TransitionId) -> bool {
        self.net.inhibitors(t).is_empty()
            && self.net.pre(t).iter().all(|arc| self.least(arc.place) >= arc.weight)
    }

    fn is_disabled(&self, t: TransitionId) -> bool {
        let lacks = |arc: &NetArc| self.most(arc.place).is_some_and(|most| most < i128::from(arc.weight));
        let inhibits = |arc: &NetArc| self.least(arc.place) >= arc.weight;
        self.net.pre(t).iter().any(lacks) || self.net.inhibitors(t).iter().any(inhibits)
    }

    /// Whether the sum may compare with zero in this way.
    fn may_compare(&self, how: Comparison, terms: &[(PlaceId, i64)], constant: i128) -> bool {
        let (mut least, mut most) = (Some(constant), Some(constant));
        let add = |sum: &mut Option<i128>, factor: i64, count: Option<i128>| {
            *sum = sum
                .zip(count)
                .and_then(|(sum, count)| sum.checked_add(i128::from(factor).checked_mul(count)?));
        };
        for &(place, factor) in terms {
            let (few, many) = (Some(self.least(place).into()), self.most(place));
            let (low, high) = if factor > 0 { (few, many) } else { (many, few) };
            add(&mut least, factor, low);
            add(&mut most, factor, high);
        }
        let (least, most) = (least.unwrap_or(i128::MIN), most.unwrap_or(i128::MAX));
        match how {
            Comparison::Equal => least <= 0 && most >= 0,
            Comparison::NotEqual => least != 0 || most != 0,
            Comparison::Less => least < 0,
            Comparison::LessEqual => least <= 0,
            Comparison::Greater => most > 0,
            Comparison::GreaterEqual => most >= 0,
        }
    }

    /// The tokens that the firing shows to be there.
    fn shown(&self) -> &[NetArc] {
        match self.end {
            StepEnd::Before => self.net.pre(self.fired),
            StepEnd::After => self.net.post(self.fired),
        }
    }

    fn least(&self, place: PlaceId) -> u64 {
        let shown = self.shown();
        shown.binary_search_by_key(&place, |arc| arc.place).map_or(0, |at| shown[at].weight)
    }

    /// The most tokens of a place: what a semiflow leaves beside those that are shown.
    fn most(&self, place: PlaceId) -> Option<i128> {
        let of_place = self.semiflows.of_place(place.index()).iter().take(MAX_SEMIFLOWS);
        of_place.filter_map(|&at| self.left_by(at as usize, place)).min()
    }

    fn left_by(&self, semiflow: usize, place: PlaceId) -> Option<i128> {
        let semiflow = &self.semiflows.semiflows()[semiflow];
        let weight = |place: PlaceId| {
            let at = semiflow.weights.binary_search_by_key(&(place.index() as u32), |entry| entry.0);
            at.map_or(0, |at| i128::from(semiflow.weights[at].1))
        };
        let others = self.shown().iter().filter(|arc| arc.place != place);
        let left = others
            .map(|arc| (weight(arc.place), arc.weight))
            .try_fold(semiflow.total, |left, (w, n)| left.checked_sub(w.checked_mul(n.into())?))?;
        // Below zero the transition never fires, and any bound is right.
        Some(left.max(0) / weight(place).max(1))
    }
}
