//! Intervals of token counts, and what inequalities and disjunctions of them leave of them.
//!
//! A small solver for the check of inductive formulas: it tries to show that what is assumed has no solution in whole
//! numbers that are not negative. Inequalities narrow the intervals of their places; of a disjunction whose other
//! alternatives are false the last one is assumed; where nothing follows any more, the alternatives of a disjunction, or the
//! halves of an interval, are tried one by one. All steps keep every solution, so a contradiction is one, and stopping
//! early only shows less.
//!
//! Numbers: an inequality whose numbers do not fit into 128 bits is not used. Cost: each step is paid for in looked-at terms
//! and ends with [`Intervals::work`]; assumptions are found by the places whose intervals change.
//! Test: below, against all points of small boxes.

use std::{collections::VecDeque, rc::Rc};

use crate::Linear;

/// Choices inside each other.
const MAX_DEPTH: usize = 100;

/// How often one claim is looked at before something is tried out: intervals can get narrower for ever.
const MAX_LOOKS: u32 = 20;

/// The number of a claim.
pub(super) type ClaimId = u32;

/// Something about token counts.
#[derive(Clone)]
pub(super) enum IntervalClaim {
    /// The form is at least 0.
    AtLeast(Rc<Linear>),
    All(Rc<[ClaimId]>),
    /// At least one of these claims holds.
    Any(Rc<[ClaimId]>),
}

/// What is known of the token counts of places.
pub(super) struct Intervals {
    claims: Vec<IntervalClaim>,
    least: Vec<i128>,
    most: Vec<Option<i128>>,
    /// The claims that are assumed and speak of a place.
    watching: Vec<Vec<ClaimId>>,
    is_assumed: Vec<bool>,
    queue: VecDeque<ClaimId>,
    is_queued: Vec<bool>,
    /// How often each claim was looked at while conclusions are drawn.
    looks: Vec<u32>,
    /// The claims that were looked at since [`Intervals::begin`]: those near to what was assumed after it.
    near: Vec<ClaimId>,
    is_near: Vec<bool>,
    trail: Vec<Undo>,
    is_contradictory: bool,
    /// Terms that may still be looked at.
    pub(super) work: usize,
}

enum Undo {
    Interval(u32, i128, Option<i128>),
    Assumed(ClaimId),
    Watched(u32),
}

/// A moment to come back to.
pub(super) struct TrailMark {
    trail: usize,
    near: usize,
    claims: usize,
}

impl Intervals {
    /// Intervals of this number of places, which hold at least 0 tokens.
    pub(super) fn new(places: usize) -> Self {
        Self {
            claims: Vec::new(),
            least: vec![0; places],
            most: vec![None; places],
            watching: vec![Vec::new(); places],
            is_assumed: Vec::new(),
            queue: VecDeque::new(),
            is_queued: Vec::new(),
            looks: Vec::new(),
            near: Vec::new(),
            is_near: Vec::new(),
            trail: Vec::new(),
            is_contradictory: false,
            work: 0,
        }
    }

    /// A claim, which is not assumed yet.
    pub(super) fn add(&mut self, claim: IntervalClaim) -> ClaimId {
        self.claims.push(claim);
        self.is_assumed.push(false);
        self.is_queued.push(false);
        self.looks.push(0);
        self.is_near.push(false);
        (self.claims.len() - 1) as ClaimId
    }

    /// The claim of a number.
    pub(super) fn claim(&self, id: ClaimId) -> IntervalClaim {
        self.claims[id as usize].clone()
    }

    /// How many claims there are.
    pub(super) fn len(&self) -> usize {
        self.claims.len()
    }

    /// Calls `visit` with the forms in a claim.
    pub(super) fn forms(&self, id: ClaimId, visit: &mut impl FnMut(&Linear)) {
        match &self.claims[id as usize] {
            IntervalClaim::AtLeast(form) => visit(form),
            IntervalClaim::All(parts) | IntervalClaim::Any(parts) => {
                parts.iter().for_each(|&part| self.forms(part, visit))
            }
        }
    }

    /// What is assumed so far stays for good, and what comes next is looked at for itself.
    pub(super) fn begin(&mut self) {
        self.settle();
        self.near.drain(..).for_each(|id| self.is_near[id as usize] = false);
    }

    /// The present length of the trail, to go back to.
    pub(super) fn mark(&self) -> TrailMark {
        TrailMark { trail: self.trail.len(), near: self.near.len(), claims: self.claims.len() }
    }

    /// Takes back what was assumed since then, and the claims that were made.
    pub(super) fn back_to(&mut self, mark: &TrailMark) {
        self.undo(mark);
        for flags in [&mut self.is_assumed, &mut self.is_queued, &mut self.is_near] {
            flags.truncate(mark.claims);
        }
        self.looks.truncate(mark.claims);
        self.claims.truncate(mark.claims);
    }

    /// Takes back what was assumed since then.
    fn undo(&mut self, mark: &TrailMark) {
        self.queue.drain(..).for_each(|id| self.is_queued[id as usize] = false);
        self.near.drain(mark.near..).for_each(|id| self.is_near[id as usize] = false);
        self.is_contradictory = false;
        for undo in self.trail.drain(mark.trail..).rev() {
            match undo {
                Undo::Interval(place, least, most) => {
                    self.least[place as usize] = least;
                    self.most[place as usize] = most;
                }
                Undo::Assumed(id) => self.is_assumed[id as usize] = false,
                Undo::Watched(place) => {
                    self.watching[place as usize].pop();
                }
            }
        }
    }

    /// Narrows the intervals to the markings that meet a claim.
    pub(super) fn assume(&mut self, id: ClaimId) {
        if self.is_assumed[id as usize] {
            return;
        }
        self.is_assumed[id as usize] = true;
        self.trail.push(Undo::Assumed(id));
        match self.claim(id) {
            IntervalClaim::All(parts) => parts.iter().for_each(|&part| self.assume(part)),
            IntervalClaim::AtLeast(form) if form.terms.len() <= 1 => self.narrow(&form),
            _ => {
                let mut places = Vec::new();
                self.forms(id, &mut |form| places.extend(form.terms.iter().map(|term| term.0)));
                places.sort_unstable();
                places.dedup();
                for place in places {
                    self.watching[place as usize].push(id);
                    self.trail.push(Undo::Watched(place));
                }
                self.enqueue(id);
            }
        }
    }

    /// Draws conclusions; whether there is a contradiction.
    pub(super) fn settle(&mut self) -> bool {
        let mut looked_at = Vec::new();
        while !self.is_contradictory && self.work > 0 {
            let Some(id) = self.queue.pop_front() else { break };
            self.is_queued[id as usize] = false;
            if !std::mem::replace(&mut self.is_near[id as usize], true) {
                self.near.push(id);
            }
            let looks = &mut self.looks[id as usize];
            *looks += 1;
            match *looks {
                1 => looked_at.push(id),
                2..MAX_LOOKS => {}
                _ => continue,
            }
            match self.claim(id) {
                IntervalClaim::AtLeast(form) => self.narrow(&form),
                IntervalClaim::Any(parts) => self.last_of(&parts),
                IntervalClaim::All(_) => {}
            }
        }
        looked_at.into_iter().for_each(|id| self.looks[id as usize] = 0);
        self.is_contradictory
    }

    /// Whether what is assumed is contradictory, as far as this can be shown with the work that is left.
    pub(super) fn is_refuted(&mut self, depth: usize) -> bool {
        loop {
            if self.settle() {
                return true;
            }
            if self.work == 0 || depth >= MAX_DEPTH {
                return false;
            }
            if let Some(parts) = self.smallest_disjunction() {
                return parts.iter().all(|&part| self.try_out(depth, |all| all.assume(part)));
            }
            if let Some((place, least, most)) = self.smallest_interval() {
                let middle = least + (most - least) / 2;
                return self.try_out(depth, |all| all.set(place, least, Some(middle)))
                    && self.try_out(depth, |all| all.set(place, middle + 1, Some(most)));
            }
            if !self.look_around() {
                return false;
            }
        }
    }

    /// Puts into the queue what speaks of the same places as the claims near by; whether there is any.
    fn look_around(&mut self) -> bool {
        let mut places = Vec::new();
        for &id in &self.near {
            self.forms(id, &mut |form| places.extend(form.terms.iter().map(|term| term.0)));
        }
        places.sort_unstable();
        places.dedup();
        self.spend(places.len());
        for place in places {
            for at in 0..self.watching[place as usize].len() {
                let id = self.watching[place as usize][at];
                if !self.is_near[id as usize] {
                    self.enqueue(id);
                }
            }
        }
        !self.queue.is_empty()
    }

    /// Whether one more assumption makes a contradiction.
    fn try_out(&mut self, depth: usize, assume: impl FnOnce(&mut Self)) -> bool {
        let mark = self.mark();
        assume(self);
        let refuted = self.is_refuted(depth + 1);
        self.undo(&mark);
        refuted
    }

    /// The alternatives that are left of a disjunction near by that has the fewest.
    fn smallest_disjunction(&mut self) -> Option<Vec<ClaimId>> {
        let mut best: Option<Vec<ClaimId>> = None;
        for at in 0..self.near.len() {
            let id = self.near[at];
            let IntervalClaim::Any(parts) = self.claim(id) else { continue };
            if !self.is_assumed[id as usize] {
                continue;
            }
            let mut open = Vec::new();
            let mut is_true = false;
            for &part in parts.iter() {
                match self.value(part) {
                    Some(true) => is_true = true,
                    Some(false) => {}
                    None => open.push(part),
                }
            }
            if !is_true && best.as_ref().is_none_or(|best| open.len() < best.len()) {
                best = Some(open);
            }
        }
        best
    }

    /// The smallest finite interval of more than one number in an inequality near by that is not yet true.
    fn smallest_interval(&mut self) -> Option<(u32, i128, i128)> {
        let mut best: Option<(i128, u32)> = None;
        for at in 0..self.near.len() {
            let id = self.near[at];
            let IntervalClaim::AtLeast(form) = self.claim(id) else { continue };
            let is_true = self.extreme(&form, false).is_some_and(|lowest| lowest >= 0);
            if !self.is_assumed[id as usize] || is_true {
                continue;
            }
            self.spend(form.terms.len());
            for &(place, _) in &form.terms {
                let (least, most) = (self.least[place as usize], self.most[place as usize]);
                let width = most.and_then(|most| most.checked_sub(least)).filter(|&width| width > 0);
                best = best.into_iter().chain(width.map(|width| (width, place))).min();
            }
        }
        best.map(|(width, place)| {
            let least = self.least[place as usize];
            (place, least, least + width)
        })
    }

    /// What a disjunction leaves.
    fn last_of(&mut self, parts: &[ClaimId]) {
        let mut last = None;
        for &part in parts {
            match self.value(part) {
                Some(true) => return,
                Some(false) => {}
                None if last.is_some() => return,
                None => last = Some(part),
            }
        }
        match last {
            Some(part) => self.assume(part),
            None => self.is_contradictory = true,
        }
    }

    /// The value of a claim, if it is the same in all points that are left.
    fn value(&mut self, id: ClaimId) -> Option<bool> {
        if self.is_assumed[id as usize] {
            return Some(true);
        }
        match self.claim(id) {
            IntervalClaim::AtLeast(form) => {
                self.spend(form.terms.len());
                if self.extreme(&form, false).is_some_and(|lowest| lowest >= 0) {
                    return Some(true);
                }
                self.extreme(&form, true).is_some_and(|highest| highest < 0).then_some(false)
            }
            IntervalClaim::All(parts) => self.joined(&parts, false),
            IntervalClaim::Any(parts) => self.joined(&parts, true),
        }
    }

    /// The value of a disjunction (`absorbing` is true) or conjunction (`absorbing` is false).
    fn joined(&mut self, parts: &[ClaimId], absorbing: bool) -> Option<bool> {
        let mut is_open = false;
        for &part in parts {
            match self.value(part) {
                Some(value) if value == absorbing => return Some(absorbing),
                Some(_) => {}
                None => is_open = true,
            }
        }
        (!is_open).then_some(!absorbing)
    }

    /// The highest or lowest value of a form, if there is one and it fits.
    fn extreme(&self, form: &Linear, highest: bool) -> Option<i128> {
        form.terms.iter().try_fold(form.constant, |sum, &(place, factor)| {
            sum.checked_add(self.extreme_term(place, factor, highest)?)
        })
    }

    fn extreme_term(&self, place: u32, factor: i128, highest: bool) -> Option<i128> {
        let at_most = (factor > 0) == highest;
        let count = if at_most { self.most[place as usize]? } else { self.least[place as usize] };
        factor.checked_mul(count)
    }

    /// What it leaves of the intervals that a form is at least 0.
    fn narrow(&mut self, form: &Linear) {
        self.spend(form.terms.len());
        // The highest value of the others, while one term may be as high as it likes.
        let (mut rest, mut free) = (form.constant, None);
        for &(place, factor) in &form.terms {
            match self.extreme_term(place, factor, true).map(|highest| rest.checked_add(highest)) {
                Some(Some(sum)) => rest = sum,
                None if free.is_none() => free = Some((place, factor)),
                _ => return,
            }
        }
        if let Some((place, factor)) = free {
            if let Some(needed) = rest.checked_neg().filter(|_| factor > 0) {
                let needed = needed.div_euclid(factor) + i128::from(needed.rem_euclid(factor) != 0);
                self.set(place, needed, None);
            }
            return;
        }
        if rest < 0 {
            self.is_contradictory = true;
            return;
        }
        for &(place, factor) in &form.terms {
            let room = rest / factor.checked_abs().unwrap_or(i128::MAX);
            let (least, most) = (self.least[place as usize], self.most[place as usize]);
            if factor > 0 {
                if let Some(least) = most.and_then(|most| most.checked_sub(room)) {
                    self.set(place, least, None);
                }
            } else if let Some(most) = least.checked_add(room) {
                self.set(place, 0, Some(most));
            }
        }
    }

    /// Narrows the interval of a place to these bounds, where they are narrower.
    fn set(&mut self, place: u32, least: i128, most: Option<i128>) {
        let at = place as usize;
        let (old_least, old_most) = (self.least[at], self.most[at]);
        let least = least.max(old_least);
        let most = [most, old_most].into_iter().flatten().min();
        if (least, most) == (old_least, old_most) {
            return;
        }
        self.trail.push(Undo::Interval(place, old_least, old_most));
        self.least[at] = least;
        self.most[at] = most;
        self.is_contradictory |= most.is_some_and(|most| most < least);
        for next in 0..self.watching[at].len() {
            self.enqueue(self.watching[at][next]);
        }
    }

    fn enqueue(&mut self, id: ClaimId) {
        if !std::mem::replace(&mut self.is_queued[id as usize], true) {
            self.queue.push_back(id);
        }
    }

    fn spend(&mut self, terms: usize) {
        self.work = self.work.saturating_sub(1 + terms);
    }
}

#[cfg(test)]
mod tests {
    use fireset_oracle::random::TestRng;

    use super::*;

    /// The value of a claim in a point.
    fn holds(intervals: &Intervals, id: ClaimId, point: &[i128]) -> bool {
        match intervals.claim(id) {
            IntervalClaim::AtLeast(form) => {
                let sum: i128 = form.terms.iter().map(|&(place, f)| f * point[place as usize]).sum();
                form.constant + sum >= 0
            }
            IntervalClaim::All(parts) => parts.iter().all(|&part| holds(intervals, part, point)),
            IntervalClaim::Any(parts) => parts.iter().any(|&part| holds(intervals, part, point)),
        }
    }

    fn random_claim(random: &mut TestRng, intervals: &mut Intervals, depth: usize) -> ClaimId {
        let claim = match random.below(if depth == 0 { 1 } else { 3 }) {
            0 => {
                let terms = (0..random.within(1, 3)).map(|_| {
                    let factor = random.below(7) as i128 - 3;
                    (random.below(3) as u32, factor)
                });
                let terms = terms.collect();
                let form = Linear::of(terms, random.below(9) as i128 - 5).expect("small numbers");
                IntervalClaim::AtLeast(Rc::new(form))
            }
            kind => {
                let count = random.within(1, 3);
                let parts = (0..count).map(|_| random_claim(random, intervals, depth - 1)).collect();
                if kind == 1 { IntervalClaim::All(parts) } else { IntervalClaim::Any(parts) }
            }
        };
        intervals.add(claim)
    }

    #[test]
    fn contradictions_have_no_point_and_work_is_taken_back() {
        let bound = |place, most| Linear { terms: vec![(place, -1)], constant: most };
        let (mut refuted, mut missed) = (0, 0);
        for seed in 0..20_000 {
            let mut random = TestRng::new(seed);
            let mut intervals = Intervals::new(3);
            let is_bounded = seed % 4 != 0;
            for place in (0..3).filter(|_| is_bounded) {
                let id = intervals.add(IntervalClaim::AtLeast(Rc::new(bound(place, 4))));
                intervals.assume(id);
            }
            let claims: Vec<ClaimId> =
                (0..random.within(1, 5)).map(|_| random_claim(&mut random, &mut intervals, 2)).collect();
            let solutions = (0..5 * 5 * 5).filter(|point| {
                let point = [point % 5, point / 5 % 5, point / 25];
                claims.iter().all(|&id| holds(&intervals, id, &point))
            });
            let has_solution = solutions.count() > 0;
            let mark = intervals.mark();
            for round in 0..2 {
                intervals.work = 10_000;
                claims.iter().for_each(|&id| intervals.assume(id));
                let is_refuted = intervals.is_refuted(0);
                assert!(!(is_refuted && has_solution), "seed {seed}");
                refuted += usize::from(is_refuted);
                missed += usize::from(is_bounded && !is_refuted && !has_solution);
                intervals.back_to(&mark);
                let trail = if is_bounded { 6 } else { 0 };
                assert_eq!(intervals.trail.len(), trail, "seed {seed}, round {round}");
                assert!(intervals.watching.iter().all(Vec::is_empty), "seed {seed}");
            }
        }
        assert!(refuted > 3_000, "{refuted}");
        assert_eq!(missed, 0, "finite intervals leave nothing open");
    }
}
