//! Soundness against its definitions on the reachability graph, for random workflow nets of which many are broken.

use std::collections::HashMap;

use fireset::{
    Budget, Evidence, Options, Query, Verdict,
    io::{Source, net_file},
    net::{
        Comparison, Expr, Formula, Logic, Marking, Model, Net, NetBuilder, PlaceId, Semantics, StateAtom,
        StatePredicate, TransitionId, replay,
    },
    soundness::{SoundnessNotion, SoundnessReport, Workflow, soundness},
};
use fireset_oracle::random::TestRng;

use crate::workflow_nets::workflow;

const MAX_STATES: usize = 300;

/// The reachable markings and the firings between them, if there are few.
struct Graph {
    markings: Vec<Marking>,
    edges: Vec<(usize, TransitionId, usize)>,
}

impl Graph {
    fn of(net: &Net) -> Option<Self> {
        let (mut markings, mut edges) = (vec![net.initial_marking().clone()], Vec::new());
        let mut numbers = HashMap::from([(markings[0].clone(), 0)]);
        let mut at = 0;
        while at < markings.len() {
            for step in net.steps(&markings[at].clone()) {
                let next = net.fire(&markings[at], &step).ok()?;
                let count = markings.len();
                let number = *numbers.entry(next.clone()).or_insert(count);
                if number == count {
                    markings.push(next);
                }
                edges.push((at, step.transition, number));
            }
            at += 1;
            if markings.len() > MAX_STATES {
                return None;
            }
        }
        Some(Self { markings, edges })
    }

    /// The markings from which one of these can be reached.
    fn leading_to(&self, goal: &dyn Fn(&Marking) -> bool) -> Vec<bool> {
        let mut leads: Vec<bool> = self.markings.iter().map(goal).collect();
        loop {
            let before = leads.iter().filter(|&&l| l).count();
            self.edges.iter().for_each(|&(from, _, to)| leads[from] |= leads[to]);
            if leads.iter().filter(|&&l| l).count() == before {
                return leads;
            }
        }
    }
}

/// The parts of soundness by their definitions: option to complete, proper completion, no dead activity, relaxed, easy.
fn defined(net: &Net, graph: &Graph) -> [bool; 5] {
    let is_final = |m: &Marking| m.0.iter().enumerate().all(|(p, &n)| n == u64::from(p == 1));
    let leads = graph.leading_to(&is_final);
    let ts = || net.nodes().transition_ids();
    [
        leads.iter().all(|&leads| leads),
        graph.markings.iter().all(|m| m.0[1] == 0 || is_final(m)),
        ts().all(|t| graph.edges.iter().any(|edge| edge.1 == t)),
        ts().all(|t| graph.edges.iter().any(|&(_, fired, to)| fired == t && leads[to])),
        leads[0],
    ]
}

/// The same query as the part of the report, made here from the definition.
fn queries(net: &Net) -> [Query; 2] {
    let compare = |p: PlaceId, how, n| {
        StatePredicate::from(StateAtom::Compare(how, Expr::Tokens(vec![p]), Expr::Constant(n)))
    };
    let ends = StatePredicate::And(
        net.nodes().place_ids().map(|p| compare(p, Comparison::Equal, i64::from(p.index() == 1))).collect(),
    );
    let covers = compare(PlaceId::new(1), Comparison::GreaterEqual, 1);
    let option = Formula::from(&ends).possible().invariant();
    [
        Query::classify(&option, Logic::Ctl).unwrap(),
        Query::Invariant(StatePredicate::Or(vec![covers.negate(), ends])),
    ]
}

fn replayed(net: &Net, report: &SoundnessReport) -> usize {
    let parts = [&report.option_to_complete, &report.proper_completion];
    let model = Model::Plain(net.clone());
    let mut count = 0;
    for (part, query) in parts.into_iter().zip(queries(net)) {
        if let Some(evidence) = &part.evidence {
            replay::confirm(&model, &query, &part.verdict, evidence).expect("it replays");
            count += 1;
        }
    }
    count
}

fn asked(net: &Net) -> Option<(Workflow, SoundnessReport)> {
    let mut text = Vec::new();
    fireset::io::pnml::write(&Model::Plain(net.clone()), &mut text).ok()?;
    let file = net_file::read_net(&Source::memory("net.pnml", text), Default::default()).ok()?;
    let workflow = Workflow::of(&file).ok()?;
    let options = Options { threads: 1, ..Options::default() };
    let budget = Budget::unlimited().with_timeout(std::time::Duration::from_secs(20));
    let report = soundness(&workflow, &options, &budget);
    Some((workflow, report))
}

#[test]
fn random_workflow_nets() {
    let (mut compared, mut both, mut runs, mut unbounded) = (0, [[0usize; 2]; 5], 0, 0);
    for seed in 0..1_000 {
        let net = workflow(&mut TestRng::new(seed));
        let Some((workflow, report)) = asked(&net) else { continue };
        let Model::Plain(net) = workflow.model() else { panic!("a place/transition net") };
        let Some(graph) = Graph::of(net) else {
            // Unbounded, or large; a sound net of this size is neither.
            unbounded += usize::from(report.unbounded.is_some());
            assert_ne!(report.verdict(SoundnessNotion::Sound), Verdict::Holds, "seed {seed}");
            continue;
        };
        let expected = defined(net, &graph);
        let given = [
            &report.option_to_complete,
            &report.proper_completion,
            &report.no_dead_activity,
            &report.relaxed,
            &report.easy,
        ];
        for (at, (given, expected)) in given.into_iter().zip(expected).enumerate() {
            assert_eq!(
                given.verdict,
                expected.into(),
                "seed {seed}, part {at}: {}",
                fireset_oracle::tiny::text(net)
            );
            assert!(expected || given.sentence.is_some() || at == 3, "seed {seed}, part {at}");
            both[at][usize::from(expected)] += 1;
        }
        let sound = expected[0] && expected[1] && expected[2];
        assert_eq!(report.verdict(SoundnessNotion::Sound), sound.into(), "seed {seed}");
        assert_eq!(
            report.verdict(SoundnessNotion::WeakSound),
            (expected[0] && expected[1]).into(),
            "seed {seed}"
        );
        assert!(report.unbounded.is_none(), "seed {seed}: it is bounded");
        let dead: Vec<TransitionId> =
            net.nodes().transition_ids().filter(|t| !graph.edges.iter().any(|edge| edge.1 == *t)).collect();
        assert_eq!(report.no_dead_activity.culprits, dead, "seed {seed}");
        runs += replayed(net, &report);
        compared += 1;
    }
    assert!(compared > 500 && runs > 150 && unbounded > 20, "{compared} {runs} {unbounded}");
    assert!(both.iter().all(|part| part[0] > 15 && part[1] > 100), "{both:?}");
}

/// What a file says: unsound in one sentence.
#[test]
fn sentences_name_activities() {
    let mut builder = NetBuilder::new("order");
    let [start, paid, shipped, end] =
        ["start", "paid", "shipped", "end"].map(|p| builder.place(p, u64::from(p == "start")).unwrap());
    let [pay, ship, close] = ["pay", "ship", "close"].map(|t| builder.transition(t).unwrap());
    builder.input(start, pay, 1);
    builder.output(pay, paid, 1);
    builder.input(start, ship, 1);
    builder.output(ship, shipped, 1);
    builder.input(paid, close, 1);
    builder.input(shipped, close, 1);
    builder.output(close, end, 1);
    let (_, report) = asked(&builder.build().unwrap()).expect("a workflow net");
    let sentence = report.option_to_complete.sentence.expect("it fails");
    assert!(
        sentence.contains("nothing can happen any more") && sentence.contains("`close` waits for"),
        "{sentence}"
    );
    assert_eq!(report.no_dead_activity.sentence.as_deref(), Some("`close` can never happen"));
    assert!(matches!(
        report.option_to_complete.evidence,
        Some(Evidence::Trace(_) | Evidence::Branching(_)) | None
    ));
}

#[test]
fn other_nets_are_refused_with_a_reason() {
    for (text, reason) in [
        ("p:1 q r; t: p -> q; u: p -> r", "2 sink places"),
        ("p:1 q; t: p -> q; u: q -> p", "no source place"),
        ("p:1 q s; t: p -> q; u: s -> s", "on no path"),
    ] {
        let net = fireset_oracle::tiny::net(text);
        let mut written = Vec::new();
        fireset::io::pnml::write(&Model::Plain(net), &mut written).unwrap();
        let file = net_file::read_net(&Source::memory("net.pnml", written), Default::default()).unwrap();
        let refused = Workflow::of(&file).unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
}
