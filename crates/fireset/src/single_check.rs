//! Checks of one query within a technique: other techniques decide it, and their names are kept.

use std::sync::Arc;

use fireset_net::{Budget, Evidence, Model, Problem, Query, Technique, Verdict};

use crate::{Options, PortfolioOptions, ShownRun, Switch, check::check_formulas};

/// Decides queries one by one, on one thread and without a search for evidence.
pub(crate) struct SingleChecks {
    options: Options,
    /// Of the checks that had an answer.
    pub(crate) techniques: Vec<Technique>,
}

/// The answer to a query that is true or false.
pub(crate) struct SingleAnswer {
    pub(crate) holds: bool,
    pub(crate) evidence: Option<Evidence>,
}

impl SingleChecks {
    pub(crate) fn new(options: &Options) -> Self {
        let portfolio =
            PortfolioOptions { certificates: Switch::Off, shown_run: ShownRun::First, ..options.portfolio };
        Self { options: Options { threads: 1, portfolio, ..*options }, techniques: Vec::new() }
    }

    /// The answer to a query, if it is found in time.
    pub(crate) fn check(&mut self, model: Arc<Model>, query: Query, budget: &Budget) -> Option<SingleAnswer> {
        let problem = Problem { model, queries: vec![query] };
        let mut report = check_formulas(&problem, &self.options, budget, &mut ());
        let outcome = report.outcomes.pop().filter(|_| report.fault.is_none())?;
        let holds = match outcome.verdict {
            Verdict::Holds => true,
            Verdict::Fails => false,
            _ => return None,
        };
        for technique in outcome.techniques {
            if !self.techniques.contains(&technique) {
                self.techniques.push(technique);
            }
        }
        Some(SingleAnswer { holds, evidence: outcome.evidence })
    }
}
