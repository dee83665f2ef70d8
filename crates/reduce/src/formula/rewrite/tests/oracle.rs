//! The semantics that rules are tested against: for CTL the reference checker in every state of small nets, for LTL the
//! definitions of the operators on random words.

use fireset_net::{
    BoolTree, Budget, Formula, Logic, Net, PathAtom, PathFormula, StateAtom, StatePredicate, Temporal,
    reachability::GraphLimits, reachability::ReachabilityGraph,
};
use fireset_oracle::{
    self as reference,
    random::{self, NetShape, TestRng},
};

/// Formulas of one logic are compared on random samples.
pub(super) struct Oracle<'n> {
    pub(super) logic: Logic,
    graphs: Vec<ReachabilityGraph<'n, Net>>,
}

/// Runs a test in LTL and in CTL.
pub(super) fn in_both_logics(test: impl Fn(&Oracle<'_>)) {
    test(&Oracle { logic: Logic::Ltl, graphs: Vec::new() });
    let nets = nets();
    test(&Oracle { logic: Logic::Ctl, graphs: graphs(&nets) });
}

impl Oracle<'_> {
    pub(super) fn assert_equivalent(&self, random: &mut TestRng, label: &str, f: &Formula, g: &Formula) {
        self.assert_related(random, label, (f, g), |a, b| a == b);
    }

    /// Asserts a relation between the values of two formulas, at each position of some words or in each state of some nets.
    pub(super) fn assert_related(
        &self,
        random: &mut TestRng,
        label: &str,
        (f, g): (&Formula, &Formula),
        related: fn(bool, bool) -> bool,
    ) {
        let holds = |a: Vec<bool>, b: Vec<bool>| a.into_iter().zip(b).all(|(a, b)| related(a, b));
        match self.logic {
            Logic::Ltl => {
                for _ in 0..12 {
                    let word = UltimatelyPeriodicWord::random(random);
                    assert!(holds(word.values(f), word.values(g)), "{label}: {f:?}, {g:?} on {word:?}");
                }
            }
            Logic::Ctl => {
                for _ in 0..8 {
                    let graph = random.pick(&self.graphs);
                    assert!(
                        holds(values(graph, f), values(graph, g)),
                        "{label}: {f:?}, {g:?} on {:?}",
                        graph.net()
                    );
                }
            }
        }
    }
}

/// Nets with two places and two transitions at least, and with few states.
fn nets() -> Vec<Net> {
    let shape =
        |seed| NetShape { places: 3, transitions: 4, inhibitors: 10 * (seed % 3), ..NetShape::default() };
    let drawn = (0..600).map(|seed| random::net(&mut TestRng::new(seed), &shape(seed as usize)));
    drawn.filter(|net| net.nodes().places.len() > 1 && net.nodes().transitions.len() > 1).collect()
}

/// The graphs of nets, as far as they are small and complete.
fn graphs(nets: &[Net]) -> Vec<ReachabilityGraph<'_, Net>> {
    let limits = GraphLimits { states: 25, edges: true };
    let all = nets.iter().map(|net| ReachabilityGraph::explore(net, limits, &Budget::unlimited(), &mut ()));
    let graphs: Vec<ReachabilityGraph<'_, Net>> =
        all.filter(|graph| graph.complete().is_ok() && graph.states().len() > 1).collect();
    let deadlocks = graphs.iter().filter(|graph| (0..graph.states().len()).any(|s| graph.is_deadlock(s)));
    assert!(graphs.len() > 150 && deadlocks.count() * 4 > graphs.len(), "{}", graphs.len());
    graphs
}

/// The value of a CTL formula in each state.
fn values(graph: &ReachabilityGraph<'_, Net>, f: &Formula) -> Vec<bool> {
    let f = f.try_into().expect("a CTL formula");
    reference::satisfying(graph, &f).expect("a complete graph")
}

/// The tokens of two places and the enabled ones of two transitions at a position of a word.
#[derive(Debug)]
struct Letter {
    tokens: [u64; 2],
    enabled: [bool; 2],
    /// Whether a transition that no formula names is enabled.
    more: bool,
}

impl Letter {
    fn has(&self, predicate: &StatePredicate) -> bool {
        predicate.value(&mut |atom| match atom {
            StateAtom::Deadlock => self.enabled == [false; 2] && !self.more,
            StateAtom::Fireable(ts) => ts.iter().any(|t| self.enabled[t.index()]),
            StateAtom::BindingFireable(_) => unreachable!("no formula here names bindings"),
            StateAtom::Compare(how, a, b) => {
                a.compare(*how, b, &|p: fireset_net::PlaceId| u128::from(self.tokens[p.index()]))
            }
        })
    }
}

/// A word without end: after the last letter comes the one at `back_to`.
#[derive(Debug)]
struct UltimatelyPeriodicWord {
    letters: Vec<Letter>,
    back_to: usize,
}

impl UltimatelyPeriodicWord {
    fn random(random: &mut TestRng) -> Self {
        let mut flag = |percent| random.percent(percent);
        let length = 1 + usize::from(flag(80)) + usize::from(flag(60)) + usize::from(flag(50));
        let mut letter = || Letter {
            tokens: [u64::from(flag(50)) + u64::from(flag(30)), u64::from(flag(50))],
            enabled: [flag(40), flag(40)],
            more: flag(30),
        };
        let letters: Vec<Letter> = (0..length).map(|_| letter()).collect();
        Self { back_to: random.below(length), letters }
    }

    /// All positions from `at` on, each once, in the order in which they come.
    fn from(&self, at: usize) -> impl Iterator<Item = usize> {
        let again = self.back_to.min(at)..at;
        (at..self.letters.len()).chain(again)
    }

    /// The value of a path formula at each position, read off the definitions.
    fn values(&self, f: &Formula) -> Vec<bool> {
        self.path_values(&f.try_into().expect("a path formula"))
    }

    fn path_values(&self, f: &PathFormula) -> Vec<bool> {
        if let BoolTree::Atom(PathAtom::Temporal((), operator)) = f {
            return self.temporal_values(&operator.map(&mut |f| self.path_values(f)));
        }
        let below: Vec<Vec<bool>> = f.children().map(|child| self.path_values(child)).collect();
        let value = |at: usize| match f {
            BoolTree::Constant(value) => *value,
            BoolTree::Not(_) => !below[0][at],
            BoolTree::And(_) => below.iter().all(|v| v[at]),
            BoolTree::Or(_) => below.iter().any(|v| v[at]),
            BoolTree::Iff(_) => below[0][at] == below[1][at],
            BoolTree::Atom(PathAtom::State(predicate)) => self.letters[at].has(predicate),
            BoolTree::Atom(PathAtom::Temporal(..)) => unreachable!("treated above"),
        };
        (0..self.letters.len()).map(value).collect()
    }

    /// The values of an operator at all positions, from those of its operands.
    fn temporal_values(&self, operator: &Temporal<Vec<bool>>) -> Vec<bool> {
        let until = |at: usize, hold: &dyn Fn(usize) -> bool, reach: &dyn Fn(usize) -> bool| {
            self.from(at).find(|&i| reach(i) || !hold(i)).map(reach)
        };
        let value = |at: usize| match operator {
            Temporal::Next(f) => f[if at + 1 == self.letters.len() { self.back_to } else { at + 1 }],
            Temporal::Finally(f) => self.from(at).any(|i| f[i]),
            Temporal::Globally(f) => self.from(at).all(|i| f[i]),
            Temporal::Until(f, g) => until(at, &|i| f[i], &|i| g[i]) == Some(true),
            Temporal::WeakUntil(f, g) => until(at, &|i| f[i], &|i| g[i]) != Some(false),
            Temporal::Release(f, g) => until(at, &|i| !f[i], &|i| !g[i]) != Some(true),
        };
        (0..self.letters.len()).map(value).collect()
    }
}
