//! What a net means: states, and the steps between them. Place/transition and coloured nets share it.

use std::hash::Hash;

use crate::{
    Nodes, PlaceId, TokenCounts, TransitionId,
    coloured::{BindingPattern, Colour, PlaceColours},
};

/// One firing: a transition and, on a coloured net, the colours of its variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Of the net that the step belongs to.
    pub transition: TransitionId,
    /// The colours of the transition's variables, in the order of
    /// [`ColouredNet::variables_of`](crate::coloured::ColouredNet::variables_of); empty on a place/transition net.
    pub binding: Box<[Colour]>,
}

impl Step {
    /// A firing of a transition that has no variables.
    pub fn plain(transition: TransitionId) -> Self {
        Self { transition, binding: Box::default() }
    }
}

/// The tokens of a place in one marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// The tokens of all colours together.
    pub total: u128,
    /// The tokens of the most frequent colour: the largest count of an unfolded place.
    pub largest: u64,
}

/// What the contest's OneSafe and StableMarking mean by a place's tokens. On a coloured net it is a choice
/// between all colours together, which is taken here, and each colour alone; nothing else decides it.
impl Tokens {
    /// Whether the place holds at most one token.
    pub fn is_safe(self) -> bool {
        self.total <= 1
    }

    /// Whether the place holds as many tokens as `initial`.
    pub fn is_unchanged(self, initial: Self) -> bool {
        self.total == initial.total
    }
}

/// Why a step cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FireError {
    /// A place holds too few tokens.
    TooFew {
        /// The first input place that is short.
        place: PlaceId,
        /// The colour that is short, on a coloured net.
        colour: Option<Colour>,
        /// The weight of the input arc.
        needs: u64,
        /// Fewer than needed.
        has: u64,
    },
    /// An inhibitor arc blocks the step.
    Inhibited {
        /// The place that holds too many.
        place: PlaceId,
        /// The colour of which there are too many, on a coloured net.
        colour: Option<Colour>,
        /// The count at which it blocks.
        limit: u64,
        /// At least the limit.
        has: u64,
    },
    /// The guard is false under the step's binding.
    Guard,
    /// The binding has another number of colours than the transition has variables.
    Arity {
        /// How many variables the transition has.
        expected: usize,
        /// How many colours the step gives.
        given: usize,
    },
    /// A colour of the binding does not exist in its variable's sort.
    NoSuchColour,
    /// A token count would not fit into 64 bits.
    Overflow {
        /// The place that would overflow.
        place: PlaceId,
    },
}

/// A net seen as a transition system. The two kinds of nets implement it; everything that walks over
/// markings (replay, reachability graphs, the oracle of the tests) is written once on top of it.
///
/// Laws: `steps(s)` lists each enabled step once, in a fixed order; `fire(s, x)` succeeds or overflows for
/// each of them and fails for all others; states are equal exactly when all places hold the same tokens,
/// and ordered pointwise.
pub trait Semantics: AsRef<Nodes> {
    /// A marking; equal and ordered as the laws say.
    type State: Clone + Eq + Hash + PartialOrd;

    /// The marking from which every run starts.
    fn initial(&self) -> Self::State;

    /// The enabled steps, each once.
    fn steps(&self, state: &Self::State) -> Vec<Step>;

    /// Whether some step of a transition is enabled.
    fn can_fire(&self, state: &Self::State, transition: TransitionId) -> bool {
        self.steps(state).iter().any(|step| step.transition == transition)
    }

    /// Whether some of these bindings of a transition is enabled.
    fn can_fire_under(&self, state: &Self::State, bindings: &BindingPattern) -> bool {
        self.steps(state).iter().any(|step| bindings.matches_step(step))
    }

    /// The marking after a step.
    fn fire(&self, state: &Self::State, step: &Step) -> Result<Self::State, FireError>;

    /// The tokens of a place, of all colours together and of the most frequent one.
    fn tokens(&self, state: &Self::State, place: PlaceId) -> Tokens;

    /// The tokens of some colours in a place.
    fn colour_tokens(&self, state: &Self::State, tokens: &PlaceColours) -> u128;

    /// Whether more tokens never disable a step, so that a run that ends above where it started can be
    /// repeated for ever. Nets without inhibitor arcs are so.
    fn monotone(&self) -> bool {
        false
    }

    /// About how many bytes a state takes.
    fn bytes(&self, _state: &Self::State) -> usize {
        size_of::<Self::State>()
    }

    /// About how many bytes the net keeps beside its states, for tables that make it faster.
    fn table_bytes(&self) -> u64 {
        0
    }

    /// Calls `visit` with each step of [`steps`](Self::steps), in that order, and what firing it gives.
    fn successors(&self, state: &Self::State, visit: &mut dyn FnMut(Step, Result<Self::State, FireError>)) {
        for step in self.steps(state) {
            let next = self.fire(state, &step);
            visit(step, next);
        }
    }
}

/// The token counts of a state.
pub struct StateTokens<'a, S: Semantics> {
    /// The net whose state it is.
    pub net: &'a S,
    /// Whose tokens are counted.
    pub state: &'a S::State,
}

impl<S: Semantics> TokenCounts for StateTokens<'_, S> {
    fn tokens(&self, place: PlaceId) -> u128 {
        self.net.tokens(self.state, place).total
    }

    fn colour_tokens(&self, tokens: &PlaceColours) -> u128 {
        self.net.colour_tokens(self.state, tokens)
    }
}
