//! A small report on generated nets: its tables and plots are well-formed, and it goes on where it was.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use quick_xml::{Reader, events::Event};

const NETS: &str = "philosophers-3,token-ring-3,philosophers-coloured-3";

fn report(out: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fireset-bench"));
    command.args(["report", "--timeout", "1", "--out"]).arg(out).args(more);
    command.output().unwrap()
}

/// The report that such a call writes.
fn written(out: &Path, more: &[&str]) -> String {
    let output = report(out, more);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(out.join("report.md")).unwrap()
}

/// Every table has a line below its header, and rows of as many cells; gives how many tables there are.
fn tables(text: &str) -> usize {
    let blocks = text.split("\n\n").filter(|block| block.starts_with('|'));
    for block in blocks.clone() {
        let cells = |line: &str| line.replace("\\|", "").matches('|').count();
        let lines: Vec<&str> = block.lines().collect();
        assert!(lines.len() > 2 && lines[1].starts_with("|---|"), "{block}");
        assert!(lines.iter().all(|line| cells(line) == cells(lines[0])), "{block}");
    }
    blocks.count()
}

/// Every plot that a report shows is there and can be parsed; gives how many there are.
fn plots(text: &str, out: &Path) -> usize {
    let shown =
        text.lines().filter_map(|line| line.strip_prefix("![")?.split_once("](")?.1.strip_suffix(')'));
    for file in shown.clone() {
        let svg = fs::read_to_string(out.join(file)).unwrap();
        let mut reader = Reader::from_str(&svg);
        let mut open = 0;
        loop {
            match reader.read_event().unwrap_or_else(|error| panic!("{file}: {error}")) {
                Event::Start(_) => open += 1,
                Event::End(_) => open -= 1,
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(open, 0, "{file}");
    }
    shown.count()
}

#[test]
fn a_report_has_all_tables_and_goes_on_where_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("a/report");
    let text = written(&out, &["--nets", NETS]);
    assert_eq!(tables(&text), 1 + 3 + 2 + 2 + 4, "{text}");
    assert_eq!(plots(&text, &out), 6 * 2 + 3 + 5 + 7, "{text}");
    for number in ["III", "IV", "V", "1", "2", "5", "6", "7"] {
        assert!(text.contains(&format!("### Table {number}: ")), "{number}: {text}");
    }
    let journal = fs::read_to_string(out.join("measurements.tsv")).unwrap();
    let part = written(&out, &["--nets", NETS, "--only", "coloured"]);
    assert!(!part.contains("Table III") && tables(&part) == 3, "{part}");
    assert_eq!(
        fs::read_to_string(out.join("measurements.tsv")).unwrap(),
        journal,
        "nothing is measured twice"
    );
}

#[test]
fn missing_instances_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let instances = directory.path().join("instances");
    fs::create_dir_all(instances.join("AirplaneLD-COL-0010")).unwrap();
    let nets = ["--instances", instances.to_str().unwrap(), "--nets", "AirplaneLD-COL-0010"];
    let output = report(&directory.path().join("report"), &nets);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("model.pnml"), "{said}");
    for (name, hint) in
        [("unknown-net", "--instances"), ("philosophers-x", "philosophers-x"), ("kanban-0", "kanban-0")]
    {
        let output = report(&directory.path().join("report"), &["--nets", name]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(hint), "{name}: {said}");
        assert!(!said.contains("panicked"), "{name}: {said}");
    }
}
