//! Approximations of coloured nets against the oracle on the net as drawn: each answers one way, rightly, and its runs replay.

use std::sync::Arc;

use fireset_net::{
    Budget, Comparison, Expr, Formula, Global, Model, Outcome, PlaceId, Problem, Query, StopReason,
    TransitionId, Verdict,
    families::{self, FamilyKind},
};
use fireset_oracle::{
    OracleCase, OracleCounts, query,
    random::{self, TestRng},
};
use fireset_reduce::{ColourAbstraction, ColourRestriction, Decompose, Pass, Simplify, unfolded_size};

const MAX_STATES: usize = 300;

fn is_unknown(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Unknown(_))
}

/// What the oracle finds on the problem that a pass makes, brought back.
fn through(pass: &dyn Pass, problem: &Problem) -> Vec<Option<Outcome>> {
    let mut outcomes = vec![None; problem.queries.len()];
    let Some(mut reduced) = pass.apply(problem, &Budget::unlimited()).expect("no limits") else {
        return outcomes;
    };
    let Problem { model, queries } = &reduced.problem;
    let small = fireset_oracle::outcomes(model, queries, MAX_STATES, &Budget::unlimited());
    for (at, outcome) in small.into_iter().enumerate().filter(|(_, outcome)| !is_unknown(outcome)) {
        let whole = &mut outcomes[reduced.asked_for[at]];
        if whole.is_none() {
            *whole = reduced.lift.lift(at, outcome);
        }
    }
    outcomes
}

fn compare(pass: &dyn Pass, seed: u64, problem: Problem) -> OracleCounts {
    let case = OracleCase::new(seed, TestRng::new(seed), problem, MAX_STATES);
    case.compare(&through(pass, &case.problem), &|_, _: &StopReason| true, &pass.name())
}

/// Random problems with queries that name colours in every second one.
fn on_random_nets(pass: impl Fn(u64) -> Box<dyn Pass>, seeds: u64) -> OracleCounts {
    let mut counts = OracleCounts::default();
    for seed in 0..seeds {
        let mut random = TestRng::new(seed);
        let net = random::coloured(&mut random, (seed % 3 * 20) as usize);
        let draw = |_| match seed % 2 {
            0 => random::query(&mut random, net.nodes(), 3),
            _ => random::coloured_query(&mut random, &net, 2),
        };
        let queries: Vec<Query> = (0..3).map(draw).collect();
        let fits = |query: &Query| !matches!(query, Query::Ltl(_, path) if path.temporal_operators() > 6);
        let queries = queries.into_iter().filter(fits).collect();
        let problem = Problem { model: Arc::new(Model::Coloured(net)), queries };
        counts += compare(&*pass(seed), seed, problem);
    }
    counts
}

#[test]
fn what_a_net_without_colours_cannot_do_the_net_cannot() {
    let counts =
        on_random_nets(|seed| Box::new(ColourAbstraction { most_nodes: 1 << (seed % 4 * 2) }), 5_000);
    assert!(counts.kind("reachable").compared > 100, "{counts:?}");
    assert!(counts.kind("invariant").compared > 100, "{counts:?}");
    assert!(counts.kind("ltl").compared > 100, "{counts:?}");
    assert_eq!(counts.with_evidence, 0, "{counts:?}");
}

#[test]
fn what_a_net_with_few_colours_does_the_net_does() {
    let counts = on_random_nets(|seed| Box::new(ColourRestriction { most_nodes: 4 << (seed % 3) }), 5_000);
    assert!(counts.kind("reachable").compared > 100, "{counts:?}");
    assert!(counts.kind("invariant").compared > 100, "{counts:?}");
    assert!(counts.kind("ltl").compared > 100, "{counts:?}");
    let answered = counts.compared + counts.beyond_oracle;
    assert_eq!((counts.with_evidence, counts.lost_evidence), (answered, 0), "{counts:?}");
}

#[test]
fn global_properties_of_coloured_nets_have_parts() {
    let mut counts = OracleCounts::default();
    for seed in 0..1_500 {
        let mut random = TestRng::new(seed);
        let net = random::coloured(&mut random, (seed % 2 * 30) as usize);
        let all = [Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness];
        let queries = all.map(Query::Global).into();
        counts += compare(&Decompose, seed, Problem { model: Arc::new(Model::Coloured(net)), queries });
    }
    let kinds = ["one-safe", "stable-marking", "quasi-liveness", "liveness"];
    assert!(kinds.iter().all(|kind| counts.kind(kind).compared > 500), "{counts:?}");
}

/// The invariants of the skeleton decide atoms and bound places.
#[test]
fn simplification_of_coloured_nets_keeps_the_answers() {
    let counts = on_random_nets(|_| Box::new(Simplify::default()), 2_000);
    let kinds = ["reachable", "invariant", "ltl", "ctl", "bound"];
    assert!(kinds.iter().all(|kind| counts.kind(kind).compared > 100), "{counts:?}");
}

fn shared_memory(processors: u64) -> Arc<Model> {
    let family = families::find("shared-memory").expect("a family");
    Arc::new(family.generate(FamilyKind::Coloured, &[processors]).expect("parameters within range"))
}

fn outcomes_through(pass: &dyn Pass, model: Arc<Model>, queries: Vec<Query>) -> Vec<Option<Verdict>> {
    let outcomes = through(pass, &Problem { model, queries });
    outcomes.into_iter().map(|outcome| outcome.map(|outcome| outcome.verdict)).collect()
}

/// Queries about a net with 2000 processors, and so four million bindings, that small nets decide.
#[test]
fn both_decide_what_is_too_large_to_unfold() {
    let model = shared_memory(2_000);
    let Model::Coloured(net) = &*model else { panic!("a coloured net") };
    assert!(unfolded_size(net) > 4_000_000);
    let more = |place: usize, than: i64| {
        let tokens = Expr::Tokens(vec![PlaceId::new(place)]);
        query::reachable(Formula::Compare(Comparison::Greater, tokens, Expr::Constant(than)))
    };
    let fires = |t| query::reachable(Formula::Fireable(vec![TransitionId::new(t)]));
    let transitions = net.nodes().transitions.len();
    let all_fire =
        outcomes_through(&ColourRestriction::default(), model.clone(), (0..transitions).map(fires).collect());
    assert_eq!(all_fire, vec![Some(Verdict::Holds); transitions]);
    let never = (0..net.nodes().places.len()).map(|place| more(place, 2_000)).collect();
    let problem = Problem { model: model.clone(), queries: never };
    let simplified =
        Simplify::default().apply(&problem, &Budget::unlimited()).expect("no limits").expect("goals");
    let refuted = simplified.problem.queries.iter().filter(|query| query.constant() == Some(false)).count();
    assert_eq!(refuted, problem.queries.len());
}
