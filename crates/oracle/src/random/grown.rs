//! Random nets with pieces that structural reductions look for.

use super::TestRng;
use fireset_net::{Net, NetBuilder, PlaceId};

/// What a transition takes, gives and is blocked by: places and weights.
#[derive(Clone, Default)]
struct GrownTransition {
    pre: Vec<(usize, u64)>,
    post: Vec<(usize, u64)>,
    inhibitors: Vec<(usize, u64)>,
}

/// A net that is being grown.
struct GrowingNet {
    tokens: Vec<u64>,
    pieces: Vec<GrownTransition>,
}

/// A small ring that is grown by chains, forks, joins, choices, doubles, loops, sources, sinks and packs of tokens. `inhibitors` of
/// a hundred nets have an inhibitor arc.
pub fn grown(random: &mut TestRng, inhibitors: usize) -> Net {
    let size = random.within(1, 3) as usize;
    let mut growth = GrowingNet { tokens: vec![0; size], pieces: Vec::new() };
    growth.tokens[0] = random.within(1, 2);
    for at in 0..size {
        let next = if random.percent(85) { vec![((at + 1) % size, 1)] } else { Vec::new() };
        growth.pieces.push(GrownTransition { pre: vec![(at, 1)], post: next, ..GrownTransition::default() });
    }
    for _ in 0..random.within(3, 8) {
        growth.grow(random);
    }
    if random.percent(inhibitors) {
        let place = random.below(growth.tokens.len());
        let limit = random.within(1, 2);
        growth.piece(random).inhibitors.push((place, limit));
    }
    growth.build()
}

impl GrowingNet {
    fn place(&mut self, tokens: u64) -> usize {
        self.tokens.push(tokens);
        self.tokens.len() - 1
    }

    fn piece(&mut self, random: &mut TestRng) -> &mut GrownTransition {
        let at = random.below(self.pieces.len());
        &mut self.pieces[at]
    }

    fn any_place(&self, random: &mut TestRng) -> usize {
        random.below(self.tokens.len())
    }

    fn grow(&mut self, random: &mut TestRng) {
        let old = self.any_place(random);
        let weight = if random.percent(80) { 1 } else { 2 };
        match random.below(17) {
            // A place becomes a chain: what took from it takes from a new one, which is filled from it.
            0 | 1 => {
                let initial = u64::from(random.percent(10));
                let new = self.place(initial);
                for piece in &mut self.pieces {
                    piece.pre.iter_mut().filter(|arc| arc.0 == old).for_each(|arc| arc.0 = new);
                }
                self.pieces.push(GrownTransition {
                    pre: vec![(old, 1)],
                    post: vec![(new, 1)],
                    ..GrownTransition::default()
                });
            }
            // A transition becomes two in a row.
            2 | 3 => {
                let initial = if random.percent(10) { weight } else { 0 };
                let new = self.place(initial);
                let piece = self.piece(random);
                let post = std::mem::replace(&mut piece.post, vec![(new, weight)]);
                let taken = if random.percent(80) { weight } else { 1 };
                self.pieces.push(GrownTransition {
                    pre: vec![(new, taken)],
                    post,
                    ..GrownTransition::default()
                });
            }
            // A fork and a join: one transition fills a new place, another empties it.
            4 => {
                let new = self.place(0);
                self.piece(random).post.push((new, 1));
                self.piece(random).pre.push((new, 1));
            }
            // A choice.
            5 | 6 => {
                let mut piece = self.piece(random).clone();
                piece.post = vec![(old, 1)];
                self.pieces.push(piece);
            }
            // Another way into a place.
            7 => {
                let mut piece = self.piece(random).clone();
                piece.pre = vec![(old, 1)];
                self.pieces.push(piece);
            }
            // A double, perhaps with a stronger guard.
            8 => {
                let mut piece = self.piece(random).clone();
                if random.percent(50) {
                    piece.pre.push((old, 1));
                    piece.post.push((old, 1));
                }
                self.pieces.push(piece);
            }
            // A place beside another, perhaps with more tokens.
            9 => {
                let initial = self.tokens[old] + u64::from(random.percent(30));
                let new = self.place(initial);
                for piece in &mut self.pieces {
                    let beside = |arcs: &[(usize, u64)]| -> Vec<(usize, u64)> {
                        arcs.iter().filter(|arc| arc.0 == old).map(|arc| (new, arc.1)).collect()
                    };
                    let (pre, post) = (beside(&piece.pre), beside(&piece.post));
                    piece.pre.extend(pre);
                    piece.post.extend(post);
                }
            }
            // A transition without effect, or one that tests a place.
            10 => {
                let arcs = vec![(old, weight)];
                self.pieces.push(GrownTransition {
                    pre: arcs.clone(),
                    post: arcs,
                    ..GrownTransition::default()
                });
            }
            11 => {
                let piece = self.piece(random);
                piece.pre.push((old, 1));
                piece.post.push((old, 1));
            }
            // A sink, or a place that is never marked.
            12 => {
                let new = self.place(0);
                if random.percent(60) {
                    self.piece(random).post.push((new, 1));
                } else {
                    let post = vec![(old, 1)];
                    self.pieces.push(GrownTransition {
                        pre: vec![(new, 1)],
                        post,
                        ..GrownTransition::default()
                    });
                }
            }
            // A source that others take from.
            13 => {
                let new = self.place(0);
                self.pieces.push(GrownTransition { post: vec![(new, weight)], ..GrownTransition::default() });
                self.piece(random).pre.push((new, 1));
            }
            // A place that holds what two others hold together.
            14 => {
                let other = self.any_place(random);
                let initial = self.tokens[old] + self.tokens[other];
                let new = self.place(initial);
                for piece in &mut self.pieces {
                    let sum = |arcs: &[(usize, u64)]| -> u64 {
                        arcs.iter().filter(|arc| arc.0 == old || arc.0 == other).map(|arc| arc.1).sum()
                    };
                    let (taken, given) = (sum(&piece.pre), sum(&piece.post));
                    // No arc is one of weight 0.
                    piece.pre.push((new, taken));
                    piece.post.push((new, given));
                }
            }
            // A place that tokens can go to and come back from.
            15 => {
                let new = self.place(0);
                self.pieces.push(GrownTransition {
                    pre: vec![(old, 1)],
                    post: vec![(new, 1)],
                    ..GrownTransition::default()
                });
                self.pieces.push(GrownTransition {
                    pre: vec![(new, 1)],
                    post: vec![(old, 1)],
                    ..GrownTransition::default()
                });
                if random.percent(50) {
                    let piece = self.piece(random);
                    piece.pre.push((new, 1));
                    piece.post.push((if random.percent(50) { new } else { old }, 1));
                }
            }
            // Tokens in packs of two.
            _ => {
                self.tokens[old] = 2 * self.tokens[old] + u64::from(random.percent(30));
                for piece in &mut self.pieces {
                    let arcs = piece.pre.iter_mut().chain(&mut piece.post).filter(|arc| arc.0 == old);
                    arcs.for_each(|arc| arc.1 *= 2);
                }
            }
        }
    }

    fn build(self) -> Net {
        let mut builder = NetBuilder::new("grown");
        let places: Vec<PlaceId> = self
            .tokens
            .iter()
            .enumerate()
            .map(|(at, &tokens)| builder.place(&format!("p{at}"), tokens).expect("a new name"))
            .collect();
        for (at, piece) in self.pieces.iter().enumerate() {
            let t = builder.transition(&format!("t{at}")).expect("a new name");
            piece.pre.iter().for_each(|&(place, weight)| builder.input(places[place], t, weight));
            piece.post.iter().for_each(|&(place, weight)| builder.output(t, places[place], weight));
            piece.inhibitors.iter().for_each(|&(place, limit)| builder.inhibitor(places[place], t, limit));
        }
        builder.build().expect("small weights")
    }
}
