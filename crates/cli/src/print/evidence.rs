//! Witnesses, counterexamples and certificates as text.

use std::io::{self, Write};

use fireset::{
    Evidence, Model, Verdict,
    io::query,
    net::{
        Branch, Certificate, Choice, Claim, FairGroup, FairSteps, FairnessAssumption, FairnessMet, Lasso,
        Logic, Premise, Property, Query, Refutation, Semantics, StatePredicate, Step,
        replay::{self, show_binding},
    },
};

/// Longer runs are cut here; the witness file has all steps.
const SHOWN_STEPS: usize = 20;
const SHOWN_CLAIMS: usize = 3;
const SHOWN_ASSUMPTIONS: usize = 10;

/// Writes the evidence of a verdict, shortened; the witness file has all of it.
pub fn write(out: &mut dyn Write, model: &Model, verdict: &Verdict, evidence: &Evidence) -> io::Result<()> {
    write_runs(out, model, verdict, evidence)?;
    write_claims(out, model, Logic::Ctl, evidence.claims())
}

fn write_runs(out: &mut dyn Write, model: &Model, verdict: &Verdict, evidence: &Evidence) -> io::Result<()> {
    let role = role(verdict);
    match evidence {
        Evidence::Trace(trace) => run(out, model, role, &trace.0),
        Evidence::Lasso(lasso) => {
            run(out, model, role, &lasso.prefix)?;
            match &lasso.cycle[..] {
                [] => writeln!(out, "  then no transition is enabled")?,
                cycle => run(out, model, "then repeated for ever", cycle)?,
            }
            Ok(())
        }
        Evidence::Branching(branching) => branches(out, model, role, &branching.runs),
        Evidence::Certificate(certificate) => {
            writeln!(out, "  certificate: {} (see --witness)", outline(certificate))
        }
    }
}

/// [`write()`], and how the run meets the fairness assumptions of its property.
pub(super) fn write_for(
    out: &mut dyn Write,
    model: &Model,
    property: &Property,
    verdict: &Verdict,
    evidence: &Evidence,
) -> io::Result<()> {
    write_runs(out, model, verdict, evidence)?;
    write_more(out, model, property, evidence)
}

/// Writes what evidence says beside its runs: its claims, and how a run meets fairness assumptions.
pub(super) fn write_more(
    out: &mut dyn Write,
    model: &Model,
    property: &Property,
    evidence: &Evidence,
) -> io::Result<()> {
    write_claims(out, model, property.logic_of_claims(), evidence.claims())?;
    match evidence {
        Evidence::Lasso(lasso) => fairness(out, model, property, lasso),
        _ => Ok(()),
    }
}

/// A property in one line.
pub fn formula(model: &Model, property: &Property) -> String {
    shorten(&query::show_with_titles(&property.formula, property.logic, model))
}

/// What evidence for a verdict is called.
pub fn role(verdict: &Verdict) -> &'static str {
    if *verdict == Verdict::Fails { "counterexample" } else { "witness" }
}

/// Writes the first run of branching evidence.
fn branches(out: &mut dyn Write, model: &Model, role: &str, runs: &[Branch]) -> io::Result<()> {
    let (first, rest) = match runs {
        [] => (&[][..], &[][..]),
        [first, rest @ ..] => (&first.steps[..], rest),
    };
    run(out, model, role, first)?;
    match repeats(model, first) {
        Some(0) => writeln!(out, "  which leads back to the initial marking")?,
        Some(step) => writeln!(out, "  which leads back to the marking after step {step}")?,
        None => {}
    }
    if !rest.is_empty() {
        let steps: usize = rest.iter().map(|run| run.steps.len()).sum();
        let (s, t) = (plural(rest.len()), plural(steps));
        writeln!(out, "  and {} more run{s} of {steps} step{t} (see --witness)", rest.len())?;
    }
    Ok(())
}

/// Writes how a run meets each fairness assumption of its property.
fn fairness(out: &mut dyn Write, model: &Model, property: &Property, lasso: &Lasso) -> io::Result<()> {
    let Ok(Query::Run(query)) = property.query() else { return Ok(()) };
    let met = match model {
        Model::Plain(net) => replay::fairness_met(net, lasso, &query.fairness),
        Model::Coloured(net) => replay::fairness_met(net, lasso, &query.fairness),
    };
    let groups = query.fairness.groups(model.nodes());
    let (Ok(met), count) = (met, groups.len()) else { return Ok(()) };
    for (FairGroup { strength, steps }, met) in groups.into_iter().zip(met).take(SHOWN_ASSUMPTIONS) {
        let how = match met {
            Some(FairnessMet::Taken { at }) => format!("fires at step {} of the cycle", at + 1),
            Some(FairnessMet::Disabled { at }) => format!("disabled before step {} of the cycle", at + 1),
            Some(FairnessMet::NeverEnabled) => "never enabled in the cycle".to_owned(),
            Some(FairnessMet::Deadlock) => "the run ends in a deadlock".to_owned(),
            None => "not met".to_owned(),
        };
        let assumption = FairnessAssumption { strength, steps: FairSteps::Group(steps) };
        writeln!(out, "  {}: {how}", query::show_assumption(&assumption, model))?;
    }
    match count.saturating_sub(SHOWN_ASSUMPTIONS) {
        0 => Ok(()),
        rest => writeln!(out, "  and {rest} more assumption{} that the run meets", plural(rest)),
    }
}

fn run(out: &mut dyn Write, model: &Model, title: &str, steps: &[Step]) -> io::Result<()> {
    let shown: Vec<_> = steps.iter().take(SHOWN_STEPS).map(|step| one_step(model, step)).collect();
    let rest = steps.len().saturating_sub(SHOWN_STEPS);
    let more = if rest > 0 { format!(" ... and {rest} more (see --witness)") } else { String::new() };
    match steps.len() {
        0 => writeln!(out, "  {title}: the initial marking"),
        1 => writeln!(out, "  {title}, 1 step: {}", shown[0]),
        n => writeln!(out, "  {title}, {n} steps: {}{more}", shown.join(" ")),
    }
}

/// A step, with the transition's title quoted as in queries.
pub fn one_step(model: &Model, step: &Step) -> String {
    query::quote_title(model.nodes().transition_title(step.transition)) + &show_binding(model, step)
}

/// The earlier position of a run's last marking; `None` also for runs that are too long to be printed.
fn repeats(model: &Model, steps: &[Step]) -> Option<usize> {
    fn among<S: Semantics>(net: &S, steps: &[Step]) -> Option<usize> {
        let states = replay::states(net, steps).ok()?;
        let (last, before) = states.split_last()?;
        before.iter().position(|state| state == last)
    }
    match model {
        _ if steps.len() > SHOWN_STEPS => None,
        Model::Plain(net) => among(net, steps),
        Model::Coloured(net) => among(net, steps),
    }
}

/// The kind and size of a certificate.
fn outline(certificate: &Certificate) -> String {
    let refutation = match certificate {
        Certificate::Inductive(StatePredicate::And(parts)) if parts.is_empty() => {
            return "no property of markings is needed".to_owned();
        }
        Certificate::Inductive(StatePredicate::And(parts)) => {
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

/// Writes the first claims, one per line.
pub fn write_claims(out: &mut dyn Write, model: &Model, logic: Logic, claims: &[Claim]) -> io::Result<()> {
    for claim in claims.iter().take(SHOWN_CLAIMS) {
        let formula = query::show_with_titles(&claim.formula, logic, model);
        let value = if claim.holds { "holds" } else { "fails" };
        let place = match claim.state {
            0 => "in the initial marking".to_owned(),
            state => format!("after step {state}"),
        };
        writeln!(out, "  claimed without a run: {place} {value} {}", shorten(&formula))?;
    }
    match claims.len().saturating_sub(SHOWN_CLAIMS) {
        0 => Ok(()),
        rest => writeln!(out, "  and {rest} more claim{} (see the witness file)", plural(rest)),
    }
}

pub(super) fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Cuts a formula to one line.
pub(super) fn shorten(formula: &str) -> String {
    const LONGEST: usize = 200;
    match formula.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{} ...", &formula[..at]),
        None => formula.to_owned(),
    }
}
