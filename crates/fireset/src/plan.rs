//! Which passes and engines are tried, in which order.

use std::thread::available_parallelism;

use fireset_engine::{
    Access, AutomatonOrder, Choice, Constants, Ctl, CtlAlgorithm, Deepening, Engine, Explicit, FiresetMode,
    Induction, OnTheFly, Order, Stubborn, Walk, Ways,
};
use fireset_net::{Global, Model, Problem, Query};
use fireset_reduce::{Divide, Pass, Reduce, Simplify, Unfold, rules::RuleSet};

use crate::{
    alone::Alone,
    beside::Beside,
    equation::Equation,
    stages::{Stage, Stages},
};

/// Which techniques are used. The default is the best that is known; the others are there to be measured
/// against it.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How markings are laid out.
    pub encoding: Choice,
    /// How packed markings are read and written.
    pub access: Access,
    /// In which order states are visited; if it is not given each engine takes its own.
    pub order: Option<Order>,
    /// What a depth-first or LTL search remembers of the states on its stack.
    pub fireset: FiresetMode,
    /// How many threads explore; the default is as many as there are processors.
    pub threads: usize,
    /// How the values of CTL operators are searched for.
    pub ctl: CtlAlgorithm,
    /// In which order an LTL search tries the edges of the automaton.
    pub automaton_order: AutomatonOrder,
    /// How deep an LTL search goes.
    pub deepening: Deepening,
    /// Whether only stubborn sets of transitions fire, where a query allows it.
    pub stubborn: Stubborn,
    /// Whether queries are made smaller first.
    pub simplification: Simplification,
    /// Whether nets are made smaller first.
    pub reduction: Reduction,
    /// Whether coloured nets are unfolded first.
    pub unfolding: Unfolding,
    /// How coloured nets are searched.
    pub ways: Ways,
    /// Whether goals are looked for by walking.
    pub walks: Switch,
    /// Whether runs to goals are made of solutions of the state equation.
    pub equation: Switch,
    /// Whether goals are looked for, or excluded, by clauses.
    pub induction: Switch,
    /// Whether answers that nothing is reached come with a certificate.
    pub certificates: Certificates,
}

/// Whether a certificate is looked for where an answer has no other evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Certificates {
    /// On place/transition nets, for what is never reached; that takes a second for each such answer at most.
    #[default]
    On,
    /// Only what comes with an answer anyway.
    Off,
}

/// Whether a technique is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    /// It is.
    #[default]
    On,
    /// It is not.
    Off,
}

/// Whether coloured nets are unfolded to place/transition nets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unfolding {
    /// Where that takes a part of the time and memory; what stays open is tried on the coloured net.
    #[default]
    On,
    /// They are checked as they are.
    Off,
}

/// Whether queries are made smaller before they are decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simplification {
    /// By rules, place invariants and the initial marking.
    #[default]
    On,
    /// They stay as they are written.
    Off,
}

/// Whether place/transition nets are made smaller before they are explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// As far as the queries allow; a coloured net after it was unfolded.
    #[default]
    On,
    /// They stay as they are.
    Off,
}

impl Default for Options {
    fn default() -> Self {
        let Explicit { encoding, access, fireset, ways, .. } = Explicit::default();
        let threads = available_parallelism().map_or(1, usize::from);
        let OnTheFly { automaton_order, deepening, .. } = OnTheFly::default();
        let (simplification, unfolding) = (Simplification::default(), Unfolding::default());
        Self {
            encoding,
            access,
            order: None,
            fireset,
            threads,
            ctl: CtlAlgorithm::default(),
            automaton_order,
            deepening,
            stubborn: Stubborn::default(),
            simplification,
            reduction: Reduction::default(),
            unfolding,
            ways,
            walks: Switch::On,
            equation: Switch::On,
            induction: Switch::On,
            certificates: Certificates::default(),
        }
    }
}

impl Options {
    /// The default without what answers reachability without exploring: to measure how states are explored.
    #[must_use]
    pub fn exploring() -> Self {
        let off = Switch::Off;
        Self { walks: off, equation: off, induction: off, ..Self::default() }
    }
}

/// The part of the time in which queries that can share an exploration do so.
const TOGETHER: f64 = 0.3;

/// The part of the time in which a property of the whole net is asked in parts, before it is asked as a whole.
const DIVIDED: f64 = 0.7;

/// States times queries that are explored before anything else is tried: small nets are done then, with the shortest runs.
const FEW: usize = 1 << 20;

/// Parts of the time that is left for what finds answers without exploring, one after the other beside the search. Walks
/// find at once what is easy to find; then runs are made of solutions of the state equation; most of the time is for proofs,
/// and the rest for other walks.
const WALKING: f64 = 0.1;
const SOLVING: f64 = 0.2;
const PROVING: f64 = 0.8;

/// The part of the time for walks beside the search for the value of CTL formulas.
const SAMPLING: f64 = 0.5;

/// What is done with a problem: one way after the other, each with what those before it left open.
pub(crate) struct Plan {
    pub(crate) ways: Vec<Way>,
    pub(crate) certificates: Certificates,
}

/// Passes that make a problem smaller, and the engines that are asked then.
pub(crate) struct Way {
    pub(crate) passes: Vec<Box<dyn Pass>>,
    /// In the order in which they are asked; each gets the queries that those before it left open.
    pub(crate) engines: Vec<Box<dyn Engine>>,
    /// The part of the time that is left which it may take, at most 1.
    pub(crate) share: f64,
}

impl Plan {
    /// The ways for a problem with these techniques.
    pub(crate) fn new(problem: &Problem, options: &Options) -> Self {
        let direct = Way { passes: smaller(options).collect(), engines: engines(options), share: 1.0 };
        let certificates = options.certificates;
        match (&*problem.model, options.unfolding) {
            (Model::Colored(_), Unfolding::On) => {}
            (Model::Plain(_), _) if has_parts(problem) && options.simplification == Simplification::On => {
                let divide: Box<dyn Pass> = Box::new(Divide);
                let passes = [divide].into_iter().chain(smaller(options)).collect();
                let divided = Way { passes, engines: engines(options), share: DIVIDED };
                return Self { ways: vec![divided, direct], certificates };
            }
            _ => return Self { ways: vec![direct], certificates },
        }
        // What is decided without exploring need not wait for the unfolding.
        let constants: Vec<Box<dyn Engine>> = vec![Box::new(Constants)];
        let at_once = Way { passes: simplification(options).collect(), engines: constants, share: 1.0 };
        let unfold: Box<dyn Pass> = Box::new(Unfold);
        let passes = [unfold].into_iter().chain(smaller(options)).collect();
        let unfolded = Way { passes, engines: engines(options), share: 0.7 };
        Self { ways: vec![at_once, unfolded, direct], certificates }
    }
}

/// Whether a query asks for a property of the whole net that can be asked in parts.
fn has_parts(problem: &Problem) -> bool {
    let has = |query: &Query| matches!(query, Query::Global(global) if *global != Global::StateSpace);
    problem.queries.iter().any(has)
}

/// Queries first, since smaller ones see less of the net.
fn smaller(options: &Options) -> impl Iterator<Item = Box<dyn Pass>> {
    let reduce = || Box::new(Reduce::default()) as Box<dyn Pass>;
    simplification(options).chain((options.reduction == Reduction::On).then(reduce))
}

fn simplification(options: &Options) -> impl Iterator<Item = Box<dyn Pass>> {
    let simplify = || Box::new(Simplify::default()) as Box<dyn Pass>;
    (options.simplification == Simplification::On).then(simplify).into_iter()
}

fn engines(options: &Options) -> Vec<Box<dyn Engine>> {
    let &Options { encoding, access, order, fireset, threads, ways, stubborn, .. } = options;
    let &Options { ctl, automaton_order, deepening, .. } = options;
    let explicit = Explicit {
        encoding,
        access,
        order: order.unwrap_or(Explicit::default().order),
        fireset,
        threads,
        ways,
        stubborn,
        effort: None,
    };
    let ltl = OnTheFly { encoding, access, automaton_order, deepening, fireset, ways, stubborn };
    let ctl = Ctl { encoding, access, algorithm: ctl, order, fireset, ways };
    vec![
        Box::new(Constants),
        Box::new(Explicit { effort: Some(FEW), ..explicit }),
        reachability(options, explicit),
        Box::new(Beside(vec![alone(options, Box::new(ltl), 0.0), branching(options, ctl)])),
    ]
}

/// Searches for the value of a CTL formula, and beside that walks to where it is easy to see; then what is left is searched
/// in another order.
fn branching(options: &Options, ctl: Ctl) -> Box<dyn Engine> {
    let search = alone(options, Box::new(ctl), 0.0);
    if options.walks == Switch::Off || ctl.algorithm != CtlAlgorithm::Local {
        return search;
    }
    let sample = Ctl { algorithm: CtlAlgorithm::Sample, ..ctl };
    let other = Ctl { order: Some(ctl.order.unwrap_or(Order::BestFirst)), ..ctl };
    let stages = vec![
        Stage { engine: alone(options, Box::new(sample), 0.0), share: SAMPLING },
        Stage { engine: alone(options, Box::new(other), 0.0), share: 1.0 },
    ];
    Box::new(Beside(vec![search, Box::new(Stages(stages))]))
}

/// Explores, and beside that does what needs no exploring.
fn reachability(options: &Options, explicit: Explicit) -> Box<dyn Engine> {
    let walk = |seed| Box::new(Walk { seed, ..Walk::default() }) as Box<dyn Engine>;
    let equation = || alone(options, Box::new(Equation), 0.0);
    let induction = || alone(options, Box::new(Induction::default()), 0.0);
    let stages = [
        (options.walks == Switch::On).then(|| Stage { engine: walk(0), share: WALKING }),
        (options.equation == Switch::On).then(|| Stage { engine: equation(), share: SOLVING }),
        (options.induction == Switch::On).then(|| Stage { engine: induction(), share: PROVING }),
        (options.walks == Switch::On).then(|| Stage { engine: walk(1), share: 1.0 }),
    ];
    let stages: Vec<Stage> = stages.into_iter().flatten().collect();
    if stages.is_empty() {
        return alone(options, Box::new(explicit), TOGETHER);
    }
    // One thread is for the others.
    let threads = explicit.threads.saturating_sub(1).max(1);
    let search = alone(options, Box::new(Explicit { threads, ..explicit }), TOGETHER);
    Box::new(Beside(vec![search, Box::new(Stages(stages))]))
}

/// An engine with a net that is made smaller for each query, if nets are.
fn alone(options: &Options, engine: Box<dyn Engine>, together: f64) -> Box<dyn Engine> {
    match options.reduction {
        Reduction::On => {
            let reduce = Reduce { rules: RuleSet::local() };
            Box::new(Alone { passes: vec![Box::new(reduce)], engine, together })
        }
        Reduction::Off => engine,
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{
        Budget, Outcome, Verdict,
        random::{self, NetShape, Random},
        reference, replay,
    };

    use std::time::Duration;

    use super::*;

    /// Compares what an engine says about reachability with the reference checker; gives how often it answered with yes and
    /// with no.
    fn compare(engine: &dyn Engine, seeds: std::ops::Range<u64>) -> [usize; 2] {
        let mut answered = [0; 2];
        for seed in seeds {
            let mut random = Random::new(seed);
            let inhibitors = if seed.is_multiple_of(3) { 25 } else { 0 };
            let shape = NetShape { places: 5, transitions: 6, inhibitors, ..NetShape::default() };
            let model = Model::Plain(random::net(&mut random, &shape));
            let query = |at: usize| {
                let predicate = random::predicate(&mut random, model.nodes(), 2);
                if at.is_multiple_of(2) { Query::Reachable(predicate) } else { Query::Invariant(predicate) }
            };
            let queries: Vec<Query> = (0..4).map(query).collect();
            let expected = reference::outcomes(&model, &queries, 300, &Budget::unlimited());
            let problem = Problem { model: model.into(), queries };
            let budget = Budget::unlimited().with_timeout(Duration::from_secs(1));
            engine.decide(&problem, &budget, &mut |at: usize, given: Outcome| {
                let is_unknown = |outcome: &Outcome| matches!(outcome.verdict, Verdict::Unknown(_));
                if is_unknown(&given) || is_unknown(&expected[at]) {
                    return;
                }
                let query = &problem.queries[at];
                assert_eq!(given.verdict, expected[at].verdict, "seed {seed} {query:?} {problem:?}");
                if let Some(evidence) = &given.evidence {
                    let confirmed = replay::confirm(&problem.model, query, &given.verdict, evidence);
                    assert_eq!(confirmed, Ok(()), "seed {seed} {query:?} {problem:?}");
                }
                answered[usize::from(given.verdict == Verdict::Fails)] += 1;
            });
        }
        answered
    }

    #[test]
    fn the_state_equation_agrees_with_the_reference() {
        let answered = compare(&Equation, 0..150);
        assert!(answered.iter().all(|&count| count > 150), "{answered:?}");
    }

    #[test]
    fn what_runs_beside_the_search_agrees_with_the_reference() {
        let reduction = Reduction::Off;
        for (walks, equation, induction) in [
            (Switch::On, Switch::On, Switch::On),
            (Switch::Off, Switch::On, Switch::On),
            (Switch::Off, Switch::Off, Switch::On),
        ] {
            let options = Options { walks, equation, induction, reduction, ..Options::default() };
            // A search that sees nearly nothing leaves the rest to the others.
            let explicit = Explicit { effort: Some(8), ..Explicit::default() };
            let answered = compare(&*reachability(&options, explicit), 1_000..1_100);
            assert!(answered.iter().all(|&count| count > 100), "{answered:?} {options:?}");
        }
    }
}
