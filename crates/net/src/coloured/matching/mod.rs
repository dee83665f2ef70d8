//! Bindings found from tokens: the variables of a transition get their colours from the tokens that it could take.
//!
//! Why: trying every combination of colours takes as long as there are combinations, and most of them lack a token.
//! A [`MatchingPlan`] is made once; a [`BindingSearch`] goes through its moves by backtracking. Among the
//! remaining tokens those with the fewest open variables come first; parts of the guard are tested as soon as their variables are known, and
//! equalities of the guard give colours; variables that no token gives a colour are tried last.
//!
//! Invariants: 1. every binding for which the guard is true and a token of each pattern is supplied is found, and only
//! those; 2. each is found once, because a move never offers the same colours twice.
//! Cost: the partial bindings on the way. Test: `tests/reference/coloured.rs` of `fireset-oracle`, against trying all bindings.

mod plan;
mod search;

pub use plan::{MatchingPlan, Patterns};
pub use search::{BindingSearch, SearchProgress};

use super::{Colour, ColourTerm, SortKind, Sorts, members::known};
use crate::{PlaceId, SortId};

/// A colour that a transition takes from a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Where the token lies.
    pub place: PlaceId,
    /// Its value is the colour; of the place's sort.
    pub term: ColourTerm,
}

/// What a move asks for: tokens of a place for a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The number of the pattern.
    pub pattern: usize,
    /// Where the tokens are looked up.
    pub place: PlaceId,
    /// The components of the colour that are known already, as bits.
    pub mask: u64,
    /// What they are: [`project`] of the colour.
    pub key: u64,
}

/// Where tokens come from. The order of candidates is fixed; more of them may come behind the last.
pub trait Supply {
    /// Whether there is such a token for a pattern.
    fn has(&self, pattern: usize, place: PlaceId, colour: Colour) -> bool;

    /// A token for a pattern; all that agree in the known components are among them, each once.
    fn candidate(&self, at: &Lookup, number: u64) -> Option<Colour>;
}

/// The components of a colour that are in `mask`, as one number.
pub fn project(sorts: &Sorts, sort: SortId, colour: Colour, mask: u64) -> u64 {
    let SortKind::Product(parts) = &sorts[sort].kind else { return 0 };
    let (mut rest, mut key, mut unit) = (colour.0, 0, 1);
    for (at, &part) in parts.iter().enumerate().rev() {
        let size = sorts[part].size();
        if mask >> at.min(63) & 1 == 1 {
            key += rest % size * unit;
            unit *= size;
        }
        rest /= size;
    }
    key
}

/// The known components of a tuple, as [`project`] gives them for a colour.
fn key(sorts: &Sorts, term: &ColourTerm, mask: u64, slots: &[Option<Colour>]) -> u64 {
    let ColourTerm::Tuple(sort, terms) = term else { return 0 };
    let SortKind::Product(parts) = &sorts[*sort].kind else { panic!("a tuple has a product sort") };
    let (mut key, mut unit) = (0, 1);
    for (at, (term, &part)) in terms.iter().zip(parts).enumerate().rev() {
        if mask >> at.min(63) & 1 == 1 {
            key += term.value(sorts, &known(slots)).0 * unit;
            unit *= sorts[part].size();
        }
    }
    key
}
