//! The token game of a place/transition net, fast: token counts in a flat vector, and the enabled transitions at hand.
//!
//! Each transition has a number of conditions that are not met: input places with too few tokens, inhibitor arcs that
//! block. A condition changes only when the tokens of its place cross its weight, so after a firing only the conditions
//! of changed places are looked at, and of these only the ones between the old and the new count.
//!
//! Runs that repeat are fired many times at once, as one displacement: whether every firing is possible is up to who asks for it
//! (the walks' acceleration).
//!
//! Invariants: (1) `unmet[t]` is the number of conditions of `t` that the tokens do not meet; (2) `enabled` lists the
//! transitions without any, each once, and `position` says where. A firing that would overflow a count changes nothing.
//! Cost of a firing, and of a displacement: the arcs of the transition and the conditions that change. Test: `tests/token_game.rs`, against the net itself.

use crate::{Net, Rows};

/// What a firing does to a place.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokenChange {
    /// The number of the place.
    pub place: u32,
    /// Whether the tokens are added.
    pub gives: bool,
    /// The difference of the two weights.
    pub tokens: u64,
}

impl TokenChange {
    /// By how much the tokens grow.
    pub fn amount(self) -> i128 {
        let tokens = i128::from(self.tokens);
        if self.gives { tokens } else { -tokens }
    }
}

/// What a run does to the tokens when it is repeated.
#[derive(Clone, Copy, Debug)]
pub struct Displacement<'a> {
    /// The changes by one repetition, of different places.
    pub changes: &'a [TokenChange],
    /// How often the run is repeated.
    pub times: u64,
}

impl Displacement<'_> {
    /// The changes by all repetitions, which fit into a count.
    pub fn total(&self) -> impl Iterator<Item = TokenChange> {
        self.changes.iter().map(move |&change| TokenChange { tokens: change.tokens * self.times, ..change })
    }
}

/// What a transition asks of a place: at least `weight` tokens, or fewer where it is an inhibitor arc.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct EnablingCondition {
    weight: u64,
    transition: u32,
    inhibits: bool,
}

/// A net, laid out for playing.
#[derive(Debug)]
pub struct TokenGameTable<'n> {
    /// The net that is played on.
    pub net: &'n Net,
    /// One row for each transition.
    changes: Rows<TokenChange>,
    /// By place, those of small weight first.
    conditions: Rows<EnablingCondition>,
    /// By place, the largest weight of a condition.
    highest: Vec<u64>,
    initial: GameState,
}

/// A marking, and what is enabled there.
#[derive(Clone, Debug, Default)]
struct GameState {
    tokens: Vec<u64>,
    unmet: Vec<u32>,
    enabled: Vec<u32>,
    position: Vec<u32>,
}

impl<'n> TokenGameTable<'n> {
    /// Lays out a net.
    pub fn new(net: &'n Net) -> Self {
        let change = |c: crate::Change| TokenChange {
            place: c.place.index() as u32,
            gives: c.gives > c.takes,
            tokens: c.gives.abs_diff(c.takes),
        };
        let changes = net.nodes().transition_ids().map(|t| net.changes(t).map(change)).collect();
        let mut at_place: Vec<Vec<EnablingCondition>> = vec![Vec::new(); net.nodes().places.len()];
        for t in net.nodes().transition_ids() {
            for (arcs, inhibits) in [(net.pre(t), false), (net.inhibitors(t), true)] {
                for arc in arcs {
                    let condition =
                        EnablingCondition { weight: arc.weight, transition: t.index() as u32, inhibits };
                    at_place[arc.place.index()].push(condition);
                }
            }
        }
        at_place.iter_mut().for_each(|conditions| conditions.sort_unstable());
        let highest = at_place.iter().map(|conditions| conditions.last().map_or(0, |c| c.weight)).collect();
        let initial = initial(net);
        Self { net, changes, conditions: at_place.into_iter().collect(), highest, initial }
    }

    /// The places whose counts a transition changes, and by how much.
    #[inline]
    pub fn changes(&self, transition: u32) -> &[TokenChange] {
        &self.changes[transition as usize]
    }

    /// What one firing of a transition does.
    pub fn firing(&self, transition: u32) -> Displacement<'_> {
        Displacement { changes: self.changes(transition), times: 1 }
    }

    /// The work of a firing, at most: the places that change, and the conditions there.
    pub fn cost(&self, transition: u32) -> u64 {
        let conditions = |change: &TokenChange| 1 + self.conditions[change.place as usize].len() as u64;
        1 + self.changes(transition).iter().map(conditions).sum::<u64>()
    }

    /// The number of transitions of the net.
    pub fn transitions(&self) -> usize {
        self.changes.len()
    }

    /// The number of places of the net.
    pub fn places(&self) -> usize {
        self.highest.len()
    }
}

fn initial(net: &Net) -> GameState {
    let tokens = net.initial_marking().0.to_vec();
    let unmet = net.nodes().transition_ids().map(|t| {
        let lacking = net.pre(t).iter().filter(|arc| tokens[arc.place.index()] < arc.weight).count();
        let blocking = net.inhibitors(t).iter().filter(|arc| tokens[arc.place.index()] >= arc.weight).count();
        (lacking + blocking) as u32
    });
    let unmet: Vec<u32> = unmet.collect();
    let enabled: Vec<u32> = (0..unmet.len() as u32).filter(|&t| unmet[t as usize] == 0).collect();
    let mut position = vec![0; unmet.len()];
    enabled.iter().enumerate().for_each(|(at, &t)| position[t as usize] = at as u32);
    GameState { tokens, unmet, enabled, position }
}

/// A game on a table.
#[derive(Clone, Debug)]
pub struct TokenGame<'t> {
    /// What it is played on.
    pub table: &'t TokenGameTable<'t>,
    now: GameState,
    /// The transitions that the last firing enabled, with `true`, or disabled.
    flips: Vec<(u32, bool)>,
}

impl<'t> TokenGame<'t> {
    /// Stands at the initial marking.
    pub fn new(table: &'t TokenGameTable<'t>) -> Self {
        Self { table, now: table.initial.clone(), flips: Vec::new() }
    }

    /// Goes back to the initial marking.
    pub fn restart(&mut self) {
        self.now.tokens.clone_from(&self.table.initial.tokens);
        self.now.unmet.clone_from(&self.table.initial.unmet);
        self.now.enabled.clone_from(&self.table.initial.enabled);
        self.now.position.clone_from(&self.table.initial.position);
    }

    /// The tokens of all places.
    pub fn tokens(&self) -> &[u64] {
        &self.now.tokens
    }

    /// The transitions that are enabled, in some order.
    pub fn enabled(&self) -> &[u32] {
        &self.now.enabled
    }

    /// Whether a transition is enabled.
    pub fn is_enabled(&self, transition: u32) -> bool {
        self.now.unmet[transition as usize] == 0
    }

    /// Whether nothing is enabled.
    pub fn is_deadlock(&self) -> bool {
        self.now.enabled.is_empty()
    }

    /// What the last firing enabled and disabled; some transitions both, one after the other.
    pub fn flips(&self) -> &[(u32, bool)] {
        &self.flips
    }

    /// Fires a transition, which is enabled; `false`, and nothing changes, where a count would overflow.
    pub fn fire(&mut self, transition: u32) -> bool {
        debug_assert!(self.is_enabled(transition), "only enabled transitions fire");
        self.flips.clear();
        let changes = self.table.changes(transition);
        let fits =
            |c: &TokenChange| !c.gives || self.now.tokens[c.place as usize].checked_add(c.tokens).is_some();
        if !changes.iter().all(fits) {
            return false;
        }
        changes.iter().for_each(|&change| self.change(change, change.gives));
        true
    }

    /// Takes back the last firing.
    pub fn undo(&mut self, transition: u32) {
        self.flips.clear();
        self.table.changes(transition).iter().for_each(|&change| self.change(change, !change.gives));
    }

    /// Repeats a run; each of the firings has to be possible.
    pub fn displace(&mut self, by: Displacement<'_>) {
        self.flips.clear();
        by.total().for_each(|change| self.change(change, change.gives));
    }

    /// Takes a displacement back.
    pub fn displace_back(&mut self, by: Displacement<'_>) {
        self.flips.clear();
        by.total().for_each(|change| self.change(change, !change.gives));
    }

    /// After how many repetitions some condition of a transition is met that was not, or no longer; after fewer of them the same
    /// transitions are enabled as now. `None` where no number of repetitions does that.
    pub fn repetitions_to_condition(&self, changes: &[TokenChange]) -> Option<u64> {
        let first = |change: &TokenChange| {
            let tokens = self.now.tokens[change.place as usize];
            let conditions = &self.table.conditions[change.place as usize];
            let above = conditions.partition_point(|condition| condition.weight <= tokens);
            if change.gives {
                return Some((conditions.get(above)?.weight - tokens).div_ceil(change.tokens));
            }
            // A condition of weight 0 stays as it is.
            let last = conditions[..above].last().filter(|condition| condition.weight > 0)?;
            Some(1 + (tokens - last.weight) / change.tokens)
        };
        changes.iter().filter_map(first).min()
    }

    /// Moves the tokens of one place, and counts again what it says of transitions.
    #[inline]
    fn change(&mut self, change: TokenChange, gives: bool) {
        let place = change.place as usize;
        let old = self.now.tokens[place];
        let new = if gives { old + change.tokens } else { old - change.tokens };
        self.now.tokens[place] = new;
        let (low, high) = if gives { (old, new) } else { (new, old) };
        let table = self.table;
        if low >= table.highest[place] {
            return;
        }
        for condition in &table.conditions[place] {
            if condition.weight > high {
                break;
            }
            if condition.weight > low {
                self.flip(condition.transition, gives != condition.inhibits);
            }
        }
    }

    /// A condition of a transition is met now, or not any more.
    #[inline]
    fn flip(&mut self, transition: u32, met: bool) {
        let GameState { unmet, enabled, position, .. } = &mut self.now;
        let unmet = &mut unmet[transition as usize];
        if met {
            *unmet -= 1;
            if *unmet == 0 {
                position[transition as usize] = enabled.len() as u32;
                enabled.push(transition);
                self.flips.push((transition, true));
            }
            return;
        }
        *unmet += 1;
        if *unmet == 1 {
            let at = position[transition as usize];
            enabled.swap_remove(at as usize);
            if let Some(&moved) = enabled.get(at as usize) {
                position[moved as usize] = at;
            }
            self.flips.push((transition, false));
        }
    }
}
