//! The measurement of a share on generated nets: a table of three values, and a hint where the name of a share is wrong.

use std::process::{Command, Output};

fn tuning(more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fireset-bench"));
    command.args(["tuning", "--timeout", "1", "--problems", "1"]).args(more).output().unwrap()
}

#[test]
fn a_share_is_measured_at_three_values() {
    let output = tuning(&["--only", "ctl_search"]);
    let table = String::from_utf8(output.stdout).unwrap();
    let row = table.lines().find(|line| line.starts_with("| `ctl_search` |")).expect(&table);
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!([cells[6], cells[9], cells[14]], ["0.125", "0.25", "0.5"], "{table}");
    assert!(output.status.success());
}

#[test]
fn a_share_that_does_not_exist_is_named() {
    let output = tuning(&["--only", "nothing"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("nothing"), "{said}");
}
