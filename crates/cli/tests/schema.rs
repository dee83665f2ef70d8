//! Outputs for programs have the shape that the schemas in `docs/src/schema` describe, and no other.

mod common;

use std::{collections::BTreeSet, path::Path};

use boon::{Compiler, SchemaIndex, Schemas};
use common::{MOVE, directory_with, pnml, root, run, stdout};
use serde_json::{Map, Value, json};

/// A compiled schema of the book.
struct BookSchema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl BookSchema {
    fn read(name: &str) -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        let file = root().join("docs/src/schema").join(name);
        let index = compiler.compile(file.to_str().unwrap(), &mut schemas);
        let index = index.unwrap_or_else(|error| panic!("{name} is no schema: {error:#}"));
        Self { schemas, index }
    }

    fn accepts(&self, value: &Value) -> bool {
        self.schemas.validate(value, self.index).is_ok()
    }

    fn assert_accepts(&self, value: &Value) {
        if let Err(error) = self.schemas.validate(value, self.index) {
            panic!("{error:#}\n{value:#}");
        }
    }
}

/// Runs a command that prints one JSON value.
fn json_of(at: &Path, arguments: &[&str]) -> Value {
    let output = run(at, arguments);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

const PLAIN_QUERIES: [&str; 15] = [
    "EF deadlock",
    "AG eating_1 = 0",
    "A F eating_1 >= 1",
    "AX EF deadlock",
    "AG EF eating_1 >= 1",
    "AG eating_1 + eating_2 <= 1",
    "EF (eating_3 >= 1 && (fork_1 >= 1 || fork_3 >= 1))",
    "bound(eating_1, eating_2)",
    "state-space",
    "live",
    "quasi-live",
    "k-bounded(0)",
    "persistent",
    "terminating",
    "reversible",
];

const COLOURED_QUERIES: [&str; 6] =
    ["EF deadlock", "A F eating >= 1", "AX EF deadlock", "bound(eating)", "state-space", "one-safe"];

/// A net with labels, a note about it, an infinite net, and a file that is no net.
fn nets() -> tempfile::TempDir {
    let labelled = "<place id=\"p\"><initialMarking><text>1</text></initialMarking></place>\
        <transition id=\"t\"><name><text>go home</text></name></transition>\
        <arc id=\"a\" source=\"p\" target=\"t\"/>";
    let infinite = "<place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"t\" target=\"p\"/>";
    let directory = directory_with(&[
        ("move.pnml", &pnml(MOVE)),
        ("labelled.pnml", &pnml(labelled)),
        ("infinite.pnml", &pnml(infinite)),
        ("bad.pnml", "<pnml>"),
        (
            "asked.txt",
            "property a: EF deadlock\n expect holds\nproperty b: bound(p1)\n expect 3\nproperty c: EF x\n",
        ),
    ]);
    let at = directory.path();
    for options in [&["-o", "plain.pnml"][..], &["--coloured", "-o", "coloured.pnml"]] {
        assert!(run(at, &[&["generate", "philosophers", "3"], options].concat()).status.success());
    }
    directory
}

/// The arguments of a check.
fn check<'a>(models: &[&'a str], queries: &[&'a str], options: &[&'a str]) -> Vec<&'a str> {
    let queries = queries.iter().flat_map(|query| ["-q", query]);
    ["check"]
        .into_iter()
        .chain(models.iter().copied())
        .chain(queries)
        .chain(options.iter().copied())
        .collect()
}

/// Commands whose answers have every verdict, every kind of evidence and every kind of error.
fn commands() -> Vec<Vec<&'static str>> {
    let two = ["EF deadlock", "bound(p)", "state-space"];
    vec![
        check(&["plain.pnml"], &PLAIN_QUERIES, &[]),
        check(&["coloured.pnml"], &COLOURED_QUERIES, &[]),
        check(&["labelled.pnml", "infinite.pnml"], &two, &[]),
        check(&["move.pnml", "bad.pnml", "missing.pnml"], &["EF p1 = 0"], &[]),
        check(&["move.pnml", "labelled.pnml"], &["EF p1 = 0"], &["--memory", "1G"]),
        check(&["bad.pnml"], &["EF deadlock"], &[]),
        check(&["move.pnml"], &["AG EF p1 = 1"], &["--timeout", "0"]),
        check(&["move.pnml"], &[], &["--examination", "UpperBounds"]),
        check(&["move.pnml"], &["EF deadlock", "EF (misspelt > 0)"], &[]),
        check(&["move.pnml"], &[], &["--properties", "asked.txt"]),
        check(&["move.pnml"], &["AG EF p1 = 1"], &["--properties", "asked.txt", "--timeout", "0"]),
    ]
}

#[test]
fn documents_and_lines_follow_their_schemas() {
    let directory = nets();
    let (document, line) = (BookSchema::read("answers.json"), BookSchema::read("line.json"));
    let mut seen = BTreeSet::new();
    for arguments in commands() {
        let answers = json_of(directory.path(), &[&arguments[..], &["--format", "json"]].concat());
        document.assert_accepts(&answers);
        let models = answers["models"].as_array().unwrap();
        for model in models {
            let properties = model["properties"].as_array().into_iter().flatten();
            seen.extend(properties.flat_map(|property| {
                let evidence = property["evidence"].as_object().into_iter().flat_map(Map::keys).cloned();
                let word = |key: &str| property[key].as_str().unwrap_or_default().to_owned();
                [word("verdict"), word("evidence_kind")].into_iter().chain(evidence).collect::<Vec<_>>()
            }));
            seen.extend(model["error"]["kind"].as_str().map(str::to_owned));
        }
        let lines = stdout(&run(directory.path(), &[&arguments[..], &["--format", "jsonl"]].concat()));
        let expected: usize = models.iter().map(|m| m["properties"].as_array().map_or(1, Vec::len)).sum();
        assert_eq!(lines.lines().count(), expected, "{lines}");
        for text in lines.lines() {
            line.assert_accepts(&serde_json::from_str(text).unwrap());
        }
    }
    for word in [
        "holds",
        "fails",
        "bound",
        "state-space",
        "unknown",
        "trace",
        "lasso",
        "branching",
        "certificate",
        "prefix",
        "runs",
        "inductive",
        "refutation",
        "input",
        "usage",
    ] {
        assert!(seen.contains(word), "no answer has {word}: {seen:?}");
    }
}

#[test]
fn labels_of_runs_stand_beside_their_ids() {
    let directory = nets();
    let answers =
        json_of(directory.path(), &check(&["labelled.pnml"], &["EF deadlock"], &["--format", "json"]));
    let property = &answers["models"][0]["properties"][0];
    assert_eq!(property["evidence"]["trace"], json!(["t"]));
    assert_eq!(property["labels"], json!({ "t": "go home" }));
}

#[test]
fn one_model_and_many_have_one_shape() {
    let directory = nets();
    let models = |paths: &[&str]| {
        let answers = json_of(directory.path(), &check(paths, &["EF p1 = 0"], &["--format", "json"]));
        let models = answers["models"].as_array().unwrap().clone();
        let keys = |model: &Value| model.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        models.iter().map(|model| (model["path"].clone(), keys(model))).collect::<Vec<_>>()
    };
    let (one, bad, both) =
        (models(&["move.pnml"]), models(&["bad.pnml"]), models(&["move.pnml", "bad.pnml"]));
    assert_eq!(both, [one, bad].concat());
    assert_eq!(both[0].1, ["path", "digest", "model", "limits", "notes", "warnings", "properties"]);
    assert_eq!(both[1].1, ["path", "error"]);
}

#[test]
fn notes_about_a_file_are_in_its_record() {
    let rated = pnml(&MOVE.replace(
        "<transition id=\"t1\"/>",
        "<transition id=\"t1\"><rate><value>2.0</value></rate></transition>",
    ));
    let directory = directory_with(&[("rated.pnml", &rated)]);
    let answers = json_of(directory.path(), &check(&["rated.pnml"], &["EF deadlock"], &["--format", "json"]));
    BookSchema::read("answers.json").assert_accepts(&answers);
    assert_eq!(answers["models"][0]["notes"].as_array().map(Vec::len), Some(1), "{answers}");
}

#[test]
fn descriptions_of_nets_follow_their_schema() {
    let directory = nets();
    let schema = BookSchema::read("info.json");
    for model in ["plain.pnml", "coloured.pnml", "labelled.pnml", "infinite.pnml"] {
        for options in [&[][..], &["--names"]] {
            let arguments = [&["info", model, "--format", "json"], options].concat();
            let info = json_of(directory.path(), &arguments);
            schema.assert_accepts(&info);
            assert_eq!(info["path"], model);
            assert_eq!(info["inhibitor_arcs"], 0);
            refuse_changes(&schema, &info);
        }
    }
    let info = json_of(directory.path(), &["info", "coloured.pnml", "--format", "json"]);
    assert_eq!(info["sorts"], json!([{ "name": "seat", "size": 3 }]));
}

/// Objects whose keys are names of the net.
const MAPS: [&str; 2] = ["labels", "binding"];

/// Every object of a value, as a JSON pointer; maps with free keys are aside.
fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            found.push(at.to_owned());
            let fields = map.iter().filter(|(key, _)| !MAPS.contains(&key.as_str()));
            fields.for_each(|(key, value)| objects(value, &format!("{at}/{key}"), found));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, value)| objects(value, &format!("{at}/{i}"), found));
        }
        _ => {}
    }
}

/// Keys that are there in some outputs only.
const OPTIONAL: [&str; 11] = [
    "labels",
    "culprits",
    "shown",
    "evidence_kind",
    "line",
    "column",
    "source",
    "element",
    "hint",
    "label",
    "declared_unit-safe",
];

/// An unknown key in any object, a missing key, and a value of another type are refused.
fn refuse_changes(schema: &BookSchema, value: &Value) {
    let mut places = Vec::new();
    objects(value, "", &mut places);
    for place in places {
        let with = |change: &dyn Fn(&mut Map<String, Value>)| {
            let mut changed = value.clone();
            change(changed.pointer_mut(&place).and_then(Value::as_object_mut).expect("the object is there"));
            changed
        };
        let more = with(&|object| _ = object.insert("surprise".into(), 1.into()));
        assert!(!schema.accepts(&more), "a new key is accepted in {place}");
        let keys: Vec<_> =
            value.pointer(&place).and_then(Value::as_object).unwrap().keys().cloned().collect();
        for key in &keys {
            let other = with(&|object| object[key] = json!([[true]]));
            assert!(!schema.accepts(&other), "another type is accepted in {place}/{key}");
            if !OPTIONAL.contains(&key.as_str()) {
                let less = with(&|object| _ = object.shift_remove(key));
                assert!(!schema.accepts(&less), "{place}/{key} is not needed");
            }
        }
    }
}

#[test]
fn a_changed_output_is_refused() {
    let directory = nets();
    let (document, line) = (BookSchema::read("answers.json"), BookSchema::read("line.json"));
    for arguments in commands() {
        let answers = json_of(directory.path(), &[&arguments[..], &["--format", "json"]].concat());
        refuse_changes(&document, &answers);
        let lines = stdout(&run(directory.path(), &[&arguments[..], &["--format", "jsonl"]].concat()));
        lines.lines().for_each(|text| refuse_changes(&line, &serde_json::from_str(text).unwrap()));
    }
    let mut answers =
        json_of(directory.path(), &check(&["move.pnml"], &["EF deadlock"], &["--format", "json"]));
    assert!(document.accepts(&answers));
    for (place, value) in [
        ("/format", json!(2)),
        ("/models/0/properties/0/verdict", json!("perhaps")),
        ("/models/0/properties/0/verdict", json!("unknown")),
        ("/models/0/properties/0/verdict", json!("bound")),
        ("/models/0/properties/0/evidence_kind", json!("lasso")),
        ("/models/0/properties/0/logic", json!("CTL*")),
        ("/models/0/digest", json!("0")),
        ("/models/0/limits/seconds", json!(-1)),
    ] {
        let before = std::mem::replace(answers.pointer_mut(place).unwrap(), value);
        assert!(!document.accepts(&answers), "{place}");
        *answers.pointer_mut(place).unwrap() = before;
    }
}

#[test]
fn replay_reads_documents_of_one_model_and_of_many() {
    let directory = nets();
    let at = directory.path();
    let models = ["move.pnml", "labelled.pnml"];
    assert_eq!(
        run(at, &check(&models, &["EF deadlock"], &["--format", "json", "-o", "a.json"])).status.code(),
        Some(0)
    );
    for model in models {
        assert_eq!(
            stdout(&run(at, &["replay", model, "a.json"])),
            "query 1: accepted\n1 of 1 witnesses accepted\n"
        );
    }
    run(at, &check(&["bad.pnml"], &["EF deadlock"], &["--format", "json", "-o", "bad.json"]));
    let none = run(at, &["replay", "move.pnml", "bad.json"]);
    assert!(common::stderr(&none).contains("no answers about this model"), "{none:?}");
    let other = run(at, &["replay", "infinite.pnml", "a.json"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(common::stderr(&other).contains("move.pnml, labelled.pnml"), "{other:?}");
    run(at, &check(&models[..1], &["EF deadlock"], &["--format", "json", "-o", "one.json"]));
    std::fs::rename(at.join("move.pnml"), at.join("moved.pnml")).unwrap();
    assert!(stdout(&run(at, &["replay", "moved.pnml", "one.json"])).contains("1 of 1 witnesses accepted"));
}

#[test]
fn structures_follow_their_schema() {
    let directory = nets();
    let at = directory.path();
    assert!(run(at, &["generate", "fms", "3", "-o", "weights.pnml"]).status.success());
    let schema = BookSchema::read("structure.json");
    for arguments in [
        &["plain.pnml"][..],
        &["coloured.pnml"],
        &["infinite.pnml"],
        &["move.pnml"],
        &["weights.pnml"],
        &["plain.pnml", "--limit", "2"],
        &["plain.pnml", "--timeout", "0"],
    ] {
        let value = json_of(at, &[&["structure", "--format", "json"], arguments].concat());
        schema.assert_accepts(&value);
        let mut wrong = value.clone();
        wrong["siphons"]["found"] = json!([{ "places": [1] }]);
        assert!(!schema.accepts(&wrong));
    }
    let full = json_of(at, &["structure", "--format", "json", "plain.pnml"]);
    assert_eq!(full["p_semiflows"]["found"].as_array().map(Vec::len), Some(6));
    assert_eq!(
        (&full["siphons"]["complete"], &full["properties"]["siphon_trap"]),
        (&json!(true), &json!(false))
    );
    let cut = json_of(at, &["structure", "--format", "json", "plain.pnml", "--limit", "2"]);
    assert_eq!(cut["siphons"]["cut_off"], json!("number"));
    let unfolded = json_of(at, &["structure", "--format", "json", "coloured.pnml"]);
    assert_eq!((&unfolded["unfolded"], &unfolded["places"]), (&json!(true), &full["places"]));
}
