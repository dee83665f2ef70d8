//! CTL on the fly against the reference checker: each order and switch, on random nets with deadlocks, weights,
//! inhibitor arcs and counts that outgrow their fields, and random formulas with all operators; and each operator on
//! tiny nets whose answers are known.

use fireset_engine::{Access, Binding, Choice, Ctl, Encoding, Engine, FiresetMode, Order, Tokens, Ways};
use fireset_net::{
    Budget, Count, Formula, Global, Model, Outcome, Problem, Query, StopReason, Verdict,
    families::{self, Kind},
    random::{self, NetShape, Random},
    reference, tiny,
};

/// States of a net that the reference checker may hold.
const MAX_STATES: usize = 400;

/// The engine with each switch turned.
fn ways() -> Vec<Ctl> {
    let best = Ctl::default();
    vec![
        Ctl { order: Order::DepthFirst, ..best },
        Ctl { order: Order::BreadthFirst, ..best },
        Ctl { order: Order::BestFirst, ..best },
        Ctl { order: Order::RandomWalk, ..best },
        Ctl { order: Order::BestFirst, fireset: FiresetMode::Full, ..best },
        Ctl { fireset: FiresetMode::Full, ..best },
        Ctl { access: Access::Decode, ..best },
        Ctl { encoding: Choice::Only(Encoding::Wide), ..best },
        Ctl { encoding: Choice::Only(Encoding::Safe), ..best },
    ]
}

fn outcomes(engine: Ctl, model: &Model, queries: &[Query]) -> Vec<Outcome> {
    let problem = Problem { model: model.clone().into(), queries: queries.to_vec() };
    let mut all: Vec<Option<Outcome>> = vec![None; queries.len()];
    engine.decide(&problem, &Budget::unlimited().with_memory(1 << 19), &mut |at, outcome| {
        assert!(all[at].replace(outcome).is_none(), "a query is answered once");
    });
    all.into_iter().map(|outcome| outcome.expect("every query is answered")).collect()
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
    fn compare(&mut self, ways: &[Ctl], model: &Model, queries: &[Query], label: &str) {
        let mut asked = queries.to_vec();
        asked.push(Query::Global(Global::StateSpace));
        let mut expected = reference::outcomes(model, &asked, MAX_STATES, &Budget::unlimited());
        let size = expected.pop().expect("the last query asks for it").verdict;
        let finite = matches!(size, Verdict::StateSpace(figures) if figures.states != Count::Infinite);
        self.infinite += usize::from(!finite);
        for (number, &engine) in ways.iter().enumerate() {
            // Where markings grow for ever many searches end only when their memory is used up: one way is enough.
            if !finite && number != self.infinite % ways.len() {
                continue;
            }
            let given = outcomes(engine, model, queries);
            for ((query, given), expected) in queries.iter().zip(given).zip(&expected) {
                if matches!(expected.verdict, Verdict::Unknown(_))
                    || !finite && given.verdict == Verdict::Unknown(StopReason::Memory)
                {
                    continue;
                }
                assert_eq!(given.verdict, expected.verdict, "{label} {engine:?} {query:?} {model:?}");
                self.count(query, &given.verdict);
            }
        }
    }

    fn count(&mut self, query: &Query, verdict: &Verdict) {
        let Query::Ctl(formula) = query else { panic!("only CTL is asked") };
        self.nested[formula.temporal_depth()] += 1;
        self.holds += usize::from(*verdict == Verdict::Holds);
        self.fails += usize::from(*verdict == Verdict::Fails);
    }
}

#[test]
fn random_nets_and_formulas() {
    let mut tally = Tally::default();
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let shape = NetShape { inhibitors: if random.percent(30) { 30 } else { 0 }, ..NetShape::default() };
        let net = random::net(&mut random, &shape);
        let claims = random.percent(60).then(|| random::units(&mut random, &net));
        let model = Model::Plain(net.with_nupn(claims));
        let query = |nesting| Query::Ctl(random::nested_ctl(&mut random, model.nodes(), nesting));
        let queries: Vec<Query> = (1..=5).map(query).collect();
        tally.compare(&ways(), &model, &queries, &format!("seed {seed}"));
    }
    assert!(tally.holds > 30_000 && tally.fails > 30_000 && tally.infinite > 100, "{tally:?}");
    assert!(tally.nested[1..].iter().all(|&compared| compared > 12_000), "{tally:?}");
}

#[test]
fn random_colored_nets() {
    let mut tally = Tally::default();
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let inhibitors = if random.percent(30) { 30 } else { 0 };
        let model = Model::Colored(random::colored(&mut random, inhibitors));
        let query = |nesting| Query::Ctl(random::nested_ctl(&mut random, model.nodes(), nesting));
        let queries: Vec<Query> = (1..=5).map(query).collect();
        let mut ways = Vec::new();
        for order in [Order::DepthFirst, Order::BreadthFirst, Order::BestFirst] {
            let bindings =
                *random.pick(&[Binding::Token, Binding::DynExp, Binding::MinRep, Binding::FullInfo]);
            let tokens = *random.pick(&[Tokens::Dense, Tokens::Sparse]);
            ways.push(Ctl { order, ways: Ways { bindings, tokens }, ..Ctl::default() });
        }
        tally.compare(&ways, &model, &queries, &format!("seed {seed}"));
    }
    assert!(tally.holds > 1_500 && tally.fails > 1_500, "{tally:?}");
}
