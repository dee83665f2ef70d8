//! Place/transition nets on packed rows: layouts, the firing rule on them, and the dynamic fireset.

pub(crate) mod choose;
mod fireset;
mod firing;
pub(crate) mod layout;
mod net;
mod space;

pub use layout::Encoding;
pub(crate) use net::PackedNet;

/// How the layout of markings is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LayoutChoice {
    /// The smallest layout that holds all markings or notices those that it does not hold.
    #[default]
    Auto,
    /// A given layout; nets that do not allow it get a wide one.
    Only(Encoding),
}

/// How rows are read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// On the packed words.
    #[default]
    Direct,
    /// By decoding a row into token counts and encoding the result; slower, for comparison.
    Decode,
}
