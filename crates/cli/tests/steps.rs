//! Runs as tables: `fireset check --steps` and `fireset replay --steps`.

mod common;

use common::{MOVE, directory_with, pnml, run, stdout};

/// What `check --steps` prints of a query about a generated net.
fn table(family: &[&str], query: &str) -> String {
    let directory = directory_with(&[]);
    let generate: Vec<&str> = ["generate"].iter().chain(family).chain(&["-o", "net.pnml"]).copied().collect();
    assert!(run(directory.path(), &generate).status.success());
    stdout(&run(directory.path(), &["check", "net.pnml", "-q", query, "--steps", "--threads", "1"]))
}

#[test]
fn a_table_has_the_changes_and_the_atoms_of_each_step() {
    let directory = directory_with(&[("net.pnml", &pnml(MOVE))]);
    let query = "A G (p1 = 1 && p2 < 5)";
    let text =
        stdout(&run(directory.path(), &["check", "net.pnml", "-q", query, "--steps", "--witness", "w.json"]));
    let expected = "\
    a: p1 = 1
    true all along: p2 < 5
  counterexample, 1 step
    step  a  transition  tokens
       0  ✓              p1
       1  ·  t1          p1 1→0, p2 0→1
    a deadlock, since no transition is enabled:
      t1  needs a token on p1
";
    assert!(text.contains(expected), "{text}");
    let replayed = stdout(&run(directory.path(), &["replay", "net.pnml", "w.json", "--steps"]));
    assert!(replayed.contains(expected), "{replayed}");
    assert!(!stdout(&run(directory.path(), &["replay", "net.pnml", "w.json"])).contains("tokens"));
}

#[test]
fn colours_are_told_with_the_binding() {
    let text = table(&["philosophers", "2", "--coloured"], "EF deadlock");
    assert!(text.contains("transition           tokens\n"), "{text}");
    assert!(text.contains("thinking{seat_1, seat_2}, fork{seat_1, seat_2}\n"), "{text}");
    assert!(text.contains("thinking -{seat_1}, fork -{seat_1}, has_left +{seat_1}\n"), "{text}");
    // Those that lack one place alone come first.
    let deadlock = text.split_once("no transition is enabled:\n").expect("a deadlock").1;
    assert!(deadlock.trim_start().starts_with("then_right  needs a token on fork\n"), "{text}");
}

#[test]
fn loops_and_bounds_are_told() {
    let text = table(&["readers-writers", "2"], "E G (reading_1 = 0)");
    assert!(text.contains("which leads back to the initial marking\n"), "{text}");
    let text = table(&["kanban", "2"], "bound(machine_1)");
    assert!(text.contains("    a: bound(machine_1)\n") && text.contains("       0  0  "), "{text}");
    assert!(text.contains("       2  2  "), "{text}");
}
