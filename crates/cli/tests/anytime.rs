//! Answers are printed when they are known; signals and limits keep them, list open properties, and end the process soon.
#![cfg(unix)]

mod common;

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::channel,
    thread,
    time::{Duration, Instant},
};

use common::{directory_with, run, stderr, stdout};
use serde_json::Value;

/// Far more than any of these takes: tests share a machine.
const SOON: Duration = Duration::from_secs(60);

/// 25 philosophers have 3^25 states, too many to count without diagrams: the second property stays open.
const MANY: &str = "25";
const EASY: &str = "EF eating_1 >= 1";
const HARD: &str = "state-space";

/// Leaves the second property open.
const SLOWLY: [&str; 2] = ["--diagrams", "off"];

/// A directory with 25 philosophers.
fn philosophers() -> tempfile::TempDir {
    let directory = directory_with(&[]);
    generate(directory.path(), MANY, "net.pnml");
    directory
}

fn generate(at: &Path, count: &str, file: &str) {
    assert!(run(at, &["generate", "philosophers", count, "-o", file]).status.success());
}

/// A run that is going to be interrupted.
struct Running {
    child: Child,
}

struct Ended {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

impl Running {
    fn start(at: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("fireset"));
        command.current_dir(at).args(arguments).args(SLOWLY);
        for variable in ["BK_EXAMINATION", "BK_TIME_CONFINEMENT", "BK_MEMORY_CONFINEMENT"] {
            command.env_remove(variable);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { child: command.spawn().expect("the command starts") }
    }

    /// Reads lines until one has `part`.
    fn until(&mut self, part: &str) -> String {
        let mut out = BufReader::with_capacity(1, self.child.stdout.as_mut().expect("it is piped"));
        let mut text = String::new();
        while !text.contains(part) {
            assert!(out.read_line(&mut text).expect("output is text") > 0, "`{part}` is missing in {text}");
        }
        text
    }

    fn signal(&self, name: &str) {
        let kill = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(kill.expect("there is `kill`").success());
    }

    /// What came out since, when it has ended.
    fn end(mut self) -> Ended {
        let (send, status) = channel();
        let mut streams = (self.child.stdout.take().unwrap(), self.child.stderr.take().unwrap());
        let id = self.child.id();
        // The input stays open, so that its end does not end the process.
        let input = self.child.stdin.take();
        let texts = thread::spawn(move || {
            let mut texts = (String::new(), String::new());
            streams.0.read_to_string(&mut texts.0).unwrap();
            streams.1.read_to_string(&mut texts.1).unwrap();
            texts
        });
        let waiting = thread::spawn(move || send.send(self.child.wait()));
        let Ok(status) = status.recv_timeout(SOON) else {
            let _ = Command::new("kill").args(["-KILL", &id.to_string()]).status();
            panic!("it does not end");
        };
        waiting.join().unwrap().unwrap();
        drop(input);
        let (stdout, stderr) = texts.join().unwrap();
        Ended { status: status.unwrap(), stdout, stderr }
    }
}

#[test]
fn a_signal_loses_no_answer_and_lists_open_properties() {
    let directory = philosophers();
    for signal in ["TERM", "INT"] {
        let mut running = Running::start(directory.path(), &["check", "net.pnml", "-q", EASY, "-q", HARD]);
        let before = running.until("witness, ");
        assert!(before.starts_with("query 1: holds\n"), "{before}");
        running.signal(signal);
        let ended = running.end();
        assert_eq!(ended.status.code(), Some(3), "{}", ended.stderr);
        assert!(ended.stdout.starts_with("query 2: unknown: cancelled\n  state-space\n"), "{}", ended.stdout);
        assert!(ended.stdout.contains("\n1 hold, 1 unknown ("), "{}", ended.stdout);
    }
}

/// The properties of an output in their order.
fn names(text: &str) -> Vec<String> {
    let name = |line: &str| match line.strip_prefix("query ") {
        Some(rest) => Some(format!("query {}", rest.split(':').next()?)),
        None => serde_json::from_str::<Value>(line).ok()?["name"].as_str().map(str::to_owned),
    };
    text.lines().filter_map(name).collect()
}

#[test]
fn an_answer_does_not_wait_for_properties_before_it() {
    let directory = philosophers();
    for format in ["human", "jsonl"] {
        let arguments = ["check", "net.pnml", "-q", HARD, "-q", EASY, "--format", format];
        let mut running = Running::start(directory.path(), &arguments);
        let before = running.until("query 2");
        assert!(!before.contains("query 1"), "{before}");
        running.signal("TERM");
        let ended = running.end();
        assert_eq!(ended.status.code(), Some(3), "{}", ended.stderr);
        assert_eq!(names(&(before + &ended.stdout)), ["query 2", "query 1"], "{}", ended.stdout);
    }
}

#[test]
fn the_order_of_the_properties_is_kept_if_asked_for() {
    let directory = philosophers();
    for format in ["human", "jsonl"] {
        let arguments = ["check", "net.pnml", "-q", HARD, "-q", EASY, "-q", EASY, "--format", format];
        let arguments = [&arguments[..], &["--ordered", "--timeout", "3s"]].concat();
        let ended = Running::start(directory.path(), &arguments).end();
        assert_eq!(ended.status.code(), Some(3), "{}", ended.stderr);
        assert_eq!(names(&ended.stdout), ["query 1", "query 2", "query 3"], "{}", ended.stdout);
    }
}

#[test]
fn a_failed_property_counts_for_the_exit_code() {
    let directory = philosophers();
    let mut running =
        Running::start(directory.path(), &["check", "net.pnml", "-q", "AG eating_1 = 0", "-q", HARD]);
    running.until("query 1: fails");
    running.signal("TERM");
    assert_eq!(running.end().status.code(), Some(1));
}

#[test]
fn every_format_is_whole() {
    let directory = philosophers();
    let at = directory.path();
    let interrupted = |format: &str| {
        let file = format!("answers.{format}");
        let arguments = ["check", "net.pnml", "-q", EASY, "-q", HARD, "--format", format, "-o", &file];
        let running = Running::start(at, &arguments);
        // The other formats are not written before the end; by then this one has its first line.
        let start = Instant::now();
        while format == "jsonl" && fs::read_to_string(at.join(&file)).unwrap_or_default().is_empty() {
            assert!(start.elapsed() < SOON, "there is no answer");
            thread::sleep(Duration::from_millis(20));
        }
        if format != "jsonl" {
            thread::sleep(Duration::from_secs(1));
        }
        running.signal("TERM");
        assert_eq!(running.end().status.code(), Some(3));
        fs::read_to_string(at.join(&file)).unwrap_or_default()
    };
    let text = interrupted("jsonl");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["verdict"], &lines[1]["verdict"]), (&"holds".into(), &"unknown".into()));
    assert_eq!((&lines[1]["stop"], &lines[1]["reason"]), (&"cancelled".into(), &"cancelled".into()));
    let document: Value = serde_json::from_str(&interrupted("json")).unwrap();
    assert_eq!(document["models"][0]["properties"][1]["reason"], "cancelled");
    let log: Value = serde_json::from_str(&interrupted("sarif")).unwrap();
    let levels: Vec<_> = log["runs"][0]["results"].as_array().unwrap().iter().map(|r| &r["level"]).collect();
    assert_eq!(levels, ["none", "warning"]);
    let junit = interrupted("junit");
    assert!(junit.contains("<skipped message=\"unknown: cancelled\">"), "{junit}");
    assert!(junit.ends_with("</testsuites>\n"), "{junit}");
}

/// Whether a line says that a property is unknown for a reason; of a state space the most tokens may be known.
fn is_unknown(text: &str, property: &str, reason: &str) -> bool {
    let said = ["unknown", "unknown in part"].map(|how| format!("{property}: {how}: {reason}"));
    text.lines().any(|line| said.iter().any(|said| line.starts_with(said)))
}

#[test]
fn the_deadline_ends_a_model_and_not_the_batch() {
    let directory = philosophers();
    generate(directory.path(), "3", "small.pnml");
    let arguments = ["check", "net.pnml", "small.pnml", "-q", EASY, "-q", HARD, "--timeout", "2s"];
    let output = run(directory.path(), &[&arguments[..], &SLOWLY].concat());
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("net.pnml: query 1: holds"), "{text}");
    assert!(is_unknown(&text, "net.pnml: query 2", "out of time"), "{text}");
    assert!(text.contains("small.pnml: query 2: computed"), "{text}");
}

#[test]
fn a_signal_ends_the_batch() {
    let directory = philosophers();
    generate(directory.path(), "3", "small.pnml");
    let arguments = ["check", "net.pnml", "small.pnml", "-q", EASY, "-q", HARD];
    let mut running = Running::start(directory.path(), &arguments);
    running.until("witness, ");
    running.signal("TERM");
    let ended = running.end();
    assert_eq!(ended.status.code(), Some(3));
    assert!(ended.stdout.contains("net.pnml: query 2: unknown: cancelled"), "{}", ended.stdout);
    assert!(ended.stdout.contains("1 hold, 1 unknown, 1 not checked"), "{}", ended.stdout);
    assert!(ended.stderr.contains("small.pnml was not checked: interrupted"), "{}", ended.stderr);
}

#[test]
fn the_memory_limit_keeps_what_is_answered() {
    let directory = directory_with(&[]);
    let at = directory.path();
    assert!(run(at, &["generate", "kanban", "20", "-o", "net.pnml"]).status.success());
    let place = stdout(&run(at, &["convert", "net.pnml", "--to", "dot"]));
    let place = place.split_once("label=\"").and_then(|(_, rest)| rest.split_once("\\n")).expect("a place").0;
    let easy = format!("EF {place} >= 1");
    let arguments = ["check", "net.pnml", "-q", &easy, "-q", HARD, "--memory", "0.1"];
    let output = run(at, &[&arguments[..], &SLOWLY].concat());
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("query 1: holds\n"), "{text}");
    assert!(is_unknown(&text, "query 2", "out of memory"), "{text}");
}

/// Reading a file without an end does not poll the budget.
#[test]
fn reading_has_its_limits_too() {
    let directory = directory_with(&[]);
    let arguments = ["check", "/dev/stdin", "-q", EASY];
    let running = Running::start(directory.path(), &arguments);
    thread::sleep(Duration::from_millis(300));
    running.signal("TERM");
    let ended = running.end();
    assert_eq!(ended.status.code(), Some(3));
    assert!(ended.stderr.contains("/dev/stdin was not read: cancelled"), "{}", ended.stderr);
    let ended = Running::start(directory.path(), &[&arguments[..], &["--timeout", "0.3"]].concat()).end();
    assert_eq!(ended.status.code(), Some(3));
    assert!(ended.stderr.contains("/dev/stdin was not read: out of time"), "{}", ended.stderr);
}

/// A directory of the contest with philosophers; no engine but diagrams decides the second formula in bearable
/// time.
fn contest() -> tempfile::TempDir {
    let directory = directory_with(&[]);
    let at = directory.path();
    generate(at, MANY, "model.pnml");
    let hard = "AG (eating_1 >= 1 -> E[eating_2 = 0 U deadlock])";
    let queries = ["-q", "EX EX eating_1 >= 1", "-q", hard];
    let arguments = [&["convert", "model.pnml", "--to", "xml"][..], &queries].concat();
    fs::write(at.join("CTLCardinality.xml"), stdout(&run(at, &arguments)).replace("query ", "formula-"))
        .unwrap();
    directory
}

#[test]
fn the_contest_gets_the_answers_found_so_far() {
    let directory = contest();
    let arguments = ["mcc", "--examination", "CTLCardinality"];
    let mut running = Running::start(directory.path(), &arguments);
    running.until("FORMULA formula-1 TRUE TECHNIQUES ");
    running.signal("TERM");
    let ended = running.end();
    assert_eq!((ended.status.code(), ended.stdout.as_str()), (Some(0), ""));
    assert!(ended.stderr.contains("formula-2: unknown: cancelled"), "{}", ended.stderr);
    let running = Running::start(directory.path(), &["mcc", "--examination", "StateSpace"]);
    thread::sleep(Duration::from_millis(500));
    running.signal("INT");
    let ended = running.end();
    assert_eq!((ended.status.code(), ended.stdout.as_str()), (Some(0), "CANNOT_COMPUTE\n"));
}

#[test]
fn the_contest_gets_it_in_time() {
    let directory = contest();
    let arguments = ["mcc", "--examination", "CTLCardinality", "--time", "3"];
    let ended = Running::start(directory.path(), &arguments).end();
    assert!(ended.stdout.starts_with("FORMULA formula-1 TRUE TECHNIQUES "), "{}", ended.stdout);
    assert_eq!(ended.stdout.lines().count(), 1, "{}", ended.stdout);
    assert!(ended.stderr.contains("formula-2: unknown: out of time"), "{}", ended.stderr);
}

/// The lines of a result file, without what differs from run to run.
fn results(at: &Path) -> Vec<(String, String, String, String)> {
    let text = fs::read_to_string(at.join("results.jsonl")).unwrap_or_default();
    let mut results: Vec<_> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line.get("error").is_none())
        .map(|line| {
            let field = |key: &str| line[key].as_str().unwrap().to_owned();
            (field("path"), field("name"), field("query"), field("verdict"))
        })
        .collect();
    results.sort();
    results
}

#[test]
fn an_interrupted_batch_goes_on_from_its_file() {
    let directory = directory_with(&[]);
    let at = directory.path();
    ["2", "3", "4"].iter().zip(["a.pnml", "b.pnml", "c.pnml"]).for_each(|(n, file)| generate(at, n, file));
    let file = ["--format", "jsonl", "-o", "results.jsonl"];
    let batch = [&["check", "a.pnml", "b.pnml", "c.pnml", "-q", EASY, "-q", HARD], &file[..]].concat();
    assert_eq!(run(at, &batch).status.code(), Some(0));
    let uninterrupted = results(at);
    assert_eq!(uninterrupted.len(), 6);

    // The second model takes for ever in the run that is interrupted.
    generate(at, MANY, "b.pnml");
    fs::remove_file(at.join("results.jsonl")).unwrap();
    let running = Running::start(at, &batch);
    let start = Instant::now();
    while results(at).len() < 3 {
        assert!(start.elapsed() < SOON, "three answers are there soon");
        thread::sleep(Duration::from_millis(20));
    }
    let answered = fs::read_to_string(at.join("results.jsonl")).unwrap();
    let of_first_model: String = answered.lines().take(2).map(|line| line.to_owned() + "\n").collect();
    running.signal("TERM");
    assert_eq!(running.end().status.code(), Some(3));
    assert_eq!(results(at).len(), 4);

    // Killed while it wrote a line.
    let mut text = fs::read_to_string(at.join("results.jsonl")).unwrap();
    text += "{\"path\":\"c.pnml\",\"na";
    fs::write(at.join("results.jsonl"), text).unwrap();
    generate(at, "3", "b.pnml");
    let output = run(at, &[&batch[..], &["--resume"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(results(at), uninterrupted);
    let text = fs::read_to_string(at.join("results.jsonl")).unwrap();
    assert!(text.starts_with(&of_first_model), "answered properties are not checked again");
    let third = answered.lines().nth(2).unwrap();
    assert!(!text.contains(third), "the second model has changed");

    // All properties are answered.
    assert_eq!(run(at, &[&batch[..], &["--resume"]].concat()).status.code(), Some(0));
    assert_eq!(fs::read_to_string(at.join("results.jsonl")).unwrap(), text);
}

#[test]
fn a_property_with_stricter_limits_is_checked_again() {
    let directory = directory_with(&[]);
    let at = directory.path();
    generate(at, "3", "a.pnml");
    let batch = ["check", "a.pnml", "-q", "AG EF eating_1 >= 1", "--format", "jsonl", "-o", "results.jsonl"];
    let resume = |more: &[&str]| run(at, &[&batch[..], &["--resume"], more].concat()).status.code();
    assert_eq!(resume(&["--timeout", "0"]), Some(3));
    let text = fs::read_to_string(at.join("results.jsonl")).unwrap();
    assert_eq!(resume(&["--timeout", "0"]), Some(3));
    assert_eq!(fs::read_to_string(at.join("results.jsonl")).unwrap(), text, "it is not checked again");
    assert_eq!(resume(&["--timeout", "60"]), Some(1));
    assert_eq!(results(at).len(), 1);
    assert_eq!(resume(&[]), Some(1), "an earlier answer counts for the exit code");
}

#[test]
fn a_model_from_a_pipe_is_checked_again() {
    let directory = directory_with(&[]);
    let at = directory.path();
    generate(at, "3", "a.pnml");
    let net = fs::read(at.join("a.pnml")).unwrap();
    let batch = ["check", "/dev/stdin", "-q", EASY, "--format", "jsonl", "-o", "results.jsonl", "--resume"];
    for _ in 0..2 {
        let output = common::fireset(at).args(batch).write_stdin(net.clone()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(results(at).len(), 1);
        let text = fs::read_to_string(at.join("results.jsonl")).unwrap();
        assert!(text.contains("\"digest\":\"\""), "{text}");
    }
}

#[test]
fn a_file_of_something_else_is_not_continued() {
    let directory = directory_with(&[("results.jsonl", "{\"path\": 3}\n")]);
    let at = directory.path();
    generate(at, "3", "a.pnml");
    let batch = ["check", "a.pnml", "-q", EASY, "--format", "jsonl", "-o", "results.jsonl", "--resume"];
    let output = run(at, &batch);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("results.jsonl:1:1"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(at.join("results.jsonl")).unwrap(), "{\"path\": 3}\n");
}
