//! Walks against the oracle: random nets of either kind with weights, inhibitor arcs and more states than
//! can be counted; runs replayed, and most goals met that can be.

use std::ops::Range;

use fireset_engine::{Engine, RandomWalk, ResultSink, WalkAcceleration, WalkGuidance, walk_along};
use fireset_net::{
    Budget, Comparison, Evidence, Expr, Formula, Marking, Model, Net, Outcome, PlaceId, Problem, Query,
    Semantics, StateAtom, StatePredicate, Trace, TransitionId, Verdict,
    families::{self, FamilyKind},
    replay,
};
use fireset_oracle::{
    OracleCase, OracleTest, against_oracle, query,
    random::{self, NetShape, TestRng},
    tiny,
};

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 300;

/// What walks say of all queries.
fn outcomes(walk: &RandomWalk, model: &Model, queries: &[Query]) -> Vec<Option<Outcome>> {
    let problem = Problem { model: model.clone().into(), queries: queries.to_vec() };
    let mut all: Vec<Option<Outcome>> = vec![None; queries.len()];
    walk.decide(&problem, &Budget::unlimited(), &mut |at: usize, outcome: Outcome| {
        assert!(all[at].replace(outcome).is_none(), "a query is answered once");
    });
    all
}

/// Goals that can be met, and those that were.
#[derive(Debug, Default)]
struct MetGoals {
    answers: usize,
    open: usize,
    possible: usize,
    met: usize,
}

/// The verdict that a run shows.
fn by_run(query: &Query) -> Verdict {
    if matches!(query, Query::Reachable(_)) { Verdict::Holds } else { Verdict::Fails }
}

impl MetGoals {
    fn count(&mut self, case: &OracleCase, given: &[Option<Outcome>]) {
        for (at, (given, expected)) in given.iter().zip(&case.expected).enumerate() {
            let by_run = by_run(&case.problem.queries[at]);
            self.possible += usize::from(expected.verdict == by_run);
            self.open += usize::from(matches!(expected.verdict, Verdict::Unknown(_)));
            let Some(given) = given else { continue };
            self.answers += 1;
            self.met += usize::from(expected.verdict == by_run);
            assert_eq!(given.verdict, by_run, "{}", case.describe(at));
            assert!(given.evidence.is_some(), "a run shows it: {}", case.describe(at));
        }
    }
}

/// Walks against the oracle: every answer is a run.
fn compare(
    seeds: Range<u64>,
    walk: RandomWalk,
    model: &dyn Fn(&mut TestRng, u64) -> Model,
    queries: &dyn Fn(&mut TestRng, &Model) -> Vec<Query>,
) -> MetGoals {
    let mut goals = MetGoals::default();
    let test = OracleTest {
        seeds,
        model,
        queries,
        max_states: MAX_STATES,
        configurations: &|_| vec![walk],
        may_stop: &|_, _| false,
        budget: &|_| Budget::unlimited(),
    };
    against_oracle(
        &test,
        |walk, problem, budget, report| {
            walk.decide(problem, budget, &mut |at: usize, outcome: Outcome| report(at, outcome));
        },
        |case, _, given| goals.count(case, given),
    );
    goals
}

/// Reachability of random predicates, of deadlocks and of each transition.
fn queries(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let mut queries = vec![query::reachable(Formula::Deadlock), query::invariant(Formula::Deadlock)];
    for depth in [0, 1, 2, 3] {
        queries.push(Query::Reachable(random::predicate(random, model.nodes(), depth)));
        queries.push(Query::Invariant(random::predicate(random, model.nodes(), depth)));
    }
    let fireable = |t| Formula::Fireable(vec![t]);
    queries.extend(model.nodes().transition_ids().map(|t| query::reachable(fireable(t))));
    queries
}

fn plain(random: &mut TestRng, seed: u64) -> Net {
    if let Some(net) = random::structured(random, seed) {
        return net;
    }
    let inhibitors = if random.percent(40) { 40 } else { 0 };
    if random.percent(50) {
        return random::grown(random, inhibitors);
    }
    let weight = random.within(1, 4);
    random::net(random, &NetShape { inhibitors, weight, ..NetShape::default() })
}

#[test]
fn random_nets() {
    let steps = Some(2_000);
    let steered = RandomWalk { steps, ..RandomWalk::default() };
    let blind = RandomWalk { steps, guidance: WalkGuidance::Unguided, ..steered };
    for walk in [steered, blind] {
        let goals = compare(0..1_500, walk, &|random, seed| Model::Plain(plain(random, seed)), &queries);
        assert!(goals.answers > 12_000 && goals.open > 600, "{goals:?}");
        // Nearly everything that can be reached in so small nets.
        assert!(goals.met * 1000 > goals.possible * 995, "{goals:?}");
    }
}

/// Places with many tokens, which transitions move by the dozen.
fn weighty(random: &mut TestRng) -> Net {
    let inhibitors = if random.percent(40) { 40 } else { 0 };
    let shape = NetShape { places: 4, transitions: 5, tokens: 50, weight: 20, inhibitors };
    random::net(random, &shape)
}

/// Places that have as many tokens as can be, as few, or the same as another.
fn counts(random: &mut TestRng, model: &Model) -> Vec<Query> {
    let mut all = queries(random, model);
    for place in model.nodes().place_ids() {
        let other = PlaceId::new(random.below(model.nodes().places.len()));
        let (tokens, others) = (Expr::Tokens(vec![place]), Expr::Tokens(vec![other]));
        for how in [Comparison::Equal, Comparison::GreaterEqual, Comparison::Less] {
            let count = Expr::Constant(random.within(0, 120) as i64);
            all.push(query::reachable(Formula::Compare(how, tokens.clone(), count)));
        }
        let equal = Formula::Compare(Comparison::Equal, tokens, others);
        all.push(query::reachable(Formula::And(vec![equal, Formula::Fireable(vec![TransitionId::new(0)])])));
    }
    all
}

#[test]
fn random_nets_with_large_weights() {
    let met = [WalkAcceleration::On, WalkAcceleration::Off].map(|acceleration| {
        let walk = RandomWalk { steps: Some(2_000), acceleration, ..RandomWalk::default() };
        let test = |random: &mut TestRng, _| Model::Plain(weighty(random));
        let goals = compare(0..1_000, walk, &test, &counts);
        assert!(goals.answers > 5_000, "{goals:?}");
        goals.met as f64 / goals.possible as f64
    });
    assert!(met[0] > met[1] && met[0] > 0.98, "{met:?}");
}

/// Goals that need a hundred thousand firings in some hundred steps.
#[test]
fn counters_are_pumped() {
    let at_least = |place: usize, tokens| {
        Formula::Compare(
            Comparison::GreaterEqual,
            Expr::Tokens(vec![PlaceId::new(place)]),
            Expr::Constant(tokens),
        )
    };
    let exactly = |place: usize, tokens| {
        Formula::Compare(Comparison::Equal, Expr::Tokens(vec![PlaceId::new(place)]), Expr::Constant(tokens))
    };
    let many = 100_000;
    let cases = [
        // One transition, against one that takes back.
        ("p:100000 q; t: p -> q; u: q -> p", at_least(1, many)),
        // A loop of three transitions.
        ("c a:1 b d; t: a -> b; u: b -> d, c; v: d -> a", at_least(0, many)),
        // A loop, beside one that takes back.
        ("c x a:1 b; t: a -> b, 7*c; u: b -> a; v: 2*c -> x; w: x -> c", at_least(0, many)),
        // A transition waits for the counter.
        ("c a:1 b x; t: a -> b, 3*c; u: b -> a; v: 100001*c -> x", at_least(3, 1)),
        // Two counters that compete for tokens.
        ("p:100000 q r; t: p -> q; u: p -> r", Formula::And(vec![exactly(1, 30_000), exactly(2, 70_000)])),
        // Down to where an inhibitor arc lets go.
        ("p:100000 q; t: 3*p -> 2*p; u: !p, q -> q; v: 3*!p -> q", at_least(1, 1)),
    ];
    for (text, goal) in cases {
        let model = Model::Plain(tiny::net(text));
        let queries = [query::reachable(goal)];
        let walk = RandomWalk { steps: Some(20_000), ..RandomWalk::default() };
        let outcome =
            outcomes(&walk, &model, &queries).remove(0).unwrap_or_else(|| panic!("{text} stays open"));
        assert!(outcome.statistics.firings < 3_000, "{text}: {:?}", outcome.statistics);
        let evidence = outcome.evidence.as_ref().expect("a run shows it");
        replay::confirm(&model, &queries[0], &outcome.verdict, evidence).expect("it replays");
        let blind = RandomWalk { acceleration: WalkAcceleration::Off, ..walk };
        assert!(outcomes(&blind, &model, &queries)[0].is_none(), "{text}: single steps are enough");
    }
}

#[test]
fn random_coloured_nets() {
    let walk = RandomWalk { steps: Some(1_000), ..RandomWalk::default() };
    let goals = compare(
        0..400,
        walk,
        &|random, _| {
            let inhibitors = if random.percent(30) { 30 } else { 0 };
            Model::Coloured(random::coloured(random, inhibitors))
        },
        &queries,
    );
    assert!(goals.answers > 2_000, "{goals:?}");
    assert!(goals.met * 100 > goals.possible * 98, "{goals:?}");
}

#[test]
fn walks_to_colours() {
    let walk = RandomWalk { steps: Some(1_000), ..RandomWalk::default() };
    let mut goals = MetGoals::default();
    for seed in 0..400 {
        let mut random = TestRng::new(seed);
        let net = random::coloured(&mut random, 0);
        let queries: Vec<Query> = queries(&mut random, &Model::Coloured(net.clone()));
        let queries = queries.iter().map(|query| random::with_colours(&mut random, &net, query)).collect();
        let problem = Problem { model: Model::Coloured(net).into(), queries };
        let case = OracleCase::new(seed, random, problem, MAX_STATES);
        let given = outcomes(&walk, &case.problem.model, &case.problem.queries);
        case.compare(&given, &|_, _| false, &walk);
        goals.count(&case, &given);
    }
    assert!(goals.answers > 2_000, "{goals:?}");
    assert!(goals.met * 100 > goals.possible * 97, "{goals:?}");
}

/// Token counts as a predicate.
fn exactly(marking: &Marking) -> Formula {
    let each = marking.0.iter().enumerate().map(|(place, &tokens)| {
        let count = Expr::Tokens(vec![PlaceId::new(place)]);
        Formula::Compare(Comparison::Equal, count, Expr::Constant(tokens as i64))
    });
    Formula::And(each.collect())
}

#[test]
fn along_the_counts_of_a_run() {
    let (mut asked, mut found, mut without_one) = (0, 0, 0);
    for seed in 0..1_500 {
        let mut random = TestRng::new(seed);
        let net = plain(&mut random, seed);
        let mut counts = vec![0; net.nodes().transitions.len()];
        let mut marking = net.initial_marking().clone();
        for _ in 0..random.within(1, 12) {
            let steps = net.steps(&marking);
            if steps.is_empty() {
                break;
            }
            let step = random.pick(&steps);
            // A count may leave 64 bits.
            let Ok(next) = net.fire(&marking, step) else { break };
            marking = next;
            counts[step.transition.index()] += 1;
        }
        if marking.0.iter().any(|&tokens| i64::try_from(tokens).is_err()) {
            continue;
        }
        let goal = exactly(&marking);
        let walk = |counts: &[u64]| {
            let run = walk_along(&net, counts, &query::predicate(goal.clone()), &Budget::unlimited());
            if let Some(run) = &run {
                let last = replay::states(&net, &run.0).expect("the run fires").pop().unwrap();
                assert_eq!(last, marking, "seed {seed}");
            }
            usize::from(run.is_some())
        };
        asked += 1;
        found += walk(&counts);
        // A count that is too small has to be made up for.
        if let Some(count) = counts.iter_mut().find(|count| **count > 0) {
            *count -= 1;
        }
        without_one += walk(&counts);
    }
    assert!(found * 100 > asked * 97, "{found} of {asked}");
    assert!(without_one * 100 > asked * 85, "{without_one} of {asked}");
}

#[test]
fn counts_may_be_anything() {
    let net = tiny::net("p:1 q; t: p -> q; u: q -> p");
    let q = |n| {
        let tokens = Expr::Tokens(vec![PlaceId::new(1)]);
        StateAtom::Compare(Comparison::Equal, tokens, Expr::Constant(n)).into()
    };
    let unlimited = Budget::unlimited();
    for counts in [&[][..], &[1], &[0, u64::MAX], &[u64::MAX, u64::MAX], &[1, 0, 7, 7]] {
        let run = walk_along(&net, counts, &q(1), &unlimited).expect("one step is enough");
        assert_eq!(run.0.len(), 1);
        assert_eq!(walk_along(&net, counts, &q(2), &unlimited), None);
        assert_eq!(walk_along(&net, counts, &q(0), &unlimited), Some(Trace::default()));
    }
    assert_eq!(walk_along(&tiny::net("p"), &[], &StatePredicate::Constant(false), &unlimited), None);
}

fn run(outcome: &Option<Outcome>) -> &Trace {
    match outcome.as_ref().and_then(|outcome| outcome.evidence.as_ref()) {
        Some(Evidence::Trace(trace)) => trace,
        other => panic!("a run shows it, not {other:?}"),
    }
}

#[test]
fn runs_are_short() {
    let places: Vec<String> = (0..12).map(|n| format!("p{n}:1 q{n} r{n}")).collect();
    let parts = (0..12).map(|n| format!("t{n}: p{n} -> q{n}; u{n}: q{n} -> p{n}; v{n}: q{n} -> r{n}"));
    let text = format!("{}; {}", places.join(" "), parts.collect::<Vec<_>>().join("; "));
    let model = Model::Plain(tiny::net(&text));
    // Each part can go round; all but the steps of one part are superfluous.
    let ended = |part: usize| {
        let count = Expr::Tokens(vec![PlaceId::new(3 * part + 2)]);
        Formula::Compare(Comparison::GreaterEqual, count, Expr::Constant(1))
    };
    let each: Vec<Query> = (0..12).map(|part| query::reachable(ended(part))).collect();
    for guidance in [WalkGuidance::Guided, WalkGuidance::Unguided] {
        let walk = RandomWalk { guidance, steps: Some(100_000), ..RandomWalk::default() };
        for outcome in outcomes(&walk, &model, &each) {
            assert_eq!(run(&outcome).0.len(), 2);
        }
        let all = [query::reachable(Formula::And((0..12).map(ended).collect()))];
        assert_eq!(run(&outcomes(&walk, &model, &all)[0]).0.len(), 24);
    }
}

#[test]
fn walks_are_the_same_in_every_run() {
    for kind in [FamilyKind::Plain, FamilyKind::Coloured] {
        let model = families::find("token-ring").unwrap().generate(kind, &[4]).unwrap();
        let queries = queries(&mut TestRng::new(0), &model);
        let walk = RandomWalk { steps: Some(20_000), ..RandomWalk::default() };
        let runs = || -> Vec<_> {
            let outcomes = outcomes(&walk, &model, &queries);
            outcomes.into_iter().map(|outcome| outcome.and_then(|outcome| outcome.evidence)).collect()
        };
        let first = runs();
        assert!(first.iter().flatten().count() > 5);
        assert_eq!(first, runs());
    }
}

#[test]
fn thousands_of_queries_in_one_walk() {
    let model = families::find("philosophers").unwrap().generate(FamilyKind::Plain, &[500]).unwrap();
    let fires = model.nodes().transition_ids().map(|t| query::reachable(Formula::Fireable(vec![t])));
    let Model::Plain(net) = &model else { panic!("it is plain") };
    let stays = model.nodes().place_ids().map(|p| {
        let tokens = Expr::Constant(net.initial_marking().tokens(p) as i64);
        query::invariant(Formula::Compare(Comparison::Equal, Expr::Tokens(vec![p]), tokens))
    });
    let queries: Vec<Query> = fires.chain(stays).collect();
    assert!(queries.len() > 4_000);
    let outcomes = outcomes(&RandomWalk { steps: Some(300_000), ..RandomWalk::default() }, &model, &queries);
    for (query, outcome) in queries.iter().zip(&outcomes) {
        let outcome = outcome.as_ref().unwrap_or_else(|| panic!("{query:?} stays open"));
        replay::confirm(&model, query, &outcome.verdict, outcome.evidence.as_ref().unwrap()).unwrap();
    }
}

/// Wants the first answer only.
struct First {
    heard: Vec<usize>,
}

impl ResultSink for First {
    fn report(&mut self, at: usize, _: Outcome) {
        self.heard.push(at);
    }

    fn is_open(&self, _: usize) -> bool {
        self.heard.is_empty()
    }
}

#[test]
fn what_nobody_wants_is_not_told() {
    for kind in [FamilyKind::Plain, FamilyKind::Coloured] {
        let model = families::find("philosophers").unwrap().generate(kind, &[4]).unwrap();
        let queries: Vec<Query> = (0..5).map(|_| query::reachable(Formula::Deadlock)).collect();
        let problem = Problem { model: model.into(), queries };
        let mut sink = First { heard: Vec::new() };
        RandomWalk { steps: Some(100_000), ..RandomWalk::default() }.decide(
            &problem,
            &Budget::unlimited(),
            &mut sink,
        );
        assert_eq!(sink.heard.len(), 1);
    }
}

#[test]
fn nets_without_anything() {
    let never = query::reachable(Formula::Constant(false));
    for text in ["", "p:1", "; t: ->", "p; t: p -> p", "p:1; t: p, 0*!p -> p"] {
        let model = Model::Plain(tiny::net(text));
        let net = tiny::net(text);
        let queries = [query::reachable(Formula::Deadlock), never.clone()];
        let outcomes =
            outcomes(&RandomWalk { steps: Some(1_000), ..RandomWalk::default() }, &model, &queries);
        assert_eq!(outcomes[0].is_some(), net.steps(net.initial_marking()).is_empty(), "{text}");
        assert!(outcomes[1].is_none());
    }
}

#[test]
fn counts_that_overflow_end_a_walk() {
    let net = tiny::net(&format!("p:1 q:{}; t: p -> p, q; u: p -> ; v: q -> 2*q", u64::MAX - 3));
    let full = Formula::Not(Box::new(Formula::Fireable(vec![TransitionId::new(0)])));
    let model = Model::Plain(net);
    let queries = [query::reachable(full), query::reachable(Formula::Deadlock)];
    let outcomes = outcomes(&RandomWalk { steps: Some(10_000), ..RandomWalk::default() }, &model, &queries);
    assert!(outcomes[0].is_some() && outcomes[1].is_none());
}

#[test]
fn walks_end_where_every_firing_overflows() {
    let model = Model::Plain(tiny::net(&format!("p:{} q:1; t: q -> q, p", u64::MAX)));
    let never = [query::reachable(Formula::Constant(false))];
    for guidance in [WalkGuidance::Guided, WalkGuidance::Unguided] {
        let walk = RandomWalk { guidance, steps: Some(1_000), ..RandomWalk::default() };
        assert!(outcomes(&walk, &model, &never)[0].is_none());
    }
}

/// All processors of a shared memory work in their own memory, and all philosophers have a fork.
#[test]
fn sweeps_reach_what_all_processes_do_together() {
    for (family, parameter) in [("shared-memory", 300), ("philosophers", 200), ("token-ring", 60)] {
        let family = families::find(family).expect("a family");
        let model = family.generate(FamilyKind::Coloured, &[parameter]).expect("parameters within range");
        let Model::Coloured(net) = &model else { panic!("a coloured net") };
        // Some transition is disabled when all processes have done the same.
        let disabled = |t| query::reachable(Formula::Fireable(vec![t]).negate());
        let queries: Vec<Query> = net.nodes().transition_ids().map(disabled).collect();
        let walk = RandomWalk { steps: Some(200_000), ..RandomWalk::default() };
        let met = outcomes(&walk, &model, &queries);
        for (query, outcome) in queries.iter().zip(&met) {
            let Some(outcome) = outcome else { continue };
            let evidence = outcome.evidence.as_ref().expect("a run");
            replay::confirm(&model, query, &outcome.verdict, evidence).expect("it replays");
        }
        assert!(
            met.iter().all(Option::is_some),
            "{}: {} of {}",
            family.name,
            met.iter().flatten().count(),
            met.len()
        );
    }
}
