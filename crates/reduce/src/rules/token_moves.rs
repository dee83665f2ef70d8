//! Runs of a net with fused places brought back: tokens are moved to where the next step needs them.
//!
//! A step that a place does not let fire is preceded by moves from the nearest place of its group that has a token to spare;
//! they are steps like others, and may need moves themselves. A run that still cannot go on is given up: a move may be
//! impossible between two steps that were agglomerated.

use std::collections::{HashMap, HashSet, VecDeque};

use fireset_net::{FireError, Marking, Net, PlaceId, Semantics, Step};

use super::firing_sequences::{FiringSequences, SequenceId};

/// A firing sequence that moves one token and does nothing else.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenMove {
    pub(super) from: PlaceId,
    pub(super) to: PlaceId,
    pub(super) sequence: SequenceId,
}

/// The steps with the moves that they need from a marking on; `None` when they cannot be made a run of at most `most`
/// steps.
pub(super) fn repair(
    net: &Net,
    (sequences, token_moves): (&FiringSequences, &[TokenMove]),
    mut state: Marking,
    steps: Vec<Step>,
    most: usize,
) -> Option<Vec<Step>> {
    let mut into: HashMap<PlaceId, Vec<&TokenMove>> = HashMap::new();
    token_moves.iter().for_each(|token_move| into.entry(token_move.to).or_default().push(token_move));
    let (mut run, mut tries) = (Vec::new(), 0);
    let mut open: VecDeque<Step> = steps.into();
    while let Some(step) = open.pop_front() {
        tries += 1;
        if tries > most {
            return None;
        }
        match net.fire(&state, &step) {
            Ok(next) => {
                state = next;
                run.push(step);
            }
            Err(FireError::TooFew { place, .. }) => {
                let path = path(net, &into, &state, &step, place)?;
                open.push_front(step);
                let mut moves = Vec::new();
                path.into_iter().for_each(|sequence| sequences.expand(sequence, &mut moves));
                moves.into_iter().rev().for_each(|step| open.push_front(step));
            }
            Err(_) => return None,
        }
    }
    Some(run)
}

/// The sequences that bring a token to a place from the nearest one that has more than the step needs there.
fn path(
    net: &Net,
    into: &HashMap<PlaceId, Vec<&TokenMove>>,
    state: &Marking,
    step: &Step,
    place: PlaceId,
) -> Option<Vec<SequenceId>> {
    let needs = |place| {
        let arcs = net.pre(step.transition);
        arcs.iter().find(|arc| arc.place == place).map_or(0, |arc| arc.weight)
    };
    // For each place that was seen, the move towards the one that needs a token.
    let mut way: HashMap<PlaceId, &TokenMove> = HashMap::new();
    let mut seen = HashSet::from([place]);
    let mut open = VecDeque::from([place]);
    while let Some(at) = open.pop_front() {
        if at != place && state.tokens(at) > needs(at) {
            let (mut now, mut sequences) = (at, Vec::new());
            while now != place {
                let token_move = way[&now];
                sequences.push(token_move.sequence);
                now = token_move.to;
            }
            return Some(sequences);
        }
        for &token_move in into.get(&at).map_or(&[][..], Vec::as_slice) {
            if seen.insert(token_move.from) {
                way.insert(token_move.from, token_move);
                open.push_back(token_move.from);
            }
        }
    }
    None
}
