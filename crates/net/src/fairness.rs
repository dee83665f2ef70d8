//! Fairness assumptions: which runs a property is asked about.
//!
//! A run is *weakly fair* for a set of steps unless some of them is enabled at every position from some time on and none
//! of them is taken again; it is *strongly fair* if they are taken infinitely often whenever some of them is enabled
//! infinitely often. Finite runs, which end in a deadlock, are fair. Source: Lehmann, Pnueli and Stavi, "Impartiality,
//! justice and fairness" (ICALP 1981); weak fairness is their justice, strong fairness their fairness (compassion).

use crate::{Nodes, Step, StepSet};

/// What a fair run owes to steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FairnessStrength {
    /// They are taken, or not enabled at some time, again and again.
    Weak,
    /// They are taken again and again, or not enabled from some time on.
    Strong,
}

impl FairnessStrength {
    /// How it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Strong => "strong",
        }
    }
}

/// Whom a fairness assumption is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FairSteps {
    /// Every transition of the net, each for itself.
    EachTransition,
    /// These steps together: it is enough that any of them is taken.
    Group(StepSet),
}

/// One assumption.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FairnessAssumption {
    /// Weak or strong.
    pub strength: FairnessStrength,
    /// The steps that are taken.
    pub steps: FairSteps,
}

/// Assumptions that all hold; none where all maximal runs are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fairness(pub Vec<FairnessAssumption>);

/// Steps with what a fair run owes to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FairGroup {
    /// Weak or strong.
    pub strength: FairnessStrength,
    /// Any of them is as good as the others.
    pub steps: StepSet,
}

impl Fairness {
    /// Whether all maximal runs are meant.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The assumptions about each group of steps of a net with these nodes.
    pub fn groups(&self, nodes: &Nodes) -> Vec<FairGroup> {
        let group = |assumption: &FairnessAssumption| {
            let strength = assumption.strength;
            match &assumption.steps {
                FairSteps::Group(steps) => vec![FairGroup { strength, steps: steps.clone() }],
                FairSteps::EachTransition => {
                    nodes.transition_ids().map(|t| FairGroup { strength, steps: t.into() }).collect()
                }
            }
        };
        self.0.iter().flat_map(group).collect()
    }

    /// The same assumptions over changed sets of steps.
    #[must_use]
    pub fn map_steps(&self, change: &mut dyn FnMut(&StepSet) -> StepSet) -> Self {
        let assumption = |assumption: &FairnessAssumption| FairnessAssumption {
            strength: assumption.strength,
            steps: match &assumption.steps {
                FairSteps::EachTransition => FairSteps::EachTransition,
                FairSteps::Group(steps) => FairSteps::Group(change(steps)),
            },
        };
        Self(self.0.iter().map(assumption).collect())
    }
}

/// How the cycle of a run meets an assumption. Positions count from 0 at the start of the cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FairnessMet {
    /// A step of the group is taken there.
    Taken {
        /// The first position.
        at: usize,
    },
    /// No step of the group is enabled there; enough for weak fairness.
    Disabled {
        /// The first position.
        at: usize,
    },
    /// No step of the group is enabled in the whole cycle.
    NeverEnabled,
    /// The run is finite.
    Deadlock,
}

impl FairGroup {
    /// How a cycle of steps meets the assumption, where `enabled` tells whether some step of the group is enabled at a
    /// position of the cycle; `None` if it does not.
    pub fn met_by(&self, cycle: &[Step], mut enabled: impl FnMut(usize) -> bool) -> Option<FairnessMet> {
        if cycle.is_empty() {
            return Some(FairnessMet::Deadlock);
        }
        if let Some(at) = cycle.iter().position(|step| self.steps.contains(step)) {
            return Some(FairnessMet::Taken { at });
        }
        match self.strength {
            FairnessStrength::Weak => {
                (0..cycle.len()).find(|&at| !enabled(at)).map(|at| FairnessMet::Disabled { at })
            }
            FairnessStrength::Strong => {
                (0..cycle.len()).all(|at| !enabled(at)).then_some(FairnessMet::NeverEnabled)
            }
        }
    }
}
