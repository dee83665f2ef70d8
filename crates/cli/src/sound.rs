//! `fireset sound`: the soundness of workflow nets and BPMN processes.

use std::{
    io::{self, Write},
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};

use fireset::{
    Evidence, Options, Switch, Verdict,
    io::witness,
    net::{Logic, Property},
    soundness::{SoundnessNotion, SoundnessPart, SoundnessReport, StructuralSoundness, Workflow, soundness},
};
use serde_json::{Map, Value, json};

use crate::{
    args::{InfoFormat, SoundArgs},
    failure::{BAD_INPUT, Failure, UNFINISHED},
    load,
    print::{record, write_evidence},
};

/// Exit code for a workflow that has not the property.
const UNSOUND: u8 = 1;

/// What is known of one file.
struct CheckedFile {
    path: String,
    elapsed: Duration,
    result: Result<(Workflow, SoundnessReport), String>,
}

pub fn run(args: &SoundArgs) -> Result<ExitCode, Failure> {
    let mut codes = Vec::new();
    let mut files = Vec::new();
    for path in &args.models {
        let file = check(path, args);
        codes.push(code(&file, args.notion));
        match args.format {
            InfoFormat::Human => load::write_to(None, |out| human(out, &file, args))?,
            InfoFormat::Json => files.push(json_record(&file)),
        }
    }
    match args.format {
        InfoFormat::Human if args.models.len() > 1 => {
            let count = |wanted: u8| codes.iter().filter(|&&code| code == wanted).count();
            let (sound, unsound) = (count(0), count(UNSOUND));
            let (unknown, other) = (count(UNFINISHED), count(BAD_INPUT));
            let (all, notion) = (codes.len(), args.notion.name());
            load::write_to(None, |out| {
                writeln!(
                    out,
                    "{all} files: {sound} {notion}, {unsound} not, {unknown} unknown, {other} no workflow or not read"
                )
            })?;
        }
        InfoFormat::Human => {}
        InfoFormat::Json => load::write_to(None, |out| {
            let document =
                json!({ "fireset": record::program(), "format": record::FORMAT, "workflows": files });
            writeln!(out, "{document:#}")
        })?,
    }
    let worst = [BAD_INPUT, UNSOUND, UNFINISHED].into_iter().find(|code| codes.contains(code));
    Ok(worst.map_or(ExitCode::SUCCESS, ExitCode::from))
}

fn check(path: &Path, args: &SoundArgs) -> CheckedFile {
    let started = Instant::now();
    let options = Options::default().with_portfolio(|portfolio| portfolio.certificates = Switch::Off);
    let threads = args.threads.threads.map_or(options.threads, usize::from);
    let decide = || {
        let file = load::net_file(path, &args.net).map_err(|failure| failure.to_string())?;
        let workflow = Workflow::of(&file).map_err(|reason| reason.to_string())?;
        let report = soundness(&workflow, &Options { threads, ..options }, &load::budget(&args.limits));
        Ok((workflow, report))
    };
    let result = decide();
    CheckedFile { path: path.display().to_string(), elapsed: started.elapsed(), result }
}

fn code(file: &CheckedFile, notion: SoundnessNotion) -> u8 {
    match file.result.as_ref().map(|(_, report)| report.verdict(notion)) {
        Err(_) => BAD_INPUT,
        Ok(Verdict::Holds) => 0,
        Ok(Verdict::Fails) => UNSOUND,
        Ok(_) => UNFINISHED,
    }
}

/// The parts of a report with their names.
fn parts(report: &SoundnessReport) -> [(&'static str, &SoundnessPart); 5] {
    [
        ("option to complete", &report.option_to_complete),
        ("proper completion", &report.proper_completion),
        ("no dead activity", &report.no_dead_activity),
        ("relaxed-sound", &report.relaxed),
        ("easy-sound", &report.easy),
    ]
}

fn word(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Holds => "holds".into(),
        Verdict::Fails => "fails".into(),
        Verdict::Unknown(reason) => format!("unknown: {reason}"),
        Verdict::Bound(_) | Verdict::StateSpace(_) | Verdict::PartialStateSpace(_) => {
            unreachable!("a part holds or fails")
        }
    }
}

/// A line of the table, and what is wrong below it.
fn human(out: &mut dyn Write, file: &CheckedFile, args: &SoundArgs) -> io::Result<()> {
    let CheckedFile { path, result, .. } = file;
    let (workflow, report) = match result {
        Ok(known) => known,
        Err(reason) => return writeln!(out, "{path}: {reason}"),
    };
    let verdicts = SoundnessNotion::ALL.map(|notion| {
        let verdict = word(&report.verdict(notion));
        format!("{} {}", notion.name(), verdict.split(':').next().unwrap_or_default())
    });
    writeln!(out, "{path}: {}", verdicts.join(", "))?;
    for (name, part) in parts(report) {
        let sentence = part.sentence.as_ref().map_or(String::new(), |sentence| format!(": {sentence}"));
        let is_shown = part.verdict != Verdict::Holds || args.models.len() == 1;
        if is_shown {
            writeln!(out, "  {name} {}{sentence}", word(&part.verdict))?;
        }
        if let Some(evidence) = part.evidence.as_ref().filter(|_| args.models.len() == 1) {
            write_evidence(out, workflow.model(), &part.verdict, evidence)?;
        }
    }
    match &report.structural {
        Some(StructuralSoundness::Unsound(reason)) if !fails_in_part(report) => {
            writeln!(out, "  not sound by its structure: {reason}")?;
        }
        Some(StructuralSoundness::Sound) if args.models.len() == 1 => {
            writeln!(out, "  decided by its structure, without a search")?;
        }
        _ => {}
    }
    if let Some((lasso, sentence)) = &report.unbounded {
        writeln!(out, "  unbounded, so neither sound nor weak-sound: {sentence}")?;
        if args.models.len() == 1 {
            write_evidence(out, workflow.model(), &Verdict::Fails, &Evidence::Lasso(lasso.clone()))?;
        }
    }
    Ok(())
}

/// Whether some part of classical soundness is known to fail.
fn fails_in_part(report: &SoundnessReport) -> bool {
    parts(report)[..3].iter().any(|(_, part)| part.verdict == Verdict::Fails)
}

fn json_record(file: &CheckedFile) -> Value {
    let mut entry = Map::new();
    entry.insert("path".into(), file.path.as_str().into());
    entry.insert("seconds".into(), file.elapsed.as_secs_f64().into());
    let (workflow, report) = match &file.result {
        Ok(known) => known,
        Err(reason) => {
            entry.insert("error".into(), reason.as_str().into());
            return entry.into();
        }
    };
    let nodes = workflow.model().nodes();
    entry.insert("model".into(), workflow.model().name().into());
    for notion in SoundnessNotion::ALL {
        entry.insert(notion.name().replace('-', "_"), word(&report.verdict(notion)).into());
    }
    let part = |(name, part): (&str, &SoundnessPart)| {
        let mut entry = json!({ "name": name, "verdict": word(&part.verdict) });
        if let Some(sentence) = &part.sentence {
            entry["sentence"] = sentence.as_str().into();
        }
        if !part.culprits.is_empty() {
            let ids: Vec<&str> = part.culprits.iter().map(|&t| nodes.transition(t)).collect();
            entry["transitions"] = ids.into();
        }
        if let Some(evidence) = &part.evidence {
            entry["evidence"] = evidence_json(workflow, evidence);
        }
        entry
    };
    entry.insert("parts".into(), parts(report).into_iter().map(part).collect::<Vec<_>>().into());
    match &report.structural {
        Some(StructuralSoundness::Sound) => {
            entry.insert("structure".into(), json!({ "sound": "holds" }));
        }
        Some(StructuralSoundness::Unsound(sentence)) => {
            entry.insert("structure".into(), json!({ "sound": "fails", "sentence": sentence }));
        }
        None => {}
    }
    if let Some((lasso, sentence)) = &report.unbounded {
        let evidence = evidence_json(workflow, &Evidence::Lasso(lasso.clone()));
        entry.insert("unbounded".into(), json!({ "sentence": sentence, "evidence": evidence }));
    }
    entry.into()
}

/// The evidence as answers have it.
fn evidence_json(workflow: &Workflow, evidence: &Evidence) -> Value {
    let formula = fireset::net::Formula::Constant(false);
    let property = Property { name: String::new(), formula, logic: Logic::Ctl };
    let mut entry = witness::entry(workflow.model(), &property, &Verdict::Fails, Some(evidence));
    entry.remove("evidence").unwrap_or_default()
}
