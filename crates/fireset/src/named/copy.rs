//! Copies of a place/transition net with something added, for questions that its own markings do not answer.

use fireset_net::{BuildError, Marking, Net, NetBuilder, PlaceId, TransitionId};

/// A copy of a net to which places and transitions can be added. The nodes of the net keep their ids; the names are new ones, which
/// are never printed.
pub(crate) struct NetCopy {
    pub(crate) builder: NetBuilder,
    places: usize,
    transitions: usize,
}

impl NetCopy {
    /// The places of a net with another marking, and no transitions.
    pub(crate) fn places(net: &Net, marking: &Marking) -> Result<Self, BuildError> {
        let mut copy = Self { builder: NetBuilder::new(net.name.clone()), places: 0, transitions: 0 };
        for place in net.nodes().place_ids() {
            copy.place(marking.tokens(place))?;
        }
        Ok(copy)
    }

    /// The whole net with another marking.
    pub(crate) fn of(net: &Net, marking: &Marking) -> Result<Self, BuildError> {
        let mut copy = Self::places(net, marking)?;
        for t in net.nodes().transition_ids() {
            let own = copy.transition()?;
            copy.takes(net, t, own);
            copy.gives(net, t, own);
        }
        Ok(copy)
    }

    pub(crate) fn place(&mut self, tokens: u64) -> Result<PlaceId, BuildError> {
        self.places += 1;
        self.builder.place(&format!("p{}", self.places), tokens)
    }

    pub(crate) fn transition(&mut self) -> Result<TransitionId, BuildError> {
        self.transitions += 1;
        self.builder.transition(&format!("t{}", self.transitions))
    }

    /// Lets a transition take what another one does, where it is enabled.
    pub(crate) fn takes(&mut self, net: &Net, t: TransitionId, own: TransitionId) {
        net.pre(t).iter().for_each(|arc| self.builder.input(arc.place, own, arc.weight));
        net.inhibitors(t).iter().for_each(|arc| self.builder.inhibitor(arc.place, own, arc.weight));
    }

    /// Lets a transition give what another one does.
    pub(crate) fn gives(&mut self, net: &Net, t: TransitionId, own: TransitionId) {
        net.post(t).iter().for_each(|arc| self.builder.output(own, arc.place, arc.weight));
    }
}
