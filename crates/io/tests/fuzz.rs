//! A fuzz target for each parser: whatever the bytes, it ends with a value or with a fault inside the input.
//!
//! As tests they run on random inputs with a fixed seed; `cargo bolero test -p fireset-io --test fuzz NAME` runs
//! one under a coverage-guided fuzzer.

use bolero::check;
use fireset_io::{Fault, astg, mist, net_file::NetFile, pnml, properties, query, tina, witness};
use fireset_net::{Logic, Model};
use fireset_oracle::tiny;

/// Random inputs that a target is run with as a test.
const ITERATIONS: usize = 2_000;

fn model() -> Model {
    Model::Plain(tiny::net("p:1 q; t: p -> q; u: q -> p"))
}

fn within(fault: &Fault, length: usize) {
    assert!(fault.offset <= length as u64, "{fault:?} is outside of {length} bytes");
    assert!(!fault.message.is_empty());
}

/// Runs a parser of texts on the bytes as they are, and on the words of its format that they stand for.
fn text_parser(words: &[&str], read: fn(&str) -> Result<NetFile, Fault>) {
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let spelled: String = bytes.iter().map(|&byte| words[usize::from(byte) % words.len()]).collect();
        for text in [&*String::from_utf8_lossy(bytes), &*spelled] {
            if let Err(fault) = read(text) {
                within(&fault, text.len());
            }
        }
    });
}

#[test]
fn astg_file() {
    let words = [
        "a+",
        "b-/2",
        "d",
        "p",
        "q",
        " ",
        " ",
        "\n",
        "\n",
        ".inputs a b\n",
        ".dummy d\n",
        ".graph\n",
        ".marking",
        "{",
        "}",
        "<",
        ",",
        ">",
        "=",
        "(",
        ")",
        "2",
        ".end\n",
        "#",
        "/",
        "\u{e9}",
        ".state graph\n",
        "?",
    ];
    text_parser(&words, astg::read);
}

#[test]
fn mist_file() {
    let words = [
        "vars x y ",
        "rules ",
        "init ",
        "target ",
        "invariants ",
        "x",
        "y",
        "'",
        "=",
        ">=",
        " in ",
        "[",
        "]",
        ",",
        "->",
        ";",
        "true",
        "+",
        "-",
        "0",
        "2",
        " ",
        "\n",
        "#",
        "99999999999999999999",
        "\u{e9}",
    ];
    text_parser(&words, mist::read);
}

#[test]
fn tina_net_file() {
    let words = [
        "tr ", "pl ", "net ", "lb ", "nt ", "pr ", "t", "p", "{", "}", "\\", ":", "[0,w[", "]", "->", "*",
        "?", "?-", "!", "(", ")", "3", "K", "18E", " ", "\n", "\n", "#", "\u{e9}",
    ];
    text_parser(&words, tina::read);
}

#[test]
fn tina_drawing_file() {
    let words = [
        "\np 1 2 p 1 n",
        "\nt 1 2 t 0 w n",
        "\ne p t 1 n",
        "\nh x",
        "\nn ",
        " ",
        "p",
        "t",
        "e",
        "{",
        "}",
        "\\",
        "?",
        "?-",
        "!",
        "0",
        "3",
        "18E",
        "w",
        "\n",
        "#",
        "\u{e9}",
        "-1.5",
    ];
    text_parser(&words, tina::read_drawing);
}

#[test]
fn pnml_file() {
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        if let Err(fault) = pnml::read(bytes) {
            within(&fault, bytes.len());
        }
    });
}

#[test]
fn property_file() {
    let model = model();
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        if let Err(fault) = properties::read(bytes, model.nodes(), Logic::Ctl) {
            within(&fault, bytes.len());
        }
    });
}

#[test]
fn query_text() {
    let model = model();
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        if let Err(fault) = query::parse(&text, model.nodes()) {
            within(&fault, text.len());
        }
    });
}

#[test]
fn witness_file() {
    let model = model();
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        // An error is as good as a value; a panic is what would fail.
        let _ = witness::read("fuzz", &text, &model);
    });
}
