//! Random workflow nets of which many are broken.

use fireset_net::{Net, NetBuilder, PlaceId, TransitionId};
use fireset_oracle::random::TestRng;

/// A workflow net that is refined step by step, with the source first and the sink second. Some steps break it: an arc too many, or a
/// choice that is joined as if it were parallel.
pub fn workflow(random: &mut TestRng) -> Net {
    let mut arcs: Vec<(usize, usize, bool)> = vec![(0, 0, true), (1, 0, false)];
    let (mut places, mut transitions) = (2, 1);
    for _ in 0..random.within(1, 6) {
        let t = random.below(transitions);
        match random.below(6) {
            // A transition becomes a sequence of two.
            0 | 1 => {
                for arc in arcs.iter_mut().filter(|arc| arc.1 == t && !arc.2) {
                    arc.1 = transitions;
                }
                arcs.extend([(places, t, false), (places, transitions, true)]);
                (places, transitions) = (places + 1, transitions + 1);
            }
            // A transition gets an alternative.
            2 => {
                let copied: Vec<_> =
                    arcs.iter().filter(|arc| arc.1 == t).map(|arc| (arc.0, transitions, arc.2)).collect();
                arcs.extend(copied);
                transitions += 1;
            }
            // Two transitions in a row get a place beside the one between them.
            3 => {
                let u = random.below(transitions);
                arcs.extend([(places, t, false), (places, u, true)]);
                places += 1;
            }
            // Something happens again.
            4 => {
                let (from, to) = (random.below(places), random.below(places));
                if from != 1 && to != 0 {
                    arcs.extend([(from, transitions, true), (to, transitions, false)]);
                    transitions += 1;
                }
            }
            // An arc too many.
            _ => {
                let place = random.below(places);
                let is_input = random.percent(50);
                if (place != 1 || !is_input) && (place != 0 || is_input) {
                    arcs.push((place, t, is_input));
                }
            }
        }
    }
    let mut builder = NetBuilder::new("workflow");
    let ps: Vec<PlaceId> =
        (0..places).map(|p| builder.place(&format!("p{p}"), u64::from(p == 0)).unwrap()).collect();
    let ts: Vec<TransitionId> =
        (0..transitions).map(|t| builder.transition(&format!("t{t}")).unwrap()).collect();
    arcs.sort_unstable();
    arcs.dedup();
    for (place, t, is_input) in arcs {
        if is_input { builder.input(ps[place], ts[t], 1) } else { builder.output(ts[t], ps[place], 1) }
    }
    builder.build().unwrap()
}
