//! Nets on packed rows: layouts, moves and the dynamic fireset.

pub(crate) mod choose;
mod fireset;
pub(crate) mod layout;
mod moves;
mod net;
mod space;

pub use layout::Encoding;
pub(crate) use net::Packed;

/// Which layout is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The smallest that is right.
    #[default]
    Auto,
    /// This one, as far as the net allows it.
    Only(Encoding),
}

/// How rows are read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// On the packed words.
    #[default]
    Direct,
    /// By decoding and encoding them.
    Decode,
}
