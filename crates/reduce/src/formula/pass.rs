//! Simplification as a pass.

use std::{mem::take, sync::Arc, time::Duration};

use fireset_net::{
    Branching, Budget, Claim, Evidence, Model, Outcome, Problem, Query, StopReason, Technique, Verdict,
};

use super::{CtlAsLtl, SimplificationSteps, Simplifier, ctl::parts::Combination, lift};
use crate::{Lift, Pass, Reduced};

/// The most time that the state equation may take; an eighth of the remaining time, if that is less.
const TIME: Duration = Duration::from_secs(10);

/// Makes queries smaller, and several of a CTL query where that is easier.
#[derive(Clone, Copy, Debug)]
pub struct Simplify {
    /// Each step can be left out, so that it can be measured.
    pub steps: SimplificationSteps,
    /// Whether CTL formulas that are LTL too become LTL queries.
    pub ctl_as_ltl: CtlAsLtl,
}

impl Default for Simplify {
    fn default() -> Self {
        Self { steps: SimplificationSteps::ALL, ctl_as_ltl: CtlAsLtl::default() }
    }
}

impl Simplify {
    /// Only the steps that take next to no time.
    pub fn lightly() -> Self {
        Self {
            steps: SimplificationSteps { rules: true, initial_marking: true, ..SimplificationSteps::NONE },
            ctl_as_ltl: CtlAsLtl::Off,
        }
    }
}

impl Pass for Simplify {
    fn name(&self) -> &'static str {
        "simplification"
    }

    fn apply(&self, problem: &Problem, budget: &Budget) -> Result<Option<Reduced>, StopReason> {
        if problem.queries.iter().all(|query| matches!(query, Query::Global(_))) {
            return Ok(None);
        }
        let time = budget.time_left().map_or(TIME, |left| TIME.min(left / 8));
        let simplifier = Simplifier::with_steps(&problem.model, self.steps)
            .routed(self.ctl_as_ltl)
            .within(time, problem.queries.len());
        let (mut queries, mut asked_for, mut wholes) = (Vec::new(), Vec::new(), Vec::new());
        for (at, query) in problem.queries.iter().enumerate() {
            let (recombination, parts) = decompose(&simplifier, query);
            wholes.push(SimplifiedQuery {
                query: query.clone(),
                changed: parts.len() > 1 || parts[0] != *query,
                recombination,
                first: queries.len(),
                known: vec![None; parts.len()],
                parts: if parts.len() > 1 { parts.clone() } else { Vec::new() },
                shown: Branching::default(),
            });
            asked_for.extend(parts.iter().map(|_| at));
            queries.extend(parts);
        }
        let lift = SimplificationLift { model: problem.model.clone(), asked_for: asked_for.clone(), wholes };
        let problem = Problem { model: problem.model.clone(), queries };
        Ok(Some(Reduced { problem, asked_for, lift: Box::new(lift) }))
    }
}

/// Queries that together decide a query, and how.
fn decompose(simplifier: &Simplifier<'_>, query: &Query) -> (Recombination, Vec<Query>) {
    if let Query::Bound(places) = query {
        let ceiling = simplifier.ceiling(places);
        let reaches = ceiling.and_then(|ceiling| Some((ceiling, simplifier.reaches(places, ceiling)?)));
        if let Some((ceiling, reaches)) = reaches {
            return (Recombination::Bound(ceiling), vec![query.clone(), reaches]);
        }
    }
    let (combination, parts) = simplifier.parts(query);
    (Recombination::Boolean(combination), parts)
}

/// How the answers to parts make the answer to the whole.
enum Recombination {
    /// The value of the whole is a combination of those of the parts.
    Boolean(Combination),
    /// The first part is the bound that was asked for. The second is whether it is this, which it does not exceed.
    Bound(u64),
}

/// A query as it was asked, and the answers to its parts so far.
struct SimplifiedQuery {
    query: Query,
    changed: bool,
    recombination: Recombination,
    /// The position of its first part among all queries.
    first: usize,
    known: Vec<Option<bool>>,
    /// The parts, if there are several.
    parts: Vec<Query>,
    /// The evidence of the parts that are known.
    shown: Branching,
}

/// Brings outcomes of the parts back to the queries.
struct SimplificationLift {
    model: Arc<Model>,
    asked_for: Vec<usize>,
    wholes: Vec<SimplifiedQuery>,
}

impl Lift for SimplificationLift {
    /// An unknown part leaves the whole unknown, until others decide it. A whole that is decided has the evidence of the
    /// part that decided it, if that shows anything, or that of all parts together.
    fn lift(&mut self, at: usize, mut outcome: Outcome) -> Option<Outcome> {
        let whole = &mut self.wholes[self.asked_for[at]];
        let part = at - whole.first;
        let value = match outcome.verdict {
            Verdict::Holds => Some(true),
            Verdict::Fails => Some(false),
            _ => None,
        };
        let Some(value) = value else { return Some(outcome) };
        let combination = match &whole.recombination {
            Recombination::Boolean(combination) => combination,
            Recombination::Bound(ceiling) => {
                // When it is not reached, the first part tells.
                outcome.verdict = value.then(|| Verdict::Bound((*ceiling).into()))?;
                outcome.techniques.push(Technique::QueryReduction);
                return Some(outcome);
            }
        };
        if whole.known.len() > 1 {
            whole.known[part] = Some(value);
            let shown = match outcome.evidence.clone() {
                Some(Evidence::Certificate(_)) | None => claimed(&whole.parts[part], value),
                Some(evidence) => evidence.branching(),
            };
            whole.shown = take(&mut whole.shown).and(shown);
            outcome.verdict = combination.value(&whole.known)?.into();
        }
        let mut outcome = lift(&whole.query, &self.model, outcome);
        if whole.known.len() > 1 && outcome.evidence.is_none() && !whole.shown.runs.is_empty() {
            let evidence = Some(Evidence::Branching(take(&mut whole.shown)));
            outcome = lift(&whole.query, &self.model, Outcome { evidence, ..outcome });
        }
        if whole.changed && !outcome.techniques.contains(&Technique::QueryReduction) {
            outcome.techniques.push(Technique::QueryReduction);
        }
        Some(outcome)
    }
}

/// The claim that a query, for which there is no run, has this answer.
fn claimed(query: &Query, holds: bool) -> Branching {
    if matches!(query, Query::Bound(_) | Query::ColourBound(_) | Query::Global(_)) {
        return Branching::default();
    }
    Branching { runs: Vec::new(), claims: vec![Claim { state: 0, formula: query.formula(), holds }] }
}
