//! Soundness as queries against the oracle's definitions: on workflow nets, and on random nets with final markings.

use std::time::Duration;

use fireset::{
    Budget, Culprit, Options, Problem, Query, StopReason, Switch, Verdict, check,
    net::{Formula, Logic, Marking, Model, NamedProperty, Net, SoundnessNotion, WorkflowEnds, WorkflowNet},
};
use fireset_net::{Outcome, PlaceId, TransitionId};
use fireset_oracle::{
    OracleCounts, OracleTest, against_oracle,
    random::{self, NetShape, TestRng},
};

use crate::{common, workflow_nets};

const MAX_STATES: usize = 300;

fn queries(ends: &WorkflowEnds) -> Vec<Query> {
    let query = |notion| {
        let property = Formula::Named(NamedProperty::Sound(notion, ends.clone()));
        Query::classify(&property, Logic::Ctl).unwrap()
    };
    SoundnessNotion::ALL.map(query).into()
}

/// One or two final markings with few tokens, seldom none; the tokens of some place may not count. They are near to markings that a few
/// random firings reach.
fn some_ends(random: &mut TestRng, net: &Net) -> WorkflowEnds {
    let ps: Vec<PlaceId> = net.nodes().place_ids().collect();
    let ts: Vec<TransitionId> = net.nodes().transition_ids().collect();
    let end = |random: &mut TestRng| {
        let mut marking = net.initial_marking().clone();
        for _ in 0..random.below(12) {
            if let (false, Ok(next)) =
                (ts.is_empty(), net.fire_transition(&marking, ts[random.below(ts.len())]))
            {
                marking = next;
            }
        }
        match random.below(8) {
            0 => Marking(vec![0; ps.len()].into()),
            1 if !ps.is_empty() => {
                marking.0[random.below(ps.len())] = random.within(0, 1);
                marking
            }
            _ => marking,
        }
    };
    let mut finals = vec![end(random)];
    if random.percent(30) {
        finals.push(end(random));
    }
    let ignored = if random.percent(20) && !ps.is_empty() { vec![*random.pick(&ps)] } else { Vec::new() };
    WorkflowEnds { finals, ignored }
}

fn compare(
    seeds: std::ops::Range<u64>,
    model: &dyn Fn(&mut TestRng, u64) -> Model,
    ends: &dyn Fn(&mut TestRng, &Net) -> WorkflowEnds,
) -> OracleCounts {
    let options = Options { threads: 1, ..Options::default() }
        .with_portfolio(|portfolio| portfolio.certificates = Switch::Off);
    let test = OracleTest {
        seeds,
        model,
        queries: &|random, model| match model {
            Model::Plain(net) => queries(&ends(random, net)),
            Model::Coloured(_) => unreachable!("plain nets are drawn"),
        },
        max_states: MAX_STATES,
        configurations: &|case| match case.is_finite() {
            true => vec![Duration::from_secs(60)],
            false if case.seed % 16 == 0 => vec![Duration::from_millis(100)],
            false => vec![],
        },
        may_stop: &|case, reason| {
            !case.is_finite() && !matches!(reason, StopReason::Fault(_) | StopReason::NoEngine)
        },
        budget: &|time| Budget::unlimited().with_timeout(*time),
    };
    let ask = |_: &Duration, problem: &Problem, budget: &Budget, report: &mut dyn FnMut(usize, Outcome)| {
        common::ask(&options, problem, budget, report);
    };
    against_oracle(&test, ask, |_, _, _| {})
}

fn both_verdicts(counts: &OracleCounts, least: usize) {
    for kind in ["sound", "weak-sound", "relaxed-sound"] {
        let kind_counts = counts.kind(kind);
        assert!(kind_counts.holds >= least && kind_counts.fails >= least, "{kind}: {counts:?}");
    }
}

#[test]
fn workflow_nets() {
    let counts = compare(0..2_500, &|random, _| Model::Plain(workflow_nets::workflow(random)), &|_, net| {
        // A net that is none ends in its second place all the same.
        let sink = WorkflowNet::of(net).map_or(PlaceId::new(1), |ends| ends.sink);
        let end = net.nodes().place_ids().map(|p| u64::from(p == sink)).collect();
        WorkflowEnds { finals: vec![Marking(end)], ignored: Vec::new() }
    });
    both_verdicts(&counts, 300);
    assert!(counts.with_evidence > 500, "{counts:?}");
}

#[test]
fn any_nets_with_final_markings() {
    let shape = NetShape { inhibitors: 15, tokens: 2, ..NetShape::default() };
    let counts = compare(
        0..700,
        &|random, seed| {
            let net = random::structured(random, seed);
            Model::Plain(net.unwrap_or_else(|| random::net(random, &shape)))
        },
        &some_ends,
    );
    both_verdicts(&counts, 20);
    assert!(counts.with_evidence > 500, "{counts:?}");
}

/// The transitions that are on no run to the end, and those that never fire.
#[test]
fn culprits_are_named() {
    let net = fireset_oracle::tiny::net("i:1 o p q; t: i -> o; u: i -> p; v: p, q -> o");
    let end = Marking([0, 1, 0, 0].into());
    let queries = queries(&WorkflowEnds { finals: vec![end], ignored: Vec::new() });
    let problem = Problem { model: Model::Plain(net).into(), queries };
    let report = check(&problem, &Options::default(), &Budget::unlimited(), &mut ());
    let verdicts: Vec<Verdict> = report.outcomes.iter().map(|outcome| outcome.verdict.clone()).collect();
    assert_eq!(verdicts, [false, false, false, true].map(Verdict::from));
    let named = |at: usize| report.culprits[at].as_ref().map(|culprits| culprits.nodes.clone());
    let transition = |t| Culprit::Transition(TransitionId::new(t));
    assert_eq!(named(0), Some(vec![transition(2)]));
    assert_eq!(named(1), None);
    assert_eq!(named(2), Some(vec![transition(1), transition(2)]));
}
