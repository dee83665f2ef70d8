//! Random walks for LTL: lassos are met by running, not by exploring.
//!
//! What: runs from the initial marking, along which all runs of the automaton are followed at once (`words`). A run that comes back
//! to one of its markings, or into a deadlock, is a lasso; if the automaton accepts its word, it decides the query. Why: a search for
//! an accepting cycle may see millions of product states before it closes the first; a run closes one within a few steps if
//! it keeps to few transitions. After Grosu and Smolka, "Monte Carlo model checking" (2005). Beyond them:
//!
//! * A walk has a way out and a way round. On the way out it may be guided to a letter that the automaton waits for (`goals`). On the
//!   way round only those automaton states count that an accepting run visits again and again, and a step after which none is left
//!   is taken back: the walk stays where an accepting cycle can be.
//! * On the way round the enabled transition of the highest priority fires. Priorities are drawn for each walk, so the walk repeats
//!   itself and closes a cycle soon, which a uniform walk in a net of many processes hardly ever does. When the automaton does not
//!   accept the cycle, the priorities of its transitions are drawn again, and the next cycle is looked at together with those before it.
//!
//! Sound for a property of all runs that fails and for one of some run that holds, since the lasso shows it. The engine reports
//! nothing else. The draws are the same in every run. Needs: a place/transition net, at most 64 atoms and automaton states.
//! Invariant: a lasso that is reported was fired, its cycle changes no marking, and the automaton accepts its word.
//! Cost: a step takes the time of the arcs and atoms that it touches and of the enabled transitions; memory is that of the net and
//! one run. Test: `tests/lasso_walk.rs`, against the reference checker.

mod goals;
mod run;
mod shorten;
mod walker;
mod words;

use std::time::Instant;

use fireset_kernel::automata::Buchi;
use fireset_net::{
    Budget, Evidence, Lasso, Model, Outcome, Problem, Quantifier, Query, StatePredicate, Statistics, Step,
    Technique, TransitionId, Verdict, token_game::TokenGameTable,
};

use self::{goals::EdgeGoal, walker::LassoWalker, words::MOST_STATES};
use crate::{Engine, ResultSink, ltl, stubborn::ArcIndex};

/// Atoms of a letter.
const MOST_ATOMS: usize = u64::BITS as usize;
/// The steps of each query's first turn; the next turns are longer.
const FIRST_TURN: u64 = 1 << 13;

/// Finds runs that decide LTL queries by random walks.
#[derive(Clone, Copy, Debug, Default)]
pub struct LassoWalk {
    /// The most steps of all walks of a query; without a number, as many as the time allows.
    pub steps: Option<u64>,
    /// Of the random generator: equal seeds give equal walks.
    pub seed: u64,
}

impl Engine for LassoWalk {
    fn name(&self) -> &'static str {
        "lasso-walk"
    }

    fn accepts(&self, model: &Model, query: &Query) -> bool {
        matches!((model, query), (Model::Plain(_), Query::Ltl(..)))
    }

    fn decide(&self, problem: &Problem, budget: &Budget, sink: &mut dyn ResultSink) {
        let Model::Plain(net) = &*problem.model else { return };
        let started = Instant::now();
        let words: Vec<Option<DecidingWords>> = problem.queries.iter().map(DecidingWords::of).collect();
        let (table, arcs) = (TokenGameTable::new(net), ArcIndex::new(net));
        let walker = words.iter().map(|words| LassoWalker::new(&table, &arcs, words.as_ref()?, self.seed));
        let mut walkers: Vec<(usize, LassoWalker<'_>)> =
            walker.enumerate().filter_map(|(at, walker)| Some((at, walker?))).collect();
        let limited = budget.time_left().is_some();
        let most = self.steps.unwrap_or(if limited { u64::MAX } else { super::STEPS });
        let mut turn = FIRST_TURN.min(most);
        while !walkers.is_empty() && budget.go_on().is_ok() {
            walkers.retain_mut(|(at, walker)| {
                if walker.steps() >= most || !sink.is_open(*at) || budget.go_on().is_err() {
                    return false;
                }
                let Some(lasso) = walker.walk(turn, budget) else { return true };
                let outcome = found(&problem.queries[*at], lasso, (walker.steps(), started));
                sink.report(*at, outcome);
                false
            });
            turn = turn.saturating_mul(2);
        }
    }
}

/// The words that decide a query.
struct DecidingWords {
    automaton: Buchi,
    atoms: Vec<StatePredicate>,
    goals: Vec<EdgeGoal>,
}

impl DecidingWords {
    fn of(query: &Query) -> Option<Self> {
        let Query::Ltl(quantifier, formula) = query else { return None };
        let (automaton, atoms) = ltl::deciding(*quantifier, formula)?;
        let fits = atoms.len() <= MOST_ATOMS && automaton.states.len() <= MOST_STATES;
        let goals = if fits { goals::of(&automaton, &atoms) } else { Vec::new() };
        fits.then_some(Self { automaton, atoms, goals })
    }
}

/// The transitions of a prefix and of a cycle; a cycle without any stays in a deadlock.
#[derive(Clone, Debug, Default)]
struct LassoRun {
    prefix: Vec<u32>,
    cycle: Vec<u32>,
}

fn found(query: &Query, lasso: LassoRun, (steps, started): (u64, Instant)) -> Outcome {
    let exists = matches!(query, Query::Ltl(Quantifier::Exists, _));
    let step = |t: u32| Step::plain(TransitionId::new(t as usize));
    let LassoRun { prefix, cycle } = lasso;
    let lasso = Lasso {
        prefix: prefix.into_iter().map(step).collect(),
        cycle: cycle.into_iter().map(step).collect(),
    };
    let statistics = Statistics {
        engine: "lasso-walk",
        // Markings are not stored, so one that is met again counts again.
        states: steps + 1,
        firings: steps,
        elapsed: started.elapsed(),
        ..Statistics::default()
    };
    Outcome {
        verdict: Verdict::from(exists),
        evidence: Some(Evidence::Lasso(lasso)),
        techniques: vec![Technique::RandomWalk],
        statistics,
    }
}
