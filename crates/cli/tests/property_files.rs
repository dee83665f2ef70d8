//! Properties in files: the text form and its expectations, properties that are not understood among others, ids that repeat.

mod common;

use std::{fs, process::Output};

use common::{MOVE, directory_with, pnml, run, stderr, stdout};
use serde_json::Value;

/// Runs a command beside the small net and a property file.
fn beside(file: &str, arguments: &[&str]) -> Output {
    let directory = directory_with(&[("net.pnml", &pnml(MOVE)), ("file", file)]);
    run(directory.path(), arguments)
}

/// Checks the properties of a file, with more options.
fn check(file: &str, more: &[&str]) -> Output {
    beside(file, &[&["check", "net.pnml", "--properties", "file", "--ordered"], more].concat())
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(output)))
}

const EXPECTED: &str = "let moved = p2 = 1 # the token\n\
    property it moves: EF moved\n  expect holds\n\
    property it stays: AG !moved\n  expect fails\n\
    property most: bound(p2)\n  expect 1\n\
    property size: state-space\n  expect 2\n";

#[test]
fn expected_verdicts_make_the_exit_code() {
    let output = check(EXPECTED, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("it moves: holds, as expected\n  EF (p2 = 1)\n"), "{text}");
    assert!(text.contains("it stays: fails, as expected\n  AG !(p2 = 1)\n"), "{text}");
    let swapped = EXPECTED.replace("expect fails", "expect holds").replace("expect 1", "expect inf");
    let output = check(&swapped, &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains("it stays: fails, not holds as expected"), "{text}");
    assert!(text.contains("most: 1, not +inf as expected"), "{text}");
    assert!(text.contains("1 hold, 1 fail, 2 computed, 2 not as expected ("), "{text}");
    // An expected verdict that is not known yet is unknown, and not a disappointment.
    let unknown = "property a: AG EF p1 = 1\n  expect fails\n";
    let output = check(unknown, &["--timeout", "0"]);
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
    // A property without an expectation is expected to hold.
    assert_eq!(check("property a: AG p1 = 1\nproperty b: true\n expect holds\n", &[]).status.code(), Some(1));
}

#[test]
fn programs_are_told_what_is_expected() {
    let file = EXPECTED.replace("expect 2", "expect 3");
    let report = json(&check(&file, &["--format", "json"]));
    let fields = |at: usize| {
        let property = &report["models"][0]["properties"][at];
        serde_json::json!([property["name"], property["expected"], property["as_expected"]])
    };
    assert_eq!(fields(1), serde_json::json!(["it stays", "fails", true]));
    assert_eq!(fields(2), serde_json::json!(["most", "1", true]));
    assert_eq!(fields(3), serde_json::json!(["size", "3", false]));
    let report = json(&check("property a: true", &["--format", "json"]));
    assert!(report["models"][0]["properties"][0].get("expected").is_none());
    let junit = stdout(&check(&file, &["--format", "junit"]));
    assert!(junit.contains("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{junit}");
    assert!(junit.contains("<failure message=\"the verdict is not 3 as expected\">"), "{junit}");
}

#[test]
fn a_misspelt_query_does_not_end_the_others() {
    let arguments =
        ["check", "net.pnml", "-q", "EF deadlock", "-q", "EF (misspelt > 0)", "-q", "AG p1 + p2 = 1"];
    let output = beside("", &arguments);
    assert_eq!(output.status.code(), Some(2));
    let (text, message) = (stdout(&output), stderr(&output));
    assert!(text.contains("query 1: holds\n") && text.contains("query 3: holds\n"), "{text}");
    assert!(text.contains("query 2: not understood: the net has no place `misspelt`\n"), "{text}");
    assert!(text.contains("2 hold, 1 not understood ("), "{text}");
    assert!(message.contains("--> query 2:1:5") && message.contains("hint: "), "{message}");
    let report = json(&beside("", &[&arguments[..], &["--format", "json"]].concat()));
    let properties = report["models"][0]["properties"].as_array().unwrap();
    assert_eq!(properties.len(), 3);
    assert_eq!((&properties[2]["name"], &properties[2]["verdict"]), (&"query 2".into(), &"unknown".into()));
    assert_eq!(properties[2]["reason"], "not understood: the net has no place `misspelt`");
    assert_eq!(properties[2]["error"]["source"], "query 2");
    assert_eq!((&properties[2]["error"]["line"], &properties[2]["error"]["column"]), (&1.into(), &5.into()));
    let junit = stdout(&beside("", &[&arguments[..], &["--format", "junit"]].concat()));
    assert!(junit.contains("tests=\"3\" failures=\"0\" errors=\"1\""), "{junit}");
    assert!(junit.contains("<error message=\"not understood: the net has no place `misspelt`\">"), "{junit}");
}

#[test]
fn without_any_property_that_is_understood_all_are_reported() {
    let output = beside("", &["check", "net.pnml", "-q", "EF x > 0", "-q", "EF (", "--format", "json"]);
    assert_eq!(output.status.code(), Some(2));
    let error = &json(&output)["models"][0]["error"];
    assert_eq!(error["kind"], "input");
    assert!(error["message"].as_str().unwrap().contains("query 2:1:"), "{error}");
    let message = stderr(&output);
    assert!(message.contains("query 1:1:4") && message.contains("query 2:1:"), "{message}");
    let many: String = (0..30).map(|at| format!("property {at}: EF x{at} > 0\n")).collect();
    let message = stderr(&check(&many, &[]));
    assert_eq!(message.matches("error: ").count(), 20, "{message}");
    assert!(message.contains("and 10 more properties are not understood"), "{message}");
}

#[test]
fn a_file_that_is_not_understood_does_not_end_the_others() {
    for (file, part) in [
        ("<pnml/>", "this is a net"),
        ("EF\u{0}", "not a property file"),
        ("p1\nproperty a: true", "expected `property`"),
    ] {
        let output = check(file, &["-q", "EF deadlock"]);
        assert_eq!(output.status.code(), Some(2), "{file}");
        assert!(stdout(&output).contains("query 1: holds"), "{file}");
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    }
    let output = beside("", &["check", "net.pnml", "--properties", "missing", "-q", "EF deadlock"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).contains("missing: not understood: cannot read the file"), "{}", stdout(&output));
}

#[test]
fn the_standard_input_is_read_once() {
    for arguments in [
        &["check", "net.pnml", "net.pnml", "--properties", "-"][..],
        &["check", "-", "--properties", "-"],
        &["check", "net.pnml", "--properties", "-", "--properties", "-"],
        &["check", "-", "-", "-q", "EF deadlock"],
    ] {
        let output = beside("", arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("the standard input can be read only once"), "{}", stderr(&output));
    }
    let directory = directory_with(&[("net.pnml", &pnml(MOVE))]);
    let mut command = common::fireset(directory.path());
    let output =
        command.args(["check", "net.pnml", "--properties", "-"]).write_stdin("EF deadlock\n").output();
    assert!(stdout(&output.unwrap()).starts_with("line 1: holds\n"));
}

#[test]
fn properties_of_the_contest_that_are_not_understood_have_no_line() {
    let net = pnml(MOVE);
    let property = |id: &str, place: &str| {
        format!(
            "<property><id>{id}</id><formula><place-bound><place>{place}</place></place-bound></formula></property>"
        )
    };
    let file = format!("<property-set>{}{}</property-set>", property("a", "p1"), property("b", "p3"));
    let directory = directory_with(&[("model.pnml", &net), ("UpperBounds.xml", &file)]);
    let output = run(directory.path(), &["mcc", ".", "--examination", "UpperBounds"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).starts_with("FORMULA a 1 TECHNIQUES"), "{}", stdout(&output));
    assert_eq!(stdout(&output).lines().count(), 1);
    assert!(stderr(&output).contains("the net has no place `p3` (in property b)"), "{}", stderr(&output));
}

#[test]
fn properties_of_the_same_name_are_all_answered() {
    let file = "property a: EF deadlock\nproperty a: AG p1 = 1\nproperty a: EF deadlock\n";
    let report = json(&check(file, &["--format", "json"]));
    let verdicts: Vec<_> =
        report["models"][0]["properties"].as_array().unwrap().iter().map(|p| p["verdict"].clone()).collect();
    assert_eq!(verdicts, ["holds", "fails", "holds"]);
    let junit = stdout(&check(file, &["--format", "junit"]));
    for name in ["name=\"a\" class", "name=\"a (2)\" class", "name=\"a (3)\" class"] {
        assert_eq!(junit.matches(name).count(), 1, "{junit}");
    }
}

/// The last of three answers is cut off, and the run is continued: each property has one line again.
#[test]
fn an_interrupted_run_with_equal_names_is_continued() {
    let file = "property a: EF deadlock\nproperty a: AG p1 = 1\n  expect fails\nproperty a: EF deadlock\nproperty b: EF x > 0\n";
    let directory = directory_with(&[("net.pnml", &pnml(MOVE)), ("file", file)]);
    let at = directory.path();
    let arguments = [
        "check",
        "net.pnml",
        "--properties",
        "file",
        "--ordered",
        "--format",
        "jsonl",
        "-o",
        "out",
        "--resume",
    ];
    let lines = || -> Vec<Value> {
        let text = fs::read_to_string(at.join("out")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert_eq!(run(at, &arguments).status.code(), Some(2));
    assert_eq!(lines().len(), 4);
    let text = fs::read_to_string(at.join("out")).unwrap();
    let (head, _) = text.trim_end().rsplit_once('\n').unwrap();
    fs::write(at.join("out"), format!("{head}\n")).unwrap();
    assert_eq!(run(at, &arguments).status.code(), Some(2));
    let answered = lines();
    let of = |query: &str| answered.iter().filter(|line| line["query"] == query).count();
    assert_eq!((answered.len(), of("EF deadlock"), of("AG (p1 = 1)")), (4, 2, 1), "{answered:?}");
    // With the misspelt property gone, all is answered and as expected.
    fs::write(at.join("file"), file.split("property b").next().unwrap()).unwrap();
    assert_eq!(run(at, &arguments).status.code(), Some(0));
    assert_eq!(lines().len(), 3);
}

#[test]
fn properties_are_written_as_they_are_read() {
    let output = beside(
        EXPECTED,
        &["convert", "net.pnml", "--properties", "file", "-q", "EF \"p1\" = 0", "--to", "text"],
    );
    let written = stdout(&output);
    assert_eq!(
        written,
        "property it moves: EF (p2 = 1)\n  expect holds\nproperty it stays: AG !(p2 = 1)\n  expect fails\n\
         property most: bound(p2)\n  expect 1\nproperty size: state-space\n  expect 2\nproperty query 1: EF (p1 = 0)\n"
    );
    let again = beside(&written, &["convert", "net.pnml", "--properties", "file", "--to", "text"]);
    assert_eq!(stdout(&again), written);
    let output = beside(
        "property a: EF x > 0\nproperty b: true",
        &["convert", "net.pnml", "--properties", "file", "--to", "text"],
    );
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""));
    let output = beside("", &["convert", "net.pnml", "--to", "text"]);
    assert!(stderr(&output).contains("no properties to convert"), "{}", stderr(&output));
}

#[test]
fn a_label_may_stand_for_several_transitions() {
    let net = pnml(
        "<place id=\"p\"><name><text>room</text></name><initialMarking><text>1</text></initialMarking></place>\
         <place id=\"q\"><name><text>room</text></name></place>\
         <transition id=\"t1\"><name><text>go</text></name></transition>\
         <transition id=\"t2\"><name><text>go</text></name></transition>\
         <arc id=\"a\" source=\"q\" target=\"t1\"/><arc id=\"b\" source=\"p\" target=\"t2\"/>",
    );
    let directory = directory_with(&[("net.pnml", &net)]);
    let output = run(directory.path(), &["check", "net.pnml", "-q", "fireable(go)", "-q", "EF \"room\" = 0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stdout(&output).contains("query 1: holds\n  fireable(go (t1), go (t2))\n"),
        "{}",
        stdout(&output)
    );
    let message = stderr(&output);
    assert!(message.contains("note: query 1: the label `go` stands for 2 transitions"), "{message}");
    assert!(message.contains("`room` is the label of several places"), "{message}");
    assert!(message.contains("such as `p` or `q`"), "{message}");
}
