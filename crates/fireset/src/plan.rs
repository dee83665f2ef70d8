//! Which passes and engines are tried, in which order, and with which part of the time: a tree that can be printed.
//!
//! Cheap deciders come first, and what is done for all queries at once; then each query alone, with engines side by side.
//! Parts of the time are parts of what is left, so that nothing is lost when somebody ends early.

use std::{fmt, time::Duration};

use fireset_engine::{
    Constants, Ctl, CtlAlgorithm, Engine, Explicit, Induction, OnTheFly, Symbolic, Takes, Walk,
};
use fireset_net::{Global, Model, Problem, Query, Signal};
use fireset_reduce::{Divide, Pass, Reduce, Simplify, Unfold, rules::RuleSet};

use crate::{
    Options, Reduction, Simplification, Switch, Unfolding,
    alone::Alone,
    beside::{Beside, Lane},
    brief::Brief,
    equation::Equation,
    fair::Fair,
    later::Later,
    post::{Manner, Post},
    stages::{Stage as Share, Stages},
    through::Through,
};

/// What is done to decide the queries of a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan(Node);

/// A part of a plan.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    /// One engine.
    Stage(Stage),
    /// One after the other, each with what is open then and with a part of the time that is left.
    Then(Vec<(f64, Node)>),
    /// One after the other; the time is shared by how many of the open queries each accepts.
    Fair(Vec<Node>),
    /// At the same time, each with a part of the memory.
    Beside(Vec<(f64, Node)>),
    /// After passes, for some queries.
    After(Vec<Made>, Which, Box<Node>),
    /// In a part of the time for all queries together; then for each alone, on a net that was reduced for it, so many at
    /// a time.
    Alone(f64, usize, Box<Node>),
    /// In very little time.
    Brief(Box<Node>),
    /// Not before a part of the time is over, unless what runs beside it ends earlier.
    Later(f64, Box<Node>),
}

/// What makes a problem smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Made {
    Simpler,
    Reduced,
    /// The same, but only what takes next to no time.
    LightlySimpler,
    LightlyReduced,
    Unfolded,
    Divided,
}

/// Which queries go a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    All,
    /// Properties of the whole net that can be asked in parts.
    InParts,
}

/// An engine in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Constants,
    FirstStates,
    FirstWalk,
    /// With so many threads.
    Search(usize),
    Walk,
    OtherWalk,
    Equation,
    Induction,
    Ltl,
    Ctl,
    CtlLabels,
    CtlWalks,
    /// For these queries.
    Sets(Takes),
}

/// The part of the time in which queries that can share an exploration do so.
const TOGETHER: f64 = 0.3;

/// The part of the time in which a property of the whole net is asked in parts, before it is asked as a whole.
const DIVIDED: f64 = 0.7;

/// States times queries that are explored before anything else is tried: small nets are done then, with the shortest runs.
const FEW: usize = 1 << 20;

/// The part of the time for that: a state of a large net takes long.
const AT_FIRST: f64 = 0.3;

/// The part of the first look for that, and the most that a walk gets then: finding a smaller net can take longer than a walk to
/// what is asked, but what is never reached should not wait.
const LOOKING: f64 = 0.5;
const FIRST_WALK: Duration = Duration::from_millis(50);

/// Parts of the time that is left for what finds answers without exploring, one after the other beside the search. Walks
/// find at once what is easy to find; then runs are made of solutions of the state equation; most of the time is for proofs,
/// and the rest for other walks.
const WALKING: f64 = 0.1;
const SOLVING: f64 = 0.2;
const PROVING: f64 = 0.8;

/// The part of the time that is left then for all markings at once, and the part of the memory for that and what else runs beside
/// a search: diagrams are small soon, or never.
const DIAGRAMS: f64 = 0.4;
const BESIDE_SEARCH: f64 = 0.4;

/// The parts of the time that is left in which CTL formulas are searched for one by one, and then evaluated in all markings, one
/// by one and as sets; the rest is for searches again.
const SEARCHING: f64 = 0.25;
const LABELLING: f64 = 0.75;

/// The part of the time in which LTL formulas are searched for one by one, before sets of markings come beside that.
const RUNNING: f64 = 0.4;

/// The parts of the time for LTL queries and for walks beside the search for the value of CTL formulas, and the part of the
/// memory that is for that search.
const LINEAR: f64 = 0.4;
const SAMPLING: f64 = 0.5;
const BRANCHING: f64 = 0.6;

/// A coloured net is searched as it is beside its unfolding, which is nearly always better, only after a part of the time;
/// and the parts of the memory that they get.
const UNFOLDED_FIRST: f64 = 0.3;
const UNFOLDED: f64 = 0.6;
const DIRECT: f64 = 0.4;

impl Plan {
    /// The plan for a problem with these techniques.
    pub fn new(problem: &Problem, options: &Options) -> Self {
        let (simpler, reduced) =
            (options.simplification == Simplification::On, options.reduction == Reduction::On);
        let some = |made: &[(bool, Made)]| made.iter().filter(|(on, _)| *on).map(|(_, made)| *made).collect();
        let after = |made: Vec<Made>, which, node| Node::After(made, which, Box::new(node));
        let lightly = some(&[(simpler, Made::LightlySimpler), (reduced, Made::LightlyReduced)]);
        let first_look = Node::Brief(Box::new(after(lightly, Which::All, first_look(problem, options))));
        let first_look = (options.first_look == Switch::On).then_some((1.0, first_look));
        let then = |rest: Vec<(f64, Node)>| match (first_look.clone(), &rest[..]) {
            (None, [(_, only)]) => only.clone(),
            (first, _) => Node::Then(first.into_iter().chain(rest).collect()),
        };
        let with = |first: Option<Made>| {
            let whole = [(simpler, Made::Simpler), (reduced, Made::Reduced)];
            first.into_iter().chain(some(&whole)).collect::<Vec<Made>>()
        };
        let direct = after(with(None), Which::All, deciders(problem, options));
        Self(match (&*problem.model, options.unfolding) {
            (Model::Coloured(_), Unfolding::On) => {
                let unfolded = then(vec![(1.0, direct)]);
                let unfolded = (UNFOLDED, after(vec![Made::Unfolded], Which::All, unfolded));
                let direct = (DIRECT, Node::Later(UNFOLDED_FIRST, Box::new(deciders(problem, options))));
                // What is decided without exploring need not wait for the unfolding.
                let at_once = Node::Stage(Stage::Constants);
                let both = Node::Then(vec![(1.0, at_once), (1.0, Node::Beside(vec![unfolded, direct]))]);
                after(some(&[(simpler, Made::Simpler)]), Which::All, both)
            }
            (Model::Plain(_), _) if simpler && problem.queries.iter().any(has_parts) => {
                let divided = after(with(Some(Made::Divided)), Which::InParts, deciders(problem, options));
                then(vec![(DIVIDED, divided), (1.0, direct)])
            }
            _ => then(vec![(1.0, direct)]),
        })
    }

    /// The engine that does it.
    pub(crate) fn engine(&self, options: &Options) -> Box<dyn Engine> {
        self.0.engine(options)
    }
}

/// Whether a query asks for a property of the whole net that can be asked in parts.
fn has_parts(query: &Query) -> bool {
    matches!(query, Query::Global(global) if *global != Global::StateSpace)
}

/// Whether nothing is asked but the size of the state space.
fn only_sizes(problem: &Problem) -> bool {
    problem.queries.iter().all(|query| *query == Query::Global(Global::StateSpace))
}

/// What decides queries of small nets, what is easy to reach in others, and the size of those that are a small diagram.
fn first_look(problem: &Problem, options: &Options) -> Node {
    let any = |test: fn(&Query) -> bool| problem.queries.iter().any(test);
    let states = match options.walks {
        Switch::On => {
            Node::Then(vec![(LOOKING, Node::Stage(Stage::FirstStates)), (1.0, Node::Stage(Stage::FirstWalk))])
        }
        Switch::Off => Node::Stage(Stage::FirstStates),
    };
    let stages = [
        (true, Node::Stage(Stage::Constants)),
        (only_sizes(problem) && options.diagrams == Switch::On, Node::Stage(Stage::Sets(Takes::States))),
        (true, states),
        (any(|query| matches!(query, Query::Ltl(..))), Node::Stage(Stage::Ltl)),
        (any(|query| matches!(query, Query::Ctl(_))), Node::Stage(Stage::Ctl)),
    ];
    Node::Fair(stages.into_iter().filter(|(on, _)| *on).map(|(_, node)| node).collect())
}

/// Everything that decides queries. A simplified temporal query may be one of another kind, but no other becomes temporal.
fn deciders(problem: &Problem, options: &Options) -> Node {
    let any = |test: fn(&Query) -> bool| problem.queries.iter().any(test);
    let at_first = Node::Then(vec![(AT_FIRST, Node::Stage(Stage::FirstStates))]);
    let mut all = vec![Node::Stage(Stage::Constants), at_first, reachability(only_sizes(problem), options)];
    if any(|query| matches!(query, Query::Ctl(_))) {
        all.push(branching(options));
    } else if any(|query| matches!(query, Query::Ltl(..))) {
        all.push(linear(options));
    }
    Node::Fair(all)
}

/// Searches for runs that decide LTL formulas, then also in sets of markings.
fn linear(options: &Options) -> Node {
    let search = |threads| alone(options, 0.0, threads, Stage::Ltl);
    if options.diagrams == Switch::Off {
        return search(options.threads);
    }
    let both = Node::Beside(vec![(0.5, search(1)), (0.5, Node::Stage(Stage::Sets(Takes::Ltl)))]);
    Node::Then(vec![(RUNNING, search(options.threads)), (1.0, both)])
}

/// Searches for the value of CTL formulas. Beside that the LTL queries that are easier are searched, and walks go to where the
/// value is easy to see; not to the end, since the search has the better chances when these have found nothing.
fn branching(options: &Options) -> Node {
    let search = alone(options, 0.0, options.threads, Stage::Ctl);
    let mut others = vec![(LINEAR, alone(options, 0.0, 1, Stage::Ltl))];
    if options.walks == Switch::On {
        others.push((SAMPLING, alone(options, 0.0, 1, Stage::CtlWalks)));
    }
    let searches = Node::Beside(vec![(BRANCHING, search), (1.0 - BRANCHING, Node::Then(others))]);
    let together = [(options.labelling, Stage::CtlLabels), (options.diagrams, Stage::Sets(Takes::Ctl))];
    let together = together.into_iter().filter(|(switch, _)| *switch == Switch::On);
    let mut together: Vec<(f64, Node)> = together.map(|(_, stage)| (0.5, Node::Stage(stage))).collect();
    let together = match together.len() {
        0 => return searches,
        1 => together.remove(0).1,
        _ => Node::Beside(together),
    };
    Node::Then(vec![(SEARCHING, searches.clone()), (LABELLING, together), (1.0, searches)])
}

/// Explores, and beside that does what needs no exploring. For nothing but sizes that is one thing.
fn reachability(sizes: bool, options: &Options) -> Node {
    let diagrams = if sizes { 1.0 } else { DIAGRAMS };
    let stages = [
        (options.walks == Switch::On).then_some((WALKING, Node::Stage(Stage::Walk))),
        (options.equation == Switch::On).then(|| (SOLVING, alone(options, 0.0, 1, Stage::Equation))),
        (options.diagrams == Switch::On).then_some((diagrams, Node::Stage(Stage::Sets(Takes::States)))),
        (options.induction == Switch::On).then(|| (PROVING, alone(options, 0.0, 1, Stage::Induction))),
        (options.walks == Switch::On).then_some((1.0, Node::Stage(Stage::OtherWalk))),
    ];
    let stages: Vec<(f64, Node)> = stages.into_iter().flatten().collect();
    if stages.is_empty() {
        return alone(options, TOGETHER, 1, Stage::Search(options.threads));
    }
    // One thread is for the others.
    let threads = options.threads.saturating_sub(1).max(1);
    let search = alone(options, TOGETHER, 1, Stage::Search(threads));
    Node::Beside(vec![(1.0 - BESIDE_SEARCH, search), (BESIDE_SEARCH, Node::Then(stages))])
}

/// An engine with a net that is made smaller for each query, if nets are.
fn alone(options: &Options, together: f64, threads: usize, stage: Stage) -> Node {
    match options.reduction {
        Reduction::On => Node::Alone(together, threads, Box::new(Node::Stage(stage))),
        Reduction::Off => Node::Stage(stage),
    }
}

impl Node {
    fn engine(&self, options: &Options) -> Box<dyn Engine> {
        match self {
            Self::Stage(stage) => Box::new(stage.post(options)),
            Self::Then(parts) => {
                let share =
                    |(share, node): &(f64, Self)| Share { engine: node.engine(options), share: *share };
                Box::new(Stages(parts.iter().map(share).collect()))
            }
            Self::Fair(parts) => Box::new(Fair(parts.iter().map(|node| node.engine(options)).collect())),
            Self::Beside(parts) => {
                let ended = Signal::default();
                let engine = |node: &Self| match node {
                    Self::Later(after, node) => {
                        let (engine, needed) = (node.engine(options), ended.clone());
                        Box::new(Later { engine, after: *after, needed }) as Box<dyn Engine>
                    }
                    node => node.engine(options),
                };
                let lane = |(memory, node): &(f64, Self)| Lane { engine: engine(node), memory: *memory };
                Box::new(Beside { lanes: parts.iter().map(lane).collect(), ended: ended.clone() })
            }
            Self::Alone(together, threads, node) => {
                let reduce: Box<dyn Pass> = Box::new(Reduce { rules: RuleSet::local() });
                let (passes, engine) = (vec![reduce], node.engine(options));
                Box::new(Alone { passes, engine, together: *together, threads: *threads })
            }
            Self::After(made, which, node) => Box::new(Through {
                passes: made.iter().map(|made| made.pass()).collect(),
                engine: node.engine(options),
                takes: match which {
                    Which::All => |_| true,
                    Which::InParts => has_parts,
                },
            }),
            Self::Brief(node) => Box::new(Brief(node.engine(options))),
            // Nothing is beside it.
            Self::Later(_, node) => node.engine(options),
        }
    }
}

impl Made {
    fn pass(self) -> Box<dyn Pass> {
        match self {
            Self::Simpler => Box::new(Simplify::default()),
            Self::Reduced => Box::new(Reduce::default()),
            Self::LightlySimpler => Box::new(Simplify::lightly()),
            Self::LightlyReduced => Box::new(Reduce { rules: RuleSet::local() }),
            Self::Unfolded => Box::new(Unfold),
            Self::Divided => Box::new(Divide),
        }
    }
}

impl Stage {
    /// What events call it.
    fn name(self) -> &'static str {
        match self {
            Self::Constants => "constants",
            Self::FirstStates => "first states",
            Self::FirstWalk => "first walk",
            Self::Search(_) => "search",
            Self::Walk => "walk",
            Self::OtherWalk => "other walk",
            Self::Equation => "state equation",
            Self::Induction => "induction",
            Self::Ltl => "LTL search",
            Self::Ctl => "CTL search",
            Self::CtlLabels => "CTL labelling",
            Self::CtlWalks => "CTL walks",
            Self::Sets(_) => "decision diagrams",
        }
    }

    fn post(self, options: &Options) -> Post {
        let manner = match self {
            Self::Constants | Self::FirstStates | Self::Search(_) | Self::CtlLabels | Self::Sets(_) => {
                Manner::Together
            }
            Self::FirstWalk | Self::Walk | Self::OtherWalk => Manner::Together,
            Self::Equation | Self::Induction | Self::Ltl => Manner::InTurn,
            Self::Ctl | Self::CtlWalks => Manner::InTurn,
        };
        Post { stage: self.name(), manner, engine: self.engine(options) }
    }

    fn engine(self, options: &Options) -> Box<dyn Engine> {
        let &Options { encoding, access, order, fireset, threads, ways, stubborn, .. } = options;
        let &Options { ctl, automaton_order, deepening, .. } = options;
        let in_order = order.unwrap_or(Explicit::default().order);
        let explicit =
            Explicit { encoding, access, order: in_order, fireset, threads, ways, stubborn, effort: None };
        let branching = Ctl { encoding, access, algorithm: ctl, order, fireset, ways, threads };
        match self {
            Self::Constants => Box::new(Constants),
            Self::FirstStates => Box::new(Explicit { effort: Some(FEW), ..explicit }),
            Self::Search(threads) => Box::new(Explicit { threads, ..explicit }),
            Self::FirstWalk => Box::new(Walk { time: Some(FIRST_WALK), ..Walk::default() }),
            Self::Walk => Box::new(Walk::default()),
            Self::OtherWalk => Box::new(Walk { seed: 1, ..Walk::default() }),
            Self::Equation => Box::new(Equation),
            Self::Induction => Box::new(Induction::default()),
            Self::Ltl => {
                Box::new(OnTheFly { encoding, access, automaton_order, deepening, fireset, ways, stubborn })
            }
            Self::Ctl => Box::new(branching),
            Self::CtlLabels => Box::new(Ctl { algorithm: CtlAlgorithm::Global, ..branching }),
            Self::CtlWalks => Box::new(Ctl { algorithm: CtlAlgorithm::Sample, ..branching }),
            Self::Sets(takes) => Box::new(Symbolic { takes, ..Symbolic::default() }),
        }
    }
}

/// A line for each part, those of a part indented below it.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, 0, String::new())
    }
}

impl Node {
    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize, before: String) -> fmt::Result {
        let percent = |part: f64, of: &str| match part {
            1.0 => String::new(),
            part => format!("{:.0} % {of}: ", 100.0 * part),
        };
        let line = |f: &mut fmt::Formatter<'_>, text: &str| {
            writeln!(f, "{:indent$}{before}{text}", "", indent = 2 * depth)
        };
        match self {
            Self::Stage(stage) => line(f, stage.name()),
            Self::Then(parts) if parts.len() == 1 => {
                let (share, node) = &parts[0];
                node.write(f, depth, before + &percent(*share, "of the time"))
            }
            Self::Then(parts) => {
                line(f, "one after the other, each in its part of the time that is left")?;
                parts
                    .iter()
                    .try_for_each(|(share, node)| node.write(f, depth + 1, percent(*share, "of the time")))
            }
            Self::Fair(parts) => {
                line(f, "one after the other, the time shared by the open properties of each")?;
                parts.iter().try_for_each(|node| node.write(f, depth + 1, String::new()))
            }
            Self::Beside(parts) => {
                line(f, "side by side")?;
                parts.iter().try_for_each(|(memory, node)| {
                    node.write(f, depth + 1, percent(*memory, "of the memory"))
                })
            }
            Self::After(made, which, node) => {
                let names: Vec<_> = made.iter().map(|made| made.pass().name()).collect();
                let names = if names.is_empty() { "no passes".to_owned() } else { names.join(", ") };
                let which = if *which == Which::InParts { ", for properties of the whole net" } else { "" };
                line(f, &format!("after {names}{which}"))?;
                node.write(f, depth + 1, String::new())
            }
            Self::Alone(together, threads, node) => {
                let together = match together {
                    0.0 => String::new(),
                    part => format!("{:.0} % of the time together, then ", 100.0 * part),
                };
                let at_a_time = if *threads > 1 { format!(", {threads} at a time") } else { String::new() };
                let how = format!("{before}{together}each property alone on its net{at_a_time}: ");
                node.write(f, depth, how)
            }
            Self::Brief(node) => node.write(f, depth, format!("{before}in very little time: ")),
            Self::Later(after, node) => {
                let how = format!("{before}after {:.0} % of the time: ", 100.0 * after);
                node.write(f, depth, how)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fireset_net::{Budget, Outcome, Verdict, replay};
    use fireset_oracle::random::{self, NetShape, TestRng};

    use super::*;

    /// Compares what an engine says about reachability with the reference checker; gives how often it answered with yes and
    /// with no.
    fn compare(engine: &dyn Engine, seeds: std::ops::Range<u64>) -> [usize; 2] {
        let mut answered = [0; 2];
        for seed in seeds {
            let mut random = TestRng::new(seed);
            let inhibitors = if seed.is_multiple_of(3) { 25 } else { 0 };
            let shape = NetShape { places: 5, transitions: 6, inhibitors, ..NetShape::default() };
            let model = Model::Plain(random::net(&mut random, &shape));
            let query = |at: usize| {
                let predicate = random::predicate(&mut random, model.nodes(), 2);
                if at.is_multiple_of(2) { Query::Reachable(predicate) } else { Query::Invariant(predicate) }
            };
            let queries: Vec<Query> = (0..4).map(query).collect();
            let expected = fireset_oracle::outcomes(&model, &queries, 300, &Budget::unlimited());
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
        for (walks, equation, diagrams, induction) in [
            (Switch::On, Switch::On, Switch::On, Switch::On),
            (Switch::Off, Switch::On, Switch::Off, Switch::On),
            (Switch::Off, Switch::Off, Switch::On, Switch::Off),
            (Switch::Off, Switch::Off, Switch::Off, Switch::On),
        ] {
            let options = Options { walks, equation, diagrams, induction, reduction, ..Options::default() };
            // A search that sees nearly nothing leaves the rest to the others.
            let Node::Beside(mut lanes) = reachability(false, &options) else {
                panic!("there is something beside it")
            };
            let (memory, others) = lanes.pop().expect("the others");
            let blind = Explicit { effort: Some(8), ..Explicit::default() };
            let lanes = vec![
                Lane { engine: Box::new(blind), memory },
                Lane { engine: others.engine(&options), memory },
            ];
            let answered = compare(&Beside { lanes, ended: Signal::default() }, 1_000..1_100);
            assert!(answered.iter().all(|&count| count > 100), "{answered:?} {options:?}");
        }
    }

    #[test]
    fn a_plan_can_be_read() {
        let model = Model::Plain(fireset_oracle::tiny::net("p:1 q; t: p -> q"));
        let problem = |query| Problem { model: model.clone().into(), queries: vec![query] };
        let options = Options { threads: 2, ..Options::default() };
        let plan = Plan::new(&problem(Query::Global(Global::Liveness)), &options).to_string();
        for line in [
            "  70 % of the time: after division, simplification, structural reduction, for properties of the whole net",
            "  after simplification, structural reduction",
            "        60 % of the memory: 30 % of the time together, then each property alone on its net: search",
            "          10 % of the time: walk",
            "          40 % of the time: decision diagrams",
        ] {
            assert!(plan.lines().any(|other| other == line), "{line}\nis not in\n{plan}");
        }
        assert!(!plan.contains("LTL"), "nobody asks for it: {plan}");
        let plan = Plan::new(&problem(Query::Ctl(fireset_net::Formula::Deadlock)), &options).to_string();
        for line in [
            "          60 % of the memory: each property alone on its net, 2 at a time: CTL search",
            "        75 % of the time: side by side",
            "          50 % of the memory: CTL labelling",
            "          50 % of the memory: decision diagrams",
        ] {
            assert!(plan.lines().any(|other| other == line), "{plan}");
        }
    }
}
