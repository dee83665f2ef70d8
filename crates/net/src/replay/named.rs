//! Evidence for named properties that are no formulas: runs that repeat, and conflicts.
//!
//! A run repeats for ever when it leads back to a marking, or, where more tokens never disable a step, to one with at least as many
//! tokens everywhere (Karp and Miller, "Parallel program schemata", 1969).

use super::{Refusal, confirm_on, last_state, shown, states};
use crate::{
    Evidence, Lasso, LivenessLevel, NamedProperty, Query, Semantics, SoundnessNotion, Step, Verdict,
    WorkflowEnds,
};

/// Whether evidence shows a property by its definition, and not by the formula that it is.
pub(super) fn confirms(query: &Query, evidence: &Evidence) -> bool {
    matches!((query, evidence), (Query::Named(NamedProperty::Persistent), Evidence::Trace(_)))
}

/// [`confirm`](super::confirm) for a named property.
pub(super) fn confirm<S: Semantics>(
    net: &S,
    property: &NamedProperty,
    verdict: &Verdict,
    evidence: &Evidence,
) -> Result<(), Refusal> {
    match (property, verdict, evidence) {
        (NamedProperty::Bounded(places), Verdict::Fails, Evidence::Lasso(lasso)) => {
            let (start, end) = repeated(net, lasso)?;
            let grows = |&p| net.tokens(&start, p).total < net.tokens(&end, p).total;
            shown(places.iter().any(grows), "the repeated run adds no token to the places")
        }
        (NamedProperty::Terminating, Verdict::Fails, Evidence::Lasso(lasso)) => {
            repeated(net, lasso).map(|_| ())
        }
        (
            NamedProperty::Live(ts, LivenessLevel::L2 | LivenessLevel::L3),
            Verdict::Holds,
            Evidence::Lasso(lasso),
        ) => {
            repeated(net, lasso)?;
            let fires = lasso.cycle.iter().any(|step| ts.contains(&step.transition));
            shown(fires, "the repeated run does not fire the transition")
        }
        (NamedProperty::Persistent, Verdict::Fails, Evidence::Trace(trace)) => {
            let last = last_state(net, trace)?;
            let steps = net.steps(&last);
            let disables = |t: &Step, u: &Step| {
                t != u && net.fire(&last, t).is_ok_and(|next| !net.steps(&next).contains(u))
            };
            let conflict = steps.iter().any(|t| steps.iter().any(|u| disables(t, u)));
            shown(conflict, "the run ends in a marking without a conflict")
        }
        (
            NamedProperty::Sound(SoundnessNotion::Sound | SoundnessNotion::WeakSound, ends),
            Verdict::Fails,
            evidence,
        ) => unsound(net, ends, evidence),
        _ => Err(Refusal::Mismatch),
    }
}

/// That a final marking cannot always be reached, or that tokens are left at the end. A run that can be repeated with ever more tokens
/// leads to one of both, if every final marking has a token: where `m` leads to a final marking `f`, `m + x` leads to `f + x`, which has
/// more tokens than `f`, and with enough of `x` it is no other final marking either.
fn unsound<S: Semantics>(net: &S, ends: &WorkflowEnds, evidence: &Evidence) -> Result<(), Refusal> {
    match evidence {
        Evidence::Lasso(lasso) => {
            let (start, end) = repeated(net, lasso)?;
            let grows = |p| net.tokens(&start, p).total < net.tokens(&end, p).total;
            let piles_up = net.monotone() && ends.counted().any(grows);
            shown(piles_up && !ends.may_be_empty(), "tokens do not pile up along the repeated run")
        }
        Evidence::Trace(_) => confirm_on(net, &ends.proper_completion(), &Verdict::Fails, evidence),
        _ => confirm_on(net, &ends.option_to_complete(), &Verdict::Fails, evidence),
    }
}

/// The markings before and after the part of a run that can be repeated for ever.
fn repeated<S: Semantics>(net: &S, lasso: &Lasso) -> Result<(S::State, S::State), Refusal> {
    let steps: Vec<Step> = lasso.prefix.iter().chain(&lasso.cycle).cloned().collect();
    let mut run = states(net, &steps)?;
    let end = run.pop().ok_or(Refusal::CycleOpen)?;
    if lasso.cycle.is_empty() {
        return Err(Refusal::CycleOpen);
    }
    let start = run.swap_remove(lasso.prefix.len());
    let repeats = if net.monotone() { start <= end } else { start == end };
    if repeats { Ok((start, end)) } else { Err(Refusal::CycleOpen) }
}
