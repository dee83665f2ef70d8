//! Enabledness and firing on packed rows, a word at a time, through masks prepared for each transition.
//!
//! EnPAC's direct read/write (section III-B, Algorithms 1 and 2), carried further: where EnPAC reads one place
//! after another through its pattern, we compare all fields of a word at once.
//!
//! In a *counted* word `x >= y` holds in every field exactly when no field borrows in `x - y`; with the top bits
//! `h` of the fields set aside, `(x | h) - (y & !h)` cannot borrow across fields, and its top bits together with
//! those of `x` and `y` tell (Lamport, "Multiple byte processing with full-word instructions", 1975). In an
//! *exact* word a transition wants certain fields to hold certain codes, so one mask and one comparison do.
//!
//! Invariants: (1) `fire` is called on rows in which the transition is enabled; (2) what does not fit is
//! reported, and the next row is then meaningless.
//! Test: `tests/explicit.rs`, against the reference checker.

use fireset_net::{Net, PlaceId, Rows, TransitionId};

use super::layout::{Field, Layout, Slot, Sum};

/// How rows of one layout move.
pub(crate) trait Moves: Sync {
    /// Prepares all transitions of a net.
    fn new(net: &Net, layout: &Layout) -> Self;

    /// Whether a transition is enabled. `tokens` has room for the tokens of each place.
    fn enabled(&self, row: &[u64], transition: usize, tokens: &mut [u64]) -> bool;

    /// Writes the row after an enabled transition; `false` when it does not fit the layout.
    fn fire(&self, row: &[u64], transition: usize, next: &mut [u64], tokens: &mut [u64]) -> bool;
}

/// What a transition does with one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) place: PlaceId,
    pub(super) takes: u64,
    pub(super) gives: u64,
    /// The count at which an inhibitor arc blocks.
    pub(super) blocks_at: Option<u64>,
}

/// What a transition does with each of its places.
pub(super) fn plans(net: &Net, t: TransitionId) -> Vec<Plan> {
    let mut plans: Vec<Plan> = Vec::new();
    let mut at = |place: PlaceId| {
        plans.iter().position(|p| p.place == place).unwrap_or_else(|| {
            plans.push(Plan { place, takes: 0, gives: 0, blocks_at: None });
            plans.len() - 1
        })
    };
    let pre: Vec<_> = net.pre(t).iter().map(|a| (at(a.place), a.weight)).collect();
    let post: Vec<_> = net.post(t).iter().map(|a| (at(a.place), a.weight)).collect();
    let blocks: Vec<_> = net.inhibitors(t).iter().map(|a| (at(a.place), a.weight)).collect();
    pre.into_iter().for_each(|(i, weight)| plans[i].takes = weight);
    post.into_iter().for_each(|(i, weight)| plans[i].gives = weight);
    blocks.into_iter().for_each(|(i, weight)| plans[i].blocks_at = Some(weight));
    plans
}

/// Copies a row.
#[inline]
fn copy(row: &[u64], next: &mut [u64]) {
    match (row, &mut *next) {
        // The most frequent width, without a call.
        ([word], [to]) => *to = *word,
        _ => next.copy_from_slice(row),
    }
}

/// Whether `x >= y` in all fields whose top bits are `tops`.
#[inline]
fn all_at_least(x: u64, y: u64, tops: u64) -> bool {
    let low = (x | tops).wrapping_sub(y & !tops);
    ((x & !y) | (!(x ^ y) & low)) & tops == tops
}

/// What a transition asks of a word and does to it.
#[derive(Clone, Copy, Debug)]
struct Count {
    word: u32,
    tops: u64,
    /// At least this much in each field.
    need: u64,
    /// At most this much in each field, because of inhibitor arcs.
    cap: u64,
    /// At most this much, or the result does not fit.
    room: u64,
    /// Added to the word, which changes all fields at once.
    delta: u64,
}

/// The tokens of a place that follows from others have to be within bounds.
#[derive(Clone, Debug)]
struct SumTest {
    sum: Sum,
    /// Bounds of the dividend.
    least: i64,
    most: i64,
}

/// Moves in a layout of counts.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    words: Rows<Count>,
    sums: Rows<SumTest>,
}

impl Moves for Counted {
    fn new(net: &Net, layout: &Layout) -> Self {
        let tops: Vec<u64> = layout.fields_by_word().iter().map(|fields| fields.tops).collect();
        let all = || net.nodes().transition_ids().map(|t| plans(net, t));
        Self {
            words: all().map(|plans| counts(layout, &tops, &plans)).collect(),
            sums: all()
                .map(|plans| plans.iter().filter_map(|p| sum_test(layout, p)).collect::<Vec<_>>())
                .collect(),
        }
    }

    #[inline]
    fn enabled(&self, row: &[u64], transition: usize, _: &mut [u64]) -> bool {
        let words = self.words[transition].iter().all(|w| {
            let x = row[w.word as usize];
            all_at_least(x, w.need, w.tops) && (w.cap == u64::MAX || all_at_least(w.cap, x, w.tops))
        });
        words
            && self.sums[transition].iter().all(|test| {
                let dividend = test.sum.dividend(row);
                test.least <= dividend && dividend <= test.most
            })
    }

    #[inline]
    fn fire(&self, row: &[u64], transition: usize, next: &mut [u64], _: &mut [u64]) -> bool {
        copy(row, next);
        let mut fits = true;
        for w in &self.words[transition] {
            let x = &mut next[w.word as usize];
            fits &= w.room == u64::MAX || all_at_least(w.room, *x, w.tops);
            *x = x.wrapping_add(w.delta);
        }
        fits
    }
}

/// The words that a transition with these plans looks at or changes.
fn counts(layout: &Layout, tops: &[u64], plans: &[Plan]) -> Vec<Count> {
    let mut words: Vec<Count> = Vec::new();
    for plan in plans {
        let Slot::Count(field) = layout.slots[plan.place.index()] else { continue };
        let at = words.iter().position(|w| w.word == field.word).unwrap_or_else(|| {
            let tops = tops[field.word as usize];
            words.push(Count { word: field.word, tops, need: 0, cap: u64::MAX, room: u64::MAX, delta: 0 });
            words.len() - 1
        });
        let (word, most) = (&mut words[at], field.most());
        let put = |number: u64| number << field.shift;
        if plan.takes > most || plan.blocks_at == Some(0) {
            // Never enabled: at least one and at most none.
            word.need |= put(1);
            word.cap &= !field.mask();
            continue;
        }
        word.need |= put(plan.takes);
        if let Some(limit) = plan.blocks_at.filter(|&limit| limit <= most) {
            word.cap &= !field.mask() | put(limit - 1);
        }
        let gain = plan.gives.saturating_sub(plan.takes);
        if gain > 0 && !layout.proven[plan.place.index()] {
            let room = most.checked_sub(gain).expect("a field without a proven bound can hold every weight");
            word.room &= !field.mask() | put(room);
        }
        word.delta = word.delta.wrapping_add(put(plan.gives.wrapping_sub(plan.takes)));
    }
    words
}

/// What a transition asks of a place that follows from others.
fn sum_test(layout: &Layout, plan: &Plan) -> Option<SumTest> {
    /// Above every count of such a place, and far from overflow when multiplied by a factor.
    const MUCH: u64 = 1 << 40;
    let Slot::Sum(sum) = &layout.slots[plan.place.index()] else { return None };
    if plan.takes == 0 && plan.blocks_at.is_none() {
        return None;
    }
    let least = plan.takes.min(MUCH) as i64;
    let most = plan.blocks_at.map_or(MUCH, |limit| limit.min(MUCH)) as i64 - 1;
    let (a, b) = (least * sum.divisor, most * sum.divisor);
    let (least, most) = if sum.divisor > 0 { (a, b) } else { (b, a) };
    Some(SumTest { sum: sum.clone(), least, most })
}

/// What a transition asks of a word of codes and does to it.
#[derive(Clone, Copy, Debug, Default)]
struct Code {
    word: u32,
    /// These bits have to be ...
    mask: u64,
    /// ... like this.
    want: u64,
    /// These bits have to be zero, or the result does not fit.
    vacant: u64,
    /// These bits change.
    flip: u64,
}

/// Moves in a layout of codes.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    words: Rows<Code>,
    /// Codes that a field must not hold.
    avoid: Rows<(Field, u64)>,
    /// The transitions that are never enabled, and those whose result never fits.
    never: Vec<bool>,
    misfit: Vec<bool>,
}

/// What a transition does with one field of codes.
#[derive(Debug, Default)]
struct CodePlan {
    takes: Option<u64>,
    gives: Option<u64>,
    avoid: Vec<u64>,
    never: bool,
    misfit: bool,
}

impl CodePlan {
    fn add(&mut self, code: u64, plan: &Plan) {
        if plan.takes > 0 {
            self.never |= plan.takes > 1 || self.takes.replace(code).is_some();
        }
        if plan.gives > 0 {
            self.misfit |= plan.gives > 1 || self.gives.replace(code).is_some();
        }
        match plan.blocks_at {
            Some(0) => self.never = true,
            Some(1) => self.avoid.push(code),
            _ => {}
        }
    }
}

impl Moves for Exact {
    fn new(net: &Net, layout: &Layout) -> Self {
        let (mut words, mut avoid) = (Rows::new(), Rows::new());
        let (mut never, mut misfit) = (Vec::new(), Vec::new());
        for t in net.nodes().transition_ids() {
            let mut fields: Vec<(Field, CodePlan)> = Vec::new();
            for plan in plans(net, t) {
                let Slot::Code(field, code) = layout.slots[plan.place.index()] else {
                    panic!("an exact layout has codes only")
                };
                let at = fields.iter().position(|(f, _)| *f == field).unwrap_or_else(|| {
                    fields.push((field, CodePlan::default()));
                    fields.len() - 1
                });
                fields[at].1.add(code, &plan);
            }
            never.push(fields.iter().any(|(_, p)| p.never || p.takes.is_some_and(|c| p.avoid.contains(&c))));
            misfit.push(fields.iter().any(|(_, p)| p.misfit));
            let tests = fields.iter().filter(|(_, p)| p.takes.is_none());
            avoid.push(tests.flat_map(|(f, p)| p.avoid.iter().map(|&code| (*f, code))).collect::<Vec<_>>());
            words.push(codes(&fields));
        }
        Self { words, avoid, never, misfit }
    }

    #[inline]
    fn enabled(&self, row: &[u64], transition: usize, _: &mut [u64]) -> bool {
        self.words[transition].iter().all(|w| row[w.word as usize] & w.mask == w.want)
            && !self.never[transition]
            && self.avoid[transition].iter().all(|(field, code)| field.read(row) != *code)
    }

    #[inline]
    fn fire(&self, row: &[u64], transition: usize, next: &mut [u64], _: &mut [u64]) -> bool {
        copy(row, next);
        let mut fits = !self.misfit[transition];
        for w in &self.words[transition] {
            let x = &mut next[w.word as usize];
            fits &= *x & w.vacant == 0;
            *x ^= w.flip;
        }
        fits
    }
}

/// The words that a transition with these fields looks at or changes.
fn codes(fields: &[(Field, CodePlan)]) -> Vec<Code> {
    let mut words: Vec<Code> = Vec::new();
    for (field, plan) in fields {
        let at = words.iter().position(|w| w.word == field.word).unwrap_or_else(|| {
            words.push(Code { word: field.word, ..Code::default() });
            words.len() - 1
        });
        let word = &mut words[at];
        if let Some(code) = plan.takes {
            word.mask |= field.mask();
            word.want |= code << field.shift;
        } else if plan.gives.is_some() {
            word.vacant |= field.mask();
        }
        word.flip |= (plan.takes.unwrap_or(0) ^ plan.gives.unwrap_or(0)) << field.shift;
    }
    words
}

/// Moves by decoding a row, firing on the net, and encoding the result: the way that the others are measured
/// against.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    layout: Layout,
    plans: Rows<Plan>,
}

impl Moves for Decoded {
    fn new(net: &Net, layout: &Layout) -> Self {
        let plans = net.nodes().transition_ids().map(|t| plans(net, t)).collect();
        Self { layout: layout.clone(), plans }
    }

    fn enabled(&self, row: &[u64], transition: usize, tokens: &mut [u64]) -> bool {
        self.layout.decode(row, tokens);
        self.plans[transition].iter().all(|plan| {
            let has = tokens[plan.place.index()];
            has >= plan.takes && plan.blocks_at.is_none_or(|limit| has < limit)
        })
    }

    fn fire(&self, row: &[u64], transition: usize, next: &mut [u64], tokens: &mut [u64]) -> bool {
        self.layout.decode(row, tokens);
        for plan in &self.plans[transition] {
            let own = &mut tokens[plan.place.index()];
            match (*own - plan.takes).checked_add(plan.gives) {
                Some(count) => *own = count,
                None => return false,
            }
        }
        self.layout.encode(tokens, next).is_ok()
    }
}
