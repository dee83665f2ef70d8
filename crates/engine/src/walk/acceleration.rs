//! Acceleration: a transition, or a loop of a walk's own path, is fired many times in one step.
//!
//! What: the displacement of a run, how often it can be repeated from a marking, and after how many repetitions a walk should look again.
//! Why: a walk that fires one transition a step spends thousands of steps on a counter that has to reach thousands, and goes up and
//! down on the way. Source: meta-transitions, as in Finkel and Leroux, "How to compose Presburger-accelerations" (2002); a walk needs
//! single repetitions, not the set of all of them.
//!
//! Why it is right: a run of transitions needs at least `least[p]` and at most `most[p]` tokens in each place `p` to fire (input arcs; inhibitor
//! arcs and overflow), and changes `p` by a fixed amount. These limits are intervals, and the counts before the repetitions lie between
//! those before the first and before the last; so all repetitions can fire exactly when the first and the last can, place by place.
//! For one transition fired many times in a row the same holds of its firings. Every run that is found is replayed besides.
//!
//! A walk looks again at the next *event*: the first repetition after which a condition of a transition or the value of an atom changes. Where
//! the run is one transition, nothing that a goal sees is jumped over.
//!
//! Cost: the arcs of the run. Test: below against single firings, and `tests/walk.rs` against the oracle.

use fireset_net::{
    TransitionId,
    token_game::{Displacement, TokenChange, TokenGame, TokenGameTable},
};

/// A transition fired a number of times in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Firing {
    pub(super) transition: u32,
    pub(super) times: u64,
}

impl Firing {
    pub(super) fn once(transition: u32) -> Self {
        Self { transition, times: 1 }
    }

    pub(super) fn displacement<'t>(self, table: &'t TokenGameTable<'_>) -> Displacement<'t> {
        Displacement { changes: table.changes(self.transition), times: self.times }
    }
}

/// The firings one by one.
pub(super) fn expand(path: &[Firing]) -> Vec<u32> {
    path.iter().flat_map(|firing| std::iter::repeat_n(firing.transition, firing.times as usize)).collect()
}

/// What a run needs of each place and does to it.
#[derive(Debug)]
pub(super) struct RunEffect {
    /// By place; the defaults outside of `touched`.
    limits: Vec<PlaceLimits>,
    touched: Vec<u32>,
    changes: Vec<TokenChange>,
}

#[derive(Clone, Copy, Debug)]
struct PlaceLimits {
    /// The tokens with which the run can fire.
    least: i128,
    most: i128,
    /// By how much it changes them.
    change: i128,
    is_touched: bool,
}

impl Default for PlaceLimits {
    fn default() -> Self {
        Self { least: 0, most: u64::MAX.into(), change: 0, is_touched: false }
    }
}

impl RunEffect {
    /// Of the empty run.
    pub(super) fn new(table: &TokenGameTable<'_>) -> Self {
        let limits = vec![PlaceLimits::default(); table.places()];
        Self { limits, touched: Vec::new(), changes: Vec::new() }
    }

    /// Turns to a run, of fewer than 2^32 firings.
    pub(super) fn measure(&mut self, run: &[Firing], table: &TokenGameTable<'_>) {
        for place in self.touched.drain(..) {
            self.limits[place as usize] = PlaceLimits::default();
        }
        run.iter().for_each(|&firing| self.append(firing, table));
        let changed = self.touched.iter().filter_map(|&place| {
            let change = self.limits[place as usize].change;
            let tokens = u64::try_from(change.unsigned_abs()).expect("the run has been fired");
            (tokens > 0).then_some(TokenChange { place, gives: change > 0, tokens })
        });
        self.changes.clear();
        self.changes.extend(changed);
    }

    fn append(&mut self, Firing { transition, times }: Firing, table: &TokenGameTable<'_>) {
        let (t, others) = (TransitionId::new(transition as usize), i128::from(times) - 1);
        let changes = table.changes(transition);
        // From the first of the firings to the last.
        let shift = |place: usize| {
            let change = changes.iter().find(|change| change.place as usize == place);
            change.map_or(0, |change| others * change.amount())
        };
        for arc in table.net.pre(t) {
            let at = arc.place.index();
            let limits = self.touch(at);
            limits.least = limits.least.max(i128::from(arc.weight) - limits.change - shift(at).min(0));
        }
        for arc in table.net.inhibitors(t) {
            let at = arc.place.index();
            let limits = self.touch(at);
            limits.most = limits.most.min(i128::from(arc.weight) - 1 - limits.change - shift(at).max(0));
        }
        for change in changes {
            let limits = self.touch(change.place as usize);
            limits.change += i128::from(times) * change.amount();
            limits.most = limits.most.min(i128::from(u64::MAX) - limits.change);
        }
    }

    fn touch(&mut self, place: usize) -> &mut PlaceLimits {
        let limits = &mut self.limits[place];
        if !std::mem::replace(&mut limits.is_touched, true) {
            self.touched.push(place as u32);
        }
        limits
    }

    /// What one repetition changes.
    pub(super) fn changes(&self) -> &[TokenChange] {
        &self.changes
    }

    /// How often the run can be repeated.
    pub(super) fn repetitions(&self, game: &TokenGame<'_>) -> u64 {
        let at_place = |&place: &u32| {
            let PlaceLimits { least, most, change, .. } = self.limits[place as usize];
            let tokens = i128::from(game.tokens()[place as usize]);
            let room = if change < 0 { tokens - least } else { most - tokens };
            match change.unsigned_abs() {
                _ if tokens < least || tokens > most => 0,
                0 => u64::MAX,
                by => u64::try_from(1 + room.unsigned_abs() / by).unwrap_or(u64::MAX),
            }
        };
        self.touched.iter().map(at_place).min().unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;
    use crate::walk::evaluator::{GoalEvaluator, WalkGoal};

    const MOST: u64 = 200;

    fn net(random: &mut TestRng) -> fireset_net::Net {
        let inhibitors = if random.percent(50) { 50 } else { 0 };
        let shape = NetShape { inhibitors, places: 4, transitions: 5, tokens: 50, weight: 20 };
        random::net(random, &shape)
    }

    /// How often a run fires from a marking, at most [`MOST`] times.
    fn by_single_firings(run: &[Firing], game: &TokenGame<'_>) -> u64 {
        let (mut game, steps) = (game.clone(), expand(run));
        let mut repeat = || steps.iter().all(|&t| game.is_enabled(t) && game.fire(t));
        (0..MOST).find(|_| !repeat()).unwrap_or(MOST)
    }

    #[test]
    fn repetitions_are_those_of_single_firings() {
        let mut by_count = [0; 4];
        for seed in 0..4_000 {
            let mut random = TestRng::new(seed);
            let net = net(&mut random);
            let table = TokenGameTable::new(&net);
            let (mut game, mut effect) = (TokenGame::new(&table), RunEffect::new(&table));
            let mut path: Vec<Firing> = Vec::new();
            for _ in 0..12 {
                if game.is_deadlock() {
                    break;
                }
                let single = Firing::once(*random.pick(game.enabled()));
                effect.measure(&[single], &table);
                let possible = effect.repetitions(&game);
                assert_eq!(possible.min(MOST), by_single_firings(&[single], &game), "seed {seed}");
                let times = if random.percent(50) { random.within(1, possible.min(MOST)) } else { 1 };
                game.displace(Firing { times, ..single }.displacement(&table));
                path.push(Firing { times, ..single });
                let run = &path[random.below(path.len())..];
                effect.measure(run, &table);
                let (repetitions, expected) = (effect.repetitions(&game), by_single_firings(run, &game));
                assert_eq!(repetitions.min(MOST), expected, "seed {seed}: {run:?}");
                by_count[expected.min(3) as usize] += 1;
            }
        }
        assert!(by_count.iter().all(|&count| count > 1_000), "{by_count:?}");
    }

    /// Before the first event no goal changes its value, and no transition is enabled or disabled.
    #[test]
    fn nothing_is_jumped_over() {
        let (mut jumps, mut firings) = (0, 0);
        for seed in 0..3_000 {
            let mut random = TestRng::new(seed);
            let net = net(&mut random);
            let predicates: Vec<_> =
                (0..4).map(|depth| random::predicate(&mut random, net.nodes(), depth)).collect();
            let goals: Vec<_> =
                predicates.iter().map(|predicate| WalkGoal { predicate, want: true }).collect();
            let table = TokenGameTable::new(&net);
            let mut game = TokenGame::new(&table);
            let (mut evaluator, mut effect) = (GoalEvaluator::new(&goals, &game), RunEffect::new(&table));
            for _ in 0..12 {
                if game.is_deadlock() {
                    break;
                }
                let single = Firing::once(*random.pick(game.enabled()));
                effect.measure(&[single], &table);
                let condition = game.repetitions_to_condition(effect.changes());
                let event =
                    condition.into_iter().chain(evaluator.repetitions_to_change(effect.changes())).min();
                let times = event.unwrap_or(MOST).min(effect.repetitions(&game)).min(MOST);
                let before = evaluator.met();
                for fired in 1..times {
                    assert!(game.fire(single.transition) && game.flips().is_empty(), "seed {seed}");
                    let met = (0..goals.len()).filter(|&goal| evaluator.is_met_in(goal, &game));
                    assert_eq!(met.fold(0, |met, goal| met | 1 << goal), before, "seed {seed} after {fired}");
                }
                assert!(game.fire(single.transition));
                evaluator.follow_run(Firing { times, ..single }.displacement(&table), &game, &mut Vec::new());
                for goal in 0..goals.len() {
                    assert_eq!(evaluator.is_met(goal), evaluator.is_met_in(goal, &game), "seed {seed}");
                }
                jumps += usize::from(times > 1);
                firings += times;
            }
        }
        assert!(jumps > 2_000, "{jumps} jumps over {firings} firings");
    }
}
