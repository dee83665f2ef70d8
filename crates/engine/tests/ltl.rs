//! LTL on the fly against the reference checker: each switch on and off, on random nets with deadlocks, weights,
//! inhibitor arcs and counts that outgrow their fields, and random formulas with all operators.

mod common;

use common::outcomes;
use fireset_engine::{Access, AutomatonOrder, Choice, Deepening, Encoding, Engine, FiresetMode, OnTheFly};
use fireset_net::{
    Budget, Count, Formula, Global, Model, Outcome, Problem, Quantifier, Query, StopReason, Verdict,
    families::{self, Kind},
    replay,
};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};

/// States of a net that the reference checker may hold.
const MAX_STATES: usize = 400;
/// Bytes that the engine may hold.
const MEMORY: u64 = 1 << 18;

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
        OnTheFly { encoding: Choice::Only(Encoding::Wide), ..best },
        OnTheFly { encoding: Choice::Only(Encoding::Safe), ..best },
        OnTheFly { encoding: Choice::Only(Encoding::Nupn), ..best },
        OnTheFly { encoding: Choice::Only(Encoding::Invariant), ..best },
    ]
}

/// What has been compared.
#[derive(Debug, Default)]
struct Tally {
    holds: usize,
    fails: usize,
    /// Nets with infinitely many states, or too many.
    infinite: usize,
    /// By how deep the temporal operators nest.
    nested: [usize; 6],
}

impl Tally {
    /// Compares all ways with the reference.
    fn compare(&mut self, model: &Model, queries: &[Query], label: &str) {
        let mut asked = queries.to_vec();
        asked.push(Query::Global(Global::StateSpace));
        let mut expected = fireset_oracle::outcomes(model, &asked, MAX_STATES, &Budget::unlimited());
        let size = expected.pop().expect("the last query asks for it").verdict;
        let finite = matches!(size, Verdict::StateSpace(figures) if figures.states != Count::Infinite);
        self.infinite += usize::from(!finite);
        for (number, engine) in ways().into_iter().enumerate() {
            // Where markings grow for ever many searches end only when their memory is used up: one way is enough.
            if !finite && number != self.infinite % ways().len() {
                continue;
            }
            let given = outcomes(&engine, model, queries, MEMORY);
            for ((query, given), expected) in queries.iter().zip(given).zip(&expected) {
                if matches!(expected.verdict, Verdict::Unknown(_))
                    || matches!(given.verdict, Verdict::Unknown(StopReason::Memory | StopReason::Formula(_)))
                {
                    continue;
                }
                assert_eq!(given.verdict, expected.verdict, "{label} {engine:?} {query:?} {model:?}");
                confirm(model, query, &given, finite).unwrap_or_else(|why| {
                    panic!("{label} {engine:?} {query:?} {model:?}: {why}");
                });
                self.count(query, &given.verdict);
            }
        }
    }

    fn count(&mut self, query: &Query, verdict: &Verdict) {
        let Query::Ltl(_, path) = query else { panic!("only LTL is asked") };
        self.nested[path.temporal_depth()] += 1;
        self.holds += usize::from(*verdict == Verdict::Holds);
        self.fails += usize::from(*verdict == Verdict::Fails);
    }
}

/// Whether there is a run for each answer that has one, and it shows the answer.
fn confirm(model: &Model, query: &Query, given: &Outcome, finite: bool) -> Result<(), String> {
    if let Some(evidence) = &given.evidence {
        return replay::confirm(model, query, &given.verdict, evidence).map_err(|why| why.describe(model));
    }
    let has_run = matches!(
        (query, &given.verdict),
        (Query::Ltl(Quantifier::ForAll, _), Verdict::Fails)
            | (Query::Ltl(Quantifier::Exists, _), Verdict::Holds)
    );
    // Where markings grow for ever, a run that may go on in any way may never come back to one.
    if finite && has_run { Err("a run is missing".into()) } else { Ok(()) }
}

#[test]
fn random_nets_and_formulas() {
    let mut tally = Tally::default();
    for seed in 0..2_000 {
        let mut random = TestRng::new(seed);
        let shape = NetShape { inhibitors: if random.percent(30) { 30 } else { 0 }, ..NetShape::default() };
        let net = random::net(&mut random, &shape);
        let claims = random.percent(60).then(|| random::units(&mut random, &net));
        let model = Model::Plain(net.with_nupn(claims));
        let query = |nesting| {
            let quantifier = if random.percent(70) { Quantifier::ForAll } else { Quantifier::Exists };
            Query::Ltl(quantifier, random::nested_path(&mut random, model.nodes(), nesting))
        };
        tally.compare(&model, &(1..=5).map(query).collect::<Vec<_>>(), &format!("seed {seed}"));
    }
    assert!(tally.holds > 30_000 && tally.fails > 30_000 && tally.infinite > 100, "{tally:?}");
    assert!(tally.nested[1..].iter().all(|&compared| compared > 12_000), "{tally:?}");
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
        let mut tally = Tally::default();
        tally.compare(&model, &queries, name);
        assert_eq!(tally.holds + tally.fails, ways().len() * queries.len());
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
            outcomes(&engine, &model, &queries, MEMORY).into_iter().map(|outcome| outcome.verdict).collect();
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
        OnTheFly::default().decide(&problem, &budget, &mut |_: usize, outcome: Outcome| {
            assert_eq!(outcome.verdict, Verdict::Unknown(reason.clone()));
            told += 1;
        });
        assert_eq!(told, 2);
    }
}
