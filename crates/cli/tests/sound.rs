//! `fireset sound`: verdicts, sentences, exit codes and the schema of its JSON.

mod common;

use boon::{Compiler, Schemas};
use common::{directory_with, pnml, root, run, stdout};
use serde_json::Value;

/// A place with tokens.
fn place(id: &str, tokens: u64) -> String {
    format!("<place id=\"{id}\"><initialMarking><text>{tokens}</text></initialMarking></place>")
}

/// Transitions with their labels and arcs, each `place>transition` or `transition>place`.
fn net(places: &[(&str, u64)], transitions: &[(&str, &str)], arcs: &[&str]) -> String {
    let mut text: String = places.iter().map(|(id, tokens)| place(id, *tokens)).collect();
    for (id, label) in transitions {
        text += &format!("<transition id=\"{id}\"><name><text>{label}</text></name></transition>");
    }
    for (at, arc) in arcs.iter().enumerate() {
        let (from, to) = arc.split_once('>').unwrap();
        text += &format!("<arc id=\"arc{at}\" source=\"{from}\" target=\"{to}\"/>");
    }
    pnml(&text)
}

fn files() -> tempfile::TempDir {
    let line =
        net(&[("i", 1), ("p", 0), ("o", 0)], &[("t", "pay"), ("u", "ship")], &["i>t", "t>p", "p>u", "u>o"]);
    // After the choice of one branch the join waits for the other.
    let stuck = net(
        &[("i", 1), ("p", 0), ("q", 0), ("o", 0)],
        &[("t", "pay"), ("u", "order"), ("v", "close")],
        &["i>t", "t>p", "i>u", "u>q", "p>v", "q>v", "v>o"],
    );
    let pumping = net(
        &[("i", 1), ("p", 0), ("q", 0), ("o", 0)],
        &[("t", "start"), ("u", "again"), ("v", "end")],
        &["i>t", "t>p", "p>u", "u>p", "u>q", "p>v", "q>v", "v>o"],
    );
    let unmarked = line.replace("<text>1</text>", "<text>0</text>");
    directory_with(&[
        ("sound.pnml", &line),
        ("unmarked.pnml", &unmarked),
        ("stuck.pnml", &stuck),
        ("pumping.pnml", &pumping),
        ("other.pnml", &net(&[("p", 1)], &[("t", "t")], &["p>t", "t>p"])),
    ])
}

#[test]
fn verdicts_have_sentences_and_exit_codes() {
    let directory = files();
    let at = directory.path();
    let sound = |arguments: &[&str]| run(at, &[&["sound"], arguments].concat());
    for (arguments, code) in [
        (&["sound.pnml", "unmarked.pnml"][..], 0),
        (&["stuck.pnml"], 1),
        (&["sound.pnml", "pumping.pnml"], 1),
        (&["stuck.pnml", "other.pnml"], 2),
        (&["pumping.pnml", "--notion", "easy-sound"], 0),
        (&["stuck.pnml", "--notion", "easy-sound"], 1),
        (&["missing.pnml"], 2),
    ] {
        assert_eq!(sound(arguments).status.code(), Some(code), "{arguments:?}: {:?}", sound(arguments));
    }
    let text = stdout(&sound(&["stuck.pnml"]));
    assert!(
        text.contains("`close (v)` can never happen") || text.contains("`close` can never happen"),
        "{text}"
    );
    assert!(text.contains("nothing can happen any more"), "{text}");
    assert!(stdout(&sound(&["other.pnml"])).contains("no source place"));
    assert!(stdout(&sound(&["pumping.pnml"])).contains("tokens pile up in"));
}

#[test]
fn json_follows_its_schema() {
    let directory = files();
    let arguments = ["sound", "--format", "json", "sound.pnml", "stuck.pnml", "pumping.pnml", "other.pnml"];
    let document: Value = serde_json::from_str(&stdout(&run(directory.path(), &arguments))).unwrap();
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    let file = root().join("docs/src/schema/soundness.json");
    let index = compiler.compile(file.to_str().unwrap(), &mut schemas).expect("a schema");
    if let Err(error) = schemas.validate(&document, index) {
        panic!("{error:#}\n{document:#}");
    }
    let verdicts: Vec<_> =
        document["workflows"].as_array().unwrap().iter().map(|w| w["sound"].as_str()).collect();
    assert_eq!(verdicts, [Some("holds"), Some("fails"), Some("fails"), None]);
    assert!(
        document["workflows"][2]["unbounded"]["sentence"]
            .as_str()
            .is_some_and(|text| text.contains("pile up"))
    );
    let mut changed = document.clone();
    changed["workflows"][0]["sound"] = "maybe".into();
    assert!(schemas.validate(&changed, index).is_err());
}
