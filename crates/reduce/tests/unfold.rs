//! Unfolded nets against the oracle on the coloured net: the same verdicts, and witnesses that replay there.

use std::sync::Arc;

use fireset_net::{
    Budget, Comparison, Formula, Global, Model, Net, Outcome, PlaceId, Problem, Query, SortId, StopReason,
    TransitionId, Verdict,
    coloured::{
        Bag, BagTerm, BindingPattern, Colour, ColourTerm, ColouredNet, ColouredNetBuilder, Guard,
        PlaceColours, SortKind,
    },
    families::{self, FamilyKind},
    replay,
};
use fireset_oracle::{
    OracleCase, OracleCounts, query,
    random::{self, TestRng},
};
use fireset_reduce::{Pass, Unfold, unfold, unfold_all_places};

const MAX_STATES: usize = 300;

fn is_unknown(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Unknown(_))
}

/// What the oracle finds on the unfolded net, brought back.
fn by_unfolding(problem: &Problem) -> Vec<Outcome> {
    // Without a question nothing is unfolded.
    if problem.queries.is_empty() {
        return Vec::new();
    }
    let mut reduced =
        Unfold.apply(problem, &Budget::unlimited()).expect("no limits").expect("the net is coloured");
    let small = fireset_oracle::outcomes(
        &reduced.problem.model,
        &reduced.problem.queries,
        MAX_STATES,
        &Budget::unlimited(),
    );
    let mut outcomes = vec![Outcome::unknown(StopReason::NoEngine); problem.queries.len()];
    for (at, outcome) in small.into_iter().enumerate() {
        let whole = &mut outcomes[reduced.asked_for[at]];
        if let Some(outcome) = reduced.lift.lift(at, outcome).filter(|_| is_unknown(whole)) {
            *whole = outcome;
        }
    }
    outcomes
}

/// A smaller net may be decided where the other is not.
fn compare(seed: u64, problem: Problem) -> OracleCounts {
    let case = OracleCase::new(seed, TestRng::new(seed), problem, MAX_STATES);
    let given: Vec<_> = by_unfolding(&case.problem).into_iter().map(Some).collect();
    case.compare(&given, &|_, _| true, &"unfolded")
}

const KINDS: [&str; 10] = [
    "reachable",
    "invariant",
    "ctl",
    "ltl",
    "bound",
    "state-space",
    "one-safe",
    "stable-marking",
    "quasi-liveness",
    "liveness",
];

#[test]
fn answers_stay_on_random_nets() {
    let mut counts = OracleCounts::default();
    for seed in 0..4_000 {
        let mut random = TestRng::new(seed);
        let net = random::coloured(&mut random, (seed % 2 * 30) as usize);
        // One query alone lets more places be alike than several.
        let queries: Vec<Query> = (0..if seed % 3 == 0 { 4 } else { 1 })
            .map(|_| random::query(&mut random, net.nodes(), 3))
            .filter(|query| !matches!(query, Query::Ltl(_, path) if path.temporal_operators() > 6))
            .collect();
        let problem = Problem { model: Arc::new(Model::Coloured(net)), queries };
        counts += compare(seed, problem);
    }
    assert!(KINDS.iter().all(|kind| counts.kind(kind).compared > 100), "{counts:?}");
    assert!(counts.with_evidence > 1_000, "{counts:?}");
    // Witnesses are dropped where a cycle does not come back.
    assert!(counts.lost_evidence * 20 < counts.with_evidence, "{counts:?}");
}

/// Queries that name colours of places and bindings of transitions, alone and together with others that name other colours or none.
#[test]
fn answers_about_colours_stay_on_random_nets() {
    let mut counts = OracleCounts::default();
    for seed in 0..6_000 {
        let mut random = TestRng::new(seed);
        let net = random::coloured(&mut random, (seed % 2 * 30) as usize);
        let mut queries: Vec<Query> = (0..if seed % 3 == 0 { 4 } else { 1 })
            .map(|_| random::coloured_query(&mut random, &net, 2))
            .filter(|query| !matches!(query, Query::Ltl(_, path) if path.temporal_operators() > 6))
            .collect();
        if seed % 5 == 0 {
            queries.push(random::query(&mut random, net.nodes(), 2));
        }
        let problem = Problem { model: Arc::new(Model::Coloured(net)), queries };
        counts += compare(seed, problem);
    }
    assert!(KINDS[..5].iter().all(|kind| counts.kind(kind).compared > 500), "{counts:?}");
    assert!(counts.with_evidence > 2_000, "{counts:?}");
    assert!(counts.lost_evidence * 20 < counts.with_evidence, "{counts:?}");
}

fn generate(name: &str, kind: FamilyKind, parameters: &[u64]) -> Model {
    families::find(name).expect("a family").generate(kind, parameters).expect("parameters within range")
}

fn state_space(model: &Model) -> Verdict {
    let query = [Query::Global(Global::StateSpace)];
    fireset_oracle::outcomes(model, &query, 100_000, &Budget::unlimited()).remove(0).verdict
}

#[test]
fn families_unfold_to_nets_of_the_size_of_their_plain_kind() {
    let mut tried = 0;
    for (name, parameters) in [
        ("database", &[2, 2][..]),
        ("peterson", &[2]),
        ("philosophers", &[5]),
        ("shared-memory", &[5]),
        ("token-ring", &[6]),
        ("slotted-ring", &[2]),
    ] {
        if !families::find(name).expect("a family").offers(FamilyKind::Coloured) {
            continue;
        }
        tried += 1;
        let (Model::Coloured(net), Model::Plain(plain)) =
            (generate(name, FamilyKind::Coloured, parameters), generate(name, FamilyKind::Plain, parameters))
        else {
            panic!("both kinds are there")
        };
        let unfolded = unfold(&net, &Budget::unlimited()).expect("no limits").net;
        let size = |net: &Net| (net.nodes().places.len(), net.nodes().transitions.len());
        assert!(size(&unfolded) <= size(&plain), "{name}: {:?} {:?}", size(&unfolded), size(&plain));
        assert_eq!(state_space(&Model::Plain(unfolded)), state_space(&Model::Plain(plain)), "{name}");
    }
    assert!(tried >= 5);
}

/// A net over the numbers 1 to `size` in which `t` moves a number `x` from `p` to `q`.
fn mover(size: i64, initial: &[u64], guard: impl Fn(SortId, ColourTerm) -> Guard) -> ColouredNet {
    let mut builder = ColouredNetBuilder::new("mover");
    let sort = builder.sorts.add("numbers", SortKind::IntRange { start: 1, end: size }).expect("a sort");
    let x = ColourTerm::Variable(builder.variable("x", sort));
    let initial = Bag::collect(initial.iter().map(|&c| (Colour(c), 1))).expect("few tokens");
    let p = builder.place("p", sort, initial).expect("a place");
    let q = builder.place("q", sort, Bag::default()).expect("a place");
    let t = builder.transition("t", guard(sort, x.clone())).expect("a transition");
    builder.input(p, t, BagTerm::One(x.clone())).expect("a small term");
    builder.output(t, q, BagTerm::One(x)).expect("a small term");
    builder.build()
}

#[test]
fn only_what_arrives_is_unfolded() {
    let net = mover(1_000_000_000_000, &[6, 41], |_, _| Guard::Constant(true));
    let unfolded = unfold(&net, &Budget::unlimited()).expect("two numbers").net;
    assert_eq!(unfolded.nodes().places.iter().collect::<Vec<_>>(), ["p_7", "p_42", "q_7", "q_42"]);
    assert_eq!(unfolded.nodes().transitions.iter().collect::<Vec<_>>(), ["t_7", "t_42"]);
}

#[test]
fn places_that_are_never_marked_are_kept_where_they_are_asked_for() {
    let net = mover(3, &[1], |_, _| Guard::Constant(true));
    let all = unfold_all_places(&net, &Budget::unlimited()).expect("three numbers").net;
    assert_eq!(all.nodes().places.iter().collect::<Vec<_>>(), ["p_1", "p_2", "p_3", "q_1", "q_2", "q_3"]);
    assert_eq!(all.nodes().transitions.iter().collect::<Vec<_>>(), ["t_2"]);
    let marked = unfold(&net, &Budget::unlimited()).expect("two numbers").net;
    assert_eq!(state_space(&Model::Plain(all)), state_space(&Model::Plain(marked)));
    let large = mover(1_000_000_000_000, &[6], |_, _| Guard::Constant(true));
    assert_eq!(unfold_all_places(&large, &Budget::unlimited()).err(), Some(StopReason::Unfolding));
}

/// The colours of a place of numbers that are this number.
fn number(net: &ColouredNet, place: usize, number: u64) -> PlaceColours {
    let place = PlaceId::new(place);
    let colours = net.sorts().pattern(net.place(place).sort, &[Some(Colour(number - 1))]).expect("a number");
    PlaceColours { place, colours }
}

#[test]
fn colours_that_are_asked_for_are_told_apart() {
    let net = mover(9, &[0, 1, 2, 3], |_, _| Guard::Constant(true));
    let x = net.variables_of(TransitionId::new(0))[0];
    let two = number(&net, 1, 2);
    let moves = |n: u64| {
        let colours = number(&net, 0, n).colours;
        Formula::BindingFireable(
            BindingPattern::new(&net, TransitionId::new(0), [(x, colours)]).expect("it has x"),
        )
    };
    let queries = vec![
        Query::ColourBound(vec![two.clone()]),
        Query::ColourBound(vec![number(&net, 1, 8)]),
        query::reachable(moves(9)),
        query::invariant(moves(3)),
    ];
    let problem = Problem { model: Arc::new(Model::Coloured(net.clone())), queries };
    let reduced = Unfold.apply(&problem, &Budget::unlimited()).expect("no limits").expect("it is coloured");
    // 2 in `p` and in `q`, 3 in `p`, and all others.
    assert!(reduced.problem.model.nodes().places.len() < 8, "most numbers are alike");
    let verdicts: Vec<Verdict> = by_unfolding(&problem).into_iter().map(|outcome| outcome.verdict).collect();
    let bound = |n: u32| Verdict::Bound(n.into());
    assert_eq!(verdicts, [bound(1), bound(0), Verdict::Fails, Verdict::Fails]);
    assert_eq!(compare(0, problem).compared, 4);
}

#[test]
fn what_never_changes_is_counted_in_again() {
    let net = mover(9, &[1, 3], |sort, x| {
        let three = (sort, ColourTerm::Constant(sort, Colour(2)));
        Guard::Compare(Comparison::Less, (sort, x), three)
    });
    let queries = vec![Query::Bound(vec![PlaceId::new(0)]), Query::Global(Global::StateSpace)];
    let problem = Problem { model: Arc::new(Model::Coloured(net)), queries };
    assert_eq!(compare(0, problem.clone()).compared, 2);
    let reduced = Unfold.apply(&problem, &Budget::unlimited()).expect("no limits").expect("it is coloured");
    assert_eq!(reduced.problem.model.nodes().places.len(), 2, "the number 4 stays where it is");
}

#[test]
fn numbers_that_nothing_tells_apart_are_one_place() {
    let net = mover(9, &[0, 1, 2, 3], |_, _| Guard::Constant(true));
    let problem = Problem {
        model: Arc::new(Model::Coloured(net)),
        queries: vec![Query::Bound(vec![PlaceId::new(1)]), query::reachable(Formula::Deadlock)],
    };
    let reduced = Unfold.apply(&problem, &Budget::unlimited()).expect("no limits").expect("it is coloured");
    let nodes = reduced.problem.model.nodes();
    assert_eq!((nodes.places.len(), nodes.transitions.len()), (2, 1));
    let counts = compare(0, problem);
    assert_eq!((counts.compared, counts.with_evidence), (2, 2));
}

/// `t` takes `choices` tokens of any colours of `p`, which has each once, and puts the first of them into `q`.
fn chooser(size: i64, choices: usize) -> ColouredNet {
    let mut builder = ColouredNetBuilder::new("chooser");
    let sort = builder.sorts.add("numbers", SortKind::IntRange { start: 1, end: size }).expect("a sort");
    let one_of = |v| BagTerm::One(ColourTerm::Variable(v));
    let variables: Vec<_> = (0..choices).map(|at| builder.variable(format!("x{at}"), sort)).collect();
    let all = Bag::collect((0..size as u64).map(|c| (Colour(c), 1))).expect("few tokens");
    let p = builder.place("p", sort, all).expect("a place");
    let q = builder.place("q", sort, Bag::default()).expect("a place");
    let t = builder.transition("t", Guard::Constant(true)).expect("a transition");
    variables.iter().for_each(|&v| builder.input(p, t, one_of(v)).expect("a small term"));
    builder.output(t, q, one_of(variables[0])).expect("a small term");
    builder.build()
}

#[test]
fn colours_that_nothing_looks_at_are_not_listed() {
    let queries = vec![
        Query::Bound(vec![PlaceId::new(1)]),
        query::reachable(Formula::Deadlock),
        Query::Global(Global::OneSafe),
    ];
    let small = Problem { model: Arc::new(Model::Coloured(chooser(5, 2))), queries: queries.clone() };
    let counts = compare(0, small);
    assert_eq!((counts.compared, counts.with_evidence), (3, 3));
    // 10^30 bindings.
    let large = Problem { model: Arc::new(Model::Coloured(chooser(1000, 10))), queries };
    let outcomes = by_unfolding(&large);
    assert_eq!(outcomes[0].verdict, Verdict::Bound(100u32.into()));
    replay::confirm(
        &large.model,
        &large.queries[0],
        &outcomes[0].verdict,
        outcomes[0].evidence.as_ref().unwrap(),
    )
    .expect("it replays");
}

#[test]
fn too_much_to_unfold_ends_in_time() {
    let mut builder = ColouredNetBuilder::new("large");
    let sort = builder.sorts.add("n", SortKind::IntRange { start: 1, end: 1_000_000 }).expect("a sort");
    let x = ColourTerm::Variable(builder.variable("x", sort));
    let p = builder.place("p", sort, Bag::of(Colour(0), 1)).expect("a place");
    let t = builder.transition("t", Guard::Constant(true)).expect("a transition");
    builder.output(t, p, BagTerm::One(x.clone())).expect("a small term");
    let first = (sort, ColourTerm::Constant(sort, Colour(0)));
    let is_first = Guard::Compare(Comparison::Equal, (sort, x.clone()), first);
    let u = builder.transition("u", is_first).expect("a transition");
    builder.input(p, u, BagTerm::One(x)).expect("a small term");
    let queries = vec![query::reachable(Formula::Deadlock)];
    let problem = Problem { model: Arc::new(Model::Coloured(builder.build())), queries };
    let budget = Budget::unlimited().with_memory(1 << 20);
    assert_eq!(Unfold.apply(&problem, &budget).err(), Some(StopReason::Unfolding));
    let budget = Budget::unlimited().with_timeout(std::time::Duration::from_millis(20));
    assert_eq!(Unfold.apply(&problem, &budget).err(), Some(StopReason::Unfolding));
}
