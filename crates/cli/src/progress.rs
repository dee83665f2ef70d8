//! The live table on the standard error, if that is a terminal: the open properties, the stages at work on each, the states
//! seen, and the time.

use std::{
    io::{IsTerminal, stderr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use console::Term;
use fireset::{Event, Progress};
use indicatif::{ProgressBar, ProgressStyle};

use crate::print::states;

/// The table is redrawn at this interval.
const INTERVAL: Duration = Duration::from_millis(200);

#[derive(Clone)]
pub struct LiveTable {
    bar: ProgressBar,
    state: Arc<Mutex<TableState>>,
}

impl LiveTable {
    /// Shows properties of these names, until [`finish`](Self::finish).
    pub fn start(names: impl Iterator<Item = String>) -> Self {
        let state = Arc::new(Mutex::new(TableState::new(names)));
        if !stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden(), state };
        }
        let style = ProgressStyle::with_template("{msg}").expect("the template is well formed");
        let bar = ProgressBar::new_spinner().with_style(style);
        let (shown, drawn) = (bar.downgrade(), Arc::clone(&state));
        // The thread ends when the bar is gone.
        thread::spawn(move || {
            let term = Term::stderr();
            while let Some(bar) = shown.upgrade().filter(|bar| !bar.is_finished()) {
                let (height, width) = term.size();
                bar.set_message(lock(&drawn).draw((height.into(), width.into())));
                bar.tick();
                drop(bar);
                thread::sleep(INTERVAL);
            }
        });
        Self { bar, state }
    }

    pub fn record(&self, at: usize, event: &Event) {
        lock(&self.state).record(at, event);
    }

    /// Removes the row of a property.
    pub fn answered(&self, at: usize) {
        lock(&self.state).rows[at].open = false;
    }

    /// Hides the table while `work` prints.
    pub fn suspend<T>(&self, work: impl FnOnce() -> T) -> T {
        self.bar.suspend(work)
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn lock(state: &Mutex<TableState>) -> MutexGuard<'_, TableState> {
    // Rows are consistent even after a panic elsewhere.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

struct TableState {
    rows: Vec<TableRow>,
    start: Instant,
}

struct TableRow {
    name: String,
    open: bool,
    /// The stages at work on the property, each with its progress.
    stages: Vec<(&'static str, Progress)>,
}

impl TableState {
    fn new(names: impl Iterator<Item = String>) -> Self {
        let row = |name| TableRow { name, open: true, stages: Vec::new() };
        Self { rows: names.map(row).collect(), start: Instant::now() }
    }

    fn record(&mut self, at: usize, event: &Event) {
        let stages = &mut self.rows[at].stages;
        match event {
            Event::Began(stage, seen) => {
                stages.retain(|(other, _)| other != stage);
                stages.push((stage, seen.clone()));
            }
            Event::Ended { stage, .. } => stages.retain(|(other, _)| other != stage),
            Event::Turn | Event::Applied { .. } => {}
        }
    }

    /// The table as lines that fit on a screen, properties in progress first.
    fn draw(&self, (height, width): (usize, usize)) -> String {
        let open: Vec<&TableRow> = self.rows.iter().filter(|row| row.open).collect();
        let (busy, waiting): (Vec<&TableRow>, Vec<&TableRow>) =
            open.iter().partition(|row| !row.stages.is_empty());
        let fits = height.saturating_sub(4).max(1);
        let shown: Vec<&TableRow> = busy.into_iter().chain(waiting).take(fits).collect();
        let names = shown.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).min(40);
        let mut lines: Vec<String> = shown.iter().map(|row| row.line(names)).collect();
        if open.len() > shown.len() {
            lines.push(format!("... and {} more", open.len() - shown.len()));
        }
        let (answered, all) = (self.rows.len() - open.len(), self.rows.len());
        lines.push(format!("{answered} of {all} answered, {:.0} s", self.start.elapsed().as_secs_f64()));
        let cut = |line: String| line.chars().take(width.saturating_sub(1)).collect::<String>();
        lines.into_iter().map(cut).collect::<Vec<_>>().join("\n")
    }
}

impl TableRow {
    fn line(&self, names: usize) -> String {
        let name: String = self.name.chars().take(names).collect();
        let stage = |(stage, seen): &(&'static str, Progress)| match seen.states() {
            0 => (*stage).to_owned(),
            seen => format!("{stage} {}", states(seen)),
        };
        let stages: Vec<String> = self.stages.iter().map(stage).collect();
        let stages = if stages.is_empty() { "waiting".to_owned() } else { stages.join(", ") };
        format!("{name:names$}  {stages}")
    }
}

#[cfg(test)]
mod tests {
    use fireset::Ending;

    use super::*;

    #[test]
    fn open_properties_are_shown_with_their_stages() {
        let mut table = TableState::new((0..5).map(|at| format!("property {at}")));
        table.record(3, &Event::Began("search", Progress::default()));
        table.record(3, &Event::Began("walk", Progress::default()));
        let (elapsed, ending) = (Duration::ZERO, Ending::Superfluous);
        table.record(3, &Event::Ended { stage: "walk", elapsed, states: 0, ending });
        table.rows[1].open = false;
        let text = table.draw((7, 80));
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(
            lines[..4],
            ["property 3  search", "property 0  waiting", "property 2  waiting", "... and 1 more"]
        );
        assert!(lines[4].starts_with("1 of 5 answered"), "{text}");
        assert!(table.draw((3, 8)).lines().all(|line| line.len() < 8), "it fits on a small screen");
    }
}
