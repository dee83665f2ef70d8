//! One step of a net: which transition fires, and what every place has after it.
//!
//! A variable for each transition says that it fires; its preconditions are literals of the order encoding. Transitions that
//! change a place by the same number share a variable there, which says how the place's variables move; a place that none of
//! them changes stays as it is. Of transitions with the same arcs one is encoded, and those without an effect are not.
//!
//! Steps are [`StepSemantics::Interleaving`] or [`StepSemantics::Parallel`]. In a parallel step each place is changed by at most
//! one transition, and what a transition needs is not taken away by another, so that they can fire in any order one after the other (Heljanko,
//! "Bounded reachability checking with process semantics", 2001). So runs need fewer steps.
//!
//! Invariants: (1) every step of the net between markings within the proven bounds is one of the encoding, from and to their
//! counts; (2) where [`EncodedTransition::before`] gives literals, every count that meets them can take the step to some that meet the
//! cube. Test: below, and `tests/induction.rs`.

use std::collections::BTreeMap;

use fireset_kernel::sat::Literal;
use fireset_net::{Net, TransitionId};
use fireset_structure::distinct_transitions;

use super::{
    cnf::{CnfEncoder, StateVariables},
    order_encoding::{AtLeast, OrderEncoding},
};

/// A change by more than any top is as good as this.
const FAR: i128 = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepSemantics {
    /// One transition fires, or none.
    Interleaving,
    /// Several transitions fire that could fire in any order.
    Parallel,
}

#[derive(Clone, Debug)]
pub(super) struct EncodedTransition {
    /// One of the transitions with these arcs.
    pub(super) transition: TransitionId,
    /// The precondition.
    needs: Vec<Literal>,
    /// True before the step in all markings within the bounds, because the step leaves no place above its bound.
    room: Vec<Literal>,
    /// The places that are changed, ascending, and the change of their tokens.
    changes: Vec<(u32, i64)>,
}

impl EncodedTransition {
    /// `None` if the transition never fires, or if it changes nothing.
    fn new(net: &Net, t: TransitionId, order: &OrderEncoding) -> Option<Self> {
        let mut changes: BTreeMap<u32, i128> = BTreeMap::new();
        for (arcs, sign) in [(net.pre(t), -1), (net.post(t), 1)] {
            for arc in arcs {
                *changes.entry(arc.place.index() as u32).or_default() += sign * i128::from(arc.weight);
            }
        }
        let mut transition = Self { transition: t, needs: Vec::new(), room: Vec::new(), changes: Vec::new() };
        for arc in net.pre(t) {
            match order.at_least(arc.place.index() as u32, arc.weight.into()) {
                AtLeast::Always => {}
                AtLeast::Never => return None,
                AtLeast::When(literal) | AtLeast::OnlyWhen(literal) => transition.needs.push(literal),
            }
        }
        for arc in net.inhibitors(t) {
            match order.at_least(arc.place.index() as u32, arc.weight.into()) {
                AtLeast::Always => return None,
                AtLeast::Never | AtLeast::OnlyWhen(_) => {}
                AtLeast::When(literal) => transition.needs.push(-literal),
            }
        }
        for (place, change) in changes.into_iter().filter(|change| change.1 != 0) {
            let change = change.clamp(-FAR, FAR);
            if order.is_exact(place) {
                match order.at_least(place, i128::from(order.top(place)) - change + 1) {
                    AtLeast::Always => return None,
                    AtLeast::When(literal) => transition.room.push(-literal),
                    AtLeast::Never | AtLeast::OnlyWhen(_) => {}
                }
            }
            transition.changes.push((place, change as i64));
        }
        (!transition.changes.is_empty()).then_some(transition)
    }

    fn change(&self, place: u32) -> i64 {
        self.changes.binary_search_by_key(&place, |change| change.0).map_or(0, |at| self.changes[at].1)
    }

    /// The pre-image of a cube: what has to be true before the step for the cube to be true after it. The cube can be true
    /// after it.
    pub(super) fn before(&self, cube: &[Literal], order: &OrderEncoding) -> Vec<Literal> {
        let mut literals = self.needs.clone();
        for &literal in cube {
            let (place, count) = order.meaning(literal);
            match order.at_least(place, i128::from(count) - i128::from(self.change(place))) {
                AtLeast::Always | AtLeast::Never => {}
                AtLeast::When(before) => literals.push(before * literal.signum()),
                // The number is above the top: the place has to be at its top.
                AtLeast::OnlyWhen(top) => literals.extend((literal > 0).then_some(top)),
            }
        }
        literals
    }
}

#[derive(Clone, Debug)]
pub(super) struct TransitionRelation {
    pub(super) transitions: Vec<EncodedTransition>,
    /// By place, the transitions that change it, by the change.
    changing: Vec<BTreeMap<i64, Vec<u32>>>,
}

impl TransitionRelation {
    pub(super) fn new(net: &Net, order: &OrderEncoding) -> Self {
        let encoded: Vec<EncodedTransition> =
            distinct_transitions(net).filter_map(|t| EncodedTransition::new(net, t, order)).collect();
        let mut changing = vec![BTreeMap::<i64, Vec<u32>>::new(); order.places()];
        for (at, transition) in encoded.iter().enumerate() {
            for &(place, change) in &transition.changes {
                changing[place as usize].entry(change).or_default().push(at as u32);
            }
        }
        Self { transitions: encoded, changing }
    }

    pub(super) fn changing(&self, place: u32) -> impl Iterator<Item = u32> + '_ {
        self.changing[place as usize].values().flatten().copied()
    }

    /// The approximate number of literals that a step takes.
    pub(super) fn size(&self) -> usize {
        self.transitions
            .iter()
            .map(|transition| 4 * (transition.needs.len() + 2 * transition.changes.len()))
            .sum()
    }

    /// Adds a step between two states; gives the variables that say which transitions fire.
    pub(super) fn encode(
        &self,
        cnf: &mut CnfEncoder,
        now: &StateVariables<'_>,
        next: &StateVariables<'_>,
        steps: StepSemantics,
    ) -> Vec<Literal> {
        let firing: Vec<Literal> = self.transitions.iter().map(|_| cnf.fresh()).collect();
        for (transition, &fires) in self.transitions.iter().zip(&firing) {
            for &literal in transition.needs.iter().chain(&transition.room) {
                cnf.add([-fires, now.at(literal)]);
            }
        }
        let mut moves: Vec<Vec<(i64, Literal)>> = Vec::with_capacity(self.changing.len());
        for (place, changing) in self.changing.iter().enumerate() {
            let moved: Vec<(i64, Literal)> = changing
                .iter()
                .map(|(&change, relation)| {
                    (change, some_of(cnf, relation.iter().map(|&c| firing[c as usize])))
                })
                .collect();
            encode_place(cnf, place as u32, &moved, now, next);
            moves.push(moved);
        }
        match steps {
            StepSemantics::Interleaving => cnf.at_most_one(&firing),
            StepSemantics::Parallel => self.keep_apart(cnf, &firing, &moves, now.order),
        }
        firing
    }

    /// Transitions that fire together do not disturb each other.
    fn keep_apart(
        &self,
        cnf: &mut CnfEncoder,
        firing: &[Literal],
        moves: &[Vec<(i64, Literal)>],
        order: &OrderEncoding,
    ) {
        for changing in &self.changing {
            let fires: Vec<Literal> = changing.values().flatten().map(|&c| firing[c as usize]).collect();
            cnf.at_most_one(&fires);
        }
        for (transition, &fires) in self.transitions.iter().zip(firing) {
            for &literal in &transition.needs {
                let (place, _) = order.meaning(literal);
                if transition.change(place) != 0 {
                    continue;
                }
                let against = |change: i64| (change > 0) != (literal > 0);
                let disturbing = moves[place as usize].iter().filter(|moved| against(moved.0));
                disturbing.for_each(|moved| cnf.add([-fires, -moved.1]));
            }
        }
    }
}

/// A literal that is true exactly when one of some is.
fn some_of(cnf: &mut CnfEncoder, literals: impl Iterator<Item = Literal> + Clone) -> Literal {
    let mut first = literals.clone();
    if let (Some(only), None) = (first.next(), first.next()) {
        return only;
    }
    let some = cnf.fresh();
    literals.clone().for_each(|literal| cnf.add([-literal, some]));
    cnf.add(std::iter::once(-some).chain(literals));
    some
}

/// Adds how the variables of a place move.
fn encode_place(
    cnf: &mut CnfEncoder,
    place: u32,
    moved: &[(i64, Literal)],
    now: &StateVariables<'_>,
    next: &StateVariables<'_>,
) {
    let order = now.order;
    for after in order.of_place(place) {
        let (_, count) = order.meaning(after);
        let (before, after) = (now.at(after), next.at(after));
        let adding = moved.iter().filter(|moved| moved.0 > 0).map(|moved| moved.1);
        cnf.add([before, -after].into_iter().chain(adding));
        let taking = moved.iter().filter(|moved| moved.0 < 0).map(|moved| moved.1);
        cnf.add([-before, after].into_iter().chain(taking));
        for &(change, is_moved) in moved {
            match order.at_least(place, i128::from(count) - i128::from(change)) {
                AtLeast::Always => cnf.add([-is_moved, after]),
                AtLeast::Never => cnf.add([-is_moved, -after]),
                AtLeast::When(literal) => {
                    cnf.add([-is_moved, -now.at(literal), after]);
                    cnf.add([-is_moved, now.at(literal), -after]);
                }
                AtLeast::OnlyWhen(top) => cnf.add([-is_moved, now.at(top), -after]),
            }
        }
    }
}

/// Adds that the variables of each place are ordered.
pub(super) fn encode_order(cnf: &mut CnfEncoder, state: &StateVariables<'_>) {
    for place in 0..state.order.places() as u32 {
        let literals: Vec<Literal> = state.order.of_place(place).map(|l| state.at(l)).collect();
        literals.windows(2).for_each(|pair| cnf.add([-pair[1], pair[0]]));
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::Marking;
    use fireset_oracle::{
        random::{self, NetShape, TestRng},
        tiny,
    };

    use super::*;

    /// A net with open places only, and one with places that are bounded by 9.
    fn encodings(net: &Net) -> [OrderEncoding; 2] {
        let places = net.nodes().places.len();
        let open = OrderEncoding::new(&vec![None; places], &vec![3; places], 0).unwrap();
        [open, OrderEncoding::new(&vec![Some(9); places], &vec![0; places], 0).unwrap()]
    }

    #[test]
    fn steps_of_the_net_are_steps_of_the_encoding() {
        let (mut taken, mut refused) = (0, 0);
        for seed in 0..400 {
            let mut random = TestRng::new(seed);
            let shape = NetShape { inhibitors: 30, weight: 3, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            for (order, is_exact) in encodings(&net).iter().zip([false, true]) {
                let relation = TransitionRelation::new(&net, order);
                if relation.transitions.is_empty() {
                    continue;
                }
                let mut cnf = CnfEncoder::default();
                cnf.reserve(2 * order.variables());
                let now = StateVariables { order, offset: 0 };
                let next = StateVariables { order, offset: order.variables() };
                encode_order(&mut cnf, &now);
                encode_order(&mut cnf, &next);
                let firing = relation.encode(&mut cnf, &now, &next, StepSemantics::Interleaving);
                for _ in 0..10 {
                    let draw = |_: &_| random.within(0, 5);
                    let marking = Marking(net.initial_marking().0.iter().map(draw).collect());
                    let (transition, &fires) =
                        *random.pick(&relation.transitions.iter().zip(&firing).collect::<Vec<_>>());
                    let counts = order.counts(&marking);
                    let mut assumed: Vec<Literal> = order.literals_of(&counts).collect();
                    assumed.push(fires);
                    let after = net.fire_transition(&marking, transition.transition).ok();
                    let possible = cnf.solve(&assumed, None).unwrap();
                    let Some(after) = after.filter(|after| !is_exact || after.0.iter().all(|&n| n <= 9))
                    else {
                        assert!(!possible || !is_exact, "seed {seed}");
                        refused += 1;
                        continue;
                    };
                    taken += 1;
                    assert!(possible, "seed {seed}");
                    let after = order.counts(&after);
                    assert!(!is_exact || order.read(|l| cnf.is_true(next.at(l))) == after, "seed {seed}");
                    let cube: Vec<Literal> = order.literals_of(&after).collect();
                    assumed.extend(cube.iter().map(|&literal| next.at(literal)));
                    assert_eq!(cnf.solve(&assumed, None), Some(true), "seed {seed}");
                    let before = transition.before(&cube, order);
                    assert!(before.iter().all(|&l| order.holds(l, &counts)), "seed {seed}");
                }
            }
        }
        assert!(taken > 1_500 && refused > 1_500, "{taken} {refused}");
    }

    #[test]
    fn encoded_transitions_are_different_and_have_an_effect() {
        let net = tiny::net("p:1 q; a: p -> q; b: p -> q; c: q -> q; d: 5*p ->; e: p, !q -> q");
        let order = OrderEncoding::new(&[Some(1), Some(1)], &[0, 0], 0).unwrap();
        let relation = TransitionRelation::new(&net, &order);
        let transitions: Vec<usize> = relation.transitions.iter().map(|c| c.transition.index()).collect();
        assert_eq!(transitions, [0, 4]);
    }
}
