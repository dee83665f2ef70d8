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

use super::layout::{Field, ImpliedCount, Layout, Slot};

/// Enabledness and firing on the rows of a layout.
pub(crate) trait FiringRule: Sync {
    fn new(net: &Net, layout: &Layout) -> Self;

    /// Whether a transition is enabled. `tokens` is a buffer with an entry for each place.
    fn enabled(&self, row: &[u64], transition: usize, tokens: &mut [u64]) -> bool;

    /// Writes the row after an enabled transition; `false` when it does not fit the layout.
    fn fire(&self, row: &[u64], transition: usize, next: &mut [u64], tokens: &mut [u64]) -> bool;
}

/// The conditions and the effect of a transition on one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlaceEffect {
    pub(super) place: PlaceId,
    pub(super) takes: u64,
    pub(super) gives: u64,
    /// The count at which an inhibitor arc blocks.
    pub(super) blocks_at: Option<u64>,
}

pub(super) fn effects(net: &Net, t: TransitionId) -> Vec<PlaceEffect> {
    let mut effects: Vec<PlaceEffect> = Vec::new();
    let mut at = |place: PlaceId| {
        effects.iter().position(|p| p.place == place).unwrap_or_else(|| {
            effects.push(PlaceEffect { place, takes: 0, gives: 0, blocks_at: None });
            effects.len() - 1
        })
    };
    let pre: Vec<_> = net.pre(t).iter().map(|a| (at(a.place), a.weight)).collect();
    let post: Vec<_> = net.post(t).iter().map(|a| (at(a.place), a.weight)).collect();
    let blocks: Vec<_> = net.inhibitors(t).iter().map(|a| (at(a.place), a.weight)).collect();
    pre.into_iter().for_each(|(i, weight)| effects[i].takes = weight);
    post.into_iter().for_each(|(i, weight)| effects[i].gives = weight);
    blocks.into_iter().for_each(|(i, weight)| effects[i].blocks_at = Some(weight));
    effects
}

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

/// The conditions and the effect of a transition on a word of counts.
#[derive(Clone, Copy, Debug)]
struct CountedWord {
    word: u32,
    tops: u64,
    /// The least count of each field.
    need: u64,
    /// The largest count of each field that inhibitor arcs allow.
    cap: u64,
    /// The largest count of each field whose result fits.
    room: u64,
    /// Added to the word, which changes all fields at once.
    delta: u64,
}

/// Bounds for the tokens of a place that follows from others.
#[derive(Clone, Debug)]
struct SumTest {
    sum: ImpliedCount,
    /// Bounds of the dividend.
    least: i64,
    most: i64,
}

/// The firing rule in a layout of counts.
#[derive(Clone, Debug)]
pub(crate) struct CountedFiring {
    words: Rows<CountedWord>,
    sums: Rows<SumTest>,
}

impl FiringRule for CountedFiring {
    fn new(net: &Net, layout: &Layout) -> Self {
        let tops: Vec<u64> = layout.fields_by_word().iter().map(|fields| fields.tops).collect();
        let all = || net.nodes().transition_ids().map(|t| effects(net, t));
        Self {
            words: all().map(|effects| counts(layout, &tops, &effects)).collect(),
            sums: all()
                .map(|effects| effects.iter().filter_map(|p| sum_test(layout, p)).collect::<Vec<_>>())
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

/// The words that a transition with these effects reads or changes.
fn counts(layout: &Layout, tops: &[u64], effects: &[PlaceEffect]) -> Vec<CountedWord> {
    let mut words: Vec<CountedWord> = Vec::new();
    for effect in effects {
        let Slot::Count(field) = layout.slots[effect.place.index()] else { continue };
        let at = words.iter().position(|w| w.word == field.word).unwrap_or_else(|| {
            let tops = tops[field.word as usize];
            words.push(CountedWord {
                word: field.word,
                tops,
                need: 0,
                cap: u64::MAX,
                room: u64::MAX,
                delta: 0,
            });
            words.len() - 1
        });
        let (word, most) = (&mut words[at], field.most());
        let put = |number: u64| number << field.shift;
        if effect.takes > most || effect.blocks_at == Some(0) {
            // Never enabled: at least one and at most none.
            word.need |= put(1);
            word.cap &= !field.mask();
            continue;
        }
        word.need |= put(effect.takes);
        if let Some(limit) = effect.blocks_at.filter(|&limit| limit <= most) {
            word.cap &= !field.mask() | put(limit - 1);
        }
        let gain = effect.gives.saturating_sub(effect.takes);
        if gain > 0 && !layout.proven[effect.place.index()] {
            let room = most.checked_sub(gain).expect("a field without a proven bound can hold every weight");
            word.room &= !field.mask() | put(room);
        }
        word.delta = word.delta.wrapping_add(put(effect.gives.wrapping_sub(effect.takes)));
    }
    words
}

/// The bounds that a transition needs of a place that follows from others.
fn sum_test(layout: &Layout, effect: &PlaceEffect) -> Option<SumTest> {
    /// Above every count of such a place, and far from overflow when multiplied by a factor.
    const MUCH: u64 = 1 << 40;
    let Slot::Sum(sum) = &layout.slots[effect.place.index()] else { return None };
    if effect.takes == 0 && effect.blocks_at.is_none() {
        return None;
    }
    let least = effect.takes.min(MUCH) as i64;
    let most = effect.blocks_at.map_or(MUCH, |limit| limit.min(MUCH)) as i64 - 1;
    let (a, b) = (least * sum.divisor, most * sum.divisor);
    let (least, most) = if sum.divisor > 0 { (a, b) } else { (b, a) };
    Some(SumTest { sum: sum.clone(), least, most })
}

/// The conditions and the effect of a transition on a word of codes.
#[derive(Clone, Copy, Debug, Default)]
struct CodedWord {
    word: u32,
    /// The bits that are compared, and the values that they need.
    mask: u64,
    want: u64,
    /// The bits that have to be zero so that the result fits.
    vacant: u64,
    /// The bits that change.
    flip: u64,
}

/// The firing rule in a layout of codes.
#[derive(Clone, Debug)]
pub(crate) struct ExactFiring {
    words: Rows<CodedWord>,
    /// Codes that a field must not hold.
    avoid: Rows<(Field, u64)>,
    /// The transitions that are never enabled, and those whose result never fits.
    never: Vec<bool>,
    overflows: Vec<bool>,
}

/// The conditions and the effect of a transition on one field of codes.
#[derive(Debug, Default)]
struct FieldEffect {
    takes: Option<u64>,
    gives: Option<u64>,
    avoid: Vec<u64>,
    never: bool,
    overflows: bool,
}

impl FieldEffect {
    fn add(&mut self, code: u64, effect: &PlaceEffect) {
        if effect.takes > 0 {
            self.never |= effect.takes > 1 || self.takes.replace(code).is_some();
        }
        if effect.gives > 0 {
            self.overflows |= effect.gives > 1 || self.gives.replace(code).is_some();
        }
        match effect.blocks_at {
            Some(0) => self.never = true,
            Some(1) => self.avoid.push(code),
            _ => {}
        }
    }
}

impl FiringRule for ExactFiring {
    fn new(net: &Net, layout: &Layout) -> Self {
        let (mut words, mut avoid) = (Rows::new(), Rows::new());
        let (mut never, mut overflows) = (Vec::new(), Vec::new());
        for t in net.nodes().transition_ids() {
            let mut fields: Vec<(Field, FieldEffect)> = Vec::new();
            for effect in effects(net, t) {
                let Slot::Code(field, code) = layout.slots[effect.place.index()] else {
                    panic!("an exact layout has codes only")
                };
                let at = fields.iter().position(|(f, _)| *f == field).unwrap_or_else(|| {
                    fields.push((field, FieldEffect::default()));
                    fields.len() - 1
                });
                fields[at].1.add(code, &effect);
            }
            never.push(fields.iter().any(|(_, p)| p.never || p.takes.is_some_and(|c| p.avoid.contains(&c))));
            overflows.push(fields.iter().any(|(_, p)| p.overflows));
            let tests = fields.iter().filter(|(_, p)| p.takes.is_none());
            avoid.push(tests.flat_map(|(f, p)| p.avoid.iter().map(|&code| (*f, code))).collect::<Vec<_>>());
            words.push(codes(&fields));
        }
        Self { words, avoid, never, overflows }
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
        let mut fits = !self.overflows[transition];
        for w in &self.words[transition] {
            let x = &mut next[w.word as usize];
            fits &= *x & w.vacant == 0;
            *x ^= w.flip;
        }
        fits
    }
}

/// The words that a transition with these fields reads or changes.
fn codes(fields: &[(Field, FieldEffect)]) -> Vec<CodedWord> {
    let mut words: Vec<CodedWord> = Vec::new();
    for (field, effect) in fields {
        let at = words.iter().position(|w| w.word == field.word).unwrap_or_else(|| {
            words.push(CodedWord { word: field.word, ..CodedWord::default() });
            words.len() - 1
        });
        let word = &mut words[at];
        if let Some(code) = effect.takes {
            word.mask |= field.mask();
            word.want |= code << field.shift;
        } else if effect.gives.is_some() {
            word.vacant |= field.mask();
        }
        word.flip |= (effect.takes.unwrap_or(0) ^ effect.gives.unwrap_or(0)) << field.shift;
    }
    words
}

/// The firing rule by decoding a row, firing, and encoding the result: the baseline of measurements.
#[derive(Clone, Debug)]
pub(crate) struct DecodedFiring {
    layout: Layout,
    effects: Rows<PlaceEffect>,
}

impl FiringRule for DecodedFiring {
    fn new(net: &Net, layout: &Layout) -> Self {
        let effects = net.nodes().transition_ids().map(|t| effects(net, t)).collect();
        Self { layout: layout.clone(), effects }
    }

    fn enabled(&self, row: &[u64], transition: usize, tokens: &mut [u64]) -> bool {
        self.layout.decode(row, tokens);
        self.effects[transition].iter().all(|effect| {
            let has = tokens[effect.place.index()];
            has >= effect.takes && effect.blocks_at.is_none_or(|limit| has < limit)
        })
    }

    fn fire(&self, row: &[u64], transition: usize, next: &mut [u64], tokens: &mut [u64]) -> bool {
        self.layout.decode(row, tokens);
        for effect in &self.effects[transition] {
            let own = &mut tokens[effect.place.index()];
            match (*own - effect.takes).checked_add(effect.gives) {
                Some(count) => *own = count,
                None => return false,
            }
        }
        self.layout.encode(tokens, next).is_ok()
    }
}
