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
    built(places, transitions, arcs)
}

/// A net with one token in its first place; each arc is one from a place to a transition, or back.
fn built(places: usize, transitions: usize, mut arcs: Vec<(usize, usize, bool)>) -> Net {
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

/// A free-choice workflow net of nested blocks: sequences, choices, parallel parts and loops. Some choices are joined as if they were
/// parallel, some parallel parts as if they were choices, and some choices do not know of each other; `faults` of a hundred.
pub fn of_blocks(random: &mut TestRng, blocks: usize, faults: usize) -> Net {
    let mut arcs: Vec<(usize, usize, bool)> = vec![(0, 0, true), (1, 0, false)];
    let (mut places, mut transitions) = (2, 1);
    for _ in 0..blocks {
        // The transition becomes the first of the block, and another one the last.
        let (first, last) = (random.below(transitions), transitions);
        arcs.iter_mut().filter(|arc| arc.1 == first && !arc.2).for_each(|arc| arc.1 = last);
        let (a, b) = (transitions + 1, transitions + 2);
        let [p, q, r, s] = [0, 1, 2, 3].map(|more| places + more);
        let is_faulty = random.percent(faults);
        let block: Vec<(usize, usize, bool)> = match random.below(4) {
            0 if is_faulty => strange_block(random, first, last, places),
            0 => vec![(p, first, false), (p, last, true)],
            1 => {
                let (join, other) = if is_faulty { (q, r) } else { (q, q) };
                let ends = [(p, a, true), (join, a, false), (p, b, true), (other, b, false)];
                [&[(p, first, false), (join, last, true), (other, last, true)][..], &ends].concat()
            }
            2 => {
                let (join, other) = if is_faulty { (q, q) } else { (q, s) };
                let ends = [(p, a, true), (join, a, false), (r, b, true), (other, b, false)];
                let outer = [(p, first, false), (r, first, false), (join, last, true), (other, last, true)];
                [outer, ends].concat()
            }
            _ => {
                let around = [(p, a, true), (q, a, false), (q, b, true), (p, b, false)];
                [&[(p, first, false), (q, last, true)][..], &around].concat()
            }
        };
        places = block.iter().map(|arc| arc.0 + 1).fold(places, usize::max);
        transitions = block.iter().map(|arc| arc.1 + 1).fold(last + 1, usize::max);
        arcs.extend(block);
    }
    built(places, transitions, arcs)
}

/// Two choices beside each other that should be the same, or a choice of which one way leaves what the other takes. The short-circuited net is
/// consistent and has free choice. In the first it is also conservative.
fn strange_block(random: &mut TestRng, first: usize, last: usize, place: usize) -> Vec<(usize, usize, bool)> {
    let p = |at: usize| place + at;
    let t = |at: usize| last + at;
    let between = |from: usize, t: usize, to: usize| [(p(from), t, true), (p(to), t, false)];
    if random.percent(50) {
        let ways = [between(0, t(1), 2), between(0, t(2), 3), between(1, t(3), 4), between(1, t(4), 5)];
        let joins = [between(2, t(5), 6), between(4, t(5), 6), between(3, t(6), 6), between(5, t(6), 6)];
        let ends = [(p(0), first, false), (p(1), first, false), (p(6), last, true)];
        [&ends[..], ways.as_flattened(), joins.as_flattened()].concat()
    } else {
        let ways = [between(0, t(1), 1), between(0, t(1), 2), between(0, t(2), 3)];
        let joins = [between(3, t(3), 4), between(2, t(3), 4), between(1, t(4), 4)];
        let ends = [(p(0), first, false), (p(4), last, true)];
        [&ends[..], ways.as_flattened(), joins.as_flattened()].concat()
    }
}
