//! LTL through the whole line against the reference checker, with simplification and without: random nets, and
//! formulas of which many become reachability queries or are decided before any search.

use fireset::{
    Budget, Model, Options, Outcome, Problem, Query, Simplification, StopReason, Switch, Verdict, check,
    net::{Count, Formula, Global, Nodes, Quantifier},
};
use fireset_oracle::random::{self, NetShape, TestRng};

/// States of a net that the reference checker may hold.
const MAX_STATES: usize = 400;

/// For each quantifier formulas nested up to five deep, and those that ask whether markings can or must be reached.
fn queries(random: &mut TestRng, nodes: &Nodes) -> Vec<Query> {
    let mut queries = Vec::new();
    for quantifier in [Quantifier::ForAll, Quantifier::Exists] {
        let mut paths: Vec<Formula> =
            (0..=5).map(|nesting| random::nested_path(random, nodes, nesting)).collect();
        let predicate = Box::new(random::predicate(random, nodes, 2));
        paths.extend([Formula::Finally(predicate.clone()), Formula::Globally(predicate)]);
        queries.extend(paths.into_iter().map(|path| Query::Ltl(quantifier, path)));
    }
    queries
}

/// What has been compared.
#[derive(Debug, Default)]
struct Tally {
    holds: usize,
    fails: usize,
    too_large: usize,
    /// By whom, with simplification.
    by_simplification: usize,
    by_reachability: usize,
    by_automaton: usize,
}

impl Tally {
    /// Compares answers, which have been replayed, with those of the reference.
    fn compare(&mut self, problem: &Problem, expected: &[Outcome], simplification: Simplification) {
        let options = Options { simplification, threads: 1, first_look: Switch::Off, ..Options::default() };
        let report = check(problem, &options, &Budget::unlimited(), &mut ());
        for ((query, given), expected) in problem.queries.iter().zip(report.outcomes).zip(expected) {
            // Equivalences of path formulas can be too large for an automaton.
            if matches!(given.verdict, Verdict::Unknown(StopReason::Formula(_))) {
                self.too_large += 1;
                continue;
            }
            assert_eq!(given.verdict, expected.verdict, "{simplification:?} {query:?} {:?}", problem.model);
            let shown = given.evidence.is_some() || given.statistics.engine == "simplification";
            assert!(shown || expected.evidence.is_none(), "{simplification:?} {query:?} {:?}", problem.model);
            self.holds += usize::from(given.verdict == Verdict::Holds);
            self.fails += usize::from(given.verdict == Verdict::Fails);
            if simplification == Simplification::On {
                match given.statistics.engine {
                    "simplification" => self.by_simplification += 1,
                    "explicit" | "state equation" => self.by_reachability += 1,
                    _ => self.by_automaton += 1,
                }
            }
        }
    }
}

#[test]
fn answers_are_those_of_the_reference() {
    let mut tally = Tally::default();
    for seed in 0..1_000 {
        let mut random = TestRng::new(seed);
        let shape = NetShape { inhibitors: if seed % 3 == 0 { 30 } else { 0 }, ..NetShape::default() };
        let model = Model::Plain(random::net(&mut random, &shape));
        let mut queries = queries(&mut random, model.nodes());
        queries.push(Query::Global(Global::StateSpace));
        let mut expected = fireset_oracle::outcomes(&model, &queries, MAX_STATES, &Budget::unlimited());
        let size = expected.pop().expect("the last query asks for it").verdict;
        // A search of a net with infinitely many states may not end.
        if !matches!(size, Verdict::StateSpace(figures) if figures.states != Count::Infinite) {
            continue;
        }
        queries.pop();
        let problem = Problem { model: model.into(), queries };
        tally.compare(&problem, &expected, Simplification::On);
        tally.compare(&problem, &expected, Simplification::Off);
    }
    assert!(tally.holds > 10_000 && tally.fails > 10_000 && tally.too_large < 10, "{tally:?}");
    assert!(
        tally.by_simplification > 3_000 && tally.by_reachability > 500 && tally.by_automaton > 2_000,
        "{tally:?}"
    );
}
