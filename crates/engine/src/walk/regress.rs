//! Regression: a search from a goal that is not met back to transitions that are enabled.
//!
//! A goal lacks tokens in a place, or has too many. Transitions that add or remove them help; where one is not enabled,
//! the tokens that it lacks become needs too. The search goes back breadth-first until it meets enabled transitions, so in a net
//! whose parts depend on each other by long chains it finds the first transition to fire, where the distance tells nothing. It
//! does not see that firing one may take from another, so it is a guess. Cost: the arcs that are met, at most [`MOST`]
//! transitions.

use fireset_kernel::random::Random;
use fireset_net::{
    Comparison, Net, PlaceId, TransitionId,
    token_game::{TokenChange, TokenGame},
};

use super::{
    below,
    evaluator::{GoalEvaluator, GoalTree},
};
use crate::{
    distance::{FAR, missing},
    search::PredicateAtom,
    stubborn::ArcIndex,
};

/// The number of transitions that one search visits.
const MOST: usize = 512;
/// The number of places of a sum that become needs.
const TERMS: usize = 64;

/// Searches back from goals and from transitions.
#[derive(Debug)]
pub(super) struct Regression<'a> {
    arcs: &'a ArcIndex<'a>,
    net: &'a Net,
    /// The search in which a need, or a transition, was met last.
    needs_seen: Vec<u32>,
    seen: Vec<u32>,
    now: u32,
    queue: Vec<TokenNeed>,
    found: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct TokenNeed {
    place: PlaceId,
    /// Whether the place needs more tokens, or fewer.
    more: bool,
}

impl<'a> Regression<'a> {
    pub(super) fn new(net: &'a Net, arcs: &'a ArcIndex<'a>) -> Self {
        let (places, transitions) = (net.nodes().places.len(), net.nodes().transitions.len());
        Self {
            arcs,
            net,
            needs_seen: vec![0; 2 * places],
            seen: vec![0; transitions],
            now: 0,
            queue: Vec::new(),
            found: Vec::new(),
        }
    }

    /// An enabled transition that may help to meet the evaluator's first goal.
    pub(super) fn helper(
        &mut self,
        evaluator: &GoalEvaluator,
        game: &TokenGame<'_>,
        random: &mut Random,
    ) -> Option<u32> {
        self.begin();
        let (tree, want) = &evaluator.goals[0];
        let (atom, want) = weak_point(evaluator, (tree, *want), game, random)?;
        self.needs_of(evaluator, atom, want, game, random);
        self.search(game);
        self.any(random)
    }

    /// An enabled transition that may help to enable another.
    pub(super) fn enabler(
        &mut self,
        transition: u32,
        game: &TokenGame<'_>,
        random: &mut Random,
    ) -> Option<u32> {
        self.begin();
        self.needs_to_fire(transition, game);
        self.search(game);
        self.any(random)
    }

    /// Whether changes are among those that the last search looked for.
    pub(super) fn asked_for(&self, changes: &[TokenChange]) -> bool {
        changes.iter().any(|c| self.needs_seen[2 * c.place as usize + usize::from(c.gives)] == self.now)
    }

    fn begin(&mut self) {
        self.queue.clear();
        self.found.clear();
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.needs_seen.fill(0);
            self.seen.fill(0);
            self.now = 1;
        }
    }

    fn any(&self, random: &mut Random) -> Option<u32> {
        if self.found.is_empty() { None } else { Some(self.found[below(random, self.found.len())]) }
    }

    /// What an atom lacks to have a value.
    fn needs_of(
        &mut self,
        evaluator: &GoalEvaluator,
        atom: u32,
        want: bool,
        game: &TokenGame<'_>,
        random: &mut Random,
    ) {
        match &evaluator.atoms[atom as usize] {
            PredicateAtom::Deadlock | PredicateAtom::BindingFireable(_) => {}
            PredicateAtom::Fireable(ts) if want => {
                let Some(&any) = ts.get(below(random, ts.len().max(1))) else { return };
                let tokens = |p: PlaceId| game.tokens()[p.index()];
                let lacks = |&&t: &&TransitionId| missing(self.net, t, &tokens);
                let nearest = if random.percent(50) { ts.iter().min_by_key(lacks) } else { None };
                self.needs_to_fire(nearest.unwrap_or(&any).index() as u32, game);
            }
            PredicateAtom::Fireable(ts) => {
                for &t in ts.iter().filter(|t| game.is_enabled(t.index() as u32)) {
                    let net = self.net;
                    net.pre(t).iter().for_each(|arc| self.need(arc.place, false));
                    net.inhibitors(t).iter().for_each(|arc| self.need(arc.place, true));
                }
            }
            PredicateAtom::Linear(how, terms, _) => {
                let number = evaluator.number(atom);
                let up = match if want { *how } else { how.negate() } {
                    Comparison::Less | Comparison::LessEqual => false,
                    Comparison::Greater | Comparison::GreaterEqual => true,
                    Comparison::Equal => number < 0,
                    Comparison::NotEqual => random.percent(50),
                };
                let start = below(random, terms.len().max(1));
                for &(place, factor) in terms[start..].iter().chain(&terms[..start]).take(TERMS) {
                    self.need(place, (factor > 0) == up);
                }
            }
            PredicateAtom::Nonlinear(..) => {
                let mut places = Vec::new();
                evaluator.atoms[atom as usize].counted_places(&mut |place| places.push(place));
                places.into_iter().for_each(|place| self.need(place, random.percent(50)));
            }
        }
    }

    /// Adds the needs of a transition that is not enabled.
    fn needs_to_fire(&mut self, transition: u32, game: &TokenGame<'_>) {
        let (net, t, tokens) = (self.net, TransitionId::new(transition as usize), game.tokens());
        let lacking = net.pre(t).iter().filter(|arc| tokens[arc.place.index()] < arc.weight);
        lacking.for_each(|arc| self.need(arc.place, true));
        let blocking = net.inhibitors(t).iter().filter(|arc| tokens[arc.place.index()] >= arc.weight);
        blocking.for_each(|arc| self.need(arc.place, false));
    }

    fn need(&mut self, place: PlaceId, more: bool) {
        let seen = &mut self.needs_seen[2 * place.index() + usize::from(more)];
        if std::mem::replace(seen, self.now) != self.now {
            self.queue.push(TokenNeed { place, more });
        }
    }

    /// Searches back from the needs until it meets enabled transitions.
    fn search(&mut self, game: &TokenGame<'_>) {
        let arcs = self.arcs;
        let (mut at, mut looked) = (0, 0);
        while self.found.is_empty() && at < self.queue.len() {
            // All enabled transitions of one level are equally near.
            let level = at..self.queue.len();
            at = level.end;
            for next in level {
                let TokenNeed { place, more } = self.queue[next];
                let helping = if more { &arcs.raising } else { &arcs.lowering };
                for &(t, _) in &helping[place.index()] {
                    if std::mem::replace(&mut self.seen[t as usize], self.now) == self.now {
                        continue;
                    }
                    looked += 1;
                    if game.is_enabled(t) {
                        self.found.push(t);
                    } else if self.found.is_empty() {
                        self.needs_to_fire(t, game);
                    }
                }
                if looked > MOST {
                    return;
                }
            }
        }
    }
}

/// An atom that keeps a tree from having a value, and the value that the atom should have.
fn weak_point(
    evaluator: &GoalEvaluator,
    (mut node, mut want): (&GoalTree, bool),
    game: &TokenGame<'_>,
    random: &mut Random,
) -> Option<(u32, bool)> {
    loop {
        let far = |node: &GoalTree| evaluator.distance_to(node, want, game);
        match node {
            GoalTree::Constant(_) => return None,
            GoalTree::Atom(atom) => return Some((*atom, want)),
            GoalTree::Not(inner) => (node, want) = (inner, !want),
            GoalTree::And(nodes) | GoalTree::Or(nodes) => {
                let all = matches!(node, GoalTree::And(_)) == want;
                let open: Vec<(u64, &GoalTree)> =
                    nodes.iter().map(|n| (far(n), n)).filter(|n| n.0 > 0 && n.0 < FAR).collect();
                let any = open.get(below(random, open.len().max(1)))?.1;
                let nearest = open.iter().min_by_key(|n| n.0)?.1;
                node = if all || random.percent(50) { any } else { nearest };
            }
            GoalTree::Iff(sides) => {
                let both = |a, b| {
                    evaluator.distance_to(&sides.0, a, game) + evaluator.distance_to(&sides.1, b, game)
                };
                let first = both(true, want) <= both(false, !want);
                let second = first == want;
                let left = evaluator.distance_to(&sides.0, first, game) > 0;
                let right = evaluator.distance_to(&sides.1, second, game) > 0;
                let go_left = left && (!right || random.percent(50));
                (node, want) = if go_left { (&sides.0, first) } else { (&sides.1, second) };
            }
        }
    }
}
