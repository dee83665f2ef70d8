//! The token game with a history: a run of a net that can be prolonged, taken back and gone through.
//!
//! What: the steps of a run, and the position of the marking that is looked at; what comes after it can be redone until another step
//! fires. Why: every 64th marking is kept, so that going back costs a few firings, and a long run on a large net little memory.
//! Invariants: the steps are a run of the net from the initial marking; the marking is the one after `position` of them.
//! Test: below, against markings that are all kept, and `crates/cli/tests/play.rs`.

pub use fireset_kernel::random::Random;
use fireset_net::{
    Comparison, Expr, FireError, Formula, Net, PlaceId, Semantics, StateAtom, StatePredicate, Step,
    TransitionId,
    coloured::ColouredNet,
    replay::{self, Refusal},
};

/// A net whose enabled steps can be listed in part, since a coloured transition may have very many bindings.
pub trait PlayableNet: Semantics {
    /// The enabled steps of a transition: all, or this number of them.
    fn some_steps(&self, state: &Self::State, transition: TransitionId, most: usize) -> Vec<Step>;
}

impl PlayableNet for Net {
    fn some_steps(&self, state: &Self::State, transition: TransitionId, most: usize) -> Vec<Step> {
        let enabled = most > 0 && self.can_fire(state, transition);
        enabled.then(|| Step::plain(transition)).into_iter().collect()
    }
}

impl PlayableNet for ColouredNet {
    fn some_steps(&self, state: &Self::State, transition: TransitionId, most: usize) -> Vec<Step> {
        self.first_steps(state, transition, most)
    }
}

/// A marking is kept after each of this number of steps.
const STRIDE: usize = 64;
/// Places whose tokens tell a marking.
const MOST_TOLD: usize = 100;

/// A run that is played.
pub struct Game<'n, S: PlayableNet> {
    net: &'n S,
    steps: Vec<Step>,
    position: usize,
    state: S::State,
    /// The markings after 0, 64, 128, … steps.
    kept: Vec<S::State>,
}

impl<'n, S: PlayableNet> Game<'n, S> {
    /// A game at the initial marking.
    pub fn new(net: &'n S) -> Self {
        let state = net.initial();
        Self { net, steps: Vec::new(), position: 0, kept: vec![state.clone()], state }
    }

    /// A game at the initial marking, with a run that can be redone; or the first step that does not fit.
    pub fn with_run(net: &'n S, steps: &[Step]) -> Result<Self, Refusal> {
        let mut game = Self::new(net);
        game.continue_with(steps)?;
        game.go_to(0);
        Ok(game)
    }

    /// Replaces what could be redone by other steps, which are played; or says which one does not fit.
    pub fn continue_with(&mut self, steps: &[Step]) -> Result<(), Refusal> {
        for (at, step) in steps.iter().enumerate() {
            if step.transition.index() >= self.net.as_ref().transitions.len() {
                return Err(Refusal::NoTransition { at });
            }
            self.fire(step).map_err(|why| Refusal::Step { at, step: step.clone(), why })?;
        }
        Ok(())
    }

    /// The marking that is looked at.
    pub fn state(&self) -> &S::State {
        &self.state
    }

    /// The number of steps to it.
    pub fn position(&self) -> usize {
        self.position
    }

    /// All steps, also those that can be redone.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The steps to the marking.
    pub fn played(&self) -> &[Step] {
        &self.steps[..self.position]
    }

    /// Fires a step. The next step of the run is redone; another one takes the place of all that could be redone.
    pub fn fire(&mut self, step: &Step) -> Result<(), FireError> {
        let next = self.net.fire(&self.state, step)?;
        if self.steps.get(self.position) != Some(step) {
            self.steps.truncate(self.position);
            self.kept.truncate(self.position / STRIDE + 1);
            self.steps.push(step.clone());
        }
        self.position += 1;
        if self.position == STRIDE * self.kept.len() {
            self.kept.push(next.clone());
        }
        self.state = next;
        Ok(())
    }

    /// Goes to the marking after this number of steps, or after the last one.
    pub fn go_to(&mut self, position: usize) {
        let position = position.min(self.steps.len());
        self.state = self.state_at(position);
        self.position = position;
    }

    /// The marking before the last step that was played.
    pub fn state_before(&self) -> Option<S::State> {
        Some(self.state_at(self.position.checked_sub(1)?))
    }

    /// The marking after this number of steps.
    fn state_at(&self, position: usize) -> S::State {
        let first = position - position % STRIDE;
        // Every marking of the run was seen when its steps were played, and those to be kept are there.
        let (first, mut state) = match self.position <= position && self.position >= first {
            true => (self.position, self.state.clone()),
            false => (first, self.kept[first / STRIDE].clone()),
        };
        for step in &self.steps[first..position] {
            state = self.net.fire(&state, step).expect("a step that was played before");
        }
        state
    }

    /// The enabled steps: at most this number of each transition.
    pub fn enabled(&self, most: usize) -> Vec<Step> {
        let transitions = self.net.as_ref().transition_ids();
        transitions.flat_map(|transition| self.net.some_steps(&self.state, transition, most)).collect()
    }

    /// Fires a random step; `None` if none is enabled, or none without a count that overflows.
    pub fn fire_random(&mut self, random: &mut Random, most: usize) -> Option<()> {
        let mut enabled = self.enabled(most);
        while !enabled.is_empty() {
            let step = enabled.swap_remove(random.below(enabled.len()));
            if self.fire(&step).is_ok() {
                return Some(());
            }
        }
        None
    }

    /// Whether a state predicate holds in the marking.
    pub fn holds(&self, predicate: &StatePredicate) -> bool {
        replay::holds_in(self.net, &self.state, predicate)
    }

    /// What the marking is told by: that nothing is enabled, or the tokens of the first places that differ from the initial marking.
    pub fn goal(&self) -> Formula {
        if self.holds(&StateAtom::Deadlock.into()) {
            return Formula::Deadlock;
        }
        let (initial, tokens) =
            (self.net.initial(), |state: &S::State, place| self.net.tokens(state, place).total);
        let differs = |&place: &PlaceId| tokens(&initial, place) != tokens(&self.state, place);
        let has = |place| {
            let count = Expr::count(tokens(&self.state, place));
            Formula::Compare(Comparison::Equal, Expr::Tokens(vec![place]), count)
        };
        let places = self.net.as_ref().place_ids().filter(differs).take(MOST_TOLD);
        match &places.map(has).collect::<Vec<_>>()[..] {
            [] => Formula::Constant(true),
            [one] => one.clone(),
            several => Formula::And(several.to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;

    /// Any moves, against all markings of the run.
    fn compare<S: PlayableNet>(net: &S, seed: u64) -> usize {
        let random = &mut Random::new(seed);
        let (mut game, mut run, mut states) = (Game::new(net), Vec::new(), vec![net.initial()]);
        let mut at = 0;
        for _ in 0..600 {
            match random.below(60) {
                0 => {
                    at = random.below(states.len() + 3).min(states.len() - 1);
                    game.go_to(at);
                }
                1 => {
                    at = at.saturating_sub(1);
                    game.go_to(game.position().saturating_sub(1));
                }
                _ => {
                    let enabled = game.enabled(3);
                    assert!(enabled.iter().all(|step| net.fire(&states[at], step) != Err(FireError::Guard)));
                    let Some(step) = (!enabled.is_empty()).then(|| random.pick(&enabled).clone()) else {
                        assert!(net.steps(&states[at]).is_empty());
                        continue;
                    };
                    let Ok(next) = net.fire(&states[at], &step) else { continue };
                    assert_eq!(game.fire(&step), Ok(()));
                    if run.get(at) != Some(&step) {
                        run.truncate(at);
                        states.truncate(at + 1);
                        run.push(step);
                        states.push(next);
                    }
                    at += 1;
                }
            }
            assert!((game.position(), game.steps()) == (at, &run[..]));
            assert!(*game.state() == states[at]);
            assert!(game.state_before() == at.checked_sub(1).map(|before| states[before].clone()));
            let goal = StatePredicate::try_from(&game.goal()).expect("a predicate of markings");
            assert!(game.holds(&goal));
        }
        run.len()
    }

    #[test]
    fn moves_lead_to_the_markings_of_the_run() {
        let mut longest = 0;
        for seed in 0..120 {
            let random = &mut TestRng::new(seed);
            longest = longest.max(match seed % 3 {
                0 => compare(&random::coloured(random, 20), seed),
                _ => compare(&random::net(random, &NetShape::default()), seed),
            });
        }
        assert!(longest > 2 * STRIDE, "{longest}");
    }

    #[test]
    fn a_run_can_be_redone_and_one_that_does_not_fit_is_refused() {
        let net = fireset_oracle::tiny::net("p:1 q; t: p -> q; u: q -> p");
        let steps = [Step::plain(TransitionId::new(0)), Step::plain(TransitionId::new(1))];
        let mut game = Game::with_run(&net, &steps).expect("a run of the net");
        assert_eq!((game.position(), game.steps().len()), (0, 2));
        game.go_to(9);
        assert_eq!(game.played(), steps);
        assert!(game.goal() == Formula::Constant(true));
        let twice = [steps[0].clone(), steps[0].clone()];
        assert!(matches!(Game::with_run(&net, &twice).err(), Some(Refusal::Step { at: 1, .. })));
    }
}
