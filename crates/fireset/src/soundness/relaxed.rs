//! Relaxed soundness: every transition is on some run to a final marking.
//!
//! Source: Dehnert and Rittgen, "Relaxed soundness of business processes" (2001). Where every marking can complete, a transition that can
//! fire is on such a run. Otherwise each run to a final marking settles the transitions on it. For another one, the net gets a copy of it
//! that can fire once and marks a place: a final marking with that place marked is reachable exactly if the transition is on a run to one.

use std::{collections::HashSet, sync::Arc};

use fireset_net::{
    Budget, BuildError, Comparison, Evidence, Expr, Model, Outcome, PlaceId, Problem, Query, StateAtom,
    StatePredicate, TransitionId, Verdict,
};

use super::{SoundnessPart, SoundnessReport, Workflow, out_of_time};
use crate::{
    Options,
    named::{NetCopy, ask_until},
};

pub(super) fn decide(
    workflow: &Workflow,
    report: &SoundnessReport,
    easy: &Outcome,
    (options, budget): (&Options, &Budget),
) -> SoundnessPart {
    let dead = &report.no_dead_activity;
    match (&report.option_to_complete.verdict, &easy.verdict) {
        (Verdict::Holds, _) => return dead.clone(),
        (_, Verdict::Holds) => {}
        _ => return SoundnessPart { evidence: None, ..SoundnessPart::of(easy) },
    }
    let mut covered: HashSet<TransitionId> = HashSet::new();
    cover(&mut covered, easy.evidence.as_ref(), usize::MAX);
    let mut part = SoundnessPart { evidence: None, ..SoundnessPart::of(easy) };
    part.culprits.clone_from(&dead.culprits);
    let count = workflow.net().nodes().transitions.len();
    for t in workflow.net().nodes().transition_ids() {
        if covered.contains(&t) || part.culprits.contains(&t) {
            continue;
        }
        let asked = observed(workflow, t);
        let outcome = match (asked, budget.go_on()) {
            (Ok(problem), Ok(())) => {
                ask_until(&problem, options, &budget.share(0.3), |_, _| false).outcomes.swap_remove(0)
            }
            _ => Outcome { verdict: out_of_time(), ..easy.clone() },
        };
        match outcome.verdict {
            Verdict::Holds => {
                covered.insert(t);
                cover(&mut covered, outcome.evidence.as_ref(), count);
            }
            Verdict::Fails => part.culprits.push(t),
            other => part.verdict = other,
        }
    }
    part.culprits.sort_unstable();
    if !part.culprits.is_empty() {
        part.verdict = Verdict::Fails;
    }
    part
}

/// Adds the transitions of a run with ids below a number.
fn cover(covered: &mut HashSet<TransitionId>, evidence: Option<&Evidence>, below: usize) {
    if let Some(Evidence::Trace(trace)) = evidence {
        covered.extend(trace.0.iter().map(|step| step.transition).filter(|t| t.index() < below));
    }
}

/// Whether a final marking is reachable by a run on which a transition fires.
fn observed(workflow: &Workflow, t: TransitionId) -> Result<Problem, BuildError> {
    let net = workflow.net();
    let mut copy = NetCopy::of(net, net.initial_marking())?;
    let (once, fired): (PlaceId, PlaceId) = (copy.place(1)?, copy.place(0)?);
    let again = copy.transition()?;
    copy.takes(net, t, again);
    copy.gives(net, t, again);
    copy.builder.input(once, again, 1);
    copy.builder.output(again, fired, 1);
    let marked = StateAtom::Compare(Comparison::GreaterEqual, Expr::Tokens(vec![fired]), Expr::Constant(1));
    let goal = StatePredicate::And(vec![workflow.is_final(), marked.into()]);
    Ok(Problem {
        model: Arc::new(Model::Plain(copy.builder.build()?)),
        queries: vec![Query::Reachable(goal)],
    })
}
