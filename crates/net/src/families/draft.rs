//! Builders for nets whose parameters were checked: ids are fresh and sizes small, so nothing can fail.

use crate::{
    Comparison, Net, NetBuilder, Nupn, PlaceId, SortId, TransitionId, Unit, UnitId, VariableId,
    coloured::{Bag, BagTerm, Colour, ColourTerm, ColouredNet, ColouredNetBuilder, Guard, SortKind},
};

const FRESH: &str = "a family gives each node its own id";
const SMALL: &str = "a family's size is checked before it is built";

/// A place/transition net in the making.
#[derive(Default)]
pub(super) struct FamilyDraft(pub NetBuilder);

impl FamilyDraft {
    /// Adds a place; the name must be new.
    pub fn place(&mut self, id: &str, tokens: u64) -> PlaceId {
        self.0.place(id, tokens).expect(FRESH)
    }

    /// Adds the places `id_1`, `id_2`, ... with `tokens` each.
    pub fn row(&mut self, id: &str, count: u64, tokens: u64) -> Vec<PlaceId> {
        (1..=count).map(|i| self.place(&format!("{id}_{i}"), tokens)).collect()
    }

    /// Adds rows of places `id_1_1`, `id_1_2`, ..., `id_2_1`, ... without tokens.
    pub fn grid(&mut self, id: &str, rows: u64, columns: u64) -> Vec<Vec<PlaceId>> {
        (1..=rows).map(|i| self.row(&format!("{id}_{i}"), columns, 0)).collect()
    }

    /// Adds a transition with its arcs; a place named twice gets an arc of weight 2.
    pub fn step(&mut self, id: &str, takes: &[PlaceId], gives: &[PlaceId]) -> TransitionId {
        let transition = self.0.transition(id).expect(FRESH);
        takes.iter().for_each(|&place| self.0.input(place, transition, 1));
        gives.iter().for_each(|&place| self.0.output(transition, place, 1));
        transition
    }

    /// Declares units that share no place, below an empty root. Together they hold all places, and each
    /// has at most one token in every reachable marking.
    pub fn safe_units(&mut self, units: impl IntoIterator<Item = (String, Vec<PlaceId>)>) {
        let mut all = vec![Unit { name: "root".into(), places: Vec::new(), subunits: Vec::new() }];
        all.extend(units.into_iter().map(|(name, places)| Unit { name, places, subunits: Vec::new() }));
        all[0].subunits = UnitId::first(all.len()).skip(1).collect();
        self.0.nupn = Some(Nupn { units: all, root: UnitId::new(0), unit_safe: true });
    }

    /// Ends the construction of the net.
    pub fn finish(self) -> Net {
        self.0.build().expect(SMALL)
    }
}

/// A variable with its sort.
#[derive(Clone, Copy)]
pub(super) struct Var {
    id: VariableId,
    pub sort: SortId,
}

impl Var {
    /// The colour of the variable as a term.
    pub fn term(self) -> ColourTerm {
        ColourTerm::Variable(self.id)
    }

    /// Its colour, once.
    pub fn one(self) -> BagTerm {
        BagTerm::One(self.term())
    }

    /// The colour `by` places further on.
    pub fn shift(self, by: i64) -> ColourTerm {
        ColourTerm::Shift { term: Box::new(self.term()), sort: self.sort, by }
    }

    /// A comparison with another variable of the same sort.
    pub fn compare(self, ordering: Comparison, other: Self) -> Guard {
        Guard::Compare(ordering, (self.sort, self.term()), (other.sort, other.term()))
    }

    /// A comparison with a colour.
    pub fn compare_to(self, ordering: Comparison, colour: u64) -> Guard {
        Guard::Compare(ordering, (self.sort, self.term()), (self.sort, self.constant(colour)))
    }

    /// A colour of its sort.
    pub fn constant(self, colour: u64) -> ColourTerm {
        ColourTerm::Constant(self.sort, Colour(colour))
    }
}

/// A coloured net in the making.
#[derive(Default)]
pub(super) struct ColouredDraft(pub ColouredNetBuilder);

impl ColouredDraft {
    /// Declares a sort; the name must be new.
    pub fn sort(&mut self, name: &str, kind: SortKind) -> SortId {
        self.0.sorts.add(name, kind).expect(SMALL)
    }

    /// Adds the cyclic enumeration of `name_1`, `name_2`, ...
    pub fn cycle(&mut self, name: &str, count: u64) -> SortId {
        let constants = (1..=count).map(|i| format!("{name}_{i}")).collect();
        self.sort(name, SortKind::Enumeration { constants, cyclic: true })
    }

    /// Declares a variable.
    pub fn variable(&mut self, name: &str, sort: SortId) -> Var {
        Var { id: self.0.variable(name, sort), sort }
    }

    /// Adds a place without tokens.
    pub fn place(&mut self, id: &str, sort: SortId) -> PlaceId {
        self.marked(id, sort, Bag::default())
    }

    /// Adds a place that holds each colour of its sort once.
    pub fn full(&mut self, id: &str, sort: SortId) -> PlaceId {
        let colours = 0..self.0.sorts[sort].size();
        self.marked(id, sort, bag(colours))
    }

    /// Adds a place with its tokens.
    pub fn marked(&mut self, id: &str, sort: SortId, initial: Bag) -> PlaceId {
        self.0.place(id, sort, initial).expect(FRESH)
    }

    /// Adds a transition without a guard, with its arcs.
    pub fn step<const I: usize, const O: usize>(
        &mut self,
        id: &str,
        takes: [(PlaceId, BagTerm); I],
        gives: [(PlaceId, BagTerm); O],
    ) -> TransitionId {
        self.guarded(id, Guard::Constant(true), takes, gives)
    }

    /// Adds a transition with its guard and arcs.
    pub fn guarded<const I: usize, const O: usize>(
        &mut self,
        id: &str,
        guard: Guard,
        takes: [(PlaceId, BagTerm); I],
        gives: [(PlaceId, BagTerm); O],
    ) -> TransitionId {
        let transition = self.0.transition(id, guard).expect(FRESH);
        takes.into_iter().for_each(|(place, term)| self.0.input(place, transition, term).expect(SMALL));
        gives.into_iter().for_each(|(place, term)| self.0.output(transition, place, term).expect(SMALL));
        transition
    }

    /// Ends the construction of the net.
    pub fn finish(self) -> ColouredNet {
        self.0.build()
    }
}

/// Each of these colours once.
pub(super) fn bag(colours: impl IntoIterator<Item = u64>) -> Bag {
    Bag::collect(colours.into_iter().map(|c| (Colour(c), 1))).expect("small counts do not overflow")
}

/// One tuple of a product sort.
pub(super) fn tuple<const N: usize>(sort: SortId, terms: [ColourTerm; N]) -> BagTerm {
    BagTerm::One(ColourTerm::Tuple(sort, terms.into()))
}

/// All of them together.
pub(super) fn sum<const N: usize>(terms: [BagTerm; N]) -> BagTerm {
    BagTerm::Sum(terms.into())
}
