//! `fireset structure` for people: lists, reasons, drawings and messages.

mod common;

use common::{directory_with, pnml, root, run, stdout};

#[test]
fn facts_and_conclusions_are_printed() {
    let examples = root().join("examples");
    let text = stdout(&run(&examples, &["structure", "two-locks.pnml"]));
    for line in [
        "  marked graph          no: lock_1 has 2 input transitions and 2 output transitions\n",
        "    1  a_idle + a_waits + a_works = 1  (S-component)\n",
        "    5  {a_works, b_works, lock_1, lock_2}  marked, but contains no marked trap\n",
        "  siphon-trap property  no: siphon 5 contains no marked trap\n",
        "  1 token by P-semiflow 3: lock_1\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
}

#[test]
fn long_lists_are_cut_and_say_so() {
    let directory = directory_with(&[]);
    let at = directory.path();
    assert!(run(at, &["generate", "philosophers", "20", "-o", "net.pnml"]).status.success());
    let text = stdout(&run(at, &["structure", "net.pnml", "--limit", "30"]));
    assert!(text.contains("30 minimal P-semiflows, not all: there are more; raise --limit"), "{text}");
    assert!(text.contains("  ... and 20 more; --all prints all"), "{text}");
    let all = stdout(&run(at, &["structure", "net.pnml", "--limit", "30", "--all"]));
    assert!(!all.contains("--all prints all") && all.lines().count() > text.lines().count() + 50, "{all}");
}

#[test]
fn an_element_is_coloured() {
    let examples = root().join("examples");
    let drawn = ["structure", "two-locks.pnml", "--format", "dot", "--highlight"];
    let text = stdout(&run(&examples, &[&drawn[..], &["Semiflow 3"]].concat()));
    assert!(text.contains("label=\"P-semiflow 3: a_waits + a_works + b_works + lock_1 = 1\""), "{text}");
    assert_eq!(text.matches("style=filled").count(), 4, "{text}");
    let missing = run(&examples, &[&drawn[..], &["trap 99"]].concat());
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("there is no trap 99: 4 of them are found"));
    for wrong in ["trap", "trap 0", "place 1", "trap x"] {
        assert_eq!(run(&examples, &[&drawn[..], &[wrong]].concat()).status.code(), Some(2), "{wrong}");
    }
    let no_drawing = run(&examples, &["structure", "two-locks.pnml", "--highlight", "trap 1"]);
    assert_eq!(no_drawing.status.code(), Some(2));
}

/// An empty place without transitions is a siphon too, but harms nothing.
#[test]
fn a_siphon_that_breaks_the_property_has_a_transition() {
    let net = "<place id=\"alone\"/><place id=\"p\"><initialMarking><text>1</text></initialMarking></place>\
        <transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"/>";
    let directory = directory_with(&[("net.pnml", &pnml(net))]);
    let text = stdout(&run(directory.path(), &["structure", "net.pnml"]));
    assert!(text.contains("    1  {alone}  empty\n"), "{text}");
    assert!(text.contains("  siphon-trap property  no: siphon 2 contains no marked trap\n"), "{text}");
}

#[test]
fn dead_parts_are_named() {
    let net = "<place id=\"p\"/><place id=\"q\"><initialMarking><text>1</text></initialMarking></place>\
        <transition id=\"t\"/><transition id=\"u\"/>\
        <arc id=\"a\" source=\"p\" target=\"t\"/><arc id=\"b\" source=\"t\" target=\"p\"/>\
        <arc id=\"c\" source=\"q\" target=\"u\"/><arc id=\"d\" source=\"u\" target=\"q\"/>";
    let directory = directory_with(&[("net.pnml", &pnml(net))]);
    let text = stdout(&run(directory.path(), &["structure", "net.pnml"]));
    assert!(
        text.contains("not quasi-live: the siphon {p} is empty and stays empty, so t can never fire"),
        "{text}"
    );
    assert!(text.contains("bounded: every place is in one of P-semiflows 1, 2"), "{text}");
}
