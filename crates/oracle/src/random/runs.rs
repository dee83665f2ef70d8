//! Random formulas about steps and the past, and random fairness.

use super::{TestRng, bindings, formulas};
use crate::query::typed;
use fireset_net::{
    FairSteps, Fairness, FairnessAssumption, FairnessStrength, Formula, Model, Quantifier, Query, RunFormula,
    RunQuery, StepSet, TransitionId,
};

/// The most operators of a formula: the oracle takes time in their number.
const MOST_OPERATORS: usize = 4;

/// A query about runs: mostly with steps or past operators, and often with fairness.
pub fn run_query(random: &mut TestRng, model: &Model) -> Query {
    let quantifier = if random.percent(60) { Quantifier::ForAll } else { Quantifier::Exists };
    let formula = run_formula(random, model, 3);
    let fairness = if random.percent(60) { fairness(random, model) } else { Fairness::default() };
    Query::Run(RunQuery { quantifier, formula, fairness })
}

/// An LTL formula with steps and with all operators about the future and the past.
pub fn run_formula(random: &mut TestRng, model: &Model, depth: usize) -> RunFormula {
    loop {
        let drawn = formula(random, model, depth);
        if (1..=MOST_OPERATORS).contains(&drawn.temporal_operators()) {
            return typed(drawn);
        }
    }
}

/// One to three assumptions.
pub fn fairness(random: &mut TestRng, model: &Model) -> Fairness {
    let assumption = |random: &mut TestRng| FairnessAssumption {
        strength: *random.pick(&[FairnessStrength::Weak, FairnessStrength::Strong]),
        steps: match random.percent(15) {
            true => FairSteps::EachTransition,
            false => FairSteps::Group(steps(random, model)),
        },
    };
    Fairness((0..random.within(1, 3)).map(|_| assumption(random)).collect())
}

fn formula(random: &mut TestRng, model: &Model, depth: usize) -> Formula {
    if depth == 0 || random.percent(10) {
        return match random.percent(45) {
            true => Formula::Fired(steps(random, model)),
            false => formulas::atom(random, model.nodes()),
        };
    }
    let mut sub = |random: &mut TestRng| formula(random, model, depth - 1);
    match random.below(11) {
        0 => Formula::Not(Box::new(sub(random))),
        1 => Formula::And((0..random.within(1, 2)).map(|_| sub(random)).collect()),
        2 => Formula::Or((0..random.within(1, 2)).map(|_| sub(random)).collect()),
        3 => Formula::Iff(Box::new(sub(random)), Box::new(sub(random))),
        4..=6 => formulas::temporal(random, &mut sub),
        7 => Formula::Yesterday(Box::new(sub(random))),
        8 => Formula::Once(Box::new(sub(random))),
        9 => Formula::Historically(Box::new(sub(random))),
        _ => Formula::Since(Box::new(sub(random)), Box::new(sub(random))),
    }
}

/// One or two transitions or, on a coloured net, also bindings of one.
fn steps(random: &mut TestRng, model: &Model) -> StepSet {
    let all: Vec<TransitionId> = model.nodes().transition_ids().collect();
    let mut steps = StepSet::default();
    for _ in 0..random.within(1, 2) {
        let transition = *random.pick(&all);
        match model {
            Model::Coloured(net) if random.percent(50) => {
                steps.bindings.push(bindings(random, net, transition));
            }
            _ => steps.transitions.push(transition),
        }
    }
    steps
}
