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

use super::{PARTS, SoundnessPart, Workflow, all_of, can_fire, out_of_time};
use crate::{
    Options, Timeline,
    named::{NetCopy, ask_until},
};

/// What is known before relaxed soundness is decided.
pub(super) struct CheckedParts<'a> {
    /// Whether every marking can complete.
    pub(super) option: &'a Verdict,
    /// The transitions that can never fire.
    pub(super) dead: &'a SoundnessPart,
    /// Whether a final marking can be reached, with the run to one.
    pub(super) easy: &'a Outcome,
}

/// Decides relaxed soundness alone; the outcome and the timeline are those of the search for a run to a final marking.
pub(crate) fn relaxed_soundness(
    workflow: &Workflow,
    (options, budget): (&Options, &Budget),
) -> (SoundnessPart, Outcome, Timeline) {
    let transitions: Vec<TransitionId> = workflow.net().nodes().transition_ids().collect();
    let ends = &workflow.ends;
    let mut queries = vec![Query::Reachable(ends.is_final()), ends.option_to_complete()];
    queries.extend(transitions.iter().map(|&t| can_fire(t)));
    let problem = Problem { model: workflow.model.clone(), queries };
    let is_enough = |at: usize, verdict: &Verdict| at == 0 && *verdict == Verdict::Fails;
    let mut report = ask_until(&problem, options, &budget.share(PARTS), is_enough);
    let dead = all_of(&transitions, &report.outcomes[2..]);
    let known = CheckedParts { option: &report.outcomes[1].verdict, dead: &dead, easy: &report.outcomes[0] };
    let part = decide(workflow, known, (options, budget));
    (part, report.outcomes.swap_remove(0), report.timelines.swap_remove(0))
}

pub(super) fn decide(
    workflow: &Workflow,
    CheckedParts { option, dead, easy }: CheckedParts<'_>,
    (options, budget): (&Options, &Budget),
) -> SoundnessPart {
    let count = workflow.net().nodes().transitions.len();
    match (option, &easy.verdict) {
        // Nothing is asked of a net without transitions.
        _ if count == 0 => return all_of(&[], &[]),
        (Verdict::Holds, _) => return dead.clone(),
        (_, Verdict::Holds) => {}
        _ => return SoundnessPart { evidence: None, ..SoundnessPart::of(easy) },
    }
    let mut covered: HashSet<TransitionId> = HashSet::new();
    cover(&mut covered, easy.evidence.as_ref(), usize::MAX);
    let mut part = SoundnessPart { evidence: None, ..SoundnessPart::of(easy) };
    part.culprits.clone_from(&dead.culprits);
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
            other => (part.verdict, part.is_complete) = (other, false),
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
    let goal = StatePredicate::And(vec![workflow.ends.is_final(), marked.into()]);
    Ok(Problem {
        model: Arc::new(Model::Plain(copy.builder.build()?)),
        queries: vec![Query::Reachable(goal)],
    })
}
