//! Petri-net model checking in one call.
//!
//! [`check`] takes a net with queries and gives a verdict for each: holds, fails, a bound, the size of the
//! state space, or unknown with the reason. Runs that show a verdict are replayed on the net before they are
//! given out.
//!
//! ```
//! use fireset::{Budget, Options, Problem, Verdict, check, io, net};
//!
//! let net = fireset_oracle::tiny::net("idle:2 busy lock:1; enter: idle, lock -> busy; leave: busy -> idle, lock");
//! let model = net::Model::Plain(net);
//! let mutex = io::query::read("mutex", "AG busy <= 1", model.nodes())?;
//! let stuck = io::query::read("stuck", "EF deadlock", model.nodes())?;
//! let queries = vec![mutex.query()?, stuck.query()?];
//! let problem = Problem { model: model.into(), queries };
//! let report = check(&problem, &Options::default(), &Budget::unlimited(), &mut ());
//! assert_eq!(report.outcomes[0].verdict, Verdict::Holds);
//! assert_eq!(report.outcomes[1].verdict, Verdict::Fails);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bound_checks;
mod check;
mod culprits;
mod evidence_search;
pub mod game;
mod inner_checks;
mod memory;
mod most_tokens;
mod named;
mod named_values;
mod options;
mod panic;
mod planner;
mod read;
mod recorder;
mod results;
pub mod run_table;
mod scheduler;
mod single_check;
pub mod soundness;
mod state_equation;
mod strategy;
mod timeline;
mod tuning;
mod validator;
mod watchdog;

pub use check::{Observer, Report, check, check_unwatched};
pub use culprits::{Culprit, Culprits, ShownCulprit};
pub use fireset_engine::{
    Access, AutomatonOrder, Binding, ColouredConfig, CtlAlgorithm, Deepening, Encoding, Engine, FiresetMode,
    LayoutChoice, Order, RandomWalk, Stubborn, Symmetry, TokenLayout, WalkAcceleration, WalkGuidance,
    automata, ltl,
};
pub use fireset_io as io;
pub use fireset_net as net;
pub use fireset_net::{
    Budget, Ending, Event, Evidence, Model, Outcome, Problem, Progress, Property, Query, Size, StopReason,
    Verdict,
};
pub use fireset_reduce::{SimplificationSteps, Simplifier, rules, unfold, unfold_all_places};
pub use fireset_structure as structure;
pub use memory::{physical_memory, resident_memory};
pub use named_values::{NamedValue, NamedValues};
pub use options::{ColouredOptions, Options, PortfolioOptions, SearchOptions, ShownRun, Switch};
pub use panic::message as panic_message;
pub use read::{read, read_net, read_whole_net};
pub use strategy::{Member, PassKind, PerQuery, Scope, Stage, Start, Strategy};
pub use timeline::{Timeline, TimelineEntry};
pub use tuning::Tuning;
pub use watchdog::Watchdog;
