//! One marking of each orbit: rows are replaced by a normal form under the symmetries of the net.
//!
//! Source: Chiola, Dutheillet, Franceschinis and Haddad, "A symbolic reachability graph for coloured Petri nets" (TCS 1997), which
//! stores symbolic markings and fires symbolically. Here markings and firings are those of the net, and what is stored is
//! some marking of the orbit: sorted colours, as in Junttila, "Symmetry reduction algorithms for data symmetries" (2002).
//!
//! Proof that a search of normal forms sees exactly the orbits of reachable markings, whatever marking of its orbit a normal form is:
//! let `n` be stored and `g` a symmetry with `n = g m` for a reachable `m`. A step `n [t, b> n'` is one `m [t, g⁻¹b> g⁻¹n'`
//! ([`ColourSymmetries`](fireset_structure::ColourSymmetries)), and the normal form of `n'` is `h n' = (h g) g⁻¹n'`, so what is
//! stored next is of a reachable orbit too. Conversely for each step `m [t, b> m'` the search fires `n [t, g b> g m'`, or another
//! binding that leads to the same orbit (`twins`), and stores a marking of the orbit of `m'`. So the search ends without a goal only if no reachable marking is one, because goals are
//! whole unions of orbits; so are deadlocks, counts of tokens of unnamed colours, and whether a transition can fire again. The
//! products `h g` along the way make a run of the quotient one of the net ([`Quotient::run`]).
//!
//! Invariants: (1) the normal form is in the orbit of the marking; (2) it depends on the marking alone, not on its layout, so a
//! row that is written again in a wider layout is still a normal form.
//! Where two markings of one orbit have different normal forms the search stores both, which costs states and nothing else.
//! Test: `tests/symmetry.rs`.

mod normal_form;
mod twins;

use std::sync::Arc;

use fireset_net::{
    SortId, Step,
    coloured::{Colour, ColouredNet},
};
use fireset_structure::{ColourSymmetries, SortSymmetry};

pub(super) use self::normal_form::ColourNormalForm;
use self::twins::Twins;
use super::{bags::ColourCounts, compile::CompiledNet, layout::MarkingLayout, space::fire};

/// The colours that move, of all sorts, and where they occur.
#[derive(Debug)]
pub(crate) struct SymmetricColours {
    sorts: Vec<SymmetricSort>,
    /// The number of colours of all symmetric sorts.
    colours: usize,
    /// The components of the colours of each place.
    places: Vec<Vec<Component>>,
    /// The components of the colours of each variable, by transition and position in the binding.
    variables: Vec<Vec<Vec<Component>>>,
}

/// A sort whose colours move. They have numbers in a row, among those of all sorts.
#[derive(Debug)]
struct SymmetricSort {
    first: usize,
    size: usize,
    moves: Moves,
}

#[derive(Debug)]
enum Moves {
    /// Within blocks: the block of each colour, and the colours block by block.
    Within {
        block_of: Box<[u32]>,
        places: Box<[u32]>,
    },
    Around,
}

/// A component of the colours of a sort.
#[derive(Clone, Copy, Debug)]
struct Component {
    weight: u64,
    size: u64,
    /// The number of its first colour, if its colours move.
    first: Option<usize>,
}

impl Component {
    /// The number of the component's colour, if its colours move.
    #[inline]
    fn number(&self, colour: u64) -> Option<usize> {
        self.first.map(|first| first + (colour / self.weight % self.size) as usize)
    }
}

/// The colour whose components are renamed; `images` has a new colour for each number.
fn renamed(colour: u64, components: &[Component], images: &[u32]) -> u64 {
    components.iter().fold(colour, |renamed, component| match component.number(colour) {
        Some(number) => {
            let old = colour / component.weight % component.size;
            renamed - old * component.weight + u64::from(images[number]) * component.weight
        }
        None => renamed,
    })
}

impl SymmetricColours {
    /// The colours that move under some symmetries; `None` if there are none.
    pub(crate) fn new(net: &ColouredNet, symmetries: &ColourSymmetries) -> Option<Arc<Self>> {
        if symmetries.is_trivial() {
            return None;
        }
        let (mut sorts, mut firsts, mut colours) = (Vec::new(), Vec::new(), 0);
        for at in 0..net.sorts().iter().len() {
            let (sort, size) = (SortId::new(at), net.sorts()[SortId::new(at)].size() as usize);
            let moves = match symmetries.sort(sort) {
                SortSymmetry::Rigid => None,
                SortSymmetry::Rotations => Some(Moves::Around),
                SortSymmetry::Blocks(block_of) => {
                    let mut places: Vec<u32> = (0..size as u32).collect();
                    places.sort_by_key(|&colour| block_of[colour as usize]);
                    Some(Moves::Within { block_of: block_of.clone(), places: places.into() })
                }
            };
            firsts.push(moves.as_ref().map(|_| colours));
            if let Some(moves) = moves {
                sorts.push(SymmetricSort { first: colours, size, moves });
                colours += size;
            }
        }
        let components = |sort: SortId| {
            let (mut components, mut weight) = (Vec::new(), 1u64);
            for part in net.sorts().flat_components(sort).into_iter().rev() {
                let size = net.sorts()[part].size();
                components.push(Component { weight, size, first: firsts[part.index()] });
                weight = weight.saturating_mul(size);
            }
            components.retain(|component| component.first.is_some());
            components
        };
        let places = net.nodes().place_ids().map(|p| components(net.place(p).sort)).collect();
        let of_transition =
            |t| net.variables_of(t).iter().map(|&v| components(net.variable(v).sort)).collect();
        let variables = net.nodes().transition_ids().map(of_transition).collect();
        Some(Arc::new(Self { sorts, colours, places, variables }))
    }

    /// The permutation that moves nothing.
    fn identity(&self) -> Vec<u32> {
        self.sorts.iter().flat_map(|sort| 0..sort.size as u32).collect()
    }

    /// Makes a permutation its product with another one, which is done after it.
    fn follow(&self, images: &mut [u32], after: &[u32]) {
        for sort in &self.sorts {
            for image in &mut images[sort.first..][..sort.size] {
                *image = after[sort.first + *image as usize];
            }
        }
    }

    fn inverse(&self, images: &[u32]) -> Vec<u32> {
        let mut inverse = vec![0; images.len()];
        for sort in &self.sorts {
            for colour in 0..sort.size {
                inverse[sort.first + images[sort.first + colour] as usize] = colour as u32;
            }
        }
        inverse
    }
}

/// The normal forms of a space, with the initial marking as it is.
#[derive(Clone)]
pub(super) struct Quotient {
    form: ColourNormalForm,
    initial: Vec<u64>,
    twins: Twins,
    /// The row whose twins these are.
    expanded: Vec<u64>,
}

impl Quotient {
    pub(super) fn new(colours: Arc<SymmetricColours>, initial: Vec<u64>) -> Self {
        let (form, twins) = (ColourNormalForm::new(colours), Twins::default());
        Self { form, initial, twins, expanded: Vec::new() }
    }

    /// Called before bindings of a row are fired.
    #[inline]
    pub(super) fn expand<M: MarkingLayout>(&mut self, layout: &M, row: &[u64]) {
        if self.expanded != row {
            self.twins.find(&mut self.form, layout, row);
            self.expanded.clear();
            self.expanded.extend_from_slice(row);
        }
    }

    /// Whether an enabled binding has to fire in the row that is expanded: of those that lead to one orbit only some do.
    #[inline]
    pub(super) fn fires(&mut self, transition: usize, binding: &[u64]) -> bool {
        self.twins.is_first(&self.form.colours().variables[transition], binding)
    }

    /// Replaces a row by its normal form.
    #[inline]
    pub(super) fn normalise<M: MarkingLayout>(&mut self, layout: &M, row: &mut [u64]) {
        self.form.normalise(layout, row);
    }

    /// The steps of the net that a run of normal forms stands for.
    ///
    /// `images` takes the marking of the net to the normal form in which the next action fires.
    pub(super) fn run<M: MarkingLayout>(
        &mut self,
        net: &CompiledNet,
        layout: &M,
        actions: &[u64],
    ) -> Vec<Step> {
        let colours = self.form.colours().clone();
        let (mut row, mut images) = (self.initial.clone(), colours.identity());
        let (mut run, mut counts) = (Vec::new(), ColourCounts::new());
        for &action in actions {
            if self.form.normalise(layout, &mut row) {
                colours.follow(&mut images, self.form.images());
            }
            let step = net.step(action);
            let (at, back) = (step.transition.index(), colours.inverse(&images));
            let binding: Vec<u64> = step.binding.iter().map(|colour| colour.0).collect();
            let fits = fire(layout, &net.transitions[at], &binding, &mut row, &mut counts);
            assert!(fits, "the markings of a stored run fit the layout");
            let components = colours.variables[at].iter();
            let binding = binding.iter().zip(components).map(|(&c, parts)| Colour(renamed(c, parts, &back)));
            run.push(Step { transition: step.transition, binding: binding.collect() });
        }
        run
    }
}
