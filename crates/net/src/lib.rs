//! The vocabulary of fireset and its exact meaning: nets, formulas, answers. No input or output.
//!
//! * [`Net`] and [`coloured::ColouredNet`] are the two kinds of nets; [`Semantics`] is what they have in common.
//! * [`Formula`] is a property's tree, [`Query`] its classified form over typed formulas: [`StatePredicate`],
//!   [`PathFormula`], [`CtlFormula`].
//! * [`Outcome`] is an answer: a [`Verdict`] with the [`Evidence`] for it.
//! * [`Event`] is what happens on the way to it.
//! * [`token_game`] plays the token game fast.
//! * [`replay`] checks evidence on a net, independently of any engine.
//! * [`reachability`] builds reachability graphs in the plainest way.
//! * [`families`] generates the literature's scalable nets.

mod budget;
mod certificate;
pub mod coloured;
mod derived;
mod event;
mod fairness;
pub mod families;
mod formula;
mod ids;
mod linear;
mod marking;
mod named;
mod names;
mod net;
mod nupn;
mod outcome;
mod problem;
mod query;
pub mod reachability;
pub mod replay;
mod rows;
mod semantics;
pub mod token_game;
mod workflow;

pub use budget::{Budget, MemoryReserve, Progress, Signal};
pub use certificate::{Certificate, Choice, Counted, Cut, Premise, Refutation};
pub use event::{Ending, Event, Size};
pub use fairness::{FairGroup, FairSteps, Fairness, FairnessAssumption, FairnessMet, FairnessStrength};
pub use formula::{
    BoolTree, Comparison, CtlAtom, CtlFormula, CtlStarAtom, CtlStarFormula, Expr, Formula, Global, Past,
    PathAtom, PathFormula, PathPrefix, RunAtom, RunFormula, StateAtom, StatePredicate, StepSet, Temporal,
    TemporalAtom, TokenCounts, WrongKind,
};
pub use ids::{PlaceId, SortId, TransitionId, UnitId, VariableId};
pub use linear::Linear;
pub use marking::Marking;
pub use named::{LivenessLevel, NamedProperty};
pub use names::{Names, NodeTitle, Nodes};
pub use net::{Arc, BuildError, Change, Net, NetBuilder};
pub use nupn::{Nupn, Unit};
pub use outcome::{
    Branch, Branching, Claim, Count, Evidence, Lasso, Outcome, PartialStateSpace, StateSpaceSize, Statistics,
    StopReason, Technique, Trace, Verdict,
};
pub use problem::{Model, Problem, Property};
pub use query::{Logic, Quantifier, Query, RunQuery, Unsupported};
pub use rows::Rows;
pub use semantics::{FireError, Semantics, StateTokens, Step, Tokens};
pub use workflow::{NotWorkflow, SoundnessNotion, WorkflowEnds, WorkflowNet};
