//! CTL* through the whole line on random nets of both kinds: the oracle's verdicts, no faults, and evidence that replays from the
//! witness file that is written of it.

mod common;

use std::ops::Range;

use fireset::{
    Budget, Model, Options, Query,
    io::witness,
    net::{Evidence, Logic, Property, replay},
};
use fireset_oracle::{
    OracleCounts, OracleTest, against_oracle,
    random::{self, NetShape, TestRng},
};

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 100;

/// Lassos, branching runs, and those with claims.
#[derive(Debug, Default)]
struct ReadWitnesses {
    lassos: usize,
    branching: usize,
    with_claims: usize,
}

/// A formula of CTL* that is neither CTL nor LTL.
fn star(random: &mut TestRng, model: &Model) -> Query {
    loop {
        let query = Query::CtlStar(random::ctl_star(random, model.nodes(), 4, 4));
        if Query::classify(&query.formula(), Logic::Ctl).as_ref() == Ok(&query) {
            return query;
        }
    }
}

fn compare(seeds: Range<u64>, model: &dyn Fn(&mut TestRng, u64) -> Model) -> (OracleCounts, ReadWitnesses) {
    let mut found = ReadWitnesses::default();
    let test = OracleTest {
        seeds,
        model,
        queries: &|random, model| (0..3).map(|_| star(random, model)).collect(),
        max_states: MAX_STATES,
        configurations: &|case| common::on_finite_nets(case, &[Options::default()]),
        may_stop: &common::too_large_formula,
        budget: &|_| Budget::unlimited(),
    };
    let counts = against_oracle(&test, common::ask, |case, _, outcomes| {
        for (query, outcome) in case.problem.queries.iter().zip(outcomes.iter().flatten()) {
            let Some(evidence) = &outcome.evidence else { continue };
            let property = Property { name: "star".into(), formula: query.formula(), logic: Logic::Ctl };
            let model = &*case.problem.model;
            let entry = witness::entry(model, &property, &outcome.verdict, Some(evidence));
            let text = witness::document(model, vec![entry]).to_string();
            let read = witness::read("star", &text, model).unwrap().remove(0);
            let query = read.property.query().unwrap();
            // A conjunction of one operand is written as that operand, which may be CTL.
            if !matches!(query, Query::CtlStar(_)) {
                continue;
            }
            let replayed = replay::confirm(model, &query, &read.verdict, &read.evidence);
            assert_eq!(replayed, Ok(()), "{text}");
            match evidence {
                Evidence::Lasso(_) => found.lassos += 1,
                _ => found.branching += 1,
            }
            found.with_claims += usize::from(!read.evidence.claims().is_empty());
        }
    });
    (counts, found)
}

#[test]
fn witness_files_replay() {
    let plain = |random: &mut TestRng, seed| common::plain(random, seed, &NetShape::default());
    let (counts, found) = compare(0..300, &plain);
    assert!(counts.holds > 100 && counts.fails > 100, "{counts:?}");
    assert!(found.lassos > 100 && found.branching > 40 && found.with_claims > 20, "{found:?}");
}

#[test]
fn witness_files_of_coloured_nets_replay() {
    let (counts, found) = compare(0..100, &|random, _| common::coloured(random, 0));
    assert!(counts.holds > 30 && counts.fails > 30, "{counts:?}");
    assert!(found.lassos > 30 && found.branching > 10, "{found:?}");
}
