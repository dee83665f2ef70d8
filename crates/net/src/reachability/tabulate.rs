//! A coloured net with all its bindings tried once and for all.
//!
//! Why: [`ColouredNet`] evaluates guards and arcs for every binding in every state, which is the definition but
//! slow. Here each transition's bindings are tried once; those whose guard holds are kept with the values of
//! their arcs. A state then looks only at the bindings that take a token which it has.
//!
//! Source: the FullInfo table of on-the-fly coloured checking; looking up by token is ours.
//! Preserves everything: the same steps in the same order as the net itself (`fireset-oracle`,
//! `tests/reference/coloured.rs`).
//! Cost: once, all bindings of all transitions; more than [`TabulatedNet::MAX_BINDINGS`] are refused.

use hashbrown::HashMap;

use crate::{
    Budget, FireError, Nodes, PlaceId, Semantics, Step, StopReason, Tokens, TransitionId,
    coloured::{Bag, Colour, ColouredArc, ColouredMarking, ColouredNet, PlaceColours},
};

/// A step with the values of its arcs.
#[derive(Debug)]
struct TabulatedFiring {
    step: Step,
    takes: Vec<(PlaceId, Bag)>,
    blocked: Vec<(PlaceId, Bag)>,
    gives: Vec<(PlaceId, Bag)>,
}

/// A coloured net with its table of bindings. Firings stand in the order of transitions and bindings.
#[derive(Debug)]
pub struct TabulatedNet<'a> {
    net: &'a ColouredNet,
    firings: Vec<TabulatedFiring>,
    /// The firings that need a certain token: each stands under one of those it takes.
    by_token: Vec<HashMap<Colour, Vec<u32>>>,
    /// The firings that take nothing.
    free: Vec<u32>,
    bytes: u64,
}

impl<'a> TabulatedNet<'a> {
    /// More bindings than this are not tried.
    pub const MAX_BINDINGS: u64 = 20_000_000;

    /// Tries all bindings of `net`.
    pub fn new(net: &'a ColouredNet, budget: &Budget) -> Result<Self, StopReason> {
        let counts = net.nodes().transition_ids().map(|t| net.binding_count(t));
        let count = counts.fold(0, u64::saturating_add);
        if count > Self::MAX_BINDINGS {
            return Err(StopReason::Bindings(count));
        }
        let places = net.nodes().places.len();
        let by_token = vec![HashMap::new(); places];
        let mut table = Self { net, firings: Vec::new(), by_token, free: Vec::new(), bytes: 0 };
        let mut tried = 0u64;
        for transition in net.nodes().transition_ids() {
            for binding in net.bindings(transition) {
                if tried.is_multiple_of(1024) {
                    budget.check(table.bytes, 0)?;
                }
                tried += 1;
                table.try_binding(transition, binding);
            }
        }
        table.index();
        Ok(table)
    }

    /// The net whose bindings were tried.
    pub fn net(&self) -> &'a ColouredNet {
        self.net
    }

    fn try_binding(&mut self, transition: TransitionId, binding: Box<[Colour]>) {
        let net = self.net;
        let colours = net.lookup(transition, &binding);
        let coloured = net.transition(transition);
        if !coloured.guard.holds(net.sorts(), &colours) {
            return;
        }
        let mut bytes = (size_of::<TabulatedFiring>() + 16 * binding.len()) as u64;
        let mut values = |arcs: &[ColouredArc]| {
            let values: Vec<(PlaceId, Bag)> =
                arcs.iter().map(|arc| (arc.place, arc.term.value(net.sorts(), &colours))).collect();
            bytes += values.iter().map(|(_, bag)| 48 + 16 * bag.iter().len() as u64).sum::<u64>();
            values
        };
        let (takes, blocked, gives) =
            (values(&coloured.pre), values(&coloured.inhibitors), values(&coloured.post));
        drop(colours);
        self.bytes += bytes;
        self.firings.push(TabulatedFiring { step: Step { transition, binding }, takes, blocked, gives });
    }

    /// Puts every firing under the token that the fewest firings take.
    fn index(&mut self) {
        let tokens = |f: &TabulatedFiring| -> Vec<(PlaceId, Colour)> {
            f.takes.iter().flat_map(|(p, bag)| bag.iter().map(|(c, _)| (*p, c))).collect()
        };
        let mut uses: HashMap<(PlaceId, Colour), usize> = HashMap::new();
        self.firings.iter().flat_map(tokens).for_each(|token| *uses.entry(token).or_default() += 1);
        for (at, firing) in self.firings.iter().enumerate() {
            let at = at as u32;
            match tokens(firing).into_iter().min_by_key(|token| uses[token]) {
                Some((place, colour)) => self.by_token[place.index()].entry(colour).or_default().push(at),
                None => self.free.push(at),
            }
        }
    }

    /// The enabled firings, ascending.
    fn enabled(&self, state: &ColouredMarking) -> Vec<u32> {
        let mut found = self.free.clone();
        for (bag, table) in state.0.iter().zip(&self.by_token).filter(|(_, table)| !table.is_empty()) {
            found.extend(bag.iter().filter_map(|(colour, _)| table.get(&colour)).flatten());
        }
        found.retain(|&at| self.firings[at as usize].enabled(state));
        found.sort_unstable();
        found
    }
}

impl TabulatedFiring {
    fn enabled(&self, state: &ColouredMarking) -> bool {
        let has = |place: PlaceId, colour| state.0[place.index()].count(colour);
        self.takes.iter().all(|(place, bag)| bag.iter().all(|(c, n)| has(*place, c) >= n))
            && self.blocked.iter().all(|(place, bag)| bag.iter().all(|(c, n)| has(*place, c) < n))
    }

    fn fire(&self, state: &ColouredMarking) -> Result<ColouredMarking, FireError> {
        let mut next = state.clone();
        for (place, takes) in &self.takes {
            let bag = &mut next.0[place.index()];
            *bag = bag.minus(takes);
        }
        for (place, gives) in &self.gives {
            let bag = &mut next.0[place.index()];
            *bag = bag.plus(gives).ok_or(FireError::Overflow { place: *place })?;
        }
        Ok(next)
    }
}

impl AsRef<Nodes> for TabulatedNet<'_> {
    fn as_ref(&self) -> &Nodes {
        self.net.nodes()
    }
}

impl Semantics for TabulatedNet<'_> {
    type State = ColouredMarking;

    fn initial(&self) -> ColouredMarking {
        self.net.initial()
    }

    fn steps(&self, state: &ColouredMarking) -> Vec<Step> {
        self.enabled(state).into_iter().map(|at| self.firings[at as usize].step.clone()).collect()
    }

    fn fire(&self, state: &ColouredMarking, step: &Step) -> Result<ColouredMarking, FireError> {
        self.net.fire(state, step)
    }

    fn tokens(&self, state: &ColouredMarking, place: PlaceId) -> Tokens {
        self.net.tokens(state, place)
    }

    fn colour_tokens(&self, state: &ColouredMarking, tokens: &PlaceColours) -> u128 {
        self.net.colour_tokens(state, tokens)
    }

    fn monotone(&self) -> bool {
        self.net.monotone()
    }

    fn bytes(&self, state: &ColouredMarking) -> usize {
        self.net.bytes(state)
    }

    fn table_bytes(&self) -> u64 {
        self.bytes
    }

    fn successors(
        &self,
        state: &ColouredMarking,
        visit: &mut dyn FnMut(Step, Result<ColouredMarking, FireError>),
    ) {
        for at in self.enabled(state) {
            let firing = &self.firings[at as usize];
            visit(firing.step.clone(), firing.fire(state));
        }
    }
}
