//! Runs as tables: a line for each step with the places that it changes, and the truth of the property's atoms.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use console::{measure_text_width, pad_str};
use fireset::{
    Evidence, Model, Verdict,
    io::query,
    net::{Formula, Property, Step, replay::Refusal},
    run_table::{
        RunColumn, RunEnd, RunTable, RunValue, TabledRun,
        obstacles::{BlockedPlace, Obstacle},
    },
};

use super::evidence::{self, shorten};

/// Marked places of a marking, and changes of a step, that are listed.
const SHOWN_PLACES: usize = 20;
/// Transitions of which it is told why they are not enabled.
const SHOWN_OBSTACLES: usize = 20;

/// Writes the runs of some evidence as tables, and what the evidence claims.
pub fn write(
    out: &mut dyn Write,
    model: &Model,
    property: &Property,
    verdict: &Verdict,
    evidence: &Evidence,
) -> io::Result<()> {
    if let Evidence::Certificate(_) = evidence {
        return evidence::write_for(out, model, property, verdict, evidence);
    }
    match RunTable::new(model, property, evidence) {
        Ok(table) => {
            let printer = TablePrinter::new(model, property, &table);
            out.write_all(printer.text(evidence::role(verdict)).as_bytes())?;
            evidence::write_more(out, model, property, evidence)
        }
        Err(refusal) => refused(out, model, &refusal),
    }
}

/// Evidence that `check` gives out has been replayed; that of a file may be wrong.
fn refused(out: &mut dyn Write, model: &Model, refusal: &Refusal) -> io::Result<()> {
    writeln!(out, "  the run cannot be shown step by step: {}", refusal.describe(model))
}

struct TablePrinter<'a> {
    model: &'a Model,
    table: &'a RunTable,
    /// What each column stands for.
    legend: Vec<String>,
    /// The columns that are printed, with their letters; the values of the others are the same everywhere.
    shown: Vec<(usize, String)>,
}

impl<'a> TablePrinter<'a> {
    fn new(model: &'a Model, property: &Property, table: &'a RunTable) -> Self {
        let legend = table.columns.iter().map(|column| column_title(model, property, column));
        let changes = |column: usize| {
            let mut values = table
                .runs
                .iter()
                .flat_map(|run| std::iter::once(&run.values).chain(run.rows.iter().map(|row| &row.values)));
            let first = values.next().map(|values| values[column]);
            values.any(|values| Some(values[column]) != first)
        };
        let changing = (0..table.columns.len()).filter(|&column| changes(column));
        let shown = changing.enumerate().map(|(at, column)| (column, letter(at))).collect();
        Self { model, table, legend: legend.collect(), shown }
    }

    fn text(&self, role: &str) -> String {
        let mut text = String::new();
        for (column, letter) in &self.shown {
            let _ = writeln!(text, "    {letter}: {}", self.legend[*column]);
        }
        for (column, legend) in self.legend.iter().enumerate() {
            let is_shown = self.shown.iter().any(|(shown, _)| *shown == column);
            if let (false, Some(run)) = (is_shown, self.table.runs.first()) {
                let value = match run.values[column] {
                    RunValue::Truth(true) => "true all along".to_owned(),
                    RunValue::Truth(false) => "false all along".to_owned(),
                    RunValue::Count(count) => format!("{count} all along"),
                };
                let _ = writeln!(text, "    {value}: {legend}");
            }
        }
        let mut first = 0;
        for (at, run) in self.table.runs.iter().enumerate() {
            let title = match (at, run.rows.len()) {
                (0, 0) => format!("{role}: the initial marking"),
                (0, steps) => format!("{role}, {steps} step{}", if steps == 1 { "" } else { "s" }),
                _ if run.from == 0 => "another run from the initial marking".to_owned(),
                _ => format!("another run from the marking after step {}", run.from),
            };
            let _ = writeln!(text, "  {title}");
            text += &self.run(run, first);
            first += run.rows.len();
        }
        text
    }

    /// The lines of a run, whose steps come after this number of steps of the runs before it.
    fn run(&self, run: &TabledRun, first: usize) -> String {
        let mut lines =
            vec![[vec!["step".to_owned()], self.letters(), vec!["transition".into(), "tokens".into()]]];
        let start =
            [vec![run.from.to_string()], self.values(&run.values), vec![String::new(), list(&run.marking)]];
        lines.push(start);
        for (at, row) in run.rows.iter().enumerate() {
            let changes = if row.changes.is_empty() { "no change".to_owned() } else { list(&row.changes) };
            let number = (first + at + 1).to_string();
            lines.push([vec![number], self.values(&row.values), vec![self.step(&row.step), changes]]);
        }
        let lines: Vec<Vec<String>> = lines.into_iter().map(|parts| parts.concat()).collect();
        let mut text = aligned(&lines);
        match &run.end {
            RunEnd::Open => {}
            RunEnd::BackTo(0) if run.from == 0 => text += "    which leads back to the initial marking\n",
            RunEnd::BackTo(steps) => {
                let number = if *steps == 0 { run.from } else { first + steps };
                let _ = writeln!(text, "    which leads back to the marking after step {number}");
            }
            RunEnd::Deadlock(obstacles) => text += &self.deadlock(obstacles),
        }
        text
    }

    fn letters(&self) -> Vec<String> {
        self.shown.iter().map(|(_, letter)| letter.clone()).collect()
    }

    fn values(&self, values: &[RunValue]) -> Vec<String> {
        let value = |(column, _): &(usize, String)| match values[*column] {
            RunValue::Truth(true) => "✓".to_owned(),
            RunValue::Truth(false) => "·".to_owned(),
            RunValue::Count(count) => count.to_string(),
        };
        self.shown.iter().map(value).collect()
    }

    fn step(&self, step: &Step) -> String {
        evidence::one_step(self.model, step)
    }

    /// Why nothing is enabled.
    fn deadlock(&self, obstacles: &[Obstacle]) -> String {
        let mut text = "    a deadlock, since no transition is enabled:\n".to_owned();
        let nodes = self.model.nodes();
        let title = |place| query::quote_title(nodes.place_title(place));
        let lines = obstacles.iter().take(SHOWN_OBSTACLES).map(|obstacle| {
            let reasons = obstacle.places.iter().map(|place| match *place {
                BlockedPlace::Lacks { place, needs: 1, has: 0 } => {
                    format!("needs a token on {}", title(place))
                }
                BlockedPlace::Lacks { place, needs, has } => {
                    format!("needs {needs} tokens on {}, which has {has}", title(place))
                }
                BlockedPlace::Inhibits { place, limit, has } => {
                    format!("needs fewer than {limit} tokens on {}, which has {has}", title(place))
                }
            });
            let reasons: Vec<String> = reasons.collect();
            let reasons = match reasons.len() {
                0 => "has no binding that fits to the tokens".to_owned(),
                _ => reasons.join("; "),
            };
            vec![query::quote_title(nodes.transition_title(obstacle.transition)), reasons]
        });
        for line in aligned(&lines.collect::<Vec<_>>()).lines() {
            let _ = writeln!(text, "  {line}");
        }
        if let Some(rest @ 1..) = obstacles.len().checked_sub(SHOWN_OBSTACLES) {
            let _ = writeln!(text, "      and {rest} more transitions");
        }
        text
    }
}

/// What a column of a table stands for.
pub fn column_title(model: &Model, property: &Property, column: &RunColumn) -> String {
    let formula = match column {
        RunColumn::Atom(predicate) => Formula::from(predicate),
        RunColumn::Tokens(places) => Formula::Bound(places.clone()),
    };
    shorten(&query::show_with_titles(&formula, property.logic, model))
}

/// `a`, `b`, …, `z`, `a1`, …
fn letter(at: usize) -> String {
    let letter = char::from(b'a' + (at % 26) as u8);
    if at < 26 { letter.to_string() } else { format!("{letter}{}", at / 26) }
}

fn list(items: &[String]) -> String {
    let shown = items.iter().take(SHOWN_PLACES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match items.len().saturating_sub(SHOWN_PLACES) {
        0 => shown,
        rest => format!("{shown} and {rest} more"),
    }
}

/// Lines whose parts stand below each other.
fn aligned(lines: &[Vec<String>]) -> String {
    let mut widths = vec![0; lines.iter().map(Vec::len).max().unwrap_or(0)];
    for (width, part) in lines.iter().flat_map(|line| line.iter().enumerate()) {
        let at = &mut widths[width];
        *at = (*at).max(measure_text_width(part));
    }
    let mut text = String::new();
    for line in lines {
        let parts = line.iter().zip(&widths).enumerate().map(|(at, (part, &width))| {
            // Numbers of steps are flush right.
            let alignment = if at == 0 && part.chars().all(|c| c.is_ascii_digit()) {
                console::Alignment::Right
            } else {
                console::Alignment::Left
            };
            pad_str(part, width, alignment, None).into_owned()
        });
        let _ = writeln!(text, "    {}", parts.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}
