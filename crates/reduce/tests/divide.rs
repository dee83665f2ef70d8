//! Properties of the whole net in parts, against the oracle: the parts decide the whole, and rightly.

use std::sync::Arc;

use fireset_net::{
    Budget, Formula, Global, Model, Net, Outcome, Problem, Query, StatePredicate, StopReason, Verdict,
};
use fireset_oracle::{
    OracleCase, query,
    random::{self, NetShape, TestRng},
    tiny,
};
use fireset_reduce::{Decompose, Pass};

const MAX_STATES: usize = 150;
const ASKED: [Global; 4] = [Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness];

/// How many were decided at once, and by parts; of each property those that fail and those that hold.
#[derive(Debug, Default)]
struct DividedCounts {
    at_once: [[usize; 2]; 4],
    by_parts: [usize; 4],
    open: usize,
    runs: usize,
}

fn is_constant(query: &Query) -> bool {
    matches!(query, Query::Invariant(StatePredicate::Constant(_)))
}

/// The answer that the oracle's answers to the parts make.
fn by_parts(problem: &Problem) -> (Outcome, bool) {
    let mut reduced =
        Decompose.apply(problem, &Budget::unlimited()).expect("no limits").expect("it has parts");
    let Problem { model, queries } = &reduced.problem;
    let at_once = matches!(&queries[..], [one] if is_constant(one));
    let mut whole = Outcome::unknown(StopReason::NoEngine);
    let parts = match &queries[..] {
        [Query::Invariant(StatePredicate::Constant(value))] => {
            vec![Outcome { verdict: (*value).into(), ..Outcome::unknown(StopReason::NoEngine) }]
        }
        _ => fireset_oracle::outcomes(model, queries, MAX_STATES, &Budget::unlimited()),
    };
    for (at, part) in parts.into_iter().enumerate() {
        let is_open = matches!(whole.verdict, Verdict::Unknown(_));
        if let Some(outcome) = reduced.lift.lift(at, part).filter(|_| is_open) {
            whole = outcome;
        }
    }
    (whole, at_once)
}

impl DividedCounts {
    /// An infinite net may be decided by its structure where the oracle does not come to an end.
    fn compare(&mut self, net: Net, seed: u64) {
        let problem = Problem { model: Model::Plain(net).into(), queries: ASKED.map(Query::Global).into() };
        let case = OracleCase::new(seed, TestRng::new(seed), problem, MAX_STATES);
        for (kind, global) in ASKED.into_iter().enumerate() {
            let queries = vec![Query::Global(global)];
            let (given, at_once) = by_parts(&Problem { model: case.problem.model.clone(), queries });
            let has_run = given.evidence.is_some();
            assert!(global != Global::OneSafe || given.verdict != Verdict::Fails || has_run);
            let verdict = given.verdict.clone();
            let mut all = vec![None; ASKED.len()];
            all[kind] = Some(given);
            let counts = case.compare(&all, &|_, _| true, &"in parts");
            self.runs += counts.with_evidence;
            let is_expected = !matches!(case.expected[kind].verdict, Verdict::Unknown(_));
            self.open += usize::from(is_expected && counts.unknown == 1);
            if counts.compared == 1 && at_once {
                self.at_once[kind][usize::from(verdict == Verdict::Holds)] += 1;
            } else {
                self.by_parts[kind] += counts.compared;
            }
        }
    }
}

#[test]
fn parts_decide_the_whole() {
    let mut counts = DividedCounts::default();
    let shape = NetShape { inhibitors: 20, tokens: 2, ..NetShape::default() };
    for seed in 0..1_000 {
        let mut random = TestRng::new(seed);
        let net = random::structured(&mut random, seed);
        let net = net.or_else(|| (seed % 2 == 1).then(|| random::grown(&mut random, 25)));
        counts.compare(net.unwrap_or_else(|| random::net(&mut random, &shape)), seed);
    }
    let DividedCounts { at_once, by_parts, open, runs } = &counts;
    assert!(at_once.iter().all(|both| both[0] > 100), "{counts:?}");
    assert!(at_once.iter().take(3).all(|both| both[1] > 100), "{counts:?}");
    assert!(by_parts.iter().sum::<usize>() > 40 && *open < 10 && *runs > 500, "{counts:?}");
}

#[test]
fn odd_nets_have_answers() {
    let huge = u64::MAX;
    for text in [
        "",
        "p",
        "p:1 q:1",
        "; t: ->",
        "p; t: -> p",
        "p:1; t: p ->",
        "p:1; t: p, !p -> p",
        "p:1 q; t: p -> p, q; u: 2*q -> q",
    ] {
        DividedCounts::default().compare(tiny::net(text), 0);
    }
    let overflow = format!("p:{huge} q:1; t: q -> q, {huge}*p; u: {huge}*p -> {huge}*p");
    DividedCounts::default().compare(tiny::net(&overflow), 0);
}

#[test]
fn many_parts_are_decided_together() {
    let count = 1_000;
    let mut text = (0..count).map(|at| format!("p{at}:{} ", u8::from(at == 0))).collect::<String>();
    (0..count).for_each(|at| text += &format!("; t{at}: p{at} -> p{}", (at + 1) % count));
    let model = Arc::new(Model::Plain(tiny::net(&text)));
    for global in ASKED {
        let problem = Problem { model: model.clone(), queries: vec![Query::Global(global)] };
        let reduced = Decompose.apply(&problem, &Budget::unlimited()).unwrap().expect("it has parts");
        let parts = &reduced.problem.queries;
        if global == Global::OneSafe {
            // That takes an invariant, which a limit may keep from being found.
            assert!(parts.len() <= 64, "{} parts", parts.len());
        } else {
            let expected = query::invariant(Formula::Constant(global != Global::StableMarking));
            assert_eq!(*parts, [expected], "{global:?}");
        }
    }
}
