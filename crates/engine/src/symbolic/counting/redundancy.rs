//! Redundant places: their tokens are a linear function of those of other places, and they never disable a transition.
//!
//! What: `m(p) = c + sum of w(q) m(q)` in every reachable marking, with whole weights `w >= 0`; and each transition `t` takes at most
//! `c + sum of w(q) W(q, t)` tokens from `p`, where `W(q, t)` is what it takes from `q`. The place goes.
//! Proof. The equation holds since every firing changes both sides by the same number, and it holds initially. Where the other places let `t`
//! fire, `m(q) >= W(q, t)` for all of them, so `p` has enough tokens as well. So both nets have the same runs, and the
//! markings of one are those of the other with `p` added or left out. In the markings that a marking of the reduced net stands for, `t` has what
//! it takes from the distributions of each `q`, so at least `W(q, t)` tokens are there, and invariant 2 holds.
//! Source: Berthelot's redundant places; rule RED of the paper. How we differ: the candidates for the weights are places with proportional
//! effects and the place invariants of a basis that have one positive or one negative weight.
//! Cost: that of the basis, which is cut off.

use std::collections::{BTreeMap, HashMap};

use fireset_net::Budget;
use fireset_structure::{SparseVector, gcd, semiflows::basis};

use super::{CountingReduction, SparseForm, Unreduced};

/// The entries that the search for a basis looks at.
const MOST_WORK: usize = 1 << 22;

/// A place with the weights of others.
type Candidate = (usize, BTreeMap<usize, i64>);

impl CountingReduction {
    /// Removes redundant places; tells whether there was one.
    pub(super) fn remove_redundant(&mut self, budget: &Budget) -> Result<bool, Unreduced> {
        let (effects, transitions) = (self.effects()?, self.transitions());
        let mut changed = false;
        for (place, weights) in self.proportional(&effects).into_iter().chain(self.by_basis(&effects)) {
            budget.go_on().map_err(|_| Unreduced)?;
            let there = |place: &usize| self.spread[*place] > 0;
            if !there(&place) || !weights.keys().all(there) || !is_combination(&effects, place, &weights) {
                continue;
            }
            if let Some(constant) = self.is_redundant(place, &weights, &transitions[place]) {
                self.remove(place, SparseForm { weights, constant }, &transitions[place])?;
                changed = true;
            }
        }
        Ok(changed)
    }

    /// By place, the transitions with an arc.
    fn transitions(&self) -> Vec<Vec<usize>> {
        let mut transitions = vec![Vec::new(); self.spread.len()];
        for (t, arcs) in self.arcs.iter().enumerate() {
            arcs.takes.keys().chain(arcs.gives.keys()).for_each(|&place| transitions[place].push(t));
        }
        transitions
    }

    /// By place, how much each transition changes its tokens.
    fn effects(&self) -> Result<Vec<SparseVector>, Unreduced> {
        let mut effects: Vec<SparseVector> = vec![Vec::new(); self.spread.len()];
        for (t, arcs) in self.arcs.iter().enumerate() {
            let mut changes: BTreeMap<usize, i128> = BTreeMap::new();
            arcs.gives.iter().for_each(|(&place, &n)| *changes.entry(place).or_default() += i128::from(n));
            arcs.takes.iter().for_each(|(&place, &n)| *changes.entry(place).or_default() -= i128::from(n));
            for (place, change) in changes.into_iter().filter(|(_, change)| *change != 0) {
                effects[place].push((t as u32, i64::try_from(change).map_err(|_| Unreduced)?));
            }
        }
        Ok(effects)
    }

    /// Constant places, and places with a multiple of the effects of another one.
    fn proportional(&self, effects: &[SparseVector]) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let mut alike: HashMap<SparseVector, Vec<(i64, usize)>> = HashMap::new();
        for place in self.places() {
            let divisor = effects[place].iter().fold(0, |d, e| gcd(d, e.1.unsigned_abs().into()));
            match i64::try_from(divisor) {
                Ok(0) => candidates.push((place, BTreeMap::new())),
                Ok(by) => {
                    let row: SparseVector = effects[place].iter().map(|&(t, n)| (t, n / by)).collect();
                    alike.entry(row).or_default().push((by, place));
                }
                Err(_) => {}
            }
        }
        let mut groups: Vec<Vec<(i64, usize)>> =
            alike.into_values().filter(|group| group.len() > 1).collect();
        groups.sort();
        for group in groups {
            for &(large, place) in &group {
                let others = group.iter().filter(|&&(small, other)| other != place && large % small == 0);
                candidates.extend(others.map(|&(small, q)| (place, BTreeMap::from([(q, large / small)]))));
            }
        }
        candidates
    }

    /// Places that a place invariant makes a sum of others.
    fn by_basis(&self, effects: &[SparseVector]) -> Vec<Candidate> {
        let places: Vec<usize> = self.places().collect();
        let rows: Vec<SparseVector> = places.iter().map(|&place| effects[place].clone()).collect();
        let mut candidates = Vec::new();
        for vector in basis(&rows, MOST_WORK).vectors {
            for sign in [1, -1] {
                let mut alone = vector.iter().filter(|e| e.1.signum() == sign);
                let (Some(&(at, divisor)), None) = (alone.next(), alone.next()) else { continue };
                let others = vector.iter().filter(|e| e.0 != at);
                if others.clone().all(|e| e.1 % divisor == 0) {
                    let weights = others.map(|&(q, n)| (places[q as usize], -(n / divisor))).collect();
                    candidates.push((places[at as usize], weights));
                }
            }
        }
        candidates
    }

    /// The constant of the equation, if the place never disables a transition.
    fn is_redundant(
        &self,
        place: usize,
        weights: &BTreeMap<usize, i64>,
        transitions: &[usize],
    ) -> Option<i128> {
        if self.spread[place] > 1 || self.inhibiting[place] || self.places().nth(1).is_none() {
            return None;
        }
        let sum = |count: &dyn Fn(usize) -> u64| {
            weights.iter().map(|(&q, &weight)| i128::from(weight) * i128::from(count(q))).sum::<i128>()
        };
        let constant = i128::from(self.tokens[place]) - sum(&|q| self.tokens[q]);
        let never_disables = transitions.iter().all(|&t| {
            let taken = |q: usize| self.arcs[t].takes.get(&q).copied().unwrap_or(0);
            taken(place) == 0 || i128::from(taken(place)) <= constant + sum(&taken)
        });
        never_disables.then_some(constant)
    }

    fn remove(&mut self, place: usize, form: SparseForm, transitions: &[usize]) -> Result<(), Unreduced> {
        (self.spread[place], self.tokens[place]) = (0, 0);
        for &t in transitions {
            self.arcs[t].takes.remove(&place);
            self.arcs[t].gives.remove(&place);
        }
        for other in self.redundant.iter_mut().chain([&mut self.total]) {
            other.substitute(place, &form)?;
        }
        self.redundant.push(form);
        Ok(())
    }
}

/// Whether every transition changes a place by the weighted sum of its changes of others.
fn is_combination(effects: &[SparseVector], place: usize, weights: &BTreeMap<usize, i64>) -> bool {
    let mut changes: HashMap<u32, i128> = effects[place].iter().map(|&(t, n)| (t, n.into())).collect();
    for (&q, &weight) in weights {
        for &(t, n) in &effects[q] {
            *changes.entry(t).or_default() -= i128::from(weight) * i128::from(n);
        }
    }
    debug_assert!(weights.values().all(|&weight| weight > 0), "candidates have positive weights");
    changes.values().all(|&change| change == 0)
}

impl SparseForm {
    /// Puts a sum in the place of a place.
    fn substitute(&mut self, place: usize, sum: &Self) -> Result<(), Unreduced> {
        let Some(factor) = self.weights.remove(&place) else { return Ok(()) };
        for (&q, &weight) in &sum.weights {
            let more = factor.checked_mul(weight).ok_or(Unreduced)?;
            let own = self.weights.entry(q).or_default();
            *own = own.checked_add(more).ok_or(Unreduced)?;
        }
        let more = i128::from(factor).checked_mul(sum.constant).ok_or(Unreduced)?;
        self.constant = self.constant.checked_add(more).ok_or(Unreduced)?;
        Ok(())
    }
}
