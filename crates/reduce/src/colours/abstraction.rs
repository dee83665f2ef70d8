//! Over-approximation by erased colours, as a pass: what the smaller net cannot do, the coloured net cannot.
//!
//! What: the largest sorts are erased ([`super::erasure`]) until the unfolding is small. A witness of a query on the coloured net,
//! projected, is one on the smaller net for a formula that is implied:
//!
//! | literal | becomes | because |
//! |---|---|---|
//! | comparison of token counts | itself | projection keeps the counts |
//! | `fireable(t)`, `!deadlock` | itself | what is enabled stays enabled |
//! | `!fireable(t)` | itself for exact transitions, else true | |
//! | `deadlock`, literals that name colours | true | |
//!
//! So the answer that there is no witness comes back, and no other. Maximal runs: one that ends in a deadlock may be
//! continued on the smaller net. Where LTL is asked, the smaller net can rest in every marking, so that the run which stays in the
//! deadlock's projection for ever has the word of the one that ends.
//!
//! Cost: linear in the net and the queries. Test: `tests/colours.rs`.

use std::sync::Arc;

use fireset_net::{
    Budget, Formula, Model, Outcome, Problem, Query, StopReason, Technique, TransitionId, Verdict,
};

use super::{
    erasure::{Erasure, Stutter},
    one_sided::SoughtWitness,
};
use crate::{Lift, Pass, Reduced};

/// Erases the largest sorts of coloured nets, and keeps answers that there is no witness.
#[derive(Clone, Copy, Debug)]
pub struct ColourAbstraction {
    /// Sorts are erased until the unfolding has at most as many places and transitions.
    pub most_nodes: u64,
}

impl Default for ColourAbstraction {
    fn default() -> Self {
        Self { most_nodes: 1 << 12 }
    }
}

impl Pass for ColourAbstraction {
    fn name(&self) -> &'static str {
        "colour abstraction"
    }

    fn apply(&self, problem: &Problem, _: &Budget) -> Result<Option<Reduced>, StopReason> {
        let Model::Coloured(net) = &*problem.model else { return Ok(None) };
        let mut witnesses: Vec<(usize, SoughtWitness)> = (problem.queries.iter().enumerate())
            .filter_map(|(at, q)| Some((at, SoughtWitness::of(q)?)))
            .collect();
        let runs = witnesses.iter().any(|(_, witness)| witness.is_run());
        let stutter = if runs { Stutter::Added } else { Stutter::None };
        let erasure = Erasure::to_size(net, self.most_nodes);
        let erased = erasure.and_then(|erasure| Some((erasure.erased_net(stutter)?, erasure)));
        let Some((erased, erasure)) = erased else { return Ok(Some(nothing(problem))) };
        let exact: Vec<bool> = net.nodes().transition_ids().map(|t| erasure.is_exact(t)).collect();
        let mut queries: Vec<Query> = Vec::new();
        witnesses.retain(|(_, witness)| {
            let shows = witness.with_literals(&|literal| implied(literal, &exact));
            let query = shows.and_then(|shows| witness.query(&shows));
            let asked = query.is_some();
            queries.extend(query);
            asked
        });
        let asked_for = witnesses.iter().map(|(at, _)| *at).collect();
        let problem = Problem { model: Arc::new(Model::Coloured(erased)), queries };
        let witnesses = witnesses.into_iter().map(|(_, witness)| witness).collect();
        Ok(Some(Reduced { problem, asked_for, lift: Box::new(AbstractionLift { witnesses }) }))
    }
}

/// The problem without queries.
pub(super) fn nothing(problem: &Problem) -> Reduced {
    let problem = Problem { model: problem.model.clone(), queries: Vec::new() };
    Reduced { problem, asked_for: Vec::new(), lift: Box::new(AbstractionLift { witnesses: Vec::new() }) }
}

/// A literal on the smaller net that is true wherever `literal` is true on the coloured net.
fn implied(literal: &Formula, exact: &[bool]) -> Formula {
    match literal {
        Formula::Fireable(_) => literal.clone(),
        Formula::Compare(_, a, b) if !a.names_colours() && !b.names_colours() => literal.clone(),
        Formula::Not(atom) => match &**atom {
            Formula::Deadlock => literal.clone(),
            Formula::Fireable(transitions) => {
                let is_exact = |t: &TransitionId| exact[t.index()];
                Formula::Fireable(transitions.iter().copied().filter(is_exact).collect()).negate()
            }
            _ => Formula::Constant(true),
        },
        _ => Formula::Constant(true),
    }
}

/// Brings back that there is no witness.
struct AbstractionLift {
    witnesses: Vec<SoughtWitness>,
}

impl Lift for AbstractionLift {
    fn lift(&mut self, at: usize, mut outcome: Outcome) -> Option<Outcome> {
        match outcome.verdict {
            Verdict::Unknown(_) => return Some(outcome),
            Verdict::Fails => outcome.verdict = self.witnesses[at].verdict(false),
            _ => return None,
        }
        outcome.evidence = None;
        outcome.techniques.push(Technique::QueryReduction);
        Some(outcome)
    }
}
