//! The coloured net and its firing rule, on bindings as they come: nothing is unfolded.

use std::{cell::Cell, cmp, ops::ControlFlow};

use super::{
    Bag, BagTerm, BindingPattern, Colour, Guard, PlaceColours, Sorts, TermError,
    matching::{Lookup, MatchingPlan, Patterns, SearchProgress, Supply},
};
use crate::{
    BuildError, FireError, Nodes, PlaceId, Semantics, SortId, Step, Tokens, TransitionId, VariableId,
};

/// What the search for a binding tries before it asks whether to go on.
const TRIES_AT_ONCE: u64 = 1 << 16;
/// How often the search for the first bindings of a transition goes on.
const MOST_PAUSES: u32 = 16;

/// A variable that guards and arc terms share; each transition binds its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name in the file.
    pub name: String,
    /// The colours it ranges over.
    pub sort: SortId,
}

/// A place: the sort of its tokens and those it holds at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColouredPlace {
    /// The sort of its tokens.
    pub sort: SortId,
    /// Tokens of this place's sort.
    pub initial: Bag,
}

/// One side of an arc, seen from its transition. The term's values are multisets over the place's sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColouredArc {
    /// The place at the other end.
    pub place: PlaceId,
    /// What it moves; for an inhibitor arc, the counts at which any colour blocks.
    pub term: BagTerm,
}

/// A transition with its guard and arcs; at most one arc a place and direction, sorted by place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColouredTransition {
    /// Must hold under a binding; constantly true where the file has none.
    pub guard: Guard,
    /// Input arcs, at most one for each place.
    pub pre: Vec<ColouredArc>,
    /// Output arcs, at most one for each place.
    pub post: Vec<ColouredArc>,
    /// Inhibitor arcs: a place with at least these tokens of some colour blocks.
    pub inhibitors: Vec<ColouredArc>,
    variables: Vec<VariableId>,
}

/// A high-level net of finite sorts, as in ISO/IEC 15909 symmetric nets. It does not change after it was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColouredNet {
    /// What its file calls it.
    pub name: String,
    nodes: Nodes,
    sorts: Sorts,
    variables: Vec<Variable>,
    places: Vec<ColouredPlace>,
    transitions: Vec<ColouredTransition>,
    /// How the bindings of each transition are found from a marking.
    plans: Vec<MatchingPlan>,
}

/// A marking of a coloured net: a multiset for each place. Ordered pointwise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ColouredMarking(pub Box<[Bag]>);

impl PartialOrd for ColouredMarking {
    fn partial_cmp(&self, other: &Self) -> Option<cmp::Ordering> {
        let pairs = self.0.iter().zip(&other.0).flat_map(|(a, b)| a.zip(b).map(|(_, n, m)| (n, m)));
        crate::marking::pointwise(pairs)
    }
}

impl ColouredTransition {
    /// The variables that occur at it, ascending.
    pub fn variables(&self) -> &[VariableId] {
        &self.variables
    }
}

/// The tokens of a marking.
impl Supply for ColouredMarking {
    fn has(&self, _: usize, place: PlaceId, colour: Colour) -> bool {
        self.0[place.index()].count(colour) > 0
    }

    fn candidate(&self, at: &Lookup, number: u64) -> Option<Colour> {
        self.0[at.place.index()].iter().nth(usize::try_from(number).ok()?).map(|(colour, _)| colour)
    }
}

impl ColouredNet {
    /// Places and transitions by name.
    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// Places, variables and terms refer to sorts by their ids.
    pub fn sorts(&self) -> &Sorts {
        &self.sorts
    }

    /// All declared variables, indexed by `VariableId`.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// A variable's declaration.
    pub fn variable(&self, variable: VariableId) -> &Variable {
        &self.variables[variable.index()]
    }

    /// A place's sort and initial tokens.
    pub fn place(&self, place: PlaceId) -> &ColouredPlace {
        &self.places[place.index()]
    }

    /// A transition's guard and arcs.
    pub fn transition(&self, transition: TransitionId) -> &ColouredTransition {
        &self.transitions[transition.index()]
    }

    /// The same net with another initial marking.
    #[must_use]
    pub fn with_initial_marking(&self, initial: ColouredMarking) -> Self {
        let mut net = self.clone();
        net.places.iter_mut().zip(initial.0).for_each(|(place, tokens)| place.initial = tokens);
        net
    }

    /// The variables that occur at a transition, ascending; a binding gives each of them a colour.
    pub fn variables_of(&self, transition: TransitionId) -> &[VariableId] {
        &self.transition(transition).variables
    }

    /// How many arcs there are: input, output and inhibitor arcs.
    pub fn arc_count(&self) -> usize {
        self.transitions.iter().map(|t| t.pre.len() + t.post.len() + t.inhibitors.len()).sum()
    }

    /// Whether any transition has an inhibitor arc.
    pub fn has_inhibitors(&self) -> bool {
        self.transitions.iter().any(|t| !t.inhibitors.is_empty())
    }

    /// How many bindings a transition has, guard or not; saturates.
    pub fn binding_count(&self, transition: TransitionId) -> u64 {
        let sizes = self.variables_of(transition).iter().map(|&v| self.sorts[self.variable(v).sort].size());
        sizes.fold(1, u64::saturating_mul)
    }

    /// All bindings of a transition in lexicographic order, guard or not.
    pub fn bindings(&self, transition: TransitionId) -> impl Iterator<Item = Box<[Colour]>> {
        let sizes: Vec<u64> =
            self.variables_of(transition).iter().map(|&v| self.sorts[self.variable(v).sort].size()).collect();
        let mut next = Some(vec![Colour(0); sizes.len()].into_boxed_slice());
        std::iter::from_fn(move || {
            let current = next.take()?;
            let mut following = current.clone();
            for (colour, &size) in following.iter_mut().zip(&sizes).rev() {
                if colour.0 + 1 < size {
                    colour.0 += 1;
                    next = Some(following);
                    break;
                }
                *colour = Colour(0);
            }
            Some(current)
        })
    }

    /// The colours that a transition takes, to find its bindings with.
    pub fn patterns(&self, transition: TransitionId) -> Patterns<'_> {
        let sort_of = |place: PlaceId| self.place(place).sort;
        Patterns::new(&self.sorts, &self.variables, self.transition(transition), sort_of)
    }

    /// Calls `visit` with the enabled bindings of a transition, in any order, until it breaks or `go_on` says no; that is asked
    /// now and then.
    pub(crate) fn each_enabled<B>(
        &self,
        state: &ColouredMarking,
        transition: TransitionId,
        go_on: impl Fn() -> bool,
        mut visit: impl FnMut(Step) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (mut slots, mut fuel) = (vec![None; self.variables.len()], TRIES_AT_ONCE);
        let mut search = self.plans[transition.index()].search(&self.sorts, None, &mut slots);
        loop {
            match search.next(state, &mut slots, &mut fuel) {
                SearchProgress::Found => {}
                SearchProgress::Paused if go_on() => {
                    fuel = TRIES_AT_ONCE;
                    continue;
                }
                SearchProgress::Paused | SearchProgress::Done => return ControlFlow::Continue(()),
            }
            let colour = |v: &VariableId| slots[v.index()].expect("a binding gives each variable a colour");
            let binding = self.variables_of(transition).iter().map(colour).collect();
            let step = Step { transition, binding };
            if self.enabled(state, &step).is_ok() {
                visit(step)?;
            }
        }
    }

    /// The enabled steps of a transition: all, or this number of them; fewer if it takes long to find them.
    pub fn first_steps(&self, state: &ColouredMarking, transition: TransitionId, most: usize) -> Vec<Step> {
        let (mut steps, pauses) = (Vec::new(), Cell::new(0));
        let go_on = || {
            pauses.set(pauses.get() + 1);
            pauses.get() < MOST_PAUSES
        };
        let _ = self.each_enabled(state, transition, go_on, |step| {
            if steps.len() == most {
                return ControlFlow::Break(());
            }
            steps.push(step);
            ControlFlow::Continue(())
        });
        steps.sort_unstable_by(|a, b| a.binding.cmp(&b.binding));
        steps
    }

    /// The enabled steps that are found while `go_on` says yes.
    pub(crate) fn steps_within(&self, state: &ColouredMarking, go_on: &dyn Fn() -> bool) -> Vec<Step> {
        let mut steps = Vec::new();
        for transition in self.nodes.transition_ids() {
            let before = steps.len();
            let _ = self.each_enabled(state, transition, go_on, |step| {
                steps.push(step);
                ControlFlow::<()>::Continue(())
            });
            // In lexicographic order.
            steps[before..].sort_unstable_by(|a: &Step, b: &Step| a.binding.cmp(&b.binding));
        }
        steps
    }

    /// Whether some of these bindings is enabled and found while `go_on` says yes.
    pub(crate) fn can_fire_under_within(
        &self,
        state: &ColouredMarking,
        bindings: &BindingPattern,
        go_on: impl Fn() -> bool,
    ) -> bool {
        let among = |step| match bindings.matches_step(&step) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        self.each_enabled(state, bindings.transition(), go_on, among).is_break()
    }

    /// The colours that `binding` gives to the variables of `transition`, by variable.
    pub fn lookup(&self, transition: TransitionId, binding: &[Colour]) -> impl Fn(VariableId) -> Colour {
        let variables = self.variables_of(transition);
        move |v| binding[variables.binary_search(&v).expect("a transition's terms use its own variables")]
    }

    /// Why a step is not enabled in a marking, or `Ok`.
    pub fn enabled(&self, marking: &ColouredMarking, step: &Step) -> Result<(), FireError> {
        let transition = self.transition(step.transition);
        let (expected, given) = (transition.variables.len(), step.binding.len());
        if expected != given {
            return Err(FireError::Arity { expected, given });
        }
        let size = |&v: &VariableId| self.sorts[self.variable(v).sort].size();
        if transition.variables.iter().map(size).zip(&step.binding).any(|(size, c)| c.0 >= size) {
            return Err(FireError::NoSuchColour);
        }
        let binding = self.lookup(step.transition, &step.binding);
        if !transition.guard.holds(&self.sorts, &binding) {
            return Err(FireError::Guard);
        }
        for arc in &transition.pre {
            for (colour, needs) in arc.term.value(&self.sorts, &binding).iter() {
                let has = marking.0[arc.place.index()].count(colour);
                if has < needs {
                    return Err(FireError::TooFew { place: arc.place, colour: Some(colour), needs, has });
                }
            }
        }
        for arc in &transition.inhibitors {
            for (colour, limit) in arc.term.value(&self.sorts, &binding).iter() {
                let has = marking.0[arc.place.index()].count(colour);
                if has >= limit {
                    return Err(FireError::Inhibited { place: arc.place, colour: Some(colour), limit, has });
                }
            }
        }
        Ok(())
    }
}

impl AsRef<Nodes> for ColouredNet {
    fn as_ref(&self) -> &Nodes {
        &self.nodes
    }
}

impl Semantics for ColouredNet {
    type State = ColouredMarking;

    fn initial(&self) -> ColouredMarking {
        ColouredMarking(self.places.iter().map(|p| p.initial.clone()).collect())
    }

    fn steps(&self, state: &ColouredMarking) -> Vec<Step> {
        self.steps_within(state, &|| true)
    }

    fn can_fire(&self, state: &ColouredMarking, transition: TransitionId) -> bool {
        self.each_enabled(state, transition, || true, ControlFlow::Break).is_break()
    }

    fn can_fire_under(&self, state: &ColouredMarking, bindings: &BindingPattern) -> bool {
        self.can_fire_under_within(state, bindings, || true)
    }

    fn fire(&self, state: &ColouredMarking, step: &Step) -> Result<ColouredMarking, FireError> {
        self.enabled(state, step)?;
        let transition = self.transition(step.transition);
        let binding = self.lookup(step.transition, &step.binding);
        let mut next = state.clone();
        for arc in &transition.pre {
            let bag = &mut next.0[arc.place.index()];
            *bag = bag.minus(&arc.term.value(&self.sorts, &binding));
        }
        for arc in &transition.post {
            let bag = &mut next.0[arc.place.index()];
            let sum = bag.plus(&arc.term.value(&self.sorts, &binding));
            *bag = sum.ok_or(FireError::Overflow { place: arc.place })?;
        }
        Ok(next)
    }

    fn tokens(&self, state: &ColouredMarking, place: PlaceId) -> Tokens {
        let bag = &state.0[place.index()];
        Tokens { total: bag.total(), largest: bag.largest() }
    }

    fn colour_tokens(&self, state: &ColouredMarking, tokens: &PlaceColours) -> u128 {
        let meant =
            state.0[tokens.place.index()].iter().filter(|(colour, _)| tokens.colours.matches(*colour));
        meant.map(|(_, count)| u128::from(count)).sum()
    }

    fn monotone(&self) -> bool {
        !self.has_inhibitors()
    }

    fn bytes(&self, state: &ColouredMarking) -> usize {
        let bag = |b: &Bag| size_of::<Bag>() + b.iter().len() * size_of::<(Colour, u64)>();
        size_of::<ColouredMarking>() + state.0.iter().map(bag).sum::<usize>()
    }
}

/// Collects a coloured net; sorts and variables come before the terms that use them.
#[derive(Debug, Default)]
pub struct ColouredNetBuilder {
    /// What the file calls the net.
    pub name: String,
    /// Sorts may be added until the net is built.
    pub sorts: Sorts,
    nodes: Nodes,
    variables: Vec<Variable>,
    places: Vec<ColouredPlace>,
    transitions: Vec<ColouredTransition>,
}

impl ColouredNetBuilder {
    /// An empty net of that name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Declares a variable.
    pub fn variable(&mut self, name: impl Into<String>, sort: SortId) -> VariableId {
        self.variables.push(Variable { name: name.into(), sort });
        VariableId::new(self.variables.len() - 1)
    }

    /// Adds a place; its initial tokens have colours of its sort.
    pub fn place(&mut self, id: &str, sort: SortId, initial: Bag) -> Result<PlaceId, BuildError> {
        let at = self.nodes.places.insert(id).ok_or_else(|| BuildError::Duplicate(id.into()))?;
        debug_assert!(
            initial.iter().all(|(c, _)| c.0 < self.sorts[sort].size()),
            "a colour outside its sort"
        );
        self.places.push(ColouredPlace { sort, initial });
        Ok(PlaceId::new(at))
    }

    /// Adds a transition with a guard.
    pub fn transition(&mut self, id: &str, guard: Guard) -> Result<TransitionId, BuildError> {
        let at = self.nodes.transitions.insert(id).ok_or_else(|| BuildError::Duplicate(id.into()))?;
        let none = || (Vec::new(), Vec::new());
        let ((pre, post), (inhibitors, variables)) = (none(), (Vec::new(), Vec::new()));
        self.transitions.push(ColouredTransition { guard, pre, post, inhibitors, variables });
        Ok(TransitionId::new(at))
    }

    /// The nodes so far; labels may be set on them.
    pub fn nodes_mut(&mut self) -> &mut Nodes {
        &mut self.nodes
    }

    /// A declared variable's sort.
    pub fn sort_of(&self, variable: VariableId) -> SortId {
        self.variables[variable.index()].sort
    }

    /// A place's sort.
    pub fn place_sort(&self, place: PlaceId) -> SortId {
        self.places[place.index()].sort
    }

    /// An arc from a place to a transition. Parallel arcs add up.
    pub fn input(
        &mut self,
        place: PlaceId,
        transition: TransitionId,
        term: BagTerm,
    ) -> Result<(), TermError> {
        self.join(place, transition, term, |t| &mut t.pre)
    }

    /// An arc from a transition to a place. Parallel arcs add up.
    pub fn output(
        &mut self,
        transition: TransitionId,
        place: PlaceId,
        term: BagTerm,
    ) -> Result<(), TermError> {
        self.join(place, transition, term, |t| &mut t.post)
    }

    /// An inhibitor arc: blocks while `place` holds as many of a colour as the term has, or more.
    pub fn inhibitor(
        &mut self,
        place: PlaceId,
        transition: TransitionId,
        term: BagTerm,
    ) -> Result<(), TermError> {
        term.check(&self.sorts)?;
        self.transitions[transition.index()].inhibitors.push(ColouredArc { place, term });
        Ok(())
    }

    /// Adds `term` to the arc between the two, which may exist already.
    fn join(
        &mut self,
        place: PlaceId,
        transition: TransitionId,
        term: BagTerm,
        side: impl Fn(&mut ColouredTransition) -> &mut Vec<ColouredArc>,
    ) -> Result<(), TermError> {
        let arcs = side(&mut self.transitions[transition.index()]);
        let joined = match arcs.iter().position(|a| a.place == place) {
            Some(at) => match arcs.swap_remove(at).term {
                BagTerm::Sum(mut terms) => {
                    terms.push(term);
                    BagTerm::Sum(terms)
                }
                other => BagTerm::Sum(vec![other, term]),
            },
            None => term,
        };
        joined.check(&self.sorts)?;
        arcs.push(ColouredArc { place, term: joined });
        Ok(())
    }

    /// The net, with each transition's variables collected.
    pub fn build(mut self) -> ColouredNet {
        for transition in &mut self.transitions {
            let mut variables = Vec::new();
            let mut visit = |v| variables.push(v);
            transition.guard.variables(&mut visit);
            for arcs in [&mut transition.pre, &mut transition.post, &mut transition.inhibitors] {
                arcs.sort_by_key(|a| a.place);
                arcs.iter().for_each(|a| a.term.variables(&mut visit));
            }
            variables.sort_unstable();
            variables.dedup();
            transition.variables = variables;
        }
        let Self { name, sorts, nodes, variables, places, transitions } = self;
        let mut net = ColouredNet { name, nodes, sorts, variables, places, transitions, plans: Vec::new() };
        net.plans = net.nodes.transition_ids().map(|t| net.patterns(t).plan(None)).collect();
        net
    }
}
