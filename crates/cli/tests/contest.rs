//! `fireset mcc`: the contest's conventions, and its oracles where they lie beside the checkout.

mod common;

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use common::{directory_with, fireset, pnml, root, stdout};

/// `FORMULA id answer` and `STATE_SPACE figure answer` of some lines.
fn answers(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|words| words.len() >= 3 && ["FORMULA", "STATE_SPACE"].contains(&words[0]))
        .map(|words| (words[1].to_owned(), words[2].to_owned()))
        .collect()
}

/// What an examination of an instance prints.
fn examine(directory: &Path, examination: &str) -> String {
    let mut command = fireset(directory);
    command.arg("mcc").env("BK_EXAMINATION", examination).env("BK_TIME_CONFINEMENT", "60");
    stdout(&command.output().unwrap())
}

#[test]
fn conventions() {
    let directory = directory_with(&[("model.pnml", &pnml(common::MOVE))]);
    let at = directory.path();
    assert_eq!(
        examine(at, "ReachabilityDeadlock"),
        "FORMULA ReachabilityDeadlock TRUE TECHNIQUES EXPLICIT STUBBORN_SETS STRUCTURAL_REDUCTION\n"
    );
    assert!(examine(at, "OneSafe").starts_with("FORMULA OneSafe TRUE TECHNIQUES "));
    let space = examine(at, "StateSpace");
    let sizes: Vec<_> = space.lines().map(|l| l.split(" TECHNIQUES").next().unwrap()).collect();
    assert_eq!(
        sizes,
        [
            "STATE_SPACE STATES 2",
            "STATE_SPACE TRANSITIONS 1",
            "STATE_SPACE MAX_TOKEN_PER_MARKING 1",
            "STATE_SPACE MAX_TOKEN_IN_PLACE 1"
        ]
    );
    assert_eq!(examine(at, "Gardening"), "DO_NOT_COMPETE\n");
    assert_eq!(examine(at, "UpperBounds"), "CANNOT_COMPUTE\n", "the property file is missing");
}

#[test]
fn the_oracles_agree() {
    let home = root().join("../shared/mcc");
    if !home.join("oracle.tar.gz").exists() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let unpack = |archive: &Path| {
        let status = Command::new("tar").arg("xzf").arg(archive).arg("-C").arg(directory.path()).status();
        assert!(status.unwrap().success(), "{} is unpacked", archive.display());
    };
    unpack(&home.join("oracle.tar.gz"));
    let mut compared = 0;
    for instance in [
        "ERK-PT-000001",
        "ResAllocation-PT-R002C002",
        "ShieldRVt-PT-001A",
        "CircadianClock-PT-000001",
        "TokenRing-COL-005",
        "DatabaseWithMutex-COL-02",
        "NeoElection-COL-2",
    ] {
        unpack(&home.join(format!("instances/{instance}.tgz")));
        for (code, examination) in [
            ("SS", "StateSpace"),
            ("OS", "OneSafe"),
            ("SM", "StableMarking"),
            ("QL", "QuasiLiveness"),
            ("L", "Liveness"),
            ("RD", "ReachabilityDeadlock"),
            ("UB", "UpperBounds"),
            ("RC", "ReachabilityCardinality"),
            ("RF", "ReachabilityFireability"),
            ("CTLC", "CTLCardinality"),
            ("CTLF", "CTLFireability"),
            ("LTLC", "LTLCardinality"),
            ("LTLF", "LTLFireability"),
        ] {
            let oracle = fs::read_to_string(directory.path().join(format!("oracle/{instance}-{code}.out")));
            let expected = answers(&oracle.unwrap_or_default());
            let given = answers(&examine(&directory.path().join(instance), examination));
            for (id, answer) in given {
                if let Some(known) = expected.get(&id).filter(|known| *known != "?") {
                    assert_eq!(&answer, known, "{instance} {examination} {id}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 500, "only {compared} answers were compared");
}
