//! Structural reductions against the oracle: each rule alone, pairs and all of them, for queries of every level;
//! the same verdicts, and witnesses that replay on the net as it was.

mod common;

use common::{NarrowQueryKind, query};
use fireset_net::{
    Budget, Comparison, Evidence, Expr, Formula, Model, Net, NetBuilder, Outcome, PlaceId, Problem,
    Quantifier, Query, Verdict,
};
use fireset_oracle::{
    OracleCase, OracleCounts, query,
    random::{self, NetShape, TestRng},
    tiny,
};
use fireset_reduce::{
    Pass, Reduced,
    rules::{NetSize, RULES, Reduce, RuleSet, reduce, reduce_with},
};

const MAX_STATES: usize = 300;

fn is_unknown(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Unknown(_))
}

fn decide(model: &Model, queries: &[Query]) -> Vec<Outcome> {
    fireset_oracle::outcomes(model, queries, MAX_STATES, &Budget::unlimited())
}

/// What has been compared.
#[derive(Debug, Default)]
struct ReductionCounts {
    answers: OracleCounts,
    traces: usize,
    lassos: usize,
    /// Runs that are no cycle in the larger net.
    lost_lassos: usize,
    /// Runs that need a move between fused places in the middle of an agglomerated step.
    lost_traces: usize,
    /// How often each rule was applied.
    applied: [usize; RULES.len()],
    /// Places and transitions before and after, in problems that changed.
    before: usize,
    after: usize,
}

/// A case about one query, so that the net is reduced for it alone.
fn alone(case: &OracleCase, at: usize) -> OracleCase {
    let queries = vec![case.problem.queries[at].clone()];
    let problem = Problem { model: case.problem.model.clone(), queries };
    let expected = vec![case.expected[at].clone()];
    OracleCase { seed: case.seed, random: case.random.clone(), problem, expected, states: case.states }
}

impl ReductionCounts {
    /// Compares the answers of a problem with those by way of a reduction.
    fn compare(&mut self, case: &OracleCase, rules: RuleSet, label: &str) {
        let problem = &case.problem;
        let Model::Plain(net) = &*problem.model else { panic!("only plain nets are reduced") };
        let reduced = Reduce { rules }.apply(problem, &Budget::unlimited()).expect("no limits");
        let Some(Reduced { problem: smaller, asked_for, mut lift }) = reduced else { return };
        let statistics =
            reduce_with(net, &problem.queries, rules, &Budget::unlimited()).expect("as above").statistics;
        self.applied.iter_mut().zip(statistics.applications).for_each(|(all, more)| *all += more);
        self.before += statistics.before.places + statistics.before.transitions;
        self.after += statistics.after.places + statistics.after.transitions;
        let mut all = vec![None; problem.queries.len()];
        for (at, small) in decide(&smaller.model, &smaller.queries).into_iter().enumerate() {
            let (is_open, had) =
                (is_unknown(&small) || is_unknown(&case.expected[asked_for[at]]), small.evidence.clone());
            let given = lift.lift(at, small).expect("each query has its own answer");
            match (&given.evidence, had) {
                // A run whose counts leave 64 bits on the larger net is dropped.
                _ if is_open || is_huge(net) => {}
                (Some(Evidence::Trace(_)), _) => self.traces += 1,
                (Some(_), _) => self.lassos += 1,
                (None, Some(Evidence::Trace(_))) => self.lost_traces += 1,
                (None, Some(_)) => self.lost_lassos += 1,
                (None, None) => {}
            }
            all[asked_for[at]] = Some(given);
        }
        self.answers +=
            case.compare(&all, &|_, _| true, &(label, tiny::text(plain(&smaller.model)), &smaller.queries));
    }
}

/// Whether counts may leave 64 bits after a few steps.
fn is_huge(net: &Net) -> bool {
    let arcs = |t| net.pre(t).iter().chain(net.post(t)).any(|arc| arc.weight > 1 << 32);
    net.initial_marking().0.iter().any(|&tokens| tokens > 1 << 32) || net.nodes().transition_ids().any(arcs)
}

fn plain(model: &Model) -> &Net {
    match model {
        Model::Plain(net) => net,
        Model::Coloured(_) => panic!("only plain nets are reduced"),
    }
}

/// A net without any plan, one grown from pieces that rules look for, or one of a structured family.
fn net(random: &mut TestRng, seed: u64) -> Net {
    if let Some(net) = random::structured(random, seed) {
        return net;
    }
    let inhibitors = if seed % 4 == 1 { 25 } else { 0 };
    if seed.is_multiple_of(3) {
        let shape = NetShape { places: 6, transitions: 6, tokens: 2, inhibitors, ..NetShape::default() };
        random::net(random, &shape)
    } else {
        random::grown(random, inhibitors)
    }
}

/// Compares on random nets, one query of each kind at a time, with rule sets drawn for each net.
fn compare_on(
    seeds: std::ops::Range<u64>,
    sets: impl Fn(&mut TestRng) -> Vec<(String, RuleSet)>,
) -> ReductionCounts {
    let mut counts = ReductionCounts::default();
    for seed in seeds {
        let mut random = TestRng::new(seed);
        let net = net(&mut random, seed);
        let queries: Vec<Query> =
            NarrowQueryKind::ALL.iter().map(|&kind| query(&mut random, &net, kind)).collect();
        let problem = Problem { model: Model::Plain(net).into(), queries };
        let mut case = OracleCase::new(seed, random, problem, MAX_STATES);
        for (name, rules) in sets(&mut case.random) {
            (0..NarrowQueryKind::ALL.len()).for_each(|at| counts.compare(&alone(&case, at), rules, &name));
        }
    }
    counts
}

fn all() -> RuleSet {
    RuleSet::default()
}

/// All rules but those that solve linear programs, which take most of the time.
fn quick() -> RuleSet {
    let is_quick = |at: &usize| !["equation_dead", "implicit"].contains(&RULES[*at].name);
    (0..RULES.len()).filter(is_quick).fold(RuleSet::NONE, RuleSet::with)
}

fn only(rules: &[usize]) -> (String, RuleSet) {
    let names: Vec<&str> = rules.iter().map(|&at| RULES[at].name).collect();
    (names.join(" and "), rules.iter().fold(RuleSet::NONE, |set, &at| set.with(at)))
}

fn assert_all_applied(counts: &ReductionCounts, least: usize) {
    for (rule, &applied) in RULES.iter().zip(&counts.applied) {
        assert!(applied >= least, "{} was applied {applied} times only: {counts:?}", rule.name);
    }
}

#[test]
fn each_rule_alone_keeps_all_answers() {
    let counts = compare_on(0..800, |random| {
        let mut drawn = |at: &usize| quick() == quick().with(*at) || random.percent(20);
        (0..RULES.len()).filter(&mut drawn).map(|at| only(&[at])).collect()
    });
    assert_all_applied(&counts, 60);
    assert_eq!(counts.lost_traces, 0, "{counts:?}");
    assert!(counts.answers.compared > 15_000 && counts.traces > 1_000 && counts.lassos > 100, "{counts:?}");
}

#[test]
fn pairs_of_rules_keep_all_answers() {
    let counts = compare_on(10_000..10_700, |random| {
        let mut pair = || only(&[random.below(RULES.len()), random.below(RULES.len())]);
        (0..8).map(|_| pair()).collect()
    });
    assert!(counts.answers.compared > 10_000, "{counts:?}");
}

#[test]
fn all_rules_together_keep_all_answers() {
    let counts = compare_on(20_000..22_000, |random| {
        vec![if random.percent(10) { ("all".into(), all()) } else { ("quick".into(), quick()) }]
    });
    assert!(counts.answers.compared > 12_000 && counts.lost_lassos * 5 < counts.lassos, "{counts:?}");
    assert!(counts.after * 3 < counts.before * 2 && counts.lost_traces * 200 < counts.traces, "{counts:?}");
}

#[test]
fn queries_of_a_problem_share_a_reduction() {
    let mut counts = ReductionCounts::default();
    for seed in 30_000..30_800 {
        let mut random = TestRng::new(seed);
        let net = net(&mut random, seed);
        let kind = *random.pick(&NarrowQueryKind::ALL);
        let queries: Vec<Query> = (0..3).map(|_| query(&mut random, &net, kind)).collect();
        let problem = Problem { model: Model::Plain(net).into(), queries };
        counts.compare(&OracleCase::new(seed, random, problem, MAX_STATES), all(), "all");
    }
    assert!(counts.answers.compared > 500, "{counts:?}");
}

#[test]
fn queries_about_the_whole_net_stop_it() {
    let net = tiny::net("p:1 q; t: p -> q; u: q -> p");
    let global = Query::Global(fireset_net::Global::StateSpace);
    assert!(reduce(&net, &[global], &Budget::unlimited()).is_none());
    let constant = query::ctl(Formula::Constant(true));
    assert!(reduce(&net, &[constant], &Budget::unlimited()).is_none());
}

#[test]
fn markings_that_are_no_deadlock_stay() {
    let net = tiny::net("p0:2 p1 p2:3 p3; t0: p0 ->; t1: p1 -> p1; t2: p0, p2 -> 2*p3; t3: p1 -> p0");
    for query in [query::invariant(Formula::Deadlock), query::reachable(Formula::Deadlock.negate())] {
        let problem = Problem { model: Model::Plain(net.clone()).into(), queries: vec![query] };
        let case = OracleCase::new(0, TestRng::new(0), problem, MAX_STATES);
        let label = "the initial marking is the only one that is not dead";
        ReductionCounts::default().compare(&case, all(), label);
    }
}

#[test]
fn choices_stay_open_for_ctl() {
    let net = tiny::net("s:1 p a b x y; h: s -> p; f: p -> a; g: p -> b; i: a -> x; j: b -> y");
    let is = |place: usize, count| {
        Formula::Compare(Comparison::Equal, Expr::Tokens(vec![PlaceId::new(place)]), Expr::Constant(count))
    };
    let open = Formula::And(vec![is(0, 0), is(4, 1).possible(), is(5, 1).possible()]);
    // Only between `h` and what follows it are both possible.
    let query = query::ctl(open.possible());
    assert!(reduce(&net, std::slice::from_ref(&query), &Budget::unlimited()).is_none());
    assert_eq!(decide(&Model::Plain(net), &[query])[0].verdict, Verdict::Holds);
}

#[test]
fn a_run_to_a_deadlock_goes_round_what_changes_nothing() {
    let net = tiny::net(
        "p0:2 p1 p2:2 p3 p4:2 p5; t0: p0, p5 -> 2*p1; t1: p1 -> p4; t2: p2 -> p3; t3: p4 -> p4; t4: p4 -> p5",
    );
    let problem =
        Problem { model: Model::Plain(net).into(), queries: vec![query::reachable(Formula::Deadlock)] };
    let case = OracleCase::new(0, TestRng::new(0), problem, MAX_STATES);
    let mut counts = ReductionCounts::default();
    counts.compare(&case, all(), "the transition `t3` is neutral");
    assert_eq!(counts.traces, 1);
}

/// A ring with a fork and a join in each part, and a token in every hundredth one.
fn long_ring(parts: usize) -> Net {
    let mut builder = NetBuilder::new("ring");
    let mut place = |name: String, tokens| builder.place(&name, tokens).expect("a new name");
    let rows: Vec<[PlaceId; 3]> = (0..parts)
        .map(|at| {
            let tokens = u64::from(at % 100 == 0);
            [place(format!("a{at}"), tokens), place(format!("b{at}"), 0), place(format!("c{at}"), 0)]
        })
        .collect();
    for (at, &[a, b, c]) in rows.iter().enumerate() {
        let [next, ..] = rows[(at + 1) % parts];
        let fork = builder.transition(&format!("fork{at}")).expect("a new name");
        builder.input(a, fork, 1);
        builder.output(fork, b, 1);
        builder.output(fork, c, 1);
        let join = builder.transition(&format!("join{at}")).expect("a new name");
        builder.input(b, join, 1);
        builder.input(c, join, 1);
        builder.output(join, next, 1);
    }
    builder.build().expect("small weights")
}

#[test]
fn a_net_of_a_hundred_thousand_nodes_is_reduced() {
    let net = long_ring(20_000);
    let first = PlaceId::new(0);
    let marked = Formula::Compare(Comparison::Equal, Expr::Tokens(vec![first]), Expr::Constant(0));
    let path = Formula::Globally(Box::new(Formula::Finally(Box::new(marked))));
    let query = query::ltl(Quantifier::ForAll, path);
    let reduced = reduce(&net, &[query], &Budget::unlimited()).expect("much to do");
    let NetSize { places, transitions } = reduced.statistics.after;
    assert!(places <= 3 && transitions <= 3, "{:?}", reduced.statistics);
    assert_eq!(reduced.net.initial_marking().0.iter().sum::<u64>(), 200, "{:?}", reduced.net);
}

/// A net in which some places have a twin with the same arcs and a few tokens more.
fn with_twins(random: &mut TestRng, net: &Net) -> Net {
    let mut builder = NetBuilder::new("twins");
    let mut pairs: Vec<Vec<PlaceId>> = Vec::new();
    for p in net.nodes().place_ids() {
        let (name, tokens) = (net.nodes().place(p), net.initial_marking().tokens(p));
        let mut pair = vec![builder.place(name, tokens).expect("a name of the net")];
        if random.percent(60) {
            let more = tokens + random.below(3) as u64;
            pair.push(builder.place(&format!("twin of {name}"), more).expect("a new name"));
        }
        pairs.push(pair);
    }
    for t in net.nodes().transition_ids() {
        let id = builder.transition(net.nodes().transition(t)).expect("a name of the net");
        for arc in net.pre(t) {
            pairs[arc.place.index()].iter().for_each(|&p| builder.input(p, id, arc.weight));
        }
        for arc in net.post(t) {
            pairs[arc.place.index()].iter().for_each(|&p| builder.output(id, p, arc.weight));
        }
        for arc in net.inhibitors(t) {
            builder.inhibitor(pairs[arc.place.index()][0], id, arc.weight);
        }
    }
    builder.build().expect("small weights")
}

#[test]
fn places_that_are_counted_are_told_by_their_twins() {
    let net = tiny::net("p:1 q r:3 s:2; t: p, r -> q; u: q -> p, r; v: p, s, r -> p, s, r");
    let tokens = |places: &[usize]| Expr::Tokens(places.iter().map(|&at| PlaceId::new(at)).collect());
    let goal = Formula::Compare(Comparison::LessEqual, tokens(&[0, 2, 3]), Expr::Constant(5));
    let query = query::ltl(Quantifier::ForAll, Formula::Globally(Box::new(goal)));
    let reduced = reduce(&net, std::slice::from_ref(&query), &Budget::unlimited()).expect("twins");
    let names = |at: &PlaceId| reduced.net.nodes().place(*at).to_string();
    let left: Vec<String> = reduced.net.nodes().place_ids().map(|p| names(&p)).collect();
    assert_eq!(left, ["p", "q"], "p and r are twins, and s never changes");

    let mut counts = ReductionCounts::default();
    for seed in 50_000..51_000 {
        let mut random = TestRng::new(seed);
        let twins = {
            let small = self::net(&mut random, seed);
            with_twins(&mut random, &small)
        };
        let queries = NarrowQueryKind::ALL.map(|kind| common::query(&mut random, &twins, kind)).to_vec();
        let problem = Problem { model: Model::Plain(twins).into(), queries };
        let case = OracleCase::new(seed, random, problem, MAX_STATES);
        (0..NarrowQueryKind::ALL.len()).for_each(|at| counts.compare(&alone(&case, at), quick(), "quick"));
    }
    let fused = RULES.iter().position(|rule| rule.name == "dominated_place").expect("it is a rule");
    assert!(counts.answers.compared > 4_000 && counts.applied[fused] > 4_000, "{counts:?}");
}

#[test]
fn agglomerations_may_make_more_transitions_than_they_remove() {
    let ways = "a:1 b:1 c:1 p x y z w e; h: a -> p; i: b -> p; j: c -> p; f: p -> x; g: p -> y; k: p -> z; \
                l: x, y -> w; m: y, z -> w; n: x, z -> w";
    let at = |name| RULES.iter().position(|rule| rule.name == name).expect("it is a rule");
    let rules = RuleSet::NONE.with(at("dead_transition")).with(at("post_fork"));
    // Nine pairs come for six transitions, so three others have to be gone.
    for (dead, goes) in [("", false), ("; d: e -> e; o: e -> w; q: w, e -> e", true)] {
        let net = tiny::net(&format!("{ways}{dead}"));
        for count in 1..6 {
            let tokens = Expr::Tokens([0, 1, 2, 7, 7].map(PlaceId::new).to_vec());
            let goal = Formula::Compare(Comparison::GreaterEqual, tokens, Expr::Constant(count));
            let problem =
                Problem { model: Model::Plain(net.clone()).into(), queries: vec![query::reachable(goal)] };
            let reduced = reduce_with(&net, &problem.queries, rules, &Budget::unlimited());
            let is_gone = |r: &fireset_reduce::rules::ReducedNet| r.net.nodes().places.find("p").is_none();
            assert_eq!(reduced.as_ref().is_some_and(is_gone), goes, "{reduced:?}");
            let case = OracleCase::new(0, TestRng::new(0), problem, MAX_STATES);
            ReductionCounts::default().compare(&case, rules, "three ways in and three ways out");
        }
    }
}

#[test]
fn large_numbers_do_no_harm() {
    for seed in 0..600 {
        let mut random = TestRng::new(seed);
        let small = net(&mut random, seed);
        let mut builder = NetBuilder::new("huge");
        let mut huge =
            |weight: u64| if random.percent(40) { u64::MAX - random.below(3) as u64 } else { weight };
        let places: Vec<PlaceId> = small
            .nodes()
            .place_ids()
            .map(|p| builder.place(small.nodes().place(p), huge(small.initial_marking().tokens(p))).unwrap())
            .collect();
        for t in small.nodes().transition_ids() {
            let id = builder.transition(small.nodes().transition(t)).unwrap();
            small
                .pre(t)
                .iter()
                .for_each(|arc| builder.input(places[arc.place.index()], id, huge(arc.weight)));
            small
                .post(t)
                .iter()
                .for_each(|arc| builder.output(id, places[arc.place.index()], huge(arc.weight)));
            let limits = small.inhibitors(t).iter();
            limits.for_each(|arc| builder.inhibitor(places[arc.place.index()], id, huge(arc.weight)));
        }
        let net = builder.build().unwrap();
        for kind in NarrowQueryKind::ALL {
            let query = query(&mut random, &net, kind);
            let problem = Problem { model: Model::Plain(net.clone()).into(), queries: vec![query] };
            let reduced = Reduce::default().apply(&problem, &Budget::unlimited()).expect("no limits");
            let Some(Reduced { problem: smaller, mut lift, .. }) = reduced else { continue };
            let outcome = decide(&smaller.model, &smaller.queries).remove(0);
            lift.lift(0, outcome).expect("an answer, or none");
        }
    }
}

#[test]
fn a_budget_that_has_ended_leaves_a_sound_net() {
    let mut compared = 0;
    let ended = Budget::unlimited().with_timeout(std::time::Duration::ZERO);
    for seed in 40_000..40_300 {
        let mut random = TestRng::new(seed);
        let net = net(&mut random, seed);
        let query = query(&mut random, &net, NarrowQueryKind::Reachability);
        let Some(reduction) = reduce(&net, std::slice::from_ref(&query), &ended) else { continue };
        let expected = decide(&Model::Plain(net), &[query]).remove(0);
        let given = decide(&Model::Plain(reduction.net), &reduction.queries).remove(0);
        if !is_unknown(&expected) && !is_unknown(&given) {
            assert_eq!(given.verdict, expected.verdict, "seed {seed}");
            compared += 1;
        }
    }
    assert!(compared > 30, "{compared}");
}
