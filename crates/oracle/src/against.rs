//! Engines and passes compared with the oracle on random problems.
//!
//! A test says in an [`OracleTest`] what is drawn, and gives [`against_oracle`] a closure that decides a problem: an
//! engine, a whole portfolio, or a pass whose smaller problem the oracle decides. Every verdict is compared with the
//! oracle's, all evidence is replayed on the problem as drawn, and the counts that come back tell whether the test saw
//! enough of everything. A failure names the seed, the configuration, the net in its [text form](crate::tiny) and the query.

use std::{collections::BTreeMap, fmt::Debug, ops::Range, sync::Arc, thread};

use fireset_net::{
    Budget, Count, Formula, Global, Model, NamedProperty, Outcome, Problem, Query, StopReason, Verdict,
    replay,
};

use crate::{by_coverability_graph, outcomes, random::TestRng, tiny};

/// What is drawn for a comparison, and which configurations are compared on it.
pub struct OracleTest<'a, C> {
    /// One problem is drawn for each seed.
    pub seeds: Range<u64>,
    /// Draws a net; the seed says which family, where a test divides its seeds among several.
    pub model: &'a dyn Fn(&mut TestRng, u64) -> Model,
    /// Draws queries about the net.
    pub queries: &'a dyn Fn(&mut TestRng, &Model) -> Vec<Query>,
    /// The markings of a net that the oracle may hold.
    pub max_states: usize,
    /// The configurations that are compared on a problem; the problem is left out where there are none.
    pub configurations: &'a dyn Fn(&mut OracleCase) -> Vec<C>,
    /// Whether the reason of an `unknown` is a good one; otherwise it fails the test.
    pub may_stop: &'a dyn Fn(&OracleCase, &StopReason) -> bool,
    /// The limits of each configuration.
    pub budget: &'a dyn Fn(&C) -> Budget,
}

/// How many reachable markings the oracle found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateCount {
    /// All of them, within its limit.
    Finite,
    /// A covering pair shows that there are infinitely many.
    Infinite,
    /// More than its limit.
    TooMany,
    /// Some count leaves 64 bits, and what was seen does not show that there are infinitely many.
    Overflow,
}

/// A random problem with the oracle's answers.
#[derive(Debug)]
pub struct OracleCase {
    /// What it was drawn from.
    pub seed: u64,
    /// Goes on after the queries were drawn.
    pub random: TestRng,
    /// The net and its queries.
    pub problem: Problem,
    /// The oracle's outcome of each query.
    pub expected: Vec<Outcome>,
    /// How many states the reachability graph has.
    pub states: StateCount,
}

impl OracleCase {
    /// Asks the oracle about a problem.
    pub fn new(seed: u64, random: TestRng, problem: Problem, max_states: usize) -> Self {
        let mut asked = problem.queries.clone();
        asked.push(Query::Global(Global::StateSpace));
        let mut expected = outcomes(&problem.model, &asked, max_states, &Budget::unlimited());
        let states = match expected.pop().map(|size| size.verdict) {
            Some(Verdict::StateSpace(figures)) if figures.states == Count::Infinite => StateCount::Infinite,
            Some(Verdict::StateSpace(_)) => StateCount::Finite,
            Some(Verdict::Unknown(StopReason::Overflow)) => StateCount::Overflow,
            _ => StateCount::TooMany,
        };
        Self { seed, random, problem, expected, states }
    }

    /// Answers queries that the infinite state space leaves open by the coverability graph, with at most `max_nodes` nodes.
    pub fn ask_coverability_graph(&mut self, max_nodes: usize) {
        let Model::Plain(net) = &*self.problem.model else { return };
        let verdicts = by_coverability_graph(net, &self.problem.queries, max_nodes);
        for (expected, verdict) in self.expected.iter_mut().zip(verdicts) {
            if let Some(verdict) = verdict.filter(|_| is_unknown(expected)) {
                expected.verdict = verdict;
            }
        }
    }

    /// Whether all reachable markings are known.
    pub fn is_finite(&self) -> bool {
        self.states == StateCount::Finite
    }

    /// Whether a search may meet a count that leaves 64 bits.
    pub fn may_overflow(&self) -> bool {
        matches!(self.states, StateCount::Infinite | StateCount::Overflow)
    }

    /// Whether the oracle answered all queries.
    pub fn is_decided(&self) -> bool {
        !self.expected.iter().any(is_unknown)
    }

    /// The query at a position with everything that is needed to draw or write the problem again.
    pub fn describe(&self, at: usize) -> String {
        format!("seed {}: {:?}\non {}", self.seed, self.problem.queries[at], self.net())
    }

    fn net(&self) -> String {
        match &*self.problem.model {
            Model::Plain(net) => match net.nupn() {
                Some(nupn) => format!("`{}` with {nupn:?}", tiny::text(net)),
                None => format!("`{}`", tiny::text(net)),
            },
            Model::Coloured(net) => format!("{net:?}"),
        }
    }

    /// Compares outcomes with those expected and replays their evidence; `None` stands for a query that was not answered.
    ///
    /// # Panics
    /// When a verdict is wrong, evidence does not replay, or an unknown has a reason that `may_stop` does not take.
    pub fn compare(
        &self,
        given: &[Option<Outcome>],
        may_stop: &dyn Fn(&Self, &StopReason) -> bool,
        configuration: &dyn Debug,
    ) -> OracleCounts {
        let mut counts = OracleCounts::default();
        for (at, (given, expected)) in given.iter().zip(&self.expected).enumerate() {
            let (model, query) = (&*self.problem.model, &self.problem.queries[at]);
            let about = || format!("{configuration:?}\n{}", self.describe(at));
            let Some(given) = given else {
                counts.unanswered += 1;
                continue;
            };
            if let Verdict::Unknown(reason) = &given.verdict {
                assert!(may_stop(self, reason), "{reason:?} is no reason\n{}", about());
                counts.unknown += 1;
                continue;
            }
            if let Some(evidence) = &given.evidence {
                match replay::confirm(model, query, &given.verdict, evidence) {
                    Ok(()) => counts.with_evidence += 1,
                    Err(replay::Refusal::TooHard(_)) => counts.too_hard += 1,
                    Err(why) if why.is_overflow() && self.may_overflow() => counts.overflowed += 1,
                    Err(why) => {
                        panic!("evidence is refused: {}\n{evidence:?}\n{}", why.describe(model), about())
                    }
                }
            }
            if is_unknown(expected) {
                counts.beyond_oracle += 1;
                continue;
            }
            assert_eq!(given.verdict, expected.verdict, "\n{}", about());
            counts.lost_evidence += usize::from(given.evidence.is_none() && expected.evidence.is_some());
            counts.add(query, &given.verdict);
        }
        counts
    }
}

fn is_unknown(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Unknown(_))
}

/// How many answers of each sort were compared. The first four count nets.
#[derive(Clone, Debug, Default)]
pub struct OracleCounts {
    /// Problems on which some configuration was compared.
    pub problems: usize,
    /// Drawn nets of which a covering pair shows that they have infinitely many markings.
    pub infinite: usize,
    /// Drawn nets with more markings than the oracle may hold.
    pub too_many: usize,
    /// Drawn nets whose counts leave 64 bits.
    pub overflows: usize,
    /// Verdicts that equal the oracle's, of all kinds.
    pub compared: usize,
    /// Of those, the ones that a query holds.
    pub holds: usize,
    /// Of those, the ones that a query fails.
    pub fails: usize,
    /// Of those, the ones that are a bound.
    pub bounds: usize,
    /// Answers that the oracle, with its limit, could not give.
    pub beyond_oracle: usize,
    /// Outcomes that are unknown, with a reason that the test takes.
    pub unknown: usize,
    /// Queries without an outcome.
    pub unanswered: usize,
    /// Evidence that was replayed.
    pub with_evidence: usize,
    /// Certificates that the replay has too little effort for.
    pub too_hard: usize,
    /// Runs that a pass found on a smaller net, and whose counts leave 64 bits on the net as drawn.
    pub overflowed: usize,
    /// Verdicts without evidence where the oracle has some.
    pub lost_evidence: usize,
    /// The temporal depth of formulas with a compared verdict.
    pub nested: [usize; 8],
    kinds: BTreeMap<&'static str, KindCounts>,
}

/// The compared verdicts of one kind of query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindCounts {
    /// Verdicts of all sorts.
    pub compared: usize,
    /// Of those, `holds`.
    pub holds: usize,
    /// Of those, `fails`.
    pub fails: usize,
}

impl OracleCounts {
    fn add(&mut self, query: &Query, verdict: &Verdict) {
        let (holds, fails) = (*verdict == Verdict::Holds, *verdict == Verdict::Fails);
        self.compared += 1;
        self.holds += usize::from(holds);
        self.fails += usize::from(fails);
        self.bounds += usize::from(matches!(verdict, Verdict::Bound(_)));
        let depth = match query {
            Query::Ctl(formula) => Some(formula.temporal_depth()),
            Query::Ltl(_, path) => Some(path.temporal_depth()),
            Query::Run(run) => Some(Formula::from(&run.formula).temporal_depth()),
            Query::CtlStar(formula) => Some(Formula::from(formula).temporal_depth()),
            _ => None,
        };
        depth.into_iter().for_each(|depth| self.nested[depth.min(7)] += 1);
        let kind = self.kinds.entry(kind_name(query)).or_default();
        kind.compared += 1;
        kind.holds += usize::from(holds);
        kind.fails += usize::from(fails);
    }

    /// The counts of one kind: `reachable`, `invariant`, `ctl`, `ltl`, `run`, `ctl-star`, `bound`, `state-space`, `one-safe`,
    /// `stable-marking`, `quasi-liveness`, `liveness`, or a named property that is no formula: `bounded`, `k-bounded`,
    /// `reversible`, `repeatable` (the second and third level of liveness), `persistent` or `terminating`.
    pub fn kind(&self, name: &str) -> KindCounts {
        self.kinds.get(name).copied().unwrap_or_default()
    }
}

impl std::ops::AddAssign for OracleCounts {
    fn add_assign(&mut self, other: Self) {
        self.problems += other.problems;
        self.infinite += other.infinite;
        self.too_many += other.too_many;
        self.overflows += other.overflows;
        self.compared += other.compared;
        self.holds += other.holds;
        self.fails += other.fails;
        self.bounds += other.bounds;
        self.beyond_oracle += other.beyond_oracle;
        self.unknown += other.unknown;
        self.unanswered += other.unanswered;
        self.with_evidence += other.with_evidence;
        self.too_hard += other.too_hard;
        self.overflowed += other.overflowed;
        self.lost_evidence += other.lost_evidence;
        self.nested.iter_mut().zip(other.nested).for_each(|(all, more)| *all += more);
        for (kind, more) in other.kinds {
            let all = self.kinds.entry(kind).or_default();
            all.compared += more.compared;
            all.holds += more.holds;
            all.fails += more.fails;
        }
    }
}

fn kind_name(query: &Query) -> &'static str {
    match query {
        Query::Reachable(_) => "reachable",
        Query::Invariant(_) => "invariant",
        Query::Ctl(_) => "ctl",
        Query::Ltl(..) => "ltl",
        Query::Run(_) => "run",
        Query::CtlStar(_) => "ctl-star",
        Query::Bound(_) | Query::ColourBound(_) => "bound",
        Query::Global(Global::StateSpace) => "state-space",
        Query::Global(Global::OneSafe) => "one-safe",
        Query::Global(Global::StableMarking) => "stable-marking",
        Query::Global(Global::QuasiLiveness) => "quasi-liveness",
        Query::Global(Global::Liveness) => "liveness",
        Query::Named(NamedProperty::Bounded(_)) => "bounded",
        Query::Named(NamedProperty::KBounded(..)) => "k-bounded",
        Query::Named(NamedProperty::Reversible) => "reversible",
        Query::Named(NamedProperty::Live(..)) => "repeatable",
        Query::Named(NamedProperty::Persistent) => "persistent",
        Query::Named(NamedProperty::Terminating) => "terminating",
        Query::Named(NamedProperty::Sound(notion, _)) => notion.name(),
        Query::Named(_) => "formula",
    }
}

/// Says which problem was at work when a test panics inside of an engine.
struct PanicNote<'a>(&'a OracleCase, String);

impl Drop for PanicNote<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            #[allow(clippy::print_stderr, reason = "a failing test has no other way to say it")]
            {
                eprintln!(
                    "seed {} with {}\n{:?}\non {}",
                    self.0.seed,
                    self.1,
                    self.0.problem.queries,
                    self.0.net()
                );
            }
        }
    }
}

/// Compares all configurations on all problems of a test. `decide` reports at most one outcome for each query's
/// position; `inspect` takes the outcomes of a configuration that agreed with the oracle, for what only one test looks at.
///
/// # Panics
/// When a configuration is wrong, see [`OracleCase::compare`], or answers a query twice.
pub fn against_oracle<C: Debug>(
    test: &OracleTest<'_, C>,
    mut decide: impl FnMut(&C, &Problem, &Budget, &mut dyn FnMut(usize, Outcome)),
    mut inspect: impl FnMut(&mut OracleCase, &C, &[Option<Outcome>]),
) -> OracleCounts {
    let mut counts = OracleCounts::default();
    for seed in test.seeds.clone() {
        let mut random = TestRng::new(seed);
        let model = (test.model)(&mut random, seed);
        let queries = (test.queries)(&mut random, &model);
        let problem = Problem { model: Arc::new(model), queries };
        let mut case = OracleCase::new(seed, random, problem, test.max_states);
        counts.infinite += usize::from(case.states == StateCount::Infinite);
        counts.too_many += usize::from(case.states == StateCount::TooMany);
        counts.overflows += usize::from(case.states == StateCount::Overflow);
        let configurations = (test.configurations)(&mut case);
        counts.problems += usize::from(!configurations.is_empty());
        for configuration in configurations {
            let note = PanicNote(&case, format!("{configuration:?}"));
            let mut given: Vec<Option<Outcome>> = vec![None; case.problem.queries.len()];
            decide(&configuration, &case.problem, &(test.budget)(&configuration), &mut |at, outcome| {
                assert!(given[at].replace(outcome).is_none(), "query {at} is answered twice");
            });
            counts += case.compare(&given, test.may_stop, &configuration);
            drop(note);
            inspect(&mut case, &configuration, &given);
        }
    }
    counts
}
