//! CTL through the whole line against the reference checker, with each pass and without, on random nets of both
//! kinds: the same verdicts, no faults, and evidence that replays on the formula as asked.

use fireset::{
    Budget, Model, Options, Problem, Query, Simplification, Switch, Unfolding, Verdict, check,
    net::{Count, Global, replay},
};
use fireset_oracle::random::{self, NetShape, TestRng};

/// States of a net that the reference checker may hold.
const MAX_STATES: usize = 300;

/// What has been compared.
#[derive(Debug, Default)]
struct Tally {
    holds: usize,
    fails: usize,
    by_runs: usize,
    with_claims: usize,
    by_nothing: usize,
}

impl Tally {
    /// Compares what all ways say of random formulas with what the reference says.
    fn compare(&mut self, random: &mut TestRng, model: Model, ways: &[Options]) {
        let query = |nesting| Query::Ctl(random::nested_ctl(random, model.nodes(), nesting));
        let mut queries: Vec<Query> = (1..=4).map(query).collect();
        queries.push(Query::Global(Global::StateSpace));
        let mut expected = fireset_oracle::outcomes(&model, &queries, MAX_STATES, &Budget::unlimited());
        let size = expected.pop().expect("the last query asks for it").verdict;
        // A search of a net with infinitely many states may not end.
        if !matches!(size, Verdict::StateSpace(figures) if figures.states != Count::Infinite) {
            return;
        }
        queries.pop();
        let problem = Problem { model: model.into(), queries };
        for options in ways {
            let report = check(&problem, options, &Budget::unlimited(), &mut ());
            for ((query, given), expected) in problem.queries.iter().zip(report.outcomes).zip(&expected) {
                assert_eq!(given.verdict, expected.verdict, "{options:?} {query:?} {:?}", problem.model);
                self.holds += usize::from(given.verdict == Verdict::Holds);
                self.fails += usize::from(given.verdict == Verdict::Fails);
                let Some(evidence) = &given.evidence else {
                    self.by_nothing += 1;
                    continue;
                };
                let confirmed = replay::confirm(&problem.model, query, &given.verdict, evidence);
                assert_eq!(confirmed, Ok(()), "{options:?} {query:?} {:?}", problem.model);
                let claims = evidence.claims().len();
                *if claims == 0 { &mut self.by_runs } else { &mut self.with_claims } += 1;
            }
        }
    }
}

fn options(simplification: Simplification, unfolding: Unfolding) -> Options {
    Options { simplification, unfolding, threads: 1, first_look: Switch::Off, ..Options::default() }
}

#[test]
fn plain_nets() {
    let mut tally = Tally::default();
    let ways = [Simplification::On, Simplification::Off].map(|s| options(s, Unfolding::On));
    for seed in 0..800 {
        let mut random = TestRng::new(seed);
        let shape = NetShape { inhibitors: if seed % 3 == 0 { 30 } else { 0 }, ..NetShape::default() };
        let net = random::net(&mut random, &shape);
        tally.compare(&mut random, Model::Plain(net), &ways);
    }
    assert!(tally.holds > 1_500 && tally.fails > 1_500, "{tally:?}");
    assert!(tally.by_runs * 2 > tally.holds + tally.fails, "{tally:?}");
}

/// Compares coloured nets in three ways, with a first look or without.
fn coloured(first_look: Switch) -> Tally {
    let mut tally = Tally::default();
    let ways = [
        options(Simplification::On, Unfolding::On),
        options(Simplification::Off, Unfolding::On),
        options(Simplification::On, Unfolding::Off),
    ];
    let ways = ways.map(|options| Options { first_look, ..options });
    for seed in 0..600 {
        let mut random = TestRng::new(seed);
        let net = random::coloured(&mut random, if seed % 3 == 0 { 30 } else { 0 });
        tally.compare(&mut random, Model::Coloured(net), &ways);
    }
    assert!(tally.holds > 1_500 && tally.fails > 1_500, "{tally:?}");
    tally
}

#[test]
fn coloured_nets() {
    let tally = coloured(Switch::On);
    assert!(tally.by_runs * 2 > tally.holds + tally.fails, "{tally:?}");
}

#[test]
fn coloured_nets_without_a_first_look() {
    // What easier queries decide beside a formula is not shown by runs.
    let tally = coloured(Switch::Off);
    assert!(tally.by_runs * 100 > 48 * (tally.holds + tally.fails), "{tally:?}");
}
