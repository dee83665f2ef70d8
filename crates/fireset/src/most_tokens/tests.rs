//! The most tokens against the oracle, on random nets of both kinds.

use fireset_net::StateSpaceSize;
use fireset_oracle::{
    outcomes,
    random::{self, NetShape, TestRng},
    tiny,
};

use super::*;
use crate::{Switch, check};

fn options() -> Options {
    Options { threads: 1, ..Options::default() }.with_portfolio(|portfolio| {
        portfolio.certificates = Switch::Off;
    })
}

fn size(model: &Model) -> Option<StateSpaceSize> {
    let query = [Query::Global(Global::StateSpace)];
    match outcomes(model, &query, 300, &Budget::unlimited()).remove(0).verdict {
        Verdict::StateSpace(size) => Some(size),
        _ => None,
    }
}

#[test]
fn most_tokens_on_random_nets() {
    let (options, mut known, mut infinite, mut many) = (options(), 0, 0, 0);
    for seed in 0..1_500 {
        let random = &mut TestRng::new(seed);
        let shape = NetShape { places: 5, transitions: 5, ..NetShape::default() };
        let model = match seed % 4 {
            0 => Model::Coloured(random::coloured(random, 0)),
            1 => Model::Plain(random::grown(random, 1)),
            _ => {
                Model::Plain(random::structured(random, seed).unwrap_or_else(|| random::net(random, &shape)))
            }
        };
        let Some(size) = size(&model) else { continue };
        let budget = Budget::unlimited().with_timeout(Duration::from_secs(20));
        let model = Arc::new(model);
        // An unbounded net with inhibitor arcs may stay open.
        let Some(most) = MostTokens::of(&model, &options, &budget) else {
            assert_eq!(size.states, Count::Infinite, "seed {seed}");
            continue;
        };
        for (given, expected) in [(most.in_marking, size.max_in_marking), (most.in_place, size.max_in_place)]
        {
            assert!(given.is_some() || expected == Count::Infinite, "seed {seed}");
            assert!(given.is_none_or(|given| given == expected), "seed {seed}: not {expected}");
            known += 1;
            infinite += usize::from(expected == Count::Infinite);
            many += usize::from(expected > Count::from(2u8));
        }
    }
    assert!(known > 2_000 && infinite > 100 && many > 1_000, "{known}, {infinite} infinite, {many} large");
}

/// A count that may not take any time leaves the most tokens, and names what is missing.
#[test]
fn a_size_is_known_in_part() {
    let cells: Vec<String> =
        (0..40).map(|i| format!("a{i}:3 b{i}; t{i}: a{i} -> b{i}; u{i}: b{i} -> a{i}")).collect();
    let (places, transitions): (Vec<&str>, Vec<&str>) =
        cells.iter().map(|cell| cell.split_once(';').expect("two parts")).unzip();
    let net = tiny::net(&format!("{}; {}", places.join(" "), transitions.join(";")));
    let problem =
        Problem { model: Arc::new(Model::Plain(net)), queries: vec![Query::Global(Global::StateSpace)] };
    let mut options = options().with_portfolio(|portfolio| portfolio.diagrams = Switch::Off);
    options.tuning.most_tokens = 0.75;
    let budget = Budget::unlimited().with_timeout(Duration::from_secs(4));
    let mut told = Vec::new();
    let report = check(&problem, &options, &budget, &mut |_: usize, outcome: &Outcome| {
        told.push(outcome.clone());
    });
    let known = PartialStateSpace {
        max_in_marking: Some(120u8.into()),
        max_in_place: Some(3u8.into()),
        reason: StopReason::Time,
    };
    assert_eq!(report.outcomes[0].verdict, Verdict::PartialStateSpace(known));
    assert_eq!(told, report.outcomes);
    assert!(report.timelines[0].entries.iter().any(|entry| entry.what == STAGE && entry.decided == 2));
}
