//! Runs as tables: a line for each step with the places that it changes, and the truth of the property's atoms.

use std::{
    collections::HashSet,
    fmt::Write as _,
    io::{self, Write},
};

use console::{measure_text_width, pad_str};
use fireset::{
    Budget, Evidence, Model, Verdict,
    io::query,
    net::{Formula, PlaceId, Property, Step, replay::Refusal},
    run_table::{
        ComponentLane, PlaceText, RunColumn, RunEnd, RunTable, RunValue, TabledRun,
        blocked::{BlockedPlace, BlockedTransition},
        turning_point,
    },
};

use super::{
    evidence::{self, plural, shorten},
    explanation,
};

/// Marked places of a marking, and changes of a step, that are listed.
const SHOWN_PLACES: usize = 20;
/// The most lanes of a table, and the most characters of their columns together.
const SHOWN_LANES: usize = 8;
const LANE_WIDTH: usize = 90;
/// Runs that are printed.
const SHOWN_RUNS: usize = 8;
/// Transitions of which it is told why they are not enabled.
const SHOWN_BLOCKED: usize = 20;

/// Writes the runs of some evidence as tables, why a CTL property has its value, and what the evidence claims.
pub fn write(
    out: &mut dyn Write,
    model: &Model,
    property: &Property,
    (verdict, evidence): (&Verdict, &Evidence),
    depth: usize,
) -> io::Result<()> {
    if let Evidence::Certificate(_) = evidence {
        return evidence::write_for(out, model, property, verdict, evidence);
    }
    match RunTable::new(model, property, evidence) {
        Ok(table) => {
            out.write_all(explanation::lines(model, property, evidence, depth).as_bytes())?;
            let printer = TablePrinter::new(model, property, &table);
            out.write_all(printer.text(evidence::role(verdict)).as_bytes())?;
            let found = turning_point(model, property, evidence, &Budget::unlimited());
            write!(out, "{}", found.map(|at| why(at, evidence)).unwrap_or_default())?;
            evidence::write_more(out, model, property, evidence)
        }
        Err(refusal) => refused(out, model, &refusal),
    }
}

/// Evidence that `check` gives out has been replayed; that of a file may be wrong.
fn refused(out: &mut dyn Write, model: &Model, refusal: &Refusal) -> io::Result<()> {
    writeln!(out, "  the run cannot be shown step by step: {}", refusal.describe(model))
}

/// From where on the end of a run could not be avoided.
fn why(turning_point: usize, evidence: &Evidence) -> String {
    let Evidence::Trace(trace) = evidence else { return String::new() };
    match (turning_point, trace.0.len()) {
        (_, 0) => String::new(),
        (0, _) => "    every run comes to it, from the initial marking on\n".into(),
        (last, steps) if last == steps => "    it could be avoided until the last step\n".into(),
        (step, _) => format!("    it could be avoided until step {step}; from there every run comes to it\n"),
    }
}

struct TablePrinter<'a> {
    model: &'a Model,
    table: &'a RunTable,
    /// What each column stands for.
    legend: Vec<String>,
    /// The columns that are printed, with their letters; the values of the others are the same everywhere.
    shown: Vec<(usize, String)>,
    /// The lanes in which something happens.
    lanes: Vec<&'a ComponentLane>,
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
        Self { model, table, legend: legend.collect(), shown, lanes: lanes(model, table) }
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
        if self.table.runs.iter().any(|run| !run.accepting.is_empty()) {
            let _ = writeln!(text, "    ★: the automaton of the violation accepts");
        }
        let (mut first, mut deadlocks) = (0, HashSet::new());
        for (at, run) in self.table.runs.iter().take(SHOWN_RUNS).enumerate() {
            let title = match (at, run.rows.len()) {
                (0, 0) => format!("{role}: the initial marking"),
                (0, steps) => format!("{role}, {steps} step{}", plural(steps)),
                _ if run.from == 0 => "another run from the initial marking".to_owned(),
                _ => format!("another run from the marking after step {}", run.from),
            };
            let _ = writeln!(text, "  {title}");
            text += &self.run(run, first);
            match &run.end {
                RunEnd::Deadlock(blocked) if deadlocks.insert(blocked) => text += &self.deadlock(blocked),
                RunEnd::Deadlock(_) => text += "    a deadlock like one above\n",
                _ => {}
            }
            first += run.rows.len();
        }
        if let Some(rest @ [_, ..]) = self.table.runs.get(SHOWN_RUNS..) {
            let (runs, steps) = (rest.len(), rest.iter().map(|run| run.rows.len()).sum());
            let (s, t) = (plural(runs), plural(steps));
            let _ = writeln!(text, "  and {runs} more run{s} of {steps} step{t} (see --witness)");
        }
        text
    }

    /// The lines of a run, whose steps come after this number of steps of the runs before it.
    fn run(&self, run: &TabledRun, first: usize) -> String {
        let accepts = |at: usize| match run.accepting.get(at) {
            Some(true) => vec!["★".to_owned()],
            Some(false) => vec![String::new()],
            None => Vec::new(),
        };
        let head = if run.accepting.is_empty() { Vec::new() } else { vec!["★".to_owned()] };
        let lane_titles = self.lanes.iter().map(|lane| lane.name.clone().unwrap_or_default()).collect();
        let mut lines = vec![[
            vec!["step".to_owned()],
            self.letters(),
            head,
            vec!["transition".into()],
            lane_titles,
            vec!["tokens".into()],
        ]];
        let (in_lanes, rest) = self.in_lanes(&run.marking);
        let values = self.values(&run.values);
        lines.push([
            vec![run.from.to_string()],
            values,
            accepts(0),
            vec![String::new()],
            in_lanes,
            vec![rest],
        ]);
        for (at, row) in run.rows.iter().enumerate() {
            let (in_lanes, mut rest) = self.in_lanes(&row.changes);
            if row.changes.is_empty() {
                rest = "no change".to_owned();
            }
            let (number, step) = ((first + at + 1).to_string(), self.step(&row.step));
            let values = self.values(&row.values);
            lines.push([vec![number], values, accepts(at + 1), vec![step], in_lanes, vec![rest]]);
        }
        let lines: Vec<Vec<String>> = lines.into_iter().map(|parts| parts.concat()).collect();
        let mut text = aligned(&lines);
        match &run.end {
            RunEnd::Open | RunEnd::Deadlock(_) => {}
            RunEnd::BackTo(0) if run.from == 0 => text += "    which leads back to the initial marking\n",
            RunEnd::BackTo(steps) => {
                let number = if *steps == 0 { run.from } else { first + steps };
                let _ = writeln!(text, "    which leads back to the marking after step {number}");
            }
        }
        text
    }

    /// What is told of some places in their lanes, and of the places in no lane. A lane in which nothing changes is a line downwards.
    fn in_lanes(&self, texts: &[PlaceText]) -> (Vec<String>, String) {
        let title = |place| query::quote_title(self.model.nodes().place_title(place));
        let lane = |lane: &&ComponentLane| {
            let mut inside = texts.iter().filter(|text| lane.places.contains(&text.place)).peekable();
            if inside.peek().is_none() {
                return "│".to_owned();
            }
            inside.filter(|text| text.is_marked).map(|text| title(text.place)).collect::<Vec<_>>().join(" ")
        };
        let is_outside = |text: &&PlaceText| !self.lanes.iter().any(|lane| lane.places.contains(&text.place));
        let outside: Vec<&str> = texts.iter().filter(is_outside).map(|text| text.text.as_str()).collect();
        (self.lanes.iter().map(lane).collect(), list(&outside))
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
    fn deadlock(&self, blocked: &[BlockedTransition]) -> String {
        let mut text = "    a deadlock, since no transition is enabled:\n".to_owned();
        let nodes = self.model.nodes();
        let lines = blocked.iter().take(SHOWN_BLOCKED).map(|blocked| {
            let title = query::quote_title(nodes.transition_title(blocked.transition));
            vec![title, why_blocked(self.model, blocked)]
        });
        for line in aligned(&lines.collect::<Vec<_>>()).lines() {
            let _ = writeln!(text, "  {line}");
        }
        if let Some(rest @ 1..) = blocked.len().checked_sub(SHOWN_BLOCKED) {
            let _ = writeln!(text, "      and {rest} more transitions");
        }
        text
    }
}

/// What a transition that is not enabled lacks, without its name.
pub fn why_blocked(model: &Model, blocked: &BlockedTransition) -> String {
    let title = |place| query::quote_title(model.nodes().place_title(place));
    let reasons = blocked.places.iter().map(|place| match *place {
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
    match reasons.len() {
        0 => "has no binding that fits to the tokens".to_owned(),
        _ => reasons.join("; "),
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

/// The lanes in which the runs of a table change something, if there are few of them and they are narrow.
fn lanes<'a>(model: &Model, table: &'a RunTable) -> Vec<&'a ComponentLane> {
    let changed: HashSet<PlaceId> = table
        .runs
        .iter()
        .flat_map(|run| &run.rows)
        .flat_map(|row| row.changes.iter().map(|change| change.place))
        .collect();
    let touched = |lane: &&ComponentLane| lane.places.iter().any(|place| changed.contains(place));
    let lanes: Vec<&ComponentLane> = table.lanes.iter().filter(touched).collect();
    let width = |place: &PlaceId| measure_text_width(&query::quote_title(model.nodes().place_title(*place)));
    let widest = |lane: &&ComponentLane| lane.places.iter().map(width).max().unwrap_or(0) + 2;
    let is_narrow = lanes.iter().map(widest).sum::<usize>() <= LANE_WIDTH;
    if lanes.len() <= SHOWN_LANES && is_narrow { lanes } else { Vec::new() }
}

fn list(items: &[&str]) -> String {
    let shown = items.iter().take(SHOWN_PLACES).copied().collect::<Vec<_>>().join(", ");
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
