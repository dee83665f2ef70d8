//! Answers for code hosts: SARIF logs and annotations of GitHub Actions.

mod common;

use std::fs;

use boon::{Compiler, Schemas};
use common::{MOVE, directory_with, pnml, root, run, stderr, stdout};
use serde_json::Value;

/// The only run of a SARIF log, which has the essential structure.
fn sarif_run(text: &str) -> Value {
    let log: Value = serde_json::from_str(text).expect("it is JSON");
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    // The part of SARIF 2.1.0 that fireset writes, in our own words.
    let subset = root().join("crates/cli/tests/sarif-subset.json");
    let index = compiler.compile(subset.to_str().unwrap(), &mut schemas).expect("the subset is a schema");
    if let Err(error) = schemas.validate(&log, index) {
        panic!("{error:#}\n{log:#}");
    }
    let run = log["runs"][0].clone();
    for result in run["results"].as_array().unwrap() {
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
    }
    run
}

/// A net with a label, and one whose file is cut off.
fn nets() -> tempfile::TempDir {
    let labelled = MOVE.replace(
        "<transition id=\"t1\"/>",
        "<transition id=\"t1\"><name><text>go, home: 100%</text></name></transition>",
    );
    directory_with(&[("a b.pnml", &pnml(&labelled)), ("bad.pnml", "<pnml>\n<net")])
}

#[test]
fn sarif_has_a_result_for_each_answer() {
    let directory = nets();
    let queries = ["AG !deadlock", "EF deadlock", "bound(p1)", "A F p2 >= 1", "EX p1 = 1", "state-space"];
    let queries = queries.iter().flat_map(|query| ["-q", query]);
    let arguments: Vec<_> = ["check", "a b.pnml", "--format", "sarif"].into_iter().chain(queries).collect();
    let output = run(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let run = sarif_run(&stdout(&output));
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let results = run["results"].as_array().unwrap();
    let kinds: Vec<_> =
        results.iter().map(|r| ["ruleId", "kind", "level"].map(|key| r[key].as_str().unwrap())).collect();
    assert_eq!(
        kinds,
        [
            ["invariant", "fail", "error"],
            ["reachability", "pass", "none"],
            ["bound", "informational", "none"],
            ["ltl", "pass", "none"],
            ["ctl", "fail", "error"],
            ["state-space", "informational", "none"],
        ]
    );
    let location = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "a%20b.pnml");
    let expected = "query 1 fails\nAG !deadlock\ncounterexample, 1 step: \"go, home: 100%\"";
    assert_eq!(results[0]["message"]["text"], expected);
    let step = &results[0]["codeFlows"][0]["threadFlows"][0]["locations"][0]["location"];
    assert_eq!(
        (&step["message"]["text"], &step["logicalLocations"][0]["name"]),
        (&"\"go, home: 100%\"".into(), &"t1".into())
    );
    assert_eq!(results[2]["message"]["text"], "query 3 is 1\nbound(p1)\nwitness: the initial marking");
    let prints: std::collections::BTreeSet<_> =
        results.iter().map(|result| result["partialFingerprints"].to_string()).collect();
    assert_eq!(prints.len(), results.len());
}

#[test]
fn sarif_tells_unknown_properties_and_models_without_answers() {
    let directory = nets();
    let arguments =
        ["check", "bad.pnml", "a b.pnml", "-q", "AG EF p1 = 1", "--timeout", "0", "--format", "sarif"];
    let output = run(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let run = sarif_run(&stdout(&output));
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let place = &invocation["toolExecutionNotifications"][0]["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&"bad.pnml".into(), &2.into())
    );
    let result = &run["results"][0];
    assert_eq!((&result["kind"], &result["level"]), (&"fail".into(), &"warning".into()));
    assert!(
        result["message"]["text"].as_str().unwrap().starts_with("query 1 is unknown: out of time"),
        "{result}"
    );
}

#[test]
fn properties_of_files_have_their_lines() {
    let directory = nets();
    let at = directory.path();
    let xml =
        stdout(&run(at, &["convert", "a b.pnml", "-q", "AG !deadlock", "-q", "EF p2 = 1", "--to", "xml"]));
    fs::write(at.join("p.xml"), &xml).unwrap();
    let line = 1 + xml.lines().position(|line| line.contains("<id>query 2</id>")).unwrap();
    let check = |format: &str| {
        stdout(&run(at, &["check", "a b.pnml", "--properties", "p.xml", "--ordered", "--format", format]))
    };
    let log = sarif_run(&check("sarif"));
    let place = &log["results"][1]["relatedLocations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&"p.xml".into(), &line.into())
    );
    assert!(check("github").contains("%0Aproperty: p.xml:"), "{}", check("github"));
}

#[test]
fn github_annotations_are_escaped() {
    let directory = nets();
    let at = directory.path();
    fs::rename(at.join("a b.pnml"), at.join("a,b:c%.pnml")).unwrap();
    let queries = ["-q", "AG !deadlock", "-q", "EF deadlock", "-q", "bound(p1)"];
    let arguments =
        [&["check", "a,b:c%.pnml", "bad.pnml", "--ordered", "--format", "github"][..], &queries].concat();
    let output = run(at, &arguments);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let text = stdout(&output);
    let lines: Vec<_> = text.lines().collect();
    let file = "file=a%2Cb%3Ac%25.pnml";
    assert_eq!(
        lines[0],
        format!(
            "::error {file},title=query 1 fails::query 1 fails%0AAG !deadlock%0Acounterexample, 1 step: \
             \"go, home: 100%25\""
        )
    );
    assert_eq!(
        lines[1],
        format!(
            "::notice {file},title=query 3 is 1::query 3 is 1%0Abound(p1)%0Awitness: the initial marking"
        )
    );
    assert!(lines[2].starts_with("::error file=bad.pnml,line=2,col="), "{text}");
    assert!(lines[2].contains(",title=no answer about bad.pnml::"), "{text}");
    assert!(lines[3].starts_with("1 hold, 1 fail, 1 computed, 1 refused ("), "{text}");
    assert_eq!(lines.len(), 4, "{text}");
    let unknown = ["check", "a,b:c%.pnml", "-q", "AG EF p1 = 1", "--timeout", "0", "--format", "github"];
    let output = run(at, &unknown);
    assert_eq!(output.status.code(), Some(3));
    assert!(stdout(&output).starts_with(&format!("::warning {file},title=query 1 is unknown::")));
}
