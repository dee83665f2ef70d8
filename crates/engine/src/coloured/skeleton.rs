//! A coloured net without its colours: places count the tokens of all colours together.
//!
//! An invariant of the skeleton is one of the coloured net, since every firing moves as many tokens. That needs
//! arcs that move the same number of tokens under each binding; the skeleton of a net with other arcs proves nothing
//! and is only good for estimates.

use fireset_net::{Net, NetBuilder, PlaceId, TransitionId, coloured::ColouredNet};

use super::{bags::CompiledBag, compile::CompiledNet};

#[derive(Clone, Debug)]
pub(crate) struct Skeleton {
    pub(crate) net: Net,
    /// Whether every firing moves as many tokens as the skeleton says.
    pub(crate) exact: bool,
}

impl Skeleton {
    pub(crate) fn of(net: &ColouredNet, compiled: &CompiledNet) -> Self {
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
            let mut weight = |bag: &CompiledBag| number(bag.cardinality());
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
