//! A run to a set of markings: pre-images in layers until the initial marking is in one, then forwards from layer to layer.
//!
//! Layers of a large set may be larger than the set, so this is tried with little effort. Test: `tests/symbolic.rs`, replayed.

use fireset_kernel::mdd::{MddNode, Stopped};
use fireset_net::{Net, Step, Trace};

use super::satisfaction::SatisfactionSets;

impl SatisfactionSets<'_, '_> {
    /// A shortest run to one of some reachable markings.
    pub(super) fn run_to(&mut self, net: &Net, goal: MddNode) -> Result<Trace, Stopped> {
        let (mut layers, mut left) = (vec![goal], self.diagram.difference(self.reachable, goal)?);
        while !self.contains_initial(layers[layers.len() - 1]) {
            let next = self.step_before(left, layers[layers.len() - 1])?;
            assert_ne!(next, MddNode::EMPTY, "the goal is reachable");
            left = self.diagram.difference(left, next)?;
            layers.push(next);
        }
        layers.pop();
        let (mut marking, mut run) = (net.initial_marking().clone(), Vec::new());
        while let Some(layer) = layers.pop() {
            let nearer = net.nodes().transition_ids().find_map(|t| {
                let next = net.fire_transition(&marking, t).ok()?;
                self.contains(layer, &next.0).then_some((t, next))
            });
            let (transition, next) = nearer.expect("a step leads from each layer to the next");
            run.push(Step::plain(transition));
            marking = next;
        }
        Ok(Trace(run))
    }
}
