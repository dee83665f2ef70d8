//! A query from the marking that is looked at, decided while the game goes on.

use std::{
    sync::mpsc::{Receiver, TryRecvError, channel},
    thread,
    time::Duration,
};

use fireset::{
    Budget, Model, Options, Outcome, StopReason, Verdict, check,
    net::{Problem, Property, Signal},
};

/// The longest time for a query.
const MOST_TIME: Duration = Duration::from_secs(60);

/// A query that is being decided.
pub struct OpenQuestion {
    pub text: String,
    /// The number of steps to the marking that it was asked from.
    pub from: usize,
    stop: Signal,
    answer: Receiver<Outcome>,
}

impl OpenQuestion {
    /// Begins to decide a property of a model, whose initial marking is the one that it is asked from.
    pub fn ask(model: Model, property: &Property, text: String, from: usize) -> Result<Self, String> {
        let query = property.query().map_err(|error| error.to_string())?;
        let (stop, (sender, answer)) = (Signal::default(), channel());
        let budget = Budget::unlimited().with_timeout(MOST_TIME).heeding(&stop);
        thread::spawn(move || {
            let problem = Problem { model: model.into(), queries: vec![query] };
            let report = check(&problem, &Options::default(), &budget, &mut ());
            // A query that was cancelled has no receiver any more.
            for outcome in report.outcomes {
                let _ = sender.send(outcome);
            }
        });
        Ok(Self { text, from, stop, answer })
    }

    /// The answer, once it is there.
    pub fn answer(&self) -> Option<Outcome> {
        match self.answer.try_recv() {
            Ok(outcome) => Some(outcome),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                Some(Outcome::unknown(StopReason::Fault("the query ended without an answer".into())))
            }
        }
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.stop.give(StopReason::Cancelled);
    }
}

/// A verdict in a few words.
pub fn verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Holds => "holds".into(),
        Verdict::Fails => "fails".into(),
        Verdict::Bound(bound) => bound.to_string(),
        Verdict::StateSpace(size) => format!("{} states", size.states),
        Verdict::PartialStateSpace(_) => "unknown in part".into(),
        Verdict::Unknown(reason) => format!("unknown ({reason})"),
    }
}
