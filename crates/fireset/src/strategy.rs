//! A strategy as data: which passes and engines decide a problem, in which order, and with which shares of time and memory.
//!
//! [`Strategy`] is what `--explain` prints and what the [`Scheduler`](crate::scheduler::Scheduler) interprets; it holds no state.

use std::{fmt, sync::Arc};

use fireset_engine::{
    ConstantEngine, CoverabilityEngine, CtlAlgorithm, CtlEngine, CtlStarEngine, Engine, Explicit, LassoWalk,
    Learning, LtlEngine, LtlPruning, QueryKinds, RandomWalk, ResumableCtl, ResumableExplicit, ResumableLtl,
    RunEngine, SatEngine, SuspendedExplorations, SymbolicEngine,
};
use fireset_net::{Global, Model, Query};
use fireset_reduce::{
    ColourAbstraction, ColourRestriction, Decompose, Pass, Reduce, Simplify, Unfold, rules::RuleSet,
};

use crate::{
    Options, SearchOptions, bound_checks::BoundCheckEngine, inner_checks::InnerCheckEngine,
    scheduler::Engines, state_equation::StateEquationEngine,
};

/// What is done to decide the queries of a problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Strategy {
    /// Runs one engine on all queries that it accepts.
    Stage(Stage),
    /// Strategies in sequence, each on the queries that are open then and with a share of the remaining time.
    Sequence(Vec<(f64, Strategy)>),
    /// Strategies in sequence that share the time by how many of the open queries each accepts. A second round is for the
    /// queries that ran out of their share.
    SharedSequence(Vec<Strategy>),
    /// A portfolio: its members run at the same time.
    Parallel(Vec<Member>),
    /// A strategy on the problem that passes make of the accepted queries.
    WithPasses(Vec<PassKind>, Scope, Box<Strategy>),
    /// A strategy on all queries together, then on each query alone with the net reduced for it.
    PerQuery(PerQuery, Box<Strategy>),
    /// A strategy in very little time, before anything expensive begins.
    PreCheck(Box<Strategy>),
}

/// A member of a portfolio.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The share of the memory that it may hold.
    pub memory: f64,
    /// What it waits for.
    pub start: Start,
    /// The work of this member.
    pub strategy: Strategy,
}

/// When a member of a portfolio starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// With the portfolio.
    AtOnce,
    /// After a share of the time, or as soon as another member ends or has seen a number of states.
    Delayed {
        /// The share of the time.
        time: f64,
        /// States times queries.
        states: Option<usize>,
    },
}

/// How queries are decided one at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerQuery {
    /// The share of the time in which all queries are decided together first.
    pub joint: f64,
    /// Queries that are decided at the same time.
    pub parallel: usize,
}

/// A pass, and how thorough it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum PassKind {
    Simplification,
    StructuralReduction,
    QuickSimplification,
    QuickReduction,
    Unfolding,
    Decomposition,
    ColourAbstraction,
    ColourRestriction,
}

/// The queries that take a way through passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every query but those about the steps of runs, which no pass preserves, and CTL*, which no pass knows.
    All,
    /// Global properties that can be decided in parts.
    Decomposable,
}

/// An engine with its configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Stage {
    Constants,
    FirstStates,
    FirstWalk,
    FirstCoverability,
    /// Explicit search with this number of threads, and with those of portfolio members that are not at work.
    Search(usize),
    Walk,
    SecondWalk,
    StateEquation,
    Coverability,
    Sat,
    Ltl,
    LtlPruning,
    LassoWalk,
    Ctl,
    CtlLabelling,
    CtlWalk,
    InnerChecks,
    BoundChecks,
    /// LTL with events, past and fairness.
    Runs,
    CtlStar,
    /// Decision diagrams for some kinds of queries.
    DecisionDiagrams(QueryKinds),
}

/// How an engine takes several queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Batching {
    /// All at the same time.
    Together,
    /// One after another, each announced by an event.
    InTurn,
}

impl Strategy {
    /// Whether the strategy can say anything about a query of a net.
    pub(crate) fn accepts(&self, model: &Model, query: &Query, engines: &Engines<'_>) -> bool {
        let any = |strategy: &Self| strategy.accepts(model, query, engines);
        match self {
            Self::Stage(stage) => engines(*stage).accepts(model, query),
            Self::Sequence(members) => members.iter().any(|(_, member)| any(member)),
            Self::SharedSequence(members) => members.iter().any(any),
            Self::Parallel(members) => members.iter().any(|member| any(&member.strategy)),
            Self::WithPasses(_, scope, _) => scope.includes(query),
            Self::PerQuery(_, strategy) | Self::PreCheck(strategy) => any(strategy),
        }
    }
}

impl Strategy {
    /// The same strategy without its pre-checks, which need no second try.
    pub(crate) fn without_pre_check(&self) -> Self {
        let rest = |strategy: &Self| strategy.without_pre_check();
        let is_pre_check = |strategy: &Self| matches!(strategy, Self::PreCheck(_));
        match self {
            Self::Stage(_) | Self::PreCheck(_) => self.clone(),
            Self::Sequence(members) => {
                let kept = members.iter().filter(|(_, member)| !is_pre_check(member));
                Self::Sequence(kept.map(|(share, member)| (*share, rest(member))).collect())
            }
            Self::SharedSequence(members) => Self::SharedSequence(members.iter().map(rest).collect()),
            Self::Parallel(members) => {
                let member = |member: &Member| Member { strategy: rest(&member.strategy), ..member.clone() };
                Self::Parallel(members.iter().map(member).collect())
            }
            Self::WithPasses(passes, scope, strategy) => {
                Self::WithPasses(passes.clone(), *scope, Box::new(rest(strategy)))
            }
            Self::PerQuery(how, strategy) => Self::PerQuery(*how, Box::new(rest(strategy))),
        }
    }
}

impl Scope {
    pub(crate) fn includes(self, query: &Query) -> bool {
        match self {
            Self::All => !matches!(query, Query::Run(_) | Query::CtlStar(_)),
            Self::Decomposable => {
                matches!(query, Query::Global(global) if *global != Global::StateSpace)
            }
        }
    }
}

impl PassKind {
    pub(crate) fn pass(self) -> Box<dyn Pass> {
        match self {
            Self::Simplification => Box::new(Simplify::default()),
            Self::StructuralReduction => Box::new(Reduce::default()),
            Self::QuickSimplification => Box::new(Simplify::lightly()),
            Self::QuickReduction => Box::new(Reduce { rules: RuleSet::local() }),
            Self::Unfolding => Box::new(Unfold),
            Self::Decomposition => Box::new(Decompose),
            Self::ColourAbstraction => Box::new(ColourAbstraction::default()),
            Self::ColourRestriction => Box::new(ColourRestriction::default()),
        }
    }
}

impl Stage {
    /// The name in timelines, in the live table and in `--explain`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Constants => "constants",
            Self::FirstStates => "first states",
            Self::FirstWalk => "first walk",
            Self::FirstCoverability => "first coverability",
            Self::Search(_) => "search",
            Self::Walk => "random walk",
            Self::SecondWalk => "second random walk",
            Self::StateEquation => "state equation",
            Self::Coverability => "coverability",
            Self::Sat => "SAT",
            Self::Ltl => "LTL search",
            Self::LtlPruning => "LTL pruning",
            Self::LassoWalk => "LTL random walk",
            Self::Ctl => "CTL search",
            Self::CtlLabelling => "CTL labelling",
            Self::CtlWalk => "CTL random walk",
            Self::InnerChecks => "inner checks",
            Self::BoundChecks => "bound checks",
            Self::Runs => "search for fair runs",
            Self::CtlStar => "CTL* labelling",
            Self::DecisionDiagrams(_) => "decision diagrams",
        }
    }

    pub(crate) fn batching(self) -> Batching {
        match self {
            Self::Constants | Self::FirstStates | Self::Search(_) | Self::CtlLabelling | Self::CtlStar => {
                Batching::Together
            }
            Self::FirstWalk | Self::Walk | Self::SecondWalk | Self::LassoWalk | Self::LtlPruning => {
                Batching::Together
            }
            Self::DecisionDiagrams(_) | Self::FirstCoverability | Self::Coverability => Batching::Together,
            Self::StateEquation | Self::Sat | Self::Ltl | Self::Ctl | Self::Runs => Batching::InTurn,
            Self::CtlWalk | Self::InnerChecks | Self::BoundChecks => Batching::InTurn,
        }
    }

    pub(crate) fn engine(self, options: &Options, suspended: &Arc<SuspendedExplorations>) -> Box<dyn Engine> {
        let SearchOptions { encoding, access, order, fireset, stubborn, .. } = options.search;
        let SearchOptions { ctl, automaton_order, deepening, .. } = options.search;
        let (threads, coloured) = (options.threads, options.coloured.config);
        let in_order = order.unwrap_or(Explicit::default().order);
        let explicit = Explicit {
            encoding,
            access,
            order: in_order,
            fireset,
            threads,
            coloured,
            stubborn,
            effort: None,
        };
        let ctl_engine = CtlEngine {
            encoding,
            access,
            algorithm: ctl,
            order,
            learning: Learning::On,
            fireset,
            coloured,
            threads,
        };
        let search = |explicit| ResumableExplicit { explicit, suspended: suspended.clone() };
        let evaluation = |engine| ResumableCtl { engine, suspended: suspended.clone() };
        match self {
            Self::Constants => Box::new(ConstantEngine),
            Self::FirstStates => {
                let effort = Some(options.tuning.pre_check_most_states);
                Box::new(search(Explicit { effort, ..explicit }))
            }
            Self::Search(threads) => Box::new(search(Explicit { threads, ..explicit })),
            Self::FirstWalk => {
                Box::new(RandomWalk { time: Some(options.tuning.pre_check_walk), ..RandomWalk::default() })
            }
            Self::Walk => Box::new(RandomWalk::default()),
            Self::SecondWalk => Box::new(RandomWalk { seed: 1, ..RandomWalk::default() }),
            Self::StateEquation => Box::new(StateEquationEngine),
            Self::FirstCoverability => {
                let max_nodes = options.tuning.pre_check_most_nodes;
                Box::new(CoverabilityEngine { max_nodes, ..CoverabilityEngine::default() })
            }
            Self::Coverability => Box::new(CoverabilityEngine::default()),
            Self::Sat => Box::new(SatEngine::default()),
            Self::Ltl => {
                let engine =
                    LtlEngine { encoding, access, automaton_order, deepening, fireset, coloured, stubborn };
                Box::new(ResumableLtl { engine, suspended: suspended.clone() })
            }
            Self::LtlPruning => Box::new(LtlPruning),
            Self::LassoWalk => Box::new(LassoWalk::default()),
            Self::Ctl => Box::new(evaluation(ctl_engine)),
            Self::Runs => Box::new(RunEngine { encoding, access, deepening, fireset, coloured, stubborn }),
            Self::CtlStar => Box::new(CtlStarEngine { encoding, access, fireset, coloured, threads }),
            Self::CtlLabelling => Box::new(CtlEngine { algorithm: CtlAlgorithm::Global, ..ctl_engine }),
            Self::CtlWalk => {
                Box::new(evaluation(CtlEngine { algorithm: CtlAlgorithm::RandomWalk, ..ctl_engine }))
            }
            Self::InnerChecks => Box::new(InnerCheckEngine::new(options)),
            Self::BoundChecks => Box::new(BoundCheckEngine::new(options)),
            Self::DecisionDiagrams(kinds) => Box::new(SymbolicEngine { kinds, ..SymbolicEngine::default() }),
        }
    }
}

/// A line for each node, its members indented below it.
impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0, String::new())
    }
}

fn percent(share: f64, of: &str) -> String {
    if share == 1.0 { String::new() } else { format!("{:.0} % {of}: ", 100.0 * share) }
}

impl Strategy {
    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize, before: String) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, text: &str| {
            writeln!(f, "{:indent$}{before}{text}", "", indent = 2 * depth)
        };
        match self {
            Self::Stage(stage) => line(f, stage.name()),
            Self::Sequence(members) => {
                line(f, "in sequence, splitting the remaining time")?;
                members.iter().try_for_each(|(share, member)| {
                    member.write(f, depth + 1, percent(*share, "of the time"))
                })
            }
            Self::SharedSequence(members) => {
                line(f, "in sequence, splitting the time by the open properties of each")?;
                members.iter().try_for_each(|member| member.write(f, depth + 1, String::new()))
            }
            Self::Parallel(members) => {
                line(f, "in parallel")?;
                members.iter().try_for_each(|member| {
                    let memory = percent(member.memory, "of the memory");
                    member.strategy.write(f, depth + 1, format!("{}{memory}", member.start))
                })
            }
            Self::WithPasses(passes, scope, strategy) => {
                let names: Vec<_> = passes.iter().map(|pass| pass.pass().name()).collect();
                let names = if names.is_empty() { "no passes".to_owned() } else { names.join(", ") };
                let scope = if *scope == Scope::Decomposable { ", for global properties" } else { "" };
                line(f, &format!("after {names}{scope}"))?;
                strategy.write(f, depth + 1, String::new())
            }
            Self::PerQuery(PerQuery { joint, parallel }, strategy) => {
                let joint = match joint {
                    0.0 => String::new(),
                    share => format!("{:.0} % of the time all properties together, then ", 100.0 * share),
                };
                let parallel = if *parallel > 1 { format!(", {parallel} at a time") } else { String::new() };
                strategy.write(f, depth, format!("{before}{joint}each property on its own net{parallel}: "))
            }
            Self::PreCheck(strategy) => strategy.write(f, depth, format!("{before}quick pre-check: ")),
        }
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtOnce => Ok(()),
            Self::Delayed { time, states: None } => write!(f, "after {:.0} % of the time: ", 100.0 * time),
            Self::Delayed { time, states: Some(states) } => {
                write!(f, "after {states} states or {:.0} % of the time: ", 100.0 * time)
            }
        }
    }
}
