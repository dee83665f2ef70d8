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

mod alone;
mod beside;
mod brief;
mod check;
mod crew;
mod equation;
mod fair;
mod later;
mod memory;
mod options;
mod part;
mod plan;
mod post;
mod reduction;
mod spread;
mod stages;
mod through;
mod timeline;

pub use check::{Observer, Report, check};
pub use fireset_engine::{
    Access, AutomatonOrder, Binding, Choice, ColouredConfig, CtlAlgorithm, Deepening, Encoding, Engine,
    FiresetMode, Order, Steering, Stubborn, Tokens, Walk, automata, ltl,
};
pub use fireset_io as io;
pub use fireset_net as net;
pub use fireset_net::{
    Budget, Ending, Event, Evidence, Model, Outcome, Problem, Progress, Property, Query, Size, StopReason,
    Verdict,
};
pub use fireset_reduce::{Simplifier, Steps, rules, unfold};
pub use memory::{physical_memory, resident_memory};
pub use options::{Certificates, Options, Reduction, Simplification, Switch, Unfolding};
pub use plan::Plan;
pub use timeline::{Entry, Timeline};
