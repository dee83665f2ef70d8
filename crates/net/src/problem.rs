//! A net with the properties that are asked of it: what engines decide.

use std::sync::Arc;

use crate::{Fairness, Formula, Logic, Net, Nodes, Query, Temporal, Unsupported, coloured::ColouredNet};

/// A net of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Model {
    /// A place/transition net.
    Plain(Net),
    /// A high-level net of finite sorts.
    Coloured(ColouredNet),
}

impl Model {
    /// What its file calls it.
    pub fn name(&self) -> &str {
        match self {
            Self::Plain(net) => &net.name,
            Self::Coloured(net) => &net.name,
        }
    }

    /// Places and transitions by name.
    pub fn nodes(&self) -> &Nodes {
        match self {
            Self::Plain(net) => net.nodes(),
            Self::Coloured(net) => net.nodes(),
        }
    }
}

/// A named formula, as a file or the command line gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name; answers are printed under it.
    pub name: String,
    /// A formula of CTL*, a bound or a property of the whole net.
    pub formula: Formula,
    /// How it is read where CTL and LTL both fit.
    pub logic: Logic,
}

impl Property {
    /// The same property asked about fair runs alone. One of markings, bounds or the whole net stays as it is, since every
    /// finite run can be continued to a fair one.
    pub fn under(self, fairness: &Fairness) -> Result<Self, Unsupported> {
        let wrapped = match (self.query()?, self.formula) {
            (Query::Ltl(..) | Query::Run(_), Formula::Under(own, inner)) => {
                Formula::Under(Fairness([own.0, fairness.0.clone()].concat()), inner)
            }
            (Query::Ltl(..) | Query::Run(_), other) => Formula::Under(fairness.clone(), Box::new(other)),
            // CTL that is LTL too, and means the same in a deadlock.
            (Query::Ctl(f), other) if f.as_state().is_none() => {
                if f.any_operator(&|operator| matches!(operator, Temporal::Next(_))) {
                    return Err(Unsupported::FairnessOutsideLtl);
                }
                Formula::Under(fairness.clone(), Box::new(other))
            }
            (Query::CtlStar(_), _) => return Err(Unsupported::FairnessOutsideLtl),
            (_, other) => other,
        };
        Query::classify(&wrapped, self.logic)?;
        Ok(Self { formula: wrapped, ..self })
    }

    /// The kind of query that the formula is, or why no engine can decide it.
    pub fn query(&self) -> Result<Query, Unsupported> {
        Query::classify(&self.formula, self.logic)
    }

    /// How claims about parts of the formula are read: in CTL*, `X` in a deadlock is that of LTL.
    pub fn logic_of_claims(&self) -> Logic {
        if matches!(self.query(), Ok(Query::CtlStar(_))) { Logic::Ltl } else { Logic::Ctl }
    }
}

/// A net and the queries asked of it. Engines answer each by its position.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Shared by all engines and passes that work on the problem.
    pub model: Arc<Model>,
    /// In the order of the properties; engines answer by position.
    pub queries: Vec<Query>,
}

impl Problem {
    /// The same problem, where no query of a place/transition net names colours.
    #[must_use]
    pub fn without_needless_colours(&self) -> Self {
        let mut problem = self.clone();
        if matches!(*problem.model, Model::Plain(_)) {
            for query in &mut problem.queries {
                *query = query.without_colours().unwrap_or_else(|| query.clone());
            }
        }
        problem
    }
}
