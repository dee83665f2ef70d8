//! A coloured net with some sorts erased: each of their colours is the same one.
//!
//! What: sorts that are erased have one colour, products of them accordingly fewer. A colour is *projected* to its
//! other components, and a marking by projecting its tokens. The skeleton is the net with all sorts erased.
//! Source: skeletons of coloured nets (Findlow, "Obtaining deadlock-preserving skeletons for coloured nets", 1992). We
//! differ in that any set of sorts may be erased.
//!
//! The projection is a simulation, and keeps the number of tokens of each place:
//!
//! 1. The value of an erased term under the projected binding is the projected value of the term. Sums, multiples and tuples
//!    are projected part by part; `all` of a sort projects to each colour that is left, as often as there were colours for
//!    it. A difference is projected only where it takes from a multiple of `all` no more than is there. A shift within a
//!    product has no projection; then the whole net has none.
//! 2. Guards are weakened: in negation normal form, a comparison of sorts that lost colours is true.
//! 3. Inhibitor arcs of places that lost colours are left out.
//!
//! So a binding that is enabled in a marking is, projected, enabled in the projected marking (1 to 3), and leads to the
//! projected successor (1). What the erased net cannot reach, the net cannot.
//!
//! A transition is *exact* where the converse holds for it: guard and inhibitor arcs are untouched, and what it takes from
//! places that lost colours are terms in which each component that is gone is a variable of its own, at no other place
//! in the input arcs. Then any tokens with the colours that are left will do.
//!
//! Cost: linear in the net. Test: `tests/colours.rs`, against the oracle on the net as written.

use fireset_net::{
    Budget, Net, SortId, TransitionId,
    coloured::{
        Bag, BagTerm, Colour, ColourTerm, ColouredArc, ColouredNet, ColouredNetBuilder, ColouredTransition,
        Guard, Members, SortKind, Sorts,
    },
};

use super::size_with;
use crate::unfold::unfold_all_places;

/// The name of the transition that does nothing.
const STUTTER: &str = "stutter";

/// Sorts of a net without the colours of some.
pub(super) struct Erasure<'a> {
    net: &'a ColouredNet,
    /// The sorts that have one colour now.
    erased: Vec<bool>,
    /// The sorts that lost colours: the erased ones, and products of them.
    lost: Vec<bool>,
    sorts: Sorts,
}

/// Whether a net can also rest in every marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stutter {
    Added,
    None,
}

impl<'a> Erasure<'a> {
    /// Erases these sorts, and partitions of sorts that lose colours.
    fn of(net: &'a ColouredNet, chosen: &[SortId]) -> Self {
        let mut all = Self { net, erased: Vec::new(), lost: Vec::new(), sorts: Sorts::default() };
        for (at, sort) in net.sorts().iter().enumerate() {
            let (erased, lost) = match &sort.kind {
                SortKind::Product(parts) => (false, parts.iter().any(|part| all.lost[part.index()])),
                SortKind::Partition { base, .. } => {
                    let gone = all.lost[base.index()] || chosen.contains(&SortId::new(at));
                    (gone, gone)
                }
                _ => (chosen.contains(&SortId::new(at)), chosen.contains(&SortId::new(at))),
            };
            let kind = if erased { SortKind::Dot } else { sort.kind.clone() };
            all.sorts.add(sort.name.clone(), kind).expect("a smaller sort is none that is refused");
            all.erased.push(erased);
            all.lost.push(lost);
        }
        all
    }

    /// Erases the largest sorts until the unfolding has at most this size; `None` where it has at once.
    pub(super) fn to_size(net: &'a ColouredNet, most: u64) -> Option<Self> {
        let size =
            |erasure: &Self| size_with(net, &erasure.sorts, |v| erasure.sorts[net.variable(v).sort].size());
        let mut large = simple_sorts(net);
        large.sort_by_key(|&sort| std::cmp::Reverse(net.sorts()[sort].size()));
        let first = Self::of(net, &[]);
        if size(&first) <= most {
            return None;
        }
        let smaller = (1..=large.len()).map(|count| Self::of(net, &large[..count]));
        let mut last = first;
        for erasure in smaller {
            last = erasure;
            if size(&last) <= most {
                break;
            }
        }
        Some(last)
    }

    /// The net without the colours; `None` where a term has no projection or a number does not fit.
    pub(super) fn erased_net(&self, stutter: Stutter) -> Option<ColouredNet> {
        let (net, mut builder) = (self.net, ColouredNetBuilder::new(self.net.name.clone()));
        builder.sorts = self.sorts.clone();
        for variable in net.variables() {
            builder.variable(variable.name.clone(), variable.sort);
        }
        for place in net.nodes().place_ids() {
            let coloured = net.place(place);
            let initial = self.bag(&coloured.initial, coloured.sort)?;
            builder.place(net.nodes().place(place), coloured.sort, initial).ok()?;
        }
        for id in net.nodes().transition_ids() {
            let transition = net.transition(id);
            let guard = self.guard(&transition.guard, true);
            let at = builder.transition(net.nodes().transition(id), guard).ok()?;
            let term = |arc: &ColouredArc| self.multiset(&arc.term, net.place(arc.place).sort);
            for arc in &transition.pre {
                builder.input(arc.place, at, term(arc)?).ok()?;
            }
            for arc in &transition.post {
                builder.output(at, arc.place, term(arc)?).ok()?;
            }
            for arc in transition.inhibitors.iter().filter(|arc| !self.lost_at(arc)) {
                builder.inhibitor(arc.place, at, arc.term.clone()).ok()?;
            }
        }
        if stutter == Stutter::Added {
            let is_free =
                |name: &String| net.nodes().transition_ids().all(|t| net.nodes().transition(t) != name);
            let name = (0..).map(|at| format!("{STUTTER}{at}")).find(is_free)?;
            builder.transition(&name, Guard::Constant(true)).ok()?;
        }
        Some(builder.build())
    }

    fn lost_at(&self, arc: &ColouredArc) -> bool {
        self.lost[self.net.place(arc.place).sort.index()]
    }

    fn project(&self, sort: SortId, colour: Colour) -> Colour {
        if !self.lost[sort.index()] {
            return colour;
        }
        let SortKind::Product(parts) = &self.sorts[sort].kind else { return Colour(0) };
        let components = self.net.sorts().components(sort, colour);
        let projected: Vec<Colour> =
            parts.iter().zip(components).map(|(&part, colour)| self.project(part, colour)).collect();
        self.sorts.tuple(parts, &projected)
    }

    fn bag(&self, bag: &Bag, sort: SortId) -> Option<Bag> {
        Bag::collect(bag.iter().map(|(colour, count)| (self.project(sort, colour), count)))
    }

    fn colour(&self, term: &ColourTerm) -> Option<ColourTerm> {
        let erased = |sort: &SortId| self.erased[sort.index()];
        Some(match term {
            ColourTerm::Constant(sort, colour) => ColourTerm::Constant(*sort, self.project(*sort, *colour)),
            ColourTerm::Variable(_) => term.clone(),
            ColourTerm::Shift { sort, .. } | ColourTerm::BlockOf(sort, _) if erased(sort) => {
                ColourTerm::Constant(*sort, Colour(0))
            }
            ColourTerm::Shift { sort, .. } if self.lost[sort.index()] => return None,
            ColourTerm::Shift { .. } | ColourTerm::BlockOf(..) => term.clone(),
            ColourTerm::Tuple(sort, terms) => {
                ColourTerm::Tuple(*sort, terms.iter().map(|term| self.colour(term)).collect::<Option<_>>()?)
            }
        })
    }

    /// A term whose values are multisets over `sort`.
    fn multiset(&self, term: &BagTerm, sort: SortId) -> Option<BagTerm> {
        if !self.lost[sort.index()] {
            return Some(term.clone());
        }
        Some(match term {
            BagTerm::One(term) => BagTerm::One(self.colour(term)?),
            BagTerm::All(sort) => {
                let each = self.net.sorts()[*sort].size() / self.sorts[*sort].size();
                BagTerm::Times(each, Box::new(BagTerm::All(*sort)))
            }
            BagTerm::Fixed(bag) => BagTerm::Fixed(self.bag(bag, sort)?),
            BagTerm::Times(factor, term) => BagTerm::Times(*factor, Box::new(self.multiset(term, sort)?)),
            BagTerm::Sum(terms) => {
                BagTerm::Sum(terms.iter().map(|term| self.multiset(term, sort)).collect::<Option<_>>()?)
            }
            BagTerm::Minus(from, what) => {
                let each = match &**from {
                    BagTerm::All(_) => 1,
                    BagTerm::Times(factor, all) if matches!(**all, BagTerm::All(_)) => *factor,
                    _ => return None,
                };
                (most_of_a_colour(what)? <= each).then_some(())?;
                let [from, what] = [from, what].map(|term| self.multiset(term, sort).map(Box::new));
                BagTerm::Minus(from?, what?)
            }
            BagTerm::Tuple(product, terms) => {
                let SortKind::Product(parts) = &self.sorts[*product].kind else { return None };
                let components = terms.iter().zip(parts).map(|(term, &part)| self.multiset(term, part));
                BagTerm::Tuple(*product, components.collect::<Option<_>>()?)
            }
        })
    }

    /// A guard that the guard implies, or its negation where `positive` is false.
    fn guard(&self, guard: &Guard, positive: bool) -> Guard {
        match guard {
            Guard::Constant(value) => Guard::Constant(*value == positive),
            Guard::Not(guard) => self.guard(guard, !positive),
            Guard::And(guards) | Guard::Or(guards) => {
                let guards = guards.iter().map(|guard| self.guard(guard, positive)).collect();
                let conjunction = matches!(guard, Guard::And(_)) == positive;
                if conjunction { Guard::And(guards) } else { Guard::Or(guards) }
            }
            Guard::Compare(_, left, right) if self.lost[left.0.index()] || self.lost[right.0.index()] => {
                Guard::Constant(true)
            }
            Guard::Compare(how, left, right) => {
                let how = if positive { *how } else { how.negate() };
                Guard::Compare(how, left.clone(), right.clone())
            }
        }
    }

    /// Whether a transition is enabled wherever it is in the projected marking.
    pub(super) fn is_exact(&self, id: TransitionId) -> bool {
        let transition = self.net.transition(id);
        !self.weakens(&transition.guard)
            && !transition.inhibitors.iter().any(|arc| self.lost_at(arc))
            && self.takes_any(transition)
    }

    fn weakens(&self, guard: &Guard) -> bool {
        match guard {
            Guard::Constant(_) => false,
            Guard::Not(guard) => self.weakens(guard),
            Guard::And(guards) | Guard::Or(guards) => guards.iter().any(|guard| self.weakens(guard)),
            Guard::Compare(_, left, right) => self.lost[left.0.index()] || self.lost[right.0.index()],
        }
    }

    /// Whether the components that are gone from the tokens that it takes can be any.
    fn takes_any(&self, transition: &ColouredTransition) -> bool {
        let mut uses = vec![0; self.net.variables().len()];
        for arc in transition.pre.iter().chain(&transition.inhibitors) {
            arc.term.variables(&mut |v| uses[v.index()] += 1);
        }
        transition.pre.iter().filter(|arc| self.lost_at(arc)).all(|arc| {
            let sort = self.net.place(arc.place).sort;
            let members = Members::of(&arc.term, sort, self.net.sorts());
            members.complete
                && members.terms.iter().all(|(term, count)| *count == 1 && self.is_any(term, sort, &uses))
        })
    }

    /// Whether what is gone from a term are variables that are used once.
    fn is_any(&self, term: &ColourTerm, sort: SortId, uses: &[usize]) -> bool {
        match (term, &self.net.sorts()[sort].kind) {
            _ if !self.lost[sort.index()] => true,
            (ColourTerm::Variable(v), _) => self.net.variable(*v).sort == sort && uses[v.index()] == 1,
            (ColourTerm::Tuple(_, terms), SortKind::Product(parts)) => {
                terms.iter().zip(parts).all(|(term, &part)| self.is_any(term, part, uses))
            }
            _ => false,
        }
    }
}

/// The sorts that are no products and have several colours.
pub(super) fn simple_sorts(net: &ColouredNet) -> Vec<SortId> {
    let is_simple = |(at, sort): (usize, &fireset_net::coloured::Sort)| {
        (sort.size() > 1 && !matches!(sort.kind, SortKind::Product(_))).then(|| SortId::new(at))
    };
    net.sorts().iter().enumerate().filter_map(is_simple).collect()
}

/// The most tokens of one colour that values of a term have.
fn most_of_a_colour(term: &BagTerm) -> Option<u64> {
    match term {
        BagTerm::One(_) | BagTerm::All(_) => Some(1),
        BagTerm::Fixed(bag) => Some(bag.largest()),
        BagTerm::Times(factor, term) => most_of_a_colour(term)?.checked_mul(*factor),
        BagTerm::Sum(terms) => {
            terms.iter().try_fold(0u64, |sum, term| sum.checked_add(most_of_a_colour(term)?))
        }
        BagTerm::Minus(from, _) => most_of_a_colour(from),
        BagTerm::Tuple(_, terms) => {
            terms.iter().try_fold(1u64, |product, term| product.checked_mul(most_of_a_colour(term)?))
        }
    }
}

/// A coloured net without its colours: its places are those of the net, in the same order. Transitions that can never be
/// enabled are left out.
pub(crate) fn skeleton(net: &ColouredNet) -> Option<Net> {
    let erased = Erasure::of(net, &simple_sorts(net)).erased_net(Stutter::None)?;
    unfold_all_places(&erased, &Budget::unlimited()).ok().map(|unfolded| unfolded.net)
}
