//! Properties of the whole net in parts, against the reference checker: the parts decide the whole, and rightly.

use std::sync::Arc;

use fireset_net::{
    Budget, Formula, Global, Model, Net, Outcome, Problem, Query, StopReason, Verdict, replay,
};
use fireset_oracle::{
    random::{self, NetShape, TestRng},
    tiny,
};
use fireset_reduce::{Divide, Pass};

const MAX_STATES: usize = 150;
const ASKED: [Global; 4] = [Global::OneSafe, Global::StableMarking, Global::QuasiLiveness, Global::Liveness];

/// How many were decided at once, and by parts; of each property those that hold and those that fail.
#[derive(Debug, Default)]
struct Tally {
    at_once: [[usize; 2]; 4],
    by_parts: [usize; 4],
    open: usize,
    runs: usize,
}

fn is_constant(query: &Query) -> bool {
    matches!(query, Query::Invariant(Formula::Constant(_)))
}

/// The answer that the reference checker's answers to the parts make.
fn by_parts(problem: &Problem) -> (Outcome, bool) {
    let mut reduced = Divide.apply(problem, &Budget::unlimited()).expect("no limits").expect("it has parts");
    let Problem { model, queries } = &reduced.problem;
    let at_once = matches!(&queries[..], [one] if is_constant(one));
    let mut whole = Outcome::unknown(StopReason::NoEngine);
    let parts = match &queries[..] {
        [Query::Invariant(Formula::Constant(value))] => {
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

impl Tally {
    /// An infinite net may be decided by its structure where the reference checker does not come to an end.
    fn compare(&mut self, net: Net, seed: u64) {
        let model = Arc::new(Model::Plain(net));
        for (kind, global) in ASKED.into_iter().enumerate() {
            let query = Query::Global(global);
            let problem = Problem { model: model.clone(), queries: vec![query.clone()] };
            let expected =
                &fireset_oracle::outcomes(&model, &problem.queries, MAX_STATES, &Budget::unlimited())[0];
            let (given, at_once) = by_parts(&problem);
            if let Some(evidence) = &given.evidence {
                replay::confirm(&model, &query, &given.verdict, evidence).expect("the run shows it");
                self.runs += 1;
            }
            assert!(global != Global::OneSafe || given.verdict != Verdict::Fails || given.evidence.is_some());
            if matches!(expected.verdict, Verdict::Unknown(_)) {
                continue;
            }
            if matches!(given.verdict, Verdict::Unknown(_)) {
                self.open += 1;
                continue;
            }
            assert_eq!(given.verdict, expected.verdict, "seed {seed}: {global:?} on {model:?}");
            if at_once {
                self.at_once[kind][usize::from(given.verdict == Verdict::Holds)] += 1;
            } else {
                self.by_parts[kind] += 1;
            }
        }
    }
}

#[test]
fn parts_decide_the_whole() {
    let mut tally = Tally::default();
    let shape = NetShape { inhibitors: 20, tokens: 2, ..NetShape::default() };
    for seed in 0..1_000 {
        let mut random = TestRng::new(seed);
        let net =
            if seed % 2 == 0 { random::net(&mut random, &shape) } else { random::grown(&mut random, 25) };
        tally.compare(net, seed);
    }
    let Tally { at_once, by_parts, open, runs } = &tally;
    assert!(at_once.iter().all(|both| both[0] > 100), "{tally:?}");
    assert!(at_once.iter().take(3).all(|both| both[1] > 100), "{tally:?}");
    assert!(by_parts.iter().sum::<usize>() > 40 && *open < 10 && *runs > 500, "{tally:?}");
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
        Tally::default().compare(tiny::net(text), 0);
    }
    let overflow = format!("p:{huge} q:1; t: q -> q, {huge}*p; u: {huge}*p -> {huge}*p");
    Tally::default().compare(tiny::net(&overflow), 0);
}

#[test]
fn many_parts_are_decided_together() {
    let count = 1_000;
    let mut text = (0..count).map(|at| format!("p{at}:{} ", u8::from(at == 0))).collect::<String>();
    (0..count).for_each(|at| text += &format!("; t{at}: p{at} -> p{}", (at + 1) % count));
    let model = Arc::new(Model::Plain(tiny::net(&text)));
    for global in ASKED {
        let problem = Problem { model: model.clone(), queries: vec![Query::Global(global)] };
        let reduced = Divide.apply(&problem, &Budget::unlimited()).unwrap().expect("it has parts");
        let parts = &reduced.problem.queries;
        if global == Global::OneSafe {
            // That takes an invariant, which a limit may keep from being found.
            assert!(parts.len() <= 64, "{} parts", parts.len());
        } else {
            let expected = Query::Invariant(Formula::Constant(global != Global::StableMarking));
            assert_eq!(*parts, [expected], "{global:?}");
        }
    }
}
