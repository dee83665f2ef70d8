//! Random walks from the initial state, with restarts.
//!
//! A walk goes deep where breadth-first search is still near the start, and holds nothing but itself. It finds
//! states, never their absence: what it leaves open is for an exhaustive search. At each state a random position
//! in the total order is drawn, and the next enabled action from there on fires. Walks grow longer and longer, so
//! that both near and far states are met. The draws are the same in every run.

use fireset_kernel::store::Folded;
use fireset_net::{Budget, random::Random};

use super::{At, Cursor, Look, Number, Pace, Search, Space, Stop, View, Visitor};

/// Steps of all walks together.
const STEPS: usize = 1 << 17;
/// Steps of the first walk and of the longest.
const FIRST: usize = 1 << 8;
const LONGEST: usize = 1 << 14;

impl<N: Number> Search<N> {
    /// Walks until everything is decided or the steps are used up.
    pub(super) fn walk<S: Space<Number = N>, V: Visitor<S>>(
        &mut self,
        space: &mut S,
        budget: &Budget,
        visitor: &mut V,
    ) -> Result<(), Stop<N>> {
        let mut random = Random::new(0);
        let mut initial = Folded::default();
        self.states.store.get(self.states.initial, &mut initial);
        let mut next = vec![0; space.width()];
        let (mut steps, mut length, mut pace) = (0, FIRST, Pace::default());
        while steps < STEPS {
            let mut row = initial.row().to_vec();
            let mut actions = Vec::new();
            loop {
                if pace.is_due() {
                    self.check(budget, actions.capacity() * size_of::<N>())?;
                }
                steps += 1;
                let start = space.draw(&mut random);
                let enabled = space.next(&row, start).or_else(|| space.next(&row, Cursor::default()));
                let view = View { row: &row, deadlock: enabled.is_none(), at: At::After(&actions) };
                let decided = visitor.look().visit(space, &view);
                self.settle(decided, space, visitor)?;
                let Some((action, _)) = enabled.filter(|_| actions.len() < length) else { break };
                if !space.fire(&row, action, &mut next) {
                    break;
                }
                visitor.look().firing(space.kind(action));
                actions.push(action);
                std::mem::swap(&mut row, &mut next);
            }
            length = (2 * length).min(LONGEST);
        }
        Ok(())
    }
}
