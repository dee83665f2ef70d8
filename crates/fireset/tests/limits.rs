//! Nets on which a single step takes longer than anybody waits: the time limit holds all the same.

use std::time::Duration;

use fireset::{
    Binding, Budget, ColouredConfig, ColouredOptions, Model, Options, Problem, Query, StopReason, Switch,
    Verdict, check,
    net::{
        Comparison, Formula, Global, Quantifier, TransitionId,
        coloured::{Bag, BagTerm, Colour, ColourTerm, ColouredNetBuilder, Guard, SortKind},
    },
};
use fireset_oracle::query;

/// A net whose second transition has `colours` to the power of `variables` bindings, none of them enabled, which no search
/// can tell without trying most of them.
fn haystack(colours: i64, variables: usize) -> Model {
    let mut net = ColouredNetBuilder::new("haystack");
    let sort = net.sorts.add("straw", SortKind::IntRange { start: 1, end: colours }).unwrap();
    let place = net.place("stack", sort, Bag::of(Colour(0), 1)).unwrap();
    let x: Vec<_> = (0..variables).map(|i| net.variable(format!("x{i}"), sort)).collect();
    let go = net.transition("go", Guard::Constant(true)).unwrap();
    let x0 = BagTerm::One(ColourTerm::Variable(x[0]));
    net.input(place, go, x0.clone()).unwrap();
    let next = ColourTerm::Shift { term: Box::new(ColourTerm::Variable(x[0])), sort, by: 1 };
    net.output(go, place, BagTerm::One(next)).unwrap();
    let less = |a: usize, b: usize| {
        let side = |at: usize| (sort, ColourTerm::Variable(x[at]));
        Guard::Compare(Comparison::Less, side(a), side(b))
    };
    let both = |at: usize| Guard::And(vec![less(at, variables - 1 - at), less(variables - 1 - at, at)]);
    let needle = net.transition("needle", Guard::Or((0..variables / 2).map(both).collect())).unwrap();
    net.input(place, needle, x0).unwrap();
    Model::Coloured(net.build())
}

fn fireable(transition: usize) -> Formula {
    Formula::Fireable(vec![TransitionId::new(transition)])
}

/// Something of every kind that asks for the second transition.
fn open() -> Vec<Query> {
    let always = |f: Formula| Formula::Globally(Box::new(f));
    vec![
        query::reachable(fireable(1)),
        Query::Global(Global::QuasiLiveness),
        query::ltl(Quantifier::ForAll, always(fireable(1).implies(Formula::Next(Box::new(fireable(0)))))),
        query::ctl(Formula::ForAll(Box::new(always(fireable(1).possible())))),
    ]
}

#[test]
fn a_search_for_a_binding_stops_in_time() {
    // The paper's ways try all bindings, and refuse nets with too many of them.
    let few = || haystack(400, 3);
    let cases = [
        (Binding::Token, haystack(200, 6)),
        (Binding::DynExp, few()),
        (Binding::MinRep, few()),
        (Binding::FullInfo, few()),
    ];
    for (bindings, model) in cases {
        let config = ColouredConfig { bindings, ..ColouredConfig::default() };
        let mut unfoldings = vec![Switch::Off];
        // Few bindings can be unfolded.
        if bindings == Binding::Token {
            unfoldings.push(Switch::On);
        }
        for unfolding in unfoldings {
            let options = Options {
                coloured: ColouredOptions { unfolding, config, ..ColouredOptions::default() },
                ..Options::default()
            };
            let options = options.with_portfolio(|portfolio| portfolio.pre_check = Switch::Off);
            let problem = Problem { model: model.clone().into(), queries: open() };
            let budget = Budget::unlimited().with_timeout(Duration::from_millis(300));
            let outcomes = check(&problem, &options, &budget, &mut ()).outcomes;
            for (outcome, query) in outcomes.iter().zip(open()) {
                assert_eq!(outcome.verdict, Verdict::Unknown(StopReason::Time), "{options:?} {query:?}");
            }
        }
    }
}
