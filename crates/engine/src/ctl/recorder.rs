//! Records branching evidence: each step between two markings once, numbered as it comes.
//!
//! Invariants: (1) a marking's number is that of the first step that led to it, and 0 is the initial one; (2) only the
//! last run grows, so numbers stay right.

use std::collections::{HashMap, HashSet};

use fireset_kernel::store::RowId;
use fireset_net::{Branch, Branching, Claim, CtlFormula, Step};

/// The most steps of evidence that a reader can use.
const MAX_STEPS: usize = 20_000;
/// The most claims of it.
pub(crate) const MAX_CLAIMS: usize = 100;
/// The most places of all markings together, since the replay keeps them.
const MAX_PLACES: usize = 50_000_000;

/// The most steps of evidence for a net with `places` places.
pub(crate) fn max_steps(places: usize) -> usize {
    MAX_STEPS.min(MAX_PLACES / places.max(1))
}

/// Evidence would be too large, or take too long to find.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GivenUp;

pub(super) struct BranchingRecorder {
    branching: Branching,
    numbers: HashMap<RowId, usize>,
    taken: HashSet<(RowId, RowId)>,
    /// The last marking of the last run.
    end: RowId,
    /// The number of steps of all runs, and its limit.
    steps: usize,
    most: usize,
}

impl BranchingRecorder {
    /// Begins with the initial marking of a net with `places` places.
    pub(super) fn new(initial: RowId, places: usize) -> Self {
        Self {
            branching: Branching::default(),
            numbers: HashMap::from([(initial, 0)]),
            taken: HashSet::new(),
            end: initial,
            steps: 0,
            most: max_steps(places),
        }
    }

    /// The number of steps that may still be added.
    pub(super) fn room(&self) -> usize {
        self.most - self.steps
    }

    /// Adds a step from a marking that has a number.
    pub(super) fn step(&mut self, from: RowId, to: RowId, step: Step) -> Result<(), GivenUp> {
        if !self.taken.insert((from, to)) {
            return Ok(());
        }
        if self.room() == 0 {
            return Err(GivenUp);
        }
        match self.branching.runs.last_mut() {
            Some(run) if self.end == from => run.steps.push(step),
            _ => self.branching.runs.push(Branch { from: self.numbers[&from], steps: vec![step] }),
        }
        self.steps += 1;
        self.end = to;
        self.numbers.entry(to).or_insert(self.steps);
        Ok(())
    }

    /// Adds a claim about a marking that has a number.
    pub(super) fn claim(&mut self, marking: RowId, formula: &CtlFormula, holds: bool) -> Result<(), GivenUp> {
        let claim = Claim { state: self.numbers[&marking], formula: formula.into(), holds };
        self.branching.claims.push(claim);
        if self.branching.claims.len() > MAX_CLAIMS { Err(GivenUp) } else { Ok(()) }
    }

    /// The evidence, unless it has claims but no runs.
    pub(super) fn finish(self) -> Option<Branching> {
        let Branching { runs, claims } = &self.branching;
        (claims.is_empty() || !runs.is_empty()).then_some(self.branching)
    }
}
