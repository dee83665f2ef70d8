//! Pictures: `fireset draw`, and the SVG of `structure` and `graph`.

mod common;

use common::{MOVE, directory_with, pnml, run, stderr, stdout};

/// What the command writes, which ends well.
fn written(directory: &tempfile::TempDir, arguments: &[&str]) -> String {
    let output = run(directory.path(), arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
}

#[test]
fn a_net_is_drawn_with_its_tokens_weights_and_inhibitor_arcs() {
    let inside = "<place id=\"p1\"><initialMarking><text>2</text></initialMarking></place>\
        <place id=\"p2\"><initialMarking><text>70</text></initialMarking></place>\
        <transition id=\"t1\"><name><text>a &lt; b</text></name></transition>\
        <arc id=\"a1\" source=\"p1\" target=\"t1\"><inscription><text>3</text></inscription></arc>\
        <arc id=\"a2\" source=\"p2\" target=\"t1\"><type value=\"inhibitor\"/></arc>";
    let directory = directory_with(&[("net.pnml", &pnml(inside))]);
    let svg = written(&directory, &["draw", "net.pnml"]);
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    assert_eq!(svg.matches("class=\"dot\"").count(), 2, "{svg}");
    for part in [">70</text>", ">3</text>", ">a &lt; b</text>", "url(#inhibits)\"/>"] {
        assert!(svg.contains(part), "{part} is missing in\n{svg}");
    }
    assert_eq!(svg, written(&directory, &["draw", "net.pnml"]), "the same in every run");
}

#[test]
fn nodes_stand_where_their_file_has_them() {
    let at = |x: u32, y: u32| format!("<graphics><position x=\"{x}\" y=\"{y}\"/></graphics>");
    let inside = format!(
        "<place id=\"p1\">{}</place><transition id=\"t1\">{}</transition>\
         <arc id=\"a1\" source=\"p1\" target=\"t1\">{}</arc>",
        at(500, 40),
        at(200, 300),
        at(510, 290)
    );
    let directory = directory_with(&[("net.pnml", &pnml(&inside))]);
    let svg = written(&directory, &["draw", "net.pnml"]);
    assert!(svg.contains("cx=\"500.0\" cy=\"40.0\""), "{svg}");
    assert!(svg.contains(" 510.0 290.0"), "the arc bends there\n{svg}");
}

#[test]
fn a_page_plays_the_run_of_a_witness() {
    let directory = directory_with(&[("net.pnml", &pnml(MOVE)), ("other.pnml", &pnml("<place id=\"p\"/>"))]);
    let check = ["check", "net.pnml", "-q", "EF p2 = 1", "-q", "AG p1 <= 1", "--witness", "w.json"];
    assert!(run(directory.path(), &check).status.success());
    let page = written(&directory, &["draw", "net.pnml", "--run", "w.json"]);
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("\"labels\":[\"t1\"]"), "{page}");
    assert!(page.contains("\"p1 1→0, p2 0→1; ✓ p2 = 1\""), "{page}");
    for (arguments, message) in [
        (["--run", "w.json", "--property", "query 2"], "w.json has certificates, but no run"),
        (["--run", "w.json", "--property", "nothing"], "w.json has no evidence for a property `nothing`"),
    ] {
        let output = run(directory.path(), &[&["draw", "net.pnml"][..], &arguments].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
    for arguments in [["draw", "other.pnml", "--run", "w.json"], ["draw", "net.pnml", "--run", "net.pnml"]] {
        let output = run(directory.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    }
}

#[test]
fn semiflows_and_reachability_graphs_are_drawn_too() {
    let directory = directory_with(&[("net.pnml", &pnml(MOVE))]);
    let highlight = ["structure", "net.pnml", "--format", "svg", "--highlight", "P-semiflow 1"];
    let svg = written(&directory, &highlight);
    assert_eq!(svg.matches("class=\"highlighted\"").count(), 2, "{svg}");
    assert!(svg.contains("class=\"caption\""), "{svg}");
    let svg = written(&directory, &["graph", "net.pnml", "--to", "svg"]);
    assert_eq!(svg.matches("class=\"marking\"").count(), 2, "{svg}");
    assert!(svg.contains("<g id=\"s1\" class=\"highlighted\">"), "the deadlock stands out\n{svg}");
}
