//! The culprits of failing properties of the whole net: the oracle finds the same ones, and what is shown for one replays.

mod common;

use fireset::{
    Budget, Culprit, Model, Options, Problem, Query, Verdict, check,
    net::{Formula, Global, Logic, NamedProperty, Nodes, replay},
};
use fireset_oracle::random::{self, NetShape, TestRng};

const MAX_STATES: usize = 150;

/// The nodes of a property, each with the formula that must hold for it.
fn definitions(nodes: &Nodes, query: &Query) -> Vec<(Culprit, Query)> {
    let classified = |formula: Formula| Query::classify(&formula, Logic::Ctl).expect("CTL");
    let at_most = |k: u64| {
        nodes.place_ids().map(move |p| {
            let property = NamedProperty::KBounded(k, vec![p]);
            (Culprit::Place(p), classified(property.formula().expect("a formula")))
        })
    };
    let transitions = |property: fn(Formula) -> Formula| {
        nodes
            .transition_ids()
            .map(move |t| (Culprit::Transition(t), classified(property(Formula::Fireable(vec![t])))))
    };
    match query {
        Query::Global(Global::OneSafe) => at_most(1).collect(),
        Query::Named(NamedProperty::KBounded(k, _)) => at_most(*k).collect(),
        Query::Global(Global::QuasiLiveness) => transitions(Formula::possible).collect(),
        _ => transitions(|fireable| fireable.possible().invariant()).collect(),
    }
}

/// How many failures were compared, how many culprits were all, and how many had evidence.
#[derive(Debug, Default)]
struct CulpritCounts {
    compared: [usize; 4],
    several: usize,
    shown: usize,
}

impl CulpritCounts {
    fn compare(&mut self, model: Model, seed: u64) {
        let all = model.nodes().place_ids().collect();
        let queries = vec![
            Query::Global(Global::OneSafe),
            Query::Named(NamedProperty::KBounded(2, all)),
            Query::Global(Global::QuasiLiveness),
            Query::Global(Global::Liveness),
        ];
        let problem = Problem { model: model.into(), queries };
        let (model, budget) = (&*problem.model, Budget::unlimited());
        let expected = fireset_oracle::outcomes(model, &problem.queries, MAX_STATES, &budget);
        if expected.iter().any(|outcome| outcome.is_open()) {
            return;
        }
        let report = check(&problem, &Options { threads: 1, ..Options::default() }, &budget, &mut ());
        for (at, query) in problem.queries.iter().enumerate() {
            assert_eq!(report.outcomes[at].verdict, expected[at].verdict, "seed {seed}");
            let culprits = &report.culprits[at];
            assert_eq!(culprits.is_some(), expected[at].verdict == Verdict::Fails, "seed {seed}: {query:?}");
            let Some(culprits) = culprits else { continue };
            let definitions = definitions(model.nodes(), query);
            let parts: Vec<Query> = definitions.iter().map(|(_, query)| query.clone()).collect();
            let outcomes = fireset_oracle::outcomes(model, &parts, MAX_STATES, &budget);
            if outcomes.iter().any(|outcome| outcome.is_open()) {
                continue;
            }
            let failed =
                definitions.iter().zip(&outcomes).filter(|(_, outcome)| outcome.verdict == Verdict::Fails);
            let failed: Vec<Culprit> = failed.map(|((culprit, _), _)| *culprit).collect();
            assert!(culprits.complete, "seed {seed}: {query:?}");
            assert_eq!(culprits.nodes, failed, "seed {seed}: {query:?}");
            self.compared[at] += 1;
            self.several += usize::from(failed.len() > 1);
            if let Some(shown) = &culprits.shown {
                let evidence = shown.outcome.evidence.as_ref().expect("it is shown by something");
                replay::confirm(model, &shown.query, &shown.outcome.verdict, evidence).expect("it replays");
                assert!(culprits.nodes.contains(&shown.culprit));
                self.shown += 1;
            }
        }
    }
}

#[test]
fn culprits_are_those_of_the_oracle() {
    let mut counts = CulpritCounts::default();
    let shape = NetShape { inhibitors: 15, tokens: 2, ..NetShape::default() };
    for seed in 0..600 {
        let mut random = TestRng::new(seed);
        let net = random::structured(&mut random, seed);
        let net = net.or_else(|| (seed % 2 == 1).then(|| random::grown(&mut random, 15)));
        let net = net.unwrap_or_else(|| random::net(&mut random, &shape));
        counts.compare(Model::Plain(net), seed);
    }
    assert!(counts.compared.iter().all(|&compared| compared > 50), "{counts:?}");
    assert!(counts.several > 200 && counts.shown > 200, "{counts:?}");
}

#[test]
fn coloured_nets_have_coloured_culprits() {
    let mut counts = CulpritCounts::default();
    (0..80).for_each(|seed| counts.compare(common::coloured(&mut TestRng::new(seed), 15), seed));
    assert!(counts.compared.iter().sum::<usize>() > 60 && counts.shown > 20, "{counts:?}");
}
