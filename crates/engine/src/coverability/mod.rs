//! Nets with infinitely many markings: coverability, bounds, and what follows from them.
//!
//! What: the [minimal coverability set](tree) is built once for all queries. It decides every upward-closed goal, bounds,
//! safety, quasi-liveness, stable markings and whether the net is unbounded. Where it is too large, goals are covered
//! [backwards](backward), one by one. Deadlock freedom and liveness are no questions of coverability; [`always`] decides them
//! where a proof is found.
//! Why: a search of an unbounded net never ends, so it can only find runs, and never show that there is none.
//! Needs: a place/transition net without inhibitor arcs. A net that semiflows show to be bounded is left to other engines, and one that
//! seems to be, since the first nodes of its tree are all reachable markings.
//! Evidence: [runs](run) that repeat the cycles of the tree as often as the goal demands.
//! Test: `tests/coverability.rs`, against the textbook tree of the oracle and against each other.

mod always;
mod backward;
mod goal;
mod liveness;
mod omega;
mod run;
mod tree;

use std::{sync::Arc, time::Instant};

use fireset_net::{
    BoolTree, Budget, Count, CtlAtom, CtlFormula, Evidence, Global, Model, Net, Outcome, PlaceId, Problem,
    Quantifier, Query, StateSpaceSize, Statistics, Step, Technique, Temporal, Trace, Verdict,
};
use fireset_structure::{NetStructure, PlaceSemiflows};

use self::{
    always::{InductionGraphs, UpwardClosedSet},
    backward::{BasisLimits, CoverabilityBasis},
    goal::{CoverAtom, CoverGoal},
    liveness::LivenessQuestion,
    omega::OMEGA,
    tree::{CoverabilityTree, Pruning, Unfinished},
};
use crate::{Engine, ResultSink};

/// The share of the time for the minimal coverability set.
const SET_SHARE: f64 = 0.4;
/// The share of the remaining time for each of the other methods.
const METHOD_SHARE: f64 = 0.5;
/// Least markings that a goal may have to be covered backwards, or to be shown to hold always.
const MAX_LEAST: usize = 10_000;

/// Decides queries of unbounded place/transition nets by their coverability sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverabilityEngine {
    /// Whether goals are covered forwards or backwards.
    pub direction: CoverabilityDirection,
    /// Nodes of a tree, and members of a basis.
    pub max_nodes: usize,
}

/// How goals are covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoverabilityDirection {
    /// By the minimal coverability set; backwards where that is too large.
    #[default]
    Both,
    /// By the minimal coverability set.
    Forward,
    /// From the goal to the initial marking.
    Backward,
}

impl Default for CoverabilityEngine {
    fn default() -> Self {
        Self { direction: CoverabilityDirection::Both, max_nodes: 1 << 20 }
    }
}

impl Engine for CoverabilityEngine {
    fn name(&self) -> &'static str {
        "coverability"
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        let Model::Plain(net) = model else { return false };
        !net.has_inhibitors()
            && match query {
                Query::Bound(_) | Query::Global(_) => true,
                Query::Ctl(formula) => home_goal(net, formula).is_some(),
                _ => sought(net, query).is_some(),
            }
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let Model::Plain(net) = &*problem.model else { return };
        let semiflows = NetStructure::of(net).place_semiflows(budget);
        let is_bounded = semiflows.bounds().iter().all(Option::is_some);
        if net.has_inhibitors() || is_bounded {
            return;
        }
        let mut session = CoverabilitySession {
            net,
            semiflows,
            engine: *self,
            several: problem.queries.len() > 1,
            started: Instant::now(),
            nodes: 0,
            bytes: 0,
            sink,
        };
        session.run(&problem.queries, budget);
    }
}

/// What a query about reachable markings looks for.
enum Sought {
    /// A marking of the goal.
    Covered(CoverGoal),
    /// A marking outside of the goal.
    Left(CoverGoal),
}

fn sought(net: &Net, query: &Query) -> Option<Sought> {
    let (predicate, value) = query.goal()?;
    let covered = goal::upward_closed(net, predicate, value).map(Sought::Covered);
    covered.or_else(|| goal::upward_closed(net, predicate, !value).map(Sought::Left))
}

/// The queries of a problem while they are decided.
struct CoverabilitySession<'a> {
    net: &'a Net,
    semiflows: Arc<PlaceSemiflows>,
    engine: CoverabilityEngine,
    several: bool,
    started: Instant,
    nodes: usize,
    bytes: u64,
    sink: &'a mut dyn ResultSink,
}

type AnswerOfTree = Option<(Verdict, Option<Evidence>)>;

impl CoverabilitySession<'_> {
    fn run(&mut self, queries: &[Query], budget: &Budget) {
        let CoverabilityEngine { direction, max_nodes } = self.engine;
        let forward = direction != CoverabilityDirection::Backward;
        let budget_of_set = budget.share(SET_SHARE);
        let build = || CoverabilityTree::build(self.net, Pruning::Covered, max_nodes, &budget_of_set);
        let set = match forward.then(build) {
            Some(Err(Unfinished::SeemsBounded)) => return,
            Some(Ok(set)) => Some(set),
            Some(Err(Unfinished::Stopped(_))) | None => None,
        };
        if let Some(set) = &set {
            (self.nodes, self.bytes) = (set.nodes.len(), set.bytes());
        }
        let mut open = Vec::new();
        for (at, query) in queries.iter().enumerate() {
            let answer = match &set {
                _ if !self.sink.is_open(at) => continue,
                Some(set) => self.by_set(set, query, budget),
                None if direction == CoverabilityDirection::Forward => None,
                None => self.backwards(query, &budget.share(METHOD_SHARE)),
            };
            match answer {
                Some(answer) => self.report(at, answer),
                None => open.push(at),
            }
        }
        let graphs = InductionGraphs::new(self.net, self.unbounded(set.as_ref()), max_nodes);
        for at in open {
            if !self.sink.is_open(at) {
                continue;
            }
            let liveness = LivenessQuestion {
                net: self.net,
                semiflows: &self.semiflows,
                set: set.as_ref(),
                graphs: &graphs,
                effort: max_nodes,
                budget: budget.share(METHOD_SHARE),
            };
            let holds = match &queries[at] {
                Query::Global(Global::Liveness) => liveness.of_transitions(),
                Query::Ctl(formula) => home_goal(self.net, formula).and_then(|(goal, value)| {
                    let least = goal::least_markings(&goal, self.net, MAX_LEAST)?;
                    liveness.of_goals(vec![least]).map(|holds| holds == value)
                }),
                query => always(self.net, query, &graphs, budget),
            };
            if let Some(holds) = holds {
                self.report(at, (Verdict::from(holds), None));
            }
        }
    }

    /// For each place whether it is unbounded, or may be as far as semiflows tell.
    fn unbounded(&self, set: Option<&CoverabilityTree<'_>>) -> Vec<bool> {
        let Some(set) = set else { return self.semiflows.bounds().iter().map(Option::is_none).collect() };
        let mut unbounded = vec![false; self.net.nodes().places.len()];
        for at in set.maximal() {
            for (place, &count) in set.nodes[at].marking.0.iter().enumerate() {
                unbounded[place] |= count == OMEGA;
            }
        }
        unbounded
    }

    /// What the minimal coverability set says of a query.
    fn by_set(&self, set: &CoverabilityTree<'_>, query: &Query, budget: &Budget) -> AnswerOfTree {
        match query {
            Query::Bound(places) => Some(bound(set, places, budget)),
            Query::Global(global) => global_property(set, *global, budget),
            _ => {
                // A marking of the goal decides the query with this verdict.
                let found = Verdict::from(matches!(query, Query::Reachable(_)));
                match sought(self.net, query)? {
                    Sought::Covered(goal) => match covering(set, &goal) {
                        None => Some((Verdict::from(found == Verdict::Fails), None)),
                        Some(node) => {
                            let demand = goal::demand(&goal, self.net, &set.nodes[node].marking);
                            let run = run::run_to(set, node, demand, budget);
                            Some((found, run.map(Evidence::Trace)))
                        }
                    },
                    Sought::Left(goal) => {
                        let outside = |at: &usize| !goal::is_met(&goal, self.net, &set.nodes[*at].marking);
                        let node = (0..set.nodes.len()).find(outside)?;
                        Some((
                            found,
                            run::run_to(set, node, exact_counts(set, node), budget).map(Evidence::Trace),
                        ))
                    }
                }
            }
        }
    }

    /// Covers a goal backwards from its least markings.
    fn backwards(&self, query: &Query, budget: &Budget) -> AnswerOfTree {
        let Some(Sought::Covered(goal)) = sought(self.net, query) else { return None };
        let initial = &self.net.initial_marking().0;
        let limits = BasisLimits {
            members: self.engine.max_nodes,
            semiflows: &self.semiflows,
            start: Some(initial),
            budget,
        };
        let least = goal::least_markings(&goal, self.net, MAX_LEAST)?;
        let basis = CoverabilityBasis::of(self.net, least, &limits).ok()?;
        let member = basis.below(initial);
        let verdict = Verdict::from(member.is_some() == matches!(query, Query::Reachable(_)));
        let run = member.map(|member| Trace(basis.run_from(member).map(Step::plain).collect()));
        Some((verdict, run.map(Evidence::Trace)))
    }

    fn report(&mut self, at: usize, (verdict, evidence): (Verdict, Option<Evidence>)) {
        let mut techniques = vec![Technique::Coverability];
        if self.several {
            techniques.push(Technique::CollateralProcessing);
        }
        let statistics = Statistics {
            engine: "coverability",
            encoding: "",
            states: self.nodes as u64,
            firings: 0,
            memory: self.bytes,
            elapsed: self.started.elapsed(),
        };
        self.sink.report(at, Outcome { verdict, evidence, techniques, statistics });
    }
}

/// Whether a query holds, if it looks for a marking outside of a goal and it is shown that there is none.
fn always(net: &Net, query: &Query, graphs: &InductionGraphs<'_>, budget: &Budget) -> Option<bool> {
    let Some(Sought::Left(goal)) = sought(net, query) else { return None };
    let least = goal::least_markings(&goal, net, MAX_LEAST)?;
    let sets = [UpwardClosedSet { least: least.iter().map(|least| &**least).collect() }];
    graphs.prove(&sets, budget).then_some(matches!(query, Query::Invariant(_)))
}

/// The goal of `AG EF goal`, which asks whether it can always be covered again, or of `EF AG !goal`, which asks whether that is not
/// so; and the value of the formula where it can.
fn home_goal(net: &Net, formula: &CtlFormula) -> Option<(CoverGoal, bool)> {
    let quantified = |formula: &CtlFormula| match formula {
        CtlFormula::Atom(CtlAtom::Temporal(quantifier, operator)) => {
            Some((*quantifier, (**operator).clone()))
        }
        _ => None,
    };
    match quantified(formula)? {
        (Quantifier::ForAll, Temporal::Globally(inner)) => match quantified(&inner)? {
            (Quantifier::Exists, Temporal::Finally(goal)) => {
                Some((goal::upward_closed(net, goal.as_state()?, true)?, true))
            }
            _ => None,
        },
        (Quantifier::Exists, Temporal::Finally(inner)) => match quantified(&inner)? {
            (Quantifier::ForAll, Temporal::Globally(never)) => {
                Some((goal::upward_closed(net, never.as_state()?, false)?, false))
            }
            _ => None,
        },
        _ => None,
    }
}

/// A node that meets a goal.
fn covering(set: &CoverabilityTree<'_>, goal: &CoverGoal) -> Option<usize> {
    set.maximal().find(|&at| goal::is_met(goal, set.net, &set.nodes[at].marking))
}

/// The counts of a node, and none where it has `ω`.
fn exact_counts(set: &CoverabilityTree<'_>, node: usize) -> Vec<u64> {
    set.nodes[node].marking.0.iter().map(|&count| if count == OMEGA { 0 } else { count }).collect()
}

fn bound(set: &CoverabilityTree<'_>, places: &[PlaceId], budget: &Budget) -> (Verdict, Option<Evidence>) {
    let sum = |at: usize| set.nodes[at].marking.sum(places.iter().map(|place| place.index()));
    let mut most: Option<(u128, usize)> = None;
    for at in set.maximal() {
        match sum(at) {
            None => return (Verdict::Bound(Count::Infinite), None),
            Some(sum) if most.is_none_or(|(most, _)| sum > most) => most = Some((sum, at)),
            Some(_) => {}
        }
    }
    let (most, node) = most.expect("a tree has a maximal node");
    let run = run::run_to(set, node, exact_counts(set, node), budget);
    (Verdict::Bound(most.into()), run.map(Evidence::Trace))
}

/// What the set says of a property of the whole net.
fn global_property(set: &CoverabilityTree<'_>, global: Global, budget: &Budget) -> AnswerOfTree {
    let bare = |holds: bool| Some((Verdict::from(holds), None));
    let quasi_live = set.fireable.iter().all(|&fireable| fireable);
    match global {
        Global::StateSpace => {
            let unbounded = set.maximal().any(|at| set.nodes[at].marking.0.contains(&OMEGA));
            unbounded.then_some((Verdict::StateSpace(StateSpaceSize::INFINITE), None))
        }
        Global::OneSafe => {
            let places = 0..set.net.nodes().places.len();
            let two = places.map(|place| BoolTree::Atom(CoverAtom::AtLeast([(place, 1)].into(), 2)));
            let goal = CoverGoal::Or(two.collect());
            let Some(node) = covering(set, &goal) else { return bare(true) };
            let demand = goal::demand(&goal, set.net, &set.nodes[node].marking);
            Some((Verdict::Fails, run::run_to(set, node, demand, budget).map(Evidence::Trace)))
        }
        Global::StableMarking => {
            let mut stable = vec![true; set.net.nodes().places.len()];
            let fireable = set.net.nodes().transition_ids().filter(|t| set.fireable[t.index()]);
            fireable.flat_map(|t| set.net.changes(t)).for_each(|change| stable[change.place.index()] = false);
            bare(stable.contains(&true))
        }
        Global::QuasiLiveness => bare(quasi_live),
        Global::Liveness if !quasi_live => bare(false),
        Global::Liveness => None,
    }
}
