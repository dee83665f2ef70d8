//! `fireset check`, its formats and exit codes, and `fireset replay` on what it writes.

mod common;

use common::{MOVE, directory_with, pnml, root, run, stderr, stdout};

/// The exit code of checking the small net with these queries.
#[track_caller]
fn code(queries: &[&str], more: &[&str]) -> i32 {
    let directory = directory_with(&[("net.pnml", &pnml(MOVE))]);
    let mut arguments = vec!["check", "net.pnml"];
    queries.iter().for_each(|q| arguments.extend(["-q", q]));
    arguments.extend(more);
    let output = run(directory.path(), &arguments);
    output.status.code().unwrap_or_else(|| panic!("killed: {}", stderr(&output)))
}

#[test]
fn the_exit_code_is_that_of_the_most_serious_answer() {
    assert_eq!(code(&["EF deadlock", "AG p1 + p2 = 1", "bound(p1)", "state-space"], &[]), 0);
    assert_eq!(code(&["EF deadlock", "AG p1 = 1"], &[]), 1);
    assert_eq!(code(&["AG EF p1 = 1"], &["--timeout", "0"]), 3);
    assert_eq!(code(&["AG EF"], &[]), 2);
}

#[test]
fn a_predicate_is_said_to_be_about_the_initial_marking() {
    let notes = |query: &str| stderr(&run(&root(), &["check", "examples/philosophers.pnml", "-q", query]));
    assert!(notes("deadlock").contains("`EF (deadlock)`"), "{}", notes("deadlock"));
    assert_eq!(notes("EF deadlock"), "");
}

#[test]
fn a_timeout_gives_the_reason() {
    let directory = directory_with(&[("net.pnml", &pnml(MOVE))]);
    let output = run(directory.path(), &["check", "net.pnml", "-q", "AG EF p1 = 1", "--timeout", "0"]);
    assert!(stdout(&output).contains("unknown: out of time"), "{}", stdout(&output));
}

#[test]
fn json_has_every_answer() {
    let directory = directory_with(&[("net.pnml", &pnml(MOVE))]);
    let arguments = ["check", "net.pnml", "-q", "EF deadlock", "-q", "state-space", "--format", "json"];
    let report: serde_json::Value =
        serde_json::from_slice(&run(directory.path(), &arguments).stdout).unwrap();
    let properties = report["models"][0]["properties"].as_array().unwrap();
    assert_eq!(properties.len(), 2);
    assert_eq!(properties[0]["verdict"], "holds");
    assert_eq!(properties[0]["evidence"]["trace"], serde_json::json!(["t1"]));
    assert_eq!(properties[1]["states"], "2");
    assert!(properties[1]["statistics"]["seconds"].is_number());
}

/// What comes out of checking and replaying: the witness file, and what replay says of `change` of it.
fn replayed(queries: &[&str], change: impl Fn(String) -> String) -> (i32, String) {
    let directory = directory_with(&[("net.pnml", &pnml(MOVE))]);
    let mut arguments = vec!["check", "net.pnml", "--witness", "w.json"];
    queries.iter().for_each(|q| arguments.extend(["-q", q]));
    run(directory.path(), &arguments);
    let file = directory.path().join("w.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, change(text)).unwrap();
    let output = run(directory.path(), &["replay", "net.pnml", "w.json"]);
    (output.status.code().unwrap(), stdout(&output) + &stderr(&output))
}

#[test]
fn witnesses_of_every_kind_are_accepted() {
    let queries =
        ["EF deadlock", "AG p1 = 1", "A G p1 = 1", "E F p2 = 1", "A (F p2 = 0 && G F p1 = 1)", "bound(p2)"];
    let (code, text) = replayed(&queries, |file| file);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("6 of 6 witnesses accepted"), "{text}");
}

#[test]
fn a_tampered_witness_is_refused_with_the_step_at_fault() {
    let (code, text) = replayed(&["EF deadlock"], |file| file.replace("\"t1\"", "\"t1\", \"t1\""));
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("step 2 (`t1`) cannot fire: place `p1` holds 0"), "{text}");
    let (code, text) = replayed(&["EF deadlock"], |file| file.replace("\"t1\"", ""));
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("without the property"), "{text}");
    let (code, text) = replayed(&["EF deadlock"], |file| file.replace("\"t1\"", "\"t2\""));
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("step 1") && text.contains("`t1`"), "{text}");
    let (code, text) = replayed(&["AG p1 = 1"], |file| file.replace("fails", "holds"));
    assert_eq!(code, 1, "{text}");
}

#[test]
fn unreachability_answers_have_certificates() {
    let directory = directory_with(&[("net.pnml", &pnml(MOVE))]);
    let query = ["check", "net.pnml", "-q", "AG p1 + p2 = 1", "-q", "EF (p1 >= 1 && p2 >= 1)"];
    let text = stdout(&run(directory.path(), &query));
    assert_eq!(text.matches("  certificate: ").count(), 2, "{text}");
    assert!(text.contains("inequalities in 2 cases (see --witness)"), "{text}");
    let off: Vec<&str> = query.into_iter().chain(["--certificates", "off"]).collect();
    let text = stdout(&run(directory.path(), &off));
    assert!(!text.contains("certificate"), "{text}");
    let (code, text) = replayed(&["AG p1 + p2 = 1", "EF (p1 >= 1 && p2 >= 1)"], |file| file);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("2 of 2 witnesses accepted"), "{text}");
}

#[test]
fn a_tampered_certificate_is_refused() {
    let never = ["EF (p1 >= 1 && p2 >= 1)"];
    let refused = |from: &str, to: &str, code: i32, message: &str| {
        let (status, text) = replayed(&never, |file| {
            assert!(file.contains(from), "{file}");
            file.replace(from, to)
        });
        assert_eq!(status, code, "{text}");
        assert!(text.contains(message), "{text}");
    };
    refused("\"times\": \"1\"", "\"times\": \"0\"", 1, "do not contradict each other");
    refused("p2 >= 1", "p2 >= 0", 1, "do not contradict each other");
    refused("fails", "holds", 1, "cannot show this verdict");
    refused("\"times\"", "\"time\"", 2, "a premise has a number `times`");
    refused("\"goal\"", "\"place\"", 2, "not the name of a place");
}

/// Writes the witness of a query about philosophers, changes it, and replays it.
fn philosophers(count: &str, query: &str, change: impl Fn(&mut serde_json::Value)) -> (i32, String) {
    let directory = directory_with(&[]);
    let at = directory.path();
    assert!(run(at, &["generate", "philosophers", count, "-o", "net.pnml"]).status.success());
    let output = run(at, &["check", "net.pnml", "-q", query, "--witness", "w.json"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", stderr(&output));
    let mut witness: serde_json::Value =
        serde_json::from_slice(&std::fs::read(at.join("w.json")).unwrap()).unwrap();
    let evidence = witness.pointer_mut("/properties/0/evidence").expect("the answer has evidence");
    change(evidence);
    std::fs::write(at.join("w.json"), witness.to_string()).unwrap();
    let output = run(at, &["replay", "net.pnml", "w.json"]);
    (output.status.code().unwrap(), stdout(&output) + &stderr(&output))
}

#[test]
fn nested_ctl_has_branching_evidence() {
    let query = "AG (eating_1 >= 1 -> EX EF eating_2 >= 1) && EF AG deadlock";
    let (code, text) = philosophers("3", query, |_| {});
    assert_eq!(code, 0, "{text}");
    assert!(text.starts_with("query 1: accepted\n"), "{text}");
    let (code, text) = philosophers("3", query, |evidence| {
        evidence["runs"].as_array_mut().unwrap().truncate(1);
    });
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("the runs do not decide the formula"), "{text}");
    let (code, text) = philosophers("3", query, |evidence| {
        evidence["runs"][0]["steps"].as_array_mut().unwrap().insert(1, "release_1".into());
    });
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("step 2 (`release_1`) cannot fire"), "{text}");
}

#[test]
fn claims_of_a_witness_are_printed() {
    let query = "EX AG EF deadlock";
    let (code, text) = philosophers("7", query, |_| {});
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("accepted, assuming 1 claim that no run shows\n  claimed without a run: after step 1"),
        "{text}"
    );
    let (code, text) = philosophers("7", query, |evidence| evidence["claims"][0]["holds"] = false.into());
    assert_eq!(code, 1, "{text}");
    let (code, text) = philosophers("7", query, |evidence| evidence["claims"] = serde_json::json!([]));
    assert_eq!(code, 1, "{text}");
    let (code, text) = philosophers("7", query, |evidence| evidence["claims"][0]["state"] = 9.into());
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("state 9"), "{text}");
}

#[test]
fn coloured_witnesses_are_replayed_in_colours() {
    let directory = directory_with(&[]);
    let at = directory.path();
    assert!(run(at, &["generate", "philosophers", "3", "--coloured", "-o", "net.pnml"]).status.success());
    let output = run(at, &["check", "net.pnml", "-q", "EF deadlock", "--witness", "w.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let witness = std::fs::read_to_string(at.join("w.json")).unwrap();
    assert!(witness.contains("\"binding\""), "{witness}");
    assert!(stdout(&run(at, &["replay", "net.pnml", "w.json"])).contains("1 of 1 witnesses accepted"));
}

#[test]
fn unfolding_changes_no_answer() {
    let directory = directory_with(&[]);
    let at = directory.path();
    assert!(run(at, &["generate", "token-ring", "4", "--coloured", "-o", "net.pnml"]).status.success());
    let place = stdout(&run(at, &["convert", "net.pnml", "--to", "dot"]));
    let place = place.split_once("label=\"").and_then(|(_, rest)| rest.split_once("\\n")).expect("a place").0;
    let bound = format!("bound({place})");
    let queries = [&bound, "state-space", "one-safe", "stable-marking", "quasi-live", "live", "EF deadlock"];
    let answers = |unfolding: &str| {
        let mut arguments = vec!["check", "net.pnml", "--format", "json", "--unfolding", unfolding];
        queries.iter().for_each(|q| arguments.extend(["-q", q]));
        let report: serde_json::Value = serde_json::from_slice(&run(at, &arguments).stdout).unwrap();
        let mut properties = report["models"][0]["properties"].as_array().unwrap().clone();
        for property in &mut properties {
            let property = property.as_object_mut().unwrap();
            property
                .retain(|key, _| !["evidence", "techniques", "statistics", "stages"].contains(&key.as_str()));
        }
        properties
    };
    assert_eq!(answers("on"), answers("off"));
}

#[test]
fn reduction_changes_no_answer() {
    let directory = directory_with(&[]);
    let at = directory.path();
    assert!(run(at, &["generate", "fms", "2", "-o", "net.pnml"]).status.success());
    let place = stdout(&run(at, &["convert", "net.pnml", "--to", "dot"]));
    let place = place.split_once("label=\"").and_then(|(_, rest)| rest.split_once("\\n")).expect("a place").0;
    let bound = format!("bound({place})");
    let never = format!("EF {place} = 0");
    let again = format!("A G F {place} > 0");
    let answers = |reduction: &str| {
        let queries = [&bound, "EF deadlock", &never, &again];
        let mut arguments = vec!["check", "net.pnml", "--format", "json", "--witness", "w.json"];
        arguments.extend(["--reduction", reduction]);
        queries.iter().for_each(|q| arguments.extend(["-q", q]));
        let report: serde_json::Value = serde_json::from_slice(&run(at, &arguments).stdout).unwrap();
        let properties = report["models"][0]["properties"].as_array().unwrap();
        let techniques: Vec<String> = properties.iter().map(|p| p["techniques"].to_string()).collect();
        let replayed = stdout(&run(at, &["replay", "net.pnml", "w.json"]));
        assert!(replayed.contains("witnesses accepted"), "{replayed}");
        let verdicts: Vec<serde_json::Value> = properties.iter().map(|p| p["verdict"].clone()).collect();
        (verdicts, techniques.join(" "))
    };
    let (with, without) = (answers("on"), answers("off"));
    assert_eq!(with.0, without.0);
    assert!(
        with.1.contains("STRUCTURAL_REDUCTION") && !without.1.contains("STRUCTURAL_REDUCTION"),
        "{}",
        with.1
    );
}

#[test]
fn an_unfolded_net_is_written() {
    let directory = directory_with(&[]);
    let at = directory.path();
    assert!(run(at, &["generate", "philosophers", "3", "--coloured", "-o", "net.pnml"]).status.success());
    assert!(run(at, &["convert", "net.pnml", "--unfold", "-o", "plain.pnml"]).status.success());
    let info = stdout(&run(at, &["info", "plain.pnml"]));
    assert!(info.contains("place/transition net"), "{info}");
    assert_eq!(run(at, &["check", "plain.pnml", "-q", "EF deadlock"]).status.code(), Some(0));
}

#[test]
fn names_are_listed_as_queries_write_them() {
    let net = pnml(
        "<place id=\"p0\"><name><text>waiting room</text></name>\
         <initialMarking><text>3</text></initialMarking></place><place id=\"p1\"/>\
         <transition id=\"t0\"><name><text>enter</text></name></transition>\
         <arc id=\"a\" source=\"p0\" target=\"t0\"/><arc id=\"b\" source=\"t0\" target=\"p1\"/>",
    );
    let directory = directory_with(&[("net.pnml", &net)]);
    let listed = stdout(&run(directory.path(), &["info", "net.pnml", "--names"]));
    assert!(
        listed.ends_with("place names\n  p0 (\"waiting room\"): 3\n  p1\ntransition names\n  t0 (enter)\n"),
        "{listed}"
    );
    let json = stdout(&run(directory.path(), &["info", "net.pnml", "--names", "--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["place_names"][0]["label"], "waiting room");
    assert_eq!(json["transition_names"][0]["id"], "t0");
    assert_eq!((&json["initial_tokens"], &json["place_names"][0]["tokens"]), (&3.into(), &3.into()));
}

/// Two places and two transitions of one label each, a label of two lines, and a label that is a keyword of queries.
const LABELLED: &str = "<place id=\"p0\"><name><text>waiting room</text></name>\
     <initialMarking><text>1</text></initialMarking></place>\
     <place id=\"p1\"><name><text>busy</text></name></place><place id=\"p2\"><name><text>busy</text></name></place>\
     <place id=\"p3\"/>\
     <transition id=\"t0\"><name><text>enter</text></name></transition>\
     <transition id=\"t1\"><name><text>tau</text></name></transition>\
     <transition id=\"t2\"><name><text>tau</text></name></transition>\
     <transition id=\"t3\"><name><text>go\nhome</text></name></transition>\
     <arc id=\"a\" source=\"p0\" target=\"t0\"/><arc id=\"b\" source=\"t0\" target=\"p1\"/>\
     <arc id=\"c\" source=\"p1\" target=\"t1\"/><arc id=\"d\" source=\"t1\" target=\"p2\"/>\
     <arc id=\"e\" source=\"p2\" target=\"t3\"/><arc id=\"f\" source=\"t3\" target=\"p3\"/>\
     <arc id=\"g\" source=\"p3\" target=\"t2\"/>";

#[test]
fn people_read_labels_and_programs_ids() {
    let directory = directory_with(&[("net.pnml", &pnml(LABELLED))]);
    let at = directory.path();
    let query = "AG (p0 + p1 + 2*p2 >= 1 || fireable(t1, t3) || fireable(t2))";
    let shown = stdout(&run(at, &["check", "net.pnml", "-q", query, "-q", "EF deadlock"]));
    for line in [
        "  AG (\"waiting room\" + busy (p1) + 2*busy (p2) >= 1 || fireable(tau (t1), \"go home\" (t3)) || \
         fireable(tau (t2)))\n",
        "  counterexample, 4 steps: enter tau (t1) \"go home\" (t3) tau (t2)\n",
        "  witness, 4 steps: enter tau (t1) \"go home\" (t3) tau (t2)\n",
    ] {
        assert!(shown.contains(line), "{line} is missing in\n{shown}");
    }
    let json = stdout(&run(at, &["check", "net.pnml", "-q", query, "--format", "json"]));
    assert!(json.contains("p0 + p1 + 2*p2 >= 1 || fireable(t1, t3) || fireable(t2)"), "{json}");
    let graph = |format: &str| stdout(&run(at, &["graph", "net.pnml", "--to", format]));
    let dot = graph("dot");
    assert!(dot.contains("s0 [label=\"\\\"waiting room\\\"\"]"), "{dot}");
    assert!(dot.contains("s1 [label=\"busy (p1)\"]") && dot.contains("[label=\"tau (t1)\"]"), "{dot}");
    assert!(graph("aut").contains("(0, \"t0\", 1)"));
    assert!(graph("json").contains("\"p0\"") && !graph("json").contains("busy"));
    let net = stdout(&run(at, &["convert", "net.pnml", "--to", "dot"]));
    assert!(net.contains("label=\"go\\nhome\"") && net.contains("label=\"busy (p2)\""), "{net}");
    let text = stdout(&run(at, &["convert", "net.pnml", "-q", "EF \"waiting room\" = 1", "--to", "text"]));
    assert_eq!(text, "property query 1: EF (p0 = 1)\n");
}

#[test]
fn a_refused_witness_is_told_with_labels() {
    let witness = "{\"properties\": [{\"name\": \"q\", \"query\": \"EF p3 = 1\", \"verdict\": \"holds\", \
                   \"evidence\": {\"trace\": [\"t0\", \"t3\"]}}]}";
    let directory = directory_with(&[("net.pnml", &pnml(LABELLED)), ("w.json", witness)]);
    let output = run(directory.path(), &["replay", "net.pnml", "w.json"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let expected = "step 2 (`go home (t3)`) cannot fire: place `busy (p2)` holds 0 token(s), 1 needed";
    assert!(stdout(&output).contains(expected), "{}", stdout(&output));
}

#[test]
fn runs_are_printed_with_loops_and_quoted_names() {
    let net = pnml(
        "<place id=\"p\"><initialMarking><text>1</text></initialMarking></place><place id=\"q\"/>\
         <transition id=\"go\"/><transition id=\"t 1\"/>\
         <arc id=\"a\" source=\"p\" target=\"go\"/><arc id=\"b\" source=\"go\" target=\"q\"/>\
         <arc id=\"c\" source=\"q\" target=\"t 1\"/><arc id=\"d\" source=\"t 1\" target=\"q\"/>",
    );
    let directory = directory_with(&[("net.pnml", &net)]);
    let shown = stdout(&run(directory.path(), &["check", "net.pnml", "-q", "EX EG q = 1"]));
    let expected = "  witness, 2 steps: go \"t 1\"\n  which leads back to the marking after step 1\n";
    assert!(shown.contains(expected), "{shown}");
}

#[test]
fn tokens_of_coloured_nets_are_counted_by_colour() {
    let directory = directory_with(&[]);
    let at = directory.path();
    assert!(run(at, &["generate", "token-ring", "3", "--coloured", "-o", "net.pnml"]).status.success());
    let shown = stdout(&run(at, &["check", "net.pnml", "-q", "state-space"]));
    assert!(shown.contains(" 1 of a colour in a place\n"), "{shown}");
    let junit = stdout(&run(at, &["check", "net.pnml", "-q", "state-space", "--format", "junit"]));
    assert!(junit.contains(" 1 of a colour in a place&#10;"), "{junit}");
}

#[test]
fn a_memory_limit_ends_in_unknown() {
    let directory = directory_with(&[]);
    let at = directory.path();
    assert!(run(at, &["generate", "kanban", "8", "-o", "net.pnml"]).status.success());
    let arguments = ["check", "net.pnml", "-q", "state-space", "--memory", "60M", "--diagrams", "off"];
    let output = run(at, &arguments);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stdout(&output).contains("out of memory"), "{}", stdout(&output));
    let seen = stdout(&output)
        .lines()
        .find_map(|line| line.trim().split_once(" states seen").map(|s| s.0.to_owned()));
    let seen: u64 = seen.expect("it says how far it came").parse().unwrap();
    assert!((100_000..133_865_325).contains(&seen), "{seen} states");
}

/// Any run refutes the property, but finding the steps of one would try eight billion bindings.
#[test]
fn a_verdict_does_not_wait_for_a_run_that_takes_too_long() {
    let directory = directory_with(&[]);
    let at = directory.path();
    let generate = ["generate", "token-ring", "2000", "--coloured", "-o", "net.pnml"];
    assert!(run(at, &generate).status.success());
    let output = run(at, &["check", "net.pnml", "-q", "A X false"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("query 1: fails\n"), "{}", stdout(&output));
}

#[test]
fn stubborn_sets_save_states_and_change_no_answer() {
    let directory = directory_with(&[]);
    let at = directory.path();
    assert!(run(at, &["generate", "fork-join", "3", "-o", "net.pnml"]).status.success());
    let check = |stubborn: &str, query: &str| {
        let options = [
            "--format",
            "json",
            "--simplification",
            "off",
            "--reduction",
            "off",
            "--stubborn",
            stubborn,
            "-q",
            query,
        ];
        let output = run(at, &[&["check", "net.pnml"][..], &options].concat());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let property = &report["models"][0]["properties"][0];
        let sets = property["techniques"].as_array().unwrap().iter().any(|word| word == "STUBBORN_SETS");
        assert_eq!(sets, stubborn == "on", "{query}");
        (property["verdict"].clone(), property["statistics"]["states"].as_u64().unwrap())
    };
    for query in ["EF deadlock", "A G F fireable(fork_1)"] {
        let ((on, few), (off, many)) = (check("on", query), check("off", query));
        assert_eq!(on, off, "{query}");
        assert!(few < many, "{query}: {few} states of {many}");
    }
}
