//! A fuzz target for each parser: whatever the bytes, it ends with a value or with a fault inside the input.
//!
//! As tests they run on random inputs with a fixed seed; `cargo bolero test -p fireset-io --test fuzz NAME` runs
//! one under a coverage-guided fuzzer.

use bolero::check;
use fireset_io::{Fault, apt, lola, pnml, properties, query, witness};
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

/// A text of words that the bytes choose, with and without spaces between them.
fn words_of(bytes: &[u8], words: &[&str]) -> String {
    let word = |byte: &u8| {
        let space = if byte & 0x80 == 0 { " " } else { "" };
        format!("{}{space}", words[usize::from(byte & 0x7f) % words.len()])
    };
    bytes.iter().map(word).collect()
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
fn apt_file() {
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        if let Err(fault) = apt::read(&text) {
            within(&fault, text.len());
        }
    });
}

/// Words of the format in random order come further than random bytes.
#[test]
fn apt_words() {
    let words = [
        ".name",
        ".type",
        ".places",
        ".transitions",
        ".flows",
        ".initial_marking",
        ".final_markings",
        "\"",
        "PN",
        "p",
        "t",
        "7",
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "->",
        "*",
        "=",
        "//",
        "\n",
        "/*",
        "*/",
        "label",
    ];
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let text = words_of(bytes, &words);
        if let Err(fault) = apt::read(&text) {
            within(&fault, text.len());
        }
    });
}

#[test]
fn lola_file() {
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        if let Err(fault) = lola::read(&text) {
            within(&fault, text.len());
        }
    });
}

#[test]
fn lola_words() {
    let words = [
        "PLACE",
        "MARKING",
        "TRANSITION",
        "CONSUME",
        "PRODUCE",
        "SAFE",
        "FORMULA",
        "p",
        "q",
        "t",
        "7",
        ":",
        ";",
        ",",
        "{",
        "}",
        "/*",
        "*/",
        "//",
        "\n",
        "=",
        "NOT",
        "AND",
        "OR",
        "EXPATH",
        "ALWAYS",
        "(",
        ")",
    ];
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        let text = format!("PLACE p, q; MARKING p; {}", words_of(bytes, &words));
        if let Err(fault) = lola::read(&text) {
            within(&fault, text.len());
        }
    });
}

#[test]
fn lola_formula() {
    let model = model();
    let words = [
        "p",
        "q",
        "t",
        "7",
        "(",
        ")",
        "[",
        "]",
        "=",
        "<->",
        "->",
        "-",
        "+",
        "*",
        "#",
        "NOT",
        "AND",
        "OR",
        "XOR",
        "UNTIL",
        "R",
        "AG",
        "E",
        "X",
        "MAX",
        "FIREABLE(t)",
        "DEADLOCK",
        "TRUE",
        "REACHABLE",
        ";",
        ":",
        "{",
        "}",
        "!",
    ];
    check!().with_iterations(ITERATIONS).for_each(|bytes: &[u8]| {
        for text in [String::from_utf8_lossy(bytes).into_owned(), words_of(bytes, &words)] {
            if let Err(fault) = lola::read_properties(&text, model.nodes()) {
                within(&fault, text.len());
            }
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
