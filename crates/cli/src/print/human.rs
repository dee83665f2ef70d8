//! Answers as text.

use std::{
    io::{self, Write},
    time::Duration,
};

use anstyle::{AnsiColor, Style};
use fireset::{Options, Outcome, Strategy, Verdict, io::property_file::RefusedProperty};

use super::{
    AnswerPrinter, EvidenceForm, ModelCount, Output, culprits, evidence,
    state_space::{self, states},
    steps,
};
use crate::{
    counts::AnswerCounts,
    explain,
    job::{Job, PropertyAnswer},
};

/// Prints each answer when it is known.
pub struct HumanPrinter {
    out: Output,
    models: ModelCount,
    form: EvidenceForm,
    /// The options of the strategy that is printed; `None` without `--explain`.
    explain: Option<Options>,
    /// The number of models that were read.
    begun: usize,
}

impl AnswerPrinter for HumanPrinter {
    fn begin(&mut self, job: &Job) -> io::Result<()> {
        if self.models == ModelCount::Several {
            let bold = Style::new().bold();
            let space = if self.begun > 0 { "\n" } else { "" };
            writeln!(self.out, "{space}{bold}{}{bold:#}", job.path)?;
        }
        self.begun += 1;
        if let Some(options) = &self.explain {
            write!(self.out, "{}", Strategy::new(&job.problem(), options))?;
        }
        self.out.flush()
    }

    fn refused(&mut self, job: &Job, refused: &RefusedProperty) -> io::Result<()> {
        let yellow = Style::new().bold().fg_color(Some(AnsiColor::Yellow.into()));
        let path = if self.models == ModelCount::Several { format!("{}: ", job.path) } else { String::new() };
        let RefusedProperty { name, error } = refused;
        writeln!(self.out, "{path}{name}: {yellow}not understood: {}{yellow:#}", error.message)?;
        self.out.flush()
    }

    fn answer(&mut self, job: &Job, at: usize, answer: &PropertyAnswer) -> io::Result<()> {
        // Written in one piece, so that an interrupt leaves whole answers.
        let mut text = Vec::new();
        self.print(&mut text, job, at, answer)?;
        if self.explain.is_some() {
            self.cost(&mut text, &answer.outcome)?;
            explain::write(&mut text, &answer.timeline)?;
        }
        self.out.write_all(&text)?;
        self.out.flush()
    }

    fn close(&mut self, counts: &AnswerCounts, elapsed: Duration) -> io::Result<()> {
        let seconds = elapsed.as_secs_f64();
        match (self.models, self.begun) {
            // An existing output file stays as it is.
            (ModelCount::One, 0) => return Ok(()),
            (ModelCount::One, _) => writeln!(self.out, "{counts} ({seconds:.2} s)"),
            (ModelCount::Several, begun) => {
                let (space, all) =
                    (if begun > 0 { "\n" } else { "" }, begun + counts.refused + counts.unread);
                writeln!(self.out, "{space}{all} models: {counts} ({seconds:.2} s)")
            }
        }?;
        self.out.flush()
    }
}

impl HumanPrinter {
    pub fn new(out: Output, models: ModelCount, form: EvidenceForm, explain: Option<Options>) -> Self {
        Self { out, models, form, explain, begun: 0 }
    }

    fn print(&self, out: &mut dyn Write, job: &Job, at: usize, answer: &PropertyAnswer) -> io::Result<()> {
        let (property, outcome) = (&job.properties[at], &answer.outcome);
        let bold = |color: AnsiColor| Style::new().bold().fg_color(Some(color.into()));
        let (style, verdict) = match &outcome.verdict {
            Verdict::Holds => (bold(AnsiColor::Green), "holds".to_owned()),
            Verdict::Fails => (bold(AnsiColor::Red), "fails".to_owned()),
            Verdict::Bound(bound) => (bold(AnsiColor::Cyan), bound.to_string()),
            Verdict::StateSpace(_) => (bold(AnsiColor::Cyan), "computed".to_owned()),
            Verdict::PartialStateSpace(known) => {
                (bold(AnsiColor::Yellow), format!("unknown in part: {}", known.reason))
            }
            Verdict::Unknown(reason) => (bold(AnsiColor::Yellow), format!("unknown: {reason}")),
        };
        let (style, verdict) = match (answer.is_as_expected(), &answer.expected) {
            (Some(true), _) => (bold(AnsiColor::Green), format!("{verdict}, as expected")),
            (Some(false), Some(expected)) => {
                (bold(AnsiColor::Red), format!("{verdict}, not {expected} as expected"))
            }
            _ => (style, verdict),
        };
        if self.models == ModelCount::Several {
            write!(out, "{}: ", job.path)?;
        }
        writeln!(out, "{}: {style}{verdict}{style:#}", property.name)?;
        writeln!(out, "  {}", evidence::formula(&job.model, property))?;
        let lines = match &outcome.verdict {
            Verdict::StateSpace(size) => state_space::lines(&job.model, size),
            Verdict::PartialStateSpace(known) => state_space::known_lines(&job.model, known),
            _ => String::new(),
        };
        lines.lines().try_for_each(|line| writeln!(out, "  {line}"))?;
        if matches!(outcome.verdict, Verdict::PartialStateSpace(_) | Verdict::Unknown(_))
            && outcome.statistics.states > 0
        {
            writeln!(
                out,
                "  {} seen, {} firings",
                states(outcome.statistics.states),
                outcome.statistics.firings
            )?;
        }
        if let Some(evidence) = &outcome.evidence {
            let (model, verdict) = (&job.model, &outcome.verdict);
            match self.form {
                EvidenceForm::Line => evidence::write_for(out, model, property, verdict, evidence)?,
                EvidenceForm::Table { depth } => {
                    steps::write(out, model, property, (verdict, evidence), depth)?;
                }
            }
        }
        match answer.timeline.is_shortest {
            Some(true) => writeln!(out, "  no shorter run shows it")?,
            Some(false) => writeln!(out, "  a shorter run may show it")?,
            None => {}
        }
        write!(out, "{}", culprits::lines(job, at, answer)?)?;
        Ok(())
    }

    fn cost(&self, out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        let s = &outcome.statistics;
        let techniques: Vec<_> = outcome.techniques.iter().map(|t| t.keyword()).collect();
        writeln!(
            out,
            "  {}, {} firings, {:.1} MiB, {:.3} s, engine {}{}, {}",
            states(s.states),
            s.firings,
            s.memory as f64 / f64::from(1 << 20),
            s.elapsed.as_secs_f64(),
            if s.engine.is_empty() { "none" } else { s.engine },
            if s.encoding.is_empty() { String::new() } else { format!(", {} encoding", s.encoding) },
            if techniques.is_empty() { "no technique".to_owned() } else { techniques.join(" ") }
        )
    }
}
