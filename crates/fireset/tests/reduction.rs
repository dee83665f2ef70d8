//! Every kind of query through the whole line against the oracle, with structural reductions and without.

mod common;

use fireset::{
    Budget, Evidence, Model, Options, Problem, Query, Switch, Verdict, check,
    net::{Comparison, Expr, Formula, PlaceId, Technique},
};
use fireset_oracle::{
    OracleTest, against_oracle, query,
    random::{self, NetShape, TestRng},
    tiny,
};

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 400;

/// A query of any kind that reductions work for; formulas are small, so that they see little.
fn query(random: &mut TestRng, model: &Model) -> Query {
    loop {
        let depth = random.below(3);
        match random::query(random, model.nodes(), depth) {
            Query::Global(_) => return query::reachable(Formula::Deadlock),
            query if query.formula().temporal_operators() > 6 => {}
            query => return query,
        }
    }
}

/// A net without a plan, one that reductions like, or one of a structured family.
fn drawn(random: &mut TestRng, seed: u64) -> Model {
    let inhibitors = if seed % 4 == 1 { 25 } else { 0 };
    match seed % 3 {
        0 => common::plain(random, seed, &NetShape { inhibitors, ..NetShape::default() }),
        _ => Model::Plain(random::grown(random, inhibitors)),
    }
}

/// What reductions had a part in.
#[derive(Debug, Default)]
struct ReducedAnswers {
    answers: usize,
    reduced: usize,
    reduced_and_shown: usize,
}

#[test]
fn answers_are_those_of_the_oracle() {
    let options = |reduction, simplification| {
        Options { threads: 1, ..Options::default() }.with_portfolio(|portfolio| {
            portfolio.reduction = reduction;
            portfolio.simplification = simplification;
            portfolio.pre_check = Switch::Off;
        })
    };
    let options =
        [options(Switch::On, Switch::On), options(Switch::On, Switch::Off), options(Switch::Off, Switch::On)];
    let mut found = ReducedAnswers::default();
    // One query at a time: the net is reduced for it alone.
    let test = OracleTest {
        seeds: 0..5_000,
        model: &|random, seed| drawn(random, seed / 2),
        queries: &|random, model| vec![query(random, model)],
        max_states: MAX_STATES,
        configurations: &|case| common::on_finite_nets(case, &options),
        may_stop: &common::too_large_formula,
        budget: &|_| Budget::unlimited(),
    };
    against_oracle(&test, common::ask, |case, options, given| {
        let given = given[0].as_ref().expect("it is answered");
        if matches!(given.verdict, Verdict::Unknown(_)) {
            return;
        }
        let reduced = given.techniques.contains(&Technique::StructuralReduction);
        assert!(!reduced || options.portfolio.reduction == Switch::On, "{}", case.describe(0));
        found.answers += 1;
        found.reduced += usize::from(reduced);
        found.reduced_and_shown += usize::from(reduced && given.evidence.is_some());
    });
    assert!(found.answers > 9_000 && found.reduced > 3_000, "{found:?}");
    assert!(found.reduced_and_shown > 1_000, "{found:?}");
}

/// The first query is decided by the initial marking, in which the net that is reduced for the second has fired already.
#[test]
fn what_the_initial_marking_shows_is_shown_by_it() {
    let net = tiny::net("a:1 b c d:1 e; t: a -> b; u: b -> c; v: c, d -> e");
    let at_most = |place: usize, most: i64| {
        let tokens = Expr::Tokens(vec![PlaceId::new(place)]);
        Formula::Compare(Comparison::LessEqual, tokens, Expr::Constant(most))
    };
    let queries = vec![query::invariant(at_most(0, 0)), query::invariant(at_most(4, 0))];
    let problem = Problem { model: Model::Plain(net).into(), queries };
    let report = check(
        &problem,
        &Options::default().with_portfolio(|portfolio| portfolio.pre_check = Switch::Off),
        &Budget::unlimited(),
        &mut (),
    );
    for (outcome, steps) in report.outcomes.iter().zip([0, 3]) {
        assert_eq!(outcome.verdict, Verdict::Fails);
        assert!(
            matches!(&outcome.evidence, Some(Evidence::Trace(trace)) if trace.0.len() == steps),
            "{outcome:?}"
        );
    }
}
