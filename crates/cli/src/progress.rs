//! A line on the standard error that shows that something happens, when somebody watches.

use std::{
    io::{IsTerminal, stderr},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use fireset::Budget;
use indicatif::{ProgressBar, ProgressStyle};

/// How often the line is drawn anew.
const INTERVAL: Duration = Duration::from_millis(200);

/// The line; hidden unless the standard error is a terminal.
pub struct Progress {
    bar: ProgressBar,
    answered: AtomicUsize,
}

impl Progress {
    /// Shows the states that the search under `budget` has seen, until [`finish`](Self::finish).
    pub fn start(budget: &Budget, properties: usize) -> Self {
        if !stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden(), answered: AtomicUsize::new(0) };
        }
        let style =
            ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}, {pos} of {len} answered")
                .expect("the template is well formed");
        let bar = ProgressBar::new(properties as u64).with_style(style);
        bar.enable_steady_tick(INTERVAL);
        let (shown, budget) = (bar.downgrade(), budget.clone());
        // Ends by itself when the bar is gone.
        thread::spawn(move || {
            while let Some(bar) = shown.upgrade().filter(|bar| !bar.is_finished()) {
                bar.set_message(format!("{} states", budget.states()));
                drop(bar);
                thread::sleep(INTERVAL);
            }
        });
        Self { bar, answered: AtomicUsize::new(0) }
    }

    /// One more property is answered.
    pub fn answered(&self) {
        let answered = self.answered.fetch_add(1, Ordering::Relaxed) + 1;
        self.bar.set_position(answered as u64);
    }

    /// Hides the line while `work` prints.
    pub fn suspend<T>(&self, work: impl FnOnce() -> T) -> T {
        self.bar.suspend(work)
    }

    /// Takes the line away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
