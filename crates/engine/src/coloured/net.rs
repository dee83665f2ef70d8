//! A coloured net encoded as rows of words.

use std::sync::Arc;

use fireset_kernel::random::Random;
use fireset_net::{
    Budget, FireError, Semantics, Step, StopReason,
    coloured::{Bag, Colour, ColouredMarking, ColouredNet},
};

use super::{
    Binding, ColouredConfig, TokenLayout,
    bindings::{BindingEnumeration, EnabledBindings, FullInfo, MinRep, TokenMatching},
    compile::CompiledNet,
    layout::{self, DenseLayout, MarkingLayout, SparseLayout},
    space::ColouredSpace,
    symmetry::{ColourNormalForm, Quotient, SymmetricColours},
};
use crate::search::{
    ActionCursor, EncodedNet, Interrupt, LayoutOverflow, SpaceTask, StateSpace, interruptible,
};

/// Dense rows of at most this many words are taken without comparing.
const SHORT: u64 = 32;
/// The words of fields that a word of a list may cost: lists are slower.
const WORTH: u64 = 3;
/// Nets with more bindings are refused by the methods that try all: a single state would take too long.
const MAX_TRIED: u64 = 1 << 26;

/// A coloured net in a layout.
#[derive(Clone, Debug)]
pub(crate) struct PackedColouredNet<'a> {
    net: &'a ColouredNet,
    compiled: &'a CompiledNet,
    layout: ColouredLayout,
    config: ColouredConfig,
    /// Present if only normal forms under symmetries are states.
    symmetry: Option<Arc<SymmetricColours>>,
}

#[derive(Clone, Debug)]
pub(crate) enum ColouredLayout {
    Dense(DenseLayout),
    Sparse(SparseLayout),
}

impl<'a> PackedColouredNet<'a> {
    /// A net in the chosen layout, which is wide enough for the initial marking.
    pub(crate) fn new(
        net: &'a ColouredNet,
        compiled: &'a CompiledNet,
        config: ColouredConfig,
    ) -> Result<Self, StopReason> {
        let positions = compiled.transitions.iter().map(|t| t.plan.positions);
        let bindings = positions.fold(0, u64::saturating_add);
        if config.bindings != Binding::Token && bindings > MAX_TRIED {
            return Err(StopReason::Bindings(bindings));
        }
        let tokens = tokens(&net.initial());
        let sizes = &compiled.sizes;
        let list = tokens.iter().map(|tokens| tokens.len() as u64).sum::<u64>();
        let dense = DenseLayout::least_width(sizes);
        let sparse = match config.tokens {
            TokenLayout::Auto => dense > SHORT.max(WORTH.saturating_mul(list)),
            TokenLayout::Dense => dense > 1 << 24,
            TokenLayout::Sparse => true,
        };
        let layout = if sparse {
            MarkingLayout::fitting(sizes, &tokens, None).map(ColouredLayout::Sparse)
        } else {
            MarkingLayout::fitting(sizes, &tokens, None).map(ColouredLayout::Dense)
        };
        Ok(Self { net, compiled, layout: layout.ok_or(StopReason::Overflow)?, config, symmetry: None })
    }

    /// The same net with one marking of each orbit.
    pub(crate) fn with_symmetry(self, symmetry: Option<Arc<SymmetricColours>>) -> Self {
        Self { symmetry, ..self }
    }

    fn marking(&self, row: &[u64]) -> ColouredMarking {
        match &self.layout {
            ColouredLayout::Dense(layout) => decode(layout, row, self.compiled.sizes.len()),
            ColouredLayout::Sparse(layout) => decode(layout, row, self.compiled.sizes.len()),
        }
    }

    fn encode(&self, marking: &ColouredMarking, row: &mut [u64]) {
        match &self.layout {
            ColouredLayout::Dense(layout) => encode(layout, marking, row),
            ColouredLayout::Sparse(layout) => encode(layout, marking, row),
        }
    }

    fn width(&self) -> usize {
        match &self.layout {
            ColouredLayout::Dense(layout) => layout.width(),
            ColouredLayout::Sparse(layout) => layout.width(),
        }
    }

    fn with<M: MarkingLayout + 'static, T: SpaceTask<u64>>(
        &self,
        layout: &M,
        task: T,
        interrupt: Interrupt,
    ) -> T::Output {
        let bindings: Box<dyn EnabledBindings<M>> = match self.config.bindings {
            Binding::Token => Box::new(TokenMatching::default()),
            Binding::DynExp => Box::new(BindingEnumeration::default()),
            Binding::MinRep => Box::new(MinRep::default()),
            Binding::FullInfo => Box::new(FullInfo::default()),
        };
        let quotient = self.symmetry.clone().map(|colours| {
            let mut initial = vec![0; layout.width()];
            encode(layout, &self.net.initial(), &mut initial);
            Quotient::new(colours, initial)
        });
        let space = ColouredSpace::new(self.compiled, layout, bindings, interrupt);
        task.run(&mut space.in_quotient(quotient))
    }
}

impl EncodedNet for PackedColouredNet<'_> {
    type ActionId = u64;
    /// The symmetries too: fewer queries may leave more of them, but rows stay in normal form under those that they had.
    type OwnedLayout = (ColouredLayout, Option<Arc<SymmetricColours>>);

    fn initial_row(&self) -> Vec<u64> {
        let mut row = vec![0; self.width()];
        self.encode(&self.net.initial(), &mut row);
        if let Some(colours) = &self.symmetry {
            let mut form = ColourNormalForm::new(colours.clone());
            match &self.layout {
                ColouredLayout::Dense(layout) => form.normalise(layout, &mut row),
                ColouredLayout::Sparse(layout) => form.normalise(layout, &mut row),
            };
        }
        row
    }

    fn on_space<T: SpaceTask<u64>>(&self, task: T, budget: &Budget) -> Result<T::Output, StopReason> {
        let interrupt = Interrupt::new(budget);
        interruptible(|| match &self.layout {
            ColouredLayout::Dense(layout) => self.with(layout, task, interrupt),
            ColouredLayout::Sparse(layout) => self.with(layout, task, interrupt),
        })
    }

    fn wider(&self, overflow: &LayoutOverflow<u64>) -> Result<Self, StopReason> {
        let reached = match self.net.fire(&self.marking(&overflow.row), &self.compiled.step(overflow.action))
        {
            Ok(reached) => tokens(&reached),
            Err(FireError::Overflow { .. }) => return Err(StopReason::Overflow),
            Err(why) => panic!("an enabled binding fires, but: {why:?}"),
        };
        let sizes = &self.compiled.sizes;
        let layout = match &self.layout {
            ColouredLayout::Dense(layout) => {
                MarkingLayout::fitting(sizes, &reached, Some(layout)).map(ColouredLayout::Dense)
            }
            ColouredLayout::Sparse(layout) => {
                MarkingLayout::fitting(sizes, &reached, Some(layout)).map(ColouredLayout::Sparse)
            }
        };
        Ok(Self { layout: layout.ok_or(StopReason::Overflow)?, ..self.clone() })
    }

    fn converter(&self, wider: &Self) -> impl FnMut(&[u64], &mut [u64]) {
        |row, to| wider.encode(&self.marking(row), to)
    }

    fn owned_layout(&self) -> Self::OwnedLayout {
        (self.layout.clone(), self.symmetry.clone())
    }

    fn in_layout(&self, (layout, symmetry): Self::OwnedLayout) -> Option<Self> {
        Some(Self { layout, symmetry, ..self.clone() })
    }

    fn layout_name(&self) -> &'static str {
        match self.layout {
            ColouredLayout::Dense(_) => "dense",
            ColouredLayout::Sparse(_) => "sparse",
        }
    }
}

/// A random enabled step of a marking, if there is one; the search for it may be interrupted.
pub(crate) fn any_step(
    net: &CompiledNet,
    marking: &ColouredMarking,
    random: &mut Random,
    interrupt: &Interrupt,
) -> Option<Step> {
    let layout = SparseLayout::fitting(&net.sizes, &tokens(marking), None)?;
    let mut row = vec![0; layout.width()];
    encode(&layout, marking, &mut row);
    let mut space = ColouredSpace::new(net, &layout, Box::new(TokenMatching::default()), interrupt.clone());
    let start = space.random_cursor(random);
    let enabled = space.next(&row, start).or_else(|| space.next(&row, ActionCursor::default()));
    enabled.map(|(action, _)| net.step(action))
}

/// The tokens of a marking, by place.
fn tokens(marking: &ColouredMarking) -> Vec<Vec<layout::ColouredToken>> {
    marking.0.iter().map(|bag| bag.iter().map(|(colour, count)| (colour.0, count)).collect()).collect()
}

fn encode<M: MarkingLayout>(layout: &M, marking: &ColouredMarking, row: &mut [u64]) {
    row.fill(0);
    for (place, bag) in marking.0.iter().enumerate() {
        for (colour, count) in bag.iter() {
            let fits = layout.give(row, place, colour.0, count);
            assert!(
                fits,
                "a layout holds the markings that it was made for, and all that narrower ones held"
            );
        }
    }
}

fn decode<M: MarkingLayout>(layout: &M, row: &[u64], places: usize) -> ColouredMarking {
    let bag = |place| {
        let mut tokens = Vec::new();
        layout.each(row, place, |(colour, count)| tokens.push((Colour(colour), count)));
        Bag::collect(tokens).expect("each colour comes once")
    };
    ColouredMarking((0..places).map(bag).collect())
}
