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
    assert!(stdout(&sound(&["sound.pnml"])).contains("decided by its structure"));
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
    assert_eq!(document["workflows"][0]["structure"]["sound"].as_str(), Some("holds"));
    assert_eq!(document["workflows"][1]["structure"]["sound"].as_str(), Some("fails"));
    let mut changed = document.clone();
    changed["workflows"][0]["sound"] = "maybe".into();
    assert!(schemas.validate(&changed, index).is_err());
}

/// The exit code and the standard output of a check of soundness.
fn checked(
    at: &std::path::Path,
    model: &str,
    queries: &[&str],
    options: &[&str],
) -> (Option<i32>, String, String) {
    let queries = queries.iter().flat_map(|query| ["-q", query]);
    let arguments: Vec<&str> =
        ["check", model].into_iter().chain(queries).chain(options.iter().copied()).collect();
    let output = run(at, &arguments);
    (output.status.code(), stdout(&output), String::from_utf8_lossy(&output.stderr).into_owned())
}

const NOTIONS: [&str; 4] = ["sound", "weak-sound", "relaxed-sound", "easy-sound"];

#[test]
fn queries_have_verdicts_culprits_and_runs_that_replay() {
    let directory = files();
    let at = directory.path();
    for (model, verdicts) in [
        ("sound.pnml", ["holds"; 4]),
        ("stuck.pnml", ["fails"; 4]),
        ("pumping.pnml", ["fails", "fails", "holds", "holds"]),
    ] {
        let (code, text, _) = checked(at, model, &NOTIONS, &["--format", "json", "--witness", "runs.json"]);
        let document: Value = serde_json::from_str(&text).unwrap();
        let properties = document["models"][0]["properties"].as_array().unwrap();
        let given: Vec<_> = properties.iter().map(|p| p["verdict"].as_str().unwrap()).collect();
        let asked: Vec<_> = properties.iter().map(|p| p["query"].as_str().unwrap()).collect();
        assert_eq!((&given[..], &asked[..]), (&verdicts[..], &NOTIONS[..]), "{model}");
        assert_eq!(code, Some(i32::from(verdicts[0] == "fails")), "{model}");
        let replayed = run(at, &["replay", model, "runs.json"]);
        assert!(replayed.status.success() && !stdout(&replayed).contains("refused"), "{model}: {replayed:?}");
        let shown = stdout(&replayed).lines().count() - 1;
        assert!(
            shown >= verdicts.iter().filter(|&&verdict| verdict == "fails").count().min(2),
            "{replayed:?}"
        );
        let dead = &properties[0]["culprits"]["transitions"];
        assert_eq!(dead.as_array().map(Vec::len), (model == "stuck.pnml").then_some(1), "{properties:?}");
    }
    let (_, text, _) = checked(at, "stuck.pnml", &["sound"], &[]);
    assert!(text.contains("dead transitions: close"), "{text}");
}

#[test]
fn queries_about_other_nets_are_refused_and_the_rest_is_answered() {
    let directory = files();
    let at = directory.path();
    assert!(
        run(at, &["generate", "philosophers", "3", "--coloured", "-o", "coloured.pnml"]).status.success()
    );
    for (model, reason) in [
        ("other.pnml", "no source place"),
        ("unmarked.pnml", "`fireset sound` starts a workflow net with one token"),
        ("coloured.pnml", "unfold the net"),
    ] {
        let (code, text, errors) = checked(at, model, &["sound", "EF deadlock"], &[]);
        assert_eq!(code, Some(2), "{model}: {text} {errors}");
        assert!(text.contains("query 2: ") && errors.contains(reason), "{model}: {text} {errors}");
        assert_eq!(checked(at, model, &["easy-sound"], &[]).0, Some(2), "{model}");
    }
}

#[test]
fn final_markings_of_the_file_count() {
    let apt = ".name \"a\" .type PN .places p q .transitions t u .flows t: {p} -> {q} u: {q} -> {p} \
               .initial_marking {p} .final_markings {q}";
    let asked = "property a: sound\n  expect holds\nproperty b: weak-sound\n  expect fails\n";
    let directory = directory_with(&[("ring.apt", apt), ("asked.txt", asked)]);
    let (code, text, errors) =
        checked(directory.path(), "ring.apt", &["sound"], &["--properties", "asked.txt"]);
    assert_eq!(code, Some(1), "{text} {errors}");
    assert!(
        text.contains("a: holds, as expected") && text.contains("b: holds, not fails as expected"),
        "{text}"
    );
}
