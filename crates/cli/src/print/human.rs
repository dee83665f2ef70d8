//! Answers as people read them.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    time::Duration,
};

use anstyle::{AnsiColor, Style};
use fireset::{Options, Outcome, Plan, Verdict, io::query};

use super::{
    Models, Output, Printer,
    evidence::{self, shorten},
    figures,
};
use crate::{
    explain,
    subject::{Answer, Subject},
    tally::Tally,
};

/// Prints answers in the order of the properties, each as soon as those before it are there.
pub struct Human {
    out: Output,
    models: Models,
    /// How answers are looked for, where that is explained.
    explain: Option<Options>,
    /// How many models were begun.
    begun: usize,
    next: usize,
    waiting: BTreeMap<usize, Answer>,
}

impl Printer for Human {
    fn begin(&mut self, subject: &Subject) -> io::Result<()> {
        (self.next, self.waiting) = (0, BTreeMap::new());
        if self.models == Models::Several {
            let bold = Style::new().bold();
            let space = if self.begun > 0 { "\n" } else { "" };
            writeln!(self.out, "{space}{bold}{}{bold:#}", subject.path)?;
        }
        self.begun += 1;
        if let Some(options) = &self.explain {
            write!(self.out, "{}", Plan::new(&subject.problem(), options))?;
        }
        self.out.flush()
    }

    fn answer(&mut self, subject: &Subject, at: usize, answer: &Answer) -> io::Result<()> {
        self.waiting.insert(at, answer.clone());
        while let Some(Answer { outcome, timeline }) = self.waiting.remove(&self.next) {
            // In one piece: whoever is interrupted sees whole answers.
            let mut text = Vec::new();
            self.print(&mut text, subject, self.next, &outcome)?;
            if self.explain.is_some() {
                self.cost(&mut text, &outcome)?;
                explain::write(&mut text, &timeline)?;
            }
            self.out.write_all(&text)?;
            self.next += 1;
        }
        self.out.flush()
    }

    fn close(&mut self, tally: &Tally, elapsed: Duration) -> io::Result<()> {
        let seconds = elapsed.as_secs_f64();
        match (self.models, self.begun) {
            // An old file stays.
            (Models::One, 0) => return Ok(()),
            (Models::One, _) => writeln!(self.out, "{tally} ({seconds:.2} s)"),
            (Models::Several, begun) => {
                let (space, all) = (if begun > 0 { "\n" } else { "" }, begun + tally.refused + tally.unread);
                writeln!(self.out, "{space}{all} models: {tally} ({seconds:.2} s)")
            }
        }?;
        self.out.flush()
    }
}

impl Human {
    /// Nothing printed yet.
    pub fn new(out: Output, models: Models, explain: Option<Options>) -> Self {
        Self { out, models, explain, begun: 0, next: 0, waiting: BTreeMap::new() }
    }

    fn print(&self, out: &mut dyn Write, subject: &Subject, at: usize, outcome: &Outcome) -> io::Result<()> {
        let property = &subject.properties[at];
        let color = |color: AnsiColor| Style::new().bold().fg_color(Some(color.into()));
        let (style, verdict) = match &outcome.verdict {
            Verdict::Holds => (color(AnsiColor::Green), "holds".to_owned()),
            Verdict::Fails => (color(AnsiColor::Red), "fails".to_owned()),
            Verdict::Bound(bound) => (color(AnsiColor::Cyan), bound.to_string()),
            Verdict::StateSpace(_) => (color(AnsiColor::Cyan), "computed".to_owned()),
            Verdict::Unknown(reason) => (color(AnsiColor::Yellow), format!("unknown: {reason}")),
        };
        let formula = query::show_as(&property.formula, property.logic, subject.model.nodes());
        if self.models == Models::Several {
            write!(out, "{}: ", subject.path)?;
        }
        writeln!(out, "{}: {style}{verdict}{style:#}", property.name)?;
        writeln!(out, "  {}", shorten(&formula))?;
        if let Verdict::StateSpace(figures) = &outcome.verdict {
            let lines = figures::lines(&subject.model, figures);
            lines.lines().try_for_each(|line| writeln!(out, "  {line}"))?;
        }
        if matches!(outcome.verdict, Verdict::Unknown(_)) && outcome.statistics.states > 0 {
            writeln!(
                out,
                "  {} states seen, {} firings",
                outcome.statistics.states, outcome.statistics.firings
            )?;
        }
        if let Some(evidence) = &outcome.evidence {
            evidence::write(out, &subject.model, evidence)?;
        }
        Ok(())
    }

    fn cost(&self, out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        let s = &outcome.statistics;
        let techniques: Vec<_> = outcome.techniques.iter().map(|t| t.keyword()).collect();
        writeln!(
            out,
            "  {} states, {} firings, {:.1} MiB, {:.3} s, engine {}{}, {}",
            s.states,
            s.firings,
            s.memory as f64 / f64::from(1 << 20),
            s.elapsed.as_secs_f64(),
            if s.engine.is_empty() { "none" } else { s.engine },
            if s.encoding.is_empty() { String::new() } else { format!(", {} encoding", s.encoding) },
            if techniques.is_empty() { "no technique".to_owned() } else { techniques.join(" ") }
        )
    }
}
