use fireset_net::{
    PlaceId, VariableId,
    coloured::{Bag, Colour},
};
use fireset_oracle::random::{self, TestRng};

use super::*;

/// A permutation of each basic sort.
struct Permutation<'a>(&'a Sorts, Vec<Vec<u64>>);

impl<'a> Permutation<'a> {
    /// A random element of a group.
    fn of(symmetries: &ColourSymmetries, sorts: &'a Sorts, random: &mut TestRng) -> Self {
        let permutation = |(at, symmetry): (usize, &SortSymmetry)| {
            let size = sorts[SortId::new(at)].size();
            let mut to: Vec<u64> = (0..size).collect();
            match symmetry {
                SortSymmetry::Rigid => {}
                SortSymmetry::Rotations => to.rotate_left(random.below(size as usize)),
                SortSymmetry::Blocks(blocks) => {
                    for _ in 0..2 * size {
                        let (a, b) = (random.below(size as usize), random.below(size as usize));
                        if blocks[a] == blocks[b] {
                            to.swap(a, b);
                        }
                    }
                }
            }
            to
        };
        Self(sorts, symmetries.0.iter().enumerate().map(permutation).collect())
    }

    fn colour(&self, sort: SortId, colour: Colour) -> Colour {
        match &self.0[sort].kind {
            SortKind::Product(parts) => {
                let components = self.0.components(sort, colour);
                let moved: Vec<_> =
                    parts.iter().zip(components).map(|(&part, c)| self.colour(part, c)).collect();
                self.0.tuple(parts, &moved)
            }
            _ => Colour(self.1[sort.index()][colour.0 as usize]),
        }
    }

    fn bag(&self, sort: SortId, bag: &Bag) -> Bag {
        Bag::collect(bag.iter().map(|(c, n)| (self.colour(sort, c), n))).unwrap()
    }
}

/// Guards and terms have the same value under a binding and its image, but for the image of colours.
fn assert_symmetric(net: &ColouredNet, permutation: &Permutation<'_>, random: &mut TestRng) {
    for t in net.nodes().transition_ids() {
        let sort_of = |v: VariableId| net.variable(v).sort;
        let draw = |&v: &VariableId| Colour(random.within(0, net.sorts()[sort_of(v)].size() - 1));
        let binding: Vec<Colour> = net.variables_of(t).iter().map(draw).collect();
        let image = net.variables_of(t).iter().zip(&binding);
        let image: Vec<Colour> = image.map(|(&v, &c)| permutation.colour(sort_of(v), c)).collect();
        let (before, after) = (net.lookup(t, &binding), net.lookup(t, &image));
        let transition = net.transition(t);
        let holds = transition.guard.holds(net.sorts(), &before);
        assert_eq!(transition.guard.holds(net.sorts(), &after), holds, "{:?}", transition.guard);
        for arc in [&transition.pre, &transition.post, &transition.inhibitors].into_iter().flatten() {
            let sort = net.place(arc.place).sort;
            let moved = permutation.bag(sort, &arc.term.value(net.sorts(), &before));
            assert_eq!(arc.term.value(net.sorts(), &after), moved, "{:?}", arc.term);
        }
    }
}

#[test]
fn terms_and_guards_follow_symmetries() {
    let (mut blocks, mut rotations) = (0, 0);
    for seed in 0..4_000 {
        let mut random = TestRng::new(seed);
        let net = match seed % 4 {
            0 => random::coloured(&mut random, 30),
            _ => random::symmetric(&mut random, 30),
        };
        let symmetries = ColourSymmetries::of(&net, &[]);
        for sort in &symmetries.0 {
            blocks += usize::from(matches!(sort, SortSymmetry::Blocks(_)));
            rotations += usize::from(*sort == SortSymmetry::Rotations);
        }
        for _ in 0..10 {
            let permutation = Permutation::of(&symmetries, net.sorts(), &mut random);
            assert_symmetric(&net, &permutation, &mut random);
        }
    }
    assert!(blocks > 2_000 && rotations > 300, "{blocks} sorts with blocks, {rotations} with rotations");
}

#[test]
fn counts_of_named_colours_stay() {
    let mut named = 0;
    for seed in 0..2_000 {
        let mut random = TestRng::new(seed);
        let net = random::symmetric(&mut random, 0);
        let place = PlaceId::new(random.below(net.nodes().places.len()));
        let tokens = random::place_colours(&mut random, &net, place);
        let symmetries = ColourSymmetries::of(&net, &[Query::ColourBound(vec![tokens.clone()])]);
        named += usize::from(!symmetries.is_trivial() && !tokens.colours.is_any());
        let permutation = Permutation::of(&symmetries, net.sorts(), &mut random);
        let sort = net.place(place).sort;
        for colour in (0..net.sorts()[sort].size()).map(Colour) {
            let image = permutation.colour(sort, colour);
            assert_eq!(tokens.colours.matches(colour), tokens.colours.matches(image));
        }
    }
    assert!(named > 300, "only {named} nets were symmetric");
}
