//! Chooses the strategy for a problem: cheap deciders first, work that serves all queries before work for one, then each query
//! with engines in parallel.

use fireset_engine::{QueryKinds, Symmetry};
use fireset_net::{Global, Model, Problem, Query, coloured::ColouredNet};
use fireset_reduce::unfolded_size;
use fireset_structure::ColourSymmetries;

use crate::{
    Options, PortfolioOptions,
    strategy::{Member, PassKind, PerQuery, Scope, Stage, Start, Strategy},
};

impl Strategy {
    /// The strategy for a problem with the techniques that the options allow.
    pub fn new(problem: &Problem, options: &Options) -> Self {
        StrategyPlanner { problem, options }.whole()
    }

    /// The part of it that explores, beside the methods that need no exploration.
    #[cfg(test)]
    pub(crate) fn reachability(problem: &Problem, options: &Options) -> Self {
        StrategyPlanner { problem, options }.reachability()
    }
}

struct StrategyPlanner<'a> {
    problem: &'a Problem,
    options: &'a Options,
}

impl StrategyPlanner<'_> {
    fn whole(&self) -> Strategy {
        // No pass keeps the steps of runs or knows CTL*, so the net as written is searched.
        let stages = [
            (self.any(|query| matches!(query, Query::Run(_))), Strategy::Stage(Stage::Runs)),
            (self.any(|query| matches!(query, Query::CtlStar(_))), Strategy::Stage(Stage::CtlStar)),
        ];
        let mut all: Vec<Strategy> =
            stages.into_iter().filter(|(on, _)| *on).map(|(_, stage)| stage).collect();
        if all.is_empty() || self.any(|query| Scope::All.includes(query)) {
            all.push(self.reducible());
        }
        match all.len() {
            1 => all.remove(0),
            _ => Strategy::SharedSequence(all),
        }
    }

    /// Decides all queries that passes know.
    fn reducible(&self) -> Strategy {
        let decided = with_passes(self.passes(None), Scope::All, self.deciders());
        match &*self.problem.model {
            Model::Coloured(net) if self.options.coloured.unfolding.is_on() => {
                let simplified = if self.simplifies() { vec![PassKind::Simplification] } else { Vec::new() };
                with_passes(simplified, Scope::All, self.coloured(net, decided))
            }
            Model::Plain(_) if self.simplifies() && self.any(|q| Scope::Decomposable.includes(q)) => {
                let passes = self.passes(Some(PassKind::Decomposition));
                let in_parts = with_passes(passes, Scope::Decomposable, self.deciders());
                self.after_pre_check(vec![(self.options.tuning.decomposition, in_parts), (1.0, decided)])
            }
            _ => self.after_pre_check(vec![(1.0, decided)]),
        }
    }

    /// The unfolded net, beside it the coloured net itself, after a while or at once where it has symmetries, and at once its
    /// approximations where the unfolding may be too large. Constants need not wait for the unfolding, nor do nets with few orbits.
    fn coloured(&self, net: &ColouredNet, decided: Strategy) -> Strategy {
        let tuning = &self.options.tuning;
        let unfolded = self.after_pre_check(vec![(1.0, decided)]);
        let unfolded = with_passes(vec![PassKind::Unfolding], Scope::All, unfolded);
        let has_symmetries = self.has_symmetries(net);
        let start = match has_symmetries {
            true => Start::AtOnce,
            false => Start::Delayed { time: tuning.unfolded_head_start, states: None },
        };
        let memory = tuning.unfolded_memory;
        let mut members = vec![
            Member { memory, start: Start::AtOnce, strategy: unfolded },
            Member { memory: 1.0 - memory, start, strategy: self.deciders() },
        ];
        if self.options.coloured.approximations.is_on() && unfolded_size(net) > tuning.surely_unfolded {
            let memory = (1.0 - memory) / 2.0;
            members[1].memory = memory;
            members.insert(1, Member { memory, start: Start::AtOnce, strategy: self.approximated() });
        }
        let mut stages = vec![(1.0, Strategy::Stage(Stage::Constants)), (1.0, Strategy::Parallel(members))];
        if self.options.portfolio.pre_check.is_on() && has_symmetries {
            let few_orbits = Strategy::PreCheck(Box::new(Strategy::Stage(Stage::FirstStates)));
            stages.insert(1, (1.0, few_orbits));
        }
        Strategy::Sequence(stages)
    }

    /// Whether an explicit search of the coloured net stores fewer markings than one of its unfolding.
    fn has_symmetries(&self, net: &ColouredNet) -> bool {
        let searched = self.problem.queries.iter().filter(|query| is_searched(query));
        let searched: Vec<Query> = searched.cloned().collect();
        let by_orbits = self.options.coloured.config.symmetry == Symmetry::On && !searched.is_empty();
        by_orbits && !ColourSymmetries::of(net, &searched).is_trivial()
    }

    /// Decides what few colours show, what walks show, then what no colours refute.
    fn approximated(&self) -> Strategy {
        let decided = |approximation| {
            let passes = [vec![approximation, PassKind::Unfolding], self.passes(None)].concat();
            with_passes(passes, Scope::All, self.witness_deciders())
        };
        let tuning = &self.options.tuning;
        let stages = [
            (true, 1.0, Strategy::Stage(Stage::Constants)),
            (true, tuning.colour_restriction, decided(PassKind::ColourRestriction)),
            (self.options.portfolio.walks.is_on(), tuning.coloured_walk, Strategy::Stage(Stage::Walk)),
            (true, 1.0, decided(PassKind::ColourAbstraction)),
        ];
        let on = stages.into_iter().filter(|(on, ..)| *on).map(|(_, share, stage)| (share, stage));
        let approximations = Strategy::Sequence(on.collect());
        let simplified = self.simplifies().then_some(PassKind::Simplification);
        let passes = [PassKind::Decomposition].into_iter().chain(simplified).collect();
        with_passes(passes, Scope::All, approximations)
    }

    fn after_pre_check(&self, mut rest: Vec<(f64, Strategy)>) -> Strategy {
        if self.options.portfolio.pre_check.is_on() {
            let kinds = [
                (self.simplifies(), PassKind::QuickSimplification),
                (self.options.portfolio.reduction.is_on(), PassKind::QuickReduction),
            ];
            let passes = kinds.into_iter().filter(|(on, _)| *on).map(|(_, kind)| kind).collect();
            let quick = with_passes(passes, Scope::All, self.pre_check());
            rest.insert(0, (1.0, Strategy::PreCheck(Box::new(quick))));
        }
        match &rest[..] {
            [(_, only)] => only.clone(),
            _ => Strategy::Sequence(rest),
        }
    }

    /// Decides queries of small nets, what is easy to reach in others, unbounded nets with a small coverability set, and the size
    /// of state spaces with a small diagram.
    fn pre_check(&self) -> Strategy {
        let states = Strategy::Stage(Stage::FirstStates);
        let states = if self.options.portfolio.walks.is_on() {
            let walk = Strategy::Stage(Stage::FirstWalk);
            Strategy::Sequence(vec![(self.options.tuning.pre_check_states, states), (1.0, walk)])
        } else {
            states
        };
        let sizes = self.only_sizes() && self.options.portfolio.diagrams.is_on();
        let stages = [
            (true, Strategy::Stage(Stage::Constants)),
            (sizes, Strategy::Stage(Stage::DecisionDiagrams(QueryKinds::NonTemporal))),
            (true, states),
            (self.options.portfolio.coverability.is_on(), Strategy::Stage(Stage::FirstCoverability)),
            (self.any(|query| matches!(query, Query::Ltl(..))), self.first_runs()),
            (self.any(|query| matches!(query, Query::Ctl(_))), Strategy::Stage(Stage::Ctl)),
        ];
        Strategy::SharedSequence(stages.into_iter().filter(|(on, _)| *on).map(|(_, stage)| stage).collect())
    }

    /// Runs that decide LTL queries: those of small nets, which a search finds, and those that a walk meets at once.
    fn first_runs(&self) -> Strategy {
        let search = Strategy::Stage(Stage::Ltl);
        if !self.options.portfolio.walks.is_on() {
            return search;
        }
        let walk = Strategy::Stage(Stage::LassoWalk);
        Strategy::Sequence(vec![(self.options.tuning.first_ltl_search, search), (1.0, walk)])
    }

    /// Everything that decides queries. A simplified temporal query may be of another kind, but no other becomes temporal.
    fn deciders(&self) -> Strategy {
        let mut all = vec![Strategy::Stage(Stage::Constants), self.reachability()];
        if self.any(|query| matches!(query, Query::Ctl(_))) {
            all.push(self.after_pruning(self.ctl_searches()));
        } else if self.any(|query| matches!(query, Query::Ltl(..))) {
            all.push(self.after_pruning(self.ltl_searches()));
        }
        Strategy::SharedSequence(all)
    }

    /// Everything that decides whether there is a witness: a marking, or a run where temporal formulas are asked.
    fn witness_deciders(&self) -> Strategy {
        let mut all = vec![Strategy::Stage(Stage::Constants), self.reachability()];
        let speaks_of_runs =
            |query: &Query| matches!(query, Query::Ltl(..) | Query::Ctl(_) | Query::Global(Global::Liveness));
        if self.any(speaks_of_runs) {
            all.push(self.after_pruning(self.ltl_searches()));
        }
        Strategy::SharedSequence(all)
    }

    /// Explores, and beside the search tries the methods that need no exploration.
    fn reachability(&self) -> Strategy {
        let PortfolioOptions { walks, state_equation, coverability, diagrams, sat, .. } =
            self.options.portfolio;
        let tuning = &self.options.tuning;
        let bounds = self.simplifies() && self.any(|query| matches!(query, Query::Bound(_)));
        let diagram = Strategy::Stage(Stage::DecisionDiagrams(QueryKinds::NonTemporal));
        let diagram_share = if self.only_sizes() { 1.0 } else { tuning.decision_diagrams };
        let stages = [
            (walks.is_on(), tuning.random_walk, Strategy::Stage(Stage::Walk)),
            (state_equation.is_on(), tuning.state_equation, self.per_query(0.0, 1, Stage::StateEquation)),
            (bounds, tuning.bound_checks, Strategy::Stage(Stage::BoundChecks)),
            (coverability.is_on(), tuning.coverability, Strategy::Stage(Stage::Coverability)),
            (diagrams.is_on(), diagram_share, diagram),
            (sat.is_on(), tuning.sat, self.per_query(0.0, 1, Stage::Sat)),
            (walks.is_on(), 1.0, Strategy::Stage(Stage::SecondWalk)),
        ];
        let on = stages.into_iter().filter(|(on, ..)| *on);
        let others: Vec<(f64, Strategy)> = on.map(|(_, share, stage)| (share, stage)).collect();
        if others.is_empty() {
            return self.per_query(tuning.joint_search, 1, Stage::Search(self.options.threads));
        }
        // One thread is for the others; the search uses it while they are not at work.
        let search = Stage::Search(self.options.threads.saturating_sub(1).max(1));
        let search = self.per_query(tuning.joint_search, 1, search);
        let memory = tuning.beside_search_memory;
        let time =
            if self.only_sizes() { tuning.size_head_start_time } else { tuning.search_head_start_time };
        let head_start = Start::Delayed { time, states: Some(tuning.search_head_start) };
        Strategy::Parallel(vec![
            Member { memory: 1.0 - memory, start: Start::AtOnce, strategy: search },
            Member { memory, start: head_start, strategy: Strategy::Sequence(others) },
        ])
    }

    /// Decides temporal formulas: first the LTL queries whose deciding runs the net's structure forbids, then by searches.
    fn after_pruning(&self, searches: Strategy) -> Strategy {
        if !self.options.portfolio.state_equation.is_on() {
            return searches;
        }
        let pruning = Strategy::Stage(Stage::LtlPruning);
        Strategy::Sequence(vec![(self.options.tuning.ltl_pruning, pruning), (1.0, searches)])
    }

    /// Searches for runs that decide LTL formulas. Beside the search run random walks, which meet most of the runs that there are, and
    /// then decision diagrams, for formulas that no run decides.
    fn ltl_searches(&self) -> Strategy {
        let PortfolioOptions { walks, diagrams, .. } = self.options.portfolio;
        let tuning = &self.options.tuning;
        let walk = self.per_query(tuning.joint_lasso_walk, 1, Stage::LassoWalk);
        let stages = [
            (walks, tuning.lasso_walk, walk),
            (diagrams, 1.0, Strategy::Stage(Stage::DecisionDiagrams(QueryKinds::Temporal))),
        ];
        let on = stages.into_iter().filter(|(switch, ..)| switch.is_on());
        let others: Vec<(f64, Strategy)> = on.map(|(_, share, stage)| (share, stage)).collect();
        let search = |parallel| self.per_query(0.0, parallel, Stage::Ltl);
        if others.is_empty() {
            return search(self.options.threads);
        }
        let memory = tuning.ltl_search_memory;
        in_parallel(vec![(memory, search(1)), (1.0 - memory, Strategy::Sequence(others))])
    }

    /// Searches for the value of CTL formulas. Beside the search run the LTL queries that approximate a formula, and random walks
    /// to states where its value is easy to see; both end early, because the search has the better chances once they failed.
    fn ctl_searches(&self) -> Strategy {
        let tuning = &self.options.tuning;
        let search = self.per_query(0.0, self.options.threads, Stage::Ctl);
        let mut others = vec![(tuning.ctl_approximations, self.per_query(0.0, 1, Stage::Ltl))];
        if self.options.portfolio.walks.is_on() {
            others.insert(0, (tuning.ctl_lasso_walks, Strategy::Stage(Stage::LassoWalk)));
            others.push((tuning.ctl_walks, self.per_query(0.0, 1, Stage::CtlWalk)));
        }
        let memory = tuning.ctl_search_memory;
        let searches = in_parallel(vec![(memory, search), (1.0 - memory, Strategy::Sequence(others))]);
        match self.beside_ctl_searches() {
            Some(others) => Strategy::Sequence(vec![
                (tuning.ctl_search, searches.clone()),
                (tuning.ctl_labelling, others),
                (1.0, searches),
            ]),
            None => searches,
        }
    }

    /// What decides CTL formulas that are too hard for searches: checks of their operands and labelling, and in parallel decision diagrams.
    fn beside_ctl_searches(&self) -> Option<Strategy> {
        let tuning = &self.options.tuning;
        let PortfolioOptions { walks, labelling, diagrams, .. } = self.options.portfolio;
        let stages = [
            (walks, tuning.ctl_inner_checks, self.per_query(0.0, 1, Stage::InnerChecks)),
            (labelling, 1.0, Strategy::Stage(Stage::CtlLabelling)),
        ];
        let on = stages.into_iter().filter(|(switch, ..)| switch.is_on());
        let explicit: Vec<(f64, Strategy)> = on.map(|(_, share, stage)| (share, stage)).collect();
        let symbolic = Strategy::Stage(Stage::DecisionDiagrams(QueryKinds::Temporal));
        let memory = tuning.ctl_labelling_memory;
        match (explicit.is_empty(), diagrams.is_on()) {
            (true, on) => on.then_some(symbolic),
            (false, false) => Some(Strategy::Sequence(explicit)),
            (false, true) => {
                Some(in_parallel(vec![(memory, Strategy::Sequence(explicit)), (1.0 - memory, symbolic)]))
            }
        }
    }

    /// An engine with a net that is reduced for each query, if nets are reduced at all.
    fn per_query(&self, joint: f64, parallel: usize, stage: Stage) -> Strategy {
        let stage = Strategy::Stage(stage);
        if !self.options.portfolio.reduction.is_on() {
            return stage;
        }
        Strategy::PerQuery(PerQuery { joint, parallel }, Box::new(stage))
    }

    fn passes(&self, first: Option<PassKind>) -> Vec<PassKind> {
        let reduces = self.options.portfolio.reduction.is_on();
        let simplification = self.simplifies().then_some(PassKind::Simplification);
        let reduction = reduces.then_some(PassKind::StructuralReduction);
        first.into_iter().chain(simplification).chain(reduction).collect()
    }

    fn simplifies(&self) -> bool {
        self.options.portfolio.simplification.is_on()
    }

    fn any(&self, test: fn(&Query) -> bool) -> bool {
        self.problem.queries.iter().any(test)
    }

    /// Whether every query asks for the size of the state space.
    fn only_sizes(&self) -> bool {
        self.problem.queries.iter().all(|query| *query == Query::Global(Global::StateSpace))
    }
}

/// Whether the explicit search decides a query of a coloured net, with one marking of each orbit where there are symmetries.
fn is_searched(query: &Query) -> bool {
    match query {
        Query::Reachable(_) | Query::Invariant(_) | Query::Bound(_) | Query::ColourBound(_) => true,
        Query::Global(global) => *global != Global::StateSpace,
        _ => false,
    }
}

fn with_passes(passes: Vec<PassKind>, scope: Scope, strategy: Strategy) -> Strategy {
    Strategy::WithPasses(passes, scope, Box::new(strategy))
}

/// A portfolio whose members start at once, each with its share of the memory.
fn in_parallel(members: Vec<(f64, Strategy)>) -> Strategy {
    let member = |(memory, strategy)| Member { memory, start: Start::AtOnce, strategy };
    Strategy::Parallel(members.into_iter().map(member).collect())
}
