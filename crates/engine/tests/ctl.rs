//! CTL on the fly against the oracle: each algorithm, order and switch, on random nets with deadlocks, weights,
//! inhibitor arcs and counts that outgrow their fields, and random formulas with all operators; and each operator on
//! tiny nets whose answers are known. All evidence is replayed, and refused when it is falsified.

mod common;

use common::{any_net, ask, outcomes};
use fireset_engine::{
    Access, Binding, ColouredConfig, CtlAlgorithm, CtlEngine, Encoding, Engine, FiresetMode, LayoutChoice,
    Learning, Order, Symmetry, TokenLayout,
};
use fireset_net::{
    Branching, Budget, Evidence, Formula, Model, Outcome, Problem, Query, StopReason, Verdict,
    families::{self, FamilyKind},
    replay,
};
use fireset_oracle::{
    OracleCase, OracleTest, against_oracle, query,
    random::{self, NetShape, TestRng},
    tiny,
};

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 400;
/// Bytes that the engine may hold.
const MEMORY: u64 = 1 << 19;

/// The engine with each switch turned.
fn ways() -> Vec<CtlEngine> {
    let best = CtlEngine::default();
    let graph = CtlEngine { algorithm: CtlAlgorithm::DependencyGraph, ..best };
    vec![
        CtlEngine { order: Some(Order::DepthFirst), ..graph },
        CtlEngine { order: Some(Order::BreadthFirst), ..graph },
        CtlEngine { order: Some(Order::BestFirst), ..graph },
        CtlEngine { order: Some(Order::BestFirst), fireset: FiresetMode::Full, ..graph },
        CtlEngine { order: Some(Order::DepthFirst), ..best },
        CtlEngine { order: Some(Order::BreadthFirst), ..best },
        CtlEngine { order: Some(Order::BestFirst), ..best },
        CtlEngine { order: Some(Order::BestFirst), fireset: FiresetMode::Full, ..best },
        CtlEngine { fireset: FiresetMode::Full, ..best },
        CtlEngine { learning: Learning::Off, ..best },
        CtlEngine { learning: Learning::FromRuns, ..best },
        CtlEngine { learning: Learning::FromSiphons, ..best },
        CtlEngine { learning: Learning::Off, order: Some(Order::BestFirst), ..best },
        CtlEngine { access: Access::Decode, ..best },
        CtlEngine { encoding: LayoutChoice::Only(Encoding::Wide), ..best },
        CtlEngine { encoding: LayoutChoice::Only(Encoding::Safe), ..best },
        CtlEngine { algorithm: CtlAlgorithm::Global, ..best },
        CtlEngine { algorithm: CtlAlgorithm::Global, threads: 3, ..best },
    ]
}

/// Each algorithm in each order.
fn algorithms_and_orders() -> impl Iterator<Item = (CtlAlgorithm, Order)> {
    let orders = [Order::DepthFirst, Order::BreadthFirst, Order::BestFirst];
    let searches = [CtlAlgorithm::Local, CtlAlgorithm::DependencyGraph].into_iter();
    let global = (CtlAlgorithm::Global, Order::BreadthFirst);
    searches.flat_map(move |it| orders.map(|order| (it, order))).chain([global])
}

/// What shows verdicts.
#[derive(Debug, Default)]
struct Shown {
    by_runs: usize,
    with_claims: usize,
    by_nothing: usize,
    /// Changed in one place, and how much of that is refused.
    falsified: usize,
    refused: usize,
    /// Claims that are needed, and how many of those are refused when they are the other way round.
    claims: usize,
    refused_claims: usize,
}

impl Shown {
    /// Replays the evidence of a verdict, and changes of it.
    fn replay(&mut self, model: &Model, query: &Query, verdict: &Verdict, evidence: Option<&Evidence>) {
        let Some(evidence) = evidence else {
            self.by_nothing += 1;
            return;
        };
        let confirm =
            |verdict: &Verdict, evidence: &Evidence| replay::confirm(model, query, verdict, evidence);
        assert_eq!(confirm(verdict, evidence), Ok(()), "{query:?} {evidence:?} on {model:?}");
        let Evidence::Branching(runs) = evidence else { panic!("only such runs show CTL") };
        let opposite = Verdict::from(*verdict == Verdict::Fails);
        assert!(confirm(&opposite, evidence).is_err(), "{query:?} {evidence:?} on {model:?}");
        if runs.claims.is_empty() {
            self.by_runs += 1;
            for changed in changes(runs).map(Evidence::Branching) {
                self.falsified += 1;
                self.refused += usize::from(confirm(verdict, &changed).is_err());
                assert!(confirm(&opposite, &changed).is_err(), "{query:?} {changed:?} on {model:?}");
            }
            return;
        }
        assert!(!runs.runs.is_empty(), "{query:?} is only claimed on {model:?}");
        self.with_claims += 1;
        for at in 0..runs.claims.len() {
            let mut without = runs.clone();
            without.claims.remove(at);
            let without = Evidence::Branching(without);
            assert!(confirm(&opposite, &without).is_err(), "{query:?} {without:?} on {model:?}");
            if confirm(verdict, &without).is_err() {
                let mut other = runs.clone();
                other.claims[at].holds ^= true;
                self.claims += 1;
                self.refused_claims += usize::from(confirm(verdict, &Evidence::Branching(other)).is_err());
            }
        }
    }
}

/// Without the last run; and with a step less or the first one last, in the first run and one in the middle.
fn changes(runs: &Branching) -> impl Iterator<Item = Branching> {
    let mut fewer = runs.clone();
    let fewer = fewer.runs.pop().map(|_| fewer);
    let places: Vec<usize> = if fewer.is_some() { vec![0, runs.runs.len() / 2] } else { Vec::new() };
    let others = places.into_iter().flat_map(|at| {
        let (mut shorter, mut other) = (runs.clone(), runs.clone());
        shorter.runs[at].steps.pop();
        other.runs[at].steps.rotate_left(1);
        [shorter, other]
    });
    fewer.into_iter().chain(others)
}

/// Steps take more than markings.
fn budget(engine: &CtlEngine) -> Budget {
    let memory = if engine.algorithm == CtlAlgorithm::Global { 4 * MEMORY } else { MEMORY };
    Budget::unlimited().with_memory(memory)
}

/// Where markings grow for ever many searches end only when their memory is used up: one configuration is enough.
fn configurations(case: &OracleCase, all: Vec<CtlEngine>) -> Vec<CtlEngine> {
    if case.is_finite() { all } else { vec![all[case.seed as usize / 3 % all.len()]] }
}

fn may_stop(case: &OracleCase, reason: &StopReason) -> bool {
    match reason {
        StopReason::Memory => !case.is_finite(),
        reason => *reason == StopReason::Overflow && case.may_overflow(),
    }
}

fn nested_queries(random: &mut TestRng, model: &Model) -> Vec<Query> {
    (1..=5).map(|nesting| Query::Ctl(random::nested_ctl(random, model.nodes(), nesting))).collect()
}

impl Shown {
    /// Replays the evidence of all verdicts that the oracle has too.
    fn replay_all(&mut self, case: &OracleCase, given: &[Option<Outcome>]) {
        let is_known = |outcome: &Outcome| !matches!(outcome.verdict, Verdict::Unknown(_));
        for (at, given) in given.iter().enumerate() {
            let given = given.as_ref().expect("every query is answered");
            if is_known(given) && is_known(&case.expected[at]) {
                let query = &case.problem.queries[at];
                self.replay(&case.problem.model, query, &given.verdict, given.evidence.as_ref());
            }
        }
    }
}

#[test]
fn random_nets_and_formulas() {
    let mut shown = Shown::default();
    let test = OracleTest {
        seeds: 0..2_000,
        model: &any_net,
        queries: &nested_queries,
        max_states: MAX_STATES,
        configurations: &|case| configurations(case, ways()),
        may_stop: &may_stop,
        budget: &budget,
    };
    let counts = against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        |case, _, given| shown.replay_all(case, given),
    );
    assert!(counts.holds > 30_000 && counts.fails > 30_000, "{counts:?}");
    assert!(counts.infinite + counts.too_many > 100, "{counts:?}");
    assert!(counts.nested[1..=5].iter().all(|&compared| compared > 12_000), "{counts:?}");
    let verdicts = counts.holds + counts.fails;
    assert!(shown.by_runs * 10 > verdicts * 9, "{shown:?}");
    assert!(shown.with_claims > 200 && shown.by_nothing * 50 < verdicts, "{shown:?}");
    assert!(shown.refused * 2 > shown.falsified, "{shown:?}");
    assert!(shown.claims > 400 && shown.refused_claims == shown.claims, "{shown:?}");
}

#[test]
fn samples() {
    let engine = CtlEngine { algorithm: CtlAlgorithm::RandomWalk, ..CtlEngine::default() };
    let (mut shown, mut answered) = (Shown::default(), [[0; 2]; 2]);
    let test = OracleTest {
        seeds: 0..600,
        model: &|random, seed| {
            let inhibitors = if random.percent(30) { 30 } else { 0 };
            if seed % 5 == 0 {
                return Model::Coloured(random::coloured(random, inhibitors));
            }
            let shape = NetShape { inhibitors, ..NetShape::default() };
            let structured = random::structured(random, seed);
            Model::Plain(structured.unwrap_or_else(|| random::net(random, &shape)))
        },
        queries: &|random, model| {
            let queries = (1..=7).map(|nesting| {
                let f = Formula::from(random::nested_ctl(random, model.nodes(), nesting));
                query::ctl(match nesting {
                    1 | 5 => f.invariant(),
                    2 => write::e(write::x(f.invariant())),
                    3 => f,
                    4 => f.possible(),
                    6 => write::e(write::g(f)),
                    _ => write::a(write::f(f)),
                })
            });
            queries.filter(|query| engine.accepts(model, query)).collect()
        },
        max_states: MAX_STATES,
        configurations: &|_| vec![engine],
        may_stop: &|_, _| true,
        budget: &|_| Budget::unlimited().with_memory(MEMORY),
    };
    against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        |case, _, given| {
            shown.replay_all(case, given);
            let is_coloured = usize::from(matches!(*case.problem.model, Model::Coloured(_)));
            for (given, expected) in given.iter().flatten().zip(&case.expected) {
                if given.verdict == expected.verdict && !matches!(given.verdict, Verdict::Unknown(_)) {
                    answered[is_coloured][usize::from(given.verdict == Verdict::Holds)] += 1;
                }
            }
        },
    );
    assert!(answered.iter().flatten().all(|&count| count > 40), "{answered:?}");
    assert!(shown.by_runs > 500, "{shown:?}");
}

#[test]
fn walks_come_to_where_nothing_leads_back() {
    use write::{a, e, f, g, has};
    // A loop with more markings than anybody can look at, and a way out of it for ever.
    let counters: String = (0..12).map(|at| format!("c{at}:99 ")).collect();
    let moves: String = (0..12).map(|at| format!("m{at}: p, c{at} -> p, c{}; ", (at + 1) % 12)).collect();
    let model = Model::Plain(tiny::net(&format!("p:1 q r {counters}; out: p -> q; on: q -> r; {moves}")));
    let engine = CtlEngine { algorithm: CtlAlgorithm::RandomWalk, ..CtlEngine::default() };
    let queries = vec![query::ctl(a(g(e(f(has(0)))))), query::ctl(e(f(a(g(has(2))))))];
    let given = outcomes(&engine, &model, &queries, 1 << 28);
    assert_eq!(
        given.iter().map(|outcome| &outcome.verdict).collect::<Vec<_>>(),
        [&Verdict::Fails, &Verdict::Holds]
    );
}

#[test]
fn walks_close_cycles_that_a_search_passes_by() {
    use write::{a, e, f, g, has, not};
    // Two steps lead back, but the steps before and after them in the order of transitions can be repeated for ever.
    let net = "p:1 q c:99999 d e:99999 f; t: c -> d; u: p -> q; v: q -> p; w: e -> f";
    let stays = || Formula::Or(vec![has(0), has(1)]);
    let queries = vec![query::ctl(e(g(stays()))), query::ctl(a(f(not(stays()))))];
    let walk = CtlEngine { algorithm: CtlAlgorithm::RandomWalk, ..CtlEngine::default() };
    let given = outcomes(&walk, &Model::Plain(tiny::net(net)), &queries, 1 << 28);
    assert_eq!(
        given.iter().map(|outcome| &outcome.verdict).collect::<Vec<_>>(),
        [&Verdict::Holds, &Verdict::Fails]
    );
}

#[test]
fn unmarked_siphons_decide_without_a_search() {
    use write::{a, e, f, g, has, not, x};
    // More markings than fit into the memory, in which nothing leads back to p.
    let counters: String = (0..12).map(|at| format!("c{at}:99 ")).collect();
    let moves: String = (0..12).map(|at| format!("m{at}: c{at} -> c{}; ", (at + 1) % 12)).collect();
    let model = Model::Plain(tiny::net(&format!("p:1 q r {counters}; out: p -> q; on: q -> r; {moves}")));
    let back = || Formula::Or(vec![has(0), has(1)]);
    let queries = [e(x(a(g(not(has(0)))))), e(f(not(e(f(back()))))), a(g(e(f(back()))))].map(query::ctl);
    let verdicts = |learning| {
        let engine = CtlEngine { learning, order: Some(Order::BestFirst), ..CtlEngine::default() };
        let given = outcomes(&engine, &model, &queries, MEMORY);
        given.into_iter().map(|outcome| outcome.verdict).collect::<Vec<_>>()
    };
    let expected = [Verdict::Holds, Verdict::Holds, Verdict::Fails];
    assert_eq!(verdicts(Learning::FromSiphons), expected);
    assert!(verdicts(Learning::Off).iter().all(|verdict| matches!(verdict, Verdict::Unknown(_))));
}

#[test]
fn runs_that_are_known_save_searches() {
    use write::{a, e, f, g, has};
    let model = Model::Plain(tiny::net("p:1 q r c:40 d; t: p -> q; u: q -> r; v: r -> p; m: c -> d"));
    let queries = [query::ctl(a(g(e(f(Formula::And(vec![has(0), e(f(has(2)))]))))))];
    let firings = |learning| {
        let engine = CtlEngine { learning, ..CtlEngine::default() };
        let given = outcomes(&engine, &model, &queries, MEMORY).remove(0);
        assert_eq!(given.verdict, Verdict::Holds);
        given.statistics.firings
    };
    let (with, without) = (firings(Learning::FromRuns), firings(Learning::Off));
    assert!(with * 4 < without * 3, "{with} firings with what is known, {without} without");
}

#[test]
fn random_coloured_nets() {
    let mut shown = Shown::default();
    let test = OracleTest {
        seeds: 0..400,
        model: &|random, _| {
            let inhibitors = if random.percent(30) { 30 } else { 0 };
            Model::Coloured(random::coloured(random, inhibitors))
        },
        queries: &nested_queries,
        max_states: MAX_STATES,
        configurations: &|case| {
            let random = &mut case.random;
            let mut any = |(algorithm, order)| {
                let bindings =
                    *random.pick(&[Binding::Token, Binding::DynExp, Binding::MinRep, Binding::FullInfo]);
                let tokens = *random.pick(&[TokenLayout::Dense, TokenLayout::Sparse]);
                let ways = ColouredConfig { bindings, tokens, symmetry: Symmetry::Off };
                CtlEngine { algorithm, order: Some(order), coloured: ways, ..CtlEngine::default() }
            };
            let all = algorithms_and_orders().map(&mut any).collect();
            configurations(case, all)
        },
        may_stop: &may_stop,
        budget: &budget,
    };
    let counts = against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        |case, _, given| shown.replay_all(case, given),
    );
    assert!(counts.holds > 1_500 && counts.fails > 1_500, "{counts:?}");
    assert!(shown.by_runs * 10 > (counts.holds + counts.fails) * 9, "{shown:?}");
    assert!(shown.with_claims > 10, "{shown:?}");
}

/// Formulas over the places of a net, by their positions.
mod write {
    use fireset_net::{Comparison, Expr, Formula, PlaceId};

    /// The place at a position has a token.
    pub(super) fn has(place: usize) -> Formula {
        let tokens = Expr::Tokens(vec![PlaceId::new(place)]);
        Formula::Compare(Comparison::GreaterEqual, tokens, Expr::Constant(1))
    }

    pub(super) fn e(path: Formula) -> Formula {
        Formula::Exists(Box::new(path))
    }

    pub(super) fn a(path: Formula) -> Formula {
        Formula::ForAll(Box::new(path))
    }

    pub(super) fn x(f: Formula) -> Formula {
        Formula::Next(Box::new(f))
    }

    pub(super) fn f(f: Formula) -> Formula {
        Formula::Finally(Box::new(f))
    }

    pub(super) fn g(f: Formula) -> Formula {
        Formula::Globally(Box::new(f))
    }

    pub(super) fn u(f: Formula, g: Formula) -> Formula {
        Formula::Until(Box::new(f), Box::new(g))
    }

    pub(super) fn r(f: Formula, g: Formula) -> Formula {
        Formula::Release(Box::new(f), Box::new(g))
    }

    pub(super) fn w(f: Formula, g: Formula) -> Formula {
        Formula::WeakUntil(Box::new(f), Box::new(g))
    }

    pub(super) fn not(f: Formula) -> Formula {
        f.negate()
    }

    pub(super) fn iff(f: Formula, g: Formula) -> Formula {
        Formula::Iff(Box::new(f), Box::new(g))
    }
}

/// Each way says of each formula what is written beside it.
fn say(net: &str, cases: &[(Formula, bool)]) {
    let model = Model::Plain(tiny::net(net));
    let queries: Vec<Query> = cases.iter().map(|(formula, _)| query::ctl(formula.clone())).collect();
    for engine in ways() {
        for ((formula, holds), given) in cases.iter().zip(outcomes(&engine, &model, &queries, MEMORY)) {
            assert_eq!(given.verdict, Verdict::from(*holds), "{net} {engine:?} {formula:?}");
            let (query, evidence) = (query::ctl(formula.clone()), given.evidence.as_ref());
            Shown::default().replay(&model, &query, &given.verdict, evidence);
        }
    }
}

#[test]
fn every_operator_where_nothing_follows_and_on_a_loop() {
    use write::{a, e, f, g, r, u, w, x};
    // The first net stops at once, the second goes on for ever; both have one marking, in which p has a token.
    for (net, goes_on) in [("p:1 q; t: q -> q", false), ("p:1 q; t: p -> p", true)] {
        let value = |holds: bool| write::has(usize::from(!holds));
        let mut cases = vec![(Formula::Deadlock, !goes_on), (e(g(Formula::Deadlock)), !goes_on)];
        for now in [false, true] {
            let p = || value(now);
            cases.push((e(x(p())), goes_on && now));
            cases.push((a(x(p())), !goes_on || now));
            for quantifier in [e, a] {
                cases.push((quantifier(f(p())), now));
                cases.push((quantifier(g(p())), now));
                for then in [false, true] {
                    cases.push((quantifier(u(p(), value(then))), then));
                    cases.push((quantifier(r(p(), value(then))), then));
                    cases.push((quantifier(w(p(), value(then))), now || then));
                }
            }
        }
        say(net, &cases);
    }
}

#[test]
fn nested_operators_on_a_cycle() {
    use write::{a, e, f, g, has, iff, not, r, u, w, x};
    let (p, q) = (|| has(0), || has(1));
    say(
        "p:1 q; t: p -> q; u: q -> p",
        &[
            (e(x(q())), true),
            (a(f(q())), true),
            (e(g(p())), false),
            (a(g(Formula::Or(vec![p(), q()]))), true),
            (a(g(e(f(p())))), true),
            (e(g(a(f(q())))), true),
            (a(u(p(), e(u(q(), p())))), true),
            (a(u(not(q()), e(g(q())))), false),
            (e(x(a(x(p())))), true),
            (a(x(e(x(q())))), false),
            (iff(a(f(q())), not(e(g(not(q()))))), true),
            (iff(e(f(p())), a(g(p()))), false),
            (a(g(iff(p(), e(x(q()))))), true),
            (e(r(q(), e(f(p())))), true),
            (a(w(p(), e(x(p())))), true),
            (not(a(w(e(x(q())), not(e(f(q())))))), true),
        ],
    );
}

#[test]
fn nested_operators_where_the_cycle_can_be_left() {
    use write::{a, e, f, g, has, not, r, u, w, x};
    let (p, q, end) = (|| has(0), || has(1), || has(2));
    say(
        "p:1 q end; t: p -> q; u: q -> p; v: q -> end",
        &[
            (a(g(e(f(p())))), false),
            (a(g(e(f(end())))), true),
            (e(f(a(g(end())))), true),
            (a(f(end())), false),
            (e(g(not(end()))), true),
            (e(g(e(x(p())))), false),
            (e(g(e(f(p())))), true),
            (a(f(e(x(end())))), true),
            (a(g(e(x(Formula::Constant(true))))), false),
            (a(u(e(f(p())), q())), true),
            (a(r(end(), e(f(end())))), true),
            (e(w(not(end()), a(x(Formula::Constant(false))))), true),
            (a(w(not(end()), a(x(Formula::Constant(false))))), true),
            (a(u(not(end()), a(x(Formula::Constant(false))))), false),
            (e(u(a(f(q())), Formula::Deadlock)), true),
            (e(u(p(), e(u(q(), end())))), true),
        ],
    );
}

#[test]
fn well_known_formulas_on_families() {
    use write::{a, e, f, g, not, x};
    for (name, parameters) in [("philosophers", &[3][..]), ("token-ring", &[3]), ("readers-writers", &[3])] {
        let model = families::find(name).unwrap().generate(FamilyKind::Plain, parameters).unwrap();
        let fires = |at: usize| Formula::Fireable(vec![model.nodes().transition_ids().nth(at).unwrap()]);
        let queries = [
            a(g(e(f(fires(0))))),
            e(g(a(f(fires(1))))),
            a(g(fires(0).implies(a(f(fires(1)))))),
            e(f(a(g(not(fires(2)))))),
            a(g(e(x(fires(1))))),
            e(f(Formula::Deadlock)),
        ]
        .map(query::ctl);
        let problem = Problem { model: model.clone().into(), queries: queries.to_vec() };
        let case = OracleCase::new(0, TestRng::new(0), problem, MAX_STATES);
        let (mut shown, mut compared) = (Shown::default(), 0);
        for engine in ways() {
            let given: Vec<_> =
                outcomes(&engine, &model, &queries, 4 * MEMORY).into_iter().map(Some).collect();
            compared += case.compare(&given, &|_, _| false, &engine).compared;
            shown.replay_all(&case, &given);
        }
        assert_eq!(shown.by_runs, ways().len() * queries.len(), "{shown:?}");
        assert_eq!(compared, ways().len() * queries.len(), "{name}");
    }
}

#[test]
fn what_takes_too_many_runs_is_claimed() {
    use write::{a, e, f, g, not, x};
    let mut shown = Shown::default();
    for (name, parameters) in
        [("philosophers", &[6][..]), ("token-ring", &[5]), ("kanban", &[2]), ("fms", &[2])]
    {
        let model = families::find(name).unwrap().generate(FamilyKind::Plain, parameters).unwrap();
        let fires = |at: usize| Formula::Fireable(vec![model.nodes().transition_ids().nth(at).unwrap()]);
        let queries = [
            // Nothing but a claim would be left of these.
            a(g(e(f(fires(0))))),
            not(e(f(Formula::And(vec![fires(0), not(fires(0))])))),
            // Runs that end where something is claimed.
            e(x(e(f(a(g(e(f(fires(0))))))))),
            a(x(a(g(e(f(fires(1))))))),
            Formula::And(vec![e(f(not(fires(0)))), not(a(x(e(f(Formula::Deadlock))))), e(x(e(f(fires(1)))))]),
            e(f(a(x(a(g(not(fires(2)))))))),
        ]
        .map(query::ctl);
        for engine in ways() {
            for (query, given) in queries.iter().zip(outcomes(&engine, &model, &queries, 1 << 24)) {
                assert!(!matches!(given.verdict, Verdict::Unknown(_)), "{name} {engine:?} {query:?}");
                shown.replay(&model, query, &given.verdict, given.evidence.as_ref());
            }
        }
    }
    assert!(shown.with_claims > 50 && shown.by_nothing > 50, "{shown:?}");
    assert!(shown.claims > 50 && shown.refused_claims == shown.claims, "{shown:?}");
}

#[test]
fn counts_outgrow_their_fields() {
    use write::{a, e, f, g, has, not};
    say(
        "p:300 q r; t: p -> q; u: 300*q -> 2000*r; v: r -> ",
        &[(a(f(has(2))), true), (a(g(not(e(f(has(2)))))), false), (e(f(a(g(not(has(2)))))), true)],
    );
}

#[test]
fn limits_end_in_unknown() {
    use write::{a, e, f, g, not};
    let model = families::find("kanban").unwrap().generate(FamilyKind::Plain, &[6]).unwrap();
    let always = query::ctl(a(g(e(f(not(Formula::Deadlock))))));
    let problem = Problem { model: model.into(), queries: vec![always.clone(), always] };
    let (memory, time) = (Budget::unlimited().with_memory(1 << 20), std::time::Duration::ZERO);
    for (budget, reason) in
        [(memory, StopReason::Memory), (Budget::unlimited().with_timeout(time), StopReason::Time)]
    {
        for algorithm in [CtlAlgorithm::Local, CtlAlgorithm::DependencyGraph, CtlAlgorithm::Global] {
            let mut told = 0;
            let engine = CtlEngine { algorithm, ..CtlEngine::default() };
            engine.decide(&problem, &budget, &mut |_: usize, outcome: Outcome| {
                assert_eq!(outcome.verdict, Verdict::Unknown(reason.clone()), "{algorithm:?}");
                told += 1;
            });
            assert_eq!(told, 2, "{algorithm:?}");
        }
    }
}
