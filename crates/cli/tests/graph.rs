//! `fireset graph`: its formats, both kinds of nets, and what it does at its limits.

mod common;

use std::fs;

use common::{MOVE, directory_with, pnml, run, stderr, stdout};
use serde_json::{Value, json};

/// A transition that fills a place without end.
const PUMP: &str = "<place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"t\" target=\"p\"/>";

/// What `fireset graph` with these arguments prints on the net that moves a token.
#[track_caller]
fn graph(arguments: &[&str]) -> String {
    let directory = directory_with(&[("net.pnml", &pnml(MOVE))]);
    let output = run(directory.path(), &[&["graph", "net.pnml"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

/// Expects exit code 3, a message with all of `parts`, and that nothing is written.
#[track_caller]
fn unfinished(net: &str, arguments: &[&str], parts: &[&str]) {
    let directory = directory_with(&[("net.pnml", &pnml(net)), ("old.dot", "old")]);
    for file in ["new.dot", "old.dot"] {
        let output = run(directory.path(), &[&["graph", "net.pnml", "-o", file], arguments].concat());
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(3), "{message}");
        assert_eq!(stdout(&output), "");
        for part in parts {
            assert!(message.contains(part), "`{part}` is missing in:\n{message}");
        }
    }
    assert!(!directory.path().join("new.dot").exists(), "nothing is written");
    assert_eq!(fs::read_to_string(directory.path().join("old.dot")).unwrap(), "old");
}

#[test]
fn a_picture_is_the_default() {
    let text = graph(&[]);
    assert_eq!(text, graph(&["--to", "dot"]));
    for line in ["start -> s0", "s0 [label=\"p1\"]", "s1 [shape=box, style=filled, label=\"p2\"]"] {
        assert!(text.contains(line), "`{line}` is missing in:\n{text}");
    }
}

#[test]
fn aldebaran() {
    assert_eq!(graph(&["--to", "aut"]), "des (0, 1, 2)\n(0, \"t1\", 1)\n");
}

#[test]
fn json_has_markings_and_firings() {
    let value: Value = serde_json::from_str(&graph(&["--to", "json"])).unwrap();
    assert_eq!(value["states"][1], json!({ "id": 1, "marking": { "p2": "1" }, "deadlock": true }));
    assert_eq!(value["edges"], json!([{ "from": 0, "step": "t1", "to": 1 }]));
}

#[test]
fn a_coloured_net_has_the_graph_of_its_plain_form() {
    let directory = directory_with(&[]);
    let header = |more: &[&str], file: &str| {
        let generate = [&["generate", "philosophers", "2", "-o", file], more].concat();
        assert_eq!(run(directory.path(), &generate).status.code(), Some(0));
        let output = run(directory.path(), &["graph", file, "--to", "aut"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output).lines().next().unwrap().to_owned()
    };
    let (coloured, plain) = (header(&["--coloured"], "coloured.pnml"), header(&[], "plain.pnml"));
    assert_eq!(coloured, plain);
    let output = run(directory.path(), &["graph", "coloured.pnml", "--to", "json"]);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let step = &value["edges"][0]["step"];
    assert!(step["transition"].is_string() && step["binding"].is_object(), "{step}");
    let marking = value["states"][0]["marking"].as_object().unwrap();
    let colors = marking.values().next().unwrap();
    assert!(colors[0]["color"].is_string() && colors[0]["count"] == "1", "{colors}");
}

#[test]
fn a_file_gets_what_is_printed() {
    let directory = directory_with(&[("net.pnml", &pnml(MOVE))]);
    let output = run(directory.path(), &["graph", "net.pnml", "-o", "graph.dot"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), ""));
    assert_eq!(fs::read_to_string(directory.path().join("graph.dot")).unwrap(), graph(&[]));
}

#[test]
fn too_many_states() {
    unfinished(MOVE, &["--limit", "1"], &["more than 1 states", "hint", "--limit"]);
    graph(&["--limit", "2"]);
}

#[test]
fn infinitely_many_states() {
    unfinished(PUMP, &["--limit", "10"], &["infinitely many states"]);
}

#[test]
fn no_time() {
    unfinished(MOVE, &["--timeout", "0"], &["out of time", "--timeout"]);
}

#[test]
fn bad_input() {
    let directory = directory_with(&[("net.pnml", "<pnml>")]);
    for arguments in
        [&["graph", "net.pnml"][..], &["graph", "none.pnml"], &["graph", "net.pnml", "--to", "x"]]
    {
        assert_eq!(run(directory.path(), arguments).status.code(), Some(2));
    }
}

#[test]
fn the_coverability_graph_of_an_unbounded_net_is_finite() {
    let directory = directory_with(&[("net.pnml", &pnml(PUMP))]);
    let written = |format: &str| {
        let output = run(directory.path(), &["graph", "net.pnml", "--coverability", "--to", format]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    assert!(written("dot").contains("s1 [label=\"ω*p\"]"), "{}", written("dot"));
    assert_eq!(written("aut"), "des (0, 2, 2)\n(0, \"t\", 1)\n(1, \"t\", 1)\n");
    let value: Value = serde_json::from_str(&written("json")).unwrap();
    assert_eq!(value["states"][1]["marking"], json!({ "p": "omega" }));
    unfinished(PUMP, &["--coverability", "--limit", "1"], &["more than 1 states"]);
}

#[test]
fn inhibitor_arcs_have_no_coverability_graph() {
    let net = "<place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"t\" target=\"p\"/>\
               <arc id=\"b\" source=\"p\" target=\"t\"><type value=\"inhibitor\"/></arc>";
    let directory = directory_with(&[("net.pnml", &pnml(net))]);
    let output = run(directory.path(), &["graph", "net.pnml", "--coverability"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("inhibitor arcs"), "{}", stderr(&output));
}
