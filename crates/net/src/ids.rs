//! Ids are newtypes over a 32-bit index, so that a place is never taken for a transition.

/// Declares one id type.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id of the element at `index`.
            ///
            /// # Panics
            /// When the index does not fit into 32 bits; readers refuse such nets before.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("a net has at most 2^32 elements of a kind"))
            }

            /// Where the element stands in its array.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The ids of the first `count` elements, in order.
            pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                (0..u32::try_from(count).expect("a net has at most 2^32 elements of a kind")).map(Self)
            }
        }
    };
}

id!(
    /// A place of a net, coloured or not.
    PlaceId
);
id!(
    /// A transition of a net, coloured or not.
    TransitionId
);
id!(
    /// A colour sort of a coloured net.
    SortId
);
id!(
    /// A colour variable of a coloured net.
    VariableId
);
id!(
    /// A unit of a nested-unit net.
    UnitId
);
