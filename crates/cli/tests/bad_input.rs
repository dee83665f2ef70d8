//! Bad input, as a new user meets it: a message, a position, a hint, and exit code 2.

mod common;

use common::{MOVE, directory_with, pnml, run, stderr};

/// Checks `model` with `query` and expects exit code 2 and a message with all of `parts`.
#[track_caller]
fn refused(model: &str, query: &str, parts: &[&str]) {
    let directory = directory_with(&[("net.pnml", model)]);
    let output = run(directory.path(), &["check", "net.pnml", "-q", query]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    for part in parts {
        assert!(message.contains(part), "`{part}` is missing in:\n{message}");
    }
    assert!(!message.contains("panicked"), "{message}");
}

#[test]
fn a_cut_file() {
    let whole = pnml(MOVE);
    refused(&whole[..whole.len() / 2], "EF deadlock", &["net.pnml:"]);
}

#[test]
fn a_file_that_is_not_xml() {
    refused(
        "places: p1 p2\n",
        "EF deadlock",
        &["no format that is known", "fireset reads nets in PNML, APT", "net.pnml:1:1"],
    );
}

#[test]
fn a_query_that_contest_xml_cannot_express() {
    let convert = ["convert", "net.pnml", "--to", "xml", "-q", "EF deadlock", "-q", "live"];
    refused_to(&convert, &["query 2 (`live`) cannot be written as contest XML", "--to text"]);
}

#[test]
fn an_empty_file() {
    refused("", "EF deadlock", &["net.pnml"]);
}

#[test]
fn another_language() {
    let bpmn =
        "<?xml version=\"1.0\"?>\n<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\"/>";
    refused(bpmn, "EF deadlock", &["definitions", "pnml", "net.pnml:2:"]);
}

#[test]
fn a_negative_marking() {
    let net = pnml("<place id=\"p\"><initialMarking><text>-3</text></initialMarking></place>");
    refused(&net, "EF deadlock", &["-3", "place p", "net.pnml:3:"]);
}

#[test]
fn more_tokens_than_64_bits() {
    let net =
        pnml("<place id=\"p\"><initialMarking><text>99999999999999999999</text></initialMarking></place>");
    refused(&net, "EF deadlock", &["64 bits", "place p"]);
}

#[test]
fn a_billion_tokens_are_fine() {
    let net = pnml("<place id=\"p\"><initialMarking><text>1000000000</text></initialMarking></place>");
    let directory = directory_with(&[("net.pnml", &net)]);
    let output = run(directory.path(), &["check", "net.pnml", "-q", "AG p = 1000000000"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn an_arc_between_two_places() {
    let net = pnml(&format!("{MOVE}\n<arc id=\"bad\" source=\"p1\" target=\"p2\"/>"));
    refused(&net, "EF deadlock", &["from a place to a place", "bad", "net.pnml:8:"]);
}

#[test]
fn an_arc_to_nowhere() {
    let net = pnml(&format!("{MOVE}\n<arc id=\"bad\" source=\"p1\" target=\"t11\"/>"));
    refused(&net, "EF deadlock", &["t11", "t1", "net.pnml:8:"]);
}

#[test]
fn an_unknown_place_in_a_query() {
    refused(&pnml(MOVE), "AG place1 >= 0 && p11 >= 0", &["place1", "query 1:1:4"]);
    refused(&pnml(MOVE), "AG p11 >= 0", &["p11", "p1", "^"]);
}

#[test]
fn steps_outside_ltl_are_refused_by_name() {
    refused(&pnml(MOVE), "A (F G p1 = 0 && E X fired(t1))", &["fired", "LTL only"]);
}

#[test]
fn a_missing_model() {
    let directory = directory_with(&[]);
    let output = run(directory.path(), &["check", "missing.pnml", "-q", "EF deadlock"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("missing.pnml"), "{}", stderr(&output));
}

#[test]
fn no_property() {
    let directory = directory_with(&[("net.pnml", &pnml(MOVE))]);
    let output = run(directory.path(), &["check", "net.pnml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("-q"), "{}", stderr(&output));
}

#[test]
fn an_entity_bomb() {
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE b [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n\
        <pnml><net id=\"&b;\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"/></pnml>";
    refused(bomb, "EF deadlock", &["net.pnml:"]);
}

/// Runs a command beside a net, its properties and a few other files, and expects exit code 2 and a message with all of `parts`.
#[track_caller]
fn refused_to(arguments: &[&str], parts: &[&str]) {
    let none = "<property-set xmlns=\"http://mcc.lip6.fr/\"/>";
    let net = pnml(MOVE);
    let directory = directory_with(&[("net.pnml", &net), ("model.pnml", &net), ("none.xml", none)]);
    let output = run(directory.path(), arguments);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    parts.iter().for_each(|part| assert!(message.contains(part), "`{part}` is missing in:\n{message}"));
    let kept = std::fs::read_to_string(directory.path().join("net.pnml")).unwrap();
    assert_eq!(kept, net, "the net is as it was");
}

#[test]
fn answers_in_the_place_of_the_net() {
    let check = ["check", "net.pnml", "-q", "EF deadlock"];
    for out in ["-o", "--witness"] {
        refused_to(&[&check[..], &[out, "./net.pnml"]].concat(), &["would be overwritten", "another file"]);
        refused_to(
            &[&check[..], &[out, "nowhere/x"]].concat(),
            &["nowhere does not exist", "create the directory"],
        );
        refused_to(&["check", ".", "-q", "EF deadlock", out, "model.pnml"], &["overwritten"]);
    }
}

#[test]
fn one_file_for_another() {
    refused_to(&["check", "none.xml", "-q", "EF deadlock"], &["property-set", "--properties"]);
    refused_to(&["check", "net.pnml", "--properties", "net.pnml"], &["pnml", "this is a net"]);
    refused_to(&["check", "net.pnml", "--properties", "none.xml"], &["contain no property", "<property>"]);
    refused_to(&["check", ".", "--examination", "UpperBounds"], &["UpperBounds.xml", "none"]);
    refused_to(&["check", "-", "-q", "EF deadlock"], &["the file is empty", "standard input:1:1"]);
}

#[test]
fn a_net_in_the_place_of_the_command() {
    refused_to(&["net.pnml"], &["fireset check net.pnml -q"]);
}

#[test]
fn limits_out_of_range() {
    let check = |more: [&str; 2], part: &str| {
        refused_to(&[&["check", "net.pnml", "-q", "EF deadlock"][..], &more].concat(), &[part]);
    };
    check(["--timeout", "-5"], "a time is a number of seconds");
    check(["--timeout", "99999999999999999999"], "the time is too long");
    check(["--memory", "99999999G"], "no machine has that much memory");
}

#[test]
fn a_syntax_error_points_to_the_help_on_queries() {
    refused(&pnml(MOVE), "EF (p1 = 1", &["--help-queries"]);
}
