//! The contest's entry on the examples, all examinations, beside the reference checker.
#![cfg(unix)]

mod common;

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Output},
};

use common::{root, stderr, stdout};
use fireset::{
    Budget, Model, Property, Verdict,
    io::properties,
    net::{Formula, Global, Logic},
};

/// Runs the contest's entry in an instance's directory.
fn benchkit(instance: &Path, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new("sh");
    command.arg(root().join("contest/BenchKit_head.sh")).current_dir(instance);
    for name in ["BK_EXAMINATION", "BK_BIN_PATH", "BK_TIME_CONFINEMENT", "BK_MEMORY_CONFINEMENT"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).output().expect("a shell is there")
}

/// The directory of the binary.
fn binary() -> String {
    let binary = assert_cmd::cargo::cargo_bin("fireset");
    binary.parent().and_then(Path::to_str).expect("a directory").to_owned()
}

/// Property and answer of each line.
fn given(output: &Output) -> BTreeMap<String, String> {
    let text = stdout(output);
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines
        .map(|words| {
            assert!(words.len() > 4 && words[3] == "TECHNIQUES", "{words:?}");
            (words[1].to_owned(), words[2].to_owned())
        })
        .collect()
}

/// What an examination asks: its file, or one property.
fn asked(instance: &Path, examination: &str, model: &Model) -> Vec<Property> {
    let formula = match examination {
        "StateSpace" => Formula::Global(Global::StateSpace),
        "OneSafe" => Formula::Global(Global::OneSafe),
        "StableMarking" => Formula::Global(Global::StableMarking),
        "QuasiLiveness" => Formula::Global(Global::QuasiLiveness),
        "Liveness" => Formula::Global(Global::Liveness),
        "ReachabilityDeadlock" => Formula::Deadlock.possible(),
        _ => {
            let file = instance.join(format!("{examination}.xml"));
            return properties::read_file(&file, model).expect("the example is sound");
        }
    };
    vec![Property { name: examination.into(), formula, logic: Logic::Ctl }]
}

/// What the reference checker answers, as the contest writes it.
fn expected(instance: &Path, examination: &str) -> BTreeMap<String, String> {
    let model = fireset::read(instance).expect("the example is sound");
    let properties = asked(instance, examination, &model);
    let queries: Vec<_> = properties.iter().map(|p| p.query().unwrap()).collect();
    let outcomes = fireset_oracle::outcomes(&model, &queries, 100_000, &Budget::unlimited());
    let mut answers = BTreeMap::new();
    for (property, outcome) in properties.into_iter().zip(outcomes) {
        let answer = match outcome.verdict {
            Verdict::Holds => "TRUE".to_owned(),
            Verdict::Fails => "FALSE".to_owned(),
            Verdict::Bound(bound) => bound.to_string(),
            Verdict::StateSpace(size) => {
                answers.insert("STATES".to_owned(), size.states.to_string());
                answers.insert("TRANSITIONS".to_owned(), size.firings.to_string());
                answers.insert("MAX_TOKEN_PER_MARKING".to_owned(), size.max_in_marking.to_string());
                answers.insert("MAX_TOKEN_IN_PLACE".to_owned(), size.max_in_place.to_string());
                continue;
            }
            Verdict::PartialStateSpace(known) => panic!("the reference does not know: {}", known.reason),
            Verdict::Unknown(reason) => panic!("the reference does not know: {reason}"),
        };
        answers.insert(property.name, answer);
    }
    answers
}

#[test]
fn all_examinations_of_the_examples_are_answered() {
    let binary = binary();
    for instance in ["contest", "contest-coloured"] {
        let instance = root().join("examples").join(instance);
        let mut seen = BTreeMap::<String, usize>::new();
        for examination in [
            "StateSpace",
            "OneSafe",
            "StableMarking",
            "QuasiLiveness",
            "Liveness",
            "ReachabilityDeadlock",
            "UpperBounds",
            "ReachabilityCardinality",
            "ReachabilityFireability",
            "CTLCardinality",
            "CTLFireability",
            "LTLCardinality",
            "LTLFireability",
        ] {
            let output = benchkit(
                &instance,
                &[
                    ("BK_EXAMINATION", examination),
                    ("BK_TIME_CONFINEMENT", "300"),
                    ("BK_MEMORY_CONFINEMENT", "4000"),
                    ("BK_BIN_PATH", &binary),
                ],
            );
            assert!(output.status.success(), "{}", stderr(&output));
            let given = given(&output);
            assert_eq!(given, expected(&instance, examination), "{} {examination}", instance.display());
            given.into_values().for_each(|answer| *seen.entry(answer).or_default() += 1);
        }
        for answer in ["TRUE", "FALSE"] {
            assert!(seen.get(answer).is_some_and(|&n| n >= 5), "the examples have both answers: {seen:?}");
        }
    }
}

#[test]
fn the_binary_may_be_found_as_any_command() {
    let path = format!("{}:{}", binary(), std::env::var("PATH").unwrap_or_default());
    let instance = root().join("examples/contest");
    let output = benchkit(&instance, &[("BK_EXAMINATION", "OneSafe"), ("PATH", &path)]);
    assert_eq!(given(&output), BTreeMap::from([("OneSafe".to_owned(), "TRUE".to_owned())]));
}

#[test]
fn what_is_missing_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let binary = binary();
    let refused = |variables: &[(&str, &str)], part: &str| {
        let output = benchkit(directory.path(), variables);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(stdout(&output), "CANNOT_COMPUTE\n");
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    };
    refused(&[("BK_BIN_PATH", &binary)], "BK_EXAMINATION is not set");
    refused(&[("BK_BIN_PATH", &binary), ("BK_EXAMINATION", "OneSafe")], "model.pnml");
    // A path on which there is a shell, and nothing else.
    let shell = directory.path().join("bin");
    fs::create_dir(&shell).unwrap();
    std::os::unix::fs::symlink("/bin/sh", shell.join("sh")).unwrap();
    refused(&[("PATH", shell.to_str().unwrap()), ("BK_EXAMINATION", "OneSafe")], "fireset is neither in");
}
