//! Why a workflow is not sound, in one sentence for each part and in the words of the process.

use std::sync::Arc;

use fireset_io::query::quote_title;
use fireset_net::{
    Branching, Budget, Evidence, Lasso, Marking, Model, Net, PlaceId, Problem, Query, Semantics, StateAtom,
    Step, TransitionId, Verdict, replay,
};

use super::{SoundnessPart, SoundnessReport, Workflow, workflow::ahead};
use crate::{
    Options,
    named::{NetCopy, ask_until},
};

/// Names in a sentence; there may be more.
const SHOWN: usize = 3;

/// Adds sentences to the parts that fail.
pub(super) fn explain(
    workflow: &Workflow,
    report: &mut SoundnessReport,
    (options, budget): (&Options, &Budget),
) {
    let net = workflow.net();
    let dead = report.no_dead_activity.culprits.clone();
    if report.no_dead_activity.verdict == Verdict::Fails {
        let names = transitions(net, &dead);
        report.no_dead_activity.sentence = Some(format!("{names} can never happen"));
    }
    if report.relaxed.verdict == Verdict::Fails && !report.relaxed.culprits.is_empty() {
        let names = transitions(net, &report.relaxed.culprits);
        report.relaxed.sentence = Some(format!("no run to the end has {names}"));
    }
    if report.easy.verdict == Verdict::Fails {
        report.easy.sentence = Some("the process can never finish".into());
    }
    if report.option_to_complete.verdict == Verdict::Fails {
        let sentence = stuck(workflow, &report.option_to_complete, &dead, (options, &budget.share(0.3)));
        report.option_to_complete.sentence = Some(sentence);
    }
    if report.proper_completion.verdict == Verdict::Fails {
        report.proper_completion.sentence = Some(left_over(workflow, &report.proper_completion));
    }
}

/// Why the process cannot finish after the run of the evidence.
fn stuck(
    workflow: &Workflow,
    part: &SoundnessPart,
    dead: &[TransitionId],
    (options, budget): (&Options, &Budget),
) -> String {
    let net = workflow.net();
    let run = part.evidence.as_ref().and_then(stuck_run);
    let Some((run, marking)) = run.and_then(|run| Some((after(net, &run), last(net, &run)?))) else {
        return "the process cannot always finish".into();
    };
    if net.steps(&marking).is_empty() {
        return format!(
            "{run} nothing can happen any more, but the process has not finished: {}",
            waiting(workflow, &marking)
        );
    }
    let lost = lost(workflow, &marking, dead, (options, budget));
    match lost.is_empty() {
        true => format!("{run} the process can go on for ever, but never finish"),
        false => format!("{run} {} can never happen, so the process cannot finish", transitions(net, &lost)),
    }
}

/// The run to the marking of which evidence claims that no final one can be reached from it.
fn stuck_run(evidence: &Evidence) -> Option<Vec<Step>> {
    match evidence {
        Evidence::Trace(trace) => Some(trace.0.clone()),
        Evidence::Branching(branching) => {
            let state = branching.claims.first().map_or_else(|| last_state(branching), |claim| claim.state);
            run_to(branching, state)
        }
        Evidence::Lasso(_) | Evidence::Certificate(_) => None,
    }
}

fn last_state(branching: &Branching) -> usize {
    branching.runs.iter().map(|run| run.steps.len()).sum()
}

/// The steps from the initial marking to a numbered state.
fn run_to(branching: &Branching, state: usize) -> Option<Vec<Step>> {
    if state == 0 {
        return Some(Vec::new());
    }
    let mut first = 1;
    for run in &branching.runs {
        if state < first + run.steps.len() {
            // A run starts at a state of those before it, so this ends.
            let mut steps = if run.from < first { run_to(branching, run.from)? } else { return None };
            steps.extend_from_slice(&run.steps[..=state - first]);
            return Some(steps);
        }
        first += run.steps.len();
    }
    None
}

fn last(net: &Net, steps: &[Step]) -> Option<Marking> {
    replay::states(net, steps).ok()?.pop()
}

/// The transitions ahead of the tokens that can fire at first, but not any more after a marking. Those with labels of their own come
/// first, and of them those that give tokens to a final marking.
fn lost(
    workflow: &Workflow,
    marking: &Marking,
    dead: &[TransitionId],
    (options, budget): (&Options, &Budget),
) -> Vec<TransitionId> {
    let net = workflow.net();
    let Ok(copy) = NetCopy::of(net, marking) else { return Vec::new() };
    let Ok(later) = copy.builder.build() else { return Vec::new() };
    let ahead = ahead(net, marking);
    let is_expected = |t: &TransitionId| ahead[t.index()] && !dead.contains(t);
    let alive: Vec<TransitionId> = net.nodes().transition_ids().filter(is_expected).collect();
    let queries = alive.iter().map(|&t| Query::Reachable(StateAtom::Fireable(vec![t]).into())).collect();
    let problem = Problem { model: Arc::new(Model::Plain(later)), queries };
    let outcomes = ask_until(&problem, options, budget, |_, _| false).outcomes;
    let lost = alive.into_iter().zip(outcomes).filter(|(_, outcome)| outcome.verdict == Verdict::Fails);
    let mut lost: Vec<TransitionId> = lost.map(|(t, _)| t).collect();
    let ends = |t: TransitionId| net.post(t).iter().any(|arc| workflow.ends.is_marked(arc.place));
    lost.sort_by_key(|&t| (!is_labelled(net, t), !ends(t)));
    lost
}

/// What an unfinished process waits for.
fn waiting(workflow: &Workflow, marking: &Marking) -> String {
    let net = workflow.net();
    let has = |arc: &fireset_net::Arc| marking.tokens(arc.place) >= arc.weight;
    let waits = |&t: &TransitionId| net.pre(t).iter().any(has) && !net.pre(t).iter().all(has);
    let mut waiting: Vec<TransitionId> = net.nodes().transition_ids().filter(waits).collect();
    waiting.sort_by_key(|&t| !is_labelled(net, t));
    match waiting.first() {
        Some(&t) => {
            let missing: Vec<PlaceId> =
                net.pre(t).iter().filter(|arc| !has(arc)).map(|arc| arc.place).collect();
            format!("{} waits for a token in {}", transitions(net, &[t]), places(net, &missing))
        }
        None => {
            let held = net
                .nodes()
                .place_ids()
                .filter(|&place| marking.tokens(place) > 0 && !workflow.ends.is_marked(place));
            match held.collect::<Vec<_>>()[..] {
                [] => "the final marking is not reached".into(),
                ref held => format!("tokens are left in {}", places(net, held)),
            }
        }
    }
}

/// The tokens that remain when the process ends.
fn left_over(workflow: &Workflow, part: &SoundnessPart) -> String {
    let net = workflow.net();
    let run = part.evidence.as_ref().and_then(stuck_run);
    let Some((run, marking)) = run.and_then(|run| Some((after(net, &run), last(net, &run)?))) else {
        return "the process can finish with tokens left".into();
    };
    let end = workflow.ends.finals.iter().find(|end| **end < marking);
    let more = |place: &PlaceId| end.is_some_and(|end| marking.tokens(*place) > end.tokens(*place));
    let left: Vec<PlaceId> = net.nodes().place_ids().filter(more).collect();
    let next: Vec<TransitionId> = net.steps(&marking).iter().map(|step| step.transition).collect();
    let still = match next.is_empty() {
        true => String::new(),
        false => format!(", and {} can still happen", transitions(net, &next)),
    };
    format!("{run} the process has finished, but tokens are left in {}{still}", places(net, &left))
}

/// The places that fill up along a run that can be repeated.
pub(super) fn unbounded(workflow: &Workflow, lasso: &Lasso) -> String {
    let net = workflow.net();
    let whole: Vec<Step> = lasso.prefix.iter().chain(&lasso.cycle).cloned().collect();
    let (Some(start), Some(end)) = (last(net, &lasso.prefix), last(net, &whole)) else {
        return "tokens pile up without bound".into();
    };
    let grows = |place: &PlaceId| start.tokens(*place) < end.tokens(*place);
    let full: Vec<PlaceId> = net.nodes().place_ids().filter(grows).collect();
    let again: Vec<TransitionId> = lasso.cycle.iter().map(|step| step.transition).collect();
    format!("tokens pile up in {} by repeating {}", places(net, &full), transitions(net, &again))
}

/// "after `x`,", where `x` is the last step that the process has a name for.
fn after(net: &Net, run: &[Step]) -> String {
    let named = run.iter().rev().find(|step| is_labelled(net, step.transition));
    match named.or(run.last()) {
        Some(step) => format!("after {},", transitions(net, &[step.transition])),
        None => "from the start,".into(),
    }
}

fn is_labelled(net: &Net, t: TransitionId) -> bool {
    let names = &net.nodes().transitions;
    names.label(t.index()) != names.get(t.index())
}

pub(super) fn transitions(net: &Net, ts: &[TransitionId]) -> String {
    let mut distinct: Vec<TransitionId> = Vec::new();
    ts.iter().for_each(|t| {
        if !distinct.contains(t) {
            distinct.push(*t)
        }
    });
    list(distinct.iter().map(|&t| quote_title(net.nodes().transition_title(t))).collect())
}

pub(super) fn places(net: &Net, places: &[PlaceId]) -> String {
    list(places.iter().map(|&place| quote_title(net.nodes().place_title(place))).collect())
}

fn list(mut names: Vec<String>) -> String {
    let rest = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    let mut quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    if rest > 0 {
        quoted.push(format!("{rest} more"));
    }
    match quoted.pop() {
        Some(only) if quoted.is_empty() => only,
        Some(last) => format!("{} and {last}", quoted.join(", ")),
        None => "nothing".into(),
    }
}
