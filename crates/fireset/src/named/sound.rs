//! Soundness of a workflow as a query: one notion, by structure or asked in its parts.
//!
//! A run that can be repeated with ever more tokens refutes `sound` and `weak-sound`; `crates/fireset/src/soundness/mod.rs` proves it. Otherwise
//! the parts are asked together, and the first that fails decides, with its run. Where structure shows that a workflow is not sound, the
//! verdict is known even if no run is found. `easy-sound` is a formula and does not come here.

use fireset_engine::self_covering_lasso;
use fireset_net::{
    Evidence, NamedProperty, Net, Outcome, Query, SoundnessNotion, StopReason, Technique, Verdict,
    WorkflowEnds, replay,
};

use super::{DecidedProperty, NamedCheck, at_once};
use crate::{
    Culprit, Culprits, Timeline,
    soundness::{StructuralSoundness, Workflow, can_fire, relaxed_soundness, structural_soundness},
};

impl NamedCheck<'_> {
    pub(super) fn sound_at_once(
        &self,
        net: &Net,
        notion: SoundnessNotion,
        ends: &WorkflowEnds,
    ) -> Option<Outcome> {
        if self.by_structure(ends) == Some(StructuralSoundness::Sound) {
            return Some(at_once(Verdict::Holds, Technique::QueryReduction));
        }
        if notion == SoundnessNotion::RelaxedSound || ends.may_be_empty() {
            return None;
        }
        let lasso = self_covering_lasso(net, self.budget)?;
        let property = NamedProperty::Sound(notion, ends.clone());
        self.shown(property, Verdict::Fails, Evidence::Lasso(lasso))
    }

    fn by_structure(&self, ends: &WorkflowEnds) -> Option<StructuralSoundness> {
        structural_soundness(&Workflow::new(self.model, ends)?, self.budget)
    }

    /// Decides a notion; for relaxed soundness, the transitions on no run to a final marking come with it.
    pub(super) fn sound(
        &self,
        notion: SoundnessNotion,
        ends: &WorkflowEnds,
    ) -> (DecidedProperty, Option<Culprits>) {
        match Workflow::new(self.model, ends) {
            None => ((Outcome::unknown(StopReason::NoEngine), Timeline::default()), None),
            Some(workflow) if notion == SoundnessNotion::RelaxedSound => self.relaxed(&workflow),
            Some(_) => (self.in_parts(notion, ends), None),
        }
    }

    fn relaxed(&self, workflow: &Workflow) -> (DecidedProperty, Option<Culprits>) {
        let (part, easy, timeline) = relaxed_soundness(workflow, (self.options, self.budget));
        let outcome = Outcome { verdict: part.verdict, evidence: None, ..easy };
        let nodes: Vec<Culprit> = part.culprits.into_iter().map(Culprit::Transition).collect();
        let fails = outcome.verdict == Verdict::Fails && !nodes.is_empty();
        let culprits = Culprits { nodes, complete: part.is_complete, shown: None };
        ((outcome, timeline), fails.then_some(culprits))
    }

    /// Classical or weak soundness: all parts hold, or the first that fails.
    fn in_parts(&self, notion: SoundnessNotion, ends: &WorkflowEnds) -> DecidedProperty {
        let mut queries = vec![ends.option_to_complete(), ends.proper_completion()];
        if notion == SoundnessNotion::Sound {
            queries.extend(self.model.nodes().transition_ids().map(can_fire));
        }
        let is_refuted = notion == SoundnessNotion::Sound
            && matches!(self.by_structure(ends), Some(StructuralSoundness::Unsound(_)));
        let report = self.ask(self.model, queries, |_, verdict| *verdict == Verdict::Fails);
        let fails = |outcome: &Outcome| outcome.verdict == Verdict::Fails;
        let find = |wanted: &dyn Fn(&Outcome) -> bool| report.outcomes.iter().position(wanted);
        let at = find(&fails).or_else(|| find(&Outcome::is_open)).unwrap_or(0);
        let decides = report.outcomes[at].clone();
        if is_refuted && decides.is_open() {
            let outcome = at_once(Verdict::Fails, Technique::QueryReduction);
            return (outcome, report.timelines[at].clone());
        }
        let query = Query::Named(NamedProperty::Sound(notion, ends.clone()));
        let shows = |evidence: &Evidence| {
            fails(&decides) && replay::confirm(self.model, &query, &Verdict::Fails, evidence).is_ok()
        };
        let evidence = decides.evidence.clone().filter(shows);
        (Outcome { evidence, ..decides }, report.timelines[at].clone())
    }
}
