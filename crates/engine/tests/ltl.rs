//! LTL on the fly against the reference checker: each switch on and off, on random nets with deadlocks, weights,
//! inhibitor arcs and counts that outgrow their fields, and random formulas with all operators.

use fireset_engine::{Access, AutomatonOrder, Choice, Deepening, Encoding, Engine, FiresetMode, OnTheFly};
use fireset_net::{
    Budget, Count, Formula, Global, Model, Outcome, Problem, Quantifier, Query, StopReason, Verdict,
    families::{self, Kind},
    random::{self, NetShape, Random},
    reference, replay, tiny,
};

/// The engine with each switch turned.
fn ways() -> Vec<OnTheFly> {
    let best = OnTheFly::default();
    vec![
        best,
        OnTheFly { deepening: Deepening::Off, ..best },
        OnTheFly { deepening: Deepening::From { first: 1, factor: 2 }, ..best },
        OnTheFly { fireset: FiresetMode::Full, ..best },
        OnTheFly { automaton_order: AutomatonOrder::Plain, ..best },
        OnTheFly { access: Access::Decode, ..best },
        OnTheFly { encoding: Choice::Only(Encoding::Safe), ..best },
    ]
}

fn outcomes(engine: OnTheFly, model: &Model, queries: &[Query]) -> Vec<Outcome> {
    let problem = Problem { model: model.clone().into(), queries: queries.to_vec() };
    let mut all: Vec<Option<Outcome>> = vec![None; queries.len()];
    engine.decide(&problem, &Budget::unlimited().with_memory(1 << 19), &mut |at, outcome| {
        assert!(all[at].replace(outcome).is_none(), "a query is answered once");
    });
    all.into_iter().map(|outcome| outcome.expect("every query is answered")).collect()
}

/// Compares all ways with the reference; gives how many answers were compared.
fn agree(model: &Model, queries: &[Query], label: &str) -> usize {
    let expected = reference::outcomes(model, queries, 400, &Budget::unlimited());
    let size = reference::outcomes(model, &[Query::Global(Global::StateSpace)], 400, &Budget::unlimited());
    let finite = matches!(&size[0].verdict, Verdict::StateSpace(f) if f.states != Count::Infinite);
    let mut compared = 0;
    for engine in ways() {
        for ((query, given), expected) in queries.iter().zip(outcomes(engine, model, queries)).zip(&expected)
        {
            if matches!(expected.verdict, Verdict::Unknown(_))
                || matches!(given.verdict, Verdict::Unknown(StopReason::Memory | StopReason::Formula(_)))
            {
                continue;
            }
            assert_eq!(given.verdict, expected.verdict, "{label} {engine:?} {query:?} {model:?}");
            if let Some(evidence) = &given.evidence {
                replay::confirm(model, query, &given.verdict, evidence)
                    .unwrap_or_else(|refusal| panic!("{label} {engine:?} {query:?}: {refusal:?}"));
            }
            let run = matches!(
                (query, &given.verdict),
                (Query::Ltl(Quantifier::ForAll, _), Verdict::Fails)
                    | (Query::Ltl(Quantifier::Exists, _), Verdict::Holds)
            );
            // Where markings grow for ever, a run that may go on in any way may never come back to one.
            assert!(
                !finite || given.evidence.is_some() == run,
                "{label} {engine:?} {query:?}: a run for each that has one"
            );
            compared += 1;
        }
    }
    compared
}

#[test]
fn random_nets_and_formulas() {
    let mut compared = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let shape = NetShape { inhibitors: if random.percent(30) { 30 } else { 0 }, ..NetShape::default() };
        let model = Model::Plain(random::net(&mut random, &shape));
        let queries: Vec<Query> = (0..6)
            .map(|_| {
                let depth = if random.percent(5) { 5 } else { 1 + random.below(3) };
                let quantifier = if random.percent(70) { Quantifier::ForAll } else { Quantifier::Exists };
                Query::Ltl(quantifier, random::path(&mut random, model.nodes(), depth))
            })
            .collect();
        compared += agree(&model, &queries, &format!("seed {seed}"));
    }
    assert!(compared > 3_000, "only {compared} answers were compared");
}

fn finally(f: Formula) -> Formula {
    Formula::Finally(Box::new(f))
}

fn globally(f: Formula) -> Formula {
    Formula::Globally(Box::new(f))
}

#[test]
fn well_known_formulas_on_families() {
    for (name, parameters) in [("philosophers", &[3][..]), ("token-ring", &[3]), ("readers-writers", &[3])] {
        let model = families::find(name).unwrap().generate(Kind::Plain, parameters).unwrap();
        let fires = |at: usize| Formula::Fireable(vec![model.nodes().transition_ids().nth(at).unwrap()]);
        let mut queries = Vec::new();
        for formula in [
            globally(finally(fires(0))),
            finally(globally(fires(1))),
            globally(fires(0).implies(finally(fires(1)))),
            globally(finally(fires(0))).implies(globally(finally(fires(1)))),
            Formula::Until(Box::new(fires(1).negate()), Box::new(fires(0))),
            Formula::Next(Box::new(Formula::Next(Box::new(fires(2))))),
            finally(Formula::Deadlock),
            globally(Formula::Deadlock.negate()),
        ] {
            for quantifier in [Quantifier::ForAll, Quantifier::Exists] {
                queries.push(Query::Ltl(quantifier, formula.clone()));
            }
        }
        assert_eq!(agree(&model, &queries, name), ways().len() * queries.len());
    }
}

#[test]
fn counts_outgrow_their_fields() {
    let model = Model::Plain(tiny::net("p:300 q r; t: p -> q; u: 300*q -> 70000*r; v: r -> "));
    let fires = |at: usize| Formula::Fireable(vec![model.nodes().transition_ids().nth(at).unwrap()]);
    let queries = [
        Query::Ltl(Quantifier::ForAll, finally(fires(1))),
        Query::Ltl(Quantifier::ForAll, globally(fires(2).negate())),
    ];
    for engine in ways() {
        let verdicts: Vec<Verdict> =
            outcomes(engine, &model, &queries).into_iter().map(|outcome| outcome.verdict).collect();
        assert_eq!(verdicts, [Verdict::Holds, Verdict::Fails], "{engine:?}");
    }
}

#[test]
fn limits_end_in_unknown() {
    let model = families::find("kanban").unwrap().generate(Kind::Plain, &[6]).unwrap();
    let never = Query::Ltl(Quantifier::ForAll, globally(finally(Formula::Deadlock.negate())));
    let problem = Problem { model: model.into(), queries: vec![never.clone(), never] };
    let (memory, time) = (Budget::unlimited().with_memory(1 << 20), std::time::Duration::ZERO);
    for (budget, reason) in
        [(memory, StopReason::Memory), (Budget::unlimited().with_timeout(time), StopReason::Time)]
    {
        let mut told = 0;
        OnTheFly::default().decide(&problem, &budget, &mut |_, outcome| {
            assert_eq!(outcome.verdict, Verdict::Unknown(reason.clone()));
            told += 1;
        });
        assert_eq!(told, 2);
    }
}
