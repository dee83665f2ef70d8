//! Answers: verdicts, the evidence for them, and what finding them cost.

use std::{fmt, time::Duration};

use num_bigint::BigUint;

use crate::{Certificate, Formula, Step};

/// A number that may be infinite.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// A number of any size.
    Finite(BigUint),
    /// There is no largest number: the net is unbounded.
    Infinite,
}

impl<N: Into<BigUint>> From<N> for Count {
    fn from(n: N) -> Self {
        Self::Finite(n.into())
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finite(n) => n.fmt(f),
            Self::Infinite => f.write_str("+inf"),
        }
    }
}

/// How many states and firings there are, and the most tokens; what the StateSpace examination asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSpaceSize {
    /// Reachable markings.
    pub states: Count,
    /// Firings between them, each transition or binding counted.
    pub firings: Count,
    /// The most tokens in a marking.
    pub max_in_marking: Count,
    /// The most tokens in a place; on a coloured net, of one colour in a place.
    pub max_in_place: Count,
}

impl StateSpaceSize {
    /// Those of an infinite state space.
    pub const INFINITE: Self = Self {
        states: Count::Infinite,
        firings: Count::Infinite,
        max_in_marking: Count::Infinite,
        max_in_place: Count::Infinite,
    };
}

/// The parts of a [`StateSpaceSize`] that are known while the numbers of states and firings are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialStateSpace {
    /// The most tokens in a marking, if known.
    pub max_in_marking: Option<Count>,
    /// The most tokens in a place, if known; on a coloured net, of one colour in a place.
    pub max_in_place: Option<Count>,
    /// Why the other parts are unknown.
    pub reason: StopReason,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The deadline is over.
    Time,
    /// The memory is used up.
    Memory,
    /// A signal stopped the search.
    Cancelled,
    /// There are more states than the search may keep.
    States(usize),
    /// A token count does not fit into 64 bits.
    Overflow,
    /// A transition has more bindings than can be tried.
    Bindings(u64),
    /// The formula has more temporal operators than the method can handle.
    Formula(usize),
    /// A coloured net is too large to be unfolded with the part of time and memory that may go into it.
    Unfolding,
    /// There are infinitely many states, and what was seen does not decide the property.
    Unbounded,
    /// No engine accepts the property.
    NoEngine,
    /// An engine broke; its answers are dropped.
    Fault(String),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time => f.write_str("out of time (raise --timeout)"),
            Self::Memory => f.write_str("out of memory (raise --memory)"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::States(limit) => write!(f, "more than {limit} states"),
            Self::Overflow => f.write_str("a token count does not fit into 64 bits"),
            Self::Bindings(count) => write!(f, "{count} bindings are too many to try"),
            Self::Formula(operators) => write!(f, "{operators} temporal operators are too many"),
            Self::Unfolding => f.write_str("the net is too large to unfold (raise --timeout or --memory)"),
            Self::Unbounded => f.write_str("the net has infinitely many states"),
            Self::NoEngine => f.write_str("no engine accepts the property"),
            Self::Fault(what) => write!(f, "internal fault, please report it: {what}"),
        }
    }
}

/// The answer to a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The property is true of the net.
    Holds,
    /// It does not hold.
    Fails,
    /// The largest number of tokens that the places of a bound query hold together.
    Bound(Count),
    /// The counts of the state-space query.
    StateSpace(StateSpaceSize),
    /// Some counts of the state-space query, and why the others are unknown.
    PartialStateSpace(PartialStateSpace),
    /// No answer, and why.
    Unknown(StopReason),
}

impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

/// Firings from the initial marking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace(pub Vec<Step>);

/// An infinite run: a prefix from the initial marking, then a cycle for ever. An empty cycle says that the
/// prefix ends in a deadlock, whose marking repeats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lasso {
    /// From the initial marking to the cycle.
    pub prefix: Vec<Step>,
    /// Back to where it starts.
    pub cycle: Vec<Step>,
}

/// Runs that branch: together they show the value of a formula about many runs, as CTL has them.
///
/// States are numbered as they come: 0 is the initial marking, and each step of each run leads to the next number.
/// Numbers may name the same marking, so that a run that comes back to one closes a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branching {
    /// The runs, each from a state of those before it.
    pub runs: Vec<Branch>,
    /// What these runs do not show and the answer rests on.
    pub claims: Vec<Claim>,
}

impl Branching {
    /// The runs and claims of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        let taken: usize = self.runs.iter().map(|run| run.steps.len()).sum();
        let number = |state: usize| if state == 0 { 0 } else { taken + state };
        self.runs.extend(other.runs.into_iter().map(|run| Branch { from: number(run.from), ..run }));
        self.claims
            .extend(other.claims.into_iter().map(|claim| Claim { state: number(claim.state), ..claim }));
        self
    }
}

/// A run from a numbered state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Where it starts.
    pub from: usize,
    /// The steps of this run, in order.
    pub steps: Vec<Step>,
}

/// The value of a formula of CTL or CTL* in a state, which takes more than a few runs to show: that something never happens
/// from there, or always does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The number of the state.
    pub state: usize,
    /// A formula about markings, of the logic of the property.
    pub formula: Formula,
    /// Whether the formula is claimed to hold in the state, or not to.
    pub holds: bool,
}

/// What shows that a verdict is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// A run to a marking that decides the property.
    Trace(Trace),
    /// An infinite run that decides the property.
    Lasso(Lasso),
    /// Runs that branch and decide the property together.
    Branching(Branching),
    /// An argument that no reachable marking decides the property otherwise.
    Certificate(Certificate),
}

impl Evidence {
    /// The claims that it rests on.
    pub fn claims(&self) -> &[Claim] {
        match self {
            Self::Branching(branching) => &branching.claims,
            Self::Trace(_) | Self::Lasso(_) | Self::Certificate(_) => &[],
        }
    }

    /// The steps of the run that it begins with, a cycle once; a certificate has none.
    pub fn first_run(&self) -> Option<Vec<Step>> {
        match self {
            Self::Trace(trace) => Some(trace.0.clone()),
            Self::Lasso(lasso) => Some(lasso.prefix.iter().chain(&lasso.cycle).cloned().collect()),
            Self::Branching(branching) => branching.runs.first().map(|run| run.steps.clone()),
            Self::Certificate(_) => None,
        }
    }

    /// The same run or runs as runs that branch; a certificate has none.
    #[must_use]
    pub fn branching(self) -> Branching {
        let steps = match self {
            Self::Branching(branching) => return branching,
            Self::Trace(trace) => trace.0,
            Self::Lasso(lasso) => lasso.prefix.into_iter().chain(lasso.cycle).collect(),
            Self::Certificate(_) => return Branching::default(),
        };
        Branching { runs: vec![Branch { from: 0, steps }], claims: Vec::new() }
    }
}

/// What an answer rests on, in the contest's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Technique {
    /// States were enumerated.
    Explicit,
    /// Several properties were decided in one exploration.
    CollateralProcessing,
    /// The property was made smaller.
    QueryReduction,
    /// The net was made smaller.
    StructuralReduction,
    /// A coloured net was unfolded to a place/transition net.
    Unfolding,
    /// Only the transitions of stubborn sets were fired.
    StubbornSets,
    /// A run was found by walking.
    RandomWalk,
    /// A solver for clauses was asked.
    SatSmt,
    /// Solutions of the state equation were tried, and exhausted where there is no run.
    StateEquation,
    /// Sets of markings were kept as decision diagrams.
    DecisionDiagrams,
    /// Limits of markings were computed, or the least markings from which a goal can be covered.
    Coverability,
}

impl Technique {
    /// The contest's word for it.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Explicit => "EXPLICIT",
            Self::CollateralProcessing => "COLLATERAL_PROCESSING",
            Self::QueryReduction => "QUERY_REDUCTION",
            Self::StructuralReduction => "STRUCTURAL_REDUCTION",
            Self::Unfolding => "UNFOLDING_TO_PT",
            Self::StubbornSets => "STUBBORN_SETS",
            Self::RandomWalk => "RANDOM_WALK",
            Self::SatSmt => "SAT_SMT",
            Self::StateEquation => "STATE_EQUATION",
            Self::DecisionDiagrams => "DECISION_DIAGRAMS",
            Self::Coverability => "COVERABILITY",
        }
    }
}

/// What an engine spent until it answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The name of the engine that answered; empty when none did.
    pub engine: &'static str,
    /// How it laid out markings; empty where it did not pack them.
    pub encoding: &'static str,
    /// Distinct states that the engine stored.
    pub states: u64,
    /// Firings between states, each transition or binding counted.
    pub firings: u64,
    /// Bytes that the engine held at its peak, as far as it counts them.
    pub memory: u64,
    /// Time from the start of the search to the answer.
    pub elapsed: Duration,
}

/// A verdict with what supports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Unknown as long as no engine decides.
    pub verdict: Verdict,
    /// A run that shows it, where there is one.
    pub evidence: Option<Evidence>,
    /// What the answer rests on.
    pub techniques: Vec<Technique>,
    /// Of the engine that answered, or that came furthest.
    pub statistics: Statistics,
}

impl Outcome {
    /// Whether there is no answer.
    pub fn is_open(&self) -> bool {
        matches!(self.verdict, Verdict::Unknown(_))
    }

    /// An outcome without an answer, for this reason.
    pub fn unknown(reason: StopReason) -> Self {
        Self {
            verdict: Verdict::Unknown(reason),
            evidence: None,
            techniques: Vec::new(),
            statistics: Statistics::default(),
        }
    }
}
