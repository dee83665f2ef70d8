//! Tables of runs against the markings of the runs, on random nets and random runs that branch.

use fireset::{
    Budget, Evidence, Model, Verdict,
    net::{
        Branch, Branching, Formula, Lasso, Logic, Marking, PlaceId, Property, Semantics, Step, Trace,
        TransitionId,
        replay::{self, Refusal},
    },
    run_table::{RunColumn, RunEnd, RunTable, RunValue, TabledRun, turning_point},
};
use fireset_oracle::{
    decide, query,
    random::{self, NetShape, TestRng},
    tiny,
};

/// How many tables of each kind were compared.
#[derive(Debug, Default)]
struct TableCounts {
    rows: usize,
    changes: usize,
    deadlocks: usize,
    cycles: usize,
    truths: [usize; 2],
}

/// A run from some marking, with the markings along it; it ends early in a deadlock.
fn run<S: Semantics>(random: &mut TestRng, net: &S, from: S::State) -> (Vec<Step>, Vec<S::State>) {
    let (mut steps, mut states) = (Vec::new(), vec![from]);
    for _ in 0..random.below(8) {
        let now = states.last().expect("it begins somewhere");
        let enabled = net.steps(now);
        if enabled.is_empty() {
            break;
        }
        let step = random.pick(&enabled).clone();
        let Ok(next) = net.fire(now, &step) else { break };
        steps.push(step);
        states.push(next);
    }
    (steps, states)
}

impl TableCounts {
    fn compare_run<S: Semantics>(
        &mut self,
        net: &S,
        columns: &[RunColumn],
        table: &TabledRun,
        states: &[S::State],
    ) {
        assert_eq!(table.rows.len() + 1, states.len());
        let values = |state: &S::State| {
            let value = |column: &RunColumn| match column {
                RunColumn::Atom(atom) => RunValue::Truth(replay::holds_in(net, state, atom)),
                RunColumn::Tokens(places) => {
                    RunValue::Count(places.iter().map(|&place| net.tokens(state, place).total).sum())
                }
            };
            columns.iter().map(value).collect::<Vec<_>>()
        };
        assert_eq!(table.values, values(&states[0]));
        let places = || net.as_ref().place_ids();
        let marked = places().filter(|&place| net.tokens(&states[0], place).total > 0).count();
        assert_eq!(table.marking.len(), marked);
        for (row, pair) in table.rows.iter().zip(states.windows(2)) {
            assert_eq!(row.values, values(&pair[1]));
            let differs = |place: &PlaceId| net.tokens(&pair[0], *place) != net.tokens(&pair[1], *place);
            let changed = places().filter(differs).count();
            // Tokens of other colours may come in the place of those that go.
            assert!(row.changes.len() >= changed, "{:?}", row.changes);
            self.rows += 1;
            self.changes += row.changes.len();
            for value in &row.values {
                if let RunValue::Truth(truth) = value {
                    self.truths[usize::from(*truth)] += 1;
                }
            }
        }
        let (last, before) = states.split_last().expect("a run has a marking");
        match &table.end {
            RunEnd::BackTo(steps) => {
                assert!(states[*steps] == *last);
                self.cycles += 1;
            }
            RunEnd::Deadlock(blocked) => {
                assert!(net.steps(last).is_empty() && blocked.len() == net.as_ref().transitions.len());
                self.deadlocks += 1;
            }
            RunEnd::Open => assert!(!net.steps(last).is_empty() && !before.contains(last)),
        }
    }

    fn compare<S: Semantics>(&mut self, random: &mut TestRng, net: &S, model: &Model) {
        let property = random::property(random, model.nodes(), "p", 3);
        let (steps, states) = run(random, net, net.initial());
        let table =
            |evidence: &Evidence| RunTable::new(model, &property, evidence).expect("a run of the net");
        let trace = table(&Evidence::Trace(Trace(steps.clone())));
        self.compare_run(net, &trace.columns, &trace.runs[0], &states);
        let from = random.below(states.len());
        let (more, others) = run(random, net, states[from].clone());
        let runs = vec![Branch { from: 0, steps: steps.clone() }, Branch { from, steps: more }];
        let branching = table(&Evidence::Branching(Branching { runs, claims: Vec::new() }));
        self.compare_run(net, &branching.columns, &branching.runs[0], &states);
        self.compare_run(net, &branching.columns, &branching.runs[1], &others);
        assert_eq!(branching.runs[1].from, from);
        let last = states.last().expect("a run has a marking");
        if let Some(back_to) = states[..states.len() - 1].iter().position(|state| state == last) {
            let (prefix, cycle) = (steps[..back_to].to_vec(), steps[back_to..].to_vec());
            let lasso = table(&Evidence::Lasso(Lasso { prefix, cycle }));
            assert_eq!(lasso.runs[0].end, RunEnd::BackTo(back_to));
            self.compare_run(net, &lasso.columns, &lasso.runs[0], &states);
        }
    }
}

#[test]
fn rows_are_the_markings_of_the_run() {
    let mut counts = TableCounts::default();
    for seed in 0..2_000 {
        let random = &mut TestRng::new(seed);
        let inhibitors = if random.percent(30) { 30 } else { 0 };
        if seed % 3 == 0 {
            let net = random::coloured(random, inhibitors);
            counts.compare(random, &net.clone(), &Model::Coloured(net));
        } else {
            let net = random::net(random, &NetShape { inhibitors, ..NetShape::default() });
            counts.compare(random, &net.clone(), &Model::Plain(net));
        }
    }
    assert!(counts.rows > 5_000 && counts.changes > 5_000, "{counts:?}");
    assert!(counts.deadlocks > 500 && counts.cycles > 500, "{counts:?}");
    assert!(counts.truths.iter().all(|&count| count > 2_000), "{counts:?}");
}

/// A place is in the way of a transition exactly when more or fewer tokens on it alone would be needed.
#[test]
fn places_that_block_a_transition_are_told() {
    let net = tiny::net("p:1 q:3 r; t: 2*p, q -> r; u: p, 2*!q -> r; v: r -> p");
    let model = Model::Plain(net);
    let property = Property { name: "p".into(), formula: Formula::Deadlock.possible(), logic: Logic::Ctl };
    let table = RunTable::new(&model, &property, &Evidence::Trace(Trace::default())).expect("a run");
    let RunEnd::Deadlock(blocked) = &table.runs[0].end else { panic!("{table:?}") };
    let shown: Vec<_> = blocked.iter().map(|transition| format!("{transition:?}")).collect();
    assert_eq!(
        shown,
        [
            "BlockedTransition { transition: TransitionId(0), places: [Lacks { place: PlaceId(0), needs: 2, has: 1 }] }",
            "BlockedTransition { transition: TransitionId(1), places: [Inhibits { place: PlaceId(1), limit: 2, has: 3 }] }",
            "BlockedTransition { transition: TransitionId(2), places: [Lacks { place: PlaceId(2), needs: 1, has: 0 }] }",
        ]
    );
}

#[test]
fn a_run_that_does_not_fit_is_refused() {
    let model = Model::Plain(tiny::net("p:1 q; t: p -> q"));
    let property = Property { name: "p".into(), formula: Formula::Deadlock.possible(), logic: Logic::Ctl };
    let table = |evidence: Evidence| RunTable::new(&model, &property, &evidence);
    let step = |at| Step::plain(TransitionId::new(at));
    let twice = table(Evidence::Trace(Trace(vec![step(0), step(0)])));
    assert!(matches!(twice, Err(Refusal::Step { at: 1, .. })), "{twice:?}");
    let unknown = table(Evidence::Trace(Trace(vec![step(7)])));
    assert_eq!(unknown, Err(Refusal::NoTransition { at: 0 }));
    let runs = vec![Branch { from: 2, steps: vec![step(0)] }];
    let nowhere = table(Evidence::Branching(Branching { runs, claims: Vec::new() }));
    assert_eq!(nowhere, Err(Refusal::NoState { state: 2 }));
}

/// The turning point is the first marking from which every run comes to the goal.
#[test]
fn goals_cannot_be_avoided_from_the_turning_point_on() {
    let (mut at_start, mut within, mut at_end) = (0, 0, 0);
    for seed in 0..600 {
        let random = &mut TestRng::new(seed);
        let net = random::net(random, &NetShape { places: 4, transitions: 4, ..NetShape::default() });
        let model = Model::Plain(net.clone());
        let goal: Formula = match random.percent(50) {
            true => Formula::Deadlock,
            false => Formula::from(&random::predicate(random, model.nodes(), 2)),
        };
        let property = Property { name: "p".into(), formula: goal.clone().possible(), logic: Logic::Ctl };
        let mut found = None;
        decide(&model, &[query::reachable(goal.clone())], 200, &Budget::unlimited(), &mut |_, outcome| {
            found = outcome.evidence;
        });
        let Some(evidence @ Evidence::Trace(_)) = found else { continue };
        let Evidence::Trace(trace) = &evidence else { continue };
        let finally = Formula::ForAll(Box::new(Formula::Finally(Box::new(goal))));
        let unavoidable = |state: &Marking| {
            let net = Model::Plain(net.with_initial_marking(state.clone()));
            let mut verdict = None;
            decide(&net, &[query::ctl(finally.clone())], 2_000, &Budget::unlimited(), &mut |_, outcome| {
                verdict = Some(outcome.verdict);
            });
            match verdict {
                Some(Verdict::Holds) => Some(true),
                Some(Verdict::Fails) => Some(false),
                _ => None,
            }
        };
        let states = replay::states(&net, &trace.0).expect("a run of the net");
        let Some(expected) = states.iter().map(unavoidable).collect::<Option<Vec<_>>>() else { continue };
        let expected = expected.iter().position(|&holds| holds);
        let point = turning_point(&model, &property, &evidence, &Budget::unlimited());
        assert_eq!(point, expected, "seed {seed}, {property:?}");
        match point {
            Some(0) => at_start += 1,
            Some(at) if at == trace.0.len() => at_end += 1,
            _ => within += 1,
        }
    }
    assert!(at_start > 100 && within > 20 && at_end > 20, "{at_start} {within} {at_end}");
}
