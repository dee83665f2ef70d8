//! Backtracking along a plan.

use super::{Lookup, MatchingPlan, Supply, key, plan::Move};
use crate::{
    SortId,
    coloured::{Colour, ColourTerm, Sorts, members::known},
};

/// How far a search came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchProgress {
    /// The slots hold a binding that was not there before.
    Found,
    /// There is no other.
    Done,
    /// The fuel is used up; it can go on.
    Paused,
}

/// A search along a plan. Slots hold the colours of variables by number.
#[derive(Clone, Debug)]
pub struct BindingSearch<'a> {
    sorts: &'a Sorts,
    plan: &'a MatchingPlan,
    /// How many ways of each move on the path were tried.
    tried: Vec<u64>,
    done: bool,
}

impl<'a> BindingSearch<'a> {
    /// At the start of a plan; there is nothing to find unless the given token `fits`.
    pub(super) fn new(sorts: &'a Sorts, plan: &'a MatchingPlan, fits: bool) -> Self {
        Self { sorts, plan, tried: vec![0], done: !fits }
    }

    /// Goes on to the next binding. Each thing tried takes one of `fuel`.
    pub fn next(
        &mut self,
        supply: &impl Supply,
        slots: &mut [Option<Colour>],
        fuel: &mut u64,
    ) -> SearchProgress {
        while !self.done {
            if *fuel == 0 {
                return SearchProgress::Paused;
            }
            *fuel -= 1;
            if self.tried.len() > self.plan.moves.len() {
                // A binding was found here, and the search goes on behind it; with `tried` 0 it is new.
                let last = self.tried.last_mut().expect("the path is not empty");
                *last += 1;
                if *last == 1 {
                    return SearchProgress::Found;
                }
                self.back();
                continue;
            }
            match self.advance(supply, slots) {
                Try::Fits => self.tried.push(0),
                Try::Fails => {}
                Try::None => self.back(),
            }
        }
        SearchProgress::Done
    }

    fn back(&mut self) {
        self.tried.pop();
        self.done = self.tried.is_empty();
    }

    /// Tries the next way of the last move on the path.
    fn advance(&mut self, supply: &impl Supply, slots: &mut [Option<Colour>]) -> Try {
        let step = &self.plan.moves[self.tried.len() - 1];
        let tried = self.tried.last_mut().expect("the path is not empty");
        *tried += 1;
        let number = *tried - 1;
        let sorts = self.sorts;
        if number > 0 && !matches!(step, Move::Token { .. } | Move::Any { .. }) {
            return Try::None;
        }
        let fits = match step {
            Move::Token { pattern, place, term, mask, binds } => {
                binds.iter().for_each(|v| slots[v.index()] = None);
                let key = key(sorts, term, *mask, slots);
                let lookup = Lookup { pattern: *pattern, place: *place, mask: *mask, key };
                let Some(colour) = supply.candidate(&lookup, number) else { return Try::None };
                term.unify(sorts, colour, slots)
            }
            Move::Present { pattern, place, term } => {
                supply.has(*pattern, *place, term.value(sorts, &known(slots)))
            }
            Move::Equal { from, to, binds } => {
                binds.iter().for_each(|v| slots[v.index()] = None);
                equate(sorts, from, to, slots)
            }
            Move::Test(guard) => guard.holds(sorts, &known(slots)),
            Move::Any { size, .. } if number == *size => return Try::None,
            Move::Any { variable, .. } => {
                slots[variable.index()] = Some(Colour(number));
                true
            }
        };
        if fits { Try::Fits } else { Try::Fails }
    }
}

/// What a way of a move comes to.
enum Try {
    Fits,
    Fails,
    /// There is no other way.
    None,
}

/// Gives the variables of `to` the colours for which both sides are equal.
fn equate(
    sorts: &Sorts,
    from: &(SortId, ColourTerm),
    to: &(SortId, ColourTerm),
    slots: &mut [Option<Colour>],
) -> bool {
    let rank = sorts.rank(from.0, from.1.value(sorts, &known(slots)));
    let colour = rank - sorts.rank(to.0, Colour(0));
    match u64::try_from(colour) {
        Ok(colour) if colour < sorts[to.0].size() => to.1.unify(sorts, Colour(colour), slots),
        _ => false,
    }
}
