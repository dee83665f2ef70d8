//! Layouts: how a marking lies in a short row of 64-bit words.
//!
//! After EnPAC (Ding, He and Li, Appendix A). A *counted* layout has a field of a few bits for each place; an
//! *exact* one has a field for each unit that names the marked place of the unit, or a bit for each place. In an
//! *invariant* layout some places have no field at all: a place invariant gives their tokens from the others'.
//! Where EnPAC ends on a count that is too large for its field, we widen: whoever writes notices a [`Misfit`],
//! and the search goes on in a wider layout.
//!
//! Invariants: (1) fields do not overlap and do not cross words; (2) bits outside of all fields are zero, so
//! equal markings are equal rows; (3) a marking that does not fit is a `Misfit`, never a wrong row.
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
    /// The largest number that it can hold.
    pub(crate) fn most(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// Its bits in its word.
    pub(crate) fn mask(self) -> u64 {
        self.most() << self.shift
    }

    /// Its uppermost bit in its word.
    pub(crate) fn top(self) -> u64 {
        1 << (self.shift + self.bits - 1)
    }

    /// The number in it.
    #[inline]
    pub(crate) fn read(self, row: &[u64]) -> u64 {
        (row[self.word as usize] >> self.shift) & self.most()
    }

    /// Puts a number into it, which is zero before.
    pub(crate) fn write(self, row: &mut [u64], number: u64) {
        row[self.word as usize] |= number << self.shift;
    }
}

/// Where the tokens of a place are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// Their number is in a field.
    Count(Field),
    /// There is one when the field holds this code, else none.
    Code(Field, u64),
    /// Their number follows from others.
    Sum(Sum),
}

/// `(constant + sum of factor * tokens) / divisor`, a place invariant solved for one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) constant: i64,
    pub(crate) terms: Box<[(Field, i64)]>,
    pub(crate) divisor: i64,
}

impl Sum {
    /// The dividend.
    #[inline]
    pub(crate) fn dividend(&self, row: &[u64]) -> i64 {
        self.terms.iter().fold(self.constant, |sum, (field, factor)| sum + factor * field.read(row) as i64)
    }

    /// The tokens.
    #[inline]
    pub(crate) fn value(&self, row: &[u64]) -> u64 {
        let dividend = self.dividend(row);
        // Most are sums without factors, and dividing takes long.
        (if self.divisor == 1 { dividend } else { dividend / self.divisor }) as u64
    }
}

/// The way in which a layout was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// 16 bits a place, more where needed.
    Wide,
    /// One bit a place.
    Safe,
    /// The marked place of each unit.
    Nupn,
    /// As many bits as place invariants allow, and none for places that follow from others.
    Invariant,
}

impl Encoding {
    /// What statistics call it.
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
pub(crate) struct Misfit {
    pub(crate) place: PlaceId,
    pub(crate) tokens: u64,
}

/// Where the tokens of every place are.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) encoding: Encoding,
    pub(crate) slots: Vec<Slot>,
    /// For each place, whether its field is known to be large enough.
    pub(crate) proven: Vec<bool>,
    /// Words of a row.
    pub(crate) width: usize,
    /// The fields of each word, if they hold codes.
    pub(crate) codes: Option<Vec<Fields>>,
    /// The fields that hold counts, and the places that follow from them.
    counts: Vec<Field>,
    sums: Vec<Sum>,
}

/// The fields of a word.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fields {
    /// Their top bits.
    pub(crate) tops: u64,
    /// Their other bits.
    pub(crate) lows: u64,
}

impl Fields {
    /// The top bits of those fields that are not zero.
    #[inline]
    pub(crate) fn marked(self, x: u64) -> u64 {
        // Adding all lower bits carries into the top bit exactly when one of them is set.
        (((x & self.lows) + self.lows) | x) & self.tops
    }
}

/// Places fields one after another.
#[derive(Debug, Default)]
pub(crate) struct Allocator {
    next: usize,
}

impl Allocator {
    /// The next field of so many bits.
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

/// How many bits a number needs; at least one.
pub(crate) fn bits_for(most: u64) -> u32 {
    (64 - most.leading_zeros()).max(1)
}

impl Layout {
    /// A layout of these slots.
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
    pub(crate) fn fields_by_word(&self) -> Vec<Fields> {
        let mut words = vec![Fields::default(); self.width];
        for field in self.fields() {
            let word = &mut words[field.word as usize];
            word.tops |= field.top();
            word.lows |= field.mask() & !field.top();
        }
        words
    }

    /// The tokens of a place in a row.
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

    /// Writes all tokens into `tokens`.
    pub(crate) fn decode(&self, row: &[u64], tokens: &mut [u64]) {
        for (at, count) in tokens.iter_mut().enumerate() {
            *count = self.tokens(row, PlaceId::new(at));
        }
    }

    /// Writes the row of a marking.
    pub(crate) fn encode(&self, tokens: &[u64], row: &mut [u64]) -> Result<(), Misfit> {
        row.fill(0);
        for (at, (&count, slot)) in tokens.iter().zip(&self.slots).enumerate() {
            let misfit = Misfit { place: PlaceId::new(at), tokens: count };
            match *slot {
                Slot::Count(field) if count > field.most() => return Err(misfit),
                Slot::Count(field) => field.write(row, count),
                Slot::Code(..) if count == 0 => {}
                Slot::Code(field, _) if count > 1 || field.read(row) != 0 => return Err(misfit),
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
