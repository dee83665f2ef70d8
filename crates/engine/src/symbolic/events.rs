//! Transitions as events of a diagram: what each does to the values of the levels that it touches.
//!
//! Values are numbered as they are seen, and what a transition does to a value is worked out once. Transitions that do the same at
//! a level and below share that part. Backwards only values that were seen forwards count: no other is reachable.

use std::{collections::HashMap, rc::Rc};

use fireset_kernel::mdd::{EventSuffix, NextStateRelation};
use fireset_net::{Net, TransitionId};

/// A net over levels.
pub(super) struct Events {
    /// By level, from 1 on.
    levels: Vec<Level>,
    touches: Vec<Touch>,
    /// What is left of transitions: what is done at the highest level, and what is left then. [`EventSuffix::EMPTY`] is the first.
    rests: Vec<(usize, EventSuffix)>,
    /// Transitions that do the same.
    pub(super) events: Vec<Event>,
    /// By level, from 1 on, the events whose highest level it is.
    highest: Vec<Vec<usize>>,
    /// Where each place is: its level and its position there.
    pub(super) place: Vec<(usize, usize)>,
    /// Whether a count did not fit.
    pub(super) overflow: bool,
    /// The bytes of values and of what transitions do to them.
    held: usize,
}

/// Some transitions, all of which do this.
pub(super) struct Event {
    whole: EventSuffix,
    pub(super) transitions: Vec<TransitionId>,
}

/// The values of a level.
struct Level {
    places: Vec<usize>,
    values: Vec<Box<[u64]>>,
    numbers: HashMap<Box<[u64]>, u32>,
}

/// What is done to a place: its position in its level, what is needed there, what is left there, and below which count it has to
/// be.
type Effect = (usize, u64, u64, Option<u64>);

/// What transitions do at a level.
struct Touch {
    level: usize,
    effects: Vec<Effect>,
    /// By value.
    after: Vec<Known>,
    before: Vec<Known>,
}

/// The value on the other side of a transition.
#[derive(Clone, Copy)]
enum Known {
    Unasked,
    None,
    Value(u32),
}

impl Events {
    /// Of a net whose places are put on levels, the lowest first; there is one at least.
    pub(super) fn new(net: &Net, groups: &[Vec<usize>]) -> Self {
        let mut place = vec![(0, 0); net.nodes().places.len()];
        for (at, group) in groups.iter().enumerate() {
            group.iter().enumerate().for_each(|(position, &p)| place[p] = (at + 1, position));
        }
        let level = |places: &Vec<usize>| {
            let places = places.clone();
            Level { places, values: Vec::new(), numbers: HashMap::new() }
        };
        let levels = groups.iter().map(level).collect();
        let mut maker = Maker::default();
        for t in net.nodes().transition_ids() {
            maker.add(t, &effects(net, t, &place));
        }
        let Maker { touches, rests, events, .. } = maker;
        let mut highest = vec![Vec::new(); groups.len()];
        for (at, event) in events.iter().enumerate() {
            highest[touches[rests[event.whole.0 as usize].0].level - 1].push(at);
        }
        Self { levels, touches, rests, events, highest, place, overflow: false, held: 0 }
    }

    /// The values of a marking, the lowest level's first.
    pub(super) fn values_of(&mut self, marking: &[u64]) -> Vec<u32> {
        let value = |level: &mut Level| {
            let tokens = level.places.iter().map(|&place| marking[place]).collect();
            level.number(tokens)
        };
        self.levels.iter_mut().map(value).collect()
    }

    /// What a value stands for.
    pub(super) fn tokens(&self, level: usize, value: u32) -> &[u64] {
        &self.levels[level - 1].values[value as usize]
    }

    /// The value of a marking at a level, if it was seen.
    pub(super) fn value(&self, level: usize, marking: &[u64]) -> Option<u32> {
        let Level { places, numbers, .. } = &self.levels[level - 1];
        let tokens: Box<[u64]> = places.iter().map(|&place| marking[place]).collect();
        numbers.get(&tokens).copied()
    }

    /// How many values a level has.
    pub(super) fn count(&self, level: usize) -> usize {
        self.levels[level - 1].values.len()
    }

    /// The levels that an event touches, from the highest down, and which of their values allow it.
    pub(super) fn allowed(&self, event: &Event) -> Vec<(usize, Vec<bool>)> {
        let (mut all, mut rest) = (Vec::new(), event.whole);
        while rest != EventSuffix::EMPTY {
            let (touch, next) = self.rests[rest.0 as usize];
            let touch = &self.touches[touch];
            let values = &self.levels[touch.level - 1].values;
            all.push((touch.level, values.iter().map(|here| touch.allows(here)).collect()));
            rest = next;
        }
        all
    }

    fn step(&mut self, rest: EventSuffix, value: u32, way: Way) -> Option<(EventSuffix, u32)> {
        let Self { levels, touches, rests, overflow, held, .. } = self;
        let (touch, rest) = rests[rest.0 as usize];
        let touch = &mut touches[touch];
        let values = &mut levels[touch.level - 1];
        let known = match way {
            Way::Forwards => &touch.after,
            Way::Backwards => &touch.before,
            Way::Staying => return touch.allows(&values.values[value as usize]).then_some((rest, value)),
        };
        match known.get(value as usize).copied().unwrap_or(Known::Unasked) {
            Known::None => return None,
            Known::Value(next) => return Some((rest, next)),
            Known::Unasked => {}
        }
        let here = &values.values[value as usize];
        let next = match way {
            Way::Forwards => {
                let (seen, bytes) = (values.values.len(), size_of_val(&**here));
                let next = touch.allows(here).then(|| touch.fire(here));
                *overflow |= matches!(next, Some(None));
                let next = next.flatten().map(|next| values.number(next));
                // A value is there twice, beside what tables hold.
                *held += (values.values.len() - seen) * (2 * bytes + 64);
                next
            }
            _ => touch.unfire(here).and_then(|before| values.numbers.get(&before).copied()),
        };
        let known = match way {
            Way::Forwards => &mut touch.after,
            _ => &mut touch.before,
        };
        if known.len() <= value as usize {
            *held += (value as usize + 1 - known.len()) * size_of::<Known>();
            known.resize(value as usize + 1, Known::Unasked);
        }
        known[value as usize] = next.map_or(Known::None, Known::Value);
        next.map(|next| (rest, next))
    }
}

impl Level {
    /// The number of what a group holds.
    fn number(&mut self, tokens: Box<[u64]>) -> u32 {
        if let Some(&known) = self.numbers.get(&tokens) {
            return known;
        }
        let new = self.values.len() as u32;
        self.values.push(tokens.clone());
        self.numbers.insert(tokens, new);
        new
    }
}

impl Touch {
    fn allows(&self, here: &[u64]) -> bool {
        let allows =
            |&(at, needs, _, below): &Effect| here[at] >= needs && below.is_none_or(|below| here[at] < below);
        self.effects.iter().all(allows)
    }

    /// What is left and given; `None` when a count does not fit.
    fn fire(&self, here: &[u64]) -> Option<Box<[u64]>> {
        let mut next: Box<[u64]> = here.into();
        for &(at, needs, gives, _) in &self.effects {
            next[at] = (next[at] - needs).checked_add(gives)?;
        }
        Some(next)
    }

    /// What was there before, if it can have fired.
    fn unfire(&self, here: &[u64]) -> Option<Box<[u64]>> {
        let mut before: Box<[u64]> = here.into();
        for &(at, needs, gives, _) in &self.effects {
            before[at] = before[at].checked_sub(gives)?.checked_add(needs)?;
        }
        self.allows(&before).then_some(before)
    }
}

/// What a transition does, by level, ascending. One without arcs touches the lowest level, and does nothing there.
fn effects(net: &Net, transition: TransitionId, place: &[(usize, usize)]) -> Vec<(usize, Vec<Effect>)> {
    let mut arcs: HashMap<usize, (u64, u64, Option<u64>)> = HashMap::new();
    net.pre(transition).iter().for_each(|arc| arcs.entry(arc.place.index()).or_default().0 += arc.weight);
    net.post(transition).iter().for_each(|arc| arcs.entry(arc.place.index()).or_default().1 += arc.weight);
    for arc in net.inhibitors(transition) {
        let below = &mut arcs.entry(arc.place.index()).or_default().2;
        *below = Some(below.map_or(arc.weight, |other| other.min(arc.weight)));
    }
    let mut sorted: Vec<_> = arcs.into_iter().map(|(p, arc)| (place[p], arc)).collect();
    sorted.sort_unstable();
    let mut all: Vec<(usize, Vec<Effect>)> = Vec::new();
    for ((level, position), (needs, gives, below)) in sorted {
        if all.last().is_none_or(|touched| touched.0 != level) {
            all.push((level, Vec::new()));
        }
        all.last_mut().expect("one was pushed").1.push((position, needs, gives, below));
    }
    if all.is_empty() {
        all.push((1, Vec::new()));
    }
    all
}

/// Finds parts of transitions that are the same.
struct Maker {
    touches: Vec<Touch>,
    rests: Vec<(usize, EventSuffix)>,
    events: Vec<Event>,
    touch_of: HashMap<(usize, Vec<Effect>), usize>,
    rest_of: HashMap<(usize, EventSuffix), EventSuffix>,
    event_of: HashMap<EventSuffix, usize>,
}

impl Default for Maker {
    fn default() -> Self {
        Self {
            touches: Vec::new(),
            rests: vec![(usize::MAX, EventSuffix::EMPTY)],
            events: Vec::new(),
            touch_of: HashMap::new(),
            rest_of: HashMap::new(),
            event_of: HashMap::new(),
        }
    }
}

impl Maker {
    fn add(&mut self, transition: TransitionId, effects: &[(usize, Vec<Effect>)]) {
        let Self { touches, rests, events, touch_of, rest_of, event_of } = self;
        let mut whole = EventSuffix::EMPTY;
        for (level, effects) in effects {
            let touch = *touch_of.entry((*level, effects.clone())).or_insert_with(|| {
                let (effects, after, before) = (effects.clone(), Vec::new(), Vec::new());
                touches.push(Touch { level: *level, effects, after, before });
                touches.len() - 1
            });
            whole = *rest_of.entry((touch, whole)).or_insert_with(|| {
                rests.push((touch, whole));
                EventSuffix(rests.len() as u32 - 1)
            });
        }
        let event = *event_of.entry(whole).or_insert_with(|| {
            events.push(Event { whole, transitions: Vec::new() });
            events.len() - 1
        });
        events[event].transitions.push(transition);
    }
}

/// In which direction steps are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Forwards,
    Backwards,
    /// Nowhere, where the transition is enabled.
    Staying,
}

/// Steps of some transitions in one direction.
pub(super) struct Steps<'e> {
    events: &'e mut Events,
    way: Way,
    /// Of these transitions, or of all.
    only: Option<&'e [TransitionId]>,
    moves: Vec<Vec<Option<Moves>>>,
    /// The bytes of moves.
    held: usize,
}

/// What is left of events, and the values after them.
type Moves = Rc<[(EventSuffix, u32)]>;

impl<'e> Steps<'e> {
    pub(super) fn new(events: &'e mut Events, way: Way) -> Self {
        let moves = vec![Vec::new(); events.levels.len()];
        Self { events, way, only: None, moves, held: 0 }
    }

    /// Of these transitions alone.
    pub(super) fn of(self, transitions: &'e [TransitionId]) -> Self {
        Self { only: Some(transitions), ..self }
    }
}

impl NextStateRelation for Steps<'_> {
    fn local_effects(&mut self, level: usize, value: u32) -> Moves {
        let (here, at) = (&mut self.moves[level - 1], value as usize);
        if here.len() <= at {
            here.resize(at + 1, None);
        }
        if let Some(known) = &here[at] {
            return known.clone();
        }
        let wanted =
            |event: &Event| self.only.is_none_or(|only| event.transitions.iter().any(|t| only.contains(t)));
        let events = self.events.highest[level - 1].iter().map(|&at| &self.events.events[at]);
        let whole: Vec<EventSuffix> = events.filter(|event| wanted(event)).map(|event| event.whole).collect();
        let mut all: Vec<(EventSuffix, u32)> =
            whole.into_iter().filter_map(|whole| self.events.step(whole, value, self.way)).collect();
        all.sort_unstable();
        all.dedup();
        let all = Moves::from(all);
        self.held += size_of_val(&*all) + size_of::<Option<Moves>>();
        self.moves[level - 1][at] = Some(all.clone());
        all
    }

    fn top_variable(&self, rest: EventSuffix) -> usize {
        self.events.touches[self.events.rests[rest.0 as usize].0].level
    }

    fn fire_top(&mut self, rest: EventSuffix, value: u32) -> Option<(EventSuffix, u32)> {
        self.events.step(rest, value, self.way)
    }

    fn bytes(&self) -> usize {
        self.events.held + self.held
    }
}
