//! One step of a net: which transition fires, and what every place has after it.
//!
//! A variable for each transition says that it fires; what it needs are threshold literals. Transitions that change a
//! place by the same number share a variable there, which says how the thresholds move; a place that none of them
//! changes stays as it is. Transitions with the same arcs are one column, and those without an effect are none.
//!
//! Steps are [`Steps::Single`] or [`Steps::Parallel`]. Of parallel ones each place is changed by at most one, and what a
//! transition needs is not taken away by another, so that they can fire in any order one after the other (Heljanko,
//! "Bounded reachability checking with process semantics", 2001). So runs need fewer steps.
//!
//! Invariants: (1) every step of the net between markings within the proven bounds is one of the encoding, from and to their
//! counts; (2) where [`Column::before`] gives literals, every count that meets them can take the step to some that meet the
//! cube. Test: below, and `tests/induction.rs`.

use std::collections::{BTreeMap, HashSet};

use fireset_kernel::sat::Literal;
use fireset_net::{Net, TransitionId};

use super::{
    thresholds::{AtLeast, Thresholds},
    writer::{Frame, Writer},
};

/// A change by more than any top is as good as this.
const FAR: i128 = 1 << 20;

/// How many transitions fire in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Steps {
    /// One, or none.
    Single,
    /// Several that can fire in any order.
    Parallel,
}

/// A transition as far as markings tell.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// One of those with these arcs.
    pub(super) transition: TransitionId,
    /// What has to be true before.
    needs: Vec<Literal>,
    /// What is true before in all markings within the bounds, because the step leaves no place above them.
    room: Vec<Literal>,
    /// Places that are changed, ascending, and by how much.
    changes: Vec<(u32, i64)>,
}

impl Column {
    /// `None` if it never fires, or if nothing changes.
    fn new(net: &Net, t: TransitionId, thresholds: &Thresholds) -> Option<Self> {
        let mut changes: BTreeMap<u32, i128> = BTreeMap::new();
        for (arcs, sign) in [(net.pre(t), -1), (net.post(t), 1)] {
            for arc in arcs {
                *changes.entry(arc.place.index() as u32).or_default() += sign * i128::from(arc.weight);
            }
        }
        let mut column = Self { transition: t, needs: Vec::new(), room: Vec::new(), changes: Vec::new() };
        for arc in net.pre(t) {
            match thresholds.at_least(arc.place.index() as u32, arc.weight.into()) {
                AtLeast::Always => {}
                AtLeast::Never => return None,
                AtLeast::When(literal) | AtLeast::OnlyWhen(literal) => column.needs.push(literal),
            }
        }
        for arc in net.inhibitors(t) {
            match thresholds.at_least(arc.place.index() as u32, arc.weight.into()) {
                AtLeast::Always => return None,
                AtLeast::Never | AtLeast::OnlyWhen(_) => {}
                AtLeast::When(literal) => column.needs.push(-literal),
            }
        }
        for (place, change) in changes.into_iter().filter(|change| change.1 != 0) {
            let change = change.clamp(-FAR, FAR);
            if thresholds.is_exact(place) {
                match thresholds.at_least(place, i128::from(thresholds.top(place)) - change + 1) {
                    AtLeast::Always => return None,
                    AtLeast::When(literal) => column.room.push(-literal),
                    AtLeast::Never | AtLeast::OnlyWhen(_) => {}
                }
            }
            column.changes.push((place, change as i64));
        }
        (!column.changes.is_empty()).then_some(column)
    }

    fn change(&self, place: u32) -> i64 {
        self.changes.binary_search_by_key(&place, |change| change.0).map_or(0, |at| self.changes[at].1)
    }

    /// What has to be true before the step for a cube to be true after it. The cube can be true after it.
    pub(super) fn before(&self, cube: &[Literal], thresholds: &Thresholds) -> Vec<Literal> {
        let mut literals = self.needs.clone();
        for &literal in cube {
            let (place, count) = thresholds.meaning(literal);
            match thresholds.at_least(place, i128::from(count) - i128::from(self.change(place))) {
                AtLeast::Always | AtLeast::Never => {}
                AtLeast::When(before) => literals.push(before * literal.signum()),
                // Too many to tell: it can be so if there are many.
                AtLeast::OnlyWhen(top) => literals.extend((literal > 0).then_some(top)),
            }
        }
        literals
    }
}

/// All columns of a net.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pub(super) all: Vec<Column>,
    /// The columns that change each place, by the change.
    changers: Vec<BTreeMap<i64, Vec<u32>>>,
}

impl Columns {
    pub(super) fn new(net: &Net, thresholds: &Thresholds) -> Self {
        let mut known = HashSet::new();
        let is_new = |t: &TransitionId| known.insert((net.pre(*t), net.post(*t), net.inhibitors(*t)));
        let transitions = net.nodes().transition_ids().filter(is_new);
        let all: Vec<Column> = transitions.filter_map(|t| Column::new(net, t, thresholds)).collect();
        let mut changers = vec![BTreeMap::<i64, Vec<u32>>::new(); thresholds.places()];
        for (at, column) in all.iter().enumerate() {
            for &(place, change) in &column.changes {
                changers[place as usize].entry(change).or_default().push(at as u32);
            }
        }
        Self { all, changers }
    }

    /// The columns that change a place.
    pub(super) fn changing(&self, place: u32) -> impl Iterator<Item = u32> + '_ {
        self.changers[place as usize].values().flatten().copied()
    }

    /// About how many literals a step takes.
    pub(super) fn size(&self) -> usize {
        self.all.iter().map(|column| 4 * (column.needs.len() + 2 * column.changes.len())).sum()
    }

    /// Writes a step between two frames; gives the variables that say which columns fire.
    pub(super) fn write(
        &self,
        writer: &mut Writer,
        now: &Frame<'_>,
        next: &Frame<'_>,
        steps: Steps,
    ) -> Vec<Literal> {
        let firing: Vec<Literal> = self.all.iter().map(|_| writer.fresh()).collect();
        for (column, &fires) in self.all.iter().zip(&firing) {
            for &literal in column.needs.iter().chain(&column.room) {
                writer.add([-fires, now.at(literal)]);
            }
        }
        let mut moves: Vec<Vec<(i64, Literal)>> = Vec::with_capacity(self.changers.len());
        for (place, changers) in self.changers.iter().enumerate() {
            let moved: Vec<(i64, Literal)> = changers
                .iter()
                .map(|(&change, columns)| {
                    (change, some_of(writer, columns.iter().map(|&c| firing[c as usize])))
                })
                .collect();
            write_place(writer, place as u32, &moved, now, next);
            moves.push(moved);
        }
        match steps {
            Steps::Single => writer.at_most_one(&firing),
            Steps::Parallel => self.keep_apart(writer, &firing, &moves, now.thresholds),
        }
        firing
    }

    /// Columns that fire together do not disturb each other.
    fn keep_apart(
        &self,
        writer: &mut Writer,
        firing: &[Literal],
        moves: &[Vec<(i64, Literal)>],
        thresholds: &Thresholds,
    ) {
        for changers in &self.changers {
            let fires: Vec<Literal> = changers.values().flatten().map(|&c| firing[c as usize]).collect();
            writer.at_most_one(&fires);
        }
        for (column, &fires) in self.all.iter().zip(firing) {
            for &literal in &column.needs {
                let (place, _) = thresholds.meaning(literal);
                if column.change(place) != 0 {
                    continue;
                }
                let against = |change: i64| (change > 0) != (literal > 0);
                let disturbing = moves[place as usize].iter().filter(|moved| against(moved.0));
                disturbing.for_each(|moved| writer.add([-fires, -moved.1]));
            }
        }
    }
}

/// A literal that is true exactly when one of some is.
fn some_of(writer: &mut Writer, literals: impl Iterator<Item = Literal> + Clone) -> Literal {
    let mut first = literals.clone();
    if let (Some(only), None) = (first.next(), first.next()) {
        return only;
    }
    let some = writer.fresh();
    literals.clone().for_each(|literal| writer.add([-literal, some]));
    writer.add(std::iter::once(-some).chain(literals));
    some
}

/// How the thresholds of a place move.
fn write_place(writer: &mut Writer, place: u32, moved: &[(i64, Literal)], now: &Frame<'_>, next: &Frame<'_>) {
    let thresholds = now.thresholds;
    for after in thresholds.of_place(place) {
        let (_, count) = thresholds.meaning(after);
        let (before, after) = (now.at(after), next.at(after));
        let adding = moved.iter().filter(|moved| moved.0 > 0).map(|moved| moved.1);
        writer.add([before, -after].into_iter().chain(adding));
        let taking = moved.iter().filter(|moved| moved.0 < 0).map(|moved| moved.1);
        writer.add([-before, after].into_iter().chain(taking));
        for &(change, is_moved) in moved {
            match thresholds.at_least(place, i128::from(count) - i128::from(change)) {
                AtLeast::Always => writer.add([-is_moved, after]),
                AtLeast::Never => writer.add([-is_moved, -after]),
                AtLeast::When(literal) => {
                    writer.add([-is_moved, -now.at(literal), after]);
                    writer.add([-is_moved, now.at(literal), -after]);
                }
                AtLeast::OnlyWhen(top) => writer.add([-is_moved, now.at(top), -after]),
            }
        }
    }
}

/// Writes that the thresholds of each place are in order.
pub(super) fn write_order(writer: &mut Writer, frame: &Frame<'_>) {
    for place in 0..frame.thresholds.places() as u32 {
        let literals: Vec<Literal> = frame.thresholds.of_place(place).map(|l| frame.at(l)).collect();
        literals.windows(2).for_each(|pair| writer.add([-pair[1], pair[0]]));
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
    fn encodings(net: &Net) -> [Thresholds; 2] {
        let places = net.nodes().places.len();
        let open = Thresholds::new(&vec![None; places], &vec![3; places], 0).unwrap();
        [open, Thresholds::new(&vec![Some(9); places], &vec![0; places], 0).unwrap()]
    }

    #[test]
    fn steps_of_the_net_are_steps_of_the_encoding() {
        let (mut taken, mut refused) = (0, 0);
        for seed in 0..400 {
            let mut random = TestRng::new(seed);
            let shape = NetShape { inhibitors: 30, weight: 3, ..NetShape::default() };
            let net = random::net(&mut random, &shape);
            for (thresholds, is_exact) in encodings(&net).iter().zip([false, true]) {
                let columns = Columns::new(&net, thresholds);
                if columns.all.is_empty() {
                    continue;
                }
                let mut writer = Writer::default();
                writer.reserve(2 * thresholds.variables());
                let now = Frame { thresholds, offset: 0 };
                let next = Frame { thresholds, offset: thresholds.variables() };
                write_order(&mut writer, &now);
                write_order(&mut writer, &next);
                let firing = columns.write(&mut writer, &now, &next, Steps::Single);
                for _ in 0..10 {
                    let draw = |_: &_| random.within(0, 5);
                    let marking = Marking(net.initial_marking().0.iter().map(draw).collect());
                    let (column, &fires) = *random.pick(&columns.all.iter().zip(&firing).collect::<Vec<_>>());
                    let counts = thresholds.counts(&marking);
                    let mut assumed: Vec<Literal> = (1..=thresholds.variables())
                        .map(|v| if thresholds.holds(v, &counts) { v } else { -v })
                        .collect();
                    assumed.push(fires);
                    let after = net.fire_transition(&marking, column.transition).ok();
                    let possible = writer.solve(&assumed, None).unwrap();
                    let Some(after) = after.filter(|after| !is_exact || after.0.iter().all(|&n| n <= 9))
                    else {
                        assert!(!possible || !is_exact, "seed {seed}");
                        refused += 1;
                        continue;
                    };
                    taken += 1;
                    assert!(possible, "seed {seed}");
                    let after = thresholds.counts(&after);
                    assert!(
                        !is_exact || thresholds.read(|l| writer.is_true(next.at(l))) == after,
                        "seed {seed}"
                    );
                    let cube: Vec<Literal> = (1..=thresholds.variables())
                        .map(|v| if thresholds.holds(v, &after) { v } else { -v })
                        .collect();
                    assumed.extend(cube.iter().map(|&literal| next.at(literal)));
                    assert_eq!(writer.solve(&assumed, None), Some(true), "seed {seed}");
                    let before = column.before(&cube, thresholds);
                    assert!(before.iter().all(|&l| thresholds.holds(l, &counts)), "seed {seed}");
                }
            }
        }
        assert!(taken > 1_500 && refused > 1_500, "{taken} {refused}");
    }

    #[test]
    fn columns_are_different_and_do_something() {
        let net = tiny::net("p:1 q; a: p -> q; b: p -> q; c: q -> q; d: 5*p ->; e: p, !q -> q");
        let thresholds = Thresholds::new(&[Some(1), Some(1)], &[0, 0], 0).unwrap();
        let columns = Columns::new(&net, &thresholds);
        let transitions: Vec<usize> = columns.all.iter().map(|c| c.transition.index()).collect();
        assert_eq!(transitions, [0, 4]);
    }
}
