//! Small random nets, formulas and queries, for property tests. The same seed gives the same on every machine.
//!
//! ```
//! use fireset_oracle::random::{self, NetShape, TestRng};
//! let mut random = TestRng::new(7);
//! let net = random::net(&mut random, &NetShape::default());
//! let formula = random::ctl(&mut random, net.nodes(), 3);
//! assert_eq!(net, random::net(&mut TestRng::new(7), &NetShape::default()));
//! assert!(fireset_net::Query::classify(&(&formula).into(), fireset_net::Logic::Ctl).is_ok());
//! ```
//!
//! Most nets are bounded, but not all: a test that needs all states leaves out those with too many.

mod coloured;
mod colours;
mod families;
mod formulas;
mod grown;
mod nets;
mod runs;
mod symmetric;

pub use coloured::coloured;
pub use colours::{bindings, coloured_query, place_colours, with_colours};
pub use families::{NetFamily, structured};
pub use formulas::{ctl, ctl_star, nested_ctl, nested_path, path, predicate, property, query};
pub use grown::grown;
pub use nets::{NetShape, net, units};
pub use runs::{fairness, run_formula, run_query};
pub use symmetric::symmetric;

/// Random numbers for tests: Steele, Lea and Flood's SplitMix64.
#[derive(Clone, Debug)]
pub struct TestRng(u64);

impl TestRng {
    /// Equal seeds give equal numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// All of them look random, also the low ones.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    ///
    /// # Panics
    /// When `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// A number from `first` to `last`, both included.
    pub fn within(&mut self, first: u64, last: u64) -> u64 {
        first + self.bits() % (last - first + 1)
    }

    /// True with a probability of `percent` in a hundred.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `items`, each with the same probability.
    ///
    /// # Panics
    /// When `items` is empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
