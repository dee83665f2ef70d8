//! The dynamic fireset: the enabled transitions of a row, one at a time and in a total order.
//!
//! EnPAC (section III-A) remembers of a state only the transition fired last and computes the next one on demand.
//! We take the candidates from the marked places: each transition with an input place that has a field is indexed
//! under one of them, the one with the fewest transitions, and is tested only when that place is marked. So a net with
//! many transitions is not scanned for each state.
//!
//! Order: first the transitions without such a place, then by the fields of the row. Invariant: an enabled
//! transition is under a marked place or under none. Cost of a row: its words, plus the transitions under its
//! marked places. Test: `tests/explicit.rs`, by the firings of whole state spaces.

use std::ops::ControlFlow;

use fireset_net::{Net, TransitionId};

use super::layout::{Field, Layout, Slot, WordFields};
use crate::search::ActionCursor;

/// The transitions, indexed by places.
#[derive(Clone, Debug)]
pub(crate) struct Fireset {
    /// Transitions in the total order.
    order: Vec<u32>,
    /// The number of transitions under no place, which come first.
    always: u32,
    /// The fields of each word; top bits are kept only for fields with transitions under them.
    words: Vec<WordFields>,
    /// For each bit of a row the field that has it as its top bit.
    by_top: Vec<u32>,
    fields: Vec<IndexedField>,
    /// For each transition behind those under no place, its field.
    under: Vec<u32>,
    /// The start of each group in `order`, and the end of the last.
    starts: Vec<u32>,
}

/// A field with transitions under it.
#[derive(Clone, Copy, Debug)]
struct IndexedField {
    field: Field,
    /// The group of the field or, where it holds codes, of code 1.
    group: u32,
    codes: bool,
}

impl IndexedField {
    #[inline]
    fn group(self, row: &[u64]) -> u32 {
        if self.codes { self.group + self.field.read(row) as u32 - 1 } else { self.group }
    }
}

impl Fireset {
    pub(crate) fn new(net: &Net, layout: &Layout) -> Self {
        let mut uses = vec![0usize; net.nodes().places.len()];
        let all = || net.nodes().transition_ids();
        all().flat_map(|t| net.pre(t)).for_each(|arc| uses[arc.place.index()] += 1);
        // The field and the code under which a transition is indexed; a field of counts has only code 1.
        let place_of = |t: TransitionId| -> Option<(Field, u64)> {
            let with_field = net.pre(t).iter().filter_map(|arc| match layout.slots[arc.place.index()] {
                Slot::Count(field) => Some((uses[arc.place.index()], (field, 1))),
                Slot::Code(field, code) => Some((uses[arc.place.index()], (field, code))),
                Slot::Sum(_) => None,
            });
            with_field.min_by_key(|(uses, _)| *uses).map(|(_, place)| place)
        };
        let key = |place: Option<(Field, u64)>| place.map(|(field, code)| (field.word, field.shift, code));
        let mut placed: Vec<(TransitionId, Option<(Field, u64)>)> = all().map(|t| (t, place_of(t))).collect();
        placed.sort_by_key(|&(t, place)| (key(place), t));
        let always = placed.iter().take_while(|(_, place)| place.is_none()).count() as u32;
        let order = placed.iter().map(|(t, _)| t.index() as u32).collect();
        let mut fireset = Self {
            order,
            always,
            words: layout.fields_by_word(),
            by_top: vec![u32::MAX; 64 * layout.width],
            fields: Vec::new(),
            under: Vec::new(),
            starts: vec![always],
        };
        fireset.words.iter_mut().for_each(|word| word.tops = 0);
        let codes = layout.slots.iter().any(|slot| matches!(slot, Slot::Code(..)));
        fireset.group(&placed[always as usize..], codes);
        fireset
    }

    /// Cuts the placed transitions, which are sorted, into groups.
    fn group(&mut self, placed: &[(TransitionId, Option<(Field, u64)>)], codes: bool) {
        let mut at = 0;
        while at < placed.len() {
            let (field, _) = placed[at].1.expect("those without a place come first");
            let top = 64 * field.word as usize + usize::from(field.shift + field.bits) - 1;
            self.words[field.word as usize].tops |= field.top();
            self.by_top[top] = self.fields.len() as u32;
            self.fields.push(IndexedField { field, group: self.starts.len() as u32 - 1, codes });
            let most = if codes { field.most() } else { 1 };
            for code in 1..=most {
                at += placed[at..].iter().take_while(|(_, place)| *place == Some((field, code))).count();
                self.starts.push(self.always + at as u32);
            }
            self.under.resize(at, self.fields.len() as u32 - 1);
        }
    }

    /// Calls `visit` with each transition that may be enabled in a row, from a cursor on, and the cursor after
    /// it, until it breaks.
    #[inline]
    pub(crate) fn candidates<B>(
        &self,
        row: &[u64],
        from: ActionCursor<u32>,
        mut visit: impl FnMut(u32, ActionCursor<u32>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for at in from.0..self.always {
            visit(self.order[at as usize], ActionCursor(at + 1))?;
        }
        let from = from.0.max(self.always);
        let Some(&first) = self.under.get((from - self.always) as usize) else {
            return ControlFlow::Continue(());
        };
        let Field { word, shift, bits } = self.fields[first as usize].field;
        // Fields before the one of the cursor are done.
        let mut seen = (1u64 << (shift + bits - 1)) - 1;
        for word in word as usize..self.words.len() {
            let mut marked = self.words[word].marked(row[word]) & !std::mem::take(&mut seen);
            while marked != 0 {
                let field = self.by_top[64 * word + marked.trailing_zeros() as usize];
                marked &= marked - 1;
                let group = self.fields[field as usize].group(row) as usize;
                for at in self.starts[group].max(from)..self.starts[group + 1] {
                    visit(self.order[at as usize], ActionCursor(at + 1))?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
