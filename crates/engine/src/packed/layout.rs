//! Layouts: how a marking lies in a short row of 64-bit words.
//!
//! After EnPAC (Ding, He and Li, Appendix A). A *counted* layout has a field of a few bits for each place; an
//! *exact* one has a field for each unit that names the marked place of the unit, or a bit for each place. In an
//! *invariant* layout some places have no field at all: a place invariant gives their tokens from the others'.
//! Where EnPAC ends on a count that is too large for its field, we widen: writing returns a [`FieldOverflow`],
//! and the search goes on in a wider layout.
//!
//! Invariants: (1) fields do not overlap and do not cross words; (2) bits outside of all fields are zero, so
//! equal markings are equal rows; (3) a marking that does not fit is a `FieldOverflow`, never a wrong row.
//! Test: `tests/explicit.rs`, each layout against the reference checker.

use fireset_net::PlaceId;

/// A few bits of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) word: u32,
    pub(crate) shift: u8,
    pub(crate) bits: u8,
}

impl Field {
    /// The largest number that fits.
    pub(crate) fn most(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// All bits of the field, in its word.
    pub(crate) fn mask(self) -> u64 {
        self.most() << self.shift
    }

    /// The uppermost bit of the field, in its word.
    pub(crate) fn top(self) -> u64 {
        1 << (self.shift + self.bits - 1)
    }

    #[inline]
    pub(crate) fn read(self, row: &[u64]) -> u64 {
        (row[self.word as usize] >> self.shift) & self.most()
    }

    /// Writes a number into a field that is zero.
    pub(crate) fn write(self, row: &mut [u64], number: u64) {
        row[self.word as usize] |= number << self.shift;
    }
}

/// Where the tokens of a place are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The number of tokens is in a field.
    Count(Field),
    /// There is one token if the field holds this code, else none.
    Code(Field, u64),
    /// The number of tokens follows from other places.
    Sum(ImpliedCount),
}

/// `(constant + sum of factor * tokens) / divisor`, a place invariant solved for one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImpliedCount {
    pub(crate) constant: i64,
    pub(crate) terms: Box<[(Field, i64)]>,
    pub(crate) divisor: i64,
}

impl ImpliedCount {
    #[inline]
    pub(crate) fn dividend(&self, row: &[u64]) -> i64 {
        self.terms.iter().fold(self.constant, |sum, (field, factor)| sum + factor * field.read(row) as i64)
    }

    #[inline]
    pub(crate) fn value(&self, row: &[u64]) -> u64 {
        let dividend = self.dividend(row);
        // Most sums have no divisor, and dividing is slow.
        (if self.divisor == 1 { dividend } else { dividend / self.divisor }) as u64
    }
}

/// Kinds of layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// 16 bits for each place, more where needed.
    Wide,
    /// One bit for each place.
    Safe,
    /// The marked place of each unit.
    Nupn,
    /// As many bits as the bounds from place invariants need, and none for places that follow from others.
    Invariant,
}

impl Encoding {
    /// The layout's name in statistics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Safe => "safe",
            Self::Nupn => "nupn",
            Self::Invariant => "invariant",
        }
    }
}

/// A place whose tokens do not fit into the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldOverflow {
    pub(crate) place: PlaceId,
    pub(crate) tokens: u64,
}

/// Where the tokens of every place are.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) encoding: Encoding,
    pub(crate) slots: Vec<Slot>,
    /// For each place, whether its field is proven to be large enough.
    pub(crate) proven: Vec<bool>,
    /// The number of words of a row.
    pub(crate) width: usize,
    /// The fields of each word, if they hold codes.
    pub(crate) codes: Option<Vec<WordFields>>,
    /// The fields that hold counts, and the places that follow from them.
    counts: Vec<Field>,
    sums: Vec<ImpliedCount>,
}

/// The bits of the fields of a word.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WordFields {
    /// The top bit of each field.
    pub(crate) tops: u64,
    /// The other bits of all fields.
    pub(crate) lows: u64,
}

impl WordFields {
    /// The top bits of those fields that are not zero.
    #[inline]
    pub(crate) fn marked(self, x: u64) -> u64 {
        // Adding all lower bits carries into the top bit exactly when one of them is set.
        (((x & self.lows) + self.lows) | x) & self.tops
    }
}

/// Allocates fields one after another.
#[derive(Debug, Default)]
pub(crate) struct Allocator {
    next: usize,
}

impl Allocator {
    /// The next field, with the given number of bits.
    pub(crate) fn field(&mut self, bits: u32) -> Field {
        debug_assert!((1..=64).contains(&bits));
        if self.next % 64 + bits as usize > 64 {
            self.next = self.next.next_multiple_of(64);
        }
        let field = Field { word: (self.next / 64) as u32, shift: (self.next % 64) as u8, bits: bits as u8 };
        self.next += bits as usize;
        field
    }

    /// The words used so far; at least one.
    pub(crate) fn width(&self) -> usize {
        self.next.div_ceil(64).max(1)
    }
}

/// The number of bits that a number needs; at least one.
pub(crate) fn bits_for(most: u64) -> u32 {
    (64 - most.leading_zeros()).max(1)
}

impl Layout {
    pub(crate) fn new(encoding: Encoding, slots: Vec<Slot>, proven: Vec<bool>, width: usize) -> Self {
        let count = |slot: &Slot| if let Slot::Count(field) = slot { Some(*field) } else { None };
        let sum = |slot: &Slot| if let Slot::Sum(sum) = slot { Some(sum.clone()) } else { None };
        let counts = slots.iter().filter_map(count).collect();
        let sums = slots.iter().filter_map(sum).collect();
        let mut layout = Self { encoding, slots, proven, width, codes: None, counts, sums };
        if layout.slots.iter().any(|slot| matches!(slot, Slot::Code(..))) {
            layout.codes = Some(layout.fields_by_word());
        }
        layout
    }

    /// The fields of each word.
    pub(crate) fn fields_by_word(&self) -> Vec<WordFields> {
        let mut words = vec![WordFields::default(); self.width];
        for field in self.fields() {
            let word = &mut words[field.word as usize];
            word.tops |= field.top();
            word.lows |= field.mask() & !field.top();
        }
        words
    }

    #[inline]
    pub(crate) fn tokens(&self, row: &[u64], place: PlaceId) -> u64 {
        match &self.slots[place.index()] {
            Slot::Count(field) => field.read(row),
            Slot::Code(field, code) => u64::from(field.read(row) == *code),
            Slot::Sum(sum) => sum.value(row),
        }
    }

    /// The tokens of all places together, and the most in one place.
    pub(crate) fn total_and_most(&self, row: &[u64]) -> (u128, u64) {
        if let Some(fields) = &self.codes {
            // A field of codes has one token or none.
            let marked: u32 = row.iter().zip(fields).map(|(&x, f)| f.marked(x).count_ones()).sum();
            return (marked.into(), u64::from(marked > 0));
        }
        let sums = self.sums.iter().map(|sum| sum.value(row));
        let tokens = self.counts.iter().map(|field| field.read(row)).chain(sums);
        tokens.fold((0, 0), |(total, most), n| (total + u128::from(n), most.max(n)))
    }

    /// Writes the token counts of all places into `tokens`.
    pub(crate) fn decode(&self, row: &[u64], tokens: &mut [u64]) {
        for (at, count) in tokens.iter_mut().enumerate() {
            *count = self.tokens(row, PlaceId::new(at));
        }
    }

    /// Writes the row of a marking.
    pub(crate) fn encode(&self, tokens: &[u64], row: &mut [u64]) -> Result<(), FieldOverflow> {
        row.fill(0);
        for (at, (&count, slot)) in tokens.iter().zip(&self.slots).enumerate() {
            let overflow = FieldOverflow { place: PlaceId::new(at), tokens: count };
            match *slot {
                Slot::Count(field) if count > field.most() => return Err(overflow),
                Slot::Count(field) => field.write(row, count),
                Slot::Code(..) if count == 0 => {}
                Slot::Code(field, _) if count > 1 || field.read(row) != 0 => return Err(overflow),
                Slot::Code(field, code) => field.write(row, code),
                Slot::Sum(_) => {}
            }
        }
        Ok(())
    }

    /// All fields, each once, in the order of the row.
    pub(crate) fn fields(&self) -> Vec<Field> {
        let mut fields: Vec<Field> = self
            .slots
            .iter()
            .filter_map(|slot| match slot {
                Slot::Count(field) | Slot::Code(field, _) => Some(*field),
                Slot::Sum(_) => None,
            })
            .collect();
        fields.sort_unstable_by_key(|f| (f.word, f.shift));
        fields.dedup();
        fields
    }
}
