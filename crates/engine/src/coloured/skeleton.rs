//! A coloured net without its colours: places count the tokens of all colours together.
//!
//! What is invariant there is invariant in the coloured net, since every firing moves as many tokens. That needs
//! arcs that move the same number of tokens under each binding; a net with others has a skeleton that proves nothing
//! and is only good for guesses.

use fireset_net::{Net, NetBuilder, PlaceId, TransitionId, coloured::ColouredNet};

use super::{bags::Bag, compile::Compiled};

/// A net without colours.
#[derive(Clone, Debug)]
pub(crate) struct Skeleton {
    pub(crate) net: Net,
    /// Whether every firing moves as many tokens as the net says.
    pub(crate) exact: bool,
}

impl Skeleton {
    /// The skeleton of a net that was compiled.
    pub(crate) fn of(net: &ColouredNet, compiled: &Compiled) -> Self {
        let mut builder = NetBuilder::new(net.name.clone());
        let mut exact = true;
        let mut number = |known: Option<u64>| {
            exact &= known.is_some();
            known.unwrap_or(0)
        };
        for place in net.nodes().place_ids() {
            let tokens = number(net.place(place).initial.total().try_into().ok());
            builder.place(net.nodes().place(place), tokens).expect("names are different");
        }
        for (at, transition) in compiled.transitions.iter().enumerate() {
            let id = TransitionId::new(at);
            builder.transition(net.nodes().transition(id)).expect("names are different");
            let mut weight = |bag: &Bag| number(bag.cardinality());
            for arc in &transition.pre {
                builder.input(PlaceId::new(arc.place), id, weight(&arc.bag));
            }
            for arc in &transition.post {
                builder.output(id, PlaceId::new(arc.place), weight(&arc.bag));
            }
        }
        Self { net: builder.build().expect("names are bound"), exact }
    }
}
