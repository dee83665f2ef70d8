//! Answers as people read them, and as JSON.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    time::Duration,
};

use anstyle::{AnsiColor, Style};
use fireset::{
    Account, Evidence, Model, Outcome, Property, Report, Verdict,
    io::{query, witness},
    net::{
        Branching, Certificate, Choice, Claim, Formula, Logic, Premise, Refutation, Step, replay::show_step,
    },
};
use serde_json::{Map, Value, json};

use crate::explain;

/// At most so many steps of a run are shown; the witness file has them all.
const SHOWN_STEPS: usize = 20;
/// And so many claims.
const SHOWN_CLAIMS: usize = 3;

/// Prints answers in the order of the properties, each as soon as those before it are there.
pub struct Human<'a> {
    model: &'a Model,
    properties: &'a [Property],
    explain: bool,
    next: usize,
    waiting: BTreeMap<usize, (Outcome, Account)>,
    held: usize,
    failed: usize,
    computed: usize,
    unknown: usize,
}

impl<'a> Human<'a> {
    /// Nothing printed yet.
    pub fn new(model: &'a Model, properties: &'a [Property], explain: bool) -> Self {
        let (next, waiting) = (0, BTreeMap::new());
        let (held, failed, computed, unknown) = (0, 0, 0, 0);
        Self { model, properties, explain, next, waiting, held, failed, computed, unknown }
    }

    /// Takes an answer, and prints what is due.
    pub fn answer(
        &mut self,
        out: &mut dyn Write,
        at: usize,
        outcome: &Outcome,
        account: &Account,
    ) -> io::Result<()> {
        self.waiting.insert(at, (outcome.clone(), account.clone()));
        while let Some((outcome, account)) = self.waiting.remove(&self.next) {
            self.print(out, &self.properties[self.next], &outcome)?;
            if self.explain {
                self.cost(out, &outcome)?;
                explain::write(out, &account)?;
            }
            match outcome.verdict {
                Verdict::Holds => self.held += 1,
                Verdict::Fails => self.failed += 1,
                Verdict::Bound(_) | Verdict::StateSpace(_) => self.computed += 1,
                Verdict::Unknown(_) => self.unknown += 1,
            }
            self.next += 1;
        }
        out.flush()
    }

    /// How many properties have which answer.
    pub fn summary(&self, out: &mut dyn Write, elapsed: Duration) -> io::Result<()> {
        let kinds = [
            (self.held, "hold"),
            (self.failed, "fail"),
            (self.computed, "computed"),
            (self.unknown, "unknown"),
        ];
        let counts: Vec<_> = kinds
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, kind)| format!("{count} {kind}"))
            .collect();
        writeln!(out, "{} ({:.2} s)", counts.join(", "), elapsed.as_secs_f64())
    }

    fn print(&self, out: &mut dyn Write, property: &Property, outcome: &Outcome) -> io::Result<()> {
        let color = |color: AnsiColor| Style::new().bold().fg_color(Some(color.into()));
        let (style, verdict) = match &outcome.verdict {
            Verdict::Holds => (color(AnsiColor::Green), "holds".to_owned()),
            Verdict::Fails => (color(AnsiColor::Red), "fails".to_owned()),
            Verdict::Bound(bound) => (color(AnsiColor::Cyan), bound.to_string()),
            Verdict::StateSpace(_) => (color(AnsiColor::Cyan), "computed".to_owned()),
            Verdict::Unknown(reason) => (color(AnsiColor::Yellow), format!("unknown: {reason}")),
        };
        let formula = query::show_as(&property.formula, property.logic, self.model.nodes());
        writeln!(out, "{}: {style}{verdict}{style:#}", property.name)?;
        writeln!(out, "  {}", shorten(&formula))?;
        if let Verdict::StateSpace(figures) = &outcome.verdict {
            writeln!(out, "  {} states, {} firings", figures.states, figures.firings)?;
            let (marking, place) = (&figures.max_in_marking, &figures.max_in_place);
            writeln!(out, "  at most {marking} tokens in a marking, {place} in a place")?;
        }
        if matches!(outcome.verdict, Verdict::Unknown(_)) && outcome.statistics.states > 0 {
            writeln!(
                out,
                "  {} states seen, {} firings",
                outcome.statistics.states, outcome.statistics.firings
            )?;
        }
        match &outcome.evidence {
            Some(Evidence::Trace(trace)) => self.run(out, "shown by", &trace.0)?,
            Some(Evidence::Lasso(lasso)) => {
                self.run(out, "shown by", &lasso.prefix)?;
                match &lasso.cycle[..] {
                    [] => writeln!(out, "  then nothing can fire any more")?,
                    cycle => self.run(out, "then for ever", cycle)?,
                }
            }
            Some(Evidence::Branching(branching)) => self.branching(out, branching)?,
            Some(Evidence::Certificate(certificate)) => {
                writeln!(out, "  certificate: {} (see --witness)", outline(certificate))?;
            }
            None => {}
        }
        Ok(())
    }

    /// The first of some runs that branch, and what they rest on.
    fn branching(&self, out: &mut dyn Write, branching: &Branching) -> io::Result<()> {
        let Branching { runs, claims } = branching;
        let (first, rest) = match &runs[..] {
            [] => (&[][..], &[][..]),
            [first, rest @ ..] => (&first.steps[..], rest),
        };
        self.run(out, "shown by", first)?;
        if !rest.is_empty() {
            let steps: usize = rest.iter().map(|run| run.steps.len()).sum();
            let (s, t) = (plural(rest.len()), plural(steps));
            writeln!(out, "  and {} more run{s} of {steps} step{t} (see --witness)", rest.len())?;
        }
        write_claims(out, self.model, claims)
    }

    fn run(&self, out: &mut dyn Write, title: &str, steps: &[Step]) -> io::Result<()> {
        let shown: Vec<_> = steps.iter().take(SHOWN_STEPS).map(|s| show_step(self.model, s)).collect();
        let rest = steps.len().saturating_sub(SHOWN_STEPS);
        let more = if rest > 0 { format!(" ... and {rest} more (see --witness)") } else { String::new() };
        match steps.len() {
            0 => writeln!(out, "  {title} the initial marking"),
            1 => writeln!(out, "  {title} 1 step: {}", shown[0]),
            n => writeln!(out, "  {title} {n} steps: {}{more}", shown.join(" ")),
        }
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

/// The kind and size of a certificate.
fn outline(certificate: &Certificate) -> String {
    let refutation = match certificate {
        Certificate::Inductive(Formula::And(parts)) => {
            return format!("an inductive formula of {} part{}", parts.len(), plural(parts.len()));
        }
        Certificate::Inductive(_) => return "an inductive formula of 1 part".to_owned(),
        Certificate::Refutation(refutation) => refutation,
    };
    let (mut open, mut leaves, mut inequalities, mut cuts) = (vec![refutation], 0, 0, 0);
    while let Some(part) = open.pop() {
        match part {
            Refutation::Contradiction(premises) => {
                let of_cuts =
                    premises.iter().filter(|(premise, _)| matches!(premise, Premise::Cut(_))).count();
                leaves += 1;
                inequalities += premises.len() - of_cuts;
                cuts += of_cuts;
            }
            Refutation::Cases(choice, cases) => {
                cuts += usize::from(matches!(choice, Choice::Cut(_)));
                open.extend(cases);
            }
        }
    }
    let inequalities = match inequalities {
        1 => "1 inequality".to_owned(),
        count => format!("{count} inequalities"),
    };
    let cuts = match cuts {
        0 => String::new(),
        1 => " and 1 trap or siphon".to_owned(),
        count => format!(" and {count} traps or siphons"),
    };
    let cases = if leaves > 1 { format!(" in {leaves} cases") } else { String::new() };
    format!("{inequalities}{cuts}{cases}")
}

/// The first of some claims, a line each.
pub fn write_claims(out: &mut dyn Write, model: &Model, claims: &[Claim]) -> io::Result<()> {
    for claim in claims.iter().take(SHOWN_CLAIMS) {
        let formula = query::show_as(&claim.formula, Logic::Ctl, model.nodes());
        let value = if claim.holds { "holds" } else { "fails" };
        let place = match claim.state {
            0 => "in the initial marking".to_owned(),
            state => format!("after step {state}"),
        };
        writeln!(out, "  claimed, not shown: {place} {value} {}", shorten(&formula))?;
    }
    match claims.len().saturating_sub(SHOWN_CLAIMS) {
        0 => Ok(()),
        rest => writeln!(out, "  and {rest} more claim{} (see the witness file)", plural(rest)),
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A formula in one line of bearable length.
fn shorten(formula: &str) -> String {
    const LONGEST: usize = 200;
    match formula.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{} ...", &formula[..at]),
        None => formula.to_owned(),
    }
}

/// Writes all answers as JSON, with what they cost.
pub fn json(out: &mut dyn Write, model: &Model, properties: &[Property], report: &Report) -> io::Result<()> {
    let answers = report.outcomes.iter().zip(&report.accounts);
    let entries = properties.iter().zip(answers).map(|(property, (outcome, account))| {
        let mut entry = witness::entry(model, property, &outcome.verdict, outcome.evidence.as_ref());
        let techniques: Vec<_> = outcome.techniques.iter().map(|t| t.keyword()).collect();
        entry.insert("techniques".into(), techniques.into());
        entry.insert("statistics".into(), statistics(outcome));
        entry.insert("stages".into(), explain::json(account));
        entry
    });
    write_document(out, model, entries.collect())
}

fn statistics(outcome: &Outcome) -> Value {
    let s = &outcome.statistics;
    json!({
        "engine": s.engine,
        "encoding": s.encoding,
        "states": s.states,
        "firings": s.firings,
        "memory_bytes": s.memory,
        "seconds": s.elapsed.as_secs_f64(),
    })
}

/// Writes the answers that have a witness, as JSON.
pub fn witnesses(
    out: &mut dyn Write,
    model: &Model,
    properties: &[Property],
    outcomes: &[Outcome],
) -> io::Result<()> {
    let entries = properties.iter().zip(outcomes).filter_map(|(property, outcome)| {
        let evidence = outcome.evidence.as_ref()?;
        Some(witness::entry(model, property, &outcome.verdict, Some(evidence)))
    });
    write_document(out, model, entries.collect())
}

fn write_document(out: &mut dyn Write, model: &Model, entries: Vec<Map<String, Value>>) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &witness::document(model, entries))?;
    writeln!(out)
}
