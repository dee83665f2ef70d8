//! Soundness of workflows, in its parts.
//!
//! The notions and their source are in `crates/net/src/workflow.rs`: classical soundness is the option to complete, proper completion
//! and no dead activity together.
//!
//! An unbounded net without inhibitor arcs is neither sound nor weak-sound. Proof: let a run lead from a reachable marking `m` to `m + x`
//! with `x` not empty. If `m` leads to a final marking `f`, then `m + x` leads to `f + x` (more tokens disable nothing), which has more
//! tokens than a final marking: if it is not final, completion is not proper; if it is, repeat with it, and one of the infinitely many is
//! not. If `f` is empty, each `k` times `x` is reached, and each of these has to be emptied again: the option to complete is then asked as it is.
//!
//! Where structure shows a workflow to be sound, nothing is asked; where it shows that one is not, the parts are asked for the run.
//! Everything else is asked of the engines together, because they share the exploration. Cost: that of the check.
//! Test: `tests/soundness/parts.rs`, against the definitions on the reachability graph.

mod relaxed;
mod sentences;
mod structural;
mod workflow;

use fireset_engine::self_covering_lasso;
use fireset_net::{
    Budget, Evidence, Lasso, Outcome, Problem, Query, StateAtom, StopReason, TransitionId, Verdict,
};
pub use fireset_net::{NotWorkflow, SoundnessNotion};

use self::relaxed::CheckedParts;
pub(crate) use self::relaxed::relaxed_soundness;
pub use self::{
    structural::{StructuralSoundness, structural_soundness},
    workflow::Workflow,
};
use crate::{Options, named::ask_until};

/// The share of the time for the parts of soundness; the rest is for sentences and for relaxed soundness.
const PARTS: f64 = 0.7;
/// The share for them on an unbounded net, of which the verdict is known.
const UNBOUNDED_PARTS: f64 = 0.2;

/// Whether one requirement is met, and why not.
#[derive(Clone, Debug)]
pub struct SoundnessPart {
    /// Whether the part holds.
    pub verdict: Verdict,
    /// Why it fails, in the words of the process.
    pub sentence: Option<String>,
    /// The run that shows that it fails, or the certificate.
    pub evidence: Option<Evidence>,
    /// The transitions for which it fails.
    pub culprits: Vec<TransitionId>,
    /// Whether it fails for no others.
    pub is_complete: bool,
}

impl SoundnessPart {
    fn of(outcome: &Outcome) -> Self {
        let evidence = outcome.evidence.clone().filter(|_| outcome.verdict == Verdict::Fails);
        let (verdict, is_complete) = (outcome.verdict.clone(), !outcome.is_open());
        Self { verdict, sentence: None, evidence, culprits: Vec::new(), is_complete }
    }
}

/// What is known of the soundness of a workflow.
#[derive(Clone, Debug)]
pub struct SoundnessReport {
    /// From every reachable marking a final one can be reached.
    pub option_to_complete: SoundnessPart,
    /// A reachable marking with at least the tokens of a final one is final.
    pub proper_completion: SoundnessPart,
    /// Every transition can fire at some time.
    pub no_dead_activity: SoundnessPart,
    /// Every transition is on some run to a final marking.
    pub relaxed: SoundnessPart,
    /// A final marking can be reached.
    pub easy: SoundnessPart,
    /// A run that can be repeated with ever more tokens, and what it says.
    pub unbounded: Option<(Lasso, String)>,
    /// What structure says about classical soundness.
    pub structural: Option<StructuralSoundness>,
}

impl SoundnessReport {
    /// Of a workflow that structure shows to be sound: each transition is on a run to the end.
    fn sound() -> Self {
        let holds = || all_of(&[], &[]);
        Self {
            option_to_complete: holds(),
            proper_completion: holds(),
            no_dead_activity: holds(),
            relaxed: holds(),
            easy: holds(),
            unbounded: None,
            structural: Some(StructuralSoundness::Sound),
        }
    }

    /// Whether the workflow is sound in this sense.
    pub fn verdict(&self, notion: SoundnessNotion) -> Verdict {
        let Self { option_to_complete, proper_completion, no_dead_activity, relaxed, easy, .. } = self;
        let parts: &[&SoundnessPart] = match notion {
            SoundnessNotion::Sound => &[option_to_complete, proper_completion, no_dead_activity],
            SoundnessNotion::WeakSound => &[option_to_complete, proper_completion],
            SoundnessNotion::RelaxedSound => &[relaxed],
            SoundnessNotion::EasySound => &[easy],
        };
        let is_unbounded = self.unbounded.is_some() && parts.len() > 1;
        let is_refuted = matches!(self.structural, Some(StructuralSoundness::Unsound(_)));
        let is_unsound = is_unbounded || is_refuted && notion == SoundnessNotion::Sound;
        if is_unsound || parts.iter().any(|part| part.verdict == Verdict::Fails) {
            return Verdict::Fails;
        }
        let unknown = parts.iter().find(|part| matches!(part.verdict, Verdict::Unknown(_)));
        unknown.map_or(Verdict::Holds, |part| part.verdict.clone())
    }
}

/// Decides all notions of soundness of a workflow.
pub fn soundness(workflow: &Workflow, options: &Options, budget: &Budget) -> SoundnessReport {
    let structural = structural_soundness(workflow, budget);
    if structural == Some(StructuralSoundness::Sound) {
        return SoundnessReport::sound();
    }
    let net = workflow.net();
    let transitions: Vec<TransitionId> = net.nodes().transition_ids().collect();
    // More tokens than in an empty final marking say nothing about completion.
    let pumping = if workflow.ends.may_be_empty() { None } else { self_covering_lasso(net, budget) };
    let share = budget.share(if pumping.is_some() { UNBOUNDED_PARTS } else { PARTS });
    let share = if pumping.is_some() { share.within(std::time::Duration::from_secs(2)) } else { share };
    let mut outcomes = ask_until(&parts(workflow, &transitions), options, &share, |_, _| false).outcomes;
    let fireable = outcomes.split_off(3);
    let [option, proper, easy] = &outcomes[..] else { unreachable!("three parts come first") };
    let mut report = SoundnessReport {
        option_to_complete: SoundnessPart::of(option),
        proper_completion: SoundnessPart::of(proper),
        no_dead_activity: all_of(&transitions, &fireable),
        relaxed: SoundnessPart::of(easy),
        easy: SoundnessPart::of(easy),
        unbounded: None,
        structural,
    };
    let known = CheckedParts { option: &option.verdict, dead: &report.no_dead_activity, easy };
    report.relaxed = relaxed::decide(workflow, known, (options, budget));
    report.unbounded = pumping.map(|lasso| {
        let sentence = sentences::unbounded(workflow, &lasso);
        (lasso, sentence)
    });
    sentences::explain(workflow, &mut report, (options, budget));
    report
}

/// The queries of the parts: two, then whether a final marking can be reached, then one for each transition.
fn parts(workflow: &Workflow, transitions: &[TransitionId]) -> Problem {
    let ends = &workflow.ends;
    let mut queries =
        vec![ends.option_to_complete(), ends.proper_completion(), Query::Reachable(ends.is_final())];
    queries.extend(transitions.iter().map(|&t| can_fire(t)));
    Problem { model: workflow.model.clone(), queries }
}

/// Whether a transition can fire at some time.
pub(crate) fn can_fire(t: TransitionId) -> Query {
    Query::Reachable(StateAtom::Fireable(vec![t]).into())
}

/// A part that holds if it does for each transition.
fn all_of(transitions: &[TransitionId], outcomes: &[Outcome]) -> SoundnessPart {
    let failed: Vec<TransitionId> = transitions
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| outcome.verdict == Verdict::Fails)
        .map(|(&t, _)| t)
        .collect();
    let open = outcomes.iter().find(|outcome| outcome.is_open());
    let verdict = match (failed.is_empty(), open) {
        (false, _) => Verdict::Fails,
        (true, Some(outcome)) => outcome.verdict.clone(),
        (true, None) => Verdict::Holds,
    };
    SoundnessPart { verdict, sentence: None, evidence: None, culprits: failed, is_complete: open.is_none() }
}

/// The verdict of a part that was not reached.
fn out_of_time() -> Verdict {
    Verdict::Unknown(StopReason::Time)
}
