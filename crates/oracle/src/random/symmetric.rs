//! Random coloured nets most of which have symmetric colours: variables are compared for equality, and only some sorts have
//! successors, named colours or an order.

use super::TestRng;
use fireset_net::{
    Comparison, PlaceId, SortId, VariableId,
    coloured::{Bag, BagTerm, Colour, ColourTerm, ColouredNet, ColouredNetBuilder, Guard, SortKind},
};

/// What terms may do with the colours of a sort, beside using variables, multisets of all colours and equality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColourUse {
    Equality,
    Successors,
    Names,
    Order,
}

/// A coloured net over two sorts of two to four colours and their products; `inhibitors` of a hundred transitions have an
/// inhibitor arc.
pub fn symmetric(random: &mut TestRng, inhibitors: usize) -> ColouredNet {
    let mut drawer = SymmetricNetDrawing::new(random);
    let places = drawer.random.within(2, 4) as usize;
    for at in 0..places {
        let sort = *drawer.random.pick(&drawer.sorts);
        let size = drawer.builder.sorts[sort].size();
        let all = size <= 4 && drawer.random.percent(if at == 0 { 60 } else { 20 });
        let colours: Vec<u64> = match all {
            true => (0..size).collect(),
            false => (0..drawer.random.within(0, 3)).map(|_| drawer.random.within(0, size - 1)).collect(),
        };
        let initial = Bag::collect(colours.into_iter().map(|c| (Colour(c), 1)));
        let initial = initial.expect("a few tokens do not overflow");
        drawer.builder.place(&format!("p{at}"), sort, initial).expect("a new name");
    }
    for at in 0..drawer.random.within(2, 4) {
        drawer.transition(&format!("t{at}"), places, inhibitors);
    }
    drawer.builder.build()
}

struct SymmetricNetDrawing<'a> {
    random: &'a mut TestRng,
    builder: ColouredNetBuilder,
    /// The sorts of places: the basic ones first.
    sorts: Vec<SortId>,
    uses: [ColourUse; 2],
    variables: [Vec<VariableId>; 2],
}

impl<'a> SymmetricNetDrawing<'a> {
    fn new(random: &'a mut TestRng) -> Self {
        let mut builder = ColouredNetBuilder::new("symmetric");
        let mut basic = |name: &str, colours: u64| {
            let constants = (0..colours).map(|c| format!("{name}{c}")).collect();
            let kind = SortKind::Enumeration { constants, cyclic: true };
            builder.sorts.add(name, kind).expect("a few colours")
        };
        let (a, b) = (basic("a", random.within(2, 4)), basic("b", random.within(2, 3)));
        let mut sorts = vec![a, b];
        for (name, parts) in [("aa", vec![a, a]), ("ab", vec![a, b])] {
            sorts.push(builder.sorts.add(name, SortKind::Product(parts)).expect("a small product"));
        }
        let mut variables = |sort, names: [&str; 3]| names.map(|name| builder.variable(name, sort)).into();
        let variables = [variables(a, ["x", "y", "z"]), variables(b, ["u", "v", "w"])];
        let all = [
            ColourUse::Equality,
            ColourUse::Equality,
            ColourUse::Successors,
            ColourUse::Names,
            ColourUse::Order,
        ];
        let uses = [*random.pick(&all), *random.pick(&all)];
        Self { random, builder, sorts, uses, variables }
    }

    fn transition(&mut self, name: &str, places: usize, inhibitors: usize) {
        let guard = if self.random.percent(40) { self.guard(1) } else { Guard::Constant(true) };
        let transition = self.builder.transition(name, guard).expect("a new name");
        let inputs = if self.random.percent(60) { 1 } else { 2 };
        for _ in 0..inputs {
            let place = PlaceId::new(self.random.below(places));
            let term = self.bag(self.builder.place_sort(place));
            self.builder.input(place, transition, term).expect("small terms");
        }
        for _ in 0..if self.random.percent(85) { inputs } else { 0 } {
            let place = PlaceId::new(self.random.below(places));
            let term = self.bag(self.builder.place_sort(place));
            self.builder.output(transition, place, term).expect("small terms");
        }
        if self.random.percent(inhibitors) {
            let place = PlaceId::new(self.random.below(places));
            let term = self.bag(self.builder.place_sort(place));
            self.builder.inhibitor(place, transition, term).expect("small terms");
        }
    }

    /// The position of a basic sort.
    fn position(&self, sort: SortId) -> usize {
        usize::from(sort == self.sorts[1])
    }

    fn colour(&mut self, sort: SortId) -> ColourTerm {
        if let SortKind::Product(parts) = &self.builder.sorts[sort].kind {
            let parts = parts.clone();
            return ColourTerm::Tuple(sort, parts.into_iter().map(|part| self.colour(part)).collect());
        }
        let at = self.position(sort);
        let variable = ColourTerm::Variable(*self.random.pick(&self.variables[at]));
        match self.uses[at] {
            ColourUse::Successors if self.random.percent(40) => {
                let by = *self.random.pick(&[1, -1]);
                ColourTerm::Shift { term: Box::new(variable), sort, by }
            }
            ColourUse::Names if self.random.percent(15) => self.constant(sort),
            _ => variable,
        }
    }

    fn constant(&mut self, sort: SortId) -> ColourTerm {
        let size = self.builder.sorts[sort].size();
        // Few names, so that several colours have none.
        ColourTerm::Constant(sort, Colour(self.random.within(0, (size - 1).min(1))))
    }

    fn bag(&mut self, sort: SortId) -> BagTerm {
        match self.random.below(30) {
            0 => BagTerm::All(sort),
            1 => BagTerm::Minus(Box::new(BagTerm::All(sort)), Box::new(BagTerm::One(self.colour(sort)))),
            2 => BagTerm::Sum(vec![BagTerm::One(self.colour(sort)), BagTerm::One(self.colour(sort))]),
            3 => BagTerm::Times(2, Box::new(BagTerm::One(self.colour(sort)))),
            4 => match &self.builder.sorts[sort].kind {
                SortKind::Product(parts) => {
                    let (first, last) = (parts[0], parts[1]);
                    BagTerm::Tuple(sort, vec![BagTerm::One(self.colour(first)), BagTerm::All(last)])
                }
                _ if self.uses[self.position(sort)] == ColourUse::Names => {
                    BagTerm::Fixed(Bag::of(Colour(0), 1))
                }
                _ => BagTerm::One(self.colour(sort)),
            },
            _ => BagTerm::One(self.colour(sort)),
        }
    }

    fn guard(&mut self, depth: usize) -> Guard {
        match self.random.below(if depth == 0 { 3 } else { 6 }) {
            3 => Guard::Not(Box::new(self.guard(depth - 1))),
            4 => Guard::And(vec![self.guard(depth - 1), self.guard(depth - 1)]),
            5 => Guard::Or(vec![self.guard(depth - 1), self.guard(depth - 1)]),
            _ => {
                let at = self.random.below(2);
                let sort = self.sorts[at];
                let left = self.colour(sort);
                let named = self.uses[at] == ColourUse::Names && self.random.percent(50);
                let right = if named { self.constant(sort) } else { self.colour(sort) };
                let orders = named || self.uses[at] == ColourUse::Order;
                let comparison = match orders {
                    true => *self.random.pick(&[
                        Comparison::Less,
                        Comparison::LessEqual,
                        Comparison::Greater,
                        Comparison::Equal,
                    ]),
                    false => *self.random.pick(&[Comparison::Equal, Comparison::NotEqual]),
                };
                Guard::Compare(comparison, (sort, left), (sort, right))
            }
        }
    }
}
