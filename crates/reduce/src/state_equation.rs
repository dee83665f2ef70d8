//! Bounds of linear forms from the state equation.
//!
//! Every reachable marking is `m = m0 + C x` for some `x >= 0`, and `m >= 0`. Take factors `y` with `y >= c` and
//! `y C <= 0`: then `c m <= y m <= y m0`, so each of them bounds `c m`, and by duality the least `y m0` is the most
//! that `c m` can be in the rational solutions of the state equation. A linear program finds `y`; it is turned into
//! fractions and the two conditions are checked in integers, so a wrong digit costs the bound, not the answer.
//! Source: Murata, "Petri nets: properties, analysis and applications" (1989), for the equation; `y` is a place
//! sub-invariant, which needs no invariant to exist.
//!
//! Inhibitor arcs only take runs away. Cost: a linear program for each form, within [`MAX_TIME`] together.
//! Test: `tests/atoms.rs`, against all reachable markings of random nets.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    time::{Duration, Instant},
};

use fireset_kernel::{flows::Sparse, lp};
use fireset_net::{Linear, Net};

/// Entries of the incidence matrix past which no program is tried.
const MAX_ENTRIES: usize = 20_000;
/// Time for all programs together.
const MAX_TIME: Duration = Duration::from_millis(500);
/// The largest denominator of a factor.
const MAX_DENOMINATOR: i64 = 10_000;

/// The factors of a form, by place.
type Terms = Vec<(u32, i128)>;

/// The state equation of a net.
#[derive(Clone, Debug)]
pub(crate) struct StateEquation<'a> {
    initial: &'a [u64],
    /// For each different effect of a transition, the places that it changes.
    effects: Vec<Sparse>,
    time_left: Cell<Duration>,
    /// The most of forms that were asked for, without their constants.
    known: RefCell<HashMap<Terms, Option<i128>>>,
}

impl<'a> StateEquation<'a> {
    /// Of a net; `incidence` has a row for each place.
    pub(crate) fn new(net: &'a Net, incidence: &[Sparse]) -> Self {
        let mut effects = vec![Sparse::new(); net.nodes().transitions.len()];
        for (place, row) in incidence.iter().enumerate() {
            row.iter().for_each(|&(t, change)| effects[t as usize].push((place as u32, change)));
        }
        effects.retain(|effect| !effect.is_empty());
        effects.sort_unstable();
        effects.dedup();
        let small = effects.iter().map(Vec::len).sum::<usize>() <= MAX_ENTRIES;
        let time_left = Cell::new(if small { MAX_TIME } else { Duration::ZERO });
        Self { initial: &net.initial_marking().0, effects, time_left, known: RefCell::default() }
    }

    /// The most that a form can be in a reachable marking, where that is proven.
    pub(crate) fn most(&self, form: &Linear) -> Option<i128> {
        let known = self.known.borrow().get(&form.terms).copied();
        let most = known.unwrap_or_else(|| {
            let most = self.factors(&form.terms).and_then(|y| self.checked(&form.terms, &y));
            self.known.borrow_mut().insert(form.terms.clone(), most);
            most
        });
        most?.checked_add(form.constant)
    }

    /// The best factors, as a guess.
    fn factors(&self, terms: &[(u32, i128)]) -> Option<Vec<f64>> {
        if self.time_left.get().is_zero() {
            return None;
        }
        let started = Instant::now();
        let mut least = vec![0.0; self.initial.len()];
        terms.iter().for_each(|&(place, factor)| least[place as usize] = factor as f64);
        let objective: Vec<f64> = self.initial.iter().map(|&tokens| tokens as f64).collect();
        let row = |effect: &Sparse| effect.iter().map(|&(place, change)| (place, change as f64)).collect();
        let rows: Vec<Vec<(u32, f64)>> = self.effects.iter().map(row).collect();
        let found = lp::minimize(&objective, &least, &rows, self.time_left.get());
        self.time_left.set(self.time_left.get().saturating_sub(started.elapsed()));
        found
    }

    /// The bound that factors near `guess` prove, if they prove one.
    fn checked(&self, terms: &[(u32, i128)], guess: &[f64]) -> Option<i128> {
        let fractions: Vec<(i64, i64)> =
            guess.iter().map(|&number| lp::fraction(number, MAX_DENOMINATOR)).collect::<Option<_>>()?;
        let common = fractions.iter().try_fold(1i128, |common, &(_, down)| {
            let down = i128::from(down);
            let divisor = crate::proven::gcd(common.unsigned_abs(), down.unsigned_abs()) as i128;
            common.checked_mul(down / divisor)
        })?;
        let factor = |&(up, down): &(i64, i64)| i128::from(up).checked_mul(common / i128::from(down));
        let y: Vec<i128> = fractions.iter().map(factor).collect::<Option<_>>()?;
        let wanted = Linear { terms: terms.to_vec(), constant: 0 };
        let mut large_enough = y
            .iter()
            .enumerate()
            .map(|(place, y)| Some(*y >= wanted.factor(place as u32).checked_mul(common)?));
        let never_grows = |effect: &Sparse| {
            let sum = effect.iter().try_fold(0i128, |sum, &(place, change)| {
                sum.checked_add(y[place as usize].checked_mul(change.into())?)
            });
            sum.is_some_and(|sum| sum <= 0)
        };
        if !large_enough.all(|fine| fine == Some(true)) || !self.effects.iter().all(never_grows) {
            return None;
        }
        let total = y
            .iter()
            .zip(self.initial)
            .try_fold(0i128, |sum, (y, &tokens)| sum.checked_add(y.checked_mul(tokens.into())?))?;
        Some(total.div_euclid(common))
    }
}
