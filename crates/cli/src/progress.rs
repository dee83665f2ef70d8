//! A table on the standard error that shows what happens, when somebody watches: the open properties, what is done for each
//! of them now, the states seen, and the time.

use std::{
    io::{IsTerminal, stderr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use console::Term;
use fireset::{Event, net::Progress as Seen};
use indicatif::{ProgressBar, ProgressStyle};

/// How often the table is drawn anew.
const INTERVAL: Duration = Duration::from_millis(200);

/// The table; hidden unless the standard error is a terminal.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
    table: Arc<Mutex<Table>>,
}

impl Progress {
    /// Shows properties of these names, until [`finish`](Self::finish).
    pub fn start(names: impl Iterator<Item = String>) -> Self {
        let table = Arc::new(Mutex::new(Table::new(names)));
        if !stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden(), table };
        }
        let style = ProgressStyle::with_template("{msg}").expect("the template is well formed");
        let bar = ProgressBar::new_spinner().with_style(style);
        let (shown, drawn) = (bar.downgrade(), Arc::clone(&table));
        // Ends by itself when the bar is gone.
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
        Self { bar, table }
    }

    /// Something is done for a property.
    pub fn record(&self, at: usize, event: &Event) {
        lock(&self.table).record(at, event);
    }

    /// A property is answered.
    pub fn answered(&self, at: usize) {
        lock(&self.table).rows[at].open = false;
    }

    /// Hides the table while `work` prints.
    pub fn suspend<T>(&self, work: impl FnOnce() -> T) -> T {
        self.bar.suspend(work)
    }

    /// Takes the table away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    // Rows are whole even where somebody panicked.
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is shown.
struct Table {
    rows: Vec<Row>,
    start: Instant,
}

/// A property.
struct Row {
    name: String,
    open: bool,
    /// Who is at work on it, and how far.
    stages: Vec<(&'static str, Seen)>,
}

impl Table {
    fn new(names: impl Iterator<Item = String>) -> Self {
        let row = |name| Row { name, open: true, stages: Vec::new() };
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

    /// The table as lines that fit on a screen: first those that somebody is at work on.
    fn draw(&self, (height, width): (usize, usize)) -> String {
        let open: Vec<&Row> = self.rows.iter().filter(|row| row.open).collect();
        let (busy, waiting): (Vec<&Row>, Vec<&Row>) = open.iter().partition(|row| !row.stages.is_empty());
        let fits = height.saturating_sub(4).max(1);
        let shown: Vec<&Row> = busy.into_iter().chain(waiting).take(fits).collect();
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

impl Row {
    fn line(&self, names: usize) -> String {
        let name: String = self.name.chars().take(names).collect();
        let stage = |(stage, seen): &(&'static str, Seen)| match seen.states() {
            0 => (*stage).to_owned(),
            states => format!("{stage} {states} states"),
        };
        let stages: Vec<String> = self.stages.iter().map(stage).collect();
        let stages = if stages.is_empty() { "waits".to_owned() } else { stages.join(", ") };
        format!("{name:names$}  {stages}")
    }
}

#[cfg(test)]
mod tests {
    use fireset::Ending;

    use super::*;

    #[test]
    fn open_properties_are_shown_with_what_is_done() {
        let mut table = Table::new((0..5).map(|at| format!("property {at}")));
        table.record(3, &Event::Began("search", Seen::default()));
        table.record(3, &Event::Began("walk", Seen::default()));
        let (elapsed, ending) = (Duration::ZERO, Ending::Superfluous);
        table.record(3, &Event::Ended { stage: "walk", elapsed, states: 0, ending });
        table.rows[1].open = false;
        let text = table.draw((7, 80));
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(
            lines[..4],
            ["property 3  search", "property 0  waits", "property 2  waits", "... and 1 more"]
        );
        assert!(lines[4].starts_with("1 of 5 answered"), "{text}");
        assert!(table.draw((3, 8)).lines().all(|line| line.len() < 8), "it fits on a small screen");
    }
}
