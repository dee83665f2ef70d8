//! Random coloured nets with every kind of sort, term and guard.

use super::TestRng;
use fireset_net::{
    Comparison, PlaceId, SortId, VariableId,
    coloured::{Bag, BagTerm, Colour, ColourTerm, ColouredNet, ColouredNetBuilder, Guard, SortKind},
};

/// A coloured net of a few places and transitions over sorts of one to six colours; `inhibitors` of a hundred
/// transitions have an inhibitor arc.
pub fn coloured(random: &mut TestRng, inhibitors: usize) -> ColouredNet {
    let mut drawer = ColouredNetDrawing::new(random);
    let places = drawer.random.within(2, 4) as usize;
    for at in 0..places {
        let sort = *drawer.random.pick(&drawer.place_sorts);
        let size = drawer.builder.sorts[sort].size();
        let tokens = if at == 0 { 2 } else { drawer.random.below(3) };
        let initial = Bag::collect((0..tokens).map(|_| (Colour(drawer.random.within(0, size - 1)), 1)));
        let initial = initial.expect("a few tokens do not overflow");
        drawer.builder.place(&format!("p{at}"), sort, initial).expect("a new name");
    }
    for at in 0..drawer.random.within(2, 4) {
        drawer.transition(&format!("t{at}"), places, inhibitors);
    }
    drawer.builder.build()
}

struct ColouredNetDrawing<'a> {
    random: &'a mut TestRng,
    builder: ColouredNetBuilder,
    /// The sorts that places and variables have.
    place_sorts: Vec<SortId>,
    partition: Option<(SortId, SortId)>,
    variables: Vec<VariableId>,
}

impl<'a> ColouredNetDrawing<'a> {
    fn new(random: &'a mut TestRng) -> Self {
        let mut builder = ColouredNetBuilder::new("random");
        let mut place_sorts: Vec<SortId> = Vec::new();
        let count = random.within(1, 3);
        for at in 0..count {
            let kind = match random.below(if place_sorts.is_empty() { 4 } else { 6 }) {
                0 if at > 0 => SortKind::Dot,
                0 | 1 => SortKind::Bool,
                2 => {
                    let constants = (0..random.within(2, 3)).map(|c| format!("c{at}_{c}")).collect();
                    SortKind::Enumeration { constants, cyclic: true }
                }
                3 => {
                    let start = random.within(0, 4) as i64 - 2;
                    SortKind::IntRange { start, end: start + random.within(1, 2) as i64 }
                }
                _ => SortKind::Product(vec![place_sorts[0], *random.pick(&place_sorts)]),
            };
            place_sorts.push(builder.sorts.add(format!("s{at}"), kind).expect("small sorts"));
        }
        let base = place_sorts[0];
        let blocks = vec!["low".to_owned(), "high".to_owned()];
        let block_of = (0..builder.sorts[base].size()).map(|c| Colour(c % 2)).collect();
        let partition = random.percent(30).then(|| {
            let kind = SortKind::Partition { base, blocks, block_of };
            (builder.sorts.add("blocks", kind).expect("two blocks"), base)
        });
        let mut variables = Vec::new();
        for (at, &sort) in place_sorts.iter().enumerate() {
            for name in ["x", "y"] {
                variables.push(builder.variable(format!("{name}{at}"), sort));
            }
        }
        Self { random, builder, place_sorts, partition, variables }
    }

    fn transition(&mut self, name: &str, places: usize, inhibitors: usize) {
        let guard = if self.random.percent(40) { self.guard(2) } else { Guard::Constant(true) };
        let transition = self.builder.transition(name, guard).expect("a new name");
        let inputs = if self.random.percent(65) { 1 } else { 2 };
        for _ in 0..inputs {
            let place = PlaceId::new(self.random.below(places));
            let depth = if self.random.percent(60) { 0 } else { 2 };
            let term = self.bag(self.builder.place_sort(place), depth);
            self.builder.input(place, transition, term).expect("small terms");
        }
        for _ in 0..if self.random.percent(80) { inputs } else { 0 } {
            let place = PlaceId::new(self.random.below(places));
            // Deeper terms may give more than was taken, which makes the net unbounded.
            let depth = usize::from(self.random.percent(20));
            let term = self.bag(self.builder.place_sort(place), depth);
            self.builder.output(transition, place, term).expect("small terms");
        }
        if self.random.percent(inhibitors) {
            let place = PlaceId::new(self.random.below(places));
            let term = self.bag(self.builder.place_sort(place), 1);
            self.builder.inhibitor(place, transition, term).expect("small terms");
        }
    }

    fn constant(&mut self, sort: SortId) -> Colour {
        Colour(self.random.within(0, self.builder.sorts[sort].size() - 1))
    }

    fn colour(&mut self, sort: SortId, depth: usize) -> ColourTerm {
        let parts = match &self.builder.sorts[sort].kind {
            SortKind::Product(parts) => Some(parts.clone()),
            _ => None,
        };
        let variables: Vec<_> =
            self.variables.iter().copied().filter(|&v| self.builder.sort_of(v) == sort).collect();
        match (self.random.below(10), parts) {
            (0, _) => ColourTerm::Constant(sort, self.constant(sort)),
            (1..=2, None) if depth > 0 => {
                let by = *self.random.pick(&[1, -1, 2]);
                ColourTerm::Shift { term: Box::new(self.colour(sort, depth - 1)), sort, by }
            }
            (1..=6, Some(parts)) if depth > 0 => {
                ColourTerm::Tuple(sort, parts.into_iter().map(|part| self.colour(part, depth - 1)).collect())
            }
            _ => ColourTerm::Variable(*self.random.pick(&variables)),
        }
    }

    fn bag(&mut self, sort: SortId, depth: usize) -> BagTerm {
        let parts = match &self.builder.sorts[sort].kind {
            SortKind::Product(parts) => Some(parts.clone()),
            _ => None,
        };
        if depth == 0 {
            return BagTerm::One(self.colour(sort, 2));
        }
        match (self.random.below(20), parts) {
            (0, _) => BagTerm::All(sort),
            (1, _) => {
                let colour = self.constant(sort);
                BagTerm::Fixed(Bag::of(colour, self.random.within(1, 2)))
            }
            (2, _) => {
                let factor = self.random.within(0, 2);
                BagTerm::Times(factor, Box::new(self.bag(sort, depth - 1)))
            }
            (3..=4, _) => BagTerm::Sum(vec![self.bag(sort, depth - 1), self.bag(sort, depth - 1)]),
            (5, _) => {
                let what = self.bag(sort, depth - 1);
                BagTerm::Minus(Box::new(BagTerm::All(sort)), Box::new(what))
            }
            (6..=9, Some(parts)) => {
                BagTerm::Tuple(sort, parts.into_iter().map(|part| self.bag(part, depth - 1)).collect())
            }
            _ => BagTerm::One(self.colour(sort, depth)),
        }
    }

    fn guard(&mut self, depth: usize) -> Guard {
        match self.random.below(if depth == 0 { 4 } else { 8 }) {
            0 => Guard::Constant(self.random.percent(80)),
            1 if self.partition.is_some() => {
                let (blocks, base) = self.partition.expect("checked just now");
                let block = ColourTerm::BlockOf(blocks, Box::new(self.colour(base, 1)));
                let constant = ColourTerm::Constant(blocks, self.constant(blocks));
                Guard::Compare(self.ordering(), (blocks, block), (blocks, constant))
            }
            4 => Guard::Not(Box::new(self.guard(depth - 1))),
            5 => Guard::And(vec![self.guard(depth - 1), self.guard(depth - 1)]),
            6 => Guard::Or(vec![self.guard(depth - 1), self.guard(depth - 1)]),
            _ => {
                let sort = *self.random.pick(&self.place_sorts);
                let (left, right) = (self.colour(sort, 1), self.colour(sort, 1));
                Guard::Compare(self.ordering(), (sort, left), (sort, right))
            }
        }
    }

    fn ordering(&mut self) -> Comparison {
        *self.random.pick(&[
            Comparison::Equal,
            Comparison::NotEqual,
            Comparison::Less,
            Comparison::LessEqual,
            Comparison::Greater,
            Comparison::GreaterEqual,
        ])
    }
}
