//! Queries that see little of a net, of every kind that reductions tell apart.

use fireset_net::{Comparison, Expr, Formula, Net, PlaceId, Quantifier, Query, TransitionId};
use fireset_oracle::{
    query,
    random::{self, TestRng},
};

/// What a query asks a reduction to preserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NarrowQueryKind {
    Reachability,
    Deadlock,
    DeadlockAlone,
    DeadlockAnywhere,
    Bound,
    Linear,
    LinearNext,
    Branching,
    BranchingNext,
}

impl NarrowQueryKind {
    pub const ALL: [Self; 9] = [
        Self::Reachability,
        Self::Deadlock,
        Self::DeadlockAlone,
        Self::DeadlockAnywhere,
        Self::Bound,
        Self::Linear,
        Self::LinearNext,
        Self::Branching,
        Self::BranchingNext,
    ];

    fn has_deadlock(self) -> bool {
        matches!(self, Self::Deadlock | Self::DeadlockAnywhere | Self::LinearNext | Self::BranchingNext)
    }

    fn has_next(self) -> bool {
        matches!(self, Self::LinearNext | Self::BranchingNext)
    }
}

/// What a query may speak of.
struct Sight {
    kind: NarrowQueryKind,
    places: Vec<PlaceId>,
    transition: Option<TransitionId>,
}

/// A query that sees one or two places, and perhaps a transition.
pub fn query(random: &mut TestRng, net: &Net, kind: NarrowQueryKind) -> Query {
    let nodes = net.nodes();
    let all: Vec<PlaceId> = nodes.place_ids().collect();
    let transitions: Vec<TransitionId> = nodes.transition_ids().collect();
    let sight = Sight {
        kind,
        places: (0..random.within(1, 3)).map(|_| *random.pick(&all)).collect(),
        transition: random.percent(35).then(|| *random.pick(&transitions)),
    };
    let quantifier = *random.pick(&[Quantifier::ForAll, Quantifier::Exists]);
    let narrow = |random: &mut TestRng, formula: Formula| sight.narrow(random, formula);
    match kind {
        NarrowQueryKind::Bound => Query::Bound(sight.places),
        NarrowQueryKind::DeadlockAlone => query::reachable(Formula::Deadlock),
        NarrowQueryKind::Reachability | NarrowQueryKind::Deadlock | NarrowQueryKind::DeadlockAnywhere => {
            let mut predicate = random::predicate(random, nodes, 2).into();
            predicate = narrow(random, predicate);
            match kind {
                NarrowQueryKind::Deadlock => predicate = Formula::And(vec![Formula::Deadlock, predicate]),
                NarrowQueryKind::DeadlockAnywhere if random.percent(30) => {
                    predicate = Formula::And(vec![Formula::Deadlock.negate(), predicate]);
                }
                _ => {}
            }
            match quantifier {
                Quantifier::Exists => query::reachable(predicate),
                Quantifier::ForAll => query::invariant(predicate.negate()),
            }
        }
        NarrowQueryKind::Linear | NarrowQueryKind::LinearNext => {
            let nesting = random.within(1, 3) as usize;
            let path = random::nested_path(random, nodes, nesting);
            query::ltl(quantifier, narrow(random, path.into()))
        }
        NarrowQueryKind::Branching | NarrowQueryKind::BranchingNext => {
            if random.percent(40) {
                return query::ctl(sight.choice(random));
            }
            let nesting = random.within(1, 3) as usize;
            let formula = random::nested_ctl(random, nodes, nesting);
            query::ctl(narrow(random, formula.into()))
        }
    }
}

impl Sight {
    /// The formula with atoms that speak of what is seen only.
    fn narrow(&self, random: &mut TestRng, formula: Formula) -> Formula {
        match formula {
            Formula::Deadlock if self.kind.has_deadlock() => Formula::Deadlock,
            Formula::Deadlock | Formula::Fireable(_) | Formula::Compare(..) => self.atom(random),
            Formula::Next(f) if !self.kind.has_next() => Formula::Finally(Box::new(self.narrow(random, *f))),
            other => other.map_children(&mut |child| self.narrow(random, child)),
        }
    }

    /// That a marking can be reached, or cannot be avoided, in which it is still open what comes.
    fn choice(&self, random: &mut TestRng) -> Formula {
        let first = self.atom(random);
        let still = |random: &mut TestRng| {
            let atom = self.atom(random);
            if random.percent(70) {
                atom.possible()
            } else {
                Formula::ForAll(Box::new(Formula::Finally(Box::new(atom))))
            }
        };
        let (second, third) = (still(random), still(random));
        let open = Formula::And(vec![first, second, if random.percent(50) { third } else { third.negate() }]);
        match random.below(3) {
            0 => open.possible(),
            1 => open.negate().invariant(),
            _ => Formula::ForAll(Box::new(Formula::Finally(Box::new(open)))),
        }
    }

    fn atom(&self, random: &mut TestRng) -> Formula {
        if let Some(transition) = self.transition.filter(|_| random.percent(50)) {
            return Formula::Fireable(vec![transition]);
        }
        let how = *random.pick(&Comparison::ALL);
        let tokens = Expr::Tokens(vec![*random.pick(&self.places)]);
        let other = match random.below(4) {
            0 => Expr::Tokens(vec![*random.pick(&self.places)]),
            _ => Expr::Constant(random.below(3) as i64),
        };
        Formula::Compare(how, tokens, other)
    }
}
