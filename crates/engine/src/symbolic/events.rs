//! Transitions as events of a diagram: what each does to the values of the levels that it touches.
//!
//! Values are numbered as they are seen, and what a transition does to a value is worked out once. Backwards only values that were
//! seen forwards count: no other is reachable.

use std::{collections::HashMap, rc::Rc};

use fireset_kernel::diagram::Relation;
use fireset_net::{Net, TransitionId};

/// A net over levels.
pub(super) struct Events {
    /// By level, from 1 on.
    levels: Vec<Level>,
    /// By transition.
    touches: Vec<Vec<Touch>>,
    /// By level, from 1 on, the transitions whose highest level it is.
    highest: Vec<Vec<u32>>,
    /// Where each place is: its level and its position there.
    pub(super) place: Vec<(usize, usize)>,
    /// Whether a count did not fit.
    pub(super) overflow: bool,
    /// The bytes of values and of what transitions do to them.
    held: usize,
}

/// The values of a level.
struct Level {
    values: Vec<Box<[u64]>>,
    numbers: HashMap<Box<[u64]>, u32>,
}

/// What a transition does at a level.
struct Touch {
    level: usize,
    /// By position, what it needs there, what it leaves there, and below which count it has to be.
    arcs: Vec<(usize, u64, u64, Option<u64>)>,
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
    /// Of a net whose places are put on levels, the lowest first.
    pub(super) fn new(net: &Net, groups: &[Vec<usize>]) -> Self {
        let mut place = vec![(0, 0); net.nodes().places.len()];
        for (at, group) in groups.iter().enumerate() {
            group.iter().enumerate().for_each(|(position, &p)| place[p] = (at + 1, position));
        }
        let levels = groups.iter().map(|_| Level { values: Vec::new(), numbers: HashMap::new() }).collect();
        let touches: Vec<Vec<Touch>> =
            net.nodes().transition_ids().map(|t| touches(net, t, &place)).collect();
        let mut highest = vec![Vec::new(); groups.len()];
        for (at, touches) in touches.iter().enumerate() {
            highest[touches.last().map_or(1, |touch| touch.level) - 1].push(at as u32);
        }
        Self { levels, touches, highest, place, overflow: false, held: 0 }
    }

    /// The values of a marking, the lowest level's first.
    pub(super) fn values_of(&mut self, groups: &[Vec<usize>], marking: &[u64]) -> Vec<u32> {
        let value = |(level, group): (&mut Level, &Vec<usize>)| {
            level.number(group.iter().map(|&place| marking[place]).collect())
        };
        self.levels.iter_mut().zip(groups).map(value).collect()
    }

    /// What a value stands for.
    pub(super) fn tokens(&self, level: usize, value: u32) -> &[u64] {
        &self.levels[level - 1].values[value as usize]
    }

    /// How many values a level has.
    pub(super) fn count(&self, level: usize) -> usize {
        self.levels[level - 1].values.len()
    }

    /// How many transitions there are.
    pub(super) fn len(&self) -> usize {
        self.touches.len()
    }

    /// The levels that a transition touches, ascending.
    pub(super) fn touched(&self, event: u32) -> impl DoubleEndedIterator<Item = usize> {
        self.touches[event as usize].iter().map(|touch| touch.level)
    }

    /// Whether a value allows a transition.
    pub(super) fn allows(&self, event: u32, level: usize, value: u32) -> bool {
        match self.touches[event as usize].iter().find(|touch| touch.level == level) {
            Some(touch) => touch.allows(self.tokens(level, value)),
            None => true,
        }
    }

    fn lowest(&self, event: u32) -> usize {
        self.touches[event as usize].first().map_or(1, |touch| touch.level)
    }

    fn step(&mut self, event: u32, level: usize, value: u32, way: Way) -> Option<u32> {
        let Self { levels, touches, overflow, held, .. } = self;
        let touches = &mut touches[event as usize];
        let Some(touch) = touches.iter_mut().find(|touch| touch.level == level) else { return Some(value) };
        let values = &mut levels[level - 1];
        let known = match way {
            Way::Forwards => &touch.after,
            Way::Backwards => &touch.before,
            Way::Staying => return touch.allows(&values.values[value as usize]).then_some(value),
        };
        match known.get(value as usize).copied().unwrap_or(Known::Unasked) {
            Known::None => return None,
            Known::Value(next) => return Some(next),
            Known::Unasked => {}
        }
        let here = &values.values[value as usize];
        let here_bytes = size_of_val(&**here);
        let next = match way {
            Way::Forwards => {
                let next = touch.allows(here).then(|| touch.fire(here));
                *overflow |= matches!(next, Some(None));
                let seen = values.values.len();
                let next = next.flatten().map(|next| values.number(next));
                // A value is there twice, beside what tables hold.
                *held += (values.values.len() - seen) * (2 * here_bytes + 64);
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
        next
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
        self.arcs
            .iter()
            .all(|&(at, needs, _, below)| here[at] >= needs && below.is_none_or(|below| here[at] < below))
    }

    /// What is left and given; `None` when a count does not fit.
    fn fire(&self, here: &[u64]) -> Option<Box<[u64]>> {
        let mut next: Box<[u64]> = here.into();
        for &(at, needs, gives, _) in &self.arcs {
            next[at] = (next[at] - needs).checked_add(gives)?;
        }
        Some(next)
    }

    /// What was there before, if it can have fired.
    fn unfire(&self, here: &[u64]) -> Option<Box<[u64]>> {
        let mut before: Box<[u64]> = here.into();
        for &(at, needs, gives, _) in &self.arcs {
            before[at] = before[at].checked_sub(gives)?.checked_add(needs)?;
        }
        self.allows(&before).then_some(before)
    }
}

/// What a transition does, by level, ascending.
fn touches(net: &Net, transition: TransitionId, place: &[(usize, usize)]) -> Vec<Touch> {
    let mut arcs: HashMap<usize, (u64, u64, Option<u64>)> = HashMap::new();
    net.pre(transition).iter().for_each(|arc| arcs.entry(arc.place.index()).or_default().0 += arc.weight);
    net.post(transition).iter().for_each(|arc| arcs.entry(arc.place.index()).or_default().1 += arc.weight);
    for arc in net.inhibitors(transition) {
        let below = &mut arcs.entry(arc.place.index()).or_default().2;
        *below = Some(below.map_or(arc.weight, |other| other.min(arc.weight)));
    }
    let mut touches: Vec<Touch> = Vec::new();
    let mut sorted: Vec<_> = arcs.into_iter().map(|(p, arc)| (place[p], arc)).collect();
    sorted.sort_unstable();
    for ((level, position), (needs, gives, below)) in sorted {
        if touches.last().is_none_or(|touch| touch.level != level) {
            touches.push(Touch { level, arcs: Vec::new(), after: Vec::new(), before: Vec::new() });
        }
        touches.last_mut().expect("one was pushed").arcs.push((position, needs, gives, below));
    }
    touches
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
    only: Option<Vec<bool>>,
    moves: Vec<Vec<Option<Moves>>>,
    /// The bytes of moves.
    held: usize,
}

/// Events and the values after them.
type Moves = Rc<[(u32, u32)]>;

impl<'e> Steps<'e> {
    pub(super) fn new(events: &'e mut Events, way: Way) -> Self {
        let moves = vec![Vec::new(); events.levels.len()];
        Self { events, way, only: None, moves, held: 0 }
    }

    /// Of these transitions alone.
    pub(super) fn of(mut self, transitions: &[TransitionId]) -> Self {
        let mut only = vec![false; self.events.len()];
        transitions.iter().for_each(|t| only[t.index()] = true);
        self.only = Some(only);
        self
    }
}

impl Relation for Steps<'_> {
    fn moves(&mut self, level: usize, value: u32) -> Moves {
        let (here, at) = (&mut self.moves[level - 1], value as usize);
        if here.len() <= at {
            here.resize(at + 1, None);
        }
        if let Some(known) = &here[at] {
            return known.clone();
        }
        let highest = self.events.highest[level - 1].clone();
        let wanted = |event: &u32| self.only.as_ref().is_none_or(|only| only[*event as usize]);
        let all: Moves = highest
            .into_iter()
            .filter(wanted)
            .filter_map(|event| Some((event, self.events.step(event, level, value, self.way)?)))
            .collect();
        self.held += size_of_val(&*all) + size_of::<Option<Moves>>();
        self.moves[level - 1][at] = Some(all.clone());
        all
    }

    fn step(&mut self, event: u32, level: usize, value: u32) -> Option<u32> {
        self.events.step(event, level, value, self.way)
    }

    fn lowest(&self, event: u32) -> usize {
        self.events.lowest(event)
    }

    fn bytes(&self) -> usize {
        self.events.held + self.held
    }
}
