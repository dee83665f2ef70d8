//! Every kind of query through the whole line against the reference checker, with structural reductions and without.

use fireset::{
    Budget, Evidence, Model, Options, Outcome, Problem, Query, Reduction, Simplification, StopReason, Switch,
    Verdict, check,
    net::{Comparison, Count, Expr, Formula, Global, PlaceId, Technique},
};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};

/// States of a net that the reference checker may hold.
const MAX_STATES: usize = 400;

/// What has been compared.
#[derive(Debug, Default)]
struct Tally {
    nets: usize,
    answers: usize,
    reduced: usize,
    shown: usize,
    reduced_and_shown: usize,
}

impl Tally {
    /// Compares answers, whose evidence `check` has replayed, with those of the reference.
    fn compare(&mut self, problem: &Problem, expected: &Outcome, options: &Options) {
        let report = check(problem, options, &Budget::unlimited(), &mut ());
        let given = &report.outcomes[0];
        // Equivalences of path formulas can be too large for an automaton.
        if matches!(given.verdict, Verdict::Unknown(StopReason::Formula(_))) {
            return;
        }
        assert_eq!(given.verdict, expected.verdict, "{options:?} {problem:?}");
        let reduced = given.techniques.contains(&Technique::StructuralReduction);
        assert!(!reduced || options.reduction == Reduction::On);
        self.answers += 1;
        self.reduced += usize::from(reduced);
        self.shown += usize::from(given.evidence.is_some());
        self.reduced_and_shown += usize::from(reduced && given.evidence.is_some());
    }
}

/// A query of any kind that reductions work for; formulas are small, so that they see little.
fn query(random: &mut TestRng, model: &Model) -> Query {
    loop {
        let depth = random.below(3);
        match random::query(random, model.nodes(), depth) {
            Query::Global(_) => return Query::Reachable(Formula::Deadlock),
            Query::Ctl(f) | Query::Ltl(_, f) if f.temporal_operators() > 6 => {}
            query => return query,
        }
    }
}

#[test]
fn answers_are_those_of_the_reference() {
    let mut tally = Tally::default();
    for seed in 0..2_500 {
        let mut random = TestRng::new(seed);
        let inhibitors = if seed % 4 == 1 { 25 } else { 0 };
        let model = Model::Plain(match seed % 3 {
            0 => random::net(&mut random, &NetShape { inhibitors, ..NetShape::default() }),
            _ => random::grown(&mut random, inhibitors),
        });
        let mut queries = vec![query(&mut random, &model), query(&mut random, &model)];
        queries.push(Query::Global(Global::StateSpace));
        let mut expected = fireset_oracle::outcomes(&model, &queries, MAX_STATES, &Budget::unlimited());
        let size = expected.pop().expect("the last query asks for it").verdict;
        // A search of a net with infinitely many states may not end.
        if !matches!(size, Verdict::StateSpace(figures) if figures.states != Count::Infinite) {
            continue;
        }
        tally.nets += 1;
        let model = std::sync::Arc::new(model);
        for (query, expected) in queries.iter().zip(&expected) {
            let problem = Problem { model: model.clone(), queries: vec![query.clone()] };
            for (reduction, simplification) in [
                (Reduction::On, Simplification::On),
                (Reduction::On, Simplification::Off),
                (Reduction::Off, Simplification::On),
            ] {
                let options = Options {
                    reduction,
                    simplification,
                    threads: 1,
                    first_look: Switch::Off,
                    ..Options::default()
                };
                tally.compare(&problem, expected, &options);
            }
        }
    }
    assert!(tally.answers > 9_000 && tally.reduced > 3_000, "{tally:?}");
    assert!(tally.reduced_and_shown > 1_000, "{tally:?}");
}

/// The first query is decided by the initial marking, in which the net that is reduced for the second has fired already.
#[test]
fn what_the_initial_marking_shows_is_shown_by_it() {
    let net = tiny::net("a:1 b c d:1 e; t: a -> b; u: b -> c; v: c, d -> e");
    let at_most = |place: usize, most: i64| {
        let tokens = Expr::Tokens(vec![PlaceId::new(place)]);
        Formula::Compare(Comparison::LessEqual, tokens, Expr::Constant(most))
    };
    let queries = vec![Query::Invariant(at_most(0, 0)), Query::Invariant(at_most(4, 0))];
    let problem = Problem { model: Model::Plain(net).into(), queries };
    let report = check(
        &problem,
        &Options { first_look: Switch::Off, ..Options::default() },
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
