//! LTL through the whole line against the oracle, with simplification and without: random nets, and
//! formulas of which many become reachability queries or are decided before any search.

mod common;

use std::ops::Range;

use fireset::{
    Budget, Options, Outcome, Query, Switch, Verdict,
    net::{Formula, Nodes, Quantifier},
};
use fireset_oracle::{
    OracleCase, OracleTest, against_oracle, query,
    random::{self, NetShape, TestRng},
};

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 400;

/// For each quantifier formulas nested up to five deep, and those that ask whether markings can or must be reached.
fn queries(random: &mut TestRng, nodes: &Nodes) -> Vec<Query> {
    let mut queries = Vec::new();
    for quantifier in [Quantifier::ForAll, Quantifier::Exists] {
        let mut paths: Vec<Formula> =
            (0..=5).map(|nesting| random::nested_path(random, nodes, nesting).into()).collect();
        let predicate = Box::new(Formula::from(random::predicate(random, nodes, 2)));
        paths.extend([Formula::Finally(predicate.clone()), Formula::Globally(predicate)]);
        queries.extend(paths.into_iter().map(|path| query::ltl(quantifier, path)));
    }
    queries
}

/// Who decided, with simplification.
#[derive(Debug, Default)]
struct Deciders {
    by_simplification: usize,
    by_reachability: usize,
    by_automaton: usize,
}

impl Deciders {
    fn count(&mut self, case: &OracleCase, options: &Options, given: &[Option<Outcome>]) {
        for (at, given) in given.iter().enumerate() {
            let given = given.as_ref().expect("all are answered");
            if matches!(given.verdict, Verdict::Unknown(_)) {
                continue;
            }
            let shown = given.evidence.is_some() || given.statistics.engine == "simplification";
            assert!(shown || case.expected[at].evidence.is_none(), "{options:?} {}", case.describe(at));
            if options.portfolio.simplification == Switch::On {
                match given.statistics.engine {
                    "simplification" => self.by_simplification += 1,
                    "explicit" | "state equation" => self.by_reachability += 1,
                    _ => self.by_automaton += 1,
                }
            }
        }
    }
}

/// Seeds are halved, so that both halves are tested at the same time.
#[test]
fn answers_are_those_of_the_oracle() {
    compare(0..500);
}

#[test]
fn more_answers_are_those_of_the_oracle() {
    compare(500..1_000);
}

fn compare(seeds: Range<u64>) {
    let options = [Switch::On, Switch::Off].map(|simplification| {
        Options { threads: 1, ..Options::default() }.with_portfolio(|portfolio| {
            portfolio.simplification = simplification;
            portfolio.pre_check = Switch::Off;
        })
    });
    let mut deciders = Deciders::default();
    let test = OracleTest {
        seeds,
        model: &|random, seed| {
            let inhibitors = if seed % 3 == 0 { 30 } else { 0 };
            common::plain(random, seed, &NetShape { inhibitors, ..NetShape::default() })
        },
        queries: &|random, model| queries(random, model.nodes()),
        max_states: MAX_STATES,
        configurations: &|case| common::on_finite_nets(case, &options),
        may_stop: &common::too_large_formula,
        budget: &|_| Budget::unlimited(),
    };
    let counts =
        against_oracle(&test, common::ask, |case, options, given| deciders.count(case, options, given));
    assert!(counts.holds > 5_000 && counts.fails > 5_000 && counts.unknown < 10, "{counts:?}");
    assert!(
        deciders.by_simplification > 1_500 && deciders.by_reachability > 250 && deciders.by_automaton > 1_000,
        "{deciders:?}"
    );
}
