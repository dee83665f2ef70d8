//! Runs that branch, replayed: what they show is what the reference checker says, whatever the runs are.

use std::collections::HashSet;

use fireset_net::{
    Branch, Branching, Budget, Claim, CtlFormula, Evidence, Formula, Lasso, Marking, Model, Net, Query,
    Semantics, Verdict,
    replay::{self, ExplainedEnd, Explanation, ExplanationReason, Refusal},
};
use fireset_oracle::{
    query,
    random::{self, NetShape, TestRng},
    tiny,
};

const MAX_STATES: usize = 60;

/// Some random runs, each from a state of those before it.
fn some_runs(random: &mut TestRng, net: &Net, runs: usize) -> Branching {
    let mut states = vec![net.initial()];
    let mut branching = Branching::default();
    for _ in 0..runs {
        let from = random.below(states.len());
        let (mut now, mut steps) = (states[from].clone(), Vec::new());
        for _ in 0..random.below(6) {
            let enabled = net.steps(&now);
            if enabled.is_empty() {
                break;
            }
            let step = random.pick(&enabled).clone();
            now = net.fire(&now, &step).unwrap();
            states.push(now.clone());
            steps.push(step);
        }
        branching.runs.push(Branch { from, steps });
    }
    branching
}

/// One step for each edge of the reachability graph.
fn all_runs(net: &Net) -> Branching {
    let mut states = vec![net.initial()];
    let mut seen = HashSet::new();
    let (mut branching, mut at) = (Branching::default(), 0);
    while at < states.len() {
        let new = seen.insert(states[at].clone());
        for step in if new { net.steps(&states[at]) } else { Vec::new() } {
            states.push(net.fire(&states[at], &step).unwrap());
            branching.runs.push(Branch { from: at, steps: vec![step] });
        }
        at += 1;
    }
    branching
}

/// Nets with few states, a CTL formula and its value.
fn cases(nets: u64) -> impl Iterator<Item = (TestRng, Model, CtlFormula, bool)> {
    (0..nets).flat_map(|seed| {
        let mut random = TestRng::new(seed);
        let net = random::net(&mut random, &NetShape::default());
        let model = Model::Plain(net);
        let formulas: Vec<CtlFormula> =
            (1..=4).map(|depth| random::ctl(&mut random, model.nodes(), depth)).collect();
        let queries: Vec<Query> = formulas.iter().cloned().map(query::ctl).collect();
        let outcomes = fireset_oracle::outcomes(&model, &queries, MAX_STATES, &Budget::unlimited());
        let mut found = Vec::new();
        for (formula, outcome) in formulas.into_iter().zip(outcomes) {
            // What speaks of the initial marking alone is decided where there are too many states to list.
            if matches!(outcome.verdict, Verdict::Unknown(_)) || formula.as_state().is_some() {
                continue;
            }
            let holds = outcome.verdict == Verdict::Holds;
            found.push((TestRng::new(random.bits()), model.clone(), formula, holds));
        }
        found
    })
}

fn confirm(model: &Model, formula: &CtlFormula, holds: bool, branching: &Branching) -> Result<(), Refusal> {
    let evidence = Evidence::Branching(branching.clone());
    replay::confirm(model, &Query::Ctl(formula.clone()), &holds.into(), &evidence)
}

#[test]
fn no_runs_show_what_is_not_so() {
    let mut shown = [0; 2];
    for (mut random, model, formula, holds) in cases(1500) {
        let Model::Plain(net) = &model else { unreachable!() };
        let branching = some_runs(&mut random, net, 4);
        assert!(confirm(&model, &formula, !holds, &branching).is_err(), "{formula:?} on {model:?}");
        shown[usize::from(holds)] += usize::from(confirm(&model, &formula, holds, &branching).is_ok());
    }
    assert!(shown.iter().all(|&shown| shown > 300), "{shown:?}");
}

/// Nets with few states, a formula of CTL* and its value.
fn star_cases(nets: u64) -> impl Iterator<Item = (TestRng, Model, Query, bool)> {
    (0..nets).flat_map(|seed| {
        let mut random = TestRng::new(seed);
        let model = Model::Plain(random::net(&mut random, &NetShape::default()));
        let draw = |_| Query::CtlStar(random::ctl_star(&mut random, model.nodes(), 3, 4));
        let queries: Vec<Query> = (0..4).map(draw).collect();
        let outcomes = fireset_oracle::outcomes(&model, &queries, MAX_STATES, &Budget::unlimited());
        let known =
            queries.into_iter().zip(outcomes).filter(|(_, o)| !matches!(o.verdict, Verdict::Unknown(_)));
        let cases = known.map(|(query, outcome)| {
            (TestRng::new(random.bits()), model.clone(), query, outcome.verdict == Verdict::Holds)
        });
        cases.collect::<Vec<_>>()
    })
}

/// Runs of which most do not come back, and lassos of random prefixes and cycles.
#[test]
fn no_runs_show_of_ctl_star_what_is_not_so() {
    let (mut shown, mut by_lasso) = ([0; 2], [0; 2]);
    for (mut random, model, query, holds) in star_cases(1500) {
        let Model::Plain(net) = &model else { unreachable!() };
        let branching = some_runs(&mut random, net, 4);
        let longest = branching.runs.iter().filter(|run| run.from == 0).max_by_key(|run| run.steps.len());
        let steps = longest.map_or_else(Vec::new, |run| run.steps.clone());
        for at in 0..=steps.len() {
            let (prefix, cycle) = (steps[..at].to_vec(), steps[at..].to_vec());
            let lasso = Evidence::Lasso(Lasso { prefix, cycle });
            let replayed = |holds: bool| replay::confirm(&model, &query, &holds.into(), &lasso);
            assert!(replayed(!holds).is_err(), "{query:?} on {model:?}");
            by_lasso[usize::from(holds)] += usize::from(replayed(holds).is_ok());
        }
        let evidence = Evidence::Branching(branching);
        let replayed = |holds: bool| replay::confirm(&model, &query, &holds.into(), &evidence);
        assert!(replayed(!holds).is_err(), "{query:?} on {model:?}");
        shown[usize::from(holds)] += usize::from(replayed(holds).is_ok());
    }
    assert!(shown.iter().chain(&by_lasso).all(|&shown| shown > 200), "{shown:?} {by_lasso:?}");
}

#[test]
fn together_they_show_what_each_shows() {
    let mut shown = 0;
    for (mut random, model, formula, holds) in cases(500) {
        let Model::Plain(net) = &model else { unreachable!() };
        let (one, other) = (some_runs(&mut random, net, 3), some_runs(&mut random, net, 3));
        let both = one.clone().and(other.clone());
        for part in [one, other] {
            if confirm(&model, &formula, holds, &part).is_ok() {
                assert_eq!(confirm(&model, &formula, holds, &both), Ok(()), "{formula:?} on {model:?}");
                shown += 1;
            }
        }
    }
    assert!(shown > 300, "{shown}");
}

#[test]
fn all_runs_show_everything() {
    for (_, model, formula, holds) in cases(400) {
        let Model::Plain(net) = &model else { unreachable!() };
        let branching = all_runs(net);
        assert_eq!(confirm(&model, &formula, holds, &branching), Ok(()), "{formula:?} on {model:?}");
        assert!(confirm(&model, &formula, !holds, &branching).is_err());
    }
}

#[test]
fn claims_are_taken_but_not_for_the_verdict_itself() {
    let model = Model::Plain(tiny::net("p:1 q r; t: p -> q; u: p -> r; v: q -> q"));
    let Model::Plain(net) = &model else { unreachable!() };
    let steps = net.steps(&net.initial());
    let never = Formula::Deadlock.negate().invariant();
    let formula: CtlFormula = query::typed(never.clone().possible());
    let run = |at: usize| vec![Branch { from: 0, steps: vec![steps[at].clone()] }];
    let claim = |state, formula: &Formula, holds| Claim { state, formula: formula.clone(), holds };
    let with = |runs, claims| Branching { runs, claims };
    assert!(confirm(&model, &formula, true, &with(run(0), vec![])).is_err(), "the loop at q may not be all");
    assert_eq!(confirm(&model, &formula, true, &with(run(0), vec![claim(1, &never, true)])), Ok(()));
    let itself = with(vec![], vec![claim(0, &(&formula).into(), true)]);
    assert!(matches!(confirm(&model, &formula, true, &itself), Err(Refusal::ShowsNothing(_))));
    let false_claim = with(run(1), vec![claim(1, &never, true)]);
    assert_eq!(confirm(&model, &formula, true, &false_claim), Err(Refusal::Contradiction));
    let nowhere = with(run(0), vec![claim(2, &never, true)]);
    assert_eq!(confirm(&model, &formula, true, &nowhere), Err(Refusal::NoState { state: 2 }));
}

/// Whether `p` is empty after every step depends on one that makes a count leave 64 bits.
#[test]
fn steps_that_overflow_are_told() {
    let model = Model::Plain(tiny::net(&format!("p:1 q:{}; t: p -> ; u: p -> p, q", u64::MAX)));
    let Model::Plain(net) = &model else { unreachable!() };
    let fireable = Formula::Fireable(vec![fireset_net::TransitionId::new(0)]);
    let formula: CtlFormula =
        query::typed(Formula::ForAll(Box::new(Formula::Next(Box::new(fireable.negate())))));
    let steps = net.steps(&net.initial());
    let runs = vec![Branch { from: 0, steps: vec![steps[0].clone()] }];
    let refused = confirm(&model, &formula, true, &Branching { runs, claims: vec![] }).unwrap_err();
    assert_eq!(refused, Refusal::Overflow { step: steps[1].clone() });
    assert!(refused.is_overflow());
    let refused = confirm(
        &model,
        &formula,
        true,
        &Branching { runs: vec![Branch { from: 0, steps: vec![steps[1].clone()] }], claims: vec![] },
    );
    assert!(refused.unwrap_err().is_overflow());
}

/// How many nodes of explanations have which reason.
#[derive(Debug, Default)]
struct ReasonCounts {
    operands: usize,
    runs: usize,
    loops: usize,
    deadlocks: usize,
    all_steps: usize,
    all_runs: usize,
    claims: usize,
    omitted: usize,
}

/// The markings of some runs, by their numbers.
fn numbered(net: &Net, branching: &Branching) -> Vec<Marking> {
    let mut markings = vec![net.initial()];
    for run in &branching.runs {
        let mut now = markings[run.from].clone();
        for step in &run.steps {
            now = net.fire(&now, step).expect("a run of the net");
            markings.push(now.clone());
        }
    }
    markings
}

impl ReasonCounts {
    /// Each value is that of the reference checker, each run one of the net, and a reason suffices: replay accepts it as evidence where
    /// the operands are claimed to have the values that the tree gives them.
    fn check(&mut self, net: &Net, markings: &[Marking], node: &Explanation) {
        let at_node = net.with_initial_marking(markings[node.marking].clone());
        let model = Model::Plain(at_node.clone());
        let asked = [Query::Ctl(node.formula.clone())];
        let expected = &fireset_oracle::outcomes(&model, &asked, MAX_STATES, &Budget::unlimited())[0].verdict;
        assert!(
            matches!(expected, Verdict::Unknown(_)) || *expected == node.holds.into(),
            "{node:?} on {net:?}"
        );
        let claim = |state: usize, operand: &Explanation| {
            let (formula, holds) = (Formula::from(&operand.formula), operand.holds);
            Claim { state, formula, holds }
        };
        let (runs, claims, operands) = match &node.reason {
            ExplanationReason::Operands(operands) => {
                self.operands += 1;
                (vec![], operands.iter().map(|operand| claim(0, operand)).collect(), &operands[..])
            }
            ExplanationReason::Run { steps, end, operands } => {
                self.runs += 1;
                let mut now = at_node.initial();
                let mut path = vec![node.marking];
                for (step, number) in steps {
                    now = at_node.fire(&now, step).expect("a step of the net");
                    assert_eq!(now, markings[*number]);
                    path.push(*number);
                }
                match end {
                    ExplainedEnd::Open => {}
                    ExplainedEnd::BackTo(back_to) => {
                        assert!(*back_to < steps.len() && now == markings[path[*back_to]]);
                        self.loops += 1;
                    }
                    ExplainedEnd::Deadlock => {
                        assert!(at_node.steps(&now).is_empty());
                        self.deadlocks += 1;
                    }
                }
                let state = |number| path.iter().position(|&other| other == number).expect("on the run");
                let claims = operands.iter().map(|operand| claim(state(operand.marking), operand)).collect();
                let steps = steps.iter().map(|(step, _)| step.clone()).collect();
                (vec![Branch { from: 0, steps }], claims, &operands[..])
            }
            ExplanationReason::AllSteps(operands) => {
                self.all_steps += 1;
                let steps = at_node.steps(&at_node.initial());
                let mut claims = Vec::new();
                for (at, step) in steps.iter().enumerate() {
                    let next = at_node.fire(&at_node.initial(), step).expect("a step of the net");
                    let operand = operands.iter().find(|operand| markings[operand.marking] == next);
                    claims.push(claim(at + 1, operand.expect("each step is explained")));
                }
                let branch = |step| Branch { from: 0, steps: vec![step] };
                (steps.into_iter().map(branch).collect(), claims, &operands[..])
            }
            ExplanationReason::AllRuns(_) => return self.all_runs += 1,
            ExplanationReason::Claim => return self.claims += 1,
            ExplanationReason::Omitted => return self.omitted += 1,
            ExplanationReason::Marking => {
                assert!(node.formula.as_state().is_some());
                return;
            }
        };
        let branching = Branching { runs, claims };
        assert_eq!(confirm(&model, &node.formula, node.holds, &branching), Ok(()), "{node:?} on {net:?}");
        for operand in operands {
            self.check(net, markings, operand);
        }
    }
}

#[test]
fn each_reason_of_an_explanation_suffices() {
    let mut counts = ReasonCounts::default();
    for (mut random, model, formula, holds) in cases(1500) {
        let Model::Plain(net) = &model else { unreachable!() };
        let branching = if random.percent(50) { all_runs(net) } else { some_runs(&mut random, net, 6) };
        let depth = 1 + random.below(5);
        let explained = replay::explain(&model, &formula, &branching, depth).expect("runs of the net");
        let shown = confirm(&model, &formula, holds, &branching).is_ok();
        assert_eq!(explained.is_some(), shown, "{formula:?} on {model:?}");
        let Some(explanation) = explained else { continue };
        assert_eq!((explanation.holds, explanation.marking), (holds, 0));
        counts.check(net, &numbered(net, &branching), &explanation);
    }
    let ReasonCounts { operands, runs, loops, deadlocks, all_steps, all_runs, claims, omitted } = counts;
    let seen = [operands, runs, loops, deadlocks, all_steps, all_runs, omitted];
    assert!(claims == 0 && seen.iter().all(|&count| count > 100), "{seen:?}");
}
