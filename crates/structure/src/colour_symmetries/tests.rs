use fireset_net::{
    Comparison, PlaceId, VariableId,
    coloured::{Bag, BagTerm, Colour, ColourTerm, ColouredNetBuilder, Guard},
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

/// Sorts of three colours `a` and `c`, a partition of `a` into `{0, 2}` and `{1}`, and pairs of `a`, with variables `x` and `y` of
/// `a` and `z` of `c`; and the symmetries of a transition that `build` adds.
fn symmetries_of(
    build: impl FnOnce(&mut ColouredNetBuilder, [SortId; 4], [VariableId; 3]),
) -> [SortSymmetry; 3] {
    let mut builder = ColouredNetBuilder::new("directed");
    let mut add = |name: &str, kind| builder.sorts.add(name, kind).unwrap();
    let three =
        || SortKind::Enumeration { constants: ["0", "1", "2"].map(String::from).into(), cyclic: true };
    let (a, c) = (add("a", three()), add("c", three()));
    let block_of = [0, 1, 0].map(Colour).into();
    let blocks = SortKind::Partition { base: a, blocks: vec!["even".into(), "odd".into()], block_of };
    let (blocks, pair) = (add("blocks", blocks), add("pair", SortKind::Product(vec![a, a])));
    let variables = [("x", a), ("y", a), ("z", c)].map(|(name, sort)| builder.variable(name, sort));
    build(&mut builder, [a, c, blocks, pair], variables);
    let symmetries = ColourSymmetries::of(&builder.build(), &[]);
    [a, c, blocks].map(|sort| symmetries.sort(sort).clone())
}

#[test]
fn partitions_keep_their_blocks() {
    let block = |blocks, v| ColourTerm::BlockOf(blocks, Box::new(ColourTerm::Variable(v)));
    let guarded = symmetries_of(|builder, [_, _, blocks, _], [x, y, _]| {
        let same = Guard::Compare(Comparison::Equal, (blocks, block(blocks, x)), (blocks, block(blocks, y)));
        builder.transition("t", same).unwrap();
    });
    let swaps = |of: [u32; 3]| SortSymmetry::Blocks(of.into());
    assert_eq!(guarded, [swaps([0, 1, 0]), swaps([0, 0, 0]), SortSymmetry::Rigid]);
    let produced = symmetries_of(|builder, [_, _, blocks, _], [x, ..]| {
        let place = builder.place("p", blocks, Bag::default()).unwrap();
        let t = builder.transition("t", Guard::Constant(true)).unwrap();
        builder.output(t, place, BagTerm::One(block(blocks, x))).unwrap();
    });
    assert_eq!(produced, guarded);
}

#[test]
fn successors_of_tuples_leave_no_symmetry() {
    let shifted = symmetries_of(|builder, [_, _, _, pair], [x, y, _]| {
        let place = builder.place("p", pair, Bag::default()).unwrap();
        let t = builder.transition("t", Guard::Constant(true)).unwrap();
        let tuple = ColourTerm::Tuple(pair, vec![ColourTerm::Variable(x), ColourTerm::Variable(y)]);
        let next = ColourTerm::Shift { term: Box::new(tuple), sort: pair, by: 1 };
        builder.output(t, place, BagTerm::One(next)).unwrap();
    });
    assert_eq!(shifted[0], SortSymmetry::Rigid);
}

#[test]
fn sorts_that_stand_for_each_other_are_rigid() {
    let mixed = symmetries_of(|builder, [a, ..], [.., z]| {
        let place = builder.place("p", a, Bag::default()).unwrap();
        let t = builder.transition("t", Guard::Constant(true)).unwrap();
        builder.output(t, place, BagTerm::One(ColourTerm::Variable(z))).unwrap();
    });
    assert_eq!(mixed[..2], [SortSymmetry::Rigid, SortSymmetry::Rigid]);
}
