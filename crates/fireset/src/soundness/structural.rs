//! Soundness by structure, before any search.
//!
//! Theorem (van der Aalst, "Verification of workflow nets", 1997, theorem 11): let `N` be a workflow net without inhibitor arcs with source
//! `i` and sink `o`, that starts with one token in `i` and ends with one in `o`, and let `N*` be `N` with a transition `t*` from `o` to
//! `i`. `N` is sound if and only if `N*` with one token in `i` is live and bounded.
//!
//! Proof. Let `N*` be live and bounded. From every reachable marking of `N` the net `N*` can mark `o`, because `t*` is live, and until `o` is
//! marked `t*` does not fire, so `N` can do it. A reachable marking `o + x` of `N` leads by `t*` to `i + x`, from there in the same way
//! to `i + 2x` and so on; `N*` is bounded, so `x` is empty. This is proper completion, and with it the option to complete. A run of `N*` that
//! fires a transition comes back to `i` alone with each `t*`, so its part after the last `t*` before is a run of `N`: no activity is dead.
//! Conversely let `N` be sound. In `N*`, `t*` fires in `o` alone, by proper completion, and leads to `i`, so `N*` has no other reachable
//! markings than `N`. Each of them leads to `o` and on to `i`, from where every transition can fire: `N*` is live. A sound net is bounded,
//! as `mod.rs` proves.
//!
//! Whether `N*` is live and bounded is asked of [`NetStructure::live_and_bounded`]: with free choice it decides both ways by the rank theorem
//! and marked siphons; otherwise it only refutes. A sound free-choice workflow net is covered by S-components of `N*` (Desel and Esparza,
//! "Free choice Petri nets", 1995, theorem 5.6), so a place in no P-semiflow of `N*` is the reason why a net is not sound.
//!
//! Needs: exactly one final marking, and no place whose tokens do not count. Invariant: the answer is right or `None`. Cost: polynomial, and at
//! most [`TIME`]. Test: `tests/soundness/structural.rs`, against the definitions on the reachability graph.

use std::time::{Duration, Instant};

use fireset_net::{Budget, BuildError, Marking, Net, PlaceId, TransitionId, WorkflowNet};
use fireset_structure::{Conclusion, ConclusionReason, NetStructure};

use super::{
    Workflow,
    sentences::{places, transitions},
};
use crate::named::NetCopy;

/// The most time for it.
const TIME: Duration = Duration::from_secs(1);

/// What structure says about classical soundness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StructuralSoundness {
    /// The workflow is sound.
    Sound,
    /// It is not, and why.
    Unsound(String),
}

/// Decides classical soundness by structure; `None` where it does not tell.
pub fn structural_soundness(workflow: &Workflow, budget: &Budget) -> Option<StructuralSoundness> {
    let net = workflow.net();
    let WorkflowNet { source, sink } = WorkflowNet::of(net).ok()?;
    let only = |marking: &Marking, place: PlaceId| {
        net.nodes().place_ids().all(|p| marking.tokens(p) == u64::from(p == place))
    };
    let [end] = &workflow.ends.finals[..] else { return None };
    let is_classical = source != sink && only(net.initial_marking(), source) && only(end, sink);
    if !is_classical || !workflow.ends.ignored.is_empty() || net.has_inhibitors() {
        return None;
    }
    let closed = short_circuited(net, source, sink).ok()?;
    let time = budget.share(0.1).within(TIME).time_left();
    let deadline = time.and_then(|time| Instant::now().checked_add(time));
    let Conclusion { holds, reason, .. } = NetStructure::of(&closed).live_and_bounded(deadline)?;
    Some(match holds {
        true => StructuralSoundness::Sound,
        false => StructuralSoundness::Unsound(because(net, &reason)),
    })
}

/// The net with a transition from its sink to its source, which comes last.
fn short_circuited(net: &Net, source: PlaceId, sink: PlaceId) -> Result<Net, BuildError> {
    let mut copy = NetCopy::of(net, net.initial_marking())?;
    let back = copy.transition()?;
    copy.builder.input(sink, back, 1);
    copy.builder.output(back, source, 1);
    copy.builder.build()
}

fn because(net: &Net, reason: &ConclusionReason) -> String {
    let own = net.nodes().transitions.len();
    let named = |ts: &[u32]| -> Vec<TransitionId> {
        let inner = ts.iter().map(|&t| t as usize).filter(|&t| t < own);
        inner.map(TransitionId::new).collect()
    };
    let placed = |ps: &[u32]| -> Vec<PlaceId> { ps.iter().map(|&p| PlaceId::new(p as usize)).collect() };
    let short = "with a transition from the end back to the start";
    match reason {
        ConclusionReason::EmptySiphon(_, ts) => format!("{} can never happen", transitions(net, &named(ts))),
        ConclusionReason::NotConsistent(ts) if named(ts).is_empty() => {
            "no firing counts lead from the start to the end".into()
        }
        ConclusionReason::NotConsistent(ts) => {
            format!("{short}, no T-semiflow has {}", transitions(net, &named(ts)))
        }
        ConclusionReason::NotConservative(ps) => {
            format!("{short}, the net is free choice, and no S-component has {}", places(net, &placed(ps)))
        }
        _ => format!("{short}, the net is free choice, and the rank theorem does not hold"),
    }
}
