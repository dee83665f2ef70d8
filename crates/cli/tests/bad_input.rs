//! Bad input, as a new user meets it: what is wrong, where, what to do, and exit code 2.

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
fn ctl_star_is_refused_in_so_many_words() {
    refused(&pnml(MOVE), "A (F G p1 = 0 && E X p2 = 1)", &["CTL*", "not supported"]);
}

#[test]
fn a_model_that_is_not_there() {
    let directory = directory_with(&[]);
    let output = run(directory.path(), &["check", "missing.pnml", "-q", "EF deadlock"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("missing.pnml"), "{}", stderr(&output));
}

#[test]
fn nothing_asked() {
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
