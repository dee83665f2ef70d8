//! What happens to a query on the way to its answer.

use std::time::{Duration, Instant};

use crate::{Formula, Model, Progress, Query, StopReason};

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An engine that takes queries in turn has come to it.
    Turn,
    /// A stage took it up; how far it is, can be asked.
    Began(&'static str, Progress),
    /// A pass was applied to the problem that it is part of.
    Applied {
        /// The name of the pass, as statistics give it.
        pass: &'static str,
        /// The start of the pass on the clock of the process.
        began: Instant,
        /// How long it took, for all queries of the problem.
        elapsed: Duration,
        /// The net and the query before.
        before: Size,
        /// The net afterwards, and what became of the query.
        after: Size,
    },
    /// A stage is done with it.
    Ended {
        /// The name of the stage in the plan.
        stage: &'static str,
        /// How long it worked on the query, or on all queries together.
        elapsed: Duration,
        /// The states that it had seen by then.
        states: u64,
        /// Whether the stage decided the query.
        ending: Ending,
    },
}

/// How a stage ended with a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a verdict.
    Decided,
    /// Without one, and why.
    Open(StopReason),
    /// The answer was no longer needed, mostly because another stage had given it.
    Superfluous,
}

/// How large a net and a query are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Places of the net.
    pub places: usize,
    /// Transitions of the net.
    pub transitions: usize,
    /// Operators and atoms of the query.
    pub formula: usize,
}

impl Size {
    /// That of a query of a net.
    pub fn of(model: &Model, query: &Query) -> Self {
        let nodes = model.nodes();
        Self { places: nodes.places.len(), transitions: nodes.transitions.len(), formula: length(query) }
    }
}

/// Operators and atoms of a query.
fn length(query: &Query) -> usize {
    let formula: Formula = match query {
        Query::Reachable(f) | Query::Invariant(f) => f.into(),
        Query::Ctl(f) => f.into(),
        Query::Ltl(_, f) => f.into(),
        Query::Run(run) => (&run.formula).into(),
        Query::CtlStar(f) => f.into(),
        Query::Bound(_) | Query::ColourBound(_) | Query::Global(_) | Query::Named(_) => return 1,
    };
    let (mut count, mut open) = (0, vec![&formula]);
    while let Some(part) = open.pop() {
        count += 1;
        open.extend(Formula::children(part));
    }
    count
}
