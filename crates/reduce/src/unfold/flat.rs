//! The unfolded net by numbers: tokens (a place and a colour) and bindings, in a fixed order, with the arcs between
//! them.

use fireset_net::{
    Budget, PlaceId, Rows, StopReason,
    coloured::{Colour, ColouredArc, ColouredNet},
};
use hashbrown::HashMap;

use super::{BindingTable, colour_fixpoint::ReachedColours};

/// An arc: the number of a token, and how many are moved.
pub(super) type Weight = (u32, u64);

/// A token that can be there.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColouredPlaceToken {
    pub(super) place: PlaceId,
    pub(super) colour: Colour,
    pub(super) initial: u64,
}

/// Tokens are sorted by place and colour, bindings by transition and colours, arcs by token.
pub(super) struct FlatNet {
    pub(super) tokens: Vec<ColouredPlaceToken>,
    pub(super) bindings: BindingTable,
    pub(super) pre: Rows<Weight>,
    pub(super) post: Rows<Weight>,
    pub(super) inhibitors: Rows<Weight>,
    /// About how many bytes it takes.
    pub(super) bytes: u64,
}

impl FlatNet {
    /// Puts what was found in order, and evaluates the arcs.
    pub(super) fn new(
        net: &ColouredNet,
        mut found: ReachedColours,
        budget: &Budget,
    ) -> Result<Self, StopReason> {
        found.tokens.sort_unstable();
        let token = |&(place, colour): &(PlaceId, Colour)| {
            let initial = net.place(place).initial.count(colour);
            ColouredPlaceToken { place, colour, initial }
        };
        let mut numbers = vec![HashMap::new(); net.nodes().places.len()];
        for (number, (place, colour)) in found.tokens.iter().enumerate() {
            numbers[place.index()].insert(*colour, number as u32);
        }
        let mut flat = Self {
            tokens: found.tokens.iter().map(token).collect(),
            bindings: BindingTable::default(),
            pre: Rows::new(),
            post: Rows::new(),
            inhibitors: Rows::new(),
            bytes: found.bytes,
        };
        for (transition, mut bindings) in net.nodes().transition_ids().zip(found.bindings) {
            bindings.sort_unstable();
            let coloured = net.transition(transition);
            for (at, binding) in bindings.into_iter().enumerate() {
                if at.is_multiple_of(1024) {
                    budget.check(flat.bytes, budget.progress().states())?;
                }
                let colours = net.lookup(transition, &binding);
                let arcs = |arcs: &[ColouredArc]| weights(net, arcs, &numbers, &colours);
                flat.pre.push(arcs(&coloured.pre));
                flat.post.push(arcs(&coloured.post));
                flat.inhibitors.push(arcs(&coloured.inhibitors));
                drop(colours);
                flat.bindings.transitions.push(transition);
                flat.bindings.colours.push(binding);
            }
        }
        Ok(flat)
    }

    /// The number of bindings.
    pub(super) fn len(&self) -> usize {
        self.bindings.transitions.len()
    }

    /// Leaves only the bindings that are to be kept.
    pub(super) fn keep(&mut self, kept: &[bool]) {
        let filter = |rows: &Rows<Weight>| -> Rows<Weight> {
            let rows = rows.iter().zip(kept).filter(|(_, kept)| **kept);
            rows.map(|(row, _)| row.iter().copied()).collect()
        };
        self.pre = filter(&self.pre);
        self.post = filter(&self.post);
        self.inhibitors = filter(&self.inhibitors);
        let colours = self.bindings.colours.iter().zip(kept).filter(|(_, kept)| **kept);
        self.bindings.colours = colours.map(|(row, _)| row.iter().copied()).collect();
        let mut at = 0..;
        self.bindings.transitions.retain(|_| kept[at.next().expect("it has no end")]);
    }
}

/// The arcs of a binding. Colours that are never reached can only be those of inhibitor arcs, and block nothing.
fn weights(
    net: &ColouredNet,
    arcs: &[ColouredArc],
    numbers: &[HashMap<Colour, u32>],
    colours: &impl Fn(fireset_net::VariableId) -> Colour,
) -> Vec<Weight> {
    let mut weights = Vec::new();
    for arc in arcs {
        let bag = arc.term.value(net.sorts(), colours);
        let number = |(colour, weight)| Some((*numbers[arc.place.index()].get(&colour)?, weight));
        weights.extend(bag.iter().filter_map(number));
    }
    weights.sort_unstable();
    weights
}
