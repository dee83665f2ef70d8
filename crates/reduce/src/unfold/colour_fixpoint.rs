//! The colour fixed point: the colours that can be reached in each place, and the bindings that can take them.
//!
//! A least fixpoint: the initial tokens are reached; a binding whose guard is true and whose input colours are all
//! reached is found, and what it gives is reached. How many tokens there are is not asked, nor what inhibitor arcs block,
//! so more is found than can fire, never less.
//!
//! Reached tokens are numbered and looked at one after the other. A binding is found when the last of its patterns' tokens
//! is looked at: that pattern is matched with the new token, patterns before it with older ones and patterns behind it
//! with tokens up to this one (semi-naive evaluation, as in Datalog). Invariant: each binding is found once. What the
//! patterns do not say (`all` of a large sort, differences) is looked at afterwards; a binding that misses a colour
//! waits for it.
//! Cost: the partial matches on the way, each found through an index over the components that are known.

use fireset_net::{
    Budget, PlaceId, Step, StopReason, TransitionId,
    coloured::{
        BagTerm, Colour, ColouredArc, ColouredNet, Members, Sorts,
        matching::{MatchingPlan, SearchProgress},
    },
};
use hashbrown::HashMap;

use super::reached_tokens::{ReachedInPlace, ReachedTokens, TokenWindow};

/// Things tried between two looks at the budget.
const FUEL: u64 = 4096;
/// An unfolding with more tokens or more bindings of a transition than this is of no use.
const MOST: usize = 1 << 24;

/// What was found: tokens that can be there and bindings that can be enabled, by transition and one after the other.
pub(super) struct ReachedColours {
    pub(super) tokens: Vec<(PlaceId, Colour)>,
    pub(super) bindings: Vec<Vec<Box<[Colour]>>>,
    /// About how many bytes it takes.
    pub(super) bytes: u64,
}

impl ReachedColours {
    /// Adds the tokens that are never there, of all colours of all places.
    pub(super) fn add_unreached(&mut self, net: &ColouredNet) -> Result<(), StopReason> {
        let size = |place: PlaceId| net.sorts()[net.place(place).sort].size();
        let all = net.nodes().place_ids().map(size).fold(0, u64::saturating_add);
        if all > MOST as u64 {
            return Err(StopReason::Unfolding);
        }
        let each = |place: PlaceId| (0..size(place)).map(move |colour| (place, Colour(colour)));
        self.tokens = net.nodes().place_ids().flat_map(each).collect();
        self.bytes += 96 * all;
        Ok(())
    }
}

/// The colours of variables, by number.
type PartialBinding = Vec<Option<Colour>>;

/// Finds all reached tokens and bindings.
pub(super) fn find(net: &ColouredNet, budget: &Budget) -> Result<ReachedColours, StopReason> {
    let mut fixpoint = ColourFixpoint::new(net, budget);
    for place in net.nodes().place_ids() {
        net.place(place).initial.iter().for_each(|(colour, _)| fixpoint.reached.add(place, colour));
    }
    for transition in net.nodes().transition_ids() {
        let patterns = net.patterns(transition);
        if patterns.patterns.is_empty() {
            fixpoint.search(transition, &patterns.plan(None), 0, 0)?;
        }
    }
    let mut now = 0;
    while now < fixpoint.reached.tokens.len() {
        fixpoint.look_at(now)?;
        now += 1;
    }
    let bytes = fixpoint.bytes();
    Ok(ReachedColours { tokens: fixpoint.reached.tokens, bindings: fixpoint.bindings, bytes })
}

/// A pattern of a transition, and how the others are matched when it is given.
struct Trigger {
    transition: TransitionId,
    pattern: usize,
    plan: MatchingPlan,
}

/// An arc whose colours are listed without building a multiset, where that is possible.
struct ArcTerm<'a> {
    place: PlaceId,
    members: Members,
    term: &'a BagTerm,
}

impl<'a> ArcTerm<'a> {
    fn new(net: &'a ColouredNet, arc: &'a ColouredArc) -> Self {
        let members = Members::of(&arc.term, net.place(arc.place).sort, net.sorts());
        Self { place: arc.place, members, term: &arc.term }
    }

    /// Calls `visit` with the colours of its value.
    fn colours(&self, sorts: &Sorts, slots: &PartialBinding, mut visit: impl FnMut(Colour)) {
        let known = |v: fireset_net::VariableId| slots[v.index()].expect("a binding is complete");
        if self.members.complete {
            self.members.terms.iter().for_each(|(term, _)| visit(term.value(sorts, &known)));
        } else {
            self.term.value(sorts, &known).iter().for_each(|(colour, _)| visit(colour));
        }
    }
}

/// The fixpoint while it is computed.
struct ColourFixpoint<'a> {
    net: &'a ColouredNet,
    budget: &'a Budget,
    reached: ReachedTokens<'a>,
    /// For each place, the patterns that take from it.
    triggers: Vec<Vec<Trigger>>,
    /// For each transition, inputs that patterns do not cover, and outputs.
    inputs: Vec<Vec<ArcTerm<'a>>>,
    outputs: Vec<Vec<ArcTerm<'a>>>,
    bindings: Vec<Vec<Box<[Colour]>>>,
    /// Bindings that miss a token.
    waiting: HashMap<(PlaceId, Colour), Vec<Step>>,
    slots: PartialBinding,
    fuel: u64,
    binding_bytes: u64,
}

impl<'a> ColourFixpoint<'a> {
    fn new(net: &'a ColouredNet, budget: &'a Budget) -> Self {
        let mut places: Vec<ReachedInPlace> =
            net.nodes().place_ids().map(|_| ReachedInPlace::default()).collect();
        let mut triggers: Vec<Vec<Trigger>> = net.nodes().place_ids().map(|_| Vec::new()).collect();
        for transition in net.nodes().transition_ids() {
            let patterns = net.patterns(transition);
            for (pattern, place) in patterns.patterns.iter().map(|p| p.place).enumerate() {
                let plan = patterns.plan(Some(pattern));
                for (place, mask) in plan.lookups() {
                    let indexes = &mut places[place.index()].indexes;
                    if indexes.iter().all(|index| index.0 != mask) {
                        indexes.push((mask, HashMap::new()));
                    }
                }
                triggers[place.index()].push(Trigger { transition, pattern, plan });
            }
        }
        let terms = |arcs: &'a [ColouredArc]| arcs.iter().map(|arc| ArcTerm::new(net, arc));
        let transitions = || net.nodes().transition_ids().map(|t| net.transition(t));
        Self {
            net,
            budget,
            reached: ReachedTokens { net, tokens: Vec::new(), places },
            triggers,
            inputs: transitions().map(|t| terms(&t.pre).filter(|a| !a.members.complete).collect()).collect(),
            outputs: transitions().map(|t| terms(&t.post).collect()).collect(),
            bindings: transitions().map(|_| Vec::new()).collect(),
            waiting: HashMap::new(),
            slots: vec![None; net.variables().len()],
            fuel: 0,
            binding_bytes: 0,
        }
    }

    /// Finds the bindings that take a reached token.
    fn look_at(&mut self, now: usize) -> Result<(), StopReason> {
        let (place, colour) = self.reached.tokens[now];
        for Step { transition, binding } in self.waiting.remove(&(place, colour)).unwrap_or_default() {
            for (v, &colour) in self.net.variables_of(transition).iter().zip(&binding) {
                self.slots[v.index()] = Some(colour);
            }
            self.found(transition)?;
        }
        let triggers = std::mem::take(&mut self.triggers[place.index()]);
        let searched =
            triggers.iter().try_for_each(|t| self.search(t.transition, &t.plan, t.pattern, now as u32));
        self.triggers[place.index()] = triggers;
        searched
    }

    /// Follows a plan; the token of the pattern `given` is `now`.
    fn search(
        &mut self,
        transition: TransitionId,
        plan: &MatchingPlan,
        given: usize,
        now: u32,
    ) -> Result<(), StopReason> {
        let colour = plan.needs_token().then(|| self.reached.tokens[now as usize].1);
        let mut search = plan.search(self.net.sorts(), colour, &mut self.slots);
        loop {
            let window = TokenWindow { reached: &self.reached, given, now };
            match search.next(&window, &mut self.slots, &mut self.fuel) {
                SearchProgress::Found => self.found(transition)?,
                SearchProgress::Done => return Ok(()),
                SearchProgress::Paused => self.refuel()?,
            }
        }
    }

    fn refuel(&mut self) -> Result<(), StopReason> {
        self.fuel = FUEL;
        if self.reached.tokens.len() > MOST || self.bindings.iter().any(|b| b.len() > MOST) {
            return Err(StopReason::Unfolding);
        }
        self.budget.check(self.bytes(), self.budget.progress().states())
    }

    /// The memory of reached tokens and bindings, with the arcs that will be made of them.
    fn bytes(&self) -> u64 {
        96 * self.reached.tokens.len() as u64 + self.binding_bytes
    }

    /// Takes the binding in the slots: it waits where a colour is missing, otherwise its outputs are reached.
    fn found(&mut self, transition: TransitionId) -> Result<(), StopReason> {
        let (sorts, at) = (self.net.sorts(), transition.index());
        let colour = |v: &fireset_net::VariableId| self.slots[v.index()].expect("a binding is complete");
        let binding: Box<[Colour]> = self.net.variables_of(transition).iter().map(colour).collect();
        let mut arcs =
            self.net.transition(transition).pre.len() + self.net.transition(transition).inhibitors.len();
        let mut missing = None;
        for term in &self.inputs[at] {
            term.colours(sorts, &self.slots, |colour| {
                arcs += 1;
                if !self.reached.has(term.place, colour) {
                    missing = Some((term.place, colour));
                }
            });
        }
        if missing.is_none() {
            for term in &self.outputs[at] {
                term.colours(sorts, &self.slots, |colour| {
                    arcs += 1;
                    self.reached.add(term.place, colour);
                });
            }
        }
        self.binding_bytes += (64 + 8 * binding.len() + 64 * arcs) as u64;
        self.fuel = self.fuel.saturating_sub(arcs as u64);
        match missing {
            None => self.bindings[at].push(binding),
            Some(token) => self.waiting.entry(token).or_default().push(Step { transition, binding }),
        }
        if self.fuel == 0 { self.refuel() } else { Ok(()) }
    }
}
