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
    step  a  transition      tokens
       0  ✓              p1
       1  ·  t1          p2
    a deadlock, since no transition is enabled:
      t1  needs a token on p1
    every run comes to it, from the initial marking on
";
    assert!(text.contains(expected), "{text}");
    let replayed = stdout(&run(directory.path(), &["replay", "net.pnml", "w.json", "--steps"]));
    assert!(replayed.contains(expected), "{replayed}");
    assert!(!stdout(&run(directory.path(), &["replay", "net.pnml", "w.json"])).contains("tokens"));
}

#[test]
fn colours_are_told_with_the_binding() {
    let text = table(&["philosophers", "2", "--coloured"], "EF deadlock");
    assert!(text.contains("transition            tokens\n"), "{text}");
    assert!(text.contains("thinking{seat_1, seat_2}, fork{seat_1, seat_2}\n"), "{text}");
    assert!(text.contains("thinking -{seat_2}, fork -{seat_1}, has_right +{seat_2}\n"), "{text}");
    // Those that lack one place alone come first.
    let deadlock = text.split_once("no transition is enabled:\n").expect("a deadlock").1;
    assert!(deadlock.trim_start().starts_with("then_left   needs a token on fork\n"), "{text}");
}

#[test]
fn loops_and_bounds_are_told() {
    let text = table(&["readers-writers", "2"], "E G (reading_1 = 0)");
    assert!(text.contains("which leads back to the initial marking\n"), "{text}");
    let text = table(&["kanban", "2"], "bound(machine_1)");
    assert!(text.contains("    a: bound(machine_1)\n") && text.contains("       0  0  "), "{text}");
    assert!(text.contains("       2  2  "), "{text}");
}

#[test]
fn it_is_told_where_the_automaton_accepts() {
    let text = table(&["philosophers", "2"], "A F (eating_1 >= 1)");
    let table = text.split_once("★: the automaton of the violation accepts\n").expect("an automaton").1;
    let accepting = table.lines().skip(1).filter(|line| line.contains('★')).count();
    assert!(accepting >= 2, "the head and a marking: {text}");
}

#[test]
fn the_last_step_with_a_choice_is_told() {
    let text = table(&["philosophers", "2"], "EF deadlock");
    assert!(text.contains("    it could be avoided until the last step\n"), "{text}");
    // The resource that both processes took leaves nothing else.
    let text = table(&["philosophers", "2"], "EF (eating_1 >= 1)");
    assert!(text.contains("    it could be avoided until the last step\n"), "{text}");
}

#[test]
fn the_shortest_run_says_so() {
    let nets = directory_with(&[("net.pnml", &pnml(MOVE))]);
    let ask = |query: &str, more: &[&str]| {
        let arguments = [&["check", "net.pnml", "-q", query, "--shortest"], more].concat();
        stdout(&run(nets.path(), &arguments))
    };
    assert!(ask("EF p2 = 1", &[]).contains("witness, 1 step: t1\n  no shorter run shows it\n"));
    assert!(ask("A G p1 = 1", &["--format", "json"]).contains("\"shortest\": true"));
    assert!(ask("EF p2 = 2", &[]).lines().all(|line| !line.contains("shorter run")));
    assert!(!run(nets.path(), &["check", "net.pnml", "--shortest", "--short-runs", "on"]).status.success());
}

/// The tree gives the marking of each subformula and ends at the depth that is asked for.
#[test]
fn values_of_ctl_are_explained_as_a_tree() {
    let nets = directory_with(&[("net.pnml", &pnml(MOVE))]);
    let ask = |more: &[&str]| {
        let query = "EG (p1 = 1 && EF p2 = 1 || p2 = 1)";
        let arguments = [&["check", "net.pnml", "-q", query, "--threads", "1"], more].concat();
        stdout(&run(nets.path(), &arguments))
    };
    let text = ask(&["--steps"]);
    let expected = "\
    EG (p1 = 1 && EF (p2 = 1) || p2 = 1) holds in the initial marking: 1 step to a deadlock, t1
      p1 = 1 && EF (p2 = 1) || p2 = 1 holds, since
        p1 = 1 && EF (p2 = 1) holds, since
          p1 = 1 holds
          EF (p2 = 1) holds (why: --depth 4)
      p1 = 1 && EF (p2 = 1) || p2 = 1 holds after step 1, since
        p2 = 1 holds
";
    assert!(text.contains(expected), "{text}");
    assert!(ask(&["--steps", "--depth", "4"]).contains("EF (p2 = 1) holds: 1 step, t1\n"));
    assert!(!ask(&[]).contains("holds, since"));
    assert!(!run(nets.path(), &["check", "net.pnml", "-q", "EF deadlock", "--depth", "2"]).status.success());
}
