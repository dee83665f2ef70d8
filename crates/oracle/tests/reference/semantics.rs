//! What each operator means, on nets small enough to work out by hand.

use fireset_net::{Count, Evidence, Formula, Global, Model, Query, StateSpaceSize, StopReason, Verdict};
use fireset_oracle::tiny;

use super::*;

fn model(text: &str) -> Model {
    Model::Plain(tiny::net(text))
}

fn figures(states: u32, firings: u32, in_marking: u32, in_place: u32) -> Verdict {
    Verdict::StateSpace(StateSpaceSize {
        states: states.into(),
        firings: firings.into(),
        max_in_marking: in_marking.into(),
        max_in_place: in_place.into(),
    })
}

#[test]
fn in_a_deadlock_ctl_paths_end() {
    let net = model("p:1 q; t: q -> p");
    let (p, q) = (at_least(&net, "p", 1), at_least(&net, "q", 1));
    let ctl = |f: Formula| holds(&net, query::ctl(f));
    assert!(!ctl(some(next(&p))) && !ctl(some(next(&Formula::Constant(true)))));
    assert!(ctl(all(next(&p))) && ctl(all(next(&q))));
    for quantify in [some, all] {
        assert!(ctl(quantify(globally(&p))) && !ctl(quantify(globally(&q))));
        assert!(ctl(quantify(finally(&p))) && !ctl(quantify(finally(&q))));
        assert!(ctl(quantify(until(&q, &p))) && !ctl(quantify(until(&p, &q))));
        assert!(ctl(quantify(release(&q, &p))) && !ctl(quantify(release(&p, &q))));
        assert!(ctl(quantify(weak(&p, &q))) && ctl(quantify(weak(&q, &p))));
        assert!(!ctl(quantify(weak(&q, &not(&p)))));
    }
}

#[test]
fn in_a_deadlock_ltl_repeats_the_marking() {
    let net = model("p:1 q; t: q -> p");
    let (p, q) = (at_least(&net, "p", 1), at_least(&net, "q", 1));
    for on in [on_all, on_some] {
        assert!(holds(&net, on(next(&p))) && !holds(&net, on(next(&q))));
        assert!(holds(&net, on(next(&next(&next(&p))))));
        assert!(holds(&net, on(globally(&p))) && !holds(&net, on(finally(&q))));
        assert!(holds(&net, on(globally(&Formula::Deadlock))));
    }
    let found = outcomes(&net, &[on_some(globally(&p))], 10).remove(0);
    let Some(Evidence::Lasso(lasso)) = found.evidence else { panic!("a lasso") };
    assert!(lasso.prefix.is_empty() && lasso.cycle.is_empty());
}

#[test]
fn a_run_that_ends_is_a_path() {
    let net = model("p:1 q; t: p -> q");
    let (p, q) = (at_least(&net, "p", 1), at_least(&net, "q", 1));
    let ctl = |f: Formula| holds(&net, query::ctl(f));
    assert!(ctl(all(finally(&q))) && !ctl(some(globally(&p))));
    assert!(ctl(some(next(&all(next(&p))))), "after t nothing follows, so AX holds");
    assert!(!ctl(some(next(&some(next(&q))))));
    assert!(holds(&net, on_all(next(&globally(&q)))), "the last marking repeats");
    assert!(holds(&net, on_all(finally(&Formula::Deadlock))));
    assert!(holds(&net, on_all(until(&p, &q))) && !holds(&net, on_all(globally(&p))));
}

#[test]
fn branching_and_fairness() {
    // From p for ever by u, or away by t.
    let net = model("p:1 q; t: p -> q; u: p -> p; v: q -> q");
    let (p, q) = (at_least(&net, "p", 1), at_least(&net, "q", 1));
    let ctl = |f: Formula| holds(&net, query::ctl(f));
    assert!(ctl(some(globally(&p))) && !ctl(all(finally(&q))));
    assert!(ctl(all(globally(&some(finally(&q))))));
    assert!(!holds(&net, on_all(finally(&q))) && holds(&net, on_all(weak(&p, &q))));
    assert!(holds(&net, on_all(or(&globally(&p), &finally(&globally(&q))))));
    assert!(holds(&net, on_some(not(&not(&globally(&finally(&p)))))));
    assert!(ctl(all(release(&q, &or(&p, &q)))) && !ctl(all(until(&p, &q))) && ctl(some(until(&p, &q))));
    // F G q on all runs is not AF AG q turned around: FG(p) or FG(q) holds on all, AF(AG p | AG q) does not.
    let settles = or(&finally(&globally(&p)), &finally(&globally(&q)));
    assert!(holds(&net, on_all(settles)));
    assert!(!ctl(all(finally(&or(&all(globally(&p)), &all(globally(&q)))))));
}

#[test]
fn atoms_count_and_enable() {
    let net = model("p:2 q:1 r; t: 2*p -> r; u: 3*q -> r");
    let fireable = |names: &str| {
        Formula::Fireable(names.split_whitespace().map(|t| transition(net.nodes(), t)).collect())
    };
    let now = |f: Formula| holds(&net, query::ctl(f));
    assert!(now(fireable("t")) && !now(fireable("u")) && now(fireable("u t")) && !now(fireable("")));
    assert!(now(at_least(&net, "p q", 3)) && !now(at_least(&net, "p q", 4)) && now(at_least(&net, "q q", 2)));
    assert!(!now(Formula::Deadlock));
    assert_eq!(verdict(&net, query::reachable(Formula::Deadlock)), Verdict::Holds);
    assert_eq!(verdict(&net, query::invariant(at_least(&net, "p", 1))), Verdict::Fails);
}

#[test]
fn traces_are_shortest() {
    let net = model("p:1 q r; a: p -> q; b: q -> p; c: q -> r");
    let found = outcomes(&net, &[query::reachable(at_least(&net, "r", 1))], 10).remove(0);
    let Some(Evidence::Trace(trace)) = found.evidence else { panic!("a trace") };
    assert_eq!(trace.0.len(), 2);
}

#[test]
fn inhibitors_block() {
    let net = model("p:1 q; t: p, !q -> 2*q; u: 2*q, 3*!q -> p");
    assert_eq!(verdict(&net, Query::Global(Global::StateSpace)), figures(2, 2, 2, 2));
    let net = model("p q; t: 3*!p -> p");
    assert_eq!(verdict(&net, Query::Global(Global::StateSpace)), figures(4, 3, 3, 3));
    assert_eq!(verdict(&net, Query::Bound(vec![place(net.nodes(), "p")])), Verdict::Bound(3u32.into()));
}

#[test]
fn sizes_and_bounds() {
    let net = model("p:3 q; t: p -> q; u: q -> p");
    assert_eq!(verdict(&net, Query::Global(Global::StateSpace)), figures(4, 6, 3, 3));
    let both = vec![place(net.nodes(), "p"), place(net.nodes(), "q")];
    assert_eq!(verdict(&net, Query::Bound(both)), Verdict::Bound(3u32.into()));
    // Two transitions between the same markings are two firings.
    assert_eq!(
        verdict(&model("p:1 q; t: p -> q; u: p -> q"), Query::Global(Global::StateSpace)),
        figures(2, 2, 1, 1)
    );
}

#[test]
fn unbounded_nets() {
    let net = model("p:1 q r:1; t: p -> p, q; u: r -> r");
    let bound = |name: &str| verdict(&net, Query::Bound(vec![place(net.nodes(), name)]));
    assert_eq!(bound("q"), Verdict::Bound(Count::Infinite));
    let answers = outcomes(
        &net,
        &[
            Query::Bound(vec![place(net.nodes(), "p")]),
            Query::Global(Global::StateSpace),
            Query::Global(Global::OneSafe),
            Query::Global(Global::QuasiLiveness),
            Query::Global(Global::Liveness),
            query::reachable(at_least(&net, "q", 5)),
            query::ctl(all(globally(&at_least(&net, "p", 1)))),
            on_all(finally(&at_least(&net, "q", 1))),
        ],
        50,
    );
    let unknown = || Verdict::Unknown(StopReason::Unbounded);
    let expected = [
        unknown(),
        Verdict::StateSpace(StateSpaceSize::INFINITE),
        Verdict::Fails,
        Verdict::Holds,
        unknown(),
        Verdict::Holds,
        unknown(),
        Verdict::Fails,
    ];
    assert_eq!(answers.into_iter().map(|o| o.verdict).collect::<Vec<_>>(), expected);
}

#[test]
fn one_safe_follows_from_unbounded_with_a_run() {
    // Only two states may be kept, so no marking with two tokens is seen; the covering pair tells.
    let net = model("p; t: -> p");
    let outcome = outcomes(&net, &[Query::Global(Global::OneSafe)], 2).remove(0);
    assert_eq!(outcome.verdict, Verdict::Fails);
    assert!(outcome.evidence.is_some());
}

#[test]
fn overflow_is_a_reason() {
    let net = model(&format!("p:{} q:1; t: q -> p", u64::MAX));
    let unknown = Verdict::Unknown(StopReason::Overflow);
    assert_eq!(verdict(&net, Query::Global(Global::StateSpace)), unknown);
    assert_eq!(verdict(&net, query::reachable(at_least(&net, "q", 2))), unknown);
    assert_eq!(verdict(&net, query::reachable(at_least(&net, "q", 1))), Verdict::Holds);
}

#[test]
fn global_properties() {
    let ask = |text: &str| {
        let globals = [Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness];
        let answers = verdicts(&model(text), &globals.map(Query::Global));
        answers.into_iter().map(|v| v == Verdict::Holds).collect::<Vec<_>>()
    };
    assert_eq!(ask("p:1 q; t: p -> q; u: q -> p"), [true, false, true, true]);
    assert_eq!(ask("p:1 q; t: p -> q"), [true, false, true, false]);
    assert_eq!(ask("p:1 q r:2; t: p -> q; u: q -> p; v: 3*r -> r"), [false, true, false, false]);
    // A place that comes back to its count is not stable in between; one with a self-loop is.
    assert_eq!(ask("p:1 q:1; t: p, q -> p; u: p, !q -> p, q"), [true, true, true, true]);
    // The choice between two cycles is for ever.
    assert_eq!(ask("p:1 q r; t: p -> q; u: p -> r; v: q -> q; w: r -> r"), [true, false, true, false]);
    // Where it is left for ever, three tokens, a transition need not fire.
    assert_eq!(ask("p:3; t: p -> p; u: 2*p -> p; v: p, 2*!p -> 2*p"), [false, false, true, true]);
    assert_eq!(ask("p:1"), [true, true, true, true]);
}

#[test]
fn many_temporal_operators() {
    let net = model("p:1 q; t: p -> q; u: q -> p");
    let p = at_least(&net, "p", 1);
    let nested = |n: usize| (0..n).fold(p.clone(), |f, _| next(&f));
    assert!(holds(&net, on_all(nested(12))) && !holds(&net, on_all(nested(13))));
    assert_eq!(verdict(&net, on_all(nested(21))), Verdict::Unknown(StopReason::Formula(21)));
}
