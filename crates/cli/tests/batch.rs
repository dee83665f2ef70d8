//! `fireset check` with several models: formats, directories of the contest, bad input among good.

mod common;

use std::{collections::BTreeMap, fs, path::Path};

use common::{MOVE, directory_with, pnml, run, stderr, stdout};
use quick_xml::{Reader, events::Event};
use serde_json::Value;

/// A directory with a net that deadlocks, one that does not, and one that is no net.
fn nets() -> tempfile::TempDir {
    let looping = "<place id=\"p1\"><initialMarking><text>1</text></initialMarking></place>\n\
        <transition id=\"t1\"/>\n<arc id=\"a1\" source=\"p1\" target=\"t1\"/>\n\
        <arc id=\"a2\" source=\"t1\" target=\"p1\"/>";
    directory_with(&[("move.pnml", &pnml(MOVE)), ("loop.pnml", &pnml(looping)), ("bad.pnml", "<pnml>")])
}

/// The lines of an output as JSON.
fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

#[test]
fn every_answer_names_its_model() {
    let directory = nets();
    let output = run(directory.path(), &["check", "move.pnml", "loop.pnml", "-q", "AG !deadlock"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    let (head, time) = text.rsplit_once(" (").unwrap();
    assert!(time.ends_with(" s)\n"), "{text}");
    let expected = "move.pnml\n\
        move.pnml: query 1: fails\n  AG !deadlock\n  counterexample, 1 step: t1\n\n\
        loop.pnml\n\
        loop.pnml: query 1: holds\n  AG !deadlock\n";
    assert!(head.starts_with(expected), "{text}");
    assert!(head.ends_with("\n\n2 models: 1 hold, 1 fail"), "{text}");
}

#[test]
fn a_bad_model_does_not_end_the_others() {
    let directory = nets();
    let models = ["check", "bad.pnml", "move.pnml", "missing.pnml", "-q", "EF deadlock"];
    let output = run(directory.path(), &models);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).contains("move.pnml: query 1: holds"), "{}", stdout(&output));
    assert!(stdout(&output).contains("3 models: 1 hold, 2 refused"), "{}", stdout(&output));
    assert!(stderr(&output).contains("bad.pnml") && stderr(&output).contains("missing.pnml"));
}

#[test]
fn properties_of_nodes_that_a_model_lacks_are_bad_input_for_it() {
    let directory = nets();
    let at = directory.path();
    let xml = stdout(&run(at, &["convert", "move.pnml", "-q", "EF p2 = 1", "--to", "xml"]));
    fs::write(at.join("p2.xml"), xml).unwrap();
    let arguments = ["check", "loop.pnml", "move.pnml", "--properties", "p2.xml", "--format", "json"];
    let output = run(at, &arguments);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.contains("p2.xml:") && message.contains("no answer about loop.pnml"), "{message}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["models"][0]["path"], "loop.pnml");
    assert!(report["models"][0]["error"]["message"].as_str().unwrap().contains("p2"), "{report}");
    assert_eq!(report["models"][1]["path"], "move.pnml");
    assert_eq!(report["models"][1]["properties"][0]["verdict"], "holds");
}

#[test]
fn json_lines_have_the_fields_of_the_document() {
    let directory = nets();
    let queries = ["-q", "EF deadlock", "-q", "bound(p1)", "-q", "state-space", "-q", "AG p1 >= 5"];
    let check = |format: &str| {
        let arguments = [&["check", "move.pnml", "--format", format][..], &queries].concat();
        stdout(&run(directory.path(), &arguments))
    };
    let document: Value = serde_json::from_str(&check("json")).unwrap();
    assert_eq!(
        (&document["format"], &document["fireset"]["version"]),
        (&1.into(), &env!("CARGO_PKG_VERSION").into())
    );
    let model = &document["models"][0];
    let by_name: BTreeMap<String, Value> = lines(&check("jsonl"))
        .into_iter()
        .map(|line| (line["name"].as_str().unwrap().into(), line))
        .collect();
    assert_eq!(by_name.len(), 4);
    for property in model["properties"].as_array().unwrap() {
        let line = &by_name[property["name"].as_str().unwrap()];
        assert_eq!((&line["format"], &line["path"]), (&1.into(), &"move.pnml".into()));
        for key in ["path", "digest", "model", "limits"] {
            assert_eq!(line[key], model[key], "{key}");
        }
        assert!(line["limits"]["seconds"].is_null() && line["limits"]["memory_bytes"].is_u64(), "{line}");
        for (field, value) in property.as_object().unwrap() {
            match field.as_str() {
                "evidence" => assert!(line["evidence_kind"].is_string(), "{line}"),
                "stages" => assert!(line["stages"].is_array(), "{line}"),
                "statistics" => assert!(line["statistics"]["seconds"].is_number(), "{line}"),
                _ => assert_eq!(&line[field], value, "{field}"),
            }
        }
    }
    assert_eq!(by_name["query 1"]["evidence_kind"], "trace");
    let arguments = ["check", "bad.pnml", "move.pnml", "--format", "jsonl", "-q", "EF deadlock"];
    let lines = lines(&stdout(&run(directory.path(), &arguments)));
    assert_eq!(lines[0]["path"], "bad.pnml");
    assert!(lines[0]["error"]["message"].is_string() && lines[1]["verdict"] == "holds", "{lines:?}");
}

/// Reads XML to its end; the attributes and texts of the elements, by name.
fn elements(text: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut reader = Reader::from_str(text);
    let (mut elements, mut depth) = (Vec::new(), 0);
    loop {
        match reader.read_event().expect("it is well formed") {
            Event::Start(start) => {
                depth += 1;
                let attributes = start.attributes().map(|attribute| {
                    let attribute = attribute.expect("attributes are well formed");
                    let key = attribute.key.as_ref().to_owned();
                    let value = attribute.value;
                    (key, quick_xml::escape::unescape(&value).expect("entities are known").into_owned())
                });
                let name = start.name().as_ref().to_owned();
                elements.push((name, attributes.collect()));
            }
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0, "all elements are closed");
    elements
}

#[test]
fn junit_has_a_suite_for_each_model() {
    let directory = nets();
    let at = directory.path();
    // Whatever names contain.
    let odd = "a<b>&\"c'.pnml";
    fs::copy(at.join("move.pnml"), at.join(odd)).unwrap();
    let arguments =
        ["check", odd, "bad.pnml", "loop.pnml", "-q", "AG !deadlock", "-q", "bound(p1)", "--format", "junit"];
    let output = run(at, &arguments);
    assert_eq!(output.status.code(), Some(2));
    let text = stdout(&output);
    let elements = elements(&text);
    let named = |name: &str| elements.iter().filter(|(n, _)| n == name).map(|(_, a)| a).collect::<Vec<_>>();
    let suites = named("testsuite");
    let counts = |at: usize| ["tests", "failures", "errors", "skipped"].map(|key| suites[at][key].as_str());
    assert_eq!(
        suites.iter().map(|suite| suite["name"].as_str()).collect::<Vec<_>>(),
        [odd, "bad.pnml", "loop.pnml"]
    );
    assert_eq!(counts(0), ["2", "1", "0", "0"]);
    assert_eq!(counts(1), ["1", "0", "1", "0"]);
    assert_eq!(counts(2), ["2", "0", "0", "0"]);
    assert_eq!(named("testcase").len(), 5);
    assert_eq!((named("failure").len(), named("error").len()), (1, 1));
    assert!(text.contains("counterexample, 1 step: t1"), "{text}");
}

#[test]
fn unknown_properties_are_skipped_in_junit() {
    let directory = nets();
    let arguments = ["check", "move.pnml", "-q", "AG EF p1 = 1", "--timeout", "0", "--format", "junit"];
    let output = run(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(3));
    let skipped: Vec<_> =
        elements(&stdout(&output)).into_iter().filter(|(name, _)| name == "skipped").collect();
    assert_eq!(skipped[0].1["message"], "unknown: out of time (raise --timeout)");
}

/// Writes a directory of the contest.
fn contest(at: &Path, name: &str) {
    let directory = at.join(name);
    fs::create_dir(&directory).unwrap();
    fs::copy(at.join("move.pnml"), directory.join("model.pnml")).unwrap();
    for (examination, query) in
        [("UpperBounds", "bound(p1)"), ("CTLCardinality", "AG EX p1 = 0"), ("LTLCardinality", "A G X p1 = 0")]
    {
        let model = format!("{name}/model.pnml");
        let xml = stdout(&run(at, &["convert", &model, "-q", query, "--to", "xml"]));
        let xml = xml.replace("query 1", &format!("{name}-{examination}-00"));
        fs::write(directory.join(format!("{examination}.xml")), xml).unwrap();
    }
}

#[test]
fn directories_of_the_contest_are_models() {
    let directory = nets();
    let at = directory.path();
    contest(at, "A");
    contest(at, "B");
    let verdicts = |arguments: &[&str]| -> Vec<(String, String)> {
        let output = run(at, &[&["check", "--format", "jsonl"], arguments].concat());
        let text = |line: &Value, key: &str| line[key].as_str().unwrap().to_owned();
        let mut verdicts: Vec<_> =
            lines(&stdout(&output)).iter().map(|line| (text(line, "name"), text(line, "verdict"))).collect();
        verdicts.sort();
        verdicts
    };
    let pair = |name: &str, verdict: &str| (name.to_owned(), verdict.to_owned());
    // In a deadlock `EX` is false, and `X` of LTL looks at the same marking again.
    let of = |name: &str| {
        [
            pair(&format!("{name}-CTLCardinality-00"), "fails"),
            pair(&format!("{name}-LTLCardinality-00"), "holds"),
            pair(&format!("{name}-UpperBounds-00"), "bound"),
        ]
    };
    assert_eq!(verdicts(&["A", "B"]), [of("A"), of("B")].concat());
    assert_eq!(verdicts(&["A/"]), of("A"));
    let named = ["A", "--examination", "ReachabilityDeadlock", "--examination", "UpperBounds"];
    assert_eq!(verdicts(&named), [pair("A-UpperBounds-00", "bound"), pair("ReachabilityDeadlock", "holds")]);
    assert_eq!(verdicts(&["A", "-q", "EF deadlock"]), [pair("query 1", "holds")]);
    // An examination without a property file works on a single file too.
    assert_eq!(verdicts(&["move.pnml", "--examination", "OneSafe"]), [pair("OneSafe", "holds")]);
}

#[test]
fn contradictory_options_are_refused_with_a_hint() {
    let directory = nets();
    let at = directory.path();
    fs::create_dir(at.join("empty")).unwrap();
    let refused = |arguments: &[&str], part: &str| {
        let output = run(at, &[&["check"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    };
    let two = ["move.pnml", "loop.pnml", "-q", "EF deadlock"];
    refused(&[&two[..], &["--witness", "w.json"]].concat(), "one model at a time");
    refused(&[&two[..], &["--resume"]].concat(), "--format jsonl -o FILE");
    refused(&[&two[..], &["--resume", "-o", "f"]].concat(), "--format jsonl -o FILE");
    refused(&["empty"], "model.pnml");
    refused(&["move.pnml", "--examination", "UpperBounds"], "directory");
    refused(&["move.pnml", "--examination", "Gardening"], "OneSafe");
    refused(&["move.pnml", "loop.pnml"], "no property to check");
}

#[test]
fn an_old_output_stays_when_the_input_is_bad() {
    let directory = nets();
    let at = directory.path();
    fs::write(at.join("answers.txt"), "old\n").unwrap();
    run(at, &["check", "bad.pnml", "-q", "EF deadlock", "-o", "answers.txt"]);
    assert_eq!(fs::read_to_string(at.join("answers.txt")).unwrap(), "old\n");
    run(at, &["check", "move.pnml", "-q", "EF deadlock", "-o", "answers.txt"]);
    assert!(fs::read_to_string(at.join("answers.txt")).unwrap().starts_with("query 1: holds\n"));
}
