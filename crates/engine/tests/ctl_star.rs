//! CTL* against the reference checker on random nets of both kinds, and against the engines for CTL and LTL where a formula is of
//! these, too. All evidence is replayed, and changed evidence is refused unless it shows the verdict as well.

mod common;

use std::ops::Range;

use common::{any_net, ask, outcomes};
use fireset_engine::{CtlAlgorithm, CtlEngine, CtlStarEngine, Engine, FiresetMode, LtlEngine};
use fireset_net::{
    BoolTree, Budget, CtlStarAtom, CtlStarFormula, Evidence, Formula, Lasso, Logic, Model, Outcome,
    PathFormula, Quantifier, Query, Semantics, StopReason, Temporal, Verdict,
    replay::{self, Refusal},
};
use fireset_oracle::{
    OracleCase, OracleCounts, OracleTest, against_oracle, query,
    random::{self, TestRng},
    tiny,
};

/// Markings of a net that the oracle may hold.
const MAX_STATES: usize = 100;
/// Bytes that the engine may hold.
const MEMORY: u64 = 1 << 21;

fn may_stop(case: &OracleCase, reason: &StopReason) -> bool {
    match reason {
        StopReason::Memory | StopReason::Formula(_) => true,
        reason => *reason == StopReason::Overflow && case.may_overflow(),
    }
}

fn compare(
    seeds: Range<u64>,
    model: &dyn Fn(&mut TestRng, u64) -> Model,
    inspect: &mut dyn FnMut(&Model, &CtlStarFormula, &Outcome),
) -> OracleCounts {
    let test = OracleTest {
        seeds,
        model,
        queries: &|random, model| {
            (0..6).map(|_| Query::CtlStar(random::ctl_star(random, model.nodes(), 4, 5))).collect()
        },
        max_states: MAX_STATES,
        configurations: &|case| {
            let best = CtlStarEngine::default();
            let all = [best, CtlStarEngine { fireset: FiresetMode::Full, threads: 2, ..best }];
            if case.is_finite() { vec![all[case.seed as usize % all.len()]] } else { Vec::new() }
        },
        may_stop: &may_stop,
        budget: &|_| Budget::unlimited().with_memory(MEMORY),
    };
    against_oracle(
        &test,
        |engine, problem, budget, report| ask(engine, problem, budget, report),
        |case, _, outcomes| {
            for (query, outcome) in case.problem.queries.iter().zip(outcomes) {
                let (Query::CtlStar(formula), Some(outcome)) = (query, outcome) else { unreachable!() };
                if !matches!(outcome.verdict, Verdict::Unknown(_)) {
                    inspect(&case.problem.model, formula, outcome);
                }
            }
        },
    )
}

/// Answers by verdict: those that fail, and those that hold.
#[derive(Debug, Default)]
struct ShownCounts {
    answers: [usize; 2],
    lassos: [usize; 2],
    branching: [usize; 2],
    /// Of those, the ones with claims.
    claims: [usize; 2],
    /// Answers that one run with state predicates as letters must show.
    by_one_run: [usize; 2],
    /// Changed lassos that are no runs of the net, runs that do not decide the formula, and runs that do.
    changed: [usize; 3],
}

impl ShownCounts {
    fn inspect(&mut self, model: &Model, formula: &CtlStarFormula, outcome: &Outcome) {
        let holds = outcome.verdict == Verdict::Holds;
        self.answers[usize::from(holds)] += 1;
        let by_one_run = shown_by_one_run(model, formula);
        if let Some(value) = by_one_run {
            assert_eq!(value, holds, "{formula:?}");
            self.by_one_run[usize::from(holds)] += 1;
        }
        let Some(evidence) = &outcome.evidence else {
            assert_eq!(by_one_run, None, "no evidence for {formula:?} on {model:?}");
            return;
        };
        assert!(by_one_run.is_none() || evidence.claims().is_empty(), "{formula:?} on {model:?}");
        let query = Query::CtlStar(formula.clone());
        let opposite = replay::confirm(model, &query, &Verdict::from(!holds), evidence);
        assert!(opposite.is_err(), "{formula:?} by {evidence:?} on {model:?}");
        match evidence {
            Evidence::Lasso(lasso) => {
                self.lassos[usize::from(holds)] += 1;
                self.change(model, formula, holds, lasso);
            }
            Evidence::Branching(_) => self.branching[usize::from(holds)] += 1,
            Evidence::Trace(_) | Evidence::Certificate(_) => panic!("{evidence:?}"),
        }
        self.claims[usize::from(holds)] += usize::from(!evidence.claims().is_empty());
    }

    /// Replays lassos without one of the steps: they must be refused unless the word of the run decides the formula.
    fn change(&mut self, model: &Model, formula: &CtlStarFormula, holds: bool, lasso: &Lasso) {
        let BoolTree::Atom(CtlStarAtom::Quantified(quantifier, path)) = formula else { return };
        let Ok(path) = PathFormula::try_from(&Formula::from(&**path)) else { return };
        if holds != (*quantifier == Quantifier::Exists) {
            return;
        }
        for at in 0..lasso.prefix.len() + lasso.cycle.len() {
            let mut changed = lasso.clone();
            match at.checked_sub(lasso.prefix.len()) {
                None => drop(changed.prefix.remove(at)),
                Some(at) => drop(changed.cycle.remove(at)),
            }
            let satisfied = match model {
                Model::Plain(net) => replay::lasso_satisfies(net, &changed, &path),
                Model::Coloured(net) => replay::lasso_satisfies(net, &changed, &path),
            };
            let query = Query::CtlStar(formula.clone());
            let replayed = replay::confirm(model, &query, &holds.into(), &Evidence::Lasso(changed));
            match &satisfied {
                Err(refusal) => assert_eq!(replayed.as_ref(), Err(refusal)),
                Ok(value) if *value == holds => assert_eq!(replayed, Ok(())),
                Ok(_) => assert!(matches!(replayed, Err(Refusal::ShowsNothing(_))), "{replayed:?}"),
            }
            self.changed[satisfied.map_or(0, |value| 1 + usize::from(value == holds))] += 1;
        }
    }

    fn assert_more_than(&self, count: usize) {
        let runs = [self.lassos, self.branching, self.by_one_run].into_iter().flatten();
        assert!(runs.chain(self.changed).all(|shown| shown > count), "{self:?}");
        // Where only claims would be left there is no evidence.
        for verdict in 0..2 {
            let shown = self.lassos[verdict] + self.branching[verdict];
            assert!((self.answers[verdict] / 3..self.answers[verdict]).contains(&shown), "{self:?}");
        }
    }
}

/// The value of a formula, if the initial marking and single runs with state predicates as letters determine it, as the engine for
/// LTL finds them.
fn shown_by_one_run(model: &Model, formula: &CtlStarFormula) -> Option<bool> {
    let sub = |f: &CtlStarFormula| shown_by_one_run(model, f);
    let any = |fs: &[CtlStarFormula], wanted: bool| {
        let values: Vec<Option<bool>> = fs.iter().map(sub).collect();
        let all = values.iter().all(|value| *value == Some(!wanted)).then_some(!wanted);
        if values.contains(&Some(wanted)) { Some(wanted) } else { all }
    };
    match formula {
        BoolTree::Constant(value) => Some(*value),
        BoolTree::Not(f) => sub(f).map(|value| !value),
        BoolTree::And(fs) => any(fs, false),
        BoolTree::Or(fs) => any(fs, true),
        BoolTree::Iff(sides) => sub(&sides.0).zip(sub(&sides.1)).map(|(f, g)| f == g),
        BoolTree::Atom(CtlStarAtom::State(predicate)) => Some(match model {
            Model::Plain(net) => replay::holds_in(net, &net.initial(), predicate),
            Model::Coloured(net) => replay::holds_in(net, &net.initial(), predicate),
        }),
        BoolTree::Atom(CtlStarAtom::Quantified(quantifier, path)) => {
            let path = PathFormula::try_from(&Formula::from(&**path)).ok()?;
            let query = Query::Ltl(*quantifier, path);
            let verdict = outcomes(&LtlEngine::default(), model, &[query], MEMORY).remove(0).verdict;
            let exists = *quantifier == Quantifier::Exists;
            (verdict == Verdict::from(exists)).then_some(exists)
        }
        BoolTree::Atom(CtlStarAtom::Temporal(_)) => unreachable!("the formula is about markings"),
    }
}

fn coloured_net(random: &mut TestRng, seed: u64) -> Model {
    Model::Coloured(random::coloured(random, if seed.is_multiple_of(3) { 30 } else { 0 }))
}

#[test]
fn random_nets_and_formulas() {
    let mut shown = ShownCounts::default();
    let counts =
        compare(0..1000, &any_net, &mut |model, formula, outcome| shown.inspect(model, formula, outcome));
    shown.assert_more_than(20);
    assert!(counts.kind("ctl-star").holds > 1000 && counts.kind("ctl-star").fails > 1000, "{counts:?}");
}

#[test]
fn random_coloured_nets_and_formulas() {
    let mut shown = ShownCounts::default();
    let counts =
        compare(0..300, &coloured_net, &mut |model, formula, outcome| shown.inspect(model, formula, outcome));
    shown.assert_more_than(3);
    assert!(counts.kind("ctl-star").holds > 300 && counts.kind("ctl-star").fails > 300, "{counts:?}");
}

/// Compares the verdicts on queries with those on the same formulas as CTL*.
fn compare_with(
    engine: &dyn Engine,
    seeds: Range<u64>,
    draw: &dyn Fn(&mut TestRng, &Model) -> Option<Query>,
) -> [usize; 2] {
    let mut compared = [0; 2];
    for seed in seeds {
        let mut random = TestRng::new(seed);
        let model = if seed % 5 == 0 { coloured_net(&mut random, seed) } else { any_net(&mut random, seed) };
        let queries: Vec<Query> = (0..8).filter_map(|_| draw(&mut random, &model)).collect();
        let star = |query: &Query| query::typed::<CtlStarFormula>(query.formula()).of_markings();
        let stars: Vec<Query> = queries.iter().map(|query| Query::CtlStar(star(query))).collect();
        let given = outcomes(engine, &model, &queries, MEMORY);
        let labelled = outcomes(&CtlStarEngine::default(), &model, &stars, MEMORY);
        for (query, (given, labelled)) in queries.iter().zip(given.iter().zip(&labelled)) {
            let (given, labelled) = (&given.verdict, &labelled.verdict);
            if !matches!(given, Verdict::Unknown(_)) && !matches!(labelled, Verdict::Unknown(_)) {
                assert_eq!(given, labelled, "seed {seed}: {query:?}");
                compared[usize::from(*given == Verdict::Holds)] += 1;
            }
        }
    }
    compared
}

#[test]
fn ltl_is_ctl_star() {
    let draw = |random: &mut TestRng, model: &Model| {
        let quantifier = *random.pick(&[Quantifier::ForAll, Quantifier::Exists]);
        Some(Query::Ltl(quantifier, random::nested_path(random, model.nodes(), 2)))
    };
    let compared = compare_with(&LtlEngine::default(), 0..200, &draw);
    assert!(compared.iter().all(|&count| count > 200), "{compared:?}");
}

#[test]
fn ctl_without_next_is_ctl_star() {
    let draw = |random: &mut TestRng, model: &Model| {
        let formula = random::ctl(random, model.nodes(), 3);
        let has_next = formula.any_operator(&|operator| matches!(operator, Temporal::Next(_)));
        (!has_next).then_some(Query::Ctl(formula))
    };
    let engine = CtlEngine { algorithm: CtlAlgorithm::Local, ..CtlEngine::default() };
    let compared = compare_with(&engine, 0..200, &draw);
    assert!(compared.iter().all(|&count| count > 200), "{compared:?}");
}

/// The large comparison: `cargo test --release -p fireset-engine --test ctl_star -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn a_hundred_thousand_comparisons() {
    let counts = [
        compare(10_000..28_000, &any_net, &mut |_, _, _| {}),
        compare(10_000..16_000, &coloured_net, &mut |_, _, _| {}),
    ];
    let total: usize = counts.iter().map(|counts| counts.compared).sum();
    assert!(total >= 100_000, "{counts:?}");
}

fn verdict(net: &str, formula: Formula) -> Verdict {
    let model = Model::Plain(tiny::net(net));
    let query = Query::classify(&formula, Logic::Ctl).unwrap();
    assert!(matches!(query, Query::CtlStar(_)), "{query:?}");
    outcomes(&CtlStarEngine::default(), &model, &[query], MEMORY).remove(0).verdict
}

#[test]
fn the_last_marking_of_a_finite_run_repeats() {
    let next = |f| Formula::Next(Box::new(f));
    let some = |f| Formula::Exists(Box::new(f));
    // After one step the net is dead, and stays so at the next position.
    let dead_again = |last| some(next(Formula::And(vec![some(next(Formula::Deadlock)), next(last)])));
    assert_eq!(verdict("p:1 q; t: p -> q", dead_again(Formula::Deadlock)), Verdict::Holds);
    assert_eq!(verdict("p:1 q; t: p -> q", dead_again(Formula::Deadlock.negate())), Verdict::Fails);
}

#[test]
fn what_must_always_happen_differs_from_what_always_can() {
    // The net can stay in `p`, from where it can always leave to `q` for ever.
    let net = "p:1 q; stay: p -> p; leave: p -> q; turn: q -> q";
    let turns = Formula::Fireable(vec![tiny::net(net).nodes().transition_ids().nth(2).unwrap()]);
    let ends = || Formula::Finally(Box::new(Formula::Globally(Box::new(turns.clone()))));
    let can_end = Formula::Exists(Box::new(ends()));
    let always = |f| Formula::ForAll(Box::new(Formula::Globally(Box::new(f))));
    assert_eq!(verdict(net, always(can_end)), Verdict::Holds);
    let both = Formula::And(vec![ends(), Formula::Exists(Box::new(ends()))]);
    assert_eq!(verdict(net, Formula::ForAll(Box::new(both))), Verdict::Fails);
}
