//! The markings of the first steps, one by one.
//!
//! Where a state of the automaton is reached within a few steps, as behind `X`, its edges are compared with the markings that can be reached
//! within as many steps, and the transitions that can fire then are those that these markings enable.
//!
//! Invariant: every marking within `depth` firings of the initial one is among those of `depth`. Cost: at most
//! `MAX_MARKINGS` markings and `MAX_LOOKS` tests of a transition. Test: `tests/pruning.rs`.

use std::collections::HashSet;

use fireset_kernel::bits::Bits;
use fireset_net::{Marking, Net};

const MAX_DEPTH: usize = 4;
const MAX_MARKINGS: usize = 500;
const MAX_LOOKS: usize = 1_000_000;

/// What can be reached within a few firings.
pub(super) struct FirstMarkings {
    markings: Vec<Marking>,
    layers: Vec<StepLayer>,
}

/// What can be reached within a number of firings.
struct StepLayer {
    /// How many of the markings.
    count: usize,
    /// What some of them enables.
    enabled: Bits,
}

impl FirstMarkings {
    pub(super) fn of(net: &Net) -> Self {
        let mut markings = vec![net.initial_marking().clone()];
        let mut layers: Vec<StepLayer> = Vec::new();
        let mut seen: HashSet<Marking> = markings.iter().cloned().collect();
        let mut enabled = Bits::filled(net.nodes().transitions.len(), false);
        while layers.len() <= MAX_DEPTH && markings.len() <= MAX_MARKINGS {
            let (start, count) = (layers.last().map_or(0, |layer| layer.count), markings.len());
            if (count * net.nodes().transitions.len()) > MAX_LOOKS {
                break;
            }
            let mut is_complete = true;
            for at in start..count {
                for t in net.nodes().transition_ids() {
                    if net.enabled(&markings[at], t).is_err() {
                        continue;
                    }
                    enabled.insert(t.index());
                    match net.fire_transition(&markings[at], t) {
                        Ok(next) if !seen.contains(&next) && markings.len() <= MAX_MARKINGS => {
                            seen.insert(next.clone());
                            markings.push(next);
                        }
                        Ok(_) => {}
                        Err(_) => is_complete = false,
                    }
                }
            }
            layers.push(StepLayer { count, enabled: enabled.clone() });
            if !is_complete {
                break;
            }
        }
        Self { markings, layers }
    }

    /// The markings within a number of firings, if they are known.
    pub(super) fn within(&self, depth: usize) -> Option<&[Marking]> {
        self.layers.get(depth).map(|layer| &self.markings[..layer.count])
    }

    /// The transitions that some marking within a number of firings enables, if they are known.
    pub(super) fn enabled_within(&self, depth: usize) -> Option<&Bits> {
        self.layers.get(depth).map(|layer| &layer.enabled)
    }
}
