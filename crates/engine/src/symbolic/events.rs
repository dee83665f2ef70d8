//! Transitions as events of a decision diagram: the effect of each on the local states of its variables.
//!
//! Local states are numbered as they are seen, and the effect of a transition on a local state is computed once. Transitions
//! with the same effect on a variable and those below share that suffix. Backwards only local states that were seen forwards
//! count: no other is reachable.

use std::{collections::HashMap, rc::Rc};

use fireset_kernel::mdd::{EventSuffix, NextStateRelation, RelationNumber};
use fireset_net::{Net, TransitionId};

/// The events of a net whose places are distributed over variables.
pub(super) struct EventTable {
    /// By variable; variables are numbered from 1, the lowest first.
    domains: Vec<VariableDomain>,
    local_effects: Vec<LocalEffect>,
    /// Event suffixes: the effect on the highest variable, and the suffix below. [`EventSuffix::EMPTY`] is the first.
    suffixes: Vec<(usize, EventSuffix)>,
    pub(super) events: Vec<MddEvent>,
    /// By variable, the events whose highest variable it is.
    highest: Vec<Vec<usize>>,
    /// By place, its variable and its position there.
    pub(super) place: Vec<(usize, usize)>,
    /// Whether a firing left 64 bits.
    pub(super) overflow: bool,
    /// The bytes of local states and of cached successors.
    held: usize,
}

/// Transitions with the same effect.
pub(super) struct MddEvent {
    whole: EventSuffix,
    pub(super) transitions: Vec<TransitionId>,
}

/// The local states of a variable that were seen.
struct VariableDomain {
    places: Vec<usize>,
    states: Vec<Box<[u64]>>,
    index: HashMap<Box<[u64]>, u32>,
}

/// The effect of a transition on a place of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PositionEffect {
    /// Of the place in its variable.
    pub(super) position: usize,
    pub(super) takes: u64,
    gives: u64,
    /// The transition is disabled from this count on.
    inhibited_from: Option<u64>,
}

/// The effect of transitions on a variable.
pub(super) struct LocalEffect {
    pub(super) variable: usize,
    pub(super) effects: Vec<PositionEffect>,
    /// By local state, the one after firing, and the one before.
    after: Vec<CachedSuccessor>,
    before: Vec<CachedSuccessor>,
}

/// The local state on the other side of a firing.
#[derive(Clone, Copy)]
enum CachedSuccessor {
    Unknown,
    None,
    State(u32),
}

impl EventTable {
    /// `groups` are the places of each variable, the lowest first; there is at least one.
    pub(super) fn new(net: &Net, groups: &[Vec<usize>]) -> Self {
        let mut place = vec![(0, 0); net.nodes().places.len()];
        for (at, group) in groups.iter().enumerate() {
            group.iter().enumerate().for_each(|(position, &p)| place[p] = (at + 1, position));
        }
        let domain = |places: &Vec<usize>| {
            let places = places.clone();
            VariableDomain { places, states: Vec::new(), index: HashMap::new() }
        };
        let domains = groups.iter().map(domain).collect();
        let mut builder = EventTableBuilder::default();
        for t in net.nodes().transition_ids() {
            builder.add(t, &effects(net, t, &place));
        }
        let EventTableBuilder { local_effects, suffixes, events, .. } = builder;
        let mut highest = vec![Vec::new(); groups.len()];
        for (at, event) in events.iter().enumerate() {
            highest[local_effects[suffixes[event.whole.0 as usize].0].variable - 1].push(at);
        }
        Self { domains, local_effects, suffixes, events, highest, place, overflow: false, held: 0 }
    }

    /// The local states of a marking, the lowest variable's first.
    pub(super) fn local_states_of(&mut self, marking: &[u64]) -> Vec<u32> {
        let local = |domain: &mut VariableDomain| {
            let tokens = domain.places.iter().map(|&place| marking[place]).collect();
            domain.intern(tokens)
        };
        self.domains.iter_mut().map(local).collect()
    }

    /// The tokens of a variable's places in a local state.
    pub(super) fn tokens(&self, variable: usize, local: u32) -> &[u64] {
        &self.domains[variable - 1].states[local as usize]
    }

    /// The local state of a marking, if it was seen.
    pub(super) fn local_state(&self, variable: usize, marking: &[u64]) -> Option<u32> {
        let VariableDomain { places, index, .. } = &self.domains[variable - 1];
        let tokens: Box<[u64]> = places.iter().map(|&place| marking[place]).collect();
        index.get(&tokens).copied()
    }

    /// The number of local states of a variable.
    pub(super) fn local_states(&self, variable: usize) -> usize {
        self.domains[variable - 1].states.len()
    }

    /// The places of a variable, by position.
    pub(super) fn places(&self, variable: usize) -> &[usize] {
        &self.domains[variable - 1].places
    }

    /// The effects of an event, from the highest variable down.
    pub(super) fn effects_of(&self, event: &MddEvent) -> Vec<&LocalEffect> {
        let (mut all, mut suffix) = (Vec::new(), event.whole);
        while suffix != EventSuffix::EMPTY {
            let (effect, next) = self.suffixes[suffix.0 as usize];
            all.push(&self.local_effects[effect]);
            suffix = next;
        }
        all
    }

    /// Which local states of its variable enable an effect.
    pub(super) fn allowed(&self, effect: &LocalEffect) -> Vec<bool> {
        self.domains[effect.variable - 1].states.iter().map(|here| effect.allows(here)).collect()
    }

    /// The bytes of local states and of cached successors.
    pub(super) fn bytes(&self) -> usize {
        self.held
    }

    fn step(
        &mut self,
        suffix: EventSuffix,
        local: u32,
        direction: StepDirection,
    ) -> Option<(EventSuffix, u32)> {
        let Self { domains, local_effects, suffixes, overflow, held, .. } = self;
        let (effect, suffix) = suffixes[suffix.0 as usize];
        let effect = &mut local_effects[effect];
        let domain = &mut domains[effect.variable - 1];
        let known = match direction {
            StepDirection::Forwards => &effect.after,
            StepDirection::Backwards => &effect.before,
            StepDirection::Staying => {
                return effect.allows(&domain.states[local as usize]).then_some((suffix, local));
            }
        };
        match known.get(local as usize).copied().unwrap_or(CachedSuccessor::Unknown) {
            CachedSuccessor::None => return None,
            CachedSuccessor::State(next) => return Some((suffix, next)),
            CachedSuccessor::Unknown => {}
        }
        let here = &domain.states[local as usize];
        let next = match direction {
            StepDirection::Forwards => {
                let (seen, bytes) = (domain.states.len(), size_of_val(&**here));
                let next = effect.allows(here).then(|| effect.fire(here));
                *overflow |= matches!(next, Some(None));
                let next = next.flatten().map(|next| domain.intern(next));
                // A local state is held twice, beside its table entries.
                *held += (domain.states.len() - seen) * (2 * bytes + 64);
                next
            }
            _ => effect.unfire(here).and_then(|before| domain.index.get(&before).copied()),
        };
        let known = match direction {
            StepDirection::Forwards => &mut effect.after,
            _ => &mut effect.before,
        };
        if known.len() <= local as usize {
            *held += (local as usize + 1 - known.len()) * size_of::<CachedSuccessor>();
            known.resize(local as usize + 1, CachedSuccessor::Unknown);
        }
        known[local as usize] = next.map_or(CachedSuccessor::None, CachedSuccessor::State);
        next.map(|next| (suffix, next))
    }
}

impl VariableDomain {
    /// The number of a local state, which is new if it was not seen.
    fn intern(&mut self, tokens: Box<[u64]>) -> u32 {
        if let Some(&known) = self.index.get(&tokens) {
            return known;
        }
        let new = self.states.len() as u32;
        self.states.push(tokens.clone());
        self.index.insert(tokens, new);
        new
    }
}

impl LocalEffect {
    fn allows(&self, here: &[u64]) -> bool {
        self.effects.iter().all(|effect| {
            let tokens = here[effect.position];
            tokens >= effect.takes && effect.inhibited_from.is_none_or(|limit| tokens < limit)
        })
    }

    /// The local state after firing; `None` when a count does not fit.
    fn fire(&self, here: &[u64]) -> Option<Box<[u64]>> {
        let mut next: Box<[u64]> = here.into();
        for &PositionEffect { position, takes, gives, .. } in &self.effects {
            next[position] = (next[position] - takes).checked_add(gives)?;
        }
        Some(next)
    }

    /// The local state before firing, if there is one.
    fn unfire(&self, here: &[u64]) -> Option<Box<[u64]>> {
        let mut before: Box<[u64]> = here.into();
        for &PositionEffect { position, takes, gives, .. } in &self.effects {
            before[position] = before[position].checked_sub(gives)?.checked_add(takes)?;
        }
        self.allows(&before).then_some(before)
    }
}

/// The effects of a transition by variable, ascending. A transition without arcs has the lowest variable, and no effect on it.
fn effects(
    net: &Net,
    transition: TransitionId,
    place: &[(usize, usize)],
) -> Vec<(usize, Vec<PositionEffect>)> {
    let mut arcs: HashMap<usize, (u64, u64, Option<u64>)> = HashMap::new();
    net.pre(transition).iter().for_each(|arc| arcs.entry(arc.place.index()).or_default().0 += arc.weight);
    net.post(transition).iter().for_each(|arc| arcs.entry(arc.place.index()).or_default().1 += arc.weight);
    for arc in net.inhibitors(transition) {
        let below = &mut arcs.entry(arc.place.index()).or_default().2;
        *below = Some(below.map_or(arc.weight, |other| other.min(arc.weight)));
    }
    let mut sorted: Vec<_> = arcs.into_iter().map(|(p, arc)| (place[p], arc)).collect();
    sorted.sort_unstable();
    let mut all: Vec<(usize, Vec<PositionEffect>)> = Vec::new();
    for ((variable, position), (takes, gives, inhibited_from)) in sorted {
        if all.last().is_none_or(|last| last.0 != variable) {
            all.push((variable, Vec::new()));
        }
        all.last_mut().expect("one was pushed").1.push(PositionEffect {
            position,
            takes,
            gives,
            inhibited_from,
        });
    }
    if all.is_empty() {
        all.push((1, Vec::new()));
    }
    all
}

/// Finds effects and suffixes that transitions share.
struct EventTableBuilder {
    local_effects: Vec<LocalEffect>,
    suffixes: Vec<(usize, EventSuffix)>,
    events: Vec<MddEvent>,
    effect_of: HashMap<(usize, Vec<PositionEffect>), usize>,
    suffix_of: HashMap<(usize, EventSuffix), EventSuffix>,
    event_of: HashMap<EventSuffix, usize>,
}

impl Default for EventTableBuilder {
    fn default() -> Self {
        Self {
            local_effects: Vec::new(),
            suffixes: vec![(usize::MAX, EventSuffix::EMPTY)],
            events: Vec::new(),
            effect_of: HashMap::new(),
            suffix_of: HashMap::new(),
            event_of: HashMap::new(),
        }
    }
}

impl EventTableBuilder {
    fn add(&mut self, transition: TransitionId, effects: &[(usize, Vec<PositionEffect>)]) {
        let Self { local_effects, suffixes, events, effect_of, suffix_of, event_of } = self;
        let mut whole = EventSuffix::EMPTY;
        for (variable, effects) in effects {
            let effect = *effect_of.entry((*variable, effects.clone())).or_insert_with(|| {
                let (effects, after, before) = (effects.clone(), Vec::new(), Vec::new());
                local_effects.push(LocalEffect { variable: *variable, effects, after, before });
                local_effects.len() - 1
            });
            whole = *suffix_of.entry((effect, whole)).or_insert_with(|| {
                suffixes.push((effect, whole));
                EventSuffix(suffixes.len() as u32 - 1)
            });
        }
        let event = *event_of.entry(whole).or_insert_with(|| {
            events.push(MddEvent { whole, transitions: Vec::new() });
            events.len() - 1
        });
        events[event].transitions.push(transition);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepDirection {
    Forwards,
    Backwards,
    /// The marking stays as it is where the transition is enabled.
    Staying,
}

impl StepDirection {
    /// Of the relation of all events.
    pub(super) fn number(self) -> RelationNumber {
        RelationNumber(self as u32)
    }
}

/// The transition relation of some or all events, in one direction.
pub(super) struct EventRelation<'e> {
    events: &'e mut EventTable,
    direction: StepDirection,
    /// All transitions, where none are given.
    only: Option<&'e [TransitionId]>,
    moves: Vec<Vec<Option<LocalMoves>>>,
    /// The bytes of the cached moves.
    held: usize,
}

/// For each event its suffix below the variable, and the local state after it.
type LocalMoves = Rc<[(EventSuffix, u32)]>;

impl<'e> EventRelation<'e> {
    pub(super) fn new(events: &'e mut EventTable, direction: StepDirection) -> Self {
        let moves = vec![Vec::new(); events.domains.len()];
        Self { events, direction, only: None, moves, held: 0 }
    }

    /// Restricts it to some transitions.
    pub(super) fn of(self, transitions: &'e [TransitionId]) -> Self {
        Self { only: Some(transitions), ..self }
    }
}

impl NextStateRelation for EventRelation<'_> {
    fn local_effects(&mut self, variable: usize, local: u32) -> LocalMoves {
        let (here, at) = (&mut self.moves[variable - 1], local as usize);
        if here.len() <= at {
            here.resize(at + 1, None);
        }
        if let Some(known) = &here[at] {
            return known.clone();
        }
        let wanted = |event: &MddEvent| {
            self.only.is_none_or(|only| event.transitions.iter().any(|t| only.contains(t)))
        };
        let events = self.events.highest[variable - 1].iter().map(|&at| &self.events.events[at]);
        let whole: Vec<EventSuffix> = events.filter(|event| wanted(event)).map(|event| event.whole).collect();
        let mut all: Vec<(EventSuffix, u32)> =
            whole.into_iter().filter_map(|whole| self.events.step(whole, local, self.direction)).collect();
        all.sort_unstable();
        all.dedup();
        let all = LocalMoves::from(all);
        self.held += size_of_val(&*all) + size_of::<Option<LocalMoves>>();
        self.moves[variable - 1][at] = Some(all.clone());
        all
    }

    fn top_variable(&self, suffix: EventSuffix) -> usize {
        self.events.local_effects[self.events.suffixes[suffix.0 as usize].0].variable
    }

    fn fire_top(&mut self, suffix: EventSuffix, local: u32) -> Option<(EventSuffix, u32)> {
        self.events.step(suffix, local, self.direction)
    }

    fn bytes(&self) -> usize {
        self.events.held + self.held
    }

    fn number(&self) -> Option<RelationNumber> {
        self.only.is_none().then(|| self.direction.number())
    }
}
