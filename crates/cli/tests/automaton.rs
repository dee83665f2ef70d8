//! `fireset automaton`: its formats, its atoms, and what it refuses.

mod common;

use common::{root, run, stderr, stdout};

/// What `fireset automaton` with these arguments prints.
#[track_caller]
fn automaton(arguments: &[&str]) -> String {
    let output = run(&root(), &[&["automaton"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

/// Expects an exit code, a message with `part`, and no output.
#[track_caller]
fn refused(arguments: &[&str], code: i32, part: &str) {
    let output = run(&root(), &[&["automaton"], arguments].concat());
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{message}");
    assert_eq!(stdout(&output), "");
    assert!(message.contains(part), "`{part}` is missing in:\n{message}");
}

#[test]
fn hoa_is_the_default() {
    let text = automaton(&["G (p -> X tokens(q, r) >= 2)"]);
    assert_eq!(text, automaton(&["G (p -> X tokens(q, r) >= 2)", "--to", "hoa"]));
    let expected = r#"HOA: v1
name: "G (p -> X tokens(q, r) >= 2)"
States: 2
Start: 0
acc-name: Buchi
Acceptance: 1 Inf(0)
AP: 2 "p" "tokens(q, r) >= 2"
properties: trans-labels explicit-labels state-acc
--BODY--
State: 0 {0}
[t] 1
[!0] 0
State: 1 {0}
[!0&1] 0
[1] 1
--END--
"#;
    assert_eq!(text, expected);
}

#[test]
fn a_picture() {
    let text = automaton(&["!deadlock U fireable(t)", "--to", "dot"]);
    for part in ["digraph \"!deadlock U fireable(t)\"", "[label=\"!deadlock\"]", "[label=\"fireable(t)\"]"] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}

#[test]
fn equal_atoms_are_one() {
    assert!(automaton(&["(p <-> q) U X (p >= 1 && !q)"]).contains("AP: 2 \"p\" \"q\"\n"));
    assert!(automaton(&["G p && F !p"]).contains("States: 0\n"));
}

#[test]
fn only_paths_are_translated() {
    refused(&["A G p"], 2, "no quantifier");
    refused(&["AG p"], 2, "no quantifier");
    refused(&["G (p"], 2, "not closed");
    refused(&["bound(p)"], 2, "whole net");
}

#[test]
fn limits_are_kept() {
    let fair = (0..30).map(|n| format!("G F p{n}")).collect::<Vec<_>>().join(" && ");
    refused(&[&fair], 3, "--limit");
    let equal = (0..200).map(|n| format!("p{n}")).collect::<Vec<_>>().join(" <-> ");
    refused(&[&equal], 3, "--limit");
    refused(&["G F p && G F q", "--limit", "1"], 3, "--limit");
    let deep = "X ".repeat(500) + "p";
    assert!(automaton(&[&deep]).contains("States: 502\n"));
}
